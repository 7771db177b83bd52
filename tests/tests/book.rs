//! Every schema block of the book and the README compiles.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::Path;

use blinkblox_compiler::compile;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;

/// The `blink` blocks of a page, with the line each starts on.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut open {
            None if line.trim() == "```blink" => open = Some((number + 1, String::new())),
            Some(_) if line.trim() == "```" => found.extend(open.take()),
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    found
}

#[test]
fn schema_blocks_compile() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = std::fs::read_dir(root.join("docs/src")).unwrap().map(|entry| entry.unwrap().path());
    let mut count = 0;
    for page in pages.chain([root.join("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        for (line, block) in blocks(&text) {
            let loader = MemoryLoader::new().with("page.blink", block);
            let compilation = compile(&loader, "page.blink", Profile::Release);
            let errors: Vec<&String> =
                compilation.analysis.diagnostics.iter().map(|diagnostic| &diagnostic.headline).collect();
            assert!(compilation.outputs.is_some(), "{}:{line}: {errors:?}", page.display());
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} schema blocks were found");
}
