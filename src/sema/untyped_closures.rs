//! Closures that a `let` is bound to and whose parameters have no types: each use as an argument says what they are, so the closure is
//! checked anew for each, with the names that its definition sees.

use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::tree::{ExprId, LocalId, LocalKind};
use super::types::Ty;
use crate::syntax::ast;
use crate::syntax::names::Name;

/// Such a closure.
#[derive(Clone, Copy, Debug)]
pub(super) struct UntypedClosure<'a> {
    written: &'a ast::Closure<'a>,
    span: Span,
    /// The first local that it does not see: the `let` that it was first bound to.
    horizon: LocalId,
    /// Whether an argument was made of it, or an error told of it.
    used: bool,
    /// How many diagnostics there were before it.
    diagnostics: usize,
}

impl<'a> Checker<'_, 'a> {
    /// Whether a closure leaves out the type of a parameter.
    pub(super) fn leaves_out_types(closure: &ast::Closure<'a>) -> bool {
        closure.params.iter().any(|param| param.ty.is_none())
    }

    /// `let name = |…| …;` where a parameter has no type.
    pub(super) fn let_untyped_closure(&mut self, name: ast::Ident, written: &'a ast::Closure<'a>, span: Span) {
        let diagnostics = self.program.diagnostics.len();
        let local = self.declare(name.name, Ty::ERROR, LocalKind::Let, name.span);
        let closure = UntypedClosure { written, span, horizon: local, used: false, diagnostics };
        self.untyped_closures.insert(local, closure);
    }

    /// `let name = other;` where `other` is such a closure: whether it is.
    pub(super) fn let_untyped_again(&mut self, name: ast::Ident, init: &ast::Expr<'a>) -> bool {
        let ast::ExprKind::Name(other) = init.kind else { return false };
        let Some(other) = self.untyped_closure(other) else { return false };
        let Some(closure) = self.untyped_closures.get_mut(&other) else { return false };
        closure.used = true;
        let closure = UntypedClosure { used: false, ..*closure };
        let local = self.declare(name.name, Ty::ERROR, LocalKind::Let, name.span);
        self.untyped_closures.insert(local, closure);
        true
    }

    /// The local of this name, if it is such a closure.
    pub(super) fn untyped_closure(&self, name: Name) -> Option<LocalId> {
        self.local(name).filter(|local| self.untyped_closures.contains_key(local))
    }

    /// What is written of the closure that a local is.
    pub(super) fn untyped_closure_text(&self, local: LocalId) -> Option<&'a ast::Closure<'a>> {
        self.untyped_closures.get(&local).map(|closure| closure.written)
    }

    /// The closure as an argument of function type `ty`.
    pub(super) fn untyped_closure_as(&mut self, local: LocalId, ty: Ty, span: Span) -> ExprId {
        let Some(closure) = self.untyped_closures.get_mut(&local) else { return self.poison(span) };
        closure.used = true;
        let closure = *closure;
        if ty == Ty::ERROR {
            return self.poison(span);
        }
        let name = self.body.local(local).name;
        self.hidden.push(closure.horizon.0..self.body.locals.len() as u32);
        let before = self.program.diagnostics.len();
        let value = self.closure(closure.written, Some(ty), Some(name), closure.span).0;
        self.hidden.pop();
        let note = format!("it is a `{}` here", self.show(ty));
        let faults = self.program.diagnostics.split_off(before);
        self.program.diagnostics.extend(faults.into_iter().map(|fault| fault.note_at(span, note.clone())));
        value
    }

    /// That a check of arguments passed over it is no second error.
    pub(super) fn pass_over_untyped(&mut self, written: &ast::Expr<'a>) {
        if let ast::ExprKind::Name(name) = written.kind
            && let Some(local) = self.untyped_closure(name)
            && let Some(closure) = self.untyped_closures.get_mut(&local)
        {
            closure.used = true;
        }
    }

    /// Reports a call by name, which does not say the types.
    pub(super) fn called_untyped(&mut self, local: LocalId, span: Span) -> ExprId {
        if let Some(closure) = self.untyped_closures.get_mut(&local) {
            closure.used = true;
        }
        let info = *self.body.local(local);
        let text = self.program.text(info.name);
        let message = format!("`{text}` is called by its name and has to say the types of its parameters");
        let diagnostic = Diagnostic::error(errors::BAD_CLOSURE, span, message)
            .note_at(info.span, format!("`{text}` is defined here"))
            .help(
                "write them: `|x: float| …`, say; only where it is an argument of function type they may be left out",
            );
        self.report(diagnostic);
        self.poison(span)
    }

    /// Reports a use as a value.
    pub(super) fn untyped_as_value(&mut self, local: LocalId, span: Span) -> ExprId {
        if let Some(closure) = self.untyped_closures.get_mut(&local) {
            closure.used = true;
        }
        let info = *self.body.local(local);
        let text = self.program.text(info.name);
        let message = format!("`{text}` is a closure: it stands only as the argument of a parameter of function type");
        let diagnostic = Diagnostic::error(errors::BAD_CLOSURE, span, message);
        self.report(diagnostic.note_at(info.span, format!("`{text}` is defined here")));
        self.poison(span)
    }

    /// Reports a closure of which nothing ever said the types, as its `let` goes out of scope.
    pub(super) fn forget_untyped(&mut self, local: LocalId) {
        let Some(closure) = self.untyped_closures.remove(&local) else { return };
        let unknown = closure.written.params.iter().find(|param| param.ty.is_none());
        if let Some(param) = unknown.filter(|_| !closure.used && self.program.diagnostics.len() == closure.diagnostics)
        {
            self.unknown_parameter_type(param.name);
        }
    }

    /// Reports that nothing says what a closure's parameter is.
    pub(super) fn unknown_parameter_type(&mut self, name: ast::Ident) {
        let text = self.program.text(name.name);
        let message = format!("the type of the closure's parameter `{text}` cannot be known here");
        let diagnostic =
            Diagnostic::error(errors::BAD_CLOSURE, name.span, message).help(format!("write it: `{text}: float`, say"));
        self.report(diagnostic);
    }
}
