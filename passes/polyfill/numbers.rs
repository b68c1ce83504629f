//! Operations on numbers whose result a target leaves open for some operands, made total.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::{Attr, ConstId, Constant, Scalar, Type, TypeKind, ValueId};

use crate::analysis::constants::{constant_of, every_scalar};
use crate::analysis::float_range::FloatRange;
use crate::analysis::range::Range;
use crate::rewrite::Rewriter;

/// A quotient or remainder of integers that is defined for all operands, or `None` where `op` already is: division by zero gives
/// some value, the smallest number by -1 itself and the remainder 0.
pub fn divide_integers(r: &mut Rewriter<'_>, op: AkariOp, lhs: ValueId, rhs: ValueId) -> Option<ValueId> {
    let scalar = r.scalar_of(rhs)?;
    let (dividend, divisor) = (Range::of(r.module, lhs)?, Range::of(r.module, rhs)?);
    let overflows = scalar == Scalar::I32 && divisor.contains(-1) && dividend.contains(i128::from(i32::MIN));
    let is_open = op == AkariOp::Rem && (dividend.low < 0 || divisor.low < 0);
    let is_harmless = !divisor.contains(0) && !overflows;
    if is_harmless && !is_open {
        return None;
    }
    let width = r.width_of(lhs).max(r.width_of(rhs));
    let (lhs, rhs) = (r.splat(lhs, width), r.splat(rhs, width));
    let wide = r.type_of(lhs);
    let name = if op == AkariOp::Div { "divide" } else { "remainder" };
    let key = format!("{name}, harmless {is_harmless}, open {is_open}");
    let result = r.helper_with_key(key, name, &["dividend", "divisor"], &[lhs, rhs], wide, |r, params| {
        let (dividend, divisor) = (params[0], params[1]);
        if is_harmless {
            return remainder_by_quotient(r, dividend, divisor);
        }
        let zero = r.filled(wide, 0.0);
        let one = r.filled(wide, 1.0);
        let is_zero = r.compare(Predicate::Eq, divisor, zero);
        let mut safe = r.select(is_zero, one, divisor);
        if scalar == Scalar::I32 {
            let safe_so_far = r.name(safe, "safe");
            let smallest = r.filled_bits(wide, u64::from(i32::MIN as u32));
            let minus_one = r.filled(wide, -1.0);
            let is_smallest = r.compare(Predicate::Eq, dividend, smallest);
            let is_minus_one = r.compare(Predicate::Eq, divisor, minus_one);
            let for_smallest = r.select(is_minus_one, one, safe_so_far);
            safe = r.select(is_smallest, for_smallest, safe_so_far);
        }
        if is_open { remainder_by_quotient(r, dividend, safe) } else { r.binary(op, dividend, safe) }
    });
    Some(result)
}

/// `a - a / b * b`: what `%` is where an operand may be negative, which HLSL leaves open, and Vulkan too (`OpSRem`); NVIDIA's driver
/// gives the remainder of the bits as unsigned numbers.
fn remainder_by_quotient(r: &mut Rewriter<'_>, dividend: ValueId, divisor: ValueId) -> ValueId {
    let quotient = r.binary(AkariOp::Div, dividend, divisor);
    let multiple = r.binary(AkariOp::Mul, quotient, divisor);
    r.binary(AkariOp::Sub, dividend, multiple)
}

/// The value of an `int` operation on constants that overflows, which C++ front ends warn of; `None` for all else.
pub fn overflowing_constant(r: &mut Rewriter<'_>, op: AkariOp, operands: &[ValueId]) -> Option<ValueId> {
    let mut values = Vec::new();
    for operand in operands {
        let constant = constant_of(r.module, *operand)?;
        if r.kind(*operand) != TypeKind::Scalar(Scalar::I32) {
            return None;
        }
        values.push(r.module.scalar_bits(constant)? as u32 as i32);
    }
    let (wrapped, overflows) = match (op, &values[..]) {
        (AkariOp::Add, [x, y]) => x.overflowing_add(*y),
        (AkariOp::Sub, [x, y]) => x.overflowing_sub(*y),
        (AkariOp::Mul, [x, y]) => x.overflowing_mul(*y),
        (AkariOp::Neg, [x]) => x.overflowing_neg(),
        _ => return None,
    };
    overflows.then(|| r.bits(Scalar::I32, u64::from(wrapped as u32)))
}

/// A constant float as a half, where it is too large for one.
pub fn overflowing_half(r: &mut Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    let constant = constant_of(r.module, value)?;
    let is_large = |bits: u64| {
        let float = f32::from_bits(bits as u32);
        float.is_finite() && half::f16::from_f32(float).is_infinite()
    };
    if every_scalar(r.module, constant, &|bits| !is_large(bits)) {
        return None;
    }
    let like = r.type_of(value);
    let ty = r.shaped(like, Scalar::F16);
    let halved = halves(r, constant, ty);
    Some(r.value_of(AkariOp::Const.def(), &[], &[Attr::Const(halved)], ty))
}

fn halves(r: &mut Rewriter<'_>, constant: ConstId, ty: Type) -> ConstId {
    let scalar = |bits: u64| u64::from(half::f16::from_f32(f32::from_bits(bits as u32)).to_bits());
    match r.module.constant(constant).clone() {
        Constant::Scalar(_, bits) => match r.module.kind(ty) {
            // A splat of a scalar constant.
            TypeKind::Vector(_, width) => {
                let part = r.module.scalar_constant(Scalar::F16, scalar(bits));
                r.module.constants.intern(Constant::Composite(ty, vec![part; usize::from(width)].into_boxed_slice()))
            }
            _ => r.module.scalar_constant(Scalar::F16, scalar(bits)),
        },
        Constant::Composite(_, parts) => {
            let parts = parts.iter().map(|part| r.module.scalar_bits(*part).unwrap_or(0)).collect::<Vec<_>>();
            let parts = parts.into_iter().map(|bits| r.module.scalar_constant(Scalar::F16, scalar(bits))).collect();
            r.module.constants.intern(Constant::Composite(ty, parts))
        }
        Constant::Zero(_) => r.module.constants.intern(Constant::Zero(ty)),
    }
}

/// A `u64` as a float, by way of its upper 32 bits, the last of which stands for all those below: DXC's SPIR-V drops the upper half.
pub fn wide_to_float(r: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let like = r.type_of(value);
    let float = r.shaped(like, Scalar::F32);
    let uint = r.shaped(like, Scalar::U32);
    r.helper("float_from_uint64", &["value"], &[value], float, |r, params| {
        let value = params[0];
        let high = r.shift(AkariOp::Shr, value, 32);
        let high = r.convert(high, Scalar::U32);
        // How far to shift so that nothing is left above 32 bits: one more than the highest set bit, 0 for none.
        let one = r.filled(uint, 1.0);
        let top = r.builtin(Builtin::FirstBitHigh, &[high]);
        let count = r.binary(AkariOp::Add, top, one);
        let count = r.name(count, "count");
        let shifted = r.binary(AkariOp::Shr, value, count);
        let kept = r.binary(AkariOp::Shl, shifted, count);
        let is_inexact = r.compare(Predicate::Ne, kept, value);
        let upper = r.convert(shifted, Scalar::U32);
        let sticky = r.convert(is_inexact, Scalar::U32);
        let bits = r.binary(AkariOp::Or, upper, sticky);
        let number = r.convert(bits, Scalar::F32);
        let bias = r.uint(127);
        let exponent = r.binary(AkariOp::Add, count, bias);
        let scale = r.shift(AkariOp::Shl, exponent, 23);
        let scale = r.builtin(Builtin::AsFloat, &[scale]);
        r.binary(AkariOp::Mul, number, scale)
    })
}

/// A conversion of floats to integers that is defined for all operands, or `None` where it is anyway.
pub fn float_to_integer(r: &mut Rewriter<'_>, value: ValueId, to: Scalar) -> Option<ValueId> {
    if FloatRange::of(r.module, value).is_some_and(|range| range.converts_to(to)) {
        return None;
    }
    let FloatRange { low, high } = FloatRange::convertible(to);
    let ty = r.type_of(value);
    let (low, high) = (r.filled(ty, low), r.filled(ty, high));
    let clamped = r.builtin(Builtin::Clamp, &[value, low, high]);
    Some(r.convert(clamped, to))
}
