//! One packet from send to handler, with its fields and the bytes of each.

use std::fmt::Write as _;

use super::listing::one_line;
use super::{Decoded, Field, Kind, Paint, Place, Story, seconds, show};
use blinkblox_compiler::diagnostics::counted;

/// Everything about packet `id`; `None` when the trace has no such packet.
pub fn detail(story: &Story<'_>, id: u64, paint: Paint) -> Option<String> {
    let packet = story.packet(id)?;
    let sent = story.sent(packet);
    let entry = &story.recording.entries[packet.entry];
    let to = if sent.to_all { "all".to_owned() } else { sent.to.join(", ") };
    let mut out = String::new();
    let title = format!("#{id} {}: {} to {to}", story.title(packet), sent.from);
    let _ = writeln!(out, "{}", paint.bold(&title));
    let channel = if sent.reliable { "reliable" } else { "unreliable" };
    let _ = writeln!(out, "  sent at {} s, frame {} of {}", seconds(entry.nanos), entry.frame, sent.from);
    let _ = writeln!(out, "  on {}, {channel}, about {} B", sent.remote, sent.size);
    for share in &packet.shares {
        let mut line = format!("  {}: {}", share.side, share.fate);
        if let Some(arrived) = share.arrived {
            let took = (arrived - entry.nanos) as f64 / 1e6;
            let _ = write!(line, ", arrived at {} s after {took:.1} ms", seconds(arrived));
        }
        if let Some(handled) = share.handled {
            let _ = write!(line, ", handled at {} s", seconds(handled));
        }
        if share.resends > 0 {
            let _ = match share.resends {
                1 => write!(line, ", sent again once"),
                times => write!(line, ", sent again {times} times"),
            };
        }
        if share.copies > 0 {
            let copies = if share.copies == 1 { "copy" } else { "copies" };
            let _ = write!(line, ", {} further {copies}", share.copies);
        }
        let _ = writeln!(out, "{}", if share.is_lost() { paint.bad(&line) } else { line });
        for index in &share.handlers {
            let Kind::Handle { script, line, result, error, frames, .. } =
                &story.recording.entries[*index].kind
            else {
                continue;
            };
            let mut text = format!("    {script}:{line} {result}");
            if *frames > 0 {
                let _ = write!(text, " after {}", counted(frames, "frame"));
            }
            if let Some(error) = error {
                let _ = write!(text, ": {}", one_line(error));
            }
            let _ = writeln!(out, "{}", if error.is_some() { paint.bad(&text) } else { text });
        }
    }
    let bytes = sent.buffer();
    for decoded in story.decoded(packet) {
        write_event(&mut out, decoded, bytes.as_deref().unwrap_or_default(), paint);
    }
    if packet.events.is_empty() {
        for (place, value) in sent.args.iter().enumerate() {
            let _ = writeln!(out, "  argument {}: {}", place + 1, show(value, 400));
        }
    }
    if let Some(bytes) = bytes {
        let _ = writeln!(out, "  {}", paint.bold(&counted(bytes.len(), "byte")));
        out.push_str(&dump(&bytes));
    }
    Some(out)
}

fn write_event(out: &mut String, decoded: &Decoded, bytes: &[u8], paint: Paint) {
    let name = decoded.event.as_deref().unwrap_or("an unknown index");
    let form = if &*decoded.form == "event" { "" } else { &decoded.form };
    let head = format!("{name} {form}").trim_end().to_owned();
    let (from, to) = decoded.at;
    let _ = writeln!(out, "  {} at bytes {from:#06x}..{to:#06x}", paint.bold(&head));
    if let Some(error) = &decoded.error {
        let _ = writeln!(out, "    {}", paint.bad(&format!("cannot be read: {}", one_line(error))));
    }
    if let Some(missing) = &decoded.missing {
        let text = format!("refused: the instance at {missing} did not arrive");
        let _ = writeln!(out, "    {}", paint.bad(&text));
    }
    let first = decoded.fields.iter().filter_map(|field| field.place.bytes()).map(|at| at.0).min();
    let header = from..first.unwrap_or(to).min(to).max(from);
    if !header.is_empty() {
        let hex = hex(bytes.get(header.clone()).unwrap_or_default());
        let _ = writeln!(out, "    {:#06x}  {hex:<24}  {}", header.start, paint.dim("header"));
    }
    for field in &decoded.fields {
        let _ = writeln!(out, "    {}", line(field, bytes));
    }
}

/// `0x0004  01 02  Who = 5`
fn line(field: &Field, bytes: &[u8]) -> String {
    let (at, raw) = match &field.place {
        Place::Bytes(from, to) => (format!("{from:#06x}"), hex(bytes.get(*from..*to).unwrap_or_default())),
        Place::Bits(parts) => {
            let at = parts.first().map_or_else(|| "      ".to_owned(), |part| format!("{:#06x}", part[0]));
            let shown = parts.iter().map(|[byte, bit, width]| match width {
                1 => format!("{byte}.{bit}"),
                width => format!("{byte}.{bit}-{}", bit + width - 1),
            });
            (at, format!("bits {}", shown.collect::<Vec<_>>().join(" ")))
        }
        Place::Slot(slot) => ("      ".to_owned(), format!("slot {}", slot.saturating_add(1))),
    };
    let is = field.is.as_deref().map_or_else(String::new, |is| format!(" ({is})"));
    let path = if field.path.is_empty() { "value" } else { &field.path };
    format!("{at}  {raw:<24}  {path}{is} = {}", show(&field.value, 120))
}

/// The first bytes of a field in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = bytes.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MOST { "…" } else { "" };
    shown.join(" ") + more
}

/// Sixteen bytes a line, with their letters.
fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (row, line) in bytes.chunks(16).enumerate() {
        let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let letters: String = line
            .iter()
            .map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' })
            .collect();
        let _ = writeln!(out, "    {:#06x}  {:<47}  {letters}", row * 16, hex.join(" "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_dumped_sixteen_a_line() {
        let bytes: Vec<u8> = (0x40..0x52).collect();
        assert_eq!(
            dump(&bytes),
            "    0x0000  40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO\n    \
             0x0010  50 51                                            PQ\n"
        );
    }

    #[test]
    fn bits_name_their_byte_and_place() {
        let field = Field {
            path: "Lunging".into(),
            is: None,
            place: Place::Bits(vec![[3, 0, 1], [4, 2, 3]]),
            value: true.into(),
        };
        assert_eq!(line(&field, &[]), "0x0003  bits 3.0 4.2-4            Lunging = true");
    }
}
