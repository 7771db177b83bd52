//! What definitions recorded, out of the VM.

use std::rc::Rc;

use blinkblox_emulator::value::{Table, Value};

/// A chunk and a line, both from 1.
pub(crate) type At = (usize, usize);

/// Everything that was recorded.
pub(crate) struct Captured {
    /// The first thing that cannot be converted.
    pub(crate) fault: Option<(At, String)>,
    /// Names of the library that the converter does not know, each once.
    pub(crate) unknowns: Vec<Record>,
    /// Types: each is made of earlier ones.
    pub(crate) nodes: Vec<Node>,
    /// Declarations in the order they were made.
    pub(crate) records: Vec<Record>,
    /// What was asked for and answered with a placeholder.
    pub(crate) requires: Vec<Record>,
    /// What was set and has no counterpart.
    pub(crate) losses: Vec<Record>,
}

/// A type.
pub(crate) struct Node {
    /// `plain`, `struct`, `array`, `optional`, `map` or `literal`.
    pub(crate) kind: String,
    /// Name of a plain type.
    pub(crate) name: String,
    /// Fields of a struct, values of a literal.
    pub(crate) keys: Vec<String>,
    /// Numbers of the types inside, from 1.
    pub(crate) parts: Vec<usize>,
    /// Length of an array, when it is exact.
    pub(crate) count: Option<usize>,
}

/// A table of the record.
#[derive(Clone)]
pub(crate) struct Record(Rc<Table>);

impl Record {
    pub(crate) fn of(value: &Value) -> Record {
        match value {
            Value::Table(table) => Record(table.clone()),
            _ => Record(Rc::default()),
        }
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.0.pairs.iter().find(|(key, _)| key.as_bytes() == Some(name.as_bytes()));
        found.map_or(&Value::Nil, |(_, value)| value)
    }

    /// A text; bytes that are none show as the replacement character.
    pub(crate) fn text(&self, name: &str) -> String {
        text(self.get(name))
    }

    /// Whether a field is true.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Value::Boolean(true))
    }

    /// A number, when there is one.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name).as_number()
    }

    /// A whole number of at least 1; 0 for anything else.
    pub(crate) fn index(&self, name: &str) -> usize {
        self.number(name).map_or(0, whole)
    }

    /// Numbers of a list; `None` when the field is not set.
    pub(crate) fn indexes(&self, name: &str) -> Option<Vec<usize>> {
        match self.get(name) {
            Value::Table(table) => {
                Some(table.array.iter().map(|one| one.as_number().map_or(0, whole)).collect())
            }
            _ => None,
        }
    }

    /// Tables of a list.
    pub(crate) fn list(&self, name: &str) -> Vec<Record> {
        match self.get(name) {
            Value::Table(table) => table.array.iter().map(Record::of).collect(),
            _ => vec![],
        }
    }

    /// Where it was made.
    pub(crate) fn at(&self) -> At {
        (self.index("chunk"), self.index("line"))
    }
}

fn text(value: &Value) -> String {
    value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn whole(number: f64) -> usize {
    number as usize
}

impl Captured {
    /// What `finish` of the core gives.
    pub(super) fn of(value: &Value) -> Captured {
        let all = Record::of(value);
        let fault = match all.get("fault") {
            Value::Table(_) => {
                let fault = Record::of(all.get("fault"));
                Some((fault.at(), fault.text("message")))
            }
            _ => None,
        };
        let nodes = all.list("nodes").iter().map(node).collect();
        Captured {
            fault,
            unknowns: all.list("unknowns"),
            nodes,
            records: all.list("records"),
            requires: all.list("requires"),
            losses: all.list("losses"),
        }
    }
}

fn node(record: &Record) -> Node {
    let keys = match record.get("keys") {
        Value::Table(table) => table.array.iter().map(text).collect(),
        _ => vec![],
    };
    Node {
        kind: record.text("kind"),
        name: record.text("name"),
        keys,
        parts: record.indexes("parts").unwrap_or_default(),
        count: record.number("count").map(whole),
    }
}
