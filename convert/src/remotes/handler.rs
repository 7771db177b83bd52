//! A function that handles a remote: what it takes, by its annotations and checks, and what it gives back.

use std::collections::BTreeMap;

use blinkblox_emulator::syntax::{first_text, literal, text};
use full_moon::ast::luau::TypeInfo;
use full_moon::ast::{
    AnonymousFunction, BinOp, Call, Expression, FunctionArgs, FunctionBody, FunctionCall, LocalFunction,
    Parameter, Prefix, Return, Suffix, Var,
};
use full_moon::visitors::{Visit, Visitor};

use super::hints::{Aliases, annotated, named, valued};
use crate::draft::Ty;

/// A value that travels: what it is called, and what is known of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Slot {
    pub(super) name: Option<String>,
    pub(super) ty: Option<Ty>,
}

/// A function that may handle a remote: its parameters and what it returns.
#[derive(Clone, Default)]
pub(super) struct Handler {
    pub(super) parameters: Vec<Slot>,
    pub(super) returns: Vec<Slot>,
}

impl Handler {
    /// The handler that a function with this body is.
    pub(super) fn of(body: &FunctionBody, aliases: &Aliases) -> Handler {
        let checks = Checks::of(body);
        let mut parameters = Vec::new();
        for (parameter, specifier) in body.parameters().iter().zip(body.type_specifiers()) {
            let Parameter::Name(name) = parameter else { continue };
            let name = text(name);
            let annotation = specifier.and_then(|one| annotated(one.type_info(), aliases, 0));
            let ty = annotation.or_else(|| checks.0.get(&name).cloned());
            parameters.push(Slot { name: Some(name), ty });
        }
        let returns = match body.return_type().map(full_moon::ast::luau::TypeSpecifier::type_info) {
            Some(TypeInfo::Tuple { types, .. }) => types.iter().map(|one| returned(one, aliases)).collect(),
            Some(info) => vec![returned(info, aliases)],
            None => Returns::of(body),
        };
        Handler { parameters, returns }
    }
}

fn returned(info: &TypeInfo, aliases: &Aliases) -> Slot {
    Slot { name: None, ty: annotated(info, aliases, 0) }
}

/// What a function checks its values to be, by name: `typeof(x) == "string"`, `x:IsA("Model")`.
#[derive(Default)]
struct Checks(BTreeMap<String, Ty>);

impl Checks {
    fn of(body: &FunctionBody) -> Checks {
        let mut checks = Checks::default();
        body.block().stmts().for_each(|statement| {
            statement.visit(&mut checks);
        });
        checks
    }
}

impl Visitor for Checks {
    fn visit_expression(&mut self, node: &Expression) {
        let Expression::BinaryOperator { lhs, binop: BinOp::TwoEqual(_) | BinOp::TildeEqual(_), rhs } = node
        else {
            return;
        };
        let (Expression::FunctionCall(call), Some(kind)) = (&**lhs, literal(rhs)) else { return };
        let Prefix::Name(function) = call.prefix() else { return };
        if !matches!(text(function).as_str(), "type" | "typeof") {
            return;
        }
        if let Some(Suffix::Call(Call::AnonymousCall(args))) = call.suffixes().next()
            && let FunctionArgs::Parentheses { arguments, .. } = &**args
            && let Some(Expression::Var(Var::Name(name))) = arguments.iter().next()
            && let Some(ty) = named(&kind)
        {
            self.0.entry(text(name)).or_insert(ty);
        }
    }

    fn visit_function_call(&mut self, node: &FunctionCall) {
        let Prefix::Name(name) = node.prefix() else { return };
        if let Some(Suffix::Call(Call::MethodCall(call))) = node.suffixes().next()
            && text(call.name()) == "IsA"
            && let Some(class) = first_text(call.args())
            && let Some(ty) = named(&class)
        {
            // A class says more than that it is an instance.
            self.0.insert(text(name), ty);
        }
    }
}

/// What the `return`s of a function give, those of functions inside it left out.
#[derive(Default)]
struct Returns {
    depth: usize,
    found: Vec<Slot>,
}

impl Returns {
    fn of(body: &FunctionBody) -> Vec<Slot> {
        let mut returns = Returns::default();
        body.block().visit(&mut returns);
        returns.found
    }
}

impl Visitor for Returns {
    fn visit_anonymous_function(&mut self, _: &AnonymousFunction) {
        self.depth += 1;
    }

    fn visit_anonymous_function_end(&mut self, _: &AnonymousFunction) {
        self.depth -= 1;
    }

    fn visit_local_function(&mut self, _: &LocalFunction) {
        self.depth += 1;
    }

    fn visit_local_function_end(&mut self, _: &LocalFunction) {
        self.depth -= 1;
    }

    fn visit_return(&mut self, node: &Return) {
        if self.depth > 0 {
            return;
        }
        for (at, value) in node.returns().iter().enumerate() {
            if self.found.len() <= at {
                self.found.push(Slot::default());
            }
            if let Some(slot) = self.found.get_mut(at).filter(|slot| slot.ty.is_none()) {
                slot.ty = valued(value, 0);
            }
        }
    }
}
