//! A real game in Roblox's own format: the place that the `rbx_binary` crate measures itself with.

use std::time::Instant;

use blinkblox_emulator::project::{self, mount};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::vm::compile;
use blinkblox_suites::{On, Runner, fetch};

#[test]
fn a_game_of_sixty_thousand_instances_loads() {
    let file = fetch::crate_folder("rbx_binary").join("benches/files/miners-haven.rbxl");
    let began = Instant::now();
    let tree = project::load(&file).unwrap_or_else(|problem| panic!("{problem}"));
    println!("read: {:.2} s", began.elapsed().as_secs_f64());

    let (mut instances, mut scripts, mut bytes) = (0, 0, 0);
    let mut broken = Vec::new();
    tree.root.walk(&mut |node, path| {
        instances += 1;
        if let Some(source) = &node.source {
            scripts += 1;
            bytes += source.len();
            if let Err(error) = compile(source, &path.join(".")) {
                broken.push(error.to_string());
            }
        }
    });
    // The place itself is one more.
    assert_eq!((instances - 1, scripts), (60_950, 710));
    assert!(bytes > 1_590_000, "only {bytes} bytes of Luau");
    assert_eq!(broken, Vec::<String>::new());

    let began = Instant::now();
    mount::store(&tree, true).unwrap();
    println!("mounted: {:.2} s", began.elapsed().as_secs_f64());

    // Its scripts ask for much that is not emulated; none of that may take the world down.
    let began = Instant::now();
    let running = Runner::new(tree).world(On::Client, SignalMode::Deferred);
    running.world.step(60).unwrap();
    println!("a server, a client and a second of play: {:.2} s", began.elapsed().as_secs_f64());
    let here = running.run("return #workspace:GetDescendants()", &[], 10.0).unwrap();
    // Most of the game is in storages.
    assert!(here.parse::<usize>().unwrap() > 300, "{here}");
}
