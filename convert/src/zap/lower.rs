//! zap's declarations, as a draft. Source: tooling specification, 8.4.
//!
//! zap takes types in any order, and the language only what was declared before. A type is therefore declared where it is
//! first needed, when that is possible, and written out where it is not.

use std::collections::{BTreeMap, BTreeSet};

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::source::{Sources, Span};

use super::ast::{Config, Event, Function, Item, ItemKind, Name, Parameter, Ty, TyKind};
use super::lower_options::{Options, options};
use super::lower_types::{self, is_primitive};
use crate::draft::{self, Draft, Head, Known, Payload, Rate, Side, TypeId, lost};
use crate::refused;
use crate::report::{Kind, Place, Report};

pub(super) type Lowered<T> = Result<T, Box<Diagnostic>>;

/// Most types written out where they are used: doubling one often enough makes a draft without end.
const MOST_WRITTEN_OUT: usize = 20_000;

/// Most types one inside the other, over every name on the way.
pub(super) const DEEPEST: usize = 300;

/// Drafts a whole file. Errors: a name that is not declared, or a value that zap itself would refuse.
pub(super) fn lower(config: &Config, sources: &Sources, report: &mut Report) -> Lowered<Draft> {
    let place = |span: Span| place(sources, span);
    let has_functions = has_functions(&config.items);
    let options = options(&config.options, has_functions, &place, report)?;
    let mut lower = Lower {
        sources,
        report,
        call_default: options.call_default,
        yields: options.yields,
        spaces: vec![Space::default()],
        types: vec![],
        open: vec![],
        emitted: BTreeSet::new(),
        busy: BTreeSet::new(),
        used: BTreeSet::new(),
        written_out: 0,
        depth: 0,
    };
    lower.declare(&config.items, 0)?;
    let items = lower.space(&config.items, 0)?;
    lower.list_unused();
    let Options { settings, has_outputs, .. } = options;
    Ok(Draft { settings, items, footer: config.footer.clone(), has_outputs })
}

pub(super) fn place(sources: &Sources, span: Span) -> Place {
    Place { file: sources[span.file].shown.clone(), line: sources.start(span).line as usize }
}

fn has_functions(items: &[Item]) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::Function(_) => true,
        ItemKind::Namespace(items) => has_functions(items),
        ItemKind::Type(_) | ItemKind::Event(_) => false,
    })
}

/// Names of a namespace, the file itself being the first.
#[derive(Default)]
struct Space<'a> {
    parent: Option<usize>,
    name: String,
    types: BTreeMap<&'a str, usize>,
    spaces: BTreeMap<&'a str, usize>,
    members: BTreeSet<&'a str>,
}

/// A declared type.
struct Declared<'a> {
    name: &'a Name,
    comments: &'a [String],
    ty: &'a Ty,
    space: usize,
}

/// A namespace that is being written.
struct Open {
    space: usize,
    items: Vec<draft::Item>,
}

pub(super) struct Lower<'a> {
    sources: &'a Sources,
    pub(super) report: &'a mut Report,
    call_default: Option<&'static str>,
    yields: &'static str,
    spaces: Vec<Space<'a>>,
    types: Vec<Declared<'a>>,
    open: Vec<Open>,
    emitted: BTreeSet<usize>,
    /// Types that are being read.
    busy: BTreeSet<usize>,
    used: BTreeSet<usize>,
    /// Types that were written out where they are used.
    written_out: usize,
    /// Types that are read, one inside the other.
    pub(super) depth: usize,
}

/// Where a type is written: what losses are told of, the namespace its names are looked up in, and how deep among the
/// open namespaces it ends up.
#[derive(Clone)]
pub(super) struct At<'h> {
    pub(super) head: &'h Head,
    pub(super) space: usize,
    level: usize,
    /// Whether names are spelled as they are, being written where they were.
    in_place: bool,
}

impl<'a> Lower<'a> {
    fn declare(&mut self, items: &'a [Item], space: usize) -> Lowered<()> {
        for item in items {
            let name = item.name.text.as_str();
            let twice = || {
                let headline = format!("\"{name}\" is declared twice");
                Err(Box::new(refused(headline, item.name.span, "declared again here")))
            };
            if let ItemKind::Type(ty) = &item.kind {
                let number = self.types.len();
                self.types.push(Declared { name: &item.name, comments: &item.comments, ty, space });
                if self.spaces[space].types.insert(name, number).is_some() {
                    return twice();
                }
                continue;
            }
            if !self.spaces[space].members.insert(name) {
                return twice();
            }
            if let ItemKind::Namespace(inner) = &item.kind {
                let number = self.spaces.len();
                self.spaces[space].spaces.insert(name, number);
                self.spaces.push(Space { parent: Some(space), name: name.to_string(), ..Space::default() });
                self.declare(inner, number)?;
            }
        }
        Ok(())
    }

    /// The type a path means, seen from a namespace.
    fn resolve(&self, path: &str, space: usize) -> Option<usize> {
        let (folders, last) = match path.rsplit_once('.') {
            Some((folders, last)) => (folders.split('.').collect::<Vec<_>>(), last),
            None => (vec![], path),
        };
        let mut from = Some(space);
        while let Some(at) = from {
            let inner = folders.iter().try_fold(at, |at, name| self.spaces[at].spaces.get(name).copied());
            if let Some(found) = inner.and_then(|inner| self.spaces[inner].types.get(last)) {
                return Some(*found);
            }
            from = self.spaces[at].parent;
        }
        None
    }

    fn space(&mut self, items: &'a [Item], space: usize) -> Lowered<Vec<draft::Item>> {
        self.open.push(Open { space, items: vec![] });
        for item in items {
            let level = self.open.len() - 1;
            match &item.kind {
                ItemKind::Type(_) => {
                    if let Some(number) = self.spaces[space].types.get(item.name.text.as_str()).copied() {
                        self.emit(number, level)?;
                    }
                }
                ItemKind::Event(event) => {
                    let head = self.head(&item.name, &item.comments);
                    let event = self.event(event, head, space, level)?;
                    self.open[level].items.push(draft::Item::Event(event));
                }
                ItemKind::Function(function) => {
                    let head = self.head(&item.name, &item.comments);
                    let function = self.function(function, head, space, level)?;
                    self.open[level].items.push(draft::Item::Function(function));
                }
                ItemKind::Namespace(inner) => {
                    let head = self.head(&item.name, &item.comments);
                    let number = self.spaces[space].spaces.get(item.name.text.as_str()).copied();
                    let items = self.space(inner, number.unwrap_or(space))?;
                    self.open[level].items.push(draft::Item::Scope(draft::Scope { head, items }));
                }
            }
        }
        Ok(self.open.pop().map(|open| open.items).unwrap_or_default())
    }

    fn head(&self, name: &Name, comments: &[String]) -> Head {
        Head {
            name: name.text.clone(),
            comments: comments.to_vec(),
            place: Some(place(self.sources, name.span)),
        }
    }

    /// Declares a type in its namespace, which is open at that level, unless it is declared already or has no
    /// declaration of its own.
    fn emit(&mut self, number: usize, level: usize) -> Lowered<()> {
        if self.emitted.contains(&number) || self.busy.contains(&number) || !self.has_declaration(number) {
            return Ok(());
        }
        let Declared { name, comments, ty, space } = self.types[number];
        let head = self.head(name, comments);
        self.busy.insert(number);
        let at = At { head: &head, space, level, in_place: true };
        let lowered = self.ty(ty, &at)?;
        self.busy.remove(&number);
        self.emitted.insert(number);
        let declaration = draft::TypeDecl { head, id: TypeId(number), ty: lowered };
        self.open[level].items.push(draft::Item::Type(declaration));
        Ok(())
    }

    /// Whether the language can declare it: arrays and optionals of composites, and other names of those, it cannot.
    fn has_declaration(&self, number: usize) -> bool {
        let Declared { ty, space, .. } = self.types[number];
        match &ty.kind {
            TyKind::Struct(_) | TyKind::Enum(_) | TyKind::Tagged(..) | TyKind::Map(..) | TyKind::Set(_) => {
                true
            }
            TyKind::Union => true,
            TyKind::Word { .. } | TyKind::Optional(_) | TyKind::Array(..) => {
                self.is_bare(base(ty), space, &mut BTreeSet::new())
            }
        }
    }

    /// Whether a type is a primitive, or a name of one, without suffixes.
    fn is_bare(&self, ty: &Ty, space: usize, seen: &mut BTreeSet<usize>) -> bool {
        match &ty.kind {
            TyKind::Word { path, .. } if is_primitive(path) => true,
            TyKind::Word { path, .. } => self.resolve(path, space).is_some_and(|number| {
                let Declared { ty, space, .. } = self.types[number];
                seen.insert(number) && self.is_bare(ty, space, seen)
            }),
            TyKind::Union => true,
            _ => false,
        }
    }

    /// What a name that is no primitive stands for.
    pub(super) fn reference(&mut self, path: &str, span: Span, at: &At<'_>) -> Lowered<draft::Ty> {
        let Some(number) = self.resolve(path, at.space) else {
            let headline = format!("there is no type `{path}`");
            let note = "If a later zap has it, the converter does not know it yet.";
            return Err(Box::new(refused(headline, span, "not declared").note(note)));
        };
        self.used.insert(number);
        if self.busy.contains(&number) {
            let message = format!(
                "{}: `{path}` holds itself, so it became `unknown` here: types have an end",
                at.head.name
            );
            self.report.lost(&at.head.name, Some(place(self.sources, span)), message);
            return Ok(draft::Ty::Unknown);
        }
        let home = self.types[number].space;
        if self.has_declaration(number) {
            let level =
                self.open.iter().position(|open| open.space == home).filter(|level| *level <= at.level);
            if let Some(level) = level {
                self.emit(number, level)?;
            }
            if self.emitted.contains(&number) && self.is_visible(home, at.level) {
                let spelled = if at.in_place { path.to_string() } else { self.full_path(number) };
                return Ok(draft::Ty::Named(TypeId(number), spelled));
            }
        }
        self.written_out += 1;
        if self.written_out > MOST_WRITTEN_OUT {
            let headline = "the definitions write more types out than a schema takes";
            let note = "An array or optional has no declaration of its own, so each use of it is written out. Use it less often.";
            return Err(Box::new(refused(headline, span, "one too many").note(note)));
        }
        // Written out, with its own names looked up where they were written.
        let ty = self.types[number].ty;
        self.busy.insert(number);
        let inner = At { head: at.head, space: home, level: at.level, in_place: false };
        let lowered = self.ty(ty, &inner);
        self.busy.remove(&number);
        lowered
    }

    /// Whether what a namespace declares can be named from an open one: all of it stands before.
    fn is_visible(&self, home: usize, level: usize) -> bool {
        let mut from = Some(home);
        while let Some(space) = from {
            if self.open.iter().skip(level + 1).any(|open| open.space == space) {
                return false;
            }
            from = self.spaces[space].parent;
        }
        true
    }

    fn full_path(&self, number: usize) -> String {
        let mut path = vec![self.types[number].name.text.as_str()];
        let mut space = self.types[number].space;
        while let Some(parent) = self.spaces[space].parent {
            path.insert(0, &self.spaces[space].name);
            space = parent;
        }
        path.join(".")
    }

    fn list_unused(&mut self) {
        for number in 0..self.types.len() {
            if self.has_declaration(number) || self.used.contains(&number) {
                continue;
            }
            let name = self.types[number].name;
            let message = format!(
                "type {} is left out: it is used nowhere, and an array or optional has no declaration of its own",
                name.text
            );
            self.report.lost(&name.text, Some(place(self.sources, name.span)), message);
        }
    }

    fn event(&mut self, event: &'a Event, head: Head, space: usize, level: usize) -> Lowered<draft::Event> {
        let call = match (&event.call, self.call_default) {
            (Some(call), _) => lower_types::call(&call.text),
            (None, default) => default,
        };
        let Some(call) = call else {
            let headline = format!("event \"{}\" needs `call`: there is no `opt call_default`", head.name);
            return Err(Box::new(refused(headline, event.from.span, "`call` is needed beside this")));
        };
        let data =
            self.payload(&event.data, event.packed, &At { head: &head, space, level, in_place: true })?;
        let kind = match event.kind.text.as_str() {
            "Unreliable" => "Unreliable",
            "OrderedUnreliable" => "OrderedUnreliable",
            _ => "Reliable",
        };
        Ok(draft::Event {
            head,
            from: Known::Stated(if event.from.text == "Server" { Side::Server } else { Side::Client }),
            kind: Known::Stated(kind),
            call,
            rate: Rate::Asked,
            data,
        })
    }

    fn function(
        &mut self,
        function: &'a Function,
        head: Head,
        space: usize,
        level: usize,
    ) -> Lowered<draft::Function> {
        if let Some(call) = &function.call {
            let message =
                format!("`call: {}` of {} is left out: a function has one handler", call.text, head.name);
            lost(self.report, &head, message);
        }
        let at = At { head: &head, space, level, in_place: true };
        let data = self.payload(&function.args, function.args_packed, &at)?;
        let returns = self.payload(&function.rets, function.rets_packed, &at)?;
        Ok(draft::Function {
            head,
            from: Known::Stated(Side::Client),
            yields: self.yields,
            rate: Rate::Asked,
            data,
            returns,
        })
    }

    fn payload(&mut self, values: &'a [Parameter], packed: bool, at: &At<'_>) -> Lowered<Payload> {
        let mut elements = Vec::new();
        for value in values {
            let name = value.name.as_ref().map(|name| name.text.clone());
            elements.push((name, self.ty(&value.ty, at)?));
        }
        Ok(match elements.len() {
            0 => Payload::Nothing,
            1 if !packed || elements[0].0.is_none() => {
                elements.pop().map_or(Payload::Nothing, |(_, ty)| Payload::One(ty))
            }
            _ => Payload::Pack(elements),
        })
    }

    /// Notes a loss at a place inside a declaration.
    pub(super) fn lost_at(&mut self, head: &Head, span: Span, message: String) {
        self.report.add(
            Kind::Loss,
            &head.name,
            Some(place(self.sources, span)),
            format!("{}: {message}", head.name),
        );
    }

    /// Notes a name that could not stay.
    pub(super) fn renamed_at(&mut self, head: &Head, span: Span, message: String) {
        let place = Some(place(self.sources, span));
        self.report.add(Kind::Renamed, &head.name, place, message);
    }

    /// The text of a span, on one line.
    pub(super) fn source(&self, span: Span) -> String {
        self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// What the suffixes of a type stand on.
fn base(ty: &Ty) -> &Ty {
    match &ty.kind {
        TyKind::Optional(inner) | TyKind::Array(inner, _) => base(inner),
        _ => ty,
    }
}
