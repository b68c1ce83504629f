//! What the tests run compiled shaders with: outside compilers and validators, a Vulkan device on the CPU, and the format of a numeric case.
//!
//! Everything outside Rust is installed by `tests/tools/install.sh`; a tool that is missing is an error that says so, never a skipped test.

pub mod bind;
pub mod case;
pub mod compare;
pub mod direct3d;
pub mod dxc;
pub mod fuzz;
pub mod hlsl;
pub mod interface;
pub mod interpreter;
pub mod job;
pub mod metal;
pub mod scalar;
pub mod scene;
pub mod shown;
pub mod spirv;
pub mod texel;
pub mod tools;
pub mod vulkan;
