//! `require`: modules run once a VM, by instance or by string path. Source: Roblox behaviour, 11.3.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Parked, Raise, Returns, ThreadEnd, Type, light};

/// What became of the modules of one peer.
#[derive(Default)]
pub struct Modules {
    states: RefCell<FxHashMap<InstanceId, State>>,
    /// Which modules a loading module waits for.
    waits_for: RefCell<FxHashMap<InstanceId, Vec<InstanceId>>>,
}

enum State {
    /// Runs; these wait for it.
    Loading(Vec<Parked>),
    /// Gave this value.
    Loaded(Value),
    /// Failed, with the text every requirer gets.
    Failed(&'static str),
}

const ERRORED: &str = "Requested module experienced an error while loading";
const NOT_ONE: &str = "Module code did not return exactly one value";
const RECURSIVE: &str = "Requested module was required recursively";

/// Finds a module by full name and requires it, as code of that side would. Takes the name, and how many seconds to
/// wait for what is not there yet: with 0 it fails at once.
pub const REQUIRE_BY_NAME: &str = r#"
local path, patience = ...
local at = game
for _, name in string.split(path, ".") do
	if not (at == game and name == "game") then
		local ok, value = pcall(function()
			return (at :: any)[name]
		end)
		local found = if ok and typeof(value) == "Instance" then value else nil
		if not found and at == game then
			local known, service = pcall(game.GetService, game, name)
			found = if known then service else nil
		elseif not found and patience ~= 0 then
			found = at:WaitForChild(name, patience or 30)
		end
		if not found then
			local names = {}
			for _, child in at:GetChildren() do
				table.insert(names, child.Name)
			end
			table.sort(names)
			local has = if #names == 0 then "nothing is in it" else `it has {table.concat(names, ", ", 1, math.min(#names, 12))}`
			error(`there is no {path} on this side: {if at == game then "game" else at:GetFullName()} has no {name}; {has}`, 0)
		end
		at = found
	end
end
return require(at)
"#;

impl Modules {
    fn state(&self, module: InstanceId) -> Option<Result<Option<Value>, &'static str>> {
        self.states.borrow().get(&module).map(|state| match state {
            State::Loading(_) => Ok(None),
            State::Loaded(value) => Ok(Some(value.clone())),
            State::Failed(text) => Err(*text),
        })
    }

    /// Whether `module` waits, over any number of steps, for `target`.
    fn depends_on(&self, module: InstanceId, target: InstanceId) -> bool {
        let waits_for = self.waits_for.borrow();
        let mut open = vec![module];
        let mut seen = Vec::new();
        while let Some(next) = open.pop() {
            if next == target {
                return true;
            }
            if !seen.contains(&next) {
                seen.push(next);
                open.extend(waits_for.get(&next).into_iter().flatten());
            }
        }
        false
    }

    fn add_wait(&self, waiting: Option<InstanceId>, module: InstanceId) {
        if let Some(waiting) = waiting {
            self.waits_for.borrow_mut().entry(waiting).or_default().push(module);
        }
    }

    /// Nobody waits for `module` any more.
    fn end_waits(&self, module: InstanceId) {
        for list in self.waits_for.borrow_mut().values_mut() {
            list.retain(|other| *other != module);
        }
    }

    fn wait(&self, module: InstanceId, waiting: Parked) {
        if let Some(State::Loading(list)) = self.states.borrow_mut().get_mut(&module) {
            list.push(waiting);
        }
    }
}

impl Peer {
    /// The value of a module that has loaded here; tables keep their identity as [`Value::Reference`].
    pub fn loaded(&self, module: InstanceId) -> Option<Value> {
        self.modules.state(module)?.ok().flatten()
    }

    /// The module's value, `None` while it loads. Starts it when it is new.
    fn begin(self: &Rc<Self>, module: InstanceId) -> Result<Option<Value>, String> {
        if let Some(state) = self.modules.state(module) {
            return state.map_err(str::to_owned);
        }
        let tree = self.tree();
        let name = tree.full_name(module);
        let Some(source) = tree.source_of(module).filter(|_| tree.is_module(module)) else {
            return Err("Attempted to call require with invalid argument(s).".to_owned());
        };
        self.modules.states.borrow_mut().insert(module, State::Loading(Vec::new()));
        let owner = self.new_owner(Some(module), &name);
        let started = self.load(&source, &name, &[("script", module.into())]).and_then(|function| {
            let end = Box::new(move |peer: &Rc<Peer>, end| peer.module_ended(module, end));
            self.spawn_then(&function, owner, &[], end)
        });
        if let Err(failure) = started {
            self.module_ended(module, Err(failure));
        }
        match self.modules.state(module) {
            Some(state) => state.map_err(str::to_owned),
            None => Ok(None),
        }
    }

    fn module_ended(self: &Rc<Self>, module: InstanceId, end: ThreadEnd) {
        let state = match end {
            // One nil is a value as well: published packages end modules of types alone with `return nil`.
            Ok(values) if values.len() == 1 => State::Loaded(values[0].clone()),
            Ok(_) => State::Failed(NOT_ONE),
            Err(failure) => {
                self.report(&failure, Some(&self.full_name(module)));
                State::Failed(ERRORED)
            }
        };
        let result = match &state {
            State::Loaded(value) => Ok(value.clone()),
            State::Failed(text) => Err(*text),
            State::Loading(_) => Err(ERRORED),
        };
        let before = self.modules.states.borrow_mut().insert(module, state);
        self.modules.end_waits(module);
        let Some(State::Loading(waiting)) = before else { return };
        for parked in waiting {
            match &result {
                Ok(value) => self.resume(&parked, std::slice::from_ref(value)),
                Err(text) => self.fail(&parked, text),
            };
        }
    }
}

/// The global.
pub(super) fn require(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    peer.check_serial(|| "Function require is not safe to call in parallel".to_owned())?;
    let caller = cx.caller_script();
    let module = match cx.kind(1) {
        Type::Light if cx.light(1, light::INSTANCE).is_some() => cx.instance(1)?,
        Type::String => resolve(&peer, caller, &cx.text(1)?)?,
        Type::Number => {
            return Err(Raise::new("asset modules are not available; mount the module in the project"));
        }
        _ => return Err(Raise::new("Attempted to call require with invalid argument(s).")),
    };
    if matches!(peer.modules.state(module), Some(Ok(None)))
        && caller.is_some_and(|caller| peer.modules.depends_on(module, caller))
    {
        return Err(Raise::new(RECURSIVE));
    }
    if !matches!(peer.modules.state(module), Some(Ok(Some(_)) | Err(_))) {
        peer.modules.add_wait(caller, module);
    }
    match peer.begin(module)? {
        Some(value) => {
            cx.push(&value);
            Ok(Returns::ONE)
        }
        None => {
            peer.modules.wait(module, cx.park()?);
            Ok(Returns::Yield)
        }
    }
}

/// The module a string path names. Source: Roblox behaviour, 11.3.6.
fn resolve(peer: &Peer, caller: Option<InstanceId>, path: &str) -> Result<InstanceId, Raise> {
    let tree = peer.tree();
    let fail = |why: &str| Raise::new(format!("Failed to require \"{path}\": {why}"));
    let Some(script) = caller else { return Err(fail("the calling code belongs to no script")) };
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let parent = |id| tree.parent(id).ok_or_else(|| fail("the path leaves the tree"));
    let mut at = match parts.next() {
        Some(".") => parent(script)?,
        Some("..") => parent(parent(script)?)?,
        Some("@self") => script,
        Some("@game") => tree.root().ok_or_else(|| fail("there is no game"))?,
        _ => return Err(fail("a path must start with ./, ../, @self/ or @game/")),
    };
    for part in parts {
        at = match part {
            "." => at,
            ".." => parent(at)?,
            name => tree
                .child(at, name)
                .ok_or_else(|| fail(&format!("{} has no child \"{name}\"", tree.full_name(at))))?,
        };
    }
    if tree.is_module(at) {
        Ok(at)
    } else {
        Err(fail(&format!("{} is not a ModuleScript", tree.full_name(at))))
    }
}
