//! The place of a value inside a value, for messages and leaves.

use std::fmt::{self, Display};

/// One step from a value to a value inside it.
#[derive(Clone, Debug)]
pub(crate) enum Step<'a> {
    /// A field or parameter.
    Field(&'a str),
    /// An element, counted from 0.
    Element(usize),
    /// The key of an entry, counted from 0.
    Key(usize),
    /// The value of an entry, counted from 0.
    Entry(usize),
}

/// The steps taken so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path<'a>(pub(crate) Vec<Step<'a>>);

impl Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if position == 0 => write!(formatter, "{name}")?,
                Step::Field(name) => write!(formatter, ".{name}")?,
                // From 1, as Luau counts.
                Step::Element(index) => write!(formatter, "[{}]", index + 1)?,
                Step::Key(index) => write!(formatter, "<key {}>", index + 1)?,
                Step::Entry(index) => write!(formatter, "<value {}>", index + 1)?,
            }
        }
        Ok(())
    }
}
