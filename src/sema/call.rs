//! Calls by name, and the choice among the functions of one name.

use std::rc::Rc;

use akari_dialect::builtins::{Builtin, Signature};
use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::overload::{Argument, Bound, Fit};
use super::program::{Def, ParamInfo, Time, Written};
use super::scope::Found;
use super::tree::{ExprId, ExprKind, Part};
use super::types::{FunctionId, Ty, TyKind, plain_type};
use crate::foreign;
use crate::syntax::ast;
use crate::syntax::names::Name;

impl<'a> Checker<'_, 'a> {
    /// `callee(args)`.
    pub(super) fn call(
        &mut self,
        callee: &'a ast::Expr<'a>,
        args: &'a [ast::Arg<'a>],
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let ast::ExprKind::Name(name) = callee.kind else {
            self.check_arguments(args);
            return self.fail(errors::WRONG_KIND_OF_NAME, callee.span, "only a function can be called");
        };
        let text = self.program.text(name);
        if let Some(local) = self.untyped_closure(name) {
            self.check_arguments(args);
            return self.called_untyped(local, span);
        }
        // A local that is no function does not hide a function of its name from calls.
        if let Some(local) = self.local(name)
            && let TyKind::Function(_) = self.kind(self.body.local(local).ty)
        {
            return self.call_value(local, args, callee.span, span);
        }
        if let Some(local) = self.local(name)
            && (!self.is_callable(name) || self.body.local(local).ty == Ty::ERROR)
        {
            self.check_arguments(args);
            if self.body.local(local).ty == Ty::ERROR {
                return self.poison(span);
            }
            let message = format!("`{text}` is a variable, not a function");
            return self.fail(errors::WRONG_KIND_OF_NAME, callee.span, message);
        }
        let found = self.program.find(name, self.file);
        // A function of the user's may be called as a type of the language is.
        let is_function = matches!(&found, Found::Defs(defs) if matches!(defs[0], Def::Function(_)));
        if !is_function && let Some(kind) = plain_type(text) {
            let ty = self.program.types.intern(kind);
            return self.constructor(ty, args, span);
        }
        match found {
            Found::Defs(defs) => match defs[0] {
                Def::Function(_) => {
                    let functions: Vec<FunctionId> = defs.iter().filter_map(Def::function).collect();
                    self.call_function(name, &functions, args, callee.span, span, hint)
                }
                Def::Struct(_) | Def::Enum(_) | Def::Bitfield(_) => {
                    let ty = self.type_named(name, callee.span).unwrap_or(Ty::ERROR);
                    self.constructor(ty, args, span)
                }
                Def::Constant(_) => {
                    self.check_arguments(args);
                    let message = format!("`{text}` is a constant, not a function");
                    self.fail(errors::WRONG_KIND_OF_NAME, callee.span, message)
                }
                Def::Binding(_) => {
                    self.check_arguments(args);
                    let message = format!("`{text}` is a resource, not a function");
                    self.fail(errors::WRONG_KIND_OF_NAME, callee.span, message)
                }
            },
            Found::Lost => self.abandon(args, span),
            Found::Private(def) => {
                self.program.report_private(def, callee.span);
                self.abandon(args, span)
            }
            Found::Nothing => {
                if text == "mul" {
                    return self.mul(args, span);
                }
                if let Some(builtin) = Builtin::function(text) {
                    return self.builtin_call(builtin, args, &[], span, hint);
                }
                self.check_arguments(args);
                let mut diagnostic = self.unknown_function(text, callee.span);
                let foreign = foreign::help(foreign::Place::Function, text);
                if let Some(help) = foreign.or_else(|| foreign::help(foreign::Place::Type, text)) {
                    diagnostic = diagnostic.help(help);
                }
                self.report(diagnostic);
                self.poison(span)
            }
        }
    }

    /// Whether something visible beside locals can be called by this name.
    fn is_callable(&self, name: Name) -> bool {
        let text = self.program.text(name);
        let item = match self.program.find(name, self.file) {
            Found::Defs(defs) => matches!(defs[0], Def::Function(_) | Def::Struct(_)),
            Found::Lost | Found::Private(_) | Found::Nothing => false,
        };
        item || plain_type(text).is_some() || Builtin::function(text).is_some() || text == "mul"
    }

    /// Checks arguments of which nothing is known. What only a parameter can tell is passed over.
    pub(super) fn check_arguments(&mut self, args: &'a [ast::Arg<'a>]) {
        for arg in args {
            if self.waits_for_parameter(arg.value) {
                self.pass_over_untyped(arg.value);
            } else {
                self.any(arg.value, None);
            }
        }
    }

    fn abandon(&mut self, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        self.check_arguments(args);
        self.poison(span)
    }

    fn call_function(
        &mut self,
        name: Name,
        functions: &[FunctionId],
        args: &'a [ast::Arg<'a>],
        callee: Span,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        for id in functions {
            self.program.ensure_signature(*id);
        }
        let text = self.program.text(name);
        if let Some(out_of_order) = args.iter().skip_while(|arg| arg.name.is_none()).find(|arg| arg.name.is_none()) {
            let message = "positional arguments come before named ones";
            self.error(errors::BAD_ARGUMENTS, out_of_order.value.span, message);
            return self.abandon(args, span);
        }
        // A builtin of the same name is one more function to choose from, after all others.
        let builtin = Builtin::function(text).filter(|builtin| match builtin.def().signature {
            Signature::Function { params, .. } => {
                params.len() == args.len() && args.iter().all(|arg| arg.name.is_none())
            }
            Signature::Atomic { .. } | Signature::Texture => false,
        });
        // An instance that is wrong has been reported.
        let faulty = |id: &FunctionId| {
            let function = &self.program.functions[id.index()];
            matches!(function.written, Written::Instance(_)) && function.instance.is_none()
        };
        if functions.iter().any(faulty) {
            return self.abandon(args, span);
        }
        if let [only] = functions {
            let slots = match (self.bind(*only, args), builtin) {
                (Ok(slots), _) => slots,
                (Err(_), Some(builtin)) => {
                    return self.builtin_call(builtin, args, &[], span, hint);
                }
                (Err((at, message)), None) => {
                    let defined = self.program.functions[only.index()].source.item.name.span;
                    let diagnostic = Diagnostic::error(errors::BAD_ARGUMENTS, at.unwrap_or(callee), message)
                        .note_at(defined, format!("`{text}` is defined here"));
                    self.report(diagnostic);
                    return self.abandon(args, span);
                }
            };
            let (bound, arguments) = self.typed_arguments(*only, slots, args);
            let fit = match (self.fit(&bound, &arguments), builtin) {
                (Some(fit), _) => fit,
                (None, Some(builtin)) => {
                    return self.builtin_call(builtin, args, &arguments, span, hint);
                }
                // Which argument does not fit is told there.
                (None, None) => Fit::Plain(0),
            };
            return self.finish_call(bound, &arguments, fit, span);
        }
        // Several functions: an argument is checked without a wish where they differ in its parameter.
        let bound: Vec<(FunctionId, Vec<usize>)> =
            functions.iter().filter_map(|id| Some((*id, self.bind(*id, args).ok()?))).collect();
        let mut arguments = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            arguments.push(match Flexible::of(arg.value) {
                Some(kind) => Argument::Flexible(kind, arg.value),
                None if self.waits_for_parameter(arg.value) => Argument::Waiting(arg.value),
                None => {
                    let mut wanted =
                        bound.iter().map(|(id, slots)| self.program.functions[id.index()].params[slots[index]].ty);
                    let first = wanted.next();
                    let agreed = first.filter(|first| wanted.all(|ty| ty == *first) && !self.program.is_open(*first));
                    let value = self.value(arg.value, agreed);
                    let data = bound
                        .iter()
                        .all(|(id, slots)| self.takes_data(&self.program.functions[id.index()].params[slots[index]]));
                    Argument::Typed(if data { self.contents(value) } else { value })
                }
            });
        }
        let wrong = |argument: &Argument<'a>| matches!(argument, Argument::Typed(id) if self.ty(*id) == Ty::ERROR);
        if arguments.iter().any(wrong) {
            return self.poison(span);
        }
        let mut fits: Vec<(Fit, Bound)> = Vec::new();
        for (id, slots) in bound {
            let bound = self.with_types(id, slots, &arguments);
            if let Some(fit) = self.fit(&bound, &arguments) {
                fits.push((fit, bound));
            }
        }
        let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else {
            if let Some(builtin) = builtin {
                return self.builtin_call(builtin, args, &arguments, span, hint);
            }
            return self.no_overload(text, functions, &arguments, callee, span);
        };
        let alike = |fit: Fit| match (fit, best) {
            (Fit::Lifted(_), Fit::Lifted(_)) => true,
            (fit, best) => fit == best,
        };
        fits.retain(|(fit, _)| alike(*fit));
        if fits.len() > 1 {
            let diagnostic =
                Diagnostic::error(errors::AMBIGUOUS_CALL, callee, format!("the call of `{text}` is ambiguous"));
            let functions: Vec<_> = fits.iter().map(|(_, bound)| bound.function).collect();
            let diagnostic = self.with_candidates(diagnostic, &functions);
            self.report(diagnostic);
            return self.poison(span);
        }
        let (fit, bound) = fits.swap_remove(0);
        self.finish_call(bound, &arguments, fit, span)
    }

    /// The arguments of the only function that there is, checked with the types of its parameters in mind. The constants come
    /// first, since other types may depend on them.
    fn typed_arguments(
        &mut self,
        function: FunctionId,
        slots: Vec<usize>,
        args: &'a [ast::Arg<'a>],
    ) -> (Bound, Vec<Argument<'a>>) {
        let info = &self.program.functions[function.index()];
        let (params, open) = (Rc::clone(&info.params), info.open_signature);
        let mut arguments: Vec<Argument<'a>> = args.iter().map(|arg| Argument::Waiting(arg.value)).collect();
        let is_const = |index: &usize| params[slots[*index]].time == Time::Const;
        for index in (0..args.len()).filter(|index| !open || is_const(index)) {
            let param = &params[slots[index]];
            arguments[index] = self.typed_argument(args[index].value, param, param.ty);
        }
        let bound = self.with_types(function, slots.clone(), &arguments);
        for index in (0..args.len()).filter(|index| open && !is_const(index)) {
            let slot = slots[index];
            arguments[index] = self.typed_argument(args[index].value, &params[slot], bound.types[slot]);
        }
        (bound, arguments)
    }

    /// An argument for a parameter that has the type `ty` in this call.
    fn typed_argument(&mut self, written: &'a ast::Expr<'a>, param: &ParamInfo<'a>, ty: Ty) -> Argument<'a> {
        match Flexible::of(written) {
            Some(kind) => Argument::Flexible(kind, written),
            None if self.waits_for_parameter(written) => Argument::Waiting(written),
            None => {
                let value = self.value(written, Some(ty));
                Argument::Typed(if self.takes_data(param) { self.contents(value) } else { value })
            }
        }
    }

    /// Whether a parameter takes a copy of what a uniform holds where that is its argument.
    fn takes_data(&self, param: &ParamInfo<'a>) -> bool {
        param.mode == PassMode::Value && !self.holds_resources(param.ty)
    }

    /// The call of a chosen function: converts the arguments, reporting those that do not fit, and adds the defaults.
    fn finish_call(&mut self, bound: Bound, arguments: &[Argument<'a>], fit: Fit, span: Span) -> ExprId {
        let id = bound.function;
        let function = &self.program.functions[id.index()];
        let (source, template) = (function.source, function.template);
        let params = Rc::clone(&function.params);
        let text = self.program.text(source.item.name.name);
        if function.entry.is_some() {
            let what = if template { "a template of entries" } else { "an entry" };
            let diagnostic =
                Diagnostic::error(errors::BAD_ENTRY, span, format!("`{text}` is {what} and cannot be called"))
                    .note_at(source.item.name.span, "defined here");
            self.report(diagnostic);
            return self.poison(span);
        }
        if fit == Fit::Plain(0) && self.report_widths(id, &bound.slots, arguments, span) {
            return self.poison(span);
        }
        let mut parts = Vec::with_capacity(params.len());
        let mut wrong = false;
        for (slot, argument) in bound.slots.iter().zip(arguments) {
            let (param, ty) = (&params[*slot], bound.types[*slot]);
            let value = self.call_argument(param, ty, *argument, fit, text);
            wrong |= self.ty(value) == Ty::ERROR;
            parts.push(Part { slot: *slot as u32, value });
        }
        if let Some(fault) = bound.fault.filter(|_| !wrong) {
            let diagnostic = Diagnostic::error(errors::BAD_LENGTH, span, fault)
                .note_at(source.item.name.span, format!("`{text}` is defined here"));
            self.report(diagnostic);
            return self.poison(span);
        }
        if !wrong {
            let modes: Vec<PassMode> = params.iter().map(|param| param.mode).collect();
            self.check_overlaps(&modes, &parts, None);
        }
        for (slot, param) in params.iter().enumerate() {
            if !bound.slots.contains(&slot)
                && let Some(default) = param.default
            {
                let ty = bound.types[slot];
                let value = self.default(Def::Function(id), default, |checker, default| {
                    checker.parameter_value(default, param, ty)
                });
                parts.push(Part { slot: slot as u32, value });
            }
        }
        self.calls.push((id, span));
        if template {
            self.request(id, &parts, span);
        }
        match fit {
            Fit::Plain(_) => self.add(ExprKind::Call(id, parts.into()), bound.result, span),
            Fit::Lifted(width) => {
                let ty = match self.kind(bound.result) {
                    TyKind::Scalar(scalar) => self.vector(scalar, width),
                    _ => bound.result,
                };
                self.add(ExprKind::LiftedCall(id, parts.into()), ty, span)
            }
        }
    }

    /// An argument as its parameter takes it.
    fn call_argument(
        &mut self,
        param: &ParamInfo<'a>,
        ty: Ty,
        argument: Argument<'a>,
        fit: Fit,
        function: &str,
    ) -> ExprId {
        let value = match argument {
            Argument::Typed(id) => id,
            Argument::Flexible(_, written) => match param.time {
                Time::Function => return self.function_argument(written, ty, Some(param.name)),
                Time::Run | Time::Const | Time::Optional => self.value(written, Some(ty)),
            },
            Argument::Waiting(written) if param.time != Time::Run => {
                return self.parameter_value(written, param, ty);
            }
            Argument::Waiting(written) => self.value(written, Some(ty)),
        };
        match (param.mode, fit) {
            (PassMode::Value, Fit::Lifted(_)) if matches!(self.ty_kind(value), TyKind::Vector(..)) => value,
            (PassMode::Value, _) if param.time == Time::Const => {
                let value = self.expect(value, ty);
                self.const_argument(value, param)
            }
            (PassMode::Value, _) => self.expect(value, ty),
            (mode @ (PassMode::Ref | PassMode::Inout), _) => self.borrowed(value, mode, ty, function),
        }
    }

    /// Whether a scalar function is given vectors of different widths, which is reported.
    fn report_widths(&mut self, id: FunctionId, slots: &[usize], arguments: &[Argument<'a>], span: Span) -> bool {
        let params = &self.program.functions[id.index()].params;
        let mut vectors = Vec::new();
        for (slot, argument) in slots.iter().zip(arguments) {
            let param = &params[*slot];
            if let Argument::Typed(id) = argument
                && let TyKind::Vector(scalar, width) = self.ty_kind(*id)
                && param.ty == Ty::scalar(scalar)
                && param.mode == PassMode::Value
            {
                vectors.push((width, self.ty(*id)));
            }
        }
        let Some((width, first)) = vectors.first().copied() else {
            return false;
        };
        let Some((_, other)) = vectors.iter().find(|(other, _)| *other != width).copied() else {
            return false;
        };
        let text = self.program.text(self.program.functions[id.index()].source.item.name.name);
        let message = format!(
            "`{text}` is applied to each component: its arguments `{}` and `{}` must have one width",
            self.show(first),
            self.show(other)
        );
        self.error(errors::BAD_ARGUMENTS, span, message);
        true
    }

    /// The argument of a `ref` or `inout` parameter of type `wanted`.
    pub(super) fn borrowed(&mut self, value: ExprId, mode: PassMode, wanted: Ty, function: &str) -> ExprId {
        let (ty, span) = (self.ty(value), self.span(value));
        if ty == Ty::ERROR || wanted == Ty::ERROR {
            return value;
        }
        // To be read, an enum or bitfield is its integer in memory too.
        let reads = mode == PassMode::Ref && self.program.underlying(ty) == Some(wanted);
        if ty != wanted && !reads {
            let word = if mode == PassMode::Inout { "inout" } else { "ref" };
            let message = format!(
                "expected `{}`, found `{}`: `{function}` takes it by `{word}`",
                self.show(wanted),
                self.show(ty)
            );
            return self.fail(errors::TYPE_MISMATCH, span, message);
        }
        if self.check_borrow(value, mode) { value } else { self.poison(span) }
    }

    /// Reports borrows of one call that share memory, where one of them writes. Function values lend what they capture, those among
    /// the arguments and the one that is called, `callee`.
    pub(super) fn check_overlaps(&mut self, modes: &[PassMode], parts: &[Part], callee: Option<ExprId>) {
        let mut borrows = Vec::new();
        for part in parts {
            let mode = modes[part.slot as usize];
            if mode != PassMode::Value
                && let Some(path) = self.path(part.value)
            {
                borrows.push((mode, path, self.span(part.value)));
            }
        }
        if borrows.is_empty() {
            return;
        }
        for (index, (mode, path, span)) in borrows.iter().enumerate() {
            let clash = borrows[..index].iter().find(|(other_mode, other, _)| {
                (*mode == PassMode::Inout || *other_mode == PassMode::Inout) && path.overlaps(other)
            });
            if let Some((_, _, first)) = clash {
                let name = self.program.text(self.body.local(path.root).name);
                let message = format!("two borrows of `{name}` overlap in this call");
                let diagnostic =
                    Diagnostic::error(errors::OVERLAPPING_BORROWS, *span, message).note_at(*first, "the other borrow");
                self.report(diagnostic);
                return;
            }
        }
        for value in parts.iter().map(|part| part.value).chain(callee) {
            if !matches!(self.ty_kind(value), TyKind::Function(_)) {
                continue;
            }
            let captured = self.captured_parts(value);
            let clash = borrows.iter().find(|(mode, path, _)| {
                captured.iter().any(|(seen, written)| seen.overlaps(path) && (*mode == PassMode::Inout || *written))
            });
            if let Some((_, path, span)) = clash {
                let name = self.program.text(self.body.local(path.root).name);
                let message = format!("`{name}` is lent in this call, and a closure in it uses `{name}` too");
                let at = self.span(value);
                let diagnostic =
                    Diagnostic::error(errors::OVERLAPPING_BORROWS, *span, message).note_at(at, "the closure");
                self.report(diagnostic);
                return;
            }
        }
    }
}
