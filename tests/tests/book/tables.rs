//! Tables of the code's own, between `<!-- table NAME -->` and `<!-- end -->`.

use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::explain;
use blinkblox_compiler::ide::words;
use blinkblox_compiler::schema::{Options, event, options, state, table};
use blinkblox_compiler::syntax::token::Primitive;
use blinkblox_emulator::network::{LinkSettings, LossModel, PRESETS};
use blinkblox_emulator::shared::{DiagnosticCode, Settings, words as remarks};

use blinkblox_tests::book::Page;

use super::figures;

const END: &str = "<!-- end -->";

/// The page with every table written anew.
pub fn fill(page: &Page) -> String {
    let mut out = String::new();
    let mut rest = page.text.as_str();
    while let Some((before, after)) = rest.split_once("<!-- table ") {
        let (name, after) = after.split_once(" -->").unwrap();
        let (_, tail) =
            after.split_once(END).unwrap_or_else(|| panic!("{}: the table {name} has no end", page.shown()));
        out.push_str(before);
        out.push_str(&format!("<!-- table {name} -->\n\n{}\n{END}", table(name, page)));
        rest = tail;
    }
    out + rest
}

fn table(name: &str, page: &Page) -> String {
    match name {
        "options" => option_table(),
        "event-keys" => keys(event::EVENT_KEYS),
        "function-keys" => keys(event::FUNCTION_KEYS),
        "stream-keys" => keys(event::STREAM_KEYS),
        "state-keys" => keys(state::STATE_KEYS),
        "table-keys" => keys(table::TABLE_KEYS),
        "deliveries" => values("Type"),
        "calls" => values("Call"),
        "types" => types(),
        "codes" => codes(),
        "code-pages" => code_pages(),
        "presets" => presets(),
        "settings" => settings(),
        "remarks" => remark_table(),
        "prompt" => prompt(),
        "figures-native" => figures::ratios("native"),
        "figures-interpreted" => figures::ratios("interpreted"),
        "figures-floors" => figures::floors(),
        "figures-installed" => figures::installed(),
        "figures-compiler" => figures::compiles(),
        _ => panic!("{}: there is no table {name}", page.shown()),
    }
}

/// A table with a head and its rows.
pub fn rows(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let mut out = line(&head);
    out.push_str(&format!("|{}\n", "---|".repeat(head.len())));
    for row in rows {
        out.push_str(&line(&row));
    }
    out
}

/// A value as code, words in front of it or behind it left as they are.
fn code(text: &str) -> String {
    if text.starts_with("none") || text.contains(' ') { text.to_owned() } else { format!("`{text}`") }
}

fn option_table() -> String {
    rows(
        &["Option", "Takes", "Unless set", "Does"],
        options::all().filter(|(name, _)| *name != "UseColon").map(|(name, _)| {
            let (does, usual) = words::option(name).unwrap();
            vec![format!("`{name}`"), options::takes(name).unwrap().to_owned(), code(usual), does.to_owned()]
        }),
    )
}

fn keys(names: &[&str]) -> String {
    rows(
        &["Key", "Takes", "Says"],
        names.iter().filter(|name| **name != "Poll").map(|name| {
            let values: Vec<String> = event::words(name).iter().map(|word| format!("`{word}`")).collect();
            let takes = match *name {
                "Data" | "Return" => "a type, or `(a: T, b: U)`".to_owned(),
                "Stream" => "a block: [streams](streams.md)".to_owned(),
                "Stamp" => "1 to 30000: [stamps](stamps.md)".to_owned(),
                "Concurrency" => "a whole number above 0".to_owned(),
                "Burst" => "a number of at least 1".to_owned(),
                "Epsilon" => "a number of at least 0".to_owned(),
                "Key" => "a string of at most 255 bytes".to_owned(),
                "Fields" => "the body of a struct, or the name of one".to_owned(),
                _ if values.is_empty() => "a number above 0".to_owned(),
                _ => values.join(", "),
            };
            vec![format!("`{name}`"), takes, words::key(name).unwrap().to_owned()]
        }),
    )
}

fn values(key: &str) -> String {
    rows(
        &[&format!("`{key}`"), "Means"],
        event::words(key)
            .into_iter()
            .map(|word| vec![format!("`{word}`"), words::value(word).unwrap().to_owned()]),
    )
}

fn types() -> String {
    rows(
        &["Type", "In Luau", "On the wire"],
        Primitive::ALL.iter().map(|primitive| {
            let (luau, bytes) = words::primitive(primitive.text()).unwrap();
            let luau = if luau.contains(' ') { luau.to_owned() } else { format!("`{luau}`") };
            vec![format!("`{}`", primitive.text()), luau, bytes.to_owned()]
        }),
    )
}

/// The first paragraph of a code's page, on one line.
fn summary(one: Code) -> String {
    let paragraph = explain::page(one).lines().skip(1).skip_while(|line| line.is_empty());
    paragraph.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").replace('|', "or")
}

fn codes() -> String {
    rows(
        &["Code", "Name", "Means"],
        Code::ALL.iter().map(|one| {
            let title = explain::title(*one);
            let link = format!("[{title}](#{}-{})", title.to_lowercase(), one.name().to_lowercase());
            vec![link, format!("`{}`", one.name()), summary(*one)]
        }),
    )
}

/// The page of every code, one behind the other, its headings below those of this page.
fn code_pages() -> String {
    let mut out = String::new();
    for one in Code::ALL {
        let title = explain::title(*one);
        out.push_str(&format!("## {title} {}\n", one.name()));
        for line in explain::page(*one).lines().skip(1) {
            if let Some(heading) = line.strip_prefix("## ") {
                out.push_str(&format!("**{heading}**\n"));
            } else {
                // The examples are run with `explain`; here they are only shown.
                let is_opening = line.starts_with("```") && line.len() > 3;
                let line = if is_opening { "```text" } else { line };
                out.push_str(&format!("{line}\n"));
            }
        }
        out.push('\n');
    }
    out.trim_end().to_owned() + "\n"
}

fn presets() -> String {
    let milliseconds = |time: blinkblox_emulator::clock::Time| format!("{} ms", time.seconds() * 1000.0);
    rows(
        &["Preset", "Delay one way", "Jitter", "Loss", "Also"],
        PRESETS.iter().map(|name| {
            let link = LinkSettings::preset(name).unwrap();
            let mut also = Vec::new();
            if link.loss_model == LossModel::Bursty {
                also.push("lost in bursts".to_owned());
            }
            if link.reorder > 0.0 {
                also.push(format!("{} % overtake", link.reorder * 100.0));
            }
            if link.max_delay_step > LinkSettings::default().max_delay_step {
                also.push("delays in whole frames".to_owned());
            }
            vec![
                format!("`{name}`"),
                milliseconds(link.delay),
                milliseconds(link.jitter),
                format!("{:.1} %", link.loss * 100.0),
                also.join(", "),
            ]
        }),
    )
}

fn settings() -> String {
    rows(
        &["Setting", "Takes", "Usually", "Does"],
        Settings::default().entries().into_iter().map(|(name, usual)| {
            let (takes, does) = remarks::setting(&name).unwrap();
            vec![format!("`{name}`"), takes.to_owned(), format!("`{usual}`"), does.to_owned()]
        }),
    )
}

fn remark_table() -> String {
    rows(
        &["Code", "Class", "Means", "What to do"],
        DiagnosticCode::ALL.iter().map(|one| {
            let (means, repair) = remarks::code(*one);
            vec![
                format!("`{}`", one.name()),
                one.class().name().to_owned(),
                means.to_owned(),
                repair.to_owned(),
            ]
        }),
    )
}

fn prompt() -> String {
    rows(
        &["Command", "Does"],
        blinkblox_emulator::repl::commands()
            .map(|(usage, text)| vec![format!("`{}`", usage.replace('|', "\\|")), text.replace('|', "\\|")]),
    )
}

/// What the table says an option is without being set is what the compiler takes it for.
#[test]
fn usual_values_are_those_of_the_compiler() {
    let usual = Options::default();
    let values = [
        ("Typescript", usual.typescript.to_string()),
        ("Casing", format!("{:?}", usual.casing)),
        ("ExportLimits", usual.export_limits.to_string()),
        ("ManualReplication", usual.manual_replication.to_string()),
        ("ClientFlushRate", usual.client_flush_rate.to_string()),
        ("BatchUnreliable", usual.batch_unreliable.to_string()),
        ("UsePolling", usual.use_polling.to_string()),
        ("Predict", usual.predict.to_string()),
        ("AutoStart", usual.auto_start.to_string()),
        ("WriteValidations", usual.write_validations.to_string()),
        ("SyncValidation", usual.sync_validation.to_string()),
        ("MaxUnreliableSize", usual.max_unreliable_size.to_string()),
        ("MaxPacketSize", usual.max_packet_size.to_string()),
        ("MaxEventsPerPacket", usual.max_events_per_packet.to_string()),
        ("MaxInstancesPerPacket", usual.max_instances_per_packet.to_string()),
        ("RequireRates", usual.require_rates.to_string()),
        ("InvocationTimeout", usual.invocation_timeout.to_string()),
        ("TrafficStats", usual.traffic_stats.to_string()),
    ];
    for (name, value) in values {
        assert_eq!(words::option(name).unwrap().1, value, "{name}");
    }
    assert_eq!(usual.inbound_bytes_per_second, 8 * usual.max_packet_size);
    assert_eq!(usual.inbound_burst, usual.inbound_bytes_per_second);
    // What is none without being set.
    for (name, value) in [
        ("OutboundBytesPerSecond", usual.outbound_bytes_per_second),
        ("DefaultRate", usual.default_rate),
        ("ClientConnectTimeout", usual.client_connect_timeout.map(|seconds| seconds as u32)),
    ] {
        assert!(value.is_none() && words::option(name).unwrap().1.starts_with("none"), "{name}");
    }
}
