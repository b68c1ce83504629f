//! Runs SPIR-V on lavapipe, Vulkan on the CPU, with the validation layer watching.
//!
//! The device lives in a child process, so that a shader that crashes or hangs the driver is one failed test and not the end of the run.
//! The child is this very program, started again: whoever makes a [`VulkanRunner`] calls [`serve_if_asked`] first thing in `main`.

mod client;
mod device;
mod execute;
mod pipeline;
mod resources;
mod scene;
mod serve;
mod wire;

use serde::{Deserialize, Serialize};

pub use client::{RunError, VulkanRunner};
pub use serve::serve_if_asked;

use crate::job::Stage;

/// The code of one stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The stage it is for.
    pub stage: Stage,
    /// The name of the entry point in the module.
    pub entry: String,
    /// SPIR-V.
    pub words: Vec<u32>,
}
