//! Two schemas compared: what was added, removed, renumbered or changed, and whether modules built from one accept the
//! other's. Source: tooling specification, 2.14; what decides it is the signature, language specification, 14.
//!
//! [`Diff::of`] is the way in. `ty` compares types, `text` draws the outcome.

mod describe;
mod text;
mod ty;

use crate::schema::{
    Entity, Event, Following, Function, Item, Options, Ownership, Payload, Schema, Scope, State, Table, Type,
    TypeDecl, TypeKind,
};
use crate::wire::signature::{entity_line, signature, state_line, table_line};
use ty::Differences;

/// How two schemas differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Signature of the first schema.
    pub old: String,
    /// Signature of the second.
    pub new: String,
    /// Changes, those of the first schema's declarations first, in order of declaration.
    pub changes: Vec<Change>,
}

/// One declaration that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is.
    pub kind: Kind,
    /// Names from the top level down, joined by dots; an option's name.
    pub name: String,
    /// What became of it.
    pub what: What,
    /// The worst of what it means.
    pub effect: Effect,
    /// What exactly changed; empty where `what` says it all.
    pub details: Vec<Detail>,
}

/// What a changed declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `event`
    Event,
    /// `function`
    Function,
    /// `state`
    State,
    /// `table`
    Table,
    /// `entity`
    Entity,
    /// An exported type.
    Type,
    /// `option`
    Option,
    /// The schema as a whole.
    Schema,
}

/// What became of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is the same under another path, which is the name of the change; this was its path.
    Moved(String),
    /// It has another place on its channel.
    Renumbered,
    /// It is another thing under the same name.
    Changed,
}

/// One thing that changed about a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Place in the value, `Rows[].Tag`; empty for the declaration itself.
    pub path: String,
    /// What was and what is.
    pub text: String,
    /// What it means.
    pub effect: Effect,
}

/// What a change means, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing to modules of the other schema.
    None,
    /// Buffers kept by an export of one are not read by the other.
    Stored,
    /// Modules of one refuse those of the other.
    Refused,
}

impl Diff {
    /// Compares two schemas that are free of errors.
    pub fn of(old: &Schema, new: &Schema) -> Diff {
        let mut diff = Diff { old: signature(old), new: signature(new), changes: Vec::new() };
        diff.options(&old.options, &new.options);
        let (old_items, new_items) = (Items::of(old), Items::of(new));
        diff.items(&old_items, &new_items);
        if diff.old != diff.new && diff.interoperates() {
            // The signature counts the order of reliable and unreliable declarations among each other too.
            diff.changes.push(Change {
                kind: Kind::Schema,
                name: String::new(),
                what: What::Changed,
                effect: Effect::Refused,
                details: vec![Detail {
                    path: String::new(),
                    text: "declarations of the two channels stand in another order".to_owned(),
                    effect: Effect::Refused,
                }],
            });
        }
        diff
    }

    /// Whether modules built from one schema accept those built from the other.
    pub fn interoperates(&self) -> bool {
        self.changes.iter().all(|change| change.effect < Effect::Refused)
    }

    /// Where the remotes are is no part of the signature, but modules that look in other places never meet.
    fn options(&mut self, old: &Options, new: &Options) {
        let folder = |options: &Options| options.remotes_folder.clone().unwrap_or_default();
        let places = [
            ("RemoteScope", old.remote_scope.clone(), new.remote_scope.clone()),
            ("RemotesFolder", folder(old), folder(new)),
        ];
        for (name, old, new) in places.into_iter().filter(|(_, old, new)| old != new) {
            let text = format!("\"{old}\" became \"{new}\"");
            self.add(Kind::Option, name.to_owned(), vec![refused("", text)]);
        }
    }

    fn items(&mut self, old: &Items, new: &Items) {
        for event in &old.events {
            match new.events.iter().find(|other| other.path == event.path) {
                Some(other) => self.event(event, other),
                None => self.gone(Kind::Event, &event.path, new.moved_event(event, old)),
            }
        }
        for function in &old.functions {
            match new.functions.iter().find(|other| other.path == function.path) {
                Some(other) => self.function(function, other),
                None => self.gone(Kind::Function, &function.path, new.moved_function(function, old)),
            }
        }
        self.live(old, new);
        for entity in &old.entities {
            match new.entities.iter().find(|other| other.path == entity.path) {
                Some(other) => self.entity(entity, other),
                None => self.gone(Kind::Entity, &entity.path, new.moved_entity(entity, old)),
            }
        }
        for decl in &old.exports {
            match new.exports.iter().find(|other| other.path == decl.path) {
                Some(other) => self.export(decl, other),
                None => self.whole(Kind::Type, &decl.path, What::Removed, Effect::Stored),
            }
        }
        for event in &new.events {
            let known = old.events.iter().any(|other| other.path == event.path);
            if !known && old.moved_event(event, new).is_none() {
                self.whole(Kind::Event, &event.path, What::Added, Effect::Refused);
            }
        }
        for function in &new.functions {
            let known = old.functions.iter().any(|other| other.path == function.path);
            if !known && old.moved_function(function, new).is_none() {
                self.whole(Kind::Function, &function.path, What::Added, Effect::Refused);
            }
        }
        for entity in &new.entities {
            let known = old.entities.iter().any(|other| other.path == entity.path);
            if !known && old.moved_entity(entity, new).is_none() {
                self.whole(Kind::Entity, &entity.path, What::Added, Effect::Refused);
            }
        }
        for decl in &new.exports {
            if !old.exports.iter().any(|other| other.path == decl.path) {
                self.whole(Kind::Type, &decl.path, What::Added, Effect::None);
            }
        }
    }

    /// States and tables.
    fn live(&mut self, old: &Items, new: &Items) {
        for state in &old.states {
            match new.states.iter().find(|other| other.path == state.path) {
                Some(other) => self.state(state, other),
                None => self.gone(Kind::State, &state.path, new.moved_state(state, old)),
            }
        }
        for state in &new.states {
            let known = old.states.iter().any(|other| other.path == state.path);
            if !known && old.moved_state(state, new).is_none() {
                self.whole(Kind::State, &state.path, What::Added, Effect::Refused);
            }
        }
        for table in &old.tables {
            match new.tables.iter().find(|other| other.path == table.path) {
                Some(other) => self.table(table, other),
                None => self.gone(Kind::Table, &table.path, new.moved_table(table, old)),
            }
        }
        for table in &new.tables {
            let known = old.tables.iter().any(|other| other.path == table.path);
            if !known && old.moved_table(table, new).is_none() {
                self.whole(Kind::Table, &table.path, What::Added, Effect::Refused);
            }
        }
    }

    fn state(&mut self, old: &State, new: &State) {
        let place = |state: &State| format!("reliable index {}", state.index);
        self.renumbered(Kind::State, &old.path, &place(old), &place(new));
        let codec = |state: &State| if state.custom { "Custom" } else { "Plan" }.to_owned();
        let key = |state: &State| state.key.clone().map_or(Payload::Nothing, Payload::Single);
        let mut found = Differences::new(Effect::Refused);
        found.payload("Key", &key(old), &key(new));
        found.types("Data", &old.data, &new.data);
        found.compare("Codec", &codec(old), &codec(new));
        found.effect = Effect::None;
        let per = |state: &State| describe::presence(state.per_player);
        found.compare("Per", &per(old), &per(new));
        self.add_if_any(Kind::State, &old.path, found);
    }

    fn table(&mut self, old: &Table, new: &Table) {
        let place = |table: &Table| format!("table index {}", table.index);
        self.renumbered(Kind::Table, &old.path, &place(old), &place(new));
        let row = |table: &Table| Type { kind: TypeKind::Struct(table.fields.clone()), span: table.span };
        let mut found = Differences::new(Effect::Refused);
        found.compare("From", old.from.word(), new.from.word());
        found.types("Fields", &row(old), &row(new));
        found.effect = Effect::None;
        found.compare("Rate", &format!("{} a second", old.rate), &format!("{} a second", new.rate));
        self.add_if_any(Kind::Table, &old.path, found);
    }

    /// A declaration whose path is gone: moved, or removed.
    fn gone(&mut self, kind: Kind, path: &[String], moved: Option<&[String]>) {
        match moved {
            Some(now) => self.whole(kind, now, What::Moved(path.join(".")), Effect::None),
            None => self.whole(kind, path, What::Removed, Effect::Refused),
        }
    }

    fn whole(&mut self, kind: Kind, path: &[String], what: What, effect: Effect) {
        self.changes.push(Change { kind, name: path.join("."), what, effect, details: vec![] });
    }

    fn add(&mut self, kind: Kind, name: String, details: Vec<Detail>) {
        let effect = details.iter().map(|detail| detail.effect).max().unwrap_or(Effect::None);
        self.changes.push(Change { kind, name, what: What::Changed, effect, details });
    }

    fn renumbered(&mut self, kind: Kind, path: &[String], old: &str, new: &str) {
        if old != new {
            self.changes.push(Change {
                kind,
                name: path.join("."),
                what: What::Renumbered,
                effect: Effect::Refused,
                details: vec![refused("", format!("{old} became {new}"))],
            });
        }
    }

    fn event(&mut self, old: &Event, new: &Event) {
        self.renumbered(Kind::Event, &old.path, &describe::place(old), &describe::place(new));
        let mut found = Differences::new(Effect::Refused);
        found.compare("From", old.from.word(), new.from.word());
        found.compare("Type", old.delivery.word(), new.delivery.word());
        found.compare(
            "Stream",
            &describe::presence(old.stream.is_some()),
            &describe::presence(new.stream.is_some()),
        );
        found.compare("Channel", &describe::lane(old), &describe::lane(new));
        found.compare(
            "Stamp",
            &describe::presence(old.stamp.is_some()),
            &describe::presence(new.stamp.is_some()),
        );
        found.payload("Data", &old.data, &new.data);
        found.effect = Effect::None;
        found.compare("Call", &format!("{:?}", old.call), &format!("{:?}", new.call));
        found.compare("Rate", &describe::rate(old.rate), &describe::rate(new.rate));
        found.compare("Priority", &format!("{:?}", old.priority), &format!("{:?}", new.priority));
        if let (Some(old), Some(new)) = (&old.stream, &new.stream) {
            found.compare("Stream", &describe::stream(old), &describe::stream(new));
        }
        if let (Some(old), Some(new)) = (old.stamp, new.stamp) {
            found.compare("Stamp", &format!("{old} ms"), &format!("{new} ms"));
        }
        self.add_if_any(Kind::Event, &old.path, found);
    }

    fn function(&mut self, old: &Function, new: &Function) {
        let place = |function: &Function| format!("reliable index {}", function.index);
        self.renumbered(Kind::Function, &old.path, &place(old), &place(new));
        let mut found = Differences::new(Effect::Refused);
        found.compare("From", old.from.word(), new.from.word());
        found.payload("Data", &old.data, &new.data);
        found.payload("Return", &old.return_, &new.return_);
        found.effect = Effect::None;
        found.compare("Yield", &format!("{:?}", old.yield_), &format!("{:?}", new.yield_));
        found.compare("Rate", &describe::rate(old.rate), &describe::rate(new.rate));
        let most =
            |function: &Function| function.concurrency.map_or("no limit".to_owned(), |most| most.to_string());
        found.compare("Concurrency", &most(old), &most(new));
        self.add_if_any(Kind::Function, &old.path, found);
    }

    fn entity(&mut self, old: &Entity, new: &Entity) {
        let place = |entity: &Entity| format!("entity index {}", entity.index);
        self.renumbered(Kind::Entity, &old.path, &place(old), &place(new));
        let mut found = Differences::new(Effect::Refused);
        let owned = |entity: &Entity| describe::presence(entity.owner != Ownership::Never);
        let moves = |entity: &Entity| describe::presence(entity.transform != Following::Never);
        found.compare("Owner", &owned(old), &owned(new));
        found.compare("Transform", &moves(old), &moves(new));
        found.compare("Velocity", &describe::presence(old.velocity), &describe::presence(new.velocity));
        found.compare("Parent", &describe::presence(old.parent), &describe::presence(new.parent));
        found.compare("Named", &describe::presence(old.named), &describe::presence(new.named));
        found.compare("Tags", &describe::presence(old.tags), &describe::presence(new.tags));
        found.compare("Attributes", &describe::presence(old.attributes), &describe::presence(new.attributes));
        let sync = |entity: &Entity| {
            let names = entity
                .sync
                .iter()
                .flat_map(|class| class.properties.iter().map(|(name, _)| format!("{}.{name}", class.class)));
            names.collect::<Vec<_>>().join(", ")
        };
        found.compare("Sync", &sync(old), &sync(new));
        let input = |entity: &Entity| entity.input.clone().map_or(Payload::Nothing, Payload::Single);
        found.payload("Input", &input(old), &input(new));
        found.types("Data", &old.data, &new.data);
        found.effect = Effect::None;
        found.compare("Rate", &old.rate.to_string(), &new.rate.to_string());
        found.compare("Relevance", &format!("{:?}", old.relevance), &format!("{:?}", new.relevance));
        self.add_if_any(Kind::Entity, &old.path, found);
    }

    fn export(&mut self, old: &TypeDecl, new: &TypeDecl) {
        let mut found = Differences::new(Effect::Stored);
        found.types("", &old.ty, &new.ty);
        self.add_if_any(Kind::Type, &old.path, found);
    }

    fn add_if_any(&mut self, kind: Kind, path: &[String], found: Differences) {
        if !found.details.is_empty() {
            self.add(kind, path.join("."), found.details);
        }
    }
}

fn refused(path: &str, text: String) -> Detail {
    Detail { path: path.to_owned(), text, effect: Effect::Refused }
}

/// What a schema declares, imported declarations included.
#[derive(Default)]
struct Items<'a> {
    events: Vec<&'a Event>,
    functions: Vec<&'a Function>,
    entities: Vec<&'a Entity>,
    exports: Vec<&'a TypeDecl>,
    states: Vec<&'a State>,
    tables: Vec<&'a Table>,
}

impl<'a> Items<'a> {
    fn of(schema: &'a Schema) -> Items<'a> {
        let mut items = Items::default();
        items.add(schema, &schema.root);
        items
    }

    fn add(&mut self, schema: &'a Schema, scope: &'a Scope) {
        for item in &scope.items {
            match item {
                Item::Event(event) => self.events.push(event),
                Item::Function(function) => self.functions.push(function),
                Item::State(state) => self.states.push(state),
                Item::Table(table) => self.tables.push(table),
                Item::Entity(entity) => self.entities.push(entity),
                Item::Scope(inner) => self.add(schema, inner),
                Item::Type(id) => {
                    self.exports.extend(schema.types.get(id.0 as usize).filter(|decl| decl.export));
                }
            }
        }
    }

    /// Path of the event here that is `event` of `others` in another scope: nothing of a scope travels.
    fn moved_event(&self, event: &Event, others: &Items) -> Option<&[String]> {
        let same = |other: &&&Event| {
            other.name == event.name
                && describe::place(other) == describe::place(event)
                && other.from == event.from
                && other.delivery == event.delivery
                && ty::payload_text(&other.wire_payload()) == ty::payload_text(&event.wire_payload())
                && !others.events.iter().any(|known| known.path == other.path)
        };
        self.events.iter().find(same).map(|other| other.path.as_slice())
    }

    /// Path of the function here that is `function` of `others` in another scope.
    fn moved_function(&self, function: &Function, others: &Items) -> Option<&[String]> {
        let same = |other: &&&Function| {
            other.name == function.name
                && other.index == function.index
                && other.from == function.from
                && ty::payload_text(&other.data) == ty::payload_text(&function.data)
                && ty::payload_text(&other.return_) == ty::payload_text(&function.return_)
                && !others.functions.iter().any(|known| known.path == other.path)
        };
        self.functions.iter().find(same).map(|other| other.path.as_slice())
    }

    /// Path of the state here that is `state` of `others` in another scope.
    fn moved_state(&self, state: &State, others: &Items) -> Option<&[String]> {
        let line = state_line(state);
        let same = |other: &&&State| {
            state_line(other) == line && !others.states.iter().any(|known| known.path == other.path)
        };
        self.states.iter().find(same).map(|other| other.path.as_slice())
    }

    /// Path of the table here that is `table` of `others` in another scope.
    fn moved_table(&self, table: &Table, others: &Items) -> Option<&[String]> {
        let line = table_line(table);
        let same = |other: &&&Table| {
            table_line(other) == line && !others.tables.iter().any(|known| known.path == other.path)
        };
        self.tables.iter().find(same).map(|other| other.path.as_slice())
    }

    /// Path of the entity here that is `entity` of `others` in another scope.
    fn moved_entity(&self, entity: &Entity, others: &Items) -> Option<&[String]> {
        let line = entity_line(entity);
        let same = |other: &&&Entity| {
            entity_line(other) == line && !others.entities.iter().any(|known| known.path == other.path)
        };
        self.entities.iter().find(same).map(|other| other.path.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn schema(text: &str) -> Schema {
        let loader = MemoryLoader::new().with("a.blink", text);
        let analysis = analyze(&loader, "a.blink", Profile::Release);
        analysis.schema.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics))
    }

    /// Each line of the drawn differences, without the last, and whether modules accept each other.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str], interoperates: bool) {
        let diff = Diff::of(&schema(old), &schema(new));
        let text = diff.text("old.blink", "new.blink");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(&lines[..lines.len() - 1], expected);
        assert_eq!(diff.interoperates(), interoperates);
        if !expected.iter().any(|line| line.contains("option Remote")) {
            assert_eq!(diff.old == diff.new, interoperates);
        }
    }

    const EVENT: &str = "{ From: Server, Type: Reliable, Call: ManySync }";

    #[test]
    fn what_comes_and_goes() {
        check("type A = u8", "type B = u16", &[], true);
        check(
            &format!("event A {EVENT} event B {EVENT}"),
            &format!("event B {EVENT} event C {EVENT}"),
            &[
                "event A: removed",
                "event B: renumbered",
                "  reliable index 1 became reliable index 0",
                "event C: added",
            ],
            false,
        );
        check(
            &format!("scope S {{ event A {EVENT} }}"),
            &format!("scope T {{ event A {EVENT} }}"),
            &["event T.A: moved, was S.A (still accepted)"],
            true,
        );
        for declaration in [
            "state A { Key: string(1..9), Data: struct { X: u8 } }",
            "table A { From: Client, Fields: { X: u8 } }",
            "entity A { Data: struct { X: u8 } }",
        ] {
            let kind = declaration.split(' ').next().unwrap();
            let moved = format!("{kind} T.A: moved, was S.A (still accepted)");
            check(
                &format!("scope S {{ {declaration} }}"),
                &format!("scope T {{ {declaration} }}"),
                &[&moved],
                true,
            );
        }
        check(
            "function F { Yield: Coroutine, Rate: 2, Data: u8 }",
            "function F { Yield: Coroutine, Rate: 3, Data: u8, Return: (u8, u8) }",
            &[
                "function F: changed",
                "  Return: nothing became (u8, u8)",
                "  Rate: 2 a second became 3 a second (still accepted)",
            ],
            false,
        );
        check(
            "option RemoteScope = \"A\"",
            "",
            &["option RemoteScope: changed", "  \"A\" became \"\""],
            false,
        );
    }

    #[test]
    fn fields_are_named() {
        let event = |data: &str| {
            format!("event A {{ From: Server, Type: Unreliable, Call: ManySync, Data: {data} }}")
        };
        let changed = |old: &str, new: &str, expected: &[&str]| {
            let lines: Vec<&str> =
                std::iter::once("event A: changed").chain(expected.iter().copied()).collect();
            check(&event(old), &event(new), &lines, false);
        };
        changed(
            "struct { Id: u8, Rows: struct { Tag: string(..9), At: vector }[..4] }",
            "struct { Id: u16(0..900), Rows: struct { Tag: string(..9), At: vector<f16>, Up: boolean }[..8] }",
            &[
                "  Id: u8 became u16(0..900)",
                "  Rows: [..4] became [..8]",
                "  Rows[].At: vector became vector<f16>",
                "  Rows[].Up: added, boolean",
            ],
        );
        changed("struct { A: u8, B: u8 }", "struct { B: u8, A: u8 }", &["  A, B: now in the order B, A"]);
        changed("enum { A, B }", "enum { A, C, B }", &["  Data: C added"]);
        changed("set { A, B }", "set { B, A }", &["  Data: A, B now in the order B, A"]);
        changed(
            "enum \"K\" { A {}, B { X: u8 } }",
            "enum \"T\" { A {}, B { X: i8 } }",
            &["  Data: the tag \"K\" became \"T\"", "  <B>.X: u8 became i8"],
        );
        changed(
            "map { [u8]: u8? }".replace('?', "").as_str(),
            "map { [u8]: u16 }",
            &["  [value]: u8 became u16"],
        );
        changed("(u8, Name: string)", "(u8, Title: string)", &["  Name: removed", "  Title: added, string"]);
        changed("u8?", "u8", &["  Data: u8? became u8"]);
        changed("u8[]", "u8[0..65535]", &["  Data: [] became [0..65535]"]);
        changed("CFrame<quat>", "CFrame<quat32, f16>", &["  Data: CFrame<quat> became CFrame<quat32, f16>"]);
        changed("f32<0.5>(0..10)", "f32<0.25>(0..10)", &["  Data: f32<0.5>(0..10) became f32<0.25>(0..10)"]);
    }

    #[test]
    fn what_no_module_of_the_other_side_sees() {
        let event = |rest: &str| format!("event A {{ From: Client, Type: Reliable, {rest} }}");
        check(
            &event("Call: ManySync, Rate: 5, Data: u8"),
            &event("Call: SingleAsync, Rate: 5, Burst: 9, Data: u8<saturate>"),
            &[
                "event A: changed (still accepted)",
                "  Call: ManySync became SingleAsync",
                "  Rate: 5 a second became 5 a second in bursts of 9",
            ],
            true,
        );
        check(
            "export struct S { A: u8 }",
            "export struct S { A: u16 }",
            &["type S: changed (buffers stored before are not read)", "  A: u8 became u16"],
            true,
        );
    }

    #[test]
    fn the_order_of_the_channels_counts() {
        let reliable = format!("event A {EVENT}");
        let unreliable = format!("event B {}", EVENT.replace("Reliable", "Unreliable"));
        check(
            &format!("{reliable} {unreliable}"),
            &format!("{unreliable} {reliable}"),
            &["schema: changed", "  declarations of the two channels stand in another order"],
            false,
        );
    }
}
