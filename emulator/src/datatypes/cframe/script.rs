//! `CFrame` as scripts see it.

use super::super::script::{
    Property, enum_value_or, equal, float, float_or, held, held_or, operand, push_float, push_vector3,
    return_bool, return_data, return_float, scripted, this, wrong_operand,
};
use super::super::vector3::Vector3;
use super::{CFrame, EulerOrder};
use crate::value::Value;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Returns, Type, Vm};

/// Describes the type to a VM and adds its library.
pub(in super::super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<CFrame>(table())?;
    let functions: [(&'static str, NativeFn); 11] = [
        ("new", new),
        ("lookAt", |cx| return_data(cx, CFrame::look_at(held(cx, 1)?, held(cx, 2)?, up(cx)?))),
        ("lookAlong", |cx| return_data(cx, CFrame::look_along(held(cx, 1)?, held(cx, 2)?, up(cx)?))),
        ("fromRotationBetweenVectors", |cx| {
            return_data(cx, CFrame::from_rotation_between(held(cx, 1)?, held(cx, 2)?))
        }),
        ("fromEulerAngles", from_euler_angles),
        ("fromEulerAnglesXYZ", |cx| from_angles(cx, EulerOrder::Xyz)),
        ("Angles", |cx| from_angles(cx, EulerOrder::Xyz)),
        ("fromEulerAnglesYXZ", |cx| from_angles(cx, EulerOrder::Yxz)),
        ("fromOrientation", |cx| from_angles(cx, EulerOrder::Yxz)),
        ("fromAxisAngle", |cx| return_data(cx, CFrame::from_axis_angle(held(cx, 1)?, float(cx, 2)?))),
        ("fromMatrix", from_matrix),
    ];
    vm.set_library("CFrame", &functions, &[("identity", Value::Datatype(CFrame::IDENTITY.into()))])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let frame = match (cx.count(), cx.kind(1)) {
        (0, _) => CFrame::IDENTITY,
        (1, Type::Vector) => CFrame::from_position(held(cx, 1)?),
        (2, Type::Vector) => CFrame::look_at(held(cx, 1)?, held(cx, 2)?, Vector3::Y),
        (3, _) => CFrame::from_position(position(cx)?),
        (7, _) => {
            let position = position(cx)?;
            CFrame::from_quaternion(position, cx.number(4)?, cx.number(5)?, cx.number(6)?, cx.number(7)?)
        }
        (12, _) => {
            let mut components = [0.0; 12];
            for (index, component) in components.iter_mut().enumerate() {
                *component = float(cx, index as i32 + 1)?;
            }
            CFrame::from_components(components)
        }
        (1 | 2, _) => return Err(cx.wrong_type(1, "Vector3")),
        (count, _) => return Err(Raise::new(format!("Invalid number of arguments: {count}"))),
    };
    return_data(cx, frame)
}

fn position(cx: &Cx<'_>) -> Result<Vector3, Raise> {
    Ok(Vector3::new(float(cx, 1)?, float(cx, 2)?, float(cx, 3)?))
}

fn up(cx: &Cx<'_>) -> Result<Vector3, Raise> {
    held_or(cx, 3, Vector3::Y)
}

fn from_angles(cx: &Cx<'_>, order: EulerOrder) -> Outcome {
    let (x, y, z) = (float_or(cx, 1, 0.0)?, float_or(cx, 2, 0.0)?, float_or(cx, 3, 0.0)?);
    return_data(cx, CFrame::from_euler_angles(x, y, z, order))
}

fn from_euler_angles(cx: &mut Cx<'_>) -> Outcome {
    let order = order(cx, 4)?;
    from_angles(cx, order)
}

fn order(cx: &Cx<'_>, index: i32) -> Result<EulerOrder, Raise> {
    let value = enum_value_or(cx, index, "RotationOrder", 0)?;
    Ok(EulerOrder::from_value(value).unwrap_or_default())
}

fn from_matrix(cx: &mut Cx<'_>) -> Outcome {
    let z = if cx.is_nil(4) { None } else { Some(held(cx, 4)?) };
    return_data(cx, CFrame::from_matrix(held(cx, 1)?, held(cx, 2)?, held(cx, 3)?, z))
}

const PROPERTIES: &[(&str, Property<CFrame>)] = &[
    ("Position", |cx, this| push_vector3(cx, this.position)),
    ("Rotation", |cx, this| cx.push_data(this.without_position())),
    ("X", |cx, this| push_float(cx, this.position.x)),
    ("Y", |cx, this| push_float(cx, this.position.y)),
    ("Z", |cx, this| push_float(cx, this.position.z)),
    ("LookVector", |cx, this| push_vector3(cx, this.look_vector())),
    ("RightVector", |cx, this| push_vector3(cx, this.right_vector())),
    ("UpVector", |cx, this| push_vector3(cx, this.up_vector())),
    ("XVector", |cx, this| push_vector3(cx, this.right_vector())),
    ("YVector", |cx, this| push_vector3(cx, this.up_vector())),
    ("ZVector", |cx, this| push_vector3(cx, this.z_vector())),
    // Deprecated spellings.
    ("p", |cx, this| push_vector3(cx, this.position)),
    ("x", |cx, this| push_float(cx, this.position.x)),
    ("y", |cx, this| push_float(cx, this.position.y)),
    ("z", |cx, this| push_float(cx, this.position.z)),
    ("lookVector", |cx, this| push_vector3(cx, this.look_vector())),
    ("rightVector", |cx, this| push_vector3(cx, this.right_vector())),
    ("upVector", |cx, this| push_vector3(cx, this.up_vector())),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("Inverse", inverse),
    ("Lerp", lerp),
    ("Orthonormalize", |cx| return_data(cx, this::<CFrame>(cx)?.orthonormalize())),
    ("ToWorldSpace", |cx| each_frame(cx, CFrame::to_world_space)),
    ("ToObjectSpace", |cx| each_frame(cx, CFrame::to_object_space)),
    ("PointToWorldSpace", |cx| each_vector(cx, CFrame::point_to_world_space)),
    ("PointToObjectSpace", |cx| each_vector(cx, CFrame::point_to_object_space)),
    ("VectorToWorldSpace", |cx| each_vector(cx, CFrame::vector_to_world_space)),
    ("VectorToObjectSpace", |cx| each_vector(cx, CFrame::vector_to_object_space)),
    ("GetComponents", components),
    ("ToEulerAngles", |cx| {
        let order = order(cx, 1)?;
        angles(cx, order)
    }),
    ("ToEulerAnglesXYZ", |cx| angles(cx, EulerOrder::Xyz)),
    ("ToEulerAnglesYXZ", |cx| angles(cx, EulerOrder::Yxz)),
    ("ToOrientation", |cx| angles(cx, EulerOrder::Yxz)),
    ("ToAxisAngle", to_axis_angle),
    ("FuzzyEq", |cx| return_bool(cx, this::<CFrame>(cx)?.fuzzy_eq(&held(cx, 1)?, float_or(cx, 2, 1e-5)?))),
    ("AngleBetween", |cx| return_float(cx, this::<CFrame>(cx)?.angle_between(&held(cx, 1)?))),
    // Deprecated spellings.
    ("inverse", inverse),
    ("lerp", lerp),
    ("components", components),
    ("toWorldSpace", |cx| each_frame(cx, CFrame::to_world_space)),
    ("toObjectSpace", |cx| each_frame(cx, CFrame::to_object_space)),
    ("pointToWorldSpace", |cx| each_vector(cx, CFrame::point_to_world_space)),
    ("pointToObjectSpace", |cx| each_vector(cx, CFrame::point_to_object_space)),
    ("vectorToWorldSpace", |cx| each_vector(cx, CFrame::vector_to_world_space)),
    ("vectorToObjectSpace", |cx| each_vector(cx, CFrame::vector_to_object_space)),
    ("toEulerAnglesXYZ", |cx| angles(cx, EulerOrder::Xyz)),
    ("toAxisAngle", to_axis_angle),
];

const OPERATORS: &[(&str, NativeFn)] = &[
    ("__mul", multiply),
    ("__add", |cx| return_data(cx, operand::<CFrame>(cx, 1)? + operand::<Vector3>(cx, 2)?)),
    ("__sub", |cx| return_data(cx, operand::<CFrame>(cx, 1)? - operand::<Vector3>(cx, 2)?)),
    ("__eq", equal::<CFrame>),
];

fn script_text(frame: &CFrame) -> String {
    frame.to_text()
}

scripted!(CFrame, "CFrame");

fn multiply(cx: &mut Cx<'_>) -> Outcome {
    let frame: CFrame = operand(cx, 1)?;
    match (cx.kind(2), cx.try_data::<CFrame>(2)) {
        (_, Some(other)) => cx.push_data(frame * other),
        (Type::Vector, _) => push_vector3(cx, frame * held::<Vector3>(cx, 2)?),
        _ => return Err(wrong_operand(cx, 2, "Vector3")),
    }
    Ok(Returns::ONE)
}

fn inverse(cx: &mut Cx<'_>) -> Outcome {
    return_data(cx, this::<CFrame>(cx)?.inverse())
}

fn lerp(cx: &mut Cx<'_>) -> Outcome {
    return_data(cx, this::<CFrame>(cx)?.lerp(&held(cx, 1)?, float(cx, 2)?))
}

fn components(cx: &mut Cx<'_>) -> Outcome {
    for component in this::<CFrame>(cx)?.components() {
        push_float(cx, component);
    }
    Ok(Returns::Values(12))
}

fn angles(cx: &Cx<'_>, order: EulerOrder) -> Outcome {
    for angle in this::<CFrame>(cx)?.to_euler_angles(order) {
        push_float(cx, angle);
    }
    Ok(Returns::Values(3))
}

fn to_axis_angle(cx: &mut Cx<'_>) -> Outcome {
    let (axis, angle) = this::<CFrame>(cx)?.to_axis_angle();
    push_vector3(cx, axis);
    push_float(cx, angle);
    Ok(Returns::Values(2))
}

/// Takes any number of frames and returns as many.
fn each_frame(cx: &Cx<'_>, map: fn(&CFrame, &CFrame) -> CFrame) -> Outcome {
    let frame: CFrame = this(cx)?;
    let count = cx.count();
    for index in 1..=count {
        cx.push_data(map(&frame, &held(cx, index)?));
    }
    Ok(Returns::Values(count))
}

/// Takes any number of vectors and returns as many.
fn each_vector(cx: &Cx<'_>, map: fn(&CFrame, Vector3) -> Vector3) -> Outcome {
    let frame: CFrame = this(cx)?;
    let count = cx.count();
    for index in 1..=count {
        push_vector3(cx, map(&frame, held(cx, index)?));
    }
    Ok(Returns::Values(count))
}
