//! Comments that stand directly above what they are about. Source: tooling specification, 4.8.

use std::collections::BTreeMap;

use crate::source::{FileId, SourceFile, Sources, Span};
use crate::syntax::lexer;

/// The comments of a schema's files.
pub struct Docs<'a> {
    sources: &'a Sources,
    /// A file each: comments with lines to themselves, by their last line.
    files: Vec<BTreeMap<u32, Comment>>,
}

struct Comment {
    first: u32,
    text: String,
}

impl<'a> Docs<'a> {
    /// Collects the comments of every file.
    pub fn of(sources: &'a Sources) -> Docs<'a> {
        let files = sources.files().iter().zip(0..).map(|(file, id)| comments(file, FileId(id))).collect();
        Docs { sources, files }
    }

    /// The comment right above the declaration or field whose name is at `span`, without its marks.
    ///
    /// Attributes may stand in between. Of several on one line only the first has it.
    pub fn above(&self, span: Span) -> Option<String> {
        let file = self.sources.files().get(span.file.0 as usize)?;
        let comments = self.files.get(span.file.0 as usize)?;
        let position = file.position(span.start);
        let before = file.line(position.line).get(..position.column as usize - 1)?;
        // Words of a declaration and an attribute may stand in front of the name, the bracket of a quoted field too.
        let words = before.trim().trim_end_matches('[').trim_end();
        let words = match words.strip_prefix('@') {
            Some(attribute) => attribute.split_once(')').map_or("", |(_, rest)| rest).trim_start(),
            None => words,
        };
        if !words.chars().all(|c| c.is_ascii_alphabetic() || c == ' ') {
            return None;
        }
        let mut line = position.line;
        while line > 1 && file.line(line - 1).trim_start().starts_with('@') {
            line -= 1;
        }
        let mut last = line.checked_sub(1)?;
        let mut parts: Vec<&str> = Vec::new();
        while let Some(comment) = comments.get(&last) {
            parts.insert(0, &comment.text);
            last = comment.first.checked_sub(1)?;
        }
        let text = parts.join("\n").trim_matches('\n').trim_end().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

fn comments(file: &SourceFile, id: FileId) -> BTreeMap<u32, Comment> {
    let mut found = BTreeMap::new();
    for span in lexer::lex(id, &file.text).comments {
        let (start, end) = (file.position(span.start), file.position(span.end));
        let before = file.line(start.line).get(..start.column as usize - 1);
        let behind = file.line(end.line).get(end.column as usize - 1..).unwrap_or_default();
        if before.is_some_and(|text| text.trim().is_empty()) && behind.trim().is_empty() {
            let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
            // A comment to the end of its line may take the line's end in.
            let last = if text.ends_with('\n') { end.line - 1 } else { end.line };
            found.insert(last, Comment { first: start.line, text: unmarked(text) });
        }
    }
    found
}

/// The words of a comment: marks, and the indent its lines share, taken away.
fn unmarked(text: &str) -> String {
    let body = text.trim_start_matches('-');
    let level = body.strip_prefix('[').and_then(|rest| {
        let equals = rest.len() - rest.trim_start_matches('=').len();
        rest[equals..].starts_with('[').then_some(equals)
    });
    let Some(level) = level else {
        let body = body.trim_end();
        return body.strip_prefix(' ').unwrap_or(body).to_owned();
    };
    let inner = &body[level + 2..];
    let inner = inner.trim_end().strip_suffix(&format!("]{}]", "=".repeat(level))).unwrap_or(inner);
    let lines: Vec<&str> = inner.lines().map(str::trim_end).collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    // The first line stands behind the mark; its spaces are no indent.
    let shared = lines.iter().skip(1).filter(|line| !line.is_empty()).map(indent).min().unwrap_or(0);
    let mut out: Vec<&str> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        out.push(if place == 0 { line.trim_start() } else { line.get(shared..).unwrap_or_default() });
    }
    out.join("\n").trim_matches('\n').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(text: &str, name: &str) -> Option<String> {
        let mut sources = Sources::default();
        let file = sources.add("x", "x", text.to_owned());
        let start = text.find(name).unwrap();
        Docs::of(&sources).above(Span::new(file, start, start + name.len()))
    }

    #[test]
    fn comments_directly_above_are_found() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(above("-- Rings once.\nevent Bell {}", "Bell"), some("Rings once."));
        assert_eq!(above("-- One.\r\n--   Two.\r\nexport struct Bell {}", "Bell"), some("One.\n  Two."));
        assert_eq!(above("--[[\n  One.\n    Two.\n]]\nscope Bell {}", "Bell"), some("One.\n  Two."));
        assert_eq!(above("--[=[ One. ]=]\ntype Bell = u8", "Bell"), some("One."));
        assert_eq!(above("-- One.\n@profile(\"dev\")\nevent Bell {}", "Bell"), some("One."));
        assert_eq!(above("-- One.\n@profile(\"dev\") event Bell {}", "Bell"), some("One."));
        assert_eq!(above("struct A {\n\t-- One.\n\t[\"Bell\"]: u8 }", "\"Bell\""), some("One."));
    }

    #[test]
    fn other_comments_are_not() {
        assert_eq!(above("-- Far.\n\nevent Bell {}", "Bell"), None);
        assert_eq!(above("struct A {} -- Of A.\nevent Bell {}", "Bell"), None);
        assert_eq!(above("-- Of A.\nstruct A { Bell: u8 }", "Bell"), None);
        assert_eq!(above("--\nevent Bell {}", "Bell"), None);
        assert_eq!(above("event Bell {}", "Bell"), None);
        assert_eq!(above("struct A { B: u8 --[[ x\n]]\n, Bell: u8 }", "Bell"), None);
    }
}
