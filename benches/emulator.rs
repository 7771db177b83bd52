//! How fast the emulator is: starting a place, cloning a world, idle clients, remote round trips, memory.
//!
//! `cargo bench -p blinkblox-emulator --bench emulator`. Prints figures beside their targets and asserts none: the
//! machine decides. Where the system tells (Linux), times are those this program ran for, so that a busy machine does
//! not count. `benches/RESULTS.md` keeps what was measured.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use blinkblox_emulator::clock::Time;
use blinkblox_emulator::peer::Peer;
use blinkblox_emulator::project::{Node, ProjectTree, mount};
use blinkblox_emulator::shared::{RateLimitMode, Settings, Side};
use blinkblox_emulator::vm::BytecodeCache;
use blinkblox_emulator::world::{JoinOptions, World, WorldOptions};

/// Modules and scripts of the place that is measured: half on the server, half shared.
const SCRIPTS: usize = 200;

/// A module of the size games have, with something to compile and little to run.
fn module_source(number: usize) -> String {
    let functions: String = (0..12)
        .map(|index| {
            format!(
                "function Module.step{index}(state, amount)\n\
                 \tlocal total = 0\n\
                 \tfor key, value in state do\n\
                 \t\tif typeof(value) == 'number' then total += value * amount + {number} end\n\
                 \tend\n\
                 \treturn total\n\
                 end\n"
            )
        })
        .collect();
    format!("local Module = {{}}\n{functions}return Module\n")
}

/// A place whose server script requires its modules, and whose client script requires the shared ones.
fn place() -> ProjectTree {
    let mut storage = Node::new("ReplicatedStorage", "ReplicatedStorage");
    let mut server = Node::new("ServerScriptService", "ServerScriptService");
    for number in 0..SCRIPTS {
        let mut module = Node::new("ModuleScript", &format!("Module{number}"));
        module.source = Some(Arc::from(module_source(number)));
        if number % 2 == 0 { &mut storage } else { &mut server }.children.push(module);
    }
    let mut main = Node::new("Script", "Main");
    main.source = Some(Arc::from(
        "for _, folder in { game.ReplicatedStorage, script.Parent } do\n\
         \tfor _, child in folder:GetChildren() do\n\
         \t\tif child:IsA('ModuleScript') then require(child) end\n\
         \tend\n\
         end\n",
    ));
    server.children.push(main);
    let mut root = Node::new("DataModel", "Game");
    root.children = vec![storage, server];
    ProjectTree::of(root)
}

fn settings() -> Settings {
    Settings { rate_limit_mode: RateLimitMode::Off, ..Settings::default() }
}

fn world(tree: Option<&ProjectTree>, bytecode: &Arc<BytecodeCache>) -> World {
    let tree = tree.map(|tree| mount::store(tree, true).expect("the place can be mounted"));
    World::new(WorldOptions {
        settings: settings(),
        tree,
        bytecode: bytecode.clone(),
        ..WorldOptions::default()
    })
    .expect("there is memory for a world")
}

/// Runs source on a side.
fn run(peer: &Rc<Peer>, source: &str) {
    let owner = peer.new_owner(None, "bench");
    let function = peer.load(&Arc::from(source), "bench", &[]).expect("the source compiles");
    peer.spawn(&function, owner, &[]).expect("there is memory for a thread");
}

fn report(what: &str, figure: &str, target: &str) {
    println!("{what:<46} {figure:>16}   target {target}");
}

/// Measures how long this thread works.
struct Stopwatch {
    wall: Instant,
    ran: Option<f64>,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), ran: Stopwatch::running_time() }
    }

    /// Seconds the thread has been on a processor since it began; `None` where the system does not tell.
    fn running_time() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
    }

    fn seconds(&self) -> f64 {
        let ran = Stopwatch::running_time().zip(self.ran).map(|(now, then)| now - then);
        ran.unwrap_or_else(|| self.wall.elapsed().as_secs_f64())
    }
}

/// Resident bytes of this process; 0 where the system does not tell.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
}

fn starting(place: &ProjectTree) {
    let began = Stopwatch::start();
    let first = world(Some(place), &Arc::default());
    first.step(1).expect("a frame runs");
    let took = began.seconds() * 1e3;
    report("start to first frame, 200 modules", &format!("{took:.1} ms"), "< 250 ms");
}

fn cloning(place: &ProjectTree) {
    let bytecode = Arc::default();
    world(Some(place), &bytecode).step(1).expect("a frame runs");
    const TIMES: u32 = 50;
    let began = Stopwatch::start();
    for _ in 0..TIMES {
        drop(world(Some(place), &bytecode));
    }
    let bare = began.seconds() * 1e3 / f64::from(TIMES);
    let began = Stopwatch::start();
    for _ in 0..TIMES {
        world(Some(place), &bytecode).step(1).expect("a frame runs");
    }
    let running = began.seconds() * 1e3 / f64::from(TIMES);
    report("world clone, 200 modules", &format!("{bare:.2} ms"), "< 3 ms");
    report("world clone with all modules required", &format!("{running:.2} ms"), "(none)");
}

fn idling(clients: usize, seconds: f64, target: &str) {
    let world = world(None, &Arc::default());
    let before = resident();
    let mut vms = 0;
    for _ in 0..clients {
        let index = world.join(JoinOptions::default()).expect("a client joins");
        vms += world.peer(Side::Client(index)).expect("it is there").vm.memory();
    }
    let grown = (resident() - before) / clients as f64 / (1 << 20) as f64;
    let vm = vms as f64 / clients as f64 / (1 << 20) as f64;
    let began = Stopwatch::start();
    world.advance(Time::from_seconds(seconds)).expect("time passes");
    let speed = seconds / began.seconds();
    report(&format!("simulated speed, {clients} idle clients"), &format!("{speed:.0} x real time"), target);
    report(&format!("memory an idle client, of {clients}"), &format!("{grown:.2} MiB"), "< 3 MiB");
    report(&format!("  of that in its VM, of {clients}"), &format!("{vm:.2} MiB"), "");
}

fn round_trips() {
    let world = world(None, &Arc::default());
    let client = world.join(JoinOptions::default()).expect("a client joins");
    run(
        &world.peer(Side::Server).expect("the server is there"),
        "local remote = Instance.new('RemoteEvent')\n\
         remote.Parent = game.ReplicatedStorage\n\
         remote.OnServerEvent:Connect(function(player, n) remote:FireClient(player, n) end)",
    );
    world.step(2).expect("frames run");
    run(
        &world.peer(Side::Client(client)).expect("the client is there"),
        "local remote = game.ReplicatedStorage.RemoteEvent\n\
         _G.replies = 0\n\
         remote.OnClientEvent:Connect(function() _G.replies += 1 end)\n\
         game:GetService('RunService').Heartbeat:Connect(function()\n\
         \tfor n = 1, 1000 do remote:FireServer(n) end\n\
         end)",
    );
    const FRAMES: u64 = 100;
    let began = Stopwatch::start();
    world.step(FRAMES).expect("frames run");
    let rate = FRAMES as f64 * 1000.0 / began.seconds();
    report("remote round trips", &format!("{rate:.0} a second"), ">= 200000 a second");
}

fn main() {
    let place = place();
    starting(&place);
    cloning(&place);
    idling(8, 60.0, ">= 50 x real time");
    idling(100, 10.0, "(100 clients run)");
    round_trips();
}
