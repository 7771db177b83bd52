//! Names the generated modules need for themselves: `E3005`. Source: language specification, 4.6.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::luau;
use crate::schema::Casing;
use crate::schema::event::DeclaredMember;
use crate::schema::resolve::{DeclaredName, NameKind};
use crate::source::Span;

/// Members every module has.
pub(crate) const MEMBERS: &[&str] = &[
    "StepReplication",
    "SetRateLimitHandler",
    "SetDecodeErrorHandler",
    "SetPacketDropHandler",
    "SetListenerErrorHandler",
    "GetTrafficStats",
    "ResetTrafficStats",
];

/// Luau's own types, which no alias may hide at any depth.
pub(crate) const LUAU_TYPES: &[&str] = &["any", "never", "number", "thread"];

/// Roblox types every module names.
pub(crate) const ROBLOX_TYPES: &[&str] = &["Player", "RemoteEvent", "UnreliableRemoteEvent", "Vector3"];

/// Types the modules declare for themselves.
pub(crate) const MODULE_TYPES: &[&str] = &[
    "BLINK_ENTRY",
    "BLINK_QUEUE",
    "BLINK_BUFFER_SAVE",
    "BLINK_INVOCATIONS",
    "BLINK_DROP_REASON",
    "BLINK_TRAFFIC_COUNTS",
    "BLINK_TRAFFIC_STATS",
    "BLINK_EVENTS_SYMBOL",
    "BLINK_STREAM",
    "BLINK_PLAYER_STREAM",
];

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let casing = checked.schema.options.casing;
    let members: Vec<String> = MEMBERS.iter().map(|member| spelled(member, casing)).collect();
    for declared in checked.names {
        let reserved = member(checked, declared, &members)
            .or_else(|| optional_member(checked, declared))
            .or_else(|| type_name(checked, declared));
        sink.extend(reserved);
    }
}

/// A `Pascal` name in the spelling of the casing.
pub(crate) fn spelled(name: &str, casing: Casing) -> String {
    match casing {
        Casing::Pascal => name.to_string(),
        Casing::Camel => {
            let mut chars = name.chars();
            chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
        }
        Casing::Snake => {
            let mut snake = String::new();
            for (at, char) in name.chars().enumerate() {
                if char.is_ascii_uppercase() && at > 0 {
                    snake.push('_');
                }
                snake.push(char.to_ascii_lowercase());
            }
            snake
        }
    }
}

/// The seven members: as spelled in the module at the top level, and as spelled here for types, events and functions.
///
/// `members` are those names as the casing spells them.
fn member(checked: &Checked, declared: &DeclaredName, members: &[String]) -> Option<Diagnostic> {
    let here = match declared.kind {
        NameKind::Type { .. }
        | NameKind::Event
        | NameKind::Function
        | NameKind::State
        | NameKind::Table
        | NameKind::Entity => true,
        NameKind::Scope | NameKind::Import => false,
    };
    let text = declared.name.text.as_str();
    let reserved = (here && MEMBERS.contains(&text))
        || (declared.top_level && members.iter().any(|member| member == text));
    reserved.then(|| {
        module_member(
            &declared.name.text,
            declared.name.span,
            checked.option("Casing"),
            "spells the member so",
        )
    })
}

/// Members an option adds.
fn optional_member(checked: &Checked, declared: &DeclaredName) -> Option<Diagnostic> {
    if !declared.top_level {
        return None;
    }
    let options = &checked.schema.options;
    let entities =
        checked.declared.iter().any(|one| one.compiled && matches!(one.member, DeclaredMember::Entity(_)));
    let keyed = !matches!(declared.kind, NameKind::Type { export: false });
    let added = [
        ("Remotes", true, keyed, None),
        ("Start", !options.auto_start, keyed, checked.option("AutoStart")),
        (
            "Connected",
            options.client_connect_timeout.is_some(),
            keyed,
            checked.option("ClientConnectTimeout"),
        ),
        ("Limits", options.export_limits, true, checked.option("ExportLimits")),
        ("Session", options.session, keyed, checked.option("Session")),
        ("Lobby", options.lobby, keyed, checked.option("Lobby")),
        ("StepTables", !checked.tables.is_empty(), keyed, None),
        ("HasRemoteAuthority", entities, keyed, None),
        ("SetReplicationRate", entities, keyed, None),
        ("GetReplicationRate", entities, keyed, None),
    ];
    let text = &declared.name.text;
    let (_, _, _, option) = added
        .into_iter()
        .find(|(name, added, binds, _)| *added && *binds && spelled(name, options.casing) == *text)?;
    Some(module_member(text, declared.name.span, option, "adds the member"))
}

fn module_member(name: &str, span: Span, option: Option<Span>, words: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeReservedName, format!("\"{name}\" is a member of the generated module"))
        .primary(span, "taken by the module")
        .opt_secondary(option, words)
        .note("Choose another name.")
}

/// Types that would hide one the module needs.
fn type_name(checked: &Checked, declared: &DeclaredName) -> Option<Diagnostic> {
    let NameKind::Type { .. } = declared.kind else { return None };
    let (text, span) = (declared.name.text.as_str(), declared.name.span);
    if LUAU_TYPES.contains(&text) {
        return Some(reserved(text, span, "is a type of Luau's own", None));
    }
    if !declared.top_level {
        return None;
    }
    if luau::KEYWORDS.contains(&text) {
        return Some(reserved(text, span, "is a keyword of Luau", None));
    }
    if MODULE_TYPES.contains(&text) {
        return Some(reserved(text, span, "is a type the generated module declares for itself", None));
    }
    let used = match text {
        "Enum" | "EnumItem" => checked.uses.enum_item,
        "ColorSequenceKeypoint" => checked.uses.color_sequence,
        _ => checked.uses.classes.get(text).copied(),
    };
    let hidden = ROBLOX_TYPES.contains(&text) || used.is_some();
    hidden.then(|| reserved(text, span, "is a Roblox type the generated module uses", used))
}

fn reserved(name: &str, span: Span, why: &str, used: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeReservedName, format!("\"{name}\" {why}"))
        .primary(span, "cannot be declared")
        .opt_secondary(used, "brings the Roblox type in")
        .note("Choose another name.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_the_casing_says() {
        assert_eq!(spelled("StepReplication", Casing::Camel), "stepReplication");
        assert_eq!(spelled("SetRateLimitHandler", Casing::Snake), "set_rate_limit_handler");
        assert_eq!(spelled("Remotes", Casing::Pascal), "Remotes");
    }
}
