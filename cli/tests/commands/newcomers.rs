//! What somebody who is new stumbles over, or somebody who looks for trouble: each ends in words that help.

use std::fs;

use crate::support::{blinkblox, blinkblox_reading, code, err, out, project};

#[test]
fn rows_name_their_tests() {
    let spec = r#"
it.each({ { "a", 2.5 }, { "b", 3 } })("%s is %d, %i, row %# and %$, 100%% %x", function() end)
it.each({ { { 1, 2 }, { a = true } } })("%j and %p", function() end)
it.each({ { name = "Ada", at = { x = 4 } } })("$name at $at.x, $at. $other $#", function() end)
it.each({ 7, 8 })("%f%s", function(value) expect(value):toBeGreaterThan(6) end)
it.skip.each({ { 1 } })("skips %d", function() error("never") end)
describe.each({ { 1 }, { 2 } })("block %d", function(value)
	it("holds", function() expect(value):toBeLessThan(3) end)
end)
it.each({ { "only one" } })("%s %s", function() end)
it.each({ -3.7, -0.2, 1e300 })("%i", function() end)
"#;
    let folder = project(&[("a.spec.luau", spec)]);
    let listed = out(&blinkblox(&folder, &["test", "--list"]));
    let names: Vec<&str> = listed.lines().map(|line| line.strip_prefix("a.spec.luau › ").unwrap()).collect();
    assert_eq!(
        names,
        [
            "a is 2.5, %i, row 0 and 1, 100% %x",
            "b is 3, %i, row 1 and 2, 100% %x",
            "[1,2] and { a = true }",
            "Ada at 4, { x = 4 }. $other 0",
            "7%s",
            "8%s",
            "skips 1",
            "block 1 › holds",
            "block 2 › holds",
            "only one %s",
            "-3",
            "0",
            "1e+300",
        ]
    );
    for wrong in ["it.each(5)('x', print)", "it.each({ 1 })(5, print)", "describe.each({ 1 })('x')"] {
        let folder = project(&[("a.spec.luau", wrong)]);
        let output = out(&blinkblox(&folder, &["test"]));
        assert!(output.contains("a.spec.luau:1: each"), "{wrong}: {output}");
    }
    assert_eq!(code(&blinkblox(&folder, &["test"])), 0);
}

#[test]
fn a_spec_without_a_test_does_not_pass() {
    for (text, why) in [
        ("", "the file is empty"),
        ("-- it('is', function() end)\n--[[ and more ]]\n", "the file is empty"),
        ("describe('things', function() end)", "must contain at least one"),
        ("beforeEach(function() end)", "must contain at least one"),
    ] {
        let folder = project(&[("a.spec.luau", text)]);
        let output = blinkblox(&folder, &["test"]);
        assert_eq!(code(&output), 3, "{text}");
        assert!(out(&output).contains(why), "{text}: {}", out(&output));
    }
    // A script that checks by itself is one test, as before.
    let folder = project(&[("a.spec.luau", "assert(1 + 1 == 2)")]);
    assert_eq!(code(&blinkblox(&folder, &["test"])), 0);
}

#[test]
fn many_tests_of_a_file_take_time_by_their_number() {
    let of = |count: usize| {
        let text = format!("for i = 1, {count} do it('t' .. i, function() expect(i):toBe(i) end) end");
        let folder = project(&[("a.spec.luau", &text)]);
        let began = std::time::Instant::now();
        let output = blinkblox(&folder, &["test", "--reporter", "silent"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        began.elapsed().as_secs_f64()
    };
    // Eight times the tests took sixty times as long once; a busy machine may double anything.
    let (few, many) = (of(1_000), of(8_000));
    assert!(many < 30.0 * few.max(0.1), "{few} s and {many} s");
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_are_followed_once() {
    let place = r#"{ "name": "x", "tree": { "$className": "DataModel",
        "ServerScriptService": { "Game": { "$path": "game" } } } }"#;
    let folder = project(&[
        ("default.project.json", place),
        ("game/Main.server.luau", "print('plays')"),
        ("specs/a.spec.luau", "it('is', function() end)"),
    ]);
    let at = |path: &str| folder.path().join(path);
    std::os::unix::fs::symlink("..", at("specs/again")).unwrap();
    std::os::unix::fs::symlink("../specs", at("game/specs")).unwrap();
    std::os::unix::fs::symlink("../game", at("specs/game")).unwrap();
    std::os::unix::fs::symlink("itself", at("game/itself")).unwrap();
    let ran = blinkblox(&folder, &["test"]);
    assert!(out(&ran).contains("1 passed, 0 failed\n1 file"), "{}{}", out(&ran), err(&ran));
    assert!(out(&ran).contains("specs/a.spec.luau"), "{}", out(&ran));
    let played = blinkblox(&folder, &["run", "--for", "1"]);
    assert_eq!(code(&played), 0, "{}", err(&played));
    assert!(out(&played).contains("plays"), "{}", out(&played));
    let examined = blinkblox(&folder, &["emu", "doctor"]);
    assert_eq!(code(&examined), 0, "{}", err(&examined));
    assert!(out(&examined).contains("a link to a folder that it lies in"), "{}", out(&examined));
}

#[test]
fn a_folder_without_a_project_is_told_of() {
    let folder = project(&[
        ("main.server.luau", "print('never')"),
        ("a.spec.luau", "it('opens', function() test.world({ project = '.' }) end)"),
    ]);
    let played = blinkblox(&folder, &["run", "--for", "1"]);
    assert_eq!((code(&played), out(&played).as_str()), (3, ""));
    let said = err(&played);
    assert!(
        said.contains("error: there is no Rojo project in .") && said.contains("blinkblox init"),
        "{said}"
    );
    // A script of its own needs none.
    fs::write(folder.path().join("job.luau"), "return 1 + 1").unwrap();
    let played = blinkblox(&folder, &["run", "--script", "job.luau"]);
    assert_eq!(code(&played), 0, "{}", err(&played));
    assert!(err(&played).contains("warning: there is no Rojo project in ."), "{}", err(&played));
    assert!(out(&played).starts_with("2\n"), "{}", out(&played));
    let ran = blinkblox(&folder, &["test"]);
    assert_eq!(code(&ran), 1);
    assert!(out(&ran).contains("there is no Rojo project in"), "{}", out(&ran));
}

#[test]
fn what_is_announced_must_come() {
    let spec = "it('of an error', function() world:expectError('boom') end)\n\
        it('of a code', function() world:expectDiagnostic('E-MIXED') end)\n\
        it('of no code', function() world:expectDiagnostic('E-MXIED') end)\n\
        it('of anything', function() world:expectError('') end)\n\
        it('that came', function()\n\
        \tworld:expectError('boom')\n\
        \tworld.server:eval('task.spawn(error, \"boom\")')\n\
        end)\n";
    let folder = project(&[("a.spec.luau", spec)]);
    let ran = blinkblox(&folder, &["test"]);
    let text = out(&ran);
    assert!(text.contains("2 passed, 3 failed"), "{text}");
    for words in [
        "world:expectError(\"boom\") was met by nothing",
        "world:expectDiagnostic(\"E-MIXED\") was met by nothing",
        "there is no diagnostic \"E-MXIED\"; there are E-MIXED, E-KEYS",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(out(&blinkblox(&folder, &["test", "--no-strict"])).contains("4 passed, 1 failed"));
}

#[test]
fn limits_of_time_hold_for_steps_and_loading() {
    let folder = project(&[
        ("long.spec.luau", "it('is long', function() for _ = 1, 10 do world:advance(9) end end)"),
        ("steps.spec.luau", "it('steps', function() world:step(3000000000) end)"),
        ("load/stuck.spec.luau", "while true do end"),
    ]);
    assert_eq!(code(&blinkblox(&folder, &["test", "long.spec.luau"])), 0);
    let limited = blinkblox(&folder, &["test", "long.spec.luau", "--timeout", "60"]);
    assert_eq!(code(&limited), 1);
    assert!(out(&limited).contains("takes more than 60 virtual seconds; --timeout"), "{}", out(&limited));
    assert!(out(&limited).contains("--timeout 60"), "{}", out(&limited));
    let stepped = blinkblox(&folder, &["test", "steps.spec.luau", "--wall-timeout", "1"]);
    assert_eq!(code(&stepped), 1);
    assert!(out(&stepped).contains("--wall-timeout allows more"), "{}", out(&stepped));
    let stuck = blinkblox(&folder, &["test", "load", "--wall-timeout-total", "1"]);
    assert_eq!(code(&stuck), 124, "{}", out(&stuck));
}

#[test]
fn files_of_others_stay_at_the_prompt() {
    let folder = project(&[("mine.luau", "return 1\n")]);
    let session = "1 + 1\n.save mine.luau\n.trace save mine.luau\n.save s.spec.luau\n.save s.spec.luau\n\
        .trace save t.jsonl\n.trace save t.jsonl\n.save mine.luau now\n";
    let output = blinkblox_reading(&folder, &["repl"], session);
    assert_eq!(err(&output).matches("mine.luau is there and not from here, so it stays").count(), 2);
    assert!(err(&output).contains("`now` is one word too many"), "{}", err(&output));
    assert_eq!(fs::read_to_string(folder.path().join("mine.luau")).unwrap(), "return 1\n");
    assert!(folder.path().join("s.spec.luau").is_file() && folder.path().join("t.jsonl").is_file());
    let forced = blinkblox_reading(&folder, &["repl"], ".save mine.luau force\n");
    assert_eq!(code(&forced), 0, "{}", err(&forced));
    assert!(fs::read_to_string(folder.path().join("mine.luau")).unwrap().starts_with("-- A session of"));
}

#[test]
fn tables_are_shown_by_what_is_in_them() {
    let folder = project(&[("job.luau", "local t = { a = { 1, 2 } }\nt.me = t\nreturn t, 'text', 5")]);
    let output = blinkblox_reading(&folder, &["repl"], "t = { 1 }; t.me = t; return t\n");
    assert!(out(&output).contains("{ 1, me = <cycle> }"), "{}{}", out(&output), err(&output));
    let ran = blinkblox(&folder, &["run", "--script", "job.luau"]);
    let text = out(&ran);
    assert!(text.contains("a = { 1, 2 }") && text.contains("me = <cycle>") && !text.contains("0x"), "{text}");
    assert!(text.contains("\ntext\n5\n"), "{text}");
}

#[test]
fn codes_of_the_emulator_have_pages() {
    let folder = project(&[]);
    let page = blinkblox(&folder, &["explain", "e-mixed"]);
    assert_eq!(code(&page), 0);
    assert!(
        out(&page).starts_with("# E-MIXED\n") && out(&page).contains("expectDiagnostic"),
        "{}",
        out(&page)
    );
    let near = blinkblox(&folder, &["explain", "E-MIXD"]);
    assert!(err(&near).contains("Did you mean `E-MIXED`?"), "{}", err(&near));
}

#[test]
fn traces_say_what_there_is_and_show_what_failed() {
    let spec = |extra: &str| {
        format!(
            "test.options({{ clients = 1, files = {{ ['ReplicatedStorage.Code'] = './code.luau' }} }})\n\
            it('passes', function() world:step(5) end)\n\
            it('fails', function() world:step(5) {extra} end)\n"
        )
    };
    let folder = project(&[("a.spec.luau", &spec("error('on purpose')")), ("code.luau", "return 1")]);
    let run = |file: &str| blinkblox(&folder, &["test", "--trace", file]);
    assert_eq!(code(&run("a.jsonl")), 1);
    let shown = blinkblox(&folder, &["trace", "a.jsonl"]);
    assert!(err(&shown).contains("this is 2 of them: fails, which failed"), "{}", err(&shown));
    for (flags, words) in [
        (["--fate", "gone"], "there is no fate gone; there are sent, queued, delivered, lost"),
        (["--event", "Nothing"], "there is no event Nothing in this trace"),
        (["--remote", "Nothing"], "there is no remote Nothing in this trace"),
    ] {
        let output = blinkblox(&folder, &[&["trace", "a.jsonl"][..], &flags].concat());
        assert_eq!(code(&output), 2, "{flags:?}");
        assert!(err(&output).contains(words), "{flags:?}: {}", err(&output));
    }
    let before = fs::read(folder.path().join("a.jsonl")).unwrap();
    let output = blinkblox(&folder, &["trace", "a.jsonl", "--html", "./a.jsonl"]);
    assert_eq!((code(&output), fs::read(folder.path().join("a.jsonl")).unwrap()), (2, before));

    // Another text of the project that changes nothing is no difference; one that does is explained all the same.
    fs::write(folder.path().join("code.luau"), "return 2").unwrap();
    assert_eq!(code(&run("b.jsonl")), 1);
    let same = blinkblox(&folder, &["trace", "diff", "a.jsonl", "b.jsonl"]);
    assert_eq!(code(&same), 0, "{}", out(&same));
    let text = fs::read_to_string(folder.path().join("a.spec.luau")).unwrap();
    fs::write(
        folder.path().join("a.spec.luau"),
        text.replacen("world:step(5)", "world:step(1) world.server:eval('print(1)') world:step(4)", 1),
    )
    .unwrap();
    assert_eq!(code(&run("c.jsonl")), 1);
    let other = out(&blinkblox(&folder, &["trace", "diff", "a.jsonl", "c.jsonl"]));
    assert!(
        other.contains("(projectHash)") && other.contains("then A ends, and B goes on with 1 more:"),
        "{other}"
    );
}

#[test]
fn a_faulty_configuration_is_told_by_line_and_key() {
    for (text, words) in [
        (
            "[[schema]]\npth = 1\n",
            "blinkblox.toml:2:1: there is no key `pth` here; there are `path`, `profile`",
        ),
        ("[[schema]]\nprofile = \"dev\"\n", "the key `path` is missing"),
        ("project = \n", "blinkblox.toml:1:"),
    ] {
        let folder = project(&[("blinkblox.toml", text)]);
        let output = blinkblox(&folder, &["build"]);
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains(words), "{text}: {}", err(&output));
        assert!(!err(&output).contains("TOML parse error"), "{}", err(&output));
    }
}

#[test]
fn misuse_of_the_test_api_is_told_at_its_line() {
    let calls = [
        ("world['until'](world, 5)", "the condition is a function, not a number"),
        (
            "world['until'](world, function() return false end, { within = 0.1 })",
            "the condition was still false",
        ),
        (
            "world:leave(5)",
            "who leaves is a side, such as world.server or one of world:clients(), not a number",
        ),
        (
            "world:leave()",
            "who leaves is a side, such as world.server or one of world:clients(), not nothing",
        ),
        ("world:stepPhase('send')", "whose phase it is is a side"),
        ("world:settle(3)", "what settle takes is a table, not a number"),
        ("world:stats('server')", "whose figures they are is a side"),
        ("world:packets('Ready')", "the filter of packets is a table, not a string"),
        ("world:inject({ remote = 'X' })", "`from` of what is injected is a side"),
        ("world:intercept(function() end)", "the filter of packets is a table, not a function"),
        ("world:on('send')", "what is called is a function, not nothing"),
        ("world:budget(100)", "a budget is a table, not a number"),
        ("world.server.eval('return 1')", "eval is a method: call it with a colon"),
        ("world:restore(1)", "w:restore takes a snapshot of the same world"),
        ("test.world(2)", "what test.world takes is a table, not a number"),
        ("test.spy(5, 'x')", "what test.spy looks into is a table, not a number"),
        ("test.spy({}, 'x')", "test.spy: \"x\" is no function"),
        ("test.forAll(5, print)", "what test.forAll draws is a table, not a number"),
        ("test.property('x', {}, print)", "may only be called while the file loads"),
        ("it('x', print)", "it may only be called while the file loads"),
        ("expect(5):toHaveSent({})", "this is expected of a world, not of a number"),
        ("expect(world.server):toReceive(5)", "what is received is a table, not a number"),
        ("expect(nil):toReceive('X')", "this is expected of a side, not of nothing"),
    ];
    let mut spec = String::from("test.options({ clients = 1 })\n");
    for (index, (call, _)) in calls.iter().enumerate() {
        spec += &format!("it('{index}', function() {call} end)\n");
    }
    let folder = project(&[("a.spec.luau", &spec)]);
    let output = blinkblox(&folder, &["test", "--reporter", "json"]);
    let report: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    let tests = report["files"][0]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), calls.len());
    for (index, (test, (call, words))) in tests.iter().zip(calls).enumerate() {
        let message = test["failure"]["message"].as_str().unwrap_or_default();
        let place = format!("a.spec.luau:{}: ", index + 2);
        assert!(message.starts_with(&place) && message.contains(words), "{call}: {message}");
    }
}
