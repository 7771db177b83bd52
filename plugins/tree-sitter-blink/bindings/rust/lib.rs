//! The grammar of `.blink` schemas for tree-sitter, with its queries.
//!
//! `grammar.js` and `src/scanner.c` are written by hand; the rest of `src` is made of them.

#![allow(unsafe_code, reason = "the parser is C")]

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_blink() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language`.
// SAFETY: the function is the one that tree-sitter's generator wrote for this purpose.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_blink) };

/// What each node is, for colours.
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
/// What can be folded away.
pub const FOLDS: &str = include_str!("../../queries/folds.scm");
/// Where a line is indented.
pub const INDENTS: &str = include_str!("../../queries/indents.scm");
/// Where names are declared and used.
pub const LOCALS: &str = include_str!("../../queries/locals.scm");
