//! Contexts: structs that hold resources. A context is a pack of parameters, taken apart before anything is emitted, so that it
//! can go only where its parts can go one by one: into parameters, `let`s and other contexts.

use akari_dialect_gpu_abi::layout::MAX_DEPTH;
use akari_ir::interface::ParamRole;
use akari_ir::{Code, Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::functions::MAX_PARAMETERS;
use super::program::{FieldInfo, Fields, ParamInfo};
use super::types::{StructId, Ty, TyKind};
use crate::syntax::ast::{self, PassingKind};

/// What to do with a context that was meant to be stored.
pub(super) const CONTEXTS_ARE_PARAMETERS: &str = "pass it as a parameter, or keep it in a field of another context";

/// What to do with a resource that was meant to be stored.
pub(super) const RESOURCES_ARE_PARAMETERS: &str = "pass it as a parameter, or keep it in a field of a context";

impl<'a> Checker<'_, 'a> {
    /// Whether the type is a resource, or a context.
    pub(super) fn holds_resources(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            TyKind::Struct(id) => self.program.structs[id.index()].leaves > 0,
            kind => kind.is_handle(),
        }
    }

    /// Reports something that resources cannot do, and what can be done instead.
    pub(super) fn resource_error(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// How many parameters one of the type becomes.
    fn leaves(&self, ty: Ty) -> u32 {
        match self.kind(ty) {
            TyKind::Struct(id) => self.program.structs[id.index()].leaves.max(1),
            _ => 1,
        }
    }

    /// Whether the type is a context with more parts than a function has parameters, or with too many contexts in one another, which
    /// is an error where it is defined.
    pub(super) fn is_too_large(&self, ty: Ty) -> bool {
        self.leaves(ty) > MAX_PARAMETERS as u32 || self.depth(ty) > MAX_DEPTH
    }

    fn depth(&self, ty: Ty) -> u32 {
        match self.kind(ty) {
            TyKind::Struct(id) => self.program.structs[id.index()].depth,
            _ => 0,
        }
    }

    /// Notes whether a struct is a context, and gives it.
    pub(super) fn note_context(&mut self, id: StructId, fields: &Fields<'a>, packed: bool) -> bool {
        if !fields.values().any(|field| self.holds_resources(field.ty)) {
            return false;
        }
        let leaves = fields.values().fold(0, |sum: u32, field| sum.saturating_add(self.leaves(field.ty)));
        let depth = fields.values().map(|field| self.depth(field.ty)).max().unwrap_or(0).saturating_add(1);
        self.program.structs[id.index()].leaves = leaves;
        self.program.structs[id.index()].depth = depth;
        let name = self.program.structs[id.index()].source.item.name;
        let text = self.program.text(name.name);
        // One that holds a context which is too large itself is not told of again.
        let is_told = fields.values().any(|field| self.is_too_large(field.ty));
        if depth > MAX_DEPTH && !is_told {
            let message = format!("the context `{text}` holds contexts more than {MAX_DEPTH} deep in one another");
            self.error(errors::TOO_LARGE, name.span, message);
        } else if leaves > MAX_PARAMETERS as u32 && !is_told {
            let message = format!(
                "the context `{text}` holds {leaves} resources and values, more than a function has parameters ({MAX_PARAMETERS})"
            );
            self.error(errors::TOO_LARGE, name.span, message);
        }
        if packed {
            let message = format!("`{text}` holds resources and has no layout: it cannot be `@packed`");
            self.error(errors::BAD_ATTRIBUTE, name.span, message);
        }
        true
    }

    /// Reports a `..` that would have to make up a resource.
    pub(super) fn unfillable_field(&mut self, field: &FieldInfo<'a>, dots: Span) {
        let (name, ty) = (self.program.text(field.name), self.one(field.ty));
        let message = format!("`..` cannot fill `{name}`: there is no zero of {ty}");
        self.resource_error(
            errors::BAD_LITERAL,
            dots,
            message,
            "name every resource, or take those of another context with `..base`",
        );
    }

    /// A default would have to name a resource, which belongs to whoever makes the context.
    pub(super) fn default_of_resource(&mut self, field: &FieldInfo<'a>, span: Span) {
        let (name, ty) = (self.program.text(field.name), self.one(field.ty));
        let message = format!("`{name}` is or holds a resource, and {ty} has no default");
        self.resource_error(errors::BAD_LITERAL, span, message, "let every literal name it");
    }

    /// The type of a run-time parameter, after what a context cannot be has been reported.
    pub(super) fn context_type(&mut self, param: &'a ast::Param<'a>, role: ParamRole, ty: Ty, type_span: Span) -> Ty {
        if !matches!(self.kind(ty), TyKind::Struct(_)) || !self.holds_resources(ty) {
            return ty;
        }
        if role == ParamRole::StageIn {
            let message = format!("`@stage_in` holds values, and {} holds resources", self.one(ty));
            self.resource_error(errors::BAD_ENTRY, type_span, message, "take the resources as parameters of their own");
            return Ty::ERROR;
        }
        if let Some(passing) = param.passing
            && passing.kind == PassingKind::Inout
        {
            let message = format!("{} holds resources and cannot be `inout`", self.one(ty));
            self.resource_error(
                errors::BAD_TYPE,
                passing.span,
                message,
                "pass it by value: what its resources hold can be written all the same",
            );
        }
        ty
    }

    /// Contexts count as often as they have parts.
    pub(super) fn check_flattened_count(&mut self, params: &[ParamInfo<'a>], written: &'a [ast::Param<'a>]) {
        let total = params.iter().fold(0, |sum: u32, param| sum.saturating_add(self.leaves(param.ty)));
        // A context that is too large by itself has been told of.
        if total > MAX_PARAMETERS as u32
            && written.len() <= MAX_PARAMETERS
            && !params.iter().any(|param| self.is_too_large(param.ty))
            && let Some(last) = written.last()
        {
            let message = format!(
                "a function has at most {MAX_PARAMETERS} parameters, not {total}: a context counts as often as it has parts"
            );
            self.error(errors::TOO_LARGE, last.span, message);
        }
    }
}
