//! Where the results of float arithmetic go, as far as DXC follows them.
//!
//! An operation hands what was computed on when it is part of the expression that its result is: DXC carries `precise` from a
//! declaration back through these. A condition, an index and the operands of a texture's method it does not go back to; these are
//! *observed*: there, the numbers decide something.

use akari_dialect::ops::yielded;
use akari_dialect::{AkariOp, Builtin};
use akari_dialect_hlsl::HlslOp;
use akari_ir::{GlobalId, Module, OpId, RegionId, Scalar, SecondaryMap, TypeKind, ValueDef, ValueId};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// What a place is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A variable or a borrowed parameter.
    Variable(ValueId),
    /// A resource or groupshared variable.
    Global(GlobalId),
}

/// The values that float arithmetic of their own function goes into.
#[derive(Clone, Debug)]
pub struct FloatFlow {
    values: SecondaryMap<ValueId, bool>,
    variables: FxHashSet<ValueId>,
}

impl FloatFlow {
    /// Of all functions.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut flow = Self { values: SecondaryMap::new(), variables: FxHashSet::default() };
        loop {
            let known = flow.variables.len();
            for (_, function) in module.functions.iter() {
                flow.region(module, function.body);
            }
            if flow.variables.len() == known {
                return flow;
            }
        }
    }

    /// Whether the result of an operation goes into the value. Of a place: into what the variable holds.
    #[must_use]
    pub fn reaches(&self, value: ValueId) -> bool {
        *self.values.get(value) || self.variables.contains(&value)
    }

    fn region(&mut self, module: &Module, region: RegionId) {
        for id in &module.region(region).ops {
            let op = module.op(*id);
            op.regions.iter().for_each(|nested| self.region(module, *nested));
            if let Some(result) = op.result {
                let reached = self.of_operation(module, *id);
                self.values.set(result, reached);
            }
            let stored = match AkariOp::of(op) {
                Some(AkariOp::Local) => op.result.zip(op.operands.first().copied()),
                Some(AkariOp::Store | AkariOp::StoreComponents) => match root(module, op.operands[0]) {
                    Some(Root::Variable(variable)) => Some((variable, op.operands[1])),
                    Some(Root::Global(_)) | None => None,
                },
                _ => None,
            };
            if let Some((variable, value)) = stored
                && *self.values.get(value)
            {
                self.variables.insert(variable);
            }
        }
    }

    fn of_operation(&self, module: &Module, id: OpId) -> bool {
        let op = module.op(id);
        if op.result.is_some_and(|result| module.types.as_place(module.value_type(result)).is_some())
            || is_arithmetic(module, id)
        {
            return is_arithmetic(module, id);
        }
        if AkariOp::of(op) == Some(AkariOp::Load) {
            return match root(module, op.operands[0]) {
                Some(Root::Variable(variable)) => self.variables.contains(&variable),
                Some(Root::Global(_)) | None => false,
            };
        }
        handed_on(module, id).iter().any(|value| *self.values.get(*value))
    }
}

/// The values that the result of an operation is made of.
#[must_use]
pub fn handed_on(module: &Module, id: OpId) -> SmallVec<[ValueId; 4]> {
    let op = module.op(id);
    match AkariOp::of(op) {
        // What a function gives back, it declares itself.
        Some(AkariOp::Load | AkariOp::Call) => smallvec![],
        Some(AkariOp::Cond) => op.regions.iter().filter_map(|region| yielded(module, *region)).collect(),
        Some(AkariOp::AndThen | AkariOp::OrElse) => yielded(module, op.regions[0]).into_iter().collect(),
        Some(_) => {
            let observed = observed(module, id);
            op.operands.iter().copied().filter(|operand| !observed.contains(operand)).collect()
        }
        None if HlslOp::of(op) == Some(HlslOp::Precise) => smallvec![],
        None => op.operands.iter().copied().collect(),
    }
}

/// Whether an operation computes floats: its result depends on how often, and when, it is rounded, and on what is a number.
#[must_use]
pub fn is_arithmetic(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    let kind = op.result.map(|result| module.value_kind(result));
    let of_floats = match kind {
        Some(TypeKind::Matrix { .. }) => true,
        Some(kind) => kind.scalar().is_some_and(Scalar::is_float),
        None => false,
    };
    match AkariOp::of(op) {
        Some(
            AkariOp::Add | AkariOp::Sub | AkariOp::Mul | AkariOp::Div | AkariOp::Rem | AkariOp::Neg | AkariOp::MatMul,
        ) => of_floats,
        Some(AkariOp::Builtin) if of_floats => match Builtin::from_index(op.enumerated(0)) {
            Builtin::Min
            | Builtin::Max
            | Builtin::Clamp
            | Builtin::Abs
            | Builtin::Floor
            | Builtin::Ceil
            | Builtin::Round
            | Builtin::Trunc
            | Builtin::Sign
            | Builtin::Saturate
            | Builtin::Select
            | Builtin::AsFloat
            | Builtin::Transpose
            | Builtin::Ddx
            | Builtin::Ddy
            | Builtin::WaveReadFirst => false,
            builtin => !is_of_a_texture(builtin),
        },
        _ => false,
    }
}

fn is_of_a_texture(builtin: Builtin) -> bool {
    builtin.name().starts_with("texture_")
}

/// The operands of an operation that decide something.
#[must_use]
pub fn observed(module: &Module, id: OpId) -> SmallVec<[ValueId; 2]> {
    let op = module.op(id);
    let is_vector = |value: ValueId| matches!(module.value_kind(value), TypeKind::Vector(..) | TypeKind::Scalar(_));
    if matches!(HlslOp::of(op), Some(HlslOp::Interlocked | HlslOp::GetDimensions)) {
        return op.operands.iter().copied().collect();
    }
    match AkariOp::of(op) {
        Some(AkariOp::If | AkariOp::Switch | AkariOp::Cond | AkariOp::AndThen | AkariOp::OrElse | AkariOp::Select) => {
            smallvec![op.operands[0]]
        }
        // A choice between two numbers.
        Some(AkariOp::Convert) if module.value_kind(op.operands[0]).scalar() == Some(Scalar::Bool) => {
            smallvec![op.operands[0]]
        }
        Some(AkariOp::BufferElement | AkariOp::Element) => smallvec![op.operands[1]],
        Some(AkariOp::Index) => op.operands.iter().copied().collect(),
        // A part of what DXC puts into a variable of its own.
        Some(AkariOp::Extract) if !is_vector(op.operands[0]) => smallvec![op.operands[0]],
        Some(AkariOp::Loop) => yielded(module, op.regions[0]).into_iter().collect(),
        Some(AkariOp::Builtin) => match Builtin::from_index(op.enumerated(0)) {
            Builtin::Select => smallvec![op.operands[2]],
            builtin if is_of_a_texture(builtin) => op.operands.iter().copied().collect(),
            _ => smallvec![],
        },
        _ => smallvec![],
    }
}

/// What a place is a part of.
#[must_use]
pub fn root(module: &Module, place: ValueId) -> Option<Root> {
    let mut place = place;
    loop {
        let ValueDef::Result(id) = module.value(place).def else { return Some(Root::Variable(place)) };
        let op = module.op(id);
        place = match AkariOp::of(op)? {
            AkariOp::Local => return Some(Root::Variable(place)),
            AkariOp::GlobalPlace | AkariOp::Resource => return Some(Root::Global(op.global(0))),
            AkariOp::Member | AkariOp::Element | AkariOp::BufferElement | AkariOp::Contents | AkariOp::Let => {
                op.operands[0]
            }
            _ => return None,
        };
    }
}
