//! Hash-consing: equal values get equal ids, so that equality is a compare of integers.

use std::hash::Hash;
use std::marker::PhantomData;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::entity::{Entity, Symbol};

/// A set of values that hands out one id a distinct value, in order of first appearance.
#[derive(Clone, Debug)]
pub struct Interner<E, T> {
    items: IndexSet<T, FxBuildHasher>,
    entity: PhantomData<E>,
}

impl<E: Entity, T: Hash + Eq> Default for Interner<E, T> {
    fn default() -> Self {
        Self { items: IndexSet::default(), entity: PhantomData }
    }
}

impl<E: Entity, T: Hash + Eq> Interner<E, T> {
    /// The id of `value`.
    pub fn intern(&mut self, value: T) -> E {
        let (index, _) = self.items.insert_full(value);
        E::from_index(u32::try_from(index).expect("an interner holds fewer than 2^32 values"))
    }

    /// The value of an id that this interner handed out.
    #[must_use]
    pub fn get(&self, id: E) -> &T {
        &self.items[id.index()]
    }

    /// The id of `value`, if it was interned before.
    #[must_use]
    pub fn find(&self, value: &T) -> Option<E> {
        self.items.get_index_of(value).map(|index| E::from_index(index as u32))
    }

    /// How many distinct values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// The names of a module.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    items: IndexSet<Box<str>, FxBuildHasher>,
}

impl Symbols {
    /// The symbol for `text`; allocates only the first time.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let index = match self.items.get_index_of(text) {
            Some(index) => index,
            None => self.items.insert_full(text.into()).0,
        };
        Symbol::from_index(u32::try_from(index).expect("fewer than 2^32 names"))
    }

    /// The text of a symbol that this table handed out.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.items[symbol.index()]
    }

    /// The symbol for `text`, if it was interned before.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.items.get_index_of(text).map(|index| Symbol::from_index(index as u32))
    }
}
