//! What is asked for where the cursor stands.

use blinkblox_compiler::ide::signature::{Parameter, signature};
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureHelpParams, SignatureInformation,
};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, Refusal> {
    let at = params.text_document_position_params;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let Some(found) = signature(&place.analysis, place.file, offset) else { return Ok(None) };
    // Places in a label are counted in halves of UTF-16, whatever places in documents are.
    let halves = |end: usize| found.label.get(..end).map_or(0, |part| part.encode_utf16().count() as u32);
    let parameter = |one: &Parameter| ParameterInformation {
        label: ParameterLabel::LabelOffsets([halves(one.start), halves(one.end)]),
        documentation: markdown(&one.documentation),
    };
    let active_parameter = found.active.map(|active| active as u32);
    let information = SignatureInformation {
        parameters: Some(found.parameters.iter().map(parameter).collect()),
        documentation: markdown(&found.documentation),
        active_parameter,
        label: found.label,
    };
    Ok(Some(SignatureHelp { signatures: vec![information], active_signature: Some(0), active_parameter }))
}

fn markdown(text: &str) -> Option<Documentation> {
    let value = text.to_owned();
    (!text.is_empty())
        .then_some(Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }))
}
