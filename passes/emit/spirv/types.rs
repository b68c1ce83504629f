//! Types: as values, and as they lie in buffers.
//!
//! A struct or array has one type id as a value (in locals, groupshared memory, signatures) and others for each packing in
//! which it lies in a buffer, with explicit offsets and strides. In a buffer `bool` is a 32-bit integer.

use akari_dialect_gpu_abi::Packing;
use akari_dialect_spirv::{Capability, Decoration, Opcode, StorageClass};
use akari_ir::entity::{StructId, Type};
use akari_ir::types::{Scalar, TypeKind};

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
            TypeKind::Place(..)
            | TypeKind::Buffer(..)
            | TypeKind::Memory(_)
            | TypeKind::AccelStruct
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

    /// Whether a type holds this scalar somewhere.
    pub(super) fn contains(&self, ty: Type, scalar: Scalar) -> bool {
        match self.module.kind(ty) {
            TypeKind::Scalar(of) | TypeKind::Vector(of, _) => of == scalar,
            TypeKind::Matrix { .. } => scalar == Scalar::F32,
            TypeKind::Array(element, _) | TypeKind::Buffer(_, element) => self.contains(element, scalar),
            TypeKind::Struct(id) => self.module.structs[id].fields.iter().any(|field| self.contains(field.ty, scalar)),
            TypeKind::Place(..)
            | TypeKind::Memory(_)
            | TypeKind::Texture(..)
            | TypeKind::StorageTexture(..)
            | TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::AccelStruct
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::ResourceArray(..) => false,
        }
    }

    /// Bytes of a type without any padding, and how many scalars and vectors it has.
    pub(super) fn data(&self, ty: Type) -> (u64, u64) {
        match self.module.kind(ty) {
            TypeKind::Scalar(scalar) => (bytes(scalar), 1),
            TypeKind::Vector(scalar, width) => (bytes(scalar) * u64::from(width), 1),
            TypeKind::Matrix { columns, rows } => (4 * u64::from(columns) * u64::from(rows), u64::from(columns)),
            TypeKind::Array(element, length) => {
                let (bytes, leaves) = self.data(element);
                (bytes.saturating_mul(u64::from(length)), leaves.saturating_mul(u64::from(length)))
            }
            TypeKind::Struct(id) => self.module.structs[id].fields.iter().fold((0, 0), |(bytes, leaves), field| {
                let (more_bytes, more_leaves) = self.data(field.ty);
                (bytes + more_bytes, leaves + more_leaves)
            }),
            TypeKind::Place(..)
            | TypeKind::Memory(_)
            | TypeKind::Buffer(..)
            | TypeKind::Texture(..)
            | TypeKind::StorageTexture(..)
            | TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::AccelStruct
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::ResourceArray(..) => (0, 0),
        }
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

fn bytes(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 2,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::U64 => 8,
    }
}
