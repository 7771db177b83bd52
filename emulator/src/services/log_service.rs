//! `LogService`: a side's output, to scripts. Engine page: classes/LogService, checked August 2026.

use std::rc::Rc;

use crate::datamodel::classes::{enum_item, known_class};
use crate::datamodel::instance::this;
use crate::datamodel::members::{EventRef, Member, event, method};
use crate::datamodel::store::single_id;
use crate::peer::Peer;
use crate::shared::LogLevel;
use crate::value::Value;
use crate::vm::{Cx, Outcome, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    event("LogService", "MessageOut(message: string, messageType: Enum.MessageType, context: table)"),
    method("LogService", "ClearOutput()", clear_output),
    method("LogService", "GetLogHistory() -> table", get_log_history),
];

static MESSAGE_OUT: EventRef = EventRef::new("LogService", "MessageOut");

/// Most lines kept for `GetLogHistory`.
const HISTORY: usize = 1000;

/// A line of output as `GetLogHistory` gives it.
#[derive(Debug, Clone)]
pub struct LogEntry {
    text: String,
    level: LogLevel,
    at: f64,
}

fn kind(level: LogLevel) -> Value {
    let name = match level {
        LogLevel::Output => "MessageOutput",
        LogLevel::Info => "MessageInfo",
        LogLevel::Warning => "MessageWarning",
        LogLevel::Error => "MessageError",
    };
    enum_item("MessageType", name).map_or(Value::Nil, Value::EnumItem)
}

/// Mirrors a line of output into the service: to be called for each line a side writes.
pub fn line_written(peer: &Rc<Peer>, level: LogLevel, text: &str) {
    let model = peer.data_model();
    {
        let mut extras = model.extras();
        if extras.log.len() == HISTORY {
            extras.log.pop_front();
        }
        extras.log.push_back(LogEntry { text: text.to_owned(), level, at: peer.unix_time() });
    }
    let signal = MESSAGE_OUT.on(single_id(known_class("LogService")));
    if peer.signals.has_listeners(signal) {
        peer.fire(signal, &[text.into(), kind(level)]);
    }
}

fn clear_output(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.peer().data_model().extras().log.clear();
    Ok(Returns::NONE)
}

fn get_log_history(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let lines: Vec<LogEntry> = peer.data_model().extras().log.iter().cloned().collect();
    let rows = lines.into_iter().map(|line| {
        Value::record([
            ("message", line.text.into()),
            ("messageType", kind(line.level)),
            ("timestamp", Value::Number(line.at)),
        ])
    });
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}
