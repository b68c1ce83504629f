//! The types of the IR. Enums and bitfields of the source are their underlying integers here.

use crate::entity::{OpenConstId, SignatureId, StructId, Type};
use crate::interface::PassMode;
use crate::intern::Interner;

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// A truth value; 32-bit 0 or 1 in memory.
    Bool,
    /// Signed 32-bit integer, two's complement, wrapping.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// IEEE-754 binary16.
    F16,
    /// IEEE-754 binary32.
    F32,
}

impl Scalar {
    /// Every scalar type with its name in the textual form.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Bool, "bool"),
        (Self::I32, "i32"),
        (Self::U32, "u32"),
        (Self::U64, "u64"),
        (Self::F16, "f16"),
        (Self::F32, "f32"),
    ];

    /// Its name in the textual form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
        }
    }

    /// Whether it is an integer type.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Self::I32 | Self::U32 | Self::U64)
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32)
    }

    /// How many bits a value has; 1 for `bool`.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::F16 => 16,
            Self::I32 | Self::U32 | Self::F32 => 32,
            Self::U64 => 64,
        }
    }
}

/// What a place (a `ref` type) lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// A variable of one invocation: a local or a `ref`/`inout` parameter.
    Function,
    /// A groupshared variable.
    Workgroup,
    /// A module-level constant; read only.
    Constant,
    /// The contents of a `Uniform<T>`; read only.
    Uniform,
    /// An element of a `Buf<T>`; read only.
    StorageRead,
    /// An element of a `RwBuf<T>`.
    Storage,
    /// An element of an `AtomicBuf<T>`: plain loads and stores are relaxed atomic ones.
    Atomic,
}

impl Space {
    /// Every space with its name in the textual form.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Function, "function"),
        (Self::Workgroup, "workgroup"),
        (Self::Constant, "constant"),
        (Self::Uniform, "uniform"),
        (Self::StorageRead, "storage_read"),
        (Self::Storage, "storage"),
        (Self::Atomic, "atomic"),
    ];

    /// Whether a place in it may be stored to.
    #[must_use]
    pub fn is_writable(self) -> bool {
        match self {
            Self::Function | Self::Workgroup | Self::Storage | Self::Atomic => true,
            Self::Constant | Self::Uniform | Self::StorageRead => false,
        }
    }
}

/// The kind of a buffer resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BufferKind {
    /// `Uniform<T>`: one `T`, uniform layout.
    Uniform,
    /// `Buf<T>`: read-only elements, storage layout.
    Read,
    /// `RwBuf<T>`.
    ReadWrite,
    /// `AtomicBuf<T>`.
    Atomic,
}

impl BufferKind {
    /// Every kind with its name in the textual form.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Uniform, "uniform"), (Self::Read, "buf"), (Self::ReadWrite, "rwbuf"), (Self::Atomic, "atomicbuf")];

    /// The space of the places in a buffer of this kind.
    #[must_use]
    pub fn space(self) -> Space {
        match self {
            Self::Uniform => Space::Uniform,
            Self::Read => Space::StorageRead,
            Self::ReadWrite => Space::Storage,
            Self::Atomic => Space::Atomic,
        }
    }
}

/// The shape of a sampled texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureDim {
    /// `Tex2D`, `TexDepth2D`.
    D2,
    /// `Tex2DArray`.
    D2Array,
    /// `Tex3D`.
    D3,
    /// `TexCube`.
    Cube,
    /// `TexCubeArray`.
    CubeArray,
}

impl TextureDim {
    /// Every shape with its name in the textual form.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::D2, "2d"),
        (Self::D2Array, "2darray"),
        (Self::D3, "3d"),
        (Self::Cube, "cube"),
        (Self::CubeArray, "cubearray"),
    ];

    /// How many components a sampling coordinate has, the layer included.
    #[must_use]
    pub fn coordinate_width(self) -> u8 {
        match self {
            Self::D2 => 2,
            Self::D2Array | Self::D3 | Self::Cube => 3,
            Self::CubeArray => 4,
        }
    }

    /// Whether the last coordinate is a layer.
    #[must_use]
    pub fn is_array(self) -> bool {
        matches!(self, Self::D2Array | Self::CubeArray)
    }
}

/// What a sampled texture holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TexelKind {
    /// `float4` texels.
    Float,
    /// `int4` texels; `load` only.
    Int,
    /// `uint4` texels; `load` only.
    Uint,
    /// One `float`: `TexDepth2D`.
    Depth,
}

impl TexelKind {
    /// Every kind with its name in the textual form.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Float, "float"), (Self::Int, "int"), (Self::Uint, "uint"), (Self::Depth, "depth")];
}

/// The format of a storage texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageFormat {
    /// No format given: `float4` texels, read and written without a format.
    Any,
    /// Four 32-bit floats.
    Rgba32f,
    /// Four 16-bit floats.
    Rgba16f,
    /// One 16-bit float.
    R16f,
    /// One 32-bit float.
    R32f,
    /// Two 16-bit floats.
    Rg16f,
    /// 11, 11 and 10 bits of unsigned float.
    R11g11b10f,
    /// One 32-bit unsigned integer.
    R32u,
    /// One 32-bit signed integer.
    R32i,
}

impl StorageFormat {
    /// Every format with its name in the source and in the textual form.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::Any, "float4"),
        (Self::Rgba32f, "rgba32f"),
        (Self::Rgba16f, "rgba16f"),
        (Self::R16f, "r16f"),
        (Self::R32f, "r32f"),
        (Self::Rg16f, "rg16f"),
        (Self::R11g11b10f, "r11g11b10f"),
        (Self::R32u, "r32u"),
        (Self::R32i, "r32i"),
    ];

    /// How many channels a texel has.
    #[must_use]
    pub fn channels(self) -> u8 {
        match self {
            Self::Any | Self::Rgba32f | Self::Rgba16f => 4,
            Self::R11g11b10f => 3,
            Self::Rg16f => 2,
            Self::R16f | Self::R32f | Self::R32u | Self::R32i => 1,
        }
    }

    /// The scalar type of a channel as the shader sees it.
    #[must_use]
    pub fn scalar(self) -> Scalar {
        match self {
            Self::R32u => Scalar::U32,
            Self::R32i => Scalar::I32,
            Self::Any | Self::Rgba32f | Self::Rgba16f | Self::R16f | Self::R32f | Self::Rg16f | Self::R11g11b10f => {
                Scalar::F32
            }
        }
    }
}

/// A type that memory alone holds, never a value that is computed with. A target's memory legalisation makes it, where the
/// bytes that the host wrote are not those of the target's own types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryType {
    /// Two to four scalars, aligned as one of them.
    PackedVector(Scalar, u8),
    /// A 32-bit integer that only atomic operations touch.
    Atomic(Scalar),
    /// This many bytes without meaning.
    Padding(u32),
    /// The search for what a ray meets: a variable of one function, never copied.
    RayQuery,
    /// Bytes that each load gives a type, by their offset: the contents of a buffer.
    Bytes,
}

/// What a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// A scalar.
    Scalar(Scalar),
    /// Two to four scalars.
    Vector(Scalar, u8),
    /// `columns` vectors of `rows` 32-bit floats, column-major.
    Matrix {
        /// Number of columns, 2..=4.
        columns: u8,
        /// Number of rows: the width of a column, 2..=4.
        rows: u8,
    },
    /// `length` elements, at least one.
    Array(Type, u32),
    /// As many elements as a constant says that depends on the `const` parameters of the function around. Gone after
    /// `specialize`.
    OpenArray(Type, OpenConstId),
    /// A function that is known when the program is compiled. Gone after `specialize`.
    Function(SignatureId),
    /// A structure.
    Struct(StructId),
    /// A place that holds a value of the type. Places are second class: never stored, never returned.
    Place(Space, Type),
    /// A buffer resource with its element (or content) type.
    Buffer(BufferKind, Type),
    /// A sampled texture.
    Texture(TextureDim, TexelKind),
    /// A storage texture; the shape is `D2` or `D3`.
    StorageTexture(TextureDim, StorageFormat),
    /// A filtering sampler.
    Sampler,
    /// A comparison sampler.
    SamplerCmp,
    /// A top-level acceleration structure.
    AccelStruct,
    /// The table of all bindless buffers.
    BufferTable,
    /// The table of all bindless textures.
    TextureTable,
    /// An array of resources; of length 0 where how many there are is left open.
    ResourceArray(Type, u32),
    /// A type of memory alone.
    Memory(MemoryType),
}

impl TypeKind {
    /// The type of the elements, the contents, or what a place holds. The fields of a structure and the parameters of a function stand
    /// elsewhere.
    #[must_use]
    pub fn part(self) -> Option<Type> {
        match self {
            Self::Array(part, _)
            | Self::OpenArray(part, _)
            | Self::ResourceArray(part, _)
            | Self::Buffer(_, part)
            | Self::Place(_, part) => Some(part),
            Self::Scalar(_)
            | Self::Vector(..)
            | Self::Matrix { .. }
            | Self::Function(_)
            | Self::Struct(_)
            | Self::Texture(..)
            | Self::StorageTexture(..)
            | Self::Sampler
            | Self::SamplerCmp
            | Self::AccelStruct
            | Self::BufferTable
            | Self::TextureTable
            | Self::Memory(_) => None,
        }
    }

    /// The same with another [`Self::part`].
    #[must_use]
    pub fn with_part(mut self, map: impl FnOnce(Type) -> Type) -> Self {
        if let Self::Array(part, _)
        | Self::OpenArray(part, _)
        | Self::ResourceArray(part, _)
        | Self::Buffer(_, part)
        | Self::Place(_, part) = &mut self
        {
            *part = map(*part);
        }
        self
    }

    /// The scalar for width 1, else the vector.
    #[must_use]
    pub fn vector(scalar: Scalar, width: u8) -> Self {
        if width == 1 { Self::Scalar(scalar) } else { Self::Vector(scalar, width) }
    }

    /// Whether it is a bindless table.
    #[must_use]
    pub fn is_table(self) -> bool {
        matches!(self, Self::BufferTable | Self::TextureTable)
    }

    /// Whether a value of the type is a resource handle.
    #[must_use]
    pub fn is_handle(self) -> bool {
        match self {
            Self::Buffer(..)
            | Self::Texture(..)
            | Self::StorageTexture(..)
            | Self::Sampler
            | Self::SamplerCmp
            | Self::AccelStruct
            | Self::BufferTable
            | Self::TextureTable
            | Self::ResourceArray(..) => true,
            Self::Scalar(_)
            | Self::Vector(..)
            | Self::Matrix { .. }
            | Self::Array(..)
            | Self::OpenArray(..)
            | Self::Function(_)
            | Self::Struct(_)
            | Self::Place(..)
            | Self::Memory(_) => false,
        }
    }

    /// The scalar of a scalar, vector or matrix type.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) => Some(scalar),
            Self::Matrix { .. } => Some(Scalar::F32),
            _ => None,
        }
    }

    /// The number of components of a scalar (1) or vector type.
    #[must_use]
    pub fn width(self) -> Option<u8> {
        match self {
            Self::Scalar(_) => Some(1),
            Self::Vector(_, width) => Some(width),
            _ => None,
        }
    }
}

/// What a function value takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// How each argument is passed, and its type (not that of a place).
    pub params: Box<[(PassMode, Type)]>,
    /// The type of the result.
    pub result: Option<Type>,
}

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    kinds: Interner<Type, TypeKind>,
    signatures: Interner<SignatureId, Signature>,
}

impl Types {
    /// The type of this kind. A module that has a vector or matrix type has those of its parts too.
    pub fn intern(&mut self, kind: TypeKind) -> Type {
        if let Some(ty) = self.kinds.find(&kind) {
            return ty;
        }
        match kind {
            TypeKind::Vector(scalar, _) => {
                self.kinds.intern(TypeKind::Scalar(scalar));
            }
            TypeKind::Matrix { rows, .. } => {
                self.intern(TypeKind::Vector(Scalar::F32, rows));
            }
            _ => {}
        }
        self.kinds.intern(kind)
    }

    /// The type of this kind, if the module has it.
    #[must_use]
    pub fn find(&self, kind: TypeKind) -> Option<Type> {
        self.kinds.find(&kind)
    }

    /// The type of the function values with this signature.
    pub fn function(&mut self, signature: Signature) -> Type {
        let signature = self.signatures.intern(signature);
        self.intern(TypeKind::Function(signature))
    }

    /// Whether the module has function values.
    #[must_use]
    pub fn has_functions(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// The signature of a function type.
    #[must_use]
    pub fn signature(&self, id: SignatureId) -> &Signature {
        self.signatures.get(id)
    }

    /// What `ty` is made of.
    #[must_use]
    pub fn kind(&self, ty: Type) -> TypeKind {
        *self.kinds.get(ty)
    }

    /// A scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> Type {
        self.intern(TypeKind::Scalar(scalar))
    }

    /// The scalar type for width 1, else the vector type.
    pub fn vector(&mut self, scalar: Scalar, width: u8) -> Type {
        self.intern(TypeKind::vector(scalar, width))
    }

    /// The type of a place.
    pub fn place(&mut self, space: Space, pointee: Type) -> Type {
        self.intern(TypeKind::Place(space, pointee))
    }

    /// The space and the pointee of a place type.
    #[must_use]
    pub fn as_place(&self, ty: Type) -> Option<(Space, Type)> {
        match self.kind(ty) {
            TypeKind::Place(space, pointee) => Some((space, pointee)),
            _ => None,
        }
    }

    /// The type of an element of a vector, matrix (a column) or array.
    pub fn element(&mut self, ty: Type) -> Option<Type> {
        match self.kind(ty) {
            TypeKind::Vector(scalar, _) => Some(self.scalar(scalar)),
            TypeKind::Matrix { rows, .. } => Some(self.vector(Scalar::F32, rows)),
            TypeKind::Array(element, _) | TypeKind::OpenArray(element, _) | TypeKind::ResourceArray(element, _) => {
                Some(element)
            }
            _ => None,
        }
    }

    /// How many elements a vector, matrix or array has.
    #[must_use]
    pub fn length(&self, ty: Type) -> Option<u32> {
        match self.kind(ty) {
            TypeKind::Vector(_, width) => Some(u32::from(width)),
            TypeKind::Matrix { columns, .. } => Some(u32::from(columns)),
            TypeKind::Array(_, length) | TypeKind::ResourceArray(_, length) => Some(length),
            _ => None,
        }
    }
}
