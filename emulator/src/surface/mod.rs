//! The emulated surface for people and tools: a page of it, and what a project uses that is not in it.
//!
//! Everything here is read off the tables that scripts run on: [`crate::datamodel::members`], the class database and the
//! datatypes. Start at [`page::text`] and [`doctor::examine`].

pub mod doctor;
pub mod page;

/// Globals of the engine, beside the libraries of datatypes: those of Luau, of Roblox, and old ones.
///
/// Source: engine reference, globals, August 2026.
pub const GLOBALS: &[&str] = &[
    "DebuggerManager",
    "Delay",
    "Enum",
    "Game",
    "Instance",
    "LoadLibrary",
    "PluginManager",
    "Spawn",
    "Stats",
    "UserSettings",
    "Version",
    "Wait",
    "Workspace",
    "_G",
    "_VERSION",
    "assert",
    "bit32",
    "buffer",
    "collectgarbage",
    "coroutine",
    "debug",
    "delay",
    "elapsedTime",
    "error",
    "game",
    "gcinfo",
    "getfenv",
    "getmetatable",
    "ipairs",
    "loadstring",
    "math",
    "newproxy",
    "next",
    "os",
    "pairs",
    "pcall",
    "plugin",
    "print",
    "printidentity",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "require",
    "script",
    "select",
    "setfenv",
    "setmetatable",
    "settings",
    "shared",
    "spawn",
    "stats",
    "string",
    "table",
    "task",
    "tick",
    "time",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "utf8",
    "vector",
    "version",
    "wait",
    "warn",
    "workspace",
    "xpcall",
    "ypcall",
];

/// Types of values that Roblox has and the emulator has not.
pub const MISSING_TYPES: &[&str] = &[
    "CatalogSearchParams",
    "DockWidgetPluginGuiInfo",
    "FloatCurveKey",
    "Path2DControlPoint",
    "RotationCurveKey",
    "SecurityCapabilities",
    "ValueCurveKey",
];

/// Names of the datatypes, in alphabetical order.
pub fn type_names() -> &'static [&'static str] {
    static NAMES: std::sync::LazyLock<Vec<&'static str>> = std::sync::LazyLock::new(|| {
        // Without memory for a VM there is nothing to name.
        crate::datatypes::surface().unwrap_or_default().iter().map(|one| one.name).collect()
    });
    &NAMES
}

/// Where the engine's reference describes a member of a class.
pub fn reference(class: &str, member: &str) -> String {
    format!("https://create.roblox.com/docs/reference/engine/classes/{class}#{member}")
}

/// Globals of the engine that scripts find here, without those a script gets as its own.
///
/// Errors: there is no memory for a VM.
pub fn globals() -> Result<Vec<&'static str>, crate::vm::Failure> {
    use std::rc::Rc;

    use crate::clock::{PeerClock, Time};
    use crate::datamodel::DataModel;
    use crate::peer::{NoScripts, Peer, PeerOptions, Shared};
    use crate::shared::{Seed, Settings, Side};

    let shared = Shared::new(Settings::default(), Seed(0), Default::default());
    let clock = PeerClock::new(Time::ZERO, Time::ZERO, 0.0);
    let options = PeerOptions { side: Side::Server, shared, clock, tree: Rc::new(NoScripts) };
    let peer = Peer::new(options, |peer| {
        crate::datatypes::install(&peer.vm)?;
        crate::datamodel::install(peer, Rc::new(DataModel::new(true)))
    })?;
    peer.vm.enter(|cx| {
        let mut found = Vec::new();
        for name in GLOBALS {
            cx.get_global(name);
            if !cx.is_nil(-1) {
                found.push(*name);
            }
            cx.pop(1);
        }
        Ok(found)
    })
}
