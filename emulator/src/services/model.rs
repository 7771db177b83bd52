//! `BasePart`, `PVInstance` and `Model`: where things are. There is no physics; positions are numbers that scripts set.
//! Engine pages: classes/BasePart and classes/PVInstance, checked August 2026.

use std::rc::Rc;

use crate::datamodel::classes::{ClassId, PropertyId};
use crate::datamodel::instance::this;
use crate::datamodel::members::{Member, method, settable};
use crate::datamodel::{messages, properties};
use crate::datatypes::{BrickColor, CFrame, Color3, Data, Datatype, Vector3};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};

/// Members of the classes.
pub const MEMBERS: &[Member] = &[
    settable("BasePart", "BrickColor", get_brick_color, set_brick_color),
    settable("BasePart", "brickColor", get_brick_color, set_brick_color),
    settable("BasePart", "Orientation", get_orientation, set_orientation),
    settable("BasePart", "Position", get_position, set_position),
    settable("BasePart", "Rotation", get_orientation, set_orientation),
    method("PVInstance", "GetPivot() -> CFrame", get_pivot),
    method("PVInstance", "PivotTo(targetCFrame: CFrame)", pivot_to),
    method("Model", "GetPrimaryPartCFrame() -> CFrame", get_primary_part_cframe),
    method("Model", "SetPrimaryPartCFrame(cframe: CFrame)", set_primary_part_cframe),
    method("Model", "MoveTo(position: Vector3)", move_to).instead("moves through what is in the way"),
    method("Model", "moveTo(position: Vector3)", move_to).instead("moves through what is in the way"),
    method("Model", "TranslateBy(delta: Vector3)", translate_by).instead("moves through what is in the way"),
    method("Model", "GetBoundingBox() -> ...", |cx| {
        let peer = cx.peer();
        let (middle, size) = bounds(&peer, this(cx)?);
        cx.push(&Value::Datatype(middle.into()));
        cx.push_vector(size.to_array());
        Ok(Returns::Values(2))
    }),
    method("Model", "GetExtentsSize() -> Vector3", |cx| {
        let size = bounds(&cx.peer(), this(cx)?).1;
        cx.push_vector(size.to_array());
        Ok(Returns::ONE)
    }),
];

/// A property of the instance's class by name.
fn own(peer: &Peer, id: InstanceId, name: &str) -> Option<PropertyId> {
    peer.data_model().store().class(id).property(name)
}

fn read<T: Data>(peer: &Peer, id: InstanceId, name: &str) -> Option<T> {
    match properties::get_by_name(&peer.data_model().store(), id, name) {
        Value::Datatype(value) => T::from_datatype(&value).cloned(),
        _ => None,
    }
}

fn write(peer: &Rc<Peer>, id: InstanceId, name: &str, value: Datatype) {
    if let Some(property) = own(peer, id, name) {
        properties::set(peer, id, property, Value::Datatype(value));
    }
}

fn frame(peer: &Peer, id: InstanceId) -> CFrame {
    read(peer, id, "CFrame").unwrap_or(CFrame::IDENTITY)
}

/// Computed properties that change with another one: the parts of a frame, the old palette of a colour.
pub fn shown_by(class: ClassId, property: &str, old: &Value, new: &Value) -> &'static [&'static str] {
    if !matches!(property, "CFrame" | "Color") || !class.is_a_name("BasePart") {
        return &[];
    }
    match (old, new) {
        (Value::Datatype(Datatype::CFrame(old)), Value::Datatype(Datatype::CFrame(new))) => {
            match (old.position != new.position, old.rotation != new.rotation) {
                (true, true) => &["Position", "Orientation"],
                (true, false) => &["Position"],
                (false, _) => &["Orientation"],
            }
        }
        _ => &["BrickColor"],
    }
}

fn vector(name: &str, value: &Value) -> Result<Vector3, String> {
    match value {
        Value::Vector(parts) => Ok(Vector3::from_array(*parts)),
        other => Err(messages::wrong_type(name, "Vector3", other.type_name())),
    }
}

fn get_position(peer: &Rc<Peer>, id: InstanceId) -> Result<Value, String> {
    Ok(Value::Vector(frame(peer, id).position.to_array()))
}

fn set_position(peer: &Rc<Peer>, id: InstanceId, value: Value) -> Result<(), String> {
    let position = vector("Position", &value)?;
    write(peer, id, "CFrame", CFrame { position, ..frame(peer, id) }.into());
    Ok(())
}

/// Degrees about X, Y and Z, applied Y first.
fn get_orientation(peer: &Rc<Peer>, id: InstanceId) -> Result<Value, String> {
    Ok(Value::Vector(frame(peer, id).to_orientation().map(f32::to_degrees)))
}

fn set_orientation(peer: &Rc<Peer>, id: InstanceId, value: Value) -> Result<(), String> {
    let degrees = vector("Orientation", &value)?;
    let [x, y, z] = degrees.to_array().map(f32::to_radians);
    let turned = CFrame { position: frame(peer, id).position, ..CFrame::from_orientation(x, y, z) };
    write(peer, id, "CFrame", turned.into());
    Ok(())
}

fn get_brick_color(peer: &Rc<Peer>, id: InstanceId) -> Result<Value, String> {
    let color: Option<Color3> = read(peer, id, "Color");
    Ok(color.map_or(Value::Nil, |color| Value::Datatype(BrickColor::from_color(color).into())))
}

fn set_brick_color(peer: &Rc<Peer>, id: InstanceId, value: Value) -> Result<(), String> {
    let Value::Datatype(Datatype::BrickColor(color)) = value else {
        return Err(messages::wrong_type("BrickColor", "BrickColor", value.type_name()));
    };
    write(peer, id, "Color", color.color().into());
    Ok(())
}

/// What carries an instance's pivot: the primary part of a model that has one, a part itself.
fn carrier(peer: &Peer, id: InstanceId) -> (InstanceId, &'static str) {
    match properties::get_by_name(&peer.data_model().store(), id, "PrimaryPart") {
        Value::Instance(part) => (part, "CFrame"),
        _ if own(peer, id, "CFrame").is_some() => (id, "CFrame"),
        _ => (id, "WorldPivot"),
    }
}

fn get_pivot(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    let (part, property) = carrier(&peer, this(cx)?);
    let pivot: CFrame = read(&peer, part, property).unwrap_or(CFrame::IDENTITY);
    cx.push(&Value::Datatype(pivot.into()));
    Ok(Returns::ONE)
}

/// Moves the instance and every part in it.
fn pivot_to(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let target = cframe(cx, 1)?;
    move_all(&cx.peer(), id, target);
    Ok(Returns::NONE)
}

fn cframe(cx: &Cx<'_>, index: i32) -> Result<CFrame, Raise> {
    match cx.shallow(index)? {
        Value::Datatype(Datatype::CFrame(frame)) => Ok(frame),
        _ => Err(Raise::new(messages::cannot_cast(&cx.type_name(index), "CoordinateFrame"))),
    }
}

fn pivot(peer: &Peer, id: InstanceId) -> CFrame {
    let (part, property) = carrier(peer, id);
    read(peer, part, property).unwrap_or(CFrame::IDENTITY)
}

/// Parts of an instance, itself among them.
fn parts(peer: &Peer, id: InstanceId) -> Vec<InstanceId> {
    let mut all = peer.data_model().store().descendants(id);
    all.push(id);
    all.retain(|member| own(peer, *member, "CFrame").is_some() && own(peer, *member, "Anchored").is_some());
    all
}

fn move_all(peer: &Rc<Peer>, id: InstanceId, target: CFrame) {
    let (carrier, property) = carrier(peer, id);
    let from = pivot(peer, id);
    for member in parts(peer, id) {
        let place = from.to_object_space(&frame(peer, member));
        write(peer, member, "CFrame", target.to_world_space(&place).into());
    }
    if property == "WorldPivot" {
        write(peer, carrier, property, target.into());
    }
}

/// The primary part, for methods that cannot do without.
fn primary_part(cx: &Cx<'_>) -> Result<InstanceId, Raise> {
    let id = this(cx)?;
    match properties::get_by_name(&cx.peer().data_model().store(), id, "PrimaryPart") {
        Value::Instance(part) => Ok(part),
        _ => Err(Raise::new(format!(
            "Model:{}() failed because no PrimaryPart has been set, or the PrimaryPart no longer exists. Please set \
             Model.PrimaryPart before using this.",
            cx.callee()
        ))),
    }
}

fn get_primary_part_cframe(cx: &mut Cx<'_>) -> Outcome {
    let part = primary_part(cx)?;
    cx.push(&Value::Datatype(frame(&cx.peer(), part).into()));
    Ok(Returns::ONE)
}

fn set_primary_part_cframe(cx: &mut Cx<'_>) -> Outcome {
    primary_part(cx)?;
    let (id, target) = (this(cx)?, cframe(cx, 1)?);
    move_all(&cx.peer(), id, target);
    Ok(Returns::NONE)
}

fn move_to(cx: &mut Cx<'_>) -> Outcome {
    let (id, position) = (this(cx)?, Vector3::from_array(cx.vector(1)?));
    let peer = cx.peer();
    move_all(&peer, id, CFrame { position, ..pivot(&peer, id) });
    Ok(Returns::NONE)
}

fn translate_by(cx: &mut Cx<'_>) -> Outcome {
    let (id, delta) = (this(cx)?, Vector3::from_array(cx.vector(1)?));
    let peer = cx.peer();
    let from = pivot(&peer, id);
    move_all(&peer, id, CFrame { position: from.position + delta, ..from });
    Ok(Returns::NONE)
}

/// Middle and size of the box around an instance's parts that is turned as its pivot is.
fn bounds(peer: &Peer, id: InstanceId) -> (CFrame, Vector3) {
    let pivot = pivot(peer, id);
    let (mut low, mut high) = (Vector3::splat(f32::INFINITY), Vector3::splat(f32::NEG_INFINITY));
    for part in parts(peer, id) {
        let place = pivot.to_object_space(&frame(peer, part));
        let half = match properties::get_by_name(&peer.data_model().store(), part, "Size") {
            Value::Vector(size) => Vector3::from_array(size) * 0.5,
            _ => Vector3::ZERO,
        };
        // The box around a turned box: its half size along each axis is a sum over the part's axes.
        let reach = |axis: Vector3, half: f32| axis.abs() * half;
        let reach = reach(place.right_vector(), half.x)
            + reach(place.up_vector(), half.y)
            + reach(place.z_vector(), half.z);
        low = low.min(place.position - reach);
        high = high.max(place.position + reach);
    }
    if low.x > high.x {
        return (pivot, Vector3::ZERO);
    }
    let middle = pivot.point_to_world_space((low + high) * 0.5);
    (CFrame { position: middle, ..pivot }, high - low)
}
