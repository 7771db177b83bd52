//! What everything a schema declares takes on the wire, for people and for programs. Source: tooling specification, 2.14.
//!
//! The figures are those of `wire::size`; nothing is measured here. [`Sizes::of`] is the way in; `text` and `json` are the two
//! forms.

mod json;
mod text;

use crate::Analysis;
use crate::schema::{Channel, Delivery, Entity, Event, Item, Payload, Schema, Scope, Side};
use crate::source::{Sources, Span};
use crate::wire::entity::EntityWire;
use crate::wire::plan::{Layout, Plan};
use crate::wire::size::{Fit, Size, fields, measure_event};
use crate::wire::state::StateWire;
use crate::wire::table::TableWire;
use crate::wire::{EventWire, ExportWire, FunctionWire, ItemWire, Wire};

/// Sizes of everything a schema compiles.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Events, functions and exported types, in order of declaration.
    pub items: Vec<ItemSizes>,
    /// The entry's `MaxUnreliableSize`, in bytes.
    pub limit: u32,
}

/// Sizes of one declaration.
#[derive(Clone, Debug)]
pub struct ItemSizes {
    /// Names from the top level down, joined by dots.
    pub name: String,
    /// What it is.
    pub kind: ItemKind,
    /// Place on its channel; `None` for a type.
    pub index: Option<u8>,
    /// What travels: one part, or a function's call and answer.
    pub parts: Vec<PartSizes>,
    /// How an unreliable event stands to the limit.
    pub fit: Option<Fit>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// An event, the side that sends it and how it is delivered.
    Event(Side, Delivery, Channel),
    /// A function and the side that calls it.
    Function(Side),
    /// A state.
    State,
    /// A table and the side that pushes its rows.
    Table(Side),
    /// An entity and its number.
    Entity,
    /// An exported type, in the storage layout.
    Type,
}

/// Sizes of a payload or of a stored value.
#[derive(Clone, Debug)]
pub struct PartSizes {
    /// `data`, `call`, `answer`, `frame`, `row`, `input` or `stored`.
    pub name: &'static str,
    /// Bytes in front of the payload.
    pub header: u32,
    /// The payload, bits turned into bytes.
    pub size: Size,
    /// Its members, containers before what they contain.
    pub fields: Vec<Row>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its place in the value: `Rows[].Tag`.
    pub path: String,
    /// How deep it lies, from 0.
    pub depth: u32,
    /// Its type as written, on one line.
    pub ty: String,
    /// What one of it takes, bits not turned into bytes.
    pub size: Size,
    /// Whether its own maximum is a default that the schema does not write.
    pub unbounded: bool,
}

impl Sizes {
    /// Measures an analysed schema; `None` when it has an error.
    pub fn of(analysis: &Analysis) -> Option<Sizes> {
        let schema = analysis.schema.as_ref()?;
        let mut sizes = Sizes { items: Vec::new(), limit: schema.options.max_unreliable_size };
        sizes.add_scope(schema, &Wire::of(schema), &schema.root, &analysis.sources);
        Some(sizes)
    }

    fn add_scope(&mut self, schema: &Schema, wire: &Wire, scope: &Scope, sources: &Sources) {
        for item in &scope.items {
            match item {
                Item::Scope(inner) => self.add_scope(schema, wire, inner, sources),
                Item::Event(event) => self.items.push(event_sizes(event, schema, sources)),
                Item::Function(function) => {
                    let planned = FunctionWire::of(function);
                    let part = |name, item: &ItemWire| part(name, item, function.span, sources);
                    self.items.push(ItemSizes {
                        name: function.path.join("."),
                        kind: ItemKind::Function(function.from),
                        index: Some(function.index),
                        parts: vec![part("call", &planned.call), part("answer", &planned.answer)],
                        fit: None,
                    });
                }
                Item::State(state) => {
                    let planned = StateWire::of(state);
                    self.items.push(ItemSizes {
                        name: state.path.join("."),
                        kind: ItemKind::State,
                        index: Some(planned.frame.header.index),
                        parts: vec![part("frame", &planned.frame, state.span, sources)],
                        fit: None,
                    });
                }
                Item::Table(table) => {
                    let plan = TableWire::of(table).row;
                    let fields = rows(&plan, table.span, sources);
                    let row = PartSizes { name: "row", header: 0, size: plan.block.size.sealed(), fields };
                    self.items.push(ItemSizes {
                        name: table.path.join("."),
                        kind: ItemKind::Table(table.from),
                        index: Some(table.index),
                        parts: vec![row],
                        fit: None,
                    });
                }
                Item::Entity(entity) => self.items.push(entity_sizes(entity, schema, sources)),
                Item::Type(id) => {
                    let decl = schema.types.get(id.0 as usize).filter(|decl| decl.export);
                    if let (Some(decl), Some(ExportWire { plan, .. })) = (decl, wire.export(*id)) {
                        let size = plan.block.size.sealed();
                        let fields = rows(plan, decl.span, sources);
                        self.items.push(ItemSizes {
                            name: decl.path.join("."),
                            kind: ItemKind::Type,
                            index: None,
                            parts: vec![PartSizes { name: "stored", header: 0, size, fields }],
                            fit: None,
                        });
                    }
                }
            }
        }
    }
}

fn event_sizes(event: &Event, schema: &Schema, sources: &Sources) -> ItemSizes {
    let planned = EventWire::of(event);
    let fit = match event.channel() {
        Channel::Reliable => None,
        Channel::Unreliable => Some(measure_event(event, &schema.options).fit),
    };
    ItemSizes {
        name: event.path.join("."),
        kind: ItemKind::Event(event.from, event.delivery, event.channel()),
        index: Some(event.index),
        parts: vec![part("data", &planned.item, event.span, sources)],
        fit,
    }
}

/// The record of a new mirror, in a packet by itself, and the fields of `Data`; and what the owner sends.
fn entity_sizes(entity: &Entity, schema: &Schema, sources: &Sources) -> ItemSizes {
    let wire = EntityWire::of(entity);
    let (least, most) = wire.packet_size();
    let plan = Plan::payload(&Payload::Single(entity.data.clone()), Layout::Traffic);
    let mut size = plan.block.size.sealed();
    let header = u32::try_from(least.saturating_sub(size.min)).unwrap_or(u32::MAX);
    size.max = size.max.max(most.saturating_sub(u64::from(header)));
    let fields = rows(&plan, entity.span, sources);
    let mut parts = vec![PartSizes { name: "data", header, size, fields }];
    if let Some(input) = &wire.input {
        let fields = rows(input, entity.span, sources);
        parts.push(PartSizes { name: "input", header: 1, size: input.block.size.sealed(), fields });
    }
    let limit = u64::from(schema.options.max_unreliable_size);
    let fit = match (least > limit, most > limit) {
        (true, _) => Fit::CannotFit,
        (false, true) => Fit::MayNotFit,
        (false, false) => Fit::Fits,
    };
    ItemSizes {
        name: entity.path.join("."),
        kind: ItemKind::Entity,
        index: Some(entity.index),
        parts,
        fit: Some(fit),
    }
}

fn part(name: &'static str, item: &ItemWire, owner: Span, sources: &Sources) -> PartSizes {
    let plan = &item.payload;
    let fields = rows(plan, owner, sources);
    PartSizes { name, header: item.header.size(), size: plan.block.size.sealed(), fields }
}

/// Members of a plan. `owner` is the name of the declaration, where members that it does not write have their type.
fn rows(plan: &Plan, owner: Span, sources: &Sources) -> Vec<Row> {
    let row = |field: crate::wire::size::FieldSize| Row {
        ty: match &field.path {
            path if field.ty == owner => own_type(path).to_owned(),
            // A variant has no type of its own, only fields.
            path if path.ends_with('>') => String::new(),
            _ => one_line(sources.text(field.ty)),
        },
        path: field.path,
        depth: field.depth,
        size: field.size,
        unbounded: field.unbounded,
    };
    fields(plan).into_iter().map(row).collect()
}

/// Type of a member that the compiler adds by itself: a stamp, or what a state's frame says of itself.
fn own_type(path: &str) -> &'static str {
    match path {
        "Kind" => "u8(0..2)",
        path if path.starts_with("Cleared.") => "boolean",
        _ => "u16",
    }
}

/// Longest type shown in a table.
const TYPE_COLUMNS: usize = 36;

/// A type as written, without its line ends, cut where it would fill the table.
fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= TYPE_COLUMNS {
        return text;
    }
    let cut: String = text.chars().take(TYPE_COLUMNS - 4).collect();
    format!("{} ...", cut.trim_end())
}

impl ItemKind {
    fn channel(self) -> Channel {
        match self {
            ItemKind::Event(_, _, channel) => channel,
            ItemKind::Entity => Channel::Unreliable,
            ItemKind::Function(_) | ItemKind::State | ItemKind::Table(_) | ItemKind::Type => {
                Channel::Reliable
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;
    use serde_json::Value;

    fn sizes(text: &str) -> Sizes {
        let loader = MemoryLoader::new().with("a.blink", text);
        Sizes::of(&analyze(&loader, "a.blink", Profile::Release)).unwrap()
    }

    #[test]
    fn tables_name_every_field() {
        let text = "
            struct Mate { Slot: u8(0..9), Note: string?, Mood: enum { Calm, Wary, Angry } }
            event Crew { From: Server, Type: Reliable, Call: SingleSync, Data: Mate[..4] }
            event Dust { From: Server, Type: OrderedUnreliable, Call: SingleSync, Data: (At: vector<f16>, Tag: string) }
            scope Shop { function Price { Yield: Coroutine, Rate: 2, Data: u16, Return: Instance } }
            export struct Held { Open: boolean, Tools: string(..9)[..3] }
            event Heads { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 5 }, Data: vector }
        ";
        let expected = "\
event Crew, from the server, reliable index 0
  data: 1 to 262157 bytes; 2 to 262158 bytes with the header
    Value   Mate[..4]                   1 to 262157 bytes
      Slot  u8(0..9)                    4 bits
      Note  string?                     0 to 65538 bytes, 1 bit, no upper bound written
      Mood  enum { Calm, Wary, Angry }  2 bits
    unbounded: Value.Note

event Dust, from the server, unreliable index 0
  data: 7 to 65544 bytes; 10 to 65547 bytes with the header
    At   vector<f16>  6 bytes
    Tag  string       1 to 65538 bytes, no upper bound written
    unbounded: Tag
  may exceed MaxUnreliableSize, 980 bytes

function Shop.Price, called by the client, reliable index 1
  call: 2 bytes; 4 bytes with the header
    Value  u16  2 bytes
  answer: 1 slot; 3 bytes with the header
    Value  Instance  1 slot

type Held, as stored
  stored: 2 to 32 bytes
    Open   boolean           1 bit
    Tools  string(..9)[..3]  1 to 31 bytes

event Heads, from the server, unreliable index 1
  data: 3 to 15 bytes; 4 to 16 bytes with the header
    Value       vector  0 to 12 bytes, 1 bit
    ServerTime  u16     2 bytes
";
        assert_eq!(sizes(text).text(), expected);
    }

    #[test]
    fn figures_are_those_of_the_specification() {
        // Of language specification 9.6: a bit run of 2 bytes, 16 elements of 10 bytes, and a count.
        let text = "event A { From: Server, Type: Unreliable, Call: SingleSync,
            Data: struct { Id: u8, At: vector<f24>, Back: boolean }[..16] }";
        let document = sizes(text).json();
        let data = &document["events"][0]["data"];
        assert_eq!((&data["min"], &data["max"], &data["header"]), (&1.into(), &163.into(), &1.into()));
        assert_eq!(data["unbounded"], Value::Null);
        assert_eq!(data["fields"][3]["path"], "Value[].Back");
        assert_eq!((&data["fields"][3]["bits"], &data["fields"][3]["type"]), (&1.into(), &"boolean".into()));
        assert_eq!(
            (&document["events"][0]["limit"], &document["events"][0]["fits"]),
            (&980.into(), &"always".into())
        );
    }

    #[test]
    fn variants_and_entries_have_rows() {
        let text = "event A { From: Server, Type: Reliable, Call: ManySync,
            Data: (Step: enum \"K\" { Halt {}, Move { X: u8 } }, Ages: map { [u8]: u16 }) }";
        let expected = [
            ("Step", "enum \"K\" { Halt {}, Move { X: u8 } }"),
            ("Step<Halt>", ""),
            ("Step<Move>", ""),
            ("Step<Move>.X", "u8"),
            ("Ages", "map { [u8]: u16 }"),
            ("Ages[key]", "u8"),
            ("Ages[value]", "u16"),
        ];
        let sizes = sizes(text);
        let rows = sizes.items[0].parts[0].fields.iter();
        let found: Vec<(&str, &str)> = rows.map(|row| (row.path.as_str(), row.ty.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn long_types_are_cut_and_nothing_is_said_to_be_nothing() {
        assert_eq!(one_line("struct {\n  A: u8\n}"), "struct { A: u8 }");
        assert_eq!(one_line(&"x".repeat(60)), format!("{} ...", "x".repeat(32)));
        assert!(sizes("type A = u8").text().starts_with("The schema declares no event"));
    }
}
