//! Warp: an event a name, with the schema it uses. Source: tooling specification, 8.7.

use std::collections::BTreeMap;

use super::types::{Meaning, Types};
use super::{head, payload};
use crate::draft::{Draft, Event, Item, Known, Rate, Ty, lost};
use crate::report::{Kind, Report};
use crate::sandbox::{Ran, Record};

pub(super) fn lower(ran: &Ran, report: &mut Report) -> Draft {
    let mut named: BTreeMap<String, &Record> = BTreeMap::new();
    for record in &ran.captured.records {
        let name = record.text("name");
        let is_shape = |record: &Record| record.text("kind") == "event";
        match named.get(&name) {
            Some(known) if is_shape(known) && !is_shape(record) => {}
            Some(known) => {
                if is_shape(known) {
                    let message = format!("{name}: a later useSchema takes the place of this one");
                    report.lost(&name, ran.place(known.at()), message);
                }
                // The schema says more than the name alone.
                if is_shape(record) {
                    named.insert(name, record);
                }
            }
            None => {
                named.insert(name, record);
            }
        }
    }
    let mut draft = Draft::default();
    for (name, record) in named {
        let head = head(ran, record, &name);
        let data = if record.text("kind") == "event" {
            payload(vec![Types { ran, names, head: &head, report }.ty(record.index("data"))])
        } else {
            lost(report, &head, format!("{name}: has no schema, so its data is `unknown`"));
            payload(vec![Ty::Unknown])
        };
        draft.items.push(Item::Event(Event {
            head,
            from: Known::Asked,
            kind: Known::Asked,
            call: "ManyAsync",
            rate: Rate::Asked,
            data,
        }));
    }
    let advice = "An event that is asked with Invoke is a request: turn it into a `function`";
    report.add(Kind::Advice, "Invoke", None, advice);
    draft
}

fn names(name: &str) -> Option<Meaning> {
    let same = Meaning::same;
    Some(match name {
        "u8" => same(Ty::Number("u8", None)),
        "u16" => same(Ty::Number("u16", None)),
        "u32" => same(Ty::Number("u32", None)),
        "i8" => same(Ty::Number("i8", None)),
        "i16" => same(Ty::Number("i16", None)),
        "i32" => same(Ty::Number("i32", None)),
        "f16" => same(Ty::Number("f16", None)),
        "f32" => same(Ty::Number("f32", None)),
        "f64" => same(Ty::Number("f64", None)),
        "boolean" => same(Ty::plain("boolean")),
        "string" => same(Ty::Text("string", None)),
        "buffer" => same(Ty::Text("buffer", None)),
        "instance" => {
            Meaning::but(Ty::plain("Instance"), "any class is taken; name one with Instance(Class)")
        }
        "vector3" => same(Ty::plain("vector<f16>")),
        "vector3int16" => same(Ty::plain("vector<i16>")),
        "vector2" | "vector2int16" => same(Ty::plain("Vector2")),
        "cframe" => same(Ty::plain("CFrame")),
        "color3" | "color3f16" => same(Ty::plain("Color3")),
        "udim" => same(Ty::plain("UDim")),
        "udim2" => same(Ty::plain("UDim2")),
        "numberrange" => same(Ty::plain("NumberRange")),
        "colorsequence" => same(Ty::plain("ColorSequence")),
        "brickcolor" => same(Ty::plain("BrickColor")),
        "tweeninfo" => same(Ty::plain("TweenInfo")),
        "datetime" => same(Ty::plain("DateTime")),
        _ => return None,
    })
}
