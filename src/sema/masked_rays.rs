//! Rays whose triangles a function of the program's judges: which function that is.

use akari_dialect::Builtin;
use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::program::{Def, Written, mode_word};
use super::scope::Found;
use super::tree::{ExprId, ExprKind};
use super::types::{FunctionId, Ty};
use crate::syntax::prelude::CANDIDATE_ACCEPTS;

/// Its parameters, and where among the arguments of the builtin stands what the first five of them are given.
const PARAMS: [&str; 8] =
    ["instances", "materials", "buffers", "textures", "instance_count", "instance_id", "primitive_id", "barycentric"];
const GIVEN: std::ops::Range<usize> = 1..6;

impl Checker<'_, '_> {
    /// The call of a builtin that lets a function judge triangles, with arguments that it takes.
    pub(super) fn masked_ray(&mut self, builtin: Builtin, arguments: Vec<ExprId>, ty: Ty, span: Span) -> ExprId {
        let mut given: Vec<Ty> = arguments[GIVEN].iter().map(|argument| self.ty(*argument)).collect();
        given.extend([Ty::UINT, Ty::UINT, self.vector(akari_ir::Scalar::F32, 2)]);
        let Some(accepts) = self.candidate_accepts(builtin, &given, span) else { return self.poison(span) };
        self.calls.push((accepts, span));
        self.add(ExprKind::MaskedRay(builtin, accepts, arguments.into()), ty, span)
    }

    /// The function that judges, given arguments of these types. It is an error where there is none.
    fn candidate_accepts(&mut self, builtin: Builtin, given: &[Ty], span: Span) -> Option<FunctionId> {
        let name = self.program.text(CANDIDATE_ACCEPTS);
        let defs = match self.program.find(CANDIDATE_ACCEPTS, self.file) {
            Found::Defs(defs) => defs,
            Found::Lost => return None,
            Found::Private(def) => {
                self.program.report_private(def, span);
                return None;
            }
            Found::Nothing => {
                let message = format!("`{}` needs a function `{name}`, and there is none", builtin.name());
                let help = format!("define or import {}", self.wanted_signature(given));
                self.report(Diagnostic::error(errors::UNKNOWN_FUNCTION, span, message).help(help));
                return None;
            }
        };
        let functions: Vec<FunctionId> = defs.iter().filter_map(Def::function).collect();
        for id in &functions {
            self.program.ensure_signature(*id);
        }
        // What is wrong by itself has been reported.
        let is_faulty = |id: &FunctionId| {
            let function = &self.program.functions[id.index()];
            matches!(function.written, Written::Instance(_)) && function.instance.is_none()
                || function.result == Ty::ERROR
                || function.params.iter().any(|param| param.ty == Ty::ERROR)
        };
        if functions.iter().any(is_faulty) {
            return None;
        }
        if let Some(found) = functions.iter().find(|id| self.fault_of_judge(**id, given).is_none()) {
            return Some(*found);
        }
        let message = match functions.as_slice() {
            [] => format!("`{name}`, which `{}` calls, is no function", builtin.name()),
            [only] => {
                let fault = self.fault_of_judge(*only, given).unwrap_or_default();
                format!("`{}` cannot call `{name}`, since it {fault}", builtin.name())
            }
            _ => format!("`{}` can call no `{name}`", builtin.name()),
        };
        let mut diagnostic = Diagnostic::error(errors::NO_OVERLOAD, span, message);
        for def in &defs {
            let at = self.program.source(*def).item.name.span;
            let fault = def.function().filter(|_| functions.len() > 1).and_then(|id| self.fault_of_judge(id, given));
            let note = fault.map_or("defined here".to_owned(), |fault| format!("this one {fault}"));
            diagnostic = diagnostic.note_at(at, note);
        }
        let help = format!("it must be {}", self.wanted_signature(given));
        self.report(diagnostic.help(help));
        None
    }

    /// Why a function cannot judge, given arguments of these types.
    fn fault_of_judge(&self, id: FunctionId, given: &[Ty]) -> Option<String> {
        let function = &self.program.functions[id.index()];
        if function.template {
            return Some("is a template".into());
        }
        if function.entry.is_some() {
            return Some("is an entry".into());
        }
        if function.params.len() != given.len() {
            let count = function.params.len();
            let plural = if count == 1 { "" } else { "s" };
            return Some(format!("has {count} parameter{plural}, not {}", given.len()));
        }
        let wrong =
            function.params.iter().zip(given).find(|(param, ty)| param.ty != **ty || param.mode != PassMode::Value);
        if let Some((param, ty)) = wrong {
            let name = self.program.text(param.name);
            let (mode, found) = (mode_word(param.mode), self.show(param.ty));
            return Some(format!("takes `{mode}{found}` as `{name}`, not `{}`", self.show(*ty)));
        }
        match function.result {
            Ty::BOOL => None,
            Ty::NOTHING => Some("gives nothing, not a `bool`".into()),
            other => Some(format!("gives `{}`, not `bool`", self.show(other))),
        }
    }

    fn wanted_signature(&self, given: &[Ty]) -> String {
        let params: Vec<String> =
            PARAMS.iter().zip(given).map(|(name, ty)| format!("{name}: {}", self.show(*ty))).collect();
        format!("fn {}({}) -> bool", self.program.text(CANDIDATE_ACCEPTS), params.join(", "))
    }
}
