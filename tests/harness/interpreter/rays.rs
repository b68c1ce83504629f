//! What rays meet: the functions that tell it at once, and the queries by which it is found step by step.

use std::rc::Rc;

use akari_dialect::{AkariOp, Builtin, RayFact};
use akari_ir::Op;

use super::machine::Machine;
use super::value::Value;
use crate::job::Contents;
use crate::scene::{Hit, Ray};

/// A ray on its way through a scene.
#[derive(Clone, Debug)]
pub(super) struct Query {
    /// Whether the first hit ends it.
    any: bool,
    /// The triangles before it, in no order that anything may rely on.
    ahead: Vec<Hit>,
    candidate: Option<Hit>,
    hit: Option<Hit>,
}

impl Query {
    /// Goes on to the next triangle that is to be judged, if there is one.
    fn proceed(&mut self) -> bool {
        self.candidate = None;
        while let Some(next) = self.ahead.pop() {
            if self.hit.is_some_and(|hit| hit.distance <= next.distance) {
                continue;
            }
            self.candidate = Some(next);
            if !next.opaque {
                return true;
            }
            self.accept();
        }
        self.candidate = None;
        false
    }

    fn accept(&mut self) {
        self.hit = self.candidate;
        if self.any {
            self.ahead.clear();
        }
    }
}

impl Machine<'_> {
    /// A ray function with the operands of one lane.
    pub(super) fn ray(&self, function: Builtin, operands: &[&Value]) -> Result<Value, String> {
        let met = self.met(operands)?;
        let hit = met.into_iter().min_by(|a, b| a.distance.total_cmp(&b.distance));
        let float = |value: f32| Value::floats(&[value]);
        Ok(match function {
            Builtin::RtVisibility => float(if hit.is_some() { 0.0 } else { 1.0 }),
            Builtin::RtOccluderDistance => float(hit.map_or(-1.0, |hit| hit.distance)),
            _ => Value::composite(vec![
                Value::bool(hit.is_some()),
                float(hit.map_or(0.0, |hit| hit.distance)),
                Value::Scalar(hit.map_or(0, |hit| u64::from(hit.instance))),
                Value::Scalar(hit.map_or(0, |hit| u64::from(hit.primitive))),
                Value::floats(&hit.map_or([0.0; 2], |hit| hit.barycentric)),
            ]),
        })
    }

    /// The triangles that a ray meets, given the scene and the parts of the ray.
    fn met(&self, operands: &[&Value]) -> Result<Vec<Hit>, String> {
        let &[scene, origin, direction, t_min, t_max, mask] = operands else {
            return Err("a ray without its parts".into());
        };
        let Value::Resource(resource) = scene else { return Err(self.no_resource(scene)) };
        let Contents::Scene(scene) = &self.resources[*resource] else { return Err("the resource is no scene".into()) };
        let vector = |value: &Value| {
            <[f32; 3]>::try_from(value.float_components()).map_err(|_| "a vector has not three components".to_owned())
        };
        let ray = Ray {
            origin: vector(origin)?,
            direction: vector(direction)?,
            t_min: t_min.float(),
            t_max: t_max.float(),
            mask: mask.bits() as u32,
        };
        Ok(scene.met(&ray))
    }

    /// An operation on a query, whose place is the first operand.
    pub(super) fn query(
        &mut self,
        op: &Op,
        kind: AkariOp,
        lane: usize,
        operands: &[Value],
    ) -> Result<Option<Value>, String> {
        let Value::Place(place) = &operands[0] else { return Err("a query is no place".into()) };
        if kind == AkariOp::RayQueryBegin {
            let ray: Vec<&Value> = operands[1..].iter().collect();
            let mut ahead = self.met(&ray)?;
            for hit in &mut ahead {
                hit.opaque |= op.flag(1);
            }
            let query = Query { any: op.flag(0), ahead, candidate: None, hit: None };
            self.store(lane, place, Value::Query(Rc::new(query)));
            return Ok(None);
        }
        let Value::Query(mut query) = self.load(lane, place) else {
            return Err("a query is used that was not begun".into());
        };
        let known = |hit: Option<Hit>| match (RayFact::from_index(op.enumerated(0)), hit) {
            (RayFact::IsHit, hit) => Ok(Some(Value::bool(hit.is_some()))),
            (_, None) => Err("a query is asked of a triangle that is not there".to_owned()),
            (RayFact::Distance, Some(hit)) => Ok(Some(Value::floats(&[hit.distance]))),
            (RayFact::InstanceId, Some(hit)) => Ok(Some(Value::Scalar(u64::from(hit.instance)))),
            (RayFact::PrimitiveId, Some(hit)) => Ok(Some(Value::Scalar(u64::from(hit.primitive)))),
            (RayFact::Barycentric, Some(hit)) => Ok(Some(Value::floats(&hit.barycentric))),
        };
        let result = match kind {
            AkariOp::RayQueryHit => return known(query.hit),
            AkariOp::RayQueryCandidate => return known(query.candidate),
            AkariOp::RayQueryProceed => Some(Value::bool(Rc::make_mut(&mut query).proceed())),
            _ if query.candidate.is_none() => return Err("a triangle is accepted that is not there".into()),
            _ => {
                Rc::make_mut(&mut query).accept();
                None
            }
        };
        self.store(lane, place, Value::Query(query));
        Ok(result)
    }
}
