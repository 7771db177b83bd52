//! Functions that compile code at run time: `loadstring`, and what the engine's own test runner uses.
//! Source: Roblox behaviour, 14.7 and 14.8; emulator requirements, 5.4.

use crate::value::Value;
use crate::vm::{Cx, Outcome, Raise, Returns, Type, light};

/// `loadstring(source, chunkname?)`: a function, or nil and what is wrong. On a server that allows it.
pub(super) fn loadstring(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    if !(peer.side.is_server() && peer.tree().allows_loadstring()) {
        return Err(Raise::new("loadstring() is not available"));
    }
    let source = cx.text(1)?;
    let name = if cx.kind(2) == Type::String { cx.text(2)? } else { source.clone() };
    let name = name.strip_prefix('=').unwrap_or(&name).lines().next().unwrap_or_default().to_owned();
    let script = cx.caller_script();
    let environment = script.map(|script| ("script", Value::Instance(script)));
    match peer.load(&source.into(), &name, environment.as_slice()) {
        Ok(function) => {
            cx.push_handle(&function);
            Ok(Returns::ONE)
        }
        Err(failure) => {
            cx.push_nil();
            cx.push_string(&failure.text);
            Ok(Returns::Values(2))
        }
    }
}

/// `debug.loadmodule(module)`: the module's main function, not run and not remembered; what is wrong with its source;
/// and a function to call when done.
pub(super) fn load_module(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    if !peer.shared.settings.internals {
        return Err(Raise::new("debug.loadmodule is not available; the setting `internals` turns it on"));
    }
    if cx.light(1, light::INSTANCE).is_none() {
        return Err(cx.wrong_type(1, "ModuleScript"));
    }
    let module = cx.instance(1)?;
    let tree = peer.tree();
    let Some(source) = tree.source_of(module).filter(|_| tree.is_module(module)) else {
        return Err(cx.wrong_type(1, "ModuleScript"));
    };
    match peer.load(&source, &tree.full_name(module), &[("script", module.into())]) {
        Ok(function) => {
            cx.push_handle(&function);
            cx.push_nil();
        }
        Err(failure) => {
            cx.push_nil();
            cx.push_string(&failure.text);
        }
    }
    cx.push_native("cleanup", |_| Ok(Returns::NONE));
    Ok(Returns::Values(3))
}
