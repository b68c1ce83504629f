//! Operators between two operands.

use akari_dialect::{AkariOp, Predicate};
use akari_ir::{Diagnostic, Scalar, Span, with_article};

use super::checker::Checker;
use super::constant::integer;
use super::errors;
use super::literal::Flexible;
use super::tree::{ExprId, ExprKind};
use super::types::{Ty, TyKind, plain_type, scalar_name};
use crate::foreign;
use crate::syntax::ast::{self, InfixOp, InfixOperand};

/// What an operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Logic(InfixOp),
    Compare(Predicate),
    Arithmetic(AkariOp),
    Bits(AkariOp),
    Shift(AkariOp),
}

/// The operator as it is written, and what it is.
pub(super) fn operator(op: InfixOp) -> (&'static str, Operator) {
    match op {
        InfixOp::Or => ("||", Operator::Logic(op)),
        InfixOp::And => ("&&", Operator::Logic(op)),
        InfixOp::Equal => ("==", Operator::Compare(Predicate::Eq)),
        InfixOp::NotEqual => ("!=", Operator::Compare(Predicate::Ne)),
        InfixOp::Less => ("<", Operator::Compare(Predicate::Lt)),
        InfixOp::LessEqual => ("<=", Operator::Compare(Predicate::Le)),
        InfixOp::Greater => (">", Operator::Compare(Predicate::Gt)),
        InfixOp::GreaterEqual => (">=", Operator::Compare(Predicate::Ge)),
        InfixOp::BitOr => ("|", Operator::Bits(AkariOp::Or)),
        InfixOp::BitXor => ("^", Operator::Bits(AkariOp::Xor)),
        InfixOp::BitAnd => ("&", Operator::Bits(AkariOp::And)),
        InfixOp::ShiftLeft => ("<<", Operator::Shift(AkariOp::Shl)),
        InfixOp::ShiftRight => (">>", Operator::Shift(AkariOp::Shr)),
        InfixOp::Add => ("+", Operator::Arithmetic(AkariOp::Add)),
        InfixOp::Sub => ("-", Operator::Arithmetic(AkariOp::Sub)),
        InfixOp::Mul => ("*", Operator::Arithmetic(AkariOp::Mul)),
        InfixOp::Div => ("/", Operator::Arithmetic(AkariOp::Div)),
        InfixOp::Rem => ("%", Operator::Arithmetic(AkariOp::Rem)),
    }
}

impl<'a> Checker<'_, 'a> {
    /// A chain of operators of one precedence, applied from the left.
    pub(super) fn infix(&mut self, first: &'a ast::Expr<'a>, rest: &'a [InfixOperand<'a>], hint: Option<Ty>) -> ExprId {
        let Some(head) = rest.first() else {
            return self.value(first, hint);
        };
        match operator(head.op).1 {
            Operator::Logic(_) => self.logic_chain(first, rest),
            Operator::Shift(_) => {
                let mut lhs = self.value(first, self.integer_hint(hint));
                for step in rest {
                    let negative = matches!(step.operand.kind, ast::ExprKind::Unary { op: ast::UnaryOp::Negate, .. });
                    let signed = negative || self.ty_kind(lhs).scalar() == Some(Scalar::I32);
                    let rhs = self.value(step.operand, Some(if signed { Ty::INT } else { Ty::UINT }));
                    lhs = self.binary(step.op, step.op_span, lhs, rhs);
                }
                lhs
            }
            Operator::Compare(_) if Self::has_none(first, rest) => self.none_chain(first, rest),
            Operator::Compare(_) if self.reports_type_argument(first, rest) => self.poison(first.span),
            Operator::Compare(_) => self.arithmetic_chain(first, rest, None),
            Operator::Bits(_) => self.arithmetic_chain(first, rest, self.integer_hint(hint)),
            Operator::Arithmetic(_) => self.arithmetic_chain(first, rest, hint),
        }
    }

    /// Whether this is `word<type>(…)` with a word of another language, which is reported as what it is: no comparison.
    fn reports_type_argument(&mut self, first: &ast::Expr<'_>, rest: &[InfixOperand<'_>]) -> bool {
        let (ast::ExprKind::Name(word), [less, greater, ..]) = (&first.kind, rest) else { return false };
        let ast::ExprKind::Name(argument) = less.operand.kind else { return false };
        if (less.op, greater.op) != (InfixOp::Less, InfixOp::Greater) || self.local(*word).is_some() {
            return false;
        }
        let (text, argument) = (self.program.text(*word), self.program.text(argument));
        let help = foreign::type_help(text, Some(argument)).or_else(|| foreign::help(foreign::Place::Function, text));
        let Some(help) = help.filter(|_| plain_type(argument).is_some()) else { return false };
        let message = format!("Akari has no `{text}<{argument}>`");
        self.report(Diagnostic::error(errors::UNKNOWN_FUNCTION, first.span, message).help(help));
        true
    }

    fn has_none(first: &ast::Expr<'_>, rest: &[InfixOperand<'_>]) -> bool {
        let is_none = |written: &ast::Expr<'_>| matches!(written.kind, ast::ExprKind::None);
        is_none(first) || rest.iter().any(|step| is_none(step.operand))
    }

    /// `x == none`, which may be compared with further truth values.
    fn none_chain(&mut self, first: &'a ast::Expr<'a>, rest: &'a [InfixOperand<'a>]) -> ExprId {
        let is_none = |written: &ast::Expr<'_>| matches!(written.kind, ast::ExprKind::None);
        let mut lhs: Option<ExprId> = None;
        for step in rest {
            let span = first.span.to(step.operand.span);
            let equality = matches!(step.op, InfixOp::Equal | InfixOp::NotEqual);
            lhs = Some(match lhs {
                None if equality && is_none(first) => self.none_test(step.operand, step.op, span),
                None if equality && is_none(step.operand) => self.none_test(first, step.op, span),
                other => {
                    // `none` in any other place is reported there.
                    let lhs = match other {
                        Some(lhs) => lhs,
                        None => self.value(first, None),
                    };
                    let rhs = self.value(step.operand, Some(self.ty(lhs)));
                    self.binary(step.op, step.op_span, lhs, rhs)
                }
            });
        }
        lhs.unwrap_or_else(|| self.poison(first.span))
    }

    fn logic_chain(&mut self, first: &'a ast::Expr<'a>, rest: &'a [InfixOperand<'a>]) -> ExprId {
        let sign = rest.first().map_or("&&", |step| operator(step.op).0);
        let what = format!("an operand of `{sign}`");
        let mut lhs = self.condition(first, &what);
        for step in rest {
            let flow = self.flow.clone();
            // After a wrong operand the others most likely are wrong in the same way.
            let rhs = match self.ty(lhs) {
                Ty::ERROR => self.value(step.operand, Some(Ty::BOOL)),
                _ => self.condition(step.operand, &what),
            };
            self.flow = flow;
            let span = first.span.to(step.operand.span);
            let kind = if step.op == InfixOp::And { ExprKind::And(lhs, rhs) } else { ExprKind::Or(lhs, rhs) };
            lhs = self.add(kind, Ty::BOOL, span);
        }
        lhs
    }

    fn arithmetic_chain(&mut self, first: &'a ast::Expr<'a>, rest: &'a [InfixOperand<'a>], hint: Option<Ty>) -> ExprId {
        // Literals that lead the chain take the type of the first operand that has one of its own, which is therefore
        // checked before them; the order of evaluation is that of the tree.
        let mut ahead: Option<(usize, ExprId)> = None;
        let mut lhs_hint = hint;
        if let Some(mut kind) = Flexible::of(first) {
            let mut typed = None;
            for (index, step) in rest.iter().enumerate() {
                match Flexible::of(step.operand) {
                    Some(other) => kind = kind.max(other),
                    None => {
                        typed = Some((index, step));
                        break;
                    }
                }
            }
            match typed {
                Some((index, step)) => {
                    let id = self.value(step.operand, hint);
                    lhs_hint = Some(self.ty(id));
                    ahead = Some((index, id));
                }
                None => lhs_hint = self.flexible_hint(kind, hint),
            }
        }
        let mut lhs = self.value(first, lhs_hint);
        for (index, step) in rest.iter().enumerate() {
            let rhs = match ahead {
                Some((typed, id)) if typed == index => id,
                _ => {
                    let hint = self.ty(lhs);
                    self.value(step.operand, Some(hint))
                }
            };
            lhs = self.binary(step.op, step.op_span, lhs, rhs);
        }
        lhs
    }

    /// `lhs op rhs` of checked operands; not for `&&` and `||`.
    pub(super) fn binary(&mut self, op: InfixOp, op_span: Span, lhs: ExprId, rhs: ExprId) -> ExprId {
        let span = self.span(lhs).to(self.span(rhs));
        let (sign, operator) = operator(op);
        // Enums of one type compare as they are; all else is done on their integers.
        let (lhs, rhs) = (self.as_number(lhs), self.as_number(rhs));
        let (a, b) = (self.ty(lhs), self.ty(rhs));
        if a == Ty::ERROR || b == Ty::ERROR {
            return self.poison(span);
        }
        let Some(result) = self.binary_type(operator, a, b) else {
            let diagnostic = self.bad_operands(sign, op_span, a, b);
            self.report(diagnostic);
            return self.poison(span);
        };
        let kind = match operator {
            Operator::Compare(predicate) => ExprKind::Compare(predicate, lhs, rhs),
            Operator::Arithmetic(op @ (AkariOp::Div | AkariOp::Rem)) => {
                if self.check_divisor(rhs) {
                    return self.poison(span);
                }
                ExprKind::Binary(op, lhs, rhs)
            }
            Operator::Arithmetic(AkariOp::Mul) => {
                let linear = match (self.kind(a), self.kind(b)) {
                    (TyKind::Matrix { .. }, other) | (other, TyKind::Matrix { .. }) => other.width() != Some(1),
                    _ => false,
                };
                ExprKind::Binary(if linear { AkariOp::MatMul } else { AkariOp::Mul }, lhs, rhs)
            }
            Operator::Arithmetic(op) | Operator::Bits(op) => ExprKind::Binary(op, lhs, rhs),
            Operator::Shift(op) => {
                if self.check_shift_count(self.kind(a).scalar(), rhs) {
                    return self.poison(span);
                }
                ExprKind::Binary(op, lhs, rhs)
            }
            Operator::Logic(InfixOp::And) => ExprKind::And(lhs, rhs),
            Operator::Logic(_) => ExprKind::Or(lhs, rhs),
        };
        self.add(kind, result, span)
    }

    /// The type of the result, if the operator takes these operands.
    fn binary_type(&mut self, operator: Operator, a: Ty, b: Ty) -> Option<Ty> {
        let (ka, kb) = (self.kind(a), self.kind(b));
        let (sa, sb) = (ka.scalar()?, kb.scalar()?);
        if let Operator::Shift(_) = operator {
            let counts = matches!(sb, Scalar::I32 | Scalar::U32);
            let (wa, wb) = (ka.width()?, kb.width()?);
            // There are no vectors of `uint64`.
            let fits = wa == wb || wb == 1 || wa == 1 && sa != Scalar::U64;
            return (sa.is_integer() && counts && fits).then(|| self.vector(sa, wa.max(wb)));
        }
        if sa != sb {
            return None;
        }
        match operator {
            Operator::Logic(_) => (a == Ty::BOOL && b == Ty::BOOL).then_some(Ty::BOOL),
            Operator::Arithmetic(op) => {
                if sa == Scalar::Bool {
                    return None;
                }
                match (ka, kb) {
                    (TyKind::Matrix { columns, rows }, TyKind::Vector(_, width)) => {
                        (op == AkariOp::Mul && columns == width).then(|| self.vector(Scalar::F32, rows))
                    }
                    (TyKind::Vector(_, width), TyKind::Matrix { columns, rows }) => {
                        (op == AkariOp::Mul && rows == width).then(|| self.vector(Scalar::F32, columns))
                    }
                    (TyKind::Matrix { .. }, TyKind::Scalar(_)) => {
                        matches!(op, AkariOp::Mul | AkariOp::Div).then_some(a)
                    }
                    (TyKind::Scalar(_), TyKind::Matrix { .. }) => (op == AkariOp::Mul).then_some(b),
                    (TyKind::Matrix { columns: inner, rows }, TyKind::Matrix { columns, rows: other }) => match op {
                        AkariOp::Mul if inner == other => {
                            Some(self.program.types.intern(TyKind::Matrix { columns, rows }))
                        }
                        AkariOp::Add | AkariOp::Sub if a == b => Some(a),
                        _ => None,
                    },
                    _ => self.broadcast(a, b),
                }
            }
            Operator::Bits(_) => {
                if sa.is_integer() {
                    self.broadcast(a, b)
                } else {
                    None
                }
            }
            Operator::Compare(predicate) => {
                let ordered = !matches!(predicate, Predicate::Eq | Predicate::Ne);
                if ordered && sa == Scalar::Bool {
                    return None;
                }
                let shape = self.broadcast(a, b)?;
                let width = self.kind(shape).width()?;
                Some(self.vector(Scalar::Bool, width))
            }
            Operator::Shift(_) => None,
        }
    }

    /// The common shape of scalars and vectors of one scalar type.
    fn broadcast(&self, a: Ty, b: Ty) -> Option<Ty> {
        match (self.kind(a).width()?, self.kind(b).width()?) {
            (x, y) if x == y => Some(a),
            (1, _) => Some(b),
            (_, 1) => Some(a),
            _ => None,
        }
    }

    fn bad_operands(&self, sign: &str, op_span: Span, a: Ty, b: Ty) -> Diagnostic {
        let (x, y) = (self.show(a), self.show(b));
        let message = if a == b {
            format!("`{sign}` does not take `{x}`")
        } else {
            format!("`{sign}` does not take `{x}` and `{y}`")
        };
        let diagnostic = Diagnostic::error(errors::BAD_OPERANDS, op_span, message);
        let (ka, kb) = (self.kind(a), self.kind(b));
        let (Some(sa), Some(sb)) = (ka.scalar(), kb.scalar()) else {
            if self.holds_resources(a) || self.holds_resources(b) {
                return diagnostic.help("take what is read from the resource");
            }
            if matches!(sign, "==" | "!=") && a == b {
                return diagnostic.help("compare what it holds, part by part");
            }
            return diagnostic;
        };
        if let (TyKind::Matrix { .. }, true) = (ka, matches!(sign, "==" | "!=") && a == b) {
            return diagnostic.help("compare its columns: `all(a[0] == b[0])`");
        }
        let bits = matches!(sign, "&" | "|");
        if bits && sa == Scalar::Bool && sb == Scalar::Bool {
            return diagnostic.help(format!("use `{sign}{sign}`"));
        }
        let is_bitwise = matches!(sign, "&" | "|" | "^" | "<<" | ">>");
        if is_bitwise && (sa.is_float() || sb.is_float()) {
            let help = format!(
                "`{sign}` is for integers: convert with `int(…)` or `uint(…)`, or take the bits with `as_uint(…)`"
            );
            return diagnostic.help(help);
        }
        let matrix_help = match (ka, kb) {
            (TyKind::Matrix { columns: size, .. }, TyKind::Vector(..)) => Some((x.clone(), size, "after")),
            (TyKind::Vector(..), TyKind::Matrix { rows: size, .. }) => Some((y.clone(), size, "before")),
            _ => None,
        };
        if let (Some((matrix, size, place)), "*") = (matrix_help, sign) {
            return diagnostic.help(format!("{} takes a `float{size}` {place} it", with_article(&matrix)));
        }
        if matches!(sign, "<<" | ">>") && sb == Scalar::U64 {
            return diagnostic.help("a shift count is an `int` or a `uint`: `uint(…)`");
        }
        if matches!(sign, "<<" | ">>") && sa == Scalar::U64 {
            return diagnostic.help("there are no vectors of `uint64`: shift each by one count");
        }
        if sa != sb && sa != Scalar::Bool && sb != Scalar::Bool {
            // Towards the float, where there is one.
            let to = if sb.is_float() && !sa.is_float() { sb } else { sa };
            return diagnostic.help(format!("convert one of them: `{}(…)`", scalar_name(to)));
        }
        if sa != sb && (sa == Scalar::Bool || sb == Scalar::Bool) && !is_bitwise {
            let to = if sa == Scalar::Bool { y } else { x };
            return diagnostic.help(format!("convert the `bool`: `{to}(…)`, or choose with `?:`"));
        }
        if let (TyKind::Vector(_, wa), TyKind::Vector(_, wb)) = (ka, kb)
            && wa != wb
        {
            let narrow = usize::from(wa.min(wb));
            return diagnostic.help(format!("take as many components of the wider one: `.{}`", &"xyzw"[..narrow]));
        }
        diagnostic
    }

    /// Whether an integer divisor is the constant zero, which is reported.
    fn check_divisor(&mut self, rhs: ExprId) -> bool {
        if !self.ty_kind(rhs).scalar().is_some_and(Scalar::is_integer) {
            return false;
        }
        let Ok(value) = self.evaluate(rhs) else {
            return false;
        };
        let zero = akari_dialect::fold::lanes(&self.program.module, value).is_some_and(|lanes| lanes.contains(&0));
        if zero {
            let span = self.span(rhs);
            self.error(errors::DIVISION_BY_ZERO, span, "division by zero");
        }
        zero
    }

    /// Whether a constant shift count is outside the width, which is reported.
    fn check_shift_count(&mut self, shifted: Option<Scalar>, rhs: ExprId) -> bool {
        let (Some(shifted), Some(scalar)) = (shifted, self.ty_kind(rhs).scalar()) else {
            return false;
        };
        let Ok(value) = self.evaluate(rhs) else {
            return false;
        };
        let lanes = akari_dialect::fold::lanes(&self.program.module, value).unwrap_or_default();
        let wrong = lanes
            .iter()
            .map(|bits| integer(scalar, *bits))
            .find(|count| !(0..i64::from(shifted.bits())).contains(count));
        if let Some(count) = wrong {
            let message = format!(
                "a shift of {} by {count}: the count must be below {}",
                with_article(scalar_name(shifted)),
                shifted.bits()
            );
            let span = self.span(rhs);
            self.error(errors::SHIFT_COUNT, span, message);
        }
        wrong.is_some()
    }
}
