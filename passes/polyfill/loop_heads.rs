//! `loop-heads`: tests and steps of loops that are no expressions move into the body.
//!
//! ```text
//! loop test [ …statements… yield %c ] body [ … ] step [ … ]
//! ```
//! becomes
//! ```text
//! loop test [ yield true ] body [ …statements… if !%c [ break ] … ] step [ … ]
//! ```
//! A step of several statements goes to the end of the body. Where the body has a `continue`, which must still run the step (or the
//! test of a `do`), step and test run at the start of the body instead, in all iterations but the first.

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, LoopTest};
use akari_ir::{Builder, Module, OpId, RegionId, Scalar, Space, Traits, ValueId};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use super::append_if;
use crate::analysis::uses::{Uses, has_operation};
use crate::emit::c_like::statement::is_statement;
use crate::shape::plan::Plan;
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct LoopHeads;

impl Pass for LoopHeads {
    const NAME: &'static str = "loop-heads";
    const SUMMARY: &'static str = "move tests and steps that are no expressions into the bodies of their loops";

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        if !has_operation(module, &[AkariOp::Loop]) {
            return Ok(Changed::No);
        }
        let plan = Plan::of(module);
        let uses = Uses::of(module);
        let declaring: FxHashSet<OpId> = plan.declared.keys().copied().collect();
        let with_statements: FxHashSet<RegionId> = plan.with_statements.into_iter().collect();
        let mut changed = Changed::No;
        for function in module.functions.ids() {
            let body = module.functions[function].body;
            region(module, body, &mut |module, region, op| {
                let loop_ = view::Loop(op);
                let test_has_statements = with_statements.contains(&loop_.test(module));
                let step = &module.region(loop_.step(module)).ops;
                let statements: Vec<OpId> =
                    step.iter().copied().filter(|op| is_statement(module, &uses, *op)).collect();
                let step_has_statements = statements.len() > 1
                    || step.iter().any(|op| declaring.contains(op))
                    || statements.iter().any(|op| !module.op(*op).regions.is_empty());
                let is_after = module.op(op).enumerated(0) == LoopTest::After as u16;
                if test_has_statements || step_has_statements || (is_after && !statements.is_empty()) {
                    rewrite(module, region, op, test_has_statements);
                    changed = Changed::Yes;
                }
            });
        }
        Ok(changed)
    }
}

/// Rebuilds a region, letting `visit` append before each loop.
fn region(module: &mut Module, id: RegionId, visit: &mut impl FnMut(&mut Module, RegionId, OpId)) {
    let ops = std::mem::take(&mut module.region_mut(id).ops);
    for op in ops {
        for nested in module.op(op).regions.clone() {
            region(module, nested, visit);
        }
        if AkariOp::of(module.op(op)) == Some(AkariOp::Loop) {
            visit(module, id, op);
        }
        module.region_mut(id).ops.push(op);
    }
}

fn rewrite(module: &mut Module, region: RegionId, op: OpId, test_has_statements: bool) {
    let loop_ = view::Loop(op);
    let (test, body, step) = (loop_.test(module), loop_.body(module), loop_.step(module));
    let is_after = module.op(op).enumerated(0) == LoopTest::After as u16;
    let move_test = test_has_statements || is_after;
    let continues = has_continue(module, body);
    let mut test_ops = Vec::new();
    if move_test {
        test_ops = leave_unless(module, test);
    }
    let step_ops = std::mem::take(&mut module.region_mut(step).ops);
    let old_body = std::mem::take(&mut module.region_mut(body).ops);
    let ends = old_body.last().is_some_and(|op| module.traits(*op).has(Traits::TERMINATOR));

    if continues {
        // Both step and test (of a `do`) must come after whatever `continue` leaves: they start the next iteration.
        let bool_type = module.types.scalar(Scalar::Bool);
        let place = module.types.place(Space::Function, bool_type);
        let name = module.symbols.intern("is_first");
        let loc = module.op(op).loc;
        let mut builder = Builder { loc, ..Builder::at_end(module, region) };
        let value = constant(&mut builder, true);
        let first = builder.value(AkariOp::Local.def(), &[value], smallvec![], place);
        builder.name(first, name);
        let mut builder = Builder { loc, ..Builder::at_end(module, body) };
        let is_first = builder.value(AkariOp::Load.def(), &[first], smallvec![], bool_type);
        let (then, otherwise) = (builder.module.new_region(), builder.module.new_region());
        builder.inside(then, |builder| {
            let value = constant(builder, false);
            builder.op(AkariOp::Store.def(), &[first, value], smallvec![], smallvec![], None);
        });
        let mut again = step_ops;
        if is_after {
            again.append(&mut test_ops);
        }
        builder.module.region_mut(otherwise).ops = again;
        append_if(&mut builder, is_first, then, otherwise);
        module.region_mut(body).ops.extend(test_ops);
        module.region_mut(body).ops.extend(old_body);
    } else {
        let mut ops = Vec::new();
        if !is_after {
            ops.append(&mut test_ops);
        }
        ops.extend(old_body);
        if !ends {
            ops.extend(step_ops);
            ops.extend(test_ops);
        }
        module.region_mut(body).ops = ops;
    }
    if move_test {
        let mut builder = Builder::at_end(module, test);
        let value = constant(&mut builder, true);
        builder.op(AkariOp::Yield.def(), &[value], smallvec![], smallvec![], None);
        module.op_mut(op).attrs[0] = LoopTest::Before.attr();
    }
}

fn constant(builder: &mut Builder<'_>, value: bool) -> ValueId {
    let ty = builder.module.types.scalar(Scalar::Bool);
    let constant = builder.scalar(Scalar::Bool, u64::from(value));
    builder.value(AkariOp::Const.def(), &[], smallvec![akari_ir::Attr::Const(constant)], ty)
}

/// Takes the operations out of a test and ends them in `if !test [ break ]`.
fn leave_unless(module: &mut Module, test: RegionId) -> Vec<OpId> {
    if let Some(value) = yielded(module, test) {
        module.region_mut(test).ops.pop();
        let ty = module.types.scalar(Scalar::Bool);
        let mut builder = Builder::at_end(module, test);
        let negated = builder.value(AkariOp::Not.def(), &[value], smallvec![], ty);
        let (then, otherwise) = (builder.module.new_region(), builder.module.new_region());
        builder.inside(then, |builder| builder.op(AkariOp::Break.def(), &[], smallvec![], smallvec![], None));
        append_if(&mut builder, negated, then, otherwise);
    }
    std::mem::take(&mut module.region_mut(test).ops)
}

/// Whether a `continue` in the region is one of the loop around it.
fn has_continue(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.iter().any(|op| {
        let op = module.op(*op);
        match AkariOp::of(op) {
            Some(AkariOp::Continue) => true,
            Some(AkariOp::Loop) => false,
            _ => op.regions.iter().any(|region| has_continue(module, *region)),
        }
    })
}
