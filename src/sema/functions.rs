//! Functions: signatures, parameters of entries, bodies.

use std::rc::Rc;

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::interface::{BindingSource, ParamRole, PassMode, Stage, SystemValue};
use akari_ir::types::BufferKind;
use akari_ir::{Diagnostic, Scalar, Span};

use super::attributes::On;
use super::checker::Checker;
use super::errors;
use super::program::{EntryInfo, ParamInfo, Program, State};
use super::tree::LocalKind;
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
            let source = info.source;
            let muted = std::mem::take(&mut self.muted);
            Checker::new(self, source.file, source.item.intact).check_signature(id);
            self.muted = muted;
            self.functions[id.index()].state = State::Done;
        }
    }

    /// Checks the defaults of a function's parameters and its body.
    pub(super) fn check_function(&mut self, id: FunctionId) {
        let info = &self.functions[id.index()];
        if info.template {
            return;
        }
        let (source, function, result) = (info.source, info.function, info.result);
        let params = Rc::clone(&info.params);
        if params.iter().any(|param| param.default.is_some()) {
            let mut checker = Checker::new(self, source.file, source.item.intact);
            checker.forbidden = params.iter().map(|param| param.name).collect();
            for param in params.iter() {
                if let Some(default) = param.default {
                    checker.typed(default, param.ty);
                }
            }
        }
        let mut checker = Checker::new(self, source.file, source.item.intact);
        checker.result = result;
        // Parameters of one name were reported with the signature.
        checker.program.muted += 1;
        for param in params.iter() {
            let kind = match param.mode {
                PassMode::Value => LocalKind::Parameter,
                PassMode::Ref => LocalKind::Ref,
                PassMode::Inout => LocalKind::Inout,
            };
            checker.declare(param.name, param.ty, kind, param.span);
        }
        checker.program.muted -= 1;
        checker.body.stmts = checker.block(function.body.stmts);
        if checker.flow.unreachable.is_none()
            && source.item.intact
            && result != Ty::NOTHING
            && result != Ty::ERROR
        {
            let name = checker.program.text(source.item.name.name);
            let message = format!("`{name}` does not return a value on every path");
            checker.error(errors::MISSING_RETURN, source.item.name.span, message);
        }
        let Checker {
            body,
            calls,
            uses,
            groupshared,
            ..
        } = checker;
        let info = &mut self.functions[id.index()];
        info.body = body;
        info.calls = calls;
        info.uses = uses;
        info.groupshared = groupshared;
    }
}

/// The most parameters that a function may have; target compilers stop at about as many.
pub(super) const MAX_PARAMETERS: usize = 255;

impl<'a> Checker<'_, 'a> {
    fn check_signature(&mut self, id: FunctionId) {
        let info = &self.program.functions[id.index()];
        let (source, function) = (info.source, info.function);
        let entry = self.entry_of(source.item);
        self.program.functions[id.index()].entry = entry;
        let mut params: Vec<ParamInfo<'a>> = Vec::with_capacity(function.params.len());
        let mut template = false;
        let mut first_default: Option<Span> = None;
        if let Some(surplus) = function.params.get(MAX_PARAMETERS) {
            let message = format!("a function has at most {MAX_PARAMETERS} parameters, not {}", function.params.len());
            self.error(errors::TOO_LARGE, surplus.span, message);
        }
        for param in function.params.iter().take(MAX_PARAMETERS) {
            if let Some(other) = params.iter().find(|other| other.name == param.name.name) {
                let text = self.program.text(param.name.name);
                let message = format!("`{text}` is already a parameter");
                let diagnostic =
                    Diagnostic::error(errors::DUPLICATE_NAME, param.name.span, message)
                        .note_at(other.span, format!("the other `{text}`"));
                self.report(diagnostic);
            }
            if let Some(what) = later_parameter(param) {
                self.program.not_available(what, param.span);
                template = true;
                continue;
            }
            let info = self.parameter(param, entry);
            match (param.default, first_default) {
                (Some(default), None) => first_default = Some(default.span),
                (None, Some(_)) => {
                    let text = self.program.text(param.name.name);
                    let message =
                        format!("`{text}` needs a default: a parameter before it has one");
                    self.error(errors::BAD_ARGUMENTS, param.span, message);
                }
                _ => {}
            }
            params.push(info);
        }
        self.check_flattened_count(&params, function.params);
        let result = match function.result {
            None => Ty::NOTHING,
            Some(written) => {
                let ty = self.resolve_type(written);
                if self.holds_resources(ty) {
                    let message = format!("a `{}` cannot be returned", self.show(ty));
                    self.resource_error(errors::BAD_TYPE, written.span, message, "return what is read from it");
                    Ty::ERROR
                } else {
                    ty
                }
            }
        };
        if let Some(entry) = entry {
            self.check_entry_parameters(entry, &params);
            if entry.stage == Stage::Compute
                && let Some(written) = function.result
            {
                self.error(
                    errors::BAD_ENTRY,
                    written.span,
                    "a compute entry returns nothing",
                );
            }
        }
        let info = &mut self.program.functions[id.index()];
        info.params = Rc::new(params);
        info.result = result;
        info.template = template;
    }

    fn entry_of(&mut self, item: &'a ast::Item<'a>) -> Option<EntryInfo> {
        let mut entry = None;
        for (name, attribute) in self.attributes(item.attributes, On::Function) {
            let Some(stage) = Self::stage_of(name) else {
                continue;
            };
            let threads = match stage {
                Stage::Compute => self.threads(attribute),
                Stage::Vertex | Stage::Fragment => [1; 3],
            };
            entry = Some(EntryInfo {
                stage,
                span: attribute.span,
                threads,
            });
        }
        entry
    }

    fn parameter(&mut self, param: &'a ast::Param<'a>, entry: Option<EntryInfo>) -> ParamInfo<'a> {
        let mut role = ParamRole::Plain;
        let mut faulty = false;
        if let Some((name, attribute)) = self.attributes(param.attributes, On::Parameter).first() {
            if entry.is_none() {
                let message = format!("`@{name}` stands on a parameter of an entry");
                self.error(errors::BAD_ATTRIBUTE, attribute.span, message);
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
            (Some(written), _) => self.resolve_type(written),
            (None, ParamRole::Resource(BindingSource::Sampler(state))) => {
                let kind = if state.compare.is_some() {
                    TyKind::SamplerCmp
                } else {
                    TyKind::Sampler
                };
                self.program.types.intern(kind)
            }
            (None, _) => Ty::ERROR,
        };
        let type_span = param.ty.map_or(param.name.span, |ty| ty.span);
        let ty = self.parameter_type(param, role, ty, type_span);
        let mode = match param.passing {
            // Handles and contexts ignore the convention: they are never copied anyway.
            Some(_) if self.holds_resources(ty) => PassMode::Value,
            None => PassMode::Value,
            Some(passing) => match passing.kind {
                PassingKind::Ref => PassMode::Ref,
                PassingKind::Inout => PassMode::Inout,
            },
        };
        if let (Some(passing), Some(_)) = (param.passing, entry) {
            let word = if passing.kind == PassingKind::Ref {
                "ref"
            } else {
                "inout"
            };
            let message = format!("a parameter of an entry is passed by value, not by `{word}`");
            self.error(errors::BAD_ENTRY, passing.span, message);
        }
        if let Some(default) = param.default {
            if entry.is_some() {
                self.error(
                    errors::BAD_ENTRY,
                    default.span,
                    "a parameter of an entry has no default",
                );
            } else if mode != PassMode::Value {
                self.error(
                    errors::BAD_ARGUMENTS,
                    default.span,
                    "a borrowed parameter has no default",
                );
            }
        }
        if entry.is_some() && !faulty {
            self.check_role(param, role, ty, type_span);
        }
        self.check_buffer_layout(ty, type_span);
        let default = if mode == PassMode::Value && entry.is_none() {
            param.default
        } else {
            None
        };
        ParamInfo {
            name: param.name.name,
            span: param.name.span,
            ty,
            mode,
            role,
            default,
        }
    }

    /// Whether the type of an entry's parameter fits what it is.
    fn check_role(&mut self, param: &'a ast::Param<'a>, role: ParamRole, ty: Ty, type_span: Span) {
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
                    "give it a system value such as `@vertex_id` or `@dispatch_id`, or `@stage_in`"
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
                        kind.scalar() == Some(Scalar::U32)
                            && kind.width().is_some_and(|width| width <= 3),
                        "a `uint`, `uint2` or `uint3`",
                    ),
                    SystemValue::LocalId => (kind == TyKind::Vector(Scalar::U32, 3), "a `uint3`"),
                    SystemValue::FrontFacing => (ty == Ty::BOOL, "a `bool`"),
                };
                if fits {
                    return;
                }
                let name = SystemValue::ALL
                    .iter()
                    .find(|(other, _)| *other == value)
                    .map_or("", |(_, name)| *name);
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
        let stage_name = |stage: Stage| {
            Stage::ALL
                .iter()
                .find(|(other, _)| *other == stage)
                .map_or("", |(_, name)| *name)
        };
        for (index, param) in params.iter().enumerate() {
            let (attribute, stage) = match param.role {
                ParamRole::System(value) => {
                    let name = SystemValue::ALL
                        .iter()
                        .find(|(other, _)| *other == value)
                        .map_or("", |(_, name)| *name);
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
                self.error(errors::BAD_ENTRY, param.span, message);
            }
            if let Some(other) = params[..index]
                .iter()
                .find(|other| other.role == param.role)
            {
                let diagnostic = Diagnostic::error(
                    errors::BAD_ENTRY,
                    param.span,
                    format!("an entry takes `@{attribute}` once"),
                )
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
        match self
            .program
            .layouts
            .of(&self.program.module, ir, Packing::of_buffer(buffer))
        {
            Ok(layout) if buffer == BufferKind::Uniform && layout.size > LARGEST_UNIFORM => {
                let message = format!(
                    "this uniform has {} bytes, more than {LARGEST_UNIFORM}",
                    layout.size
                );
                self.report(Diagnostic::warning(errors::LARGE_UNIFORM, span, message));
            }
            Ok(_) => {}
            Err(error) => self.error(errors::LAYOUT, span, Program::layout_error(error)),
        }
    }
}

/// What a parameter is that this version does not have yet.
fn later_parameter(param: &ast::Param<'_>) -> Option<&'static str> {
    if param.is_const.is_some() {
        return Some("a `const` parameter");
    }
    if param.optional.is_some() {
        return Some("an optional parameter");
    }
    match param.ty.map(|ty| ty.kind) {
        Some(ast::TypeKind::Fn { .. }) => Some("a parameter of function type"),
        _ => None,
    }
}
