//! A syntax tree of the Luau that generated modules consist of, and short constructors for its nodes.
//!
//! It holds what the emitters need and no more. A module is tens of thousands of nodes, and most of them are small: what
//! is large and rare is boxed, so that it does not make the others large. Text comes only from [`super::print`]; nothing else puts pieces of
//! source together. Start at [`Stat`] and [`Expr`].

use std::sync::Arc;

use smol_str::SmolStr;

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// In order.
    pub stats: Vec<Stat>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stat {
    /// `-- text`, a line each.
    Comment(String),
    /// An empty line.
    Blank,
    /// `local a: T, b = x, y`
    Local(Vec<Param>, Vec<Expr>),
    /// `a, b = x, y`
    Assign(Vec<Expr>, Vec<Expr>),
    /// `a += x`
    Compound(Box<Expr>, BinaryOp, Box<Expr>),
    /// A call for its effect.
    Call(Expr),
    /// `if a then .. elseif b then .. else .. end`
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `while a do .. end`
    While(Box<Expr>, Block),
    /// `repeat .. until a`
    Repeat(Block, Box<Expr>),
    /// `for i = a, b do .. end`
    Count(Box<Count>),
    /// `for a, b in x do .. end`
    Each(Box<Each>),
    /// `do .. end`
    Do(Block),
    /// `return a, b`
    Return(Vec<Expr>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `local function name(..) .. end`
    Function(String, Box<Function>),
    /// `type Name = T`, exported or not.
    TypeAlias(Box<TypeAlias>),
    /// Lines of a module of the runtime library, already printed from its own tree.
    Source(Arc<str>),
}

impl Stat {
    /// Locals it declares in the block it stands in.
    pub fn locals(&self) -> usize {
        match self {
            Stat::Local(params, _) => params.len(),
            Stat::Function(..) => 1,
            Stat::Comment(_)
            | Stat::Blank
            | Stat::Assign(..)
            | Stat::Compound(..)
            | Stat::Call(_)
            | Stat::If(..)
            | Stat::While(..)
            | Stat::Repeat(..)
            | Stat::Count(..)
            | Stat::Each(..)
            | Stat::Do(_)
            | Stat::Return(_)
            | Stat::Break
            | Stat::Continue
            | Stat::TypeAlias(_)
            | Stat::Source(_) => 0,
        }
    }

    /// The blocks in it, in their order; not the body of a function, which is one of its own.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let (arms, last): (&[(Expr, Block)], Option<&Block>) = match self {
            Stat::If(arms, otherwise) => (arms, otherwise.as_ref()),
            Stat::While(_, body) | Stat::Repeat(body, _) | Stat::Do(body) => (&[], Some(body)),
            Stat::Count(count) => (&[], Some(&count.body)),
            Stat::Each(each) => (&[], Some(&each.body)),
            Stat::Comment(_)
            | Stat::Blank
            | Stat::Local(..)
            | Stat::Assign(..)
            | Stat::Compound(..)
            | Stat::Call(_)
            | Stat::Return(_)
            | Stat::Break
            | Stat::Continue
            | Stat::Function(..)
            | Stat::TypeAlias(_)
            | Stat::Source(_) => (&[], None),
        };
        arms.iter().map(|(_, body)| body).chain(last)
    }

    /// The same, to change them.
    pub fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        let (arms, last): (&mut [(Expr, Block)], Option<&mut Block>) = match self {
            Stat::If(arms, otherwise) => (arms, otherwise.as_mut()),
            Stat::While(_, body) | Stat::Repeat(body, _) | Stat::Do(body) => (&mut [], Some(body)),
            Stat::Count(count) => (&mut [], Some(&mut count.body)),
            Stat::Each(each) => (&mut [], Some(&mut each.body)),
            Stat::Comment(_)
            | Stat::Blank
            | Stat::Local(..)
            | Stat::Assign(..)
            | Stat::Compound(..)
            | Stat::Call(_)
            | Stat::Return(_)
            | Stat::Break
            | Stat::Continue
            | Stat::Function(..)
            | Stat::TypeAlias(_)
            | Stat::Source(_) => (&mut [], None),
        };
        arms.iter_mut().map(|(_, body)| body).chain(last)
    }
}

/// A loop over numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// What each is called.
    pub variable: String,
    /// The first.
    pub from: Expr,
    /// The last.
    pub to: Expr,
    /// From one to the next, when that is not 1.
    pub step: Option<Expr>,
    /// What is done with each.
    pub body: Block,
}

/// A loop over what an iterator gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// What the values are called.
    pub names: Vec<String>,
    /// The iterator.
    pub values: Vec<Expr>,
    /// What is done with them.
    pub body: Block,
}

/// A type under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeAlias {
    /// Whether it is exported.
    pub export: bool,
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub generics: Vec<String>,
    /// What it means.
    pub ty: LuauType,
}

/// A name with an optional annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name.
    pub name: SmolStr,
    /// The annotation.
    pub ty: Option<Box<LuauType>>,
}

/// A function's parameters, result and body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// In order.
    pub params: Vec<Param>,
    /// Type of `...`, when the function takes any number of arguments.
    pub varargs: Option<LuauType>,
    /// The annotated result; `Some(vec![])` is `()`.
    pub returns: Option<Vec<LuauType>>,
    /// What it does.
    pub body: Block,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// `nil`
    Nil,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(SmolStr),
    /// A variable.
    Name(SmolStr),
    /// `a.b.c`: a variable and fields whose names are known, as one text.
    Path(SmolStr),
    /// `...`
    Varargs,
    /// An expression as the schema's author wrote it.
    Verbatim(String),
    /// `a.b`, or `a["b"]` when `b` is no name.
    Field(Box<Expr>, SmolStr),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(..)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a:f(..)`
    Method(Box<Method>),
    /// `not a`, `-a`, `#a`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`
    Binary(Box<Expr>, BinaryOp, Box<Expr>),
    /// `function(..) .. end`
    Function(Box<Function>),
    /// `{ .. }`
    Table(Vec<Entry>),
    /// `if a then b elseif c then d else e`
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// `a :: T`
    Cast(Box<Expr>, Box<LuauType>),
}

/// A call of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// Whose it is.
    pub object: Expr,
    /// Its name.
    pub key: SmolStr,
    /// What it is given.
    pub args: Vec<Expr>,
}

/// An entry of a table constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// `value`
    Item(Expr),
    /// `name = value`, or `["name"] = value`.
    Named(String, Expr),
    /// `[key] = value`
    Keyed(Expr, Expr),
    /// `-- text` on a line of its own in front of the next entry.
    Comment(String),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `not`
    Not,
    /// `-`
    Negate,
    /// `#`
    Length,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as the operator is")]
pub enum BinaryOp {
    Or,
    And,
    Lt,
    Gt,
    Le,
    Ge,
    Ne,
    Eq,
    Concat,
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum LuauType {
    /// `Name` or `Name<A, B>`
    Name(SmolStr, Vec<LuauType>),
    /// `"text"`
    Text(SmolStr),
    /// `T?`
    Optional(Box<LuauType>),
    /// `A | B`
    Union(Vec<LuauType>),
    /// `{ T }`
    Array(Box<LuauType>),
    /// `{ [K]: V }`
    Map(Box<LuauType>, Box<LuauType>),
    /// `{ a: A, b: B }`
    Table(Vec<(String, LuauType)>),
    /// `(a: A, B) -> (C, D)`
    Function(Vec<(Option<String>, LuauType)>, Vec<LuauType>),
    /// `(a: A, ...T) -> ...T`: a callback of any arguments.
    Variadic(Box<LuauType>),
    /// `typeof(x)`
    Typeof(Box<Expr>),
}

/// `name`
pub fn name(text: impl Into<SmolStr>) -> Expr {
    Expr::Name(text.into())
}

/// `a.b.c` from its dotted text, whose parts are all names.
pub fn path(dotted: impl Into<SmolStr>) -> Expr {
    let dotted = dotted.into();
    if dotted.contains('.') { Expr::Path(dotted) } else { Expr::Name(dotted) }
}

/// A number.
pub fn num(value: impl Into<f64>) -> Expr {
    Expr::Number(value.into())
}

/// A count of bytes or elements as a number.
pub fn size(value: u64) -> Expr {
    Expr::Number(value as f64)
}

/// A string.
pub fn text(value: impl Into<SmolStr>) -> Expr {
    Expr::Text(value.into())
}

/// `object.key`
pub fn field(object: Expr, key: impl Into<SmolStr>) -> Expr {
    Expr::Field(Box::new(object), key.into())
}

/// `object[key]`
pub fn index(object: Expr, key: Expr) -> Expr {
    Expr::Index(Box::new(object), Box::new(key))
}

/// `a.b.c(..)` from the dotted text of what is called.
pub fn call(dotted: &str, args: impl IntoIterator<Item = Expr>) -> Expr {
    apply(path(dotted), args)
}

/// `callee(..)`
pub fn apply(callee: Expr, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Call(Box::new(callee), args.into_iter().collect())
}

/// `object:key(..)`
pub fn method(object: Expr, key: &str, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Method(Box::new(Method { object, key: key.into(), args: args.into_iter().collect() }))
}

/// `a op b`
pub fn binary(left: Expr, op: BinaryOp, right: Expr) -> Expr {
    Expr::Binary(Box::new(left), op, Box::new(right))
}

/// `a + b`, without an addition of nothing, constants gathered on the right.
pub fn add(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (left, Expr::Number(0.0)) => left,
        (Expr::Number(0.0), right) => right,
        (Expr::Number(a), Expr::Number(b)) => Expr::Number(a + b),
        (Expr::Number(a), right) => add(right, Expr::Number(a)),
        (Expr::Binary(inner, BinaryOp::Add, constant), Expr::Number(b)) => match *constant {
            Expr::Number(a) => add(*inner, Expr::Number(a + b)),
            constant => binary(binary(*inner, BinaryOp::Add, constant), BinaryOp::Add, Expr::Number(b)),
        },
        (Expr::Binary(inner, BinaryOp::Add, constant), right) => match *constant {
            Expr::Number(a) => add(add(*inner, right), Expr::Number(a)),
            constant => binary(binary(*inner, BinaryOp::Add, constant), BinaryOp::Add, right),
        },
        (left, right) => binary(left, BinaryOp::Add, right),
    }
}

/// `a - b`
pub fn sub(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (left, Expr::Number(0.0)) => left,
        (Expr::Number(a), Expr::Number(b)) => Expr::Number(a - b),
        (left, Expr::Number(b)) if b < 0.0 => add(left, Expr::Number(-b)),
        (left, right) => binary(left, BinaryOp::Sub, right),
    }
}

/// `a * b`, without a multiplication by one.
pub fn mul(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (left, Expr::Number(1.0)) => left,
        (Expr::Number(1.0), right) => right,
        (Expr::Number(a), Expr::Number(b)) => Expr::Number(a * b),
        (left, right) => binary(left, BinaryOp::Mul, right),
    }
}

/// `a and b`
pub fn and(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::And, right)
}

/// `a or b`
pub fn or(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Or, right)
}

/// `not a`
pub fn not(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Not, Box::new(value))
}

/// `#a`
pub fn len(value: Expr) -> Expr {
    Expr::Unary(UnaryOp::Length, Box::new(value))
}

/// `a == b`
pub fn eq(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Eq, right)
}

/// `a ~= b`
pub fn ne(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Ne, right)
}

/// `a > b`
pub fn gt(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Gt, right)
}

/// `a < b`
pub fn lt(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Lt, right)
}

/// `a >= b`
pub fn ge(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Ge, right)
}

/// `a <= b`
pub fn le(left: Expr, right: Expr) -> Expr {
    binary(left, BinaryOp::Le, right)
}

/// `if condition then yes else no`
pub fn choose(condition: Expr, yes: Expr, no: Expr) -> Expr {
    Expr::If(vec![(condition, yes)], Box::new(no))
}

/// `value :: ty`
pub fn cast(value: Expr, ty: LuauType) -> Expr {
    Expr::Cast(Box::new(value), Box::new(ty))
}

/// `function(..) .. end` as a value.
pub fn lambda(function: Function) -> Expr {
    Expr::Function(Box::new(function))
}

/// A type by its name.
pub fn ty(name: impl Into<SmolStr>) -> LuauType {
    LuauType::Name(name.into(), Vec::new())
}

/// `T?`
pub fn optional(inner: LuauType) -> LuauType {
    match inner {
        LuauType::Optional(_) => inner,
        inner => LuauType::Optional(Box::new(inner)),
    }
}

/// `{ T }`
pub fn array(element: LuauType) -> LuauType {
    LuauType::Array(Box::new(element))
}

/// A parameter or local with an annotation.
pub fn param(name: impl Into<SmolStr>, ty: LuauType) -> Param {
    Param { name: name.into(), ty: Some(Box::new(ty)) }
}

/// A parameter or local without one.
pub fn bare(name: impl Into<SmolStr>) -> Param {
    Param { name: name.into(), ty: None }
}

impl Function {
    /// A function with these parameters and an empty body that returns nothing.
    pub fn new(params: Vec<Param>, body: Block) -> Self {
        Function { params, varargs: None, returns: Some(Vec::new()), body }
    }

    /// The same with an annotated result.
    pub fn returning(mut self, returns: Vec<LuauType>) -> Self {
        self.returns = Some(returns);
        self
    }
}

impl Block {
    /// A block without statements.
    pub fn new() -> Self {
        Block::default()
    }

    /// Appends a statement.
    pub fn push(&mut self, stat: Stat) -> &mut Self {
        self.stats.push(stat);
        self
    }

    /// Appends statements.
    pub fn extend(&mut self, stats: impl IntoIterator<Item = Stat>) -> &mut Self {
        self.stats.extend(stats);
        self
    }

    /// Appends another block's statements.
    pub fn append(&mut self, other: Block) -> &mut Self {
        self.stats.extend(other.stats);
        self
    }

    /// `do body end`
    pub fn scope(&mut self, body: Block) -> &mut Self {
        self.push(Stat::Do(body))
    }

    /// Locals declared by its own statements from the one at `first` on, nested blocks aside.
    pub fn locals_from(&self, first: usize) -> usize {
        self.stats[first..].iter().map(Stat::locals).sum()
    }

    /// Whether it holds no statement.
    pub fn is_empty(&self) -> bool {
        self.stats.is_empty()
    }

    /// `local name = value`
    pub fn local(&mut self, name: impl Into<SmolStr>, value: Expr) -> &mut Self {
        self.push(Stat::Local(vec![bare(name)], vec![value]))
    }

    /// `local name: ty = value`, or `local name = { .. } :: ty`: a table that a local's type is pushed into costs the
    /// checker some of what it can infer in a module, and a cast does not.
    pub fn local_typed(&mut self, name: impl Into<SmolStr>, ty: LuauType, value: Expr) -> &mut Self {
        if matches!(&value, Expr::Table(entries) if !entries.is_empty()) {
            return self.local(name, cast(value, ty));
        }
        self.push(Stat::Local(vec![param(name, ty)], vec![value]))
    }

    /// `local name: ty`
    pub fn declare(&mut self, name: impl Into<SmolStr>, ty: LuauType) -> &mut Self {
        self.push(Stat::Local(vec![param(name, ty)], Vec::new()))
    }

    /// `target = value`
    pub fn assign(&mut self, target: Expr, value: Expr) -> &mut Self {
        self.push(Stat::Assign(vec![target], vec![value]))
    }

    /// `target += value`, nothing when the value is zero.
    pub fn bump(&mut self, target: Expr, value: Expr) -> &mut Self {
        if value == Expr::Number(0.0) {
            return self;
        }
        self.push(compound(target, BinaryOp::Add, value))
    }

    /// A call by the dotted text of what is called.
    pub fn call(&mut self, dotted: &str, args: impl IntoIterator<Item = Expr>) -> &mut Self {
        self.push(Stat::Call(call(dotted, args)))
    }

    /// `if condition then .. end`
    pub fn when(&mut self, condition: Expr, body: Block) -> &mut Self {
        self.push(Stat::If(vec![(condition, body)], None))
    }

    /// `if condition then .. else .. end`
    pub fn when_else(&mut self, condition: Expr, yes: Block, no: Block) -> &mut Self {
        self.push(Stat::If(vec![(condition, yes)], Some(no)))
    }

    /// `return ..`
    pub fn ret(&mut self, values: impl IntoIterator<Item = Expr>) -> &mut Self {
        self.push(Stat::Return(values.into_iter().collect()))
    }

    /// `-- text`
    pub fn comment(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Stat::Comment(text.into()))
    }

    /// An empty line.
    pub fn blank(&mut self) -> &mut Self {
        self.push(Stat::Blank)
    }

    /// `local function name(..) .. end`
    pub fn function(&mut self, name: impl Into<String>, function: Function) -> &mut Self {
        self.push(local_function(name, function))
    }
}

/// `target += value` and its like.
pub fn compound(target: Expr, op: BinaryOp, value: Expr) -> Stat {
    Stat::Compound(Box::new(target), op, Box::new(value))
}

/// `while condition do .. end`
pub fn while_loop(condition: Expr, body: Block) -> Stat {
    Stat::While(Box::new(condition), body)
}

/// `for variable = from, to do .. end`
pub fn count_loop(variable: impl Into<String>, from: Expr, to: Expr, body: Block) -> Stat {
    Stat::Count(Box::new(Count { variable: variable.into(), from, to, step: None, body }))
}

/// `for a, b in values do .. end`
pub fn each_loop(names: Vec<String>, values: Vec<Expr>, body: Block) -> Stat {
    Stat::Each(Box::new(Each { names, values, body }))
}

/// `local function name(..) .. end`
pub fn local_function(name: impl Into<String>, function: Function) -> Stat {
    Stat::Function(name.into(), Box::new(function))
}

/// Builds a block in place.
pub fn block(build: impl FnOnce(&mut Block)) -> Block {
    let mut block = Block::new();
    build(&mut block);
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Modules are made of many small nodes, and a block makes room for four statements: what is rare is boxed.
    #[test]
    fn nodes_are_small() {
        assert!(size_of::<Stat>() <= 56, "{}", size_of::<Stat>());
        assert!(size_of::<Expr>() <= 40, "{}", size_of::<Expr>());
        assert!(size_of::<Param>() <= 32, "{}", size_of::<Param>());
    }
}
