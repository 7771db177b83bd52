//! The page of a trace in a real browser: it opens, filters, shows a packet's fields, and its console stays silent.
//!
//! A headless Chromium is driven by `tests/trace/drive.mjs`; `npm` installs what `tests/trace/package-lock.json` names.
//! Where there is no Chromium the test says so and passes, unless `CI` is set. `CHROMIUM` names another browser. The
//! screenshots lie in `target/tmp/trace-page` for people to look at.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};
use std::process::Command;

use blinkblox_emulator::clock::Time;
use blinkblox_emulator::game::{self, GameOptions};
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::recording::{self, Field, Recording, Story, show};
use blinkblox_emulator::testing::{RunOptions, run};
use serde_json::{Value, json};

#[test]
fn a_trace_can_be_read_in_a_browser() {
    let Some(browser) = browser() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "CI needs a Chromium, Node.js and npm; .ci/run installs them"
        );
        println!("skipped: there is no Chromium, no node or no npm");
        return;
    };
    let place = installed();
    let fencing = fencing();
    let game = lossy_game();
    let mut plan = json!({
        "shots": &place,
        "pages": {
            "fencing": look(&place, "fencing", &fencing, "Heads", None),
            "game": look(&place, "game", &game, "Chatted", Some("Bea's link is cut")),
        },
        "large": { "page": "game", "packets": 100_000 },
    });
    plan["pages"]["game"]["hostile"] =
        json!({ "find": "hacked()", "text": "</script><img src=x onerror=hacked()>" });
    let plan_file = place.join("plan.json");
    std::fs::write(&plan_file, plan.to_string()).unwrap();
    let output = Command::new("node")
        .arg("drive.mjs")
        .args([browser.as_os_str(), plan_file.as_os_str()])
        .current_dir(&place)
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A folder of this crate.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The browser, if it and what drives it are there.
fn browser() -> Option<PathBuf> {
    let runs = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let browser = named.into_iter().chain(known.map(PathBuf::from)).find(|path| path.is_file())?;
    (runs("node") && runs("npm")).then_some(browser)
}

/// A folder of the target directory with the driver and what it needs.
fn installed() -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace-page");
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::read(folder("trace/package-lock.json")).unwrap();
    let fresh = std::fs::read(place.join("installed")).is_ok_and(|known| known == lock);
    for file in ["package.json", "package-lock.json", ".npmrc", "drive.mjs"] {
        std::fs::copy(folder("trace").join(file), place.join(file)).unwrap();
    }
    if !fresh {
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        let output = Command::new("npm").args(arguments).current_dir(&place).output().unwrap();
        assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::write(place.join("installed"), lock).unwrap();
    }
    place
}

/// Ten seconds of the example, three players on a mobile network.
fn fencing() -> Recording {
    let world = game::open(&GameOptions {
        path: folder("../examples/lag-compensation"),
        seed: 3,
        settings: Vec::new(),
        clients: 3,
        link: LinkSettings::preset("mobile").unwrap(),
        fps: 60.0,
        client_fps: 60.0,
        config: None,
    })
    .unwrap();
    while world.now() < Time::from_seconds(10.0) {
        world.step(1).unwrap();
    }
    only(&world.trace().to_text())
}

/// The arena of `tests/trace/game.spec.luau`.
fn lossy_game() -> Recording {
    let options =
        RunOptions { files: vec![folder("trace/game.spec.luau")], trace: true, ..RunOptions::default() };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "{:?}", report.files);
    let game = only(&report.trace_text());
    let summary = recording::summarise(&game);
    assert!(summary.down.resends > 0 && summary.up.dropped > 0, "too kind a network: {summary:?}");
    game
}

fn only(text: &str) -> Recording {
    let mut recordings = recording::read(text.as_bytes()).unwrap();
    assert_eq!(recordings.len(), 1);
    recordings.remove(0)
}

/// Writes the page of a recording, and says what must be found in it: a packet of `event` with all its fields.
fn look(place: &Path, name: &str, recording: &Recording, event: &str, note: Option<&str>) -> Value {
    let title = recording.header.test.as_deref().or(recording.header.project.as_deref()).unwrap();
    let file = place.join(format!("{name}.html"));
    std::fs::write(&file, recording::page::page(recording, title)).unwrap();
    let story = Story::of(recording);
    let titled = |packet: &&recording::PacketStory| {
        story.title(packet) == event
            && packet.shares[0].arrived.is_some()
            && story.sent_at(packet) > 4_000_000_000
    };
    let packet = story.packets.iter().find(titled).unwrap();
    let decoded = story.decoded(packet).next().unwrap();
    let field = |field: &Field| {
        let (from, to) = field.place.bytes().unwrap_or((0, 0));
        let role = field.is.as_deref().unwrap_or_default();
        json!({ "path": &*field.path, "role": role, "value": show(&field.value, 200), "from": from, "to": to })
    };
    json!({
        "file": file,
        "packets": story.packets.len(),
        "event": event,
        "packet": story.sent(packet).id,
        "title": event,
        "fields": decoded.fields.iter().map(field).collect::<Vec<_>>(),
        "note": note,
    })
}
