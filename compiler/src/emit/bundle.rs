//! Picks the parts of the runtime library that a generated module needs, and makes text of them to inline.
//!
//! ```text
//! let mut bundle = Bundle::default();
//! bundle.need("Stream", &["forEveryone"]);
//! bundle.need("Spawn", &[]); // a module that is one function
//! for part in bundle.parts() { /* `part.text` declares the local `part.local` */ }
//! ```
//!
//! A part is one statement that declares one local, so a module of any size spends few of the 200 locals a function
//! may have: `local Stream = (function() ... return { forEveryone = forEveryone } end)()`. Functions nobody needs are
//! left out, and so are types, `export`, `--!strict` and the requires; types that stay are local to the wrapper. Parts
//! come in an order in which each stands behind those it uses, the same one for equal needs.
//!
//! The library's own form (`luau-runtime`) is what makes this quick: every statement of a module starts in the first
//! column, so no parser runs while a schema compiles. The tests hold that reading equal to full_moon's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use blinkblox_luau_runtime as runtime;

/// The needs of one generated module.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    needs: BTreeMap<&'static str, BTreeSet<&'static str>>,
}

/// One runtime module, cut down to what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The local that holds it: the module's name, or that of the function when the module is one (`spawn`).
    pub local: String,
    /// The statement that declares the local, comments before it. Tabs indent; no line break at the end.
    pub text: String,
}

impl Bundle {
    /// Adds members of a runtime module. A module that is one function has none to name.
    ///
    /// # Panics
    ///
    /// When there is no such module or member: what the emitter asks for does not depend on any schema.
    pub fn need(&mut self, module: &str, members: &[&str]) {
        let (module, read) = Module::named(module);
        let needed = self.needs.entry(module).or_default();
        needed.extend(members.iter().map(|&member| read.member(member)));
    }

    /// Whether anything of a module was asked for.
    pub fn has(&self, module: &str) -> bool {
        self.needs.contains_key(module)
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.needs.is_empty()
    }

    /// What was asked for and what that uses, each part behind those it uses.
    pub fn parts(&self) -> Vec<Part> {
        let mut linker = Linker::default();
        for (module, members) in &self.needs {
            linker.require(module, members);
        }
        linker.parts()
    }
}

/// Every runtime module with the members it has, in order of name; none for one that is a function.
pub fn modules() -> Vec<(&'static str, Vec<&'static str>)> {
    let members = |name: &str| match &Module::named(name).1.export {
        Export::Function(_) => Vec::new(),
        Export::Table(names) => names.clone(),
    };
    runtime::MODULES.iter().map(|&(name, _)| (name, members(name))).collect()
}

/// A declaration of the type that `module` calls `ty`, under another name and without comments.
///
/// Types of parts are local to them, yet values of such a type pass through a generated module. Where the checker must
/// find out their type for itself, it spends some of a limit a module has.
pub fn type_declaration(module: &str, ty: &str, name: &str) -> String {
    let (_, read) = Module::named(module);
    let declaration = read.declarations(ty).map(|at| &read.statements[at]).find(|one| one.requires.is_none());
    let statement =
        declaration.unwrap_or_else(|| unreachable!("the runtime module {module} has no type {ty}"));
    let lines: Vec<&str> = statement.code().filter(|line| !line.trim_start().starts_with("--")).collect();
    let text = lines.join("\n");
    let value = text.split_once('=').map_or("", |(_, value)| value);
    format!("type {name} ={value}")
}

/// Modules by name, and which statements of each are kept.
#[derive(Default)]
struct Linker {
    modules: BTreeMap<&'static str, (&'static Module, BTreeSet<usize>)>,
}

impl Linker {
    /// Keeps `members` of `name` and all they use, in this module and others.
    fn require(&mut self, name: &'static str, members: &BTreeSet<&'static str>) {
        let (module, mut kept) = self.modules.remove(name).unwrap_or_else(|| {
            let (_, module) = Module::named(name);
            (module, module.effects())
        });
        let mut queue: Vec<usize> = kept.iter().copied().collect();
        for member in module.roots(members) {
            let at = module
                .declaration(member)
                .unwrap_or_else(|| unreachable!("the runtime module {name} has no member {member}"));
            queue.push(at);
            kept.insert(at);
        }

        let mut foreign: BTreeMap<&'static str, BTreeSet<&'static str>> = BTreeMap::new();
        while let Some(at) = queue.pop() {
            for used in &module.uses[at] {
                if kept.insert(used.at) {
                    queue.push(used.at);
                }
                if let Some(required) = module.statements[used.at].requires {
                    let members = foreign.entry(required).or_default();
                    members.extend(used.member);
                }
            }
        }
        self.modules.insert(name, (module, kept));

        for (required, members) in foreign {
            self.require(required, &members);
        }
    }

    fn parts(&self) -> Vec<Part> {
        let mut order = Vec::new();
        for name in self.modules.keys() {
            self.visit(name, &mut order);
        }
        order
            .iter()
            .map(|name| {
                let (module, kept) = &self.modules[name];
                module.part(kept)
            })
            .collect()
    }

    /// Appends `name` behind what it requires.
    fn visit(&self, name: &'static str, order: &mut Vec<&'static str>) {
        if order.contains(&name) {
            return;
        }
        let (module, kept) = &self.modules[name];
        for &at in kept {
            if let Some(required) = module.statements[at].requires {
                self.visit(required, order);
            }
        }
        order.push(name);
    }
}

/// A runtime module, read into its statements.
struct Module {
    name: &'static str,
    /// The first paragraph of its header comment.
    purpose: Vec<&'static str>,
    statements: Vec<Statement>,
    /// What each statement uses of the module.
    uses: Vec<Vec<Use>>,
    export: Export,
}

/// A statement of the same module that another uses, and the member it takes out of what that declares.
struct Use {
    at: usize,
    member: Option<&'static str>,
}

/// Modules that were read already, in the order of the library.
static READ: [OnceLock<Module>; runtime::MODULES.len()] = [const { OnceLock::new() }; runtime::MODULES.len()];

/// What a module returns.
enum Export {
    /// One of its functions.
    Function(&'static str),
    /// A table with functions of those names.
    Table(Vec<&'static str>),
}

/// A top-level statement.
struct Statement {
    /// Its lines, comments before it included.
    lines: Vec<&'static str>,
    /// The local or type it declares; nothing for one that is run for its effect.
    declares: Option<&'static str>,
    /// The module it requires.
    requires: Option<&'static str>,
    /// Names it mentions.
    words: Vec<Word<'static>>,
}

/// A name, and the member taken out of it: `Messages.overRate`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word<'a> {
    name: &'a str,
    member: Option<&'a str>,
}

impl Module {
    /// The module of that name, which is read once.
    fn named(name: &str) -> (&'static str, &'static Module) {
        let found = runtime::MODULES.binary_search_by_key(&name, |(module, _)| module);
        let at = found.unwrap_or_else(|_| unreachable!("there is no runtime module {name}"));
        let (name, text) = runtime::MODULES[at];
        (name, READ[at].get_or_init(|| Module::read(name, text)))
    }

    fn read(name: &'static str, text: &'static str) -> Module {
        let mut lines = text.lines().skip(1).peekable();
        let mut header = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with("--")) {
            header.push(line);
        }
        let purpose = header.into_iter().take_while(|&line| line != "--").collect();

        let mut statements: Vec<Vec<&'static str>> = Vec::new();
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
        let returned = statements.pop().unwrap_or_else(|| unreachable!("the runtime module {name} is empty"));
        let statements: Vec<Statement> =
            statements.into_iter().map(|lines| Statement::read(text, lines)).collect();
        let uses = statements.iter().map(|statement| uses(&statements, statement)).collect();
        Module { name, purpose, statements, uses, export: Export::read(&returned) }
    }

    /// A member it has, or the name of the function it is.
    fn member(&self, member: &str) -> &'static str {
        let found = match &self.export {
            Export::Function(_) => None,
            Export::Table(names) => names.iter().copied().find(|name| *name == member),
        };
        found.unwrap_or_else(|| unreachable!("the runtime module {} has no {member}", self.name))
    }

    /// Statements without a name: kept whatever is needed.
    fn effects(&self) -> BTreeSet<usize> {
        let nameless = |at: &usize| self.statements[*at].declares.is_none();
        (0..self.statements.len()).filter(nameless).collect()
    }

    /// The functions behind `members`.
    fn roots(&self, members: &BTreeSet<&'static str>) -> Vec<&'static str> {
        match &self.export {
            Export::Function(name) => vec![name],
            Export::Table(_) => members.iter().copied().collect(),
        }
    }

    /// Statements that declare `name`.
    fn declarations<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let declares = move |at: &usize| self.statements[*at].declares == Some(name);
        (0..self.statements.len()).filter(declares)
    }

    fn declaration(&self, name: &str) -> Option<usize> {
        self.declarations(name).next()
    }

    fn part(&self, kept: &BTreeSet<usize>) -> Part {
        let statements: Vec<&Statement> = kept
            .iter()
            .map(|&at| &self.statements[at])
            .filter(|statement| statement.requires.is_none())
            .collect();

        let mut text = String::with_capacity(4096);
        for line in &self.purpose {
            text.push_str(line);
            text.push('\n');
        }
        if let (Export::Function(local), [only]) = (&self.export, statements.as_slice()) {
            for line in only.code() {
                text.push_str(line);
                text.push('\n');
            }
            text.pop();
            return Part { local: (*local).to_owned(), text };
        }

        let local = match &self.export {
            Export::Function(name) => name,
            Export::Table(_) => self.name,
        };
        text.push_str("local ");
        text.push_str(local);
        text.push_str(" = (function()\n");
        for statement in statements {
            statement.inline(&mut text);
        }
        match &self.export {
            Export::Function(name) => {
                text.push_str("\treturn ");
                text.push_str(name);
            }
            Export::Table(names) => {
                text.push_str("\treturn {\n");
                for name in names {
                    if self.declaration(name).is_some_and(|at| kept.contains(&at)) {
                        text.push_str("\t\t");
                        text.push_str(name);
                        text.push_str(" = ");
                        text.push_str(name);
                        text.push_str(",\n");
                    }
                }
                text.push_str("\t}");
            }
        }
        text.push_str("\nend)()");
        Part { local: local.to_owned(), text }
    }
}

/// The statements that `statement` mentions. A type may have the name of a value: then either may be meant.
fn uses(statements: &[Statement], statement: &Statement) -> Vec<Use> {
    let mut found = Vec::new();
    for word in &statement.words {
        for (at, other) in statements.iter().enumerate() {
            if other.declares == Some(word.name) {
                found.push(Use { at, member: word.member });
            }
        }
    }
    found
}

impl Export {
    fn read(lines: &[&'static str]) -> Export {
        let first = lines.first().copied().unwrap_or_default();
        match first.strip_prefix("return ").unwrap_or(first) {
            "{" => Export::Table(
                lines.iter().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim()).collect(),
            ),
            name => Export::Function(name),
        }
    }
}

impl Statement {
    fn read(text: &'static str, lines: Vec<&'static str>) -> Statement {
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

    /// Its lines without blank ones around it.
    fn code(&self) -> impl Iterator<Item = &'static str> {
        let end = self.lines.iter().rposition(|line| !line.is_empty());
        self.lines.iter().copied().take(end.map_or(0, |end| end + 1))
    }

    /// Appends its lines as they stand inside a wrapper, with the blank line it has behind it.
    fn inline(&self, out: &mut String) {
        for line in &self.lines {
            let line = line.strip_prefix("export ").unwrap_or(line);
            if !line.is_empty() {
                out.push('\t');
                out.push_str(line);
            }
            out.push('\n');
        }
    }
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
    use full_moon::ast::{LastStmt, Stmt};
    use full_moon::tokenizer::{TokenKind, TokenType};

    use super::*;

    fn parts(needs: &[(&str, &[&str])]) -> Vec<Part> {
        let mut bundle = Bundle::default();
        for (module, members) in needs {
            bundle.need(module, members);
        }
        bundle.parts()
    }

    fn everything() -> Vec<Part> {
        let mut bundle = Bundle::default();
        for (name, members) in modules() {
            bundle.need(name, &members);
        }
        bundle.parts()
    }

    fn locals(parts: &[Part]) -> Vec<&str> {
        parts.iter().map(|part| part.local.as_str()).collect()
    }

    #[test]
    fn leaves_out_what_nobody_needs() {
        let [part] = &parts(&[("Sequence", &["isNewer"])])[..] else {
            panic!("one part");
        };
        assert_eq!(part.local, "Sequence");
        assert_eq!(
            part.text,
            "-- Numbers of an ordered unreliable event: two bytes that wrap, and which of two is newer.\n\
             local Sequence = (function()\n\
             \t-- Whether `number` comes after `last`, the one accepted last; without one, anything does. Half the numbers come\n\
             \t-- after any other, so a gap of up to 32,767 lost events is bridged.\n\
             \tlocal function isNewer(number: number, last: number?): boolean\n\
             \t\tif last == nil then\n\
             \t\t\treturn true\n\
             \t\tend\n\
             \t\tlocal distance = (number - last) % 65536\n\
             \t\treturn distance >= 1 and distance <= 32767\n\
             \tend\n\
             \n\
             \treturn {\n\
             \t\tisNewer = isNewer,\n\
             \t}\n\
             end)()"
        );
    }

    #[test]
    fn a_module_that_is_one_function_needs_no_wrapper() {
        let [part] = &parts(&[("Copy", &[])])[..] else {
            panic!("one part");
        };
        assert_eq!(part.local, "copy");
        assert!(part.text.contains("\nlocal function copy(value: any): any\n"));
        assert!(part.text.ends_with("\nend"));
    }

    #[test]
    fn dependencies_come_first_and_only_with_what_is_used() {
        let parts = parts(&[("Stream", &["forPlayers"])]);
        assert_eq!(locals(&parts), ["Messages", "raise", "text", "Stream"]);
        let [messages, _, _, stream] = &parts[..] else { unreachable!() };
        assert!(messages.text.contains("streamTakesNoNil") && messages.text.contains("streamFailed"));
        assert!(!messages.text.contains("scopeTaken"));
        assert!(stream.text.contains("\n\ttype State = {\n"));
        assert!(!stream.text.contains("forEveryone"));
    }

    #[test]
    fn types_of_a_module_can_be_declared_outside_it() {
        assert_eq!(
            type_declaration("Bucket", "Bucket", "BLINK_BUCKET"),
            "type BLINK_BUCKET = {\n\ttokens: number,\n\tat: number,\n}"
        );
    }

    #[test]
    fn the_order_of_needs_does_not_matter() {
        let one = parts(&[("Reports", &["drop"]), ("Clock", &["stamp"]), ("Spawn", &[])]);
        let other = parts(&[("Spawn", &[]), ("Clock", &["stamp"]), ("Reports", &["drop"])]);
        assert_eq!(one, other);
    }

    #[test]
    fn every_bundle_parses_and_is_free_of_requires() {
        let parts = everything();
        let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let text = text.join("\n\n") + "\n";
        full_moon::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        for absent in ["require(", "export ", "--!"] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert_eq!(parts.len(), runtime::MODULES.len());
        for part in &parts {
            let alone = full_moon::parse(&part.text).unwrap();
            assert_eq!(alone.nodes().stmts().count(), 1, "{}", part.local);
        }
    }

    /// The reading by columns finds the statements and names that a real parser finds.
    #[test]
    fn statements_are_those_of_a_parser() {
        let (mut names, mut members) = (0, 0);
        for (name, text) in runtime::MODULES {
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
        for (name, text) in runtime::MODULES {
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
        for (name, _) in runtime::MODULES {
            let (_, module) = Module::named(name);
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
                    let is_table = matches!(Module::named(required).1.export, Export::Table(_));
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
