//! An `id_arena` arena with the traits a module needs.

use std::ops::{Index, IndexMut};

use crate::entity::{Entity, EntityArena};

/// `id_arena::Arena` with dense ids, cloned by value.
pub struct ClonableArena<E: Entity, T>(EntityArena<E, T>);

impl<E: Entity, T> Default for ClonableArena<E, T> {
    fn default() -> Self {
        Self(EntityArena::new())
    }
}

impl<E: Entity, T: Clone> Clone for ClonableArena<E, T> {
    fn clone(&self) -> Self {
        Self(self.0.iter().fold(EntityArena::with_capacity(self.0.len()), |mut arena, (_, item)| {
            arena.alloc(item.clone());
            arena
        }))
    }
}

impl<E: Entity, T: std::fmt::Debug> std::fmt::Debug for ClonableArena<E, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.0.iter()).finish()
    }
}

impl<E: Entity, T> ClonableArena<E, T> {
    /// Adds an item and gives its id.
    pub fn alloc(&mut self, item: T) -> E {
        self.0.alloc(item)
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// The items in order.
    pub fn iter(&self) -> impl Iterator<Item = (E, &T)> {
        self.0.iter()
    }

    /// The ids in order.
    pub fn ids(&self) -> impl Iterator<Item = E> + use<E, T> {
        (0..self.0.len() as u32).map(E::from_index)
    }

    /// The item of `id`, if there is one.
    #[must_use]
    pub fn get(&self, id: E) -> Option<&T> {
        self.0.get(id)
    }
}

impl<E: Entity, T> Index<E> for ClonableArena<E, T> {
    type Output = T;
    fn index(&self, id: E) -> &T {
        &self.0[id]
    }
}

impl<E: Entity, T> IndexMut<E> for ClonableArena<E, T> {
    fn index_mut(&mut self, id: E) -> &mut T {
        &mut self.0[id]
    }
}
