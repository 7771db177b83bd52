//! Data stores: in a universe, values that all servers share. A world that stands alone has none: asking for one fails as
//! in a place that was never published, so that libraries fall back to what they do there. Their options are objects
//! that libraries prepare at load, and hand to mocks.
//! Engine pages: classes/DataStoreService, classes/DataStoreOptions, classes/DataStoreSetOptions, checked November 2026.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::calls::{Update, ask, decode, encode, update};
use crate::datamodel::classes::known_class;
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::universe::{Entry, Seat, Service};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns, Type};

const UNPUBLISHED: &str = "outside a universe, raises what it raises in a place that was never published";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method(
        "DataStoreService",
        "GetDataStore(name: string, scope: string?, options: DataStoreOptions?) -> DataStore",
        |cx| store(cx, "GetDataStore"),
    )
    .instead(UNPUBLISHED),
    method("DataStoreService", "GetGlobalDataStore() -> DataStore", |cx| store(cx, "GetGlobalDataStore"))
        .instead(UNPUBLISHED),
    method(
        "DataStoreService",
        "GetOrderedDataStore(name: string, scope: string?) -> OrderedDataStore",
        |cx| store(cx, "GetOrderedDataStore"),
    )
    .instead(UNPUBLISHED),
    method("GlobalDataStore", "GetAsync(key: string, options: DataStoreGetOptions?) -> ...", get)
        .yields()
        .instead("gives the value without its key's information"),
    method(
        "GlobalDataStore",
        "SetAsync(key: string, value: any, userIds: table?, options: Instance?) -> string",
        set,
    )
    .yields()
    .checks_arguments(),
    method("GlobalDataStore", "UpdateAsync(key: string, transformFunction: function) -> ...", change)
        .yields(),
    method("GlobalDataStore", "IncrementAsync(key: string, delta: number?) -> any", increment).yields(),
    method("GlobalDataStore", "RemoveAsync(key: string) -> ...", remove).yields(),
    method("DataStoreOptions", "SetExperimentalFeatures(experimentalFeatures: table)", keep)
        .instead("keeps the table and does nothing with it"),
    method("DataStoreSetOptions", "GetMetadata() -> table", kept),
    method("DataStoreSetOptions", "SetMetadata(attributes: table)", keep),
    method("DataStoreIncrementOptions", "GetMetadata() -> table", kept),
    method("DataStoreIncrementOptions", "SetMetadata(attributes: table)", keep),
];

/// The stores a peer has asked for, by what they are called.
#[derive(Default)]
struct Stores(RefCell<Vec<(InstanceId, String)>>);

fn stores(peer: &Peer) -> Rc<Stores> {
    peer.part_or_default::<Stores>()
}

fn store(cx: &mut Cx<'_>, member: &str) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    // The engine's text first, which libraries look for.
    if peer.shared.seat.get().is_none() {
        return Err(Raise::new(format!(
            "You must publish this place to the web to access DataStore. ([emulator] Data stores are not emulated; stub \
             them with side:stub(\"DataStoreService\", \"{member}\", fn))"
        )));
    }
    if !peer.side.is_server() {
        return Err("DataStore can't be accessed from client".into());
    }
    let is_global = member == "GetGlobalDataStore";
    let name = if is_global { String::new() } else { text(cx, 1)? };
    if !is_global && name.is_empty() {
        return Err("101: DataStore name can't be empty string.".into());
    }
    let scope = if is_global || cx.is_nil(2) { "global".to_owned() } else { text(cx, 2)? };
    let class = if member == "GetOrderedDataStore" { "OrderedDataStore" } else { "DataStore" };
    let full = format!("{class} {name}/{scope}");
    let all = stores(&peer);
    let known = all.0.borrow().iter().find(|(_, known)| *known == full).map(|(id, _)| *id);
    let id = known.unwrap_or_else(|| {
        let id = peer.data_model().store_mut().create(known_class(class));
        all.0.borrow_mut().push((id, full));
        id
    });
    cx.push_instance(id);
    Ok(Returns::ONE)
}

const FAILED: &str = "502: API Services rejected request with error. HTTP 500 (Internal Server Error)";
/// Most characters of a key.
const LONGEST_KEY: usize = 50;
/// Most bytes of a value.
const LONGEST_VALUE: usize = 4_194_304;

/// What a call of a store needs: the server's place, the store's full name, and the key.
fn open(cx: &Cx<'_>) -> Result<(Seat, String, String), Raise> {
    let id = this(cx)?;
    let peer = cx.peer();
    let seat = super::calls::seat(&peer, "DataStoreService")?;
    let known = stores(&peer).0.borrow().iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone());
    let key = text(cx, 1)?;
    if key.is_empty() {
        return Err("102: Key name can't be empty.".into());
    }
    if key.chars().count() > LONGEST_KEY {
        return Err(format!("105: Key name exceeds the {LONGEST_KEY} character limit.").into());
    }
    Ok((seat, known.ok_or("this store is none of DataStoreService's")?, key))
}

/// A value as it is kept. Errors: it is none that a store can have.
fn kept_value(store: &str, value: &Value) -> Result<Rc<[u8]>, String> {
    if store.starts_with("Ordered") && !value.as_number().is_some_and(|number| number.fract() == 0.0) {
        return Err(format!("103: {} is not allowed in data stores.", value.type_name()));
    }
    let kept = encode(value).ok_or_else(|| {
        let of = value.type_name();
        format!("104: Cannot store {of} in data store. Data stores can only accept valid UTF-8 characters.")
    })?;
    let most = LONGEST_VALUE;
    if kept.len() > most { Err(format!("105: Value exceeds the {most} byte limit.")) } else { Ok(kept) }
}

fn given(entry: Option<Entry>) -> Value {
    entry.map_or(Value::Nil, |entry| decode(&entry.value))
}

fn get(cx: &mut Cx<'_>) -> Outcome {
    let (seat, store, key) = open(cx)?;
    let what = format!("{store}:GetAsync(\"{key}\")");
    ask(cx, &seat, Service::Data, what, FAILED, move |_, cloud| {
        Ok(vec![given(cloud.data().get(&store, &key))])
    })
}

fn set(cx: &mut Cx<'_>) -> Outcome {
    let (seat, store, key) = open(cx)?;
    let value = cx.value(2).map_err(|raise| raise.reworded("104: Cannot store table in data store."))?;
    let value = kept_value(&store, &value)?;
    let what = format!("{store}:SetAsync(\"{key}\")");
    ask(cx, &seat, Service::Data, what, FAILED, move |_, cloud| {
        Ok(vec![Value::from(format!("{:016X}", cloud.data().set(&store, &key, value)))])
    })
}

fn change(cx: &mut Cx<'_>) -> Outcome {
    let (seat, store, key) = open(cx)?;
    let what = format!("{store}:UpdateAsync(\"{key}\")");
    let (read_store, read_key) = (store.clone(), key.clone());
    let changed = Update {
        seat,
        service: Service::Data,
        what,
        failed: FAILED,
        read: Box::new(move |_, cloud| {
            let entry = cloud.data().get(&read_store, &read_key);
            let version = entry.as_ref().map_or(0, |entry| entry.version);
            Ok((vec![given(entry)], version))
        }),
        write: Box::new(move |_, cloud, made, version| {
            if cloud.data().get(&store, &key).map_or(0, |entry| entry.version) != version {
                return None;
            }
            Some(kept_value(&store, &made[0]).map(|value| {
                let shown = decode(&value);
                cloud.data().set(&store, &key, value);
                vec![shown]
            }))
        }),
    };
    update(cx, 2, changed)
}

fn increment(cx: &mut Cx<'_>) -> Outcome {
    let (seat, store, key) = open(cx)?;
    let by = cx.opt_number(2)?.unwrap_or(1.0);
    if by.fract() != 0.0 {
        return Err("IncrementAsync takes a whole number".into());
    }
    let what = format!("{store}:IncrementAsync(\"{key}\")");
    ask(cx, &seat, Service::Data, what, FAILED, move |_, cloud| {
        let old = given(cloud.data().get(&store, &key));
        let old = if old.is_nil() { Some(0.0) } else { old.as_number() };
        let sum = Value::Number(old.ok_or("IncrementAsync: the value is no number")? + by);
        let value = kept_value(&store, &sum)?;
        cloud.data().set(&store, &key, value);
        Ok(vec![sum])
    })
}

fn remove(cx: &mut Cx<'_>) -> Outcome {
    let (seat, store, key) = open(cx)?;
    let what = format!("{store}:RemoveAsync(\"{key}\")");
    ask(cx, &seat, Service::Data, what, FAILED, move |_, cloud| {
        Ok(vec![given(cloud.data().remove(&store, &key))])
    })
}

/// Tables by the instance that keeps them.
#[derive(Default)]
struct Kept(RefCell<FxHashMap<InstanceId, Value>>);

fn all(peer: &Peer) -> Rc<Kept> {
    peer.part_or_default::<Kept>()
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
