//! Which tests of a file run, and in which order.

use crate::shared::{Random, Seed};
use crate::testing::kit::Case;

/// A filter on full test names.
#[derive(Clone, Debug)]
pub enum Filter {
    /// The name contains this text.
    Text(String),
    /// The name matches this expression.
    Pattern(regex::Regex),
}

impl Filter {
    /// A filter as the command line writes it: a text, or `/expression/`.
    ///
    /// Errors: what is wrong with the expression.
    pub fn parse(text: &str) -> Result<Filter, String> {
        match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(pattern) => {
                regex::Regex::new(pattern).map(Filter::Pattern).map_err(|error| error.to_string())
            }
            None => Ok(Filter::Text(text.to_string())),
        }
    }

    /// Whether a name is meant.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Filter::Text(text) => name.contains(text.as_str()),
            Filter::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// One of several shares of the tests: the machines of a CI matrix run one each.
///
/// What is in a share depends on names alone, so a new file or block moves no other. A block at the top of a file stays
/// together with all that is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which share, from 1.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl Shard {
    /// A share as the command line writes it: `2/4`. Errors: what it should look like.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("a share is written I/N with I from 1 to N, such as 2/4, not `{text}`")),
        }
    }

    /// Whether a test belongs to the share. `file` is the file's path as shown, the same on every machine.
    pub fn holds(self, file: &str, blocks: &[String], name: &str) -> bool {
        let unit = blocks.first().map_or(name, String::as_str);
        // The share with the highest draw wins, so that another count moves as few tests as it can.
        let draw = |index: u32| Seed(u64::from(index)).derive(&format!("shard/{file}/{unit}"));
        let winner = (1..=self.count).max_by_key(|index| draw(*index));
        winner == Some(self.index)
    }
}

/// The order in which a file's tests run, as positions in `cases`. A drawn order keeps blocks together.
pub(super) fn order(cases: &[Case], file: &str, shuffle: Option<u64>) -> Vec<usize> {
    let all: Vec<usize> = (0..cases.len()).collect();
    match shuffle {
        None => all,
        Some(seed) => {
            let mut random = Random::from_seed(Seed(seed).derive(&format!("order/{file}")));
            shuffled(cases, all, 0, &mut random)
        }
    }
}

/// Shuffles the tests and blocks at one depth, and then within each block.
fn shuffled(cases: &[Case], tests: Vec<usize>, depth: usize, random: &mut Random) -> Vec<usize> {
    let mut units: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for test in tests {
        let block = cases[test].blocks.get(depth).map(String::as_str);
        match units.iter_mut().find(|(known, _)| block.is_some() && *known == block) {
            Some((_, tests)) => tests.push(test),
            None => units.push((block, vec![test])),
        }
    }
    random.shuffle(&mut units);
    let within = units.into_iter().flat_map(|(block, tests)| match block {
        Some(_) => shuffled(cases, tests, depth + 1, random),
        None => tests,
    });
    within.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(blocks: &[&str], name: &str) -> Case {
        Case {
            blocks: blocks.iter().map(ToString::to_string).collect(),
            name: name.into(),
            mode: "run".into(),
            line: 1,
        }
    }

    #[test]
    fn shares_are_disjoint_complete_and_stay_as_they_are() {
        let names: Vec<(String, String)> = (0..40)
            .flat_map(|file| (0..5).map(move |block| (format!("{file}.spec.luau"), format!("block {block}"))))
            .collect();
        let share = |index, count, (file, block): &(String, String)| {
            Shard { index, count }.holds(file, std::slice::from_ref(block), "any test of the block")
        };
        for name in &names {
            let owners = (1..=4).filter(|index| share(*index, 4, name)).count();
            assert_eq!(owners, 1, "{name:?}");
        }
        for index in 1..=4 {
            let held = names.iter().filter(|name| share(index, 4, name)).count();
            assert!((30..=70).contains(&held), "share {index} holds {held} of 200");
        }
        // A fifth machine takes tests from the others and moves none between them.
        for name in names.iter().filter(|name| !share(5, 5, name)) {
            assert_eq!(
                (1..=4).find(|index| share(*index, 4, name)),
                (1..=5).find(|index| share(*index, 5, name))
            );
        }
    }

    #[test]
    fn shares_are_read_as_they_are_written() {
        assert_eq!(Shard::parse("2/4"), Ok(Shard { index: 2, count: 4 }));
        for wrong in ["0/4", "5/4", "2", "a/b", "1/0", "-1/2", ""] {
            assert!(Shard::parse(wrong).unwrap_err().contains("such as 2/4"), "{wrong}");
        }
    }

    #[test]
    fn a_drawn_order_keeps_blocks_together() {
        let cases: Vec<Case> = ["a", "b", "c"]
            .into_iter()
            .flat_map(|block| (0..6).map(move |test| case(&[block], &test.to_string())))
            .chain((0..4).map(|test| case(&[], &test.to_string())))
            .collect();
        assert_eq!(order(&cases, "x", None), (0..22).collect::<Vec<_>>());
        let drawn = order(&cases, "x", Some(3));
        assert_eq!(drawn, order(&cases, "x", Some(3)));
        assert_ne!(drawn, order(&cases, "x", Some(4)));
        assert_ne!(drawn, order(&cases, "y", Some(3)));
        let mut sorted = drawn.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..22).collect::<Vec<_>>());
        let blocks: Vec<_> = drawn.iter().filter_map(|test| cases[*test].blocks.first()).collect();
        let changes = blocks.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(changes, 2, "a block was torn apart: {blocks:?}");
    }
}
