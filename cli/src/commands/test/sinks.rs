//! Where reports go: each reporter to standard output as the run goes on, or to a file at the end.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use blinkblox_emulator::testing::report::{FileReport, RunReport};
use blinkblox_emulator::testing::reporters::{Format, Stream, github, render};

use crate::commands::emulation::{Fault, write};
use crate::printer::print_out;

/// One reporter.
pub(super) struct Sink {
    format: Format,
    file: Option<PathBuf>,
}

/// Every reporter of a run.
pub(super) struct Sinks {
    sinks: Vec<Sink>,
    colour: bool,
    /// Whether what is told to people of tests that pass is left out.
    quiet: bool,
    streams: Vec<Stream>,
}

impl Sinks {
    /// The reporters the arguments name. Errors: there is none of that name, or two write to standard output one
    /// document each.
    ///
    /// `others` are files that the run writes beside reports: none may be a report's.
    pub(super) fn of(names: &[String], others: &[&Path], colour: bool) -> Result<Sinks, Fault> {
        let mut sinks = names.iter().map(|text| Sink::parse(text)).collect::<Result<Vec<_>, _>>()?;
        if sinks.is_empty() {
            sinks.push(Sink { format: Format::Pretty, file: None });
            if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
                sinks.push(Sink { format: Format::Github, file: None });
            }
        }
        let is_document = |sink: &&Sink| {
            let whole = matches!(sink.format, Format::Json | Format::Junit | Format::Tap);
            sink.file.is_none() && whole
        };
        let printed = sinks.iter().filter(|sink| sink.file.is_none() && sink.format != Format::Silent);
        if let Some(document) = sinks.iter().find(is_document).filter(|_| printed.count() > 1) {
            let name = document.format.name();
            return Err(Fault::usage(format!(
                "--reporter {name} writes a document of its own to standard output: write one to a file, {name}=FILE"
            )));
        }
        let mut files = BTreeSet::new();
        let reports = sinks.iter().filter_map(|sink| sink.file.as_deref());
        // A device takes what it is given, from whomever.
        let mut written =
            others.iter().copied().chain(reports).filter(|file| !file.exists() || file.is_file());
        if let Some(twice) = written.find(|file| !files.insert(whole(file))) {
            let file = twice.display();
            return Err(Fault::usage(format!("two reports go to {file}: give each a file of its own")));
        }
        Ok(Sinks { sinks, colour, quiet: false, streams: Vec::new() })
    }

    /// The same reporters; when `quiet`, nothing for people about tests that pass.
    pub(super) fn quietly(self, quiet: bool) -> Sinks {
        Sinks { quiet, ..self }
    }

    /// The same reporters for another run.
    pub(super) fn again(&self) -> Sinks {
        let sinks = self.sinks.iter().map(|sink| Sink { format: sink.format, file: sink.file.clone() });
        Sinks { sinks: sinks.collect(), colour: self.colour, quiet: self.quiet, streams: Vec::new() }
    }

    /// Before the first file.
    pub(super) fn begin(&mut self) {
        let printed = self.sinks.iter().filter(|sink| sink.file.is_none());
        self.streams = printed.map(|sink| Stream::new(sink.format, self.colour)).collect();
        for stream in &self.streams {
            print_out(&stream.begin());
        }
    }

    /// A file has run.
    pub(super) fn file(&mut self, run: &RunReport, file: &FileReport) {
        let failed = self.quiet.then(|| failures(run, file));
        for stream in &mut self.streams {
            match &failed {
                Some(Some(failed)) if stream.is_for_people() => print_out(&stream.file(run, failed)),
                Some(None) if stream.is_for_people() => {}
                Some(_) | None => print_out(&stream.file(run, file)),
            }
        }
    }

    /// The run is over. Errors: a file cannot be written.
    pub(super) fn end(&mut self, run: &RunReport) -> Result<(), Fault> {
        for stream in &self.streams {
            if !run.is_success() || !self.quiet || !stream.is_for_people() {
                print_out(&stream.end(run));
            }
        }
        for sink in &self.sinks {
            if let Some(file) = &sink.file {
                write(file, render(run, sink.format, false).as_bytes())?;
            }
        }
        match std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
            Some(path) if self.sinks.iter().any(|sink| sink.format == Format::Github) => {
                let path = PathBuf::from(path);
                let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
                file.and_then(|mut file| file.write_all(github::summary(run).as_bytes())).map_err(|error| {
                    Fault::usage(format!(
                        "{} cannot be written: {}",
                        path.display(),
                        blinkblox_emulator::shared::in_words(&error)
                    ))
                })
            }
            _ => Ok(()),
        }
    }
}

/// What failed of a file; `None` when nothing did.
fn failures(run: &RunReport, file: &FileReport) -> Option<FileReport> {
    let tests: Vec<_> = file.tests.iter().filter(|test| run.is_failure(test)).cloned().collect();
    let failed = file.load_error.is_some() || !tests.is_empty();
    let load_error = file.load_error.clone();
    failed.then(|| FileReport { path: file.path.clone(), tests, load_error, ..FileReport::default() })
}

/// One spelling of a path.
fn whole(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    path.canonicalize().unwrap_or_else(|_| blinkblox_emulator::testing::director::normalise(&path))
}

impl Sink {
    fn parse(text: &str) -> Result<Sink, Fault> {
        let (name, file) = match text.split_once(['=', ':']) {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = Format::parse(name).ok_or_else(|| {
            let known = Format::ALL.map(Format::name).join(", ");
            Fault::usage(format!("there is no reporter `{name}`: {known}"))
        })?;
        if file.as_ref().is_some_and(|file| file.as_os_str().is_empty()) {
            return Err(Fault::usage(format!("--reporter {text} names no file")));
        }
        Ok(Sink { format, file })
    }
}
