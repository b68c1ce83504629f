//! Conversions to MSL.

pub mod builtins;
pub mod textures;
