//! Tokens to text: where lines break, and where a space stands.
//!
//! A list stays on its line when it was written on one and fits; otherwise it has an item a line. Since a broken list
//! was then written on several lines, formatting again changes nothing.

use unicode_width::UnicodeWidthStr;

use super::Indent;
use super::tree::{Body, Comment, Group, Item, Part, Statement, Style, Tree};
use crate::syntax::token::TokenKind;

/// Columns a line may take, a tab counting as four.
const WIDTH: usize = 100;

/// The text of a tree.
pub(super) fn write(tree: &Tree, indent: Indent) -> String {
    let mut writer =
        Writer { tree, indent, out: String::with_capacity(tree.text.len()), state: State::default() };
    writer.state.fresh = true;
    writer.statements(&tree.statements, 0);
    let end = tree.tokens.len() - 1;
    let mut blank = if tree.statements.is_empty() { Blank::Never } else { Blank::AsWritten };
    for (position, comment) in tree.gaps[end].leading.iter().enumerate() {
        if position == 0 || comment.own_line {
            writer.start_line(0, blank.stands(comment.blank));
        }
        writer.comment(comment);
        blank = Blank::AsWritten;
    }
    if !writer.out.is_empty() {
        writer.out.push('\n');
    }
    writer.out
}

/// Whether a blank line stands in front of something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Never,
    AsWritten,
    Always,
}

impl Blank {
    fn stands(self, written: bool) -> bool {
        match self {
            Blank::Never => false,
            Blank::AsWritten => written,
            Blank::Always => true,
        }
    }
}

struct Writer<'a> {
    tree: &'a Tree<'a>,
    indent: Indent,
    out: String,
    state: State,
}

/// Where the writer is; kept aside while a line is tried out.
#[derive(Clone, Copy, Default)]
struct State {
    /// Columns written of the line.
    column: usize,
    /// Level of the statement or item being written.
    level: usize,
    /// The token written last on this line.
    previous: Option<usize>,
    /// Whether nothing but indentation is on the line.
    fresh: bool,
    /// Whether a comment was written last.
    after_comment: bool,
    /// Whether a comment ended the line.
    line_over: bool,
}

impl Writer<'_> {
    fn statements(&mut self, statements: &[Statement], level: usize) {
        let mut first = true;
        for statement in statements {
            let blank = match (first, statement.option) {
                (true, _) => Blank::Never,
                (false, true) => Blank::AsWritten,
                (false, false) => Blank::Always,
            };
            self.start(statement.starts[0], level, blank);
            self.statement(statement, level);
            first = false;
        }
    }

    fn statement(&mut self, statement: &Statement, level: usize) {
        self.state.level = level;
        for (position, (start, parts)) in statement.starts.iter().zip(&statement.segments).enumerate() {
            let gap = &self.tree.gaps[*start];
            let apart = gap.newline || gap.leading.iter().any(|comment| comment.own_line);
            let own_line = position > 0 && (apart || self.state.line_over);
            if own_line {
                self.start(*start, level, Blank::Never);
            }
            let scope = statement.body.is_some() && position + 1 == statement.segments.len();
            self.parts(parts, position > 0 && !own_line, scope, statement.last + 1);
        }
        if let Some(body) = &statement.body {
            self.body(body, level);
            self.trail(body.close);
        }
    }

    /// The rest of a scope, its open brace being written.
    fn body(&mut self, body: &Body, level: usize) {
        let gap = &self.tree.gaps[body.close];
        if body.statements.is_empty() && gap.is_bare() {
            return self.token(body.close, false);
        }
        if !body.multiline && body.statements.len() <= 1 {
            let open = self.state.previous.unwrap_or(0);
            if self.try_flat(open + 1, body.close, body.close + 1, false) {
                return;
            }
        }
        self.trail(self.state.previous.unwrap_or(0));
        self.statements(&body.statements, level + 1);
        self.close(body.close, level, body.statements.is_empty());
    }

    /// A closing bracket on a line of its own, behind the comments in front of it.
    fn close(&mut self, close: usize, level: usize, empty: bool) {
        let mut blank = if empty { Blank::Never } else { Blank::AsWritten };
        for (position, comment) in self.tree.gaps[close].leading.iter().enumerate() {
            if position == 0 || comment.own_line {
                self.start_line(level + 1, blank.stands(comment.blank));
            }
            self.comment(comment);
            blank = Blank::AsWritten;
        }
        self.start_line(level, false);
        self.state.level = level;
        self.token(close, false);
    }

    /// Starts a line with the comments in front of a token; the token itself comes next.
    fn start(&mut self, token: usize, level: usize, blank: Blank) {
        let gap = &self.tree.gaps[token];
        let mut first = true;
        for comment in &gap.leading {
            if first || comment.own_line {
                let blank = if first { blank.stands(comment.blank) } else { comment.blank };
                self.start_line(level, blank);
            }
            self.comment(comment);
            first = false;
        }
        if first {
            self.start_line(level, blank.stands(gap.blank));
        } else if gap.newline {
            self.start_line(level, gap.blank);
        }
        self.state.level = level;
    }

    /// Parts one after the other. `lead` says whether the comments in front of the first are still to be written,
    /// `defer` whether those behind the last are left to the caller. `end` is the token behind the item or statement.
    fn parts(&mut self, parts: &[Part], lead: bool, defer: bool, end: usize) {
        for (position, part) in parts.iter().enumerate() {
            let lead = lead || position > 0;
            match part {
                Part::Token(token) => self.token(*token, lead),
                Part::Group(group) => {
                    let next = parts.get(position + 1).map_or(end, Part::first);
                    self.group(group, lead, next..end);
                }
            }
            if position + 1 < parts.len() || !defer {
                self.trail(part.last());
            }
        }
    }

    /// A bracket and what it holds; the tokens `rest` follow on the line.
    fn group(&mut self, group: &Group, lead: bool, rest: std::ops::Range<usize>) {
        self.token(group.open, lead);
        let (open, close) = (group.open, group.close);
        let empty = group.items.is_empty() && self.tree.gaps[close].is_bare();
        let keeps_comma = self.is_single_name(group);
        if (empty || !group.multiline) && self.try_flat(open + 1, close, rest.end, keeps_comma) {
            return;
        }
        match group.style {
            Style::Tight => self.tight(group),
            Style::Commas | Style::NoLastComma => self.broken(group),
        }
    }

    /// An item a line.
    fn broken(&mut self, group: &Group) {
        let level = self.state.level;
        self.trail(group.open);
        for (position, item) in group.items.iter().enumerate() {
            let blank = if position == 0 { Blank::Never } else { Blank::AsWritten };
            self.start(item.parts[0].first(), level + 1, blank);
            let last = position + 1 == group.items.len();
            self.item(item, !last || group.style == Style::Commas, group.close);
            self.state.level = level;
        }
        self.close(group.close, level, group.items.is_empty());
    }

    /// An item, its comma if it has one, and the comments around both.
    fn item(&mut self, item: &Item, comma: bool, close: usize) {
        let Some(last) = item.parts.last().map(Part::last) else { return };
        self.parts(&item.parts, false, true, item.comma.unwrap_or(close));
        if comma {
            self.out.push(',');
            self.state.column += 1;
        }
        self.trail_item(last);
        if let Some(written) = item.comma {
            // A comment in front of a comma cannot stay there when it ends the line.
            for comment in &self.tree.gaps[written].leading {
                if comment.own_line {
                    self.start_line(self.state.level, false);
                }
                self.comment_at(comment, self.state.level);
            }
            self.trail_item(written);
        }
    }

    /// Brackets that are never broken, around what may be.
    fn tight(&mut self, group: &Group) {
        self.trail(group.open);
        for item in &group.items {
            let end = item.comma.unwrap_or(group.close);
            self.parts(&item.parts, true, false, end);
            if let Some(comma) = item.comma {
                self.loose(comma);
            }
        }
        self.token(group.close, true);
    }

    /// The comments around a comma that is left out.
    fn loose(&mut self, comma: usize) {
        for comment in &self.tree.gaps[comma].leading {
            self.lead(comment);
        }
        self.trail(comma);
    }

    /// Writes the tokens `from..=close` on the line if all up to there, and what must follow, fits. `end` is the token
    /// behind the item or statement. Otherwise writes nothing.
    fn try_flat(&mut self, from: usize, close: usize, end: usize, keeps_comma: bool) -> bool {
        let (state, length) = (self.state, self.out.len());
        self.flat(from, close + 1, keeps_comma);
        let (after, written) = (self.state, self.out.len());
        // What follows up to the next bracket that can be broken, and the comma of an item.
        let breaks =
            |kind| matches!(kind, TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::EndOfFile);
        let rest = (close + 1..end).find(|&at| breaks(self.tree.tokens[at].kind)).map_or(end, |at| at + 1);
        self.flat(close + 1, rest.min(end), false);
        let comma = usize::from(end < self.tree.tokens.len() && self.is_item_end(end));
        let fits = self.state.column + comma <= WIDTH;
        if fits {
            self.state = after;
            self.out.truncate(written);
        } else {
            self.state = state;
            self.out.truncate(length);
        }
        fits
    }

    /// Whether a token ends an item of a list.
    fn is_item_end(&self, token: usize) -> bool {
        matches!(
            self.tree.tokens[token].kind,
            TokenKind::Comma | TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightAngle
        )
    }

    /// The tokens `from..to` on one line, as far as it goes; commas in front of closing brackets are left out.
    fn flat(&mut self, from: usize, to: usize, keeps_comma: bool) {
        for at in from..to {
            if self.state.column > WIDTH {
                return;
            }
            let next = self.tree.tokens.get(at + 1).map_or(TokenKind::EndOfFile, |token| token.kind);
            let last = matches!(next, TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightAngle);
            if self.tree.tokens[at].kind == TokenKind::Comma && last {
                if keeps_comma || self.is_comma_of_single_name(at) {
                    self.token(at, true);
                } else {
                    self.loose(at);
                }
                continue;
            }
            self.token(at, true);
            if self.needs_comma(at) {
                self.out.push(',');
                self.state.column += 1;
            }
        }
    }

    /// Whether a group is a type pack of one bare name, which without a comma would read as a class.
    fn is_single_name(&self, group: &Group) -> bool {
        self.tree.tokens[group.open].kind == TokenKind::LeftParen
            && group.close.checked_sub(group.open).is_some_and(|distance| distance == 3)
            && self.is_comma_of_single_name(group.close - 1)
    }

    /// Whether the comma at `at` is that of `(Coins,)`.
    fn is_comma_of_single_name(&self, at: usize) -> bool {
        let kind = |at: usize| self.tree.tokens[at].kind;
        at >= 2
            && kind(at) == TokenKind::Comma
            && kind(at + 1) == TokenKind::RightParen
            && kind(at - 1).is_word()
            && kind(at - 2) == TokenKind::LeftParen
    }

    /// Whether the token at `at` is the name of `( Coins )`, which without its spaces needs a comma.
    fn needs_comma(&self, at: usize) -> bool {
        let kind = |at: usize| self.tree.tokens.get(at).map(|token| token.kind);
        at >= 1
            && self.tree.tokens[at].kind.is_word()
            && kind(at - 1) == Some(TokenKind::LeftParen)
            && kind(at + 1) == Some(TokenKind::RightParen)
    }

    /// A token, behind the comments in front of it when `lead` says so.
    fn token(&mut self, at: usize, lead: bool) {
        let gap = &self.tree.gaps[at];
        if lead && !gap.leading.is_empty() {
            for comment in &gap.leading {
                self.lead(comment);
            }
            if gap.newline {
                self.start_line(self.state.level + 1, false);
            }
        }
        if self.state.line_over {
            self.start_line(self.state.level + 1, false);
        } else if !self.state.fresh && (self.state.after_comment || self.is_spaced(at)) {
            self.push(" ");
        }
        let span = self.tree.tokens[at].span;
        let text = &self.tree.text[span.start as usize..span.end as usize];
        self.push(text);
        self.state.previous = Some(at);
        self.state.fresh = false;
        self.state.after_comment = false;
    }

    /// Whether a space stands between the token written last and this one.
    fn is_spaced(&self, at: usize) -> bool {
        let Some(previous) = self.state.previous else { return false };
        let (before, kind) = (self.tree.tokens[previous].kind, self.tree.tokens[at].kind);
        match before {
            TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftAngle | TokenKind::DotDot => {
                return false;
            }
            _ => {}
        }
        match kind {
            TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::Question
            | TokenKind::RightParen
            | TokenKind::RightBracket
            | TokenKind::RightAngle
            | TokenKind::LeftAngle
            | TokenKind::Array
            | TokenKind::Class => false,
            // `Enum(0..5)` would start with another token than `Enum (0..5)` does.
            TokenKind::Range => before == TokenKind::Identifier && self.text(previous) == "Enum",
            TokenKind::LeftParen => before != TokenKind::Attribute,
            TokenKind::RightBrace => before != TokenKind::LeftBrace,
            _ => true,
        }
    }

    fn text(&self, at: usize) -> &str {
        let span = self.tree.tokens[at].span;
        &self.tree.text[span.start as usize..span.end as usize]
    }

    /// The comments that close the line of a token inside a statement or item.
    fn trail(&mut self, at: usize) {
        for comment in &self.tree.gaps[at + 1].trailing {
            self.comment_at(comment, self.state.level + 1);
        }
    }

    /// The comments that close the line of an item.
    fn trail_item(&mut self, at: usize) {
        for comment in &self.tree.gaps[at + 1].trailing {
            self.comment_at(comment, self.state.level);
        }
    }

    /// A comment in front of a token inside a statement or item.
    fn lead(&mut self, comment: &Comment) {
        if comment.own_line {
            self.start_line(self.state.level + 1, false);
        }
        self.comment_at(comment, self.state.level + 1);
    }

    /// A comment on the line, or on the next at `level` when this one is over.
    fn comment_at(&mut self, comment: &Comment, level: usize) {
        if self.state.line_over {
            self.start_line(level, false);
        }
        self.comment(comment);
    }

    fn comment(&mut self, comment: &Comment) {
        if !self.state.fresh {
            self.push(" ");
        }
        self.push(comment.text);
        self.state.fresh = false;
        self.state.after_comment = true;
        self.state.line_over = comment.line;
    }

    /// Ends the line, unless nothing is written, and indents the next.
    fn start_line(&mut self, level: usize, blank: bool) {
        if !self.out.is_empty() {
            self.out.push_str(if blank { "\n\n" } else { "\n" });
        }
        self.state.column = 0;
        for _ in 0..level {
            self.out.push_str(self.indent.text());
            self.state.column += 4;
        }
        self.state.fresh = true;
        self.state.previous = None;
        self.state.after_comment = false;
        self.state.line_over = false;
    }

    fn push(&mut self, text: &str) {
        match text.rfind('\n') {
            Some(at) => self.state.column = text[at + 1..].width(),
            None => self.state.column += text.width(),
        }
        self.out.push_str(text);
    }
}
