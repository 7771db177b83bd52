//! What a word under the cursor means. Source: tooling specification, 7.4.

use std::collections::HashMap;

use super::names::name_at;
use super::{each_declaration, own_spelling, touches, words};
use crate::Analysis;
use crate::diagnostics::counted;
use crate::docs::Docs;
use crate::emit::luau::ast::Block as LuauBlock;
use crate::emit::luau::{print, types};
use crate::emit::typescript::Declarations;
use crate::schema::{
    Channel, Entity, Event, Function, Item, Rate, Relevance, Schema, Scope, Side, State, Table, TypeDecl,
};
use crate::sizes::{ItemSizes, Sizes};
use crate::source::{FileId, Span};
use crate::syntax::ast::{Block, DeclarationKind, Value};
use crate::syntax::lexer::lex;
use crate::syntax::token::TokenKind;
use crate::wire::entity::EntityWire;
use crate::wire::plan::{Layout, Plan};
use crate::wire::size::{Size, measure};

/// What is shown beside a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The word.
    pub span: Span,
    /// Markdown.
    pub markdown: String,
}

/// What the word at an offset means; `None` where there is nothing to say.
pub fn hover(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    if let Some(found) = name_at(analysis, file, offset) {
        return declared(analysis, found.target).map(|markdown| Hover { span: found.span, markdown });
    }
    word(analysis, file, offset)
}

/// A name that is declared.
fn declared(analysis: &Analysis, target: Span) -> Option<String> {
    let docs = Docs::of(&analysis.sources);
    let mut parts: Vec<String> = Vec::new();
    match analysis.schema.as_ref().and_then(|schema| find(schema, target).map(|item| (schema, item))) {
        Some((schema, Declared::Type(decl))) => {
            parts.push(code("luau", &luau(schema, decl)));
            parts.push(code("typescript", &Declarations::new(schema, &docs).type_text(decl)));
            if decl.generics.is_empty() {
                parts.push(bytes(decl));
            }
        }
        Some((_, Declared::Event(event))) => parts.push(event_text(analysis, event)),
        Some((_, Declared::Function(function))) => parts.push(function_text(analysis, function)),
        Some((_, Declared::State(state))) => parts.push(state_text(analysis, state)),
        Some((_, Declared::Table(table))) => parts.push(table_text(analysis, table)),
        Some((_, Declared::Entity(entity))) => parts.push(entity_text(entity)),
        None => parts.push(code("blink", &source(analysis, target)?)),
    }
    parts.extend(docs.above(target));
    Some(parts.join("\n\n"))
}

/// What is found where a name is declared.
enum Declared<'a> {
    Type(&'a TypeDecl),
    Event(&'a Event),
    Function(&'a Function),
    State(&'a State),
    Table(&'a Table),
    Entity(&'a Entity),
}

fn find(schema: &Schema, target: Span) -> Option<Declared<'_>> {
    if let Some(decl) = schema.types.iter().find(|decl| decl.span == target) {
        return Some(Declared::Type(decl));
    }
    fn member(scope: &Scope, target: Span) -> Option<Declared<'_>> {
        scope.items.iter().find_map(|item| match item {
            Item::Event(event) => (event.span == target).then_some(Declared::Event(event)),
            Item::Function(function) => (function.span == target).then_some(Declared::Function(function)),
            Item::State(state) => (state.span == target).then_some(Declared::State(state)),
            Item::Table(table) => (table.span == target).then_some(Declared::Table(table)),
            Item::Scope(inner) => member(inner, target),
            Item::Entity(entity) => (entity.span == target).then_some(Declared::Entity(entity)),
            Item::Type(_) => None,
        })
    }
    member(&schema.root, target)
}

fn code(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```", text.trim_end())
}

/// The Luau type a declaration comes out as.
fn luau(schema: &Schema, decl: &TypeDecl) -> String {
    print::print(&LuauBlock { stats: vec![types::declaration(schema, decl)] })
}

/// Bytes of a type, as it travels and, when it is exported, as it is stored.
fn bytes(decl: &TypeDecl) -> String {
    let traffic = measure(&decl.ty, Layout::Traffic);
    let mut line = format!("As traffic: {}.", range(&traffic));
    if decl.export {
        let stored = measure(&decl.ty, Layout::Storage);
        line += &format!(" As stored by `Write`: {}.", range(&stored.sealed()));
    }
    line + " " + &layout(decl)
}

/// How a type lies in a packet, in a sentence.
fn layout(decl: &TypeDecl) -> String {
    let block = Plan::exported(&decl.ty, Layout::Traffic).block;
    let bits = block.bit_bytes.len() as u32;
    let bytes = |count: u32| counted(count, "byte");
    let of_bits = match bits {
        0 => String::new(),
        bits if bits == block.head => " of bits".to_string(),
        bits => format!(", {} of them bits", if bits == 1 { "one".to_string() } else { bits.to_string() }),
    };
    match (block.head, block.tail) {
        (0, true) => "Layout: all of it varies in length.".to_string(),
        (0, false) => "Layout: nothing travels.".to_string(),
        (head, true) => format!("Layout: {} in front{of_bits}, then what varies in length.", bytes(head)),
        (head, false) => format!("Layout: {} in fixed places{of_bits}.", bytes(head)),
    }
}

/// Bytes of the types of a schema, by their names where they are declared, as [`hover`] shows them.
pub struct TypeBytes<'a>(HashMap<Span, &'a TypeDecl>);

impl<'a> TypeBytes<'a> {
    /// Of a schema; of none, and of generic types, nothing is known.
    pub fn of(schema: Option<&'a Schema>) -> TypeBytes<'a> {
        let types = schema.into_iter().flat_map(|schema| &schema.types);
        // Of a file that is imported twice the first declaration counts.
        let types = types.rev().filter(|decl| decl.generics.is_empty());
        TypeBytes(types.map(|decl| (decl.span, decl)).collect())
    }

    /// Bytes of the type whose name is declared at a span.
    pub fn at(&self, name: Span) -> Option<String> {
        self.0.get(&name).map(|decl| range(&measure(&decl.ty, Layout::Traffic)))
    }
}

fn range(size: &Size) -> String {
    let bits = match size.bits {
        0 => String::new(),
        1 => " and 1 bit".to_string(),
        bits => format!(" and {bits} bits"),
    };
    let bytes = match (size.min == size.max, size.min) {
        (true, 0) if size.bits > 0 => return bits.trim_start_matches(" and ").to_string(),
        (true, bytes) => counted(bytes, "byte"),
        (false, _) => format!("{} to {} bytes", size.min, size.max),
    };
    let open = if size.unbounded.is_some() { ", without a written bound" } else { "" };
    format!("{bytes}{bits}{open}")
}

fn event_text(analysis: &Analysis, event: &Event) -> String {
    let from = side(event.from);
    let mut line = format!("Event {} of the {} channel, sent by {from}.", event.index, channel(event));
    line += &rate(event.rate);
    let sizes = Sizes::of(analysis);
    line += &part_bytes(sizes.as_ref(), &event.path, &["payload"]);
    line
}

fn function_text(analysis: &Analysis, function: &Function) -> String {
    let from = side(function.from);
    let mut line = format!("Function {} of the reliable channel, called by {from}.", function.index);
    line += &rate(function.rate);
    let sizes = Sizes::of(analysis);
    line += &part_bytes(sizes.as_ref(), &function.path, &["call", "answer"]);
    line
}

fn state_text(analysis: &Analysis, state: &State) -> String {
    let held = match (state.key.is_some(), state.per_player) {
        (true, false) => "objects that every client follows",
        (true, true) => "objects of each player's own",
        (false, false) => "one object that every client follows",
        (false, true) => "one object of each player's own",
    };
    let mut line = format!("State {} of the reliable channel: {held}.", state.index);
    line += &part_bytes(Sizes::of(analysis).as_ref(), &state.path, &["frame"]);
    line
}

fn table_text(analysis: &Analysis, table: &Table) -> String {
    let mut line = format!(
        "Table {}, pushed by {}, sent {} a second.",
        table.index,
        side(table.from),
        counted(table.rate, "time")
    );
    line += &part_bytes(Sizes::of(analysis).as_ref(), &table.path, &["row"]);
    line
}

fn entity_text(entity: &Entity) -> String {
    let wire = EntityWire::of(entity);
    let (least, most) = wire.packet_size();
    let sees = match entity.relevance {
        Relevance::All => "everyone".to_string(),
        Relevance::Radius(studs) => format!("players within {}", counted(studs, "stud")),
        Relevance::Manual => "whom the game shows it to".to_string(),
    };
    let bytes = if least == most { counted(least, "byte") } else { format!("{least} to {most} bytes") };
    format!(
        "Entity {}, {} a second, seen by {sees}. {} of mask; a packet with a new one takes {bytes}.",
        entity.index,
        counted(entity.rate, "snapshot"),
        counted(wire.bits(), "bit")
    )
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "clients",
        Side::Server => "the server",
    }
}

fn channel(event: &Event) -> &'static str {
    match event.channel() {
        Channel::Reliable => "reliable",
        Channel::Unreliable => "unreliable",
    }
}

fn rate(rate: Option<Rate>) -> String {
    rate.map(|rate| format!(" At most {} a second of one client, {} at once.", rate.rate, rate.burst))
        .unwrap_or_default()
}

/// Header and payload of each part of a declaration.
fn part_bytes(sizes: Option<&Sizes>, path: &[String], names: &[&str]) -> String {
    let name = path.join(".");
    let item: Option<&ItemSizes> =
        sizes.and_then(|sizes| sizes.items.iter().find(|item| item.name == name && item.index.is_some()));
    let Some(item) = item else { return String::new() };
    let mut text = String::new();
    for (part, name) in item.parts.iter().zip(names) {
        let size = part.size.sealed();
        let header = u64::from(part.header);
        let (min, max) = (size.min + header, size.max + header);
        let total = if min == max { counted(min, "byte") } else { format!("{min} to {max} bytes") };
        let open = if size.unbounded.is_some() { ", without a written bound" } else { "" };
        text += &match *name {
            "payload" => format!(" {total}, its index included{open}."),
            other => format!(" The {other}: {total}{open}."),
        };
    }
    text
}

/// The text of the declaration whose name is at `target`, a few lines of it at most.
fn source(analysis: &Analysis, target: Span) -> Option<String> {
    let mut whole = None;
    each_declaration(&analysis.index.document(target.file)?.declarations, &mut |declaration| {
        if touches(declaration.span, target.start) {
            whole = Some(declaration.span);
        }
    });
    let text = analysis.sources.text(whole?);
    let mut lines: Vec<&str> = text.lines().take(12).collect();
    if text.lines().count() > lines.len() {
        lines.push("...");
    }
    Some(lines.join("\n"))
}

/// A word of the language.
fn word(analysis: &Analysis, file: FileId, offset: u32) -> Option<Hover> {
    let text = &analysis.sources[file].text;
    let tokens = lex(file, text).tokens;
    let token = tokens.iter().find(|token| touches(token.span, offset) && token.kind.is_word())?;
    let written = analysis.sources.text(token.span);
    let markdown = match token.kind {
        TokenKind::Primitive(_) => {
            let (luau, bytes) = words::primitive(written)?;
            format!("`{written}`: `{luau}` in Luau; {bytes}.")
        }
        _ => entry_word(analysis, file, token.span).or_else(|| option_word(analysis, file, token.span))?,
    };
    Some(Hover { span: token.span, markdown })
}

/// A key of a block, or the word behind it.
fn entry_word(analysis: &Analysis, file: FileId, span: Span) -> Option<String> {
    fn in_block(block: &Block, span: Span) -> Option<String> {
        block.entries.iter().find_map(|entry| {
            let key = own_spelling(&entry.key.text);
            if entry.key.span == span {
                return words::key(key).map(str::to_string);
            }
            match &entry.value {
                Value::Scalar(scalar) if scalar.span == span => match &scalar.kind {
                    crate::syntax::ast::ScalarKind::Word(word) => words::value(word).map(str::to_string),
                    _ => None,
                },
                Value::Block(inner) => in_block(inner, span),
                _ => None,
            }
        })
    }
    let mut found = None;
    each_declaration(&analysis.index.document(file)?.declarations, &mut |declaration| {
        if let DeclarationKind::Event(member)
        | DeclarationKind::Function(member)
        | DeclarationKind::State(member)
        | DeclarationKind::Table(member)
        | DeclarationKind::Entity(member) = &declaration.kind
            && touches(member.block.span, span.start)
        {
            found = in_block(&member.block, span);
        }
    });
    found
}

fn option_word(analysis: &Analysis, file: FileId, span: Span) -> Option<String> {
    let document = analysis.index.document(file)?;
    let option = document
        .options
        .iter()
        .find(|one| one.name.span == span || one.value.as_ref().is_some_and(|value| value.span == span))?;
    if option.name.span != span {
        return words::value(analysis.sources.text(span)).map(str::to_string);
    }
    let (does, default) = words::option(&option.name.text)?;
    Some(format!("{does} Default: {default}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let offset = text.find('|').unwrap();
        let loader = MemoryLoader::new().with("main.blink", text.replacen('|', "", 1));
        let analysis = crate::analyze(&loader, "main.blink", Profile::Release);
        let found =
            hover(&analysis, FileId(0), offset as u32).map(|hover| hover.markdown).unwrap_or_default();
        for words in expected {
            assert!(found.contains(words), "{words:?} is not in {found:?} for {text}");
        }
        assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
    }

    #[test]
    fn declared_types() {
        check(
            "-- What is left of a life.\nstruct Vitals| { Health: u8(0..60), Name: string(..9)? }",
            &[
                "export type Vitals",
                "Health: number",
                "Name: string?",
                "Name?: string",
                "What is left of a life.",
                "As traffic: 0 to 10 bytes and 7 bits.",
            ],
        );
        check(
            "export type A = u8(0..3)\nstruct B { X: A| }",
            &["As traffic: 2 bits. As stored by `Write`: 1 byte."],
        );
        check("struct Box<T|> { X: T }", &["struct Box<T> { X: T }"]);
    }

    #[test]
    fn typescript_is_that_of_the_very_type() {
        let text = "scope A { type Same = u8 }\nscope B { type Same| = string }";
        check(text, &["```typescript\ntype Same = string;\n```"]);
        check("struct class| { X: u8 }", &["```typescript\ntype _class = { X: number };\n```"]);
        check(
            "scope A { scope B { export struct Row<T|> { X: T } } }\nstruct C| { X: u8 }",
            &["struct Row<T> { X: T }"],
        );
        let fields: String = (0..12).map(|field| format!("Field{field}: u8, ")).collect();
        check(
            &format!("scope A {{ scope B {{ struct Row| {{ {fields} }} }} }}"),
            &["```typescript\ntype Row = {\n\tField0: number;\n\tField1: number;\n"],
        );
    }

    #[test]
    fn events_and_functions() {
        check(
            "event A| { From: Client, Type: Unreliable, Call: ManySync, Rate: 4, Data: u16 }",
            &[
                "Event 0 of the unreliable channel, sent by clients. At most 4 a second",
                "3 bytes, its index included.",
            ],
        );
        check(
            "function B| { Yield: Coroutine, Data: u8, Return: string(..9) }",
            &[
                "Function 0 of the reliable channel, called by clients.",
                "The call: 3 bytes.",
                "The answer: 4 to 13 bytes.",
            ],
        );
    }

    #[test]
    fn words_of_the_language() {
        check("struct A { X: f24| }", &["`f24`: `number` in Luau; 3 bytes"]);
        check("event A { Fr|om: Server, Type: Reliable, Call: ManySync }", &["The side that sends it."]);
        check("event A { From: Server, Type: Rel|iable, Call: ManySync }", &["once and in order"]);
        check("option Cas|ing = Camel", &["Default: Pascal."]);
        check("struct A { |X: u8 }", &[]);
        // Of a broken schema the text is shown.
        check("struct A| { X: u8 }\nstruct B { X: Missing }", &["struct A { X: u8 }"]);
    }
}
