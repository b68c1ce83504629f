//! All passes: rewrites of the IR, and the emitters, which are passes that print.

pub mod analysis;
pub mod assign_slots;
pub mod bindless_tables;
pub mod check_entries;
pub mod codes;
pub mod const_fold;
pub mod convert;
pub mod emit;
pub mod flatten_contexts;
pub mod lower_implicit_lod;
pub mod manager;
pub mod names;
pub mod pipelines;
pub mod polyfill;
pub mod ray_queries;
pub mod reach;
pub mod resources_to_globals;
pub mod rewrite;
pub mod shape;
pub mod specialize;
pub mod strip;
pub mod trim_captures;

pub use manager::observe::{Dump, Observer, Request, When};
pub use manager::pass::{Artifact, Changed, Failed, Pass, PassContext, SourceFile};
pub use manager::pipeline::{Pipeline, PipelineError};
pub use manager::registry::{PASSES, PassEntry};
pub use manager::run::{RunError, run};
pub use manager::stage::IrStage;
