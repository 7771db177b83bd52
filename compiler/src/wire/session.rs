//! What a session says on its remotes (`luau-runtime`, `ServerSession`).

/// Why a connection ended; what travels is the place in this list.
pub const CAUSES: [&str; 13] = [
    "ConnectionLost",
    "ConnectionClosed",
    "ConnectionAttemptFailed",
    "ConnectionStopped",
    "NetProtoMismatch",
    "ServerFull",
    "KickGeneric",
    "KickInactivity",
    "KickAnticheat",
    "KickFriendlyFire",
    "KickVote",
    "Complaints",
    "ServerNotReady",
];

/// Causes a game may remove a player for.
pub fn kicks() -> &'static [&'static str] {
    &CAUSES[6..12]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_those_of_the_runtime() {
        let text = blinkblox_luau_runtime::module("SessionCauses").expect("there is such a module");
        for (code, cause) in CAUSES.iter().enumerate() {
            assert!(text.contains(&format!("\t{cause} = {code},\n")), "{cause}");
        }
        assert_eq!(kicks().first(), Some(&"KickGeneric"));
        assert_eq!(kicks().last(), Some(&"Complaints"));
    }
}
