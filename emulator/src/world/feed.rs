//! Playing calls of clients back to the server: they are there in its next receive phase, without a client's code and
//! without a journey.

use std::rc::Rc;

use super::World;
use crate::peer::Peer;
use crate::services::remotes::{Arrived, Call, class_of};
use crate::shared::Side;
use crate::trace::{Packet, PacketKind, Receipt, Target};
use crate::value::{InstanceId, Value};

/// A call as it arrived on the server once.
#[derive(Clone, Debug)]
pub struct Fed {
    /// The client that made it; it must be connected.
    pub from: Side,
    /// The remote.
    pub remote: InstanceId,
    /// What it is part of. A reply names the call of this world that it answers.
    pub kind: PacketKind,
    /// The arguments, as they arrived.
    pub args: Rc<[Value]>,
}

impl World {
    /// Has the server receive a call in its next receive phase, behind what comes over links.
    pub fn feed(&self, fed: Fed) {
        self.fed.borrow_mut().push(fed);
    }

    /// The receive phase's share of what is played back.
    pub(super) fn receive_fed(&self, peer: &Rc<Peer>) {
        let list = std::mem::take(&mut *self.fed.borrow_mut());
        let now = self.now();
        for fed in list {
            let connected = self.core.member(fed.from).is_some_and(|member| member.connected);
            if !connected {
                continue;
            }
            let class = class_of(peer, fed.remote);
            let packet = self.core.trace_mut().send(Packet {
                id: 0,
                from: fed.from,
                to: Target::One(Side::Server),
                remote: peer.data_model().store().full_name(fed.remote).into(),
                remote_id: fed.remote,
                class,
                kind: fed.kind,
                args: fed.args.clone(),
                instances: Vec::new(),
                size: 0,
                payload: 0,
                sent_at: now,
                frame: self.frame(fed.from),
                injected: true,
                receipts: vec![Receipt::new(Side::Server)],
            });
            let call = Rc::new(Call { packet, kind: fed.kind, class, remote: fed.remote, args: fed.args });
            self.server.desk.receive(peer, &call, Arrived { from: fed.from, at: now, resends: 0 });
        }
    }
}
