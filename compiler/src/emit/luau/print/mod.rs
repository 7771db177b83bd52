//! Prints the tree: tabs, at most 110 columns where a break is possible, the same text for the same tree.
//!
//! Tables, argument lists and chains of one operator are written on one line when they fit and with an item a line
//! when they do not. Parentheses stand only where the grammar needs them.

mod exprs;
mod measure;
mod types;

use std::fmt::Write;

use super::ast::{BinaryOp, Block, Count, Each, Expr, Function, Param, Stat, TypeAlias};
use super::locals;
use measure::type_width;

const WIDTH: usize = 110;
const TAB: usize = 4;

/// Bytes of a module that is mostly runtime parts.
const PARTS: usize = 1 << 16;

/// Text of a whole module.
pub fn print(block: &Block) -> String {
    print_expecting(block, 0)
}

/// The same with room for some bytes beside the runtime parts: a large text that outgrows its room is copied, to memory
/// that the system has to clear first.
pub fn print_expecting(block: &Block, bytes: usize) -> String {
    let mut printer = Printer { out: String::with_capacity(PARTS + bytes), depth: 0, column: 0 };
    printer.block(block);
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
    column: usize,
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
    if let Some(whole) = integer(value) {
        return whole.to_string();
    }
    let plain = format!("{value}");
    if plain.len() <= 24 { plain } else { format!("{value:e}") }
}

/// Columns of [`number`].
fn number_width(value: f64) -> usize {
    match integer(value) {
        Some(whole) => {
            whole.unsigned_abs().checked_ilog10().unwrap_or(0) as usize + 1 + usize::from(whole < 0)
        }
        None => number(value).len(),
    }
}

/// The number as an integer, when it is written as one.
fn integer(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e9 && (value != 0.0 || value.is_sign_positive());
    is_whole.then_some(value as i64)
}

/// Columns of [`quoted`].
fn quoted_width(value: &str) -> usize {
    if is_plain(value) { value.len() + 2 } else { quoted(value).chars().count() }
}

/// Whether a text stands in quotes as it is.
fn is_plain(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
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

impl Printer {
    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += if text.is_ascii() { text.len() } else { text.chars().count() };
    }

    /// A string literal.
    fn quote(&mut self, value: &str) {
        if is_plain(value) {
            self.out.push('"');
            self.out.push_str(value);
            self.out.push('"');
            self.column += value.len() + 2;
        } else {
            self.write(&quoted(value));
        }
    }

    /// A number that stands by itself, below no operator.
    fn number(&mut self, value: f64) {
        match integer(value) {
            Some(whole) => {
                let before = self.out.len();
                write!(self.out, "{whole}").expect("writing to a string does not fail");
                self.column += self.out.len() - before;
            }
            None => self.write(&number(value)),
        }
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
            Stat::Source(text) if self.depth == 0 => {
                self.out.push_str(text);
                self.out.push('\n');
                return;
            }
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
            Stat::Count(counted) => {
                let Count { variable, from, to, step, body } = &**counted;
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
            Stat::Each(each) => {
                let Each { names, values, body } = &**each;
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
            Stat::TypeAlias(alias) => {
                let TypeAlias { export, name, generics, ty } = &**alias;
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
        let relieved = locals::relieved(function);
        let function = relieved.as_ref().unwrap_or(function);
        self.write("(");
        let width: usize = function
            .params
            .iter()
            .map(|param| param.name.len() + 4 + param.ty.as_ref().map_or(0, |ty| type_width(ty)))
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
}

#[cfg(test)]
mod tests {
    use super::super::ast::*;
    use super::*;

    #[test]
    fn widths_are_those_of_the_text() {
        for value in
            [0.0, -0.0, 1.0, -1.0, 9.0, 10.0, 99.0, -100.0, 999_999_999.0, 1e9, 0.5, -2.25, 1e300, f64::NAN]
        {
            assert_eq!(number_width(value), number(value).len(), "{value}");
        }
        for value in ["", "plain", "a \"b\"", "back\\slash", "line\nbreak", "\u{1}", "\u{7f}", "größe", "~ "]
        {
            assert_eq!(quoted_width(value), quoted(value).chars().count(), "{value:?}");
        }
    }

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
