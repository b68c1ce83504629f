//! What conditions that were passed say of the numbers that they compare.

use akari_dialect::ops::yielded;
use akari_dialect::{AkariOp, Predicate};
use akari_ir::{Module, Scalar, ValueId};
use rustc_hash::FxHashMap;

use super::range::{Known, Range};

/// How many conditions deep a condition is taken apart.
const DEPTH: u32 = 16;

/// The ranges of values where a walk through a function is, from the conditions that lead there.
#[derive(Debug, Default)]
pub struct Conditions {
    ranges: FxHashMap<ValueId, Range>,
    /// What was known before, for each thing learnt.
    learnt: Vec<(ValueId, Option<Range>)>,
}

impl Conditions {
    /// The range that conditions give a value.
    #[must_use]
    pub fn of(&self, value: ValueId) -> Option<Range> {
        self.ranges.get(&value).copied()
    }

    /// How much is known, to come back to.
    #[must_use]
    pub fn mark(&self) -> usize {
        self.learnt.len()
    }

    /// Forgets what was learnt since.
    pub fn forget(&mut self, mark: usize) {
        for (value, before) in self.learnt.drain(mark.min(self.learnt.len())..).rev() {
            match before {
                Some(range) => self.ranges.insert(value, range),
                None => self.ranges.remove(&value),
            };
        }
    }

    fn learn(&mut self, value: ValueId, range: Range) {
        let before = self.of(value);
        let range = before.map_or(range, |before| before.intersection(range));
        // Where this is empty, nothing is executed.
        if range.low <= range.high {
            self.learnt.push((value, before));
            self.ranges.insert(value, range);
        }
    }
}

impl Known {
    /// Learns from a condition that holds, or does not, in what follows.
    pub fn assume(&mut self, module: &Module, condition: ValueId, holds: bool) {
        self.assume_within(module, condition, holds, DEPTH);
    }

    fn assume_within(&mut self, module: &Module, condition: ValueId, holds: bool, depth: u32) {
        let (Some(depth), Some(id)) = (depth.checked_sub(1), module.defining_op(condition)) else { return };
        let op = module.op(id);
        match AkariOp::of(op) {
            Some(AkariOp::Compare) => {
                let compared = Predicate::from_index(op.enumerated(0));
                let predicate = if holds { compared } else { compared.negated() };
                self.compared(module, predicate, op.operands[0], op.operands[1]);
            }
            Some(AkariOp::Not) => self.assume_within(module, op.operands[0], !holds, depth),
            Some(AkariOp::Let) => self.assume_within(module, op.operands[0], holds, depth),
            Some(and_or @ (AkariOp::AndThen | AkariOp::OrElse)) if holds == (and_or == AkariOp::AndThen) => {
                self.assume_within(module, op.operands[0], holds, depth);
                if let Some(rhs) = yielded(module, op.regions[0]) {
                    self.assume_within(module, rhs, holds, depth);
                }
            }
            _ => {}
        }
    }

    fn compared(&mut self, module: &Module, predicate: Predicate, lhs: ValueId, rhs: ValueId) {
        let is_scalar = |value| {
            matches!(module.value_kind(value), akari_ir::TypeKind::Scalar(Scalar::I32 | Scalar::U32 | Scalar::U64))
        };
        if !is_scalar(lhs) {
            return;
        }
        let (Some(left), Some(right)) = (Range::of_known(module, lhs, self), Range::of_known(module, rhs, self)) else {
            return;
        };
        let below = |other: Range, by: i128| Range { low: i128::MIN, high: other.high - by };
        let above = |other: Range, by: i128| Range { low: other.low + by, high: i128::MAX };
        let (of_left, of_right) = match predicate {
            Predicate::Lt => (below(right, 1), above(left, 1)),
            Predicate::Le => (below(right, 0), above(left, 0)),
            Predicate::Gt => (above(right, 1), below(left, 1)),
            Predicate::Ge => (above(right, 0), below(left, 0)),
            Predicate::Eq => (right, left),
            Predicate::Ne => return,
        };
        for (value, was, limit) in [(lhs, left, of_left), (rhs, right, of_right)] {
            let narrowed = was.intersection(limit);
            if narrowed != was {
                self.conditions.learn(value, narrowed);
            }
        }
    }
}
