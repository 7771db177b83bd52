//! What each token is, for colours.

use blinkblox_compiler::ide::tokens::{Class, classes};
use lsp_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensResult,
};

use super::Refusal;
use crate::lsp::documents::Documents;

/// The numbers of the classes, as the editor learns them.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: Class::ALL.into_iter().map(token_type).collect(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION],
    }
}

fn token_type(class: Class) -> SemanticTokenType {
    match class {
        Class::Comment => SemanticTokenType::COMMENT,
        Class::Keyword => SemanticTokenType::KEYWORD,
        Class::Attribute => SemanticTokenType::DECORATOR,
        Class::Key => SemanticTokenType::new("field"),
        Class::Constant => SemanticTokenType::ENUM_MEMBER,
        Class::Primitive => SemanticTokenType::new("builtinType"),
        Class::RobloxClass => SemanticTokenType::CLASS,
        Class::Modifier => SemanticTokenType::MODIFIER,
        Class::Number => SemanticTokenType::NUMBER,
        Class::String => SemanticTokenType::STRING,
        Class::Declared => SemanticTokenType::STRUCT,
        Class::Property => SemanticTokenType::PROPERTY,
        Class::Reference => SemanticTokenType::TYPE,
        Class::Option => SemanticTokenType::VARIABLE,
    }
}

pub fn answer(
    documents: &mut Documents,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let source = &place.analysis.sources[place.file];
    let (mut line, mut character) = (0, 0);
    let mut data = Vec::new();
    for (span, class) in classes(place.file, &source.text) {
        let token_type = Class::ALL.iter().position(|one| *one == class).unwrap_or(0) as u32;
        // A token may not span lines: a long comment or string is one a line.
        let (first, last) = (source.position(span.start).line, source.position(span.end).line);
        for number in first..=last {
            let bounds = source.line_range(number);
            let text = source.line(number);
            let start = (span.start as usize).max(bounds.start);
            let end = (span.end as usize).min(bounds.start + text.len());
            if end <= start {
                continue;
            }
            let from = documents.position(source, start as u32);
            let to = documents.position(source, end as u32);
            let delta_line = from.line - line;
            let delta_start = if delta_line == 0 { from.character - character } else { from.character };
            (line, character) = (from.line, from.character);
            data.push(SemanticToken {
                delta_line,
                delta_start,
                length: to.character - from.character,
                token_type,
                token_modifiers_bitset: u32::from(class == Class::Declared),
            });
        }
    }
    Ok(Some(SemanticTokensResult::Tokens(SemanticTokens { result_id: None, data })))
}
