//! Where one side's remote calls wait: those about to leave, those that arrived before anybody listened, and the calls
//! of remote functions that still want their reply.
//!
//! Native functions put calls here ([`Desk::post`]); the world takes them to the links in the send phase and brings
//! arrivals to [`super::receive`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::queue::Waiting;
use super::rate::Allowance;
use super::{arguments, size};
use crate::clock::Time;
use crate::peer::Peer;
use crate::shared::{DiagnosticCode, LogLevel, RateLimitMode, Side};
use crate::trace::{Fate, NamedInstance, Packet, PacketClass, PacketKind, Receipt, Target};
use crate::value::{InstanceId, Value};
use crate::vm::Parked;
use crate::world::Core;
use blinkblox_compiler::diagnostics::counted;

/// A remote call as it travels. Shared by everyone it is for.
#[derive(Debug)]
pub struct Call {
    /// Its packet in the trace.
    pub packet: u64,
    /// What it is part of.
    pub kind: PacketKind,
    /// The class of its remote.
    pub class: PacketClass,
    /// Its remote, by the id both sides know.
    pub remote: InstanceId,
    /// The arguments, converted.
    pub args: Rc<[Value]>,
}

/// A call that waits for the send phase.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Its place among everything the side does in the frame.
    pub order: u64,
    /// The call.
    pub call: Rc<Call>,
    /// Everyone it is for.
    pub to: Vec<Side>,
    /// Estimated bytes.
    pub size: usize,
    /// It leaves no earlier than this, because of the rate limit.
    pub not_before: Time,
}

/// A thread of this side that waits for a reply.
#[derive(Debug)]
pub struct Pending {
    /// The thread.
    pub parked: Parked,
    /// Who owes the reply.
    pub from: Side,
    /// The remote, for messages.
    pub remote: InstanceId,
    /// Since when.
    pub since: Time,
    /// Whether the length of the wait was spoken of.
    pub reported: bool,
}

/// What a call that arrived needs to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The number of the call.
    pub call: u64,
    /// Who asked.
    pub to: Side,
    /// The remote.
    pub remote: InstanceId,
}

/// See the module.
pub struct Desk {
    /// Whose desk it is.
    pub side: Side,
    /// What all sides have in common.
    pub core: Rc<Core>,
    outbox: RefCell<Vec<Posted>>,
    pub(super) events: RefCell<Waiting<Rc<Call>>>,
    pub(super) invokes: RefCell<Waiting<Rc<Call>>>,
    pub(super) pending: RefCell<BTreeMap<u64, Pending>>,
    allowances: RefCell<[Allowance; 2]>,
}

impl Desk {
    /// An empty desk.
    pub fn new(side: Side, core: Rc<Core>) -> Desk {
        let allowance = Allowance::new(core.settings().rate_limit, core.now());
        Desk {
            side,
            core,
            outbox: RefCell::default(),
            events: RefCell::default(),
            invokes: RefCell::default(),
            pending: RefCell::default(),
            allowances: RefCell::new([allowance; 2]),
        }
    }

    /// Converts a call's arguments and notes what that gave rise to.
    ///
    /// Errors: the engine's text for arguments that cannot be sent.
    pub fn convert(&self, peer: &Peer, remote: InstanceId, values: &[Value]) -> Result<Rc<[Value]>, String> {
        let settings = self.core.settings();
        let names = TreeNames { peer };
        let mut sender = arguments::Sender::remote(settings, &names);
        let converted = sender.convert(values);
        let remarks = sender.take_remarks();
        if !remarks.is_empty() {
            let remote = peer.data_model().store().full_name(remote);
            for (code, text) in remarks {
                self.core.diagnose(self.side, code, format!("{remote}: {text}"));
            }
        }
        converted
    }

    /// Takes a call with converted arguments for the send phase. Returns its packet.
    pub fn post(
        &self,
        peer: &Peer,
        remote: InstanceId,
        kind: PacketKind,
        to: Target,
        args: Rc<[Value]>,
        injected: bool,
    ) -> u64 {
        let now = self.core.now();
        let class = class_of(peer, remote);
        let sides = match to {
            Target::One(side) => vec![side],
            Target::Everyone => self.core.connected(),
        };
        let upwards = !self.side.is_server();
        let compress = self.core.settings().compress_estimate;
        let size = size::message(&args, upwards, class == PacketClass::RemoteFunction, compress);
        let payload = size::payload(&args, compress);
        let packet = self.core.trace_mut().send(Packet {
            id: 0,
            from: self.side,
            to,
            remote: peer.data_model().store().full_name(remote).into(),
            remote_id: remote,
            class,
            kind,
            instances: instances(peer, &args),
            args: args.clone(),
            size,
            payload,
            sent_at: now,
            frame: self.core.frame(self.side),
            injected,
            receipts: sides.iter().map(|side| Receipt::new(*side)).collect(),
        });
        // What a hostile client sends has not gone through the checks of an honest one.
        let admitted = if injected { Ok(now) } else { self.admit(peer, remote, class, kind, payload, now) };
        let not_before = match admitted {
            Ok(not_before) => not_before,
            Err(fate) => {
                let frame = self.core.frame(self.side);
                let mut trace = self.core.trace_mut();
                for side in sides {
                    trace.settle(packet, side, fate, now, frame);
                }
                return packet;
            }
        };
        let order = match peer.data_model().journal() {
            Some(mut journal) => journal.next_order(),
            None => self.core.next_order(),
        };
        let call = Rc::new(Call { packet, kind, class, remote, args });
        self.outbox.borrow_mut().push(Posted { order, call, to: sides, size, not_before });
        packet
    }

    /// Whether a call may leave, and from when on.
    fn admit(
        &self,
        peer: &Peer,
        remote: InstanceId,
        class: PacketClass,
        kind: PacketKind,
        payload: usize,
        now: Time,
    ) -> Result<Time, Fate> {
        let settings = self.core.settings();
        if class == PacketClass::UnreliableRemoteEvent && payload > settings.unreliable_limit {
            let name = peer.data_model().store().full_name(remote);
            let over = payload - settings.unreliable_limit;
            let limit = settings.unreliable_limit;
            let text = format!(
                "{name}: unreliable payload of {} dropped, {over} over the limit of {limit}",
                counted(payload, "byte")
            );
            peer.rc().write(LogLevel::Warning, text.clone(), None);
            self.core.diagnose(self.side, DiagnosticCode::Unrel, text);
            return Err(Fate::DroppedSize);
        }
        let counted = !self.side.is_server() && kind == PacketKind::Event;
        if !counted || settings.rate_limit_mode == RateLimitMode::Off {
            return Ok(now);
        }
        let mut allowances = self.allowances.borrow_mut();
        let allowance = &mut allowances[usize::from(class == PacketClass::UnreliableRemoteEvent)];
        let (within, not_before) = match settings.rate_limit_mode {
            RateLimitMode::Delay => {
                let late = allowance.take_late(now);
                (late == Time::ZERO, now + late)
            }
            RateLimitMode::Off | RateLimitMode::Warn | RateLimitMode::Drop => (allowance.take(now), now),
        };
        if within {
            return Ok(now);
        }
        if allowance.should_warn(now) {
            let limit = settings.rate_limit;
            let done = match settings.rate_limit_mode {
                RateLimitMode::Drop => "the rest is dropped",
                RateLimitMode::Delay => "the rest leaves later",
                RateLimitMode::Off | RateLimitMode::Warn => "the engine may throttle the rest",
            };
            let text = format!("more than {limit} fires of {} in a second; {done}", class.name());
            self.core.diagnose(self.side, DiagnosticCode::Rate, text);
        }
        if settings.rate_limit_mode == RateLimitMode::Drop { Err(Fate::DroppedRate) } else { Ok(not_before) }
    }

    /// Takes what may leave at `now`, in order.
    pub fn take_outbox(&self, now: Time) -> Vec<Posted> {
        let mut outbox = self.outbox.borrow_mut();
        let (leaving, staying) = outbox.drain(..).partition(|posted| posted.not_before <= now);
        *outbox = staying;
        leaving
    }

    /// Whether calls wait for the send phase.
    pub fn has_outbox(&self) -> bool {
        !self.outbox.borrow().is_empty()
    }

    /// Keeps a thread until its call is answered.
    pub fn await_reply(&self, call: u64, pending: Pending) {
        self.pending.borrow_mut().insert(call, pending);
    }

    /// Calls of remote functions on which a thread of this side waits: number, remote, who owes it, since when.
    pub fn pending(&self) -> Vec<(u64, InstanceId, Side, Time)> {
        let pending = self.pending.borrow();
        pending.iter().map(|(call, pending)| (*call, pending.remote, pending.from, pending.since)).collect()
    }

    /// Speaks, once each, of calls that have waited for their reply for ten seconds.
    pub fn report_long_waits(&self, peer: &Peer) {
        const LONG: Time = Time::from_millis(10_000);
        let now = self.core.now();
        let mut pending = self.pending.borrow_mut();
        for pending in pending.values_mut().filter(|pending| !pending.reported && now - pending.since >= LONG)
        {
            pending.reported = true;
            let remote = peer.data_model().store().full_name(pending.remote);
            let whom = self.core.name(pending.from);
            let text = format!("{remote}: a call to {whom} has been waiting for its reply for 10 s");
            self.core.diagnose(self.side, DiagnosticCode::Yield, text);
        }
    }

    /// How many arrived calls wait for somebody to listen.
    pub fn waiting(&self) -> usize {
        self.events.borrow().len() + self.invokes.borrow().len()
    }

    /// Notes what became of a packet at this side.
    pub fn settle(&self, packet: u64, fate: Fate) {
        let (now, frame) = (self.core.now(), self.core.frame(self.side));
        self.core.trace_mut().settle(packet, self.side, fate, now, frame);
    }
}

/// The class a packet is recorded under; anything that is no remote counts as a RemoteEvent.
pub fn class_of(peer: &Peer, remote: InstanceId) -> PacketClass {
    match peer.data_model().store().class(remote).name() {
        "UnreliableRemoteEvent" => PacketClass::UnreliableRemoteEvent,
        "RemoteFunction" => PacketClass::RemoteFunction,
        _ => PacketClass::RemoteEvent,
    }
}

struct TreeNames<'a> {
    peer: &'a Peer,
}

impl arguments::Names for TreeNames<'_> {
    fn name(&self, instance: InstanceId) -> String {
        self.peer.data_model().store().name(instance).to_string()
    }
}

/// The instances among arguments, each once.
fn instances(peer: &Peer, args: &[Value]) -> Vec<NamedInstance> {
    fn collect(value: &Value, found: &mut Vec<InstanceId>) {
        match value {
            Value::Instance(id) if !found.contains(id) => found.push(*id),
            Value::Table(table) => {
                table.array.iter().for_each(|value| collect(value, found));
                table.pairs.iter().for_each(|(_, value)| collect(value, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    args.iter().for_each(|value| collect(value, &mut found));
    if found.is_empty() {
        return Vec::new();
    }
    let store = peer.data_model().store();
    let named = |id| NamedInstance { id, path: store.full_name(id).into(), class: store.class(id).name() };
    found.into_iter().map(named).collect()
}
