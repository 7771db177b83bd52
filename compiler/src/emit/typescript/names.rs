//! Names in a declaration file: what TypeScript keeps for itself, how a declared name is reached from where it is used,
//! and globals that a declared name would hide.

use std::collections::{BTreeMap, BTreeSet};

use crate::schema::{Item, Schema, Scope, TypeDecl};

/// Words no declaration can be called, in a module and in strict mode.
const RESERVED: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "globalThis",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Words that mean something of their own where a type is named.
const TYPE_WORDS: &[&str] = &[
    "abstract",
    "any",
    "asserts",
    "bigint",
    "boolean",
    "infer",
    "intrinsic",
    "is",
    "keyof",
    "never",
    "number",
    "object",
    "out",
    "readonly",
    "string",
    "symbol",
    "unique",
    "unknown",
];

/// Every name of a schema, and where it stands.
pub struct Names<'a> {
    /// Types by the path of their scope.
    types: BTreeMap<Vec<&'a str>, BTreeSet<&'a str>>,
    /// Scopes by the path of the scope around them.
    scopes: BTreeMap<Vec<&'a str>, BTreeSet<&'a str>>,
    /// Names of types, wherever they are.
    type_names: BTreeSet<&'a str>,
    /// Every declared name and parameter of a generic.
    taken: BTreeSet<&'a str>,
}

/// Where a type is named.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Names of the scopes around, from the top level down.
    pub scope: Vec<String>,
    /// Parameters of the generic being declared, and what each is called in the file.
    pub params: BTreeMap<String, String>,
}

impl Place {
    /// Inside a scope, outside any generic.
    pub fn of(scope: &Scope) -> Place {
        Place { scope: scope.path.clone(), params: BTreeMap::new() }
    }
}

impl<'a> Names<'a> {
    /// The names of a schema.
    pub fn of(schema: &'a Schema) -> Names<'a> {
        let mut names = Names {
            types: BTreeMap::new(),
            scopes: BTreeMap::new(),
            type_names: BTreeSet::new(),
            taken: BTreeSet::new(),
        };
        for decl in &schema.types {
            let (_, scope) = split(&decl.path);
            let scope = scope.iter().map(String::as_str).collect();
            names.types.entry(scope).or_default().insert(&decl.name);
            names.type_names.insert(&decl.name);
            names.taken.insert(&decl.name);
            names.taken.extend(decl.generics.iter().map(String::as_str));
        }
        names.walk(&schema.root);
        names
    }

    fn walk(&mut self, scope: &'a Scope) {
        for item in &scope.items {
            match item {
                Item::Type(_) => {}
                Item::Event(event) => _ = self.taken.insert(&event.name),
                Item::Function(function) => _ = self.taken.insert(&function.name),
                Item::State(state) => _ = self.taken.insert(&state.name),
                Item::Table(table) => _ = self.taken.insert(&table.name),
                Item::Entity(entity) => _ = self.taken.insert(&entity.name),
                Item::Scope(inner) => {
                    self.taken.insert(&inner.name);
                    let around = scope.path.iter().map(String::as_str).collect();
                    self.scopes.entry(around).or_default().insert(&inner.name);
                    self.walk(inner);
                }
            }
        }
    }

    /// What a declared name is called where it is declared.
    pub fn local(&self, name: &str) -> String {
        let hazard =
            RESERVED.contains(&name) || (TYPE_WORDS.contains(&name) && self.type_names.contains(name));
        if hazard { self.free(name) } else { name.to_owned() }
    }

    /// The name with underscores in front, so many that the schema has no such name.
    fn free(&self, name: &str) -> String {
        let mut free = format!("_{name}");
        while self.taken.contains(free.as_str()) {
            free.insert(0, '_');
        }
        free
    }

    /// A name for something the file declares for itself.
    pub fn own(&self, name: &str) -> String {
        if self.taken.contains(name) { self.free(name) } else { name.to_owned() }
    }

    /// What the parameters of a generic are called in the file, in order, and by their names.
    ///
    /// A parameter is not called like a declared type: a merged field that names the type would mean the parameter. Of
    /// several with one name the last is meant, and the others get names nothing refers to.
    pub fn params(&self, decl: &TypeDecl) -> (Vec<String>, BTreeMap<String, String>) {
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut by_name = BTreeMap::new();
        let mut params: Vec<String> = Vec::new();
        for name in decl.generics.iter().rev() {
            let clashes = RESERVED.contains(&name.as_str())
                || TYPE_WORDS.contains(&name.as_str())
                || self.type_names.contains(name.as_str())
                || used.contains(name);
            let mut local = if clashes { self.free(name) } else { name.clone() };
            while self.is_type(&local) || used.contains(&local) {
                local.insert(0, '_');
            }
            used.insert(local.clone());
            by_name.entry(name.clone()).or_insert_with(|| local.clone());
            params.insert(0, local);
        }
        (params, by_name)
    }

    /// Whether a declared type is called so in the file: by its own name, or with the underscores a hazard gets.
    fn is_type(&self, local: &str) -> bool {
        let names = std::iter::successors(Some(local), |name| name.strip_prefix('_'));
        names.into_iter().any(|name| self.type_names.contains(name) && self.local(name) == local)
    }

    /// How a declared type is reached from `place`: by the shortest path.
    ///
    /// Nothing in between can hide its first segment, since a name visible in a scope is not declared in it again, and
    /// an imported file refers to nothing outside itself.
    pub fn reference(&self, decl: &TypeDecl, place: &Place) -> String {
        let (_, scope) = split(&decl.path);
        let shared = scope.iter().zip(&place.scope).take_while(|(one, other)| one == other).count();
        let segments = &decl.path[shared.min(scope.len())..];
        let mut text = String::new();
        for (at, segment) in segments.iter().enumerate() {
            if at == 0 {
                text.push_str(&self.local(segment));
            } else {
                text.push('.');
                text.push_str(segment);
            }
        }
        text
    }

    /// How a global type is named from `place`, where a declared type may hide it.
    pub fn global(&self, name: &str, place: &Place) -> String {
        let hidden =
            place.params.values().any(|param| param == name) || self.around(&self.types, place, name);
        if hidden { format!("globalThis.{name}") } else { name.to_owned() }
    }

    /// How a member of a global namespace is named from `place`, where a scope may hide the namespace.
    pub fn global_member(&self, namespace: &str, member: &str, place: &Place) -> String {
        let prefix = if self.around(&self.scopes, place, namespace) { "globalThis." } else { "" };
        format!("{prefix}{namespace}.{member}")
    }

    fn around(
        &self,
        declared: &BTreeMap<Vec<&'a str>, BTreeSet<&'a str>>,
        place: &Place,
        name: &str,
    ) -> bool {
        let path: Vec<&str> = place.scope.iter().map(String::as_str).collect();
        (0..=path.len()).any(|depth| declared.get(&path[..depth]).is_some_and(|names| names.contains(name)))
    }
}

/// The last of a path, and what is in front of it.
fn split(path: &[String]) -> (&str, &[String]) {
    path.split_last().map_or(("", path), |(last, scope)| (last.as_str(), scope))
}

/// Names of the parameters of one function, none a reserved word and none twice.
pub fn parameter(name: &str, taken: &BTreeSet<String>) -> String {
    let mut name = name.to_owned();
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    while taken.contains(&name) {
        name.push('_');
    }
    name
}
