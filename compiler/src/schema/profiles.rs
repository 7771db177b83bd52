//! Build profiles, and which statements a build leaves out. Source: language specification, 6.

use super::diagnostics as say;
use crate::diagnostics::Diagnostic;
use crate::source::Span;
use crate::syntax::ast::Attribute;

/// The profile of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// `dev`
    Dev,
    /// `debug`
    Debug,
    /// `test`
    Test,
    /// `release`, the safe default: forgetting the flag leaves debug remotes out.
    #[default]
    Release,
}

impl Profile {
    /// Every profile, in the order they are listed in.
    pub const ALL: [Profile; 4] = [Profile::Dev, Profile::Debug, Profile::Test, Profile::Release];

    /// Its name.
    pub fn text(self) -> &'static str {
        match self {
            Profile::Dev => "dev",
            Profile::Debug => "debug",
            Profile::Test => "test",
            Profile::Release => "release",
        }
    }

    /// The profile of that name.
    pub fn from_text(text: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.text() == text)
    }
}

/// Checks the attributes of a statement; gives the one that leaves it out of a build of `profile`.
pub(super) fn excluding(
    attributes: &[Attribute],
    profile: Profile,
    sink: &mut Vec<Diagnostic>,
) -> Option<Span> {
    if let [first, second, ..] = attributes {
        let value = |attribute: &Attribute| attribute.value.as_ref().map(|value| value.text.clone());
        let same = first.name.text == second.name.text && value(first) == value(second);
        sink.push(say::second_attribute(second.span, first.span, same));
    }
    let attribute = attributes.first()?;
    if attribute.name.text != "profile" {
        sink.push(say::unknown_attribute(attribute.name.span, &attribute.name.text));
        return None;
    }
    let value = attribute.value.as_ref()?;
    match Profile::from_text(&value.text) {
        Some(named) => (named != profile).then_some(attribute.span),
        None => {
            sink.push(say::unknown_profile(value.span, &value.text));
            None
        }
    }
}
