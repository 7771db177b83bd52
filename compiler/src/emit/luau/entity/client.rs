//! Entities in the client module.

use std::ops::Deref;

use super::super::ast::*;
use super::super::context::Context;
use super::super::module::{disconnect_type, member};
use super::super::traffic;
use super::{Entities, EntityInfo, codec, function_type, method_type};
use crate::schema::{Channel, Entity, Options, Schema};
use crate::wire::Wire;
use crate::wire::entity::Extra;

/// The entities of a client module.
pub struct Mirrors<'a>(Entities<'a>);

impl<'a> Deref for Mirrors<'a> {
    type Target = Entities<'a>;

    fn deref(&self) -> &Entities<'a> {
        &self.0
    }
}

impl<'a> Mirrors<'a> {
    /// Of a schema.
    pub fn new(schema: &'a Schema, wire: &'a Wire) -> Mirrors<'a> {
        Mirrors(Entities::new(schema, wire, "Mirror"))
    }

    fn is_drawn(&self) -> bool {
        self.any(|info| info.has_transform() || !info.wire.synced.is_empty())
    }

    fn is_predicted(&self) -> bool {
        self.any(|info| info.wire.velocity && info.wire.input.is_some())
    }

    /// Types, codecs and declarations. `checked` are the options with `WriteValidations`.
    pub fn code<'c>(&self, cx: &mut Context<'c>, checked: &'c Options) -> Block {
        let mut out = Block::new();
        if self.is_empty() {
            return out;
        }
        out.extend(self.kinds());
        for info in &self.all {
            out.push(info.data_type(cx.schema));
            out.push(object_type(cx, info));
            out.extend(info.handle_type(cx.schema));
            out.blank();
            let mut own = Block::new();
            let path = info.entity.path.join(".");
            let mut parts = Vec::new();
            for (place, part) in info.wire.parts.iter().enumerate() {
                let function = format!("Read{}Part{}", info.key, place + 1);
                let read = match part.gone.as_ref().zip(part.fields.first()) {
                    None => {
                        own.push(codec::reader(cx, &function, &path, &part.plan, &part.fields));
                        name(function)
                    }
                    Some((gone, key)) => {
                        let keys = format!("{function}Gone");
                        own.push(codec::reader(cx, &function, &path, &part.plan, &["Some".to_owned()]));
                        own.push(codec::reader(cx, &keys, &path, gone, &["Gone".to_owned()]));
                        let reader = cx.runtime("EntityMaps", "reader");
                        apply(reader, [text(key.as_str()), name(function), name(keys)])
                    }
                };
                let fields = part.fields.iter().map(|own| Entry::Item(text(own.as_str()))).collect();
                let mut entries = vec![
                    Entry::Named("fields".into(), Expr::Table(fields)),
                    Entry::Named("read".into(), read),
                ];
                if part.refers() {
                    entries.push(Entry::Named("refers".into(), Expr::Bool(true)));
                }
                if part.holds_tables() {
                    entries.push(Entry::Named("nested".into(), Expr::Bool(true)));
                }
                parts.push(Entry::Item(Expr::Table(entries)));
            }
            let mut synced = Vec::new();
            for (class, part) in &info.wire.synced {
                let Some(property) = part.fields.first() else { continue };
                let function = format!("Read{}{class}{property}", info.key);
                let key = format!("{class}.{property}");
                let what = format!("{path}.{key}");
                own.push(codec::reader(cx, &function, &what, &part.plan, std::slice::from_ref(&key)));
                synced.push(Entry::Item(Expr::Table(vec![
                    Entry::Named("name".into(), text(key)),
                    Entry::Named("class".into(), text(class.as_str())),
                    Entry::Named("property".into(), text(property.as_str())),
                    Entry::Named("read".into(), name(function)),
                ])));
            }
            let input = info.input_type(cx.schema).zip(info.wire.input.as_ref()).map(|(kind, plan)| {
                let function = format!("Write{}Input", info.key);
                own.push(codec::writer(
                    cx,
                    checked,
                    &function,
                    &path,
                    kind.clone(),
                    plan,
                    &[name("Data")],
                    None,
                ));
                if info.wire.velocity {
                    let reader = format!("Read{}Input", info.key);
                    own.push(codec::value_reader(cx, &reader, &path, plan, kind));
                }
                function
            });
            own.blank();
            let settings = settings(cx, info, parts, synced, input);
            let declare = cx.runtime("EntityMirrors", "declare");
            info.keep(apply(declare, [Expr::Table(settings)]), own, &mut out);
            if info.wire.refers() {
                let follow = cx.runtime("EntityReferences", "follow");
                out.push(Stat::Call(apply(follow, [info.kind()])));
            }
            out.blank();
        }
        out.declare("EntityRemote", optional(ty("UnreliableRemoteEvent")));
        let mut body = Block::new();
        if traffic::counts_beside(cx) {
            body.call("ToldUnreliable", [call("buffer.len", [name("Packet")])]);
        }
        let fire = block(|b| {
            b.push(Stat::Call(method(name("EntityRemote"), "FireServer", [name("Packet")])));
        });
        body.when(name("EntityRemote"), fire);
        out.function("SendEntities", Function::new(vec![param("Packet", ty("buffer"))], body));
        out.blank();
        out
    }

    /// Members of the entity of that path.
    pub fn members(&self, cx: &mut Context, entity: &Entity) -> Vec<Entry> {
        let Some(info) = self.find(entity) else {
            return Vec::new();
        };
        let casing = cx.options.casing;
        let spelled = |pascal: &str| member(casing, pascal);
        let object = || ty(&info.object);
        let mut entries = Vec::new();
        let mut listeners = vec![("Mirror", object())];
        for (pascal, function) in [("Added", "onAdded"), ("Changed", "onChanged"), ("Removed", "onRemoved")] {
            if pascal == "Changed" {
                listeners.push(("Old", info.partial(cx.schema)));
            } else {
                listeners.truncate(1);
            }
            let on = cx.runtime("EntityMirrors", function);
            let body = block(|b| {
                b.ret([apply(on, [info.kind(), cast(name("Listener"), ty("any"))])]);
            });
            let listener = function_type(listeners.clone(), Vec::new());
            let on =
                Function::new(vec![param("Listener", listener)], body).returning(vec![disconnect_type()]);
            entries.push(Entry::Named(spelled(pascal), lambda(on)));
        }
        let lookup = cx.runtime("EntityMirrors", "lookup");
        let found = block(|b| _ = b.ret([apply(lookup, [info.kind(), name("Id")])]));
        let get = Function::new(vec![param("Id", ty("number"))], found).returning(vec![optional(object())]);
        entries.push(Entry::Named(spelled("Get"), lambda(get)));
        let all = cx.runtime("EntityMirrors", "all");
        let found = block(|b| _ = b.ret([apply(all, [info.kind()])]));
        let all = Function::new(Vec::new(), found).returning(vec![array(object())]);
        entries.push(Entry::Named(spelled("All"), lambda(all)));
        if let Some(input) = info.input_type(cx.schema) {
            let send = match self.is_predicted() && info.wire.velocity {
                true => cx.runtime("EntityPrediction", "send"),
                false => cx.runtime("EntityOutbox", "send"),
            };
            let body = block(|b| {
                b.ret([apply(send, [info.kind(), name("Input"), name("Mirror"), fixed_tick(cx)])]);
            });
            let params = vec![param("Input", input), param("Mirror", optional(object()))];
            let send = Function::new(params, body).returning(vec![ty("boolean")]);
            entries.push(Entry::Named(spelled("SendInput"), lambda(send)));
        }
        if info.wire.velocity && info.wire.input.is_some() {
            entries.extend(self.prediction(cx, info));
        }
        entries
    }

    fn prediction(&self, cx: &mut Context, info: &EntityInfo) -> Vec<Entry> {
        let casing = cx.options.casing;
        let state = || {
            LuauType::Table(vec![
                ("CFrame".into(), ty("CFrame")),
                ("Velocity".into(), ty("Vector3")),
                ("AngularVelocity".into(), ty("Vector3")),
                ("Data".into(), ty(&info.data)),
            ])
        };
        let input = info.input_type(cx.schema).unwrap_or_else(|| ty("any"));
        let step =
            function_type(vec![("State", state()), ("Input", input), ("Dt", ty("number"))], vec![state()]);
        let number = || optional(ty("number"));
        let settings = LuauType::Table(vec![
            ("Step".into(), step),
            ("Ring".into(), number()),
            ("Snap".into(), number()),
            ("Position".into(), number()),
            ("Velocity".into(), number()),
            ("Replay".into(), number()),
        ]);
        let predict = cx.runtime("EntityPrediction", "predict");
        let body = block(|b| {
            b.push(Stat::Call(apply(predict, [info.kind(), cast(name("Settings"), ty("any"))])));
        });
        let predict = Function::new(vec![param("Settings", settings)], body);
        let predicted = cx.runtime("EntityPrediction", "predicted");
        let body = block(|b| _ = b.ret([apply(predicted, [info.kind()])]));
        let predicted = Function::new(Vec::new(), body).returning(vec![optional(ty(&info.object))]);
        vec![
            Entry::Named(member(casing, "Predict"), lambda(predict)),
            Entry::Named(member(casing, "Predicted"), lambda(predicted)),
        ]
    }

    /// Members of the module itself.
    pub fn module_members(&self, cx: &mut Context) -> Vec<Entry> {
        if self.is_empty() {
            return Vec::new();
        }
        let casing = cx.options.casing;
        let rate = block(|b| _ = b.ret([num(20)]));
        vec![
            Entry::Named(
                member(casing, "HasRemoteAuthority"),
                cast(
                    cx.runtime("EntityMirrors", "hasRemoteAuthority"),
                    function_type(vec![("Object", ty("any"))], vec![ty("boolean")]),
                ),
            ),
            Entry::Named(
                member(casing, "GetReplicationRate"),
                lambda(Function::new(Vec::new(), rate).returning(vec![ty("number")])),
            ),
        ]
    }

    /// What a step does, in front of the other flushes.
    pub fn step(&self, cx: &mut Context, body: &mut Block) {
        if self.is_empty() {
            return;
        }
        let flush = cx.runtime("EntityOutbox", "flush");
        let limit = num(cx.options.max_unreliable_size);
        body.push(Stat::Call(apply(flush, [fixed_tick(cx), limit, name("SendEntities")])));
    }

    /// What connecting does, behind the other remotes; `beside` is the reliable one.
    pub fn connect(&self, cx: &mut Context, beside: &str, out: &mut Block) {
        if self.is_empty() {
            return;
        }
        let find = cx.runtime("SideRemotes", "findUnreliable");
        out.local("FoundEntities", apply(find, [name(beside), text(super::remote_name(cx))]));
        out.assign(name("EntityRemote"), name("FoundEntities"));
        let receive = cx.runtime("EntityMirrors", "receive");
        let failed = cx.runtime("ClientReports", "decodeFailed");
        let counted = traffic::packet(cx, Channel::Unreliable);
        let body = block(|b| {
            b.append(counted);
            let now = method(name("Workspace"), "GetServerTimeNow", []);
            b.local("Failure", apply(receive, [name("Packet"), now]));
            let report = block(|b| _ = b.push(Stat::Call(apply(failed, [Expr::Nil, name("Failure")]))));
            b.when(name("Failure"), report);
        });
        let handler =
            Function { params: vec![param("Packet", ty("buffer"))], varargs: None, returns: None, body };
        let signal = field(name("FoundEntities"), "OnClientEvent");
        out.push(Stat::Call(method(signal, "Connect", [lambda(handler)])));
        if self.is_drawn() {
            let mut body = Block::new();
            if self.is_predicted() {
                let step = cx.runtime("EntityPrediction", "step");
                body.push(Stat::Call(apply(step, [fixed_tick(cx)])));
            }
            let step = cx.runtime("EntityDrawing", "step");
            body.push(Stat::Call(apply(step, [name("Delta")])));
            let beat =
                Function { params: vec![param("Delta", ty("number"))], varargs: None, returns: None, body };
            out.push(Stat::Call(method(path("RunService.PreRender"), "Connect", [lambda(beat)])));
        }
        let watch = cx.runtime("EntityBinding", "watch");
        out.push(Stat::Call(apply(watch, [text(super::tag(cx))])));
    }
}

/// The fixed step of this moment.
fn fixed_tick(cx: &mut Context) -> Expr {
    apply(cx.runtime("SessionClock", "tick"), [])
}

/// What the runtime is told of an entity.
fn settings(
    cx: &mut Context,
    info: &EntityInfo,
    parts: Vec<Entry>,
    synced: Vec<Entry>,
    input: Option<String>,
) -> Vec<Entry> {
    let entity = info.entity;
    let casing = cx.options.casing;
    let mut entries = vec![
        Entry::Named("name".into(), text(entity.name.as_str())),
        Entry::Named("index".into(), num(entity.index)),
        Entry::Named("interval".into(), num(1.0 / entity.rate)),
        Entry::Named("maxDelay".into(), num(entity.max_delay)),
        Entry::Named("interpolates".into(), Expr::Bool(entity.interpolate)),
        Entry::Named("parts".into(), Expr::Table(parts)),
    ];
    entries.extend(info.bits());
    let extras = info.wire.extras.iter().map(|extra| {
        Entry::Item(match extra {
            Extra::Name => cx.runtime("EntityExtras", "readName"),
            Extra::Parent => cx.runtime("EntityExtras", "readParent"),
            Extra::Keyed => cx.runtime("EntityExtras", "readKeyed"),
        })
    });
    entries.push(Entry::Named("extras".into(), Expr::Table(extras.collect())));
    for pascal in ["Name", "Parent"] {
        let key = format!("{}Key", pascal.to_lowercase());
        entries.push(Entry::Named(key, text(member(casing, pascal))));
    }
    if info.wire.refers() {
        entries.push(Entry::Named("alike".into(), cx.runtime("EntityReferences", "alike")));
    }
    if info.has_transform() {
        entries.push(Entry::Named("onMoved".into(), cx.runtime("EntityDrawing", "moved")));
    }
    if !synced.is_empty() {
        entries.push(Entry::Named("onSynced".into(), cx.runtime("EntityDrawing", "synced")));
    }
    if info.wire.velocity && info.wire.input.is_some() {
        entries.push(Entry::Named("onOwn".into(), cx.runtime("EntityPrediction", "answer")));
        entries.push(Entry::Named("onRemoved".into(), cx.runtime("EntityPrediction", "removed")));
    }
    if input.is_some() && info.wire.velocity {
        entries.push(Entry::Named("readInput".into(), name(format!("Read{}Input", info.key))));
    }
    entries.extend(input.map(|function| Entry::Named("writeInput".into(), name(function))));
    entries.extend([
        Entry::Named("synced".into(), Expr::Table(synced)),
        Entry::Named("idKey".into(), text(member(casing, "Id"))),
        Entry::Named("dataKey".into(), text(member(casing, "Data"))),
        Entry::Named("instanceKey".into(), text(member(casing, "Instance"))),
        Entry::Named("methods".into(), Expr::Table(methods(cx, info))),
    ]);
    entries
}

/// A member of a mirror: its name, the function of the runtime, and its type.
type Method = (&'static str, (&'static str, &'static str), LuauType);

fn described(info: &EntityInfo) -> Vec<Method> {
    let object = info.object.as_str();
    let method = |params: Vec<(&str, LuauType)>, returns: Vec<LuauType>| method_type(object, params, returns);
    let boolean = || vec![ty("boolean")];
    let nothing = Vec::new;
    let mut all = vec![("Destroy", ("EntityMirrors", "destroy"), method(vec![], nothing()))];
    if info.entity.tags {
        let tag = vec![("Tag", ty("string"))];
        all.push(("HasTag", ("EntityExtras", "mirrorHasTag"), method(tag, boolean())));
    }
    if info.entity.attributes {
        let key = vec![("Name", ty("string"))];
        all.push(("GetAttribute", ("EntityExtras", "mirrorAttribute"), method(key, vec![ty("any")])));
    }
    if info.has_owner() {
        all.push(("IsOwner", ("EntityMirrors", "isOwner"), method(vec![], boolean())));
        let player = vec![optional(ty("Player"))];
        all.push(("GetOwner", ("EntityMirrors", "getOwner"), method(vec![], player)));
    }
    if info.has_transform() || !info.wire.synced.is_empty() {
        let params = vec![("Instance", optional(ty("Instance"))), ("Mover", optional(ty("string")))];
        all.push(("Bind", ("EntityDrawing", "bind"), method(params, nothing())));
    }
    if info.has_transform() {
        let at = || vec![("At", ty("CFrame"))];
        let enabled = vec![("Enabled", ty("boolean"))];
        all.extend([
            (
                "Sample",
                ("EntityDrawing", "sample"),
                method(vec![("Time", optional(ty("number")))], vec![ty("CFrame")]),
            ),
            ("SetInterpolation", ("EntityDrawing", "setInterpolation"), method(enabled, nothing())),
            ("IsInterpolated", ("EntityDrawing", "isInterpolated"), method(vec![], boolean())),
            ("SetTransform", ("EntityDrawing", "setTransform"), method(at(), nothing())),
            ("IsTransformReplicated", ("EntityDrawing", "isReplicated"), method(vec![], boolean())),
            ("IsActive", ("EntityDrawing", "isActive"), method(vec![], boolean())),
        ]);
    }
    if info.wire.velocity && info.wire.input.is_some() {
        all.push(("IsPredicted", ("EntityPrediction", "isPredicted"), method(vec![], boolean())));
    }
    if !info.wire.synced.is_empty() {
        let class = vec![("Class", ty("string"))];
        all.push(("IsSynced", ("EntityMirrors", "isSynced"), method(class, boolean())));
    }
    all
}

fn methods(cx: &mut Context, info: &EntityInfo) -> Vec<Entry> {
    let casing = cx.options.casing;
    let entry = |(pascal, (module, function), _): Method| {
        Entry::Named(member(casing, pascal), cx.runtime(module, function))
    };
    described(info).into_iter().map(entry).collect()
}

/// `export type Ship_Mirror = ..`
fn object_type(cx: &Context, info: &EntityInfo) -> Stat {
    let casing = cx.options.casing;
    let mut fields = vec![
        (member(casing, "Id"), ty("number")),
        (member(casing, "Data"), ty(&info.data)),
        (member(casing, "Instance"), optional(ty("Instance"))),
    ];
    if info.entity.named {
        fields.push((member(casing, "Name"), ty("string")));
    }
    if info.entity.parent {
        fields.push((member(casing, "Parent"), ty("any")));
    }
    fields.extend(described(info).into_iter().map(|(pascal, _, ty)| (member(casing, pascal), ty)));
    Stat::TypeAlias(Box::new(TypeAlias {
        export: true,
        name: info.object.clone(),
        generics: Vec::new(),
        ty: LuauType::Table(fields),
    }))
}
