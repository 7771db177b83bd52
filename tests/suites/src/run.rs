//! Running a chunk of Luau on a side of a world until it has ended.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use blinkblox_emulator::project::{ProjectTree, mount};
use blinkblox_emulator::shared::{Seed, Settings, Side, SignalMode};
use blinkblox_emulator::value::Value;
use blinkblox_emulator::vm::BytecodeCache;
use blinkblox_emulator::world::{ClientState, JoinOptions, World, WorldOptions};

/// The side something runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The server.
    Server,
    /// A client that has joined and loaded.
    Client,
}

/// Makes worlds of one place; they share its compiled sources.
pub struct Runner {
    tree: ProjectTree,
    bytecode: Arc<BytecodeCache>,
}

/// A world that something runs in, and the side it runs on.
pub struct Running {
    /// The world.
    pub world: World,
    /// The side.
    pub side: Side,
}

impl Runner {
    /// Worlds of that place.
    pub fn new(tree: ProjectTree) -> Runner {
        Runner { tree, bytecode: Arc::default() }
    }

    /// A fresh world, its scripts started and, for a client, one that has loaded.
    pub fn world(&self, on: On, signals: SignalMode) -> Running {
        self.world_with(on, Settings { signals, ..Settings::default() })
    }

    /// The same with all settings.
    pub fn world_with(&self, on: On, settings: Settings) -> Running {
        let world = World::new(WorldOptions {
            seed: Seed(0),
            settings,
            tree: Some(mount::store(&self.tree, true).unwrap()),
            bytecode: self.bytecode.clone(),
            ..WorldOptions::default()
        });
        let world = world.unwrap();
        world.start();
        let side = match on {
            On::Server => Side::Server,
            On::Client => {
                let index = world.join(JoinOptions::default()).unwrap();
                let client = world.client(index).unwrap();
                for _ in 0..600 {
                    world.step(1).unwrap();
                    if client.state() == ClientState::Loaded {
                        break;
                    }
                }
                assert_eq!(client.state(), ClientState::Loaded);
                client.side
            }
        };
        Running { world, side }
    }
}

impl Running {
    /// Runs a chunk on the side, moving time until it has ended, `seconds` at most. Gives the text it returned.
    ///
    /// Errors: what it threw, or that it still waits, with what all sides printed.
    pub fn run(&self, source: &str, arguments: &[Value], seconds: f64) -> Result<String, String> {
        let peer = self.world.peer(self.side).unwrap();
        let function = peer.load(&Arc::from(source), "driver", &[]).map_err(|failure| failure.report())?;
        let end = Rc::new(RefCell::new(None));
        let slot = end.clone();
        let owner = peer.new_owner(None, "driver");
        let on_end = Box::new(move |_: &_, result| *slot.borrow_mut() = Some(result));
        peer.spawn_then(&function, owner, arguments, on_end).map_err(|failure| failure.report())?;
        let start = self.world.now().seconds();
        loop {
            if let Some(result) = end.borrow_mut().take() {
                let values = result.map_err(|failure| format!("{}\n{}", failure.report(), self.output()))?;
                return Ok(values.first().map(ToString::to_string).unwrap_or_default());
            }
            if self.world.now().seconds() - start > seconds {
                return Err(format!("still waits after {seconds} s\n{}", self.output()));
            }
            self.world.step(1).map_err(|error| error.to_string())?;
        }
    }

    /// What all sides printed, a line each.
    pub fn output(&self) -> String {
        let lines = self.world.output();
        lines.iter().map(|line| format!("[{} {}] {}\n", line.side, line.level.name(), line.text)).collect()
    }
}
