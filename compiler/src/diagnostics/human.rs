//! The drawing for people: headline, source lines with their labels, notes. Source: tooling specification, 3.3.

use std::collections::BTreeMap;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Diagnostic, Label, Severity, compact, picture, visible};
use crate::source::{SourceFile, Sources, Span};

/// Widest row a note may take before it wraps, in columns.
const WRAP_COLUMNS: usize = 100;
/// Columns a tab is shown as.
const TAB_COLUMNS: usize = 4;
/// Longest line shown whole, in bytes. Of a longer one, what is around its labels is shown.
const WHOLE_LINE: usize = 240;
/// Bytes shown around the labels of a line that is not shown whole.
const AROUND: usize = 40;
/// What stands for the parts of a line that are not shown.
const CUT: &str = "…";

/// Whether the drawing carries terminal colours. They never say what the text does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Off,
    /// ANSI escapes: red errors, yellow warnings, blue notes, dim rules.
    On,
}

/// Characters a drawing is made of. What a schema says itself stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strokes {
    /// Lines and corners.
    #[default]
    Lines,
    /// Bars, hyphens, carets and plus signs.
    Ascii,
}

/// Bytes after which what is left is told in lines rather than drawn: nobody reads that much.
const DRAWN_BYTES: usize = 1 << 20;

/// Every diagnostic, drawn, with an empty line between two. What would make the drawing endless is told in a line.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: Colour, strokes: Strokes) -> String {
    let mut out = String::new();
    for (at, diagnostic) in diagnostics.iter().enumerate() {
        if out.len() > DRAWN_BYTES {
            out.push_str(&compact::render(&diagnostics[at..], sources));
            break;
        }
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&draw(diagnostic, sources, colour, strokes));
    }
    out
}

/// One diagnostic, drawn in lines, ended by a line feed.
pub fn render_one(diagnostic: &Diagnostic, sources: &Sources, colour: Colour) -> String {
    draw(diagnostic, sources, colour, Strokes::Lines)
}

fn draw(diagnostic: &Diagnostic, sources: &Sources, colour: Colour, strokes: Strokes) -> String {
    let severity = diagnostic.severity;
    let mut drawing = Drawing { out: String::new(), colour, strokes, severity, gutter: 3 };
    drawing.headline(diagnostic);
    if diagnostic.labels.is_empty() {
        for note in &diagnostic.notes {
            drawing.bare_note(note);
        }
        return drawing.out;
    }
    let last_line = diagnostic.labels.iter().map(|label| sources.end(label.span).line).max().unwrap_or(0);
    drawing.gutter = drawing.gutter.max(last_line.to_string().len());
    drawing.files(diagnostic, sources);
    for note in &diagnostic.notes {
        drawing.note(note);
    }
    drawing.close();
    drawing.out
}

/// What one label draws under one line.
struct Mark<'a> {
    /// First display column, from 0.
    column: usize,
    /// Columns underlined, at least 1.
    width: usize,
    /// Words, on the last line of the label only.
    words: Option<&'a str>,
    primary: bool,
}

struct Drawing {
    out: String,
    colour: Colour,
    strokes: Strokes,
    severity: Severity,
    /// Digits of a line number.
    gutter: usize,
}

const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const BLUE: &str = "\x1b[34m";
const RESET: &str = "\x1b[0m";

impl Drawing {
    fn paint(&self, style: &str, text: &str) -> String {
        match self.colour {
            Colour::Off => text.to_string(),
            Colour::On => format!("{style}{text}{RESET}"),
        }
    }

    /// Strokes as this drawing has them.
    fn drawn(&self, text: &str) -> String {
        match self.strokes {
            Strokes::Lines => text.to_string(),
            Strokes::Ascii => text.chars().map(in_ascii).collect(),
        }
    }

    /// Strokes in a style.
    fn stroke(&self, style: &str, text: &str) -> String {
        self.paint(style, &self.drawn(text))
    }

    /// What stands for the parts of a line that are not shown: one column, as marks count on.
    fn cut(&self, is_cut: bool) -> &'static str {
        match (is_cut, self.strokes) {
            (false, _) => "",
            (true, Strokes::Lines) => CUT,
            (true, Strokes::Ascii) => "~",
        }
    }

    fn severity_style(&self) -> &'static str {
        match self.severity {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
        }
    }

    fn row(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn headline(&mut self, diagnostic: &Diagnostic) {
        let tag = format!("[{}] {}:", diagnostic.code_text(), diagnostic.severity.word());
        let tag = self.paint(self.severity_style(), &tag);
        self.row(&format!("{tag} {}", visible(&diagnostic.headline)));
    }

    fn margin(&self) -> String {
        " ".repeat(self.gutter + 1)
    }

    fn blank(&mut self) {
        let row = self.stroke(DIM, &format!("{}│", self.margin()));
        self.row(&row);
    }

    fn close(&mut self) {
        self.blank();
        let row = self.stroke(DIM, &format!("{}╯", "─".repeat(self.gutter + 1)));
        self.row(&row);
    }

    /// The file of the primary label first, then the others in the order they were loaded.
    fn files(&mut self, diagnostic: &Diagnostic, sources: &Sources) {
        let mut files: Vec<(Span, Vec<&Label>)> = Vec::new();
        for label in &diagnostic.labels {
            match files.iter_mut().find(|(first, _)| first.file == label.span.file) {
                Some((_, labels)) => labels.push(label),
                None => files.push((label.span, vec![label])),
            }
        }
        if files.len() > 2 {
            files[1..].sort_by_key(|(first, _)| first.file);
        }
        for (first, labels) in files {
            let start = sources.start(first);
            let place = format!("[{}:{}:{}]", visible(&sources[first.file].shown), start.line, start.column);
            let row = self.paint(DIM, &format!("{}{}{place}", self.margin(), self.drawn("╭─")));
            self.row(&row);
            self.blank();
            self.lines(&labels, &sources[first.file]);
        }
    }

    fn lines(&mut self, labels: &[&Label], file: &SourceFile) {
        let mut lines: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
        for label in labels {
            for (line, part) in parts(label, file) {
                lines.entry(line).or_default().push(part);
            }
        }
        let mut previous: Option<u32> = None;
        for (line, parts) in lines {
            match previous.map(|previous| line - previous) {
                Some(2) => self.source(line - 1, &Shown::around(file.line(line - 1), &[])),
                Some(gap) if gap > 2 => {
                    let row = self.paint(DIM, "...");
                    self.row(&row);
                }
                Some(_) | None => {}
            }
            let shown = Shown::around(file.line(line), &parts);
            self.source(line, &shown);
            let mut marks: Vec<Mark> = parts.iter().map(|part| shown.mark(part)).collect();
            marks.sort_by_key(|mark| (mark.column, mark.width));
            for mark in &marks {
                self.mark(mark);
            }
            previous = Some(line);
        }
    }

    fn source(&mut self, line: u32, shown: &Shown) {
        let number = self.stroke(DIM, &format!("{line:0width$} │", width = self.gutter));
        let (lead, tail) = (self.cut(shown.cut_before), self.cut(shown.cut_behind));
        self.row(&format!("{number} {lead}{}{tail}", expand_tabs(shown.text.trim_end_matches('\r'))));
    }

    fn mark(&mut self, mark: &Mark) {
        let (stroke, connector) = if mark.primary { ('━', '┯') } else { ('─', '┬') };
        let style = if mark.primary { self.severity_style() } else { BLUE };
        let edge = self.stroke(DIM, &format!("{}┆", self.margin()));
        let indent = " ".repeat(mark.column);
        let Some(words) = mark.words else {
            let underline = self.stroke(style, &stroke.to_string().repeat(mark.width));
            self.row(&format!("{edge} {indent}{underline}"));
            return;
        };
        let middle = mark.width / 2;
        let underline: String =
            (0..mark.width).map(|at| if at == middle { connector } else { stroke }).collect();
        let underline = self.stroke(style, &underline);
        self.row(&format!("{edge} {indent}{underline}"));
        let indent = " ".repeat(mark.column + middle);
        let down = self.stroke(style, "│");
        self.row(&format!("{edge} {indent}{down}"));
        let corner = self.stroke(style, "╰──");
        self.row(&format!("{edge} {indent}{corner} {}", visible(words)));
    }

    fn note(&mut self, text: &str) {
        let head = "= note: ";
        let indent = self.gutter + 3 + head.len();
        for (at, part) in wrap(text, WRAP_COLUMNS.saturating_sub(indent)).iter().enumerate() {
            let edge = self.stroke(DIM, &format!("{}│", self.margin()));
            let lead = if at == 0 { self.paint(BLUE, head.trim_end()) } else { " ".repeat(head.len() - 1) };
            self.row(&format!("{edge} {lead} {}", visible(part)));
        }
    }

    fn bare_note(&mut self, text: &str) {
        let head = "= note: ";
        for (at, part) in wrap(text, WRAP_COLUMNS - head.len() - 4).iter().enumerate() {
            let lead = if at == 0 { self.paint(BLUE, head.trim_end()) } else { " ".repeat(head.len() - 1) };
            self.row(&format!("    {lead} {}", visible(part)));
        }
    }
}

/// What stands for a stroke where there is ASCII only.
fn in_ascii(stroke: char) -> char {
    match stroke {
        '│' | '┆' => '|',
        '─' | '┬' => '-',
        '━' | '┯' => '^',
        '╭' | '╰' | '╯' => '+',
        other => other,
    }
}

/// The part of a line that is shown.
struct Shown<'a> {
    text: &'a str,
    /// Where the text starts in its line, in bytes.
    start: usize,
    cut_before: bool,
    cut_behind: bool,
}

impl<'a> Shown<'a> {
    /// The whole of a line, or what is around its labels. Looks at no more of the line than it shows.
    fn around(line: &'a str, parts: &[Part]) -> Shown<'a> {
        if line.len() <= WHOLE_LINE {
            return Shown { text: line, start: 0, cut_before: false, cut_behind: false };
        }
        let first = parts.iter().map(|part| part.from).min().unwrap_or(0);
        let last = parts.iter().map(|part| part.to).max().unwrap_or(0);
        let start = border(line, first.saturating_sub(AROUND));
        let end = border(line, (last + AROUND).min(start + WHOLE_LINE));
        Shown { text: &line[start..end], start, cut_before: start > 0, cut_behind: end < line.len() }
    }

    /// A label under what is shown. One that lies behind the cut is drawn under the cut.
    fn mark<'l>(&self, part: &Part<'l>) -> Mark<'l> {
        let lead = usize::from(self.cut_before);
        let column = |byte: usize| {
            let byte = byte.saturating_sub(self.start);
            let over = usize::from(byte > self.text.len());
            lead + over + columns(self.text, byte.min(self.text.len()))
        };
        let (from, to) = (column(part.from), column(part.to));
        Mark { column: from, width: to.saturating_sub(from).max(1), words: part.words, primary: part.primary }
    }
}

/// The nearest place at or before a byte of a line where a character starts.
fn border(line: &str, byte: usize) -> usize {
    let byte = byte.min(line.len());
    (0..=byte).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0)
}

/// The part of a label that lies in one line, in bytes of that line.
struct Part<'a> {
    from: usize,
    to: usize,
    words: Option<&'a str>,
    primary: bool,
}

/// The lines a label is drawn under: one, or the first and the last of a longer span.
fn parts<'a>(label: &'a Label, file: &SourceFile) -> Vec<(u32, Part<'a>)> {
    let start = file.position(label.span.start);
    // The last byte decides the last line, so that a span up to a line's end does not reach into the next line.
    let last = if label.span.is_empty() { start } else { file.position(label.span.end - 1) };
    let words = Some(label.message.as_str());
    let part = |line, from, to, words| (line, Part { from, to, words, primary: label.primary });
    let from = start.column as usize - 1;
    if start.line == last.line {
        return vec![part(start.line, from, from + label.span.len(), words)];
    }
    let first_text = file.line(start.line);
    let last_text = file.line(last.line);
    let lead = last_text.len() - last_text.trim_start().len();
    let to = last.column as usize;
    vec![part(start.line, from, first_text.len(), None), part(last.line, lead.min(to - 1), to, words)]
}

/// Display columns of the first `bytes` bytes of a line.
fn columns(text: &str, bytes: usize) -> usize {
    text.char_indices()
        .take_while(|(at, _)| *at < bytes)
        .map(|(_, char)| {
            #[cfg(test)]
            tests::WALKED.with(|walked| walked.set(walked.get() + 1));
            char_columns(char)
        })
        .sum()
}

fn char_columns(char: char) -> usize {
    if char == '\t' { TAB_COLUMNS } else { picture(char).width().unwrap_or(0) }
}

fn expand_tabs(text: &str) -> String {
    visible(&text.replace('\t', &" ".repeat(TAB_COLUMNS))).into_owned()
}

/// Breaks a text at spaces into rows of at most `width` columns.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().expect("rows start with one and never shrink");
        if !row.is_empty() && row.width() + 1 + word.width() > width {
            rows.push(word.to_string());
            continue;
        }
        if !row.is_empty() {
            row.push(' ');
        }
        row.push_str(word);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Code, json, sort};
    use crate::source::FileId;

    const WAREHOUSE: &str = "option ServerOutput = \"../out/Server\"\noption ClientOutput = \"../out/Client\"\n\n-- What a forklift carries.\nstruct Crate {\n    Weight: f32(0..50),\n    Owner: string(1..20),\n    Weight: u8\n}\n";

    fn warehouse() -> (Sources, Diagnostic) {
        let mut sources = Sources::default();
        let file = sources.add("schemas/warehouse.blink", "schemas/warehouse.blink", WAREHOUSE.to_string());
        let (first, second) = (WAREHOUSE.find("Weight").unwrap(), WAREHOUSE.rfind("Weight").unwrap());
        let headline = "struct \"Crate\" names the field \"Weight\" twice";
        let diagnostic = Diagnostic::error(Code::AnalyzeDuplicateMember, headline)
            .secondary(Span::new(file, first, first + 6), "first named here")
            .primary(Span::new(file, second, second + 6), "named again here")
            .note("Rename one of the two, or delete it.");
        (sources, diagnostic)
    }

    #[test]
    fn control_characters_are_pictures() {
        let mut sources = Sources::default();
        let text = "type A = \u{1b}[31m\tu8\r\n";
        let file = sources.add("a\nb.blink", "a\nb.blink", text.to_string());
        let at = text.find("u8").unwrap();
        let diagnostic = Diagnostic::error(Code::AnalyzeDuplicateMember, "line\n\u{1b}[31mred")
            .primary(Span::new(file, at, at + 2), "here\u{7f}\u{9b}");
        let expected = "\
[E3004] Error: line␊␛[31mred
    ╭─[a␊b.blink:1:16]
    │
001 │ type A = ␛[31m    u8
    ┆                   ━┯
    ┆                    │
    ┆                    ╰── here␡\u{fffd}
    │
────╯
";
        assert_eq!(render_one(&diagnostic, &sources, Colour::Off), expected);
        let line = compact::render(&[diagnostic], &sources);
        assert_eq!(line, "[E3004] [L001:L001] [a␊b.blink] Error: line␊␛[31mred\n");
    }

    #[test]
    fn draws_the_example_of_the_specification() {
        let (sources, diagnostic) = warehouse();
        let expected = "\
[E3004] Error: struct \"Crate\" names the field \"Weight\" twice
    ╭─[schemas/warehouse.blink:8:5]
    │
006 │     Weight: f32(0..50),
    ┆     ───┬──
    ┆        │
    ┆        ╰── first named here
007 │     Owner: string(1..20),
008 │     Weight: u8
    ┆     ━━━┯━━
    ┆        │
    ┆        ╰── named again here
    │ = note: Rename one of the two, or delete it.
    │
────╯
";
        assert_eq!(render_one(&diagnostic, &sources, Colour::Off), expected);
    }

    thread_local! {
        /// Characters whose width was asked for.
        pub(super) static WALKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn a_long_line_is_shown_around_its_labels() {
        let mut sources = Sources::default();
        let text = format!("{}漢 Bad {} Other {}", "x".repeat(500), "y".repeat(20), "z".repeat(500));
        let file = sources.add("a.blink", "a.blink", text.clone());
        let span = |word: &str| {
            let at = text.find(word).unwrap();
            Span::new(file, at, at + word.len())
        };
        let one = Diagnostic::error(Code::AnalyzeInvalidRange, "long").primary(span("Bad"), "here");
        let drawn = render_one(&one, &sources, Colour::Off);
        let row = drawn.lines().nth(3).unwrap();
        let expected =
            format!("001 │ …{}漢 Bad {} Other {}…", "x".repeat(36), "y".repeat(20), "z".repeat(12));
        assert_eq!(row, expected);
        assert!(drawn.contains(&format!("    ┆ {}━┯━\n", " ".repeat(40))), "{drawn}");
        // A label far behind the first is drawn under the cut.
        let far = one.secondary(Span::new(file, text.len() - 1, text.len()), "there");
        let drawn = render_one(&far, &sources, Colour::Off);
        assert!(drawn.lines().all(|line| line.len() < 400), "{drawn}");
        assert!(drawn.contains("╰── there"), "{drawn}");
    }

    /// Characters walked, and bytes drawn, for `count` faults on one line.
    fn cost(count: usize) -> (usize, usize) {
        let mut sources = Sources::default();
        let file = sources.add("a.blink", "a.blink", "é; ".repeat(count));
        let all: Vec<Diagnostic> = (0..count)
            .map(|at| {
                Diagnostic::error(Code::LexUnexpectedCharacter, "x")
                    .primary(Span::new(file, at * 4 + 2, at * 4 + 3), "here")
                    .secondary(Span::new(file, 0, 2), "there")
            })
            .collect();
        WALKED.with(|walked| walked.set(0));
        let drawn: usize = all.iter().map(|one| render_one(one, &sources, Colour::On).len()).sum();
        (WALKED.with(std::cell::Cell::get), drawn)
    }

    #[test]
    fn drawing_costs_what_it_draws() {
        let ((walked, drawn), (twice_walked, twice_drawn)) = (cost(1000), cost(2000));
        assert!(walked < 1000 * 1000, "{walked} characters for 1000 faults");
        assert!(twice_walked * 10 < walked * 21, "{walked} characters, then {twice_walked}");
        assert!(twice_drawn * 10 < drawn * 21, "{drawn} bytes, then {twice_drawn}");
    }

    #[test]
    fn compact_and_json_agree_with_the_specification() {
        let (sources, diagnostic) = warehouse();
        assert_eq!(
            compact::render(std::slice::from_ref(&diagnostic), &sources),
            "[E3004] [L008:L008] [schemas/warehouse.blink] Error: struct \"Crate\" names the field \"Weight\" twice\n"
        );
        let value = json::diagnostic(&diagnostic, &sources);
        assert_eq!(value["range"]["start"], serde_json::json!({ "line": 8, "column": 5, "offset": 174 }));
        assert_eq!(value["range"]["end"], serde_json::json!({ "line": 8, "column": 11, "offset": 180 }));
        assert_eq!(value["labels"][1]["range"]["start"]["offset"], 124);
        assert_eq!(value["name"], "AnalyzeDuplicateMember");
    }

    #[test]
    fn columns_are_display_columns() {
        let mut sources = Sources::default();
        let text = "\t-- 漢 Bad";
        let file = sources.add("a.blink", "a.blink", text.to_string());
        let at = text.find("Bad").unwrap();
        let diagnostic =
            Diagnostic::warning(Code::AnalyzeDeprecated, "wide").primary(Span::new(file, at, at + 3), "here");
        let drawn = render_one(&diagnostic, &sources, Colour::Off);
        assert!(drawn.contains("\n    ┆           ━┯━\n"), "{drawn}");
    }

    #[test]
    fn without_a_label_there_are_only_headline_and_notes() {
        let diagnostic =
            Diagnostic::error(Code::FileNotFound, "there is no schema \"a\"").note("Tried \"a\".");
        let drawn = render_one(&diagnostic, &Sources::default(), Colour::Off);
        assert_eq!(drawn, "[E4004] Error: there is no schema \"a\"\n    = note: Tried \"a\".\n");
    }

    #[test]
    fn order_is_file_then_offset_then_code_without_repeats() {
        let at = |file, start, code| {
            Diagnostic::error(code, "x").primary(Span { file: FileId(file), start, end: start + 1 }, "")
        };
        let mut all = vec![
            at(1, 0, Code::AnalyzeInvalidRange),
            at(0, 9, Code::AnalyzeInvalidRange),
            at(0, 9, Code::ParseInvalidValue),
            at(0, 9, Code::AnalyzeInvalidRange),
        ];
        sort(&mut all);
        let order: Vec<_> = all.iter().map(|one| (one.span().unwrap().file.0, one.code.number())).collect();
        assert_eq!(order, [(0, 2003), (0, 3009), (1, 3009)]);
    }
}
