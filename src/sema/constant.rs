//! Constant expressions: the value of a checked expression that depends on nothing but literals, constants and enum cases.

use akari_dialect::fold::{self, Fault};
use akari_dialect::{AkariOp, Builtin};
use akari_ir::entity::ConstId;
use akari_ir::op::Attr;
use akari_ir::{Diagnostic, Scalar, Span};
use smallvec::SmallVec;

use super::checker::Checker;
use super::errors;
use super::tree::{ExprId, ExprKind, LocalKind};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

/// Why an expression has no constant value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotConstant {
    /// Something in it is wrong and was reported.
    Reported,
    /// The part at this place is known at run time only.
    RunTime(Span),
    /// The operation at this place has no constant result.
    Fault(Fault, Span),
}

impl<'a> Checker<'_, 'a> {
    /// The value of a constant expression.
    pub(super) fn evaluate(&mut self, id: ExprId) -> Result<ConstId, NotConstant> {
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

    fn evaluate_step(&mut self, id: ExprId, lhs: ConstId) -> Result<ConstId, NotConstant> {
        let (ty, span) = (self.ty(id), self.span(id));
        match self.body.expr(id).kind {
            ExprKind::Binary(op, _, rhs) => {
                let rhs = self.evaluate(rhs)?;
                self.fold(op, &[], &[lhs, rhs], ty, span)
            }
            ExprKind::Compare(predicate, _, rhs) => {
                let rhs = self.evaluate(rhs)?;
                self.fold(AkariOp::Compare, &[predicate.attr()], &[lhs, rhs], ty, span)
            }
            ExprKind::And(_, rhs) => {
                if self.program.module.scalar_bits(lhs) == Some(0) {
                    Ok(lhs)
                } else {
                    self.evaluate(rhs)
                }
            }
            ExprKind::Or(_, rhs) => {
                if self.program.module.scalar_bits(lhs) == Some(0) {
                    self.evaluate(rhs)
                } else {
                    Ok(lhs)
                }
            }
            _ => Err(NotConstant::RunTime(span)),
        }
    }

    fn evaluate_one(&mut self, id: ExprId) -> Result<ConstId, NotConstant> {
        let (ty, span) = (self.ty(id), self.span(id));
        match self.body.expr(id).kind.clone() {
            ExprKind::Error => Err(NotConstant::Reported),
            ExprKind::Const(value) => Ok(value),
            ExprKind::EnumCase(id, case) => {
                let info = &self.program.enums[id.index()];
                let (scalar, bits) = (info.underlying, info.cases[case as usize].bits);
                Ok(self.program.module.scalar_constant(scalar, u64::from(bits)))
            }
            ExprKind::Constant(id) => self.program.constants[id.index()]
                .value
                .ok_or(NotConstant::Reported),
            ExprKind::Local(local) => match self.body.local(local).kind {
                LocalKind::Const(value) => Ok(value),
                _ => Err(NotConstant::RunTime(span)),
            },
            ExprKind::Unary(op, operand) => self.fold_of(op, &[], &[operand], ty, span),
            ExprKind::Convert(operand) => self.fold_of(AkariOp::Convert, &[], &[operand], ty, span),
            ExprKind::Splat(operand) => self.fold_of(AkariOp::Splat, &[], &[operand], ty, span),
            ExprKind::Reinterpret(operand) => self.evaluate(operand),
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.evaluate(condition)?;
                let taken = if self.program.module.scalar_bits(condition) == Some(0) {
                    no
                } else {
                    yes
                };
                self.evaluate(taken)
            }
            ExprKind::Select(condition, yes, no) => {
                self.fold_of(AkariOp::Select, &[], &[condition, yes, no], ty, span)
            }
            ExprKind::Construct(parts) => {
                let mut values: SmallVec<[(u32, ConstId); 8]> = SmallVec::new();
                for part in &parts {
                    values.push((part.slot, self.evaluate(part.value)?));
                }
                values.sort_by_key(|(slot, _)| *slot);
                let values: SmallVec<[ConstId; 8]> =
                    values.into_iter().map(|(_, value)| value).collect();
                let ty = self.program.erase(ty);
                Ok(fold::construct(&mut self.program.module, &values, ty))
            }
            ExprKind::Repeat(value) => {
                let value = self.evaluate(value)?;
                let ty = self.program.erase(ty);
                let length = self.program.module.types.length(ty).unwrap_or(0) as usize;
                Ok(fold::construct(
                    &mut self.program.module,
                    &vec![value; length],
                    ty,
                ))
            }
            ExprKind::Diagonal(scalar) => {
                let value = self.evaluate(scalar)?;
                let bits = self.program.module.scalar_bits(value).unwrap_or(0);
                let ir = self.program.erase(ty);
                let size = self.program.module.types.length(ir).unwrap_or(0) as usize;
                let lanes: Vec<u64> = (0..size * size)
                    .map(|index| {
                        if index / size == index % size {
                            bits
                        } else {
                            0
                        }
                    })
                    .collect();
                Ok(fold::from_lanes(&mut self.program.module, ir, &lanes))
            }
            ExprKind::Update(parts, base) => {
                let base = self.evaluate(base)?;
                let ty = self.program.erase(ty);
                let count = match self.program.module.kind(ty) {
                    akari_ir::TypeKind::Struct(id) => self.program.module.structs[id].fields.len(),
                    _ => 0,
                };
                let mut values: SmallVec<[ConstId; 8]> = SmallVec::new();
                for slot in 0..count {
                    values.push(match parts.iter().find(|part| part.slot as usize == slot) {
                        Some(part) => self.evaluate(part.value)?,
                        None => fold::part(&mut self.program.module, base, slot as i64)
                            .map_err(|fault| NotConstant::Fault(fault, span))?,
                    });
                }
                Ok(fold::construct(&mut self.program.module, &values, ty))
            }
            ExprKind::Field(base, index) => self.fold_of(
                AkariOp::Extract,
                &[Attr::Int(i64::from(index))],
                &[base],
                ty,
                span,
            ),
            ExprKind::Bits(base, bits) => {
                let base = self.evaluate(base)?;
                let word = self.program.module.scalar_bits(base).unwrap_or(0);
                let value = word >> bits.offset & ((1_u64 << bits.width) - 1);
                Ok(self.program.module.scalar_constant(Scalar::U32, value))
            }
            ExprKind::MakeBits(parts, base) => {
                let mut word = match base {
                    Some(base) => {
                        let base = self.evaluate(base)?;
                        self.program.module.scalar_bits(base).unwrap_or(0)
                    }
                    None => 0,
                };
                for part in &parts {
                    let value = self.evaluate(part.value)?;
                    let value = self.program.module.scalar_bits(value).unwrap_or(0);
                    let mask = (1_u64 << part.bits.width) - 1;
                    word = word & !(mask << part.bits.offset) | (value & mask) << part.bits.offset;
                }
                Ok(self
                    .program
                    .module
                    .scalar_constant(Scalar::U32, word & u64::from(u32::MAX)))
            }
            ExprKind::Swizzle(base, components) => {
                let list: Box<[i64]> = components
                    .as_slice()
                    .iter()
                    .map(|index| i64::from(*index))
                    .collect();
                self.fold_of(AkariOp::Swizzle, &[Attr::Ints(list)], &[base], ty, span)
            }
            ExprKind::Index(base, index) => {
                self.fold_of(AkariOp::Index, &[], &[base, index], ty, span)
            }
            ExprKind::Builtin(builtin, arguments) => {
                if builtin == Builtin::Barrier {
                    return Err(NotConstant::RunTime(span));
                }
                self.fold_of(AkariOp::Builtin, &[builtin.attr()], &arguments, ty, span)
            }
            ExprKind::Binary(..) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                self.evaluate(id)
            }
            ExprKind::TargetValue
            | ExprKind::Binding(_)
            | ExprKind::Contents(_)
            | ExprKind::Call(..)
            | ExprKind::LiftedCall(..)
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
    ) -> Result<ConstId, NotConstant> {
        let mut values: SmallVec<[ConstId; 4]> = SmallVec::new();
        for operand in operands {
            values.push(self.evaluate(*operand)?);
        }
        self.fold(op, attrs, &values, ty, span)
    }

    fn fold(
        &mut self,
        op: AkariOp,
        attrs: &[Attr],
        operands: &[ConstId],
        ty: Ty,
        span: Span,
    ) -> Result<ConstId, NotConstant> {
        if ty == Ty::ERROR {
            return Err(NotConstant::Reported);
        }
        let result = self.program.erase(ty);
        fold::fold_constant_expression(&mut self.program.module, op, attrs, operands, result)
            .map_err(|fault| match fault {
                // These were reported where the operation was checked.
                Fault::DivisionByZero | Fault::ShiftCount | Fault::Index => NotConstant::Reported,
                Fault::NotFoldable | Fault::NotFinite | Fault::OutOfRange => {
                    NotConstant::Fault(fault, span)
                }
            })
    }

    /// The value of an expression that must be constant; anything else is an error.
    pub(super) fn require_constant(&mut self, id: ExprId, what: &str) -> Option<ConstId> {
        let reason = match self.evaluate(id) {
            Ok(value) => return Some(value),
            Err(reason) => reason,
        };
        let diagnostic = match reason {
            NotConstant::Reported => return None,
            NotConstant::RunTime(span) | NotConstant::Fault(Fault::NotFoldable, span) => {
                Diagnostic::error(
                    errors::NOT_CONSTANT,
                    span,
                    format!("{what} must be a constant expression"),
                )
            }
            NotConstant::Fault(Fault::OutOfRange, span) => Diagnostic::error(
                errors::NOT_CONSTANT,
                span,
                "the value does not fit the integer type in this constant",
            ),
            NotConstant::Fault(_, span) => Diagnostic::error(
                errors::NOT_CONSTANT,
                span,
                "this constant is NaN or infinite",
            ),
        };
        self.report(diagnostic);
        None
    }

    /// The value of a written integer constant expression; anything else is an error.
    pub(super) fn integer_constant(
        &mut self,
        written: &'a ast::Expr<'a>,
        hint: Option<Ty>,
        what: &str,
    ) -> Option<i64> {
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
        self.require_constant(id, what)?;
        self.integer_value(id)
    }

    /// The value of an integer constant expression without effect on diagnostics.
    pub(super) fn integer_value(&mut self, id: ExprId) -> Option<i64> {
        let scalar = self
            .ty_kind(id)
            .scalar()
            .filter(|scalar| scalar.is_integer())?;
        let value = self.evaluate(id).ok()?;
        let bits = self.program.module.scalar_bits(value)?;
        Some(integer(scalar, bits))
    }
}

/// The value of an integer's bits.
pub(super) fn integer(scalar: Scalar, bits: u64) -> i64 {
    if scalar == Scalar::I32 {
        i64::from(bits as u32 as i32)
    } else {
        i64::try_from(bits).unwrap_or(i64::MAX)
    }
}
