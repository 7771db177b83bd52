//! What every part of one world shares: its settings, the root of its randomness, the names of its sides, and the
//! log and diagnostics they write to.
//!
//! Never reads the machine: seeds and settings come in from outside, time from [`crate::clock`].

mod explain;
mod files;
mod http;
mod random;
mod settings;
pub mod words;

use std::fmt;

pub use files::{digest, in_words, read_script, replace};
pub use http::{HttpAnswers, HttpRequest, HttpResponse};
pub use random::{Random, Seed};
pub use settings::{
    CompressEstimate, JoinOrder, RateLimitMode, RemoteKeys, ReplicationOrder, RunContext, Settings,
    SignalMode, SignalOrder, SpecSide,
};

use crate::clock::Time;

/// A side of the world: the server, or a client by its index (in order of joining, from 0; never used again).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The server.
    Server,
    /// The client of this index.
    Client(u32),
}

impl Side {
    /// Whether this is the server.
    pub fn is_server(self) -> bool {
        self == Side::Server
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Side::Server => f.write_str("server"),
            Side::Client(index) => write!(f, "client {}", index + 1),
        }
    }
}

/// How serious a log line is, as the engine's output window shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// `print`.
    Output,
    /// Engine notes.
    Info,
    /// `warn` and engine warnings.
    Warning,
    /// Uncaught errors.
    Error,
}

impl LogLevel {
    /// The level's name in traces and reports.
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Output => "output",
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        }
    }
}

/// One line of a side's output.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// When it was written.
    pub at: Time,
    /// Who wrote it.
    pub side: Side,
    /// How serious it is.
    pub level: LogLevel,
    /// The text, without a position.
    pub text: String,
    /// Full name of the script it comes from, where known.
    pub script: Option<String>,
    /// The stack of an error, where known.
    pub stack: Option<String>,
}

/// What a diagnostic is about. Source: emulator requirements, 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiagnosticCode {
    /// A remote argument lost keys.
    Mixed,
    /// A key was turned into a string.
    Keys,
    /// A function, thread or userdata argument became nil.
    Func,
    /// An Instance arrived as nil.
    NilInst,
    /// A queue overflowed before anyone listened.
    Queue,
    /// An unreliable payload was over the limit.
    Unrel,
    /// A client fired faster than the limit.
    Rate,
    /// A player who left was fired to.
    Gone,
    /// Players were there before `PlayerAdded` was connected.
    LateJoin,
    /// A send's order came from an unstable iteration.
    Order,
    /// The outcome depends on the replication order.
    Race,
    /// The re-entrancy limit was met.
    Depth,
    /// Something has been waiting long.
    Yield,
    /// A member is not emulated.
    Unemu,
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiagnosticClass {
    /// Very likely a bug; fails a strict test.
    Misuse,
    /// Rests on behaviour nobody documented.
    Portability,
    /// Worth knowing.
    Info,
}

impl DiagnosticClass {
    /// The class as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            DiagnosticClass::Misuse => "misuse",
            DiagnosticClass::Portability => "portability",
            DiagnosticClass::Info => "info",
        }
    }
}

impl DiagnosticCode {
    /// Every code.
    pub const ALL: &'static [DiagnosticCode] = &[
        DiagnosticCode::Mixed,
        DiagnosticCode::Keys,
        DiagnosticCode::Func,
        DiagnosticCode::NilInst,
        DiagnosticCode::Queue,
        DiagnosticCode::Unrel,
        DiagnosticCode::Rate,
        DiagnosticCode::Gone,
        DiagnosticCode::LateJoin,
        DiagnosticCode::Order,
        DiagnosticCode::Race,
        DiagnosticCode::Depth,
        DiagnosticCode::Yield,
        DiagnosticCode::Unemu,
    ];

    /// The code of a name, in any case.
    pub fn named(name: &str) -> Option<DiagnosticCode> {
        DiagnosticCode::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }

    /// The code as reports show it.
    pub fn name(self) -> &'static str {
        match self {
            DiagnosticCode::Mixed => "E-MIXED",
            DiagnosticCode::Keys => "E-KEYS",
            DiagnosticCode::Func => "E-FUNC",
            DiagnosticCode::NilInst => "E-NILINST",
            DiagnosticCode::Queue => "E-QUEUE",
            DiagnosticCode::Unrel => "E-UNREL",
            DiagnosticCode::Rate => "E-RATE",
            DiagnosticCode::Gone => "E-GONE",
            DiagnosticCode::LateJoin => "E-LATEJOIN",
            DiagnosticCode::Order => "E-ORDER",
            DiagnosticCode::Race => "E-RACE",
            DiagnosticCode::Depth => "E-DEPTH",
            DiagnosticCode::Yield => "E-YIELD",
            DiagnosticCode::Unemu => "E-UNEMU",
        }
    }

    /// The code's class.
    pub fn class(self) -> DiagnosticClass {
        match self {
            DiagnosticCode::Mixed
            | DiagnosticCode::Func
            | DiagnosticCode::NilInst
            | DiagnosticCode::Queue
            | DiagnosticCode::Unrel
            | DiagnosticCode::Rate
            | DiagnosticCode::Gone
            | DiagnosticCode::Depth => DiagnosticClass::Misuse,
            DiagnosticCode::Keys
            | DiagnosticCode::LateJoin
            | DiagnosticCode::Order
            | DiagnosticCode::Race => DiagnosticClass::Portability,
            DiagnosticCode::Yield | DiagnosticCode::Unemu => DiagnosticClass::Info,
        }
    }
}

/// Something a run did that deserves a second look.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// When.
    pub at: Time,
    /// On which side.
    pub side: Side,
    /// What about.
    pub code: DiagnosticCode,
    /// What happened, where and what to do, for people.
    pub text: String,
    /// Full name of the script, where known.
    pub script: Option<String>,
    /// Its line, where known.
    pub line: Option<u32>,
}
