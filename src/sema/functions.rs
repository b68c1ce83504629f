//! Functions: signatures, parameters of entries, bodies.

use std::rc::Rc;

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::interface::{BindingSource, ParamRole, PassMode, Stage, SystemValue};
use akari_ir::types::BufferKind;
use akari_ir::{Diagnostic, Scalar, Span};

use super::attributes::On;
use super::checker::Checker;
use super::errors;
use super::program::{EntryInfo, ParamInfo, Program, State, Time, Written};
use super::templates::time_of;
use super::tree::{Local, LocalKind, Stmt, StmtKind};
use super::types::{FunctionId, Ty, TyKind};
use crate::syntax::ast::{self, PassingKind};

/// The largest uniform buffer that every device offers, in bytes.
const LARGEST_UNIFORM: u32 = 65536;

impl<'a> Program<'a> {
    /// Looks into a function's signature.
    pub(super) fn ensure_signature(&mut self, id: FunctionId) {
        let info = &mut self.functions[id.index()];
        if info.state == State::New {
            info.state = State::Busy;
            let (source, written) = (info.source, info.written);
            let muted = std::mem::take(&mut self.muted);
            let mut checker = Checker::new(self, source.file, source.item.intact);
            match written {
                Written::Function(function) => checker.check_signature(id, function),
                Written::Instance(instance) => checker.instance_signature(id, instance),
            }
            self.muted = muted;
            self.functions[id.index()].state = State::Done;
        }
    }

    /// Checks the defaults of a function's parameters and its body.
    pub(super) fn check_function(&mut self, id: FunctionId) {
        match self.functions[id.index()].written {
            Written::Instance(instance) => self.check_instance(id, instance),
            Written::Function(function) => {
                let before = self.diagnostics.len();
                self.check_written(id, function);
                let after = self.diagnostics.len();
                if self.functions[id.index()].template && after > before {
                    self.in_templates.push((id, before..after));
                }
            }
        }
    }

    fn check_written(&mut self, id: FunctionId, function: ast::Function<'a>) {
        let info = &self.functions[id.index()];
        let (source, result, entry) = (info.source, info.result, info.entry);
        let params = Rc::clone(&info.params);
        if params.iter().any(|param| param.default.is_some()) {
            let mut checker = Checker::new(self, source.file, source.item.intact);
            checker.forbidden = params.iter().map(|param| param.name).collect();
            for param in params.iter() {
                if let Some(default) = param.default {
                    checker.parameter_value(default, param, param.ty);
                }
            }
        }
        let mut checker = Checker::new(self, source.file, source.item.intact);
        checker.result = result;
        // Parameters of one name were reported with the signature, and so were the numbers of threads.
        checker.program.muted += 1;
        for param in params.iter() {
            checker.declare(param.name, param.ty, Checker::local_kind(param), param.span);
        }
        let threads = entry
            .filter(|entry| entry.open_threads)
            .and_then(|entry| checker.thread_expressions(source.item.attributes, entry.span));
        checker.program.muted -= 1;
        checker.body.stmts = checker.block(function.body.stmts);
        if let Some((threads, span)) = threads {
            let kind = StmtKind::Threads(threads);
            checker.body.stmts.insert(0, Stmt { span, kind });
        }
        if checker.flow.unreachable.is_none() && source.item.intact && result != Ty::NOTHING && result != Ty::ERROR {
            let name = checker.program.text(source.item.name.name);
            let message = format!("`{name}` does not return a value on every path");
            checker.missing_return(source.item.name.span, message, function.body.stmts);
        }
        let Checker { body, calls, values, requests, .. } = checker;
        let info = &mut self.functions[id.index()];
        info.body = body;
        info.calls = calls;
        info.values = values;
        info.requests = requests;
    }
}

/// The most parameters that a function may have; target compilers stop at about as many.
pub(super) const MAX_PARAMETERS: usize = 255;

impl<'a> Checker<'_, 'a> {
    fn check_signature(&mut self, id: FunctionId, function: ast::Function<'a>) {
        let source = self.program.functions[id.index()].source;
        let mut entry = self.entry_of(source.item);
        self.program.functions[id.index()].entry = entry;
        if let Some(surplus) = function.params.get(MAX_PARAMETERS) {
            let message = format!("a function has at most {MAX_PARAMETERS} parameters, not {}", function.params.len());
            self.error(errors::TOO_LARGE, surplus.span, message);
        }
        let written = &function.params[..function.params.len().min(MAX_PARAMETERS)];
        self.check_parameter_list(written, entry);
        // The `const` parameters first: array lengths in all other types may depend on them.
        let mut params: Vec<Option<ParamInfo<'a>>> = vec![None; written.len()];
        self.declare_constants(written);
        for constants in [true, false] {
            for (index, param) in written.iter().enumerate() {
                if param.is_const.is_some() == constants {
                    let info = self.parameter(param, entry);
                    self.body.locals[index].ty = info.ty;
                    params[index] = Some(info);
                }
            }
        }
        let params: Vec<ParamInfo<'a>> = params.into_iter().flatten().collect();
        self.check_flattened_count(&params, function.params);
        let result = match function.result {
            None => Ty::NOTHING,
            Some(written) => self.result_type(written),
        };
        if let Some(entry) = &mut entry {
            self.entry_threads(entry, source.item.attributes);
            self.check_entry_parameters(*entry, &params);
            if entry.stage == Stage::Compute
                && let Some(written) = function.result
            {
                self.error(errors::BAD_ENTRY, written.span, "a compute entry returns nothing");
            }
        }
        let open_signature = self.program.is_open(result) || params.iter().any(|param| self.program.is_open(param.ty));
        let info = &mut self.program.functions[id.index()];
        info.entry = entry;
        info.template = written.iter().any(|param| time_of(param) != Time::Run);
        info.open_signature = open_signature;
        info.params = Rc::new(params);
        info.result = result;
    }

    /// How a run-time parameter of this type is passed.
    pub(super) fn pass_mode(&self, passing: Option<ast::Passing>, ty: Ty) -> PassMode {
        match passing {
            // Handles and contexts ignore the convention: they are never copied anyway.
            Some(_) if self.holds_resources(ty) => PassMode::Value,
            None => PassMode::Value,
            Some(passing) => match passing.kind {
                PassingKind::Ref => PassMode::Ref,
                PassingKind::Inout => PassMode::Inout,
            },
        }
    }

    /// The type that a function, closure or function type is written to give.
    pub(super) fn result_type(&mut self, written: &'a ast::Type<'a>) -> Ty {
        let ty = self.resolve_type(written);
        if !self.holds_resources(ty) {
            return ty;
        }
        let message = format!("{} cannot be returned", self.one(ty));
        self.resource_error(errors::BAD_TYPE, written.span, message, "return what is read from it");
        Ty::ERROR
    }

    /// Makes the `const` parameters known to the signature; the others only take their places.
    fn declare_constants(&mut self, params: &'a [ast::Param<'a>]) {
        self.program.muted += 1;
        for param in params {
            let (name, span) = (param.name.name, param.name.span);
            if param.is_const.is_some() {
                self.declare(name, Ty::ERROR, LocalKind::ConstParameter, span);
            } else {
                let (ty, kind) = (Ty::ERROR, LocalKind::Parameter);
                self.body.locals.push(Local { name, ty, kind, span, depth: 0 });
            }
        }
        self.program.muted -= 1;
    }

    /// Two parameters of one name, and those without a default after one with.
    fn check_parameter_list(&mut self, params: &'a [ast::Param<'a>], entry: Option<EntryInfo>) {
        let mut has_default = false;
        for (index, param) in params.iter().enumerate() {
            let text = self.program.text(param.name.name);
            if let Some(other) = params[..index].iter().find(|other| other.name.name == param.name.name) {
                let message = format!("`{text}` is already a parameter");
                let diagnostic = Diagnostic::error(errors::DUPLICATE_NAME, param.name.span, message)
                    .note_at(other.name.span, format!("the other `{text}`"));
                self.report(diagnostic);
            }
            if param.default.is_none() && has_default && entry.is_none() {
                let message = format!("`{text}` needs a default: a parameter before it has one");
                self.error(errors::BAD_ARGUMENTS, param.span, message);
            }
            has_default |= param.default.is_some();
        }
    }

    fn entry_of(&mut self, item: &'a ast::Item<'a>) -> Option<EntryInfo> {
        let mut entry = None;
        for (name, attribute) in self.attributes(item.attributes, On::Function) {
            let Some(stage) = Self::stage_of(name) else {
                continue;
            };
            entry = Some(EntryInfo { stage, span: attribute.span, threads: [1; 3], open_threads: false });
        }
        entry
    }

    /// Fills in the number of threads, which may depend on `const` parameters.
    fn entry_threads(&mut self, entry: &mut EntryInfo, attributes: &'a [ast::Attribute<'a>]) {
        let attribute = attributes.iter().find(|attribute| attribute.span == entry.span);
        if entry.stage == Stage::Compute
            && let Some(attribute) = attribute
        {
            // A misspelt attribute may have been meant for what is missing.
            if attribute.args.is_none() && attributes.iter().any(|attribute| !self.is_attribute(attribute)) {
                return;
            }
            match self.threads(attribute) {
                Some(threads) => entry.threads = threads,
                None => entry.open_threads = true,
            }
        }
    }

    fn parameter(&mut self, param: &'a ast::Param<'a>, entry: Option<EntryInfo>) -> ParamInfo<'a> {
        let time = time_of(param);
        let mut role = ParamRole::Plain;
        let mut faulty = false;
        if time != Time::Run && entry.is_some() {
            faulty = true;
        } else if let Some((name, attribute)) = self.attributes(param.attributes, On::Parameter).first() {
            if entry.is_none() {
                let message = format!("`@{name}` stands on a parameter of an entry");
                let stage = match *name {
                    "stage_in" | "front_facing" => "`@fragment`",
                    "vertex_id" | "instance_id" => "`@vertex`",
                    "dispatch_id" | "group_id" | "local_id" | "local_index" => "`@compute(threads = (x, y, z))`",
                    _ => "`@vertex`, `@fragment` or `@compute(threads = (x, y, z))`",
                };
                let help = format!("a function is an entry with {stage} before it");
                self.report(Diagnostic::error(errors::BAD_ATTRIBUTE, attribute.span, message).help(help));
                faulty = true;
            } else {
                match self.parameter_role(name, attribute) {
                    Some(found) => role = found,
                    None => faulty = true,
                }
            }
        }
        faulty |= role == ParamRole::Plain && !param.attributes.is_empty();
        let ty = match (param.ty, role) {
            (Some(written), _) => self.parameter_type(written),
            (None, ParamRole::Resource(BindingSource::Sampler(state))) => {
                let kind = if state.compare.is_some() { TyKind::SamplerCmp } else { TyKind::Sampler };
                self.program.types.intern(kind)
            }
            (None, _) => Ty::ERROR,
        };
        let type_span = param.ty.map_or(param.name.span, |ty| ty.span);
        let ty = self.context_type(param, role, ty, type_span);
        let ty =
            if time == Time::Run || self.check_compile_time(param, time, ty, entry.is_some()) { ty } else { Ty::ERROR };
        let mode = if time == Time::Run { self.pass_mode(param.passing, ty) } else { PassMode::Value };
        if let (Some(passing), Some(_), Time::Run) = (param.passing, entry, time) {
            let word = if passing.kind == PassingKind::Ref { "ref" } else { "inout" };
            let message = format!("a parameter of an entry is passed by value, not by `{word}`");
            self.error(errors::BAD_ENTRY, passing.span, message);
        }
        if let Some(default) = param.default {
            if entry.is_some() && time == Time::Run {
                self.error(errors::BAD_ENTRY, default.span, "a parameter of an entry has no default");
            } else if mode != PassMode::Value {
                self.error(errors::BAD_ARGUMENTS, default.span, "a borrowed parameter has no default");
            }
        }
        if let Some(entry) = entry
            && !faulty
        {
            self.check_role(entry.stage, param, role, ty, type_span);
        }
        self.check_buffer_layout(ty, type_span);
        let default =
            if mode == PassMode::Value && (entry.is_none() || time != Time::Run) { param.default } else { None };
        ParamInfo { name: param.name.name, span: param.name.span, ty, mode, role, time, default }
    }

    /// Whether the type of an entry's parameter fits what it is.
    fn check_role(&mut self, stage: Stage, param: &'a ast::Param<'a>, role: ParamRole, ty: Ty, type_span: Span) {
        let text = self.program.text(param.name.name);
        if ty == Ty::ERROR {
            return;
        }
        let kind = self.kind(ty);
        let message = match role {
            ParamRole::Const(_) | ParamRole::Optional => return,
            ParamRole::Plain => {
                let mut diagnostic = Diagnostic::error(
                    errors::BAD_ENTRY,
                    param.name.span,
                    format!("the parameter `{text}` of an entry says not where it comes from"),
                );
                let help = if kind.is_handle() {
                    "give it `@bind(group.name)` or `@sampler(…)`"
                } else if self.holds_resources(ty) {
                    "take its resources as parameters of the entry, and make the context in the body"
                } else {
                    match (stage, kind) {
                        (Stage::Vertex, TyKind::Struct(_)) => {
                            "there are no vertex inputs: take `@vertex_id` and fetch from a `Buf` that is bound"
                        }
                        (Stage::Fragment, TyKind::Struct(_)) => {
                            "what comes from the vertex entry is a struct with `@stage_in`"
                        }
                        _ => {
                            "give it a system value such as `@vertex_id` or `@dispatch_id`; what the host gives is bound as a `Uniform`"
                        }
                    }
                };
                diagnostic = diagnostic.help(help);
                self.report(diagnostic);
                return;
            }
            ParamRole::System(value) => {
                let (fits, wanted) = match value {
                    SystemValue::VertexId | SystemValue::InstanceId | SystemValue::LocalIndex => {
                        (ty == Ty::UINT, "a `uint`")
                    }
                    SystemValue::DispatchId | SystemValue::GroupId => (
                        kind.scalar() == Some(Scalar::U32) && kind.width().is_some_and(|width| width <= 3),
                        "a `uint`, `uint2` or `uint3`",
                    ),
                    SystemValue::LocalId => (kind == TyKind::Vector(Scalar::U32, 3), "a `uint3`"),
                    SystemValue::FrontFacing => (ty == Ty::BOOL, "a `bool`"),
                };
                if fits {
                    return;
                }
                let name = SystemValue::ALL.iter().find(|(other, _)| *other == value).map_or("", |(_, name)| *name);
                format!("`@{name}` is {wanted}, not `{}`", self.show(ty))
            }
            ParamRole::StageIn => {
                if matches!(kind, TyKind::Struct(_)) {
                    return;
                }
                format!("`@stage_in` is a struct, not `{}`", self.show(ty))
            }
            ParamRole::Resource(source) => match self.resource_fault(source, ty) {
                Some(message) => message,
                None => return,
            },
        };
        self.error(errors::BAD_ENTRY, type_span, message);
    }

    fn check_entry_parameters(&mut self, entry: EntryInfo, params: &[ParamInfo<'a>]) {
        let stage_name =
            |stage: Stage| Stage::ALL.iter().find(|(other, _)| *other == stage).map_or("", |(_, name)| *name);
        for (index, param) in params.iter().enumerate() {
            let (attribute, stage) = match param.role {
                ParamRole::System(value) => {
                    let name = SystemValue::ALL.iter().find(|(other, _)| *other == value).map_or("", |(_, name)| *name);
                    let stage = match value {
                        SystemValue::VertexId | SystemValue::InstanceId => Stage::Vertex,
                        SystemValue::FrontFacing => Stage::Fragment,
                        SystemValue::DispatchId
                        | SystemValue::GroupId
                        | SystemValue::LocalId
                        | SystemValue::LocalIndex => Stage::Compute,
                    };
                    (name, stage)
                }
                ParamRole::StageIn => ("stage_in", Stage::Fragment),
                ParamRole::Plain | ParamRole::Resource(_) | ParamRole::Const(_) | ParamRole::Optional => continue,
            };
            if stage != entry.stage {
                let message = format!(
                    "`@{attribute}` is for {} entries, and this is a {} entry",
                    stage_name(stage),
                    stage_name(entry.stage)
                );
                let mut diagnostic = Diagnostic::error(errors::BAD_ENTRY, param.span, message);
                if param.role == ParamRole::StageIn && entry.stage == Stage::Vertex {
                    diagnostic = diagnostic.help("a vertex entry reads its vertex from a buffer: `@vertex_id id: uint, @bind(group.name) vertices: Buf<Vertex>`");
                }
                self.report(diagnostic);
            }
            if let Some(other) = params[..index].iter().find(|other| other.role == param.role) {
                let diagnostic =
                    Diagnostic::error(errors::BAD_ENTRY, param.span, format!("an entry takes `@{attribute}` once"))
                        .note_at(other.span, "the other one");
                self.report(diagnostic);
            }
        }
    }

    /// What a buffer holds must have a layout; a uniform should fit every device.
    pub(super) fn check_buffer_layout(&mut self, ty: Ty, span: Span) {
        let TyKind::Buffer(buffer, held) = self.kind(ty) else {
            return;
        };
        if !self.is_laid_out(held) {
            return;
        }
        let ir = self.program.erase(held);
        match self.program.layouts.of(&self.program.module, ir, Packing::of_buffer(buffer)) {
            Ok(layout) if buffer == BufferKind::Uniform && layout.size > LARGEST_UNIFORM => {
                let message = format!("this uniform has {} bytes, more than {LARGEST_UNIFORM}", layout.size);
                self.report(Diagnostic::warning(errors::LARGE_UNIFORM, span, message));
            }
            Ok(_) => {}
            Err(error) => self.error(errors::LAYOUT, span, Program::layout_error(error)),
        }
    }
}
