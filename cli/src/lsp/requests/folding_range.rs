//! What can be folded away.

use blinkblox_compiler::ide::folding::folds;
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let shown = folds(&place.analysis, place.file).into_iter().map(|fold| FoldingRange {
        start_line: fold.first - 1,
        end_line: fold.last - 1,
        kind: Some(if fold.comment { FoldingRangeKind::Comment } else { FoldingRangeKind::Region }),
        ..FoldingRange::default()
    });
    Ok(Some(shown.collect()))
}
