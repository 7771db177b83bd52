//! The runtime library passes the type checker, in the form in which generated modules carry it.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::emit::bundle::{Bundle, modules};
use blinkblox_typecheck::assert_checks;

fn text(bundle: &Bundle) -> String {
    let mut text = String::from("--!strict\n");
    for part in bundle.parts() {
        text += &part.text;
        text += "\n\n";
    }
    text
}

#[test]
fn definitions_are_sound() {
    assert_checks(
        "nothing",
        "--!strict\nlocal players = game:GetService(\"Players\"):GetPlayers()\nprint(#players)\n",
    );
    assert_eq!(blinkblox_typecheck::errors("--!strict\nlocal a: number = \"b\"\nprint(a)\n").len(), 1);
}

#[test]
fn each_module_passes_with_what_it_requires() {
    for (name, members) in modules() {
        let mut bundle = Bundle::default();
        bundle.need(name, &members);
        assert_checks(name, &text(&bundle));
    }
}

#[test]
fn all_modules_pass_together() {
    let mut bundle = Bundle::default();
    for (name, members) in modules() {
        bundle.need(name, &members);
    }
    assert_checks("the whole library", &text(&bundle));
}

/// A member alone must not lean on what a need for another member brings along.
#[test]
fn each_member_passes_alone() {
    for (name, members) in modules() {
        for member in members {
            let mut bundle = Bundle::default();
            bundle.need(name, &[member]);
            assert_checks(&format!("{name}.{member}"), &text(&bundle));
        }
    }
}

/// Types of the schema are named by its author, and may have the names that the library uses inside.
#[test]
fn types_of_a_schema_do_not_disturb_the_library() {
    let mut bundle = Bundle::default();
    for (name, members) in modules() {
        bundle.need(name, &members);
    }
    let types = [
        "State",
        "Settings",
        "Queue",
        "Row",
        "Listener",
        "Run",
        "Bucket",
        "Entry",
        "Connection",
        "DropReason",
    ];
    let mut source = text(&bundle);
    for ty in types {
        source += &format!("export type {ty} = {{ {ty}: number }}\n");
    }
    source += "local state: State = { State = 1 }\nreturn state\n";
    assert_checks("a schema of such types", &source);
}
