//! What tells one specialization from another: a function, and for each of its parameters what is known of the argument.

use akari_ir::entity::{ConstId, Entity, FuncId, GlobalId};
use akari_ir::intern::Interner;

/// An interned [`Closure`]: equal ids are equal closures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ClosureId(u32);

impl Entity for ClosureId {
    fn from_index(index: u32) -> Self {
        Self(index)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function value: a function of the source module and what its last parameters, its captures, are bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Closure {
    pub(super) function: FuncId,
    pub(super) captures: Box<[Argument]>,
}

pub(super) type Closures = Interner<ClosureId, Closure>;

/// What is known of an argument or of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Argument {
    /// Nothing: it is passed at run time.
    Runtime,
    /// The n-th of the distinct values that the function values of a call have captured; passed at run time too.
    Captured(u32),
    /// A constant of the target module.
    Const(ConstId),
    /// A package's resource, given by a named instance.
    Resource(GlobalId),
    /// `none`.
    None,
    /// A function value.
    Closure(ClosureId),
}

/// A function of the source module, specialized for arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) function: FuncId,
    /// One a parameter; empty where all are passed at run time.
    pub(super) arguments: Box<[Argument]>,
    /// The named instance, if that is an entry: entries are never shared.
    pub(super) entry: Option<FuncId>,
}

impl Key {
    /// What is known of the n-th argument.
    pub(super) fn argument(&self, index: usize) -> Argument {
        self.arguments.get(index).copied().unwrap_or(Argument::Runtime)
    }
}
