//! Evaluation of operations and builtins on constants, bit for bit as IEEE-754 and two's complement have it. The type
//! checker's constant expressions and the pass `const-fold` share it.
//!
//! Nothing here yields NaN or an infinity: such a result is a [`Fault`], and the operation is left to run time (or is an
//! error where the language asks for a constant). Functions whose result a target may round differently (`sin`, `pow`,
//! `normalize` …) are folded only where a constant is asked for.

mod builtin;
mod matrix;
mod scalar;

use akari_ir::constant::Constant;
use akari_ir::entity::{ConstId, Type};
use akari_ir::module::Module;
use akari_ir::op::Attr;
use akari_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use crate::attributes::Predicate;
use crate::builtins::Builtin;
use crate::components::component;
use crate::ops::AkariOp;

/// The scalars of a constant, in order: components of a vector, columns of a matrix one after the other.
pub type Lanes = SmallVec<[u64; 16]>;

/// Why an operation has no constant result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The operation is never evaluated at compile time.
    NotFoldable,
    /// An integer division or remainder by zero.
    DivisionByZero,
    /// A shift by the width of the value or more.
    ShiftCount,
    /// The result is NaN or infinite.
    NotFinite,
    /// A float does not fit the integer type that it is converted to.
    OutOfRange,
    /// An index lies outside of what is indexed.
    Index,
}

/// The value of an operation on constants, with a result of type `result`.
///
/// # Errors
/// The [`Fault`] that keeps it from being a constant.
pub fn fold(
    module: &mut Module,
    op: AkariOp,
    attrs: &[Attr],
    operands: &[ConstId],
    result: Type,
) -> Result<ConstId, Fault> {
    evaluate(module, op, attrs, operands, result, false)
}

/// As [`fold`], for expressions that must be constant: functions that targets may round differently have the correctly rounded
/// value here.
///
/// # Errors
/// The [`Fault`] that keeps it from being a constant.
pub fn fold_constant_expression(
    module: &mut Module,
    op: AkariOp,
    attrs: &[Attr],
    operands: &[ConstId],
    result: Type,
) -> Result<ConstId, Fault> {
    evaluate(module, op, attrs, operands, result, true)
}

fn evaluate(
    module: &mut Module,
    op: AkariOp,
    attrs: &[Attr],
    operands: &[ConstId],
    result: Type,
    approximate: bool,
) -> Result<ConstId, Fault> {
    let kind = module.kind(result);
    match op {
        AkariOp::Add
        | AkariOp::Sub
        | AkariOp::Mul
        | AkariOp::Div
        | AkariOp::Rem
        | AkariOp::And
        | AkariOp::Or
        | AkariOp::Xor => {
            let scalar = kind.scalar().ok_or(Fault::NotFoldable)?;
            map2(module, operands, result, |a, b| scalar::binary(op, scalar, a, b))
        }
        AkariOp::Shl | AkariOp::Shr => {
            let scalar = kind.scalar().ok_or(Fault::NotFoldable)?;
            map2(module, operands, result, |a, b| scalar::shift(op, scalar, a, b))
        }
        AkariOp::Neg | AkariOp::BitNot | AkariOp::Not => {
            let scalar = kind.scalar().ok_or(Fault::NotFoldable)?;
            map1(module, operands[0], result, |a| scalar::unary(op, scalar, a))
        }
        AkariOp::Compare => {
            let Some(Attr::Enum(predicate)) = attrs.first() else {
                return Err(Fault::NotFoldable);
            };
            let predicate = Predicate::from_index(*predicate);
            let scalar = scalar_of(module, operands[0]).ok_or(Fault::NotFoldable)?;
            map2(module, operands, result, |a, b| Ok(u64::from(scalar::compare(predicate, scalar, a, b))))
        }
        AkariOp::Select => select(module, operands[0], operands[1], operands[2], result),
        AkariOp::Convert => {
            let from = scalar_of(module, operands[0]).ok_or(Fault::NotFoldable)?;
            let to = kind.scalar().ok_or(Fault::NotFoldable)?;
            map1(module, operands[0], result, |a| scalar::convert(from, to, a))
        }
        AkariOp::Construct => Ok(construct(module, operands, result)),
        AkariOp::Repeat => match kind {
            TypeKind::Array(_, length) => Ok(construct(module, &vec![operands[0]; length as usize], result)),
            _ => Err(Fault::NotFoldable),
        },
        AkariOp::Splat => {
            let lane = lanes(module, operands[0]).ok_or(Fault::NotFoldable)?[0];
            let width = kind.width().unwrap_or(1);
            Ok(from_lanes(module, result, &Lanes::from_elem(lane, usize::from(width))))
        }
        AkariOp::Extract => match attrs.first() {
            Some(Attr::Int(index)) => part(module, operands[0], *index),
            _ => Err(Fault::NotFoldable),
        },
        AkariOp::Index => {
            let scalar = scalar_of(module, operands[1]).ok_or(Fault::NotFoldable)?;
            let bits = module.scalar_bits(operands[1]).ok_or(Fault::NotFoldable)?;
            part(module, operands[0], scalar::as_integer(scalar, bits))
        }
        AkariOp::Swizzle => {
            let Some(Attr::Ints(components)) = attrs.first() else {
                return Err(Fault::NotFoldable);
            };
            let from = lanes(module, operands[0]).ok_or(Fault::NotFoldable)?;
            let picked: Option<Lanes> =
                components.iter().map(|index| from.get(usize::try_from(component(*index)).ok()?).copied()).collect();
            Ok(from_lanes(module, result, &picked.ok_or(Fault::Index)?))
        }
        AkariOp::Builtin => match attrs.first() {
            Some(Attr::Enum(function)) => {
                builtin::fold(module, Builtin::from_index(*function), operands, result, approximate)
            }
            _ => Err(Fault::NotFoldable),
        },
        AkariOp::Cond => {
            // The regions are the caller's business; as an operation of three constants it selects whole values.
            match (operands, operands.first().and_then(|condition| module.scalar_bits(*condition))) {
                ([_, yes, no], Some(condition)) => Ok(if condition == 0 { *no } else { *yes }),
                _ => Err(Fault::NotFoldable),
            }
        }
        // A target may fuse or reorder these sums.
        AkariOp::MatMul => match operands {
            [a, b] if approximate => matrix::product(module, *a, *b, result),
            _ => Err(Fault::NotFoldable),
        },
        AkariOp::Const
        | AkariOp::GlobalConst
        | AkariOp::AndThen
        | AkariOp::OrElse
        | AkariOp::Local
        | AkariOp::Load
        | AkariOp::Store
        | AkariOp::StoreComponents
        | AkariOp::Member
        | AkariOp::Element
        | AkariOp::GlobalPlace
        | AkariOp::Contents
        | AkariOp::BufferElement
        | AkariOp::Resource
        | AkariOp::NonUniform
        | AkariOp::If
        | AkariOp::Loop
        | AkariOp::Switch
        | AkariOp::Break
        | AkariOp::Continue
        | AkariOp::Return
        | AkariOp::Yield
        | AkariOp::Discard
        | AkariOp::RayQueryBegin
        | AkariOp::RayQueryProceed
        | AkariOp::RayQueryHit
        | AkariOp::RayQueryCandidate
        | AkariOp::RayQueryAccept
        | AkariOp::Call
        | AkariOp::Function
        | AkariOp::CallValue
        | AkariOp::None
        | AkariOp::IsNone
        | AkariOp::SizeOf
        | AkariOp::OpenSwitch
        | AkariOp::Threads
        | AkariOp::Instance
        | AkariOp::Let => Err(Fault::NotFoldable),
    }
}

/// The scalar type of a scalar, vector or matrix constant.
fn scalar_of(module: &Module, constant: ConstId) -> Option<Scalar> {
    module.kind(module.constant(constant).ty()).scalar()
}

/// The scalars of a scalar, vector or matrix constant.
#[must_use]
pub fn lanes(module: &Module, constant: ConstId) -> Option<Lanes> {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => Some(smallvec::smallvec![*bits]),
        Constant::Zero(ty) => match module.kind(*ty) {
            TypeKind::Scalar(_) => Some(smallvec::smallvec![0]),
            TypeKind::Vector(_, width) => Some(SmallVec::from_elem(0, usize::from(width))),
            TypeKind::Matrix { columns, rows } => Some(SmallVec::from_elem(0, usize::from(columns * rows))),
            _ => None,
        },
        Constant::Composite(ty, parts) => {
            module.kind(*ty).scalar()?;
            let mut all = Lanes::new();
            for part in parts {
                all.extend(lanes(module, *part)?);
            }
            Some(all)
        }
    }
}

/// The scalar, vector or matrix constant of type `ty` with these scalars.
///
/// # Panics
/// Where there are fewer scalars than the type has.
pub fn from_lanes(module: &mut Module, ty: Type, lanes: &[u64]) -> ConstId {
    match module.kind(ty) {
        TypeKind::Scalar(_) => module.constants.intern(Constant::Scalar(ty, lanes[0])),
        kind => {
            if lanes.iter().all(|lane| *lane == 0) {
                return module.constants.intern(Constant::Zero(ty));
            }
            let (part, stride) = match kind {
                TypeKind::Matrix { rows, .. } => (module.types.vector(Scalar::F32, rows), usize::from(rows)),
                _ => (module.types.scalar(kind.scalar().unwrap_or(Scalar::U32)), 1),
            };
            let parts = lanes.chunks(stride).map(|lanes| from_lanes(module, part, lanes)).collect();
            module.constants.intern(Constant::Composite(ty, parts))
        }
    }
}

/// The constant of type `ty` whose bits are all zero.
pub fn zero(module: &mut Module, ty: Type) -> ConstId {
    match module.kind(ty) {
        TypeKind::Scalar(_) => module.constants.intern(Constant::Scalar(ty, 0)),
        _ => module.constants.intern(Constant::Zero(ty)),
    }
}

/// A vector, matrix, array or struct from its parts; see `akari.construct`.
pub fn construct(module: &mut Module, parts: &[ConstId], ty: Type) -> ConstId {
    if let TypeKind::Vector(..) = module.kind(ty) {
        let all: Lanes = parts.iter().filter_map(|part| lanes(module, *part)).flatten().collect();
        return from_lanes(module, ty, &all);
    }
    let is_zero = |part: &ConstId| matches!(module.constant(*part), Constant::Zero(_) | Constant::Scalar(_, 0));
    if parts.iter().all(is_zero) {
        return zero(module, ty);
    }
    module.constants.intern(Constant::Composite(ty, parts.into()))
}

/// A component, column, element or field of a constant.
///
/// # Errors
/// [`Fault::Index`] where there is no such part.
pub fn part(module: &mut Module, of: ConstId, index: i64) -> Result<ConstId, Fault> {
    let position = usize::try_from(index).map_err(|_| Fault::Index)?;
    match module.constant(of) {
        Constant::Scalar(..) => Err(Fault::NotFoldable),
        Constant::Composite(_, parts) => parts.get(position).copied().ok_or(Fault::Index),
        Constant::Zero(ty) => {
            let ty = *ty;
            let part = match module.kind(ty) {
                TypeKind::Struct(id) => module.structs[id].fields.get(position).map(|field| field.ty),
                _ if module.types.length(ty).is_some_and(|length| position < length as usize) => {
                    module.types.element(ty)
                }
                _ => None,
            };
            Ok(zero(module, part.ok_or(Fault::Index)?))
        }
    }
}

fn map1(
    module: &mut Module,
    operand: ConstId,
    result: Type,
    mut f: impl FnMut(u64) -> Result<u64, Fault>,
) -> Result<ConstId, Fault> {
    let mut all = lanes(module, operand).ok_or(Fault::NotFoldable)?;
    for lane in &mut all {
        *lane = f(*lane)?;
    }
    Ok(from_lanes(module, result, &all))
}

fn map2(
    module: &mut Module,
    operands: &[ConstId],
    result: Type,
    mut f: impl FnMut(u64, u64) -> Result<u64, Fault>,
) -> Result<ConstId, Fault> {
    let [a, b] = operands else {
        return Err(Fault::NotFoldable);
    };
    let a = lanes(module, *a).ok_or(Fault::NotFoldable)?;
    let b = lanes(module, *b).ok_or(Fault::NotFoldable)?;
    let mut all = Lanes::new();
    for index in 0..a.len().max(b.len()) {
        all.push(f(pick(&a, index), pick(&b, index))?);
    }
    Ok(from_lanes(module, result, &all))
}

/// A lane; the only one of a scalar stands for all.
fn pick(lanes: &Lanes, index: usize) -> u64 {
    if lanes.len() == 1 { lanes[0] } else { lanes[index] }
}

fn select(module: &mut Module, condition: ConstId, yes: ConstId, no: ConstId, result: Type) -> Result<ConstId, Fault> {
    let condition = lanes(module, condition).ok_or(Fault::NotFoldable)?;
    if condition.len() == 1 {
        return Ok(if condition[0] != 0 { yes } else { no });
    }
    let yes = lanes(module, yes).ok_or(Fault::NotFoldable)?;
    let no = lanes(module, no).ok_or(Fault::NotFoldable)?;
    let all: Lanes = (0..condition.len())
        .map(|index| if condition[index] != 0 { pick(&yes, index) } else { pick(&no, index) })
        .collect();
    Ok(from_lanes(module, result, &all))
}
