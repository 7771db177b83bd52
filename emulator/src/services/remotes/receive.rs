//! What happens to calls on the side they arrive at: handlers, queues, callbacks, replies.
//! Source: Roblox behaviour, 5.2, 5.5 and 5.6.

use std::cell::Cell;
use std::rc::Rc;

use super::arguments;
use super::desk::{Answer, Call, Desk, Pending};
use super::handling::Handling;
use super::natives::LEFT;
use super::queue::Admission;
use crate::clock::Time;
use crate::datamodel::members::EventRef;
use crate::peer::Peer;
use crate::scheduler::{HandlerPlace, HandlerWatch, call_later, fail_later, fire_watched, resume_later};
use crate::shared::{DiagnosticCode, LogLevel, Side, SignalMode};
use crate::trace::{Fate, PacketClass, PacketKind, Receipt, Target};
use crate::value::{InstanceId, SignalKey, Value};
use crate::vm::{Failure, ThreadEnd};

static RELIABLE_ON_SERVER: EventRef = EventRef::new("RemoteEvent", "OnServerEvent");
static RELIABLE_ON_CLIENT: EventRef = EventRef::new("RemoteEvent", "OnClientEvent");
static UNRELIABLE_ON_SERVER: EventRef = EventRef::new("UnreliableRemoteEvent", "OnServerEvent");
static UNRELIABLE_ON_CLIENT: EventRef = EventRef::new("UnreliableRemoteEvent", "OnClientEvent");

/// How a call came in.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    /// Who sent it.
    pub from: Side,
    /// When it arrived.
    pub at: Time,
    /// How often it was sent again.
    pub resends: u32,
}

impl Desk {
    fn signal(&self, call: &Call) -> SignalKey {
        let event = match (call.class, self.side.is_server()) {
            (PacketClass::UnreliableRemoteEvent, true) => &UNRELIABLE_ON_SERVER,
            (PacketClass::UnreliableRemoteEvent, false) => &UNRELIABLE_ON_CLIENT,
            (PacketClass::RemoteEvent | PacketClass::RemoteFunction, true) => &RELIABLE_ON_SERVER,
            (PacketClass::RemoteEvent | PacketClass::RemoteFunction, false) => &RELIABLE_ON_CLIENT,
        };
        event.on(call.remote)
    }

    fn callback_name(&self) -> &'static str {
        if self.side.is_server() { "OnServerInvoke" } else { "OnClientInvoke" }
    }

    /// Handles a call that arrived: runs handlers, or lets it wait.
    pub fn receive(&self, peer: &Rc<Peer>, call: &Rc<Call>, arrived: Arrived) {
        let fate = match call.kind {
            PacketKind::Event => self.receive_event(peer, call, arrived.from),
            PacketKind::Invoke(_) => self.receive_invoke(peer, call, arrived.from),
            PacketKind::Reply(..) => Fate::Delivered,
        };
        {
            let (now, frame) = (self.core.now(), self.core.frame(self.side));
            let mut trace = self.core.trace_mut();
            let handled_at = (fate == Fate::Delivered).then_some(now);
            let receipt = Receipt {
                side: self.side,
                fate,
                arrived_at: Some(arrived.at),
                resends: arrived.resends,
                handled_at,
            };
            trace.arrive(call.packet, receipt, now, frame);
        }
        // The record comes first: what handlers do is recorded after what they answer to.
        match (call.kind, fate) {
            (PacketKind::Event, Fate::Delivered) => self.handle_event(peer, call, arrived.from),
            (PacketKind::Invoke(number), Fate::Delivered) => self.answer(peer, call, number, arrived.from),
            (PacketKind::Reply(number, ok), _) => self.receive_reply(peer, call, number, ok),
            _ => {}
        }
    }

    /// Whether the remote is there for a call on it.
    fn has_remote(&self, peer: &Rc<Peer>, remote: InstanceId) -> bool {
        let store = peer.data_model().store();
        store.get(remote).is_some_and(|instance| !instance.destroyed)
    }

    fn receive_event(&self, peer: &Rc<Peer>, call: &Rc<Call>, from: Side) -> Fate {
        if !self.has_remote(peer, call.remote) {
            return Fate::DroppedQueue;
        }
        let heard = peer.signals.has_listeners(self.signal(call));
        if call.class == PacketClass::UnreliableRemoteEvent {
            // Unreliable events do not wait: with nobody there they are gone.
            return if heard { Fate::Delivered } else { Fate::DroppedQueue };
        }
        if heard && !self.events.borrow().is_waiting(call.remote, from) {
            return Fate::Delivered;
        }
        let limit = self.core.settings().remote_queue_limit;
        let admission = self.events.borrow_mut().admit(call.remote, from, call.clone(), limit);
        let listener = if self.side.is_server() { "OnServerEvent" } else { "OnClientEvent" };
        self.admitted(peer, call, admission, "event", listener)
    }

    fn receive_invoke(&self, peer: &Rc<Peer>, call: &Rc<Call>, from: Side) -> Fate {
        if !self.has_remote(peer, call.remote) {
            return Fate::DroppedQueue;
        }
        let waiting = self.invokes.borrow().is_waiting(call.remote, from);
        if !waiting && peer.data_model().callback(call.remote, self.callback_name()).is_some() {
            return Fate::Delivered;
        }
        let limit = self.core.settings().remote_queue_limit;
        let admission = self.invokes.borrow_mut().admit(call.remote, from, call.clone(), limit);
        self.admitted(peer, call, admission, "function", self.callback_name())
    }

    fn admitted(
        &self,
        peer: &Rc<Peer>,
        call: &Call,
        admission: Admission,
        kind: &str,
        listener: &str,
    ) -> Fate {
        let Admission::Dropped(said) = admission else { return Fate::Queued };
        if let Some(dropped) = said {
            let name = peer.data_model().store().full_name(call.remote);
            let text = format!(
                "Remote {kind} invocation queue exhausted for {name}; did you forget to implement {listener}? \
                 ({dropped} events dropped)"
            );
            peer.rc().write(LogLevel::Error, text.clone(), None);
            self.core.diagnose(self.side, DiagnosticCode::Queue, text);
        }
        Fate::DroppedQueue
    }

    /// The arguments as handlers get them: the player in front on the server, instances looked up now.
    fn delivered(&self, peer: &Rc<Peer>, call: &Call, from: Side) -> Vec<Value> {
        let mut remarks = Vec::new();
        let args = {
            let mut missing = |id: InstanceId| self.missing(peer, call, id);
            arguments::deliver(&call.args, &mut missing, &mut remarks)
        };
        if !remarks.is_empty() {
            let name = peer.data_model().store().full_name(call.remote);
            for (code, text) in remarks {
                self.core.diagnose(self.side, code, format!("{name}: {text}"));
            }
        }
        let player = if self.side.is_server() { self.core.member(from) } else { None };
        let mut values = Vec::with_capacity(args.len() + 1);
        values.extend(player.map(|member| Value::Instance(member.player)));
        values.extend(args.iter().cloned());
        values
    }

    /// Why this side does not have an instance that was sent to it.
    fn missing(&self, peer: &Rc<Peer>, call: &Call, id: InstanceId) -> Option<String> {
        let store = peer.data_model().store();
        let why = match store.get(id) {
            Some(instance) if instance.destroyed => "it was destroyed in flight",
            Some(_) if store.in_game(id) => return None,
            Some(_) => "it is not in the game: its parent, or that of an ancestor, is nil",
            None if self.side.is_server() => "it was made by the client, and the server does not have it",
            None => "it does not exist on this client: not replicated, in a server-only container, or hidden",
        };
        let trace = self.core.trace();
        let known = trace.packet(call.packet).and_then(|packet| packet.instance(id));
        Some(format!("{} arrived as nil: {why}", known.map_or("an instance", |known| &known.path)))
    }

    fn handle_event(&self, peer: &Rc<Peer>, call: &Call, from: Side) {
        let values = self.delivered(peer, call, from);
        let watch = Rc::new(Handling { core: self.core.clone(), side: self.side, packet: call.packet });
        fire_watched(peer, self.signal(call), values, watch);
    }

    /// Hands calls that wait to those who listen by now: at the start of each receive phase, and when a callback is
    /// set.
    pub fn serve_waiting(&self, peer: &Rc<Peer>) {
        let events = self.events.borrow().remotes();
        for remote in events {
            if !self.has_remote(peer, remote) {
                self.abandon(remote);
                continue;
            }
            let key = |class| {
                self.signal(&Call { packet: 0, kind: PacketKind::Event, class, remote, args: Rc::new([]) })
            };
            if !peer.signals.has_listeners(key(PacketClass::RemoteEvent)) {
                continue;
            }
            let waiting = self.events.borrow_mut().take(remote);
            for (from, call) in waiting {
                self.settle(call.packet, Fate::Delivered);
                self.handle_event(peer, &call, from);
            }
        }
        let invokes = self.invokes.borrow().remotes();
        for remote in invokes {
            if !self.has_remote(peer, remote) {
                self.abandon(remote);
                continue;
            }
            if peer.data_model().callback(remote, self.callback_name()).is_none() {
                continue;
            }
            let waiting = self.invokes.borrow_mut().take(remote);
            for (from, call) in waiting {
                self.settle(call.packet, Fate::Delivered);
                if let PacketKind::Invoke(number) = call.kind {
                    self.answer(peer, &call, number, from);
                }
            }
        }
    }

    /// A remote that is destroyed takes its queue along.
    fn abandon(&self, remote: InstanceId) {
        let mut gone = self.events.borrow_mut().take(remote);
        gone.extend(self.invokes.borrow_mut().take(remote));
        for (_, call) in gone {
            self.settle(call.packet, Fate::DroppedQueue);
        }
    }

    /// Runs the callback for a call and sees to it that a reply leaves once it has ended.
    fn answer(&self, peer: &Rc<Peer>, call: &Call, number: u64, from: Side) {
        let Some(callback) = peer.data_model().callback(call.remote, self.callback_name()) else { return };
        let values = self.delivered(peer, call, from);
        let answer = Answer { call: number, to: from, remote: call.remote };
        let handling = Handling { core: self.core.clone(), side: self.side, packet: call.packet };
        let handler = Rc::new(HandlerPlace::of(peer, &callback.function));
        let record = Rc::new(Cell::new(0));
        let begun = record.clone();
        let watch = Rc::new(handling);
        let ending = watch.clone();
        let end = move |peer: &Rc<Peer>, end: ThreadEnd| {
            ending.ended(begun.get(), end.as_ref().err());
            if let Some(desk) = peer.part::<Desk>() {
                desk.reply(peer, answer, end);
            }
        };
        let start = move |peer: &Rc<Peer>| {
            record.set(watch.begins(&handler));
            if let Err(failure) = peer.spawn_then(&callback.function, callback.owner, &values, Box::new(end))
            {
                peer.report(&failure, None);
            }
        };
        match self.core.settings().signals {
            SignalMode::Immediate => start(peer),
            // Behind the handlers of events that came before it.
            SignalMode::Deferred => call_later(peer, start),
        }
    }

    /// Sends what a callback ended in back to who asked.
    fn reply(&self, peer: &Rc<Peer>, answer: Answer, end: ThreadEnd) {
        let connected =
            answer.to.is_server() || self.core.member(answer.to).is_some_and(|member| member.connected);
        if !connected {
            return;
        }
        let result = end.and_then(|values| {
            let values = values.iter().map(|value| copied(peer, value)).collect::<Result<Vec<_>, _>>()?;
            self.convert(peer, answer.remote, &values).map_err(Failure::text)
        });
        let (ok, args) = match result {
            Ok(args) => (true, args),
            Err(failure) => (false, Rc::from([Value::string(failure.text)])),
        };
        let kind = PacketKind::Reply(answer.call, ok);
        self.post(peer, answer.remote, kind, Target::One(answer.to), args, false);
    }

    fn receive_reply(&self, peer: &Rc<Peer>, call: &Call, number: u64, ok: bool) {
        let pending = self.pending.borrow_mut().remove(&number);
        let Some(pending) = pending else { return };
        if ok {
            // A reply has no player in front, on either side.
            let mut values = self.delivered(peer, call, Side::Server);
            if self.side.is_server() && values.len() > call.args.len() {
                values.remove(0);
            }
            resume_later(peer, pending.parked, values);
        } else {
            let error = call.args.first().cloned().unwrap_or(Value::Nil);
            fail_later(peer, pending.parked, error);
        }
    }

    /// The other side is gone: what it sent is dropped, and who waits for it is told.
    pub fn forget(&self, peer: &Rc<Peer>, gone: Side) {
        let mut dropped = self.events.borrow_mut().forget(gone);
        dropped.extend(self.invokes.borrow_mut().forget(gone));
        for call in dropped {
            self.settle(call.packet, Fate::DroppedLeave);
        }
        let failed: Vec<Pending> = {
            let mut pending = self.pending.borrow_mut();
            let numbers: Vec<u64> = pending
                .iter()
                .filter(|(_, pending)| pending.from == gone)
                .map(|(number, _)| *number)
                .collect();
            numbers.iter().filter_map(|number| pending.remove(number)).collect()
        };
        for pending in failed {
            fail_later(peer, pending.parked, Value::string(LEFT));
        }
    }
}

/// A value with its tables copied out of the VM.
fn copied(peer: &Rc<Peer>, value: &Value) -> Result<Value, Failure> {
    match value {
        Value::Reference(_) => peer.vm.enter(|cx| {
            cx.push(value);
            cx.value(-1)
        }),
        other => Ok(other.clone()),
    }
}
