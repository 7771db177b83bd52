//! Tables: `Push` of the side that sends rows, and the columns of the side that reads them.

use super::ast::*;
use super::context::{Context, Names};
use super::module::{State, member, positional};
use super::{read, send, session, traffic, types, write};
use crate::schema::table::MAX_ROWS;
use crate::schema::{Channel, Item, Options, Schema, Scope, Side, Table, TableGuard, TypeKind};
use crate::wire::Wire;
use crate::wire::table::TableWire;

/// A table with its plan and names.
pub struct TableInfo<'a> {
    /// As resolved.
    pub table: &'a Table,
    /// As it travels.
    pub wire: &'a TableWire,
    key: String,
    /// What holds its rows: those staged, or what the game reads.
    object: Expr,
    /// `Push`, on the side that has it.
    push: Expr,
}

/// Every table, in order of declaration.
pub fn tables<'a>(schema: &'a Schema, wire: &'a Wire) -> Vec<TableInfo<'a>> {
    fn walk<'a>(scope: &'a Scope, wire: &'a Wire, names: &mut Names, found: &mut Vec<TableInfo<'a>>) {
        for item in &scope.items {
            match item {
                Item::Table(table) => {
                    if let Some(planned) = wire.table(&table.path) {
                        let key = names.own(&table.path.join("_"));
                        found.push(TableInfo {
                            table,
                            wire: planned,
                            key,
                            object: Expr::Nil,
                            push: Expr::Nil,
                        });
                    }
                }
                Item::Scope(inner) => walk(inner, wire, names, found),
                Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::State(_) | Item::Entity(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    walk(&schema.root, wire, &mut Names::default(), &mut found);
    found
}

/// The name of the remote that rows travel on.
pub fn remote_name(cx: &Context) -> String {
    format!("{}_TABLE_REMOTE", cx.options.remote_base())
}

/// Names for locals that leave the parameters of what is generated here alone.
fn reserved(more: usize) -> Names {
    let mut names = Names::default();
    for taken in ["Rows", "Columns", "Row"] {
        names.fresh(taken);
    }
    for place in 1..=more {
        names.fresh(&format!("Value{place}"));
    }
    names
}

impl TableInfo<'_> {
    /// Whether this side pushes its rows.
    pub fn is_sent(&self, side: Side) -> bool {
        self.table.from == side
    }

    fn path(&self) -> String {
        self.table.path.join(".")
    }

    /// A line about it, for whoever reads the module.
    pub fn describe(&self) -> String {
        let from = if self.table.from == Side::Client { "of clients" } else { "of the server" };
        format!("{}: table {from}", self.path())
    }

    /// Declares what the module keeps of the table. `checked` are the options with `WriteValidations`.
    pub fn declare<'c>(&mut self, cx: &mut Context<'c>, checked: &'c Options, state: &mut State) {
        let hint = format!("{}Rows", self.key);
        if self.is_sent(cx.side) {
            let value = self.staged(cx);
            self.object = state.declare(&hint, None, value);
            self.push = self.pusher(cx, checked);
            return;
        }
        let casing = cx.options.casing;
        let list = |kind: LuauType| cast(Expr::Table(Vec::new()), array(kind));
        let mut entries = vec![Entry::Named(member(casing, "Count"), num(0))];
        for column in self.table.fields.iter() {
            entries.push(Entry::Named(column.name.clone(), list(types::of_type(cx.schema, &column.ty))));
        }
        if cx.is_server() {
            entries.push(Entry::Named(member(casing, "Sender"), list(ty("Player"))));
        }
        self.object = state.declare(&hint, None, Expr::Table(entries));

        let own = |name: &str| field(self.object.clone(), name);
        let columns = self.table.fields.iter().map(|column| Entry::Item(cast(own(&column.name), ty("any"))));
        let columns = columns.collect();
        let senders = if cx.is_server() { own(&member(casing, "Sender")) } else { Expr::Nil };
        let shape = self.wire.columns.iter().flat_map(|column| {
            let least = column.text.map_or(-1.0, f64::from);
            [num(column.stride), num(column.bits), num(least)]
        });
        let shape = shape.map(Entry::Item).collect();
        let reader = self.reader(cx);
        let declare = cx.runtime("InRows", "declare");
        let args = vec![
            num(self.wire.index),
            cast(self.object.clone(), ty("any")),
            text(member(casing, "Count")),
            Expr::Table(columns),
            senders,
            reader,
            Expr::Table(shape),
            num(self.wire.fixed_row()),
        ];
        state.block.push(Stat::Call(apply(declare, args)));
    }

    /// Where rows wait for the next tick of the table.
    fn staged(&self, cx: &mut Context) -> Expr {
        let mut body = Block::new();
        for (place, column) in self.wire.columns.iter().enumerate() {
            let values = [index(name("Columns"), size(place as u64 + 1))];
            let mut names = reserved(0);
            let mut inner = Block::new();
            let what = self.path();
            let written = write::item(cx, &mut names, None, &column.plan, &values, &what, 0, &mut inner);
            inner.assign(path("Out.cursor"), written.end);
            body.scope(inner);
        }
        let params = vec![
            param("Out", cx.batch_type()),
            param("Rows", ty("number")),
            param("Columns", array(array(ty("any")))),
        ];
        let declare = cx.runtime("OutRows", "declare");
        let args = vec![
            num(self.wire.index),
            size(self.wire.columns.len() as u64),
            num(1.0 / self.table.rate),
            lambda(Function::new(params, body)),
        ];
        apply(declare, args)
    }

    /// `function(Buffer, Cursor, Rows)`: reads so many rows, and gives where they end and a list a column.
    fn reader(&self, cx: &mut Context) -> Expr {
        let mut lists = vec![name("Cursor")];
        let mut body = read::alone(cx, |cx, body| {
            let mut names = reserved(0);
            for column in &self.wire.columns {
                let list = read::column(cx, &mut names, &column.plan, &self.path(), body);
                lists.push(cast(list, ty("any")));
            }
        });
        let returns = lists.iter().map(|list| match list {
            Expr::Name(_) => ty("number"),
            _ => array(ty("any")),
        });
        let returns = returns.collect();
        body.ret(lists);
        let params =
            vec![param("Buffer", ty("buffer")), param("Cursor", ty("number")), param("Rows", ty("number"))];
        lambda(Function::new(params, body).returning(returns))
    }

    /// Its member: what the game reads, or a table with `Push`.
    pub fn member(&self, cx: &Context) -> Expr {
        if !self.is_sent(cx.side) {
            return self.object.clone();
        }
        Expr::Table(vec![Entry::Named(member(cx.options.casing, "Push"), self.push.clone())])
    }

    /// Refuses the table's own table, which a call with a colon gives for a first value: its type says no more of one that
    /// should be a table anyway.
    fn own_table(&self, cx: &mut Context) -> Block {
        let first = self.table.fields.iter().next().map(|column| &column.ty.meaning().kind);
        if !matches!(first, Some(TypeKind::Struct(_) | TypeKind::Set(_))) {
            return Block::new();
        }
        let push = member(cx.options.casing, "Push");
        let message = apply(cx.runtime("Messages", "ownMember"), [text(format!("{}.Push", self.path()))]);
        send::refuse::holder(push, false, message)
    }

    fn pusher<'c>(&self, cx: &mut Context<'c>, checked: &'c Options) -> Expr {
        let declared: Vec<(String, LuauType)> = self
            .table
            .fields
            .iter()
            .map(|column| (column.name.clone(), types::of_type(cx.schema, &column.ty)))
            .collect();
        let (params, values) = positional(&declared);
        let mut body = self.own_table(cx);
        body.local("Row", add(field(self.object.clone(), "count"), num(1)));
        body.when(gt(name("Row"), num(MAX_ROWS)), block(|b| _ = b.ret([Expr::Bool(false)])));
        let trial = cx.runtime("OutRows", "trial");
        let batch = cx.batch_type();
        body.local_typed("Out", batch, apply(trial, []));
        let mut names = reserved(values.len());
        // A row that cannot be read takes all others of its packet along.
        let own = std::mem::replace(&mut cx.options, checked);
        write::item(cx, &mut names, None, &self.wire.row, &values, &self.path(), 2, &mut body);
        cx.options = own;
        for (place, (value, column)) in values.into_iter().zip(self.table.fields.iter()).enumerate() {
            let list = index(field(self.object.clone(), "columns"), size(place as u64 + 1));
            // What could be changed until the tick is kept as it is now.
            let value = match column.ty.meaning().kind {
                TypeKind::Struct(_) | TypeKind::Set(_) | TypeKind::Buffer(_) => {
                    apply(cx.runtime_function("Copy"), [value])
                }
                _ => value,
            };
            body.assign(index(list, name("Row")), value);
        }
        body.assign(field(self.object.clone(), "count"), name("Row"));
        body.ret([Expr::Bool(true)]);
        lambda(Function::new(params, body).returning(vec![ty("boolean")]))
    }
}

/// What the tables of a module are to it as a whole.
pub struct Tables {
    sends: bool,
    reads: bool,
    /// Most ticks a second of one client.
    ticks: f64,
}

impl Tables {
    /// Of all tables of a module.
    pub fn of(cx: &Context, tables: &[TableInfo]) -> Tables {
        let mut rates: Vec<f64> = tables
            .iter()
            .filter(|info| info.table.from == Side::Client)
            .map(|info| info.table.rate)
            .collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup();
        Tables {
            sends: tables.iter().any(|info| info.is_sent(cx.side)),
            reads: tables.iter().any(|info| !info.is_sent(cx.side)),
            // Tables of different rates leave in packets of their own, a frame each at the most.
            ticks: rates.iter().sum::<f64>().clamp(30.0, 60.0),
        }
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.sends || self.reads
    }

    /// Declares the remote, and the server's judge of what clients send.
    pub fn foundations(&self, cx: &mut Context) -> Block {
        let mut out = Block::new();
        if self.sends {
            out.declare("TableRemote", ty("RemoteEvent"));
        }
        if self.reads && cx.is_server() {
            let refuse = match cx.options.table_guard {
                TableGuard::Drop => "remove",
                TableGuard::Report => "report",
            };
            let refuse = cx.runtime("ServerRows", refuse);
            out.local("TableGate", apply(cx.runtime("ServerRows", "create"), [num(self.ticks), refuse]));
        }
        out
    }

    /// Takes the remote, which lies next to the one called `beside`, and connects what reads its packets.
    pub fn connect(&self, cx: &mut Context, beside: &str, out: &mut Block) {
        if !self.any() {
            return;
        }
        let own = if cx.is_server() { "make" } else { "find" };
        let found = apply(cx.runtime("SideRemotes", own), [name(beside), text(remote_name(cx))]);
        let remote = if self.sends {
            out.assign(name("TableRemote"), found);
            name("TableRemote")
        } else {
            out.local("RowRemote", found);
            name("RowRemote")
        };
        if cx.is_server() {
            let take = if self.reads && cx.options.traffic_stats {
                let taken = call("TableGate.take", [name("Player"), name("Packet")]);
                let body = block(|b| _ = b.when(taken, traffic::packet(cx, Channel::Reliable)));
                lambda(Function::new(vec![param("Player", ty("Player")), param("Packet", ty("any"))], body))
            } else if self.reads {
                // What it gives is for those who count.
                cast(path("TableGate.take"), ty("any"))
            } else {
                // Nothing is read on it, and what is not read would be kept for a listener.
                lambda(Function::new(Vec::new(), Block::new()))
            };
            let take = if self.reads { session::connected_only(cx, take) } else { take };
            out.push(Stat::Call(method(field(remote, "OnServerEvent"), "Connect", [take])));
        } else if self.reads {
            let receive = cx.runtime("InRows", "receive");
            let failed = cx.runtime("ClientReports", "decodeFailed");
            let counted = traffic::packet(cx, Channel::Reliable);
            let body = block(|b| {
                b.append(counted);
                b.push(Stat::Local(
                    vec![bare("Done"), bare("Failure")],
                    vec![call("pcall", [receive, name("Packet"), Expr::Nil, Expr::Nil])],
                ));
                let report = block(|b| {
                    b.push(Stat::Call(apply(failed, [Expr::Nil, call("tostring", [name("Failure")])])));
                });
                b.when(not(name("Done")), report);
            });
            let handler =
                Function { params: vec![param("Packet", ty("buffer"))], varargs: None, returns: None, body };
            out.push(Stat::Call(method(field(remote, "OnClientEvent"), "Connect", [lambda(handler)])));
        }
        if self.reads && !cx.options.manual_replication {
            let swap = cx.runtime("InRows", "swap");
            out.push(Stat::Call(method(path("RunService.PreAnimation"), "Connect", [swap])));
        }
    }

    /// Sends the rows that are due.
    pub fn flush(&self, cx: &mut Context, out: &mut Block) {
        if self.sends {
            let flush = cx.runtime("OutRows", if cx.is_server() { "toAll" } else { "toServer" });
            let sent = apply(flush, [name("TableRemote")]);
            if !traffic::counts_beside(cx) {
                out.push(Stat::Call(sent));
                return;
            }
            out.local("RowBytes", sent);
            let mut args = vec![name("RowBytes")];
            if cx.is_server() {
                args.insert(0, method(name("Players"), "GetPlayers", []));
            }
            out.when(
                name("RowBytes"),
                block(|b| _ = b.call(traffic::told_beside(cx, Channel::Reliable), args)),
            );
        }
    }

    /// Members of the module itself.
    pub fn members(&self, cx: &mut Context) -> Vec<Entry> {
        if !self.reads {
            return Vec::new();
        }
        let swap = cx.runtime("InRows", "swap");
        vec![Entry::Named(member(cx.options.casing, "StepTables"), swap)]
    }

    /// What forgets a player who is leaving.
    pub fn drops(&self, cx: &Context) -> Option<Expr> {
        (self.reads && cx.is_server()).then(|| path("TableGate.drop"))
    }
}
