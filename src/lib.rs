//! Akari.

pub mod json;
pub mod manifest;
pub mod syntax;
pub mod opt;
