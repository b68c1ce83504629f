//! Builtin functions: those of values lane by lane, those of waves and quads over the active lanes.

use akari_dialect::{Builtin, Signature};
use akari_ir::{OpId, Scalar};
use half::f16;

use super::WAVE;
use super::arithmetic::{self, float, integer, round, wrap};
use super::machine::{Frame, Machine, Mask};
use super::races::Touch;
use super::value::Value;

impl Machine<'_> {
    pub(super) fn builtin(
        &mut self,
        frame: &mut Frame,
        id: OpId,
        function: Builtin,
        mask: &Mask,
    ) -> Result<(), String> {
        let module = self.module;
        let op = module.op(id);
        let operands: Vec<Vec<Value>> = op.operands.iter().map(|value| frame.values[value].clone()).collect();
        let lanes: Vec<usize> = (0..mask.len()).filter(|lane| mask[*lane]).collect();
        let mut results = vec![Value::Undefined; mask.len()];
        match function.def().signature {
            Signature::Texture => self.texture(id, function, &operands, &lanes, &mut results)?,
            Signature::Atomic { .. } => {
                let place_type = module.value_type(op.operands[0]);
                let pointee = module.types.as_place(place_type).ok_or("an atomic without a place")?.1;
                let scalar = module.kind(pointee).scalar().ok_or("an atomic on no scalar")?;
                for lane in lanes {
                    let Value::Place(place) = &operands[0][lane] else {
                        return Err("an atomic without a place".into());
                    };
                    self.touch(lane, place, Touch::Atomic);
                    let old = self.load(lane, place).bits();
                    let argument = operands[1][lane].bits();
                    let second = operands.get(2).map(|values| values[lane].bits());
                    self.store(lane, place, Value::Scalar(atomic(function, scalar, old, argument, second)));
                    results[lane] = Value::Scalar(old);
                }
            }
            Signature::Function { .. } => match function {
                Builtin::Barrier => self.races.barrier(mask),
                Builtin::Ddx | Builtin::Ddy => {
                    let step = if function == Builtin::Ddx { 1 } else { 2 };
                    let scalar = module.value_kind(op.operands[0]).scalar().ok_or("a derivative of no float")?;
                    for lane in lanes {
                        let (low, high) = (lane & !step, lane | step);
                        results[lane] = arithmetic::zip(&operands[0][high], &operands[0][low], &|a, b| {
                            arithmetic::binary(akari_dialect::AkariOp::Sub, scalar, a, b)
                        });
                    }
                }
                Builtin::RtVisibility | Builtin::RtOccluderDistance | Builtin::RtTrace => {
                    for lane in lanes {
                        let arguments: Vec<&Value> = operands.iter().map(|values| &values[lane]).collect();
                        results[lane] = self.ray(function, &arguments)?;
                    }
                }
                Builtin::BindlessLoadF32
                | Builtin::BindlessLoadF32x2
                | Builtin::BindlessLoadF32x3
                | Builtin::BindlessLoadF32x4
                | Builtin::BindlessLoadU32
                | Builtin::BindlessTex2d
                | Builtin::BindlessTexCube
                | Builtin::BindlessTex3d
                | Builtin::BindlessTexDepth => self.bindless(id, function, &operands, &lanes, &mut results)?,
                Builtin::WavePrefixSum
                | Builtin::WaveSum
                | Builtin::WaveIsFirst
                | Builtin::WaveReadFirst
                | Builtin::WaveAny
                | Builtin::WaveAll
                | Builtin::WaveCount
                | Builtin::WavePrefixCount => wave(function, &operands, &lanes, &mut results),
                _ => {
                    let scalar = op
                        .operands
                        .first()
                        .and_then(|value| module.value_kind(*value).scalar())
                        .ok_or("a builtin of no scalars")?;
                    for lane in lanes {
                        let arguments: Vec<&Value> = operands.iter().map(|values| &values[lane]).collect();
                        results[lane] = value(function, scalar, &arguments)?;
                    }
                }
            },
        }
        if let Some(result) = op.result {
            self.define(frame, result, mask, |lane| results[lane].clone());
        }
        Ok(())
    }
}

fn atomic(function: Builtin, scalar: Scalar, old: u64, argument: u64, second: Option<u64>) -> u64 {
    let (a, b) = (integer(scalar, old), integer(scalar, argument));
    let value = match function {
        Builtin::AtomicAdd => a + b,
        Builtin::AtomicSub => a - b,
        Builtin::AtomicMin => a.min(b),
        Builtin::AtomicMax => a.max(b),
        Builtin::AtomicAnd => a & b,
        Builtin::AtomicOr => a | b,
        Builtin::AtomicXor => a ^ b,
        Builtin::AtomicCompareExchange if a != b => a,
        Builtin::AtomicCompareExchange => integer(scalar, second.unwrap_or(0)),
        _ => b,
    };
    wrap(scalar, value)
}

fn wave(function: Builtin, operands: &[Vec<Value>], lanes: &[usize], results: &mut [Value]) {
    for wave in lanes.chunk_by(|a, b| a / WAVE == b / WAVE) {
        let bits = |lane: usize| operands.first().map_or(0, |values| values[lane].bits());
        let sum = |lanes: &[usize]| lanes.iter().fold(0u32, |sum, lane| sum.wrapping_add(bits(*lane) as u32));
        for (position, lane) in wave.iter().enumerate() {
            results[*lane] = match function {
                Builtin::WavePrefixSum | Builtin::WavePrefixCount => Value::Scalar(u64::from(sum(&wave[..position]))),
                Builtin::WaveSum | Builtin::WaveCount => Value::Scalar(u64::from(sum(wave))),
                Builtin::WaveIsFirst => Value::bool(position == 0),
                Builtin::WaveAny => Value::bool(wave.iter().any(|lane| bits(*lane) != 0)),
                Builtin::WaveAll => Value::bool(wave.iter().all(|lane| bits(*lane) != 0)),
                _ => operands[0][wave[0]].clone(),
            };
        }
    }
}

/// The two operands beside each other with a float function.
fn zip3(a: &Value, b: &Value, c: &Value, of: &dyn Fn(u64, u64, u64) -> u64) -> Value {
    match a {
        Value::Composite(parts) => Value::composite(
            parts.iter().enumerate().map(|(index, part)| zip3(part, &b.part(index), &c.part(index), of)).collect(),
        ),
        scalar => Value::Scalar(of(scalar.bits(), b.bits(), c.bits())),
    }
}

pub(super) fn value(function: Builtin, scalar: Scalar, arguments: &[&Value]) -> Result<Value, String> {
    let float_map =
        |of: &dyn Fn(f64) -> f64| arithmetic::map(arguments[0], &|bits| round(scalar, of(float(scalar, bits))));
    let float_zip = |of: &dyn Fn(f64, f64) -> f64| {
        arithmetic::zip(arguments[0], arguments[1], &|a, b| round(scalar, of(float(scalar, a), float(scalar, b))))
    };
    let rounded = |value: f64| float(scalar, round(scalar, value));
    let ordered = |a: u64, b: u64, smaller: bool| -> u64 {
        if scalar.is_float() {
            let (x, y) = (float(scalar, a), float(scalar, b));
            let first = if x.is_nan() { false } else { y.is_nan() || if smaller { x <= y } else { x >= y } };
            return if first { a } else { b };
        }
        let (x, y) = (integer(scalar, a), integer(scalar, b));
        if (x <= y) == smaller { a } else { b }
    };
    let bit_map = |of: &dyn Fn(u32) -> u32| arithmetic::map(arguments[0], &|bits| u64::from(of(bits as u32)));
    let dot = |a: &Value, b: &Value| -> f64 {
        let products = a.components().into_iter().zip(b.components());
        let products = products.map(|(a, b)| rounded(float(scalar, a) * float(scalar, b)));
        products.reduce(|sum, product| rounded(sum + product)).unwrap_or(0.0)
    };
    let scale =
        |vector: &Value, factor: f64| arithmetic::map(vector, &|bits| round(scalar, float(scalar, bits) * factor));
    let subtract =
        |a: &Value, b: &Value| arithmetic::zip(a, b, &|a, b| round(scalar, float(scalar, a) - float(scalar, b)));
    let length = |vector: &Value| rounded(dot(vector, vector).sqrt());
    Ok(match function {
        Builtin::Min => arithmetic::zip(arguments[0], arguments[1], &|a, b| ordered(a, b, true)),
        Builtin::Max => arithmetic::zip(arguments[0], arguments[1], &|a, b| ordered(a, b, false)),
        Builtin::Clamp => {
            zip3(arguments[0], arguments[1], arguments[2], &|x, low, high| ordered(ordered(x, low, false), high, true))
        }
        Builtin::Saturate => {
            arithmetic::map(arguments[0], &|x| ordered(ordered(x, round(scalar, 0.0), false), round(scalar, 1.0), true))
        }
        Builtin::Min3 => {
            zip3(arguments[0], arguments[1], arguments[2], &|a, b, c| ordered(ordered(a, b, true), c, true))
        }
        Builtin::Max3 => {
            zip3(arguments[0], arguments[1], arguments[2], &|a, b, c| ordered(ordered(a, b, false), c, false))
        }
        Builtin::Median3 => zip3(arguments[0], arguments[1], arguments[2], &|a, b, c| {
            let (low, high) = (ordered(a, b, true), ordered(a, b, false));
            ordered(low, ordered(high, c, true), false)
        }),
        Builtin::Abs if scalar.is_float() => float_map(&f64::abs),
        Builtin::Abs => arithmetic::map(arguments[0], &|bits| wrap(scalar, integer(scalar, bits).abs())),
        Builtin::Sign if scalar.is_float() => float_map(&|x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        }),
        Builtin::Sign => arithmetic::map(arguments[0], &|bits| wrap(scalar, integer(scalar, bits).signum())),
        Builtin::Floor => float_map(&f64::floor),
        Builtin::Ceil => float_map(&f64::ceil),
        Builtin::Round => float_map(&f64::round_ties_even),
        Builtin::Trunc => float_map(&f64::trunc),
        Builtin::Fract => float_map(&|x| x - x.floor()),
        Builtin::Sin => float_map(&f64::sin),
        Builtin::Cos => float_map(&f64::cos),
        Builtin::Tan => float_map(&f64::tan),
        Builtin::Asin => float_map(&f64::asin),
        Builtin::Acos => float_map(&f64::acos),
        Builtin::Atan => float_map(&f64::atan),
        Builtin::Atan2 => float_zip(&f64::atan2),
        Builtin::Sqrt => float_map(&f64::sqrt),
        Builtin::Rsqrt => float_map(&|x| 1.0 / x.sqrt()),
        Builtin::Exp => float_map(&f64::exp),
        Builtin::Log => float_map(&f64::ln),
        Builtin::Exp2 => float_map(&f64::exp2),
        Builtin::Log2 => float_map(&f64::log2),
        Builtin::Pow => float_zip(&f64::powf),
        Builtin::Step => float_zip(&|edge, x| if x < edge { 0.0 } else { 1.0 }),
        Builtin::Fma => zip3(arguments[0], arguments[1], arguments[2], &|a, b, c| {
            if scalar == Scalar::F32 {
                let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
                u64::from(a.mul_add(b, c).to_bits())
            } else {
                round(scalar, float(scalar, a).mul_add(float(scalar, b), float(scalar, c)))
            }
        }),
        Builtin::Mix => zip3(arguments[0], arguments[1], arguments[2], &|a, b, t| {
            let (a, b, t) = (float(scalar, a), float(scalar, b), float(scalar, t));
            round(scalar, a + rounded(rounded(b - a) * t))
        }),
        Builtin::Smoothstep => zip3(arguments[0], arguments[1], arguments[2], &|low, high, x| {
            let (low, high, x) = (float(scalar, low), float(scalar, high), float(scalar, x));
            let t = rounded(rounded(x - low) / rounded(high - low)).clamp(0.0, 1.0);
            round(scalar, rounded(t * t) * rounded(3.0 - rounded(2.0 * t)))
        }),
        Builtin::Length => Value::Scalar(round(scalar, length(arguments[0]))),
        Builtin::Distance => Value::Scalar(round(scalar, length(&subtract(arguments[0], arguments[1])))),
        Builtin::Dot => Value::Scalar(round(scalar, dot(arguments[0], arguments[1]))),
        Builtin::Normalize => {
            let length = length(arguments[0]);
            arithmetic::map(arguments[0], &|bits| round(scalar, float(scalar, bits) / length))
        }
        Builtin::Cross => {
            let a: Vec<f64> = arguments[0].components().iter().map(|bits| float(scalar, *bits)).collect();
            let b: Vec<f64> = arguments[1].components().iter().map(|bits| float(scalar, *bits)).collect();
            let one = |i: usize, j: usize| round(scalar, rounded(a[i] * b[j]) - rounded(a[j] * b[i]));
            Value::vector(&[one(1, 2), one(2, 0), one(0, 1)])
        }
        Builtin::Reflect => {
            let factor = rounded(2.0 * dot(arguments[1], arguments[0]));
            subtract(arguments[0], &scale(arguments[1], factor))
        }
        Builtin::Refract => {
            let eta = float(scalar, arguments[2].bits());
            let cosine = dot(arguments[1], arguments[0]);
            let k = rounded(1.0 - rounded(rounded(eta * eta) * rounded(1.0 - rounded(cosine * cosine))));
            if k < 0.0 {
                arithmetic::map(arguments[0], &|_| 0)
            } else {
                let factor = rounded(rounded(eta * cosine) + rounded(k.sqrt()));
                subtract(&scale(arguments[0], eta), &scale(arguments[1], factor))
            }
        }
        Builtin::Any => Value::bool(arguments[0].components().iter().any(|bits| *bits != 0)),
        Builtin::All => Value::bool(arguments[0].components().iter().all(|bits| *bits != 0)),
        Builtin::Select => zip3(arguments[0], arguments[1], arguments[2], &|a, b, c| if c != 0 { b } else { a }),
        Builtin::IsNan => arithmetic::map(arguments[0], &|bits| u64::from(float(scalar, bits).is_nan())),
        Builtin::IsInf => arithmetic::map(arguments[0], &|bits| u64::from(float(scalar, bits).is_infinite())),
        Builtin::Transpose => {
            let Value::Composite(columns) = arguments[0] else { return Ok(Value::Undefined) };
            let rows = columns[0].components().len();
            let row = |row: usize| Value::vector(&columns.iter().map(|c| c.components()[row]).collect::<Vec<_>>());
            Value::composite((0..rows).map(row).collect())
        }
        Builtin::CountBits => bit_map(&u32::count_ones),
        Builtin::FirstBitLow => bit_map(&|x| if x == 0 { u32::MAX } else { x.trailing_zeros() }),
        Builtin::FirstBitHigh => bit_map(&|x| {
            let x = if scalar == Scalar::I32 && (x as i32) < 0 { !x } else { x };
            if x == 0 { u32::MAX } else { 31 - x.leading_zeros() }
        }),
        Builtin::ReverseBits => bit_map(&u32::reverse_bits),
        Builtin::ExtractBits => {
            let (offset, count) = field(arguments[1], arguments[2]);
            bit_map(&|x| (u64::from(x) >> offset) as u32 & ones(count))
        }
        Builtin::InsertBits => {
            let (offset, count) = field(arguments[2], arguments[3]);
            let mask = (u64::from(ones(count)) << offset) as u32;
            arithmetic::zip(arguments[0], arguments[1], &|base, bits| {
                u64::from((base as u32 & !mask) | ((bits << offset) as u32 & mask))
            })
        }
        Builtin::AsUint | Builtin::AsInt | Builtin::AsFloat => arguments[0].clone(),
        Builtin::RemapClipZ => {
            let p = arguments[0].float_components();
            Value::floats(&[p[0], p[1], (p[2] + p[3]) * 0.5, p[3]])
        }
        Builtin::PackUnorm4x8 => pack(arguments[0], 8, |v| (clamped(v, 0.0) * 255.0 + 0.5) as u32),
        Builtin::PackUnorm2x16 => pack(arguments[0], 16, |v| (clamped(v, 0.0) * 65535.0 + 0.5) as u32),
        Builtin::PackSnorm2x16 => {
            pack(arguments[0], 16, |v| (clamped(v, -1.0) * 32767.0 + 0.5).floor() as i32 as u32 & 0xffff)
        }
        Builtin::PackHalf2x16 => pack(arguments[0], 16, |v| u32::from(f16::from_f32(v).to_bits())),
        Builtin::PackUint4x8 => {
            let bytes = arguments[0].components().into_iter().enumerate();
            Value::Scalar(bytes.fold(0, |word, (index, byte)| word | (byte & 0xff) << (8 * index)))
        }
        Builtin::UnpackUnorm4x8 => unpack(arguments[0], 8, |byte| f32::from(byte) / 255.0),
        Builtin::UnpackUnorm2x16 => unpack(arguments[0], 16, |word| f32::from(word) / 65535.0),
        Builtin::UnpackSnorm2x16 => unpack(arguments[0], 16, |word| (f32::from(word as i16) / 32767.0).max(-1.0)),
        Builtin::UnpackHalf2x16 => unpack(arguments[0], 16, |word| f16::from_bits(word).to_f32()),
        Builtin::UnpackUint4x8 => {
            let word = arguments[0].bits();
            Value::vector(&[word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, word >> 24 & 0xff])
        }
        Builtin::Barrier
        | Builtin::Ddx
        | Builtin::Ddy
        | Builtin::AtomicAdd
        | Builtin::AtomicSub
        | Builtin::AtomicMin
        | Builtin::AtomicMax
        | Builtin::AtomicAnd
        | Builtin::AtomicOr
        | Builtin::AtomicXor
        | Builtin::AtomicExchange
        | Builtin::AtomicCompareExchange
        | Builtin::WavePrefixSum
        | Builtin::WaveSum
        | Builtin::WaveIsFirst
        | Builtin::WaveReadFirst
        | Builtin::WaveAny
        | Builtin::WaveAll
        | Builtin::WaveCount
        | Builtin::WavePrefixCount
        | Builtin::TextureSample
        | Builtin::TextureSampleLevel
        | Builtin::TextureSampleGrad
        | Builtin::TextureSampleCmp
        | Builtin::TextureSampleCmpLevelZero
        | Builtin::TextureGather
        | Builtin::TextureGatherCmp
        | Builtin::TextureLoad
        | Builtin::TextureStore
        | Builtin::TextureDimensions
        | Builtin::TextureMipLevels
        | Builtin::RtVisibility
        | Builtin::RtOccluderDistance
        | Builtin::RtTrace
        | Builtin::RtVisibilityMasked
        | Builtin::RtOccluderDistanceMasked
        | Builtin::RtTraceMasked
        | Builtin::BindlessLoadF32
        | Builtin::BindlessLoadF32x2
        | Builtin::BindlessLoadF32x3
        | Builtin::BindlessLoadF32x4
        | Builtin::BindlessLoadU32
        | Builtin::BindlessTex2d
        | Builtin::BindlessTexCube
        | Builtin::BindlessTex3d
        | Builtin::BindlessTexDepth => return Err(format!("`{}` is no function of values", function.name())),
    })
}

/// Offset and count of a bit field, clamped as the language says.
fn field(offset: &Value, count: &Value) -> (u32, u32) {
    let offset = (offset.bits() as u32).min(32);
    (offset, (count.bits() as u32).min(32 - offset))
}

fn ones(count: u32) -> u32 {
    ((1u64 << count) - 1) as u32
}

/// A number between a least one and 1. `f32::clamp` would keep a NaN, which the targets take for the least.
fn clamped(value: f32, least: f32) -> f32 {
    value.max(least).min(1.0)
}

fn pack(vector: &Value, bits: usize, of: impl Fn(f32) -> u32) -> Value {
    let parts = vector.float_components().into_iter().enumerate();
    Value::Scalar(parts.fold(0, |word, (index, part)| word | u64::from(of(part)) << (bits * index)))
}

fn unpack(word: &Value, bits: usize, of: impl Fn(u16) -> f32) -> Value {
    let word = word.bits();
    let mask = (1u64 << bits) - 1;
    Value::floats(&(0..32 / bits).map(|index| of((word >> (bits * index) & mask) as u16)).collect::<Vec<_>>())
}
