//! Entities in declarations: what stands for one, and the members each has.

use super::ast::{
    Member, Param, Property, Statement, Type, function, or_undefined, param, procedure, readonly, ty,
};
use super::members::Members;
use super::names::Place;
use crate::emit::luau::module::member;
use crate::schema::{Entity, Following, Ownership, Relevance};

fn left_out(mut one: Param) -> Param {
    one.optional = true;
    one
}

impl Members<'_> {
    pub(super) fn spelled(&self, pascal: &str) -> String {
        member(self.types.schema.options.casing, pascal)
    }

    /// The interface that stands for an entity on this side.
    fn object_name(&self, entity: &Entity) -> String {
        self.types.object_name(entity, self.side)
    }

    fn object(&self, entity: &Entity, place: &Place) -> Type {
        ty(self.types.names.global(&self.object_name(entity), place))
    }

    fn data(&self, entity: &Entity) -> Type {
        self.types.of(&entity.data, &Place::default())
    }

    fn partial(&self, entity: &Entity) -> Type {
        Type::Name("Partial".into(), vec![self.data(entity)])
    }

    /// Interfaces of every entity.
    pub fn entity_interfaces(&self) -> Vec<Statement> {
        let found = self.types.schema.entities();
        let interface = |entity: &&Entity| Statement::Interface {
            doc: None,
            name: self.object_name(entity),
            param: None,
            members: if self.is_server() { self.authority(entity) } else { self.mirror(entity) },
        };
        found.iter().map(interface).collect()
    }

    fn authority(&self, entity: &Entity) -> Vec<Member> {
        let place = &Place::default();
        let global = |name: &str| self.types.global(name, place);
        let at = || param("At", global("CFrame"));
        let flag = |name: &str| vec![param(name, ty("boolean"))];
        let method = |pascal: &str, params: Vec<Param>, result: Type| {
            Member::Method(self.spelled(pascal), params, result)
        };
        let nothing = || ty("void");
        let mut all = vec![
            Member::Field(self.spelled("Id"), ty("number")),
            method("Patch", vec![param("Partial", self.partial(entity))], nothing()),
            method("Set", vec![param("Data", self.data(entity))], nothing()),
            method("Get", vec![], self.data(entity)),
            method("Destroy", vec![], nothing()),
            method("Bind", vec![left_out(param("Instance", global("Instance")))], nothing()),
        ];
        if entity.named {
            all.push(method("SetName", vec![param("Name", ty("string"))], nothing()));
            all.push(method("GetName", vec![], ty("string")));
        }
        if entity.parent {
            all.push(method("SetParent", vec![left_out(param("Parent", ty("object")))], nothing()));
            all.push(method("GetParent", vec![], or_undefined(ty("object"))));
        }
        if entity.tags {
            let tag = || vec![param("Tag", ty("string"))];
            all.push(method("AddTag", tag(), nothing()));
            all.push(method("RemoveTag", tag(), nothing()));
            all.push(method("HasTag", tag(), ty("boolean")));
        }
        if entity.attributes {
            let name = || param("Name", ty("string"));
            all.push(method(
                "SetAttribute",
                vec![name(), left_out(param("Value", ty("unknown")))],
                nothing(),
            ));
            all.push(method("GetAttribute", vec![name()], ty("unknown")));
        }
        if entity.owner != Ownership::Never {
            all.push(method("SetOwner", vec![left_out(param("Player", global("Player")))], nothing()));
            all.push(method("GetOwner", vec![], or_undefined(global("Player"))));
            all.push(method("IsOwner", vec![], ty("boolean")));
        }
        if entity.transform != Following::Never {
            all.push(method("SetTransform", vec![at()], nothing()));
            all.push(method("GetTransform", vec![], global("CFrame")));
            all.push(method("Teleport", vec![left_out(at())], nothing()));
            all.push(method("SetTransformReplication", flag("Enabled"), nothing()));
            all.push(method("IsTransformReplicated", vec![], ty("boolean")));
            all.push(method("SetActive", flag("Active"), nothing()));
            all.push(method("IsActive", vec![], ty("boolean")));
        }
        if entity.velocity {
            let vector = |name: &str| param(name, global("Vector3"));
            all.push(method("SetVelocity", vec![vector("Linear"), left_out(vector("Angular"))], nothing()));
        }
        if entity.relevance == Relevance::Manual {
            let player = || vec![param("Player", global("Player"))];
            all.push(method("ShowTo", player(), nothing()));
            all.push(method("HideFrom", player(), nothing()));
        }
        if !entity.sync.is_empty() {
            let class = || param("Class", ty("string"));
            all.push(method("SetSync", vec![class(), param("Enabled", ty("boolean"))], nothing()));
            all.push(method("IsSynced", vec![class()], ty("boolean")));
        }
        all
    }

    fn mirror(&self, entity: &Entity) -> Vec<Member> {
        let place = &Place::default();
        let global = |name: &str| self.types.global(name, place);
        let method = |pascal: &str, params: Vec<Param>, result: Type| {
            Member::Method(self.spelled(pascal), params, result)
        };
        let nothing = || ty("void");
        let boolean = || ty("boolean");
        let mut all = vec![
            Member::Field(self.spelled("Id"), ty("number")),
            Member::Field(self.spelled("Data"), Type::Name("Readonly".into(), vec![self.data(entity)])),
            Member::Field(self.spelled("Instance"), or_undefined(global("Instance"))),
            method("Destroy", vec![], nothing()),
        ];
        if entity.named {
            all.push(Member::Field(self.spelled("Name"), ty("string")));
        }
        if entity.parent {
            all.push(Member::Field(self.spelled("Parent"), or_undefined(ty("object"))));
        }
        if entity.tags {
            all.push(method("HasTag", vec![param("Tag", ty("string"))], boolean()));
        }
        if entity.attributes {
            all.push(method("GetAttribute", vec![param("Name", ty("string"))], ty("unknown")));
        }
        if entity.owner != Ownership::Never {
            all.push(method("IsOwner", vec![], boolean()));
            all.push(method("GetOwner", vec![], or_undefined(global("Player"))));
        }
        let moves = entity.transform != Following::Never;
        if moves || !entity.sync.is_empty() {
            let mover = left_out(param("Mover", Type::Text("Velocity".into())));
            all.push(method("Bind", vec![left_out(param("Instance", global("Instance"))), mover], nothing()));
        }
        if moves {
            let time = left_out(param("Time", ty("number")));
            all.push(method("Sample", vec![time], global("CFrame")));
            all.push(method("SetInterpolation", vec![param("Enabled", boolean())], nothing()));
            all.push(method("IsInterpolated", vec![], boolean()));
            all.push(method("SetTransform", vec![param("At", global("CFrame"))], nothing()));
            all.push(method("IsTransformReplicated", vec![], boolean()));
            all.push(method("IsActive", vec![], boolean()));
        }
        if entity.velocity && entity.input.is_some() {
            all.push(method("IsPredicted", vec![], boolean()));
        }
        if !entity.sync.is_empty() {
            all.push(method("IsSynced", vec![param("Class", ty("string"))], boolean()));
        }
        all
    }

    /// Members of the module itself that entities bring in.
    pub fn entity_module(&self) -> Vec<(&'static str, Type)> {
        let found = self.types.schema.entities();
        if found.is_empty() {
            return Vec::new();
        }
        let object = or_undefined(ty("object"));
        let mut all =
            vec![("HasRemoteAuthority", function(vec![left_out(param("Object", object))], ty("boolean")))];
        if self.is_server() {
            all.push(("SetReplicationRate", function(vec![param("Fps", ty("number"))], ty("number"))));
        }
        all.push(("GetReplicationRate", function(Vec::new(), ty("number"))));
        all
    }

    /// The table of an entity.
    pub fn entity(&self, entity: &Entity, place: &Place) -> Type {
        let global = |name: &str| self.types.global(name, place);
        let object = || self.object(entity, place);
        let word = |pascal: &str| self.spelled(pascal);
        let list = || Type::Array(Box::new(object()));
        let disconnect = || procedure(Vec::new());
        let listen = |params: Vec<Param>| function(vec![param("Listener", procedure(params))], disconnect());
        let get = readonly(word("Get"), function(vec![param("Id", ty("number"))], or_undefined(object())));
        let all = readonly(word("All"), function(Vec::new(), list()));
        let input = entity.input.as_ref().map(|input| self.types.of(input, place));
        let data = self.types.of(&entity.data, place);
        let mut members: Vec<Property> = Vec::new();
        if self.is_server() {
            let mut spawned = vec![param("Data", data)];
            if entity.transform != Following::Never {
                spawned.push(left_out(param("At", global("CFrame"))));
            }
            members.extend([readonly(word("Spawn"), function(spawned, object())), get, all]);
            if matches!(entity.relevance, Relevance::Radius(_)) {
                let params =
                    vec![param("Player", global("Player")), left_out(param("Point", global("Vector3")))];
                members.push(readonly(word("SetPoint"), procedure(params)));
            }
            members.extend(input.map(|input| {
                readonly(
                    word("OnInput"),
                    listen(vec![
                        param("Entity", object()),
                        param("Player", global("Player")),
                        param("Tick", ty("number")),
                        param("Input", input),
                    ]),
                )
            }));
            return Type::OpenObject(members);
        }
        let mirror = || param("Mirror", object());
        let old = param("Old", Type::Name("Partial".into(), vec![data.clone()]));
        members.extend([
            readonly(word("Added"), listen(vec![mirror()])),
            readonly(word("Changed"), listen(vec![mirror(), old])),
            readonly(word("Removed"), listen(vec![mirror()])),
            get,
            all,
        ]);
        if let Some(input) = input {
            let params = vec![param("Input", input.clone()), left_out(mirror())];
            members.push(readonly(word("SendInput"), function(params, ty("boolean"))));
            if entity.velocity {
                let field = |name: &str, ty: Type| Property { readonly: false, ..readonly(name, ty) };
                let state = || {
                    Type::Object(vec![
                        field("CFrame", global("CFrame")),
                        field("Velocity", global("Vector3")),
                        field("AngularVelocity", global("Vector3")),
                        field("Data", data.clone()),
                    ])
                };
                let step = function(
                    vec![param("State", state()), param("Input", input), param("Dt", ty("number"))],
                    state(),
                );
                let number =
                    |name: &str| Property { optional: true, readonly: false, ..readonly(name, ty("number")) };
                let mut settings = vec![field("Step", step)];
                settings.extend(["Ring", "Snap", "Position", "Velocity", "Replay"].map(number));
                let settings = param("Settings", Type::Object(settings));
                members.push(readonly(word("Predict"), procedure(vec![settings])));
                members.push(readonly(word("Predicted"), function(Vec::new(), or_undefined(object()))));
            }
        }
        Type::OpenObject(members)
    }
}
