//! Plays a page: compiles its schemas, runs its Luau, and fills in what the tool says about them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use blinkblox_compiler::diff::Diff;
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::sizes::Sizes;
use blinkblox_compiler::source::{FileId, MemoryLoader};
use blinkblox_compiler::{Compilation, VERSION, analyze, compile};
use blinkblox_emulator::recording::{self, Kind, Paint, Recording, Story, detail};
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};

use super::api;
use blinkblox_tests::book::{Fence, Page, Piece, join, pieces, root};

/// A page that has been played.
pub struct Played {
    /// The page with what the tool says filled in.
    pub text: String,
    /// Schemas that were compiled.
    pub schemas: usize,
    /// Examples that were run.
    pub runs: usize,
}

/// The schema of an example.
const ENTRY: &str = "net/game.blink";
const PROJECT: &str = r#"{
  "name": "example",
  "tree": {
    "$className": "DataModel",
    "ServerScriptService": { "Server": { "$path": "src/server" } },
    "ReplicatedStorage": { "Shared": { "$path": "src/shared" } },
    "StarterPlayer": { "StarterPlayerScripts": { "Client": { "$path": "src/client" } } },
    "Workspace": { "$properties": { "SignalBehavior": "Deferred" } }
  }
}
"#;
/// What plays an example that brings no spec.
const USUAL_SPEC: &str = r#"
it("runs without an error", function()
	local world = test.world({ project = "..", schema = "../net/game.blink", clients = 2 })
	world:advance(4)
end)
"#;

/// An example as far as the page has come.
#[derive(Default)]
struct Example {
    /// The entry of the example before it.
    before: Option<String>,
    /// Its files but for specs.
    files: BTreeMap<String, String>,
    /// Whether what stands there now was run.
    is_run: bool,
    /// The trace of its last run.
    traces: Vec<Recording>,
}

/// Plays every block of a page in turn. `text` is the page's, its tables filled in.
pub fn play(page: &Page, text: &str) -> Played {
    let mut played = Played { text: String::new(), schemas: 0, runs: 0 };
    let mut pieces = pieces(text);
    let mut example = Example::default();
    for piece in &mut pieces {
        let Piece::Fence(fence) = piece else { continue };
        let at = format!("{}:{}", page.shown(), fence.line);
        let (language, rest) = fence.info.split_once(' ').unwrap_or((&fence.info, ""));
        let (is_laid_out, rest) = match rest.strip_suffix("as-written") {
            Some(rest) => (false, rest.trim_end()),
            None => (true, rest),
        };
        // A schema among the book's listings is played as any other; those of the repository are results.
        let rest = match rest.strip_prefix("listing ") {
            Some(path) if language == "blink" && !path.starts_with('/') => {
                fence.body = listing(path);
                ""
            }
            _ => rest,
        };
        if language == "blink" && is_laid_out {
            fence.body = laid_out(&fence.body);
        }
        match (language, rest) {
            (_, rest) if rest.starts_with("listing ") => fence.body = listing(&rest["listing ".len()..]),
            ("blink", code) if is_code(code) => {
                fails(&fence.body, code, &at);
                played.schemas += 1;
            }
            ("blink", path) => {
                if example.files.contains_key(ENTRY) {
                    example.finish(&at, &mut played);
                    let before = example.files.remove(ENTRY);
                    example = Example { before, ..Example::default() };
                }
                let path = if path.is_empty() { ENTRY } else { path };
                example.files.insert(path.to_owned(), fence.body.clone());
                if path == ENTRY {
                    compiled(&example, &at);
                }
                played.schemas += 1;
            }
            ("luau", "server") => example.put("src/server/init.server.luau", fence),
            ("luau", "client") => example.put("src/client/init.client.luau", fence),
            ("luau", "spec") => example.run(&fence.body, fence.line, &at, &mut played),
            ("luau", "") if declares_tests(&fence.body) => {
                example.run(&fence.body, fence.line, &at, &mut played);
            }
            ("luau", "") => parses(&fence.body, &at),
            ("luau", path) if path.ends_with(".spec.luau") => {
                example.put(path, fence);
                example.run_file(path, &at, &mut played);
            }
            ("luau", path) => example.put(path, fence),
            ("toml" | "json", path) if !path.is_empty() => example.put(path, fence),
            ("sizes", _) => {
                let analysis = compiled(&example, &at).analysis;
                fence.body = Sizes::of(&analysis).unwrap().text();
            }
            ("changes", _) => fence.body = changes(&example, &at),
            ("api", "") => fence.body = api::own_members(&typed(&example, &at)),
            ("api", name) => fence.body = api::members(&compiled(&example, &at), name, &at),
            ("reader", name) => fence.body = api::reader(&compiled(&example, &at), name, &at),
            ("bytes", name) => {
                example.finish(&at, &mut played);
                fence.body = bytes(&example.traces, name, &at);
            }
            ("output", _) => {
                example.finish(&at, &mut played);
                fence.body = output(&example.traces);
            }
            _ => {}
        }
    }
    example.finish(page.shown(), &mut played);
    played.text = join(&pieces);
    played
}

impl Example {
    fn put(&mut self, path: &str, fence: &Fence) {
        self.files.insert(path.to_owned(), fence.body.clone());
        self.is_run = false;
    }

    /// Plays what has not been played, if there is code at all.
    fn finish(&mut self, at: &str, played: &mut Played) {
        if !self.is_run && self.files.keys().any(|path| path.ends_with(".luau")) {
            self.run(USUAL_SPEC, 1, at, played);
        }
    }

    /// Runs a spec that stands on line `line` of its page.
    fn run(&mut self, spec: &str, line: usize, at: &str, played: &mut Played) {
        // As many lines in front as the page has, so that a failure names the line of the page.
        let spec = "\n".repeat(line) + spec;
        let path = "specs/game.spec.luau";
        self.files.insert(path.to_owned(), spec);
        self.run_file(path, at, played);
        self.files.remove(path);
    }

    fn run_file(&mut self, spec: &str, at: &str, played: &mut Played) {
        let folder = tempfile::tempdir().unwrap();
        self.write(folder.path());
        let options = RunOptions {
            files: vec![folder.path().join(spec)],
            wall_timeout: Duration::from_secs(60),
            strict: true,
            trace: true,
            ..RunOptions::default()
        };
        let report = run(&options, |_| {});
        assert!(
            report.totals().passed > 0 && report.exit_code() == 0,
            "{at}\n{}",
            render(&report, Format::Pretty, false)
        );
        let trace = report.trace_text();
        self.traces =
            if trace.trim().is_empty() { Vec::new() } else { recording::read(trace.as_bytes()).unwrap() };
        self.is_run = true;
        played.runs += 1;
    }

    fn write(&self, folder: &Path) {
        let mut files = self.files.clone();
        files.entry("default.project.json".into()).or_insert_with(|| PROJECT.into());
        if let Some(schema) = files.get_mut(ENTRY) {
            for side in ["Server", "Client"] {
                if !schema.contains(&format!("option {side}Output")) {
                    let module = format!("../src/{}/Net.luau", side.to_lowercase());
                    *schema = format!("option {side}Output = \"{module}\"\n{schema}");
                }
            }
            let server = "src/server/init.server.luau";
            if !files.contains_key(server) {
                files.insert(server.into(), "require(script.Net)\n".into());
            }
        }
        for path in ["src/server/README.txt", "src/client/README.txt", "src/shared/README.txt"] {
            files.entry(path.into()).or_default();
        }
        for (path, text) in &files {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
}

/// A schema in the canonical layout; one that does not parse as it is.
pub fn laid_out(schema: &str) -> String {
    format(FileId(0), schema, Indent::Tabs).unwrap_or_else(|_| schema.to_owned())
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with(['E', 'W']) && text[1..].chars().all(|digit| digit.is_ascii_digit())
}

fn declares_tests(body: &str) -> bool {
    ["it(", "it.", "test.", "describe("].iter().any(|word| body.contains(word))
}

/// The example's schema compiled.
fn compiled(example: &Example, at: &str) -> Compilation {
    let mut loader = MemoryLoader::new();
    for (path, text) in &example.files {
        if path.ends_with(".blink") {
            loader = loader.with(path, text.clone());
        }
    }
    assert!(example.files.contains_key(ENTRY), "{at}: there is no schema above");
    let compilation = compile(&loader, ENTRY, Profile::Release);
    let errors: Vec<String> = compilation
        .analysis
        .diagnostics
        .iter()
        .map(|diagnostic| format!("{} {}", diagnostic.code.number(), diagnostic.headline))
        .collect();
    assert!(compilation.outputs.is_some(), "{at}: {errors:?}");
    compilation
}

/// The same with TypeScript declarations beside the modules.
fn typed(example: &Example, at: &str) -> Compilation {
    let entry = format!("option Typescript = true\n{}", example.files.get(ENTRY).map_or("", String::as_str));
    let files = BTreeMap::from([(ENTRY.to_owned(), entry)]);
    compiled(&Example { files, ..Example::default() }, at)
}

/// What changed from the schema of the example before.
fn changes(example: &Example, at: &str) -> String {
    let before = example.before.clone().unwrap_or_else(|| panic!("{at}: there are no two schemas above"));
    let before = Example { files: BTreeMap::from([(ENTRY.to_owned(), before)]), ..Example::default() };
    let (old, new) = (compiled(&before, at).analysis, compiled(example, at).analysis);
    Diff::of(&old.schema.unwrap(), &new.schema.unwrap()).text("released.blink", "game.blink")
}

/// A schema that is there to be refused, or warned of.
fn fails(schema: &str, code: &str, at: &str) {
    let loader = MemoryLoader::new().with(ENTRY, schema.to_owned());
    let analysis = analyze(&loader, ENTRY, Profile::Release);
    let found: Vec<String> =
        analysis.diagnostics.iter().map(|diagnostic| diagnostic.code.number().to_string()).collect();
    assert!(found.contains(&code[1..].to_owned()), "{at}: raises {found:?}");
    assert_eq!(analysis.schema.is_none(), code.starts_with('E'), "{at}: {found:?}");
}

fn parses(source: &str, at: &str) {
    let lua = mlua::Lua::new();
    let result = lua.load(source).into_function();
    assert!(result.is_ok(), "{at}: {}", result.unwrap_err());
}

fn listing(path: &str) -> String {
    let file = match path.strip_prefix('/') {
        Some(path) => root().join(path),
        None => root().join("docs/listings").join(path),
    };
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = text.replace("\r\n", "\n").replace("{{name}}", "my-game").replace("{{version}}", VERSION);
    if text.ends_with('\n') { text } else { text + "\n" }
}

/// Where the fields of the last event of that name lay; of the last event at all, without a name.
fn bytes(traces: &[Recording], name: &str, at: &str) -> String {
    let plain = Paint::Plain;
    let mut last = None;
    for trace in traces {
        let story = Story::of(trace);
        for packet in &story.packets {
            let mut events = story.decoded(packet).filter_map(|decoded| decoded.event.clone());
            if events.any(|event| name.is_empty() || &*event == name) {
                last = detail(&story, story.sent(packet).id, plain);
            }
        }
    }
    let text = last.unwrap_or_else(|| panic!("{at}: no packet carries {name}"));
    let mut out = String::new();
    let lines = text.lines().skip_while(|line| !line.contains(" at bytes "));
    for line in lines.take_while(|line| !line.ends_with(" bytes")) {
        out.push_str(line.strip_prefix("  ").unwrap_or(line).trim_end());
        out.push('\n');
    }
    out
}

/// What sides printed: the side, then the text.
fn output(traces: &[Recording]) -> String {
    let mut out = String::new();
    for entry in traces.iter().flat_map(|trace| &trace.entries) {
        if let Kind::Log { text, .. } = &entry.kind {
            out.push_str(&format!("{:<8} {text}\n", entry.side));
        }
    }
    out
}
