//! The `blinkblox` command.
fn main() {}
