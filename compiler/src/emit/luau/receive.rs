//! Receiving an event: its listeners and queue, and the statements that read one and hand it on.

use std::sync::LazyLock;

use super::ast::*;
use super::context::{Context, Names, shared};
use super::module::{EventInfo, State, disconnect_type, listener_type, member, positional};
use super::rate::Limit;
use super::send::longest;
use super::{clock, lanes, read, traffic};
use crate::schema::{Channel, Side};

/// Rows a queue holds that waits for a listener: as many events as calls.
static QUEUE: LazyLock<u64> = LazyLock::new(|| shared("Answers", "CAPACITY"));

/// What a module keeps of an event it receives.
pub struct Inbound<'a> {
    /// The event.
    pub info: EventInfo<'a>,
    /// Its listeners, or its poll queue.
    hook: Expr,
    /// The listener while there is exactly one, for events whose listeners run on the thread of the packet.
    listener: Option<Expr>,
    polled: bool,
    /// Numbers or times accepted last.
    last: Option<Expr>,
    /// Its rate.
    limit: Option<Limit>,
    /// Its traffic counts.
    counts: Option<Expr>,
    /// Whether its channel's reader counts slots.
    pub reads_slots: bool,
}

impl<'a> Inbound<'a> {
    /// Declares what the module keeps of the event.
    pub fn declare(cx: &mut Context, info: EventInfo<'a>, state: &mut State) -> Inbound<'a> {
        let polled = info.is_polled(cx.options.use_polling);
        let event = &info.event;
        let reliable = event.delivery.is_reliable();
        let event_name = text(event.name.as_str());

        // The states of a stream are few enough to go the long way, and a name each less is what lets the checker end on a
        // module of 256 of them.
        let is_hot = !polled && info.is_sync() && event.stream.is_none();
        let listener = is_hot.then(|| {
            let any = || LuauType::Variadic(Box::new(ty("any")));
            let kind = LuauType::Function(vec![(None, any())], vec![any()]);
            state.declare(&format!("{}Listener", info.key), Some(optional(kind)), Expr::Nil)
        });
        let hook = if polled {
            let create = cx.runtime("Queue", "create");
            let capacity = if cx.is_server() { name("PollCapacity") } else { num(f64::INFINITY) };
            state.declare(&format!("{}Rows", info.key), None, apply(create, [capacity]))
        } else {
            let kind = if info.is_sync() { "sync" } else { "async" };
            let run = if cx.is_server() {
                let run = cx.runtime("ServerListeners", kind);
                apply(run, [info.report_key(), event_name.clone()])
            } else {
                apply(cx.runtime("ClientListeners", kind), [])
            };
            let queue = reliable.then(|| {
                if cx.is_server() {
                    apply(cx.runtime("Queue", "create"), [size(*QUEUE)])
                } else {
                    apply(cx.runtime("ClientListeners", "queue"), [event_name.clone(), size(*QUEUE)])
                }
            });
            let assign = listener.clone().map(|listener| {
                let assign = block(|b| _ = b.assign(listener, name("Listener")));
                lambda(Function {
                    params: vec![bare("Listener")],
                    varargs: None,
                    returns: None,
                    body: assign,
                })
            });
            let queue = queue.or_else(|| assign.is_some().then_some(Expr::Nil));
            let queue = queue.into_iter().chain(assign);
            let value = if info.is_single() {
                let mut args = vec![event_name, text(info.event.call.word()), run];
                args.extend(queue);
                apply(cx.runtime("Listeners", "single"), args)
            } else {
                let mut args = vec![event_name, run];
                args.extend(queue);
                apply(cx.runtime("Listeners", "many"), args)
            };
            state.declare(&format!("{}Listeners", info.key), None, value)
        };

        let last = (info.is_ordered() || event.stream.is_some()).then(|| {
            if cx.is_server() {
                let create = cx.runtime("Orders", "create");
                state.declare(&format!("{}Last", info.key), None, apply(create, []))
            } else {
                let kind = optional(ty("number"));
                state.declare(&format!("{}Last", info.key), Some(kind), Expr::Nil)
            }
        });
        let limit = event
            .rate
            .filter(|_| cx.is_server() && event.from == Side::Client)
            .map(|rate| Limit::declare(cx, &info.key, rate, state));
        let counts = traffic::counts(cx, &info, state);
        Inbound { info, hook, listener, polled, last, limit, counts, reads_slots: false }
    }

    /// The rate limit's `drop`, for a player who is leaving.
    pub fn drop(&self) -> Option<Expr> {
        self.limit.as_ref().map(Limit::drop)
    }

    /// `On` and `Predict`, or `Iter` and `Next`.
    pub fn members(&self, cx: &mut Context) -> Vec<Entry> {
        let casing = cx.options.casing;
        let mut heard = self.info.heard(cx.schema);
        let server = cx.is_server();
        if self.polled {
            let mut row = vec![ty("number")];
            if server {
                row.push(ty("Player"));
            }
            row.extend(heard.into_iter().map(|(_, ty)| ty));
            let iterate = cx.runtime("Queue", "iterate");
            let iterator = LuauType::Function(Vec::new(), row);
            let make = || {
                let body = block(|b| _ = b.ret([apply(iterate.clone(), [self.hook.clone()])]));
                lambda(Function::new(Vec::new(), body).returning(vec![iterator.clone()]))
            };
            return vec![
                Entry::Named(member(casing, "Iter"), make()),
                Entry::Comment("Deprecated, the same as Iter.".to_owned()),
                Entry::Named(member(casing, "Next"), make()),
            ];
        }
        if heard.is_empty() {
            heard.push(("Value".to_owned(), ty("nil")));
        }
        let listener = listener_type(server, &heard);
        let body = block(|b| {
            b.ret([apply(field(self.hook.clone(), "on"), [name("Listener")])]);
        });
        let on = Function::new(vec![param("Listener", listener)], body).returning(vec![disconnect_type()]);
        let mut entries = vec![Entry::Named(member(casing, "On"), lambda(on))];
        if cx.options.predict {
            let (rest, values) = positional(&heard);
            let mut params = Vec::new();
            let mut args = Vec::new();
            if server {
                params.push(param("Player", ty("Player")));
                args.push(name("Player"));
            }
            params.extend(rest);
            args.extend(values);
            let body = block(|b| {
                b.push(Stat::Call(apply(field(self.hook.clone(), "deliver"), args)));
            });
            entries.push(Entry::Named(member(casing, "Predict"), lambda(Function::new(params, body))));
        }
        entries
    }

    /// Statements that read one item and hand it on. `Cursor` stands at its index byte, and ends behind it.
    pub fn item(&self, cx: &mut Context) -> Block {
        let info = &self.info;
        let item = &info.wire.item;
        let mut names = Names::default();
        let mut out = Block::new();
        let slots = item.payload.block.size.slots > 0;
        if slots {
            out.local("Missing", Expr::Bool(false));
            if info.wire.turn.is_some() {
                out.local("SlotAt", name("Slot"));
            }
        }
        let number = info.is_ordered().then(|| {
            let at = add(name("Cursor"), num(1));
            out.local("Number", call("buffer.readu16", [name("Buffer"), at]));
            name("Number")
        });
        let what = info.event.path.join(".");
        let shift = item.header.size();
        let (mut values, mut advance) = read::payload(cx, &mut names, &item.payload, shift, &what, &mut out);

        // An item is decoded completely, whatever becomes of it: what is not sure to be used is read here.
        let sure = !slots
            && number.is_none()
            && self.limit.is_none()
            && info.event.stream.is_none()
            && info.wire.turn.is_none()
            && (self.polled || !info.is_sync());
        if !sure {
            values = read::held(&mut names, values, kinds(cx, info), &mut out);
            // Nothing is read relative to the item from here on. Stored ahead of a listener, the place behind it is not
            // added up twice, and need not outlive the call.
            out.bump(name("Cursor"), size(advance));
            advance = 0;
        }
        let end = add(name("Cursor"), size(advance));
        let bytes = binary(end.clone(), BinaryOp::Sub, name("ItemAt"));
        let mut handing = traffic::received(cx, self.counts.as_ref(), bytes);
        handing.append(self.handing(cx, values, number, advance));
        if slots {
            let report = self.missing(cx);
            let arms = block(|b| _ = b.when_else(name("Missing"), report, handing));
            handing = arms;
        }
        if !cx.is_server() && cx.options.session && longest(info) > u64::from(cx.options.max_packet_size) {
            handing = self.refuse_large(cx, end.clone(), handing);
        }
        if let Some(taken) = lanes::taken(cx, info, end, slots, &mut out) {
            out.when(taken, handing);
        } else {
            out.append(handing);
        }
        out.bump(name("Cursor"), size(advance));
        out
    }

    /// Hands on an item that is no longer than `MaxPacketSize`; a client of a session reports any other. Without a
    /// session a client takes what its server sends, however long.
    fn refuse_large(&self, cx: &mut Context, end: Expr, handing: Block) -> Block {
        let limit = num(cx.options.max_packet_size);
        let bytes = binary(end, BinaryOp::Sub, name("ItemAt"));
        let failure = apply(cx.runtime("Messages", "overHardLimit"), [bytes.clone(), limit.clone()]);
        let report = cx.runtime("ClientReports", "decodeFailed");
        let report = apply(report, [text(self.info.event.name.as_str()), failure]);
        let refused = block(|b| _ = b.push(Stat::Call(report)));
        block(|b| _ = b.when_else(gt(bytes, limit), refused, handing))
    }

    fn missing(&self, cx: &mut Context) -> Block {
        let event = text(self.info.event.name.as_str());
        let failure = apply(cx.runtime("Messages", "missingInstance"), []);
        let call = if cx.is_server() {
            let reliable = Expr::Bool(self.info.wire.channel == Channel::Reliable);
            let report = cx.runtime("Reports", "decodeFailed");
            apply(report, [name("Player"), reliable, self.info.report_key(), event, failure])
        } else {
            apply(cx.runtime("ClientReports", "instanceMissing"), [self.info.report_key(), event, failure])
        };
        block(|b| _ = b.push(Stat::Call(call)))
    }

    /// Order, stamp, rate, and whoever listens, in this order.
    fn handing(&self, cx: &mut Context, mut values: Vec<Expr>, number: Option<Expr>, advance: u64) -> Block {
        let info = &self.info;
        let mut out = Block::new();

        if info.event.stream.is_some() {
            let stamp = values.pop().unwrap_or(Expr::Nil);
            clock::recover("ServerTime", stamp, &mut out);
            values.push(name("ServerTime"));
            let Some(last) = &self.last else { return out };
            let delivery = self.delivery(cx, values, advance);
            let accepted = block(|b| {
                b.assign(last.clone(), name("ServerTime"));
                b.append(delivery);
            });
            // A first state has nothing to be older than.
            let newest = or(eq(name("Last"), Expr::Nil), ge(name("ServerTime"), name("Last")));
            out.local("Last", last.clone());
            out.when(newest, accepted);
            return out;
        }

        let mut inner = Block::new();
        if let Some(window) = info.event.stamp {
            let stamp = values.pop().unwrap_or(Expr::Nil);
            clock::recover("SentAt", stamp, &mut inner);
            clock::clamp("SentAt", window / 1000.0, &mut inner);
            values.push(name("SentAt"));
        }
        let delivery = self.delivery(cx, values, advance);
        match &self.limit {
            Some(limit) => {
                let report = cx.runtime("Reports", "rateLimited");
                let event = text(info.event.name.as_str());
                let refused = block(|b| {
                    b.push(Stat::Call(apply(report, [name("Player"), info.report_key(), event])));
                });
                inner.append(limit.charge(delivery, refused));
            }
            None => {
                inner.append(delivery);
            }
        }
        let (Some(number), Some(last)) = (number, &self.last) else { return inner };
        if cx.is_server() {
            let accept = cx.runtime("Orders", "accept");
            out.when(apply(accept, [last.clone(), name("Player"), number]), inner);
        } else {
            let is_newer = cx.runtime("Sequence", "isNewer");
            let accepted = block(|b| {
                b.assign(last.clone(), number.clone());
                b.append(inner);
            });
            out.when(apply(is_newer, [number, last.clone()]), accepted);
        }
        out
    }

    /// Hands the values to whoever listens. A single Sync listener is called right here, on the reader's own protected
    /// call: the place behind the item is stored first, for the reader to go on from when it throws.
    fn delivery(&self, cx: &mut Context, values: Vec<Expr>, advance: u64) -> Block {
        let mut args = Vec::new();
        if cx.is_server() {
            args.push(name("Player"));
        }
        args.extend(values);
        let call = if self.polled {
            let push = cx.runtime("Queue", "push");
            args.insert(0, self.hook.clone());
            apply(push, args)
        } else {
            let deliver = apply(field(self.hook.clone(), "deliver"), args.clone());
            if let Some(listener) = &self.listener {
                return self.direct(cx, listener.clone(), args, deliver, advance);
            }
            deliver
        };
        block(|b| {
            b.push(Stat::Call(call));
            if !self.polled && self.info.is_sync() {
                self.end_if_over(cx, b);
            }
        })
    }

    /// Nothing closes a reader whose listener yielded: woken behind another packet, it must not go on.
    fn end_if_over(&self, cx: &Context, b: &mut Block) {
        if !cx.options.sync_validation {
            let is_over = binary(path("Place.packet"), BinaryOp::Ne, name("Buffer"));
            b.when(is_over, block(|b| _ = b.ret([])));
        }
    }

    fn direct(&self, cx: &Context, listener: Expr, args: Vec<Expr>, deliver: Expr, advance: u64) -> Block {
        let mut called = Block::new();
        called.assign(name("ResumeAt"), add(name("Cursor"), size(advance)));
        if cx.is_server() {
            called.assign(name("ItemsRead"), name("Items"));
        }
        if self.reads_slots {
            called.assign(name("SlotsRead"), name("Slot"));
        }
        called.push(Stat::Call(apply(name("Listener"), args)));
        block(|b| {
            b.local("Listener", listener);
            b.when_else(name("Listener"), called, block(|b| _ = b.push(Stat::Call(deliver))));
            self.end_if_over(cx, b);
        })
    }
}

/// Names for locals of the payload's parameters, and their Luau types.
fn kinds(cx: &Context, info: &EventInfo) -> Vec<(String, LuauType)> {
    let mut kinds = info.heard(cx.schema);
    for (hint, _) in &mut kinds {
        if hint == "ServerTime" || hint == "SentAt" {
            // Two bytes still, which the time is made of.
            *hint = "Stamp".to_owned();
        } else if hint.ends_with(|c: char| c.is_ascii_digit()) {
            *hint = "Value".to_owned();
        }
    }
    let planned = match &info.wire.item.payload.block.body.shape {
        crate::wire::plan::Shape::Pack(members) => members.len(),
        _ => 1,
    };
    kinds.resize(planned, ("Value".to_owned(), ty("any")));
    kinds
}
