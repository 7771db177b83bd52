//! `ContextActionService`: functions bound to what a player presses. A test presses it with `client:input`.
//! Engine page: classes/ContextActionService, checked November 2026.
//!
//! Input goes to the binding of the highest priority first, of equal ones to the newest, until one does not pass it on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::datamodel::classes::enum_item;
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::value::{EnumItemId, InstanceId, Value};
use crate::vm::{Cx, Handle, Outcome, Raise, Returns};

const INERT: &str = "is kept for GetBoundActionInfo; there is no touch button to show it";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("ContextActionService", "BindAction(actionName: string, functionToBind: function, createTouchButton: boolean, ...)", |cx| {
        bind(cx, DEFAULT_PRIORITY, 4)
    })
    .on_client(),
    method("ContextActionService", "BindActionAtPriority(actionName: string, functionToBind: function, createTouchButton: boolean, priorityLevel: number, ...)", |cx| {
        let priority = cx.number(4)?;
        bind(cx, priority, 5)
    })
    .on_client(),
    method("ContextActionService", "UnbindAction(actionName: string)", unbind).on_client(),
    method("ContextActionService", "UnbindAllActions()", unbind_all).on_client(),
    method("ContextActionService", "GetAllBoundActionInfo() -> table", get_all_info).on_client(),
    method("ContextActionService", "GetBoundActionInfo(actionName: string) -> table | table", get_info).on_client(),
    method("ContextActionService", "GetButton(actionName: string) -> ImageButton?", |cx| {
        this(cx)?;
        cx.push_nil();
        Ok(Returns::ONE)
    })
    .on_client()
    .yields()
    .instead("gives nil: there are no touch buttons"),
    method("ContextActionService", "GetCurrentLocalToolIcon() -> string", |cx| {
        this(cx)?;
        cx.push_string("");
        Ok(Returns::ONE)
    })
    .instead("gives \"\": tools are not equipped"),
    method("ContextActionService", "SetDescription(actionName: string, description: string)", |cx| label(cx, 0))
        .instead(INERT),
    method("ContextActionService", "SetImage(actionName: string, image: string)", |cx| label(cx, 1)).instead(INERT),
    method("ContextActionService", "SetTitle(actionName: string, title: string)", |cx| label(cx, 2)).instead(INERT),
    method("ContextActionService", "SetPosition(actionName: string, position: UDim2)", |cx| {
        this(cx)?;
        Ok(Returns::NONE)
    })
    .instead("does nothing: there are no touch buttons"),
];

/// `Enum.ContextActionPriority.Default`.
const DEFAULT_PRIORITY: f64 = 2000.0;

struct Action {
    name: String,
    function: Handle,
    owner: u32,
    priority: f64,
    touch_button: bool,
    inputs: Vec<EnumItemId>,
    /// Description, image, title.
    labels: [String; 3],
    /// The input that is held down, if one is.
    held: Option<InstanceId>,
}

/// Everything bound on one client, in the order it is asked.
#[derive(Default)]
struct Actions(RefCell<Vec<Action>>);

fn actions(peer: &Peer) -> Rc<Actions> {
    peer.part_or_default::<Actions>()
}

fn state(name: &str) -> Value {
    enum_item("UserInputState", name).map_or(Value::Nil, Value::EnumItem)
}

/// Asks what is bound to a key or kind of input. Whether one of them took it.
pub fn offer(peer: &Rc<Peer>, object: InstanceId, inputs: [EnumItemId; 2], begins: Option<bool>) -> bool {
    let actions = actions(peer);
    let asked: Vec<(String, Handle, u32)> = {
        let mut bound = actions.0.borrow_mut();
        let asked =
            bound.iter_mut().filter(|action| action.inputs.iter().any(|input| inputs.contains(input)));
        asked
            .map(|action| {
                match begins {
                    Some(true) => action.held = Some(object),
                    Some(false) => action.held = None,
                    None => {}
                }
                (action.name.clone(), action.function.clone(), action.owner)
            })
            .collect()
    };
    let state = state(match begins {
        Some(true) => "Begin",
        Some(false) => "End",
        None => "Change",
    });
    for (name, function, owner) in asked {
        if call(peer, &function, owner, [Value::string(name), state.clone(), Value::Instance(object)]) {
            return true;
        }
    }
    false
}

/// Calls a bound function; whether it takes the input. One that waits has taken it.
fn call(peer: &Rc<Peer>, function: &Handle, owner: u32, arguments: [Value; 3]) -> bool {
    let pass = enum_item("ContextActionResult", "Pass").map(Value::EnumItem);
    let passed = Rc::new(Cell::new(false));
    let answer = passed.clone();
    let end = Box::new(move |peer: &Rc<Peer>, end: crate::vm::ThreadEnd| match end {
        Ok(values) => answer.set(values.into_iter().next() == pass),
        Err(failure) => peer.report(&failure, None),
    });
    if let Err(failure) = peer.spawn_then(function, owner, &arguments, end) {
        peer.report(&failure, None);
    }
    !passed.get()
}

fn bind(cx: &mut Cx<'_>, priority: f64, first_input: i32) -> Outcome {
    this(cx)?;
    let (name, function) = (text(cx, 1)?, cx.function(2)?);
    let touch_button = cx.truthy(3);
    let inputs = (first_input..=cx.count()).map(|index| input(cx, index)).collect::<Result<_, _>>()?;
    let peer = cx.peer();
    let actions = actions(&peer);
    let mut bound = actions.0.borrow_mut();
    bound.retain(|action| action.name != name);
    let action = Action {
        name,
        function,
        owner: cx.owner(),
        priority,
        touch_button,
        inputs,
        labels: Default::default(),
        held: None,
    };
    let at = bound.partition_point(|other| other.priority > priority);
    bound.insert(at, action);
    Ok(Returns::NONE)
}

fn input(cx: &Cx<'_>, index: i32) -> Result<EnumItemId, Raise> {
    cx.enum_item(index).map_err(|_| cx.wrong_type(index, "EnumItem"))
}

fn unbind(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    take(&cx.peer(), |action| action.name == name);
    Ok(Returns::NONE)
}

fn unbind_all(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    take(&cx.peer(), |_| true);
    Ok(Returns::NONE)
}

/// Takes actions away. One whose input is held down is told that it is cancelled.
fn take(peer: &Rc<Peer>, is_meant: impl Fn(&Action) -> bool) {
    let actions = actions(peer);
    let taken: Vec<Action> = {
        let mut bound = actions.0.borrow_mut();
        let (taken, kept) = std::mem::take(&mut *bound).into_iter().partition(|action| is_meant(action));
        *bound = kept;
        taken
    };
    for action in taken {
        if let Some(object) = action.held {
            let arguments = [Value::string(&action.name), state("Cancel"), Value::Instance(object)];
            call(peer, &action.function, action.owner, arguments);
        }
    }
}

fn label(cx: &mut Cx<'_>, which: usize) -> Outcome {
    this(cx)?;
    let (name, label) = (text(cx, 1)?, text(cx, 2)?);
    let actions = actions(&cx.peer());
    if let Some(action) = actions.0.borrow_mut().iter_mut().find(|action| action.name == name) {
        action.labels[which] = label;
    }
    Ok(Returns::NONE)
}

fn info(action: &Action, order: usize) -> Value {
    let [description, image, title] = action.labels.clone();
    Value::record([
        ("stackOrder", Value::Number(order as f64)),
        ("priorityLevel", Value::Number(action.priority)),
        ("createTouchButton", Value::Boolean(action.touch_button)),
        ("inputTypes", Value::array(action.inputs.iter().copied().map(Value::EnumItem))),
        ("description", description.into()),
        ("image", image.into()),
        ("title", title.into()),
    ])
}

fn get_info(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    let actions = actions(&cx.peer());
    let bound = actions.0.borrow();
    let found = bound.iter().rev().zip(1..).find(|(action, _)| action.name == name);
    let found = found.map(|(action, order)| info(action, order));
    cx.push(&found.unwrap_or_else(|| Value::array([])));
    Ok(Returns::ONE)
}

fn get_all_info(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let actions = actions(&cx.peer());
    let bound = actions.0.borrow();
    let all = bound.iter().rev().zip(1..).map(|(action, order)| (action.name.clone(), info(action, order)));
    cx.push(&Value::record(all));
    Ok(Returns::ONE)
}
