//! Bindless tables: their elements are resources of their own.

use std::collections::HashMap;

use akari_dialect::Builtin;
use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::{OpId, Scalar, TypeKind};

use super::machine::Machine;
use super::value::{Place, Root, Value};
use crate::job::{BindlessKind, Contents};

/// Where the elements of tables stand among the resources.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// By the table's place among the resources and the index in it; the kind of a texture.
    elements: HashMap<(usize, u32, Option<BindlessKind>), usize>,
}

impl Tables {
    /// Puts the elements of all tables behind the resources.
    pub(super) fn open(resources: &mut Vec<Contents>) -> Self {
        let mut tables = Self::default();
        for table in 0..resources.len() {
            let elements: Vec<(u32, Contents)> = match &resources[table] {
                Contents::BufferTable(buffers) => {
                    buffers.iter().map(|(index, bytes)| (*index, Contents::StorageBuffer(bytes.clone()))).collect()
                }
                Contents::TextureTable(textures) => {
                    textures.iter().map(|(index, image)| (*index, Contents::Texture(image.clone()))).collect()
                }
                Contents::UniformBuffer(_)
                | Contents::StorageBuffer(_)
                | Contents::Texture(_)
                | Contents::StorageTexture(_)
                | Contents::Scene(_) => Vec::new(),
            };
            for (index, contents) in elements {
                let kind = match &contents {
                    Contents::Texture(image) => Some(image.bindless_kind()),
                    _ => None,
                };
                tables.elements.insert((table, index, kind), resources.len());
                resources.push(contents);
            }
        }
        tables
    }
}

impl Machine<'_> {
    /// What `bindless_*` gives in each lane: an element of a buffer, or a texture. What is not bound is the host's mistake.
    pub(super) fn bindless(
        &mut self,
        id: OpId,
        function: Builtin,
        operands: &[Vec<Value>],
        lanes: &[usize],
        results: &mut [Value],
    ) -> Result<(), String> {
        let module = self.module;
        let ty =
            module.op(id).result.map(|result| module.value_type(result)).ok_or("a bindless load without a result")?;
        let kind = match function {
            Builtin::BindlessTex2d => Some(BindlessKind::Tex2D),
            Builtin::BindlessTexCube => Some(BindlessKind::TexCube),
            Builtin::BindlessTex3d => Some(BindlessKind::Tex3D),
            Builtin::BindlessTexDepth => Some(BindlessKind::TexDepth2D),
            _ => None,
        };
        for &lane in lanes {
            let Value::Resource(table) = operands[0][lane] else { return Err(self.no_resource(&operands[0][lane])) };
            let index = operands[1][lane].bits() as u32;
            let element = self.tables.elements.get(&(table, index, kind)).copied();
            let element = element.ok_or_else(|| {
                format!(
                    "`{}` has nothing at {index} that `{}` could give",
                    self.job.resources[table].name,
                    function.name()
                )
            })?;
            results[lane] = if kind.is_some() {
                Value::Resource(element)
            } else {
                let width = module.kind(ty).width().unwrap_or(1);
                let elements = operands[2][lane].bits() as u32;
                let first = elements.checked_mul(u32::from(width) * 4);
                let scalar = if function == Builtin::BindlessLoadU32 { Scalar::U32 } else { Scalar::F32 };
                let scalar = module.types.find(TypeKind::Scalar(scalar)).ok_or("a load of a type that is not there")?;
                let words: Vec<u64> = (0..u32::from(width))
                    .map(|component| {
                        let offset = first.and_then(|first| first.checked_add(component * 4));
                        let root = Root::Memory { resource: element, offset, packing: Packing::Storage };
                        self.load(lane, &Place { root, path: Vec::new(), ty: scalar }).bits()
                    })
                    .collect();
                Value::vector(&words)
            };
        }
        Ok(())
    }
}
