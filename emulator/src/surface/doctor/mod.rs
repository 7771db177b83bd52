//! What the scripts of a project use that the emulator lacks or does otherwise.
//!
//! Scripts are parsed, not run. [`types`] says what can be known of an expression: services, instances made by class,
//! annotated variables, players that events hand out, datatypes. What is known to be of a class is looked up in the
//! tables; a call on something unknown is spoken of only if no class that is emulated, and no function of the project,
//! has a member of the name.

mod read;
mod types;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::datamodel::scripts;
use crate::datamodel::store::GAME;
use crate::game;
use crate::peer::ScriptTree;
use crate::project::mount;

/// How sure the doctor is, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Roblox has it and the emulator has not.
    Missing,
    /// Neither has it.
    Unknown,
    /// The emulator has it and does something else.
    Partial,
    /// It looks like a member that is missing, of something whose class is not known.
    Perhaps,
}

impl Grade {
    /// The grade's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Missing => "missing",
            Grade::Unknown => "unknown",
            Grade::Partial => "partial",
            Grade::Perhaps => "perhaps",
        }
    }
}

/// One use of a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file the script came from.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Full name of the script.
    pub script: String,
    /// The class that declares the member, or a datatype, or `global`.
    pub class: String,
    /// Its name.
    pub member: String,
    /// How sure it is.
    pub grade: Grade,
    /// What the emulator does instead, for people.
    pub instead: String,
}

impl Finding {
    /// Where the engine's reference describes the member; nothing for what is no member of a class.
    pub fn reference(&self) -> Option<String> {
        let known = crate::datamodel::classes::class_by_name(&self.class).is_some();
        (known && self.grade != Grade::Unknown).then(|| super::reference(&self.class, &self.member))
    }
}

/// A script of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRow {
    /// Full name.
    pub name: String,
    /// The file it came from.
    pub file: PathBuf,
    /// Where it runs, for people: `on the server`.
    pub runs: &'static str,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All scripts, in the order of the tree.
    pub scripts: Vec<ScriptRow>,
    /// What they use, by file and line.
    pub findings: Vec<Finding>,
    /// Scripts of which a part could not be read, with why.
    pub unread: Vec<(String, String)>,
    /// What is doubtful about the project itself.
    pub warnings: Vec<String>,
}

impl Report {
    /// How many findings are of a grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.findings.iter().filter(|finding| finding.grade == grade).count()
    }
}

/// Loads a project, place or folder and reads its scripts. Errors: a text for people, when it cannot be loaded.
pub fn examine(path: &Path) -> Result<Report, String> {
    let (fixture, _) = game::fixture(path, None)?;
    let built = fixture.build()?;
    let mounted = mount::mount(&built.tree, true).map_err(|problem| problem.to_string())?;
    let mut report = Report {
        warnings: built.tree.warnings.iter().map(ToString::to_string).collect(),
        ..Report::default()
    };
    let model = crate::datamodel::DataModel::with_store(mounted.store);
    let mut sources = Vec::new();
    let ids = model.store().descendants(GAME);
    for id in ids {
        // A module without a file was compiled from a schema just now: it is ours.
        let (Some(file), Some(source)) = (mounted.files.get(&id), model.source_of(id)) else { continue };
        let (name, runs, class) = {
            let store = model.store();
            (store.full_name(id), scripts::where_it_runs(&store, id), store.class(id))
        };
        report.scripts.push(ScriptRow { name: name.clone(), file: file.clone(), runs });
        sources.push((name, file.clone(), class, source));
    }
    let own: BTreeSet<String> = sources.iter().flat_map(|(.., source)| read::own_functions(source)).collect();
    for (name, file, class, source) in &sources {
        let read = read::uses(source, *class, &own);
        if let Some(why) = read.unread {
            report.unread.push((name.clone(), why));
        }
        report.findings.extend(read.uses.into_iter().map(|found| Finding {
            file: file.clone(),
            line: found.line,
            script: name.clone(),
            class: found.class,
            member: found.member,
            grade: found.grade,
            instead: found.instead,
        }));
    }
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_read_with_its_places() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        write(
            "default.project.json",
            r#"{ "name": "p", "tree": { "$className": "DataModel",
                "ServerScriptService": { "$path": "src" } } }"#,
        );
        write("src/main.server.luau", "local part = Instance.new('Part')\npart:ApplyImpulse(Vector3.one)\n");
        write("src/helper.luau", "return {}\n");
        let report = examine(folder.path()).unwrap();
        let rows: Vec<(&str, &str)> =
            report.scripts.iter().map(|row| (row.name.as_str(), row.runs)).collect();
        assert_eq!(
            rows,
            [
                ("ServerScriptService.helper", "when it is required"),
                ("ServerScriptService.main", "on the server")
            ]
        );
        assert_eq!(report.findings.len(), 1);
        let finding = &report.findings[0];
        assert!(finding.file.ends_with("src/main.server.luau"));
        assert_eq!((finding.line, finding.grade, report.count(Grade::Missing)), (2, Grade::Missing, 1));
        assert_eq!(
            finding.reference().unwrap(),
            "https://create.roblox.com/docs/reference/engine/classes/BasePart#ApplyImpulse"
        );
        assert!(report.unread.is_empty() && report.warnings.is_empty());
        assert!(examine(&folder.path().join("none")).is_err());
    }
}
