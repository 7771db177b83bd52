//! What may stand at the cursor: commands and their arguments, globals, members of instances, keys of tables.
//!
//! Nothing of the game's runs: tables are read raw, and only engine types are asked for members.

use std::sync::Arc;

use blinkblox_compiler::luau::KEYWORDS;

use super::commands::COMMANDS;
use super::{Place, Repl};
use crate::datamodel::classes::{all_classes, all_enums};
use crate::datamodel::members::{self, Entry};
use crate::network::PRESETS;
use crate::peer::Peer;
use crate::surface::{self, GLOBALS};
use crate::value::Value;

/// Candidates for a part of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Byte at which the part begins that a candidate replaces.
    pub start: usize,
    /// What may stand there, in order.
    pub candidates: Vec<String>,
}

/// Follows a chain of names from the environment and tells what is at its end: a type and what can be named of it.
const LOOK: &str = "\
local path = ...
local function raw(value, name)
	for _ = 1, 10 do
		if type(value) ~= \"table\" then
			return nil
		end
		local found = rawget(value, name)
		if found ~= nil then
			return found
		end
		local meta = getmetatable(value)
		value = if type(meta) == \"table\" then rawget(meta, \"__index\") else nil
	end
	return nil
end
local function of_engine(value, name)
	return value[name]
end
local value: any = nil
for index, name in path do
	local found = nil
	if index == 1 then
		found = getfenv(1)[name]
	elseif type(value) == \"table\" then
		found = raw(value, name)
	elseif typeof(value) == \"Instance\" or string.sub(typeof(value), 1, 4) == \"Enum\" then
		local ok, member = pcall(of_engine, value, name)
		found = if ok then member else nil
	end
	if found == nil then
		return nil
	end
	value = found
end
if #path == 0 then
	value = getfenv(1)
end
local names = {}
if type(value) == \"table\" then
	local at: any = value
	for _ = 1, 10 do
		if type(at) ~= \"table\" then
			break
		end
		local key = next(at)
		while key ~= nil do
			if type(key) == \"string\" then
				table.insert(names, key)
			end
			key = next(at, key)
		end
		local meta = getmetatable(at)
		at = if type(meta) == \"table\" then rawget(meta, \"__index\") else nil
	end
	return \"table\", names
end
if typeof(value) == \"Instance\" then
	return \"Instance\", value
end
return typeof(value), tostring(value)";

impl Repl {
    /// What may stand before byte `cursor` of `line`.
    pub fn complete(&mut self, line: &str, cursor: usize) -> Completion {
        let Some(before) = line.get(..cursor) else { return Completion::default() };
        let trimmed = before.trim_start();
        if self.pending.is_empty() && trimmed.starts_with('.') {
            return self.complete_command(before);
        }
        self.complete_luau(before)
    }

    fn complete_command(&mut self, before: &str) -> Completion {
        let text = before.trim_start();
        let Some((name, _)) = text.split_once(char::is_whitespace) else {
            let start = before.len() - text.len();
            let all = COMMANDS.iter().map(|command| format!(".{}", command.name)).collect();
            return narrowed(start, text, all);
        };
        let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let start = before.len() - word.len();
        let at = text[name.len()..before.len() - (before.len() - text.len()) - word.len()]
            .split_whitespace()
            .count();
        let clients = |repl: &Repl| -> Vec<String> {
            repl.world.clients().iter().map(|client| repl.side_name(client.side)).collect()
        };
        let all: Vec<String> = match (&name[1..], at) {
            ("client" | "leave", 0) => clients(self),
            ("leave", 1) => strings(&["quit", "kick", "timeout", "crash"]),
            ("net", 0) => clients(self).into_iter().chain(strings(PRESETS)).collect(),
            ("net", _) => strings(PRESETS),
            ("diff", _) | ("log", 0) => std::iter::once("server".to_string()).chain(clients(self)).collect(),
            ("help", 0) => COMMANDS.iter().map(|command| command.name.to_string()).collect(),
            ("trace", 0) => strings(&["on", "off", "save"]),
            ("run", 0) => strings(&["test"]),
            ("reload", 0) => strings(&["replay"]),
            ("break", 0) => {
                let words = strings(&["remote", "event", "signal", "off"]);
                words.into_iter().chain(self.event_names()).collect()
            }
            ("break", 1) if text.contains(" event ") => self.event_names(),
            ("break", 1) if text.contains(" remote ") => self.remotes(),
            ("packets", _) => {
                let words = strings(&["reliable", "unreliable", "remote=", "since=", "fate="]);
                let sides = std::iter::once("server".to_string()).chain(clients(self));
                let sides = sides.flat_map(|side| [format!("from={side}"), format!("to={side}")]);
                words.into_iter().chain(sides).collect()
            }
            ("tree" | "props" | "conns" | "require", 0) => return self.complete_path(before, word),
            ("load" | "save", 0) | ("trace", 1) => return complete_file(start, word),
            ("watch" | "until", _) | ("break", _) => return self.complete_luau(before),
            _ => Vec::new(),
        };
        narrowed(start, word, all)
    }

    /// Globals of the current side, which are behind a metatable nobody reads.
    fn globals(&self) -> Vec<String> {
        let Ok(peer) = self.world.peer(self.side()) else { return Vec::new() };
        let types = surface::type_names();
        let known = GLOBALS.iter().copied().chain(types.iter().copied());
        let there = peer.vm.enter(|cx| {
            let mut there = Vec::new();
            for name in known {
                cx.get_global(name);
                if !cx.is_nil(-1) {
                    there.push(name.to_string());
                }
                cx.pop(1);
            }
            Ok(there)
        });
        there.unwrap_or_default()
    }

    /// Names of remotes on the current side.
    fn remotes(&self) -> Vec<String> {
        let Ok(peer) = self.world.peer(self.side()) else { return Vec::new() };
        let store = peer.data_model().store();
        let is_remote = |id: &crate::value::InstanceId| {
            let class = store.class(*id);
            ["BaseRemoteEvent", "RemoteEvent", "UnreliableRemoteEvent", "RemoteFunction"]
                .iter()
                .any(|name| class.is_a_name(name))
        };
        store.ids().filter(is_remote).map(|id| store.name(id).to_string()).collect()
    }

    /// A full name, one part at a time.
    fn complete_path(&mut self, before: &str, word: &str) -> Completion {
        let (parent, part) = word.rsplit_once('.').map_or(("game", word), |(parent, part)| (parent, part));
        let Ok(peer) = self.world.peer(self.side()) else { return Completion::default() };
        let Ok(Some(id)) = self.world.find(self.side(), parent) else { return Completion::default() };
        let store = peer.data_model().store();
        let mut names: Vec<String> =
            store.children(id).iter().map(|child| store.name(*child).to_string()).collect();
        if parent == "Players" && !self.side().is_server() {
            names.push("LocalPlayer".to_string());
        }
        narrowed(before.len() - part.len(), part, names)
    }

    fn complete_luau(&mut self, before: &str) -> Completion {
        if let Some(completion) = self.complete_string(before) {
            return completion;
        }
        let (chain, part) = chain_before(before);
        let start = before.len() - part.len();
        let mut names = match &chain {
            // After something that is no chain of names nothing is known.
            None => return Completion::default(),
            Some(chain) => self.names_at(chain),
        };
        if chain.is_some_and(|chain| chain.is_empty()) {
            names.extend(strings(&KEYWORDS));
            // A name elsewhere, and a statement where one may stand.
            names.push("continue".to_string());
            match self.place {
                Place::Side(_) => names.extend(self.globals()),
                Place::Director => {}
            }
        }
        narrowed(start, part, names)
    }

    /// Inside the string of `GetService("`, `WaitForChild("` and their like.
    fn complete_string(&mut self, before: &str) -> Option<Completion> {
        let quote = before.rfind(['"', '\''])?;
        let part = &before[quote + 1..];
        let is_part = part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ' ');
        let call = before[..quote].trim_end().strip_suffix('(')?.trim_end();
        if !is_part {
            return None;
        }
        let (chain, method) = chain_before(call);
        let names = match method {
            "GetService" | "FindService" => all_classes()
                .filter(|class| class.is_service())
                .map(|class| class.name().to_string())
                .collect(),
            "new" if chain.as_deref() == Some(&["Instance".to_string()]) => all_classes()
                .filter(|class| class.is_creatable())
                .map(|class| class.name().to_string())
                .collect(),
            "IsA" | "FindFirstChildOfClass" | "FindFirstChildWhichIsA" => {
                all_classes().map(|class| class.name().to_string()).collect()
            }
            "WaitForChild" | "FindFirstChild" => {
                let chain = chain?;
                let peer = self.world.peer(self.side()).ok()?;
                match self.look(&peer, &chain)?.as_slice() {
                    [_, Value::Instance(id), ..] => {
                        let store = peer.data_model().store();
                        store.children(*id).iter().map(|child| store.name(*child).to_string()).collect()
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(narrowed(quote + 1, part, names))
    }

    /// What can be named of the value at the end of a chain of names.
    fn names_at(&mut self, chain: &[String]) -> Vec<String> {
        if self.place == Place::Director {
            return self.names_outside(chain);
        }
        let Ok(peer) = self.world.peer(self.side()) else { return Vec::new() };
        let Some(values) = self.look(&peer, chain) else { return Vec::new() };
        match values.as_slice() {
            [_, Value::Instance(id), ..] => {
                let store = peer.data_model().store();
                let children = store.children(*id).iter().map(|child| store.name(*child).to_string());
                let known = members::of(store.class(*id));
                let members = known.by_name.iter().filter(|(_, entry)| is_useful(entry));
                children.chain(members.map(|(name, _)| name.to_string())).collect()
            }
            [kind, Value::Table(names), ..] if kind.as_bytes() == Some(b"table") => {
                names.array.iter().map(ToString::to_string).collect()
            }
            [kind, text, ..] => of_engine(&kind.to_string(), &text.to_string()),
            _ => Vec::new(),
        }
    }

    fn names_outside(&mut self, chain: &[String]) -> Vec<String> {
        let Some((director, session)) = self.outside() else { return Vec::new() };
        let vm = director.vm();
        let looked = crate::vm::compile(LOOK, "[prompt]")
            .ok()
            .and_then(|code| vm.load_beside(&code, "[prompt]", session).ok())
            .and_then(|look| vm.call(&look, &[path(chain)]).ok());
        match looked.as_deref() {
            Some([kind, Value::Table(names), ..]) if kind.as_bytes() == Some(b"table") => {
                names.array.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }

    fn look(&mut self, peer: &Peer, chain: &[String]) -> Option<Vec<Value>> {
        let session = self.session(peer).ok()?;
        let look = peer.load_beside(&Arc::from(LOOK), "[prompt]", &session).ok()?;
        peer.vm.call(&look, &[path(chain)]).ok()
    }
}

fn path(chain: &[String]) -> Value {
    Value::array(chain.iter().map(|name| Value::from(name.as_str())))
}

/// Whether a member is worth offering: it does something here.
fn is_useful(entry: &Entry) -> bool {
    match entry {
        Entry::Property(property) => !crate::datamodel::properties::is_for_plugins(*property),
        _ => true,
    }
}

/// Names of an engine value that is no instance.
fn of_engine(kind: &str, text: &str) -> Vec<String> {
    match kind {
        "Enums" => all_enums().map(|list| list.name().to_string()).collect(),
        "Enum" => {
            let list = all_enums().find(|list| list.name() == text.trim_start_matches("Enum."));
            let items = list.into_iter().flat_map(|list| list.items().map(|item| item.name().to_string()));
            items.chain(strings(&["GetEnumItems", "FromName", "FromValue"])).collect()
        }
        "EnumItem" => strings(&["Name", "Value", "EnumType", "IsA"]),
        "RBXScriptSignal" => strings(&["Connect", "ConnectParallel", "Once", "Wait"]),
        "RBXScriptConnection" => strings(&["Connected", "Disconnect"]),
        "string" => strings(&[
            "byte", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "split",
            "sub", "upper",
        ]),
        "Vector3" => strings(&[
            "X",
            "Y",
            "Z",
            "Magnitude",
            "Unit",
            "Abs",
            "Angle",
            "Ceil",
            "Cross",
            "Dot",
            "Floor",
            "FuzzyEq",
            "Lerp",
            "Max",
            "Min",
            "Sign",
        ]),
        "CFrame" => strings(&[
            "Position",
            "Rotation",
            "X",
            "Y",
            "Z",
            "LookVector",
            "RightVector",
            "UpVector",
            "XVector",
            "YVector",
            "ZVector",
            "Inverse",
            "Lerp",
            "Orthonormalize",
            "PointToObjectSpace",
            "PointToWorldSpace",
            "ToObjectSpace",
            "ToWorldSpace",
            "VectorToObjectSpace",
            "VectorToWorldSpace",
            "GetComponents",
            "ToEulerAnglesXYZ",
            "ToEulerAnglesYXZ",
            "ToOrientation",
            "ToAxisAngle",
        ]),
        _ => Vec::new(),
    }
}

/// The chain of names before the cursor and the part that is being written: `game.Players:Get` is `game`, `Players`
/// and `Get`. `game:GetService("X")` counts as `game`, `X`. `None` when what stands before the last dot is something
/// else.
fn chain_before(text: &str) -> (Option<Vec<String>>, &str) {
    let part_start = text.len() - trailing_name(text).len();
    let part = &text[part_start..];
    let mut rest = &text[..part_start];
    let mut chain = Vec::new();
    loop {
        let Some(before) = rest.strip_suffix(['.', ':']) else {
            return (Some(chain.into_iter().rev().collect()), part);
        };
        // Two dots join texts.
        if before.ends_with('.') {
            return (if chain.is_empty() { Some(Vec::new()) } else { None }, part);
        }
        if let Some((name, head)) = service_call(before) {
            chain.push(name);
            rest = head;
            // What stands before the call follows on as it is: `game` and its dot are taken off here.
            let root = trailing_name(rest);
            if root.is_empty() {
                return (None, part);
            }
            chain.push(root.to_string());
            rest = &rest[..rest.len() - root.len()];
            continue;
        }
        let name = trailing_name(before);
        if name.is_empty() {
            return (None, part);
        }
        chain.push(name.to_string());
        rest = &before[..before.len() - name.len()];
    }
}

/// The service and what stands before it, when a text ends in `:GetService("Players")`.
fn service_call(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_suffix(')')?.trim_end();
    let quote = inner.chars().next_back().filter(|c| *c == '"' || *c == '\'')?;
    let inner = &inner[..inner.len() - 1];
    let open = inner.rfind(quote)?;
    let name = &inner[open + 1..];
    let head = inner[..open].trim_end().strip_suffix('(')?.trim_end();
    Some((name.to_string(), head.strip_suffix(":GetService")?))
}

fn trailing_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start =
        text.rfind(|c| !is_part(c)).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// The candidates that go on from what is written, in order and once each.
fn narrowed(start: usize, written: &str, mut all: Vec<String>) -> Completion {
    all.retain(|name| name.starts_with(written));
    all.sort();
    all.dedup();
    Completion { start, candidates: all }
}

/// Files and folders that go on from a path.
fn complete_file(start: usize, word: &str) -> Completion {
    let (folder, part) = word.rsplit_once('/').map_or(("", word), |(folder, part)| (folder, part));
    let shown = if word.contains('/') { format!("{folder}/") } else { String::new() };
    let root = if shown.is_empty() { "." } else { shown.as_str() };
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let slash = if entry.file_type().ok()?.is_dir() { "/" } else { "" };
        name.starts_with(part).then(|| format!("{shown}{name}{slash}"))
    });
    narrowed(start, word, names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(text: &str) -> (Option<Vec<String>>, String) {
        let (chain, part) = chain_before(text);
        (chain, part.to_string())
    }

    fn names(names: &[&str]) -> Option<Vec<String>> {
        Some(strings(names))
    }

    #[test]
    fn chains_of_names_are_found_before_the_cursor() {
        assert_eq!(chain("ga"), (names(&[]), "ga".into()));
        assert_eq!(chain("print(game.Players:Get"), (names(&["game", "Players"]), "Get".into()));
        assert_eq!(
            chain("x = game:GetService(\"Players\").Loc"),
            (names(&["game", "Players"]), "Loc".into())
        );
        assert_eq!(chain("a .. b"), (names(&[]), "b".into()));
        assert_eq!(chain("a..b"), (names(&[]), "b".into()));
        assert_eq!(chain("f().x"), (None, "x".into()));
        assert_eq!(chain("ü.x"), (None, "x".into()));
        assert_eq!(chain(""), (names(&[]), String::new()));
    }
}
