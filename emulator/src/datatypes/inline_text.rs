//! Short text held in place, for datatypes that are plain memory inside a VM.

use std::fmt;

/// Most bytes of a text.
pub const MOST: usize = 200;

/// Up to 200 bytes of text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InlineText {
    len: u8,
    bytes: [u8; MOST],
}

impl InlineText {
    /// The text, if it is not over 200 bytes long.
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { len: text.len() as u8, bytes })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len).min(MOST)]).unwrap_or_default()
    }
}

impl fmt::Debug for InlineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_short_text_only() {
        assert_eq!(InlineText::new("añb").unwrap().as_str(), "añb");
        assert!(InlineText::new(&"x".repeat(MOST)).is_some());
        assert!(InlineText::new(&"x".repeat(MOST + 1)).is_none());
    }
}
