//! A schema compiled and loaded: its exported types and events as functions from values to bytes and back.

use blinkblox_compiler::schema::{Channel, Profile, Side};
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::{Encoded, Value};
use blinkblox_compiler::wire::plan::{Header, HeaderKind, Plan, Shape};
use mlua::{Function, Lua, MultiValue, Table, Value as LuaValue, Vector};

use crate::convert::{Converter, from_arguments, from_luau};

/// The modules of a schema, each on a side of its own.
pub struct Modules {
    with: Converter,
    server: Loaded,
    client: Loaded,
    types: Option<Table>,
    exports: Vec<(String, Plan)>,
    pub wire: Wire,
}

#[derive(Clone)]
struct Loaded {
    module: Table,
    driver: Table,
}

/// An exported type, or an event seen from its sender and its receiver.
pub struct Item {
    pub name: String,
    pub plan: Plan,
    with: Converter,
    way: Way,
}

enum Way {
    Export(Table),
    Event { header: Header, reliable: bool, from: Side, sender: Loaded, receiver: Loaded },
}

impl Modules {
    /// Compiles and loads a schema. `None` when it has an error and all of its errors are among `allowed`; any other
    /// error fails the test.
    pub fn of(text: &str, allowed: &[&str]) -> Option<Modules> {
        let loader = MemoryLoader::new().with("net.blink", text);
        let compilation = blinkblox_compiler::compile(&loader, "net.blink", Profile::Release);
        let errors: Vec<_> = compilation.analysis.diagnostics.iter().filter(|one| one.is_error()).collect();
        if !errors.is_empty() {
            let unexpected = errors.iter().find(|error| !allowed.contains(&error.code.name()));
            assert!(unexpected.is_none(), "{unexpected:?}\n{text}");
            return None;
        }
        let schema = compilation.analysis.schema.unwrap();
        let outputs = compilation.outputs.unwrap();
        let wire = Wire::of(&schema);
        let lua = Lua::new();
        install_vectors(&lua);
        let host: Function = lua.load(include_str!("host.luau")).set_name("=host").eval().unwrap();
        let load = |side: &str, text: &str| {
            let driver: Table = host.call((side, wire.signature.as_str())).unwrap();
            let globals: Table = driver.get("globals").unwrap();
            let chunk = lua.load(text).set_name(format!("={side}")).set_environment(globals);
            let module: Table = chunk.eval().unwrap_or_else(|error| panic!("{error}\n{text}"));
            Loaded { module, driver }
        };
        let server = load("server", &outputs.server);
        let client = load("client", &outputs.client);
        let types = outputs.types.as_deref().map(|text| load("types", text).module);
        let exports = wire
            .exports
            .iter()
            .map(|export| (schema.types[export.decl.0 as usize].name.clone(), export.plan.clone()))
            .collect();
        let with = Converter {
            lua,
            part: server.driver.get("part").unwrap(),
            describe: server.driver.get("describe").unwrap(),
        };
        Some(Modules { with, server, client, types, exports, wire })
    }

    /// An exported type, through the types module.
    pub fn export(&self, name: &str) -> Item {
        let (_, plan) = self.exports.iter().find(|(own, _)| own == name).unwrap();
        let way = Way::Export(self.types.as_ref().unwrap().get(name).unwrap());
        Item { name: name.to_owned(), plan: plan.clone(), with: self.with.clone(), way }
    }

    /// An event of that side.
    pub fn event(&self, from: Side, name: &str) -> Item {
        let event = self.wire.event(&[name]).unwrap();
        assert_eq!(event.from, from);
        let (sender, receiver) = match from {
            Side::Server => (self.server.clone(), self.client.clone()),
            Side::Client => (self.client.clone(), self.server.clone()),
        };
        let reliable = event.channel == Channel::Reliable;
        let way = Way::Event { header: event.item.header, reliable, from, sender, receiver };
        Item { name: name.to_owned(), plan: event.item.payload.clone(), with: self.with.clone(), way }
    }
}

impl Modules {
    /// What a stream's module sends for a state, `Nil` to clear it, as a whole packet.
    pub fn stream(&self, name: &str, now: f64, state: &Value) -> Encoded {
        self.server.driver.set("now", now).unwrap();
        let stream: Table = self.server.module.get(name).unwrap();
        match state {
            Value::Nil => stream.get::<Function>("Clear").unwrap().call::<()>(()).unwrap(),
            state => {
                stream.get::<Function>("Set").unwrap().call::<()>(self.with.to_luau(state)).unwrap();
            }
        }
        self.server.step();
        self.server.take_sent(&self.with, false)
    }

    /// What a stream's listener hears of a packet: the state, and the server's time in seconds.
    pub fn hear_stream(&self, name: &str, now: f64, packet: &Encoded) -> Result<(Value, f64), String> {
        self.client.driver.set("now", now).unwrap();
        let heard = self.client.receive(&self.with, name, Side::Server, false, packet)?;
        let plan = &self.wire.event(&[name]).unwrap().item.payload;
        let Shape::Pack(members) = &plan.block.body.shape else { unreachable!() };
        let state = from_luau(&self.with, &members[0].node, heard.first().unwrap_or(&LuaValue::Nil));
        Ok((state, heard.get(1).and_then(LuaValue::as_f64).unwrap_or(f64::NAN)))
    }
}

/// `Vector3` has `Magnitude` and friends, which a bare VM's vectors lack.
fn install_vectors(lua: &Lua) {
    let metatable: Table = lua
        .load(
            "return { __index = function(self, key)
                if key == 'Magnitude' then return vector.magnitude(self) end
                error(`a vector has no {key}`)
            end }",
        )
        .eval()
        .unwrap();
    lua.set_type_metatable::<Vector>(Some(metatable));
}

impl Item {
    /// Payload bytes and slots the module makes of a value, or what it throws.
    pub fn send(&self, value: &Value) -> Result<Encoded, String> {
        match &self.way {
            Way::Export(table) => {
                let write: Function = table.get("Write").unwrap();
                let value = self.with.to_luau(value);
                let buffer: mlua::Buffer = write.call(value).map_err(|error| error.to_string())?;
                Ok(Encoded { bytes: buffer.to_vec(), slots: Vec::new() })
            }
            Way::Event { header, reliable, from, sender, .. } => {
                let Shape::Pack(members) = &self.plan.block.body.shape else { unreachable!() };
                let arguments: MultiValue =
                    members.iter().map(|member| self.with.to_luau(value.field(&member.name))).collect();
                let event: Table = sender.module.get(self.name.as_str()).unwrap();
                let fire = if *from == Side::Server { "FireAll" } else { "Fire" };
                let fire: Function = event.get(fire).unwrap();
                fire.call::<()>(arguments).map_err(|error| error.to_string())?;
                sender.step();
                let mut sent = sender.take_sent(&self.with, *reliable);
                assert_eq!(sent.bytes.first(), Some(&header.index));
                sent.bytes.drain(..header.size() as usize);
                Ok(sent)
            }
        }
    }

    /// The value the module makes of payload bytes, or why it refuses them.
    pub fn receive(&self, bytes: &[u8], slots: &[Value]) -> Result<Value, String> {
        match &self.way {
            Way::Export(table) => {
                let read: Function = table.get("Read").unwrap();
                let buffer = self.with.lua.create_buffer(bytes).unwrap();
                let value: LuaValue = read.call(buffer).map_err(|error| error.to_string())?;
                Ok(from_luau(&self.with, &self.plan.block.body, &value))
            }
            Way::Event { header, reliable, from, receiver, .. } => {
                let mut packet = vec![header.index];
                if matches!(header.kind, HeaderKind::Ordered | HeaderKind::Numbered) {
                    packet.extend([1, 0]);
                }
                packet.extend(bytes);
                // Reports are held back for a while after each; time passes between packets.
                let now: f64 = receiver.driver.get("now").unwrap();
                receiver.driver.set("now", now + 100.0).unwrap();
                let packet = Encoded { bytes: packet, slots: slots.to_vec() };
                let arguments = receiver.receive(&self.with, &self.name, *from, *reliable, &packet)?;
                let Shape::Pack(members) = &self.plan.block.body.shape else { unreachable!() };
                Ok(from_arguments(&self.with, members, &arguments))
            }
        }
    }
}

impl Loaded {
    fn step(&self) {
        let step: Function = self.module.get("StepReplication").unwrap();
        step.call::<()>(()).unwrap();
    }

    /// The one packet sent since the last look.
    fn take_sent(&self, with: &Converter, reliable: bool) -> Encoded {
        let sent: Table = self.driver.get("sent").unwrap();
        assert_eq!(sent.raw_len(), 1, "one packet a send");
        let packet: Table = sent.get(1).unwrap();
        assert_eq!(packet.get::<bool>("reliable").unwrap(), reliable);
        let arguments: Table = packet.get("arguments").unwrap();
        let bytes = arguments.get::<mlua::Buffer>(1).unwrap().to_vec();
        let slots: Table = arguments.get(2).unwrap();
        let slot = |index| with.slot(&slots.raw_get(index).unwrap());
        let slots = (1..=slots.raw_len()).map(slot).collect();
        sent.clear().unwrap();
        Encoded { bytes, slots }
    }

    /// Delivers a packet and gives what the event's listener was called with first, or why it was not.
    fn receive(
        &self,
        with: &Converter,
        name: &str,
        from: Side,
        reliable: bool,
        packet: &Encoded,
    ) -> Result<Vec<LuaValue>, String> {
        let lua = &with.lua;
        let heard = lua.create_table().unwrap();
        let event: Table = self.module.get(name).unwrap();
        let on: Function = event.get("On").unwrap();
        let listener = packing_listener(lua, &heard);
        let disconnect: Function = on.call(listener).unwrap();
        // A corrupt packet may have ended in bytes that read as this event: it waited for a listener.
        heard.clear().unwrap();
        let failures = lua.create_table().unwrap();
        let record = failures.clone();
        let handler = lua
            .create_function(move |_, arguments: MultiValue| {
                record.raw_push(arguments.back().cloned().unwrap_or(LuaValue::Nil))
            })
            .unwrap();
        let set_handler: Function = self.module.get("SetDecodeErrorHandler").unwrap();
        set_handler.call::<()>(handler).unwrap();
        let deliver: Function = self.driver.get("deliver").unwrap();
        let buffer = lua.create_buffer(&packet.bytes).unwrap();
        deliver.call::<()>((reliable, buffer, with.slots(&packet.slots))).unwrap();
        disconnect.call::<()>(()).unwrap();
        let first: LuaValue = heard.raw_get(1).unwrap();
        if let LuaValue::Table(first) = first {
            let count: usize = first.raw_get("n").unwrap();
            // A server's listener gets the player in front.
            let skipped = usize::from(from == Side::Client);
            return Ok((1 + skipped..=count).map(|index| first.raw_get(index).unwrap()).collect());
        }
        let failure: Option<String> = failures.raw_get(1).unwrap();
        let warnings: Vec<String> = self.driver.get("warnings").unwrap();
        Err(failure.unwrap_or_else(|| {
            let raised: Vec<String> = self.driver.get("raised").unwrap();
            panic!("neither heard nor reported: {warnings:?} {raised:?}, {packet:?}")
        }))
    }
}

/// A listener that packs its arguments, nils included, into `heard`.
fn packing_listener(lua: &Lua, heard: &Table) -> Function {
    let make: Function = lua
        .load("local heard = ... return function(...) table.insert(heard, table.pack(...)) end")
        .into_function()
        .unwrap();
    make.call(heard.clone()).unwrap()
}
