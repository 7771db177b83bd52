//! What ByteNet, Packet, QuickNet and Warp definitions declared, as drafts. A file a tool; types are [`types`].
//!
//! Source: tooling specification, 8.5 to 8.7.

mod bytenet;
mod packet;
mod quicknet;
mod types;
mod warp;

use std::rc::Rc;

use blinkblox_compiler::source::SourceLoader;

use crate::draft::{Draft, Head, Payload, Ty};
use crate::report::{Kind, Report};
use crate::sandbox::{self, Limits, Ran, Record};
use crate::{Refusal, Tool};

/// Runs definitions and drafts what they declare.
pub(crate) fn read(
    tool: Tool,
    loader: &Rc<dyn SourceLoader>,
    path: &str,
    limits: Limits,
    report: &mut Report,
) -> Result<Draft, Box<Refusal>> {
    let ran = sandbox::run(tool, loader, path, limits)?;
    for asked in &ran.captured.requires {
        let what = asked.text("asked");
        let message =
            format!("require of \"{what}\" was answered with a placeholder: what it declares is not here");
        report.add(Kind::Require, what, ran.place(asked.at()), message);
    }
    for loss in &ran.captured.losses {
        report.lost(loss.text("name"), ran.place(loss.at()), loss.text("message"));
    }
    if let Some((at, why)) = types::too_large(&ran) {
        return Err(ran.refuse(at, why));
    }
    let lower: fn(&Ran, &mut Report) -> Draft = match tool {
        Tool::ByteNet => bytenet::lower,
        Tool::Packet => packet::lower,
        Tool::QuickNet => quicknet::lower,
        Tool::Warp => warp::lower,
        Tool::Zap | Tool::Blink | Tool::Remotes => |_, _| Draft::default(),
    };
    let draft = lower(&ran, report);
    if draft.items.is_empty() {
        let title = tool.title();
        return Err(ran.refuse(
            (1, 1),
            format!("nothing is declared with {title}: is the library required under its own name?"),
        ));
    }
    Ok(draft)
}

/// What every declaration of a record has.
fn head(ran: &Ran, record: &Record, name: &str) -> Head {
    Head { name: name.to_string(), comments: vec![], place: ran.place(record.at()) }
}

/// Unnamed values: nothing, one, or a pack.
fn payload(mut types: Vec<Ty>) -> Payload {
    match types.len() {
        0 => Payload::Nothing,
        1 => types.pop().map_or(Payload::Nothing, Payload::One),
        _ => Payload::Pack(types.into_iter().map(|ty| (None, ty)).collect()),
    }
}
