//! The settings of a world, by the names and with the defaults of the emulator's requirements, 6.9.

use std::fmt;

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

/// A side that specs can run inside of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpecSide {
    /// The server.
    #[default]
    Server,
    /// A client.
    Client,
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
    /// Whether scripts start by themselves; never under [`RunContext::LuauExecution`].
    pub run_scripts: bool,
    /// The side that specs of the tree run on where neither name nor container says.
    pub spec_side: SpecSide,
    /// Whether unsafe access in a parallel phase is an error.
    pub strict_parallel: bool,
    /// Whether a rename satisfies `WaitForChild`.
    pub wait_for_child_rename: bool,
    /// Most bytes of one server VM.
    pub memory_limit: usize,
    /// Most bytes of one client VM.
    pub client_memory_limit: usize,
    /// Most bytes outside of VMs: instances, calls on their way, stored values, output.
    pub host_memory_limit: usize,
    /// Silence after which a player is removed, in seconds.
    pub timeout_seconds: f64,
    /// Time between two measurements of server time by a client, in seconds.
    pub sync_interval: f64,
    /// How buffers count.
    pub compress_estimate: CompressEstimate,
    /// Whether script start order and other free orders are shuffled.
    pub shuffle: bool,
    /// Real seconds one resumption of a script may take before it is stopped; 0 for no limit.
    pub script_timeout: f64,
    /// Draws the orders that are free under `shuffle` and the shuffled settings; the world's other draws stay.
    pub schedule_seed: u64,
    /// Whether code may use what only the engine's own test runner can: `debug.loadmodule` and its services.
    pub internals: bool,
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
            run_scripts: true,
            spec_side: SpecSide::default(),
            strict_parallel: true,
            wait_for_child_rename: true,
            memory_limit: 256 << 20,
            client_memory_limit: 256 << 20,
            host_memory_limit: 2 << 30,
            timeout_seconds: 30.0,
            sync_interval: 1.0,
            compress_estimate: CompressEstimate::default(),
            shuffle: false,
            script_timeout: 10.0,
            schedule_seed: 0,
            internals: false,
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
        // What compares with nothing and what has no end are no lengths of anything.
        let number = |is_fit: fn(f64) -> bool, wanted: &str| {
            let read = value.parse::<f64>().ok().filter(|number| number.is_finite() && is_fit(*number));
            read.ok_or_else(|| bad(wanted))
        };
        let seconds = || number(|seconds| seconds > 0.0, "a number of seconds above 0");
        let count = || value.parse::<usize>().map_err(|_| bad("a whole number from 0"));
        let size = || {
            let read = bytes(value).filter(|size| *size >= LEAST_MEMORY);
            read.ok_or_else(|| bad("a size from 1MiB, such as 64MiB"))
        };
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
            "reentrancyDepth" => {
                self.reentrancy_depth = value.parse().map_err(|_| bad("a whole number from 0"))?
            }
            "deferredLimit" => self.deferred_limit = count()?,
            "remoteQueueLimit" => self.remote_queue_limit = count()?,
            "unreliableLimit" => self.unreliable_limit = count()?,
            "rateLimit" => self.rate_limit = number(|rate| rate >= 0.0, "a number from 0")?,
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
            "runScripts" => self.run_scripts = switch()?,
            "specSide" => {
                self.spec_side = match value {
                    "server" => SpecSide::Server,
                    "client" => SpecSide::Client,
                    _ => return Err(bad("server or client")),
                }
            }
            "strictParallel" => self.strict_parallel = switch()?,
            "waitForChildRename" => self.wait_for_child_rename = switch()?,
            "memoryLimit" => self.memory_limit = size()?,
            "clientMemoryLimit" => self.client_memory_limit = size()?,
            "hostMemoryLimit" => self.host_memory_limit = size()?,
            "timeoutSeconds" => self.timeout_seconds = seconds()?,
            "syncInterval" => self.sync_interval = seconds()?,
            "compressEstimate" => {
                self.compress_estimate = match value {
                    "none" => CompressEstimate::None,
                    "zstd" => CompressEstimate::Zstd,
                    _ => return Err(bad("none or zstd")),
                }
            }
            "shuffle" => self.shuffle = switch()?,
            "scriptTimeout" => {
                let wanted = "a number of seconds from 0, which is no limit";
                self.script_timeout = number(|seconds| seconds >= 0.0, wanted)?;
            }
            "scheduleSeed" => self.schedule_seed = value.parse().map_err(|_| bad("a whole number from 0"))?,
            "internals" => self.internals = switch()?,
            "maxPlayers" => {
                let read = value.parse().ok().filter(|most| *most > 0);
                self.max_players = read.ok_or_else(|| bad("a whole number from 1"))?;
            }
            // One value is all there is so far; naming it is no error.
            "timezone" if value == "UTC" => {}
            "hostIterationOrder" if value == "stable" => {}
            _ => {
                let known: Vec<String> =
                    Settings::default().entries().into_iter().map(|entry| entry.0).collect();
                return Err(format!("there is no setting {key}; there are {}", known.join(", ")));
            }
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
            ("runScripts", self.run_scripts.to_string()),
            ("specSide", word(&self.spec_side)),
            ("strictParallel", self.strict_parallel.to_string()),
            ("waitForChildRename", self.wait_for_child_rename.to_string()),
            ("memoryLimit", self.memory_limit.to_string()),
            ("clientMemoryLimit", self.client_memory_limit.to_string()),
            ("hostMemoryLimit", self.host_memory_limit.to_string()),
            ("timeoutSeconds", self.timeout_seconds.to_string()),
            ("syncInterval", self.sync_interval.to_string()),
            ("compressEstimate", word(&self.compress_estimate)),
            ("shuffle", self.shuffle.to_string()),
            ("scriptTimeout", self.script_timeout.to_string()),
            ("scheduleSeed", self.schedule_seed.to_string()),
            ("internals", self.internals.to_string()),
            ("maxPlayers", self.max_players.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// Fewest bytes a limit of memory may have: with less no side could start.
const LEAST_MEMORY: usize = 1 << 20;

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

#[cfg(test)]
mod tests {
    use super::*;

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
        for (key, values, wanted) in [
            ("timeoutSeconds", &["-5", "0", "nan", "inf", ""][..], "a number of seconds above 0"),
            ("syncInterval", &["0", "-1", "nan", "-inf"], "a number of seconds above 0"),
            ("scriptTimeout", &["-1", "nan", "inf"], "a number of seconds from 0, which is no limit"),
            ("rateLimit", &["-1", "nan", "inf", "many"], "a number from 0"),
            (
                "memoryLimit",
                &["0", "1KiB", "-1", "64MB", "99999999999GiB"],
                "a size from 1MiB, such as 64MiB",
            ),
            ("clientMemoryLimit", &["0"], "a size from 1MiB"),
            ("hostMemoryLimit", &["0"], "a size from 1MiB"),
            ("maxPlayers", &["0", "-1", "1.5", "5000000000"], "a whole number from 1"),
            ("reentrancyDepth", &["-1", "1.5"], "a whole number from 0"),
            ("deferredLimit", &["-1", "1e3"], "a whole number from 0"),
            ("remoteQueueLimit", &["-1"], "a whole number from 0"),
            ("unreliableLimit", &["-1"], "a whole number from 0"),
            ("scheduleSeed", &["-1"], "a whole number from 0"),
        ] {
            for value in values {
                let told = settings.set(key, value).expect_err("no value of it");
                assert!(told.starts_with(&format!("setting {key}: \"{value}\" is not {wanted}")), "{told}");
            }
        }
        settings.set("scriptTimeout", "0").expect("no limit");
        assert!(settings.set("speed", "3").expect_err("unknown").contains("no setting speed"));
        assert!(
            settings.set("rateLimitMode", "never").expect_err("bad").contains("off, warn, delay or drop")
        );
    }
}
