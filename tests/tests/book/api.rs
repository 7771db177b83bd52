//! Members of declarations, read from the modules a schema becomes.

use std::collections::BTreeMap;

use blinkblox_compiler::Compilation;
use blinkblox_compiler::schema::{Item, Payload, Scope};

/// The members of the declaration `name` on each side, a line each: `server  Net.Scored.FireAll(points: number)`.
pub fn members(compilation: &Compilation, name: &str, at: &str) -> String {
    let outputs = compilation.outputs.as_ref().unwrap();
    let mut names = BTreeMap::new();
    collect(&compilation.analysis.schema.as_ref().unwrap().root, &mut names);
    let mut out = String::new();
    for (side, module) in [("server", &outputs.server), ("client", &outputs.client)] {
        for (path, member) in table(module) {
            let owner = path.rsplit_once('.').map_or("", |(owner, _)| owner);
            if owner == name {
                let empty = Vec::new();
                let parameters = names.get(owner).unwrap_or(&empty);
                let line = format!("{side}  Net.{path}{member}");
                out.push_str(&named(&line, parameters));
                out.push('\n');
            }
        }
    }
    assert!(!out.is_empty(), "{at}: no module has {name}");
    out
}

/// How the server's module reads an event: its function for that channel.
pub fn reader(compilation: &Compilation, name: &str, at: &str) -> String {
    let module = &compilation.outputs.as_ref().unwrap().server;
    let mut functions = module.split("\nlocal function ").skip(1);
    let marked = format!("-- {name}\n");
    let found = functions
        .find(|text| text.starts_with("Read") && text.split("\nend\n").next().unwrap().contains(&marked))
        .unwrap_or_else(|| panic!("{at}: the server does not read {name}"));
    format!("local function {}\nend\n", found.split("\nend\n").next().unwrap())
}

/// Names of the parameters of every event, function and table: those of its data, by their place.
fn collect(scope: &Scope, found: &mut BTreeMap<String, Vec<String>>) {
    let of = |data: &Payload| data.parameters().into_iter().map(|(name, _)| name).collect();
    for item in &scope.items {
        match item {
            Item::Event(event) => drop(found.insert(event.path.join("."), of(&event.data))),
            Item::Function(function) => drop(found.insert(function.path.join("."), of(&function.data))),
            Item::Scope(inner) => collect(inner, found),
            Item::Table(table) => {
                let columns = table.fields.iter().map(|field| field.name.clone()).collect();
                found.insert(table.path.join("."), columns);
            }
            Item::Type(_) | Item::State(_) | Item::Entity(_) => {}
        }
    }
}

/// A line with the names the schema gives in place of `Value1`, `Value2`.
fn named(line: &str, parameters: &[String]) -> String {
    let mut line = line.to_owned();
    for (place, name) in parameters.iter().enumerate() {
        line = line.replace(&format!("Value{}:", place + 1), &format!("{name}:"));
    }
    line
}

/// The functions of the modules themselves. `compilation` asks for TypeScript: most of them come from the runtime, and
/// their types stand in the declarations alone.
pub fn own_members(compilation: &Compilation) -> String {
    let declarations = compilation.outputs.as_ref().unwrap().declarations.as_ref().unwrap();
    let mut out = String::new();
    for (side, text) in [("server", &declarations.server), ("client", &declarations.client)] {
        for line in text.lines() {
            let Some((name, ty)) = line.strip_prefix("export const ").and_then(|rest| rest.split_once(": "))
            else {
                continue;
            };
            if ty.starts_with('(') {
                out.push_str(&format!("{side}  Net.{name}{}\n", in_luau(ty.trim_end_matches(';'))));
            }
        }
    }
    out
}

/// A type of a function in TypeScript as Luau writes it behind a function's name.
fn in_luau(ty: &str) -> String {
    let ty = ty.replace(" => void) | undefined", " -> ())?").replace(" | undefined", "?");
    let ty = ty.replace("=> void", "-> ()").replace(" => ", " -> ");
    // The arrow of the function itself stands last.
    match ty.rsplit_once(" -> ") {
        Some((parameters, result)) => format!("{parameters}: {result}"),
        None => ty,
    }
}

/// The functions of a module's table by their paths, in its order, each with its parameters and result.
fn table(module: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let body = module.split("\nlocal Net = {\n").nth(1).unwrap().split("\n}\n").next().unwrap();
    let mut path: Vec<String> = Vec::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        let text = line.trim_start_matches('\t');
        let depth = line.len() - text.len();
        if text == "}," && depth == path.len() {
            path.pop();
            continue;
        }
        // What stands deeper is the body of a function.
        if depth != path.len() + 1 {
            continue;
        }
        let Some((key, value)) = text.split_once(" = ") else { continue };
        if key.starts_with("--") {
            continue;
        }
        let full = path.iter().map(String::as_str).chain([key]).collect::<Vec<_>>().join(".");
        if let Some(head) = value.strip_prefix("function") {
            let mut head = head.to_owned();
            // A long head goes on until the line that closes it.
            while head.matches(['(', '{']).count() != head.matches([')', '}']).count() {
                head.push_str(lines.next().unwrap().trim());
                head.push(' ');
            }
            let head = head.trim().replace("( ", "(").replace(" )", ")");
            let head = head.strip_suffix(" end,").unwrap_or(&head).to_owned();
            found.push((full, head.replace("): (() -> ())", ") -> disconnect()")));
        } else if value == "{" {
            path.push(key.to_owned());
        } else if let Some((_, ty)) = value.split_once(" :: ") {
            let ty = ty.trim_end_matches(',').trim_start_matches('(');
            let ty = ty.strip_suffix(')').unwrap_or(ty);
            found.push((full, ty.replacen(") -> ", "): ", 1)));
        }
    }
    found
}
