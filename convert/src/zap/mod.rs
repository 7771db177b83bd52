//! zap's definitions: text of a language of its own, which is parsed and never run.
//!
//! `lexer` and `parser` know the language as its public documentation tells it, up to 0.6.29; `lower` drafts what was
//! read. Source: tooling specification, 8.4.

mod ast;
mod lexer;
mod lower;
mod lower_options;
mod lower_types;
mod parser;

use blinkblox_compiler::source::{SourceLoader, Sources};

use crate::draft::Draft;
use crate::report::Report;
use crate::{Refusal, read_text};

/// Reads the definitions at `path`.
pub(crate) fn read(
    loader: &dyn SourceLoader,
    path: &str,
    report: &mut Report,
) -> Result<Draft, Box<Refusal>> {
    let text = read_text(loader, path)?;
    let mut sources = Sources::default();
    let file = sources.add(path, &loader.shown(path), text);
    let drafted = {
        let text = &sources.files()[0].text;
        lexer::lex(file, text)
            .and_then(|lexed| parser::parse(file, text, &lexed))
            .and_then(|config| lower::lower(&config, &sources, report))
    };
    drafted.map_err(|diagnostic| Refusal::new(*diagnostic, sources))
}
