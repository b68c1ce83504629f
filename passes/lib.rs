//! All passes: rewrites of the IR, and the emitters, which are passes that print.

pub mod manager;
pub mod strip;

pub use manager::pass::{Artifact, Changed, Failed, Pass, PassContext};
pub use manager::registry::{PASSES, PassEntry};
