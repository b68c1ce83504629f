//! Four-byte ids for everything a module owns, and side tables keyed by them.
//!
//! Ids are handed out by `id_arena::Arena` with [`Dense`] as its behaviour, which keeps the index alone: a module never
//! mixes arenas of one entity kind, so the arena tag of the default behaviour would only cost memory.

use std::marker::PhantomData;

use id_arena::{Arena, ArenaBehavior};

/// An id that is nothing but its index.
pub trait Entity: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug + 'static {
    /// The id with this index.
    fn from_index(index: u32) -> Self;
    /// Where the entity stands in its arena.
    fn index(self) -> usize;
}

/// Arena behaviour for ids without an arena tag.
pub struct Dense<E>(PhantomData<E>);

impl<E: Entity> ArenaBehavior for Dense<E> {
    type Id = E;
    fn new_id(_arena_id: u32, index: usize) -> E {
        // Arenas are filled by the compiler, whose limits (`limits.rs` of the front end) stay far below 2^32 entities.
        E::from_index(u32::try_from(index).expect("an arena holds fewer than 2^32 entities"))
    }
    fn index(id: E) -> usize {
        id.index()
    }
    fn arena_id(_: E) -> u32 {
        0
    }
    fn new_arena_id() -> u32 {
        0
    }
}

/// The arena of one kind of entity.
pub type EntityArena<E, T> = Arena<T, Dense<E>>;

macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Entity for $name {
            fn from_index(index: u32) -> Self { Self(index) }
            fn index(self) -> usize { self.0 as usize }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

entities! {
    /// An operation.
    OpId, "op";
    /// An SSA value: the result of an operation or a parameter of a function.
    ValueId, "v";
    /// A list of operations with a scope of its own.
    RegionId, "region";
    /// A function.
    FuncId, "func";
    /// A module-level constant, groupshared variable or resource.
    GlobalId, "global";
    /// A structure type's declaration.
    StructId, "struct";
    /// An interned type; equal ids are equal types.
    Type, "type";
    /// An interned constant value; equal ids are equal bits.
    ConstId, "const";
    /// An interned name.
    Symbol, "sym";
    /// An interned signature of a function value.
    SignatureId, "signature";
    /// An interned constant that depends on `const` parameters.
    OpenConstId, "open";
}

/// A side table: a value for each entity, `T::default()` where none was set.
#[derive(Clone, Debug)]
pub struct SecondaryMap<E, T> {
    items: Vec<T>,
    default: T,
    entity: PhantomData<E>,
}

impl<E: Entity, T: Clone + Default> Default for SecondaryMap<E, T> {
    fn default() -> Self {
        Self { items: Vec::new(), default: T::default(), entity: PhantomData }
    }
}

impl<E: Entity, T: Clone + Default> SecondaryMap<E, T> {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `entity`.
    #[must_use]
    pub fn get(&self, entity: E) -> &T {
        self.items.get(entity.index()).unwrap_or(&self.default)
    }

    /// The value of `entity`, to be changed.
    pub fn get_mut(&mut self, entity: E) -> &mut T {
        let index = entity.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, T::default());
        }
        &mut self.items[index]
    }

    /// Sets the value of `entity`.
    pub fn set(&mut self, entity: E, value: T) {
        *self.get_mut(entity) = value;
    }
}
