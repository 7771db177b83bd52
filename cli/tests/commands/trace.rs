//! `blinkblox trace`: what it lists, sums up, compares, plays back, and how it ends.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{blinkblox, code, err, out};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lag-compensation")
}

/// A folder with `a.jsonl`: two seconds of the example with two players on a wifi, and more arguments.
fn recorded(more: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), "a.jsonl", more);
    folder
}

fn record(folder: &Path, file: &str, more: &[&str]) {
    let project = example();
    let mut arguments = vec!["run", project.to_str().unwrap(), "--for", "2", "--seed", "3", "--clients", "2"];
    arguments.extend(["--trace", file]);
    // The last of two equal flags would be refused: defaults only stand where nothing else is said.
    if !more.contains(&"--net") {
        arguments.extend(["--net", "wifi"]);
    }
    arguments.extend(more);
    let output = blinkblox(folder, &arguments);
    assert_eq!(code(&output), 0, "{}", err(&output));
}

#[test]
fn a_trace_is_listed_filtered_and_summed_up() {
    let folder = recorded(&[]);
    let run = |arguments: &[&str]| {
        let output = blinkblox(folder.path(), &[&["trace", "a.jsonl"], arguments].concat());
        assert_eq!(code(&output), 0, "{arguments:?}: {}", err(&output));
        out(&output)
    };
    let all = run(&[]);
    assert!(all.starts_with("   seconds  server  Player1 Player2  what happened\n"), "{all}");
    assert!(all.contains("Player1 joins, user -1"), "{all}");
    let seats = run(&["--event", "seat", "--kind", "event"]);
    assert_eq!(seats.lines().count(), 3, "{seats}");
    assert!(seats.contains("Seat {id = 1}, 2 B"), "{seats}");
    let later = run(&["--from", "1", "--until", "1.5", "--side", "Player2", "--kind", "arrive,handle"]);
    assert!(later.lines().count() > 5, "{later}");
    assert!(run(&["--player", "-2", "--kind", "join"]).contains("Player2 joins"));
    let summary = run(&["--summary"]);
    assert!(summary.contains("server to clients") && summary.contains("\nHeads "), "{summary}");
    let document: serde_json::Value = serde_json::from_str(&run(&["--summary", "--json"])).unwrap();
    assert_eq!(document["up"]["messages"], 0);
    assert!(document["events"][0]["bytes"].as_u64().unwrap() > 100, "{document}");
    assert!(
        run(&["--csv"])
            .starts_with("id,sent,from,to,remote,class,bytes,events,fate,arrived,handled,resends\n")
    );
    let packet = run(&["--id", "5"]);
    assert!(
        packet.starts_with("#5 Heads: server to all\n") && packet.contains("Value[1].Id = 1"),
        "{packet}"
    );
    let lines = run(&["--event", "Seat", "--json"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines}");
    fs::write(folder.path().join("seats.jsonl"), &lines).unwrap();
    let again = blinkblox(folder.path(), &["trace", "seats.jsonl"]);
    assert_eq!(code(&again), 0, "what --json leaves over is a trace: {}", err(&again));
    assert!(!run(&["--json", "--redact", "strings"]).contains("\"b64\""));
}

#[test]
fn a_page_is_written_whole() {
    let folder = recorded(&[]);
    let output = blinkblox(folder.path(), &["trace", "a.jsonl", "--html", "page.html"]);
    assert_eq!((code(&output), out(&output).as_str()), (0, "wrote page.html\n"));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("\"title\":\"lag-compensation\""));
}

#[test]
fn equal_runs_have_no_difference_and_others_are_explained() {
    let folder = recorded(&["--trace-frames"]);
    record(folder.path(), "b.jsonl.gz", &["--trace-frames"]);
    record(folder.path(), "c.jsonl", &["--trace-frames", "--net", "poor"]);
    let packed = fs::read(folder.path().join("b.jsonl.gz")).unwrap();
    assert_eq!(packed[..2], [0x1f, 0x8b]);
    let same = blinkblox(folder.path(), &["trace", "diff", "a.jsonl", "b.jsonl.gz"]);
    assert_eq!(code(&same), 0, "{}", out(&same));
    assert!(out(&same).starts_with("no difference in "), "{}", out(&same));
    let other = blinkblox(folder.path(), &["trace", "diff", "a.jsonl", "c.jsonl"]);
    assert_eq!(code(&other), 1);
    let text = out(&other);
    assert!(text.starts_with("A is a.jsonl, line ") && text.contains("then they part:\n  A "), "{text}");
}

#[test]
fn every_example_plays_the_same_with_the_same_seed() {
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut count = 0;
    for entry in fs::read_dir(examples).unwrap() {
        let project = entry.unwrap().path();
        // One in TypeScript plays once roblox-ts has been over it; `tests/tests/typescript` does that.
        if !project.join("blinkblox.toml").is_file() || project.join("package.json").is_file() {
            continue;
        }
        count += 1;
        for file in ["one.jsonl", "two.jsonl"] {
            let project = project.to_str().unwrap();
            let arguments = [
                "run",
                project,
                "--for",
                "5",
                "--seed",
                "9",
                "--clients",
                "3",
                "--net",
                "poor",
                "--trace",
                file,
            ];
            let output = blinkblox(folder.path(), &arguments);
            assert_eq!(code(&output), 0, "{}", err(&output));
        }
        let diff = blinkblox(folder.path(), &["trace", "diff", "one.jsonl", "two.jsonl"]);
        assert_eq!(code(&diff), 0, "{}: {}", project.display(), out(&diff));
    }
    assert!(count > 0, "there are no examples");
}

#[test]
fn what_clients_sent_is_played_to_a_fresh_server() {
    let folder = recorded(&[]);
    let project = example();
    let project = project.to_str().unwrap();
    let output = blinkblox(folder.path(), &["trace", "replay", "a.jsonl", project, "--to", "server"]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    assert!(out(&output).contains("the server sent the same "), "{}", out(&output));
    let missing = blinkblox(folder.path(), &["trace", "replay", "a.jsonl", "nowhere"]);
    assert_eq!((code(&missing), err(&missing).as_str()), (3, "error: there is no nowhere\n"));
}

#[test]
fn faults_name_the_file_the_line_and_the_flag() {
    let folder = recorded(&[]);
    let mut text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    text.push_str("{\"k\":\"mark\",\"t\":1,\"f\":1,\"n\":1,\"side\":\"server\"}\n");
    let line = text.lines().count();
    fs::write(folder.path().join("bad.jsonl"), text).unwrap();
    let fails = |arguments: &[&str], wanted: i32, said: &str| {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), wanted, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    };
    fails(
        &["trace", "bad.jsonl"],
        3,
        &format!("bad.jsonl:{line}: `text` is missing from this `mark` record"),
    );
    fails(&["trace", "nowhere.jsonl"], 3, "nowhere.jsonl cannot be read");
    fails(&["trace", "diff", "a.jsonl", "nowhere.jsonl"], 3, "nowhere.jsonl cannot be read");
    fails(&["trace"], 2, "<FILE> is missing");
    fails(&["trace", "diff", "a.jsonl"], 2, "<B> is missing");
    fails(
        &["trace", "a.jsonl", "--side", "Bob"],
        2,
        "there is no side Bob in this trace; there are server, Player1",
    );
    fails(&["trace", "a.jsonl", "--kind", "nope"], 2, "there is no kind nope");
    fails(&["trace", "a.jsonl", "--from", "NaN"], 2, "--from takes a number");
    fails(&["trace", "a.jsonl", "--world", "2"], 2, "a.jsonl holds 1, counted from 1");
    fails(&["trace", "a.jsonl", "--id", "99999"], 2, "there is no such packet");
    fails(&["trace", "a.jsonl", "--redact", "strings"], 2, "--json is missing");
    fails(&["trace", "a.jsonl", "--html", "no/such/place.html"], 2, "cannot be written");
}

#[test]
fn each_world_of_a_test_run_can_be_picked() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "
        for _, name in { 'one', 'two' } do
            it(name, function()
                local world = test.world({ clients = 1 })
                world:step(3)
                world:mark(name)
            end)
        end";
    fs::write(folder.path().join("a.spec.luau"), spec).unwrap();
    let run = blinkblox(folder.path(), &["test", "--trace", "t.jsonl"]);
    assert_eq!(code(&run), 0, "{}", out(&run));
    let second = blinkblox(folder.path(), &["trace", "t.jsonl", "--world", "2", "--kind", "mark"]);
    assert!(out(&second).contains("mark: two"), "{}", out(&second));
    assert_eq!(err(&second), "t.jsonl holds 2 worlds; this is 2 of them: two. --world N shows another.\n");
}
