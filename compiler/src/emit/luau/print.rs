//! Prints the tree: tabs, at most 110 columns where a break is possible, the same text for the same tree.
//!
//! Tables, argument lists and chains of one operator are written on one line when they fit and with an item a line
//! when they do not. Parentheses stand only where the grammar needs them.

use super::ast::{BinaryOp, Block, Entry, Expr, Function, LuauType, Param, Stat, UnaryOp};

const WIDTH: usize = 110;
const TAB: usize = 4;

/// Text of a whole module.
pub fn print(block: &Block) -> String {
    let mut printer = Printer { out: String::new(), depth: 0, column: 0 };
    printer.block(block);
    printer.out
}

/// Whether `text` may stand as a name: an identifier that is no keyword.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !KEYWORDS.contains(&text)
}

const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

struct Printer {
    out: String,
    depth: usize,
    column: usize,
}

impl Printer {
    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth {
            self.out.push('\t');
        }
        self.column = self.depth * TAB;
    }

    fn open_line(&mut self) {
        for _ in 0..self.depth {
            self.out.push('\t');
        }
        self.column = self.depth * TAB;
    }

    fn block(&mut self, block: &Block) {
        let mut blank = true;
        for (place, stat) in block.stats.iter().enumerate() {
            if matches!(stat, Stat::Blank) {
                if !blank && place + 1 < block.stats.len() {
                    self.out.push('\n');
                }
                blank = true;
                continue;
            }
            blank = false;
            self.stat(stat);
        }
    }

    fn inner(&mut self, block: &Block) {
        self.depth += 1;
        self.out.push('\n');
        self.block(block);
        self.depth -= 1;
        self.open_line();
    }

    fn stat(&mut self, stat: &Stat) {
        match stat {
            Stat::Source(text) => {
                for line in text.lines() {
                    if !line.is_empty() {
                        self.open_line();
                    }
                    self.out.push_str(line);
                    self.out.push('\n');
                }
                return;
            }
            Stat::Comment(text) => {
                for line in text.lines() {
                    self.open_line();
                    self.write(if line.starts_with('!') { "--" } else { "-- " });
                    self.write(line);
                    self.out.push('\n');
                }
                return;
            }
            _ => {}
        }
        self.open_line();
        match stat {
            Stat::Local(names, values) => {
                self.write("local ");
                self.params(names);
                if !values.is_empty() {
                    self.write(" = ");
                    self.list(values);
                }
            }
            Stat::Assign(targets, values) => {
                self.list(targets);
                self.write(" = ");
                self.list(values);
            }
            Stat::Compound(target, op, value) => {
                self.expr(target, 0);
                self.write(" ");
                self.write(op_text(*op));
                self.write("= ");
                self.expr(value, 0);
            }
            Stat::Call(value) => self.expr(value, 0),
            Stat::If(arms, otherwise) => {
                for (place, (condition, body)) in arms.iter().enumerate() {
                    self.write(if place == 0 { "if " } else { "elseif " });
                    self.expr(condition, 0);
                    self.write(" then");
                    self.inner(body);
                }
                if let Some(body) = otherwise {
                    self.write("else");
                    self.inner(body);
                }
                self.write("end");
            }
            Stat::While(condition, body) => {
                self.write("while ");
                self.expr(condition, 0);
                self.write(" do");
                self.inner(body);
                self.write("end");
            }
            Stat::Repeat(body, condition) => {
                self.write("repeat");
                self.inner(body);
                self.write("until ");
                self.expr(condition, 0);
            }
            Stat::Count(variable, from, to, step, body) => {
                self.write("for ");
                self.write(variable);
                self.write(" = ");
                self.expr(from, 0);
                self.write(", ");
                self.expr(to, 0);
                if let Some(step) = step {
                    self.write(", ");
                    self.expr(step, 0);
                }
                self.write(" do");
                self.inner(body);
                self.write("end");
            }
            Stat::Each(names, values, body) => {
                self.write("for ");
                self.write(&names.join(", "));
                self.write(" in ");
                self.list(values);
                self.write(" do");
                self.inner(body);
                self.write("end");
            }
            Stat::Do(body) => {
                self.write("do");
                self.inner(body);
                self.write("end");
            }
            Stat::Return(values) => {
                self.write("return");
                if !values.is_empty() {
                    self.write(" ");
                    self.list(values);
                }
            }
            Stat::Break => self.write("break"),
            Stat::Continue => self.write("continue"),
            Stat::Function(name, function) => {
                self.write("local function ");
                self.write(name);
                self.function(function);
            }
            Stat::TypeAlias { export, name, generics, ty } => {
                if *export {
                    self.write("export ");
                }
                self.write("type ");
                self.write(name);
                if !generics.is_empty() {
                    self.write("<");
                    self.write(&generics.join(", "));
                    self.write(">");
                }
                self.write(" = ");
                self.ty(ty, false);
            }
            Stat::Source(_) | Stat::Comment(_) | Stat::Blank => {}
        }
        self.out.push('\n');
    }

    fn params(&mut self, params: &[Param]) {
        for (place, param) in params.iter().enumerate() {
            if place > 0 {
                self.write(", ");
            }
            self.write(&param.name);
            if let Some(ty) = &param.ty {
                self.write(": ");
                self.ty(ty, false);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.write("(");
        let width: usize = function
            .params
            .iter()
            .map(|param| param.name.len() + 4 + param.ty.as_ref().map_or(0, type_width))
            .sum();
        if self.column + width > WIDTH && function.params.len() > 1 && function.varargs.is_none() {
            self.depth += 1;
            for (place, param) in function.params.iter().enumerate() {
                if place > 0 {
                    self.write(",");
                }
                self.line();
                self.params(std::slice::from_ref(param));
            }
            self.depth -= 1;
            self.line();
        } else {
            self.params(&function.params);
        }
        if let Some(ty) = &function.varargs {
            if !function.params.is_empty() {
                self.write(", ");
            }
            self.write("...: ");
            self.ty(ty, false);
        }
        self.write(")");
        if let Some(returns) = &function.returns {
            self.write(": ");
            self.pack(returns);
        }
        if function.body.is_empty() {
            self.write(" end");
        } else {
            self.inner(&function.body);
            self.write("end");
        }
    }

    fn list(&mut self, values: &[Expr]) {
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                self.write(", ");
            }
            self.expr(value, 0);
        }
    }

    fn fits(&self, expr: &Expr) -> bool {
        self.column <= WIDTH && measure(expr, WIDTH - self.column).is_some()
    }

    /// Prints an expression; `above` is the binding power of what holds it.
    fn expr(&mut self, expr: &Expr, above: u8) {
        match expr {
            Expr::Nil => self.write("nil"),
            Expr::Bool(true) => self.write("true"),
            Expr::Bool(false) => self.write("false"),
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
            Expr::Text(value) => {
                let text = quoted(value);
                self.write(&text);
            }
            Expr::Name(value) => self.write(value),
            Expr::Varargs => self.write("..."),
            Expr::Verbatim(text) => self.write(text),
            Expr::Field(object, key) => {
                self.prefix(object);
                if is_name(key) {
                    self.write(".");
                    self.write(key);
                } else {
                    self.write("[");
                    let text = quoted(key);
                    self.write(&text);
                    self.write("]");
                }
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
            Expr::Method(object, key, args) => {
                let fits = self.fits(expr);
                self.prefix(object);
                self.write(":");
                self.write(key);
                self.args(args, fits);
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
    fn prefix(&mut self, expr: &Expr) {
        let plain = matches!(
            expr,
            Expr::Name(_) | Expr::Field(..) | Expr::Index(..) | Expr::Call(..) | Expr::Method(..)
        );
        if plain {
            self.expr(expr, 0);
        } else {
            self.write("(");
            self.expr(expr, 0);
            self.write(")");
        }
    }

    fn args(&mut self, args: &[Expr], fits: bool) {
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

    fn binary(&mut self, whole: &Expr, left: &Expr, op: BinaryOp, right: &Expr, above: u8) {
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

    fn table(&mut self, whole: &Expr, entries: &[Entry]) {
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

    fn entry(&mut self, entry: &Entry) {
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

    fn key(&mut self, key: &str) {
        if is_name(key) {
            self.write(key);
        } else {
            self.write("[");
            let text = quoted(key);
            self.write(&text);
            self.write("]");
        }
    }

    fn pack(&mut self, types: &[LuauType]) {
        if let [single] = types
            && !matches!(single, LuauType::Function(..) | LuauType::Variadic(_))
        {
            return self.ty(single, false);
        }
        self.write("(");
        for (place, ty) in types.iter().enumerate() {
            if place > 0 {
                self.write(", ");
            }
            self.ty(ty, false);
        }
        self.write(")");
    }

    /// Prints a type; `tight` where a union or function needs parentheses.
    fn ty(&mut self, ty: &LuauType, tight: bool) {
        match ty {
            LuauType::Name(name, args) => {
                self.write(name);
                if !args.is_empty() {
                    self.write("<");
                    for (place, arg) in args.iter().enumerate() {
                        if place > 0 {
                            self.write(", ");
                        }
                        self.ty(arg, false);
                    }
                    self.write(">");
                }
            }
            LuauType::Text(text) => {
                let text = quoted(text);
                self.write(&text);
            }
            LuauType::Optional(inner) => {
                self.ty(inner, true);
                self.write("?");
            }
            LuauType::Union(members) => {
                let fits = self.column + type_width(ty) <= WIDTH;
                if tight {
                    self.write("(");
                }
                self.depth += 1;
                for (place, member) in members.iter().enumerate() {
                    if !fits {
                        self.line();
                        self.write("| ");
                    } else if place > 0 {
                        self.write(" | ");
                    }
                    self.ty(member, true);
                }
                self.depth -= 1;
                if tight {
                    self.write(")");
                }
            }
            LuauType::Array(element) => {
                self.write("{ ");
                self.ty(element, false);
                self.write(" }");
            }
            LuauType::Map(key, value) => {
                // A string right behind the bracket would read as the name of a property.
                let text = matches!(**key, LuauType::Text(_));
                self.write(if text { "{ [(" } else { "{ [" });
                self.ty(key, true);
                self.write(if text { ")]: " } else { "]: " });
                self.ty(value, false);
                self.write(" }");
            }
            LuauType::Table(fields) if fields.is_empty() => self.write("{}"),
            LuauType::Table(fields) => {
                let fits = self.column + type_width(ty) <= WIDTH;
                self.write(if fits { "{ " } else { "{" });
                self.depth += 1;
                for (place, (key, value)) in fields.iter().enumerate() {
                    if !fits {
                        self.line();
                    } else if place > 0 {
                        self.write(", ");
                    }
                    self.key(key);
                    self.write(": ");
                    self.ty(value, false);
                    if !fits {
                        self.write(",");
                    }
                }
                self.depth -= 1;
                if fits {
                    self.write(" }");
                } else {
                    self.line();
                    self.write("}");
                }
            }
            LuauType::Function(params, returns) => {
                if tight {
                    self.write("(");
                }
                self.write("(");
                let breaks = self.column + type_width(ty) > WIDTH && params.len() > 1;
                if breaks {
                    self.depth += 1;
                }
                for (place, (name, param)) in params.iter().enumerate() {
                    if place > 0 {
                        self.write(if breaks { "," } else { ", " });
                    }
                    if breaks {
                        self.line();
                    }
                    if let Some(name) = name {
                        self.write(name);
                        self.write(": ");
                    }
                    self.ty(param, false);
                }
                if breaks {
                    self.depth -= 1;
                    self.line();
                }
                self.write(") -> ");
                self.pack(returns);
                if tight {
                    self.write(")");
                }
            }
            LuauType::Variadic(inner) => {
                self.write("...");
                self.ty(inner, true);
            }
            LuauType::Typeof(value) => {
                self.write("typeof(");
                self.expr(value, 0);
                self.write(")");
            }
        }
    }
}

const UNARY: u8 = 8;
const CAST: u8 = 9;

fn power(op: BinaryOp) -> u8 {
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

fn op_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Ne => "~=",
        BinaryOp::Eq => "==",
        BinaryOp::Concat => "..",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::FloorDiv => "//",
        BinaryOp::Mod => "%",
        BinaryOp::Pow => "^",
    }
}

/// Shortest text that reads back as the same double.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "0 / 0".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "math.huge" } else { "-math.huge" }.to_owned();
    }
    let plain = format!("{value}");
    if plain.len() <= 24 { plain } else { format!("{value:e}") }
}

/// A Luau string literal.
pub fn quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 32 || control as u32 == 127 => {
                out.push_str(&format!("\\{:03}", control as u32));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Columns of an expression on one line, or nothing when it is longer than `room` or can't be on one line.
fn measure(expr: &Expr, room: usize) -> Option<usize> {
    let width = match expr {
        Expr::Nil => 3,
        Expr::Bool(value) => {
            if *value {
                4
            } else {
                5
            }
        }
        Expr::Number(value) => number(*value).len(),
        Expr::Text(value) => quoted(value).chars().count(),
        Expr::Name(value) => value.len(),
        Expr::Varargs => 3,
        Expr::Verbatim(text) => text.chars().count(),
        Expr::Field(object, key) => measure(object, room)? + key.len() + 1,
        Expr::Index(object, key) => measure(object, room)? + measure(key, room)? + 2,
        Expr::Call(callee, args) => measure(callee, room)? + measure_all(args, room)? + 2,
        Expr::Method(object, key, args) => measure(object, room)? + key.len() + measure_all(args, room)? + 3,
        Expr::Unary(_, value) => measure(value, room)? + 4,
        Expr::Binary(left, op, right) => {
            let left = measure(left, room)?;
            left + op_text(*op).len() + 2 + measure(right, room.checked_sub(left)?)?
        }
        Expr::Function(function) => {
            if !function.body.is_empty() || !function.params.is_empty() {
                return None;
            }
            18
        }
        Expr::Table(entries) => {
            let mut width = 4;
            for entry in entries {
                width += 2 + match entry {
                    Entry::Item(value) => measure(value, room)?,
                    Entry::Named(key, value) => key.len() + 3 + measure(value, room)?,
                    Entry::Keyed(key, value) => measure(key, room)? + measure(value, room)? + 5,
                    Entry::Comment(_) => return None,
                };
                if width > room + 2 {
                    return None;
                }
            }
            width.saturating_sub(2)
        }
        Expr::If(arms, otherwise) => {
            let mut width = 6 + measure(otherwise, room)?;
            for (condition, value) in arms {
                width += 14 + measure(condition, room)? + measure(value, room)?;
            }
            width
        }
        Expr::Cast(value, ty) => measure(value, room)? + 4 + type_width(ty),
    };
    (width <= room).then_some(width)
}

fn measure_all(values: &[Expr], room: usize) -> Option<usize> {
    let mut width: usize = 0;
    for value in values {
        width += measure(value, room)? + 2;
        if width > room + 2 {
            return None;
        }
    }
    Some(width.saturating_sub(2))
}

fn type_width(ty: &LuauType) -> usize {
    match ty {
        LuauType::Name(name, args) => name.len() + args.iter().map(|arg| type_width(arg) + 2).sum::<usize>(),
        LuauType::Text(text) => text.len() + 2,
        LuauType::Optional(inner) => type_width(inner) + 1,
        LuauType::Union(members) => members.iter().map(|member| type_width(member) + 3).sum::<usize>(),
        LuauType::Array(element) => type_width(element) + 4,
        LuauType::Map(key, value) => type_width(key) + type_width(value) + 8,
        LuauType::Table(fields) => {
            4 + fields.iter().map(|(key, value)| key.len() + type_width(value) + 4).sum::<usize>()
        }
        LuauType::Function(params, returns) => {
            let named: usize = params
                .iter()
                .map(|(name, ty)| name.as_ref().map_or(0, |name| name.len() + 2) + type_width(ty) + 2)
                .sum();
            named + returns.iter().map(|ty| type_width(ty) + 2).sum::<usize>() + 8
        }
        LuauType::Variadic(inner) => type_width(inner) + 3,
        LuauType::Typeof(_) => 20,
    }
}

#[cfg(test)]
mod tests {
    use super::super::ast::*;
    use super::*;

    fn expr_text(value: Expr) -> String {
        print(&block(|b| {
            b.ret([value]);
        }))
    }

    #[test]
    fn parentheses_stand_only_where_the_grammar_needs_them() {
        let sum = binary(name("a"), BinaryOp::Sub, binary(name("b"), BinaryOp::Sub, name("c")));
        assert_eq!(expr_text(sum), "return a - (b - c)\n");
        let product = mul(binary(name("a"), BinaryOp::Add, name("b")), name("c"));
        assert_eq!(expr_text(product), "return (a + b) * c\n");
        assert_eq!(expr_text(not(eq(name("a"), name("b")))), "return not (a == b)\n");
        assert_eq!(expr_text(mul(name("a"), num(-1.5))), "return a * -1.5\n");
    }

    #[test]
    fn constants_gather_on_the_right() {
        let sum = add(add(add(name("a"), num(1)), name("b")), num(2));
        assert_eq!(expr_text(sum), "return a + b + 3\n");
        assert_eq!(expr_text(add(num(0), name("a"))), "return a\n");
    }

    #[test]
    fn keys_that_are_no_names_are_quoted() {
        let table =
            Expr::Table(vec![Entry::Named("end".into(), num(1)), Entry::Named("Use \"it\"".into(), num(2))]);
        assert_eq!(expr_text(table), "return { [\"end\"] = 1, [\"Use \\\"it\\\"\"] = 2 }\n");
    }

    #[test]
    fn long_tables_break_one_entry_a_line() {
        let entries = (0..12).map(|place| Entry::Named(format!("LongName{place}"), num(place))).collect();
        let text = expr_text(Expr::Table(entries));
        assert!(text.starts_with("return {\n\tLongName0 = 0,\n"));
        assert!(text.ends_with("\tLongName11 = 11,\n}\n"));
    }
}
