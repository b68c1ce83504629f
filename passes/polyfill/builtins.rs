//! Builtins written out in terms of others, by the formulas of the language.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::{Scalar, TypeKind, ValueId};

use super::rewriter::Build;

/// `a + (b - a) * t`
pub fn mix(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let (from, to, t) = (operands[0], operands[1], operands[2]);
    let difference = b.binary(AkariOp::Sub, to, from);
    let part = b.binary(AkariOp::Mul, difference, t);
    b.binary(AkariOp::Add, from, part)
}

/// `x - floor(x)`
pub fn fract(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let floor = b.same(Builtin::Floor, operands);
    b.binary(AkariOp::Sub, operands[0], floor)
}

/// `x < edge ? 0.0 : 1.0`: what is no number is not below anything.
pub fn step(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let ty = b.type_of(operands[1]);
    let (below, at_least) = (b.number(ty, 0.0), b.number(ty, 1.0));
    let is_below = b.compare(Predicate::Lt, operands[1], operands[0]);
    b.select(is_below, below, at_least)
}

/// `min(a, min(b, c))` and its like for `max`.
pub fn of_three(b: &mut Build<'_, '_>, two: Builtin, operands: &[ValueId]) -> ValueId {
    let first = b.same(two, &operands[..2]);
    b.same(two, &[first, operands[2]])
}

/// `max(min(a, b), min(max(a, b), c))`
pub fn median(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let low = b.same(Builtin::Min, &operands[..2]);
    let high = b.same(Builtin::Max, &operands[..2]);
    let high = b.same(Builtin::Min, &[high, operands[2]]);
    b.same(Builtin::Max, &[low, high])
}

/// `float4(p.xy, (p.z + p.w) * 0.5, p.w)`
pub fn remap_clip_z(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let position = operands[0];
    let ty = b.type_of(position);
    let xy = b.swizzle(position, &[0, 1]);
    let (z, w) = (b.component(position, 2), b.component(position, 3));
    let sum = b.binary(AkariOp::Add, z, w);
    let scalar = b.type_of(sum);
    let half = b.number(scalar, 0.5);
    let z = b.binary(AkariOp::Mul, sum, half);
    b.construct(ty, &[xy, z, w])
}

/// The magnitude bits of `f32`s, all but the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
/// The bits of infinity.
const INFINITY: u32 = 0x7f80_0000;

/// Whether a float is a NaN (`Predicate::Gt`) or an infinity (`Predicate::Eq`), by its bits, since fast math may take neither to exist.
pub fn by_bits(b: &mut Build<'_, '_>, predicate: Predicate, operands: &[ValueId]) -> ValueId {
    let value = b.convert(operands[0], Scalar::F32);
    let like = b.type_of(value);
    let bits_type = b.shaped(like, Scalar::U32);
    let bits = b.builtin(Builtin::AsUint, &[value], bits_type);
    let mask = b.u32(MAGNITUDE);
    let magnitude = b.op(AkariOp::And, &[bits, mask], bits_type);
    let infinity = b.u32(INFINITY);
    b.compare(predicate, magnitude, infinity)
}

/// `offset` clamped to the width, and `count` to what is left of it.
fn clamp_field(b: &mut Build<'_, '_>, offset: ValueId, count: ValueId) -> (ValueId, ValueId) {
    let width = b.u32(32);
    let start = b.same(Builtin::Min, &[offset, width]);
    let start = b.named(start, "start");
    let left = b.binary(AkariOp::Sub, width, start);
    let bits = b.same(Builtin::Min, &[count, left]);
    let bits = b.named(bits, "bits");
    (start, bits)
}

/// The low `bits` (0 to 32) set: `bits == 32 ? ~0 : (1 << bits) - 1`.
fn mask(b: &mut Build<'_, '_>, bits: ValueId) -> ValueId {
    let uint = b.type_of(bits);
    let (one, width, all) = (b.u32(1), b.u32(32), b.u32(u32::MAX));
    let shifted = b.op(AkariOp::Shl, &[one, bits], uint);
    let partial = b.binary(AkariOp::Sub, shifted, one);
    let is_partial = b.compare(Predicate::Lt, bits, width);
    b.select(is_partial, partial, all)
}

/// `extract_bits` as a function of its own: the field is clamped to the word, an empty one gives 0.
pub fn extract_bits(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let ty = b.type_of(operands[0]);
    b.helper("extract_bits", &["value", "offset", "count"], operands, ty, |b, params| {
        let (start, bits) = clamp_field(b, params[1], params[2]);
        let unsigned = as_unsigned(b, params[0]);
        let uint = b.type_of(unsigned);
        let count = shift_count(b, start);
        let shifted = b.op(AkariOp::Shr, &[unsigned, count], uint);
        let mask = mask(b, bits);
        let field = b.op(AkariOp::And, &[shifted, mask], uint);
        as_type_of(b, field, params[0])
    })
}

/// `insert_bits` as a function of its own.
pub fn insert_bits(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let ty = b.type_of(operands[0]);
    b.helper("insert_bits", &["value", "inserted", "offset", "count"], operands, ty, |b, params| {
        let (start, bits) = clamp_field(b, params[2], params[3]);
        let count = shift_count(b, start);
        let low = mask(b, bits);
        let uint = b.type_of(low);
        let field = b.op(AkariOp::Shl, &[low, count], uint);
        let field = b.named(field, "field");
        let base = as_unsigned(b, params[0]);
        let inserted = as_unsigned(b, params[1]);
        let shape = b.type_of(base);
        let moved = b.op(AkariOp::Shl, &[inserted, count], shape);
        let moved = b.op(AkariOp::And, &[moved, field], shape);
        let others = b.op(AkariOp::BitNot, &[field], uint);
        let kept = b.op(AkariOp::And, &[base, others], shape);
        let result = b.op(AkariOp::Or, &[kept, moved], shape);
        as_type_of(b, result, params[0])
    })
}

/// Shifts take their count modulo 32; a field that starts at 32 is empty, so that its count matters no longer.
fn shift_count(b: &mut Build<'_, '_>, start: ValueId) -> ValueId {
    let last = b.u32(31);
    let uint = b.type_of(start);
    b.op(AkariOp::And, &[start, last], uint)
}

fn as_unsigned(b: &mut Build<'_, '_>, value: ValueId) -> ValueId {
    let like = b.type_of(value);
    match b.kind_of(value).scalar() {
        Some(Scalar::I32) => {
            let ty = b.shaped(like, Scalar::U32);
            b.builtin(Builtin::AsUint, &[value], ty)
        }
        _ => value,
    }
}

fn as_type_of(b: &mut Build<'_, '_>, value: ValueId, like: ValueId) -> ValueId {
    let ty = b.type_of(like);
    match b.kind_of(like).scalar() {
        Some(Scalar::I32) => b.builtin(Builtin::AsInt, &[value], ty),
        _ => value,
    }
}

/// The components of a `uintN` in the bytes or halves of a `u32`, x lowest.
fn combine(b: &mut Build<'_, '_>, parts: ValueId, bits: u32) -> ValueId {
    let width = b.kind_of(parts).width().unwrap_or(1);
    let mut all = b.component(parts, 0);
    for index in 1..width {
        let part = b.component(parts, i64::from(index));
        let part = b.shift(AkariOp::Shl, part, u32::from(index) * bits);
        all = b.binary(AkariOp::Or, all, part);
    }
    all
}

/// The bytes or halves of a `u32` as the components of a `uintN`, x lowest.
fn separate(b: &mut Build<'_, '_>, word: ValueId, bits: u32) -> ValueId {
    let width = 32 / bits;
    let mut parts = Vec::new();
    let uint = b.type_of(word);
    for index in 0..width {
        let shifted = if index == 0 { word } else { b.shift(AkariOp::Shr, word, index * bits) };
        let mask = b.u32((1 << bits) - 1);
        parts.push(if index + 1 == width { shifted } else { b.op(AkariOp::And, &[shifted, mask], uint) });
    }
    let ty = b.ty(TypeKind::Vector(Scalar::U32, width as u8));
    b.construct(ty, &parts)
}

/// `uint(clamp(v, 0, 1) * scale + 0.5)`, each in `bits` bits.
pub fn pack_unorm(b: &mut Build<'_, '_>, name: &'static str, bits: u32, operands: &[ValueId]) -> ValueId {
    let uint = b.ty(TypeKind::Scalar(Scalar::U32));
    b.helper(name, &["value"], operands, uint, |b, params| {
        let ty = b.type_of(params[0]);
        let (low, high) = (b.number(ty, 0.0), b.number(ty, 1.0));
        let clamped = b.same(Builtin::Clamp, &[params[0], low, high]);
        let scalar = b.ty(TypeKind::Scalar(Scalar::F32));
        let scale = b.number(scalar, f64::from((1u32 << bits) - 1));
        let half = b.number(scalar, 0.5);
        let scaled = b.op(AkariOp::Mul, &[clamped, scale], ty);
        let rounded = b.op(AkariOp::Add, &[scaled, half], ty);
        let parts = b.convert(rounded, Scalar::U32);
        let parts = b.named(parts, "parts");
        combine(b, parts, bits)
    })
}

/// `float(part) / scale`
pub fn unpack_unorm(b: &mut Build<'_, '_>, name: &'static str, bits: u32, operands: &[ValueId]) -> ValueId {
    let ty = b.ty(TypeKind::Vector(Scalar::F32, (32 / bits) as u8));
    b.helper(name, &["packed"], operands, ty, |b, params| {
        let parts = separate(b, params[0], bits);
        let floats = b.convert(parts, Scalar::F32);
        let scalar = b.ty(TypeKind::Scalar(Scalar::F32));
        let scale = b.number(scalar, f64::from((1u32 << bits) - 1));
        b.op(AkariOp::Div, &[floats, scale], ty)
    })
}

/// `int(floor(clamp(v, -1, 1) * 32767.0 + 0.5))` in each half.
pub fn pack_snorm2x16(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let uint = b.ty(TypeKind::Scalar(Scalar::U32));
    b.helper("pack_snorm2x16", &["value"], operands, uint, |b, params| {
        let ty = b.type_of(params[0]);
        let (low, high) = (b.number(ty, -1.0), b.number(ty, 1.0));
        let clamped = b.same(Builtin::Clamp, &[params[0], low, high]);
        let scalar = b.ty(TypeKind::Scalar(Scalar::F32));
        let (scale, half) = (b.number(scalar, 32767.0), b.number(scalar, 0.5));
        let scaled = b.op(AkariOp::Mul, &[clamped, scale], ty);
        let moved = b.op(AkariOp::Add, &[scaled, half], ty);
        let floor = b.same(Builtin::Floor, &[moved]);
        let signed = b.convert(floor, Scalar::I32);
        let bits_type = b.shaped(ty, Scalar::U32);
        let bits = b.builtin(Builtin::AsUint, &[signed], bits_type);
        let mask = b.u32(0xffff);
        let parts = b.op(AkariOp::And, &[bits, mask], bits_type);
        let parts = b.named(parts, "parts");
        combine(b, parts, 16)
    })
}

/// `max(float(signed half) / 32767.0, -1.0)`
pub fn unpack_snorm2x16(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let ty = b.ty(TypeKind::Vector(Scalar::F32, 2));
    b.helper("unpack_snorm2x16", &["packed"], operands, ty, |b, params| {
        let int = b.ty(TypeKind::Scalar(Scalar::I32));
        let word = b.builtin(Builtin::AsInt, &[params[0]], int);
        let word = b.named(word, "word");
        let high = b.shift(AkariOp::Shr, word, 16);
        let low = b.shift(AkariOp::Shl, word, 16);
        let low = b.shift(AkariOp::Shr, low, 16);
        let pair = b.ty(TypeKind::Vector(Scalar::I32, 2));
        let parts = b.construct(pair, &[low, high]);
        let floats = b.convert(parts, Scalar::F32);
        let scalar = b.ty(TypeKind::Scalar(Scalar::F32));
        let scale = b.number(scalar, 32767.0);
        let scaled = b.op(AkariOp::Div, &[floats, scale], ty);
        let lowest = b.number(ty, -1.0);
        b.same(Builtin::Max, &[scaled, lowest])
    })
}

/// Each component masked to 8 bits.
pub fn pack_uint4x8(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let uint = b.ty(TypeKind::Scalar(Scalar::U32));
    b.helper("pack_uint4x8", &["value"], operands, uint, |b, params| {
        let mask = b.u32(0xff);
        let ty = b.type_of(params[0]);
        let parts = b.op(AkariOp::And, &[params[0], mask], ty);
        let parts = b.named(parts, "parts");
        combine(b, parts, 8)
    })
}

/// The four bytes.
pub fn unpack_uint4x8(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let ty = b.ty(TypeKind::Vector(Scalar::U32, 4));
    b.helper("unpack_uint4x8", &["packed"], operands, ty, |b, params| separate(b, params[0], 8))
}

/// The bits of the halves nearest to two floats, ties to even, written in integers since targets differ in how they round.
pub fn pack_half2x16(b: &mut Build<'_, '_>, operands: &[ValueId]) -> ValueId {
    let uint = b.ty(TypeKind::Scalar(Scalar::U32));
    b.helper("pack_half2x16", &["value"], operands, uint, |b, params| {
        let pair = b.ty(TypeKind::Vector(Scalar::U32, 2));
        let bits = b.builtin(Builtin::AsUint, &[params[0]], pair);
        let bits = b.named(bits, "bits");
        let mask = b.u32(MAGNITUDE);
        let magnitude = b.op(AkariOp::And, &[bits, mask], pair);
        let magnitude = b.named(magnitude, "magnitude");

        // A normal half: rebias the exponent, round at bit 13, and let what is too large be infinity.
        let odd = b.shift(AkariOp::Shr, magnitude, 13);
        let one = b.u32(1);
        let odd = b.op(AkariOp::And, &[odd, one], pair);
        let bias = b.u32(0x3800_0000 - 0x0fff);
        let rebiased = b.op(AkariOp::Sub, &[magnitude, bias], pair);
        let rounded = b.op(AkariOp::Add, &[rebiased, odd], pair);
        let rounded = b.shift(AkariOp::Shr, rounded, 13);
        let infinity = b.filled(pair, Scalar::U32, 0x7c00);
        let normal = b.same(Builtin::Min, &[rounded, infinity]);
        let normal = b.named(normal, "normal");

        // A subnormal half counts units of 2^-24.
        let floats = b.ty(TypeKind::Vector(Scalar::F32, 2));
        let absolute = b.builtin(Builtin::AsFloat, &[magnitude], floats);
        let scalar = b.ty(TypeKind::Scalar(Scalar::F32));
        let unit = b.number(scalar, 16_777_216.0);
        let units = b.op(AkariOp::Mul, &[absolute, unit], floats);
        let largest = b.number(floats, 1024.0);
        let units = b.same(Builtin::Min, &[units, largest]);
        let units = b.same(Builtin::Round, &[units]);
        let subnormal = b.convert(units, Scalar::U32);
        let subnormal = b.named(subnormal, "subnormal");

        let smallest_normal = b.u32(0x3880_0000);
        let is_small = b.compare(Predicate::Lt, magnitude, smallest_normal);
        let finite = b.select(is_small, subnormal, normal);
        let infinite = b.u32(INFINITY);
        let is_nan = b.compare(Predicate::Gt, magnitude, infinite);
        let nan = b.filled(pair, Scalar::U32, 0x7e00);
        let halves = b.select(is_nan, nan, finite);
        let sign = b.shift(AkariOp::Shr, bits, 16);
        let sign_mask = b.u32(0x8000);
        let sign = b.op(AkariOp::And, &[sign, sign_mask], pair);
        let halves = b.op(AkariOp::Or, &[halves, sign], pair);
        let halves = b.named(halves, "halves");
        combine(b, halves, 16)
    })
}
