//! Closures: functions within a body that see its locals. A closure's parameters and locals are locals of the same body; what it
//! uses of the bodies around it is noted as a capture, in every closure between.

use std::ops::Range;

use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::checker::{Checker, Nesting};
use super::errors;
use super::flow::Flow;
use super::functions::MAX_PARAMETERS;
use super::place::Path;
use super::program::{Def, mode_word};
use super::stmt::Target;
use super::tree::{
    Capture, Closure, ClosureId, ClosureOrigin, ExprId, ExprKind, LocalId, LocalKind, Part, Stmt, StmtKind,
};
use super::types::{Signature, Ty, TyKind};
use crate::syntax::ast::{self, ClosureBody};
use crate::syntax::names::Name;

/// How many levels of nesting a closure counts as: so much has to be kept in mind to check it.
const CLOSURE_LEVELS: u32 = 4;

/// How many closures a function may have, those of defaults at each use.
const MAX_CLOSURES: usize = 65536;

/// A closure under check, with what is known of the body around it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// What it captures, and whether that is written.
    captures: IndexMap<LocalId, bool, FxBuildHasher>,
    result: Ty,
    infers_result: bool,
    flow: Flow,
    nesting: Nesting,
    pub(super) targets: Vec<Target>,
}

/// The closure that a `let` is bound to.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedClosure {
    pub(super) id: ClosureId,
    /// Whether its result type is not written and cannot be seen at a glance, so that it cannot be called by its name.
    pub(super) lacks_result: bool,
}

impl<'a> Checker<'_, 'a> {
    /// Notes the use of a local in the closures between it and here.
    pub(super) fn capture(&mut self, local: LocalId) {
        let info = self.body.local(local);
        if matches!(info.kind, LocalKind::Const(_)) {
            return;
        }
        for frame in self.frames.iter_mut().skip(info.depth as usize) {
            frame.captures.entry(local).or_insert(false);
        }
    }

    /// Whether a local is one of a body around the closure under check.
    pub(super) fn is_captured(&self, local: LocalId) -> bool {
        (self.body.local(local).depth as usize) < self.frames.len()
    }

    /// Notes that (a part of) a local is written here.
    pub(super) fn note_write(&mut self, place: ExprId) {
        if self.frames.is_empty() {
            return;
        }
        if let Some(local) = self.root_of(place) {
            let depth = self.body.local(local).depth as usize;
            for frame in self.frames.iter_mut().skip(depth) {
                frame.captures.insert(local, true);
            }
        }
    }

    /// The local that an expression is (a part of).
    fn root_of(&self, id: ExprId) -> Option<LocalId> {
        match self.body.expr(id).kind {
            ExprKind::Local(local) => Some(local),
            ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) | ExprKind::Bits(base, _) => self.root_of(base),
            ExprKind::Index(base, _) => match self.ty_kind(base) {
                TyKind::Buffer(..) => None,
                _ => self.root_of(base),
            },
            _ => None,
        }
    }

    /// A closure also captures the `const` parameters that lengths of its arrays depend on.
    pub(super) fn capture_lengths(&mut self, ty: Ty) {
        if self.frames.is_empty() || !self.program.is_open(ty) {
            return;
        }
        let mut parameters: SmallVec<[u32; 4]> = SmallVec::new();
        self.program.open_parameters(ty, &mut parameters);
        for parameter in parameters {
            let local = self.body.locals.get(parameter as usize);
            if local.is_some_and(|local| local.kind == LocalKind::ConstParameter) {
                self.capture(LocalId(parameter));
            }
        }
    }

    /// A closure. `expected` is the function type that is wanted, if one is; without one, its parameters say their types.
    pub(super) fn closure(
        &mut self,
        written: &'a ast::Closure<'a>,
        expected: Option<Ty>,
        name: Option<Name>,
        span: Span,
    ) -> (ExprId, Option<NamedClosure>) {
        let expected_ty = expected;
        let expected = expected.and_then(|ty| self.program.types.signature_of(ty).cloned());
        if let Some(expected) = &expected
            && expected.params.len() != written.params.len()
        {
            let count = written.params.len();
            let plural = if count == 1 { "" } else { "s" };
            let message = format!(
                "this closure has {count} parameter{plural}, and a `{}` has {}",
                self.show(expected_ty.unwrap_or(Ty::ERROR)),
                expected.params.len()
            );
            return (self.fail(errors::BAD_CLOSURE, span, message), None);
        }
        let mut signature: Vec<(PassMode, Ty)> = Vec::with_capacity(written.params.len());
        let mut faulty = false;
        for (index, param) in written.params.iter().enumerate() {
            let wanted = expected.as_ref().map(|expected| expected.params[index]);
            let (mode, ty) = self.closure_parameter(param, wanted, expected_ty);
            faulty |= ty == Ty::ERROR;
            signature.push((mode, ty));
        }
        let written_result = written.result.map(|written| self.result_type(written));
        let wanted_result = expected.as_ref().map(|expected| expected.result);
        if let (Some(ty), Some(wanted), Some(written)) = (written_result, wanted_result, written.result)
            && ty != wanted
            && ty != Ty::ERROR
            && wanted != Ty::ERROR
        {
            let message = format!(
                "this closure gives `{}`, and a `{}` is wanted",
                self.show(ty),
                self.show(expected_ty.unwrap_or(Ty::ERROR))
            );
            self.error(errors::TYPE_MISMATCH, written.span, message);
            faulty = true;
        }
        if self.body.closures.len() >= MAX_CLOSURES {
            self.too_much(span);
            return (self.poison(span), None);
        }
        let first = self.body.exprs().len() as u32;
        self.open_frame(written_result.or(wanted_result));
        self.open_scope();
        let mut params = Vec::with_capacity(signature.len());
        for (param, (mode, ty)) in written.params.iter().zip(&signature) {
            let kind = match mode {
                PassMode::Value => LocalKind::Parameter,
                PassMode::Ref => LocalKind::Ref,
                PassMode::Inout => LocalKind::Inout,
            };
            params.push(self.declare(param.name.name, *ty, kind, param.name.span));
        }
        let body = self.deeper(CLOSURE_LEVELS, span, |checker| checker.closure_body(written, span));
        let (stmts, inferred) = body.unwrap_or_default();
        self.close_scope();
        let result = self.result;
        let captures = self.close_frame();
        if params.len() + captures.len() > MAX_PARAMETERS {
            let message = format!(
                "this closure uses {} variables of the function around it: with its parameters they are more than {MAX_PARAMETERS}",
                captures.len()
            );
            faulty = true;
            self.error(errors::TOO_LARGE, span, message);
        }
        let id = ClosureId(self.body.closures.len() as u32);
        self.body.closures.push(Closure {
            name,
            origin: match self.program.expanding.last() {
                Some(Def::Function(id)) => ClosureOrigin::Default(*id),
                _ => ClosureOrigin::Written,
            },
            span,
            params,
            result,
            stmts,
            exprs: first..self.body.exprs().len() as u32,
            captures,
        });
        if faulty || result == Ty::ERROR {
            return (self.poison(span), None);
        }
        let ty =
            expected_ty.unwrap_or_else(|| self.program.types.function(Signature { params: signature.into(), result }));
        let value = self.add(ExprKind::Closure(id), ty, span);
        (value, Some(NamedClosure { id, lacks_result: inferred }))
    }

    /// The statements of a closure, and whether only its `return`s say what it gives.
    fn closure_body(&mut self, written: &'a ast::Closure<'a>, span: Span) -> (Vec<Stmt>, bool) {
        let block = match written.body {
            ClosureBody::Expr(value) => return (self.closure_value(value), false),
            ClosureBody::Block(block) => block,
        };
        let open = self.infers_result;
        let stmts = self.block(block.stmts);
        if self.flow.unreachable.is_none() && self.intact && self.result != Ty::NOTHING && self.result != Ty::ERROR {
            let message = "this closure does not return a value on every path";
            self.missing_return(span, message, block.stmts);
        }
        (stmts, open && self.result != Ty::NOTHING)
    }

    /// The error about a body that may end without giving its result. Its last expression may have been meant as that.
    pub(super) fn missing_return(&mut self, span: Span, message: impl Into<String>, stmts: &[ast::Stmt<'_>]) {
        let mut diagnostic = Diagnostic::error(errors::MISSING_RETURN, span, message);
        if let Some(ast::Stmt { kind: ast::StmtKind::Expr(last), .. }) = stmts.last() {
            let told = |other: &Diagnostic| other.code == errors::NO_EFFECT && other.span == Some(last.span);
            // The last of them is of this check. Others are of earlier ones, and counted by who checks a part of the source again.
            let reports = self.program.muted == 0 && !self.program.gave_up;
            if let Some(index) = self.program.diagnostics.iter().rposition(told).filter(|_| reports) {
                self.program.diagnostics.remove(index);
            }
            diagnostic = diagnostic.note_at(last.span, "this value is not returned").help("write `return` before it");
        }
        self.report(diagnostic);
    }

    fn closure_parameter(
        &mut self,
        param: &'a ast::Param<'a>,
        wanted: Option<(PassMode, Ty)>,
        expected: Option<Ty>,
    ) -> (PassMode, Ty) {
        let text = self.program.text(param.name.name);
        let Some(written) = param.ty else {
            return wanted.unwrap_or_else(|| {
                self.unknown_parameter_type(param.name);
                (PassMode::Value, Ty::ERROR)
            });
        };
        let ty = self.resolve_type(written);
        let mode = self.pass_mode(param.passing, ty);
        if let Some((wanted_mode, wanted)) = wanted
            && ty != Ty::ERROR
            && wanted != Ty::ERROR
            && (wanted_mode, wanted) != (mode, ty)
        {
            let message = format!(
                "the parameter `{text}` is `{}{}`, and that of a `{}` is `{}{}`",
                mode_word(mode),
                self.show(ty),
                self.show(expected.unwrap_or(Ty::ERROR)),
                mode_word(wanted_mode),
                self.show(wanted)
            );
            self.error(errors::TYPE_MISMATCH, written.span, message);
            return (wanted_mode, Ty::ERROR);
        }
        (mode, ty)
    }

    /// The body of a closure that is one expression.
    fn closure_value(&mut self, written: &'a ast::Expr<'a>) -> Vec<Stmt> {
        let span = written.span;
        let kind = if self.infers_result {
            let id = self.any(written, None);
            let id = self.contents(id);
            self.result = self.given_type(id);
            if self.result == Ty::NOTHING { StmtKind::Eval(id) } else { StmtKind::Return(Some(id)) }
        } else if self.result == Ty::NOTHING {
            let id = self.any(written, None);
            let effect = matches!(
                written.kind,
                ast::ExprKind::Call { .. } | ast::ExprKind::MethodCall { .. } | ast::ExprKind::IncDec { .. }
            );
            if !effect && !matches!(self.ty(id), Ty::NOTHING | Ty::ERROR) {
                let message =
                    format!("this closure gives `{}`, and one that gives nothing is wanted", self.show(self.ty(id)));
                self.error(errors::TYPE_MISMATCH, span, message);
            }
            StmtKind::Eval(id)
        } else {
            StmtKind::Return(Some(self.typed(written, self.result)))
        };
        vec![Stmt { span, kind }]
    }

    /// The type of a value that a closure gives, where that says what it gives.
    pub(super) fn given_type(&mut self, id: ExprId) -> Ty {
        let ty = self.ty(id);
        if self.holds_resources(ty) || matches!(self.kind(ty), TyKind::Function(_)) {
            let message = format!("{} cannot be returned", self.one(ty));
            self.error(errors::BAD_TYPE, self.span(id), message);
            return Ty::ERROR;
        }
        ty
    }

    fn open_frame(&mut self, result: Option<Ty>) {
        let mut flow = self.flow.clone();
        flow.unreachable = None;
        let frame = Frame {
            captures: IndexMap::default(),
            result: std::mem::replace(&mut self.result, result.unwrap_or(Ty::NOTHING)),
            infers_result: std::mem::replace(&mut self.infers_result, result.is_none()),
            flow: std::mem::replace(&mut self.flow, flow),
            nesting: std::mem::take(&mut self.nesting),
            targets: std::mem::take(&mut self.targets),
        };
        self.frames.push(frame);
    }

    fn close_frame(&mut self) -> Vec<Capture> {
        let Some(frame) = self.frames.pop() else {
            return Vec::new();
        };
        self.result = frame.result;
        self.infers_result = frame.infers_result;
        self.flow = frame.flow;
        self.nesting = frame.nesting;
        self.targets = frame.targets;
        frame.captures.into_iter().map(|(local, written)| Capture { local, written }).collect()
    }

    /// `name(args)` where `name` is a function value.
    pub(super) fn call_value(&mut self, local: LocalId, args: &'a [ast::Arg<'a>], callee: Span, span: Span) -> ExprId {
        let callee = self.local_use(local, callee);
        let info = *self.body.local(local);
        let text = self.program.text(info.name);
        let Some(signature) = self.program.types.signature_of(info.ty).cloned() else {
            self.check_arguments(args);
            return self.poison(span);
        };
        if let Some(named) = args.iter().find_map(|arg| arg.name) {
            self.check_arguments(args);
            let message = format!("`{text}` is a function value: its parameters have no names");
            return self.fail(errors::BAD_ARGUMENTS, named.span, message);
        }
        let count = signature.params.len();
        if args.len() != count {
            self.check_arguments(args);
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("`{text}` takes {count} argument{plural}, not {}", args.len());
            let diagnostic = Diagnostic::error(errors::BAD_ARGUMENTS, span, message)
                .note_at(info.span, format!("`{text}` is {}", self.one(info.ty)));
            self.report(diagnostic);
            return self.poison(span);
        }
        if self.named_closures.get(&local).is_some_and(|closure| closure.lacks_result) {
            self.check_arguments(args);
            let message = format!("`{text}` is called by its name and has to say what it gives");
            let result = self.show(signature.result);
            let diagnostic = Diagnostic::error(errors::BAD_CLOSURE, span, message)
                .note_at(info.span, format!("`{text}` is defined here"))
                .help(format!("write its result before the block: `-> {result} {{ … }}`"));
            self.report(diagnostic);
            return self.poison(span);
        }
        let mut parts = Vec::with_capacity(count);
        let mut wrong = false;
        for (slot, (arg, (mode, ty))) in args.iter().zip(&signature.params).enumerate() {
            let value = self.value(arg.value, Some(*ty));
            let value = match mode {
                PassMode::Value => self.expect(value, *ty),
                PassMode::Ref | PassMode::Inout => self.borrowed(value, *mode, *ty, text),
            };
            wrong |= self.ty(value) == Ty::ERROR;
            parts.push(Part { slot: slot as u32, value });
        }
        if !wrong {
            let modes: Vec<PassMode> = signature.params.iter().map(|(mode, _)| *mode).collect();
            self.check_overlaps(&modes, &parts, Some(callee));
        }
        self.add(ExprKind::CallValue(callee, parts.into()), signature.result, span)
    }

    /// The parts of variables that a function value sees, and whether it writes any of the variable.
    pub(super) fn captured_parts(&mut self, value: ExprId) -> Vec<(Path, bool)> {
        let mut found = Vec::new();
        let mut pending: Vec<ClosureId> = Vec::new();
        let mut seen: FxHashSet<ClosureId> = FxHashSet::default();
        match self.body.expr(value).kind {
            ExprKind::Closure(id) => pending.push(id),
            ExprKind::Local(local) => {
                pending.extend(self.named_closures.get(&local).map(|closure| closure.id));
            }
            _ => {}
        }
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let closure = &self.body.closures[id.0 as usize];
            let (captures, exprs) = (closure.captures.clone(), closure.exprs.clone());
            let within = captures.iter().filter_map(|capture| self.named_closures.get(&capture.local));
            pending.extend(within.map(|closure| closure.id));
            found.extend(self.parts_used(&captures, exprs));
        }
        found
    }

    /// The parts of captured variables that the expressions with these numbers are.
    fn parts_used(&mut self, captures: &[Capture], exprs: Range<u32>) -> Vec<(Path, bool)> {
        let part_of = |checker: &Self, id: u32| match checker.body.expr(ExprId(id)).kind {
            ExprKind::Field(base, _)
            | ExprKind::Swizzle(base, _)
            | ExprKind::Bits(base, _)
            | ExprKind::Index(base, _) => Some(base),
            _ => None,
        };
        let written: FxHashMap<LocalId, bool> =
            captures.iter().map(|capture| (capture.local, capture.written)).collect();
        let within: FxHashSet<ExprId> = exprs.clone().filter_map(|id| part_of(self, id)).collect();
        let whole = exprs.map(ExprId).filter(|id| !within.contains(id));
        whole
            .filter_map(|id| {
                let written = *written.get(&self.root_of(id)?)?;
                Some((self.path(id)?, written))
            })
            .collect()
    }
}
