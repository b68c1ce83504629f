//! Templates: parameters whose arguments are known at compile time, those arguments, and who asked for a template in which
//! something is wrong.

use std::rc::Rc;

use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Severity, Span};
use akari_passes::specialize::{chain, names};

use super::checker::Checker;
use super::constant::NotConstant;
use super::errors;
use super::program::{Def, EnumInfo, ParamInfo, Program, Request, Source, Time};
use super::tree::{ExprId, ExprKind, LocalKind, Part};
use super::types::{FunctionId, Signature, Ty, TyKind};
use crate::syntax::ast::{self, InfixOp, PassingKind};

/// When the argument of a parameter is known.
pub(super) fn time_of(param: &ast::Param<'_>) -> Time {
    let is_function = matches!(param.ty.map(|ty| ty.kind), Some(ast::TypeKind::Fn { .. }));
    if param.is_const.is_some() {
        Time::Const
    } else if param.optional.is_some() {
        Time::Optional
    } else if is_function {
        Time::Function
    } else {
        Time::Run
    }
}

impl<'a> Checker<'_, 'a> {
    /// The type of a parameter, which alone may be a function type.
    pub(super) fn parameter_type(&mut self, written: &'a ast::Type<'a>) -> Ty {
        let ast::TypeKind::Fn { params, result } = written.kind else {
            return self.resolve_type(written);
        };
        let mut faulty = false;
        let mut list = Vec::with_capacity(params.len());
        for param in params {
            let ty = if matches!(param.ty.kind, ast::TypeKind::Fn { .. }) {
                let message = "a function type cannot take functions";
                self.error(errors::BAD_TYPE, param.ty.span, message);
                Ty::ERROR
            } else {
                self.resolve_type(param.ty)
            };
            faulty |= ty == Ty::ERROR;
            list.push((self.pass_mode(param.passing, ty), ty));
        }
        let result = match result {
            None => Ty::NOTHING,
            Some(written) => self.result_type(written),
        };
        if faulty || result == Ty::ERROR {
            return Ty::ERROR;
        }
        self.program.types.function(Signature { params: list.into(), result })
    }

    /// Whether a compile-time parameter's type and form are what they may be; if not, that is reported.
    pub(super) fn check_compile_time(&mut self, param: &'a ast::Param<'a>, time: Time, ty: Ty, entry: bool) -> bool {
        let text = self.program.text(param.name.name);
        let type_span = param.ty.map_or(param.name.span, |ty| ty.span);
        let is_function = matches!(param.ty.map(|ty| ty.kind), Some(ast::TypeKind::Fn { .. }));
        if let (Some(word), Some(_)) = (param.is_const, param.optional) {
            let message = format!("`{text}` is either `const` or optional");
            self.error(errors::BAD_TEMPLATE, word, message);
            return false;
        }
        if let Some(passing) = param.passing.filter(|_| time != Time::Optional) {
            let what = if time == Time::Const { "a `const` parameter" } else { "a function" };
            let word = if passing.kind == PassingKind::Ref { "ref" } else { "inout" };
            let message = format!("{what} is known at compile time and not passed by `{word}`");
            self.error(errors::BAD_TEMPLATE, passing.span, message);
            return false;
        }
        if entry && let Some(attribute) = param.attributes.first() {
            let name = self.program.text(attribute.name.name);
            let what = match time {
                Time::Const => "a `const` parameter",
                Time::Function => "a function",
                Time::Optional | Time::Run => "an optional parameter",
            };
            let message = format!("{what} is given by instances: `@{name}` cannot stand on it");
            let mut diagnostic = Diagnostic::error(errors::BAD_TEMPLATE, attribute.span, message);
            if time == Time::Optional && name == "bind" {
                diagnostic =
                    diagnostic.help("bind it at the top of the package, and name that binding in the instance");
            }
            self.report(diagnostic);
            return false;
        }
        if ty == Ty::ERROR {
            return true;
        }
        let message = match time {
            Time::Const if is_function => {
                let message = format!("`{text}` is a function, which is known at compile time anyway");
                let diagnostic = Diagnostic::error(errors::BAD_TEMPLATE, type_span, message).help("leave out `const`");
                self.report(diagnostic);
                return false;
            }
            Time::Const if self.holds_resources(ty) => {
                format!("{} is a resource and no constant", self.one(ty))
            }
            Time::Const if self.program.is_open(ty) => {
                "the type of a `const` parameter cannot depend on another one".to_owned()
            }
            Time::Optional if !self.kind(ty).is_handle() => {
                format!("only a resource can be optional, not {}", self.one(ty))
            }
            Time::Const | Time::Optional | Time::Function | Time::Run => return true,
        };
        self.error(errors::BAD_TEMPLATE, type_span, message);
        false
    }

    /// What a parameter is in the body of its function.
    pub(super) fn local_kind(param: &ParamInfo<'_>) -> LocalKind {
        match (param.time, param.mode) {
            (Time::Const, _) => LocalKind::ConstParameter,
            (Time::Optional, _) => LocalKind::Optional,
            (Time::Run | Time::Function, PassMode::Value) => LocalKind::Parameter,
            (Time::Run | Time::Function, PassMode::Ref) => LocalKind::Ref,
            (Time::Run | Time::Function, PassMode::Inout) => LocalKind::Inout,
        }
    }

    /// A written argument for a by-value parameter.
    pub(super) fn parameter_value(&mut self, written: &'a ast::Expr<'a>, param: &ParamInfo<'a>, ty: Ty) -> ExprId {
        match param.time {
            Time::Run => self.typed(written, ty),
            Time::Const => {
                let id = self.typed(written, ty);
                self.const_argument(id, param)
            }
            Time::Optional => match written.kind {
                ast::ExprKind::None => self.add(ExprKind::None, ty, written.span),
                _ => self.typed(written, ty),
            },
            Time::Function => self.function_argument(written, ty, Some(param.name)),
        }
    }

    /// The argument of a `const` parameter, which must be constant.
    pub(super) fn const_argument(&mut self, id: ExprId, param: &ParamInfo<'a>) -> ExprId {
        if self.ty(id) == Ty::ERROR {
            return id;
        }
        let what = format!("the argument of the `const` parameter `{}`", self.program.text(param.name));
        let reason = match self.constant_value(id) {
            Ok(_) => return id,
            Err(reason) => reason,
        };
        if let Some(mut diagnostic) = self.not_constant(reason, &what) {
            if let NotConstant::RunTime(_) = reason
                && diagnostic.help.is_none()
            {
                diagnostic = diagnostic.help(
                    "constants are literals, names declared with `const`, enum cases, and operators and builtins on them",
                );
            }
            self.report(diagnostic);
        }
        self.poison(self.span(id))
    }

    /// `x == none`, `none != x`.
    pub(super) fn none_test(&mut self, operand: &'a ast::Expr<'a>, op: InfixOp, span: Span) -> ExprId {
        if let ast::ExprKind::None = operand.kind {
            let message = "`none` is compared with itself: compare an optional parameter with it";
            return self.fail(errors::BAD_NONE, operand.span, message);
        }
        let id = self.value(operand, None);
        if self.ty(id) == Ty::ERROR {
            return self.poison(span);
        }
        let optional = match self.body.expr(id).kind {
            ExprKind::Local(local) => self.body.local(local).kind == LocalKind::Optional,
            _ => false,
        };
        if !optional {
            let ty = self.show(self.ty(id));
            let name = self.spelled(id);
            let message = if name == "…" {
                format!("this `{ty}` is never `none`")
            } else {
                format!("`{name}` is never `none`")
            };
            let mut diagnostic = Diagnostic::error(errors::BAD_NONE, operand.span, message);
            if let ExprKind::Local(local) = self.body.expr(id).kind
                && self.kind(self.ty(id)).is_handle()
            {
                let declared = self.body.local(local).span;
                diagnostic = diagnostic
                    .note_at(declared, format!("`{name}` is declared here"))
                    .help(format!("a parameter that may be `none` is declared `{name}: {ty}?`"));
            }
            self.report(diagnostic);
            return self.poison(span);
        }
        let test = self.add(ExprKind::IsNone(id), Ty::BOOL, span);
        match op {
            InfixOp::Equal => test,
            _ => self.add(ExprKind::Unary(akari_dialect::AkariOp::Not, test), Ty::BOOL, span),
        }
    }

    /// Notes that a specialization of a template is asked for.
    pub(super) fn request(&mut self, template: FunctionId, parts: &[Part], span: Span) {
        let params = Rc::clone(&self.program.functions[template.index()].params);
        let mut arguments: Vec<(&str, String)> = Vec::new();
        let mut known = true;
        for (slot, param) in params.iter().enumerate() {
            if param.time == Time::Run {
                continue;
            }
            let part = parts.iter().find(|part| part.slot as usize == slot);
            match part.and_then(|part| self.argument_name(part.value)) {
                Some(text) => arguments.push((self.program.text(param.name), text)),
                None => known &= param.time == Time::Optional,
            }
        }
        let base = self.program.text(self.program.functions[template.index()].source.item.name.name);
        // Where not everything is known here, or the name would be too long, the template is what can be named.
        let name = names::joined(base, arguments).filter(|_| known).unwrap_or_else(|| base.to_owned());
        self.requests.push(Request { template, name, span });
    }

    /// What an argument is called in the name of a specialization, as `specialize` has it.
    fn argument_name(&mut self, value: ExprId) -> Option<String> {
        match self.body.expr(value).kind {
            ExprKind::None => return Some("none".to_owned()),
            ExprKind::Function(id) => {
                let name = self.program.functions[id.index()].source.item.name.name;
                return Some(self.program.text(name).to_owned());
            }
            ExprKind::Binding(id) => {
                let name = self.program.bindings[id.index()].source.item.name.name;
                return Some(self.program.text(name).to_owned());
            }
            ExprKind::Closure(_) => return None,
            _ => {}
        }
        let constant = self.evaluate(value).ok()?;
        if let TyKind::Enum(id) = self.ty_kind(value) {
            let bits = self.program.module.scalar_bits(constant)?;
            let EnumInfo { cases, .. } = &self.program.enums[id.index()];
            let case = cases.values().find(|case| u64::from(case.bits) == bits)?;
            return Some(self.program.text(case.name).to_owned());
        }
        Some(names::constant(&self.program.module, constant))
    }
}

impl<'a> Program<'a> {
    /// Adds to each error in a template's body who asked for it first.
    pub(super) fn add_requests(&mut self) {
        let found = std::mem::take(&mut self.in_templates);
        if found.is_empty() {
            return;
        }
        // The first request of each template, in the order of the source: by a function that is no template, else by one that is
        // asked for itself.
        let mut first: Vec<Option<(FunctionId, Request)>> = vec![None; self.functions.len()];
        let mut pending: Vec<FunctionId> = self
            .order
            .iter()
            .filter_map(|def| match def {
                Def::Function(id) if !self.functions[id.index()].template => Some(*id),
                _ => None,
            })
            .collect();
        let mut next = 0;
        while let Some(id) = pending.get(next).copied() {
            next += 1;
            for request in &self.functions[id.index()].requests {
                let slot = &mut first[request.template.index()];
                if slot.is_none() && request.template != id {
                    *slot = Some((id, request.clone()));
                    pending.push(request.template);
                }
            }
        }
        for (template, range) in found {
            let Source { item, .. } = self.functions[template.index()].source;
            let mut chain: Vec<(&str, Option<Span>)> = Vec::new();
            let mut current = template;
            while let Some((by, request)) = &first[current.index()] {
                chain.push((&request.name, Some(request.span)));
                current = *by;
            }
            let notes = chain::notes(&chain);
            for index in range {
                let diagnostic = &mut self.diagnostics[index];
                let inside = diagnostic.span.is_some_and(|span| {
                    span.file == item.span.file && item.span.start <= span.start && span.end <= item.span.end
                });
                if inside && diagnostic.severity == Severity::Error {
                    diagnostic.notes.extend(notes.iter().cloned());
                }
            }
        }
    }
}
