//! The suites, what they need, and how many of their tests pass. `docs/src/compatibility.md` says the same.

use blinkblox_emulator::shared::SignalMode;
use blinkblox_suites::On;

/// A suite of others.
pub struct Suite {
    /// Its name for people.
    pub name: &'static str,
    /// The package it comes in, with its version.
    pub package: &'static str,
    /// The side it runs on.
    pub on: On,
    /// Where its specs stand: names joined by `/`.
    pub roots: &'static [&'static str],
    /// Luau that runs before its specs are looked for.
    pub prepare: &'static str,
    /// Tests it has.
    pub tests: usize,
    /// Tests its author left out.
    pub skipped: usize,
    /// Tests that fail.
    pub failures: &'static [Failures],
}

/// Tests that fail for one reason.
pub struct Failures {
    /// The behaviour of signals under which they fail; `None` for both.
    pub under: Option<SignalMode>,
    /// A sentence or two for people.
    pub reason: &'static str,
    /// Their full names: blocks and test, joined by ` › `.
    pub tests: &'static [&'static str],
}

const ROJO: &str = "`rojo` 7.7.1";

/// Every suite but Jest's, which has a module of its own.
pub const SUITES: &[Suite] = &[
    Suite {
        name: "Promise",
        package: ROJO,
        on: On::Server,
        roots: &["ReplicatedStorage/Rojo/Packages/Promise"],
        prepare: "",
        tests: 109,
        skipped: 1,
        failures: &[Failures {
            under: Some(SignalMode::Deferred),
            reason: "The suite moves its own time by firing a `BindableEvent` and looks at the result in the same step. \
                    Deferred handlers run later, in Roblox as well.",
            tests: &[
                "Promise › Unhandled rejection signal › should call unhandled rejection callbacks",
                "Promise › Promise.new › should allow yielding",
                "Promise › Promise.defer › should execute after the time event",
                "Promise › Promise.delay › should schedule promise resolution",
                "Promise › Promise.delay › should allow for delays to be cancelled",
                "Promise › Promise:andThen › should allow yielding",
                "Promise › Promise.fold › should always return a promise even if the list or reducer don't use them",
                "Promise › Promise.promisify › should catch errors after a yield",
                "Promise › Promise.try › should catch asynchronous errors",
                "Promise › Promise:await › should work if yielding is needed",
                "Promise › Promise.retryWithDelay › should retry after a delay",
                "Promise › Promise.fromEvent › should convert a Promise into an event",
                "Promise › Promise.fromEvent › should convert a Promise into an event with the predicate",
            ],
        }],
    },
    Suite {
        name: "t",
        package: ROJO,
        on: On::Server,
        roots: &["ReplicatedStorage/Rojo/Packages/t"],
        prepare: "",
        tests: 36,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "Flipper",
        package: ROJO,
        on: On::Client,
        roots: &["ReplicatedStorage/Rojo/Packages/Flipper"],
        prepare: "",
        tests: 26,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "msgpack",
        package: ROJO,
        on: On::Server,
        roots: &["ReplicatedStorage/Msgpack"],
        prepare: "",
        tests: 51,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "Roact",
        package: ROJO,
        on: On::Client,
        roots: &["ReplicatedStorage/Rojo/Packages/Roact"],
        prepare: r#"
            require(game.ReplicatedStorage.Rojo.Packages.Roact).setGlobalConfig({
                internalTypeChecks = true, typeChecks = true, elementTracing = true, propValidation = true,
            })
        "#,
        tests: 255,
        skipped: 6,
        failures: &[Failures {
            under: Some(SignalMode::Deferred),
            reason: "The suite fires a `BindableEvent` or sets a property and looks at what its handlers did in the same \
                    step. Deferred handlers run later, in Roblox as well.",
            tests: &[
                "Roact › SingleEventManager › connectEvent › should connect to events",
                "Roact › SingleEventManager › connectEvent › should drop events until resumed initially",
                "Roact › SingleEventManager › connectEvent › should invoke suspended events when resumed",
                "Roact › SingleEventManager › connectEvent › should invoke events triggered during resumption in the correct order",
                "Roact › SingleEventManager › connectEvent › should not throw errors through SingleEventManager when resuming",
                "Roact › SingleEventManager › connectEvent › should not overflow with events if manager:resume() is invoked when resuming a suspended event",
                "Roact › SingleEventManager › connectPropertyChange › should connect to property changes",
            ],
        }],
    },
    Suite {
        name: "Rojo's plugin, log and http",
        package: ROJO,
        on: On::Client,
        roots: &[
            "ReplicatedStorage/Rojo/Plugin",
            "ReplicatedStorage/Rojo/Packages/Http",
            "ReplicatedStorage/Rojo/Packages/Log",
            "ReplicatedStorage/Rojo/Packages/RbxDom",
        ],
        prepare: r#"
            local Settings = require(game.ReplicatedStorage.Rojo.Plugin.Settings)
            Settings:set("logLevel", "Trace")
            Settings:set("typecheckingEnabled", true)
        "#,
        tests: 67,
        skipped: 1,
        failures: &[],
    },
    Suite {
        name: "matter",
        package: "`@rbxts/matter` 0.8.5",
        on: On::Server,
        roots: &["ReplicatedStorage/rbxts_include/node_modules/@rbxts/matter/lib"],
        prepare: "",
        tests: 57,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "immut",
        package: "`@rbxts/immut` 0.4.4-ts.0",
        on: On::Server,
        roots: &["ReplicatedStorage/rbxts_include/node_modules/@rbxts/immut/src"],
        prepare: "",
        tests: 36,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "set-timeout",
        package: "`@rbxts/set-timeout` 1.1.2",
        on: On::Server,
        roots: &["ReplicatedStorage/rbxts_include/node_modules/@rbxts/set-timeout/out"],
        // A compiled spec finds roblox-ts's runtime under its own script.
        prepare: r#"
            local include = game.ReplicatedStorage.rbxts_include
            local TS = require(include.RuntimeLib)
            for _, module in include.node_modules["@rbxts"]["set-timeout"].out:GetDescendants() do
                if module:IsA("ModuleScript") and string.match(module.Name, "%.spec$") then
                    _G[module] = TS
                end
            end
        "#,
        tests: 27,
        skipped: 0,
        failures: &[],
    },
    Suite {
        name: "lapis",
        package: "`@rbxts/lapis` 0.3.8",
        on: On::Server,
        roots: &[
            "ReplicatedStorage/Packages/lapis/init.test",
            "ReplicatedStorage/Packages/lapis/Document.test",
        ],
        prepare: "",
        tests: 84,
        skipped: 0,
        failures: &[Failures {
            under: None,
            reason: "lapis counts on Luau refusing to yield inside an iterator of `for`, where its callbacks run. The \
                    current Luau allows it.",
            tests: &[
                "Document.test › Document:beforeSave › throws when yielding",
                "Document.test › Document:beforeClose › throws when yielding",
            ],
        }],
    },
];

impl Suite {
    /// Tests that fail under a behaviour of signals.
    pub fn failing(&self, mode: SignalMode) -> Vec<&'static str> {
        let under = self.failures.iter().filter(|failures| failures.under.is_none_or(|under| under == mode));
        under.flat_map(|failures| failures.tests.iter().copied()).collect()
    }

    /// Tests that pass under a behaviour of signals.
    pub fn passing(&self, mode: SignalMode) -> usize {
        self.tests - self.skipped - self.failing(mode).len()
    }
}
