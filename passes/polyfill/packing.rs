//! The packing builtins as functions of core operations, one of each in a module.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::{FuncId, Scalar, ValueId};
use rustc_hash::FxHashMap;

use crate::rewrite::Rewriter;
use crate::rewrite::functions::NewParam;

/// The functions made so far.
#[derive(Debug, Default)]
pub struct Packing {
    functions: FxHashMap<Builtin, FuncId>,
}

impl Packing {
    /// Calls the function for a packing builtin; nothing where `builtin` is none. The half float ones are left to targets, all of which
    /// have them.
    pub fn call(&mut self, rewriter: &mut Rewriter<'_>, builtin: Builtin, argument: ValueId) -> Option<ValueId> {
        let formula: fn(&mut Rewriter<'_>, ValueId) -> ValueId = match builtin {
            Builtin::PackUnorm4x8 => |r, v| pack_unorm(r, v, 255.0, 8),
            Builtin::PackUnorm2x16 => |r, v| pack_unorm(r, v, 65535.0, 16),
            Builtin::PackSnorm2x16 => pack_snorm,
            Builtin::PackUint4x8 => |r, v| {
                let mask = r.uint(0xFF);
                let bytes = r.binary(AkariOp::And, v, mask);
                joined(r, bytes, 8)
            },
            Builtin::UnpackUnorm4x8 => |r, bits| {
                let bytes = parts(r, bits, 4, 8);
                scaled(r, bytes, 255.0)
            },
            Builtin::UnpackUnorm2x16 => |r, bits| {
                let halves = parts(r, bits, 2, 16);
                scaled(r, halves, 65535.0)
            },
            Builtin::UnpackSnorm2x16 => unpack_snorm,
            Builtin::UnpackUint4x8 => |r, bits| parts(r, bits, 4, 8),
            _ => return None,
        };
        let func = match self.functions.get(&builtin) {
            Some(func) => *func,
            None => {
                let ty = rewriter.module.value_type(argument);
                let result = akari_dialect::signature::result(builtin, &[rewriter.kind(argument)]).ok().flatten()?;
                let result = rewriter.ty(result);
                let param = NewParam::value(if result == ty || builtin.name().starts_with("pack") { "v" } else { "bits" }, ty);
                let func = rewriter.add_function(builtin.name(), &[param], Some(result), |rewriter, params| {
                    Some(formula(rewriter, params[0]))
                });
                self.functions.insert(builtin, func);
                func
            }
        };
        rewriter.call(func, &[argument])
    }
}

/// `uint(clamp(v, 0, 1) * most + 0.5)` of each component, joined.
fn pack_unorm(rewriter: &mut Rewriter<'_>, v: ValueId, most: f32, bits: u32) -> ValueId {
    let clamped = rewriter.builtin(Builtin::Saturate, &[v]);
    let (most, half) = (rewriter.float(most), rewriter.float(0.5));
    let scaled = rewriter.binary(AkariOp::Mul, clamped, most);
    let rounded = rewriter.binary(AkariOp::Add, scaled, half);
    let numbers = rewriter.convert(rounded, Scalar::U32);
    joined(rewriter, numbers, bits)
}

/// `int(floor(clamp(v, -1, 1) * 32767 + 0.5))` of each component, joined.
fn pack_snorm(rewriter: &mut Rewriter<'_>, v: ValueId) -> ValueId {
    let (low, high) = (rewriter.float(-1.0), rewriter.float(1.0));
    let (low, high) = (rewriter.splat(low, 2), rewriter.splat(high, 2));
    let clamped = rewriter.builtin(Builtin::Clamp, &[v, low, high]);
    let (most, half) = (rewriter.float(32767.0), rewriter.float(0.5));
    let scaled = rewriter.binary(AkariOp::Mul, clamped, most);
    let moved = rewriter.binary(AkariOp::Add, scaled, half);
    let rounded = rewriter.builtin(Builtin::Floor, &[moved]);
    let numbers = rewriter.convert(rounded, Scalar::I32);
    let bits = rewriter.convert(numbers, Scalar::U32);
    let mask = rewriter.uint(0xFFFF);
    let halves = rewriter.binary(AkariOp::And, bits, mask);
    joined(rewriter, halves, 16)
}

fn unpack_snorm(rewriter: &mut Rewriter<'_>, bits: ValueId) -> ValueId {
    // The sign of each half is moved to the top and back.
    let sixteen = rewriter.uint(16);
    let low = rewriter.binary(AkariOp::Shl, bits, sixteen);
    let both = rewriter.vector(&[low, bits]);
    let both = rewriter.convert(both, Scalar::I32);
    let numbers = rewriter.binary(AkariOp::Shr, both, sixteen);
    let floats = scaled(rewriter, numbers, 32767.0);
    let least = rewriter.float(-1.0);
    let least = rewriter.splat(least, 2);
    rewriter.builtin(Builtin::Max, &[floats, least])
}

fn scaled(rewriter: &mut Rewriter<'_>, numbers: ValueId, most: f32) -> ValueId {
    let floats = rewriter.convert(numbers, Scalar::F32);
    let most = rewriter.float(most);
    rewriter.binary(AkariOp::Div, floats, most)
}

/// The components side by side, the first lowest; each has no bits beyond its own.
fn joined(rewriter: &mut Rewriter<'_>, numbers: ValueId, bits: u32) -> ValueId {
    let numbers = if rewriter.width_of(numbers) > 1 { rewriter.name(numbers, "n") } else { numbers };
    let mut all = rewriter.extract(numbers, 0);
    for index in 1..u32::from(rewriter.width_of(numbers)) {
        let part = rewriter.extract(numbers, index);
        let count = rewriter.uint(index * bits);
        let moved = rewriter.binary(AkariOp::Shl, part, count);
        all = rewriter.binary(AkariOp::Or, all, moved);
    }
    all
}

/// The unsigned numbers that lie side by side in `word`.
fn parts(rewriter: &mut Rewriter<'_>, word: ValueId, count: u8, bits: u32) -> ValueId {
    let shifted: Vec<ValueId> = (0..u32::from(count))
        .map(|index| {
            if index == 0 {
                return word;
            }
            let by = rewriter.uint(index * bits);
            rewriter.binary(AkariOp::Shr, word, by)
        })
        .collect();
    let all = rewriter.vector(&shifted);
    let mask = rewriter.uint((1 << bits) - 1);
    rewriter.binary(AkariOp::And, all, mask)
}

/// Whether each component is NaN, by its bits, so that no compiler can take it for granted that none is.
pub fn is_nan(rewriter: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let magnitude = magnitude(rewriter, value);
    let infinity = rewriter.uint(0x7F80_0000);
    rewriter.compare(Predicate::Gt, magnitude, infinity)
}

/// Whether each component is an infinity, by its bits.
pub fn is_infinite(rewriter: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let magnitude = magnitude(rewriter, value);
    let infinity = rewriter.uint(0x7F80_0000);
    rewriter.compare(Predicate::Eq, magnitude, infinity)
}

/// The bits without the sign, of the value as an `f32`.
fn magnitude(rewriter: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    let single = rewriter.convert(value, Scalar::F32);
    let bits = rewriter.as_bits(single, Scalar::U32);
    let mask = rewriter.uint(0x7FFF_FFFF);
    rewriter.binary(AkariOp::And, bits, mask)
}

