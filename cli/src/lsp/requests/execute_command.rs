//! What an editor may have the server do: show what a schema becomes, explain a code, build and verify.

use std::process::{Command, Stdio};

use blinkblox_compiler::explain;
use blinkblox_compiler::source::stem;
use lsp_types::{ExecuteCommandParams, MessageType, Uri};
use serde_json::{Value, json};

use super::Refusal;
use crate::lsp::documents::{Documents, path_of};

/// Gives the name and text of a module: the schema's address, and `server`, `client` or `types`.
pub const MODULE: &str = "blinkblox.server.module";
/// Gives the name and text of the page of a code.
pub const EXPLAIN: &str = "blinkblox.server.explain";
/// Builds the schema of an address as it is on disk, and tells the person what came of it.
pub const COMPILE: &str = "blinkblox.server.compile";
/// Compares its modules on disk with what a build would write.
pub const VERIFY: &str = "blinkblox.server.verify";

/// Every command, as the editor learns them.
pub const ALL: [&str; 4] = [MODULE, EXPLAIN, COMPILE, VERIFY];

pub fn answer(documents: &mut Documents, params: ExecuteCommandParams) -> Result<Option<Value>, Refusal> {
    let argument = |at: usize| params.arguments.get(at).and_then(Value::as_str);
    let first = argument(0).ok_or_else(|| format!("{} needs an argument.", params.command))?;
    match params.command.as_str() {
        MODULE => module(documents, &address(first)?, argument(1).unwrap_or("server")).map(Some),
        EXPLAIN => page(first).map(Some),
        COMPILE => {
            run(documents, &path_of(&address(first)?), "build")?;
            Ok(None)
        }
        VERIFY => {
            run(documents, &path_of(&address(first)?), "verify")?;
            Ok(None)
        }
        other => Err(format!("\"{other}\" is not a command of this server.")),
    }
}

fn address(text: &str) -> Result<Uri, Refusal> {
    text.parse().map_err(|_| format!("\"{text}\" is not an address."))
}

fn module(documents: &mut Documents, uri: &Uri, side: &str) -> Result<Value, Refusal> {
    let path = path_of(uri);
    let analysis = documents.analysis(&path);
    let compilation = blinkblox_compiler::generate((*analysis).clone());
    let name = stem(&path);
    let Some(outputs) = compilation.outputs else {
        let error = compilation.analysis.diagnostics.iter().find(|one| one.is_error());
        let why = error.map(|error| format!(": {} ({})", error.headline, error.code_text()));
        return Err(format!("{name} does not compile{}.", why.unwrap_or_default()));
    };
    let text = match side {
        "server" => outputs.server,
        "client" => outputs.client,
        "types" => outputs.types.ok_or_else(|| format!("{name} sets no TypesOutput."))?,
        other => return Err(format!("\"{other}\" is not `server`, `client` or `types`.")),
    };
    Ok(json!({ "name": format!("{name}.{side}.luau"), "text": text }))
}

fn page(code: &str) -> Result<Value, Refusal> {
    let code = explain::find(code).ok_or_else(|| format!("there is no code \"{code}\"."))?;
    Ok(json!({ "name": format!("{}.md", explain::title(code)), "text": explain::page(code) }))
}

/// Builds what is made of a file that was saved, when the settings ask for it; says only what went wrong.
pub fn saved(documents: &mut Documents, uri: &Uri) {
    if !documents.compile_on_save {
        return;
    }
    for entry in documents.built_of(&path_of(uri)) {
        // An entry with changes that are not saved yet is built when they are.
        if !documents.is_unsaved(&entry)
            && let Ok(Some(why)) = outcome(documents, &entry, "build")
        {
            documents.say(MessageType::ERROR, why);
        }
    }
}

/// Runs a command of this program on a schema and tells the person what came of it.
fn run(documents: &mut Documents, path: &str, command: &str) -> Result<(), Refusal> {
    if documents.is_unsaved(path) {
        return Err(format!("Save {} first: what is on disk is compiled.", name_of(path)));
    }
    let (kind, said) = match outcome(documents, path, command)? {
        Some(why) => (MessageType::ERROR, why),
        None => (MessageType::INFO, format!("{}: its modules are up to date.", name_of(path))),
    };
    documents.say(kind, said);
    Ok(())
}

/// What went wrong with a command of this program on a schema, in its own first words.
fn outcome(documents: &Documents, path: &str, command: &str) -> Result<Option<String>, Refusal> {
    let failed = |why: std::io::Error| format!("`blinkblox {command}` cannot be run: {why}.");
    // A process of its own: whatever it does, the server goes on.
    let output = Command::new(std::env::current_exe().map_err(failed)?)
        .arg(command)
        .args(["--quiet", "--color", "never", "--compact", "--profile", documents.profile().text()])
        .args(["--", path])
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    if output.status.success() {
        return Ok(None);
    }
    let texts = [output.stderr, output.stdout].map(|text| String::from_utf8_lossy(&text).into_owned());
    let first = texts.iter().flat_map(|text| text.lines()).find(|line| !line.trim().is_empty());
    Ok(Some(format!("{}: {}", name_of(path), first.unwrap_or("nothing was said"))))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
