//! Actors: VMs of their own within one side. Source: Roblox behaviour, 1.2 and 11.4.
//!
//! The peer of an Actor shares instances, signals, timers and output with the peer of its side, and has its own VM:
//! globals, `_G`, modules. It is made when the first script of the Actor starts, and stays to the end of the world.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::{Modules, Peer, new_vm};
use crate::value::InstanceId;
use crate::vm::{Failure, Handle};

impl Peer {
    /// The peer of the side, for one of an Actor; otherwise the peer itself.
    pub fn root(&self) -> Rc<Peer> {
        self.root.upgrade().unwrap_or_else(|| self.rc())
    }

    /// The peer a script runs on: that of the nearest Actor it is in, or the side's own. `setup` gives a new one its
    /// types and engine globals.
    ///
    /// Errors: there is no memory for another VM.
    pub fn peer_of_script(
        &self,
        script: InstanceId,
        setup: impl FnOnce(&Rc<Peer>) -> Result<(), Failure>,
    ) -> Result<Rc<Peer>, Failure> {
        let tree = self.tree();
        let actor = std::iter::successors(Some(script), |id| tree.parent(*id)).find(|id| tree.is_actor(*id));
        match actor {
            Some(actor) => self.root().peer_of_actor(actor, setup),
            None => Ok(self.root()),
        }
    }

    fn peer_of_actor(
        self: &Rc<Self>,
        actor: InstanceId,
        setup: impl FnOnce(&Rc<Peer>) -> Result<(), Failure>,
    ) -> Result<Rc<Peer>, Failure> {
        let known = self.actors.borrow().iter().find(|peer| peer.actor == Some(actor)).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let vm = new_vm(&self.shared, self.side, Some(self.actors.borrow().len()))?;
        let peer = Rc::new_cyclic(|this| Peer {
            side: self.side,
            vm,
            actor: Some(actor),
            scheduler: self.scheduler.clone(),
            signals: self.signals.clone(),
            clock: self.clock.clone(),
            log: self.log.clone(),
            model: self.model.get().cloned().map_or_else(OnceCell::new, OnceCell::from),
            tree: self.tree.clone(),
            parts: self.parts.clone(),
            owners: self.owners.clone(),
            actors: RefCell::default(),
            root: self.this.clone(),
            modules: Modules::default(),
            ends: RefCell::default(),
            covered: RefCell::default(),
            failing: self.failing.clone(),
            system_time: OnceCell::new(),
            this: this.clone(),
            shared: self.shared.clone(),
        });
        peer.furnish(setup)?;
        self.actors.borrow_mut().push(peer.clone());
        Ok(peer)
    }

    /// The peer whose VM a handle belongs to, if it is another one of this side.
    pub(super) fn other_home(&self, handle: &Handle) -> Option<Rc<Peer>> {
        if self.vm.owns(handle) {
            return None;
        }
        handle.peer().filter(|home| Rc::ptr_eq(&home.scheduler, &self.scheduler))
    }

    /// The peer of this side whose VM a handle belongs to.
    pub fn home(&self, handle: &Handle) -> Rc<Peer> {
        self.other_home(handle).unwrap_or_else(|| self.rc())
    }

    /// The peers of the side's Actors, in the order they were made.
    pub fn actor_peers(&self) -> Vec<Rc<Peer>> {
        self.actors.borrow().clone()
    }

    /// Memory in use by all VMs of the side, in bytes.
    pub fn memory(&self) -> usize {
        let root = self.root();
        let actors = root.actors.borrow();
        root.vm.memory() + actors.iter().map(|actor| actor.vm.memory()).sum::<usize>()
    }

    /// Whether code may change things now.
    ///
    /// Errors: `text` in a parallel phase, unless the world's `strictParallel` is off. Source: Roblox behaviour, 11.4.4.
    pub fn check_serial(&self, text: impl FnOnce() -> String) -> Result<(), String> {
        if self.scheduler.is_parallel() && self.shared.settings.strict_parallel {
            return Err(text());
        }
        Ok(())
    }
}
