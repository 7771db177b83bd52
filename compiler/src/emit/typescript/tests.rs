//! Declarations of small schemas, and the example of the specification.

use crate::schema::Profile;
use crate::source::MemoryLoader;
use crate::{Compilation, compile};

fn compiled(schema: &str) -> Compilation {
    let text = format!(
        "option Typescript = true\noption PromiseLibrary = \"P\"\noption FutureLibrary = \"F\"\n{schema}"
    );
    let compiled = compile(&MemoryLoader::new().with("x", text), "x", Profile::Release);
    assert!(compiled.outputs.is_some(), "{:#?}", compiled.analysis.diagnostics);
    compiled
}

/// The server's and the client's declaration.
fn declared(schema: &str) -> (String, String) {
    let declarations = compiled(schema).outputs.unwrap().declarations.unwrap();
    (declarations.server, declarations.client)
}

/// What a type declared as `type X = ..` becomes.
fn type_of(written: &str) -> String {
    let (server, _) = declared(&format!(
        "struct A {{ X: u8 }}\nenum B = {{ One, Two }}\nstruct P<T> {{ X: T }}\nstruct S {{ X: {written} }}"
    ));
    let line = server.lines().find(|line| line.starts_with("export type S = ")).unwrap();
    line.trim_start_matches("export type S = ").trim_end_matches(';').to_owned()
}

#[test]
fn types_follow_the_table_of_the_specification() {
    assert_eq!(type_of("u16<0.5>(0..10)"), "{ X: number }");
    assert_eq!(type_of("string(..4)"), "{ X: string }");
    assert_eq!(type_of("buffer"), "{ X: buffer }");
    assert_eq!(type_of("vector<f24>(..5)"), "{ X: Vector3 }");
    assert_eq!(type_of("CFrame<quat>"), "{ X: CFrame }");
    assert_eq!(type_of("DateTimeMillis"), "{ X: DateTime }");
    assert_eq!(type_of("Enum(Font)"), "{ X: Enum.Font }");
    assert_eq!(type_of("Instance"), "{ X: Instance }");
    assert_eq!(type_of("Instance(Model)?"), "{ X?: Model }");
    assert_eq!(type_of("unknown"), "{ X: unknown }");
    assert_eq!(type_of("u8?[..4]"), "{ X: (number | undefined)[] }");
    assert_eq!(type_of("B?[2][3]"), "{ X: (B | undefined)[][] }");
    assert_eq!(type_of("enum { One, Two }[..4]"), "{ X: (\"One\" | \"Two\")[] }");
    assert_eq!(type_of("map { [B]: A[..3] }"), "{ X: Map<B, A[]> }");
    assert_eq!(type_of("set { A, \"B c\" }"), "{ X: { A: boolean; \"B c\": boolean } }");
    assert_eq!(
        type_of("enum \"Kind\" { One { Y: u8? }, Two {} }"),
        "{ X: { Kind: \"One\"; Y?: number } | { Kind: \"Two\" } }"
    );
    assert_eq!(type_of("struct { ..A, Y: P<u8> }"), "{ X: { X: number; Y: P<number> } }");
}

#[test]
fn scopes_inside_scopes_are_written_once() {
    // Asking each scope for its text to know whether it has one would double the work at every level.
    let depth = 60;
    let open: String = (0..depth).map(|level| format!("scope A{level} {{ ")).collect();
    let close = " }".repeat(depth);
    let (server, _) = declared(&format!("{open}type Deep = u8{close}\nscope Empty {{ scope Too {{}} }}"));
    assert_eq!(server.matches("namespace A").count(), depth);
    assert_eq!(server.matches("type Deep = number;").count(), 1);
    assert!(!server.contains("Empty"), "{server}");
}

#[test]
fn a_parameter_may_be_left_out_when_all_behind_it_may() {
    let (_, client) = declared(
        "type Maybe = u8?\n\
         event E { From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Data: (u8?, b: u8, Maybe, c: u8?) }",
    );
    assert!(
        client.contains(
            "readonly Fire: (Value1: number | undefined, b: number, Value3?: Maybe, c?: number) => number;"
        ),
        "{client}"
    );
}

#[test]
fn a_promise_gives_its_first_value_and_no_other() {
    let (_, client) = declared(
        "function A { Yield: Promise, Rate: 1, Return: (u8?, string) }\n\
         function B { Yield: Promise, Rate: 1, Return: (boolean,) }\n\
         function C { Yield: Promise, Rate: 1 }",
    );
    assert!(client.contains("export const A: {\n\treadonly Invoke: () => Promise<number | undefined>;"));
    assert!(client.contains("export const B: {\n\treadonly Invoke: () => Promise<boolean>;"), "{client}");
    assert!(client.contains("export const C: {\n\treadonly Invoke: () => Promise<void>;"));
}

#[test]
fn futures_are_declared_where_they_are_called() {
    let (server, client) = declared("function A { Yield: Future, Rate: 1, Return: (u8, ok: boolean?) }");
    assert!(!server.contains("BlinkFuture"));
    assert!(client.contains("() => BlinkFuture<[Value1: number, ok: boolean | undefined]>;"), "{client}");
}

#[test]
fn parameters_of_generics_have_names_of_their_own() {
    let (server, _) = declared(
        "struct T { X: u8 }\ntype class = u8\nstruct A<T, class> { X: T, Y: class }\nstruct B { Z: T, W: A<u8, T> }",
    );
    assert!(server.contains("export type A<_T, __class> = { X: _T; Y: __class };"), "{server}");
    assert!(server.contains("export type B = { Z: T; W: A<number, T> };"));
}

#[test]
fn members_are_declared_under_the_options_that_add_them() {
    let (server, client) = declared("");
    for absent in ["Start", "Connected", "TrafficStats", "Limits", "Predict"] {
        assert!(!server.contains(absent) && !client.contains(absent), "{absent}");
    }
    let (server, client) = declared(
        "option Casing = Snake\noption AutoStart = false\noption ClientConnectTimeout = 5\noption TrafficStats = true\n\
         option ExportLimits = true\ntype A = u8(1..)",
    );
    assert!(server.contains("export const start: () => void;") && !client.contains("const start"));
    assert!(client.contains("export const connected: boolean;") && !server.contains("connected"));
    assert!(server.contains("\tsent_bytes: number;"));
    assert!(
        client.contains("export const limits: { readonly A: { readonly min: 1; readonly max: number } };")
    );
    assert!(
        client.contains("export const remotes: { readonly Reliable: string; readonly Unreliable: string };")
    );
}

#[test]
fn a_lobby_is_declared_on_both_sides() {
    let (server, client) = declared("option Lobby = true");
    for member in ["SetCallbacks", "SetMaxConnections", "Open", "Join", "Find", "Close", "Kick"] {
        assert!(server.contains(&format!("readonly {member}: ")), "{server}");
    }
    for member in ["SetCallbacks", "Leave", "OpenMenu", "MenuRequested"] {
        assert!(client.contains(&format!("readonly {member}: ")), "{client}");
    }
    assert!(client.contains("readonly ShouldHost: boolean") && client.contains("RBXScriptSignal"));
    assert!(server.contains("readonly Lobby: string") && client.contains("readonly Lobby: string"));
    let (server, client) = declared("option Lobby = true\noption Casing = Snake");
    assert!(server.contains("export const lobby: ") && server.contains("readonly set_max_connections: "));
    assert!(client.contains("readonly open_menu: "));
    assert!(!declared("").0.contains("obby"));
}

#[test]
fn imports_are_namespaces_and_files_name_types_through_them() {
    let loader = MemoryLoader::new()
        .with("x", "option Typescript = true\nimport \"y\" as Y\nstruct A { ..Y.In.B, C: Y.In.Deep.D }")
        .with("y", "scope In { type Own = u8 scope Deep { type D = u8 } struct B { E: Own, F: Deep.D } }");
    let compiled = compile(&loader, "x", Profile::Release);
    assert!(compiled.outputs.is_some(), "{:#?}", compiled.analysis.diagnostics);
    let server = compiled.outputs.unwrap().declarations.unwrap().server;
    assert!(server.contains("export type A = { E: Y.In.Own; F: Y.In.Deep.D; C: Y.In.Deep.D };"), "{server}");
    assert!(server.contains("type B = { E: Own; F: Deep.D };"), "{server}");
}

const EXAMPLE: &str = r#"
enum Gear = { Low, High, Reverse }

struct Driver {
    Name: string(1..24),
    Gear: Gear,
    Seat: u8?
}

export struct Lap { Number: u16, Time: f32 }

event Honk {
    From: Client,
    Type: Reliable,
    Call: SingleAsync,
    Rate: 2,
    Data: (Tone: u8, Loud: boolean?)
}

event LapDone {
    From: Server,
    Type: Reliable,
    Call: ManyAsync,
    Data: (Who: Driver, Lap: Lap)
}

scope Pit {
    function Refuel { Yield: Coroutine, Rate: 1, Data: u8, Return: (Litres: f32, Full: boolean) }
    event Crew { From: Client, Type: Unreliable, Call: Polling, Rate: 20, Data: (Slot: u8, Busy: boolean) }
}
"#;

#[test]
fn the_example_of_the_specification() {
    let (server, _) = declared(EXAMPLE);
    let own =
        |line: &&str| !line.contains("Handler") && !line.contains("StepRep") && !line.contains("Remotes");
    let body: Vec<&str> = server.lines().filter(own).collect();
    let expected = r#"// Generated by BlinkBlox VERSION -- do not edit.

export type Gear = "Low" | "High" | "Reverse";
export type Driver = { Name: string; Gear: Gear; Seat?: number };
export type Lap = { Number: number; Time: number };
export const Lap: {
	readonly Read: (Buffer: buffer) => Lap;
	readonly Write: (Value: Lap) => buffer;
};


export const Honk: {
	readonly On: (Listener: (Player: Player, Tone: number, Loud?: boolean) => void) => () => void;
};
export const LapDone: {
	readonly Fire: (Player: Player, Who: Driver, Lap: Lap) => number;
	readonly FireAll: (Who: Driver, Lap: Lap) => number;
	readonly FireList: (List: readonly Player[], Who: Driver, Lap: Lap) => number;
	readonly FireExcept: (Except: Player, Who: Driver, Lap: Lap) => number;
};

export namespace Pit {
	const Refuel: {
		readonly On: (Listener: (Player: Player, Value: number) => LuaTuple<[Litres: number, Full: boolean]>) => void;
	};
	const Crew: {
		readonly Iter: () => IterableFunction<LuaTuple<[Index: number, Player: Player, Slot: number, Busy: boolean]>>;
		/** @deprecated Use `Iter`. */
		readonly Next: () => IterableFunction<LuaTuple<[Index: number, Player: Player, Slot: number, Busy: boolean]>>;
	};
	export { Refuel, Crew };
}
export {};"#;
    assert_eq!(body.join("\n"), expected.replace("VERSION", crate::VERSION));
}

#[test]
fn the_same_schema_gives_the_same_text() {
    assert_eq!(declared(EXAMPLE), declared(EXAMPLE));
    let without = compile(&MemoryLoader::new().with("x", EXAMPLE), "x", Profile::Release);
    assert_eq!(without.outputs.unwrap().declarations, None);
}
