//! Arithmetic, comparisons, conversions, and putting values together and taking them apart.
//!
//! What SPIR-V leaves undefined is guarded here: division by zero and of the smallest `int` by -1, shift counts beyond the
//! width, conversions of floats that do not fit. Float arithmetic is marked so that no compiler contracts it.

use akari_dialect::{AkariOp, Predicate};
use akari_dialect_spirv::{Glsl, Opcode, StorageClass};
use akari_ir::entity::{Type, ValueId};
use akari_ir::types::{Scalar, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::emitter::Emitter;
use crate::analysis::float_range::FloatRange;
use crate::analysis::range::Range;

/// Scalar and width of a scalar or vector.
pub(super) type Shape = (Scalar, u8);

impl Emitter<'_> {
    /// Scalar and width of a scalar or vector type.
    pub(super) fn shape(&mut self, ty: Type) -> Shape {
        match self.module.kind(ty) {
            TypeKind::Scalar(scalar) => (scalar, 1),
            TypeKind::Vector(scalar, width) => (scalar, width),
            _ => {
                self.fail("an operation on components of what has none");
                (Scalar::U32, 1)
            }
        }
    }

    /// A value's id, repeated where it is a scalar and the operation is on vectors.
    pub(super) fn widened(&mut self, value: ValueId, width: u8) -> u32 {
        let id = self.id(value);
        match self.module.value_kind(value) {
            TypeKind::Scalar(scalar) if width > 1 => match self.scalar_of(value) {
                Some(bits) => self.splat_constant(scalar, width, bits),
                None => self.repeat(id, scalar, width),
            },
            _ => id,
        }
    }

    fn repeat(&mut self, id: u32, scalar: Scalar, width: u8) -> u32 {
        let ty = self.vector_type(scalar, width);
        self.op(Opcode::CompositeConstruct, ty, &[id; 4][..usize::from(width)])
    }

    pub(super) fn splat(&mut self, id: u32, ty: Type) -> u32 {
        let (scalar, width) = self.shape(ty);
        if width == 1 { id } else { self.repeat(id, scalar, width) }
    }

    pub(super) fn unary(&mut self, opcode: Opcode, value: ValueId, ty: Type) -> u32 {
        let value = self.id(value);
        let ty = self.value_type(ty);
        self.op(opcode, ty, &[value])
    }

    pub(super) fn negate(&mut self, value: ValueId, ty: Type) -> u32 {
        let id = self.id(value);
        match self.module.kind(ty) {
            TypeKind::Matrix { columns, rows } => {
                let column = self.vector_type(Scalar::F32, rows);
                self.by_columns(ty, columns, |emitter, index| {
                    let part = emitter.op(Opcode::CompositeExtract, column, &[id, index]);
                    emitter.op(Opcode::FNegate, column, &[part])
                })
            }
            kind => {
                let scalar = kind.scalar();
                let ty = self.value_type(ty);
                match scalar {
                    Some(Scalar::F16 | Scalar::F32) => self.op(Opcode::FNegate, ty, &[id]),
                    Some(Scalar::I32) => self.op(Opcode::SNegate, ty, &[id]),
                    // Readers are puzzled by a negation of what has no sign.
                    Some(Scalar::Bool | Scalar::U32 | Scalar::U64) | None => {
                        let zero = self.null(ty);
                        self.op(Opcode::ISub, ty, &[zero, id])
                    }
                }
            }
        }
    }

    fn by_columns(&mut self, ty: Type, columns: u8, mut column: impl FnMut(&mut Self, u32) -> u32) -> u32 {
        let parts: SmallVec<[u32; 4]> = (0..u32::from(columns)).map(|index| column(self, index)).collect();
        let ty = self.value_type(ty);
        self.op(Opcode::CompositeConstruct, ty, &parts)
    }

    pub(super) fn arithmetic(&mut self, kind: AkariOp, lhs: ValueId, rhs: ValueId, ty: Type) -> u32 {
        if let TypeKind::Matrix { columns, rows } = self.module.kind(ty) {
            return self.matrix_arithmetic(kind, lhs, rhs, ty, columns, rows);
        }
        let (scalar, width) = self.shape(ty);
        if kind == AkariOp::Mul && scalar.is_float() && width > 1 {
            // A vector times a scalar is an instruction of its own.
            match (self.module.value_kind(lhs), self.module.value_kind(rhs)) {
                (TypeKind::Vector(..), TypeKind::Scalar(_)) => return self.vector_times_scalar(lhs, rhs, ty),
                (TypeKind::Scalar(_), TypeKind::Vector(..)) => return self.vector_times_scalar(rhs, lhs, ty),
                _ => {}
            }
        }
        let (a, b) = (self.widened(lhs, width), self.widened(rhs, width));
        let result = self.value_type(ty);
        if scalar.is_float() {
            return self.float_arithmetic(kind, a, b, result, (scalar, width));
        }
        match kind {
            AkariOp::Add => self.op(Opcode::IAdd, result, &[a, b]),
            AkariOp::Sub => self.op(Opcode::ISub, result, &[a, b]),
            AkariOp::Mul => self.op(Opcode::IMul, result, &[a, b]),
            _ => self.division(kind, (lhs, a), (rhs, b), (scalar, width), result),
        }
    }

    fn vector_times_scalar(&mut self, vector: ValueId, scalar: ValueId, ty: Type) -> u32 {
        let (vector, scalar) = (self.id(vector), self.id(scalar));
        let ty = self.value_type(ty);
        self.exact(Opcode::VectorTimesScalar, ty, &[vector, scalar])
    }

    fn float_arithmetic(&mut self, kind: AkariOp, a: u32, b: u32, ty: u32, _: Shape) -> u32 {
        match kind {
            AkariOp::Add => self.exact(Opcode::FAdd, ty, &[a, b]),
            AkariOp::Sub => self.exact(Opcode::FSub, ty, &[a, b]),
            AkariOp::Mul => self.exact(Opcode::FMul, ty, &[a, b]),
            AkariOp::Div => self.exact(Opcode::FDiv, ty, &[a, b]),
            // `OpFRem` may be computed with any precision; the language says x - y*trunc(x/y).
            _ => {
                let quotient = self.exact(Opcode::FDiv, ty, &[a, b]);
                let whole = self.glsl(Glsl::Trunc, ty, &[quotient]);
                let product = self.exact(Opcode::FMul, ty, &[b, whole]);
                self.exact(Opcode::FSub, ty, &[a, product])
            }
        }
    }

    /// Integer division and remainder. A divisor that would make the result undefined is replaced by 1: the quotient of the
    /// smallest `int` by -1 is then itself and its remainder 0, as it should be, and division by zero gives some value.
    fn division(&mut self, kind: AkariOp, lhs: (ValueId, u32), rhs: (ValueId, u32), shape: Shape, ty: u32) -> u32 {
        let (scalar, width) = shape;
        let (a, mut b) = (lhs.1, rhs.1);
        let ones = if scalar == Scalar::U64 { u64::MAX } else { u64::from(u32::MAX) };
        let signed = scalar == Scalar::I32;
        let may_be = |value, number| Range::of(self.module, value).is_none_or(|range| range.contains(number));
        let overflows = signed && may_be(rhs.0, -1) && may_be(lhs.0, i128::from(i32::MIN));
        if may_be(rhs.0, 0) || overflows {
            let bool_type = self.vector_type(Scalar::Bool, width);
            let zero = self.splat_constant(scalar, width, 0);
            let mut unsafe_divisor = self.op(Opcode::IEqual, bool_type, &[b, zero]);
            if overflows {
                let smallest = self.splat_constant(scalar, width, 0x8000_0000);
                let minus_one = self.splat_constant(scalar, width, ones);
                let is_smallest = self.op(Opcode::IEqual, bool_type, &[a, smallest]);
                let by_minus_one = self.op(Opcode::IEqual, bool_type, &[b, minus_one]);
                let overflows = self.op(Opcode::LogicalAnd, bool_type, &[is_smallest, by_minus_one]);
                unsafe_divisor = self.op(Opcode::LogicalOr, bool_type, &[unsafe_divisor, overflows]);
            }
            let one = self.splat_constant(scalar, width, 1);
            b = self.op(Opcode::Select, ty, &[unsafe_divisor, one, b]);
        }
        match (kind, signed) {
            (AkariOp::Div, false) => self.op(Opcode::UDiv, ty, &[a, b]),
            (AkariOp::Div, true) => self.op(Opcode::SDiv, ty, &[a, b]),
            (_, false) => self.op(Opcode::UMod, ty, &[a, b]),
            // Vulkan leaves `OpSRem` of negative operands undefined.
            (_, true) => {
                let quotient = self.op(Opcode::SDiv, ty, &[a, b]);
                let product = self.op(Opcode::IMul, ty, &[quotient, b]);
                self.op(Opcode::ISub, ty, &[a, product])
            }
        }
    }

    fn matrix_arithmetic(&mut self, kind: AkariOp, lhs: ValueId, rhs: ValueId, ty: Type, columns: u8, rows: u8) -> u32 {
        let (a, b) = (self.id(lhs), self.id(rhs));
        let is_matrix = |value| matches!(self.module.value_kind(value), TypeKind::Matrix { .. });
        let (left, right) = (is_matrix(lhs), is_matrix(rhs));
        let result = self.value_type(ty);
        match kind {
            AkariOp::Mul if left && !right => return self.exact(Opcode::MatrixTimesScalar, result, &[a, b]),
            AkariOp::Mul if right && !left => return self.exact(Opcode::MatrixTimesScalar, result, &[b, a]),
            _ => {}
        }
        let column = self.vector_type(Scalar::F32, rows);
        let splat_right = (!right).then(|| self.repeat(b, Scalar::F32, rows));
        let splat_left = (!left).then(|| self.repeat(a, Scalar::F32, rows));
        self.by_columns(ty, columns, |emitter, index| {
            let mut part = |of, splat: Option<u32>| match splat {
                Some(splat) => splat,
                None => emitter.op(Opcode::CompositeExtract, column, &[of, index]),
            };
            let (x, y) = (part(a, splat_left), part(b, splat_right));
            emitter.float_arithmetic(kind, x, y, column, (Scalar::F32, rows))
        })
    }

    pub(super) fn matrix_product(&mut self, lhs: ValueId, rhs: ValueId, ty: Type) -> u32 {
        let (a, b) = (self.id(lhs), self.id(rhs));
        let is_matrix = |value| matches!(self.module.value_kind(value), TypeKind::Matrix { .. });
        let opcode = match (is_matrix(lhs), is_matrix(rhs)) {
            (true, true) => Opcode::MatrixTimesMatrix,
            (true, false) => Opcode::MatrixTimesVector,
            (false, _) => Opcode::VectorTimesMatrix,
        };
        let ty = self.value_type(ty);
        self.exact(opcode, ty, &[a, b])
    }

    pub(super) fn bitwise(&mut self, kind: AkariOp, lhs: ValueId, rhs: ValueId, ty: Type) -> u32 {
        let (_, width) = self.shape(ty);
        let (a, b) = (self.widened(lhs, width), self.widened(rhs, width));
        let opcode = match kind {
            AkariOp::And => Opcode::BitwiseAnd,
            AkariOp::Or => Opcode::BitwiseOr,
            _ => Opcode::BitwiseXor,
        };
        let ty = self.value_type(ty);
        self.op(opcode, ty, &[a, b])
    }

    /// Shifts by the count modulo the width; SPIR-V leaves larger counts undefined.
    pub(super) fn shift(&mut self, kind: AkariOp, value: ValueId, count: ValueId, ty: Type) -> u32 {
        let (scalar, width) = self.shape(ty);
        let bits = u64::from(scalar.bits());
        let a = self.widened(value, width);
        let mut b = self.widened(count, width);
        let counts = Range { low: 0, high: i128::from(bits) - 1 };
        if !Range::of(self.module, count).is_some_and(|range| range.within(counts)) {
            let of = self.module.value_kind(count).scalar().unwrap_or(Scalar::U32);
            let mask = self.splat_constant(of, width, bits - 1);
            let count_type = self.vector_type(of, width);
            b = self.op(Opcode::BitwiseAnd, count_type, &[b, mask]);
        }
        let opcode = match (kind, scalar) {
            (AkariOp::Shl, _) => Opcode::ShiftLeftLogical,
            (_, Scalar::I32) => Opcode::ShiftRightArithmetic,
            _ => Opcode::ShiftRightLogical,
        };
        let ty = self.value_type(ty);
        self.op(opcode, ty, &[a, b])
    }

    pub(super) fn compare(&mut self, predicate: u16, lhs: ValueId, rhs: ValueId, ty: Type) -> u32 {
        let (_, width) = self.shape(ty);
        let (a, b) = (self.widened(lhs, width), self.widened(rhs, width));
        let scalar = self.module.value_kind(lhs).scalar().unwrap_or(Scalar::U32);
        let predicate = Predicate::from_index(predicate);
        let ty = self.value_type(ty);
        self.op(comparison(predicate, scalar), ty, &[a, b])
    }

    pub(super) fn select(&mut self, condition: u32, condition_type: Type, then: u32, otherwise: u32, ty: Type) -> u32 {
        // A scalar condition selects between whole vectors since SPIR-V 1.4; older readers want one for each component.
        let condition = match (self.module.kind(condition_type), self.module.kind(ty)) {
            (TypeKind::Scalar(_), TypeKind::Vector(_, width)) => self.repeat(condition, Scalar::Bool, width),
            _ => condition,
        };
        let ty = self.value_type(ty);
        self.op(Opcode::Select, ty, &[condition, then, otherwise])
    }

    pub(super) fn convert(&mut self, value: ValueId, ty: Type) -> u32 {
        let id = self.id(value);
        let from = self.module.value_kind(value).scalar().unwrap_or(Scalar::U32);
        let (to, width) = self.shape(ty);
        if from.is_float()
            && to.is_integer()
            && FloatRange::of(self.module, value).is_some_and(|range| range.converts_to(to))
        {
            let wide = self.convert_id(id, from, Scalar::F32, width);
            return self.float_to_integer(wide, to, width);
        }
        self.convert_id(id, from, to, width)
    }

    /// Converts an id of one scalar type to another, component by component.
    pub(super) fn convert_id(&mut self, id: u32, from: Scalar, to: Scalar, width: u8) -> u32 {
        use Scalar::{Bool, F16, F32, I32, U32, U64};
        let ty = self.vector_type(to, width);
        match (from, to) {
            (Bool, Bool) | (I32, I32) | (U32, U32) | (U64, U64) | (F16, F16) | (F32, F32) => id,
            (Bool, _) => {
                let one =
                    if to.is_float() { self.splat_number(to, width, 1.0) } else { self.splat_constant(to, width, 1) };
                let zero = self.splat_constant(to, width, 0);
                self.op(Opcode::Select, ty, &[id, one, zero])
            }
            (_, Bool) => {
                let zero = self.splat_constant(from, width, 0);
                // NaN is not zero.
                let opcode = if from.is_float() { Opcode::FUnordNotEqual } else { Opcode::INotEqual };
                self.op(opcode, ty, &[id, zero])
            }
            (I32, U32) | (U32, I32) => self.op(Opcode::Bitcast, ty, &[id]),
            (U32, U64) | (U64, U32) => self.op(Opcode::UConvert, ty, &[id]),
            (I32, U64) => self.op(Opcode::SConvert, ty, &[id]),
            (U64, I32) => {
                let low = self.convert_id(id, U64, U32, width);
                self.op(Opcode::Bitcast, ty, &[low])
            }
            (F16, F32) | (F32, F16) => self.op(Opcode::FConvert, ty, &[id]),
            (I32, F16 | F32) => self.op(Opcode::ConvertSToF, ty, &[id]),
            (U32 | U64, F16 | F32) => self.op(Opcode::ConvertUToF, ty, &[id]),
            (F16, I32 | U32 | U64) => {
                let wide = self.convert_id(id, F16, F32, width);
                self.convert_id(wide, F32, to, width)
            }
            (F32, I32 | U32 | U64) => {
                // Converting a float that does not fit is undefined behaviour; clamped to the nearest ones that do, NaN too.
                let FloatRange { low, high } = FloatRange::convertible(to);
                let (low, high) =
                    (self.splat_number(F32, width, low as f32), self.splat_number(F32, width, high as f32));
                let float = self.vector_type(F32, width);
                let clamped = self.glsl(Glsl::NClamp, float, &[id, low, high]);
                self.float_to_integer(clamped, to, width)
            }
        }
    }

    fn float_to_integer(&mut self, id: u32, to: Scalar, width: u8) -> u32 {
        let ty = self.vector_type(to, width);
        self.op(if to == Scalar::I32 { Opcode::ConvertFToS } else { Opcode::ConvertFToU }, ty, &[id])
    }

    pub(super) fn construct(&mut self, parts: &[ValueId], ty: Type) -> u32 {
        let ids: SmallVec<[u32; 8]> = parts.iter().map(|part| self.id(*part)).collect();
        // A vector made of one part is that part; everything else may have a single part of another type.
        if let (TypeKind::Vector(..) | TypeKind::Scalar(_), [only]) = (self.module.kind(ty), &ids[..]) {
            return *only;
        }
        let ty = self.value_type(ty);
        self.op(Opcode::CompositeConstruct, ty, &ids)
    }

    pub(super) fn index(&mut self, aggregate: ValueId, index: ValueId, ty: Type) -> u32 {
        let of = self.module.value_type(aggregate);
        let Some(length) = self.module.types.length(of) else {
            self.fail("an element of a value that has none");
            return self.uint(0);
        };
        let value = self.id(aggregate);
        let element = self.value_type(ty);
        if let Some(index) = self.scalar_of(index).filter(|index| *index < u64::from(length)) {
            return self.op(Opcode::CompositeExtract, element, &[value, index as u32]);
        }
        let index = self.id(index);
        if let TypeKind::Vector(..) = self.module.kind(of) {
            return self.op(Opcode::VectorExtractDynamic, element, &[value, index]);
        }
        // Only variables are indexed at run time.
        let variable = self.variable(of);
        self.emit(Opcode::Store, &[variable, value]);
        let pointer_type = self.pointer_type(StorageClass::Function, element);
        let pointer = self.op(Opcode::AccessChain, pointer_type, &[variable, index]);
        self.op(Opcode::Load, element, &[pointer])
    }

    pub(super) fn swizzle(&mut self, vector: ValueId, components: &[i64], ty: Type) -> u32 {
        let id = self.id(vector);
        let result = self.value_type(ty);
        match (self.module.value_kind(vector), components) {
            (TypeKind::Scalar(_), [_]) => id,
            (TypeKind::Scalar(_), _) => self.splat(id, ty),
            (_, [component]) => self.op(Opcode::CompositeExtract, result, &[id, *component as u32]),
            _ => {
                let mut operands: SmallVec<[u32; 8]> = smallvec![id, id];
                operands.extend(components.iter().map(|component| *component as u32));
                self.op(Opcode::VectorShuffle, result, &operands)
            }
        }
    }
}

/// The instruction of a comparison. All are false with NaN, except `!=`.
fn comparison(predicate: Predicate, scalar: Scalar) -> Opcode {
    let is_signed = scalar == Scalar::I32;
    match (predicate, scalar) {
        (Predicate::Eq, Scalar::Bool) => Opcode::LogicalEqual,
        (Predicate::Ne, Scalar::Bool) => Opcode::LogicalNotEqual,
        (Predicate::Eq, Scalar::F16 | Scalar::F32) => Opcode::FOrdEqual,
        (Predicate::Ne, Scalar::F16 | Scalar::F32) => Opcode::FUnordNotEqual,
        (Predicate::Lt, Scalar::F16 | Scalar::F32) => Opcode::FOrdLessThan,
        (Predicate::Le, Scalar::F16 | Scalar::F32) => Opcode::FOrdLessThanEqual,
        (Predicate::Gt, Scalar::F16 | Scalar::F32) => Opcode::FOrdGreaterThan,
        (Predicate::Ge, Scalar::F16 | Scalar::F32) => Opcode::FOrdGreaterThanEqual,
        (Predicate::Eq, _) => Opcode::IEqual,
        (Predicate::Ne, _) => Opcode::INotEqual,
        (Predicate::Lt, _) => {
            if is_signed {
                Opcode::SLessThan
            } else {
                Opcode::ULessThan
            }
        }
        (Predicate::Le, _) => {
            if is_signed {
                Opcode::SLessThanEqual
            } else {
                Opcode::ULessThanEqual
            }
        }
        (Predicate::Gt, _) => {
            if is_signed {
                Opcode::SGreaterThan
            } else {
                Opcode::UGreaterThan
            }
        }
        (Predicate::Ge, _) => {
            if is_signed {
                Opcode::SGreaterThanEqual
            } else {
                Opcode::UGreaterThanEqual
            }
        }
    }
}
