//! The golden modules pass the type checker.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::Path;

#[test]
fn golden_modules_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let mut cases: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let mut failed = String::new();
    for case in cases {
        for file in ["Server.luau", "Client.luau", "Types.luau"] {
            let Ok(text) = std::fs::read_to_string(case.join(file)) else { continue };
            // The checker outside Roblox has no types of the form `Enum.Name`.
            let text = text.replace(": Enum.", ": Enum");
            for error in blinkblox_typecheck::errors(&text) {
                // Libraries of futures and promises are the game's own.
                if error.contains("Unknown require") || error.contains("Key 'Packages'") {
                    continue;
                }
                let line = error.split(':').next().and_then(|line| line.parse::<usize>().ok()).unwrap_or(1);
                let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
                failed +=
                    &format!("{}/{file}:{error}\n    {shown}\n", case.file_name().unwrap().to_string_lossy());
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
