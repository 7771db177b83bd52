//! `Workspace`: the clocks. Engine page: classes/Workspace, checked August 2026.

use crate::datamodel::instance::this;
use crate::datamodel::members::{Member, method, property};
use crate::value::Value;
use crate::vm::{Cx, Outcome, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    method("Workspace", "GetServerTimeNow() -> number", get_server_time_now),
    property("Workspace", "DistributedGameTime", |peer, _| Ok(Value::Number(peer.clock.uptime()))),
];

/// Unix seconds of the server: its own wall clock there, the estimate on a client.
fn get_server_time_now(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let now = if peer.side.is_server() {
        peer.unix_time()
    } else {
        let estimate = peer.clock.server_time();
        // Ours (P): the engine's page only says that it throws.
        let estimate = estimate.ok_or("GetServerTimeNow is not available before the client is connected")?;
        peer.shared.clock.get().unix(estimate)
    };
    cx.push_number(now);
    Ok(Returns::ONE)
}
