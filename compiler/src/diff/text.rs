//! Differences for people and for programs.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Change, Diff, Effect, Kind, What};

impl Diff {
    /// The differences, a declaration a paragraph, and what they come to. `old` and `new` name the schemas.
    pub fn text(&self, old: &str, new: &str) -> String {
        let mut out = String::new();
        for change in &self.changes {
            let _ = writeln!(out, "{}", change.heading());
            for detail in &change.details {
                let path = if detail.path.is_empty() { String::new() } else { format!("{}: ", detail.path) };
                // What the heading says of all of it need not be said of each.
                let effect = if detail.effect == change.effect { "" } else { detail.effect.remark() };
                let _ = writeln!(out, "  {path}{}{effect}", detail.text);
            }
        }
        let verdict = if self.interoperates() {
            format!("Modules of {old} and of {new} accept each other: both have the signature {}.", self.new)
        } else if self.old == self.new {
            format!("Modules of {old} and of {new} never meet: they look for their remotes in other places.")
        } else {
            format!(
                "Modules of {old} refuse those of {new}: the signature {} became {}. Publish both sides together.",
                self.old, self.new
            )
        };
        let _ = writeln!(out, "{verdict}");
        out
    }

    /// The key `diff` of the document.
    pub fn json(&self, old: &str, new: &str) -> Value {
        json!({
            "old": { "file": old, "signature": self.old },
            "new": { "file": new, "signature": self.new },
            "interoperable": self.interoperates(),
            "changes": self.changes.iter().map(Change::json).collect::<Vec<_>>(),
        })
    }
}

impl Change {
    fn heading(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" {}", self.name) };
        let what = match &self.what {
            What::Added => "added".to_owned(),
            What::Removed => "removed".to_owned(),
            What::Moved(from) => format!("moved, was {from}"),
            What::Renumbered => "renumbered".to_owned(),
            What::Changed => "changed".to_owned(),
        };
        format!("{}{name}: {what}{}", self.kind.word(), self.effect.remark())
    }

    fn json(&self) -> Value {
        let mut object = json!({
            "kind": self.kind.word(),
            "name": self.name,
            "change": match self.what {
                What::Added => "added",
                What::Removed => "removed",
                What::Moved(_) => "moved",
                What::Renumbered => "renumbered",
                What::Changed => "changed",
            },
            "effect": self.effect.word(),
            "details": self.details.iter().map(|detail| json!({
                "path": detail.path,
                "message": detail.text,
                "effect": detail.effect.word(),
            })).collect::<Vec<_>>(),
        });
        if let What::Moved(from) = &self.what {
            object["from"] = from.as_str().into();
        }
        object
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Event => "event",
            Kind::Function => "function",
            Kind::State => "state",
            Kind::Table => "table",
            Kind::Entity => "entity",
            Kind::Type => "type",
            Kind::Option => "option",
            Kind::Schema => "schema",
        }
    }
}

impl Effect {
    fn word(self) -> &'static str {
        match self {
            Effect::None => "none",
            Effect::Stored => "stored",
            Effect::Refused => "refused",
        }
    }

    /// What is said of a change that does not keep modules apart, which is what one expects of a change.
    fn remark(self) -> &'static str {
        match self {
            Effect::None => " (still accepted)",
            Effect::Stored => " (buffers stored before are not read)",
            Effect::Refused => "",
        }
    }
}
