//! Test frameworks as they are published, and what came out of a run.

use blinkblox_emulator::value::Value;

use crate::run::Running;

/// How a test of a suite ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// Its author left it out.
    Skipped,
    /// It failed, with this text.
    Failed(String),
}

/// The tests of a suite, by full name, in the order they ran.
pub type Outcomes = Vec<(String, Outcome)>;

/// Runs a suite with `@rbxts/testez`, which stands at `ReplicatedStorage.Packages.TestEZ`, over the specs below the
/// instances `roots` names. `prepare` is Luau that runs first.
pub fn test_ez(running: &Running, roots: &[&str], prepare: &str) -> Result<Outcomes, String> {
    let source = format!("{prepare}\n{}", include_str!("../luau/testez.luau"));
    let roots = Value::array(roots.iter().map(|root| Value::from(*root)));
    parse(&running.run(&source, &[roots], 600.0)?)
}

/// Runs a driver that gives its results as [`test_ez`]'s does.
pub fn driven(running: &Running, source: &str, arguments: &[Value]) -> Result<Outcomes, String> {
    parse(&running.run(source, arguments, 600.0)?)
}

/// Reads what a driver gave: a test a record, ended by `\x02`; its fields ended by `\x01`.
fn parse(text: &str) -> Result<Outcomes, String> {
    let mut outcomes = Vec::new();
    for record in text.split('\x02').filter(|record| !record.is_empty()) {
        let fields: Vec<&str> = record.split('\x01').collect();
        let [status, name, problem] = fields[..] else { return Err(format!("the driver gave {record:?}")) };
        let outcome = match status {
            "Success" => Outcome::Passed,
            "Skipped" => Outcome::Skipped,
            "Failure" => Outcome::Failed(problem.to_owned()),
            _ => return Err(format!("the driver gave the status {status:?}")),
        };
        outcomes.push((name.to_owned(), outcome));
    }
    Ok(outcomes)
}
