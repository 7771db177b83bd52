//! What scripts call: the methods of the three remote classes. Source: Roblox behaviour, 5.1 and 5.2.

use std::rc::Rc;

use super::desk::{Desk, Pending};
use crate::peer::Peer;
use crate::shared::{DiagnosticCode, Side};
use crate::trace::{PacketKind, Target};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns, Type};

/// The desk of a peer that belongs to a world.
fn desk(peer: &Peer) -> Result<Rc<Desk>, Raise> {
    peer.part::<Desk>().ok_or_else(|| Raise::new("remotes only work in a world"))
}

fn on_client(peer: &Peer, method: &str) -> Result<(), Raise> {
    if peer.data_model().is_server() {
        return Err(Raise::new(format!("{method} can only be called from the client")));
    }
    Ok(())
}

fn on_server(peer: &Peer, method: &str) -> Result<(), Raise> {
    if peer.data_model().is_server() {
        Ok(())
    } else {
        Err(Raise::new(format!("{method} can only be called from the server")))
    }
}

/// The client a `Player` argument stands for; `None`, with a diagnostic, for one who left.
fn recipient(cx: &Cx<'_>, desk: &Desk, remote: InstanceId, method: &str) -> Result<Option<Side>, Raise> {
    let wrong = || Raise::new(format!("{method}: player argument must be a Player object"));
    let player = cx.opt_instance(1).map_err(|_| wrong())?.ok_or_else(wrong)?;
    let Some(member) = desk.core.member_of(player) else { return Err(wrong()) };
    if member.connected {
        return Ok(Some(member.side));
    }
    let remote = cx.peer().data_model().store().full_name(remote);
    let text = format!("{remote}: {method} to {}, who has left; nothing is sent", member.name);
    desk.core.diagnose(desk.side, DiagnosticCode::Gone, text);
    Ok(None)
}

/// The arguments from `first` on, copied. A userdata without a type stays what it is: the conversion makes it nil.
fn arguments(cx: &Cx<'_>, first: i32) -> Result<Vec<Value>, Raise> {
    let one = |index| match cx.kind(index) {
        Type::Userdata => cx.shallow(index),
        _ => cx.value(index),
    };
    (first..=cx.count()).map(one).collect()
}

/// `RemoteEvent:FireServer(...)` and `UnreliableRemoteEvent:FireServer(...)`.
pub fn fire_server(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    on_client(&peer, "FireServer")?;
    let desk = desk(&peer)?;
    let remote = cx.instance(0)?;
    let args = desk.convert(&peer, remote, &arguments(cx, 1)?)?;
    desk.post(&peer, remote, PacketKind::Event, Target::One(Side::Server), args, false);
    Ok(Returns::NONE)
}

/// `RemoteEvent:FireClient(player, ...)` and the same of `UnreliableRemoteEvent`.
pub fn fire_client(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    on_server(&peer, "FireClient")?;
    let desk = desk(&peer)?;
    let remote = cx.instance(0)?;
    let to = recipient(cx, &desk, remote, "FireClient")?;
    let args = desk.convert(&peer, remote, &arguments(cx, 2)?)?;
    if let Some(side) = to {
        desk.post(&peer, remote, PacketKind::Event, Target::One(side), args, false);
    }
    Ok(Returns::NONE)
}

/// `RemoteEvent:FireAllClients(...)` and the same of `UnreliableRemoteEvent`: one call to everyone.
pub fn fire_all_clients(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    on_server(&peer, "FireAllClients")?;
    let desk = desk(&peer)?;
    let remote = cx.instance(0)?;
    let args = desk.convert(&peer, remote, &arguments(cx, 1)?)?;
    desk.post(&peer, remote, PacketKind::Event, Target::Everyone, args, false);
    Ok(Returns::NONE)
}

/// `RemoteFunction:InvokeServer(...)`: yields until the reply.
pub fn invoke_server(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    on_client(&peer, "InvokeServer")?;
    let desk = desk(&peer)?;
    let remote = cx.instance(0)?;
    let args = desk.convert(&peer, remote, &arguments(cx, 1)?)?;
    invoke(cx, &peer, &desk, remote, Side::Server, args)
}

/// `RemoteFunction:InvokeClient(player, ...)`: yields until the reply, or raises once the player has left.
pub fn invoke_client(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    on_server(&peer, "InvokeClient")?;
    let desk = desk(&peer)?;
    let remote = cx.instance(0)?;
    let to = recipient(cx, &desk, remote, "InvokeClient")?;
    let args = desk.convert(&peer, remote, &arguments(cx, 2)?)?;
    match to {
        Some(side) => invoke(cx, &peer, &desk, remote, side, args),
        None => Err(Raise::new(LEFT)),
    }
}

/// What a thread is told that waited for a player who left.
pub(super) const LEFT: &str = "InvokeClient: the player left before answering";

fn invoke(
    cx: &mut Cx<'_>,
    peer: &Peer,
    desk: &Desk,
    remote: InstanceId,
    to: Side,
    args: Rc<[Value]>,
) -> Outcome {
    let parked = cx.park()?;
    let call = desk.core.next_call();
    desk.await_reply(call, Pending { parked, from: to, remote, since: desk.core.now(), reported: false });
    desk.post(peer, remote, PacketKind::Invoke(call), Target::One(to), args, false);
    Ok(Returns::Yield)
}
