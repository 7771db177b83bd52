//! What all datatypes share on their way to scripts: tables of members, reading arguments, the engine's errors.
//!
//! A type lists its properties and methods; [`scripted!`] makes the functions a VM dispatches to. Errors are the engine's
//! texts, without a position.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::{Data, Vector3};
use crate::datamodel::classes::{self, enum_by_name};
use crate::value::EnumItemId;
use crate::vm::{Atom, AtomMap, Cx, Method, NativeFn, Outcome, Raise, Returns, Type};

/// A value that scripts hold: a datatype, or the VM's own vector.
pub(super) trait Held: Copy {
    /// The engine's name of the type.
    const TYPE: &'static str;
    /// The value at an index, if it is one.
    fn held(cx: &Cx<'_>, index: i32) -> Option<Self>;
}

impl<T: Data + Copy> Held for T {
    const TYPE: &'static str = T::NAME;
    fn held(cx: &Cx<'_>, index: i32) -> Option<Self> {
        cx.try_data(index)
    }
}

impl Held for Vector3 {
    const TYPE: &'static str = "Vector3";
    fn held(cx: &Cx<'_>, index: i32) -> Option<Self> {
        if cx.kind(index) == Type::Vector { cx.vector(index).ok().map(Vector3::from) } else { None }
    }
}

/// Pushes a property's value.
pub(super) type Property<T> = fn(&Cx<'_>, &T);

#[derive(Clone, Copy)]
enum Member<T> {
    Property(Property<T>),
    Method(Method),
}

/// Names of properties and methods of each type whose members are in a table, once a VM has been told of it.
pub(super) type Names = BTreeMap<&'static str, (Vec<&'static str>, Vec<&'static str>)>;

static NAMES: Mutex<Names> = Mutex::new(Names::new());

fn note_names(
    name: &'static str,
    properties: impl Iterator<Item = &'static str>,
    methods: impl Iterator<Item = &'static str>,
) {
    if let Ok(mut names) = NAMES.lock() {
        names.insert(name, (properties.collect(), methods.collect()));
    }
}

/// The names noted so far.
pub(super) fn names() -> Names {
    NAMES.lock().map(|names| names.clone()).unwrap_or_default()
}

/// A type's members by name.
pub(super) struct Members<T>(AtomMap<Member<T>>);

impl<T: Held> Members<T> {
    pub(super) fn new(
        properties: &[(&'static str, Property<T>)],
        methods: &[(&'static str, NativeFn)],
    ) -> Self {
        note_names(T::TYPE, properties.iter().map(|(name, _)| *name), methods.iter().map(|(name, _)| *name));
        let properties = properties.iter().map(|(name, property)| (*name, Member::Property(*property)));
        let methods =
            methods.iter().map(|(name, call)| (*name, Member::Method(Method { name, call: *call })));
        Self(properties.chain(methods).collect())
    }

    /// `x.Name`
    pub(super) fn index(&self, cx: &Cx<'_>, atom: Atom) -> Outcome {
        match self.0.get(atom) {
            Some(Member::Property(push)) => match T::held(cx, 1) {
                Some(value) => push(cx, &value),
                None => return Err(no_member(cx, T::TYPE)),
            },
            Some(Member::Method(method)) => cx.push_method(method),
            None => return Err(no_member(cx, T::TYPE)),
        }
        Ok(Returns::ONE)
    }

    /// `x.Name = y`: always an error.
    pub(super) fn newindex(&self, cx: &Cx<'_>, atom: Atom) -> Outcome {
        match self.0.get(atom) {
            Some(_) => Err(Raise::new(format!("{} cannot be assigned to", cx.display(2)))),
            None => Err(no_member(cx, T::TYPE)),
        }
    }

    /// `x:Name(...)`
    pub(super) fn namecall(&self, cx: &mut Cx<'_>, atom: Atom) -> Outcome {
        match self.0.get(atom) {
            Some(Member::Method(method)) => (method.call)(cx),
            Some(Member::Property(_)) => Err(Raise::located(format!(
                "attempt to call a value of {}.{}, which is no method",
                T::TYPE,
                cx.callee()
            ))),
            None => Err(Raise::new(format!("{} is not a valid member of {}", cx.callee(), T::TYPE))),
        }
    }
}

fn no_member(cx: &Cx<'_>, name: &str) -> Raise {
    Raise::new(format!("{} is not a valid member of {name}", cx.display(2)))
}

/// Makes `table()`, how a VM sees a type, from its `PROPERTIES`, `METHODS`, `OPERATORS` and `to_text`.
macro_rules! scripted {
    ($type:ty, $name:literal) => {
        static MEMBERS: std::sync::LazyLock<$crate::datatypes::script::Members<$type>> =
            std::sync::LazyLock::new(|| $crate::datatypes::script::Members::new(PROPERTIES, METHODS));

        /// How a VM sees the type. Its member names are known from here on.
        pub(super) fn table() -> $crate::vm::TypeTable {
            std::sync::LazyLock::force(&MEMBERS);
            TABLE
        }

        const TABLE: $crate::vm::TypeTable = $crate::vm::TypeTable {
            name: $name,
            index: Some(|cx, atom| MEMBERS.index(cx, atom)),
            newindex: Some(|cx, atom| MEMBERS.newindex(cx, atom)),
            namecall: Some(|cx, atom| MEMBERS.namecall(cx, atom)),
            tostring: Some(|cx| {
                match <$type as $crate::datatypes::script::Held>::held(cx, 1) {
                    Some(value) => cx.push_string(script_text(&value)),
                    None => cx.push_string($name),
                }
                Ok($crate::vm::Returns::ONE)
            }),
            operators: OPERATORS,
        };
    };
}
pub(super) use scripted;

/// `==` of two values of a type.
pub(super) fn equal<T: Held + PartialEq>(cx: &mut Cx<'_>) -> Outcome {
    cx.push_boolean(T::held(cx, 1).is_some_and(|a| T::held(cx, 2) == Some(a)));
    Ok(Returns::ONE)
}

/// The object a method is called on.
pub(super) fn this<T: Held>(cx: &Cx<'_>) -> Result<T, Raise> {
    T::held(cx, 0)
        .ok_or_else(|| Raise::new(format!("Expected ':' not '.' calling member function {}", cx.callee())))
}

/// An operand of an operator.
pub(super) fn operand<T: Held>(cx: &Cx<'_>, index: i32) -> Result<T, Raise> {
    T::held(cx, index).ok_or_else(|| wrong_operand(cx, index, T::TYPE))
}

/// The error for an operand of the wrong type.
pub(super) fn wrong_operand(cx: &Cx<'_>, index: i32, expected: &str) -> Raise {
    Raise::new(format!("invalid argument #{index} ({expected} expected, got {})", cx.type_name(index)))
}

/// Two operands of one type.
pub(super) fn operands<T: Held>(cx: &Cx<'_>) -> Result<(T, T), Raise> {
    Ok((operand(cx, 1)?, operand(cx, 2)?))
}

/// An argument of a type.
pub(super) fn held<T: Held>(cx: &Cx<'_>, index: i32) -> Result<T, Raise> {
    T::held(cx, index).ok_or_else(|| cx.wrong_type(index, T::TYPE))
}

/// An argument of a type, or what stands in for one that is absent or nil.
pub(super) fn held_or<T: Held>(cx: &Cx<'_>, index: i32, default: T) -> Result<T, Raise> {
    if cx.is_nil(index) { Ok(default) } else { held(cx, index) }
}

/// A float32 argument.
pub(super) fn float(cx: &Cx<'_>, index: i32) -> Result<f32, Raise> {
    cx.number(index).map(|number| number as f32)
}

/// A float32 argument, or what stands in for one that is absent or nil.
pub(super) fn float_or(cx: &Cx<'_>, index: i32, default: f32) -> Result<f32, Raise> {
    Ok(cx.opt_number(index)?.map_or(default, |number| number as f32))
}

/// An int32 argument, or what stands in for one that is absent or nil.
pub(super) fn int_or(cx: &Cx<'_>, index: i32, default: i32) -> Result<i32, Raise> {
    Ok(cx.opt_number(index)?.map_or(default, |number| number as i32))
}

/// The value of an item of an enum: given as the item, its name or its value.
pub(super) fn enum_value(cx: &Cx<'_>, index: i32, name: &str) -> Result<u32, Raise> {
    let known = enum_by_name(name);
    let found = match cx.kind(index) {
        Type::Light => {
            let item = cx.enum_item(index)?;
            if known.is_some_and(|known| known == item.enum_) { Some(item.value) } else { None }
        }
        Type::Number => {
            let number = cx.number(index)?;
            known.and_then(|known| known.item_by_value(number as u32)).map(|item| item.value)
        }
        Type::String => {
            known.and_then(|known| known.item_by_name(&cx.text(index).ok()?)).map(|item| item.value)
        }
        _ => return Err(cx.wrong_type(index, &format!("Enum.{name}"))),
    };
    found.ok_or_else(|| Raise::new(format!("Invalid value \"{}\" for enum {name}", cx.display(index))))
}

/// The value of an item of an enum, or what stands in for one that is absent or nil.
pub(super) fn enum_value_or(cx: &Cx<'_>, index: i32, name: &str, default: u32) -> Result<u32, Raise> {
    if cx.is_nil(index) { Ok(default) } else { enum_value(cx, index, name) }
}

/// Pushes the item of an enum by its value.
pub(super) fn push_enum_value(cx: &Cx<'_>, name: &str, value: u32) {
    match enum_by_name(name) {
        Some(id) => cx.push_enum_item(EnumItemId { enum_: id, value }),
        None => cx.push_nil(),
    }
}

/// The name of the item of an enum by its value.
pub(super) fn enum_name(name: &str, value: u32) -> &'static str {
    enum_by_name(name).and_then(|id| id.item_by_value(value)).map_or("", classes::EnumItemId::name)
}

/// Pushes a float32.
pub(super) fn push_float(cx: &Cx<'_>, value: f32) {
    cx.push_number(f64::from(value));
}

/// Pushes a vector.
pub(super) fn push_vector3(cx: &Cx<'_>, value: Vector3) {
    cx.push_vector(value.to_array());
}

/// Returns a float32.
pub(super) fn return_float(cx: &Cx<'_>, value: f32) -> Outcome {
    push_float(cx, value);
    Ok(Returns::ONE)
}

/// Returns a boolean.
pub(super) fn return_bool(cx: &Cx<'_>, value: bool) -> Outcome {
    cx.push_boolean(value);
    Ok(Returns::ONE)
}

/// Returns a string.
pub(super) fn return_text(cx: &Cx<'_>, value: impl AsRef<[u8]>) -> Outcome {
    cx.push_string(value);
    Ok(Returns::ONE)
}

/// Returns a vector.
pub(super) fn return_vector3(cx: &Cx<'_>, value: Vector3) -> Outcome {
    push_vector3(cx, value);
    Ok(Returns::ONE)
}

/// Returns a datatype.
pub(super) fn return_data<T: Data + Copy>(cx: &Cx<'_>, value: T) -> Outcome {
    cx.push_data(value);
    Ok(Returns::ONE)
}
