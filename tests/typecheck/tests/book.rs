//! Code for a server or a client in the book passes the type checker in strict mode, against the modules of its schema.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeMap;

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Compilation, compile};
use blinkblox_tests::book::{Piece, all, pieces};
use blinkblox_typecheck::errors;

const ENTRY: &str = "net/game.blink";

fn compiled(schemas: &BTreeMap<String, String>) -> Compilation {
    let loader =
        schemas.iter().fold(MemoryLoader::new(), |loader, (path, text)| loader.with(path, text.clone()));
    compile(&loader, ENTRY, Profile::Release)
}

/// The code behind the module, which it knows as `Net`; and how many lines stand in front of it.
fn behind(module: &str, compilation: &Compilation, code: &str) -> (String, usize) {
    let at = module.rfind("\nreturn ").unwrap();
    // What the checker is to know of the module is its type: an edit-mode stub has the same.
    let (head, value) = module.split_at(at);
    let value = value.trim_start().strip_prefix("return ").unwrap().trim();
    let mut code = code.to_owned();
    for decl in &compilation.analysis.schema.as_ref().unwrap().types {
        let name = decl.path.join("_");
        for mark in [": ", ":: ", "<", "{ "] {
            code = code.replace(&format!("{mark}Net.{name}"), &format!("{mark}{name}"));
        }
    }
    let lines: Vec<String> = code
        .lines()
        .map(|line| match line.split_once(" = require(") {
            Some(("local Net", _)) => format!("local Net = {value}"),
            Some((local, _)) => format!("{local} = (nil :: any)"),
            None => line.to_owned(),
        })
        .collect();
    let head = format!("{head}\n");
    let count = head.lines().count();
    // The module's own locals are many; a function of its own leaves the code room.
    (format!("{head}local function example()\n{}\nend\nexample()\n", lines.join("\n")), count + 1)
}

#[test]
fn examples_of_the_book_are_strict() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in all() {
        let mut schemas = BTreeMap::new();
        for piece in pieces(&page.text) {
            let Piece::Fence(fence) = piece else { continue };
            match fence.info.split_once(' ').unwrap_or((&fence.info, "")) {
                ("blink", path) if path.is_empty() || path.ends_with(".blink") => {
                    if schemas.contains_key(ENTRY) {
                        schemas.clear();
                    }
                    // A listing is a file of its own, and the schema of the code behind it.
                    let is_entry = path.is_empty() || path.starts_with("listing ");
                    let path = if is_entry { ENTRY } else { path };
                    schemas.insert(path.to_owned(), fence.body.clone());
                }
                ("luau", side @ ("server" | "client")) => {
                    let compilation = compiled(&schemas);
                    let Some(outputs) = &compilation.outputs else {
                        let shown = page.shown();
                        panic!("{shown}:{}: {:?}", fence.line, compilation.analysis.diagnostics);
                    };
                    let module = if side == "server" { &outputs.server } else { &outputs.client };
                    let (source, before) = behind(module, &compilation, &fence.body);
                    count += 1;
                    for error in errors(&source) {
                        let (line, text) = error.split_once(": ").unwrap();
                        // Modules themselves are checked by other tests.
                        if let Some(line) = line.parse::<usize>().unwrap().checked_sub(before + 1) {
                            wrong.push(format!("{}:{}: {text}", page.shown(), fence.line + 1 + line));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} errors:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 30, "only {count} examples were found");
}

#[test]
fn what_is_wrong_is_found() {
    let schema = "event Hit { From: Server, Type: Reliable, Call: ManySync, Data: u8 }\ntype Points = u8\n";
    let compilation = compiled(&BTreeMap::from([(ENTRY.to_owned(), schema.to_owned())]));
    let module = &compilation.outputs.as_ref().unwrap().server;
    let check = |code: &str| {
        let (source, before) =
            behind(module, &compilation, &format!("local Net = require(script.Net)\n{code}\n"));
        let found = errors(&source);
        found
            .iter()
            .map(|one| one.split(':').next().unwrap().parse::<usize>().unwrap() - before)
            .collect::<Vec<_>>()
    };
    assert!(check("Net.Hit.FireAll(3)").is_empty());
    assert!(check("local points: Net.Points = 3\nNet.Hit.FireAll(points)").is_empty());
    assert_eq!(check("Net.Hit.FireAll('three')"), [2]);
    assert_eq!(check("\nlocal points: Net.Points = true"), [3]);
}
