//! Rays whose triangles a function of the program's judges: which function that is.

use akari_dialect::Builtin;
use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::program::{Def, Time, Written};
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
                let help = format!("define or import `{}`", self.wanted_signature(given));
                self.report(Diagnostic::error(errors::UNKNOWN_FUNCTION, span, message).help(help));
                return None;
            }
        };
        let functions: Vec<FunctionId> = defs.iter().filter_map(Def::function).collect();
        for id in &functions {
            self.program.ensure_signature(*id);
        }
        if let Some(found) = functions.iter().find(|id| self.takes_candidates(**id, given)) {
            return Some(*found);
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
        let message = match functions.as_slice() {
            [] => format!("`{name}`, which `{}` calls, is no function", builtin.name()),
            [only] => {
                let shown = self.signature_text(*only);
                format!("`{}` calls `{name}`, which is `{shown}` and does not take what it is given", builtin.name())
            }
            _ => format!("`{}` calls `{name}`, and none takes what it is given", builtin.name()),
        };
        let mut diagnostic = Diagnostic::error(errors::NO_OVERLOAD, span, message);
        for def in &defs {
            let at = self.program.source(*def).item.name.span;
            diagnostic = match def.function() {
                Some(id) if functions.len() > 1 => {
                    diagnostic.note_at(at, format!("candidate: `{}`", self.signature_text(id)))
                }
                _ => diagnostic.note_at(at, "defined here"),
            };
        }
        let help = format!("it must be `{}`", self.wanted_signature(given));
        self.report(diagnostic.help(help));
        None
    }

    fn takes_candidates(&self, id: FunctionId, given: &[Ty]) -> bool {
        let function = &self.program.functions[id.index()];
        !function.template
            && function.entry.is_none()
            && function.result == Ty::BOOL
            && function.params.len() == given.len()
            && function.params.iter().zip(given).all(|(param, ty)| {
                param.ty == *ty && *ty != Ty::ERROR && param.mode == PassMode::Value && param.time == Time::Run
            })
    }

    fn wanted_signature(&self, given: &[Ty]) -> String {
        let params: Vec<String> =
            PARAMS.iter().zip(given).map(|(name, ty)| format!("{name}: {}", self.show(*ty))).collect();
        format!("fn {}({}) -> bool", self.program.text(CANDIDATE_ACCEPTS), params.join(", "))
    }
}
