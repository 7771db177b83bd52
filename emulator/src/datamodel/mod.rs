//! The instances of one side: classes, the tree, properties, attributes, tags, and how they are seen from scripts.

pub mod classes;
