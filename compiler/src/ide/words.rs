//! What each word of the language means, in a sentence, for completion and hovers. Source: language specification, 10;
//! runtime specification, 3.2, 4 and 8 to 11.

/// An option: what it does, and what it is without being set.
pub fn option(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "ServerOutput" => ("Where the server's module is written.", "none; a build needs it"),
        "ClientOutput" => ("Where the client's module is written.", "none; a build needs it"),
        "TypesOutput" => ("Where a module of the types alone is written.", "none"),
        "Typescript" => ("Writes a `.d.ts` file beside each module.", "false"),
        "Casing" => ("How members of the modules are spelled.", "Pascal"),
        "RemoteScope" => {
            ("Stands in front of the remotes' names, so that two schemas can live in one place.", "\"\"")
        }
        "RemotesFolder" => ("The folder of ReplicatedStorage that holds the remotes.", "none"),
        "ExportLimits" => ("Adds `Limits`: the declared bounds, as constants.", "false"),
        "FutureLibrary" => ("What `require` loads for `Yield: Future`.", "none"),
        "PromiseLibrary" => ("What `require` loads for `Yield: Promise`.", "none"),
        "ManualReplication" => ("Sends only when `StepReplication` is called, never on Heartbeat.", "false"),
        "ClientFlushRate" => ("Most sends a second of a client.", "60"),
        "BatchUnreliable" => ("Gathers unreliable events until the next flush.", "false"),
        "UsePolling" => ("Receives every event by polling, streams and stamped events excepted.", "false"),
        "Predict" => ("Adds `Predict` members, which call a client's own listeners at once.", "false"),
        "PackedBooleanReader" => {
            ("How a received `boolean[]` is unpacked.", "\"Auto\": the faster of the two")
        }
        "ClientConnectTimeout" => {
            ("Seconds a client waits for the remotes before it gives up.", "none: without end")
        }
        "AutoStart" => ("`false` leaves the server's start to `Start()`.", "true"),
        "WriteValidations" => ("Checks values before they are written.", "false"),
        "SyncValidation" => ("Notices a `Sync` listener that yields.", "true"),
        "MaxUnreliableSize" => ("Most bytes of an unreliable payload.", "980"),
        "SoftMessageSize" => (
            "Bytes past which a message that is sent is warned about.",
            "half of MaxPacketSize under Session, else none",
        ),
        "MaxPacketSize" => (
            "Most bytes of a packet the server reads, and of an item a client of a session hands on.",
            "8192",
        ),
        "MaxEventsPerPacket" => ("Most events the server decodes of one packet.", "64"),
        "MaxInstancesPerPacket" => ("Most Instances a packet of a client may carry.", "256"),
        "InboundBytesPerSecond" => ("How fast a player's inbound budget refills.", "8 times MaxPacketSize"),
        "InboundBurst" => ("What a player's inbound budget holds.", "InboundBytesPerSecond"),
        "OutboundBytesPerSecond" => ("How fast a player's outbound budget refills.", "none: no budget"),
        "OutboundBurst" => ("What a player's outbound budget holds.", "OutboundBytesPerSecond"),
        "DefaultRate" => ("`Rate` of everything a client sends that names none.", "none"),
        "RequireRates" => ("Refuses what a client sends without a rate.", "false"),
        "InvocationTimeout" => ("Seconds an `Invoke` waits for its answer.", "10"),
        "TrafficStats" => ("Counts traffic, by event.", "false"),
        "TableGuard" => ("What becomes of a client whose table rows break the limits.", "Drop"),
        "Session" => ("Adds `Net.Session`: connections and why they ended, pings, a shared clock.", "false"),
        "SessionMaxPlayers" => ("Most players of a session.", "127"),
        "SessionInactivity" => ("Seconds of silence after which a client is removed.", "none"),
        "Lobby" => ("Adds `Lobby`: rooms on servers of their own.", "false"),
        "UseColon" => ("Has no effect.", "none"),
        _ => return None,
    })
}

/// A key of a block: what it says.
pub fn key(name: &str) -> Option<&'static str> {
    Some(match name {
        "From" => "The side that sends it.",
        "Type" => "How it is delivered.",
        "Channel" => "Whose order it keeps; channels do not wait for each other.",
        "Call" => "How listeners are called.",
        "Data" => "What it carries: a type, or a type pack.",
        "Return" => "What the listener answers: a type, or a type pack.",
        "Yield" => "How `Invoke` gives its answer.",
        "Rate" => "Events or calls a second that one client may send; of a stream, sends a second.",
        "Burst" => "How many may come at once before `Rate` counts.",
        "Concurrency" => "Calls of one player that may run at once.",
        "Priority" => "`Low` lets the outbound budget leave it out.",
        "Stream" => "Makes it a state that is sent at a rate, the latest alone.",
        "Stamp" => "Milliseconds back to which the time of sending is recovered.",
        "Poll" => "An old spelling of `Call: Polling`.",
        "Fast" => "Sends a second while the state changes fast.",
        "Keepalive" => "Longest silence while a state is held, in seconds.",
        "Epsilon" => "How little a number may change to count as the same.",
        "Key" => "What names an object of the state: a string. Without it there is one object.",
        "Codec" => "`Custom`: the game packs and unpacks what changes.",
        "Fields" => "The columns of a table, each of a fixed width or a bounded string.",
        "Per" => "`Player`: each player has a state of their own.",
        "Relevance" => "Who sees it: all, who is within a radius, or whom the game shows it to.",
        "Owner" => "A player may own it; `Clear` forgets the owner who leaves.",
        "Transform" => "Carries a position and a rotation; `Manual` until the game lets it follow.",
        "Velocity" => "Sends its owner velocities and the input consumed last, for prediction.",
        "Parent" => "It may be inside another entity.",
        "Named" => "It has a name that mirrors follow.",
        "Tags" => "It has tags that mirrors follow, each by itself.",
        "Attributes" => "It has attributes that mirrors follow, each by itself.",
        "Interpolate" => "Mirrors are drawn between states from the start.",
        "MaxDelay" => "Most seconds a mirror is drawn late.",
        "Sync" => "Properties of a bound Instance that mirrors follow.",
        "Input" => "What its owner sends each fixed step.",
        _ => return None,
    })
}

/// A word that stands as the value of a key or an option.
pub fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "Client" => "Sent by clients.",
        "Server" => "Sent by the server.",
        "Reliable" => "Arrives, once and in order.",
        "Unreliable" => "May be lost, doubled or late.",
        "OrderedUnreliable" => "May be lost; what is older than the latest is dropped.",
        "ReliableUnordered" => "Arrives, once and in any order; one that is lost holds nothing back.",
        "Default" => "The channel of the reliable remote, calls and answers.",
        "Controls" => "A channel for what is sent each frame.",
        "Events" => "A channel for what must not wait for a packet lost on Default.",
        "SingleSync" => "One listener, called at once; it must not yield.",
        "SingleAsync" => "One listener, called on a thread of its own.",
        "ManySync" => "Any number of listeners, called at once; they must not yield.",
        "ManyAsync" => "Any number of listeners, each on a thread of its own.",
        "Polling" => "Kept in a queue for a loop to take.",
        "Coroutine" => "Yields the caller.",
        "Future" => "Returns a Future.",
        "Promise" => "Returns a Promise.",
        "Plan" => "Packed by the module: a bit a field, and the fields that changed.",
        "Custom" => "Packed by the game's own functions.",
        "Drop" => "A client over the limits of tables is removed.",
        "Report" => "A client over the limits of tables is reported to the packet-drop handler.",
        "Low" => "Left out first when the budget is short.",
        "Normal" => "Never left out.",
        "Player" => "A state for each player.",
        "All" => "Everyone sees it.",
        "Radius" => "Whoever is within so many studs sees it.",
        "Manual" => "Only as the game says.",
        "Clear" => "The owner who leaves is forgotten.",
        "true" => "On.",
        "false" => "Off.",
        "Pascal" => "`Fire`, `StepReplication`",
        "Camel" => "`fire`, `stepReplication`",
        "Snake" => "`fire`, `step_replication`",
        _ => return None,
    })
}

/// A built-in type: its Luau type and its bytes.
pub fn primitive(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "u8" => ("number", "1 byte, 0 to 255"),
        "u16" => ("number", "2 bytes, 0 to 65535"),
        "u24" => ("number", "3 bytes, 0 to 16777215"),
        "u32" => ("number", "4 bytes, 0 to 4294967295"),
        "i8" => ("number", "1 byte, -128 to 127"),
        "i16" => ("number", "2 bytes, -32768 to 32767"),
        "i24" => ("number", "3 bytes, -8388608 to 8388607"),
        "i32" => ("number", "4 bytes, -2147483648 to 2147483647"),
        "f16" => ("number", "2 bytes, to 65504, whole to 2048"),
        "f24" => ("number", "3 bytes, to 4294950912, whole to 262144"),
        "f32" => ("number", "4 bytes"),
        "f64" => ("number", "8 bytes, as Luau has it"),
        "boolean" => ("boolean", "1 bit"),
        "string" => ("string", "its bytes, and 1 to 4 for its length"),
        "buffer" => ("buffer", "its bytes, and 1 to 4 for its length"),
        "vector" => ("Vector3", "3 components, f32 unless given"),
        "CFrame" => ("CFrame", "24 bytes; `CFrame<quat32>` takes 16"),
        "quat" => ("a rotation inside CFrame", "7 bytes"),
        "quat32" => ("a rotation inside CFrame", "4 bytes"),
        "Color3" => ("Color3", "3 bytes"),
        "BrickColor" => ("BrickColor", "2 bytes"),
        "DateTime" => ("DateTime", "8 bytes, seconds"),
        "DateTimeMillis" => ("DateTime", "8 bytes, milliseconds"),
        "Vector2" => ("Vector2", "8 bytes"),
        "UDim" => ("UDim", "8 bytes"),
        "UDim2" => ("UDim2", "16 bytes"),
        "NumberRange" => ("NumberRange", "8 bytes"),
        "ColorSequence" => ("ColorSequence", "15 to 141 bytes"),
        "TweenInfo" => ("TweenInfo", "15 bytes"),
        "Instance" => ("Instance", "no bytes; a slot beside the packet"),
        "unknown" => ("any", "no bytes; a slot beside the packet"),
        "Enum" => ("an item of a Roblox enum", "2 bytes"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{entity, event, options, state, table};
    use crate::syntax::token::Primitive;

    #[test]
    fn every_word_of_the_language_is_described() {
        for (name, values) in options::all() {
            assert!(option(name).is_some(), "{name}");
            assert!(values.iter().all(|text| !text.starts_with(char::is_uppercase) || value(text).is_some()));
        }
        let keys = [
            event::EVENT_KEYS,
            event::FUNCTION_KEYS,
            event::STREAM_KEYS,
            state::STATE_KEYS,
            table::TABLE_KEYS,
        ];
        for name in keys.concat() {
            assert!(key(name).is_some(), "{name}");
            assert!(event::words(name).into_iter().all(|word| value(word).is_some()), "{name}");
        }
        for name in entity::ENTITY_KEYS {
            assert!(key(name).is_some(), "{name}");
            assert!(entity::words(name).into_iter().all(|word| value(word).is_some()), "{name}");
        }
        for one in Primitive::ALL {
            assert!(primitive(one.text()).is_some(), "{}", one.text());
        }
    }
}
