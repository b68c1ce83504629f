//! Constant values, kept as bits so that no value changes on its way through the compiler.

use smallvec::SmallVec;

use crate::entity::{ConstId, OpenConstId, Type};
use crate::intern::Interner;
use crate::op::{Attr, OpDef};

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

/// A constant that depends on the `const` parameters of the function it stands in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpenConst {
    /// The n-th parameter of the function.
    Parameter(u32, Type),
    /// A constant that depends on nothing.
    Known(ConstId),
    /// What a foldable operation gives for constants.
    Apply {
        /// The operation.
        def: &'static OpDef,
        /// Its attributes.
        attrs: SmallVec<[Attr; 1]>,
        /// Its operands.
        operands: Box<[OpenConstId]>,
        /// The type of its result.
        ty: Type,
    },
}

/// The open constants of a module.
pub type OpenConsts = Interner<OpenConstId, OpenConst>;
