//! Reading one script: scopes of variables, and every use of a member in the order of the text.

use std::collections::{BTreeMap, BTreeSet};

use full_moon::ast::luau::{ConstAssignment, ConstFunction, TypeInfo, TypeSpecifier};
use full_moon::ast::{
    AnonymousFunction, Block, Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall,
    FunctionDeclaration, GenericFor, Index, LocalAssignment, LocalFunction, NumericFor, Parameter, Prefix,
    Suffix, TableConstructor, Var, VarExpression,
};
use full_moon::node::Node;
use full_moon::tokenizer::TokenReference;
use full_moon::visitors::Visitor;

use super::Grade;
use super::types::{self, Looked, Type};
use crate::datamodel::classes::{ClassId, class_by_name};
use crate::syntax::{first_text, text, with_tree};

/// A use that is to be reported.
pub(super) struct Use {
    pub(super) line: usize,
    pub(super) class: String,
    pub(super) member: String,
    pub(super) grade: Grade,
    pub(super) instead: String,
}

/// What a script gave.
#[derive(Default)]
pub(super) struct Read {
    pub(super) uses: Vec<Use>,
    /// Why a part of it could not be read.
    pub(super) unread: Option<String>,
}

/// Names of the functions and fields that a script defines itself: a call of such a name is likely theirs.
pub(super) fn own_functions(source: &str) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl Visitor for Names {
        fn visit_function_declaration(&mut self, node: &FunctionDeclaration) {
            self.0.extend(node.name().names().iter().map(text));
            self.0.extend(node.name().method_name().map(text));
        }
        fn visit_field(&mut self, node: &Field) {
            if let Field::NameKey { key, .. } = node {
                self.0.insert(text(key));
            }
        }
        fn visit_var_expression(&mut self, node: &VarExpression) {
            // `x.Name = function` and `x.Name = value`.
            if let Some(Suffix::Index(Index::Dot { name, .. })) = node.suffixes().last() {
                self.0.insert(text(name));
            }
        }
    }
    with_tree(source, |ast| {
        let mut names = Names(BTreeSet::new());
        names.visit_ast(ast);
        names.0
    })
    .unwrap_or_default()
}

/// What a script of a class uses; `own` are the names of the project's own functions.
pub(super) fn uses(source: &str, script: ClassId, own: &BTreeSet<String>) -> Read {
    let read = with_tree(source, |ast| {
        let mut reader = Reader {
            script,
            own,
            scopes: vec![BTreeMap::new()],
            handlers: BTreeMap::new(),
            uses: Vec::new(),
        };
        reader.visit_ast(ast);
        reader.uses
    });
    match read {
        Ok(uses) => Read { uses, unread: None },
        Err(why) => Read { uses: Vec::new(), unread: Some(why) },
    }
}

struct Reader<'a> {
    script: ClassId,
    own: &'a BTreeSet<String>,
    scopes: Vec<BTreeMap<String, Type>>,
    /// Types of the parameters of functions that are handed to a signal, by where the function begins.
    handlers: BTreeMap<usize, Vec<Type>>,
    uses: Vec<Use>,
}

fn arguments(args: &FunctionArgs) -> Vec<&Expression> {
    match args {
        FunctionArgs::Parentheses { arguments, .. } => arguments.iter().collect(),
        _ => Vec::new(),
    }
}

fn annotated(specifier: Option<&TypeSpecifier>) -> Type {
    fn of(info: &TypeInfo) -> Type {
        match info {
            TypeInfo::Basic(name) => types::named(&text(name)),
            TypeInfo::Optional { base, .. } => of(base),
            _ => Type::Unknown,
        }
    }
    specifier.map_or(Type::Unknown, |specifier| of(specifier.type_info()))
}

impl Reader<'_> {
    fn declare(&mut self, name: String, of: Type) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, of);
        }
    }

    fn variable(&self, name: &str) -> Option<&Type> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn name(&self, name: &str) -> Type {
        let known = self.variable(name).cloned();
        known.or_else(|| types::global(name, self.script)).unwrap_or(Type::Unknown)
    }

    fn type_of(&self, expression: &Expression) -> Type {
        match expression {
            Expression::Parentheses { expression, .. } => self.type_of(expression),
            Expression::FunctionCall(call) => {
                self.chain(call.prefix(), &call.suffixes().collect::<Vec<_>>(), &mut |_, _, _| {})
            }
            Expression::Var(Var::Name(name)) => self.name(&text(name)),
            Expression::Var(Var::Expression(var)) => {
                self.chain(var.prefix(), &var.suffixes().collect::<Vec<_>>(), &mut |_, _, _| {})
            }
            Expression::TypeAssertion { expression, type_assertion } => match type_assertion.cast_to() {
                TypeInfo::Basic(name) => match types::named(&text(name)) {
                    Type::Unknown if text(name) != "any" => self.type_of(expression),
                    found => found,
                },
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }

    /// The type of a name with what follows it. `see` gets each use of a member with its name and token.
    fn chain(
        &self,
        prefix: &Prefix,
        suffixes: &[&Suffix],
        see: &mut dyn FnMut(&TokenReference, &str, Looked),
    ) -> Type {
        let mut at = match prefix {
            Prefix::Name(name) => self.name(&text(name)),
            Prefix::Expression(expression) => self.type_of(expression),
            _ => Type::Unknown,
        };
        let mut member = String::new();
        for suffix in suffixes {
            at = match suffix {
                Suffix::Index(Index::Dot { name, .. }) => {
                    member = text(name);
                    let looked = types::index(&at, &member);
                    let gives = match (&at, &looked.gives) {
                        // What it makes depends on its argument, which comes next.
                        (Type::Library("Instance"), _) => Type::Library("Instance"),
                        (_, gives) => gives.clone(),
                    };
                    see(name, &member, looked);
                    gives
                }
                Suffix::Index(Index::Brackets { .. }) => Type::Unknown,
                Suffix::Call(Call::MethodCall(call)) => {
                    let name = text(call.name());
                    let looked = types::call(&at, &name);
                    let gives = self.given(&at, &name, call.args(), &looked.gives);
                    let looked = match looked.remark {
                        None if at == Type::Unknown => self.guess(&name, looked),
                        _ => looked,
                    };
                    see(call.name(), &name, looked);
                    gives
                }
                Suffix::Call(Call::AnonymousCall(args)) => match at {
                    Type::Library("Instance") if member == "new" => first_text(args)
                        .and_then(|name| class_by_name(&name))
                        .map_or(Type::Unknown, types::exactly),
                    Type::Function(gives) => *gives,
                    _ => Type::Unknown,
                },
                _ => at,
            };
        }
        at
    }

    /// What a method gives whose result depends on its arguments or its object.
    fn given(&self, at: &Type, name: &str, args: &FunctionArgs, otherwise: &Type) -> Type {
        let class = || first_text(args).and_then(|name| class_by_name(&name));
        match name {
            "GetService" | "FindService" | "getService" | "service" => {
                class().filter(|class| class.is_service()).map_or(Type::Unknown, types::exactly)
            }
            "FindFirstChildOfClass" | "FindFirstAncestorOfClass" => {
                class().map_or(Type::Unknown, types::exactly)
            }
            "FindFirstChildWhichIsA" | "FindFirstAncestorWhichIsA" => {
                class().map_or(Type::Unknown, |class| Type::Instance { class, exact: false })
            }
            "Clone" | "clone" if matches!(at, Type::Instance { .. }) => at.clone(),
            "GetPropertyChangedSignal" | "GetAttributeChangedSignal" => Type::Signal(""),
            // A child of any class may be found under a name.
            "WaitForChild" | "FindFirstChild" => Type::Unknown,
            _ => otherwise.clone(),
        }
    }

    /// A call on something unknown: worth a word if only what is missing has a method of the name.
    fn guess(&self, name: &str, looked: Looked) -> Looked {
        let Some(missing) = types::only_missing(name).filter(|_| !self.own.contains(name)) else {
            return looked;
        };
        let instead = format!(
            "if this is a {}: raises an error; stub it with side:stub(\"{}\", \"{name}\", fn)",
            missing.class, missing.class
        );
        let remark = types::Remark { class: missing.class.to_owned(), grade: Grade::Perhaps, instead };
        Looked { remark: Some(remark), ..looked }
    }

    fn report(&mut self, token: &TokenReference, member: &str, looked: Looked) {
        if let Some(remark) = looked.remark {
            self.uses.push(Use {
                line: token.token().start_position().line(),
                class: remark.class,
                member: member.to_owned(),
                grade: remark.grade,
                instead: remark.instead,
            });
        }
    }

    fn see_chain(&mut self, prefix: &Prefix, suffixes: &[&Suffix]) {
        let mut seen = Vec::new();
        self.chain(prefix, suffixes, &mut |token, name, looked| {
            seen.push((token.clone(), name.to_owned(), looked));
        });
        for (token, name, looked) in seen {
            self.report(&token, &name, looked);
        }
        if let Prefix::Name(name) = prefix {
            self.see_global(name);
        }
    }

    /// A global of the engine that is not there.
    fn see_global(&mut self, token: &TokenReference) {
        let name = text(token);
        let is_missing = crate::surface::MISSING_TYPES.contains(&name.as_str())
            || MISSING_GLOBALS.contains(&name.as_str());
        if is_missing && self.variable(&name).is_none() {
            self.uses.push(Use {
                line: token.token().start_position().line(),
                class: "global".to_owned(),
                member: name,
                grade: Grade::Missing,
                instead: "is nil".to_owned(),
            });
        }
    }

    /// Names of classes and services given as text.
    fn see_class_names(&mut self, suffixes: &[&Suffix], is_instance: bool) {
        for (index, suffix) in suffixes.iter().enumerate() {
            let (token, args) = match suffix {
                Suffix::Call(Call::MethodCall(call)) if text(call.name()) == "GetService" => {
                    (call.name(), call.args())
                }
                Suffix::Call(Call::AnonymousCall(args)) if is_instance && index == 1 => match suffixes[0] {
                    Suffix::Index(Index::Dot { name, .. }) if text(name) == "new" => (name, &**args),
                    _ => continue,
                },
                _ => continue,
            };
            let Some(name) = first_text(args) else { continue };
            let is_service = !is_instance;
            let known = class_by_name(&name);
            let fits =
                known.is_some_and(|class| if is_service { class.is_service() } else { class.is_creatable() });
            if !fits {
                let what = if is_service { "service" } else { "class that can be made" };
                self.uses.push(Use {
                    line: token.token().start_position().line(),
                    class: name,
                    member: text(token),
                    grade: Grade::Unknown,
                    instead: format!("there is no {what} of this name"),
                });
            }
        }
    }

    /// Functions that are handed to a signal get what the event gives.
    fn see_handlers(&mut self, prefix: &Prefix, suffixes: &[&Suffix]) {
        for (index, suffix) in suffixes.iter().enumerate() {
            let Suffix::Call(Call::MethodCall(call)) = suffix else { continue };
            if !["Connect", "Once", "ConnectParallel", "connect"].contains(&text(call.name()).as_str()) {
                continue;
            }
            let Type::Signal(declared) = self.chain(prefix, &suffixes[..index], &mut |_, _, _| {}) else {
                continue;
            };
            for argument in arguments(call.args()) {
                match argument {
                    Expression::Function(function) => {
                        if let Some(start) = begin(function) {
                            self.handlers.insert(start, types::parameters(declared));
                        }
                    }
                    _ => continue,
                }
            }
        }
    }

    fn open_function(&mut self, body: &FunctionBody, known: &[Type]) {
        let mut scope = BTreeMap::new();
        let mut specifiers = body.type_specifiers();
        for (index, parameter) in body.parameters().iter().enumerate() {
            let specifier = specifiers.next().flatten();
            if let Parameter::Name(name) = parameter {
                let of = match annotated(specifier) {
                    Type::Unknown => known.get(index).cloned().unwrap_or(Type::Unknown),
                    of => of,
                };
                scope.insert(text(name), of);
            }
        }
        self.scopes.push(scope);
    }

    fn assign<'b>(
        &mut self,
        names: impl Iterator<Item = &'b TokenReference>,
        specifiers: Vec<Option<&TypeSpecifier>>,
        values: Vec<&Expression>,
    ) {
        for (index, name) in names.enumerate() {
            let of = match annotated(specifiers.get(index).copied().flatten()) {
                Type::Unknown => values.get(index).map_or(Type::Unknown, |value| self.type_of(value)),
                of => of,
            };
            self.declare(text(name), of);
        }
    }
}

/// Globals of the engine that the emulator has not.
const MISSING_GLOBALS: &[&str] = &[
    "DebuggerManager",
    "LoadLibrary",
    "PluginManager",
    "UserSettings",
    "printidentity",
    "settings",
    "stats",
    "version",
    "ypcall",
];

/// Where a function begins, in bytes.
fn begin(function: &AnonymousFunction) -> Option<usize> {
    function.body().start_position().map(|position| position.bytes())
}

impl Visitor for Reader<'_> {
    fn visit_block(&mut self, _: &Block) {
        self.scopes.push(BTreeMap::new());
    }

    fn visit_block_end(&mut self, _: &Block) {
        self.scopes.pop();
    }

    fn visit_function_body(&mut self, body: &FunctionBody) {
        let start = body.start_position().map(|position| position.bytes());
        let known = start.and_then(|start| self.handlers.remove(&start)).unwrap_or_default();
        self.open_function(body, &known);
    }

    fn visit_function_body_end(&mut self, _: &FunctionBody) {
        self.scopes.pop();
    }

    fn visit_local_function(&mut self, node: &LocalFunction) {
        self.declare(text(node.name()), Type::Unknown);
    }

    fn visit_const_function(&mut self, node: &ConstFunction) {
        self.declare(text(node.name()), Type::Unknown);
    }

    fn visit_local_assignment_end(&mut self, node: &LocalAssignment) {
        let specifiers = node.type_specifiers().collect();
        self.assign(node.names().iter(), specifiers, node.expressions().iter().collect());
    }

    fn visit_const_assignment_end(&mut self, node: &ConstAssignment) {
        let specifiers = node.type_specifiers().collect();
        self.assign(node.names().iter(), specifiers, node.expressions().iter().collect());
    }

    fn visit_generic_for(&mut self, node: &GenericFor) {
        let mut scope = BTreeMap::new();
        // `for _, player in Players:GetPlayers()` is the loop that code has most.
        let players = node.expressions().iter().any(|from| from.to_string().contains(":GetPlayers()"));
        let mut specifiers = node.type_specifiers();
        for (index, name) in node.names().iter().enumerate() {
            let of = match annotated(specifiers.next().flatten()) {
                Type::Unknown if players && index == 1 => types::named("Player"),
                of => of,
            };
            scope.insert(text(name), of);
        }
        self.scopes.push(scope);
    }

    fn visit_generic_for_end(&mut self, _: &GenericFor) {
        self.scopes.pop();
    }

    fn visit_numeric_for(&mut self, node: &NumericFor) {
        self.scopes.push(BTreeMap::from([(text(node.index_variable()), Type::Unknown)]));
    }

    fn visit_numeric_for_end(&mut self, _: &NumericFor) {
        self.scopes.pop();
    }

    fn visit_function_call(&mut self, node: &FunctionCall) {
        let suffixes: Vec<&Suffix> = node.suffixes().collect();
        self.see_chain(node.prefix(), &suffixes);
        let is_instance = matches!(node.prefix(), Prefix::Name(name) if text(name) == "Instance")
            && self.variable("Instance").is_none();
        let is_game = matches!(node.prefix(), Prefix::Name(name) if text(name).eq_ignore_ascii_case("game"));
        if is_instance || is_game {
            self.see_class_names(&suffixes, is_instance);
        }
        self.see_handlers(node.prefix(), &suffixes);
    }

    fn visit_var_expression(&mut self, node: &VarExpression) {
        let suffixes: Vec<&Suffix> = node.suffixes().collect();
        self.see_chain(node.prefix(), &suffixes);
    }

    fn visit_table_constructor(&mut self, _: &TableConstructor) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datamodel::classes::known_class;

    /// The uses as `line class.member grade`.
    fn found(source: &str) -> Vec<String> {
        let own = own_functions(source);
        let read = uses(source, known_class("Script"), &own);
        assert_eq!(read.unread, None);
        read.uses
            .iter()
            .map(|one| format!("{} {}.{} {}", one.line, one.class, one.member, one.grade.name()))
            .collect()
    }

    #[test]
    fn what_is_emulated_is_not_spoken_of() {
        let source = r#"
            local Players = game:GetService("Players")
            local part = Instance.new("Part")
            part.Position += Vector3.new(1, 2, 3):Lerp(Vector3.zero, 0.5)
            part:GetPropertyChangedSignal("Name"):Connect(function() end)
            Players.PlayerAdded:Connect(function(player)
                print(player.Name, player.Character and player.Character.PrimaryPart, player:GetNetworkPing())
            end)
            local t = { Fire = function() end }
            t:Fire()
            local frame = CFrame.lookAt(Vector3.zero, Vector3.one) * CFrame.Angles(0, math.pi, 0)
            print(frame.Position.Magnitude, Enum.Material.Wood.Name, workspace.Thing.Other, script.Parent.Foo:Bar())
            task.wait(1)
        "#;
        assert_eq!(found(source), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_is_found_by_type() {
        let source = r#"local Players = game:GetService("Players")
local Stores = game:GetService("DataStoreService")
local store = Stores:GetDataStore("x")
store:ListKeysAsync("key")
local function hit(part: BasePart?)
    part:ApplyImpulse(Vector3.one)
end
Players.PlayerAdded:Connect(function(player, extra)
    player:IsInGroup(1)
    player.Character:BreakJoints()
end)
for _, player in Players:GetPlayers() do player:GetRankInGroup(1) end
game.Players.LocalPlayer:GetMouse()
workspace:Raycast(Vector3.zero, Vector3.one)
local tool = script:FindFirstAncestorOfClass("Tool")
tool.Activated:Connect(print)
;(workspace.Thing :: Humanoid):MoveTo(Vector3.one)
"#;
        assert_eq!(
            found(source),
            [
                "3 DataStoreService.GetDataStore partial",
                "4 DataStore.ListKeysAsync missing",
                "6 BasePart.ApplyImpulse missing",
                "9 Player.IsInGroup missing",
                "10 Model.BreakJoints missing",
                "12 Player.GetRankInGroup missing",
                "13 Player.GetMouse missing",
                "14 WorldRoot.Raycast missing",
                "16 Tool.Activated partial",
                "17 Humanoid.MoveTo missing",
            ]
        );
    }

    #[test]
    fn what_nobody_has_is_unknown() {
        let source = r#"game:GetService("Nonsense")
Instance.new("Workspace")
Instance.new("Folder"):Explode()
print(Enum.Nonsense, Enum.Material.Nonsense)
Vector3.new(1, 2, 3):Explode()
print(Color3.fromNonsense, settings(), CatalogSearchParams.new())
"#;
        assert_eq!(
            found(source),
            [
                "1 Nonsense.GetService unknown",
                "2 Workspace.new unknown",
                "3 Folder.Explode unknown",
                "4 Enum.Nonsense unknown",
                "4 Enum.Material.Nonsense unknown",
                "5 Vector3.Explode missing",
                "6 Color3.fromNonsense missing",
                "6 global.settings missing",
                "6 global.CatalogSearchParams missing",
            ]
        );
    }

    #[test]
    fn what_is_only_done_otherwise_says_so() {
        let source = r#"local sound = Instance.new("Sound")
sound:Play()
game.Players.LocalPlayer:GetJoinData()
"#;
        assert_eq!(found(source), ["2 Sound.Play partial", "3 Player.GetJoinData partial"]);
    }

    #[test]
    fn calls_on_the_unknown_are_guessed_unless_the_project_has_the_name() {
        assert_eq!(found("local function f(x) x:LoadAnimation(1) end"), ["1 Animator.LoadAnimation perhaps"]);
        assert_eq!(
            found("local t = {} function t:LoadAnimation() end t:LoadAnimation()"),
            Vec::<String>::new()
        );
        assert_eq!(found("local function f(x) x:Destroy() x:Whatever() end"), Vec::<String>::new());
    }

    #[test]
    fn broken_and_deep_sources_are_survived() {
        let read = uses("local = 1", known_class("Script"), &BTreeSet::new());
        assert!(read.unread.unwrap().starts_with("line 1: Expected identifier"));
        let deep = format!("return {}1{}", "(".repeat(500), ")".repeat(500));
        assert!(uses(&deep, known_class("Script"), &BTreeSet::new()).unread.is_none());
        let deeper = format!("return {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(uses(&deeper, known_class("Script"), &BTreeSet::new()).unread.is_some());
    }
}
