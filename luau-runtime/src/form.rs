//! The form of a module (`README.md`), as whoever links modules reads it: statements, what each declares and mentions.
//!
//! ```text
//! let module = Module::read("Clock", blinkblox_luau_runtime::module("Clock")?);
//! module.statements[3].declares; // Some("stamp")
//! ```
//!
//! Every statement starts in the first column, so no parser is needed. The tests hold this reading equal to full_moon's.

/// A module, read into its statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module<'a> {
    /// Its name.
    pub name: &'a str,
    /// The first paragraph of its header comment.
    pub purpose: Vec<&'a str>,
    /// Requires, types, locals and functions, in order.
    pub statements: Vec<Statement<'a>>,
    /// What it returns.
    pub export: Export<'a>,
}

/// What a module returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Export<'a> {
    /// One of its functions.
    Function(&'a str),
    /// A table with functions of those names.
    Table(Vec<&'a str>),
}

/// A top-level statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Its lines, comments before it included.
    pub lines: Vec<&'a str>,
    /// The local or type it declares; nothing for one that is run for its effect.
    pub declares: Option<&'a str>,
    /// The module it requires.
    pub requires: Option<&'a str>,
    /// Names it mentions.
    pub words: Vec<Word<'a>>,
}

/// A name, and the member taken out of it: `Messages.overRate`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Word<'a> {
    /// The name.
    pub name: &'a str,
    /// The member.
    pub member: Option<&'a str>,
}

/// A statement of the same module that another uses, and the member it takes out of what that declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use<'a> {
    /// Its place among the module's statements.
    pub at: usize,
    /// The member.
    pub member: Option<&'a str>,
}

impl<'a> Module<'a> {
    /// Reads a module's text.
    ///
    /// # Panics
    ///
    /// When there is nothing in it.
    pub fn read(name: &'a str, text: &'a str) -> Module<'a> {
        let mut lines = text.lines().skip(1).peekable();
        let mut header = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("--")) {
            header.push(line);
        }
        let purpose = header.into_iter().take_while(|&line| line != "--").collect();

        let mut statements: Vec<Vec<&'a str>> = Vec::new();
        let mut open = false;
        for line in lines {
            let starts =
                line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-') && !line.starts_with("end");
            if starts && !open {
                statements.push(Vec::new());
            }
            if starts {
                // Comments belong to the statement behind them.
                open = line.starts_with("--");
            }
            if let Some(statement) = statements.last_mut() {
                statement.push(line);
            }
        }
        let returned = statements.pop().unwrap_or_else(|| panic!("the runtime module {name} is empty"));
        let statements = statements.into_iter().map(|lines| Statement::read(text, lines)).collect();
        Module { name, purpose, statements, export: Export::read(&returned) }
    }

    /// The local that holds it: its name, or that of the function it is.
    pub fn local(&self) -> &'a str {
        match self.export {
            Export::Function(name) => name,
            Export::Table(_) => self.name,
        }
    }

    /// Places of the statements that declare `name`. A type may have the name of a value.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = usize> {
        let declares = move |at: &usize| self.statements[*at].declares == Some(name);
        (0..self.statements.len()).filter(declares)
    }

    /// The statements that another one mentions. Where a type has the name of a value, either may be meant.
    pub fn uses(&self, statement: &Statement<'a>) -> Vec<Use<'a>> {
        let found = |word: &Word<'a>| {
            let member = word.member;
            self.declarations(word.name).map(move |at| Use { at, member }).collect::<Vec<_>>()
        };
        statement.words.iter().flat_map(found).collect()
    }
}

impl<'a> Export<'a> {
    fn read(lines: &[&'a str]) -> Export<'a> {
        let first = lines.first().copied().unwrap_or_default();
        match first.strip_prefix("return ").unwrap_or(first) {
            "{" => Export::Table(
                lines.iter().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim()).collect(),
            ),
            name => Export::Function(name),
        }
    }
}

impl<'a> Statement<'a> {
    fn read(text: &'a str, lines: Vec<&'a str>) -> Statement<'a> {
        let comments = lines.iter().take_while(|line| line.starts_with("--")).count();
        let code = &lines[comments..];
        let first = code.first().copied().unwrap_or_default();
        let declares = ["local function ", "local ", "export type ", "type "]
            .iter()
            .find_map(|start| first.strip_prefix(start))
            .map(leading_name);
        let requires = first.split_once(" = require(\"./").and_then(|(_, rest)| rest.strip_suffix("\")"));
        // Lines are slices of the text, one behind the other.
        let start = first.as_ptr() as usize - text.as_ptr() as usize;
        let end =
            code.last().map_or(start, |last| last.as_ptr() as usize - text.as_ptr() as usize + last.len());
        let code = if first.is_empty() { "" } else { &text[start..end] };
        Statement { declares, requires, words: words(code), lines }
    }

    /// Its lines without comments, and without blank ones behind it.
    pub fn code(&self) -> impl Iterator<Item = &'a str> {
        let end = self.lines.iter().rposition(|line| !line.is_empty());
        self.lines.iter().copied().take(end.map_or(0, |end| end + 1)).filter(|line| !is_comment(line))
    }

    /// Its text inside a function, with the blank line it has behind it: one tab further in, without comments, and no
    /// `export`, as only a module's own types can be exported.
    pub fn inside(&self) -> String {
        let mut out = String::new();
        for line in self.lines.iter().filter(|line| !is_comment(line)) {
            let line = line.strip_prefix("export ").unwrap_or(line);
            if !line.is_empty() {
                out.push('\t');
                out.push_str(line);
            }
            out.push('\n');
        }
        out
    }
}

/// Comments stand on lines of their own.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("--")
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !is_name(c)).unwrap_or(text.len());
    &text[..end]
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Every name in `code` that is not itself a member, outside comments and the fixed text of strings.
fn words(code: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut rest = code;
    // What precedes the name at hand: decides whether it is a member.
    let mut before = ' ';
    let mut in_template = false;
    while let Some(c) = rest.chars().next() {
        if c == '"' || c == '`' || (c == '}' && in_template) {
            let (skipped, ended_by) = string_end(rest);
            in_template = ended_by == '{';
            rest = &rest[skipped..];
            before = ' ';
        } else if rest.starts_with("--") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if c.is_ascii_alphabetic() || c == '_' {
            let name = leading_name(rest);
            if before != '.' {
                words.push(Word { name, member: None });
            } else if let Some(word) = words.last_mut().filter(|word| word.member.is_none()) {
                word.member = Some(name);
            }
            rest = &rest[name.len()..];
            before = 'a';
        } else {
            // Of dots only one alone takes a member: `a .. b` joins, and `...T` is any number of values.
            let dots = rest.len() - rest.trim_start_matches('.').len();
            before = if dots > 1 { ' ' } else { c };
            rest = &rest[if dots > 1 { dots } else { c.len_utf8() }..];
        }
    }
    words.sort();
    words.dedup();
    words
}

/// Length of the string part that starts `text`, and the character that ends it: the closing quote, or the brace that
/// opens an expression of a template. A template's text goes on behind the brace that closes the expression.
fn string_end(text: &str) -> (usize, char) {
    let quote = if text.starts_with('"') { '"' } else { '`' };
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return (at + 1, c),
            '{' if quote == '`' => return (at + 1, c),
            _ => {}
        }
    }
    (text.len(), quote)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use full_moon::ast::{LastStmt, Stmt};
    use full_moon::tokenizer::{TokenKind, TokenType};

    use super::*;
    use crate::MODULES;

    fn named(name: &str) -> Module<'static> {
        let &(name, text) = MODULES.iter().find(|(other, _)| *other == name).unwrap();
        Module::read(name, text)
    }

    /// The reading by columns finds the statements and names that a real parser finds.
    #[test]
    fn statements_are_those_of_a_parser() {
        let (mut names, mut members) = (0, 0);
        for (name, text) in MODULES {
            let tree = full_moon::parse(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            let module = Module::read(name, text);
            let parsed: Vec<&Stmt> = tree.nodes().stmts().collect();
            assert_eq!(parsed.len(), module.statements.len(), "{name}");
            for (theirs, ours) in parsed.iter().zip(&module.statements) {
                let ours_named: BTreeSet<_> = ours.words.iter().map(|word| word.name).collect();
                let ours_taken: BTreeSet<_> =
                    ours.words.iter().filter_map(|word| Some((word.name, word.member?))).collect();
                let tokens: Vec<String> =
                    full_moon::node::Node::tokens(*theirs).map(|token| token.token().to_string()).collect();
                let kinds: Vec<_> =
                    full_moon::node::Node::tokens(*theirs).map(|token| token.token_type().kind()).collect();
                let is_dot = |at: usize| tokens[at] == ".";
                for at in (0..tokens.len()).filter(|&at| kinds[at] == TokenKind::Identifier) {
                    let token = tokens[at].as_str();
                    if at == 0 || !is_dot(at - 1) {
                        let found = token == "export" || ours_named.contains(token);
                        assert!(found, "{name}, {:?}: {token}", ours.declares);
                        names += 1;
                    } else if kinds[at - 2] == TokenKind::Identifier && (at < 3 || !is_dot(at - 3)) {
                        // What is taken out of a member is declared nowhere, so nobody looks for it.
                        let taken = (tokens[at - 2].as_str(), token);
                        assert!(ours_taken.contains(&taken), "{name}, {:?}: {taken:?}", ours.declares);
                        members += 1;
                    }
                }
            }
            assert!(matches!(tree.nodes().last_stmt(), Some(LastStmt::Return(_))), "{name}");
        }
        assert!(names > members && members > 1000, "{names} names, {members} members");
    }

    /// Inlining indents lines, which must not reach into a text of several lines.
    #[test]
    fn no_token_spans_lines() {
        for (name, text) in MODULES {
            let tree = full_moon::parse(text).unwrap();
            for token in full_moon::node::Node::tokens(tree.nodes()) {
                for piece in token.leading_trivia().chain([token.token()]).chain(token.trailing_trivia()) {
                    if !matches!(piece.token_type(), TokenType::Whitespace { .. }) {
                        assert!(!piece.to_string().trim_end().contains('\n'), "{name}: {piece}");
                    }
                }
            }
        }
    }

    /// A required table is only ever used through its members: otherwise nobody knows which to keep.
    #[test]
    fn required_tables_are_used_by_member() {
        for (name, _) in MODULES {
            let module = named(name);
            for statement in &module.statements {
                for word in &statement.words {
                    let declared: Vec<_> = module.declarations(word.name).collect();
                    if declared.len() > 1 && word.member.is_none() {
                        continue; // the type of that name
                    }
                    let required = declared.iter().find_map(|&at| module.statements[at].requires);
                    let Some(required) = required.filter(|_| statement.requires.is_none()) else {
                        continue;
                    };
                    let is_table = matches!(named(required).export, Export::Table(_));
                    assert_eq!(is_table, word.member.is_some(), "{name} uses {word:?}");
                }
            }
        }
    }

    #[test]
    fn names_are_found_inside_templates_and_not_in_text() {
        let found = words("local a: ...T = `x {b.c} y {d} z` .. \"e\" .. f -- g\nreturn h.i.j");
        let found: Vec<String> = found
            .iter()
            .map(|word| match &word.member {
                Some(member) => format!("{}.{member}", word.name),
                None => word.name.to_owned(),
            })
            .collect();
        assert_eq!(found, ["T", "a", "b.c", "d", "f", "h.i", "local", "return"]);
    }
}
