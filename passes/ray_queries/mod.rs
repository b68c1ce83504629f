//! `ray-queries`: what a ray meets is found by a query, in a function for each way to ask.
//!
//! Every target has such queries: an object that is told of a ray, goes on until it is done, and then knows the hit. It is a variable
//! of one function, begun once, and its hit is asked for only where there is one.
//!
//! ```text
//! %v: f32 = akari.builtin %scene, … {function: rt_visibility}
//!     =>  func @rt_visibility(%scene: accel_struct, …) -> f32 {
//!           %query: ref<function, ray_query> = akari.local
//!           akari.ray_query_begin %query, %scene, … {any: true, opaque: true}
//!           akari.loop {…} [ %more: bool = akari.ray_query_proceed %query  akari.yield %more ] [] []
//!           %hit: bool = akari.ray_query_hit %query {fact: is_hit}
//!           akari.return (%hit ? 0 : 1)
//!         }
//!         %v: f32 = akari.call %scene, … {callee: @rt_visibility}
//! ```
//!
//! The `_masked` ways to ask, which call a function of the program's on the way, are such functions from the start: see [`masked`].

pub mod masked;

use akari_dialect::{AkariOp, Builtin, LoopHint, LoopTest, RayFact, fold};
use akari_ir::{Attr, MemoryType, Module, OpId, Scalar, Type, TypeKind, ValueId};

use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct RayQueries;

/// The parameters of a function that asks.
const PARAMS: [&str; 6] = ["scene", "origin", "direction", "t_min", "t_max", "mask"];

impl Pass for RayQueries {
    const NAME: &'static str = "ray-queries";
    const SUMMARY: &'static str = "find what rays meet by queries, in functions of their own";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut convert);
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

fn convert(r: &mut Rewriter<'_>, id: OpId) -> Outcome {
    let op = r.module.op(id);
    if AkariOp::of(op) != Some(AkariOp::Builtin) {
        return Outcome::Keep;
    }
    let builtin = Builtin::from_index(op.enumerated(0));
    let answer = match builtin {
        Builtin::RtVisibility => visibility,
        Builtin::RtOccluderDistance => occluder_distance,
        Builtin::RtTrace => trace,
        _ => return Outcome::Keep,
    };
    let operands = op.operands.to_vec();
    let Some(ty) = op.result.map(|result| r.type_of(result)) else { return Outcome::Keep };
    let call = r.helper(builtin.name(), &PARAMS, &operands, ty, |r, params| {
        let query = run(r, params, builtin != Builtin::RtTrace, None);
        answer(r, query, ty)
    });
    Outcome::Replace(call)
}

/// What is done with each candidate of a query, where all triangles are not taken as opaque.
type Judge<'j> = &'j mut dyn FnMut(&mut Rewriter<'_>, ValueId);

/// A query that has met what it will meet; with `any`, the first will do.
fn run(r: &mut Rewriter<'_>, ray: &[ValueId], any: bool, judge: Option<Judge<'_>>) -> ValueId {
    let ty = r.ty(TypeKind::Memory(MemoryType::RayQuery));
    let query = r.local(ty, None, "query");
    let mut operands = vec![query];
    operands.extend_from_slice(ray);
    r.op(AkariOp::RayQueryBegin.def(), &operands, &[Attr::Bool(any), Attr::Bool(judge.is_none())], &[], None);
    let bool_ty = r.ty(TypeKind::Scalar(Scalar::Bool));
    let test = r.yielding(|r| r.core(AkariOp::RayQueryProceed, &[query], &[], bool_ty));
    let (body, ()) = r.region_of(|r| {
        if let Some(judge) = judge {
            judge(r, query);
        }
    });
    let (step, ()) = r.region_of(|_| ());
    let attrs = [LoopTest::Before.attr(), LoopHint::None.attr(), Attr::Int(0)];
    r.op(AkariOp::Loop.def(), &[], &attrs, &[test, body, step], None);
    query
}

fn fact(r: &mut Rewriter<'_>, query: ValueId, fact: RayFact) -> ValueId {
    let ty = r.ty(fact.ty());
    r.core(AkariOp::RayQueryHit, &[query], &[fact.attr()], ty)
}

fn visibility(r: &mut Rewriter<'_>, query: ValueId, _: Type) -> ValueId {
    let hit = fact(r, query, RayFact::IsHit);
    let (none, all) = (r.float(0.0), r.float(1.0));
    r.select(hit, none, all)
}

/// `miss`, or where something is hit what is made of it.
fn where_hit(
    r: &mut Rewriter<'_>,
    query: ValueId,
    miss: ValueId,
    name: &str,
    found: impl FnOnce(&mut Rewriter<'_>) -> ValueId,
) -> ValueId {
    let ty = r.type_of(miss);
    let result = r.local(ty, Some(miss), name);
    let is_hit = fact(r, query, RayFact::IsHit);
    r.if_then(is_hit, |r| {
        let found = found(r);
        r.store(result, found);
    });
    r.load(result)
}

fn occluder_distance(r: &mut Rewriter<'_>, query: ValueId, _: Type) -> ValueId {
    let miss = r.float(-1.0);
    where_hit(r, query, miss, "distance", |r| fact(r, query, RayFact::Distance))
}

fn trace(r: &mut Rewriter<'_>, query: ValueId, ty: Type) -> ValueId {
    let miss = fold::zero(r.module, ty);
    let miss = r.constant(miss);
    where_hit(r, query, miss, "hit", |r| {
        let mut parts = vec![r.bits(Scalar::Bool, 1)];
        for part in [RayFact::Distance, RayFact::InstanceId, RayFact::PrimitiveId, RayFact::Barycentric] {
            parts.push(fact(r, query, part));
        }
        r.construct(ty, &parts)
    })
}
