//! Literals: their type from their suffix or from what is around them, and their exact value.

use akari_ir::{BufferKind, Diagnostic, Scalar, Span};
use half::f16;

use super::checker::Checker;
use super::errors;
use super::tree::ExprId;
use super::types::{Ty, TyKind, scalar_name};
use crate::syntax::ast::{self, ExprKind, FloatSuffix, InfixOp, IntSuffix, Literal, UnaryOp};

/// An expression of unsuffixed literals alone, which takes the type of what is around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Flexible {
    /// Of integer literals.
    Int,
    /// Of integer literals under an operator that only integers have, so that it takes no other type than theirs.
    Bits,
    /// With a float literal.
    Float,
}

impl Flexible {
    /// What kind of flexible expression it is, if any.
    pub(super) fn of(written: &ast::Expr<'_>) -> Option<Self> {
        match written.kind {
            ExprKind::Literal(Literal::Int { suffix: IntSuffix::None, .. }) => Some(Self::Int),
            ExprKind::Literal(Literal::Float { suffix: FloatSuffix::None, .. }) => Some(Self::Float),
            ExprKind::Unary { op: UnaryOp::Negate, operand, .. } => Self::of(operand),
            ExprKind::Unary { op: UnaryOp::BitNot, operand, .. } => Some(Self::of(operand)?.max(Self::Bits)),
            ExprKind::Infix { first, rest } => {
                let mut kind = Self::of(first)?;
                for step in rest {
                    match step.op {
                        InfixOp::ShiftLeft | InfixOp::ShiftRight => kind = kind.max(Self::Bits),
                        InfixOp::Add | InfixOp::Sub | InfixOp::Mul | InfixOp::Div | InfixOp::Rem => {
                            kind = kind.max(Self::of(step.operand)?)
                        }
                        InfixOp::BitAnd | InfixOp::BitOr | InfixOp::BitXor => {
                            kind = kind.max(Self::of(step.operand)?).max(Self::Bits);
                        }
                        InfixOp::Or
                        | InfixOp::And
                        | InfixOp::Equal
                        | InfixOp::NotEqual
                        | InfixOp::Less
                        | InfixOp::LessEqual
                        | InfixOp::Greater
                        | InfixOp::GreaterEqual => return None,
                    }
                }
                Some(kind)
            }
            ExprKind::Conditional { yes, no, .. } => Some(Self::of(yes)?.max(Self::of(no)?)),
            _ => None,
        }
    }
}

impl Checker<'_, '_> {
    /// The scalar type that a hint gives to literals.
    fn hinted(&self, hint: Option<Ty>) -> Option<Scalar> {
        let hint = match self.kind(hint?) {
            TyKind::Buffer(BufferKind::Uniform, held) => held,
            _ => hint?,
        };
        let hint = self.program.underlying(hint).unwrap_or(hint);
        self.kind(hint).scalar().filter(|scalar| *scalar != Scalar::Bool)
    }

    /// The type that the literals of a flexible expression take, given a hint from outside.
    pub(super) fn flexible_hint(&self, kind: Flexible, hint: Option<Ty>) -> Option<Ty> {
        match (kind, self.hinted(hint)) {
            (Flexible::Float, Some(scalar)) if scalar.is_float() => Some(Ty::scalar(scalar)),
            (Flexible::Float, _) => Some(Ty::FLOAT),
            (Flexible::Int, scalar) => scalar.map(Ty::scalar),
            (Flexible::Bits, _) => self.integer_hint(hint),
        }
    }

    /// A hint as far as it speaks of integers: what the operands of an operator take that only integers have.
    pub(super) fn integer_hint(&self, hint: Option<Ty>) -> Option<Ty> {
        self.hinted(hint).filter(|scalar| scalar.is_integer()).map(Ty::scalar)
    }

    /// A literal.
    pub(super) fn literal(&mut self, literal: Literal<'_>, span: Span, hint: Option<Ty>) -> ExprId {
        match literal {
            Literal::Bool(value) => self.scalar_expr(Scalar::Bool, u64::from(value), span),
            Literal::Int { value, suffix, text } => self.integer_literal(value, suffix, text, false, span, hint),
            Literal::Float { digits, suffix, text } => self.float_literal(digits, suffix, text, false, span, hint),
        }
    }

    /// A literal with a minus before it; none where the minus is an operation of its own.
    pub(super) fn negated_literal(&mut self, literal: Literal<'_>, span: Span, hint: Option<Ty>) -> Option<ExprId> {
        match literal {
            Literal::Int { value, suffix: IntSuffix::None, text } => {
                Some(self.integer_literal(value, IntSuffix::None, text, true, span, hint))
            }
            Literal::Float { digits, suffix, text } => Some(self.float_literal(digits, suffix, text, true, span, hint)),
            Literal::Int { .. } | Literal::Bool(_) => None,
        }
    }

    fn integer_literal(
        &mut self,
        value: u64,
        suffix: IntSuffix,
        text: &str,
        negated: bool,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let scalar = match suffix {
            IntSuffix::U => Scalar::U32,
            IntSuffix::Ul => Scalar::U64,
            IntSuffix::None => self.hinted(hint).unwrap_or(Scalar::I32),
        };
        let bits = match scalar {
            Scalar::I32 if negated => (value <= 1 << 31).then(|| u64::from((value as u32).wrapping_neg())),
            Scalar::I32 => (value < 1 << 31).then_some(value),
            Scalar::U32 if negated => (value == 0).then_some(0),
            Scalar::U32 => (value <= u64::from(u32::MAX)).then_some(value),
            Scalar::U64 if negated => (value == 0).then_some(0),
            Scalar::U64 => Some(value),
            Scalar::F32 => {
                let float = value as f32;
                Some(u64::from((if negated { -float } else { float }).to_bits()))
            }
            Scalar::F16 => {
                let half = f16::from_f64(if negated { -(value as f64) } else { value as f64 });
                half.is_finite().then(|| u64::from(half.to_bits()))
            }
            Scalar::Bool => None,
        };
        match bits {
            Some(bits) => self.scalar_expr(scalar, bits, span),
            None => self.out_of_range(text, negated, scalar, span),
        }
    }

    fn float_literal(
        &mut self,
        digits: &str,
        suffix: FloatSuffix,
        text: &str,
        negated: bool,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let is_half = suffix == FloatSuffix::H || self.hinted(hint) == Some(Scalar::F16);
        let bits = if is_half {
            let value = f16::from_f64(digits.parse::<f64>().unwrap_or(f64::INFINITY));
            let value = if negated { -value } else { value };
            value.is_finite().then(|| u64::from(value.to_bits()))
        } else {
            let value = digits.parse::<f32>().unwrap_or(f32::INFINITY);
            let value = if negated { -value } else { value };
            value.is_finite().then(|| u64::from(value.to_bits()))
        };
        let scalar = if is_half { Scalar::F16 } else { Scalar::F32 };
        match bits {
            Some(bits) => self.scalar_expr(scalar, bits, span),
            None => self.out_of_range(text, negated, scalar, span),
        }
    }

    fn out_of_range(&mut self, text: &str, negated: bool, scalar: Scalar, span: Span) -> ExprId {
        let sign = if negated { "-" } else { "" };
        let message = format!("`{sign}{text}` does not fit `{}`", scalar_name(scalar));
        let mut diagnostic = Diagnostic::error(errors::LITERAL_RANGE, span, message);
        if scalar == Scalar::I32 && !negated {
            diagnostic = diagnostic.help("a `uint` has the suffix `u`, a `uint64` the suffix `ul`");
        }
        self.report(diagnostic);
        self.poison(span)
    }
}
