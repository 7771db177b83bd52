//! `blinkblox test`: reporters, threads, shares, retries, repro lines and joined reports.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{blinkblox, blinkblox_reading, blinkblox_with, code, err, out, project};

/// Five files of two blocks with tests that pass, fail, draw and print.
fn several() -> TempDir {
    let file = |number: usize| {
        format!(
            "describe('block {number} a', function()\n\
               it('passes', function() test.world({{ clients = 1 }}):step(3) end)\n\
               it('fails', function() expect({number}):toBe(0) end)\n\
               it.skip('is skipped', function() end)\n\
             end)\n\
             describe('block {number} b', function()\n\
               it('draws', function() local w = test.world() error(`drew {{w.server:eval('return math.random(1, 1e6)')}}`, 0) end)\n\
               it.todo('is to write')\n\
             end)\n\
             it('stands alone', function() print('from {number}') end)\n"
        )
    };
    let files: Vec<(String, String)> =
        (1..=5).map(|number| (format!("specs/{number}.spec.luau"), file(number))).collect();
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    project(&borrowed)
}

/// A JSON report without real times.
fn report(folder: &Path, arguments: &[&str]) -> Value {
    let mut all = vec!["test", "--reporter", "json"];
    all.extend(arguments);
    let output = blinkblox(folder, &all);
    assert!(err(&output).is_empty(), "{}", err(&output));
    timeless(serde_json::from_str(&out(&output)).unwrap())
}

fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.shift_remove("seconds");
            for (_, value) in map.iter_mut() {
                *value = timeless(value.take());
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| *value = timeless(value.take())),
        _ => {}
    }
    value
}

#[test]
fn files_of_windows_are_read_as_any_other() {
    let spec = "\u{feff}it('runs', function()\r\n\
        local w = test.world({ files = { ['ServerScriptService.M'] = './m.luau' } })\r\n\
        expect(w.server:eval('return require(game.ServerScriptService.M)')):toBe('a\\nb')\r\n\
        local net = test.world({ schema = 'net/game.blink' })\r\n\
        expect(net.server:eval('return typeof(require(game.ServerScriptService.Net).Hit)')):toBe('table')\r\n\
        error('here', 0)\r\nend)\r\n";
    let folder = project(&[
        ("blinkblox.toml", "\u{feff}project = \"game\\\\default.project.json\"\r\n"),
        (
            "game/default.project.json",
            "\u{feff}{\r\n\"name\": \"G\",\r\n\"tree\": { \"$className\": \"DataModel\" } }\r\n",
        ),
        ("specs/a.spec.luau", spec),
        ("specs/m.luau", "\u{feff}return [[a\r\nb]]\r\n"),
        (
            "specs/net/game.blink",
            "\u{feff}import \"..\\rules\"\r\nevent Hit { From: Server, Type: Reliable, Call: ManySync, Data: rules.A }\r\n",
        ),
        ("specs/rules.blink", "\u{feff}type A = u8\r\n"),
    ]);
    let report = report(folder.path(), &["specs"]);
    let failure = report["files"][0]["tests"][0]["failure"]["message"].as_str().unwrap_or_default();
    assert_eq!(failure, "here", "{report:#}");
}

#[test]
fn every_number_of_threads_gives_the_same_report() {
    let folder = several();
    let one = report(folder.path(), &["--jobs", "1"]);
    assert_eq!(one["totals"]["passed"], 10);
    assert_eq!(one["totals"]["failed"], 10);
    for jobs in ["2", "5", "16"] {
        assert_eq!(report(folder.path(), &["--jobs", jobs]), one, "--jobs {jobs}");
    }
    // What --bail leaves out depends on the order of files, not on which thread was first.
    let bail = report(folder.path(), &["--jobs", "1", "--bail", "3"]);
    assert_eq!((&bail["totals"]["failed"], &bail["ended"]), (&Value::from(3), &Value::from("bail")));
    for jobs in ["2", "5"] {
        assert_eq!(report(folder.path(), &["--jobs", jobs, "--bail", "3"]), bail, "--jobs {jobs}");
    }
}

#[test]
fn shares_join_to_what_one_machine_finds() {
    let folder = several();
    let whole = report(folder.path(), &["--signals", "both"]);
    let mut files = Vec::new();
    let mut tests = 0;
    for share in 1..=3 {
        for form in ["json", "junit"] {
            let (share, name) = (format!("{share}/3"), format!("{form}-{share}"));
            let reporter = format!("{form}={name}");
            let arguments = [
                "test",
                "--signals",
                "both",
                "--shard",
                &share,
                "--reporter",
                &reporter,
                "--reporter",
                "silent",
            ];
            let output = blinkblox(folder.path(), &arguments);
            assert!(code(&output) < 2, "{}", err(&output));
            files.push(name);
        }
        let text = fs::read_to_string(folder.path().join(format!("json-{share}"))).unwrap();
        let part: Value = serde_json::from_str(&text).unwrap();
        tests += part["totals"]["tests"].as_u64().unwrap();
    }
    assert_eq!(whole["totals"]["tests"].as_u64().unwrap(), tests, "shares overlap or leave tests out");

    let merge = |form: &str, reporter: &str| {
        let mut arguments = vec!["test", "--merge", "--reporter", reporter];
        arguments.extend(files.iter().filter(|file| file.starts_with(form)).map(String::as_str));
        blinkblox(folder.path(), &arguments)
    };
    let joined = merge("json", "json");
    assert_eq!(code(&joined), 1);
    assert_eq!(timeless(serde_json::from_str(&out(&joined)).unwrap()), whole);
    let counts = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("<testsuites")).unwrap();
        line.split(" time=").next().unwrap().to_string()
    };
    let of_xml = out(&merge("junit", "junit"));
    assert_eq!(counts(&of_xml), counts(&out(&merge("json", "junit"))));
    assert!(of_xml.contains("name=\"block 1 a › fails [deferred]\""), "{of_xml}");

    let output = blinkblox(folder.path(), &["test", "--reporter", "json=o.x", "--reporter", "junit=o.x"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("two reports go to o.x"), "{}", err(&output));
    let alone = files.iter().find(|file| file.starts_with("json")).unwrap();
    let output = blinkblox(folder.path(), &["test", "--merge", alone]);
    assert_ne!(code(&output), 0);
    assert!(err(&output).contains("is missing: join the reports of all"), "{}", err(&output));
    let output = blinkblox(folder.path(), &["test", "--merge", "nowhere.json"]);
    assert_eq!(code(&output), 3);
    fs::write(folder.path().join("odd.txt"), "ok").unwrap();
    let output = blinkblox(folder.path(), &["test", "--merge", "odd.txt"]);
    assert!(err(&output).contains("odd.txt is no report"), "{}", err(&output));
}

#[test]
fn a_watching_run_takes_its_keys_from_a_pipe_too() {
    let folder = project(&[
        ("a.spec.luau", "it('fails', function() error('no', 0) end)"),
        ("b.spec.luau", "it('passes', function() end)"),
    ]);
    let output = blinkblox_reading(folder.path(), &["test", "--watch"], "f\np passes\np /(/\np\nx\nq\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    let counts: Vec<&str> = text.lines().filter(|line| line.contains(" passed, ")).collect();
    let wanted = ["1 passed, 1 failed", "0 passed, 1 failed", "1 passed, 0 failed", "1 passed, 1 failed"];
    assert_eq!(counts, wanted, "{text}");
    assert!(text.contains("watching 2 spec files; a all, f failed, p filter, q quit"), "{text}");
}

/// What runs again: what a run was made from, when its bytes change, and nothing that is only read or lies beside it.
#[test]
fn a_watching_run_is_started_by_changes_of_what_it_read_alone() {
    use std::io::{BufRead, BufReader, Write};
    use std::time::Duration;

    let folder = project(&[("docs/page.md", "old\n")]);
    assert_eq!(code(&blinkblox(folder.path(), &["init", "game"])), 0);
    let game = folder.path().join("game");
    fs::create_dir(game.join(".git")).unwrap();
    /// Ends the run however the test does.
    struct Ended(std::process::Child);
    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let child = Command::new(env!("CARGO_BIN_EXE_blinkblox"))
        .args(["test", "--watch"])
        .current_dir(&game)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = Ended(child);
    let (sender, lines) = std::sync::mpsc::channel();
    let stream = BufReader::new(child.0.stdout.take().unwrap());
    std::thread::spawn(move || {
        stream.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    let is_run = |line: &String| line.contains("watching ");
    let heard = |patience: Duration| {
        let mut found = false;
        while let Ok(line) = lines.recv_timeout(patience) {
            found |= is_run(&line);
            if found {
                break;
            }
        }
        found
    };
    assert!(heard(Duration::from_secs(60)), "the first run");
    let silence = Duration::from_millis(800);
    assert!(!heard(silence), "reading files started a run");
    fs::write(game.join("t.log"), "a line\n").unwrap();
    fs::write(game.join("src/server/out.log"), "a line\n").unwrap();
    fs::write(game.join(".git/index"), "x").unwrap();
    fs::write(game.join("README.md"), "other words\n").unwrap();
    let module = game.join("src/server/Coins.luau");
    let text = fs::read_to_string(&module).unwrap();
    fs::write(&module, &text).unwrap();
    assert!(!heard(silence), "a file that no spec is made from, or the same bytes, started a run");
    fs::write(&module, format!("{text}\n")).unwrap();
    assert!(heard(Duration::from_secs(60)), "a module of the game starts one");
    fs::write(game.join("src/server/New.luau"), "return 1\n").unwrap();
    assert!(heard(Duration::from_secs(60)), "so does a new one");
    child.0.stdin.take().unwrap().write_all(b"q\n").unwrap();
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn a_wait_for_a_script_that_is_no_luau_shows_its_error_first() {
    let place = "{ \"name\": \"x\", \"tree\": { \"$className\": \"DataModel\", \
        \"ServerScriptService\": { \"Game\": { \"$path\": \"src\" } } } }";
    let spec = "it('waits', function()\n\
          local world = test.world({ project = '..' })\n\
          while not world.server:eval('return _G.ready') do task.wait(1) end\n\
        end)\n";
    let folder = project(&[
        ("default.project.json", place),
        ("src/init.server.luau", "require(script.Broken)\n_G.ready = true\n"),
        ("src/Broken.luau", "local x = = 1\nreturn x\n"),
        ("specs/a.spec.luau", spec),
    ]);
    let report = report(folder.path(), &["specs"]);
    let message = report["files"][0]["tests"][0]["failure"]["message"].as_str().unwrap();
    let (error, wait) = message.split_once("the test still waits after 30 virtual seconds").unwrap();
    assert!(error.starts_with("server: ") && error.contains("Broken:1:"), "{message}");
    assert!(wait.starts_with("; --timeout"), "{message}");
}

#[test]
fn traces_of_shares_join_too() {
    let folder = several();
    let whole = ["test", "--trace", "whole.jsonl", "--reporter", "silent"];
    blinkblox(folder.path(), &whole);
    for share in ["1", "2"] {
        let (part, file) = (format!("{share}/2"), format!("{share}.jsonl.gz"));
        blinkblox(folder.path(), &["test", "--shard", &part, "--trace", &file, "--reporter", "silent"]);
    }
    let output =
        blinkblox(folder.path(), &["trace", "merge", "1.jsonl.gz", "2.jsonl.gz", "-o", "joined.jsonl"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let lines = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(lines("joined.jsonl").len() > 10);
    assert_eq!(lines("joined.jsonl"), lines("whole.jsonl"));
}

#[test]
fn a_share_without_tests_is_no_failure() {
    let folder = project(&[("a.spec.luau", "it('is alone', function() end)")]);
    let codes: Vec<i32> = ["1/2", "2/2"]
        .into_iter()
        .map(|share| code(&blinkblox(folder.path(), &["test", "--shard", share])))
        .collect();
    assert_eq!(codes, [0, 0]);
    let output = blinkblox(folder.path(), &["test", "--shard", "3/2"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("such as 2/4"), "{}", err(&output));
}

/// Runs a line of a report as a person would paste it.
#[cfg(unix)]
fn pasted(folder: &Path, line: &str) -> Output {
    let command = line.replacen("blinkblox", env!("CARGO_BIN_EXE_blinkblox"), 1);
    Command::new("sh").args(["-c", &command]).current_dir(folder).output().unwrap()
}

#[cfg(unix)]
#[test]
fn the_repro_line_runs_the_failure_again() {
    let odd = "it('d$raws \"`it`\\'s\" › 50% \\\\ [x] (!)', function()\n\
               error(`drew {test.world().server:eval('return math.random(1, 1e9)')}`, 0)\nend)\n\
               describe('/slashes/', function() it('in/names/', function() error('no', 0) end) end)\n\
               it('/all/', function() error('never', 0) end)\n\
               it('other', function() end)";
    let folder = project(&[("it's here/a.spec.luau", odd)]);
    let first = blinkblox(
        folder.path(),
        &["test", "--seed", "41", "--repeat", "2", "--set", "signalOrder=oldest", "--net", "wifi"],
    );
    let text = out(&first);
    let lines: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("again: ")).collect();
    assert_eq!(lines.len(), 6, "{text}");
    let drawn = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| line.starts_with("drew ")).map(str::to_owned).collect()
    };
    let all = drawn(&text);
    assert_eq!(all.len(), 2, "{text}");
    assert_ne!(all[0], all[1], "two seeds draw the same");
    for line in &lines {
        let again = pasted(folder.path(), line);
        assert_eq!(code(&again), 1, "{line}: {}", err(&again));
        assert!(out(&again).contains("0 passed, 1 failed\n"), "{line}: {}", out(&again));
        assert!(line.contains("--set signalOrder=oldest") && line.contains("--net wifi"), "{line}");
        if line.contains("raws") {
            assert!(all.contains(&drawn(&out(&again))[0]), "{line}: {}", out(&again));
        }
    }
}

#[test]
fn a_test_that_passes_alone_is_flaky() {
    let spec = "local runs = 0\n\
                it('comes first', function() runs += 1 end)\n\
                it('minds the other', function() expect(runs):toBe(0) end)\n\
                it('always fails', function() expect(1):toBe(2) end)";
    let folder = project(&[("a.spec.luau", spec)]);
    let plain = report(folder.path(), &[]);
    assert_eq!(plain["totals"]["failed"], 2);
    let retried = report(folder.path(), &["--retry", "2"]);
    let tests = &retried["files"][0]["tests"];
    assert_eq!((&tests[1]["status"], &tests[1]["attempts"]), (&Value::from("flaky"), &Value::from(2)));
    assert_eq!((&tests[2]["status"], &tests[2]["attempts"]), (&Value::from("failed"), &Value::from(3)));
    let arguments = ["test", "--retry", "1", "--exclude", "always", "--no-strict"];
    let output = blinkblox(folder.path(), &arguments);
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("~ minds the other (flaky: passed at run 2)"), "{}", out(&output));
    assert!(out(&output).contains("1 passed, 0 failed, 1 flaky"), "{}", out(&output));
    assert_eq!(code(&blinkblox(folder.path(), &arguments[..5])), 1, "the usual rules are the strict ones");
}

#[test]
fn orders_are_drawn_again_from_their_seed() {
    let spec: String = (0..12).map(|test| format!("it('test {test}', function() end)\n")).collect();
    let folder = project(&[("a.spec.luau", &spec)]);
    let order = |arguments: &[&str]| -> Vec<String> {
        let report = report(folder.path(), arguments);
        let tests = report["files"][0]["tests"].as_array().unwrap().clone();
        tests.iter().map(|test| test["name"].as_str().unwrap().to_string()).collect()
    };
    let defined = order(&[]);
    let drawn = order(&["--shuffle", "3"]);
    assert_ne!(drawn, defined);
    assert_eq!(drawn, order(&["--shuffle", "3"]));
    assert_ne!(drawn, order(&["--shuffle", "4"]));
}

#[test]
fn the_environment_is_closed_but_for_what_is_passed() {
    let spec = "it('reads', function()\n\
                expect(test.env.GIVEN):toBe('yes')\n\
                expect(test.env.HIDDEN):toBeNil()\nend)";
    let folder = project(&[("a.spec.luau", spec)]);
    let run =
        |arguments: &[&str]| blinkblox_with(folder.path(), arguments, &[("GIVEN", "yes"), ("HIDDEN", "no")]);
    assert_eq!(code(&run(&["test", "--pass-env", "GIVEN"])), 0);
    assert_eq!(code(&run(&["test"])), 1);
}

#[test]
fn flags_of_worlds_reach_worlds_that_do_not_say_otherwise() {
    let spec = "it('has two clients at 30 frames', function()\n\
                local w = test.world()\n\
                expect(#w:clients()):toBe(2)\n\
                w:advance(1)\n\
                expect(w:frame()):toBe(30)\n\
                expect(w:clients()[1]:ping()):toBeGreaterThan(0.05)\n\
                expect(#test.world({ clients = 0, fps = 10 }):clients()):toBe(0)\nend)";
    let folder = project(&[("a.spec.luau", spec), ("blinkblox.toml", "[emulator]\nrateLimit = 9\n")]);
    let arguments = ["test", "--clients", "2", "--fps", "30", "--net", "wifi", "--reporter", "json"];
    let output = blinkblox(folder.path(), &arguments);
    let report: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(code(&output), 0, "{report:#}");
    assert_eq!((&report["settings"]["fps"], &report["settings"]["rateLimit"]), (&"30".into(), &"9".into()));
}

#[test]
fn stricter_rules_fail_warnings_and_misuse() {
    let spec = "it('warns', function() test.world().server:eval(\"warn('careful')\") end)\n\
        it('overflows', function()\n\
          local w = test.world({ clients = 1 })\n\
          w.server:eval([[local r = Instance.new('RemoteEvent', workspace)\n\
            r:FireAllClients({ 1, a = 2 })]])\n\
          w:settle()\nend)\n\
        it('means to', function()\n\
          local w = test.world({ clients = 1 })\n\
          w:expectDiagnostic('E-MIXED')\n\
          w.server:eval([[local r = Instance.new('RemoteEvent', workspace)\n\
            r:FireAllClients({ 1, a = 2 })]])\n\
          w:settle()\nend)\n\
        it('looks itself', function()\n\
          local w = test.world({ clients = 1 })\n\
          w.server:eval([[local r = Instance.new('RemoteEvent', workspace)\n\
            r:FireAllClients({ 1, a = 2 })]])\n\
          w:settle()\n\
          expect(w:diagnostics()[1].code):toBe('E-MIXED')\nend)";
    let folder = project(&[("a.spec.luau", spec)]);
    let failed = |arguments: &[&str]| -> Vec<String> {
        let report = report(folder.path(), arguments);
        let tests = report["files"][0]["tests"].as_array().unwrap().clone();
        let failed = tests.iter().filter(|test| test["status"] == "failed");
        failed.map(|test| test["failure"]["message"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(failed(&["--no-strict"]), Vec::<String>::new());
    let warned = failed(&["--fail-on-warn", "--no-strict"]);
    assert!(warned.len() == 1 && warned[0].contains("careful"), "{warned:?}");
    let strict = failed(&[]);
    assert!(strict.len() == 1 && strict[0].contains("E-MIXED on server"), "{strict:?}");
    assert!(strict[0].contains("expectDiagnostic(\"E-MIXED\")"), "{strict:?}");
}

#[test]
fn the_whole_run_has_a_limit_too() {
    let folder = project(&[
        ("a.spec.luau", "it('is quick', function() end)"),
        ("b.spec.luau", "it('spins', function() while true do end end)\nit('waits', function() end)"),
        ("c.spec.luau", "it('never runs', function() end)"),
    ]);
    let arguments = ["test", "--wall-timeout-total", "1", "--jobs", "1", "--reporter", "junit=r.xml"];
    let output = blinkblox(folder.path(), &arguments);
    assert_eq!(code(&output), 124, "{}", err(&output));
    let xml = fs::read_to_string(folder.path().join("r.xml")).unwrap();
    assert!(xml.contains("is quick") && xml.contains("spins") && !xml.contains("never runs"), "{xml}");
    assert!(xml.contains("\n  b.spec.luau:1"), "the line of the loop: {xml}");
    assert!(xml.contains("name=\"ended\" value=\"timeout\""), "{xml}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_still_reports() {
    let spec = "it('is done', function() end)\n\
                it('spins for a while', function() while true do end end)\n\
                it('never runs', function() end)";
    let folder = project(&[("a.spec.luau", spec)]);
    // Without the interrupt the test would go on for longer than anyone waits.
    let output = interrupted(folder.path(), &["test", "--wall-timeout", "600", "--reporter", "junit=r.xml"]);
    assert_eq!(code(&output), 130);
    let xml = fs::read_to_string(folder.path().join("r.xml")).unwrap();
    assert!(xml.contains("is done") && !xml.contains("never runs"), "{xml}");
    assert!(xml.contains("interrupted while it ran") && xml.contains("a.spec.luau:2"), "{xml}");

    fs::write(folder.path().join("a.spec.luau"), "while true do end").unwrap();
    let output = interrupted(folder.path(), &["test", "--wall-timeout", "600"]);
    assert_eq!(code(&output), 130);
    assert!(out(&output).contains("interrupted while it was loaded: a.spec.luau:1: "), "{}", out(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_game_in_the_middle_of_a_script() {
    let project_file =
        r#"{"name":"g","tree":{"$className":"DataModel","ServerScriptService":{"$path":"src"}}}"#;
    let folder = project(&[
        ("default.project.json", project_file),
        ("src/a.server.luau", "print('begins')\nwhile true do end"),
    ]);
    let output = interrupted(folder.path(), &["run", "--set", "scriptTimeout=0"]);
    assert_eq!(code(&output), 130, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("begins") && text.contains("ServerScriptService.a:2: Script timeout"), "{text}");
    assert!(text.contains("0.0 s played") && err(&output) == "interrupted before the end\n", "{text}");
}

/// What a run writes that is interrupted once scripts are under way.
#[cfg(unix)]
fn interrupted(folder: &Path, arguments: &[&str]) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_blinkblox"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    child.wait_with_output().unwrap()
}

#[test]
fn reporters_follow_the_place_they_run_in() {
    let folder = project(&[("a.spec.luau", "it('fails', function() error('no', 0) end)")]);
    let summary = folder.path().join("summary.md");
    let github = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap())];
    let output = blinkblox_with(folder.path(), &["test"], &github);
    let text = out(&output);
    assert!(text.contains("✗ fails") && text.contains("::error file=a.spec.luau,line=1,"), "{text}");
    assert!(fs::read_to_string(&summary).unwrap().starts_with("### ❌ 0 passed, 1 failed"));
    let output = blinkblox_with(folder.path(), &["test", "--reporter", "dots"], &github);
    assert!(out(&output).starts_with("F\n") && !out(&output).contains("::error"), "{}", out(&output));

    let arguments = ["test", "--reporter", "tap", "--reporter", "json"];
    let output = blinkblox(folder.path(), &arguments);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("write one to a file, tap=FILE"), "{}", err(&output));
    let arguments =
        ["test", "--reporter", "tap=a.tap", "--reporter", "teamcity:b.txt", "--reporter", "silent"];
    let output = blinkblox(folder.path(), &arguments);
    assert_eq!((code(&output), out(&output).as_str()), (1, ""));
    assert!(fs::read_to_string(folder.path().join("a.tap")).unwrap().starts_with("TAP version 14\nnot ok 1"));
    assert!(fs::read_to_string(folder.path().join("b.txt")).unwrap().starts_with("##teamcity["));
}

#[test]
fn globs_choose_files_and_random_seeds_are_told() {
    let folder = project(&[
        ("combat/a.spec.luau", "it('is of combat', function() end)"),
        ("shop/b.spec.luau", "it('is of the shop', function() end)"),
    ]);
    let output = blinkblox(folder.path(), &["test", "--path", "combat/**", "--list"]);
    assert_eq!(out(&output), "combat/a.spec.luau › is of combat\n");
    let output = blinkblox(folder.path(), &["test", "--path", "["]);
    assert_eq!(code(&output), 2);
    let output = blinkblox(folder.path(), &["test", "--seed", "random"]);
    let text = out(&output);
    assert!(text.contains("2 files, seed ") && !text.contains("seed 0,"), "{text}");
}

#[test]
fn the_book_describes_every_flag_of_the_emulator() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    for (command, page) in [("test", "cli.md"), ("run", "cli.md"), ("repl", "cli.md")] {
        let page = fs::read_to_string(book.join(page)).unwrap();
        let help = out(&blinkblox(&book, &[command, "--help"]));
        let flags = help.lines().filter_map(|line| {
            let line = line.trim_start();
            let long = line.strip_prefix("-").map_or(line, |_| line.split(", ").last().unwrap_or(line));
            let flag = long.split([' ', '[', ']', '=', ';', '.']).next()?;
            (line.starts_with('-') && flag.starts_with("--") && flag != "--help").then(|| flag.to_string())
        });
        let missing: Vec<String> = flags.filter(|flag| !page.contains(flag.as_str())).collect();
        assert!(missing.is_empty(), "{command}: {missing:?} are not in the book");
        assert!(help.contains("Examples:\n") && help.contains("Exit codes: "), "{help}");
    }
}

#[test]
fn a_quiet_run_tells_of_failures_alone() {
    let folder = project(&[
        ("good.spec.luau", "it('passes', function() end)"),
        (
            "bad.spec.luau",
            "describe('kept', function() it('holds', function() end) end)\nit('fails', function() error('no') end)\n\
             it.skip('waits', function() end)\nit.todo('comes')",
        ),
        ("worse.spec.luau", "no luau"),
    ]);
    let good = blinkblox(&folder, &["test", "--quiet", "good.spec.luau"]);
    assert_eq!((code(&good), out(&good).as_str(), err(&good).as_str()), (0, "", ""));
    let one = blinkblox(&folder, &["test", "-q", "good.spec.luau", "bad.spec.luau"]);
    assert_eq!(code(&one), 1);
    let both = blinkblox(&folder, &["test", "-q"]);
    assert_eq!(code(&both), 3);
    let told = out(&both);
    assert!(
        told.contains("✗ fails") && told.contains("2 passed, 1 failed, 2 skipped, 1 file not loaded"),
        "{told}"
    );
    assert!(told.contains("worse.spec.luau\n  ✗ could not be loaded"), "{told}");
    for silent in ["good.spec.luau", "kept", "holds", "waits", "comes", "✓", "(skipped)", "(to do)"] {
        assert!(!told.contains(silent), "{silent}: {told}");
    }
    let dots = out(&blinkblox(&folder, &["test", "-q", "--reporter", "dots"]));
    assert!(dots.starts_with("F!\n\n") && dots.contains("2 passed, 1 failed"), "{dots}");
    // A document is printed whatever else is asked for.
    let report: Value = serde_json::from_str(&out(&blinkblox(&folder, &["test", "-q", "--json"]))).unwrap();
    assert_eq!(report["totals"]["passed"], 2);
    let twice = blinkblox(&folder, &["test", "--json", "--reporter", "pretty"]);
    assert_eq!(code(&twice), 2);
    assert!(out(&twice).contains("a document of its own") && err(&twice).is_empty(), "{}", out(&twice));
}

#[test]
fn a_list_and_a_run_that_cannot_begin_are_documents_too() {
    let folder = project(&[
        (
            "a.spec.luau",
            "describe('a', function() it('one', function() end) it.skip('two', function() end) end)",
        ),
        ("blinkblox.toml", ""),
        ("in/b.spec.luau", "it('three', function() end)"),
    ]);
    let list = blinkblox(&folder, &["test", "--list", "--json"]);
    assert_eq!((code(&list), err(&list).as_str()), (0, ""));
    let document: Value = serde_json::from_str(&out(&list)).unwrap();
    assert_eq!((&document["format"], &document["ended"]), (&"blinkblox-report/1".into(), &"listed".into()));
    assert_eq!((&document["success"], &document["totals"]["skipped"]), (&true.into(), &0.into()));
    let tests = document["files"][0]["tests"].as_array().unwrap();
    let names: Vec<_> =
        tests.iter().map(|test| (test["fullName"].as_str().unwrap(), test["line"].clone())).collect();
    assert_eq!(names, [("a › one", 1.into()), ("a › two", 1.into())]);
    assert!(tests.iter().all(|test| test["status"] == "listed"), "{tests:?}");
    // It is of no run, and joins none.
    fs::write(folder.path().join("list.json"), out(&list)).unwrap();
    let merged = blinkblox(&folder, &["test", "--merge", "list.json"]);
    assert_eq!(code(&merged), 3);
    assert!(err(&merged).contains("it lists tests, of which none was run"), "{}", err(&merged));
    // What stops a run before it begins is one document, with the exit code it has for people.
    for (arguments, expected, kind, words) in [
        (&["test", "--json", "nope"][..], 3, "E4005", "nope"),
        (&["test", "nope", "--reporter", "json"], 3, "E4005", "nope"),
        (&["test", "--json", "--list", "nope"], 3, "E4005", "nope"),
        (&["test", "--json", "--merge", "nope.json"], 3, "E4005", "nope.json"),
        (&["test", "--json", "--shard", "9"], 2, "E4007", "9"),
        (&["test", "--json", "--nonsense"], 2, "E4007", "--nonsense"),
        (&["emu", "doctor", "nope", "--json"], 3, "E4005", "nope"),
        (&["emu", "doctor", "--jsn", "--json"], 2, "E4007", "--jsn"),
        (&["trace", "nope", "--json"], 3, "E4005", "nope"),
        (&["trace", "nope", "--json", "--kind", "odd"], 2, "E4007", "odd"),
    ] {
        let failed = blinkblox(&folder, arguments);
        assert_eq!(code(&failed), expected, "{arguments:?}");
        let document = crate::support::json(&failed);
        assert_eq!(document["success"], false, "{arguments:?}");
        let diagnostic = &document["diagnostics"][0];
        assert_eq!(diagnostic["code"], kind, "{arguments:?}");
        assert!(diagnostic["message"].as_str().unwrap().contains(words), "{arguments:?}: {diagnostic}");
    }
    // Nothing stands beside a document: neither which settings count, nor that there is nothing to run.
    for (arguments, expected) in [
        (&["test", "--json"][..], 0),
        (&["test", "--json", "-t", "nothing"], 4),
        (&["test", "--list", "--json", "-t", "nothing"], 4),
    ] {
        let run = blinkblox(folder.path().join("in"), arguments);
        assert_eq!((code(&run), err(&run).as_str()), (expected, ""), "{arguments:?}");
        let document: Value = serde_json::from_str(&out(&run)).unwrap();
        assert_eq!(document["exitCode"], expected, "{arguments:?}");
    }
}

const ASKING: &str = "option ServerOutput = \"../src/Server\"\noption ClientOutput = \"../src/Client\"\n\
    option InvocationTimeout = 3\nfunction Count { Yield: Coroutine, Rate: 5, Return: u8 }\n\
    function Ask { From: Server, Yield: Coroutine, Return: u8 }\n\
    function Few { Yield: Coroutine, Rate: 5, Return: f32(0..9) }\n";

/// What a call that nobody answers costs and says.
#[test]
fn a_call_that_nobody_answers_is_named_and_its_wait_counts_once() {
    let spec = "local world, ada\n\
        beforeEach(function()\n\
          world = test.world({ schema = '../net/game.blink', clients = 1 })\n\
          world:advance(1)\n\
          ada = world:clients()[1]\n\
        end)\n\
        it('of a client', function() ada.net.Count.Invoke() end)\n\
        it('of the server', function() world.server.net.Ask.Invoke(ada.player) end)\n\
        it('is answered', function()\n\
          world.server.net.Count.On(function() return 7 end)\n\
          expect(ada.net.Count.Invoke()):toBe(8)\n\
        end)\n\
        it('waits alone', function() task.wait(2) error('enough', 0) end)\n\
        it('waits without a world', function() world = nil task.wait(2) end)\n\
        it('is answered out of range', function()\n\
          world.server.net.Few.On(function() return 0 / 0 end)\n\
          ada.net.Few.Invoke()\n\
        end)\n";
    let folder = project(&[("net/game.blink", ASKING), ("specs/a.spec.luau", spec)]);
    let report = report(folder.path(), &[]);
    let tests = &report["files"][0]["tests"];
    let message = |test: usize| tests[test]["failure"]["message"].as_str().unwrap();
    assert!(message(0).contains("Call of \"Count\" failed."), "{}", message(0));
    assert!(
        message(0).contains("nobody answers Net.Count on the server: a call that came at 1."),
        "{}",
        message(0)
    );
    assert!(
        message(1).contains("nobody answers Net.Ask on Player1: a call that came at 1."),
        "{}",
        message(1)
    );
    assert!(!message(2).contains("nobody answers"), "{}", message(2));
    assert!(!message(5).contains("nobody answers"), "{}", message(5));
    assert!(message(5).contains("the server answered Net.Few, but"), "{}", message(5));
    assert!(!message(5).contains("could not read"), "told once: {}", message(5));
    let seconds = |test: usize| tests[test]["virtualSeconds"].as_f64().unwrap();
    // A second before the call, three until it is given up.
    assert!((4.0..4.2).contains(&seconds(0)), "{}", seconds(0));
    assert!((3.0..3.1).contains(&seconds(3)), "{}", seconds(3));
}

/// What a module sends that the other side drops, for what is sent is not checked.
#[test]
fn what_a_side_could_not_read_is_told_at_the_test_that_fails() {
    let schema =
        "event Aim { From: Server, Type: Reliable, Call: SingleSync, Data: struct { Pitch: f32(0..1) } }\n";
    let spec = "local function aim(pitch)\n\
          local w = test.world({ schema = '../net/game.blink', clients = 2 })\n\
          w:advance(1)\n\
          local heard = 0\n\
          w:clients()[2].net.Aim.On(function() heard += 1 end)\n\
          for _ = 1, 3 do\n\
            w.server.net.Aim.Fire(w:clients()[2].player, { Pitch = pitch })\n\
            w:advance(0.2)\n\
          end\n\
          expect(heard):toBe(3)\n\
        end\n\
        it('is out of range', function() aim(0 / 0) end)\n\
        it('is in range', function() aim(1) error('for another reason', 0) end)\n";
    let folder = project(&[("net/game.blink", schema), ("specs/a.spec.luau", spec)]);
    let report = report(folder.path(), &[]);
    let message = |test: usize| report["files"][0]["tests"][test]["failure"]["message"].as_str().unwrap();
    let told = "\nPlayer2 could not read what the server sent on ReplicatedStorage.BLINK_RELIABLE_REMOTE and had at 1.";
    let note = message(0).split_once(told).unwrap_or_else(|| panic!("{}", message(0))).1;
    assert!(note.contains(" s at Aim: ") && note.ends_with(", and 2 more"), "{}", message(0));
    assert!(!note.contains('\n'), "a line: {note}");
    assert!(!message(1).contains("could not read"), "{}", message(1));
}

#[test]
fn waits_without_a_world_count_and_blocks_that_share_worlds_count_their_own() {
    let spec = "it('waits', function() task.wait(2) end)\n\
        describe.shared('one world', function()\n\
          local w\n\
          it('begins', function() w = test.world() w:advance(3) end)\n\
          it('goes on', function() w:advance(1) test.world():advance(2) end)\n\
        end)\n";
    let folder = project(&[("specs/a.spec.luau", spec)]);
    let report = report(folder.path(), &[]);
    let tests = report["files"][0]["tests"].as_array().unwrap();
    let seconds: Vec<f64> =
        tests.iter().map(|test| test["virtualSeconds"].as_f64().unwrap().round()).collect();
    assert_eq!(seconds, [2.0, 3.0, 2.0]);
}

#[test]
fn a_broken_schema_is_told_of_once_a_run() {
    let broken = "event Say { From: Client, Type: Reliable, Call: SingleSync, Data: Nothing }\n";
    let test =
        |name: &str| format!("it('{name}', function() test.world({{ schema = '../net/game.blink' }}) end)\n");
    let (two, one) = (test("a") + &test("b"), test("c") + "it('d', function() error('of its own', 0) end)\n");
    let folder =
        project(&[("net/game.blink", broken), ("specs/1.spec.luau", &two), ("specs/2.spec.luau", &one)]);
    for reporter in ["pretty", "dots"] {
        let output = blinkblox(&folder, &["test", "--reporter", reporter]);
        assert_eq!(code(&output), 1);
        let text = out(&output);
        assert_eq!(text.matches("[E3007]").count(), 1, "{text}");
        for part in
            ["which 3 tests need", "specs/1.spec.luau: 2 tests", "specs/2.spec.luau: 1 test\n", "of its own"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    // A report that other programs read has it at each test, and a joined one is read by people.
    let output = blinkblox(&folder, &["test", "--reporter", "json=all.json"]);
    assert_eq!(code(&output), 1);
    let joined = out(&blinkblox(&folder, &["test", "--merge", "all.json"]));
    assert_eq!(joined.matches("[E3007]").count(), 1, "{joined}");
}

/// What a file does before its tests are known.
#[test]
fn odd_spec_files_are_told_of_one_by_one() {
    let many = "for i = 1, 10000 do it('case ' .. i, function() end) end\n";
    let folder = project(&[
        ("empty.spec.luau", ""),
        ("number.spec.luau", "return 3\n"),
        ("raises.spec.luau", "local x = 1\nerror('at load')\n"),
        ("loops.spec.luau", "while true do end\n"),
        ("yields.spec.luau", "coroutine.yield()\nit('a', function() end)\n"),
        ("syntax.spec.luau", "it('a', function(\n"),
        ("deep.spec.luau", &format!("local x = {}1{}\n", "(".repeat(5_000), ")".repeat(5_000))),
        ("late.spec.luau", "it('a', function() it('b', function() end) end)\n"),
        ("names.spec.luau", "it('\\0\\27[31m\\xff', function() end)\nit('', function() end)\nit(nil, 5)\n"),
        ("good.spec.luau", "it('holds', function() end)\n"),
    ]);
    fs::write(folder.path().join("bytes.spec.luau"), b"it('\xff\xfe', function() end)\n").unwrap();
    fs::create_dir(folder.path().join("folder.spec.luau")).unwrap();
    let output = blinkblox(&folder, &["test", "--wall-timeout", "1"]);
    let told = out(&output) + &err(&output);
    assert_eq!(code(&output), 3, "{told}");
    assert!(!told.contains("panicked") && !told.contains("BlinkBlox 0.1.0 itself failed"), "{told}");
    for part in ["at load", "loops.spec.luau", "syntax.spec.luau", "holds"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("\u{1b}[31m\u{fffd}") && !told.contains('\0'), "{told:?}");
    // Every reporter writes what it can of it.
    for reporter in ["json", "junit", "tap", "dots", "github", "teamcity"] {
        let output = blinkblox(&folder, &["test", "--wall-timeout", "1", "--reporter", reporter]);
        assert_eq!(code(&output), 3, "{reporter}");
        assert!(!err(&output).contains("panicked"), "{reporter}: {}", err(&output));
    }
    fs::write(folder.path().join("many.spec.luau"), many).unwrap();
    let output = blinkblox(&folder, &["test", "-q", "many.spec.luau"]);
    assert_eq!((code(&output), out(&output).as_str()), (0, ""), "{}", err(&output));
}
