//! What DXC says of a DXIL container: `ID3D12ShaderReflection` (`d3d12shader.h`), which `IDxcUtils::CreateReflection` makes.
//!
//! Every text and table is copied, so that nothing outlives the objects that DXC lends.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use super::{Com, Dxc, DxcBuffer, DxcError, Guid, Hresult, Object, UnknownTable};

/// The interface of one compiled shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderReflection {
    /// The resources that it uses.
    pub resources: Vec<Resource>,
    /// The layouts of constant buffers, and of the elements of structured ones.
    pub buffers: Vec<Buffer>,
    /// Its input signature.
    pub inputs: Vec<Parameter>,
    /// Its output signature.
    pub outputs: Vec<Parameter>,
    /// Threads a group; 0 but for compute shaders.
    pub threads: [u32; 3],
    /// What it takes of a device: `D3D_SHADER_REQUIRES_…`.
    pub requires: u64,
}

/// `D3D12_SHADER_INPUT_BIND_DESC`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name in the text.
    pub name: String,
    /// What it is.
    pub kind: ResourceKind,
    /// The number of its first register.
    pub number: u32,
    /// How many registers it takes; 0 of an array without end.
    pub count: u32,
    /// The register space.
    pub space: u32,
    /// The shape of a texture: `D3D_SRV_DIMENSION`.
    pub dimension: u32,
    /// What a texture's texels are: `D3D_RESOURCE_RETURN_TYPE`.
    pub texel: u32,
    /// Bytes of an element of a structured buffer.
    pub stride: u32,
}

/// `D3D_SHADER_INPUT_TYPE`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// `cbuffer`, `ConstantBuffer`
    ConstantBuffer,
    /// A texture, or a typed buffer.
    Texture,
    /// Any sampler.
    Sampler,
    /// A typed UAV.
    RwTexture,
    /// `StructuredBuffer`
    Structured,
    /// `RWStructuredBuffer`
    RwStructured,
    /// `ByteAddressBuffer`
    ByteAddress,
    /// `RWByteAddressBuffer`
    RwByteAddress,
    /// `RaytracingAccelerationStructure`
    AccelerationStructure,
    /// Anything else, by its number.
    Other(u32),
}

impl ResourceKind {
    fn of(number: u32) -> Self {
        match number {
            0 => Self::ConstantBuffer,
            2 => Self::Texture,
            3 => Self::Sampler,
            4 => Self::RwTexture,
            5 => Self::Structured,
            6 => Self::RwStructured,
            7 => Self::ByteAddress,
            8 => Self::RwByteAddress,
            12 => Self::AccelerationStructure,
            other => Self::Other(other),
        }
    }
}

/// `D3D12_SHADER_BUFFER_DESC`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name of the resource.
    pub name: String,
    /// Bytes that it takes.
    pub size: u32,
    /// What stands in it.
    pub variables: Vec<Variable>,
}

/// `D3D12_SHADER_VARIABLE_DESC`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Bytes from the start of the buffer.
    pub offset: u32,
    /// Bytes that it takes.
    pub size: u32,
    /// Its type.
    pub ty: Type,
}

/// `D3D12_SHADER_TYPE_DESC`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// Elements of an array, 0 else.
    pub elements: u32,
    /// Bytes from the start of the structure around.
    pub offset: u32,
    /// The fields of a structure, with their names.
    pub members: Vec<(String, Type)>,
}

/// `D3D12_SIGNATURE_PARAMETER_DESC`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its semantic, without the number.
    pub semantic: String,
    /// The number of the semantic.
    pub index: u32,
    /// The system value: `D3D_NAME`; 0 of none.
    pub system_value: u32,
    /// The type of its components: `D3D_REGISTER_COMPONENT_TYPE`.
    pub component: u32,
    /// Which components of the register it has.
    pub mask: u8,
}

impl Dxc {
    /// The interface of a DXIL container that was compiled with its reflection, as DXC does unless it is told otherwise.
    ///
    /// # Errors
    /// When `container` is no DXIL container, or the library fails.
    pub fn reflect(&self, container: &[u8]) -> Result<ShaderReflection, DxcError> {
        if !container.starts_with(b"DXBC") {
            return Err(DxcError("not a DXIL container".into()));
        }
        let mut utils = ptr::null_mut();
        // SAFETY: both ids are valid GUIDs, and `utils` is a valid place for the result.
        let status = unsafe { (self.create_instance)(&raw const CLSID_UTILS, &raw const IID_UTILS, &raw mut utils) };
        // SAFETY: on success `utils` is an IDxcUtils that this call owns.
        let utils: Com<UtilsTable> = unsafe { Com::owned(status, utils, "DxcCreateInstance") }?;
        let buffer = DxcBuffer { pointer: container.as_ptr().cast(), size: container.len(), encoding: 0 };
        let mut reflection = ptr::null_mut();
        // SAFETY: `utils` is a live IDxcUtils, and `container` outlives the reflection.
        let status = unsafe {
            (utils.table().create_reflection)(
                utils.raw(),
                &raw const buffer,
                &raw const IID_REFLECTION,
                &raw mut reflection,
            )
        };
        // SAFETY: on success `reflection` is an ID3D12ShaderReflection that this call owns.
        let reflection: Com<ReflectionTable> =
            unsafe { Com::owned(status, reflection, "IDxcUtils::CreateReflection") }?;
        reflection.read()
    }
}

fn checked(status: Hresult, function: &str) -> Result<(), DxcError> {
    if status < 0 { Err(DxcError(format!("{function} failed with {status:#010x}"))) } else { Ok(()) }
}

/// A text that DXC lends.
///
/// # Safety
/// `text` is null or ends in a zero.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: by contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Com<ReflectionTable> {
    fn read(&self) -> Result<ShaderReflection, DxcError> {
        let (this, table) = (self.raw(), self.table());
        let mut shader = ShaderDesc::default();
        // SAFETY: here and below `this` is a live ID3D12ShaderReflection, every place is valid for what is written to it, and texts live as long
        // as `this`.
        checked(unsafe { (table.get_desc)(this, &raw mut shader) }, "ID3D12ShaderReflection::GetDesc")?;
        let mut found = ShaderReflection::default();
        for index in 0..shader.bound_resources {
            let mut desc = InputBindDesc::default();
            let status = unsafe { (table.get_resource_binding_desc)(this, index, &raw mut desc) };
            checked(status, "ID3D12ShaderReflection::GetResourceBindingDesc")?;
            found.resources.push(Resource {
                name: unsafe { copied(desc.name) },
                kind: ResourceKind::of(desc.kind),
                number: desc.bind_point,
                count: desc.bind_count,
                space: desc.space,
                dimension: desc.dimension,
                texel: desc.return_type,
                stride: desc.samples,
            });
        }
        for index in 0..shader.constant_buffers {
            let buffer = unsafe { (table.get_constant_buffer_by_index)(this, index) };
            found.buffers.push(unsafe { read_buffer(buffer) }?);
        }
        for (get, count, to) in [
            (table.get_input_parameter_desc, shader.input_parameters, &mut found.inputs),
            (table.get_output_parameter_desc, shader.output_parameters, &mut found.outputs),
        ] {
            for index in 0..count {
                let mut desc = ParameterDesc::default();
                checked(unsafe { get(this, index, &raw mut desc) }, "ID3D12ShaderReflection::Get…ParameterDesc")?;
                to.push(Parameter {
                    semantic: unsafe { copied(desc.semantic) },
                    index: desc.index,
                    system_value: desc.system_value,
                    component: desc.component,
                    mask: desc.mask,
                });
            }
        }
        let [x, y, z] = &mut found.threads;
        unsafe { (table.get_thread_group_size)(this, x, y, z) };
        found.requires = unsafe { (table.get_requires_flags)(this) };
        Ok(found)
    }
}

/// The table of a borrowed object.
///
/// # Safety
/// `object` is a live object with that table.
unsafe fn table_of<'a, Table>(object: Object) -> &'a Table {
    // SAFETY: by contract; tables live as long as the library, which is never unloaded.
    unsafe { &**object.cast::<*const Table>() }
}

/// # Safety
/// `buffer` is a live ID3D12ShaderReflectionConstantBuffer.
unsafe fn read_buffer(buffer: Object) -> Result<Buffer, DxcError> {
    // SAFETY: by contract; DXC gives an object for every index and variable that its description counts.
    unsafe {
        let table = table_of::<BufferTable>(buffer);
        let mut desc = BufferDesc::default();
        checked((table.get_desc)(buffer, &raw mut desc), "ID3D12ShaderReflectionConstantBuffer::GetDesc")?;
        let mut variables = Vec::new();
        for index in 0..desc.variables {
            let variable = (table.get_variable_by_index)(buffer, index);
            let table = table_of::<VariableTable>(variable);
            let mut desc = VariableDesc::default();
            checked((table.get_desc)(variable, &raw mut desc), "ID3D12ShaderReflectionVariable::GetDesc")?;
            let ty = read_type((table.get_type)(variable))?;
            variables.push(Variable { name: copied(desc.name), offset: desc.offset, size: desc.size, ty });
        }
        Ok(Buffer { name: copied(desc.name), size: desc.size, variables })
    }
}

/// # Safety
/// `ty` is a live ID3D12ShaderReflectionType.
unsafe fn read_type(ty: Object) -> Result<Type, DxcError> {
    // SAFETY: by contract; DXC gives a type and a name for every member that its description counts.
    unsafe {
        let table = table_of::<TypeTable>(ty);
        let mut desc = TypeDesc::default();
        checked((table.get_desc)(ty, &raw mut desc), "ID3D12ShaderReflectionType::GetDesc")?;
        let members = (0..desc.members).map(|index| {
            let name = copied((table.get_member_type_name)(ty, index));
            Ok((name, read_type((table.get_member_type_by_index)(ty, index))?))
        });
        Ok(Type { elements: desc.elements, offset: desc.offset, members: members.collect::<Result<_, DxcError>>()? })
    }
}

// The interfaces, as in dxcapi.h and d3d12shader.h. Methods that nothing calls are only places in a table.

static CLSID_UTILS: Guid = Guid(0x6245_d6af, 0x66e0, 0x48fd, [0x80, 0xb4, 0x4d, 0x27, 0x17, 0x96, 0x74, 0x8c]);
static IID_UTILS: Guid = Guid(0x4605_c4cb, 0x2019, 0x492a, [0xad, 0xa4, 0x65, 0xf2, 0x0b, 0xb7, 0xd6, 0x7f]);
static IID_REFLECTION: Guid = Guid(0x5a58_797d, 0xa72c, 0x478d, [0x8b, 0xa2, 0xef, 0xc6, 0xb0, 0xef, 0xe8, 0x8e]);

type Uncalled = *const c_void;

#[repr(C)]
struct UtilsTable {
    unknown: UnknownTable,
    /// `CreateBlobFromBlob` to `GetDxilContainerPart`.
    before: [Uncalled; 10],
    create_reflection: unsafe extern "system" fn(Object, *const DxcBuffer, *const Guid, *mut Object) -> Hresult,
}

#[repr(C)]
struct ReflectionTable {
    unknown: UnknownTable,
    get_desc: unsafe extern "system" fn(Object, *mut ShaderDesc) -> Hresult,
    get_constant_buffer_by_index: unsafe extern "system" fn(Object, u32) -> Object,
    get_constant_buffer_by_name: Uncalled,
    get_resource_binding_desc: unsafe extern "system" fn(Object, u32, *mut InputBindDesc) -> Hresult,
    get_input_parameter_desc: unsafe extern "system" fn(Object, u32, *mut ParameterDesc) -> Hresult,
    get_output_parameter_desc: unsafe extern "system" fn(Object, u32, *mut ParameterDesc) -> Hresult,
    /// `GetPatchConstantParameterDesc` to `GetMinFeatureLevel`.
    between: [Uncalled; 11],
    get_thread_group_size: unsafe extern "system" fn(Object, *mut u32, *mut u32, *mut u32) -> u32,
    get_requires_flags: unsafe extern "system" fn(Object) -> u64,
}

#[repr(C)]
struct BufferTable {
    get_desc: unsafe extern "system" fn(Object, *mut BufferDesc) -> Hresult,
    get_variable_by_index: unsafe extern "system" fn(Object, u32) -> Object,
}

#[repr(C)]
struct VariableTable {
    get_desc: unsafe extern "system" fn(Object, *mut VariableDesc) -> Hresult,
    get_type: unsafe extern "system" fn(Object) -> Object,
}

#[repr(C)]
struct TypeTable {
    get_desc: unsafe extern "system" fn(Object, *mut TypeDesc) -> Hresult,
    get_member_type_by_index: unsafe extern "system" fn(Object, u32) -> Object,
    get_member_type_by_name: Uncalled,
    get_member_type_name: unsafe extern "system" fn(Object, u32) -> *const c_char,
}

#[repr(C)]
struct ShaderDesc {
    version: u32,
    creator: *const c_char,
    flags: u32,
    constant_buffers: u32,
    bound_resources: u32,
    input_parameters: u32,
    output_parameters: u32,
    /// Counts of instructions and what other stages have: 30 numbers in the header of today.
    rest: [u32; 64],
}

#[repr(C)]
struct InputBindDesc {
    name: *const c_char,
    kind: u32,
    bind_point: u32,
    bind_count: u32,
    flags: u32,
    return_type: u32,
    dimension: u32,
    samples: u32,
    space: u32,
    id: u32,
}

#[repr(C)]
struct ParameterDesc {
    semantic: *const c_char,
    index: u32,
    register: u32,
    system_value: u32,
    component: u32,
    mask: u8,
    read_write_mask: u8,
    stream: u32,
    min_precision: u32,
}

#[repr(C)]
struct BufferDesc {
    name: *const c_char,
    kind: u32,
    variables: u32,
    size: u32,
    flags: u32,
}

#[repr(C)]
struct VariableDesc {
    name: *const c_char,
    offset: u32,
    size: u32,
    flags: u32,
    default_value: *const c_void,
    start_texture: u32,
    texture_size: u32,
    start_sampler: u32,
    sampler_size: u32,
}

#[repr(C)]
struct TypeDesc {
    class: u32,
    kind: u32,
    rows: u32,
    columns: u32,
    elements: u32,
    members: u32,
    offset: u32,
    name: *const c_char,
}

macro_rules! zeroed {
    ($($ty:ty),+) => {$(
        impl Default for $ty {
            fn default() -> Self {
                // SAFETY: numbers and pointers may be all zero.
                unsafe { std::mem::zeroed() }
            }
        }
    )+};
}

zeroed!(ShaderDesc, InputBindDesc, ParameterDesc, BufferDesc, VariableDesc, TypeDesc);
