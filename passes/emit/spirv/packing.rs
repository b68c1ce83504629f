//! Packing and unpacking, by the formulas of the language: the instructions of `GLSL.std.450` round as a driver likes.

use akari_dialect::Builtin;
use akari_dialect_spirv::{Glsl, Opcode};
use akari_ir::entity::ValueId;
use akari_ir::types::Scalar;
use smallvec::SmallVec;

use super::emitter::Emitter;

impl Emitter<'_> {
    pub(super) fn packing(&mut self, function: Builtin, value: ValueId) -> u32 {
        let value = self.id(value);
        match function {
            Builtin::PackUnorm4x8 => {
                let fields = self.quantize_unorm(value, 4, 255.0);
                self.pack_fields(fields, 4)
            }
            Builtin::PackUnorm2x16 => {
                let fields = self.quantize_unorm(value, 2, 65535.0);
                self.pack_fields(fields, 2)
            }
            Builtin::PackSnorm2x16 => {
                let fields = self.quantize_snorm(value);
                self.pack_fields(fields, 2)
            }
            Builtin::PackUint4x8 => {
                let fields = self.with_constant(Opcode::BitwiseAnd, value, 0xff, (Scalar::U32, 4));
                self.pack_fields(fields, 4)
            }
            Builtin::PackHalf2x16 => {
                let fields = self.half_bits(value);
                self.pack_fields(fields, 2)
            }
            Builtin::UnpackUint4x8 => self.unpack_fields(value, 4),
            Builtin::UnpackUnorm4x8 => self.expand_unorm(value, 4, 255.0),
            Builtin::UnpackUnorm2x16 => self.expand_unorm(value, 2, 65535.0),
            Builtin::UnpackSnorm2x16 => self.expand_snorm(value),
            _ => {
                let float2 = self.vector_type(Scalar::F32, 2);
                self.glsl(Glsl::UnpackHalf2x16, float2, &[value])
            }
        }
    }

    fn quantize_unorm(&mut self, value: u32, width: u8, scale: f32) -> u32 {
        let scaled = self.scaled(value, width, 0.0, scale);
        let uints = self.vector_type(Scalar::U32, width);
        self.op(Opcode::ConvertFToU, uints, &[scaled])
    }

    /// `clamp(value, low, 1) * scale + 0.5`
    fn scaled(&mut self, value: u32, width: u8, low: f32, scale: f32) -> u32 {
        let floats = self.vector_type(Scalar::F32, width);
        let low = self.splat_number(Scalar::F32, width, low);
        let high = self.splat_number(Scalar::F32, width, 1.0);
        let scale = self.splat_number(Scalar::F32, width, scale);
        let half = self.splat_number(Scalar::F32, width, 0.5);
        let clamped = self.glsl(Glsl::NClamp, floats, &[value, low, high]);
        let product = self.exact(Opcode::FMul, floats, &[clamped, scale]);
        self.exact(Opcode::FAdd, floats, &[product, half])
    }

    fn quantize_snorm(&mut self, value: u32) -> u32 {
        let (floats, ints, uints) =
            (self.vector_type(Scalar::F32, 2), self.vector_type(Scalar::I32, 2), self.vector_type(Scalar::U32, 2));
        let scaled = self.scaled(value, 2, -1.0, 32767.0);
        let floor = self.glsl(Glsl::Floor, floats, &[scaled]);
        let whole = self.op(Opcode::ConvertFToS, ints, &[floor]);
        let bits = self.op(Opcode::Bitcast, uints, &[whole]);
        self.with_constant(Opcode::BitwiseAnd, bits, 0xffff, (Scalar::U32, 2))
    }

    /// The bits of the nearest `half` of each component, ties to even.
    ///
    /// A normal half has the float's exponent less 112, and its mantissa rounded to 10 bits: a carry out of the mantissa goes to
    /// the exponent, as it should, up to infinity. A subnormal one counts multiples of 2^-24, which is the distance of floats
    /// from 0.5 up: adding 0.5 rounds to them.
    fn half_bits(&mut self, value: u32) -> u32 {
        const SHAPE: (Scalar, u8) = (Scalar::U32, 2);
        let (floats, uints, bools) =
            (self.vector_type(Scalar::F32, 2), self.vector_type(Scalar::U32, 2), self.vector_type(Scalar::Bool, 2));
        let bits = self.op(Opcode::Bitcast, uints, &[value]);
        let magnitude = self.with_constant(Opcode::BitwiseAnd, bits, 0x7fff_ffff, SHAPE);
        let high = self.with_constant(Opcode::ShiftRightLogical, bits, 16, SHAPE);
        let sign = self.with_constant(Opcode::BitwiseAnd, high, 0x8000, SHAPE);

        let low = self.with_constant(Opcode::ShiftRightLogical, magnitude, 13, SHAPE);
        let odd = self.with_constant(Opcode::BitwiseAnd, low, 1, SHAPE);
        let carried = self.op(Opcode::IAdd, uints, &[magnitude, odd]);
        // 0xfff rounds down from below the middle; the exponent's bias goes from 127 to 15.
        let biased = self.with_constant(Opcode::ISub, carried, (112 << 23) - 0xfff, SHAPE);
        let normal = self.with_constant(Opcode::ShiftRightLogical, biased, 13, SHAPE);
        let infinity = self.splat_constant(Scalar::U32, 2, 0x7c00);
        let normal = self.glsl(Glsl::UMin, uints, &[normal, infinity]);

        let absolute = self.op(Opcode::Bitcast, floats, &[magnitude]);
        let half = self.splat_number(Scalar::F32, 2, 0.5);
        let sum = self.exact(Opcode::FAdd, floats, &[absolute, half]);
        let sum = self.op(Opcode::Bitcast, uints, &[sum]);
        let subnormal = self.with_constant(Opcode::ISub, sum, 0x3f00_0000, SHAPE);

        let smallest_normal = self.splat_constant(Scalar::U32, 2, 113 << 23);
        let is_small = self.op(Opcode::ULessThan, bools, &[magnitude, smallest_normal]);
        let number = self.op(Opcode::Select, uints, &[is_small, subnormal, normal]);
        let float_infinity = self.splat_constant(Scalar::U32, 2, 0x7f80_0000);
        let is_nan = self.op(Opcode::UGreaterThan, bools, &[magnitude, float_infinity]);
        let nan = self.splat_constant(Scalar::U32, 2, 0x7e00);
        let number = self.op(Opcode::Select, uints, &[is_nan, nan, number]);
        self.op(Opcode::BitwiseOr, uints, &[number, sign])
    }

    /// Puts the components side by side, the first lowest; each fits its field.
    fn pack_fields(&mut self, fields: u32, width: u8) -> u32 {
        let uint = self.vector_type(Scalar::U32, 1);
        let bits = 32 / u32::from(width);
        let mut packed = self.op(Opcode::CompositeExtract, uint, &[fields, 0]);
        for index in 1..u32::from(width) {
            let field = self.op(Opcode::CompositeExtract, uint, &[fields, index]);
            let count = self.uint(bits * index);
            let shifted = self.op(Opcode::ShiftLeftLogical, uint, &[field, count]);
            packed = self.op(Opcode::BitwiseOr, uint, &[packed, shifted]);
        }
        packed
    }

    fn unpack_fields(&mut self, value: u32, width: u8) -> u32 {
        let uints = self.vector_type(Scalar::U32, width);
        let bits = 32 / u32::from(width);
        let counts: SmallVec<[u32; 4]> = (0..u32::from(width)).map(|index| self.uint(bits * index)).collect();
        let counts = self.composite(uints, &counts);
        let copies = self.op(Opcode::CompositeConstruct, uints, &[value; 4][..usize::from(width)]);
        let shifted = self.op(Opcode::ShiftRightLogical, uints, &[copies, counts]);
        self.with_constant(Opcode::BitwiseAnd, shifted, (1 << bits) - 1, (Scalar::U32, width))
    }

    fn expand_unorm(&mut self, value: u32, width: u8, scale: f32) -> u32 {
        let floats = self.vector_type(Scalar::F32, width);
        let fields = self.unpack_fields(value, width);
        let numbers = self.op(Opcode::ConvertUToF, floats, &[fields]);
        let scale = self.splat_number(Scalar::F32, width, scale);
        self.exact(Opcode::FDiv, floats, &[numbers, scale])
    }

    fn expand_snorm(&mut self, value: u32) -> u32 {
        let (int, ints, floats) =
            (self.vector_type(Scalar::I32, 1), self.vector_type(Scalar::I32, 2), self.vector_type(Scalar::F32, 2));
        let bits = self.op(Opcode::Bitcast, int, &[value]);
        let (zero, sixteen) = (self.uint(0), self.uint(16));
        let low = self.op(Opcode::BitFieldSExtract, int, &[bits, zero, sixteen]);
        let high = self.op(Opcode::BitFieldSExtract, int, &[bits, sixteen, sixteen]);
        let fields = self.op(Opcode::CompositeConstruct, ints, &[low, high]);
        let numbers = self.op(Opcode::ConvertSToF, floats, &[fields]);
        let scale = self.splat_number(Scalar::F32, 2, 32767.0);
        let quotient = self.exact(Opcode::FDiv, floats, &[numbers, scale]);
        let least = self.splat_number(Scalar::F32, 2, -1.0);
        self.glsl(Glsl::NMax, floats, &[quotient, least])
    }
}
