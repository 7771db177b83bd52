//! The one table of what scripts can use of instances, apart from properties: methods, events and callbacks.
//!
//! A class's members are declared in the file of its behaviour, one line each, and gathered in `TABLES`. To add
//! some: write `pub const MEMBERS: &[Member] = &[method("Foo", "Bar", bar), ...]` in a file and name it there.
//! Properties come from the class database; a [`property`] line computes one instead.
//! [`of`] joins all that to one table a class, keyed by atom, made at first use.

use std::rc::Rc;

mod unlisted;

use std::sync::{LazyLock, OnceLock};

use super::classes::{self, Access, ClassId, PropertyId};
use crate::peer::Peer;
use crate::value::{InstanceId, SignalKey, Value};
use crate::vm::{Atom, AtomMap, Handle, Method, NativeFn, Outcome};

/// A member of a class: one line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The class that has it; what extends that class has it too.
    pub class: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Where it may be used.
    pub side: SideRule,
    /// Whether a call may yield: such a method cannot be called in a metamethod or a comparator.
    pub yields: bool,
}

/// What a member is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `x:Name(...)`
    Method(Method),
    /// `x.Name:Connect(...)`
    Event,
    /// `x.Name = function`
    Callback,
    /// A property with a value that is computed, and perhaps a setter of its own.
    Property(GetFn, Option<SetFn>),
}

/// Computes a property.
pub type GetFn = fn(&Rc<Peer>, InstanceId) -> Result<Value, String>;
/// Takes a property's new value, unchecked. Errors: the text.
pub type SetFn = fn(&Rc<Peer>, InstanceId, Value) -> Result<(), String>;

/// Where a member may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideRule {
    /// Everywhere.
    Any,
    /// On the server.
    Server,
    /// On clients.
    Client,
}

/// A function that a script assigned to a callback.
#[derive(Clone, Debug)]
pub struct Callback {
    /// The function.
    pub function: Handle,
    /// The script run that assigned it, for its threads.
    pub owner: u32,
}

const fn member(class: &'static str, name: &'static str, kind: Kind) -> Member {
    Member { class, name, kind, side: SideRule::Any, yields: false }
}

/// A method. `call` has the instance at index 0.
pub const fn method(class: &'static str, name: &'static str, call: NativeFn) -> Member {
    member(class, name, Kind::Method(Method { name, call }))
}

/// An event.
pub const fn event(class: &'static str, name: &'static str) -> Member {
    member(class, name, Kind::Event)
}

/// A callback: a function that scripts assign and the engine calls.
pub const fn callback(class: &'static str, name: &'static str) -> Member {
    member(class, name, Kind::Callback)
}

/// A computed property that scripts only read, or that they set as the database says.
pub const fn property(class: &'static str, name: &'static str, get: GetFn) -> Member {
    member(class, name, Kind::Property(get, None))
}

/// A computed property with a setter.
pub const fn settable(class: &'static str, name: &'static str, get: GetFn, set: SetFn) -> Member {
    member(class, name, Kind::Property(get, Some(set)))
}

impl Member {
    /// The same, for the server only.
    pub const fn on_server(mut self) -> Member {
        self.side = SideRule::Server;
        self
    }

    /// The same, for clients only.
    pub const fn on_client(mut self) -> Member {
        self.side = SideRule::Client;
        self
    }

    /// The same, as one that may yield.
    pub const fn yields(mut self) -> Member {
        self.yields = true;
        self
    }

    /// Whether it may be used on this side.
    ///
    /// Errors: the engine's text. Source: Roblox behaviour, 5.1.
    pub fn check_side(&self, is_server: bool) -> Result<(), String> {
        let place = match self.side {
            SideRule::Server if !is_server => "server",
            SideRule::Client if is_server => "client",
            SideRule::Any | SideRule::Server | SideRule::Client => return Ok(()),
        };
        let name = self.name;
        Err(match self.kind {
            Kind::Method(_) => format!("{name} can only be called from the {place}"),
            Kind::Event | Kind::Callback | Kind::Property(..) => {
                format!("{name} can only be used on the {place}")
            }
        })
    }
}

/// Every file that declares members.
const TABLES: &[&[Member]] = &[
    super::instance::MEMBERS,
    crate::services::bindables::MEMBERS,
    crate::services::characters::MEMBERS,
    crate::services::collection_service::MEMBERS,
    crate::services::data_model::MEMBERS,
    crate::services::debris::MEMBERS,
    crate::services::http_service::MEMBERS,
    crate::services::humanoid::MEMBERS,
    crate::services::log_service::MEMBERS,
    crate::services::model::MEMBERS,
    crate::services::players::MEMBERS,
    crate::services::remotes::MEMBERS,
    crate::services::run_service::MEMBERS,
    crate::services::teams::MEMBERS,
    crate::services::test_service::MEMBERS,
    crate::services::tween_service::MEMBERS,
    crate::services::user_input_service::MEMBERS,
    crate::services::workspace::MEMBERS,
];

/// All members with the number of each event.
struct Registry {
    members: Vec<(&'static Member, u16)>,
    events: Vec<&'static Member>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry { members: Vec::new(), events: Vec::new() };
    for member in TABLES.iter().copied().flatten() {
        registry.members.push((member, registry.events.len() as u16));
        if matches!(member.kind, Kind::Event) {
            registry.events.push(member);
        }
    }
    registry
});

/// The name of an event by its number; empty for a number no event has.
pub fn event_name(event: u16) -> &'static str {
    REGISTRY.events.get(usize::from(event)).map_or("", |member| member.name)
}

/// An event named in our own source: `static FIRED: EventRef = EventRef::new("BindableEvent", "Event")`.
///
/// The event must be in the table.
#[derive(Debug)]
pub struct EventRef {
    class: &'static str,
    name: &'static str,
    id: OnceLock<u16>,
}

impl EventRef {
    /// The event `name` that `class` declares.
    pub const fn new(class: &'static str, name: &'static str) -> EventRef {
        EventRef { class, name, id: OnceLock::new() }
    }

    /// The signal of that event on an instance.
    pub fn on(&self, instance: InstanceId) -> SignalKey {
        let event = *self.id.get_or_init(|| {
            let found =
                REGISTRY.events.iter().position(|event| event.class == self.class && event.name == self.name);
            found.unwrap_or_else(|| unreachable!("the table of members has {}.{}", self.class, self.name))
                as u16
        });
        SignalKey { instance, event }
    }
}

/// What a name means to a class.
#[derive(Clone, Copy, Debug)]
pub enum Entry {
    /// A property of the database.
    Property(PropertyId),
    /// A computed property; with its row in the database, if it has one.
    Computed(&'static Member, GetFn, Option<SetFn>, Option<PropertyId>),
    /// A method.
    Method(&'static Member, Method),
    /// An event and its number.
    Event(&'static Member, u16),
    /// A callback.
    Callback(&'static Member),
    /// A member that Roblox has and the emulator has not.
    Unlisted(&'static str),
}

/// Members of one class, inherited ones included.
#[derive(Debug)]
pub struct ClassMembers {
    /// By the atom of the name.
    pub by_name: AtomMap<Entry>,
    /// Whether a name that is not in it is surely a mistake.
    pub is_complete: bool,
}

/// The members of a class.
pub fn of(class: ClassId) -> &'static ClassMembers {
    static CLASSES: LazyLock<Vec<OnceLock<ClassMembers>>> =
        LazyLock::new(|| classes::all_classes().map(|_| OnceLock::new()).collect());
    CLASSES[usize::from(class.0)].get_or_init(|| build(class))
}

/// Registers every name with the VM's atoms. Before a VM is made, so that its strings know their numbers at once.
pub fn register_names() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        let mut names: Vec<&'static str> = classes::property_names().collect();
        names.extend(REGISTRY.members.iter().map(|(member, _)| member.name));
        names.extend(unlisted::names().map(|(_, name)| name));
        names.sort_unstable();
        for name in names {
            Atom::of(name);
        }
    });
}

/// The atom of any name, known to the tables or not.
///
/// A new name is kept for the life of the process: not for names that scripts make up.
pub fn name_atom(name: &str) -> Atom {
    Atom::find(name.as_bytes()).unwrap_or_else(|| Atom::of(Box::leak(name.to_owned().into_boxed_str())))
}

fn build(class: ClassId) -> ClassMembers {
    let mut by_name = AtomMap::new();
    let mut lineage: Vec<_> = class.lineage().collect();
    lineage.reverse();
    for property in class.properties() {
        // A property that scripts cannot reach is no member, but for those that say so.
        if property.info().access() != Access::None || super::properties::is_for_plugins(property) {
            by_name.insert(property.name(), Entry::Property(property));
        }
    }
    for ancestor in lineage {
        for (_, name) in unlisted::names().filter(|(owner, _)| *owner == ancestor.name()) {
            by_name.insert(name, Entry::Unlisted(name));
        }
        for (member, event) in REGISTRY.members.iter().filter(|(member, _)| member.class == ancestor.name()) {
            let entry = match member.kind {
                Kind::Method(method) => Entry::Method(member, method),
                Kind::Event => Entry::Event(member, *event),
                Kind::Callback => Entry::Callback(member),
                Kind::Property(get, set) => Entry::Computed(member, get, set, class.property(member.name)),
            };
            by_name.insert(member.name, entry);
        }
    }
    ClassMembers { by_name, is_complete: unlisted::is_complete(class.name()) }
}

/// A native function for a member that is declared before it is written.
pub fn not_emulated(class: &'static str, name: &'static str) -> Outcome {
    Err(super::messages::not_emulated(class, name).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datamodel::classes::known_class;

    #[test]
    fn members_are_inherited_and_classes_exist() {
        for (member, _) in &REGISTRY.members {
            assert!(classes::class_by_name(member.class).is_some(), "{} of {}", member.name, member.class);
        }
        for (class, name) in unlisted::names() {
            assert!(classes::class_by_name(class).is_some(), "{name} of {class}");
        }
        let part = of(known_class("Part"));
        let entry = |name: &'static str| part.by_name.get(Atom::of(name)).copied();
        assert!(matches!(entry("GetChildren"), Some(Entry::Method(..))));
        assert!(matches!(entry("Changed"), Some(Entry::Event(..))));
        assert!(matches!(entry("Anchored"), Some(Entry::Property(_))));
        assert!(matches!(entry("ApplyImpulse"), Some(Entry::Unlisted(_))));
        assert!(entry("AttributesSerialize").is_none() && entry("Fire").is_none());
    }

    #[test]
    fn sides_have_texts() {
        let fire =
            method("RemoteEvent", "FireServer", |_| not_emulated("RemoteEvent", "FireServer")).on_client();
        assert_eq!(fire.check_side(true), Err("FireServer can only be called from the client".into()));
        let heard = event("RemoteEvent", "OnServerEvent").on_server();
        assert_eq!(heard.check_side(false), Err("OnServerEvent can only be used on the server".into()));
        assert_eq!(heard.check_side(true), Ok(()));
    }
}
