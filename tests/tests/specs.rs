//! The Luau specs of the whole product, in both signal modes.

use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{Filter, RunOptions, run};
use blinkblox_emulator::vm::Counted;

/// As the command has it: `hostMemoryLimit` goes by what is counted.
#[global_allocator]
static ALLOCATOR: Counted<std::alloc::System> = Counted(std::alloc::System);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn options(path: &str) -> RunOptions {
    let discovery = Discovery { roots: vec![root().join(path)], include: Vec::new(), exclude: Vec::new() };
    let files = discover(&discovery, None).expect("the folder can be read");
    RunOptions {
        files: files.into_iter().map(|file| file.path).collect(),
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        wall_timeout: std::time::Duration::from_secs(120),
        ..RunOptions::default()
    }
}

/// Runs specs as `blinkblox test` does: what it would call a failure is one here.
fn passes(path: &str) {
    let report = run(&RunOptions { strict: true, ..options(path) }, |_| {});
    let totals = report.totals();
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert!(totals.passed > 0, "no specs in {path}");
}

/// Makes a test of each folder of specs, and a list of them.
macro_rules! folders {
    ($($name:ident)*) => {
        const FOLDERS: &[&str] = &[$(stringify!($name)),*];
        mod folder {
            $(
                #[test]
                fn $name() {
                    super::passes(concat!("tests/luau/", stringify!($name)));
                }
            )*
        }
    };
}

folders! {
    casing channels conventions declaring diagnostics emulator entities flushing functions hostile leaving limits loading
    lobby members names numbers options rates receiving reports sending session stamps states streams tables texts traffic
    types
}

#[test]
fn every_folder_of_specs_is_run() {
    let entries = std::fs::read_dir(root().join("tests/luau")).expect("the folder can be read");
    for entry in entries {
        let path = entry.expect("it can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        assert!(!path.is_dir() || FOLDERS.contains(&name.as_str()), "nothing runs the specs of {name}");
    }
}

#[test]
fn director() {
    passes("tests/luau/director.spec.luau");
}

/// A place with a script of each kind, written as Studio would.
fn write_place(path: &Path) {
    use rbx_dom_weak::types::{Color3uint8, Enum};
    use rbx_dom_weak::{InstanceBuilder, WeakDom};

    let code = |class: &str, name: &str, source: &str| {
        InstanceBuilder::new(class).with_name(name).with_property("Source", source.to_owned())
    };
    let module = code(
        "ModuleScript",
        "Shared",
        "return game:GetService('RunService'):IsServer() and 'module of the server' or 'module of a client'",
    );
    let server = code(
        "Script",
        "Main",
        "print('server', script:GetFullName(), require(game.ReplicatedStorage.Shared))",
    );
    let first = code(
        "LocalScript",
        "First",
        "print(`first, loaded: {game:IsLoaded()}, rest: {workspace:FindFirstChild('Door') ~= nil}`)\n\
         game.Loaded:Connect(function() print('loaded') end)",
    );
    let client = code(
        "LocalScript",
        "Main",
        "print('client', script:GetFullName(), require(game.ReplicatedStorage.Shared))",
    );
    let door = InstanceBuilder::new("Part")
        .with_name("Door")
        .with_property("Transparency", 0.5_f32)
        .with_property("Color3uint8", Color3uint8::new(255, 0, 0))
        .with_property("Material", Enum::from_u32(512));
    let service = |name: &str| InstanceBuilder::new(name).with_name(name);
    let starter = service("StarterPlayer").with_child(service("StarterPlayerScripts").with_child(client));
    let dom = WeakDom::new(InstanceBuilder::new("DataModel").with_children([
        service("Workspace").with_child(door),
        service("ReplicatedFirst").with_child(first),
        service("ReplicatedStorage").with_child(module),
        service("ServerScriptService").with_child(server),
        starter,
    ]));
    let file = std::fs::File::create(path).expect("the folder is writable");
    rbx_binary::to_writer(file, &dom, dom.root().children()).expect("the place can be written");
}

#[test]
fn a_place_file_starts_in_the_documented_order() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    write_place(&folder.path().join("order.rbxl"));
    let spec = folder.path().join("place.spec.luau");
    std::fs::copy(root().join("tests/luau/emulator/fixtures/place-order.luau"), &spec)
        .expect("the spec can be copied");
    let report = run(&RunOptions { files: vec![spec], ..options("tests/luau/emulator") }, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert_eq!(report.totals().passed, 2);
}

/// A failing case of random input is reproduced by what its report says: the file, the name and the seed.
#[test]
fn a_report_says_how_to_reproduce_a_failure() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let spec = folder.path().join("luck.spec.luau");
    let source = "it('draws', function()\n\
        local w = test.world()\n\
        error(`drew {w.server:eval('return math.random(1, 1000000)')}`, 0)\nend)\n";
    std::fs::write(&spec, source).expect("the spec can be written");
    let failing = |seed: u64, filter: Option<&str>| {
        let filters = filter.map(|text| Filter::parse(text).expect("a plain text")).into_iter().collect();
        let options = RunOptions { files: vec![spec.clone()], seed, filters, ..RunOptions::default() };
        render(&run(&options, |_| {}), Format::Pretty, false)
    };
    let drew = |report: &str| {
        let line = report.lines().find(|line| line.contains("drew ")).expect("the test fails");
        line.trim().to_owned()
    };
    let first = failing(77, None);
    let again = first.lines().find(|line| line.contains("again: ")).expect("a line to repeat it");
    assert!(again.contains("--seed 77") && again.contains("-t \"draws\""), "{again}");
    assert_eq!(drew(&first), drew(&failing(77, Some("draws"))));
    assert_ne!(drew(&first), drew(&failing(78, Some("draws"))));
}

/// Where a run in a process of its own leaves its trace.
const TRACE_TO: &str = "BLINKBLOX_TRACE_TO";

fn lossy_trace() -> String {
    let filters = vec![Filter::parse("A6 reliable").expect("a plain text")];
    let options =
        RunOptions { trace: true, seed: 5, filters, ..options("tests/luau/emulator/acceptance.spec.luau") };
    run(&options, |_| {}).trace_text()
}

/// Does something only when [`another_process_gives_the_same_trace`] starts it.
#[test]
fn trace_for_another_process() {
    if let Some(path) = std::env::var_os(TRACE_TO) {
        std::fs::write(path, lossy_trace()).expect("the trace can be written");
    }
}

#[test]
fn another_process_gives_the_same_trace() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("trace.jsonl");
    let status = std::process::Command::new(std::env::current_exe().expect("a test is a program"))
        .args(["--exact", "trace_for_another_process"])
        .env(TRACE_TO, &path)
        .output()
        .expect("the program starts again");
    assert!(status.status.success(), "{status:?}");
    let theirs = std::fs::read_to_string(&path).expect("it left a trace");
    assert!(theirs.lines().count() > 4000, "{} lines", theirs.lines().count());
    assert!(theirs == lossy_trace(), "two processes with one seed differ");
}

#[test]
fn arena_example() {
    passes("examples/arena");
}

#[test]
fn lobby_example() {
    passes("examples/lobby");
}

#[test]
fn lag_compensation_example() {
    passes("examples/lag-compensation");
}

#[test]
fn tanks_example() {
    passes("examples/tanks");
}

#[test]
fn the_same_run_gives_the_same_trace() {
    let mut options = options("examples/lag-compensation");
    options.trace = true;
    options.seed = 11;
    let first = run(&options, |_| {}).trace_text();
    assert!(first.lines().count() > 1000, "{} lines", first.lines().count());
    assert!(first == run(&options, |_| {}).trace_text(), "two runs with one seed differ");
    options.seed = 12;
    assert!(first != run(&options, |_| {}).trace_text(), "the seed has no effect");
}
