//! Which function of a name a call means: arguments bound to parameters, and how well they fit.

use std::rc::Rc;

use akari_ir::interface::PassMode;
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::open::Value;
use super::program::{Def, ParamInfo, Program, Time, mode_word};
use super::tree::ExprId;
use super::types::{FunctionId, SignatureId, Ty, TyKind};
use crate::syntax::ast;

/// So many functions are told of that a call may have meant.
const MOST_CANDIDATES: usize = 8;

/// An argument before the function is chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument<'a> {
    /// With a type of its own.
    Typed(ExprId),
    /// Of literals, which take the type of the parameter.
    Flexible(Flexible, &'a ast::Expr<'a>),
    /// A closure, `none` or the name of a function, which are looked at once the parameter is known.
    Waiting(&'a ast::Expr<'a>),
}

/// A function with the arguments of a call given to its parameters.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) function: FunctionId,
    /// The parameter of each argument.
    pub(super) slots: Vec<usize>,
    /// The types of all parameters, as the `const` arguments make them.
    pub(super) types: Vec<Ty>,
    /// The type of the result.
    pub(super) result: Ty,
    /// What is wrong with an array length that the arguments make.
    pub(super) fault: Option<String>,
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
    pub(super) fn bind(&self, id: FunctionId, args: &'a [ast::Arg<'a>]) -> Result<Vec<usize>, (Option<Span>, String)> {
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
                        let message = format!("`{text}` has no parameter `{}`", self.program.text(name.name));
                        return Err((Some(name.span), message));
                    }
                },
            };
            match given.get_mut(slot) {
                None => {
                    let count = params.len();
                    let plural = if count == 1 { "" } else { "s" };
                    let message = format!("`{text}` takes {count} argument{plural}, not {}", args.len());
                    return Err((Some(arg.value.span), message));
                }
                Some(true) => {
                    let param = self.program.text(params[slot].name);
                    let at = arg.name.map(|name| name.span);
                    return Err((at, format!("the parameter `{param}` of `{text}` is given twice")));
                }
                Some(given) => *given = true,
            }
            slots.push(slot);
        }
        match params.iter().zip(&given).find(|(param, given)| !**given && param.default.is_none()) {
            Some((param, _)) => {
                let param = self.program.text(param.name);
                Err((None, format!("the call of `{text}` gives no argument for `{param}`")))
            }
            None => Ok(slots),
        }
    }

    /// The types of a function's parameters and of its result, as the `const` arguments make them.
    pub(super) fn with_types(&mut self, function: FunctionId, slots: Vec<usize>, arguments: &[Argument<'a>]) -> Bound {
        let info = &self.program.functions[function.index()];
        let (params, open, result) = (Rc::clone(&info.params), info.open_signature, info.result);
        let types: Vec<Ty> = params.iter().map(|param| param.ty).collect();
        let mut bound = Bound { function, slots, types, result, fault: None };
        if !open {
            return bound;
        }
        let mut values: Vec<Option<Value>> = vec![None; params.len()];
        // Whether they are constant is told with the other arguments.
        self.program.muted += 1;
        for (slot, param) in params.iter().enumerate() {
            if param.time != Time::Const {
                continue;
            }
            let given = bound.slots.iter().position(|given| *given == slot);
            let id = match (given.map(|index| arguments[index]), param.default) {
                (Some(Argument::Typed(id)), _) => self.expect(id, param.ty),
                (Some(Argument::Flexible(_, written) | Argument::Waiting(written)), _) => self.typed(written, param.ty),
                (None, Some(default)) => {
                    self.default(Def::Function(function), default, |checker, default| checker.typed(default, param.ty))
                }
                (None, None) => continue,
            };
            values[slot] = self.constant_value(id).ok();
        }
        self.program.muted -= 1;
        for index in 0..=params.len() {
            let ty = bound.types.get(index).copied().unwrap_or(result);
            let ty = match self.program.substitute(ty, &values) {
                Ok(ty) => ty,
                Err(fault) => {
                    bound.fault = bound.fault.or(Some(fault));
                    Ty::ERROR
                }
            };
            match bound.types.get_mut(index) {
                Some(slot) => *slot = ty,
                None => bound.result = ty,
            }
        }
        bound
    }

    /// How well a function takes the arguments, if at all.
    pub(super) fn fit(&mut self, bound: &Bound, arguments: &[Argument<'a>]) -> Option<Fit> {
        let params = Rc::clone(&self.program.functions[bound.function.index()].params);
        let mut total = Some(0);
        for (slot, argument) in bound.slots.iter().zip(arguments) {
            let cost = self.cost(&params[*slot], bound.types[*slot], *argument);
            total = total.zip(cost).map(|(total, cost)| total + cost);
        }
        match total {
            Some(total) => Some(Fit::Plain(total)),
            None => self.lifted_width(bound, arguments).map(Fit::Lifted),
        }
    }

    /// How far an argument is from its parameter, which has the type `wanted` in this call.
    fn cost(&mut self, param: &ParamInfo<'a>, wanted: Ty, argument: Argument<'a>) -> Option<u32> {
        match argument {
            Argument::Typed(id) => {
                let ty = self.ty(id);
                if ty == wanted || ty == Ty::ERROR || wanted == Ty::ERROR {
                    return Some(0);
                }
                let held =
                    matches!(self.kind(ty), TyKind::Buffer(akari_ir::BufferKind::Uniform, held) if held == wanted);
                let reads = match param.mode {
                    PassMode::Value => self.program.underlying(ty) == Some(wanted) || held,
                    PassMode::Ref => self.program.underlying(ty) == Some(wanted),
                    PassMode::Inout => false,
                };
                reads.then_some(1)
            }
            Argument::Flexible(kind, _) => {
                let scalar = match self.kind(wanted) {
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
            Argument::Waiting(written) => {
                let fits = match (written.kind, self.kind(wanted)) {
                    (ast::ExprKind::None, _) => param.time == Time::Optional,
                    (ast::ExprKind::Closure(closure), TyKind::Function(signature)) => self.may_be(closure, signature),
                    (ast::ExprKind::Name(name), TyKind::Function(signature))
                        if let Some(local) = self.untyped_closure(name) =>
                    {
                        let written = self.untyped_closure_text(local);
                        written.is_some_and(|written| self.may_be(written, signature))
                    }
                    (ast::ExprKind::Name(name), TyKind::Function(_)) => self.has_function(name, wanted, written.span),
                    (_, TyKind::Error) => true,
                    _ => false,
                };
                fits.then_some(0)
            }
        }
    }

    /// Whether a closure has the form of a function type: as many parameters, and of these types where it says them.
    fn may_be(&mut self, closure: &'a ast::Closure<'a>, signature: SignatureId) -> bool {
        let wanted = self.program.types.signature(signature).clone();
        if wanted.params.len() != closure.params.len() {
            return false;
        }
        self.program.muted += 1;
        let mut fits = true;
        for (param, (mode, ty)) in closure.params.iter().zip(&wanted.params) {
            if let Some(written) = param.ty {
                fits &= self.resolve_type(written) == *ty && self.pass_mode(param.passing, *ty) == *mode;
            }
        }
        if let Some(written) = closure.result {
            fits &= self.resolve_type(written) == wanted.result;
        }
        self.program.muted -= 1;
        fits
    }

    /// The width at which a scalar function is applied component by component.
    fn lifted_width(&mut self, bound: &Bound, arguments: &[Argument<'a>]) -> Option<u8> {
        let is_scalar = |program: &Program<'a>, ty: Ty| matches!(program.kind(ty), TyKind::Scalar(_));
        let params = Rc::clone(&self.program.functions[bound.function.index()].params);
        if !is_scalar(self.program, bound.result) || bound.result == Ty::UINT64 {
            return None;
        }
        let mut width = None;
        for (slot, argument) in bound.slots.iter().zip(arguments) {
            let (param, wanted) = (&params[*slot], bound.types[*slot]);
            if let Argument::Typed(id) = argument
                && let TyKind::Vector(scalar, given) = self.ty_kind(*id)
            {
                if param.mode != PassMode::Value
                    || param.time != Time::Run
                    || wanted != Ty::scalar(scalar)
                    || width.is_some_and(|width| width != given)
                {
                    return None;
                }
                width = Some(given);
            } else {
                self.cost(param, wanted, *argument)?;
            }
        }
        // An enum or bitfield stands beside the vectors as the integer that it is.
        let scalars = params.iter().zip(&bound.types).all(|(param, ty)| {
            let ty = self.program.underlying(*ty).unwrap_or(*ty);
            param.mode == PassMode::Value && is_scalar(self.program, ty)
        });
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
                Argument::Waiting(written) => match written.kind {
                    ast::ExprKind::None => "`none`".into(),
                    ast::ExprKind::Name(name) => format!("the function `{}`", self.program.text(name)),
                    _ => "a closure".into(),
                },
            })
            .collect();
        let given = if given.is_empty() { "no arguments".into() } else { given.join(", ") };
        let diagnostic = Diagnostic::error(errors::NO_OVERLOAD, callee, format!("no `{text}` takes {given}"));
        // Where there are many, those that take as many arguments come first.
        let takes_others = |id: &FunctionId| self.program.functions[id.index()].params.len() != arguments.len();
        let mut functions = functions.to_vec();
        if functions.len() > MOST_CANDIDATES {
            functions.sort_by_key(takes_others);
        }
        let diagnostic = self.with_candidates(diagnostic, &functions);
        self.report(diagnostic);
        self.poison(span)
    }

    /// Adds to an error the functions that may have been meant, the first of them where there are many.
    pub(super) fn with_candidates(&self, mut diagnostic: Diagnostic, functions: &[FunctionId]) -> Diagnostic {
        for id in functions.iter().take(MOST_CANDIDATES) {
            let at = self.program.functions[id.index()].source.item.name.span;
            diagnostic = diagnostic.note_at(at, format!("candidate: `{}`", self.signature_text(*id)));
        }
        match functions.len().checked_sub(MOST_CANDIDATES) {
            Some(more @ 1..) => diagnostic.note(format!("… and {more} more")),
            Some(0) | None => diagnostic,
        }
    }

    pub(super) fn signature_text(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id.index()];
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| {
                let (before, after) = match param.time {
                    Time::Const => ("const ", ""),
                    Time::Optional => ("", "?"),
                    Time::Run | Time::Function => ("", ""),
                };
                let (name, mode) = (self.program.text(param.name), mode_word(param.mode));
                format!("{before}{name}: {mode}{}{after}", self.show(param.ty))
            })
            .collect();
        let name = self.program.text(function.source.item.name.name);
        let result =
            if function.result == Ty::NOTHING { String::new() } else { format!(" -> {}", self.show(function.result)) };
        format!("fn {name}({}){result}", params.join(", "))
    }
}
