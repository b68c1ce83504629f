//! The types of texture methods, by texture type: one table for the type checker and the verifier.

use akari_ir::types::{Scalar, TexelKind, TextureDim, TypeKind};

use crate::builtins::Builtin;

/// The operands after the texture, and the result, of a texture method in its canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureSignature {
    /// Types of the operands after the texture.
    pub params: Vec<TypeKind>,
    /// Type of the result.
    pub result: Option<TypeKind>,
}

/// Why a texture has no such method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMethod {
    /// The type is no texture.
    NotATexture,
    /// Integer textures cannot be filtered.
    IntegerTexture,
    /// Only `TexDepth2D` compares.
    NeedsDepth,
    /// The shape has no such method.
    Shape,
    /// Only storage textures are written.
    NeedsStorage,
    /// A storage texture has no such method.
    Storage,
}

/// The canonical signature of `method` on a texture of type `texture`: integer coordinates are `u32` vectors, `load` and
/// `dimensions` of a sampled texture take a `u32` level, `gather` of a colour texture takes a constant `u32` component.
pub fn signature(method: Builtin, texture: TypeKind) -> Result<TextureSignature, NoMethod> {
    match texture {
        TypeKind::Texture(dim, texel) => sampled(method, dim, texel),
        TypeKind::StorageTexture(dim, format) => {
            let coordinate = TypeKind::vector(Scalar::U32, if dim == TextureDim::D3 { 3 } else { 2 });
            let texel = TypeKind::vector(format.scalar(), format.channels());
            match method {
                Builtin::TextureLoad => Ok(TextureSignature { params: vec![coordinate], result: Some(texel) }),
                Builtin::TextureStore => Ok(TextureSignature { params: vec![coordinate, texel], result: None }),
                Builtin::TextureDimensions => Ok(TextureSignature { params: vec![], result: Some(coordinate) }),
                _ => Err(NoMethod::Storage),
            }
        }
        _ => Err(NoMethod::NotATexture),
    }
}

fn sampled(method: Builtin, dim: TextureDim, texel: TexelKind) -> Result<TextureSignature, NoMethod> {
    let scalar = match texel {
        TexelKind::Float | TexelKind::Depth => Scalar::F32,
        TexelKind::Int => Scalar::I32,
        TexelKind::Uint => Scalar::U32,
    };
    let depth = texel == TexelKind::Depth;
    let value = TypeKind::vector(scalar, if depth { 1 } else { 4 });
    let float = TypeKind::Scalar(Scalar::F32);
    let float4 = TypeKind::vector(Scalar::F32, 4);
    let uint = TypeKind::Scalar(Scalar::U32);
    let sampler = TypeKind::Sampler;
    let sampler_cmp = TypeKind::SamplerCmp;
    let coordinate = TypeKind::vector(Scalar::F32, dim.coordinate_width());
    let gradient_width = match dim {
        TextureDim::D2 | TextureDim::D2Array => 2,
        TextureDim::D3 | TextureDim::Cube | TextureDim::CubeArray => 3,
    };
    let gradient = TypeKind::vector(Scalar::F32, gradient_width);
    let filters = || if scalar.is_float() { Ok(()) } else { Err(NoMethod::IntegerTexture) };
    let compares = || {
        filters()?;
        if depth { Ok(()) } else { Err(NoMethod::NeedsDepth) }
    };
    let is_cube = matches!(dim, TextureDim::Cube | TextureDim::CubeArray);
    let (params, result) = match method {
        Builtin::TextureSample => {
            filters()?;
            (vec![sampler, coordinate], Some(value))
        }
        Builtin::TextureSampleLevel => {
            filters()?;
            (vec![sampler, coordinate, float], Some(value))
        }
        Builtin::TextureSampleGrad => {
            filters()?;
            (vec![sampler, coordinate, gradient, gradient], Some(value))
        }
        Builtin::TextureSampleCmp | Builtin::TextureSampleCmpLevelZero => {
            compares()?;
            (vec![sampler_cmp, coordinate, float], Some(float))
        }
        Builtin::TextureGather => {
            filters()?;
            match dim {
                TextureDim::D2 | TextureDim::D2Array | TextureDim::Cube => {}
                TextureDim::D3 | TextureDim::CubeArray => return Err(NoMethod::Shape),
            }
            let mut params = vec![sampler, coordinate];
            if !depth {
                params.push(uint);
            }
            (params, Some(float4))
        }
        Builtin::TextureGatherCmp => {
            compares()?;
            (vec![sampler_cmp, coordinate, float], Some(float4))
        }
        Builtin::TextureLoad => {
            if is_cube {
                return Err(NoMethod::Shape);
            }
            (vec![TypeKind::vector(Scalar::U32, dim.coordinate_width()), uint], Some(value))
        }
        Builtin::TextureDimensions => {
            let width = match dim {
                TextureDim::D2 | TextureDim::Cube => 2,
                TextureDim::D2Array | TextureDim::D3 | TextureDim::CubeArray => 3,
            };
            (vec![uint], Some(TypeKind::vector(Scalar::U32, width)))
        }
        Builtin::TextureMipLevels => (vec![], Some(uint)),
        Builtin::TextureStore => return Err(NoMethod::NeedsStorage),
        _ => return Err(NoMethod::Shape),
    };
    Ok(TextureSignature { params, result })
}
