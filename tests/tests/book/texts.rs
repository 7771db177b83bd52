//! The book as plain texts for programs that read: `llms.txt`, the contents with what each page is about; `llms-full.txt`,
//! every page; `llms-small.txt`, the pages that say what holds, without what the tool printed. The first lies in the
//! repository, the others are made with the site.

use super::links::links;
use blinkblox_tests::book::{Page, Piece, all, book, join, pieces, prose, root, update};

/// The contents: the summary's parts and pages, each page with its first sentence.
pub fn overview(pages: &[Page]) -> String {
    let by_name = |name: &str| pages.iter().find(|page| page.name == name).unwrap();
    let mut out = format!("# BlinkBlox\n\n> {}\n", opening(&by_name("introduction.md").text));
    for line in by_name("SUMMARY.md").text.lines() {
        if let Some(part) = line.strip_prefix("# ").filter(|part| *part != "Summary") {
            out.push_str(&format!("\n## {part}\n\n"));
        }
        for (_, words, target) in links(line).into_iter().filter(|link| link.2 != "introduction.md") {
            out.push_str(&format!("- [{words}]({target}): {}\n", opening(&by_name(&target).text)));
        }
    }
    out
}

/// Every page in the order of the summary, then what the benchmarks and the changelog say.
pub fn full(pages: &[Page]) -> String {
    let mut out = String::new();
    for page in in_order(pages) {
        out.push_str(&format!("<!-- {} -->\n\n{}\n", page.name, page.text.trim()));
        out.push('\n');
    }
    for name in ["benches/RESULTS.md", "CHANGELOG.md"] {
        let text = std::fs::read_to_string(root().join(name)).unwrap().replace("\r\n", "\n");
        out.push_str(&format!("<!-- {name} -->\n\n{}\n\n", text.trim()));
    }
    out
}

/// The pages alone, without those about other tools and without blocks that show what a tool printed: schemas, code, tables
/// and all that is said stay. Of the codes the table stays.
pub fn small(pages: &[Page]) -> String {
    const PRINTED: [&str; 7] = ["sizes", "bytes", "output", "changes", "reader", "console", "text"];
    let mut out = String::new();
    for page in in_order(pages).filter(|page| !page.name.contains('/')) {
        let text = page.text.split("<!-- table code-pages -->").next().unwrap_or_default();
        let mut kept = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Prose(prose) => kept.push_str(&prose),
                Piece::Fence(fence) => {
                    let language = fence.info.split(' ').next().unwrap_or_default();
                    if !PRINTED.contains(&language) && !fence.info.contains("listing ") {
                        kept.push_str(&join(&[Piece::Fence(fence)]));
                    }
                }
            }
        }
        let lines: Vec<&str> = kept.lines().filter(|line| !line.starts_with("<!-- ")).collect();
        // Where a block was, one empty line is enough.
        for (line, next) in lines.iter().zip(lines.iter().skip(1).chain([&""])) {
            if !(line.is_empty() && next.is_empty()) {
                out.push_str(line);
                out.push('\n');
            }
        }
        out.push('\n');
    }
    out
}

/// The pages as the summary names them.
fn in_order(pages: &[Page]) -> impl Iterator<Item = &Page> {
    let summary = pages.iter().find(|page| page.name == "SUMMARY.md").unwrap();
    let named = links(&summary.text).into_iter().map(|(_, _, target)| target);
    named.map(|target| pages.iter().find(|page| page.name == target).unwrap())
}

/// The first sentence of a page below its title.
fn opening(text: &str) -> String {
    let text = prose(text);
    let lines = text.lines().skip_while(|line| !line.starts_with("# ")).skip(1);
    let first: Vec<&str> = lines
        .skip_while(|line| line.trim().is_empty() || line.starts_with("<!--"))
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let first = first.join(" ");
    let end = first.find(". ").map_or(first.len(), |end| end + 1);
    let plain = unlinked(&first[..end]);
    plain.trim_end_matches(':').to_owned()
}

/// A text with its links as words alone.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once("](") {
            Some((words, tail)) if !words.contains('[') => {
                out.push_str(words);
                rest = tail.split_once(')').map_or("", |(_, tail)| tail);
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

#[test]
fn the_whole_book_is_one_text_and_a_shorter_one() {
    let pages = all();
    let (full, small) = (full(&pages), small(&pages));
    // Every page is in it whole, each behind the one before it.
    let mut at = 0;
    for page in in_order(&pages) {
        let place = full[at..].find(page.text.trim());
        at += place.unwrap_or_else(|| panic!("{} is not in its place", page.name));
    }
    assert!(full[at..].contains("# Changelog"), "the changelog comes last");
    for said in [
        "A type, and what an import brings, can be used only below its declaration",
        "| `MaxPacketSize` | a whole number of at least 1 |",
        "| [E3007](#e3007-analyzeunknownreference) |",
        "event Harvest {",
    ] {
        assert!(small.contains(said), "llms-small.txt lacks {said}");
    }
    assert!(
        !small.contains("1 file, seed 0") && !small.contains("0x0000") && !small.contains("# Coming from")
    );
    assert!(small.len() * 4 < full.len() * 3, "{} of {} bytes", small.len(), full.len());
    if update() {
        std::fs::write(book().join("llms-full.txt"), full).unwrap();
        std::fs::write(book().join("llms-small.txt"), small).unwrap();
    }
}

#[test]
fn a_page_opens_with_a_sentence() {
    assert_eq!(opening("# A\n\nOne [two](b.md)\nthree. Four.\n\nFive.\n"), "One two three.");
}
