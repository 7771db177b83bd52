//! Messages of the lexer and the parser.

use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;

/// Most types or scopes inside one another.
pub const NESTING_LIMIT: usize = 200;

pub fn stray_characters(span: Span, text: &str) -> Diagnostic {
    // A character that draws nothing is shown by its number.
    let shown: String = text.chars().take(20).flat_map(char::escape_debug).collect();
    Diagnostic::error(Code::LexUnexpectedCharacter, format!("`{shown}` begins nothing the language knows"))
        .primary(span, "not part of the language")
        .note("Delete it. Outside comments and strings a schema holds ASCII words, numbers and marks only.")
}

pub fn open_string(span: Span) -> Diagnostic {
    Diagnostic::error(Code::LexUnexpectedCharacter, "a string is never closed")
        .primary(span, "opened here")
        .note("Close it with the quote it opens with.")
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
            "A declaration starts with type, struct, enum, map, set, event, function, scope or import."
                .to_string(),
        ),
        "a type" => Some("Write a type, such as `u8` or the name of one declared above.".to_string()),
        _ => match needed.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            Some((",", rest)) if !rest.is_empty() => Some("Put a `,` between the two.".to_string()),
            Some((token, _)) => Some(format!("Write `{token}` before it.")),
            None => None,
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

pub fn single_name_pack(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("({name}) reads as a class, not as a type pack"))
        .primary(span, "a class in parentheses")
        .note(format!("Write `({name},)` for a pack of one, or `{name}` for the type alone."))
}

pub fn class_not_allowed(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a class in parentheses belongs to Instance and Enum only")
        .primary(span, "no class can stand here")
        .note("Delete it.")
}

pub fn spaced_bounds(span: Span, open: &str, example: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("`{open}` opens no range here"))
        .primary(span, "not a range")
        .note(format!("Write bounds as numbers without a space between the brackets, as in `{example}`."))
}

pub fn too_many_question_marks(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a type takes no further `?`")
        .primary(span, "one mark too many")
        .note("Delete it.")
}

pub fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "types or scopes are nested too deep")
        .primary(span, "goes too deep")
        .note(format!(
            "At most {NESTING_LIMIT} may stand inside one another. Declare the inner ones by name."
        ))
}

pub fn unnamed_enum(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeUnnamedEnum, "`Enum(` needs the name of a Roblox enum")
        .primary(span, "no name follows")
        .note("Name it without spaces, as in `Enum(Font)`.")
}

pub fn stray_close(span: Span, text: &str) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("this `{text}` closes nothing"))
        .primary(span, "nothing is open here")
        .note("Delete it, or open what it should close.")
}

pub fn late_option(span: Span, first: Option<Span>, in_scope: bool) -> Diagnostic {
    let headline = if in_scope { "an option stands in a scope" } else { "an option follows a declaration" };
    Diagnostic::error(Code::AnalyzeLateOption, headline)
        .primary(span, "too late for an option")
        .opt_secondary(first, "the first declaration")
        .note("Move it to the top of the file, before everything else.")
}

pub fn exported_option(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeLateOption, "an option cannot be exported")
        .primary(span, "`export` stands before an option")
        .note("Delete `export`.")
}

pub fn exported_import(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "an import cannot be exported")
        .primary(span, "a type declaration is needed after `export`")
        .note("Delete `export`; export the types in the imported file.")
}

pub fn misplaced_pack(span: Span) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, "a type pack can be the value of Data or Return only")
        .primary(span, "a type is needed here")
        .note("Use a struct to keep several values together.")
}
