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
use crate::services::context_action_service;
use crate::value::{EnumItemId, InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("UserInputService", "InputBegan(input: InputObject, gameProcessedEvent: boolean)"),
    event("UserInputService", "InputChanged(input: InputObject, gameProcessedEvent: boolean)"),
    event("UserInputService", "InputEnded(input: InputObject, gameProcessedEvent: boolean)"),
    event("UserInputService", "JumpRequest()"),
    event("UserInputService", "LastInputTypeChanged(lastInputType: Enum.UserInputType)"),
    event("UserInputService", "TextBoxFocused(textboxFocused: TextBox)"),
    event("UserInputService", "TextBoxFocusReleased(textboxReleased: TextBox)"),
    event("UserInputService", "WindowFocused()"),
    event("UserInputService", "WindowFocusReleased()"),
    event("UserInputService", "GamepadConnected(gamepadNum: Enum.UserInputType)"),
    event("UserInputService", "GamepadDisconnected(gamepadNum: Enum.UserInputType)"),
    event("UserInputService", "TouchStarted(touch: InputObject, gameProcessedEvent: boolean)"),
    event("UserInputService", "TouchMoved(touch: InputObject, gameProcessedEvent: boolean)"),
    event("UserInputService", "TouchEnded(touch: InputObject, gameProcessedEvent: boolean)"),
    method("UserInputService", "IsKeyDown(keyCode: EnumItem) -> boolean", |cx| is_pressed(cx, "KeyCode")),
    method("UserInputService", "IsMouseButtonPressed(mouseButton: EnumItem) -> boolean", |cx| {
        is_pressed(cx, "UserInputType")
    }),
    method("UserInputService", "GetKeysPressed() -> table", |cx| get_pressed(cx, |kind| kind == "Keyboard")),
    method("UserInputService", "GetMouseButtonsPressed() -> table", |cx| {
        get_pressed(cx, |kind| kind.starts_with("MouseButton"))
    }),
    method("UserInputService", "GetMouseDelta() -> Vector2", |cx| {
        this(cx)?;
        cx.push(&Value::Datatype(Datatype::Vector2(Vector2::new(0.0, 0.0))));
        Ok(Returns::ONE)
    })
    .instead("gives 0, 0: the mouse is never locked"),
    method("UserInputService", "GetConnectedGamepads() -> table", nothing).instead(NO_GAMEPAD),
    method("UserInputService", "GetNavigationGamepads() -> table", nothing).instead(NO_GAMEPAD),
    method("UserInputService", "GetGamepadState(gamepadNum: EnumItem) -> table", nothing).instead(NO_GAMEPAD),
    method("UserInputService", "GetSupportedGamepadKeyCodes(gamepadNum: EnumItem) -> table", nothing)
        .instead(NO_GAMEPAD),
    method("UserInputService", "GetGamepadConnected(gamepadNum: EnumItem) -> boolean", never)
        .instead(NO_GAMEPAD),
    method("UserInputService", "IsNavigationGamepad(gamepadEnum: EnumItem) -> boolean", never)
        .instead(NO_GAMEPAD),
    method(
        "UserInputService",
        "IsGamepadButtonDown(gamepadNum: EnumItem, gamepadKeyCode: EnumItem) -> boolean",
        never,
    )
    .instead(NO_GAMEPAD),
    method("UserInputService", "GetFocusedTextBox() -> TextBox?", |cx| {
        this(cx)?;
        cx.push_nil();
        Ok(Returns::ONE)
    })
    .instead("gives nil: nothing has the focus"),
    method("UserInputService", "GetStringForKeyCode(keyCode: EnumItem, format: EnumItem?) -> string", |cx| {
        this(cx)?;
        let name = cx.enum_item(1)?.name();
        cx.push_string(if name.len() == 1 { name } else { "" });
        Ok(Returns::ONE)
    })
    .instead("letters alone, as on an American keyboard"),
    method("UserInputService", "GetMouseLocation() -> Vector2", get_mouse_location),
    method("UserInputService", "GetLastInputType() -> Enum.UserInputType", get_last_input_type),
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
    peer.part_or_default::<Held>()
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
    let begins = match input.state.as_str() {
        "Begin" => Some(true),
        "End" => Some(false),
        _ => None,
    };
    // What a text box has used is for nobody else; what a bound action takes is no longer the game's.
    let processed = input.processed || context_action_service::offer(peer, object, [key, kind], begins);
    fire(peer, event.on(*SERVICE), [Value::Instance(object), Value::Boolean(processed)]);
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

/// What is held down of some kinds of input.
fn get_pressed(cx: &mut Cx<'_>, is_meant: fn(&str) -> bool) -> Outcome {
    this(cx)?;
    let held = held(&cx.peer());
    let found: Vec<InstanceId> = {
        let pressed = held.pressed.borrow();
        pressed.iter().filter(|(kind, ..)| is_meant(kind.name())).map(|entry| entry.2).collect()
    };
    push_instances(cx, &found)
}

const NO_GAMEPAD: &str = "there is no gamepad";

fn nothing(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    push_instances(cx, &[])
}

fn never(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push_boolean(false);
    Ok(Returns::ONE)
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
