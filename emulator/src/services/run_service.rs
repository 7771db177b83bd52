//! RunService: the signals of a frame, what is bound to the render step, and which context code runs in.
//! Source: Roblox behaviour, 2 and 9.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;

use crate::clock::Time;
use crate::datamodel::classes::known_class;
use crate::datamodel::members::{EventRef, Member, event, method, not_emulated};
use crate::datamodel::store::single_id;
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::shared::RunContext;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Handle, Outcome, Raise, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("RunService", "Heartbeat(deltaTime: number)"),
    event("RunService", "Stepped(time: number, deltaTime: number)"),
    event("RunService", "PreAnimation(deltaTimeSim: number)"),
    event("RunService", "PreSimulation(deltaTimeSim: number)"),
    event("RunService", "PostSimulation(deltaTimeSim: number)"),
    event("RunService", "RenderStepped(deltaTime: number)").on_client(),
    event("RunService", "PreRender(deltaTimeRender: number)").on_client(),
    method("RunService", "BindToRenderStep(name: string, priority: number, callback: function)", bind)
        .on_client(),
    method("RunService", "UnbindFromRenderStep(name: string)", unbind).on_client(),
    method(
        "RunService",
        "BindToSimulation(callback: function, frequency: EnumItem?, priority: number?) -> RBXScriptConnection",
        |_| not_emulated("RunService", "BindToSimulation"),
    ),
    method("RunService", "IsServer() -> boolean", is_server),
    method("RunService", "IsClient() -> boolean", is_client),
    method("RunService", "IsStudio() -> boolean", is_studio),
    method("RunService", "IsRunning() -> boolean", is_running),
    method("RunService", "IsRunMode() -> boolean", |cx| answer(cx, |_, _| false)),
    method("RunService", "IsResimulating() -> boolean", |cx| answer(cx, |_, _| false)),
    method("RunService", "IsEdit() -> boolean", for_plugins),
    method("RunService", "Pause()", for_plugins),
    method("RunService", "Run()", for_plugins),
    method("RunService", "Stop()", for_plugins),
];

static HEARTBEAT: EventRef = EventRef::new("RunService", "Heartbeat");
static STEPPED: EventRef = EventRef::new("RunService", "Stepped");
static PRE_ANIMATION: EventRef = EventRef::new("RunService", "PreAnimation");
static PRE_SIMULATION: EventRef = EventRef::new("RunService", "PreSimulation");
static POST_SIMULATION: EventRef = EventRef::new("RunService", "PostSimulation");
static RENDER_STEPPED: EventRef = EventRef::new("RunService", "RenderStepped");
static PRE_RENDER: EventRef = EventRef::new("RunService", "PreRender");

/// What is bound to the render step of one client.
#[derive(Default)]
pub struct RenderSteps {
    bound: RefCell<Vec<Bound>>,
    next: Cell<u64>,
}

struct Bound {
    name: String,
    priority: f64,
    order: u64,
    function: Handle,
    owner: u32,
}

fn steps(peer: &Peer) -> Rc<RenderSteps> {
    peer.part_or_default::<RenderSteps>()
}

fn bind(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    if peer.side.is_server() {
        return Err(Raise::new("BindToRenderStep can only be called from the client"));
    }
    let name = cx.text(1)?;
    let priority = cx.number(2)?;
    let function = cx.function(3)?;
    let steps = steps(&peer);
    let order = steps.next.get();
    steps.next.set(order + 1);
    let mut bound = steps.bound.borrow_mut();
    // Ascending priority; of equal ones the earlier binding first.
    let at = bound.partition_point(|other| other.priority <= priority);
    bound.insert(at, Bound { name, priority, order, function, owner: cx.owner() });
    Ok(Returns::NONE)
}

fn unbind(cx: &mut Cx<'_>) -> Outcome {
    let name = cx.text(1)?;
    steps(&cx.peer()).bound.borrow_mut().retain(|bound| bound.name != name);
    Ok(Returns::NONE)
}

fn answer(cx: &mut Cx<'_>, of: fn(RunContext, bool) -> bool) -> Outcome {
    let peer = cx.peer();
    cx.push_boolean(of(peer.shared.settings.context, peer.side.is_server()));
    Ok(Returns::ONE)
}

fn is_server(cx: &mut Cx<'_>) -> Outcome {
    answer(cx, |_, server| server)
}

fn is_client(cx: &mut Cx<'_>) -> Outcome {
    answer(cx, |_, server| !server)
}

fn is_studio(cx: &mut Cx<'_>) -> Outcome {
    answer(cx, |context, _| context == RunContext::Studio)
}

fn is_running(cx: &mut Cx<'_>) -> Outcome {
    answer(cx, |context, _| context != RunContext::LuauExecution)
}

fn for_plugins(cx: &mut Cx<'_>) -> Outcome {
    let name = cx.callee();
    Err(Raise::new(format!("The current thread cannot call '{name}' (lacking capability Plugin)")))
}

static SERVICE: LazyLock<InstanceId> = LazyLock::new(|| single_id(known_class("RunService")));

fn fire_event(peer: &Rc<Peer>, event: &EventRef, arguments: &[Value]) {
    let key = event.on(*SERVICE);
    if peer.signals.has_listeners(key) {
        fire(peer, key, arguments);
    }
}

fn seconds(dt: Time) -> Value {
    Value::Number(dt.seconds())
}

/// Runs what is bound to the render step, lowest priority first.
pub fn run_render_steps(peer: &Rc<Peer>, dt: Time) {
    let Some(steps) = peer.part::<RenderSteps>() else { return };
    let mut bound: Vec<(f64, u64, Handle, u32)> = steps
        .bound
        .borrow()
        .iter()
        .map(|bound| (bound.priority, bound.order, bound.function.clone(), bound.owner))
        .collect();
    if peer.shared.settings.shuffle {
        // Equal priorities have no order in the engine.
        let seed = peer.shared.schedule().derive(&format!(
            "render steps of {} at {}",
            peer.side,
            peer.clock.now().units()
        ));
        crate::shared::Random::from_seed(seed).shuffle(&mut bound);
        bound.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    for (_, order, function, owner) in bound {
        let still_bound = steps.bound.borrow().iter().any(|bound| bound.order == order);
        if still_bound && let Err(failure) = peer.spawn(&function, owner, &[seconds(dt)]) {
            peer.report(&failure, None);
        }
    }
}

/// Fires `RenderStepped` and `PreRender`.
pub fn pre_render(peer: &Rc<Peer>, dt: Time) {
    fire_event(peer, &RENDER_STEPPED, &[seconds(dt)]);
    fire_event(peer, &PRE_RENDER, &[seconds(dt)]);
}

/// Fires `PreAnimation`.
pub fn pre_animation(peer: &Rc<Peer>, dt: Time) {
    fire_event(peer, &PRE_ANIMATION, &[seconds(dt)]);
}

/// Fires `Stepped` and `PreSimulation`.
pub fn pre_simulation(peer: &Rc<Peer>, dt: Time) {
    fire_event(peer, &STEPPED, &[Value::Number(peer.clock.uptime()), seconds(dt)]);
    fire_event(peer, &PRE_SIMULATION, &[seconds(dt)]);
}

/// Fires `PostSimulation`.
pub fn post_simulation(peer: &Rc<Peer>, dt: Time) {
    fire_event(peer, &POST_SIMULATION, &[seconds(dt)]);
}

/// Fires `Heartbeat`.
pub fn heartbeat(peer: &Rc<Peer>, dt: Time) {
    fire_event(peer, &HEARTBEAT, &[seconds(dt)]);
}
