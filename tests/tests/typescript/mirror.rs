//! A declaration names the members its module has, no more and no fewer: modules are loaded and looked into.

use std::collections::BTreeSet;

use mlua::{Function, Lua, Table, Value};

use crate::cases;

/// Members that are tables of values and not of members.
const VALUES: [&str; 6] = ["Remotes", "remotes", "Limits", "limits", "Session.Causes", "session.causes"];

#[test]
fn declarations_have_the_members_of_their_modules() {
    let mut compared = 0;
    // A case of the corpus may have thousands of members; goldens have every kind.
    for case in cases().into_iter().filter(|case| !case.name.starts_with("corpus")) {
        let outputs = case.compile();
        let declarations = outputs.declarations.unwrap();
        let files = [
            ("server", Some(outputs.server), Some(declarations.server)),
            ("client", Some(outputs.client), Some(declarations.client)),
            ("types", outputs.types, declarations.types),
        ];
        for (side, module, declaration) in files {
            let (Some(module), Some(declaration)) = (module, declaration) else { continue };
            let (has, says) = (of_module(side, &module), of_declaration(&declaration));
            let unsaid: Vec<_> = has.difference(&says).collect();
            let absent: Vec<_> = says.difference(&has).collect();
            assert!(
                unsaid.is_empty() && absent.is_empty(),
                "{}, {side}: only in the module {unsaid:?}, only in the declaration {absent:?}",
                case.name
            );
            compared += has.len();
        }
    }
    assert!(compared > 400, "only {compared} members");
}

/// Paths of a module's members.
fn of_module(side: &str, text: &str) -> BTreeSet<String> {
    let lua = Lua::new();
    let host: Function = lua.load(include_str!("../agreement/host.luau")).set_name("=host").eval().unwrap();
    let signature = text.split("SIGNATURE = \"").nth(1).and_then(|rest| rest.split('"').next());
    let driver: Table = host.call((side, signature.unwrap_or_default())).unwrap();
    let globals: Table = driver.get("globals").unwrap();
    // In edit mode a module does not look for remotes, and gives stubs of every member.
    let prepare = "local globals = ...
        local services = globals.game
        local storage = services:GetService('ReplicatedStorage')
        storage.Packages = { Promise = {}, Future = {} }
        storage.Promise, storage.Future = {}, {}
        services:GetService('Players').MaxPlayers = 8
        local editing = { IsRunning = function() return false end }
        globals.game = { GetService = function(_, name)
            return if name == 'RunService' then editing else services:GetService(name)
        end }
        local none = { GetEnumItems = function() return {} end }
        globals.Enum = setmetatable({}, { __index = function() return none end })
        globals.require = function() return {} end";
    lua.load(prepare).call::<()>(globals.clone()).unwrap();
    let module: Table = lua
        .load(text)
        .set_name(format!("={side}"))
        .set_environment(globals)
        .eval()
        .unwrap_or_else(|error| panic!("{error}"));
    let mut found = BTreeSet::new();
    walk("", &module, side != "types", &mut found);
    found
}

/// Collects the members below a path. With `empty`, an empty table is a member: a column without rows, or the `None` that
/// stands for nil. In a module of types it is a type that has neither `Read` nor `Write`. What has a class is of the
/// engine, and its members are none of the module's.
fn walk(path: &str, table: &Table, empty: bool, found: &mut BTreeSet<String>) {
    for pair in table.pairs::<String, Value>() {
        let (key, value) = pair.unwrap();
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let is_value = |table: &Table| {
            VALUES.contains(&inner.as_str())
                || (empty && table.is_empty())
                || table.contains_key("ClassName").unwrap()
        };
        match value {
            Value::Table(table) if !is_value(&table) => {
                walk(&inner, &table, empty, found);
            }
            _ => _ = found.insert(inner),
        }
    }
}

/// Paths of the members a declaration names, as its exports call them.
fn of_declaration(text: &str) -> BTreeSet<String> {
    let mut lines = text.lines().map(str::trim).collect::<Vec<_>>().into_iter();
    let mut found = BTreeSet::new();
    body("", &mut lines, &mut found);
    found
}

/// Reads the body of a file or namespace up to its end.
fn body(path: &str, lines: &mut std::vec::IntoIter<&str>, found: &mut BTreeSet<String>) {
    // Paths by the names of the file, then by those it exports.
    let mut own: Vec<(String, String)> = Vec::new();
    while let Some(line) = lines.next() {
        if line == "}" {
            break;
        }
        let bare = line.trim_start_matches("export ").trim_start_matches("declare ");
        if let Some(name) = bare.strip_prefix("namespace ") {
            let name = name.trim_end_matches(" {");
            let mut inner = BTreeSet::new();
            body("", lines, &mut inner);
            own.extend(inner.into_iter().map(|rest| (name.to_owned(), format!(".{rest}"))));
        } else if let Some(rest) = bare.strip_prefix("const ") {
            let (name, ty) = rest.split_once(": ").unwrap();
            if ty == "{" && !VALUES.contains(&name) {
                // A member's type may be an object over several lines, whose fields are none of the members.
                let mut depth = 1;
                for line in lines.by_ref() {
                    if let (1, Some(member)) = (depth, line.strip_prefix("readonly ")) {
                        let member = member.split(':').next().unwrap();
                        own.push((name.to_owned(), format!(".{member}")));
                    }
                    depth += line.matches('{').count();
                    depth -= line.matches('}').count();
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                own.push((name.to_owned(), String::new()));
                skip(line, lines);
            }
        } else if let Some(list) = line.strip_prefix("export { ") {
            for export in list.trim_end_matches(" };").split(", ") {
                let export = export.trim_start_matches("type ");
                if let Some((local, name)) = export.split_once(" as ") {
                    own.iter_mut().filter(|(own, _)| own == local).for_each(|(own, _)| *own = name.into());
                }
            }
        } else {
            skip(line, lines);
        }
    }
    found.extend(own.into_iter().map(|(name, rest)| format!("{path}{name}{rest}")));
}

/// Skips the rest of a statement whose first line is read.
fn skip(first: &str, lines: &mut std::vec::IntoIter<&str>) {
    let opened = |line: &str| line.matches('{').count() as i32 - line.matches('}').count() as i32;
    let mut depth = opened(first);
    while depth > 0 {
        depth += lines.next().map_or(-depth, opened);
    }
}
