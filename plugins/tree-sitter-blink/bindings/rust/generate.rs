//! Makes `src/parser.c` and its like of `grammar.js`, or, with `--check`, says whether they are what it would make.
//!
//! Runs `grammar.js` with Node.js.

use std::path::Path;
use std::process::ExitCode;

use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// The version of the tables: one that every editor reads.
const ABI: usize = 14;
/// What is made.
const MADE: [&str; 3] = ["grammar.json", "node-types.json", "parser.c"];

fn main() -> ExitCode {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = std::env::args().any(|argument| argument == "--check");
    let out = if check {
        std::env::temp_dir().join(format!("blink-{}", std::process::id()))
    } else {
        own.join("src")
    };
    let made = generate_parser_in_directory(
        own,
        Some(out.clone()),
        None::<&Path>,
        ABI,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut Vec::new(),
    );
    if let Err(error) = made {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    if !check {
        return ExitCode::SUCCESS;
    }
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).ok();
    let stale: Vec<&str> =
        MADE.into_iter().filter(|name| read(&out, name) != read(&own.join("src"), name)).collect();
    let _ = std::fs::remove_dir_all(&out);
    if stale.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "stale: {stale:?}. `cargo run -p tree-sitter-blink --features generate --bin generate` makes them anew."
    );
    ExitCode::FAILURE
}
