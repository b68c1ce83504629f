//! Akari.

pub mod frontend;
pub mod json;
pub mod lower;
pub mod manifest;
pub mod render;
pub mod sema;
pub mod source;
pub mod syntax;
pub mod opt;
pub mod spirv_text;
