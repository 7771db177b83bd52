//! How large a type is with every name written out: what keeps hostile schemas from exhausting stack or time.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Type, TypeKind};

/// Most types inside one another. Source: language specification, 2.
pub(super) const MAX_DEPTH: u32 = 200;
/// Most types in one type, names written out. A schema can double a type with every line it has.
pub(super) const MAX_WEIGHT: u64 = 10_000;
/// Most types that copies of generic declarations may consist of, in all.
pub(super) const MAX_COPIES: u32 = 500_000;

/// Depth and weight of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Types inside one another, itself included.
    pub depth: u32,
    /// Names that lead to one another, counted the same way.
    pub names: u32,
    /// Types in all.
    pub weight: u64,
}

impl Extent {
    /// Whether a type of it may be used.
    pub fn allowed(self) -> bool {
        self.depth <= MAX_DEPTH && self.names <= MAX_DEPTH && self.weight <= MAX_WEIGHT
    }

    fn beside(self, other: Extent) -> Extent {
        let (depth, names) = (self.depth.max(other.depth), self.names.max(other.names));
        Extent { depth, names, weight: self.weight.saturating_add(other.weight) }
    }

    fn around(self) -> Extent {
        let (depth, weight) = (self.depth.saturating_add(1), self.weight.saturating_add(1));
        Extent { depth, weight, ..self }
    }

    /// Of a use of a declaration: what it means and what is written for its parameters are two sides of one type, of
    /// which the larger counts. An argument that the declaration never uses counts all the same.
    fn named(self, arguments: Extent) -> Extent {
        Extent {
            depth: self.depth.max(arguments.depth),
            names: self.names.max(arguments.names).saturating_add(1),
            weight: self.weight.max(arguments.weight.saturating_add(1)),
        }
    }
}

/// Measures types; what several share is measured once.
#[derive(Debug, Default)]
pub(super) struct Measure {
    /// By address. The types measured are kept alive, so that no address is used again.
    known: HashMap<usize, (Extent, Keep)>,
}

#[derive(Debug)]
enum Keep {
    Type { _alive: Arc<Type> },
    List { _alive: Arc<[Type]> },
    Fields { _alive: Arc<[super::Field]> },
    Variants { _alive: Arc<[super::Variant]> },
}

impl Measure {
    /// The extent of a type. Runs no deeper than twice [`MAX_DEPTH`] when every type it names was allowed.
    pub fn of(&mut self, ty: &Type) -> Extent {
        match &ty.kind {
            TypeKind::Optional { inner, .. } => self.shared(inner).around(),
            TypeKind::Array { element, .. } => self.shared(element).around(),
            TypeKind::Map { key, value } => self.shared(key).beside(self.shared(value)).around(),
            TypeKind::Named { ty, args, .. } => self.shared(ty).named(self.list(args)),
            TypeKind::Struct(fields) => self.fields(fields).around(),
            TypeKind::TaggedEnum { variants, .. } => {
                let keep = || Keep::Variants { _alive: Arc::clone(variants) };
                self.once(variants.as_ptr(), keep, |measure| {
                    let each = variants.iter().map(|variant| measure.fields(&variant.fields).around());
                    each.fold(Extent::default(), Extent::beside)
                })
                .around()
            }
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
            | TypeKind::Parameter(_)
            | TypeKind::Error => Extent { depth: 1, names: 0, weight: 1 },
        }
    }

    fn shared(&mut self, ty: &Arc<Type>) -> Extent {
        let keep = || Keep::Type { _alive: Arc::clone(ty) };
        self.once(Arc::as_ptr(ty), keep, |measure| measure.of(ty))
    }

    fn list(&mut self, list: &Arc<[Type]>) -> Extent {
        // Every empty list has the same address, and nothing in it.
        if list.is_empty() {
            return Extent::default();
        }
        let keep = || Keep::List { _alive: Arc::clone(list) };
        self.once(list.as_ptr(), keep, |measure| {
            list.iter().map(|ty| measure.of(ty)).fold(Extent::default(), Extent::beside)
        })
    }

    fn fields(&mut self, fields: &Arc<[super::Field]>) -> Extent {
        // As of lists.
        if fields.is_empty() {
            return Extent::default();
        }
        let keep = || Keep::Fields { _alive: Arc::clone(fields) };
        self.once(fields.as_ptr(), keep, |measure| {
            fields.iter().map(|field| measure.of(&field.ty)).fold(Extent::default(), Extent::beside)
        })
    }

    /// What `measure` finds of what lies at an address, found out once; `keep` keeps it there.
    fn once<T>(
        &mut self,
        address: *const T,
        keep: impl FnOnce() -> Keep,
        measure: impl FnOnce(&mut Measure) -> Extent,
    ) -> Extent {
        let address = address as usize;
        if let Some((extent, _)) = self.known.get(&address) {
            return *extent;
        }
        let extent = measure(self);
        self.known.insert(address, (extent, keep()));
        extent
    }
}
