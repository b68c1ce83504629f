//! Rewrites of what a target language cannot say into what it can, shared by targets.

pub mod bounded_indices;
pub mod builtins;
pub mod convergent_breaks;
pub mod defined_arithmetic;
pub mod loop_heads;
pub mod non_uniform_indices;
pub mod numbers;
pub mod region_results;
pub mod whole_layers;
