//! Times in two bytes: a server time as milliseconds modulo 65,536, and back.
//!
//! Written in place: calls would cost more than what they do. Times are seconds on the clock of
//! `Workspace:GetServerTimeNow()`.

use std::sync::LazyLock;

use super::ast::*;
use super::context::shared;

/// Values a stamp can hold, and how far it is right in either direction: 32.7 seconds.
static WRAP: LazyLock<u64> = LazyLock::new(|| shared("Clock", "WRAP"));
static HALF: LazyLock<u64> = LazyLock::new(|| shared("Clock", "HALF"));

fn server_time() -> Expr {
    method(name("Workspace"), "GetServerTimeNow", [])
}

/// The stamp of this moment.
pub fn stamp() -> Expr {
    let milliseconds = mul(server_time(), num(1000));
    binary(call("math.floor", [milliseconds]), BinaryOp::Mod, size(*WRAP))
}

/// Declares `Now`, and a local for the time nearest to it that has the stamp `value`. Every step is exact: a time in
/// milliseconds is a multiple of 2^-12, and none of the sums has more digits.
pub fn recover(local: &str, value: Expr, out: &mut Block) {
    out.local("Now", server_time());
    out.local("Moment", mul(name("Now"), num(1000)));
    let ahead = add(binary(value, BinaryOp::Sub, name("Moment")), size(*HALF));
    let nearest = add(name("Moment"), binary(ahead, BinaryOp::Mod, size(*WRAP)));
    out.local(local, binary(binary(nearest, BinaryOp::Sub, size(*HALF)), BinaryOp::Div, num(1000)));
}

/// Holds a recovered time between `window` seconds before `Now` and `Now`.
pub fn clamp(local: &str, window: f64, out: &mut Block) {
    let earliest = binary(name("Now"), BinaryOp::Sub, num(window));
    out.assign(name(local), call("math.clamp", [name(local), earliest, name("Now")]));
}
