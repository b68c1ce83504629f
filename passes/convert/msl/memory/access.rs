//! Loads and stores that convert between memory types and the types of values.

use akari_dialect::{AkariOp, LoopHint, LoopTest, Predicate};
use akari_dialect_msl::MslOp;
use akari_ir::interface::PassMode;
use akari_ir::{Attr, FuncId, MemoryType, Scalar, Type, TypeKind, ValueId};

use super::{Memory, Transfer};
use crate::rewrite::Rewriter;
use crate::rewrite::functions::NewParam;

/// Arrays of up to this many elements are copied one by one, longer ones in a loop.
const UNROLLED: u32 = 4;

impl Memory {
    /// The place of an element, within what pads it.
    pub(super) fn element(&self, r: &mut Rewriter<'_>, place: ValueId, index: ValueId) -> ValueId {
        let element = r.element(place, index);
        match r.module.kind(r.pointee(element)) {
            TypeKind::Struct(id) if self.types.is_wrapper(id) => r.member(element, 0),
            _ => element,
        }
    }

    /// Whether a place holds an array of C: a field of a structure of memory, or an array in one.
    fn is_c_array(&self, r: &Rewriter<'_>, place: ValueId) -> bool {
        if !matches!(r.module.kind(r.pointee(place)), TypeKind::Array(..)) {
            return false;
        }
        let mut place = place;
        while let Some(op) = r.module.defining_op(place) {
            let op = r.module.op(op);
            match AkariOp::of(op) {
                Some(AkariOp::Element) => place = op.operands[0],
                Some(AkariOp::Member) => {
                    return matches!(r.module.kind(r.pointee(op.operands[0])), TypeKind::Struct(id) if self.types.is_made(id));
                }
                _ => return false,
            }
        }
        false
    }

    fn element_at(&self, r: &mut Rewriter<'_>, place: ValueId, index: u32) -> ValueId {
        let index = r.uint(index);
        self.element(r, place, index)
    }

    /// The value of type `ty` in a place of a memory type.
    pub(super) fn load(&mut self, r: &mut Rewriter<'_>, place: ValueId, ty: Type) -> ValueId {
        let memory = r.pointee(place);
        if memory == ty && !self.is_c_array(r, place) {
            return r.load(place);
        }
        match (r.module.kind(ty), r.module.kind(memory)) {
            (TypeKind::Scalar(Scalar::Bool), TypeKind::Scalar(_)) => {
                let bits = r.load(place);
                truth(r, bits)
            }
            (TypeKind::Scalar(_), TypeKind::Memory(MemoryType::Atomic(_))) => {
                r.value_of(MslOp::AtomicLoad.def(), &[place], &[], ty)
            }
            (TypeKind::Scalar(_), TypeKind::Vector(..) | TypeKind::Memory(MemoryType::PackedVector(..))) => {
                let first = self.element_at(r, place, 0);
                self.load(r, first, ty)
            }
            (
                TypeKind::Vector(scalar, width),
                TypeKind::Vector(..) | TypeKind::Memory(MemoryType::PackedVector(..)),
            ) => {
                let mut vector = r.load(place);
                if let TypeKind::Memory(MemoryType::PackedVector(of, width)) = r.kind(vector) {
                    let unpacked = r.ty(TypeKind::Vector(of, width));
                    vector = r.value_of(MslOp::Unpack.def(), &[vector], &[], unpacked);
                }
                let components: Vec<u8> = (0..width).collect();
                let vector = r.swizzle(vector, &components);
                if scalar == Scalar::Bool { truth(r, vector) } else { vector }
            }
            (TypeKind::Matrix { columns, rows }, _) => {
                let column = r.ty(TypeKind::Vector(Scalar::F32, rows));
                let parts: Vec<ValueId> = (0..u32::from(columns))
                    .map(|index| {
                        let place = self.element_at(r, place, index);
                        self.load(r, place, column)
                    })
                    .collect();
                r.construct(ty, &parts)
            }
            (TypeKind::Array(element, length), _) if length <= UNROLLED => {
                let parts: Vec<ValueId> = (0..length)
                    .map(|index| {
                        let place = self.element_at(r, place, index);
                        self.load(r, place, element)
                    })
                    .collect();
                r.construct(ty, &parts)
            }
            (TypeKind::Array(element, length), _) => {
                let copy = r.local(ty, None, "values");
                self.each_index(r, length, |memory, r, index| {
                    let from = memory.element(r, place, index);
                    let value = memory.load(r, from, element);
                    let to = r.element(copy, index);
                    r.store(to, value);
                });
                r.load(copy)
            }
            (TypeKind::Struct(_), _) => {
                let func = self.transfer(r, Transfer::Load, place, ty);
                match r.call(func, &[place]) {
                    Some(value) => value,
                    None => place,
                }
            }
            _ => r.load(place),
        }
    }

    /// Writes a value to a place of a memory type. Bytes between fields keep what they hold.
    pub(super) fn store(&mut self, r: &mut Rewriter<'_>, place: ValueId, value: ValueId) {
        let (memory, ty) = (r.pointee(place), r.module.value_type(value));
        if memory == ty && !self.is_c_array(r, place) {
            return r.store(place, value);
        }
        match (r.module.kind(ty), r.module.kind(memory)) {
            (TypeKind::Scalar(Scalar::Bool), TypeKind::Scalar(scalar)) => {
                let bits = r.convert(value, scalar);
                r.store(place, bits);
            }
            (TypeKind::Scalar(_), TypeKind::Memory(MemoryType::Atomic(_))) => {
                r.op(MslOp::AtomicStore.def(), &[place, value], &[], &[], None);
            }
            (TypeKind::Scalar(_), TypeKind::Vector(..) | TypeKind::Memory(MemoryType::PackedVector(..))) => {
                let first = self.element_at(r, place, 0);
                self.store(r, first, value);
            }
            (
                TypeKind::Vector(_, width),
                TypeKind::Vector(_, of) | TypeKind::Memory(MemoryType::PackedVector(_, of)),
            ) if width < of => {
                let components: Vec<u8> = (0..width).collect();
                self.store_components(r, place, value, &components);
            }
            (TypeKind::Vector(..), memory_kind) => {
                let value = bits_of_truth(r, value);
                if let TypeKind::Memory(MemoryType::PackedVector(..)) = memory_kind {
                    let packed = r.value_of(MslOp::Pack.def(), &[value], &[], memory);
                    r.store(place, packed);
                } else {
                    r.store(place, value);
                }
            }
            (TypeKind::Matrix { columns, .. }, _) => {
                for index in 0..u32::from(columns) {
                    let column = r.extract(value, index);
                    let to = self.element_at(r, place, index);
                    self.store(r, to, column);
                }
            }
            (TypeKind::Array(_, length), _) if length <= UNROLLED => {
                for index in 0..length {
                    let element = r.extract(value, index);
                    let to = self.element_at(r, place, index);
                    self.store(r, to, element);
                }
            }
            (TypeKind::Array(element, length), _) => self.each_index(r, length, |memory, r, index| {
                let element = r.value_of(AkariOp::Index.def(), &[value, index], &[], element);
                let to = memory.element(r, place, index);
                memory.store(r, to, element);
            }),
            (TypeKind::Struct(_), _) => {
                let func = self.transfer(r, Transfer::Store, place, ty);
                r.call(func, &[place, value]);
            }
            _ => r.store(place, value),
        }
    }

    /// Writes components of a vector.
    pub(super) fn store_components(&mut self, r: &mut Rewriter<'_>, place: ValueId, value: ValueId, components: &[u8]) {
        let value = bits_of_truth(r, value);
        if let TypeKind::Vector(..) = r.module.kind(r.pointee(place)) {
            let components = components.iter().map(|component| i64::from(*component)).collect();
            r.op(AkariOp::StoreComponents.def(), &[place, value], &[Attr::Ints(components)], &[], None);
            return;
        }
        // A packed vector has no swizzles.
        for (from, to) in components.iter().enumerate() {
            let part = r.extract_component(value, from as u8);
            let to = self.element_at(r, place, u32::from(*to));
            r.store(to, part);
        }
    }

    /// A loop over the indices of an array.
    fn each_index(
        &mut self,
        r: &mut Rewriter<'_>,
        length: u32,
        body: impl FnOnce(&mut Self, &mut Rewriter<'_>, ValueId),
    ) {
        let uint = r.ty(TypeKind::Scalar(Scalar::U32));
        let zero = r.uint(0);
        let counter = r.local(uint, Some(zero), "i");
        let test = r.yielding(|r| {
            let (index, length) = (r.load(counter), r.uint(length));
            r.compare(Predicate::Lt, index, length)
        });
        let (body, ()) = r.region_of(|r| {
            let index = r.load(counter);
            body(self, r, index);
        });
        let (step, ()) = r.region_of(|r| {
            let (index, one) = (r.load(counter), r.uint(1));
            let next = r.binary(AkariOp::Add, index, one);
            r.store(counter, next);
        });
        let attrs = [LoopTest::Before.attr(), LoopHint::None.attr(), Attr::Int(0)];
        r.op(AkariOp::Loop.def(), &[], &attrs, &[test, body, step], None);
    }

    /// The function that loads or stores a structure.
    fn transfer(&mut self, r: &mut Rewriter<'_>, transfer: Transfer, place: ValueId, ty: Type) -> FuncId {
        let (space, memory) = (r.space(place), r.pointee(place));
        let key = (transfer, space, memory, ty);
        if let Some(func) = self.functions.get(&key) {
            return *func;
        }
        let TypeKind::Struct(id) = r.module.kind(ty) else {
            unreachable!("only structures are transferred by functions")
        };
        let fields: Vec<Type> = r.module.structs[id].fields.iter().map(|field| field.ty).collect();
        let memory_id = match r.module.kind(memory) {
            TypeKind::Struct(memory_id) => memory_id,
            _ => id,
        };
        let place_ty = r.module.types.place(space, memory);
        let func = match transfer {
            Transfer::Load => {
                let params = [NewParam { name: "source", ty: place_ty, mode: PassMode::Ref }];
                r.add_function("load", &params, Some(ty), |r, params| {
                    let parts: Vec<ValueId> = fields
                        .iter()
                        .enumerate()
                        .map(|(index, field)| {
                            let from = r.member(params[0], self.types.field(memory_id, index as u32));
                            self.load(r, from, *field)
                        })
                        .collect();
                    Some(r.construct(ty, &parts))
                })
            }
            Transfer::Store => {
                let params =
                    [NewParam { name: "target", ty: place_ty, mode: PassMode::Inout }, NewParam::value("value", ty)];
                r.add_function("store", &params, None, |r, params| {
                    for index in 0..fields.len() as u32 {
                        let to = r.member(params[0], self.types.field(memory_id, index));
                        let part = r.extract(params[1], index);
                        self.store(r, to, part);
                    }
                    None
                })
            }
        };
        self.functions.insert(key, func);
        func
    }
}

/// Whether each number is not zero.
fn truth(r: &mut Rewriter<'_>, bits: ValueId) -> ValueId {
    let zero = r.uint(0);
    r.compare(Predicate::Ne, bits, zero)
}

/// Truth values as the numbers that memory holds; other values as they are.
fn bits_of_truth(r: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    if r.scalar_of(value) == Some(Scalar::Bool) { r.convert(value, Scalar::U32) } else { value }
}
