//! Declarations that more than one benchmark compiles.

/// One event, as small as a schema gets.
pub const ONE: &str =
    "event Moved { From: Server, Type: Reliable, Call: SingleSync, Data: (Id: u16, At: vector) }\n";

/// 100 events over 50 structs.
pub fn hundred() -> String {
    let structs = (0..50).map(|n| {
        format!(
            "struct Part{n} {{ Id: u16, At: vector<f24>, Name: string(..20), Live: boolean, Left: u8(0..9)? }}\n"
        )
    });
    let events = (0..100).map(|n| {
        let from = if n % 2 == 0 { "From: Server" } else { "From: Client, Rate: 10" };
        format!("event Event{n} {{ {from}, Type: Reliable, Call: ManySync, Data: Part{}[..8] }}\n", n / 2)
    });
    structs.chain(events).collect()
}
