//! ByteNet: a scope a namespace, an event a packet. Source: tooling specification, 8.5.

use super::types::{Meaning, Types};
use super::{head, payload};
use crate::draft::{Draft, Event, Item, Known, Payload, Rate, Scope, Ty};
use crate::report::Report;
use crate::sandbox::{Ran, Record};

pub(super) fn lower(ran: &Ran, report: &mut Report) -> Draft {
    let mut draft = Draft::default();
    for record in &ran.captured.records {
        match record.text("kind").as_str() {
            "namespace" => {
                let items = record.list("packets").iter().map(|packet| event(ran, packet, report)).collect();
                let head = head(ran, record, &record.text("name"));
                draft.items.push(Item::Scope(Scope { head, items }));
            }
            _ if record.flag("homed") => {}
            _ => report.lost("", ran.place(record.at()), "this packet is in no namespace, so it has no name"),
        }
    }
    draft
}

fn event(ran: &Ran, packet: &Record, report: &mut Report) -> Item {
    let head = head(ran, packet, &packet.text("name"));
    let number = packet.index("data");
    let nothing = |at: usize| ran.captured.nodes.get(at).is_some_and(|node| node.name == "nothing");
    let data = if number.checked_sub(1).is_some_and(nothing) {
        Payload::Nothing
    } else {
        payload(vec![Types { ran, names, head: &head, report }.ty(number)])
    };
    Item::Event(Event {
        head,
        from: Known::Asked,
        kind: Known::Stated(if packet.flag("unreliable") { "Unreliable" } else { "Reliable" }),
        call: "ManyAsync",
        rate: Rate::Asked,
        data,
    })
}

fn names(name: &str) -> Option<Meaning> {
    let same = Meaning::same;
    Some(match name {
        "uint8" => same(Ty::Number("u8", None)),
        "uint16" => same(Ty::Number("u16", None)),
        "uint32" => same(Ty::Number("u32", None)),
        "int8" => same(Ty::Number("i8", None)),
        "int16" => same(Ty::Number("i16", None)),
        "int32" => same(Ty::Number("i32", None)),
        "float32" => same(Ty::Number("f32", None)),
        "float64" => same(Ty::Number("f64", None)),
        "bool" => same(Ty::plain("boolean")),
        "string" => same(Ty::Text("string", None)),
        "buff" => same(Ty::Text("buffer", None)),
        "vec3" => same(Ty::plain("vector")),
        "vec2" => same(Ty::plain("Vector2")),
        "cframe" => same(Ty::plain("CFrame")),
        "inst" => Meaning::but(Ty::plain("Instance"), "any class is taken; name one with Instance(Class)"),
        "unknown" => Meaning::but(Ty::Unknown, "nothing of it is validated"),
        _ => return None,
    })
}
