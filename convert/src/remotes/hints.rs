//! What annotations, literals and checks say of a value.

use std::collections::BTreeMap;

use blinkblox_emulator::datamodel::classes::class_by_name;
use blinkblox_emulator::syntax::{first_text, string, text};
use full_moon::ast::luau::{IndexedTypeInfo, TypeFieldKey, TypeInfo};
use full_moon::ast::{Call, Expression, Field, FunctionCall, Index, Prefix, Suffix, Var};

use crate::draft::Ty;

/// Types that a script declares, by name.
pub(super) type Aliases = BTreeMap<String, TypeInfo>;

/// Most types one inside the other.
const DEEPEST: usize = 30;

/// The type of an annotation; `None` for one that says nothing a schema can.
pub(super) fn annotated(info: &TypeInfo, aliases: &Aliases, depth: usize) -> Option<Ty> {
    if depth > DEEPEST {
        return None;
    }
    let inner = |info: &TypeInfo| annotated(info, aliases, depth + 1);
    match info {
        TypeInfo::Basic(name) => match aliases.get(&text(name)) {
            Some(meant) => annotated(meant, aliases, depth + 1),
            None => named(&text(name)),
        },
        TypeInfo::Optional { base, .. } => inner(base).map(Ty::optional),
        TypeInfo::Array { type_info, .. } => Some(inner(type_info).unwrap_or(Ty::Unknown).array()),
        TypeInfo::Table { fields, .. } => {
            let mut named = Vec::new();
            for field in fields {
                let value = inner(field.value()).unwrap_or(Ty::Unknown);
                match field.key() {
                    TypeFieldKey::Name(name) => named.push((text(name), value)),
                    TypeFieldKey::IndexSignature { inner: key, .. } if fields.len() == 1 => {
                        return Some(match inner(key).unwrap_or(Ty::Unknown) {
                            // A list written in full.
                            Ty::Number(..) if is_number(key) => value.array(),
                            key => Ty::map(key, value),
                        });
                    }
                    _ => return None,
                }
            }
            Some(Ty::Struct(named))
        }
        TypeInfo::Union(union) => {
            let alternatives: Vec<&TypeInfo> = union.types().iter().collect();
            let (nils, rest): (Vec<&TypeInfo>, Vec<&TypeInfo>) = alternatives
                .into_iter()
                .partition(|one| matches!(one, TypeInfo::Basic(name) if text(name) == "nil"));
            let texts: Option<Vec<String>> = rest.iter().map(|one| singleton(one)).collect();
            let found = match (texts, rest.as_slice()) {
                (Some(texts), _) if !texts.is_empty() => Ty::Enum(texts),
                (_, [one]) => inner(one)?,
                _ => return None,
            };
            Some(if nils.is_empty() { found } else { found.optional() })
        }
        TypeInfo::String(_) => singleton(info).map(|text| Ty::Enum(vec![text])),
        TypeInfo::Boolean(_) => Some(Ty::plain("boolean")),
        TypeInfo::Tuple { types, .. } if types.len() == 1 => types.iter().next().and_then(inner),
        // `Enum.Material`
        TypeInfo::Module { module, type_info, .. } if text(module) == "Enum" => match &**type_info {
            IndexedTypeInfo::Basic(name) => Some(Ty::Plain(format!("Enum({})", text(name)))),
            _ => None,
        },
        _ => None,
    }
}

fn is_number(info: &TypeInfo) -> bool {
    matches!(info, TypeInfo::Basic(name) if text(name) == "number")
}

fn singleton(info: &TypeInfo) -> Option<String> {
    match info {
        TypeInfo::String(token) => string(token),
        _ => None,
    }
}

/// The type that a name means, as annotations and `typeof` have it.
pub(super) fn named(name: &str) -> Option<Ty> {
    Some(match name {
        // Luau has one kind of number.
        "number" => Ty::Number("f64", None),
        "string" => Ty::Text("string", None),
        "buffer" => Ty::Text("buffer", None),
        "boolean" => Ty::plain("boolean"),
        "Vector3" | "vector" => Ty::plain("vector"),
        "Vector2" | "CFrame" | "Color3" | "BrickColor" | "DateTime" | "UDim" | "UDim2" | "NumberRange"
        | "ColorSequence" | "TweenInfo" | "Instance" => Ty::plain(name),
        _ => {
            class_by_name(name)?;
            Ty::Plain(format!("Instance({name})"))
        }
    })
}

/// The type of what a literal or a constructor gives.
pub(super) fn valued(expression: &Expression, depth: usize) -> Option<Ty> {
    if depth > DEEPEST {
        return None;
    }
    match expression {
        Expression::Parentheses { expression, .. } => valued(expression, depth + 1),
        Expression::String(_) | Expression::InterpolatedString(_) => Some(Ty::Text("string", None)),
        Expression::Number(_) => Some(Ty::Number("f64", None)),
        Expression::UnaryOperator { expression, .. } => match valued(expression, depth + 1) {
            Some(Ty::Number(name, range)) => Some(Ty::Number(name, range)),
            _ => None,
        },
        Expression::Symbol(token) => {
            matches!(text(token).as_str(), "true" | "false").then(|| Ty::plain("boolean"))
        }
        Expression::TypeAssertion { type_assertion, .. } => {
            annotated(type_assertion.cast_to(), &Aliases::new(), depth + 1)
        }
        Expression::TableConstructor(table) => {
            let mut named = Vec::new();
            let mut first = None;
            for field in table.fields() {
                match field {
                    Field::NameKey { key, value, .. } => {
                        named.push((text(key), valued(value, depth + 1).unwrap_or(Ty::Unknown)));
                    }
                    Field::NoKey(value) => {
                        first.get_or_insert_with(|| valued(value, depth + 1).unwrap_or(Ty::Unknown));
                    }
                    _ => return None,
                }
            }
            match (first, named.is_empty()) {
                (Some(first), true) => Some(first.array()),
                (None, false) => Some(Ty::Struct(named)),
                _ => None,
            }
        }
        Expression::FunctionCall(call) => constructed(call),
        Expression::Var(Var::Expression(var)) => {
            let suffixes: Vec<&Suffix> = var.suffixes().collect();
            match (var.prefix(), suffixes.as_slice()) {
                // `Enum.Material.Ice`
                (Prefix::Name(name), [Suffix::Index(Index::Dot { name: of, .. }), _])
                    if text(name) == "Enum" =>
                {
                    Some(Ty::Plain(format!("Enum({})", text(of))))
                }
                // `Vector3.zero`
                (Prefix::Name(name), [Suffix::Index(Index::Dot { name: member, .. })])
                    if matches!(
                        text(member).as_str(),
                        "zero" | "one" | "identity" | "xAxis" | "yAxis" | "zAxis"
                    ) =>
                {
                    named(&text(name)).filter(|ty| matches!(ty, Ty::Plain(_)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// `Vector3.new(..)`, `Color3.fromRGB(..)`, `buffer.create(..)`, `tostring(..)`
fn constructed(call: &FunctionCall) -> Option<Ty> {
    let Prefix::Name(name) = call.prefix() else { return None };
    let suffixes: Vec<&Suffix> = call.suffixes().collect();
    match (text(name).as_str(), suffixes.as_slice()) {
        ("tostring", [Suffix::Call(Call::AnonymousCall(_))]) => Some(Ty::Text("string", None)),
        ("tonumber", [Suffix::Call(Call::AnonymousCall(_))]) => Some(Ty::Number("f64", None)),
        (
            library,
            [Suffix::Index(Index::Dot { name: member, .. }), Suffix::Call(Call::AnonymousCall(args))],
        ) => match (library, text(member).as_str()) {
            ("Instance", "new") => Some(match first_text(args) {
                Some(class) if class_by_name(&class).is_some() => Ty::Plain(format!("Instance({class})")),
                _ => Ty::plain("Instance"),
            }),
            ("buffer", "create" | "fromstring") => Some(Ty::Text("buffer", None)),
            ("os", "time" | "clock") | ("math", _) => Some(Ty::Number("f64", None)),
            ("string", "format" | "rep" | "upper" | "lower" | "sub") => Some(Ty::Text("string", None)),
            ("buffer" | "string" | "os" | "table" | "task" | "coroutine" | "Enum", _) => None,
            (library, _) => named(library).filter(|ty| matches!(ty, Ty::Plain(text) if !text.contains('('))),
        },
        _ => None,
    }
}
