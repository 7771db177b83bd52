//! `blinkblox test --merge`: reports of several runs as one, in any form.

use std::path::PathBuf;

use blinkblox_emulator::testing::reporters::read;

use super::sinks::Sinks;
use crate::commands::emulation::Fault;

/// Joins the reports and writes the joined one. Gives the exit code the whole run would have had.
pub(super) fn execute(files: &[PathBuf], mut sinks: Sinks) -> Result<u8, Fault> {
    let mut reports = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|error| Fault::unreadable(file, &error))?;
        let report = read::parse(&text)
            .map_err(|problem| Fault::load(format!("{} is no report: {problem}", file.display())))?;
        reports.push(report);
    }
    let merged = read::merge(reports).map_err(Fault::usage)?;
    sinks.begin();
    for file in &merged.files {
        sinks.file(&merged, file);
    }
    sinks.end(&merged)?;
    Ok(merged.exit_code())
}
