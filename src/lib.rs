//! Akari.

pub mod json;
pub mod manifest;
pub mod render;
pub mod source;
pub mod syntax;
pub mod opt;
pub mod spirv_text;
