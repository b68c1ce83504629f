//! Builtin functions of values. Textures, and what concerns other invocations, stand in files of their own.

use akari_dialect::Builtin;
use akari_dialect_spirv::{Glsl, Opcode};
use akari_ir::Op;
use akari_ir::entity::{Type, ValueId};
use akari_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use super::arithmetic::Shape;
use super::emitter::Emitter;

/// The arguments' ids; a builtin of values has at most four.
pub(super) type Arguments = SmallVec<[u32; 4]>;

impl Emitter<'_> {
    pub(super) fn builtin(&mut self, op: &Op) {
        let function = Builtin::from_index(op.enumerated(0));
        let Some(result) = op.result else {
            return self.effect(function, op);
        };
        let ty = self.module.value_type(result);
        let value = self.builtin_value(function, op, ty);
        self.set(result, value);
        self.value_name(result, value);
    }

    fn effect(&mut self, function: Builtin, op: &Op) {
        match function {
            Builtin::Barrier => self.barrier(),
            Builtin::TextureStore => self.texture_store(op),
            _ => self.fail("a builtin without a result"),
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm a builtin")]
    fn builtin_value(&mut self, function: Builtin, op: &Op, ty: Type) -> u32 {
        match function {
            Builtin::Min => self.minimum_or_maximum(op, ty, false),
            Builtin::Max => self.minimum_or_maximum(op, ty, true),
            Builtin::Clamp => {
                let (x, low, high) = self.three(op);
                let raised = self.extreme(ty, true, x, low);
                self.extreme(ty, false, raised, high)
            }
            Builtin::Min3 | Builtin::Max3 => {
                let (a, b, c) = self.three(op);
                let ab = self.extreme(ty, function == Builtin::Max3, a, b);
                self.extreme(ty, function == Builtin::Max3, ab, c)
            }
            Builtin::Median3 => {
                let (a, b, c) = self.three(op);
                let low = self.extreme(ty, false, a, b);
                let high = self.extreme(ty, true, a, b);
                let high = self.extreme(ty, false, high, c);
                self.extreme(ty, true, low, high)
            }
            Builtin::Abs => self.by_sign(op, ty, Glsl::FAbs, Glsl::SAbs),
            Builtin::Sign => self.by_sign(op, ty, Glsl::FSign, Glsl::SSign),
            Builtin::Floor => self.extended(Glsl::Floor, op, ty),
            Builtin::Ceil => self.extended(Glsl::Ceil, op, ty),
            Builtin::Round => self.extended(Glsl::RoundEven, op, ty),
            Builtin::Trunc => self.extended(Glsl::Trunc, op, ty),
            Builtin::Sin => self.extended(Glsl::Sin, op, ty),
            Builtin::Cos => self.extended(Glsl::Cos, op, ty),
            Builtin::Tan => self.extended(Glsl::Tan, op, ty),
            Builtin::Asin => self.extended(Glsl::Asin, op, ty),
            Builtin::Acos => self.extended(Glsl::Acos, op, ty),
            Builtin::Atan => self.extended(Glsl::Atan, op, ty),
            Builtin::Atan2 => self.extended(Glsl::Atan2, op, ty),
            Builtin::Sqrt => self.extended(Glsl::Sqrt, op, ty),
            Builtin::Rsqrt => self.extended(Glsl::InverseSqrt, op, ty),
            Builtin::Exp => self.extended(Glsl::Exp, op, ty),
            Builtin::Log => self.extended(Glsl::Log, op, ty),
            Builtin::Exp2 => self.extended(Glsl::Exp2, op, ty),
            Builtin::Log2 => self.extended(Glsl::Log2, op, ty),
            Builtin::Pow => self.extended(Glsl::Pow, op, ty),
            Builtin::Fma => self.extended(Glsl::Fma, op, ty),
            Builtin::Normalize => self.extended(Glsl::Normalize, op, ty),
            Builtin::Length => self.extended(Glsl::Length, op, ty),
            Builtin::Distance => self.extended(Glsl::Distance, op, ty),
            Builtin::Cross => self.extended(Glsl::Cross, op, ty),
            Builtin::Reflect => self.extended(Glsl::Reflect, op, ty),
            Builtin::Refract => self.extended(Glsl::Refract, op, ty),
            Builtin::Smoothstep => self.extended(Glsl::SmoothStep, op, ty),
            Builtin::Dot => {
                let arguments = self.arguments(op);
                let ty = self.value_type(ty);
                self.exact(Opcode::Dot, ty, &arguments)
            }
            Builtin::Fract => {
                let (x, ty) = (self.id(op.operands[0]), self.value_type(ty));
                let floor = self.glsl(Glsl::Floor, ty, &[x]);
                self.exact(Opcode::FSub, ty, &[x, floor])
            }
            Builtin::Saturate => {
                let (scalar, width) = self.shape(ty);
                let x = self.id(op.operands[0]);
                let (zero, one) = (self.splat_number(scalar, width, 0.0), self.splat_number(scalar, width, 1.0));
                let ty = self.value_type(ty);
                self.glsl(Glsl::NClamp, ty, &[x, zero, one])
            }
            Builtin::Mix => {
                let (a, b, t) = self.three(op);
                let ty = self.value_type(ty);
                let difference = self.exact(Opcode::FSub, ty, &[b, a]);
                let part = self.exact(Opcode::FMul, ty, &[difference, t]);
                self.exact(Opcode::FAdd, ty, &[a, part])
            }
            Builtin::Step => {
                let (edge, x) = (self.id(op.operands[0]), self.id(op.operands[1]));
                let (scalar, width) = self.shape(ty);
                let bools = self.vector_type(Scalar::Bool, width);
                let below = self.op(Opcode::FOrdLessThan, bools, &[x, edge]);
                let (zero, one) = (self.splat_number(scalar, width, 0.0), self.splat_number(scalar, width, 1.0));
                let ty = self.value_type(ty);
                self.op(Opcode::Select, ty, &[below, zero, one])
            }
            Builtin::Any | Builtin::All => {
                let value = self.id(op.operands[0]);
                if let TypeKind::Scalar(_) = self.module.value_kind(op.operands[0]) {
                    return value;
                }
                let ty = self.value_type(ty);
                self.op(if function == Builtin::Any { Opcode::Any } else { Opcode::All }, ty, &[value])
            }
            Builtin::Select => {
                let (a, b, condition) = self.three(op);
                self.select(condition, self.module.value_type(op.operands[2]), b, a, ty)
            }
            Builtin::IsNan | Builtin::IsInf => self.classify(function, op.operands[0], ty),
            Builtin::Transpose => self.unary(Opcode::Transpose, op.operands[0], ty),
            Builtin::CountBits | Builtin::FirstBitLow | Builtin::FirstBitHigh | Builtin::ReverseBits => {
                self.bit_function(function, op.operands[0], ty)
            }
            Builtin::ExtractBits => self.extract_bits(op, ty),
            Builtin::InsertBits => self.insert_bits(op, ty),
            Builtin::AsUint | Builtin::AsInt | Builtin::AsFloat => {
                let value = self.id(op.operands[0]);
                if self.module.value_type(op.operands[0]) == ty {
                    return value;
                }
                let ty = self.value_type(ty);
                self.op(Opcode::Bitcast, ty, &[value])
            }
            Builtin::Ddx => self.derivative(Opcode::DPdx, op.operands[0], ty),
            Builtin::Ddy => self.derivative(Opcode::DPdy, op.operands[0], ty),
            Builtin::RemapClipZ => self.remap_clip_z(op.operands[0]),
            Builtin::PackUnorm4x8
            | Builtin::UnpackUnorm4x8
            | Builtin::PackUnorm2x16
            | Builtin::UnpackUnorm2x16
            | Builtin::PackSnorm2x16
            | Builtin::UnpackSnorm2x16
            | Builtin::PackHalf2x16
            | Builtin::UnpackHalf2x16
            | Builtin::PackUint4x8
            | Builtin::UnpackUint4x8 => self.packing(function, op.operands[0]),
            Builtin::AtomicAdd
            | Builtin::AtomicSub
            | Builtin::AtomicMin
            | Builtin::AtomicMax
            | Builtin::AtomicAnd
            | Builtin::AtomicOr
            | Builtin::AtomicXor
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchange => self.atomic(function, op, ty),
            Builtin::WavePrefixSum
            | Builtin::WaveSum
            | Builtin::WaveIsFirst
            | Builtin::WaveReadFirst
            | Builtin::WaveAny
            | Builtin::WaveAll
            | Builtin::WaveCount
            | Builtin::WavePrefixCount => self.wave(function, op, ty),
            Builtin::TextureSample
            | Builtin::TextureSampleLevel
            | Builtin::TextureSampleGrad
            | Builtin::TextureSampleCmp
            | Builtin::TextureSampleCmpLevelZero
            | Builtin::TextureGather
            | Builtin::TextureGatherCmp => self.texture_sample(function, op, ty),
            Builtin::TextureLoad => self.texture_load(op, ty),
            Builtin::TextureDimensions => self.texture_dimensions(op, ty),
            Builtin::TextureMipLevels => self.texture_levels(op, ty),
            Builtin::Barrier | Builtin::TextureStore => {
                self.fail("a builtin that has no result is asked for one");
                self.uint(0)
            }
            Builtin::BindlessLoadF32
            | Builtin::BindlessLoadF32x2
            | Builtin::BindlessLoadF32x3
            | Builtin::BindlessLoadF32x4
            | Builtin::BindlessLoadU32
            | Builtin::BindlessTex2d
            | Builtin::BindlessTexCube
            | Builtin::BindlessTex3d
            | Builtin::BindlessTexDepth => {
                self.fail("a bindless table that is no array of resources");
                self.uint(0)
            }
            Builtin::RtVisibility
            | Builtin::RtOccluderDistance
            | Builtin::RtTrace
            | Builtin::RtVisibilityMasked
            | Builtin::RtOccluderDistanceMasked
            | Builtin::RtTraceMasked => {
                self.fail("a ray query that is not written out");
                self.uint(0)
            }
        }
    }

    pub(super) fn arguments(&mut self, op: &Op) -> Arguments {
        op.operands.iter().map(|operand| self.id(*operand)).collect()
    }

    fn three(&mut self, op: &Op) -> (u32, u32, u32) {
        (self.id(op.operands[0]), self.id(op.operands[1]), self.id(op.operands[2]))
    }

    fn extended(&mut self, instruction: Glsl, op: &Op, ty: Type) -> u32 {
        let arguments = self.arguments(op);
        let ty = self.value_type(ty);
        self.glsl(instruction, ty, &arguments)
    }

    fn minimum_or_maximum(&mut self, op: &Op, ty: Type, larger: bool) -> u32 {
        let (a, b) = (self.id(op.operands[0]), self.id(op.operands[1]));
        self.extreme(ty, larger, a, b)
    }

    /// The smaller or the larger; of floats the number where one is NaN.
    fn extreme(&mut self, ty: Type, larger: bool, a: u32, b: u32) -> u32 {
        let (scalar, _) = self.shape(ty);
        let instruction = match (scalar, larger) {
            (Scalar::F16 | Scalar::F32, false) => Glsl::NMin,
            (Scalar::F16 | Scalar::F32, true) => Glsl::NMax,
            (Scalar::I32, false) => Glsl::SMin,
            (Scalar::I32, true) => Glsl::SMax,
            (Scalar::Bool | Scalar::U32 | Scalar::U64, false) => Glsl::UMin,
            (Scalar::Bool | Scalar::U32 | Scalar::U64, true) => Glsl::UMax,
        };
        let ty = self.value_type(ty);
        self.glsl(instruction, ty, &[a, b])
    }

    fn by_sign(&mut self, op: &Op, ty: Type, float: Glsl, int: Glsl) -> u32 {
        let (scalar, _) = self.shape(ty);
        self.extended(if scalar.is_float() { float } else { int }, op, ty)
    }

    /// By their bits: a driver that takes floats lightly may drop `OpIsNan`.
    fn classify(&mut self, function: Builtin, value: ValueId, ty: Type) -> u32 {
        let id = self.id(value);
        let (_, width) = self.shape(ty);
        let from = self.module.value_kind(value).scalar().unwrap_or(Scalar::F32);
        let float = self.convert_id(id, from, Scalar::F32, width);
        let uints = self.vector_type(Scalar::U32, width);
        let bits = self.op(Opcode::Bitcast, uints, &[float]);
        let mask = self.splat_constant(Scalar::U32, width, 0x7fff_ffff);
        let magnitude = self.op(Opcode::BitwiseAnd, uints, &[bits, mask]);
        let infinity = self.splat_constant(Scalar::U32, width, 0x7f80_0000);
        let opcode = if function == Builtin::IsNan { Opcode::UGreaterThan } else { Opcode::IEqual };
        let ty = self.value_type(ty);
        self.op(opcode, ty, &[magnitude, infinity])
    }

    /// Vulkan has derivatives of 32-bit floats only.
    fn derivative(&mut self, opcode: Opcode, value: ValueId, ty: Type) -> u32 {
        let (scalar, width) = self.shape(ty);
        let id = self.id(value);
        let wide = self.convert_id(id, scalar, Scalar::F32, width);
        let float = self.vector_type(Scalar::F32, width);
        let change = self.op(opcode, float, &[wide]);
        self.convert_id(change, Scalar::F32, scalar, width)
    }

    fn remap_clip_z(&mut self, value: ValueId) -> u32 {
        let p = self.id(value);
        let (float, float4) = (self.vector_type(Scalar::F32, 1), self.vector_type(Scalar::F32, 4));
        let z = self.op(Opcode::CompositeExtract, float, &[p, 2]);
        let w = self.op(Opcode::CompositeExtract, float, &[p, 3]);
        let sum = self.exact(Opcode::FAdd, float, &[z, w]);
        let half = self.number(Scalar::F32, 0.5);
        let remapped = self.exact(Opcode::FMul, float, &[sum, half]);
        self.op(Opcode::CompositeInsert, float4, &[remapped, p, 2])
    }

    fn bit_function(&mut self, function: Builtin, value: ValueId, ty: Type) -> u32 {
        let id = self.id(value);
        let (scalar, width) = (self.module.value_kind(value).scalar().unwrap_or(Scalar::U32), self.shape(ty).1);
        if function == Builtin::ReverseBits {
            let ty = self.value_type(ty);
            return self.op(Opcode::BitReverse, ty, &[id]);
        }
        let uints = self.vector_type(Scalar::U32, width);
        if function == Builtin::FirstBitHigh && scalar == Scalar::I32 {
            let ints = self.vector_type(Scalar::I32, width);
            let found = self.glsl(Glsl::FindSMsb, ints, &[id]);
            return self.op(Opcode::Bitcast, uints, &[found]);
        }
        let bits = self.convert_id(id, scalar, Scalar::U32, width);
        match function {
            Builtin::CountBits => self.op(Opcode::BitCount, uints, &[bits]),
            // Both give -1 where there is no such bit.
            Builtin::FirstBitLow => self.glsl(Glsl::FindILsb, uints, &[bits]),
            _ => self.glsl(Glsl::FindUMsb, uints, &[bits]),
        }
    }

    /// Offset and count of a bit field, clamped to where SPIR-V defines them.
    fn bit_field(&mut self, offset: ValueId, count: ValueId) -> (u32, u32) {
        let uint = self.vector_type(Scalar::U32, 1);
        if let (Some(offset), Some(count)) = (self.scalar_of(offset), self.scalar_of(count)) {
            let offset = offset.min(32);
            let count = count.min(32 - offset);
            return (self.uint(offset as u32), self.uint(count as u32));
        }
        let width = self.uint(32);
        let (offset, count) = (self.id(offset), self.id(count));
        let offset = self.glsl(Glsl::UMin, uint, &[offset, width]);
        let left = self.op(Opcode::ISub, uint, &[width, offset]);
        (offset, self.glsl(Glsl::UMin, uint, &[count, left]))
    }

    fn extract_bits(&mut self, op: &Op, ty: Type) -> u32 {
        let base = self.id(op.operands[0]);
        let (offset, count) = self.bit_field(op.operands[1], op.operands[2]);
        let ty = self.value_type(ty);
        self.op(Opcode::BitFieldUExtract, ty, &[base, offset, count])
    }

    fn insert_bits(&mut self, op: &Op, ty: Type) -> u32 {
        let (base, insert) = (self.id(op.operands[0]), self.id(op.operands[1]));
        let (offset, count) = self.bit_field(op.operands[2], op.operands[3]);
        let ty = self.value_type(ty);
        self.op(Opcode::BitFieldInsert, ty, &[base, insert, offset, count])
    }

    /// A component-wise operation on `u32`s with the same constant in each component.
    pub(super) fn with_constant(&mut self, opcode: Opcode, value: u32, constant: u32, shape: Shape) -> u32 {
        let (scalar, width) = shape;
        let ty = self.vector_type(scalar, width);
        let constant = self.splat_constant(scalar, width, u64::from(constant));
        self.op(opcode, ty, &[value, constant])
    }
}
