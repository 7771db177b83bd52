//! Packets as comma-separated values, a row for each receiver.

use super::{Recording, Story};

const HEAD: &[&str] = &[
    "id", "sent", "from", "to", "remote", "class", "bytes", "events", "fate", "arrived", "handled", "resends",
];

/// Every packet among `ids` (all of them for `None`) as comma-separated values with a first line of names. Times are
/// in seconds.
pub fn csv(recording: &Recording, ids: Option<&[u64]>) -> String {
    let story = Story::of(recording);
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(HEAD);
    let time = |nanos: Option<i64>| nanos.map_or_else(String::new, decimal);
    for packet in &story.packets {
        let sent = story.sent(packet);
        if ids.is_some_and(|ids| ids.binary_search(&sent.id).is_err()) {
            continue;
        }
        for share in &packet.shares {
            let _ = writer.write_record([
                sent.id.to_string().as_str(),
                &decimal(story.sent_at(packet)),
                &sent.from,
                &share.side,
                &sent.remote,
                &sent.class,
                &sent.size.to_string(),
                &story.title(packet),
                &share.fate,
                &time(share.arrived),
                &time(share.handled),
                &share.resends.to_string(),
            ]);
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn decimal(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}
