//! What every part of one world shares: its settings, the root of its randomness, the names of its sides, and the
//! log and diagnostics they write to.
//!
//! Never reads the machine: seeds and settings come in from outside, time from [`crate::clock`].

use std::fmt;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

use crate::clock::Time;

/// How signals run their handlers. Source: Roblox behaviour, 3.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignalMode {
    /// Inside the call that fires.
    Immediate,
    /// At the next resumption point.
    #[default]
    Deferred,
}

/// Which of several handlers runs first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignalOrder {
    /// The one connected last.
    #[default]
    Newest,
    /// The one connected first.
    Oldest,
    /// Drawn anew for each fire.
    Shuffled,
}

/// What a client's fires above the rate limit become. Source: Roblox behaviour, 5.2.8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateLimitMode {
    /// Nothing is counted.
    Off,
    /// They pass, with a diagnostic.
    #[default]
    Warn,
    /// They leave when the limit allows.
    Delay,
    /// They are dropped.
    Drop,
}

/// How changes of instances and remote calls of one frame are ordered. Source: Roblox behaviour, 5.4.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplicationOrder {
    /// One stream, in program order.
    #[default]
    Together,
    /// A frame's changes first, then its remote calls.
    RemotesLate,
    /// A frame's remote calls first, then its changes.
    RemotesEarly,
    /// The two are merged in a drawn order, each keeping its own.
    Shuffled,
}

/// In which order a joining client meets the tree. Source: Roblox behaviour, 6.5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JoinOrder {
    /// Depth first, children in order.
    #[default]
    Tree,
    /// Any order in which parents come before their children.
    Shuffle,
}

/// What becomes of a table key that is no string, in a dictionary sent through a remote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoteKeys {
    /// It becomes a string.
    #[default]
    Convert,
    /// The call raises an error.
    Error,
}

/// Whether remotes' sizes count buffers as they are, or as the wire would carry them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompressEstimate {
    /// Raw sizes.
    #[default]
    None,
    /// An estimate of a compressed size.
    Zstd,
}

/// Which rows of the `Is*` table of `RunService` hold. Source: Roblox behaviour, 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunContext {
    /// A live server and its clients.
    #[default]
    Live,
    /// Play mode in Studio.
    Studio,
    /// A script run in the cloud: `IsRunning` is false and no script starts by itself.
    LuauExecution,
}

/// The settings of a world. Source: emulator requirements, 6.9; each default is the one given there.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Signal behaviour of every side.
    pub signals: SignalMode,
    /// Order of handlers.
    pub signal_order: SignalOrder,
    /// Whether `Wait()` resumes at once under deferred signals.
    pub wait_immediate: bool,
    /// Deepest nesting of deferred fires.
    pub reentrancy_depth: u32,
    /// Most invocations queued in one pass.
    pub deferred_limit: usize,
    /// Events kept for a remote nobody listens to yet.
    pub remote_queue_limit: usize,
    /// Largest payload of an unreliable event, in bytes.
    pub unreliable_limit: usize,
    /// Fires a second a client may make, for each of the two event classes.
    pub rate_limit: f64,
    /// What happens above it.
    pub rate_limit_mode: RateLimitMode,
    /// Order of instance changes against remote calls.
    pub replication_order: ReplicationOrder,
    /// Order of a joining client's first tree.
    pub join_order: JoinOrder,
    /// Non-string keys of dictionaries in remote arguments.
    pub remote_keys: RemoteKeys,
    /// Whether a CFrame's rotation loses precision on the wire.
    pub cframe_quantise: bool,
    /// Whether players get a dummy character.
    pub characters: bool,
    /// Row of the `Is*` table.
    pub context: RunContext,
    /// Whether unsafe access in a parallel phase is an error.
    pub strict_parallel: bool,
    /// Whether a rename satisfies `WaitForChild`.
    pub wait_for_child_rename: bool,
    /// Most bytes of one server VM.
    pub memory_limit: usize,
    /// Most bytes of one client VM.
    pub client_memory_limit: usize,
    /// Silence after which a player is removed, in seconds.
    pub timeout_seconds: f64,
    /// Time between two measurements of server time by a client, in seconds.
    pub sync_interval: f64,
    /// How buffers count.
    pub compress_estimate: CompressEstimate,
    /// Whether script start order and other free orders are shuffled.
    pub shuffle: bool,
    /// Most players of the server, as `Players.MaxPlayers` reads.
    pub max_players: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            signals: SignalMode::default(),
            signal_order: SignalOrder::default(),
            wait_immediate: false,
            reentrancy_depth: 10,
            deferred_limit: 100_000,
            remote_queue_limit: 256,
            unreliable_limit: 1000,
            rate_limit: 500.0,
            rate_limit_mode: RateLimitMode::default(),
            replication_order: ReplicationOrder::default(),
            join_order: JoinOrder::default(),
            remote_keys: RemoteKeys::default(),
            cframe_quantise: true,
            characters: false,
            context: RunContext::default(),
            strict_parallel: true,
            wait_for_child_rename: true,
            memory_limit: 256 << 20,
            client_memory_limit: 256 << 20,
            timeout_seconds: 30.0,
            sync_interval: 1.0,
            compress_estimate: CompressEstimate::default(),
            shuffle: false,
            max_players: 100,
        }
    }
}

impl Settings {
    /// Sets the setting called `key` (the camel-case name of the requirements) from text.
    ///
    /// Errors: the text of an unknown name or a value that does not fit, for people.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let bad = |wanted: &str| format!("setting {key}: \"{value}\" is not {wanted}");
        let number = || value.parse::<f64>().map_err(|_| bad("a number"));
        let count = || value.parse::<usize>().map_err(|_| bad("a whole number"));
        let switch = || match value {
            "true" | "on" | "yes" => Ok(true),
            "false" | "off" | "no" => Ok(false),
            _ => Err(bad("true or false")),
        };
        match key {
            "signals" => {
                self.signals = match value {
                    "immediate" => SignalMode::Immediate,
                    "deferred" => SignalMode::Deferred,
                    _ => return Err(bad("immediate or deferred")),
                }
            }
            "signalOrder" => {
                self.signal_order = match value {
                    "newest" => SignalOrder::Newest,
                    "oldest" => SignalOrder::Oldest,
                    "shuffled" => SignalOrder::Shuffled,
                    _ => return Err(bad("newest, oldest or shuffled")),
                }
            }
            "waitImmediate" => self.wait_immediate = switch()?,
            "reentrancyDepth" => self.reentrancy_depth = value.parse().map_err(|_| bad("a whole number"))?,
            "deferredLimit" => self.deferred_limit = count()?,
            "remoteQueueLimit" => self.remote_queue_limit = count()?,
            "unreliableLimit" => self.unreliable_limit = count()?,
            "rateLimit" => self.rate_limit = number()?,
            "rateLimitMode" => {
                self.rate_limit_mode = match value {
                    "off" => RateLimitMode::Off,
                    "warn" => RateLimitMode::Warn,
                    "delay" => RateLimitMode::Delay,
                    "drop" => RateLimitMode::Drop,
                    _ => return Err(bad("off, warn, delay or drop")),
                }
            }
            "replicationOrder" => {
                self.replication_order = match value {
                    "together" => ReplicationOrder::Together,
                    "remotesLate" => ReplicationOrder::RemotesLate,
                    "remotesEarly" => ReplicationOrder::RemotesEarly,
                    "shuffled" => ReplicationOrder::Shuffled,
                    _ => return Err(bad("together, remotesLate, remotesEarly or shuffled")),
                }
            }
            "joinOrder" => {
                self.join_order = match value {
                    "tree" => JoinOrder::Tree,
                    "shuffle" => JoinOrder::Shuffle,
                    _ => return Err(bad("tree or shuffle")),
                }
            }
            "remoteKeys" => {
                self.remote_keys = match value {
                    "convert" => RemoteKeys::Convert,
                    "error" => RemoteKeys::Error,
                    _ => return Err(bad("convert or error")),
                }
            }
            "cframeQuantise" => self.cframe_quantise = switch()?,
            "characters" => self.characters = switch()?,
            "studio" => self.context = if switch()? { RunContext::Studio } else { RunContext::Live },
            "context" => {
                self.context = match value {
                    "live" => RunContext::Live,
                    "studio" => RunContext::Studio,
                    "luauExecution" => RunContext::LuauExecution,
                    _ => return Err(bad("live, studio or luauExecution")),
                }
            }
            "strictParallel" => self.strict_parallel = switch()?,
            "waitForChildRename" => self.wait_for_child_rename = switch()?,
            "memoryLimit" => self.memory_limit = bytes(value).ok_or_else(|| bad("a size such as 64MiB"))?,
            "clientMemoryLimit" => {
                self.client_memory_limit = bytes(value).ok_or_else(|| bad("a size such as 64MiB"))?
            }
            "timeoutSeconds" => self.timeout_seconds = number()?,
            "syncInterval" => self.sync_interval = number()?,
            "compressEstimate" => {
                self.compress_estimate = match value {
                    "none" => CompressEstimate::None,
                    "zstd" => CompressEstimate::Zstd,
                    _ => return Err(bad("none or zstd")),
                }
            }
            "shuffle" => self.shuffle = switch()?,
            "maxPlayers" => self.max_players = value.parse().map_err(|_| bad("a whole number"))?,
            // One value is all there is so far; naming it is no error.
            "timezone" if value == "UTC" => {}
            "hostIterationOrder" if value == "stable" => {}
            _ => return Err(format!("there is no setting {key}; see the settings of a world in the manual")),
        }
        Ok(())
    }
}

impl Settings {
    /// All settings by name, as [`Settings::set`] reads them back.
    pub fn entries(&self) -> Vec<(String, String)> {
        let word = |value: &dyn fmt::Debug| {
            let name = format!("{value:?}");
            name[..1].to_lowercase() + &name[1..]
        };
        [
            ("signals", word(&self.signals)),
            ("signalOrder", word(&self.signal_order)),
            ("waitImmediate", self.wait_immediate.to_string()),
            ("reentrancyDepth", self.reentrancy_depth.to_string()),
            ("deferredLimit", self.deferred_limit.to_string()),
            ("remoteQueueLimit", self.remote_queue_limit.to_string()),
            ("unreliableLimit", self.unreliable_limit.to_string()),
            ("rateLimit", self.rate_limit.to_string()),
            ("rateLimitMode", word(&self.rate_limit_mode)),
            ("replicationOrder", word(&self.replication_order)),
            ("joinOrder", word(&self.join_order)),
            ("remoteKeys", word(&self.remote_keys)),
            ("cframeQuantise", self.cframe_quantise.to_string()),
            ("characters", self.characters.to_string()),
            ("context", word(&self.context)),
            ("strictParallel", self.strict_parallel.to_string()),
            ("waitForChildRename", self.wait_for_child_rename.to_string()),
            ("memoryLimit", self.memory_limit.to_string()),
            ("clientMemoryLimit", self.client_memory_limit.to_string()),
            ("timeoutSeconds", self.timeout_seconds.to_string()),
            ("syncInterval", self.sync_interval.to_string()),
            ("compressEstimate", word(&self.compress_estimate)),
            ("shuffle", self.shuffle.to_string()),
            ("maxPlayers", self.max_players.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

fn bytes(text: &str) -> Option<usize> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let scale = match &text[digits..] {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    text[..digits].parse::<usize>().ok()?.checked_mul(scale)
}

/// The root of all randomness of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// A generator for one purpose. Purposes are independent: a draw added to one shifts no other.
    pub fn random(self, purpose: &str) -> Random {
        Random(Pcg32::new(self.derive(purpose), fnv(purpose.as_bytes())))
    }

    /// A seed for a part of the world that splits its own randomness further.
    pub fn derive(self, purpose: &str) -> u64 {
        mix(self.0 ^ mix(fnv(purpose.as_bytes())))
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A seeded generator: the same numbers for the same seed and purpose, on every platform.
#[derive(Clone, Debug)]
pub struct Random(Pcg32);

impl Random {
    /// A generator from a bare number.
    pub fn from_seed(seed: u64) -> Random {
        Random(Pcg32::seed_from_u64(seed))
    }

    /// A whole number below 2^64.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`. Draws nothing for a `p` of 0 or less, or of 1 or more.
    pub fn chance(&mut self, p: f64) -> bool {
        if p <= 0.0 {
            return false;
        }
        p >= 1.0 || self.unit() < p
    }

    /// A whole number in 0..n; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// About a standard normal, between -6 and 6: a sum of twelve draws, so that it needs no platform's logarithm.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Puts `items` in a drawn order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

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

impl DiagnosticCode {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_independent_and_seeds_matter() {
        let draw = |seed: u64, purpose: &str| {
            let mut random = Seed(seed).random(purpose);
            [random.bits(), random.bits()]
        };
        assert_eq!(draw(1, "loss"), draw(1, "loss"));
        assert_ne!(draw(1, "loss"), draw(2, "loss"));
        assert_ne!(draw(1, "loss"), draw(1, "jitter"));
    }

    #[test]
    fn draws_have_the_shape_they_claim() {
        let mut random = Seed(7).random("test");
        let mean = (0..20_000).map(|_| random.unit()).sum::<f64>() / 20_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        let hits = (0..20_000).filter(|_| random.chance(0.2)).count();
        assert!((3_800..4_200).contains(&hits), "{hits}");
        let spread = (0..20_000).map(|_| random.normal().powi(2)).sum::<f64>() / 20_000.0;
        assert!((spread - 1.0).abs() < 0.05, "{spread}");
        assert!((0..1000).all(|_| random.below(3) < 3));
        let mut order: Vec<u32> = (0..50).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn settings_read_back_what_they_write() {
        let mut settings =
            Settings { context: RunContext::LuauExecution, rate_limit: 12.5, ..Settings::default() };
        settings.replication_order = ReplicationOrder::RemotesEarly;
        let mut again = Settings::default();
        for (name, value) in settings.entries() {
            again.set(&name, &value).expect("an own entry");
        }
        assert_eq!(again.entries(), settings.entries());
    }

    #[test]
    fn settings_are_set_by_name() {
        let mut settings = Settings::default();
        settings.set("unreliableLimit", "900").expect("known");
        settings.set("memoryLimit", "8MiB").expect("known");
        settings.set("studio", "true").expect("known");
        assert_eq!((settings.unreliable_limit, settings.memory_limit), (900, 8 << 20));
        assert_eq!(settings.context, RunContext::Studio);
        assert!(settings.set("speed", "3").expect_err("unknown").contains("no setting speed"));
        assert!(
            settings.set("rateLimitMode", "never").expect_err("bad").contains("off, warn, delay or drop")
        );
    }
}
