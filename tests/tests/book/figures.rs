//! Tables of what was measured, from what the benchmarks recorded in `benches/figures`: a page shows no other numbers.

use std::collections::BTreeMap;

use super::tables::rows;

/// The lines of a recorded file, each as its cells by the names in the first line.
fn recorded(file: &str) -> Vec<BTreeMap<String, String>> {
    let path = format!("{}/../benches/figures/{file}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let read = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), heads.len(), "{file}: {line}");
        heads.iter().map(|head| head.to_string()).zip(cells.iter().map(|cell| cell.to_string())).collect()
    };
    let all: Vec<_> = lines.map(read).collect();
    assert!(!all.is_empty(), "{file} has no figures");
    all
}

fn number(line: &BTreeMap<String, String>, head: &str) -> f64 {
    line[head].parse().unwrap_or_else(|_| panic!("{head} is {:?}", line[head]))
}

/// What the scenarios are, in words.
const SCENARIOS: &[(&str, &str)] = &[
    ("tiny", "a `u8`, 1000 a frame"),
    ("struct", "a vector, three `f32`, a string of 8"),
    ("snapshot", "7 values, `FireAll` to 50 players"),
    ("heads", "16 x (`u8`, vector, boolean), unreliable, to all"),
    ("heads24", "the same with 24-bit vectors"),
    ("booleans", "`boolean[1000]`, all true"),
    ("booleansrandom", "`boolean[1000]`, at random"),
    ("entities", "100 structs of six `u8`"),
];

/// The compilers and libraries that no registry has.
const PEERS: &[&str] = &["zap", "Blink", "ByteNet", "Packet", "Warp"];

/// Times by the floor, of one mode: ours as measured, theirs as they were measured elsewhere.
pub fn ratios(mode: &str) -> String {
    let (own, elsewhere) = (recorded("runtime"), recorded("elsewhere"));
    let theirs = |scenario: &str, who: &str| {
        let line = |who: &str| {
            elsewhere
                .iter()
                .find(|line| line["scenario"] == scenario && line["mode"] == mode && line["who"] == who)
        };
        Some(number(line(who)?, "ns") / number(line("floor")?, "ns"))
    };
    let has = |who: &&&str| SCENARIOS.iter().any(|(scenario, _)| theirs(scenario, who).is_some());
    let peers: Vec<&str> = PEERS.iter().filter(has).copied().collect();
    let mut head = vec!["Scenario", "BlinkBlox"];
    head.extend(&peers);
    let row = |(scenario, what): &(&str, &str)| {
        let line = own.iter().find(|line| line["scenario"] == *scenario && line["mode"] == mode);
        let line = line.unwrap_or_else(|| panic!("{scenario} was not measured {mode}"));
        let ours = number(line, "ns") / number(line, "floor ns");
        let mut cells = vec![(*what).to_owned(), format!("{ours:.2}")];
        let mut known = false;
        for who in &peers {
            let ratio = theirs(scenario, who);
            known |= ratio.is_some();
            cells.push(ratio.map_or("-".to_owned(), |ratio| {
                if ratio < 10.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
            }));
        }
        known.then_some(cells)
    };
    rows(&head, SCENARIOS.iter().filter_map(row))
}

/// Every scenario as measured: nanoseconds an event and bytes, beside the floor.
pub fn floors() -> String {
    let own = recorded("runtime");
    let names: Vec<&String> =
        own.iter().filter(|line| line["mode"] == "interpreted").map(|line| &line["scenario"]).collect();
    let row = |name: &&String| {
        let [interpreted, native] = ["interpreted", "native"].map(|mode| {
            let line = own.iter().find(|line| &line["scenario"] == *name && line["mode"] == mode);
            line.unwrap_or_else(|| panic!("{name} was not measured {mode}"))
        });
        let times = |line: &BTreeMap<String, String>| {
            let (ours, floor) = (number(line, "ns"), number(line, "floor ns"));
            [format!("{} / {}", whole(ours), whole(floor)), format!("{:.2}", ours / floor)]
        };
        let mut cells = vec![format!("`{name}`")];
        cells.extend(times(interpreted));
        cells.extend(times(native));
        cells.push(format!("{} / {}", interpreted["bytes"], interpreted["floor bytes"]));
        cells
    };
    rows(
        &["Scenario", "Interpreted / floor, ns", "Ratio", "Native / floor, ns", "Ratio", "Bytes / floor"],
        names.iter().map(row),
    )
}

/// A whole number with its thousands apart.
fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// What registries have, run in the emulator.
pub fn installed() -> String {
    let lines = recorded("peers");
    let ours = |what: &str| {
        let own = lines.iter().find(|line| line["what"] == what && line["who"] == "BlinkBlox");
        number(own.unwrap_or_else(|| panic!("{what} is not ours")), "best ns")
    };
    rows(
        &["What", "Who", "Nanoseconds", "Times ours", "Bytes"],
        lines.iter().map(|line| {
            let best = number(line, "best ns");
            let what = line["what"].clone();
            let times = format!("{:.1}", best / ours(&what));
            vec![what, line["who"].clone(), whole(best), times, line["bytes"].clone()]
        }),
    )
}

/// Whole processes from disk to disk.
pub fn compiles() -> String {
    let lines = recorded("compiler");
    rows(
        &["What", "Process", "Milliseconds", "At the least"],
        lines
            .iter()
            .map(|line| ["what", "process", "ms", "least ms"].map(|head| line[head].clone()).to_vec()),
    )
}

/// No peer is quicker by the ratio to the floor, nor sends fewer bytes than what registries have: where one does, it is
/// named in `benches/RESULTS.md` and here.
#[test]
fn nobody_is_ahead() {
    let (own, elsewhere, installed) = (recorded("runtime"), recorded("elsewhere"), recorded("peers"));
    for line in elsewhere.iter().filter(|line| line["who"] != "floor") {
        let same = |other: &&BTreeMap<String, String>| {
            other["scenario"] == line["scenario"] && other["mode"] == line["mode"]
        };
        let floor = elsewhere.iter().filter(same).find(|other| other["who"] == "floor").unwrap();
        let ours = own.iter().find(same).unwrap();
        let theirs = number(line, "ns") / number(floor, "ns");
        let ours = number(ours, "ns") / number(ours, "floor ns");
        assert!(ours <= theirs, "{} is ahead in {} {}", line["who"], line["scenario"], line["mode"]);
    }
    for line in installed.iter().filter(|line| line["who"] != "BlinkBlox") {
        let own =
            installed.iter().find(|own| own["what"] == line["what"] && own["who"] == "BlinkBlox").unwrap();
        for head in ["best ns", "bytes"] {
            assert!(
                number(own, head) <= number(line, head),
                "{}: {} is ahead by {head}",
                line["what"],
                line["who"]
            );
        }
    }
    for line in &own {
        assert!(number(line, "bytes") <= number(line, "floor bytes"), "{}", line["scenario"]);
    }
}
