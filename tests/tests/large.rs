//! Modules of the largest schemas load: a Luau function may have 200 locals and 255 upvalues, a channel 256 declarations.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_tests::large::{self, CALLS};
use mlua::chunk::Compiler;

const OPTIONS: &str = "option Predict = true\noption BatchUnreliable = true\noption WriteValidations = true\n\
                       option ExportLimits = true\noption AutoStart = false\noption ClientConnectTimeout = 5\n";

/// Every module of the schema compiles to bytecode, at the levels games run on.
#[track_caller]
fn assert_loads(name: &str, schema: &str) {
    for options in ["", OPTIONS] {
        let loader = MemoryLoader::new().with("large", format!("{options}{schema}"));
        let compilation = blinkblox_compiler::compile(&loader, "large", Profile::Release);
        let wrong: Vec<_> = compilation.analysis.diagnostics.iter().filter(|one| one.is_error()).collect();
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        let outputs = compilation.outputs.unwrap();
        for (side, text) in [("server", &outputs.server), ("client", &outputs.client)] {
            for level in [1, 2] {
                let compiled = Compiler::new().set_optimization_level(level).compile(text);
                compiled.unwrap_or_else(|error| panic!("the {side} module of {name}: {error}"));
            }
        }
    }
}

#[test]
fn events() {
    assert_loads("512 events", &large::events());
}

#[test]
fn events_one_way() {
    for (from, rate) in [("Server", ""), ("Client", "Rate: 5, ")] {
        for call in CALLS {
            let mut schema = String::new();
            for index in 0..256 {
                schema += &format!(
                    "event E{index} {{ From: {from}, Type: Reliable, Call: {call}, {rate}Data: string(..9) }}\n"
                );
                schema += &format!(
                    "event U{index} {{ From: {from}, Type: OrderedUnreliable, Call: {call}, {rate}Data: vector[..4] }}\n"
                );
            }
            assert_loads(&format!("512 {call} events from the {from}"), &schema);
        }
    }
}

#[test]
fn functions() {
    assert_loads("256 functions", &large::functions());
}

#[test]
fn streams() {
    assert_loads("256 streams", &large::streams());
}

#[test]
fn types() {
    let mut schema = String::new();
    for index in 0..300 {
        schema += &format!(
            "export struct T{index} {{ At: vector<f24>, Names: string(..9)[..4], Lit: boolean[] }}\n"
        );
        schema += &format!("enum K{index} = {{ One, Two, Three, Four, Five, Six, Seven, Eight }}\n");
    }
    for index in 0..256 {
        let from = if index % 2 == 0 { "Server" } else { "Client" };
        schema += &format!(
            "event E{index} {{ From: {from}, Type: Reliable, Call: SingleSync, Data: struct {{ A: T{index}, B: T{index}[..3], C: K{index} }} }}\n"
        );
    }
    assert_loads("600 types", &schema);
}

#[test]
fn fields() {
    let mut fields = String::new();
    for index in 0..300 {
        fields += &format!("F{index}: {},", ["u8", "boolean", "string(..9)", "vector", "u8?"][index % 5]);
    }
    let schema = format!(
        "struct Wide {{ {fields} }}\n\
         event A {{ From: Server, Type: Reliable, Call: SingleSync, Data: Wide }}\n\
         event B {{ From: Client, Type: Reliable, Call: SingleSync, Data: Wide[..3] }}\n"
    );
    assert_loads("a struct of 300 fields", &schema);
}

/// `inner` inside so many wrappers, each named by its level.
fn nest(levels: usize, inner: &str, wrap: impl Fn(usize, &str) -> String) -> String {
    (0..levels).rev().fold(inner.to_owned(), |inner, level| wrap(level, &inner))
}

#[test]
fn nesting() {
    let level = |level: usize, inner: &str| {
        format!(
            "struct {{ A{level}: u8(3..200), B{level}: boolean, C{level}: string(..5), D{level}: {inner}? }}"
        )
    };
    for (what, ty) in [
        ("structs in optionals", nest(90, "u8", level)),
        ("arrays", format!("u8{}", "[..2]".repeat(90))),
        (
            "optional arrays of structs",
            nest(60, "u8", |at, inner| format!("struct {{ A{at}: {inner}[..3]?, B{at}: u8? }}")),
        ),
        ("maps", nest(60, "u8(1..9)", |_, inner| format!("map {{ [string(..3)]: {inner} }}"))),
        (
            "tagged enums",
            nest(60, "u8", |at, inner| {
                format!("enum \"Kind\" {{ A {{ X{at}: {inner}, Y: boolean }}, B {{ Z: u8? }} }}")
            }),
        ),
    ] {
        let schema = format!(
            "event A {{ From: Server, Type: Reliable, Call: SingleSync, Data: {ty} }}\n\
             event B {{ From: Client, Type: Reliable, Call: SingleSync, Data: ({ty}, u8) }}\n\
             function F {{ Yield: Coroutine, Data: {ty}, Return: {ty} }}\n\
             export struct Stored {{ V: {ty} }}\n"
        );
        assert_loads(&format!("nested {what}"), &schema);
    }
}

#[test]
fn entities_and_tables() {
    let many = |count: usize, field: &str| -> String {
        (0..count).map(|index| format!("F{index}: {field}, ")).collect()
    };
    let mut schema = String::new();
    for index in 0..64 {
        let from = if index % 2 == 0 { "Server" } else { "Client" };
        let columns = many(16, ["u8", "boolean", "u16(0..3)", "string(..9)", "E0?"][index % 5]);
        schema += &format!(
            "table T{index} {{ From: {from}, Rate: {}, Fields: {{ {columns} }} }}\n",
            index % 60 + 1
        );
    }
    let mut entities = String::new();
    for index in 0..64 {
        entities += &format!(
            "entity E{index} {{ Owner: true, Transform: true, Parent: true, Named: true, Tags: true, Attributes: true,\n\
             Input: struct {{ Aim: E{index}? }}, Data: struct {{ {} }} }}\n",
            many(20, ["u8", "boolean", "E0?", "vector?", "string(..9)"][index % 5])
        );
    }
    assert_loads("64 tables and 64 entities", &format!("{entities}{schema}"));

    let deep =
        nest(20, "E0?", |level, inner| format!("struct {{ A{level}: u8(3..200), B{level}: {inner} }}"));
    assert_loads(
        "fields 20 deep, 128 that share bytes, and none",
        &format!(
            "entity E0 {{ Data: struct {{}} }}\nentity Deep {{ Data: struct {{ Deep: {deep} }} }}\n\
             entity Wide {{ Data: struct {{ {} }} }}\n",
            many(128, "boolean")
        ),
    );
}

/// Names that Luau keeps for itself, and those that a module or an entity's own members have.
#[test]
fn entities_of_any_name() {
    let names = [
        "end",
        "self",
        "nil",
        "Data",
        "Ship_Data",
        "Ship_Mirror",
        "Ship_Handle",
        "Store",
        "EntityStore",
        "Player",
    ];
    let fields: String = names.iter().map(|name| format!("[\"{name}\"]: u8, ")).collect();
    let mut schema =
        format!("struct Ship_Data {{ {fields} }}\ntype Ship_Entity = u8\ntype Ship_Handle = u8\n");
    schema +=
        &format!("entity Ship {{ Parent: true, Named: true, Data: struct {{ {fields} Who: Ship? }} }}\n");
    schema += &format!("table Rows {{ From: Client, Fields: {{ {fields} }} }}\n");
    schema += "scope Sea { entity A_B { Data: struct { Who: A_B? } } scope A { entity B { Data: struct { Who: B?, Other: A_B? } } } }\n";
    for name in names.into_iter().filter(|name| !matches!(*name, "Ship_Data" | "Ship_Handle")) {
        schema += &format!("scope In_{name} {{ entity {name} {{ Data: struct {{ Who: {name}? }} }} }}\n");
    }
    assert_loads("entities of any name", &schema);
}
