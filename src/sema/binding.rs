//! Package bindings: resources that a `#shader` declares once for all its functions.

use akari_ir::interface::{BindingSource, ParamRole};
use akari_ir::{Diagnostic, Severity, Span};

use super::attributes::On;
use super::checker::Checker;
use super::errors;
use super::program::{FileInfo, Program, State};
use super::tree::{ExprId, ExprKind};
use super::types::{BindingId, Ty, TyKind};
use crate::syntax::ast::{FileKind, ItemKind};

impl<'a> Program<'a> {
    /// Looks into a package binding.
    pub(super) fn ensure_binding(&mut self, id: BindingId) {
        let info = &mut self.bindings[id.index()];
        if info.state == State::New {
            info.state = State::Done;
            let source = info.source;
            let muted = std::mem::take(&mut self.muted);
            Checker::new(self, source.file, source.item.intact).check_binding(id);
            self.muted = muted;
        }
    }

    /// Whether everything could be read and is sound: else what seems to be missing may be in what is faulty.
    pub(super) fn is_sound(&self) -> bool {
        let unread =
            |file: &FileInfo<'_>| !file.tree.lost.is_empty() || file.tree.items.iter().any(|item| !item.intact);
        !self.files.iter().any(unread)
            && self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }

    /// Bindings that nothing names.
    pub(super) fn check_unnamed_bindings(&mut self) {
        if !self.is_sound() {
            return;
        }
        for index in 0..self.bindings.len() {
            let info = &self.bindings[index];
            if !info.named && !info.source.item.attributes.is_empty() {
                let name = info.source.item.name;
                let message = format!("no function names the binding `{}`", self.text(name.name));
                self.report(Diagnostic::warning(errors::UNNAMED_BINDING, name.span, message));
            }
        }
    }
}

impl<'a> Checker<'_, 'a> {
    fn check_binding(&mut self, id: BindingId) {
        let source = self.program.bindings[id.index()].source;
        let ItemKind::Binding(written) = source.item.kind else {
            return;
        };
        // A `let` that is no binding has been reported as such.
        if source.item.attributes.is_empty() {
            return;
        }
        let name = source.item.name;
        let text = self.program.text(name.name);
        let root = self.program.files[source.file].tree.root;
        if let Some(root) = root
            && root.kind == FileKind::Module
        {
            let message =
                format!("a module cannot declare a binding, and `{}` is one", self.program.text(root.name.name));
            let help = format!("declare `{text}` in the package, and take it here as a parameter");
            self.report(Diagnostic::error(errors::BAD_BINDING, name.span, message).help(help));
        }
        let mut bound = None;
        if let Some((attribute, at)) = self.attributes(source.item.attributes, On::Binding).first()
            && let Some(ParamRole::Resource(found)) = self.parameter_role(attribute, at)
        {
            bound = Some(found);
        }
        let mut ty = match (written.ty, bound) {
            (Some(written), _) => self.resolve_type(written),
            (None, Some(BindingSource::Sampler(state))) => {
                let kind = if state.compare.is_some() { TyKind::SamplerCmp } else { TyKind::Sampler };
                self.program.types.intern(kind)
            }
            (None, Some(BindingSource::Named { .. } | BindingSource::Slot(_))) => {
                if source.item.intact {
                    let message = format!("the binding `{text}` needs a type");
                    self.error(errors::BAD_BINDING, name.span, message);
                }
                Ty::ERROR
            }
            (None, None) => Ty::ERROR,
        };
        let type_span = written.ty.map_or(name.span, |ty| ty.span);
        if let Some(bound) = bound
            && let Some(message) = self.resource_fault(bound, ty)
        {
            self.error(errors::BAD_BINDING, type_span, message);
            ty = Ty::ERROR;
        }
        self.check_buffer_layout(ty, type_span);
        let info = &mut self.program.bindings[id.index()];
        info.ty = ty;
        info.bound = bound.filter(|_| ty != Ty::ERROR);
    }

    /// What is wrong with a resource of type `ty` that is found so.
    pub(super) fn resource_fault(&self, source: BindingSource, ty: Ty) -> Option<String> {
        let kind = self.kind(ty);
        if kind == TyKind::Error {
            return None;
        }
        match source {
            BindingSource::Sampler(state) => {
                let (wanted, name) = if state.compare.is_some() {
                    (TyKind::SamplerCmp, "SamplerCmp")
                } else {
                    (TyKind::Sampler, "Sampler")
                };
                (kind != wanted).then(|| format!("this `@sampler` is a `{name}`, not `{}`", self.show(ty)))
            }
            BindingSource::Named { .. } | BindingSource::Slot(_) => match kind {
                TyKind::Sampler | TyKind::SamplerCmp => {
                    Some(format!("{} is declared with `@sampler(…)`", self.one(ty)))
                }
                kind if kind.is_handle() => None,
                _ if self.holds_resources(ty) => {
                    let ty = self.show(ty);
                    Some(format!(
                        "a binding is one resource, and `{ty}` holds resources: bind each, and write `{ty} {{ … }}` where it is passed"
                    ))
                }
                _ => {
                    let ty = self.show(ty);
                    Some(format!(
                        "a binding is a buffer or a texture, not `{ty}`: write `Uniform<{ty}>` or `Buf<{ty}>`"
                    ))
                }
            },
        }
    }

    /// A package binding by its name.
    pub(super) fn binding_use(&mut self, id: BindingId, span: Span) -> ExprId {
        self.program.ensure_binding(id);
        let info = &mut self.program.bindings[id.index()];
        info.named = true;
        let ty = info.ty;
        if ty == Ty::ERROR {
            return self.poison(span);
        }
        self.add(ExprKind::Binding(id), ty, span)
    }

    /// Reports the bindings among the expressions from the `first` on: a default of a field is part of the struct, not of a
    /// function of the package.
    pub(super) fn forbid_bindings(&mut self, first: usize) {
        let found: Vec<(BindingId, Span)> = self
            .body
            .exprs()
            .iter()
            .skip(first)
            .filter_map(|expr| match expr.kind {
                ExprKind::Binding(id) => Some((id, expr.span)),
                _ => None,
            })
            .collect();
        for (id, span) in found {
            let name = self.program.text(self.program.bindings[id.index()].source.item.name.name);
            let message = format!("the default of a field cannot use the binding `{name}`");
            let help = "a default names constants and functions; give the value in the literal";
            self.report(Diagnostic::error(errors::BAD_LITERAL, span, message).help(help));
        }
    }
}
