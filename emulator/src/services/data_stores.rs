//! Options of data stores. The stores themselves are stub-only; libraries prepare their options at load, and hand them
//! to mocks. Engine pages: classes/DataStoreOptions, classes/DataStoreSetOptions, checked November 2026.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::datamodel::instance::this;
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns, Type};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("DataStoreOptions", "SetExperimentalFeatures(experimentalFeatures: table)", keep)
        .instead("keeps the table and does nothing with it"),
    method("DataStoreSetOptions", "GetMetadata() -> table", kept),
    method("DataStoreSetOptions", "SetMetadata(attributes: table)", keep),
    method("DataStoreIncrementOptions", "GetMetadata() -> table", kept),
    method("DataStoreIncrementOptions", "SetMetadata(attributes: table)", keep),
];

/// Tables by the instance that keeps them.
#[derive(Default)]
struct Kept(RefCell<FxHashMap<InstanceId, Value>>);

fn all(peer: &Peer) -> Rc<Kept> {
    peer.part::<Kept>().unwrap_or_else(|| {
        let kept = Rc::new(Kept::default());
        peer.attach(kept.clone());
        kept
    })
}

fn keep(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    if cx.kind(1) != Type::Table {
        return Err(cx.wrong_type(1, "table"));
    }
    let table = cx.value(1)?;
    all(&cx.peer()).0.borrow_mut().insert(id, table);
    Ok(Returns::NONE)
}

fn kept(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let table = all(&cx.peer()).0.borrow().get(&id).cloned();
    cx.push(&table.unwrap_or_else(|| Value::array([])));
    Ok(Returns::ONE)
}
