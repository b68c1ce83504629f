//! The types of the source language: those of the IR, with enums and bitfields kept apart from their integers, and the
//! poison type of what was already reported.

use akari_ir::entity::Entity;
use akari_ir::interface::PassMode;
use akari_ir::intern::Interner;
use akari_ir::types::{BufferKind, Scalar, StorageFormat, TexelKind, TextureDim};

use super::open::OpenId;

/// An interned type; equal ids are equal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(u32);

impl Entity for Ty {
    fn from_index(index: u32) -> Self {
        Self(index)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a function type takes and gives; interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignatureId(u32);

impl Entity for SignatureId {
    fn from_index(index: u32) -> Self {
        Self(index)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a function value takes and gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// How each argument is passed, and its type.
    pub params: Box<[(PassMode, Ty)]>,
    /// What it gives; [`Ty::NOTHING`] for nothing.
    pub result: Ty,
}

macro_rules! index_ids {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// Its position in the program's table.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index_ids! {
    /// A struct of the program.
    StructId;
    /// An enum of the program.
    EnumId;
    /// A bitfield of the program.
    BitfieldId;
    /// A function of the program.
    FunctionId;
    /// A module-level constant of the program.
    ConstantId;
    /// A package binding of the program.
    BindingId;
}

/// What a type is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// The type of something wrong that was already reported; fits everywhere.
    Error,
    /// The type of a call that gives nothing.
    Nothing,
    /// A scalar.
    Scalar(Scalar),
    /// Two to four scalars.
    Vector(Scalar, u8),
    /// Columns of floats.
    Matrix {
        /// Number of columns.
        columns: u8,
        /// Number of rows.
        rows: u8,
    },
    /// Elements and their number.
    Array(Ty, u32),
    /// Elements and their number, which depends on `const` parameters of the function it stands in.
    OpenArray(Ty, OpenId),
    /// Textures and their number.
    ResourceArray(Ty, u32),
    /// Textures and their number, which depends on `const` parameters of the function it stands in.
    OpenResourceArray(Ty, OpenId),
    /// What a function value takes and gives.
    Function(SignatureId),
    /// A struct.
    Struct(StructId),
    /// An enum.
    Enum(EnumId),
    /// A bitfield.
    Bitfield(BitfieldId),
    /// A buffer of elements (or one, of a uniform).
    Buffer(BufferKind, Ty),
    /// A sampled texture.
    Texture(TextureDim, TexelKind),
    /// A storage texture.
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
}

impl TyKind {
    /// The scalar for width 1, else the vector.
    #[must_use]
    pub fn vector(scalar: Scalar, width: u8) -> Self {
        if width == 1 { Self::Scalar(scalar) } else { Self::Vector(scalar, width) }
    }

    /// The type of the elements of an array, or of what a buffer holds.
    #[must_use]
    pub fn element(self) -> Option<Ty> {
        match self {
            Self::Array(element, _)
            | Self::OpenArray(element, _)
            | Self::ResourceArray(element, _)
            | Self::OpenResourceArray(element, _)
            | Self::Buffer(_, element) => Some(element),
            Self::Error
            | Self::Nothing
            | Self::Scalar(_)
            | Self::Vector(..)
            | Self::Matrix { .. }
            | Self::Function(_)
            | Self::Struct(_)
            | Self::Enum(_)
            | Self::Bitfield(_)
            | Self::Texture(..)
            | Self::StorageTexture(..)
            | Self::Sampler
            | Self::SamplerCmp
            | Self::AccelStruct
            | Self::BufferTable
            | Self::TextureTable => None,
        }
    }

    /// The scalar of a scalar, vector or matrix.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(scalar, _) => Some(scalar),
            Self::Matrix { .. } => Some(Scalar::F32),
            _ => None,
        }
    }

    /// The number of components of a scalar or vector.
    #[must_use]
    pub fn width(self) -> Option<u8> {
        match self {
            Self::Scalar(_) => Some(1),
            Self::Vector(_, width) => Some(width),
            _ => None,
        }
    }

    /// Whether it is a resource handle.
    #[must_use]
    pub fn is_handle(self) -> bool {
        matches!(
            self,
            Self::Buffer(..)
                | Self::Texture(..)
                | Self::StorageTexture(..)
                | Self::Sampler
                | Self::SamplerCmp
                | Self::AccelStruct
                | Self::BufferTable
                | Self::TextureTable
                | Self::ResourceArray(..)
                | Self::OpenResourceArray(..)
        )
    }
}

impl Ty {
    /// [`TyKind::Error`].
    pub const ERROR: Self = Self(0);
    /// [`TyKind::Nothing`].
    pub const NOTHING: Self = Self(1);
    /// `bool`.
    pub const BOOL: Self = Self(2);
    /// `int`.
    pub const INT: Self = Self(3);
    /// `uint`.
    pub const UINT: Self = Self(4);
    /// `uint64`.
    pub const UINT64: Self = Self(5);
    /// `half`.
    pub const HALF: Self = Self(6);
    /// `float`.
    pub const FLOAT: Self = Self(7);

    /// The type of a scalar.
    #[must_use]
    pub fn scalar(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::BOOL,
            Scalar::I32 => Self::INT,
            Scalar::U32 => Self::UINT,
            Scalar::U64 => Self::UINT64,
            Scalar::F16 => Self::HALF,
            Scalar::F32 => Self::FLOAT,
        }
    }
}

/// The types of a program.
#[derive(Clone, Debug)]
pub struct TypeTable {
    kinds: Interner<Ty, TyKind>,
    signatures: Interner<SignatureId, Signature>,
}

impl Default for TypeTable {
    fn default() -> Self {
        let mut kinds = Interner::default();
        for kind in [TyKind::Error, TyKind::Nothing] {
            kinds.intern(kind);
        }
        for (scalar, _) in Scalar::ALL {
            kinds.intern(TyKind::Scalar(scalar));
        }
        Self { kinds, signatures: Interner::default() }
    }
}

impl TypeTable {
    /// The type of this kind.
    pub fn intern(&mut self, kind: TyKind) -> Ty {
        self.kinds.intern(kind)
    }

    /// What a type is made of.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> TyKind {
        *self.kinds.get(ty)
    }

    /// The scalar for width 1, else the vector.
    pub fn vector(&mut self, scalar: Scalar, width: u8) -> Ty {
        self.intern(TyKind::vector(scalar, width))
    }

    /// The type of functions with this signature.
    pub fn function(&mut self, signature: Signature) -> Ty {
        let id = self.signatures.intern(signature);
        self.intern(TyKind::Function(id))
    }

    /// A signature.
    #[must_use]
    pub fn signature(&self, id: SignatureId) -> &Signature {
        self.signatures.get(id)
    }

    /// The signature of a function type.
    #[must_use]
    pub fn signature_of(&self, ty: Ty) -> Option<&Signature> {
        match self.kind(ty) {
            TyKind::Function(id) => Some(self.signature(id)),
            _ => None,
        }
    }

    /// How many types there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none, which is never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// The name of a scalar type in the source.
#[must_use]
pub fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "uint64",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
    }
}

/// The type without arguments that the language itself calls `name`.
#[must_use]
pub fn plain_type(name: &str) -> Option<TyKind> {
    let scalar = |text: &str| match text {
        "bool" => Some(Scalar::Bool),
        "int" => Some(Scalar::I32),
        "uint" => Some(Scalar::U32),
        "float" => Some(Scalar::F32),
        "half" => Some(Scalar::F16),
        _ => None,
    };
    if let Some(scalar) = scalar(name) {
        return Some(TyKind::Scalar(scalar));
    }
    match name {
        "i32" => return Some(TyKind::Scalar(Scalar::I32)),
        "u32" => return Some(TyKind::Scalar(Scalar::U32)),
        "f32" => return Some(TyKind::Scalar(Scalar::F32)),
        "f16" => return Some(TyKind::Scalar(Scalar::F16)),
        "uint64" | "u64" => return Some(TyKind::Scalar(Scalar::U64)),
        "Sampler" => return Some(TyKind::Sampler),
        "SamplerCmp" => return Some(TyKind::SamplerCmp),
        "AccelStruct" => return Some(TyKind::AccelStruct),
        "BufferTable" => return Some(TyKind::BufferTable),
        "TextureTable" => return Some(TyKind::TextureTable),
        "TexDepth2D" => return Some(TyKind::Texture(TextureDim::D2, TexelKind::Depth)),
        _ => {}
    }
    let digit = |byte: u8| matches!(byte, b'2'..=b'4').then(|| byte - b'0');
    match name.as_bytes() {
        [b'f', b'l', b'o', b'a', b't', columns, b'x', rows] => {
            Some(TyKind::Matrix { columns: digit(*columns)?, rows: digit(*rows)? })
        }
        [.., last] => Some(TyKind::Vector(scalar(name.get(..name.len() - 1)?)?, digit(*last)?)),
        [] => None,
    }
}

/// What a type that takes arguments makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generic {
    /// `Buf<T>` and the like.
    Buffer(BufferKind),
    /// `Tex2D` or `Tex2D<uint>` and the like.
    Texture(TextureDim),
    /// `RwTex2D` or `RwTex2D<r32f>`.
    Storage(TextureDim),
}

/// The types of the language that take arguments.
pub const GENERICS: [(&str, Generic); 11] = [
    ("Uniform", Generic::Buffer(BufferKind::Uniform)),
    ("Buf", Generic::Buffer(BufferKind::Read)),
    ("RwBuf", Generic::Buffer(BufferKind::ReadWrite)),
    ("AtomicBuf", Generic::Buffer(BufferKind::Atomic)),
    ("Tex2D", Generic::Texture(TextureDim::D2)),
    ("Tex2DArray", Generic::Texture(TextureDim::D2Array)),
    ("Tex3D", Generic::Texture(TextureDim::D3)),
    ("TexCube", Generic::Texture(TextureDim::Cube)),
    ("TexCubeArray", Generic::Texture(TextureDim::CubeArray)),
    ("RwTex2D", Generic::Storage(TextureDim::D2)),
    ("RwTex3D", Generic::Storage(TextureDim::D3)),
];

/// Names of types to suggest for a misspelled one.
pub const COMMON_TYPES: [&str; 32] = [
    "bool", "bool2", "bool3", "bool4", "int", "int2", "int3", "int4", "uint", "uint2", "uint3", "uint4", "uint64",
    "float", "float2", "float3", "float4", "half", "half2", "half3", "half4", "float2x2", "float3x3", "float4x4",
    "float3x4", "Sampler", "SamplerCmp", "TexDepth2D", "AccelStruct", "RtTraceHit", "BufferTable", "TextureTable",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_type_names() {
        assert_eq!(plain_type("float3"), Some(TyKind::Vector(Scalar::F32, 3)));
        assert_eq!(plain_type("float2x4"), Some(TyKind::Matrix { columns: 2, rows: 4 }));
        assert_eq!(plain_type("f16"), Some(TyKind::Scalar(Scalar::F16)));
        for wrong in ["float5", "float2x5", "uint642", "Float", "", "é2", "é"] {
            assert_eq!(plain_type(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn fixed_ids() {
        let table = TypeTable::default();
        assert_eq!(table.kind(Ty::ERROR), TyKind::Error);
        for (scalar, _) in Scalar::ALL {
            assert_eq!(table.kind(Ty::scalar(scalar)), TyKind::Scalar(scalar));
        }
    }
}
