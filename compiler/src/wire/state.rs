//! How a state travels: frames of what changed, of whole objects, and of objects that are gone.
//!
//! A frame of the plan is an item of the reliable channel: the key, which kind of frame it is, a presence bit a field,
//! and the fields that are there. With a codec of the game's, what changed travels as the game packed it, in a packet
//! of its own.

use std::sync::Arc;

use super::ItemWire;
use super::plan::{HeaderKind, Layout, Plan};
use crate::schema::{Element, Field, Number, NumberKind, Payload, Range, State, Type, TypeKind};
use crate::source::Span;

/// What names of the parameters begin with that say of a field that it became nil.
const CLEARED: &str = "Cleared.";

/// How a state travels.
#[derive(Clone, Debug)]
pub struct StateWire {
    /// Names from the top level down to and including its own.
    pub path: Vec<String>,
    /// Whether a key says which object a frame is of.
    pub keyed: bool,
    /// What the plan packs: the parameters `Key` where there is one, `Kind`, `Data`, and a `Cleared` for each field
    /// that may be nil.
    pub frame: ItemWire,
    /// What stands in front of what the game packs: the key. What it packed runs to the end of the packet.
    pub custom: Option<ItemWire>,
}

/// What a frame is, by the value of its `Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Fields that changed.
    Delta = 0,
    /// A whole object.
    Whole = 1,
    /// An object is gone.
    Unmounted = 2,
}

impl StateWire {
    /// Plans one state.
    pub fn of(state: &State) -> StateWire {
        let keyed = state.key.is_some();
        let key = Payload::Pack(key(state).into_iter().collect());
        StateWire {
            path: state.path.clone(),
            keyed,
            frame: ItemWire::of(state.plan_index(), HeaderKind::Event, &state.wire_payload()),
            custom: state.custom.then(|| ItemWire::of(state.index, HeaderKind::Event, &key)),
        }
    }
}

impl State {
    /// What a frame of the plan carries.
    pub fn wire_payload(&self) -> Payload {
        let span = self.span;
        let bounds = Range { min: 0.0, max: 2.0, min_written: true, max_written: true };
        let kind = Number { kind: NumberKind::U8, range: Some(bounds), scale: None, saturate: false };
        let present = self.fields().iter().map(|field| {
            let kind = TypeKind::Optional { inner: Arc::new(held(&field.ty).clone()), presence_bit: true };
            Field { ty: Type { kind, span: field.ty.span }, ..field.clone() }
        });
        let cleared = self.fields().iter().filter(|field| may_be_nil(&field.ty));
        let mut elements: Vec<Element> = key(self).into_iter().collect();
        elements.push(element("Kind", TypeKind::Number(kind), span));
        elements.push(element("Data", TypeKind::Struct(present.collect()), self.data.span));
        elements.extend(
            cleared.map(|field| element(&format!("{CLEARED}{}", field.name), TypeKind::Boolean, span)),
        );
        Payload::Pack(elements)
    }
}

impl State {
    /// The plan of an object's fields by themselves, as a frame carries them.
    pub fn fields_plan(&self) -> Plan {
        let elements = match self.wire_payload() {
            Payload::Pack(elements) => elements,
            Payload::Nothing | Payload::Single(_) => Vec::new(),
        };
        let own = |element: &Element| {
            element.name.as_deref().is_some_and(|name| name == "Data" || name.starts_with(CLEARED))
        };
        Plan::payload(&Payload::Pack(elements.into_iter().filter(own).collect()), Layout::Traffic)
    }
}

fn element(name: &str, kind: TypeKind, span: Span) -> Element {
    Element { name: Some(name.to_owned()), ty: Type { kind, span }, span }
}

fn key(state: &State) -> Option<Element> {
    state.key.as_ref().map(|key| Element { name: Some("Key".to_owned()), ty: key.clone(), span: key.span })
}

/// Whether a field's value may be nil, so that a change to nil must be told apart from no change.
pub fn may_be_nil(ty: &Type) -> bool {
    matches!(ty.meaning().kind, TypeKind::Optional { .. })
}

/// The type of a field that is there.
fn held(ty: &Type) -> &Type {
    match &ty.meaning().kind {
        TypeKind::Optional { inner, .. } => inner,
        _ => ty,
    }
}
