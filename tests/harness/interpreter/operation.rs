//! Operations without control flow.

use akari_dialect::{AkariOp, Builtin, Predicate};
use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::{OpId, Type};

use super::arithmetic;
use super::machine::{Frame, Machine, Mask};
use super::races::Touch;
use super::value::{Place, Root, Value};

impl Machine<'_> {
    /// The scalar type of an operand.
    fn scalar_of(&self, id: OpId, operand: usize) -> Result<akari_ir::Scalar, String> {
        let value = self.module.op(id).operands[operand];
        self.module.value_kind(value).scalar().ok_or_else(|| "an operand is not made of scalars".to_owned())
    }

    /// What the place that is the result of an operation holds.
    fn pointee(&self, id: OpId) -> Result<Type, String> {
        let result = self.module.op(id).result.ok_or("no result")?;
        let place = self.module.types.as_place(self.module.value_type(result));
        place.map(|(_, pointee)| pointee).ok_or_else(|| "the result is no place".to_owned())
    }

    pub(super) fn plain(&mut self, frame: &mut Frame, id: OpId, kind: AkariOp, mask: &Mask) -> Result<(), String> {
        if kind == AkariOp::Builtin {
            let function = Builtin::from_index(self.module.op(id).enumerated(0));
            return self.builtin(frame, id, function, mask);
        }
        let lanes: Vec<usize> = (0..mask.len()).filter(|lane| mask[*lane]).collect();
        let mut results: Vec<Option<Value>> = vec![None; mask.len()];
        for lane in lanes {
            let operands: Vec<Value> =
                self.module.op(id).operands.iter().map(|value| frame.values[value][lane].clone()).collect();
            results[lane] = self.one(id, kind, lane, operands)?;
        }
        if let Some(result) = self.module.op(id).result {
            self.define(frame, result, mask, |lane| results[lane].clone().unwrap_or(Value::Undefined));
        }
        Ok(())
    }

    fn one(&mut self, id: OpId, kind: AkariOp, lane: usize, operands: Vec<Value>) -> Result<Option<Value>, String> {
        let module = self.module;
        let op = module.op(id);
        let place = |value: &Value| match value {
            Value::Place(place) => Ok(place.clone()),
            _ => Err("an operand is no place".to_owned()),
        };
        let resource = |value: &Value| match value {
            Value::Resource(index) => Ok(*index),
            _ => Err("an operand is no resource".to_owned()),
        };
        let value = match kind {
            AkariOp::Const => Value::constant(module, op.constant(0)),
            AkariOp::GlobalConst => match module.globals[op.global(0)].kind {
                akari_ir::GlobalKind::Constant(constant) => Value::constant(module, constant),
                _ => return Err("the global is no constant".into()),
            },
            AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor => {
                let scalar = self.scalar_of(id, 0)?;
                arithmetic::zip(&operands[0], &operands[1], &|a, b| arithmetic::binary(kind, scalar, a, b))
            }
            AkariOp::Shl | AkariOp::Shr => {
                let scalar = self.scalar_of(id, 0)?;
                arithmetic::zip(&operands[0], &operands[1], &|a, b| arithmetic::shift(kind, scalar, a, b))
            }
            AkariOp::Neg | AkariOp::BitNot | AkariOp::Not => {
                let scalar = self.scalar_of(id, 0)?;
                arithmetic::map(&operands[0], &|a| arithmetic::unary(kind, scalar, a))
            }
            AkariOp::MatMul => arithmetic::matmul(&operands[0], &operands[1]),
            AkariOp::Compare => {
                let scalar = self.scalar_of(id, 0)?;
                let predicate = Predicate::from_index(op.enumerated(0));
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
                let from = self.scalar_of(id, 0)?;
                let result = op.result.ok_or("no result")?;
                let to = module.value_kind(result).scalar().ok_or("converted to no scalar")?;
                arithmetic::map(&operands[0], &|a| arithmetic::convert(from, to, a))
            }
            AkariOp::Construct => {
                let result = op.result.ok_or("no result")?;
                if module.value_kind(result).width().is_some() {
                    Value::vector(&operands.iter().flat_map(Value::components).collect::<Vec<_>>())
                } else {
                    Value::composite(operands)
                }
            }
            AkariOp::Splat => {
                let result = op.result.ok_or("no result")?;
                let width = module.value_kind(result).width().unwrap_or(1);
                Value::vector(&vec![operands[0].bits(); usize::from(width)])
            }
            AkariOp::Extract => operands[0].part(op.int(0) as usize),
            AkariOp::Index => operands[0].part(operands[1].bits() as u32 as usize),
            AkariOp::Swizzle => {
                let components = operands[0].components();
                Value::vector(&op.ints(0).iter().map(|index| components[*index as usize]).collect::<Vec<_>>())
            }
            AkariOp::Local => {
                let ty = self.pointee(id)?;
                // A composite needs its shape to be written part by part.
                let initial = operands.first().cloned().unwrap_or_else(|| Value::zero(module, ty));
                self.lanes[lane].locals.push(initial);
                let root = Root::Local(self.lanes[lane].locals.len() - 1);
                Value::Place(Place { root, path: Vec::new(), ty })
            }
            AkariOp::Load => {
                let place = place(&operands[0])?;
                self.touch(lane, &place, Touch::Read);
                self.load(lane, &place)
            }
            AkariOp::Store => {
                let place = place(&operands[0])?;
                self.touch(lane, &place, Touch::Write);
                self.store(lane, &place, operands[1].clone());
                return Ok(None);
            }
            AkariOp::StoreComponents => {
                let vector = place(&operands[0])?;
                let scalar = self.part_types(vector.ty).first().copied().unwrap_or(vector.ty);
                for (component, bits) in op.ints(0).iter().zip(operands[1].components()) {
                    let part = self.subplace(&vector, *component as u32, scalar);
                    self.touch(lane, &part, Touch::Write);
                    self.store(lane, &part, Value::Scalar(bits));
                }
                return Ok(None);
            }
            AkariOp::Member => {
                let ty = self.pointee(id)?;
                Value::Place(self.subplace(&place(&operands[0])?, op.int(0) as u32, ty))
            }
            AkariOp::Element => {
                let ty = self.pointee(id)?;
                Value::Place(self.subplace(&place(&operands[0])?, operands[1].bits() as u32, ty))
            }
            AkariOp::GlobalPlace => {
                let global = op.global(0);
                let root = match module.globals[global].kind {
                    akari_ir::GlobalKind::Workgroup => Root::Workgroup(global),
                    akari_ir::GlobalKind::Constant(_) => Root::Constant(global),
                    akari_ir::GlobalKind::Resource { .. } => return Err("a resource is no place".into()),
                };
                Value::Place(Place { root, path: Vec::new(), ty: module.globals[global].ty })
            }
            AkariOp::Contents => {
                let ty = self.pointee(id)?;
                let root =
                    Root::Memory { resource: resource(&operands[0])?, offset: Some(0), packing: Packing::Uniform };
                Value::Place(Place { root, path: Vec::new(), ty })
            }
            AkariOp::BufferElement => {
                let ty = self.pointee(id)?;
                Value::Place(self.buffer_place(resource(&operands[0])?, operands[1].bits() as u32, ty))
            }
            AkariOp::Let => operands[0].clone(),
            AkariOp::Function
            | AkariOp::CallValue
            | AkariOp::None
            | AkariOp::IsNone
            | AkariOp::Repeat
            | AkariOp::SizeOf
            | AkariOp::OpenSwitch
            | AkariOp::Threads
            | AkariOp::Instance => return Err("an operation of compile time".into()),
            AkariOp::Resource
            | AkariOp::AndThen
            | AkariOp::OrElse
            | AkariOp::Cond
            | AkariOp::If
            | AkariOp::Loop
            | AkariOp::Switch
            | AkariOp::Break
            | AkariOp::Continue
            | AkariOp::Return
            | AkariOp::Yield
            | AkariOp::Discard
            | AkariOp::Call
            | AkariOp::Builtin => return Err(format!("{kind:?} is not expected here")),
        };
        Ok(Some(value))
    }
}
