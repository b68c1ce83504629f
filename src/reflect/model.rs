//! The reflection as data. Its JSON is what serde makes of these types; `docs/reference/reflection.schema.json` says the same in JSON Schema
//! and `docs/reference/reflection.md` in words. What does not apply to a thing is left out of it; what is `null` could be there, but is not.

use serde::Serialize;

/// The version of the format. A reader may rely on the meaning of everything in its version; new keys alone do not change the number.
pub const VERSION: u32 = 1;

/// What a package shows to its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reflection {
    /// [`VERSION`].
    pub version: u32,
    /// The name in `#shader` or `#module`.
    pub package: String,
    /// The name in `#layout`.
    pub layout: Option<String>,
    /// The entries, in order of emission.
    pub entries: Vec<Entry>,
    /// All resources that the package or an entry declares, but for static samplers; those of the package first.
    pub bindings: Vec<Binding>,
    /// All states of static samplers that the package or an entry declares.
    pub static_samplers: Vec<StaticSampler>,
    /// The structs in buffers, each after those it holds; of a module without bindings, all.
    pub structs: Vec<Struct>,
    /// The enums that fields of these structs are of.
    pub enums: Vec<Enum>,
    /// The bitfields that fields of these structs are of.
    pub bitfields: Vec<Bitfield>,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name in the source.
    pub name: String,
    /// `vertex`, `fragment` or `compute`.
    pub stage: &'static str,
    /// Of a compute entry: threads a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_group_size: Option<[u32; 3]>,
    /// The capabilities that it uses, as `#require` names them.
    pub capabilities: Vec<&'static str>,
    /// The values of the pipeline that it takes, as their attributes name them, in order.
    pub system_values: Vec<&'static str>,
    /// Whether a vertex entry gives, or a fragment entry takes, the position.
    pub position: bool,
    /// How many clip distances a vertex entry gives.
    pub clip_distances: u32,
    /// Varyings that come from the stage before.
    pub inputs: Vec<Varying>,
    /// Varyings that go to the stage after.
    pub outputs: Vec<Varying>,
    /// What a fragment entry gives.
    pub colour_targets: Vec<ColourTarget>,
    /// The resources in its interface, in the order of its parameters.
    pub bindings: Vec<EntryBinding>,
    /// The static samplers in its interface, in the order of its parameters.
    pub static_samplers: Vec<EntrySampler>,
    /// What it is on each target.
    pub targets: Targets<Metal, Direct3d12, Vulkan>,
}

/// A value for each target; `null` where the target has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Targets<M, D, V> {
    /// Metal.
    pub metal: Option<M>,
    /// Direct3D 12.
    pub d3d12: Option<D>,
    /// Vulkan.
    pub vulkan: Option<V>,
}

impl<M, D, V> Default for Targets<M, D, V> {
    fn default() -> Self {
        Self { metal: None, d3d12: None, vulkan: None }
    }
}

/// An entry on Metal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Metal {
    /// The name of the function.
    pub entry: String,
    /// The file that holds it, as `akari transpile` names it.
    pub file: String,
}

/// An entry on Direct3D 12.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Direct3d12 {
    /// The name of the function.
    pub entry: String,
    /// The file that holds it, as `akari transpile` names it.
    pub file: String,
    /// The least shader model, such as `6_0`.
    pub shader_model: &'static str,
    /// Whether DXC takes `-enable-16bit-types`.
    pub native_16_bit: bool,
}

/// An entry on Vulkan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vulkan {
    /// The name of the entry point in Akari's own SPIR-V.
    pub entry: String,
    /// The file that holds it, as `akari transpile` names it.
    pub file: String,
    /// The version of SPIR-V, such as `1.5`.
    pub version: String,
    /// The capabilities that the module declares, by number.
    pub capabilities: Vec<String>,
    /// The extensions that it declares.
    pub extensions: Vec<String>,
    /// The name of the function in the Vulkan dialect of HLSL.
    pub hlsl_entry: Option<String>,
}

/// A varying. Location N is `[[user(locN)]]` on Metal, `TEXCOORDN` on Direct3D 12, and `Location N` on Vulkan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Varying {
    /// The name of the field.
    pub name: String,
    /// Its type, as the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its location.
    pub location: u32,
    /// `perspective`, `noperspective` or `flat`.
    pub interpolation: &'static str,
}

/// A colour target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColourTarget {
    /// The name of the field; `null` where the entry returns the bare value.
    pub name: Option<String>,
    /// The name in `@target`.
    pub target: Option<String>,
    /// Its type, as the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its number: `[[color(N)]]`, `SV_TargetN`, `Location N`.
    pub slots: Targets<u32, u32, u32>,
}

/// A resource in the interface of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryBinding {
    /// Its index in the package's `bindings`.
    pub binding: usize,
    /// Whether anything that the entry does uses it.
    pub reached: bool,
    /// What the entry does with the contents: `none`, `read`, `write` or `read_write`.
    pub access: &'static str,
    /// Of a table: the kinds of resources that it takes out and uses, by their names in [`Binding::kinds`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<&'static str>,
}

/// A static sampler in the interface of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntrySampler {
    /// Its index in the package's `static_samplers`.
    pub sampler: usize,
    /// Whether anything that the entry does uses it.
    pub reached: bool,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Binding {
    /// The name in `@bind`; `null` where it is bound by `@slot`.
    pub name: Option<String>,
    /// The number in `@slot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u32>,
    /// What the source calls it: the name of the parameter or of the package binding.
    pub variable: String,
    /// Where it is declared: `package`, or `entry` for parameters of entries.
    pub declared: &'static str,
    /// Whether it is in the interface of any entry.
    pub in_interface: bool,
    /// Its type, as the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// What it is.
    pub class: Class,
    /// How many consecutive slots it takes, or descriptors on Vulkan; `null` of a table, which has no end.
    pub count: Option<u32>,
    /// What its type allows: `read` or `read_write`.
    pub access: &'static str,
    /// What a buffer holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Buffer>,
    /// The shape and the texels of a texture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texture: Option<Texture>,
    /// Its first slot on each target.
    pub slots: Targets<MetalSlot, Register, Descriptor>,
    /// Of a table: the slots of each kind of resource in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<TableKind>,
}

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// `Uniform<T>`
    UniformBuffer,
    /// `Buf<T>`
    Buffer,
    /// `RwBuf<T>`
    RwBuffer,
    /// `AtomicBuf<T>`
    AtomicBuffer,
    /// A sampled texture.
    Texture,
    /// A storage texture.
    StorageTexture,
    /// `AccelStruct`
    AccelerationStructure,
    /// `BufferTable`
    BufferTable,
    /// `TextureTable`
    TextureTable,
}

/// A Metal argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MetalSlot {
    /// The attribute: `buffer` or `texture`.
    pub argument: &'static str,
    /// Its index.
    pub index: u32,
}

/// A Direct3D 12 register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Register {
    /// `b`, `t`, `u` or `s`.
    pub register: &'static str,
    /// Its number.
    pub number: u32,
    /// Its space.
    pub space: u32,
}

/// A Vulkan descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Descriptor {
    /// The set.
    pub set: u32,
    /// The binding in it.
    pub binding: u32,
}

/// One kind of resource in a table. On Metal the whole table is one argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableKind {
    /// `buffer`, `Tex2D`, `TexCube`, `Tex3D` or `TexDepth2D`.
    pub kind: &'static str,
    /// Whether any entry reaches a resource of the kind.
    pub reached: bool,
    /// The first register of its array without end.
    pub d3d12: Option<Register>,
    /// The descriptor of its array without end.
    pub vulkan: Option<Descriptor>,
}

/// What a buffer holds: one value of a uniform, or elements of this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Buffer {
    /// `uniform` or `storage`.
    pub packing: &'static str,
    /// Bytes that the value or one element takes.
    pub size: u32,
    /// Its offset is a multiple of this.
    pub align: u32,
    /// Bytes from one element to the next, but for uniforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<u32>,
    /// The type.
    #[serde(flatten)]
    pub content: ValueType,
}

/// The shape and the texels of a texture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Texture {
    /// `2d`, `2d_array`, `3d`, `cube` or `cube_array`.
    pub dimension: &'static str,
    /// What a texel is made of as the shader sees it: `float`, `int`, `uint`, or `depth`.
    pub texel: &'static str,
    /// Of a storage texture: its format; `null` where it is accessed without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Option<&'static str>>,
}

/// A static sampler. Metal bakes it into the code, so it has no slot there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StaticSampler {
    /// `point` or `linear`.
    pub filter: &'static str,
    /// `clamp`, `repeat` or `mirror`.
    pub address: &'static str,
    /// The comparison of a comparison sampler.
    pub compare: Option<&'static str>,
    /// What the source calls it where it is declared first.
    pub variable: String,
    /// Whether it is in the interface of any entry.
    pub in_interface: bool,
    /// Its register and descriptor.
    pub slots: SamplerSlots,
}

/// Where a static sampler is found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SamplerSlots {
    /// Direct3D 12.
    pub d3d12: Option<Register>,
    /// Vulkan.
    pub vulkan: Option<Descriptor>,
}

/// A struct in a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Struct {
    /// Its name, with a number where it shares it with another.
    pub name: String,
    /// Its documentation comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Whether it is `@packed`: laid out as in a storage buffer everywhere.
    pub packed: bool,
    /// Its layouts by packing, those that some buffer asks for.
    pub layouts: Layouts,
}

/// The layouts of a struct by packing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Layouts {
    /// In a `Uniform<T>`; never of a `@packed` struct.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniform: Option<StructLayout>,
    /// In other buffers, and of a `@packed` struct everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<StructLayout>,
}

impl Layouts {
    /// Those that there are, with the names of their packings.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &StructLayout)> {
        let uniform = self.uniform.iter().map(|layout| ("uniform", layout));
        uniform.chain(self.storage.iter().map(|layout| ("storage", layout)))
    }
}

/// The bytes of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StructLayout {
    /// Bytes it takes.
    pub size: u32,
    /// Its offset is a multiple of this.
    pub align: u32,
    /// Its fields, in order.
    pub fields: Vec<Field>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// Bytes it takes.
    pub size: u32,
    /// Its type.
    #[serde(flatten)]
    pub content: ValueType,
}

/// A type in memory: a scalar, vector, matrix or struct, or arrays of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ValueType {
    /// As the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
    /// The arrays around the value, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<ArrayOf>,
    /// The scalar type of a scalar, vector or matrix: `bool`, `int`, `uint`, `uint64`, `half` or `float`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scalar: Option<&'static str>,
    /// How many scalars a vector, or a column of a matrix, has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// How many columns a matrix has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Bytes from one column of a matrix to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column_stride: Option<u32>,
    /// The struct, by its name in `structs`.
    #[serde(rename = "struct", skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// The enum that an integer stands for, by its name in `enums`.
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub enumeration: Option<String>,
    /// The bitfield that an integer stands for, by its name in `bitfields`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bitfield: Option<String>,
}

/// An array around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ArrayOf {
    /// How many elements.
    pub length: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Enum {
    /// Its name, with a number where it shares it with another.
    pub name: String,
    /// `int` or `uint`.
    pub underlying: &'static str,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// A case of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// A bitfield, over a `uint`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bitfield {
    /// Its name, with a number where it shares it with another.
    pub name: String,
    /// Its fields, from the lowest bit.
    pub fields: Vec<Bits>,
}

/// A field of a bitfield.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bits {
    /// Its name.
    pub name: String,
    /// Its lowest bit.
    pub offset: u32,
    /// How many bits it has.
    pub width: u32,
}
