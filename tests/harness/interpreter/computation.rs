//! Operations on values alone.

use akari_dialect::{AkariOp, Predicate};
use akari_ir::op::Attr;
use akari_ir::{Module, Scalar, Type};

use super::arithmetic;
use super::value::Value;

/// An operation on values, in the body of a function or in an open constant.
pub(super) struct Computation<'c> {
    pub(super) kind: AkariOp,
    pub(super) attrs: &'c [Attr],
    /// The types of its operands.
    pub(super) operands: &'c [Type],
    /// The type of its result.
    pub(super) result: Type,
}

impl Computation<'_> {
    pub(super) fn value(&self, module: &Module, operands: &[Value]) -> Result<Value, String> {
        let kind = self.kind;
        let scalar = || -> Result<Scalar, String> {
            let ty = self.operands.first().ok_or("no operand")?;
            module.kind(*ty).scalar().ok_or_else(|| "an operand is not made of scalars".to_owned())
        };
        Ok(match kind {
            AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor => {
                let scalar = scalar()?;
                arithmetic::zip(&operands[0], &operands[1], &|a, b| arithmetic::binary(kind, scalar, a, b))
            }
            AkariOp::Shl | AkariOp::Shr => {
                let scalar = scalar()?;
                arithmetic::zip(&operands[0], &operands[1], &|a, b| arithmetic::shift(kind, scalar, a, b))
            }
            AkariOp::Neg | AkariOp::BitNot | AkariOp::Not => {
                let scalar = scalar()?;
                arithmetic::map(&operands[0], &|a| arithmetic::unary(kind, scalar, a))
            }
            AkariOp::MatMul => arithmetic::matmul(&operands[0], &operands[1]),
            AkariOp::Compare => {
                let scalar = scalar()?;
                let [Attr::Enum(predicate)] = self.attrs else { return Err("a comparison without a predicate".into()) };
                let predicate = Predicate::from_index(*predicate);
                arithmetic::zip(&operands[0], &operands[1], &|a, b| {
                    u64::from(arithmetic::compare(predicate, scalar, a, b))
                })
            }
            AkariOp::Select => match &operands[0] {
                Value::Composite(conditions) => Value::composite(
                    conditions
                        .iter()
                        .enumerate()
                        .map(|(index, condition)| operands[if condition.is_true() { 1 } else { 2 }].part(index))
                        .collect(),
                ),
                condition => operands[if condition.is_true() { 1 } else { 2 }].clone(),
            },
            AkariOp::Convert => {
                let from = scalar()?;
                let to = module.kind(self.result).scalar().ok_or("converted to no scalar")?;
                arithmetic::map(&operands[0], &|a| arithmetic::convert(from, to, a))
            }
            AkariOp::Construct => {
                if module.kind(self.result).width().is_some() {
                    Value::vector(&operands.iter().flat_map(Value::components).collect::<Vec<_>>())
                } else {
                    Value::composite(operands.to_vec())
                }
            }
            AkariOp::Splat => {
                let width = module.kind(self.result).width().unwrap_or(1);
                Value::vector(&vec![operands[0].bits(); usize::from(width)])
            }
            AkariOp::Extract => {
                let [Attr::Int(index)] = self.attrs else { return Err("a part without a number".into()) };
                operands[0].part(*index as usize)
            }
            AkariOp::Index => operands[0].part(operands[1].bits() as u32 as usize),
            AkariOp::Swizzle => {
                let components = operands[0].components();
                let [Attr::Ints(indices)] = self.attrs else { return Err("a swizzle without components".into()) };
                Value::vector(&indices.iter().map(|index| components[(*index & 3) as usize]).collect::<Vec<_>>())
            }
            _ => return Err(format!("{kind:?} is no operation on values")),
        })
    }
}
