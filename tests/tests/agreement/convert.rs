//! Between the codec's values and Luau's. The plan says what a table is.

use blinkblox_compiler::wire::codec::Value;
use blinkblox_compiler::wire::plan::{Member, Node, Shape};
use mlua::{Function, Lua, Result, Table, Value as LuaValue};

/// A side's way with values: its VM, and the functions of its host that make and describe Instances.
#[derive(Clone)]
pub struct Converter {
    pub lua: Lua,
    pub part: Function,
    pub describe: Function,
}

impl Converter {
    /// A Luau value for what a script would hold.
    pub fn to_luau(&self, value: &Value) -> LuaValue {
        to_luau(self, value).unwrap()
    }

    /// The list of slots as it arrives at the other side.
    pub fn slots(&self, slots: &[Value]) -> Table {
        let table = self.lua.create_table_with_capacity(slots.len(), 0).unwrap();
        for (index, slot) in slots.iter().enumerate() {
            table.raw_set(index + 1, self.to_luau(slot)).unwrap();
        }
        table
    }

    /// A slot as sent; placeholders, whatever they are, count as nil.
    pub fn slot(&self, value: &LuaValue) -> Value {
        match value {
            LuaValue::Number(number) => Value::Number(*number),
            LuaValue::Integer(number) => Value::Number(*number as f64),
            other => self.instance(other).unwrap_or(Value::Nil),
        }
    }

    fn instance(&self, value: &LuaValue) -> Option<Value> {
        let (id, class): (Option<f64>, Option<String>) = self.describe.call(value).ok()?;
        Some(Value::Instance { id: id? as u64, class: class? })
    }
}

fn to_luau(with: &Converter, value: &Value) -> Result<LuaValue> {
    let lua = &with.lua;
    Ok(match value {
        Value::Instance { id, class } => with.part.call((*id as f64, class.as_str()))?,
        Value::Nil => LuaValue::Nil,
        Value::Boolean(boolean) => LuaValue::Boolean(*boolean),
        Value::Number(number) => LuaValue::Number(*number),
        Value::String(bytes) => LuaValue::String(lua.create_string(bytes)?),
        Value::Buffer(bytes) => LuaValue::Buffer(lua.create_buffer(bytes)?),
        Value::Vector([x, y, z]) => LuaValue::Vector(mlua::Vector::new(*x, *y, *z)),
        Value::Array(elements) => {
            // Room for all of them from the start keeps `#` at the last element where there are holes.
            let table = lua.create_table_with_capacity(elements.len(), 0)?;
            for (index, element) in elements.iter().enumerate() {
                table.raw_set(index + 1, to_luau(with, element)?)?;
            }
            LuaValue::Table(table)
        }
        Value::Map(entries) => {
            let table = lua.create_table()?;
            for (key, value) in entries {
                table.raw_set(to_luau(with, key)?, to_luau(with, value)?)?;
            }
            LuaValue::Table(table)
        }
        Value::Struct(fields) => {
            let table = lua.create_table()?;
            for (name, value) in fields {
                table.raw_set(name.as_str(), to_luau(with, value)?)?;
            }
            LuaValue::Table(table)
        }
        other => return Err(mlua::Error::runtime(format!("a {} needs the platform", other.type_name()))),
    })
}

/// What a script holds, as the codec would have read it.
pub fn from_luau(with: &Converter, node: &Node, value: &LuaValue) -> Value {
    match value {
        LuaValue::Nil => Value::Nil,
        LuaValue::Boolean(boolean) => Value::Boolean(*boolean),
        LuaValue::Integer(number) => Value::Number(*number as f64),
        LuaValue::Number(number) => Value::Number(*number),
        LuaValue::String(text) => Value::String(text.as_bytes().to_vec()),
        LuaValue::Buffer(bytes) => Value::Buffer(bytes.to_vec()),
        LuaValue::Vector(vector) => Value::Vector([vector.x(), vector.y(), vector.z()]),
        LuaValue::Table(table) => from_table(with, node, table),
        other => with.instance(other).unwrap_or_else(|| Value::text(&format!("a {}", other.type_name()))),
    }
}

/// The parameters a listener was called with.
pub fn from_arguments(with: &Converter, members: &[Member], arguments: &[LuaValue]) -> Value {
    let value = |(index, member): (usize, &Member)| {
        (member.name.clone(), from_luau(with, &member.node, arguments.get(index).unwrap_or(&LuaValue::Nil)))
    };
    Value::Struct(members.iter().enumerate().map(value).collect())
}

fn from_table(with: &Converter, node: &Node, table: &Table) -> Value {
    match &node.shape {
        Shape::Optional { block, .. } => from_table(with, &block.body, table),
        Shape::Struct(members) => {
            let field = |member: &Member| {
                let value = table.raw_get(member.name.as_str()).unwrap_or(LuaValue::Nil);
                (member.name.clone(), from_luau(with, &member.node, &value))
            };
            Value::Struct(members.iter().map(field).collect())
        }
        Shape::Array(array) => {
            elements(table, array.length.exact(), |value| from_luau(with, &array.block.body, value))
        }
        Shape::Booleans(booleans) => elements(table, booleans.length.exact(), |value| match value {
            LuaValue::Boolean(boolean) => Value::Boolean(*boolean),
            other => Value::text(other.type_name()),
        }),
        Shape::Set(set) => {
            let flag = |flag: &String| {
                let value = table.raw_get(flag.as_str()).unwrap_or(LuaValue::Nil);
                (flag.clone(), value.as_boolean().map_or(Value::Nil, Value::Boolean))
            };
            Value::Struct(set.flags.iter().map(flag).collect())
        }
        Shape::TaggedEnum(tagged) => {
            let name: String = table.raw_get(tagged.tag.as_str()).unwrap_or_default();
            let mut fields = vec![(tagged.tag.clone(), Value::text(&name))];
            if let Some(variant) = tagged.variants.iter().find(|variant| variant.name == name)
                && let Value::Struct(own) = from_table(with, &variant.block.body, table)
            {
                fields.extend(own);
            }
            Value::Struct(fields)
        }
        Shape::Map(map) => {
            let Shape::Entry(pair) = &map.entry.body.shape else { return Value::Map(Vec::new()) };
            let entry = |(key, value): (LuaValue, LuaValue)| {
                (from_luau(with, &pair[0], &key), from_luau(with, &pair[1], &value))
            };
            Value::Map(table.pairs().flatten().map(entry).collect())
        }
        _ => Value::text("a table"),
    }
}

fn elements(table: &Table, exact: Option<u32>, convert: impl Fn(&LuaValue) -> Value) -> Value {
    let count = exact.map_or_else(|| last_index(table), |exact| exact as usize);
    let element = |index| convert(&table.raw_get(index).unwrap_or(LuaValue::Nil));
    Value::Array((1..=count).map(element).collect())
}

/// The greatest index held, holes or not: `#` may stop at any of them.
fn last_index(table: &Table) -> usize {
    table.pairs::<LuaValue, LuaValue>().flatten().filter_map(|(key, _)| key.as_usize()).max().unwrap_or(0)
}
