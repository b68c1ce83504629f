//! What a resource's type says about where it can be bound.

use akari_dialect_gpu_abi::manifest::RowClass;
use akari_ir::slots::RegisterClass;
use akari_ir::types::{BufferKind, TypeKind, Types};

/// The namespaces that Metal's indices and Vulkan's bindings are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// Buffers, acceleration structures.
    Buffer,
    /// Textures of all kinds.
    Texture,
    /// Samplers.
    Sampler,
    /// The bindless table of buffers: a buffer to Metal, a set of its own to Vulkan.
    BufferTable,
    /// The bindless table of textures: as for buffers.
    TextureTable,
}

impl Class {
    /// The namespace of the manifest; samplers have none.
    pub(crate) fn row(self) -> Option<RowClass> {
        match self {
            Self::Buffer | Self::BufferTable => Some(RowClass::Buffer),
            Self::Texture | Self::TextureTable => Some(RowClass::Texture),
            Self::Sampler => None,
        }
    }

    /// Whether it is a bindless table.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::BufferTable | Self::TextureTable)
    }

    /// Vulkan's descriptor set.
    pub(crate) fn set(self) -> u32 {
        match self {
            Self::Buffer => 0,
            Self::Texture => 1,
            Self::Sampler => 2,
            Self::BufferTable | Self::TextureTable => 3,
        }
    }

    /// The attribute of a Metal parameter.
    pub(crate) fn metal_attribute(self) -> &'static str {
        match self {
            Self::Buffer | Self::BufferTable | Self::TextureTable => "buffer",
            Self::Texture => "texture",
            Self::Sampler => "sampler",
        }
    }

    /// How many slots Metal has of the class (Metal feature set tables: argument table entries).
    pub(crate) fn metal_limit(self) -> u32 {
        match self {
            Self::Buffer | Self::BufferTable | Self::TextureTable => 31,
            Self::Texture => 128,
            Self::Sampler => 16,
        }
    }
}

/// What a resource is, as far as slots care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) class: Class,
    pub(crate) register: RegisterClass,
    /// How many consecutive slots it takes.
    pub(crate) length: u32,
}

/// How many kinds of textures a table of textures has: `Tex2D`, `TexCube`, `Tex3D`, `TexDepth2D`, in this order.
const TEXTURE_KINDS: u32 = 4;

impl Shape {
    /// How many D3D12 spaces it takes, and how many registers in each: a bindless table has one space a kind, to the end.
    pub(crate) fn registers(self) -> (u32, u32) {
        match self.class {
            Class::Buffer | Class::Texture | Class::Sampler => (1, self.length),
            Class::BufferTable => (1, u32::MAX),
            Class::TextureTable => (TEXTURE_KINDS, u32::MAX),
        }
    }

    /// How many Vulkan bindings it takes: an array takes one, a bindless table one a kind.
    pub(crate) fn bindings(self) -> u32 {
        if self.class == Class::TextureTable { TEXTURE_KINDS } else { 1 }
    }

    /// The shape of a resource of this type; none for what is no resource.
    pub(crate) fn of(types: &Types, kind: TypeKind) -> Option<Self> {
        let (class, register) = match kind {
            TypeKind::Buffer(BufferKind::Uniform, _) => (Class::Buffer, RegisterClass::ConstantBuffer),
            TypeKind::Buffer(BufferKind::Read, _) | TypeKind::AccelStruct => {
                (Class::Buffer, RegisterClass::ShaderResource)
            }
            TypeKind::Buffer(BufferKind::ReadWrite | BufferKind::Atomic, _) => {
                (Class::Buffer, RegisterClass::UnorderedAccess)
            }
            TypeKind::Texture(..) => (Class::Texture, RegisterClass::ShaderResource),
            TypeKind::StorageTexture(..) => (Class::Texture, RegisterClass::UnorderedAccess),
            TypeKind::Sampler | TypeKind::SamplerCmp => (Class::Sampler, RegisterClass::Sampler),
            TypeKind::BufferTable => (Class::BufferTable, RegisterClass::ShaderResource),
            TypeKind::TextureTable => (Class::TextureTable, RegisterClass::ShaderResource),
            TypeKind::ResourceArray(element, length) => {
                return Self::of(types, types.kind(element)).map(|shape| Self { length, ..shape });
            }
            TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Matrix { .. }
            | TypeKind::Array(..)
            | TypeKind::Struct(_)
            | TypeKind::Place(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Function(_)
            | TypeKind::Memory(_) => return None,
        };
        Some(Self { class, register, length: 1 })
    }
}
