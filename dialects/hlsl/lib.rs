//! The `hlsl` dialect: what HLSL has beyond the core operations, and the words it keeps for itself.

pub mod keywords;
pub mod ops;

pub use ops::{HLSL, HlslOp, Interlocked};
