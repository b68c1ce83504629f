//! Floats that are known to be whole numbers.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::{Constant, Module, Scalar, ValueId};

/// Whether a `float` is a whole number whatever the program reads: a constant that is one, a conversion of an integer, what was
/// rounded.
#[must_use]
pub fn is_whole(module: &Module, value: ValueId) -> bool {
    let Some(op) = module.defining_op(value).map(|op| module.op(op)) else { return false };
    match AkariOp::of(op) {
        Some(AkariOp::Const) => match module.constant(op.constant(0)) {
            Constant::Zero(_) => true,
            Constant::Scalar(_, bits) => {
                module.value_kind(value).scalar() == Some(Scalar::F32) && f32::from_bits(*bits as u32).fract() == 0.0
            }
            Constant::Composite(..) => false,
        },
        Some(AkariOp::Let) => is_whole(module, op.operands[0]),
        Some(AkariOp::Convert) => {
            module.value_kind(op.operands[0]).scalar().is_some_and(|from| from == Scalar::Bool || from.is_integer())
        }
        Some(AkariOp::Builtin) => matches!(
            Builtin::from_index(op.enumerated(0)),
            Builtin::Round | Builtin::Floor | Builtin::Ceil | Builtin::Trunc | Builtin::Sign
        ),
        _ => false,
    }
}
