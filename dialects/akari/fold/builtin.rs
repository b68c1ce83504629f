//! Builtin functions on constants.

use akari_ir::entity::{ConstId, Type};
use akari_ir::module::Module;
use akari_ir::types::{Scalar, TypeKind};
use half::f16;
use smallvec::SmallVec;

use super::scalar::{as_float, compare, float};
use super::{Fault, Lanes, from_lanes, lanes, pick};
use crate::attributes::Predicate;
use crate::builtins::Builtin;

/// The value of a builtin on constants.
pub(super) fn fold(
    module: &mut Module,
    builtin: Builtin,
    operands: &[ConstId],
    result: Type,
    approximate: bool,
) -> Result<ConstId, Fault> {
    let mut arguments: SmallVec<[Lanes; 4]> = SmallVec::new();
    for operand in operands {
        arguments.push(lanes(module, *operand).ok_or(Fault::NotFoldable)?);
    }
    let scalar = match operands.first().map(|first| module.kind(module.constant(*first).ty())) {
        Some(kind) => kind.scalar().ok_or(Fault::NotFoldable)?,
        None => return Err(Fault::NotFoldable),
    };
    let values = match builtin {
        Builtin::Any => smallvec::smallvec![u64::from(arguments[0].iter().any(|lane| *lane != 0))],
        Builtin::All => smallvec::smallvec![u64::from(arguments[0].iter().all(|lane| *lane != 0))],
        Builtin::Dot => smallvec::smallvec![dot(scalar, &arguments[0], &arguments[1])?],
        Builtin::Length if approximate => smallvec::smallvec![length(scalar, &arguments[0])?],
        Builtin::Distance if approximate => {
            smallvec::smallvec![length(scalar, &difference(scalar, &arguments[0], &arguments[1])?)?]
        }
        Builtin::Normalize if approximate => {
            let length = as_float(scalar, length(scalar, &arguments[0])?);
            arguments[0].iter().map(|lane| float(scalar, as_float(scalar, *lane) / length)).collect::<Result<_, _>>()?
        }
        Builtin::Reflect if approximate => reflect(scalar, &arguments[0], &arguments[1])?,
        Builtin::Refract if approximate => refract(scalar, &arguments[0], &arguments[1], arguments[2][0])?,
        Builtin::Cross => {
            let (a, b) = (&arguments[0], &arguments[1]);
            let part = |i: usize, j: usize| -> Result<u64, Fault> {
                let product =
                    |x: u64, y: u64| Ok(as_float(scalar, float(scalar, as_float(scalar, x) * as_float(scalar, y))?));
                float(scalar, product(a[i], b[j])? - product(a[j], b[i])?)
            };
            smallvec::smallvec![part(1, 2)?, part(2, 0)?, part(0, 1)?]
        }
        Builtin::Transpose => {
            let TypeKind::Matrix { columns, rows } = module.kind(result) else {
                return Err(Fault::NotFoldable);
            };
            let (columns, rows) = (usize::from(columns), usize::from(rows));
            (0..columns * rows).map(|index| arguments[0][index % rows * columns + index / rows]).collect()
        }
        Builtin::RemapClipZ => {
            let p = &arguments[0];
            let sum = as_float(scalar, p[2]) + as_float(scalar, p[3]);
            smallvec::smallvec![
                p[0],
                p[1],
                float(scalar, float(scalar, sum).map(|s| as_float(scalar, s))? * 0.5)?,
                p[3]
            ]
        }
        Builtin::PackUnorm4x8
        | Builtin::PackUnorm2x16
        | Builtin::PackSnorm2x16
        | Builtin::PackHalf2x16
        | Builtin::PackUint4x8 => smallvec::smallvec![pack(builtin, &arguments[0])?],
        Builtin::UnpackUnorm4x8
        | Builtin::UnpackUnorm2x16
        | Builtin::UnpackSnorm2x16
        | Builtin::UnpackHalf2x16
        | Builtin::UnpackUint4x8 => unpack(builtin, arguments[0][0])?,
        _ => {
            let width = arguments.iter().map(|lanes| lanes.len()).max().unwrap_or(1);
            let mut values = Lanes::new();
            for index in 0..width {
                let lane: SmallVec<[u64; 4]> = arguments.iter().map(|lanes| pick(lanes, index)).collect();
                values.push(match component(builtin, scalar, &lane) {
                    Err(Fault::NotFoldable) if approximate => transcendental(builtin, scalar, &lane)?,
                    value => value?,
                });
            }
            values
        }
    };
    Ok(from_lanes(module, result, &values))
}

/// The products summed from the first, each step rounded.
pub(super) fn dot(scalar: Scalar, a: &Lanes, b: &Lanes) -> Result<u64, Fault> {
    let mut sum: Option<f32> = None;
    for (x, y) in a.iter().zip(b) {
        let product = as_float(scalar, float(scalar, as_float(scalar, *x) * as_float(scalar, *y))?);
        let next = match sum {
            Some(sum) => as_float(scalar, float(scalar, sum + product)?),
            None => product,
        };
        sum = Some(next);
    }
    float(scalar, sum.unwrap_or(0.0))
}

fn length(scalar: Scalar, a: &Lanes) -> Result<u64, Fault> {
    float(scalar, as_float(scalar, dot(scalar, a, a)?).sqrt())
}

/// `incident - 2 * dot(normal, incident) * normal`, each step rounded.
fn reflect(scalar: Scalar, incident: &Lanes, normal: &Lanes) -> Result<Lanes, Fault> {
    let factor = float(scalar, 2.0 * as_float(scalar, dot(scalar, normal, incident)?))?;
    difference(scalar, incident, &scaled(scalar, normal, factor)?)
}

/// The refracted direction, or zero where there is total reflection, each step rounded.
fn refract(scalar: Scalar, incident: &Lanes, normal: &Lanes, eta: u64) -> Result<Lanes, Fault> {
    let rounded = |value: f32| float(scalar, value).map(|bits| as_float(scalar, bits));
    let (cosine, ratio) = (as_float(scalar, dot(scalar, normal, incident)?), as_float(scalar, eta));
    let sine = rounded(1.0 - rounded(cosine * cosine)?)?;
    let k = rounded(1.0 - rounded(rounded(ratio * ratio)? * sine)?)?;
    if k < 0.0 {
        return Ok(Lanes::from_elem(0, incident.len()));
    }
    let factor = float(scalar, rounded(ratio * cosine)? + rounded(k.sqrt())?)?;
    difference(scalar, &scaled(scalar, incident, eta)?, &scaled(scalar, normal, factor)?)
}

fn scaled(scalar: Scalar, a: &Lanes, factor: u64) -> Result<Lanes, Fault> {
    let factor = as_float(scalar, factor);
    a.iter().map(|lane| float(scalar, as_float(scalar, *lane) * factor)).collect()
}

fn difference(scalar: Scalar, a: &Lanes, b: &Lanes) -> Result<Lanes, Fault> {
    a.iter().zip(b).map(|(x, y)| float(scalar, as_float(scalar, *x) - as_float(scalar, *y))).collect()
}

/// A component-wise builtin on one lane of each argument.
fn component(builtin: Builtin, scalar: Scalar, x: &[u64]) -> Result<u64, Fault> {
    let less = |a: u64, b: u64| compare(Predicate::Lt, scalar, a, b);
    let min = |a: u64, b: u64| if less(b, a) { b } else { a };
    let max = |a: u64, b: u64| if less(a, b) { b } else { a };
    let value = |bits: u64| as_float(scalar, bits);
    let rounded = |value: f32| float(scalar, value);
    let bits = x[0] as u32;
    match builtin {
        Builtin::Min => Ok(min(x[0], x[1])),
        Builtin::Max => Ok(max(x[0], x[1])),
        Builtin::Clamp => Ok(min(max(x[0], x[1]), x[2])),
        Builtin::Min3 => Ok(min(min(x[0], x[1]), x[2])),
        Builtin::Max3 => Ok(max(max(x[0], x[1]), x[2])),
        Builtin::Median3 => Ok(max(min(x[0], x[1]), min(max(x[0], x[1]), x[2]))),
        Builtin::Abs if scalar.is_float() => rounded(value(x[0]).abs()),
        Builtin::Abs => Ok(u64::from((bits as i32).wrapping_abs() as u32)),
        Builtin::Sign if scalar.is_float() => {
            let v = value(x[0]);
            rounded(if v == 0.0 { 0.0 } else { v.signum() })
        }
        Builtin::Sign => Ok(u64::from((bits as i32).signum() as u32)),
        Builtin::Floor => rounded(value(x[0]).floor()),
        Builtin::Ceil => rounded(value(x[0]).ceil()),
        Builtin::Round => rounded(value(x[0]).round_ties_even()),
        Builtin::Trunc => rounded(value(x[0]).trunc()),
        Builtin::Fract => rounded(value(x[0]) - value(x[0]).floor()),
        Builtin::Saturate => rounded(value(x[0]).clamp(0.0, 1.0)),
        Builtin::Sqrt => rounded(value(x[0]).sqrt()),
        // Rounded once; for halves the `f32` in between could round twice.
        Builtin::Fma if scalar == Scalar::F32 => rounded(value(x[0]).mul_add(value(x[1]), value(x[2]))),
        Builtin::Mix => {
            let difference = value(rounded(value(x[1]) - value(x[0]))?);
            let scaled = value(rounded(difference * value(x[2]))?);
            rounded(value(x[0]) + scaled)
        }
        Builtin::Step => rounded(if less(x[1], x[0]) { 0.0 } else { 1.0 }),
        Builtin::Select => Ok(if x[2] != 0 { x[1] } else { x[0] }),
        Builtin::IsNan => Ok(u64::from(value(x[0]).is_nan())),
        Builtin::IsInf => Ok(u64::from(value(x[0]).is_infinite())),
        Builtin::CountBits => Ok(u64::from(bits.count_ones())),
        Builtin::FirstBitLow => Ok(u64::from(if bits == 0 { u32::MAX } else { bits.trailing_zeros() })),
        Builtin::FirstBitHigh => {
            let bits = if scalar == Scalar::I32 && (bits as i32) < 0 { !bits } else { bits };
            Ok(u64::from(if bits == 0 { u32::MAX } else { 31 - bits.leading_zeros() }))
        }
        Builtin::ReverseBits => Ok(u64::from(bits.reverse_bits())),
        Builtin::ExtractBits => {
            let (offset, count) = clamp_field(x[1], x[2]);
            Ok(u64::from(((u64::from(bits) >> offset) as u32) & field_mask(count)))
        }
        Builtin::InsertBits => {
            let (offset, count) = clamp_field(x[2], x[3]);
            let mask = (u64::from(field_mask(count)) << offset) as u32;
            let inserted = (u64::from(x[1] as u32) << offset) as u32;
            Ok(u64::from(bits & !mask | inserted & mask))
        }
        Builtin::AsUint | Builtin::AsInt => Ok(x[0]),
        Builtin::AsFloat => {
            if f32::from_bits(bits).is_finite() {
                Ok(x[0])
            } else {
                Err(Fault::NotFinite)
            }
        }
        _ => Err(Fault::NotFoldable),
    }
}

/// A function that targets round as they like, as exact as `f64` and one rounding give it.
fn transcendental(builtin: Builtin, scalar: Scalar, lane: &[u64]) -> Result<u64, Fault> {
    let value = |index: usize| f64::from(as_float(scalar, lane[index]));
    if !scalar.is_float() {
        return Err(Fault::NotFoldable);
    }
    let x = value(0);
    let result = match builtin {
        Builtin::Sin => libm::sin(x),
        Builtin::Cos => libm::cos(x),
        Builtin::Tan => libm::tan(x),
        Builtin::Asin => libm::asin(x),
        Builtin::Acos => libm::acos(x),
        Builtin::Atan => libm::atan(x),
        Builtin::Atan2 => libm::atan2(x, value(1)),
        Builtin::Rsqrt => 1.0 / x.sqrt(),
        Builtin::Exp => libm::exp(x),
        Builtin::Log => libm::log(x),
        Builtin::Exp2 => libm::exp2(x),
        Builtin::Log2 => libm::log2(x),
        Builtin::Pow => libm::pow(x, value(1)),
        Builtin::Fma => x.mul_add(value(1), value(2)),
        Builtin::Smoothstep => {
            let t = ((value(2) - x) / (value(1) - x)).clamp(0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }
        _ => return Err(Fault::NotFoldable),
    };
    float(scalar, result as f32)
}

fn clamp_field(offset: u64, count: u64) -> (u32, u32) {
    let offset = offset.min(32) as u32;
    (offset, count.min(u64::from(32 - offset)) as u32)
}

fn field_mask(count: u32) -> u32 {
    ((1_u64 << count) - 1) as u32
}

fn pack(builtin: Builtin, lanes: &Lanes) -> Result<u64, Fault> {
    let (bits, encode): (u32, fn(f32) -> u32) = match builtin {
        Builtin::PackUnorm4x8 => (8, |v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u32),
        Builtin::PackUnorm2x16 => (16, |v| (v.clamp(0.0, 1.0) * 65535.0 + 0.5) as u32),
        Builtin::PackSnorm2x16 => (16, |v| ((v.clamp(-1.0, 1.0) * 32767.0 + 0.5).floor() as i32 as u32) & 0xFFFF),
        Builtin::PackHalf2x16 => (16, |v| u32::from(f16::from_f32(v).to_bits())),
        Builtin::PackUint4x8 => {
            let word = lanes.iter().enumerate().fold(0, |word, (index, lane)| word | (lane & 0xFF) << (8 * index));
            return Ok(word);
        }
        _ => return Err(Fault::NotFoldable),
    };
    let word = lanes
        .iter()
        .enumerate()
        .fold(0_u32, |word, (index, lane)| word | encode(as_float(Scalar::F32, *lane)) << (bits * index as u32));
    Ok(u64::from(word))
}

fn unpack(builtin: Builtin, word: u64) -> Result<Lanes, Fault> {
    let byte = |index: u32| (word >> (8 * index)) as u8;
    let half = |index: u32| (word >> (16 * index)) as u16;
    let single = |value: f32| float(Scalar::F32, value);
    match builtin {
        Builtin::UnpackUint4x8 => Ok((0..4).map(|index| u64::from(byte(index))).collect()),
        Builtin::UnpackUnorm4x8 => (0..4).map(|index| single(f32::from(byte(index)) / 255.0)).collect(),
        Builtin::UnpackUnorm2x16 => (0..2).map(|index| single(f32::from(half(index)) / 65535.0)).collect(),
        Builtin::UnpackSnorm2x16 => {
            (0..2).map(|index| single((f32::from(half(index) as i16) / 32767.0).max(-1.0))).collect()
        }
        Builtin::UnpackHalf2x16 => (0..2).map(|index| single(f16::from_bits(half(index)).to_f32())).collect(),
        _ => Err(Fault::NotFoldable),
    }
}

#[cfg(test)]
mod tests {
    use super::super::scalar::as_integer;
    use super::*;

    fn lane(builtin: Builtin, scalar: Scalar, x: &[u64]) -> Result<u64, Fault> {
        component(builtin, scalar, x)
    }

    #[test]
    fn bit_fields_are_clamped() {
        assert_eq!(lane(Builtin::ExtractBits, Scalar::U32, &[0xFFFF_FFFF, 40, 3]), Ok(0));
        assert_eq!(lane(Builtin::ExtractBits, Scalar::U32, &[0xABCD_1234, 16, 99]), Ok(0xABCD));
        assert_eq!(lane(Builtin::InsertBits, Scalar::U32, &[0, 0xFFFF_FFFF, 28, 8]), Ok(0xF000_0000));
        assert_eq!(lane(Builtin::InsertBits, Scalar::U32, &[7, 0, 0, 0]), Ok(7));
    }

    #[test]
    fn highest_bit_of_a_negative_number_is_that_of_its_complement() {
        assert_eq!(lane(Builtin::FirstBitHigh, Scalar::I32, &[u64::from(-1_i32 as u32)]), Ok(0xFFFF_FFFF));
        assert_eq!(lane(Builtin::FirstBitHigh, Scalar::I32, &[u64::from(-256_i32 as u32)]), Ok(7));
    }

    #[test]
    fn packing_follows_the_formulas() {
        let one = u64::from(1.0_f32.to_bits());
        let lanes: Lanes = smallvec::smallvec![0, one, one, 0];
        assert_eq!(pack(Builtin::PackUnorm4x8, &lanes), Ok(0x00FF_FF00));
        let minus_two = u64::from((-2.0_f32).to_bits());
        assert_eq!(pack(Builtin::PackSnorm2x16, &smallvec::smallvec![minus_two, one]), Ok(0x7FFF_8001));
        assert_eq!(as_integer(Scalar::I32, 0xFFFF_FFFF), -1);
    }
}
