//! Tells of changed files: by the system's notifications, or by looking where there are none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify_debouncer_mini::notify::{self, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};
use notify_debouncer_mini::{Config, DebounceEventResult, Debouncer, new_debouncer, new_debouncer_opt};

use crate::loader::digest;

/// Changes closer together than this are one.
const QUIET: Duration = Duration::from_millis(50);
/// How often files are compared where the system tells of no changes.
const POLL: Duration = Duration::from_secs(1);

/// Folders being watched.
pub struct Files {
    debouncer: AnyDebouncer,
    watched: BTreeSet<PathBuf>,
}

enum AnyDebouncer {
    Native(Debouncer<RecommendedWatcher>),
    Polling(Debouncer<PollWatcher>),
}

impl Files {
    /// Calls `changed` with the files of the watched folders that have changed, once they are quiet. Errors: why
    /// nothing can be watched, as a phrase.
    pub fn new(changed: impl Fn(Vec<PathBuf>) + Clone + Send + 'static) -> Result<Files, String> {
        let tell = |changed: Box<dyn Fn(Vec<PathBuf>) + Send>| {
            move |result: DebounceEventResult| {
                if let Ok(events) = result {
                    changed(events.into_iter().map(|event| event.path).collect());
                }
            }
        };
        let debouncer = match new_debouncer(QUIET, tell(Box::new(changed.clone()))) {
            Ok(debouncer) => AnyDebouncer::Native(debouncer),
            Err(_) => {
                let config = Config::default().with_timeout(QUIET).with_notify_config(
                    notify::Config::default().with_poll_interval(POLL).with_compare_contents(true),
                );
                let debouncer = new_debouncer_opt(config, tell(Box::new(changed)));
                AnyDebouncer::Polling(debouncer.map_err(|error| error.to_string())?)
            }
        };
        Ok(Files { debouncer, watched: BTreeSet::new() })
    }

    /// Watches the folders of these files, or for one that is not there the nearest folder above that is. Gives
    /// whether a folder is new.
    pub fn watch(&mut self, files: &BTreeSet<PathBuf>) -> bool {
        self.watch_folders(files.iter().filter_map(|file| folder_of(file)))
    }

    /// Forgets folders that are gone, so that those which come again in their places are watched anew.
    pub fn forget_gone(&mut self) {
        self.watched.retain(|folder| folder.is_dir());
    }

    /// Watches these folders too. Gives whether one is new. One that cannot be watched is tried again the next time.
    pub fn watch_folders(&mut self, folders: impl IntoIterator<Item = PathBuf>) -> bool {
        self.forget_gone();
        let watcher: &mut dyn Watcher = match &mut self.debouncer {
            AnyDebouncer::Native(debouncer) => debouncer.watcher(),
            AnyDebouncer::Polling(debouncer) => debouncer.watcher(),
        };
        let mut grown = false;
        for folder in folders {
            if !self.watched.contains(&folder) && watcher.watch(&folder, RecursiveMode::NonRecursive).is_ok()
            {
                self.watched.insert(folder);
                grown = true;
            }
        }
        grown
    }
}

fn folder_of(file: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(file).ok()?;
    whole.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf)
}

/// What a file holds, as a number that changes with it; none when there is no such file.
pub fn content(path: &Path) -> Option<u64> {
    std::fs::read(path).ok().map(|bytes| digest(&bytes))
}
