//! What the sides of a world print, together.

use super::World;
use crate::peer::Covered;
use crate::shared::{LogLevel, LogLine, Side};

/// Reads what sides print, each line once.
#[derive(Debug, Default)]
pub struct OutputReader {
    /// Lines read of the server, then of each client by index.
    seen: Vec<usize>,
}

impl OutputReader {
    /// Lines since the last call, in order of time, then of side.
    pub fn read(&mut self, world: &World) -> Vec<LogLine> {
        let clients = world.clients.borrow();
        self.seen.resize(clients.len() + 1, 0);
        let mut lines = world.server.peer.log.since(self.seen[0]);
        self.seen[0] += lines.len();
        for (client, seen) in clients.iter().zip(&mut self.seen[1..]) {
            let new = client.log_since(*seen);
            *seen += new.len();
            lines.extend(new);
        }
        lines.sort_by_key(|line| (line.at, line.side));
        lines
    }
}

impl World {
    /// What all sides have printed so far, those that left too, in order of time, then of side.
    pub fn output(&self) -> Vec<LogLine> {
        OutputReader::default().read(self)
    }

    /// Uncaught errors of all sides so far, in order of time, then of side.
    pub fn errors(&self) -> Vec<LogLine> {
        let mut lines = self.output();
        lines.retain(|line| line.level == LogLevel::Error);
        lines
    }

    /// How often the lines of all sides' scripts ran; empty unless the world's bytecode counts.
    pub fn coverage(&self) -> Vec<Covered> {
        let mut covered = self.server.peer.coverage();
        covered.extend(self.clients.borrow().iter().flat_map(|client| client.coverage()));
        covered
    }

    /// What people call a side: `server`, or the player's name.
    pub fn side_name(&self, side: Side) -> String {
        self.core.member(side).map_or_else(|| side.to_string(), |member| member.name.to_string())
    }
}
