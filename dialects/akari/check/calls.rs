//! Calls, and arguments beside parameters.

use akari_ir::entity::{OpId, Type, ValueId};
use akari_ir::module::Module;
use akari_ir::types::{Space, TypeKind};
use akari_ir::verify::Report;

use super::result_type;

pub(crate) fn call(m: &Module, op: OpId, report: &mut Report) {
    let callee = &m.functions[m.op(op).func(0)];
    let arguments = &m.op(op).operands;
    if callee.params.len() != arguments.len() {
        return report.fault(op, "the number of arguments is not that of the parameters");
    }
    for (param, argument) in callee.params.iter().zip(arguments) {
        expect_argument(m, op, m.value_type(param.value), *argument, report);
    }
    if !is_alike(m, result_type(m, op), callee.result) {
        report.fault(op, "its result is not that of the function");
    }
}

pub(super) fn expect_argument(m: &Module, op: OpId, wanted: Type, argument: ValueId, report: &mut Report) {
    let given = m.value_type(argument);
    // A borrow may be of groupshared memory or of a constant: the space of the parameter follows from its calls.
    let fits = match (m.types.as_place(wanted), m.types.as_place(given)) {
        (Some((Space::Function, wanted)), Some((_, given))) => is_alike(m, Some(wanted), Some(given)),
        _ => is_alike(m, Some(wanted), Some(given)),
    };
    if !fits {
        report.fault(op, "an argument has another type than its parameter");
    }
}

/// Whether two types are one, or may be once the `const` parameters of the functions they stand in are known.
pub(super) fn is_alike(m: &Module, a: Option<Type>, b: Option<Type>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) if a != b => match (m.kind(a), m.kind(b)) {
            (
                TypeKind::OpenArray(a, _),
                TypeKind::OpenArray(b, _) | TypeKind::Array(b, _) | TypeKind::ResourceArray(b, _),
            )
            | (TypeKind::ResourceArray(a, _), TypeKind::OpenArray(b, _))
            | (TypeKind::Array(a, _), TypeKind::OpenArray(b, _) | TypeKind::Array(b, _)) => {
                is_alike(m, Some(a), Some(b))
            }
            (TypeKind::Buffer(of, a), TypeKind::Buffer(other, b)) => of == other && is_alike(m, Some(a), Some(b)),
            // Signatures may mention open types.
            (TypeKind::Function(_), TypeKind::Function(_)) => true,
            _ => false,
        },
        _ => a == b,
    }
}
