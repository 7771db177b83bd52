//! Names of Roblox classes, from a table made at build time: a compile never loads the class database.

include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// Whether this release knows a class of that name.
pub fn is_known(name: &str) -> bool {
    CLASSES.binary_search(&name).is_ok()
}

/// All class names, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    CLASSES.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_by_their_exact_name() {
        assert!(is_known("BasePart") && is_known("Player") && is_known("Instance"));
        assert!(!is_known("basePart") && !is_known(""));
        assert!(names().is_sorted());
    }
}
