//! The names of MSL's types, and how what has them is declared.

use std::borrow::Cow;

use akari_ir::types::{TexelKind, TextureDim};
use akari_ir::{BufferKind, MemoryType, Module, Scalar, Space, StorageFormat, Type, TypeKind};

use super::bindless;
use crate::analysis::storage_access::Access;

/// The name of a scalar type.
pub(super) fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "ulong",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
    }
}

/// The name of a type that values, variables or fields have.
pub(super) fn value(module: &Module, ty: Type) -> Cow<'static, str> {
    match module.kind(ty) {
        TypeKind::Scalar(of) => Cow::Borrowed(scalar(of)),
        TypeKind::Vector(of, width) => Cow::Owned(format!("{}{width}", scalar(of))),
        TypeKind::Matrix { columns, rows } => Cow::Owned(format!("float{columns}x{rows}")),
        TypeKind::Array(element, length) => Cow::Owned(format!("array<{}, {length}>", value(module, element))),
        TypeKind::Struct(id) => Cow::Owned(module.text(module.structs[id].name).to_owned()),
        TypeKind::Memory(MemoryType::PackedVector(of, width)) => Cow::Owned(format!("packed_{}{width}", scalar(of))),
        TypeKind::Memory(MemoryType::Atomic(of)) => Cow::Owned(format!("atomic_{}", scalar(of))),
        TypeKind::Memory(MemoryType::Padding(bytes)) => Cow::Owned(format!("array<char, {bytes}>")),
        TypeKind::Memory(MemoryType::RayQuery) => {
            Cow::Borrowed("raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing>")
        }
        TypeKind::AccelStruct => Cow::Borrowed("raytracing::instance_acceleration_structure"),
        TypeKind::Place(_, of) => value(module, of),
        TypeKind::Texture(dim, texel) => Cow::Borrowed(texture(dim, texel)),
        TypeKind::StorageTexture(dim, format) => Cow::Owned(storage_texture(dim, format, Access::ReadWrite)),
        TypeKind::Sampler | TypeKind::SamplerCmp => Cow::Borrowed("sampler"),
        TypeKind::ResourceArray(element, length) => Cow::Owned(format!("array<{}, {length}>", value(module, element))),
        TypeKind::BufferTable => Cow::Borrowed(bindless::BUFFER_TABLE),
        TypeKind::TextureTable => Cow::Borrowed(bindless::TEXTURE_TABLE),
        TypeKind::Buffer(..)
        | TypeKind::Memory(MemoryType::Bytes)
        | TypeKind::OpenArray(..)
        | TypeKind::Function(_) => Cow::Borrowed("void"),
    }
}

fn texture(dim: TextureDim, texel: TexelKind) -> &'static str {
    match (dim, texel) {
        (TextureDim::D2, TexelKind::Float) => "texture2d<float>",
        (TextureDim::D2, TexelKind::Int) => "texture2d<int>",
        (TextureDim::D2, TexelKind::Uint) => "texture2d<uint>",
        (TextureDim::D2, TexelKind::Depth) => "depth2d<float>",
        (TextureDim::D2Array, TexelKind::Float) => "texture2d_array<float>",
        (TextureDim::D2Array, TexelKind::Int) => "texture2d_array<int>",
        (TextureDim::D2Array, TexelKind::Uint) => "texture2d_array<uint>",
        (TextureDim::D2Array, TexelKind::Depth) => "depth2d_array<float>",
        (TextureDim::D3, TexelKind::Float | TexelKind::Depth) => "texture3d<float>",
        (TextureDim::D3, TexelKind::Int) => "texture3d<int>",
        (TextureDim::D3, TexelKind::Uint) => "texture3d<uint>",
        (TextureDim::Cube, TexelKind::Float) => "texturecube<float>",
        (TextureDim::Cube, TexelKind::Int) => "texturecube<int>",
        (TextureDim::Cube, TexelKind::Uint) => "texturecube<uint>",
        (TextureDim::Cube, TexelKind::Depth) => "depthcube<float>",
        (TextureDim::CubeArray, TexelKind::Float) => "texturecube_array<float>",
        (TextureDim::CubeArray, TexelKind::Int) => "texturecube_array<int>",
        (TextureDim::CubeArray, TexelKind::Uint) => "texturecube_array<uint>",
        (TextureDim::CubeArray, TexelKind::Depth) => "depthcube_array<float>",
    }
}

/// A texture, or an array of textures, with what is done to storage textures.
pub(super) fn texture_handle(module: &Module, ty: Type, access: Access) -> Cow<'static, str> {
    match module.kind(ty) {
        TypeKind::StorageTexture(dim, format) => Cow::Owned(storage_texture(dim, format, access)),
        TypeKind::ResourceArray(element, length) => {
            Cow::Owned(format!("array<{}, {length}>", texture_handle(module, element, access)))
        }
        _ => value(module, ty),
    }
}

/// A storage texture with what is done to it.
fn storage_texture(dim: TextureDim, format: StorageFormat, access: Access) -> String {
    let shape = if dim == TextureDim::D3 { "texture3d" } else { "texture2d" };
    let access = match access {
        Access::None | Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read_write",
    };
    format!("{shape}<{}, access::{access}>", scalar(format.scalar()))
}

/// `type name` of a variable or field.
pub(super) fn declarator(module: &Module, ty: Type, name: &str) -> String {
    match module.kind(ty) {
        TypeKind::Memory(MemoryType::Padding(bytes)) => format!("char {name}[{bytes}]"),
        _ => format!("{} {name}", value(module, ty)),
    }
}

/// As [`declarator`], with arrays as those of C: fields of structures of memory, which are used element by element.
pub(super) fn c_declarator(module: &Module, ty: Type, name: &str) -> String {
    let (mut element, mut name) = (ty, name.to_owned());
    while let TypeKind::Array(of, length) = module.kind(element) {
        name.push_str(&format!("[{length}]"));
        element = of;
    }
    declarator(module, element, &name)
}

/// `type (&name)[length]`: a reference to an array of C.
pub(super) fn c_reference(module: &Module, ty: Type, name: &str) -> String {
    c_declarator(module, ty, &format!("(&{name})"))
}

/// The address space of a place, as it is written before the type.
pub(super) fn address_space(space: Space) -> &'static str {
    match space {
        Space::Function => "thread",
        Space::Workgroup => "threadgroup",
        Space::Constant | Space::Uniform => "constant",
        Space::StorageRead => "device const",
        Space::Storage | Space::Atomic => "device",
    }
}

/// `type name` of a buffer parameter.
pub(super) fn buffer(module: &Module, kind: BufferKind, of: Type, name: &str) -> String {
    let space = address_space(kind.space());
    let indirection = match kind {
        BufferKind::Uniform => '&',
        BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic => '*',
    };
    format!("{space} {}{indirection} {name}", value(module, of))
}
