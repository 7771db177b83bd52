//! What stands in for a screen: `StarterGui`'s core interface, `GuiService`, `TextService`, `ContentProvider`, sounds.
//! There is nothing to see or hear; code that asks goes on. Engine pages of those classes, checked November 2026.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::datamodel::classes::enum_item;
use crate::datamodel::instance::{property_of, text, this};
use crate::datamodel::members::{EventRef, Member, event, method, property};
use crate::datamodel::properties;
use crate::datatypes::{Datatype, Rect, Vector2};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};

const KEPT: &str = "is kept for the getter; there is no core interface";
const SILENT: &str = "changes Playing and fires its event; no sound, and no end by itself";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("StarterGui", "SetCore(parameter: any, option: any)", set_core).on_client().instead(KEPT),
    method("StarterGui", "GetCore(parameter: any) -> any", get_core).on_client().yields().instead(KEPT),
    method("StarterGui", "SetCoreGuiEnabled(coreGuiType: EnumItem, enabled: boolean)", set_core_gui)
        .instead(KEPT),
    method("StarterGui", "GetCoreGuiEnabled(coreGuiType: EnumItem) -> boolean", get_core_gui).instead(KEPT),
    method("GuiService", "GetGuiInset() -> ...", get_gui_inset).instead("a top bar of 36 pixels"),
    method("GuiService", "GetInsetArea(screenInsets: EnumItem) -> Rect", get_inset_area)
        .instead("a screen of 800 by 600"),
    method("GuiService", "IsTenFootInterface() -> boolean", |cx| fixed(cx, &Value::Boolean(false))),
    property("GuiService", "TopbarInset", |_, _| Ok(rect(0.0, 0.0, SCREEN[0], BAR))),
    property("Camera", "ViewportSize", |_, _| {
        Ok(Value::Datatype(Datatype::Vector2(Vector2::new(SCREEN[0], SCREEN[1]))))
    })
    .instead("800 by 600"),
    method(
        "TextService",
        "GetTextSize(string: string, fontSize: number, font: EnumItem, frameSize: Vector2) -> Vector2",
        get_text_size,
    )
    .instead(METRICS),
    method("TextService", "GetTextBoundsAsync(params: GetTextBoundsParams) -> Vector2", get_text_bounds)
        .yields()
        .instead(METRICS),
    method("ContentProvider", "PreloadAsync(contentIdList: table, callback: function?)", preload)
        .yields()
        .instead("returns at once"),
    property("ContentProvider", "RequestQueueSize", |_, _| Ok(Value::Number(0.0))),
    method("Sound", "Play()", |cx| play(cx, true, &PLAYED)).instead(SILENT),
    method("Sound", "Resume()", |cx| play(cx, true, &RESUMED)).instead(SILENT),
    method("Sound", "Pause()", |cx| play(cx, false, &PAUSED)).instead(SILENT),
    method("Sound", "Stop()", |cx| play(cx, false, &STOPPED)).instead(SILENT),
    event("Sound", "Played(soundId: string)"),
    event("Sound", "Resumed(soundId: string)"),
    event("Sound", "Paused(soundId: string)"),
    event("Sound", "Stopped(soundId: string)"),
    method("SoundService", "PlayLocalSound(sound: Sound)", |cx| {
        this(cx)?;
        Ok(Returns::NONE)
    })
    .instead("does nothing"),
];

const METRICS: &str = "fixed metrics: a character is half as wide as the text is high";
/// Width and height of the screen there is not.
const SCREEN: [f32; 2] = [800.0, 600.0];
/// Height of its top bar.
const BAR: f32 = 36.0;

static PLAYED: EventRef = EventRef::new("Sound", "Played");
static RESUMED: EventRef = EventRef::new("Sound", "Resumed");
static PAUSED: EventRef = EventRef::new("Sound", "Paused");
static STOPPED: EventRef = EventRef::new("Sound", "Stopped");

/// What was set of the core interface on one client.
#[derive(Default)]
struct Core {
    values: RefCell<BTreeMap<String, Value>>,
    /// Core parts that are off, by the value of their `Enum.CoreGuiType`.
    off: RefCell<Vec<u32>>,
}

fn core(peer: &Peer) -> Rc<Core> {
    peer.part_or_default::<Core>()
}

fn fixed(cx: &mut Cx<'_>, value: &Value) -> Outcome {
    this(cx)?;
    cx.push(value);
    Ok(Returns::ONE)
}

fn rect(x0: f32, y0: f32, x1: f32, y1: f32) -> Value {
    Value::Datatype(Rect::new(Vector2::new(x0, y0), Vector2::new(x1, y1)).into())
}

fn set_core(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    let value = cx.shallow(2)?;
    core(&cx.peer()).values.borrow_mut().insert(name, value);
    Ok(Returns::NONE)
}

fn get_core(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let value = core(&cx.peer()).values.borrow().get(&text(cx, 1)?).cloned();
    cx.push(&value.unwrap_or(Value::Nil));
    Ok(Returns::ONE)
}

/// Value of the item that stands for every part of the core interface.
fn all_parts() -> Option<u32> {
    enum_item("CoreGuiType", "All").map(|item| item.value)
}

fn set_core_gui(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let (part, enabled) = (cx.enum_item(1)?, cx.boolean(2)?);
    let core = core(&cx.peer());
    let mut off = core.off.borrow_mut();
    let meant: Vec<u32> = if Some(part.value) == all_parts() {
        part.enum_.items().map(|item| item.value).collect()
    } else {
        vec![part.value]
    };
    off.retain(|other| !meant.contains(other));
    if !enabled {
        off.extend(meant);
    }
    Ok(Returns::NONE)
}

fn get_core_gui(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let part = cx.enum_item(1)?;
    let enabled = !core(&cx.peer()).off.borrow().contains(&part.value);
    cx.push_boolean(enabled);
    Ok(Returns::ONE)
}

fn get_gui_inset(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push(&Value::Datatype(Vector2::new(0.0, BAR).into()));
    cx.push(&Value::Datatype(Vector2::new(0.0, 0.0).into()));
    Ok(Returns::Values(2))
}

fn get_inset_area(cx: &mut Cx<'_>) -> Outcome {
    fixed(cx, &rect(0.0, BAR, SCREEN[0], SCREEN[1]))
}

/// Width and height of a text: its lines, broken at `width` where that is above zero.
fn measure(text: &str, size: f64, width: f64) -> Value {
    let letter = size / 2.0;
    let most = if width >= letter && letter > 0.0 { (width / letter).floor() } else { f64::INFINITY };
    let (mut rows, mut widest) = (0.0, 0.0_f64);
    for line in text.split('\n') {
        let letters = line.chars().count() as f64;
        rows += (letters / most).ceil().max(1.0);
        widest = widest.max(letters.min(most));
    }
    let (width, height) = (widest * letter, rows * size);
    Value::Datatype(Vector2::new(width.ceil() as f32, height.ceil() as f32).into())
}

fn get_text_size(cx: &mut Cx<'_>) -> Outcome {
    let words = text(cx, 1)?;
    let size = cx.number(2)?;
    let Value::Datatype(Datatype::Vector2(frame)) = cx.shallow(4)? else {
        return Err(cx.wrong_type(4, "Vector2"));
    };
    fixed(cx, &measure(&words, size, f64::from(frame.x)))
}

fn get_text_bounds(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    let params = crate::datamodel::instance::instance(cx, 1)?;
    let is_params = peer.data_model().store().class(params).name() == "GetTextBoundsParams";
    if !is_params {
        return Err(Raise::new(crate::datamodel::messages::cannot_cast("Instance", "GetTextBoundsParams")));
    }
    let number = |name: &str| property_of(&peer, params, name).as_number();
    let words = property_of(&peer, params, "Text").to_string();
    let bounds = measure(&words, number("Size").unwrap_or(20.0), number("Width").unwrap_or(0.0));
    fixed(cx, &bounds)
}

/// Says of each asset that it is there.
fn preload(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let Some(callback) = cx.opt_function(2)? else { return Ok(Returns::NONE) };
    let success = enum_item("AssetFetchStatus", "Success").map_or(Value::Nil, Value::EnumItem);
    if let Value::Table(list) = cx.value(1)? {
        let (peer, owner) = (cx.peer(), cx.owner());
        for content in list.array.iter().filter(|content| matches!(content, Value::String(_))) {
            peer.spawn(&callback, owner, &[content.clone(), success.clone()])?;
        }
    }
    Ok(Returns::NONE)
}

fn play(cx: &mut Cx<'_>, playing: bool, event: &EventRef) -> Outcome {
    let sound = this(cx)?;
    let peer = cx.peer();
    set_playing(&peer, sound, playing);
    let id = property_of(&peer, sound, "SoundId");
    fire(&peer, event.on(sound), [id]);
    Ok(Returns::NONE)
}

fn set_playing(peer: &Rc<Peer>, sound: InstanceId, playing: bool) {
    let class = peer.data_model().store().class(sound);
    for name in ["Playing", "IsPlaying"] {
        if let Some(property) = class.property(name) {
            properties::set(peer, sound, property, Value::Boolean(playing));
        }
    }
}
