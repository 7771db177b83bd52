//! Elements of type packs, which become parameters: `E3004` and `E3005`. Source: language specification, 4.6, 10.21.

use std::collections::HashMap;

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::luau;
use crate::schema::event::DeclaredMember;
use crate::schema::{Element, Payload};
use crate::source::Span;

/// Names the generated functions use themselves.
pub(crate) const FUNCTION_NAMES: &[&str] = &[
    "Allocate",
    "Buffer",
    "CheckUnreliableSize",
    "ClaimInvocation",
    "Cursor",
    "Events",
    "Except",
    "Failure",
    "Future",
    "Instances",
    "InvocationIdentifier",
    "Invocations",
    "InvokePlayer",
    "List",
    "Listener",
    "ListenerFailed",
    "ListenerFailure",
    "ListenerRan",
    "Load",
    "Mark",
    "NextOrder",
    "OnCancel",
    "ParkInvocation",
    "Player",
    "PlayerInvocations",
    "Players",
    "PlayersMap",
    "Position",
    "Previous",
    "Promise",
    "Queue",
    "Reject",
    "ReleaseInvocation",
    "Reliable",
    "Resolve",
    "Rollback",
    "RunListener",
    "Save",
    "SavePlayerBuffer",
    "SendBuffer",
    "SendCursor",
    "SendInstances",
    "Sent",
    "SerdesEvent",
    "SerdesFunctions",
    "Size",
    "Spawn",
    "Success",
    "TimeoutInvocation",
    "TimeoutPlayerInvocation",
    "Unreliable",
    "buffer",
    "coroutine",
    "error",
    "pcall",
    "table",
    "task",
    "typeof",
];

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        match &declared.member {
            DeclaredMember::Event(event) => payload(&event.data, &format!("event \"{}\"", event.name), sink),
            DeclaredMember::Function(function) => {
                let owner = format!("function \"{}\"", function.name);
                payload(&function.data, &owner, sink);
                payload(&function.return_, &owner, sink);
            }
            DeclaredMember::Entity(_) => {}
        }
    }
}

fn payload(payload: &Payload, owner: &str, sink: &mut Vec<Diagnostic>) {
    let Payload::Pack(elements) = payload else { return };
    let mut seen: HashMap<String, Span> = HashMap::new();
    for (position, element) in elements.iter().enumerate() {
        let name = element.parameter(position);
        match seen.get(&name) {
            Some(first) => sink.push(duplicate(element.span, *first, owner, &name)),
            None => {
                sink.extend(reserved(element));
                seen.insert(name, element.span);
            }
        }
    }
}

fn reserved(element: &Element) -> Option<Diagnostic> {
    let name = element.name.as_deref()?;
    let why = match (luau::KEYWORDS.contains(&name), FUNCTION_NAMES.contains(&name)) {
        (true, _) => "is a keyword of Luau",
        (false, true) => "is a name the generated function uses itself",
        (false, false) => return None,
    };
    Some(
        Diagnostic::error(Code::AnalyzeReservedName, format!("\"{name}\" {why}"))
            .primary(element.span, "becomes a parameter")
            .note("Choose another name; names of elements do not travel."),
    )
}

fn duplicate(span: Span, first: Span, owner: &str, name: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateMember, format!("{owner} names the element \"{name}\" twice"))
        .primary(span, "named again here")
        .secondary(first, "first named here")
        .note("Rename one of the two. An element without a name is `Value` and its place.")
}
