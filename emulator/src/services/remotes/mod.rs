//! RemoteEvent, UnreliableRemoteEvent and RemoteFunction: calls between the VMs of a world.
//!
//! A call is converted and measured where it is made (`natives`, `arguments`, `size`), waits on its side's [`Desk`] for
//! the send phase, crosses a link in the care of [`crate::world`], and is handled in the receive phase (`receive`),
//! at once or, with nobody listening yet, later. Source: Roblox behaviour, 5.

mod arguments;
mod desk;
mod handling;
mod natives;
mod queue;
mod rate;
mod receive;
mod rotation;
mod size;
#[cfg(test)]
mod tests;

use std::rc::Rc;

pub use arguments::{MOST_ARGUMENTS, Names, Remark, Sender, deliver};
pub use desk::{Call, Desk, Pending, Posted, class_of};
pub use queue::{Admission, Waiting};
pub use rate::Allowance;
pub use receive::Arrived;
pub use size::{message, payload};

use crate::datamodel::members::{Member, callback, event, method};
use crate::peer::Peer;
use crate::scheduler::call_later;

/// What scripts can use of the three classes.
pub const MEMBERS: &[Member] = &[
    method("RemoteEvent", "FireServer(...)", natives::fire_server).on_client(),
    method("RemoteEvent", "FireClient(player: Player, ...)", natives::fire_client)
        .on_server()
        .checks_arguments(),
    method("RemoteEvent", "FireAllClients(...)", natives::fire_all_clients).on_server(),
    event("RemoteEvent", "OnServerEvent(player: Player, ...)").on_server(),
    event("RemoteEvent", "OnClientEvent(...)").on_client(),
    method("UnreliableRemoteEvent", "FireServer(...)", natives::fire_server).on_client(),
    method("UnreliableRemoteEvent", "FireClient(player: Player, ...)", natives::fire_client)
        .on_server()
        .checks_arguments(),
    method("UnreliableRemoteEvent", "FireAllClients(...)", natives::fire_all_clients).on_server(),
    event("UnreliableRemoteEvent", "OnServerEvent(player: Player, ...)").on_server(),
    event("UnreliableRemoteEvent", "OnClientEvent(...)").on_client(),
    method("RemoteFunction", "InvokeServer(...) -> ...", natives::invoke_server).on_client().yields(),
    method("RemoteFunction", "InvokeClient(player: Player, ...) -> ...", natives::invoke_client)
        .on_server()
        .yields()
        .checks_arguments(),
    callback("RemoteFunction", "OnServerInvoke(player: Player, ...) -> ...").on_server(),
    callback("RemoteFunction", "OnClientInvoke(...) -> ...").on_client(),
];

/// Gives a peer its desk. Calls that waited for a listener are handed over once there is one.
pub fn attach(peer: &Rc<Peer>, desk: Rc<Desk>) {
    peer.attach(desk);
    peer.signals.on_connect(|peer, _| serve_later(peer));
}

/// A callback was set on some remote function: calls may have waited for it.
pub fn callback_set(peer: &Rc<Peer>) {
    serve_later(peer);
}

fn serve_later(peer: &Rc<Peer>) {
    let waiting = peer.part::<Desk>().is_some_and(|desk| desk.waiting() > 0);
    if !waiting {
        return;
    }
    // The script that listens goes on first: what it does after connecting belongs to its setting up.
    call_later(peer, |peer| {
        if let Some(desk) = peer.part::<Desk>() {
            desk.serve_waiting(peer);
        }
    });
}
