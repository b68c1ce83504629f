//! The DirectX shader compiler, run in this process through its COM interface (`dxcapi.h`).
//!
//! A compiler object serves one thread, so each call makes its own; that takes less than a microsecond. `Dxc` itself may be shared by all threads.

#![allow(unsafe_code, reason = "DXC is a C++ library with a COM interface")]

pub mod flags;
pub mod reflection;
mod signature;

pub use signature::sign;

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr::{self, NonNull};

/// The compiler library, loaded.
#[derive(Debug)]
pub struct Dxc {
    create_instance: CreateInstance,
    /// Never unloaded: LLVM leaves thread-local destructors behind that would run in unmapped code.
    _library: ManuallyDrop<libloading::Library>,
}

/// What a compilation gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DxcOutput {
    /// The DXIL container, with its hash, or the SPIR-V module; absent after an error.
    pub object: Option<Vec<u8>>,
    /// Errors and warnings as DXC words them; empty for a clean compilation.
    pub messages: String,
    /// Whether DXC reported success.
    pub succeeded: bool,
}

/// The library could not be used at all; what is wrong with a shader is in [`DxcOutput`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DxcError(String);

impl fmt::Display for DxcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DxcError {}

impl Dxc {
    /// Loads the library at `path`.
    ///
    /// # Errors
    /// When there is no usable compiler there.
    pub fn load(path: &Path) -> Result<Self, DxcError> {
        let failed = |error: &dyn fmt::Display| DxcError(format!("cannot load `{}`: {error}", path.display()));
        // SAFETY: the library's initializers only set up LLVM's globals.
        let library = unsafe { libloading::Library::new(path) }.map_err(|error| failed(&error))?;
        // SAFETY: `DxcCreateInstance` has had this signature since the first public DXC.
        let create_instance =
            *unsafe { library.get::<CreateInstance>(b"DxcCreateInstance\0") }.map_err(|error| failed(&error))?;
        let dxc = Self { create_instance, _library: ManuallyDrop::new(library) };
        // The first compilation fills tables that DXC does not lock (microsoft/DirectXShaderCompiler#4792).
        let warm_up = dxc.compile("[numthreads(1,1,1)] void main() {}", &["-T", "cs_6_0", "-E", "main"])?;
        if !warm_up.succeeded {
            return Err(failed(&warm_up.messages));
        }
        Ok(dxc)
    }

    /// Compiles `source` with the arguments of the `dxc` program, such as `["-T", "cs_6_0", "-E", "main", "-spirv"]`.
    ///
    /// # Errors
    /// When the library itself fails; an error in `source` or in the arguments is part of the output.
    pub fn compile(&self, source: &str, arguments: &[&str]) -> Result<DxcOutput, DxcError> {
        let compiler = self.compiler()?;
        let wide: Vec<Vec<Wide>> = arguments.iter().map(|argument| wide(argument)).collect();
        let pointers: Vec<*const Wide> = wide.iter().map(|argument| argument.as_ptr()).collect();
        let count = u32::try_from(pointers.len()).map_err(|_| DxcError("too many arguments".into()))?;
        let buffer = DxcBuffer::text(source);
        let mut result = ptr::null_mut();
        // SAFETY: `compiler` is a live IDxcCompiler3, and `buffer`, `wide` and `pointers` outlive the call. DXC takes no include handler as "no includes".
        let status = unsafe {
            (compiler.table().compile)(
                compiler.raw(),
                &raw const buffer,
                pointers.as_ptr(),
                count,
                ptr::null_mut(),
                &raw const IID_RESULT,
                &raw mut result,
            )
        };
        // SAFETY: on success `result` is null or an IDxcResult that this call owns.
        let result = unsafe { Com::<ResultTable>::owned(status, result, "IDxcCompiler3::Compile") }?;
        let succeeded = result.succeeded()?;
        let messages = String::from_utf8_lossy(&result.output(OUT_ERRORS)?.unwrap_or_default()).into_owned();
        let mut object = if succeeded { result.output(OUT_OBJECT)?.filter(|bytes| !bytes.is_empty()) } else { None };
        if let Some(object) = &mut object {
            sign(object);
        }
        Ok(DxcOutput { object, messages: without_signing_warning(&messages), succeeded })
    }

    /// The text form of a DXIL container, with its comments on signatures, resources and buffer layouts.
    ///
    /// # Errors
    /// When `container` is no DXIL container, or the library fails.
    pub fn disassemble(&self, container: &[u8]) -> Result<String, DxcError> {
        if !container.starts_with(b"DXBC") {
            return Err(DxcError("not a DXIL container".into())); // DXC would print to stderr
        }
        let compiler = self.compiler()?;
        let buffer = DxcBuffer { pointer: container.as_ptr().cast(), size: container.len(), encoding: 0 };
        let mut result = ptr::null_mut();
        // SAFETY: `compiler` is a live IDxcCompiler3, and `container` outlives the call.
        let status = unsafe {
            (compiler.table().disassemble)(compiler.raw(), &raw const buffer, &raw const IID_RESULT, &raw mut result)
        };
        // SAFETY: on success `result` is null or an IDxcResult that this call owns.
        let result = unsafe { Com::<ResultTable>::owned(status, result, "IDxcCompiler3::Disassemble") }?;
        if !result.succeeded()? {
            let messages = result.output(OUT_ERRORS)?.unwrap_or_default();
            return Err(DxcError(format!("not disassembled: {}", String::from_utf8_lossy(&messages))));
        }
        let text = result.output(OUT_DISASSEMBLY)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn compiler(&self) -> Result<Com<CompilerTable>, DxcError> {
        let mut compiler = ptr::null_mut();
        // SAFETY: both ids are valid GUIDs, and `compiler` is a valid place for the result.
        let status =
            unsafe { (self.create_instance)(&raw const CLSID_COMPILER, &raw const IID_COMPILER, &raw mut compiler) };
        // SAFETY: on success `compiler` is an IDxcCompiler3 that this call owns.
        unsafe { Com::owned(status, compiler, "DxcCreateInstance") }
    }
}

/// What DXC says, without its warning that it has no library to sign with: [`sign`] does that.
#[must_use]
pub fn without_signing_warning(messages: &str) -> String {
    let is_about_signing = |line: &&str| line.contains("DXIL signing library") || line.contains("DXIL.dll not found");
    let kept: Vec<&str> = messages.trim_end_matches('\0').lines().filter(|line| !is_about_signing(line)).collect();
    kept.join("\n").trim_end().to_owned()
}

// The COM interface. Layouts are those of dxcapi.h and WinAdapter.h; a table begins with the three methods of IUnknown.

/// `wchar_t`.
#[cfg(windows)]
type Wide = u16;
#[cfg(not(windows))]
type Wide = u32;

/// A text as C has it, in the encoding that its wide characters have on this system.
fn wide(text: &str) -> Vec<Wide> {
    #[cfg(windows)]
    let units = text.encode_utf16();
    #[cfg(not(windows))]
    let units = text.chars().map(u32::from);
    units.chain([0]).collect()
}

type Hresult = i32;
type Object = *mut c_void;
type CreateInstance = unsafe extern "system" fn(*const Guid, *const Guid, *mut Object) -> Hresult;

#[repr(C)]
struct Guid(u32, u16, u16, [u8; 8]);

static CLSID_COMPILER: Guid = Guid(0x73e2_2d93, 0xe6ce, 0x47f3, [0xb5, 0xbf, 0xf0, 0x66, 0x4f, 0x39, 0xc1, 0xb0]);
static IID_COMPILER: Guid = Guid(0x228b_4687, 0x5a6a, 0x4730, [0x90, 0x0c, 0x97, 0x02, 0xb2, 0x20, 0x3f, 0x54]);
static IID_RESULT: Guid = Guid(0x5834_6cda, 0xdde7, 0x4497, [0x94, 0x61, 0x6f, 0x87, 0xaf, 0x5e, 0x06, 0x59]);
static IID_BLOB: Guid = Guid(0x8ba5_fb08, 0x5195, 0x40e2, [0xac, 0x58, 0x0d, 0x98, 0x9c, 0x3a, 0x01, 0x02]);

const OUT_OBJECT: u32 = 1;
const OUT_ERRORS: u32 = 2;
const OUT_DISASSEMBLY: u32 = 5;
const CODE_PAGE_UTF8: u32 = 65001;

#[repr(C)]
struct DxcBuffer {
    pointer: *const c_void,
    size: usize,
    encoding: u32,
}

impl DxcBuffer {
    fn text(source: &str) -> Self {
        Self { pointer: source.as_ptr().cast(), size: source.len(), encoding: CODE_PAGE_UTF8 }
    }
}

#[repr(C)]
struct UnknownTable {
    query_interface: unsafe extern "system" fn(Object, *const Guid, *mut Object) -> Hresult,
    add_ref: unsafe extern "system" fn(Object) -> u32,
    release: unsafe extern "system" fn(Object) -> u32,
}

#[repr(C)]
struct CompilerTable {
    unknown: UnknownTable,
    compile: unsafe extern "system" fn(
        Object,
        *const DxcBuffer,
        *const *const Wide,
        u32,
        Object,
        *const Guid,
        *mut Object,
    ) -> Hresult,
    disassemble: unsafe extern "system" fn(Object, *const DxcBuffer, *const Guid, *mut Object) -> Hresult,
}

#[repr(C)]
struct ResultTable {
    unknown: UnknownTable,
    get_status: unsafe extern "system" fn(Object, *mut Hresult) -> Hresult,
    get_result: unsafe extern "system" fn(Object, *mut Object) -> Hresult,
    get_error_buffer: unsafe extern "system" fn(Object, *mut Object) -> Hresult,
    has_output: unsafe extern "system" fn(Object, u32) -> i32,
    get_output: unsafe extern "system" fn(Object, u32, *const Guid, *mut Object, *mut Object) -> Hresult,
}

#[repr(C)]
struct BlobTable {
    unknown: UnknownTable,
    get_buffer_pointer: unsafe extern "system" fn(Object) -> *const u8,
    get_buffer_size: unsafe extern "system" fn(Object) -> usize,
}

/// An owned reference to a COM object whose table of methods begins like `Table`.
struct Com<Table>(NonNull<*const Table>);

impl<Table> Com<Table> {
    /// Takes over the reference that a call to `function` gave.
    ///
    /// # Safety
    /// Where `status` is not negative, `object` is null or a reference owned by the caller to an object with that table.
    unsafe fn owned(status: Hresult, object: Object, function: &str) -> Result<Self, DxcError> {
        if status < 0 {
            return Err(DxcError(format!("{function} failed with {status:#010x}")));
        }
        NonNull::new(object.cast()).map(Self).ok_or_else(|| DxcError(format!("{function} gave nothing")))
    }

    fn raw(&self) -> Object {
        self.0.as_ptr().cast()
    }

    fn table(&self) -> &Table {
        // SAFETY: a COM object begins with a pointer to its table, which lives as long as the library, which is never unloaded.
        unsafe { &**self.0.as_ptr() }
    }
}

impl<Table> Drop for Com<Table> {
    fn drop(&mut self) {
        // SAFETY: every table begins with that of IUnknown, and `self` owns one reference.
        unsafe {
            let unknown = *self.0.as_ptr().cast::<*const UnknownTable>();
            ((*unknown).release)(self.raw());
        }
    }
}

impl Com<ResultTable> {
    fn succeeded(&self) -> Result<bool, DxcError> {
        let mut outcome = 0;
        // SAFETY: `self` is a live IDxcResult and `outcome` a valid place.
        let status = unsafe { (self.table().get_status)(self.raw(), &raw mut outcome) };
        if status < 0 {
            return Err(DxcError(format!("IDxcResult::GetStatus failed with {status:#010x}")));
        }
        Ok(outcome >= 0)
    }

    /// The bytes of one output, if there is one of that kind.
    fn output(&self, kind: u32) -> Result<Option<Vec<u8>>, DxcError> {
        // SAFETY: `self` is a live IDxcResult.
        if unsafe { (self.table().has_output)(self.raw(), kind) } == 0 {
            return Ok(None);
        }
        let mut blob = ptr::null_mut();
        // SAFETY: as above; a null place for the output's name means that it is not wanted.
        let status =
            unsafe { (self.table().get_output)(self.raw(), kind, &raw const IID_BLOB, &raw mut blob, ptr::null_mut()) };
        if status >= 0 && blob.is_null() {
            return Ok(None);
        }
        // SAFETY: on success `blob` is an IDxcBlob that this call owns.
        let blob = unsafe { Com::<BlobTable>::owned(status, blob, "IDxcResult::GetOutput") }?;
        // SAFETY: the blob's bytes live as long as the blob; an empty one may have a null pointer.
        let bytes = unsafe {
            let size = (blob.table().get_buffer_size)(blob.raw());
            let pointer = (blob.table().get_buffer_pointer)(blob.raw());
            if size == 0 || pointer.is_null() { Vec::new() } else { std::slice::from_raw_parts(pointer, size).to_vec() }
        };
        Ok(Some(bytes))
    }
}
