//! `blinkblox watch` beside a real `rojo serve`: what a schema becomes is read back from Rojo, as Studio reads it.
//!
//! `cargo test -p blinkblox-rojo --features oracle` builds Rojo first; without the feature there is nothing here.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod messagepack;
mod processes;
#[path = "../../../../cli/tests/commands/watcher.rs"]
mod watcher;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use processes::{Rojo, blinkblox, until};
use watcher::Watcher;

const PROJECT: &str = r#"{ "name": "synced", "tree": { "$className": "DataModel",
    "ServerScriptService": { "Server": { "$path": "src/server" } },
    "ReplicatedStorage": { "Shared": { "$path": "src/shared" } } } }"#;
const SERVER: &str = "ServerScriptService.Server.Net";
const CLIENT: &str = "ReplicatedStorage.Shared.Net";

/// A schema with one event of that name.
fn schema(server: &str, event: &str) -> String {
    format!(
        "option ServerOutput = \"{server}\"\noption ClientOutput = \"src/shared/Net\"\n\
         event {event} {{ From: Server, Type: Reliable, Call: SingleSync, Data: u8 }}\n"
    )
}

/// Waits until Rojo has the modules on disk and they have the event, and gives them. Of each module Rojo had nothing in
/// between but what it had before: never a half.
fn arrives(rojo: &Rojo, folder: &Path, event: &str, before: Option<&[String; 2]>) -> [String; 2] {
    let mut seen = [BTreeSet::new(), BTreeSet::new()];
    let made = until(&format!("{event} arrives through Rojo"), || {
        let found = [rojo.source(SERVER), rojo.source(CLIENT)];
        for (seen, found) in seen.iter_mut().zip(&found) {
            seen.extend(found.clone());
        }
        let [Some(server), Some(client)] = found else { return None };
        (server.contains(event) && client.contains(event)).then_some([server, client])
    });
    let file = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    assert_eq!(made, [file("src/server/Net.luau"), file("src/shared/Net.luau")]);
    for (side, seen) in seen.iter().enumerate() {
        let known = |text: &String| *text == made[side] || before.is_some_and(|before| *text == before[side]);
        assert!(seen.iter().all(known), "{seen:#?}");
    }
    made
}

/// Waits until Rojo has taken a file that was written now: everything written before it has been taken as well.
fn settles(rojo: &Rojo, folder: &Path, mark: &str) {
    fs::write(folder.join(format!("src/shared/{mark}.luau")), format!("return \"{mark}\"\n")).unwrap();
    until(&format!("{mark} arrives through Rojo"), || {
        rojo.source(&format!("ReplicatedStorage.Shared.{mark}"))
    });
}

#[test]
fn what_a_schema_becomes_arrives_through_rojo() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    for (path, text) in [
        ("default.project.json", PROJECT),
        ("blinkblox.toml", "[[schema]]\npath = \"net.blink\"\n"),
        ("src/server/Main.server.luau", "print(1)\n"),
        ("src/shared/Keep.luau", "return 1\n"),
        ("net.blink", &schema("src/server/Net", "Greet")),
    ] {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), text).unwrap();
    }
    let write = |text: &str| fs::write(folder.join("net.blink"), text).unwrap();

    let rojo = Rojo::serve(folder);
    assert_eq!(rojo.source("ReplicatedStorage.Shared.Keep").as_deref(), Some("return 1\n"));
    assert_eq!(rojo.source(SERVER), None);
    let watch = Watcher::start(&blinkblox(), folder, &[]);
    watch.hears("Wrote 2 files");
    let greet = arrives(&rojo, folder, "Greet", None);

    write(&schema("src/server/Net", "Wave"));
    let wave = arrives(&rojo, folder, "Wave", Some(&greet));
    assert!(wave.iter().all(|module| !module.contains("Greet")));

    // Broken: the last good modules stay.
    write(&schema("src/server/Net", "Bow").replace("u8", "u99"));
    watch.hears("[E3007]");
    settles(&rojo, folder, "Broken");
    assert_eq!([rojo.source(SERVER).unwrap(), rojo.source(CLIENT).unwrap()], wave);

    write(&schema("src/server/Net", "Bow"));
    watch.hears("the errors are gone");
    let bow = arrives(&rojo, folder, "Bow", Some(&wave));

    // A server module that every client could read reaches neither the disk nor Rojo.
    write(&schema("src/shared/Secret", "Nod"));
    let refusal = watch.hears("[E4010]");
    assert!(refusal.contains("ReplicatedStorage.Shared.Secret"), "{refusal}");
    settles(&rojo, folder, "Refused");
    assert_eq!(rojo.source("ReplicatedStorage.Shared.Secret"), None);
    assert!(!folder.join("src/shared/Secret.luau").exists());
    assert_eq!([rojo.source(SERVER).unwrap(), rojo.source(CLIENT).unwrap()], bow);
    assert_eq!(watch.stop(), Some(0));
}
