//! Between which numbers a float lies, as far as its operands tell at a glance.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::interface::{FieldRole, ParamRole};
use akari_ir::{Constant, ConstId, Module, Scalar, TypeKind, ValueDef, ValueId};

use super::range::Range;

/// The least and the greatest number that each component of a value may be. A value with a range is never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatRange {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

const DEPTH: u32 = 6;

impl FloatRange {
    /// The range of a value, where it has one.
    #[must_use]
    pub fn of(module: &Module, value: ValueId) -> Option<Self> {
        range(module, value, DEPTH)
    }

    fn hull(numbers: [f64; 4]) -> Option<Self> {
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Far from the largest half and float, so that rounding cannot have left the numbers.
        (low >= -1e30 && high <= 1e30).then_some(Self { low, high })
    }
}

fn range(module: &Module, value: ValueId, depth: u32) -> Option<FloatRange> {
    let op = module.op(module.defining_op(value)?);
    let scalar = module.value_kind(value).scalar()?;
    let depth = depth.checked_sub(1)?;
    // Halves round coarsely and overflow early: only ranges that they hold exactly are of use.
    let within_half = |range: FloatRange| scalar != Scalar::F16 || (range.low >= -2048.0 && range.high <= 2048.0);
    let operand = |index: usize| op.operands.get(index).and_then(|operand| range(module, *operand, depth));
    let found = match AkariOp::of(op)? {
        AkariOp::Const => of_constant(module, op.constant(0)),
        AkariOp::Swizzle if is_pixel(module, op.operands[0], op.ints(0)) => Some(PIXELS),
        AkariOp::Extract if is_pixel(module, op.operands[0], &[op.int(0)]) => Some(PIXELS),
        AkariOp::Splat | AkariOp::Extract | AkariOp::Swizzle | AkariOp::Let => {
            matches!(module.value_kind(op.operands[0]), TypeKind::Scalar(_) | TypeKind::Vector(..)).then(|| operand(0))?
        }
        AkariOp::Convert => {
            let from = op.operands[0];
            if module.value_kind(from).scalar()?.is_float() {
                operand(0)
            } else {
                let integers = Range::of(module, from)?;
                FloatRange::hull([integers.low as f64, integers.high as f64, 0.0, 0.0])
            }
        }
        AkariOp::Add => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::hull([a.low + b.low, a.high + b.high, a.low + b.low, a.high + b.high])
        }
        AkariOp::Sub => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::hull([a.low - b.high, a.high - b.low, a.low - b.high, a.high - b.low])
        }
        AkariOp::Mul => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::hull([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
        }
        AkariOp::Builtin => match Builtin::from_index(op.enumerated(0)) {
            Builtin::Saturate => Some(FloatRange { low: 0.0, high: 1.0 }),
            Builtin::Clamp => {
                let (low, high) = (operand(1)?, operand(2)?);
                (low.high <= high.low).then_some(FloatRange { low: low.low, high: high.high })
            }
            Builtin::Floor | Builtin::Ceil | Builtin::Round | Builtin::Trunc => {
                let x = operand(0)?;
                Some(FloatRange { low: x.low.floor(), high: x.high.ceil() })
            }
            _ => None,
        },
        _ => None,
    }?;
    within_half(found).then_some(found)
}

/// Pixels have coordinates within the largest render target.
const PIXELS: FloatRange = FloatRange { low: 0.0, high: 65536.0 };

/// Whether these are coordinates of the pixel: `xy` of a fragment's position.
fn is_pixel(module: &Module, vector: ValueId, components: &[i64]) -> bool {
    let Some(position) = module.defining_op(vector).map(|op| module.op(op)) else { return false };
    if AkariOp::of(position) != Some(AkariOp::Extract) || components.iter().any(|component| *component > 1) {
        return false;
    }
    let input = position.operands[0];
    let (TypeKind::Struct(id), ValueDef::Param(function, index)) = (module.value_kind(input), module.value(input).def) else {
        return false;
    };
    module.functions[function].params[index as usize].role == ParamRole::StageIn
        && module.structs[id].fields.get(position.int(0) as usize).is_some_and(|field| field.role == FieldRole::Position)
}

fn of_constant(module: &Module, constant: ConstId) -> Option<FloatRange> {
    match module.constant(constant) {
        Constant::Scalar(ty, bits) => {
            let number = match module.kind(*ty).scalar()? {
                Scalar::F32 => f64::from(f32::from_bits(*bits as u32)),
                Scalar::F16 => f64::from(half::f16::from_bits(*bits as u16).to_f32()),
                Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::U64 => return None,
            };
            number.is_finite().then_some(FloatRange { low: number, high: number })
        }
        Constant::Composite(ty, parts) if matches!(module.kind(*ty), TypeKind::Vector(..)) => {
            let mut ranges = parts.iter().map(|part| of_constant(module, *part));
            let first = ranges.next()??;
            ranges.try_fold(first, |all, part| {
                let part = part?;
                Some(FloatRange { low: all.low.min(part.low), high: all.high.max(part.high) })
            })
        }
        Constant::Zero(ty) if matches!(module.kind(*ty), TypeKind::Vector(..)) => Some(FloatRange { low: 0.0, high: 0.0 }),
        Constant::Composite(..) | Constant::Zero(_) => None,
    }
}
