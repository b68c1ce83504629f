//! The emitters: passes that print a module in the language of a target. They decide nothing; whatever a language cannot
//! say has been rewritten by a named pass before.

pub mod c_like;
pub mod hlsl;
pub mod msl;
pub mod spirv;
pub mod text;
