//! Values to try a plan with: valid, as the receiver would see them, and leaning on edges.
//!
//! Draws nothing by itself: entropy comes from the caller, and equal entropy gives equal values. For tests of whatever
//! runs plans.

use crate::schema::{NumberKind, RobloxType, Rotation};
use crate::wire::codec::{Keypoint, TweenInfo, UDim, Value};
use crate::wire::float::narrow;
use crate::wire::plan::{CFrame, Carrier, Length, Member, Node, Number, Plan, Shape, Vector};

/// Where entropy comes from.
pub struct Source<'a> {
    next: &'a mut dyn FnMut() -> u64,
}

impl<'a> Source<'a> {
    /// Draws from `next`, whose results should be spread over all 64 bits.
    pub fn new(next: &'a mut dyn FnMut() -> u64) -> Source<'a> {
        Source { next }
    }

    /// A number below `count`; 0 when `count` is.
    pub fn below(&mut self, count: u64) -> u64 {
        if count == 0 { 0 } else { (self.next)() % count }
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// One of them; there must be one.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A value of the plan that both a validated send and a receiver take.
pub fn value(plan: &Plan, source: &mut Source<'_>) -> Value {
    node(&plan.block.body, source)
}

/// Longest string, and most elements of constant size, drawn without need: past where a prefix or a bit run turns.
const LONG: u32 = 140;
/// Most other elements drawn without need.
const FEW: u32 = 4;

fn node(of: &Node, source: &mut Source<'_>) -> Value {
    match &of.shape {
        Shape::Number(of) => Value::Number(number(of, source)),
        Shape::Boolean(_) => Value::Boolean(source.once_in(2)),
        Shape::Bytes(bytes) => {
            let count = length(bytes.length, LONG, source);
            let data = (0..count).map(|_| source.below(256) as u8).collect();
            if bytes.buffer { Value::Buffer(data) } else { Value::String(data) }
        }
        Shape::Vector(of) => vector(of, source),
        Shape::CFrame(of) => cframe(of, source),
        Shape::Roblox { ty, place: _ } => roblox(*ty, source),
        Shape::EnumItem { name, place: _ } => {
            Value::EnumItem { enum_name: name.clone(), value: source.below(3) as f64 }
        }
        Shape::Instance { class, optional } => {
            if *optional && source.once_in(3) {
                return Value::Nil;
            }
            let class = class.clone().unwrap_or_else(|| "Instance".to_owned());
            Value::Instance { id: source.below(1 << 32), class }
        }
        // None is there to be named.
        Shape::Entity { .. } => Value::Nil,
        Shape::Unknown => Value::Number(source.below(1000) as f64),
        Shape::Optional { presence: _, block } => {
            if source.once_in(3) {
                Value::Nil
            } else {
                node(&block.body, source)
            }
        }
        Shape::Array(array) => {
            let small = array.block.size.max <= 16 && !array.block.tail;
            let most = if small { LONG } else { FEW };
            let count = length(array.length, most, source);
            Value::Array((0..count).map(|_| node(&array.block.body, source)).collect())
        }
        Shape::Booleans(booleans) => {
            let count = length(booleans.length, LONG, source);
            let style = source.below(4);
            let mut element = || match style {
                0 => true,
                1 => false,
                _ => source.once_in(2),
            };
            Value::Array((0..count).map(|_| Value::Boolean(element())).collect())
        }
        Shape::Map(map) => {
            let mut entries: Vec<(Value, Value)> = Vec::new();
            let Shape::Entry(pair) = &map.entry.body.shape else { return Value::Map(entries) };
            for _ in 0..source.below(5) {
                let key = node(&pair[0], source);
                let used = key.is_nan_key() || entries.iter().any(|(own, _)| own.same_key(&key));
                if !used {
                    entries.push((key, node(&pair[1], source)));
                }
            }
            Value::Map(entries)
        }
        Shape::Set(set) => Value::Struct(
            set.flags.iter().map(|flag| (flag.clone(), Value::Boolean(source.once_in(2)))).collect(),
        ),
        Shape::UnitEnum { values, bits: _ } => {
            let index = source.below(values.len() as u64) as usize;
            values.get(index).map_or(Value::Nil, |name| Value::text(name))
        }
        Shape::TaggedEnum(tagged) => {
            let index = source.below(tagged.variants.len() as u64) as usize;
            let Some(variant) = tagged.variants.get(index) else { return Value::Nil };
            let mut fields = vec![(tagged.tag.clone(), Value::text(&variant.name))];
            if let Value::Struct(own) = node(&variant.block.body, source) {
                fields.extend(own);
            }
            Value::Struct(fields)
        }
        Shape::Struct(members) | Shape::Pack(members) => table(members, source),
        Shape::Entry(pair) => Value::Map(vec![(node(&pair[0], source), node(&pair[1], source))]),
    }
}

fn table(members: &[Member], source: &mut Source<'_>) -> Value {
    Value::Struct(members.iter().map(|member| (member.name.clone(), node(&member.node, source))).collect())
}

/// A length that is often its least or greatest, and otherwise rarely long.
fn length(length: Length, most: u32, source: &mut Source<'_>) -> u32 {
    let room = (length.max - length.min).min(most.saturating_sub(length.min));
    match source.below(6) {
        0 => length.min,
        1 => length.min + room,
        2 => length.min + source.below(u64::from(room) + 1) as u32,
        _ => length.min + source.below(u64::from(room.min(6)) + 1) as u32,
    }
}

fn number(of: &Number, source: &mut Source<'_>) -> f64 {
    match &of.carrier {
        Carrier::Float { kind, .. } => float(of, *kind, source),
        Carrier::Integer { kind, bias, .. } => {
            let own = kind.bounds();
            let low = of.receipt.and_then(|bounds| bounds.min).unwrap_or(own.0);
            let high = of.receipt.and_then(|bounds| bounds.max).unwrap_or(own.1);
            scaled(of, whole(low, high, source) + bias)
        }
        Carrier::Small { lo, hi, .. } => scaled(of, whole(*lo, *hi, source)),
    }
}

fn scaled(of: &Number, units: f64) -> f64 {
    of.step.map_or(units, |step| step.decode(units))
}

/// A whole number of a range, often at its ends.
fn whole(low: f64, high: f64, source: &mut Source<'_>) -> f64 {
    let span = (high - low) as u64;
    let drawn = low + source.below(span.saturating_add(1)) as f64;
    let edges = [low, high, low + 1.0, high - 1.0, 0.0, 1.0, -1.0, 127.0, 128.0, 255.0, 256.0];
    let edge = source.one(&edges);
    if source.once_in(2) && (low..=high).contains(&edge) { edge } else { drawn }
}

fn float(of: &Number, kind: NumberKind, source: &mut Source<'_>) -> f64 {
    let admitted = |value: &f64| {
        [of.validated, of.receipt].into_iter().flatten().all(|bounds| bounds.admit(*value))
            && of.clamp.is_none_or(|clamp| clamp.apply(*value).to_bits() == value.to_bits())
    };
    let (low, high) = of.range.map_or(kind.bounds(), |range| (range.min, range.max));
    for _ in 0..20 {
        let value = match source.below(4) {
            0 => {
                source.one(&[0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, 0.1, 5e-8, 65504.0])
            }
            1 => source.one(&[low, high]),
            2 if low.is_finite() && high.is_finite() => {
                low + (high - low) * (source.below(1 << 32) as f64 / (1u64 << 32) as f64)
            }
            _ => f64::from(f32::from_bits(source.below(1 << 32) as u32)),
        };
        let value = narrow(kind, value);
        if admitted(&value) {
            return value;
        }
    }
    // Bounds too close for luck: one of them, which the receiver may see narrowed.
    if low.is_finite() { low } else { high.min(0.0) }
}

fn vector(of: &Vector, source: &mut Source<'_>) -> Value {
    let (low, high) = of.component.bounds();
    let least = of.range.map_or(0.0, |range| range.min);
    let most = of.range.map_or(1000.0, |range| range.max.min(1000.0 + least));
    // Well inside the bounds and along one axis, so that no rounding carries it out of them.
    let length = (least + (most - least) * (source.below(3) + 1) as f64 / 4.0).min(high);
    let mut components = [0.0f32; 3];
    let axis = source.below(3) as usize;
    let length = if source.once_in(2) && low < 0.0 { -length } else { length };
    components[axis] =
        if of.component.is_float() { narrow(of.component, length) as f32 } else { length.trunc() as f32 };
    Value::Vector(components)
}

fn cframe(of: &CFrame, source: &mut Source<'_>) -> Value {
    let place = source.one(&[0.0f32, 1.0, 100.0]);
    // A quarter turn is exact in every form but whole radians.
    let turned = source.once_in(2) && matches!(of.rotation, Rotation::Quat | Rotation::Quat32);
    let [cos, sin] = if turned { [0.0f32, 1.0] } else { [1.0, 0.0] };
    Value::CFrame([place, 0.0, place, cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos])
}

fn roblox(ty: RobloxType, source: &mut Source<'_>) -> Value {
    let mut small = || source.below(256) as f32;
    let udim = |scale: f32, offset: f32| UDim { scale, offset: offset as i32 - 128 };
    match ty {
        RobloxType::Color3 => Value::Color3([0; 3].map(|_| small() / 255.0)),
        RobloxType::BrickColor => Value::BrickColor(194),
        RobloxType::DateTime => Value::DateTime(f64::from(small()) * 1000.0),
        RobloxType::DateTimeMillis => Value::DateTime(f64::from(small())),
        RobloxType::Vector2 => Value::Vector2([small(), -small()]),
        RobloxType::UDim => Value::UDim(udim(small(), small())),
        RobloxType::UDim2 => Value::UDim2(udim(small(), small()), udim(small(), small())),
        RobloxType::NumberRange => {
            let min = small();
            Value::NumberRange(min, min + small())
        }
        RobloxType::TweenInfo => Value::TweenInfo(TweenInfo {
            time: small(),
            style: small() as u8 % 11,
            direction: small() as u8 % 3,
            repeats: small() as i32 - 1,
            reverses: small() < 128.0,
            delay: small(),
        }),
        RobloxType::ColorSequence => {
            let mut keypoint = |time| Keypoint { time, color: [0; 3].map(|_| small() / 255.0) };
            Value::ColorSequence(vec![keypoint(0.0), keypoint(0.5), keypoint(1.0)])
        }
    }
}
