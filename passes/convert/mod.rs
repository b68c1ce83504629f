//! Conversions: what a target says in another way becomes operations of its dialect.

pub mod hlsl_builtins;
pub mod hlsl_layout;
pub mod msl;
pub mod hlsl_precise;
