//! Documents to a schema: walks declarations in order, opening scopes and imports, and gives each item its index.
//!
//! Faults are pushed and reading goes on; a broken declaration still declares its name.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::diagnostics as say;
use super::event::Declared;
use super::extent::Measure;
use super::names::{MemberEntry, Names, ScopeId, TypeEntry};
use super::options::EntryOptions;
use super::ty::refine_alias;
use super::{Channel, Item, Options, Profile, Scope, Type, TypeDecl, TypeId, TypeKind};
use crate::Analysis;
use crate::check::{self, Checked};
use crate::diagnostics::{Diagnostic, sort};
use crate::source::{FileId, SourceLoader, Sources, Span, parent, resolve_path, stem};
use crate::syntax::ast::{
    self, Attribute, Declaration, DeclarationKind, Document, Name, PrimitiveType, TypeKeyword,
};

/// Most files in a chain of imports.
const MAX_CHAIN: usize = 100;
/// Most imports in one compilation: a schema can double them with every file it has.
const MAX_IMPORTS: usize = 4096;
/// Entries of a channel: its index is one byte.
const CHANNEL_ENTRIES: usize = 256;

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
struct Reading {
    file: FileId,
    import: Option<Span>,
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
    loader: &'a dyn SourceLoader,
    profile: Profile,
    pub(super) options: Options,
    sources: Sources,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) names: Names,
    types: Vec<TypeDecl>,
    excluded_types: Vec<Type>,
    pub(super) measure: Measure,
    documents: HashMap<FileId, Rc<Document>>,
    reading: Vec<Reading>,
    first_imports: HashMap<FileId, Span>,
    imports: usize,
    luau_names: HashMap<String, Span>,
    channels: [usize; 2],
    pub(super) uses: Uses,
    pub(super) declared: Vec<Declared>,
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
            documents: HashMap::new(),
            reading: vec![],
            first_imports: HashMap::new(),
            imports: 0,
            luau_names: HashMap::new(),
            channels: [0; 2],
            uses: Uses::default(),
            declared: vec![],
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
        let schema = super::Schema { options: options.options, types: self.types, root };
        let checked = Checked {
            schema: &schema,
            declared: &self.declared,
            names: &self.declared_names,
            uses: &self.uses,
            option_spans: &options.spans,
            excluded_types: &self.excluded_types,
        };
        check::run(&checked, &mut self.diagnostics);
        sort(&mut self.diagnostics);
        let sound = !self.diagnostics.iter().any(Diagnostic::is_error);
        Analysis {
            sources: self.sources,
            schema: sound.then_some(schema),
            diagnostics: self.diagnostics,
            option_spans: options.spans.into_iter().map(|(name, span)| (name.to_string(), span)).collect(),
        }
    }

    /// Reads and parses a file, once however often it is imported. `None` when it cannot be read.
    fn load(&mut self, path: &str, import: Option<Span>) -> Option<(FileId, Rc<Document>)> {
        if let Some(file) = self.sources.find(path) {
            return self.documents.get(&file).map(|document| (file, Rc::clone(document)));
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
                let document = Rc::new(parsed.document);
                self.documents.insert(file, Rc::clone(&document));
                Some((file, document))
            }
            Err(why) => {
                self.report(say::unreadable(&shown, &why, import));
                None
            }
        }
    }

    /// Resolves a document at its own top level into `scope`, which the module sees it as.
    fn document(&mut self, document: &Document, mut scope: Scope) -> Scope {
        self.here.scope = self.names.open(None, ahead(&document.declarations));
        self.declarations(&document.declarations, &mut scope);
        scope
    }

    fn declarations(&mut self, declarations: &[Declaration], scope: &mut Scope) {
        for declaration in declarations {
            let outer = self.here.excluded;
            let excluded = self.attributes(&declaration.attributes);
            self.here.excluded = outer.or(excluded);
            self.declaration(declaration, scope);
            self.here.excluded = outer;
        }
    }

    /// Checks the attributes of a statement; gives the one that leaves it out of this build.
    fn attributes(&mut self, attributes: &[Attribute]) -> Option<Span> {
        super::profiles::excluding(attributes, self.profile, &mut self.diagnostics)
    }

    fn declaration(&mut self, declaration: &Declaration, scope: &mut Scope) {
        if let Some(export) = declaration.export {
            let what = match &declaration.kind {
                DeclarationKind::Event(_) => Some("an event"),
                DeclarationKind::Function(_) => Some("a function"),
                DeclarationKind::Scope(_) => Some("a scope"),
                DeclarationKind::Type(_) | DeclarationKind::Import(_) | DeclarationKind::Nothing => None,
            };
            if let Some(what) = what {
                self.report(say::not_exportable(export, declaration.keyword, what));
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
            DeclarationKind::Scope(inner) => self.scope(inner),
            DeclarationKind::Event(member) => self.event(member),
            DeclarationKind::Function(member) => self.function(member),
            DeclarationKind::Type(declared) => self.type_decl(declared, declaration.export.is_some()),
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
            NameKind::Scope => "scope",
            NameKind::Import => "import",
            NameKind::Type { .. } => "type",
        };
        if let Some(first) = self.names.visible_member(scope, &name.text) {
            self.report(say::duplicate_declaration(name.span, first.span, &name.text, what));
        } else if let Some(first) = self.names.own_export(scope, &name.text) {
            self.report(say::export_beside_member(name.span, first, &name.text));
        }
        self.names.add_member(scope, &name.text, MemberEntry { span: name.span, scope: inner });
        self.declare_name(name, kind);
    }

    fn declare_name(&mut self, name: &Name, kind: NameKind) {
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

    fn scope(&mut self, inner: &ast::Scope) -> Option<Item> {
        let id = self.names.open(Some(self.here.scope), ahead(&inner.declarations));
        self.declare_member(&inner.name, NameKind::Scope, Some(id));
        let path = self.path_of(&inner.name.text);
        let mut scope =
            Scope { name: inner.name.text.clone(), path: path.clone(), items: vec![], span: inner.name.span };
        let depth = self.here.depth + 1;
        let outer = self.here.clone();
        self.here = Here { scope: id, path, depth, ..outer.clone() };
        self.declarations(&inner.declarations, &mut scope);
        self.here = outer;
        Some(Item::Scope(scope))
    }

    fn import(&mut self, import: &ast::Import) -> Option<Item> {
        let path = &import.path;
        let importing = self.reading.last()?.file;
        let folder = parent(&self.sources[importing].path).to_string();
        let resolved = match resolve_path(self.loader, &folder, &path.text) {
            Ok(resolved) => resolved,
            Err(tried) => {
                let tried = tried.map(|path| self.loader.shown(&path));
                self.report(say::unknown_import(path.span, &path.text, &tried));
                return self.unread_import(import);
            }
        };
        if let Some(at) = self.reading.iter().position(|reading| self.sources[reading.file].path == resolved)
        {
            let ring: Vec<Span> =
                self.reading[at + 1..].iter().filter_map(|reading| reading.import).collect();
            self.report(say::cyclic_import(path.span, &path.text, &ring));
            return self.unread_import(import);
        }
        self.imports += 1;
        if self.reading.len() >= MAX_CHAIN || self.imports > MAX_IMPORTS {
            let limit = match self.reading.len() >= MAX_CHAIN {
                true => format!("A chain of imports is at most {MAX_CHAIN} files long."),
                false => format!("A compilation reads at most {MAX_IMPORTS} imports."),
            };
            let shown = self.loader.shown(&resolved);
            self.report(say::too_many_imports(&shown, path.span, &limit));
            return self.unread_import(import);
        }
        let Some((file, document)) = self.load(&resolved, Some(path.span)) else {
            return self.unread_import(import);
        };
        self.repeated_import(file, &document, path);
        Some(Item::Scope(self.imported(import, file, &document)))
    }

    /// Declares the name of an import whose file is not read, so that uses of it say nothing more than they must.
    fn unread_import(&mut self, import: &ast::Import) -> Option<Item> {
        let name = self.import_name(import);
        let id = self.names.open(None, BTreeMap::new());
        self.declare_member(&name, NameKind::Import, Some(id));
        None
    }

    fn import_name(&mut self, import: &ast::Import) -> Name {
        if let Some(alias) = &import.alias {
            return alias.clone();
        }
        let stem = stem(&import.path.text);
        let mut chars = stem.chars();
        let identifier = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && chars.all(|char| char.is_ascii_alphanumeric() || char == '_');
        if !identifier || crate::syntax::token::Primitive::from_text(stem).is_some() {
            self.report(say::unnamed_import(import.path.span, stem));
        }
        Name { text: stem.to_string(), span: import.path.span }
    }

    /// Warns of a second copy of a file's own events.
    fn repeated_import(&mut self, file: FileId, document: &Document, path: &Name) {
        if self.here.excluded.is_some() || !self.declares_members(&document.declarations) {
            return;
        }
        match self.first_imports.get(&file).copied() {
            None => {
                self.first_imports.insert(file, path.span);
            }
            Some(first) => {
                // An import inside a file that is itself imported twice repeats itself: the outer one is at fault.
                let at = if first == path.span { self.here.via.unwrap_or(path.span) } else { path.span };
                self.report(say::repeated_import(at, first, &path.text));
            }
        }
    }

    /// Whether a file declares an event or a function this build compiles, in its own scopes.
    fn declares_members(&self, declarations: &[Declaration]) -> bool {
        declarations.iter().any(|declaration| {
            let excluded = super::profiles::excluding(&declaration.attributes, self.profile, &mut vec![]);
            excluded.is_none()
                && match &declaration.kind {
                    DeclarationKind::Event(_) | DeclarationKind::Function(_) => true,
                    DeclarationKind::Scope(scope) => self.declares_members(&scope.declarations),
                    DeclarationKind::Import(_) | DeclarationKind::Type(_) | DeclarationKind::Nothing => false,
                }
        })
    }

    /// Reads an imported file as a document of its own, then lets it behave as a scope.
    fn imported(&mut self, import: &ast::Import, file: FileId, document: &Document) -> Scope {
        let name = self.import_name(import);
        super::options::read(&document.options, self.profile, &mut self.diagnostics);
        let path = self.path_of(&name.text);
        let outer = self.here.clone();
        self.here = Here {
            path: path.clone(),
            via: outer.via.or(Some(import.path.span)),
            depth: 0,
            declaring: None,
            params: vec![],
            ..outer.clone()
        };
        self.reading.push(Reading { file, import: Some(import.path.span) });
        let scope = Scope { name: name.text.clone(), path, items: vec![], span: name.span };
        let scope = self.document(document, scope);
        self.reading.pop();
        let inner = self.here.scope;
        self.here = outer;
        self.names.attach(inner, self.here.scope);
        self.declare_member(&name, NameKind::Import, Some(inner));
        scope
    }

    fn type_decl(&mut self, declared: &ast::TypeDecl, export: bool) -> Option<Item> {
        let name = &declared.name;
        self.here.declaring = Some(name.clone());
        let params: Option<Vec<String>> = declared
            .params
            .as_ref()
            .map(|params| params.names.iter().map(|name| name.text.clone()).collect());
        self.here.params = params.clone().unwrap_or_default();
        let mut ty = self.owned_ty(&declared.ty, Some(name));
        let bare = self.declared_kind(declared, &mut ty);
        if !self.measure.of(&ty).allowed() {
            self.report(say::too_large(name.span));
            ty.kind = TypeKind::Error;
        }
        self.here.declaring = None;
        self.here.params = vec![];
        self.generic_rules(declared, &ty, export);
        self.declare_type(declared, params, ty, bare, export)
    }

    /// Refuses references of the wrong kind for the keyword; gives the spelling of an alias of a bare primitive.
    fn declared_kind(&mut self, declared: &ast::TypeDecl, ty: &mut Type) -> Option<Arc<PrimitiveType>> {
        let base = base_of(&declared.ty);
        let reference = match &base.kind {
            ast::TypeKind::Primitive(primitive) => {
                return declared.suffix.is_none().then(|| Arc::new(primitive.clone()));
            }
            ast::TypeKind::Reference(reference) => reference,
            _ => return None,
        };
        let name = &reference.name;
        let entry = self.names.lookup(self.here.scope, &name.text);
        let found = entry.map(|entry| entry.span);
        let bare = entry.and_then(|entry| entry.bare.clone());
        let meaning = &base_of_resolved(ty, &declared.ty).meaning().kind;
        let fits = match (declared.keyword, meaning) {
            (_, TypeKind::Error) => return None,
            (TypeKeyword::Type, _) => bare.is_some(),
            (TypeKeyword::Map, TypeKind::Map { .. })
            | (TypeKeyword::Set, TypeKind::Set(_))
            | (TypeKeyword::Enum, TypeKind::UnitEnum(_) | TypeKind::TaggedEnum { .. }) => true,
            (TypeKeyword::Map | TypeKeyword::Set | TypeKeyword::Enum | TypeKeyword::Struct, _) => false,
        };
        if !fits {
            self.report(say::wrong_kind(base.span, &name.text, found, declared.keyword.text()));
            ty.kind = TypeKind::Error;
            return None;
        }
        bare.filter(|_| declared.suffix.is_none() && declared.keyword == TypeKeyword::Type)
            .map(|bare| Arc::new(refine_alias(&bare, &reference.refine)))
    }

    fn generic_rules(&mut self, declared: &ast::TypeDecl, ty: &Type, export: bool) {
        let Some(params) = &declared.params else { return };
        let labels = matches!(declared.keyword, TypeKeyword::Set)
            || (declared.keyword == TypeKeyword::Enum && matches!(ty.meaning().kind, TypeKind::UnitEnum(_)));
        if labels {
            self.report(say::generic_labels(params.span, declared.name.span, declared.keyword.text()));
        } else if let Some(suffix) = declared.suffix {
            self.report(say::generic_suffix(suffix, params.span));
        }
        if export {
            self.report(say::generic_export(declared.name.span, params.span, &declared.name.text));
        }
    }

    fn declare_type(
        &mut self,
        declared: &ast::TypeDecl,
        params: Option<Vec<String>>,
        ty: Type,
        bare: Option<Arc<PrimitiveType>>,
        export: bool,
    ) -> Option<Item> {
        let (name, scope) = (&declared.name, self.here.scope);
        let path = self.path_of(&name.text);
        let luau_name = path.join("_");
        if let Some(first) = self.names.visible_type(scope, &name.text) {
            let first = first.span;
            self.report(say::duplicate_declaration(name.span, first, &name.text, "type"));
        } else if let Some(first) = self.luau_names.get(&luau_name).copied() {
            self.report(say::duplicate_luau_name(name.span, first, &luau_name));
        }
        if let Some(member) = self.names.own_member(scope, &name.text).filter(|_| export) {
            self.report(say::export_beside_member(name.span, member.span, &name.text));
        }
        self.luau_names.entry(luau_name.clone()).or_insert(name.span);
        self.declare_name(name, NameKind::Type { export });
        let excluded = self.here.excluded;
        let decl = excluded.is_none().then_some(TypeId(self.types.len() as u32));
        let entry = TypeEntry {
            span: name.span,
            decl,
            ty: Arc::new(ty.clone()),
            params: params.clone(),
            bare,
            excluded,
        };
        self.names.add_type(scope, &name.text, entry, export);
        let Some(decl) = decl else {
            if params.is_none() {
                self.excluded_types.push(ty);
            }
            return None;
        };
        let generics = params.unwrap_or_default();
        self.types.push(TypeDecl {
            name: name.text.clone(),
            path,
            luau_name,
            generics,
            ty,
            export,
            span: name.span,
        });
        Some(Item::Type(decl))
    }
}

/// The types a scope declares, with their names' places.
fn ahead(declarations: &[Declaration]) -> BTreeMap<String, Span> {
    let mut ahead = BTreeMap::new();
    for declaration in declarations {
        if let DeclarationKind::Type(declared) = &declaration.kind {
            ahead.entry(declared.name.text.clone()).or_insert(declared.name.span);
        }
    }
    ahead
}

/// A written type without its suffixes.
fn base_of(written: &ast::Type) -> &ast::Type {
    match &written.kind {
        ast::TypeKind::Optional(inner, _)
        | ast::TypeKind::Array(inner, _)
        | ast::TypeKind::Ranged(inner, _) => base_of(inner),
        _ => written,
    }
}

/// What the base of a written type means, out of what all of it means.
fn base_of_resolved<'t>(ty: &'t Type, written: &ast::Type) -> &'t Type {
    match (&written.kind, &ty.kind) {
        (ast::TypeKind::Optional(written, _), TypeKind::Optional { inner, .. }) => {
            base_of_resolved(inner, written)
        }
        (ast::TypeKind::Array(written, _), TypeKind::Array { element, .. }) => {
            base_of_resolved(element, written)
        }
        _ => ty,
    }
}
