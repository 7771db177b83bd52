//! Writes a draft in the canonical layout.

use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::source::FileId;

use super::tidy::quoted;
use super::{Draft, Event, Function, Head, Item, Known, Payload, Rate, Side, Ty, marks, names, shapes, tidy};
use crate::Tool;
use crate::report::{Kind, Report};

/// Settles a draft and gives its text.
///
/// Errors: what the compiler has against the text, which is a fault of the converter's own.
pub(crate) fn finish(mut draft: Draft, tool: Tool, report: &mut Report) -> Result<String, String> {
    if tool.is_run() {
        shapes::share(&mut draft, report);
    }
    tidy::tidy(&mut draft, report);
    names::settle(&mut draft, report);
    marks::set(&mut draft, report);
    let mut out = header(tool);
    settings(&draft, tool, &mut out, report);
    items(&draft.items, "", &mut out, report);
    for comment in &draft.footer {
        line(&mut out, comment);
    }
    format(FileId(0), &out, Indent::Tabs).map_err(|found| {
        let first = found.first().map_or_else(String::new, |first| first.headline.clone());
        format!("the draft does not parse: {first}\n{out}")
    })
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// The comment every draft opens with.
pub(crate) fn header(tool: Tool) -> String {
    format!(
        "-- Drafted by `blinkblox convert` from {}.\n\
         -- It is a draft: settle every TODO(convert). The guide is the page \"Coming from {}\" of the book.\n\
         -- Once every rate is settled, this line belongs here:\n\
         -- option RequireRates = true\n\n",
        tool.source(),
        tool.title(),
    )
}

fn settings(draft: &Draft, tool: Tool, out: &mut String, report: &mut Report) {
    if draft.has_outputs {
        let message =
            format!("the output paths are still those of {}'s own modules: change them", tool.title());
        report.add(Kind::Outputs, "ServerOutput, ClientOutput", None, message);
    } else {
        let message =
            "the output paths are to be stated: ServerOutput and ClientOutput stand beside the schema";
        report.add(Kind::Outputs, "ServerOutput, ClientOutput", None, message);
        line(out, "-- TODO(convert): where the modules go, as in \"src/server/Net\" and \"src/client/Net\"");
        line(out, "option ServerOutput = \"Server\"");
        line(out, "option ClientOutput = \"Client\"");
    }
    for setting in &draft.settings {
        for comment in &setting.comments {
            line(out, comment);
        }
        if let Some(mark) = &setting.mark {
            line(out, &format!("-- TODO(convert): {mark}"));
        }
        line(out, &format!("option {} = {}", setting.name, setting.value));
    }
    out.push('\n');
}

/// `scope` is the path of the scope around, with its last dot.
fn items(items: &[Item], scope: &str, out: &mut String, report: &mut Report) {
    for item in items {
        for comment in &item.head().comments {
            line(out, comment);
        }
        match item {
            Item::Type(one) => declaration(&one.head, &one.ty, out),
            Item::Event(one) => event(one, scope, out, report),
            Item::Function(one) => function(one, scope, out, report),
            Item::Scope(inner) => {
                line(out, &format!("scope {} {{", inner.head.name));
                self::items(&inner.items, &format!("{scope}{}.", inner.head.name), out, report);
                line(out, "}");
            }
        }
        out.push('\n');
    }
}

fn declaration(head: &Head, ty: &Ty, out: &mut String) {
    let name = &head.name;
    // What suffixes stand on decides the keyword.
    let mut base = ty;
    while let Ty::Array(inner, _) | Ty::Optional(inner) = base {
        base = inner;
    }
    let written = text(ty);
    let text = match base {
        Ty::Struct(_) => format!("struct {name} {}", written.trim_start_matches("struct ")),
        Ty::Enum(_) | Ty::Tagged(..) => format!("enum {name} = {}", written.trim_start_matches("enum ")),
        Ty::Map(..) => format!("map {name} = {}", written.trim_start_matches("map ")),
        Ty::Plain(_) | Ty::Number(..) | Ty::Text(..) | Ty::Unknown | Ty::Named(..) => {
            format!("type {name} = {written}")
        }
        Ty::Array(..) | Ty::Optional(_) => unreachable!("suffixes were taken off above"),
    };
    // Fields of a declared struct stand on lines of their own, which one line end after the brace asks for.
    match base {
        Ty::Struct(fields) if !fields.is_empty() => line(out, &text.replacen('{', "{\n", 1)),
        _ => line(out, &text),
    }
}

fn event(event: &Event, scope: &str, out: &mut String, report: &mut Report) {
    let Head { name, place, .. } = &event.head;
    line(out, &format!("event {name} {{"));
    let name = &format!("{scope}{name}");
    let from = match event.from {
        Known::Stated(Side::Server) => "Server",
        Known::Stated(Side::Client) => "Client",
        Known::Asked => {
            line(out, "-- TODO(convert): From: Server, if the server sends it");
            report.add(Kind::Direction, name, place.clone(), format!("{name}: which side sends it"));
            "Client"
        }
    };
    line(out, &format!("From: {from},"));
    let kind = match event.kind {
        Known::Stated(kind) => kind,
        Known::Asked => {
            line(out, "-- TODO(convert): Type: Unreliable, if it is fired so");
            report.add(Kind::Reliability, name, place.clone(), format!("{name}: reliable or not"));
            "Reliable"
        }
    };
    line(out, &format!("Type: {kind},\nCall: {},", event.call));
    if from == "Client" {
        match &event.rate {
            Rate::Stated(rate) => line(out, &format!("Rate: {rate},")),
            Rate::Burst(rate, burst) => line(out, &format!("Rate: {rate},\nBurst: {burst},")),
            Rate::Asked => {
                line(out, "-- TODO(convert): Rate and Burst: how many a second a client may send");
                report.add(
                    Kind::Rate,
                    name,
                    place.clone(),
                    format!("{name}: how often a client may send it"),
                );
            }
        }
    }
    payload("Data", &event.data, out);
    line(out, "}");
}

/// What is still to decide of a function whose rate is known.
const CONCURRENCY: &str = "Concurrency: how many calls of one client may run at once";

fn function(function: &Function, scope: &str, out: &mut String, report: &mut Report) {
    let Head { name, place, .. } = &function.head;
    line(out, &format!("function {name} {{"));
    let name = &format!("{scope}{name}");
    match function.from {
        Known::Stated(Side::Server) => line(out, "From: Server,"),
        Known::Stated(Side::Client) => {}
        Known::Asked => {
            line(out, "-- TODO(convert): From: Server, if the server calls it");
            report.add(Kind::Caller, name, place.clone(), format!("{name}: which side calls it"));
        }
    }
    line(out, &format!("Yield: {},", function.yields));
    if function.from != Known::Stated(Side::Server) {
        let asked = match &function.rate {
            Rate::Stated(rate) => {
                line(out, &format!("Rate: {rate},"));
                CONCURRENCY
            }
            Rate::Burst(rate, burst) => {
                line(out, &format!("Rate: {rate},\nBurst: {burst},"));
                CONCURRENCY
            }
            Rate::Asked => "Rate and Concurrency: how many calls a second, and how many at once",
        };
        line(out, &format!("-- TODO(convert): {asked}"));
        report.add(Kind::Limits, name, place.clone(), format!("{name}: {asked}"));
    }
    payload("Data", &function.data, out);
    payload("Return", &function.returns, out);
    line(out, "}");
}

fn payload(key: &str, payload: &Payload, out: &mut String) {
    match payload {
        Payload::Nothing => {}
        Payload::One(ty) => line(out, &format!("{key}: {},", text(ty))),
        Payload::Pack(elements) => {
            let elements: Vec<String> = elements
                .iter()
                .map(|(name, ty)| match name {
                    Some(name) => format!("{name}: {}", text(ty)),
                    None => text(ty),
                })
                .collect();
            // With its comma, a pack of one bare name is no class.
            line(out, &format!("{key}: ({},),", elements.join(", ")));
        }
    }
}

/// The type as it is written where it is used.
fn text(ty: &Ty) -> String {
    match ty {
        Ty::Plain(text) | Ty::Named(_, text) => text.clone(),
        Ty::Number(name, range) | Ty::Text(name, range) => match range {
            Some(range) => format!("{name}({})", range.text()),
            None => (*name).to_string(),
        },
        Ty::Unknown => "unknown".to_string(),
        Ty::Array(inner, range) => {
            format!("{}[{}]", text(inner), range.as_ref().map(super::Range::text).unwrap_or_default())
        }
        Ty::Optional(inner) => format!("{}?", text(inner)),
        Ty::Struct(fields) => format!("struct {}", body(fields)),
        Ty::Enum(values) => {
            let values: Vec<String> = values.iter().map(|value| label(value)).collect();
            format!("enum {{ {} }}", values.join(", "))
        }
        Ty::Tagged(tag, variants) => {
            let variants: Vec<String> =
                variants.iter().map(|(name, fields)| format!("{} {}", key(name), body(fields))).collect();
            format!("enum {} {{ {} }}", quoted(tag).unwrap_or_default(), variants.join(", "))
        }
        Ty::Map(key, value) => format!("map {{ [{}]: {} }}", text(key), text(value)),
    }
}

fn body(fields: &[(String, Ty)]) -> String {
    if fields.is_empty() {
        return "{}".to_string();
    }
    let fields: Vec<String> =
        fields.iter().map(|(name, ty)| format!("{}: {}", key(name), text(ty))).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// A name of a field or variant.
fn key(name: &str) -> String {
    if names::identifier(name) == name {
        name.to_string()
    } else {
        format!("[{}]", quoted(name).unwrap_or_default())
    }
}

/// A value of an enum.
fn label(name: &str) -> String {
    if names::identifier(name) == name { name.to_string() } else { quoted(name).unwrap_or_default() }
}
