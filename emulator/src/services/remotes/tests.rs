//! The table of argument rules, row by row, and the fates of instances.

use std::rc::Rc;

use super::*;
use crate::datatypes::{CFrame, Datatype, Vector3};
use crate::shared::{DiagnosticCode, RemoteKeys, Settings};
use crate::value::{InstanceId, Table, Value};

struct Plain;

impl Names for Plain {
    fn name(&self, instance: InstanceId) -> String {
        format!("Part{}", instance.0)
    }
}

fn sent(value: Value) -> (Value, Vec<DiagnosticCode>) {
    let settings = Settings::default();
    let mut sender = Sender::remote(&settings, &Plain);
    let converted = sender.convert(&[value]).expect("can be sent");
    (converted[0].clone(), sender.take_remarks().into_iter().map(|(code, _)| code).collect())
}

fn table(array: &[Value], pairs: &[(Value, Value)]) -> Value {
    Value::Table(Rc::new(Table { array: array.to_vec(), pairs: pairs.to_vec() }))
}

#[test]
fn plain_values_travel_unchanged() {
    let values = [
        Value::Nil,
        Value::Boolean(true),
        Value::Number(f64::NAN),
        Value::Number(-0.0),
        Value::Number(f64::INFINITY),
        Value::string(b"\xff\x00"),
        Value::Buffer(vec![1, 2, 3].into()),
        Value::Vector([0.1, 2.0, 3.0]),
        Value::Instance(InstanceId(5)),
    ];
    for value in values {
        assert_eq!(sent(value.clone()), (value, vec![]));
    }
    let Value::Number(zero) = sent(Value::Number(-0.0)).0 else { panic!("a number") };
    assert!(zero.is_sign_negative());
}

#[test]
fn nils_in_the_middle_and_at_the_end_count() {
    let settings = Settings::default();
    let values = [Value::Nil, Value::Number(1.0), Value::Nil, Value::Nil];
    let converted = Sender::remote(&settings, &Plain).convert(&values).expect("can be sent");
    assert_eq!(*converted, values);
    let many = vec![Value::Nil; 256];
    assert!(Sender::remote(&settings, &Plain).convert(&many).is_err());
}

#[test]
fn a_mixed_table_loses_everything_but_its_array() {
    let mixed = table(&[1.0.into(), 2.0.into()], &[("x".into(), true.into()), (4.0.into(), true.into())]);
    assert_eq!(sent(mixed), (Value::array([1.0.into(), 2.0.into()]), vec![DiagnosticCode::Mixed]));
}

#[test]
fn an_array_kept_as_entries_is_an_array() {
    let kept = table(&[], &[(2.0.into(), "b".into()), (1.0.into(), "a".into())]);
    assert_eq!(sent(kept), (Value::array(["a".into(), "b".into()]), vec![]));
}

#[test]
fn keys_become_strings_and_the_last_of_two_wins() {
    let keys = table(&[], &[(10.0.into(), "a".into()), ("10".into(), "b".into()), (true.into(), "c".into())]);
    let (value, codes) = sent(keys);
    assert_eq!(value, Value::record([("10", Value::from("b")), ("true", "c".into())]));
    assert!(codes.iter().all(|code| *code == DiagnosticCode::Keys) && !codes.is_empty());
    let by_instance = table(&[], &[(Value::Instance(InstanceId(7)), 1.0.into())]);
    assert_eq!(sent(by_instance).0, Value::record([("<Instance> (Part7)", Value::from(1.0))]));
    let settings = Settings { remote_keys: RemoteKeys::Error, ..Settings::default() };
    let by_number = table(&[], &[(10.0.into(), 1.0.into())]);
    let refused = Sender::remote(&settings, &Plain).convert(&[by_number]);
    assert_eq!(refused, Err("keys must be strings, got number".into()));
}

#[test]
fn what_cannot_travel_is_nil_and_leaves_a_hole_or_removes_its_key() {
    let (value, codes) = sent(table(&[1.0.into(), Value::Enums, 3.0.into()], &[]));
    assert_eq!(value, table(&[1.0.into(), Value::Nil, 3.0.into()], &[]));
    assert_eq!(codes, [DiagnosticCode::Func]);
    let (value, _) = sent(table(&[], &[("a".into(), Value::Enums), ("b".into(), 2.0.into())]));
    assert_eq!(value, Value::record([("b", Value::from(2.0))]));
}

#[test]
fn nesting_has_a_limit() {
    let settings = Settings::default();
    let nest = |depth: usize| (0..depth).fold(Value::from(1.0), |inner, _| Value::array([inner]));
    assert!(Sender::remote(&settings, &Plain).convert(&[nest(200)]).is_ok());
    let refused = Sender::remote(&settings, &Plain).convert(&[nest(201)]);
    assert_eq!(refused, Err("exceeded maximum nesting".into()));
}

#[test]
fn rotations_are_quantised_unless_aligned() {
    let through = |frame: CFrame| match sent(Value::Datatype(Datatype::CFrame(frame))).0 {
        Value::Datatype(Datatype::CFrame(frame)) => frame,
        other => panic!("{other:?}"),
    };
    let position = Vector3::new(0.1, -2000.5, 3.0);
    for turns in 0..4 {
        let quarter = CFrame::from_components(match turns {
            0 => [0.1, -2000.5, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            1 => [0.1, -2000.5, 3.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0],
            2 => [0.1, -2000.5, 3.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0],
            _ => [0.1, -2000.5, 3.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
        });
        assert_eq!(through(quarter), quarter);
    }
    for angle in [0.3f32, 1.0, 2.5, 3.1, -2.9] {
        let frame = CFrame::from_axis_angle(Vector3::new(1.0, 2.0, -0.5), angle) + position;
        let arrived = through(frame);
        assert_eq!(arrived.position, position);
        assert_ne!(arrived, frame);
        let off = frame
            .components()
            .iter()
            .zip(arrived.components())
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(off < 2e-4, "{angle}: {off}");
        // A second journey changes next to nothing.
        assert!(through(arrived).fuzzy_eq(&arrived, 1e-5));
    }
}

#[test]
fn instances_are_looked_up_at_delivery() {
    let (gone, here) = (InstanceId(1), InstanceId(2));
    let args: Rc<[Value]> = Rc::from([
        Value::Buffer(vec![0].into()),
        Value::array([here.into(), gone.into(), here.into()]),
        Value::record([("a", Value::from(gone)), ("b", here.into())]),
    ]);
    let mut remarks = Vec::new();
    let mut missing = |id: InstanceId| (id == gone).then(|| "destroyed in flight".to_string());
    let arrived = deliver(&args, &mut missing, &mut remarks);
    assert_eq!(arrived[1], table(&[here.into(), Value::Nil, here.into()], &[]));
    assert_eq!(arrived[2], Value::record([("b", Value::from(here))]));
    assert_eq!(remarks.len(), 2);
    assert!(remarks.iter().all(|(code, _)| *code == DiagnosticCode::NilInst));
}
