//! Documents to a schema: walks declarations in order, opening scopes and imports, and gives each item its index.
//!
//! Faults are pushed and reading goes on; a broken declaration still declares its name.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::ahead::References;
use super::diagnostics as say;
use super::event::Declared;
use super::extent::Measure;
use super::index::Index;
use super::names::{EntityEntry, MemberEntry, Names, ScopeId};
use super::options::EntryOptions;
use super::state::DeclaredState;
use super::table::DeclaredTable;
use super::{Channel, Item, Options, Profile, Scope, Type, TypeDecl, TypeId};
use crate::Analysis;
use crate::check::{self, Checked};
use crate::diagnostics::{Diagnostic, sort};
use crate::source::{FileId, SourceLoader, Sources, Span};
use crate::syntax::ast::{self, Attribute, Declaration, DeclarationKind, Document, Name};

/// Entries of a channel: its index is one byte.
const CHANNEL_ENTRIES: usize = 256;
/// Names compared in one compilation to find the one that was meant.
const MAX_COMPARISONS: usize = 500_000;

/// Reads and resolves a schema and everything it imports.
pub(crate) fn resolve(loader: &dyn SourceLoader, entry: &str, profile: Profile) -> Analysis {
    let mut resolver = Resolver::new(loader, profile);
    let Some((file, document)) = resolver.load(entry, None) else {
        return resolver.finish(EntryOptions::default(), Scope::empty());
    };
    let options = super::options::read(&document.options, profile, &mut resolver.diagnostics);
    resolver.options = options.options.clone();
    resolver.reading.push(Reading { file, import: None });
    let root = resolver.document(&document, Scope::empty());
    resolver.finish(options, root)
}

/// A file being read, and the import that names it.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub file: FileId,
    pub import: Option<Span>,
}

/// Where the walk is.
#[derive(Clone)]
pub(super) struct Here {
    pub scope: ScopeId,
    /// Names of the scopes around, from the top level down.
    pub path: Vec<String>,
    /// The attribute that leaves everything here out of the build.
    pub excluded: Option<Span>,
    /// The import in the entry file through which this is reached.
    pub via: Option<Span>,
    /// Scopes between here and the top level of the document.
    pub depth: usize,
    /// The type being declared.
    pub declaring: Option<Name>,
    /// Parameters of the type being declared.
    pub params: Vec<String>,
}

/// Declarations that follow one another, still to be read.
struct Remaining<'a> {
    rest: &'a [Declaration],
    /// Where they are.
    here: Here,
    /// Those behind the scope they are in.
    around: Option<&'a Remaining<'a>>,
}

/// What brings Roblox types into the modules, with the first use of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    pub enum_item: Option<Span>,
    pub color_sequence: Option<Span>,
    pub classes: BTreeMap<String, Span>,
}

/// What a declared name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Type { export: bool },
    Event,
    Function,
    State,
    Table,
    Entity,
    Scope,
    Import,
}

/// A declared name that reaches the modules.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredName {
    pub name: Name,
    pub kind: NameKind,
    /// Whether it stands at the top level of its own document.
    pub top_level: bool,
}

pub(super) struct Resolver<'a> {
    pub(super) loader: &'a dyn SourceLoader,
    pub(super) profile: Profile,
    pub(super) options: Options,
    pub(super) sources: Sources,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) names: Names,
    pub(super) types: Vec<TypeDecl>,
    pub(super) excluded_types: Vec<Type>,
    pub(super) measure: Measure,
    /// Types that copies of generic declarations may still consist of.
    pub(super) copies: u32,
    /// Names that may still be compared with one that is not declared: a hostile schema has many of both.
    pub(super) comparisons: usize,
    pub(super) documents: HashMap<FileId, Arc<Document>>,
    /// What the types of a file refer to, once it was asked for.
    pub(super) references: HashMap<FileId, References>,
    /// Where the word `export` of exported types is.
    pub(super) export_words: HashMap<TypeId, Span>,
    pub(super) reading: Vec<Reading>,
    pub(super) first_imports: HashMap<FileId, Span>,
    pub(super) imports: usize,
    pub(super) luau_names: HashMap<String, Span>,
    channels: [usize; 2],
    /// Entities this build compiles so far.
    pub(super) entities: usize,
    pub(super) uses: Uses,
    pub(super) declared: Vec<Declared>,
    pub(super) states: Vec<DeclaredState>,
    pub(super) tables: Vec<DeclaredTable>,
    /// What the text of the files refers to, for those who ask later.
    pub(super) index: Index,
    declared_names: Vec<DeclaredName>,
    pub(super) here: Here,
}

impl Scope {
    fn empty() -> Scope {
        Scope { name: String::new(), path: vec![], items: vec![], span: Span::default() }
    }
}

impl<'a> Resolver<'a> {
    fn new(loader: &'a dyn SourceLoader, profile: Profile) -> Resolver<'a> {
        let mut names = Names::default();
        let scope = names.open(None, BTreeMap::new());
        Resolver {
            loader,
            profile,
            options: Options::default(),
            sources: Sources::default(),
            diagnostics: vec![],
            names,
            types: vec![],
            excluded_types: vec![],
            measure: Measure::default(),
            copies: super::extent::MAX_COPIES,
            comparisons: MAX_COMPARISONS,
            documents: HashMap::new(),
            references: HashMap::new(),
            export_words: HashMap::new(),
            reading: vec![],
            first_imports: HashMap::new(),
            imports: 0,
            luau_names: HashMap::new(),
            channels: [0; 2],
            entities: 0,
            uses: Uses::default(),
            declared: vec![],
            states: vec![],
            tables: vec![],
            index: Index::default(),
            declared_names: vec![],
            here: Here {
                scope,
                path: vec![],
                excluded: None,
                via: None,
                depth: 0,
                declaring: None,
                params: vec![],
            },
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Runs the checks that need everything resolved, and hands the schema over when nothing is wrong with it.
    fn finish(mut self, options: EntryOptions, root: Scope) -> Analysis {
        let schema = super::Schema::new(options.options, self.types, root);
        let checked = Checked {
            schema: &schema,
            declared: &self.declared,
            states: &self.states,
            tables: &self.tables,
            names: &self.declared_names,
            uses: &self.uses,
            option_spans: &options.spans,
            excluded_types: &self.excluded_types,
            export_words: &self.export_words,
        };
        check::run(&checked, &mut self.diagnostics);
        sort(&mut self.diagnostics);
        let sound = !self.diagnostics.iter().any(Diagnostic::is_error);
        let mut index = self.index;
        index.documents = self.documents;
        index.names = self.names;
        Analysis {
            sources: self.sources,
            index,
            schema: sound.then_some(schema),
            diagnostics: self.diagnostics,
            option_spans: options.spans.into_iter().map(|(name, span)| (name.to_string(), span)).collect(),
        }
    }

    /// Reads and parses a file, once however often it is imported. `None` when it cannot be read.
    pub(super) fn load(&mut self, path: &str, import: Option<Span>) -> Option<(FileId, Arc<Document>)> {
        if let Some(file) = self.sources.find(path) {
            return self.documents.get(&file).map(|document| (file, Arc::clone(document)));
        }
        let shown = self.loader.shown(path);
        let text = self.loader.read(path).and_then(|bytes| {
            if bytes.len() >= u32::MAX as usize {
                return Err("it is larger than 4 GiB".to_string());
            }
            String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())
        });
        match text {
            Ok(text) => {
                let text = text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text);
                let file = self.sources.add(path, &shown, text);
                let parsed = crate::syntax::parse(file, &self.sources[file].text);
                self.diagnostics.extend(parsed.diagnostics);
                let document = Arc::new(parsed.document);
                self.documents.insert(file, Arc::clone(&document));
                Some((file, document))
            }
            Err(why) => {
                self.report(say::unreadable(&shown, &why, import));
                None
            }
        }
    }

    /// Resolves a document at its own top level into `scope`, which the module sees it as.
    pub(super) fn document(&mut self, document: &Document, mut scope: Scope) -> Scope {
        self.here.scope = self.names.open(None, ahead(&document.declarations));
        if let Some(reading) = self.reading.last() {
            self.index.files.entry(reading.file).or_insert(self.here.scope);
        }
        self.declarations(&document.declarations, &mut scope, None);
        scope
    }

    fn declarations(&mut self, declarations: &[Declaration], scope: &mut Scope, around: Option<&Remaining>) {
        // What follows around is known already: since the scope around began, or since the last import.
        self.foresee(&Remaining { rest: declarations, here: self.here.clone(), around: None });
        for (place, declaration) in declarations.iter().enumerate() {
            let remaining = Remaining { rest: &declarations[place + 1..], here: self.here.clone(), around };
            let excluded = self.attributes(&declaration.attributes);
            self.here.excluded = remaining.here.excluded.or(excluded);
            self.declaration(declaration, scope, &remaining);
            self.here.excluded = remaining.here.excluded;
            if matches!(declaration.kind, DeclarationKind::Import(_)) {
                self.foresee(&remaining);
            }
        }
    }

    /// Makes known the entities that follow, here and then in the scopes around, with the numbers they will have: up to the
    /// next import, behind which these depend on what it brings.
    fn foresee(&mut self, remaining: &Remaining) {
        let mut next = self.entities;
        let mut level = Some(remaining);
        while let Some(remaining) = level {
            if !self.number_entities(
                remaining.rest,
                Some(&remaining.here),
                remaining.here.excluded,
                &mut next,
            ) {
                return;
            }
            level = remaining.around;
        }
    }

    /// Counts entities on from `next`, and makes known those of the list that is `here`. False once an import ends it.
    fn number_entities(
        &mut self,
        declarations: &[Declaration],
        here: Option<&Here>,
        outer: Option<Span>,
        next: &mut usize,
    ) -> bool {
        for declaration in declarations {
            #[cfg(test)]
            super::tests::LOOKED_AHEAD.set(super::tests::LOOKED_AHEAD.get() + 1);
            // Whatever is wrong with an attribute is said when the declaration is read.
            let excluded =
                outer.or(super::profiles::excluding(&declaration.attributes, self.profile, &mut vec![]));
            match &declaration.kind {
                DeclarationKind::Import(_) => return false,
                DeclarationKind::Scope(inner) => {
                    if !self.number_entities(&inner.declarations, None, excluded, next) {
                        return false;
                    }
                }
                DeclarationKind::Entity(entity) => {
                    if let Some(here) = here {
                        let name = &entity.name;
                        let path: Vec<&str> =
                            here.path.iter().map(String::as_str).chain([name.text.as_str()]).collect();
                        let entry = EntityEntry {
                            span: name.span,
                            path: path.join(".").into(),
                            index: u8::try_from(*next).unwrap_or(u8::MAX),
                            excluded,
                        };
                        self.names.foresee_entity(here.scope, &name.text, entry);
                    }
                    *next += usize::from(excluded.is_none());
                }
                DeclarationKind::Type(_)
                | DeclarationKind::Event(_)
                | DeclarationKind::Function(_)
                | DeclarationKind::State(_)
                | DeclarationKind::Table(_)
                | DeclarationKind::Nothing => {}
            }
        }
        true
    }

    /// Checks the attributes of a statement; gives the one that leaves it out of this build.
    fn attributes(&mut self, attributes: &[Attribute]) -> Option<Span> {
        super::profiles::excluding(attributes, self.profile, &mut self.diagnostics)
    }

    fn declaration(&mut self, declaration: &Declaration, scope: &mut Scope, remaining: &Remaining) {
        if let Some(export) = declaration.export {
            let what = match &declaration.kind {
                DeclarationKind::Event(_) => Some("an event"),
                DeclarationKind::Function(_) => Some("a function"),
                DeclarationKind::State(_) => Some("a state"),
                DeclarationKind::Table(_) => Some("a table"),
                DeclarationKind::Entity(_) => Some("an entity"),
                DeclarationKind::Scope(_) => Some("a scope"),
                DeclarationKind::Type(_) | DeclarationKind::Import(_) | DeclarationKind::Nothing => None,
            };
            if let Some(what) = what {
                let word = Span { end: declaration.keyword.start, ..export };
                self.report(say::not_exportable(export, word, declaration.keyword, what));
            }
        }
        let item = match &declaration.kind {
            DeclarationKind::Nothing => {
                if let Some(attribute) = declaration.attributes.first() {
                    self.report(say::stray_attribute(attribute.span));
                }
                None
            }
            DeclarationKind::Import(import) => self.import(import),
            DeclarationKind::Scope(inner) => self.scope(inner, remaining),
            DeclarationKind::Event(member) => self.event(member),
            DeclarationKind::Function(member) => self.function(member),
            DeclarationKind::State(member) => self.state(member),
            DeclarationKind::Table(member) => self.table(member),
            DeclarationKind::Entity(member) => self.entity(member),
            DeclarationKind::Type(declared) => self.type_decl(declared, declaration.export_word()),
        };
        if self.here.excluded.is_none() {
            scope.items.extend(item);
        }
    }

    /// The path of a name declared here.
    pub(super) fn path_of(&self, name: &str) -> Vec<String> {
        let mut path = self.here.path.clone();
        path.push(name.to_string());
        path
    }

    /// Declares the name of a member here.
    pub(super) fn declare_member(&mut self, name: &Name, kind: NameKind, inner: Option<ScopeId>) {
        let scope = self.here.scope;
        let what = match kind {
            NameKind::Event => "event",
            NameKind::Function => "function",
            NameKind::State => "state",
            NameKind::Table => "table",
            NameKind::Entity => "entity",
            NameKind::Scope => "scope",
            NameKind::Import => "import",
            NameKind::Type { .. } => "type",
        };
        if let Some(first) = self.names.visible_member(scope, &name.text) {
            self.report(say::duplicate_declaration(name.span, first.span, &name.text, what));
        } else if let Some((first, word)) = self.names.own_export(scope, &name.text) {
            self.report(say::export_beside_member(name.span, first, &name.text, Some(word)));
        }
        self.names.add_member(scope, &name.text, MemberEntry { span: name.span, scope: inner });
        self.declare_name(name, kind);
    }

    pub(super) fn declare_name(&mut self, name: &Name, kind: NameKind) {
        if self.here.excluded.is_none() {
            let top_level = self.here.depth == 0;
            self.declared_names.push(DeclaredName { name: name.clone(), kind, top_level });
        }
    }

    /// The next index of a channel. The 257th entry is reported, where an import brings it in at the import.
    pub(super) fn next_index(&mut self, channel: Channel, name: Span) -> u8 {
        let (slot, word) = match channel {
            Channel::Reliable => (0, "reliable"),
            Channel::Unreliable => (1, "unreliable"),
        };
        let index = self.channels[slot];
        if index == CHANNEL_ENTRIES {
            self.report(say::channel_full(self.here.via.unwrap_or(name), word));
        }
        self.channels[slot] += 1;
        u8::try_from(index).unwrap_or(u8::MAX)
    }

    fn scope(&mut self, inner: &ast::Scope, remaining: &Remaining) -> Option<Item> {
        let id = self.names.open(Some(self.here.scope), ahead(&inner.declarations));
        self.index.scopes.entry(inner.name.span).or_insert(id);
        self.declare_member(&inner.name, NameKind::Scope, Some(id));
        let path = self.path_of(&inner.name.text);
        let mut scope =
            Scope { name: inner.name.text.clone(), path: path.clone(), items: vec![], span: inner.name.span };
        let depth = self.here.depth + 1;
        let outer = self.here.clone();
        self.here = Here { scope: id, path, depth, ..outer.clone() };
        self.declarations(&inner.declarations, &mut scope, Some(remaining));
        self.here = outer;
        Some(Item::Scope(scope))
    }
}

/// The types a scope declares, with their names' places.
fn ahead(declarations: &[Declaration]) -> BTreeMap<String, Span> {
    let mut ahead = BTreeMap::new();
    for declaration in declarations {
        let name = match &declaration.kind {
            DeclarationKind::Type(declared) => &declared.name,
            DeclarationKind::Entity(declared) => &declared.name,
            _ => continue,
        };
        ahead.entry(name.text.clone()).or_insert(name.span);
    }
    ahead
}
