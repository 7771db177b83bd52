//! Calls that arrived before anybody listened, and the counting of those that found no room.
//! Source: Roblox behaviour, 5.2.5 to 5.2.7 and 5.6.6.

use std::collections::VecDeque;

use indexmap::IndexMap;

use crate::shared::Side;
use crate::value::InstanceId;

/// Waiting calls of one side, by remote and sender, each in order of arrival.
#[derive(Debug)]
pub struct Waiting<T> {
    lines: IndexMap<(InstanceId, Side), Line<T>>,
}

#[derive(Debug)]
struct Line<T> {
    calls: VecDeque<T>,
    dropped: u64,
}

/// What became of a call that had to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It waits.
    Waits,
    /// There was no room. With a number, that many have been dropped and it is time to say so again.
    Dropped(Option<u64>),
}

impl<T> Default for Waiting<T> {
    fn default() -> Waiting<T> {
        Waiting { lines: IndexMap::new() }
    }
}

impl<T> Waiting<T> {
    /// Lets a call from `from` on `remote` wait, if fewer than `limit` do.
    pub fn admit(&mut self, remote: InstanceId, from: Side, call: T, limit: usize) -> Admission {
        let line =
            self.lines.entry((remote, from)).or_insert_with(|| Line { calls: VecDeque::new(), dropped: 0 });
        if line.calls.len() < limit {
            line.calls.push_back(call);
            return Admission::Waits;
        }
        line.dropped += 1;
        // Said at 1, 2, 4, 8, ...: often enough to be seen, too seldom to flood the log.
        Admission::Dropped(line.dropped.is_power_of_two().then_some(line.dropped))
    }

    /// Whether calls from `from` wait on `remote`: a new one has to go behind them.
    pub fn is_waiting(&self, remote: InstanceId, from: Side) -> bool {
        self.lines.get(&(remote, from)).is_some_and(|line| !line.calls.is_empty())
    }

    /// Remotes on which somebody waits, in the order in which waiting first began.
    pub fn remotes(&self) -> Vec<InstanceId> {
        let mut found: Vec<InstanceId> = Vec::new();
        for ((remote, _), line) in &self.lines {
            if !line.calls.is_empty() && !found.contains(remote) {
                found.push(*remote);
            }
        }
        found
    }

    /// Takes everything that waits on `remote`, sender by sender.
    pub fn take(&mut self, remote: InstanceId) -> Vec<(Side, T)> {
        let mut taken = Vec::new();
        for ((of, from), line) in &mut self.lines {
            if *of == remote {
                taken.extend(line.calls.drain(..).map(|call| (*from, call)));
            }
        }
        taken
    }

    /// Forgets what came from `from`, and returns it.
    pub fn forget(&mut self, from: Side) -> Vec<T> {
        let mut gone = Vec::new();
        self.lines.retain(|(_, side), line| {
            if *side == from {
                gone.extend(line.calls.drain(..));
            }
            *side != from
        });
        gone
    }

    /// How many calls wait.
    pub fn len(&self) -> usize {
        self.lines.values().map(|line| line.calls.len()).sum()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_hundred_early_fires_keep_256_and_speak_at_powers_of_two() {
        let mut waiting = Waiting::default();
        let (remote, from) = (InstanceId(9), Side::Server);
        let said: Vec<u64> = (0..300)
            .filter_map(|call| match waiting.admit(remote, from, call, 256) {
                Admission::Dropped(said) => said,
                Admission::Waits => None,
            })
            .collect();
        assert_eq!(said, [1, 2, 4, 8, 16, 32]);
        let kept: Vec<i32> = waiting.take(remote).into_iter().map(|(_, call)| call).collect();
        assert_eq!(kept, (0..256).collect::<Vec<_>>());
        assert!(waiting.is_empty() && !waiting.is_waiting(remote, from));
    }

    #[test]
    fn lines_are_apart_by_sender_and_forgotten_with_it() {
        let mut waiting = Waiting::default();
        for (remote, client, call) in [(9, 0, 'a'), (9, 1, 'b'), (8, 0, 'c')] {
            assert_eq!(waiting.admit(InstanceId(remote), Side::Client(client), call, 1), Admission::Waits);
        }
        assert_eq!(waiting.admit(InstanceId(9), Side::Client(1), 'd', 1), Admission::Dropped(Some(1)));
        assert_eq!(waiting.remotes(), [InstanceId(9), InstanceId(8)]);
        assert_eq!(waiting.forget(Side::Client(0)), ['a', 'c']);
        assert_eq!(waiting.take(InstanceId(9)), [(Side::Client(1), 'b')]);
    }
}
