//! Module-level variables: resources, groupshared memory, constant tables that are indexed at run time.

use akari_dialect_gpu_abi::Packing;
use akari_dialect_spirv::{Capability, Decoration, Dim, ImageFormat, Opcode, StorageClass};
use akari_ir::entity::{GlobalId, Type};
use akari_ir::module::GlobalKind;
use akari_ir::slots::Slot;
use akari_ir::types::{BufferKind, Scalar, StorageFormat, TexelKind, TextureDim, TypeKind};

use super::emitter::Emitter;
use super::types::Memory;
use super::words::{push, push_text};

impl Emitter<'_> {
    /// The variable of a global, and where it lies.
    pub(super) fn global_variable(&mut self, global: GlobalId) -> (u32, StorageClass) {
        let definition = &self.module.globals[global];
        let one = self.one_resource(definition.ty);
        let class = match (&definition.kind, self.module.kind(one)) {
            (GlobalKind::Constant(_), _) => StorageClass::Private,
            (GlobalKind::Workgroup, _) => StorageClass::Workgroup,
            (GlobalKind::Resource { .. }, TypeKind::Buffer(BufferKind::Uniform, _)) => StorageClass::Uniform,
            (GlobalKind::Resource { .. }, TypeKind::Buffer(..)) => StorageClass::StorageBuffer,
            (GlobalKind::Resource { .. }, _) => StorageClass::UniformConstant,
        };
        let known = *self.globals.get(global);
        if known != 0 {
            return (known, class);
        }
        let id = match definition.kind {
            GlobalKind::Constant(value) => {
                let ty = self.value_type(definition.ty);
                let init = self.constant(value);
                self.module_variable(class, ty, Some(init))
            }
            GlobalKind::Workgroup => {
                let ty = self.value_type(definition.ty);
                self.module_variable(class, ty, None)
            }
            GlobalKind::Resource { slot, .. } => {
                let ty = self.resource_type(definition.ty);
                let id = self.module_variable(class, ty, None);
                match slot {
                    Some(Slot::Vulkan(descriptor)) => {
                        self.decorate(id, Decoration::DescriptorSet, &[descriptor.set]);
                        self.decorate(id, Decoration::Binding, &[descriptor.binding]);
                    }
                    Some(Slot::Metal(_) | Slot::D3d12(_)) | None => {
                        self.fail("a resource without a Vulkan descriptor: `assign-slots` has not run for this target");
                    }
                }
                id
            }
        };
        self.name(id, definition.name);
        self.globals.set(global, id);
        (id, class)
    }

    /// Declares a variable of the module, which is part of every entry point's interface (SPIR-V 1.4 and later).
    pub(super) fn module_variable(&mut self, class: StorageClass, ty: u32, init: Option<u32>) -> u32 {
        let pointer = self.pointer_type(class, ty);
        let id = self.fresh();
        let words = &mut self.sections.globals;
        match init {
            Some(init) => push(words, Opcode::Variable, &[pointer, id, class as u32, init]),
            None => push(words, Opcode::Variable, &[pointer, id, class as u32]),
        }
        self.interface.push(id);
        id
    }

    /// The block around what a buffer holds: one member, the contents of a uniform or a run-time array of elements.
    pub(super) fn block_type(&mut self, kind: BufferKind, contents: Type) -> u32 {
        let packing = Packing::of_buffer(kind);
        if self.content(contents).halves {
            self.sections.capability(match kind {
                BufferKind::Uniform => Capability::UniformAndStorageBuffer16BitAccess,
                BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic => Capability::StorageBuffer16BitAccess,
            });
        }
        let inner = self.type_in(contents, Memory::Packed(packing));
        let member = match kind {
            BufferKind::Uniform => inner,
            BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic => {
                let stride = match self.layouts.stride(self.module, contents, packing) {
                    Ok(stride) => stride,
                    Err(_) => {
                        self.fail("the elements of a buffer have no layout");
                        0
                    }
                };
                let array = self.type_id(Opcode::TypeRuntimeArray, &[inner]);
                self.decorate(array, Decoration::ArrayStride, &[stride]);
                array
            }
        };
        let block = self.type_id(Opcode::TypeStruct, &[member]);
        let name = if kind == BufferKind::Uniform { "contents" } else { "elements" };
        push_text(&mut self.sections.names, Opcode::MemberName, &[block, 0], name, &[]);
        self.decorate(block, Decoration::Block, &[]);
        self.decorate_member(block, 0, Decoration::Offset, &[0]);
        self.matrix_layout(block, 0, contents, packing);
        if kind == BufferKind::Read {
            self.decorate_member(block, 0, Decoration::NonWritable, &[]);
        }
        block
    }

    pub(super) fn texture_type(&mut self, dim: TextureDim, texel: TexelKind) -> u32 {
        if dim == TextureDim::CubeArray {
            self.sections.capability(Capability::SampledCubeArray);
        }
        let sampled = self.vector_type(texel_scalar(texel), 1);
        let depth = u32::from(texel == TexelKind::Depth);
        let arrayed = u32::from(dim.is_array());
        let operands = [sampled, shape(dim) as u32, depth, arrayed, 0, 1, ImageFormat::Unknown as u32];
        self.unique_type(Opcode::TypeImage, &operands)
    }

    pub(super) fn storage_texture_type(&mut self, dim: TextureDim, format: StorageFormat) -> u32 {
        let image_format = match format {
            StorageFormat::Any => ImageFormat::Unknown,
            StorageFormat::Rgba32f => ImageFormat::Rgba32f,
            StorageFormat::Rgba16f => ImageFormat::Rgba16f,
            StorageFormat::R16f => ImageFormat::R16f,
            StorageFormat::R32f => ImageFormat::R32f,
            StorageFormat::Rg16f => ImageFormat::Rg16f,
            StorageFormat::R11g11b10f => ImageFormat::R11fG11fB10f,
            StorageFormat::R32u => ImageFormat::R32ui,
            StorageFormat::R32i => ImageFormat::R32i,
        };
        match format {
            StorageFormat::R16f | StorageFormat::Rg16f | StorageFormat::R11g11b10f => {
                self.sections.capability(Capability::StorageImageExtendedFormats);
            }
            StorageFormat::Any
            | StorageFormat::Rgba32f
            | StorageFormat::Rgba16f
            | StorageFormat::R32f
            | StorageFormat::R32u
            | StorageFormat::R32i => {}
        }
        let sampled = self.vector_type(format.scalar(), 1);
        let operands = [sampled, shape(dim) as u32, 0, u32::from(dim.is_array()), 0, 2, image_format as u32];
        self.unique_type(Opcode::TypeImage, &operands)
    }
}

fn shape(dim: TextureDim) -> Dim {
    match dim {
        TextureDim::D2 | TextureDim::D2Array => Dim::Dim2D,
        TextureDim::D3 => Dim::Dim3D,
        TextureDim::Cube | TextureDim::CubeArray => Dim::DimCube,
    }
}

/// The scalar of a sampled texture's texels.
pub(super) fn texel_scalar(texel: TexelKind) -> Scalar {
    match texel {
        TexelKind::Float | TexelKind::Depth => Scalar::F32,
        TexelKind::Int => Scalar::I32,
        TexelKind::Uint => Scalar::U32,
    }
}
