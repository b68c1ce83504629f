//! Types as the source writes them, and the bytes of those that buffers hold.

use akari_dialect_gpu_abi::layout::{LayoutError, Layouts, Packing};
use akari_ir::interface::{Address, Compare, Filter, SamplerState};
use akari_ir::types::{BufferKind, StorageFormat, TexelKind, TextureDim};
use akari_ir::{Module, Scalar, StructId, Type, TypeKind};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::model;
use crate::sema::declarations::{Declarations, IntegerName};
use crate::sema::types::scalar_name;

/// A type as the source writes it, with integers for enums and bitfields.
#[must_use]
pub fn source_name(module: &Module, ty: Type) -> String {
    match module.kind(ty) {
        TypeKind::Scalar(scalar) => scalar_name(scalar).to_owned(),
        TypeKind::Vector(scalar, width) => format!("{}{width}", scalar_name(scalar)),
        TypeKind::Matrix { columns, rows } => format!("float{columns}x{rows}"),
        TypeKind::Array(element, length) | TypeKind::ResourceArray(element, length) => {
            format!("{}[{length}]", source_name(module, element))
        }
        TypeKind::Struct(id) => module.text(module.structs[id].name).to_owned(),
        TypeKind::Buffer(kind, element) => {
            let name = match kind {
                BufferKind::Uniform => "Uniform",
                BufferKind::Read => "Buf",
                BufferKind::ReadWrite => "RwBuf",
                BufferKind::Atomic => "AtomicBuf",
            };
            format!("{name}<{}>", source_name(module, element))
        }
        TypeKind::Texture(dim, texel) => {
            let name = match dim {
                TextureDim::D2 => "Tex2D",
                TextureDim::D2Array => "Tex2DArray",
                TextureDim::D3 => "Tex3D",
                TextureDim::Cube => "TexCube",
                TextureDim::CubeArray => "TexCubeArray",
            };
            match texel {
                TexelKind::Float => name.to_owned(),
                TexelKind::Int => format!("{name}<int>"),
                TexelKind::Uint => format!("{name}<uint>"),
                TexelKind::Depth => "TexDepth2D".to_owned(),
            }
        }
        TypeKind::StorageTexture(dim, format) => {
            let name = if dim == TextureDim::D3 { "RwTex3D" } else { "RwTex2D" };
            format_name(format).map_or(name.to_owned(), |format| format!("{name}<{format}>"))
        }
        TypeKind::Sampler => "Sampler".to_owned(),
        TypeKind::SamplerCmp => "SamplerCmp".to_owned(),
        TypeKind::AccelStruct => "AccelStruct".to_owned(),
        TypeKind::BufferTable => "BufferTable".to_owned(),
        TypeKind::TextureTable => "TextureTable".to_owned(),
        // These never stand in an interface or in memory that the host sees.
        TypeKind::Place(_, pointee) => format!("ref {}", source_name(module, pointee)),
        TypeKind::OpenArray(element, _) => format!("{}[?]", source_name(module, element)),
        TypeKind::Function(_) => "fn".to_owned(),
        TypeKind::Memory(memory) => format!("{memory:?}"),
    }
}

/// The name of a storage format; none where texels are accessed without one.
pub(super) fn format_name(format: StorageFormat) -> Option<&'static str> {
    match format {
        StorageFormat::Any => None,
        StorageFormat::Rgba32f
        | StorageFormat::Rgba16f
        | StorageFormat::R16f
        | StorageFormat::R32f
        | StorageFormat::Rg16f
        | StorageFormat::R11g11b10f
        | StorageFormat::R32u
        | StorageFormat::R32i => StorageFormat::ALL.iter().find(|(other, _)| *other == format).map(|(_, name)| *name),
    }
}

pub(super) fn packing_name(packing: Packing) -> &'static str {
    Packing::ALL[packing as usize].1
}

pub(super) fn texture(dim: TextureDim, texel: &'static str, format: Option<Option<&'static str>>) -> model::Texture {
    let dimension = match dim {
        TextureDim::D2 => "2d",
        TextureDim::D2Array => "2d_array",
        TextureDim::D3 => "3d",
        TextureDim::Cube => "cube",
        TextureDim::CubeArray => "cube_array",
    };
    model::Texture { dimension, texel, format }
}

/// A sampler's state by the names of the source.
pub(super) fn state_names(state: SamplerState) -> (&'static str, &'static str, Option<&'static str>) {
    let filter = Filter::ALL[state.filter as usize].1;
    let address = Address::ALL[state.address as usize].1;
    (filter, address, state.compare.map(|compare| Compare::ALL[compare as usize].1))
}

/// Collects the structs that buffers hold, with the enums and bitfields in them, and names them apart.
pub(super) struct Memory<'a> {
    module: &'a Module,
    declarations: &'a Declarations,
    layouts: Layouts,
    /// By which packings each struct is asked for.
    packings: FxHashMap<StructId, [bool; 2]>,
    names: FxHashMap<StructId, String>,
    enum_names: Vec<String>,
    bitfield_names: Vec<String>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(module: &'a Module, declarations: &'a Declarations) -> Self {
        // Private items of several files may share a name.
        let mut taken = IndexSet::new();
        let mut apart = |name: &str| {
            let numbered = (2_u32..).map(|number| format!("{name}_{number}"));
            let name = std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken.contains(name));
            name.inspect(|name| {
                taken.insert(name.clone());
            })
        };
        let structs =
            module.structs.iter().map(|(id, structure)| (id, apart(module.text(structure.name)).unwrap_or_default()));
        let names = structs.collect();
        let enum_names = declarations.enums.iter().map(|item| apart(&item.named.name).unwrap_or_default()).collect();
        let bitfield_names =
            declarations.bitfields.iter().map(|item| apart(&item.named.name).unwrap_or_default()).collect();
        Self {
            module,
            declarations,
            layouts: Layouts::new(),
            packings: FxHashMap::default(),
            names,
            enum_names,
            bitfield_names,
        }
    }

    /// What a buffer of this kind holds.
    pub(super) fn buffer(&mut self, kind: BufferKind, content: Type) -> Result<model::Buffer, LayoutError> {
        let packing = Packing::of_buffer(kind);
        self.ask_for(content, packing);
        let layout = self.layouts.of(self.module, content, packing)?;
        let stride = match packing {
            Packing::Uniform => None,
            Packing::Storage => Some(self.layouts.stride(self.module, content, packing)?),
        };
        let content = self.value(content, packing, None)?;
        Ok(model::Buffer { packing: packing_name(packing), size: layout.size, align: layout.align, stride, content })
    }

    /// Asks for every struct of values by every packing.
    pub(super) fn everything(&mut self) {
        let contexts = self.module.contexts();
        for id in self.module.structs.ids().filter(|id| !contexts.get(*id)) {
            if let Some(ty) = self.module.types.find(TypeKind::Struct(id)) {
                Packing::ALL.iter().for_each(|(packing, _)| self.ask_for(ty, *packing));
            }
        }
    }

    fn ask_for(&mut self, ty: Type, packing: Packing) {
        match self.module.kind(ty) {
            TypeKind::Array(element, _) => self.ask_for(element, packing),
            TypeKind::Struct(id) => {
                let structure = &self.module.structs[id];
                let packing = packing.inside(structure);
                let asked = &mut self.packings.entry(id).or_default()[packing as usize];
                if !std::mem::replace(asked, true) {
                    structure.fields.iter().for_each(|field| self.ask_for(field.ty, packing));
                }
            }
            _ => {}
        }
    }

    /// The structs that were asked for, in order of definition.
    pub(super) fn structs(&mut self) -> Result<Vec<model::Struct>, LayoutError> {
        let mut structs = Vec::new();
        for (id, structure) in self.module.structs.iter() {
            let (Some(asked), Some(ty)) =
                (self.packings.get(&id).copied(), self.module.types.find(TypeKind::Struct(id)))
            else {
                continue;
            };
            let mut layout = |packing| asked[packing as usize].then(|| self.structure(id, ty, packing)).transpose();
            let layouts = model::Layouts { uniform: layout(Packing::Uniform)?, storage: layout(Packing::Storage)? };
            let doc = structure.doc.map(|doc| self.module.text(doc).to_owned());
            structs.push(model::Struct { name: self.names[&id].clone(), doc, packed: structure.packed, layouts });
        }
        Ok(structs)
    }

    fn structure(&mut self, id: StructId, ty: Type, packing: Packing) -> Result<model::StructLayout, LayoutError> {
        let module = self.module;
        let whole = self.layouts.structure(module, ty, packing)?;
        let (size, align) = (whole.layout.size, whole.layout.align);
        let places: Vec<(u32, u32)> = whole.fields.iter().map(|field| (field.offset, field.layout.size)).collect();
        let inside = packing.inside(&module.structs[id]);
        let mut fields = Vec::with_capacity(places.len());
        for (index, (field, (offset, size))) in module.structs[id].fields.iter().zip(places).enumerate() {
            let content = self.value(field.ty, inside, self.declarations.field(id, index))?;
            fields.push(model::Field { name: module.text(field.name).to_owned(), offset, size, content });
        }
        Ok(model::StructLayout { size, align, fields })
    }

    fn value(
        &mut self,
        ty: Type,
        packing: Packing,
        integer: Option<IntegerName>,
    ) -> Result<model::ValueType, LayoutError> {
        let module = self.module;
        let mut value = model::ValueType { ty: source_name(module, ty), ..model::ValueType::default() };
        let mut innermost = ty;
        while let TypeKind::Array(element, length) = module.kind(innermost) {
            let stride = self.layouts.stride(module, element, packing)?;
            value.arrays.push(model::ArrayOf { length, stride });
            innermost = element;
        }
        match module.kind(innermost) {
            TypeKind::Scalar(scalar) => value.scalar = Some(scalar_name(scalar)),
            TypeKind::Vector(scalar, width) => {
                value.scalar = Some(scalar_name(scalar));
                value.width = Some(u32::from(width));
            }
            TypeKind::Matrix { columns, rows } => {
                value.scalar = Some(scalar_name(Scalar::F32));
                value.width = Some(u32::from(rows));
                value.columns = Some(u32::from(columns));
                value.column_stride = self.layouts.of(module, innermost, packing)?.stride;
            }
            TypeKind::Struct(id) => value.structure = self.names.get(&id).cloned(),
            _ => return Err(LayoutError::Opaque(innermost)),
        }
        let name = match integer {
            Some(IntegerName::Enum(index)) => {
                value.enumeration = self.enum_names.get(index).cloned();
                value.enumeration.as_ref()
            }
            Some(IntegerName::Bitfield(index)) => {
                value.bitfield = self.bitfield_names.get(index).cloned();
                value.bitfield.as_ref()
            }
            None => None,
        };
        if let Some(name) = name {
            let lengths: String = value.arrays.iter().rev().map(|array| format!("[{}]", array.length)).collect();
            value.ty = format!("{name}{lengths}");
        }
        Ok(value)
    }

    /// The enums and bitfields that fields of structs are of.
    pub(super) fn named(&self, structs: &[model::Struct]) -> IndexSet<String> {
        let fields =
            structs.iter().flat_map(|structure| structure.layouts.iter()).flat_map(|(_, layout)| &layout.fields);
        fields.flat_map(|field| field.content.enumeration.iter().chain(&field.content.bitfield)).cloned().collect()
    }

    /// Every enum of the program under the name that the reflection has for it.
    pub(super) fn enums(&self) -> impl Iterator<Item = model::Enum> {
        self.declarations.enums.iter().zip(&self.enum_names).map(|(item, name)| {
            let value = |bits: u32| match item.underlying {
                Scalar::I32 => i64::from(bits.cast_signed()),
                _ => i64::from(bits),
            };
            let cases = item.cases.iter().map(|(name, bits)| model::Case { name: name.clone(), value: value(*bits) });
            model::Enum { name: name.clone(), underlying: scalar_name(item.underlying), cases: cases.collect() }
        })
    }

    /// Every bitfield of the program under the name that the reflection has for it.
    pub(super) fn bitfields(&self) -> impl Iterator<Item = model::Bitfield> {
        self.declarations.bitfields.iter().zip(&self.bitfield_names).map(|(item, name)| {
            let fields = item.fields.iter();
            let fields =
                fields.map(|(name, offset, width)| model::Bits { name: name.clone(), offset: *offset, width: *width });
            model::Bitfield { name: name.clone(), fields: fields.collect() }
        })
    }
}
