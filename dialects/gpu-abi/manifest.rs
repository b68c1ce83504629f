//! The binding manifest: which slot of each target a `@bind`, `@target` or `@sampler` name stands for.
//!
//! This is the manifest as data, already checked; reading its file is the business of the program around the compiler.
//! Every row keeps its place in that file, for the notes of diagnostics about its use.

use akari_ir::interface::SamplerState;
use akari_ir::slots::{Descriptor, Register};
use akari_ir::span::Span;
use indexmap::IndexMap;

/// Vulkan's descriptor set of static samplers.
pub const SAMPLER_SET: u32 = 2;

/// The first D3D12 space that drivers and the runtime keep (Direct3D 12 documentation, `D3D12_ROOT_DESCRIPTOR`: 0xFFFFFFF0 and above).
pub const FIRST_RESERVED_SPACE: u32 = 0xFFFF_FFF0;

/// The namespaces of the manifest. A name may stand in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowClass {
    /// Buffers, acceleration structures and the bindless buffer table.
    Buffer,
    /// Textures, storage textures and the bindless texture table.
    Texture,
    /// Colour targets.
    Target,
}

impl RowClass {
    /// Every class with the word that its keys begin with.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Buffer, "HK_BUFFER"), (Self::Texture, "HK_TEXTURE"), (Self::Target, "HK_TARGET")];

    /// The word that keys of the class begin with.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Buffer => "HK_BUFFER",
            Self::Texture => "HK_TEXTURE",
            Self::Target => "HK_TARGET",
        }
    }
}

/// A buffer or texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceRow {
    /// Where the row stands.
    pub span: Span,
    /// Metal's `[[buffer(n)]]` or `[[texture(n)]]` index; Vulkan's binding too, where `vulkan` is absent.
    pub metal: Option<u32>,
    /// The D3D12 register.
    pub d3d12: Option<Register>,
    /// The Vulkan descriptor.
    pub vulkan: Option<Descriptor>,
}

/// A colour target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// Where the row stands.
    pub span: Span,
    /// Metal's `[[color(n)]]` index; Vulkan's location too.
    pub metal: Option<u32>,
    /// The number after `SV_TARGET`.
    pub d3d12: Option<u32>,
}

/// A sampler of the static set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerRow {
    /// Where the row stands.
    pub span: Span,
    /// The D3D12 register; its number is Vulkan's binding too, where `vulkan` is absent.
    pub d3d12: Option<Register>,
    /// The Vulkan descriptor.
    pub vulkan: Option<Descriptor>,
}

impl SamplerRow {
    /// Where Vulkan finds it: its own descriptor, else the number of the D3D12 register in the set of samplers.
    #[must_use]
    pub fn descriptor(&self) -> Option<Descriptor> {
        self.vulkan.or(self.d3d12.map(|register| Descriptor { set: SAMPLER_SET, binding: register.number }))
    }
}

/// The static sampler set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticSamplers {
    /// Where it stands.
    pub span: Span,
    /// Its samplers by their states, in the order of the file.
    pub rows: IndexMap<SamplerState, SamplerRow>,
}

/// A binding manifest. Names are keyed as the source writes them: `group.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The `HK_BUFFER` rows.
    pub buffers: IndexMap<String, ResourceRow>,
    /// The `HK_TEXTURE` rows.
    pub textures: IndexMap<String, ResourceRow>,
    /// The `HK_TARGET` rows.
    pub targets: IndexMap<String, TargetRow>,
    /// The static sampler set; absent where the manifest does not speak of samplers at all.
    pub samplers: Option<StaticSamplers>,
}

impl Manifest {
    /// The place of the row of `name` in a class.
    #[must_use]
    pub fn place(&self, class: RowClass, name: &str) -> Option<Span> {
        match class {
            RowClass::Buffer => self.buffers.get(name).map(|row| row.span),
            RowClass::Texture => self.textures.get(name).map(|row| row.span),
            RowClass::Target => self.targets.get(name).map(|row| row.span),
        }
    }

    /// The row of a buffer or texture.
    #[must_use]
    pub fn resource(&self, class: RowClass, name: &str) -> Option<ResourceRow> {
        match class {
            RowClass::Buffer => self.buffers.get(name).copied(),
            RowClass::Texture => self.textures.get(name).copied(),
            RowClass::Target => None,
        }
    }

    /// The names of a class, in the order of the file.
    pub fn names(&self, class: RowClass) -> impl Iterator<Item = &str> {
        let (resources, targets) = match class {
            RowClass::Buffer => (Some(&self.buffers), None),
            RowClass::Texture => (Some(&self.textures), None),
            RowClass::Target => (None, Some(&self.targets)),
        };
        let resources = resources.into_iter().flat_map(|rows| rows.keys());
        resources.chain(targets.into_iter().flat_map(|rows| rows.keys())).map(String::as_str)
    }
}
