//! `Debris`: destroys instances in time. Engine page: classes/Debris, checked August 2026.

use crate::datamodel::instance::{instance, this};
use crate::datamodel::members::{Member, method};
use crate::datamodel::tree;
use crate::vm::{Cx, Outcome, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    method("Debris", "AddItem(item: Instance, lifetime: number?)", add_item),
    method("Debris", "addItem(item: Instance, lifetime: number?)", add_item),
];

/// Seconds an item lives if the script says nothing.
const LIFETIME: f64 = 10.0;

fn add_item(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let (id, lifetime) = (instance(cx, 1)?, cx.opt_number(2)?.unwrap_or(LIFETIME));
    crate::scheduler::call_after(&cx.peer(), lifetime, move |peer| {
        // A service cannot be destroyed; the engine says nothing either.
        let _ = tree::destroy(peer, id);
    });
    Ok(Returns::NONE)
}
