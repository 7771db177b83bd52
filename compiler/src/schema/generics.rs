//! Copies of generic declarations: each parameter replaced by its argument. Source: language specification, 7.4.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Field, Type, TypeKind, Variant};

/// The argument of each parameter; of a repeated parameter, the last one given.
pub(super) type Arguments<'a> = HashMap<&'a str, &'a Type>;

/// `T?`. Only `Instance?` has no bit to say whether it is there.
pub(super) fn optional(inner: Type) -> TypeKind {
    let presence_bit = !matches!(inner.meaning().kind, TypeKind::Instance(_));
    TypeKind::Optional { inner: Arc::new(inner), presence_bit }
}

/// The template with its parameters replaced, all at once. What the copy shares, it shares as the template did, so that
/// copies within copies stay small.
/// Every type copied is taken off `copies`; `None` when they do not last.
pub(super) fn substitute(template: &Type, arguments: &Arguments, copies: &mut u32) -> Option<Type> {
    let mut substitution = Substitution {
        arguments,
        copies: *copies,
        types: HashMap::new(),
        fields: HashMap::new(),
        lists: HashMap::new(),
    };
    let copy = substitution.ty(template);
    *copies = substitution.copies;
    (*copies > 0).then_some(copy)
}

struct Substitution<'a> {
    arguments: &'a Arguments<'a>,
    /// Types that may still be copied.
    copies: u32,
    /// Copies made, by the address of what they copy, which outlives the substitution.
    types: HashMap<*const Type, Arc<Type>>,
    fields: HashMap<*const Field, Arc<[Field]>>,
    lists: HashMap<*const Type, Arc<[Type]>>,
}

impl Substitution<'_> {
    fn ty(&mut self, ty: &Type) -> Type {
        self.copies = self.copies.saturating_sub(1);
        if self.copies == 0 {
            return Type { kind: TypeKind::Error, span: ty.span };
        }
        let kind = match &ty.kind {
            TypeKind::Parameter(name) => match self.arguments.get(name.as_str()) {
                // The argument keeps its own place: faults of the copy point at what was written for it.
                Some(argument) => return (*argument).clone(),
                None => ty.kind.clone(),
            },
            TypeKind::Optional { inner, .. } => optional(self.ty(inner)),
            TypeKind::Array { element, length } => {
                TypeKind::Array { element: self.shared(element), length: *length }
            }
            TypeKind::Map { key, value } => {
                TypeKind::Map { key: self.shared(key), value: self.shared(value) }
            }
            TypeKind::Struct(fields) => TypeKind::Struct(self.fields(fields)),
            TypeKind::TaggedEnum { tag, variants } => {
                let variants = variants
                    .iter()
                    .map(|variant| Variant { fields: self.fields(&variant.fields), ..variant.clone() })
                    .collect();
                TypeKind::TaggedEnum { tag: tag.clone(), variants }
            }
            TypeKind::Named { decl, args, ty } => TypeKind::Named {
                decl: *decl,
                args: self.list(args),
                ty: if args.is_empty() { Arc::clone(ty) } else { self.shared(ty) },
            },
            TypeKind::Number(_)
            | TypeKind::Boolean
            | TypeKind::String(_)
            | TypeKind::Buffer(_)
            | TypeKind::Vector { .. }
            | TypeKind::CFrame { .. }
            | TypeKind::Roblox(_)
            | TypeKind::EnumItem(_)
            | TypeKind::Instance(_)
            | TypeKind::Entity { .. }
            | TypeKind::Unknown
            | TypeKind::Set(_)
            | TypeKind::UnitEnum(_)
            | TypeKind::Error => ty.kind.clone(),
        };
        Type { kind, span: ty.span }
    }

    fn shared(&mut self, ty: &Arc<Type>) -> Arc<Type> {
        let address = Arc::as_ptr(ty);
        if let Some(copy) = self.types.get(&address) {
            return Arc::clone(copy);
        }
        let copy = Arc::new(self.ty(ty));
        self.types.insert(address, Arc::clone(&copy));
        copy
    }

    fn list(&mut self, list: &Arc<[Type]>) -> Arc<[Type]> {
        let address = list.as_ptr();
        if let Some(copy) = self.lists.get(&address).filter(|copy| copy.len() == list.len()) {
            return Arc::clone(copy);
        }
        let copy: Arc<[Type]> = list.iter().map(|ty| self.ty(ty)).collect();
        self.lists.insert(address, Arc::clone(&copy));
        copy
    }

    fn fields(&mut self, fields: &Arc<[Field]>) -> Arc<[Field]> {
        let address = fields.as_ptr();
        if let Some(copy) = self.fields.get(&address).filter(|copy| copy.len() == fields.len()) {
            return Arc::clone(copy);
        }
        let copy: Arc<[Field]> =
            fields.iter().map(|field| Field { ty: self.ty(&field.ty), ..field.clone() }).collect();
        self.fields.insert(address, Arc::clone(&copy));
        copy
    }
}
