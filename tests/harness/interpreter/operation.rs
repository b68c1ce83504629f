//! Operations without control flow.

use std::rc::Rc;

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::{GlobalKind, OpId, Type, TypeKind};

use super::computation::Computation;
use super::machine::{Frame, Machine, Mask};
use super::races::Touch;
use super::value::{FunctionValue, Place, Root, Value};

impl Machine<'_> {
    /// What the place that is the result of an operation holds.
    fn pointee(&self, id: OpId) -> Result<Type, String> {
        let result = self.module.op(id).result.ok_or("no result")?;
        let place = self.module.types.as_place(self.module.value_type(result));
        place.map(|(_, pointee)| pointee).ok_or_else(|| "the result is no place".to_owned())
    }

    /// Why a value is no resource.
    pub(super) fn no_resource(&self, value: &Value) -> String {
        match value {
            Value::Unbound(global) => {
                let name = self.module.text(self.module.globals[*global].name);
                format!("`{name}` is used, and no part of the interface")
            }
            Value::NoResource => "a resource is used that is `none`".to_owned(),
            _ => "an operand is no resource".to_owned(),
        }
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
            results[lane] = self.one(frame, id, kind, lane, operands)?;
        }
        if let Some(result) = self.module.op(id).result {
            self.define(frame, result, mask, |lane| results[lane].clone().unwrap_or(Value::Undefined));
        }
        Ok(())
    }

    fn one(
        &mut self,
        frame: &Frame,
        id: OpId,
        kind: AkariOp,
        lane: usize,
        operands: Vec<Value>,
    ) -> Result<Option<Value>, String> {
        let module = self.module;
        let op = module.op(id);
        let place = |value: &Value| match value {
            Value::Place(place) => Ok(place.clone()),
            _ => Err("an operand is no place".to_owned()),
        };
        let resource = |value: &Value| match value {
            Value::Resource(index) => Ok(*index),
            other => Err(self.no_resource(other)),
        };
        let value = match kind {
            AkariOp::Const => self.constant(frame, lane, op.constant(0))?,
            AkariOp::GlobalConst => match module.globals[op.global(0)].kind {
                GlobalKind::Constant(constant) => Value::constant(module, constant),
                _ => return Err("the global is no constant".into()),
            },
            AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor
            | AkariOp::Shl
            | AkariOp::Shr
            | AkariOp::Neg
            | AkariOp::BitNot
            | AkariOp::Not
            | AkariOp::MatMul
            | AkariOp::Compare
            | AkariOp::Select
            | AkariOp::Convert
            | AkariOp::Construct
            | AkariOp::Splat
            | AkariOp::Extract
            | AkariOp::Index
            | AkariOp::Swizzle => {
                let types: Vec<Type> = op.operands.iter().map(|value| module.value_type(*value)).collect();
                let result = module.value_type(op.result.ok_or("no result")?);
                Computation { kind, attrs: &op.attrs, operands: &types, result }.value(module, &operands)?
            }
            AkariOp::Local => {
                let ty = self.pointee(id)?;
                // A composite needs its shape to be written part by part.
                let initial = match operands.first() {
                    Some(value) => value.clone(),
                    None => self.zero(frame, lane, ty)?,
                };
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
                    let part = self.subplace(&vector, (*component & 3) as u32, scalar);
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
                    GlobalKind::Workgroup => Root::Workgroup(self.workgroup_variable(frame, lane, global)?),
                    GlobalKind::Constant(_) => Root::Constant(global),
                    GlobalKind::Resource { .. } => return Err("a resource is no place".into()),
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
            AkariOp::Let | AkariOp::NonUniform => operands[0].clone(),
            AkariOp::Resource => {
                let GlobalKind::Resource { source, .. } = &module.globals[op.global(0)].kind else {
                    return Err("the global is no resource".into());
                };
                // A binding that nothing uses is no part of the interface, but may be named.
                super::resource(self, source).unwrap_or(Value::Unbound(op.global(0)))
            }
            AkariOp::Function => Value::Function(Rc::new(FunctionValue { callee: op.func(0), captures: operands })),
            AkariOp::None => Value::NoResource,
            AkariOp::IsNone => Value::bool(matches!(operands[0], Value::NoResource)),
            AkariOp::Repeat => {
                let length = match module.kind(module.value_type(op.result.ok_or("no result")?)) {
                    TypeKind::Array(_, length) => length,
                    TypeKind::OpenArray(_, length) => self.length(frame, lane, length)?,
                    _ => return Err("the result is no array".into()),
                };
                Value::composite(vec![operands[0].clone(); length as usize])
            }
            AkariOp::SizeOf => {
                let packing = if op.flag(1) { Packing::Uniform } else { Packing::Storage };
                Value::Scalar(self.size_of(frame, lane, op.ty(0), packing)?)
            }
            AkariOp::Threads => {
                let asked: Vec<u32> = operands.iter().map(|value| value.bits() as u32).collect();
                if asked != self.threads {
                    return Err(format!(
                        "the entry asks for {asked:?} threads a group and runs with {:?}",
                        self.threads
                    ));
                }
                return Ok(None);
            }
            AkariOp::RayQueryBegin
            | AkariOp::RayQueryProceed
            | AkariOp::RayQueryHit
            | AkariOp::RayQueryCandidate
            | AkariOp::RayQueryAccept => return self.query(op, kind, lane, &operands),
            AkariOp::CallValue
            | AkariOp::OpenSwitch
            | AkariOp::Instance
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
