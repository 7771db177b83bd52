//! Which script a thread belongs to, so that stopping a script stops its threads.

use std::rc::Rc;

use crate::value::InstanceId;

/// One run of a script. Threads carry its number.
#[derive(Clone, Debug, Default)]
pub struct Owner {
    /// The script, if it is one.
    pub script: Option<InstanceId>,
    /// Full name at the time it started.
    pub name: Option<Rc<str>>,
    /// Whether it was stopped.
    pub stopped: bool,
}

/// All runs so far. Number 0 is nobody.
#[derive(Default)]
pub(super) struct Owners {
    runs: Vec<Owner>,
}

impl Owners {
    /// Number of a new run.
    pub(super) fn add(&mut self, script: Option<InstanceId>, name: &str) -> u32 {
        self.runs.push(Owner { script, name: Some(name.into()), stopped: false });
        u32::try_from(self.runs.len()).unwrap_or(0)
    }

    pub(super) fn get(&self, number: u32) -> Owner {
        self.run(number).cloned().unwrap_or_default()
    }

    pub(super) fn is_alive(&self, number: u32) -> bool {
        self.run(number).is_none_or(|run| !run.stopped)
    }

    fn run(&self, number: u32) -> Option<&Owner> {
        self.runs.get((number as usize).checked_sub(1)?)
    }

    /// Stops all runs of a script and gives their numbers.
    pub(super) fn stop(&mut self, script: InstanceId) -> Vec<u32> {
        let mut stopped = Vec::new();
        for (index, run) in self.runs.iter_mut().enumerate() {
            if run.script == Some(script) && !run.stopped {
                run.stopped = true;
                stopped.extend(u32::try_from(index + 1));
            }
        }
        stopped
    }
}
