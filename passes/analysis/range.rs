//! Between which numbers an integer value lies, as far as its operands tell at a glance.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::interface::{ParamRole, SystemValue};
use akari_ir::{ConstId, Constant, Module, Scalar, TypeKind, ValueDef, ValueId};

use super::conditions::Conditions;
use super::constants::constant_of;
use super::float_range::FloatRange;
use super::loop_ranges::LoopRanges;

/// The least and the greatest number that each component of a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i128,
    /// The greatest.
    pub high: i128,
}

/// How many operations deep the search goes.
const DEPTH: u32 = 6;

impl Range {
    const fn new(low: i128, high: i128) -> Self {
        Self { low, high }
    }

    /// All numbers of an integer type.
    #[must_use]
    pub fn of_type(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::I32 => Some(Self::new(i32::MIN as i128, i32::MAX as i128)),
            Scalar::U32 => Some(Self::new(0, u32::MAX as i128)),
            Scalar::U64 => Some(Self::new(0, u64::MAX as i128)),
            Scalar::Bool => Some(Self::new(0, 1)),
            Scalar::F16 | Scalar::F32 => None,
        }
    }

    /// Whether every number of `self` is one of `other`.
    #[must_use]
    pub fn within(self, other: Self) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Whether `number` is in it.
    #[must_use]
    pub fn contains(self, number: i128) -> bool {
        self.low <= number && number <= self.high
    }

    /// The numbers in both; the least is above the greatest where there are none.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    fn union(self, other: Self) -> Self {
        Self::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The range of a value of integers or truth values.
    #[must_use]
    pub fn of(module: &Module, value: ValueId) -> Option<Self> {
        Search { module, known: None }.range(value, DEPTH)
    }

    /// As [`Self::of`], as far as `depth` operations deep.
    #[must_use]
    pub(super) fn within_depth(module: &Module, value: ValueId, depth: u32) -> Option<Self> {
        Search { module, known: None }.range(value, depth)
    }

    /// As [`Self::of`], with what else is known.
    #[must_use]
    pub fn of_known(module: &Module, value: ValueId, known: &Known) -> Option<Self> {
        Search { module, known: Some(known) }.range(value, DEPTH)
    }

    /// The sum of two ranges.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self::new(self.low + other.low, self.high + other.high)
    }

    /// The difference of two ranges.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::new(self.low - other.high, self.high - other.low)
    }

    /// The product of two ranges.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        // The factors are of 64 bits at most, so the products fit.
        let corners = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        corners.iter().fold(Self::new(corners[0], corners[0]), |all, corner| all.union(Self::new(*corner, *corner)))
    }
}

/// What is known of numbers beside the operands of operations.
#[derive(Debug, Default)]
pub struct Known {
    /// The counters of loops.
    pub counters: LoopRanges,
    /// The conditions that lead to where a walk is.
    pub conditions: Conditions,
}

struct Search<'m> {
    module: &'m Module,
    known: Option<&'m Known>,
}

impl Search<'_> {
    fn range(&self, value: ValueId, depth: u32) -> Option<Range> {
        let scalar = self.module.value_kind(value).scalar()?;
        let all = Range::of_type(scalar)?;
        let mut whole = all;
        if let Some(range) = self.known.and_then(|known| known.conditions.of(value)) {
            whole = whole.intersection(range);
        }
        if depth == 0 {
            return Some(whole);
        }
        // What would leave the type wraps, and could then be anything.
        let found = self.of_definition(value, scalar, depth - 1).filter(|range| range.within(all));
        let both = found.map_or(whole, |range| range.intersection(whole));
        // Where there is nothing in both, nothing is executed.
        Some(if both.low <= both.high { both } else { whole })
    }

    fn of_definition(&self, value: ValueId, scalar: Scalar, depth: u32) -> Option<Range> {
        let op = match self.module.value(value).def {
            ValueDef::Result(op) => self.module.op(op),
            ValueDef::Param(func, index) => {
                return match self.module.functions[func].params.get(index as usize)?.role {
                    ParamRole::System(SystemValue::LocalId) => {
                        let threads = self.module.functions[func].entry?.threads;
                        threads.iter().max().map(|most| Range::new(0, i128::from(*most) - 1))
                    }
                    ParamRole::System(SystemValue::LocalIndex) => {
                        let threads = self.module.functions[func].entry?.threads;
                        Some(Range::new(0, threads.iter().map(|count| i128::from(*count)).product::<i128>() - 1))
                    }
                    _ => None,
                };
            }
        };
        let operand = |index: usize| op.operands.get(index).and_then(|operand| self.range(*operand, depth));
        match AkariOp::of(op)? {
            AkariOp::Const | AkariOp::GlobalConst => self.of_constant(constant_of(self.module, value)?, scalar),
            AkariOp::Splat
            | AkariOp::Extract
            | AkariOp::Swizzle
            | AkariOp::Index
            | AkariOp::Let
            | AkariOp::NonUniform => {
                // Only components of vectors: parts of other aggregates have no range.
                matches!(self.module.value_kind(op.operands[0]), TypeKind::Scalar(_) | TypeKind::Vector(..))
                    .then(|| operand(0))?
            }
            AkariOp::Construct => {
                let mut all: Option<Range> = None;
                for part in &op.operands {
                    let part = self.range(*part, depth)?;
                    all = Some(all.map_or(part, |range| range.union(part)));
                }
                all
            }
            AkariOp::Load => match self.module.value(value).def {
                ValueDef::Result(load) => self.known?.counters.of_load(load),
                ValueDef::Param(..) => None,
            },
            AkariOp::Convert if self.module.value_kind(op.operands[0]).scalar().is_some_and(Scalar::is_float) => {
                let FloatRange { low, high } = FloatRange::within_depth(self.module, op.operands[0], depth)?;
                Some(Range::new(low.trunc() as i128, high.trunc() as i128))
            }
            AkariOp::Convert => operand(0),
            AkariOp::Neg => operand(0).map(|range| Range::new(-range.high, -range.low)),
            AkariOp::Add => Some(operand(0)?.plus(operand(1)?)),
            AkariOp::Sub => Some(operand(0)?.minus(operand(1)?)),
            AkariOp::Mul => Some(operand(0)?.times(operand(1)?)),
            AkariOp::Div => {
                let (dividend, divisor) = (operand(0)?, operand(1)?);
                (divisor.low > 0).then(|| {
                    let corners = [
                        dividend.low / divisor.low,
                        dividend.high / divisor.low,
                        dividend.low / divisor.high,
                        dividend.high / divisor.high,
                    ];
                    corners.iter().fold(Range::new(corners[0], corners[0]), |all, at| all.union(Range::new(*at, *at)))
                })
            }
            AkariOp::Rem => {
                let (dividend, divisor) = (operand(0)?, operand(1)?);
                let most = (divisor.high.abs().max(divisor.low.abs()) - 1).max(0);
                Some(Range::new(if dividend.low < 0 { -most } else { 0 }, most.min(dividend.high.max(0))))
            }
            AkariOp::And => {
                let (a, b) = (operand(0)?, operand(1)?);
                match (a.low >= 0, b.low >= 0) {
                    (true, true) => Some(Range::new(0, a.high.min(b.high))),
                    (true, false) => Some(Range::new(0, a.high)),
                    (false, true) => Some(Range::new(0, b.high)),
                    (false, false) => None,
                }
            }
            AkariOp::Or | AkariOp::Xor => {
                let (a, b) = (operand(0)?, operand(1)?);
                let is_or = AkariOp::of(op) == Some(AkariOp::Or);
                (a.low >= 0 && b.low >= 0).then(|| {
                    // No bit above the highest of either.
                    let bits = 128 - (a.high | b.high).leading_zeros();
                    Range::new(if is_or { a.low.max(b.low) } else { 0 }, (1i128 << bits) - 1)
                })
            }
            AkariOp::Shl => {
                let (shifted, count) = (operand(0)?, operand(1)?);
                let bits = i128::from(scalar.bits());
                (count.low >= 0 && count.high < bits)
                    .then(|| shifted.times(Range::new(1 << count.low, 1 << count.high)))
            }
            AkariOp::Shr => {
                let (shifted, count) = (operand(0)?, operand(1)?);
                let bits = i128::from(scalar.bits());
                (count.low >= 0 && count.high < bits)
                    .then(|| Range::new(shifted.low >> count.low.min(127), shifted.high >> count.low))
                    .map(|range| Range::new(range.low.min(shifted.low >> count.high), range.high))
            }
            AkariOp::Select => Some(operand(1)?.union(operand(2)?)),
            AkariOp::Builtin => match Builtin::from_index(op.enumerated(0)) {
                Builtin::Min => {
                    let (a, b) = (operand(0)?, operand(1)?);
                    Some(Range::new(a.low.min(b.low), a.high.min(b.high)))
                }
                Builtin::Max => {
                    let (a, b) = (operand(0)?, operand(1)?);
                    Some(Range::new(a.low.max(b.low), a.high.max(b.high)))
                }
                Builtin::Clamp => {
                    let (x, low, high) = (operand(0)?, operand(1)?, operand(2)?);
                    Some(Range::new(x.low.max(low.low).min(high.low), x.high.max(low.high).min(high.high)))
                }
                Builtin::Abs => operand(0).map(|range| {
                    let least = if range.contains(0) { 0 } else { range.low.abs().min(range.high.abs()) };
                    Range::new(least, range.low.abs().max(range.high.abs()))
                }),
                Builtin::CountBits => Some(Range::new(0, 32)),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_constant(&self, constant: ConstId, scalar: Scalar) -> Option<Range> {
        match self.module.constant(constant) {
            Constant::Scalar(_, bits) => {
                let number = match scalar {
                    Scalar::I32 => i128::from(*bits as u32 as i32),
                    Scalar::U32 | Scalar::U64 | Scalar::Bool => i128::from(*bits),
                    Scalar::F16 | Scalar::F32 => return None,
                };
                Some(Range::new(number, number))
            }
            Constant::Composite(ty, parts) if matches!(self.module.kind(*ty), TypeKind::Vector(..)) => {
                let mut ranges = parts.iter().map(|part| self.of_constant(*part, scalar));
                let first = ranges.next()??;
                ranges.try_fold(first, |all, range| Some(all.union(range?)))
            }
            Constant::Zero(ty) if matches!(self.module.kind(*ty), TypeKind::Vector(..)) => Some(Range::new(0, 0)),
            Constant::Composite(..) | Constant::Zero(_) => None,
        }
    }
}
