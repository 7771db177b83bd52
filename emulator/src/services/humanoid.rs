//! `Humanoid`: health and dying. There is no movement. Engine page: classes/Humanoid, checked August 2026.

use std::rc::Rc;

use crate::datamodel::instance::{property_of, this};
use crate::datamodel::members::{EventRef, Member, event, method, property, settable};
use crate::datamodel::{messages, properties};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("Humanoid", "Died()"),
    event("Humanoid", "HealthChanged(health: number)"),
    method("Humanoid", "TakeDamage(amount: number)", take_damage),
    settable("Humanoid", "Health", |peer, id| Ok(Value::Number(number(peer, id, "Health"))), set_health),
    property("Humanoid", "RootPart", root_part),
];

static DIED: EventRef = EventRef::new("Humanoid", "Died");
static HEALTH_CHANGED: EventRef = EventRef::new("Humanoid", "HealthChanged");

fn number(peer: &Rc<Peer>, id: InstanceId, name: &str) -> f64 {
    property_of(peer, id, name).as_number().unwrap_or(0.0)
}

/// Sets the health within 0 and `MaxHealth`. A humanoid dies once; the dead stay so.
fn set_health(peer: &Rc<Peer>, id: InstanceId, value: Value) -> Result<(), String> {
    let wanted = value.as_number();
    let wanted = wanted.ok_or_else(|| messages::wrong_type("Health", "number", value.type_name()))?;
    let (before, most) = (number(peer, id, "Health"), number(peer, id, "MaxHealth"));
    let health = f64::from(wanted.clamp(0.0, most.max(0.0)) as f32);
    if before == health {
        return Ok(());
    }
    let known = peer.data_model().store().class(id).property("Health");
    if let Some(property) = known {
        properties::set(peer, id, property, Value::Number(health));
    }
    fire(peer, HEALTH_CHANGED.on(id), [Value::Number(health)]);
    if health == 0.0 {
        fire(peer, DIED.on(id), []);
    }
    Ok(())
}

/// `Humanoid:TakeDamage(amount)`: none while a ForceField protects the character.
fn take_damage(cx: &mut Cx<'_>) -> Outcome {
    let (id, amount) = (this(cx)?, cx.number(1)?);
    let peer = cx.peer();
    let is_protected = {
        let store = peer.data_model().store();
        let character = store.parent(id);
        character.is_some_and(|character| {
            store.children(character).iter().any(|child| store.class(*child).is_a_name("ForceField"))
        })
    };
    if !is_protected {
        let left = number(&peer, id, "Health") - amount;
        set_health(&peer, id, Value::Number(left))?;
    }
    Ok(Returns::NONE)
}

fn root_part(peer: &Rc<Peer>, id: InstanceId) -> Result<Value, String> {
    let store = peer.data_model().store();
    let part = store.parent(id).and_then(|character| store.find_child(character, "HumanoidRootPart"));
    Ok(part.into())
}
