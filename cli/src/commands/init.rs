//! `blinkblox init [DIR]`: a working game with a schema, its code, a spec and a workflow. Source: tooling
//! specification, 12.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::schema::Profile;
use clap::Parser;

use super::compile::compile;
use super::flags::ReportFlags;
use super::usage;
use crate::loader::forward;
use crate::writer::{self, Wishes};

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../templates/game/", $path))
    };
}

/// Files of the game: path and text. `{{name}}` and `{{version}}` are filled in.
const FILES: &[(&str, &str)] = &[
    ("net/game.blink", template!("net/game.blink")),
    ("src/server/Coins.luau", template!("src/server/Coins.luau")),
    ("src/server/init.server.luau", template!("src/server/init.server.luau")),
    ("src/client/Game.luau", template!("src/client/Game.luau")),
    ("src/client/init.client.luau", template!("src/client/init.client.luau")),
    ("specs/game.spec.luau", template!("specs/game.spec.luau")),
    ("default.project.json", template!("default.project.json")),
    ("blinkblox.toml", template!("blinkblox.toml")),
    ("rokit.toml", template!("rokit.toml")),
    (".gitignore", template!("gitignore")),
    (".gitattributes", template!("gitattributes")),
    (".github/workflows/ci.yml", template!("workflows/ci.yml")),
    ("README.md", template!("README.md")),
];
/// The schema, whose modules are built once the files are there.
const SCHEMA: &str = "net/game.blink";
/// What a build of it writes.
const MODULES: [&str; 2] = ["src/server/Net.luau", "src/client/Net.luau"];

/// Lays down a working game: schema, server and client code, a spec, a workflow.
#[derive(Parser)]
pub struct Init {
    /// The folder, made when it is not there; the working directory when none is given
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    report: ReportFlags,
}

impl Init {
    /// Writes the files, or none when one of them is there already.
    pub fn run(self) -> ExitCode {
        let printer = match self.report.printer() {
            Ok(printer) => printer,
            Err(diagnostic) => return usage::refuse(*diagnostic, self.report.format()),
        };
        match lay_down(&self.folder) {
            Ok(files) => {
                for file in &files {
                    printer.progress(&format!("Wrote {file}"));
                }
                let folder = forward(&self.folder);
                let enter = if folder == "." { String::new() } else { format!("cd {folder}, then ") };
                printer.progress(&format!(
                    "\nNext: {enter}`blinkblox test`, and `blinkblox watch` beside `rojo serve`."
                ));
                let report = blinkblox_compiler::diagnostics::json::Report {
                    success: true,
                    profile: "release",
                    outputs: files,
                    ..Default::default()
                };
                printer.document(&report);
                ExitCode::SUCCESS
            }
            Err(diagnostic) => {
                printer.failure(&diagnostic, "release");
                ExitCode::FAILURE
            }
        }
    }
}

/// Writes the game into a folder and builds its modules; gives the paths written, as shown.
fn lay_down(folder: &Path) -> Result<Vec<String>, Box<Diagnostic>> {
    let place =
        |path: &str| if folder == Path::new(".") { path.to_string() } else { forward(&folder.join(path)) };
    if let Some(file) = folder.ancestors().find(|path| path.is_file()) {
        let file = forward(file);
        return Err(Box::new(
            Diagnostic::error(
                Code::FileUnwritable,
                format!("\"{file}\" is a file, and a game needs a folder"),
            )
            .about_file(file)
            .note("Nothing was written. Name a folder; one that is not there is made."),
        ));
    }
    let all = FILES.iter().map(|(path, _)| *path).chain(MODULES);
    let present: Vec<String> = all.map(place).filter(|path| Path::new(path).exists()).collect();
    if let Some(first) = present.first() {
        let more = if present.len() > 1 { format!(" and {} more", present.len() - 1) } else { String::new() };
        let headline = format!("\"{first}\"{more} would be overwritten");
        return Err(Box::new(
            Diagnostic::error(Code::FileUnwritable, headline)
                .about_file(first)
                .note("Nothing was written. Choose a folder without a game in it."),
        ));
    }
    let name = name_of(folder);
    let fill =
        |text: &str| text.replace("{{name}}", &name).replace("{{version}}", blinkblox_compiler::VERSION);
    let files: Vec<(String, String)> = FILES.iter().map(|(path, text)| (place(path), fill(text))).collect();
    let wishes = Wishes { asks: false, replaces_foreign: false };
    writer::write(&files, wishes)?;
    let compiled = compile(&place(SCHEMA), Profile::Release, None, |_| {});
    if !compiled.is_sound() {
        let headline = "the compiler does not accept its own example";
        let note = format!("Please report it, with the version: {}.", blinkblox_compiler::VERSION);
        return Err(Box::new(Diagnostic::error(Code::InternalFault, headline).note(note)));
    }
    writer::write(&compiled.files, wishes)?;
    Ok(files.into_iter().chain(compiled.files).map(|(path, _)| path).collect())
}

/// The name of the game: that of its folder, as far as a JSON text and a file's name can hold it.
fn name_of(folder: &Path) -> String {
    let whole = std::path::absolute(folder).unwrap_or_default();
    let name = whole.components().next_back().map(|last| last.as_os_str().to_string_lossy().into_owned());
    let kept = |char: &char| char.is_alphanumeric() || matches!(char, '-' | '_' | ' ' | '.');
    let name: String = name.unwrap_or_default().chars().filter(kept).collect();
    if name.trim_matches('.').is_empty() { "game".to_string() } else { name }
}
