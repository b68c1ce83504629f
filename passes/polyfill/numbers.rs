//! Operations on numbers whose result a target leaves open for some operands, made total.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::interface::{FieldRole, ParamRole};
use akari_ir::{Attr, ConstId, Constant, GlobalKind, Module, Scalar, Type, TypeKind, ValueDef, ValueId};

use crate::rewrite::Rewriter;

/// The constant that a value is, by its own or a global's value.
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

/// Whether all components of a constant pass a test of their bits.
fn all_components(module: &Module, constant: ConstId, test: &impl Fn(u64) -> bool) -> bool {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => test(*bits),
        Constant::Composite(_, parts) => parts.iter().all(|part| all_components(module, *part, test)),
        Constant::Zero(_) => test(0),
    }
}

/// The value of a scalar expression of `i32` or `u32` constants.
fn constant_integer(module: &Module, value: ValueId, depth: u32) -> Option<i64> {
    let TypeKind::Scalar(scalar @ (Scalar::I32 | Scalar::U32)) = module.value_kind(value) else { return None };
    let fit = |number: i64| if scalar == Scalar::I32 { i64::from(number as i32) } else { i64::from(number as u32) };
    if let Some(constant) = constant_of(module, value) {
        return module.scalar_bits(constant).map(|bits| fit(bits as i64));
    }
    let op = module.op(module.defining_op(value)?);
    let of = |operand: usize| {
        if depth == 0 { None } else { constant_integer(module, *op.operands.get(operand)?, depth - 1) }
    };
    let number = match AkariOp::of(op)? {
        AkariOp::Add => of(0)?.wrapping_add(of(1)?),
        AkariOp::Sub => of(0)?.wrapping_sub(of(1)?),
        AkariOp::Mul => of(0)?.wrapping_mul(of(1)?),
        AkariOp::Div => of(0)?.checked_div(of(1)?)?,
        AkariOp::And => of(0)? & of(1)?,
        AkariOp::Or => of(0)? | of(1)?,
        AkariOp::Xor => of(0)? ^ of(1)?,
        AkariOp::Shl => of(0)? << (of(1)? & 31),
        AkariOp::Shr => of(0)? >> (of(1)? & 31),
        AkariOp::Convert => of(0)?,
        _ => return None,
    };
    Some(fit(number))
}

/// A quotient or remainder of integers that is defined for all operands, or `None` where `op` already is: division by zero gives
/// some value, the smallest number by -1 itself and the remainder 0.
pub fn divide_integers(r: &mut Rewriter<'_>, op: AkariOp, lhs: ValueId, rhs: ValueId) -> Option<ValueId> {
    let scalar = r.kind(rhs).scalar()?;
    let minus_one = u64::from(u32::MAX);
    let is_safe = |bits: u64| bits != 0 && !(scalar == Scalar::I32 && bits == minus_one);
    if constant_of(r.module, rhs).is_some_and(|constant| all_components(r.module, constant, &is_safe)) {
        return None;
    }
    if constant_integer(r.module, rhs, 8).is_some_and(|divisor| is_safe(u64::from(divisor as u32))) {
        return None;
    }
    let width = r.width_of(lhs).max(r.width_of(rhs));
    let (lhs, rhs) = (r.splat(lhs, width), r.splat(rhs, width));
    let wide = r.type_of(lhs);
    let name = if op == AkariOp::Div { "divide" } else { "remainder" };
    let result = r.helper(name, &["dividend", "divisor"], &[lhs, rhs], wide, |r, params| {
        let (dividend, divisor) = (params[0], params[1]);
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
        r.binary(op, dividend, safe)
    });
    Some(result)
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
    if all_components(r.module, constant, &|bits| !is_large(bits)) {
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

/// The values that a float may have, NaN aside; `None` where nothing is known.
fn range(module: &Module, value: ValueId, depth: u32) -> Option<(f64, f64)> {
    let op = module.op(module.defining_op(value)?);
    let of = |operand: usize| if depth == 0 { None } else { range(module, op.operands[operand], depth - 1) };
    match AkariOp::of(op)? {
        AkariOp::Const | AkariOp::GlobalConst => constant_range(module, constant_of(module, value)?),
        AkariOp::Swizzle if is_pixel(module, op.operands[0], op.ints(0)) => Some((0.0, 65536.0)),
        AkariOp::Extract if is_pixel(module, op.operands[0], &[op.int(0)]) => Some((0.0, 65536.0)),
        AkariOp::Splat | AkariOp::Extract | AkariOp::Swizzle | AkariOp::Index => of(0),
        AkariOp::Convert if constant_integer(module, op.operands[0], 8).is_some() => {
            constant_integer(module, op.operands[0], 8).map(|number| (number as f64, number as f64))
        }
        AkariOp::Convert => match module.value_kind(op.operands[0]).scalar()? {
            Scalar::Bool => Some((0.0, 1.0)),
            Scalar::I32 => Some((-2_147_483_648.0, 2_147_483_648.0)),
            Scalar::U32 => Some((0.0, 4_294_967_296.0)),
            Scalar::F16 | Scalar::F32 => of(0),
            Scalar::U64 => None,
        },
        AkariOp::Add => combine(of(0)?, of(1)?, |a, b| a + b),
        AkariOp::Sub => combine(of(0)?, of(1)?, |a, b| a - b),
        AkariOp::Mul => combine(of(0)?, of(1)?, |a, b| a * b),
        AkariOp::Neg => of(0).map(|(low, high)| (-high, -low)),
        AkariOp::Select => join(of(1)?, of(2)?),
        AkariOp::Builtin => match Builtin::from_index(op.enumerated(0)) {
            Builtin::Saturate | Builtin::Fract => Some((0.0, 1.0)),
            Builtin::Clamp => Some((of(1)?.0, of(2)?.1)),
            Builtin::Sin | Builtin::Cos | Builtin::Sign => Some((-1.0, 1.0)),
            Builtin::Floor | Builtin::Ceil | Builtin::Round | Builtin::Trunc => {
                of(0).map(|(low, high)| (low.floor(), high.ceil()))
            }
            Builtin::Min => match (of(0), of(1)) {
                (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.min(b.1))),
                (Some(a), None) | (None, Some(a)) => Some((f64::NEG_INFINITY, a.1)),
                (None, None) => None,
            },
            Builtin::Max => match (of(0), of(1)) {
                (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.max(b.1))),
                (Some(a), None) | (None, Some(a)) => Some((a.0, f64::INFINITY)),
                (None, None) => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether these are the pixel's coordinates in a fragment's position.
fn is_pixel(module: &Module, vector: ValueId, components: &[i64]) -> bool {
    let position = module.defining_op(vector).map(|op| module.op(op)).filter(|op| AkariOp::of(op) == Some(AkariOp::Extract));
    let Some(position) = position else { return false };
    let (TypeKind::Struct(id), ValueDef::Param(function, index)) =
        (module.value_kind(position.operands[0]), module.value(position.operands[0]).def)
    else {
        return false;
    };
    components.iter().all(|component| *component < 2)
        && module.functions[function].params[index as usize].role == ParamRole::StageIn
        && module.structs[id].fields.get(position.int(0) as usize).is_some_and(|field| field.role == FieldRole::Position)
}

fn constant_range(module: &Module, constant: ConstId) -> Option<(f64, f64)> {
    match module.constant(constant) {
        Constant::Scalar(ty, bits) => {
            let value = match module.kind(*ty) {
                TypeKind::Scalar(Scalar::F32) => f64::from(f32::from_bits(*bits as u32)),
                TypeKind::Scalar(Scalar::F16) => half::f16::from_bits(*bits as u16).to_f64(),
                _ => return None,
            };
            (!value.is_nan()).then_some((value, value))
        }
        Constant::Composite(_, parts) => {
            parts.iter().map(|part| constant_range(module, *part)).reduce(|a, b| join(a?, b?)).flatten()
        }
        Constant::Zero(_) => Some((0.0, 0.0)),
    }
}

fn join(a: (f64, f64), b: (f64, f64)) -> Option<(f64, f64)> {
    Some((a.0.min(b.0), a.1.max(b.1)))
}

fn combine(a: (f64, f64), b: (f64, f64), f: impl Fn(f64, f64) -> f64) -> Option<(f64, f64)> {
    let corners = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
    if corners.iter().any(|corner| corner.is_nan()) {
        return None;
    }
    // Room for the rounding of what is computed in fewer bits.
    let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some((low - low.abs() * 1e-3, high + high.abs() * 1e-3))
}

/// The floats that convert to an integer type: from the smallest to the largest below its end.
fn convertible(to: Scalar) -> (f64, f64) {
    match to {
        Scalar::I32 => (-2_147_483_648.0, 2_147_483_520.0),
        Scalar::U64 => (0.0, 18_446_742_974_197_923_840.0),
        Scalar::U32 | Scalar::Bool | Scalar::F16 | Scalar::F32 => (0.0, 4_294_967_040.0),
    }
}

/// A conversion of floats to integers that is defined for all operands, or `None` where it is anyway.
pub fn float_to_integer(r: &mut Rewriter<'_>, value: ValueId, to: Scalar) -> Option<ValueId> {
    let (low, high) = convertible(to);
    if range(r.module, value, 8).is_some_and(|(from, until)| from > low - 1.0 && until <= high) {
        return None;
    }
    let ty = r.type_of(value);
    // A finite half, which may have been widened, is no larger than this.
    let widened = r.module.defining_op(value).map(|op| r.module.op(op)).is_some_and(|op| {
        let from = op.operands.first().and_then(|operand| r.kind(*operand).scalar());
        op.regions.is_empty() && AkariOp::of(op) != Some(AkariOp::Select) && from == Some(Scalar::F16)
    });
    let is_half = widened || r.kind(value).scalar() == Some(Scalar::F16);
    let (low, high) = if is_half { (low.max(-65504.0), high.min(65504.0)) } else { (low, high) };
    let (low, high) = (r.filled(ty, low), r.filled(ty, high));
    let clamped = r.builtin(Builtin::Clamp, &[value, low, high]);
    Some(r.convert(clamped, to))
}
