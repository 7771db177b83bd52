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

use blinkblox_luau_runtime as runtime;

/// The needs of one generated module.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    needs: BTreeMap<String, BTreeSet<String>>,
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
    /// [`Bundle::parts`] panics when there is no such module or member: what the emitter asks for does not depend on
    /// any schema.
    pub fn need(&mut self, module: &str, members: &[&str]) {
        let needed = self.needs.entry(module.to_owned()).or_default();
        needed.extend(members.iter().map(|&member| member.to_owned()));
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
    let members = |name: &str| match Module::read(name).export {
        Export::Function(_) => Vec::new(),
        Export::Table(names) => names,
    };
    runtime::MODULES.iter().map(|&(name, _)| (name, members(name))).collect()
}

/// A declaration of the type that `module` calls `ty`, under another name and without comments.
///
/// Types of parts are local to them, yet values of such a type pass through a generated module. Where the checker must
/// find out their type for itself, it spends some of a limit a module has.
pub fn type_declaration(module: &str, ty: &str, name: &str) -> String {
    let read = Module::read(module);
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
    modules: BTreeMap<String, (Module, BTreeSet<usize>)>,
}

impl Linker {
    /// Keeps `members` of `name` and all they use, in this module and others.
    fn require(&mut self, name: &str, members: &BTreeSet<String>) {
        let (module, mut kept) = self.modules.remove(name).unwrap_or_else(|| {
            let module = Module::read(name);
            let kept = module.effects();
            (module, kept)
        });
        let mut queue: Vec<usize> = kept.iter().copied().collect();
        for member in module.roots(members) {
            let at = module
                .declaration(&member)
                .unwrap_or_else(|| unreachable!("the runtime module {name} has no member {member}"));
            queue.push(at);
            kept.insert(at);
        }

        let mut foreign: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        while let Some(at) = queue.pop() {
            for word in &module.statements[at].words {
                // A type may have the name of a value: then either may be meant.
                for used in module.declarations(&word.name) {
                    if kept.insert(used) {
                        queue.push(used);
                    }
                    if let Some(required) = &module.statements[used].requires {
                        let members = foreign.entry(required.clone()).or_default();
                        members.extend(word.member.clone());
                    }
                }
            }
        }
        self.modules.insert(name.to_owned(), (module, kept));

        for (required, members) in foreign {
            self.require(&required, &members);
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
                let (module, kept) = &self.modules[*name];
                module.part(kept)
            })
            .collect()
    }

    /// Appends `name` behind what it requires.
    fn visit<'a>(&'a self, name: &'a str, order: &mut Vec<&'a str>) {
        if order.contains(&name) {
            return;
        }
        let (module, kept) = &self.modules[name];
        for &at in kept {
            if let Some(required) = &module.statements[at].requires {
                self.visit(required, order);
            }
        }
        order.push(name);
    }
}

/// A runtime module, read into its statements.
struct Module {
    name: String,
    /// The first paragraph of its header comment.
    purpose: Vec<&'static str>,
    statements: Vec<Statement>,
    export: Export,
}

/// What a module returns.
enum Export {
    /// One of its functions.
    Function(String),
    /// A table with functions of those names.
    Table(Vec<&'static str>),
}

/// A top-level statement.
struct Statement {
    /// Its lines, comments before it included.
    lines: Vec<&'static str>,
    /// The local or type it declares; nothing for one that is run for its effect.
    declares: Option<String>,
    /// The module it requires.
    requires: Option<String>,
    /// Names it mentions.
    words: Vec<Word>,
}

/// A name, and the member taken out of it: `Messages.overRate`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    name: String,
    member: Option<String>,
}

impl Module {
    fn read(name: &str) -> Module {
        let text = runtime::module(name).unwrap_or_else(|| unreachable!("there is no runtime module {name}"));
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
        Module {
            name: name.to_owned(),
            purpose,
            statements: statements.into_iter().map(Statement::read).collect(),
            export: Export::read(&returned),
        }
    }

    /// Statements without a name: kept whatever is needed.
    fn effects(&self) -> BTreeSet<usize> {
        let nameless = |at: &usize| self.statements[*at].declares.is_none();
        (0..self.statements.len()).filter(nameless).collect()
    }

    /// The functions behind `members`.
    fn roots(&self, members: &BTreeSet<String>) -> Vec<String> {
        match &self.export {
            Export::Function(name) => vec![name.clone()],
            Export::Table(names) => {
                if let Some(unknown) = members.iter().find(|member| !names.contains(&member.as_str())) {
                    unreachable!("the runtime module {} has no {unknown}", self.name);
                }
                members.iter().cloned().collect()
            }
        }
    }

    /// Statements that declare `name`.
    fn declarations<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let declares = move |at: &usize| self.statements[*at].declares.as_deref() == Some(name);
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

        if let (Export::Function(local), [only]) = (&self.export, statements.as_slice()) {
            let mut lines = self.purpose.clone();
            lines.extend(only.code());
            return Part { local: local.clone(), text: lines.join("\n") };
        }

        let (local, returned) = match &self.export {
            Export::Function(name) => (name, vec![format!("\treturn {name}")]),
            Export::Table(names) => (&self.name, self.returned(names, kept)),
        };
        let mut lines: Vec<String> = self.purpose.iter().map(|&line| line.to_owned()).collect();
        lines.push(format!("local {local} = (function()"));
        for statement in statements {
            lines.extend(statement.inlined());
        }
        lines.extend(returned);
        lines.push("end)()".to_owned());
        Part { local: local.clone(), text: lines.join("\n") }
    }

    /// The statement that returns those of `names` which are kept.
    fn returned(&self, names: &[&str], kept: &BTreeSet<usize>) -> Vec<String> {
        let mut lines = vec!["\treturn {".to_owned()];
        for name in names {
            if self.declaration(name).is_some_and(|at| kept.contains(&at)) {
                lines.push(format!("\t\t{name} = {name},"));
            }
        }
        lines.push("\t}".to_owned());
        lines
    }
}

impl Export {
    fn read(lines: &[&'static str]) -> Export {
        let first = lines.first().copied().unwrap_or_default();
        match first.strip_prefix("return ").unwrap_or(first) {
            "{" => Export::Table(
                lines.iter().filter_map(|line| line.split_once('=')).map(|(name, _)| name.trim()).collect(),
            ),
            name => Export::Function(name.to_owned()),
        }
    }
}

impl Statement {
    fn read(lines: Vec<&'static str>) -> Statement {
        let code: Vec<&str> = lines.iter().copied().skip_while(|line| line.starts_with("--")).collect();
        let first = code.first().copied().unwrap_or_default();
        let declared = ["local function ", "local ", "export type ", "type "]
            .iter()
            .find_map(|start| first.strip_prefix(start))
            .map(|rest| leading_name(rest).to_owned());
        let requires = first
            .split_once(" = require(\"./")
            .and_then(|(_, rest)| rest.strip_suffix("\")"))
            .map(str::to_owned);
        Statement { declares: declared, requires, words: words(&code.join("\n")), lines }
    }

    /// Its lines without blank ones around it.
    fn code(&self) -> impl Iterator<Item = &'static str> {
        let end = self.lines.iter().rposition(|line| !line.is_empty());
        self.lines.iter().copied().take(end.map_or(0, |end| end + 1))
    }

    /// Its lines as they stand inside a wrapper, with the blank line it has behind it.
    fn inlined(&self) -> Vec<String> {
        let indent = |line: &&'static str| match line.strip_prefix("export ") {
            _ if line.is_empty() => String::new(),
            Some(private) => format!("\t{private}"),
            None => format!("\t{line}"),
        };
        self.lines.iter().map(indent).collect()
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
fn words(code: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
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
                words.push(Word { name: name.to_owned(), member: None });
            } else if let Some(word) = words.last_mut().filter(|word| word.member.is_none()) {
                word.member = Some(name.to_owned());
            }
            rest = &rest[name.len()..];
            before = 'a';
        } else {
            before = if rest.starts_with("..") { ' ' } else { c };
            rest = &rest[if rest.starts_with("..") { 2 } else { c.len_utf8() }..];
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
    use full_moon::tokenizer::TokenType;

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
        assert_eq!(locals(&parts), ["copy", "Messages", "raise", "same", "text", "Stream"]);
        let messages = &parts[1].text;
        assert!(messages.contains("streamTakesNoNil") && messages.contains("streamFailed"));
        assert!(!messages.contains("scopeTaken"));
        assert!(parts[5].text.contains("\n\ttype State = {\n"));
        assert!(!parts[5].text.contains("forEveryone"));
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
        for (name, text) in runtime::MODULES {
            let tree = full_moon::parse(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            let module = Module::read(name);
            let parsed: Vec<&Stmt> = tree.nodes().stmts().collect();
            assert_eq!(parsed.len(), module.statements.len(), "{name}");
            for (theirs, ours) in parsed.iter().zip(&module.statements) {
                let theirs = full_moon::node::Node::tokens(*theirs)
                    .filter(|token| token.token_type().kind() == full_moon::tokenizer::TokenKind::Identifier)
                    .map(|token| token.token().to_string())
                    .collect::<BTreeSet<_>>();
                let mut names = BTreeSet::new();
                for word in &ours.words {
                    names.insert(word.name.clone());
                    names.extend(word.member.clone());
                }
                let missed: Vec<_> = theirs.difference(&names).filter(|word| *word != "export").collect();
                assert!(missed.is_empty(), "{name}, {:?}: {missed:?}", ours.declares);
            }
            assert!(matches!(tree.nodes().last_stmt(), Some(LastStmt::Return(_))), "{name}");
        }
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
            let module = Module::read(name);
            for statement in &module.statements {
                for word in &statement.words {
                    let declared: Vec<_> = module.declarations(&word.name).collect();
                    if declared.len() > 1 && word.member.is_none() {
                        continue; // the type of that name
                    }
                    let required = declared.iter().find_map(|&at| module.statements[at].requires.clone());
                    let Some(required) = required.filter(|_| statement.requires.is_none()) else {
                        continue;
                    };
                    let is_table = matches!(Module::read(&required).export, Export::Table(_));
                    assert_eq!(is_table, word.member.is_some(), "{name} uses {word:?}");
                }
            }
        }
    }

    #[test]
    fn names_are_found_inside_templates_and_not_in_text() {
        let found = words("local a = `x {b.c} y {d} z` .. \"e\" .. f -- g\nreturn h.i");
        let found: Vec<String> = found
            .iter()
            .map(|word| match &word.member {
                Some(member) => format!("{}.{member}", word.name),
                None => word.name.clone(),
            })
            .collect();
        assert_eq!(found, ["a", "b.c", "d", "f", "h.i", "local", "return"]);
    }
}
