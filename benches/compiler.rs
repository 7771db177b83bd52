//! How fast schemas compile: one event, 100 events and 50 structs, 1 000 declarations, 10 000 over 50 files.
//!
//! `cargo bench -p blinkblox-compiler --bench compiler`. Prints figures beside their targets and asserts none: the
//! machine decides. Where the system tells (Unix), times are those this program ran for, on all its threads, so that a busy
//! machine does not count: a large schema's two modules are made at once, which by the clock is quicker. A whole process
//! is this program started anew to read a schema from disk, compile it and write its modules; with the path of a built
//! `blinkblox` behind `--command`, that command's `build` is measured beside it, taking turns with it. `--record FILE` writes
//! what processes took as lines with tabs, as `benches/figures/compiler.tsv` has it, which the book's page on peers shows.
//! `benches/RESULTS.md` keeps what was measured.

mod schemas;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{MemoryLoader, SourceLoader};
use blinkblox_compiler::{analyze, compile, generate, syntax};

/// The command's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ENTRY: &str = "main.blink";
const OUTPUTS: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n";
/// Declarations of one group.
const GROUP: usize = 10;
/// Runs of which the middle one counts.
const RUNS: usize = 9;
/// Processes started of one kind.
const PROCESSES: usize = 25;

/// Ten declarations that use one another, as a system of a game has them. In every `every`-th group the last of them is
/// an event or a function; a channel has 256 places.
fn group(number: usize, every: usize) -> String {
    let n = number;
    let last = match number / every {
        _ if !number.is_multiple_of(every) => {
            format!("struct Save{n} {{ At: vector, Body: Body{n}, Seen: Flags{n} }}\n")
        }
        of if of.is_multiple_of(4) => format!(
            "event Moved{n} {{ From: Server, Type: Unreliable, Call: SingleSync, Data: (Id: u16, Body: Place{n}) }}\n"
        ),
        of if of % 4 == 1 => {
            format!(
                "function Ask{n} {{ Yield: Coroutine, Rate: 5, Data: Amount{n}, Return: Pair{n}[..8] }}\n"
            )
        }
        of if of % 4 == 2 => format!(
            "event Done{n} {{ From: Client, Type: Reliable, Call: ManyAsync, Rate: 10, Data: Step{n}[..4] }}\n"
        ),
        _ => format!(
            "event State{n} {{ From: Server, Type: Reliable, Call: ManySync, Data: struct {{ All: Book{n}, Who: string(..20) }} }}\n"
        ),
    };
    format!(
        "-- System {n}.\n\
         type Amount{n} = u16(0..1000)\n\
         enum Mood{n} = {{ Calm, Wary, Angry, Gone }}\n\
         struct Place{n} {{ At: vector<f24>, Turn: f32<0.01>(-4..4), Mood: Mood{n} }}\n\
         enum Step{n} = \"Kind\" {{ Halt {{}}, Move {{ X: i8, Run: boolean }}, Use {{ Slot: u8(1..9), Times: Amount{n} }} }}\n\
         map Book{n} = {{ [string(..16)]: Place{n} }}\n\
         set Flags{n} = {{ Seen, Heard, Hit, Lost, Home }}\n\
         struct Body{n} {{ Places: Place{n}[..16], Flags: Flags{n}, Note: string(..64)?, [\"Max HP\"]: Amount{n} }}\n\
         struct Slot{n}<T> {{ Item: T, Count: u8 }}\n\
         struct Pair{n} {{ One: Slot{n}<Place{n}>, Two: Slot{n}<Amount{n}>[..4] }}\n\
         {last}"
    )
}

/// A schema of that many declarations in one file.
fn single(declarations: usize, every: usize) -> Vec<(String, String)> {
    let text: String = (0..declarations / GROUP).map(|number| group(number, every)).collect();
    alone(&text)
}

/// The same spread over files that the entry imports.
fn spread(declarations: usize, files: usize, every: usize) -> Vec<(String, String)> {
    let groups = declarations / GROUP / files;
    let imports: String = (0..files).map(|file| format!("import \"part{file}\" as Part{file}\n")).collect();
    let mut all = vec![(ENTRY.to_string(), format!("{OUTPUTS}{imports}"))];
    for file in 0..files {
        let text: String = (file * groups..(file + 1) * groups).map(|number| group(number, every)).collect();
        all.push((format!("part{file}.blink"), text));
    }
    all
}

/// A schema of one file.
fn alone(declarations: &str) -> Vec<(String, String)> {
    vec![(ENTRY.to_string(), format!("{OUTPUTS}{declarations}"))]
}

/// Processor time of this process's threads, or of the processes it has waited for; the clock where the system does not
/// tell.
#[cfg(unix)]
fn ran(of_children: bool) -> Duration {
    let who = if of_children { libc::RUSAGE_CHILDREN } else { libc::RUSAGE_SELF };
    // SAFETY: all fields of the value are numbers, and the call writes to a value of ours.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    };
    let time = |of: libc::timeval| Duration::new(of.tv_sec as u64, of.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

#[cfg(not(unix))]
fn ran(_: bool) -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Least time measured at once: the system may count in steps of some milliseconds.
const AT_LEAST: Duration = Duration::from_millis(100);

/// The middle of several runs, in milliseconds, after one that warms up.
fn milliseconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let started = Instant::now();
    drop(work());
    let times = (AT_LEAST.as_secs_f64() / started.elapsed().as_secs_f64().max(1e-6)).ceil().max(1.0) as u32;
    let mut all: Vec<f64> = (0..RUNS)
        .map(|_| {
            let before = ran(false);
            for _ in 0..times {
                drop(work());
            }
            (ran(false) - before).as_secs_f64() * 1000.0 / f64::from(times)
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all[RUNS / 2]
}

fn loader(files: &[(String, String)]) -> MemoryLoader {
    files.iter().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.as_str()))
}

/// Compiles in this process, and says how long each part takes.
fn measure(name: &str, files: &[(String, String)], target: &str) -> f64 {
    let loader = loader(files);
    let sound = compile(&loader, ENTRY, Profile::Release);
    let drawn = blinkblox_compiler::diagnostics::compact::render(
        &sound.analysis.diagnostics,
        &sound.analysis.sources,
    );
    let outputs = sound.outputs.unwrap_or_else(|| panic!("the schema does not compile:\n{drawn}"));
    let lines = outputs.server.lines().count() + outputs.client.lines().count();
    let parse = milliseconds(|| {
        files.iter().map(|(_, text)| syntax::parse(Default::default(), text)).collect::<Vec<_>>()
    });
    let analysis = milliseconds(|| analyze(&loader, ENTRY, Profile::Release));
    let whole = milliseconds(|| compile(&loader, ENTRY, Profile::Release));
    println!(
        "{name:32} {whole:8.2} ms  (parse {parse:.2}, analyse {:.2}, generate {:.2}; {lines} lines)  {target}",
        analysis - parse,
        whole - analysis
    );
    whole
}

/// Processor time and the clock's of a process, from start to exit, in milliseconds.
fn process(program: &Path, arguments: &[&OsStr]) -> [f64; 2] {
    let (started, before) = (Instant::now(), ran(true));
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok_and(|status| status.success()), "the process failed");
    [(ran(true) - before).as_secs_f64() * 1000.0, started.elapsed().as_secs_f64() * 1000.0]
}

/// The middle and the least of processes that take turns; recorded as lines. `clear` is called ahead of each.
fn processes(
    recorded: &mut String,
    name: &str,
    kinds: &[(&str, &Path, Vec<&OsStr>)],
    clear: &dyn Fn(),
    target: &str,
) -> Vec<f64> {
    let mut all = vec![Vec::new(); kinds.len()];
    for _ in 0..PROCESSES {
        for (times, (_, program, arguments)) in all.iter_mut().zip(kinds) {
            clear();
            times.push(process(program, arguments));
        }
    }
    let mut middles = Vec::new();
    for (times, (kind, ..)) in all.iter().zip(kinds) {
        let [ran, clock] = [0, 1].map(|which| {
            let mut sorted: Vec<f64> = times.iter().map(|times| times[which]).collect();
            sorted.sort_by(f64::total_cmp);
            (sorted[PROCESSES / 2], sorted[0])
        });
        println!(
            "{name:32} {kind:10} {:8.2} ms, {:.2} at the least; by the clock {:.2}, {:.2}  {target}",
            ran.0, ran.1, clock.0, clock.1
        );
        recorded.push_str(&format!("{name}\t{kind}\t{:.2}\t{:.2}\n", ran.0, ran.1));
        middles.push(ran.0);
    }
    middles
}

/// Compiles in processes of their own, from disk to disk, and gives what this program's took.
fn measure_process(
    recorded: &mut String,
    name: &str,
    files: &[(String, String)],
    command: Option<&Path>,
    target: &str,
) -> f64 {
    let folder = std::env::temp_dir().join(format!("blinkblox-bench-{}", std::process::id()));
    let outputs = folder.join("out");
    // A command leaves files alone that are current.
    let clear = || {
        let _ = std::fs::remove_dir_all(&outputs);
        std::fs::create_dir_all(&outputs).expect("the folder for temporary files can be written");
    };
    clear();
    for (path, text) in files {
        std::fs::write(folder.join(path), text).expect("the folder for temporary files can be written");
    }
    let program = std::env::current_exe().expect("a running program has a path");
    let entry = folder.join(ENTRY);
    let own = vec![OsStr::new("--compile"), folder.as_os_str()];
    let mut kinds = vec![("compiler", program.as_path(), own)];
    let built = vec![OsStr::new("build"), OsStr::new("--yes"), entry.as_os_str()];
    kinds.extend(command.map(|command| ("command", command, built)));
    let middles = processes(recorded, name, &kinds, &clear, target);
    let _ = std::fs::remove_dir_all(&folder);
    middles[0]
}

struct Disk;

impl SourceLoader for Disk {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }
}

/// What a process that is measured does.
fn compile_folder(folder: &str) {
    let entry = format!("{folder}/{ENTRY}");
    let mut compiled = generate(analyze(&Disk, &entry, Profile::Release));
    for (path, text) in compiled.take_files(&entry) {
        std::fs::write(path, text).expect("the folder for temporary files can be written");
    }
}

/// How cost grows: the power of the number of declarations that it follows; 1 is linear.
fn slope(few: (usize, f64), many: (usize, f64)) -> f64 {
    (many.1 / few.1).ln() / (many.0 as f64 / few.0 as f64).ln()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let behind = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.get(at + 1)
    };
    if let Some(folder) = behind("--compile") {
        return compile_folder(folder);
    }
    if arguments.iter().any(|argument| argument == "--nothing") {
        return;
    }
    println!("in process, warm");
    measure("1 event", &alone(schemas::ONE), "");
    measure("100 events, 50 structs", &alone(&schemas::hundred()), "");
    measure("1 000 declarations, 100 events", &single(1_000, 1), "target 50 ms");
    // The mix stays the same from here on: one group in four has an event.
    let thousand = measure("1 000 declarations", &single(1_000, 4), "target 50 ms");
    for count in [2_000, 5_000] {
        measure(&format!("{count} declarations"), &single(count, 4), "");
    }
    let ten = measure("10 000 declarations, 50 files", &spread(10_000, 50, 4), "");
    println!("from 1 000 to 10 000: slope {:.2}", slope((1_000, thousand), (10_000, ten)));

    println!("whole process, from disk to disk");
    let recorded = &mut String::from("what\tprocess\tms\tleast ms\n");
    let command = behind("--command").map(Path::new);
    let program = std::env::current_exe().expect("a running program has a path");
    let mut kinds = vec![("compiler", program.as_path(), vec![OsStr::new("--nothing")])];
    kinds.extend(command.map(|command| ("command", command, vec![OsStr::new("--version")])));
    processes(recorded, "nothing, or its version", &kinds, &|| {}, "");
    measure_process(recorded, "1 event", &alone(schemas::ONE), command, "target 3 ms");
    measure_process(recorded, "100 events, 50 structs", &alone(&schemas::hundred()), command, "target 10 ms");
    let few = measure_process(recorded, "1 000 declarations", &single(1_000, 4), command, "");
    let some = measure_process(recorded, "2 000 declarations", &single(2_000, 4), command, "");
    let many =
        measure_process(recorded, "10 000 declarations, 50 files", &spread(10_000, 50, 4), command, "");
    println!(
        "from 1 000 to 2 000: slope {:.2}; from 1 000 to 10 000: {:.2}",
        slope((1_000, few), (2_000, some)),
        slope((1_000, few), (10_000, many))
    );
    if let Some(file) = behind("--record") {
        std::fs::write(file, recorded).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}
