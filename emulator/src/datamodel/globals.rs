//! The globals `Instance`, `game` and `workspace`. Engine page: datatypes/Instance, checked August 2026.

use super::instance::{instance, text};
use super::store::GAME;
use super::tree;
use crate::vm::{Cx, Outcome, Returns};

/// Sets the globals. Before the VM is sealed.
pub fn register(cx: &Cx<'_>) {
    cx.push_functions(&[("new", new), ("fromExisting", from_existing)]);
    cx.freeze();
    cx.set_global("Instance");
    let workspace = cx.peer().data_model().known_service("Workspace");
    for (names, id) in [(["game", "Game"], GAME), (["workspace", "Workspace"], workspace)] {
        for name in names {
            cx.push_instance(id);
            cx.set_global(name);
        }
    }
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let class = text(cx, 1)?;
    cx.check_memory(0)?;
    let parent = cx.opt_instance(2)?;
    if parent.is_some() {
        cx.peer().check_serial(|| super::messages::unsafe_write(&class, "Parent"))?;
    }
    let made = tree::create(&cx.peer(), &class, parent)?;
    cx.push_instance(made);
    Ok(Returns::ONE)
}

fn from_existing(cx: &mut Cx<'_>) -> Outcome {
    cx.check_memory(0)?;
    let copy = tree::copy_alone(&cx.peer(), instance(cx, 1)?);
    cx.push_instance(copy);
    Ok(Returns::ONE)
}
