//! Builtins written out in terms of others, by the formulas of the language.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::{Scalar, TypeKind, ValueId};

use crate::rewrite::Rewriter;

/// `a + (b - a) * t`
pub fn mix(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let (from, to, t) = (operands[0], operands[1], operands[2]);
    let difference = r.binary(AkariOp::Sub, to, from);
    let part = r.binary(AkariOp::Mul, difference, t);
    r.binary(AkariOp::Add, from, part)
}

/// `x - floor(x)`
pub fn fract(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let floor = r.builtin(Builtin::Floor, operands);
    r.binary(AkariOp::Sub, operands[0], floor)
}

/// `x < edge ? 0.0 : 1.0`: what is no number is not below anything.
pub fn step(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let ty = r.type_of(operands[1]);
    let (below, at_least) = (r.filled(ty, 0.0), r.filled(ty, 1.0));
    let is_below = r.compare(Predicate::Lt, operands[1], operands[0]);
    r.select(is_below, below, at_least)
}

/// `min(a, min(r, c))` and its like for `max`.
pub fn of_three(r: &mut Rewriter<'_>, two: Builtin, operands: &[ValueId]) -> ValueId {
    let first = r.builtin(two, &operands[..2]);
    r.builtin(two, &[first, operands[2]])
}

/// `max(min(a, b), min(max(a, b), c))`
pub fn median(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let low = r.builtin(Builtin::Min, &operands[..2]);
    let high = r.builtin(Builtin::Max, &operands[..2]);
    let high = r.builtin(Builtin::Min, &[high, operands[2]]);
    r.builtin(Builtin::Max, &[low, high])
}

/// `float4(p.xy, (p.z + p.w) * 0.5, p.w)`
pub fn remap_clip_z(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let position = operands[0];
    let ty = r.type_of(position);
    let xy = r.swizzle(position, &[0, 1]);
    let (z, w) = (r.extract_component(position, 2), r.extract_component(position, 3));
    let sum = r.binary(AkariOp::Add, z, w);
    let scalar = r.type_of(sum);
    let half = r.filled(scalar, 0.5);
    let z = r.binary(AkariOp::Mul, sum, half);
    r.construct(ty, &[xy, z, w])
}

/// The magnitude bits of `f32`s, all but the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
/// The bits of infinity.
const INFINITY: u32 = 0x7f80_0000;

/// Whether a float is a NaN (`Predicate::Gt`) or an infinity (`Predicate::Eq`), by its bits, since fast math may take neither to exist.
pub fn by_bits(r: &mut Rewriter<'_>, predicate: Predicate, operands: &[ValueId]) -> ValueId {
    let value = r.convert(operands[0], Scalar::F32);
    let bits = r.builtin(Builtin::AsUint, &[value]);
    let mask = r.uint(MAGNITUDE);
    let magnitude = r.binary(AkariOp::And, bits, mask);
    let infinity = r.uint(INFINITY);
    r.compare(predicate, magnitude, infinity)
}

/// `offset` clamped to the width, and `count` to what is left of it.
fn clamp_field(r: &mut Rewriter<'_>, offset: ValueId, count: ValueId) -> (ValueId, ValueId) {
    let width = r.uint(32);
    let start = r.builtin(Builtin::Min, &[offset, width]);
    let start = r.name(start, "start");
    let left = r.binary(AkariOp::Sub, width, start);
    let bits = r.builtin(Builtin::Min, &[count, left]);
    let bits = r.name(bits, "bits");
    (start, bits)
}

/// The low `bits` (0 to 32) set: `bits == 32 ? ~0 : (1 << bits) - 1`.
fn mask(r: &mut Rewriter<'_>, bits: ValueId) -> ValueId {
    // By two shifts, since one by 32 is none. No choice: where DXC keeps infinities, its optimizer may drop the arm of a choice that
    // `min`s of constants come into.
    let one = r.uint(1);
    let half = r.binary(AkariOp::Shr, bits, one);
    let half = r.name(half, "half_of_bits");
    let rest = r.binary(AkariOp::Sub, bits, half);
    let shifted = r.binary(AkariOp::Shl, one, half);
    let shifted = r.binary(AkariOp::Shl, shifted, rest);
    r.binary(AkariOp::Sub, shifted, one)
}

/// `extract_bits` as a function of its own: the field is clamped to the word, an empty one gives 0.
pub fn extract_bits(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let ty = r.type_of(operands[0]);
    r.helper("extract_bits", &["value", "offset", "count"], operands, ty, |r, params| {
        let (start, bits) = clamp_field(r, params[1], params[2]);
        let unsigned = as_unsigned(r, params[0]);
        let count = shift_count(r, start);
        let shifted = r.binary(AkariOp::Shr, unsigned, count);
        let mask = mask(r, bits);
        let field = r.binary(AkariOp::And, shifted, mask);
        as_type_of(r, field, params[0])
    })
}

/// `insert_bits` as a function of its own.
pub fn insert_bits(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let ty = r.type_of(operands[0]);
    r.helper("insert_bits", &["value", "inserted", "offset", "count"], operands, ty, |r, params| {
        let (start, bits) = clamp_field(r, params[2], params[3]);
        let count = shift_count(r, start);
        let low = mask(r, bits);
        let field = r.binary(AkariOp::Shl, low, count);
        let field = r.name(field, "field");
        let base = as_unsigned(r, params[0]);
        let inserted = as_unsigned(r, params[1]);
        let moved = r.binary(AkariOp::Shl, inserted, count);
        let moved = r.binary(AkariOp::And, moved, field);
        let others = r.unary(AkariOp::BitNot, field);
        let kept = r.binary(AkariOp::And, base, others);
        let result = r.binary(AkariOp::Or, kept, moved);
        as_type_of(r, result, params[0])
    })
}

/// Shifts take their count modulo 32; a field that starts at 32 is empty, so that its count matters no longer.
fn shift_count(r: &mut Rewriter<'_>, start: ValueId) -> ValueId {
    let last = r.uint(31);
    r.binary(AkariOp::And, start, last)
}

fn as_unsigned(r: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    match r.kind(value).scalar() {
        Some(Scalar::I32) => r.builtin(Builtin::AsUint, &[value]),
        _ => value,
    }
}

fn as_type_of(r: &mut Rewriter<'_>, value: ValueId, like: ValueId) -> ValueId {
    match r.kind(like).scalar() {
        Some(Scalar::I32) => r.builtin(Builtin::AsInt, &[value]),
        _ => value,
    }
}

/// The components of a `uintN` in the bytes or halves of a `u32`, x lowest.
fn combine(r: &mut Rewriter<'_>, parts: ValueId, bits: u32) -> ValueId {
    let width = r.kind(parts).width().unwrap_or(1);
    let mut all = r.extract_component(parts, 0);
    for index in 1..width {
        let part = r.extract_component(parts, index);
        let part = r.shift(AkariOp::Shl, part, u32::from(index) * bits);
        all = r.binary(AkariOp::Or, all, part);
    }
    all
}

/// The bytes or halves of a `u32` as the components of a `uintN`, x lowest.
fn separate(r: &mut Rewriter<'_>, word: ValueId, bits: u32) -> ValueId {
    let width = 32 / bits;
    let mut parts = Vec::new();
    for index in 0..width {
        let shifted = if index == 0 { word } else { r.shift(AkariOp::Shr, word, index * bits) };
        let mask = r.uint((1 << bits) - 1);
        parts.push(if index + 1 == width { shifted } else { r.binary(AkariOp::And, shifted, mask) });
    }
    let ty = r.ty(TypeKind::Vector(Scalar::U32, width as u8));
    r.construct(ty, &parts)
}

/// `uint(clamp(v, 0, 1) * scale + 0.5)`, each in `bits` bits.
pub fn pack_unorm(r: &mut Rewriter<'_>, name: &'static str, bits: u32, operands: &[ValueId]) -> ValueId {
    let uint = r.ty(TypeKind::Scalar(Scalar::U32));
    r.helper(name, &["value"], operands, uint, |r, params| {
        let ty = r.type_of(params[0]);
        let (low, high) = (r.filled(ty, 0.0), r.filled(ty, 1.0));
        let clamped = r.builtin(Builtin::Clamp, &[params[0], low, high]);
        let scalar = r.ty(TypeKind::Scalar(Scalar::F32));
        let scale = r.filled(scalar, f64::from((1u32 << bits) - 1));
        let half = r.filled(scalar, 0.5);
        let scaled = r.binary(AkariOp::Mul, clamped, scale);
        let rounded = r.binary(AkariOp::Add, scaled, half);
        let parts = r.convert(rounded, Scalar::U32);
        let parts = r.name(parts, "parts");
        combine(r, parts, bits)
    })
}

/// `float(part) / scale`
pub fn unpack_unorm(r: &mut Rewriter<'_>, name: &'static str, bits: u32, operands: &[ValueId]) -> ValueId {
    let ty = r.ty(TypeKind::Vector(Scalar::F32, (32 / bits) as u8));
    r.helper(name, &["packed"], operands, ty, |r, params| {
        let parts = separate(r, params[0], bits);
        let floats = r.convert(parts, Scalar::F32);
        let scalar = r.ty(TypeKind::Scalar(Scalar::F32));
        let scale = r.filled(scalar, f64::from((1u32 << bits) - 1));
        r.binary(AkariOp::Div, floats, scale)
    })
}

/// `int(floor(clamp(v, -1, 1) * 32767.0 + 0.5))` in each half.
pub fn pack_snorm2x16(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let uint = r.ty(TypeKind::Scalar(Scalar::U32));
    r.helper("pack_snorm2x16", &["value"], operands, uint, |r, params| {
        let ty = r.type_of(params[0]);
        let (low, high) = (r.filled(ty, -1.0), r.filled(ty, 1.0));
        let clamped = r.builtin(Builtin::Clamp, &[params[0], low, high]);
        let scalar = r.ty(TypeKind::Scalar(Scalar::F32));
        let (scale, half) = (r.filled(scalar, 32767.0), r.filled(scalar, 0.5));
        let scaled = r.binary(AkariOp::Mul, clamped, scale);
        let moved = r.binary(AkariOp::Add, scaled, half);
        let floor = r.builtin(Builtin::Floor, &[moved]);
        let signed = r.convert(floor, Scalar::I32);
        let bits = r.builtin(Builtin::AsUint, &[signed]);
        let mask = r.uint(0xffff);
        let parts = r.binary(AkariOp::And, bits, mask);
        let parts = r.name(parts, "parts");
        combine(r, parts, 16)
    })
}

/// `max(float(signed half) / 32767.0, -1.0)`
pub fn unpack_snorm2x16(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let ty = r.ty(TypeKind::Vector(Scalar::F32, 2));
    r.helper("unpack_snorm2x16", &["packed"], operands, ty, |r, params| {
        let word = r.builtin(Builtin::AsInt, &[params[0]]);
        let high = r.shift(AkariOp::Shr, word, 16);
        let low = r.shift(AkariOp::Shl, params[0], 16);
        let low = r.builtin(Builtin::AsInt, &[low]);
        let low = r.shift(AkariOp::Shr, low, 16);
        let pair = r.ty(TypeKind::Vector(Scalar::I32, 2));
        let parts = r.construct(pair, &[low, high]);
        let floats = r.convert(parts, Scalar::F32);
        let scalar = r.ty(TypeKind::Scalar(Scalar::F32));
        let scale = r.filled(scalar, 32767.0);
        let scaled = r.binary(AkariOp::Div, floats, scale);
        let lowest = r.filled(ty, -1.0);
        r.builtin(Builtin::Max, &[scaled, lowest])
    })
}

/// Each component masked to 8 bits.
pub fn pack_uint4x8(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let uint = r.ty(TypeKind::Scalar(Scalar::U32));
    r.helper("pack_uint4x8", &["value"], operands, uint, |r, params| {
        let mask = r.uint(0xff);
        let parts = r.binary(AkariOp::And, params[0], mask);
        let parts = r.name(parts, "parts");
        combine(r, parts, 8)
    })
}

/// The four bytes.
pub fn unpack_uint4x8(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let ty = r.ty(TypeKind::Vector(Scalar::U32, 4));
    r.helper("unpack_uint4x8", &["packed"], operands, ty, |r, params| separate(r, params[0], 8))
}

/// The bits of the halves nearest to two floats, ties to even, written in integers since targets differ in how they round.
pub fn pack_half2x16(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let uint = r.ty(TypeKind::Scalar(Scalar::U32));
    r.helper("pack_half2x16", &["value"], operands, uint, |r, params| {
        let pair = r.ty(TypeKind::Vector(Scalar::U32, 2));
        let bits = r.builtin(Builtin::AsUint, &[params[0]]);
        let bits = r.name(bits, "bits");
        let mask = r.uint(MAGNITUDE);
        let magnitude = r.binary(AkariOp::And, bits, mask);
        let magnitude = r.name(magnitude, "magnitude");

        // A normal half: rebias the exponent, round at bit 13, and let what is too large be infinity.
        let odd = r.shift(AkariOp::Shr, magnitude, 13);
        let one = r.uint(1);
        let odd = r.binary(AkariOp::And, odd, one);
        let bias = r.uint(0x3800_0000 - 0x0fff);
        let rebiased = r.binary(AkariOp::Sub, magnitude, bias);
        let rounded = r.binary(AkariOp::Add, rebiased, odd);
        let rounded = r.shift(AkariOp::Shr, rounded, 13);
        let infinity = r.filled_bits(pair, 0x7c00);
        let normal = r.builtin(Builtin::Min, &[rounded, infinity]);
        let normal = r.name(normal, "normal");

        // A subnormal half counts units of 2^-24.
        let floats = r.ty(TypeKind::Vector(Scalar::F32, 2));
        let absolute = r.builtin(Builtin::AsFloat, &[magnitude]);
        let scalar = r.ty(TypeKind::Scalar(Scalar::F32));
        let unit = r.filled(scalar, 16_777_216.0);
        let units = r.binary(AkariOp::Mul, absolute, unit);
        let largest = r.filled(floats, 1024.0);
        let units = r.builtin(Builtin::Min, &[units, largest]);
        let units = r.builtin(Builtin::Round, &[units]);
        let subnormal = r.convert(units, Scalar::U32);
        let subnormal = r.name(subnormal, "subnormal");

        let smallest_normal = r.uint(0x3880_0000);
        let is_small = r.compare(Predicate::Lt, magnitude, smallest_normal);
        let finite = r.select(is_small, subnormal, normal);
        let infinite = r.uint(INFINITY);
        let is_nan = r.compare(Predicate::Gt, magnitude, infinite);
        let nan = r.filled_bits(pair, 0x7e00);
        let halves = r.select(is_nan, nan, finite);
        let sign = r.shift(AkariOp::Shr, bits, 16);
        let sign_mask = r.uint(0x8000);
        let sign = r.binary(AkariOp::And, sign, sign_mask);
        let halves = r.binary(AkariOp::Or, halves, sign);
        let halves = r.name(halves, "halves");
        combine(r, halves, 16)
    })
}
