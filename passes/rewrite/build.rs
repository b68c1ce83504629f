//! Building core operations whose types follow from their operands.

use akari_dialect::{AkariOp, Builtin, Predicate, signature};
use akari_ir::op::Attr;
use akari_ir::{ConstId, Constant, RegionId, Scalar, Space, Type, TypeKind, ValueId};

use super::Rewriter;

impl Rewriter<'_> {
    /// A core operation with a result of type `ty`.
    pub fn core(&mut self, op: AkariOp, operands: &[ValueId], attrs: &[Attr], ty: Type) -> ValueId {
        self.value_of(op.def(), operands, attrs, ty)
    }

    /// The type of a value.
    #[must_use]
    pub fn type_of(&self, value: ValueId) -> Type {
        self.module.value_type(value)
    }

    /// What the type of a value is made of.
    #[must_use]
    pub fn kind(&self, value: ValueId) -> TypeKind {
        self.module.value_kind(value)
    }

    /// The type of this kind.
    pub fn ty(&mut self, kind: TypeKind) -> Type {
        self.module.types.intern(kind)
    }

    /// The scalar or vector type of the width of `like`, made of `scalar`.
    pub fn shaped(&mut self, like: Type, scalar: Scalar) -> Type {
        let width = self.module.kind(like).width().unwrap_or(1);
        self.module.types.vector(scalar, width)
    }

    /// The scalar type of a value, where it is a number, truth value or vector.
    #[must_use]
    pub fn scalar_of(&self, value: ValueId) -> Option<Scalar> {
        self.kind(value).scalar()
    }

    /// The width of a scalar or vector; 1 for all else.
    #[must_use]
    pub fn width_of(&self, value: ValueId) -> u8 {
        self.kind(value).width().unwrap_or(1)
    }

    /// A constant.
    pub fn constant(&mut self, constant: ConstId) -> ValueId {
        let ty = self.module.constant(constant).ty();
        self.core(AkariOp::Const, &[], &[Attr::Const(constant)], ty)
    }

    /// A scalar constant by its bits.
    pub fn bits(&mut self, scalar: Scalar, bits: u64) -> ValueId {
        let constant = self.module.scalar_constant(scalar, bits);
        self.constant(constant)
    }

    /// A `u32` constant.
    pub fn uint(&mut self, value: u32) -> ValueId {
        self.bits(Scalar::U32, u64::from(value))
    }

    /// A small whole number as a constant of any scalar type of numbers.
    pub fn number(&mut self, scalar: Scalar, value: i16) -> ValueId {
        let bits = match scalar {
            Scalar::Bool => u64::from(value != 0),
            Scalar::I32 | Scalar::U32 => u64::from(i32::from(value) as u32),
            Scalar::U64 => i64::from(value) as u64,
            Scalar::F16 => u64::from(half::f16::from_f32(f32::from(value)).to_bits()),
            Scalar::F32 => u64::from(f32::from(value).to_bits()),
        };
        self.bits(scalar, bits)
    }

    /// A constant of type `ty`, a scalar or vector: the number `value` in each component.
    pub fn filled(&mut self, ty: Type, value: f64) -> ValueId {
        let bits = match self.module.kind(ty).scalar().unwrap_or(Scalar::F32) {
            Scalar::F32 => u64::from((value as f32).to_bits()),
            Scalar::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            Scalar::Bool => u64::from(value != 0.0),
            Scalar::I32 | Scalar::U32 => u64::from(value as i64 as u32),
            Scalar::U64 => value as u64,
        };
        self.filled_bits(ty, bits)
    }

    /// A constant of type `ty`, a scalar or vector, with these bits in each component.
    pub fn filled_bits(&mut self, ty: Type, bits: u64) -> ValueId {
        let kind = self.module.kind(ty);
        let part = self.module.scalar_constant(kind.scalar().unwrap_or(Scalar::U32), bits);
        let constant = match kind {
            TypeKind::Vector(_, width) => {
                self.module.constants.intern(Constant::Composite(ty, vec![part; usize::from(width)].into()))
            }
            _ => part,
        };
        self.constant(constant)
    }

    /// An `f32` constant.
    pub fn float(&mut self, value: f32) -> ValueId {
        self.bits(Scalar::F32, u64::from(value.to_bits()))
    }

    /// The constant that a value is, if it is one written in place.
    #[must_use]
    pub fn known(&self, value: ValueId) -> Option<ConstId> {
        let op = self.module.op(self.module.defining_op(value)?);
        (AkariOp::of(op) == Some(AkariOp::Const)).then(|| op.constant(0))
    }

    /// The bits of a scalar constant, or of a vector constant whose components are all alike.
    #[must_use]
    pub fn known_bits(&self, value: ValueId) -> Option<u64> {
        uniform_bits(self.module, self.known(value)?)
    }

    /// A vector with `value` in each component; `value` itself for width 1.
    pub fn splat(&mut self, value: ValueId, width: u8) -> ValueId {
        let TypeKind::Scalar(scalar) = self.kind(value) else { return value };
        if width == 1 {
            return value;
        }
        let ty = self.ty(TypeKind::Vector(scalar, width));
        self.core(AkariOp::Splat, &[value], &[], ty)
    }

    /// The operation of two operands of which one may be a scalar beside a vector.
    pub fn binary(&mut self, op: AkariOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let of = if self.width_of(lhs) >= self.width_of(rhs) { lhs } else { rhs };
        let ty = match (self.kind(lhs), self.kind(rhs)) {
            (TypeKind::Matrix { .. }, _) => self.module.value_type(lhs),
            (_, TypeKind::Matrix { .. }) => self.module.value_type(rhs),
            (left, _) => match left.scalar() {
                Some(scalar) => {
                    let width = self.width_of(of);
                    self.ty(TypeKind::vector(scalar, width))
                }
                None => self.module.value_type(of),
            },
        };
        self.core(op, &[lhs, rhs], &[], ty)
    }

    /// A shift by a number of bits that is known.
    pub fn shift(&mut self, op: AkariOp, value: ValueId, count: u32) -> ValueId {
        let count = self.uint(count);
        let ty = self.type_of(value);
        self.core(op, &[value, count], &[], ty)
    }

    /// An operation of one operand whose result has its type.
    pub fn unary(&mut self, op: AkariOp, value: ValueId) -> ValueId {
        let ty = self.module.value_type(value);
        self.core(op, &[value], &[], ty)
    }

    /// A comparison.
    pub fn compare(&mut self, predicate: Predicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let width = self.width_of(lhs).max(self.width_of(rhs));
        let ty = self.ty(TypeKind::vector(Scalar::Bool, width));
        self.core(AkariOp::Compare, &[lhs, rhs], &[predicate.attr()], ty)
    }

    /// A conversion of each component; the value itself where it has the type already.
    pub fn convert(&mut self, value: ValueId, scalar: Scalar) -> ValueId {
        if self.scalar_of(value) == Some(scalar) {
            return value;
        }
        let width = self.width_of(value);
        let ty = self.ty(TypeKind::vector(scalar, width));
        self.core(AkariOp::Convert, &[value], &[], ty)
    }

    /// A component, column, element or field.
    pub fn extract(&mut self, aggregate: ValueId, index: u32) -> ValueId {
        if let TypeKind::Vector(..) = self.kind(aggregate) {
            return self.swizzle(aggregate, &[index as u8]);
        }
        let ty = match self.kind(aggregate) {
            TypeKind::Struct(id) => self.module.structs[id].fields[index as usize].ty,
            _ => {
                let of = self.module.value_type(aggregate);
                self.module.types.element(of).unwrap_or(of)
            }
        };
        self.core(AkariOp::Extract, &[aggregate], &[Attr::Int(i64::from(index))], ty)
    }

    /// A component of a vector; of a scalar, itself.
    pub fn extract_component(&mut self, value: ValueId, index: u8) -> ValueId {
        match self.kind(value) {
            TypeKind::Vector(..) => self.swizzle(value, &[index]),
            _ => value,
        }
    }

    /// Components of a vector; of a scalar, itself. Looks through what made the vector.
    pub fn swizzle(&mut self, vector: ValueId, components: &[u8]) -> ValueId {
        let TypeKind::Vector(scalar, width) = self.kind(vector) else {
            return self.splat(vector, components.len() as u8);
        };
        if let Some(part) = self.part_of_made(vector, scalar, components) {
            return part;
        }
        if components.len() == usize::from(width) && components.iter().enumerate().all(|(i, c)| i == usize::from(*c)) {
            return vector;
        }
        let ty = self.ty(TypeKind::vector(scalar, components.len() as u8));
        if let [component] = components {
            return self.core(AkariOp::Extract, &[vector], &[Attr::Int(i64::from(*component))], ty);
        }
        let components = components.iter().map(|component| i64::from(*component)).collect();
        self.core(AkariOp::Swizzle, &[vector], &[Attr::Ints(components)], ty)
    }

    /// These components of a vector that stands before us as it is made: of parts that hold exactly them, of one scalar, or of constants.
    fn part_of_made(&mut self, vector: ValueId, scalar: Scalar, components: &[u8]) -> Option<ValueId> {
        let op = self.module.op(self.module.defining_op(vector)?);
        match AkariOp::of(op)? {
            AkariOp::Construct => {
                let parts = self.parts_that_hold(&op.operands, components)?.to_vec();
                let ty = self.ty(TypeKind::vector(scalar, components.len() as u8));
                Some(self.construct(ty, &parts))
            }
            AkariOp::Splat => {
                let all = op.operands[0];
                Some(self.splat(all, components.len() as u8))
            }
            AkariOp::Const => {
                let whole = op.constant(0);
                let zero = self.module.scalar_constant(scalar, 0);
                let parts: Vec<ConstId> = match self.module.constant(whole) {
                    Constant::Composite(_, parts) => {
                        components.iter().map(|component| parts[usize::from(*component)]).collect()
                    }
                    Constant::Zero(_) | Constant::Scalar(..) => vec![zero; components.len()],
                };
                let constant = match *parts.as_slice() {
                    [only] => only,
                    _ => {
                        let ty = self.ty(TypeKind::vector(scalar, components.len() as u8));
                        self.module.constants.intern(Constant::Composite(ty, parts.into()))
                    }
                };
                Some(self.constant(constant))
            }
            _ => None,
        }
    }

    /// The operands of a vector's `construct`, next to one another, that hold exactly these components.
    fn parts_that_hold<'o>(&self, operands: &'o [ValueId], components: &[u8]) -> Option<&'o [ValueId]> {
        let in_a_row = components.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let from = *components.first().filter(|_| in_a_row)?;
        let to = from + components.len() as u8;
        let mut at = 0;
        let (mut first, mut last) = (None, None);
        for (index, part) in operands.iter().enumerate() {
            first = if at == from { first.or(Some(index)) } else { first };
            at += self.width_of(*part);
            last = if at == to { Some(index) } else { last };
        }
        operands.get(first?..=last?)
    }

    /// A value of this type from its parts; the part itself where it is all of it.
    pub fn construct(&mut self, ty: Type, parts: &[ValueId]) -> ValueId {
        if let [part] = parts
            && self.module.value_type(*part) == ty
        {
            return *part;
        }
        self.core(AkariOp::Construct, parts, &[], ty)
    }

    /// A vector of its scalars and vectors.
    pub fn vector(&mut self, parts: &[ValueId]) -> ValueId {
        let scalar = parts.first().and_then(|part| self.scalar_of(*part)).unwrap_or(Scalar::F32);
        let width = parts.iter().map(|part| self.width_of(*part)).sum();
        let ty = self.ty(TypeKind::vector(scalar, width));
        self.construct(ty, parts)
    }

    /// `condition ? if_true : if_false` of values that are both there.
    pub fn select(&mut self, condition: ValueId, if_true: ValueId, if_false: ValueId) -> ValueId {
        let ty = self.module.value_type(if_true);
        self.core(AkariOp::Select, &[condition, if_true, if_false], &[], ty)
    }

    /// A call of a builtin function of values.
    ///
    /// # Panics
    /// Where the builtin gives nothing: passes call those that give something.
    pub fn builtin(&mut self, builtin: Builtin, arguments: &[ValueId]) -> ValueId {
        let kinds: Vec<_> = arguments.iter().map(|argument| self.kind(*argument)).collect();
        let result = signature::result(builtin, &kinds);
        let kind = result.ok().flatten().unwrap_or_else(|| panic!("`{}` is built of the wrong types", builtin.name()));
        let ty = self.ty(kind);
        self.core(AkariOp::Builtin, arguments, &[builtin.attr()], ty)
    }

    /// The bits of a value as another scalar type of 32 bits.
    pub fn as_bits(&mut self, value: ValueId, scalar: Scalar) -> ValueId {
        if self.scalar_of(value) == Some(scalar) {
            return value;
        }
        let builtin = match scalar {
            Scalar::I32 => Builtin::AsInt,
            Scalar::F32 => Builtin::AsFloat,
            Scalar::Bool | Scalar::U32 | Scalar::U64 | Scalar::F16 => Builtin::AsUint,
        };
        self.builtin(builtin, &[value])
    }

    /// A variable of this type.
    pub fn local(&mut self, ty: Type, init: Option<ValueId>, name: &str) -> ValueId {
        let place = self.module.types.place(Space::Function, ty);
        let local = self.core(AkariOp::Local, init.as_slice(), &[], place);
        self.name(local, name)
    }

    /// What a place holds.
    pub fn load(&mut self, place: ValueId) -> ValueId {
        let ty = self.pointee(place);
        self.core(AkariOp::Load, &[place], &[], ty)
    }

    /// Writes a place.
    pub fn store(&mut self, place: ValueId, value: ValueId) {
        self.op(AkariOp::Store.def(), &[place, value], &[], &[], None);
    }

    /// The type of what a place holds; for what is no place, its own type.
    #[must_use]
    pub fn pointee(&self, place: ValueId) -> Type {
        let ty = self.module.value_type(place);
        self.module.types.as_place(ty).map_or(ty, |(_, pointee)| pointee)
    }

    /// The space of a place.
    #[must_use]
    pub fn space(&self, place: ValueId) -> Space {
        self.module.types.as_place(self.module.value_type(place)).map_or(Space::Function, |(space, _)| space)
    }

    /// The place of what a uniform holds.
    pub fn contents(&mut self, uniform: ValueId) -> ValueId {
        let of = self.type_of(uniform);
        let ty = match self.kind(uniform) {
            TypeKind::Buffer(kind, contents) => self.module.types.place(kind.space(), contents),
            _ => of,
        };
        self.core(AkariOp::Contents, &[uniform], &[], ty)
    }

    /// The place of a field.
    pub fn member(&mut self, place: ValueId, index: u32) -> ValueId {
        let (space, of) = (self.space(place), self.pointee(place));
        let ty = match self.module.kind(of) {
            TypeKind::Struct(id) => self.module.structs[id].fields[index as usize].ty,
            _ => of,
        };
        let ty = self.module.types.place(space, ty);
        self.core(AkariOp::Member, &[place], &[Attr::Int(i64::from(index))], ty)
    }

    /// The place of a component, column or element.
    pub fn element(&mut self, place: ValueId, index: ValueId) -> ValueId {
        let (space, of) = (self.space(place), self.pointee(place));
        let element = match self.module.kind(of) {
            TypeKind::Memory(akari_ir::MemoryType::PackedVector(scalar, _)) => self.module.types.scalar(scalar),
            _ => self.module.types.element(of).unwrap_or(of),
        };
        let ty = self.module.types.place(space, element);
        self.core(AkariOp::Element, &[place, index], &[], ty)
    }

    /// Runs a region where `condition` is true.
    pub fn if_then(&mut self, condition: ValueId, then: impl FnOnce(&mut Self)) {
        let (then, ()) = self.region_of(then);
        let otherwise = self.module.new_region();
        self.op(AkariOp::If.def(), &[condition], &[akari_dialect::BranchHint::None.attr()], &[then, otherwise], None);
    }

    /// A region that ends in a `yield` of what `build` gives.
    pub fn yielding(&mut self, build: impl FnOnce(&mut Self) -> ValueId) -> RegionId {
        let (region, ()) = self.region_of(|rewriter| {
            let value = build(rewriter);
            rewriter.op(AkariOp::Yield.def(), &[value], &[], &[], None);
        });
        region
    }

    /// `lhs && rhs`, or with `OrElse` `lhs || rhs`.
    pub fn short_circuit(&mut self, op: AkariOp, lhs: ValueId, rhs: impl FnOnce(&mut Self) -> ValueId) -> ValueId {
        let rhs = self.yielding(rhs);
        let ty = self.module.value_type(lhs);
        let op = self.op(op.def(), &[lhs], &[], &[rhs], Some(ty));
        self.module.op(op).result.unwrap_or(lhs)
    }
}

/// The bits of a scalar constant, or of a vector constant whose components are all alike.
#[must_use]
pub fn uniform_bits(module: &akari_ir::Module, constant: ConstId) -> Option<u64> {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => Some(*bits),
        Constant::Composite(ty, parts) if matches!(module.kind(*ty), TypeKind::Vector(..)) => {
            let first = parts.first()?;
            parts.iter().all(|part| part == first).then(|| uniform_bits(module, *first))?
        }
        Constant::Zero(ty) if matches!(module.kind(*ty), TypeKind::Vector(..)) => Some(0),
        Constant::Composite(..) | Constant::Zero(_) => None,
    }
}
