//! Keeping outputs in step with schemas: what was compiled from what, and what a change asks for. Source: tooling
//! specification, 2.11 and 12.1.
//!
//! [`Watching`] knows nothing of notifications: [`Watching::round`] looks at the files themselves, so that a driver may
//! call it whenever it likes. [`files`] tells when; [`placement`] says where outputs land.

pub mod files;
pub mod placement;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use blinkblox_compiler::diagnostics::{Diagnostic, json};
use blinkblox_compiler::source::SourceLoader;

use crate::commands::compile::{Compiled, compile, whole};
use crate::commands::flags::Verdicts;
use crate::loader::{DiskLoader, digest, forward};
use crate::printer::Printer;
use crate::schemas::Named;
use crate::writer::{self, Wishes};
use files::content;
use placement::Placement;

/// What a watching run is asked for.
pub struct Settings {
    /// Schemas, each with its profile.
    pub schemas: Vec<Named>,
    /// The Rojo project they belong to.
    pub project: Option<PathBuf>,
    /// Whether nothing is written.
    pub check: bool,
    /// Whether a file that no build has written may be replaced.
    pub replaces_foreign: bool,
    /// What becomes of warnings.
    pub verdicts: Verdicts,
}

/// Schemas and how they stand.
pub struct Watching {
    settings: Settings,
    /// One a schema, in the same order.
    states: Vec<State>,
}

#[derive(Default)]
struct State {
    /// Every path the last compile asked for, and what was there: imports that are missing too.
    inputs: BTreeMap<PathBuf, Option<u64>>,
    /// What the last compile reported, when it failed.
    failure: Option<Vec<Diagnostic>>,
    /// Files of the unit besides the schema itself.
    imports: usize,
    /// The whole path of the schema.
    entry: PathBuf,
    /// The whole paths of the outputs it writes, since its last compile that succeeded.
    outputs: Vec<PathBuf>,
    /// What is in them, as far as was seen: [`seen`]. When they could not be written, what was in their places.
    held: BTreeMap<PathBuf, Option<u64>>,
    /// How often they were written again because somebody else had changed them, since a file of the unit changed.
    restored: u32,
    /// Those it would write, did not another schema.
    wanted: Vec<PathBuf>,
    /// Where the outputs land, in words.
    places: Vec<String>,
    /// The base name of its remotes in the project, and the place that says so.
    scope: Option<(String, String)>,
    /// That base name, when the last compile failed while another schema had it as well.
    shares: Option<String>,
}

/// How often outputs are written again that somebody else changes, before that is left to them.
const MOST_RESTORED: u32 = 8;

/// What a round came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Schemas compiled.
    pub compiled: usize,
    /// Those that failed.
    pub failed: usize,
}

impl Watching {
    /// Nothing is compiled before the first round.
    pub fn new(settings: Settings) -> Watching {
        let states = settings.schemas.iter().map(|_| State::default()).collect();
        Watching { settings, states }
    }

    /// Compiles every schema of which some file differs from what it was compiled from, and those whose outputs somebody
    /// else has deleted or edited. A save that leaves the bytes as they were starts nothing.
    pub fn round(&mut self, printer: &Printer) -> Round {
        let mut round = Round::default();
        for index in 0..self.states.len() {
            let state = &self.states[index];
            let changed =
                state.inputs.is_empty() || state.inputs.iter().any(|(path, before)| content(path) != *before);
            if changed || self.is_freed(index) || self.is_to_restore(index, printer) {
                if changed {
                    self.states[index].restored = 0;
                }
                round.compiled += 1;
                round.failed += usize::from(!self.compile(index, printer));
            }
        }
        // An output that a later schema let go of. Each compile takes what it waited for, so this ends.
        while let Some(index) = (0..self.states.len()).find(|index| self.is_freed(*index)) {
            round.compiled += 1;
            round.failed += usize::from(!self.compile(index, printer));
        }
        round
    }

    /// Whether outputs of a schema are to be written again, of which a line each is said.
    fn is_to_restore(&mut self, index: usize, printer: &Printer) -> bool {
        let state = &mut self.states[index];
        let mut touched = Vec::new();
        for (path, before) in &mut state.held {
            let now = seen(path);
            if now != *before {
                // One that stays as it is, because the schema is broken say, is told of once.
                *before = now;
                touched.push((path.clone(), now.is_none()));
            }
        }
        if touched.is_empty() || state.restored > MOST_RESTORED {
            return false;
        }
        let fails = state.failure.is_some();
        // Only what is written can be undone without end.
        state.restored += u32::from(!fails);
        let gives_up = state.restored > MOST_RESTORED;
        let loader = DiskLoader::new();
        for (path, is_gone) in touched {
            let done = if is_gone { "was deleted" } else { "was edited" };
            let what = match (gives_up, fails) {
                (true, _) => "again, and stays so until the schema changes: something else keeps writing it",
                (false, true) => "and is written anew once the errors are gone",
                (false, false) => "and is written anew",
            };
            printer.progress(&format!("{} {} {done} {what}", time_of_day(), loader.shown(&forward(&path))));
        }
        !gives_up
    }

    /// Whether a schema that waits for outputs of others, or for the base name of its remotes, can have them now.
    fn is_freed(&self, index: usize) -> bool {
        let State { wanted, shares, .. } = &self.states[index];
        let has_outputs = !wanted.is_empty() && !wanted.iter().any(|path| self.holder(path, index).is_some());
        has_outputs || shares.as_ref().is_some_and(|base| self.scope_holder(index, base).is_none())
    }

    /// Which other schema writes an output.
    fn holder(&self, output: &Path, but: usize) -> Option<usize> {
        let mut states = self.states.iter().enumerate().filter(|(index, _)| *index != but);
        states.find(|(_, state)| state.outputs.iter().any(|path| path == output)).map(|(index, _)| index)
    }

    /// What a schema has against outputs of another.
    fn clash(&self, index: usize, compiled: &Compiled) -> Option<Diagnostic> {
        let own = (whole(&compiled.entry), self.settings.schemas[index].profile);
        compiled.files.iter().find_map(|(path, _)| {
            let holder = self.holder(&whole(path), index)?;
            let other = (self.states[holder].entry.clone(), self.settings.schemas[holder].profile);
            compiled.clash(path, &own, &other)
        })
    }

    /// The place of another schema whose remotes have a base name.
    fn scope_holder(&self, but: usize, base: &str) -> Option<&str> {
        let entry = &self.states[but].entry;
        let others = self.states.iter().enumerate().filter(|(at, state)| *at != but && state.entry != *entry);
        let mut scopes = others.filter_map(|(_, state)| state.scope.as_ref());
        scopes.find(|scope| scope.0 == base).map(|(_, place)| place.as_str())
    }

    /// Schemas whose last compile failed.
    pub fn failing(&self) -> usize {
        self.states.iter().filter(|state| state.failure.is_some()).count()
    }

    /// Every file a change of which asks for a round: those read, and the outputs.
    pub fn inputs(&self) -> BTreeSet<PathBuf> {
        let of = |state: &State| state.inputs.keys().chain(state.held.keys()).cloned().collect::<Vec<_>>();
        self.states.iter().flat_map(of).collect()
    }

    /// What is watched, and where the outputs land: a line each.
    pub fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (named, state) in self.settings.schemas.iter().zip(&self.states) {
            let imports = match state.imports {
                0 => String::new(),
                1 => " and 1 imported file".to_string(),
                count => format!(" and {count} imported files"),
            };
            lines.push(format!("Watching {}{imports}", named.path));
            lines.extend(state.places.iter().map(|place| format!("  {place}")));
        }
        lines
    }

    /// Compiles one schema and writes its outputs; false when it failed, and its last good outputs stay.
    fn compile(&mut self, index: usize, printer: &Printer) -> bool {
        let started = Instant::now();
        // What is read from here on is compared with what is there later: a change in between is not lost.
        let project = self.settings.project.as_ref().map(|project| (project.clone(), content(project)));
        let named = self.settings.schemas[index].clone();
        let mut compiled = compile(&named.path, named.profile, None, |_| {});
        let placement = self.placement(&mut compiled);
        let is_in =
            placement.as_ref().is_some_and(|placement| compiled.is_sound() && placement.holds(&compiled));
        let scope = compiled.scope.as_ref().filter(|_| is_in);
        let scope = scope.map(|scope| (scope.base.clone(), compiled.scope_place()));
        self.states[index].entry = whole(&compiled.entry);
        let other = scope.as_ref().and_then(|(base, _)| self.scope_holder(index, base));
        let shared = other.and_then(|place| compiled.shared_scope(place));
        let shares = scope.as_ref().filter(|_| shared.is_some()).map(|(base, _)| base.clone());
        compiled.diagnostics.extend(shared);
        compiled.judge(&self.settings.verdicts);
        let outputs: Vec<PathBuf> = compiled.files.iter().map(|(path, _)| whole(path)).collect();
        let clash = self.clash(index, &compiled);
        let is_held = clash.is_some();
        compiled.diagnostics.extend(clash);
        let denied = self.settings.verdicts.refuse(&compiled.diagnostics);
        let sound = compiled.is_sound() && !denied && !compiled.diagnostics.iter().any(Diagnostic::is_error);
        let mut written = None;
        let mut in_the_way = None;
        if sound && !self.settings.check {
            let before: BTreeMap<_, _> = outputs.iter().map(|path| (path.clone(), seen(path))).collect();
            let wishes = Wishes { asks: false, replaces_foreign: self.settings.replaces_foreign };
            match writer::write(&compiled.files, wishes) {
                Ok(done) => written = Some(done),
                Err(diagnostic) => {
                    compiled.diagnostics.push(*diagnostic);
                    in_the_way = Some(before);
                }
            }
        }
        let sound = sound && (written.is_some() || self.settings.check);
        let failed_before = self.states[index].failure.is_some();
        let told = self.states[index].failure.as_ref() == Some(&compiled.diagnostics);
        if !compiled.diagnostics.is_empty() && !told {
            printer.diagnostics(&compiled.diagnostics, &compiled.sources);
        }
        if printer.is_document() {
            printer.document(&document(&named, &compiled, written.is_some(), sound, printer));
        }
        if sound {
            let what = match written {
                Some(written) => written.text(),
                None => "The schema is valid; nothing was written".to_string(),
            };
            let again = if failed_before { ", and the errors are gone" } else { "" };
            let took = started.elapsed().as_millis();
            printer.progress(&format!("{} {}: {what}{again} ({took} ms)", time_of_day(), named.path));
        }
        let places = placement.map(|placement| places(&placement, &compiled)).unwrap_or_default();
        let state = &mut self.states[index];
        let asked = compiled.asked.iter().map(|(path, digest)| (PathBuf::from(path), *digest));
        state.inputs = asked.chain(project).collect();
        state.imports = compiled.sources.files().len().saturating_sub(1);
        if compiled.is_sound() {
            state.places = places;
            state.scope = scope;
        }
        state.shares = shares.filter(|_| !sound);
        state.wanted.clear();
        if is_held {
            state.wanted = outputs;
            state.outputs.clear();
            state.held.clear();
        } else if sound {
            // One with errors keeps what it wrote last.
            state.outputs = outputs;
            // What was written, and not what is there by now: a change in between is not lost.
            let texts = compiled.files.iter().filter(|_| !self.settings.check);
            let held = texts.map(|(path, text)| (whole(path), Some(digest(text.as_bytes()))));
            state.held = held.collect();
        } else if let Some(before) = in_the_way {
            // Somebody may clear the way.
            state.held = before;
        }
        state.failure = (!sound).then_some(compiled.diagnostics);
        sound
    }

    /// The project, and what it has against the outputs, which is added to the compile's diagnostics.
    fn placement(&self, compiled: &mut Compiled) -> Option<Placement> {
        let project = self.settings.project.as_deref()?;
        match Placement::of(project) {
            Ok(placement) => {
                let placement = placement?;
                if compiled.is_sound() {
                    compiled.diagnostics.extend(placement.check(compiled));
                }
                Some(placement)
            }
            Err(problem) => {
                compiled.diagnostics.push(bad_project(project, &problem));
                None
            }
        }
    }
}

/// What stands at the path of an output: [`content`] of a file, 0 for anything else, such as a folder; none when nothing
/// does.
fn seen(path: &Path) -> Option<u64> {
    content(path).or_else(|| path.symlink_metadata().is_ok().then_some(0))
}

/// What a compile came to, for a program that follows.
fn document<'n>(
    named: &'n Named,
    compiled: &Compiled,
    is_written: bool,
    success: bool,
    printer: &Printer,
) -> json::Report<'n> {
    let written = compiled.files.iter().filter(|_| is_written);
    json::Report {
        success,
        outputs: written.map(|(path, _)| compiled.shown(path)).collect(),
        diagnostics: printer.values(&compiled.diagnostics, &compiled.sources),
        profile: named.profile.text(),
        signature: compiled.signature.clone().filter(|_| success),
        extra: vec![("schema", compiled.shown(&compiled.entry).into())],
    }
}

fn places(placement: &Placement, compiled: &Compiled) -> Vec<String> {
    let place = |option: &crate::commands::compile::OutputOption| {
        let at = placement.of_file(Path::new(&option.path))?.join(".");
        Some(format!("{} is {at}", placement::module(option)))
    };
    compiled.options.iter().filter_map(place).collect()
}

fn bad_project(project: &Path, problem: &str) -> Diagnostic {
    use blinkblox_compiler::diagnostics::Code;
    let shown = forward(project);
    Diagnostic::error(Code::FileUnreadable, format!("the project \"{shown}\" cannot be used"))
        .about_file(shown)
        .note(problem.lines().next().unwrap_or_default().to_string())
}

/// Hours, minutes and seconds of the day, in UTC.
#[expect(clippy::disallowed_methods, reason = "a line for a person watching; nothing made depends on it")]
fn time_of_day() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let second = since.as_secs() % 86_400;
    format!("{:02}:{:02}:{:02} UTC", second / 3600, second / 60 % 60, second % 60)
}
