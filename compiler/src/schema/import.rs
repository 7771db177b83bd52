//! Imports: each reads a file again as a document of its own, which then behaves as a scope. Source: language
//! specification, 5.

use super::diagnostics as say;
use super::resolve::{Here, NameKind, Reading, Resolver};
use super::{Item, Scope};
use crate::source::{FileId, Span, parent, stem};
use crate::syntax::ast::{self, Declaration, DeclarationKind, Document, Name};
use crate::syntax::token::Primitive;

/// A name for a scope out of a file's: `my-rules` makes `MyRules`.
fn made_name(stem: &str) -> Option<String> {
    let words = stem.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words
        .flat_map(|word| {
            let mut chars = word.chars();
            chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars)
        })
        .collect();
    let usable =
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && Primitive::from_text(&name).is_none();
    usable.then_some(name)
}

/// Most files in a chain of imports.
const MAX_CHAIN: usize = 100;
/// Most imports in one compilation: a schema can double them with every file it has.
const MAX_IMPORTS: usize = 4096;

/// A path as everywhere but on Windows, where a schema may have been written.
fn slashed(path: &str) -> String {
    path.replace('\\', "/")
}

impl Resolver<'_> {
    pub(super) fn import(&mut self, import: &ast::Import) -> Option<Item> {
        let path = &import.path;
        let importing = self.reading.last()?.file;
        let folder = parent(&self.sources[importing].path).to_string();
        let resolved = match self.loader.resolve(&folder, &slashed(&path.text)) {
            Ok(resolved) => resolved,
            Err(tried) => {
                let alike = tried.iter().find_map(|path| self.loader.alike(path));
                let alike = alike.map(|path| self.loader.shown(&path));
                let tried: Vec<String> = tried.iter().map(|path| self.loader.shown(path)).collect();
                self.report(say::unknown_import(path.span, &path.text, &tried, alike.as_deref()));
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
        let id = self.names.open_unread();
        self.declare_member(&name, NameKind::Import, Some(id));
        None
    }

    fn import_name(&mut self, import: &ast::Import) -> Name {
        if let Some(alias) = &import.alias {
            return alias.clone();
        }
        let written = slashed(&import.path.text);
        let stem = stem(&written);
        let mut chars = stem.chars();
        let identifier = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && chars.all(|char| char.is_ascii_alphanumeric() || char == '_');
        if !identifier || Primitive::from_text(stem).is_some() {
            let made = made_name(stem);
            self.report(say::unnamed_import(import.path.span, stem, made.as_deref()));
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
                    DeclarationKind::Event(_)
                    | DeclarationKind::Function(_)
                    | DeclarationKind::State(_)
                    | DeclarationKind::Table(_)
                    | DeclarationKind::Entity(_) => true,
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
        self.index.imports.entry(import.path.span).or_insert(file);
        let scope = Scope { name: name.text.clone(), path, items: vec![], span: name.span };
        let scope = self.document(document, scope);
        self.reading.pop();
        let inner = self.here.scope;
        self.here = outer;
        self.names.attach(inner, self.here.scope);
        self.declare_member(&name, NameKind::Import, Some(inner));
        scope
    }
}
