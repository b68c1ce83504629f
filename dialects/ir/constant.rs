//! Constant values, kept as bits so that no value changes on its way through the compiler.

use crate::entity::{ConstId, Type};
use crate::intern::Interner;

/// A constant value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A scalar's bits: `bool` 0 or 1, `f16` in the low 16 bits, `i32` zero-extended.
    Scalar(Type, u64),
    /// A vector, matrix (its columns), array or struct, part by part.
    Composite(Type, Box<[ConstId]>),
    /// All zero bits, of any value type; never used for scalars, which have one form only.
    Zero(Type),
}

impl Constant {
    /// The type of the value.
    #[must_use]
    pub fn ty(&self) -> Type {
        match *self {
            Self::Scalar(ty, _) | Self::Composite(ty, _) | Self::Zero(ty) => ty,
        }
    }
}

/// The constants of a module.
pub type Constants = Interner<ConstId, Constant>;
