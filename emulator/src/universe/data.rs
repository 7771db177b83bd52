//! Data stores: values by store, scope and key, as JSON, with a version that rises.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A value that is kept.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As JSON.
    pub value: Rc<[u8]>,
    /// Rises with every write.
    pub version: u64,
}

/// All data stores of a game.
#[derive(Debug, Default)]
pub struct Data {
    stores: BTreeMap<String, BTreeMap<String, Entry>>,
    versions: u64,
}

impl Data {
    /// A value of a store.
    pub fn get(&self, store: &str, key: &str) -> Option<Entry> {
        self.stores.get(store)?.get(key).cloned()
    }

    /// Writes a value, and gives its version.
    pub fn set(&mut self, store: &str, key: &str, value: Rc<[u8]>) -> u64 {
        self.versions += 1;
        let entry = Entry { value, version: self.versions };
        self.stores.entry(store.to_owned()).or_default().insert(key.to_owned(), entry);
        self.versions
    }

    /// Takes a value out, and gives it.
    pub fn remove(&mut self, store: &str, key: &str) -> Option<Entry> {
        self.stores.get_mut(store)?.remove(key)
    }
}
