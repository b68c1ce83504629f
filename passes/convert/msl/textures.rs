//! `msl-textures`: texture builtins become calls of the texture's methods.
//!
//! What differs from the builtins: a layer is an argument of its own, rounded to the nearest as HLSL and SPIR-V do it; levels
//! and gradients are wrapped; a component of a gather is a name, after an offset where the method has one; texels of storage
//! textures have four components; a texture's size is asked for piece by piece. A texture that is both read and written is fenced
//! after each write, since otherwise a thread need not see what it wrote.

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_msl::{Method, MslOp, Wrap};
use akari_ir::types::{TexelKind, TextureDim};
use akari_ir::{OpId, Scalar, TypeKind, ValueId};

use crate::analysis::storage_access::{Access, StorageAccess};
use crate::analysis::whole_numbers::is_whole;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct MslTextures;

impl Pass for MslTextures {
    const NAME: &'static str = "msl-textures";
    const SUMMARY: &'static str = "call textures' methods as Metal has them";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut akari_ir::Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let access = StorageAccess::of_module(module);
        let mut rewriter = Rewriter::new(module);
        let mut methods = Methods { access };
        rewriter.module(&mut |r, op| methods.op(r, op));
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

struct Methods {
    access: StorageAccess,
}

impl Methods {
    fn op(&mut self, rewriter: &mut Rewriter<'_>, op: OpId) -> Outcome {
        if AkariOp::of(rewriter.module.op(op)) != Some(AkariOp::Builtin) {
            return Outcome::Keep;
        }
        let builtin = Builtin::from_index(rewriter.module.op(op).enumerated(0));
        let operands = rewriter.module.op(op).operands.to_vec();
        let Some((&texture, arguments)) = operands.split_first() else { return Outcome::Keep };
        let call = match rewriter.kind(texture) {
            TypeKind::Texture(dim, texel) => Call { texture, dim, texel, storage: false },
            TypeKind::StorageTexture(dim, format) => {
                let texel = match format.scalar() {
                    Scalar::U32 => TexelKind::Uint,
                    Scalar::I32 => TexelKind::Int,
                    Scalar::Bool | Scalar::U64 | Scalar::F16 | Scalar::F32 => TexelKind::Float,
                };
                Call { texture, dim, texel, storage: true }
            }
            _ => return Outcome::Keep,
        };
        if builtin == Builtin::TextureStore {
            call.write(rewriter, arguments);
            if self.access.access(texture) == Access::ReadWrite {
                call.method(rewriter, Method::Fence, Wrap::None, &[], None);
            }
            return Outcome::Remove;
        }
        match call.value(rewriter, builtin, arguments, rewriter.module.op(op).result) {
            Some(value) => Outcome::Replace(value),
            None => Outcome::Keep,
        }
    }
}

#[derive(Clone, Copy)]
struct Call {
    texture: ValueId,
    dim: TextureDim,
    texel: TexelKind,
    storage: bool,
}

impl Call {
    fn method(
        self,
        rewriter: &mut Rewriter<'_>,
        method: Method,
        wrap: Wrap,
        arguments: &[ValueId],
        result: Option<TypeKind>,
    ) -> Option<ValueId> {
        let mut operands = vec![self.texture];
        operands.extend(arguments);
        let result = result.map(|kind| rewriter.ty(kind));
        let op = rewriter.op(MslOp::Texture.def(), &operands, &[method.attr(), wrap.attr()], &[], result);
        rewriter.module.op(op).result
    }

    /// What a read or an unwrapped sample gives: Metal's texels have four components but for depth.
    fn texel_kind(self) -> TypeKind {
        match self.texel {
            TexelKind::Float => TypeKind::Vector(Scalar::F32, 4),
            TexelKind::Int => TypeKind::Vector(Scalar::I32, 4),
            TexelKind::Uint => TypeKind::Vector(Scalar::U32, 4),
            TexelKind::Depth => TypeKind::Scalar(Scalar::F32),
        }
    }

    fn value(
        self,
        rewriter: &mut Rewriter<'_>,
        builtin: Builtin,
        arguments: &[ValueId],
        result: Option<ValueId>,
    ) -> Option<ValueId> {
        let texel = self.texel_kind();
        let float = TypeKind::Scalar(Scalar::F32);
        let float4 = TypeKind::Vector(Scalar::F32, 4);
        match (builtin, arguments) {
            (Builtin::TextureSample, &[sampler, at]) => {
                let arguments = self.coordinates(rewriter, sampler, at);
                self.method(rewriter, Method::Sample, Wrap::None, &arguments, Some(texel))
            }
            (Builtin::TextureSampleLevel, &[sampler, at, level]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                arguments.push(level);
                self.method(rewriter, Method::Sample, Wrap::Level, &arguments, Some(texel))
            }
            (Builtin::TextureSampleGrad, &[sampler, at, ddx, ddy]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                arguments.extend([ddx, ddy]);
                let wrap = match self.dim {
                    TextureDim::D2 | TextureDim::D2Array => Wrap::Gradient2d,
                    TextureDim::D3 => Wrap::Gradient3d,
                    TextureDim::Cube | TextureDim::CubeArray => Wrap::GradientCube,
                };
                self.method(rewriter, Method::Sample, wrap, &arguments, Some(texel))
            }
            (Builtin::TextureSampleCmp, &[sampler, at, reference]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                arguments.push(reference);
                self.method(rewriter, Method::SampleCompare, Wrap::None, &arguments, Some(float))
            }
            (Builtin::TextureSampleCmpLevelZero, &[sampler, at, reference]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                let level = rewriter.float(0.0);
                arguments.extend([reference, level]);
                self.method(rewriter, Method::SampleCompare, Wrap::Level, &arguments, Some(float))
            }
            (Builtin::TextureGather, &[sampler, at]) => {
                let arguments = self.coordinates(rewriter, sampler, at);
                self.method(rewriter, Method::Gather, Wrap::None, &arguments, Some(float4))
            }
            (Builtin::TextureGather, &[sampler, at, component]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                if rewriter.known_bits(component) == Some(0) {
                    return self.method(rewriter, Method::Gather, Wrap::None, &arguments, Some(float4));
                }
                // Cubes have no offset before the component.
                if !matches!(self.dim, TextureDim::Cube | TextureDim::CubeArray) {
                    let zero = rewriter.number(Scalar::I32, 0);
                    arguments.push(rewriter.splat(zero, 2));
                }
                arguments.push(component);
                self.method(rewriter, Method::Gather, Wrap::Component, &arguments, Some(float4))
            }
            (Builtin::TextureGatherCmp, &[sampler, at, reference]) => {
                let mut arguments = self.coordinates(rewriter, sampler, at);
                arguments.push(reference);
                self.method(rewriter, Method::GatherCompare, Wrap::None, &arguments, Some(float4))
            }
            (Builtin::TextureLoad, _) => self.read(rewriter, arguments, result),
            (Builtin::TextureDimensions, _) => Some(self.dimensions(rewriter, arguments)),
            (Builtin::TextureMipLevels, _) => {
                self.method(rewriter, Method::GetNumMipLevels, Wrap::None, &[], Some(TypeKind::Scalar(Scalar::U32)))
            }
            _ => None,
        }
    }

    /// The sampler, the coordinate and the layer.
    fn coordinates(self, rewriter: &mut Rewriter<'_>, sampler: ValueId, at: ValueId) -> Vec<ValueId> {
        if !self.dim.is_array() {
            return vec![sampler, at];
        }
        let width = self.dim.coordinate_width() - 1;
        let within: Vec<u8> = (0..width).collect();
        let position = rewriter.swizzle(at, &within);
        let layer = rewriter.extract(at, u32::from(width));
        vec![sampler, position, layer_number(rewriter, layer)]
    }

    /// A texel: of as many components as the format has, for storage textures.
    fn read(self, rewriter: &mut Rewriter<'_>, arguments: &[ValueId], result: Option<ValueId>) -> Option<ValueId> {
        let (&at, level) = arguments.split_first()?;
        let mut operands = Vec::new();
        if self.dim.is_array() {
            operands.push(rewriter.swizzle(at, &[0, 1]));
            operands.push(rewriter.extract(at, 2));
        } else {
            operands.push(at);
        }
        // Level 0 is the default.
        operands.extend(level.iter().filter(|level| rewriter.known_bits(**level) != Some(0)));
        let texel = self.method(rewriter, Method::Read, Wrap::None, &operands, Some(self.texel_kind()))?;
        if !self.storage {
            return Some(texel);
        }
        let width = result.map_or(4, |result| rewriter.width_of(result));
        let components: Vec<u8> = (0..width).collect();
        Some(rewriter.swizzle(texel, &components))
    }

    fn write(self, rewriter: &mut Rewriter<'_>, arguments: &[ValueId]) {
        let &[at, value] = arguments else { return };
        let mut parts = vec![value];
        if let Some(scalar) = rewriter.scalar_of(value) {
            let zero = if rewriter.width_of(value) < 4 { Some(rewriter.number(scalar, 0)) } else { None };
            parts.extend((rewriter.width_of(value)..4).filter_map(|_| zero));
        }
        let texel = rewriter.vector(&parts);
        self.method(rewriter, Method::Write, Wrap::None, &[texel, at], None);
    }

    fn dimensions(self, rewriter: &mut Rewriter<'_>, level: &[ValueId]) -> ValueId {
        let uint = TypeKind::Scalar(Scalar::U32);
        let level: Vec<ValueId> =
            level.iter().copied().filter(|level| rewriter.known_bits(*level) != Some(0)).collect();
        let mut methods = vec![(Method::GetWidth, &level[..]), (Method::GetHeight, &level[..])];
        match self.dim {
            TextureDim::D2 | TextureDim::Cube => {}
            TextureDim::D3 => methods.push((Method::GetDepth, &level[..])),
            TextureDim::D2Array | TextureDim::CubeArray => methods.push((Method::GetArraySize, &[])),
        }
        let parts: Vec<ValueId> = methods
            .into_iter()
            .filter_map(|(method, arguments)| self.method(rewriter, method, Wrap::None, arguments, Some(uint)))
            .collect();
        rewriter.vector(&parts)
    }
}

/// The number of a layer given as a float: the nearest, ties to even (D3D11.3 functional specification, 7.18.7), at least 0. Metal takes the
/// last layer for those beyond it.
fn layer_number(rewriter: &mut Rewriter<'_>, layer: ValueId) -> ValueId {
    if let Some(integer) = converted_integer(rewriter, layer) {
        return integer;
    }
    if let Some(bits) = rewriter.known_bits(layer) {
        // A conversion to an integer in Rust keeps to what the integer can hold.
        return rewriter.uint(f32::from_bits(bits as u32).round_ties_even() as u32);
    }
    let nearest = if is_whole(rewriter.module, layer) { layer } else { rewriter.builtin(Builtin::Round, &[layer]) };
    rewriter.convert(nearest, Scalar::U32)
}

/// The unsigned integer whose conversion to a float `layer` is.
fn converted_integer(rewriter: &Rewriter<'_>, layer: ValueId) -> Option<ValueId> {
    let op = rewriter.module.op(rewriter.module.defining_op(layer)?);
    let is_conversion = AkariOp::of(op) == Some(AkariOp::Convert);
    let &from = op.operands.first()?;
    (is_conversion && rewriter.kind(from) == TypeKind::Scalar(Scalar::U32)).then_some(from)
}
