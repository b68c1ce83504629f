//! Statements to operations.

use akari_dialect::{AkariOp, BranchHint, LoopTest};
use akari_ir::op::Attr;
use akari_ir::{RegionId, Scalar, ValueId};
use smallvec::SmallVec;

use super::function::{FunctionLowerer, Slot};
use crate::sema::tree::{ExprId, Label, LocalKind, Loop, Stmt, StmtKind, Unroll};

impl FunctionLowerer<'_, '_, '_, '_> {
    /// Statements in order, up to the first that leaves. `tail` says that they end the body of a function with a result.
    pub(super) fn statements(&mut self, stmts: &[Stmt], tail: bool) {
        for (index, stmt) in stmts.iter().enumerate() {
            if self.terminated {
                return;
            }
            self.statement(stmt, tail && index + 1 == stmts.len());
        }
    }

    fn statement(&mut self, stmt: &Stmt, tail: bool) {
        self.loc = Some(stmt.span);
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = self.value(*value);
                if self.kept[local.0 as usize] {
                    let ty = self.ty_of(value);
                    self.loc = Some(stmt.span);
                    self.declare(*local, ty, Some(value));
                    return;
                }
                self.name(value, self.body.local(*local).name);
                self.slots[local.0 as usize] = Some(Slot::Value(value));
            }
            StmtKind::Var(local, value) => {
                let info = *self.body.local(*local);
                let ty = self.erase(info.ty);
                let value = match value {
                    Some(value) => self.value(*value),
                    None => self.zero(ty),
                };
                self.loc = Some(stmt.span);
                self.declare(*local, ty, Some(value));
            }
            StmtKind::Declare(local) => {
                let info = *self.body.local(*local);
                if info.kind == LocalKind::Groupshared {
                    self.declare_shared(*local);
                } else {
                    let ty = self.erase(info.ty);
                    self.declare(*local, ty, None);
                }
            }
            StmtKind::Eval(expr) => {
                self.evaluate(*expr);
            }
            StmtKind::Assign { target, value, update } => {
                let place = self.place(*target);
                self.loc = Some(stmt.span);
                let outer = self.target_value;
                if *update {
                    self.target_value = Some(self.read(place));
                }
                let value = self.value(*value);
                self.target_value = outer;
                self.loc = Some(stmt.span);
                self.write(place, value);
            }
            StmtKind::If { arms, otherwise, hint } => self.if_chain(stmt, arms, otherwise.as_deref(), *hint, tail),
            StmtKind::Loop(written) => self.loop_statement(stmt, written),
            StmtKind::Switch { value, cases, default } => self.switch(stmt, *value, cases, *default, tail),
            StmtKind::Return(value) => {
                let value = value.map(|value| self.value(value));
                self.loc = Some(stmt.span);
                self.jump(AkariOp::Return, value);
            }
            StmtKind::Break => self.jump(AkariOp::Break, None),
            StmtKind::Continue => self.jump(AkariOp::Continue, None),
            StmtKind::Discard => {
                self.emit(AkariOp::Discard, &[], &[], None);
            }
            StmtKind::Block(stmts) => self.statements(stmts, tail),
            StmtKind::Threads(numbers) => {
                let numbers = numbers.map(|number| self.value(number));
                self.loc = Some(stmt.span);
                self.emit(AkariOp::Threads, &numbers, &[], None);
            }
        }
    }

    fn jump(&mut self, op: AkariOp, value: Option<ValueId>) {
        self.emit(op, value.as_slice(), &[], None);
        self.terminated = true;
    }

    fn if_chain(
        &mut self,
        stmt: &Stmt,
        arms: &[(ExprId, Vec<Stmt>)],
        otherwise: Option<&[Stmt]>,
        hint: BranchHint,
        tail: bool,
    ) {
        let Some(((condition, body), rest)) = arms.split_first() else {
            self.statements(otherwise.unwrap_or_default(), tail);
            return;
        };
        let condition = self.value(*condition);
        let (then, left) = self.in_region(|lowerer| lowerer.statements(body, tail));
        // A hint stands before the first `if` of a chain and is about that one.
        // At the end of a function, what follows an arm that returns needs no `else`: the function then ends in a `return`.
        let hoist = tail && left;
        let (other, other_left) = if hoist {
            (self.module().new_region(), false)
        } else {
            self.in_region(|lowerer| lowerer.if_chain(stmt, rest, otherwise, BranchHint::None, tail))
        };
        self.loc = Some(stmt.span);
        self.append(AkariOp::If.def(), &[condition], &[hint.attr()], &[then, other], None);
        if hoist {
            self.if_chain(stmt, rest, otherwise, BranchHint::None, tail);
        } else if left && other_left && !tail {
            self.terminated = true;
        }
    }

    fn loop_statement(&mut self, stmt: &Stmt, written: &Loop) {
        if let Some(init) = &written.init {
            self.statement(init, false);
        }
        let (test, _) = self.in_region(|lowerer| {
            lowerer.loc = Some(stmt.span);
            let condition = match written.condition {
                Some(condition) => lowerer.value(condition),
                None => lowerer.always(),
            };
            lowerer.emit(AkariOp::Yield, &[condition], &[], None);
        });
        let (body, _) = self.in_region(|lowerer| lowerer.statements(&written.body, false));
        let (step, _) = self.in_region(|lowerer| {
            if let Some(step) = &written.step {
                lowerer.statement(step, false);
            }
        });
        let when = if written.test_after { LoopTest::After } else { LoopTest::Before };
        let (times, count) = match written.unroll {
            Unroll::Unsaid => (0, None),
            Unroll::Times(times) => (times, None),
            Unroll::Open(count) => (0, Some(self.value(count))),
        };
        let attrs = [when.attr(), written.hint.attr(), Attr::Int(i64::from(times))];
        self.loc = Some(stmt.span);
        self.append(AkariOp::Loop.def(), count.as_slice(), &attrs, &[test, body, step], None);
    }

    fn switch(
        &mut self,
        stmt: &Stmt,
        value: ExprId,
        cases: &[(Vec<Label>, Vec<Stmt>)],
        default: Option<usize>,
        tail: bool,
    ) {
        let selector = self.value(value);
        let is_open = cases.iter().any(|(labels, _)| labels.iter().any(|label| matches!(label, Label::Open(_))));
        let mut open_labels: SmallVec<[ValueId; 8]> = SmallVec::new();
        open_labels.push(selector);
        // At the end of a function, where each case returns, the default may as well follow the switch: the function then ends
        // in a `return`.
        let after = default.filter(|_| tail);
        let mut labels = Vec::new();
        let mut regions: SmallVec<[RegionId; 2]> = SmallVec::new();
        let mut kept_default = -1;
        let mut all_left = true;
        for (number, (values, body)) in cases.iter().enumerate() {
            if after == Some(number) {
                continue;
            }
            if default == Some(number) {
                kept_default = regions.len() as i64;
            }
            for label in values {
                if is_open {
                    let label = self.label(*label, selector);
                    open_labels.push(label);
                    labels.push(regions.len() as i64);
                } else if let Label::Known(value) = label {
                    labels.extend([*value, regions.len() as i64]);
                }
            }
            let (region, left) = self.in_region(|lowerer| lowerer.statements(body, false));
            all_left &= left;
            self.drop_last_break(region);
            regions.push(region);
        }
        let body = after.map(|number| &cases[number].1);
        if let Some(body) = body.filter(|_| !all_left) {
            // Some case runs on to the end, by way of a condition that only looks as if it could be false.
            kept_default = regions.len() as i64;
            let (region, _) = self.in_region(|lowerer| lowerer.statements(body, false));
            regions.push(region);
        }
        let attrs = [Attr::Ints(labels.into()), Attr::Int(kept_default)];
        self.loc = Some(stmt.span);
        let op = if is_open { AkariOp::OpenSwitch } else { AkariOp::Switch };
        self.append(op.def(), &open_labels, &attrs, &regions, None);
        if let Some(body) = body.filter(|_| all_left) {
            self.statements(body, true);
        }
    }

    /// A label as a value of the selector's type.
    fn label(&mut self, label: Label, selector: ValueId) -> ValueId {
        match label {
            Label::Open(expr) => self.value(expr),
            Label::Known(value) => {
                let ty = self.ty_of(selector);
                let scalar = self.module().kind(ty).scalar().unwrap_or(Scalar::I32);
                let value = self.module().scalar_constant(scalar, u64::from(value as u32));
                self.constant(value)
            }
        }
    }

    /// A case that runs to its end leaves the switch without a `break`.
    fn drop_last_break(&mut self, region: RegionId) {
        let module = self.module();
        if let Some(last) = module.region(region).ops.last().copied()
            && AkariOp::of(module.op(last)) == Some(AkariOp::Break)
        {
            module.region_mut(region).ops.pop();
        }
    }
}
