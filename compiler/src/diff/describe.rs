//! Words for what is compared: types in schema syntax, places on channels, settings.

use crate::schema::{
    Component, Event, Length, NumberKind, Payload, Range, Rate, Stream, Turn, Type, TypeKind,
};
use crate::wire::signature::number_text;

/// A type in schema syntax, what it is named seen through; bodies are left out.
pub(super) fn ty(ty: &Type) -> String {
    match &ty.meaning().kind {
        TypeKind::Number(number) => {
            let scale = number.scale.map_or(String::new(), |scale| format!("<{}>", number_text(scale)));
            format!("{}{scale}{}", number.kind.name(), range(number.range.as_ref()))
        }
        TypeKind::Boolean => "boolean".to_owned(),
        TypeKind::String(bounds) => format!("string{}", length(bounds, '(', ')')),
        TypeKind::Buffer(bounds) => format!("buffer{}", length(bounds, '(', ')')),
        TypeKind::Vector { written, magnitude, component: _ } => {
            format!("vector{}{}", components(written), range(magnitude.as_ref()))
        }
        TypeKind::CFrame { written, rotation: _, position: _ } => format!("CFrame{}", components(written)),
        TypeKind::Roblox(roblox) => roblox.name().to_owned(),
        TypeKind::EnumItem(name) => format!("Enum({name})"),
        TypeKind::Instance(Some(class)) => format!("Instance({class})"),
        TypeKind::Instance(None) => "Instance".to_owned(),
        TypeKind::Unknown => "unknown".to_owned(),
        TypeKind::Entity { path, index: _ } => format!("{path}?"),
        TypeKind::Optional { inner, .. } => format!("{}?", self::ty(inner)),
        TypeKind::Array { element, length: bounds } => format!("{}{}", self::ty(element), array(bounds)),
        TypeKind::Map { key, value } => format!("map {{ [{}]: {} }}", self::ty(key), self::ty(value)),
        TypeKind::Set(_) => "a set".to_owned(),
        TypeKind::UnitEnum(_) => "an enum".to_owned(),
        TypeKind::TaggedEnum { tag, .. } => format!("an enum with the tag \"{tag}\""),
        TypeKind::Struct(_) => "a struct".to_owned(),
        TypeKind::Parameter(name) => name.clone(),
        TypeKind::Named { .. } | TypeKind::Error => "an unknown type".to_owned(),
    }
}

/// A payload: `nothing`, a type, or a pack in parentheses.
pub(super) fn payload(payload: &Payload) -> String {
    match payload {
        Payload::Nothing => "nothing".to_owned(),
        Payload::Single(single) => ty(single),
        Payload::Pack(elements) => {
            let element = |element: &crate::schema::Element| match &element.name {
                Some(name) => format!("{name}: {}", ty(&element.ty)),
                None => ty(&element.ty),
            };
            format!("({})", elements.iter().map(element).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The suffix of an array.
pub(super) fn array(bounds: &Length) -> String {
    if bounds.written { length(bounds, '[', ']') } else { "[]".to_owned() }
}

fn length(bounds: &Length, open: char, close: char) -> String {
    match (bounds.written, bounds.min, bounds.max) {
        (false, _, _) => String::new(),
        (true, min, max) if min == max => format!("{open}{min}{close}"),
        (true, min, _) if !bounds.max_written => format!("{open}{min}..{close}"),
        // `[0..65535]` is told apart from `[]` by its bounds alone.
        (true, 0, max) if max < 65_535 => format!("{open}..{max}{close}"),
        (true, min, max) => format!("{open}{min}..{max}{close}"),
    }
}

fn range(range: Option<&Range>) -> String {
    let Some(range) = range else { return String::new() };
    let bound = |value: f64, written: bool| if written { number_text(value) } else { String::new() };
    if range.min_written && range.max_written && range.min == range.max {
        return format!("({})", number_text(range.min));
    }
    format!("({}..{})", bound(range.min, range.min_written), bound(range.max, range.max_written))
}

fn components(components: &[Component]) -> String {
    if components.is_empty() {
        return String::new();
    }
    let name = |component: &Component| match component {
        Component::Number(kind) => NumberKind::name(*kind),
        Component::Quat => "quat",
        Component::Quat32 => "quat32",
    };
    format!("<{}>", components.iter().map(name).collect::<Vec<_>>().join(", "))
}

/// An event's place: its channel and its index there.
pub(super) fn place(event: &Event) -> String {
    let channel = event.channel().name().to_lowercase();
    format!("{channel} index {}", event.index)
}

/// The channel an event names, as far as it matters.
pub(super) fn lane(event: &Event) -> String {
    match event.turn() {
        Some(Turn::InOrder(lane) | Turn::Sequenced(lane)) => lane.word().to_owned(),
        Some(Turn::Once) | None => "none".to_owned(),
    }
}

pub(super) fn presence(present: bool) -> String {
    if present { "one".to_owned() } else { "none".to_owned() }
}

pub(super) fn rate(rate: Option<Rate>) -> String {
    match rate {
        None => "no limit".to_owned(),
        Some(Rate { rate, burst }) if burst == rate.max(1.0) => format!("{rate} a second"),
        Some(Rate { rate, burst }) => format!("{rate} a second in bursts of {burst}"),
    }
}

pub(super) fn stream(stream: &Stream) -> String {
    let mut text = format!("Rate {}", stream.rate);
    if let Some(fast) = stream.fast {
        text.push_str(&format!(", Fast {fast}"));
    }
    text.push_str(&format!(", Keepalive {}, Epsilon {}", stream.keepalive, stream.epsilon));
    if stream.per_player {
        text.push_str(", Per Player");
    }
    text
}
