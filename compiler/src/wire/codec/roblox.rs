//! Bytes of the Roblox datatypes (`language.md` 10.8 to 10.10).

use crate::schema::{NumberKind, RobloxType, Rotation};
use crate::wire::codec::Game;
use crate::wire::codec::error::{Problem, Refusal};
use crate::wire::codec::number::{from_bytes, to_bytes};
use crate::wire::codec::value::{Keypoint, TweenInfo, UDim, Value};
use crate::wire::plan::CFrame;

/// Length of a vector, in the single precision `Magnitude` has.
pub(crate) fn magnitude([x, y, z]: &[f32; 3]) -> f64 {
    f64::from((x * x + y * y + z * z).sqrt())
}

struct Out(Vec<u8>);

impl Out {
    fn number(&mut self, kind: NumberKind, value: f64) -> &mut Out {
        self.0.extend(&to_bytes(kind, value)[..kind.size() as usize]);
        self
    }

    fn f32(&mut self, value: f32) -> &mut Out {
        self.number(NumberKind::F32, f64::from(value))
    }

    fn color(&mut self, color: &[f32; 3]) -> &mut Out {
        for channel in color {
            self.number(NumberKind::U8, (f64::from(*channel) * 255.0).round().clamp(0.0, 255.0));
        }
        self
    }

    fn udim(&mut self, udim: UDim) -> &mut Out {
        self.f32(udim.scale).number(NumberKind::I32, f64::from(udim.offset))
    }
}

/// Bytes in order; past the end they read as 0, which callers rule out by giving as many as the type has.
struct In<'a>(&'a [u8]);

impl In<'_> {
    fn number(&mut self, kind: NumberKind) -> f64 {
        let size = (kind.size() as usize).min(self.0.len());
        let (own, rest) = self.0.split_at(size);
        self.0 = rest;
        from_bytes(kind, own)
    }

    fn f32(&mut self) -> f32 {
        self.number(NumberKind::F32) as f32
    }

    fn u8(&mut self) -> u8 {
        self.number(NumberKind::U8) as u8
    }

    fn color(&mut self) -> [f32; 3] {
        [0; 3].map(|_| f32::from(self.u8()) / 255.0)
    }

    fn udim(&mut self) -> UDim {
        UDim { scale: self.f32(), offset: self.number(NumberKind::I32) as i32 }
    }
}

pub(crate) fn encode(ty: RobloxType, value: &Value) -> Result<Vec<u8>, Refusal> {
    let mut out = Out(Vec::new());
    match (ty, value) {
        (RobloxType::Color3, Value::Color3(color)) => out.color(color),
        (RobloxType::BrickColor, Value::BrickColor(number)) => {
            out.number(NumberKind::U16, f64::from(*number))
        }
        (RobloxType::DateTime, Value::DateTime(millis)) => {
            out.number(NumberKind::F64, (millis / 1000.0).floor())
        }
        (RobloxType::DateTimeMillis, Value::DateTime(millis)) => out.number(NumberKind::F64, *millis),
        (RobloxType::Vector2, Value::Vector2([x, y])) => out.f32(*x).f32(*y),
        (RobloxType::UDim, Value::UDim(udim)) => out.udim(*udim),
        (RobloxType::UDim2, Value::UDim2(x, y)) => out.udim(*x).udim(*y),
        (RobloxType::NumberRange, Value::NumberRange(min, max)) => out.f32(*min).f32(*max),
        (RobloxType::TweenInfo, Value::TweenInfo(info)) => out
            .f32(info.time)
            .number(NumberKind::U8, f64::from(info.style))
            .number(NumberKind::U8, f64::from(info.direction))
            .number(NumberKind::I32, f64::from(info.repeats))
            .number(NumberKind::U8, if info.reverses { 1.0 } else { 0.0 })
            .f32(info.delay),
        (RobloxType::ColorSequence, Value::ColorSequence(keypoints)) => {
            if !(2..=20).contains(&keypoints.len()) {
                return Err(Refusal::Length { length: keypoints.len(), min: 2, max: 20 });
            }
            out.number(NumberKind::U8, keypoints.len() as f64);
            for keypoint in keypoints {
                out.f32(keypoint.time).color(&keypoint.color);
            }
            &mut out
        }
        (ty, value) => {
            let expected = if ty == RobloxType::DateTimeMillis { "DateTime" } else { ty.name() };
            return Err(Refusal::Type { expected: expected.to_owned(), found: value.type_name() });
        }
    };
    Ok(out.0)
}

/// Reads any type but `ColorSequence`, which [`decode_color_sequence`] reads.
pub(crate) fn decode(ty: RobloxType, bytes: &[u8], game: &dyn Game) -> Result<Value, Problem> {
    let mut input = In(bytes);
    Ok(match ty {
        RobloxType::Color3 => Value::Color3(input.color()),
        RobloxType::BrickColor => Value::BrickColor(input.number(NumberKind::U16) as u16),
        RobloxType::DateTime => Value::DateTime(input.number(NumberKind::F64) * 1000.0),
        RobloxType::DateTimeMillis => Value::DateTime(input.number(NumberKind::F64)),
        RobloxType::Vector2 => Value::Vector2([input.f32(), input.f32()]),
        RobloxType::UDim => Value::UDim(input.udim()),
        RobloxType::UDim2 => Value::UDim2(input.udim(), input.udim()),
        RobloxType::NumberRange => {
            let (min, max) = (input.f32(), input.f32());
            if min.is_nan() || max.is_nan() || max < min {
                return Err(Problem::Shape("has a maximum below its minimum, or NaN"));
            }
            Value::NumberRange(min, max)
        }
        RobloxType::TweenInfo => {
            let info = TweenInfo {
                time: input.f32(),
                style: input.u8(),
                direction: input.u8(),
                repeats: input.number(NumberKind::I32) as i32,
                reverses: input.u8() != 0,
                delay: input.f32(),
            };
            for (enum_name, value) in [("EasingStyle", info.style), ("EasingDirection", info.direction)] {
                let value = u16::from(value);
                if !game.has_item(enum_name, value) {
                    return Err(Problem::Item { enum_name: enum_name.to_owned(), value });
                }
            }
            Value::TweenInfo(info)
        }
        RobloxType::ColorSequence => decode_color_sequence(bytes)?,
    })
}

/// Reads keypoints, seven bytes each, without the count.
pub(crate) fn decode_color_sequence(bytes: &[u8]) -> Result<Value, Problem> {
    let mut keypoints = Vec::with_capacity(bytes.len() / 7);
    for chunk in bytes.chunks_exact(7) {
        let mut input = In(chunk);
        keypoints.push(Keypoint { time: input.f32(), color: input.color() });
    }
    let ordered = keypoints.is_sorted_by(|before, after| before.time <= after.time);
    let ends = keypoints.first().is_some_and(|first| first.time == 0.0)
        && keypoints.last().is_some_and(|last| last.time == 1.0);
    if !(ordered && ends) {
        return Err(Problem::Shape("has keypoints that do not run from 0 to 1 in order"));
    }
    Ok(Value::ColorSequence(keypoints))
}

/// Steps of a component in the seven-byte form.
const QUAT_STEPS: f64 = 32_767.0;
/// Steps of a component in the four-byte form, and its bias.
const QUAT32_STEPS: f64 = 511.0;

pub(crate) fn encode_cframe(cframe: &CFrame, components: &[f32; 12]) -> Result<Vec<u8>, Refusal> {
    let mut out = Out(Vec::new());
    for component in &components[..3] {
        out.number(cframe.position, f64::from(*component));
    }
    let mut matrix = [0.0; 9];
    for (to, from) in matrix.iter_mut().zip(&components[3..]) {
        *to = f64::from(*from);
    }
    match cframe.rotation {
        Rotation::Angles(kind) => {
            for angle in to_orientation(&matrix) {
                out.number(kind, angle);
            }
        }
        Rotation::Quat => {
            let (index, rest) = smallest_three(&matrix)?;
            out.number(NumberKind::U8, f64::from(index));
            for component in rest {
                let steps = (component * QUAT_STEPS * std::f64::consts::SQRT_2).round();
                out.number(NumberKind::I16, steps.clamp(-QUAT_STEPS, QUAT_STEPS));
            }
        }
        Rotation::Quat32 => {
            let (index, rest) = smallest_three(&matrix)?;
            let mut packed = u32::from(index);
            for (position, component) in rest.into_iter().enumerate() {
                let steps = (component * QUAT32_STEPS * std::f64::consts::SQRT_2).round() + QUAT32_STEPS;
                packed |= (steps.clamp(0.0, 2.0 * QUAT32_STEPS) as u32) << (2 + 10 * position);
            }
            out.number(NumberKind::U32, f64::from(packed));
        }
    }
    Ok(out.0)
}

pub(crate) fn decode_cframe(cframe: &CFrame, bytes: &[u8]) -> Result<[f32; 12], Problem> {
    let mut input = In(bytes);
    let position = [0; 3].map(|_| input.number(cframe.position));
    let matrix = match cframe.rotation {
        Rotation::Angles(kind) => from_orientation([0; 3].map(|_| input.number(kind))),
        Rotation::Quat => {
            let index = input.u8();
            if index > 3 {
                return Err(Problem::Shape("names a fifth component of a quaternion"));
            }
            let scale = QUAT_STEPS * std::f64::consts::SQRT_2;
            from_quaternion(rebuild(index, [0; 3].map(|_| input.number(NumberKind::I16) / scale)))
        }
        Rotation::Quat32 => {
            let packed = input.number(NumberKind::U32) as u32;
            let fields = [2, 12, 22].map(|shift| packed >> shift & 0x3FF);
            if fields.contains(&0x3FF) {
                return Err(Problem::Shape("has a rotation component past its range"));
            }
            let scale = QUAT32_STEPS * std::f64::consts::SQRT_2;
            let rest = fields.map(|field| (f64::from(field) - QUAT32_STEPS) / scale);
            from_quaternion(rebuild((packed & 3) as u8, rest))
        }
    };
    let mut components = [0.0; 12];
    for (to, from) in components.iter_mut().zip(position.iter().chain(&matrix)) {
        *to = *from as f32;
    }
    Ok(components)
}

/// Angles X, Y, Z of a rotation made by turning about Y, then X, then Z.
fn to_orientation(m: &[f64; 9]) -> [f64; 3] {
    let x = (-m[5]).clamp(-1.0, 1.0).asin();
    if m[5].abs() > 0.999_999_9 {
        // Looking straight up or down, Y and Z turn about one axis: all of it is given to Y.
        return [x, (-m[6]).atan2(m[0]), 0.0];
    }
    [x, m[2].atan2(m[8]), m[3].atan2(m[4])]
}

fn from_orientation([x, y, z]: [f64; 3]) -> [f64; 9] {
    let ((sx, cx), (sy, cy), (sz, cz)) = (x.sin_cos(), y.sin_cos(), z.sin_cos());
    [
        cy * cz + sy * sx * sz,
        sy * sx * cz - cy * sz,
        sy * cx,
        cx * sz,
        cx * cz,
        -sx,
        cy * sx * sz - sy * cz,
        sy * sz + cy * sx * cz,
        cy * cx,
    ]
}

/// The unit quaternion (x, y, z, w) of a rotation matrix by the trace method.
fn quaternion(m: &[f64; 9]) -> Result<[f64; 4], Refusal> {
    let trace = m[0] + m[4] + m[8];
    let q = if trace > 0.0 {
        let s = (trace + 1.0).sqrt() * 2.0;
        [(m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s, s / 4.0]
    } else if m[0] > m[4] && m[0] > m[8] {
        let s = (1.0 + m[0] - m[4] - m[8]).sqrt() * 2.0;
        [s / 4.0, (m[1] + m[3]) / s, (m[2] + m[6]) / s, (m[7] - m[5]) / s]
    } else if m[4] > m[8] {
        let s = (1.0 + m[4] - m[0] - m[8]).sqrt() * 2.0;
        [(m[1] + m[3]) / s, s / 4.0, (m[5] + m[7]) / s, (m[2] - m[6]) / s]
    } else {
        let s = (1.0 + m[8] - m[0] - m[4]).sqrt() * 2.0;
        [(m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4.0, (m[3] - m[1]) / s]
    };
    let length = q.iter().map(|component| component * component).sum::<f64>().sqrt();
    if length == 0.0 || !length.is_finite() {
        return Err(Refusal::Rotation);
    }
    Ok(q.map(|component| component / length))
}

/// Index of the component of largest magnitude, and the other three with its sign made positive.
fn smallest_three(matrix: &[f64; 9]) -> Result<(u8, [f64; 3]), Refusal> {
    let q = quaternion(matrix)?;
    let mut index = 0;
    for candidate in 1..4 {
        if q[candidate].abs() > q[index].abs() {
            index = candidate;
        }
    }
    let sign = if q[index] < 0.0 { -1.0 } else { 1.0 };
    let mut rest = [0.0; 3];
    let others = q.iter().enumerate().filter(|(position, _)| *position != index);
    for (to, (_, from)) in rest.iter_mut().zip(others) {
        *to = from * sign;
    }
    Ok((index as u8, rest))
}

fn rebuild(index: u8, rest: [f64; 3]) -> [f64; 4] {
    let squares: f64 = rest.iter().map(|component| component * component).sum();
    let largest = (1.0 - squares).max(0.0).sqrt();
    let mut q = [largest; 4];
    let mut others = rest.into_iter();
    for (position, component) in q.iter_mut().enumerate() {
        if position != usize::from(index) {
            *component = others.next().unwrap_or_default();
        }
    }
    let length = q.iter().map(|component| component * component).sum::<f64>().sqrt();
    q.map(|component| component / length)
}

fn from_quaternion([x, y, z, w]: [f64; 4]) -> [f64; 9] {
    [
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - z * w),
        2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),
        2.0 * (y * z + x * w),
        1.0 - 2.0 * (x * x + y * y),
    ]
}
