//! Data stores, which are stub-only: asking for one fails as in a place that was never published, so that libraries fall
//! back to what they do there. Their options are objects that libraries prepare at load, and hand to mocks.
//! Engine pages: classes/DataStoreService, classes/DataStoreOptions, classes/DataStoreSetOptions, checked November 2026.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::datamodel::instance::this;
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns, Type};

const UNPUBLISHED: &str = "raises what it raises in a place that was never published";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method(
        "DataStoreService",
        "GetDataStore(name: string, scope: string?, options: DataStoreOptions?) -> DataStore",
        |cx| no_store(cx, "GetDataStore"),
    )
    .instead(UNPUBLISHED),
    method("DataStoreService", "GetGlobalDataStore() -> DataStore", |cx| no_store(cx, "GetGlobalDataStore"))
        .instead(UNPUBLISHED),
    method(
        "DataStoreService",
        "GetOrderedDataStore(name: string, scope: string?) -> OrderedDataStore",
        |cx| no_store(cx, "GetOrderedDataStore"),
    )
    .instead(UNPUBLISHED),
    method("DataStoreOptions", "SetExperimentalFeatures(experimentalFeatures: table)", keep)
        .instead("keeps the table and does nothing with it"),
    method("DataStoreSetOptions", "GetMetadata() -> table", kept),
    method("DataStoreSetOptions", "SetMetadata(attributes: table)", keep),
    method("DataStoreIncrementOptions", "GetMetadata() -> table", kept),
    method("DataStoreIncrementOptions", "SetMetadata(attributes: table)", keep),
];

/// The engine's text first, which libraries look for.
fn no_store(cx: &mut Cx<'_>, member: &str) -> Outcome {
    this(cx)?;
    Err(Raise::new(format!(
        "You must publish this place to the web to access DataStore. ([emulator] Data stores are not emulated; stub them \
         with side:stub(\"DataStoreService\", \"{member}\", fn))"
    )))
}

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
