//! One side's VM with its scripts. Its members land next; native functions reach it through `Cx::peer`.

/// A side of the world: a VM, its scheduler, its view of the tree.
pub struct Peer;
