//! Which function of a name a call means: arguments bound to parameters, and how well they fit.

use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::program::ParamInfo;
use super::tree::ExprId;
use super::types::{FunctionId, Ty, TyKind};
use crate::syntax::ast;

/// An argument before the function is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument<'a> {
    /// With a type of its own.
    Typed(ExprId),
    /// Of literals, which take the type of the parameter.
    Flexible(Flexible, &'a ast::Expr<'a>),
}

/// How well a function takes the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// With so many conversions.
    Plain(u32),
    /// For each component of vectors this wide.
    Lifted(u8),
}

impl<'a> Checker<'_, 'a> {
    /// Which parameter each argument is for; the fault otherwise, with its place if it is not the whole call.
    pub(super) fn bind(
        &self,
        id: FunctionId,
        args: &'a [ast::Arg<'a>],
    ) -> Result<Vec<usize>, (Option<Span>, String)> {
        let function = &self.program.functions[id.index()];
        let text = self.program.text(function.source.item.name.name);
        let params = &function.params;
        let mut slots = Vec::with_capacity(args.len());
        let mut given = vec![false; params.len()];
        for (position, arg) in args.iter().enumerate() {
            let slot = match arg.name {
                None => position,
                Some(name) => match params.iter().position(|param| param.name == name.name) {
                    Some(slot) => slot,
                    None => {
                        let message = format!(
                            "`{text}` has no parameter `{}`",
                            self.program.text(name.name)
                        );
                        return Err((Some(name.span), message));
                    }
                },
            };
            match given.get_mut(slot) {
                None => {
                    let count = params.len();
                    let plural = if count == 1 { "" } else { "s" };
                    let message = format!(
                        "`{text}` takes {count} argument{plural}, not {}",
                        args.len()
                    );
                    return Err((Some(arg.value.span), message));
                }
                Some(true) => {
                    let param = self.program.text(params[slot].name);
                    let at = arg.name.map(|name| name.span);
                    return Err((
                        at,
                        format!("the parameter `{param}` of `{text}` is given twice"),
                    ));
                }
                Some(given) => *given = true,
            }
            slots.push(slot);
        }
        match params
            .iter()
            .zip(&given)
            .find(|(param, given)| !**given && param.default.is_none())
        {
            Some((param, _)) => {
                let param = self.program.text(param.name);
                Err((
                    None,
                    format!("the call of `{text}` gives no argument for `{param}`"),
                ))
            }
            None => Ok(slots),
        }
    }

    /// How well a function takes the arguments, if at all.
    pub(super) fn fit(
        &self,
        id: FunctionId,
        slots: &[usize],
        arguments: &[Argument<'a>],
    ) -> Option<Fit> {
        let params = &self.program.functions[id.index()].params;
        let costs = slots
            .iter()
            .zip(arguments)
            .map(|(slot, argument)| self.cost(&params[*slot], *argument));
        if let Some(total) = costs.sum::<Option<u32>>() {
            return Some(Fit::Plain(total));
        }
        self.lifted_width(id, slots, arguments).map(Fit::Lifted)
    }

    /// How far an argument is from its parameter.
    pub(super) fn cost(&self, param: &ParamInfo<'a>, argument: Argument<'a>) -> Option<u32> {
        match argument {
            Argument::Typed(id) => {
                let ty = self.ty(id);
                if ty == param.ty || ty == Ty::ERROR || param.ty == Ty::ERROR {
                    return Some(0);
                }
                let held = matches!(self.kind(ty), TyKind::Buffer(akari_ir::BufferKind::Uniform, held) if held == param.ty);
                let reads = self.program.underlying(ty) == Some(param.ty) || held;
                (param.mode == PassMode::Value && reads).then_some(1)
            }
            Argument::Flexible(kind, _) => {
                let scalar = match self.kind(param.ty) {
                    TyKind::Scalar(scalar) => scalar,
                    TyKind::Error => return Some(0),
                    _ => return None,
                };
                match kind {
                    Flexible::Int if scalar == akari_ir::Scalar::I32 => Some(0),
                    Flexible::Float if scalar == akari_ir::Scalar::F32 => Some(0),
                    Flexible::Int if scalar != akari_ir::Scalar::Bool => Some(1),
                    Flexible::Float if scalar.is_float() => Some(1),
                    Flexible::Bits if scalar == akari_ir::Scalar::I32 => Some(0),
                    Flexible::Bits if scalar.is_integer() => Some(1),
                    Flexible::Int | Flexible::Bits | Flexible::Float => None,
                }
            }
        }
    }

    /// The width at which a scalar function is applied component by component.
    pub(super) fn lifted_width(
        &self,
        id: FunctionId,
        slots: &[usize],
        arguments: &[Argument<'a>],
    ) -> Option<u8> {
        let function = &self.program.functions[id.index()];
        let is_scalar = |ty: Ty| matches!(self.kind(ty), TyKind::Scalar(_));
        if !is_scalar(function.result) || function.result == Ty::UINT64 {
            return None;
        }
        let mut width = None;
        for (slot, argument) in slots.iter().zip(arguments) {
            let param = &function.params[*slot];
            if let Argument::Typed(id) = argument
                && let TyKind::Vector(scalar, given) = self.ty_kind(*id)
            {
                if param.mode != PassMode::Value
                    || param.ty != Ty::scalar(scalar)
                    || width.is_some_and(|width| width != given)
                {
                    return None;
                }
                width = Some(given);
            } else {
                self.cost(param, *argument)?;
            }
        }
        let scalars = function
            .params
            .iter()
            .all(|param| param.mode == PassMode::Value && is_scalar(param.ty));
        width.filter(|_| scalars)
    }

    pub(super) fn no_overload(
        &mut self,
        text: &str,
        functions: &[FunctionId],
        arguments: &[Argument<'a>],
        callee: Span,
        span: Span,
    ) -> ExprId {
        let given: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Typed(id) => format!("`{}`", self.show(self.ty(*id))),
                Argument::Flexible(Flexible::Int | Flexible::Bits, _) => "`int`".into(),
                Argument::Flexible(Flexible::Float, _) => "`float`".into(),
            })
            .collect();
        let given = if given.is_empty() {
            "no arguments".into()
        } else {
            given.join(", ")
        };
        let mut diagnostic = Diagnostic::error(
            errors::NO_OVERLOAD,
            callee,
            format!("no `{text}` takes {given}"),
        );
        for id in functions {
            let at = self.program.functions[id.index()].source.item.name.span;
            diagnostic =
                diagnostic.note_at(at, format!("candidate: `{}`", self.signature_text(*id)));
        }
        self.report(diagnostic);
        self.poison(span)
    }

    pub(super) fn signature_text(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id.index()];
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| {
                let mode = match param.mode {
                    PassMode::Value => "",
                    PassMode::Ref => "ref ",
                    PassMode::Inout => "inout ",
                };
                format!(
                    "{}: {mode}{}",
                    self.program.text(param.name),
                    self.show(param.ty)
                )
            })
            .collect();
        let name = self.program.text(function.source.item.name.name);
        let result = if function.result == Ty::NOTHING {
            String::new()
        } else {
            format!(" -> {}", self.show(function.result))
        };
        format!("fn {name}({}){result}", params.join(", "))
    }
}
