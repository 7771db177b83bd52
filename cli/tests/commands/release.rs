//! What a release is made of: `scripts/release`, `action.yml` with its scripts, and the one version of all parts.
//!
//! The archive is made of the command under test. The action's steps run as a runner would run them, over that archive
//! in place of a release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_yaml::Value;

use crate::support::{blinkblox, code, err, out, project};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file of the repository.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap()
}

fn release(arguments: &[&str]) -> Output {
    Command::new("bash").arg(at("scripts/release")).args(arguments).output().unwrap()
}

/// The parts of a composite action that are looked at here.
fn action() -> Value {
    serde_yaml::from_str(&read("action.yml")).unwrap()
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_mapping().unwrap().keys().map(|key| key.as_str().unwrap().to_owned()).collect()
}

fn steps(action: &Value) -> &[Value] {
    action["runs"]["steps"].as_sequence().unwrap()
}

/// What stands between the braces of `${{ .. }}` in a text, and in a whole condition.
fn expressions(text: &str) -> Vec<String> {
    text.split("${{").skip(1).map(|rest| rest.split("}}").next().unwrap().trim().to_owned()).collect()
}

/// A text with its expressions filled in. Errors out on any that is not an input.
fn fill(text: &str, inputs: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let (expression, behind) = behind.split_once("}}").unwrap();
        filled.push_str(before);
        filled.push_str(&inputs[expression.trim().strip_prefix("inputs.").unwrap()]);
        rest = behind;
    }
    filled + rest
}

#[test]
fn every_part_carries_one_version() {
    let vscode: serde_json::Value = serde_json::from_str(&read("plugins/vscode/package.json")).unwrap();
    assert_eq!(vscode["version"], VERSION);
    assert_eq!(action()["inputs"]["version"]["default"], VERSION);
    assert_eq!(VERSION, blinkblox_compiler::VERSION);
    let game = project(&[]);
    assert!(blinkblox(&game, &["init"]).status.success());
    let rokit = fs::read_to_string(game.path().join("rokit.toml")).unwrap();
    assert!(rokit.contains(&format!("blinkblox/blinkblox@{VERSION}\"")), "{rokit}");
}

#[test]
fn rokit_takes_the_one_archive_of_each_platform() {
    let names = out(&release(&["names"]));
    let names: Vec<&str> = names.lines().collect();
    let specified = [
        "blinkblox-windows-x86_64.tar.gz",
        "blinkblox-macos-aarch64.tar.xz",
        "blinkblox-macos-x86_64.tar.xz",
        "blinkblox-linux-x86_64.tar.xz",
        "blinkblox-linux-aarch64.tar.xz",
    ];
    assert_eq!(names, specified);
    // Rokit looks for these words anywhere in a name, the first that is there deciding, and unpacks these forms.
    let systems = [("windows", "windows"), ("macos", "macos"), ("linux", "linux")];
    let machines = [("aarch64", "aarch64"), ("arm64", "aarch64"), ("x86-64", "x86_64"), ("x86_64", "x86_64")];
    let found = |name: &str, words: &[(&str, &'static str)]| {
        words.iter().find(|(word, _)| name.contains(word)).map(|(_, meant)| *meant)
    };
    let beside = ["blinkblox-plugin.rbxm", "SHA256SUMS"];
    for (system, machine) in [
        ("windows", "x86_64"),
        ("macos", "aarch64"),
        ("macos", "x86_64"),
        ("linux", "x86_64"),
        ("linux", "aarch64"),
    ] {
        let all = names.iter().copied().chain(beside);
        let fits: Vec<&str> = all
            .filter(|name| {
                found(name, &systems) == Some(system)
                    && found(name, &machines) == Some(machine)
                    && [".tar.gz", ".tar.xz", ".zip"].iter().any(|form| name.ends_with(form))
            })
            .collect();
        assert_eq!(fits.len(), 1, "{system} {machine}: {fits:?}");
        assert!(fits[0].contains(system) && fits[0].contains(machine));
    }
}

#[test]
fn an_archive_with_anything_amiss_is_refused() {
    let folder = project(&[("blinkblox", "#!/bin/sh\n"), ("README.md", "")]);
    let archive = folder.path().join("blinkblox-linux-x86_64.tar.xz");
    let refused = |files: &[&str], flags: &[&str], why: &str| {
        let mut pack = Command::new("tar");
        pack.args(["-cJf"]).arg(&archive).args(["--owner=0", "--group=0", "--numeric-owner"]).args(flags);
        assert!(pack.args(files).current_dir(folder.path()).status().unwrap().success());
        let output = release(&["check", folder.path().to_str().unwrap()]);
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains(why), "{why}: {}", err(&output));
    };
    let (mode, time) = ("--mode=0755", "--mtime=@315532800");
    refused(&["blinkblox", "README.md"], &[mode, time], "holds more than the executable");
    refused(&["blinkblox"], &["--mode=0644", time], "has mode -rw-r--r--");
    refused(&["blinkblox"], &[mode, "--mtime=@1000000000"], "has the time 2001-09-09");
    refused(&["README.md"], &[mode, time], "holds README.md instead of blinkblox");
    refused(&["blinkblox"], &[mode, time], "is for nothing known");
    fs::rename(&archive, folder.path().join("blinkblox-linux-riscv64.tar.xz")).unwrap();
    let output = release(&["check", folder.path().to_str().unwrap()]);
    assert!(err(&output).contains("is no name of an archive"), "{}", err(&output));
    for (arguments, why) in [
        (&["check", "nowhere"][..], "name the folder"),
        (&["check", env!("CARGO_MANIFEST_DIR"), "--all"], "holds no archive"),
        (&["build", "--platform", "plan9-x86_64"], "there is no platform plan9-x86_64"),
        (&["build", "--binary", "nowhere/blinkblox"], "there is no nowhere/blinkblox"),
        (&["build", "--fast"], "build does not take --fast"),
    ] {
        let output = release(arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(err(&output).contains(why), "{why}: {}", err(&output));
    }
}

#[test]
fn the_action_declares_what_it_uses() {
    let action = action();
    let declared = keys(&action["inputs"]);
    let mut used = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for step in steps(&action) {
        assert_eq!(step["shell"], "bash");
        ids.extend(step["id"].as_str().map(str::to_owned));
        let text = serde_yaml::to_string(step).unwrap();
        used.extend(text.split("inputs.").skip(1).map(|rest| {
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap().to_owned()
        }));
        // Values reach the shell as variables, never as text of a script.
        assert!(expressions(step["run"].as_str().unwrap()).is_empty());
    }
    assert_eq!(used, declared);
    let page = read("docs/src/ci.md");
    for input in &declared {
        assert!(page.contains(&format!("`{input}`")), "the page on CI does not tell of {input}");
    }
    for input in action["inputs"].as_mapping().unwrap().values() {
        assert!(input["description"].is_string() && input["default"].is_string());
    }
    let written = read("scripts/action/install");
    for (name, output) in action["outputs"].as_mapping().unwrap() {
        let expected = format!("steps.install.outputs.{}", name.as_str().unwrap());
        assert_eq!(expressions(output["value"].as_str().unwrap()), [expected]);
        assert!(written.contains(&format!("{}=%s", name.as_str().unwrap())));
    }
    assert!(ids.contains("install"));
    let scripts = ["scripts/release", "scripts/action/install", "scripts/action/test"];
    for script in scripts {
        let checked = Command::new("bash").arg("-n").arg(at(script)).output().unwrap();
        assert!(checked.status.success(), "{script}: {}", err(&checked));
        #[cfg(unix)]
        {
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&fs::metadata(at(script)).unwrap().permissions());
            assert_eq!(mode & 0o111, 0o111, "{script} is not executable");
        }
    }
}

#[test]
fn an_archive_is_built_and_the_action_installs_and_runs_it() {
    let folder = project(&[]);
    let releases = folder.path().join("releases").join(format!("v{VERSION}"));
    let binary = folder.path().join("blinkblox");
    // Symbols of a debug build are most of it, and take most of the time to pack.
    let stripped = Command::new("strip").arg("-o").arg(&binary).arg(env!("CARGO_BIN_EXE_blinkblox")).status();
    if !stripped.is_ok_and(|status| status.success()) {
        fs::copy(env!("CARGO_BIN_EXE_blinkblox"), &binary).unwrap();
    }
    let (place, binary) = (releases.to_str().unwrap(), binary.to_str().unwrap());
    let built = release(&["build", "--out", place, "--binary", binary, "--level", "0"]);
    assert!(built.status.success(), "{}", err(&built));
    assert!(release(&["sums", place]).status.success());
    let plugin = fs::read(releases.join("blinkblox-plugin.rbxm")).unwrap();
    assert!(blinkblox(&folder, &["plugin", "build"]).status.success());
    assert!(plugin == fs::read(folder.path().join("blinkblox-plugin.rbxm")).unwrap());
    let sums = fs::read_to_string(releases.join("SHA256SUMS")).unwrap();
    let named: Vec<&str> = sums.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert!(named.len() == 2 && named.contains(&"blinkblox-plugin.rbxm"), "{sums}");

    // Packed again, elsewhere and of a copy made later under another name: the same bytes.
    let (again, copy) = (folder.path().join("again"), folder.path().join("copy"));
    fs::copy(binary, &copy).unwrap();
    let (again, copy) = (again.to_str().unwrap(), copy.to_str().unwrap());
    let built = release(&["build", "--out", again, "--binary", copy, "--level", "0"]);
    assert!(built.status.success(), "{}", err(&built));
    assert!(release(&["sums", again]).status.success());
    assert_eq!(fs::read_to_string(format!("{again}/SHA256SUMS")).unwrap(), sums);

    // A game laid down, and the steps of the action in it.
    assert!(blinkblox(&folder, &["init", "game"]).status.success());
    let ran = run_action(folder.path(), &[("format", "true"), ("junit", "report.xml"), ("shard", "1/1")]);
    let (done, output) = ran.unwrap();
    assert_eq!(done, 4);
    assert!(output.contains("6 passed, 0 failed"), "{output}");
    let outputs = fs::read_to_string(folder.path().join("output")).unwrap();
    assert!(outputs.starts_with(&format!("version={VERSION}\npath=")), "{outputs}");
    assert!(fs::read_to_string(folder.path().join("game/report.xml")).unwrap().contains("<testsuite"));

    // A stale module and a failing spec each stop it, at their step.
    let (done, output) = run_action(folder.path(), &[("paths", "specs\nelsewhere")]).unwrap_err();
    assert!(done == 2 && output.contains("elsewhere"), "{done}: {output}");
    let module = folder.path().join("game/src/server/Net.luau");
    let text = fs::read_to_string(&module).unwrap();
    fs::write(&module, text + "-- by hand\n").unwrap();
    let (done, output) = run_action(folder.path(), &[]).unwrap_err();
    assert!(done == 1 && output.contains("stale"), "{done}: {output}");
    let (done, _) = run_action(folder.path(), &[("verify", "false"), ("test", "false")]).unwrap();
    assert_eq!(done, 1);

    // What is no release, and an archive of somebody else.
    for (inputs, why) in [
        ([("version", "latest")], "version takes a release"),
        ([("version", "9.9.9")], "is there a release 9.9.9?"),
        ([("repository", "a/b/c")], "repository takes OWNER/NAME"),
    ] {
        let (done, output) = run_action(folder.path(), &inputs).unwrap_err();
        assert!(done == 0 && output.contains("::error") && output.contains(why), "{output}");
    }
    let sums = releases.join("SHA256SUMS");
    let text = fs::read_to_string(&sums).unwrap();
    let (sum, name) = text.split_once(' ').unwrap();
    fs::write(&sums, format!("{} {name}", "0".repeat(sum.len()))).unwrap();
    let (_, output) = run_action(folder.path(), &[]).unwrap_err();
    assert!(output.contains("is not the file the release"), "{output}");
}

/// Runs the action's steps in a game, as a runner does. Ok: all steps passed; how many ran, and what they said.
/// Err: the same up to the step that failed.
fn run_action(folder: &Path, given: &[(&str, &str)]) -> Result<(usize, String), (usize, String)> {
    let action = action();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut inputs: BTreeMap<String, String> = action["inputs"]
        .as_mapping()
        .unwrap()
        .iter()
        .map(|(name, input)| (text(name), text(&input["default"])))
        .collect();
    inputs.extend(given.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    let (path, output) = (folder.join("path"), folder.join("output"));
    fs::write(&path, "").unwrap();
    fs::write(&output, "").unwrap();
    let mut said = String::new();
    let mut done = 0;
    for step in steps(&action) {
        if let Some(condition) = step["if"].as_str() {
            let (name, wanted) = condition.split_once(" == ").unwrap();
            if inputs[name.strip_prefix("inputs.").unwrap()] != wanted.trim_matches('\'') {
                continue;
            }
        }
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()]);
        let work = step["working-directory"].as_str().map_or(".".to_owned(), |path| fill(path, &inputs));
        command.current_dir(folder.join("game").join(work));
        let installed = fs::read_to_string(&path).unwrap();
        let before = std::env::var("PATH").unwrap();
        let paths = installed.lines().rev().chain([before.as_str()]).collect::<Vec<_>>().join(":");
        command
            .env("PATH", paths)
            .env("CI", "true")
            .env("RUNNER_TEMP", folder.join("temp"))
            .env("GITHUB_PATH", &path)
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_ACTION_PATH", at(""))
            .env("BLINKBLOX_RELEASES", format!("file://{}", folder.join("releases").display()))
            .env_remove("GITHUB_STEP_SUMMARY");
        for name in ["RUNNER_OS", "RUNNER_ARCH"] {
            command.env_remove(name);
        }
        if let Some(env) = step["env"].as_mapping() {
            for (name, value) in env {
                command.env(text(name), fill(&text(value), &inputs));
            }
        }
        let ran = command.output().unwrap();
        said += &format!("{}{}", out(&ran), err(&ran));
        if !ran.status.success() {
            return Err((done, said));
        }
        done += 1;
    }
    Ok((done, said))
}
