//! The book and the README: every schema in them compiles, every piece of Luau runs, every link leads somewhere, and
//! what the tool itself says on a page is what it says today.
//!
//! | Block | Held to |
//! |---|---|
//! | `blink` | compiles; it begins an example, and is its entry `net/game.blink` |
//! | `blink PATH` | another schema of the example |
//! | `blink ... as-written` | likewise, in a layout of its own: every other schema is in the canonical one |
//! | `blink E3007` | does not compile, with that code; with a `W`, compiles with that warning |
//! | `luau server`, `luau client` | the example's `init` script of that side, whose child is `Net` |
//! | `luau PATH` | another file of the example |
//! | `luau spec` | run as a spec of the example, and passes; an example without one is played for four seconds |
//! | `luau` | run as a spec when it declares tests, else it must parse |
//! | `LANGUAGE listing PATH` | the file `docs/listings/PATH`, or with a leading `/` one of the repository, as it is; a schema of the former is played |
//! | `sizes` | `blinkblox size` of the schema above |
//! | `bytes NAME` | where each field of the last such event lay in the example's last run |
//! | `output` | what the sides of the example's last run printed |
//! | `console` | a command of the quick start and what it prints: `cli/tests/commands/quick_start.rs` walks that page |
//! | `api NAME` | the members of that declaration in the modules of the schema above |
//! | `changes` | `blinkblox diff` of the last two schemas above |
//! | `reader NAME` | how the server's module reads that event |
//!
//! Between `<!-- table NAME -->` and `<!-- end -->` stands a table of the code's own, of `tables.rs`.
//! `BLINKBLOX_UPDATE=1 cargo test -p blinkblox-tests --test book` writes those parts of the pages anew, and makes
//! `llms-full.txt` and `llms-small.txt`, which are published and not kept.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod api;
mod examples;
mod figures;
mod links;
mod members;
mod tables;
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind};

use blinkblox_tests::book as pages;

/// Holds a file of the repository to what it should be, or writes it.
fn hold(file: &std::path::Path, found: &str, wanted: &str) {
    pages::hold(file, found, wanted, "-p blinkblox-tests --test book");
}

#[test]
fn examples_run_and_pages_say_what_the_tool_says() {
    let (mut schemas, mut runs) = (0, 0);
    let mut faulty = Vec::new();
    for page in &pages::all() {
        // Every page has its say: what went wrong stands in the output.
        let played = catch_unwind(AssertUnwindSafe(|| {
            let played = examples::play(page, &tables::fill(page));
            hold(&page.file, &page.text, &played.text);
            played
        }));
        match played {
            Ok(played) => {
                schemas += played.schemas;
                runs += played.runs;
            }
            Err(_) => faulty.push(page.shown().to_owned()),
        }
    }
    assert!(faulty.is_empty(), "not as they should be: {}", faulty.join(", "));
    assert!(schemas >= 5 && runs >= 5, "only {schemas} schemas and {runs} runs were found");
}

/// Schemas that people read and copy, beside those on pages, and those that figures are measured with.
#[test]
fn schemas_of_examples_and_templates_are_in_the_canonical_layout() {
    fn collect(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "blink") {
                found.push(path);
            }
        }
    }
    let mut schemas = Vec::new();
    for folder in ["examples", "cli/templates", "docs/listings", "benches", "tests/trace"] {
        collect(&pages::root().join(folder), &mut schemas);
    }
    assert!(schemas.len() > 20, "only {} schemas were found", schemas.len());
    for file in schemas {
        let text = std::fs::read_to_string(&file).unwrap().replace("\r\n", "\n");
        hold(&file, &text, &examples::laid_out(&text));
    }
}

#[test]
fn the_page_of_the_emulated_surface_is_that_of_the_tables() {
    let file = pages::book().join("surface.md");
    let found = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    hold(&file, &found, &blinkblox_emulator::surface::page::text().unwrap());
}

#[test]
fn texts_for_machines_follow_the_book() {
    let file = pages::book().join("llms.txt");
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    hold(&file, &found, &texts::overview(&pages::all()));
}
