//! A checker that knows the part of Roblox which generated modules use.

use luau_analyze::Checker;

/// Checks `source` in strict mode and gives what is wrong with it, a line each: `line: message`, lines from 1.
pub fn errors(source: &str) -> Vec<String> {
    let mut checker = Checker::new().unwrap();
    checker.add_definitions(include_str!("../../roblox.d.luau")).unwrap();
    let result = checker.check(source).unwrap();
    assert!(!result.timed_out, "the checker gave up");
    result.errors().iter().map(|error| format!("{}: {}", error.line + 1, error.message)).collect()
}

/// Fails, showing each error with the line it is in, unless `source` passes the checker.
#[track_caller]
pub fn assert_checks(name: &str, source: &str) {
    let found = errors(source);
    if found.is_empty() {
        return;
    }
    let shown: Vec<String> = found
        .iter()
        .map(|error| {
            let line = error.split(':').next().and_then(|line| line.parse::<usize>().ok());
            let text = line.and_then(|line| source.lines().nth(line - 1)).unwrap_or_default();
            format!("{error}\n    {}", text.trim())
        })
        .collect();
    panic!("{name} does not pass the type checker:\n{}", shown.join("\n"));
}
