//! What the text of a compilation refers to: kept by the resolver for editors, which ask after it is done.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::names::{Names, ScopeId};
use crate::source::{FileId, Sources, Span};
use crate::syntax::ast::Document;

/// A name in the text, and the name it refers to where that is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name: of a qualified one, a single segment.
    pub span: Span,
    /// The declared name, or the path of an import without `as`.
    pub target: Span,
}

/// A type that can be named somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    /// How it is written there: `Price`, `Shop.Price`.
    pub path: String,
    /// Its name where it is declared.
    pub span: Span,
    /// How many parameters it takes; `None` when it is not generic.
    pub params: Option<usize>,
}

/// Trees, scopes and lookups of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) names: Names,
    pub(super) documents: HashMap<FileId, Arc<Document>>,
    /// Every reference that was looked up, and from where.
    pub(super) lookups: Vec<(ScopeId, Span)>,
    /// The scope each scope's name opens.
    pub(super) scopes: HashMap<Span, ScopeId>,
    /// The top level of each file.
    pub(super) files: HashMap<FileId, ScopeId>,
    /// The file each import's path leads to.
    pub(super) imports: HashMap<Span, FileId>,
}

impl Index {
    /// The tree of a file.
    pub fn document(&self, file: FileId) -> Option<&Document> {
        self.documents.get(&file).map(Arc::as_ref)
    }

    /// The file the import with its path at `path` reads.
    pub fn imported(&self, path: Span) -> Option<FileId> {
        self.imports.get(&path).copied()
    }

    /// The imports of a file that were read, in the order they are written: where the path stands, and what it names.
    pub fn imports_of(&self, file: FileId) -> Vec<(Span, FileId)> {
        let own = self.imports.iter().filter(|(path, _)| path.file == file);
        let mut own: Vec<(Span, FileId)> = own.map(|(path, named)| (*path, *named)).collect();
        own.sort_unstable_by_key(|(path, _)| path.start);
        own
    }

    /// Every reference to a type, scope or import that leads somewhere, in no order. A file imported twice has its
    /// references once.
    pub fn references(&self, sources: &Sources) -> Vec<Reference> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for (scope, name) in &self.lookups {
            if !seen.insert((name.file, name.start)) {
                continue;
            }
            let path = sources.text(*name);
            let mut start = name.start;
            for (segment, target) in path.split('.').zip(self.names.places(*scope, path)) {
                let end = start + segment.len() as u32;
                if let Some(target) = target {
                    found.push(Reference { span: Span { start, end, ..*name }, target });
                }
                start = end + 1;
            }
        }
        found
    }

    /// The types that can be named in a scope: `scope` is its name where it is declared, or the top level of `file`.
    pub fn visible(&self, file: FileId, scope: Option<Span>) -> Vec<Visible> {
        let id = scope.and_then(|name| self.scopes.get(&name)).or_else(|| self.files.get(&file));
        id.map(|id| self.names.visible_paths(*id)).unwrap_or_default()
    }
}
