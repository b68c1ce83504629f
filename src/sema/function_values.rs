//! Functions as values: the name of a function, an instance or a builtin where a function type is wanted.

use akari_dialect::builtins::{Builtin, Signature as Row};
use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::program::Def;
use super::scope::{Found, suggest};
use super::tree::{Closure, ClosureId, ClosureOrigin, ExprId, ExprKind, LocalId, LocalKind, Stmt, StmtKind};
use super::types::{FunctionId, Signature, Ty};
use crate::syntax::ast::{self, InfixOp};
use crate::syntax::names::Name;

impl<'a> Checker<'_, 'a> {
    /// Whether an argument can only be looked at once its parameter is known: a closure, `none`, the name of a function.
    pub(super) fn waits_for_parameter(&self, written: &ast::Expr<'_>) -> bool {
        match written.kind {
            ast::ExprKind::Closure(_) | ast::ExprKind::None => true,
            ast::ExprKind::Name(name) => {
                self.untyped_closure(name).is_some() || self.local(name).is_none() && self.is_function_name(name)
            }
            _ => false,
        }
    }

    fn is_function_name(&self, name: Name) -> bool {
        match self.program.find(name, self.file) {
            Found::Defs(defs) => matches!(defs[0], Def::Function(_)),
            Found::Lost | Found::Private(_) => false,
            Found::Nothing => {
                let text = self.program.text(name);
                Builtin::function(text).is_some() || text == "mul"
            }
        }
    }

    /// The argument for a parameter of function type.
    pub(super) fn function_argument(&mut self, written: &'a ast::Expr<'a>, ty: Ty, parameter: Option<Name>) -> ExprId {
        let span = written.span;
        match written.kind {
            ast::ExprKind::Closure(closure) if ty != Ty::ERROR => self.closure(closure, Some(ty), parameter, span).0,
            ast::ExprKind::Closure(_) => self.poison(span),
            ast::ExprKind::Name(name) if let Some(local) = self.untyped_closure(name) => {
                self.untyped_closure_as(local, ty, span)
            }
            ast::ExprKind::Name(name) if self.local(name).is_none() && self.is_function_name(name) => {
                if ty == Ty::ERROR {
                    return self.poison(span);
                }
                self.named_function(name, ty, span)
            }
            _ => {
                let id = self.value(written, None);
                self.expect(id, ty)
            }
        }
    }

    /// Whether a function of this name has a type, for the choice between overloads.
    pub(super) fn has_function(&mut self, name: Name, ty: Ty, span: Span) -> bool {
        let id = self.tentatively(|checker| checker.named_function(name, ty, span));
        self.ty(id) != Ty::ERROR
    }

    fn named_function(&mut self, name: Name, ty: Ty, span: Span) -> ExprId {
        let text = self.program.text(name);
        let Some(wanted) = self.program.types.signature_of(ty).cloned() else {
            return self.poison(span);
        };
        let functions: Vec<FunctionId> = match self.program.find(name, self.file) {
            Found::Defs(defs) => defs.iter().filter_map(Def::function).collect(),
            Found::Lost | Found::Private(_) | Found::Nothing => Vec::new(),
        };
        for id in &functions {
            self.program.ensure_signature(*id);
        }
        let fits = |id: &&FunctionId| {
            let function = &self.program.functions[id.index()];
            !function.template
                && function.result == wanted.result
                && function.params.len() == wanted.params.len()
                && function
                    .params
                    .iter()
                    .zip(&wanted.params)
                    .all(|(param, (mode, ty))| param.mode == *mode && param.ty == *ty)
        };
        if let Some(id) = functions.iter().find(fits).copied() {
            let function = &self.program.functions[id.index()];
            if function.entry.is_some() {
                let defined = function.source.item.name.span;
                let message = format!("`{text}` is an entry and cannot be a function value");
                let diagnostic = Diagnostic::error(errors::BAD_ENTRY, span, message).note_at(defined, "defined here");
                self.report(diagnostic);
                return self.poison(span);
            }
            self.values.push(id);
            return self.add(ExprKind::Function(id), ty, span);
        }
        // A signature that is wrong has been reported.
        let faulty = wanted.params.iter().any(|(_, ty)| *ty == Ty::ERROR)
            || functions.iter().any(|id| {
                let function = &self.program.functions[id.index()];
                function.result == Ty::ERROR || function.params.iter().any(|param| param.ty == Ty::ERROR)
            });
        if faulty {
            return self.poison(span);
        }
        if let Some(id) = self.builtin_value(name, &wanted, ty, span) {
            return id;
        }
        let shown = self.show(ty);
        let diagnostic = match functions.as_slice() {
            [] => {
                let message = format!("the builtin `{text}` is no `{shown}`");
                Diagnostic::error(errors::TYPE_MISMATCH, span, message)
            }
            [only] if self.program.functions[only.index()].template => {
                let message = format!("`{text}` is a template and cannot be a function value");
                let defined = self.program.functions[only.index()].source.item.name.span;
                Diagnostic::error(errors::TYPE_MISMATCH, span, message)
                    .note_at(defined, "defined here")
                    .help(format!("name an instance of it, `fn {text}_1 = {text}(…);`, or call it in a closure"))
            }
            functions => {
                let message = match functions {
                    [only] => format!("`{}` is no `{shown}`", self.signature_text(*only)),
                    _ => format!("no `{text}` is a `{shown}`"),
                };
                let mut diagnostic = Diagnostic::error(errors::TYPE_MISMATCH, span, message);
                for id in functions {
                    let at = self.program.functions[id.index()].source.item.name.span;
                    let note = match functions {
                        [_] => "defined here".to_owned(),
                        _ => format!("candidate: `{}`", self.signature_text(*id)),
                    };
                    diagnostic = diagnostic.note_at(at, note);
                }
                diagnostic
            }
        };
        self.report(diagnostic);
        self.poison(span)
    }

    /// A builtin as a value: a closure around its call.
    fn builtin_value(&mut self, name: Name, wanted: &Signature, ty: Ty, span: Span) -> Option<ExprId> {
        let text = self.program.text(name);
        let builtin = Builtin::function(text);
        let count = match builtin.map(|builtin| builtin.def().signature) {
            Some(Row::Function { params, .. }) => params.len(),
            Some(Row::Atomic { .. } | Row::Texture) => return None,
            None if text == "mul" => 2,
            None => return None,
        };
        if wanted.params.len() != count {
            return None;
        }
        if wanted.params.iter().any(|(mode, _)| *mode != PassMode::Value) {
            return None;
        }
        let locals_before = self.body.locals.len();
        let first = self.body.exprs().len() as u32;
        self.program.muted += 1;
        self.open_scope();
        let mut params = Vec::with_capacity(wanted.params.len());
        for (_, ty) in &wanted.params {
            let id = LocalId(self.body.locals.len() as u32);
            let info = super::tree::Local {
                name,
                ty: *ty,
                kind: LocalKind::Parameter,
                span,
                depth: self.frames.len() as u32 + 1,
            };
            self.body.locals.push(info);
            params.push(id);
        }
        let ids: Vec<ExprId> = params
            .iter()
            .zip(&wanted.params)
            .map(|(local, (_, ty))| self.add(ExprKind::Local(*local), *ty, span))
            .collect();
        let value = match (builtin, ids.as_slice()) {
            (Some(builtin), _) => self.builtin_of(builtin, &ids, span),
            (None, [lhs, rhs]) => self.binary(InfixOp::Mul, span, *lhs, *rhs),
            (None, _) => self.poison(span),
        };
        self.close_scope();
        self.program.muted -= 1;
        if self.ty(value) != wanted.result {
            self.body.locals.truncate(locals_before);
            return None;
        }
        let kind = match wanted.result {
            Ty::NOTHING => StmtKind::Eval(value),
            _ => StmtKind::Return(Some(value)),
        };
        let id = ClosureId(self.body.closures.len() as u32);
        self.body.closures.push(Closure {
            name: Some(name),
            origin: ClosureOrigin::Builtin,
            span,
            params,
            result: wanted.result,
            stmts: vec![Stmt { span, kind }],
            exprs: first..self.body.exprs().len() as u32,
            captures: Vec::new(),
        });
        Some(self.add(ExprKind::Closure(id), ty, span))
    }

    /// The error about a function name that nothing has.
    pub(super) fn unknown_function(&self, text: &'a str, span: Span) -> Diagnostic {
        let functions = self.program.visible_names(self.file, |def| matches!(def, Def::Function(_)));
        let builtins =
            Builtin::ALL.iter().map(|builtin| builtin.name()).filter(|name| Builtin::function(name).is_some());
        let diagnostic = Diagnostic::error(errors::UNKNOWN_FUNCTION, span, format!("unknown function `{text}`"));
        let candidates: Vec<&str> = self.local_names().chain(functions).chain(builtins).chain(["mul"]).collect();
        suggest(diagnostic, text, candidates)
    }
}
