//! `akari-to-hlsl`: builtins and operators that HLSL lacks, or means otherwise, become what it has.
//!
//! After it only core operations, builtins with an HLSL intrinsic of the same meaning, and the `hlsl` dialect are left.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_dialect_gpu_abi::Target;
use akari_dialect_hlsl::{HlslOp, Interlocked};
use akari_ir::{Module, OpId, Scalar, Space, TextureDim, TypeKind, ValueId};

use crate::polyfill::{builtins, numbers};
use crate::rewrite::{Outcome, Rewriter};
use crate::{Changed, Failed, IrStage, Pass, PassContext};

/// See the module.
pub struct AkariToHlsl;

impl Pass for AkariToHlsl {
    const NAME: &'static str = "akari-to-hlsl";
    const SUMMARY: &'static str = "write out in HLSL's terms what HLSL lacks or means otherwise";
    const GIVES: Option<IrStage> = Some(IrStage::Target);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let is_vulkan = context.target == Some(Target::VulkanHlsl);
        let uses = crate::analysis::uses::Uses::of(module);
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| convert(r, op, is_vulkan, &|value| uses.count(value) > 0));
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

fn convert(r: &mut Rewriter<'_>, id: OpId, is_vulkan: bool, is_used: &dyn Fn(ValueId) -> bool) -> Outcome {
    let op = r.module.op(id).clone();
    let operands = &op.operands[..];
    let scalar_of = |r: &Rewriter<'_>, value| r.kind(value).scalar();
    let replacement = match AkariOp::of(&op) {
        Some(AkariOp::Builtin) => {
            let builtin = Builtin::from_index(op.enumerated(0));
            return convert_builtin(r, builtin, operands, is_vulkan, op.result.is_some_and(is_used));
        }
        Some(akari @ (AkariOp::Div | AkariOp::Rem)) => match scalar_of(r, operands[1]) {
            Some(scalar) if scalar.is_integer() => numbers::divide_integers(r, akari, operands[0], operands[1]),
            Some(_) if akari == AkariOp::Rem => Some(float_remainder(r, operands[0], operands[1])),
            _ => None,
        },
        Some(AkariOp::Neg) if is_vulkan && scalar_of(r, operands[0]).is_some_and(Scalar::is_integer) => {
            numbers::overflowing_constant(r, AkariOp::Neg, operands).or_else(|| negation(r, operands[0]))
        }
        Some(AkariOp::Construct) if is_vulkan => {
            let place = op.result.and_then(|result| assembled(r, operands, result));
            return place.map_or(Outcome::Keep, Outcome::Placed);
        }
        Some(akari @ (AkariOp::Add | AkariOp::Sub | AkariOp::Mul | AkariOp::Neg)) => {
            numbers::overflowing_constant(r, akari, operands)
        }
        Some(AkariOp::Convert) => op.result.and_then(|to| convert_numbers(r, operands[0], to, is_vulkan)),
        Some(AkariOp::Compare) if is_vulkan => unordered_inequality(r, &op),
        Some(AkariOp::Switch) => {
            if is_constant_tree(r.module, operands[0], MOST_LEVELS) {
                // DXC warns where no label fits.
                let selector = r.name(operands[0], "selector");
                r.module.op_mut(id).operands[0] = selector;
            }
            None
        }
        _ => None,
    };
    replacement.map_or(Outcome::Keep, Outcome::Replace)
}

/// Conversions that DXC gets wrong, or that Vulkan leaves open: `half` and integers by way of `float`, `u64` to `float`, floats to
/// integers that cannot hold them, NaN to `bool`.
fn convert_numbers(r: &mut Rewriter<'_>, value: ValueId, to: ValueId, is_vulkan: bool) -> Option<ValueId> {
    let (from, to) = (r.kind(value).scalar()?, r.kind(to).scalar()?);
    match (from, to) {
        (Scalar::F16, to) if to.is_integer() => {
            let wide = r.convert(value, Scalar::F32);
            Some(numbers::float_to_integer(r, wide, to).unwrap_or_else(|| r.convert(wide, to)))
        }
        // What a half cannot hold is infinite; DXC warns of it where it sees the number.
        (Scalar::F32, Scalar::F16) => numbers::overflowing_half(r, value),
        // DXC warns of a wide constant that is an arm of what is narrowed.
        (Scalar::U64, Scalar::U32 | Scalar::I32) if is_choice(r.module, value) => {
            let wide = if r.module.value(value).name.is_none() { r.name(value, "wide") } else { value };
            Some(r.convert(wide, to))
        }
        (Scalar::U64, Scalar::F32) if is_vulkan => Some(numbers::wide_to_float(r, value)),
        (from, Scalar::F16) if from.is_integer() => {
            let wide = if from == Scalar::U64 && is_vulkan {
                numbers::wide_to_float(r, value)
            } else {
                r.convert(value, Scalar::F32)
            };
            Some(r.convert(wide, Scalar::F16))
        }
        // Where no integer of the type is near, Vulkan forbids the conversion. Direct3D clamps, but what DXC comes to know while it
        // compiles it leaves undefined, and then refuses to store.
        (Scalar::F32, to) if to.is_integer() => numbers::float_to_integer(r, value, to),
        // DXC takes a conversion to `bool` and back for none.
        (from, Scalar::Bool) if from.is_integer() => {
            let like = r.type_of(value);
            let zero = r.filled(like, 0.0);
            Some(r.compare(Predicate::Ne, value, zero))
        }
        (from, Scalar::Bool) if from.is_float() => {
            let like = r.type_of(value);
            let zero = r.filled(like, 0.0);
            Some(if is_vulkan { not_equal(r, value, zero) } else { r.compare(Predicate::Ne, value, zero) })
        }
        _ => None,
    }
}

/// `0 - x` for what may be a quotient: DXC's SPIR-V optimizer takes `-(a / b)` for `(-a) / b`, also where a sign bit is none.
fn negation(r: &mut Rewriter<'_>, value: ValueId) -> Option<ValueId> {
    let definition = AkariOp::of(r.module.op(r.module.defining_op(value)?));
    let is_unsigned = r.kind(value).scalar() != Some(Scalar::I32);
    let may_divide = match definition {
        Some(AkariOp::Div | AkariOp::Call) => true,
        Some(AkariOp::Const) => false,
        _ => is_unsigned,
    };
    may_divide.then(|| {
        let like = r.type_of(value);
        let zero = r.filled_bits(like, 0);
        r.binary(AkariOp::Sub, zero, value)
    })
}

/// An array with structures that were in a buffer is a variable that is filled part by part: DXC takes these for another type than the others, and
/// forgets to convert them in a list in braces. So is an array of arrays with a row that begins with what a resource holds: DXC takes the row
/// for that resource's.
fn assembled(r: &mut Rewriter<'_>, parts: &[ValueId], result: ValueId) -> Option<ValueId> {
    let ty = r.type_of(result);
    let is_misread = |part: &ValueId| is_loaded_structure(r, *part) || is_row_from_resource(r, *part);
    if !matches!(r.module.kind(ty), TypeKind::Array(..)) || !parts.iter().any(is_misread) {
        return None;
    }
    let whole = r.local(ty, None, "parts");
    for (index, part) in parts.iter().enumerate() {
        let index = r.uint(index as u32);
        let place = r.element(whole, index);
        r.store(place, *part);
    }
    Some(whole)
}

/// Whether a value is a structure as it lay in a buffer.
fn is_loaded_structure(r: &Rewriter<'_>, value: ValueId) -> bool {
    matches!(r.kind(value), TypeKind::Struct(_)) && is_loaded(r, value)
}

/// Whether a value was loaded from a buffer.
fn is_loaded(r: &Rewriter<'_>, value: ValueId) -> bool {
    let definition = r.module.defining_op(value).map(|op| r.module.op(op));
    let Some(load) = definition.filter(|op| AkariOp::of(op) == Some(AkariOp::Load)) else { return false };
    let from = r.module.types.as_place(r.type_of(load.operands[0])).map(|(space, _)| space);
    matches!(from, Some(Space::Storage | Space::StorageRead | Space::Uniform | Space::Atomic))
}

/// Whether a value is an array whose first scalar or vector is, or is a part of, what was loaded from a buffer.
fn is_row_from_resource(r: &Rewriter<'_>, value: ValueId) -> bool {
    let mut first = value;
    while let Some(op) = r.module.defining_op(first).map(|op| r.module.op(op)) {
        first = match AkariOp::of(op) {
            Some(AkariOp::Construct | AkariOp::Extract | AkariOp::Swizzle) => match op.operands.first() {
                Some(part) => *part,
                None => return false,
            },
            _ => break,
        };
    }
    first != value && matches!(r.kind(value), TypeKind::Array(..)) && is_loaded(r, first)
}

fn is_choice(module: &Module, value: ValueId) -> bool {
    let definition = module.defining_op(value).and_then(|op| AkariOp::of(module.op(op)));
    matches!(definition, Some(AkariOp::Select | AkariOp::Cond))
}

/// DXC's SPIR-V says that a NaN does not differ from anything; that nothing equals it is right.
fn unordered_inequality(r: &mut Rewriter<'_>, op: &akari_ir::Op) -> Option<ValueId> {
    let is_float = r.kind(op.operands[0]).scalar().is_some_and(Scalar::is_float);
    (is_float && Predicate::from_index(op.enumerated(0)) == Predicate::Ne)
        .then(|| not_equal(r, op.operands[0], op.operands[1]))
}

fn not_equal(r: &mut Rewriter<'_>, lhs: ValueId, rhs: ValueId) -> ValueId {
    let equal = r.compare(Predicate::Eq, lhs, rhs);
    r.unary(AkariOp::Not, equal)
}

/// How deep an expression is looked into: constants that are left as they are may be shared at every level.
const MOST_LEVELS: u32 = 8;

/// Whether a front end may evaluate an expression of no more than so many levels.
fn is_constant_tree(module: &Module, value: ValueId, levels: u32) -> bool {
    if levels == 0 {
        return false;
    }
    let Some(op) = module.defining_op(value).map(|op| module.op(op)) else { return false };
    match AkariOp::of(op) {
        Some(AkariOp::Const | AkariOp::GlobalConst) => true,
        Some(AkariOp::Let | AkariOp::Local | AkariOp::Load | AkariOp::Call | AkariOp::Builtin) => false,
        _ => {
            !op.operands.is_empty() && op.operands.iter().all(|operand| is_constant_tree(module, *operand, levels - 1))
        }
    }
}

/// `x - y * trunc(x / y)`.
fn float_remainder(r: &mut Rewriter<'_>, x: ValueId, y: ValueId) -> ValueId {
    let width = r.width_of(x).max(r.width_of(y));
    let (x, y) = (r.splat(x, width), r.splat(y, width));
    let wide = r.type_of(x);
    r.helper("remainder", &["x", "y"], &[x, y], wide, |r, params| {
        let quotient = r.binary(AkariOp::Div, params[0], params[1]);
        let whole = r.builtin(Builtin::Trunc, &[quotient]);
        let product = r.binary(AkariOp::Mul, params[1], whole);
        r.binary(AkariOp::Sub, params[0], product)
    })
}

fn convert_builtin(
    r: &mut Rewriter<'_>,
    builtin: Builtin,
    operands: &[ValueId],
    is_vulkan: bool,
    is_used: bool,
) -> Outcome {
    let is_float = operands.first().and_then(|operand| r.kind(*operand).scalar()).is_some_and(Scalar::is_float);
    let replacement = match builtin {
        // DXC's SPIR-V has min and max by the rules for numbers that are none, clamp and saturate not.
        Builtin::Clamp if is_vulkan && is_float => clamp(r, operands[0], operands[1], operands[2]),
        Builtin::Saturate if is_vulkan => {
            let ty = r.type_of(operands[0]);
            let (low, high) = (r.filled(ty, 0.0), r.filled(ty, 1.0));
            clamp(r, operands[0], low, high)
        }
        Builtin::Mix => builtins::mix(r, operands),
        Builtin::Fract => builtins::fract(r, operands),
        Builtin::Step => builtins::step(r, operands),
        Builtin::Min3 => builtins::of_three(r, Builtin::Min, operands),
        Builtin::Max3 => builtins::of_three(r, Builtin::Max, operands),
        Builtin::Median3 => builtins::median(r, operands),
        Builtin::RemapClipZ => builtins::remap_clip_z(r, operands),
        Builtin::IsNan => builtins::by_bits(r, Predicate::Gt, operands),
        Builtin::IsInf => builtins::by_bits(r, Predicate::Eq, operands),
        Builtin::ExtractBits => builtins::extract_bits(r, operands),
        Builtin::InsertBits => builtins::insert_bits(r, operands),
        Builtin::PackUnorm4x8 => builtins::pack_unorm(r, "pack_unorm4x8", 8, operands),
        Builtin::PackUnorm2x16 => builtins::pack_unorm(r, "pack_unorm2x16", 16, operands),
        Builtin::UnpackUnorm4x8 => builtins::unpack_unorm(r, "unpack_unorm4x8", 8, operands),
        Builtin::UnpackUnorm2x16 => builtins::unpack_unorm(r, "unpack_unorm2x16", 16, operands),
        Builtin::PackSnorm2x16 => builtins::pack_snorm2x16(r, operands),
        Builtin::UnpackSnorm2x16 => builtins::unpack_snorm2x16(r, operands),
        Builtin::PackUint4x8 => builtins::pack_uint4x8(r, operands),
        Builtin::UnpackUint4x8 => builtins::unpack_uint4x8(r, operands),
        Builtin::PackHalf2x16 => builtins::pack_half2x16(r, operands),
        Builtin::UnpackHalf2x16 => {
            let float = r.ty(TypeKind::Scalar(Scalar::F32));
            let pair = r.ty(TypeKind::Vector(Scalar::F32, 2));
            let high = r.shift(AkariOp::Shr, operands[0], 16);
            let [low, high] = [operands[0], high].map(|bits| r.value_of(HlslOp::F16ToF32.def(), &[bits], &[], float));
            r.construct(pair, &[low, high])
        }
        Builtin::TextureDimensions => texture_dimensions(r, operands),
        Builtin::TextureMipLevels => return mip_levels(r, operands[0]),
        Builtin::AtomicAdd => return interlocked(r, Interlocked::Add, operands, is_used),
        Builtin::AtomicSub => {
            let negated = r.core(AkariOp::Neg, &operands[1..], &[], r.type_of(operands[1]));
            return interlocked(r, Interlocked::Add, &[operands[0], negated], is_used);
        }
        Builtin::AtomicMin => return interlocked(r, Interlocked::Min, operands, is_used),
        Builtin::AtomicMax => return interlocked(r, Interlocked::Max, operands, is_used),
        Builtin::AtomicAnd => return interlocked(r, Interlocked::And, operands, is_used),
        Builtin::AtomicOr => return interlocked(r, Interlocked::Or, operands, is_used),
        Builtin::AtomicXor => return interlocked(r, Interlocked::Xor, operands, is_used),
        Builtin::AtomicExchange => return interlocked(r, Interlocked::Exchange, operands, true),
        Builtin::AtomicCompareExchange => return interlocked(r, Interlocked::CompareExchange, operands, true),
        Builtin::RtVisibility
        | Builtin::RtOccluderDistance
        | Builtin::BindlessLoadF32
        | Builtin::BindlessLoadF32x2
        | Builtin::BindlessLoadF32x3
        | Builtin::BindlessLoadF32x4
        | Builtin::BindlessLoadU32
        | Builtin::BindlessTex2d
        | Builtin::BindlessTexCube
        | Builtin::BindlessTex3d
        | Builtin::BindlessTexDepth
        | Builtin::RtTrace
        | Builtin::RtVisibilityMasked
        | Builtin::RtOccluderDistanceMasked
        | Builtin::RtTraceMasked
        | Builtin::Min
        | Builtin::Max
        | Builtin::Clamp
        | Builtin::Abs
        | Builtin::Floor
        | Builtin::Ceil
        | Builtin::Round
        | Builtin::Trunc
        | Builtin::Sign
        | Builtin::Saturate
        | Builtin::Sin
        | Builtin::Cos
        | Builtin::Tan
        | Builtin::Asin
        | Builtin::Acos
        | Builtin::Atan
        | Builtin::Atan2
        | Builtin::Sqrt
        | Builtin::Rsqrt
        | Builtin::Exp
        | Builtin::Log
        | Builtin::Exp2
        | Builtin::Log2
        | Builtin::Pow
        | Builtin::Fma
        | Builtin::Normalize
        | Builtin::Length
        | Builtin::Distance
        | Builtin::Dot
        | Builtin::Cross
        | Builtin::Reflect
        | Builtin::Refract
        | Builtin::Smoothstep
        | Builtin::Any
        | Builtin::All
        | Builtin::Select
        | Builtin::Transpose
        | Builtin::CountBits
        | Builtin::FirstBitLow
        | Builtin::FirstBitHigh
        | Builtin::ReverseBits
        | Builtin::AsUint
        | Builtin::AsInt
        | Builtin::AsFloat
        | Builtin::Ddx
        | Builtin::Ddy
        | Builtin::Barrier
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
        | Builtin::TextureStore => return Outcome::Keep,
    };
    Outcome::Replace(replacement)
}

/// `min(max(x, low), high)`
fn clamp(r: &mut Rewriter<'_>, x: ValueId, low: ValueId, high: ValueId) -> ValueId {
    let above = r.builtin(Builtin::Max, &[x, low]);
    r.builtin(Builtin::Min, &[above, high])
}

/// `InterlockedF(place, values…, previous)`; the previous value only where somebody wants it, or the function insists.
fn interlocked(r: &mut Rewriter<'_>, function: Interlocked, operands: &[ValueId], wants_previous: bool) -> Outcome {
    let mut operands = operands.to_vec();
    let previous = wants_previous.then(|| {
        let ty = r.type_of(operands[1]);
        r.local(ty, None, "previous")
    });
    operands.extend(previous);
    r.op(HlslOp::Interlocked.def(), &operands, &[function.attr()], &[], None);
    match previous {
        Some(previous) => Outcome::Placed(previous),
        None => Outcome::Remove,
    }
}

/// The names of what `GetDimensions` gives for a texture, without the number of levels.
fn dimension_names(kind: TypeKind) -> &'static [&'static str] {
    match kind {
        TypeKind::Texture(TextureDim::D2Array | TextureDim::CubeArray, _) => &["width", "height", "layers"],
        TypeKind::Texture(TextureDim::D3, _) | TypeKind::StorageTexture(TextureDim::D3, _) => {
            &["width", "height", "depth"]
        }
        _ => &["width", "height"],
    }
}

fn get_dimensions(r: &mut Rewriter<'_>, texture: ValueId, level: Option<ValueId>) -> Vec<ValueId> {
    let uint = r.ty(TypeKind::Scalar(Scalar::U32));
    let mut names = dimension_names(r.kind(texture)).to_vec();
    if level.is_some() {
        names.push("levels");
    }
    let places: Vec<ValueId> = names.into_iter().map(|name| r.local(uint, None, name)).collect();
    let operands: Vec<ValueId> = [texture].into_iter().chain(level).chain(places.iter().copied()).collect();
    r.op(HlslOp::GetDimensions.def(), &operands, &[], &[], None);
    places
}

fn texture_dimensions(r: &mut Rewriter<'_>, operands: &[ValueId]) -> ValueId {
    let count = dimension_names(r.kind(operands[0])).len();
    // Without a level, `GetDimensions` tells of the first one.
    let is_first = |level: &ValueId| r.known(*level).and_then(|level| r.module.scalar_bits(level)) == Some(0);
    let level = operands.get(1).copied().filter(|level| !is_first(level));
    let places = get_dimensions(r, operands[0], level);
    let parts: Vec<ValueId> = places[..count].iter().map(|place| r.load(*place)).collect();
    let ty = r.ty(TypeKind::Vector(Scalar::U32, count as u8));
    r.construct(ty, &parts)
}

fn mip_levels(r: &mut Rewriter<'_>, texture: ValueId) -> Outcome {
    let level = r.uint(0);
    let places = get_dimensions(r, texture, Some(level));
    places.last().map_or(Outcome::Keep, |levels| Outcome::Placed(*levels))
}
