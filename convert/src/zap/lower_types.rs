//! zap's types, as types of the language.

use blinkblox_compiler::source::Span;

use super::ast::{Group, Name, Range, Ty, TyKind};
use super::lower::{At, DEEPEST, Lower, Lowered};
use crate::draft::{self, identifier};
use crate::refused;

/// Number types with their bounds; floats have none that matter.
const NUMBERS: &[(&str, Option<(f64, f64)>)] = &[
    ("u8", Some((0.0, 255.0))),
    ("u16", Some((0.0, 65_535.0))),
    ("u32", Some((0.0, 4_294_967_295.0))),
    ("i8", Some((-128.0, 127.0))),
    ("i16", Some((-32_768.0, 32_767.0))),
    ("i32", Some((-2_147_483_648.0, 2_147_483_647.0))),
    ("f32", None),
    ("f64", None),
];

/// Other types that zap has, `Instance` and those of texts aside, as the language calls them.
const PLAIN: &[(&str, &str)] = &[
    ("boolean", "boolean"),
    ("Vector3", "vector"),
    ("Vector2", "Vector2"),
    ("CFrame", "CFrame"),
    ("AlignedCFrame", "CFrame"),
    ("Color3", "Color3"),
    ("BrickColor", "BrickColor"),
    ("DateTime", "DateTime"),
    ("DateTimeMillis", "DateTimeMillis"),
];

/// Bounds of a length.
const LENGTHS: (f64, f64) = (0.0, 4_294_967_295.0);

/// Whether zap gives the name a meaning of its own.
pub(super) fn is_primitive(path: &str) -> bool {
    let first = path.split('.').next().unwrap_or(path);
    NUMBERS.iter().any(|(name, _)| *name == path)
        || PLAIN.iter().any(|(name, _)| *name == path)
        || matches!(path, "buffer" | "unknown" | "vector")
        || matches!(first, "string" | "Instance")
}

/// A way of listening, as the language spells it.
pub(super) fn call(word: &str) -> Option<&'static str> {
    ["ManyAsync", "ManySync", "SingleAsync", "SingleSync", "Polling"].into_iter().find(|call| *call == word)
}

impl<'a> Lower<'a> {
    pub(super) fn ty(&mut self, ty: &'a Ty, at: &At<'_>) -> Lowered<draft::Ty> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let headline = format!("types hold each other more than {DEEPEST} deep");
            return Err(Box::new(refused(headline, ty.span, "too deep")));
        }
        let lowered = self.any(ty, at);
        self.depth -= 1;
        lowered
    }

    fn any(&mut self, ty: &'a Ty, at: &At<'_>) -> Lowered<draft::Ty> {
        Ok(match &ty.kind {
            TyKind::Word { path, group } if is_primitive(path) => {
                self.primitive(path, group.as_ref(), ty.span, at)?
            }
            TyKind::Word { path, group } => {
                if let Some(group) = group {
                    return Err(misplaced(path, group, ty.span));
                }
                self.reference(path, ty.span, at)?
            }
            TyKind::Struct(fields) => draft::Ty::Struct(self.fields(fields, at)?),
            TyKind::Enum(values) => draft::Ty::Enum(values.iter().map(|value| value.text.clone()).collect()),
            TyKind::Tagged(tag, variants) => {
                let mut lowered = Vec::new();
                for (name, fields) in variants {
                    lowered.push((name.text.clone(), self.fields(fields, at)?));
                }
                draft::Ty::Tagged(tag.text.clone(), lowered)
            }
            TyKind::Map(key, value) => draft::Ty::map(self.ty(key, at)?, self.ty(value, at)?),
            TyKind::Set(inner) => {
                self.lost_at(at.head, ty.span, format!("`{}` became a map to boolean", self.source(ty.span)));
                draft::Ty::map(self.ty(inner, at)?, draft::Ty::plain("boolean"))
            }
            TyKind::Optional(inner) => self.ty(inner, at)?.optional(),
            TyKind::Array(inner, range) => {
                let inner = self.ty(inner, at)?;
                let range = match range {
                    Some(range) => self.range(range, Some((0.0, 65_535.0)), "an array", at)?,
                    None => None,
                };
                draft::Ty::Array(Box::new(inner), range)
            }
            TyKind::Union => {
                self.lost_at(
                    at.head,
                    ty.span,
                    format!("`{}` became `unknown`: nothing of it is validated", self.source(ty.span)),
                );
                draft::Ty::Unknown
            }
        })
    }

    fn fields(&mut self, fields: &'a [(Name, Ty)], at: &At<'_>) -> Lowered<Vec<(String, draft::Ty)>> {
        let mut lowered = Vec::new();
        for (name, ty) in fields {
            let key = identifier(&name.text);
            if key != name.text {
                let message = format!("field \"{}\" of {} became {key}", name.text, at.head.name);
                self.renamed_at(at.head, name.span, message);
            }
            lowered.push((key, self.ty(ty, at)?));
        }
        Ok(lowered)
    }

    fn primitive(
        &mut self,
        path: &str,
        group: Option<&Group>,
        span: Span,
        at: &At<'_>,
    ) -> Lowered<draft::Ty> {
        if let Some((name, bounds)) = NUMBERS.iter().find(|(name, _)| *name == path) {
            let range = match group {
                Some(Group::Range(range)) => self.range(range, *bounds, name, at)?,
                Some(group) => return Err(misplaced(path, group, span)),
                None => None,
            };
            return Ok(draft::Ty::Number(name, range));
        }
        if let Some(kind) = text_kind(path) {
            let range = match group {
                Some(Group::Range(range)) => self.range(range, Some(LENGTHS), kind, at)?,
                Some(group) => return Err(misplaced(path, group, span)),
                None => None,
            };
            if path == "string.utf8" {
                self.lost_at(
                    at.head,
                    span,
                    "`string.utf8` became `string`: nothing checks that it is UTF-8".to_string(),
                );
            }
            return Ok(draft::Ty::Text(kind, range));
        }
        match (path, group) {
            ("unknown", None) => Ok(draft::Ty::Unknown),
            ("vector", Some(Group::Words(components))) => self.vector(components, span, at),
            ("vector", None) => Ok(draft::Ty::plain("vector")),
            ("Instance", Some(Group::Words(words))) if words.len() == 1 => {
                Ok(draft::Ty::Plain(format!("Instance({})", words[0].text)))
            }
            (_, None) => match (path.strip_prefix("Instance."), PLAIN.iter().find(|(name, _)| *name == path))
            {
                (_, Some((name, plain))) => {
                    if *name == "AlignedCFrame" {
                        let message =
                            "`AlignedCFrame` became `CFrame`: its rotation takes more bytes".to_string();
                        self.lost_at(at.head, span, message);
                    }
                    Ok(draft::Ty::plain(*plain))
                }
                (Some(class), None) if !class.contains('.') => {
                    Ok(draft::Ty::Plain(format!("Instance({class})")))
                }
                _ if path == "Instance" => Ok(draft::Ty::plain("Instance")),
                _ => {
                    let headline = format!("there is no type `{path}`");
                    Err(Box::new(refused(headline, span, "not a type of zap")))
                }
            },
            (_, Some(group)) => Err(misplaced(path, group, span)),
        }
    }

    /// `vector(f32, f32)`: two or three components of number types.
    fn vector(&mut self, components: &[Name], span: Span, at: &At<'_>) -> Lowered<draft::Ty> {
        for component in components {
            if !NUMBERS.iter().any(|(name, _)| *name == component.text) {
                let headline = format!("`{}` is no component of a vector", component.text);
                return Err(Box::new(refused(headline, component.span, "a number type is needed here")));
            }
        }
        let Some(first) = components.first().filter(|_| matches!(components.len(), 2 | 3)) else {
            let headline = "a vector has two or three components";
            return Err(Box::new(refused(headline, span, "neither two nor three")));
        };
        if components.len() == 2 {
            let message = format!("`{}` also sends Z", self.source(span));
            self.lost_at(at.head, span, message);
        }
        let component = if components.iter().all(|one| one.text == first.text) {
            first.text.clone()
        } else {
            let message = format!("`{}` sends every component as f32", self.source(span));
            self.lost_at(at.head, span, message);
            "f32".to_string()
        };
        Ok(draft::Ty::Plain(if component == "f32" {
            "vector".to_string()
        } else {
            format!("vector<{component}>")
        }))
    }

    /// A range, kept within what its type holds. `None` when it says nothing.
    fn range(
        &mut self,
        range: &Range,
        bounds: Option<(f64, f64)>,
        what: &str,
        at: &At<'_>,
    ) -> Lowered<Option<draft::Range>> {
        let number = |name: &Name| name.text.parse::<f64>().unwrap_or(0.0);
        if let (Some(min), Some(max)) = (&range.min, &range.max)
            && number(min) > number(max)
        {
            return Err(Box::new(refused("the range ends before it begins", range.span, "empty")));
        }
        let mut settled = [None, None];
        for (bound, settled) in [&range.min, &range.max].into_iter().zip(&mut settled) {
            let Some(bound) = bound else { continue };
            let value = number(bound);
            let Some((least, most)) = bounds else {
                *settled = Some(bound.text.clone());
                continue;
            };
            if value.fract() != 0.0 {
                let headline = format!("{} is no whole number", bound.text);
                return Err(Box::new(refused(headline, bound.span, "a whole number is needed here")));
            }
            *settled = Some(if (least..=most).contains(&value) {
                bound.text.clone()
            } else {
                let kept = value.clamp(least, most).to_string();
                self.lost_at(
                    at.head,
                    bound.span,
                    format!("the bound {} of {what} became {kept}", bound.text),
                );
                kept
            });
        }
        let [min, max] = settled;
        Ok((min.is_some() || max.is_some()).then_some(draft::Range { min, max }))
    }
}

/// `string` or `buffer`, when a path means one.
fn text_kind(path: &str) -> Option<&'static str> {
    match path {
        "string" | "string.utf8" | "string.binary" => Some("string"),
        "buffer" => Some("buffer"),
        _ => None,
    }
}

fn misplaced(path: &str, group: &Group, span: Span) -> Box<blinkblox_compiler::diagnostics::Diagnostic> {
    let what = match group {
        Group::Range(_) => "range",
        Group::Words(_) => "names in parentheses",
    };
    Box::new(refused(format!("`{path}` takes no {what}"), span, "not taken here"))
}
