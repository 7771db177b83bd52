//! `UserInputService`: what a player presses. Nothing is pressed unless a test says so.
//! Engine pages: classes/UserInputService and classes/InputObject, checked August 2026.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;

use crate::datamodel::classes::{enum_item, known_class};
use crate::datamodel::instance::{push_instances, this};
use crate::datamodel::members::{EventRef, Member, event, method};
use crate::datamodel::properties;
use crate::datamodel::store::single_id;
use crate::datatypes::{Datatype, Vector2};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::value::{EnumItemId, InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("UserInputService", "InputBegan"),
    event("UserInputService", "InputChanged"),
    event("UserInputService", "InputEnded"),
    event("UserInputService", "JumpRequest"),
    event("UserInputService", "LastInputTypeChanged"),
    event("UserInputService", "TextBoxFocused"),
    event("UserInputService", "TextBoxFocusReleased"),
    event("UserInputService", "WindowFocused"),
    event("UserInputService", "WindowFocusReleased"),
    event("UserInputService", "GamepadConnected"),
    event("UserInputService", "GamepadDisconnected"),
    event("UserInputService", "TouchStarted"),
    event("UserInputService", "TouchMoved"),
    event("UserInputService", "TouchEnded"),
    method("UserInputService", "IsKeyDown", |cx| is_pressed(cx, "KeyCode")),
    method("UserInputService", "IsMouseButtonPressed", |cx| is_pressed(cx, "UserInputType")),
    method("UserInputService", "GetKeysPressed", get_keys_pressed),
    method("UserInputService", "GetMouseLocation", get_mouse_location),
    method("UserInputService", "GetLastInputType", get_last_input_type),
];

static BEGAN: EventRef = EventRef::new("UserInputService", "InputBegan");
static CHANGED: EventRef = EventRef::new("UserInputService", "InputChanged");
static ENDED: EventRef = EventRef::new("UserInputService", "InputEnded");
static SERVICE: LazyLock<InstanceId> = LazyLock::new(|| single_id(known_class("UserInputService")));

/// Something a player does.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name of an item of `Enum.UserInputState`: `Begin`, `Change` or `End`.
    pub state: String,
    /// Name of an item of `Enum.UserInputType`.
    pub kind: String,
    /// Name of an item of `Enum.KeyCode`; `None` for what is no key.
    pub key: String,
    /// Where on the screen.
    pub position: [f32; 3],
    /// Whether something else, such as a text box, has used it already.
    pub processed: bool,
}

/// What is held down, and where the mouse is.
#[derive(Default)]
struct Held {
    /// The kind, the key and the InputObject of each.
    pressed: RefCell<Vec<(EnumItemId, EnumItemId, InstanceId)>>,
    mouse: Cell<[f32; 2]>,
    last: Cell<Option<EnumItemId>>,
}

fn held(peer: &Peer) -> Rc<Held> {
    peer.part::<Held>().unwrap_or_else(|| {
        let held = Rc::new(Held::default());
        peer.attach(held.clone());
        held
    })
}

/// Has the player of a client do something.
///
/// Errors: a name that no item of its enum has.
pub fn inject(peer: &Rc<Peer>, input: &Input) -> Result<(), String> {
    let item = |list: &str, name: &str| {
        enum_item(list, name).ok_or_else(|| format!("Enum.{list} has no item called \"{name}\""))
    };
    let (state, kind, key) = (
        item("UserInputState", &input.state)?,
        item("UserInputType", &input.kind)?,
        item("KeyCode", &input.key)?,
    );
    let held = held(peer);
    let known = held.pressed.borrow().iter().find(|(k, c, _)| (*k, *c) == (kind, key)).map(|entry| entry.2);
    // One press is one InputObject, from its beginning to its end.
    let object = known.unwrap_or_else(|| peer.data_model().store_mut().create(known_class("InputObject")));
    let set = |name: &str, value: Value| {
        if let Some(property) = known_class("InputObject").property(name) {
            properties::set(peer, object, property, value);
        }
    };
    set("UserInputType", Value::EnumItem(kind));
    set("KeyCode", Value::EnumItem(key));
    set("UserInputState", Value::EnumItem(state));
    set("Position", Value::Vector(input.position));
    held.last.set(Some(kind));
    held.mouse.set([input.position[0], input.position[1]]);
    let event = match input.state.as_str() {
        "Begin" => {
            if known.is_none() {
                held.pressed.borrow_mut().push((kind, key, object));
            }
            &BEGAN
        }
        "End" => {
            held.pressed.borrow_mut().retain(|entry| entry.2 != object);
            &ENDED
        }
        _ => &CHANGED,
    };
    fire(peer, event.on(*SERVICE), [Value::Instance(object), Value::Boolean(input.processed)]);
    Ok(())
}

fn is_pressed(cx: &mut Cx<'_>, list: &str) -> Outcome {
    this(cx)?;
    let wanted = match cx.shallow(1)? {
        Value::EnumItem(item) => Some(item),
        name @ Value::String(_) => enum_item(list, &name.to_string()),
        _ => None,
    };
    let held = held(&cx.peer());
    let is_down =
        held.pressed.borrow().iter().any(|(kind, key, _)| wanted == Some(*kind) || wanted == Some(*key));
    cx.push_boolean(is_down);
    Ok(Returns::ONE)
}

fn get_keys_pressed(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let keyboard = enum_item("UserInputType", "Keyboard");
    let held = held(&cx.peer());
    let keys: Vec<InstanceId> = {
        let pressed = held.pressed.borrow();
        pressed.iter().filter(|(kind, ..)| Some(*kind) == keyboard).map(|entry| entry.2).collect()
    };
    push_instances(cx, &keys)
}

fn get_mouse_location(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let [x, y] = held(&cx.peer()).mouse.get();
    cx.push(&Value::Datatype(Datatype::Vector2(Vector2::new(x, y))));
    Ok(Returns::ONE)
}

fn get_last_input_type(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let last = held(&cx.peer()).last.get().or_else(|| enum_item("UserInputType", "None"));
    cx.push(&last.map_or(Value::Nil, Value::EnumItem));
    Ok(Returns::ONE)
}
