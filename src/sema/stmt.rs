//! Statements.

use akari_dialect::{BranchHint, LoopHint};
use akari_ir::{Diagnostic, Scalar, Span};
use rustc_hash::FxHashMap;

use super::attributes::On;
use super::checker::Checker;
use super::constant::integer;
use super::errors;
use super::flow::{Flow, Unreachable};
use super::infix::{Operator, operator};
use super::program::Need;
use super::tree::{ExprId, ExprKind, LocalId, LocalKind, Loop, Stmt, StmtKind};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

/// What a `break` leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// What is known where its `break`s go to.
    breaks: Option<Flow>,
    /// Whether a `continue` goes to it.
    continues: bool,
    is_loop: bool,
}

impl<'a> Checker<'_, 'a> {
    /// The statements of a block, with a scope of their own.
    pub(super) fn block(&mut self, stmts: &'a [ast::Stmt<'a>]) -> Vec<Stmt> {
        self.open_scope();
        let checked = self.statements(stmts);
        self.close_scope();
        checked
    }

    /// Statements in the scope that is open.
    pub(super) fn statements(&mut self, stmts: &'a [ast::Stmt<'a>]) -> Vec<Stmt> {
        let mut checked = Vec::with_capacity(stmts.len());
        for stmt in stmts {
            if self.flow.unreachable == Some(Unreachable::Jump) {
                if self.intact {
                    self.report(Diagnostic::warning(
                        errors::UNREACHABLE,
                        stmt.span,
                        "this statement is unreachable",
                    ));
                }
                self.flow.unreachable = Some(Unreachable::Silent);
            }
            if let Some(kind) = self.statement(stmt) {
                checked.push(Stmt {
                    span: stmt.span,
                    kind,
                });
            }
        }
        checked
    }

    fn statement(&mut self, stmt: &'a ast::Stmt<'a>) -> Option<StmtKind> {
        let span = stmt.span;
        let on = match stmt.kind {
            ast::StmtKind::If(_) => On::Branch,
            ast::StmtKind::For(_) | ast::StmtKind::While(_) | ast::StmtKind::DoWhile(_) => On::Loop,
            ast::StmtKind::Local(_) => On::Variable,
            _ => On::Nothing,
        };
        let attributes = if stmt.attributes.is_empty() {
            Vec::new()
        } else {
            self.attributes(stmt.attributes, on)
        };
        let has = |name: &str| attributes.iter().any(|(candidate, _)| *candidate == name);
        match stmt.kind {
            ast::StmtKind::Local(local) => self.local_statement(local, has("groupshared"), span),
            ast::StmtKind::Ignore(value) => Some(StmtKind::Eval(self.value(value, None))),
            ast::StmtKind::Assign(assign) => self.assign(assign),
            ast::StmtKind::Expr(expr) => self.expression_statement(expr),
            ast::StmtKind::If(written) => {
                let hint = if has("branch") {
                    BranchHint::Branch
                } else if has("flatten") {
                    BranchHint::Flatten
                } else {
                    BranchHint::None
                };
                Some(self.if_statement(written, hint))
            }
            ast::StmtKind::For(written) => {
                let (hint, unroll) = self.loop_hint(&attributes);
                Some(self.for_statement(written, hint, unroll))
            }
            ast::StmtKind::While(written) => {
                let (hint, unroll) = self.loop_hint(&attributes);
                Some(self.while_statement(written, false, hint, unroll))
            }
            ast::StmtKind::DoWhile(written) => {
                let (hint, unroll) = self.loop_hint(&attributes);
                Some(self.while_statement(written, true, hint, unroll))
            }
            ast::StmtKind::Switch(written) => Some(self.switch_statement(written)),
            ast::StmtKind::Return(value) => self.return_statement(value, span),
            ast::StmtKind::Break => self.break_statement(span),
            ast::StmtKind::Continue => self.continue_statement(span),
            ast::StmtKind::Discard => {
                self.note_use("discard", Need::Fragment, span);
                Some(StmtKind::Discard)
            }
            ast::StmtKind::Block(block) => Some(StmtKind::Block(self.block(block.stmts))),
        }
    }

    fn loop_hint(&mut self, attributes: &[(&'a str, &'a ast::Attribute<'a>)]) -> (LoopHint, u32) {
        match attributes.first() {
            Some(("unroll", attribute)) => {
                let mut count = 0;
                if attribute.args.is_some()
                    && let Some(argument) = self.only_argument(attribute, "one number")
                    && let Some(value) =
                        self.small_constant(argument, u32::MAX >> 1, "the argument of `@unroll`")
                {
                    count = value;
                    if value == 0 {
                        self.error(
                            errors::BAD_ATTRIBUTE,
                            attribute.span,
                            "`@unroll` takes a count of at least 1",
                        );
                    }
                }
                (LoopHint::Unroll, count)
            }
            Some(("loop", _)) => (LoopHint::Loop, 0),
            _ => (LoopHint::None, 0),
        }
    }

    fn local_statement(
        &mut self,
        local: ast::Local<'a>,
        groupshared: bool,
        span: Span,
    ) -> Option<StmtKind> {
        let name = local.name;
        let text = self.program.text(name.name);
        let wanted = local.ty.map(|ty| self.resolve_type(ty));
        if groupshared {
            return self.groupshared_statement(local, wanted, span);
        }
        let value = local.init.map(|init| {
            let value = self.value(init, wanted);
            match wanted {
                Some(wanted) => self.expect(value, wanted),
                None => {
                    // A uniform read by name is what it holds.
                    self.contents(value)
                }
            }
        });
        let ty = match (wanted, value) {
            (Some(wanted), _) => wanted,
            (None, Some(value)) => self.ty(value),
            (None, None) => {
                if self.intact {
                    let message = format!("`{text}` needs a type or a value");
                    self.error(errors::INCOMPLETE_DECLARATION, name.span, message);
                }
                Ty::ERROR
            }
        };
        if self.holds_resources(ty) && (local.kind == ast::LocalKind::Var || value.is_none()) {
            let message = format!("a `{}` cannot be kept in a variable", self.show(ty));
            self.error(
                errors::BAD_TYPE,
                local.ty.map_or(name.span, |ty| ty.span),
                message,
            );
        }
        match (local.kind, value) {
            (ast::LocalKind::Var, value) => {
                let id = self.declare(name.name, ty, LocalKind::Var, name.span);
                Some(StmtKind::Var(id, value))
            }
            (ast::LocalKind::Let, Some(value)) => {
                let id = self.declare(name.name, ty, LocalKind::Let, name.span);
                Some(StmtKind::Let(id, value))
            }
            (ast::LocalKind::Const, Some(value)) => {
                let kind = self
                    .evaluate(value)
                    .map_or(LocalKind::Let, LocalKind::Const);
                let id = self.declare(name.name, ty, kind, name.span);
                Some(StmtKind::Let(id, value))
            }
            (ast::LocalKind::Let | ast::LocalKind::Const, None) => {
                let id = self.declare(name.name, ty, LocalKind::DeferredLet, name.span);
                self.flow.defer(id, self.nesting.loops);
                Some(StmtKind::Declare(id))
            }
        }
    }

    fn groupshared_statement(
        &mut self,
        local: ast::Local<'a>,
        wanted: Option<Ty>,
        span: Span,
    ) -> Option<StmtKind> {
        let text = self.program.text(local.name.name);
        self.note_use(
            "@groupshared",
            Need::Capability(akari_dialect::Capability::Threadgroup),
            span,
        );
        if local.kind != ast::LocalKind::Var {
            self.error(
                errors::BAD_ATTRIBUTE,
                local.keyword,
                "a `@groupshared` variable is declared with `var`",
            );
        }
        if let Some(init) = local.init {
            self.value(init, wanted);
            let message =
                format!("the `@groupshared` variable `{text}` cannot have an initial value");
            self.error(errors::BAD_ATTRIBUTE, init.span, message);
        }
        let ty = match wanted {
            Some(ty) if self.holds_resources(ty) => {
                let message = format!("a `{}` cannot be kept in a variable", self.show(ty));
                self.error(errors::BAD_TYPE, local.name.span, message);
                Ty::ERROR
            }
            Some(ty) => ty,
            None => {
                if local.init.is_none() {
                    let message = format!("`{text}` needs a type");
                    self.error(errors::INCOMPLETE_DECLARATION, local.name.span, message);
                }
                Ty::ERROR
            }
        };
        if self.is_laid_out(ty) {
            let ir = self.program.erase(ty);
            let packing = akari_dialect_gpu_abi::layout::Packing::Storage;
            let size = match self.program.layouts.of(&self.program.module, ir, packing) {
                Ok(layout) => layout.size,
                Err(_) => u32::MAX,
            };
            self.groupshared.push((size, local.name.span));
        }
        let id = self.declare(local.name.name, ty, LocalKind::Groupshared, local.name.span);
        Some(StmtKind::Declare(id))
    }

    fn expression_statement(&mut self, expr: &'a ast::Expr<'a>) -> Option<StmtKind> {
        let id = self.any(expr, None);
        let effect = matches!(
            expr.kind,
            ast::ExprKind::Call { .. }
                | ast::ExprKind::MethodCall { .. }
                | ast::ExprKind::IncDec { .. }
        );
        if !effect && self.intact && self.ty(id) != Ty::ERROR {
            let diagnostic =
                Diagnostic::error(errors::NO_EFFECT, expr.span, "this statement has no effect")
                    .help("to discard a value on purpose write `let _ = …;`");
            self.report(diagnostic);
        }
        Some(StmtKind::Eval(id))
    }

    /// The deferred `let` that an assignment gives its value.
    fn deferred_target(&self, target: &ast::Expr<'_>) -> Option<LocalId> {
        let ast::ExprKind::Name(name) = target.kind else {
            return None;
        };
        let local = self.local(name)?;
        (self.body.local(local).kind == LocalKind::DeferredLet).then_some(local)
    }

    fn assign(&mut self, assign: ast::Assign<'a>) -> Option<StmtKind> {
        if let Some(local) = self.deferred_target(assign.target)
            && assign.op.is_none()
        {
            return self.assign_deferred(local, assign);
        }
        let deferred_part = self.deferred_root(assign.target);
        if let Some(local) = deferred_part {
            // Its parts cannot be given one by one; that it has no value yet is no second error.
            self.flow.tell(local);
        }
        let target = self.value(assign.target, None);
        let ty = self.ty(target);
        let assignable = ty != Ty::ERROR && self.check_assignable(target, assign.op.is_some());
        let Some(op) = assign.op else {
            let value = self.value(assign.value, Some(ty));
            if assignable {
                let value = self.expect(value, ty);
                return Some(StmtKind::Assign {
                    target,
                    value,
                    update: false,
                });
            }
            return None;
        };
        let (_, kind) = operator(op);
        let hint = match kind {
            Operator::Shift(_) if self.kind(ty).scalar() == Some(Scalar::I32) => Ty::INT,
            Operator::Shift(_) => Ty::UINT,
            _ => ty,
        };
        let value = self.value(assign.value, Some(hint));
        if !assignable {
            return None;
        }
        let old = self.add(ExprKind::TargetValue, ty, assign.target.span);
        let new = self.binary(op, assign.op_span, old, value);
        let new = match self.coerce(new, ty) {
            Some(new) => new,
            None => {
                let diagnostic = self.mismatch(assign.op_span, ty, self.ty(new));
                self.report(diagnostic);
                return None;
            }
        };
        Some(StmtKind::Assign {
            target,
            value: new,
            update: true,
        })
    }

    /// The deferred `let` without a value that an assignment's target is a part of.
    fn deferred_root(&self, target: &ast::Expr<'_>) -> Option<LocalId> {
        let mut part = target;
        loop {
            match part.kind {
                ast::ExprKind::Name(_) => return self.deferred_target(part),
                ast::ExprKind::Field { base, .. } | ast::ExprKind::Index { base, .. } => {
                    part = base
                }
                _ => return None,
            }
        }
    }

    fn assign_deferred(&mut self, local: LocalId, assign: ast::Assign<'a>) -> Option<StmtKind> {
        let info = *self.body.local(local);
        let value = self.typed(assign.value, info.ty);
        let text = self.program.text(info.name);
        let declared = format!("`{text}` is declared here");
        let again = self.flow.may_be_assigned(local);
        if self.flow.loops_around(local) < self.nesting.loops {
            let message = format!(
                "the `let` `{text}` cannot be assigned in a loop that it is declared outside of"
            );
            let diagnostic = Diagnostic::error(errors::ASSIGNED_TWICE, assign.target.span, message)
                .note_at(info.span, declared)
                .help(format!("declare it with `var`: `var {text}`"));
            self.report(diagnostic);
        } else if again {
            let message = format!("the `let` `{text}` may already have its value here");
            let diagnostic = Diagnostic::error(errors::ASSIGNED_TWICE, assign.target.span, message)
                .note_at(info.span, declared)
                .help(format!("declare it with `var`: `var {text}`"));
            self.report(diagnostic);
        }
        self.flow.assign(local);
        let target = self.add(ExprKind::Local(local), info.ty, assign.target.span);
        Some(StmtKind::Assign {
            target,
            value,
            update: false,
        })
    }

    /// The value of a condition that is constant.
    fn constant_condition(&mut self, condition: ExprId) -> Option<bool> {
        let value = self.evaluate(condition).ok()?;
        self.program.module.scalar_bits(value).map(|bits| bits != 0)
    }

    fn if_statement(&mut self, written: ast::If<'a>, hint: BranchHint) -> StmtKind {
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
        StmtKind::If {
            arms,
            otherwise,
            hint,
        }
    }

    /// Checks the body of a loop and says whether its end, or a `continue`, is reached.
    fn loop_body(&mut self, body: &'a [ast::Stmt<'a>]) -> (Vec<Stmt>, Target) {
        self.nesting.loops += 1;
        self.targets.push(Target {
            is_loop: true,
            ..Target::default()
        });
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
    ) {
        let literal = written.is_none_or(|condition| {
            matches!(
                condition.kind,
                ast::ExprKind::Literal(ast::Literal::Bool(true))
            )
        });
        let endless =
            condition.is_none_or(|condition| self.constant_condition(condition) == Some(true));
        self.flow = before;
        if endless && target.breaks.is_none() {
            let why = if literal {
                Unreachable::Jump
            } else {
                Unreachable::Silent
            };
            self.flow.unreachable.get_or_insert(why);
        }
    }

    fn for_statement(&mut self, written: ast::For<'a>, hint: LoopHint, unroll: u32) -> StmtKind {
        self.open_scope();
        let part = |checker: &mut Self, stmt: Option<&'a ast::Stmt<'a>>| {
            stmt.and_then(|stmt| {
                let kind = checker.statement(stmt)?;
                Some(Stmt {
                    span: stmt.span,
                    kind,
                })
            })
        };
        let init = part(self, written.init);
        // The condition and the step belong to the loop: a `let` from outside is not to be assigned in them.
        self.nesting.loops += 1;
        let condition = written
            .condition
            .map(|condition| self.condition(condition, "the condition"));
        self.nesting.loops -= 1;
        let before = self.flow.clone();
        let (body, target) = self.loop_body(written.body.stmts);
        self.flow.unreachable = before.unreachable;
        self.nesting.loops += 1;
        let step = part(self, written.step);
        self.nesting.loops -= 1;
        self.after_loop(before, condition, written.condition, &target);
        self.close_scope();
        StmtKind::Loop(Box::new(Loop {
            init,
            condition,
            test_after: false,
            step,
            body,
            hint,
            unroll,
        }))
    }

    fn while_statement(
        &mut self,
        written: ast::While<'a>,
        test_after: bool,
        hint: LoopHint,
        unroll: u32,
    ) -> StmtKind {
        let before = self.flow.clone();
        let (condition, body);
        if test_after {
            let (stmts, target) = self.loop_body(written.body.stmts);
            let tested = self.flow.unreachable.is_none() || target.continues;
            let end = self.flow.unreachable;
            self.flow = before.clone();
            condition = Some(self.condition(written.condition, "the condition"));
            self.after_loop(before, condition, Some(written.condition), &target);
            if !tested && target.breaks.is_none() {
                self.flow.unreachable = self.flow.unreachable.or(end);
            }
            body = stmts;
        } else {
            condition = Some(self.condition(written.condition, "the condition"));
            let (stmts, target) = self.loop_body(written.body.stmts);
            self.after_loop(before, condition, Some(written.condition), &target);
            body = stmts;
        }
        StmtKind::Loop(Box::new(Loop {
            init: None,
            condition,
            test_after,
            step: None,
            body,
            hint,
            unroll,
        }))
    }

    fn switch_statement(&mut self, written: ast::Switch<'a>) -> StmtKind {
        let value = self.value(written.value, None);
        let value = self.as_number(value);
        let ty = self.ty(value);
        let ty = match ty {
            Ty::INT | Ty::UINT | Ty::ERROR => ty,
            other => {
                let message = format!(
                    "a `switch` takes `int`, `uint` or an enum, not `{}`",
                    self.show(other)
                );
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
                            let diagnostic = Diagnostic::error(
                                errors::BAD_SWITCH,
                                label.span,
                                "a `switch` has one `default`",
                            )
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
                let ends_well = matches!(
                    case.stmts.last().map(|stmt| stmt.kind),
                    None | Some(ast::StmtKind::Discard)
                );
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
        self.flow = exits
            .into_iter()
            .reduce(Flow::join)
            .unwrap_or_else(|| before.excluded(Unreachable::Jump));
        StmtKind::Switch {
            value,
            cases,
            default: default.map(|(number, _)| number),
        }
    }

    /// The value of a label, which must be new.
    fn label(
        &mut self,
        written: &'a ast::Expr<'a>,
        ty: Ty,
        span: Span,
        seen: &mut FxHashMap<i64, Span>,
    ) -> Option<i64> {
        let id = self.value(written, Some(ty));
        let id = self.as_number(id);
        let id = self.expect(id, ty);
        let value = self.require_constant(id, "a label")?;
        let scalar = match self.ty_kind(id) {
            TyKind::Scalar(scalar) => scalar,
            _ => return None,
        };
        let value = integer(scalar, self.program.module.scalar_bits(value)?);
        if let Some(first) = seen.get(&value) {
            let diagnostic = Diagnostic::error(
                errors::BAD_SWITCH,
                span,
                format!("duplicate label: the value {value}"),
            )
            .note_at(*first, "the other label");
            self.report(diagnostic);
            return None;
        }
        seen.insert(value, span);
        Some(value)
    }

    fn return_statement(
        &mut self,
        value: Option<&'a ast::Expr<'a>>,
        span: Span,
    ) -> Option<StmtKind> {
        let wanted = self.result;
        let value = match value {
            None => {
                if wanted != Ty::NOTHING && wanted != Ty::ERROR {
                    let message = format!("this function returns a `{}`", self.show(wanted));
                    self.error(errors::TYPE_MISMATCH, span, message);
                }
                None
            }
            Some(value) if wanted == Ty::NOTHING => {
                let id = self.value(value, None);
                if self.ty(id) != Ty::ERROR {
                    let diagnostic = Diagnostic::error(
                        errors::TYPE_MISMATCH,
                        value.span,
                        "this function returns nothing",
                    )
                    .help(format!(
                        "declare its result: `-> {}`",
                        self.show(self.ty(id))
                    ));
                    self.report(diagnostic);
                }
                None
            }
            Some(value) => Some(self.typed(value, wanted)),
        };
        self.flow.leave();
        Some(StmtKind::Return(value))
    }

    fn break_statement(&mut self, span: Span) -> Option<StmtKind> {
        let flow = self.flow.clone();
        match self.targets.last_mut() {
            None => {
                self.error(
                    errors::MISPLACED_JUMP,
                    span,
                    "`break` stands outside of a loop or `switch`",
                );
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

    fn continue_statement(&mut self, span: Span) -> Option<StmtKind> {
        match self.targets.iter_mut().rev().find(|target| target.is_loop) {
            None => {
                self.error(
                    errors::MISPLACED_JUMP,
                    span,
                    "`continue` stands outside of a loop",
                );
                self.flow.leave();
                return None;
            }
            Some(target) => target.continues = true,
        }
        self.flow.leave();
        Some(StmtKind::Continue)
    }
}
