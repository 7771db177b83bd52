//! What the trace hears of the handlers of a call: which script's, and how each ended.

use std::rc::Rc;

use crate::scheduler::{HandlerPlace, HandlerWatch};
use crate::shared::Side;
use crate::trace::{Event, HandlerEnd};
use crate::vm::Failure;
use crate::world::Core;

/// Records the handlers of one packet on one side.
pub(super) struct Handling {
    pub(super) core: Rc<Core>,
    pub(super) side: Side,
    pub(super) packet: u64,
}

impl HandlerWatch for Handling {
    fn begins(&self, place: &HandlerPlace) -> usize {
        let event = Event::Handle {
            packet: self.packet,
            script: place.script.clone(),
            line: place.line,
            end: HandlerEnd::Running,
            frames: 0,
        };
        self.core.record(self.side, event);
        self.core.trace().records().len() - 1
    }

    fn ended(&self, record: usize, failure: Option<&Failure>) {
        let end = match failure {
            None => HandlerEnd::Done,
            Some(failure) => HandlerEnd::Failed(failure.report().into()),
        };
        let frame = self.core.frame(self.side);
        self.core.trace_mut().end_handler(record, self.packet, end, frame);
    }
}
