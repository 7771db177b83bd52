//! `blinkblox emu`: about the emulator itself. `doctor` says what a project uses that it lacks.

use std::path::PathBuf;
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::counted;
use blinkblox_emulator::surface::doctor::{self, Finding, Grade, Report};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::emulation::{Fault, fault, fault_in_document, project_and_line};
use crate::printer::{print_out, say_err};

/// Ask about the emulator
#[derive(Args, Debug)]
#[command(after_help = CODES)]
pub struct Emu {
    #[command(subcommand)]
    question: Question,
}

const CODES: &str =
    "Exit codes: 0 nothing is missing, 1 something is, 2 wrong arguments, 3 the project cannot be loaded.";

#[derive(Subcommand, Debug)]
enum Question {
    Doctor(Doctor),
}

/// List the members of Roblox that a project's scripts use and the emulator lacks or does otherwise
#[derive(Args, Debug)]
#[command(after_help = CODES)]
struct Doctor {
    /// A folder with a Rojo project, a project file, or a place [default: the nearest one here or above]
    #[arg(value_name = "PROJECT")]
    path: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// List where each script runs, too
    #[arg(long)]
    scripts: bool,
}

impl Emu {
    /// Answers.
    pub fn run(self) -> ExitCode {
        let Question::Doctor(doctor) = self.question;
        match doctor.execute() {
            Ok(code) => code,
            Err(problem) if doctor.json => fault_in_document(&problem),
            Err(problem) => fault(&problem),
        }
    }
}

impl Doctor {
    fn execute(&self) -> Result<ExitCode, Fault> {
        let (project, line) = project_and_line(self.path.as_ref())?;
        if let Some(line) = line.filter(|_| !self.json) {
            say_err(&line);
        }
        let report = doctor::examine(&project).map_err(Fault::load)?;
        let text = if self.json { document(&report) } else { self.people(&report) };
        print_out(&text);
        let bad = report.count(Grade::Missing) + report.count(Grade::Unknown) + report.unread.len();
        Ok(if bad > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn people(&self, report: &Report) -> String {
        let mut out = String::new();
        if self.scripts {
            for script in &report.scripts {
                out.push_str(&format!("{} ({}): runs {}\n", script.name, script.file.display(), script.runs));
            }
            out.push('\n');
        }
        for finding in &report.findings {
            let grade = finding.grade.name();
            let (file, line, member) = (finding.file.display(), finding.line, member(finding));
            out.push_str(&format!("{file}:{line}: {grade}: {member}: {}\n", finding.instead));
            if let Some(page) = finding.reference() {
                out.push_str(&format!("    {page}\n"));
            }
        }
        for (script, why) in &report.unread {
            out.push_str(&format!("{script} could not be read: {why}\n"));
        }
        for warning in &report.warnings {
            out.push_str(&format!("warning: {warning}\n"));
        }
        if !report.findings.is_empty() {
            out.push('\n');
        }
        let counts = [Grade::Missing, Grade::Unknown, Grade::Partial, Grade::Perhaps]
            .map(|grade| format!("{} {}", report.count(grade), grade.name()));
        let scripts = counted(report.scripts.len(), "script");
        out.push_str(&format!("{scripts}: {}\n", counts.join(", ")));
        out
    }
}

fn member(finding: &Finding) -> String {
    match finding.class.as_str() {
        "global" => finding.member.clone(),
        class => format!("{class}.{}", finding.member),
    }
}

/// The report as one JSON document.
fn document(report: &Report) -> String {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "file": finding.file.display().to_string(),
                "line": finding.line,
                "script": finding.script,
                "class": finding.class,
                "member": finding.member,
                "grade": finding.grade.name(),
                "instead": finding.instead,
                "reference": finding.reference(),
            })
        })
        .collect();
    let scripts: Vec<Value> = report
        .scripts
        .iter()
        .map(|script| {
            json!({ "name": script.name, "file": script.file.display().to_string(), "runs": script.runs })
        })
        .collect();
    let unread: Vec<Value> =
        report.unread.iter().map(|(script, why)| json!({ "script": script, "why": why })).collect();
    let document = json!({
        "scripts": scripts,
        "findings": findings,
        "unread": unread,
        "warnings": report.warnings,
    });
    format!("{document}\n")
}
