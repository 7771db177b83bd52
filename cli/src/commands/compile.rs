//! One schema, from its path to the texts of its modules in memory: what `build`, `check`, `verify` and `watch` share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, sort};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{SourceLoader, Sources};
use blinkblox_compiler::{Analysis, Compilation, outputs};

use super::flags::Verdicts;
use crate::entry::{self, Entry};
use crate::loader::Asked;

/// What a compile came to.
pub struct Compiled {
    /// Reads the schema and its imports, and names paths to people.
    pub loader: Option<Box<dyn SourceLoader>>,
    /// The schema's resolved path.
    pub entry: String,
    /// Every path that was asked for on the way, with the digest of what was read there; none of what was not there.
    pub asked: BTreeMap<String, Option<u64>>,
    /// Every file of the unit.
    pub sources: Sources,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Path and text of each output, in order; empty when there is an error.
    pub files: Vec<(String, String)>,
    /// Output options with the path each means and where its value stands.
    pub options: Vec<OutputOption>,
    /// What its remotes are named after; `None` where the schema could not be made out.
    pub scope: Option<Scope>,
    /// The schema signature; `None` when there is an error.
    pub signature: Option<String>,
}

/// An output option in force.
pub struct OutputOption {
    /// `ServerOutput`, `ClientOutput` or `TypesOutput`.
    pub name: &'static str,
    /// The module it writes.
    pub path: String,
    /// Where its value stands.
    pub span: Option<blinkblox_compiler::source::Span>,
}

/// What the remotes of a schema are named after, and the claim of its modules.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The base name.
    pub base: String,
    /// Where `option RemoteScope` says so, if it does.
    pub span: Option<blinkblox_compiler::source::Span>,
}

/// What an output is of: the whole path of a schema, and the profile it is built under.
pub type Owner = (PathBuf, Profile);

/// The whole of a path.
pub fn whole(path: &str) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path))
}

impl Compiled {
    /// Whether the schema compiles.
    pub fn is_sound(&self) -> bool {
        self.signature.is_some()
    }

    /// Judges warnings as the command line says: those allowed go, those denied are errors.
    pub fn judge(&mut self, verdicts: &Verdicts) {
        verdicts.judge(&mut self.diagnostics);
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            self.fail();
        }
    }

    /// Takes the outputs away: the run failed for another reason than an error of the schema.
    pub fn fail(&mut self) {
        self.signature = None;
        self.files.clear();
    }

    /// How a path is shown.
    pub fn shown(&self, path: &str) -> String {
        self.loader.as_ref().map_or_else(|| path.to_string(), |loader| loader.shown(path))
    }

    /// Why an output cannot be written, when another schema writes it, or this one under another profile.
    pub fn clash(&self, output: &str, own: &Owner, other: &Owner) -> Option<Diagnostic> {
        let (headline, note) = if other.0 != own.0 {
            let other = self.shown(&crate::loader::forward(&other.0));
            ("two schemas", format!("{other} has the same output. Give each schema outputs of its own."))
        } else if other.1 != own.1 {
            let (first, second) = (other.1.text(), own.1.text());
            let note = format!(
                "The schema is named under the profiles {first} and {second}. Build it under one at a time, with --profile."
            );
            ("two profiles", note)
        } else {
            return None;
        };
        let headline = format!("{} would be written by {headline}", self.shown(output));
        Some(Diagnostic::error(Code::OutputSamePath, headline).note(note))
    }

    /// Where the schema says what its remotes are named after, in words for another schema's reader.
    pub fn scope_place(&self) -> String {
        let span = self.scope.as_ref().and_then(|scope| scope.span);
        let shown = self.shown(&self.entry);
        span.map_or(shown.clone(), |span| {
            let start = self.sources.start(span);
            format!("{shown}:{}:{}", start.line, start.column)
        })
    }

    /// The warning about a schema of the same project, named by its place, whose remotes have the same base name.
    pub fn shared_scope(&self, other: &str) -> Option<Diagnostic> {
        let scope = self.scope.as_ref()?;
        let own = self.shown(&self.entry);
        let (headline, note) = match scope.span {
            Some(_) => (
                format!("the remotes of this schema have the `RemoteScope` of those of {other}"),
                format!("Write another one in {own}: the two modules of a side cannot run together."),
            ),
            None => (
                format!(
                    "neither this schema nor {other} has a `RemoteScope`, so that their remotes have one name"
                ),
                format!(
                    "Write `option RemoteScope = \"{}\"` in {own}: the two modules of a side cannot run together.",
                    scope_word(&own)
                ),
            ),
        };
        let warning = Diagnostic::warning(Code::OutputSharedScope, headline).note(note);
        Some(match scope.span {
            Some(span) => warning.primary(span, "the same remotes"),
            None => warning.about_file(own),
        })
    }

    fn failed(entry: String, diagnostic: Diagnostic, asked: BTreeMap<String, Option<u64>>) -> Compiled {
        Compiled {
            loader: None,
            entry,
            asked,
            sources: Sources::default(),
            diagnostics: vec![diagnostic],
            files: vec![],
            options: vec![],
            scope: None,
            signature: None,
        }
    }
}

/// Paths that stand in place of the output options, relative to the working directory.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// In place of `ServerOutput`.
    pub server: Option<String>,
    /// In place of `ClientOutput`.
    pub client: Option<String>,
    /// In place of `TypesOutput`.
    pub types: Option<String>,
}

impl Overrides {
    /// Whether any is given.
    pub fn is_any(&self) -> bool {
        self.server.is_some() || self.client.is_some() || self.types.is_some()
    }

    fn apply(&self, analysis: &mut Analysis) {
        let Some(schema) = &mut analysis.schema else { return };
        let options = &mut schema.options;
        let whole = |path: &String| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
            crate::loader::forward(&path)
        };
        for (name, given, option) in [
            ("ServerOutput", &self.server, &mut options.server_output),
            ("ClientOutput", &self.client, &mut options.client_output),
            ("TypesOutput", &self.types, &mut options.types_output),
        ] {
            if let Some(path) = given {
                *option = Some(whole(path));
                // What the schema says there is at fault for nothing any more.
                analysis.option_spans.remove(name);
            }
        }
    }
}

/// Reads a schema, analyses it and generates its modules. `stage` hears what starts, with the path as shown.
pub fn compile(path: &str, profile: Profile, stdin_path: Option<&str>, stage: impl Fn(Stage)) -> Compiled {
    compile_to(path, profile, stdin_path, &Overrides::default(), stage)
}

/// The same with outputs elsewhere than its options say.
pub fn compile_to(
    path: &str,
    profile: Profile,
    stdin_path: Option<&str>,
    overrides: &Overrides,
    stage: impl Fn(Stage),
) -> Compiled {
    let asked = Asked::default();
    let Entry { loader, path: entry } = match entry::open_noting(path, stdin_path, &asked) {
        Ok(entry) => entry,
        Err(diagnostic) => return Compiled::failed(path.to_string(), *diagnostic, asked.take()),
    };
    stage(Stage::Reading(&loader.shown(&entry)));
    let mut analysis = blinkblox_compiler::analyze(&*loader, &entry, profile);
    overrides.apply(&mut analysis);
    let found = outputs::check(&analysis, &entry);
    analysis.diagnostics.extend(found);
    sort(&mut analysis.diagnostics);
    if !analysis.has_errors() {
        stage(Stage::Generating);
    }
    let options = options(&analysis, &entry);
    let scope = analysis.schema.as_ref().map(|schema| Scope {
        base: schema.options.remote_base(),
        span: analysis.option_spans.get("RemoteScope").copied(),
    });
    let mut compilation = blinkblox_compiler::generate(analysis);
    let files = compilation.take_files(&entry);
    let Compilation { analysis, signature, .. } = compilation;
    let (sources, diagnostics) = (analysis.sources, analysis.diagnostics);
    let asked = asked.take();
    Compiled { loader: Some(loader), entry, asked, sources, diagnostics, files, options, scope, signature }
}

/// A scope to suggest for a schema: its file's name in capitals.
fn scope_word(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let word: String = stem.chars().filter(char::is_ascii_alphanumeric).collect();
    if word.is_empty() { "SECOND".to_string() } else { word.to_ascii_uppercase() }
}

/// A step of a compile.
pub enum Stage<'a> {
    /// The schema of this path is read.
    Reading(&'a str),
    /// Modules are made.
    Generating,
}

fn options(analysis: &Analysis, entry: &str) -> Vec<OutputOption> {
    let Some(schema) = &analysis.schema else { return vec![] };
    let options = &schema.options;
    let all = [
        ("ServerOutput", &options.server_output),
        ("ClientOutput", &options.client_output),
        ("TypesOutput", &options.types_output),
    ];
    all.into_iter()
        .filter_map(|(name, value)| {
            let path = outputs::output_path(entry, value.as_deref()?);
            Some(OutputOption { name, path, span: analysis.option_spans.get(name).copied() })
        })
        .collect()
}
