//! What the rows of the dialect cannot say about operand, attribute and result types.

mod builtins;
mod calls;
mod compile_time;
mod control;
mod places;
mod values;

use akari_ir::entity::{OpId, Type, ValueId};
use akari_ir::module::Module;
use akari_ir::types::TypeKind;
use akari_ir::verify::Report;

pub(crate) use builtins::*;
pub(crate) use calls::*;
pub(crate) use compile_time::*;
pub(crate) use control::*;
pub(crate) use places::*;
pub(crate) use values::*;

fn kind(m: &Module, value: ValueId) -> TypeKind {
    m.value_kind(value)
}

fn result_type(m: &Module, op: OpId) -> Option<Type> {
    m.op(op).result.map(|value| m.value_type(value))
}

fn result_kind(m: &Module, op: OpId) -> Option<TypeKind> {
    result_type(m, op).map(|ty| m.kind(ty))
}

fn expect_result(m: &Module, op: OpId, wanted: Option<TypeKind>, report: &mut Report) {
    if result_kind(m, op) != wanted {
        report.fault(op, "its result has the wrong type");
    }
}

/// The common shape of two operands of which one may be a scalar beside a vector, if they fit.
fn broadcast(lhs: TypeKind, rhs: TypeKind) -> Option<TypeKind> {
    match (lhs, rhs) {
        _ if lhs == rhs => Some(lhs),
        (TypeKind::Scalar(scalar), TypeKind::Vector(of, _)) if scalar == of => Some(rhs),
        (TypeKind::Vector(of, _), TypeKind::Scalar(scalar)) if scalar == of => Some(lhs),
        _ => None,
    }
}
