//! Libraries without tests of their own, each in a short use: `luau/libraries/NAME.SIDE.luau`, whose first line names
//! the module. Where there are two sides, the server's part runs first, and both are in one world.

use std::collections::BTreeMap;
use std::path::Path;

use blinkblox_emulator::shared::{RunContext, Settings, Side, SignalMode};
use blinkblox_suites::{On, Place, Runner, fetch};

/// Loads a module as code compiled by roblox-ts does. The line it stands in must stay one.
const LOAD: &str = "local include = game.ReplicatedStorage:WaitForChild('rbxts_include'); \
    local TS = require(include:WaitForChild('RuntimeLib')); \
    local function load(path) local at = include:WaitForChild('node_modules'); \
    for _, name in string.split(path, '/') do at = at:WaitForChild(name) end; return TS.import('driver', at) end; ";

/// A use of a library.
#[derive(Default)]
struct Use {
    /// The server's part and the client's.
    chunks: [Option<String>; 2],
    /// Whether it runs as in Studio rather than on a live server.
    in_studio: bool,
}

/// Uses by library.
fn uses() -> BTreeMap<String, Use> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("luau/libraries");
    let mut uses: BTreeMap<String, Use> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().strip_suffix(".luau").unwrap();
        let (library, side) = name.rsplit_once('.').unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let header = text.lines().next().unwrap().strip_prefix("-- entry: ").unwrap();
        // What reaches for data stores finds none in Studio, and may do without.
        let (entry, in_studio) =
            header.strip_suffix("; studio").map_or((header, false), |entry| (entry, true));
        let chunk = format!("{LOAD}local lib = load('{entry}') {}", text.split_once('\n').unwrap().1);
        let index = ["server", "client"].iter().position(|known| *known == side).unwrap();
        let library = uses.entry(library.to_owned()).or_default();
        library.chunks[index] = Some(chunk);
        library.in_studio |= in_studio;
    }
    uses
}

#[test]
fn libraries_work_in_a_short_use() {
    let Some(modules) = fetch::npm() else { return };
    let runner = Runner::new(Place::new().with_npm(&modules).load("libraries"));
    let mut wrong = String::new();
    let uses = uses();
    assert!(uses.len() >= 31, "only {} libraries", uses.len());
    for (library, Use { chunks: [server, client], in_studio }) in uses {
        for mode in [SignalMode::Immediate, SignalMode::Deferred] {
            let began = std::time::Instant::now();
            let on = if client.is_some() { On::Client } else { On::Server };
            let context = if in_studio { RunContext::Studio } else { RunContext::Live };
            let settings = Settings { signals: mode, context, ..Settings::default() };
            let mut running = runner.world_with(on, settings);
            let client_side = running.side;
            let mut result = Ok(String::new());
            if let Some(chunk) = &server {
                running.side = Side::Server;
                result = running.run(chunk, &[], 60.0);
            }
            if let (Some(chunk), Ok(_)) = (&client, &result) {
                running.side = client_side;
                result = running.run(chunk, &[], 60.0);
            }
            println!("{library} [{mode:?}]: {:.2} s", began.elapsed().as_secs_f64());
            if let Err(problem) = result {
                wrong.push_str(&format!("\n{library} [{mode:?}]: {problem}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
