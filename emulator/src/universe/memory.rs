//! Memory stores: sorted maps, hash maps and queues whose items expire. Values are JSON, as the platform keeps them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::clock::Time;

/// Longest an item lives, in seconds: 45 days.
pub const LONGEST_LIFE: f64 = 3_888_000.0;
/// Most bytes of a value.
pub const LONGEST_VALUE: usize = 32 * 1024;
/// Most bytes of a key.
pub const LONGEST_KEY: usize = 128;
/// Most items that a range or a page holds.
pub const MOST_RANGE: i64 = 200;
/// Most items that one read takes off a queue.
pub const MOST_READ: i64 = 100;

/// What orders an item of a sorted map before its key does.
#[derive(Clone, Debug, PartialEq)]
pub enum SortKey {
    /// Numbers come first.
    Number(f64),
    /// Then texts.
    Text(Vec<u8>),
}

/// Where a range of a sorted map begins or ends; the item there is not in it.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    /// The key, if given.
    pub key: Option<Vec<u8>>,
    /// The sort key, if given.
    pub sort: Option<SortKey>,
}

/// An item of a map.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its value as JSON.
    pub value: Rc<[u8]>,
    /// What orders it.
    pub sort: Option<SortKey>,
    expires: Time,
    /// Rises with every write, so that an update finds out that it came too late.
    pub version: u64,
}

/// Which of the maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A sorted map.
    Sorted,
    /// A hash map.
    Hash,
}

#[derive(Clone, Debug)]
struct Queued {
    value: Rc<[u8]>,
    priority: f64,
    expires: Time,
    /// Not read again before this moment.
    hidden: Time,
    /// The read that took it last.
    read: u64,
}

/// All memory stores of a game.
#[derive(Debug, Default)]
pub struct Memory {
    maps: BTreeMap<(Kind, String), BTreeMap<Vec<u8>, Item>>,
    queues: BTreeMap<String, Vec<Queued>>,
    versions: u64,
}

fn sort_order(a: Option<&SortKey>, b: Option<&SortKey>) -> Ordering {
    let rank = |key: Option<&SortKey>| match key {
        Some(SortKey::Number(_)) => 0,
        Some(SortKey::Text(_)) => 1,
        None => 2,
    };
    match (a, b) {
        (Some(SortKey::Number(a)), Some(SortKey::Number(b))) => a.total_cmp(b),
        (Some(SortKey::Text(a)), Some(SortKey::Text(b))) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

impl Bound {
    /// Whether an item lies before, on or after the bound.
    fn place(&self, key: &[u8], sort: Option<&SortKey>) -> Ordering {
        match (&self.key, &self.sort) {
            (None, None) => Ordering::Equal,
            (None, Some(bound)) => sort_order(sort, Some(bound)),
            (Some(bound), own) => sort_order(sort, own.as_ref()).then_with(|| key.cmp(bound)),
        }
    }
}

impl Memory {
    fn sweep(&mut self, now: Time) {
        for map in self.maps.values_mut() {
            map.retain(|_, item| item.expires > now);
        }
        for queue in self.queues.values_mut() {
            queue.retain(|item| item.expires > now);
        }
    }

    /// Bytes of all keys and values.
    pub fn bytes(&mut self, now: Time) -> usize {
        self.sweep(now);
        let maps = self.maps.values().flatten().map(|(key, item)| key.len() + item.value.len());
        maps.sum::<usize>() + self.queues.values().flatten().map(|item| item.value.len()).sum::<usize>()
    }

    /// An item of a map.
    pub fn get(&mut self, kind: Kind, map: &str, key: &[u8], now: Time) -> Option<Item> {
        self.sweep(now);
        self.maps.get(&(kind, map.to_owned()))?.get(key).cloned()
    }

    /// Writes an item that lives for `seconds`.
    pub fn set(
        &mut self,
        kind: Kind,
        map: &str,
        key: &[u8],
        (value, sort): (Rc<[u8]>, Option<SortKey>),
        seconds: f64,
        now: Time,
    ) {
        self.versions += 1;
        let expires = now + Time::from_seconds(seconds);
        let item = Item { value, sort, expires, version: self.versions };
        self.maps.entry((kind, map.to_owned())).or_default().insert(key.to_vec(), item);
    }

    /// Takes an item out of a map.
    pub fn remove(&mut self, kind: Kind, map: &str, key: &[u8]) {
        if let Some(map) = self.maps.get_mut(&(kind, map.to_owned())) {
            map.remove(key);
        }
    }

    /// The items of a map, by sort key and key.
    pub fn items(&mut self, kind: Kind, map: &str, now: Time) -> Vec<(Vec<u8>, Item)> {
        self.sweep(now);
        let found = self.maps.get(&(kind, map.to_owned()));
        let mut items: Vec<(Vec<u8>, Item)> =
            found.into_iter().flatten().map(|(key, item)| (key.clone(), item.clone())).collect();
        items.sort_by(|(a, x), (b, y)| sort_order(x.sort.as_ref(), y.sort.as_ref()).then_with(|| a.cmp(b)));
        items
    }

    /// Items of a sorted map between two bounds, at most `count`.
    pub fn range(
        &mut self,
        map: &str,
        ascending: bool,
        count: usize,
        (lower, upper): (&Bound, &Bound),
        now: Time,
    ) -> Vec<(Vec<u8>, Item)> {
        let is_set = |bound: &Bound| bound.key.is_some() || bound.sort.is_some();
        let mut items = self.items(Kind::Sorted, map, now);
        items.retain(|(key, item)| {
            let sort = item.sort.as_ref();
            (!is_set(lower) || lower.place(key, sort) == Ordering::Greater)
                && (!is_set(upper) || upper.place(key, sort) == Ordering::Less)
        });
        if !ascending {
            items.reverse();
        }
        items.truncate(count);
        items
    }

    /// Adds an item to a queue, behind those of the same priority.
    pub fn enqueue(&mut self, queue: &str, value: Rc<[u8]>, seconds: f64, priority: f64, now: Time) {
        let expires = now + Time::from_seconds(seconds);
        let queue = self.queues.entry(queue.to_owned()).or_default();
        let at = queue.iter().position(|item| item.priority < priority).unwrap_or(queue.len());
        queue.insert(at, Queued { value, priority, expires, hidden: Time::ZERO, read: 0 });
    }

    /// Reads up to `count` items and hides them for `hide`; all of them or none if `all`. Gives the read's number.
    pub fn read(
        &mut self,
        queue: &str,
        count: usize,
        all: bool,
        hide: Time,
        now: Time,
    ) -> (Vec<Rc<[u8]>>, u64) {
        self.sweep(now);
        self.versions += 1;
        let read = self.versions;
        let Some(queue) = self.queues.get_mut(queue) else { return (Vec::new(), read) };
        let there = queue.iter().filter(|item| item.hidden <= now).count();
        if all && there < count {
            return (Vec::new(), read);
        }
        let mut found = Vec::new();
        for item in queue.iter_mut().filter(|item| item.hidden <= now).take(count) {
            item.hidden = now + hide;
            item.read = read;
            found.push(item.value.clone());
        }
        (found, read)
    }

    /// Takes what a read gave out of a queue, unless it can be read again by now.
    pub fn remove_read(&mut self, queue: &str, read: u64, now: Time) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.retain(|item| item.read != read || item.hidden <= now);
        }
    }

    /// How many items a queue has.
    pub fn size(&mut self, queue: &str, visible_only: bool, now: Time) -> usize {
        self.sweep(now);
        let queue = self.queues.get(queue);
        queue.into_iter().flatten().filter(|item| !visible_only || item.hidden <= now).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::ZERO;

    fn keys(items: &[(Vec<u8>, Item)]) -> Vec<String> {
        items.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect()
    }

    fn value(text: &str) -> Rc<[u8]> {
        text.as_bytes().into()
    }

    #[test]
    fn sort_keys_come_before_keys_and_numbers_before_texts() {
        let mut memory = Memory::default();
        let text = |text: &str| Some(SortKey::Text(text.into()));
        for (key, sort) in [
            ("d", None),
            ("a", text("x")),
            ("c", Some(SortKey::Number(2.0))),
            ("b", Some(SortKey::Number(2.0))),
            ("e", Some(SortKey::Number(-1.0))),
        ] {
            memory.set(Kind::Sorted, "m", key.as_bytes(), (value("1"), sort), 10.0, NOW);
        }
        let all = Bound::default();
        assert_eq!(keys(&memory.range("m", true, 200, (&all, &all), NOW)), ["e", "b", "c", "a", "d"]);
        assert_eq!(keys(&memory.range("m", false, 2, (&all, &all), NOW)), ["d", "a"]);
        let above = Bound { key: None, sort: Some(SortKey::Number(2.0)) };
        assert_eq!(keys(&memory.range("m", true, 200, (&above, &all), NOW)), ["a", "d"]);
        let from = Bound { key: Some(b"b".to_vec()), sort: Some(SortKey::Number(2.0)) };
        assert_eq!(keys(&memory.range("m", true, 200, (&from, &above), NOW)), Vec::<String>::new());
        assert_eq!(keys(&memory.range("m", true, 1, (&from, &all), NOW)), ["c"]);
    }

    #[test]
    fn items_expire() {
        let mut memory = Memory::default();
        memory.set(Kind::Hash, "m", b"k", (value("12"), None), 5.0, NOW);
        assert!(memory.get(Kind::Hash, "m", b"k", Time::from_seconds(4.9)).is_some());
        assert_eq!(memory.bytes(Time::from_seconds(4.9)), 3);
        assert!(memory.get(Kind::Hash, "m", b"k", Time::from_seconds(5.0)).is_none());
        assert_eq!(memory.bytes(Time::from_seconds(5.0)), 0);
    }

    #[test]
    fn queues_hide_what_was_read_until_it_is_removed_or_the_time_is_over() {
        let mut memory = Memory::default();
        let second = Time::from_seconds(1.0);
        memory.enqueue("q", value("1"), 100.0, 0.0, NOW);
        memory.enqueue("q", value("2"), 100.0, 5.0, NOW);
        memory.enqueue("q", value("3"), 100.0, 5.0, NOW);
        let (read, id) = memory.read("q", 2, false, second, NOW);
        assert_eq!(read, [value("2"), value("3")]);
        assert_eq!((memory.size("q", false, NOW), memory.size("q", true, NOW)), (3, 1));
        assert!(memory.read("q", 2, true, second, NOW).0.is_empty());
        memory.remove_read("q", id, Time::from_seconds(0.5));
        assert_eq!(memory.size("q", false, NOW), 1);
        let (_, late) = memory.read("q", 1, false, second, NOW);
        memory.remove_read("q", late, Time::from_seconds(1.0));
        assert_eq!(memory.size("q", true, Time::from_seconds(1.0)), 1);
    }
}
