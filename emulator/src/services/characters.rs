//! Characters: a dummy model a player, and the events of its coming and going. Source: Roblox behaviour, 8.11.
//!
//! The emulator has no physics and no appearance: a character is a model with a Humanoid, a HumanoidRootPart and a Head.

use std::rc::Rc;
use std::sync::LazyLock;

use crate::datamodel::classes::{PropertyId, known_class};
use crate::datamodel::instance::this;
use crate::datamodel::members::{EventRef, Member, event, method};
use crate::datamodel::store::single_id;
use crate::datamodel::{properties, tree};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("Player", "CharacterAdded(character: Model)"),
    event("Player", "CharacterAppearanceLoaded(character: Model)"),
    event("Player", "CharacterRemoving(character: Model)"),
    method("Player", "LoadCharacter()", load_character).on_server().yields().instead(DUMMY),
    method("Player", "LoadCharacterAsync()", load_character).on_server().yields().instead(DUMMY),
];

const DUMMY: &str = "a model with a Humanoid, a HumanoidRootPart and a Head, at once";

static CHARACTER_ADDED: EventRef = EventRef::new("Player", "CharacterAdded");
static CHARACTER_APPEARANCE_LOADED: EventRef = EventRef::new("Player", "CharacterAppearanceLoaded");
static CHARACTER_REMOVING: EventRef = EventRef::new("Player", "CharacterRemoving");

/// `Player.Character`.
pub static CHARACTER: LazyLock<PropertyId> = LazyLock::new(|| {
    let found = known_class("Player").property("Character");
    found.unwrap_or_else(|| unreachable!("the class database has Player.Character"))
});

fn character_of(peer: &Peer, player: InstanceId) -> Option<InstanceId> {
    match properties::get(&peer.data_model().store(), player, *CHARACTER) {
        Value::Instance(character) => Some(character),
        _ => None,
    }
}

/// Gives a player a fresh character, in the engine's order of events.
pub fn load(peer: &Rc<Peer>, player: InstanceId) {
    remove(peer, player);
    let character = make(peer, player);
    fill_backpack(peer, player);
    properties::replace(peer, player, *CHARACTER, &Value::Instance(character));
    fire(peer, CHARACTER_ADDED.on(player), [Value::Instance(character)]);
    properties::fire_changed(peer, player, *CHARACTER);
    fire(peer, CHARACTER_APPEARANCE_LOADED.on(player), [Value::Instance(character)]);
    tree::move_to(peer, character, Some(single_id(known_class("Workspace"))));
}

/// Gives a player's `Backpack` copies of what is in `StarterPack`, in place of what it held.
fn fill_backpack(peer: &Rc<Peer>, player: InstanceId) {
    let (backpack, starters) = {
        let model = peer.data_model();
        let store = model.store();
        let starters = store.children(single_id(known_class("StarterPack"))).to_vec();
        let backpack =
            store.children(player).iter().copied().find(|id| store.class(*id).name() == "Backpack");
        (backpack, starters)
    };
    let Some(backpack) = backpack else { return };
    let held = peer.data_model().store().children(backpack).to_vec();
    held.into_iter().for_each(|id| tree::force_destroy(peer, id));
    for starter in starters {
        if let Some(copy) = tree::clone(peer, starter) {
            tree::move_to(peer, copy, Some(backpack));
        }
    }
}

/// Takes a player's character away, if there is one.
pub fn remove(peer: &Rc<Peer>, player: InstanceId) {
    let Some(character) = character_of(peer, player) else { return };
    fire(peer, CHARACTER_REMOVING.on(player), [Value::Instance(character)]);
    properties::set(peer, player, *CHARACTER, Value::Nil);
    tree::force_destroy(peer, character);
}

/// The model, with what `StarterCharacterScripts` holds, not yet in the tree.
fn make(peer: &Rc<Peer>, player: InstanceId) -> InstanceId {
    let model = peer.data_model();
    let starters = {
        let store = model.store();
        store.children(single_id(known_class("StarterCharacterScripts"))).to_vec()
    };
    let copies: Vec<InstanceId> =
        starters.into_iter().filter_map(|starter| tree::clone(peer, starter)).collect();
    let mut store = model.store_mut();
    let name = store.name(player);
    let character = store.create(known_class("Model"));
    if let Some(instance) = store.get_mut(character) {
        instance.name = name;
    }
    for (class, name) in [("Part", "HumanoidRootPart"), ("Part", "Head"), ("Humanoid", "Humanoid")] {
        let child = store.create(known_class(class));
        if let Some(instance) = store.get_mut(child) {
            instance.name = name.into();
        }
        store.set_parent(child, Some(character));
        if name == "HumanoidRootPart"
            && let Some(primary) = known_class("Model").property("PrimaryPart")
        {
            store.set_property(character, primary, Value::Instance(child));
        }
    }
    for copy in copies {
        store.set_parent(copy, Some(character));
    }
    character
}

fn load_character(cx: &mut Cx<'_>) -> Outcome {
    let player = this(cx)?;
    load(&cx.peer(), player);
    Ok(Returns::NONE)
}

/// A client learns of another character of a player: says goodbye to the old one. Before the change is applied.
pub fn replaced(peer: &Rc<Peer>, player: InstanceId) {
    if let Some(old) = character_of(peer, player) {
        fire(peer, CHARACTER_REMOVING.on(player), [Value::Instance(old)]);
    }
}

/// Fires `CharacterAdded` on a client if the character is in its tree by now.
pub fn try_announce(peer: &Rc<Peer>, player: InstanceId, character: InstanceId) -> bool {
    let here = peer.data_model().store().in_game(character);
    if here {
        fire(peer, CHARACTER_ADDED.on(player), [Value::Instance(character)]);
    }
    here
}
