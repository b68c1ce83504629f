//! Conversions: what a target says in another way becomes operations of its dialect.

pub mod hlsl_builtins;
pub mod hlsl_layout;
pub mod hlsl_loops;
pub mod hlsl_precise;
pub mod msl;
