//! The numbers of SPIR-V: instructions, extended instructions, enumerants.
//!
//! The target needs no operations of its own in the IR: `emit-spirv` selects instructions straight from the core operations.

pub mod enumerants;
pub mod opcode;

pub use enumerants::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, GroupOperation, ImageFormat, Scope, StorageClass,
};
pub use opcode::{Glsl, Opcode};

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;
/// SPIR-V 1.5, the version of Vulkan 1.2.
pub const VERSION: u32 = 0x0001_0500;
