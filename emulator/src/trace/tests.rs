//! The text of a trace: its records line by line, lossless arguments, equal bytes for equal runs.

use std::io::Read;
use std::rc::Rc;

use super::*;
use crate::datatypes::{CFrame, Datatype};
use crate::value::{InstanceId, Table, Value};

fn frame(k: u64) -> Time {
    Time::of_frame(k, 60.0)
}

fn packet(to: Target, sides: &[u32], args: Vec<Value>) -> Packet {
    let receipt = |side: &u32| Receipt::new(Side::Client(*side));
    Packet {
        id: 0,
        from: Side::Server,
        to,
        remote: "ReplicatedStorage.Net".into(),
        remote_id: InstanceId(2000),
        class: PacketClass::UnreliableRemoteEvent,
        kind: PacketKind::Event,
        args: args.into(),
        instances: vec![NamedInstance { id: InstanceId(7), path: "Workspace.Door".into(), class: "Part" }],
        size: 24,
        payload: 12,
        sent_at: frame(1),
        frame: 1,
        injected: false,
        receipts: sides.iter().map(receipt).collect(),
    }
}

fn sample() -> Trace {
    let mut trace = Trace::new(Header { seed: 7, start: 1_735_689_600.0, ..Header::default() });
    trace.set_name(Side::Client(0), "A");
    trace.set_name(Side::Client(1), "B");
    trace.record(Time::ZERO, 0, Side::Client(0), Event::Join { user_id: -1, name: "A".into() });
    let args =
        vec![Value::Buffer(vec![1, 2].into()), Value::array([Value::Instance(InstanceId(7)), Value::Nil])];
    let id = trace.send(packet(Target::Everyone, &[0, 1], args));
    let arrived = Receipt {
        fate: Fate::Delivered,
        arrived_at: Some(frame(1)),
        resends: 1,
        handled_at: Some(frame(2)),
        ..Receipt::new(Side::Client(0))
    };
    trace.arrive(id, arrived, frame(2), 2);
    trace.settle(id, Side::Client(1), Fate::Lost, frame(1), 1);
    trace.record(frame(3), 3, Side::Server, Event::Mark("here".into()));
    trace
}

#[test]
fn records_are_lines_in_order_of_happening() {
    let text = sample().to_text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(r#"{"format":"blinkblox-trace/1""#), "{}", lines[0]);
    assert!(lines[0].ends_with(r#""sides":["server","A","B"]}"#), "{}", lines[0]);
    assert_eq!(lines[1], r#"{"k":"join","t":0.000000000,"f":0,"n":1,"side":"A","userId":-1,"name":"A"}"#);
    assert_eq!(
        lines[2],
        concat!(
            r#"{"k":"send","t":0.016666666,"f":1,"n":2,"side":"server","id":1,"from":"server","to":"all","#,
            r#""remote":"ReplicatedStorage.Net","class":"UnreliableRemoteEvent","reliable":false,"size":24,"sizeRaw":12,"#,
            r#""args":[{"$":"buffer","b64":"AQI="},[{"$":"Instance","path":"Workspace.Door","class":"Part","id":7},{"$":"nil"}]],"#,
            r#""receivers":["A","B"]}"#,
        )
    );
    assert_eq!(
        lines[3],
        r#"{"k":"arrive","t":0.033333333,"f":2,"n":3,"side":"A","id":1,"at":0.016666666,"queuedFor":0.000000000,"resends":1}"#
    );
    assert_eq!(lines[4], r#"{"k":"drop","t":0.016666666,"f":1,"n":4,"side":"B","id":1,"why":"lost"}"#);
    assert_eq!(lines[5], r#"{"k":"mark","t":0.050000000,"f":3,"n":5,"side":"server","text":"here"}"#);
}

#[test]
fn equal_runs_give_equal_bytes_and_gzip_reads_back() {
    assert_eq!(sample().to_text(), sample().to_text());
    let packed = pack(&sample().to_text());
    assert_eq!(packed, pack(&sample().to_text()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, sample().to_text());
}

#[test]
fn packets_know_the_fate_of_each_receiver() {
    let trace = sample();
    let packet = trace.packet(1).unwrap();
    assert_eq!(packet.receipt(Side::Client(0)).unwrap().fate, Fate::Delivered);
    assert_eq!(packet.receipt(Side::Client(1)).unwrap().fate, Fate::Lost);
    assert_eq!(packet.arrived_at(), Some(frame(1)));
    assert!(trace.packet(2).is_none() && trace.packet(0).is_none());
}

#[test]
fn arguments_are_lossless() {
    let show = |value: Value| of_value(&value, &|_| (Rc::from("Workspace"), "Workspace")).to_string();
    assert_eq!(show(Value::Number(3.0)), "3");
    assert_eq!(show(Value::Number(0.1)), "0.1");
    assert_eq!(show(Value::Number(-0.0)), "-0.0");
    assert_eq!(show(Value::Number(f64::NAN)), r#"{"$":"nan"}"#);
    assert_eq!(show(Value::Number(f64::NEG_INFINITY)), r#"{"$":"-inf"}"#);
    assert_eq!(show(Value::string(b"\xff")), r#"{"$":"string","b64":"/w=="}"#);
    assert_eq!(show(Value::string("a\"b")), r#""a\"b""#);
    assert_eq!(show(Value::Vector([1.0, 0.5, -2.0])), r#"{"$":"Vector3","v":[1,0.5,-2]}"#);
    assert_eq!(show(Value::record([("b", Value::from(1.0)), ("a", true.into())])), r#"{"b":1,"a":true}"#);
    assert_eq!(
        show(Value::record([("$", Value::from(1.0))])),
        r#"{"$":"table","array":[],"pairs":[["$",1]]}"#
    );
    let empty = Table::default();
    assert_eq!(show(Value::Table(Rc::new(empty))), "[]");
    assert_eq!(
        show(Value::Datatype(Datatype::CFrame(CFrame::IDENTITY))),
        r#"{"$":"CFrame","v":[0,0,0,1,0,0,0,1,0,0,0,1]}"#
    );
}
