//! The canonical layout: of a file, of what is selected, and of what a brace just closed.

use blinkblox_compiler::format::{Indent, format, format_part};
use blinkblox_compiler::source::Span;
use lsp_types::{
    DocumentFormattingParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams,
    FormattingOptions, Range, TextEdit,
};

use super::Refusal;
use crate::lsp::documents::{Documents, Place};

pub fn answer(
    documents: &mut Documents,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let source = &place.analysis.sources[place.file];
    // A schema that cannot be parsed keeps its layout: its diagnostics say why.
    let Ok(text) = format(place.file, &source.text, indent(&params.options)) else { return Ok(None) };
    if text == source.text {
        return Ok(Some(Vec::new()));
    }
    let end = u32::try_from(source.text.len()).unwrap_or(u32::MAX);
    let range = Range { start: documents.position(source, 0), end: documents.position(source, end) };
    Ok(Some(vec![TextEdit { range, new_text: text }]))
}

/// The statements that the selection touches.
pub fn range(
    documents: &mut Documents,
    params: DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let source = &place.analysis.sources[place.file];
    let start = documents.offset(source, params.range.start);
    let end = documents.offset(source, params.range.end);
    Ok(part(documents, &place, Span { file: place.file, start, end }, &params.options))
}

/// The statement that ends with the brace in front of the cursor.
pub fn on_type(
    documents: &mut Documents,
    params: DocumentOnTypeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let at = params.text_document_position;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let ends_here = place.analysis.index.document(place.file).is_some_and(|document| {
        document.declarations.iter().any(|declaration| declaration.span.end == offset)
    });
    if params.ch != "}" || !ends_here {
        return Ok(None);
    }
    Ok(part(documents, &place, Span { file: place.file, start: offset, end: offset }, &params.options))
}

fn part(
    documents: &Documents,
    place: &Place,
    part: Span,
    options: &FormattingOptions,
) -> Option<Vec<TextEdit>> {
    let source = &place.analysis.sources[place.file];
    let found = format_part(&source.text, part, indent(options)).ok()?;
    let Some((span, text)) = found else { return Some(Vec::new()) };
    if place.analysis.sources.text(span) == text {
        return Some(Vec::new());
    }
    Some(vec![TextEdit { range: documents.range(&place.analysis, span), new_text: text }])
}

fn indent(options: &FormattingOptions) -> Indent {
    if options.insert_spaces { Indent::Spaces } else { Indent::Tabs }
}
