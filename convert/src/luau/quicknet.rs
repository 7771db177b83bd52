//! QuickNet: an event a registered event, a function one with a response. Source: tooling specification, 8.6.

use super::types::{Meaning, Types};
use super::{head, payload};
use crate::draft::{Draft, Event, Function, Head, Item, Known, Range, Rate, Side, Ty, lost};
use crate::report::Report;
use crate::sandbox::{Ran, Record};

/// Fires a second of one client, when a game sets nothing: QuickNet's own default.
const DEFAULT_RATE: &str = "60";

pub(super) fn lower(ran: &Ran, report: &mut Report) -> Draft {
    let mut draft = Draft::default();
    for record in &ran.captured.records {
        let head = head(ran, record, &record.text("name"));
        let rate = rate(record, &head, report);
        let mut types = Types { ran, names, head: &head, report };
        let data = payload(types.all(&record.indexes("data").unwrap_or_default()));
        let response = record.indexes("response").map(|numbers| payload(types.all(&numbers)));
        let unreliable = record.flag("unreliable");
        if response.is_some() && unreliable {
            lost(report, &head, format!("{}: Unreliable is not carried: a function is reliable", head.name));
        }
        let item = match response {
            Some(returns) => Item::Function(Function {
                head,
                from: Known::Stated(Side::Client),
                yields: "Coroutine",
                rate,
                data,
                returns,
            }),
            None => Item::Event(Event {
                head,
                from: Known::Asked,
                kind: Known::Stated(if unreliable { "Unreliable" } else { "Reliable" }),
                call: "ManyAsync",
                rate,
                data,
            }),
        };
        draft.items.push(item);
    }
    draft
}

/// Fires a second that the definitions allow; asked for when they lift the limit.
fn rate(record: &Record, head: &Head, report: &mut Report) -> Rate {
    let (Some(max), Some(window)) = (record.number("max"), record.number("window")) else {
        return Rate::Stated(DEFAULT_RATE.to_string());
    };
    let rate = max / window;
    if max.is_infinite() && max > 0.0 {
        return Rate::Asked;
    }
    if !rate.is_finite() || rate <= 0.0 {
        lost(report, head, format!("{}: SetRateLimit({max}, {window}) is no rate", head.name));
        return Rate::Asked;
    }
    // Three digits behind the point are more than a rate needs; one below them would be none.
    let rounded = (rate * 1000.0).round() / 1000.0;
    let text = if rounded > 0.0 { rounded.to_string() } else { "0.001".to_string() };
    // All of a window may come at once; alone, a rate allows itself rounded up.
    let burst = max.max(1.0);
    if burst == rounded.max(0.001).ceil() { Rate::Stated(text) } else { Rate::Burst(text, burst.to_string()) }
}

fn names(name: &str) -> Option<Meaning> {
    let same = Meaning::same;
    Some(match name {
        "NumberU4" => same(Ty::Number("u8", Some(Range::up_to(15)))),
        "NumberU8" => same(Ty::Number("u8", None)),
        "NumberU16" => same(Ty::Number("u16", None)),
        "NumberU32" => same(Ty::Number("u32", None)),
        "NumberI8" => same(Ty::Number("i8", None)),
        "NumberI16" => same(Ty::Number("i16", None)),
        "NumberI32" => same(Ty::Number("i32", None)),
        "NumberF16" => same(Ty::Number("f16", None)),
        "NumberF32" => same(Ty::Number("f32", None)),
        "NumberF64" => same(Ty::Number("f64", None)),
        "String" => same(Ty::Text("string", Some(Range::up_to(255)))),
        "StringLong" => same(Ty::Text("string", None)),
        "Buffer" => same(Ty::Text("buffer", None)),
        "Boolean" => same(Ty::plain("boolean")),
        "Instance" => {
            Meaning::but(Ty::plain("Instance"), "any class is taken; name one with Instance(Class)")
        }
        "Player" => same(Ty::plain("Instance(Player)")),
        "Any" => Meaning::but(Ty::Unknown, "nothing of it is validated"),
        "Vector3I16" => same(Ty::plain("vector<i16>")),
        "Vector3F16" => same(Ty::plain("vector<f16>")),
        "Vector3FX8" | "Vector3FX16" | "Vector3F32" => same(Ty::plain("vector")),
        "Vector2FX8" | "Vector2FX16" | "Vector2I16" | "Vector2F16" | "Vector2F32" => {
            same(Ty::plain("Vector2"))
        }
        "CFrameFX8" | "CFrameFX16" | "CFrameF16" | "CFrameF32FX16" | "CFrameF32" => same(Ty::plain("CFrame")),
        "DateTime32" => same(Ty::plain("DateTime")),
        "DateTime64" => same(Ty::plain("DateTimeMillis")),
        "Color3" => same(Ty::plain("Color3")),
        "BrickColor" => same(Ty::plain("BrickColor")),
        "TweenInfo" => same(Ty::plain("TweenInfo")),
        "ColorSequence" => same(Ty::plain("ColorSequence")),
        "NumberRange" => same(Ty::plain("NumberRange")),
        "UDim" => same(Ty::plain("UDim")),
        "UDim2" => same(Ty::plain("UDim2")),
        "EnumItem" => Meaning::but(Ty::Unknown, "it became `unknown`: write Enum(Name) with the enum's name"),
        _ => return None,
    })
}
