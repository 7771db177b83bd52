//! Where text comes from, and how a place in it is named.

/// Index of a file in a [`crate::source::Sources`]; the entry is 0, imports follow as they are first reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A run of bytes of one file; `end` is the first byte after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte, from 0.
    pub start: u32,
    /// First byte past the run.
    pub end: u32,
}
