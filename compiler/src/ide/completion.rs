//! What can be written at a place. Source: tooling specification, 7.3.

use super::context::{self, BlockKind, Context};
use super::hover::TypeBytes;
use super::{own_spelling, scope_at, words};
use crate::Analysis;
use crate::docs::Docs;
use crate::schema::index::Visible;
use crate::schema::{classes, entity, event, options, state, table};
use crate::source::{FileId, Span};
use crate::syntax::token::Primitive;

/// What an offer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferKind {
    /// A word of the language.
    Keyword,
    /// A key of a block, or an option.
    Property,
    /// One of the values something takes.
    Value,
    /// A built-in type.
    Primitive,
    /// A declared type.
    Type,
    /// A class of Roblox.
    Class,
    /// A file that can be imported.
    File,
}

/// One thing that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What is written.
    pub label: String,
    /// What it is.
    pub kind: OfferKind,
    /// A few words beside it: bytes, a default.
    pub detail: String,
    /// A sentence about it.
    pub documentation: String,
}

/// What can be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The part of a word in front of the cursor, which an offer replaces.
    pub written: Span,
    /// The offers, best first.
    pub offers: Vec<Offer>,
}

/// What can be written at a byte offset; `files` are paths an import could name, as it would write them.
///
/// Ordered by how well an offer matches what is written, then by length, then by name.
///
/// A line that is being written keeps the schema from compiling: bytes of types are known of what [`above`] gives.
pub fn complete(analysis: &Analysis, file: FileId, offset: u32, files: &[String]) -> Completion {
    complete_with(analysis, None, file, offset, files)
}

/// The text in front of the declaration at an offset, which compiles while that declaration is being written.
pub fn above(analysis: &Analysis, file: FileId, offset: u32) -> String {
    let declarations = analysis.index.document(file).map(|document| document.declarations.as_slice());
    let begun = declarations.unwrap_or_default().iter().rev().find(|one| one.span.start <= offset);
    let end = begun.map_or(offset, |one| one.span.start) as usize;
    analysis.sources[file].text.get(..end).unwrap_or("").to_owned()
}

/// As [`complete`], with the analysis of the text [`above`] the declaration.
pub fn complete_with(
    analysis: &Analysis,
    above: Option<&Analysis>,
    file: FileId,
    offset: u32,
    files: &[String],
) -> Completion {
    let text = &analysis.sources[file].text;
    let place = context::at(file, text, offset as usize);
    let mut offers = offers(analysis, above, file, offset, &place.context, files);
    let written = analysis.sources.text(place.written).trim_start_matches(['"', '\'']).to_lowercase();
    offers.retain(|offer| matches(&offer.label, &written));
    offers.sort_by_cached_key(|offer| {
        let label = offer.label.to_lowercase();
        let label = label.trim_start_matches('"');
        // Files beside this one before those above it.
        let above = label.starts_with("../");
        (!label.starts_with(&written), above, offer.label.len(), offer.label.clone())
    });
    offers.dedup_by(|left, right| left.label == right.label);
    Completion { written: place.written, offers }
}

/// Whether the letters written appear in a label, in order.
fn matches(label: &str, written: &str) -> bool {
    let mut letters = label.chars().flat_map(char::to_lowercase);
    written.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

fn offers(
    analysis: &Analysis,
    above: Option<&Analysis>,
    file: FileId,
    offset: u32,
    context: &Context,
    files: &[String],
) -> Vec<Offer> {
    let words = |kind: OfferKind, words: &[&str]| -> Vec<Offer> {
        words.iter().map(|word| offer(word, kind, "", words::value(word).unwrap_or(""))).collect()
    };
    match context {
        Context::Statement { options } => {
            let mut offers = words(
                OfferKind::Keyword,
                &[
                    "import", "scope", "export", "type", "struct", "enum", "map", "set", "event", "function",
                    "state", "table", "entity", "@profile",
                ],
            );
            if *options {
                offers.push(offer("option", OfferKind::Keyword, "", ""));
            }
            offers
        }
        Context::Exportable => words(OfferKind::Keyword, &["type", "struct", "enum", "map", "set"]),
        Context::Profile => words(OfferKind::Value, &["dev", "debug", "test", "release"]),
        Context::OptionName => unset_options(analysis, file, offset),
        Context::OptionValue(name) => {
            let values =
                options::all().find(|(known, _)| known == name).map_or(&[][..], |(_, values)| values);
            words(OfferKind::Value, values)
        }
        Context::Key { block, taken } => keys(*block, taken),
        Context::KeyValue(key) => {
            let key = own_spelling(key);
            let mut values = if key == "Poll" { vec!["true", "false"] } else { event::words(key) };
            if values.is_empty() {
                values = entity::words(key);
            }
            words(OfferKind::Value, &values)
        }
        Context::Type => {
            let mut offers =
                primitives(|primitive| !matches!(primitive, Primitive::Quat | Primitive::Quat32));
            offers.extend(words(OfferKind::Keyword, &["struct", "enum", "map", "set"]));
            offers.extend(types(analysis, above, file, offset));
            offers
        }
        Context::Alias => {
            let mut offers =
                primitives(|primitive| !matches!(primitive, Primitive::Quat | Primitive::Quat32));
            offers.extend(types(analysis, above, file, offset));
            offers
        }
        Context::Merge => types(analysis, above, file, offset),
        Context::Modifier => words(OfferKind::Keyword, &["saturate"]),
        Context::Component { rotation } => primitives(|primitive| {
            let number = words::primitive(primitive.text()).is_some_and(|(luau, _)| luau == "number");
            number || (*rotation && matches!(primitive, Primitive::Quat | Primitive::Quat32))
        }),
        Context::Class => {
            classes::names().map(|name| offer(name, OfferKind::Class, "", "A class of Roblox.")).collect()
        }
        Context::Import => files.iter().map(|path| offer(path, OfferKind::File, "", "")).collect(),
        Context::Enum | Context::Nothing => Vec::new(),
    }
}

fn offer(label: &str, kind: OfferKind, detail: &str, documentation: &str) -> Offer {
    Offer {
        label: label.to_string(),
        kind,
        detail: detail.to_string(),
        documentation: documentation.to_string(),
    }
}

fn primitives(fits: impl Fn(Primitive) -> bool) -> Vec<Offer> {
    Primitive::ALL
        .iter()
        .copied()
        .filter(|primitive| fits(*primitive))
        .map(|primitive| {
            let (luau, bytes) = words::primitive(primitive.text()).unwrap_or(("", ""));
            offer(primitive.text(), OfferKind::Primitive, bytes, &format!("Luau: `{luau}`"))
        })
        .collect()
}

/// Declared types that can be named at an offset: those of this file only when they are declared above.
fn types(analysis: &Analysis, above: Option<&Analysis>, file: FileId, offset: u32) -> Vec<Offer> {
    let scope = analysis.index.document(file).and_then(|document| scope_at(document, offset));
    let is_above = |one: &Visible| one.span.file != file || one.span.end < offset;
    let docs = Docs::of(&analysis.sources);
    let [bytes, bytes_above] =
        [Some(analysis), above].map(|of| TypeBytes::of(of.and_then(|of| of.schema.as_ref())));
    let visible = analysis.index.visible(file, scope).into_iter().filter(is_above);
    visible
        .map(|one| {
            let detail = match one.params {
                Some(count) => format!("generic in {count}"),
                None => bytes
                    .at(one.span)
                    .or_else(|| bytes_above.at(one.span))
                    .unwrap_or_else(|| format!("line {}", analysis.sources.start(one.span).line)),
            };
            offer(&one.path, OfferKind::Type, &detail, &docs.above(one.span).unwrap_or_default())
        })
        .collect()
}

/// Options not yet set under the profile of the attribute in front of the cursor, or at all.
fn unset_options(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Offer> {
    let set: Vec<&str> = analysis
        .index
        .document(file)
        .map(|document| {
            let here = |name: crate::source::Span| name.start <= offset && offset <= name.end;
            let plain =
                document.options.iter().filter(|one| one.attributes.is_empty() && !here(one.name.span));
            plain.map(|one| one.name.text.as_str()).collect()
        })
        .unwrap_or_default();
    options::all()
        .filter(|(name, _)| *name != "UseColon" && !set.contains(name))
        .map(|(name, _)| {
            let (does, default) = words::option(name).unwrap_or(("", ""));
            offer(name, OfferKind::Property, &format!("default: {default}"), does)
        })
        .collect()
}

fn keys(block: BlockKind, taken: &[String]) -> Vec<Offer> {
    let keys = match block {
        BlockKind::Event => event::EVENT_KEYS,
        BlockKind::Function => event::FUNCTION_KEYS,
        BlockKind::Stream => event::STREAM_KEYS,
        BlockKind::State => state::STATE_KEYS,
        BlockKind::Table => table::TABLE_KEYS,
        BlockKind::Entity => entity::ENTITY_KEYS,
    };
    keys.iter()
        .filter(|key| **key != "Poll" && !taken.iter().any(|one| one.eq_ignore_ascii_case(key)))
        .map(|key| offer(key, OfferKind::Property, "", words::key(key).unwrap_or("")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    /// The labels offered at the `|` of a schema, best first.
    fn at(text: &str) -> Vec<String> {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let loader = MemoryLoader::new()
            .with("main.blink", text)
            .with("rules.blink", "type Score = u16 scope Deep { struct Row { X: u8 } }");
        let analysis = crate::analyze(&loader, "main.blink", Profile::Release);
        let files = vec!["./rules".to_string(), "./shop".to_string()];
        let found = complete(&analysis, FileId(0), offset as u32, &files);
        found.offers.into_iter().map(|offer| offer.label).collect()
    }

    #[track_caller]
    fn check(text: &str, first: &[&str]) {
        let found = at(text);
        let shown: Vec<&str> = found.iter().take(first.len()).map(String::as_str).collect();
        assert_eq!(shown, first, "of {found:?} in {text}");
    }

    #[track_caller]
    fn check_all(text: &str, all: &[&str]) {
        assert_eq!(at(text), all, "in {text}");
    }

    #[test]
    fn statements() {
        check("|", &["map", "set", "enum", "type", "event", "scope"]);
        check("opt|", &["option"]);
        check("type A = u8\nev|", &["event"]);
        check_all("type A = u8\nopti|", &[]);
        check("scope S {\n    st|\n}", &["state", "struct"]);
        check("struct A { X: u8 } fun|", &["function"]);
        check_all("export st|", &["struct", "set"]);
        check("@profile(\"test\") ev|", &["event"]);
        check_all("@profile(\"|\") type A = u8", &["dev", "test", "debug", "release"]);
        check_all("@profile(\"re|", &["release"]);
        check_all("-- ev|", &[]);
        check_all("type |", &[]);
    }

    #[test]
    fn options_and_their_values() {
        check("option Cas|", &["Casing"]);
        check_all("option Casing = |", &["Camel", "Snake", "Pascal"]);
        check_all("option Predict = t|", &["true"]);
        check_all("option PackedBooleanReader = |", &["\"Auto\"", "\"Bits\"", "\"Rows\""]);
        check_all("option MaxPacketSize = |", &[]);
        assert!(!at("option Casing = Camel\noption |").contains(&"Casing".to_string()));
    }

    #[test]
    fn keys_and_their_values() {
        check_all(
            "event A {\n    From: Server,\n    Type: Reliable,\n    |\n}",
            &["Call", "Data", "Rate", "Burst", "Stamp", "Stream", "Channel", "Priority"],
        );
        check_all("event A { From: |", &["Client", "Server"]);
        check("event A { type: Un|", &["Unreliable", "OrderedUnreliable", "ReliableUnordered"]);
        check_all("event A { Channel: |", &["Events", "Default", "Controls"]);
        check_all("function A { Yield: |, Data: u8 }", &["Future", "Promise", "Coroutine"]);
        check_all("event A { Stream: { Rate: 5, Per: | } }", &["Player"]);
        check_all("event A { Stream: { Rate: 5, | } }", &["Per", "Fast", "Epsilon", "Keepalive"]);
        // A comma left out does not hide the next line.
        check("event A {\n    From: Server\n    Ty|\n}", &["Type"]);
    }

    #[test]
    fn types_by_place() {
        check("struct A { X: u8, Y: u|", &["u8", "u16", "u24", "u32"]);
        check("type Coins = u16\nstruct A { X: Co| }", &["Coins"]);
        check("event A { Data: Bool|", &["boolean"]);
        check("event A { Data: (who: str|, u8) }", &["string"]);
        check("map A = { [str|]: u8 }", &["string"]);
        check("map A = { [string]: vec|", &["vector"]);
        check("struct Box<T> { X: T }\nstruct A { X: Box<stri|> }", &["string"]);
        check("struct Base { X: u8 }\nstruct A { ..Ba|", &["Base"]);
        check_all("type A = u8<|>", &["saturate"]);
        check("type A = CFrame<qu|>", &["quat", "quat32"]);
        assert!(!at("type A = vector<|>").contains(&"quat".to_string()));
        // Only what is declared above can be named.
        check_all("struct A { X: Lat| }\ntype Later = u8", &[]);
        check_all("struct A { |", &[]);
        check_all("enum A = { |", &[]);
    }

    #[test]
    fn qualified_names_and_files() {
        check_all("import \"./rules\" as Rules\nstruct A { X: Rules.| }", &["Rules.Score", "Rules.Deep.Row"]);
        check("import \"./rules\" as Rules\nstruct A { X: Rules.Deep.R| }", &["Rules.Deep.Row"]);
        check("scope Shop { type Price = u8 }\nstruct A { X: Sho| }", &["Shop.Price"]);
        check_all("import \"./ru|\"", &["./rules"]);
        check_all("import \"|", &["./shop", "./rules"]);
    }

    #[test]
    fn classes_inside_parentheses() {
        check("struct A { X: Instance(BasePar|) }", &["BasePart"]);
        check("struct A { X: Instance(Model|", &["Model"]);
    }

    #[test]
    fn any_offset_of_any_text_is_answered() {
        let texts = [
            "event A { From: Server, Data: (é, \"ü",
            "@profile(\"",
            "Instance(",
            "..",
            "\u{feff}type",
            "--[[ é ]]",
        ];
        for text in texts {
            let loader = MemoryLoader::new().with("main.blink", text);
            let analysis = crate::analyze(&loader, "main.blink", Profile::Release);
            for offset in 0..=text.len() as u32 + 3 {
                complete(&analysis, FileId(0), offset, &[]);
            }
        }
    }
}
