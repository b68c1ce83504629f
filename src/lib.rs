//! Akari: a shader compiler. One `.akari` source in; Metal, HLSL for Direct3D 12 and Vulkan, and SPIR-V out.
//!
//! The library is pure: it reads no files, prints nothing and does not panic, whatever it is given. [`frontend::compile`] makes
//! a module of source text, [`driver::emit`] makes a target's outputs of a module. [`cli`] is the program around it.

pub mod cli;
pub mod codes;
pub mod driver;
pub mod dump_layout;
mod file_name;
pub mod fmt;
mod foreign;
pub mod frontend;
pub mod json;
pub mod lower;
pub mod manifest;
pub mod opt;
pub mod reflect;
pub mod render;
pub mod sema;
pub mod source;
pub mod spec;
pub mod spirv_floats;
pub mod spirv_text;
pub mod syntax;
