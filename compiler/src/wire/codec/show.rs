//! Values and packets as text, close to how Luau would write them.

use std::fmt::{self, Display, Formatter};

use crate::wire::codec::packet::{ItemKind, Packet, PacketItem};
use crate::wire::codec::value::{UDim, Value};
use crate::wire::signature::number_text;

impl Display for Value {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => out.write_str("nil"),
            Value::Boolean(boolean) => write!(out, "{boolean}"),
            Value::Number(number) => out.write_str(&shown(*number)),
            Value::String(bytes) => write!(out, "\"{}\"", bytes.escape_ascii()),
            Value::Buffer(bytes) => {
                out.write_str("buffer<")?;
                for byte in bytes {
                    write!(out, "{byte:02X}")?;
                }
                out.write_str(">")
            }
            Value::Vector(components) => call(out, "Vector3", components),
            Value::CFrame(components) => call(out, "CFrame", components),
            Value::Color3(components) => call(out, "Color3", components),
            Value::BrickColor(number) => write!(out, "BrickColor({number})"),
            Value::DateTime(millis) => write!(out, "DateTime({} ms)", shown(*millis)),
            Value::Vector2(components) => call(out, "Vector2", components),
            Value::UDim(udim) => write!(out, "UDim({udim})"),
            Value::UDim2(x, y) => write!(out, "UDim2({x}, {y})"),
            Value::NumberRange(min, max) => call(out, "NumberRange", &[*min, *max]),
            Value::TweenInfo(info) => write!(
                out,
                "TweenInfo({}, {}, {}, {}, {}, {})",
                single(info.time),
                info.style,
                info.direction,
                info.repeats,
                info.reverses,
                single(info.delay)
            ),
            Value::ColorSequence(keypoints) => {
                out.write_str("ColorSequence(")?;
                list(out, keypoints, |out, keypoint| {
                    write!(out, "{}: ", single(keypoint.time))?;
                    call(out, "Color3", &keypoint.color)
                })?;
                out.write_str(")")
            }
            Value::EnumItem { enum_name, value } => write!(out, "Enum.{enum_name}({})", shown(*value)),
            Value::Instance { id, class } => write!(out, "{class}#{id}"),
            Value::Array(elements) => {
                out.write_str("{")?;
                list(out, elements, |out, element| write!(out, "{element}"))?;
                out.write_str("}")
            }
            Value::Map(entries) => {
                out.write_str("{")?;
                list(out, entries, |out, (key, value)| write!(out, "[{key}] = {value}"))?;
                out.write_str("}")
            }
            Value::Struct(fields) => {
                out.write_str("{")?;
                list(out, fields, |out, (name, value)| match is_word(name) {
                    true => write!(out, "{name} = {value}"),
                    false => write!(out, "[{name:?}] = {value}"),
                })?;
                out.write_str("}")
            }
        }
    }
}

impl Display for UDim {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", single(self.scale), self.offset)
    }
}

impl Display for Packet {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (position, item) in self.items.iter().enumerate() {
            let line = if position == 0 { "" } else { "\n" };
            write!(out, "{line}{item}")?;
        }
        if let Some(stopped) = &self.stopped {
            let line = if self.items.is_empty() { "" } else { "\n" };
            let name = stopped.name.as_deref().unwrap_or("?");
            write!(out, "{line}{name} at byte {}: {}", stopped.at, stopped.text)?;
        }
        Ok(())
    }
}

impl Display for PacketItem {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        match self.kind {
            ItemKind::Event => {}
            ItemKind::Ordered { sequence } => write!(out, " #{sequence}")?,
            ItemKind::Numbered { number } => write!(out, " #{number}")?,
            ItemKind::Sequenced { sequence, behind } => write!(out, " #{sequence} behind {behind}")?,
            ItemKind::Received { newest } => write!(out, " received up to {newest}")?,
            ItemKind::Call { id } => write!(out, " call {id}")?,
            ItemKind::Answer { id, success: true } => write!(out, " answer {id}")?,
            ItemKind::Answer { id, success: false } => write!(out, " failure {id}")?,
            ItemKind::Rows { tick } => write!(out, " rows of tick {tick}")?,
            ItemKind::Session => out.write_str(" session")?,
            ItemKind::Entity { what, id } => write!(out, " {} {id}", what.word())?,
        }
        write!(out, ", {} B", self.bytes.len())?;
        match self.payload.as_ref() {
            Some(payload) if payload.value != Value::Struct(Vec::new()) => write!(out, ": {}", payload.value),
            Some(_) | None => Ok(()),
        }
    }
}

fn shown(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { number_text(number) }
}

/// A single's own digits, not those of the double it widens to.
fn single(number: f32) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("{number}") }
}

fn call(out: &mut Formatter<'_>, name: &str, components: &[f32]) -> fmt::Result {
    write!(out, "{name}(")?;
    list(out, components, |out, component| out.write_str(&single(*component)))?;
    out.write_str(")")
}

fn list<T>(
    out: &mut Formatter<'_>,
    items: &[T],
    mut write: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.write_str(", ")?;
        }
        write(out, item)?;
    }
    Ok(())
}

fn is_word(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|rest| rest.is_ascii_alphanumeric() || rest == '_')
}
