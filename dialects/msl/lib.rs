//! The `msl` dialect: what the Metal Shading Language has beyond the core operations, and the words it keeps for itself.

pub mod keywords;
