//! What is left to decide, and what was lost: the list a conversion prints. Source: tooling specification, 8.2.

use serde_json::{Value, json};

/// A place in the definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as people know it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An event whose sender is not stated.
    Direction,
    /// An event whose reliability is not stated.
    Reliability,
    /// A function whose caller is not stated.
    Caller,
    /// An event that clients send without a rate.
    Rate,
    /// A function that clients call without a rate or a concurrency.
    Limits,
    /// A length that clients choose without a bound.
    Bound,
    /// A value whose type is not known.
    Type,
    /// Where the modules go.
    Outputs,
    /// A `require` that was answered with a placeholder.
    Require,
    /// Something that has no counterpart.
    Loss,
    /// A name that could not stay.
    Renamed,
    /// Something the compiler refuses, which only a person can settle.
    Refused,
    /// A shape or a name that deserves a better one.
    Advice,
}

impl Kind {
    /// Its name in documents.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Direction => "direction",
            Kind::Reliability => "reliability",
            Kind::Caller => "caller",
            Kind::Rate => "rate",
            Kind::Limits => "limits",
            Kind::Bound => "bound",
            Kind::Type => "type",
            Kind::Outputs => "outputs",
            Kind::Require => "require",
            Kind::Loss => "loss",
            Kind::Renamed => "renamed",
            Kind::Refused => "refused",
            Kind::Advice => "advice",
        }
    }
}

/// One thing to decide or to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What it is about.
    pub kind: Kind,
    /// The declaration or the thing it concerns.
    pub name: String,
    /// Where the definitions say it.
    pub place: Option<Place>,
    /// What happened, or what to decide, as a sentence without its full stop.
    pub message: String,
}

/// Everything there is to decide and to know about a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order it was found.
    pub todos: Vec<Todo>,
}

impl Report {
    /// Adds an entry.
    pub fn add(
        &mut self,
        kind: Kind,
        name: impl Into<String>,
        place: Option<Place>,
        message: impl Into<String>,
    ) {
        let todo = Todo { kind, name: name.into(), place, message: message.into() };
        // One thing said twice is one thing: a shared type is met wherever it is used.
        if !self.todos.contains(&todo) {
            self.todos.push(todo);
        }
    }

    /// Adds something that has no counterpart.
    pub fn lost(&mut self, name: impl Into<String>, place: Option<Place>, message: impl Into<String>) {
        self.add(Kind::Loss, name, place, message);
    }

    /// Entries about one thing, by the text; what is about no line comes last.
    fn of(&self, kind: Kind) -> impl Iterator<Item = &Todo> {
        let mut todos: Vec<&Todo> = self.todos.iter().filter(|todo| todo.kind == kind).collect();
        todos.sort_by_key(|todo| {
            (todo.place.is_none(), todo.place.as_ref().map(|place| (&place.file, place.line)))
        });
        todos.into_iter()
    }

    /// The list as it is printed, without the line that says where the draft is.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (kind, one, many) in GROUPS {
            let names: Vec<&str> = self.of(*kind).map(|todo| todo.name.as_str()).collect();
            match names.len() {
                0 => {}
                1 => out.push_str(&format!("1 {one}: {}\n", names[0])),
                count => out.push_str(&format!("{count} {many}: {}\n", names.join(", "))),
            }
        }
        match self.of(Kind::Bound).count() {
            0 => {}
            1 => out.push_str("1 length that clients choose has no bound\n"),
            count => out.push_str(&format!("{count} lengths that clients choose have no bound\n")),
        }
        for kind in DETAILED {
            for todo in self.of(kind) {
                if let Some(place) = &todo.place {
                    out.push_str(&format!("{}:{}: ", place.file, place.line));
                }
                out.push_str(&format!("{}\n", todo.message));
            }
        }
        out.push_str(REMINDERS);
        out
    }

    /// The list as documents hold it, in the order it is printed in.
    pub fn json(&self) -> Vec<Value> {
        let kinds = GROUPS.iter().map(|(kind, ..)| *kind).chain([Kind::Bound]).chain(DETAILED);
        kinds
            .flat_map(|kind| self.of(kind))
            .map(|todo| {
                json!({
                    "kind": todo.kind.text(),
                    "name": todo.name,
                    "file": todo.place.as_ref().map(|place| place.file.as_str()),
                    "line": todo.place.as_ref().map(|place| place.line),
                    "message": todo.message,
                })
            })
            .collect()
    }
}

/// Entries of which only the names are told, with how one and several are called.
const GROUPS: &[(Kind, &str, &str)] = &[
    (Kind::Direction, "event needs its sender stated (From)", "events need their sender stated (From)"),
    (
        Kind::Reliability,
        "event needs its reliability stated (Type)",
        "events need their reliability stated (Type)",
    ),
    (
        Kind::Caller,
        "function needs its caller stated (From: Server, when the server calls)",
        "functions need their caller stated (From: Server, when the server calls)",
    ),
    (Kind::Rate, "event that clients send has no Rate", "events that clients send have no Rate"),
    (
        Kind::Limits,
        "function that clients call lacks Rate or Concurrency",
        "functions that clients call lack Rate or Concurrency",
    ),
];

/// Entries that are told whole, a line each.
const DETAILED: [Kind; 7] =
    [Kind::Type, Kind::Outputs, Kind::Require, Kind::Refused, Kind::Loss, Kind::Renamed, Kind::Advice];

const REMINDERS: &str = "\
Turn on `option RequireRates = true` once every rate is settled
Install the four server handlers: SetRateLimitHandler, SetDecodeErrorHandler, SetPacketDropHandler, SetListenerErrorHandler
Compare MaxPacketSize, MaxEventsPerPacket, MaxInstancesPerPacket and InboundBytesPerSecond with what the game sends
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_the_order_of_the_specification_and_only_those_that_apply() {
        let mut report = Report::default();
        let place = Place { file: "depot.zap".to_string(), line: 7 };
        report.lost("Bag", Some(place), "`set` became a map");
        report.add(Kind::Bound, "Chat", None, "");
        report.add(Kind::Rate, "Chat", None, "");
        report.add(Kind::Rate, "Move", None, "");
        report.lost("Bag", None, "again");
        report.lost("Bag", None, "again");
        assert_eq!(
            report.text().lines().take(4).collect::<Vec<_>>(),
            [
                "2 events that clients send have no Rate: Chat, Move",
                "1 length that clients choose has no bound",
                "depot.zap:7: `set` became a map",
                "again",
            ]
        );
        assert_eq!(report.text().lines().count(), 7);
        let kinds: Vec<Value> = report.json().iter().map(|todo| todo["kind"].clone()).collect();
        assert_eq!(kinds, ["rate", "rate", "bound", "loss", "loss"]);
        assert_eq!(report.json()[3]["line"], 7);
        assert_eq!(report.json()[4]["line"], Value::Null);
    }
}
