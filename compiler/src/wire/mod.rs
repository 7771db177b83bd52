//! How everything a schema declares travels: plans, sizes, the signature, and the reference codec.
//!
//! The only place that knows the wire layout (`language.md` 9). Nothing here knows Luau. Start at [`Wire`], which
//! plans a whole schema, or at [`plan::Plan`] for one type.

mod bits;
mod build;
pub mod codec;
pub mod draw;
pub mod entity;
mod float;
mod number;
pub mod plan;
pub mod session;
pub mod signature;
pub mod size;
pub mod state;
pub mod table;
#[cfg(test)]
mod test_types;

use std::sync::Arc;

pub use float::{F16_MAX, F24_MAX, decode_f16, decode_f24, encode_f16, encode_f24, narrow};

use crate::schema::{
    Channel, Delivery, Element, Event, Function, Item, Number, NumberKind, Payload, Schema, Scope, Side,
    Turn, Type, TypeId, TypeKind,
};
use plan::{Header, HeaderKind, Layout, Plan};
use state::StateWire;
use table::TableWire;

/// How everything a build compiles travels.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Events, in order of declaration.
    pub events: Vec<EventWire>,
    /// Functions, in order of declaration.
    pub functions: Vec<FunctionWire>,
    /// States, in order of declaration.
    pub states: Vec<StateWire>,
    /// Tables, in order of declaration.
    pub tables: Vec<TableWire>,
    /// Entities, in order of declaration.
    pub entities: Vec<entity::EntityWire>,
    /// Exported types, in order of declaration, in the storage layout.
    pub exports: Vec<ExportWire>,
    /// The schema signature: 16 lower-case hexadecimal digits.
    pub signature: String,
}

/// How an event travels.
#[derive(Clone, Debug)]
pub struct EventWire {
    /// Names from the top level down to and including its own.
    pub path: Vec<String>,
    /// The remote it rides on.
    pub channel: Channel,
    /// The side that sends it.
    pub from: Side,
    /// The delivery its modules see to.
    pub turn: Option<Turn>,
    /// How it travels.
    pub item: ItemWire,
}

/// How a function's calls and answers travel, on the reliable channel.
#[derive(Clone, Debug)]
pub struct FunctionWire {
    /// Names from the top level down to and including its own.
    pub path: Vec<String>,
    /// The side that calls.
    pub from: Side,
    /// What the caller sends.
    pub call: ItemWire,
    /// What the listener answers; a failure is the header alone.
    pub answer: ItemWire,
}

/// A header and the payload behind it.
#[derive(Clone, Debug)]
pub struct ItemWire {
    /// The bytes in front.
    pub header: Header,
    /// What follows, in the traffic layout.
    pub payload: Plan,
}

/// How an exported type is stored.
#[derive(Clone, Debug)]
pub struct ExportWire {
    /// The declaration.
    pub decl: TypeId,
    /// The type in a plain block, in the storage layout.
    pub plan: Plan,
}

impl Wire {
    /// Plans everything a schema compiles. The schema must be free of errors.
    pub fn of(schema: &Schema) -> Wire {
        let mut wire = Wire {
            events: Vec::new(),
            functions: Vec::new(),
            states: Vec::new(),
            tables: Vec::new(),
            entities: Vec::new(),
            exports: Vec::new(),
            signature: signature::signature(schema),
        };
        wire.add_scope(schema, &schema.root);
        wire
    }

    fn add_scope(&mut self, schema: &Schema, scope: &Scope) {
        for item in &scope.items {
            match item {
                Item::Event(event) => self.events.push(EventWire::of(event)),
                Item::Function(function) => self.functions.push(FunctionWire::of(function)),
                Item::State(state) => self.states.push(StateWire::of(state)),
                Item::Table(table) => self.tables.push(TableWire::of(table)),
                Item::Entity(entity) => self.entities.push(entity::EntityWire::of(entity)),
                Item::Scope(inner) => self.add_scope(schema, inner),
                Item::Type(id) => {
                    if let Some(decl) = schema.types.get(id.0 as usize).filter(|decl| decl.export) {
                        let plan = Plan::exported(&decl.ty, Layout::Storage);
                        self.exports.push(ExportWire { decl: *id, plan });
                    }
                }
            }
        }
    }

    /// The event of that path, from the top level.
    pub fn event(&self, path: &[&str]) -> Option<&EventWire> {
        self.events.iter().find(|event| event.path == path)
    }

    /// The function of that path, from the top level.
    pub fn function(&self, path: &[&str]) -> Option<&FunctionWire> {
        self.functions.iter().find(|function| function.path == path)
    }

    /// The state of that path, from the top level.
    pub fn state(&self, path: &[String]) -> Option<&StateWire> {
        self.states.iter().find(|state| state.path == path)
    }

    /// The table of that path, from the top level.
    pub fn table(&self, path: &[String]) -> Option<&TableWire> {
        self.tables.iter().find(|table| table.path == path)
    }

    /// The exported type of that declaration.
    pub fn export(&self, decl: TypeId) -> Option<&ExportWire> {
        self.exports.iter().find(|export| export.decl == decl)
    }

    /// The event with that index on a channel.
    pub fn event_at(&self, channel: Channel, index: u8) -> Option<&EventWire> {
        self.events.iter().find(|event| event.channel == channel && event.item.header.index == index)
    }

    /// The function with that index on the reliable channel.
    pub fn function_at(&self, index: u8) -> Option<&FunctionWire> {
        self.functions.iter().find(|function| function.call.header.index == index)
    }
}

impl EventWire {
    /// Plans one event.
    pub fn of(event: &Event) -> EventWire {
        let kind = HeaderKind::of_event(event);
        let item = ItemWire::of(event.index, kind, &event.wire_payload());
        EventWire {
            path: event.path.clone(),
            channel: event.channel(),
            from: event.from,
            turn: event.turn(),
            item,
        }
    }
}

impl FunctionWire {
    /// Plans one function.
    pub fn of(function: &Function) -> FunctionWire {
        FunctionWire {
            path: function.path.clone(),
            from: function.from,
            call: ItemWire::of(function.index, HeaderKind::Call, &function.data),
            answer: ItemWire::of(function.index, HeaderKind::Answer, &function.return_),
        }
    }
}

impl ItemWire {
    fn of(index: u8, kind: HeaderKind, payload: &Payload) -> ItemWire {
        ItemWire { header: Header { index, kind }, payload: Plan::payload(payload, Layout::Traffic) }
    }
}

impl HeaderKind {
    /// The header of an event.
    pub fn of_event(event: &Event) -> HeaderKind {
        match event.turn() {
            Some(turn) if turn.is_acknowledged() => HeaderKind::Numbered,
            Some(_) => HeaderKind::Sequenced,
            None if event.delivery == Delivery::OrderedUnreliable && event.stream.is_none() => {
                HeaderKind::Ordered
            }
            None => HeaderKind::Event,
        }
    }
}

impl Event {
    /// What travels: its `Data`, with the elements a stream or a stamp adds (`language.md` 2.2).
    pub fn wire_payload(&self) -> Payload {
        if self.stream.is_some() {
            let state = match &self.data {
                Payload::Single(ty) => ty.clone(),
                // Refused by `E3033`; anything that plans will do.
                Payload::Nothing | Payload::Pack(_) => Type { kind: TypeKind::Error, span: self.span },
            };
            let span = state.span;
            let value = TypeKind::Optional { inner: Arc::new(state), presence_bit: true };
            return Payload::Pack(vec![
                Element { name: Some("Value".to_owned()), ty: Type { kind: value, span }, span },
                self.stamp_element("ServerTime"),
            ]);
        }
        if self.stamp.is_none() {
            return self.data.clone();
        }
        let mut elements = match &self.data {
            Payload::Nothing => Vec::new(),
            Payload::Single(ty) => {
                vec![Element { name: Some("Value".to_owned()), ty: ty.clone(), span: ty.span }]
            }
            Payload::Pack(elements) => elements.clone(),
        };
        elements.push(self.stamp_element("SentAt"));
        Payload::Pack(elements)
    }

    fn stamp_element(&self, name: &str) -> Element {
        let number = Number { kind: NumberKind::U16, range: None, scale: None, saturate: false };
        let ty = Type { kind: TypeKind::Number(number), span: self.span };
        Element { name: Some(name.to_owned()), ty, span: self.span }
    }
}
