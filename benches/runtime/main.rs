//! What an event costs in Luau: fired, flushed, read and heard, against the same written by hand.
//!
//! `cargo bench -p blinkblox-tests --features native --bench runtime`; without the feature, interpreted only. Names of
//! scenarios behind `--` choose some. Contestants take turns in one process, a round of frames each, and each in several
//! VMs, as machine code of one text differs by up to 10 % with where it lies. What is told is the middle of all rounds
//! and the best. `--record FILE` writes the best as lines with tabs, as `benches/figures/runtime.tsv` has them, which the
//! book's page on peers shows. How much text schemas become and how long it takes to load stands below the scenarios.
//! `benches/RESULTS.md` keeps what was measured.
//!
//! To try a change by hand: `--write FOLDER` keeps the modules that are measured, `--read FOLDER` takes those that are
//! there instead, and `--functions` tells in which functions the instructions are, and no times.

mod contest;
mod scenarios;
#[path = "../schemas.rs"]
mod schemas;

use std::time::Duration;

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Outputs, compile};

use contest::{Contest, Counts, Modules};
use scenarios::{SCENARIOS, Scenario};

/// VMs of each contestant, rounds of each VM, and how long one is to take.
const VMS: usize = 4;
const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(8);

/// Processor time of this thread, so that others' work does not count.
#[cfg(unix)]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is one the system has, and it writes to a value of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

struct Runner {
    /// The same, each in a VM of its own.
    contests: Vec<Contest>,
    frames: u64,
    /// Nanoseconds an event, of every round of every VM.
    times: Vec<f64>,
}

impl Runner {
    fn new(scenario: &Scenario, modules: &Modules, native: bool) -> Runner {
        let contests: Vec<Contest> =
            (0..VMS).map(|_| Contest::new(scenario.name, scenario.drive, modules, native)).collect();
        let start = now();
        contests[0].run(20);
        let one = (now() - start) / 20;
        let frames = (ROUND.as_nanos() / one.as_nanos().max(1)).clamp(1, 100_000) as u64;
        Runner { contests, frames, times: Vec::new() }
    }

    fn round(&mut self, vm: usize) {
        let contest = &self.contests[vm];
        let start = now();
        contest.run(self.frames);
        let took = now() - start;
        self.times.push(took.as_nanos() as f64 / (self.frames * contest.events) as f64);
    }

    /// The middle and the best.
    fn told(&self) -> (f64, f64) {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        (sorted[sorted.len() / 2], sorted[0])
    }
}

/// The path behind an option: `--write` names a folder that modules are written to, `--read` one that they are taken from
/// where they are there, to try by hand what emission might do; `--record` names a file for the figures.
fn path(option: &str) -> Option<std::path::PathBuf> {
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == option)?;
    arguments.get(at + 1).map(std::path::PathBuf::from)
}

/// What is measured of a scenario: the server's module, the client's, and both as written by hand.
fn texts(scenario: &Scenario) -> [String; 3] {
    let outputs = compiled(scenario.name, scenario.schema);
    let floor = scenario.floor("BooleansAuto");
    [("server", outputs.server), ("client", outputs.client), ("floor", floor)].map(|(kind, text)| {
        let file = format!("{}.{kind}.luau", scenario.name);
        if let Some(folder) = path("--write") {
            std::fs::write(folder.join(&file), &text).expect("the folder of --write can be written");
        }
        path("--read").and_then(|folder| std::fs::read_to_string(folder.join(&file)).ok()).unwrap_or(text)
    })
}

/// What is counted instead of that: with the reader of booleans that the guard has too, not the one that was quicker as
/// the module was loaded. Modules that were read are counted as they are.
fn counted(scenario: &Scenario) -> Option<[String; 3]> {
    if path("--read").is_some() {
        return None;
    }
    let outputs =
        compiled(scenario.name, &format!("option PackedBooleanReader = \"Rows\"\n{}", scenario.schema));
    Some([outputs.server, outputs.client, scenario.floor("BooleanRows")])
}

fn compiled(name: &str, schema: &str) -> Outputs {
    let loader = MemoryLoader::new().with("main.blink", schema);
    let compiled = compile(&loader, "main.blink", Profile::Release);
    let drawn = blinkblox_compiler::diagnostics::compact::render(
        &compiled.analysis.diagnostics,
        &compiled.analysis.sources,
    );
    compiled.outputs.unwrap_or_else(|| panic!("{name}: the schema does not compile:\n{drawn}"))
}

/// Heads of what is recorded.
const HEADS: &str = "scenario\tmode\tns\tfloor ns\tinstructions\tfloor instructions\tallocated\tfloor allocated\tbytes\tfloor bytes\n";

/// Measures a scenario, prints what came of it and gives it as lines to record: the best of all rounds.
fn measure(scenario: &Scenario) -> String {
    let [server, client, floor] = texts(scenario);
    let own = Modules::Generated(&server, &client);
    let written = Modules::Written(&floor);
    let modes: &[bool] = if cfg!(feature = "native") { &[false, true] } else { &[false] };
    let mut all: Vec<[Runner; 2]> =
        modes.iter().map(|&native| [&own, &written].map(|one| Runner::new(scenario, one, native))).collect();
    for _ in 0..ROUNDS {
        for vm in 0..VMS {
            for pair in &mut all {
                pair.iter_mut().for_each(|one| one.round(vm));
            }
        }
    }
    let [server, client, floor] =
        counted(scenario).unwrap_or([server.clone(), client.clone(), floor.clone()]);
    let counts: [Counts; 2] = [Modules::Generated(&server, &client), Modules::Written(&floor)]
        .map(|modules| Contest::new(scenario.name, scenario.drive, &modules, false).counts());
    let events = all[0][0].contests[0].events as f64;
    let [mine, least] = counts;
    print!("{:16}", scenario.name);
    for pair in &all {
        let ((middle, best), (floor_middle, floor_best)) = (pair[0].told(), pair[1].told());
        print!(
            "{middle:9.1} {best:9.1}  {floor_middle:9.1} {floor_best:9.1}  {:5.2} {:5.2} |",
            middle / floor_middle,
            best / floor_best
        );
    }
    let each = |count: u64| count as f64 / events;
    println!(
        " {:8.1} {:8.1} {:5.2} | {:7.1} {:7.1} | {:7.2} {:7.2}",
        each(mine.instructions),
        each(least.instructions),
        mine.instructions as f64 / least.instructions as f64,
        each(mine.allocated),
        each(least.allocated),
        each(mine.bytes),
        each(least.bytes)
    );
    let recorded = all.iter().zip(modes).map(|([own, floor], native)| {
        let mode = if *native { "native" } else { "interpreted" };
        format!(
            "{}\t{mode}\t{:.1}\t{:.1}\t{:.1}\t{:.1}\t{:.1}\t{:.1}\t{:.2}\t{:.2}\n",
            scenario.name,
            own.told().1,
            floor.told().1,
            each(mine.instructions),
            each(least.instructions),
            each(mine.allocated),
            each(least.allocated),
            each(mine.bytes),
            each(least.bytes)
        )
    });
    recorded.collect()
}

/// How much text a schema becomes, and what loading it takes: compiled by Luau, with `native` to machine code too, and run
/// until both modules are there.
fn measure_loading(name: &str, schema: &str) {
    let outputs = compiled(name, schema);
    let (server, client) = (&outputs.server, &outputs.client);
    print!("{name:24} {:9} {:9} bytes", server.len(), client.len());
    let modes: &[bool] = if cfg!(feature = "native") { &[false, true] } else { &[false] };
    for native in modes {
        let mut times: Vec<Duration> =
            (0..ROUNDS).map(|_| contest::loading(server, client, *native, now)).collect();
        times.sort();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        print!(" | {:8.2} {:8.2} ms", milliseconds(times[ROUNDS / 2]), milliseconds(times[0]));
    }
    println!();
}

/// Where instructions are, of both sides, for who looks for what an event costs beside the floor.
fn tell_functions(scenario: &Scenario) {
    let [server, client, floor] = texts(scenario);
    for modules in [Modules::Generated(&server, &client), Modules::Written(&floor)] {
        println!("{}", scenario.name);
        for (place, count) in Contest::new(scenario.name, scenario.drive, &modules, false).functions() {
            println!("{count:10.2}  {place}");
        }
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args()
        .skip(1)
        .filter(|one| SCENARIOS.iter().any(|scenario| scenario.name == one))
        .collect();
    let mode = "   middle      best      floor      best  ratio  best |";
    let both = if cfg!(feature = "native") { format!("{mode}{mode}") } else { mode.to_owned() };
    println!(
        "ns an event: interpreted{} | instructions, of the floor | bytes allocated | bytes sent",
        if cfg!(feature = "native") { ", native" } else { "" }
    );
    println!("{:16}{both}", "");
    let mut recorded = HEADS.to_owned();
    for scenario in SCENARIOS {
        if !(chosen.is_empty() || chosen.iter().any(|name| name == scenario.name)) {
            continue;
        }
        if std::env::args().any(|argument| argument == "--functions") {
            tell_functions(scenario);
        } else {
            recorded.push_str(&measure(scenario));
        }
    }
    if chosen.is_empty() {
        println!("text of server and client, and loading both: the middle and the best, interpreted, native");
        measure_loading("1 event", schemas::ONE);
        measure_loading("100 events, 50 structs", &schemas::hundred());
    }
    if let Some(file) = path("--record") {
        std::fs::write(&file, recorded).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
