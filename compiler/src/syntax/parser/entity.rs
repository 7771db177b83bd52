//! Declarations whose word is a keyword only where one may begin, and the values that entities have alone.

use super::{Failed, Outcome, Parser, Words};
use crate::syntax::ast::{DeclarationKind, Name, SyncClass, Synced, Value};
use crate::syntax::token::TokenKind;

/// Words that open a declaration where one may begin, and a name and `{` follow. Anywhere else each is a name.
pub(super) const OPENERS: &[&str] = &["entity"];

impl Parser<'_> {
    /// The word of such a declaration, when one begins here.
    pub(super) fn opener(&self) -> Option<&'static str> {
        let (next, after) = (self.peek(1).kind, self.peek(2).kind);
        let opens = self.at(TokenKind::Identifier)
            && (next.is_word() || next == TokenKind::Qualified)
            && after == TokenKind::LeftBrace;
        let word = self.text(self.span());
        OPENERS.iter().copied().find(|opener| opens && *opener == word)
    }

    /// The declaration behind its word.
    // test entity: entity Ship { Rate: 30, Relevance: Radius(512), Owner: true, Data: struct { Hull: u8(0..100) } }
    // test entity is a name elsewhere: type entity = u8 struct A { entity: entity }
    pub(super) fn opened(&mut self, word: &'static str) -> Outcome<DeclarationKind> {
        match word {
            "entity" => self.member("the entity's name").map(DeclarationKind::Entity),
            _ => Err(self.unexpected("a declaration")),
        }
    }

    /// `All`, `Manual` or `Radius(512)`.
    pub(super) fn relevance(&mut self) -> Outcome<Value> {
        if !self.at(TokenKind::Identifier) || self.peek(1).kind != TokenKind::Range {
            return self.value();
        }
        let span = self.bump().span;
        let name = Name { text: self.text(span).to_string(), span };
        let range = self.bump().span;
        Ok(Value::Ranged(name, self.bounds(range)))
    }

    /// Classes with their properties, one or a list of them, and the word `Manual` in front.
    // test sync: entity A { Sync: BasePart { Color, Transparency }, Data: struct {} }
    // test sync of several: entity A { Sync: Manual { BasePart { Color }, PointLight { Brightness } }, Data: struct {} }
    pub(super) fn sync(&mut self) -> Outcome<Value> {
        let start = self.span();
        let manual = (self.text(start) == "Manual").then(|| self.bump().span);
        let classes = if self.at(TokenKind::LeftBrace) {
            let open = self.bump().span;
            self.list(open, TokenKind::RightBrace, Parser::sync_class)?.items
        } else {
            vec![self.sync_class()?]
        };
        Ok(Value::Sync(Synced { manual, classes, span: start.to(self.previous()) }))
    }

    fn sync_class(&mut self) -> Outcome<SyncClass> {
        let name = self.name(Words::Any, "the name of a class")?;
        let open = self.expect(TokenKind::LeftBrace, "`{` and names of properties")?;
        let list = self
            .list(open, TokenKind::RightBrace, |parser| parser.name(Words::Any, "the name of a property"))?;
        if list.complete { Ok(SyncClass { name, properties: list.items }) } else { Err(Failed) }
    }
}
