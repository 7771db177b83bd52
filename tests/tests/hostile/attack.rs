//! Attacks on modules of schemas: packets are written into a module of Luau for each schema, which `attack.luau` sends
//! and holds against the codec.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_tests::corpus::Case;
use blinkblox_tests::packets::{self, Heard, Packet};
use blinkblox_tests::schemas::Random;

/// A schema to attack.
pub struct Target {
    /// For reports of failures.
    pub name: String,
    /// Its files, the entry first: name and text.
    pub files: Vec<(String, String)>,
    /// Whether nothing limits its traffic, so that whatever the codec reads must be heard.
    pub exact: bool,
}

impl Target {
    /// A case of the corpus with nothing it needs from elsewhere, and a budget that pays for an attack.
    pub fn of(case: &Case) -> Target {
        let name = case.path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy());
        let name = name.collect::<Vec<_>>().join(" of ");
        let mut files: Vec<_> =
            case.files.iter().map(|(name, text)| (name.clone(), self_contained(text))).collect();
        if !files.iter().any(|(_, text)| text.contains("InboundB")) {
            let budget = "option InboundBytesPerSecond = 100000000\noption InboundBurst = 100000000\n";
            files[0].1.insert_str(0, budget);
        }
        Target { name, files, exact: false }
    }
}

fn self_contained(text: &str) -> String {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| {
            !line.starts_with("option PromiseLibrary") && !line.starts_with("option FutureLibrary")
        })
        .collect();
    let text = kept.join("\n") + "\n";
    text.replace("Yield: Promise", "Yield: Coroutine").replace("Yield: Future", "Yield: Coroutine")
}

/// What is sent to a target: made from what its server hears.
pub type Plan = dyn Fn(&[Heard<'_>], &mut Random) -> Vec<Packet> + Sync;

/// Writes the spec that attacks a target, `schema.blink` and all, into a folder. Gives how many packets it sends, 0 for
/// one that no client sends anything to.
fn write(target: &Target, folder: &Path, plan: &Plan, random: &mut Random) -> usize {
    let loader = target
        .files
        .iter()
        .fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.as_str()));
    let analysis = blinkblox_compiler::analyze(&loader, &target.files[0].0, Profile::Release);
    let Some(schema) = analysis.schema else { return 0 };
    let wire = Wire::of(&schema);
    let all = packets::heard(&wire);
    if all.is_empty() {
        return 0;
    }
    for (name, text) in &target.files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut out = format!(
        "return {{ name = {:?}, exact = {}, schema = \"./{}\",\nmembers = {{",
        target.name, target.exact, target.files[0].0
    );
    for one in &all {
        let names: Vec<String> = one
            .parameters()
            .iter()
            .map(|name| name.map_or("false".to_owned(), |name| format!("{name:?}")))
            .collect();
        write!(out, "[{:?}] = {{ {} }}, ", one.name, names.join(", ")).unwrap();
    }
    out.push_str("},\n");
    let line = |packet: &Packet| {
        let hex: String = packet.bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let channel = if packet.reliable { "R" } else { "U" };
        format!("{{ \"{channel}\", \"{hex}\", \"{}\" }}", packet.slots.join(","))
    };
    let plain = (0..50).map(|_| packets::valid(&all[0], random)).find(|packet| packet.slots.is_empty());
    if let Some(honest) = plain {
        writeln!(out, "honest = {},", line(&honest)).unwrap();
    }
    out.push_str("packets = {\n");
    let made = plan(&all, random);
    for packet in &made {
        writeln!(out, "{},", line(packet)).unwrap();
    }
    out.push_str("} }\n");
    std::fs::write(folder.join("data.luau"), out).unwrap();
    std::fs::write(folder.join("attack.luau"), include_str!("attack.luau")).unwrap();
    let spec = "require(\"./attack\")(require(\"./data\"))\n";
    std::fs::write(folder.join("attack.spec.luau"), spec).unwrap();
    made.len()
}

/// Attacks targets under one signal mode; gives how many of them hear anything, and how many packets they were sent.
///
/// Panics with the report when one of them does not stand.
pub fn attack(targets: &[Target], signals: SignalMode, seed: u64, plan: &Plan) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    let mut sent = 0;
    for (at, target) in targets.iter().enumerate() {
        let mut random = Random(seed.wrapping_mul(1000) + at as u64 + 1);
        let place = folder.path().join(at.to_string());
        std::fs::create_dir_all(&place).unwrap();
        let count = write(target, &place, plan, &mut random);
        if count > 0 {
            sent += count;
            files.push(place.join("attack.spec.luau"));
        }
    }
    let attacked = files.len();
    if attacked == 0 {
        return (0, 0);
    }
    let options = RunOptions {
        files,
        signals: vec![signals],
        wall_timeout: Duration::from_secs(300),
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    (attacked, sent)
}
