//! Messages of name resolution and types. Each is one fact, one narrow span, one thing to do.

use crate::diagnostics::{Code, Diagnostic, Fix, suggest};
use crate::schema::Profile;
use crate::source::Span;
use crate::wire::plan::Step;
use crate::wire::signature::number_text;

// Built-in types.

pub fn lone_quat(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidComponent, format!("{word} is no type of its own"))
        .primary(span, "only a CFrame's rotation can be this")
        .note(format!("Write `CFrame<{word}>`."))
        .fix_write(span, format!("CFrame<{word}>"))
}

pub fn optional_quat(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidOptional, format!("{word} cannot be optional"))
        .primary(span, "no type of its own")
        .note(format!("Write `CFrame<{word}>?`."))
        .fix_write(span, format!("CFrame<{word}>?"))
}

pub fn unexpected_range(span: Span, word: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeUnexpectedRange, format!("{name} takes no range"))
        .primary(span, "nothing to bound")
        .secondary(word, "this type has no range")
        .note("Delete the range. Numbers, string, buffer, vector and arrays have one.")
        .fix_delete(span)
}

/// `span` is the first thing in the angle brackets `angles`.
pub fn unexpected_component(span: Span, angles: Span, word: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidComponent, format!("{name} takes nothing in angle brackets"))
        .primary(span, "not part of this type")
        .secondary(word, "this type")
        .note("Delete the angle brackets.")
        .fix_delete(angles)
}

/// `near` is the component that was probably meant.
pub fn no_component(span: Span, word: Span, name: &str, near: Option<&str>) -> Diagnostic {
    let kinds = if name == "CFrame" { "a number type, quat or quat32" } else { "a number type" };
    Diagnostic::error(Code::AnalyzeInvalidComponent, format!("a component of {name} is {kinds}"))
        .primary(span, "no such component")
        .secondary(word, "this type")
        .did_you_mean(span, near)
        .note(if name == "CFrame" {
            "Write, say, `CFrame<quat, f32>`."
        } else {
            "Write, say, `vector<f24>`."
        })
}

/// `spare` is what to delete: the components too many, and the comma in front of them.
pub fn too_many_components(span: Span, spare: Span, word: Span, name: &str, most: usize) -> Diagnostic {
    let count = if most == 1 { "one component".to_string() } else { format!("{most} components") };
    Diagnostic::error(Code::AnalyzeInvalidComponent, format!("{name} takes at most {count}"))
        .primary(span, "one too many")
        .secondary(word, "this type")
        .note("Delete it.")
        .fix_delete(spare)
}

pub fn second_quat(span: Span, first: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidComponent, "a CFrame has one rotation")
        .primary(span, "a second quaternion")
        .secondary(first, "the first")
        .note("Make the second component a number type: that of the position.")
        .fix_write(span, "f32")
}

/// `near` is the modifier that was probably meant.
pub fn no_modifier(span: Span, word: Span, near: Option<&str>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNumberModifier, "a number takes a scale and `saturate` in angle brackets")
        .primary(span, "neither of the two")
        .secondary(word, "this number")
        .did_you_mean(span, near)
        .note("Write, say, `u8<0.5>` or `u8<saturate>`.")
}

/// `spare` is what to delete, when both say the same: the second and the comma in front of it.
pub fn repeated_modifier(span: Span, first: Span, what: &str, spare: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNumberModifier, format!("a number takes one {what}"))
        .primary(span, "the second")
        .secondary(first, "the first")
        .note("Delete one of the two.")
        .opt_fix(spare.map(Fix::delete))
}

pub fn bad_scale(span: Span, word: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNumberModifier, "a scale is a finite number above zero")
        .primary(span, "no size of a step")
        .secondary(word, "this number")
        .note("Give the size of a step, such as `0.5`.")
}

pub fn open_scale(span: Span, word: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNumberModifier, format!("a scaled {name} needs a range with both bounds"))
        .primary(span, "steps from where to where?")
        .secondary(word, "this number")
        .note(format!("Write both bounds, as in `{name}<0.5>(0..100)`."))
}

pub fn too_many_steps(span: Span, word: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNumberModifier, "the range holds more than 4294967295 steps")
        .primary(span, "steps of this size")
        .secondary(word, "this number")
        .note("Take a larger scale, or a narrower range.")
}

/// `rounded` are the bounds that are not whole, each with the whole number nearest to it.
pub fn fractional_bound(span: Span, word: Span, name: &str, rounded: &[(Span, f64)]) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidRange, format!("a bound of {name} is a whole number"))
        .primary(span, "not whole")
        .secondary(word, "the type it bounds")
        .note("Round it.")
        .opt_fix(bounds_fix(rounded))
}

/// Writes other numbers in place of bounds.
fn bounds_fix(bounds: &[(Span, f64)]) -> Option<Fix> {
    let texts: Vec<String> = bounds.iter().map(|(_, bound)| number_text(*bound)).collect();
    let edits: Vec<(Span, String)> =
        bounds.iter().map(|(span, _)| *span).zip(texts.iter().cloned()).collect();
    // A number in a schema has no exponent.
    let written = texts.iter().all(|text| !text.contains(['e', 'i']));
    (written && !edits.is_empty()).then(|| Fix { title: format!("Write {}", texts.join(" and ")), edits })
}

/// `nearest` are the bounds outside of the type, each with the nearest that fits; `wider` a type that holds all.
pub fn bound_out_of_type(
    span: Span,
    word: Span,
    name: &str,
    (least, greatest): (f64, f64),
    nearest: &[(Span, f64)],
    wider: Option<&str>,
) -> Diagnostic {
    let (least, greatest) = (number_text(least), number_text(greatest));
    let note = match greatest.as_str() {
        "inf" => format!("Use {least} or more."),
        _ => format!("Use a number from {least} to {greatest}."),
    };
    Diagnostic::error(Code::AnalyzeInvalidRange, format!("the range does not fit {name}"))
        .primary(span, "outside of it")
        .secondary(word, "the type it bounds")
        .note(note)
        .opt_note(wider.map(|wider| format!("Or use {wider}, which holds it.")))
        .opt_fix(bounds_fix(nearest))
        .opt_fix(wider.map(|wider| Fix::write(word, wider)))
}

/// `swapped` are the two bounds, each with the value of the other.
pub fn upside_down(span: Span, swapped: &[(Span, f64)]) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidRange, "the range has its minimum above its maximum")
        .primary(span, "upside down")
        .note("Swap the bounds.")
        .opt_fix(bounds_fix(swapped).map(|fix| Fix { title: "Swap the bounds".to_string(), ..fix }))
}

/// `nearest` are the bounds between two steps, each with the nearest step.
pub fn between_steps(span: Span, scale: Span, step: Step, bound: f64, nearest: &[(Span, f64)]) -> Diagnostic {
    let near = step.decode(step.encode(bound));
    Diagnostic::error(Code::AnalyzeInvalidRange, "a bound falls between two steps")
        .primary(span, "no whole number of steps")
        .secondary(scale, "the size of a step")
        .note(format!("The nearest step is {}.", number_text(near)))
        .opt_fix(bounds_fix(nearest))
}

/// `nearest` are the bounds outside of what the steps reach, each with the nearest that fits.
pub fn scaled_out_of_type(
    span: Span,
    scale: Span,
    name: &str,
    (least, greatest): (f64, f64),
    nearest: &[(Span, f64)],
) -> Diagnostic {
    let (least, greatest) = (number_text(least), number_text(greatest));
    Diagnostic::error(Code::AnalyzeInvalidRange, format!("the range does not fit {name} with this step"))
        .primary(span, "outside of it")
        .secondary(scale, "the size of a step")
        .note(format!("It holds {least} to {greatest}. Take a larger step or a wider type."))
        .opt_fix(bounds_fix(nearest))
}

pub fn ranged_composite(span: Span, ty: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeUnexpectedRange, "this type takes no range")
        .primary(span, "nothing to bound")
        .secondary(ty, "this type has no range")
        .note("Delete the range. Numbers, string, buffer, vector and arrays have one.")
        .fix_delete(span)
}

pub fn unknown_class(span: Span, name: &str, near: Option<&str>) -> Diagnostic {
    Diagnostic::warning(
        Code::AnalyzeUnknownClass,
        format!("there is no class \"{name}\" that this release knows"),
    )
    .primary(span, "misspelt, or newer than this release")
    .did_you_mean(span, near)
    .note("An Instance that is not of the class named is refused on receipt.")
}

// References.

/// A declaration further down, and whether it uses the one being read.
#[derive(Clone, Copy)]
pub struct Later {
    pub span: Span,
    pub mutual: bool,
}

pub fn unknown_reference(span: Span, name: &str, later: Option<Later>, near: Option<&str>) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::AnalyzeUnknownReference, format!("no type named \"{name}\" is visible here"))
            .primary(span, "not declared above");
    match (later, near) {
        (Some(later), _) => diagnostic.secondary(later.span, "declared only here").note(match later.mutual {
            false => "Move that declaration above this use.",
            true => {
                "It uses this one in turn, and no order of the two works: a type is written out where it is used. \
                 Refer to one of them by a number of its own, such as an id."
            }
        }),
        (None, _) if name == "Enum" => diagnostic.note("Name a Roblox enum: `Enum(Font)`."),
        (None, _) if super::classes::is_known(name) => {
            let class = format!("Instance({name})");
            diagnostic.note(format!("A class of Roblox is written `{class}`.")).opt_fix(Some(Fix::write(span, class)))
        }
        (None, Some(near)) => diagnostic.did_you_mean(span, Some(near)),
        (None, None) => diagnostic.note(format!(
            "Declare it above, as in `type {} = u8`.",
            name.rsplit('.').next().unwrap_or(name)
        )),
    }
}

pub fn recursive(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeRecursiveType, format!("\"{name}\" contains itself"))
        .primary(span, "the type would have no end")
        .secondary(declared, "while declaring this")
        .note("Refer to other values by a number of their own, such as an id: references are written out in place.")
}

pub fn excluded_reference(span: Span, name: &str, attribute: Span) -> Diagnostic {
    Diagnostic::error(
        Code::AnalyzeExcludedReference,
        format!("\"{name}\" is left out of this build, but used in it"),
    )
    .primary(span, "compiled in this build")
    .secondary(attribute, "leaves it out")
    .note("Mark the user with the same profile, or take the mark off the type.")
}

pub fn bare_entity(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidOptional, format!("\"{name}\" is an entity, and may not be there"))
        .primary(span, "needs a `?`")
        .secondary(declared, "declared here")
        .note(format!("Write `{name}?`: where the entity is not known it arrives as nil."))
        .opt_fix(Some(Fix::write(span, format!("{name}?"))))
}

pub fn argument_count(span: Span, name: &str, wanted: usize, given: usize, declared: Span) -> Diagnostic {
    let plural =
        |count: usize| if count == 1 { "1 argument".to_string() } else { format!("{count} arguments") };
    Diagnostic::error(Code::ParseUnexpectedToken, format!("\"{name}\" takes {}, not {given}", plural(wanted)))
        .primary(span, format!("{wanted} needed"))
        .secondary(declared, "declared here")
        .note("Give one type for each parameter.")
}

pub fn cannot_refine(span: Span, name: &str, declared: Option<Span>, parameter: bool) -> Diagnostic {
    let what = if parameter { "a parameter" } else { "no bare built-in type" };
    Diagnostic::error(Code::ParseUnexpectedToken, format!("\"{name}\" is {what} and cannot be refined"))
        .primary(span, "nothing can stand here")
        .opt_secondary(declared, "declared here")
        .note("Delete it, or refine the type where it is declared.")
        .fix_delete(span)
}

pub fn wrong_kind(span: Span, name: &str, found: Option<Span>, keyword: &str) -> Diagnostic {
    let (headline, note) = match keyword {
        "type" => (
            format!("\"{name}\" is no built-in type or alias of one"),
            "`type` names built-in types. Use the composite type where it is needed.".to_string(),
        ),
        _ => (
            format!("\"{name}\" is no {keyword}"),
            format!("`{keyword}` takes a body or the name of another {keyword}."),
        ),
    };
    Diagnostic::error(Code::AnalyzeWrongKind, headline)
        .primary(span, "the wrong kind of type")
        .opt_secondary(found, "declared here")
        .note(note)
}

pub fn not_a_struct(span: Span, name: &str, found: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeWrongKind, format!("\"{name}\" is no struct and cannot be merged"))
        .primary(span, "only a struct can be merged")
        .opt_secondary(found, "declared here")
        .note("Name a struct, or give the value a field of its own.")
}

pub fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "with every name written out, this type is too large")
        .primary(span, "too large")
        .note(format!(
            "At most {} types may stand inside one another or be named one by the other, and {} in one type.",
            super::extent::MAX_DEPTH,
            super::extent::MAX_WEIGHT
        ))
}

// Members of types.

/// `same` is the second with its comma, when the two do not differ.
pub fn duplicate_member(
    span: Span,
    first: Span,
    owner: &str,
    kind: &str,
    name: &str,
    same: Option<Span>,
) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateMember, format!("{owner} names the {kind} \"{name}\" twice"))
        .primary(span, "named again here")
        .secondary(first, "first named here")
        .note("Rename one of the two, or delete it.")
        .opt_fix(same.map(Fix::delete))
}

pub fn duplicate_merge(span: Span, first: Span, second: Span, owner: &str, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::AnalyzeDuplicateMember,
        format!("{owner} gets the field \"{name}\" twice by this merge"),
    )
    .primary(span, "brings it in again")
    .secondary(first, "already there")
    .secondary(second, "merged from here")
    .note("Rename one of the two, or leave the merge out.")
}

pub fn tag_as_field(span: Span, tag: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::AnalyzeReservedName,
        format!("a variant has a field named \"{name}\", like the tag"),
    )
    .primary(span, "the tag takes this key")
    .secondary(tag, "the tag")
    .note("Rename the field or the tag.")
}

pub fn empty_enum(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeEnumSize, "an enum needs at least one value")
        .primary(span, "has none")
        .note("Name a value between its braces.")
}

pub fn large_enum(span: Span, name: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeEnumSize, "an enum holds at most 256 values")
        .primary(span, "the 257th")
        .secondary(name, "this enum")
        .note("Split it, or send a number.")
}

// Declarations.

pub fn duplicate_declaration(span: Span, first: Span, name: &str, what: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateDeclaration, format!("the {what} name \"{name}\" is taken"))
        .primary(span, "declared again here")
        .secondary(first, "first declared here")
        .note("Rename one of the two.")
}

/// `export` is the type's word `export`, with the white space behind it.
pub fn export_beside_member(span: Span, first: Span, name: &str, export: Option<Span>) -> Diagnostic {
    let headline = format!("\"{name}\" is both an exported type and a member of its scope");
    Diagnostic::error(Code::AnalyzeDuplicateDeclaration, headline)
        .primary(span, "takes the same key of the module")
        .secondary(first, "takes it first")
        .note("Rename one of the two, or leave `export` out.")
        .opt_fix(export.map(Fix::delete))
}

pub fn duplicate_luau_name(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateDeclaration, format!("two types are named \"{name}\" in Luau"))
        .primary(span, "comes out under this name too")
        .secondary(first, "comes out under this name")
        .note("Rename one of the two: a scope's name and its type's are joined by `_`.")
}

pub fn generic_labels(span: Span, name: Span, keyword: &str) -> Diagnostic {
    let what = if keyword == "set" { "a set" } else { "a unit enum" };
    Diagnostic::error(Code::AnalyzeUnexpectedGenerics, format!("{what} takes no parameters"))
        .primary(span, "nothing they could stand for")
        .secondary(name, "declared here")
        .note("Delete them. Structs, maps and tagged enums take parameters.")
        .fix_delete(span)
}

pub fn generic_suffix(span: Span, params: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeUnexpectedGenerics, "a generic declaration takes no suffix")
        .primary(span, "not part of a template")
        .secondary(params, "generic because of these")
        .note("Write the suffix where the type is used.")
}

/// `export` is the word with the white space behind it.
pub fn not_exportable(span: Span, export: Span, keyword: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNotExportable, format!("{what} cannot be exported"))
        .primary(span, "only types can be exported")
        .secondary(keyword, "this is no type")
        .note("Delete `export`.")
        .fix_delete(export)
}

pub fn generic_export(span: Span, params: Span, name: &str, export: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeNotExportable, format!("the generic type \"{name}\" cannot be exported"))
        .primary(span, "has no single encoding")
        .secondary(params, "generic because of these")
        .note("Export a declaration that gives its arguments, or delete `export`.")
        .fix_delete(export)
}

pub fn channel_full(span: Span, channel: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeChannelFull, format!("the {channel} channel carries more than 256 items"))
        .primary(span, "the 257th")
        .note("Join some into one, or split the schema under separate `RemoteScope`s.")
}

// Files.

/// `alike` is a file of nearly that name.
pub fn unknown_import(span: Span, path: &str, tried: &[String], alike: Option<&str>) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::AnalyzeUnknownImport, format!("there is no schema \"{path}\" to import"))
            .primary(span, "no such file")
            .note(format!("Tried {}.", tried.join(", ")));
    match alike {
        Some(alike) => {
            diagnostic.note(format!("There is {alike}: write it with the same large and small letters."))
        }
        None => diagnostic,
    }
}

pub fn cyclic_import(span: Span, path: &str, ring: &[Span]) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::error(Code::AnalyzeCyclicImport, format!("importing \"{path}\" goes in a circle"))
            .primary(span, "still being read");
    for import in ring {
        diagnostic = diagnostic.secondary(*import, "on the way here");
    }
    diagnostic.note("Move what both need into a file of its own.")
}

pub fn repeated_import(span: Span, first: Span, path: &str) -> Diagnostic {
    let headline = format!("\"{path}\" is imported again, and its events with it");
    Diagnostic::warning(Code::AnalyzeRepeatedImport, headline)
        .primary(span, "a second copy of its events")
        .opt_secondary((span != first).then_some(first), "first imported here")
        .note("Import it once, and use that scope's events everywhere.")
}

/// `name` is one made from the path.
pub fn unnamed_import(span: Span, stem: &str, name: Option<&str>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("\"{stem}\" cannot name the scope of an import"))
        .primary(span, "no usable name in this path")
        .note(format!("Name it: `import \"...\" as {}`.", name.unwrap_or("Name")))
        .opt_fix(name.map(|name| Fix::insert_after(span, format!(" as {name}"))))
}

pub fn unreadable(shown: &str, why: &str, import: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::FileUnreadable, format!("\"{shown}\" cannot be read: {why}"))
        .about_file(shown)
        .opt_secondary(import, "imported here")
        .note("A schema is a readable file of UTF-8 text.")
}

pub fn too_many_imports(shown: &str, import: Span, limit: &str) -> Diagnostic {
    Diagnostic::error(Code::FileUnreadable, format!("\"{shown}\" is not read: too many imports"))
        .about_file(shown)
        .secondary(import, "imported here")
        .note(limit)
}

// Options and attributes.

pub fn unknown_option(span: Span, name: &str, near: Option<&str>, known: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseInvalidValue, format!("there is no option \"{name}\""))
        .primary(span, "not an option")
        .did_you_mean(span, near)
        .note(format!("The options are {known}."))
}

/// `meant` is the value in the kind the option takes.
pub fn option_kind(span: Span, name: &str, kind: &str, meant: Option<String>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("option {name} takes {kind}"))
        .primary(span, format!("{kind} is needed here"))
        .note(match kind {
            "a string" => format!("Write it in quotes: `option {name} = \"...\"`."),
            "a boolean" => format!("Write `option {name} = true` or `= false`."),
            "a number" => format!("Write it as digits, as in `option {name} = 60`."),
            _ => format!("Write it without quotes: `option {name} = Pascal`."),
        })
        .opt_fix(meant.map(|meant| Fix::write(span, meant)))
}

/// `near` is the value that was probably meant, or the nearest that is allowed.
pub fn option_value(span: Span, name: &str, takes: &str, near: Option<String>) -> Diagnostic {
    Diagnostic::error(Code::ParseInvalidValue, format!("option {name} does not take this value"))
        .primary(span, "outside what it takes")
        .note(format!("It takes {takes}."))
        .opt_fix(near.map(|near| Fix::write(span, near)))
}

pub fn small_burst(span: Span, needed: u32, packet: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::ParseInvalidValue, "option InboundBurst is smaller than one packet may be")
        .primary(span, "could never pay for it")
        .opt_secondary(packet, "the largest packet")
        .note(format!("Use {needed} or more."))
        .fix_write(span, needed.to_string())
}

/// `same` is the second setting, all of it, when the two do not differ.
pub fn duplicate_option(span: Span, first: Span, name: &str, same: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateOption, format!("option {name} is set more than once"))
        .primary(span, "set again here")
        .secondary(first, "set here")
        .note("Keep one of them, or give each a profile of its own.")
        .opt_fix(same.map(Fix::delete))
}

/// `all` is the whole setting.
pub fn idle_option(span: Span, name: &str, all: Span) -> Diagnostic {
    Diagnostic::warning(Code::AnalyzeDeprecated, format!("option {name} has no effect"))
        .primary(span, "deprecated")
        .note("Delete it.")
        .fix_delete(all)
}

pub fn unknown_attribute(span: Span, name: &str) -> Diagnostic {
    let near = suggest::nearest(name, ["profile"]).is_some();
    Diagnostic::error(Code::AnalyzeUnknownAttribute, format!("there is no attribute \"@{name}\""))
        .primary(span, "not an attribute")
        .did_you_mean(span, near.then_some("@profile"))
        .note("The one attribute is `@profile(\"...\")`.")
}

pub fn unknown_profile(span: Span, name: &str) -> Diagnostic {
    let near = suggest::nearest(name, Profile::ALL.map(Profile::text)).map(|near| format!("\"{near}\""));
    Diagnostic::error(Code::AnalyzeUnknownProfile, format!("there is no profile \"{name}\""))
        .primary(span, "not a profile")
        .did_you_mean(span, near.as_deref())
        .note("The profiles are \"dev\", \"debug\", \"test\" and \"release\".")
}

/// `same` says whether the two do not differ.
pub fn second_attribute(span: Span, first: Span, same: bool) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeMisplacedAttribute, "a statement takes one attribute")
        .primary(span, "the second")
        .secondary(first, "the first")
        .note("Delete one of the two.")
        .opt_fix(same.then(|| Fix::delete(span)))
}

pub fn stray_attribute(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeMisplacedAttribute, "an attribute marks nothing")
        .primary(span, "no statement follows")
        .note("Put it in front of a declaration, an import or an option, or delete it.")
        .fix_delete(span)
}
