//! Types: as values, and as they lie in buffers.
//!
//! A struct or array has one type id as a value (in locals, groupshared memory, signatures) and others for each packing in
//! which it lies in a buffer, with explicit offsets and strides. In a buffer `bool` is a 32-bit integer.

use akari_dialect_gpu_abi::Packing;
use akari_dialect_spirv::{Capability, Decoration, Opcode, StorageClass};
use akari_ir::entity::{StructId, Type};
use akari_ir::types::{MemoryType, Scalar, TypeKind};

use super::emitter::Emitter;
use super::words::{push, push_text};

/// How a value lies where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Memory {
    /// Without a layout.
    Value,
    /// In a buffer.
    Packed(Packing),
}

impl Memory {
    pub(super) fn index(self) -> usize {
        match self {
            Self::Value => 0,
            Self::Packed(Packing::Uniform) => 1,
            Self::Packed(Packing::Storage) => 2,
        }
    }

    /// The memory inside a struct in this one.
    pub(super) fn inside(self, structure: &akari_ir::Struct) -> Self {
        match self {
            Self::Value => Self::Value,
            Self::Packed(packing) => Self::Packed(packing.inside(structure)),
        }
    }
}

impl Emitter<'_> {
    /// The scalar type for width 1, else the vector type.
    pub(super) fn vector_type(&mut self, scalar: Scalar, width: u8) -> u32 {
        let known = self.vectors[scalar as usize][usize::from(width)];
        if known != 0 {
            return known;
        }
        let id = if width > 1 {
            let component = self.vector_type(scalar, 1);
            self.type_id(Opcode::TypeVector, &[component, u32::from(width)])
        } else {
            match scalar {
                Scalar::Bool => self.type_id(Opcode::TypeBool, &[]),
                Scalar::I32 => self.type_id(Opcode::TypeInt, &[32, 1]),
                Scalar::U32 => self.type_id(Opcode::TypeInt, &[32, 0]),
                Scalar::U64 => {
                    self.sections.capability(Capability::Int64);
                    self.type_id(Opcode::TypeInt, &[64, 0])
                }
                Scalar::F16 => {
                    self.sections.capability(Capability::Float16);
                    self.type_id(Opcode::TypeFloat, &[16])
                }
                Scalar::F32 => self.type_id(Opcode::TypeFloat, &[32]),
            }
        };
        self.vectors[scalar as usize][usize::from(width)] = id;
        id
    }

    /// The type of a value.
    pub(super) fn value_type(&mut self, ty: Type) -> u32 {
        self.type_in(ty, Memory::Value)
    }

    /// The type of what lies in memory.
    pub(super) fn type_in(&mut self, ty: Type, memory: Memory) -> u32 {
        let known = *self.types[memory.index()].get(ty);
        if known != 0 {
            return known;
        }
        let stored = |scalar| if scalar == Scalar::Bool && memory != Memory::Value { Scalar::U32 } else { scalar };
        let id = match self.module.kind(ty) {
            TypeKind::Scalar(scalar) => self.vector_type(stored(scalar), 1),
            TypeKind::Vector(scalar, width) => self.vector_type(stored(scalar), width),
            TypeKind::Matrix { columns, rows } => self.matrix_type(columns, rows),
            TypeKind::Array(element, length) => self.array_type(ty, element, length, memory),
            TypeKind::Struct(id) => self.struct_type(ty, id, memory),
            TypeKind::Texture(dim, texel) => self.texture_type(dim, texel),
            TypeKind::StorageTexture(dim, format) => self.storage_texture_type(dim, format),
            TypeKind::Sampler | TypeKind::SamplerCmp => self.sampler_type(),
            TypeKind::AccelStruct => self.ray_type(Opcode::TypeAccelerationStructureKHR),
            TypeKind::Memory(MemoryType::RayQuery) => self.ray_type(Opcode::TypeRayQueryKHR),
            TypeKind::Place(..)
            | TypeKind::Buffer(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Function(_)
            | TypeKind::Memory(
                MemoryType::PackedVector(..) | MemoryType::Atomic(_) | MemoryType::Padding(_) | MemoryType::Bytes,
            )
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::ResourceArray(..) => {
                self.fail("a value of a type that SPIR-V has no values of");
                self.vector_type(Scalar::U32, 1)
            }
        };
        self.types[memory.index()].set(ty, id);
        id
    }

    fn matrix_type(&mut self, columns: u8, rows: u8) -> u32 {
        let known = self.matrices[usize::from(columns)][usize::from(rows)];
        if known != 0 {
            return known;
        }
        let column = self.vector_type(Scalar::F32, rows);
        let id = self.type_id(Opcode::TypeMatrix, &[column, u32::from(columns)]);
        self.matrices[usize::from(columns)][usize::from(rows)] = id;
        id
    }

    fn array_type(&mut self, ty: Type, element: Type, length: u32, memory: Memory) -> u32 {
        let element = self.type_in(element, memory);
        let length = self.uint(length);
        let id = self.type_id(Opcode::TypeArray, &[element, length]);
        if let Memory::Packed(packing) = memory {
            let stride = self.layout(ty, packing).stride.unwrap_or(0);
            self.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    fn struct_type(&mut self, ty: Type, id: StructId, memory: Memory) -> u32 {
        let structure = &self.module.structs[id];
        // A packed struct lies in a uniform as it does in a storage buffer.
        let inside = memory.inside(structure);
        if inside != memory {
            return self.type_in(ty, inside);
        }
        let members: Vec<u32> = structure.fields.iter().map(|field| self.type_in(field.ty, memory)).collect();
        let type_id = self.type_id(Opcode::TypeStruct, &members);
        self.name(type_id, structure.name);
        for (index, field) in structure.fields.iter().enumerate() {
            let text = self.module.text(field.name);
            push_text(&mut self.sections.names, Opcode::MemberName, &[type_id, index as u32], text, &[]);
        }
        if let Memory::Packed(packing) = memory {
            let offsets: Vec<u32> = match self.layouts.structure(self.module, ty, packing) {
                Ok(layout) => layout.fields.iter().map(|field| field.offset).collect(),
                Err(_) => {
                    self.fail("a struct in a buffer has no layout");
                    return type_id;
                }
            };
            for (index, (field, offset)) in structure.fields.iter().zip(offsets).enumerate() {
                self.decorate_member(type_id, index as u32, Decoration::Offset, &[offset]);
                self.matrix_layout(type_id, index as u32, field.ty, packing);
            }
        }
        type_id
    }

    /// Says how the columns of a member that is a matrix, or arrays of matrices, lie.
    pub(super) fn matrix_layout(&mut self, of: u32, member: u32, mut ty: Type, packing: Packing) {
        while let TypeKind::Array(element, _) = self.module.kind(ty) {
            ty = element;
        }
        if let TypeKind::Matrix { .. } = self.module.kind(ty) {
            let stride = self.layout(ty, packing).stride.unwrap_or(16);
            self.decorate_member(of, member, Decoration::ColMajor, &[]);
            self.decorate_member(of, member, Decoration::MatrixStride, &[stride]);
        }
    }

    /// The type of pointers into a storage class.
    pub(super) fn pointer_type(&mut self, class: StorageClass, pointee: u32) -> u32 {
        if let Some(id) = self.pointers.get(&(class, pointee)) {
            return *id;
        }
        let id = self.type_id(Opcode::TypePointer, &[class as u32, pointee]);
        self.pointers.insert((class, pointee), id);
        id
    }

    /// A type that may be declared once only: what it is made of decides whether it was.
    pub(super) fn unique_type(&mut self, opcode: Opcode, operands: &[u32]) -> u32 {
        let mut key = Vec::with_capacity(operands.len() + 1);
        key.push(opcode as u32);
        key.extend_from_slice(operands);
        if let Some(id) = self.unique.get(&key) {
            return *id;
        }
        let id = self.type_id(opcode, operands);
        self.unique.insert(key, id);
        id
    }

    /// The type of functions without a result.
    pub(super) fn void_type(&mut self) -> u32 {
        if self.void == 0 {
            self.void = self.type_id(Opcode::TypeVoid, &[]);
        }
        self.void
    }

    /// Declares a type. The caller sees to it that none is declared twice where that is not allowed.
    pub(super) fn type_id(&mut self, opcode: Opcode, operands: &[u32]) -> u32 {
        let id = self.fresh();
        let words = &mut self.sections.globals;
        words.push(((operands.len() as u32 + 2) << 16) | opcode as u32);
        words.push(id);
        words.extend_from_slice(operands);
        id
    }

    /// What a type is made of, found once a type: a struct may hold two of a struct that holds two of a struct.
    pub(super) fn content(&mut self, ty: Type) -> Content {
        if let Some(known) = *self.contents.get(ty) {
            return known;
        }
        let module = self.module;
        let content = match module.kind(ty) {
            TypeKind::Scalar(scalar) => Content::of(scalar, 1),
            TypeKind::Vector(scalar, width) => Content::of(scalar, width),
            TypeKind::Matrix { columns, rows } => Content::of(Scalar::F32, rows).times(columns.into()),
            TypeKind::Array(element, length) => self.content(element).times(length),
            TypeKind::Buffer(_, element) => self.content(element),
            TypeKind::Struct(id) => {
                module.structs[id].fields.iter().fold(Content::default(), |all, field| all.and(self.content(field.ty)))
            }
            TypeKind::Place(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Function(_)
            | TypeKind::Memory(_)
            | TypeKind::Texture(..)
            | TypeKind::StorageTexture(..)
            | TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::AccelStruct
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::ResourceArray(..) => Content::default(),
        };
        self.contents.set(ty, Some(content));
        content
    }

    pub(super) fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let words = &mut self.sections.annotations;
        words.push(((operands.len() as u32 + 3) << 16) | Opcode::Decorate as u32);
        words.extend([id, decoration as u32]);
        words.extend_from_slice(operands);
    }

    pub(super) fn decorate_member(&mut self, of: u32, member: u32, decoration: Decoration, operands: &[u32]) {
        let words = &mut self.sections.annotations;
        words.push(((operands.len() as u32 + 4) << 16) | Opcode::MemberDecorate as u32);
        words.extend([of, member, decoration as u32]);
        words.extend_from_slice(operands);
    }

    fn sampler_type(&mut self) -> u32 {
        if self.sampler == 0 {
            let id = self.fresh();
            push(&mut self.sections.globals, Opcode::TypeSampler, &[id]);
            self.sampler = id;
        }
        self.sampler
    }
}

/// What a type is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// Bytes without any padding.
    pub(super) bytes: u64,
    /// How many scalars, vectors and columns.
    pub(super) leaves: u64,
    /// Whether there are truth values.
    pub(super) bools: bool,
    /// Whether there are 16-bit floats.
    pub(super) halves: bool,
}

impl Content {
    fn of(scalar: Scalar, width: u8) -> Self {
        let bytes = match scalar {
            Scalar::F16 => 2,
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::U64 => 8,
        };
        let (bools, halves) = (scalar == Scalar::Bool, scalar == Scalar::F16);
        Self { bytes: bytes * u64::from(width), leaves: 1, bools, halves }
    }

    fn times(self, count: u32) -> Self {
        let times = |number: u64| number.saturating_mul(count.into());
        Self { bytes: times(self.bytes), leaves: times(self.leaves), ..self }
    }

    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            leaves: self.leaves.saturating_add(other.leaves),
            bools: self.bools || other.bools,
            halves: self.halves || other.halves,
        }
    }
}
