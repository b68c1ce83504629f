//! Slots without a manifest: numbers in order of first declaration over the package, starting at 0, around those that
//! `@slot(N)` takes.
//!
//! An array takes as many numbers as it has elements, for Vulkan too, where all of them are one binding: so a binding is Metal's index,
//! as it is with a manifest that does not say otherwise.

use std::collections::BTreeMap;
use std::hash::Hash;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// Hands out consecutive numbers to names, in one namespace.
#[derive(Debug)]
pub(super) struct Numbers<K> {
    given: IndexMap<K, u32>,
    /// The longest array of each name.
    lengths: FxHashMap<K, u32>,
    /// What is kept from being handed out: ranges from their first number to the one after their last, none of which meets another.
    taken: BTreeMap<u32, u32>,
    next: u32,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self { given: IndexMap::new(), lengths: FxHashMap::default(), taken: BTreeMap::new(), next: 0 }
    }
}

impl<K: Hash + Eq> Numbers<K> {
    /// Keeps `length` numbers from `first` from being handed out.
    pub(super) fn take(&mut self, first: u32, length: u32) {
        let (mut first, mut end) = (first, first.saturating_add(length));
        while let Some((start, last)) = self.taken_below(end).filter(|(_, last)| first < *last) {
            self.taken.remove(&start);
            (first, end) = (first.min(start), end.max(last));
        }
        self.taken.insert(first, end);
    }

    /// Says that `name` takes so many numbers somewhere: entries that differ in the length of an array have it at the same place.
    pub(super) fn expect(&mut self, name: K, length: u32) {
        let longest = self.lengths.entry(name).or_default();
        *longest = length.max(*longest);
    }

    /// The first of the numbers of `name`: `length`, or more where more are expected.
    pub(super) fn number(&mut self, name: K, length: u32) -> u32 {
        if let Some(first) = self.given.get(&name) {
            return *first;
        }
        let length = self.lengths.get(&name).map_or(length, |longest| length.max(*longest));
        let mut first = self.next;
        while let Some((_, end)) = self.taken_below(first.saturating_add(length)).filter(|(_, end)| first < *end) {
            first = end;
        }
        self.next = first.saturating_add(length);
        self.given.insert(name, first);
        first
    }

    /// The last range taken that begins before `end`.
    fn taken_below(&self, end: u32) -> Option<(u32, u32)> {
        self.taken.range(..end).next_back().map(|(start, end)| (*start, *end))
    }
}

/// A set of namespaces.
#[derive(Debug)]
pub(super) struct Namespaces<N, K>(FxHashMap<N, Numbers<K>>);

impl<N, K> Default for Namespaces<N, K> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<N: Hash + Eq, K: Hash + Eq> Namespaces<N, K> {
    /// One of them.
    pub(super) fn of(&mut self, namespace: N) -> &mut Numbers<K> {
        self.0.entry(namespace).or_default()
    }
}
