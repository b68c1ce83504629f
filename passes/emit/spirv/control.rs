//! Structured control flow, straight from the regions.
//!
//! Each `if`, `switch` and short circuit is a selection construct, each `loop` a loop construct whose continue construct
//! holds the step (and for `do` the test). Where no path comes to a merge block, it ends in `OpUnreachable`.

use akari_dialect::{AkariOp, BranchHint, Builtin, LoopHint, LoopTest};
use akari_dialect_spirv::{Capability, Opcode};
use akari_ir::entity::{RegionId, Type, ValueId};
use akari_ir::op::{Op, Traits};
use akari_ir::types::{Scalar, Space, TypeKind};
use smallvec::SmallVec;

use super::emitter::Emitter;

/// How many operations of a region are worth running for nothing rather than branching around.
const CHEAP: u32 = 8;

/// A place to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Jump {
    label: u32,
    /// Whether a jump there was written.
    used: bool,
}

impl Jump {
    fn to(label: u32) -> Self {
        Self { label, used: false }
    }
}

impl Emitter<'_> {
    /// Begins a block.
    fn block(&mut self, label: u32) {
        self.emit(Opcode::Label, &[label]);
        self.lines.end_block();
        self.f.block = label;
        self.f.open = true;
    }

    /// Ends the current block in a branch, if it is not ended yet; whether it was not.
    fn branch(&mut self, label: u32) -> bool {
        let open = self.f.open;
        if open {
            self.emit(Opcode::Branch, &[label]);
            self.f.open = false;
        }
        open
    }

    /// Begins the block after a construct; one that no path comes to ends at once.
    fn merge(&mut self, label: u32, reached: bool) {
        self.block(label);
        if !reached {
            self.emit(Opcode::Unreachable, &[]);
            self.f.open = false;
        }
    }

    pub(super) fn if_(&mut self, op: &Op) {
        let condition = self.id(op.operands[0]);
        let hint = match BranchHint::from_index(op.enumerated(0)) {
            BranchHint::None => 0,
            BranchHint::Flatten => 1,
            BranchHint::Branch => 2,
        };
        let (then, otherwise) = (op.regions[0], op.regions[1]);
        let merge = self.fresh();
        let then_label = self.fresh();
        let has_else = !self.module.region(otherwise).ops.is_empty();
        let else_label = if has_else { self.fresh() } else { merge };
        self.emit(Opcode::SelectionMerge, &[merge, hint]);
        self.emit(Opcode::BranchConditional, &[condition, then_label, else_label]);
        self.block(then_label);
        self.region(then);
        let mut reached = self.branch(merge) || !has_else;
        if has_else {
            self.block(else_label);
            self.region(otherwise);
            reached |= self.branch(merge);
        }
        self.merge(merge, reached);
    }

    pub(super) fn loop_(&mut self, op: &Op) {
        let hint = match LoopHint::from_index(op.enumerated(1)) {
            LoopHint::None => 0,
            LoopHint::Unroll => 1,
            LoopHint::Loop => 2,
        };
        let (test, body, step) = (op.regions[0], op.regions[1], op.regions[2]);
        let [header, body_label, continue_label, merge] = [(); 4].map(|()| self.fresh());
        self.branch(header);
        self.block(header);
        self.emit(Opcode::LoopMerge, &[merge, continue_label, hint]);
        let mut leaves = false;
        match LoopTest::from_index(op.enumerated(0)) {
            LoopTest::Before => {
                let test_label = self.fresh();
                self.branch(test_label);
                self.block(test_label);
                match self.test(test) {
                    // `for (;;)`: only a `break` or a `return` leaves.
                    None => drop(self.branch(body_label)),
                    Some(condition) => {
                        self.emit(Opcode::BranchConditional, &[condition, body_label, merge]);
                        self.f.open = false;
                        leaves = true;
                    }
                }
                let continues = self.loop_body(body_label, body, continue_label, merge, &mut leaves);
                self.block(continue_label);
                if continues {
                    self.region(step);
                }
                self.branch(header);
            }
            LoopTest::After => {
                self.branch(body_label);
                let continues = self.loop_body(body_label, body, continue_label, merge, &mut leaves);
                self.block(continue_label);
                let condition = if continues {
                    self.region(step);
                    self.test(test)
                } else {
                    None
                };
                match condition {
                    Some(condition) => {
                        self.emit(Opcode::BranchConditional, &[condition, header, merge]);
                        self.f.open = false;
                        leaves = true;
                    }
                    None => drop(self.branch(header)),
                }
            }
        }
        self.merge(merge, leaves);
    }

    /// Writes the body of a loop; whether its continue target is reached.
    fn loop_body(&mut self, label: u32, body: RegionId, continues: u32, breaks: u32, leaves: &mut bool) -> bool {
        self.f.breaks.push(Jump::to(breaks));
        self.f.continues.push(Jump::to(continues));
        self.block(label);
        self.region(body);
        let falls = self.branch(continues);
        *leaves |= self.f.breaks.pop().is_some_and(|jump| jump.used);
        self.f.continues.pop().is_some_and(|jump| jump.used) || falls
    }

    /// Writes the test of a loop and gives its condition; none where it is always true.
    fn test(&mut self, region: RegionId) -> Option<u32> {
        let condition = self.yielding(region)?;
        if self.scalar_of(condition) == Some(1) {
            return None;
        }
        Some(self.id(condition))
    }

    /// Writes a region that ends in a `yield`, and gives what it yields.
    fn yielding(&mut self, region: RegionId) -> Option<ValueId> {
        self.region(region);
        let last = self.module.op(*self.module.region(region).ops.last()?);
        (AkariOp::of(last) == Some(AkariOp::Yield)).then(|| last.operands[0])
    }

    pub(super) fn switch(&mut self, op: &Op) {
        let selector = self.id(op.operands[0]);
        let merge = self.fresh();
        let labels: SmallVec<[u32; 8]> = op.regions.iter().map(|_| self.fresh()).collect();
        let label = |case: i64| usize::try_from(case).ok().and_then(|case| labels.get(case)).copied().unwrap_or(merge);
        let default = op.int(1);
        let mut operands: SmallVec<[u32; 16]> = SmallVec::new();
        operands.extend([selector, label(default)]);
        let wide = self.module.value_kind(op.operands[0]) == TypeKind::Scalar(Scalar::U64);
        for pair in op.ints(0).chunks_exact(2) {
            operands.push(pair[0] as u32);
            if wide {
                operands.push((pair[0] >> 32) as u32);
            }
            operands.push(label(pair[1]));
        }
        self.emit(Opcode::SelectionMerge, &[merge, 0]);
        self.emit(Opcode::Switch, &operands);
        self.f.breaks.push(Jump::to(merge));
        let mut reached = default < 0;
        for (case, label) in op.regions.iter().zip(&labels) {
            self.block(*label);
            self.region(*case);
            reached |= self.branch(merge);
        }
        reached |= self.f.breaks.pop().is_some_and(|jump| jump.used);
        self.merge(merge, reached);
    }

    pub(super) fn break_(&mut self) {
        match self.f.breaks.last_mut() {
            Some(jump) => {
                jump.used = true;
                let label = jump.label;
                self.branch(label);
            }
            None => self.fail("a break outside of loops and switches"),
        }
    }

    pub(super) fn continue_(&mut self) {
        match self.f.continues.last_mut() {
            Some(jump) => {
                jump.used = true;
                let label = jump.label;
                self.branch(label);
            }
            None => self.fail("a continue outside of loops"),
        }
    }

    /// Demotes: what follows runs on as a helper, so that derivatives in the quad stay defined.
    pub(super) fn discard(&mut self) {
        self.sections.capability(Capability::DemoteToHelperInvocation);
        self.sections.extension("SPV_EXT_demote_to_helper_invocation");
        self.emit(Opcode::DemoteToHelperInvocation, &[]);
    }

    pub(super) fn short_circuit(&mut self, kind: AkariOp, op: &Op) -> u32 {
        let lhs = self.id(op.operands[0]);
        let bool_type = self.vector_type(Scalar::Bool, 1);
        let is_and = kind == AkariOp::AndThen;
        if self.is_cheap(op.regions[0]) {
            let rhs = self.yielded_id(op.regions[0]);
            let opcode = if is_and { Opcode::LogicalAnd } else { Opcode::LogicalOr };
            return self.op(opcode, bool_type, &[lhs, rhs]);
        }
        let before = self.f.block;
        let (rhs_label, merge) = (self.fresh(), self.fresh());
        let (on_true, on_false) = if is_and { (rhs_label, merge) } else { (merge, rhs_label) };
        self.emit(Opcode::SelectionMerge, &[merge, 0]);
        self.emit(Opcode::BranchConditional, &[lhs, on_true, on_false]);
        self.block(rhs_label);
        let rhs = self.yielded_id(op.regions[0]);
        let after = self.f.block;
        self.branch(merge);
        self.block(merge);
        let short = self.scalar(Scalar::Bool, u64::from(!is_and));
        self.op(Opcode::Phi, bool_type, &[short, before, rhs, after])
    }

    pub(super) fn cond(&mut self, op: &Op, ty: Type) -> u32 {
        let condition = self.id(op.operands[0]);
        if self.is_cheap(op.regions[0]) && self.is_cheap(op.regions[1]) {
            let then = self.yielded_id(op.regions[0]);
            let otherwise = self.yielded_id(op.regions[1]);
            return self.select(condition, self.module.value_type(op.operands[0]), then, otherwise, ty);
        }
        let [then_label, else_label, merge] = [(); 3].map(|()| self.fresh());
        self.emit(Opcode::SelectionMerge, &[merge, 0]);
        self.emit(Opcode::BranchConditional, &[condition, then_label, else_label]);
        self.block(then_label);
        let then = self.yielded_id(op.regions[0]);
        let then_end = self.f.block;
        self.branch(merge);
        self.block(else_label);
        let otherwise = self.yielded_id(op.regions[1]);
        let else_end = self.f.block;
        self.branch(merge);
        self.block(merge);
        let ty = self.value_type(ty);
        self.op(Opcode::Phi, ty, &[then, then_end, otherwise, else_end])
    }

    fn yielded_id(&mut self, region: RegionId) -> u32 {
        match self.yielding(region) {
            Some(value) => self.id(value),
            None => {
                self.fail("a region without a yield");
                self.uint(0)
            }
        }
    }

    /// Whether running a region whose value is not wanted does no harm and costs next to nothing.
    fn is_cheap(&self, region: RegionId) -> bool {
        let mut budget = CHEAP;
        self.costs_at_most(region, &mut budget)
    }

    fn costs_at_most(&self, region: RegionId, budget: &mut u32) -> bool {
        self.module.region(region).ops.iter().all(|id| {
            let op = self.module.op(*id);
            let harmless = match AkariOp::of(op) {
                Some(AkariOp::Const | AkariOp::GlobalConst | AkariOp::Yield) => return true,
                Some(AkariOp::AndThen | AkariOp::OrElse | AkariOp::Cond) => true,
                // A place of the invocation's own is always there; an element of a buffer need not be.
                Some(AkariOp::Load | AkariOp::Member | AkariOp::Element) => {
                    matches!(self.module.value_kind(op.operands[0]), TypeKind::Place(Space::Function, _))
                }
                // Whole aggregates are not worth it; divisions and the like are several instructions.
                Some(AkariOp::Div | AkariOp::Rem | AkariOp::MatMul | AkariOp::Index | AkariOp::Call) => false,
                Some(AkariOp::Builtin) => matches!(
                    Builtin::from_index(op.enumerated(0)),
                    Builtin::Min | Builtin::Max | Builtin::Abs | Builtin::Any | Builtin::All | Builtin::Dot
                ),
                Some(_) => self.module.traits(*id).has(Traits::PURE) && !self.module.traits(*id).has(Traits::ADDRESS),
                None => false,
            };
            let small = op.result.is_none_or(|result| {
                let kind = self.module.value_kind(result);
                matches!(kind, TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Place(..))
            });
            *budget = budget.saturating_sub(1);
            harmless && small && *budget > 0 && op.regions.iter().all(|region| self.costs_at_most(*region, budget))
        })
    }
}
