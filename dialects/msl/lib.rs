//! The `msl` dialect: what the Metal Shading Language has beyond the core operations, and the words it keeps for itself.

pub mod attributes;
pub mod keywords;
pub mod ops;

pub use attributes::{Atomic, Method, SamplerAddress, SamplerCompare, SamplerFilter, Wrap};
pub use ops::{MSL, MslOp};
