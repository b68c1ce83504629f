//! Between which numbers the counters of loops lie within their bodies.

use akari_dialect::ops::view;
use akari_dialect::{AkariOp, LoopTest, Predicate};
use akari_ir::{Module, OpId, RegionId, Scalar, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use super::range::Range;
use super::uses::walk;

/// The ranges of loads of loop counters, by the load.
#[derive(Clone, Debug, Default)]
pub struct LoopRanges {
    loads: FxHashMap<OpId, Range>,
}

impl LoopRanges {
    /// Looks at all loops of a module that test before they run and compare a variable that only their step writes.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut found = Self::default();
        for (_, function) in module.functions.iter() {
            let mut loops = Vec::new();
            walk(module, function.body, &mut |op| loops.extend(view::Loop::cast(module, op)));
            for loop_ in loops {
                if let Some((counter, range)) = counter(module, function.body, loop_) {
                    walk(module, loop_.body(module), &mut |op| {
                        if view::Load::cast(module, op).is_some_and(|load| load.place(module) == counter) {
                            found.loads.insert(op, range);
                        }
                    });
                }
            }
        }
        found
    }

    /// The range of what a load gives, where it is a counter's.
    #[must_use]
    pub fn of_load(&self, load: OpId) -> Option<Range> {
        self.loads.get(&load).copied()
    }
}

/// The counter of a loop and its range in the body.
fn counter(module: &Module, function: RegionId, loop_: view::Loop) -> Option<(ValueId, Range)> {
    if module.op(loop_.0).enumerated(0) != LoopTest::Before as u16 {
        return None;
    }
    let compare = first_comparison(module, loop_)?;
    let loaded = |value: ValueId| Some(view::Load::cast(module, module.defining_op(value)?)?.place(module));
    let (lhs, rhs) = (compare.lhs(module), compare.rhs(module));
    let (counter, bound, inclusive) = match Predicate::from_index(module.op(compare.0).enumerated(0)) {
        Predicate::Lt => (loaded(lhs)?, rhs, false),
        Predicate::Le => (loaded(lhs)?, rhs, true),
        Predicate::Gt => (loaded(rhs)?, lhs, false),
        Predicate::Ge => (loaded(rhs)?, lhs, true),
        Predicate::Eq | Predicate::Ne => return None,
    };
    let local = view::Local::cast(module, module.defining_op(counter)?)?;
    if writes(module, loop_.body(module), counter) || writes(module, loop_.test(module), counter) {
        return None;
    }
    let (_, of) = module.types.as_place(module.value_type(counter))?;
    let TypeKind::Scalar(scalar) = module.kind(of) else { return None };
    let bound = Range::of(module, bound)?;
    let high = if inclusive { bound.high } else { bound.high - 1 };
    let low = match scalar {
        Scalar::U32 | Scalar::U64 => 0,
        Scalar::I32 => lowest(module, function, loop_, local, counter)?,
        Scalar::Bool | Scalar::F16 | Scalar::F32 => return None,
    };
    (high >= low).then_some((counter, Range { low, high }))
}

/// The comparison that a loop's test asks first.
fn first_comparison(module: &Module, loop_: view::Loop) -> Option<view::Compare> {
    let last = *module.region(loop_.test(module)).ops.last()?;
    let mut condition = module.defining_op(view::Yield::cast(module, last)?.value(module))?;
    while let Some(and) = view::AndThen::cast(module, condition) {
        condition = module.defining_op(and.lhs(module))?;
    }
    view::Compare::cast(module, condition)
}

/// The number that a signed counter starts with, if nothing but the loop's step writes it, and that adds to it.
fn lowest(module: &Module, function: RegionId, loop_: view::Loop, local: view::Local, counter: ValueId) -> Option<i128> {
    let start = Range::of(module, *local.init(module).first()?)?.low;
    let mut steps = Vec::new();
    walk(module, loop_.step(module), &mut |op| steps.push(op));
    let mut only_steps = true;
    walk(module, function, &mut |id| {
        let op = module.op(id);
        let written = op.operands.contains(&counter) && AkariOp::of(op) != Some(AkariOp::Load);
        only_steps &= !written || (steps.contains(&id) && adds(module, id, counter));
    });
    only_steps.then_some(start)
}

/// Whether an operation stores the counter with something added that is not negative.
fn adds(module: &Module, op: OpId, counter: ValueId) -> bool {
    let added = || {
        let store = view::Store::cast(module, op)?;
        let add = view::Add::cast(module, module.defining_op(store.value(module))?)?;
        let load = view::Load::cast(module, module.defining_op(add.lhs(module))?)?;
        (load.place(module) == counter).then(|| Range::of(module, add.rhs(module)))?
    };
    added().is_some_and(|range| range.low >= 0)
}

/// Whether anything in a region may write a variable: any use of its place but loading it.
#[must_use]
pub fn writes(module: &Module, region: RegionId, variable: ValueId) -> bool {
    let mut found = false;
    walk(module, region, &mut |op| {
        let op = module.op(op);
        found |= op.operands.contains(&variable) && AkariOp::of(op) != Some(AkariOp::Load);
    });
    found
}
