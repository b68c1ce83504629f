//! Statements of control: `if`, loops, `switch` and jumps, and what gets where.

use akari_dialect::{BranchHint, LoopHint};
use akari_ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use super::checker::Checker;
use super::constant::integer;
use super::errors;
use super::flow::{Flow, Unreachable};
use super::open::Value;
use super::stmt::Target;
use super::tree::{ExprId, Label, Loop, Stmt, StmtKind, Unroll};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

impl<'a> Checker<'_, 'a> {
    /// The value of a condition that is constant.
    fn constant_condition(&mut self, condition: ExprId) -> Option<bool> {
        let value = self.evaluate(condition).ok()?;
        self.program.module.scalar_bits(value).map(|bits| bits != 0)
    }

    pub(super) fn if_statement(&mut self, written: ast::If<'a>, hint: BranchHint) -> StmtKind {
        let mut arms = Vec::with_capacity(written.arms.len());
        let mut after: Option<Flow> = None;
        let join = |after: &mut Option<Flow>, flow: Flow| {
            *after = Some(match after.take() {
                Some(other) => other.join(flow),
                None => flow,
            });
        };
        for arm in written.arms {
            let condition = self.condition(arm.condition, "the condition");
            let known = self.constant_condition(condition);
            let before = self.flow.clone();
            let was_reachable = before.unreachable.is_none();
            let body = self.block(arm.body.stmts);
            let mut end = std::mem::take(&mut self.flow);
            match known {
                Some(true) => {
                    if was_reachable && end.unreachable.is_some() {
                        end.unreachable = Some(Unreachable::Silent);
                    }
                    join(&mut after, end);
                    self.flow = before.excluded(Unreachable::Silent);
                }
                Some(false) => {
                    join(&mut after, end.excluded(Unreachable::Silent));
                    self.flow = before;
                }
                None => {
                    join(&mut after, end);
                    self.flow = before;
                }
            }
            arms.push((condition, body));
        }
        let otherwise = written.otherwise.map(|block| self.block(block.stmts));
        let end = std::mem::take(&mut self.flow);
        join(&mut after, end);
        self.flow = after.unwrap_or_default();
        StmtKind::If { arms, otherwise, hint }
    }

    /// Checks the body of a loop and says whether its end, or a `continue`, is reached.
    fn loop_body(&mut self, body: &'a [ast::Stmt<'a>]) -> (Vec<Stmt>, Target) {
        self.nesting.loops += 1;
        self.targets.push(Target { is_loop: true, ..Target::default() });
        let stmts = self.block(body);
        let target = self.targets.pop().unwrap_or_default();
        self.nesting.loops -= 1;
        (stmts, target)
    }

    /// Where a loop leaves off that started with `before`: not at all, where its condition is always true and it has no `break`.
    fn after_loop(
        &mut self,
        before: Flow,
        condition: Option<ExprId>,
        written: Option<&ast::Expr<'_>>,
        target: &Target,
        span: Span,
    ) {
        let literal =
            written.is_none_or(|condition| matches!(condition.kind, ast::ExprKind::Literal(ast::Literal::Bool(true))));
        let endless = condition.is_none_or(|condition| self.constant_condition(condition) == Some(true));
        self.flow = before;
        if endless && target.breaks.is_none() {
            let why = if literal { Unreachable::Jump } else { Unreachable::Silent };
            if !target.returns && self.intact {
                let diagnostic = Diagnostic::error(errors::ENDLESS_LOOP, span, "this loop never ends")
                    .help("leave it by `break` or `return`");
                self.report(diagnostic);
            }
            self.flow.unreachable.get_or_insert(why);
        }
    }

    pub(super) fn for_statement(
        &mut self,
        written: ast::For<'a>,
        hint: LoopHint,
        unroll: Unroll,
        span: Span,
    ) -> StmtKind {
        self.open_scope();
        let part = |checker: &mut Self, stmt: Option<&'a ast::Stmt<'a>>| {
            stmt.and_then(|stmt| {
                let kind = checker.statement(stmt)?;
                Some(Stmt { span: stmt.span, kind })
            })
        };
        let init = part(self, written.init);
        // The condition and the step belong to the loop: a `let` from outside is not to be assigned in them.
        self.nesting.loops += 1;
        let condition = written.condition.map(|condition| self.condition(condition, "the condition"));
        self.nesting.loops -= 1;
        let before = self.flow.clone();
        let (body, target) = self.loop_body(written.body.stmts);
        self.flow.unreachable = before.unreachable;
        self.nesting.loops += 1;
        let step = part(self, written.step);
        self.nesting.loops -= 1;
        self.after_loop(before, condition, written.condition, &target, span);
        self.close_scope();
        StmtKind::Loop(Box::new(Loop { init, condition, test_after: false, step, body, hint, unroll }))
    }

    pub(super) fn while_statement(
        &mut self,
        written: ast::While<'a>,
        test_after: bool,
        hint: LoopHint,
        unroll: Unroll,
        span: Span,
    ) -> StmtKind {
        let before = self.flow.clone();
        let (condition, body);
        if test_after {
            let (stmts, target) = self.loop_body(written.body.stmts);
            let tested = self.flow.unreachable.is_none() || target.continues;
            let end = self.flow.unreachable;
            self.flow = before.clone();
            condition = Some(self.condition(written.condition, "the condition"));
            self.after_loop(before, condition, Some(written.condition), &target, span);
            if !tested && target.breaks.is_none() {
                self.flow.unreachable = self.flow.unreachable.or(end);
            }
            body = stmts;
        } else {
            condition = Some(self.condition(written.condition, "the condition"));
            let (stmts, target) = self.loop_body(written.body.stmts);
            self.after_loop(before, condition, Some(written.condition), &target, span);
            body = stmts;
        }
        StmtKind::Loop(Box::new(Loop { init: None, condition, test_after, step: None, body, hint, unroll }))
    }

    pub(super) fn switch_statement(&mut self, written: ast::Switch<'a>) -> StmtKind {
        let value = self.value(written.value, None);
        let value = self.as_number(value);
        let ty = self.ty(value);
        let ty = match ty {
            Ty::INT | Ty::UINT | Ty::ERROR => ty,
            other => {
                let message = format!("a `switch` takes `int`, `uint` or an enum, not `{}`", self.show(other));
                self.error(errors::BAD_SWITCH, written.value.span, message);
                Ty::ERROR
            }
        };
        let before = self.flow.clone();
        self.targets.push(Target::default());
        let mut seen: FxHashMap<i64, Span> = FxHashMap::default();
        let mut default: Option<(usize, Span)> = None;
        let mut cases = Vec::with_capacity(written.cases.len());
        let mut exits: Vec<Flow> = Vec::new();
        for (number, case) in written.cases.iter().enumerate() {
            let mut labels = Vec::with_capacity(case.labels.len());
            for label in case.labels {
                match label.value {
                    Some(value) => {
                        if let Some(value) = self.label(value, ty, label.span, &mut seen) {
                            labels.push(value);
                        }
                    }
                    None => {
                        if let Some((_, first)) = default {
                            let diagnostic =
                                Diagnostic::error(errors::BAD_SWITCH, label.span, "a `switch` has one `default`")
                                    .note_at(first, "the other `default`");
                            self.report(diagnostic);
                        } else {
                            default = Some((number, label.span));
                        }
                    }
                }
            }
            self.flow = before.clone();
            let body = self.block(case.stmts);
            let end = std::mem::take(&mut self.flow);
            if end.unreachable.is_none() {
                let ends_well = matches!(case.stmts.last().map(|stmt| stmt.kind), None | Some(ast::StmtKind::Discard));
                if !ends_well && self.intact {
                    let at = case.labels.last().map_or(case.span, |label| label.span);
                    let message = "this case falls through: it must end in `break`, `return`, `continue` or `discard`";
                    self.error(errors::BAD_SWITCH, at, message);
                }
                exits.push(end);
            }
            cases.push((labels, body));
        }
        let target = self.targets.pop().unwrap_or_default();
        exits.extend(target.breaks);
        if default.is_none() {
            exits.push(before.clone());
        }
        self.flow = exits.into_iter().reduce(Flow::join).unwrap_or_else(|| before.excluded(Unreachable::Jump));
        StmtKind::Switch { value, cases, default: default.map(|(number, _)| number) }
    }

    /// The value of a label, which must be new.
    fn label(
        &mut self,
        written: &'a ast::Expr<'a>,
        ty: Ty,
        span: Span,
        seen: &mut FxHashMap<i64, Span>,
    ) -> Option<Label> {
        let id = self.value(written, Some(ty));
        let id = self.as_number(id);
        let id = self.expect(id, ty);
        let value = match self.require_value(id, "a label")? {
            Value::Known(value) => value,
            Value::Open(_) => return Some(Label::Open(id)),
        };
        let scalar = match self.ty_kind(id) {
            TyKind::Scalar(scalar) => scalar,
            _ => return None,
        };
        let value = integer(scalar, self.program.module.scalar_bits(value)?);
        if let Some(first) = seen.get(&value) {
            let diagnostic = Diagnostic::error(errors::BAD_SWITCH, span, format!("duplicate label: the value {value}"))
                .note_at(*first, "the other label");
            self.report(diagnostic);
            return None;
        }
        seen.insert(value, span);
        Some(Label::Known(value))
    }

    pub(super) fn return_statement(&mut self, value: Option<&'a ast::Expr<'a>>, span: Span) -> Option<StmtKind> {
        let inferred = match value {
            Some(value) if self.infers_result => {
                let id = self.held(value, None);
                self.result = self.given_type(id);
                Some(id)
            }
            _ => None,
        };
        self.infers_result = false;
        let wanted = self.result;
        let value = match value {
            _ if inferred.is_some() => inferred,
            None => {
                if wanted != Ty::NOTHING && wanted != Ty::ERROR {
                    let what = if self.frames.is_empty() { "function" } else { "closure" };
                    let message = format!("this {what} returns {}", self.one(wanted));
                    self.error(errors::TYPE_MISMATCH, span, message);
                }
                None
            }
            Some(value) if wanted == Ty::NOTHING => {
                let id = self.value(value, None);
                if self.ty(id) != Ty::ERROR {
                    let in_closure = !self.frames.is_empty();
                    let what = if in_closure { "closure" } else { "function" };
                    let message = format!("this {what} returns nothing");
                    let mut diagnostic = Diagnostic::error(errors::TYPE_MISMATCH, value.span, message);
                    if !in_closure {
                        let result = self.show(self.ty(id));
                        diagnostic = diagnostic.help(format!("declare its result: `-> {result}`"));
                    }
                    self.report(diagnostic);
                }
                None
            }
            Some(value) => Some(self.typed(value, wanted)),
        };
        for target in &mut self.targets {
            target.returns = true;
        }
        self.flow.leave();
        Some(StmtKind::Return(value))
    }

    fn misplaced_jump(&mut self, span: Span, message: &str) {
        if !self.intact {
            // The loop around it may be what could not be read.
            return;
        }
        let mut diagnostic = Diagnostic::error(errors::MISPLACED_JUMP, span, message);
        if self.frames.iter().any(|frame| !frame.targets.is_empty()) {
            diagnostic = diagnostic.help("a closure is a function of its own: leave it by `return`");
        }
        self.report(diagnostic);
    }

    pub(super) fn break_statement(&mut self, span: Span) -> Option<StmtKind> {
        let flow = self.flow.clone();
        match self.targets.last_mut() {
            None => {
                self.misplaced_jump(span, "`break` stands outside of a loop or `switch`");
                self.flow.leave();
                return None;
            }
            Some(target) => {
                if flow.unreachable.is_none() || target.breaks.is_none() {
                    target.breaks = Some(match target.breaks.take() {
                        Some(other) => other.join(flow),
                        None => flow,
                    });
                }
            }
        }
        self.flow.leave();
        Some(StmtKind::Break)
    }

    pub(super) fn continue_statement(&mut self, span: Span) -> Option<StmtKind> {
        match self.targets.iter_mut().rev().find(|target| target.is_loop) {
            None => {
                self.misplaced_jump(span, "`continue` stands outside of a loop");
                self.flow.leave();
                return None;
            }
            Some(target) => target.continues = true,
        }
        self.flow.leave();
        Some(StmtKind::Continue)
    }
}
