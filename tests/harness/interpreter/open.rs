//! What depends on `const` parameters: lengths of arrays, and through them zero values and sizes. All is computed where it is
//! needed, from the parameters in the frame.

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::interface::ParamRole;
use akari_ir::op::Attr;
use akari_ir::{ConstId, Constant, Entity, OpenConst, OpenConstId, Type, TypeKind};

use super::builtin;
use super::computation::Computation;
use super::machine::{Frame, Machine};
use super::value::Value;

impl Machine<'_> {
    fn open_constant(&self, frame: &Frame, lane: usize, constant: OpenConstId) -> Result<Value, String> {
        let module = self.module;
        match module.open_constant(constant) {
            OpenConst::Parameter(number, _) => {
                let param = module.functions[frame.func].params.get(*number as usize);
                let param = param.ok_or("a length depends on a parameter that the function has not")?;
                Ok(frame.values[&param.value][lane].clone())
            }
            OpenConst::Known(constant) => Ok(Value::constant(module, *constant)),
            OpenConst::Apply { def, attrs, operands, ty } => {
                let values: Vec<Value> = operands
                    .iter()
                    .map(|operand| self.open_constant(frame, lane, *operand))
                    .collect::<Result<_, _>>()?;
                let kind = AkariOp::ALL[def.index as usize];
                let types: Vec<Type> = operands.iter().map(|operand| self.open_type(*operand)).collect();
                if let (AkariOp::Builtin, [Attr::Enum(function)]) = (kind, &attrs[..]) {
                    let scalar =
                        types.first().and_then(|ty| module.kind(*ty).scalar()).ok_or("a builtin of no scalars")?;
                    return builtin::value(Builtin::from_index(*function), scalar, &values.iter().collect::<Vec<_>>());
                }
                Computation { kind, attrs, operands: &types, result: *ty }.value(module, &values)
            }
        }
    }

    /// What tells the specializations of a function apart: its arguments of compile time, as numbers.
    pub(super) fn instance_of(&self, frame: &Frame, lane: usize) -> Vec<u64> {
        fn function(value: &Value, numbers: &mut Vec<u64>) {
            match value {
                Value::Function(of) => {
                    numbers.push(of.callee.index() as u64);
                    of.captures.iter().for_each(|capture| function(capture, numbers));
                }
                Value::NoResource => numbers.push(u64::MAX),
                // What is captured else may be known at run time only.
                _ => {}
            }
        }
        let mut numbers = Vec::new();
        for param in &self.module.functions[frame.func].params {
            let value = &frame.values[&param.value][lane];
            match param.role {
                ParamRole::Const(_) => numbers.extend(value.components()),
                ParamRole::Optional => numbers.push(u64::from(matches!(value, Value::NoResource))),
                ParamRole::Plain | ParamRole::Resource(_) | ParamRole::StageIn | ParamRole::System(_) => {
                    function(value, &mut numbers);
                }
            }
        }
        numbers
    }

    /// The type of an open constant.
    fn open_type(&self, constant: OpenConstId) -> Type {
        match self.module.open_constant(constant) {
            OpenConst::Parameter(_, ty) | OpenConst::Apply { ty, .. } => *ty,
            OpenConst::Known(constant) => self.module.constant(*constant).ty(),
        }
    }

    /// The length of an array.
    pub(super) fn length(&self, frame: &Frame, lane: usize, constant: OpenConstId) -> Result<u32, String> {
        let length = self.open_constant(frame, lane, constant)?.bits() as u32;
        // A negative number is a large one here.
        if length == 0 || i32::try_from(length).is_err() {
            Err(format!("an array has {length} elements"))
        } else {
            Ok(length)
        }
    }

    /// All lengths that a type leaves open, from the outside to the inside.
    pub(super) fn lengths(&self, frame: &Frame, lane: usize, ty: Type) -> Result<Vec<u32>, String> {
        match self.module.kind(ty) {
            TypeKind::OpenArray(element, length) => {
                let mut lengths = vec![self.length(frame, lane, length)?];
                lengths.extend(self.lengths(frame, lane, element)?);
                Ok(lengths)
            }
            TypeKind::Array(element, _) => self.lengths(frame, lane, element),
            _ => Ok(Vec::new()),
        }
    }

    /// All zero bits.
    pub(super) fn zero(&self, frame: &Frame, lane: usize, ty: Type) -> Result<Value, String> {
        let repeat =
            |element: Type, count: u32| Ok(Value::composite(vec![self.zero(frame, lane, element)?; count as usize]));
        match self.module.kind(ty) {
            TypeKind::OpenArray(element, length) => repeat(element, self.length(frame, lane, length)?),
            TypeKind::Array(element, length) => repeat(element, length),
            _ => Ok(Value::zero(self.module, ty)),
        }
    }

    /// A constant in the body of a function; that of a zero may have an open type.
    pub(super) fn constant(&self, frame: &Frame, lane: usize, constant: ConstId) -> Result<Value, String> {
        match self.module.constant(constant) {
            Constant::Zero(ty) => self.zero(frame, lane, *ty),
            Constant::Scalar(..) | Constant::Composite(..) => Ok(Value::constant(self.module, constant)),
        }
    }

    /// The bytes of a value in memory. No struct has a field of an open type.
    pub(super) fn size_of(&mut self, frame: &Frame, lane: usize, ty: Type, packing: Packing) -> Result<u64, String> {
        let (element, length) = match self.module.kind(ty) {
            TypeKind::OpenArray(element, length) => (element, self.length(frame, lane, length)?),
            TypeKind::Array(element, length) => (element, length),
            _ => {
                let layout = self.layouts.of(self.module, ty, packing);
                return layout.map(|layout| u64::from(layout.size)).map_err(|error| format!("{error:?}"));
            }
        };
        let stride = match self.module.kind(element) {
            // Arrays follow one another without gaps: their size is a multiple of their alignment.
            TypeKind::OpenArray(..) | TypeKind::Array(..) => self.size_of(frame, lane, element, packing)?,
            _ => self
                .layouts
                .stride(self.module, element, packing)
                .map(u64::from)
                .map_err(|error| format!("{error:?}"))?,
        };
        Ok(u64::from(length) * stride)
    }
}
