//! What running a compiled case takes, and what it gives, in terms that no way of running it owns.
//!
//! A numeric case names its resources; the compiler's interface says where each of them is bound; a [`Job`] is the two joined. The ways
//! ([`Way`]) differ in the code they run (an IR module, SPIR-V, Metal source), and all take a `Job` and give an [`Outcome`].

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::scene::Scene;
use crate::texel::TexelFormat;

/// A way to run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The reference interpreter, on the IR.
    Interp,
    /// Akari's SPIR-V on a Vulkan device.
    Spirv,
    /// Akari's Vulkan HLSL, compiled by DXC, on a Vulkan device.
    Dxc,
    /// Akari's Direct3D 12 HLSL with Vulkan's bindings ([`crate::direct3d`]), compiled by DXC, on a Vulkan device.
    D3d12,
    /// Akari's Metal source, compiled for the CPU.
    Msl,
}

impl Way {
    /// Every way.
    pub const ALL: [Self; 5] = [Self::Interp, Self::Spirv, Self::Dxc, Self::D3d12, Self::Msl];

    /// Its name in cases and in the names of tests.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interp => "interp",
            Self::Spirv => "spirv",
            Self::Dxc => "dxc",
            Self::D3d12 => "d3d12",
            Self::Msl => "msl",
        }
    }

    /// The way of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum Stage {
    Vertex,
    Fragment,
    Compute,
}

/// Where a resource is bound. Without a manifest, `binding` is also its Metal index: both count per class of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// The class, as Vulkan numbers its sets: 0 buffers, 1 textures and storage textures, 2 samplers.
    pub set: u32,
    /// The number within the class.
    pub binding: u32,
    /// Which element, of an array: Vulkan's array element of the binding, for Metal so much more than the number.
    pub element: u32,
}

impl Slot {
    /// The slot of what is no array.
    #[must_use]
    pub const fn new(set: u32, binding: u32) -> Self {
        Self { set, binding, element: 0 }
    }
}

/// The dimensionality of a texture type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum TextureShape {
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// What kind of resource a binding declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum BindingKind {
    UniformBuffer,
    StorageBuffer,
    Texture(TextureShape),
    StorageTexture(TextureShape),
    Scene,
    BufferTable,
    TextureTable,
}

/// A resource that a compiled shader declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name in `@bind(…)`, such as `in.values`.
    pub name: String,
    /// Where it is bound.
    pub slot: Slot,
    /// What it is, or what each of its elements is.
    pub kind: BindingKind,
    /// How many elements an array has; nothing for what is none.
    pub length: Option<u32>,
}

/// How a sampler filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum Filter {
    Point,
    Linear,
}

/// What a sampler does outside the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum Address {
    Clamp,
    Repeat,
    Mirror,
}

/// How a comparison sampler compares the reference (left) with the texel (right).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// The state of a sampler. Mip levels are chosen nearest for `Point` and blended for `Linear`; the level of detail is not clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SamplerState {
    /// Minification, magnification and mip filter.
    pub filter: Filter,
    /// In all three directions.
    pub address: Address,
    /// Present for a comparison sampler.
    pub compare: Option<Compare>,
}

/// A sampler that a compiled shader declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampler {
    /// Where it is bound; Metal source carries the state itself.
    pub slot: Slot,
    /// Its state.
    pub state: SamplerState,
}

/// An entry point of a compiled shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The name in the source.
    pub name: String,
    /// The name in the emitted code.
    pub emitted: String,
    /// Its stage.
    pub stage: Stage,
    /// Threads per group; `[1, 1, 1]` for the other stages.
    pub threads: [u32; 3],
}

/// What a compiled shader asks of its caller: all its entries and all their resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// In the order of the source.
    pub entries: Vec<EntryPoint>,
    /// Buffers and textures.
    pub bindings: Vec<Binding>,
    /// Samplers.
    pub samplers: Vec<Sampler>,
}

/// A texture with its texels: mip by mip, in each layer by layer, slice by slice, row by row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its texel format.
    pub format: TexelFormat,
    /// Its type in the shader.
    pub shape: TextureShape,
    /// Width, height and depth of the largest mip.
    pub size: [u32; 3],
    /// How many mips.
    pub mips: u32,
    /// How many layers; every face of a cube is one.
    pub layers: u32,
    /// All texels.
    pub texels: Vec<u8>,
}

/// Width, height and depth of mip `mip` of a texture of that size.
#[must_use]
pub fn mip_size(size: [u32; 3], mip: u32) -> [u32; 3] {
    size.map(|extent| (extent >> mip).max(1))
}

/// The kind of a bindless texture. A table has a texture of each kind at every index, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the types")]
pub enum BindlessKind {
    Tex2D,
    TexCube,
    Tex3D,
    TexDepth2D,
}

impl Image {
    /// What kind it is of in a table of textures.
    #[must_use]
    pub fn bindless_kind(&self) -> BindlessKind {
        match self.shape {
            TextureShape::D3 => BindlessKind::Tex3D,
            TextureShape::Cube | TextureShape::CubeArray => BindlessKind::TexCube,
            TextureShape::D2 | TextureShape::D2Array if self.format == TexelFormat::Depth32f => {
                BindlessKind::TexDepth2D
            }
            TextureShape::D2 | TextureShape::D2Array => BindlessKind::Tex2D,
        }
    }
}

/// A resource with its contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are those of `BindingKind`")]
pub enum Contents {
    UniformBuffer(Vec<u8>),
    StorageBuffer(Vec<u8>),
    Texture(Image),
    StorageTexture(Image),
    Scene(Scene),
    /// The buffers of a table with their indices; nothing is bound between them.
    BufferTable(Vec<(u32, Vec<u8>)>),
    /// The textures of a table with their indices, no two of one kind at the same.
    TextureTable(Vec<(u32, Image)>),
}

impl Contents {
    /// The bytes of the buffer, or all texels of the texture; none of a scene and of tables, which nothing writes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::UniformBuffer(bytes) | Self::StorageBuffer(bytes) => bytes,
            Self::Texture(image) | Self::StorageTexture(image) => &image.texels,
            Self::Scene(_) | Self::BufferTable(_) | Self::TextureTable(_) => &[],
        }
    }
}

/// A resource of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundResource {
    /// The name in `@bind(…)`, of an element of an array with its number: `in.maps[2]`.
    pub name: String,
    /// Where it is bound.
    pub slot: Slot,
    /// What it is, and what it holds before the run.
    pub contents: Contents,
}

/// What to start. Names of entries are those of the emitted code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Thread groups of a compute entry.
    Compute {
        /// The entry.
        entry: String,
        /// How many groups in x, y, z.
        groups: [u32; 3],
        /// Threads per group.
        threads: [u32; 3],
    },
    /// A triangle list into targets cleared to 0, without depth, culling or blending. Clockwise triangles face front.
    Draw {
        /// The vertex entry.
        vertex: String,
        /// The fragment entry.
        fragment: String,
        /// Vertices per instance.
        vertices: u32,
        /// Instances.
        instances: u32,
        /// Width and height of the targets.
        size: [u32; 2],
        /// The formats of targets 0, 1, …; absent where nothing is attached.
        targets: Vec<Option<TexelFormat>>,
    },
}

/// Work with everything it reads and writes, but without code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What to start.
    pub work: Work,
    /// Buffers and textures.
    pub resources: Vec<BoundResource>,
    /// Samplers.
    pub samplers: Vec<Sampler>,
}

impl Job {
    /// Makes the job start from what another one with the same resources left behind.
    pub fn continue_from(&mut self, outcome: &Outcome) {
        for (resource, left) in self.resources.iter_mut().zip(&outcome.resources) {
            match &mut resource.contents {
                Contents::UniformBuffer(bytes) | Contents::StorageBuffer(bytes) => bytes.clone_from(left),
                Contents::Texture(image) | Contents::StorageTexture(image) => image.texels.clone_from(left),
                Contents::Scene(_) | Contents::BufferTable(_) | Contents::TextureTable(_) => {}
            }
        }
    }
}

/// What a job left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The bytes of each resource of the job, in the job's order: buffers and texels as in [`Contents::bytes`].
    pub resources: Vec<Vec<u8>>,
    /// The texels of each target of a draw, row by row; none where nothing is attached.
    pub targets: Vec<Vec<u8>>,
}
