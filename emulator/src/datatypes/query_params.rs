//! `RaycastParams` and `OverlapParams`: what a query leaves out. Engine pages: datatypes/RaycastParams and
//! datatypes/OverlapParams, checked November 2026.
//!
//! They are the datatypes that scripts change in place, and so have an identity: the value is a number, its fields are
//! kept by the side. The emulator has no physics to query; code that prepares queries and hands the parameters about
//! works, and so does a stub that reads them.

use std::cell::RefCell;
use std::rc::Rc;

use super::Data;
use super::script::{enum_value, equal, push_enum_value, return_data, this};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Atom, Cx, Failure, NativeFn, Outcome, Raise, Returns, Type, TypeTable, Vm, not_a_member};

/// Parameters of a ray or shape that is cast, by their number on their side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaycastParams {
    id: u32,
}

/// Parameters of a search for parts, by their number on their side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverlapParams {
    id: u32,
}

/// The fields of either.
#[derive(Debug, Clone)]
struct Fields {
    instances: Vec<InstanceId>,
    /// Value of the item of `Enum.RaycastFilterType`: 0 exclude, 1 include.
    filter: u32,
    collision_group: String,
    ignore_water: bool,
    respect_can_collide: bool,
    brute_force: bool,
    max_parts: f64,
    tolerance: f64,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            instances: Vec::new(),
            filter: 0,
            collision_group: "Default".to_owned(),
            ignore_water: false,
            respect_can_collide: false,
            brute_force: false,
            max_parts: 0.0,
            tolerance: 0.0,
        }
    }
}

/// Everything made on one side so far.
#[derive(Default)]
struct Params(RefCell<Vec<Fields>>);

fn params(cx: &Cx<'_>) -> Result<Rc<Params>, Raise> {
    let of = |peer: Rc<Peer>| peer.part_or_default::<Params>();
    cx.opt_peer().map(of).ok_or_else(|| Raise::new("query parameters belong to the side that made them"))
}

impl Params {
    fn add(&self) -> u32 {
        let mut all = self.0.borrow_mut();
        all.push(Fields::default());
        (all.len() - 1) as u32
    }

    fn with<R>(&self, id: u32, run: impl FnOnce(&mut Fields) -> R) -> Result<R, Raise> {
        let mut all = self.0.borrow_mut();
        let fields = all.get_mut(id as usize);
        fields.map(run).ok_or_else(|| Raise::new("the query parameters belong to another side"))
    }
}

/// A type of parameters.
trait Query: Data + Copy + PartialEq {
    const TABLE: TypeTable;
    /// Its fields beside those that both have.
    const FIELDS: &'static [&'static str];
    fn id(self) -> u32;
}

impl Query for RaycastParams {
    const TABLE: TypeTable = table::<RaycastParams>();
    const FIELDS: &'static [&'static str] = &["IgnoreWater"];
    fn id(self) -> u32 {
        self.id
    }
}

impl Query for OverlapParams {
    const TABLE: TypeTable = table::<OverlapParams>();
    const FIELDS: &'static [&'static str] = &["MaxParts", "Tolerance"];
    fn id(self) -> u32 {
        self.id
    }
}

/// Fields of both.
const COMMON: &[&str] =
    &["FilterDescendantsInstances", "FilterType", "CollisionGroup", "RespectCanCollide", "BruteForceAllSlow"];

const fn table<T: Query>() -> TypeTable {
    TypeTable {
        name: T::NAME,
        index: Some(index::<T>),
        newindex: Some(newindex::<T>),
        namecall: Some(namecall::<T>),
        tostring: None,
        operators: const { &[("__eq", equal::<T> as NativeFn)] },
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes both types to a VM and adds their libraries.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    // Names must be known before a script's string caches that they are not.
    for name in
        COMMON.iter().chain(RaycastParams::FIELDS).chain(OverlapParams::FIELDS).chain(&["AddToFilter"])
    {
        Atom::of(name);
    }
    vm.register_data::<RaycastParams>(RaycastParams::TABLE)?;
    vm.register_data::<OverlapParams>(OverlapParams::TABLE)?;
    vm.set_library("RaycastParams", &[("new", |cx| new(cx, |id| RaycastParams { id }))], &[])?;
    vm.set_library("OverlapParams", &[("new", |cx| new(cx, |id| OverlapParams { id }))], &[])
}

fn new<T: Data + Copy>(cx: &mut Cx<'_>, make: fn(u32) -> T) -> Outcome {
    let id = params(cx)?.add();
    return_data(cx, make(id))
}

/// The parameters at index 1 and the field at 2.
fn field<T: Query>(cx: &Cx<'_>) -> Result<(T, String), Raise> {
    let name = cx.text(2).unwrap_or_default();
    let own: T = cx.data(1)?;
    if COMMON.contains(&name.as_str()) || T::FIELDS.contains(&name.as_str()) {
        return Ok((own, name));
    }
    Err(not_a_member(&name, Some(T::TABLE)))
}

fn index<T: Query>(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    if cx.text(2).is_ok_and(|name| name == "AddToFilter") {
        cx.push_method(&crate::vm::Method { name: "AddToFilter", call: add_to_filter::<T> });
        return Ok(Returns::ONE);
    }
    let (own, name) = field::<T>(cx)?;
    let fields = params(cx)?.with(own.id(), |fields| fields.clone())?;
    match name.as_str() {
        "FilterDescendantsInstances" => {
            cx.push(&Value::array(fields.instances.into_iter().map(Value::Instance)));
        }
        "FilterType" => push_enum_value(cx, "RaycastFilterType", fields.filter),
        "CollisionGroup" => cx.push_string(&fields.collision_group),
        "RespectCanCollide" => cx.push_boolean(fields.respect_can_collide),
        "BruteForceAllSlow" => cx.push_boolean(fields.brute_force),
        "IgnoreWater" => cx.push_boolean(fields.ignore_water),
        "MaxParts" => cx.push_number(fields.max_parts),
        _ => cx.push_number(fields.tolerance),
    }
    Ok(Returns::ONE)
}

fn newindex<T: Query>(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let (own, name) = field::<T>(cx)?;
    let all = params(cx)?;
    match name.as_str() {
        "FilterDescendantsInstances" => {
            let list = instances(cx, 3)?;
            all.with(own.id(), |fields| fields.instances = list)
        }
        "FilterType" => {
            let filter = enum_value(cx, 3, "RaycastFilterType")?;
            all.with(own.id(), |fields| fields.filter = filter)
        }
        "CollisionGroup" => {
            let group = cx.text(3)?;
            all.with(own.id(), |fields| fields.collision_group = group)
        }
        "RespectCanCollide" => {
            let on = cx.boolean(3)?;
            all.with(own.id(), |fields| fields.respect_can_collide = on)
        }
        "BruteForceAllSlow" => {
            let on = cx.boolean(3)?;
            all.with(own.id(), |fields| fields.brute_force = on)
        }
        "IgnoreWater" => {
            let on = cx.boolean(3)?;
            all.with(own.id(), |fields| fields.ignore_water = on)
        }
        "MaxParts" => {
            let most = cx.number(3)?;
            all.with(own.id(), |fields| fields.max_parts = most)
        }
        _ => {
            let tolerance = cx.number(3)?;
            all.with(own.id(), |fields| fields.tolerance = tolerance)
        }
    }?;
    Ok(Returns::NONE)
}

fn namecall<T: Query>(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let name = cx.callee();
    if name == "AddToFilter" {
        return add_to_filter::<T>(cx);
    }
    Err(not_a_member(&name, Some(T::TABLE)))
}

/// An array of instances; what is none is left out, as the engine leaves holes out.
fn instances(cx: &Cx<'_>, index: i32) -> Result<Vec<InstanceId>, Raise> {
    if cx.kind(index) != Type::Table {
        return Err(cx.wrong_type(index, "table"));
    }
    let Value::Table(table) = cx.value(index)? else { return Ok(Vec::new()) };
    let pairs = table.pairs.iter().map(|(_, value)| value);
    let found = table.array.iter().chain(pairs).filter_map(|value| match value {
        Value::Instance(id) => Some(*id),
        _ => None,
    });
    Ok(found.collect())
}

/// Adds an instance, or an array of them.
fn add_to_filter<T: Query>(cx: &mut Cx<'_>) -> Outcome {
    let own: T = this_query(cx)?;
    let more = match cx.kind(1) {
        Type::Table => instances(cx, 1)?,
        _ => vec![cx.instance(1)?],
    };
    params(cx)?.with(own.id(), |fields| fields.instances.extend(more))?;
    Ok(Returns::NONE)
}

fn this_query<T: Query>(cx: &Cx<'_>) -> Result<T, Raise> {
    this::<T>(cx)
}
