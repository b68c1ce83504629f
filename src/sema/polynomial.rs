//! Sums of products of integers in one form, so that array lengths that are equal are written equally: `n + n` is `n * 2`, and
//! `(n + 1) * 2` is `n * 2 + 2`. Integers wrap, for which all rules of a ring hold.

use std::collections::BTreeMap;

use akari_dialect::AkariOp;
use akari_dialect::fold::Fault;
use akari_ir::Scalar;
use smallvec::SmallVec;

use super::open::{Open, OpenId, Value};
use super::program::Program;
use super::types::{Ty, TyKind};

/// A product of things that are no sums or products themselves, in order. Empty: one.
type Product = SmallVec<[OpenId; 2]>;

/// How many products a sum may have; what has more is left as it is written.
const MOST_PRODUCTS: usize = 64;

/// A sum of products, each with how often it is taken, never zero.
#[derive(Clone, Debug, Default)]
struct Sum {
    products: BTreeMap<Product, u64>,
}

impl Sum {
    fn add(&mut self, product: Product, times: u64, mask: u64) {
        let sum = self.products.get(&product).copied().unwrap_or(0).wrapping_add(times) & mask;
        if sum == 0 {
            self.products.remove(&product);
        } else {
            self.products.insert(product, sum);
        }
    }
}

impl Program<'_> {
    /// A sum, difference, product or negation of integers of which some are open; none where it is too large for this form.
    pub(super) fn polynomial(&mut self, op: AkariOp, operands: &[Value], ty: Ty) -> Result<Option<Value>, Fault> {
        let TyKind::Scalar(scalar) = self.kind(ty) else {
            return Ok(None);
        };
        if !scalar.is_integer() {
            return Ok(None);
        }
        let mask = if scalar == Scalar::U64 { u64::MAX } else { u64::from(u32::MAX) };
        let mut sums = operands.iter().map(|operand| match operand {
            Value::Open(open) => self.sum(*open, mask),
            Value::Known(value) => {
                let mut sum = Sum::default();
                sum.add(Product::new(), self.module.scalar_bits(*value)? & mask, mask);
                Some(sum)
            }
        });
        let (a, b) = (sums.next().flatten(), sums.next());
        let sum = match (op, a, b) {
            (AkariOp::Neg, Some(a), None) => total(Sum::default(), &a, mask, mask),
            (AkariOp::Add, Some(a), Some(Some(b))) => total(a, &b, 1, mask),
            (AkariOp::Sub, Some(a), Some(Some(b))) => total(a, &b, mask, mask),
            (AkariOp::Mul, Some(a), Some(Some(b))) => product(&a, &b, mask),
            _ => return Ok(None),
        };
        match sum {
            Some(sum) => self.written(&sum, scalar, ty).map(Some),
            None => Ok(None),
        }
    }

    /// An open constant as a sum.
    fn sum(&self, open: OpenId, mask: u64) -> Option<Sum> {
        match self.open.get(open) {
            Open::Known(value) => {
                let mut sum = Sum::default();
                sum.add(Product::new(), self.module.scalar_bits(*value)? & mask, mask);
                return Some(sum);
            }
            Open::Apply { op, operands, .. } => match (op, &**operands) {
                (AkariOp::Neg, [a]) => return total(Sum::default(), &self.sum(*a, mask)?, mask, mask),
                (AkariOp::Add, [a, b]) => return total(self.sum(*a, mask)?, &self.sum(*b, mask)?, 1, mask),
                (AkariOp::Sub, [a, b]) => return total(self.sum(*a, mask)?, &self.sum(*b, mask)?, mask, mask),
                (AkariOp::Mul, [a, b]) => return product(&self.sum(*a, mask)?, &self.sum(*b, mask)?, mask),
                _ => {}
            },
            Open::Parameter { .. } | Open::IsNone(_) | Open::SizeOf(..) => {}
        }
        let mut sum = Sum::default();
        sum.add(SmallVec::from_slice(&[open]), 1, mask);
        Some(sum)
    }

    /// A sum as an open constant: the number last, and as few minus signs as may be.
    fn written(&mut self, sum: &Sum, scalar: Scalar, ty: Ty) -> Result<Value, Fault> {
        let negative = |times: u64| if scalar == Scalar::U64 { times >> 63 == 1 } else { times >> 31 == 1 };
        let negated = |times: u64| {
            if scalar == Scalar::U64 { times.wrapping_neg() } else { u64::from((times as u32).wrapping_neg()) }
        };
        // The empty product is the least and comes last.
        let terms: Vec<(&Product, u64)> = sum
            .products
            .iter()
            .skip_while(|(product, _)| product.is_empty())
            .map(|(product, times)| (product, *times))
            .collect();
        let number = sum.products.get(&Product::new()).copied();
        let number_term = Product::new();
        let all = terms.into_iter().chain(number.map(|number| (&number_term, number)));
        let (minus, plus): (Vec<_>, Vec<_>) = all.partition(|(_, times)| negative(*times));
        let mut written: Option<Value> = None;
        for (product, times) in plus {
            let term = self.term(product, times, scalar, ty)?;
            written = Some(match written {
                Some(before) => self.pair(AkariOp::Add, before, term, ty)?,
                None => term,
            });
        }
        for (product, times) in minus {
            let term = self.term(product, negated(times), scalar, ty)?;
            let before = written.unwrap_or(Value::Known(self.module.scalar_constant(scalar, 0)));
            written = Some(self.pair(AkariOp::Sub, before, term, ty)?);
        }
        Ok(written.unwrap_or(Value::Known(self.module.scalar_constant(scalar, 0))))
    }

    fn term(&mut self, product: &Product, times: u64, scalar: Scalar, ty: Ty) -> Result<Value, Fault> {
        let number = Value::Known(self.module.scalar_constant(scalar, times));
        let Some((first, rest)) = product.split_first() else {
            return Ok(number);
        };
        let mut value = Value::Open(*first);
        for factor in rest {
            value = self.pair(AkariOp::Mul, value, Value::Open(*factor), ty)?;
        }
        if times == 1 {
            return Ok(value);
        }
        self.pair(AkariOp::Mul, value, number, ty)
    }

    fn pair(&mut self, op: AkariOp, a: Value, b: Value, ty: Ty) -> Result<Value, Fault> {
        let operands = [self.open_of(a)?, self.open_of(b)?].into();
        self.intern_open(Open::Apply { op, attrs: Box::default(), operands, ty })
    }
}

/// `a`, and `b` as often as said.
fn total(mut a: Sum, b: &Sum, times: u64, mask: u64) -> Option<Sum> {
    for (product, count) in &b.products {
        a.add(product.clone(), count.wrapping_mul(times) & mask, mask);
    }
    (a.products.len() <= MOST_PRODUCTS).then_some(a)
}

fn product(a: &Sum, b: &Sum, mask: u64) -> Option<Sum> {
    if a.products.len() * b.products.len() > MOST_PRODUCTS {
        return None;
    }
    let mut sum = Sum::default();
    for (left, times) in &a.products {
        for (right, count) in &b.products {
            let mut product: Product = left.iter().chain(right).copied().collect();
            product.sort_unstable();
            sum.add(product, times.wrapping_mul(*count) & mask, mask);
        }
    }
    Some(sum)
}
