//! What makes and changes values.

use akari_ir::constant::Constant;
use akari_ir::entity::OpId;
use akari_ir::module::{GlobalKind, Module};
use akari_ir::op::{Op, Traits};
use akari_ir::types::{MemoryType, Scalar, TypeKind};
use akari_ir::verify::Report;

use super::{broadcast, expect_result, kind, result_kind, result_type};
use crate::components::{COLOUR, component};
use crate::ops::AkariOp;

pub(crate) fn constant(m: &Module, op: OpId, report: &mut Report) {
    let value = m.constant(m.op(op).constant(0));
    if result_type(m, op) != Some(value.ty()) {
        report.fault(op, "its result has another type than its value");
    }
    if let Constant::Composite(ty, parts) = value
        && m.types.length(*ty).is_some_and(|length| length as usize != parts.len())
    {
        report.fault(op, "the constant has the wrong number of parts");
    }
}

pub(crate) fn global_const(m: &Module, op: OpId, report: &mut Report) {
    let global = &m.globals[m.op(op).global(0)];
    if !matches!(global.kind, GlobalKind::Constant(_)) {
        report.fault(op, "the global is no constant");
    }
    if result_type(m, op) != Some(global.ty) {
        report.fault(op, "its result has another type than the constant");
    }
}

pub(crate) fn arithmetic(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let shape = match (AkariOp::of(m.op(op)), lhs, rhs) {
        (Some(AkariOp::Mul | AkariOp::Div), TypeKind::Matrix { .. }, TypeKind::Scalar(Scalar::F32)) => Some(lhs),
        (Some(AkariOp::Mul), TypeKind::Scalar(Scalar::F32), TypeKind::Matrix { .. }) => Some(rhs),
        (Some(AkariOp::Mul | AkariOp::Div | AkariOp::Rem), TypeKind::Matrix { .. }, _) => None,
        _ => broadcast(lhs, rhs),
    };
    match shape {
        Some(shape) => expect_result(m, op, Some(shape), report),
        None => report.fault(op, "the operands do not fit together"),
    }
}

pub(crate) fn matmul(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let result = match (lhs, rhs) {
        (TypeKind::Matrix { columns, rows }, TypeKind::Vector(Scalar::F32, width)) if columns == width => {
            TypeKind::Vector(Scalar::F32, rows)
        }
        (TypeKind::Vector(Scalar::F32, width), TypeKind::Matrix { columns, rows }) if rows == width => {
            TypeKind::Vector(Scalar::F32, columns)
        }
        (TypeKind::Matrix { columns: inner, rows }, TypeKind::Matrix { columns, rows: other }) if inner == other => {
            TypeKind::Matrix { columns, rows }
        }
        _ => return report.fault(op, "the operands do not fit together"),
    };
    expect_result(m, op, Some(result), report);
}

pub(crate) fn shift(m: &Module, op: OpId, report: &mut Report) {
    let (value, count) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    if !matches!(count.scalar(), Some(Scalar::I32 | Scalar::U32)) {
        report.fault(op, "the count is neither `i32` nor `u32`");
    }
    match (value.scalar(), value.width(), count.width()) {
        (Some(scalar), Some(width), Some(count)) if count == 1 || width == 1 || count == width => {
            expect_result(m, op, Some(TypeKind::vector(scalar, width.max(count))), report);
        }
        _ => report.fault(op, "the operands do not fit together"),
    }
}

pub(crate) fn compare(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let ordered = m.op(op).enumerated(0) > 1;
    match broadcast(lhs, rhs) {
        Some(shape) if !(ordered && shape.scalar() == Some(Scalar::Bool)) => {
            expect_result(m, op, Some(TypeKind::vector(Scalar::Bool, shape.width().unwrap_or(1))), report);
        }
        _ => report.fault(op, "the operands cannot be compared"),
    }
}

pub(crate) fn select(m: &Module, op: OpId, report: &mut Report) {
    let (condition, value) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    if condition.width() != Some(1) && condition.width() != value.width() {
        report.fault(op, "the condition and the values differ in width");
    }
}

pub(crate) fn convert(m: &Module, op: OpId, report: &mut Report) {
    let from = kind(m, m.op(op).operands[0]).width();
    if result_kind(m, op).and_then(TypeKind::width) != from {
        report.fault(op, "a conversion keeps the width");
    }
}

pub(crate) fn construct(m: &Module, op: OpId, report: &mut Report) {
    let parts = &m.op(op).operands;
    let fits = match result_kind(m, op) {
        Some(TypeKind::Vector(scalar, width)) => {
            parts.iter().all(|part| kind(m, *part).scalar() == Some(scalar))
                && parts.iter().map(|part| u32::from(kind(m, *part).width().unwrap_or(0))).sum::<u32>()
                    == u32::from(width)
        }
        Some(TypeKind::Matrix { columns, rows }) => {
            parts.len() == usize::from(columns)
                && parts.iter().all(|part| kind(m, *part) == TypeKind::Vector(Scalar::F32, rows))
        }
        Some(TypeKind::Array(element, length)) => {
            parts.len() == length as usize && parts.iter().all(|part| m.value_type(*part) == element)
        }
        Some(TypeKind::Struct(id)) => {
            let fields = &m.structs[id].fields;
            parts.len() == fields.len() && parts.iter().zip(fields).all(|(part, field)| m.value_type(*part) == field.ty)
        }
        _ => false,
    };
    if !fits {
        report.fault(op, "the parts do not make up its type");
    }
}

pub(crate) fn splat(m: &Module, op: OpId, report: &mut Report) {
    match (kind(m, m.op(op).operands[0]), result_kind(m, op)) {
        (TypeKind::Scalar(from), Some(TypeKind::Vector(to, _))) if from == to => {}
        _ => report.fault(op, "a splat makes a vector of its scalar"),
    }
}

/// The type at a fixed index of a composite type.
pub(super) fn part(m: &Module, of: TypeKind, index: i64) -> Option<TypeKind> {
    let index = usize::try_from(index).ok()?;
    match of {
        TypeKind::Struct(id) => m.structs[id].fields.get(index).map(|field| m.kind(field.ty)),
        TypeKind::Array(element, length) | TypeKind::ResourceArray(element, length) => {
            (index < length as usize).then(|| m.kind(element))
        }
        // How many there are is seen when the length is known.
        TypeKind::OpenArray(element, _) => Some(m.kind(element)),
        TypeKind::Vector(scalar, width) => (index < usize::from(width)).then_some(TypeKind::Scalar(scalar)),
        TypeKind::Matrix { columns, rows } => {
            (index < usize::from(columns)).then_some(TypeKind::Vector(Scalar::F32, rows))
        }
        TypeKind::Memory(MemoryType::PackedVector(scalar, width)) => {
            (index < usize::from(width)).then_some(TypeKind::Scalar(scalar))
        }
        _ => None,
    }
}

pub(crate) fn extract(m: &Module, op: OpId, report: &mut Report) {
    match part(m, kind(m, m.op(op).operands[0]), m.op(op).int(0)) {
        Some(wanted) => expect_result(m, op, Some(wanted), report),
        None => report.fault(op, "there is no such part"),
    }
}

/// An element of an array of resources is found as a place is, and is no value that could be computed in advance.
pub(crate) fn index_traits(m: &Module, op: &Op) -> Traits {
    match kind(m, op.operands[0]) {
        TypeKind::ResourceArray(..) => Traits::ADDRESS,
        _ => Traits::NONE,
    }
}

pub(crate) fn index(m: &Module, op: OpId, report: &mut Report) {
    let aggregate = kind(m, m.op(op).operands[0]);
    let first = match aggregate {
        // Length 0 leaves open how many there are.
        TypeKind::ResourceArray(element, _) => Some(m.kind(element)),
        _ => part(m, aggregate, 0),
    };
    match first {
        Some(wanted) if !matches!(aggregate, TypeKind::Struct(_)) => expect_result(m, op, Some(wanted), report),
        _ => report.fault(op, "the operand cannot be indexed"),
    }
}

pub(super) fn components_fit(of: TypeKind, components: &[i64]) -> bool {
    let width = i64::from(of.width().unwrap_or(0));
    let is_known = |number: &i64| (0..2 * COLOUR).contains(number) && component(*number) < width;
    (1..=4).contains(&components.len()) && components.iter().all(is_known)
}

pub(crate) fn swizzle(m: &Module, op: OpId, report: &mut Report) {
    let vector = kind(m, m.op(op).operands[0]);
    let components = m.op(op).ints(0);
    match vector.scalar() {
        Some(scalar) if components_fit(vector, components) => {
            expect_result(m, op, Some(TypeKind::vector(scalar, components.len() as u8)), report);
        }
        _ => report.fault(op, "there are no such components"),
    }
}
