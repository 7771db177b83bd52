//! Marks for what clients send without a rate, and for lengths they choose without a bound.

use std::collections::{BTreeMap, BTreeSet};

use blinkblox_compiler::source::{Sources, Span};
use blinkblox_compiler::syntax::ast::{
    self, Block, Declaration, DeclarationKind, Document, Member, ScalarKind, Type, TypeKind, Value,
};
use blinkblox_compiler::syntax::token::Primitive;

use super::Edits;
use crate::report::{Kind, Place, Report};

/// Comments to be inserted, each a line of its own.
pub(super) fn of(document: &Document, sources: &Sources, report: &mut Report) -> Edits {
    let mut types = BTreeMap::new();
    declared(&document.declarations, "", &mut types);
    let default_rate = document.options.iter().any(|option| option.name.text == "DefaultRate");
    let mut marks = Marks { sources, report, types, reached: BTreeSet::new(), edits: vec![], default_rate };
    marks.declarations(&document.declarations, "");
    marks.reached_types();
    marks.edits
}

/// A declared type: its own, the scope its names are looked up in, and where its declaration begins.
struct Declared<'a> {
    ty: &'a Type,
    scope: String,
    span: Span,
}

fn declared<'a>(declarations: &'a [Declaration], scope: &str, found: &mut BTreeMap<String, Declared<'a>>) {
    for one in declarations {
        match &one.kind {
            DeclarationKind::Type(ty) => {
                let declared = Declared { ty: &ty.ty, scope: scope.to_string(), span: one.span };
                found.insert(format!("{scope}{}", ty.name.text), declared);
            }
            DeclarationKind::Scope(inner) => {
                self::declared(&inner.declarations, &format!("{scope}{}.", inner.name.text), found);
            }
            _ => {}
        }
    }
}

struct Marks<'a, 'r> {
    sources: &'a Sources,
    report: &'r mut Report,
    types: BTreeMap<String, Declared<'a>>,
    reached: BTreeSet<String>,
    edits: Edits,
    default_rate: bool,
}

impl Marks<'_, '_> {
    fn declarations(&mut self, declarations: &[Declaration], scope: &str) {
        for one in declarations {
            match &one.kind {
                DeclarationKind::Event(member) => {
                    let from_client = word(&member.block, "From").is_some_and(|from| from == "Client");
                    if from_client {
                        self.rates(
                            member,
                            "Rate",
                            Kind::Rate,
                            "Rate and Burst: how many a second a client may send",
                        );
                        self.payload(one, member, "Data", scope);
                    }
                }
                DeclarationKind::Function(member) => {
                    let from_server = word(&member.block, "From").is_some_and(|from| from == "Server");
                    if from_server {
                        self.payload(one, member, "Return", scope);
                    } else {
                        let asked = "Rate and Concurrency: how many calls a second, and how many at once";
                        self.rates(member, "Rate", Kind::Limits, asked);
                        self.payload(one, member, "Data", scope);
                    }
                }
                DeclarationKind::Scope(inner) => {
                    self.declarations(&inner.declarations, &format!("{scope}{}.", inner.name.text));
                }
                // Blink has no other kind that clients send.
                _ => {}
            }
        }
    }

    fn rates(&mut self, member: &Member, key: &str, kind: Kind, asked: &str) {
        if self.default_rate || entry(&member.block, key).is_some() {
            return;
        }
        let place = self.place(member.name.span);
        self.report.add(kind, &member.name.text, Some(place), format!("{}: {asked}", member.name.text));
        let end = member.block.span.end.saturating_sub(1);
        let at = Span { start: end, end, ..member.block.span };
        let before = self.sources[at.file].text.get(..end as usize).unwrap_or_default();
        let begins_line = before.trim_end_matches([' ', '\t']).ends_with('\n');
        let start = if begins_line { "" } else { "\n" };
        self.edits.push((at, format!("{start}-- TODO(convert): {asked}\n")));
    }

    fn payload(&mut self, declaration: &Declaration, member: &Member, key: &str, scope: &str) {
        let mut found = Vec::new();
        match entry(&member.block, key) {
            Some(Value::Type(ty)) => {
                self.lengths(ty, "", scope, &mut found);
                called(&mut found, "#1");
            }
            Some(Value::Pack(pack)) => {
                for (at, element) in pack.elements.iter().enumerate() {
                    let name = element
                        .name
                        .as_ref()
                        .map_or_else(|| format!("#{}", at + 1), |name| name.text.clone());
                    self.lengths(&element.ty, &name, scope, &mut found);
                }
            }
            _ => {}
        }
        self.bounds(declaration.span, &member.name.text, found);
    }

    /// Marks the types that were reached; what they name is reached in turn.
    fn reached_types(&mut self) {
        let mut done = BTreeSet::new();
        while let Some(path) = self.reached.iter().find(|path| !done.contains(*path)).cloned() {
            let Some(Declared { ty, scope, span }) = self.types.get(&path) else { break };
            let (ty, scope, span) = (*ty, scope.clone(), *span);
            let mut found = Vec::new();
            self.lengths(ty, "", &scope, &mut found);
            let name = path.rsplit('.').next().unwrap_or(&path).to_string();
            called(&mut found, &name);
            self.bounds(span, &name, found);
            done.insert(path);
        }
    }

    fn bounds(&mut self, declaration: Span, name: &str, found: Vec<(String, &'static str)>) {
        for (path, kind) in found {
            let shown = path.replace(['\n', '\r'], " ");
            let place = self.place(declaration);
            self.report.add(Kind::Bound, name, Some(place), format!("{name}: a bound for {shown} ({kind})"));
            let at = Span { end: declaration.start, ..declaration };
            self.edits.push((at, format!("-- TODO(convert): a bound for {shown} ({kind})\n")));
        }
    }

    fn place(&self, span: Span) -> Place {
        Place { file: self.sources[span.file].shown.clone(), line: self.sources.start(span).line as usize }
    }

    /// Paths and kinds of the lengths of a type without an upper bound.
    fn lengths(&mut self, ty: &Type, path: &str, scope: &str, found: &mut Vec<(String, &'static str)>) {
        match &ty.kind {
            TypeKind::Primitive(primitive) => {
                let kind = match primitive.primitive {
                    Primitive::String => "string",
                    Primitive::Buffer => "buffer",
                    _ => return,
                };
                if primitive.refine.range.is_none_or(|range| range.max.is_none()) {
                    found.push((path.to_string(), kind));
                }
            }
            TypeKind::Reference(reference) => {
                if let Some(ast::Angles { items, .. }) = &reference.refine.angles {
                    for item in items {
                        if let ast::Angle::Type(ty) = item {
                            self.lengths(ty, path, scope, found);
                        }
                    }
                }
                // A range written behind a name is a bound.
                if reference.refine.range.is_none_or(|range| range.max.is_none())
                    && let Some(meant) = self.resolve(&reference.name.text, scope)
                {
                    self.reached.insert(meant);
                }
            }
            TypeKind::Array(inner, range) => {
                if range.max.is_none() {
                    found.push((path.to_string(), "array"));
                }
                self.lengths(inner, &format!("{path}[]"), scope, found);
            }
            TypeKind::Struct(members) => self.members(members, path, scope, found),
            TypeKind::TaggedEnum(tagged) => {
                for variant in &tagged.variants {
                    self.members(&variant.members, &format!("{path}.{}", variant.name.text), scope, found);
                }
            }
            TypeKind::Map(key, value) => {
                self.lengths(key, &format!("{path}[key]"), scope, found);
                self.lengths(value, &format!("{path}[value]"), scope, found);
            }
            TypeKind::Optional(inner, _) | TypeKind::Ranged(inner, _) | TypeKind::Broken(inner) => {
                self.lengths(inner, path, scope, found);
            }
            TypeKind::UnitEnum(_) | TypeKind::Set(_) | TypeKind::Error => {}
        }
    }

    fn members(
        &mut self,
        members: &[ast::StructMember],
        path: &str,
        scope: &str,
        found: &mut Vec<(String, &'static str)>,
    ) {
        for member in members {
            match member {
                ast::StructMember::Field(name, ty) => {
                    self.lengths(ty, &format!("{path}.{}", name.text), scope, found);
                }
                ast::StructMember::Merge(_, reference) => {
                    if let Some(meant) = self.resolve(&reference.name.text, scope) {
                        self.reached.insert(meant);
                    }
                }
            }
        }
    }

    /// The declared type that a name means, seen from a scope.
    fn resolve(&self, name: &str, scope: &str) -> Option<String> {
        let mut scope = scope;
        loop {
            let path = format!("{scope}{name}");
            if self.types.contains_key(&path) {
                return Some(path);
            }
            if scope.is_empty() {
                return None;
            }
            let outer = scope.trim_end_matches('.');
            scope = outer.rfind('.').map_or("", |at| &outer[..=at]);
        }
    }
}

/// Fields are called by their names alone; what is no field, by the name of the whole.
fn called(found: &mut [(String, &'static str)], whole: &str) {
    for (path, _) in found {
        match path.strip_prefix('.') {
            Some(field) => *path = field.to_string(),
            None => path.insert_str(0, whole),
        }
    }
}

/// The value of a key, which may be written all in lower case.
fn entry<'a>(block: &'a Block, key: &str) -> Option<&'a Value> {
    let lower = key.to_ascii_lowercase();
    block
        .entries
        .iter()
        .find(|entry| entry.key.text == key || entry.key.text == lower)
        .map(|entry| &entry.value)
}

fn word<'a>(block: &'a Block, key: &str) -> Option<&'a str> {
    match entry(block, key)? {
        Value::Scalar(ast::Scalar { kind: ScalarKind::Word(word), .. }) => Some(word),
        _ => None,
    }
}
