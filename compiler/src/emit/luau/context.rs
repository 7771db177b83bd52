//! What every emitter of a module shares: the runtime parts asked for so far, options, and fresh names.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use smol_str::format_smolstr;

use super::ast::{Expr, LuauType, path, ty};
use super::lanes::Lanes;
use super::uses::Uses;
use crate::emit::bundle::Bundle;
use crate::schema::{Options, PackedBooleanReader, Schema, Side};

/// Names a generated module or function uses for itself, Roblox's among them, so that none derived from the schema may be
/// one of them; in order.
const RESERVED: &[&str] = &[
    "BASE",
    "Batch",
    "BeatAt",
    "Behind",
    "Beside",
    "BrickColor",
    "Bucket",
    "Budget",
    "Buffer",
    "CFrame",
    "ChannelLimits",
    "ChannelRemote",
    "Clock",
    "ColorSequence",
    "Connected",
    "Count",
    "CountPlayers",
    "Cursor",
    "DateTime",
    "Deeper",
    "Delta",
    "Done",
    "DueStates",
    "End",
    "EntityRemote",
    "Enum",
    "Event",
    "Except",
    "Failure",
    "First",
    "FirstSlot",
    "Flag",
    "FollowBelow",
    "Forget",
    "FoundEntities",
    "FoundReliable",
    "FoundUnreliable",
    "Future",
    "Gate",
    "GatherBuffer",
    "GatherCursor",
    "GatherFull",
    "GatherItems",
    "GatherSize",
    "Gathered",
    "GrowGather",
    "GrowOut",
    "Id",
    "Index",
    "Instances",
    "IsDone",
    "IsStarted",
    "Item",
    "ItemAt",
    "Items",
    "ItemsRead",
    "Kinds",
    "Last",
    "List",
    "Listener",
    "Locate",
    "Metatable",
    "Missing",
    "Moment",
    "Net",
    "NoInstances",
    "Now",
    "Number",
    "NumberRange",
    "OnCancel",
    "OpenCalls",
    "Out",
    "OutBuffer",
    "OutCursor",
    "OutFull",
    "OutItems",
    "OutSize",
    "Outgoing",
    "Packet",
    "Paid",
    "Place",
    "Player",
    "Players",
    "PollCapacity",
    "Present",
    "Promise",
    "Ready",
    "Reject",
    "Reliable",
    "ReplicatedStorage",
    "Resolve",
    "ResumeAt",
    "RunService",
    "SIGNATURE",
    "SendEntities",
    "Sent",
    "SentAt",
    "ServerTime",
    "Size",
    "Slot",
    "SlotAt",
    "SlotsRead",
    "Snapshot",
    "SplitGather",
    "SplitOut",
    "Start",
    "State",
    "StepReplication",
    "SteppedAt",
    "Store",
    "Stub",
    "TakeUnreliable",
    "Tokens",
    "TweenInfo",
    "UDim",
    "Unreliable",
    "Used",
    "Waited",
    "Workspace",
];

/// A constant of a runtime module, which the emission has to know as well.
///
/// # Panics
///
/// When there is no such constant, which depends on no schema, or it is no whole number.
pub fn shared(module: &str, name: &str) -> u64 {
    let value = blinkblox_luau_runtime::constant(module, name);
    let value = value.filter(|value| *value >= 0.0 && value.fract() == 0.0);
    value.map_or_else(|| unreachable!("{module} has no {name}"), |value| value as u64)
}

/// Name of the type of a batch.
pub const BATCH: &str = "BLINK_ENTRY";

/// Beginnings and ends of names that stand for an event or function in a module.
const RESERVED_PREFIXES: &[&str] = &["Read", "Refuse", "Write"];
const RESERVED_SUFFIXES: &[&str] = &[
    "Answers",
    "ByValue",
    "Counts",
    "Last",
    "Listener",
    "Listeners",
    "Number",
    "Numbers",
    "Packet",
    "Rate",
    "Rows",
    "State",
    "Stream",
];

/// Whether a module has a name for itself, or a part of the runtime library: asked of every name that is made.
fn is_reserved_in_module(base: &str) -> bool {
    static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        RESERVED
            .iter()
            .copied()
            .chain(blinkblox_luau_runtime::MODULES.iter().map(|(name, _)| *name))
            .collect()
    });
    NAMES.contains(base)
}

/// Whether the module may have a local of that name.
fn is_reserved(base: &str) -> bool {
    is_reserved_in_module(base)
        || RESERVED_PREFIXES.iter().any(|start| base.starts_with(start))
        || RESERVED_SUFFIXES.iter().any(|end| base.ends_with(end))
}

/// State of one module's emission.
pub struct Context<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// Its options.
    pub options: &'a Options,
    /// Parts of the runtime library the module needs.
    pub bundle: Bundle,
    /// Roblox enums whose items are looked up by value.
    pub enums: BTreeSet<String>,
    /// Whose module it is. The server's trusts no packet; the types module is made as a client's.
    pub side: Side,
    /// Whether exported types are written, which takes a batch called `Store`.
    pub stores: bool,
    /// What items are written into at the moment.
    pub sink: Sink,
    /// Whether a reader asked for `End`, the length of its buffer, since this was last taken back.
    pub asks_end: bool,
    /// Whether the client has packets of a length known ahead, which takes `NoInstances`.
    pub sends_packets: bool,
    /// Whether readers charge the rates of events in place.
    pub charges_in_place: bool,
    /// Whether tables are asked for their metatables, which takes `Metatable`.
    pub asks_metatables: bool,
    /// Whether sends give how many players there are, which takes `Present`.
    pub counts_players: bool,
    /// Whether the type of a batch is named.
    pub names_batches: bool,
    /// What the side sends and hears.
    pub uses: Uses,
    /// What the side has of channels that the modules see to.
    pub lanes: Lanes,
}

/// What an item is written into.
#[derive(Clone, Debug, PartialEq)]
pub enum Sink {
    /// A batch called `Out`.
    Batch,
    /// A batch of which the module keeps in locals what every item asks for.
    Own(&'static OwnBatch),
    /// A buffer with room for the longest item there can be, which nothing precedes.
    Packet(Expr),
}

/// Names of the locals that a module keeps a batch in.
#[derive(Debug, PartialEq)]
pub struct OwnBatch {
    /// The table with what few items have.
    pub table: &'static str,
    /// Where bytes are written.
    pub buffer: &'static str,
    /// How many it has room for.
    pub size: &'static str,
    /// Where the next item begins.
    pub cursor: &'static str,
    /// The function that makes room.
    pub grow: &'static str,
    /// Of a client, whose batch is cut into packets: items of the one being filled.
    pub items: &'static str,
    /// Where that one is full of bytes.
    pub full: &'static str,
    /// The function that ends it.
    pub split: &'static str,
}

/// What goes over the reliable remote: a client's batch, or a server's to everyone.
pub static OUTGOING: OwnBatch = OwnBatch {
    table: "Outgoing",
    buffer: "OutBuffer",
    size: "OutSize",
    cursor: "OutCursor",
    grow: "GrowOut",
    items: "OutItems",
    full: "OutFull",
    split: "SplitOut",
};

/// A client's unreliable items until the flush.
pub static GATHERED: OwnBatch = OwnBatch {
    table: "Gathered",
    buffer: "GatherBuffer",
    size: "GatherSize",
    cursor: "GatherCursor",
    grow: "GrowGather",
    items: "GatherItems",
    full: "GatherFull",
    split: "SplitGather",
};

impl<'a> Context<'a> {
    /// A context that has asked for nothing yet.
    pub fn new(schema: &'a Schema, side: Side) -> Self {
        let options = &schema.options;
        Context {
            schema,
            options,
            bundle: Bundle::default(),
            enums: BTreeSet::new(),
            side,
            stores: false,
            sink: Sink::Batch,
            asks_end: false,
            sends_packets: false,
            charges_in_place: false,
            asks_metatables: false,
            counts_players: false,
            names_batches: false,
            uses: Uses::of(schema, side),
            lanes: Lanes::of(schema, side),
        }
    }

    /// Whether the module is the server's.
    pub fn is_server(&self) -> bool {
        self.side == Side::Server
    }

    /// `Module.member` of the runtime library, which the module inlines from now on.
    pub fn runtime(&mut self, module: &str, member: &str) -> Expr {
        self.bundle.need(module, &[member]);
        path(format_smolstr!("{module}.{member}"))
    }

    /// The type of a batch, which the module declares from now on. Sends name it: they are many, and what the checker infers
    /// is limited a module.
    pub fn batch_type(&mut self) -> LuauType {
        self.names_batches = true;
        ty(BATCH)
    }

    /// The function that unpacks booleans, as the options choose it.
    pub fn boolean_reader(&mut self) -> Expr {
        match self.options.packed_boolean_reader {
            PackedBooleanReader::Auto => self.runtime("BooleansAuto", "read"),
            PackedBooleanReader::Bits => self.runtime("Booleans", "readBits"),
            PackedBooleanReader::Rows => self.runtime("BooleanRows", "read"),
        }
    }

    /// The function a runtime module consists of; its local is the module's name with a small first letter.
    pub fn runtime_function(&mut self, module: &str) -> Expr {
        self.bundle.need(module, &[]);
        let mut local = module.to_owned();
        if let Some(first) = local.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        path(local)
    }
}

/// Hands out names that are unique in one function.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: BTreeMap<String, usize>,
}

impl Names {
    /// A name like `hint` that no other local of the function has, nor the module for itself.
    pub fn fresh(&mut self, hint: &str) -> String {
        self.choose(hint, is_reserved)
    }

    /// A name like `hint` for the module itself, unique among those.
    pub fn own(&mut self, hint: &str) -> String {
        self.choose(hint, is_reserved_in_module)
    }

    fn choose(&mut self, hint: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let mut base: String =
            hint.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(32).collect();
        if let Some(first) = base.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert_str(0, "Value");
        }
        // A digit at the end would run into the number that tells equal names apart.
        if base.ends_with(|c: char| c.is_ascii_digit()) || is_taken(&base) {
            base.push('_');
        }
        let count = self.taken.entry(base.clone()).or_insert(0);
        *count += 1;
        if *count == 1 { base } else { format!("{base}{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_in_order() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn names_are_unique_and_leave_the_modules_own_alone() {
        let mut names = Names::default();
        assert_eq!(names.fresh("speed"), "Speed");
        assert_eq!(names.fresh("Speed"), "Speed2");
        assert_eq!(names.fresh("Cursor"), "Cursor_");
        assert_eq!(names.fresh("Value1"), "Value1_");
        assert_eq!(names.fresh("1st way"), "Value1stway");
        assert_eq!(names.fresh(""), "Value");
    }
}
