//! The `hlsl` dialect: what HLSL has beyond the core operations, and the words it keeps for itself.

pub mod keywords;
