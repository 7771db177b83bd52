//! Reading one script: the remotes it makes, and where remotes are fired, called and heard.

use std::collections::BTreeMap;

use blinkblox_emulator::syntax::{first_text, literal, text, with_tree};
use full_moon::ast::luau::{ExportedTypeDeclaration, TypeDeclaration};
use full_moon::ast::{
    Assignment, Ast, Call, Expression, FunctionArgs, FunctionBody, FunctionCall, FunctionDeclaration,
    GenericFor, Index, LocalAssignment, LocalFunction, Parameter, Prefix, Suffix, Var,
};
use full_moon::node::Node;
use full_moon::visitors::Visitor;

use super::handler::{Handler, Slot};
use super::hints::{Aliases, valued};
use crate::draft::Ty;

/// What a script does with a remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    FireServer,
    FireClient,
    InvokeServer,
    InvokeClient,
    OnServerEvent,
    OnClientEvent,
    OnServerInvoke,
    OnClientInvoke,
}

impl Action {
    fn called(name: &str) -> Option<Action> {
        Some(match name {
            "FireServer" => Action::FireServer,
            "FireClient" | "FireAllClients" => Action::FireClient,
            "InvokeServer" => Action::InvokeServer,
            "InvokeClient" => Action::InvokeClient,
            _ => return None,
        })
    }

    fn heard(name: &str) -> Option<Action> {
        Some(match name {
            "OnServerEvent" => Action::OnServerEvent,
            "OnClientEvent" => Action::OnClientEvent,
            "OnServerInvoke" => Action::OnServerInvoke,
            "OnClientInvoke" => Action::OnClientInvoke,
            _ => return None,
        })
    }

    /// As scripts write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::FireServer => "FireServer",
            Action::FireClient => "FireClient",
            Action::InvokeServer => "InvokeServer",
            Action::InvokeClient => "InvokeClient",
            Action::OnServerEvent => "OnServerEvent",
            Action::OnClientEvent => "OnClientEvent",
            Action::OnServerInvoke => "OnServerInvoke",
            Action::OnClientInvoke => "OnClientInvoke",
        }
    }
}

/// Which remote a place is about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// By its name; sure when the script says where it is.
    Named(String, bool),
    /// One that the script makes, by its number.
    Made(usize),
    /// An expression that does not say.
    Unknown,
}

/// A place where a remote is used.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) target: Target,
    pub(super) action: Action,
    /// What is sent, the player left out; none when a listener does not say.
    pub(super) values: Vec<Slot>,
    /// What a handler gives back; none when it is not known.
    pub(super) returns: Option<Vec<Slot>>,
    pub(super) line: usize,
}

/// A remote that a script makes.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) class: String,
    /// `None` when it is computed.
    pub(super) name: Option<String>,
    pub(super) line: usize,
}

/// What a script gave.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) sites: Vec<Site>,
    pub(super) made: Vec<Made>,
}

/// Reads a script. Errors: why it cannot be read.
pub(super) fn read(source: &str) -> Result<Script, String> {
    with_tree(source, read_tree)
}

fn read_tree(ast: &Ast) -> Script {
    let mut aliases = AliasReader::default();
    aliases.visit_ast(ast);
    let mut reader = Reader {
        aliases: aliases.0,
        variables: BTreeMap::new(),
        outer: vec![],
        functions: BTreeMap::new(),
        script: Script::default(),
    };
    reader.visit_ast(ast);
    reader.script
}

#[derive(Default)]
struct AliasReader(Aliases);

impl Visitor for AliasReader {
    fn visit_type_declaration(&mut self, node: &TypeDeclaration) {
        // A generic alias says nothing without its arguments.
        if node.generics().is_none() {
            self.0.insert(text(node.type_name()), node.type_definition().clone());
        }
    }

    fn visit_exported_type_declaration(&mut self, node: &ExportedTypeDeclaration) {
        self.visit_type_declaration(node.type_declaration());
    }
}

struct Reader {
    aliases: Aliases,
    variables: BTreeMap<String, Target>,
    /// Variables of the functions around.
    outer: Vec<BTreeMap<String, Target>>,
    functions: BTreeMap<String, Handler>,
    script: Script,
}

/// Names that lead to instances by themselves.
const ROOTS: &[&str] = &["game", "workspace", "script"];

impl Reader {
    /// What an expression leads to.
    fn target(&mut self, expression: &Expression) -> Target {
        match expression {
            Expression::Parentheses { expression, .. } | Expression::TypeAssertion { expression, .. } => {
                self.target(expression)
            }
            Expression::Var(Var::Name(name)) => self.variable(&text(name)),
            Expression::Var(Var::Expression(var)) => {
                self.chain(var.prefix(), &var.suffixes().collect::<Vec<_>>())
            }
            Expression::FunctionCall(call) => self.chain(call.prefix(), &call.suffixes().collect::<Vec<_>>()),
            _ => Target::Unknown,
        }
    }

    fn variable(&self, name: &str) -> Target {
        match self.variables.get(name) {
            Some(target) => target.clone(),
            None => Target::Named(name.to_string(), ROOTS.contains(&name)),
        }
    }

    fn chain(&mut self, prefix: &Prefix, suffixes: &[&Suffix]) -> Target {
        let mut at = match prefix {
            Prefix::Name(name) => self.variable(&text(name)),
            Prefix::Expression(expression) => self.target(expression),
            _ => Target::Unknown,
        };
        for suffix in suffixes {
            let sure = matches!(at, Target::Named(_, true));
            at = match suffix {
                Suffix::Index(Index::Dot { name, .. }) => Target::Named(text(name), sure),
                Suffix::Index(Index::Brackets { expression, .. }) => match literal(expression) {
                    Some(name) => Target::Named(name, sure),
                    None => Target::Unknown,
                },
                Suffix::Call(Call::MethodCall(call)) => {
                    match (text(call.name()).as_str(), first_text(call.args())) {
                        ("WaitForChild" | "FindFirstChild" | "GetService", Some(name)) => {
                            Target::Named(name, true)
                        }
                        _ => Target::Unknown,
                    }
                }
                Suffix::Call(Call::AnonymousCall(args)) => match at {
                    Target::Named(ref name, _) if name == "new" => self.made(args),
                    _ => Target::Unknown,
                },
                _ => at,
            };
        }
        at
    }

    /// `Instance.new("RemoteEvent")`, and anything else called `new`.
    fn made(&mut self, args: &FunctionArgs) -> Target {
        let Some(class) = first_text(args).filter(|class| super::is_remote(class)) else {
            return Target::Unknown;
        };
        let line = args.start_position().map_or(1, |position| position.line());
        // The same call is met again when its own expression is visited.
        let known = self.script.made.iter().position(|made| made.line == line && made.class == class);
        Target::Made(known.unwrap_or_else(|| {
            self.script.made.push(Made { name: Some(class.clone()), class, line });
            self.script.made.len() - 1
        }))
    }

    fn site(
        &mut self,
        target: Target,
        action: Action,
        line: usize,
        values: Vec<Slot>,
        returns: Option<Vec<Slot>>,
    ) {
        self.script.sites.push(Site { target, action, values, returns, line });
    }

    /// What a call sends.
    fn sent(&self, args: &FunctionArgs) -> Vec<Slot> {
        match args {
            FunctionArgs::Parentheses { arguments, .. } => {
                arguments.iter().map(|one| self.slot(one)).collect()
            }
            FunctionArgs::String(_) => vec![Slot { name: None, ty: Some(Ty::Text("string", None)) }],
            FunctionArgs::TableConstructor(table) => {
                let ty = valued(&Expression::TableConstructor(table.clone()), 0);
                vec![Slot { name: None, ty }]
            }
            _ => vec![],
        }
    }

    fn slot(&self, expression: &Expression) -> Slot {
        let ty = valued(expression, 0);
        let name = match expression {
            // `Enum.Material.Ice` names the item, not what is sent.
            _ if ty.is_some() => None,
            Expression::Var(Var::Name(name)) => Some(text(name)),
            Expression::Var(Var::Expression(var)) => match var.suffixes().last() {
                Some(Suffix::Index(Index::Dot { name, .. })) => Some(text(name)),
                _ => None,
            },
            _ => None,
        };
        Slot { name, ty }
    }

    /// What a listener or handler says, the player of a server's left out.
    fn heard(&mut self, target: Target, action: Action, line: usize, handler: Option<&Expression>) {
        let found = handler.and_then(|handler| self.handler(handler)).unwrap_or_default();
        self.note(target, action, line, found);
    }

    fn note(&mut self, target: Target, action: Action, line: usize, handler: Handler) {
        let on_server = matches!(action, Action::OnServerEvent | Action::OnServerInvoke);
        let mut values = handler.parameters;
        if on_server && !values.is_empty() {
            values.remove(0);
        }
        let invoked = matches!(action, Action::OnServerInvoke | Action::OnClientInvoke);
        self.site(target, action, line, values, invoked.then_some(handler.returns));
    }

    fn handler(&self, expression: &Expression) -> Option<Handler> {
        match expression {
            Expression::Function(function) => Some(Handler::of(function.body(), &self.aliases)),
            Expression::Parentheses { expression, .. } => self.handler(expression),
            Expression::Var(var) => self.functions.get(&written(&var.to_string())).cloned(),
            _ => None,
        }
    }

    /// Notes what a name or a path stands for from here on.
    fn assign(&mut self, name: &str, value: &Expression) {
        if let Expression::Function(function) = value {
            let handler = Handler::of(function.body(), &self.aliases);
            self.functions.insert(name.to_string(), handler);
        }
        if !name.contains('.') {
            let target = self.target(value);
            self.variables.insert(name.to_string(), target);
        }
    }

    /// `remote.Name = "Chat"`
    fn name_made(&mut self, variable: &str, value: &Expression) {
        if let Some(Target::Made(number)) = self.variables.get(variable)
            && let Some(made) = self.script.made.get_mut(*number)
        {
            made.name = literal(value);
        }
    }
}

/// An expression without the white space in it.
fn written(text: &str) -> String {
    text.split_whitespace().collect()
}

impl Visitor for Reader {
    fn visit_local_assignment(&mut self, node: &LocalAssignment) {
        for (name, value) in node.names().iter().zip(node.expressions()) {
            self.assign(&text(name), value);
        }
    }

    fn visit_local_function(&mut self, node: &LocalFunction) {
        let handler = Handler::of(node.body(), &self.aliases);
        self.functions.insert(text(node.name()), handler);
    }

    fn visit_function_declaration(&mut self, node: &FunctionDeclaration) {
        let handler = Handler::of(node.body(), &self.aliases);
        let names: Vec<String> = node.name().names().iter().map(text).collect();
        // `function remote.OnServerInvoke(..)`
        if let [path @ .., last] = names.as_slice()
            && let Some(action) = Action::heard(last)
            && let Some((first, rest)) = path.split_first()
        {
            let target = match rest.last() {
                Some(name) => Target::Named(name.clone(), false),
                None => self.variable(first),
            };
            let line = node.name().start_position().map_or(1, |position| position.line());
            self.note(target, action, line, handler.clone());
        }
        self.functions.insert(names.join("."), handler);
    }

    fn visit_assignment(&mut self, node: &Assignment) {
        for (variable, value) in node.variables().iter().zip(node.expressions()) {
            let path = written(&variable.to_string());
            if let Some(owner) = path.strip_suffix(".Name") {
                self.name_made(owner, value);
            }
            if let Var::Expression(var) = variable {
                let suffixes: Vec<&Suffix> = var.suffixes().collect();
                if let Some((Suffix::Index(Index::Dot { name, .. }), rest)) = suffixes.split_last()
                    && let Some(action) = Action::heard(&text(name))
                {
                    let target = self.chain(var.prefix(), rest);
                    let line = name.token().start_position().line();
                    self.heard(target, action, line, Some(value));
                }
            }
            self.assign(&path, value);
        }
    }

    fn visit_function_call(&mut self, node: &FunctionCall) {
        let suffixes: Vec<&Suffix> = node.suffixes().collect();
        for (at, suffix) in suffixes.iter().enumerate() {
            let Suffix::Call(Call::MethodCall(call)) = suffix else { continue };
            let name = text(call.name());
            let line = call.name().token().start_position().line();
            if let Some(action) = Action::called(&name) {
                let target = self.chain(node.prefix(), &suffixes[..at]);
                let mut values = self.sent(call.args());
                // The player, which `FireAllClients` has none of.
                if matches!(action, Action::FireClient | Action::InvokeClient) && name != "FireAllClients" {
                    values.drain(..1.min(values.len()));
                }
                self.site(target, action, line, values, None);
            } else if matches!(name.as_str(), "Connect" | "Once" | "ConnectParallel" | "Wait")
                && let Some(Suffix::Index(Index::Dot { name: signal, .. })) =
                    at.checked_sub(1).and_then(|at| suffixes.get(at))
                && let Some(action) = Action::heard(&text(signal))
            {
                let target = self.chain(node.prefix(), &suffixes[..at - 1]);
                let handler = match call.args() {
                    FunctionArgs::Parentheses { arguments, .. } => arguments.iter().next(),
                    _ => None,
                };
                self.heard(target, action, line, handler);
            }
        }
        // A remote that is made and passed on is made all the same.
        self.chain(node.prefix(), &suffixes);
    }

    fn visit_generic_for(&mut self, node: &GenericFor) {
        for name in node.names() {
            self.variables.insert(text(name), Target::Named(text(name), false));
        }
    }

    fn visit_function_body(&mut self, node: &FunctionBody) {
        self.outer.push(self.variables.clone());
        for parameter in node.parameters() {
            if let Parameter::Name(name) = parameter {
                self.variables.insert(text(name), Target::Named(text(name), false));
            }
        }
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        if let Some(outer) = self.outer.pop() {
            self.variables = outer;
        }
    }
}
