//! RemoteEvent, UnreliableRemoteEvent and RemoteFunction.

mod arguments;
mod queue;
mod rate;
mod rotation;
mod size;
#[cfg(test)]
mod tests;

pub use arguments::{MOST_ARGUMENTS, Names, Remark, Sender, deliver};
pub use queue::{Admission, Waiting};
pub use rate::Allowance;
pub use size::{message, payload};
