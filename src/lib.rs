//! Akari.

pub mod syntax;
