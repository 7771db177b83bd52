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
use crate::vm::{Cx, Outcome, Returns};

/// Members of the classes.
pub const MEMBERS: &[Member] = &[
    settable("BasePart", "BrickColor", get_brick_color, set_brick_color),
    settable("BasePart", "brickColor", get_brick_color, set_brick_color),
    settable("BasePart", "Orientation", get_orientation, set_orientation),
    settable("BasePart", "Position", get_position, set_position),
    settable("BasePart", "Rotation", get_orientation, set_orientation),
    method("PVInstance", "GetPivot", get_pivot),
    method("PVInstance", "PivotTo", pivot_to),
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
    let peer = cx.peer();
    let Value::Datatype(Datatype::CFrame(target)) = cx.shallow(1)? else {
        return Err(messages::cannot_cast(&cx.type_name(1), "CoordinateFrame").into());
    };
    let (part, property) = carrier(&peer, id);
    let from: CFrame = read(&peer, part, property).unwrap_or(CFrame::IDENTITY);
    let mut moved = peer.data_model().store().descendants(id);
    moved.push(id);
    for member in moved {
        let is_part = own(&peer, member, "CFrame").is_some() && own(&peer, member, "Anchored").is_some();
        if is_part {
            let place = from.to_object_space(&frame(&peer, member));
            write(&peer, member, "CFrame", target.to_world_space(&place).into());
        }
    }
    if property == "WorldPivot" {
        write(&peer, id, property, target.into());
    }
    Ok(Returns::NONE)
}
