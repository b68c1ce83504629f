//! Arrays of resources, and what is said of indices that differ between invocations.
//!
//! Vulkan wants the operand through which a resource is used decorated `NonUniform` where it comes out of an array at such an index
//! (Vulkan specification, "NonUniform"): the pointer to a buffer's element, the loaded image, the image joined with a sampler.
//! What is made of a decorated id inherits the decoration.

use akari_dialect_spirv::{Capability, Decoration, Opcode};
use akari_ir::Op;
use akari_ir::entity::Type;
use akari_ir::types::{BufferKind, TypeKind};

use super::emitter::{Emitter, Meaning};
use super::place::Place;

impl Emitter<'_> {
    /// What an array of resources has many of; any other type itself.
    pub(super) fn one_resource(&self, ty: Type) -> Type {
        match self.module.kind(ty) {
            TypeKind::ResourceArray(element, _) => element,
            _ => ty,
        }
    }

    /// The type of the variable of a resource.
    pub(super) fn resource_type(&mut self, ty: Type) -> u32 {
        match self.module.kind(ty) {
            TypeKind::Buffer(kind, contents) => self.block_type(kind, contents),
            TypeKind::ResourceArray(element, length) => {
                let element = self.resource_type(element);
                if length == 0 {
                    self.sections.capability(Capability::RuntimeDescriptorArray);
                    return self.unique_type(Opcode::TypeRuntimeArray, &[element]);
                }
                let length = self.uint(length);
                self.unique_type(Opcode::TypeArray, &[element, length])
            }
            _ => self.value_type(ty),
        }
    }

    /// An element of an array of resources: the pointer is made where the resource is used.
    pub(super) fn resource_element(&mut self, op: &Op) {
        let Some(result) = op.result else { return };
        let Meaning::Resource(global) = *self.meanings.get(op.operands[0]) else {
            return self.fail("an array of resources that is no global");
        };
        let (base, class) = self.global_variable(global);
        let is_constant = self.scalar_of(op.operands[1]).is_some();
        let index = self.id(op.operands[1]);
        if let Some((dynamic, non_uniform)) = indexing(self.module.value_kind(result)).filter(|_| !is_constant) {
            self.sections.capability(dynamic);
            if self.non_uniform.contains(&index) {
                self.sections.capability(non_uniform);
            }
        }
        let mut place = Place::variable(base, class);
        place.chain.push(index);
        self.set_place(result, place);
    }

    /// An index that is said to differ is an id of its own: the same number may be used elsewhere, where it is nobody's business.
    pub(super) fn say_non_uniform(&mut self, op: &Op) {
        let Some(result) = op.result else { return };
        let index = self.id(op.operands[0]);
        let ty = self.module.value_type(result);
        let ty = self.value_type(ty);
        let said = self.op(Opcode::CopyObject, ty, &[index]);
        self.set_non_uniform(said);
        self.set(result, said);
    }

    fn set_non_uniform(&mut self, id: u32) {
        self.sections.capability(Capability::ShaderNonUniform);
        self.decorate(id, Decoration::NonUniform, &[]);
        self.non_uniform.insert(id);
    }

    /// Decorates what is made of ids of which one is decorated.
    pub(super) fn inherit_non_uniform(&mut self, made: u32, of: &[u32]) {
        if !self.non_uniform.is_empty() && of.iter().any(|id| self.non_uniform.contains(id)) {
            self.set_non_uniform(made);
        }
    }
}

/// What a module needs of a device to index arrays of a resource with a number that is not constant, and with one that is not the same
/// for all. Nothing is asked for acceleration structures: there are no arrays of them.
fn indexing(resource: TypeKind) -> Option<(Capability, Capability)> {
    match resource {
        TypeKind::Buffer(BufferKind::Uniform, _) => {
            Some((Capability::UniformBufferArrayDynamicIndexing, Capability::UniformBufferArrayNonUniformIndexing))
        }
        TypeKind::Buffer(BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic, _) => {
            Some((Capability::StorageBufferArrayDynamicIndexing, Capability::StorageBufferArrayNonUniformIndexing))
        }
        TypeKind::StorageTexture(..) => {
            Some((Capability::StorageImageArrayDynamicIndexing, Capability::StorageImageArrayNonUniformIndexing))
        }
        TypeKind::Texture(..) | TypeKind::Sampler | TypeKind::SamplerCmp => {
            Some((Capability::SampledImageArrayDynamicIndexing, Capability::SampledImageArrayNonUniformIndexing))
        }
        TypeKind::Scalar(_)
        | TypeKind::Vector(..)
        | TypeKind::Matrix { .. }
        | TypeKind::Array(..)
        | TypeKind::OpenArray(..)
        | TypeKind::Struct(_)
        | TypeKind::Place(..)
        | TypeKind::AccelStruct
        | TypeKind::BufferTable
        | TypeKind::TextureTable
        | TypeKind::ResourceArray(..)
        | TypeKind::Function(_)
        | TypeKind::Memory(_) => None,
    }
}
