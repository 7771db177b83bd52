//! `Content`: where an asset lies. Engine page: datatypes/Content, checked November 2026.
//!
//! Contents that hold an object are not emulated; there are none without assets.

use super::inline_text::InlineText;

/// An asset's address, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Content {
    uri: Option<InlineText>,
}

impl Content {
    /// No asset.
    pub const NONE: Self = Self { uri: None };

    /// The asset at an address; nothing for one over the length the emulator keeps.
    pub fn from_uri(uri: &str) -> Option<Self> {
        Some(Self { uri: Some(InlineText::new(uri)?) })
    }

    /// The address, if there is an asset.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_ref().map(InlineText::as_str)
    }

    /// The name of the item of `Enum.ContentSourceType`.
    pub fn source_type(&self) -> &'static str {
        if self.uri.is_some() { "Uri" } else { "None" }
    }

    /// The text of the value: `Content{SourceType=Uri, Uri=...}`.
    pub fn to_text(&self) -> String {
        match self.uri() {
            Some(uri) => format!("Content{{SourceType=Uri, Uri={uri}}}"),
            None => "Content{SourceType=None}".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_source() {
        let content = Content::from_uri("rbxassetid://1").unwrap();
        assert_eq!((content.uri(), content.source_type()), (Some("rbxassetid://1"), "Uri"));
        assert_eq!(Content::NONE.to_text(), "Content{SourceType=None}");
    }
}
