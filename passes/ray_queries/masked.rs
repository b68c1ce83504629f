//! The ways to ask what a ray meets that let a function of the program's judge each triangle that is not opaque.
//!
//! They are ordinary functions that call an ordinary function, so that nothing between source and target needs to know of them:
//!
//! ```text
//! func @rt_trace_masked(%scene: accel_struct, %instances: buf<…>, …, %mask: u32) -> @RtTraceHit {
//!   %query: ref<function, ray_query> = akari.local
//!   akari.ray_query_begin %query, %scene, … {any: false, opaque: false}
//!   akari.loop [ %more: bool = akari.ray_query_proceed %query  akari.yield %more ] [
//!     %accepted: bool = a triangle && akari.call %instances, …, %instance_id, %primitive_id, %barycentric {callee: …}
//!     akari.if %accepted [ akari.ray_query_accept %query ]
//!   ] []
//!   …
//! }
//! ```

use akari_dialect::{AkariOp, Builtin, RayFact};
use akari_ir::{FuncId, Module, Type, ValueId};

use super::{occluder_distance, run, trace, visibility};
use crate::rewrite::Rewriter;
use crate::rewrite::functions::NewParam;

/// The parameters: the scene; what the function that judges takes first; the ray.
const PARAMS: [&str; 11] = [
    "scene", "instances", "materials", "buffers", "textures", "instance_count", "origin", "direction", "t_min",
    "t_max", "mask",
];

/// Where among the parameters those of the judging function stand.
const JUDGED: std::ops::Range<usize> = 1..6;

/// Adds the function that one of the `_masked` builtins is with arguments of these types, where `accepts` judges triangles. None for
/// another builtin, or another number of arguments.
pub fn add_function(
    module: &mut Module,
    builtin: Builtin,
    accepts: FuncId,
    arguments: &[Type],
    result: Type,
) -> Option<FuncId> {
    type Answer = fn(&mut Rewriter<'_>, ValueId, Type) -> ValueId;
    let (answer, any): (Answer, bool) = match builtin {
        Builtin::RtVisibilityMasked => (visibility, true),
        Builtin::RtOccluderDistanceMasked => (occluder_distance, true),
        Builtin::RtTraceMasked => (trace, false),
        _ => return None,
    };
    if arguments.len() != PARAMS.len() {
        return None;
    }
    let params: Vec<NewParam> = PARAMS.iter().zip(arguments).map(|(name, ty)| NewParam::value(name, *ty)).collect();
    let mut rewriter = Rewriter::new(module);
    Some(rewriter.add_function(builtin.name(), &params, Some(result), |r, params| {
        let mut ray = vec![params[0]];
        ray.extend_from_slice(&params[JUDGED.end..]);
        let query = run(r, &ray, any, Some(&mut |r, query| judge(r, query, accepts, &params[JUDGED])));
        Some(answer(r, query, result))
    }))
}

/// Takes the candidate where it is a triangle that `accepts` accepts.
fn judge(r: &mut Rewriter<'_>, query: ValueId, accepts: FuncId, given: &[ValueId]) {
    let is_triangle = fact(r, query, RayFact::IsHit);
    let accepted = r.short_circuit(AkariOp::AndThen, is_triangle, |r| {
        let mut arguments = given.to_vec();
        arguments
            .extend([RayFact::InstanceId, RayFact::PrimitiveId, RayFact::Barycentric].map(|of| fact(r, query, of)));
        // A function without a result is refused before; what is no triangle is not accepted.
        r.call(accepts, &arguments).unwrap_or(is_triangle)
    });
    r.if_then(accepted, |r| {
        r.op(AkariOp::RayQueryAccept.def(), &[query], &[], &[], None);
    });
}

fn fact(r: &mut Rewriter<'_>, query: ValueId, fact: RayFact) -> ValueId {
    let ty = r.ty(fact.ty());
    r.core(AkariOp::RayQueryCandidate, &[query], &[fact.attr()], ty)
}
