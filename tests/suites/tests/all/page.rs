//! The page of the book that lists suites, counts and reasons says what the tests check.

use std::fmt::Write;

use blinkblox_emulator::shared::SignalMode;

use crate::table::SUITES;

/// The part of the page that follows from the table.
fn expected() -> String {
    let mut out = String::from(
        "| Suite | Comes in | Tests | Skipped by its author | Pass, immediate signals | Pass, deferred signals |\n|---|---|---|---|---|---|\n",
    );
    for suite in SUITES {
        let (immediate, deferred) =
            (suite.passing(SignalMode::Immediate), suite.passing(SignalMode::Deferred));
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {immediate} | {deferred} |",
            suite.name, suite.package, suite.tests, suite.skipped
        );
    }
    for suite in SUITES {
        for failures in suite.failures {
            let under = match failures.under {
                Some(SignalMode::Immediate) => " under immediate signals",
                Some(SignalMode::Deferred) => " under deferred signals",
                None => "",
            };
            let _ = writeln!(out, "\n**{}**{under}. {}\n", suite.name, failures.reason);
            for test in failures.tests {
                let _ = writeln!(out, "- {test}");
            }
        }
    }
    out
}

#[test]
fn the_page_says_what_the_table_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/compatibility.md");
    let page = std::fs::read_to_string(file).unwrap().replace("\r\n", "\n");
    let expected = expected();
    assert!(page.contains(&expected), "docs/src/compatibility.md has to hold:\n\n{expected}");
}
