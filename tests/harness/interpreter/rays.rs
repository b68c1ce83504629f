//! What rays meet.

use akari_dialect::Builtin;

use super::machine::Machine;
use super::value::Value;
use crate::job::Contents;
use crate::scene::Ray;

impl Machine<'_> {
    /// A ray function with the operands of one lane.
    pub(super) fn ray(&self, function: Builtin, operands: &[&Value]) -> Result<Value, String> {
        let &[scene, origin, direction, t_min, t_max, mask] = operands else { return Err("a ray without its parts".into()) };
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
        let hit = scene.nearest(&ray);
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
}
