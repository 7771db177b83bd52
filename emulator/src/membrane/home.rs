//! A VM that takes part in the membrane.

use crate::value::{InstanceId, Value};
use crate::vm::{Handle, Parked, ThreadEnd, Vm};

/// A home's place in its membrane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HomeId(pub u32);

impl HomeId {
    /// The director's VM.
    pub const DIRECTOR: HomeId = HomeId(0);
}

/// What to do when a call across VMs has ended.
pub type OnEnd = Box<dyn FnOnce(ThreadEnd)>;

/// A VM others may call into.
pub trait Home {
    /// Lends its VM.
    fn with_vm(&self, body: &mut dyn FnMut(&Vm));

    /// The world it is a side of; `None` for the director.
    fn world(&self) -> Option<u32>;

    /// Whether its tree has that instance.
    fn knows(&self, instance: InstanceId) -> bool;

    /// Runs a function on a thread of its own until it ends or yields; `on_end` is called once it has ended.
    fn start(&self, function: &Handle, arguments: &[Value], on_end: OnEnd);

    /// A table of functions that do what the methods of a signal or a connection do, for who cannot hold it itself.
    fn stand_in(&self, held: &Value) -> Result<Value, String>;

    /// Wakes a thread that waited for a call into another home, with its results or an error.
    fn wake(&self, parked: Parked, result: Result<Vec<Value>, String>);
}
