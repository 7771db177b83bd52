//! `.load` and `.run`: files of code or inputs, and the project's specs.

use std::path::{Path, PathBuf};

use super::commands::{Outcome, Words};
use super::{Repl, Reply};
use crate::project::discover::{Discovery, discover};
use crate::testing::reporters::{Format, render};
use crate::testing::{Filter, RunOptions, run};

/// Files that may load one another before it is taken for a circle.
const MAX_LOADING: usize = 16;

impl Repl {
    pub(super) fn load(&mut self, words: &Words) -> Outcome {
        let path = words.get(0).ok_or(".load needs a file")?;
        if self.loading >= MAX_LOADING {
            return Err(format!(
                "{path} is loaded by a file that it loads: {MAX_LOADING} files at most may load one another"
            ));
        }
        self.loading += 1;
        let outcome = self.load_file(path);
        self.loading -= 1;
        outcome
    }

    fn load_file(&mut self, path: &str) -> Outcome {
        let text = crate::shared::read_script(Path::new(path))
            .map_err(|error| format!("{path} cannot be read: {}", crate::shared::in_words(&error)))?;
        let is_luau = path.ends_with(".luau") || path.ends_with(".lua");
        if is_luau {
            self.pending = text;
            let reply = self.evaluate();
            if reply == Reply::More {
                self.pending.clear();
                return Err(format!("{path} ends in the middle of a statement"));
            }
            return Ok(reply);
        }
        let mut shown = Vec::new();
        let mut began = 0;
        for (number, line) in text.lines().enumerate() {
            if !self.is_pending() {
                began = number + 1;
            }
            match self.line(line) {
                Reply::Text(text) if text.is_empty() => {}
                Reply::Text(text) => shown.push(text),
                Reply::Problem(text) => {
                    shown.push(format!("{path}:{began}: {text}"));
                    return Err(shown.join("\n"));
                }
                Reply::More => {}
                Reply::Play(_) => {
                    shown.push(format!("{path}:{began}: .play needs a person at the prompt; use .advance"));
                    return Err(shown.join("\n"));
                }
                Reply::Quit => return Ok(Reply::Quit),
            }
        }
        if self.is_pending() {
            self.cancel();
            shown.push(format!("{path}:{began}: this input is not finished at the end of the file"));
            return Err(shown.join("\n"));
        }
        Ok(Reply::Text(shown.join("\n")))
    }

    pub(super) fn run_tests(&mut self, words: &Words) -> Outcome {
        let name = match (words.get(0), words.get(1)) {
            (Some("test"), Some(name)) => name,
            _ => return Err(".run takes `test \"NAME\"`".into()),
        };
        let path: &Path = &self.options.path;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder: PathBuf =
            if path.is_dir() { path.into() } else { parent.unwrap_or(Path::new(".")).into() };
        let discovery = Discovery { roots: vec![folder], include: Vec::new(), exclude: Vec::new() };
        let files = discover(&discovery, None).map_err(|problem| problem.to_string())?;
        let options = RunOptions {
            files: files.into_iter().map(|file| file.path).collect(),
            seed: self.options.seed,
            filters: vec![Filter::parse(name)?],
            ..RunOptions::default()
        };
        let mut report = run(&options, |_| {});
        report.files.retain(|file| !file.tests.is_empty() || file.load_error.is_some());
        let text = render(&report, Format::Pretty, false).trim_end().to_string();
        if report.exit_code() == 0 { Ok(Reply::Text(text)) } else { Err(text) }
    }
}
