//! `Enum`, `Enum.Material` and `Enum.Material.Grass`. Engine pages: datatypes/Enums, datatypes/Enum and
//! datatypes/EnumItem, checked November 2026.
//!
//! All three are light values: ids into the class database, equal by value and never collected.

use super::script::return_text;
use crate::datamodel::classes::{self, EnumId, enum_by_name};
use crate::value;
use crate::vm::{Atom, Cx, Failure, Method, NativeFn, Outcome, Raise, Returns, Type, TypeTable, Vm, light};

/// Describes the three types to a VM and adds `Enum`.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    for (name, _) in ENUMS_METHODS.iter().chain(ENUM_METHODS).chain(ITEM_METHODS) {
        Atom::of(name);
    }
    vm.register_light(light::ENUMS, ENUMS)?;
    vm.register_light(light::ENUM, ENUM)?;
    vm.register_light(light::ENUM_ITEM, ITEM)?;
    vm.set_global("Enum", &value::Value::Enums)
}

/// The text of an item: `Enum.Material.Grass`; the number for one the database lacks.
pub fn item_text(item: value::EnumItemId) -> String {
    let list = item.enum_;
    match list.item_by_value(item.value) {
        Some(known) => format!("Enum.{}.{}", list.name(), known.name()),
        None => format!("Enum.{}.{}", list.name(), item.value),
    }
}

// ---------------------------------------------------------------- Enum

const ENUMS_METHODS: &[(&str, NativeFn)] = &[("GetEnums", get_enums), ("FromName", enum_from_name)];

const ENUMS: TypeTable = TypeTable {
    name: "Enums",
    index: Some(|cx, _| {
        if let Some(method) = method(cx, ENUMS_METHODS) {
            cx.push_method(&method);
            return Ok(Returns::ONE);
        }
        match enum_by_name(&cx.text(2)?) {
            Some(id) => cx.push_enum(id),
            None => return Err(no_member(cx, "Enum")),
        }
        Ok(Returns::ONE)
    }),
    newindex: Some(|cx, _| Err(no_assignment(cx))),
    namecall: Some(|cx, atom| call(cx, atom, ENUMS_METHODS, "Enum")),
    tostring: Some(|cx| return_text(cx, "Enums")),
    operators: &[],
};

fn get_enums(cx: &mut Cx<'_>) -> Outcome {
    let all: Vec<EnumId> = classes::all_enums().collect();
    push_list(cx, &all, |cx, id| cx.push_enum(*id))
}

fn enum_from_name(cx: &mut Cx<'_>) -> Outcome {
    match enum_by_name(&cx.text(1)?) {
        Some(id) => cx.push_enum(id),
        None => cx.push_nil(),
    }
    Ok(Returns::ONE)
}

// ---------------------------------------------------------------- Enum.Material

const ENUM_METHODS: &[(&str, NativeFn)] =
    &[("GetEnumItems", get_enum_items), ("FromName", item_from_name), ("FromValue", item_from_value)];

const ENUM: TypeTable = TypeTable {
    name: "Enum",
    index: Some(|cx, _| {
        if let Some(method) = method(cx, ENUM_METHODS) {
            cx.push_method(&method);
            return Ok(Returns::ONE);
        }
        let list = cx.enum_(1)?;
        match list.item_by_name(&cx.text(2)?) {
            Some(item) => push_item(cx, item),
            None => return Err(no_member(cx, &format!("Enum.{}", list.name()))),
        }
        Ok(Returns::ONE)
    }),
    newindex: Some(|cx, _| Err(no_assignment(cx))),
    namecall: Some(|cx, atom| {
        let list = cx.enum_(0)?;
        call(cx, atom, ENUM_METHODS, &format!("Enum.{}", list.name()))
    }),
    tostring: Some(|cx| return_text(cx, cx.enum_(1)?.name())),
    operators: &[],
};

fn get_enum_items(cx: &mut Cx<'_>) -> Outcome {
    let items: Vec<_> = cx.enum_(0)?.items().collect();
    push_list(cx, &items, |cx, item| push_item(cx, *item))
}

fn item_from_name(cx: &mut Cx<'_>) -> Outcome {
    let found = cx.enum_(0)?.item_by_name(&cx.text(1)?);
    return_opt_item(cx, found)
}

fn item_from_value(cx: &mut Cx<'_>) -> Outcome {
    let number = cx.number(1)?;
    let whole = number >= 0.0 && number.fract() == 0.0;
    let found = if whole { cx.enum_(0)?.item_by_value(number as u32) } else { None };
    return_opt_item(cx, found)
}

fn return_opt_item(cx: &Cx<'_>, item: Option<classes::EnumItemId>) -> Outcome {
    match item {
        Some(item) => push_item(cx, item),
        None => cx.push_nil(),
    }
    Ok(Returns::ONE)
}

// ---------------------------------------------------------------- Enum.Material.Grass

const ITEM_METHODS: &[(&str, NativeFn)] = &[("IsA", is_a)];

const ITEM: TypeTable = TypeTable {
    name: "EnumItem",
    index: Some(|cx, _| {
        if let Some(method) = method(cx, ITEM_METHODS) {
            cx.push_method(&method);
            return Ok(Returns::ONE);
        }
        let item = cx.enum_item(1)?;
        match cx.string(2)? {
            b"Name" => {
                let name = item.enum_.item_by_value(item.value).map_or("", classes::EnumItemId::name);
                cx.push_string(name);
            }
            b"Value" => cx.push_number(f64::from(item.value)),
            b"EnumType" => cx.push_enum(item.enum_),
            _ => return Err(no_member(cx, &item_text(item))),
        }
        Ok(Returns::ONE)
    }),
    newindex: Some(|cx, _| Err(no_assignment(cx))),
    namecall: Some(|cx, atom| {
        let item = cx.enum_item(0)?;
        call(cx, atom, ITEM_METHODS, &item_text(item))
    }),
    tostring: Some(|cx| return_text(cx, item_text(cx.enum_item(1)?))),
    operators: &[],
};

fn is_a(cx: &mut Cx<'_>) -> Outcome {
    let item = cx.enum_item(0)?;
    let name = cx.text(1)?;
    cx.push_boolean(item.enum_.name() == name);
    Ok(Returns::ONE)
}

// ---------------------------------------------------------------- shared

fn push_item(cx: &Cx<'_>, item: classes::EnumItemId) {
    cx.push_enum_item(item);
}

/// Pushes a new table of items.
fn push_list<T>(cx: &Cx<'_>, items: &[T], push: fn(&Cx<'_>, &T)) -> Outcome {
    cx.push_table(items.len(), 0);
    for (index, item) in items.iter().enumerate() {
        push(cx, item);
        cx.set_index(index as i32 + 1);
    }
    Ok(Returns::ONE)
}

/// The method that the key at index 2 names.
fn method(cx: &Cx<'_>, methods: &[(&'static str, NativeFn)]) -> Option<Method> {
    if cx.kind(2) != Type::String {
        return None;
    }
    let key = cx.string(2).ok()?;
    methods.iter().find(|(name, _)| name.as_bytes() == key).map(|(name, call)| Method { name, call: *call })
}

fn call(cx: &mut Cx<'_>, atom: Atom, methods: &[(&'static str, NativeFn)], owner: &str) -> Outcome {
    match methods.iter().find(|(name, _)| atom.name() == Some(name)) {
        Some((_, call)) => call(cx),
        None => Err(Raise::new(format!("{} is not a valid member of \"{owner}\"", cx.callee()))),
    }
}

fn no_member(cx: &Cx<'_>, owner: &str) -> Raise {
    Raise::new(format!("{} is not a valid member of \"{owner}\"", cx.display(2)))
}

fn no_assignment(cx: &Cx<'_>) -> Raise {
    Raise::new(format!("{} cannot be assigned to", cx.display(2)))
}
