//! The pass manager: what a pass is, which there are, and how a pipeline of them runs.

pub mod observe;
pub mod pass;
pub mod pipeline;
pub mod registry;
pub mod run;
pub mod stage;
