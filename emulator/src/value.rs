//! Values that belong to no VM: what travels between VMs, waits in queues and is seen by tests.

use std::fmt;
use std::rc::Rc;

pub use crate::datatypes::Datatype;

use crate::datatypes::{enums, text};
use crate::vm::Handle;
use blinkblox_compiler::diagnostics::counted;

/// An instance of a peer's tree. Ids are given by the tree and never reused in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InstanceId(pub u32);

/// An enum such as `Enum.Material`, by its number in the class database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumId(pub u16);

/// An item such as `Enum.Material.Grass`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EnumItemId {
    /// The enum it belongs to.
    pub enum_: EnumId,
    /// Its `Value`.
    pub value: u32,
}

/// A signal: an event of an instance.
///
/// The tree numbers the events of a class, and gives further numbers to signals made on request
/// (`GetPropertyChangedSignal`), so that equal keys are the same signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SignalKey {
    /// The instance whose event it is.
    pub instance: InstanceId,
    /// Which event.
    pub event: u16,
}

/// A connection to a signal, unique in its peer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnectionId(pub u64);

/// Any Luau value, outside a VM.
#[derive(Clone, Debug)]
pub enum Value {
    /// `nil`
    Nil,
    /// `true`
    Boolean(bool),
    /// `1.5`
    Number(f64),
    /// `Vector3.new(1, 2, 3)`
    Vector([f32; 3]),
    /// Bytes; not necessarily UTF-8.
    String(Rc<[u8]>),
    /// Contents of a buffer; pushing makes a new buffer.
    Buffer(Rc<[u8]>),
    /// An instance of this peer's tree.
    Instance(InstanceId),
    /// `Enum.Material.Grass`
    EnumItem(EnumItemId),
    /// `Enum.Material`
    Enum(EnumId),
    /// `Enum`
    Enums,
    /// `CFrame.new()` and the other value types.
    Datatype(Datatype),
    /// `part.Touched`
    Signal(SignalKey),
    /// What `Connect` returns.
    Connection(ConnectionId),
    /// A copy of a table; pushing makes a new table.
    Table(Rc<Table>),
    /// A function of the VM its handle names.
    Function(Handle),
    /// A thread of the VM its handle names.
    Thread(Handle),
    /// A table or userdata that stays in its VM and keeps its identity there.
    Reference(Handle),
}

/// Contents of a table at the time it was copied. The metatable is not part of it.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Values at 1, 2, 3, ... up to the first nil.
    pub array: Vec<Value>,
    /// All other entries, in iteration order.
    pub pairs: Vec<(Value, Value)>,
}

impl Value {
    /// A string value.
    pub fn string(text: impl AsRef<[u8]>) -> Value {
        Value::String(text.as_ref().into())
    }

    /// A table of values at 1, 2, 3, ...
    pub fn array(values: impl IntoIterator<Item = Value>) -> Value {
        Value::Table(Rc::new(Table { array: values.into_iter().collect(), pairs: Vec::new() }))
    }

    /// A table with string keys, in this order.
    pub fn record<K: AsRef<[u8]>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        let pairs = fields.into_iter().map(|(key, value)| (Value::string(key), value)).collect();
        Value::Table(Rc::new(Table { array: Vec::new(), pairs }))
    }

    /// Whether it is nil.
    pub fn is_nil(&self) -> bool {
        matches!(self, Value::Nil)
    }

    /// The bytes of a string value.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::String(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The number of a number value.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// What `typeof` says of it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Nil => "nil",
            Value::Boolean(_) => "boolean",
            Value::Number(_) => "number",
            Value::Vector(_) => "Vector3",
            Value::String(_) => "string",
            Value::Buffer(_) => "buffer",
            Value::Instance(_) => "Instance",
            Value::EnumItem(_) => "EnumItem",
            Value::Enum(_) => "Enum",
            Value::Enums => "Enums",
            Value::Datatype(value) => value.type_name(),
            Value::Signal(_) => "RBXScriptSignal",
            Value::Connection(_) => "RBXScriptConnection",
            Value::Table(_) => "table",
            Value::Function(_) => "function",
            Value::Thread(_) => "thread",
            Value::Reference(handle) => handle.kind().name(),
        }
    }
}

impl PartialEq for Value {
    /// Equality as a test means it: numbers bit for bit or numerically equal, tables by content in order, functions,
    /// threads and references by identity.
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Nil, Value::Nil) | (Value::Enums, Value::Enums) => true,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b || a.to_bits() == b.to_bits(),
            (Value::Vector(a), Value::Vector(b)) => a == b || a.map(f32::to_bits) == b.map(f32::to_bits),
            (Value::String(a), Value::String(b)) | (Value::Buffer(a), Value::Buffer(b)) => a == b,
            (Value::Instance(a), Value::Instance(b)) => a == b,
            (Value::EnumItem(a), Value::EnumItem(b)) => a == b,
            (Value::Enum(a), Value::Enum(b)) => a == b,
            (Value::Datatype(a), Value::Datatype(b)) => a == b,
            (Value::Signal(a), Value::Signal(b)) => a == b,
            (Value::Connection(a), Value::Connection(b)) => a == b,
            (Value::Table(a), Value::Table(b)) => a.array == b.array && a.pairs == b.pairs,
            (Value::Function(a), Value::Function(b))
            | (Value::Thread(a), Value::Thread(b))
            | (Value::Reference(a), Value::Reference(b)) => a.same(b),
            _ => false,
        }
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $to:expr),* $(,)?) => { $(
        impl From<$from> for Value {
            fn from($value: $from) -> Value { $to }
        }
    )* };
}

from! {
    bool => |value| Value::Boolean(value),
    f64 => |value| Value::Number(value),
    u32 => |value| Value::Number(f64::from(value)),
    i32 => |value| Value::Number(f64::from(value)),
    [f32; 3] => |value| Value::Vector(value),
    &str => |value| Value::string(value),
    String => |value| Value::string(value),
    InstanceId => |value| Value::Instance(value),
    EnumItemId => |value| Value::EnumItem(value),
    SignalKey => |value| Value::Signal(value),
    ConnectionId => |value| Value::Connection(value),
    Datatype => |value| Value::Datatype(value),
    Option<InstanceId> => |value| value.map_or(Value::Nil, Value::Instance),
}

impl fmt::Display for Value {
    /// A short form for messages and logs; instances and handles by number only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Number(value) => f.write_str(&text::number(*value)),
            Value::Vector([x, y, z]) => {
                let [x, y, z] = [x, y, z].map(|part| text::number(f64::from(*part)));
                write!(f, "{x}, {y}, {z}")
            }
            Value::String(bytes) => f.write_str(&String::from_utf8_lossy(bytes)),
            Value::Buffer(bytes) => write!(f, "buffer of {}", counted(bytes.len(), "byte")),
            Value::Instance(id) => write!(f, "Instance {}", id.0),
            Value::EnumItem(item) => f.write_str(&enums::item_text(*item)),
            Value::Enum(id) => write!(f, "Enum {}", id.0),
            Value::Enums => f.write_str("Enums"),
            Value::Datatype(value) => f.write_str(&value.to_text()),
            Value::Signal(key) => write!(f, "signal {} of instance {}", key.event, key.instance.0),
            Value::Connection(id) => write!(f, "connection {}", id.0),
            Value::Table(table) => {
                f.write_str("{")?;
                let array = table.array.iter().map(|value| value.to_string());
                let pairs = table.pairs.iter().map(|(key, value)| format!("{key} = {value}"));
                f.write_str(&array.chain(pairs).collect::<Vec<_>>().join(", "))?;
                f.write_str("}")
            }
            Value::Function(_) | Value::Thread(_) | Value::Reference(_) => f.write_str(self.type_name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_equality() {
        let value = Value::record([("a", Value::from(1.5)), ("b", Value::array([1.0.into(), "x".into()]))]);
        assert_eq!(value.to_string(), "{a = 1.5, b = {1, x}}");
        assert_eq!(value, value.clone());
        assert_eq!(Value::Number(f64::NAN), Value::Number(f64::NAN));
        assert_eq!(Value::Number(0.0), Value::Number(-0.0));
        assert_ne!(Value::Nil, Value::Boolean(false));
        assert_eq!(Value::Number(1e300).to_string(), "1e+300");
        assert_eq!(Value::Vector([1.0, 2.5, 0.0]).to_string(), "1, 2.5, 0");
    }
}
