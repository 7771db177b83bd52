//! What an editor asks of a place in a schema: what can stand there, what stands there, and another name for it.

use blinkblox_compiler::Analysis;
use blinkblox_compiler::ide::names::{self, Definition};
use blinkblox_compiler::ide::{completion, hover};
use blinkblox_compiler::source::{FileId, SourceFile, Span};
use serde_json::{Value, json};

use super::{Naming, Read, Spot};
use crate::serve::guard::Refusal;

/// What can be written at a place.
pub fn complete(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let Some(file) = read.analysis.sources.files().first() else { return Ok(json!({ "offers": [] })) };
    let offset = at(file, offset);
    let files: Vec<String> =
        read.place.names().filter(|name| *name != read.entry).map(str::to_string).collect();
    let found = completion::complete(&read.analysis, FileId(0), offset, &files);
    let offers: Vec<Value> = found
        .offers
        .iter()
        .map(|offer| {
            json!({
                "label": offer.label,
                "kind": kind(offer.kind),
                "detail": offer.detail,
                "documentation": offer.documentation,
            })
        })
        .collect();
    Ok(json!({ "start": found.written.start, "end": found.written.end, "offers": offers }))
}

fn kind(kind: completion::OfferKind) -> &'static str {
    use completion::OfferKind;
    match kind {
        OfferKind::Keyword => "keyword",
        OfferKind::Property => "property",
        OfferKind::Value => "value",
        OfferKind::Primitive => "primitive",
        OfferKind::Type => "type",
        OfferKind::Class => "class",
        OfferKind::File => "file",
    }
}

/// What the word at a place means.
pub fn hover(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let Some(file) = read.analysis.sources.files().first() else { return Ok(json!({ "hover": null })) };
    let found = hover::hover(&read.analysis, FileId(0), at(file, offset));
    let hover = found
        .map(|hover| json!({ "start": hover.span.start, "end": hover.span.end, "markdown": hover.markdown }));
    Ok(json!({ "hover": hover }))
}

/// Where the name at a place is declared.
pub fn definition(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let analysis = &read.analysis;
    let Some(file) = analysis.sources.files().first() else { return Ok(json!({ "definition": null })) };
    let found = names::definition(analysis, FileId(0), at(file, offset)).map(|found| match found {
        Definition::Name(span) => place_of(analysis, span),
        Definition::File(file) => place_of(analysis, Span::new(file, 0, 0)),
    });
    Ok(json!({ "definition": found }))
}

/// A span as an editor opens it: the file's name in the place, and its bytes.
fn place_of(analysis: &Analysis, span: Span) -> Value {
    let file = &analysis.sources[span.file];
    let start = file.position(span.start);
    json!({ "file": file.path, "start": span.start, "end": span.end, "line": start.line, "column": start.column })
}

/// The edits of a rename in every file of the place, or why there are none. `old` is the name as it is, `null` where there
/// is none.
pub fn rename(naming: Naming) -> Result<Value, Refusal> {
    let offset = naming.offset;
    let read = naming.subject.analysis()?;
    let refuse =
        |old: Option<&str>, problem: Option<String>| json!({ "old": old, "edits": [], "problem": problem });
    let Some(file) = read.analysis.sources.files().first() else { return Ok(refuse(None, None)) };
    let offset = at(file, offset);
    let Some(span) = names::renameable(&read.analysis, FileId(0), offset) else {
        return Ok(refuse(None, None));
    };
    let old = read.analysis.sources.text(span).to_string();
    let Some(new) = naming.name else { return Ok(refuse(Some(&old), None)) };
    Ok(match edits(&read, offset, &new) {
        Ok(edits) => json!({ "old": old, "edits": edits, "problem": null }),
        Err(problem) => refuse(Some(&old), Some(problem)),
    })
}

/// The edits that give a name another one, over every file of the place that sees its declaration.
fn edits(read: &Read, offset: u32, new: &str) -> Result<Vec<Value>, String> {
    let Some(Definition::Name(target)) = names::definition(&read.analysis, FileId(0), offset) else {
        return Err(names::NOTHING.to_string());
    };
    let declared_in = &read.analysis.sources[target.file].path;
    let others: Vec<&str> = read.place.names().filter(|name| *name != read.entry).collect();
    let analyses: Vec<Analysis> =
        others.iter().map(|name| blinkblox_compiler::analyze(&read.place, name, read.profile)).collect();
    let mut users = vec![(&read.analysis, target)];
    users.extend(analyses.iter().filter_map(|analysis| {
        let file = analysis.sources.find(declared_in)?;
        Some((analysis, Span { file, ..target }))
    }));
    let renaming = names::rename_everywhere(&users, new)?;
    let after = read.place.with(&renaming.texts);
    names::check_renamed(&users, new, |entry| blinkblox_compiler::analyze(&after, entry, read.profile))?;
    let value = |(analysis, edit): &(&Analysis, names::Edit)| {
        let (file, span) = (&analysis.sources[edit.span.file].path, edit.span);
        json!({ "file": file, "start": span.start, "end": span.end, "text": edit.text })
    };
    Ok(renaming.edits.iter().map(value).collect())
}

/// A byte offset of a file that was asked about, moved back onto the text and the start of a character.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the text first")]
fn at(file: &SourceFile, offset: f64) -> u32 {
    let wanted = offset.clamp(0.0, file.text.len() as f64) as usize;
    let border = (0..=wanted).rev().find(|&at| file.text.is_char_boundary(at)).unwrap_or(0);
    border as u32
}
