//! Arithmetic on the bits of one scalar. `i32` is kept zero-extended, `f16` in the low 16 bits.

use std::cmp::Ordering;

use akari_ir::types::Scalar;
use half::f16;

use super::Fault;
use crate::attributes::Predicate;
use crate::ops::AkariOp;

/// The value of integer bits (and of `bool`).
pub(super) fn as_integer(scalar: Scalar, bits: u64) -> i64 {
    match scalar {
        Scalar::I32 => i64::from(bits as u32 as i32),
        Scalar::Bool | Scalar::U32 | Scalar::U64 | Scalar::F16 | Scalar::F32 => i64::try_from(bits).unwrap_or(i64::MAX),
    }
}

/// The value of float bits. Every `f16` is an `f32`.
pub(super) fn as_float(scalar: Scalar, bits: u64) -> f32 {
    if scalar == Scalar::F16 { f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) }
}

/// The bits of a float rounded to the type. One operation on two `f16` done in `f32` and rounded again is correctly
/// rounded, since `f32` has more than twice the digits.
pub(super) fn float(scalar: Scalar, value: f32) -> Result<u64, Fault> {
    let (bits, finite) = if scalar == Scalar::F16 {
        let half = f16::from_f32(value);
        (u64::from(half.to_bits()), half.is_finite())
    } else {
        (u64::from(value.to_bits()), value.is_finite())
    };
    if finite { Ok(bits) } else { Err(Fault::NotFinite) }
}

fn i32_bits(value: i32) -> u64 {
    u64::from(value as u32)
}

/// An operation of two operands of one scalar type.
pub(super) fn binary(op: AkariOp, scalar: Scalar, a: u64, b: u64) -> Result<u64, Fault> {
    match scalar {
        Scalar::Bool => match op {
            AkariOp::And => Ok(a & b),
            AkariOp::Or => Ok(a | b),
            AkariOp::Xor => Ok(a ^ b),
            _ => Err(Fault::NotFoldable),
        },
        Scalar::I32 => {
            let (a, b) = (a as u32 as i32, b as u32 as i32);
            Ok(i32_bits(match op {
                AkariOp::Add => a.wrapping_add(b),
                AkariOp::Sub => a.wrapping_sub(b),
                AkariOp::Mul => a.wrapping_mul(b),
                AkariOp::Div | AkariOp::Rem if b == 0 => return Err(Fault::DivisionByZero),
                AkariOp::Div => a.wrapping_div(b),
                AkariOp::Rem => a.wrapping_rem(b),
                AkariOp::And => a & b,
                AkariOp::Or => a | b,
                AkariOp::Xor => a ^ b,
                _ => return Err(Fault::NotFoldable),
            }))
        }
        Scalar::U32 | Scalar::U64 => {
            let mask = if scalar == Scalar::U32 { u64::from(u32::MAX) } else { u64::MAX };
            Ok(mask
                & match op {
                    AkariOp::Add => a.wrapping_add(b),
                    AkariOp::Sub => a.wrapping_sub(b),
                    AkariOp::Mul => a.wrapping_mul(b),
                    AkariOp::Div => a.checked_div(b).ok_or(Fault::DivisionByZero)?,
                    AkariOp::Rem => a.checked_rem(b).ok_or(Fault::DivisionByZero)?,
                    AkariOp::And => a & b,
                    AkariOp::Or => a | b,
                    AkariOp::Xor => a ^ b,
                    _ => return Err(Fault::NotFoldable),
                })
        }
        Scalar::F16 | Scalar::F32 => {
            let (x, y) = (as_float(scalar, a), as_float(scalar, b));
            let value = match op {
                AkariOp::Add => x + y,
                AkariOp::Sub => x - y,
                AkariOp::Mul => x * y,
                AkariOp::Div => x / y,
                AkariOp::Rem => {
                    // x - y * trunc(x / y), each step rounded to the type.
                    let quotient = as_float(scalar, float(scalar, x / y)?);
                    let product = as_float(scalar, float(scalar, y * quotient.trunc())?);
                    x - product
                }
                _ => return Err(Fault::NotFoldable),
            };
            float(scalar, value)
        }
    }
}

/// A shift; `count` are the bits of an `i32` or `u32`.
pub(super) fn shift(op: AkariOp, scalar: Scalar, value: u64, count: u64) -> Result<u64, Fault> {
    if count >= u64::from(scalar.bits()) {
        return Err(Fault::ShiftCount);
    }
    let left = op == AkariOp::Shl;
    match scalar {
        Scalar::I32 if left => Ok(u64::from((value as u32) << count)),
        Scalar::I32 => Ok(i32_bits((value as u32 as i32) >> count)),
        Scalar::U32 if left => Ok(u64::from((value as u32) << count)),
        Scalar::U64 if left => Ok(value << count),
        Scalar::U32 | Scalar::U64 => Ok(value >> count),
        Scalar::Bool | Scalar::F16 | Scalar::F32 => Err(Fault::NotFoldable),
    }
}

/// An operation of one operand.
pub(super) fn unary(op: AkariOp, scalar: Scalar, a: u64) -> Result<u64, Fault> {
    match (op, scalar) {
        (AkariOp::Neg, Scalar::I32 | Scalar::U32) => Ok(u64::from((a as u32).wrapping_neg())),
        (AkariOp::Neg, Scalar::U64) => Ok(a.wrapping_neg()),
        (AkariOp::Neg, Scalar::F16) => Ok(a ^ 0x8000),
        (AkariOp::Neg, Scalar::F32) => Ok(a ^ 0x8000_0000),
        (AkariOp::BitNot, Scalar::I32 | Scalar::U32) => Ok(u64::from(!(a as u32))),
        (AkariOp::BitNot, Scalar::U64) => Ok(!a),
        (AkariOp::Not, Scalar::Bool) => Ok(a ^ 1),
        _ => Err(Fault::NotFoldable),
    }
}

/// A comparison.
pub(super) fn compare(predicate: Predicate, scalar: Scalar, a: u64, b: u64) -> bool {
    let order = match scalar {
        Scalar::Bool | Scalar::U32 | Scalar::U64 => Some(a.cmp(&b)),
        Scalar::I32 => Some((a as u32 as i32).cmp(&(b as u32 as i32))),
        Scalar::F16 | Scalar::F32 => as_float(scalar, a).partial_cmp(&as_float(scalar, b)),
    };
    match predicate {
        Predicate::Eq => order == Some(Ordering::Equal),
        Predicate::Ne => order != Some(Ordering::Equal),
        Predicate::Lt => order == Some(Ordering::Less),
        Predicate::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Predicate::Gt => order == Some(Ordering::Greater),
        Predicate::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// A conversion between scalar types.
pub(super) fn convert(from: Scalar, to: Scalar, a: u64) -> Result<u64, Fault> {
    if from == to {
        return Ok(a);
    }
    if to == Scalar::Bool {
        let is_zero = if from.is_float() { as_float(from, a) == 0.0 } else { a == 0 };
        return Ok(u64::from(!is_zero));
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => float(to, as_float(from, a)),
        (true, false) => {
            let value = f64::from(as_float(from, a)).trunc();
            let fits = match to {
                Scalar::I32 => (-2_147_483_648.0..=2_147_483_647.0).contains(&value),
                Scalar::U32 => (0.0..=4_294_967_295.0).contains(&value),
                _ => (0.0..18_446_744_073_709_551_616.0).contains(&value),
            };
            match to {
                _ if !fits => Err(Fault::OutOfRange),
                Scalar::I32 => Ok(i32_bits(value as i32)),
                _ => Ok(value as u64),
            }
        }
        (false, true) => {
            // Rounded once: straight to `f32`, and to `f16` by way of `f64`, which is exact below 2^53 and above that
            // the result is out of range anyway.
            match (from, to) {
                (Scalar::I32, Scalar::F32) => float(to, a as u32 as i32 as f32),
                (_, Scalar::F32) => float(to, a as f32),
                _ => {
                    let exact = if from == Scalar::I32 { f64::from(a as u32 as i32) } else { a as f64 };
                    let half = f16::from_f64(exact);
                    if half.is_finite() { Ok(u64::from(half.to_bits())) } else { Err(Fault::NotFinite) }
                }
            }
        }
        (false, false) => Ok(match (from, to) {
            (Scalar::I32, Scalar::U64) => i64::from(a as u32 as i32) as u64,
            (_, Scalar::U64) => a,
            _ => u64::from(a as u32),
        }),
    }
}
