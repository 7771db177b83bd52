//! Laws that the arithmetic of the datatypes keeps, over many values drawn from a seed.

use super::cframe::CFrame;
use super::{Color3, NumberRange, Random, Rect, UDim, UDim2, Vector2, Vector3};

/// How many values each law is tried with.
const CASES: usize = 500;

fn number(random: &mut Random, most: f64) -> f32 {
    random.next_number_between(-most, most) as f32
}

fn vector(random: &mut Random) -> Vector3 {
    Vector3::new(number(random, 100.0), number(random, 100.0), number(random, 100.0))
}

fn frame(random: &mut Random) -> CFrame {
    let turn = CFrame::from_axis_angle(random.next_unit_vector(), number(random, 3.0));
    CFrame { position: vector(random), ..turn }
}

fn udim(random: &mut Random) -> UDim {
    UDim::new(number(random, 10.0), number(random, 1000.0) as i32)
}

/// Whether two vectors are equal but for rounding, on the scale of `size`.
fn near(a: Vector3, b: Vector3, size: f32) -> bool {
    (a - b).length() <= 1e-4 * (1.0 + size)
}

fn cases(mut law: impl FnMut(&mut Random, usize)) {
    let mut random = Random::new(12);
    for case in 0..CASES {
        law(&mut random, case);
    }
}

#[test]
fn vectors_add_and_scale() {
    cases(|random, case| {
        let (a, b) = (vector(random), vector(random));
        assert_eq!(a + b, b + a, "case {case}");
        assert_eq!(a + Vector3::ZERO, a, "case {case}");
        assert_eq!(a - a, Vector3::ZERO, "case {case}");
        assert_eq!(-(-a), a, "case {case}");
        assert_eq!(a * 2.0, a + a, "case {case}");
    });
}

#[test]
fn products_of_vectors_agree() {
    cases(|random, case| {
        let (a, b) = (vector(random), vector(random));
        let size = a.length() * b.length();
        assert!((a.dot(b) - b.dot(a)).abs() <= 1e-4 * size, "case {case}");
        assert!(near(a.cross(b), -b.cross(a), size), "case {case}");
        assert!(a.cross(b).dot(a).abs() <= 1e-3 * size * (1.0 + a.length()), "case {case}");
        assert!((a.normalize().length() - 1.0).abs() < 1e-5, "case {case}");
    });
}

#[test]
fn frames_are_a_group() {
    cases(|random, case| {
        let (a, b, c) = (frame(random), frame(random), frame(random));
        let equal = |x: CFrame, y: CFrame| x.fuzzy_eq(&y, 1e-3);
        let times = |x: &CFrame, y: &CFrame| x.to_world_space(y);
        assert!(equal(times(&times(&a, &b), &c), times(&a, &times(&b, &c))), "associative, case {case}");
        assert!(
            equal(times(&a, &CFrame::IDENTITY), a) && equal(times(&CFrame::IDENTITY, &a), a),
            "case {case}"
        );
        assert!(equal(times(&a, &a.inverse()), CFrame::IDENTITY), "inverse, case {case}");
        assert!(equal(a.to_object_space(&times(&a, &b)), b), "object space, case {case}");
    });
}

#[test]
fn frames_carry_points_there_and_back() {
    cases(|random, case| {
        let (a, b, point) = (frame(random), frame(random), vector(random));
        let there = a.point_to_world_space(point);
        assert!(near(a.point_to_object_space(there), point, 400.0), "case {case}");
        let at_once = a.to_world_space(&b).point_to_world_space(point);
        assert!(near(at_once, a.point_to_world_space(b.point_to_world_space(point)), 400.0), "case {case}");
        let turned = a.vector_to_world_space(point);
        assert!((turned.length() - point.length()).abs() < 1e-2, "a turn keeps lengths, case {case}");
    });
}

#[test]
fn rotations_survive_their_other_forms() {
    cases(|random, case| {
        let a = frame(random).without_position();
        let [x, y, z, w] = a.to_quaternion();
        assert!(
            CFrame::from_quaternion(Vector3::ZERO, x, y, z, w).fuzzy_eq(&a, 1e-3),
            "quaternion, case {case}"
        );
        let (axis, angle) = a.to_axis_angle();
        assert!(CFrame::from_axis_angle(axis, angle).fuzzy_eq(&a, 1e-3), "axis and angle, case {case}");
        let [rx, ry, rz] = a.to_orientation();
        assert!(CFrame::from_orientation(rx, ry, rz).fuzzy_eq(&a, 1e-3), "orientation, case {case}");
        assert!(a.orthonormalize().fuzzy_eq(&a, 1e-3) && a.angle_between(&a) < 1e-2, "case {case}");
    });
}

#[test]
fn lerps_meet_their_ends() {
    cases(|random, case| {
        let (a, b) = (frame(random), frame(random));
        assert!(
            a.lerp(&b, 0.0).fuzzy_eq(&a, 1e-3) && a.lerp(&b, 1.0).fuzzy_eq(&b, 1e-3),
            "frames, case {case}"
        );
        let (p, q) = (vector(random), vector(random));
        assert!(near(p.lerp(q, 0.5), q.lerp(p, 0.5), 200.0), "vectors, case {case}");
    });
}

#[test]
fn screens_and_ranges_keep_their_order() {
    cases(|random, case| {
        let (a, b) = (UDim2::new(udim(random), udim(random)), UDim2::new(udim(random), udim(random)));
        assert_eq!(a + b, b + a, "case {case}");
        let back = a + b - b;
        assert_eq!((back.x.offset, back.y.offset), (a.x.offset, a.y.offset), "case {case}");
        let (p, q) = (vector(random), vector(random));
        let rect = Rect::new(Vector2::new(p.x, p.y), Vector2::new(q.x, q.y));
        assert!(rect.min.x <= rect.max.x && rect.min.y <= rect.max.y, "case {case}");
        assert_eq!(NumberRange::new(p.x, q.x).is_some(), p.x <= q.x, "case {case}");
    });
}

#[test]
fn colours_survive_hue_and_hex() {
    cases(|random, case| {
        let part = |random: &mut Random| (random.next_integer(0, 255) as f32) / 255.0;
        let colour = Color3::new(part(random), part(random), part(random));
        let (h, s, v) = colour.to_hsv();
        let back = Color3::from_hsv(h, s, v);
        let off = [back.r - colour.r, back.g - colour.g, back.b - colour.b];
        assert!(off.iter().all(|part| part.abs() < 1e-4), "case {case}: {colour:?} {back:?}");
        assert_eq!(Color3::from_hex(&colour.to_hex()), Some(colour), "case {case}");
    });
}
