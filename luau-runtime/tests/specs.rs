//! Runs the spec beside each runtime module, on a bare VM: the library needs of Roblox only `task`, `warn` and a clock.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::Path;

use blinkblox_luau_runtime as runtime;
use mlua::{Function, Lua, Table, Value};

/// Runs the spec of one module. The error lists every case that failed.
fn run(name: &str) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{name}.spec.luau"));
    let spec = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let lua = Lua::new();
    let luau = |name: &str, text: &str| lua.load(text).set_name(name).eval::<Function>().unwrap();
    let kit = luau("=kit", include_str!("kit.luau"));
    let roblox = luau("=roblox", include_str!("roblox.luau"));

    let load = lua
        .create_function(|lua, (module, globals): (String, Table)| {
            let text = runtime::module(&module)
                .ok_or_else(|| mlua::Error::runtime(format!("there is no module {module}")))?;
            lua.load(text).set_name(format!("={module}")).set_environment(globals).eval::<Value>()
        })
        .unwrap();
    let chunk = format!("={name}.spec");
    let body = lua
        .create_function(move |lua, globals: Table| {
            lua.load(spec.as_str()).set_name(chunk.as_str()).set_environment(globals).exec()
        })
        .unwrap();

    let (count, failures): (usize, Vec<String>) =
        kit.call((load, body, roblox)).map_err(|error| format!("{name}: {error}"))?;
    match failures.as_slice() {
        [] if count == 0 => Err(format!("{name} has an empty spec")),
        [] => Ok(()),
        failures => Err(format!("{name}: {}", failures.join("\n"))),
    }
}

/// Every module has a spec, and every spec passes.
#[test]
fn every_spec_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".spec.luau").map(str::to_owned)
        })
        .collect();
    names.sort();
    let failed: Vec<String> = names.iter().filter_map(|name| run(name).err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    for (module, _) in runtime::MODULES {
        assert!(names.iter().any(|name| name == module), "{module} has no spec");
    }
}
