//! Tests that run inside a side: a spec that is a module of its project's tree has `script`, its neighbours and the
//! side's own globals, as it would have in Studio.
//!
//! [`placed`] says whether a file is such a spec. Its tests are listed once, in a world of its own, and become tests of
//! the director, each of which makes a fresh world and runs one of them there. Scripts of the project do not start.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::director::{Director, DirectorOptions, shown};
use super::fixture::{Fixture, place_of};
use super::kit::add_part;
use crate::datamodel::store::GAME;
use crate::peer::Peer;
use crate::project::discover::{TestSide, asked_side};
use crate::project::find_project;
use crate::shared::{Seed, Settings, Side, SpecSide};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Failure, Handle, NativeFn, Outcome, Returns};
use crate::world::{JoinOptions, World, WorldOptions};

/// Natives of the director, as its Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[("isInside", is_inside), ("runInside", run_inside)];

/// The test API's Luau sources inside a side, in the order they load.
const SOURCES: [(&str, &str); 5] = [
    ("format", include_str!("luau/format.luau")),
    ("expect", include_str!("luau/expect.luau")),
    ("mock", include_str!("luau/mock.luau")),
    ("tree", include_str!("luau/tree.luau")),
    ("inside", include_str!("luau/inside.luau")),
];

/// Seconds of virtual time that listing a file's tests may take.
const LONGEST_LISTING: f64 = 60.0;

/// A spec that is a module of its project.
#[derive(Clone, Debug)]
pub struct Placed {
    /// What worlds start from.
    pub fixture: Fixture,
    /// Names from a service down to the module on its side.
    pub path: Vec<String>,
    /// Whether it runs on a client.
    pub on_client: bool,
}

/// The place of a spec file in the tree of the nearest project around it; `None` for one that drives worlds from
/// outside, which is every file that has no place or says `test.world`.
///
/// Errors: the project's, for people.
pub fn placed(director: &Director) -> Result<Option<Placed>, Failure> {
    let DirectorOptions { file, .. } = &director.options;
    let drives_worlds = std::fs::read(file).is_ok_and(|text| {
        ["test.world", "test.fixture", "test.universe"].iter().any(|word| contains(&text, word.as_bytes()))
    });
    if drives_worlds {
        return Ok(None);
    }
    let full = std::path::absolute(file).unwrap_or_else(|_| file.clone());
    // As the working directory has it: a fixture's own paths are beside the spec.
    let named = director.options.world.project.as_ref();
    let mut project = named.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    for folder in full.ancestors().skip(1) {
        if project.is_some() {
            break;
        }
        project = find_project(folder).map_err(|problem| Failure::text(problem.to_string()))?;
    }
    let Some(project) = project else { return Ok(None) };
    let mut fixture = Fixture { project: Some(project), ..Fixture::default() };
    let built = director.worlds.fixture(&fixture).map_err(Failure::text)?;
    let path = match built.tree.script_of(&full) {
        Some(path) => path,
        // A project may leave its specs out: they stand where they would.
        None => match place_of(&built.tree.root, &full) {
            Some(path) => {
                fixture.files.push((path.join("/"), full.clone()));
                path
            }
            None => return Ok(None),
        },
    };
    let name = full.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let side = match asked_side(name, Some(&path)) {
        TestSide::Director => match settings(director)?.spec_side {
            SpecSide::Server => TestSide::Server,
            SpecSide::Client => TestSide::Client,
        },
        side => side,
    };
    let on_client = side == TestSide::Client;
    let path = match &path[..] {
        [starter, scripts, rest @ ..]
            if on_client && starter == "StarterPlayer" && scripts == "StarterPlayerScripts" =>
        {
            let copies = ["Players", "LocalPlayer", "PlayerScripts"].map(str::to_owned);
            copies.iter().chain(rest).cloned().collect()
        }
        path => path.to_vec(),
    };
    Ok(Some(Placed { fixture, path, on_client }))
}

/// The settings of the run's worlds.
fn settings(director: &Director) -> Result<Settings, Failure> {
    let mut settings = Settings { internals: true, ..Settings::default() };
    for (key, value) in &director.options.world.settings {
        settings.set(key, value).map_err(Failure::text)?;
    }
    settings.signals = director.options.signals;
    Ok(settings)
}

impl Placed {
    /// The module's full name, as errors show it.
    fn module(&self) -> String {
        self.path.join(".")
    }
}

/// The instance at a path of names, which may have dots in them.
fn find(world: &World, side: Side, path: &[&str]) -> Option<InstanceId> {
    let peer = world.peer(side).ok()?;
    let model = peer.data_model();
    let store = model.store();
    path.iter().try_fold(GAME, |at, name| match side {
        Side::Client(index) if *name == "LocalPlayer" => world.player(index).ok(),
        _ => store.find_child(at, name),
    })
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// Lists the tests of a spec inside a world made for it. Gives the table of `list` in `luau/inside.luau`.
///
/// Errors: the failure of the file, with its place, or that it does not come to an end.
pub fn list(director: &Rc<Director>, placed: &Placed) -> Result<Value, Failure> {
    let built = director.worlds.fixture(&placed.fixture).map_err(Failure::text)?;
    let settings = Settings { run_scripts: false, ..settings(director)? };
    let world = World::new(WorldOptions {
        seed: Seed(director.options.seed),
        settings,
        tree: Some(built.store.clone()),
        bytecode: director.worlds.bytecode.clone(),
        deadline: director.options.deadline.clone(),
        http: director.options.world.http.clone(),
        ..WorldOptions::default()
    });
    let wrong = |error: crate::world::WorldError| Failure::text(error.to_string());
    let world = world.map_err(wrong)?;
    let side = if placed.on_client {
        Side::Client(world.join(JoinOptions::default()).map_err(wrong)?)
    } else {
        Side::Server
    };
    let is_over = || world.now().seconds() > LONGEST_LISTING || director.options.deadline.is_expired();
    while find(&world, side, &names(&placed.path)).is_none() {
        if is_over() {
            return Err(Failure::text(format!("{} does not reach {side}", placed.module())));
        }
        world.step(1).map_err(wrong)?;
    }
    let peer = world.peer(side).map_err(wrong)?;
    let inside = Inside::new(&peer, &world, side, &names(&placed.path))?;
    let ended = Rc::new(RefCell::new(None));
    let slot = ended.clone();
    let on_end = Box::new(move |_: &Rc<Peer>, end| *slot.borrow_mut() = Some(end));
    let owner = peer.new_owner(None, "[test]");
    peer.spawn_then(&inside.list, owner, &[Value::Function(inside.main.clone())], on_end)?;
    loop {
        if let Some(end) = ended.borrow_mut().take() {
            let values = end.map_err(|failure: Failure| in_file(failure, &placed.module(), director))?;
            let Some(Value::Reference(table)) = values.first() else { return Ok(Value::Nil) };
            return peer.vm.enter(|cx| {
                cx.push_handle(table);
                cx.value(-1)
            });
        }
        if is_over() {
            return Err(Failure::text(format!(
                "{} still waits after {LONGEST_LISTING} virtual seconds, before its tests are known",
                placed.module()
            )));
        }
        world.step(1).map_err(wrong)?;
    }
}

/// The failure with the file for the module's name.
fn in_file(mut failure: Failure, module: &str, director: &Director) -> Failure {
    let file = shown(&director.options.file);
    failure.text = failure.text.replace(&format!("{module}:"), &format!("{file}:"));
    failure
}

/// The test API in a side's VM, and the module it runs.
struct Inside {
    list: Handle,
    run: Handle,
    main: Handle,
}

impl Inside {
    /// Loads the API, and the module with its globals. Errors: the module is not there or does not compile.
    fn new(peer: &Rc<Peer>, world: &World, side: Side, path: &[&str]) -> Result<Inside, Failure> {
        let vm = &peer.vm;
        let api = vm.enter(|cx| {
            cx.push_table(0, SOURCES.len());
            cx.table(-1)
        })?;
        for (name, source) in SOURCES {
            let main = peer.load(&Arc::from(source), &format!("[test]/{name}"), &[])?;
            add_part(vm, &api, name, &main)?;
        }
        let mut globals = vm.enter(|cx| globals(cx, &api))?;
        let module = path.join(".");
        let found = find(world, side, path);
        let script = found.ok_or_else(|| Failure::text(format!("{module} is not there on {side}")))?;
        globals.push(("script".to_owned(), script.into()));
        let source = peer
            .tree()
            .source_of(script)
            .ok_or_else(|| Failure::text(format!("{module} is no script and has no source")))?;
        let environment: Vec<(&str, Value)> =
            globals.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let main = peer.load(&source, &module, &environment)?;
        let field = |name: &str| {
            vm.enter(|cx| {
                cx.push_handle(&api);
                cx.get_field(-1, "inside");
                cx.get_field(-1, name);
                cx.function(-1)
            })
        };
        Ok(Inside { list: field("list")?, run: field("run")?, main })
    }
}

/// What the module sees besides the side's own globals.
fn globals(cx: &Cx<'_>, api: &Handle) -> Result<Vec<(String, Value)>, crate::vm::Raise> {
    cx.push_handle(api);
    let at = cx.top();
    cx.get_field(at, "tree");
    cx.get_field(-1, "globals");
    let mut globals = Vec::new();
    cx.each(-1, |key, value| {
        globals.push((cx.text(key)?, cx.shallow(value)?));
        Ok(())
    })?;
    cx.pop(2);
    cx.get_field(at, "expect");
    cx.get_field(-1, "expect");
    globals.push(("expect".to_owned(), cx.shallow(-1)?));
    cx.pop(2);
    if let Some((_, test)) = globals.iter().find(|(name, _)| name == "test") {
        cx.push(test);
        let test = cx.top();
        for name in ["fn", "spy"] {
            cx.get_field(at, "mock");
            cx.get_field(-1, name);
            let value = cx.shallow(-1)?;
            cx.pop(2);
            cx.push(&value);
            debug_assert_eq!(cx.top(), test + 1);
            cx.set_field(name);
        }
        cx.pop(1);
    }
    globals.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(globals)
}

/// `isInside(world, side, path)`: whether the module has arrived.
fn is_inside(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = super::natives::slot_and_side(cx, &director)?;
    let path = cx.text(3)?;
    let path: Vec<&str> = path.split('/').collect();
    cx.push(&Value::Boolean(find(&slot.world, side, &path).is_some()));
    Ok(Returns::ONE)
}

/// `runInside(world, side, path, index)`: nil, or what went wrong. Waits while the test does.
fn run_inside(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = super::natives::slot_and_side(cx, &director)?;
    let (path, index) = (cx.text(3)?, cx.number(4)?);
    let home = slot.home(&director.membrane, side)?;
    let peer = slot.world.peer(side).map_err(|error| error.to_string())?;
    let path: Vec<&str> = path.split('/').collect();
    let inside = Inside::new(&peer, &slot.world, side, &path).map_err(|failure| failure.report())?;
    let arguments = [Value::Function(inside.main), Value::Number(index)];
    director.membrane.clone().call(cx, crate::membrane::HomeId::DIRECTOR, home, &inside.run, &arguments)
}

/// The options of `declare` in `luau/bridge.luau`.
pub fn bridge_options(placed: &Placed, listed_is_test_ez: bool, file: &Path) -> Value {
    let text = |path: &PathBuf| Value::from(path.display().to_string());
    let files = placed.fixture.files.iter().map(|(name, file)| (name.as_str(), text(file)));
    Value::record([
        ("project", placed.fixture.project.as_ref().map_or(Value::Nil, text)),
        ("files", Value::record(files)),
        ("path", Value::from(placed.path.join("/"))),
        ("module", Value::from(placed.module())),
        ("file", Value::from(shown(file))),
        ("onClient", Value::Boolean(placed.on_client)),
        ("isTestEz", Value::Boolean(listed_is_test_ez)),
    ])
}
