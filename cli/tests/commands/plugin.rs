//! The Studio plugin: its model file, and its modules in the emulator against a real `blinkblox serve`.

use std::fs;
use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::{HttpAnswers, HttpRequest, HttpResponse, SignalMode};
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, WorldDefaults, run};

use crate::serve::{Service, send};
use crate::support::{blinkblox, code, err, out, project};

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins/studio")
}

/// What the specs' requests are answered with: the service's own answers, and where it is.
fn answers(service: &Service) -> HttpAnswers {
    let (port, token) = (service.port, service.token.clone());
    HttpAnswers::new(move |request: &HttpRequest| {
        if request.url == "http://specs/service" {
            let told = serde_json::json!({ "port": port, "token": token }).to_string();
            return Ok(HttpResponse { status: 200, reason: "OK".into(), headers: vec![], body: told.into() });
        }
        let path =
            request.url.strip_prefix(&format!("http://127.0.0.1:{port}")).ok_or("HttpError: ConnectFail")?;
        let mut head = format!("{} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n", request.method);
        for (name, value) in &request.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\nConnection: close\r\n\r\n", request.body.len());
        let (status, body) = send(port, head.as_bytes(), &request.body);
        Ok(HttpResponse { status, reason: String::new(), headers: vec![], body })
    })
}

#[test]
fn the_plugins_specs_pass_against_the_real_service() {
    let service = Service::start();
    let discovery = Discovery { roots: vec![plugin()], include: Vec::new(), exclude: Vec::new() };
    let files: Vec<PathBuf> = discover(&discovery, None).unwrap().into_iter().map(|file| file.path).collect();
    assert!(files.len() >= 9, "{files:?}");
    let options = RunOptions {
        files,
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        wall_timeout: std::time::Duration::from_secs(120),
        world: WorldDefaults { http: Some(answers(&service)), ..WorldDefaults::default() },
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert!(report.totals().passed >= 80, "{} passed", report.totals().passed);
}

/// The library for plugins and tools, in a place of its own, asks the same service.
#[test]
fn the_library_compiles_through_the_real_service() {
    let service = Service::start();
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packages/library/src");
    let spec = "local HttpService = game:GetService('HttpService')\n\
        local library = require(script.Parent.Library)\n\
        local found = HttpService:JSONDecode(HttpService:GetAsync('http://specs/service'))\n\
        local options = { Port = found.port, Token = found.token, Files = { Dock = 'struct Crate { X: u8 }' } }\n\
        it('compiles', function()\n\
        \tlocal made = library.Compile('import \"Dock\"\\nexport struct A { X: Dock.Crate }', options)\n\
        \texpect(made.Server).toMatch('BlinkBlox')\n\
        \texpect(made.Types).toMatch('^%-%-!strict')\n\
        \texpect(#made.Warnings).toBe(0)\nend)\n\
        it('raises diagnostics', function()\n\
        \tlocal ok, problem = pcall(library.Compile, 'struct A { X: u8, X: u8 }', options)\n\
        \texpect(ok).toBe(false)\n\
        \texpect(problem).toMatch('%[E3004%] Error: struct \"A\" names the field \"X\" twice')\nend)\n";
    let mut files: Vec<(String, String)> = fs::read_dir(library)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            (format!("src/Library/{name}"), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.push(("src/library.spec.luau".to_string(), spec.to_string()));
    let tree = r#"{ "name": "L", "tree": { "$className": "DataModel", "ServerStorage": { "L": { "$path": "src" } } } }"#;
    files.push(("default.project.json".to_string(), tree.to_string()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let folder = project(&files);
    let options = RunOptions {
        files: vec![folder.path().join("src/library.spec.luau")],
        world: WorldDefaults { http: Some(answers(&service)), ..WorldDefaults::default() },
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert_eq!(report.totals().passed, 2);
}

#[test]
fn the_model_is_written_whole_and_the_same() {
    let folder = project(&[]);
    let output = blinkblox(&folder, &["plugin", "build"]);
    assert_eq!((code(&output), out(&output)), (0, "wrote blinkblox-plugin.rbxm\n".to_string()));
    let first = fs::read(folder.path().join("blinkblox-plugin.rbxm")).unwrap();
    assert!(first.starts_with(b"<roblox!"));
    let output = blinkblox(&folder, &["plugin", "build", "-o", "out/deep/Plugin.rbxm"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_eq!(fs::read(folder.path().join("out/deep/Plugin.rbxm")).unwrap(), first);
    let output = blinkblox(&folder, &["plugin", "install", "--folder", "Plugins"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert_eq!(fs::read(folder.path().join("Plugins/blinkblox-plugin.rbxm")).unwrap(), first);
    let output = blinkblox(&folder, &["plugin", "build", "-o", "out"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("out cannot be written: it is a folder"), "{}", err(&output));
}

#[test]
fn a_file_that_is_not_the_plugin_stays() {
    let folder =
        project(&[("place.rbxl", "precious"), ("empty.rbxm", ""), ("blinkblox-plugin.rbxm", "mine")]);
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for arguments in [
        &["plugin", "build", "-o", "place.rbxl"][..],
        &["plugin", "build"],
        &["plugin", "install", "--folder", "."],
    ] {
        let output = blinkblox(&folder, arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(err(&output).contains("is not the plugin, and is not replaced"), "{}", err(&output));
    }
    assert_eq!((read("place.rbxl"), read("blinkblox-plugin.rbxm")), (b"precious".to_vec(), b"mine".to_vec()));
    assert_eq!(code(&blinkblox(&folder, &["plugin", "build", "-o", "empty.rbxm"])), 0);
    let model = read("empty.rbxm");
    assert_eq!(code(&blinkblox(&folder, &["plugin", "build", "-o", "empty.rbxm"])), 0);
    assert_eq!(code(&blinkblox(&folder, &["plugin", "build", "-o", "place.rbxl", "--yes"])), 0);
    assert_eq!(read("place.rbxl"), model);
}

/// Every member the plugin names is one that Roblox has, as far as its sources show of which class it is.
#[test]
fn the_plugin_names_only_what_studio_has() {
    let output = blinkblox(plugin(), &["emu", "doctor", "."]);
    let told = out(&output);
    assert!(told.contains("0 unknown"), "{told}{}", err(&output));
    let is_studios = |line: &str| {
        line.contains("capability Plugin")
            || line.contains(": settings:")
            || line.contains("DockWidgetPluginGuiInfo")
    };
    for line in told.lines().filter(|line| line.contains(": missing: ")) {
        assert!(is_studios(line), "{line}");
        assert!(line.starts_with("src/Host/") || line.starts_with("src/init.server"), "{line}");
    }
}

#[test]
fn the_plugin_holds_every_instance_it_requires() {
    let folder = project(&[]);
    assert_eq!(code(&blinkblox(&folder, &["plugin", "build"])), 0);
    // The model as a place would load it: its own modules find each other.
    let spec = "it('starts', function()\n\
        local root = game:GetService('ServerStorage').Model['BlinkBlox Editor']\n\
        expect(root.ClassName).toBe('Script')\n\
        expect(type(require(root.View.Window).new)).toBe('function')\n\
        expect(require(root.Version)).toBe(require(root.Version))\nend)\n";
    fs::write(folder.path().join("model.spec.luau"), spec).unwrap();
    let tree = r#"{ "name": "P", "tree": { "$className": "DataModel", "ServerStorage": {
        "Model": { "Editor": { "$path": "blinkblox-plugin.rbxm" } }, "Specs": { "$path": "model.spec.luau" } } } }"#;
    fs::write(
        folder.path().join("default.project.json"),
        tree.replace("\"Editor\"", "\"BlinkBlox Editor\"")
            .replace("\"Model\": {", "\"Model\": { \"$className\": \"Folder\","),
    )
    .unwrap();
    let output = blinkblox(&folder, &["test", "model.spec.luau"]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
}
