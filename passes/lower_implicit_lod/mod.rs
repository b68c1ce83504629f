//! `lower-implicit-lod`: outside fragment stages, where there is no quad to take a level of detail from, samples name level 0.
//!
//! ```text
//! akari.builtin %hdr, %samp, %uv {function: texture_sample}
//!     =>  akari.builtin %hdr, %samp, %uv, %zero {function: texture_sample_level}
//! akari.builtin %atlas, %samp, %uv, %z {function: texture_sample_cmp}
//!     =>  akari.builtin %atlas, %samp, %uv, %z {function: texture_sample_cmp_level_zero}
//! ```
//!
//! A function that entries of both kinds reach, and that samples, itself or in a call, gets a copy for those that are not fragment
//! entries.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::interface::Stage;
use akari_ir::{Attr, Entity, FuncId, Module, OpId};

use crate::analysis::calls::{callees_first, reached_from, reaching};
use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::clone::clone_function;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct LowerImplicitLod;

impl Pass for LowerImplicitLod {
    const NAME: &'static str = "lower-implicit-lod";
    const SUMMARY: &'static str = "name level 0 in samples outside fragment stages";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let samples =
            reaching(module, |func| operations(module, func).iter().any(|op| level_zero(module, *op).is_some()));
        let in_fragments = reachable(module, |stage| stage == Stage::Fragment);
        let elsewhere = reachable(module, |stage| stage != Stage::Fragment);
        let mut stand_ins: Vec<FuncId> = module.functions.ids().collect();
        let mut lowered = Vec::new();
        for func in callees_first(module) {
            let index = func.index();
            if !samples[index] || !elsewhere[index] {
                continue;
            }
            let stand_in = if in_fragments[index] { copy(module, func) } else { func };
            stand_ins[index] = stand_in;
            lowered.push(stand_in);
        }
        if lowered.is_empty() {
            return Ok(Changed::No);
        }
        context.count("functions with explicit levels", lowered.len() as u64);
        let mut rewriter = Rewriter::new(module);
        let mut name_level_zero = NameLevelZero { stand_ins };
        for func in lowered {
            rewriter.function(func, &mut |r, op| name_level_zero.op(r, op));
        }
        Ok(Changed::Yes)
    }
}

fn copy(module: &mut Module, func: FuncId) -> FuncId {
    let name = format!("{}_lod0", module.text(module.functions[func].name));
    let copy = clone_function(module, func);
    module.functions[copy].name = module.symbols.intern(&name);
    copy
}

/// The functions that entries of some stages reach, themselves included.
fn reachable(module: &Module, stages: impl Fn(Stage) -> bool) -> Vec<bool> {
    let entries =
        module.functions.iter().filter(|(_, function)| function.entry.is_some_and(|entry| stages(entry.stage)));
    reached_from(module, entries.map(|(func, _)| func))
}

/// What a sample with an implicit level becomes; nothing for all other operations.
fn level_zero(module: &Module, op: OpId) -> Option<Builtin> {
    let op = module.op(op);
    match (AkariOp::of(op) == Some(AkariOp::Builtin)).then(|| Builtin::from_index(op.enumerated(0)))? {
        Builtin::TextureSample => Some(Builtin::TextureSampleLevel),
        Builtin::TextureSampleCmp => Some(Builtin::TextureSampleCmpLevelZero),
        _ => None,
    }
}

struct NameLevelZero {
    /// What each function is called as.
    stand_ins: Vec<FuncId>,
}

impl NameLevelZero {
    fn op(&mut self, rewriter: &mut Rewriter<'_>, op: OpId) -> Outcome {
        if AkariOp::of(rewriter.module.op(op)) == Some(AkariOp::Call) {
            let callee = rewriter.module.op(op).func(0);
            let stand_in = self.stand_ins.get(callee.index()).copied().unwrap_or(callee);
            rewriter.module.op_mut(op).attrs[0] = Attr::Func(stand_in);
            return Outcome::Keep;
        }
        let Some(explicit) = level_zero(rewriter.module, op) else { return Outcome::Keep };
        let mut operands = rewriter.module.op(op).operands.to_vec();
        if explicit == Builtin::TextureSampleLevel {
            operands.push(rewriter.float(0.0));
        }
        Outcome::Replace(rewriter.builtin(explicit, &operands))
    }
}
