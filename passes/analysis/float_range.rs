//! Between which numbers a float lies, as far as its operands tell at a glance.

use akari_dialect::{AkariOp, Builtin, component};
use akari_ir::interface::{FieldRole, ParamRole};
use akari_ir::{ConstId, Constant, Module, Scalar, TypeKind, ValueDef, ValueId};

use super::constants::constant_of;
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

    /// As [`Self::of`], as far as `depth` operations deep.
    #[must_use]
    pub(super) fn within_depth(module: &Module, value: ValueId, depth: u32) -> Option<Self> {
        range(module, value, depth)
    }

    /// The floats of single precision that a conversion to an integer type is defined for, as far as they are integers: one that
    /// truncates to the least is, too.
    #[must_use]
    pub fn convertible(to: Scalar) -> Self {
        match to {
            Scalar::I32 => Self { low: -2_147_483_648.0, high: 2_147_483_520.0 },
            Scalar::U64 => Self { low: 0.0, high: 18_446_742_974_197_923_840.0 },
            Scalar::U32 | Scalar::Bool | Scalar::F16 | Scalar::F32 => Self { low: 0.0, high: 4_294_967_040.0 },
        }
    }

    /// Whether a conversion of each number in it to an integer type is defined.
    #[must_use]
    pub fn converts_to(self, to: Scalar) -> bool {
        let Self { low, high } = Self::convertible(to);
        self.low > low - 1.0 && self.high <= high
    }

    fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What lies between results of this type, which were rounded.
    fn rounded(numbers: [f64; 4], scalar: Scalar) -> Option<Self> {
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A bound on the error of a result, and numbers so far from infinity that rounding does not lead there.
        let (relative, least, most) = match scalar {
            Scalar::F16 => (1.0 / 1024.0, 1.0 / 16384.0, 65000.0),
            _ => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE), 1e30),
        };
        let is_exact = |number: f64| match scalar {
            Scalar::F16 => half::f16::from_f64(number).to_f64() == number,
            _ => f64::from(number as f32) == number,
        };
        let error = |number: f64| if is_exact(number) { 0.0 } else { number.abs() * relative + least };
        let all = Self { low: low - error(low), high: high + error(high) };
        (all.low >= -most && all.high <= most).then_some(all)
    }
}

fn range(module: &Module, value: ValueId, depth: u32) -> Option<FloatRange> {
    let op = module.op(module.defining_op(value)?);
    let scalar = module.value_kind(value).scalar()?;
    let depth = depth.checked_sub(1)?;
    let operand = |index: usize| op.operands.get(index).and_then(|operand| range(module, *operand, depth));
    match AkariOp::of(op)? {
        AkariOp::Const | AkariOp::GlobalConst => of_constant(module, constant_of(module, value)?),
        AkariOp::Swizzle if is_pixel(module, op.operands[0], op.ints(0)) => Some(PIXELS),
        AkariOp::Extract if is_pixel(module, op.operands[0], &[op.int(0)]) => Some(PIXELS),
        AkariOp::Splat | AkariOp::Extract | AkariOp::Swizzle | AkariOp::Index | AkariOp::Let => {
            // Only components of vectors: parts of other aggregates have no range.
            matches!(module.value_kind(op.operands[0]), TypeKind::Scalar(_) | TypeKind::Vector(..))
                .then(|| operand(0))?
        }
        AkariOp::Convert => {
            let from = op.operands[0];
            let FloatRange { low, high } = if module.value_kind(from).scalar()?.is_float() {
                operand(0)?
            } else {
                let integers = Range::within_depth(module, from, depth)?;
                FloatRange { low: integers.low as f64, high: integers.high as f64 }
            };
            FloatRange::rounded([low, high, low, high], scalar)
        }
        AkariOp::Add => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::rounded([a.low + b.low, a.high + b.high, a.low + b.low, a.high + b.high], scalar)
        }
        AkariOp::Sub => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::rounded([a.low - b.high, a.high - b.low, a.low - b.high, a.high - b.low], scalar)
        }
        AkariOp::Mul => {
            let (a, b) = (operand(0)?, operand(1)?);
            FloatRange::rounded([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high], scalar)
        }
        AkariOp::Neg => operand(0).map(|x| FloatRange { low: -x.high, high: -x.low }),
        AkariOp::Select => Some(operand(1)?.union(operand(2)?)),
        AkariOp::Builtin => match Builtin::from_index(op.enumerated(0)) {
            Builtin::Saturate => Some(FloatRange { low: 0.0, high: 1.0 }),
            Builtin::Clamp => {
                let (low, high) = (operand(1)?, operand(2)?);
                (low.high <= high.low).then_some(FloatRange { low: low.low, high: high.high })
            }
            // Of a number and what is none, the number.
            Builtin::Min => match (operand(0), operand(1)) {
                (Some(a), Some(b)) => Some(FloatRange { low: a.low.min(b.low), high: a.high.min(b.high) }),
                (Some(a), None) | (None, Some(a)) => Some(FloatRange { low: f64::NEG_INFINITY, high: a.high }),
                (None, None) => None,
            },
            Builtin::Max => match (operand(0), operand(1)) {
                (Some(a), Some(b)) => Some(FloatRange { low: a.low.max(b.low), high: a.high.max(b.high) }),
                (Some(a), None) | (None, Some(a)) => Some(FloatRange { low: a.low, high: f64::INFINITY }),
                (None, None) => None,
            },
            Builtin::Fract => is_finite(operand(0)?).then_some(FloatRange { low: 0.0, high: 1.0 }),
            Builtin::Sin | Builtin::Cos => is_finite(operand(0)?).then_some(FloatRange { low: -1.0, high: 1.0 }),
            Builtin::Sign => operand(0).map(|_| FloatRange { low: -1.0, high: 1.0 }),
            Builtin::Floor | Builtin::Ceil | Builtin::Round | Builtin::Trunc => {
                let x = operand(0)?;
                Some(FloatRange { low: x.low.floor(), high: x.high.ceil() })
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_finite(range: FloatRange) -> bool {
    range.low.is_finite() && range.high.is_finite()
}

/// Pixels have coordinates within the largest render target.
const PIXELS: FloatRange = FloatRange { low: 0.0, high: 65536.0 };

/// Whether these are coordinates of the pixel: `xy` of a fragment's position.
fn is_pixel(module: &Module, vector: ValueId, components: &[i64]) -> bool {
    let Some(position) = module.defining_op(vector).map(|op| module.op(op)) else { return false };
    if AkariOp::of(position) != Some(AkariOp::Extract) || components.iter().any(|number| component(*number) > 1) {
        return false;
    }
    let input = position.operands[0];
    let (TypeKind::Struct(id), ValueDef::Param(function, index)) = (module.value_kind(input), module.value(input).def)
    else {
        return false;
    };
    module.functions[function].params[index as usize].role == ParamRole::StageIn
        && module.structs[id]
            .fields
            .get(position.int(0) as usize)
            .is_some_and(|field| field.role == FieldRole::Position)
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
            ranges.try_fold(first, |all, part| Some(all.union(part?)))
        }
        Constant::Zero(ty) if matches!(module.kind(*ty), TypeKind::Vector(..)) => {
            Some(FloatRange { low: 0.0, high: 0.0 })
        }
        Constant::Composite(..) | Constant::Zero(_) => None,
    }
}
