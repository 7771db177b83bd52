//! States: the server's members and what writes their frames; the client's members and what reads them.

use super::ast::*;
use super::context::{Context, Names};
use super::module::{State as ModuleState, disconnect_type, member};
use super::{read, types, write};
use crate::schema::{Item, Options, Schema, Scope, Side, State};
use crate::wire::Wire;
use crate::wire::state::{StateWire, may_be_nil};

/// A state with its plan and names.
pub struct StateInfo<'a> {
    /// As resolved.
    pub state: &'a State,
    /// As it travels.
    pub wire: &'a StateWire,
    key: String,
    /// What holds its objects.
    object: Expr,
}

/// Every state, in order of declaration.
pub fn states<'a>(schema: &'a Schema, wire: &'a Wire) -> Vec<StateInfo<'a>> {
    fn walk<'a>(scope: &'a Scope, wire: &'a Wire, names: &mut Names, found: &mut Vec<StateInfo<'a>>) {
        for item in &scope.items {
            match item {
                Item::State(state) => {
                    if let Some(planned) = wire.state(&state.path) {
                        let key = names.own(&state.path.join("_"));
                        found.push(StateInfo { state, wire: planned, key, object: Expr::Nil });
                    }
                }
                Item::Scope(inner) => walk(inner, wire, names, found),
                Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::Table(_) | Item::Entity(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&schema.root, wire, &mut Names::default(), &mut found);
    found
}

impl StateInfo<'_> {
    /// Declares what the module keeps of the state. `checked` are the options with `WriteValidations`.
    pub fn declare<'c>(&mut self, cx: &mut Context<'c>, checked: &'c Options, state: &mut ModuleState) {
        let hint = format!("{}State", self.key);
        let value = match cx.side {
            Side::Server => self.server_object(cx, checked),
            Side::Client => self.client_object(cx, checked),
        };
        self.object = state.declare(&hint, None, value);
    }

    fn path(&self) -> String {
        self.state.path.join(".")
    }

    fn server_object<'c>(&self, cx: &mut Context<'c>, checked: &'c Options) -> Expr {
        let fields = self.state.fields();
        let names = fields.iter().map(|field| Entry::Item(text(field.name.as_str()))).collect();
        let optional = fields.iter().filter(|field| may_be_nil(&field.ty));
        let optional =
            optional.map(|field| Entry::Keyed(text(field.name.as_str()), Expr::Bool(true))).collect();
        // A value that stays spoils every frame it is in.
        let own = std::mem::replace(&mut cx.options, checked);
        let write = self.frame_writer(cx);
        cx.options = own;
        let mut settings = vec![
            Entry::Named("name".into(), text(self.state.name.as_str())),
            Entry::Named("fields".into(), Expr::Table(names)),
            Entry::Named("optional".into(), Expr::Table(optional)),
            Entry::Named("write".into(), write),
        ];
        if let Some(custom) = &self.wire.custom {
            let mut body = Block::new();
            let values = if self.wire.keyed { vec![name("Key")] } else { Vec::new() };
            let mut names = reserved();
            let what = self.path();
            let written = write::item(
                cx,
                &mut names,
                Some(custom.header),
                &custom.payload,
                &values,
                &what,
                0,
                &mut body,
            );
            commit(&written, &mut body);
            settings
                .push(Entry::Named("head".into(), lambda(Function::new(self.frame_params(cx, false), body))));
        }
        let kind = if self.state.per_player { "forPlayers" } else { "forEveryone" };
        apply(cx.runtime("ServerState", kind), [Expr::Table(settings)])
    }

    fn frame_params(&self, cx: &mut Context, whole: bool) -> Vec<Param> {
        let key = if self.wire.keyed { "Key" } else { "_Key" };
        let mut params = vec![param("Out", cx.batch_type()), param(key, ty("string"))];
        if whole {
            let cleared = if self.clears() { "Cleared" } else { "_Cleared" };
            params.extend([
                param("Kind", ty("number")),
                param("Fields", ty("any")),
                param(cleared, ty("any")),
            ]);
        }
        params
    }

    /// Whether each field that may be nil became it.
    fn cleared(&self) -> Vec<Expr> {
        let fields = self.state.fields().iter().filter(|field| may_be_nil(&field.ty));
        fields.map(|one| eq(field(name("Cleared"), one.name.as_str()), Expr::Bool(true))).collect()
    }

    fn clears(&self) -> bool {
        self.state.fields().iter().any(|field| may_be_nil(&field.ty))
    }

    /// `function(Out, Key, Kind, Fields, Cleared)`: writes a frame of the plan.
    fn frame_writer(&self, cx: &mut Context) -> Expr {
        let mut body = Block::new();
        let mut values = Vec::new();
        if self.wire.keyed {
            values.push(name("Key"));
        }
        values.extend([name("Kind"), name("Fields")]);
        values.extend(self.cleared());
        let mut names = reserved();
        let item = &self.wire.frame;
        let written = write::item(
            cx,
            &mut names,
            Some(item.header),
            &item.payload,
            &values,
            &self.path(),
            0,
            &mut body,
        );
        commit(&written, &mut body);
        lambda(Function::new(self.frame_params(cx, true), body))
    }

    fn client_object<'c>(&self, cx: &mut Context<'c>, checked: &'c Options) -> Expr {
        let fields = self.state.fields();
        let required = fields.iter().filter(|field| !may_be_nil(&field.ty));
        let required = required.map(|field| Entry::Item(text(field.name.as_str()))).collect();
        let mut settings = vec![
            Entry::Named("name".into(), text(self.state.name.as_str())),
            Entry::Named("required".into(), Expr::Table(required)),
        ];
        if self.state.custom {
            settings.push(Entry::Named("check".into(), self.checker(cx, checked)));
            let failed = cx.runtime("ClientReports", "decodeFailed");
            let body = block(|b| {
                b.push(Stat::Call(apply(failed, [text(self.state.name.as_str()), name("Failure")])));
            });
            let refused = Function::new(vec![param("Failure", ty("string"))], body);
            settings.push(Entry::Named("refused".into(), lambda(refused)));
        }
        apply(cx.runtime("ClientState", "create"), [Expr::Table(settings)])
    }

    /// Writes what a decoder gave and throws it away: what cannot be written is not what `Data` allows.
    fn checker<'c>(&self, cx: &mut Context<'c>, checked: &'c Options) -> Expr {
        let own = cx.options;
        cx.stores = true;
        let mut body = Block::new();
        let batch = cx.batch_type();
        body.local_typed("Out", batch, name("Store"));
        let mut values = vec![name("Fields")];
        let cleared = if self.clears() { "Cleared" } else { "_Cleared" };
        values.extend(self.cleared());
        cx.options = checked;
        let mut names = reserved();
        let plan = self.state.fields_plan();
        write::item(cx, &mut names, None, &plan, &values, &self.path(), 0, &mut body);
        cx.options = own;
        lambda(Function::new(vec![param("Fields", ty("any")), param(cleared, ty("any"))], body))
    }

    /// Members of its table.
    pub fn members(&self, cx: &mut Context) -> Vec<Entry> {
        match cx.side {
            Side::Server => self.server_members(cx),
            Side::Client => self.client_members(cx),
        }
    }

    fn data(&self, cx: &Context) -> LuauType {
        types::of_type(cx.schema, &self.state.data)
    }

    /// The type of a change: every field may be left out, and one that may be nil may be `None`.
    fn delta(&self, cx: &Context) -> LuauType {
        let field = |field: &crate::schema::Field| {
            let kind = if may_be_nil(&field.ty) {
                ty("any")
            } else {
                optional(types::of_type(cx.schema, &field.ty))
            };
            (field.name.clone(), kind)
        };
        LuauType::Table(self.state.fields().iter().map(field).collect())
    }

    /// A member that hands its parameters on, the key in its place.
    fn hand_on(&self, own: &str, lead: Vec<Param>, rest: Vec<Param>, returns: Option<LuauType>) -> Expr {
        let mut args: Vec<Expr> = lead.iter().map(|param| name(param.name.as_str())).collect();
        let mut params = lead;
        if self.wire.keyed {
            params.push(param("Key", ty("string")));
            args.push(name("Key"));
        } else {
            args.push(text(""));
        }
        args.extend(rest.iter().map(|param| {
            let given = name(param.name.as_str());
            // What holds the objects knows nothing of their fields.
            if matches!(param.ty.as_deref(), Some(LuauType::Function(..))) {
                cast(given, ty("any"))
            } else {
                given
            }
        }));
        params.extend(rest);
        let called = apply(field(self.object.clone(), own), args);
        let body = block(|b| {
            _ = match &returns {
                Some(kind) => b.ret([cast(called, kind.clone())]),
                None => b.push(Stat::Call(called)),
            }
        });
        let function = Function::new(params, body);
        lambda(match returns {
            Some(kind) => function.returning(vec![kind]),
            None => function,
        })
    }

    fn server_members(&self, cx: &mut Context) -> Vec<Entry> {
        let casing = cx.options.casing;
        let lead = || if self.state.per_player { vec![param("Player", ty("Player"))] } else { Vec::new() };
        let (data, delta) = (self.data(cx), self.delta(cx));
        let change = || vec![param("Delta", delta.clone())];
        let mut entries = vec![
            Entry::Named(
                member(casing, "Mount"),
                self.hand_on("mount", lead(), vec![param("Initial", data.clone())], None),
            ),
            Entry::Named(member(casing, "SetState"), self.hand_on("set", lead(), change(), None)),
            Entry::Named(member(casing, "SendDelta"), self.hand_on("send", lead(), change(), None)),
            Entry::Named(member(casing, "Unmount"), self.hand_on("unmount", lead(), Vec::new(), None)),
            Entry::Named(
                member(casing, "Get"),
                self.hand_on("get", lead(), Vec::new(), Some(optional(data))),
            ),
        ];
        if self.clears() {
            entries.push(Entry::Named(member(casing, "None"), cx.runtime("ServerState", "none")));
        }
        if self.state.custom {
            let encoder = LuauType::Function(vec![(Some("Delta".into()), delta)], vec![ty("buffer")]);
            entries.push(self.codec(casing, "SetEncoder", "setEncoder", "Encoder", encoder));
        }
        entries
    }

    fn codec(
        &self,
        casing: crate::schema::Casing,
        pascal: &str,
        own: &str,
        word: &str,
        kind: LuauType,
    ) -> Entry {
        let body = block(|b| {
            b.push(Stat::Call(apply(field(self.object.clone(), own), [cast(name(word), ty("any"))])));
        });
        Entry::Named(member(casing, pascal), lambda(Function::new(vec![param(word, kind)], body)))
    }

    fn client_members(&self, cx: &mut Context) -> Vec<Entry> {
        let casing = cx.options.casing;
        let (data, delta) = (self.data(cx), self.delta(cx));
        let state = || (Some("State".to_owned()), data.clone());
        let changed = LuauType::Function(vec![state(), (Some("Delta".into()), delta.clone())], Vec::new());
        let mut entries = vec![
            Entry::Named(
                member(casing, "OnChange"),
                self.hand_on(
                    "onChange",
                    Vec::new(),
                    vec![param("Listener", changed)],
                    Some(disconnect_type()),
                ),
            ),
            self.listener(cx, "OnMount", "onMount", vec![state()]),
            self.listener(cx, "OnUnmount", "onUnmount", Vec::new()),
            Entry::Named(
                member(casing, "Get"),
                self.hand_on("get", Vec::new(), Vec::new(), Some(optional(data.clone()))),
            ),
        ];
        if self.wire.keyed {
            let all = LuauType::Map(Box::new(ty("string")), Box::new(data));
            let body = block(|b| {
                _ = b.ret([cast(apply(field(self.object.clone(), "all"), []), all.clone())]);
            });
            let all = lambda(Function::new(Vec::new(), body).returning(vec![all]));
            entries.push(Entry::Named(member(casing, "All"), all));
        }
        if self.clears() {
            entries.push(Entry::Named(member(casing, "None"), cx.runtime("ClientState", "none")));
        }
        if self.state.custom {
            let decoder = LuauType::Function(vec![(Some("Payload".into()), ty("buffer"))], vec![delta]);
            entries.push(self.codec(casing, "SetDecoder", "setDecoder", "Decoder", decoder));
        }
        entries
    }

    /// `OnMount` or `OnUnmount`: without a key, the listener is given none.
    fn listener(
        &self,
        cx: &mut Context,
        pascal: &str,
        own: &str,
        heard: Vec<(Option<String>, LuauType)>,
    ) -> Entry {
        let mut params = heard.clone();
        if self.wire.keyed {
            params.insert(0, (Some("Key".to_owned()), ty("string")));
        }
        let kind = LuauType::Function(params, Vec::new());
        let mut body = Block::new();
        if !self.wire.keyed {
            // The function around the listener would pass for one.
            let expect = cx.runtime("Arguments", "expectListener");
            let what = text(format!("{}.{pascal}", self.state.name));
            body.push(Stat::Call(apply(expect, [name("Listener"), what, num(2)])));
        }
        let given = if self.wire.keyed {
            cast(name("Listener"), ty("any"))
        } else {
            let mut inner = vec![param("_Key", ty("string"))];
            let mut args = Vec::new();
            if !heard.is_empty() {
                inner.push(param("State", ty("any")));
                args.push(name("State"));
            }
            let body = block(|b| _ = b.push(Stat::Call(apply(name("Listener"), args))));
            lambda(Function::new(inner, body))
        };
        body.ret([apply(field(self.object.clone(), own), [given])]);
        let on = Function::new(vec![param("Listener", kind)], body).returning(vec![disconnect_type()]);
        Entry::Named(member(cx.options.casing, pascal), lambda(on))
    }

    /// Cases of the reliable channel's reader: index and statements of each kind of frame.
    pub fn cases(&self, cx: &mut Context) -> Vec<(u8, Block)> {
        let mut cases = Vec::new();
        if let Some(custom) = &self.wire.custom {
            let mut out = Block::new();
            out.comment(format!("{}, as the game packed it", self.path()));
            let shift = custom.header.size();
            let mut names = Names::default();
            names.fresh("Payload");
            let (values, advance) =
                read::payload(cx, &mut names, &custom.payload, shift, &self.path(), &mut out);
            let key = values.into_iter().next().unwrap_or_else(|| text(""));
            out.local(
                "Payload",
                call(
                    "buffer.create",
                    [binary(name("End"), BinaryOp::Sub, add(name("Cursor"), size(advance)))],
                ),
            );
            out.call(
                "buffer.copy",
                [name("Payload"), num(0), name("Buffer"), add(name("Cursor"), size(advance))],
            );
            out.assign(name("Cursor"), name("End"));
            out.push(Stat::Call(apply(field(self.object.clone(), "receiveCustom"), [key, name("Payload")])));
            cases.push((custom.header.index, out));
        }
        let item = &self.wire.frame;
        let mut out = Block::new();
        out.comment(self.path());
        if self.has_slots() {
            out.local("Missing", Expr::Bool(false));
        }
        let mut names = Names::default();
        let (values, advance) =
            read::payload(cx, &mut names, &item.payload, item.header.size(), &self.path(), &mut out);
        let mut values = values.into_iter();
        let key = if self.wire.keyed { values.next() } else { None };
        let kind = values.next().unwrap_or_else(|| num(0));
        let fields = values.next().unwrap_or_else(|| Expr::Table(Vec::new()));
        let nil = self.state.fields().iter().filter(|field| may_be_nil(&field.ty));
        let cleared = Expr::Table(
            nil.zip(values).map(|(field, value)| Entry::Named(field.name.clone(), value)).collect(),
        );
        let key = key.unwrap_or_else(|| text(""));
        let told = apply(field(self.object.clone(), "receive"), [key, kind, fields, cleared]);
        let handing = block(|b| _ = b.push(Stat::Call(told)));
        if self.has_slots() {
            let failure = apply(cx.runtime("Messages", "missingInstance"), []);
            let report = cx.runtime("ClientReports", "instanceMissing");
            let state = text(self.state.name.as_str());
            let index = num(item.header.index);
            let report = block(|b| _ = b.push(Stat::Call(apply(report, [index, state, failure]))));
            out.when_else(name("Missing"), report, handing);
        } else {
            out.append(handing);
        }
        out.bump(name("Cursor"), size(advance));
        cases.push((item.header.index, out));
        cases
    }

    /// Whether its frames carry Instances.
    pub fn has_slots(&self) -> bool {
        self.wire.frame.payload.block.size.slots > 0
    }

    /// Entries of the table of item names.
    pub fn index_names(&self) -> Vec<Entry> {
        let own = |index: u8| Entry::Keyed(num(index), text(self.state.name.as_str()));
        let custom = self.wire.custom.iter().map(|custom| custom.header.index);
        custom.chain([self.wire.frame.header.index]).map(own).collect()
    }

    /// Writes what changed into the batches.
    pub fn step(&self) -> Stat {
        Stat::Call(apply(field(self.object.clone(), "step"), []))
    }

    /// Sends what the game packed, once the batches are out.
    pub fn deliver(&self) -> Option<Stat> {
        self.state.custom.then(|| Stat::Call(apply(field(self.object.clone(), "deliver"), [])))
    }

    /// Forgets a player who is leaving.
    pub fn drop(&self) -> Expr {
        field(self.object.clone(), "drop")
    }

    /// A line about it, for whoever reads the module.
    pub fn describe(&self) -> String {
        format!("{}: state of the server", self.path())
    }
}

/// Names for locals that leave the parameters of what is generated here alone.
fn reserved() -> Names {
    let mut names = Names::default();
    for taken in ["Key", "Kind", "Fields", "Cleared", "Payload"] {
        names.fresh(taken);
    }
    names
}

fn commit(written: &write::Written, body: &mut Block) {
    body.assign(path("Out.cursor"), written.end.clone());
    if written.slots {
        body.assign(path("Out.slots"), name("Slot"));
    }
}
