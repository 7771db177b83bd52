//! Expressions.

use super::super::ast::{BinaryOp, Entry, Expr, UnaryOp};
use super::measure::measure;
use super::{Printer, WIDTH, number, op_text};
use crate::luau::is_name;

impl Printer {
    pub(super) fn fits(&self, expr: &Expr) -> bool {
        self.column <= WIDTH && measure(expr, WIDTH - self.column).is_some()
    }

    /// Prints an expression; `above` is the binding power of what holds it.
    pub(super) fn expr(&mut self, expr: &Expr, above: u8) {
        match expr {
            Expr::Nil => self.write("nil"),
            Expr::Bool(true) => self.write("true"),
            Expr::Bool(false) => self.write("false"),
            Expr::Number(value) if *value >= 0.0 && value.fract() == 0.0 && value.is_finite() => {
                self.number(*value);
            }
            Expr::Number(value) => {
                let text = number(*value);
                let wraps = (text.starts_with('-') && above >= UNARY) || text.contains('/') && above > 0;
                if wraps {
                    self.write("(");
                    self.write(&text);
                    self.write(")");
                } else {
                    self.write(&text);
                }
            }
            Expr::Text(value) => self.quote(value),
            Expr::Name(value) | Expr::Path(value) => self.write(value),
            Expr::Varargs => self.write("..."),
            Expr::Verbatim(text) => self.write(text),
            Expr::Field(object, key) => {
                self.prefix(object);
                if is_name(key) {
                    self.write(".");
                }
                self.key(key);
            }
            Expr::Index(object, key) => {
                self.prefix(object);
                self.write("[");
                self.expr(key, 0);
                self.write("]");
            }
            Expr::Call(callee, args) => {
                let fits = self.fits(expr);
                self.prefix(callee);
                self.args(args, fits);
            }
            Expr::Method(method) => {
                let fits = self.fits(expr);
                self.prefix(&method.object);
                self.write(":");
                self.write(&method.key);
                self.args(&method.args, fits);
            }
            Expr::Unary(op, value) => {
                let wrap = above > UNARY;
                if wrap {
                    self.write("(");
                }
                self.write(match op {
                    UnaryOp::Not => "not ",
                    UnaryOp::Negate => "-",
                    UnaryOp::Length => "#",
                });
                self.expr(value, UNARY);
                if wrap {
                    self.write(")");
                }
            }
            Expr::Binary(left, op, right) => self.binary(expr, left, *op, right, above),
            Expr::Function(function) => {
                self.write("function");
                self.function(function);
            }
            Expr::Table(entries) => self.table(expr, entries),
            Expr::If(arms, otherwise) => {
                let wrap = above > 0;
                if wrap {
                    self.write("(");
                }
                let fits = self.fits(expr);
                self.depth += 1;
                for (place, (condition, value)) in arms.iter().enumerate() {
                    if place > 0 {
                        if fits {
                            self.write(" ");
                        } else {
                            self.line();
                        }
                    }
                    self.write(if place == 0 { "if " } else { "elseif " });
                    self.expr(condition, 0);
                    self.write(" then ");
                    self.expr(value, 0);
                }
                if fits {
                    self.write(" ");
                } else {
                    self.line();
                }
                self.write("else ");
                self.expr(otherwise, 0);
                self.depth -= 1;
                if wrap {
                    self.write(")");
                }
            }
            Expr::Cast(value, ty) => {
                let wrap = above > UNARY;
                if wrap {
                    self.write("(");
                }
                self.expr(value, CAST);
                self.write(" :: ");
                self.ty(ty, true);
                if wrap {
                    self.write(")");
                }
            }
        }
    }

    /// What is indexed or called: anything but a name, an index or a call stands in parentheses.
    pub(super) fn prefix(&mut self, expr: &Expr) {
        let plain = matches!(
            expr,
            Expr::Name(_)
                | Expr::Path(_)
                | Expr::Field(..)
                | Expr::Index(..)
                | Expr::Call(..)
                | Expr::Method(..)
        );
        if plain {
            self.expr(expr, 0);
        } else {
            self.write("(");
            self.expr(expr, 0);
            self.write(")");
        }
    }

    pub(super) fn args(&mut self, args: &[Expr], fits: bool) {
        self.write("(");
        let last_is_block = args.last().is_some_and(|arg| matches!(arg, Expr::Function(_) | Expr::Table(_)));
        if fits || last_is_block || args.is_empty() {
            self.list(args);
        } else {
            self.depth += 1;
            for (place, arg) in args.iter().enumerate() {
                if place > 0 {
                    self.write(",");
                }
                self.line();
                self.expr(arg, 0);
            }
            self.depth -= 1;
            self.line();
        }
        self.write(")");
    }

    pub(super) fn binary(&mut self, whole: &Expr, left: &Expr, op: BinaryOp, right: &Expr, above: u8) {
        let power = power(op);
        let wrap = power < above;
        if wrap {
            self.write("(");
        }
        let breaks = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Concat | BinaryOp::Add)
            && !self.fits(whole);
        if breaks {
            self.depth += 1;
        }
        // `..` and `^` associate to the right; the rest to the left.
        let right_first = matches!(op, BinaryOp::Concat | BinaryOp::Pow);
        self.expr(left, if right_first { power + 1 } else { power });
        if breaks {
            self.line();
        } else {
            self.write(" ");
        }
        self.write(op_text(op));
        self.write(" ");
        self.expr(right, if right_first { power } else { power + 1 });
        if breaks {
            self.depth -= 1;
        }
        if wrap {
            self.write(")");
        }
    }

    pub(super) fn table(&mut self, whole: &Expr, entries: &[Entry]) {
        if entries.is_empty() {
            return self.write("{}");
        }
        if self.fits(whole) {
            let items = entries.iter().all(|entry| matches!(entry, Entry::Item(_)));
            self.write(if items { "{" } else { "{ " });
            for (place, entry) in entries.iter().enumerate() {
                if place > 0 {
                    self.write(", ");
                }
                self.entry(entry);
            }
            return self.write(if items { "}" } else { " }" });
        }
        self.write("{");
        self.depth += 1;
        for entry in entries {
            self.line();
            self.entry(entry);
            if !matches!(entry, Entry::Comment(_)) {
                self.write(",");
            }
        }
        self.depth -= 1;
        self.line();
        self.write("}");
    }

    pub(super) fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Item(value) => self.expr(value, 0),
            Entry::Named(key, value) => {
                self.key(key);
                self.write(" = ");
                self.expr(value, 0);
            }
            Entry::Keyed(key, value) => {
                self.write("[");
                self.expr(key, 0);
                self.write("] = ");
                self.expr(value, 0);
            }
            Entry::Comment(text) => {
                self.write("-- ");
                self.write(text);
            }
        }
    }

    pub(super) fn key(&mut self, key: &str) {
        if is_name(key) {
            self.write(key);
        } else {
            self.write("[");
            self.quote(key);
            self.write("]");
        }
    }
}

pub(super) const UNARY: u8 = 8;
pub(super) const CAST: u8 = 9;

pub(super) fn power(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Ne | BinaryOp::Eq => 3,
        BinaryOp::Concat => 4,
        BinaryOp::Add | BinaryOp::Sub => 5,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod => 6,
        BinaryOp::Pow => 10,
    }
}
