//! The MSL types whose bytes are those of the GPU ABI.
//!
//! MSL's own types are used wherever they lie as the ABI wants: a `float4` at an offset of 16, a `float3` with 16 bytes to itself.
//! Elsewhere vectors are packed, matrices are arrays of columns, elements of uniform arrays are widened to the 16 bytes that each
//! takes, and structures get padding. `bool` is a `uint`.

use akari_dialect_gpu_abi::layout::{LayoutError, Layouts, Packing};
use akari_ir::interface::{FieldRole, Interpolation};
use akari_ir::module::{Field, Struct};
use akari_ir::{MemoryType, Module, Scalar, StructId, Type, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The strictest alignment of MSL's types, which buffers and what lies at their start have.
const MAX_ALIGN: u32 = 16;

/// The memory types of a module.
#[derive(Debug, Default)]
pub(super) struct MemoryTypes {
    layouts: Layouts,
    memo: FxHashMap<(StructId, Packing, u32), Type>,
    /// Which field of a memory structure a field of its value structure is.
    fields: FxHashMap<StructId, Vec<u32>>,
    /// Structures made to pad the elements of an array; the first field is the element.
    wrappers: FxHashSet<StructId>,
    /// Those structures by their element and their size: functions that are passed a buffer have the types that its entry has.
    padded: FxHashMap<(Type, u32), Type>,
    /// The structure that each memory structure was made of, in order.
    pub(super) made: Vec<(StructId, StructId, Packing)>,
}

/// A place in a buffer, as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Site {
    packing: Packing,
    /// Its offset is a multiple of this power of two.
    align: u32,
    /// Bytes from here to whatever comes next.
    room: u32,
}

fn power_of_two_in(offset: u32) -> u32 {
    if offset == 0 { MAX_ALIGN } else { (1 << offset.trailing_zeros().min(31)).min(MAX_ALIGN) }
}

fn scalar_size(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 2,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::U64 => 8,
    }
}

/// Components that a vector takes the room of: three take that of four.
fn padded_width(width: u8) -> u32 {
    if width == 3 { 4 } else { u32::from(width) }
}

impl MemoryTypes {
    /// The type of what a buffer holds, or of its elements.
    pub(super) fn of_buffer(&mut self, module: &mut Module, ty: Type, packing: Packing) -> Result<Type, LayoutError> {
        let size = self.layouts.of(module, ty, packing)?.size;
        // The host binds no more than the ABI's bytes.
        let align = match packing {
            Packing::Uniform => MAX_ALIGN,
            Packing::Storage => power_of_two_in(size),
        };
        self.memory(module, ty, Site { packing, align, room: size })
    }

    /// The field of the memory structure that holds a field of the value structure.
    pub(super) fn field(&self, memory: StructId, field: u32) -> u32 {
        self.fields.get(&memory).and_then(|fields| fields.get(field as usize)).copied().unwrap_or(field)
    }

    /// Whether a structure is one of memory alone. Its arrays are C's, which are not assigned as a whole.
    pub(super) fn is_made(&self, structure: StructId) -> bool {
        self.fields.contains_key(&structure)
    }

    /// Whether a structure was made to pad an element.
    pub(super) fn is_wrapper(&self, structure: StructId) -> bool {
        self.wrappers.contains(&structure)
    }

    fn memory(&mut self, module: &mut Module, ty: Type, site: Site) -> Result<Type, LayoutError> {
        let in_memory = |scalar| if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
        Ok(match module.kind(ty) {
            TypeKind::Scalar(scalar) => module.types.scalar(in_memory(scalar)),
            TypeKind::Vector(scalar, width) => {
                let scalar = in_memory(scalar);
                let size = padded_width(width) * scalar_size(scalar);
                let kind = if site.align >= size && site.room >= size {
                    TypeKind::Vector(scalar, width)
                } else {
                    TypeKind::Memory(MemoryType::PackedVector(scalar, width))
                };
                module.types.intern(kind)
            }
            TypeKind::Matrix { columns, rows } => {
                let stride = self.layouts.of(module, ty, site.packing)?.stride.unwrap_or(0);
                let column = padded_width(rows) * 4;
                if stride == column && site.align >= column && site.room >= column * u32::from(columns) {
                    return Ok(ty);
                }
                let column = module.types.vector(Scalar::F32, rows);
                let column = self.element(module, column, stride, site)?;
                module.types.intern(TypeKind::Array(column, u32::from(columns)))
            }
            TypeKind::Array(element, length) => {
                let stride = self.layouts.of(module, ty, site.packing)?.stride.unwrap_or(0);
                let element = self.element(module, element, stride, site)?;
                module.types.intern(TypeKind::Array(element, length))
            }
            TypeKind::Struct(id) => self.structure(module, id, ty, site)?,
            TypeKind::Place(..)
            | TypeKind::Buffer(..)
            | TypeKind::Texture(..)
            | TypeKind::StorageTexture(..)
            | TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::AccelStruct
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::ResourceArray(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Function(_)
            | TypeKind::Memory(_) => return Err(LayoutError::Opaque(ty)),
        })
    }

    /// The type of an element that takes exactly `stride` bytes.
    fn element(&mut self, module: &mut Module, ty: Type, stride: u32, site: Site) -> Result<Type, LayoutError> {
        let align = site.align.min(power_of_two_in(stride));
        let element = self.memory(module, ty, Site { align, room: stride, ..site })?;
        let (size, natural) = natural_layout(module, element);
        if size == stride {
            return Ok(element);
        }
        // A scalar or short vector with room to spare is the start of a longer vector.
        if let TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, 2) = module.kind(element) {
            let width = stride / scalar_size(scalar);
            if matches!(width, 2 | 4) && align >= stride {
                return Ok(module.types.vector(scalar, width as u8));
            }
        }
        if let Some(padded) = self.padded.get(&(element, stride)) {
            return Ok(*padded);
        }
        let rest = module.types.intern(TypeKind::Memory(MemoryType::Padding(stride - size)));
        debug_assert!(stride.is_multiple_of(natural), "an element's stride is a multiple of its alignment");
        let name = module.symbols.intern("padded_element");
        let fields = vec![field(module, "value", element, 0), field(module, "padding", rest, size)];
        let id = module.structs.alloc(Struct { name, doc: None, fields, packed: false, loc: None });
        self.wrappers.insert(id);
        let padded = module.types.intern(TypeKind::Struct(id));
        self.padded.insert((element, stride), padded);
        Ok(padded)
    }

    fn structure(&mut self, module: &mut Module, id: StructId, ty: Type, site: Site) -> Result<Type, LayoutError> {
        let packing = site.packing.inside(&module.structs[id]);
        let structure = self.layouts.structure(module, ty, site.packing)?;
        let size = structure.layout.size;
        let offsets: Vec<u32> = structure.fields.iter().map(|field| field.offset).collect();
        // Nothing in it may be aligned more strictly than its size allows for the next one after it.
        let align = site.align.min(power_of_two_in(size));
        if let Some(made) = self.memo.get(&(id, packing, align)) {
            return Ok(*made);
        }
        let values = module.structs[id].fields.clone();
        let mut fields: Vec<Field> = Vec::with_capacity(values.len());
        let mut numbers = Vec::with_capacity(values.len());
        let (mut end, mut same) = (0u32, true);
        for (index, value) in values.iter().enumerate() {
            let offset = offsets[index];
            let room = offsets.get(index + 1).copied().unwrap_or(size) - offset;
            let site = Site { packing, align: align.min(power_of_two_in(offset)), room };
            let memory = self.memory(module, value.ty, site)?;
            let (field_size, field_align) = natural_layout(module, memory);
            if end.next_multiple_of(field_align) < offset {
                fields.push(padding(module, end, offset));
                same = false;
            }
            numbers.push(fields.len() as u32);
            same &= memory == value.ty;
            let (name, loc) = (value.name, value.loc);
            fields.push(Field { name, loc, ..field(module, "", memory, offset) });
            end = offset + field_size;
        }
        let natural = fields.iter().map(|field| natural_layout(module, field.ty).1).max().unwrap_or(1);
        if end.next_multiple_of(natural) < size {
            fields.push(padding(module, end, size));
            same = false;
        }
        // The same bytes come about in several ways: at other alignments, for one.
        let twin = self.made.iter().find(|(made, of, _)| {
            let made = &module.structs[*made].fields;
            *of == id
                && made.len() == fields.len()
                && made.iter().zip(&fields).all(|(a, b)| (a.ty, a.offset) == (b.ty, b.offset))
        });
        let made = if same {
            ty
        } else if let Some((twin, ..)) = twin {
            module.types.intern(TypeKind::Struct(*twin))
        } else {
            let Struct { name, doc, loc, .. } = module.structs[id];
            let memory = module.structs.alloc(Struct { name, doc, fields, packed: false, loc });
            self.fields.insert(memory, numbers);
            self.made.push((memory, id, packing));
            module.types.intern(TypeKind::Struct(memory))
        };
        self.memo.insert((id, packing, align), made);
        Ok(made)
    }
}

fn field(module: &mut Module, name: &str, ty: Type, offset: u32) -> Field {
    Field {
        name: module.symbols.intern(name),
        ty,
        role: FieldRole::Plain,
        interpolation: Interpolation::Perspective,
        location: None,
        offset: Some(offset),
        loc: None,
    }
}

fn padding(module: &mut Module, from: u32, to: u32) -> Field {
    let ty = module.types.intern(TypeKind::Memory(MemoryType::Padding(to - from)));
    field(module, "padding", ty, from)
}

/// Size and alignment that the MSL compiler gives to a type of memory (MSL specification, 2.2 to 2.4).
#[must_use]
pub fn natural_layout(module: &Module, ty: Type) -> (u32, u32) {
    match module.kind(ty) {
        TypeKind::Scalar(Scalar::Bool) => (1, 1),
        TypeKind::Scalar(scalar) => (scalar_size(scalar), scalar_size(scalar)),
        TypeKind::Vector(scalar, width) => {
            let component = if scalar == Scalar::Bool { 1 } else { scalar_size(scalar) };
            (padded_width(width) * component, padded_width(width) * component)
        }
        TypeKind::Matrix { columns, rows } => {
            let column = padded_width(rows) * 4;
            (column * u32::from(columns), column)
        }
        TypeKind::Array(element, length) => {
            let (size, align) = natural_layout(module, element);
            (size.saturating_mul(length), align)
        }
        TypeKind::Struct(id) => {
            let (mut end, mut align) = (0u32, 1);
            for field in &module.structs[id].fields {
                let (size, field_align) = natural_layout(module, field.ty);
                end = end.next_multiple_of(field_align).saturating_add(size);
                align = align.max(field_align);
            }
            (end.next_multiple_of(align), align)
        }
        TypeKind::Memory(MemoryType::PackedVector(scalar, width)) => {
            (u32::from(width) * scalar_size(scalar), scalar_size(scalar))
        }
        TypeKind::Memory(MemoryType::Atomic(scalar)) => (scalar_size(scalar), scalar_size(scalar)),
        TypeKind::Memory(MemoryType::Padding(bytes)) => (bytes, 1),
        TypeKind::Place(..)
        | TypeKind::OpenArray(..)
        | TypeKind::Function(_)
        | TypeKind::Buffer(..)
        | TypeKind::Texture(..)
        | TypeKind::StorageTexture(..)
        | TypeKind::Sampler
        | TypeKind::SamplerCmp
        | TypeKind::AccelStruct
        | TypeKind::BufferTable
        | TypeKind::TextureTable
        | TypeKind::Memory(MemoryType::RayQuery | MemoryType::Bytes)
        | TypeKind::ResourceArray(..) => (8, 8),
    }
}
