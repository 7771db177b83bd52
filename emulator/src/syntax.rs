//! Scripts as syntax trees, for whoever reads them without running them, and what is often asked of a tree.

use full_moon::ast::{Ast, Expression, FunctionArgs};
use full_moon::tokenizer::{TokenReference, TokenType};

/// Stack of the thread that parses: the parser is recursive, and Luau's own, which runs first, refuses what nests deeper
/// than this can hold.
const STACK_BYTES: usize = 256 << 20;

/// What `visit` makes of the tree of a script, on a stack that deep nesting does not exhaust.
///
/// Errors: why the script does not compile, or that there is no such stack.
pub fn with_tree<R: Send>(source: &str, visit: impl FnOnce(&Ast) -> R + Send) -> Result<R, String> {
    crate::vm::compile(source, "script")
        .map_err(|error| format!("line {}: {}", error.line, error.message))?;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
            let result = full_moon::parse_fallible(source, full_moon::LuaVersion::luau());
            visit(result.ast())
        });
        let thread = thread.map_err(|error| format!("no thread to read it: {error}"))?;
        thread.join().map_err(|_| "the parser gave up".to_owned())
    })
}

/// A token without the white space and comments around it.
pub fn text(token: &TokenReference) -> String {
    token.token().to_string()
}

/// The text of a string literal, its escapes as they are written; `None` for any other expression.
pub fn literal(expression: &Expression) -> Option<String> {
    match expression {
        Expression::String(token) => string(token),
        Expression::Parentheses { expression, .. } => literal(expression),
        _ => None,
    }
}

/// The first argument of a call when it is a string literal, also in a call without parentheses.
pub fn first_text(args: &FunctionArgs) -> Option<String> {
    match args {
        FunctionArgs::Parentheses { arguments, .. } => literal(arguments.iter().next()?),
        FunctionArgs::String(token) => string(token),
        _ => None,
    }
}

/// The text of a string token, its escapes as they are written; `None` for any other token.
pub fn string(token: &TokenReference) -> Option<String> {
    match token.token_type() {
        TokenType::StringLiteral { literal, .. } => Some(literal.to_string()),
        _ => None,
    }
}
