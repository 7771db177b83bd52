//! Messages about the fields of a block: unknown, repeated, missing, or with a value they do not take.

use crate::diagnostics::{Code, Diagnostic, Fix, suggest};
use crate::source::Span;
use crate::wire::signature::number_text;

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_string(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `given` says which fields the block has already.
pub fn unknown_field(
    span: Span,
    field: &str,
    what: &str,
    name: &str,
    owner: Span,
    known: &[&str],
    given: impl Fn(&str) -> bool,
) -> Diagnostic {
    let fields: Vec<&str> = known.iter().copied().filter(|key| *key != "Poll").collect();
    let near = suggest::nearest(field, fields.iter().copied().filter(|key| !given(key)));
    let of = if what == "stream" { "the stream of".to_string() } else { what.to_string() };
    Diagnostic::error(Code::ParseInvalidValue, format!("{of} \"{name}\" has no field \"{field}\""))
        .primary(span, "no such field")
        .secondary(owner, "in this declaration")
        .did_you_mean(span, near)
        .note(format!("The fields are {}.", list(&fields)))
}

/// `spare` is the second with its comma, when the two do not differ.
pub fn repeated_field(
    span: Span,
    first: Span,
    field: &str,
    what: &str,
    name: &str,
    spare: Option<Span>,
) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeDuplicateMember, format!("{what} \"{name}\" gives \"{field}\" twice"))
        .primary(span, "given again here")
        .secondary(first, "first given here")
        .note("Delete one of the two.")
        .opt_fix(spare.map(Fix::delete))
}

pub fn missing_field(owner: Span, inside: Span, field: &str, what: &str, name: &str) -> Diagnostic {
    let example = match field {
        "From" => "From: Client",
        "Type" => "Type: Reliable",
        "Call" => "Call: SingleSync",
        "Yield" => "Yield: Coroutine",
        "Data" => "Data: struct { Value: u8 }",
        "Fields" => "Fields: { Slot: u8 }",
        _ => "Rate: 10",
    };
    let of = if what == "stream" { "the stream of".to_string() } else { what.to_string() };
    Diagnostic::error(Code::ParseMissingField, format!("{of} \"{name}\" does not say its {field}"))
        .primary(owner, format!("{field} is left out"))
        .note(format!("Add it to the block, as in `{example}`."))
        .fix(format!("Add `{example}`"), vec![(inside, format!(" {example},"))])
}

/// `meant` is the value in the kind the field takes.
pub fn field_kind(span: Span, field: &str, kind: &str, meant: Option<String>) -> Diagnostic {
    Diagnostic::error(Code::ParseUnexpectedToken, format!("{field} takes {kind}"))
        .primary(span, format!("{kind} is needed here"))
        .note(match kind {
            "a number" => format!("Write it as digits, as in `{field}: 10`."),
            "a word" => "Write a word without quotes.".to_string(),
            "a boolean or a word" | "one of its words" => {
                "Write one of its words, without quotes.".to_string()
            }
            "a boolean" => format!("Write `{field}: true` or `{field}: false`."),
            _ => format!("Write `{field}: {{ Rate: 10 }}`."),
        })
        .opt_fix(meant.map(|meant| Fix::write(span, meant)))
}

pub fn unknown_word(span: Span, field: &str, word: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(Code::ParseInvalidValue, format!("{field} does not take \"{word}\""))
        .primary(span, "not one of its words")
        .did_you_mean(span, suggest::nearest(word, known.iter().copied()))
        .note(match known {
            [only] => format!("The only word it takes is {only}."),
            known => format!("It takes {}.", list(known).replace(" and ", " or ")),
        })
}

/// `near` is the nearest number the field takes.
pub fn field_value(span: Span, field: &str, takes: &str, near: Option<f64>) -> Diagnostic {
    Diagnostic::error(Code::ParseInvalidValue, format!("{field} does not take this number"))
        .primary(span, "outside what it takes")
        .note(format!("It takes {takes}."))
        .opt_fix(near.map(|near| Fix::write(span, number_text(near))))
}

/// `edits` say the same with `Call`.
pub fn deprecated_poll(span: Span, call: Option<Span>, edits: Vec<(Span, String)>) -> Diagnostic {
    Diagnostic::warning(Code::AnalyzeDeprecated, "Poll is an old spelling")
        .primary(span, "deprecated")
        .opt_secondary(call, "what it overrides when true")
        .note("Write `Call: Polling` instead.")
        .fix("Say it with `Call`", edits)
}
