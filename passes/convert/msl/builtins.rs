//! `msl-builtins`: builtins that Metal's library does not have, or has with another meaning, are said in terms of those it has.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_dialect_msl::MslOp;
use akari_ir::{OpId, Scalar, ValueId};

use crate::analysis::float_range::FloatRange;
use crate::analysis::range::Range;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::polyfill::builtins as formulas;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct MslBuiltins;

impl Pass for MslBuiltins {
    const NAME: &'static str = "msl-builtins";
    const SUMMARY: &'static str = "say builtins that Metal lacks in terms of those it has";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut akari_ir::Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut convert);
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

fn convert(r: &mut Rewriter<'_>, op: OpId) -> Outcome {
    if AkariOp::of(r.module.op(op)) != Some(AkariOp::Builtin) {
        return Outcome::Keep;
    }
    let builtin = Builtin::from_index(r.module.op(op).enumerated(0));
    let operands = r.module.op(op).operands.to_vec();
    value(r, builtin, &operands).map_or(Outcome::Keep, Outcome::Replace)
}

fn value(r: &mut Rewriter<'_>, builtin: Builtin, operands: &[ValueId]) -> Option<ValueId> {
    let is_float = |r: &Rewriter<'_>, value| r.scalar_of(value).is_some_and(Scalar::is_float);
    match (builtin, operands) {
        // Only single precision has functions that promise to tell NaN from numbers.
        (Builtin::Min | Builtin::Max | Builtin::Clamp | Builtin::Saturate, &[first, ..])
            if r.scalar_of(first) == Some(Scalar::F16) =>
        {
            let singles: Vec<ValueId> = operands.iter().map(|operand| r.convert(*operand, Scalar::F32)).collect();
            let clamped = match singles[..] {
                [x, low, high] => clamp(r, x, low, high),
                _ => None,
            };
            let result = clamped.unwrap_or_else(|| r.builtin(builtin, &singles));
            Some(r.convert(result, Scalar::F16))
        }
        (Builtin::Clamp, &[x, low, high]) => clamp(r, x, low, high),
        (Builtin::Sign, &[x]) if !is_float(r, x) => {
            let width = r.width_of(x);
            let (low, high) = (r.number(Scalar::I32, -1), r.number(Scalar::I32, 1));
            let (low, high) = (r.splat(low, width), r.splat(high, width));
            Some(r.builtin(Builtin::Clamp, &[x, low, high]))
        }
        // Metal's gives -0 for -0.
        (Builtin::Sign, &[x]) => {
            let sign = r.builtin(Builtin::Sign, &[x]);
            let zero = r.filled(r.type_of(x), 0.0);
            Some(r.binary(AkariOp::Add, sign, zero))
        }
        (Builtin::Any | Builtin::All, &[x]) if r.width_of(x) == 1 => Some(x),
        (Builtin::Select, &[a, b, condition]) => Some(r.select(condition, b, a)),
        (Builtin::Min3 | Builtin::Max3 | Builtin::Median3, &[a, b, c]) => {
            let scalar = r.scalar_of(a)?;
            // As for two.
            let through = if scalar == Scalar::F16 { Scalar::F32 } else { scalar };
            let (a, b, c) = (r.convert(a, through), r.convert(b, through), r.convert(c, through));
            let result = match builtin {
                Builtin::Min3 => formulas::of_three(r, Builtin::Min, &[a, b, c]),
                Builtin::Max3 => formulas::of_three(r, Builtin::Max, &[a, b, c]),
                _ => formulas::median(r, &[a, b, c]),
            };
            Some(r.convert(result, scalar))
        }
        (Builtin::CountBits, &[x]) if r.scalar_of(x) == Some(Scalar::I32) => {
            let bits = r.convert(x, Scalar::U32);
            Some(r.builtin(Builtin::CountBits, &[bits]))
        }
        (Builtin::FirstBitLow, &[x]) => {
            let bits = r.convert(x, Scalar::U32);
            let zeros = zeros(r, MslOp::CountTrailingZeros, bits);
            let (none, all) = (r.uint(0), r.uint(u32::MAX));
            let all = r.splat(all, r.width_of(bits));
            let is_zero = r.compare(Predicate::Eq, bits, none);
            Some(r.select(is_zero, all, zeros))
        }
        (Builtin::FirstBitHigh, &[x]) => {
            let bits = if r.scalar_of(x) == Some(Scalar::I32) {
                // The complement of a negative number.
                let count = r.uint(31);
                let sign = r.binary(AkariOp::Shr, x, count);
                let magnitude = r.binary(AkariOp::Xor, x, sign);
                r.convert(magnitude, Scalar::U32)
            } else {
                x
            };
            // There are 32 leading zeros of 0, which gives all ones.
            let zeros = zeros(r, MslOp::CountLeadingZeros, bits);
            let top = r.uint(31);
            Some(r.binary(AkariOp::Sub, top, zeros))
        }
        (Builtin::ExtractBits, &[x, offset, count]) => {
            let bits = r.convert(x, Scalar::U32);
            let (clamped, count_within) = bit_range(r, offset, count);
            if (bits, clamped, count_within) == (x, offset, count) {
                return None;
            }
            let extracted = r.builtin(Builtin::ExtractBits, &[bits, clamped, count_within]);
            let scalar = r.scalar_of(x)?;
            Some(r.convert(extracted, scalar))
        }
        (Builtin::InsertBits, &[base, x, offset, count]) => {
            let (whole, part) = (r.convert(base, Scalar::U32), r.convert(x, Scalar::U32));
            let (clamped, count_within) = bit_range(r, offset, count);
            if (whole, part, clamped, count_within) == (base, x, offset, count) {
                return None;
            }
            let inserted = r.builtin(Builtin::InsertBits, &[whole, part, clamped, count_within]);
            let scalar = r.scalar_of(base)?;
            Some(r.convert(inserted, scalar))
        }
        (Builtin::AsUint, &[x]) if r.scalar_of(x) == Some(Scalar::U32) => Some(x),
        (Builtin::AsInt, &[x]) if r.scalar_of(x) == Some(Scalar::I32) => Some(x),
        (Builtin::AsFloat, &[x]) if r.scalar_of(x) == Some(Scalar::F32) => Some(x),
        (Builtin::WaveCount, &[vote]) => {
            let number = vote_number(r, vote);
            Some(r.builtin(Builtin::WaveSum, &[number]))
        }
        (Builtin::WavePrefixCount, &[vote]) => {
            let number = vote_number(r, vote);
            Some(r.builtin(Builtin::WavePrefixSum, &[number]))
        }
        (Builtin::WaveReadFirst, &[x]) => wave_read_first(r, x),
        _ => formula(r, builtin, operands),
    }
}

/// The builtins that are written out alike for all targets that lack them.
fn formula(r: &mut Rewriter<'_>, builtin: Builtin, operands: &[ValueId]) -> Option<ValueId> {
    let name = builtin.name();
    Some(match builtin {
        Builtin::Fract => formulas::fract(r, operands),
        Builtin::Mix => formulas::mix(r, operands),
        Builtin::IsNan => formulas::by_bits(r, Predicate::Gt, operands),
        Builtin::IsInf => formulas::by_bits(r, Predicate::Eq, operands),
        Builtin::RemapClipZ => formulas::remap_clip_z(r, operands),
        Builtin::PackUnorm4x8 => formulas::pack_unorm(r, name, 8, operands),
        Builtin::PackUnorm2x16 => formulas::pack_unorm(r, name, 16, operands),
        Builtin::UnpackUnorm4x8 => formulas::unpack_unorm(r, name, 8, operands),
        Builtin::UnpackUnorm2x16 => formulas::unpack_unorm(r, name, 16, operands),
        Builtin::PackSnorm2x16 => formulas::pack_snorm2x16(r, operands),
        Builtin::UnpackSnorm2x16 => formulas::unpack_snorm2x16(r, operands),
        Builtin::PackUint4x8 => formulas::pack_uint4x8(r, operands),
        Builtin::UnpackUint4x8 => formulas::unpack_uint4x8(r, operands),
        _ => return None,
    })
}

/// `min(max(x, low), high)`, where the bounds are not seen to be in order: Metal leaves `clamp` undefined if they are not.
fn clamp(r: &mut Rewriter<'_>, x: ValueId, low: ValueId, high: ValueId) -> Option<ValueId> {
    let in_order = if r.scalar_of(x).is_some_and(Scalar::is_float) {
        let ranges = FloatRange::of(r.module, low).zip(FloatRange::of(r.module, high));
        ranges.is_some_and(|(low, high)| low.high <= high.low)
    } else {
        let ranges = Range::of(r.module, low).zip(Range::of(r.module, high));
        ranges.is_some_and(|(low, high)| low.high <= high.low)
    };
    if in_order {
        return None;
    }
    let raised = r.builtin(Builtin::Max, &[x, low]);
    Some(r.builtin(Builtin::Min, &[raised, high]))
}

fn zeros(r: &mut Rewriter<'_>, op: MslOp, bits: ValueId) -> ValueId {
    let ty = r.module.value_type(bits);
    r.value_of(op.def(), &[bits], &[], ty)
}

/// Offset and count such that their sum is 32 at most.
fn bit_range(r: &mut Rewriter<'_>, offset: ValueId, count: ValueId) -> (ValueId, ValueId) {
    if let (Some(first), Some(number)) = (r.known_bits(offset), r.known_bits(count)) {
        if first + number <= 32 {
            return (offset, count);
        }
        let first = first.min(32) as u32;
        return (r.uint(first), r.uint((number as u32).min(32 - first)));
    }
    let most = r.uint(32);
    let offset = r.builtin(Builtin::Min, &[offset, most]);
    let left = r.binary(AkariOp::Sub, most, offset);
    (offset, r.builtin(Builtin::Min, &[count, left]))
}

fn vote_number(r: &mut Rewriter<'_>, vote: ValueId) -> ValueId {
    let (one, zero) = (r.uint(1), r.uint(0));
    r.select(vote, one, zero)
}

/// Lanes broadcast numbers of up to 32 bits only.
fn wave_read_first(r: &mut Rewriter<'_>, x: ValueId) -> Option<ValueId> {
    match r.scalar_of(x)? {
        Scalar::Bool => {
            let number = r.convert(x, Scalar::U32);
            let first = r.builtin(Builtin::WaveReadFirst, &[number]);
            let zero = r.uint(0);
            Some(r.compare(Predicate::Ne, first, zero))
        }
        Scalar::U64 => {
            let width = r.uint(32);
            let upper = r.binary(AkariOp::Shr, x, width);
            let (low, high) = (r.convert(x, Scalar::U32), r.convert(upper, Scalar::U32));
            let halves = r.vector(&[low, high]);
            let first = r.builtin(Builtin::WaveReadFirst, &[halves]);
            let (low, high) = (r.extract(first, 0), r.extract(first, 1));
            let (low, high) = (r.convert(low, Scalar::U64), r.convert(high, Scalar::U64));
            let high = r.binary(AkariOp::Shl, high, width);
            Some(r.binary(AkariOp::Or, high, low))
        }
        Scalar::I32 | Scalar::U32 | Scalar::F16 | Scalar::F32 => None,
    }
}
