//! What a compiled entry shows of its interface, read by those who did not write it: DXC's own reflection of its DXIL, rspirv on SPIR-V, and the
//! attributes in Metal source. All in the same terms, so that they can be held against what the compiler says of the same program.

mod dxil;
mod spirv;

pub use crate::metal::of_metal;
pub use dxil::of_dxil;
pub use spirv::of_spirv;

/// The interface of one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The name of the entry, where the form has one.
    pub entry: String,
    /// Threads a group, of a compute entry. Metal source says how many there are in total.
    pub threads: Option<Threads>,
    /// Its resources, by class and slot.
    pub resources: Vec<Resource>,
    /// The samplers that Metal source bakes in.
    pub baked: Vec<SamplerState>,
    /// Varyings that come in.
    pub inputs: Vec<Located>,
    /// Varyings that go out, and colour targets.
    pub outputs: Vec<Located>,
    /// Whether it takes (in a fragment entry) or gives (in a vertex entry) the position.
    pub position: bool,
    /// How many clip distances it gives.
    pub clip_distances: u32,
    /// The capabilities that SPIR-V declares.
    pub capabilities: Vec<String>,
    /// The extensions that SPIR-V declares.
    pub extensions: Vec<String>,
    /// What DXIL takes of a device: `D3D_SHADER_REQUIRES_…`.
    pub requires: u64,
}

/// Filter, address mode and comparison of a sampler, as the source of Akari names them.
pub type SamplerState = (&'static str, &'static str, Option<&'static str>);

/// How many threads a group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// By axis.
    Axes([u32; 3]),
    /// All together.
    Total(u32),
}

/// What a resource is, as far as all forms know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub enum Class {
    UniformBuffer,
    StorageBuffer,
    Texture,
    StorageTexture,
    Sampler,
    AccelerationStructure,
    /// A bindless table: one argument of Metal.
    Table,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// What it is.
    pub class: Class,
    /// The letter of the register, in DXIL.
    pub register: Option<char>,
    /// The register space, the descriptor set; 0 on Metal.
    pub space: u32,
    /// The register, the binding, the index.
    pub number: u32,
    /// How many there are; none of an array without end.
    pub count: Option<u32>,
    /// `2d`, `2d_array`, `3d`, `cube`, `cube_array` of a texture.
    pub dimension: Option<&'static str>,
    /// `float`, `int`, `uint` or, where the form tells it apart, `depth`.
    pub texel: Option<&'static str>,
    /// Bytes of a uniform buffer, as far as the form declares them.
    pub size: Option<u32>,
    /// Bytes from one element of a storage buffer to the next.
    pub stride: Option<u32>,
    /// Whether it may be written.
    pub writable: Option<bool>,
    /// Of a buffer that holds a struct: the names and offsets of its fields, where the form has them.
    pub fields: Vec<(String, u32)>,
}

impl Resource {
    /// What tells it apart from others.
    #[must_use]
    pub fn place(&self) -> (Class, Option<char>, u32, u32) {
        (self.class, self.register, self.space, self.number)
    }

    /// One of which nothing else is known.
    #[must_use]
    pub fn new(class: Class, space: u32, number: u32) -> Self {
        Self {
            class,
            register: None,
            space,
            number,
            count: Some(1),
            dimension: None,
            texel: None,
            size: None,
            stride: None,
            writable: None,
            fields: Vec::new(),
        }
    }
}

/// Something at a location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// The location.
    pub location: u32,
    /// `float`, `half`, `int` or `uint`.
    pub scalar: &'static str,
    /// How many components.
    pub width: u32,
    /// `perspective`, `noperspective` or `flat`, where the form says it.
    pub interpolation: Option<&'static str>,
}
