//! Conversions to MSL.

pub mod address_spaces;
pub mod builtins;
pub mod demote;
pub mod entries;
pub mod memory;
pub mod textures;
