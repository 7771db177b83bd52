//! Emitted modules parse, and pass Luau's type checker in strict mode.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};

use blinkblox_compiler::Outputs;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_tests::large;
use blinkblox_typecheck::{assert_checks, errors};

/// The modules of a schema, which must compile.
#[track_caller]
fn compile(name: &str, schema: &str) -> Outputs {
    let loader = MemoryLoader::new().with(name, schema);
    let compilation = blinkblox_compiler::compile(&loader, name, Profile::Release);
    let wrong: Vec<_> = compilation.analysis.diagnostics.iter().filter(|one| one.is_error()).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    compilation.outputs.unwrap()
}

/// Each module of a schema by name.
fn modules(outputs: &Outputs) -> Vec<(&str, &str)> {
    let mut modules = vec![("server", outputs.server.as_str()), ("client", outputs.client.as_str())];
    modules.extend(outputs.types.as_deref().map(|types| ("types", types)));
    modules
}

#[track_caller]
fn assert_sound(name: &str, outputs: &Outputs) {
    for (side, text) in modules(outputs) {
        let name = format!("the {side} module of {name}");
        assert!(text.starts_with("--!strict\n"), "{name} is not strict");
        full_moon::parse(text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        assert_checks(&name, text);
    }
}

fn files(folder: PathBuf, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

fn schema(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.blink"));
    std::fs::read_to_string(path).unwrap()
}

/// `code` behind the module that `text` is, which it calls `Net`.
fn using(text: &str, code: &str) -> String {
    let tree = full_moon::parse(text).unwrap();
    let Some(full_moon::ast::LastStmt::Return(returned)) = tree.nodes().last_stmt() else {
        panic!("a module ends in what it returns");
    };
    let at = returned.token().token().start_position().bytes();
    let (module, value) = text.split_at(at);
    let value = value.trim_start().strip_prefix("return").unwrap();
    format!("{module}local Net ={value}\n{code}\n")
}

#[track_caller]
fn assert_passes(module: &str, code: &str) {
    assert_checks(code, &using(module, code));
}

/// `code` is one line, and wrong in that line alone.
#[track_caller]
fn assert_fails(module: &str, code: &str) {
    assert_fails_at(module, code, 1);
}

/// `code` is wrong in one line alone, counted from its end.
#[track_caller]
fn assert_fails_at(module: &str, code: &str, from_end: usize) {
    let source = using(module, code);
    let line = source.lines().count() + 1 - from_end;
    let found = errors(&source);
    assert!(!found.is_empty(), "{code} passes");
    for error in found {
        assert!(error.starts_with(&format!("{line}: ")), "{code}: {error}");
    }
}

/// A function takes exactly `count` parameters. This checker lets a call give more to any function that is written out,
/// so it is asked for the number.
#[track_caller]
fn assert_parameters(module: &str, function: &str, count: usize) {
    let code = format!(
        "type function Arity(f: any)\n\
         \treturn types.singleton(tostring(#(f:parameters().head or {{}})))\n\
         end\n\
         local Count: Arity<typeof({function})> = "
    );
    assert_passes(module, &format!("{code}\"{count}\"\nprint(Count)"));
    assert_fails_at(module, &format!("{code}\"none\"\nprint(Count)"), 2);
}

#[test]
fn schemas_of_this_crate() {
    let paths = files(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas"), "blink");
    assert!(paths.len() >= 10);
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert_sound(&name, &compile(&name, &schema(&name)));
    }
}

/// Row N45 of the checklist: each listener of a session has the signature of its event.
#[test]
fn listeners_of_sessions_have_their_signature() {
    let outputs = compile("session", &schema("session"));
    for right in [
        "local Off = Net.Session.Connected(function(Who: Player) print(Who.UserId) end) Off()",
        "Net.Session.Disconnected(function(Who: Player, Cause: string) print(Who.UserId, Cause) end)",
        "Net.Session.OnFixedTick(function(Tick: number, Dt: number) print(Tick + Dt) end)",
        "print(Net.Session.SetMaxPlayers(3) + Net.Session.Causes.KickVote)",
    ] {
        assert_passes(&outputs.server, right);
    }
    for wrong in [
        "Net.Session.Connected(function(Name: string) print(Name) end)",
        "Net.Session.Disconnected(function(Cause: number) print(Cause) end)",
        "Net.Session.OnFixedTick(function(Tick: string) print(Tick) end)",
        "print(Net.Session.Causes.KickForFun)",
    ] {
        assert_fails(&outputs.server, wrong);
    }
    assert_passes(&outputs.client, "Net.Session.Connected(function() print(Net.Session.Ping()) end)");
    assert_fails(&outputs.client, "Net.Session.Disconnected(function(Cause: number) print(Cause) end)");
    assert_fails(&outputs.client, "Net.Session.Kick(nil)");
}

/// A function of Luau has 200 locals and 255 upvalues; a channel has 256 declarations.
#[test]
fn schemas_as_large_as_may_be() {
    assert_sound("512 events", &compile("large", &large::events()));
}

#[test]
fn as_many_functions_as_may_be() {
    assert_sound("256 functions", &compile("functions", &large::functions()));
}

#[test]
fn as_many_streams_as_may_be() {
    assert_sound("256 streams", &compile("streams", &large::streams()));
}

#[test]
fn as_many_rates_as_may_be() {
    let event = |index| {
        format!(
            "event E{index} {{ From: Client, Type: Reliable, Call: SingleSync, Rate: 4, Data: (u8, string) }}\n"
        )
    };
    // As many as are charged in place, and more.
    for count in [32, 256] {
        let schema: String = (0..count).map(event).collect();
        assert_sound(&format!("{count} rates"), &compile("rates", &schema));
    }
}

#[test]
fn as_many_containers_as_may_be() {
    let mut schema = String::new();
    for index in 0..256 {
        let from = if index % 2 == 0 { "Server" } else { "Client" };
        schema += &format!(
            "event E{index} {{ From: {from}, Type: Reliable, Call: SingleSync, \
             Data: struct {{ At: vector<f24>, Names: string(..9)[..4], Lit: boolean[..50], Note: string? }} }}\n"
        );
    }
    assert_sound("256 containers", &compile("containers", &schema));
}

#[test]
fn nothing_at_all() {
    assert_sound("an empty schema", &compile("empty", ""));
}

#[test]
fn streams_have_no_fire() {
    let outputs = compile("streams", &schema("streams"));
    assert_passes(
        &outputs.server,
        "Net.Heads.Set({}) Net.Heads.Clear() Net.Heads.Urgent() Net.Heads.SetFast(true)",
    );
    for member in ["Fire", "FireAll", "FireList", "FireExcept"] {
        assert_fails(&outputs.server, &format!("Net.Heads.{member}({{}})"));
    }
}

#[test]
fn streams_take_their_state_and_nothing_else() {
    let outputs = compile("streams", &schema("streams"));
    let player = "local Ada = (nil :: any) :: Player";
    assert_passes(
        &outputs.server,
        &format!("{player} Net.Trust.Set(Ada, {{ Gap = 1, Bucket = 2 }}) Net.Trust.SetFast(Ada, true)"),
    );
    assert_fails(&outputs.server, "Net.Trust.Set(1)");
    assert_fails(&outputs.server, "Net.Trust.Set({ Gap = 1, Bucket = 2 })");
    assert_fails(&outputs.server, "Net.Heads.Set(1)");
    assert_fails(&outputs.server, "Net.Heads.Set(nil)");
    assert_fails(&outputs.server, "Net.Heads.SetFast(1)");
    assert_passes(&outputs.server, "Net.Heads.Set({ { Id = 1, At = Vector3.new(), Back = true } })");
    assert_fails(&outputs.server, "Net.Heads.Set({ { Id = 1, At = Vector3.new() } })");
}

#[test]
fn listeners_of_streams_hear_a_state_or_nil_and_the_time() {
    let outputs = compile("streams", &schema("streams"));
    assert_passes(
        &outputs.client,
        "Net.Heads.On(function(Heads: { Head }?, ServerTime: number) print(Heads, ServerTime + 1) end)",
    );
    assert_fails(
        &outputs.client,
        "Net.Heads.On(function(Heads: { Head }, ServerTime: number) print(Heads, ServerTime) end)",
    );
    assert_fails(
        &outputs.client,
        "Net.Heads.On(function(Heads: { Head }?, ServerTime: string) print(Heads, ServerTime) end)",
    );
    assert_passes(
        &outputs.client,
        "local Stop: () -> () = Net.Number.On(function(Value, Time) print(Time + 1, Value) end) Stop()",
    );
}

#[test]
fn stamped_events_fire_what_is_declared() {
    let outputs = compile("stamps", &schema("stamps"));
    assert_passes(&outputs.client, "Net.Swing.Fire() Net.Aim.Fire(3, Vector3.new())");
    assert_fails(&outputs.client, "Net.Aim.Fire(3)");
    assert_parameters(&outputs.client, "Net.Aim.Fire", 2);
    assert_parameters(&outputs.client, "Net.Swing.Fire", 0);
}

#[test]
fn listeners_of_stamped_events_hear_the_time_last() {
    let outputs = compile("stamps", &schema("stamps"));
    assert_passes(
        &outputs.server,
        "Net.Swing.On(function(Player: Player, SentAt: number) print(Player, SentAt) end)",
    );
    assert_fails(
        &outputs.server,
        "Net.Swing.On(function(Player: Player, SentAt: string) print(Player, SentAt) end)",
    );
    assert_passes(
        &outputs.server,
        "Net.Aim.On(function(Player: Player, Target: number, At: Vector3, SentAt: number) print(Player, Target, At, SentAt) end)",
    );
    assert_fails(
        &outputs.server,
        "Net.Aim.On(function(Player: Player, SentAt: number, At: number, Target: Vector3) print(Player, Target, At, SentAt) end)",
    );
}

#[test]
fn events_are_typed_on_both_sides() {
    let outputs = compile("calls", &schema("calls"));
    assert_passes(&outputs.server, "Net.ServerSingleSync.FireAll(\"Ada\", 5) Net.ServerNothing.FireAll()");
    assert_fails(&outputs.server, "Net.ServerSingleSync.FireAll(5, \"Ada\")");
    assert_fails(&outputs.server, "Net.ServerSingleSync.Fire(\"Ada\", 5)");
    assert_passes(
        &outputs.server,
        "local Ada = (nil :: any) :: Player Net.ServerManySync.Fire(Ada, 1) Net.ServerManySync.FireList({ Ada }, 1) Net.ServerManySync.FireExcept(Ada, 1)",
    );
    assert_passes(
        &outputs.server,
        "for _, Player, Turn, Brake in Net.ClientPolling.Iter() do print(Player.Name, Turn + 1, Brake) end",
    );
    assert_passes(
        &outputs.client,
        "Net.ClientSingleSync.Fire(1, \"hoe\") Net.ClientManyAsync.Fire({ 1, 2 })",
    );
    assert_fails(&outputs.client, "Net.ClientSingleSync.Fire(\"hoe\", 1)");
    assert_passes(
        &outputs.client,
        "local Stop: () -> () = Net.ServerManyAsync.On(function(a, lane, b) print(a + lane + b) end) Stop()",
    );
    assert_passes(
        &outputs.client,
        "for Index, Value in Net.ServerPolling.Iter() do print(Index, Value + 1) end",
    );
}

#[test]
fn functions_are_typed_on_both_sides() {
    let outputs = compile("functions", &schema("functions"));
    assert_passes(
        &outputs.client,
        "local Text: string = Net.Plain.Invoke(5) print(Text) Net.Nothing.Invoke()",
    );
    assert_fails(&outputs.client, "local Text: number = Net.Plain.Invoke(5) print(Text)");
    assert_fails(&outputs.client, "Net.Plain.Invoke(\"a\")");
    assert_passes(
        &outputs.client,
        "local Ok: boolean, Code: number = Net.Pack.Invoke(1, \"a\") print(Ok, Code)",
    );
    assert_passes(&outputs.client, "Net.Ask.On(function(Value: string): boolean? return Value == \"a\" end)");
    assert_passes(
        &outputs.server,
        "Net.Plain.On(function(Player: Player, Value: number): string return Player.Name .. Value end)",
    );
    assert_fails(
        &outputs.server,
        "Net.Plain.On(function(Player: Player, Value: number): number return Value end)",
    );
    assert_passes(
        &outputs.server,
        "local Ada = (nil :: any) :: Player local Yes: boolean? = Net.Ask.Invoke(Ada, \"a\") print(Yes)",
    );
    assert_fails(&outputs.server, "Net.Ask.Invoke(\"a\")");
}

#[test]
fn exported_types_read_and_write_themselves() {
    let outputs = compile("options", &schema("options"));
    let types = outputs.types.as_deref().unwrap();
    for module in [&outputs.server, &outputs.client, types] {
        assert_passes(
            module,
            "local Kept: buffer = Net.Coin.write({ At = Vector3.new(), Worth = 5 }) local Coin: Coin = Net.Coin.read(Kept) print(Coin.Worth)",
        );
        assert_fails(module, "Net.Coin.write({ At = Vector3.new() })");
        assert_passes(module, "print(Net.limits.Coins.length.max + Net.limits.Buy.Data.count.min)");
    }
}
