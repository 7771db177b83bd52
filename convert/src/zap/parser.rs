//! Tokens to a tree: a function a rule of the language.

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::source::{FileId, Span};

use super::ast::{
    Config, Event, Function, Group, Item, ItemKind, Name, Opt, Parameter, Range, Ty, TyKind, Value, ValueKind,
};
use super::lexer::{Kind, Lexed, Token};
use crate::refused;

type Read<T> = Result<T, Box<Diagnostic>>;

/// Most types and namespaces one inside the other.
const DEEPEST: usize = 60;

/// Reads a whole file. Errors: the first token that is not what is needed.
pub(super) fn parse(file: FileId, text: &str, lexed: &Lexed) -> Read<Config> {
    let mut parser = Parser { file, text, lexed, at: 0, comment: 0, depth: 0 };
    let mut config = Config::default();
    while parser.peek().kind != Kind::End {
        let comments = parser.comments();
        if parser.is_word("opt") {
            parser.next();
            config.options.push(parser.option(comments)?);
        } else {
            config.items.push(parser.item(comments)?);
        }
    }
    config.footer = parser.comments();
    Ok(config)
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    lexed: &'a Lexed,
    at: usize,
    /// The first comment that was not taken yet.
    comment: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        let end = Token { kind: Kind::End, span: Span::new(self.file, self.text.len(), self.text.len()) };
        self.lexed.tokens.get(self.at).copied().unwrap_or(end)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn is_word(&self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Word && self.text_of(token.span) == word
    }

    /// Takes a sign when it is next.
    fn maybe(&mut self, sign: char) -> bool {
        let found = self.peek().kind == Kind::Sign(sign);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, sign: char) -> Read<Token> {
        let token = self.next();
        if token.kind == Kind::Sign(sign) {
            Ok(token)
        } else {
            Err(self.unexpected(token, &format!("`{sign}`")))
        }
    }

    fn unexpected(&self, token: Token, needed: &str) -> Box<Diagnostic> {
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => format!("`{}`", self.text_of(token.span)),
        };
        Box::new(refused(
            format!("{needed} is needed, not {found}"),
            token.span,
            format!("{needed} is needed here"),
        ))
    }

    fn name(&self, token: Token) -> Name {
        let text = self.text_of(token.span);
        let text =
            if token.kind == Kind::Text { text.get(1..text.len() - 1).unwrap_or_default() } else { text };
        Name { text: text.to_string(), span: token.span }
    }

    fn word(&mut self, needed: &str) -> Read<Name> {
        let token = self.next();
        if token.kind == Kind::Word { Ok(self.name(token)) } else { Err(self.unexpected(token, needed)) }
    }

    /// A name that may stand in quotes.
    fn label(&mut self, needed: &str) -> Read<Name> {
        let token = self.next();
        match token.kind {
            Kind::Word | Kind::Text => Ok(self.name(token)),
            _ => Err(self.unexpected(token, needed)),
        }
    }

    /// Comments up to the next token, but for one on the line where the last statement ended: that one comes first.
    fn comments(&mut self) -> Vec<String> {
        let until = self.peek().span.start;
        let mut found = Vec::new();
        while let Some(comment) = self.lexed.comments.get(self.comment).filter(|one| one.start < until) {
            found.push(self.text_of(*comment).to_string());
            self.comment += 1;
        }
        found
    }

    /// Comments inside what was just read, and those behind it on its last line.
    fn inner_comments(&mut self) -> Vec<String> {
        let end = self.lexed.tokens.get(self.at.saturating_sub(1)).map_or(0, |token| token.span.end);
        let rest = self.text.get(end as usize..).unwrap_or_default();
        let line_end = end as usize + rest.find('\n').unwrap_or(rest.len());
        // A statement that begins on that line has the comment behind it.
        let next = self.peek();
        let until = line_end.min(if next.kind == Kind::End { usize::MAX } else { next.span.start as usize });
        let mut found = Vec::new();
        while let Some(comment) =
            self.lexed.comments.get(self.comment).filter(|one| (one.start as usize) < until)
        {
            found.push(self.text_of(*comment).to_string());
            self.comment += 1;
        }
        found
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.peek().span;
            let headline = format!("types and namespaces nest more than {DEEPEST} deep");
            return Err(Box::new(refused(headline, span, "too deep")));
        }
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn option(&mut self, mut comments: Vec<String>) -> Read<Opt> {
        let name = self.word("the name of an option")?;
        self.expect('=')?;
        let token = self.next();
        let kind = match (token.kind, self.text_of(token.span)) {
            (Kind::Text, _) => ValueKind::Text(self.name(token).text),
            (Kind::Word, "true") => ValueKind::Boolean(true),
            (Kind::Word, "false") => ValueKind::Boolean(false),
            (Kind::Number, _) => ValueKind::Number,
            _ => return Err(self.unexpected(token, "a text, `true`, `false` or a number")),
        };
        comments.extend(self.inner_comments());
        Ok(Opt { name, value: Value { kind, span: token.span }, comments })
    }

    fn item(&mut self, mut comments: Vec<String>) -> Read<Item> {
        let keyword = self.next();
        let word =
            if keyword.kind == Kind::Word { self.text_of(keyword.span).to_string() } else { String::new() };
        if !matches!(word.as_str(), "type" | "event" | "funct" | "namespace") {
            return Err(self.unexpected(keyword, "`opt`, `type`, `event`, `funct` or `namespace`"));
        }
        let name = self.word("a name")?;
        self.expect('=')?;
        let kind = match word.as_str() {
            "type" => ItemKind::Type(self.ty()?),
            "event" => ItemKind::Event(self.event()?),
            "funct" => ItemKind::Function(self.function()?),
            _ => ItemKind::Namespace(self.nested(|parser| parser.namespace(&mut comments))?),
        };
        comments.extend(self.inner_comments());
        Ok(Item { name, kind, comments })
    }

    /// `outer` gets the comments that no declaration inside has.
    fn namespace(&mut self, outer: &mut Vec<String>) -> Read<Vec<Item>> {
        self.expect('{')?;
        let mut items = Vec::new();
        loop {
            let comments = self.comments();
            if self.maybe('}') {
                outer.extend(comments);
                return Ok(items);
            }
            items.push(self.item(comments)?);
            self.maybe(',');
        }
    }

    /// Calls `field` with each `name:` between braces.
    fn fields(&mut self, mut field: impl FnMut(&mut Self, Name) -> Read<()>) -> Read<Token> {
        self.expect('{')?;
        loop {
            if self.peek().kind == Kind::Sign('}') {
                return Ok(self.next());
            }
            let name = self.label("a field's name or `}`")?;
            self.expect(':')?;
            field(self, name)?;
            if !self.maybe(',') {
                return self.expect('}');
            }
        }
    }

    fn event(&mut self) -> Read<Event> {
        let (mut from, mut kind, mut call) = (None, None, None);
        let (mut data, mut packed) = (Vec::new(), false);
        let close = self.fields(|parser, name| {
            match name.text.as_str() {
                "from" => from = Some(parser.one_of(&["Server", "Client"])?),
                "type" => kind = Some(parser.one_of(&["Reliable", "Unreliable", "OrderedUnreliable"])?),
                "call" => call = Some(parser.one_of(CALLS)?),
                "data" => (data, packed) = parser.parameters()?,
                _ => return Err(unknown_field(&name, "`from`, `type`, `call` and `data`")),
            }
            Ok(())
        })?;
        let missing = |what: &str| {
            Box::new(refused(
                format!("an event needs `{what}`"),
                close.span,
                format!("`{what}` is needed before this"),
            ))
        };
        let from = from.ok_or_else(|| missing("from"))?;
        let kind = kind.ok_or_else(|| missing("type"))?;
        Ok(Event { from, kind, call, data, packed })
    }

    fn function(&mut self) -> Read<Function> {
        let mut call = None;
        let (mut args, mut args_packed, mut rets, mut rets_packed) = (Vec::new(), false, Vec::new(), false);
        self.fields(|parser, name| {
            match name.text.as_str() {
                "call" => call = Some(parser.one_of(&["Async", "Sync"])?),
                "args" => (args, args_packed) = parser.parameters()?,
                "rets" => (rets, rets_packed) = parser.parameters()?,
                _ => return Err(unknown_field(&name, "`call`, `args` and `rets`")),
            }
            Ok(())
        })?;
        Ok(Function { call, args, args_packed, rets, rets_packed })
    }

    fn one_of(&mut self, words: &[&str]) -> Read<Name> {
        let needed = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let token = self.next();
        if token.kind == Kind::Word && words.contains(&self.text_of(token.span)) {
            Ok(self.name(token))
        } else {
            Err(self.unexpected(token, &format!("one of {needed}")))
        }
    }

    /// One type, or types in parentheses with names or without; and whether there were parentheses.
    fn parameters(&mut self) -> Read<(Vec<Parameter>, bool)> {
        let open = self.at;
        if !self.maybe('(') {
            let ty = self.ty()?;
            return Ok((vec![Parameter { name: None, ty }], false));
        }
        let mut found = Vec::new();
        loop {
            if self.maybe(')') {
                break;
            }
            let colon = self.lexed.tokens.get(self.at + 1).map(|token| token.kind);
            let name = if self.peek().kind == Kind::Word && colon == Some(Kind::Sign(':')) {
                let name = self.word("a name")?;
                self.expect(':')?;
                Some(name)
            } else {
                None
            };
            let ty = self.ty()?;
            if self.peek().kind == Kind::Sign('|') {
                // Not values but alternatives of one value.
                self.at = open;
                let ty = self.ty()?;
                return Ok((vec![Parameter { name: None, ty }], false));
            }
            found.push(Parameter { name, ty });
            if !self.maybe(',') {
                self.expect(')')?;
                break;
            }
        }
        // What follows the parentheses belongs to one value.
        if found.len() == 1 && matches!(self.peek().kind, Kind::Sign('?' | '[')) {
            self.at = open;
            let ty = self.ty()?;
            return Ok((vec![Parameter { name: None, ty }], false));
        }
        Ok((found, true))
    }

    fn ty(&mut self) -> Read<Ty> {
        self.nested(|parser| {
            let mut ty = parser.base()?;
            let mut suffixes = 0;
            loop {
                let start = ty.span;
                ty = if parser.peek().kind == Kind::Sign('?') {
                    let mark = parser.next();
                    Ty { kind: TyKind::Optional(Box::new(ty)), span: start.to(mark.span) }
                } else if parser.peek().kind == Kind::Sign('[') {
                    let (range, span) = parser.brackets()?;
                    Ty { kind: TyKind::Array(Box::new(ty), range), span: start.to(span) }
                } else {
                    return Ok(ty);
                };
                suffixes += 1;
                if parser.depth + suffixes > DEEPEST {
                    return Err(Box::new(refused("types nest too deep", ty.span, "too deep")));
                }
            }
        })
    }

    /// `[10..20]`
    fn brackets(&mut self) -> Read<(Option<Range>, Span)> {
        let open = self.expect('[')?;
        if self.peek().kind == Kind::Sign(']') {
            return Ok((None, open.span.to(self.next().span)));
        }
        let range = self.range()?;
        let close = self.expect(']')?;
        Ok((Some(range), open.span.to(close.span)))
    }

    /// `0..100`, `0..`, `..100`, `0` or `..`
    fn range(&mut self) -> Read<Range> {
        let start = self.peek();
        let number = |parser: &mut Self| {
            (parser.peek().kind == Kind::Number).then(|| {
                let token = parser.next();
                parser.name(token)
            })
        };
        let min = number(self);
        if self.peek().kind == Kind::Dots {
            let dots = self.next();
            let max = number(self);
            let end = max.as_ref().map_or(dots.span, |max| max.span);
            return Ok(Range { min, max, span: start.span.to(end) });
        }
        match min {
            Some(exact) => {
                let span = exact.span;
                Ok(Range { min: Some(exact.clone()), max: Some(exact), span })
            }
            None => Err(self.unexpected(start, "a range")),
        }
    }

    fn base(&mut self) -> Read<Ty> {
        let start = self.peek();
        if start.kind == Kind::Sign('(') {
            return self.union();
        }
        let word = self.word("a type")?;
        let kind = match word.text.as_str() {
            "struct" => TyKind::Struct(self.struct_body()?),
            "enum" => self.enum_()?,
            "map" => {
                self.expect('{')?;
                self.expect('[')?;
                let key = self.ty()?;
                self.expect(']')?;
                self.expect(':')?;
                let value = self.ty()?;
                self.maybe(',');
                self.expect('}')?;
                TyKind::Map(Box::new(key), Box::new(value))
            }
            "set" => {
                self.expect('{')?;
                let inner = self.ty()?;
                self.maybe(',');
                self.expect('}')?;
                TyKind::Set(Box::new(inner))
            }
            _ => {
                let mut path = word.text;
                while self.maybe('.') {
                    let part = self.word("a name")?;
                    path = format!("{path}.{}", part.text);
                }
                let group = if self.maybe('(') { Some(self.group()?) } else { None };
                TyKind::Word { path, group }
            }
        };
        let last = self.lexed.tokens.get(self.at.saturating_sub(1)).map_or(start.span, |token| token.span);
        Ok(Ty { kind, span: start.span.to(last) })
    }

    /// What stands in the parentheses behind a word, the closing one included.
    fn group(&mut self) -> Read<Group> {
        if matches!(self.peek().kind, Kind::Number | Kind::Dots) {
            let range = self.range()?;
            self.expect(')')?;
            return Ok(Group::Range(range));
        }
        let mut words = Vec::new();
        loop {
            if self.maybe(')') {
                return Ok(Group::Words(words));
            }
            words.push(self.word("a range or a name")?);
            if !self.maybe(',') {
                self.expect(')')?;
                return Ok(Group::Words(words));
            }
        }
    }

    /// `( A | B )`; parentheses around one type are that type.
    fn union(&mut self) -> Read<Ty> {
        let open = self.expect('(')?;
        self.maybe('|');
        let first = self.ty()?;
        let mut alone = true;
        while self.maybe('|') {
            alone = false;
            self.ty()?;
        }
        let close = self.expect(')')?;
        let span = open.span.to(close.span);
        Ok(if alone { Ty { span, ..first } } else { Ty { kind: TyKind::Union, span } })
    }

    fn struct_body(&mut self) -> Read<Vec<(Name, Ty)>> {
        let mut found = Vec::new();
        self.fields(|parser, name| {
            found.push((name, parser.ty()?));
            Ok(())
        })?;
        Ok(found)
    }

    fn enum_(&mut self) -> Read<TyKind> {
        if self.peek().kind == Kind::Text {
            let token = self.next();
            let tag = self.name(token);
            self.expect('{')?;
            let mut variants = Vec::new();
            loop {
                if self.maybe('}') {
                    return Ok(TyKind::Tagged(tag, variants));
                }
                let name = self.label("a variant's name or `}`")?;
                let fields = self.nested(Self::struct_body)?;
                variants.push((name, fields));
                if !self.maybe(',') {
                    self.expect('}')?;
                    return Ok(TyKind::Tagged(tag, variants));
                }
            }
        }
        self.expect('{')?;
        let mut values = Vec::new();
        loop {
            if self.maybe('}') {
                return Ok(TyKind::Enum(values));
            }
            values.push(self.label("a value's name or `}`")?);
            if !self.maybe(',') {
                self.expect('}')?;
                return Ok(TyKind::Enum(values));
            }
        }
    }
}

/// Ways an event is listened to.
const CALLS: &[&str] = &["ManyAsync", "ManySync", "SingleAsync", "SingleSync", "Polling"];

fn unknown_field(name: &Name, known: &str) -> Box<Diagnostic> {
    let headline = format!("there is no field `{}` here", name.text);
    Box::new(refused(headline, name.span, "not a field").note(format!("The fields are {known}.")))
}
