//! What is asked for where the cursor stands: the elements of a list, the keys of a block, the parameters of a generic
//! type, the bounds of a built-in one, the values of an option. Source: tooling specification, 7.4.

use super::context::{self, Around, BlockKind, FrameKind};
use super::{own_spelling, scope_at, words};
use crate::Analysis;
use crate::docs::Docs;
use crate::schema::{entity, event, options, state, table};
use crate::source::{FileId, Span};
use crate::syntax::ast::{Declaration, DeclarationKind, Name};
use crate::syntax::token::{Primitive, Token, TokenKind};

/// What is asked for at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// One line with every parameter in it.
    pub label: String,
    /// Markdown about all of it.
    pub documentation: String,
    /// The parameters, in the order of the label.
    pub parameters: Vec<Parameter>,
    /// The one the cursor is at, if it is at one.
    pub active: Option<usize>,
}

/// A part of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its bytes in the label.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
    /// Markdown about it.
    pub documentation: String,
}

/// What is asked for at a byte offset; `None` where nothing in particular is.
pub fn signature(analysis: &Analysis, file: FileId, offset: u32) -> Option<Signature> {
    let text = &analysis.sources[file].text;
    let around = context::around(file, text, offset as usize);
    if let Some(option) = option_value(text, &around) {
        return Some(option);
    }
    let words = |token: &Token| text_of(text, token.span);
    for frame in around.iter().rev() {
        let last = frame.owner.last();
        let found = match frame.kind {
            FrameKind::Refine(primitive) => modifiers(primitive, frame.commas),
            FrameKind::Pack => match last.map(|token| token.kind) {
                Some(TokenKind::Primitive(primitive)) => {
                    bounds(primitive, frame.item.iter().any(|token| words(token).contains("..")))
                }
                Some(TokenKind::Colon) => elements(text, file, frame),
                _ => None,
            },
            FrameKind::Angles => {
                last.and_then(|name| generic(analysis, file, offset, words(name), frame.commas))
            }
            FrameKind::Brackets => None,
            FrameKind::Block(block) => return keys(text, block, &frame.item),
            FrameKind::Statements
            | FrameKind::Struct
            | FrameKind::Tagged
            | FrameKind::Labels
            | FrameKind::Map
            | FrameKind::Other => return None,
        };
        // Of several brackets in one another, the inmost that asks for something.
        if found.is_some() {
            return found;
        }
    }
    None
}

fn text_of(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or("")
}

/// A label of `before`, the parts between `between`, and `after`.
fn labelled(
    before: &str,
    parts: &[(String, String)],
    between: &str,
    after: &str,
    documentation: String,
    active: Option<usize>,
) -> Signature {
    let mut label = before.to_owned();
    let mut parameters = Vec::new();
    for (place, (part, documentation)) in parts.iter().enumerate() {
        if place > 0 {
            label += between;
        }
        let start = label.len();
        label += part;
        parameters.push(Parameter { start, end: label.len(), documentation: documentation.clone() });
    }
    label += after;
    let active = active.filter(|active| *active < parameters.len());
    Signature { label, documentation, parameters, active }
}

fn described(parts: &[(&str, &str)]) -> Vec<(String, String)> {
    parts.iter().map(|(part, text)| ((*part).to_owned(), (*text).to_owned())).collect()
}

/// `option Casing = `
fn option_value(text: &str, around: &[Around]) -> Option<Signature> {
    let [frame] = around else { return None };
    let [option, name, equals, ..] = frame.item.as_slice() else { return None };
    if text_of(text, option.span) != "option" || equals.kind != TokenKind::Equals || frame.item.len() > 4 {
        return None;
    }
    let name = text_of(text, name.span);
    let (does, usual) = words::option(name)?;
    let (_, values) = options::all().find(|(known, _)| *known == name)?;
    let documentation = format!("{does} Without it: {usual}.");
    let before = format!("option {name} = ");
    if values.is_empty() {
        let takes = options::takes(name)?;
        return Some(labelled(&before, &described(&[(takes, "")]), "", "", documentation, Some(0)));
    }
    let parts: Vec<(String, String)> =
        values.iter().map(|one| ((*one).to_owned(), words::value(one).unwrap_or("").to_owned())).collect();
    let written = frame.item.get(3).map(|token| text_of(text, token.span));
    let active = written.and_then(|written| values.iter().position(|one| *one == written));
    Some(labelled(&before, &parts, " | ", "", documentation, active))
}

/// `u8(`, `string(`, `Instance(`; `behind` is whether the lower bound is written.
fn bounds(primitive: Primitive, behind: bool) -> Option<Signature> {
    let name = primitive.text();
    let (luau, bytes) = words::primitive(name)?;
    let (parts, between): (&[(&str, &str)], &str) = match name {
        "Instance" => (&[("Class", "The class it must be of, or of one derived from it.")], ""),
        "Enum" => (&[("Name", "The Roblox enum whose items it takes.")], ""),
        "string" | "buffer" => (&[("shortest", "Fewest bytes."), ("longest", "Most bytes.")], ".."),
        "vector" => {
            (&[("shortest", "Least length in studs."), ("longest", "Greatest length in studs.")], "..")
        }
        _ if luau == "number" => (&[("least", "The least value."), ("most", "The greatest value.")], ".."),
        _ => return None,
    };
    let documentation = format!("`{name}`: {bytes}.");
    Some(labelled(
        &format!("{name}("),
        &described(parts),
        between,
        ")",
        documentation,
        Some(usize::from(behind)),
    ))
}

/// `u8<`, `vector<`, `CFrame<`
fn modifiers(primitive: Primitive, commas: usize) -> Option<Signature> {
    let name = primitive.text();
    let (luau, bytes) = words::primitive(name)?;
    let component = "A number type that each component travels as, `f32` unless given.";
    let parts: &[(&str, &str)] = match name {
        "vector" => &[("component", component)],
        "CFrame" => {
            &[("rotation", "`quat`, `quat32`, or a number type for three angles."), ("component", component)]
        }
        _ if luau == "number" => &[
            ("scale", "Steps between values, such as `0.01`."),
            ("saturate", "What is out of range is moved into it instead of refused."),
        ],
        _ => return None,
    };
    let documentation = format!("`{name}`: {bytes}.");
    Some(labelled(&format!("{name}<"), &described(parts), ", ", ">", documentation, Some(commas)))
}

/// The elements of a list in parentheses, those behind the cursor included.
fn elements(text: &str, file: FileId, frame: &Around) -> Option<Signature> {
    let key = frame.owner.first().map(|token| own_spelling(text_of(text, token.span)))?;
    let does = words::key(key)?;
    let parts: Vec<(String, String)> = context::elements(file, text, frame.open.span.end as usize)
        .into_iter()
        .map(|element| (element, String::new()))
        .collect();
    if parts.is_empty() {
        let empty = described(&[("name: type", "The name of the parameter and its type.")]);
        return Some(labelled(&format!("{key}: ("), &empty, ", ", ")", does.to_owned(), Some(0)));
    }
    let documentation = format!("{does} Each element is a parameter of its own.");
    Some(labelled(&format!("{key}: ("), &parts, ", ", ")", documentation, Some(frame.commas)))
}

/// The keys of a block, or the values of the key that is being written.
fn keys(text: &str, block: BlockKind, item: &[Token]) -> Option<Signature> {
    let key = item.first().map(|token| own_spelling(text_of(text, token.span)));
    let values = |key: &str| {
        let values = event::words(key);
        if values.is_empty() { entity::words(key) } else { values }
    };
    if let (Some(key), Some(TokenKind::Colon)) = (key, item.get(1).map(|token| token.kind)) {
        let values = values(key);
        let does = words::key(key)?;
        if values.is_empty() {
            let takes = match key {
                "Data" | "Return" => "a type, or (name: type, ...)",
                "Stream" => "{ Rate: a number, ... }",
                "Input" | "Fields" => "a struct",
                "Key" | "Sync" => "a value",
                _ => "a number",
            };
            return Some(labelled(&format!("{key}: "), &[], "", takes, does.to_owned(), None));
        }
        let written = item.get(2).map(|token| text_of(text, token.span));
        let active = written.and_then(|written| values.iter().position(|one| *one == written));
        let parts: Vec<(String, String)> = values
            .iter()
            .map(|one| ((*one).to_owned(), words::value(one).unwrap_or("").to_owned()))
            .collect();
        return Some(labelled(&format!("{key}: "), &parts, " | ", "", does.to_owned(), active));
    }
    let (word, all) = match block {
        BlockKind::Event => ("event", event::EVENT_KEYS),
        BlockKind::Function => ("function", event::FUNCTION_KEYS),
        BlockKind::Stream => ("Stream:", event::STREAM_KEYS),
        BlockKind::State => ("state", state::STATE_KEYS),
        BlockKind::Table => ("table", table::TABLE_KEYS),
        BlockKind::Entity => ("entity", entity::ENTITY_KEYS),
    };
    let all: Vec<&str> = all.iter().copied().filter(|key| *key != "Poll").collect();
    let parts: Vec<(String, String)> =
        all.iter().map(|key| ((*key).to_owned(), words::key(key).unwrap_or("").to_owned())).collect();
    let active = key.and_then(|key| all.iter().position(|one| *one == key));
    Some(labelled(&format!("{word} {{ "), &parts, ", ", " }", "Keys stand in any order.".to_owned(), active))
}

/// The parameters of a generic type that is used.
fn generic(analysis: &Analysis, file: FileId, offset: u32, name: &str, commas: usize) -> Option<Signature> {
    let scope = analysis.index.document(file).and_then(|document| scope_at(document, offset));
    let found = analysis.index.visible(file, scope).into_iter().find(|one| one.path == name)?;
    let document = analysis.index.document(found.span.file)?;
    let params = params_of(&document.declarations, found.span)?;
    let parts: Vec<(String, String)> =
        params.iter().map(|param| (param.text.clone(), String::new())).collect();
    let documentation = Docs::of(&analysis.sources).above(found.span).unwrap_or_default();
    Some(labelled(&format!("{name}<"), &parts, ", ", ">", documentation, Some(commas)))
}

fn params_of(declarations: &[Declaration], name: Span) -> Option<&[Name]> {
    declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Type(declared) if declared.name.span == name => {
            declared.params.as_ref().map(|params| params.names.as_slice())
        }
        DeclarationKind::Scope(scope) => params_of(&scope.declarations, name),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn at(text: &str) -> Option<Signature> {
        let offset = text.find('|').unwrap();
        let loader = MemoryLoader::new().with("main.blink", text.replacen('|', "", 1));
        let analysis = crate::analyze(&loader, "main.blink", Profile::Release);
        signature(&analysis, FileId(0), offset as u32)
    }

    /// The label at the `|` of a schema, its active parameter in angle quotes.
    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let shown = at(text).map(|found| {
            let mut label = found.label.clone();
            if let Some(active) = found.active {
                let Parameter { start, end, .. } = found.parameters[active];
                label.insert(end, '»');
                label.insert(start, '«');
            }
            label
        });
        assert_eq!(shown.as_deref().unwrap_or("nothing"), wanted, "in {text}");
    }

    #[test]
    fn lists_of_data_and_return() {
        check("event A { Data: (|", "Data: («name: type»)");
        check("event A { Data: (Who: u8, Te|", "Data: (Who: u8, «Te»)");
        check(
            "event A { Data: (Who: u8, |Text: string(1..20), At: B<u8, u8>), Rate: 5 }",
            "Data: (Who: u8, «Text: string(1..20)», At: B<u8, u8>)",
        );
        check("function A { return: (u8, |), Yield: Coroutine }", "Return: (u8, «»)");
    }

    #[test]
    fn blocks_and_their_values() {
        let event = "event { From, Type, Channel, Call, Data, Rate, Burst, Priority, Stream, Stamp }";
        check("event A { |", event);
        check("event A { From: Client, Ra|", event);
        check("event A { Rate|", &event.replace("Rate", "«Rate»"));
        check("event A { Rate: 5, |", event);
        check("event A { From: |", "From: Client | Server");
        check("event A { from: Server|", "From: Client | «Server»");
        check("event A { Rate: |", "Rate: a number");
        check("event A { Data: |", "Data: a type, or (name: type, ...)");
        check("event A { Stream: { Rate: 5, | } }", "Stream: { Rate, Fast, Keepalive, Epsilon, Per }");
        check("function A { Yield: Fut|", "Yield: Future | Promise | Coroutine");
        assert!(at("entity A { |").unwrap().label.starts_with("entity { "));
        let found = at("event A { Call: |").unwrap();
        assert_eq!(found.documentation, "How listeners are called.");
        assert_eq!(found.parameters[0].documentation, "One listener, called at once; it must not yield.");
    }

    #[test]
    fn built_in_types() {
        check("type A = u8(|", "u8(«least»..most)");
        check("type A = u8(1..|", "u8(least..«most»)");
        check("type A = u8(1..|40)", "u8(least..«most»)");
        check("type A = u8(1|..40)", "u8(«least»..most)");
        check("struct A { X: string(|", "string(«shortest»..longest)");
        check("struct A { X: Instance(|", "Instance(«Class»)");
        check("type A = u16<|>", "u16<«scale», saturate>");
        check("type A = CFrame<quat32, |>", "CFrame<rotation, «component»>");
        check("type A = boolean(|", "nothing");
    }

    #[test]
    fn generic_types_and_options() {
        let page = "-- A page of rows.\nstruct Page<T, Key> { Rows: T[], At: Key }\n";
        check(&format!("{page}struct A {{ X: Page<u8, |> }}"), "Page<T, «Key»>");
        check(&format!("{page}event A {{ Data: (X: Page<|"), "Page<«T», Key>");
        assert_eq!(at(&format!("{page}struct A {{ X: Page<|")).unwrap().documentation, "A page of rows.");
        check("scope S { struct B<T> { X: T } struct C { X: B<| } }", "B<«T»>");
        check("option Casing = |", "option Casing = Pascal | Camel | Snake");
        check("option Casing = Camel|", "option Casing = Pascal | «Camel» | Snake");
        check("option MaxPacketSize = |", "option MaxPacketSize = «a whole number of at least 1»");
        check("option Nothing = |", "nothing");
    }

    #[test]
    fn elsewhere_nothing_is_asked_for() {
        for text in ["|", "type A = |", "struct A { | }", "enum A = { B, | }", "-- event A { |", "import \"|"]
        {
            check(text, "nothing");
        }
        // Behind a block that is closed, and at any offset of any text.
        check("event A { From: Client }|", "nothing");
        let text = "event A { Data: (é, \"ü\", Page<T, struct { X: u8(1..2) }>), Stream: { Rate: 5 } } option B = \"";
        let loader = MemoryLoader::new().with("main.blink", text);
        let analysis = crate::analyze(&loader, "main.blink", Profile::Release);
        for offset in 0..=text.len() as u32 + 3 {
            signature(&analysis, FileId(0), offset);
        }
    }
}
