//! Places: pointers, loads and stores, and the difference between a value and how it lies in a buffer.

use akari_dialect::component;
use akari_dialect_gpu_abi::Packing;
use akari_dialect_spirv::{Opcode, Scope, StorageClass};
use akari_ir::Op;
use akari_ir::entity::{Type, ValueId};
use akari_ir::types::{BufferKind, Scalar, Space, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::emitter::{Emitter, Meaning};
use super::types::Memory;

/// Up to how many scalars and vectors an aggregate is converted part by part; beyond, arrays are converted in a loop.
const UNROLLED: u64 = 64;

/// Up to how many scalars and vectors a struct may have that is copied part by part.
const PARTS: u64 = 1 << 20;

/// A pointer that is not made yet: the access chain is written where the place is used.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A variable, or a parameter that is a pointer.
    pub(super) base: u32,
    pub(super) class: StorageClass,
    /// How what it points at lies there.
    pub(super) memory: Memory,
    /// Indices from the base.
    pub(super) chain: SmallVec<[u32; 4]>,
    /// Whether plain loads and stores are atomic ones.
    pub(super) atomic: bool,
    /// The pointer and the block that it was made in, once it was: it serves the rest of that block.
    pub(super) made: Option<(u32, u32)>,
}

impl Place {
    /// A whole variable without a layout.
    pub(super) fn variable(base: u32, class: StorageClass) -> Self {
        Self { base, class, memory: Memory::Value, chain: SmallVec::new(), atomic: false, made: None }
    }
}

impl Emitter<'_> {
    /// Says which place a value is.
    pub(super) fn set_place(&mut self, value: ValueId, place: Place) {
        self.meanings.set(value, Meaning::Place(self.places.len() as u32));
        self.places.push(place);
    }

    /// The place that a value is.
    pub(super) fn place(&mut self, value: ValueId) -> Option<Place> {
        match *self.meanings.get(value) {
            Meaning::Place(index) => Some(self.places[index as usize].clone()),
            Meaning::None | Meaning::Id(_) | Meaning::Resource(_) => {
                self.fail("a place is used that is none");
                None
            }
        }
    }

    fn pointee(&self, value: ValueId) -> Option<Type> {
        self.module.types.as_place(self.module.value_type(value)).map(|(_, pointee)| pointee)
    }

    /// The pointer to a place, and the place.
    pub(super) fn pointer(&mut self, value: ValueId, pointee: Type) -> Option<(u32, Place)> {
        let Meaning::Place(index) = *self.meanings.get(value) else {
            self.fail("a place is used that is none");
            return None;
        };
        let place = self.places[index as usize].clone();
        if place.chain.is_empty() {
            return Some((place.base, place));
        }
        if let Some((pointer, _)) = place.made.filter(|(_, block)| *block == self.f.block) {
            return Some((pointer, place));
        }
        let pointee = self.type_in(pointee, place.memory);
        let pointer = self.chain(place.class, place.base, pointee, &place.chain);
        self.places[index as usize].made = Some((pointer, self.f.block));
        Some((pointer, place))
    }

    fn chain(&mut self, class: StorageClass, base: u32, pointee: u32, indices: &[u32]) -> u32 {
        let ty = self.pointer_type(class, pointee);
        let mut operands: SmallVec<[u32; 8]> = smallvec![base];
        operands.extend_from_slice(indices);
        let pointer = self.op(Opcode::AccessChain, ty, &operands);
        self.inherit_non_uniform(pointer, &operands);
        pointer
    }

    /// The pointer for an atomic operation, and the scope it is among.
    pub(super) fn atomic_pointer(&mut self, value: ValueId) -> Option<(u32, Scope)> {
        let pointee = self.pointee(value)?;
        let (pointer, place) = self.pointer(value, pointee)?;
        let scope = if place.class == StorageClass::Workgroup { Scope::Workgroup } else { Scope::Device };
        Some((pointer, scope))
    }

    pub(super) fn member(&mut self, op: &Op) {
        let (Some(result), Some(mut place)) = (op.result, self.place(op.operands[0])) else { return };
        if let Some(TypeKind::Struct(id)) = self.pointee(op.operands[0]).map(|ty| self.module.kind(ty)) {
            place.memory = place.memory.inside(&self.module.structs[id]);
        }
        let index = self.uint(op.int(0) as u32);
        place.chain.push(index);
        place.made = None;
        self.set_place(result, place);
    }

    pub(super) fn element(&mut self, op: &Op) {
        let (Some(result), Some(mut place)) = (op.result, self.place(op.operands[0])) else { return };
        let index = self.id(op.operands[1]);
        place.chain.push(index);
        place.made = None;
        self.set_place(result, place);
    }

    pub(super) fn global_place(&mut self, op: &Op) {
        let Some(result) = op.result else { return };
        let (base, class) = self.global_variable(op.global(0));
        self.set_place(result, Place::variable(base, class));
    }

    pub(super) fn contents(&mut self, op: &Op) {
        let Some(index) = op.result.map(|_| self.uint(0)) else { return };
        self.buffer_place(op, index, BufferKind::Uniform, &[]);
    }

    pub(super) fn buffer_element(&mut self, op: &Op) {
        let TypeKind::Buffer(kind, _) = self.module.value_kind(op.operands[0]) else {
            return self.fail("an element of what is no buffer");
        };
        let first = self.uint(0);
        let index = self.id(op.operands[1]);
        self.buffer_place(op, first, kind, &[index]);
    }

    fn buffer_place(&mut self, op: &Op, member: u32, kind: BufferKind, indices: &[u32]) {
        let Some(result) = op.result else { return };
        let (base, class, mut chain) = match *self.meanings.get(op.operands[0]) {
            Meaning::Resource(global) => {
                let (base, class) = self.global_variable(global);
                (base, class, SmallVec::new())
            }
            Meaning::Place(index) => {
                let element = &self.places[index as usize];
                (element.base, element.class, element.chain.clone())
            }
            Meaning::None | Meaning::Id(_) => return self.fail("a buffer that is no global"),
        };
        chain.push(member);
        chain.extend_from_slice(indices);
        let memory = Memory::Packed(Packing::of_buffer(kind));
        let atomic = kind.space() == Space::Atomic;
        self.set_place(result, Place { base, class, memory, chain, atomic, made: None });
    }

    /// The value in a place.
    pub(super) fn load_place(&mut self, value: ValueId, ty: Type) -> u32 {
        let Some((pointer, place)) = self.pointer(value, ty) else { return self.uint(0) };
        if place.atomic {
            return self.atomic_load(pointer, ty);
        }
        self.load(pointer, place.class, place.memory, ty)
    }

    /// Writes a place.
    pub(super) fn store_place(&mut self, target: ValueId, value: u32) {
        let Some(ty) = self.pointee(target) else { return };
        let Some((pointer, place)) = self.pointer(target, ty) else { return };
        if place.atomic {
            return self.atomic_store(pointer, value);
        }
        self.store(pointer, place.class, place.memory, ty, value);
    }

    fn atomic_load(&mut self, pointer: u32, ty: Type) -> u32 {
        let ty = self.value_type(ty);
        let (scope, relaxed) = (self.uint(Scope::Device as u32), self.uint(0));
        self.op(Opcode::AtomicLoad, ty, &[pointer, scope, relaxed])
    }

    fn atomic_store(&mut self, pointer: u32, value: u32) {
        let (scope, relaxed) = (self.uint(Scope::Device as u32), self.uint(0));
        self.emit(Opcode::AtomicStore, &[pointer, scope, relaxed, value]);
    }

    fn load(&mut self, pointer: u32, class: StorageClass, memory: Memory, ty: Type) -> u32 {
        let Memory::Packed(packing) = memory else {
            let ty = self.value_type(ty);
            return self.op(Opcode::Load, ty, &[pointer]);
        };
        match self.module.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) => self.load_bools(pointer, 1),
            TypeKind::Vector(Scalar::Bool, width) => self.load_bools(pointer, width),
            TypeKind::Array(element, length) if self.content(ty).bools => {
                self.load_array(pointer, class, memory, ty, element, length)
            }
            TypeKind::Struct(id) if self.content(ty).bools => {
                if self.is_too_large(ty) {
                    return self.uint(0);
                }
                let structure = &self.module.structs[id];
                let inside = memory.inside(structure);
                let mut parts = Vec::with_capacity(structure.fields.len());
                for (index, field) in structure.fields.iter().enumerate() {
                    let part = self.part(pointer, class, inside, field.ty, index as u32);
                    parts.push(self.load(part, class, inside, field.ty));
                }
                let ty = self.value_type(ty);
                self.op(Opcode::CompositeConstruct, ty, &parts)
            }
            TypeKind::Array(..) | TypeKind::Struct(_) => {
                let lies = self.type_in(ty, Memory::Packed(packing));
                let loaded = self.op(Opcode::Load, lies, &[pointer]);
                let ty = self.value_type(ty);
                self.op(Opcode::CopyLogical, ty, &[loaded])
            }
            _ => {
                let ty = self.value_type(ty);
                self.op(Opcode::Load, ty, &[pointer])
            }
        }
    }

    fn load_bools(&mut self, pointer: u32, width: u8) -> u32 {
        let stored = self.vector_type(Scalar::U32, width);
        let loaded = self.op(Opcode::Load, stored, &[pointer]);
        let zero = self.splat_constant(Scalar::U32, width, 0);
        let ty = self.vector_type(Scalar::Bool, width);
        self.op(Opcode::INotEqual, ty, &[loaded, zero])
    }

    /// The pointer to a part with a fixed index.
    fn part(&mut self, pointer: u32, class: StorageClass, memory: Memory, part: Type, index: u32) -> u32 {
        let index = self.uint(index);
        let pointee = self.type_in(part, memory);
        self.chain(class, pointer, pointee, &[index])
    }

    fn load_array(
        &mut self,
        pointer: u32,
        class: StorageClass,
        memory: Memory,
        ty: Type,
        element: Type,
        length: u32,
    ) -> u32 {
        let array = self.value_type(ty);
        if self.content(ty).leaves <= UNROLLED {
            let mut parts = Vec::with_capacity(length as usize);
            for index in 0..length {
                let part = self.part(pointer, class, memory, element, index);
                parts.push(self.load(part, class, memory, element));
            }
            return self.op(Opcode::CompositeConstruct, array, &parts);
        }
        let variable = self.variable(ty);
        self.for_each_index(length, |emitter, index| {
            let lies = emitter.type_in(element, memory);
            let from = emitter.chain(class, pointer, lies, &[index]);
            let value = emitter.load(from, class, memory, element);
            let element = emitter.value_type(element);
            let to = emitter.chain(StorageClass::Function, variable, element, &[index]);
            emitter.emit(Opcode::Store, &[to, value]);
        });
        self.op(Opcode::Load, array, &[variable])
    }

    /// A store writes the bytes of the value and none between: an aggregate with padding goes member by member.
    fn store(&mut self, pointer: u32, class: StorageClass, memory: Memory, ty: Type, value: u32) {
        let Memory::Packed(packing) = memory else {
            return self.emit(Opcode::Store, &[pointer, value]);
        };
        match self.module.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) => self.store_bools(pointer, value, 1),
            TypeKind::Vector(Scalar::Bool, width) => self.store_bools(pointer, value, width),
            TypeKind::Array(..) | TypeKind::Struct(_) if self.is_plain(ty, packing) => {
                let lies = self.type_in(ty, memory);
                let copy = self.op(Opcode::CopyLogical, lies, &[value]);
                self.emit(Opcode::Store, &[pointer, copy]);
            }
            TypeKind::Struct(id) => {
                if self.is_too_large(ty) {
                    return;
                }
                let structure = &self.module.structs[id];
                let inside = memory.inside(structure);
                for (index, field) in structure.fields.iter().enumerate() {
                    let field_type = self.value_type(field.ty);
                    let part = self.op(Opcode::CompositeExtract, field_type, &[value, index as u32]);
                    let to = self.part(pointer, class, inside, field.ty, index as u32);
                    self.store(to, class, inside, field.ty, part);
                }
            }
            TypeKind::Array(element, length) => self.store_array(pointer, class, memory, ty, element, length, value),
            _ => self.emit(Opcode::Store, &[pointer, value]),
        }
    }

    /// Whether a struct has more parts than anybody copies one by one.
    fn is_too_large(&mut self, ty: Type) -> bool {
        let too_large = self.content(ty).leaves > PARTS;
        if too_large {
            self.fail("a struct of more than a million parts is read or written as a whole");
        }
        too_large
    }

    /// Whether an aggregate lies in memory as its value is: without padding and without truth values.
    fn is_plain(&mut self, ty: Type, packing: Packing) -> bool {
        let content = self.content(ty);
        !content.bools && content.bytes == u64::from(self.layout(ty, packing).size)
    }

    fn store_bools(&mut self, pointer: u32, value: u32, width: u8) {
        let ty = self.vector_type(Scalar::U32, width);
        let one = self.splat_constant(Scalar::U32, width, 1);
        let zero = self.splat_constant(Scalar::U32, width, 0);
        let stored = self.op(Opcode::Select, ty, &[value, one, zero]);
        self.emit(Opcode::Store, &[pointer, stored]);
    }

    #[allow(clippy::too_many_arguments, reason = "a store of an array is all of this")]
    fn store_array(
        &mut self,
        pointer: u32,
        class: StorageClass,
        memory: Memory,
        ty: Type,
        element: Type,
        length: u32,
        value: u32,
    ) {
        let element_type = self.value_type(element);
        if self.content(ty).leaves <= UNROLLED {
            for index in 0..length {
                let part = self.op(Opcode::CompositeExtract, element_type, &[value, index]);
                let to = self.part(pointer, class, memory, element, index);
                self.store(to, class, memory, element, part);
            }
            return;
        }
        let variable = self.variable(ty);
        self.emit(Opcode::Store, &[variable, value]);
        self.for_each_index(length, |emitter, index| {
            let from = emitter.chain(StorageClass::Function, variable, element_type, &[index]);
            let part = emitter.op(Opcode::Load, element_type, &[from]);
            let lies = emitter.type_in(element, memory);
            let to = emitter.chain(class, pointer, lies, &[index]);
            emitter.store(to, class, memory, element, part);
        });
    }

    pub(super) fn store_components(&mut self, op: &Op) {
        let (Some(place), Some(vector)) = (self.place(op.operands[0]), self.pointee(op.operands[0])) else { return };
        let value = self.id(op.operands[1]);
        let TypeKind::Vector(scalar, width) = self.module.kind(vector) else {
            return self.fail("components of what is no vector");
        };
        let components: SmallVec<[i64; 4]> = op.ints(0).iter().map(|number| component(*number)).collect();
        let component_type = self.vector_type(scalar, 1);
        if place.class == StorageClass::Function && components.len() > 1 {
            let Some((pointer, _)) = self.pointer(op.operands[0], vector) else { return };
            let ty = self.value_type(vector);
            let old = self.op(Opcode::Load, ty, &[pointer]);
            // In a shuffle the second vector's components are numbered after the first's.
            let mut operands: SmallVec<[u32; 8]> = smallvec![old, value];
            for component in 0..i64::from(width) {
                let from = components.iter().position(|written| *written == component);
                operands.push(from.map_or(component as u32, |from| u32::from(width) + from as u32));
            }
            let new = self.op(Opcode::VectorShuffle, ty, &operands);
            return self.emit(Opcode::Store, &[pointer, new]);
        }
        // Other invocations may write the other components: only the named ones are touched.
        for (from, component) in components.iter().enumerate() {
            let part = if components.len() == 1 {
                value
            } else {
                self.op(Opcode::CompositeExtract, component_type, &[value, from as u32])
            };
            let stored = match place.memory {
                Memory::Packed(_) if scalar == Scalar::Bool => self.vector_type(Scalar::U32, 1),
                _ => component_type,
            };
            let mut chain = place.chain.clone();
            chain.push(self.uint(*component as u32));
            let pointer = self.chain(place.class, place.base, stored, &chain);
            match place.memory {
                Memory::Packed(_) if scalar == Scalar::Bool => self.store_bools(pointer, part, 1),
                _ => self.emit(Opcode::Store, &[pointer, part]),
            }
        }
    }

    /// Runs `body` for each index below `length`, in a loop.
    fn for_each_index(&mut self, length: u32, body: impl FnOnce(&mut Self, u32)) {
        let uint = self.vector_type(Scalar::U32, 1);
        let (zero, one, length) = (self.uint(0), self.uint(1), self.uint(length));
        let [header, start, next, merge] = [(); 4].map(|()| self.fresh());
        let (index, after) = (self.fresh(), self.fresh());
        let before = self.f.block;
        self.emit(Opcode::Branch, &[header]);
        self.emit(Opcode::Label, &[header]);
        self.emit(Opcode::Phi, &[uint, index, zero, before, after, next]);
        self.emit(Opcode::LoopMerge, &[merge, next, 0]);
        self.emit(Opcode::Branch, &[start]);
        self.emit(Opcode::Label, &[start]);
        self.f.block = start;
        body(self, index);
        self.emit(Opcode::Branch, &[next]);
        self.emit(Opcode::Label, &[next]);
        self.emit(Opcode::IAdd, &[uint, after, index, one]);
        let bool_type = self.vector_type(Scalar::Bool, 1);
        let more = self.op(Opcode::ULessThan, bool_type, &[after, length]);
        self.emit(Opcode::BranchConditional, &[more, header, merge]);
        self.emit(Opcode::Label, &[merge]);
        self.lines.end_block();
        self.f.block = merge;
    }
}
