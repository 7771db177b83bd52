//! `tests/convert/<tool>/<case>`: definitions, the draft they give and the list that is printed; or the refusal.
//!
//! A case is a folder, so a new one needs no Rust. Its definitions are the one file named `input`; files beside it are
//! there to be required. A folder named `input` is a game. `expected.blink` and `report.txt` are what comes out, or
//! `error.txt`. `BLINKBLOX_UPDATE=1 cargo test -p blinkblox-convert --test corpus` writes them anew.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use blinkblox_compiler::compile;
use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::diagnostics::human::{Colour, render_one};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::SourceLoader;
use blinkblox_convert::{Conversion, Limits, Refusal, Tool, convert};

/// Files of one folder, named by what follows it; and a draft that is not on disk.
struct Folder(PathBuf, String);

const DRAFT: &str = "draft.blink";

impl SourceLoader for Folder {
    fn is_file(&self, path: &str) -> bool {
        path == DRAFT || self.0.join(path).is_file()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path {
            DRAFT => Ok(self.1.clone().into_bytes()),
            _ => fs::read(self.0.join(path)).map_err(|error| error.kind().to_string()),
        }
    }
}

/// Relative to the folder of the crate, where tests run, so that no machine's paths are told.
fn root() -> PathBuf {
    PathBuf::from("../tests/convert")
}

/// Folders of a folder, by name.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn cases(tool: Tool) -> Vec<PathBuf> {
    folders(&root().join(tool.name()))
}

/// Half a second is enough for every case, and what loops for ever does so for no longer.
fn limits() -> Limits {
    Limits { time: Duration::from_millis(500), memory: 32 << 20, ..Limits::default() }
}

fn converted(tool: Tool, case: &Path) -> Result<Conversion, Box<Refusal>> {
    let loader: Rc<dyn SourceLoader> = Rc::new(Folder(case.to_path_buf(), String::new()));
    let game = case.join("input");
    if game.is_dir() {
        return convert(tool, &loader, &game.to_string_lossy(), limits());
    }
    let entries = fs::read_dir(case).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let input = entries.filter(|name| name.starts_with("input.")).collect::<Vec<_>>();
    assert_eq!(input.len(), 1, "{}", case.display());
    convert(tool, &loader, &input[0], limits())
}

/// The files a case should have, each with its text.
fn outcome(tool: Tool, case: &Path) -> Vec<(&'static str, String)> {
    match converted(tool, case) {
        Ok(conversion) => {
            if conversion.compiles {
                assert_compiles(case, &conversion.draft);
                assert_settles(case, &conversion.draft);
            }
            vec![("expected.blink", conversion.draft), ("report.txt", conversion.report.text())]
        }
        Err(refusal) => {
            let text = render_one(&refusal.diagnostic, &refusal.sources, Colour::Off);
            assert!(text.contains("[E4008]"), "{}: {text}", case.display());
            vec![("error.txt", text)]
        }
    }
}

/// The draft with its marks settled as the guides say: rates everywhere, and `RequireRates` to hold them.
fn settled(draft: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in draft.lines() {
        let answer = match line.trim_start().strip_prefix("-- TODO(convert): ") {
            Some(asked) if asked.starts_with("Rate and Burst") => "Rate: 10, Burst: 20,",
            Some(asked) if asked.starts_with("Rate and Concurrency") => "Rate: 10, Concurrency: 2,",
            Some(asked) if asked.starts_with("Concurrency") => "Concurrency: 2,",
            _ => match line.strip_prefix("-- option RequireRates") {
                Some(rest) => &format!("option RequireRates{rest}"),
                None => line,
            },
        };
        // A mark that stands last has no comma in front of it.
        if answer != line
            && let Some(before) = lines.last_mut().filter(|before| before.starts_with('\t'))
            && !before.trim_end().ends_with([',', '{'])
        {
            before.push(',');
        }
        lines.push(answer.to_string());
    }
    lines.join("\n")
}

/// A draft whose marks are settled compiles, and warns of nothing but what the definitions have themselves: what can grow
/// too large to be sent unreliably, and answers that TypeScript sees the first part of.
fn assert_settles(case: &Path, draft: &str) {
    let text = settled(draft);
    let compilation = compile(&Folder(case.to_path_buf(), text.clone()), DRAFT, Profile::Release);
    let said: Vec<String> = compilation
        .analysis
        .diagnostics
        .iter()
        .filter(|one| !matches!(one.code, Code::AnalyzeUnboundedEvent | Code::OutputPromisePack))
        .map(|one| format!("{} {}", one.code_text(), one.headline))
        .collect();
    assert!(said.is_empty() && compilation.outputs.is_some(), "{}: {said:?}\n{text}", case.display());
}

fn assert_compiles(case: &Path, draft: &str) {
    let loader = Folder(case.to_path_buf(), draft.to_string());
    let compilation = compile(&loader, DRAFT, Profile::Release);
    let said: Vec<&String> = compilation.analysis.diagnostics.iter().map(|one| &one.headline).collect();
    assert!(compilation.outputs.is_some(), "{}: {said:?}\n{draft}", case.display());
}

#[track_caller]
fn check(tool: Tool) {
    let update = std::env::var_os("BLINKBLOX_UPDATE").is_some();
    let cases = cases(tool);
    assert!(cases.len() >= 6, "{} has {} cases", tool.name(), cases.len());
    let mut differing = String::new();
    for case in cases {
        let outcome = outcome(tool, &case);
        for name in ["expected.blink", "report.txt", "error.txt"] {
            let text = outcome.iter().find(|(file, _)| *file == name).map(|(_, text)| text);
            let path = case.join(name);
            match text {
                Some(text) if update => fs::write(&path, text).unwrap(),
                None if update => drop(fs::remove_file(&path)),
                Some(text) if fs::read_to_string(&path).ok().as_ref() != Some(text) => {
                    differing.push_str(&format!("{} is\n{text}\n", path.display()));
                }
                None if path.exists() => differing.push_str(&format!("{} is not made\n", path.display())),
                Some(_) | None => {}
            }
        }
        // Equal definitions give equal bytes.
        assert_eq!(self::outcome(tool, &case), outcome, "{}", case.display());
    }
    assert!(differing.is_empty(), "differ; set BLINKBLOX_UPDATE to accept:\n{differing}");
}

#[test]
fn zap() {
    check(Tool::Zap);
}

#[test]
fn bytenet() {
    check(Tool::ByteNet);
}

#[test]
fn packet() {
    check(Tool::Packet);
}

#[test]
fn quicknet() {
    check(Tool::QuickNet);
}

#[test]
fn warp() {
    check(Tool::Warp);
}

#[test]
fn blink() {
    check(Tool::Blink);
}

#[test]
fn remotes() {
    check(Tool::Remotes);
}
