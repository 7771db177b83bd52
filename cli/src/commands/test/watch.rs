//! `blinkblox test --watch`: runs everything once, then the files a change affects.
//!
//! A spec file is affected when anything it was made from changes: itself, what it requires, its schemas with their
//! imports, its project with every file of it. A save that leaves the bytes as they were affects nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use blinkblox_emulator::testing::report::RunReport;
use blinkblox_emulator::testing::{Filter, RunOptions, Stop};

use super::keys::{Ask, Keys};
use super::sinks::Sinks;
use super::{Fault, Test};
use crate::printer::print_out;
use crate::watch::files::{Files, content};

const KEYS: &str = "a all, f failed, p filter, q quit";

enum Event {
    Changed(Vec<PathBuf>),
    Asked(Ask),
}

/// A watching run.
pub(super) struct Watch {
    test: Test,
    options: RunOptions,
    sinks: Sinks,
    /// Files each spec file was made from, as whole paths.
    reads: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// What those files, and everything else in the folders watched, held last.
    contents: BTreeMap<PathBuf, Option<u64>>,
    /// Folders whose files are among them.
    noted: BTreeSet<PathBuf>,
    failed: BTreeSet<PathBuf>,
    /// Runs so far.
    runs: usize,
    /// Stops the run that goes on now.
    stop: Arc<Mutex<Stop>>,
}

impl Watch {
    /// A watching run of what `options` name.
    pub(super) fn new(test: Test, options: RunOptions, sinks: Sinks) -> Watch {
        Watch {
            test,
            options,
            sinks,
            reads: BTreeMap::new(),
            contents: BTreeMap::new(),
            noted: BTreeSet::new(),
            failed: BTreeSet::new(),
            runs: 0,
            stop: Arc::default(),
        }
    }

    /// Runs until somebody quits. Errors: files cannot be watched or reports not be written.
    pub(super) fn execute(mut self) -> Result<u8, Fault> {
        let (sender, events) = channel();
        let changed = sender.clone();
        let tell = move |paths| {
            // Nobody listens once the run is over.
            let _ = changed.send(Event::Changed(paths));
        };
        let mut files =
            Files::new(tell).map_err(|error| Fault::usage(format!("files cannot be watched: {error}")))?;
        let stop = self.stop.clone();
        // A person who quits does not wait for the run; lines of a pipe are taken one after the other.
        let is_person = std::io::stdin().is_terminal();
        let keys = Keys::start(move |ask| {
            if ask == Ask::Quit && is_person {
                stop.lock().unwrap_or_else(PoisonError::into_inner).interrupt();
            }
            // Nobody listens once the run is over.
            let _ = sender.send(Event::Asked(ask));
        });
        self.run(self.options.files.clone())?;
        let mut announced = 0;
        loop {
            let folders = self.folders();
            // Only after a run: what appears while none goes on is news.
            if announced != self.runs {
                self.note_present(&folders);
            }
            files.watch_folders(folders);
            // Said once after each run: reading files may itself be told as a change, and changes nothing.
            if announced != self.runs {
                announced = self.runs;
                let names = if self.reads.len() == 1 { "file" } else { "files" };
                print_out(&format!("watching {} spec {names}; {KEYS}\n", self.reads.len()));
            }
            match events.recv().ok() {
                None | Some(Event::Asked(Ask::Quit)) => return Ok(0),
                Some(Event::Asked(ask)) => {
                    keys.done();
                    self.answer(ask)?;
                }
                Some(Event::Changed(paths)) => self.changed(&paths)?,
            }
        }
    }

    fn answer(&mut self, ask: Ask) -> Result<(), Fault> {
        match ask {
            Ask::All => {
                self.discover();
                self.run(self.options.files.clone())
            }
            Ask::Failed if self.failed.is_empty() => {
                print_out("nothing failed\n");
                Ok(())
            }
            Ask::Failed => {
                let failed = self.failed.clone();
                let files = self.options.files.iter().filter(|file| failed.contains(&whole(file))).cloned();
                self.run(files.collect())
            }
            Ask::Filter(text) => {
                match Filter::parse(&text) {
                    Ok(_) if text.is_empty() => self.options.filters.clear(),
                    Ok(filter) => self.options.filters = vec![filter],
                    Err(problem) => {
                        print_out(&format!("{problem}\n"));
                        return Ok(());
                    }
                }
                self.run(self.options.files.clone())
            }
            Ask::Help | Ask::Quit => Ok(()),
        }
    }

    /// Runs what these changes affect.
    fn changed(&mut self, paths: &[PathBuf]) -> Result<(), Fault> {
        let known: BTreeSet<PathBuf> = self.options.files.iter().map(|file| whole(file)).collect();
        let mut changed = BTreeSet::new();
        for path in paths {
            let path = whole(path);
            let now = held(&path);
            let before = self.contents.insert(path.clone(), now).flatten();
            // Notifications also tell of reading and of times: only other bytes are a change.
            if before != now {
                changed.insert(path);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        self.discover();
        let is_affected = |file: &Path| {
            let file = whole(file);
            !known.contains(&file)
                || self.reads.get(&file).is_none_or(|reads| {
                    changed.iter().any(|path| {
                        let is_in_project = path.parent().is_some_and(|folder| is_mapped(folder, reads));
                        reads.contains(path) || is_in_project && may_be_read(path)
                    })
                })
        };
        let affected: Vec<PathBuf> =
            self.options.files.iter().filter(|file| is_affected(file)).cloned().collect();
        let gone: Vec<PathBuf> = {
            let there: BTreeSet<PathBuf> = self.options.files.iter().map(|file| whole(file)).collect();
            self.reads.keys().filter(|file| !there.contains(*file)).cloned().collect()
        };
        for file in gone {
            self.reads.remove(&file);
            self.failed.remove(&file);
        }
        if affected.is_empty() { Ok(()) } else { self.run(affected) }
    }

    /// Looks for spec files anew. A root that is gone keeps what it had.
    fn discover(&mut self) {
        if let Ok(files) = self.test.files() {
            self.options.files = files;
        }
    }

    fn run(&mut self, files: Vec<PathBuf>) -> Result<(), Fault> {
        self.runs += 1;
        let stop = Stop::default();
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        let options = RunOptions { files: files.clone(), stop, ..self.options.clone() };
        let report = self.test.run_once(&options, self.sinks.again())?;
        self.note(&files, &report);
        Ok(())
    }

    /// Remembers what files were made from, and which failed.
    fn note(&mut self, files: &[PathBuf], report: &RunReport) {
        for file in files {
            let key = whole(file);
            let shown = blinkblox_emulator::testing::director::shown(file);
            let Some(done) = report.files.iter().find(|done| done.path == shown) else {
                // A share or a filter leaves it out: it is run again when it changes itself.
                self.reads.entry(key.clone()).or_insert_with(|| BTreeSet::from([key]));
                continue;
            };
            let reads: BTreeSet<PathBuf> = done.reads.iter().map(|path| whole(path)).collect();
            for path in &reads {
                self.contents.entry(path.clone()).or_insert_with(|| held(path));
            }
            let failed = done.load_error.is_some() || done.tests.iter().any(|test| report.is_failure(test));
            if failed {
                self.failed.insert(key.clone());
            } else {
                self.failed.remove(&key);
            }
            self.reads.insert(key, reads);
        }
    }

    /// Remembers what is in these folders, so that what is told of later is known to be new, or to be the same.
    fn note_present(&mut self, folders: &BTreeSet<PathBuf>) {
        for folder in folders {
            if !self.noted.insert(folder.clone()) {
                continue;
            }
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if may_be_read(&path) {
                    self.contents.entry(path).or_insert_with_key(|path| held(path));
                }
            }
        }
    }

    /// Folders in which a change may matter: those of the arguments, and those of all files read.
    fn folders(&self) -> BTreeSet<PathBuf> {
        let mut folders = BTreeSet::new();
        for root in &self.test.paths {
            if root.is_dir() {
                below(&whole(root), &mut folders, 0);
            }
        }
        for path in self.reads.values().flatten() {
            folders.extend(path.parent().map(Path::to_path_buf));
            if path.is_dir() {
                folders.insert(path.clone());
            }
        }
        folders
    }
}

/// What a path holds, as [`content`] gives it; of a folder only that it is there, for its files are told of themselves.
fn held(path: &Path) -> Option<u64> {
    if path.is_dir() { Some(0) } else { content(path) }
}

/// Whether a project makes an instance of a folder: of itself, or of the `init` script in it.
fn is_mapped(folder: &Path, reads: &BTreeSet<PathBuf>) -> bool {
    let is_init = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        file.parent() == Some(folder) && name.is_some_and(|name| name.starts_with("init."))
    };
    reads.contains(folder) || reads.iter().any(is_init)
}

/// Whether a file in a folder of a project can become a part of it: a log or a lock beside the code cannot.
fn may_be_read(path: &Path) -> bool {
    const NAMES: [&str; 14] = [
        "luau", "lua", "json", "jsonc", "toml", "yml", "yaml", "csv", "txt", "rbxm", "rbxmx", "rbxl",
        "rbxlx", "blink",
    ];
    let name = path.extension().and_then(|name| name.to_str());
    name.map_or_else(|| path.is_dir(), |name| NAMES.contains(&name)) && !is_hidden(path)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with('.'))
}

/// A folder and those in it where specs may be.
fn below(folder: &Path, found: &mut BTreeSet<PathBuf>, depth: usize) {
    if depth > 40 || !found.insert(folder.to_path_buf()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !blinkblox_emulator::project::is_set_aside(&entry.path()) {
            below(&entry.path(), found, depth + 1);
        }
    }
}

/// A path from the root, without detours.
fn whole(path: &Path) -> PathBuf {
    let path = blinkblox_emulator::testing::director::normalise(path);
    std::path::absolute(&path).unwrap_or(path)
}
