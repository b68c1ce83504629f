//! How many rounds a loop takes at most, where that follows from constants: one variable starts as a constant, is stepped once a round, and
//! is compared in the test. The steps are taken as they would be at run time.

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, LoopTest, fold};
use akari_ir::{ConstId, Module, OpId, RegionId, ValueId};

use super::constants::constant_of;
use super::walk::walk;

/// How many operations deep a test or a step is followed.
const DEPTH: u32 = 8;

/// How many rounds a loop in a region takes at most, if that is known and no more than `most`.
pub fn at_most(module: &mut Module, region: RegionId, id: OpId, most: u64) -> Option<u64> {
    let loop_ = view::Loop(id);
    if module.op(id).enumerated(0) != LoopTest::Before as u16 {
        return None;
    }
    let mut test = module.defining_op(yielded(module, loop_.test(module))?)?;
    // What comes after `&&` may end the loop earlier.
    while let Some(and) = view::AndThen::cast(module, test) {
        test = module.defining_op(and.lhs(module))?;
    }
    let condition = module.op(test).result?;
    let counter = counter(module, condition, DEPTH)?;
    let local = module.defining_op(counter)?;
    if !module.region(region).ops.contains(&local) {
        return None;
    }
    let step = only_write(module, region, loop_.step(module), counter)?;
    let mut current = constant_of(module, *view::Local::cast(module, local)?.init(module).first()?)?;
    for rounds in 0..=most {
        let goes_on = evaluate(module, condition, counter, current, DEPTH)?;
        if module.scalar_bits(goes_on)? == 0 {
            return Some(rounds);
        }
        current = evaluate(module, step, counter, current, DEPTH)?;
    }
    None
}

/// The one variable that an expression loads.
fn counter(module: &Module, value: ValueId, depth: u32) -> Option<ValueId> {
    let depth = depth.checked_sub(1)?;
    let op = module.op(module.defining_op(value)?);
    if AkariOp::of(op) == Some(AkariOp::Load) {
        return Some(op.operands[0]);
    }
    op.operands.iter().find_map(|operand| counter(module, *operand, depth))
}

/// What the step of a loop stores in a variable that nothing else in the region around the loop writes or lends.
fn only_write(module: &Module, region: RegionId, step: RegionId, variable: ValueId) -> Option<ValueId> {
    let mut writes = Vec::new();
    walk(module, region, &mut |id| {
        let op = module.op(id);
        if op.operands.contains(&variable) && AkariOp::of(op) != Some(AkariOp::Load) {
            writes.push(id);
        }
    });
    let [write] = writes[..] else { return None };
    let store = view::Store::cast(module, write)?;
    (module.region(step).ops.contains(&write) && store.place(module) == variable).then(|| store.value(module))
}

/// The value of an expression of constants and the variable.
fn evaluate(module: &mut Module, value: ValueId, variable: ValueId, current: ConstId, depth: u32) -> Option<ConstId> {
    let depth = depth.checked_sub(1)?;
    if let Some(constant) = constant_of(module, value) {
        return Some(constant);
    }
    let op = module.op(module.defining_op(value)?).clone();
    match AkariOp::of(&op)? {
        AkariOp::Load if op.operands[0] == variable => Some(current),
        AkariOp::Let => evaluate(module, op.operands[0], variable, current, depth),
        akari if op.regions.is_empty() && !op.operands.is_empty() => {
            let operands: Option<Vec<ConstId>> =
                op.operands.iter().map(|operand| evaluate(module, *operand, variable, current, depth)).collect();
            let ty = module.value_type(value);
            fold::fold(module, akari, &op.attrs, &operands?, ty).ok()
        }
        _ => None,
    }
}
