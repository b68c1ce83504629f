//! Texture methods.

use akari_dialect::Builtin;
use akari_dialect_spirv::{Capability, Opcode, StorageClass};
use akari_ir::Op;
use akari_ir::entity::{Type, ValueId};
use akari_ir::types::{Scalar, StorageFormat, TexelKind, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::emitter::{Emitter, Meaning};
use super::globals::texel_scalar;

/// `Lod` and `Grad` among the image operands (3.14).
const LOD: u32 = 2;
const GRAD: u32 = 4;

impl Emitter<'_> {
    /// Loads the handle of a texture, sampler or acceleration structure.
    pub(super) fn handle(&mut self, value: ValueId) -> u32 {
        let ty = self.module.value_type(value);
        let pointer = match *self.meanings.get(value) {
            Meaning::Resource(global) => Some(self.global_variable(global)),
            Meaning::Place(_) => self.pointer(value, ty).map(|(pointer, place)| (pointer, place.class)),
            Meaning::None | Meaning::Id(_) => None,
        };
        let Some((pointer, StorageClass::UniformConstant)) = pointer else {
            self.fail("a texture or sampler that is no global");
            return self.uint(0);
        };
        let ty = self.value_type(ty);
        let handle = self.op(Opcode::Load, ty, &[pointer]);
        self.inherit_non_uniform(handle, &[pointer]);
        handle
    }

    /// The scalar of a texture's texels, and whether it is a depth texture.
    fn texel(&mut self, texture: ValueId) -> (Scalar, bool) {
        match self.module.value_kind(texture) {
            TypeKind::Texture(_, texel) => (texel_scalar(texel), texel == TexelKind::Depth),
            TypeKind::StorageTexture(_, format) => (format.scalar(), false),
            _ => {
                self.fail("a texture method of what is no texture");
                (Scalar::F32, false)
            }
        }
    }

    /// Texture and sampler together; this must stand in the block that uses it.
    fn sampled_image(&mut self, texture: ValueId, sampler: ValueId) -> u32 {
        let image_type = self.module.value_type(texture);
        let image_type = self.value_type(image_type);
        let ty = self.unique_type(Opcode::TypeSampledImage, &[image_type]);
        let image = self.handle(texture);
        let sampler = self.handle(sampler);
        let both = self.op(Opcode::SampledImage, ty, &[image, sampler]);
        self.inherit_non_uniform(both, &[image, sampler]);
        both
    }

    pub(super) fn texture_sample(&mut self, function: Builtin, op: &Op, ty: Type) -> u32 {
        let (_, is_depth) = self.texel(op.operands[0]);
        let image = self.sampled_image(op.operands[0], op.operands[1]);
        let rest: SmallVec<[u32; 4]> = op.operands[2..].iter().map(|operand| self.id(*operand)).collect();
        let coordinate = rest.first().copied().unwrap_or(0);
        let second = rest.get(1).copied().unwrap_or(0);
        let float = self.vector_type(Scalar::F32, 1);
        let float4 = self.vector_type(Scalar::F32, 4);
        // Level 0 stands in where there are no quads to tell the level from.
        let zero = self.number(Scalar::F32, 0.0);
        let texel = match function {
            Builtin::TextureSample if self.has_quads() => {
                self.op(Opcode::ImageSampleImplicitLod, float4, &[image, coordinate])
            }
            Builtin::TextureSample => self.op(Opcode::ImageSampleExplicitLod, float4, &[image, coordinate, LOD, zero]),
            Builtin::TextureSampleLevel => {
                self.op(Opcode::ImageSampleExplicitLod, float4, &[image, coordinate, LOD, second])
            }
            Builtin::TextureSampleGrad => {
                let third = rest.get(2).copied().unwrap_or(0);
                self.op(Opcode::ImageSampleExplicitLod, float4, &[image, coordinate, GRAD, second, third])
            }
            Builtin::TextureSampleCmp if self.has_quads() => {
                return self.op(Opcode::ImageSampleDrefImplicitLod, float, &[image, coordinate, second]);
            }
            Builtin::TextureSampleCmp | Builtin::TextureSampleCmpLevelZero => {
                let operands = [image, coordinate, second, LOD, zero];
                return self.op(Opcode::ImageSampleDrefExplicitLod, float, &operands);
            }
            Builtin::TextureGatherCmp => {
                return self.op(Opcode::ImageDrefGather, float4, &[image, coordinate, second]);
            }
            _ => {
                let component = if is_depth { self.uint(0) } else { second };
                return self.op(Opcode::ImageGather, float4, &[image, coordinate, component]);
            }
        };
        self.narrow(texel, Scalar::F32, ty)
    }

    /// The first components of a texel, as many as the type has.
    fn narrow(&mut self, texel: u32, scalar: Scalar, ty: Type) -> u32 {
        let (_, width) = self.shape(ty);
        let result = self.vector_type(scalar, width);
        match width {
            4 => texel,
            1 => self.op(Opcode::CompositeExtract, result, &[texel, 0]),
            _ => {
                let mut operands: SmallVec<[u32; 6]> = smallvec![texel, texel];
                operands.extend(0..u32::from(width));
                self.op(Opcode::VectorShuffle, result, &operands)
            }
        }
    }

    pub(super) fn texture_load(&mut self, op: &Op, ty: Type) -> u32 {
        let (scalar, _) = self.texel(op.operands[0]);
        let texel = self.vector_type(scalar, 4);
        let image = self.handle(op.operands[0]);
        let coordinate = self.id(op.operands[1]);
        let loaded = match self.module.value_kind(op.operands[0]) {
            TypeKind::StorageTexture(_, format) => {
                if format == StorageFormat::Any {
                    self.sections.capability(Capability::StorageImageReadWithoutFormat);
                }
                self.op(Opcode::ImageRead, texel, &[image, coordinate])
            }
            _ => {
                let level = self.id(op.operands[2]);
                self.op(Opcode::ImageFetch, texel, &[image, coordinate, LOD, level])
            }
        };
        self.narrow(loaded, scalar, ty)
    }

    pub(super) fn texture_store(&mut self, op: &Op) {
        if let TypeKind::StorageTexture(_, StorageFormat::Any) = self.module.value_kind(op.operands[0]) {
            self.sections.capability(Capability::StorageImageWriteWithoutFormat);
        }
        let image = self.handle(op.operands[0]);
        let (coordinate, mut texel) = (self.id(op.operands[1]), self.id(op.operands[2]));
        // All four components: drivers differ in what they make of fewer.
        let ty = self.module.value_type(op.operands[2]);
        let (scalar, width) = self.shape(ty);
        if width < 4 {
            let full = self.vector_type(scalar, 4);
            let zero = self.splat_constant(scalar, 1, 0);
            let mut parts: SmallVec<[u32; 4]> = smallvec![texel];
            parts.extend((width..4).map(|_| zero));
            texel = self.op(Opcode::CompositeConstruct, full, &parts);
        }
        self.emit(Opcode::ImageWrite, &[image, coordinate, texel]);
    }

    pub(super) fn texture_dimensions(&mut self, op: &Op, ty: Type) -> u32 {
        self.sections.capability(Capability::ImageQuery);
        let image = self.handle(op.operands[0]);
        let ty = self.value_type(ty);
        match op.operands.get(1) {
            Some(level) => {
                let level = self.id(*level);
                self.op(Opcode::ImageQuerySizeLod, ty, &[image, level])
            }
            None => self.op(Opcode::ImageQuerySize, ty, &[image]),
        }
    }

    pub(super) fn texture_levels(&mut self, op: &Op, ty: Type) -> u32 {
        self.sections.capability(Capability::ImageQuery);
        let image = self.handle(op.operands[0]);
        let ty = self.value_type(ty);
        self.op(Opcode::ImageQueryLevels, ty, &[image])
    }
}
