//! The `gpu-abi` dialect: what the host and the GPU must agree on. Layouts, slots, stage interfaces.

pub mod layout;
pub mod manifest;
pub mod target;

pub use layout::{FieldLayout, Layout, LayoutError, Layouts, Packing, StructLayout};
pub use manifest::Manifest;
pub use target::Target;
