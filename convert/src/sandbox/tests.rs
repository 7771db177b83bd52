//! Definitions that err, loop, fill memory or look for what is not there.

use std::rc::Rc;
use std::time::Duration;

use blinkblox_compiler::source::{MemoryLoader, SourceLoader};

use super::*;
use crate::{Conversion, convert};

fn limits() -> Limits {
    Limits { time: Duration::from_millis(300), memory: 16 << 20, ..Limits::default() }
}

fn of(tool: Tool, files: &[(&str, &str)]) -> Result<Conversion, Box<Refusal>> {
    let loader = files.iter().fold(MemoryLoader::new(), |loader, (path, text)| loader.with(path, *text));
    let loader: Rc<dyn SourceLoader> = Rc::new(loader);
    convert(tool, &loader, files[0].0, limits())
}

/// The refusal of some ByteNet definitions: its headline, and what its label is on.
#[track_caller]
fn refused_for(text: &str, headline: &str, label: &str) {
    let refusal = of(Tool::ByteNet, &[("packets.luau", text)]).unwrap_err();
    assert_eq!(refusal.diagnostic.code, Code::ConvertRefused);
    assert_eq!(refusal.diagnostic.headline, headline, "{:?}", refusal.diagnostic);
    let span = refusal.diagnostic.span();
    assert_eq!(span.map_or("", |span| refusal.sources.text(span)), label, "{:?}", refusal.diagnostic);
}

const LIBRARY: &str = "local ByteNet = require(game.ReplicatedStorage.Packages.ByteNet)\n";

#[test]
fn limits_hold_whatever_the_definitions_catch() {
    refused_for("while true do end", "the definitions ran for more than 300 milliseconds", "");
    refused_for(
        "while true do pcall(function() while true do end end) end",
        "the definitions ran for more than 300 milliseconds",
        "",
    );
    refused_for(
        "local all = {}\nwhile true do table.insert(all, string.rep(\"x\", 100000) .. #all) end",
        "the definitions took more than 16 MB of memory",
        "",
    );
    refused_for("local x = string.rep(\"x\", 1e9)", "the definitions took more than 16 MB of memory", "");
    let nested = format!(
        "{LIBRARY}local function more(n)\n\treturn ByteNet.defineNamespace(\"N\" .. n, function()\n\t\tmore(n + 1)\n\t\treturn {{}}\n\tend)\nend\nmore(1)"
    );
    refused_for(
        &nested,
        "calls nest more than 200 deep",
        "return ByteNet.defineNamespace(\"N\" .. n, function()",
    );
    let deep = format!(
        "{LIBRARY}local t = ByteNet.uint8\nfor _ = 1, 1000 do t = ByteNet.array(t) end\nreturn ByteNet.defineNamespace(\"A\", function()\n\treturn {{ B = ByteNet.definePacket({{ value = t }}) }}\nend)"
    );
    refused_for(
        &deep,
        "a type of this packet nests more than 60 deep",
        "return { B = ByteNet.definePacket({ value = t }) }",
    );
    let wide = format!(
        "{LIBRARY}local t = ByteNet.uint8\nfor _ = 1, 40 do t = ByteNet.struct({{ a = t, b = t }}) end\nreturn ByteNet.defineNamespace(\"A\", function()\n\treturn {{ B = ByteNet.definePacket({{ value = t }}) }}\nend)"
    );
    refused_for(
        &wide,
        "this packet is made of more than 20000 types",
        "return { B = ByteNet.definePacket({ value = t }) }",
    );
}

/// What is recorded is read outside of the VM, where no deadline is: its amount is bounded instead.
#[test]
fn what_is_recorded_is_bounded_for_every_tool() {
    let generous = Limits { time: Duration::from_secs(60), ..Limits::default() };
    let of = |tool: Tool, text: &str| {
        let loader: Rc<dyn SourceLoader> = Rc::new(MemoryLoader::new().with("a.luau", text));
        convert(tool, &loader, "a.luau", generous).unwrap_err().diagnostic.headline
    };
    let most = "the definitions make more than 100000 types and declarations";
    let nested = "local t = B.uint8\nfor _ = 1, 1e6 do t = B.array(t) end";
    assert_eq!(of(Tool::ByteNet, &format!("local B = require('./ByteNet')\n{nested}")), most);
    let caught = "while pcall(B.array, B.uint8) do end\nreturn 1";
    assert_eq!(of(Tool::ByteNet, &format!("local B = require('./ByteNet')\n{caught}")), most);
    let packets = "local P = require('./Packet')\nfor i = 1, 1e6 do P('A' .. i, { P.String }) end";
    assert_eq!(of(Tool::Packet, packets), most);
    let literals = "local Q = require('./QuickNet')\nlocal all = table.create(1000, 'x')\n\
        for i = 1, 1e6 do Q.Data.literal(table.unpack(all)) end";
    assert_eq!(of(Tool::QuickNet, literals), most);
    let optional = "local W = require('./Warp').Server()\nlocal t = W.Schema.u8\n\
        for i = 1, 1e6 do t = W.Schema.optional(t) end";
    assert_eq!(of(Tool::Warp, optional), most);
    // A type is recorded once and written wherever it is used.
    let repeated = "local W = require('./Warp').Server()\nlocal t = W.Schema.u8\n\
        for _ = 1, 12 do t = W.Schema.struct({ a = t, b = t }) end\n\
        for i = 1, 200 do W.useSchema('A' .. i, t) end";
    assert_eq!(of(Tool::Warp, repeated), "up to \"A13\" the definitions take more than 100000 types");
}

#[test]
fn errors_are_told_with_their_line() {
    refused_for("local x = 1\nerror(\"broken\")", "the definitions raised an error", "error(\"broken\")");
    refused_for("local x = nil\nlocal y = x.z", "the definitions raised an error", "local y = x.z");
    refused_for("error({})", "the definitions raised an error", "error({})");
    refused_for(
        "local function f() return f() + 1 end\nf()",
        "the definitions raised an error",
        "local function f() return f() + 1 end",
    );
    refused_for("local = 1", "the definitions are no Luau", "local = 1");
    refused_for("coroutine.yield()", "the definitions raised an error", "coroutine.yield()");
    refused_for(
        &format!("{LIBRARY}local x = ByteNet.uint64"),
        "ByteNet has no \"uint64\" that the converter knows",
        "local x = ByteNet.uint64",
    );
    // Hidden or not.
    refused_for(
        &format!("{LIBRARY}pcall(function()\n\treturn ByteNet.uint64\nend)"),
        "ByteNet has no \"uint64\" that the converter knows",
        "return ByteNet.uint64",
    );
    refused_for(
        "return 1",
        "nothing is declared with ByteNet: is the library required under its own name?",
        "return 1",
    );
}

#[test]
fn text_that_is_none_is_told() {
    let loader: Rc<dyn SourceLoader> = Rc::new(MemoryLoader::new().with("a.luau", vec![0xFF, 0xFE]));
    let refusal = convert(Tool::Warp, &loader, "a.luau", limits()).unwrap_err();
    assert_eq!(refusal.diagnostic.headline, "\"a.luau\" cannot be read: it is not UTF-8");
    let refusal = convert(Tool::Warp, &loader, "b.luau", limits()).unwrap_err();
    assert_eq!(refusal.diagnostic.headline, "\"b.luau\" cannot be read: there is no such file");
}

#[test]
fn modules_beside_the_definitions_run_once() {
    let files = [
        (
            "net/packets.luau",
            "local Types = require(script.Parent.Types)\nlocal again = require(\"./Types\")\nassert(Types == again)\nlocal Far = require(game.ReplicatedStorage.Shared.Far)\nlocal ByteNet = require(script.Parent.Parent:WaitForChild(\"ByteNet\"))\nreturn ByteNet.defineNamespace(\"Yard\", function()\n\treturn { Place = ByteNet.definePacket({ value = Types.Spot }) }\nend)\n",
        ),
        (
            "net/Types.luau",
            "local ByteNet = require(\"@packages/bytenet\")\nreturn { Spot = ByteNet.struct({ At = ByteNet.vec3 }) }\n",
        ),
    ];
    let found = of(Tool::ByteNet, &files).unwrap();
    assert!(found.draft.contains("Data: struct { At: vector }"), "{}", found.draft);
    let asked: Vec<&str> = found
        .report
        .todos
        .iter()
        .filter(|one| one.kind == crate::report::Kind::Require)
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(asked, ["game/ReplicatedStorage/Shared/Far"]);
}

#[test]
fn an_error_of_a_required_module_is_told_in_its_file() {
    let files = [("net/a.luau", "require(\"./b\")\n"), ("net/b.luau", "\n\nerror(\"no\")\n")];
    let refusal = of(Tool::Packet, &files).unwrap_err();
    let span = refusal.diagnostic.span().unwrap();
    assert_eq!(refusal.sources[span.file].shown, "net/b.luau");
    assert_eq!(refusal.sources.text(span), "error(\"no\")");
    let ring = [("a.luau", "require(\"./b\")\n"), ("b.luau", "require(\"./a\")\n")];
    let refusal = of(Tool::Packet, &ring).unwrap_err();
    assert_eq!(refusal.diagnostic.labels[0].message, "Requested module was required recursively");
}
