//! Types made by hand, for the tests of this module.

use std::sync::Arc;

use crate::schema::{
    Call, Delivery, Element, Event, Field, Length, Number, NumberKind, Payload, Priority, Range, Side,
    Stream, Type, TypeKind, Variant,
};
use crate::source::Span;

pub(crate) fn ty(kind: TypeKind) -> Type {
    Type { kind, span: Span::default() }
}

fn with_number(kind: NumberKind, range: Option<(Option<f64>, Option<f64>)>, scale: Option<f64>) -> Number {
    let (own_min, own_max) = kind.bounds();
    let unit = scale.unwrap_or(1.0);
    let range = range.map(|(min, max)| Range {
        min: min.unwrap_or(own_min * unit),
        max: max.unwrap_or(own_max * unit),
        min_written: min.is_some(),
        max_written: max.is_some(),
    });
    Number { kind, range, scale, saturate: false }
}

pub(crate) fn num(kind: NumberKind) -> Type {
    ty(TypeKind::Number(with_number(kind, None, None)))
}

pub(crate) fn ranged(kind: NumberKind, min: impl Into<Option<f64>>, max: impl Into<Option<f64>>) -> Type {
    ty(TypeKind::Number(with_number(kind, Some((min.into(), max.into())), None)))
}

pub(crate) fn scaled(kind: NumberKind, scale: f64) -> Type {
    ty(TypeKind::Number(with_number(kind, None, Some(scale))))
}

pub(crate) fn stepped(kind: NumberKind, scale: f64, min: f64, max: f64) -> Type {
    ty(TypeKind::Number(with_number(kind, Some((Some(min), Some(max))), Some(scale))))
}

pub(crate) fn saturating(mut of: Type) -> Type {
    if let TypeKind::Number(number) = &mut of.kind {
        number.saturate = true;
    }
    of
}

pub(crate) fn boolean() -> Type {
    ty(TypeKind::Boolean)
}

/// A bare length: no range written.
pub(crate) const BARE: Length = Length { min: 0, max: 65_535, written: false, max_written: false };

pub(crate) fn len(min: u32, max: u32) -> Length {
    Length { min, max, written: true, max_written: true }
}

pub(crate) fn string(length: Length) -> Type {
    ty(TypeKind::String(length))
}

pub(crate) fn array(element: Type, length: Length) -> Type {
    ty(TypeKind::Array { element: Arc::new(element), length })
}

pub(crate) fn optional(inner: Type) -> Type {
    let presence_bit = !matches!(inner.kind, TypeKind::Instance(_));
    ty(TypeKind::Optional { inner: Arc::new(inner), presence_bit })
}

fn fields<const N: usize>(fields: [(&str, Type); N]) -> Arc<[Field]> {
    fields.into_iter().map(|(name, ty)| Field { name: name.to_owned(), ty, span: Span::default() }).collect()
}

pub(crate) fn record<const N: usize>(members: [(&str, Type); N]) -> Type {
    ty(TypeKind::Struct(fields(members)))
}

fn names<const N: usize>(names: [&str; N]) -> Arc<[String]> {
    names.into_iter().map(str::to_owned).collect()
}

pub(crate) fn unit<const N: usize>(values: [&str; N]) -> Type {
    ty(TypeKind::UnitEnum(names(values)))
}

pub(crate) fn set<const N: usize>(flags: [&str; N]) -> Type {
    ty(TypeKind::Set(names(flags)))
}

pub(crate) fn variant<const N: usize>(name: &str, members: [(&str, Type); N]) -> Variant {
    Variant { name: name.to_owned(), fields: fields(members), span: Span::default() }
}

pub(crate) fn tagged<const N: usize>(tag: &str, variants: [Variant; N]) -> Type {
    ty(TypeKind::TaggedEnum { tag: tag.to_owned(), variants: variants.into_iter().collect() })
}

pub(crate) fn map(key: Type, value: Type) -> Type {
    ty(TypeKind::Map { key: Arc::new(key), value: Arc::new(value) })
}

pub(crate) fn instance(class: Option<&str>) -> Type {
    ty(TypeKind::Instance(class.map(str::to_owned)))
}

/// A pack; an empty name stands for none.
pub(crate) fn pack<const N: usize>(elements: [(&str, Type); N]) -> Payload {
    let element = |(name, ty): (&str, Type)| Element {
        name: (!name.is_empty()).then(|| name.to_owned()),
        ty,
        span: Span::default(),
    };
    Payload::Pack(elements.into_iter().map(element).collect())
}

/// A reliable event of the server, on index 0.
pub(crate) fn event(name: &str, data: Payload) -> Event {
    Event {
        name: name.to_owned(),
        path: vec![name.to_owned()],
        from: Side::Server,
        delivery: Delivery::Reliable,
        call: Call::SingleSync,
        rate: None,
        lane: None,
        priority: Priority::Normal,
        stream: None,
        stamp: None,
        data,
        index: 0,
        span: Span::default(),
    }
}

/// A stream of the server, on index 0.
pub(crate) fn stream(name: &str, state: Type) -> Event {
    Event {
        delivery: Delivery::OrderedUnreliable,
        stream: Some(Stream { rate: 5.0, fast: None, keepalive: 1.0, epsilon: 0.0, per_player: false }),
        ..event(name, Payload::Single(state))
    }
}
