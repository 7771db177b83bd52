//! Member names as small numbers.
//!
//! Luau caches a number with each string that is used as a member name. Tables of members are arrays over that number,
//! so that finding a member costs no hashing. Numbers belong to the process and are never shown to a script.

use std::collections::HashMap;
use std::sync::RwLock;

use rustc_hash::FxBuildHasher;

/// The number of a known member name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Atom(i16);

static NAMES: RwLock<Names> = RwLock::new(Names { by_name: None, list: Vec::new() });

struct Names {
    by_name: Option<HashMap<&'static str, i16, FxBuildHasher>>,
    list: Vec<&'static str>,
}

impl Atom {
    /// A name nobody registered.
    pub const NONE: Atom = Atom(-1);

    /// The atom of `name`, registered if it is new. Use for fixed tables of members, never for a script's strings.
    ///
    /// There is room for 32 767 names; any more stay [`Atom::NONE`].
    pub fn of(name: &'static str) -> Atom {
        if let Some(known) = Atom::find(name.as_bytes()) {
            return known;
        }
        let Ok(mut names) = NAMES.write() else { return Atom::NONE };
        let next = names.list.len();
        let Ok(number) = i16::try_from(next) else { return Atom::NONE };
        let number = *names.by_name.get_or_insert_default().entry(name).or_insert(number);
        if number as usize == next {
            names.list.push(name);
        }
        Atom(number)
    }

    /// The atom of a registered name.
    pub fn find(name: &[u8]) -> Option<Atom> {
        let name = std::str::from_utf8(name).ok()?;
        let names = NAMES.read().ok()?;
        names.by_name.as_ref()?.get(name).copied().map(Atom)
    }

    /// The name, or `None` for [`Atom::NONE`].
    pub fn name(self) -> Option<&'static str> {
        let names = NAMES.read().ok()?;
        names.list.get(usize::try_from(self.0).ok()?).copied()
    }

    /// Position in an array over atoms.
    fn index(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }

    pub(super) fn number(self) -> i16 {
        self.0
    }

    pub(super) fn from_number(number: i32) -> Atom {
        i16::try_from(number).map_or(Atom::NONE, Atom)
    }

    /// How many names are registered; a VM that knows as many has no stale numbers.
    pub(super) fn count() -> usize {
        NAMES.read().map_or(0, |names| names.list.len())
    }
}

/// A table keyed by member name, read with an [`Atom`] in constant time.
///
/// Build it once a process (`LazyLock`), before or while the types that use it are registered with a VM.
#[derive(Debug, Clone)]
pub struct AtomMap<T> {
    /// Position in `entries` plus one, by atom.
    slots: Vec<u16>,
    entries: Vec<(&'static str, T)>,
}

impl<T> Default for AtomMap<T> {
    fn default() -> Self {
        AtomMap { slots: Vec::new(), entries: Vec::new() }
    }
}

impl<T> AtomMap<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces an entry.
    pub fn insert(&mut self, name: &'static str, value: T) {
        let Some(index) = Atom::of(name).index() else { return };
        if self.slots.len() <= index {
            self.slots.resize(index + 1, 0);
        }
        let slot = self.slots[index] as usize;
        if slot > 0 {
            self.entries[slot - 1].1 = value;
        } else if let Ok(position) = u16::try_from(self.entries.len() + 1) {
            self.slots[index] = position;
            self.entries.push((name, value));
        }
    }

    /// The entry of a name.
    pub fn get(&self, atom: Atom) -> Option<&T> {
        let slot = *self.slots.get(atom.index()?)? as usize;
        self.entries.get(slot.checked_sub(1)?).map(|(_, value)| value)
    }

    /// Entries in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &T)> {
        self.entries.iter().map(|(name, value)| (*name, value))
    }
}

impl<T> FromIterator<(&'static str, T)> for AtomMap<T> {
    fn from_iter<I: IntoIterator<Item = (&'static str, T)>>(entries: I) -> Self {
        let mut map = AtomMap::new();
        for (name, value) in entries {
            map.insert(name, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_find_by_atom() {
        let mut map = AtomMap::from_iter([("AtomTestA", 1), ("AtomTestB", 2)]);
        map.insert("AtomTestA", 3);
        assert_eq!(map.get(Atom::of("AtomTestA")), Some(&3));
        assert_eq!(map.get(Atom::of("AtomTestC")), None);
        assert_eq!(map.get(Atom::NONE), None);
        assert_eq!(Atom::find(b"AtomTestB").unwrap().name(), Some("AtomTestB"));
        assert_eq!(Atom::find(b"AtomTestNobody"), None);
        assert_eq!(map.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["AtomTestA", "AtomTestB"]);
    }
}
