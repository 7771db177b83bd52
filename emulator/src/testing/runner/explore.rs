//! `--explore`: a test again under other schedules, all of them ones the engine might have.
//!
//! A schedule is a list of choices: the order of handlers, of scripts, of changes against remote calls, of a joining
//! client's tree, and the network's delays. Each changes only worlds that do not choose for themselves. When the test
//! ends differently under one, choices are taken out as long as it still does: what is left is the reason.

use super::RunOptions;
use crate::network::LinkSettings;
use crate::shared::Seed;
use crate::testing::report::{DiagnosticLine, Failure, Status, TestReport};

/// One way in which a schedule differs from the usual one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A setting, by name and value.
    Set(&'static str, String),
    /// The network of worlds that name none.
    Net(&'static str),
}

impl Choice {
    /// The arguments that make it.
    fn flags(&self) -> String {
        match self {
            Choice::Set(name, value) => format!("--set {name}={value}"),
            Choice::Net(name) => format!("--net {name}"),
        }
    }
}

/// Networks whose delays reorder what a perfect one does not.
const NETS: [&str; 4] = ["fibre", "typical", "mobile", "poor"];

/// The `number`-th schedule of a test.
pub(super) fn draw(seed: Seed, number: u32, options: &RunOptions) -> Vec<Choice> {
    let mut random = seed.random(&format!("schedule {number}"));
    let mut choices = Vec::new();
    let chosen = |name: &str| options.world.settings.iter().any(|(known, _)| known == name);
    let mut one = |name: &'static str, values: &[&str], choices: &mut Vec<Choice>| {
        let value = values[random.below(values.len())];
        if random.chance(0.5) && !chosen(name) {
            choices.push(Choice::Set(name, value.to_owned()));
        }
    };
    one("replicationOrder", &["remotesLate", "remotesEarly", "shuffled"], &mut choices);
    one("signalOrder", &["oldest", "shuffled"], &mut choices);
    one("joinOrder", &["shuffle"], &mut choices);
    one("shuffle", &["true"], &mut choices);
    if random.chance(0.5) && options.world.link.is_none() {
        choices.push(Choice::Net(NETS[random.below(NETS.len())]));
    }
    if choices.is_empty() {
        choices.push(Choice::Set("replicationOrder", "shuffled".to_owned()));
    }
    if choices.iter().any(Choice::draws) {
        choices.push(Choice::Set("scheduleSeed", (random.bits() >> 40).to_string()));
    }
    choices
}

impl Choice {
    /// Whether it leaves something to a draw.
    fn draws(&self) -> bool {
        matches!(self, Choice::Set(_, value) if value == "shuffled" || value == "shuffle" || value == "true")
    }
}

/// The options of a run under a schedule.
pub(super) fn under(options: &RunOptions, choices: &[Choice]) -> RunOptions {
    let mut options = options.clone();
    for choice in choices {
        match choice {
            Choice::Set(name, value) => options.world.settings.push(((*name).to_owned(), value.clone())),
            Choice::Net(name) => options.world.link = LinkSettings::preset(name),
        }
    }
    options
}

/// Whether a test that ended as `first` did ends otherwise. Only passing and failing count.
fn differs(first: &Status, other: &Status) -> bool {
    matches!((first, other), (Status::Passed, Status::Failed(_)) | (Status::Failed(_), Status::Passed))
}

/// Tries schedules of a test that has run, and notes in its report what made it end otherwise. `run` runs it under
/// choices and gives how it ended; `None` when it could not be.
pub(super) fn explore(
    options: &RunOptions,
    seed: Seed,
    again: &str,
    test: &mut TestReport,
    mut run: impl FnMut(&[Choice]) -> Option<Status>,
) {
    for number in 1..=options.explore {
        if options.stop.reason().is_some() {
            return;
        }
        let choices = draw(seed, number, options);
        let Some(other) = run(&choices).filter(|other| differs(&test.status, other)) else { continue };
        let (choices, other) = smallest(choices, other, &test.status, &mut run);
        note(test, number, &choices, other, again);
        return;
    }
}

/// Takes choices out for as long as the test still ends otherwise.
fn smallest(
    mut choices: Vec<Choice>,
    mut other: Status,
    first: &Status,
    run: &mut impl FnMut(&[Choice]) -> Option<Status>,
) -> (Vec<Choice>, Status) {
    let mut at = 0;
    while at < choices.len() {
        let mut fewer = choices.clone();
        fewer.remove(at);
        match run(&fewer).filter(|status| !fewer.is_empty() && differs(first, status)) {
            Some(status) => (choices, other) = (fewer, status),
            None => at += 1,
        }
    }
    (choices, other)
}

fn note(test: &mut TestReport, number: u32, choices: &[Choice], other: Status, again: &str) {
    let flags = choices.iter().map(Choice::flags).collect::<Vec<_>>().join(" ");
    let race = choices.iter().any(|choice| matches!(choice, Choice::Set("replicationOrder", _)));
    let ends = |status: &Status| if *status == Status::Passed { "passes" } else { "fails" };
    let text = format!(
        "the test {} as it is, and {} under {flags} (found by --explore in schedule {number})\nunder that schedule: \
         {again} {flags}",
        ends(&test.status),
        ends(&other),
    );
    if race {
        test.diagnostics.push(DiagnosticLine {
            code: "E-RACE".to_owned(),
            class: "portability".to_owned(),
            side: "server".to_owned(),
            at: 0.0,
            text: "the outcome differs under another order of instance changes and remote calls".to_owned(),
        });
    }
    let failure = match (&test.status, other) {
        (Status::Failed(failure), _) => {
            Failure { message: format!("{}\n{text}", failure.message), ..failure.clone() }
        }
        (_, Status::Failed(failure)) => {
            Failure { message: format!("{text}\n{}", failure.message), ..failure }
        }
        (_, _) => return,
    };
    test.status = Status::Failed(failure);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(text: &str) -> Status {
        Status::Failed(Failure { message: text.into(), ..Failure::default() })
    }

    fn explored(status: Status, mut breaks: impl FnMut(&[Choice]) -> bool) -> TestReport {
        let options = RunOptions { explore: 40, ..RunOptions::default() };
        let mut test = TestReport::new(1, Vec::new(), "buys".into(), 1);
        let passes = status == Status::Passed;
        test.status = status;
        explore(&options, Seed(7), "blinkblox test a -t buys", &mut test, |choices| {
            let broken = breaks(choices) == passes;
            Some(if broken { failed("no coins") } else { Status::Passed })
        });
        test
    }

    #[test]
    fn the_smallest_reason_is_named_with_its_arguments() {
        let early = Choice::Set("replicationOrder", "remotesEarly".into());
        let test = explored(Status::Passed, |choices| choices.contains(&early));
        let Status::Failed(failure) = &test.status else { panic!("{:?}", test.status) };
        let lines: Vec<&str> = failure.message.lines().collect();
        assert!(
            lines[0].starts_with(
                "the test passes as it is, and fails under --set replicationOrder=remotesEarly ("
            )
        );
        assert_eq!(
            lines[1],
            "under that schedule: blinkblox test a -t buys --set replicationOrder=remotesEarly"
        );
        assert_eq!(lines[2], "no coins");
        assert_eq!(test.diagnostics[0].code, "E-RACE");
    }

    #[test]
    fn a_failure_that_another_schedule_mends_says_so() {
        let test = explored(failed("always?"), |choices| choices.contains(&Choice::Net("poor")));
        let Status::Failed(failure) = &test.status else { panic!("{:?}", test.status) };
        assert!(
            failure.message.starts_with("always?\nthe test fails as it is, and passes under --net poor (")
        );
        assert!(test.diagnostics.is_empty());
    }

    #[test]
    fn a_steady_test_is_left_alone() {
        assert_eq!(explored(Status::Passed, |_| false).status, Status::Passed);
        assert_eq!(explored(failed("always"), |_| false).status, failed("always"));
    }

    #[test]
    fn schedules_are_the_seeds_and_leave_what_was_chosen() {
        let mut options = RunOptions::default();
        assert_eq!(draw(Seed(1), 3, &options), draw(Seed(1), 3, &options));
        options.world.settings.push(("replicationOrder".into(), "together".into()));
        options.world.link = LinkSettings::preset("lan");
        for number in 0..50 {
            let choices = draw(Seed(1), number, &options);
            assert!(!choices.iter().any(|choice| matches!(choice, Choice::Net(_))));
        }
    }
}
