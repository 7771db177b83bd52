//! What can be asked, and the answers: JSON in, JSON out, one function a request.

mod editor;
mod report;
#[cfg(test)]
mod tests;

use blinkblox_compiler::diagnostics::json as diagnostics_json;
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, Sources};
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
        Ask::Complete => editor::complete(parse(body)?),
        Ask::Hover => editor::hover(parse(body)?),
        Ask::Definition => editor::definition(parse(body)?),
        Ask::Rename => editor::rename(parse(body)?),
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
    report::document(&read.analysis, read.profile, signature)
}

/// The modules too. A place has all three, whatever the options say of files.
fn compile(mut read: Read) -> Value {
    if let Some(schema) = &mut read.analysis.schema {
        schema.options.types_output.get_or_insert_with(|| "Types".to_string());
    }
    let Compilation { analysis, outputs, signature } = blinkblox_compiler::generate(read.analysis);
    let mut answer = report::document(&analysis, read.profile, signature);
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

fn layout(asked: &Layout) -> Value {
    let indent = if asked.spaces { Indent::Spaces } else { Indent::Tabs };
    let text = asked.text.strip_prefix('\u{feff}').unwrap_or(&asked.text);
    match format(FileId(0), text, indent) {
        Ok(text) => json!({ "success": true, "text": text, "diagnostics": [] }),
        Err(diagnostics) => {
            let mut sources = Sources::default();
            sources.add("schema", &shown("schema"), text.to_string());
            let diagnostics: Vec<Value> =
                diagnostics.iter().map(|one| diagnostics_json::diagnostic(one, &sources)).collect();
            json!({ "success": false, "text": null, "diagnostics": diagnostics })
        }
    }
}
