//! Snapshots of a stream's state: whether what the game holds differs from what was sent, and a copy of what is sent.
//!
//! Both are made of the state's type, so that what a schema knows takes no loop over keys of unknown kinds. A table may
//! have keys that its type does not name, which count too: those are found by how many there are, and handed to the
//! functions of the runtime library, which take any value. So is whatever is not of its type: it is for the writer to say
//! what is wrong with it.

use super::ast::*;
use super::context::{Context, Names};
use crate::wire::plan::{Node, Shape};

/// How a value is compared and copied.
enum Form<'a> {
    /// Equal where `==` says so, and otherwise within the tolerance if it is of numbers; nothing to copy.
    Plain { near: bool, may_be_nil: bool },
    /// A table of these fields and no others.
    Struct(Vec<(&'a str, Form<'a>)>),
    /// A table of such elements.
    Array(Box<Form<'a>>),
    /// By the functions for any value.
    Any { may_be_nil: bool },
}

impl Form<'_> {
    fn of(node: &Node, epsilon: f64) -> Form<'_> {
        let near = epsilon > 0.0;
        match &node.shape {
            Shape::Number(_) | Shape::Vector(_) => Form::Plain { near, may_be_nil: false },
            // What is nil is written as false.
            Shape::Boolean(_) => Form::Plain { near: false, may_be_nil: true },
            Shape::Bytes(bytes) if !bytes.buffer => Form::Plain { near: false, may_be_nil: false },
            Shape::UnitEnum { .. } => Form::Plain { near: false, may_be_nil: false },
            Shape::Instance { .. } | Shape::EnumItem { .. } | Shape::Entity { .. } => {
                Form::Plain { near: false, may_be_nil: true }
            }
            Shape::Set(set) => Form::Struct(
                set.flags
                    .iter()
                    .map(|flag| (flag.as_str(), Form::Plain { near: false, may_be_nil: true }))
                    .collect(),
            ),
            Shape::Struct(members) => Form::Struct(
                members
                    .iter()
                    .map(|member| (member.name.as_str(), Form::of(&member.node, epsilon)))
                    .collect(),
            ),
            Shape::Array(list) => Form::Array(Box::new(Form::of(&list.block.body, epsilon))),
            Shape::Booleans(_) => Form::Array(Box::new(Form::Plain { near: false, may_be_nil: true })),
            Shape::Optional { block, .. } => match Form::of(&block.body, epsilon) {
                Form::Plain { near, .. } => Form::Plain { near, may_be_nil: true },
                Form::Struct(_) | Form::Array(_) | Form::Any { .. } => Form::Any { may_be_nil: true },
            },
            Shape::Bytes(_) | Shape::CFrame(_) | Shape::Roblox { .. } => Form::Any { may_be_nil: false },
            Shape::Map(_) | Shape::TaggedEnum(_) => Form::Any { may_be_nil: false },
            Shape::Unknown | Shape::Pack(_) | Shape::Entry(_) => Form::Any { may_be_nil: true },
        }
    }

    fn may_be_nil(&self) -> bool {
        match self {
            Form::Plain { may_be_nil, .. } | Form::Any { may_be_nil } => *may_be_nil,
            Form::Struct(_) | Form::Array(_) => false,
        }
    }
}

/// The state of a stream's payload.
fn state(payload: &Node, epsilon: f64) -> Form<'_> {
    let state = match &payload.shape {
        Shape::Pack(members) => members.first().map(|state| &state.node.shape),
        _ => None,
    };
    match state {
        // It travels as one that may be absent.
        Some(Shape::Optional { block, .. }) => Form::of(&block.body, epsilon),
        _ => Form::Any { may_be_nil: false },
    }
}

/// `function(Held, Sent): boolean`: whether the state held is the one that was sent. `payload` is the stream's.
pub fn same(cx: &mut Context, payload: &Node, epsilon: f64) -> Expr {
    let form = state(payload, epsilon);
    Maker { cx, names: names(), epsilon }.same(&form)
}

/// A copy of the state called `held`, behind statements that make it.
pub fn copy(cx: &mut Context, payload: &Node, held: &str, out: &mut Block) -> Expr {
    let form = state(payload, 0.0);
    Maker { cx, names: names(), epsilon: 0.0 }.copied(&form, name(held), out)
}

/// A local function `Metatable` that is `getmetatable`, where [`Context::asks_metatables`].
///
/// The compiler of Luau puts its body wherever it is called. To the type checker each call of `getmetatable` itself is a
/// type to work out, of which it allows a module only so many.
pub fn foundations() -> Block {
    let body = block(|b| _ = b.ret([call("getmetatable", [name("Value")])]));
    let function = Function::new(vec![param("Value", ty("any"))], body).returning(vec![ty("any")]);
    block(|b| _ = b.push(local_function("Metatable".to_owned(), function)))
}

struct Maker<'m, 'c> {
    cx: &'m mut Context<'c>,
    names: Names,
    epsilon: f64,
}

impl Maker<'_, '_> {
    /// Whether two values of any kind are the same.
    fn any_same(&mut self, a: Expr, b: Expr) -> Expr {
        let same = self.cx.runtime_function("Same");
        apply(same, [a, b, num(self.epsilon)])
    }

    fn any_copied(&mut self, value: Expr) -> Expr {
        apply(self.cx.runtime_function("Copy"), [value])
    }

    /// Whether fields of it are what `next` finds.
    fn is_plain_table(&mut self, value: &Expr) -> Expr {
        self.cx.asks_metatables = true;
        and(is_table(value), eq(call("Metatable", [value.clone()]), Expr::Nil))
    }

    /// A local like `hint` that holds `value`.
    fn named(&mut self, hint: &str, value: Expr, out: &mut Block) -> Expr {
        let local = self.names.fresh(hint);
        out.local(local.as_str(), value);
        name(local)
    }

    /// `function(Held, Sent): boolean`
    fn same(&mut self, form: &Form) -> Expr {
        let mut body = Block::new();
        match form {
            Form::Struct(_) | Form::Array(_) => {
                self.compare(form, name("Held"), name("Sent"), &mut body);
                body.ret([Expr::Bool(true)]);
            }
            Form::Plain { .. } | Form::Any { .. } => {
                body.ret([self.any_same(name("Held"), name("Sent"))]);
            }
        }
        let params = vec![param("Held", ty("any")), param("Sent", ty("any"))];
        lambda(Function::new(params, body).returning(vec![ty("boolean")]))
    }

    /// What is true of two values that differ, for a form that takes no statements to tell.
    fn differs(&mut self, form: &Form, a: Expr, b: Expr) -> Option<Expr> {
        match form {
            Form::Plain { near: false, .. } => Some(ne(a, b)),
            Form::Plain { near: true, .. } | Form::Any { .. } => {
                let same = self.any_same(a.clone(), b.clone());
                Some(and(ne(a, b), not(same)))
            }
            Form::Struct(_) | Form::Array(_) => None,
        }
    }

    /// Statements that return false when the two differ. Both are names; the second is of a copy.
    fn compare(&mut self, form: &Form, a: Expr, b: Expr, out: &mut Block) {
        let (tables, inner) = match form {
            Form::Plain { .. } | Form::Any { .. } => {
                if let Some(condition) = self.differs(form, a, b) {
                    out.when(condition, differ());
                }
                return;
            }
            Form::Struct(fields) => {
                let tables = and(self.is_plain_table(&a), is_table(&b));
                (tables, self.compare_fields(fields, &a, &b))
            }
            Form::Array(element) => (and(is_table(&a), is_table(&b)), self.compare_elements(element, &a, &b)),
        };
        let otherwise = not(self.any_same(a, b));
        out.push(Stat::If(vec![(tables, inner), (otherwise, differ())], None));
    }

    fn compare_fields(&mut self, fields: &[(&str, Form)], a: &Expr, b: &Expr) -> Block {
        let mut out = Block::new();
        let mut condition: Option<Expr> = None;
        for (key, form) in fields {
            if let Some(one) = self.differs(form, field(a.clone(), *key), field(b.clone(), *key)) {
                condition = Some(match condition {
                    Some(before) => or(before, one),
                    None => one,
                });
            }
        }
        if let Some(condition) = condition {
            out.when(condition, differ());
        }
        for (key, form) in fields {
            if matches!(form, Form::Struct(_) | Form::Array(_)) {
                let held = self.named(key, field(a.clone(), *key), &mut out);
                let sent = self.named(key, field(b.clone(), *key), &mut out);
                self.compare(form, held, sent, &mut out);
            }
        }
        let unknown = self.unknown_keys(fields, a, &mut out);
        let sent = self.unknown_keys(fields, b, &mut out);
        let any = or(ne(unknown, num(0)), ne(sent, num(0)));
        out.when(and(any, not(self.any_same(a.clone(), b.clone()))), differ());
        out
    }

    /// A local with how many keys the table has that its type does not name. Those that may be nil and are not are
    /// known too.
    fn unknown_keys(&mut self, fields: &[(&str, Form)], table: &Expr, out: &mut Block) -> Expr {
        let keys = self.named("Keys", num(0.0 - known(fields)), out);
        for (key, _) in fields.iter().filter(|(_, form)| form.may_be_nil()) {
            let known = block(|b| _ = b.push(compound(keys.clone(), BinaryOp::Sub, num(1))));
            out.when(ne(field(table.clone(), *key), Expr::Nil), known);
        }
        out.push(each_key(table, compound(keys.clone(), BinaryOp::Add, num(1))));
        keys
    }

    fn compare_elements(&mut self, element: &Form, a: &Expr, b: &Expr) -> Block {
        let mut out = Block::new();
        let keys = self.named("Keys", num(0), &mut out);
        let [key, held] = ["Key", "Element"].map(|hint| self.names.fresh(hint));
        let mut each = Block::new();
        let sent = self.named("Former", index(b.clone(), name(key.as_str())), &mut each);
        self.compare(element, name(held.as_str()), sent, &mut each);
        each.bump(keys.clone(), num(1));
        out.push(each_loop(vec![key, held], entries(a), each));
        out.push(each_key(b, compound(keys.clone(), BinaryOp::Sub, num(1))));
        out.when(ne(keys, num(0)), differ());
        out
    }

    /// A copy of `value`, which is a name, behind statements that make it.
    fn copied(&mut self, form: &Form, value: Expr, out: &mut Block) -> Expr {
        if matches!(form, Form::Plain { .. }) {
            return value;
        }
        let any = self.any_copied(value.clone());
        let hint = self.names.fresh("Copied");
        let copied = name(hint.as_str());
        match form {
            Form::Plain { .. } | Form::Any { .. } => return any,
            Form::Struct(fields) => {
                out.local_typed(hint.as_str(), ty("any"), Expr::Nil);
                let mut inner = Block::new();
                let keys = self.unknown_keys(fields, &value, &mut inner);
                let mut make = Block::new();
                let mut fields_copied = Vec::new();
                for (key, form) in fields {
                    let own = field(value.clone(), *key);
                    let own = match form {
                        Form::Plain { .. } => own,
                        _ => {
                            let held = self.named(key, own, &mut make);
                            self.copied(form, held, &mut make)
                        }
                    };
                    fields_copied.push(Entry::Named((*key).to_owned(), own));
                }
                make.assign(copied.clone(), Expr::Table(fields_copied));
                inner.when(eq(keys, num(0)), make);
                out.when(self.is_plain_table(&value), inner);
                let general = block(|b| _ = b.assign(copied.clone(), any));
                out.when(eq(copied.clone(), Expr::Nil), general);
            }
            Form::Array(element) => {
                out.local_typed(hint.as_str(), ty("any"), Expr::Nil);
                let mut inner = Block::new();
                inner.assign(copied.clone(), call("table.create", [call("rawlen", [value.clone()])]));
                let [key, held] = ["Key", "Element"].map(|hint| self.names.fresh(hint));
                let mut each = Block::new();
                let own = self.copied(element, name(held.as_str()), &mut each);
                each.assign(index(copied.clone(), name(key.as_str())), own);
                inner.push(each_loop(vec![key, held], entries(&value), each));
                let general = block(|b| _ = b.assign(copied.clone(), any));
                out.when_else(is_table(&value), inner, general);
            }
        }
        copied
    }
}

/// Names for locals beside the parameters.
fn names() -> Names {
    let mut names = Names::default();
    for taken in ["Held", "Sent", "Value"] {
        names.fresh(taken);
    }
    names
}

/// Fields that are always there.
fn known(fields: &[(&str, Form)]) -> f64 {
    fields.iter().filter(|(_, form)| !form.may_be_nil()).count() as f64
}

fn is_table(value: &Expr) -> Expr {
    eq(call("type", [value.clone()]), text("table"))
}

/// Does `work` for each key of a table without a metatable: of a copy, or of one found to have none.
///
/// Without a metatable there is no need for `next`, and the type checker is spared a call for each of the loops, of which
/// it allows a module only so many.
fn each_key(table: &Expr, work: Stat) -> Stat {
    let table = cast(table.clone(), ty("any"));
    each_loop(vec!["_".to_owned()], vec![table], block(|b| _ = b.push(work)))
}

/// What a loop over the entries of any table goes through. To the type checker, entries of what was found to be a table
/// could be of no type at all: hence the cast.
fn entries(table: &Expr) -> Vec<Expr> {
    vec![name("next"), cast(table.clone(), ty("any"))]
}

fn differ() -> Block {
    block(|b| _ = b.ret([Expr::Bool(false)]))
}
