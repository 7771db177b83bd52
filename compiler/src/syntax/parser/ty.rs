//! Type expressions: bases, suffixes, ranges, bodies of structs, enums, maps and sets.

use super::mend::LooseBounds;
use super::{Failed, Open, Outcome, Parser, Words};
use crate::diagnostics::Fix;
use crate::source::Span;
use crate::syntax::ast::{
    Angle, Angles, Bounds, Labels, Name, Number, PrimitiveType, Reference, Refine, StructMember, TaggedEnum,
    Type, TypeKind, Variant,
};
use crate::syntax::diagnostics;
use crate::syntax::token::{Keyword, Primitive, TokenKind};

impl Parser<'_> {
    // test type: struct A { B: u8?[..4][]?, C: Page<u8>, D: enum { X, Y } }
    pub(super) fn ty(&mut self) -> Outcome<Type> {
        self.nested(|parser| {
            let base = parser.base()?;
            parser.suffixes(base)
        })
    }

    pub(super) fn base(&mut self) -> Outcome<Type> {
        let start = self.span();
        match self.kind() {
            TokenKind::Primitive(primitive) => self.primitive_type(primitive),
            TokenKind::Identifier | TokenKind::Qualified => self.reference_type("a type"),
            TokenKind::Keyword(Keyword::Struct) => {
                self.bump();
                self.struct_type(start)
            }
            TokenKind::Keyword(Keyword::Enum) => {
                self.bump();
                self.enum_type(start)
            }
            TokenKind::Keyword(Keyword::Map) => {
                self.bump();
                self.map_type(start)
            }
            TokenKind::Keyword(Keyword::Set) => {
                self.bump();
                self.set_type(start)
            }
            TokenKind::LeftParen => Err(self.report(diagnostics::misplaced_pack(start))),
            _ => Err(self.unexpected("a type")),
        }
    }

    fn primitive_type(&mut self, primitive: Primitive) -> Outcome<Type> {
        let word = self.bump().span;
        let takes_class = matches!(primitive, Primitive::Instance | Primitive::Enum);
        let class = match self.kind() {
            TokenKind::Class if takes_class => {
                let span = self.bump().span;
                let inner = Span { start: span.start + 1, end: span.end - 1, ..span };
                Some(Name { text: self.text(inner).to_string(), span: inner })
            }
            TokenKind::Class => {
                let span = self.bump().span;
                return Err(self.report(diagnostics::class_not_allowed(span)));
            }
            _ if primitive == Primitive::Enum => {
                let span = word.to(self.span());
                let fix = self.spaced_class().map(|(at, name)| Fix::write(at, format!("({name})")));
                return Err(self.report(diagnostics::unnamed_enum(span, fix)));
            }
            _ => None,
        };
        if let Some((span, name)) = self.spaced_class().filter(|_| takes_class && class.is_none()) {
            return Err(self.report(diagnostics::spaced_class(span, &name)));
        }
        let refine = self.refine()?;
        let kind = TypeKind::Primitive(PrimitiveType { primitive, word, class, refine });
        Ok(Type { kind, span: word.to(self.previous()) })
    }

    /// `( Part )`, which is no class for its spaces: all of it, and the name.
    fn spaced_class(&self) -> Option<(Span, String)> {
        let (open, name, close) = (self.token(), self.peek(1), self.peek(2));
        let spaced = open.kind == TokenKind::LeftParen
            && name.kind == TokenKind::Identifier
            && close.kind == TokenKind::RightParen;
        spaced.then(|| (open.span.to(close.span), self.text(name.span).to_string()))
    }

    pub(super) fn reference_type(&mut self, needed: &str) -> Outcome<Type> {
        let reference = self.reference(needed)?;
        let span = reference.name.span.to(self.previous());
        Ok(Type { kind: TypeKind::Reference(reference), span })
    }

    fn reference(&mut self, needed: &str) -> Outcome<Reference> {
        let token = self.token();
        if !matches!(token.kind, TokenKind::Identifier | TokenKind::Qualified) {
            return Err(self.unexpected(needed));
        }
        self.bump();
        let name = Name { text: self.text(token.span).to_string(), span: token.span };
        Ok(Reference { name, refine: self.refine()? })
    }

    fn refine(&mut self) -> Outcome<Refine> {
        let angles = match self.eat(TokenKind::LeftAngle) {
            Some(open) => {
                let list = self.list(open, TokenKind::RightAngle, Parser::angle)?;
                Some(Angles { items: list.items, span: open.to(list.close) })
            }
            None => None,
        };
        let range = self.eat(TokenKind::Range).map(|span| self.bounds(span));
        Ok(Refine { angles, range })
    }

    fn angle(&mut self) -> Outcome<Angle> {
        match self.eat(TokenKind::Number) {
            Some(span) => Ok(Angle::Number(self.number(span))),
            None => self.ty().map(Angle::Type),
        }
    }

    /// Suffixes of a type, applied from left to right.
    pub(super) fn suffixes(&mut self, base: Type) -> Outcome<Type> {
        let mut ty = self.ranged(base);
        // The marks in a row: a second may stand only at the very end, a third nowhere.
        let mut marks = 0;
        let mut levels = self.depth;
        loop {
            let token = self.token();
            let span = ty.span.to(token.span);
            let kind = match token.kind {
                TokenKind::Question if marks == 2 => {
                    return Err(self.report(diagnostics::too_many_question_marks(token.span)));
                }
                TokenKind::Question => {
                    marks += 1;
                    TypeKind::Optional(Box::new(ty), token.span)
                }
                TokenKind::Array if marks < 2 => {
                    marks = 0;
                    TypeKind::Array(Box::new(ty), self.bounds(token.span))
                }
                _ => return self.end_of_suffixes(ty),
            };
            levels += 1;
            if levels > diagnostics::NESTING_LIMIT {
                return Err(self.report(diagnostics::too_deep(token.span)));
            }
            self.bump();
            ty = Type { kind, span };
        }
    }

    /// A range behind something that has none is kept for the analysis to refuse.
    fn ranged(&mut self, base: Type) -> Type {
        let bare = !matches!(base.kind, TypeKind::Primitive(_) | TypeKind::Reference(_));
        match bare.then(|| self.eat(TokenKind::Range)).flatten() {
            Some(range) => {
                let (span, bounds) = (base.span.to(range), self.bounds(range));
                Type { kind: TypeKind::Ranged(Box::new(base), bounds), span }
            }
            None => base,
        }
    }

    /// Catches the ways in which a suffix is most often miswritten.
    fn end_of_suffixes(&mut self, ty: Type) -> Outcome<Type> {
        let span = self.span();
        match self.kind() {
            TokenKind::Class => Err(self.report(diagnostics::class_not_allowed(span))),
            TokenKind::LeftBracket => Err(self.loose(span, TokenKind::RightBracket, "[0..9]")),
            TokenKind::LeftParen => Err(self.loose(span, TokenKind::RightParen, "(0..9)")),
            _ => Ok(ty),
        }
    }

    /// Reports a bracket that opens no range.
    fn loose(&mut self, span: Span, close: TokenKind, example: &str) -> Failed {
        let open = self.text(span);
        let diagnostic = match self.loose_bounds(close) {
            LooseBounds::Open(bounds) => {
                let diagnostic = diagnostics::unclosed_bounds(bounds, close.describe().trim_matches('`'));
                // The bracket is missing, not unread: what closes the bracket around it must not close this one.
                while self.span().end < bounds.end {
                    self.bump();
                }
                self.bump();
                diagnostic
            }
            LooseBounds::Spaced(fix) => diagnostics::spaced_bounds(span, open, example, Some(fix)),
            LooseBounds::None => diagnostics::spaced_bounds(span, open, example, None),
        };
        self.report(diagnostic)
    }

    /// The bounds in a range or array token.
    pub(super) fn bounds(&self, span: Span) -> Bounds {
        let text = self.text(span);
        let inner = &text[1..text.len() - 1];
        let number = |from: usize, to: usize| {
            let place = Span { start: span.start + 1 + from as u32, end: span.start + 1 + to as u32, ..span };
            (from < to).then(|| Number { value: number_value(&inner[from..to]), span: place })
        };
        match inner.find("..") {
            Some(dots) => Bounds { min: number(0, dots), max: number(dots + 2, inner.len()), span },
            None => Bounds { min: number(0, inner.len()), max: number(0, inner.len()), span },
        }
    }

    fn number(&self, span: Span) -> Number {
        Number { value: number_value(self.text(span)), span }
    }

    /// The body of a struct; `start` is where the whole type starts.
    pub(super) fn struct_type(&mut self, start: Span) -> Outcome<Type> {
        let (members, complete) = self.struct_body()?;
        Ok(body(TypeKind::Struct(members), start.to(self.previous()), complete))
    }

    // test struct_body: struct A { ..Base, ["Max HP"]: u8, type: u8 }
    fn struct_body(&mut self) -> Outcome<(Vec<StructMember>, bool)> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut members = Vec::new();
        let list = self.list(open, TokenKind::RightBrace, |parser| {
            members.push(parser.struct_member()?);
            Ok(())
        });
        match list {
            Ok(list) => Ok((members, list.complete)),
            // A body still being written: what is there of it is kept.
            Err(Failed) if self.at_end() || self.at_declaration() => Ok((members, false)),
            Err(Failed) => Err(Failed),
        }
    }

    fn struct_member(&mut self) -> Outcome<StructMember> {
        if let Some(dots) = self.eat(TokenKind::DotDot) {
            return Ok(StructMember::Merge(dots, self.merged()?));
        }
        let name = self.field_name()?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok(StructMember::Field(name, self.ty()?))
    }

    /// The struct named after `..`, which may be a keyword.
    fn merged(&mut self) -> Outcome<Reference> {
        let token = self.token();
        // `..` and the next declaration: the body is still being written.
        if matches!(token.kind, TokenKind::Keyword(_) | TokenKind::Boolean) && !self.at_declaration() {
            self.bump();
            let name = Name { text: self.text(token.span).to_string(), span: token.span };
            return Ok(Reference { name, refine: self.refine()? });
        }
        self.reference("the name of a struct")
    }

    fn field_name(&mut self) -> Outcome<Name> {
        if self.eat(TokenKind::LeftBracket).is_none() {
            return self.name(Words::Any, "the name of a field");
        }
        let name = self.string("the name of a field in quotes")?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        Ok(name)
    }

    // test enum: enum Mood = { Calm, "Very Angry" } enum Step = "Kind" { Halt {}, Move { X: i8 } }
    pub(super) fn enum_type(&mut self, start: Span) -> Outcome<Type> {
        if self.at(TokenKind::LeftBrace) {
            let (labels, complete) = self.labels()?;
            return Ok(body(TypeKind::UnitEnum(labels), start.to(self.previous()), complete));
        }
        let tag = self.string("`{` or the name of a tag in quotes")?;
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut complete = true;
        let list = self.list(open, TokenKind::RightBrace, |parser| {
            let name = parser.field_name()?;
            let (members, whole) = parser.nested(Parser::struct_body)?;
            complete &= whole;
            Ok(Variant { name, members })
        })?;
        let kind = TypeKind::TaggedEnum(TaggedEnum { tag, variants: list.items, span: open.to(list.close) });
        Ok(body(kind, start.to(list.close), complete && list.complete))
    }

    // test set: set Buffs = { Haste, Shield, }
    pub(super) fn set_type(&mut self, start: Span) -> Outcome<Type> {
        let (labels, complete) = self.labels()?;
        Ok(body(TypeKind::Set(labels), start.to(self.previous()), complete))
    }

    fn labels(&mut self) -> Outcome<(Labels, bool)> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let list = self.list(open, TokenKind::RightBrace, |parser| match parser.kind() {
            TokenKind::String => parser.string("a name"),
            _ => parser.name(Words::Any, "a name"),
        })?;
        Ok((Labels { names: list.items, span: open.to(list.close) }, list.complete))
    }

    // test map: map Ages = { [string(..20)]: u8 }
    pub(super) fn map_type(&mut self, start: Span) -> Outcome<Type> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        self.open.push(Open { close: TokenKind::RightBrace, scope: false });
        let ty = self.map_rest(start, open);
        self.open.pop();
        ty
    }

    fn map_rest(&mut self, start: Span, open: Span) -> Outcome<Type> {
        let Ok((key, value)) = self.map_body() else {
            self.skip_body();
            return Err(Failed);
        };
        if self.at_end() {
            return Err(self.unclosed(open, TokenKind::RightBrace));
        }
        match self.expect(TokenKind::RightBrace, "`}`") {
            Ok(close) => {
                Ok(Type { kind: TypeKind::Map(Box::new(key), Box::new(value)), span: start.to(close) })
            }
            Err(failed) => {
                self.skip_body();
                Err(failed)
            }
        }
    }

    fn map_body(&mut self) -> Outcome<(Type, Type)> {
        self.expect(TokenKind::LeftBracket, "`[` and the type of the keys")?;
        let key = self.ty()?;
        self.expect(TokenKind::RightBracket, "`]`")?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok((key, self.ty()?))
    }

    /// Skips the rest of a broken body up to and including the brace that closes it.
    fn skip_body(&mut self) {
        loop {
            self.skip_item();
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.eat(TokenKind::RightBrace);
    }
}

/// The type of a body, of which every item could be read, or not.
fn body(kind: TypeKind, span: Span, complete: bool) -> Type {
    let whole = Type { kind, span };
    if complete { whole } else { Type { kind: TypeKind::Broken(Box::new(whole)), span } }
}

/// The nearest 64-bit float of a number token. Forms such as `.5` and `-.5` are Rust's too.
pub(super) fn number_value(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}
