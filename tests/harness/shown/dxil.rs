//! DXIL, by DXC's `ID3D12ShaderReflection`.

use akari_dxc::reflection::{Parameter, ResourceKind};

use super::{Class, Located, Resource, Shown, Threads};
use crate::dxc;

/// What DXC says of a container that it made.
///
/// # Errors
/// When DXC cannot be run, or something in the container is of no kind that Akari emits.
pub fn of_dxil(container: &[u8]) -> Result<Shown, String> {
    let found = dxc::shared()?.reflect(container).map_err(|error| error.to_string())?;
    let mut shown = Shown { requires: found.requires, ..Shown::default() };
    if found.threads != [0; 3] {
        shown.threads = Some(Threads::Axes(found.threads));
    }
    for resource in &found.resources {
        let buffer = found.buffers.iter().find(|buffer| buffer.name == resource.name);
        let size = buffer.map(|buffer| buffer.size);
        let of = |class| Resource::new(class, resource.space, resource.number);
        let mut one = match resource.kind {
            ResourceKind::ConstantBuffer => Resource { size, writable: Some(false), ..of(Class::UniformBuffer) },
            ResourceKind::Structured => {
                Resource { stride: Some(resource.stride), writable: Some(false), ..of(Class::StorageBuffer) }
            }
            ResourceKind::RwStructured => {
                Resource { stride: Some(resource.stride), writable: Some(true), ..of(Class::StorageBuffer) }
            }
            ResourceKind::ByteAddress => Resource { writable: Some(false), ..of(Class::StorageBuffer) },
            ResourceKind::RwByteAddress => Resource { writable: Some(true), ..of(Class::StorageBuffer) },
            ResourceKind::Texture => Resource { writable: Some(false), ..of(Class::Texture) },
            ResourceKind::RwTexture => Resource { writable: Some(true), ..of(Class::StorageTexture) },
            ResourceKind::Sampler => of(Class::Sampler),
            ResourceKind::AccelerationStructure => of(Class::AccelerationStructure),
            ResourceKind::Other(number) => return Err(format!("`{}` is of the kind {number}", resource.name)),
        };
        // The one variable is the value or the element.
        if let Some([variable]) = buffer.map(|buffer| buffer.variables.as_slice()) {
            one.fields =
                variable.ty.members.iter().map(|(name, ty)| (name.clone(), variable.offset + ty.offset)).collect();
        }
        one.register = Some(match resource.kind {
            ResourceKind::ConstantBuffer => 'b',
            ResourceKind::RwStructured | ResourceKind::RwByteAddress | ResourceKind::RwTexture => 'u',
            ResourceKind::Sampler => 's',
            ResourceKind::Structured
            | ResourceKind::ByteAddress
            | ResourceKind::Texture
            | ResourceKind::AccelerationStructure => 't',
            ResourceKind::Other(_) => '?',
        });
        one.count = (resource.count != 0 && resource.count != u32::MAX).then_some(resource.count);
        if matches!(one.class, Class::Texture | Class::StorageTexture) {
            one.dimension = Some(match resource.dimension {
                4 => "2d",
                5 => "2d_array",
                8 => "3d",
                9 => "cube",
                10 => "cube_array",
                other => return Err(format!("`{}` has the shape {other}", resource.name)),
            });
            one.texel = Some(match resource.texel {
                3 => "int",
                4 => "uint",
                _ => "float",
            });
        }
        shown.resources.push(one);
    }
    for (parameters, located) in [(&found.inputs, &mut shown.inputs), (&found.outputs, &mut shown.outputs)] {
        for parameter in parameters {
            let name = parameter.semantic.to_ascii_uppercase();
            match name.as_str() {
                "TEXCOORD" | "SV_TARGET" => located.push(of_parameter(parameter)?),
                "SV_POSITION" => shown.position = true,
                "SV_CLIPDISTANCE" => shown.clip_distances += parameter.mask.count_ones(),
                _ => {}
            }
        }
        located.sort();
    }
    Ok(shown)
}

fn of_parameter(parameter: &Parameter) -> Result<Located, String> {
    let scalar = match parameter.component {
        1 => "uint",
        2 => "int",
        3 => "float",
        6 => "half",
        other => return Err(format!("`{}` has components of the type {other}", parameter.semantic)),
    };
    Ok(Located { location: parameter.index, scalar, width: parameter.mask.count_ones(), interpolation: None })
}
