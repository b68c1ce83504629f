//! `non-uniform-indices`: says of computed indices into arrays of resources whether invocations that run together may differ in them.
//!
//! HLSL (`NonUniformResourceIndex`) and SPIR-V (`NonUniform`) take an index that is not marked for the same in all invocations, and are
//! free to use the resource of one of them for all. So every index is marked that is not seen to be the same
//! (see `analysis/uniformity.rs`).
//!
//! ```text
//! %m: tex2d = akari.index %maps, %i     =>   %0 = akari.non_uniform %i
//!                                            %m: tex2d = akari.index %maps, %0
//! ```
//!
//! Metal asks for nothing of the kind.

use akari_dialect::AkariOp;
use akari_ir::{Module, OpId, Traits};
use rustc_hash::FxHashSet;

use crate::analysis::uniformity::Uniformity;
use crate::analysis::walk::walk;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct NonUniformIndices;

impl Pass for NonUniformIndices {
    const NAME: &'static str = "non-uniform-indices";
    const SUMMARY: &'static str = "mark the indices of resources that may differ between invocations";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut indices = Vec::new();
        for (_, function) in module.functions.iter() {
            walk(module, function.body, &mut |op| {
                if is_unmarked_index(module, op) {
                    indices.push(op);
                }
            });
        }
        if indices.is_empty() {
            return Ok(Changed::No);
        }
        let mut uniformity = Uniformity::of(module);
        indices.retain(|op| !uniformity.is_uniform(module.op(*op).operands[1]));
        context.count("non-uniform indices", indices.len() as u64);
        if indices.is_empty() {
            return Ok(Changed::No);
        }
        let marked: FxHashSet<OpId> = indices.into_iter().collect();
        Rewriter::new(module).module(&mut |r, op| {
            if marked.contains(&op) {
                let index = r.module.op(op).operands[1];
                let ty = r.type_of(index);
                let said = r.core(AkariOp::NonUniform, &[index], &[], ty);
                r.module.op_mut(op).operands[1] = said;
            }
            Outcome::Keep
        });
        Ok(Changed::Yes)
    }
}

fn is_unmarked_index(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    let is_marked =
        |index| module.defining_op(index).is_some_and(|op| AkariOp::of(module.op(op)) == Some(AkariOp::NonUniform));
    AkariOp::of(op) == Some(AkariOp::Index) && module.traits(id).has(Traits::ADDRESS) && !is_marked(op.operands[1])
}
