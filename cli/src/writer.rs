//! Writing outputs: all or none, whole files, and only those that change. Source: tooling specification, 2.4 and 2.5.3.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::Path;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::source::parent;
use tempfile::NamedTempFile;

use crate::printer::print_err;

/// What writing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files whose bytes are new.
    pub changed: usize,
    /// Files left untouched.
    pub current: usize,
}

/// Writes files given by path and text. `asks` lets a person decline the creation of a folder.
///
/// Every folder is agreed to before one is made, and every text is on disk before the first file is replaced.
pub fn write(files: &[(String, String)], asks: bool) -> Result<Written, Box<Diagnostic>> {
    let folders: BTreeSet<&str> =
        files.iter().map(|(path, _)| parent(path)).filter(|folder| !folder.is_empty()).collect();
    let missing: Vec<&str> = folders.into_iter().filter(|folder| !Path::new(folder).is_dir()).collect();
    for folder in &missing {
        if asks && person_present() && !confirm(&format!("Create the folder {folder}? [y/N] ")) {
            return Err(unwritable(folder, "creating the folder was declined"));
        }
    }
    for folder in missing {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error.kind().to_string()))?;
    }
    let mut staged = Vec::new();
    for (path, text) in files {
        if std::fs::read(path).is_ok_and(|present| present == text.as_bytes()) {
            continue;
        }
        if Path::new(path).is_dir() {
            return Err(unwritable(path, "a folder of that name is in the way"));
        }
        let file =
            stage(Path::new(path), text).map_err(|error| unwritable(path, &error.kind().to_string()))?;
        staged.push((path, file));
    }
    let written = Written { changed: staged.len(), current: files.len() - staged.len() };
    for (path, file) in staged {
        file.persist(path).map_err(|error| unwritable(path, &error.error.kind().to_string()))?;
    }
    Ok(written)
}

/// The text in a file beside its target, so that replacing it is one step and no reader sees half of it.
fn stage(path: &Path, text: &str) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A temporary file is private unless told otherwise; an output is as readable as any file made here.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".blinkblox").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    // A file that is there keeps the permissions its owner gave it.
    if let Ok(present) = std::fs::metadata(path) {
        file.as_file().set_permissions(present.permissions())?;
    }
    Ok(file)
}

fn person_present() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on standard error; only `y` and `yes` mean yes.
fn confirm(question: &str) -> bool {
    print_err(question);
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn unwritable(path: &str, why: &str) -> Box<Diagnostic> {
    let headline = format!("\"{path}\" could not be written: {why}");
    Box::new(Diagnostic::error(Code::FileUnwritable, headline).about_file(path))
}
