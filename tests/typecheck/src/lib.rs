//! A checker that knows the part of Roblox which generated modules use.

use full_moon::ast::luau::TypeInfo;
use full_moon::visitors::Visitor;
use luau_analyze::Checker;

/// Checks `source` in strict mode and gives what is wrong with it, a line each: `line: message`, lines from 1.
pub fn errors(source: &str) -> Vec<String> {
    errors_knowing("", source)
}

/// The same, with more definitions than those of what generated modules use.
pub fn errors_knowing(definitions: &str, source: &str) -> Vec<String> {
    let mut checker = Checker::new().expect("the checker starts");
    checker.add_definitions(include_str!("../roblox.d.luau")).expect("our definitions are right");
    if !definitions.is_empty() {
        checker.add_definitions(definitions).expect("further definitions are right");
    }
    let result = checker.check(&without_requires(&without_enum_paths(source))).expect("the checker runs");
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

/// The engine makes `Enum` a module of types, which no definitions file can: `Enum.Material` as a type becomes
/// `EnumMaterial`.
fn without_enum_paths(source: &str) -> String {
    struct Paths(Vec<usize>);

    impl Visitor for Paths {
        fn visit_type_info(&mut self, node: &TypeInfo) {
            if let TypeInfo::Module { module, punctuation, .. } = node
                && module.token().to_string() == "Enum"
            {
                self.0.push(punctuation.token().start_position().bytes());
            }
        }
    }

    let tree = full_moon::parse(source).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"));
    let mut paths = Paths(Vec::new());
    paths.visit_ast(&tree);
    paths.0.sort_unstable();
    let mut text = source.to_owned();
    for dot in paths.0.into_iter().rev() {
        text.remove(dot);
    }
    text
}

/// The checker sees one file: what it requires is of any type.
fn without_requires(source: &str) -> String {
    let mut text = source.to_owned();
    while let Some(start) = text.find("require(") {
        let open = start + "require".len();
        let mut depth = 0;
        let end = text[open..].find(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        let end = open + end.expect("a call has an end");
        text.replace_range(start..=end, "(nil :: any)");
    }
    text
}
