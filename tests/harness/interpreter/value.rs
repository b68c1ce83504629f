//! Values as the interpreter has them.

use std::rc::Rc;

use akari_ir::interface::SamplerState;
use akari_ir::{ConstId, Constant, FuncId, GlobalId, Module, Type, TypeKind};

/// A value of one lane.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Nothing was written here yet.
    Undefined,
    /// A scalar's bits, as in `akari_ir::Constant`.
    Scalar(u64),
    /// Components of a vector, columns of a matrix, elements of an array or fields of a struct.
    Composite(Rc<Vec<Value>>),
    /// A place.
    Place(Place),
    /// A resource of the job.
    Resource(usize),
    /// A sampler.
    Sampler(SamplerState),
    /// What an optional parameter holds that has no resource.
    NoResource,
    /// A binding of the package that the compiler found to be used by nothing.
    Unbound(GlobalId),
    /// A function that is known when the program is compiled.
    Function(Rc<FunctionValue>),
    /// A ray on its way.
    Query(Rc<super::rays::Query>),
}

/// A function with the arguments for its last parameters.
#[derive(Clone, Debug)]
pub(super) struct FunctionValue {
    pub(super) callee: FuncId,
    pub(super) captures: Vec<Value>,
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Root {
    /// A local of the lane.
    Local(usize),
    /// A groupshared variable, by its number in the machine.
    Workgroup(usize),
    /// A module-level constant.
    Constant(GlobalId),
    /// Bytes of a resource; none where an index led outside.
    Memory {
        /// The resource.
        resource: usize,
        /// The first byte.
        offset: Option<u32>,
        /// The layout rules that hold there.
        packing: akari_dialect_gpu_abi::layout::Packing,
    },
}

/// A place.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Where it begins.
    pub(super) root: Root,
    /// The indices that lead from there to it; empty in memory, where the offset says it all.
    pub(super) path: Vec<u32>,
    /// What it holds.
    pub(super) ty: Type,
}

impl Value {
    pub(super) fn composite(parts: Vec<Self>) -> Self {
        Self::Composite(Rc::new(parts))
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::Scalar(u64::from(value))
    }

    /// A scalar for one component, else a vector.
    pub(super) fn vector(components: &[u64]) -> Self {
        match components {
            [one] => Self::Scalar(*one),
            several => Self::composite(several.iter().map(|bits| Self::Scalar(*bits)).collect()),
        }
    }

    pub(super) fn floats(components: &[f32]) -> Self {
        Self::vector(&components.iter().map(|value| u64::from(value.to_bits())).collect::<Vec<_>>())
    }

    /// The bits of a scalar; 0 of what was never written.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Self::Scalar(bits) => *bits,
            _ => 0,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        self.bits() != 0
    }

    pub(super) fn float(&self) -> f32 {
        f32::from_bits(self.bits() as u32)
    }

    /// The scalars of a scalar or vector.
    pub(super) fn components(&self) -> Vec<u64> {
        match self {
            Self::Composite(parts) => parts.iter().map(Self::bits).collect(),
            other => vec![other.bits()],
        }
    }

    pub(super) fn float_components(&self) -> Vec<f32> {
        self.components().iter().map(|bits| f32::from_bits(*bits as u32)).collect()
    }

    /// A part; of an undefined value an undefined one. An index past the end takes the last part.
    pub(super) fn part(&self, index: usize) -> Self {
        match self {
            Self::Composite(parts) => parts[index.min(parts.len() - 1)].clone(),
            _ => Self::Undefined,
        }
    }

    /// All zero bits.
    pub(super) fn zero(module: &Module, ty: Type) -> Self {
        let repeat = |part: Self, count: u32| Self::composite(vec![part; count as usize]);
        match module.kind(ty) {
            TypeKind::Scalar(_) => Self::Scalar(0),
            TypeKind::Vector(_, width) => repeat(Self::Scalar(0), u32::from(width)),
            TypeKind::Matrix { columns, rows } => repeat(repeat(Self::Scalar(0), u32::from(rows)), u32::from(columns)),
            TypeKind::Array(element, length) => repeat(Self::zero(module, element), length),
            TypeKind::Struct(id) => {
                Self::composite(module.structs[id].fields.iter().map(|field| Self::zero(module, field.ty)).collect())
            }
            _ => Self::Undefined,
        }
    }

    pub(super) fn constant(module: &Module, constant: ConstId) -> Self {
        match module.constant(constant) {
            Constant::Scalar(_, bits) => Self::Scalar(*bits),
            Constant::Composite(_, parts) => {
                Self::composite(parts.iter().map(|part| Self::constant(module, *part)).collect())
            }
            Constant::Zero(ty) => Self::zero(module, *ty),
        }
    }
}
