//! What can be asked, and the answers: JSON in, JSON out, one function a request.

use std::collections::BTreeMap;

use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes};
use blinkblox_compiler::diagnostics::{Diagnostic, json as report};
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::ide::names::{self, Definition};
use blinkblox_compiler::ide::{completion, hover};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, SourceFile, Sources, Span};
use blinkblox_compiler::{Analysis, Compilation, Declarations, Outputs, VERSION};
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::guard::Refusal;
use super::place::{Place, shown};

/// A request by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Who answers.
    Hello,
    /// What is wrong with a schema.
    Check,
    /// The modules of a schema.
    Compile,
    /// What can be written at a place.
    Complete,
    /// What the word at a place means.
    Hover,
    /// Where the name at a place is declared.
    Definition,
    /// Another name for what the name at a place means.
    Rename,
    /// A schema in the canonical layout.
    Format,
}

impl Ask {
    const ALL: [(&'static str, Ask); 8] = [
        ("/v1/hello", Ask::Hello),
        ("/v1/check", Ask::Check),
        ("/v1/compile", Ask::Compile),
        ("/v1/complete", Ask::Complete),
        ("/v1/hover", Ask::Hover),
        ("/v1/definition", Ask::Definition),
        ("/v1/rename", Ask::Rename),
        ("/v1/format", Ask::Format),
    ];

    /// The request of a path.
    pub fn at(path: &str) -> Option<Ask> {
        Ask::ALL.iter().find(|(known, _)| *known == path).map(|(_, ask)| *ask)
    }

    /// The paths of all requests.
    pub fn paths() -> Vec<&'static str> {
        Ask::ALL.iter().map(|(path, _)| *path).collect()
    }
}

/// A file of a place.
#[derive(Deserialize)]
struct File {
    name: String,
    text: String,
}

/// A schema of a place, under a profile.
#[derive(Deserialize)]
struct Subject {
    files: Vec<File>,
    entry: String,
    #[serde(default)]
    profile: Option<String>,
}

/// A place in a schema: bytes from its start.
#[derive(Deserialize)]
struct Spot {
    #[serde(flatten)]
    subject: Subject,
    offset: f64,
}

/// Another name for what stands at a place in a schema. Without one it is asked what can be renamed there.
#[derive(Deserialize)]
struct Naming {
    #[serde(flatten)]
    subject: Subject,
    offset: f64,
    #[serde(default)]
    name: Option<String>,
}

/// A text to lay out.
#[derive(Deserialize)]
struct Layout {
    text: String,
    #[serde(default)]
    spaces: bool,
}

/// The answer to a request. Errors: its body is not what this request takes.
pub fn answer(ask: Ask, body: &[u8]) -> Result<Value, Refusal> {
    match ask {
        Ask::Hello => Ok(json!({ "compiler": VERSION, "name": "BlinkBlox" })),
        Ask::Check => parse::<Subject>(body)?.analysis().map(check),
        Ask::Compile => parse::<Subject>(body)?.analysis().map(compile),
        Ask::Complete => complete(parse(body)?),
        Ask::Hover => meaning(parse(body)?),
        Ask::Definition => declared(parse(body)?),
        Ask::Rename => renamed(parse(body)?),
        Ask::Format => Ok(layout(&parse::<Layout>(body)?)),
    }
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        let text = format!("the request's body is not the JSON this request takes: {error}");
        Refusal::new(StatusCode::BAD_REQUEST, "body", text)
    })
}

/// A schema that has been read.
struct Read {
    place: Place,
    entry: String,
    profile: Profile,
    analysis: Analysis,
}

impl Subject {
    fn analysis(self) -> Result<Read, Refusal> {
        let refuse = |kind, text| Err(Refusal::new(StatusCode::BAD_REQUEST, kind, text));
        let profile = match self.profile.as_deref() {
            None => Profile::Release,
            Some(name) => match Profile::from_text(name) {
                Some(profile) => profile,
                None => {
                    let text =
                        format!("there is no profile \"{name}\"; there are dev, debug, test and release");
                    return refuse("profile", text);
                }
            },
        };
        let files = self.files.into_iter().map(|file| (file.name, file.text)).collect();
        let (place, entry) = (Place::new(files), self.entry);
        if !place.names().any(|name| name == entry) {
            return refuse("entry", format!("the entry \"{entry}\" is not among the files"));
        }
        let analysis = blinkblox_compiler::analyze(&place, &entry, profile);
        Ok(Read { place, entry, profile, analysis })
    }
}

/// Everything wrong with a schema.
fn check(read: Read) -> Value {
    let signature = read.analysis.signature();
    told(&read.analysis, read.profile, signature)
}

/// The modules too. A place has all three, whatever the options say of files.
fn compile(mut read: Read) -> Value {
    if let Some(schema) = &mut read.analysis.schema {
        schema.options.types_output.get_or_insert_with(|| "Types".to_string());
    }
    let Compilation { analysis, outputs, signature } = blinkblox_compiler::generate(read.analysis);
    let mut answer = told(&analysis, read.profile, signature);
    answer["modules"] = outputs.as_ref().map_or(Value::Null, modules);
    answer["declarations"] =
        outputs.as_ref().and_then(|outputs| outputs.declarations.as_ref()).map_or(Value::Null, declarations);
    answer
}

fn modules(outputs: &Outputs) -> Value {
    json!({ "server": outputs.server, "client": outputs.client, "types": outputs.types })
}

fn declarations(texts: &Declarations) -> Value {
    json!({ "server": texts.server, "client": texts.client, "types": texts.types })
}

/// A document in the form of the command's, and what an editor needs beside it: where each diagnostic is shown in
/// the entry, and all of them drawn.
fn told(analysis: &Analysis, profile: Profile, signature: Option<String>) -> Value {
    let through = Through::of(analysis);
    let diagnostics: Vec<Value> = analysis
        .diagnostics
        .iter()
        .map(|one| {
            let mut value = report::diagnostic(one, &analysis.sources);
            value["place"] = through.place(one, &analysis.sources);
            value
        })
        .collect();
    let drawn = human::render(&analysis.diagnostics, &analysis.sources, Colour::On, Strokes::Lines);
    json!({
        "version": report::FORMAT_VERSION,
        "compiler": VERSION,
        "success": !analysis.has_errors(),
        "profile": profile.text(),
        "signature": signature,
        "unit": analysis.sources.files().iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        "diagnostics": diagnostics,
        "drawn": pieces(&drawn),
    })
}

/// Which import of the entry leads to which files.
struct Through(BTreeMap<FileId, Span>);

impl Through {
    fn of(analysis: &Analysis) -> Through {
        let mut found = BTreeMap::new();
        let mut next: Vec<(Span, FileId)> = analysis.index.imports_of(FileId(0));
        next.reverse();
        while let Some((import, file)) = next.pop() {
            if file == FileId(0) || found.contains_key(&file) {
                continue;
            }
            found.insert(file, import);
            next.extend(analysis.index.imports_of(file).into_iter().map(|(_, inner)| (import, inner)));
        }
        Through(found)
    }

    /// Where a diagnostic is shown in the entry, and the file that a click on it opens when that is another.
    fn place(&self, diagnostic: &Diagnostic, sources: &Sources) -> Value {
        let Some(span) = diagnostic.span() else { return Value::Null };
        if span.file == FileId(0) {
            return json!({ "start": span.start, "end": span.end, "opens": null });
        }
        let opens = &sources[span.file].path;
        match self.0.get(&span.file) {
            Some(import) => json!({ "start": import.start, "end": import.end, "opens": opens }),
            None => Value::Null,
        }
    }
}

/// A drawing as pieces of one style each: pairs of style and text. The styles are `plain`, `dim`, `error`, `warning`
/// and `note`.
fn pieces(drawn: &str) -> Vec<[String; 2]> {
    let mut pieces: Vec<[String; 2]> = Vec::new();
    let mut add = |style: &str, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some([last, so_far]) if last == style => so_far.push_str(text),
        Some(_) | None => pieces.push([style.to_string(), text.to_string()]),
    };
    let mut parts = drawn.split('\x1b');
    add("plain", parts.next().unwrap_or_default());
    for part in parts {
        let (code, text) = part.split_once('m').unwrap_or(("", part));
        let style = match code {
            "[2" => "dim",
            "[31" => "error",
            "[33" => "warning",
            "[34" => "note",
            _ => "plain",
        };
        add(style, text);
    }
    pieces
}

fn complete(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let Some(file) = read.analysis.sources.files().first() else { return Ok(json!({ "offers": [] })) };
    let offset = at(file, offset);
    let files: Vec<String> =
        read.place.names().filter(|name| *name != read.entry).map(str::to_string).collect();
    let found = completion::complete(&read.analysis, FileId(0), offset, &files);
    let offers: Vec<Value> = found
        .offers
        .iter()
        .map(|offer| {
            json!({
                "label": offer.label,
                "kind": kind(offer.kind),
                "detail": offer.detail,
                "documentation": offer.documentation,
            })
        })
        .collect();
    Ok(json!({ "start": found.written.start, "end": found.written.end, "offers": offers }))
}

fn kind(kind: completion::OfferKind) -> &'static str {
    use completion::OfferKind;
    match kind {
        OfferKind::Keyword => "keyword",
        OfferKind::Property => "property",
        OfferKind::Value => "value",
        OfferKind::Primitive => "primitive",
        OfferKind::Type => "type",
        OfferKind::Class => "class",
        OfferKind::File => "file",
    }
}

fn meaning(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let Some(file) = read.analysis.sources.files().first() else { return Ok(json!({ "hover": null })) };
    let found = hover::hover(&read.analysis, FileId(0), at(file, offset));
    let hover = found
        .map(|hover| json!({ "start": hover.span.start, "end": hover.span.end, "markdown": hover.markdown }));
    Ok(json!({ "hover": hover }))
}

fn declared(spot: Spot) -> Result<Value, Refusal> {
    let offset = spot.offset;
    let read = spot.subject.analysis()?;
    let analysis = &read.analysis;
    let Some(file) = analysis.sources.files().first() else { return Ok(json!({ "definition": null })) };
    let found = names::definition(analysis, FileId(0), at(file, offset)).map(|found| match found {
        Definition::Name(span) => place_of(analysis, span),
        Definition::File(file) => place_of(analysis, Span::new(file, 0, 0)),
    });
    Ok(json!({ "definition": found }))
}

/// A span as an editor opens it: the file's name in the place, and its bytes.
fn place_of(analysis: &Analysis, span: Span) -> Value {
    let file = &analysis.sources[span.file];
    let start = file.position(span.start);
    json!({ "file": file.path, "start": span.start, "end": span.end, "line": start.line, "column": start.column })
}

/// The edits of a rename in every file of the place, or why there are none. `old` is the name as it is, `null` where there
/// is none.
fn renamed(naming: Naming) -> Result<Value, Refusal> {
    let offset = naming.offset;
    let read = naming.subject.analysis()?;
    let refuse =
        |old: Option<&str>, problem: Option<String>| json!({ "old": old, "edits": [], "problem": problem });
    let Some(file) = read.analysis.sources.files().first() else { return Ok(refuse(None, None)) };
    let offset = at(file, offset);
    let Some(span) = names::renameable(&read.analysis, FileId(0), offset) else {
        return Ok(refuse(None, None));
    };
    let old = read.analysis.sources.text(span).to_string();
    let Some(new) = naming.name else { return Ok(refuse(Some(&old), None)) };
    Ok(match edits(&read, offset, &new) {
        Ok(edits) => json!({ "old": old, "edits": edits, "problem": null }),
        Err(problem) => refuse(Some(&old), Some(problem)),
    })
}

/// The edits that give a name another one, over every file of the place that sees its declaration.
fn edits(read: &Read, offset: u32, new: &str) -> Result<Vec<Value>, String> {
    let Some(Definition::Name(target)) = names::definition(&read.analysis, FileId(0), offset) else {
        return Err(names::NOTHING.to_string());
    };
    let declared_in = &read.analysis.sources[target.file].path;
    let others: Vec<&str> = read.place.names().filter(|name| *name != read.entry).collect();
    let analyses: Vec<Analysis> =
        others.iter().map(|name| blinkblox_compiler::analyze(&read.place, name, read.profile)).collect();
    let mut users = vec![(&read.analysis, target)];
    users.extend(analyses.iter().filter_map(|analysis| {
        let file = analysis.sources.find(declared_in)?;
        Some((analysis, Span { file, ..target }))
    }));
    let renaming = names::rename_everywhere(&users, new)?;
    let after = read.place.with(&renaming.texts);
    names::check_renamed(&users, new, |entry| blinkblox_compiler::analyze(&after, entry, read.profile))?;
    let value = |(analysis, edit): &(&Analysis, names::Edit)| {
        let (file, span) = (&analysis.sources[edit.span.file].path, edit.span);
        json!({ "file": file, "start": span.start, "end": span.end, "text": edit.text })
    };
    Ok(renaming.edits.iter().map(value).collect())
}

/// A byte offset of a file that was asked about, moved back onto the text and the start of a character.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the text first")]
fn at(file: &SourceFile, offset: f64) -> u32 {
    let wanted = offset.clamp(0.0, file.text.len() as f64) as usize;
    let border = (0..=wanted).rev().find(|&at| file.text.is_char_boundary(at)).unwrap_or(0);
    border as u32
}

fn layout(asked: &Layout) -> Value {
    let indent = if asked.spaces { Indent::Spaces } else { Indent::Tabs };
    let text = asked.text.strip_prefix('\u{feff}').unwrap_or(&asked.text);
    match format(FileId(0), text, indent) {
        Ok(text) => json!({ "success": true, "text": text, "diagnostics": [] }),
        Err(diagnostics) => {
            let mut sources = Sources::default();
            sources.add("schema", &shown("schema"), text.to_string());
            let diagnostics: Vec<Value> =
                diagnostics.iter().map(|one| report::diagnostic(one, &sources)).collect();
            json!({ "success": false, "text": null, "diagnostics": diagnostics })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(ask: Ask, body: Value) -> Value {
        answer(ask, body.to_string().as_bytes()).unwrap()
    }

    fn files(files: &[(&str, &str)]) -> Value {
        files.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect()
    }

    #[test]
    fn modules_are_those_of_the_compiler() {
        let text = "event Hit { From: Client, Type: Reliable, Call: SingleSync, Rate: 5, Data: u8 }";
        let compiled = ask(Ask::Compile, json!({ "files": files(&[("Game", text)]), "entry": "Game" }));
        let loader = blinkblox_compiler::source::MemoryLoader::new()
            .with("game.blink", format!("option TypesOutput = \"T\"\n{text}"));
        let own = blinkblox_compiler::compile(&loader, "game.blink", Profile::Release).outputs.unwrap();
        assert_eq!(compiled["modules"]["server"], own.server);
        assert_eq!(compiled["modules"]["client"], own.client);
        assert_eq!(compiled["modules"]["types"], own.types.unwrap());
        assert_eq!(compiled["declarations"], Value::Null);
        assert_eq!(compiled["success"], true);
    }

    #[test]
    fn a_fault_of_an_import_is_shown_on_the_import() {
        let place = files(&[
            ("Game", "import \"Mid\"\nstruct A { X: Mid.Deep.Row }"),
            ("Mid", "import \"./Deep.blink\""),
            ("Deep", "struct Row { X: u8, X: u8 }"),
        ]);
        let told = ask(Ask::Check, json!({ "files": place, "entry": "Game", "profile": "dev" }));
        let one = &told["diagnostics"][0];
        assert_eq!((&one["code"], &one["file"]), (&json!("E3004"), &json!("Deep.blink")));
        assert_eq!(one["place"], json!({ "start": 7, "end": 12, "opens": "Deep" }));
        assert_eq!(told["success"], false);
        assert_eq!(told["unit"], json!(["Game", "Mid", "Deep"]));
        let drawn: String =
            told["drawn"].as_array().unwrap().iter().map(|piece| piece[1].as_str().unwrap()).collect();
        assert!(drawn.starts_with("[E3004] Error: struct \"Row\" names the field \"X\" twice\n"), "{drawn}");
        assert!(drawn.contains("╭─[Deep.blink:1:21]"), "{drawn}");
        assert_eq!(told["drawn"][0], json!(["error", "[E3004] Error:"]));
    }

    #[test]
    fn editors_are_answered() {
        let place = files(&[("Game", "type Coins = u16\nstruct A { X: Co }"), ("Rules", "")]);
        let subject = |offset: f64| json!({ "files": place, "entry": "Game", "offset": offset });
        let found = ask(Ask::Complete, subject(33.0));
        assert_eq!(found["offers"][0]["label"], "Coins");
        assert_eq!((&found["start"], &found["end"]), (&json!(31), &json!(33)));
        let hover = ask(Ask::Hover, subject(6.0));
        assert!(hover["hover"]["markdown"].as_str().unwrap().contains("Coins"), "{hover}");
        for offset in [-5.0, 1e300, 17.5] {
            ask(Ask::Complete, subject(offset));
            ask(Ask::Hover, subject(offset));
        }
        let imports =
            json!({ "files": files(&[("Game", "import \""), ("Rules", "")]), "entry": "Game", "offset": 8 });
        assert_eq!(ask(Ask::Complete, imports)["offers"][0]["label"], "Rules");
        let tidy = ask(Ask::Format, json!({ "text": "type  A=u8" }));
        assert_eq!(tidy["text"], "type A = u8\n");
        assert_eq!(ask(Ask::Format, json!({ "text": "type" }))["success"], false);
    }

    #[test]
    fn a_name_leads_to_its_declaration_and_is_changed_everywhere() {
        let place = files(&[
            ("Game", "import \"Rules\" as R\nstruct A { X: R.Score }"),
            ("Rules", "type Score = u16\ntype Other = Score"),
            ("Shop", "import \"Rules\"\nstruct B { Price: Rules.Score }"),
            ("Alone", "type Score = u8"),
        ]);
        let at = |offset: f64| json!({ "files": place, "entry": "Game", "offset": offset });
        let found = ask(Ask::Definition, at(40.0));
        assert_eq!(
            found["definition"],
            json!({ "file": "Rules", "start": 5, "end": 10, "line": 1, "column": 6 })
        );
        assert_eq!(ask(Ask::Definition, at(10.0))["definition"]["file"], "Rules");
        assert_eq!(ask(Ask::Definition, at(30.0))["definition"], Value::Null);
        let asked = |offset: f64, name: Option<&str>| {
            let mut body = at(offset);
            body["name"] = name.into();
            ask(Ask::Rename, body)
        };
        assert_eq!(asked(40.0, None), json!({ "old": "Score", "edits": [], "problem": null }));
        assert_eq!(asked(30.0, None)["old"], Value::Null);
        // From the end of each file, so that they can be made one after the other; a schema of the same word is left alone.
        let edits = asked(40.0, Some("Coins"))["edits"].clone();
        let edit = |file: &str, start: u32| json!({ "file": file, "start": start, "end": start + 5, "text": "Coins" });
        assert_eq!(edits, json!([edit("Game", 36), edit("Rules", 30), edit("Rules", 5), edit("Shop", 39)]));
        for (name, why) in [("u8", "built-in type"), ("a b", "is no name"), ("Other", "cannot be the name")] {
            let refused = asked(40.0, Some(name));
            assert_eq!(refused["edits"], json!([]), "{name}");
            assert!(refused["problem"].as_str().unwrap().contains(why), "{refused}");
        }
        for offset in [-5.0, 1e300, 17.5] {
            asked(offset, Some("Coins"));
            ask(Ask::Definition, at(offset));
        }
    }

    #[test]
    fn of_two_files_of_one_name_the_first_is_changed_and_a_mark_is_no_text() {
        for (one, other) in
            [("type Score = u8", ""), ("\u{feff}type Score = u8", "ü"), ("type Score = u8", "\u{feff}")]
        {
            let place = files(&[("Game", one), ("Game", other)]);
            let edits =
                ask(Ask::Rename, json!({ "files": place, "entry": "Game", "offset": 5, "name": "Coins" }));
            assert_eq!(
                edits["edits"],
                json!([{ "file": "Game", "start": 5, "end": 10, "text": "Coins" }]),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn what_is_no_request_is_refused_in_words() {
        let refused = |body: &str| answer(Ask::Check, body.as_bytes()).unwrap_err();
        for body in ["", "[]", "{", "null", "{\"files\":[]}", "{\"files\":[{}],\"entry\":\"A\"}", "\u{0}"] {
            assert_eq!(refused(body).kind, "body", "{body}");
        }
        assert_eq!(refused("{\"files\":[],\"entry\":\"A\"}").kind, "entry");
        let profile = refused("{\"files\":[],\"entry\":\"A\",\"profile\":\"fast\"}");
        assert!(profile.text.contains("dev, debug, test and release"), "{}", profile.text);
        assert_eq!(answer(Ask::Check, &[b'['; 100_000]).unwrap_err().kind, "body");
    }
}
