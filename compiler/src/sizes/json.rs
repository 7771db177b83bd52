//! Sizes as JSON, for programs.

use serde_json::{Value, json};

use super::{ItemKind, PartSizes, Sizes};
use crate::wire::size::Fit;

impl Sizes {
    /// The same, for programs: the key `sizes` of the document.
    pub fn json(&self) -> Value {
        let mut events = Vec::new();
        let mut functions = Vec::new();
        let mut types = Vec::new();
        let (mut states, mut tables, mut entities) = (Vec::new(), Vec::new(), Vec::new());
        for item in &self.items {
            let mut object = json!({ "name": item.name });
            if let (Some(index), ItemKind::Entity | ItemKind::Table(_)) = (item.index, item.kind) {
                object["index"] = index.into();
            } else if let Some(index) = item.index {
                object["channel"] = item.kind.channel().name().into();
                object["index"] = index.into();
            }
            for part in &item.parts {
                object[part.name] = part.json();
            }
            match item.kind {
                ItemKind::Event(from, delivery, _) => {
                    object["from"] = from.word().into();
                    object["type"] = delivery.word().into();
                    object["limit"] = match item.fit {
                        None => Value::Null,
                        Some(_) => self.limit.into(),
                    };
                    object["fits"] = match item.fit {
                        Some(Fit::Fits) | None => "always".into(),
                        Some(Fit::MayNotFit) => "sometimes".into(),
                        Some(Fit::CannotFit) => "never".into(),
                    };
                    events.push(object);
                }
                ItemKind::Function(from) => {
                    object["from"] = from.word().into();
                    functions.push(object);
                }
                ItemKind::State => states.push(object),
                ItemKind::Table(from) => {
                    object["from"] = from.word().into();
                    tables.push(object);
                }
                ItemKind::Entity => entities.push(object),
                ItemKind::Type => types.push(object),
            }
        }
        let mut document = json!({ "events": events, "functions": functions, "types": types });
        for (key, found) in [("states", states), ("tables", tables), ("entities", entities)] {
            if !found.is_empty() {
                document[key] = found.into();
            }
        }
        document
    }
}

impl PartSizes {
    fn json(&self) -> Value {
        let fields: Vec<Value> = self
            .fields
            .iter()
            .map(|row| {
                json!({
                    "path": row.path,
                    "depth": row.depth,
                    "type": row.ty,
                    "min": row.size.min,
                    "max": row.size.max,
                    "bits": row.size.bits,
                    "slots": row.size.slots,
                    "unbounded": row.unbounded,
                })
            })
            .collect();
        json!({
            "header": self.header,
            "min": self.size.min,
            "max": self.size.max,
            "slots": self.size.slots,
            "unbounded": self.size.unbounded.as_ref().map(|unbounded| unbounded.path.join(".")),
            "fields": fields,
        })
    }
}
