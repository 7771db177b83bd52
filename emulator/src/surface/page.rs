//! The page of the book that lists the surface, written from the tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::datamodel::classes::all_classes;
use crate::datamodel::members::{self, EngineKind, Kind, Member, SideRule, engine};
use crate::datatypes;
use crate::vm::Failure;

const HEAD: &str = "\
<!-- Written from the emulator's tables. A test holds it to them and says how to write it anew. -->

# What the emulator has of Roblox

Every class and every property of Roblox is there, with its type, its default and the errors of wrong values. Methods,
events and callbacks are those of the tables below, by the class that declares them; what extends a class has them too.
`blinkblox emu doctor` says which of the members that a project uses are not among them.

- **Side**: where a member may be used; elsewhere it raises the engine's error. **Yields**: a call may wait.
- **Instead**: what the emulator does that Roblox does otherwise. Without a word it does the same.
- A *method* or *callback* of Roblox that is not listed raises an error that names it and how to stub it:
  `side:stub(\"Part\", \"ApplyImpulse\", function(part, impulse) ... end)`.
- An *event* of Roblox that is not listed can be connected to, and never fires by itself; diagnostic `E-UNEMU` says so.
  A test fires it: `side:fire(part, \"Touched\", other)`.
- A name that Roblox has not either is the engine's error for it.
";

/// The page. Errors: there is no memory for the VM that is asked.
pub fn text() -> Result<String, Failure> {
    let mut out = String::from(HEAD);
    classes(&mut out);
    types(&mut out)?;
    globals(&mut out)?;
    Ok(out)
}

fn line(out: &mut String, text: impl AsRef<str>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}", text.as_ref());
}

fn classes(out: &mut String) {
    let mut by_class: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in members::all() {
        by_class.entry(member.class).or_default().push(member);
    }
    line(out, "\n## Classes\n");
    let services = all_classes().filter(|class| class.is_service()).count();
    line(
        out,
        format!(
            "{} classes, {services} services among them; {} members that do something, of {} of the engine.",
            all_classes().count(),
            by_class.values().map(Vec::len).sum::<usize>(),
            engine::all().len()
        ),
    );
    for (class, mut own) in by_class {
        own.sort_by_key(|member| (rank(member), member.name));
        line(out, format!("\n### {class}\n"));
        line(out, "| Member | Side | Yields | Instead |");
        line(out, "|---|---|---|---|");
        for member in own {
            let side = match member.side {
                SideRule::Any => "",
                SideRule::Server => "server",
                SideRule::Client => "client",
            };
            let yields = if member.yields { "yes" } else { "" };
            line(out, format!("| `{}` | {side} | {yields} | {} |", declared(member), member.instead));
        }
        let missing: Vec<&str> = engine::own(class)
            .iter()
            .filter(|known| !known.is_deprecated && !known.is_for_plugins)
            .filter(|known| !members::all().any(|own| (own.class, own.name) == (known.class, known.name)))
            .map(|known| known.name)
            .collect();
        if !missing.is_empty() {
            line(out, format!("\nNot emulated: {}.", missing.join(", ")));
        }
    }
}

fn rank(member: &Member) -> u8 {
    match member.kind {
        Kind::Property(..) => 0,
        Kind::Method(_) => 1,
        Kind::Event => 2,
        Kind::Callback => 3,
    }
}

/// A member as code uses it: `:Method(arguments) -> result`, `.Event(arguments)`, `.Property`.
fn declared(member: &Member) -> String {
    let (name, signature) = (member.name, &member.signature);
    let gives = if signature.result.is_empty() { String::new() } else { format!(" -> {}", signature.result) };
    // A bar would end the cell.
    let text = match member.kind {
        Kind::Method(_) => format!(":{name}({}){gives}", signature.arguments),
        Kind::Event => format!(".{name}({})", signature.arguments),
        Kind::Callback => format!(".{name} = function({}){gives}", signature.arguments),
        Kind::Property(..) => format!(".{name}"),
    };
    text.replace('|', "or")
}

fn types(out: &mut String) -> Result<(), Failure> {
    line(out, "\n## Types of values\n");
    line(out, "| Type | Library | Properties | Methods |");
    line(out, "|---|---|---|---|");
    for one in datatypes::surface()? {
        let (library, properties, methods) =
            (one.library.join(" "), one.properties.join(" "), one.methods.join(" "));
        line(out, format!("| `{}` | {library} | {properties} | {methods} |", one.name));
    }
    line(out, format!("\nNot emulated: {}.", super::MISSING_TYPES.join(", ")));
    Ok(())
}

fn globals(out: &mut String) -> Result<(), Failure> {
    let found = super::globals()?;
    let own = ["script", "plugin"];
    let missing: Vec<&str> =
        super::GLOBALS.iter().copied().filter(|name| !found.contains(name) && !own.contains(name)).collect();
    line(out, "\n## Globals\n");
    line(out, found.join(", ") + "; `script` in a script.");
    line(out, format!("\nNot emulated: {}.", missing.join(", ")));
    Ok(())
}

/// Numbers of the engine's members by kind, and of those that are emulated, for reports.
pub fn totals() -> [(EngineKind, usize, usize); 3] {
    [EngineKind::Method, EngineKind::Event, EngineKind::Callback].map(|kind| {
        let known: Vec<_> = engine::all().iter().filter(|member| member.kind == kind).collect();
        let has = |member: &&&engine::EngineMember| {
            members::all().any(|own| (own.class, own.name) == (member.class, member.name))
        };
        let emulated = known.iter().filter(has).count();
        (kind, known.len(), emulated)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_count_what_there_is() {
        let [(_, methods, emulated), (_, events, fired), (_, callbacks, called)] = totals();
        assert!(methods > 1500 && emulated > 150 && emulated < methods);
        assert!(events > 350 && fired > 40 && callbacks > 5 && called >= 3);
    }
}
