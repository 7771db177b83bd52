//! Roblox's classes, from a text made at build time: a compile never loads the class database.
//!
//! A text and not a table of slices: each slice would have to be relocated whenever a program starts, and few look one up.

/// A line a class, in order of name: the class, its superclass, then name and word of each of its own properties, with
/// tabs between.
static LINES: &str = include_str!(concat!(env!("OUT_DIR"), "/classes.txt"));

/// A class of Roblox.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// The name of the class it inherits from; empty for the topmost.
    pub superclass: &'static str,
    rest: &'static str,
}

impl Class {
    fn read(line: &'static str) -> Class {
        let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
        let (superclass, rest) = rest.split_once('\t').unwrap_or((rest, ""));
        Class { name, superclass, rest }
    }

    /// The properties it does not inherit: the name of each, and the word for how it travels.
    pub fn properties(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let mut parts = self.rest.split('\t');
        std::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
    }
}

/// The class of that name.
pub fn find(name: &str) -> Option<Class> {
    let (mut from, mut to) = (0, LINES.len());
    while from < to {
        // Somewhere in the line in the middle. The text is ASCII, so that any place in it is between two characters.
        let middle = from + (to - from) / 2;
        let start = LINES[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = LINES[middle..].find('\n').map_or(LINES.len(), |at| middle + at);
        let class = Class::read(&LINES[start..end]);
        match class.name.cmp(name) {
            std::cmp::Ordering::Less => from = end + 1,
            std::cmp::Ordering::Greater => to = start,
            std::cmp::Ordering::Equal => return Some(class),
        }
    }
    None
}

/// Whether this release knows a class of that name.
pub fn is_known(name: &str) -> bool {
    find(name).is_some()
}

/// All class names, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LINES.lines().map(|line| Class::read(line).name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_known_by_their_exact_name() {
        assert!(is_known("BasePart") && is_known("Player") && is_known("Instance"));
        assert!(!is_known("basePart") && !is_known("") && !is_known("Zzz") && !is_known("Part\tBasePart"));
        assert!(names().is_sorted());
    }

    #[test]
    fn every_class_of_the_database_is_found_with_its_superclass_and_properties() {
        let database = rbx_reflection_database::get_bundled();
        assert_eq!(names().count(), database.classes.len());
        for (name, known) in &database.classes {
            let class = find(name).unwrap_or_else(|| panic!("{name} is not found"));
            assert_eq!((class.name, class.superclass), (known.name, known.superclass.unwrap_or("")));
            for (property, word) in class.properties() {
                assert!(known.properties.contains_key(property) && !word.is_empty(), "{name}.{property}");
            }
        }
        assert!(names().map(|name| find(name).unwrap().properties().count()).sum::<usize>() > 2000);
    }
}
