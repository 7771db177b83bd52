//! Scripts of a peer whose lines are counted.

use std::sync::Arc;

use super::Peer;
use crate::vm::{FunctionHits, Handle};

/// A script that was loaded, and how often its lines ran.
#[derive(Clone, Debug)]
pub struct Covered {
    /// Full name of the script.
    pub name: String,
    /// Its text.
    pub source: Arc<str>,
    /// Its functions, the script itself first.
    pub functions: Vec<FunctionHits>,
}

/// A script that is loaded.
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) source: Arc<str>,
    pub(super) main: Handle,
}

impl Peer {
    /// How often the lines of each script loaded so far ran; empty unless the world's code counts.
    pub fn coverage(&self) -> Vec<Covered> {
        let loaded = self.covered.borrow();
        let counts = loaded.iter().map(|script| Covered {
            name: script.name.clone(),
            source: script.source.clone(),
            functions: self.vm.coverage(&script.main),
        });
        let actors = self.actor_peers();
        counts.chain(actors.iter().flat_map(|actor| actor.coverage())).collect()
    }
}
