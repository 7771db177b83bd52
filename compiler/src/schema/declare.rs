//! Declarations of types: what each keyword may declare, parameters, exports, names. Source: language specification,
//! 4.2, 4.5 and 7.2 to 7.4.

use std::sync::Arc;

use super::diagnostics as say;
use super::names::TypeEntry;
use super::resolve::{NameKind, Resolver};
use super::ty::refine_alias;
use super::{Item, Type, TypeDecl, TypeId, TypeKind};
use crate::source::Span;
use crate::syntax::ast::{self, PrimitiveType, TypeKeyword};

impl Resolver<'_> {
    /// `export` is the word in front of it with the white space behind it.
    pub(super) fn type_decl(&mut self, declared: &ast::TypeDecl, export: Option<Span>) -> Option<Item> {
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
            (TypeKeyword::Type, TypeKind::Entity { .. }) => true,
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

    fn generic_rules(&mut self, declared: &ast::TypeDecl, ty: &Type, export: Option<Span>) {
        let Some(params) = &declared.params else { return };
        let labels = matches!(declared.keyword, TypeKeyword::Set)
            || (declared.keyword == TypeKeyword::Enum && matches!(ty.meaning().kind, TypeKind::UnitEnum(_)));
        if labels {
            self.report(say::generic_labels(params.span, declared.name.span, declared.keyword.text()));
        } else if let Some(suffix) = declared.suffix {
            self.report(say::generic_suffix(suffix, params.span));
        }
        if let Some(export) = export {
            let name = &declared.name;
            self.report(say::generic_export(name.span, params.span, &name.text, export));
        }
    }

    fn declare_type(
        &mut self,
        declared: &ast::TypeDecl,
        params: Option<Vec<String>>,
        ty: Type,
        bare: Option<Arc<PrimitiveType>>,
        export: Option<Span>,
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
        if let Some(member) = self.names.own_member(scope, &name.text).filter(|_| export.is_some()) {
            self.report(say::export_beside_member(name.span, member.span, &name.text, export));
        }
        self.luau_names.entry(luau_name.clone()).or_insert(name.span);
        self.declare_name(name, NameKind::Type { export: export.is_some() });
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
        if let Some(word) = export {
            self.export_words.insert(decl, word);
        }
        self.types.push(TypeDecl {
            name: name.text.clone(),
            path,
            luau_name,
            generics,
            ty,
            export: export.is_some(),
            span: name.span,
        });
        Some(Item::Type(decl))
    }
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
