//! `blinkblox test --coverage`.

use crate::support::{blinkblox, code, err, out, project};

const MODULE: &str = "local Counter = {}\n\
                      function Counter.up(n)\n\
                      \tif n > 10 then\n\
                      \t\treturn 0\n\
                      \tend\n\
                      \treturn n + 1\n\
                      end\n\
                      return Counter\n";

const PROJECT: &str = r#"{ "name": "game", "tree": { "$className": "DataModel",
    "ReplicatedStorage": { "Shared": { "$path": "src/shared" } },
    "StarterPlayer": { "StarterPlayerScripts": { "Client": { "$path": "src/client" } } } } }"#;

const SPEC: &str = "it('counts', function()\n\
                    \tlocal w = test.world({ project = 'default.project.json', clients = 2 })\n\
                    \tw:step(3)\n\
                    \texpect(w.server:require('ReplicatedStorage.Shared.Counter').up(1)):toBe(2)\n\
                    end)\n";

fn files() -> Vec<(&'static str, &'static str)> {
    vec![
        ("default.project.json", PROJECT),
        ("src/shared/Counter.luau", MODULE),
        ("src/shared/Unused.luau", "local function never()\n\treturn 1\nend\nreturn never\n"),
        (
            "src/client/Main.client.luau",
            "local Counter = require(game.ReplicatedStorage.Shared.Counter)\nprint(Counter.up(5))\n",
        ),
        ("a.spec.luau", SPEC),
    ]
}

#[test]
fn lines_of_all_sides_are_added_up_in_a_file_for_lcov() {
    let folder = project(&files());
    let output = blinkblox(folder.path(), &["test", "--coverage", "lcov=out.info"]);
    assert_eq!((code(&output), err(&output).as_str()), (0, ""), "{}", out(&output));
    let text = std::fs::read_to_string(folder.path().join("out.info")).unwrap();
    // Two clients and the server: each loads the module and calls it once.
    let expected = "TN:\nSF:src/shared/Counter.luau\nFN:2,up:2\nFNDA:3,up:2\nFNF:1\nFNH:1\n\
                    DA:1,3\nDA:2,3\nDA:3,3\nDA:4,0\nDA:6,3\nDA:8,3\nLF:6\nLH:5\nend_of_record\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("SF:src/client/Main.client.luau\nFNF:0\nFNH:0\nDA:1,2\nDA:2,2\n"), "{text}");
    assert!(text.contains("SF:src/shared/Unused.luau\nFN:1,never:1\nFNDA:0,never:1\n"), "{text}");
    assert!(!text.contains("a.spec.luau"), "{text}");
}

#[test]
fn both_signal_modes_and_a_bare_flag_are_fine() {
    let folder = project(&files());
    let output = blinkblox(folder.path(), &["test", "--signals", "both", "--coverage", "a.spec.luau"]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    let text = std::fs::read_to_string(folder.path().join("lcov.info")).unwrap();
    assert!(text.contains("FNDA:6,up:2\n"), "{text}");
}

#[test]
fn generated_modules_count_on_request_only() {
    let schema = "option ServerOutput = \"apart/Server\"\noption ClientOutput = \"src/shared/Client\"\n\
                  event Ping { From: Client, Type: Reliable, Call: ManySync, Data: u8 }\n";
    let mut files = files();
    files.push(("net.blink", schema));
    let folder = project(&files);
    assert_eq!(code(&blinkblox(folder.path(), &["net.blink"])), 0);
    let run = |flags: &[&str]| {
        let arguments = [&["test", "--coverage"], flags].concat();
        let output = blinkblox(folder.path(), &arguments);
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
        std::fs::read_to_string(folder.path().join("lcov.info")).unwrap()
    };
    assert!(!run(&[]).contains("Client.luau"));
    assert!(run(&["--coverage-generated"]).contains("SF:src/shared/Client.luau\n"));
}
