//! Where a handle or a place comes from: a global, and the steps from it.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::entity::{ConstId, FuncId, GlobalId, ValueId};
use akari_ir::module::{Module, ValueDef};
use akari_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

/// What stands at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// A global of the source module.
    Global(GlobalId),
    /// A resource parameter of an entry, by its number; it becomes a global.
    EntryParam(FuncId, u32),
}

/// A step from a handle or place to one in it. A computed index is no part of the step, only its type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// What a uniform holds.
    Contents,
    /// An element of a buffer.
    BufferElement(Scalar),
    /// A field.
    Member(i64),
    /// An element of an array, a column or a component.
    Element(Scalar),
    /// A resource of an array, at a computed index.
    Resource(Scalar),
    /// A resource of an array, at a constant index: worth a function of its own, since computed ones need more of a device.
    FixedResource(ConstId),
    /// A texture of a bindless table, as this builtin gives it, at a computed index.
    Bindless(Builtin, Scalar),
}

impl Step {
    /// The type of the computed index.
    pub(super) fn index(self) -> Option<Scalar> {
        match self {
            Self::BufferElement(scalar)
            | Self::Element(scalar)
            | Self::Resource(scalar)
            | Self::Bindless(_, scalar) => Some(scalar),
            Self::Contents | Self::Member(_) | Self::FixedResource(_) => None,
        }
    }
}

/// What a specialised parameter stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    /// Where it starts.
    pub(super) root: Root,
    /// How it goes on.
    pub(super) steps: SmallVec<[Step; 2]>,
}

impl Origin {
    /// The types of the computed indices, in order.
    pub(super) fn indices(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.steps.iter().filter_map(|step| step.index())
    }
}

/// A computed index of an [`Origin`], as seen in the function that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexSource {
    /// A value of the function.
    Value(ValueId),
    /// An index that came in for a specialised parameter.
    Incoming {
        /// The parameter's number.
        param: u32,
        /// Which of its indices.
        nth: u32,
    },
}

/// A value traced to its origin.
#[derive(Clone, Debug)]
pub(super) struct Traced {
    pub(super) origin: Origin,
    pub(super) indices: SmallVec<[IndexSource; 2]>,
}

/// Traces a handle or place, in a function whose specialised parameters are `params`. None for what is no global's: a local,
/// a parameter that stays one.
pub(super) fn trace(module: &Module, value: ValueId, params: &[Option<Origin>]) -> Option<Traced> {
    let op = match module.value(value).def {
        ValueDef::Param(_, index) => {
            let origin = params.get(index as usize)?.clone()?;
            let indices = (0..origin.indices().count() as u32).map(|nth| IndexSource::Incoming { param: index, nth });
            return Some(Traced { indices: indices.collect(), origin });
        }
        ValueDef::Result(op) => module.op(op),
    };
    let kind = AkariOp::of(op)?;
    if matches!(kind, AkariOp::Resource | AkariOp::GlobalPlace) {
        let origin = Origin { root: Root::Global(op.global(0)), steps: SmallVec::new() };
        return Some(Traced { origin, indices: SmallVec::new() });
    }
    let is_step = matches!(kind, AkariOp::Contents | AkariOp::BufferElement | AkariOp::Member | AkariOp::Element)
        || (matches!(kind, AkariOp::Index | AkariOp::Builtin) && module.value_kind(value).is_handle());
    if !is_step {
        return None;
    }
    let mut traced = trace(module, op.operands[0], params)?;
    let index = op.operands.get(1).copied();
    let scalar = index.and_then(|index| module.value_kind(index).scalar()).unwrap_or(Scalar::U32);
    let step = match kind {
        AkariOp::Contents => Step::Contents,
        AkariOp::BufferElement => Step::BufferElement(scalar),
        AkariOp::Member => Step::Member(op.int(0)),
        AkariOp::Element => Step::Element(scalar),
        AkariOp::Builtin => Step::Bindless(Builtin::from_index(op.enumerated(0)), scalar),
        _ => match index.and_then(|index| constant(module, index)) {
            Some(constant) => Step::FixedResource(constant),
            None => Step::Resource(scalar),
        },
    };
    traced.origin.steps.push(step);
    if let Some(index) = index.filter(|_| step.index().is_some()) {
        traced.indices.push(IndexSource::Value(index));
    }
    Some(traced)
}

fn constant(module: &Module, value: ValueId) -> Option<ConstId> {
    let op = module.op(module.defining_op(value)?);
    (AkariOp::of(op) == Some(AkariOp::Const)).then(|| op.constant(0))
}

/// Whether a parameter of this type may have to be specialised.
pub(super) fn may_be_global(kind: TypeKind) -> bool {
    kind.is_handle() || matches!(kind, TypeKind::Place(..))
}
