//! Built-in types: ranges, scales, components. Source: language specification, 8 and 10.1 to 10.13.

use super::diagnostics as say;
use super::{Component, Length, Number, NumberKind, Range, Rotation, TypeKind};
use crate::diagnostics::{Diagnostic, suggest};
use crate::source::Span;
use crate::syntax::ast::{self, Angle, Angles, Bounds, PrimitiveType};
use crate::syntax::token::Primitive;
use crate::wire::plan::Step;

/// Greatest length of a string or buffer with a written range.
const MAX_BYTES: f64 = 4_294_967_295.0;
/// Greatest count of elements, and the length of what has no written range.
pub(super) const MAX_ELEMENTS: f64 = 65_535.0;
/// Most steps a quantized float may span.
const MAX_STEPS: f64 = 4_294_967_295.0;

/// The type a built-in word with its refinements means. Faults are pushed to `sink`; the type is then as near as it
/// can be, or [`TypeKind::Error`].
pub(super) fn lower(written: &PrimitiveType, sink: &mut Vec<Diagnostic>) -> TypeKind {
    let mut lowering = Lowering { word: written.word, primitive: written.primitive, sink };
    let refine = &written.refine;
    if let Some(kind) = written.primitive.number() {
        return lowering.number(kind, refine);
    }
    match written.primitive {
        Primitive::Boolean => lowering.plain(refine, TypeKind::Boolean),
        Primitive::String => lowering.bytes(refine, TypeKind::String),
        Primitive::Buffer => lowering.bytes(refine, TypeKind::Buffer),
        Primitive::Vector => lowering.vector(refine),
        Primitive::CFrame => lowering.cframe(refine),
        Primitive::Instance => {
            lowering.plain(refine, TypeKind::Instance(written.class.as_ref().map(|class| class.text.clone())))
        }
        Primitive::Unknown => lowering.plain(refine, TypeKind::Unknown),
        Primitive::Enum => match &written.class {
            Some(name) => lowering.plain(refine, TypeKind::EnumItem(name.text.clone())),
            None => TypeKind::Error,
        },
        Primitive::Quat | Primitive::Quat32 => {
            lowering.sink.push(say::lone_quat(written.word, written.primitive.text()));
            TypeKind::Error
        }
        other => match other.roblox() {
            Some(roblox) => lowering.plain(refine, TypeKind::Roblox(roblox)),
            None => unreachable!("number() or roblox() gives every other primitive"),
        },
    }
}

/// The length an array suffix means.
pub(super) fn array_length(bounds: &Bounds, sink: &mut Vec<Diagnostic>) -> Length {
    length(bounds, MAX_ELEMENTS, None, "an array", sink)
}

struct Lowering<'a> {
    word: Span,
    primitive: Primitive,
    sink: &'a mut Vec<Diagnostic>,
}

impl Lowering<'_> {
    /// A type that takes neither range nor components.
    fn plain(&mut self, refine: &ast::Refine, kind: TypeKind) -> TypeKind {
        if let Some(angles) = &refine.angles {
            self.no_components(angles);
        }
        if let Some(range) = &refine.range {
            self.sink.push(say::unexpected_range(range.span, self.word, self.primitive.text()));
        }
        kind
    }

    fn no_components(&mut self, angles: &Angles) {
        let at = angles.items.first().map_or(angles.span, Angle::span);
        self.sink.push(say::unexpected_component(at, angles.span, self.word, self.primitive.text()));
    }

    fn bytes(&mut self, refine: &ast::Refine, kind: fn(Length) -> TypeKind) -> TypeKind {
        if let Some(angles) = &refine.angles {
            self.no_components(angles);
        }
        let name = format!("a {}", self.primitive.text());
        kind(match &refine.range {
            Some(range) => length(range, MAX_BYTES, Some(self.word), &name, self.sink),
            None => Length { min: 0, max: MAX_ELEMENTS as u32, written: false, max_written: false },
        })
    }

    fn number(&mut self, kind: NumberKind, refine: &ast::Refine) -> TypeKind {
        let (scale, saturate) = match &refine.angles {
            Some(angles) => self.modifiers(angles),
            None => (None, false),
        };
        let range = match (scale, kind.is_float(), &refine.range) {
            (Some(scale), true, range) => return self.quantized(kind, scale, range.as_ref(), saturate),
            (_, _, None) => None,
            (Some(scale), false, Some(range)) => self.fixed_point(kind, scale, range),
            (None, true, Some(range)) => self.range(range, kind.bounds(), kind.name(), None),
            (None, false, Some(range)) => {
                let whole: fn(f64) -> bool = |bound| bound.fract() == 0.0;
                self.range(range, kind.bounds(), kind.name(), Some(whole))
            }
        };
        TypeKind::Number(Number { kind, range, scale: scale.map(|scale| scale.value), saturate })
    }

    /// Scale and `saturate` of a number.
    fn modifiers(&mut self, angles: &Angles) -> (Option<ast::Number>, bool) {
        let (mut scale, mut saturate): (Option<ast::Number>, Option<Span>) = (None, None);
        if angles.items.is_empty() {
            self.sink.push(say::no_modifier(angles.span, self.word, None));
        }
        for (at, item) in angles.items.iter().enumerate() {
            let spare = at.checked_sub(1).map(|before| angles.items[before].span().after().to(item.span()));
            match item {
                Angle::Number(number) => match scale {
                    Some(first) => {
                        let spare = spare.filter(|_| first.value == number.value);
                        self.sink.push(say::repeated_modifier(number.span, first.span, "scale", spare));
                    }
                    None if number.value > 0.0 && number.value.is_finite() => scale = Some(*number),
                    None => self.sink.push(say::bad_scale(number.span, self.word)),
                },
                Angle::Type(ty) if is_saturate(ty) => match saturate {
                    Some(first) => {
                        self.sink.push(say::repeated_modifier(ty.span, first, "`saturate`", spare));
                    }
                    None => saturate = Some(ty.span),
                },
                Angle::Type(ty) => {
                    let near = bare_name(ty).and_then(|name| suggest::nearest(name, ["saturate"]));
                    self.sink.push(say::no_modifier(ty.span, self.word, near));
                }
            }
        }
        (scale, saturate.is_some())
    }

    /// A range whose bounds need nothing but to lie within `own` and, when `whole` says so, to be whole.
    fn range(
        &mut self,
        range: &Bounds,
        own: (f64, f64),
        name: &str,
        whole: Option<fn(f64) -> bool>,
    ) -> Option<Range> {
        let mut sound = true;
        for bound in bounds(range) {
            if whole.is_some_and(|whole| !whole(bound.value)) {
                let rounded = mended(range, |bound| bound.round());
                self.sink.push(say::fractional_bound(bound.span, self.word, name, &rounded));
                sound = false;
                break;
            }
            if !(own.0..=own.1).contains(&bound.value) {
                let nearest = mended(range, |bound| bound.clamp(own.0, own.1));
                let wider = self.wider(range);
                self.sink.push(say::bound_out_of_type(bound.span, self.word, name, own, &nearest, wider));
                sound = false;
                break;
            }
        }
        sound.then(|| self.ordered(range, own)).flatten()
    }

    /// The narrowest integer type that holds both bounds of a range written right behind the type's own word.
    fn wider(&self, range: &Bounds) -> Option<&'static str> {
        const UNSIGNED: [NumberKind; 4] = [NumberKind::U8, NumberKind::U16, NumberKind::U24, NumberKind::U32];
        const SIGNED: [NumberKind; 4] = [NumberKind::I8, NumberKind::I16, NumberKind::I24, NumberKind::I32];
        let integer = self.primitive.number().is_some_and(|kind| !kind.is_float());
        // Behind the name of an alias the word is that of the alias, which others use too.
        let beside = range.span.file == self.word.file && range.span.start == self.word.end;
        let holds = |kind: &&NumberKind| {
            bounds(range).all(|bound| (kind.bounds().0..=kind.bounds().1).contains(&bound.value))
        };
        (integer && beside)
            .then(|| UNSIGNED.iter().chain(&SIGNED).find(holds).map(|kind| kind.name()))
            .flatten()
    }

    /// The range with open sides filled in, unless it is upside down.
    fn ordered(&mut self, range: &Bounds, own: (f64, f64)) -> Option<Range> {
        let min = range.min.map_or(own.0, |bound| bound.value);
        let max = range.max.map_or(own.1, |bound| bound.value);
        if min > max {
            self.sink.push(say::upside_down(range.span, &swapped(range)));
            return None;
        }
        Some(Range { min, max, min_written: range.min.is_some(), max_written: range.max.is_some() })
    }

    fn fixed_point(&mut self, kind: NumberKind, scale: ast::Number, range: &Bounds) -> Option<Range> {
        let step = Step::of(scale.value);
        let own = kind.bounds();
        let real = (step.decode(own.0), step.decode(own.1));
        for bound in bounds(range) {
            if !whole_steps(step, scale.value, bound.value) {
                let nearest = stepped(range, step, scale.value);
                self.sink.push(say::between_steps(bound.span, scale.span, step, bound.value, &nearest));
                return None;
            }
            if !(own.0..=own.1).contains(&step.encode(bound.value)) {
                let nearest = mended(range, |bound| bound.clamp(real.0, real.1));
                self.sink.push(say::scaled_out_of_type(bound.span, scale.span, kind.name(), real, &nearest));
                return None;
            }
        }
        self.ordered(range, real)
    }

    fn quantized(
        &mut self,
        kind: NumberKind,
        scale: ast::Number,
        range: Option<&Bounds>,
        saturate: bool,
    ) -> TypeKind {
        let Some((range, (min, max))) = range.and_then(|range| Some((range, (range.min?, range.max?))))
        else {
            self.sink.push(say::open_scale(scale.span, self.word, kind.name()));
            return TypeKind::Error;
        };
        let step = Step::of(scale.value);
        let largest = kind.bounds().1 * scale.value;
        for bound in [min, max] {
            if !whole_steps(step, scale.value, bound.value) {
                let nearest = stepped(range, step, scale.value);
                self.sink.push(say::between_steps(bound.span, scale.span, step, bound.value, &nearest));
                return TypeKind::Error;
            }
            if bound.value.abs() > largest {
                self.sink.push(say::scaled_out_of_type(
                    bound.span,
                    scale.span,
                    kind.name(),
                    (-largest, largest),
                    &mended(range, |bound| bound.clamp(-largest, largest)),
                ));
                return TypeKind::Error;
            }
        }
        let Some(checked) = self.ordered(range, kind.bounds()) else { return TypeKind::Error };
        if step.encode(max.value) - step.encode(min.value) > MAX_STEPS {
            self.sink.push(say::too_many_steps(scale.span, self.word));
            return TypeKind::Error;
        }
        TypeKind::Number(Number { kind, range: Some(checked), scale: Some(scale.value), saturate })
    }

    /// Components with where each is; those that are none are reported and left out.
    fn components(&mut self, angles: &Angles, quaternions: bool) -> Vec<(Component, Span)> {
        if angles.items.is_empty() {
            self.sink.push(say::no_component(angles.span, self.word, self.primitive.text(), None));
        }
        let mut components = Vec::new();
        for item in &angles.items {
            let component = match item {
                Angle::Type(ast::Type { kind: ast::TypeKind::Primitive(written), .. })
                    if written.class.is_none()
                        && written.refine.angles.is_none()
                        && written.refine.range.is_none() =>
                {
                    match written.primitive {
                        Primitive::Quat if quaternions => Some(Component::Quat),
                        Primitive::Quat32 if quaternions => Some(Component::Quat32),
                        other => other.number().map(Component::Number),
                    }
                }
                Angle::Type(_) | Angle::Number(_) => None,
            };
            match component {
                Some(component) => components.push((component, item.span())),
                None => {
                    let near = match item {
                        Angle::Type(ty) => bare_name(ty),
                        Angle::Number(_) => None,
                    };
                    let near = near.and_then(|name| suggest::nearest(name, component_words(quaternions)));
                    self.sink.push(say::no_component(item.span(), self.word, self.primitive.text(), near));
                }
            }
        }
        components
    }

    fn vector(&mut self, refine: &ast::Refine) -> TypeKind {
        let components = refine.angles.as_ref().map_or(vec![], |angles| self.components(angles, false));
        if let [(_, first), (_, second), ..] = components.as_slice() {
            let spare = first.after().to(components[components.len() - 1].1);
            self.sink.push(say::too_many_components(*second, spare, self.word, "vector", 1));
        }
        let component = match components.first() {
            Some((Component::Number(kind), _)) => *kind,
            Some((Component::Quat | Component::Quat32, _)) | None => NumberKind::F32,
        };
        let magnitude = refine
            .range
            .as_ref()
            .and_then(|range| self.range(range, (0.0, f64::INFINITY), "the magnitude of a vector", None));
        let written = components.into_iter().take(1).map(|(component, _)| component).collect();
        TypeKind::Vector { component, written, magnitude }
    }

    fn cframe(&mut self, refine: &ast::Refine) -> TypeKind {
        let components = refine.angles.as_ref().map_or(vec![], |angles| self.components(angles, true));
        if let Some(range) = &refine.range {
            self.sink.push(say::unexpected_range(range.span, self.word, "CFrame"));
        }
        if let [_, (_, second), (_, third), ..] = components.as_slice() {
            let spare = second.after().to(components[components.len() - 1].1);
            self.sink.push(say::too_many_components(*third, spare, self.word, "CFrame", 2));
        }
        let written: Vec<Component> = components.iter().take(2).map(|(component, _)| *component).collect();
        let (rotation, position) = match written.as_slice() {
            [] => (Rotation::Angles(NumberKind::F32), NumberKind::F32),
            [Component::Number(kind)] => (Rotation::Angles(*kind), *kind),
            [quaternion] => (rotation(*quaternion), NumberKind::F32),
            [Component::Number(position), quaternion @ (Component::Quat | Component::Quat32)] => {
                (rotation(*quaternion), *position)
            }
            [first, Component::Number(position), ..] => (rotation(*first), *position),
            [_, _, ..] => {
                self.sink.push(say::second_quat(components[1].1, components[0].1));
                (Rotation::Quat, NumberKind::F32)
            }
        };
        TypeKind::CFrame { rotation, position, written }
    }
}

fn rotation(component: Component) -> Rotation {
    match component {
        Component::Number(kind) => Rotation::Angles(kind),
        Component::Quat => Rotation::Quat,
        Component::Quat32 => Rotation::Quat32,
    }
}

fn is_saturate(ty: &ast::Type) -> bool {
    matches!(&ty.kind, ast::TypeKind::Reference(reference)
        if reference.name.text == "saturate" && reference.refine.angles.is_none() && reference.refine.range.is_none())
}

/// Whether a bound survives being counted in steps (language specification, 10.4).
fn whole_steps(step: Step, scale: f64, bound: f64) -> bool {
    let back = step.decode(step.encode(bound));
    (back - bound).abs() <= bound.abs().max(scale) * 1e-12
}

/// The bounds that are written, each place once.
fn bounds(range: &Bounds) -> impl Iterator<Item = ast::Number> {
    let max = range.max.filter(|max| range.min.is_none_or(|min| min.span != max.span));
    [range.min, max].into_iter().flatten()
}

/// The bounds that `mend` changes, with what they become.
fn mended(range: &Bounds, mend: impl Fn(f64) -> f64) -> Vec<(Span, f64)> {
    let all = bounds(range).map(|bound| (bound.span, bound.value, mend(bound.value)));
    all.filter(|(_, from, to)| from != to).map(|(span, _, to)| (span, to)).collect()
}

/// The bounds between two steps, with the nearest step.
fn stepped(range: &Bounds, step: Step, scale: f64) -> Vec<(Span, f64)> {
    let between = bounds(range).filter(|bound| !whole_steps(step, scale, bound.value));
    between.map(|bound| (bound.span, step.decode(step.encode(bound.value)))).collect()
}

/// Each bound with the value of the other.
fn swapped(range: &Bounds) -> Vec<(Span, f64)> {
    match (range.min, range.max) {
        (Some(min), Some(max)) => vec![(min.span, max.value), (max.span, min.value)],
        _ => vec![],
    }
}

/// The name a type is, when it is nothing more.
fn bare_name(ty: &ast::Type) -> Option<&str> {
    match &ty.kind {
        ast::TypeKind::Reference(reference) => Some(&reference.name.text),
        _ => None,
    }
}

/// Words that name a component.
fn component_words(quaternions: bool) -> impl Iterator<Item = &'static str> {
    let quaternion =
        move |word: &Primitive| quaternions && matches!(word, Primitive::Quat | Primitive::Quat32);
    let words = Primitive::ALL.iter().filter(move |word| word.number().is_some() || quaternion(word));
    words.map(|word| word.text())
}

/// A length or count. `word` is the type it bounds, for the label.
fn length(
    bounds: &Bounds,
    greatest: f64,
    word: Option<Span>,
    name: &str,
    sink: &mut Vec<Diagnostic>,
) -> Length {
    let written = bounds.min.is_some() || bounds.max.is_some();
    let fallback = Length { min: 0, max: MAX_ELEMENTS as u32, written, max_written: bounds.max.is_some() };
    for bound in self::bounds(bounds) {
        let word = word.unwrap_or(bounds.span);
        if bound.value.fract() != 0.0 {
            sink.push(say::fractional_bound(bound.span, word, name, &mended(bounds, |bound| bound.round())));
            return fallback;
        }
        if !(0.0..=greatest).contains(&bound.value) {
            let nearest = mended(bounds, |bound| bound.clamp(0.0, greatest));
            sink.push(say::bound_out_of_type(bound.span, word, name, (0.0, greatest), &nearest, None));
            return fallback;
        }
    }
    let open = if written { greatest } else { MAX_ELEMENTS };
    let min = bounds.min.map_or(0.0, |bound| bound.value);
    let max = bounds.max.map_or(open, |bound| bound.value);
    if min > max {
        sink.push(say::upside_down(bounds.span, &swapped(bounds)));
        return fallback;
    }
    Length { min: min as u32, max: max as u32, ..fallback }
}
