//! Documents, options, attributes, imports, scopes and type declarations.

use super::{Failed, Open, Outcome, Parser, Words};
use crate::diagnostics::Fix;
use crate::source::Span;
use crate::syntax::ast::{
    Attribute, Declaration, DeclarationKind, Document, Import, Member, Name, OptionDecl, Params, Scalar,
    ScalarKind, Scope, Type, TypeDecl, TypeKeyword, TypeKind,
};
use crate::syntax::diagnostics;
use crate::syntax::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn document(&mut self) -> Document {
        let mut document = Document::default();
        while !self.at_end() {
            self.statement(&mut document, None);
            if let Some(span) = self.eat(TokenKind::RightBrace) {
                self.report(diagnostics::stray_close(span, "}"));
            }
        }
        document
    }

    /// An option or a declaration, with its attributes. `scope` is the name of the scope around it.
    fn statement(&mut self, document: &mut Document, scope: Option<Span>) {
        let (start, first) = (self.at, self.span());
        let attributes = self.attributes();
        self.construct = self.span();
        let export = self.eat(TokenKind::Keyword(Keyword::Export));
        let keyword = self.span();
        let kind = match (self.kind(), self.opener()) {
            (_, Some(word)) => {
                self.bump();
                self.opened(word)
            }
            (TokenKind::Keyword(Keyword::Option), None) => {
                return self.option(attributes, export, document, scope, start);
            }
            (TokenKind::Keyword(word), None) => {
                self.bump();
                self.declared(word, export, keyword)
            }
            (_, None) => return self.nothing(attributes, export, document, start),
        };
        match kind {
            Ok(kind) => {
                let span = first.to(self.previous());
                document.declarations.push(Declaration { attributes, export, keyword, kind, span });
            }
            Err(Failed) => self.skip_declaration(start),
        }
    }

    /// What follows the keyword of a declaration.
    fn declared(&mut self, word: Keyword, export: Option<Span>, keyword: Span) -> Outcome<DeclarationKind> {
        match word {
            Keyword::Import => self.import(export, keyword),
            Keyword::Scope => self.scope(),
            Keyword::Event => self.member("the event's name").map(DeclarationKind::Event),
            Keyword::Function => self.member("the function's name").map(DeclarationKind::Function),
            Keyword::State => self.member("the state's name").map(DeclarationKind::State),
            Keyword::Table => self.member("the table's name").map(DeclarationKind::Table),
            Keyword::Type => self.type_decl(TypeKeyword::Type),
            Keyword::Struct => self.type_decl(TypeKeyword::Struct),
            Keyword::Enum => self.type_decl(TypeKeyword::Enum),
            Keyword::Map => self.type_decl(TypeKeyword::Map),
            Keyword::Set => self.type_decl(TypeKeyword::Set),
            Keyword::Option | Keyword::Export | Keyword::As => {
                self.at -= 1;
                Err(self.unexpected("a declaration"))
            }
        }
    }

    /// Attributes, or a stray token, where a declaration is needed.
    fn nothing(
        &mut self,
        attributes: Vec<Attribute>,
        export: Option<Span>,
        document: &mut Document,
        start: usize,
    ) {
        let keyword = self.span();
        let closes = self.at_end() || self.at(TokenKind::RightBrace);
        if !attributes.is_empty() {
            let kind = DeclarationKind::Nothing;
            let span = attributes.iter().fold(keyword, |span, attribute| attribute.span.to(span));
            document.declarations.push(Declaration { attributes, export: None, keyword, kind, span });
        }
        if export.is_some() || !closes {
            self.unexpected(if export.is_some() { "a type declaration" } else { "a declaration" });
            self.skip_declaration(start);
        }
    }

    /// Skips the rest of a declaration of which something was read.
    fn skip_rest(&mut self) {
        self.skip_declaration(self.at.saturating_sub(1));
    }

    /// Skips a declaration that began at the token `start`, and at least one token: to the next declaration, or to the
    /// brace that closes the scope around this one.
    fn skip_declaration(&mut self, start: usize) {
        let mut open = 0usize;
        while !self.at_end() && (self.at == start || !self.at_declaration()) {
            match self.kind() {
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 && self.at > start => return,
                TokenKind::RightBrace => open = open.saturating_sub(1),
                _ => {}
            }
            let closed = self.at(TokenKind::RightBrace) && open == 0;
            self.bump();
            // What was begun is closed: another statement starts on the next line.
            if closed && self.on_new_line() {
                return;
            }
        }
    }

    fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        while self.at(TokenKind::Attribute) {
            self.construct = self.span();
            match self.attribute() {
                Ok(attribute) => attributes.push(attribute),
                // What is left of a broken attribute is no statement.
                Err(Failed) => {
                    self.eat(TokenKind::String);
                    self.eat(TokenKind::RightParen);
                }
            }
        }
        attributes
    }

    // test attribute: @profile("test") type A = u8
    fn attribute(&mut self) -> Outcome<Attribute> {
        let span = self.bump().span;
        let name = Name { text: self.text(span)[1..].to_string(), span };
        // `@profile(test)` has a class where the string should be; one fault is enough.
        if self.at(TokenKind::Class) {
            let failed = self.unexpected("a profile's name in quotes");
            self.bump();
            return Err(failed);
        }
        self.expect(TokenKind::LeftParen, "`(` and a profile's name in quotes")?;
        let value = self.string("a profile's name in quotes")?;
        let close = self.expect(TokenKind::RightParen, "`)`")?;
        Ok(Attribute { name, value: Some(value), span: span.to(close) })
    }

    // test option: option Casing = Camel
    fn option(
        &mut self,
        attributes: Vec<Attribute>,
        export: Option<Span>,
        document: &mut Document,
        scope: Option<Span>,
        statement: usize,
    ) {
        let start = self.at;
        let keyword = self.bump().span;
        let first = document.declarations.first().map(declared_name);
        let Ok(name) = self.option_name() else {
            return self.skip_declaration(start);
        };
        let value =
            match self.expect(TokenKind::Equals, "`=`").and_then(|_| self.scalar("the option's value")) {
                Ok(value) => Some(value),
                Err(Failed) => {
                    self.skip_rest();
                    None
                }
            };
        if let Some(export) = export {
            let word = Span { end: keyword.start, ..export };
            self.report(diagnostics::exported_option(export, word));
            return;
        }
        let span = self.tokens[statement].span.to(self.previous());
        if scope.is_some() || first.is_some() {
            let fix = value.as_ref().and_then(|_| self.moved_to_the_top(span, &name));
            let at = keyword.to(name.span);
            self.report(diagnostics::late_option(at, first.or(scope), scope.is_some(), fix));
        } else {
            self.options.push(self.text(name.span));
            self.options_end = Some(span);
            document.options.push(OptionDecl { attributes, name, value, span });
        }
    }

    /// Moves an option behind the last one that stands where it may, unless that one would then be set twice.
    fn moved_to_the_top(&self, span: Span, name: &Name) -> Option<Fix> {
        if self.options.contains(&name.text.as_str()) {
            return None;
        }
        let text = self.text(span);
        let (to, text) = match self.options_end {
            Some(last) => (last.after(), format!("\n{text}")),
            None => (Span { start: 0, end: 0, ..span }, format!("{text}\n")),
        };
        let edits = vec![(to, text), (span, String::new())];
        Some(Fix { title: "Move it to the top".to_string(), edits })
    }

    fn option_name(&mut self) -> Outcome<Name> {
        let span = self.expect(TokenKind::Identifier, "an option's name")?;
        Ok(Name { text: self.text(span).to_string(), span })
    }

    /// A value of one token.
    pub(super) fn scalar(&mut self, needed: &str) -> Outcome<Scalar> {
        // A declaration where the value should be is the next one, its keyword no word.
        if self.at_declaration() {
            return Err(self.unexpected(needed));
        }
        match self.opt_scalar() {
            Some(scalar) => Ok(scalar),
            None => Err(self.unexpected(needed)),
        }
    }

    pub(super) fn opt_scalar(&mut self) -> Option<Scalar> {
        let token = self.token();
        let text = self.text(token.span);
        let kind = match token.kind {
            TokenKind::Boolean => ScalarKind::Boolean(text == "true"),
            TokenKind::String => ScalarKind::String(super::unquote(text).to_string()),
            TokenKind::Number => ScalarKind::Number(super::ty::number_value(text)),
            TokenKind::Identifier
            | TokenKind::Keyword(_)
            | TokenKind::Primitive(_)
            | TokenKind::Qualified => ScalarKind::Word(text.to_string()),
            _ => return None,
        };
        self.bump();
        Some(Scalar { kind, span: token.span })
    }

    // test import: import "./rules/Match" as Rules
    fn import(&mut self, export: Option<Span>, keyword: Span) -> Outcome<DeclarationKind> {
        if let Some(export) = export {
            let word = Span { end: keyword.start, ..export };
            self.report(diagnostics::exported_import(export, word));
        }
        let path = self.string("the path of a schema in quotes")?;
        let alias = match self.eat(TokenKind::Keyword(Keyword::As)) {
            Some(_) => Some(self.name(Words::NotPrimitive, "a name for the import")?),
            None => None,
        };
        Ok(DeclarationKind::Import(Import { path, alias }))
    }

    // test scope: scope Shop { scope Admin { type Price = u16 } }
    fn scope(&mut self) -> Outcome<DeclarationKind> {
        let name = match self.name(Words::NotPrimitive, "the scope's name") {
            Ok(name) => name,
            // Without a name the scope is lost; what it holds is read for its own sake.
            Err(Failed) if self.at(TokenKind::LeftBrace) => Name { text: String::new(), span: self.span() },
            Err(Failed) => return Err(Failed),
        };
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        self.open.push(Open { close: TokenKind::RightBrace, scope: true });
        let scope = self.nested(|parser| {
            let mut inner = Document::default();
            while !parser.at(TokenKind::RightBrace) {
                if parser.at_end() {
                    // What the scope holds is kept: the end of the file hides none of it.
                    parser.unclosed(open, TokenKind::RightBrace);
                    break;
                }
                parser.statement(&mut inner, Some(name.span));
            }
            parser.eat(TokenKind::RightBrace);
            Ok(DeclarationKind::Scope(Scope { name, declarations: inner.declarations }))
        });
        self.open.pop();
        scope
    }

    /// An event, a function, a state, a table or an entity. A broken block still declares the name.
    pub(super) fn member(&mut self, needed: &str) -> Outcome<Member> {
        let name = self.name(Words::NotPrimitive, needed)?;
        Ok(Member { name, block: self.declaration_block() })
    }

    fn type_decl(&mut self, keyword: TypeKeyword) -> Outcome<DeclarationKind> {
        let name = self.name(Words::NotPrimitive, "the type's name")?;
        let mut declared = TypeDecl {
            keyword,
            params: None,
            ty: Type { kind: TypeKind::Error, span: name.span },
            name,
            suffix: None,
        };
        match self.type_decl_rest(&mut declared) {
            Ok(()) => {}
            Err(Failed) => self.skip_rest(),
        }
        Ok(DeclarationKind::Type(Box::new(declared)))
    }

    fn type_decl_rest(&mut self, declared: &mut TypeDecl) -> Outcome<()> {
        let keyword = declared.keyword;
        if keyword != TypeKeyword::Type && self.at(TokenKind::LeftAngle) {
            declared.params = Some(self.params()?);
        }
        if keyword != TypeKeyword::Struct {
            self.expect(TokenKind::Equals, "`=`")?;
        }
        let base = self.nested(|parser| parser.declared_base(keyword))?;
        let base_end = self.at;
        declared.ty = self.suffixes(base)?;
        declared.suffix = (self.at > base_end).then(|| self.tokens[base_end].span.to(self.previous()));
        Ok(())
    }

    // test params: struct Pair<A, B> { First: A, Second: B }
    fn params(&mut self) -> Outcome<Params> {
        let open = self.expect(TokenKind::LeftAngle, "`<`")?;
        let list = self.list(open, TokenKind::RightAngle, |parser| {
            parser.name(Words::NotPrimitive, "a parameter's name")
        })?;
        Ok(Params { names: list.items, span: open.to(list.close) })
    }

    /// The right-hand side a keyword allows: its own body, or a reference.
    fn declared_base(&mut self, keyword: TypeKeyword) -> Outcome<Type> {
        let start = self.span();
        match keyword {
            TypeKeyword::Struct => self.struct_type(start),
            TypeKeyword::Type => self.alias_base(),
            TypeKeyword::Enum if self.at(TokenKind::LeftBrace) || self.at(TokenKind::String) => {
                self.enum_type(start)
            }
            TypeKeyword::Map if self.at(TokenKind::LeftBrace) => self.map_type(start),
            TypeKeyword::Set if self.at(TokenKind::LeftBrace) => self.set_type(start),
            TypeKeyword::Enum => {
                self.reference_type("`{`, the name of a tag in quotes or the name of an enum")
            }
            TypeKeyword::Map => self.reference_type("`{` or the name of a map"),
            TypeKeyword::Set => self.reference_type("`{` or the name of a set"),
        }
    }

    fn alias_base(&mut self) -> Outcome<Type> {
        match self.kind() {
            TokenKind::Primitive(_) | TokenKind::Identifier | TokenKind::Qualified => self.base(),
            _ => Err(self.unexpected("a built-in type or the name of an alias")),
        }
    }
}

/// What a diagnostic about a declaration underlines.
fn declared_name(declaration: &Declaration) -> Span {
    match &declaration.kind {
        DeclarationKind::Import(import) => import.alias.as_ref().unwrap_or(&import.path).span,
        DeclarationKind::Scope(scope) => scope.name.span,
        DeclarationKind::Event(member)
        | DeclarationKind::Function(member)
        | DeclarationKind::State(member)
        | DeclarationKind::Table(member)
        | DeclarationKind::Entity(member) => member.name.span,
        DeclarationKind::Type(declared) => declared.name.span,
        DeclarationKind::Nothing => declaration.keyword,
    }
}
