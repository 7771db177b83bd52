//! Written types to resolved ones. Source: language specification, 7 and 10.

use std::collections::HashMap;
use std::sync::Arc;

use super::ahead::References;
use super::classes;
use super::diagnostics as say;
use super::generics::{Arguments, optional, substitute};
use super::names::{EntityEntry, Found, TypeEntry};
use super::primitive;
use super::resolve::Resolver;
use super::{Field, Type, TypeKind, Variant};
use crate::diagnostics::suggest;
use crate::source::Span;
use crate::syntax::ast::{self, Angle, PrimitiveType, Refine, StructMember};
use crate::syntax::token::Primitive;

/// Most values of an enum.
const MAX_VALUES: usize = 256;

impl Resolver<'_> {
    /// What a written type means.
    pub(super) fn ty(&mut self, written: &ast::Type) -> Type {
        self.owned_ty(written, None)
    }

    /// The same, for the body of the declaration `owner`, whose name messages then use.
    pub(super) fn owned_ty(&mut self, written: &ast::Type, owner: Option<&ast::Name>) -> Type {
        let kind = match &written.kind {
            ast::TypeKind::Primitive(primitive) => self.primitive(primitive),
            ast::TypeKind::Reference(reference) => return self.reference(reference, written.span),
            ast::TypeKind::Struct(members) => {
                let title = title("struct", owner);
                TypeKind::Struct(self.fields(members, &title, None).into())
            }
            ast::TypeKind::UnitEnum(labels) => {
                let names = self.labels(labels, &title("enum", owner), "value");
                self.enum_size(&labels.names, owner.map_or(written.span, |owner| owner.span));
                TypeKind::UnitEnum(names.into())
            }
            ast::TypeKind::TaggedEnum(tagged) => self.tagged_enum(tagged, written.span, owner),
            ast::TypeKind::Set(labels) => {
                TypeKind::Set(self.labels(labels, &title("set", owner), "flag").into())
            }
            ast::TypeKind::Map(key, value) => {
                TypeKind::Map { key: Arc::new(self.ty(key)), value: Arc::new(self.ty(value)) }
            }
            ast::TypeKind::Optional(inner, _) => match &inner.kind {
                ast::TypeKind::Primitive(quat)
                    if matches!(quat.primitive, Primitive::Quat | Primitive::Quat32) =>
                {
                    self.report(say::optional_quat(written.span, quat.primitive.text()));
                    TypeKind::Error
                }
                ast::TypeKind::Reference(reference) if let Some(entity) = self.entity_named(reference) => {
                    self.entity_kind(reference, &entity)
                }
                _ => optional(self.owned_ty(inner, owner)),
            },
            ast::TypeKind::Array(element, bounds) => {
                let element = Arc::new(self.owned_ty(element, owner));
                TypeKind::Array { element, length: primitive::array_length(bounds, &mut self.diagnostics) }
            }
            ast::TypeKind::Ranged(inner, bounds) => {
                self.report(say::ranged_composite(bounds.span, inner.span));
                self.owned_ty(inner, owner).kind
            }
            ast::TypeKind::Broken(inner) => {
                // What could be read of it is checked, and the type as a whole raises nothing further.
                if !is_empty_enum(inner) {
                    self.owned_ty(inner, owner);
                }
                TypeKind::Error
            }
            ast::TypeKind::Error => TypeKind::Error,
        };
        Type { kind, span: written.span }
    }

    fn primitive(&mut self, written: &PrimitiveType) -> TypeKind {
        self.note_use(written);
        primitive::lower(written, &mut self.diagnostics)
    }

    /// Remembers what brings Roblox types into the modules.
    fn note_use(&mut self, written: &PrimitiveType) {
        if self.here.excluded.is_some() {
            return;
        }
        match (written.primitive, &written.class) {
            (Primitive::Enum | Primitive::TweenInfo, _) => {
                self.uses.enum_item.get_or_insert(written.word);
            }
            (Primitive::ColorSequence, _) => {
                self.uses.color_sequence.get_or_insert(written.word);
            }
            (Primitive::Instance, Some(class)) => {
                if !classes::is_known(&class.text) {
                    let near = suggest::nearest(&class.text, classes::names());
                    self.report(say::unknown_class(class.span, &class.text, near));
                }
                self.uses.classes.entry(class.text.clone()).or_insert(class.span);
            }
            _ => {}
        }
    }

    pub(super) fn reference(&mut self, reference: &ast::Reference, span: Span) -> Type {
        let kind = self.reference_kind(reference, span);
        Type { kind, span }
    }

    /// The entity that a reference names, when it is one.
    fn entity_named(&self, reference: &ast::Reference) -> Option<EntityEntry> {
        if self.here.params.contains(&reference.name.text) {
            return None;
        }
        match self.names.find(self.here.scope, &reference.name.text) {
            Found::Entity(entity) => Some(entity.clone()),
            Found::Type(_) | Found::Unread | Found::Nothing => None,
        }
    }

    /// `Ship?`
    fn entity_kind(&mut self, reference: &ast::Reference, entity: &EntityEntry) -> TypeKind {
        let (name, refine) = (&reference.name, &reference.refine);
        self.index.lookups.push((self.here.scope, name.span));
        let refined =
            refine.angles.as_ref().map(|angles| angles.span).or(refine.range.map(|range| range.span));
        if let Some(at) = refined {
            self.report(say::cannot_refine(at, &name.text, Some(entity.span), false));
            return TypeKind::Error;
        }
        if let (Some(attribute), None) = (entity.excluded, self.here.excluded) {
            self.report(say::excluded_reference(name.span, &name.text, attribute));
            return TypeKind::Error;
        }
        TypeKind::Entity { path: Arc::clone(&entity.path), index: entity.index }
    }

    fn reference_kind(&mut self, reference: &ast::Reference, span: Span) -> TypeKind {
        let (name, refine) = (&reference.name, &reference.refine);
        self.index.lookups.push((self.here.scope, name.span));
        let refined =
            refine.angles.as_ref().map(|angles| angles.span).or(refine.range.map(|range| range.span));
        if self.here.params.contains(&name.text) {
            if let Some(at) = refined {
                self.report(say::cannot_refine(at, &name.text, None, true));
            }
            return TypeKind::Parameter(name.text.clone());
        }
        let entry = match self.names.find(self.here.scope, &name.text) {
            Found::Type(entry) => entry.clone(),
            Found::Entity(entity) => {
                let declared = entity.span;
                self.report(say::bare_entity(name.span, &name.text, declared));
                return TypeKind::Error;
            }
            Found::Unread => return TypeKind::Error,
            Found::Nothing => return self.unknown(name),
        };
        if let (Some(attribute), None) = (entry.excluded, self.here.excluded) {
            self.report(say::excluded_reference(name.span, &name.text, attribute));
            return TypeKind::Error;
        }
        match (&entry.params, &entry.bare, refined) {
            (Some(params), ..) => self.instance(reference, &entry, params, span),
            (None, Some(bare), Some(_)) => self.primitive(&refine_alias(bare, refine)),
            (None, None, Some(at)) => {
                if !matches!(entry.ty.kind, TypeKind::Error) {
                    self.report(say::cannot_refine(at, &name.text, Some(entry.span), false));
                }
                TypeKind::Error
            }
            (None, _, None) => named(&entry, vec![], Arc::clone(&entry.ty)),
        }
    }

    fn unknown(&mut self, name: &ast::Name) -> TypeKind {
        if let Some(declaring) = self.here.declaring.clone().filter(|declaring| declaring.text == name.text) {
            self.report(say::recursive(name.span, &name.text, declaring.span));
            return TypeKind::Error;
        }
        let later = self.names.declared_ahead(self.here.scope, &name.text);
        let later = later.map(|span| say::Later { span, mutual: self.uses_what_is_declared(&name.text) });
        let near = if later.is_none() { self.meant(&name.text) } else { None };
        let diagnostic = say::unknown_reference(name.span, &name.text, later, near.as_deref());
        self.report(diagnostic);
        TypeKind::Error
    }

    /// The name that was probably meant by one that leads nowhere.
    fn meant(&mut self, name: &str) -> Option<String> {
        let scope = self.here.scope;
        let mut compared = 0;
        let near = {
            let names = &self.names;
            let budget = self.comparisons;
            let counted = |_: &&str| {
                compared += 1;
                compared <= budget
            };
            match name.rsplit_once('.') {
                Some((path, last)) => match names.within(scope, path) {
                    Some(known) => {
                        suggest::nearest(last, known.take_while(counted)).map(|near| format!("{path}.{near}"))
                    }
                    None => {
                        let (first, rest) = name.split_once('.')?;
                        let near = suggest::nearest(first, names.visible_scopes(scope).take_while(counted));
                        let path = near.map(|near| format!("{near}.{rest}"));
                        path.filter(|path| matches!(names.find(scope, path), Found::Type(_)))
                    }
                },
                None => {
                    let primitives = Primitive::ALL.iter().map(|primitive| primitive.text());
                    let params = self.here.params.iter().map(String::as_str);
                    let known = params.chain(names.visible_names(scope)).chain(primitives);
                    let elsewhere = suggest::type_elsewhere(name);
                    let near = elsewhere.or_else(|| suggest::nearest(name, known.take_while(counted)));
                    near.map(str::to_string).or_else(|| names.inside(scope, name))
                }
            }
        };
        self.comparisons = self.comparisons.saturating_sub(compared);
        near
    }

    /// Whether the type `name`, declared further down, uses the one being declared, by any route.
    fn uses_what_is_declared(&mut self, name: &str) -> bool {
        let (Some(declaring), Some(reading)) = (&self.here.declaring, self.reading.last()) else {
            return false;
        };
        let document = self.documents.get(&reading.file);
        let references = self.references.entry(reading.file).or_insert_with(|| {
            document.map_or_else(References::default, |document| References::of(document))
        });
        references.uses(name, &declaring.text)
    }

    /// A copy of a generic declaration.
    fn instance(
        &mut self,
        reference: &ast::Reference,
        entry: &TypeEntry,
        params: &[String],
        span: Span,
    ) -> TypeKind {
        let name = &reference.name;
        let angles = reference.refine.angles.as_ref();
        let mut args = Vec::new();
        for item in angles.map_or(&[][..], |angles| &angles.items) {
            match item {
                Angle::Type(written) => args.push(self.ty(written)),
                Angle::Number(number) => {
                    self.report(say::cannot_refine(number.span, &name.text, Some(entry.span), false));
                    args.push(Type { kind: TypeKind::Error, span: number.span });
                }
            }
        }
        if args.len() != params.len() {
            let at = angles.map_or(name.span, |angles| angles.span);
            self.report(say::argument_count(at, &name.text, params.len(), args.len(), entry.span));
            return TypeKind::Error;
        }
        if let Some(range) = reference.refine.range {
            self.report(say::cannot_refine(range.span, &name.text, Some(entry.span), false));
        }
        let arguments: Arguments = params.iter().map(String::as_str).zip(&args).collect();
        let ty = substitute(&entry.ty, &arguments, &mut self.copies);
        let kind = ty.map(|ty| named(entry, args, Arc::new(ty)));
        match kind.map(|kind| Type { kind, span }).filter(|ty| self.measure.of(ty).allowed()) {
            Some(ty) => ty.kind,
            None => {
                self.report(say::too_large(span));
                TypeKind::Error
            }
        }
    }

    /// Fields of a struct or variant, merges put in their places. A tag, where there is one, is no field's name.
    fn fields(&mut self, members: &[StructMember], owner: &str, tag: Option<&ast::Name>) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        // Where each field stands, and its type when it is written here.
        let mut seen: HashMap<String, (Span, Option<Span>)> = HashMap::new();
        for member in members {
            match member {
                StructMember::Field(name, written) => {
                    let ty = self.ty(written);
                    let field = Field { name: name.text.clone(), ty, span: name.span };
                    if let Some((first, same)) = seen.get(&name.text).copied() {
                        let text = |span: Span| self.sources.text(span);
                        let same = same.is_some_and(|same| text(same) == text(written.span));
                        let spare = same.then(|| {
                            let field = self.sources.bracketed(name.span).to(written.span);
                            self.sources.item_range(field)
                        });
                        self.report(say::duplicate_member(
                            name.span, first, owner, "field", &name.text, spare,
                        ));
                        continue;
                    }
                    seen.insert(name.text.clone(), (name.span, Some(written.span)));
                    self.check_tag(&field, name.span, tag);
                    fields.push(field);
                }
                StructMember::Merge(dots, reference) => {
                    let at = dots.to(reference.name.span);
                    for field in self.merged(reference).iter() {
                        if let Some((first, _)) = seen.get(&field.name).copied() {
                            self.report(say::duplicate_merge(at, first, field.span, owner, &field.name));
                            continue;
                        }
                        seen.insert(field.name.clone(), (field.span, None));
                        self.check_tag(field, at, tag);
                        fields.push(field.clone());
                    }
                }
            }
        }
        fields
    }

    fn check_tag(&mut self, field: &Field, at: Span, tag: Option<&ast::Name>) {
        if let Some(tag) = tag.filter(|tag| tag.text == field.name) {
            self.report(say::tag_as_field(at, tag.span, &field.name));
        }
    }

    /// Fields of the struct a merge names; none when it names no struct.
    fn merged(&mut self, reference: &ast::Reference) -> Arc<[Field]> {
        let name = &reference.name;
        if let Some(entity) = self.entity_named(reference) {
            self.report(say::not_a_struct(name.span, &name.text, Some(entity.span)));
            return Arc::new([]);
        }
        let declared = self.names.lookup(self.here.scope, &name.text).map(|entry| entry.span);
        let ty = self.reference(reference, name.span);
        match &ty.meaning().kind {
            TypeKind::Struct(fields) => Arc::clone(fields),
            TypeKind::Error => Arc::new([]),
            _ => {
                self.report(say::not_a_struct(name.span, &name.text, declared));
                Arc::new([])
            }
        }
    }

    fn labels(&mut self, labels: &ast::Labels, owner: &str, kind: &str) -> Vec<String> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut names = Vec::new();
        for name in &labels.names {
            match seen.get(name.text.as_str()) {
                Some(first) => {
                    let spare = self.sources.item_range(name.span);
                    self.report(say::duplicate_member(
                        name.span,
                        *first,
                        owner,
                        kind,
                        &name.text,
                        Some(spare),
                    ));
                }
                None => {
                    seen.insert(&name.text, name.span);
                    names.push(name.text.clone());
                }
            }
        }
        names
    }

    fn enum_size(&mut self, values: &[ast::Name], name: Span) {
        if values.is_empty() {
            self.report(say::empty_enum(name));
        } else if let Some(beyond) = values.get(MAX_VALUES) {
            self.report(say::large_enum(beyond.span, name));
        }
    }

    fn tagged_enum(&mut self, tagged: &ast::TaggedEnum, span: Span, owner: Option<&ast::Name>) -> TypeKind {
        let enum_title = title("enum", owner);
        let mut variants: Vec<Variant> = Vec::new();
        for variant in &tagged.variants {
            let name = &variant.name;
            let fields =
                self.fields(&variant.members, &format!("variant \"{}\"", name.text), Some(&tagged.tag));
            if let Some(first) = variants.iter().find(|other| other.name == name.text) {
                let first = first.span;
                self.report(say::duplicate_member(
                    name.span,
                    first,
                    &enum_title,
                    "variant",
                    &name.text,
                    None,
                ));
                continue;
            }
            variants.push(Variant { name: name.text.clone(), fields: fields.into(), span: name.span });
        }
        let names: Vec<ast::Name> = tagged.variants.iter().map(|variant| variant.name.clone()).collect();
        self.enum_size(&names, owner.map_or(span, |owner| owner.span));
        TypeKind::TaggedEnum { tag: tagged.tag.text.clone(), variants: variants.into() }
    }
}

/// A use of a declaration. What the profile leaves out has no place in the schema and is written out instead.
fn named(entry: &TypeEntry, args: Vec<Type>, ty: Arc<Type>) -> TypeKind {
    match entry.decl {
        Some(_) if matches!(ty.kind, TypeKind::Error) => TypeKind::Error,
        Some(decl) => TypeKind::Named { decl, args: args.into(), ty },
        None => ty.kind.clone(),
    }
}

/// An alias with what is written after it in place of its own refinements.
pub(super) fn refine_alias(bare: &PrimitiveType, refine: &Refine) -> PrimitiveType {
    let mut refined = bare.clone();
    if refine.angles.is_some() {
        refined.refine.angles = refine.angles.clone();
    }
    if refine.range.is_some() {
        refined.refine.range = refine.range;
    }
    refined
}

/// How messages name a composite type.
fn title(keyword: &str, owner: Option<&ast::Name>) -> String {
    match owner {
        Some(owner) => format!("{keyword} \"{}\"", owner.text),
        None if keyword == "enum" => "an enum".to_string(),
        None => format!("a {keyword}"),
    }
}

/// Whether an enum has no value.
fn is_empty_enum(ty: &ast::Type) -> bool {
    match &ty.kind {
        ast::TypeKind::UnitEnum(labels) => labels.names.is_empty(),
        ast::TypeKind::TaggedEnum(tagged) => tagged.variants.is_empty(),
        _ => false,
    }
}
