//! `Content`: where an asset lies. Engine page: datatypes/Content, checked November 2026.
//!
//! Contents that hold an object are not emulated; there are none without assets.

use super::inline_text::InlineText;
use super::script::{Property, equal, push_enum_value, return_data, scripted};
use crate::value::Value;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

/// The enum of where a content comes from.
const SOURCE: &str = "ContentSourceType";

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

    /// The value of the item of `Enum.ContentSourceType`: 0 none, 1 an address.
    pub fn source_value(&self) -> u32 {
        u32::from(self.uri.is_some())
    }

    /// The text of the value: `Content{SourceType=Uri, Uri=...}`.
    pub fn to_text(&self) -> String {
        match self.uri() {
            Some(uri) => format!("Content{{SourceType=Uri, Uri={uri}}}"),
            None => "Content{SourceType=None}".to_owned(),
        }
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Content>(table())?;
    let functions: [(&'static str, NativeFn); 2] = [("fromUri", from_uri), ("fromAssetId", from_asset_id)];
    vm.set_library("Content", &functions, &[("none", Value::Datatype(Content::NONE.into()))])
}

fn of_uri(cx: &Cx<'_>, uri: &str) -> Outcome {
    let long = || {
        Raise::new(format!("[emulator] an address over {} bytes is not emulated", super::inline_text::MOST))
    };
    return_data(cx, Content::from_uri(uri).ok_or_else(long)?)
}

fn from_uri(cx: &mut Cx<'_>) -> Outcome {
    let uri = cx.text(1)?;
    of_uri(cx, &uri)
}

fn from_asset_id(cx: &mut Cx<'_>) -> Outcome {
    let uri = format!("rbxassetid://{}", cx.integer(1)?);
    of_uri(cx, &uri)
}

const PROPERTIES: &[(&str, Property<Content>)] = &[
    ("Uri", |cx, this| match this.uri() {
        Some(uri) => cx.push_string(uri),
        None => cx.push_nil(),
    }),
    ("Object", |cx, _| cx.push_nil()),
    ("SourceType", |cx, this| push_enum_value(cx, SOURCE, this.source_value())),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Content>)];

fn script_text(content: &Content) -> String {
    content.to_text()
}

scripted!(Content, "Content");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_its_source() {
        let content = Content::from_uri("rbxassetid://1").unwrap();
        assert_eq!((content.uri(), content.source_value()), (Some("rbxassetid://1"), 1));
        assert_eq!(Content::NONE.to_text(), "Content{SourceType=None}");
    }
}
