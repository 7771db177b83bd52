//! Which written types use which, before any is looked up: for messages about the order of declarations.

use std::collections::{HashMap, HashSet};

use crate::syntax::ast::{
    Angle, Declaration, DeclarationKind, Document, Refine, StructMember, Type, TypeKind,
};

/// Declarations looked through before giving up; a hostile file chains thousands.
const MAX_STEPS: usize = 64;

/// Names that each type of a document refers to, as they are written.
#[derive(Debug, Default)]
pub(super) struct References {
    declared: HashMap<String, Vec<String>>,
}

impl References {
    /// Those of a whole document, its scopes taken together.
    pub fn of(document: &Document) -> References {
        let mut references = References::default();
        collect(&document.declarations, &mut references.declared);
        references
    }

    /// Whether the type `from` uses the type `to`, by way of others or not.
    pub fn uses(&self, from: &str, to: &str) -> bool {
        let mut seen: HashSet<&str> = HashSet::from([from]);
        let mut left = vec![from];
        while let Some(name) = left.pop() {
            let Some(names) = self.declared.get(name) else { continue };
            if names.iter().any(|name| name == to) {
                return true;
            }
            left.extend(names.iter().map(String::as_str).filter(|name| seen.insert(name)));
            if seen.len() > MAX_STEPS {
                return false;
            }
        }
        false
    }
}

fn collect(declarations: &[Declaration], declared: &mut HashMap<String, Vec<String>>) {
    for declaration in declarations {
        match &declaration.kind {
            DeclarationKind::Type(one) => {
                declared.entry(one.name.text.clone()).or_insert_with(|| {
                    let mut names = Vec::new();
                    references(&one.ty, &mut names);
                    names.into_iter().map(str::to_string).collect()
                });
            }
            DeclarationKind::Scope(scope) => collect(&scope.declarations, declared),
            DeclarationKind::Import(_)
            | DeclarationKind::Event(_)
            | DeclarationKind::Function(_)
            | DeclarationKind::State(_)
            | DeclarationKind::Table(_)
            | DeclarationKind::Entity(_)
            | DeclarationKind::Nothing => {}
        }
    }
}

/// Names a written type refers to.
fn references<'a>(ty: &'a Type, names: &mut Vec<&'a str>) {
    match &ty.kind {
        TypeKind::Reference(reference) => {
            names.push(&reference.name.text);
            arguments(&reference.refine, names);
        }
        TypeKind::Struct(members) => members_of(members, names),
        TypeKind::TaggedEnum(tagged) => {
            tagged.variants.iter().for_each(|variant| members_of(&variant.members, names));
        }
        TypeKind::Map(key, value) => {
            references(key, names);
            references(value, names);
        }
        TypeKind::Optional(inner, _)
        | TypeKind::Array(inner, _)
        | TypeKind::Ranged(inner, _)
        | TypeKind::Broken(inner) => {
            references(inner, names);
        }
        TypeKind::Primitive(_) | TypeKind::UnitEnum(_) | TypeKind::Set(_) | TypeKind::Error => {}
    }
}

fn members_of<'a>(members: &'a [StructMember], names: &mut Vec<&'a str>) {
    for member in members {
        match member {
            StructMember::Field(_, ty) => references(ty, names),
            StructMember::Merge(_, reference) => {
                names.push(&reference.name.text);
                arguments(&reference.refine, names);
            }
        }
    }
}

fn arguments<'a>(refine: &'a Refine, names: &mut Vec<&'a str>) {
    for item in refine.angles.iter().flat_map(|angles| &angles.items) {
        if let Angle::Type(ty) = item {
            references(ty, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    #[test]
    fn uses_are_followed_through_others() {
        let text = "struct A { X: B[]? } map B = { [u8]: Page<C> } scope S { enum C = \"K\" { V { ..D } } } struct D {}";
        let all = References::of(&crate::syntax::parse(FileId(0), text).document);
        assert!(all.uses("A", "D") && all.uses("B", "C"));
        assert!(!all.uses("D", "A") && !all.uses("A", "A") && !all.uses("Nope", "A"));
    }
}
