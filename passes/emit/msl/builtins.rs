//! How builtins that MSL has are spelled. Those it has not were rewritten by the passes of `convert/msl`.

use akari_dialect::Builtin;
use akari_ir::{Module, OpId, Scalar};

use super::{bindless, types};
use crate::emit::c_like::language::Spelling;

/// How a call is spelled.
pub(super) fn spelling(module: &Module, id: OpId, builtin: Builtin) -> Spelling {
    let op = module.op(id);
    let operands = &op.operands[..];
    let call = |name: &'static str| Spelling::call(name, operands);
    let scalar = operands.first().and_then(|operand| module.value_kind(*operand).scalar());
    // Where a fast version would be free to lose NaN. Only single precision has two.
    let precise = |precise: &'static str, plain: &'static str| {
        Spelling::call(if scalar == Some(Scalar::F32) { precise } else { plain }, operands)
    };
    let as_type = || {
        let ty = op.result.map(|result| types::value(module, module.value_type(result))).unwrap_or_default();
        Spelling::call(format!("as_type<{ty}>"), operands)
    };
    let bindless = |load| bindless::load(operands, load);
    match builtin {
        Builtin::BindlessLoadF32 => bindless(bindless::Load::Float),
        Builtin::BindlessLoadF32x2 => bindless(bindless::Load::Floats(2)),
        Builtin::BindlessLoadF32x3 => bindless(bindless::Load::Floats(3)),
        Builtin::BindlessLoadF32x4 => bindless(bindless::Load::Floats(4)),
        Builtin::BindlessLoadU32 => bindless(bindless::Load::Uint),
        Builtin::BindlessTex2d => bindless::texture(operands, "tex2d"),
        Builtin::BindlessTexCube => bindless::texture(operands, "texcube"),
        Builtin::BindlessTex3d => bindless::texture(operands, "tex3d"),
        Builtin::BindlessTexDepth => bindless::texture(operands, "texdepth"),
        Builtin::Min => precise("precise::min", "min"),
        Builtin::Max => precise("precise::max", "max"),
        Builtin::Clamp => precise("precise::clamp", "clamp"),
        Builtin::Saturate => precise("precise::saturate", "saturate"),
        Builtin::Abs => call("abs"),
        Builtin::Floor => call("floor"),
        Builtin::Ceil => call("ceil"),
        Builtin::Round => call("rint"),
        Builtin::Trunc => call("trunc"),
        Builtin::Sign => call("sign"),
        Builtin::Fract => call("fract"),
        Builtin::Sin => call("sin"),
        Builtin::Cos => call("cos"),
        Builtin::Tan => call("tan"),
        Builtin::Asin => call("asin"),
        Builtin::Acos => call("acos"),
        Builtin::Atan => call("atan"),
        Builtin::Atan2 => call("atan2"),
        Builtin::Sqrt => call("sqrt"),
        Builtin::Rsqrt => call("rsqrt"),
        Builtin::Exp => call("exp"),
        Builtin::Log => call("log"),
        Builtin::Exp2 => call("exp2"),
        Builtin::Log2 => call("log2"),
        Builtin::Pow => call("pow"),
        Builtin::Fma => call("fma"),
        Builtin::Normalize => call("normalize"),
        Builtin::Length => call("length"),
        Builtin::Distance => call("distance"),
        Builtin::Dot => call("dot"),
        Builtin::Cross => call("cross"),
        Builtin::Reflect => call("reflect"),
        Builtin::Refract => call("refract"),
        Builtin::Mix => call("mix"),
        Builtin::Step => call("step"),
        Builtin::Smoothstep => call("smoothstep"),
        Builtin::Any => call("any"),
        Builtin::All => call("all"),
        Builtin::Select => call("select"),
        Builtin::IsNan => call("isnan"),
        Builtin::IsInf => call("isinf"),
        Builtin::Min3 => call("min3"),
        Builtin::Max3 => call("max3"),
        Builtin::Median3 => call("median3"),
        Builtin::Transpose => call("transpose"),
        Builtin::CountBits => call("popcount"),
        Builtin::FirstBitLow => call("ctz"),
        Builtin::FirstBitHigh => call("clz"),
        Builtin::ReverseBits => call("reverse_bits"),
        Builtin::ExtractBits => call("extract_bits"),
        Builtin::InsertBits => call("insert_bits"),
        Builtin::AsUint | Builtin::AsInt | Builtin::AsFloat => as_type(),
        Builtin::Ddx => call("dfdx"),
        Builtin::Ddy => call("dfdy"),
        Builtin::PackHalf2x16 => {
            let mut spelling = Spelling::text("as_type<uint>(half2");
            spelling.push_arguments("(", operands, "))");
            spelling
        }
        Builtin::UnpackHalf2x16 => {
            let mut spelling = Spelling::text("float2(as_type<half2>");
            spelling.push_arguments("(", operands, "))");
            spelling
        }
        Builtin::Barrier => Spelling::text("threadgroup_barrier(mem_flags::mem_threadgroup)"),
        Builtin::WavePrefixSum | Builtin::WavePrefixCount => call("simd_prefix_exclusive_sum"),
        Builtin::WaveSum | Builtin::WaveCount => call("simd_sum"),
        Builtin::WaveIsFirst => call("simd_is_first"),
        Builtin::WaveReadFirst => call("simd_broadcast_first"),
        Builtin::WaveAny => call("simd_any"),
        Builtin::WaveAll => call("simd_all"),
        Builtin::RemapClipZ
        | Builtin::PackUnorm4x8
        | Builtin::UnpackUnorm4x8
        | Builtin::PackUnorm2x16
        | Builtin::UnpackUnorm2x16
        | Builtin::PackSnorm2x16
        | Builtin::UnpackSnorm2x16
        | Builtin::PackUint4x8
        | Builtin::UnpackUint4x8
        | Builtin::AtomicAdd
        | Builtin::AtomicSub
        | Builtin::AtomicMin
        | Builtin::AtomicMax
        | Builtin::AtomicAnd
        | Builtin::AtomicOr
        | Builtin::AtomicXor
        | Builtin::AtomicExchange
        | Builtin::AtomicCompareExchange
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
        | Builtin::RtTraceMasked => Spelling::text(format!("/* {} */", builtin.name())),
    }
}
