//! The Luau that generated modules are built from.
//!
//! Each module is a `--!strict` ModuleScript that knows no schema: it can be required in a game as it is, and its spec
//! stands beside it. The compiler inlines the ones a schema needs; nothing here is installed.
//!
//! Modules follow a form the compiler relies on: requires by `"./Name"`, then types, locals and local functions, and a
//! last `return` of one of those functions or of a table of them. [`form`] reads it.

pub mod form;

/// Every module as its name and its text, in order of name.
pub const MODULES: &[(&str, &str)] = &[
    ("Answers", include_str!("Answers.luau")),
    ("Arguments", include_str!("Arguments.luau")),
    ("AwaitAttribute", include_str!("AwaitAttribute.luau")),
    ("Batch", include_str!("Batch.luau")),
    ("BooleanRows", include_str!("BooleanRows.luau")),
    ("Booleans", include_str!("Booleans.luau")),
    ("BooleansAuto", include_str!("BooleansAuto.luau")),
    ("Bucket", include_str!("Bucket.luau")),
    ("Calls", include_str!("Calls.luau")),
    ("ClientBatch", include_str!("ClientBatch.luau")),
    ("ClientLanes", include_str!("ClientLanes.luau")),
    ("ClientListeners", include_str!("ClientListeners.luau")),
    ("ClientMeter", include_str!("ClientMeter.luau")),
    ("ClientRemotes", include_str!("ClientRemotes.luau")),
    ("ClientReports", include_str!("ClientReports.luau")),
    ("ClientSession", include_str!("ClientSession.luau")),
    ("ClientState", include_str!("ClientState.luau")),
    ("ClientUnreliable", include_str!("ClientUnreliable.luau")),
    ("Clock", include_str!("Clock.luau")),
    ("Colors", include_str!("Colors.luau")),
    ("Copy", include_str!("Copy.luau")),
    ("Decoding", include_str!("Decoding.luau")),
    ("Endless", include_str!("Endless.luau")),
    ("EntityArguments", include_str!("EntityArguments.luau")),
    ("EntityBinding", include_str!("EntityBinding.luau")),
    ("EntityBytes", include_str!("EntityBytes.luau")),
    ("EntityDrawing", include_str!("EntityDrawing.luau")),
    ("EntityExtras", include_str!("EntityExtras.luau")),
    ("EntityInbox", include_str!("EntityInbox.luau")),
    ("EntityMaps", include_str!("EntityMaps.luau")),
    ("EntityMirrors", include_str!("EntityMirrors.luau")),
    ("EntityOutbox", include_str!("EntityOutbox.luau")),
    ("EntityOwners", include_str!("EntityOwners.luau")),
    ("EntityPrediction", include_str!("EntityPrediction.luau")),
    ("EntityReferences", include_str!("EntityReferences.luau")),
    ("EntityRelevance", include_str!("EntityRelevance.luau")),
    ("EntitySnapshots", include_str!("EntitySnapshots.luau")),
    ("EntityStore", include_str!("EntityStore.luau")),
    ("EntitySync", include_str!("EntitySync.luau")),
    ("EntityTransforms", include_str!("EntityTransforms.luau")),
    ("FixedTicks", include_str!("FixedTicks.luau")),
    ("Float16", include_str!("Float16.luau")),
    ("Float24", include_str!("Float24.luau")),
    ("Freeze", include_str!("Freeze.luau")),
    ("FreezeReceived", include_str!("FreezeReceived.luau")),
    ("Guard", include_str!("Guard.luau")),
    ("Handlers", include_str!("Handlers.luau")),
    ("InRows", include_str!("InRows.luau")),
    ("Inbound", include_str!("Inbound.luau")),
    ("LaneGroups", include_str!("LaneGroups.luau")),
    ("LaneInbox", include_str!("LaneInbox.luau")),
    ("LaneOutbox", include_str!("LaneOutbox.luau")),
    ("Listeners", include_str!("Listeners.luau")),
    ("LobbyAttempt", include_str!("LobbyAttempt.luau")),
    ("LobbyCallbacks", include_str!("LobbyCallbacks.luau")),
    ("LobbyClient", include_str!("LobbyClient.luau")),
    ("LobbyMembers", include_str!("LobbyMembers.luau")),
    ("LobbyRooms", include_str!("LobbyRooms.luau")),
    ("LobbyServer", include_str!("LobbyServer.luau")),
    ("LobbyStore", include_str!("LobbyStore.luau")),
    ("LobbyTravel", include_str!("LobbyTravel.luau")),
    ("Messages", include_str!("Messages.luau")),
    ("Orders", include_str!("Orders.luau")),
    ("OutRows", include_str!("OutRows.luau")),
    ("Outbound", include_str!("Outbound.luau")),
    ("Packets", include_str!("Packets.luau")),
    ("PlayerLimit", include_str!("PlayerLimit.luau")),
    ("Quaternion", include_str!("Quaternion.luau")),
    ("Queue", include_str!("Queue.luau")),
    ("Raise", include_str!("Raise.luau")),
    ("Reports", include_str!("Reports.luau")),
    ("RoundTrip", include_str!("RoundTrip.luau")),
    ("Same", include_str!("Same.luau")),
    ("Sequence", include_str!("Sequence.luau")),
    ("ServerBatch", include_str!("ServerBatch.luau")),
    ("ServerGather", include_str!("ServerGather.luau")),
    ("ServerLanes", include_str!("ServerLanes.luau")),
    ("ServerListeners", include_str!("ServerListeners.luau")),
    ("ServerMeter", include_str!("ServerMeter.luau")),
    ("ServerRemotes", include_str!("ServerRemotes.luau")),
    ("ServerRows", include_str!("ServerRows.luau")),
    ("ServerSession", include_str!("ServerSession.luau")),
    ("ServerState", include_str!("ServerState.luau")),
    ("ServerUnreliable", include_str!("ServerUnreliable.luau")),
    ("SessionCauses", include_str!("SessionCauses.luau")),
    ("SessionClock", include_str!("SessionClock.luau")),
    ("SessionPackets", include_str!("SessionPackets.luau")),
    ("SessionStarting", include_str!("SessionStarting.luau")),
    ("SideRemotes", include_str!("SideRemotes.luau")),
    ("SoftLimit", include_str!("SoftLimit.luau")),
    ("Spawn", include_str!("Spawn.luau")),
    ("StateArguments", include_str!("StateArguments.luau")),
    ("Stream", include_str!("Stream.luau")),
    ("Stubs", include_str!("Stubs.luau")),
    ("Text", include_str!("Text.luau")),
    ("Throttle", include_str!("Throttle.luau")),
    ("Traffic", include_str!("Traffic.luau")),
    ("Tweens", include_str!("Tweens.luau")),
    ("Unstarted", include_str!("Unstarted.luau")),
    ("Varint", include_str!("Varint.luau")),
];

/// Text of the module `name`, or `None` when there is none of that name.
pub fn module(name: &str) -> Option<&'static str> {
    let at = MODULES.binary_search_by_key(&name, |(module, _)| module).ok()?;
    Some(MODULES[at].1)
}

/// The number that `local CONSTANT = number` gives in a module. What the compiler must know too is read from there.
pub fn constant(module_name: &str, constant: &str) -> Option<f64> {
    let declared = module(module_name)?.lines().find_map(|line| {
        let (name, value) = line.strip_prefix("local ")?.split_once(" = ")?;
        (name == constant).then_some(value)
    });
    declared?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name() {
        assert!(MODULES.is_sorted_by_key(|(name, _)| *name));
        for (name, text) in MODULES {
            assert_eq!(module(name), Some(*text));
            assert!(text.starts_with("--!strict\n-- "), "{name} has no header");
        }
        assert_eq!(module("Nothing"), None);
    }

    #[test]
    fn constants_are_read() {
        assert_eq!(constant("Batch", "INITIAL"), Some(256.0));
        assert_eq!(constant("Batch", "nothing"), None);
        assert_eq!(constant("Batch", "Nothing"), None);
        assert_eq!(constant("Nothing", "INITIAL"), None);
    }

    /// A local of its own is quicker to read than a member of another module.
    #[test]
    fn constants_that_several_modules_have_are_equal() {
        for (name, modules) in [
            ("INITIAL", &["Batch", "ServerBatch", "ClientBatch"][..]),
            ("QUIET", &["Batch", "ClientBatch"]),
            ("SLOT_SIZE", &["Packets", "LaneOutbox"]),
        ] {
            let values: Vec<Option<f64>> = modules.iter().map(|module| constant(module, name)).collect();
            assert!(values.iter().all(|value| value.is_some() && *value == values[0]), "{name}: {values:?}");
        }
    }

    #[test]
    fn every_file_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(stem) = name.strip_suffix(".luau")
                && !stem.ends_with(".spec")
            {
                assert!(module(stem).is_some(), "{name} is not in MODULES");
            }
        }
    }
}
