//! Functions: `Invoke` on the side that calls, `On` on the side that answers, and the items between them.

use super::ast::*;
use super::context::{Context, Names, OUTGOING, Sink};
use super::module::{State, listener_type, member, positional};
use super::{read, types, write};
use crate::schema::{Function as Declared, Item, Payload, Schema, Scope, Side, Yield};
use crate::wire::{FunctionWire, ItemWire, Wire};

/// Pieces of module state that a function may need.
pub const STATE: usize = 3;

/// A function with its plans and names.
pub struct FunctionInfo<'a> {
    /// As resolved.
    pub function: &'a Declared,
    /// As it travels.
    pub wire: &'a FunctionWire,
    key: String,
    /// On the answering side, what runs its listener.
    answers: Option<Expr>,
    /// What answers a call with a failure.
    refusal: Option<Expr>,
    limit: Option<Expr>,
}

/// Every function, in order of declaration.
pub fn functions<'a>(schema: &'a Schema, wire: &'a Wire) -> Vec<FunctionInfo<'a>> {
    fn walk<'a>(scope: &'a Scope, wire: &'a Wire, names: &mut Names, found: &mut Vec<FunctionInfo<'a>>) {
        for item in &scope.items {
            match item {
                Item::Function(function) => {
                    let path: Vec<&str> = function.path.iter().map(String::as_str).collect();
                    if let Some(planned) = wire.function(&path) {
                        let key = names.own(&function.path.join("_"));
                        found.push(FunctionInfo {
                            function,
                            wire: planned,
                            key,
                            answers: None,
                            refusal: None,
                            limit: None,
                        });
                    }
                }
                Item::Scope(inner) => walk(inner, wire, names, found),
                Item::Type(_) | Item::Event(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&schema.root, wire, &mut Names::default(), &mut found);
    found
}

impl FunctionInfo<'_> {
    /// Whether this side answers it.
    pub fn is_answered(&self, side: Side) -> bool {
        self.function.from != side
    }

    fn report_key(&self) -> Expr {
        num(self.function.index)
    }

    fn name(&self) -> Expr {
        text(self.function.name.as_str())
    }

    /// The rate limit's `drop`, and that of the answers, for a player who is leaving.
    pub fn drops(&self) -> Vec<Expr> {
        [&self.answers, &self.limit].into_iter().flatten().map(|held| field(held.clone(), "drop")).collect()
    }

    /// Declares what the answering side keeps.
    pub fn declare(&mut self, cx: &mut Context, state: &mut State) {
        if !self.is_answered(cx.side) {
            cx.runtime_function("Calls");
            return;
        }
        let write = self.answer_writer(cx);
        let refuse = self.refusal_writer(cx);
        let refuse = state.declare(&format!("Refuse{}", self.key), None, refuse);
        self.refusal = Some(refuse.clone());
        let value = if cx.is_server() {
            let limit = self.function.concurrency.map_or(Expr::Nil, num);
            let answers = cx.runtime("Answers", "forPlayers");
            apply(answers, [self.name(), self.report_key(), limit, write, refuse])
        } else {
            apply(cx.runtime("Answers", "forServer"), [self.name(), write, refuse])
        };
        self.answers = Some(state.declare(&format!("{}Answers", self.key), None, value));
        self.limit = self.function.rate.filter(|_| cx.is_server()).map(|rate| {
            let limit = cx.runtime("Bucket", "limit");
            let value = apply(limit, [num(rate.rate), num(rate.burst)]);
            state.declare(&format!("{}Rate", self.key), None, value)
        });
    }

    /// Statements that put an item into the batch at hand, `ids` written behind its index.
    fn item(
        &self,
        cx: &mut Context,
        item: &ItemWire,
        values: &[Expr],
        level: u8,
        write_ids: &dyn Fn(&mut Block),
        out: &mut Block,
    ) {
        let what = self.function.path.join(".");
        let mut names = Names::default();
        own_batch(cx, out);
        let written =
            write::item(cx, &mut names, Some(item.header), &item.payload, values, &what, level, out);
        cx.sink = Sink::Batch;
        write_ids(out);
        commit(cx, written.end, if written.slots { Some(name("Slot")) } else { None }, out);
    }

    /// A function that writes a successful answer.
    fn answer_writer(&self, cx: &mut Context) -> Expr {
        let (rest, values) = positional(&types::of_payload(cx.schema, &self.function.return_));
        let mut params = id_params(cx);
        params.extend(rest);
        let mut body = Block::new();
        // The success flag stands behind the id.
        let ids = |b: &mut Block| {
            let both = add(name("Id"), num(256));
            b.call("buffer.writeu16", [name("Buffer"), add(name("Start"), num(1)), both]);
        };
        self.item(cx, &self.wire.answer, &values, 0, &ids, &mut body);
        lambda(Function::new(params, body))
    }

    /// A function that writes a failure.
    fn refusal_writer(&self, cx: &mut Context) -> Expr {
        let params = id_params(cx);
        let mut body = Block::new();
        own_batch(cx, &mut body);
        let end = write::reserve(cx, 3, &mut body);
        cx.sink = Sink::Batch;
        let both = add(mul(name("Id"), num(256)), num(self.function.index));
        body.call("buffer.writeu16", [name("Buffer"), name("Start"), both]);
        body.call("buffer.writeu8", [name("Buffer"), add(name("Start"), num(2)), num(0)]);
        commit(cx, end, None, &mut body);
        lambda(Function::new(params, body))
    }

    /// `Invoke`, or `On`.
    pub fn members(&self, cx: &mut Context) -> Vec<Entry> {
        match &self.answers {
            Some(answers) => vec![self.on(cx, answers)],
            None => vec![self.invoke(cx)],
        }
    }

    fn on(&self, cx: &mut Context, answers: &Expr) -> Entry {
        let data = types::of_payload(cx.schema, &self.function.data);
        let returns = types::of_payload(cx.schema, &self.function.return_);
        let LuauType::Function(params, _) = listener_type(cx.is_server(), &data) else {
            unreachable!("a listener's type is a function")
        };
        let listener = LuauType::Function(params, returns.into_iter().map(|(_, ty)| ty).collect());
        let body = block(|b| {
            b.push(Stat::Call(apply(field(answers.clone(), "on"), [name("Listener")])));
        });
        let on = Function::new(vec![param("Listener", listener)], body);
        Entry::Named(member(cx.options.casing, "On"), lambda(on))
    }

    fn invoke(&self, cx: &mut Context) -> Entry {
        let (rest, values) = positional(&types::of_payload(cx.schema, &self.function.data));
        let mut params = Vec::new();
        if cx.is_server() {
            params.push(param("Player", ty("Player")));
        }
        params.extend(rest);
        let returns: Vec<LuauType> =
            types::of_payload(cx.schema, &self.function.return_).into_iter().map(|(_, ty)| ty).collect();
        let player = if cx.is_server() { name("Player") } else { Expr::Nil };
        let identity = [player, name("Id"), self.report_key(), self.name()];

        let function = match self.function.yield_ {
            Yield::Coroutine => {
                let mut body = self.sending(cx, &values, 2);
                body.ret([apply(path("OpenCalls.wait"), identity)]);
                Function::new(params, body).returning(returns)
            }
            Yield::Future => {
                let mut work = self.sending(cx, &values, 0);
                work.ret([apply(path("OpenCalls.wait"), identity)]);
                let any = LuauType::Variadic(Box::new(ty("any")));
                let work = lambda(Function::new(Vec::new(), work).returning(vec![any]));
                let body = block(|b| _ = b.ret([call("Future.Try", [work])]));
                Function::new(params, body).returning(vec![ty("any")])
            }
            Yield::Promise => {
                let body = self.promise(cx, &values, identity);
                Function::new(params, body).returning(vec![ty("any")])
            }
        };
        Entry::Named(member(cx.options.casing, "Invoke"), lambda(function))
    }

    /// Checks, the id of the call, and the call itself.
    fn sending(&self, cx: &mut Context, values: &[Expr], level: u8) -> Block {
        let mut out = Block::new();
        if cx.is_server() {
            let refuse = |message: Expr| {
                block(|b| _ = b.call("error", [apply(message, [path("Player.Name")]), num(level)]))
            };
            if !cx.options.auto_start {
                let not_started = cx.runtime("Messages", "notStarted");
                out.when(not(name("IsStarted")), refuse(not_started));
            }
            let gone = cx.runtime("Messages", "playerGone");
            out.when(not(method(name("Player"), "IsDescendantOf", [name("Players")])), refuse(gone));
        }
        let player = if cx.is_server() { vec![name("Player")] } else { Vec::new() };
        out.local("Id", apply(path("OpenCalls.nextId"), player));
        let ids = |b: &mut Block| {
            b.call("buffer.writeu8", [name("Buffer"), add(name("Start"), num(1)), name("Id")]);
        };
        let mut item = Block::new();
        self.item(cx, &self.wire.call, values, level, &ids, &mut item);
        out.push(Stat::Do(item));
        out
    }

    fn promise(&self, cx: &mut Context, values: &[Expr], identity: [Expr; 4]) -> Block {
        let failed = cx.runtime("Messages", "callFailed");
        let settled = block(|b| {
            let resolve = block(|b| _ = b.call("Resolve", [Expr::Varargs]));
            let reject = block(|b| {
                b.call("Reject", [apply(failed, [self.name()])]);
            });
            b.when_else(name("IsDone"), resolve, reject);
        });
        let settle = Function {
            params: vec![param("IsDone", ty("boolean"))],
            varargs: Some(ty("any")),
            returns: Some(Vec::new()),
            body: settled,
        };
        let mut attempt = self.sending(cx, values, 0);
        let mut args = identity.to_vec();
        args.push(lambda(settle));
        attempt.call("OnCancel", [apply(path("OpenCalls.open"), args)]);
        // The checker takes it that `pcall` gives a second value only where the function gives a first.
        attempt.ret([Expr::Nil]);

        let executor = block(|b| {
            b.push(Stat::Local(
                vec![bare("Sent"), bare("Failure")],
                vec![call("pcall", [lambda(Function::new(Vec::new(), attempt).returning(vec![ty("nil")]))])],
            ));
            let reject = block(|b| _ = b.call("Reject", [name("Failure")]));
            b.when(not(name("Sent")), reject);
        });
        let callback =
            || LuauType::Function(vec![(None, LuauType::Variadic(Box::new(ty("any"))))], Vec::new());
        let params = ["Resolve", "Reject", "OnCancel"].map(|text| param(text, callback())).to_vec();
        let executor = lambda(Function::new(params, executor));
        block(|b| _ = b.ret([call("Promise.new", [executor])]))
    }

    /// Statements that read one item of this function: a call where it is answered, an answer elsewhere.
    pub fn read(&self, cx: &mut Context) -> Block {
        match &self.answers {
            Some(answers) => self.read_call(cx, answers.clone()),
            None => self.read_answer(cx),
        }
    }

    fn who(&self, cx: &Context) -> Vec<Expr> {
        if cx.is_server() { vec![name("Player"), name("Id")] } else { vec![name("Id")] }
    }

    /// The values of an item, all of them read, and by how much the cursor is still to be advanced.
    fn values(
        &self,
        cx: &mut Context,
        item: &ItemWire,
        payload: &Payload,
        out: &mut Block,
    ) -> (Vec<Expr>, u64) {
        let mut names = Names::default();
        let what = self.function.path.join(".");
        let kinds = types::of_payload(cx.schema, payload);
        let (values, advance) = read::payload(cx, &mut names, &item.payload, item.header.size(), &what, out);
        (read::held(&mut names, values, kinds, out), advance)
    }

    fn read_call(&self, cx: &mut Context, answers: Expr) -> Block {
        let item = &self.wire.call;
        let mut out = Block::new();
        let slots = item.payload.block.size.slots > 0;
        if slots {
            out.local("Missing", Expr::Bool(false));
        }
        out.local("Id", call("buffer.readu8", [name("Buffer"), add(name("Cursor"), num(1))]));
        let (values, advance) = self.values(cx, item, &self.function.data, &mut out);
        let mut args = self.who(cx);
        args.extend(values);
        let deliver = block(|b| _ = b.push(Stat::Call(apply(field(answers.clone(), "deliver"), args))));
        let who = self.who(cx);
        let refusal = self.refusal.clone().unwrap_or(Expr::Nil);
        let refuse = |b: &mut Block| _ = b.push(Stat::Call(apply(refusal.clone(), who.clone())));

        let handing = match &self.limit {
            Some(limit) => block(|b| {
                let clock = call("os.clock", []);
                b.local("Paid", apply(field(limit.clone(), "take"), [name("Player"), num(1), clock]));
                let report = cx.runtime("Reports", "rateLimited");
                let refused = block(|b| {
                    b.push(Stat::Call(apply(report, [name("Player"), self.report_key(), self.name()])));
                    refuse(b);
                });
                let over = eq(name("Paid"), Expr::Bool(false));
                b.push(Stat::If(vec![(name("Paid"), deliver), (over, refused)], None));
            }),
            None => deliver,
        };
        if slots {
            let mut missing = self.missing(cx);
            refuse(&mut missing);
            out.when_else(name("Missing"), missing, handing);
        } else {
            out.append(handing);
        }
        out.bump(name("Cursor"), size(advance));
        out
    }

    fn read_answer(&self, cx: &mut Context) -> Block {
        let item = &self.wire.answer;
        let player = if cx.is_server() { name("Player") } else { Expr::Nil };
        let settle = |b: &mut Block, done: bool, values: Vec<Expr>| {
            let mut args = vec![player.clone(), name("Id"), self.report_key(), Expr::Bool(done)];
            args.extend(values);
            b.push(Stat::Call(apply(path("OpenCalls.settle"), args)));
        };
        let mut done = Block::new();
        let slots = item.payload.block.size.slots > 0;
        if slots {
            done.local("Missing", Expr::Bool(false));
        }
        let (values, advance) = self.values(cx, item, &self.function.return_, &mut done);
        if slots {
            let mut missing = self.missing(cx);
            settle(&mut missing, false, Vec::new());
            let handing = block(|b| settle(b, true, values));
            done.when_else(name("Missing"), missing, handing);
        } else {
            settle(&mut done, true, values);
        }
        done.bump(name("Cursor"), size(advance));

        let failed = block(|b| {
            settle(b, false, Vec::new());
            b.bump(name("Cursor"), num(3));
        });
        let neither = block(|b| {
            let what = self.function.path.join(".");
            b.call("error", [text(format!("{what}: neither a success nor a failure")), num(0)]);
        });
        block(|b| {
            b.local("Id", call("buffer.readu8", [name("Buffer"), add(name("Cursor"), num(1))]));
            b.local("Flag", call("buffer.readu8", [name("Buffer"), add(name("Cursor"), num(2))]));
            let flag = |value: u8| eq(name("Flag"), num(value));
            b.push(Stat::If(vec![(flag(1), done), (flag(0), failed)], Some(neither)));
        })
    }

    fn missing(&self, cx: &mut Context) -> Block {
        let failure = apply(cx.runtime("Messages", "missingInstance"), []);
        let report = if cx.is_server() {
            let report = cx.runtime("Reports", "decodeFailed");
            let args = [name("Player"), Expr::Bool(true), self.report_key(), self.name(), failure];
            apply(report, args)
        } else {
            apply(cx.runtime("ClientReports", "instanceMissing"), [self.report_key(), self.name(), failure])
        };
        block(|b| _ = b.push(Stat::Call(report)))
    }

    /// Whether what this side reads of it has slots.
    pub fn reads_slots(&self, side: Side) -> bool {
        let item = if self.is_answered(side) { &self.wire.call } else { &self.wire.answer };
        item.payload.block.size.slots > 0
    }
}

/// What the calling side needs ahead of its functions: the open calls, and libraries of futures and promises.
pub fn foundations(cx: &mut Context, functions: &[FunctionInfo]) -> Block {
    let mut out = Block::new();
    let side = cx.side;
    let called = |info: &&FunctionInfo| !info.is_answered(side);
    if !functions.iter().any(|info| called(&info)) {
        return out;
    }
    for (yield_, local, library) in libraries(cx) {
        if functions.iter().filter(called).any(|info| info.function.yield_ == yield_) {
            out.local_typed(local, ty("any"), call("require", [Expr::Verbatim(library)]));
        }
    }
    out.local("OpenCalls", apply(path("calls"), [num(cx.options.invocation_timeout)]));
    out
}

fn libraries(cx: &Context) -> Vec<(Yield, &'static str, String)> {
    [
        (Yield::Future, "Future", &cx.options.future_library),
        (Yield::Promise, "Promise", &cx.options.promise_library),
    ]
    .into_iter()
    .filter_map(|(yield_, local, library)| library.clone().map(|library| (yield_, local, library)))
    .collect()
}

/// Whether a library is required, whose path may begin at ReplicatedStorage.
pub fn needs_storage(cx: &Context, functions: &[FunctionInfo]) -> bool {
    let called = functions.iter().filter(|info| !info.is_answered(cx.side));
    called.into_iter().any(|info| info.function.yield_ != Yield::Coroutine)
}

/// Parameters of what writes an answer: whom it is for.
fn id_params(cx: &Context) -> Vec<Param> {
    let mut params = Vec::new();
    if cx.is_server() {
        params.push(param("Player", ty("Player")));
    }
    params.push(param("Id", ty("number")));
    params
}

/// Has items written into the batch that calls and answers go to.
fn own_batch(cx: &mut Context, out: &mut Block) {
    if !cx.is_server() {
        cx.sink = Sink::Own(&OUTGOING);
        return;
    }
    // A call is refused before the start, and nothing can be answered then.
    let shared = super::send::shared_end(cx);
    let made = apply(cx.runtime("ServerBatch", "own"), [name("Player"), shared]);
    let batch = cx.batch_type();
    out.local_typed("Out", batch, or(index(name("Ready"), name("Player")), made));
}

fn commit(cx: &mut Context, end: Expr, slot: Option<Expr>, out: &mut Block) {
    if cx.is_server() {
        out.assign(path("Out.cursor"), end);
        if let Some(slot) = slot {
            out.assign(path("Out.slots"), slot);
        }
        return;
    }
    super::send::commit_reliable(cx, end, slot, out);
}
