//! `SharedTable`: a table that all VMs of a side refer to. Engine page: datatypes/SharedTable, checked November 2026.
//!
//! The value is a number; the contents are kept by the side, for the life of the world. Keys go in a fixed order, numbers
//! before strings: the engine promises none.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::script::{equal, held, return_bool, return_data};
use super::{Data, Datatype};
use crate::peer::Peer;
use crate::value::{Table, Value};
use crate::vm::{Atom, Cx, Failure, NativeFn, Outcome, Raise, Returns, Type, TypeTable, Vm};

/// A shared table, by its number on its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedTable {
    id: u32,
}

/// A key: a whole number of 32 bits or a string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(u32),
    Text(Rc<[u8]>),
}

impl Key {
    fn of(value: &Value) -> Option<Key> {
        match value {
            Value::Number(number) if *number >= 0.0 && number.fract() == 0.0 && *number < 4_294_967_296.0 => {
                Some(Key::Number(*number as u32))
            }
            Value::String(text) => Some(Key::Text(text.clone())),
            _ => None,
        }
    }

    fn value(&self) -> Value {
        match self {
            Key::Number(number) => Value::from(*number),
            Key::Text(text) => Value::String(text.clone()),
        }
    }
}

#[derive(Debug, Default, Clone)]
struct Contents {
    entries: BTreeMap<Key, Value>,
    frozen: bool,
}

/// The shared tables of one side.
#[derive(Default)]
pub struct SharedTables {
    tables: RefCell<Vec<Contents>>,
    registry: RefCell<BTreeMap<String, SharedTable>>,
}

/// Most levels of tables that become shared ones together.
const MOST_LEVELS: usize = 200;

fn tables(cx: &Cx<'_>) -> Result<Rc<SharedTables>, Raise> {
    cx.opt_peer()
        .map(|peer| of(&peer))
        .ok_or_else(|| Raise::new("a SharedTable belongs to the side that made it"))
}

fn of(peer: &Peer) -> Rc<SharedTables> {
    peer.part_or_default::<SharedTables>()
}

/// The table of that name in the side's registry, made empty if there is none.
pub fn registered(peer: &Peer, name: &str) -> SharedTable {
    let tables = of(peer);
    let known = tables.registry.borrow().get(name).copied();
    known.unwrap_or_else(|| {
        let made = tables.add(Contents::default());
        tables.registry.borrow_mut().insert(name.to_owned(), made);
        made
    })
}

/// Puts a table into the side's registry, or takes what is there out.
pub fn register(peer: &Peer, name: &str, table: Option<SharedTable>) {
    let tables = of(peer);
    let mut registry = tables.registry.borrow_mut();
    match table {
        Some(table) => registry.insert(name.to_owned(), table),
        None => registry.remove(name),
    };
}

impl SharedTables {
    fn add(&self, contents: Contents) -> SharedTable {
        let mut tables = self.tables.borrow_mut();
        tables.push(contents);
        SharedTable { id: (tables.len() - 1) as u32 }
    }

    fn read<R>(&self, table: SharedTable, read: impl FnOnce(&Contents) -> R) -> Result<R, Raise> {
        let tables = self.tables.borrow();
        let contents = tables.get(table.id as usize);
        contents.map(read).ok_or_else(|| Raise::new("the SharedTable belongs to another side"))
    }

    fn change<R>(&self, table: SharedTable, change: impl FnOnce(&mut Contents) -> R) -> Result<R, Raise> {
        let mut tables = self.tables.borrow_mut();
        match tables.get_mut(table.id as usize) {
            Some(contents) if contents.frozen => Err(Raise::new("Cannot modify a frozen SharedTable")),
            Some(contents) => Ok(change(contents)),
            None => Err(Raise::new("the SharedTable belongs to another side")),
        }
    }

    fn set(&self, table: SharedTable, key: Key, value: Value) -> Result<(), Raise> {
        self.change(table, |contents| {
            if value.is_nil() {
                contents.entries.remove(&key);
            } else {
                contents.entries.insert(key, value);
            }
        })
    }

    /// A table's contents as a new shared table, tables in it too.
    fn take(&self, table: &Table, levels: usize) -> Result<SharedTable, Raise> {
        if levels == 0 {
            return Err(Raise::new("exceeded maximum nesting"));
        }
        let mut contents = Contents::default();
        let array = (1..).map(Value::from).zip(table.array.iter().cloned());
        for (key, value) in array.chain(table.pairs.iter().cloned()) {
            let key = Key::of(&key).ok_or_else(|| wrong_key(key.type_name()))?;
            let value = match &value {
                Value::Table(inner) => Value::Datatype(self.take(inner, levels - 1)?.into()),
                other => storable(other.clone())?,
            };
            contents.entries.insert(key, value);
        }
        Ok(self.add(contents))
    }

    /// A copy; a table that stands in many places of a deep one is copied for each.
    fn copy(
        &self,
        cx: &Cx<'_>,
        table: SharedTable,
        deep: bool,
        frozen: bool,
        levels: usize,
    ) -> Result<SharedTable, Raise> {
        if levels == 0 {
            return Err(Raise::new("exceeded maximum nesting"));
        }
        cx.check_memory(0)?;
        let mut contents = self.read(table, Contents::clone)?;
        contents.frozen = frozen;
        if deep {
            for value in contents.entries.values_mut() {
                if let Value::Datatype(Datatype::SharedTable(inner)) = value {
                    *value = Value::Datatype(self.copy(cx, *inner, true, frozen, levels - 1)?.into());
                }
            }
        }
        Ok(self.add(contents))
    }
}

fn wrong_key(got: &str) -> Raise {
    Raise::new(format!("SharedTable keys must be strings or whole numbers from 0, got {got}"))
}

/// A value that a shared table may hold.
fn storable(value: Value) -> Result<Value, Raise> {
    match value {
        Value::Nil
        | Value::Boolean(_)
        | Value::Number(_)
        | Value::Vector(_)
        | Value::String(_)
        | Value::Buffer(_)
        | Value::Instance(_)
        | Value::EnumItem(_) => Ok(value),
        Value::Datatype(Datatype::Random(_) | Datatype::RaycastParams(_) | Datatype::OverlapParams(_))
        | Value::Enum(_)
        | Value::Enums
        | Value::Signal(_)
        | Value::Connection(_)
        | Value::Function(_)
        | Value::Thread(_)
        | Value::Table(_)
        | Value::Reference(_) => {
            Err(Raise::new(format!("a {} cannot be stored in a SharedTable", value.type_name())))
        }
        Value::Datatype(_) => Ok(value),
    }
}

// ---------------------------------------------------------------- seen from scripts

const TABLE: TypeTable = TypeTable {
    name: "SharedTable",
    index: Some(index),
    newindex: Some(newindex),
    namecall: None,
    tostring: Some(|cx| {
        cx.push_string("SharedTable");
        Ok(Returns::ONE)
    }),
    operators: OPERATORS,
};

const OPERATORS: &[(&str, NativeFn)] =
    &[("__eq", equal::<SharedTable>), ("__len", size), ("__iter", iterate)];

/// The functions of the library.
pub(super) const FUNCTIONS: &[(&str, NativeFn)] = &[
    ("new", new),
    ("clear", clear),
    ("clone", |cx| copied(cx, false)),
    ("cloneAndFreeze", |cx| copied(cx, true)),
    ("increment", increment),
    ("isFrozen", is_frozen),
    ("size", size),
    ("update", update),
];

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<SharedTable>(TABLE)?;
    vm.set_library("SharedTable", FUNCTIONS, &[])
}

fn key(cx: &Cx<'_>, index: i32) -> Result<Key, Raise> {
    let value = cx.shallow(index)?;
    Key::of(&value).ok_or_else(|| wrong_key(value.type_name()))
}

fn index(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let (table, key) = (held::<SharedTable>(cx, 1)?, key(cx, 2)?);
    let value = tables(cx)?.read(table, |contents| contents.entries.get(&key).cloned())?;
    cx.push(&value.unwrap_or(Value::Nil));
    Ok(Returns::ONE)
}

fn newindex(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let (table, key) = (held::<SharedTable>(cx, 1)?, key(cx, 2)?);
    tables(cx)?.set(table, key, storable(cx.shallow(3)?)?)?;
    Ok(Returns::NONE)
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    cx.check_memory(0)?;
    let tables = tables(cx)?;
    let made = match cx.kind(1) {
        Type::None | Type::Nil => tables.add(Contents::default()),
        Type::Table => match cx.value(1)? {
            Value::Table(table) => tables.take(&table, MOST_LEVELS)?,
            _ => return Err(cx.wrong_type(1, "table")),
        },
        _ => return Err(cx.wrong_type(1, "table")),
    };
    return_data(cx, made)
}

fn clear(cx: &mut Cx<'_>) -> Outcome {
    tables(cx)?.change(held(cx, 1)?, |contents| contents.entries.clear())?;
    Ok(Returns::NONE)
}

fn copied(cx: &mut Cx<'_>, frozen: bool) -> Outcome {
    let copy = tables(cx)?.copy(cx, held(cx, 1)?, cx.truthy(2), frozen, MOST_LEVELS)?;
    return_data(cx, copy)
}

/// Adds to a number, and gives what it was.
fn increment(cx: &mut Cx<'_>) -> Outcome {
    let (table, key, delta) = (held::<SharedTable>(cx, 1)?, key(cx, 2)?, cx.number(3)?);
    let tables = tables(cx)?;
    let old = tables.read(table, |contents| contents.entries.get(&key).cloned())?;
    let old = match old {
        None => 0.0,
        Some(Value::Number(number)) => number,
        Some(other) => {
            return Err(Raise::new(format!("cannot increment a {} of a SharedTable", other.type_name())));
        }
    };
    tables.set(table, key, Value::Number(old + delta))?;
    cx.push_number(old);
    Ok(Returns::ONE)
}

fn is_frozen(cx: &mut Cx<'_>) -> Outcome {
    let frozen = tables(cx)?.read(held(cx, 1)?, |contents| contents.frozen)?;
    return_bool(cx, frozen)
}

fn size(cx: &mut Cx<'_>) -> Outcome {
    let size = tables(cx)?.read(held(cx, 1)?, |contents| contents.entries.len())?;
    cx.push_number(size as f64);
    Ok(Returns::ONE)
}

/// Sets an entry to what a function makes of it.
fn update(cx: &mut Cx<'_>) -> Outcome {
    let (table, key) = (held::<SharedTable>(cx, 1)?, key(cx, 2)?);
    drop(cx.function(3)?);
    let tables = tables(cx)?;
    let old = tables.read(table, |contents| contents.entries.get(&key).cloned())?;
    cx.push_copy(3);
    cx.push(&old.unwrap_or(Value::Nil));
    cx.call(1, 1);
    let new = storable(cx.shallow(-1)?)?;
    tables.set(table, key, new)?;
    Ok(Returns::NONE)
}

fn iterate(cx: &mut Cx<'_>) -> Outcome {
    held::<SharedTable>(cx, 1)?;
    cx.push_native("next", next);
    cx.push_copy(1);
    cx.push_nil();
    Ok(Returns::Values(3))
}

/// The entry after a key. Entries that come and go meanwhile are met or not, and never twice.
fn next(cx: &mut Cx<'_>) -> Outcome {
    let table = held::<SharedTable>(cx, 1)?;
    let after = if cx.is_nil(2) { None } else { Some(key(cx, 2)?) };
    let found = tables(cx)?.read(table, |contents| {
        let from = after.as_ref().map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let entry = contents.entries.range((from, std::ops::Bound::Unbounded)).next();
        entry.map(|(key, value)| (key.value(), value.clone()))
    })?;
    match found {
        Some((key, value)) => {
            cx.push(&key);
            cx.push(&value);
            Ok(Returns::Values(2))
        }
        None => {
            cx.push_nil();
            Ok(Returns::ONE)
        }
    }
}

/// A shared table among arguments.
pub fn argument(cx: &Cx<'_>, index: i32) -> Result<SharedTable, Raise> {
    cx.try_data(index).ok_or_else(|| cx.wrong_type(index, SharedTable::NAME))
}
