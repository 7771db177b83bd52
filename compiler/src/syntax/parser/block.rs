//! Blocks of events, functions and streams, and the type packs they carry.

use super::{Failed, Outcome, Parser, Words};
use crate::syntax::ast::{Block, Element, Entry, Pack, Value};
use crate::syntax::diagnostics;
use crate::syntax::token::TokenKind;

/// Keys whose value is a type or a type pack, in both spellings.
const PAYLOAD_KEYS: &[&str] = &["Data", "data", "Return", "return", "Input", "input"];

impl Parser<'_> {
    /// The block of a declaration. One that cannot be read is empty and broken, so that the declaration stays.
    pub(super) fn declaration_block(&mut self) -> Block {
        let start = self.at;
        let span = self.span();
        let mut block = Block { entries: vec![], span, broken: true };
        if self.block(&mut block).is_err() && !self.at_declaration() {
            self.skip_to_declaration(start);
        }
        block
    }

    /// Leaves a declaration whose block never opened or never closed.
    fn skip_to_declaration(&mut self, start: usize) {
        // Nothing of the block was read: the braces ahead may still be its own.
        if self.at == start {
            self.bump();
        }
        let mut open = 0usize;
        while !self.at_end() && !self.at_declaration() {
            match self.kind() {
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 => return,
                TokenKind::RightBrace if open == 1 => {
                    self.bump();
                    return;
                }
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Entries are kept as they are read, whatever happens behind them.
    // test block: event A { From: Server, Type: Reliable, Call: ManySync, Stream: { Rate: 2.5 }, }
    fn block(&mut self, block: &mut Block) -> Outcome<()> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut entries = Vec::new();
        let list = self.list(open, TokenKind::RightBrace, |parser| {
            let (entry, outcome) = parser.entry()?;
            entries.push(entry);
            outcome
        });
        block.entries = entries;
        let list = list?;
        block.span = open.to(list.close);
        block.broken = !list.complete;
        Ok(())
    }

    /// An entry, and whether its value could be read. A key with a broken value is still given.
    fn entry(&mut self) -> Outcome<(Entry, Outcome<()>)> {
        let key = self.name(Words::NotPrimitive, "the name of a field")?;
        self.expect(TokenKind::Colon, "`:`")?;
        let payload = PAYLOAD_KEYS.contains(&key.text.as_str());
        let value = match key.text.as_str() {
            "Sync" | "sync" => self.sync(),
            "Relevance" | "relevance" => self.relevance(),
            "Fields" | "fields" | "Key" | "key" => self.fields(),
            _ if payload => self.payload(),
            _ => self.value(),
        };
        Ok(match value {
            Ok(value) => (Entry { key, value }, Ok(())),
            Err(Failed) => (Entry { key, value: Value::Error }, Err(Failed)),
        })
    }

    /// A value that is no payload. What looks like none of the kinds is skipped: the key decides what to say of it.
    pub(super) fn value(&mut self) -> Outcome<Value> {
        if self.at(TokenKind::LeftBrace) {
            return self.nested(|parser| {
                let mut block = Block::default();
                parser.block(&mut block)?;
                Ok(Value::Block(block))
            });
        }
        if matches!(self.kind(), TokenKind::Comma | TokenKind::RightBrace | TokenKind::EndOfFile) {
            return Err(self.unexpected("a value"));
        }
        let first = self.span();
        if let Some(scalar) = self.opt_scalar() {
            let followed =
                matches!(self.kind(), TokenKind::Comma | TokenKind::RightBrace | TokenKind::EndOfFile);
            if followed || self.kind().is_word() {
                return Ok(Value::Scalar(scalar));
            }
        }
        self.skip_item();
        Ok(Value::Other(first))
    }

    // test fields: table A { From: Client, Fields: { Slot: u8, Label: string(..9) } }
    /// The body of a struct, or a type. A value that can be neither is left to whoever asks for the key.
    fn fields(&mut self) -> Outcome<Value> {
        match self.kind() {
            TokenKind::LeftBrace => {
                let start = self.span();
                self.nested(|parser| parser.struct_type(start)).map(Value::Type)
            }
            TokenKind::Number | TokenKind::String | TokenKind::Boolean => self.value(),
            _ => self.payload(),
        }
    }

    fn payload(&mut self) -> Outcome<Value> {
        match self.kind() {
            TokenKind::LeftParen => self.pack().map(Value::Pack),
            TokenKind::Class => {
                let span = self.bump().span;
                let text = self.text(span);
                let name = text.trim_matches(['(', ')']);
                Err(self.report(diagnostics::single_name_pack(span, name)))
            }
            _ => self.ty().map(Value::Type),
        }
    }

    // test pack: event A { Data: (u8, name: string(1..20), struct: boolean?,) }
    fn pack(&mut self) -> Outcome<Pack> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let list = self.list(open, TokenKind::RightParen, Parser::element)?;
        Ok(Pack { elements: list.items, span: open.to(list.close) })
    }

    fn element(&mut self) -> Outcome<Element> {
        let named = self.peek(1).kind == TokenKind::Colon && self.kind().is_word();
        let name = match named {
            true => Some(self.name(Words::NotPrimitive, "the name of an element")?),
            false => None,
        };
        if named {
            self.bump();
        }
        Ok(Element { name, ty: self.ty()? })
    }
}
