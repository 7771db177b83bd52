//! What each setting of a world and each diagnostic means, in a sentence, for the book.

use super::DiagnosticCode;

/// What a setting does, and the values it takes where they are a list.
pub fn setting(name: &str) -> Option<(&'static str, &'static str)> {
    const SWITCH: &str = "`true`, `false`";
    const NUMBER: &str = "a number from 0";
    const SECONDS: &str = "a number above 0";
    const COUNT: &str = "a whole number from 0";
    const SIZE: &str = "bytes, or `64MiB`, from `1MiB`";
    Some(match name {
        "signals" => {
            ("`immediate`, `deferred`", "When handlers of signals run: inside the call that fires, or later.")
        }
        "signalOrder" => ("`newest`, `oldest`, `shuffled`", "Which of a signal's handlers runs first."),
        "waitImmediate" => (SWITCH, "Whether `signal:Wait()` resumes at once under deferred signals."),
        "reentrancyDepth" => (COUNT, "How deep deferred handlers may fire each other."),
        "deferredLimit" => (COUNT, "Handlers that may be queued at one resumption point."),
        "remoteQueueLimit" => (COUNT, "Calls a remote keeps while nobody listens; later ones are lost."),
        "unreliableLimit" => (COUNT, "Most bytes of an unreliable message; a larger one is dropped."),
        "rateLimit" => (NUMBER, "Calls a second a client may make on remote events."),
        "rateLimitMode" => ("`off`, `warn`, `delay`, `drop`", "What becomes of calls above it."),
        "replicationOrder" => (
            "`together`, `remotesLate`, `remotesEarly`, `shuffled`",
            "How changes of instances and remote calls of one frame are ordered.",
        ),
        "joinOrder" => ("`tree`, `shuffle`", "In which order a joining client meets the instances."),
        "remoteKeys" => {
            ("`convert`, `error`", "Whether keys that are no strings become strings, or raise an error.")
        }
        "cframeQuantise" => (SWITCH, "Whether the turn of a CFrame loses precision in a remote call."),
        "characters" => (SWITCH, "Whether players get a stand-in for a character."),
        "context" => ("`live`, `studio`, `luauExecution`", "What `RunService` says the place runs in."),
        "runScripts" => (SWITCH, "Whether the project's scripts start by themselves."),
        "specSide" => {
            ("`server`, `client`", "The side that specs inside the project run on, where nothing else says.")
        }
        "strictParallel" => (SWITCH, "Whether unsafe access in a parallel phase is an error."),
        "waitForChildRename" => (SWITCH, "Whether a rename satisfies `WaitForChild`."),
        "memoryLimit" => (SIZE, "Most memory of the server."),
        "clientMemoryLimit" => (SIZE, "Most memory of a client."),
        "hostMemoryLimit" => {
            (SIZE, "Most memory that scripts may fill outside of their own: instances, calls, stored values.")
        }
        "timeoutSeconds" => (SECONDS, "Seconds of silence after which a player is removed."),
        "syncInterval" => (SECONDS, "Seconds between two measurements of server time by a client."),
        "compressEstimate" => {
            ("`none`, `zstd`", "Whether sizes of messages count buffers raw or compressed.")
        }
        "shuffle" => (SWITCH, "Whether orders that Roblox leaves open are drawn."),
        "scriptTimeout" => (NUMBER, "Real seconds one resumption of a script may take; 0 for no limit."),
        "scheduleSeed" => (COUNT, "Draws the open orders; other draws stay as they are."),
        "internals" => (SWITCH, "Whether code may use what only the engine's own test runner can."),
        "maxPlayers" => ("a whole number from 1", "`Players.MaxPlayers`."),
        _ => return None,
    })
}

/// What a diagnostic of the emulator says, and what to do about it.
pub fn code(code: DiagnosticCode) -> (&'static str, &'static str) {
    match code {
        DiagnosticCode::Mixed => (
            "A table sent through a remote has both a list and other keys, or a gap: some keys do not arrive.",
            "Send a list or a dictionary.",
        ),
        DiagnosticCode::Keys => (
            "A key of a sent table was no string and became one.",
            "Use strings as keys, or a list of pairs.",
        ),
        DiagnosticCode::Func => {
            ("A function, a thread or a userdata was sent: it arrives as nil.", "Send plain data.")
        }
        DiagnosticCode::NilInst => (
            "An Instance arrived as nil: it is where clients cannot see it, not replicated yet, or destroyed.",
            "Put it where both sides have it, or send a name.",
        ),
        DiagnosticCode::Queue => {
            ("A remote was called so often before anybody listened that calls were lost.", "Connect earlier.")
        }
        DiagnosticCode::Unrel => (
            "An unreliable message was over the limit and was dropped.",
            "Bound it, split it or send it reliably.",
        ),
        DiagnosticCode::Rate => ("A client calls remotes faster than Roblox allows.", "Send less, or batch."),
        DiagnosticCode::Gone => {
            ("A remote was fired to a player who has left.", "Forget players in `PlayerRemoving`.")
        }
        DiagnosticCode::LateJoin => (
            "`PlayerAdded` was connected when players were there already, and `GetPlayers` was not read.",
            "Run the handler for `Players:GetPlayers()` as well.",
        ),
        DiagnosticCode::Order => (
            "The order of sends came from a table whose order changes from run to run.",
            "Sort the keys, or keep a list.",
        ),
        DiagnosticCode::Race => (
            "The outcome is another one when instances and remote calls arrive in another order.",
            "Wait for the instance, or send what the handler needs.",
        ),
        DiagnosticCode::Depth => {
            ("Handlers fired each other deeper than Roblox allows.", "Break the ring with `task.defer`.")
        }
        DiagnosticCode::Yield => (
            "`WaitForChild` has waited 5 seconds, or a call 10.",
            "See whether what it waits for ever comes.",
        ),
        DiagnosticCode::Unemu => (
            "Something used is not emulated and does nothing by itself.",
            "Stub it, or fire it from the spec.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::Settings;

    #[test]
    fn every_setting_is_described() {
        for (name, value) in Settings::default().entries() {
            let (values, _) = setting(&name).unwrap_or_else(|| panic!("{name} is not described"));
            // Listed values are those the setting takes, and the usual one is among them.
            let listed: Vec<&str> = values.split('`').skip(1).step_by(2).collect();
            if values.starts_with('`') {
                assert!(listed.contains(&value.as_str()), "{name}: {value}");
                for one in listed {
                    assert!(Settings::default().set(&name, one).is_ok(), "{name}: {one}");
                }
            }
        }
        assert!(setting("speed").is_none());
    }
}
