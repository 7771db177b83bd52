//! Writing outputs: all or none, whole files, and only those that change. Source: tooling specification, 2.4 and 2.5.3.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::{Code, Diagnostic, counted, visible};
use blinkblox_compiler::source::parent;
use blinkblox_emulator::shared::in_words;
use tempfile::NamedTempFile;

use crate::loader::forward;
use crate::printer::print_err;

/// What writing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files whose bytes are new.
    pub changed: usize,
    /// Files left untouched.
    pub current: usize,
}

impl Written {
    /// What it did, in words.
    pub fn text(self) -> String {
        format!("Wrote {}; {} already current", counted(self.changed, "file"), counted(self.current, "file"))
    }
}

/// What a person allows.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// Whether to ask before a folder is created.
    pub asks: bool,
    /// Whether a file that no build has written may be replaced.
    pub replaces_foreign: bool,
}

/// Writes files given by path and text.
///
/// Every folder is agreed to before one is made, and every text is on disk before the first file is replaced. When
/// something fails, the folders that were made are taken away again.
pub fn write(files: &[(String, String)], wishes: Wishes) -> Result<Written, Box<Diagnostic>> {
    for (path, _) in files {
        // A device or a pipe has no end to be compared with, and is no place for a module.
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                return Err(unwritable(path, "a folder of that name is in the way"));
            }
            Ok(there) if !there.is_file() => return Err(unwritable(path, "it is no regular file")),
            _ => {}
        }
    }
    if let Some((path, _)) = files.iter().find(|(path, _)| !wishes.replaces_foreign && is_foreign(path)) {
        return Err(foreign(path));
    }
    let folders: BTreeSet<&str> =
        files.iter().map(|(path, _)| parent(path)).filter(|folder| !folder.is_empty()).collect();
    let missing: Vec<&str> = folders.into_iter().filter(|folder| !Path::new(folder).is_dir()).collect();
    for folder in &missing {
        if wishes.asks && person_present() && !confirm(&format!("Create the folder {folder}? [y/N] ")) {
            return Err(unwritable(folder, "creating the folder was declined"));
        }
    }
    let mut made = Made::default();
    for folder in missing {
        made.folder(Path::new(folder)).map_err(|error| match in_the_way(Path::new(folder)) {
            Some(file) => unwritable(folder, &format!("{} is a file, and no folder", forward(&file))),
            None => unwritable(folder, &in_words(&error)),
        })?;
    }
    let mut staged = Vec::new();
    for (path, text) in files {
        if std::fs::read(path).is_ok_and(|present| present == text.as_bytes()) {
            continue;
        }
        let file =
            stage(Path::new(path), text.as_bytes()).map_err(|error| unwritable(path, &in_words(&error)))?;
        staged.push((path, file));
    }
    let written = Written { changed: staged.len(), current: files.len() - staged.len() };
    for (path, file) in staged {
        file.persist(path).map_err(|error| unwritable(path, &in_words(&error.error)))?;
    }
    made.keep();
    Ok(written)
}

/// The file that stands where a folder of a path should be.
fn in_the_way(folder: &Path) -> Option<PathBuf> {
    let there = folder.ancestors().find(|path| !path.as_os_str().is_empty() && path.exists())?;
    (!there.is_dir()).then(|| there.to_path_buf())
}

/// Folders made for outputs, which go again unless they are kept.
#[derive(Default)]
struct Made {
    /// Outermost first.
    folders: Vec<PathBuf>,
}

impl Made {
    fn folder(&mut self, folder: &Path) -> std::io::Result<()> {
        let above: Vec<&Path> =
            folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
        for path in above.into_iter().rev() {
            std::fs::create_dir(path)?;
            self.folders.push(path.to_path_buf());
        }
        // What is there may be a file, or a folder only after `..` is taken.
        std::fs::create_dir_all(folder)
    }

    fn keep(&mut self) {
        self.folders.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in self.folders.drain(..).rev() {
            // One that holds something by now is somebody else's.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Lines in which a module says who made it.
const HEADER_LINES: usize = 5;

/// Whether a file is there that no build has written. Blink's modules are ours to replace.
fn is_foreign(path: &str) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).into_owned();
    let says_so = |line: &str| line.trim_start().starts_with(['-', '/']) && line.contains("Blink");
    !head.trim().is_empty() && !head.lines().take(HEADER_LINES).any(says_so)
}

/// The text in a file beside its target, so that replacing it is one step and no reader sees half of it.
pub fn stage(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A temporary file is private unless told otherwise; an output is as readable as any file made here.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(".blinkblox").tempfile_in(folder)?;
    file.write_all(bytes)?;
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
    print_err(&visible(question));
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn unwritable(path: &str, why: &str) -> Box<Diagnostic> {
    let headline = format!("\"{path}\" could not be written: {why}");
    Box::new(
        Diagnostic::error(Code::FileUnwritable, headline)
            .about_file(path)
            .note("Nothing was written. Choose a path that can be, or clear the way."),
    )
}

fn foreign(path: &str) -> Box<Diagnostic> {
    let headline = format!("\"{path}\" is no generated module and is not replaced");
    Box::new(Diagnostic::error(Code::FileUnwritable, headline).about_file(path).note(
        "Nothing was written. Move the file away, write the module elsewhere, or replace the file with `--yes`.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_left_only_when_all_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = |rest: &str| folder.path().join(rest).to_string_lossy().into_owned();
        std::fs::create_dir(path("way")).unwrap();
        let files = vec![(path("a/b/X.luau"), "x".to_string()), (path("way"), "y".to_string())];
        let wishes = Wishes { asks: false, replaces_foreign: false };
        let fault = write(&files, wishes).unwrap_err();
        assert_eq!(fault.code, Code::FileUnwritable);
        assert!(!Path::new(&path("a")).exists());
        assert_eq!(write(&files[..1], wishes).unwrap(), Written { changed: 1, current: 0 });
        assert!(Path::new(&path("a/b/X.luau")).is_file());
    }

    #[cfg(unix)]
    #[test]
    fn what_has_no_end_is_not_read() {
        let wishes = Wishes { asks: false, replaces_foreign: true };
        let fault = write(&[("/dev/zero".to_string(), "x".to_string())], wishes).unwrap_err();
        assert_eq!(fault.code, Code::FileUnwritable);
    }

    #[test]
    fn a_file_of_somebody_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Net.luau").to_string_lossy().into_owned();
        let files = vec![(path.clone(), "new".to_string())];
        let careful = Wishes { asks: false, replaces_foreign: false };
        std::fs::write(&path, "return 'Blink'\n").unwrap();
        assert!(write(&files, careful).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "return 'Blink'\n");
        assert!(write(&files, Wishes { replaces_foreign: true, ..careful }).is_ok());
        for own in
            ["", "--!strict\n-- generated by BlinkBlox 0.0.1\n", "-- File generated by Blink v0.18.1\n"]
        {
            std::fs::write(&path, own).unwrap();
            assert!(write(&files, careful).is_ok(), "{own}");
        }
    }
}
