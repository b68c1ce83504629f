//! Drawing: vertices, triangles, quads of fragments.
//!
//! Pixels are covered by the rule of Vulkan and Direct3D: sampled at their centre, top and left edges count as inside. Clip space
//! is y up, pixels are y down. A fragment whose interpolated clip distance is negative is not drawn.

use half::f16;

use akari_ir::interface::{FieldRole, Interpolation, ParamRole, SystemValue};
use akari_ir::{FuncId, Scalar, Type, TypeKind};

use super::machine::Machine;
use super::value::Value;
use super::{WAVE, arguments};
use crate::texel::TexelFormat;

/// A draw of a triangle list.
pub(super) struct Draw<'j> {
    pub(super) vertex: FuncId,
    pub(super) fragment: FuncId,
    pub(super) vertices: u32,
    pub(super) instances: u32,
    pub(super) size: [u32; 2],
    pub(super) targets: &'j [Option<TexelFormat>],
}

/// A field of the vertex stage's output.
struct Output {
    name: String,
    role: FieldRole,
    interpolation: Interpolation,
    index: usize,
}

/// A corner of a triangle on the screen.
struct Corner {
    /// Pixels, y down.
    x: f64,
    y: f64,
    /// Depth after the division, and 1/w.
    z: f64,
    inverse_w: f64,
    output: Value,
}

/// A pixel of a quad, with the weights of the three corners: linear on the screen, and corrected for perspective.
struct Pixel {
    x: u32,
    y: u32,
    covered: bool,
    linear: [f64; 3],
    perspective: [f64; 3],
}

impl Draw<'_> {
    pub(super) fn run(&self, machine: &mut Machine<'_>) -> Result<Vec<Vec<u8>>, String> {
        let [width, height] = self.size;
        let mut targets: Vec<Vec<u8>> = self
            .targets
            .iter()
            .map(|format| vec![0; (width * height) as usize * format.map_or(0, TexelFormat::bytes)])
            .collect();
        for instance in 0..self.instances {
            let corners = self.vertices(machine, instance)?;
            for triangle in corners.chunks_exact(3) {
                self.triangle(machine, triangle, &mut targets)?;
            }
        }
        Ok(targets)
    }

    fn vertices(&self, machine: &mut Machine<'_>, instance: u32) -> Result<Vec<Corner>, String> {
        machine.quads = false;
        machine.start(self.vertices as usize);
        let arguments = arguments(machine, self.vertex, |lane, system| match system {
            SystemValue::VertexId => vec![lane as u32],
            SystemValue::InstanceId => vec![instance],
            _ => vec![0],
        })?;
        let results = machine.call(self.vertex, &arguments, &vec![true; self.vertices as usize])?;
        let outputs = self.outputs(machine)?;
        let position = outputs.iter().find(|output| output.role == FieldRole::Position).map(|output| output.index);
        let [width, height] = self.size.map(f64::from);
        Ok(results
            .into_iter()
            .map(|output| {
                let position = position.map_or(output.clone(), |index| output.part(index)).float_components();
                let [x, y, z, w] = [0, 1, 2, 3].map(|index| f64::from(position[index]));
                Corner {
                    x: (x / w + 1.0) * 0.5 * width,
                    y: (1.0 - y / w) * 0.5 * height,
                    z: z / w,
                    inverse_w: 1.0 / w,
                    output,
                }
            })
            .collect())
    }

    fn outputs(&self, machine: &Machine<'_>) -> Result<Vec<Output>, String> {
        let module = machine.module;
        let result = module.functions[self.vertex].result.ok_or("a vertex entry gives nothing")?;
        let TypeKind::Struct(id) = module.kind(result) else { return Ok(Vec::new()) };
        Ok(module.structs[id]
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| Output {
                name: module.text(field.name).to_owned(),
                role: field.role,
                interpolation: field.interpolation,
                index,
            })
            .collect())
    }

    fn triangle(&self, machine: &mut Machine<'_>, corners: &[Corner], targets: &mut [Vec<u8>]) -> Result<(), String> {
        let [a, b, c] = corners else { return Ok(()) };
        if corners.iter().any(|corner| !corner.inverse_w.is_finite() || corner.inverse_w <= 0.0) {
            return Err("the interpreter draws triangles in front of the eye only".into());
        }
        let edge = |p: (f64, f64), q: (f64, f64), r: (f64, f64)| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
        let (pa, pb, pc) = ((a.x, a.y), (b.x, b.y), (c.x, c.y));
        // Positive is clockwise with y down.
        let area = edge(pa, pb, pc);
        if area == 0.0 {
            return Ok(());
        }
        let front = area > 0.0;
        let orientation = area.signum();
        let inside = |weight: f64, from: (f64, f64), to: (f64, f64)| {
            let (dx, dy) = ((to.0 - from.0) * orientation, (to.1 - from.1) * orientation);
            let top_left = dy < 0.0 || (dy == 0.0 && dx > 0.0);
            weight > 0.0 || (weight == 0.0 && top_left)
        };
        let mut pixels = Vec::new();
        let [width, height] = self.size;
        for quad_y in (0..height).step_by(2) {
            for quad_x in (0..width).step_by(2) {
                let quad: Vec<Pixel> = (0..4)
                    .map(|corner| {
                        let (x, y) = (quad_x + (corner & 1), quad_y + (corner >> 1));
                        let point = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                        let linear =
                            [edge(pb, pc, point) / area, edge(pc, pa, point) / area, edge(pa, pb, point) / area];
                        let covered = x < width
                            && y < height
                            && inside(linear[0], pb, pc)
                            && inside(linear[1], pc, pa)
                            && inside(linear[2], pa, pb);
                        let weighted = [linear[0] * a.inverse_w, linear[1] * b.inverse_w, linear[2] * c.inverse_w];
                        let sum: f64 = weighted.iter().sum();
                        Pixel { x, y, covered, linear, perspective: weighted.map(|weight| weight / sum) }
                    })
                    .collect();
                if quad.iter().any(|pixel| pixel.covered) {
                    pixels.extend(quad);
                }
            }
        }
        // A wave holds two quads, as on the other ways.
        for wave in pixels.chunks(WAVE) {
            self.fragments(machine, corners, wave, front, targets)?;
        }
        Ok(())
    }

    fn fragments(
        &self,
        machine: &mut Machine<'_>,
        corners: &[Corner],
        pixels: &[Pixel],
        front: bool,
        targets: &mut [Vec<u8>],
    ) -> Result<(), String> {
        let module = machine.module;
        let outputs = self.outputs(machine)?;
        let clipped = |pixel: &Pixel| {
            let clip = outputs.iter().find(|output| output.role == FieldRole::ClipDistance);
            clip.is_some_and(|output| {
                let count = corners[0].output.part(output.index).components().len();
                (0..count).any(|plane| {
                    let distance =
                        |corner: usize| f64::from(corners[corner].output.part(output.index).part(plane).float());
                    (0..3).map(|corner| distance(corner) * pixel.perspective[corner]).sum::<f64>() < 0.0
                })
            })
        };
        machine.quads = true;
        machine.start(pixels.len());
        for (lane, pixel) in machine.lanes.iter_mut().zip(pixels) {
            lane.demoted = !pixel.covered || clipped(pixel);
        }
        let mut arguments = arguments(machine, self.fragment, |_, _| vec![u32::from(front)])?;
        for (param, values) in module.functions[self.fragment].params.iter().zip(&mut arguments) {
            if param.role == ParamRole::StageIn {
                let ty = module.value_type(param.value);
                for (lane, pixel) in pixels.iter().enumerate() {
                    values[lane] = stage_in(machine, ty, &outputs, corners, pixel)?;
                }
            }
        }
        let results = machine.call(self.fragment, &arguments, &vec![true; pixels.len()])?;
        let Some(result) = module.functions[self.fragment].result else { return Ok(()) };
        for (lane, pixel) in pixels.iter().enumerate().filter(|(lane, _)| !machine.lanes[*lane].demoted) {
            for (number, given) in self.written(machine, result, &results[lane]) {
                let format = self.targets.get(number).copied().flatten();
                let Some((format, target)) = format.zip(targets.get_mut(number)) else { continue };
                let at = (pixel.y * self.size[0] + pixel.x) as usize * format.bytes();
                let components: Vec<u64> = format
                    .components()
                    .iter()
                    .enumerate()
                    .map(|(index, scalar)| super::texture::encode(*scalar, given.get(index).copied().unwrap_or(0)))
                    .collect();
                target[at..at + format.bytes()].copy_from_slice(&format.encode(&components));
            }
        }
        Ok(())
    }

    /// The colour targets that a fragment's result writes, with the components: floating-point ones as `f32`.
    fn written(&self, machine: &Machine<'_>, result: Type, value: &Value) -> Vec<(usize, Vec<u64>)> {
        let module = machine.module;
        let components = |ty: Type, value: &Value| match module.kind(ty).scalar() {
            Some(Scalar::F16) => {
                let widened = |bits: u64| u64::from(f16::from_bits(bits as u16).to_f32().to_bits());
                value.components().into_iter().map(widened).collect()
            }
            _ => value.components(),
        };
        let TypeKind::Struct(id) = module.kind(result) else { return vec![(0, components(result, value))] };
        // Targets that are named have no number in the IR as lowered: who asks for the run takes it from `assign-slots`.
        let fields = module.structs[id].fields.iter().enumerate();
        fields
            .map(|(index, field)| {
                let number = match (field.location, field.role) {
                    (Some(number), _) | (None, FieldRole::Location(number)) => number as usize,
                    (
                        None,
                        FieldRole::Plain | FieldRole::Position | FieldRole::ClipDistance | FieldRole::Target { .. },
                    ) => index,
                };
                (number, components(field.ty, &value.part(index)))
            })
            .collect()
    }
}

fn stage_in(
    machine: &Machine<'_>,
    ty: Type,
    outputs: &[Output],
    corners: &[Corner],
    pixel: &Pixel,
) -> Result<Value, String> {
    let module = machine.module;
    let TypeKind::Struct(id) = module.kind(ty) else { return Err("`stage_in` is no struct".into()) };
    let linear = |of: &dyn Fn(&Corner) -> f64| -> f64 {
        corners.iter().zip(pixel.linear).map(|(corner, weight)| of(corner) * weight).sum()
    };
    let mut fields = Vec::new();
    for field in &module.structs[id].fields {
        if field.role == FieldRole::Position {
            let w = 1.0 / linear(&|corner| corner.inverse_w);
            let z = linear(&|corner| corner.z);
            fields.push(Value::floats(&[pixel.x as f32 + 0.5, pixel.y as f32 + 0.5, z as f32, w as f32]));
            continue;
        }
        let name = module.text(field.name);
        let Some(output) = outputs.iter().find(|output| output.name == name) else {
            fields.push(Value::Undefined);
            continue;
        };
        let weights = match output.interpolation {
            Interpolation::Flat => [1.0, 0.0, 0.0],
            Interpolation::Linear => pixel.linear,
            Interpolation::Perspective => pixel.perspective,
        };
        let scalar = module.kind(field.ty).scalar().unwrap_or(Scalar::F32);
        if output.interpolation == Interpolation::Flat || !scalar.is_float() {
            fields.push(corners[0].output.part(output.index));
            continue;
        }
        let parts: Vec<Vec<u64>> = corners.iter().map(|corner| corner.output.part(output.index).components()).collect();
        let components: Vec<u64> = (0..parts[0].len())
            .map(|index| {
                let sum = (0..3)
                    .map(|corner| super::arithmetic::float(scalar, parts[corner][index]) * weights[corner])
                    .sum::<f64>();
                super::arithmetic::round(scalar, sum)
            })
            .collect();
        fields.push(Value::vector(&components));
    }
    Ok(Value::composite(fields))
}
