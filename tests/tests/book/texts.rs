//! `llms.txt`: the book's contents for programs that read, with what each page is about.

use super::links::links;
use blinkblox_tests::book::{Page, prose};

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
fn a_page_opens_with_a_sentence() {
    assert_eq!(opening("# A\n\nOne [two](b.md)\nthree. Four.\n\nFive.\n"), "One two three.");
}
