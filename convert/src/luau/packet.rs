//! Packet: an event a packet, a function one with a response. Source: tooling specification, 8.6.

use super::types::{Meaning, Types};
use super::{head, payload};
use crate::draft::{Draft, Event, Function, Item, Known, Range, Rate, Ty};
use crate::report::Report;
use crate::sandbox::Ran;

pub(super) fn lower(ran: &Ran, report: &mut Report) -> Draft {
    let mut draft = Draft::default();
    for record in &ran.captured.records {
        let head = head(ran, record, &record.text("name"));
        let mut types = Types { ran, names, head: &head, report };
        let data = payload(types.all(&record.indexes("data").unwrap_or_default()));
        let response = record.indexes("response").map(|numbers| payload(types.all(&numbers)));
        let item = match response {
            Some(returns) => Item::Function(Function {
                head,
                from: Known::Asked,
                yields: "Coroutine",
                rate: Rate::Asked,
                data,
                returns,
            }),
            None => Item::Event(Event {
                head,
                from: Known::Asked,
                kind: Known::Stated("Reliable"),
                call: "ManyAsync",
                rate: Rate::Asked,
                data,
            }),
        };
        draft.items.push(item);
    }
    draft
}

fn names(name: &str) -> Option<Meaning> {
    let same = Meaning::same;
    let short = || Some(Range::up_to(255));
    Some(match name {
        "NumberU8" => same(Ty::Number("u8", None)),
        "NumberU16" => same(Ty::Number("u16", None)),
        "NumberU24" => same(Ty::Number("u24", None)),
        "NumberU32" => same(Ty::Number("u32", None)),
        "NumberS8" => same(Ty::Number("i8", None)),
        "NumberS16" => same(Ty::Number("i16", None)),
        "NumberS24" => same(Ty::Number("i24", None)),
        "NumberS32" => same(Ty::Number("i32", None)),
        "NumberF16" => same(Ty::Number("f16", None)),
        "NumberF24" => same(Ty::Number("f24", None)),
        "NumberF32" => same(Ty::Number("f32", None)),
        "NumberF64" => same(Ty::Number("f64", None)),
        "String" => same(Ty::Text("string", short())),
        "Buffer" => same(Ty::Text("buffer", short())),
        "StringLong" => same(Ty::Text("string", None)),
        "BufferLong" => same(Ty::Text("buffer", None)),
        "Boolean8" => same(Ty::plain("boolean")),
        "Instance" => {
            Meaning::but(Ty::plain("Instance"), "any class is taken; name one with Instance(Class)")
        }
        "Any" => Meaning::but(Ty::Unknown, "nothing of it is validated"),
        "Vector3S16" => same(Ty::plain("vector<i16>")),
        "Vector3F24" => same(Ty::plain("vector<f24>")),
        "Vector3F32" => same(Ty::plain("vector")),
        "Vector2S16" | "Vector2F24" | "Vector2F32" => same(Ty::plain("Vector2")),
        "CFrameF24U8" | "CFrameF32U8" | "CFrameF32U16" => same(Ty::plain("CFrame")),
        "Color3" => same(Ty::plain("Color3")),
        "BrickColor" => same(Ty::plain("BrickColor")),
        "UDim" => same(Ty::plain("UDim")),
        "UDim2" => same(Ty::plain("UDim2")),
        "NumberRange" => same(Ty::plain("NumberRange")),
        "ColorSequence" => same(Ty::plain("ColorSequence")),
        // What two values share a byte for is read into a table.
        "NumberU4" => {
            same(Ty::Array(Box::new(Ty::Number("u8", Some(Range::up_to(15)))), Some(Range::exactly(2))))
        }
        "Boolean1" => same(Ty::Array(Box::new(Ty::plain("boolean")), Some(Range::exactly(8)))),
        "BooleanNumber" => same(Ty::Struct(vec![
            ("Boolean".to_string(), Ty::plain("boolean")),
            ("Number".to_string(), Ty::Number("u8", Some(Range::up_to(127)))),
        ])),
        "EnumItem" => Meaning::but(Ty::Unknown, "it became `unknown`: write Enum(Name) with the enum's name"),
        _ => return None,
    })
}
