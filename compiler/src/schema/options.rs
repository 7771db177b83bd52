//! Options: which there are, what each takes, and what those left out default to. Source: language specification,
//! 2.1; runtime specification, 3.

use std::collections::BTreeMap;

use super::Profile;
use super::diagnostics as say;
use super::profiles::excluding;
use crate::diagnostics::{Diagnostic, suggest};
use crate::source::Span;
use crate::syntax::ast::{OptionDecl, Scalar, ScalarKind};

/// Spelling of generated members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Casing {
    /// `FireAll`
    #[default]
    Pascal,
    /// `fireAll`
    Camel,
    /// `fire_all`
    Snake,
}

/// How a received `boolean[]` is unpacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PackedBooleanReader {
    /// Timed at load.
    #[default]
    Auto,
    /// Tests each bit.
    Bits,
    /// Copies rows of eight.
    Rows,
}

/// What becomes of a client whose table rows break the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TableGuard {
    /// It is removed from the game.
    #[default]
    Drop,
    /// It is reported to the packet-drop handler, and stays.
    Report,
}

/// The entry file's options; runtime specification, 3.2 gives each one's meaning and default. Sizes in bytes.
#[allow(missing_docs, reason = "each is named as the option is")]
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub server_output: Option<String>,
    pub client_output: Option<String>,
    pub types_output: Option<String>,
    pub typescript: bool,
    pub casing: Casing,
    pub remote_scope: String,
    pub remotes_folder: Option<String>,
    pub export_limits: bool,
    pub future_library: Option<String>,
    pub promise_library: Option<String>,
    pub manual_replication: bool,
    pub client_flush_rate: u32,
    pub batch_unreliable: bool,
    pub use_polling: bool,
    pub predict: bool,
    pub packed_boolean_reader: PackedBooleanReader,
    pub client_connect_timeout: Option<f64>,
    pub auto_start: bool,
    pub write_validations: bool,
    pub sync_validation: bool,
    pub max_unreliable_size: u32,
    pub soft_message_size: Option<u32>,
    pub max_packet_size: u32,
    pub max_events_per_packet: u32,
    pub max_instances_per_packet: u32,
    pub inbound_bytes_per_second: u32,
    pub inbound_burst: u32,
    pub outbound_bytes_per_second: Option<u32>,
    pub outbound_burst: Option<u32>,
    pub default_rate: Option<u32>,
    pub require_rates: bool,
    pub invocation_timeout: u32,
    pub traffic_stats: bool,
    pub table_guard: TableGuard,
    pub session: bool,
    pub session_max_players: u32,
    pub session_inactivity: Option<f64>,
    pub lobby: bool,
}

impl Options {
    /// What the names of the remotes begin with.
    pub fn remote_base(&self) -> String {
        let scope = &self.remote_scope;
        if scope.is_empty() { "BLINK".to_owned() } else { format!("{scope}_BLINK") }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            server_output: None,
            client_output: None,
            types_output: None,
            typescript: false,
            casing: Casing::Pascal,
            remote_scope: String::new(),
            remotes_folder: None,
            export_limits: false,
            future_library: None,
            promise_library: None,
            manual_replication: false,
            client_flush_rate: 60,
            batch_unreliable: false,
            use_polling: false,
            predict: false,
            packed_boolean_reader: PackedBooleanReader::Auto,
            client_connect_timeout: None,
            auto_start: true,
            write_validations: false,
            sync_validation: true,
            max_unreliable_size: 980,
            soft_message_size: None,
            max_packet_size: 8192,
            max_events_per_packet: 64,
            max_instances_per_packet: 256,
            inbound_bytes_per_second: 65_536,
            inbound_burst: 65_536,
            outbound_bytes_per_second: None,
            outbound_burst: None,
            default_rate: None,
            require_rates: false,
            invocation_timeout: 10,
            traffic_stats: false,
            table_guard: TableGuard::Drop,
            session: false,
            session_max_players: MAX_PLAYERS,
            session_inactivity: None,
            lobby: false,
        }
    }
}

/// The smallest budget that pays for any packet.
const MIN_BURST: u32 = 128;

/// Most players of a session.
const MAX_PLAYERS: u32 = 127;

/// Options in force, and where they are set.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryOptions {
    pub options: Options,
    /// Where the value of each option that is set stands.
    pub spans: BTreeMap<&'static str, Span>,
}

type Set<T> = fn(&mut Options, T);

/// What an option takes, and where it goes.
enum Kind {
    Boolean(Set<bool>),
    Text(Set<String>),
    /// Text that must not be empty.
    Folder(Set<String>),
    Casing,
    Reader,
    Guard,
    /// A whole number of at least 1.
    Count(Set<u32>),
    /// A whole number from 1 to a greatest.
    CountTo(u32, Set<u32>),
    /// A whole number, 0 included.
    CountOrZero(Set<u32>),
    /// Any finite number above 0.
    Seconds(Set<f64>),
    /// Accepted, without effect.
    Idle,
}

/// Every option, in the order of the specification.
const OPTIONS: &[(&str, Kind)] = &[
    ("ServerOutput", Kind::Text(|options, text| options.server_output = Some(text))),
    ("ClientOutput", Kind::Text(|options, text| options.client_output = Some(text))),
    ("TypesOutput", Kind::Text(|options, text| options.types_output = Some(text))),
    ("Typescript", Kind::Boolean(|options, on| options.typescript = on)),
    ("Casing", Kind::Casing),
    ("RemoteScope", Kind::Text(|options, text| options.remote_scope = text)),
    ("RemotesFolder", Kind::Folder(|options, text| options.remotes_folder = Some(text))),
    ("ExportLimits", Kind::Boolean(|options, on| options.export_limits = on)),
    ("FutureLibrary", Kind::Text(|options, text| options.future_library = Some(text))),
    ("PromiseLibrary", Kind::Text(|options, text| options.promise_library = Some(text))),
    ("ManualReplication", Kind::Boolean(|options, on| options.manual_replication = on)),
    ("ClientFlushRate", Kind::Count(|options, count| options.client_flush_rate = count)),
    ("BatchUnreliable", Kind::Boolean(|options, on| options.batch_unreliable = on)),
    ("UsePolling", Kind::Boolean(|options, on| options.use_polling = on)),
    ("Predict", Kind::Boolean(|options, on| options.predict = on)),
    ("PackedBooleanReader", Kind::Reader),
    (
        "ClientConnectTimeout",
        Kind::Seconds(|options, seconds| options.client_connect_timeout = Some(seconds)),
    ),
    ("AutoStart", Kind::Boolean(|options, on| options.auto_start = on)),
    ("WriteValidations", Kind::Boolean(|options, on| options.write_validations = on)),
    ("SyncValidation", Kind::Boolean(|options, on| options.sync_validation = on)),
    ("MaxUnreliableSize", Kind::Count(|options, count| options.max_unreliable_size = count)),
    ("SoftMessageSize", Kind::Count(|options, count| options.soft_message_size = Some(count))),
    ("MaxPacketSize", Kind::Count(|options, count| options.max_packet_size = count)),
    ("MaxEventsPerPacket", Kind::Count(|options, count| options.max_events_per_packet = count)),
    ("MaxInstancesPerPacket", Kind::CountOrZero(|options, count| options.max_instances_per_packet = count)),
    ("InboundBytesPerSecond", Kind::Count(|options, count| options.inbound_bytes_per_second = count)),
    ("InboundBurst", Kind::Count(|options, count| options.inbound_burst = count)),
    ("OutboundBytesPerSecond", Kind::Count(|options, count| options.outbound_bytes_per_second = Some(count))),
    ("OutboundBurst", Kind::Count(|options, count| options.outbound_burst = Some(count))),
    ("DefaultRate", Kind::Count(|options, count| options.default_rate = Some(count))),
    ("RequireRates", Kind::Boolean(|options, on| options.require_rates = on)),
    ("InvocationTimeout", Kind::Count(|options, count| options.invocation_timeout = count)),
    ("TrafficStats", Kind::Boolean(|options, on| options.traffic_stats = on)),
    ("TableGuard", Kind::Guard),
    ("Session", Kind::Boolean(|options, on| options.session = on)),
    ("SessionMaxPlayers", Kind::CountTo(MAX_PLAYERS, |options, count| options.session_max_players = count)),
    ("SessionInactivity", Kind::Seconds(|options, seconds| options.session_inactivity = Some(seconds))),
    ("Lobby", Kind::Boolean(|options, on| options.lobby = on)),
    ("UseColon", Kind::Idle),
];

/// Name of every option, in the order of the specification, and the values it takes when they are a list.
pub fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    OPTIONS.iter().map(|(name, kind)| {
        let values: &[&str] = match kind {
            Kind::Boolean(_) | Kind::Idle => &["true", "false"],
            Kind::Casing => &["Pascal", "Camel", "Snake"],
            Kind::Guard => &["Drop", "Report"],
            Kind::Reader => &["\"Auto\"", "\"Bits\"", "\"Rows\""],
            Kind::Text(_)
            | Kind::Folder(_)
            | Kind::Count(_)
            | Kind::CountTo(..)
            | Kind::CountOrZero(_)
            | Kind::Seconds(_) => &[],
        };
        (*name, values)
    })
}

/// What an option takes, as a table of options says it; `None` for an unknown name.
pub fn takes(name: &str) -> Option<&'static str> {
    let (_, kind) = OPTIONS.iter().find(|(known, _)| *known == name)?;
    Some(match kind {
        Kind::Boolean(_) | Kind::Idle => "`true` or `false`",
        Kind::Text(_) => "a string",
        Kind::Folder(_) => "a string that is not empty",
        Kind::Casing => "`Pascal`, `Camel` or `Snake`",
        Kind::Guard => "`Drop` or `Report`",
        Kind::Reader => "`\"Auto\"`, `\"Bits\"` or `\"Rows\"`",
        Kind::Count(_) => "a whole number of at least 1",
        Kind::CountTo(..) => "a whole number from 1 to 127",
        Kind::CountOrZero(_) => "a whole number, 0 included",
        Kind::Seconds(_) => "a number above 0",
    })
}

/// Checks the options of a file, and gives those in force in a build of `profile`.
pub(super) fn read(declared: &[OptionDecl], profile: Profile, sink: &mut Vec<Diagnostic>) -> EntryOptions {
    let mut entry = EntryOptions::default();
    let mut settings: Vec<Setting> = Vec::new();
    for declaration in declared {
        let excluded = excluding(&declaration.attributes, profile, sink);
        let (name, span) = (declaration.name.text.as_str(), declaration.name.span);
        let Some((name, kind)) = OPTIONS.iter().find(|(known, _)| *known == name) else {
            sink.push(unknown(span, name));
            continue;
        };
        let marked = declaration
            .attributes
            .first()
            .and_then(|mark| mark.value.as_ref())
            .map(|value| value.text.clone());
        // Two settings that no build applies both are fine: each under a profile of its own.
        let value = declaration.value.as_ref().map(|value| &value.kind);
        let clash = settings.iter().find(|other| {
            other.name == *name && (other.mark.is_none() || marked.is_none() || other.mark == marked)
        });
        if let Some(first) = clash {
            let same = first.mark == marked && value.is_some() && first.value == value;
            sink.push(say::duplicate_option(span, first.span, name, same.then_some(declaration.span)));
        }
        settings.push(Setting { name, mark: marked, value, span });
        let Some(value) = &declaration.value else { continue };
        let mut ignored = Options::default();
        let target = if excluded.is_none() { &mut entry.options } else { &mut ignored };
        if set(name, kind, value, target, sink) && excluded.is_none() {
            entry.spans.insert(name, value.span);
        }
        if matches!(kind, Kind::Idle) {
            sink.push(say::idle_option(span, name, declaration.span));
        }
    }
    derive(&mut entry, sink);
    entry
}

/// An option that is set, to be compared with later ones.
struct Setting<'a> {
    name: &'a str,
    mark: Option<String>,
    value: Option<&'a ScalarKind>,
    span: Span,
}

/// Sets one option; false when its value is not one it takes.
fn set(name: &str, kind: &Kind, value: &Scalar, options: &mut Options, sink: &mut Vec<Diagnostic>) -> bool {
    let mut wrong_kind = |takes: &str| {
        sink.push(say::option_kind(value.span, name, takes, in_kind(&value.kind, kind)));
        false
    };
    let takes = match (kind, &value.kind) {
        (Kind::Boolean(apply), ScalarKind::Boolean(on)) => {
            apply(options, *on);
            return true;
        }
        (Kind::Idle, ScalarKind::Boolean(_)) => return true,
        (Kind::Boolean(_) | Kind::Idle, _) => return wrong_kind("a boolean"),
        (Kind::Text(apply), ScalarKind::String(text)) => {
            apply(options, text.clone());
            return true;
        }
        (Kind::Folder(apply), ScalarKind::String(text)) if !text.is_empty() => {
            apply(options, text.clone());
            return true;
        }
        (Kind::Folder(_), ScalarKind::String(_)) => "a name that is not empty",
        (Kind::Reader, ScalarKind::String(text)) => match text.as_str() {
            "Auto" => return reader(options, PackedBooleanReader::Auto),
            "Bits" => return reader(options, PackedBooleanReader::Bits),
            "Rows" => return reader(options, PackedBooleanReader::Rows),
            _ => "\"Auto\", \"Bits\" or \"Rows\"",
        },
        (Kind::Text(_) | Kind::Folder(_) | Kind::Reader, _) => return wrong_kind("a string"),
        (Kind::Casing, ScalarKind::Word(word)) => match word.as_str() {
            "Pascal" => return casing(options, Casing::Pascal),
            "Camel" => return casing(options, Casing::Camel),
            "Snake" => return casing(options, Casing::Snake),
            _ => "Pascal, Camel or Snake",
        },
        (Kind::Guard, ScalarKind::Word(word)) => match word.as_str() {
            "Drop" => return guard(options, TableGuard::Drop),
            "Report" => return guard(options, TableGuard::Report),
            _ => "Drop or Report",
        },
        (Kind::Casing | Kind::Guard, _) => return wrong_kind("a word"),
        (Kind::Count(apply), ScalarKind::Number(number)) => match whole(*number, 1) {
            Some(count) => {
                apply(options, count);
                return true;
            }
            None => "a whole number of at least 1",
        },
        (Kind::CountTo(most, apply), ScalarKind::Number(number)) => match whole(*number, 1) {
            Some(count) if count <= *most => {
                apply(options, count);
                return true;
            }
            _ => "a whole number from 1 to 127",
        },
        (Kind::CountOrZero(apply), ScalarKind::Number(number)) => match whole(*number, 0) {
            Some(count) => {
                apply(options, count);
                return true;
            }
            None => "a whole number of at least 0",
        },
        (Kind::Seconds(apply), ScalarKind::Number(number)) if *number > 0.0 && number.is_finite() => {
            apply(options, *number);
            return true;
        }
        (Kind::Seconds(_), ScalarKind::Number(_)) => "a finite number above 0",
        (Kind::Count(_) | Kind::CountTo(..) | Kind::CountOrZero(_) | Kind::Seconds(_), _) => {
            return wrong_kind("a number");
        }
    };
    sink.push(say::option_value(value.span, name, takes, nearest_value(&value.kind, kind)));
    false
}

const CASINGS: &[&str] = &["Pascal", "Camel", "Snake"];
const GUARDS: &[&str] = &["Drop", "Report"];
const READERS: &[&str] = &["Auto", "Bits", "Rows"];

/// A value of the wrong kind of token in the kind an option takes, when that says the same.
fn in_kind(value: &ScalarKind, kind: &Kind) -> Option<String> {
    let text = match value {
        ScalarKind::Word(text) | ScalarKind::String(text) => text.as_str(),
        ScalarKind::Boolean(true) => "true",
        ScalarKind::Boolean(false) => "false",
        ScalarKind::Number(_) => return None,
    };
    match kind {
        Kind::Boolean(_) | Kind::Idle => suggest::nearest(text, ["true", "false"])
            .or((text == "true").then_some("true"))
            .or((text == "false").then_some("false"))
            .map(str::to_string),
        Kind::Casing => CASINGS
            .iter()
            .find(|casing| casing.eq_ignore_ascii_case(text))
            .map(|casing| (*casing).to_string()),
        Kind::Guard => {
            GUARDS.iter().find(|guard| guard.eq_ignore_ascii_case(text)).map(|guard| (*guard).to_string())
        }
        Kind::Reader => READERS
            .iter()
            .find(|reader| reader.eq_ignore_ascii_case(text))
            .map(|reader| format!("\"{reader}\"")),
        Kind::Text(_) | Kind::Folder(_) => (!text.is_empty()).then(|| format!("\"{text}\"")),
        Kind::Count(_) | Kind::CountTo(..) | Kind::CountOrZero(_) | Kind::Seconds(_) => {
            let digits = !text.is_empty() && text.chars().all(|char| char.is_ascii_digit());
            digits.then(|| text.to_string())
        }
    }
}

/// The value an option takes that is nearest to one it does not.
fn nearest_value(value: &ScalarKind, kind: &Kind) -> Option<String> {
    match (kind, value) {
        (Kind::Casing, ScalarKind::Word(word)) => {
            suggest::nearest(word, CASINGS.iter().copied()).map(str::to_string)
        }
        (Kind::Guard, ScalarKind::Word(word)) => {
            suggest::nearest(word, GUARDS.iter().copied()).map(str::to_string)
        }
        (Kind::Reader, ScalarKind::String(text)) => {
            suggest::nearest(text, READERS.iter().copied()).map(|reader| format!("\"{reader}\""))
        }
        (Kind::Count(_), ScalarKind::Number(number)) if number.is_finite() => {
            Some(format!("{}", number.round().clamp(1.0, f64::from(u32::MAX))))
        }
        (Kind::CountTo(most, _), ScalarKind::Number(number)) if number.is_finite() => {
            Some(format!("{}", number.round().clamp(1.0, f64::from(*most))))
        }
        (Kind::CountOrZero(_), ScalarKind::Number(number)) if number.is_finite() => {
            Some(format!("{}", number.round().clamp(0.0, f64::from(u32::MAX))))
        }
        _ => None,
    }
}

fn reader(options: &mut Options, reader: PackedBooleanReader) -> bool {
    options.packed_boolean_reader = reader;
    true
}

fn guard(options: &mut Options, guard: TableGuard) -> bool {
    options.table_guard = guard;
    true
}

fn casing(options: &mut Options, casing: Casing) -> bool {
    options.casing = casing;
    true
}

/// The number as a count of at least `least`. One past 32 bits says "no limit", and is held to the greatest there is.
fn whole(number: f64, least: u32) -> Option<u32> {
    (number.fract() == 0.0 && number >= f64::from(least)).then_some(number.min(f64::from(u32::MAX)) as u32)
}

/// Fills in the defaults that follow other options, and checks the options against one another.
fn derive(entry: &mut EntryOptions, sink: &mut Vec<Diagnostic>) {
    let (options, spans) = (&mut entry.options, &entry.spans);
    if !spans.contains_key("InboundBytesPerSecond") {
        options.inbound_bytes_per_second = options.max_packet_size.saturating_mul(8);
    }
    if options.session && !spans.contains_key("SoftMessageSize") {
        options.soft_message_size = Some((options.max_packet_size / 2).max(1));
    }
    let least = options.max_packet_size.max(MIN_BURST);
    match spans.get("InboundBurst") {
        Some(burst) if options.inbound_burst < least => {
            sink.push(say::small_burst(*burst, least, spans.get("MaxPacketSize").copied()));
        }
        Some(_) => {}
        None => options.inbound_burst = options.inbound_bytes_per_second.max(least),
    }
    if options.outbound_burst.is_none() {
        options.outbound_burst = options.outbound_bytes_per_second;
    }
}

fn unknown(span: Span, name: &str) -> Diagnostic {
    let names: Vec<&str> = OPTIONS.iter().map(|(name, _)| *name).filter(|name| *name != "UseColon").collect();
    say::unknown_option(span, name, suggest::nearest(name, names.iter().copied()), &names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Options, Vec<String>) {
        let parsed = crate::syntax::parse(crate::source::FileId(0), text);
        let mut sink = parsed.diagnostics;
        let entry = read(&parsed.document.options, Profile::Release, &mut sink);
        (entry.options, sink.iter().map(Diagnostic::code_text).collect())
    }

    #[test]
    fn defaults_follow_the_value_in_force() {
        let (options, found) = read_text("option MaxPacketSize = 4096");
        assert!(found.is_empty());
        assert_eq!((options.inbound_bytes_per_second, options.inbound_burst), (32_768, 32_768));
        assert_eq!(read_text("").0, Options::default());
    }

    #[test]
    fn values_of_the_wrong_kind_or_size_are_refused() {
        let check = |text: &str, code: &str| assert_eq!(read_text(text).1, [code], "{text}");
        check("option Casing = \"Camel\"", "E2002");
        check("option Casing = Kebab", "E2003");
        check("option RemotesFolder = \"\"", "E2003");
        check("option MaxPacketSize = 0.5", "E2003");
        check("option MaxPacketSize = 0", "E2003");
        check("option InboundBurst = 127\noption MaxPacketSize = 1", "E2003");
        check("option Colour = true", "E2003");
        check("option UseColon = true", "W3017");
        check("option Predict = true\noption Predict = false", "E3024");
        check("@profile(\"dev\") option Predict = true\noption Predict = false", "E3024");
        assert!(read_text("option MaxInstancesPerPacket = 0").1.is_empty());
        assert!(
            read_text("@profile(\"dev\") option Predict = true\n@profile(\"test\") option Predict = false")
                .1
                .is_empty()
        );
    }
}
