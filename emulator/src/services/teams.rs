//! `Teams` and `Team`: who plays with whom. Engine pages: classes/Teams and classes/Team, checked August 2026.

use std::rc::Rc;
use std::sync::LazyLock;

use crate::datamodel::classes::{ClassId, known_class};
use crate::datamodel::instance::{property_of, push_instances, this};
use crate::datamodel::members::{EventRef, Member, event, method, settable};
use crate::datamodel::store::single_id;
use crate::datamodel::{messages, properties};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("Teams", "GetTeams() -> table", get_teams),
    method("Team", "GetPlayers() -> table", get_players),
    event("Team", "PlayerAdded(player: Player)"),
    event("Team", "PlayerRemoved(player: Player)"),
    settable("Player", "Team", team_of, set_team),
];

static PLAYER_ADDED: EventRef = EventRef::new("Team", "PlayerAdded");
static PLAYER_REMOVED: EventRef = EventRef::new("Team", "PlayerRemoved");
static TEAM: LazyLock<ClassId> = LazyLock::new(|| known_class("Team"));

fn get_teams(cx: &mut Cx<'_>) -> Outcome {
    let teams = this(cx)?;
    let found: Vec<InstanceId> = {
        let peer = cx.peer();
        let store = peer.data_model().store();
        store.children(teams).iter().copied().filter(|id| store.class(*id) == *TEAM).collect()
    };
    push_instances(cx, &found)
}

fn get_players(cx: &mut Cx<'_>) -> Outcome {
    let team = this(cx)?;
    let peer = cx.peer();
    let players: Vec<InstanceId> = {
        let store = peer.data_model().store();
        let players = store.children(single_id(known_class("Players")));
        players.iter().copied().filter(|id| store.class(*id).name() == "Player").collect()
    };
    let members: Vec<InstanceId> = players
        .into_iter()
        .filter(|player| property_of(&peer, *player, "Team") == Value::Instance(team))
        .collect();
    push_instances(cx, &members)
}

fn team_of(peer: &Rc<Peer>, player: InstanceId) -> Result<Value, String> {
    Ok(property_of(peer, player, "Team"))
}

/// Puts a player into a team, or into none: colour and neutrality follow.
fn set_team(peer: &Rc<Peer>, player: InstanceId, value: Value) -> Result<(), String> {
    let team = match value {
        Value::Nil => None,
        Value::Instance(id) if peer.data_model().store().class(id) == *TEAM => Some(id),
        other => return Err(messages::wrong_type("Team", "Team", other.type_name())),
    };
    let before = match property_of(peer, player, "Team") {
        Value::Instance(before) => Some(before),
        _ => None,
    };
    if before == team {
        return Ok(());
    }
    let set = |name: &str, value: Value| {
        let property = peer.data_model().store().class(player).property(name);
        if let Some(property) = property {
            properties::set(peer, player, property, value);
        }
    };
    set("Team", team.into());
    set("Neutral", Value::Boolean(team.is_none()));
    if let Some(team) = team {
        set("TeamColor", property_of(peer, team, "TeamColor"));
    }
    if let Some(before) = before {
        fire(peer, PLAYER_REMOVED.on(before), [Value::Instance(player)]);
    }
    if let Some(team) = team {
        fire(peer, PLAYER_ADDED.on(team), [Value::Instance(player)]);
    }
    Ok(())
}
