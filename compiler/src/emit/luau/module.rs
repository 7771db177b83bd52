//! What server and client modules have in common: events with their plans, module-level state, dispatch by index, and
//! the shape of the file.

use std::collections::BTreeSet;

use super::ast::*;
use super::context::{BATCH, Context, Names};
use super::functions::FunctionInfo;
use super::roblox::enum_table;
use super::states::StateInfo;
use super::tables::TableInfo;
use super::types;
use crate::emit::bundle::type_declaration;
use crate::schema::{Call, Casing, Channel, Entity, Event, Item, Schema, Scope, Side, Turn};
use crate::wire::plan::HeaderKind;
use crate::wire::{EventWire, Wire};

/// Module-level locals a module may spend on events. Beyond, their state goes into one table: a function may have 200
/// locals and as many upvalues, and runtime parts, services and functions need theirs.
const STATE_LOCALS: usize = 90;

/// An event with its plan and names.
pub struct EventInfo<'a> {
    /// As resolved.
    pub event: &'a Event,
    /// As it travels.
    pub wire: &'a EventWire,
    /// Its path joined by `_`: unique, and a name.
    pub key: String,
}

impl EventInfo<'_> {
    /// Whether its items are numbered for the other side to acknowledge, and sent again until it does.
    pub fn is_acknowledged(&self) -> bool {
        self.event.turn().is_some_and(Turn::is_acknowledged)
    }

    /// Whether its items have a number of the event's own, by which what is older is dropped.
    pub fn is_ordered(&self) -> bool {
        self.wire.item.header.kind == HeaderKind::Ordered
    }

    /// Whether it waits in a queue for a loop instead of being told to listeners.
    pub fn is_polled(&self, use_polling: bool) -> bool {
        self.event.is_polled(use_polling)
    }

    /// What stands for it in reports, different for any two items of a module.
    pub fn report_key(&self) -> Expr {
        let channel = if self.wire.channel == Channel::Unreliable { 256 } else { 0 };
        num(u16::from(self.event.index) + channel)
    }

    /// Its declared parameters: a name for documentation, and a type.
    pub fn declared(&self, schema: &Schema) -> Vec<(String, LuauType)> {
        types::of_payload(schema, &self.event.data)
    }

    /// What a listener is given behind the player.
    pub fn heard(&self, schema: &Schema) -> Vec<(String, LuauType)> {
        let mut heard = self.declared(schema);
        if self.event.stream.is_some() {
            for (_, value) in &mut heard {
                *value = optional(value.clone());
            }
            heard.push(("ServerTime".to_owned(), ty("number")));
        } else if self.event.stamp.is_some() {
            heard.push(("SentAt".to_owned(), ty("number")));
        }
        heard
    }

    /// Whether its listeners run on the thread of the packet.
    pub fn is_sync(&self) -> bool {
        matches!(self.event.call, Call::SingleSync | Call::ManySync)
    }

    /// Whether it keeps one listener.
    pub fn is_single(&self) -> bool {
        matches!(self.event.call, Call::SingleSync | Call::SingleAsync)
    }
}

/// Bytes that a module with so many events and functions may have beside its runtime parts.
pub fn expected_bytes(schema: &Schema, items: usize) -> usize {
    items * 4096 + schema.types.len() * 256
}

/// Every event, in order of declaration.
pub fn events<'a>(schema: &'a Schema, wire: &'a Wire) -> Vec<EventInfo<'a>> {
    fn walk<'a>(scope: &'a Scope, wire: &'a Wire, names: &mut Names, found: &mut Vec<EventInfo<'a>>) {
        for item in &scope.items {
            match item {
                Item::Event(event) => {
                    let path: Vec<&str> = event.path.iter().map(String::as_str).collect();
                    if let Some(planned) = wire.event(&path) {
                        let key = names.own(&event.path.join("_"));
                        found.push(EventInfo { event, wire: planned, key });
                    }
                }
                Item::Scope(inner) => walk(inner, wire, names, found),
                Item::Type(_) | Item::Function(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&schema.root, wire, &mut Names::default(), &mut found);
    found
}

/// A member's name in the casing of the options.
pub fn member(casing: Casing, pascal: &str) -> String {
    match casing {
        Casing::Pascal => pascal.to_owned(),
        Casing::Camel => {
            let mut name = pascal.to_owned();
            if let Some(first) = name.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            name
        }
        Casing::Snake => {
            let mut name = String::new();
            for (place, c) in pascal.chars().enumerate() {
                if c.is_ascii_uppercase() && place > 0 {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            name
        }
    }
}

/// The module's own state: locals while they fit, fields of one table otherwise.
pub struct State {
    in_table: bool,
    names: Names,
    /// Declarations, in order.
    pub block: Block,
}

impl State {
    /// Room for `expected` pieces of state.
    pub fn new(expected: usize) -> State {
        let mut block = Block::new();
        let in_table = expected > STATE_LOCALS;
        if in_table {
            block.local("State", Expr::Table(Vec::new()));
        }
        State { in_table, names: Names::default(), block }
    }

    /// A piece of state like `hint`, with a value at first.
    pub fn declare(&mut self, hint: &str, kind: Option<LuauType>, value: Expr) -> Expr {
        let hint = self.names.own(hint);
        if self.in_table {
            let place = field(name("State"), hint);
            let value = match kind {
                Some(kind) => cast(value, kind),
                None => value,
            };
            self.block.assign(place.clone(), value);
            return place;
        }
        match kind {
            Some(kind) => self.block.local_typed(&hint, kind, value),
            None => self.block.local(&hint, value),
        };
        name(hint)
    }
}

/// Cases of an item index, told apart by halving down to runs of two.
pub fn dispatch(cases: &[(u8, Block)], otherwise: &Block) -> Block {
    if cases.is_empty() {
        return otherwise.clone();
    }
    if cases.len() <= 2 {
        let arms = cases.iter().map(|(index, body)| (eq(name("Index"), num(*index)), body.clone())).collect();
        return block(|b| _ = b.push(Stat::If(arms, Some(otherwise.clone()))));
    }
    let (low, high) = cases.split_at(cases.len() / 2);
    block(|b| {
        let below = lt(name("Index"), num(high[0].0));
        b.when_else(below, dispatch(low, otherwise), dispatch(high, otherwise));
    })
}

/// A table of the names of items by their index.
pub fn index_names<'a>(events: impl Iterator<Item = &'a EventInfo<'a>>, functions: &[FunctionInfo]) -> Expr {
    let mut entries: Vec<Entry> = functions
        .iter()
        .map(|info| Entry::Keyed(num(info.function.index), text(info.function.name.as_str())))
        .collect();
    entries.extend(events.map(|info| Entry::Keyed(num(info.event.index), text(info.event.name.as_str()))));
    Expr::Table(entries)
}

/// A declaration whose members each side makes in its own way.
#[derive(Clone, Copy)]
pub enum Own<'a> {
    /// An event.
    Event(&'a Event),
    /// An entity.
    Entity(&'a Entity),
}

/// The table of members: what `own` gives for each event and entity, exported types, scopes in scopes.
pub fn members(
    cx: &mut Context,
    wire: &Wire,
    scope: &Scope,
    own: &mut dyn FnMut(&mut Context, Own) -> Vec<Entry>,
    functions: &[FunctionInfo],
    live: &Live,
) -> Vec<Entry> {
    let schema = cx.schema;
    let mut entries = Vec::new();
    for item in &scope.items {
        match item {
            Item::Event(event) => {
                entries.push(Entry::Comment(describe(event)));
                let inner = own(cx, Own::Event(event));
                entries.push(Entry::Named(event.name.clone(), Expr::Table(inner)));
            }
            Item::Entity(entity) => {
                let inner = own(cx, Own::Entity(entity));
                if !inner.is_empty() {
                    entries.push(Entry::Comment(format!("{}: entity", entity.path.join("."))));
                    entries.push(Entry::Named(entity.name.clone(), Expr::Table(inner)));
                }
            }
            Item::Scope(inner) => {
                let inner_entries = members(cx, wire, inner, own, functions, live);
                if !inner_entries.is_empty() {
                    entries.push(Entry::Named(inner.name.clone(), Expr::Table(inner_entries)));
                }
            }
            Item::State(state) => {
                if let Some(info) = live.states.iter().find(|info| info.state.path == state.path) {
                    entries.push(Entry::Comment(info.describe()));
                    entries.push(Entry::Named(state.name.clone(), Expr::Table(info.members(cx))));
                }
            }
            Item::Table(table) => {
                if let Some(info) = live.tables.iter().find(|info| info.table.path == table.path) {
                    entries.push(Entry::Comment(info.describe()));
                    entries.push(Entry::Named(table.name.clone(), info.member(cx)));
                }
            }
            Item::Type(id) => {
                let decl = schema.types.get(id.0 as usize).filter(|decl| decl.export);
                if let (Some(decl), Some(export)) = (decl, wire.export(*id)) {
                    let codec = super::exports::members(cx, decl, &export.plan);
                    entries.push(Entry::Named(decl.name.clone(), Expr::Table(codec)));
                }
            }
            Item::Function(function) => {
                let found = functions.iter().find(|info| info.function.path == function.path);
                if let Some(info) = found {
                    let asker = if function.from == Side::Client { "clients" } else { "the server" };
                    entries.push(Entry::Comment(format!("{}: function of {asker}", function.path.join("."))));
                    entries.push(Entry::Named(function.name.clone(), Expr::Table(info.members(cx))));
                }
            }
        }
    }
    entries
}

/// States and tables of a module.
#[derive(Default)]
pub struct Live<'a> {
    /// States, in order of declaration.
    pub states: Vec<StateInfo<'a>>,
    /// Tables, in order of declaration.
    pub tables: Vec<TableInfo<'a>>,
}

/// A line about an event, for whoever reads the module.
fn describe(event: &Event) -> String {
    let from = match event.from {
        Side::Server => "from the server",
        Side::Client => "from clients",
    };
    let kind = if event.stream.is_some() {
        "stream"
    } else {
        match event.delivery {
            crate::schema::Delivery::Reliable => "reliable event",
            crate::schema::Delivery::Unreliable => "unreliable event",
            crate::schema::Delivery::OrderedUnreliable => "ordered unreliable event",
            crate::schema::Delivery::ReliableUnordered => "reliable, unordered event",
        }
    };
    let lane = event.lane.filter(|_| event.turn().is_some_and(|turn| turn != Turn::Once));
    let lane = lane.map_or(String::new(), |lane| format!(" on the channel {}", lane.word()));
    format!("{}: {kind} {from}{lane}", event.path.join("."))
}

/// Parameters of a generated function for these values: positional names, so that none captures a local.
pub fn positional(values: &[(String, LuauType)]) -> (Vec<Param>, Vec<Expr>) {
    let named: Vec<String> = (1..=values.len()).map(|place| format!("Value{place}")).collect();
    let params = named.iter().zip(values).map(|(name, (_, ty))| param(name, ty.clone())).collect();
    (params, named.into_iter().map(name).collect())
}

/// The type of a listener of these values.
pub fn listener_type(player: bool, values: &[(String, LuauType)]) -> LuauType {
    let mut params = Vec::new();
    if player {
        params.push((Some("Player".to_owned()), ty("Player")));
    }
    params.extend(values.iter().map(|(name, ty)| {
        let name = if crate::luau::is_name(name) { Some(name.clone()) } else { None };
        (name, ty.clone())
    }));
    LuauType::Function(params, Vec::new())
}

/// `() -> ()`
pub fn disconnect_type() -> LuauType {
    LuauType::Function(Vec::new(), Vec::new())
}

/// Starts a file: directives, header, services.
pub fn header(side: &str, signature: &str, services: &[&str]) -> Block {
    block(|b| {
        b.comment("!strict\n!native\n!optimize 2");
        b.comment(format!(
            "The {side} module of schema {signature}, generated by BlinkBlox {}. Edits are lost when it is built anew.",
            crate::VERSION
        ));
        b.blank();
        for service in services {
            b.local(*service, method(name("game"), "GetService", [text(*service)]));
        }
        if !services.is_empty() {
            b.blank();
        }
    })
}

/// Starts a server's or client's file: the header, the named types and runtime parts, and the claim of its base name.
/// Everything that needs a runtime part must have asked for it.
pub fn opening(cx: &mut Context, signature: &str, services: &[&str]) -> Block {
    let guard = cx.runtime_function("Guard");
    let side = match cx.side {
        Side::Server => "server",
        Side::Client => "client",
    };
    let mut file = header(side, signature, services);
    file.append(foundations(cx));
    file.local("BASE", text(cx.options.remote_base()));
    file.local("SIGNATURE", text(signature));
    file.push(Stat::Call(apply(guard, [name("BASE")])));
    file.blank();
    file
}

/// The named types, then the runtime parts asked for, then tables of Roblox enums.
pub fn foundations(cx: &mut Context) -> Block {
    let store = cx.stores.then(|| cx.runtime("Batch", "create"));
    let mut out = types::declarations(cx.schema);
    out.blank();
    for part in cx.bundle.parts() {
        let declared = match part.local {
            "Batch" if cx.names_batches => Some(type_declaration("Batch", "Batch", BATCH)),
            _ => None,
        };
        out.push(Stat::Source(part.text.into()));
        out.blank();
        if let Some(declared) = declared {
            out.push(Stat::Source(declared.into()));
            out.blank();
        }
    }
    let enums: BTreeSet<String> = cx.enums.clone();
    for enum_name in &enums {
        let table = enum_table(enum_name);
        let of = field(name("Enum"), enum_name.as_str());
        let items =
            LuauType::Map(Box::new(ty("number")), Box::new(optional(ty(format!("Enum.{enum_name}")))));
        out.local_typed(&table, items, Expr::Table(Vec::new()));
        let body = block(|b| _ = b.assign(index(name(&table), path("Item.Value")), name("Item")));
        out.push(each_loop(vec!["_".into(), "Item".into()], vec![method(of, "GetEnumItems", [])], body));
        out.blank();
    }
    if let Some(create) = store {
        out.local("Store", apply(create, []));
        out.blank();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::luau::print::print;

    #[test]
    fn members_follow_the_casing() {
        for (pascal, camel, snake) in [
            ("Fire", "fire", "fire"),
            ("FireAll", "fireAll", "fire_all"),
            ("SetFast", "setFast", "set_fast"),
            ("SetPacketDropHandler", "setPacketDropHandler", "set_packet_drop_handler"),
            ("StepReplication", "stepReplication", "step_replication"),
        ] {
            assert_eq!(member(Casing::Pascal, pascal), pascal);
            assert_eq!(member(Casing::Camel, pascal), camel);
            assert_eq!(member(Casing::Snake, pascal), snake);
        }
    }

    #[test]
    fn indices_are_halved_down_to_runs_of_two() {
        let case = |index: u8| (index, block(|b| _ = b.call("read", [num(index)])));
        let otherwise = block(|b| _ = b.call("fail", []));
        let text = print(&dispatch(&[case(0), case(3), case(7)], &otherwise));
        assert_eq!(
            text,
            "if Index < 3 then\n\
             \tif Index == 0 then\n\t\tread(0)\n\telse\n\t\tfail()\n\tend\n\
             else\n\
             \tif Index == 3 then\n\t\tread(3)\n\telseif Index == 7 then\n\t\tread(7)\n\telse\n\t\tfail()\n\tend\n\
             end\n"
        );
    }

    #[test]
    fn state_that_is_too_much_for_locals_goes_into_a_table() {
        let mut few = State::new(STATE_LOCALS);
        assert_eq!(few.declare("HornListeners", None, num(1)), name("HornListeners"));
        let mut many = State::new(STATE_LOCALS + 1);
        assert_eq!(many.declare("HornListeners", None, num(1)), field(name("State"), "HornListeners"));
        assert_eq!(many.declare("HornListeners", None, num(1)), field(name("State"), "HornListeners2"));
    }

    #[test]
    fn remotes_are_named_after_the_scope() {
        assert_eq!(crate::schema::Options::default().remote_base(), "BLINK");
        let scoped =
            crate::schema::Options { remote_scope: "SHOP".to_owned(), ..crate::schema::Options::default() };
        assert_eq!(scoped.remote_base(), "SHOP_BLINK");
    }
}
