//! Globals of the language that differ from Luau's own. Source: Roblox behaviour, 14.

use std::rc::Rc;

use super::{Peer, internals, require, time_globals, unicode};
use crate::scheduler;
use crate::shared::LogLevel;
use crate::value::Value;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Returns, Type};

/// Adds and replaces globals of a VM that is not sealed yet.
pub(super) fn install(peer: &Rc<Peer>) -> Result<(), Failure> {
    let vm = &peer.vm;
    vm.set_function("print", print)?;
    vm.set_function("warn", warn)?;
    vm.set_function("collectgarbage", collectgarbage)?;
    vm.set_function("gcinfo", gcinfo)?;
    vm.set_function("require", require::require)?;
    vm.set_function("loadstring", internals::loadstring)?;
    vm.enter(|cx| {
        for name in ["_G", "shared"] {
            cx.push_table(0, 0);
            cx.set_global(name);
        }
        // Luau has it, the engine does not.
        cx.push_nil();
        cx.set_global("integer");
        cx.get_global("debug");
        for (name, function) in DEBUG {
            cx.push_native(name, *function);
            cx.set_field(name);
        }
        cx.pop(1);
        unicode::install(cx);
        Ok(())
    })?;
    time_globals::install(peer)?;
    scheduler::install(peer)
}

/// Functions of `debug` beside Luau's own. There is no profiler: those that ask it do nothing.
const DEBUG: &[(&str, NativeFn)] = &[
    ("profilebegin", ignore),
    ("profileend", ignore),
    ("setmemorycategory", memory_category),
    ("resetmemorycategory", ignore),
    ("getmemorycategory", memory_category),
    ("dumpcodesize", ignore),
    ("loadmodule", internals::load_module),
];

fn ignore(_cx: &mut Cx<'_>) -> Outcome {
    Ok(Returns::NONE)
}

fn memory_category(cx: &mut Cx<'_>) -> Outcome {
    cx.push_string("Default");
    Ok(Returns::ONE)
}

fn output(cx: &mut Cx<'_>, level: LogLevel) -> Outcome {
    let text = cx.display_all()?;
    let peer = cx.peer();
    let script = peer.owner(cx.owner()).name;
    peer.write(level, text, script.as_deref());
    Ok(Returns::NONE)
}

fn print(cx: &mut Cx<'_>) -> Outcome {
    output(cx, LogLevel::Output)
}

fn warn(cx: &mut Cx<'_>) -> Outcome {
    output(cx, LogLevel::Warning)
}

fn kilobytes(cx: &Cx<'_>) -> f64 {
    (cx.peer().vm.memory() >> 10) as f64
}

fn collectgarbage(cx: &mut Cx<'_>) -> Outcome {
    let option = if cx.kind(1) == Type::None { b"collect".as_slice() } else { cx.string(1)? };
    if option != b"count" {
        return Err(Raise::located("collectgarbage must be called with 'count'"));
    }
    cx.push_number(kilobytes(cx));
    Ok(Returns::ONE)
}

fn gcinfo(cx: &mut Cx<'_>) -> Outcome {
    cx.push_number(kilobytes(cx));
    Ok(Returns::ONE)
}

/// Luau's own function of a library, before it is replaced.
pub(super) fn builtin(peer: &Peer, library: &str, name: &str) -> Result<crate::vm::Handle, Failure> {
    peer.vm.enter(|cx| {
        cx.get_global(library);
        cx.get_field(-1, name);
        match cx.shallow(-1)? {
            Value::Function(function) => Ok(function),
            _ => Err(Raise::new(format!("{library}.{name} is missing"))),
        }
    })
}
