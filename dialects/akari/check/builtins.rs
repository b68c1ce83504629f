//! Builtin functions and the steps of ray queries.

use akari_ir::entity::{OpId, StructId, ValueId};
use akari_ir::module::Module;
use akari_ir::op::{Op, Traits};
use akari_ir::types::{MemoryType, Scalar, Space, TypeKind};
use akari_ir::verify::Report;

use super::places::place;
use super::{expect_result, kind, result_kind};
use crate::attributes::RayFact;
use crate::builtins::{Builtin, Signature};
use crate::ops::{AkariOp, view};

pub(crate) fn ray_query(m: &Module, op: OpId, report: &mut Report) {
    if !is_ray_query(m, m.op(op).operands[0]) {
        report.fault(op, "the place holds no ray query");
    }
    let wanted = match AkariOp::of(m.op(op)) {
        Some(AkariOp::RayQueryHit | AkariOp::RayQueryCandidate) => {
            Some(RayFact::from_index(m.op(op).enumerated(0)).ty())
        }
        Some(AkariOp::RayQueryAccept) => None,
        _ => Some(TypeKind::Scalar(Scalar::Bool)),
    };
    expect_result(m, op, wanted, report);
}

pub(crate) fn ray_query_begin(m: &Module, op: OpId, report: &mut Report) {
    let operands = &m.op(op).operands;
    let float = TypeKind::Scalar(Scalar::F32);
    let float3 = TypeKind::Vector(Scalar::F32, 3);
    let wanted = [TypeKind::AccelStruct, float3, float3, float, float, TypeKind::Scalar(Scalar::U32)];
    if !is_ray_query(m, operands[0]) || !operands[1..].iter().map(|operand| kind(m, *operand)).eq(wanted) {
        report.fault(op, "the operands are not a ray query, a scene and a ray");
    }
}

fn is_ray_query(m: &Module, value: ValueId) -> bool {
    place(m, value) == Some((Space::Function, TypeKind::Memory(MemoryType::RayQuery)))
}

pub(crate) fn builtin(m: &Module, op: OpId, report: &mut Report) {
    let function = view::Builtin(op).function(m);
    let akari_ir::op::Attr::Enum(function) = function else {
        return report.fault(op, "the function is no builtin");
    };
    let function = Builtin::from_index(*function);
    let operands = &m.op(op).operands;
    if let Signature::Atomic { values } = function.def().signature {
        let place = operands.first().and_then(|value| place(m, *value));
        match place {
            // A parameter's place is that of what is lent to it, which `check-entries` looks at.
            Some((
                Space::Atomic | Space::Workgroup | Space::Function,
                of @ TypeKind::Scalar(Scalar::U32 | Scalar::I32),
            )) if operands.len() == usize::from(values) + 1
                && operands[1..].iter().all(|value| kind(m, *value) == of) =>
            {
                expect_result(m, op, Some(of), report);
            }
            _ => report.fault(op, "an atomic takes an atomic place and values of its type"),
        }
        return;
    }
    let kinds: Vec<_> = operands.iter().map(|value| kind(m, *value)).collect();
    match crate::signature::result(function, &kinds) {
        Ok(_) if function == Builtin::RtTrace => match result_kind(m, op) {
            Some(TypeKind::Struct(id)) if is_trace_hit(m, id) => {}
            _ => report.fault(op, "its result is not what a ray meets"),
        },
        Ok(wanted) => expect_result(m, op, wanted, report),
        Err(message) => report.fault(op, message),
    }
}

/// Whether a struct has the fields of `RtTraceHit`.
fn is_trace_hit(m: &Module, id: StructId) -> bool {
    let wanted = [
        TypeKind::Scalar(Scalar::Bool),
        TypeKind::Scalar(Scalar::F32),
        TypeKind::Scalar(Scalar::U32),
        TypeKind::Scalar(Scalar::U32),
        TypeKind::Vector(Scalar::F32, 2),
    ];
    m.structs[id].fields.iter().map(|field| m.kind(field.ty)).eq(wanted)
}

pub(crate) fn builtin_traits(m: &Module, op: &Op) -> Traits {
    let function = Builtin::from_index(op.enumerated(0));
    // Sampled textures are never written by a shader; storage textures are.
    let sampled = op.operands.first().is_some_and(|value| matches!(kind(m, *value), TypeKind::Texture(..)));
    match function {
        Builtin::TextureLoad if sampled => Traits::PURE,
        _ => function.def().traits,
    }
}
