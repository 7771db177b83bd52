//! `blinkblox explain CODE`: what a code protects against, an example that raises it, and the same example mended.

use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, json, suggest};
use blinkblox_compiler::explain;
use blinkblox_emulator::shared::DiagnosticCode;
use clap::Parser;
use serde_json::json;

use super::flags::ReportFlags;
use super::usage;
use crate::printer::Printer;

/// Explains a code: what it protects against, an example that raises it, the same example fixed.
#[derive(Parser)]
pub struct Explain {
    /// The code, as in E3004, AnalyzeDuplicateMember or E-MIXED
    #[arg(value_name = "CODE")]
    code: String,
    #[command(flatten)]
    report: ReportFlags,
}

impl Explain {
    /// Prints the page of the code.
    pub fn run(self) -> ExitCode {
        explain(&self.code, &self.report)
    }
}

/// Prints the page of a code, or says which code was probably meant.
pub fn explain(text: &str, flags: &ReportFlags) -> ExitCode {
    let printer = match flags.printer() {
        Ok(printer) => printer,
        Err(diagnostic) => return usage::refuse(*diagnostic, flags.format()),
    };
    if let Some(code) = DiagnosticCode::named(text) {
        return print(&printer, code.name(), code.name(), code.summary(), &code.page());
    }
    let Some(code) = explain::find(text) else {
        let known = Code::ALL.iter().flat_map(|code| [explain::title(*code), code.name()]);
        let known = known.chain(DiagnosticCode::ALL.iter().map(|code| code.name()));
        let near = suggest::nearest(text, known).map(|near| format!("Did you mean `{near}`?"));
        let refusal = usage::error(format!("there is no code `{text}`"))
            .opt_note(near)
            .note("A code is a letter and four digits, as a diagnostic prints it: E3004. Those of the emulator are words: E-MIXED.");
        return usage::refuse(refusal, flags.format());
    };
    print(&printer, explain::title(code), code.name(), explain::summary(code), explain::page(code))
}

fn print(printer: &Printer, code: &str, name: &str, summary: &str, text: &str) -> ExitCode {
    printer.result(text);
    let page = json!({ "code": code, "name": name, "summary": summary, "text": text });
    printer.document(&json::Report {
        success: true,
        profile: "release",
        extra: vec![("explain", page)],
        ..json::Report::default()
    });
    ExitCode::SUCCESS
}
