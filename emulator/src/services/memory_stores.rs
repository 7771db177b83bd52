//! `MemoryStoreService` in a universe of servers: sorted maps, hash maps and queues that all of them share. Engine pages:
//! classes/MemoryStoreService and the guide on memory stores, checked November 2026; texts of errors are the guide's.

use std::cell::RefCell;
use std::rc::Rc;

use super::calls::{Answer, Update, ask, begin, decode, encode, finish, now, seat, update};
use crate::clock::Time;
use crate::datamodel::classes::{enum_item, known_class};
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::universe::{
    Bound, Cloud, Item, Kind, LONGEST_KEY, LONGEST_LIFE, LONGEST_VALUE, MOST_RANGE, MOST_READ, Seat, Service,
    SortKey,
};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Parked, Raise, Returns};

const UNIVERSE: &str = "in a universe of servers; elsewhere raises that it needs one";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("MemoryStoreService", "GetSortedMap(name: string) -> MemoryStoreSortedMap", |cx| {
        store(cx, "MemoryStoreSortedMap")
    })
    .instead(UNIVERSE),
    method("MemoryStoreService", "GetHashMap(name: string) -> MemoryStoreHashMap", |cx| {
        store(cx, "MemoryStoreHashMap")
    })
    .instead(UNIVERSE),
    method(
        "MemoryStoreService",
        "GetQueue(name: string, invisibilityTimeout: number?) -> MemoryStoreQueue",
        |cx| store(cx, "MemoryStoreQueue"),
    )
    .instead(UNIVERSE),
    method("MemoryStoreSortedMap", "GetAsync(key: string) -> ...", |cx| get(cx, Kind::Sorted)).yields(),
    method(
        "MemoryStoreSortedMap",
        "SetAsync(key: string, value: any, expiration: number, sortKey: string?) -> boolean",
        |cx| set(cx, Kind::Sorted),
    )
    .yields()
    .checks_arguments(),
    method(
        "MemoryStoreSortedMap",
        "UpdateAsync(key: string, transformFunction: function, expiration: number) -> any",
        |cx| change(cx, Kind::Sorted),
    )
    .yields(),
    method("MemoryStoreSortedMap", "RemoveAsync(key: string)", |cx| remove(cx, Kind::Sorted)).yields(),
    method(
        "MemoryStoreSortedMap",
        "GetRangeAsync(direction: EnumItem, count: number, exclusiveLowerBound: any, exclusiveUpperBound: any) -> table",
        range,
    )
    .yields(),
    method("MemoryStoreSortedMap", "GetSizeAsync() -> number", |cx| size_of_map(cx, Kind::Sorted)).yields(),
    method("MemoryStoreHashMap", "GetAsync(key: string) -> any", |cx| get(cx, Kind::Hash)).yields(),
    method(
        "MemoryStoreHashMap",
        "SetAsync(key: string, value: any, expiration: number) -> boolean",
        |cx| set(cx, Kind::Hash),
    )
    .yields()
    .checks_arguments(),
    method(
        "MemoryStoreHashMap",
        "UpdateAsync(key: string, transformFunction: function, expiration: number) -> any",
        |cx| change(cx, Kind::Hash),
    )
    .yields(),
    method("MemoryStoreHashMap", "RemoveAsync(key: string)", |cx| remove(cx, Kind::Hash)).yields(),
    method("MemoryStoreQueue", "AddAsync(value: any, expiration: number, priority: number?)", add)
        .yields()
        .checks_arguments(),
    method(
        "MemoryStoreQueue",
        "ReadAsync(count: number, allOrNothing: boolean?, waitTimeout: number?) -> ...",
        read,
    )
    .yields(),
    method("MemoryStoreQueue", "RemoveAsync(id: string)", remove_read).yields(),
    method("MemoryStoreQueue", "GetSizeAsync(excludeInvisible: boolean?) -> number", size_of_queue).yields(),
];

const THROTTLED: &str = "RequestThrottled: Recent MemoryStores requests hit one or more limits.";
const TOTAL_REQUESTS: &str = "TotalRequestsOverLimit: Exceeds universe-level request unit limit.";
const TOTAL_MEMORY: &str = "TotalMemoryOverLimit: Exceeds universe-level memory quota.";
const TOO_LARGE: &str = "ItemValueSizeTooLarge: Value size exceeds limit (32KB).";
const NO_JSON: &str = "InvalidRequest: Unable to convert value to json.";
const BAD_LIFE: &str = "InvalidExpirationTime: The field 'expiration' time must be between 0 and 3,888,000.";
const BAD_KEY: &str = "InvalidRequest: The key must be a text of 1 to 128 bytes.";
const BAD_SORT: &str = "InvalidRequest: Unable to convert sortKey to a valid number or string.";

/// The stores a peer has asked for: what they are, what they are called, and how long a queue hides what was read.
#[derive(Default)]
struct Stores(RefCell<Vec<(InstanceId, &'static str, String, f64)>>);

fn stores(peer: &Peer) -> Rc<Stores> {
    peer.part_or_default::<Stores>()
}

fn store(cx: &mut Cx<'_>, class: &'static str) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    seat(&peer, "MemoryStoreService")?;
    if !peer.side.is_server() {
        return Err("InvalidClientAccess: MemoryStoreService must be called from server.".into());
    }
    let name = text(cx, 1)?;
    let hides = cx.opt_number(2)?.unwrap_or(30.0).max(0.0);
    let all = stores(&peer);
    let known =
        all.0.borrow().iter().find(|(_, of, known, _)| *of == class && *known == name).map(|known| known.0);
    let id = known.unwrap_or_else(|| {
        let id = peer.data_model().store_mut().create(known_class(class));
        all.0.borrow_mut().push((id, class, name, hides));
        id
    });
    cx.push_instance(id);
    Ok(Returns::ONE)
}

/// What a call of a store needs: the server's place, the store's name, and how long it hides what was read.
fn open(cx: &Cx<'_>) -> Result<(Seat, String, Time), Raise> {
    let id = this(cx)?;
    let peer = cx.peer();
    let all = stores(&peer);
    let all = all.0.borrow();
    let known =
        all.iter().find(|(known, ..)| *known == id).ok_or("this store is none of MemoryStoreService's")?;
    Ok((seat(&peer, "MemoryStoreService")?, known.2.clone(), Time::from_seconds(known.3)))
}

fn key(cx: &Cx<'_>, index: i32) -> Result<Vec<u8>, Raise> {
    let key = cx.string(index)?.to_vec();
    if key.is_empty() || key.len() > LONGEST_KEY { Err(BAD_KEY.into()) } else { Ok(key) }
}

fn life(cx: &Cx<'_>, index: i32) -> Result<f64, Raise> {
    let life = cx.number(index)?;
    if (0.0..=LONGEST_LIFE).contains(&life) { Ok(life) } else { Err(BAD_LIFE.into()) }
}

fn sort_key(value: &Value) -> Result<Option<SortKey>, String> {
    match value {
        Value::Nil => Ok(None),
        Value::Number(number) if number.is_finite() => Ok(Some(SortKey::Number(*number))),
        Value::String(bytes) => Ok(Some(SortKey::Text(bytes.to_vec()))),
        _ => Err(BAD_SORT.into()),
    }
}

fn sort_value(sort: Option<&SortKey>) -> Value {
    match sort {
        None => Value::Nil,
        Some(SortKey::Number(number)) => Value::Number(*number),
        Some(SortKey::Text(bytes)) => Value::string(bytes),
    }
}

/// A value that fits, as it is kept.
fn kept(value: &Value) -> Result<Rc<[u8]>, String> {
    let kept = encode(value).filter(|_| !value.is_nil()).ok_or(NO_JSON)?;
    if kept.len() > LONGEST_VALUE { Err(TOO_LARGE.into()) } else { Ok(kept) }
}

/// Uses up request units. Errors: there are none left.
fn charge(peer: &Peer, cloud: &Cloud, units: f64) -> Result<(), String> {
    if cloud.charge(now(peer), units) { Ok(()) } else { Err(TOTAL_REQUESTS.into()) }
}

/// Errors: so many bytes more are more than the game may keep.
fn check_room(peer: &Peer, cloud: &Cloud, more: usize) -> Result<(), String> {
    let held = cloud.memory().bytes(now(peer));
    if held + more > cloud.memory_limit() { Err(TOTAL_MEMORY.into()) } else { Ok(()) }
}

fn of(item: Option<Item>, kind: Kind) -> Vec<Value> {
    let Some(item) = item else { return vec![Value::Nil] };
    let mut values = vec![decode(&item.value)];
    if kind == Kind::Sorted {
        values.push(sort_value(item.sort.as_ref()));
    }
    values
}

fn shown(key: &[u8]) -> String {
    String::from_utf8_lossy(key).into_owned()
}

fn get(cx: &mut Cx<'_>, kind: Kind) -> Outcome {
    let ((seat, map, _), key) = (open(cx)?, key(cx, 1)?);
    let what = format!("{map}:GetAsync(\"{}\")", shown(&key));
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        Ok(of(cloud.memory().get(kind, &map, &key, now(peer)), kind))
    })
}

fn set(cx: &mut Cx<'_>, kind: Kind) -> Outcome {
    let ((seat, map, _), key) = (open(cx)?, key(cx, 1)?);
    let (value, life) = (kept(&cx.value(2).map_err(|raise| raise.reworded(NO_JSON))?)?, life(cx, 3)?);
    let sort = if kind == Kind::Sorted { sort_key(&cx.value(4)?)? } else { None };
    let what = format!("{map}:SetAsync(\"{}\")", shown(&key));
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        write(peer, cloud, kind, (&map, &key), (value, sort), life)?;
        Ok(vec![Value::Boolean(true)])
    })
}

fn write(
    peer: &Peer,
    cloud: &Cloud,
    kind: Kind,
    (map, key): (&str, &[u8]),
    (value, sort): (Rc<[u8]>, Option<SortKey>),
    life: f64,
) -> Result<(), String> {
    let old = cloud.memory().get(kind, map, key, now(peer)).map_or(0, |item| item.value.len() + key.len());
    let new = value.len() + key.len();
    if new > old {
        check_room(peer, cloud, new - old)?;
    }
    cloud.memory().set(kind, map, key, (value, sort), life, now(peer));
    Ok(())
}

fn change(cx: &mut Cx<'_>, kind: Kind) -> Outcome {
    let ((seat, map, _), key, life) = (open(cx)?, key(cx, 1)?, life(cx, 3)?);
    let what = format!("{map}:UpdateAsync(\"{}\")", shown(&key));
    let (read_map, read_key) = (map.clone(), key.clone());
    let changed = Update {
        seat,
        service: Service::Memory,
        what,
        failed: THROTTLED,
        read: Box::new(move |peer, cloud| {
            charge(peer, cloud, 1.0)?;
            let item = cloud.memory().get(kind, &read_map, &read_key, now(peer));
            let version = item.as_ref().map_or(0, |item| item.version);
            Ok((of(item, kind), version))
        }),
        write: Box::new(move |peer, cloud, made, version| {
            let item = cloud.memory().get(kind, &map, &key, now(peer));
            if item.map_or(0, |item| item.version) != version {
                return None;
            }
            let written = || -> Answer {
                charge(peer, cloud, 1.0)?;
                let sort = made.get(1).filter(|_| kind == Kind::Sorted);
                let sort = sort_key(sort.unwrap_or(&Value::Nil))?;
                write(peer, cloud, kind, (&map, &key), (kept(&made[0])?, sort), life)?;
                Ok(of(cloud.memory().get(kind, &map, &key, now(peer)), kind))
            };
            Some(written())
        }),
    };
    update(cx, 2, changed)
}

fn remove(cx: &mut Cx<'_>, kind: Kind) -> Outcome {
    let ((seat, map, _), key) = (open(cx)?, key(cx, 1)?);
    let what = format!("{map}:RemoveAsync(\"{}\")", shown(&key));
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        cloud.memory().remove(kind, &map, &key);
        Ok(Vec::new())
    })
}

fn bound(value: &Value) -> Result<Bound, String> {
    let Value::Table(table) = value else {
        return if value.is_nil() {
            Ok(Bound::default())
        } else {
            Err("InvalidRequest: a bound is a table.".into())
        };
    };
    let field = |name: &str| {
        let found = table.pairs.iter().find(|(key, _)| key.as_bytes() == Some(name.as_bytes()));
        found.map_or(Value::Nil, |(_, value)| value.clone())
    };
    Ok(Bound { key: field("key").as_bytes().map(<[u8]>::to_vec), sort: sort_key(&field("sortKey"))? })
}

fn range(cx: &mut Cx<'_>) -> Outcome {
    let (seat, map, _) = open(cx)?;
    let ascending = enum_item("SortDirection", "Ascending") == Some(cx.enum_item(1)?);
    let count = cx.integer(2)?;
    if !(1..=MOST_RANGE).contains(&count) {
        return Err(format!("InvalidRequest: count must be between 1 and {MOST_RANGE}.").into());
    }
    let (lower, upper) = (bound(&cx.value(3)?)?, bound(&cx.value(4)?)?);
    let what = format!("{map}:GetRangeAsync({count})");
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        let found = cloud.memory().range(&map, ascending, count as usize, (&lower, &upper), now(peer));
        charge(peer, cloud, found.len().max(1) as f64)?;
        let row = |(key, item): (Vec<u8>, Item)| {
            Value::record([
                ("key", Value::string(key)),
                ("value", decode(&item.value)),
                ("sortKey", sort_value(item.sort.as_ref())),
            ])
        };
        Ok(vec![Value::array(found.into_iter().map(row))])
    })
}

fn size_of_map(cx: &mut Cx<'_>, kind: Kind) -> Outcome {
    let (seat, map, _) = open(cx)?;
    let what = format!("{map}:GetSizeAsync()");
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        let count = cloud.memory().items(kind, &map, now(peer)).len();
        Ok(vec![Value::Number(count as f64)])
    })
}

fn add(cx: &mut Cx<'_>) -> Outcome {
    let (seat, queue, _) = open(cx)?;
    let (value, life) = (kept(&cx.value(1).map_err(|raise| raise.reworded(NO_JSON))?)?, life(cx, 2)?);
    let priority = cx.opt_number(3)?.unwrap_or(0.0);
    let what = format!("{queue}:AddAsync()");
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        check_room(peer, cloud, value.len())?;
        cloud.memory().enqueue(&queue, value, life, priority, now(peer));
        Ok(Vec::new())
    })
}

/// A read of a queue that may wait for items.
struct Reading {
    seat: Seat,
    queue: String,
    count: i64,
    all: bool,
    /// How long what was read is hidden.
    hide: Time,
    /// When it is given up; `None` for never.
    until: Option<Time>,
    parked: Parked,
}

fn read(cx: &mut Cx<'_>) -> Outcome {
    let (seat, queue, hide) = open(cx)?;
    let count = cx.integer(1)?;
    if !(1..=MOST_READ).contains(&count) {
        return Err(format!("InvalidRequest: count must be between 1 and {MOST_READ}.").into());
    }
    let all = cx.opt_boolean(2)?.unwrap_or(false);
    let wait = cx.opt_number(3)?.filter(|wait| *wait >= 0.0);
    let peer = cx.peer();
    let until = wait.map(|wait| now(&peer) + Time::from_seconds(wait));
    try_read(&peer, Reading { seat, queue, count, all, hide, until, parked: cx.park()? });
    Ok(Returns::Yield)
}

fn try_read(peer: &Rc<Peer>, reading: Reading) {
    /// Seconds between two looks at a queue.
    const AGAIN: f64 = 2.0;
    let seat = reading.seat.clone();
    begin(peer, &seat, Service::Memory, THROTTLED, move |peer, cloud, fault| {
        let Reading { queue, count, all, hide, until, parked, .. } = &reading;
        let answer: Answer = (|| {
            if let Some(text) = fault {
                return Err(text);
            }
            let (found, id) = cloud.memory().read(queue, *count as usize, *all, *hide, now(peer));
            charge(peer, cloud, found.len().max(1) as f64)?;
            let id = if found.is_empty() { Value::Nil } else { Value::string(format!("{id:x}")) };
            Ok(vec![Value::array(found.iter().map(|value| decode(value))), id])
        })();
        let is_empty = matches!(answer.as_deref(), Ok([_, Value::Nil]));
        let again = now(peer) + Time::from_seconds(AGAIN);
        if is_empty && until.is_none_or(|until| again <= until) {
            crate::scheduler::call_after(peer, AGAIN, move |peer| try_read(peer, reading));
            return;
        }
        finish(peer, parked, Service::Memory, &format!("{queue}:ReadAsync({count})"), answer);
    });
}

fn remove_read(cx: &mut Cx<'_>) -> Outcome {
    let (seat, queue, _) = open(cx)?;
    let id = u64::from_str_radix(&cx.text(1)?, 16).unwrap_or(0);
    let what = format!("{queue}:RemoveAsync()");
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        cloud.memory().remove_read(&queue, id, now(peer));
        Ok(Vec::new())
    })
}

fn size_of_queue(cx: &mut Cx<'_>) -> Outcome {
    let (seat, queue, _) = open(cx)?;
    let visible_only = cx.opt_boolean(1)?.unwrap_or(false);
    let what = format!("{queue}:GetSizeAsync()");
    ask(cx, &seat, Service::Memory, what, THROTTLED, move |peer, cloud| {
        charge(peer, cloud, 1.0)?;
        Ok(vec![Value::Number(cloud.memory().size(&queue, visible_only, now(peer)) as f64)])
    })
}
