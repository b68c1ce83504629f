//! `convergent-breaks`: what lanes do together before some of them leave a loop stays inside it.
//!
//! ```text
//! loop … body [ if %c [ %n = wave_count(…) store … break ] … ]
//! ```
//! becomes
//! ```text
//! %leaves = local false
//! loop … body [ if %c [ %n = wave_count(…) store … store %leaves, true ] if (load %leaves) [ break ] … ]
//! ```
//! DXC's optimizer takes a block that only leads out of an endless loop for a part of what follows the loop, where all lanes meet
//! again. Loops that end in another way too are left alone, as are breaks that stand deeper.

use akari_dialect::AkariOp;
use akari_dialect::ops::{view, yielded};
use akari_ir::{Attr, Builder, Module, OpId, RegionId, Scalar, Space, Traits, ValueId};
use smallvec::smallvec;

use super::append_if;
use crate::analysis::effects::{Access, Effects, Memory};
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct ConvergentBreaks;

impl Pass for ConvergentBreaks {
    const NAME: &'static str = "convergent-breaks";
    const SUMMARY: &'static str = "keep convergent operations that stand before a break inside the loop";

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let mut found = Vec::new();
        {
            let mut effects = Effects::new(module);
            for (_, function) in module.functions.iter() {
                collect(module, &mut effects, function.body, &mut found);
            }
        }
        for (region, loop_, breaks) in &found {
            rewrite(module, *region, *loop_, breaks);
        }
        Ok(if found.is_empty() { Changed::No } else { Changed::Yes })
    }
}

/// A loop to rewrite: the region it stands in, itself, and the `if`s in its body, each with the arm that leaves it.
type Found = (RegionId, OpId, Vec<(OpId, RegionId)>);

/// Finds the loops to rewrite: the region each stands in, and the arms of `if`s in its body that end in a `break` after
/// something convergent.
fn collect(module: &Module, effects: &mut Effects<'_>, region: RegionId, found: &mut Vec<Found>) {
    for op in &module.region(region).ops {
        for nested in &module.op(*op).regions {
            collect(module, effects, *nested, found);
        }
        let Some(loop_) = view::Loop::cast(module, *op).filter(|loop_| is_endless(module, *loop_)) else { continue };
        let mut breaks = Vec::new();
        for inner in &module.region(loop_.body(module)).ops {
            if AkariOp::of(module.op(*inner)) != Some(AkariOp::If) {
                continue;
            }
            for arm in &module.op(*inner).regions {
                let ops = &module.region(*arm).ops;
                let ends = ops.last().is_some_and(|last| AkariOp::of(module.op(*last)) == Some(AkariOp::Break));
                let converges = ops.iter().any(|op| {
                    let invocations = [Access::Read(Memory::Invocations), Access::Write(Memory::Invocations)];
                    module.traits(*op).has(Traits::CONVERGENT)
                        && effects.of(*op).iter().any(|access| invocations.contains(access))
                });
                if ends && converges {
                    breaks.push((*inner, *arm));
                }
            }
        }
        if !breaks.is_empty() {
            found.push((region, *op, breaks));
        }
    }
}

fn is_endless(module: &Module, loop_: view::Loop) -> bool {
    let test = yielded(module, loop_.test(module)).and_then(|test| module.defining_op(test)).map(|op| module.op(op));
    test.is_some_and(|test| {
        AkariOp::of(test) == Some(AkariOp::Const) && module.scalar_bits(test.constant(0)).is_some_and(|bits| bits != 0)
    })
}

fn rewrite(module: &mut Module, region: RegionId, loop_: OpId, breaks: &[(OpId, RegionId)]) {
    let bool_type = module.types.scalar(Scalar::Bool);
    let place_type = module.types.place(Space::Function, bool_type);
    let name = module.symbols.intern("leaves");
    let loc = module.op(loop_).loc;

    // The flag, before the loop.
    let position = module.region(region).ops.iter().position(|op| *op == loop_).unwrap_or(0);
    let after = module.region_mut(region).ops.split_off(position);
    let mut builder = Builder { loc, ..Builder::at_end(module, region) };
    let value = constant(&mut builder, false);
    let leaves = builder.value(AkariOp::Local.def(), &[value], smallvec![], place_type);
    builder.name(leaves, name);
    module.region_mut(region).ops.extend(after);

    for (_, arm) in breaks {
        module.region_mut(*arm).ops.pop();
        let mut builder = Builder { loc, ..Builder::at_end(module, *arm) };
        let value = constant(&mut builder, true);
        builder.op(AkariOp::Store.def(), &[leaves, value], smallvec![], smallvec![], None);
    }
    let body = view::Loop(loop_).body(module);
    let ops = std::mem::take(&mut module.region_mut(body).ops);
    let mut last_if = None;
    for op in ops {
        if last_if.take().is_some() {
            leave(module, body, leaves, bool_type);
        }
        if breaks.iter().any(|(inner, _)| *inner == op) {
            last_if = Some(op);
        }
        module.region_mut(body).ops.push(op);
    }
    if last_if.is_some() {
        leave(module, body, leaves, bool_type);
    }
}

/// `if (leaves) { break; }`
fn leave(module: &mut Module, body: RegionId, leaves: ValueId, bool_type: akari_ir::Type) {
    let mut builder = Builder::at_end(module, body);
    let condition = builder.value(AkariOp::Load.def(), &[leaves], smallvec![], bool_type);
    let (then, otherwise) = (builder.module.new_region(), builder.module.new_region());
    builder.inside(then, |builder| builder.op(AkariOp::Break.def(), &[], smallvec![], smallvec![], None));
    append_if(&mut builder, condition, then, otherwise);
}

fn constant(builder: &mut Builder<'_>, value: bool) -> ValueId {
    let ty = builder.module.types.scalar(Scalar::Bool);
    let constant = builder.scalar(Scalar::Bool, u64::from(value));
    builder.value(AkariOp::Const.def(), &[], smallvec![Attr::Const(constant)], ty)
}
