//! The one layout engine: where each byte of a value lies in a buffer, by the GPU ABI.
//!
//! Layouts are over IR types and are memoised per type and packing. Sizes and offsets are 32-bit numbers; what does not fit
//! is an error value, as are types that have no layout and types nested too deep. Nothing here panics on any module.
//!
//! ```
//! use akari_dialect_gpu_abi::layout::{Layouts, Packing};
//! use akari_ir::{Module, Scalar};
//!
//! let mut module = Module::new("example");
//! let float3 = module.types.vector(Scalar::F32, 3);
//! let mut layouts = Layouts::new();
//! assert_eq!(layouts.of(&module, float3, Packing::Uniform).map(|layout| layout.align), Ok(16));
//! assert_eq!(layouts.of(&module, float3, Packing::Storage).map(|layout| layout.align), Ok(4));
//! ```

use akari_ir::entity::{SecondaryMap, StructId, Type};
use akari_ir::module::{Module, Struct};
use akari_ir::types::{BufferKind, Scalar, Space, TypeKind};

/// How deep value types may nest, a scalar being 1.
pub const MAX_DEPTH: u32 = 64;

/// A set of packing rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Packing {
    /// `Uniform<T>`: like std140, except that a struct is aligned as its largest member.
    Uniform,
    /// `Buf<T>`, `RwBuf<T>`, `AtomicBuf<T>` and `@packed` structs: tight.
    Storage,
}

impl Packing {
    /// Every packing with its name in the layout dump.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Uniform, "uniform"), (Self::Storage, "storage")];

    /// The rules inside `structure` where these hold around it: `@packed` forces storage packing on all that it holds.
    #[must_use]
    pub fn inside(self, structure: &Struct) -> Self {
        if structure.packed { Self::Storage } else { self }
    }

    /// The packing of what a buffer of this kind holds.
    #[must_use]
    pub fn of_buffer(kind: BufferKind) -> Self {
        match kind {
            BufferKind::Uniform => Self::Uniform,
            BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic => Self::Storage,
        }
    }

    /// The packing of the places in a space; none where the host never sees the bytes.
    #[must_use]
    pub fn of_space(space: Space) -> Option<Self> {
        match space {
            Space::Uniform => Some(Self::Uniform),
            Space::StorageRead | Space::Storage | Space::Atomic => Some(Self::Storage),
            Space::Function | Space::Workgroup | Space::Constant => None,
        }
    }
}

/// The layout of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bytes it takes.
    pub size: u32,
    /// Its offset is a multiple of this, a power of two.
    pub align: u32,
    /// Bytes from one element of an array, or one column of a matrix, to the next.
    pub stride: Option<u32>,
    /// How deep it nests.
    depth: u32,
}

/// Where a field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldLayout {
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// The layout of the field's type, under the rules that hold in the struct.
    pub layout: Layout,
}

/// The layout of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructLayout<'a> {
    /// The whole.
    pub layout: Layout,
    /// Its fields, in order of declaration.
    pub fields: &'a [FieldLayout],
}

/// Why a type has no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayoutError {
    /// A size or an offset of this type does not fit 32 bits.
    TooLarge(Type),
    /// This type holds others more than [`MAX_DEPTH`] deep, or itself.
    TooDeep(Type),
    /// This type is a handle or a place: it has no bytes.
    Opaque(Type),
}

impl LayoutError {
    /// The type that the error is about: the one asked for, or one that it holds.
    #[must_use]
    pub fn ty(self) -> Type {
        match self {
            Self::TooLarge(ty) | Self::TooDeep(ty) | Self::Opaque(ty) => ty,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Memo {
    result: Result<Layout, LayoutError>,
    /// The fields of a struct, as a range of the pool.
    fields: (u32, u32),
}

/// The layouts of one module's types. Types and structs may be added to the module between two calls, but not changed.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    memo: [SecondaryMap<Type, Option<Memo>>; 2],
    fields: Vec<FieldLayout>,
}

fn round_up(value: u64, align: u32) -> u64 {
    value.next_multiple_of(u64::from(align.max(1)))
}

fn scalar_size(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 2,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::U64 => 8,
    }
}

impl Layouts {
    /// No layout known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The layout of a value type.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn of(&mut self, module: &Module, ty: Type, packing: Packing) -> Result<Layout, LayoutError> {
        self.find(module, ty, packing, MAX_DEPTH).result
    }

    /// The layout of a struct and of its fields, by the rules that hold around it.
    ///
    /// # Errors
    /// See [`LayoutError`]; a type that is no struct is [`LayoutError::Opaque`].
    pub fn structure(&mut self, module: &Module, ty: Type, packing: Packing) -> Result<StructLayout<'_>, LayoutError> {
        let TypeKind::Struct(_) = module.kind(ty) else {
            return Err(LayoutError::Opaque(ty));
        };
        let memo = self.find(module, ty, packing, MAX_DEPTH);
        let layout = memo.result?;
        Ok(StructLayout { layout, fields: &self.fields[memo.fields.0 as usize..memo.fields.1 as usize] })
    }

    /// Bytes from one element to the next in a buffer of elements of type `ty`, or in an array of them.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn stride(&mut self, module: &Module, ty: Type, packing: Packing) -> Result<u32, LayoutError> {
        let layout = self.of(module, ty, packing)?;
        let (stride, _) = array_of(layout, packing);
        u32::try_from(stride).map_err(|_| LayoutError::TooLarge(ty))
    }

    /// The offset of a field of a field … of a struct, and that field's layout: `path` lists the fields' numbers.
    ///
    /// # Errors
    /// See [`LayoutError`]; a path that leaves the struct ends in [`LayoutError::Opaque`].
    pub fn offset_of(
        &mut self,
        module: &Module,
        ty: Type,
        packing: Packing,
        path: &[u32],
    ) -> Result<FieldLayout, LayoutError> {
        let mut at = FieldLayout { offset: 0, layout: self.of(module, ty, packing)? };
        let (mut of, mut packing) = (ty, packing);
        for &field in path {
            let TypeKind::Struct(id) = module.kind(of) else {
                return Err(LayoutError::Opaque(of));
            };
            let inner =
                *self.structure(module, of, packing)?.fields.get(field as usize).ok_or(LayoutError::Opaque(of))?;
            let offset = at.offset.checked_add(inner.offset).ok_or(LayoutError::TooLarge(ty))?;
            at = FieldLayout { offset, layout: inner.layout };
            packing = packing.inside(&module.structs[id]);
            of = module.structs[id].fields[field as usize].ty;
        }
        Ok(at)
    }

    fn find(&mut self, module: &Module, ty: Type, packing: Packing, depth_left: u32) -> Memo {
        if let Some(memo) = *self.memo[packing as usize].get(ty) {
            return memo;
        }
        let memo = self.compute(module, ty, packing, depth_left);
        // How deep is too deep depends on where the question was asked, so that answer is not kept.
        if !matches!(memo.result, Err(LayoutError::TooDeep(_))) {
            self.memo[packing as usize].set(ty, Some(memo));
        }
        memo
    }

    fn compute(&mut self, module: &Module, ty: Type, packing: Packing, depth_left: u32) -> Memo {
        let without_fields = |result| Memo { result, fields: (0, 0) };
        let Some(depth_left) = depth_left.checked_sub(1) else {
            return without_fields(Err(LayoutError::TooDeep(ty)));
        };
        match module.kind(ty) {
            TypeKind::Scalar(scalar) => {
                let size = scalar_size(scalar);
                without_fields(Ok(Layout { size, align: size, stride: None, depth: 1 }))
            }
            TypeKind::Vector(scalar, width) => without_fields(Ok(vector(scalar, width, packing))),
            TypeKind::Matrix { columns, rows } => {
                let column = vector(Scalar::F32, rows, packing);
                // Every column of a uniform matrix takes 16 bytes, `float2` ones too.
                let (stride, align) = match packing {
                    Packing::Uniform => (16, 16),
                    Packing::Storage => (column.size, column.align),
                };
                without_fields(Ok(Layout { size: stride * u32::from(columns), align, stride: Some(stride), depth: 1 }))
            }
            TypeKind::Array(element, length) => {
                let element = match self.find(module, element, packing, depth_left).result {
                    Ok(layout) => layout,
                    Err(error) => return without_fields(Err(at_root(error, ty))),
                };
                let (stride, align) = array_of(element, packing);
                let size = stride * u64::from(length);
                without_fields(match (u32::try_from(size), u32::try_from(stride)) {
                    (Ok(size), Ok(stride)) => {
                        checked_depth(Layout { size, align, stride: Some(stride), depth: element.depth + 1 }, ty)
                    }
                    _ => Err(LayoutError::TooLarge(ty)),
                })
            }
            TypeKind::Struct(id) => self.compute_struct(module, ty, id, packing, depth_left),
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
            | TypeKind::Memory(_) => without_fields(Err(LayoutError::Opaque(ty))),
        }
    }

    fn compute_struct(&mut self, module: &Module, ty: Type, id: StructId, packing: Packing, depth_left: u32) -> Memo {
        let failed = |error| Memo { result: Err(error), fields: (0, 0) };
        let structure = &module.structs[id];
        let packing = packing.inside(structure);
        let mut fields = Vec::with_capacity(structure.fields.len());
        let (mut end, mut align, mut depth) = (0u64, 1, 0);
        for field in &structure.fields {
            let layout = match self.find(module, field.ty, packing, depth_left).result {
                Ok(layout) => layout,
                Err(error) => return failed(at_root(error, ty)),
            };
            let start = round_up(end, layout.align);
            let Ok(offset) = u32::try_from(start) else {
                return failed(LayoutError::TooLarge(ty));
            };
            end = start + u64::from(layout.size);
            align = align.max(layout.align);
            depth = depth.max(layout.depth);
            fields.push(FieldLayout { offset, layout });
        }
        let Ok(size) = u32::try_from(round_up(end, align)) else {
            return failed(LayoutError::TooLarge(ty));
        };
        let result = checked_depth(Layout { size, align, stride: None, depth: depth + 1 }, ty);
        let start = self.fields.len() as u32;
        self.fields.extend(fields);
        Memo { result, fields: (start, self.fields.len() as u32) }
    }
}

fn vector(scalar: Scalar, width: u8, packing: Packing) -> Layout {
    let size = scalar_size(scalar);
    let align = match packing {
        Packing::Storage => size,
        Packing::Uniform => size * if width == 3 { 4 } else { u32::from(width) },
    };
    Layout { size: size * u32::from(width), align, stride: None, depth: 1 }
}

/// Stride and alignment of an array of elements of this layout.
fn array_of(element: Layout, packing: Packing) -> (u64, u32) {
    let align = match packing {
        Packing::Uniform => element.align.max(16),
        Packing::Storage => element.align,
    };
    (round_up(u64::from(element.size), align), align)
}

/// Nesting that is too deep is told of the type that was asked for; which one inside was the last is of no interest.
fn at_root(error: LayoutError, ty: Type) -> LayoutError {
    match error {
        LayoutError::TooDeep(_) => LayoutError::TooDeep(ty),
        LayoutError::TooLarge(_) | LayoutError::Opaque(_) => error,
    }
}

fn checked_depth(layout: Layout, ty: Type) -> Result<Layout, LayoutError> {
    if layout.depth > MAX_DEPTH { Err(LayoutError::TooDeep(ty)) } else { Ok(layout) }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
