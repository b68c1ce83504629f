//! Where `tests/tools/install.sh` puts things.

use std::fmt;
use std::path::{Path, PathBuf};

/// A tool that the tests need is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    /// The file that was looked for.
    pub path: PathBuf,
}

impl fmt::Display for MissingTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is missing: run tests/tools/install.sh", self.path.display())
    }
}

impl std::error::Error for MissingTool {}

/// The root of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn installed(path: PathBuf) -> Result<PathBuf, MissingTool> {
    if path.exists() { Ok(path) } else { Err(MissingTool { path }) }
}

/// The DirectX shader compiler as a shared library.
///
/// # Errors
/// When it is not installed.
pub fn dxc_library() -> Result<PathBuf, MissingTool> {
    installed(repository().join(".tools/lib/libdxcompiler.so"))
}

/// The SPIR-V validator.
///
/// # Errors
/// When it is not installed.
pub fn spirv_val() -> Result<PathBuf, MissingTool> {
    installed(repository().join(".tools/bin/spirv-val"))
}

/// The SPIR-V disassembler.
///
/// # Errors
/// When it is not installed.
pub fn spirv_dis() -> Result<PathBuf, MissingTool> {
    installed(repository().join(".tools/bin/spirv-dis"))
}

/// The manifest of the driver that the Vulkan loader uses: lavapipe, Vulkan on the CPU, unless `AKARI_VULKAN_DRIVER` names the
/// manifest of another, to see what a GPU makes of the same cases.
///
/// # Errors
/// When it is not installed.
pub fn vulkan_driver_manifest() -> Result<PathBuf, MissingTool> {
    let other = std::env::var_os("AKARI_VULKAN_DRIVER").map(PathBuf::from);
    installed(other.unwrap_or_else(|| PathBuf::from("/usr/share/vulkan/icd.d/lvp_icd.json")))
}

/// The manifest of the Khronos validation layer.
///
/// # Errors
/// When it is not installed.
pub fn validation_layer_manifest() -> Result<PathBuf, MissingTool> {
    installed(PathBuf::from("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"))
}
