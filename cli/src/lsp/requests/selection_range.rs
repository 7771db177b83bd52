//! How a selection grows.

use blinkblox_compiler::ide::folding::selections;
use lsp_types::{Range, SelectionRange, SelectionRangeParams};

use super::Refusal;
use crate::lsp::documents::Documents;

/// Most steps in which a selection grows. Types may be nested further than readers of JSON follow.
const MOST_STEPS: usize = 80;

pub fn answer(
    documents: &mut Documents,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let grown = params.positions.into_iter().map(|position| {
        let offset = documents.offset(&place.analysis.sources[place.file], position);
        let mut spans = selections(&place.analysis, place.file, offset);
        spans.truncate(MOST_STEPS);
        let outermost_first = spans.into_iter().rev().map(|span| documents.range(&place.analysis, span));
        outermost_first
            .fold(None, |parent, range| Some(SelectionRange { range, parent: parent.map(Box::new) }))
            .unwrap_or(SelectionRange { range: Range { start: position, end: position }, parent: None })
    });
    Ok(Some(grown.collect()))
}
