//! Statements.

use akari_dialect::{BranchHint, LoopHint};
use akari_ir::{Diagnostic, Scalar, Span};

use super::attributes::On;
use super::checker::Checker;
use super::errors;
use super::flow::{Flow, Unreachable};
use super::infix::{Operator, operator};
use super::open::Value;
use super::tree::{ExprKind, LocalId, LocalKind, Stmt, StmtKind, Unroll};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

/// What a `break` leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// What is known where its `break`s go to.
    pub(super) breaks: Option<Flow>,
    /// Whether a `return` leaves the function from inside of it.
    pub(super) returns: bool,
    /// Whether a `continue` goes to it.
    pub(super) continues: bool,
    pub(super) is_loop: bool,
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
                    self.report(Diagnostic::warning(errors::UNREACHABLE, stmt.span, "this statement is unreachable"));
                }
                self.flow.unreachable = Some(Unreachable::Silent);
            }
            let kind = self.deeper(1, stmt.span, |checker| checker.statement(stmt));
            if let Some(kind) = kind.flatten() {
                checked.push(Stmt { span: stmt.span, kind });
            }
        }
        checked
    }

    pub(super) fn statement(&mut self, stmt: &'a ast::Stmt<'a>) -> Option<StmtKind> {
        let span = stmt.span;
        let on = match stmt.kind {
            ast::StmtKind::If(_) => On::Branch,
            ast::StmtKind::For(_) | ast::StmtKind::While(_) | ast::StmtKind::DoWhile(_) => On::Loop,
            ast::StmtKind::Local(_) => On::Variable,
            _ => On::Statement,
        };
        let attributes = if stmt.attributes.is_empty() { Vec::new() } else { self.attributes(stmt.attributes, on) };
        let has = |name: &str| attributes.iter().any(|(candidate, _)| *candidate == name);
        match stmt.kind {
            ast::StmtKind::Local(local) => self.local_statement(local, has("groupshared")),
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
                Some(self.for_statement(written, hint, unroll, span))
            }
            ast::StmtKind::While(written) => {
                let (hint, unroll) = self.loop_hint(&attributes);
                Some(self.while_statement(written, false, hint, unroll, span))
            }
            ast::StmtKind::DoWhile(written) => {
                let (hint, unroll) = self.loop_hint(&attributes);
                Some(self.while_statement(written, true, hint, unroll, span))
            }
            ast::StmtKind::Switch(written) => Some(self.switch_statement(written)),
            ast::StmtKind::Return(value) => self.return_statement(value, span),
            ast::StmtKind::Break => self.break_statement(span),
            ast::StmtKind::Continue => self.continue_statement(span),
            ast::StmtKind::Discard => Some(StmtKind::Discard),
            ast::StmtKind::Block(block) => Some(StmtKind::Block(self.block(block.stmts))),
        }
    }

    fn loop_hint(&mut self, attributes: &[(&'a str, &'a ast::Attribute<'a>)]) -> (LoopHint, Unroll) {
        match attributes.first() {
            Some(("unroll", attribute)) => {
                let count = match attribute.args {
                    None => None,
                    Some(_) => {
                        self.only_argument(attribute, "one number").and_then(|argument| self.unroll_count(argument))
                    }
                };
                (LoopHint::Unroll, count.unwrap_or_default())
            }
            Some(("loop", _)) => (LoopHint::Loop, Unroll::Unsaid),
            _ => (LoopHint::None, Unroll::Unsaid),
        }
    }

    /// The argument of `@unroll(N)`.
    fn unroll_count(&mut self, written: &'a ast::Expr<'a>) -> Option<Unroll> {
        const LIMIT: u32 = u32::MAX >> 1;
        let what = "the argument of `@unroll`";
        let (id, _) = self.open_integer(written, None, what)?;
        let Some(value) = self.integer_value(id) else {
            return Some(Unroll::Open(id));
        };
        match u32::try_from(value) {
            Ok(value) if (1..=LIMIT).contains(&value) => Some(Unroll::Times(value)),
            _ => {
                let message = format!("{what} must be an integer from 1 to {LIMIT}");
                self.error(errors::BAD_ATTRIBUTE, written.span, message);
                None
            }
        }
    }

    fn local_statement(&mut self, local: ast::Local<'a>, groupshared: bool) -> Option<StmtKind> {
        let name = local.name;
        let text = self.program.text(name.name);
        if let (ast::LocalKind::Let, Some(init), None, false) = (local.kind, local.init, local.ty, groupshared)
            && let ast::ExprKind::Closure(closure) = init.kind
        {
            return self.let_closure(name, closure, init.span);
        }
        if let (ast::LocalKind::Let, Some(init), None, false) = (local.kind, local.init, local.ty, groupshared)
            && self.let_untyped_again(name, init)
        {
            return None;
        }
        if let (Some(init), None) = (local.init, local.ty)
            && let ast::ExprKind::Closure(_) = init.kind
            && !groupshared
        {
            let message = "a closure cannot be kept in a variable";
            let diagnostic = Diagnostic::error(errors::BAD_CLOSURE, init.span, message)
                .help(format!("bind it with `let`: `let {text} = …`"));
            self.report(diagnostic);
            self.declare(name.name, Ty::ERROR, LocalKind::Let, name.span);
            return None;
        }
        let wanted = local.ty.map(|ty| self.resolve_type(ty));
        if groupshared {
            return self.groupshared_statement(local, wanted);
        }
        let value = local.init.map(|init| {
            if wanted == Some(Ty::ERROR) && self.waits_for_parameter(init) {
                return self.poison(init.span);
            }
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
            let message = format!("{} cannot be kept in a variable", self.one(ty));
            let at = local.ty.map_or(name.span, |ty| ty.span);
            self.resource_error(errors::BAD_TYPE, at, message, "bind it with a `let` that has its value");
        }
        if local.kind != ast::LocalKind::Let && matches!(self.kind(ty), TyKind::Function(_)) {
            let message = "a function cannot be kept in a variable";
            self.error(errors::BAD_TYPE, name.span, message);
        }
        if !self.holds_resources(ty) && self.is_laid_out(ty) {
            let ir = self.program.erase(ty);
            let packing = akari_dialect_gpu_abi::layout::Packing::Storage;
            if let Err(error) = self.program.layouts.of(&self.program.module, ir, packing) {
                let message = super::program::Program::layout_error(error);
                self.error(errors::LAYOUT, local.ty.map_or(name.span, |ty| ty.span), message);
            }
        }
        match (local.kind, value) {
            (ast::LocalKind::Var, value) => {
                let id = self.declare(name.name, ty, LocalKind::Var, name.span);
                Some(StmtKind::Var(id, value))
            }
            (ast::LocalKind::Let, Some(value)) => {
                let id = self.declare(name.name, ty, LocalKind::Let, name.span);
                if let ExprKind::Local(other) = self.body.expr(value).kind
                    && let Some(closure) = self.named_closures.get(&other).copied()
                {
                    self.named_closures.insert(id, closure);
                }
                Some(StmtKind::Let(id, value))
            }
            (ast::LocalKind::Const, Some(value)) => {
                let kind = match self.constant_value(value) {
                    Ok(Value::Known(value)) => LocalKind::Const(value),
                    Ok(Value::Open(value)) => LocalKind::OpenConst(value),
                    Err(_) => LocalKind::Let,
                };
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

    /// `let name = |…| …;`
    fn let_closure(&mut self, name: ast::Ident, closure: &'a ast::Closure<'a>, span: Span) -> Option<StmtKind> {
        if Self::leaves_out_types(closure) {
            self.let_untyped_closure(name, closure, span);
            return None;
        }
        let (value, named) = self.closure(closure, None, Some(name.name), span);
        let id = self.declare(name.name, self.ty(value), LocalKind::Let, name.span);
        if let Some(named) = named {
            self.named_closures.insert(id, named);
        }
        Some(StmtKind::Let(id, value))
    }

    fn groupshared_statement(&mut self, local: ast::Local<'a>, wanted: Option<Ty>) -> Option<StmtKind> {
        let text = self.program.text(local.name.name);
        if local.kind != ast::LocalKind::Var {
            self.error(errors::BAD_ATTRIBUTE, local.keyword, "a `@groupshared` variable is declared with `var`");
        }
        if let Some(init) = local.init {
            self.value(init, wanted);
            let message = format!("the `@groupshared` variable `{text}` cannot have an initial value");
            self.error(errors::BAD_ATTRIBUTE, init.span, message);
        }
        let ty = match wanted {
            Some(ty) if self.holds_resources(ty) => {
                let message = format!("{} cannot be kept in a variable", self.one(ty));
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
        if matches!(self.kind(ty), TyKind::Function(_)) {
            let message = "a function cannot be kept in a variable";
            self.error(errors::BAD_TYPE, local.name.span, message);
        }
        let id = self.declare(local.name.name, ty, LocalKind::Groupshared, local.name.span);
        Some(StmtKind::Declare(id))
    }

    fn expression_statement(&mut self, expr: &'a ast::Expr<'a>) -> Option<StmtKind> {
        let id = self.any(expr, None);
        let effect = matches!(
            expr.kind,
            ast::ExprKind::Call { .. } | ast::ExprKind::MethodCall { .. } | ast::ExprKind::IncDec { .. }
        );
        if !effect && self.intact && self.ty(id) != Ty::ERROR {
            let diagnostic = Diagnostic::error(errors::NO_EFFECT, expr.span, "this statement has no effect")
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
        if !assignable && self.waits_for_parameter(assign.value) {
            return None;
        }
        let Some(op) = assign.op else {
            let value = self.value(assign.value, Some(ty));
            if assignable {
                let value = self.expect(value, ty);
                return Some(StmtKind::Assign { target, value, update: false });
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
                let diagnostic = self.mismatch(assign.op_span, ty, new);
                self.report(diagnostic);
                return None;
            }
        };
        Some(StmtKind::Assign { target, value: new, update: true })
    }

    /// The deferred `let` without a value that an assignment's target is a part of.
    fn deferred_root(&self, target: &ast::Expr<'_>) -> Option<LocalId> {
        let mut part = target;
        loop {
            match part.kind {
                ast::ExprKind::Name(_) => return self.deferred_target(part),
                ast::ExprKind::Field { base, .. } | ast::ExprKind::Index { base, .. } => part = base,
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
        if self.is_captured(local) {
            let message = format!("the `let` `{text}` cannot be assigned in a closure");
            let diagnostic = Diagnostic::error(errors::NOT_ASSIGNABLE, assign.target.span, message)
                .note_at(info.span, declared)
                .help(format!("declare it with `var`: `var {text}`"));
            self.report(diagnostic);
            return None;
        }
        if self.flow.loops_around(local) < self.nesting.loops {
            let message = format!("the `let` `{text}` cannot be assigned in a loop that it is declared outside of");
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
        Some(StmtKind::Assign { target, value, update: false })
    }
}
