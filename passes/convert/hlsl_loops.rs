//! `hlsl-loops`: keeps DXC from unrolling the loops on whose unrolling it fails.
//!
//! A hint is no promise, and DXC takes `unroll` for one: it refuses what it cannot count to 1024, and with a number it makes no more than so
//! many rounds. The hint stays where the loop is known to keep the promise.
//!
//! For Direct3D 12: where a loop of known length is left early, and writes a variable that lies in memory because it is indexed at run time, DXC unrolls it
//! late and leaves copies of resource handles behind at its end, which its own validator refuses. The hint that the loop is to stay helps;
//! DXC heeds it where the head or the foot of the loop counts.
//!
//! For Vulkan: the rounds that DXC's optimizer makes of a loop with the hint `unroll`, all but the first, have lost their `NoContraction`, and
//! products in them are fused with sums. A loop with float arithmetic in it goes without the hint.

use akari_dialect::{AkariOp, LoopHint};
use akari_dialect_gpu_abi::Target;
use akari_ir::{Entity, FuncId, Module, OpId, RegionId, ValueId};
use rustc_hash::FxHashSet;

use crate::analysis::calls::reaching;
use crate::analysis::float_flow::{Root, is_arithmetic, root};
use crate::analysis::rounds;
use crate::analysis::walk::{operations, walk};
use crate::emit::c_like::expression::constant_index;
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct HlslLoops;

impl Pass for HlslLoops {
    const NAME: &'static str = "hlsl-loops";
    const SUMMARY: &'static str = "keep DXC from unrolling the loops on whose unrolling it fails";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let unkept = unkept_promises(module);
        for id in &unkept {
            module.op_mut(*id).attrs[1] = LoopHint::None.attr();
        }
        let (kept, hint) = match context.target {
            Some(Target::D3d12) => (loops(module), LoopHint::Loop),
            Some(Target::VulkanHlsl) => (loops_of_floats(module), LoopHint::None),
            Some(Target::Metal | Target::Spirv) | None => return Ok(Changed::No),
        };
        for id in &kept {
            module.op_mut(*id).attrs[1] = hint.attr();
        }
        Ok(if kept.is_empty() && unkept.is_empty() { Changed::No } else { Changed::Yes })
    }
}

/// How far DXC counts for itself.
const COUNTED: u64 = 1024;

/// How far is counted here at most.
const MOST: u64 = 4096;

/// The loops to be unrolled that may take more rounds than they say, or than DXC counts.
fn unkept_promises(module: &mut Module) -> Vec<OpId> {
    fn hinted(module: &Module, region: RegionId, found: &mut Vec<(RegionId, OpId)>) {
        for id in &module.region(region).ops {
            let op = module.op(*id);
            if AkariOp::of(op) == Some(AkariOp::Loop) && LoopHint::from_index(op.enumerated(1)) == LoopHint::Unroll {
                found.push((region, *id));
            }
            op.regions.iter().for_each(|nested| hinted(module, *nested, found));
        }
    }
    let mut found = Vec::new();
    for (_, function) in module.functions.iter() {
        hinted(module, function.body, &mut found);
    }
    found.retain(|(region, id)| {
        let most = match module.op(*id).int(2) {
            0 => COUNTED,
            count => u64::try_from(count).unwrap_or(MOST).min(MOST),
        };
        rounds::at_most(module, *region, *id, most).is_none()
    });
    found.into_iter().map(|(_, id)| id).collect()
}

fn loops(module: &Module) -> Vec<OpId> {
    let indexed = indexed_variables(module);
    let mut found = Vec::new();
    if indexed.is_empty() {
        return found;
    }
    for (_, function) in module.functions.iter() {
        walk(module, function.body, &mut |id| {
            let op = module.op(id);
            let has_no_hint =
                AkariOp::of(op) == Some(AkariOp::Loop) && LoopHint::from_index(op.enumerated(1)) == LoopHint::None;
            if has_no_hint
                && op.regions.iter().any(|region| is_left(module, *region))
                && op.regions.iter().any(|region| writes(module, *region, &indexed))
            {
                found.push(id);
            }
        });
    }
    found
}

/// The loops to be unrolled that compute floats, in functions that they call too.
fn loops_of_floats(module: &Module) -> Vec<OpId> {
    let own = |func: FuncId| operations(module, func).into_iter().any(|id| is_arithmetic(module, id));
    let computes = reaching(module, own);
    let mut found = Vec::new();
    for (_, function) in module.functions.iter() {
        walk(module, function.body, &mut |id| {
            let op = module.op(id);
            if AkariOp::of(op) != Some(AkariOp::Loop) || LoopHint::from_index(op.enumerated(1)) != LoopHint::Unroll {
                return;
            }
            let mut arithmetic = false;
            for region in &op.regions {
                walk(module, *region, &mut |id| {
                    let op = module.op(id);
                    let calls = AkariOp::of(op) == Some(AkariOp::Call) && computes[op.func(0).index()];
                    arithmetic |= calls || is_arithmetic(module, id);
                });
            }
            if arithmetic {
                found.push(id);
            }
        });
    }
    found
}

/// The variables with parts that are chosen at run time.
fn indexed_variables(module: &Module) -> FxHashSet<ValueId> {
    let mut indexed = FxHashSet::default();
    for (_, function) in module.functions.iter() {
        walk(module, function.body, &mut |id| {
            let op = module.op(id);
            if AkariOp::of(op) == Some(AkariOp::Element)
                && constant_index(module, op.operands[1]).is_none()
                && let Some(Root::Variable(variable)) = root(module, op.operands[0])
            {
                indexed.insert(variable);
            }
        });
    }
    indexed
}

/// Whether the loop around a region is left from within it.
fn is_left(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.iter().any(|id| {
        let op = module.op(*id);
        match AkariOp::of(op) {
            Some(AkariOp::Break | AkariOp::Return) => true,
            // What leaves an inner loop or a switch alone is not told apart: the hint does no harm.
            _ => op.regions.iter().any(|nested| is_left(module, *nested)),
        }
    })
}

fn writes(module: &Module, region: RegionId, variables: &FxHashSet<ValueId>) -> bool {
    let mut found = false;
    walk(module, region, &mut |id| {
        let op = module.op(id);
        if matches!(AkariOp::of(op), Some(AkariOp::Store | AkariOp::StoreComponents))
            && let Some(Root::Variable(variable)) = root(module, op.operands[0])
        {
            found |= variables.contains(&variable);
        }
    });
    found
}
