//! `fn name = template(args);`: functions that are templates with their compile-time arguments fixed.

use std::rc::Rc;

use akari_dialect::builtins::Builtin;
use akari_ir::Diagnostic;

use super::checker::Checker;
use super::errors;
use super::open::Value;
use super::program::{Def, EntryInfo, InstanceInfo, ParamInfo, Program, Request, Time};
use super::scope::Found;
use super::tree::Part;
use super::types::{FunctionId, Ty};
use crate::syntax::ast::{self, FileKind};

/// What an instance's arguments say, before they are looked at closely.
struct Bound<'a> {
    template: FunctionId,
    /// The argument for each compile-time parameter, or none where it has a default.
    given: Vec<(usize, Option<&'a ast::Expr<'a>>)>,
}

impl<'a> Checker<'_, 'a> {
    /// The template that an instance names, with each argument given to its parameter. What is wrong is reported.
    fn bind_instance(&mut self, written: ast::Instance<'a>) -> Option<Bound<'a>> {
        let name = written.template;
        let text = self.program.text(name.name);
        let functions: Vec<FunctionId> = match self.program.find(name.name, self.file) {
            Found::Defs(defs) => defs.iter().filter_map(Def::function).collect(),
            Found::Lost => return None,
            Found::Private(def) => {
                self.program.report_private(def, name.span);
                return None;
            }
            Found::Nothing => {
                let diagnostic = if Builtin::function(text).is_some() {
                    let message = format!("`{text}` is a builtin and no template");
                    Diagnostic::error(errors::BAD_INSTANCE, name.span, message)
                } else {
                    self.unknown_function(text, name.span)
                };
                self.report(diagnostic);
                return None;
            }
        };
        if functions.is_empty() {
            let message = format!("`{text}` is no function");
            self.error(errors::WRONG_KIND_OF_NAME, name.span, message);
            return None;
        }
        for id in &functions {
            self.program.ensure_signature(*id);
        }
        let templates: Vec<FunctionId> =
            functions.iter().copied().filter(|id| self.program.functions[id.index()].template).collect();
        if templates.is_empty() {
            let defined = self.program.functions[functions[0].index()].source.item.name.span;
            let message = format!("`{text}` is no template: it has no compile-time parameter");
            let diagnostic = Diagnostic::error(errors::BAD_INSTANCE, name.span, message)
                .note_at(defined, format!("`{text}` is defined here"));
            self.report(diagnostic);
            return None;
        }
        let mut bound: Vec<Bound<'a>> = Vec::new();
        let mut fault = None;
        for template in &templates {
            match self.bind_compile_time(*template, written.args) {
                Ok(given) => bound.push(Bound { template: *template, given }),
                Err(diagnostic) => fault = fault.or(Some(diagnostic)),
            }
        }
        if bound.len() > 1 {
            bound.retain(|bound| self.tentatively(|checker| checker.fits_instance(bound)));
        }
        match (bound.len(), fault) {
            (1, _) => bound.pop(),
            (0, Some(fault)) if templates.len() == 1 => {
                self.report(fault.at_name(name.span));
                None
            }
            (count, _) => {
                let message = if count == 0 {
                    format!("no template `{text}` takes these arguments")
                } else {
                    format!("the instance of `{text}` is ambiguous")
                };
                let code = if count == 0 { errors::BAD_INSTANCE } else { errors::AMBIGUOUS_CALL };
                let diagnostic = self.with_candidates(Diagnostic::error(code, name.span, message), &templates);
                self.report(diagnostic);
                None
            }
        }
    }

    /// Gives each argument of an instance to a compile-time parameter.
    fn bind_compile_time(
        &self,
        template: FunctionId,
        args: &'a [ast::Arg<'a>],
    ) -> Result<Vec<(usize, Option<&'a ast::Expr<'a>>)>, Fault> {
        let function = &self.program.functions[template.index()];
        let text = self.program.text(function.source.item.name.name);
        let mut given: Vec<(usize, Option<&'a ast::Expr<'a>>)> = function
            .params
            .iter()
            .enumerate()
            .filter(|(_, param)| param.time != Time::Run)
            .map(|(slot, _)| (slot, None))
            .collect();
        let fault = |span, message: String| Fault {
            diagnostic: Diagnostic::error(errors::BAD_INSTANCE, span, message)
                .note_at(function.source.item.name.span, format!("`{text}` is defined here")),
            at_name: false,
        };
        let mut named = false;
        for (position, arg) in args.iter().enumerate() {
            let place = match arg.name {
                None if named => {
                    let message = "positional arguments come before named ones";
                    return Err(fault(arg.value.span, message.to_owned()));
                }
                None => {
                    let count = given.len();
                    let plural = if count == 1 { "" } else { "s" };
                    given.get_mut(position).ok_or_else(|| {
                        let message = format!(
                            "`{text}` has {count} compile-time parameter{plural}, and {} arguments are given",
                            args.len()
                        );
                        fault(arg.value.span, message)
                    })?
                }
                Some(name) => {
                    named = true;
                    let param = function.params.iter().position(|param| param.name == name.name);
                    let shown = self.program.text(name.name);
                    let Some(param) = param else {
                        let message = format!("`{text}` has no parameter `{shown}`");
                        let names: Vec<&str> =
                            given.iter().map(|(slot, _)| self.program.text(function.params[*slot].name)).collect();
                        let mut fault = fault(name.span, message);
                        fault.diagnostic = super::scope::suggest(fault.diagnostic, shown, names);
                        return Err(fault);
                    };
                    given.iter_mut().find(|(slot, _)| *slot == param).ok_or_else(|| {
                        let message =
                            format!("`{shown}` is a run-time parameter: an instance gives compile-time ones only");
                        fault(name.span, message)
                    })?
                }
            };
            if place.1.is_some() {
                let param = self.program.text(function.params[place.0].name);
                let message = format!("the parameter `{param}` of `{text}` is given twice");
                return Err(fault(arg.name.map_or(arg.value.span, |name| name.span), message));
            }
            place.1 = Some(arg.value);
        }
        let missing = given.iter().find(|(slot, value)| value.is_none() && function.params[*slot].default.is_none());
        if let Some((slot, _)) = missing {
            let param = self.program.text(function.params[*slot].name);
            let message = format!("the instance of `{text}` gives no argument for `{param}`");
            return Err(Fault { at_name: true, ..fault(function.source.item.name.span, message) });
        }
        Ok(given)
    }

    /// Whether a template takes the arguments, for the choice between several.
    fn fits_instance(&mut self, bound: &Bound<'a>) -> bool {
        let params = Rc::clone(&self.program.functions[bound.template.index()].params);
        let mut fits = true;
        let mut values: Vec<Option<Value>> = vec![None; params.len()];
        for constants in [true, false] {
            for (slot, value) in &bound.given {
                let param = &params[*slot];
                if (param.time == Time::Const) != constants {
                    continue;
                }
                let ty = self.program.substitute(param.ty, &values).unwrap_or(Ty::ERROR);
                let id = self.instance_argument(bound.template, param, *value, ty);
                values[*slot] = self.constant_value(id).ok();
                fits &= self.ty(id) != Ty::ERROR;
            }
        }
        fits
    }

    /// The signature of an instance: that of its template without the compile-time parameters.
    pub(super) fn instance_signature(&mut self, id: FunctionId, written: ast::Instance<'a>) {
        let info = &self.program.functions[id.index()];
        let source = info.source;
        self.attributes(source.item.attributes, super::attributes::On::Instance);
        let Some(bound) = self.bind_instance(written) else {
            self.program.functions[id.index()].result = Ty::ERROR;
            return;
        };
        let template = &self.program.functions[bound.template.index()];
        let (params, result, entry) = (Rc::clone(&template.params), template.result, template.entry);
        let open = template.open_signature;
        // The arguments are looked at with the body; here only what types depend on.
        let mut values: Vec<Option<Value>> = vec![None; params.len()];
        if open {
            self.program.muted += 1;
            for (slot, value) in &bound.given {
                if params[*slot].time == Time::Const {
                    let id = self.instance_argument(bound.template, &params[*slot], *value, params[*slot].ty);
                    values[*slot] = self.constant_value(id).ok();
                }
            }
            self.program.muted -= 1;
        }
        let types = |checker: &mut Self, ty: Ty| match checker.program.substitute(ty, &values) {
            Ok(ty) => ty,
            Err(message) => {
                checker.error(errors::BAD_LENGTH, written.template.span, message);
                Ty::ERROR
            }
        };
        let mut own: Vec<ParamInfo<'a>> = Vec::with_capacity(params.len());
        for param in params.iter().filter(|param| param.time == Time::Run) {
            let ty = types(self, param.ty);
            own.push(ParamInfo { ty, ..param.clone() });
        }
        let result = types(self, result);
        let info = &mut self.program.functions[id.index()];
        info.params = Rc::new(own);
        info.result = result;
        info.entry = entry.map(|entry| EntryInfo { span: source.item.name.span, ..entry });
        info.instance = Some(InstanceInfo { template: bound.template, parts: Vec::new() });
    }

    fn instance_argument(
        &mut self,
        template: FunctionId,
        param: &ParamInfo<'a>,
        value: Option<&'a ast::Expr<'a>>,
        ty: Ty,
    ) -> super::tree::ExprId {
        match (value, param.default) {
            (Some(value), _) => self.parameter_value(value, param, ty),
            (None, Some(default)) => self.default(Def::Function(template), default, |checker, default| {
                checker.parameter_value(default, param, ty)
            }),
            (None, None) => self.poison(param.span),
        }
    }

    /// The arguments of an instance.
    fn instance_body(&mut self, written: ast::Instance<'a>) -> Option<InstanceInfo> {
        // What is wrong here was reported with the signature.
        self.program.muted += 1;
        let bound = self.bind_instance(written);
        self.program.muted -= 1;
        let bound = bound?;
        let template = bound.template;
        let params = Rc::clone(&self.program.functions[template.index()].params);
        let mut values: Vec<Option<Value>> = vec![None; params.len()];
        let mut parts = Vec::with_capacity(bound.given.len());
        // The constants first: types of functions may depend on them.
        for constants in [true, false] {
            for (slot, value) in &bound.given {
                let param = &params[*slot];
                if (param.time == Time::Const) != constants {
                    continue;
                }
                let ty = self.program.substitute(param.ty, &values).unwrap_or(Ty::ERROR);
                let id = self.instance_argument(template, param, *value, ty);
                if constants {
                    values[*slot] = self.constant_value(id).ok();
                }
                parts.push(Part { slot: *slot as u32, value: id });
            }
        }
        parts.sort_by_key(|part| part.slot);
        Some(InstanceInfo { template, parts })
    }
}

/// What is wrong with the arguments of an instance.
struct Fault {
    diagnostic: Diagnostic,
    /// Whether it is about the whole instance.
    at_name: bool,
}

impl Fault {
    fn at_name(self, span: akari_ir::Span) -> Diagnostic {
        let span = if self.at_name { Some(span) } else { self.diagnostic.span };
        Diagnostic { span, ..self.diagnostic }
    }
}

impl<'a> Program<'a> {
    /// Entries of a package that take something at compile time, and of which there is no instance: they are none. In a module they
    /// wait for the packages that import it.
    pub(super) fn check_unused_templates(&mut self) {
        let root = self.files.len().saturating_sub(1);
        let is_package =
            self.files.last().and_then(|file| file.tree.root).is_some_and(|root| root.kind == FileKind::Shader);
        if !is_package || !self.is_sound() {
            return;
        }
        let mut has_instance = vec![false; self.functions.len()];
        for instance in self.functions.iter().filter_map(|function| function.instance.as_ref()) {
            has_instance[instance.template.index()] = true;
        }
        for (index, has_instance) in has_instance.into_iter().enumerate() {
            let function = &self.functions[index];
            if has_instance || !function.template || function.entry.is_none() || function.source.file != root {
                continue;
            }
            let name = function.source.item.name;
            let text = self.text(name.name);
            let message = format!("`{text}` takes compile-time arguments and has no instance, so that it is no entry");
            let help = format!("name one: `fn name = {text}(…);`");
            self.report(Diagnostic::warning(errors::UNUSED_TEMPLATE, name.span, message).help(help));
        }
    }

    /// Checks the arguments of an instance.
    pub(super) fn check_instance(&mut self, id: FunctionId, written: ast::Instance<'a>) {
        let source = self.functions[id.index()].source;
        if self.functions[id.index()].instance.is_none() {
            return;
        }
        let mut checker = Checker::new(self, source.file, source.item.intact);
        let info = checker.instance_body(written);
        let Checker { body, mut calls, values, requests, .. } = checker;
        if let Some(info) = &info {
            calls.push((info.template, source.item.name.span));
        }
        let name = self.text(source.item.name.name).to_owned();
        let function = &mut self.functions[id.index()];
        function.requests = info
            .iter()
            .map(|info| Request { template: info.template, name: name.clone(), span: source.item.span })
            .chain(requests)
            .collect();
        function.body = body;
        function.calls = calls;
        function.values = values;
        function.instance = info;
    }
}
