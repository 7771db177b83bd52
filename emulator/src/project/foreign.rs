//! Roblox's own formats, read by crates that were made for files Roblox wrote: what is not one of them is refused here,
//! where they would panic, run out of the stack, or ask for any amount of memory.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rbx_dom_weak::WeakDom;

/// Instances nested deeper than this are taken for a broken file.
pub(super) const MOST_DEPTH: usize = 500;
/// Most bytes that one chunk of a binary file unpacks to.
const MOST_CHUNK: usize = 512 << 20;
/// What a binary file begins with, before its version and counts.
const MAGIC: &[u8] = b"<roblox!\x89\xff\r\n\x1a\n";
/// Version, counts of classes and instances, and eight bytes of nothing.
const HEADER: usize = MAGIC.len() + 2 + 4 + 4 + 8;

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is caught and becomes an error: whoever reports panics need not.
pub fn is_guarded() -> bool {
    READING.get()
}

/// Reads a file in Roblox's binary format. Errors: what is wrong with it.
pub(super) fn binary(bytes: &[u8]) -> Result<WeakDom, String> {
    chunks(bytes)?;
    guarded(|| rbx_binary::from_reader(bytes).map_err(|error| error.to_string()))
}

/// Reads a file in Roblox's XML format. Errors: what is wrong with it.
pub(super) fn xml(bytes: &[u8]) -> Result<WeakDom, String> {
    if depth(bytes) > MOST_DEPTH {
        return Err(format!("instances are nested more than {MOST_DEPTH} deep"));
    }
    let options =
        rbx_xml::DecodeOptions::new().property_behavior(rbx_xml::DecodePropertyBehavior::ReadUnknown);
    guarded(|| rbx_xml::from_reader(bytes, options).map_err(|error| error.to_string()))
}

fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    READING.set(true);
    // Nothing outside of the closure is changed by it.
    let outcome = catch_unwind(AssertUnwindSafe(read));
    READING.set(false);
    outcome.unwrap_or_else(|_| Err("it is damaged".to_owned()))
}

/// Walks the chunks of a binary file: each must lie in the file and unpack to what memory there is.
fn chunks(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(MAGIC) {
        return Err("it does not begin as one".to_owned());
    }
    let mut rest = bytes.get(HEADER..).ok_or("it ends in its header")?;
    loop {
        let header = rest.get(..16).ok_or("it ends before its last chunk")?;
        let number = |at: usize| {
            let bytes = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            u32::from_le_bytes(bytes) as usize
        };
        let name = header[..4].escape_ascii();
        let (packed, length, reserved) = (number(4), number(8), number(12));
        if reserved != 0 {
            return Err(format!("the head of its chunk \"{name}\" is damaged"));
        }
        if length > MOST_CHUNK {
            return Err(format!("its chunk \"{name}\" claims {length} bytes, more than are read"));
        }
        let stored = if packed == 0 { length } else { packed };
        // What is packed begins with four bytes that say how.
        if packed != 0 && packed < 4 || rest.len() - 16 < stored {
            return Err(format!("it ends inside its chunk \"{name}\""));
        }
        if &header[..4] == b"END\0" {
            return Ok(());
        }
        rest = &rest[16 + stored..];
    }
}

/// How deep `<Item>`s are nested; what stands in CDATA counts for nothing.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut most, mut at) = (0usize, 0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'<') {
        let tag = &bytes[at + next..];
        at += next + 1;
        if tag.starts_with(b"<![CDATA[") {
            let end = tag.windows(3).position(|window| window == b"]]>");
            at += end.map_or(tag.len() - 1, |end| end + 2);
        } else if tag.starts_with(b"<Item") {
            depth += 1;
            most = most.max(depth);
        } else if tag.starts_with(b"</Item") {
            depth = depth.saturating_sub(1);
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, packed length, length, reserved number, data.
    type Chunk<'a> = (&'a [u8; 4], u32, u32, u32, &'a [u8]);

    fn file(chunks: &[Chunk]) -> Vec<u8> {
        let mut bytes = [MAGIC, &[0; 18]].concat();
        for (name, packed, length, reserved, data) in chunks {
            bytes.extend_from_slice(*name);
            for number in [packed, length, reserved] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend_from_slice(data);
        }
        bytes
    }

    #[test]
    fn damaged_chunks_are_refused_with_a_reason() {
        let end: Chunk = (b"END\0", 0, 9, 0, b"</roblox>");
        assert!(binary(&file(&[end])).is_ok());
        let refused = |chunks: &[Chunk]| binary(&file(chunks)).unwrap_err();
        assert_eq!(
            refused(&[(b"END\0", 0, 9, 9, b"</roblox>")]),
            "the head of its chunk \"END\\x00\" is damaged"
        );
        assert_eq!(
            refused(&[(b"PROP", 0, u32::MAX, 0, b""), end]),
            "its chunk \"PROP\" claims 4294967295 bytes, more than are read"
        );
        assert_eq!(refused(&[(b"INST", 900, 1000, 0, b"abcd")]), "it ends inside its chunk \"INST\"");
        assert_eq!(refused(&[(b"INST", 2, 10, 0, b"ab"), end]), "it ends inside its chunk \"INST\"");
        assert_eq!(refused(&[(b"META", 0, 4, 0, b"\0\0\0\0")]), "it ends before its last chunk");
        assert_eq!(binary(b"<roblox!").unwrap_err(), "it does not begin as one");
        assert_eq!(binary(MAGIC).unwrap_err(), "it ends in its header");
    }

    #[test]
    fn a_panic_of_a_reader_is_an_error() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| assert!(is_guarded())));
        let outcome = guarded::<()>(|| panic!("broken"));
        std::panic::set_hook(hook);
        assert_eq!(outcome, Err("it is damaged".to_owned()));
        assert!(!is_guarded());
    }

    #[test]
    fn xml_is_nested_as_deep_as_instances_are() {
        let deep = |depth: usize| {
            let open = "<Item class=\"Folder\" referent=\"R\"><Properties></Properties>".repeat(depth);
            format!("<roblox version=\"4\">{open}{}</roblox>", "</Item>".repeat(depth))
        };
        assert!(xml(deep(MOST_DEPTH).as_bytes()).is_ok());
        let refused = xml(deep(200_000).as_bytes()).unwrap_err();
        assert_eq!(refused, "instances are nested more than 500 deep");
        let source = format!("<X><![CDATA[{}]]></X><Item></Item>", "<Item>".repeat(900));
        assert_eq!(depth(source.as_bytes()), 1);
    }
}
