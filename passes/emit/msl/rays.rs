//! Ray queries: `intersection_query` of `<metal_raytracing>`, which all stages have.

use akari_dialect::RayFact;
use akari_ir::{OpId, ValueId};

use super::language::Msl;
use crate::emit::c_like::expression::Printer;
use crate::emit::c_like::language::Spelling;
use crate::emit::c_like::precedence::{Precedence, Side};

/// Says how to search in a block of its own, and begins.
pub(super) fn begin(printer: &mut Printer<'_, Msl>, id: OpId) {
    let op = printer.module.op(id);
    let &[query, scene, origin, direction, t_min, t_max, mask] = &op.operands[..] else { return };
    printer.text.push("{");
    printer.text.end_line();
    printer.text.indent();
    printer.text.line("raytracing::intersection_params ray_parameters;");
    if op.flag(0) {
        printer.text.line("ray_parameters.accept_any_intersection(true);");
    }
    if op.flag(1) {
        printer.text.line("ray_parameters.force_opacity(raytracing::forced_opacity::opaque);");
    }
    let mut call = Spelling::postfix(query, ".reset(raytracing::ray");
    call.push_arguments("(", &[origin, direction, t_min, t_max], "), ");
    call.push_arguments("", &[scene, mask], ", ray_parameters)");
    printer.spelled(&call, Precedence::Whole, Side::Left);
    printer.text.push(";");
    printer.text.end_line();
    printer.text.close_brace();
    printer.text.end_line();
}

/// What is known of the hit.
pub(super) fn fact(query: ValueId, fact: RayFact) -> Spelling {
    let method = match fact {
        RayFact::IsHit => {
            let mut spelling = Spelling::method(query, "get_committed_intersection_type", &[]);
            spelling.push_text(" != raytracing::intersection_type::none");
            spelling.precedence = Precedence::Equality;
            return spelling;
        }
        RayFact::Distance => "get_committed_distance",
        RayFact::InstanceId => "get_committed_instance_id",
        RayFact::PrimitiveId => "get_committed_primitive_id",
        RayFact::Barycentric => "get_committed_triangle_barycentric_coord",
    };
    Spelling::method(query, method, &[])
}

/// What is known of the candidate.
pub(super) fn candidate_fact(query: ValueId, fact: RayFact) -> Spelling {
    let method = match fact {
        RayFact::IsHit => {
            let mut spelling = Spelling::method(query, "get_candidate_intersection_type", &[]);
            spelling.push_text(" == raytracing::intersection_type::triangle");
            spelling.precedence = Precedence::Equality;
            return spelling;
        }
        RayFact::Distance => "get_candidate_triangle_distance",
        RayFact::InstanceId => "get_candidate_instance_id",
        RayFact::PrimitiveId => "get_candidate_primitive_id",
        RayFact::Barycentric => "get_candidate_triangle_barycentric_coord",
    };
    Spelling::method(query, method, &[])
}
