//! Which constant a value is.

use akari_dialect::AkariOp;
use akari_ir::{ConstId, Constant, GlobalKind, Module, ValueId};

/// The constant that a value is, its own or a named one's; of a vector that repeats one, the scalar.
#[must_use]
pub fn constant_of(module: &Module, value: ValueId) -> Option<ConstId> {
    let op = module.op(module.defining_op(value)?);
    match AkariOp::of(op)? {
        AkariOp::Const => Some(op.constant(0)),
        AkariOp::GlobalConst => match module.globals[op.global(0)].kind {
            GlobalKind::Constant(constant) => Some(constant),
            GlobalKind::Workgroup | GlobalKind::Resource { .. } => None,
        },
        AkariOp::Splat => constant_of(module, op.operands[0]),
        _ => None,
    }
}

/// Whether the bits of all scalars of a constant pass a test.
pub fn every_scalar(module: &Module, constant: ConstId, test: &impl Fn(u64) -> bool) -> bool {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => test(*bits),
        Constant::Composite(_, parts) => parts.iter().all(|part| every_scalar(module, *part, test)),
        Constant::Zero(_) => test(0),
    }
}
