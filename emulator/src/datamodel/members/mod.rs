//! The one table of what scripts can use of instances, apart from properties: methods, events and callbacks.
//!
//! A class's members are declared in the file of its behaviour, one line each, and gathered in `TABLES`. To add
//! some: write `pub const MEMBERS: &[Member] = &[method("Foo", "Bar(name: string) -> number", bar), ...]` in a file
//! and name it there. Properties come from the class database; a [`property`] line computes one instead.
//! What Roblox has beside these is in [`engine`]. [`of`] joins all that to one table a class, keyed by atom, made at
//! first use.

pub mod engine;
pub mod signature;

use std::rc::Rc;
use std::sync::{LazyLock, OnceLock};

pub use engine::{EngineKind, EngineMember};
pub use signature::Signature;

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
    /// What it takes and gives; of an event, what its handlers get.
    pub signature: Signature,
    /// What it is.
    pub kind: Kind,
    /// Where it may be used.
    pub side: SideRule,
    /// Whether a call may yield: such a method cannot be called in a metamethod or a comparator.
    pub yields: bool,
    /// What the emulator does otherwise than Roblox, for people; empty where it does the same.
    pub instead: &'static str,
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

const fn member(class: &'static str, (name, signature): (&'static str, Signature), kind: Kind) -> Member {
    Member { class, name, signature, kind, side: SideRule::Any, yields: false, instead: "" }
}

/// A method, as `Name(arguments) -> result`. `call` has the instance at index 0.
///
/// A call by name with fewer arguments than are required never gets to `call`.
pub const fn method(class: &'static str, declared: &'static str, call: NativeFn) -> Member {
    let (name, signature) = signature::read(declared);
    member(class, (name, signature), Kind::Method(Method { name, call }))
}

/// An event, as `Name(what handlers get)`.
pub const fn event(class: &'static str, declared: &'static str) -> Member {
    member(class, signature::read(declared), Kind::Event)
}

/// A callback: a function that scripts assign and the engine calls.
pub const fn callback(class: &'static str, declared: &'static str) -> Member {
    member(class, signature::read(declared), Kind::Callback)
}

/// A computed property that scripts only read, or that they set as the database says.
pub const fn property(class: &'static str, name: &'static str, get: GetFn) -> Member {
    member(class, signature::read(name), Kind::Property(get, None))
}

/// A computed property with a setter.
pub const fn settable(class: &'static str, name: &'static str, get: GetFn, set: SetFn) -> Member {
    member(class, signature::read(name), Kind::Property(get, Some(set)))
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

    /// The same, as one that looks for missing arguments itself, with a text of its own.
    pub const fn checks_arguments(mut self) -> Member {
        self.signature.required = 0;
        self
    }

    /// The same, as one that does something else than in Roblox: what it does instead, in a few words.
    pub const fn instead(mut self, what: &'static str) -> Member {
        self.instead = what;
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
    crate::services::actors::MEMBERS,
    crate::services::bindables::MEMBERS,
    crate::services::characters::MEMBERS,
    crate::services::collection_service::MEMBERS,
    crate::services::context_action_service::MEMBERS,
    crate::services::data_model::MEMBERS,
    crate::services::data_stores::MEMBERS,
    crate::services::debris::MEMBERS,
    crate::services::http_service::MEMBERS,
    crate::services::humanoid::MEMBERS,
    crate::services::log_service::MEMBERS,
    crate::services::memory_stores::MEMBERS,
    crate::services::messaging_service::MEMBERS,
    crate::services::model::MEMBERS,
    crate::services::players::MEMBERS,
    crate::services::reflection_service::MEMBERS,
    crate::services::remotes::MEMBERS,
    crate::services::run_service::MEMBERS,
    crate::services::screen::MEMBERS,
    crate::services::stats::MEMBERS,
    crate::services::teams::MEMBERS,
    crate::services::teleport_service::MEMBERS,
    crate::services::test_service::MEMBERS,
    crate::services::tween_service::MEMBERS,
    crate::services::user_input_service::MEMBERS,
    crate::services::workspace::MEMBERS,
];

/// All members with the number of each event.
struct Registry {
    members: Vec<(&'static Member, u16)>,
    /// Events that Roblox has and the emulator never fires by itself.
    silent: Vec<(&'static EngineMember, u16)>,
    /// Class and name of each event, by its number.
    events: Vec<(&'static str, &'static str)>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry { members: Vec::new(), silent: Vec::new(), events: Vec::new() };
    for member in all() {
        registry.members.push((member, registry.events.len() as u16));
        if matches!(member.kind, Kind::Event) {
            registry.events.push((member.class, member.name));
        }
    }
    for member in engine::all() {
        if member.kind == EngineKind::Event && !registry.events.contains(&(member.class, member.name)) {
            registry.silent.push((member, registry.events.len() as u16));
            registry.events.push((member.class, member.name));
        }
    }
    registry
});

/// Every member that the emulator declares, file by file.
pub fn all() -> impl Iterator<Item = &'static Member> {
    TABLES.iter().copied().flatten()
}

/// The name of an event by its number; empty for a number no event has.
pub fn event_name(event: u16) -> &'static str {
    REGISTRY.events.get(usize::from(event)).map_or("", |(_, name)| name)
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
            let found = REGISTRY.events.iter().position(|event| *event == (self.class, self.name));
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
    /// A method, and whether it may be called in a parallel phase.
    Method(&'static Member, Method, bool),
    /// An event and its number.
    Event(&'static Member, u16),
    /// A callback.
    Callback(&'static Member),
    /// An event of Roblox that never fires here by itself, and its number.
    Silent(&'static EngineMember, u16),
    /// A method or callback that Roblox has and the emulator has not.
    Missing(&'static EngineMember),
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
        names.extend(all().map(|member| member.name));
        names.extend(engine::all().iter().map(|member| member.name));
        names.sort_unstable();
        names.dedup();
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
        for member in engine::own(ancestor.name()) {
            let silent = REGISTRY.silent.iter().find(|(event, _)| std::ptr::eq(*event, member));
            // A property of the database is what scripts mean, whatever the reference calls a method; and what is
            // emulated for a class stays so in those that extend it.
            let known = by_name.get(Atom::of(member.name));
            if known.is_none_or(|known| matches!(known, Entry::Missing(_) | Entry::Silent(..))) {
                let entry = match silent {
                    Some((event, number)) => Entry::Silent(event, *number),
                    None => Entry::Missing(member),
                };
                by_name.insert(member.name, entry);
            }
        }
        for (member, event) in REGISTRY.members.iter().filter(|(member, _)| member.class == ancestor.name()) {
            let entry = match member.kind {
                Kind::Method(method) => Entry::Method(member, method, is_safe(member)),
                Kind::Event => Entry::Event(member, *event),
                Kind::Callback => Entry::Callback(member),
                Kind::Property(get, set) => Entry::Computed(member, get, set, class.property(member.name)),
            };
            by_name.insert(member.name, entry);
        }
    }
    ClassMembers { by_name, is_complete: engine::is_known(class.name()) }
}

/// Whether a method may be called in a parallel phase. Old names are as safe as new ones.
fn is_safe(member: &Member) -> bool {
    let known = engine::own(member.class).iter().find(|known| known.name.eq_ignore_ascii_case(member.name));
    known.is_some_and(|known| known.is_safe)
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
        for member in all() {
            assert!(classes::class_by_name(member.class).is_some(), "{} of {}", member.name, member.class);
        }
        let part = of(known_class("Part"));
        let entry = |name: &'static str| part.by_name.get(Atom::of(name)).copied();
        assert!(matches!(entry("GetChildren"), Some(Entry::Method(..))));
        assert!(matches!(entry("Changed"), Some(Entry::Event(..))));
        assert!(matches!(entry("Anchored"), Some(Entry::Property(_))));
        assert!(matches!(entry("ApplyImpulse"), Some(Entry::Missing(_))));
        assert!(matches!(entry("TouchEnded"), Some(Entry::Silent(..))));
        assert!(entry("AttributesSerialize").is_none() && entry("Fire").is_none());
    }

    #[test]
    fn sides_have_texts() {
        let fire = method("RemoteEvent", "FireServer(...)", |_| not_emulated("RemoteEvent", "FireServer"))
            .on_client();
        assert_eq!(fire.check_side(true), Err("FireServer can only be called from the client".into()));
        let heard = event("RemoteEvent", "OnServerEvent(player: Player, ...)").on_server();
        assert_eq!(heard.check_side(false), Err("OnServerEvent can only be used on the server".into()));
        assert_eq!(heard.check_side(true), Ok(()));
    }

    #[test]
    fn declarations_agree_with_the_reference() {
        for member in all() {
            let Some(known) = engine::find(member.class, member.name) else { continue };
            let what = format!("{}.{}", member.class, member.name);
            match member.kind {
                Kind::Method(_) => {
                    assert_eq!(known.kind, EngineKind::Method, "{what}");
                    assert_eq!(member.yields, known.yields, "{what} yields or does not");
                    assert_eq!(member.signature.arguments, known.arguments, "{what}");
                }
                Kind::Event => {
                    assert_eq!(known.kind, EngineKind::Event, "{what}");
                    assert_eq!(member.signature.arguments, known.arguments, "{what}");
                }
                Kind::Callback => assert_eq!(known.kind, EngineKind::Callback, "{what}"),
                Kind::Property(..) => {}
            }
        }
    }
}
