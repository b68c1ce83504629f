//! Constant expressions: the value of a checked expression that depends on nothing but literals, constants and enum cases.

use akari_dialect::AkariOp;
use akari_dialect::fold::{self, Fault};
use akari_ir::entity::ConstId;
use akari_ir::interface::ParamRole;
use akari_ir::op::Attr;
use akari_ir::{Diagnostic, Scalar, Span};
use smallvec::SmallVec;

use super::checker::Checker;
use super::errors;
use super::open::{Open, Value};
use super::tree::{ExprId, ExprKind, LocalKind};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

/// Why an expression has no constant value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotConstant {
    /// Something in it is wrong and was reported.
    Reported,
    /// It depends on parameters that are known at compile time, but not yet.
    Open,
    /// The part at this place is known at run time only.
    RunTime(Span),
    /// The operation at this place has no constant result.
    Fault(Fault, Span),
}

impl<'a> Checker<'_, 'a> {
    /// The value of a constant expression that is known here.
    pub(super) fn evaluate(&mut self, id: ExprId) -> Result<ConstId, NotConstant> {
        match self.constant_value(id)? {
            Value::Known(value) => Ok(value),
            Value::Open(_) => Err(NotConstant::Open),
        }
    }

    /// The value of a constant expression, which may depend on compile-time parameters.
    pub(super) fn constant_value(&mut self, id: ExprId) -> Result<Value, NotConstant> {
        // Chains of operators are as deep as they are long: down to the first operand in a loop.
        let mut spine: SmallVec<[ExprId; 8]> = SmallVec::new();
        let mut first = id;
        while let ExprKind::Binary(_, lhs, _)
        | ExprKind::Compare(_, lhs, _)
        | ExprKind::And(lhs, _)
        | ExprKind::Or(lhs, _) = self.body.expr(first).kind
        {
            spine.push(first);
            first = lhs;
        }
        let mut value = self.evaluate_one(first)?;
        while let Some(step) = spine.pop() {
            value = self.evaluate_step(step, value)?;
        }
        Ok(value)
    }

    fn evaluate_step(&mut self, id: ExprId, lhs: Value) -> Result<Value, NotConstant> {
        let (ty, span) = (self.ty(id), self.span(id));
        match self.body.expr(id).kind {
            ExprKind::Binary(op, _, rhs) => {
                let rhs = self.constant_value(rhs)?;
                self.fold(op, &[], &[lhs, rhs], ty, span)
            }
            ExprKind::Compare(predicate, _, rhs) => {
                let rhs = self.constant_value(rhs)?;
                self.fold(AkariOp::Compare, &[predicate.attr()], &[lhs, rhs], ty, span)
            }
            ExprKind::And(_, rhs) => match self.known_bits(lhs) {
                Some(0) => Ok(lhs),
                Some(_) => self.constant_value(rhs),
                None => {
                    let rhs = self.constant_value(rhs)?;
                    self.fold(AkariOp::Select, &[], &[lhs, rhs, lhs], ty, span)
                }
            },
            ExprKind::Or(_, rhs) => match self.known_bits(lhs) {
                Some(0) => self.constant_value(rhs),
                Some(_) => Ok(lhs),
                None => {
                    let rhs = self.constant_value(rhs)?;
                    self.fold(AkariOp::Select, &[], &[lhs, lhs, rhs], ty, span)
                }
            },
            _ => Err(NotConstant::RunTime(span)),
        }
    }

    /// The integer sum, difference, product or quotient in a constant expression that leaves its type, and so wraps.
    pub(super) fn what_wraps(&mut self, id: ExprId) -> Option<ExprId> {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let mut spine: SmallVec<[ExprId; 8]> = SmallVec::new();
            let mut first = id;
            while let ExprKind::Binary(_, lhs, _) | ExprKind::Compare(_, lhs, _) = self.body.expr(first).kind {
                spine.push(first);
                first = lhs;
            }
            match self.body.expr(first).kind {
                ExprKind::Unary(_, operand) | ExprKind::Convert(operand) | ExprKind::Reinterpret(operand) => {
                    pending.push(operand);
                }
                ExprKind::Conditional(condition, yes, no) => {
                    let condition = self.constant_value(condition).ok()?;
                    pending.push(if self.known_bits(condition)? == 0 { no } else { yes });
                }
                _ => {}
            }
            let mut value = self.evaluate_one(first).ok()?;
            while let Some(step) = spine.pop() {
                let next = self.evaluate_step(step, value).ok()?;
                if let ExprKind::Binary(op, _, rhs) = self.body.expr(step).kind {
                    let other = self.constant_value(rhs).ok()?;
                    if self.wraps(op, value, other, next, self.ty(step)) {
                        return Some(step);
                    }
                    pending.push(rhs);
                }
                value = next;
            }
        }
        None
    }

    /// Whether `result` is not what the operation gives without a limit to the size of integers.
    fn wraps(&self, op: AkariOp, a: Value, b: Value, result: Value, ty: Ty) -> bool {
        let Some(scalar) = self.kind(ty).scalar().filter(|scalar| scalar.is_integer()) else { return false };
        let exact = |value: Value| {
            let bits = self.known_bits(value)?;
            Some(if scalar == Scalar::I32 { i128::from(bits as u32 as i32) } else { i128::from(bits) })
        };
        let (Some(a), Some(b), Some(result)) = (exact(a), exact(b), exact(result)) else { return false };
        let unlimited = match op {
            AkariOp::Add => a.checked_add(b),
            AkariOp::Sub => a.checked_sub(b),
            AkariOp::Mul => a.checked_mul(b),
            AkariOp::Div => a.checked_div(b),
            _ => return false,
        };
        unlimited != Some(result)
    }

    /// The bits of a scalar that is known.
    fn known_bits(&self, value: Value) -> Option<u64> {
        match value {
            Value::Known(value) => self.program.module.scalar_bits(value),
            Value::Open(_) => None,
        }
    }

    fn uint_value(&mut self, value: u32) -> Value {
        Value::Known(self.program.module.scalar_constant(Scalar::U32, u64::from(value)))
    }

    fn open(&mut self, open: Open, span: Span) -> Result<Value, NotConstant> {
        let value = self.program.intern_open(open);
        value.map_err(|fault| NotConstant::Fault(fault, span))
    }

    fn evaluate_one(&mut self, id: ExprId) -> Result<Value, NotConstant> {
        let (ty, span) = (self.ty(id), self.span(id));
        match self.body.expr(id).kind.clone() {
            ExprKind::Error => Err(NotConstant::Reported),
            ExprKind::Const(value) => Ok(Value::Known(value)),
            ExprKind::EnumCase(id, case) => {
                let info = &self.program.enums[id.index()];
                let (scalar, bits) = (info.underlying, info.cases[case as usize].bits);
                let value = self.program.module.scalar_constant(scalar, u64::from(bits));
                Ok(Value::Known(value))
            }
            ExprKind::Constant(id) => {
                self.program.constants[id.index()].value.map(Value::Known).ok_or(NotConstant::Reported)
            }
            ExprKind::Local(local) => {
                let info = *self.body.local(local);
                match info.kind {
                    LocalKind::Const(value) => Ok(Value::Known(value)),
                    LocalKind::OpenConst(value) => Ok(Value::Open(value)),
                    LocalKind::ConstParameter => {
                        let (index, name, ty) = (local.0, info.name, info.ty);
                        self.open(Open::Parameter { index, name, ty }, span)
                    }
                    LocalKind::Parameter
                    | LocalKind::Optional
                    | LocalKind::Ref
                    | LocalKind::Inout
                    | LocalKind::Let
                    | LocalKind::DeferredLet
                    | LocalKind::Var
                    | LocalKind::Groupshared => Err(NotConstant::RunTime(span)),
                }
            }
            ExprKind::IsNone(handle) => match self.body.expr(handle).kind {
                ExprKind::Local(local) => self.open(Open::IsNone(local.0), span),
                _ => Err(NotConstant::RunTime(span)),
            },
            ExprKind::SizeOf { ty: of, uniform } => self.open(Open::SizeOf(of, uniform), span),
            ExprKind::Unary(op, operand) => self.fold_of(op, &[], &[operand], ty, span),
            ExprKind::Convert(operand) => self.fold_of(AkariOp::Convert, &[], &[operand], ty, span),
            ExprKind::Splat(operand) => self.fold_of(AkariOp::Splat, &[], &[operand], ty, span),
            ExprKind::Reinterpret(operand) => self.constant_value(operand),
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.constant_value(condition)?;
                match self.known_bits(condition) {
                    Some(0) => self.constant_value(no),
                    Some(_) => self.constant_value(yes),
                    None => {
                        let (yes, no) = (self.constant_value(yes)?, self.constant_value(no)?);
                        self.fold(AkariOp::Select, &[], &[condition, yes, no], ty, span)
                    }
                }
            }
            ExprKind::Select(condition, yes, no) => self.fold_of(AkariOp::Select, &[], &[condition, yes, no], ty, span),
            ExprKind::Construct(parts) => {
                let mut values: SmallVec<[(u32, Value); 8]> = SmallVec::new();
                for part in &parts {
                    values.push((part.slot, self.constant_value(part.value)?));
                }
                values.sort_by_key(|(slot, _)| *slot);
                let values: SmallVec<[Value; 8]> = values.into_iter().map(|(_, value)| value).collect();
                self.fold(AkariOp::Construct, &[], &values, ty, span)
            }
            ExprKind::Repeat(value) => {
                let Value::Known(value) = self.constant_value(value)? else {
                    return Err(NotConstant::RunTime(span));
                };
                if self.program.is_open(ty) {
                    return Err(NotConstant::RunTime(span));
                }
                let ty = self.program.erase(ty);
                let length = self.program.module.types.length(ty).unwrap_or(0) as usize;
                let values = vec![value; length];
                Ok(Value::Known(fold::construct(&mut self.program.module, &values, ty)))
            }
            ExprKind::Diagonal(scalar) => {
                let value = self.constant_value(scalar)?;
                let Some(bits) = self.known_bits(value) else {
                    return Err(NotConstant::RunTime(span));
                };
                let ir = self.program.erase(ty);
                let size = self.program.module.types.length(ir).unwrap_or(0) as usize;
                let on_diagonal = |index: usize| index / size == index % size;
                let lanes: Vec<u64> = (0..size * size).map(|index| if on_diagonal(index) { bits } else { 0 }).collect();
                Ok(Value::Known(fold::from_lanes(&mut self.program.module, ir, &lanes)))
            }
            ExprKind::Update(parts, base) => {
                let base = self.constant_value(base)?;
                let fields = match self.kind(ty) {
                    TyKind::Struct(id) => std::rc::Rc::clone(&self.program.structs[id.index()].fields),
                    _ => return Err(NotConstant::RunTime(span)),
                };
                let mut values: SmallVec<[Value; 8]> = SmallVec::new();
                for (slot, field) in fields.values().enumerate() {
                    values.push(match parts.iter().find(|part| part.slot as usize == slot) {
                        Some(part) => self.constant_value(part.value)?,
                        None => {
                            let slot = Attr::Int(slot as i64);
                            self.fold(AkariOp::Extract, &[slot], &[base], field.ty, span)?
                        }
                    });
                }
                self.fold(AkariOp::Construct, &[], &values, ty, span)
            }
            ExprKind::Field(base, index) => {
                self.fold_of(AkariOp::Extract, &[Attr::Int(i64::from(index))], &[base], ty, span)
            }
            ExprKind::Bits(base, bits) => {
                let word = self.constant_value(base)?;
                let offset = self.uint_value(bits.offset);
                let mask = self.uint_value(((1_u64 << bits.width) - 1) as u32);
                let shifted = self.fold(AkariOp::Shr, &[], &[word, offset], ty, span)?;
                self.fold(AkariOp::And, &[], &[shifted, mask], ty, span)
            }
            ExprKind::MakeBits(parts, base) => {
                let mut word = match base {
                    Some(base) => self.constant_value(base)?,
                    None => self.uint_value(0),
                };
                for part in &parts {
                    let value = self.constant_value(part.value)?;
                    let mask = ((1_u64 << part.bits.width) - 1) as u32;
                    let offset = self.uint_value(part.bits.offset);
                    let (mask, rest) = (self.uint_value(mask), self.uint_value(!(mask << part.bits.offset)));
                    let field = self.fold(AkariOp::And, &[], &[value, mask], Ty::UINT, span)?;
                    let field = self.fold(AkariOp::Shl, &[], &[field, offset], Ty::UINT, span)?;
                    word = self.fold(AkariOp::And, &[], &[word, rest], Ty::UINT, span)?;
                    word = self.fold(AkariOp::Or, &[], &[word, field], Ty::UINT, span)?;
                }
                Ok(word)
            }
            ExprKind::Swizzle(base, components) => {
                let list: Box<[i64]> = components.as_slice().iter().map(|index| i64::from(*index)).collect();
                self.fold_of(AkariOp::Swizzle, &[Attr::Ints(list)], &[base], ty, span)
            }
            ExprKind::Index(base, index) => self.fold_of(AkariOp::Index, &[], &[base, index], ty, span),
            ExprKind::Builtin(builtin, arguments) => {
                if ty == Ty::NOTHING || builtin.def().capability.is_some() {
                    return Err(NotConstant::RunTime(span));
                }
                self.fold_of(AkariOp::Builtin, &[builtin.attr()], &arguments, ty, span)
            }
            ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                self.constant_value(id)
            }
            ExprKind::TargetValue
            | ExprKind::Binding(_)
            | ExprKind::Contents(_)
            | ExprKind::Call(..)
            | ExprKind::LiftedCall(..)
            | ExprKind::CallValue(..)
            | ExprKind::Function(_)
            | ExprKind::Closure(_)
            | ExprKind::None
            | ExprKind::MaskedRay(..)
            | ExprKind::Atomic(..)
            | ExprKind::Step { .. } => Err(NotConstant::RunTime(span)),
        }
    }

    fn fold_of(
        &mut self,
        op: AkariOp,
        attrs: &[Attr],
        operands: &[ExprId],
        ty: Ty,
        span: Span,
    ) -> Result<Value, NotConstant> {
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        for operand in operands {
            values.push(self.constant_value(*operand)?);
        }
        self.fold(op, attrs, &values, ty, span)
    }

    fn fold(
        &mut self,
        op: AkariOp,
        attrs: &[Attr],
        operands: &[Value],
        ty: Ty,
        span: Span,
    ) -> Result<Value, NotConstant> {
        if ty == Ty::ERROR {
            return Err(NotConstant::Reported);
        }
        self.program.apply(op, attrs, operands, ty).map_err(|fault| match fault {
            // These were reported where the operation was checked.
            Fault::DivisionByZero | Fault::ShiftCount | Fault::Index => NotConstant::Reported,
            Fault::NotFoldable | Fault::NotFinite | Fault::OutOfRange => NotConstant::Fault(fault, span),
        })
    }

    /// The value of an expression that must be constant and known here; anything else is an error.
    pub(super) fn require_constant(&mut self, id: ExprId, what: &str) -> Option<ConstId> {
        match self.require_value(id, what)? {
            Value::Known(value) => Some(value),
            Value::Open(_) => {
                let message = format!("{what} cannot depend on a compile-time parameter");
                self.error(errors::NOT_CONSTANT, self.span(id), message);
                None
            }
        }
    }

    /// The value of an expression that must be constant, though it may depend on compile-time parameters; anything else is an
    /// error.
    pub(super) fn require_value(&mut self, id: ExprId, what: &str) -> Option<Value> {
        match self.constant_value(id) {
            Ok(value) => Some(value),
            Err(reason) => {
                let diagnostic = self.not_constant(reason, what);
                if let Some(diagnostic) = diagnostic {
                    self.report(diagnostic);
                }
                None
            }
        }
    }

    /// What to say of an expression that must be constant and is not; nothing where that was said.
    pub(super) fn not_constant(&self, reason: NotConstant, what: &str) -> Option<Diagnostic> {
        let (span, message) = match reason {
            NotConstant::Reported | NotConstant::Open => return None,
            NotConstant::RunTime(span) | NotConstant::Fault(Fault::NotFoldable, span) => {
                (span, format!("{what} must be a constant expression"))
            }
            NotConstant::Fault(Fault::OutOfRange, span) => {
                let message = "the value does not fit the integer type in this constant";
                (span, message.to_owned())
            }
            NotConstant::Fault(_, span) => (span, "this constant is NaN or infinite".to_owned()),
        };
        let mut diagnostic = Diagnostic::error(errors::NOT_CONSTANT, span, message);
        if let NotConstant::RunTime(span) = reason {
            diagnostic.help = self.how_to_be_constant(span);
        }
        Some(diagnostic)
    }

    /// What would make the local at this place constant.
    fn how_to_be_constant(&self, span: Span) -> Option<String> {
        let expr = self.body.exprs().iter().rev().find(|expr| expr.span == span)?;
        let ExprKind::Local(local) = expr.kind else { return None };
        let info = self.body.local(local);
        let name = self.program.text(info.name);
        match info.kind {
            LocalKind::Let if self.frames.is_empty() => Some(format!("declare it with `const`: `const {name} = …`")),
            LocalKind::Parameter
                if info.depth == 0 && !self.holds_resources(info.ty) && !self.is_given_by_the_pipeline(info.span) =>
            {
                Some(format!("make it a `const` parameter here too: `const {name}: {}`", self.show(info.ty)))
            }
            _ => None,
        }
    }

    /// Whether the name at this place is a parameter that no call gives: a system value or the like of an entry.
    fn is_given_by_the_pipeline(&self, name: Span) -> bool {
        let mut params = self.program.functions.iter().flat_map(|function| function.params.iter());
        params.any(|param| param.span == name && param.role != ParamRole::Plain)
    }

    /// The value of a written integer constant expression; anything else is an error.
    pub(super) fn integer_constant(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>, what: &str) -> Option<i64> {
        let id = self.integer_expression(written, hint, what)?;
        self.require_constant(id, what)?;
        self.integer_value(id)
    }

    /// A written integer constant expression that may depend on compile-time parameters.
    pub(super) fn open_integer(
        &mut self,
        written: &'a ast::Expr<'a>,
        hint: Option<Ty>,
        what: &str,
    ) -> Option<(ExprId, Value)> {
        let id = self.integer_expression(written, hint, what)?;
        let value = self.require_value(id, what)?;
        Some((id, value))
    }

    fn integer_expression(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>, what: &str) -> Option<ExprId> {
        let id = self.value(written, hint);
        let id = self.as_number(id);
        let ty = self.ty(id);
        if ty == Ty::ERROR {
            return None;
        }
        if !matches!(self.kind(ty), TyKind::Scalar(scalar) if scalar.is_integer()) {
            let message = format!("{what} must be an integer, not `{}`", self.show(ty));
            self.error(errors::NOT_CONSTANT, written.span, message);
            return None;
        }
        Some(id)
    }

    /// The value of an integer constant expression without effect on diagnostics.
    pub(super) fn integer_value(&mut self, id: ExprId) -> Option<i64> {
        let scalar = self.ty_kind(id).scalar().filter(|scalar| scalar.is_integer())?;
        let value = self.evaluate(id).ok()?;
        let bits = self.program.module.scalar_bits(value)?;
        Some(integer(scalar, bits))
    }
}

/// The value of an integer's bits.
pub(super) fn integer(scalar: Scalar, bits: u64) -> i64 {
    if scalar == Scalar::I32 { i64::from(bits as u32 as i32) } else { i64::try_from(bits).unwrap_or(i64::MAX) }
}
