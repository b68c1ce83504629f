//! Scalar arithmetic. Floats are computed in binary64 and rounded once: for `+ - * /` and the square root of binary32 and
//! binary16 operands that gives the correctly rounded result (binary64 has more than twice their precision and two bits).

use std::rc::Rc;

use akari_dialect::{AkariOp, Predicate};
use akari_ir::Scalar;
use half::f16;

use super::value::Value;

/// The number that a float's bits stand for.
pub(super) fn float(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

/// The bits of the nearest float.
pub(super) fn round(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(f16::from_f64(value).to_bits()),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// An integer's value.
pub(super) fn integer(scalar: Scalar, bits: u64) -> i128 {
    match scalar {
        Scalar::I32 => i128::from(bits as u32 as i32),
        _ => i128::from(bits),
    }
}

/// The bits of an integer, wrapped to its type.
pub(super) fn wrap(scalar: Scalar, value: i128) -> u64 {
    match scalar {
        Scalar::U64 => value as u64,
        Scalar::Bool => u64::from(value != 0),
        _ => u64::from(value as u32),
    }
}

pub(super) fn map(value: &Value, of: &dyn Fn(u64) -> u64) -> Value {
    match value {
        Value::Composite(parts) => Value::Composite(Rc::new(parts.iter().map(|part| map(part, of)).collect())),
        scalar => Value::Scalar(of(scalar.bits())),
    }
}

/// Component by component; a scalar stands beside each component.
pub(super) fn zip(a: &Value, b: &Value, of: &dyn Fn(u64, u64) -> u64) -> Value {
    match (a, b) {
        (Value::Composite(a), Value::Composite(b)) => {
            Value::composite(a.iter().zip(b.iter()).map(|(a, b)| zip(a, b, of)).collect())
        }
        (Value::Composite(a), b) => Value::composite(a.iter().map(|a| zip(a, b, of)).collect()),
        (a, Value::Composite(b)) => Value::composite(b.iter().map(|b| zip(a, b, of)).collect()),
        (a, b) => Value::Scalar(of(a.bits(), b.bits())),
    }
}

pub(super) fn binary(op: AkariOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    if scalar.is_float() {
        let (x, y) = (float(scalar, a), float(scalar, b));
        return match op {
            AkariOp::Add => round(scalar, x + y),
            AkariOp::Sub => round(scalar, x - y),
            AkariOp::Mul => round(scalar, x * y),
            AkariOp::Div => round(scalar, x / y),
            // x - y * trunc(x / y), each operation rounded.
            _ => {
                let quotient = float(scalar, round(scalar, x / y)).trunc();
                let product = float(scalar, round(scalar, y * quotient));
                round(scalar, x - product)
            }
        };
    }
    let (x, y) = (integer(scalar, a), integer(scalar, b));
    let value = match op {
        AkariOp::Add => x + y,
        AkariOp::Sub => x - y,
        AkariOp::Mul => x.wrapping_mul(y),
        AkariOp::Div => x.checked_div(y).unwrap_or(0),
        AkariOp::Rem => x.checked_rem(y).unwrap_or(0),
        AkariOp::And => x & y,
        AkariOp::Or => x | y,
        _ => x ^ y,
    };
    wrap(scalar, value)
}

pub(super) fn shift(op: AkariOp, scalar: Scalar, value: u64, count: u64) -> u64 {
    let count = (count as u32) % scalar.bits();
    let value = integer(scalar, value);
    wrap(scalar, if op == AkariOp::Shl { value << count } else { value >> count })
}

pub(super) fn unary(op: AkariOp, scalar: Scalar, a: u64) -> u64 {
    match op {
        AkariOp::Not => u64::from(a == 0),
        AkariOp::BitNot => wrap(scalar, !integer(scalar, a)),
        _ => match scalar {
            Scalar::F16 => a ^ 0x8000,
            Scalar::F32 => a ^ 0x8000_0000,
            _ => wrap(scalar, -integer(scalar, a)),
        },
    }
}

pub(super) fn compare(predicate: Predicate, scalar: Scalar, a: u64, b: u64) -> bool {
    fn holds<T: PartialOrd>(predicate: Predicate, a: T, b: T) -> bool {
        match predicate {
            Predicate::Eq => a == b,
            Predicate::Ne => a != b,
            Predicate::Lt => a < b,
            Predicate::Le => a <= b,
            Predicate::Gt => a > b,
            Predicate::Ge => a >= b,
        }
    }
    if scalar.is_float() {
        holds(predicate, float(scalar, a), float(scalar, b))
    } else {
        holds(predicate, integer(scalar, a), integer(scalar, b))
    }
}

pub(super) fn convert(from: Scalar, to: Scalar, bits: u64) -> u64 {
    match (from.is_float(), to) {
        (true, Scalar::Bool) => u64::from(float(from, bits) != 0.0),
        (true, Scalar::I32) => u64::from(float(from, bits) as i32 as u32),
        (true, Scalar::U32) => u64::from(float(from, bits) as u32),
        (true, Scalar::U64) => float(from, bits) as u64,
        (true, Scalar::F16 | Scalar::F32) => round(to, float(from, bits)),
        (false, Scalar::F32) => u64::from((integer(from, bits) as f32).to_bits()),
        (false, Scalar::F16) => u64::from(f16::from_f64(integer(from, bits) as f64).to_bits()),
        (false, Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::U64) => wrap(to, integer(from, bits)),
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| a * b)
        .fold(None, |sum: Option<f32>, product| Some(sum.map_or(product, |s| s + product)))
        .unwrap_or(0.0)
}

/// Matrix by column vector, row vector by matrix, or matrix by matrix. A value whose parts are composite is a matrix.
pub(super) fn matmul(a: &Value, b: &Value) -> Value {
    let columns = |value: &Value| -> Option<Vec<Vec<f32>>> {
        match value {
            Value::Composite(parts) if matches!(parts.first(), Some(Value::Composite(_))) => {
                Some(parts.iter().map(Value::float_components).collect())
            }
            _ => None,
        }
    };
    let transform = |matrix: &[Vec<f32>], vector: &[f32]| -> Vec<f32> {
        (0..matrix[0].len())
            .map(|row| dot(&matrix.iter().map(|column| column[row]).collect::<Vec<_>>(), vector))
            .collect()
    };
    match (columns(a), columns(b)) {
        (Some(a), Some(b)) => Value::composite(b.iter().map(|column| Value::floats(&transform(&a, column))).collect()),
        (Some(a), None) => Value::floats(&transform(&a, &b.float_components())),
        (None, Some(b)) => {
            let row = a.float_components();
            Value::floats(&b.iter().map(|column| dot(&row, column)).collect::<Vec<_>>())
        }
        (None, None) => Value::Undefined,
    }
}
