//! Runs the spec beside each runtime module, on a bare VM: the library needs of Roblox only `task`, `warn` and a clock.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use blinkblox_luau_runtime as runtime;
use mlua::{Function, Lua, Table, Value};

/// Runs the spec of one module and gives how many cases passed. Fails with every case that did not.
fn run(name: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{name}.spec.luau"));
    let spec = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name} has no spec: {error}"));
    let lua = Lua::new();
    let kit: Function = lua.load(include_str!("kit.luau")).set_name("=kit").eval().unwrap();

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

    let (count, failures): (usize, Vec<String>) = kit.call((load, body)).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 0, "{name} has an empty spec");
    count
}

macro_rules! specs {
    ($($test:ident: $module:literal,)*) => {
        $(
            #[test]
            fn $test() {
                run($module);
            }
        )*

        #[test]
        fn every_module_has_its_spec_here() {
            let listed = [$($module),*];
            let modules: Vec<&str> = runtime::MODULES.iter().map(|(name, _)| *name).collect();
            assert_eq!(listed.as_slice(), modules.as_slice());
        }
    };
}

specs! {
    bucket: "Bucket",
    client_reports: "ClientReports",
    clock: "Clock",
    copy: "Copy",
    listeners: "Listeners",
    messages: "Messages",
    queue: "Queue",
    raise: "Raise",
    reports: "Reports",
    same: "Same",
    sequence: "Sequence",
    spawn: "Spawn",
    stream: "Stream",
    throttle: "Throttle",
}
