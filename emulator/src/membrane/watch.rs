//! Who looks on as values cross between the director and the sides of worlds.

use std::rc::Rc;

use super::{OnEnd, Proxy};
use crate::value::Value;

/// Told of every crossing, so that a run can be written down and repeated.
pub trait Watch {
    /// A function of a side of that world is about to become the director's.
    fn exported(&self, world: u32, proxy: &Rc<Proxy>);

    /// The director calls the function that came across in that place, with values of its own.
    fn called(&self, world: u32, export: usize, arguments: &[Value]);

    /// A side of that world calls a function of the director. `run` runs it; whoever knows the answer need not.
    fn asked(&self, world: u32, on_end: OnEnd, run: &mut dyn FnMut(OnEnd));
}
