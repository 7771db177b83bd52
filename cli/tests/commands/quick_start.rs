//! The quick start of the book, walked: its files are written and its commands run in one fresh folder, in the order of the
//! page, and print what it shows. `BLINKBLOX_UPDATE=1` writes what they print into the page.

use std::fs;
use std::path::Path;

use blinkblox_tests::book::{Fence, Piece, book, join, pieces, update};
use tempfile::TempDir;

use crate::support::{blinkblox, err, out};

/// Real times differ from run to run: `0.39 s` at the end of a summary and `45 ms` behind a test.
fn timeless(text: &str) -> String {
    let milliseconds = regex::Regex::new(r"\b\d+ ms$").unwrap();
    let seconds = regex::Regex::new(r"(seed \d+), \d+\.\d\d s$").unwrap();
    let lines = text.lines().map(|line| {
        let line = milliseconds.replace(line, "_ ms");
        seconds.replace(&line, "$1, _ s").into_owned() + "\n"
    });
    lines.collect()
}

/// Neither: the line where a module differs is another one with every change of what is emitted. An update shows it anew.
fn lineless(text: &str) -> String {
    regex::Regex::new(r"\(line \d+\)").unwrap().replace_all(&timeless(text), "(line _)").into_owned()
}

/// Where a block of the page is written, if it is a file.
fn file_of(info: &str) -> Option<&'static str> {
    match info {
        "blink" => Some("net/game.blink"),
        "luau server" => Some("src/server/init.server.luau"),
        "luau client" => Some("src/client/init.client.luau"),
        "luau spec" => Some("specs/game.spec.luau"),
        _ => None,
    }
}

/// Makes the changes that prose asks for: `<!-- change FILE: `OLD` to `NEW` -->`.
fn change(game: &Path, prose: &str) -> usize {
    let asked = regex::Regex::new(r"<!-- change (\S+): `(.*)` to `(.*)` -->").unwrap();
    let mut count = 0;
    for found in asked.captures_iter(prose) {
        let file = game.join(&found[1]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains(&found[2]), "{} is not in {}", &found[2], &found[1]);
        fs::write(file, text.replacen(&found[2], &found[3], 1)).unwrap();
        count += 1;
    }
    count
}

/// Runs the command of a block and gives the block with what it prints.
fn run(place: &TempDir, fence: &Fence) -> String {
    let command = fence.body.lines().next().unwrap();
    let words: Vec<&str> = command.strip_prefix("$ blinkblox ").unwrap().split(' ').collect();
    let game = place.path().join("my-game");
    let output = blinkblox(if game.exists() { &game } else { place.path() }, &words);
    assert_eq!(err(&output), "", "{command}");
    format!("{command}\n{}", out(&output))
}

#[test]
fn the_quick_start_goes_as_it_says() {
    let page = book().join("quick-start.md");
    let text = fs::read_to_string(&page).unwrap().replace("\r\n", "\n");
    let place = tempfile::tempdir().unwrap();
    let game = place.path().join("my-game");
    let mut pieces = pieces(&text);
    let (mut commands, mut changes) = (0, 0);
    for piece in &mut pieces {
        match piece {
            Piece::Prose(prose) => changes += change(&game, prose),
            Piece::Fence(fence) if fence.info == "console" => {
                commands += 1;
                let printed = run(&place, fence);
                let is_shown = lineless(&printed) == lineless(&fence.body);
                let (line, shown) = (fence.line, &fence.body);
                assert!(is_shown || update(), "quick-start.md:{line} shows\n{shown}\nand it is\n{printed}");
                if timeless(&printed) != timeless(&fence.body) {
                    fence.body = printed;
                }
            }
            Piece::Fence(fence) => {
                if let Some(file) = file_of(&fence.info) {
                    fs::write(game.join(file), &fence.body).unwrap();
                }
            }
        }
    }
    assert!(commands >= 7 && changes == 2, "only {commands} commands and {changes} changes were found");
    if update() {
        fs::write(page, join(&pieces)).unwrap();
    }
}
