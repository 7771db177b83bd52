//! Entities in the server module.

use std::ops::Deref;

use super::super::ast::*;
use super::super::context::Context;
use super::super::module::{disconnect_type, member};
use super::super::{traffic, types};
use super::{Entities, EntityInfo, codec, function_type, method_type};
use crate::schema::{Channel, Entity, Following, Options, Ownership, Relevance, Schema};
use crate::wire::Wire;
use crate::wire::entity::{Extra, PACKET_HEADER};

/// The entities of a server module.
pub struct Authority<'a>(Entities<'a>);

impl<'a> Deref for Authority<'a> {
    type Target = Entities<'a>;

    fn deref(&self) -> &Entities<'a> {
        &self.0
    }
}

impl<'a> Authority<'a> {
    /// Of a schema.
    pub fn new(schema: &'a Schema, wire: &'a Wire) -> Authority<'a> {
        Authority(Entities::new(schema, wire, "Entity"))
    }

    fn sees_from_a_point(&self) -> bool {
        self.any(|info| matches!(info.entity.relevance, Relevance::Radius(_)))
    }

    fn is_shown(&self) -> bool {
        self.any(|info| info.entity.relevance == Relevance::Manual)
    }

    fn clears(&self) -> bool {
        self.any(|info| info.entity.owner == Ownership::Cleared)
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
            let mut parts = Vec::new();
            let path = info.entity.path.join(".");
            for (place, part) in info.wire.parts.iter().enumerate() {
                let function = format!("Write{}Part{}", info.key, place + 1);
                let values: Vec<Expr> =
                    part.fields.iter().map(|key| field(name("Data"), key.as_str())).collect();
                let level = part.gone.is_some().then_some(codec::LEVEL + 1);
                own.push(codec::writer(
                    cx,
                    checked,
                    &function,
                    &path,
                    ty(&info.data),
                    &part.plan,
                    &values,
                    level,
                ));
                let mut entries = vec![Entry::Named("fields".into(), names(&part.fields))];
                match &part.gone {
                    None => entries.push(Entry::Named("write".into(), name(function))),
                    Some(gone) => {
                        let keys = format!("{function}Gone");
                        let value = [name("Data")];
                        own.push(codec::writer(
                            cx,
                            checked,
                            &keys,
                            &path,
                            array(ty("any")),
                            gone,
                            &value,
                            None,
                        ));
                        let writer = cx.runtime("EntityMaps", "writer");
                        entries.extend([
                            Entry::Named("write".into(), apply(writer, [cast(name(&function), ty("any"))])),
                            Entry::Named("writeSome".into(), name(function)),
                            Entry::Named("writeGone".into(), name(keys)),
                            Entry::Named("keep".into(), cx.runtime("EntityMaps", "keep")),
                            Entry::Named("since".into(), cx.runtime("EntityMaps", "since")),
                        ]);
                    }
                }
                parts.push(Expr::Table(entries));
            }
            own.blank();
            let synced = self.synced(cx, info, &mut own);
            let read_input = info.input_type(cx.schema).zip(info.wire.input.as_ref()).map(|(kind, plan)| {
                let function = format!("Read{}Input", info.key);
                own.push(codec::value_reader(cx, &function, &path, plan, kind));
                own.blank();
                function
            });
            let settings = settings(cx, info, parts, synced, read_input);
            let declare = cx.runtime("EntityStore", "declare");
            info.keep(apply(declare, [Expr::Table(settings)]), own, &mut out);
            out.blank();
        }
        out.declare("EntityRemote", ty("UnreliableRemoteEvent"));
        let mut body = Block::new();
        if traffic::counts_beside(cx) {
            let recipients = Expr::Table(vec![Entry::Item(name("Player"))]);
            body.call("ToldUnreliable", [recipients, call("buffer.len", [name("Packet")])]);
        }
        body.push(Stat::Call(method(name("EntityRemote"), "FireClient", [name("Player"), name("Packet")])));
        let params = vec![param("Player", ty("Player")), param("Packet", ty("buffer"))];
        out.function("SendEntities", Function::new(params, body));
        out.blank();
        out
    }

    fn synced(&self, cx: &mut Context, info: &EntityInfo, out: &mut Block) -> Vec<Expr> {
        let path = info.entity.path.join(".");
        let mut classes = Vec::new();
        let mut planned = info.wire.synced.iter();
        for class in &info.entity.sync {
            let mut properties = Vec::new();
            for (property, kind) in &class.properties {
                let Some((_, part)) = planned.next() else { break };
                let function = format!("Write{}{}{property}", info.key, class.class);
                let what = format!("{path}.{}.{property}", class.class);
                let kind = types::of_type(cx.schema, kind);
                // What an Instance has is of its property's type, and is read at every step.
                let own = cx.options;
                out.push(codec::writer(
                    cx,
                    own,
                    &function,
                    &what,
                    kind,
                    &part.plan,
                    &[name("Data")],
                    Some(0),
                ));
                properties.push(Expr::Table(vec![
                    Entry::Named("property".into(), text(property.as_str())),
                    Entry::Named("write".into(), name(function)),
                ]));
            }
            classes.push(Expr::Table(vec![
                Entry::Named("class".into(), text(class.class.as_str())),
                Entry::Named("properties".into(), list(properties)),
            ]));
        }
        if !classes.is_empty() {
            out.blank();
        }
        classes
    }

    /// Members of the entity of that path.
    pub fn members(&self, cx: &mut Context, entity: &Entity) -> Vec<Entry> {
        let Some(info) = self.find(entity) else {
            return Vec::new();
        };
        let casing = cx.options.casing;
        let spelled = |pascal: &str| member(casing, pascal);
        let object = || ty(&info.object);
        let mut spawned = vec![("Data", ty(&info.data))];
        if info.has_transform() {
            spawned.push(("At", optional(ty("CFrame"))));
        }
        let creator = apply(cx.runtime("EntityStore", "creator"), [info.kind()]);
        let mut entries =
            vec![Entry::Named(spelled("Spawn"), cast(creator, function_type(spawned, vec![object()])))];
        let lookup = cx.runtime("EntityStore", "lookup");
        let found = block(|b| _ = b.ret([apply(lookup, [info.kind(), name("Id")])]));
        let get = Function::new(vec![param("Id", ty("number"))], found).returning(vec![optional(object())]);
        entries.push(Entry::Named(spelled("Get"), lambda(get)));
        let all = cx.runtime("EntityStore", "all");
        let found = block(|b| _ = b.ret([apply(all, [info.kind()])]));
        let all = Function::new(Vec::new(), found).returning(vec![array(object())]);
        entries.push(Entry::Named(spelled("All"), lambda(all)));
        if matches!(info.entity.relevance, Relevance::Radius(_)) {
            let set = cx.runtime("EntityRelevance", "setPoint");
            let kind =
                function_type(vec![("Player", ty("Player")), ("Point", optional(ty("Vector3")))], Vec::new());
            entries.push(Entry::Named(spelled("SetPoint"), cast(set, kind)));
        }
        if let Some(input) = info.input_type(cx.schema) {
            let listener = function_type(
                vec![
                    (entity_parameter(&info.entity.name), object()),
                    ("Player", ty("Player")),
                    ("Tick", ty("number")),
                    ("Input", input),
                ],
                Vec::new(),
            );
            let on = cx.runtime("EntityInbox", "onInput");
            let body = block(|b| {
                b.ret([apply(on, [info.kind(), cast(name("Listener"), ty("any"))])]);
            });
            let on =
                Function::new(vec![param("Listener", listener)], body).returning(vec![disconnect_type()]);
            entries.push(Entry::Named(spelled("OnInput"), lambda(on)));
        }
        entries
    }

    /// Members of the module itself.
    pub fn module_members(&self, cx: &mut Context) -> Vec<Entry> {
        if self.is_empty() {
            return Vec::new();
        }
        let casing = cx.options.casing;
        vec![
            Entry::Named(
                member(casing, "HasRemoteAuthority"),
                cast(
                    cx.runtime("EntityStore", "hasRemoteAuthority"),
                    function_type(vec![("Object", ty("any"))], vec![ty("boolean")]),
                ),
            ),
            Entry::Named(member(casing, "SetReplicationRate"), cx.runtime("EntitySnapshots", "setRate")),
            Entry::Named(member(casing, "GetReplicationRate"), cx.runtime("EntitySnapshots", "getRate")),
        ]
    }

    /// What a step does, behind the streams. `Delta` is the time since the one before.
    pub fn step(&self, cx: &mut Context, body: &mut Block) {
        if self.is_empty() {
            return;
        }
        if self.any(|info| !info.wire.synced.is_empty()) {
            let read = cx.runtime("EntitySync", "read");
            body.push(Stat::Call(apply(read, [])));
        }
        let step = cx.runtime("EntitySnapshots", "step");
        let tick = cx.runtime("SessionClock", "tickAt");
        body.local("ServerTime", method(name("Workspace"), "GetServerTimeNow", []));
        let mut args = vec![
            name("Delta"),
            name("ServerTime"),
            apply(tick, [name("ServerTime")]),
            num(cx.options.max_unreliable_size),
            name("SendEntities"),
        ];
        if self.sees_from_a_point() {
            args.push(cx.runtime("EntityRelevance", "pointOf"));
        }
        body.push(Stat::Call(apply(step, args)));
    }

    /// What a start does, behind the other remotes; `beside` is the reliable one.
    pub fn start(&self, cx: &mut Context, beside: &str, body: &mut Block) {
        if self.is_empty() {
            return;
        }
        let make = cx.runtime("SideRemotes", "makeUnreliable");
        body.assign(name("EntityRemote"), apply(make, [name(beside), text(super::remote_name(cx))]));
        let admit = call("Gate.admit", [name("Player"), name("Packet"), Expr::Table(Vec::new())]);
        let receive = cx.runtime("EntityInbox", "receive");
        let tick = cx.runtime("SessionClock", "tick");
        let rate = num(cx.options.inbound_bytes_per_second);
        let counted = traffic::packet(cx, Channel::Unreliable);
        let read = block(|b| {
            b.append(counted);
            let present = apply(tick, []);
            b.push(Stat::Call(apply(receive, [name("Player"), name("Packet"), present, rate])));
        });
        let handler = Function {
            params: vec![param("Player", ty("Player")), param("Packet", ty("any"))],
            varargs: None,
            returns: None,
            body: block(|b| _ = b.when(admit, read)),
        };
        let signal = field(name("EntityRemote"), "OnServerEvent");
        body.push(Stat::Call(method(signal, "Connect", [lambda(handler)])));
    }

    /// Functions that forget a player who is leaving.
    pub fn drops(&self, cx: &mut Context) -> Vec<Expr> {
        let mut drops = Vec::new();
        if self.is_empty() {
            return drops;
        }
        drops.push(cx.runtime("EntitySnapshots", "drop"));
        if self.sees_from_a_point() || self.is_shown() {
            drops.push(cx.runtime("EntityRelevance", "drop"));
        }
        if self.clears() {
            drops.push(cx.runtime("EntityOwners", "drop"));
        }
        drops
    }
}

/// A name for the first parameter of a listener.
fn entity_parameter(entity: &str) -> &str {
    if matches!(entity, "Player" | "Tick" | "Input") || !crate::luau::is_name(entity) {
        "Entity"
    } else {
        entity
    }
}

fn names(fields: &[String]) -> Expr {
    list(fields.iter().map(|own| text(own.as_str())).collect())
}

fn list(items: Vec<Expr>) -> Expr {
    Expr::Table(items.into_iter().map(Entry::Item).collect())
}

/// Where the parts are that an entity has beside its fields, from 1; 0 for one it has not.
fn extra_places(info: &EntityInfo) -> Vec<Entry> {
    let place = |extra: Extra| {
        let found = info.wire.extras.iter().position(|one| *one == extra);
        found.map_or(num(0), |at| size((info.wire.parts.len() + at + 1) as u64))
    };
    vec![
        Entry::Named("namePlace".into(), place(Extra::Name)),
        Entry::Named("parentPlace".into(), place(Extra::Parent)),
        Entry::Named("keyedPlace".into(), place(Extra::Keyed)),
        Entry::Named("extras".into(), size(info.wire.extras.len() as u64)),
    ]
}

/// What the runtime is told of an entity.
fn settings(
    cx: &mut Context,
    info: &EntityInfo,
    parts: Vec<Expr>,
    synced: Vec<Expr>,
    read_input: Option<String>,
) -> Vec<Entry> {
    let entity = info.entity;
    let (least, _) = info.wire.packet_size();
    let smallest: u64 = info.wire.parts.iter().map(|part| part.plan.block.size.sealed().min).sum();
    let synced_least: u64 = info.wire.synced.iter().map(|(_, part)| part.plan.block.size.sealed().min).sum();
    let count = info.wire.bits() - info.wire.flags();
    let mut entries = vec![
        Entry::Named("name".into(), text(entity.name.as_str())),
        Entry::Named("index".into(), num(entity.index)),
        Entry::Named("interval".into(), num(1.0 / entity.rate)),
        Entry::Named("parts".into(), list(parts)),
        Entry::Named("count".into(), size(count as u64)),
    ];
    let maps = info.wire.parts.iter().enumerate().filter(|(_, part)| part.gone.is_some());
    let maps: Vec<Expr> = maps.map(|(place, _)| size(place as u64 + 1)).collect();
    if !maps.is_empty() {
        entries.push(Entry::Named("maps".into(), list(maps)));
    }
    entries.extend(info.bits());
    entries.extend(extra_places(info));
    let fixed = least.saturating_sub(smallest + synced_least).max(PACKET_HEADER);
    let radius = match entity.relevance {
        Relevance::Radius(studs) => studs,
        Relevance::All | Relevance::Manual => 0.0,
    };
    entries.extend([
        Entry::Named("fixed".into(), size(fixed)),
        Entry::Named("limit".into(), num(cx.options.max_unreliable_size)),
        Entry::Named("follows".into(), Expr::Bool(entity.transform == Following::Always)),
        Entry::Named("clears".into(), Expr::Bool(entity.owner == Ownership::Cleared)),
        Entry::Named("radius".into(), num(radius)),
    ]);
    let relevant = match entity.relevance {
        Relevance::All => None,
        Relevance::Radius(_) => Some(cx.runtime("EntityRelevance", "byRadius")),
        Relevance::Manual => Some(cx.runtime("EntityRelevance", "byHand")),
    };
    entries.extend(relevant.map(|function| Entry::Named("isRelevant".into(), function)));
    entries.extend(read_input.map(|function| Entry::Named("readInput".into(), name(function))));
    entries.extend([
        Entry::Named("synced".into(), list(synced)),
        Entry::Named("syncs".into(), Expr::Bool(entity.sync_manual)),
        Entry::Named("idKey".into(), text(member(cx.options.casing, "Id"))),
        Entry::Named("tag".into(), text(super::tag(cx))),
        Entry::Named("methods".into(), Expr::Table(methods(cx, info))),
    ]);
    entries
}

/// A member of what stands for an entity: its name, the function of the runtime, and its type.
type Method = (&'static str, (&'static str, &'static str), LuauType);

fn described(cx: &Context, info: &EntityInfo) -> Vec<Method> {
    let object = info.object.as_str();
    let method = |params: Vec<(&str, LuauType)>, returns: Vec<LuauType>| method_type(object, params, returns);
    let nothing = Vec::new;
    let mut all = vec![
        ("Patch", ("EntityStore", "patch"), method(vec![("Partial", info.partial(cx.schema))], nothing())),
        ("Set", ("EntityStore", "set"), method(vec![("Data", ty(&info.data))], nothing())),
        ("Get", ("EntityStore", "get"), method(vec![], vec![ty(&info.data)])),
        ("Destroy", ("EntityStore", "destroy"), method(vec![], nothing())),
        ("Bind", ("EntityBinding", "bind"), method(vec![("Instance", optional(ty("Instance")))], nothing())),
    ];
    if info.entity.named {
        all.push(("SetName", ("EntityExtras", "setName"), method(vec![("Name", ty("string"))], nothing())));
        all.push(("GetName", ("EntityExtras", "getName"), method(vec![], vec![ty("string")])));
    }
    if info.entity.parent {
        // An entity of any kind may be the parent.
        let parent = vec![("Parent", optional(ty("any")))];
        all.push(("SetParent", ("EntityExtras", "setParent"), method(parent, nothing())));
        all.push(("GetParent", ("EntityExtras", "getParent"), method(vec![], vec![ty("any")])));
    }
    if info.entity.tags {
        let tag = || vec![("Tag", ty("string"))];
        all.push(("AddTag", ("EntityExtras", "addTag"), method(tag(), nothing())));
        all.push(("RemoveTag", ("EntityExtras", "removeTag"), method(tag(), nothing())));
        all.push(("HasTag", ("EntityExtras", "hasTag"), method(tag(), vec![ty("boolean")])));
    }
    if info.entity.attributes {
        let key = || ("Name", ty("string"));
        let set = method(vec![key(), ("Value", ty("any"))], nothing());
        all.push(("SetAttribute", ("EntityExtras", "setAttribute"), set));
        all.push(("GetAttribute", ("EntityExtras", "getAttribute"), method(vec![key()], vec![ty("any")])));
    }
    if info.has_owner() {
        let player = || optional(ty("Player"));
        all.extend([
            ("SetOwner", ("EntityOwners", "setOwner"), method(vec![("Player", player())], nothing())),
            ("GetOwner", ("EntityOwners", "getOwner"), method(vec![], vec![player()])),
            ("IsOwner", ("EntityOwners", "isOwner"), method(vec![], vec![ty("boolean")])),
        ]);
    }
    if info.has_transform() {
        let frame = || ty("CFrame");
        let flag = |name| vec![(name, ty("boolean"))];
        all.extend([
            ("SetTransform", ("EntityTransforms", "setTransform"), method(vec![("At", frame())], nothing())),
            ("GetTransform", ("EntityTransforms", "getTransform"), method(vec![], vec![frame()])),
            (
                "Teleport",
                ("EntityTransforms", "teleport"),
                method(vec![("At", optional(frame()))], nothing()),
            ),
            (
                "SetTransformReplication",
                ("EntityTransforms", "setReplication"),
                method(flag("Enabled"), nothing()),
            ),
            (
                "IsTransformReplicated",
                ("EntityTransforms", "isReplicated"),
                method(vec![], vec![ty("boolean")]),
            ),
            ("SetActive", ("EntityTransforms", "setActive"), method(flag("Active"), nothing())),
            ("IsActive", ("EntityTransforms", "isActive"), method(vec![], vec![ty("boolean")])),
        ]);
    }
    if info.wire.velocity {
        let params = vec![("Linear", ty("Vector3")), ("Angular", optional(ty("Vector3")))];
        all.push(("SetVelocity", ("EntityOwners", "setVelocity"), method(params, nothing())));
    }
    if info.entity.relevance == Relevance::Manual {
        let player = || vec![("Player", ty("Player"))];
        all.push(("ShowTo", ("EntityRelevance", "showTo"), method(player(), nothing())));
        all.push(("HideFrom", ("EntityRelevance", "hideFrom"), method(player(), nothing())));
    }
    if !info.wire.synced.is_empty() {
        let class = || ("Class", ty("string"));
        let set = method(vec![class(), ("Enabled", ty("boolean"))], nothing());
        all.push(("SetSync", ("EntitySync", "set"), set));
        all.push(("IsSynced", ("EntitySync", "isOn"), method(vec![class()], vec![ty("boolean")])));
    }
    all
}

fn methods(cx: &mut Context, info: &EntityInfo) -> Vec<Entry> {
    let casing = cx.options.casing;
    let all = described(cx, info);
    let entry = |(pascal, (module, function), _): Method| {
        Entry::Named(member(casing, pascal), cx.runtime(module, function))
    };
    all.into_iter().map(entry).collect()
}

/// `export type Ship_Entity = ..`
fn object_type(cx: &Context, info: &EntityInfo) -> Stat {
    let casing = cx.options.casing;
    let mut fields = vec![(member(casing, "Id"), ty("number"))];
    fields.extend(described(cx, info).into_iter().map(|(pascal, _, ty)| (member(casing, pascal), ty)));
    Stat::TypeAlias(Box::new(TypeAlias {
        export: true,
        name: info.object.clone(),
        generics: Vec::new(),
        ty: LuauType::Table(fields),
    }))
}
