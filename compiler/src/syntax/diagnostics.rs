//! Messages of the lexer and the parser.

use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Most types or scopes inside one another.
pub const NESTING_LIMIT: usize = 200;

/// `in_list` says whether a bracket is open around it, where a `;` stands for a comma.
pub fn stray_characters(span: Span, text: &str, in_list: bool) -> Diagnostic {
    // A character that draws nothing is shown by its number.
    let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
    Diagnostic::error(Code::LexUnexpectedCharacter, format!("`{shown}` begins nothing the language knows"))
        .primary(span, "not part of the language")
        .note(stray_advice(text, in_list))
        .opt_fix(stray_fix(span, text, in_list))
}

fn stray_advice(text: &str, in_list: bool) -> &'static str {
    match text {
        "//" | "#" => "A comment starts with `--`.",
        ";" if in_list => "Items are separated by `,`.",
        ";" => "Delete it: nothing in a schema ends with `;`.",
        _ => "Delete it. Outside comments and strings a schema holds ASCII words, numbers and marks only.",
    }
}

fn stray_fix(span: Span, text: &str, in_list: bool) -> Option<Fix> {
    let draws_nothing =
        |char: char| matches!(char, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}') || char.is_control();
    match text {
        "//" => Some(Fix::write(span, "--")),
        ";" if in_list => Some(Fix::write(span, ",")),
        ";" => Some(Fix::delete(span)),
        // White space that is none to the language keeps words apart all the same.
        _ if text.chars().all(char::is_whitespace) => {
            Some(Fix { title: "Write a space".to_string(), edits: vec![(span, " ".to_string())] })
        }
        _ if text.chars().all(draws_nothing) => Some(Fix::delete(span)),
        _ => None,
    }
}

/// `across` is an earlier string that runs over a line end, whose own quote may be the one missing.
pub fn open_string(span: Span, text: &str, across: Option<Span>) -> Diagnostic {
    let body = text.get(1..).unwrap_or("").trim_end();
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | '/');
    let certain = across.is_none() && !body.is_empty() && body.chars().all(plain);
    let close = Span { end: span.start + 1 + body.len() as u32, ..span };
    let quote = &text[..text.len().min(1)];
    Diagnostic::error(Code::LexUnexpectedCharacter, "a string is never closed")
        .primary(span, "opened here")
        .opt_secondary(across, "runs over a line end; is its closing quote missing?")
        .note("Close it with the quote it opens with.")
        .opt_fix(certain.then(|| Fix::insert_after(close, quote)))
}

pub fn nul_in_string(span: Span) -> Diagnostic {
    Diagnostic::error(Code::LexUnexpectedCharacter, "a string holds a NUL character")
        .primary(span, "of the number 0")
        .note("Luau's types cannot name it, nor can a path. Delete it.")
        .opt_fix(Some(Fix::delete(span)))
}

pub fn unclosed(end: Span, open: Span, close: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedEnd, format!("the file ends before a {close} it needs"))
        .primary(end, "the file ends here")
        .secondary(open, "never closed")
        .note(format!("Close it with {close}."))
}

pub fn unexpected_end(end: Span, needed: &str, construct: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedEnd, format!("the file ends where {needed} is needed"))
        .primary(end, "the file ends here")
        .opt_secondary(construct, "while reading this")
        .note("Finish it, or delete what is begun.")
}

pub fn unexpected(span: Span, found: &str, needed: &str, construct: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("{found} stands where {needed} is needed"))
        .primary(span, format!("{needed} is needed here"))
        .opt_secondary(construct, "while reading this")
        .opt_note(advice(needed))
}

/// What to write where a token is missing; `None` where it could be many things.
fn advice(needed: &str) -> Option<String> {
    match needed {
        "a declaration" => Some(
            "A declaration starts with type, struct, enum, map, set, event, function, entity, state, table, scope or \
             import."
                .to_string(),
        ),
        "a type" => Some("Write a type, such as `u8` or the name of one declared above.".to_string()),
        _ => match needed.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            Some((",", rest)) if !rest.is_empty() => Some("Put a `,` between the two.".to_string()),
            Some((token, _)) => Some(format!("Write `{token}` before it.")),
            None => Some(format!("Write {needed} here.")),
        },
    }
}

pub fn built_in_name(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(
        Code::ParseUnexpectedToken,
        format!("\"{word}\" is a built-in type and cannot be declared"),
    )
    .primary(span, "the name of a built-in type")
    .note("Choose another name.")
}

pub fn qualified_new_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("\"{name}\" has dots, and a new name cannot"))
        .primary(span, "a new name is one word")
        .note("Put the declaration in a `scope` to give it a longer path.")
}

/// `found` where `)` should be: the rest of the block, or what closes the block.
pub fn unclosed_pack(span: Span, found: &str, open: Span) -> Diagnostic {
    Diagnostic::error(
        Code::ParseUnexpectedToken,
        format!("{found} stands in a type pack that is never closed"),
    )
    .primary(span, "`)` is needed before this")
    .secondary(open, "opened here")
    .note("Close the pack with `)`.")
}

pub fn single_name_pack(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("({name}) reads as a class, not as a type pack"))
        .primary(span, "a class in parentheses")
        .note(format!("Write `({name},)` for a pack of one, or `{name}` for the type alone."))
        .fix_write(span, format!("({name},)"))
        .fix_write(span, name)
}

pub fn class_not_allowed(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a class in parentheses belongs to Instance and Enum only")
        .primary(span, "no class can stand here")
        .note("Delete it.")
        .fix_delete(span)
}

/// `fix` takes the spaces out, when what stands between the brackets are bounds.
pub fn spaced_bounds(span: Span, open: &str, example: &str, fix: Option<Fix>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("`{open}` opens no range here"))
        .primary(span, "not a range")
        .note(format!("Write bounds as numbers without a space between the brackets, as in `{example}`."))
        .opt_fix(fix)
}

/// A range or an array suffix whose closing bracket is missing; `bounds` is what was read of it.
pub fn unclosed_bounds(bounds: Span, close: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a range is never closed")
        .primary(bounds, format!("`{close}` is needed behind this"))
        .note(format!("Close it with `{close}`, without a space."))
        .opt_fix(Some(Fix::insert_after(bounds, close)))
}

/// `Instance( Part )`: only without spaces is it a class.
pub fn spaced_class(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a class stands in its parentheses without spaces")
        .primary(span, "not read as a class")
        .note(format!("Write `({name})`."))
        .fix_write(span, format!("({name})"))
}

pub fn too_many_question_marks(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a type takes no further `?`")
        .primary(span, "one mark too many")
        .note("Delete it.")
        .fix_delete(span)
}

pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "types or scopes are nested too deep")
        .primary(span, "goes too deep")
        .note(format!(
            "At most {NESTING_LIMIT} may stand inside one another. Declare the inner ones by name."
        ))
}

pub fn unnamed_enum(span: Span, fix: Option<Fix>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeUnnamedEnum, "`Enum(` needs the name of a Roblox enum")
        .primary(span, "no name follows")
        .note("Name it without spaces, as in `Enum(Font)`.")
        .opt_fix(fix)
}

pub fn stray_close(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("this `{text}` closes nothing"))
        .primary(span, "nothing is open here")
        .note("Delete it, or open what it should close.")
        .fix_delete(span)
}

/// `fix` moves the option to where it belongs.
pub fn late_option(span: Span, first: Option<Span>, in_scope: bool, fix: Option<Fix>) -> Diagnostic {
    let headline = if in_scope { "an option stands in a scope" } else { "an option follows a declaration" };
    Diagnostic::error(Code::AnalyzeLateOption, headline)
        .primary(span, "too late for an option")
        .opt_secondary(first, "the first declaration")
        .note("Move it to the top of the file, before everything else.")
        .opt_fix(fix)
}

/// `export` is the word with the white space behind it.
pub fn exported_option(span: Span, export: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeLateOption, "an option cannot be exported")
        .primary(span, "`export` stands before an option")
        .note("Delete `export`.")
        .fix_delete(export)
}

/// `export` is the word with the white space behind it.
pub fn exported_import(span: Span, export: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "an import cannot be exported")
        .primary(span, "a type declaration is needed after `export`")
        .note("Delete `export`; export the types in the imported file.")
        .fix_delete(export)
}

pub fn misplaced_pack(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a type pack can be the value of Data or Return only")
        .primary(span, "a type is needed here")
        .note("Use a struct to keep several values together.")
}
