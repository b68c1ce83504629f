//! The `akari` dialect: source-level operations, the core ones that every target keeps, and the table of builtins.

pub mod attributes;
pub mod builtins;
mod check;
mod components;
pub mod fold;
pub mod ops;
pub mod signature;
pub mod texture;

pub use attributes::{BranchHint, LoopHint, LoopTest, Predicate, RayFact};
pub use builtins::{Builtin, BuiltinDef, Capability, Class, Signature, Ty};
pub use components::{COLOUR, component};
pub use ops::{AKARI, AkariOp};
