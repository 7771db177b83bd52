//! The Rust half of the test API: what the Luau half calls as `host.name(...)`, and the director's globals.

mod building;
mod compile;
mod draw;
mod handles;
mod hooks;
mod inspect;
mod links;
mod options;
mod packets;
mod replay;
mod sides;
mod universe;
mod world;

pub use world::slot_and_side;

use std::rc::Rc;

use super::director::Director;
use super::inside;
use super::replay::Recorded;
use super::stored;
use crate::value::Value;
use crate::vm::{Cx, Failure, Handle, NativeFn, Outcome, Raise, Returns};

/// Gives a new director's VM its globals. Before the VM is sealed.
pub fn install(director: &Rc<Director>) -> Result<(), Failure> {
    let vm = director.vm();
    crate::datatypes::install(vm)?;
    handles::register(vm)?;
    vm.enter(|cx| {
        for name in ["_G", "shared"] {
            cx.push_table(0, 0);
            cx.set_global(name);
        }
        for (name, function) in GLOBALS {
            cx.push_closure(name, *function, director.handle());
            cx.set_global(name);
        }
        cx.push_table(0, 2);
        for (name, function) in TASK {
            cx.push_closure(name, *function, director.handle());
            cx.set_field(name);
        }
        cx.set_global("task");
        Ok(())
    })
}

/// Compares a text with the one stored under a key: `same`, `differs` with the stored one, or `missing`.
fn compare_stored(cx: &mut Cx<'_>) -> Outcome {
    let verdict = Director::of(cx)?.stored.compare(&cx.text(1)?, &cx.text(2)?)?;
    let (name, text) = match verdict {
        stored::Verdict::Same => ("same", Value::Nil),
        stored::Verdict::Differs(text) => ("differs", Value::from(text)),
        stored::Verdict::Missing => ("missing", Value::Nil),
    };
    cx.push_string(name);
    cx.push(&text);
    Ok(Returns::Values(2))
}

const STORED: &[(&str, NativeFn)] = &[("compareStored", compare_stored)];

const GLOBALS: &[(&str, NativeFn)] = &[("print", print), ("warn", print)];

const TASK: &[(&str, NativeFn)] = &[("wait", wait)];

fn print(cx: &mut Cx<'_>) -> Outcome {
    let line = cx.display_all()?;
    // The line is kept as a copy.
    cx.check_memory(line.len())?;
    Director::of(cx)?.worlds.print(&line);
    Ok(Returns::NONE)
}

fn wait(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.opt_number(1)?.unwrap_or(0.0);
    Director::of(cx)?.wait(cx, seconds)
}

/// Pushes the table of natives.
pub fn push_host(cx: &Cx<'_>, director: &Rc<Director>) {
    cx.push_table(0, 96);
    for group in [
        world::NATIVES,
        links::NATIVES,
        universe::NATIVES,
        sides::NATIVES,
        packets::NATIVES,
        hooks::NATIVES,
        replay::NATIVES,
        handles::NATIVES,
        inspect::NATIVES,
        compile::NATIVES,
        draw::NATIVES,
        STORED,
        inside::NATIVES,
    ] {
        for (name, function) in group {
            Recorded::push(cx, director, name, *function);
            cx.set_field(name);
        }
    }
}

/// The globals of a spec file, from the loaded API: `describe`, `it`, `expect`, `test`, ...
/// `env` is what `test.env` holds.
pub fn spec_globals(
    cx: &Cx<'_>,
    api: &Handle,
    env: &[(String, String)],
) -> Result<Vec<(String, Value)>, Raise> {
    cx.push_handle(api);
    let at = cx.top();
    let mut globals = Vec::new();
    let field = |module: &str, name: &str| -> Result<Value, Raise> {
        cx.get_field(at, module);
        cx.get_field(-1, name);
        let value = cx.shallow(-1);
        cx.pop(2);
        value
    };
    cx.get_field(at, "tree");
    cx.get_field(-1, "globals");
    let mut names = Vec::new();
    cx.each(-1, |key, value| {
        names.push((cx.text(key)?, cx.shallow(value)?));
        Ok(())
    })?;
    cx.pop(2);
    // `test` declares a test when it is called, and holds the rest of the API.
    let test = names.iter().find(|(name, _)| name == "test").map(|(_, value)| value.clone());
    if let Some(test) = test {
        cx.push(&test);
        for (module, name, member) in [
            ("world", "world", "world"),
            ("universe", "universe", "universe"),
            ("world", "compile", "compile"),
            ("world", "fixture", "fixture"),
            ("world", "options", "options"),
            ("property", "property", "property"),
            ("property", "forAll", "forAll"),
            ("property", "gen", "gen"),
            ("fuzz", "fuzzRemote", "fuzzRemote"),
            ("mock", "fn", "fn"),
            ("mock", "spy", "spy"),
        ] {
            cx.push(&field(module, name)?);
            cx.set_field(member);
        }
        cx.push_table(0, env.len());
        for (name, value) in env {
            cx.push(&Value::string(value.as_str()));
            cx.set_field(name);
        }
        cx.set_field("env");
        cx.pop(1);
    }
    globals.extend(names);
    globals.push(("expect".to_string(), field("expect", "expect")?));
    globals.push(("world".to_string(), field("world", "implicit")?));
    globals.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(globals)
}
