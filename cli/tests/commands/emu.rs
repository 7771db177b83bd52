//! `blinkblox emu doctor`.

use crate::support::{blinkblox, code, err, json, out, project};

const PROJECT: &str = r#"{ "name": "p", "tree": { "$className": "DataModel",
    "ServerScriptService": { "$path": "src" } } }"#;

#[test]
fn a_doctor_names_what_is_missing() {
    let folder = project(&[
        ("default.project.json", PROJECT),
        (
            "src/main.server.luau",
            "local part = Instance.new('Part')\npart:ApplyImpulse(Vector3.one)\npart.Touched:Connect(print)\n",
        ),
    ]);
    let output = blinkblox(folder.path(), &["emu", "doctor", "--scripts"]);
    assert_eq!((code(&output), err(&output).as_str()), (1, ""));
    let text = out(&output);
    for wanted in [
        "ServerScriptService.main (",
        "runs on the server",
        "main.server.luau:2: missing: BasePart.ApplyImpulse: raises an error; stub it with side:stub(\"BasePart\", \"ApplyImpulse\", fn)",
        "https://create.roblox.com/docs/reference/engine/classes/BasePart#ApplyImpulse",
        "main.server.luau:3: partial: BasePart.Touched: never fires unless a test fires it",
        "1 script: 1 missing, 0 unknown, 1 partial, 0 perhaps",
    ] {
        assert!(text.contains(wanted), "{wanted}\nis not in\n{text}");
    }

    let output = blinkblox(folder.path(), &["emu", "doctor", ".", "--json"]);
    assert_eq!(code(&output), 1);
    let document = json(&output);
    let first = &document["findings"][0];
    assert_eq!((first["line"].as_u64(), first["grade"].as_str()), (Some(2), Some("missing")));
    assert_eq!(first["class"], "BasePart");
    assert_eq!(document["scripts"][0]["runs"], "on the server");
}

#[test]
fn a_healthy_project_ends_with_0_and_a_broken_one_with_3() {
    let folder =
        project(&[("default.project.json", PROJECT), ("src/main.server.luau", "print(workspace.Name)\n")]);
    let output = blinkblox(folder.path(), &["emu", "doctor"]);
    assert_eq!(
        (code(&output), out(&output).as_str()),
        (0, "1 script: 0 missing, 0 unknown, 0 partial, 0 perhaps\n")
    );
    // A script that cannot be read may use anything.
    let broken = project(&[("default.project.json", PROJECT), ("src/main.server.luau", "if\n")]);
    let output = blinkblox(broken.path(), &["emu", "doctor"]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).contains("could not be read"), "{}", out(&output));
    let output = blinkblox(folder.path(), &["emu", "doctor", "nowhere"]);
    assert_eq!(code(&output), 3);
    assert!(err(&output).contains("there is no nowhere"));
    let output = blinkblox(folder.path(), &["emu", "surgeon"]);
    assert_eq!(code(&output), 2);
    let output = blinkblox(folder.path(), &["emu", "doctor", "--help"]);
    assert_eq!(code(&output), 0);
    assert!(
        out(&output).contains("blinkblox emu doctor") && out(&output).contains("--json"),
        "{}",
        out(&output)
    );
}
