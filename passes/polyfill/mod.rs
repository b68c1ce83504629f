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

use akari_dialect::{AkariOp, BranchHint};
use akari_ir::{Builder, RegionId, ValueId};
use smallvec::smallvec;

/// Appends an `if` with these arms.
fn append_if(builder: &mut Builder<'_>, condition: ValueId, then: RegionId, otherwise: RegionId) {
    let hint = smallvec![BranchHint::None.attr()];
    builder.op(AkariOp::If.def(), &[condition], hint, smallvec![then, otherwise], None);
}
