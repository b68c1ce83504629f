//! `defined-arithmetic`: gives arithmetic that C++ leaves undefined the meaning it has in Akari, where its operands do not show that
//! nothing undefined can happen.
//!
//! ```text
//! a + b              int(uint(a) + uint(b))                 signed; also -, *, negation and <<
//! a / b              akari_div(a, b)                        signed; unsigned: a / max(b, 1u)
//! a % b              akari_rem(a, b)                        signed; unsigned: a % max(b, 1u); float: akari_fmod(a, b)
//! a << n             a << (n & 31u)
//! int(x)             akari_to_int(x)
//! abs(x)             akari_abs(x)                           signed
//! ```
//!
//! Here too what matrices lack is said by columns: negation and division by a scalar.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_ir::{ConstId, Constant, Module, OpId, Scalar, TypeKind, ValueId};

use crate::analysis::float_range::FloatRange;
use crate::analysis::loop_ranges::LoopRanges;
use crate::analysis::range::{Known, Range};
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct DefinedArithmetic;

impl Pass for DefinedArithmetic {
    const NAME: &'static str = "defined-arithmetic";
    const SUMMARY: &'static str = "give arithmetic that C++ leaves undefined its meaning";
    const UNTIL: IrStage = IrStage::Target;

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let defined = Defined { known: Known { counters: LoopRanges::of(module), ..Known::default() } };
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| defined.op(r, op));
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

struct Defined {
    known: Known,
}

impl Defined {
    fn op(&self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let Some(akari) = AkariOp::of(r.module.op(op)) else { return Outcome::Keep };
        let operands = r.module.op(op).operands.to_vec();
        let result = r.module.op(op).result;
        let replaced = match (akari, &operands[..], result) {
            (AkariOp::Add | AkariOp::Sub | AkariOp::Mul, &[a, b], _) => self.wrapping(r, akari, a, b),
            (AkariOp::Neg, &[a], _) => self.negation(r, a),
            (AkariOp::Div | AkariOp::Rem, &[a, b], _) => self.division(r, akari, a, b),
            (AkariOp::Shl | AkariOp::Shr, &[value, count], _) => self.shift(r, akari, value, count),
            (AkariOp::Builtin, &[x], _) if Builtin::from_index(r.module.op(op).enumerated(0)) == Builtin::Abs => {
                self.absolute(r, x)
            }
            (AkariOp::Convert, &[value], Some(result)) => conversion(r, value, result),
            _ => None,
        };
        replaced.map_or(Outcome::Keep, Outcome::Replace)
    }

    fn range(&self, r: &Rewriter<'_>, value: ValueId) -> Range {
        // What has no range is no integer, and nobody asks for it.
        Range::of_known(r.module, value, &self.known).unwrap_or(Range { low: i128::MIN / 4, high: i128::MAX / 4 })
    }

    fn wrapping(&self, r: &mut Rewriter<'_>, akari: AkariOp, a: ValueId, b: ValueId) -> Option<ValueId> {
        if r.scalar_of(a) != Some(Scalar::I32) {
            return None;
        }
        let (left, right) = (self.range(r, a), self.range(r, b));
        let exact = match akari {
            AkariOp::Add => left.plus(right),
            AkariOp::Sub => left.minus(right),
            _ => left.times(right),
        };
        if fits(exact, Scalar::I32) {
            return None;
        }
        let (a, b) = (unsigned(r, a), unsigned(r, b));
        let wrapped = r.binary(akari, a, b);
        Some(r.convert(wrapped, Scalar::I32))
    }

    fn negation(&self, r: &mut Rewriter<'_>, a: ValueId) -> Option<ValueId> {
        match r.kind(a) {
            TypeKind::Matrix { .. } => Some(by_columns(r, a, |r, column| r.unary(AkariOp::Neg, column))),
            kind if kind.scalar() == Some(Scalar::I32) && self.range(r, a).contains(i128::from(i32::MIN)) => {
                let a = unsigned(r, a);
                let wrapped = r.unary(AkariOp::Neg, a);
                Some(r.convert(wrapped, Scalar::I32))
            }
            _ => None,
        }
    }

    fn absolute(&self, r: &mut Rewriter<'_>, x: ValueId) -> Option<ValueId> {
        if r.scalar_of(x) != Some(Scalar::I32) || !self.range(r, x).contains(i128::from(i32::MIN)) {
            return None;
        }
        let ty = r.type_of(x);
        Some(r.helper("akari_abs", &["x"], &[x], ty, |r, params| {
            let bits = r.convert(params[0], Scalar::U32);
            let negated = r.unary(AkariOp::Neg, bits);
            let negated = r.convert(negated, Scalar::I32);
            r.builtin(Builtin::Max, &[params[0], negated])
        }))
    }

    fn division(&self, r: &mut Rewriter<'_>, akari: AkariOp, a: ValueId, b: ValueId) -> Option<ValueId> {
        let scalar = r.scalar_of(a)?;
        if let TypeKind::Matrix { .. } = r.kind(a) {
            return Some(by_columns(r, a, |r, column| r.binary(akari, column, b)));
        }
        let width = r.width_of(a).max(r.width_of(b));
        let divisor = self.range(r, b);
        match scalar {
            Scalar::F16 | Scalar::F32 if akari == AkariOp::Div => None,
            Scalar::F16 | Scalar::F32 => {
                let (a, b) = (r.splat(a, width), r.splat(b, width));
                Some(float_remainder(r, a, b))
            }
            Scalar::U32 | Scalar::U64 => {
                if !divisor.contains(0) {
                    return None;
                }
                let one = r.number(scalar, 1);
                let one = r.splat(one, r.width_of(b));
                let positive = r.builtin(Builtin::Max, &[b, one]);
                Some(r.binary(akari, a, positive))
            }
            Scalar::I32 => {
                let overflows = divisor.contains(-1) && self.range(r, a).contains(i128::from(i32::MIN));
                if !divisor.contains(0) && !overflows {
                    return None;
                }
                let (a, b) = (r.splat(a, width), r.splat(b, width));
                Some(if akari == AkariOp::Div { divide(r, a, b) } else { remainder(r, a, b) })
            }
            Scalar::Bool => None,
        }
    }

    fn shift(&self, r: &mut Rewriter<'_>, akari: AkariOp, value: ValueId, count: ValueId) -> Option<ValueId> {
        let scalar = r.scalar_of(value)?;
        let most = i16::try_from(scalar.bits() - 1).ok()?;
        let width = r.width_of(value).max(r.width_of(count));
        let counts = Range { low: 0, high: i128::from(most) };
        let mut by = count;
        if !self.range(r, count).within(counts) {
            let mask = r.number(r.scalar_of(count)?, most);
            by = r.binary(AkariOp::And, count, mask);
        }
        let mut shifted = value;
        if r.width_of(count) > 1 {
            // Both sides of a vector shift have one type.
            by = r.convert(by, if scalar == Scalar::I32 && akari == AkariOp::Shl { Scalar::U32 } else { scalar });
            shifted = r.splat(value, width);
        }
        if akari == AkariOp::Shl && scalar == Scalar::I32 {
            let most_shifted = self.range(r, by);
            let exact = match u32::try_from(most_shifted.high) {
                Ok(high) if high < 32 => self.range(r, value).times(Range { low: 1, high: 1 << high }),
                _ => Range { low: i128::MIN / 4, high: i128::MAX / 4 },
            };
            if !(self.range(r, value).low >= 0 && fits(exact, Scalar::I32)) {
                let bits = unsigned(r, shifted);
                let wrapped = r.binary(akari, bits, by);
                return Some(r.convert(wrapped, Scalar::I32));
            }
        }
        (by != count || shifted != value).then(|| r.binary(akari, shifted, by))
    }
}

fn fits(range: Range, scalar: Scalar) -> bool {
    Range::of_type(scalar).is_some_and(|whole| range.within(whole))
}

/// The same bits as unsigned numbers; what was converted from unsigned numbers is those again.
fn unsigned(r: &mut Rewriter<'_>, value: ValueId) -> ValueId {
    if let Some(op) = r.module.defining_op(value) {
        let op = r.module.op(op);
        let unnamed = r.module.value(value).name.is_none();
        if AkariOp::of(op) == Some(AkariOp::Convert) && unnamed && r.scalar_of(op.operands[0]) == Some(Scalar::U32) {
            return op.operands[0];
        }
    }
    match r.known(value) {
        Some(constant) => {
            let constant = unsigned_constant(r, constant);
            r.constant(constant)
        }
        None => r.convert(value, Scalar::U32),
    }
}

/// The constant with the same bits.
fn unsigned_constant(r: &mut Rewriter<'_>, constant: ConstId) -> ConstId {
    match r.module.constant(constant).clone() {
        Constant::Scalar(_, bits) => r.module.scalar_constant(Scalar::U32, bits),
        Constant::Composite(ty, parts) => {
            let parts = parts.iter().map(|part| unsigned_constant(r, *part)).collect();
            let width = r.module.kind(ty).width().unwrap_or(1);
            let ty = r.module.types.vector(Scalar::U32, width);
            r.module.constants.intern(Constant::Composite(ty, parts))
        }
        Constant::Zero(ty) => {
            let width = r.module.kind(ty).width().unwrap_or(1);
            let ty = r.module.types.vector(Scalar::U32, width);
            r.module.constants.intern(Constant::Zero(ty))
        }
    }
}

fn by_columns(
    r: &mut Rewriter<'_>,
    matrix: ValueId,
    mut each: impl FnMut(&mut Rewriter<'_>, ValueId) -> ValueId,
) -> ValueId {
    let ty = r.module.value_type(matrix);
    let columns = r.module.types.length(ty).unwrap_or(0);
    let columns: Vec<ValueId> = (0..columns)
        .map(|index| {
            let column = r.extract(matrix, index);
            each(r, column)
        })
        .collect();
    r.construct(ty, &columns)
}

fn conversion(r: &mut Rewriter<'_>, value: ValueId, result: ValueId) -> Option<ValueId> {
    let (from, to) = (r.scalar_of(value)?, r.scalar_of(result)?);
    if to == Scalar::Bool && from != Scalar::Bool {
        let zero = r.number(from, 0);
        return Some(r.compare(Predicate::Ne, value, zero));
    }
    if !from.is_float() || !to.is_integer() {
        return None;
    }
    if FloatRange::of(r.module, value).is_some_and(|range| range.converts_to(to)) {
        return None;
    }
    let single = r.convert(value, Scalar::F32);
    Some(to_integer(r, single, to))
}

/// A quotient of integers that is defined for all operands, as a function.
fn divide(r: &mut Rewriter<'_>, a: ValueId, b: ValueId) -> ValueId {
    let ty = r.type_of(a);
    r.helper("akari_div", &["a", "b"], &[a, b], ty, |r, params| {
        let (a, b) = (params[0], params[1]);
        let divisor = harmless_divisor(r, b);
        let quotient = r.binary(AkariOp::Div, a, divisor);
        let minus_one = r.number(Scalar::I32, -1);
        let is_minus_one = r.compare(Predicate::Eq, b, minus_one);
        let bits = r.convert(a, Scalar::U32);
        let negated = r.unary(AkariOp::Neg, bits);
        let negated = r.convert(negated, Scalar::I32);
        r.select(is_minus_one, negated, quotient)
    })
}

/// A remainder of integers that is defined for all operands, as a function.
fn remainder(r: &mut Rewriter<'_>, a: ValueId, b: ValueId) -> ValueId {
    let ty = r.type_of(a);
    r.helper("akari_rem", &["a", "b"], &[a, b], ty, |r, params| {
        let divisor = harmless_divisor(r, params[1]);
        r.binary(AkariOp::Rem, params[0], divisor)
    })
}

/// `x - y * trunc(x / y)` as a function.
fn float_remainder(r: &mut Rewriter<'_>, x: ValueId, y: ValueId) -> ValueId {
    let ty = r.type_of(x);
    r.helper("akari_fmod", &["x", "y"], &[x, y], ty, |r, params| {
        let (x, y) = (params[0], params[1]);
        let quotient = r.binary(AkariOp::Div, x, y);
        let whole = r.builtin(Builtin::Trunc, &[quotient]);
        let multiple = r.binary(AkariOp::Mul, y, whole);
        r.binary(AkariOp::Sub, x, multiple)
    })
}

/// The integer nearest to a float, as a function.
fn to_integer(r: &mut Rewriter<'_>, value: ValueId, scalar: Scalar) -> ValueId {
    let name = match scalar {
        Scalar::I32 => "akari_to_int",
        Scalar::U32 => "akari_to_uint",
        Scalar::U64 | Scalar::Bool | Scalar::F16 | Scalar::F32 => "akari_to_ulong",
    };
    let ty = r.type_of(value);
    let result = r.shaped(ty, scalar);
    r.helper(name, &["x"], &[value], result, |r, params| {
        let FloatRange { low, high } = FloatRange::convertible(scalar);
        let width = r.width_of(params[0]);
        let (least, greatest) = (r.float(low as f32), r.float(high as f32));
        let (least, greatest) = (r.splat(least, width), r.splat(greatest, width));
        // NaN becomes the least.
        let within = r.builtin(Builtin::Clamp, &[params[0], least, greatest]);
        r.convert(within, scalar)
    })
}

/// 1 in place of the divisors 0 and -1.
fn harmless_divisor(r: &mut Rewriter<'_>, b: ValueId) -> ValueId {
    let bits = r.convert(b, Scalar::U32);
    let (one, two) = (r.uint(1), r.uint(2));
    let above = r.binary(AkariOp::Add, bits, one);
    let is_either = r.compare(Predicate::Lt, above, two);
    let width = r.width_of(b);
    let one = r.number(Scalar::I32, 1);
    let one = r.splat(one, width);
    r.select(is_either, one, b)
}
