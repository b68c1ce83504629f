//! The `gpu-abi` dialect: what the host and the GPU must agree on. Layouts, slots, stage interfaces.

pub mod target;

pub use target::Target;
