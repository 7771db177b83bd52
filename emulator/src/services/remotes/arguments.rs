//! What the arguments of a remote call become on their way to another VM.
//!
//! Conversion happens at the call ([`Sender`]): tables and buffers are copies from then on. Instance references are
//! looked up at delivery ([`deliver`]), so that one which went meanwhile arrives as nil.
//! Source: Roblox behaviour, 5.3; the bindables' copies follow the same rules for tables.

use std::rc::Rc;

use super::rotation::quantised;
use crate::datatypes::Datatype;
use crate::shared::{DiagnosticCode, RemoteKeys, Settings};
use crate::value::{InstanceId, Table, Value};

/// Most arguments of one call.
pub const MOST_ARGUMENTS: usize = 255;
/// Deepest nesting of tables.
const MOST_NESTING: usize = 200;

/// A remark about a conversion, to become a diagnostic.
pub type Remark = (DiagnosticCode, String);

/// Names of things the conversion cannot know by itself.
pub trait Names {
    /// The `Name` of an instance of the sending side.
    fn name(&self, instance: InstanceId) -> String;
    /// `tostring` of any other value that is used as a key.
    fn text(&self, value: &Value) -> String {
        value.to_string()
    }
}

/// Converts the arguments of calls of one side.
pub struct Sender<'a> {
    settings: &'a Settings,
    names: &'a dyn Names,
    // Bindables pass functions within a VM, and lose no precision.
    local: bool,
    /// Messages between Actors stay on their side: nothing loses precision, and shared tables stay shared.
    within_side: bool,
    /// Whether the call is a buffer with a list of values beside it.
    packed: bool,
    remarks: Vec<Remark>,
}

impl<'a> Sender<'a> {
    /// For calls that leave the VM.
    pub fn remote(settings: &'a Settings, names: &'a dyn Names) -> Sender<'a> {
        Sender { settings, names, local: false, within_side: false, packed: false, remarks: Vec::new() }
    }

    /// For bindables: tables are copied by the same rules, everything else passes.
    pub fn bindable(settings: &'a Settings, names: &'a dyn Names) -> Sender<'a> {
        Sender { settings, names, local: true, within_side: true, packed: false, remarks: Vec::new() }
    }

    /// For messages between Actors of one side.
    pub fn message(settings: &'a Settings, names: &'a dyn Names) -> Sender<'a> {
        Sender { settings, names, local: false, within_side: true, packed: false, remarks: Vec::new() }
    }

    /// The arguments as they travel.
    ///
    /// Errors: the engine's text, for a cyclic or too deep table or too many arguments.
    pub fn convert(&mut self, values: &[Value]) -> Result<Rc<[Value]>, String> {
        if values.len() > MOST_ARGUMENTS {
            return Err(format!("too many arguments: {} of at most {MOST_ARGUMENTS}", values.len()));
        }
        let mut place = Place { argument: 0, depth: 0 };
        self.packed = matches!(values, [Value::Buffer(_), Value::Table(_), ..]);
        let mut converted = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            place.argument = index + 1;
            converted.push(self.value(value, place)?);
        }
        Ok(converted.into())
    }

    /// What the conversions so far gave rise to.
    pub fn take_remarks(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.remarks)
    }

    fn remark(&mut self, code: DiagnosticCode, place: Place, text: &str) {
        let text = format!("argument {}: {text}", place.argument);
        // One remark a cause and argument says it all.
        if !self.remarks.iter().any(|known| known.0 == code && known.1 == text) {
            self.remarks.push((code, text));
        }
    }

    fn value(&mut self, value: &Value, place: Place) -> Result<Value, String> {
        Ok(match value {
            Value::Nil
            | Value::Boolean(_)
            | Value::Number(_)
            | Value::Vector(_)
            | Value::String(_)
            | Value::Buffer(_)
            | Value::Instance(_)
            | Value::EnumItem(_) => value.clone(),
            Value::Table(table) => self.table(table, place.deeper()?)?,
            _ if self.local => value.clone(),
            Value::Datatype(datatype) => self.datatype(datatype, place),
            // What packs calls into buffers keeps the place of an absent Instance with a function: no mistake.
            Value::Function(_) if self.packed && place.argument == 2 && place.depth == 1 => Value::Nil,
            Value::Function(_) => self.unsendable("a function", place),
            Value::Thread(_) => self.unsendable("a thread", place),
            Value::Signal(_) => self.unsendable("a signal", place),
            Value::Connection(_) => self.unsendable("a connection", place),
            Value::Enum(_) | Value::Enums => self.unsendable("an enum (send one of its items)", place),
            Value::Reference(_) => self.unsendable("a userdata", place),
        })
    }

    fn unsendable(&mut self, what: &str, place: Place) -> Value {
        self.remark(DiagnosticCode::Func, place, &format!("{what} arrives as nil; send plain data instead"));
        Value::Nil
    }

    fn datatype(&mut self, datatype: &Datatype, place: Place) -> Value {
        match datatype {
            Datatype::CFrame(frame) if self.settings.cframe_quantise && !self.within_side => {
                Value::Datatype(Datatype::CFrame(quantised(*frame)))
            }
            Datatype::Random(_) => self.unsendable("a Random", place),
            Datatype::RaycastParams(_) | Datatype::OverlapParams(_) => {
                self.unsendable("a set of query parameters", place)
            }
            Datatype::SharedTable(_) if !self.within_side => self.unsendable("a SharedTable", place),
            other => Value::Datatype(other.clone()),
        }
    }

    fn table(&mut self, table: &Table, place: Place) -> Result<Value, String> {
        let (array, others) = split(table);
        if !array.is_empty() {
            if others > 0 {
                let text = format!(
                    "a table with entries at 1, 2, ... travels as an array: {others} other {} lost; \
                     send arrays and dictionaries apart, without holes",
                    if others == 1 { "entry is" } else { "entries are" }
                );
                self.remark(DiagnosticCode::Mixed, place, &text);
            }
            let array = array.into_iter().map(|value| self.value(value, place)).collect::<Result<_, _>>()?;
            return Ok(Value::Table(Rc::new(Table { array, pairs: Vec::new() })));
        }
        let mut pairs: Vec<(Value, Value)> = Vec::with_capacity(table.pairs.len());
        let plain = table.pairs.iter().all(|(key, _)| matches!(key, Value::String(_)));
        for (key, value) in &table.pairs {
            let key = self.key(key, place)?;
            let value = self.value(value, place)?;
            // Only a converted key can meet another.
            match pairs.iter().position(|(other, _)| !plain && *other == key) {
                Some(at) => {
                    self.remark(
                        DiagnosticCode::Keys,
                        place,
                        &format!("two keys became \"{key}\"; the last one wins"),
                    );
                    pairs[at].1 = value;
                }
                None => pairs.push((key, value)),
            }
        }
        pairs.retain(|(_, value)| !value.is_nil());
        Ok(Value::Table(Rc::new(Table { array: Vec::new(), pairs })))
    }

    fn key(&mut self, key: &Value, place: Place) -> Result<Value, String> {
        let text = match key {
            Value::String(_) => return Ok(key.clone()),
            Value::Instance(id) => format!("<Instance> ({})", self.names.name(*id)),
            Value::Table(_) | Value::Reference(_) => format!("<Table> (table: {})", "0x0000000000000000"),
            other => self.names.text(other),
        };
        if self.settings.remote_keys == RemoteKeys::Error {
            return Err(format!("keys must be strings, got {}", key.type_name()));
        }
        let remark = format!("a key that is a {} arrives as the string \"{text}\"", key.type_name());
        self.remark(DiagnosticCode::Keys, place, &remark);
        Ok(Value::string(text))
    }
}

/// The values at 1, 2, ... up to the first nil, wherever the table keeps them, and how many other entries it has.
fn split(table: &Table) -> (Vec<&Value>, usize) {
    let mut array: Vec<&Value> = table.array.iter().collect();
    let mut others = table.pairs.len();
    if table.pairs.iter().any(|(key, _)| matches!(key, Value::Number(_))) {
        let at = |index: usize| {
            let wanted = (index + 1) as f64;
            table.pairs.iter().find(|(key, _)| key.as_number() == Some(wanted)).map(|(_, value)| value)
        };
        while let Some(value) = at(array.len()) {
            array.push(value);
            others -= 1;
        }
    }
    (array, others)
}

#[derive(Clone, Copy)]
struct Place {
    argument: usize,
    depth: usize,
}

impl Place {
    fn deeper(self) -> Result<Place, String> {
        if self.depth >= MOST_NESTING {
            return Err("exceeded maximum nesting".into());
        }
        Ok(Place { depth: self.depth + 1, ..self })
    }
}

/// The arguments as the receiver sees them: instances it does not have are nil, arrays keep their holes.
///
/// `missing` says why an instance is not there; `None` if it is. Its answers become the remarks.
pub fn deliver(
    values: &Rc<[Value]>,
    missing: &mut dyn FnMut(InstanceId) -> Option<String>,
    remarks: &mut Vec<Remark>,
) -> Rc<[Value]> {
    if !values.iter().any(holds_instance) {
        return values.clone();
    }
    values.iter().map(|value| resolved(value, missing, remarks)).collect()
}

fn holds_instance(value: &Value) -> bool {
    match value {
        Value::Instance(_) => true,
        Value::Table(table) => {
            table.array.iter().any(holds_instance)
                || table.pairs.iter().any(|(_, value)| holds_instance(value))
        }
        _ => false,
    }
}

fn resolved(
    value: &Value,
    missing: &mut dyn FnMut(InstanceId) -> Option<String>,
    remarks: &mut Vec<Remark>,
) -> Value {
    match value {
        Value::Instance(id) => match missing(*id) {
            None => value.clone(),
            Some(why) => {
                remarks.push((DiagnosticCode::NilInst, why));
                Value::Nil
            }
        },
        Value::Table(table) if holds_instance(value) => {
            let array = table.array.iter().map(|value| resolved(value, missing, remarks)).collect();
            let pairs =
                table.pairs.iter().map(|(key, value)| (key.clone(), resolved(value, missing, remarks)));
            let pairs = pairs.filter(|(_, value)| !value.is_nil()).collect();
            Value::Table(Rc::new(Table { array, pairs }))
        }
        other => other.clone(),
    }
}
