//! What a module has: its own members, those of each event and function, and codecs of exported types. Source:
//! tooling specification, 4.5 to 4.7.

use std::collections::BTreeSet;

use super::ast::{
    Key, Label, Member, Param, Property, Statement, Type, function, label, or_undefined, param, procedure,
    readonly, ty, union,
};
use super::names::{Place, parameter};
use super::types::{Types, is_optional};
use crate::emit::luau::ast::{Entry, Expr};
use crate::emit::luau::{limits, module::member};
use crate::schema::{self, Event, Function, Item, Payload, Scope, Side, State, Table, Yield};
use crate::wire::state::may_be_nil;

/// Members of one module.
pub struct Members<'a> {
    /// How types are named.
    pub types: &'a Types<'a>,
    /// The side it is for.
    pub side: Side,
}

/// A value that is passed.
struct Value {
    name: String,
    /// Its type behind a `?`.
    present: Type,
    /// Its type anywhere else.
    full: Type,
    optional: bool,
}

impl Members<'_> {
    fn word(&self, pascal: &str) -> String {
        member(self.types.schema.options.casing, pascal)
    }

    pub(super) fn is_server(&self) -> bool {
        self.side == Side::Server
    }

    /// Interfaces the other members name.
    pub fn interfaces(&self) -> Vec<Statement> {
        let mut out = Vec::new();
        if self.calls_futures(&self.types.schema.root) {
            out.push(self.future());
        }
        if self.types.schema.options.traffic_stats {
            out.push(Statement::Interface {
                doc: None,
                name: self.counts_name(),
                param: None,
                members: ["Sent", "SentBytes", "Received", "ReceivedBytes"]
                    .map(|field| Member::Field(self.word(field), ty("number")))
                    .to_vec(),
            });
        }
        out.extend(self.entity_interfaces());
        out
    }

    fn calls_futures(&self, scope: &Scope) -> bool {
        scope.items.iter().any(|item| match item {
            Item::Function(function) => function.yield_ == Yield::Future && function.from == self.side,
            Item::Scope(inner) => self.calls_futures(inner),
            Item::Type(_) | Item::Event(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => false,
        })
    }

    fn future_name(&self) -> String {
        self.types.names.own("BlinkFuture")
    }

    fn counts_name(&self) -> String {
        self.types.names.own("BlinkTrafficCounts")
    }

    fn future(&self) -> Statement {
        let outcome = |success: bool, label_: Label| {
            Type::Tuple(vec![label("Success", ty(if success { "true" } else { "false" })), label_])
        };
        let values = Label { name: "Values".into(), rest: true, ty: ty("T") };
        let outcomes = union([outcome(true, values), outcome(false, label("Failure", ty("unknown")))]);
        let tuple = self.tuple_of(outcomes, &Place::default());
        Statement::Interface {
            doc: Some("What every library of futures has; declare it again to add what yours has.".into()),
            name: self.future_name(),
            param: Some("T extends unknown[]".into()),
            members: vec![Member::Method("Await".into(), Vec::new(), tuple)],
        }
    }

    /// Members of the module itself, with their types.
    pub fn module(&self) -> Vec<(String, Type)> {
        let options = &self.types.schema.options;
        let place = &Place::default();
        let text = || ty("string");
        let number = || ty("number");
        let player = || param("Player", self.types.global("Player", place));
        let event = || param("Event", or_undefined(ty("string")));
        let setter = |params: Vec<Param>| procedure(vec![param("Handler", or_undefined(procedure(params)))]);

        let mut found = vec![("StepReplication", procedure(Vec::new()))];
        if self.is_server() && !options.auto_start {
            found.push(("Start", procedure(Vec::new())));
        }
        if !self.is_server() && options.client_connect_timeout.is_some() {
            found.push(("Connected", ty("boolean")));
        }
        let failure = || param("Failure", text());
        let mut decode = vec![event(), failure()];
        if self.is_server() {
            decode.insert(0, player());
        }
        let reasons = ["Malformed", "Oversized", "Budget", "Instances", "Events"];
        let reason = union(reasons.map(|reason| Type::Text(reason.into())));
        let refused = || param("Refused", number());
        let mut remotes = vec![readonly("Reliable", text()), readonly("Unreliable", text())];
        if self.has_tables(&self.types.schema.root, |_| true) {
            remotes.push(readonly("Tables", text()));
        }
        if self.types.schema.root.has_acknowledged() {
            remotes.push(readonly("Channel", text()));
        }
        if !self.types.schema.entities().is_empty() {
            remotes.push(readonly("Entity", text()));
        }
        if options.session {
            remotes.extend(["Session", "Echo"].map(|key| readonly(key, text())));
        }
        if options.lobby {
            remotes.push(readonly("Lobby", text()));
        }
        found.extend([
            ("SetRateLimitHandler", setter(vec![player(), event(), refused()])),
            ("SetDecodeErrorHandler", setter(decode)),
            (
                "SetPacketDropHandler",
                setter(vec![player(), param("Reason", reason), refused(), param("Detail", number())]),
            ),
            (
                "SetListenerErrorHandler",
                setter(vec![player(), param("Event", text()), failure(), param("Count", number())]),
            ),
            ("Remotes", Type::Object(remotes)),
        ]);
        if self.has_tables(&self.types.schema.root, |table| table.from != self.side) {
            found.push(("StepTables", procedure(Vec::new())));
        }
        if options.traffic_stats {
            found.push(("GetTrafficStats", function(Vec::new(), self.stats())));
            found.push(("ResetTrafficStats", procedure(Vec::new())));
        }
        found.extend(self.session().map(|session| ("Session", session)));
        if options.lobby {
            found.push(("Lobby", self.lobby()));
        }
        found.extend(self.entity_module());
        let mut found: Vec<(String, Type)> =
            found.into_iter().map(|(pascal, ty)| (self.word(pascal), ty)).collect();
        found.extend(limits_of(self.types.schema));
        found
    }

    fn has_tables(&self, scope: &Scope, wanted: impl Fn(&Table) -> bool + Copy) -> bool {
        scope.items.iter().any(|item| match item {
            Item::Table(table) => wanted(table),
            Item::Scope(inner) => self.has_tables(inner, wanted),
            Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::State(_) | Item::Entity(_) => false,
        })
    }

    /// What `GetTrafficStats` gives: an entry for each event, for every one is sent by one side and received by the
    /// other.
    fn stats(&self) -> Type {
        fn walk(scope: &Scope, found: &mut Vec<String>) {
            for item in &scope.items {
                match item {
                    Item::Event(event) => found.push(event.path.join(".")),
                    Item::Scope(inner) => walk(inner, found),
                    Item::Type(_) | Item::Function(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => {
                    }
                }
            }
        }
        let mut events = Vec::new();
        walk(&self.types.schema.root, &mut events);
        let counts = || ty(self.counts_name());
        let field = |name: String, ty: Type| Property { readonly: false, ..readonly(name, ty) };
        let events = events.into_iter().map(|path| field(path, counts())).collect();
        Type::Object(vec![
            field(self.word("Events"), Type::Object(events)),
            field(self.word("Reliable"), counts()),
            field(self.word("Unreliable"), counts()),
        ])
    }

    /// The table of an event.
    pub fn event(&self, event: &Event, place: &Place) -> Type {
        let members = match (event.from == self.side, event.stream.is_some()) {
            (true, true) => self.stream(event, place),
            (true, false) => self.sends(event, place),
            (false, _) => self.receives(event, place),
        };
        Type::OpenObject(members)
    }

    fn sends(&self, event: &Event, place: &Place) -> Vec<Property> {
        let data = |lead: Vec<Param>| function(self.params(lead, &event.data, place), ty("number"));
        let member = |pascal: &str, lead: Vec<Param>| readonly(self.word(pascal), data(lead));
        if !self.is_server() {
            return vec![member("Fire", Vec::new())];
        }
        let player = || self.types.global("Player", place);
        vec![
            member("Fire", vec![param("Player", player())]),
            member("FireAll", Vec::new()),
            member("FireList", vec![param("List", Type::ReadonlyArray(Box::new(player())))]),
            member("FireExcept", vec![param("Except", player())]),
        ]
    }

    fn stream(&self, event: &Event, place: &Place) -> Vec<Property> {
        let per_player = event.stream.is_some_and(|stream| stream.per_player);
        let lead = || if per_player { self.player(place) } else { Vec::new() };
        let with = |more: Param| {
            let mut params = lead();
            params.push(more);
            params
        };
        vec![
            readonly(self.word("Set"), procedure(self.params(lead(), &event.data, place))),
            readonly(self.word("Clear"), procedure(lead())),
            readonly(self.word("Urgent"), procedure(lead())),
            readonly(self.word("SetFast"), procedure(with(param("Fast", ty("boolean"))))),
        ]
    }

    fn receives(&self, event: &Event, place: &Place) -> Vec<Property> {
        let options = &self.types.schema.options;
        let lead = || if self.is_server() { self.player(place) } else { Vec::new() };
        let heard = event.wire_payload();
        if event.is_polled(options.use_polling) {
            let mut row = vec![param("Index", ty("number"))];
            row.extend(lead());
            let row = self.tuple_of(Type::Tuple(self.labels(row, &heard, place)), place);
            let rows = Type::Name(self.types.names.global("IterableFunction", place), vec![row]);
            let iterate = function(Vec::new(), rows);
            let instead = format!("@deprecated Use `{}`.", self.word("Iter"));
            return vec![
                readonly(self.word("Iter"), iterate.clone()),
                Property { doc: Some(instead), ..readonly(self.word("Next"), iterate) },
            ];
        }
        let listener = procedure(self.params(lead(), &heard, place));
        let on = function(vec![param("Listener", listener.clone())], procedure(Vec::new()));
        let mut members = vec![readonly(self.word("On"), on)];
        if options.predict {
            members.push(readonly(self.word("Predict"), listener));
        }
        members
    }

    /// The table of a function.
    pub fn function(&self, declared: &Function, place: &Place) -> Type {
        let lead = if self.is_server() { self.player(place) } else { Vec::new() };
        let params = self.params(lead, &declared.data, place);
        let member = if declared.from == self.side {
            readonly(self.word("Invoke"), function(params, self.answer(declared, place)))
        } else {
            let listener = function(params, self.returned(&declared.return_, place));
            readonly(self.word("On"), procedure(vec![param("Listener", listener)]))
        };
        Type::OpenObject(vec![member])
    }

    /// The table of a state.
    pub fn state(&self, state: &State, place: &Place) -> Type {
        let data = || self.types.of(&state.data, place);
        let delta = || self.delta(state, place);
        let key = || if state.key.is_some() { vec![param("Key", ty("string"))] } else { Vec::new() };
        let of = |lead: Vec<Param>, more: Vec<Param>| lead.into_iter().chain(more).collect::<Vec<_>>();
        let disconnect = || procedure(Vec::new());
        let mut members = if self.is_server() {
            let lead = || {
                let player = if state.per_player { self.player(place) } else { Vec::new() };
                of(player, key())
            };
            let change = || of(lead(), vec![param("Delta", delta())]);
            vec![
                readonly(self.word("Mount"), procedure(of(lead(), vec![param("Initial", data())]))),
                readonly(self.word("SetState"), procedure(change())),
                readonly(self.word("SendDelta"), procedure(change())),
                readonly(self.word("Unmount"), procedure(lead())),
                readonly(self.word("Get"), function(lead(), or_undefined(data()))),
            ]
        } else {
            let on = |lead: Vec<Param>, heard: Vec<Param>| {
                function(of(lead, vec![param("Listener", procedure(heard))]), disconnect())
            };
            let now = || param("State", data());
            let mut members = vec![
                readonly(self.word("OnChange"), on(key(), vec![now(), param("Delta", delta())])),
                readonly(self.word("OnMount"), on(Vec::new(), of(key(), vec![now()]))),
                readonly(self.word("OnUnmount"), on(Vec::new(), key())),
                readonly(self.word("Get"), function(key(), or_undefined(data()))),
            ];
            if state.key.is_some() {
                let map = Type::Name(self.types.names.global("Map", place), vec![ty("string"), data()]);
                members.push(readonly(self.word("All"), function(Vec::new(), map)));
            }
            members
        };
        if state.fields().iter().any(|field| may_be_nil(&field.ty)) {
            members.push(readonly(self.word("None"), ty("undefined")));
        }
        if state.custom {
            let buffer = || self.types.global("buffer", place);
            members.push(if self.is_server() {
                let encoder = function(vec![param("Delta", delta())], buffer());
                readonly(self.word("SetEncoder"), procedure(vec![param("Encoder", encoder)]))
            } else {
                let decoder = function(vec![param("Payload", buffer())], delta());
                readonly(self.word("SetDecoder"), procedure(vec![param("Decoder", decoder)]))
            });
        }
        Type::OpenObject(members)
    }

    /// Any fields of a state's data.
    fn delta(&self, state: &State, place: &Place) -> Type {
        let partial = self.types.names.global("Partial", place);
        Type::Name(partial, vec![self.types.of(&state.data, place)])
    }

    /// The table of a table.
    pub fn table(&self, table: &Table, place: &Place) -> Type {
        if table.from == self.side {
            let elements = table.fields.iter().map(|field| schema::Element {
                name: Some(field.name.clone()),
                ty: field.ty.clone(),
                span: field.span,
            });
            let row = Payload::Pack(elements.collect());
            let push = function(self.params(Vec::new(), &row, place), ty("boolean"));
            return Type::OpenObject(vec![readonly(self.word("Push"), push)]);
        }
        let list = |of: Type| Type::ReadonlyArray(Box::new(of));
        let mut members = vec![readonly(self.word("Count"), ty("number"))];
        for field in table.fields.iter() {
            members.push(readonly(field.name.clone(), list(self.types.of(&field.ty, place))));
        }
        if self.is_server() {
            members.push(readonly(self.word("Sender"), list(self.types.global("Player", place))));
        }
        Type::OpenObject(members)
    }

    /// What `Invoke` gives.
    fn answer(&self, declared: &Function, place: &Place) -> Type {
        match declared.yield_ {
            Yield::Coroutine => self.returned(&declared.return_, place),
            Yield::Promise => {
                // A promise hands its first value to `then` and `await`, and never another.
                let first = self.values(&declared.return_, place).into_iter().next();
                let value = first.map_or(ty("void"), |first| first.full);
                Type::Name(self.types.names.global("Promise", place), vec![value])
            }
            Yield::Future => {
                let labels = self.labels(Vec::new(), &declared.return_, place);
                Type::Name(self.future_name(), vec![Type::Tuple(labels)])
            }
        }
    }

    /// What a listener returns, and a call that yields.
    fn returned(&self, payload: &Payload, place: &Place) -> Type {
        match payload {
            Payload::Nothing => ty("void"),
            Payload::Single(value) => self.types.of(value, place),
            Payload::Pack(_) => self.tuple_of(Type::Tuple(self.labels(Vec::new(), payload, place)), place),
        }
    }

    fn tuple_of(&self, tuple: Type, place: &Place) -> Type {
        Type::Name(self.types.names.global("LuaTuple", place), vec![tuple])
    }

    fn player(&self, place: &Place) -> Vec<Param> {
        vec![param("Player", self.types.global("Player", place))]
    }

    fn values(&self, payload: &Payload, place: &Place) -> Vec<Value> {
        let value = |name: String, value: &schema::Type| Value {
            name,
            present: self.types.present(value, place),
            full: self.types.of(value, place),
            optional: is_optional(value),
        };
        payload.parameters().into_iter().map(|(name, ty)| value(name, ty)).collect()
    }

    /// Parameters: `lead`, then those of a payload. One may be left out if all behind it may.
    fn params(&self, lead: Vec<Param>, payload: &Payload, place: &Place) -> Vec<Param> {
        let values = self.values(payload, place);
        let required = values.iter().rposition(|value| !value.optional).map_or(0, |last| last + 1);
        let mut taken: BTreeSet<String> = lead.iter().map(|param| param.name.clone()).collect();
        let mut params = lead;
        for (at, value) in values.into_iter().enumerate() {
            let name = parameter(&value.name, &taken);
            taken.insert(name.clone());
            let optional = at >= required;
            params.push(Param { name, optional, ty: if optional { value.present } else { value.full } });
        }
        params
    }

    /// Elements of a tuple, likewise.
    fn labels(&self, lead: Vec<Param>, payload: &Payload, place: &Place) -> Vec<Label> {
        let mut taken: BTreeSet<String> = lead.iter().map(|param| param.name.clone()).collect();
        let mut labels: Vec<Label> = lead.into_iter().map(|param| label(param.name, param.ty)).collect();
        for value in self.values(payload, place) {
            let name = parameter(&value.name, &taken);
            taken.insert(name.clone());
            labels.push(label(name, value.full));
        }
        labels
    }
}

/// The two members of an exported type called `name` in the file.
pub fn codec(types: &Types, name: &str, place: &Place) -> Type {
    let word = |pascal: &str| member(types.schema.options.casing, pascal);
    let buffer = || types.global("buffer", place);
    Type::OpenObject(vec![
        readonly(word("Read"), function(vec![param("Buffer", buffer())], ty(name))),
        readonly(word("Write"), function(vec![param("Value", ty(name))], buffer())),
    ])
}

/// `Limits`, when the options ask for it: the module's own table, its numbers as types.
pub fn limits_of(schema: &schema::Schema) -> Option<(String, Type)> {
    limits::table(schema).map(|(name, table)| (name, bounds(&table)))
}

fn bounds(value: &Expr) -> Type {
    match value {
        Expr::Number(bound) => Type::Number(*bound),
        Expr::Table(entries) => Type::Object(entries.iter().filter_map(bound_of).collect()),
        Expr::Cast(value, _) => bounds(value),
        // An open side, `math.huge` or its negation.
        _ => ty("number"),
    }
}

fn bound_of(entry: &Entry) -> Option<Property> {
    match entry {
        Entry::Named(name, value) => Some(readonly(name, bounds(value))),
        Entry::Keyed(Expr::Number(place), value) => Some(readonly(Key::Place(*place as u64), bounds(value))),
        Entry::Keyed(..) | Entry::Item(_) | Entry::Comment(_) => None,
    }
}
