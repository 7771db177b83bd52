//! Lets code in one VM hold and call values of another.
//!
//! Every VM that takes part is a [`Home`]. A value that crosses is translated: tables are copied, a function becomes a
//! proxy that runs it at home and yields its caller when it yields, and an instance of a side becomes a number of the
//! director's own, so that two handles of one instance are equal. A signal or a connection becomes a table of functions
//! that stand for its methods. A proxy that comes home is unwrapped.
//!
//! Nothing here moves time: who waits for a proxy is woken by the home's own scheduler.

pub mod copy;
mod home;
mod watch;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use rustc_hash::FxHashMap;

pub use home::{Home, HomeId, OnEnd};
pub use watch::Watch;

use crate::value::{InstanceId, Table, Value};
use crate::vm::{Cx, Handle, Outcome, Raise, Returns, ThreadEnd, Vm};

/// Nested calls between VMs stop here, well before the native stack ends: each is a resume inside a resume.
const MAX_DEPTH: u32 = 30;

/// The homes of one director and the proxies between them.
pub struct Membrane {
    homes: RefCell<Vec<Rc<dyn Home>>>,
    depth: Cell<u32>,
    watch: RefCell<Option<Rc<dyn Watch>>>,
    interned: RefCell<Interned>,
}

/// Numbers the director knows the instances of all sides by.
#[derive(Default)]
struct Interned {
    by_number: Vec<(HomeId, InstanceId)>,
    numbers: FxHashMap<(HomeId, InstanceId), u32>,
}

/// A function of one home, as another holds it.
pub struct Proxy {
    membrane: Weak<Membrane>,
    home: HomeId,
    /// `None` once it has no counterpart in a world that was restored.
    function: RefCell<Option<Handle>>,
    here: HomeId,
    /// Its place among the functions of its world that the director was given.
    export: Cell<Option<usize>>,
}

impl Proxy {
    /// Notes its place among the functions of its world.
    pub fn set_export(&self, place: usize) {
        self.export.set(Some(place));
    }

    /// Has it stand for what another stands for from now on, or for nothing.
    pub fn become_like(&self, other: Option<&Proxy>) {
        let function = other.and_then(|other| other.function.borrow().clone());
        *self.function.borrow_mut() = function;
    }

    fn function(&self) -> Result<Handle, String> {
        self.function.borrow().clone().ok_or_else(|| {
            "this function came from a later moment of a world that was restored; get it anew".to_string()
        })
    }
}

impl Membrane {
    /// A membrane without homes. The first one added is the director.
    pub fn new() -> Rc<Membrane> {
        Rc::new(Membrane {
            homes: RefCell::default(),
            depth: Cell::new(0),
            watch: RefCell::default(),
            interned: RefCell::default(),
        })
    }

    /// Has `watch` told of what crosses between the director and the sides of worlds.
    pub fn set_watch(&self, watch: Rc<dyn Watch>) {
        *self.watch.borrow_mut() = Some(watch);
    }

    fn watch(&self) -> Option<Rc<dyn Watch>> {
        self.watch.borrow().clone()
    }

    /// Forgets the VM of a home: whoever still holds values of it is told that its world is gone.
    pub fn retire(&self, id: HomeId) {
        self.replace(id, Rc::new(Gone));
    }

    /// The world a home is a side of.
    pub fn world_of(&self, id: HomeId) -> Option<u32> {
        self.home(id).world()
    }

    /// Puts another VM in a home's place.
    pub fn replace(&self, id: HomeId, home: Rc<dyn Home>) {
        if let Some(place) = self.homes.borrow_mut().get_mut(id.0 as usize) {
            *place = home;
        }
    }

    /// Adds a VM; its id is its place.
    pub fn add(&self, home: Rc<dyn Home>) -> HomeId {
        let mut homes = self.homes.borrow_mut();
        homes.push(home);
        HomeId(homes.len() as u32 - 1)
    }

    fn home(&self, id: HomeId) -> Rc<dyn Home> {
        // Ids come from `add` alone, and homes are never taken out.
        self.homes.borrow()[id.0 as usize].clone()
    }

    /// The director's number for an instance of a side.
    pub fn intern(&self, home: HomeId, instance: InstanceId) -> InstanceId {
        let mut interned = self.interned.borrow_mut();
        let next = interned.by_number.len() as u32;
        let number = *interned.numbers.entry((home, instance)).or_insert(next);
        if number == next {
            interned.by_number.push((home, instance));
        }
        InstanceId(number)
    }

    /// The side and id behind a number of the director's.
    pub fn resolve(&self, number: InstanceId) -> Option<(HomeId, InstanceId)> {
        self.interned.borrow().by_number.get(number.0 as usize).copied()
    }

    /// Makes a value of `from` fit for `to`. `Reference`s and threads do not cross.
    pub fn translate(self: &Rc<Self>, value: &Value, from: HomeId, to: HomeId) -> Result<Value, String> {
        if from == to {
            return Ok(value.clone());
        }
        Ok(match value {
            Value::Function(handle) => self.translate_function(handle, from, to)?,
            Value::Instance(id) => self.translate_instance(*id, from, to)?,
            Value::Table(table) => {
                let array = self.translate_all(&table.array, from, to)?;
                let mut pairs = Vec::with_capacity(table.pairs.len());
                for (key, value) in &table.pairs {
                    pairs.push((self.translate(key, from, to)?, self.translate(value, from, to)?));
                }
                Value::Table(Rc::new(Table { array, pairs }))
            }
            Value::Signal(_) | Value::Connection(_) => {
                let stand_in = self.home(from).stand_in(value)?;
                self.translate(&stand_in, from, to)?
            }
            Value::Thread(_) | Value::Reference(_) => {
                return Err(format!("a {} cannot be passed to another side", value.type_name()));
            }
            Value::Nil
            | Value::Boolean(_)
            | Value::Number(_)
            | Value::Vector(_)
            | Value::String(_)
            | Value::Buffer(_)
            | Value::EnumItem(_)
            | Value::Enum(_)
            | Value::Enums
            | Value::Datatype(_) => value.clone(),
        })
    }

    /// [`Membrane::translate`] for a list.
    pub fn translate_all(
        self: &Rc<Self>,
        values: &[Value],
        from: HomeId,
        to: HomeId,
    ) -> Result<Vec<Value>, String> {
        values.iter().map(|value| self.translate(value, from, to)).collect()
    }

    fn translate_function(
        self: &Rc<Self>,
        handle: &Handle,
        from: HomeId,
        to: HomeId,
    ) -> Result<Value, String> {
        let captured = in_vm(&*self.home(from), |vm| vm.captured::<Proxy>(handle))?;
        // A proxy names its target again, so that it unwraps at home and never wraps twice.
        let (home, function) = match captured {
            Some(proxy) => (proxy.home, proxy.function()?),
            None => (from, handle.clone()),
        };
        if home == to {
            return Ok(Value::Function(function));
        }
        let proxy = Rc::new(Proxy {
            membrane: Rc::downgrade(self),
            home,
            function: RefCell::new(Some(function)),
            here: to,
            export: Cell::new(None),
        });
        if to == HomeId::DIRECTOR
            && let (Some(watch), Some(world)) = (self.watch(), self.home(home).world())
        {
            watch.exported(world, &proxy);
        }
        let made = in_vm(&*self.home(to), |vm| {
            vm.enter(|cx| {
                cx.push_closure("proxy", call_proxy, proxy);
                cx.function(-1)
            })
        })?;
        made.map(Value::Function).map_err(|failure| failure.text)
    }

    fn translate_instance(&self, id: InstanceId, from: HomeId, to: HomeId) -> Result<Value, String> {
        let (home, instance) = if from == HomeId::DIRECTOR {
            self.resolve(id).ok_or_else(|| "this instance belongs to no world".to_string())?
        } else {
            (from, id)
        };
        if to == HomeId::DIRECTOR {
            return Ok(Value::Instance(self.intern(home, instance)));
        }
        // Sides of one world agree on the ids of what is replicated; anything else is unknown there.
        let (source, target) = (self.home(home), self.home(to));
        Ok(if home == to || (source.world() == target.world() && target.knows(instance)) {
            Value::Instance(instance)
        } else {
            Value::Nil
        })
    }

    /// Runs `function` of `home` with values that already fit it. `on_end` gets what it returns, at once or later.
    pub fn start(&self, home: HomeId, function: &Handle, arguments: &[Value], on_end: OnEnd) {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            on_end(Err(crate::vm::Failure::text("too many nested calls between sides")));
            return;
        }
        self.depth.set(depth + 1);
        self.home(home).start(function, arguments, on_end);
        self.depth.set(depth);
    }

    /// Calls `function` of `home` for the code in `cx`, which runs in `here`: at once when it does not yield,
    /// otherwise the caller waits. Results and errors are translated.
    pub fn call(
        self: &Rc<Self>,
        cx: &mut Cx<'_>,
        here: HomeId,
        home: HomeId,
        function: &Handle,
        arguments: &[Value],
    ) -> Outcome {
        let ended: Rc<RefCell<Stage>> = Rc::default();
        let membrane = Rc::downgrade(self);
        let stage = ended.clone();
        let on_end: OnEnd = Box::new(move |end| {
            let before = std::mem::replace(&mut *stage.borrow_mut(), Stage::Ended(None));
            let waiting = match before {
                Stage::Waiting(parked) => parked,
                Stage::Running | Stage::Ended(_) => {
                    *stage.borrow_mut() = Stage::Ended(Some(end));
                    return;
                }
            };
            if let Some(membrane) = membrane.upgrade() {
                let result = membrane.bring(end, home, here);
                membrane.home(here).wake(waiting, result);
            }
        });
        match (self.watch(), self.home(here).world()) {
            (Some(watch), Some(world)) if home == HomeId::DIRECTOR => {
                watch.asked(world, on_end, &mut |on_end| self.start(home, function, arguments, on_end));
            }
            _ => self.start(home, function, arguments, on_end),
        }
        let stage = std::mem::take(&mut *ended.borrow_mut());
        let end = match stage {
            Stage::Ended(end) => end,
            Stage::Running | Stage::Waiting(_) => None,
        };
        match end {
            Some(end) => {
                let values = self.bring(end, home, here)?;
                for value in &values {
                    cx.push(value);
                }
                Ok(Returns::Values(values.len() as i32))
            }
            None => {
                *ended.borrow_mut() = Stage::Waiting(cx.park()?);
                Ok(Returns::Yield)
            }
        }
    }

    /// Calls what a function of the director's stands for, and gives what it returns to nobody.
    pub fn call_again(self: &Rc<Self>, proxy: &Proxy, arguments: &[Value]) {
        let Ok(function) = proxy.function() else { return };
        let Ok(arguments) = self.translate_all(arguments, proxy.here, proxy.home) else { return };
        let (membrane, home, here) = (Rc::downgrade(self), proxy.home, proxy.here);
        let on_end: OnEnd = Box::new(move |end| {
            if let Some(membrane) = membrane.upgrade() {
                // Functions among the results come across again, in their old order.
                let _ = membrane.bring(end, home, here);
            }
        });
        self.start(home, &function, &arguments, on_end);
    }

    fn bring(self: &Rc<Self>, end: ThreadEnd, home: HomeId, here: HomeId) -> Result<Vec<Value>, String> {
        let values = end.map_err(|failure| failure.report())?;
        let copied = in_vm(&*self.home(home), |vm| vm.enter(|cx| copy::shallow_to_deep(cx, &values)))?;
        self.translate_all(&copied.map_err(|failure| failure.text)?, home, here)
    }

    /// A copy of the arguments of the running call from `first` on, cycles cut.
    pub fn arguments(cx: &Cx<'_>, first: i32) -> Result<Vec<Value>, Raise> {
        (first..=cx.count()).map(|index| copy::value(cx, index)).collect()
    }
}

const GONE: &str = "this belongs to a world that is gone";

/// The home of a side whose world is gone.
struct Gone;

impl Home for Gone {
    fn with_vm(&self, _: &mut dyn FnMut(&Vm)) {}

    fn world(&self) -> Option<u32> {
        None
    }

    fn knows(&self, _: InstanceId) -> bool {
        false
    }

    fn start(&self, _: &Handle, _: &[Value], on_end: OnEnd) {
        on_end(Err(crate::vm::Failure::text(GONE)));
    }

    fn stand_in(&self, _: &Value) -> Result<Value, String> {
        Err(GONE.to_owned())
    }

    fn wake(&self, _: crate::vm::Parked, _: Result<Vec<Value>, String>) {}
}

/// Runs `body` with the VM of a home and gives what it gives. Errors: the home's world is gone.
fn in_vm<R>(home: &dyn Home, body: impl FnOnce(&Vm) -> R) -> Result<R, String> {
    let mut body = Some(body);
    let mut result = None;
    home.with_vm(&mut |vm| result = body.take().map(|body| body(vm)));
    result.ok_or_else(|| GONE.to_string())
}

/// How far a call across VMs has come.
#[derive(Default)]
enum Stage {
    /// It runs on top of the caller.
    #[default]
    Running,
    /// It has yielded, and the caller waits.
    Waiting(crate::vm::Parked),
    /// It has ended; the result is taken once.
    Ended(Option<ThreadEnd>),
}

fn call_proxy(cx: &mut Cx<'_>) -> Outcome {
    let proxy = cx.captured::<Proxy>().ok_or("this function belongs to a world that is gone")?;
    let membrane = proxy.membrane.upgrade().ok_or("this function belongs to a world that is gone")?;
    let function = proxy.function()?;
    let arguments = Membrane::arguments(cx, 1)?;
    if let (Some(watch), Some(export), Some(world)) =
        (membrane.watch(), proxy.export.get(), membrane.home(proxy.home).world())
    {
        watch.called(world, export, &arguments);
    }
    let arguments = membrane.translate_all(&arguments, proxy.here, proxy.home)?;
    membrane.call(cx, proxy.here, proxy.home, &function, &arguments)
}
