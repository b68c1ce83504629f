//! Textures in software, by the rules of Vulkan 1.2, chapter 15.

use akari_dialect::Builtin;
use akari_ir::interface::{Address, Compare, Filter, SamplerState};
use akari_ir::{OpId, StorageFormat, TexelKind, TypeKind};
use half::f16;

use super::lod::{across_edge, cube_face, level};
use super::machine::Machine;
use super::value::Value;
use crate::job::{Contents, Image, TextureShape, mip_size};
use crate::scalar::Scalar;

impl Machine<'_> {
    fn image(&self, resource: usize) -> Result<&Image, String> {
        match &self.resources[resource] {
            Contents::Texture(image) | Contents::StorageTexture(image) => Ok(image),
            Contents::UniformBuffer(_)
            | Contents::StorageBuffer(_)
            | Contents::Scene(_)
            | Contents::BufferTable(_)
            | Contents::TextureTable(_) => Err("the resource is no texture".into()),
        }
    }

    pub(super) fn texture(
        &mut self,
        id: OpId,
        method: Builtin,
        operands: &[Vec<Value>],
        lanes: &[usize],
        results: &mut [Value],
    ) -> Result<(), String> {
        let kind = self.module.value_kind(self.module.op(id).operands[0]);
        for &lane in lanes {
            let Value::Resource(resource) = operands[0][lane] else { return Err(self.no_resource(&operands[0][lane])) };
            let arguments: Vec<&Value> = operands[1..].iter().map(|values| &values[lane]).collect();
            if method == Builtin::TextureStore {
                if !self.lanes[lane].demoted {
                    self.store_texel(resource, &arguments[0].components(), &arguments[1].components())?;
                }
                continue;
            }
            let image = self.image(resource)?;
            let level_of = |coordinate: &[f32]| -> f32 {
                if !self.quads {
                    return 0.0;
                }
                // The derivatives of the coordinate over the quad.
                let width = coordinate.len();
                // A lane of the quad that is not here has no coordinate: what the others get is left open.
                let at = |lane: usize| {
                    let mut at = operands[2][lane].float_components();
                    at.resize(width, 0.0);
                    at
                };
                let change = |step: usize| -> Vec<f32> {
                    at(lane | step).iter().zip(at(lane & !step)).map(|(high, low)| high - low).collect()
                };
                level(image, coordinate, &change(1), &change(2))
            };
            results[lane] = method_on(kind, image, method, &arguments, &level_of)?;
        }
        Ok(())
    }

    fn store_texel(&mut self, resource: usize, at: &[u64], value: &[u64]) -> Result<(), String> {
        let Contents::StorageTexture(image) = &mut self.resources[resource] else {
            return Err("the resource is no storage texture".into());
        };
        let position = [at[0] as i64, at[1] as i64, at.get(2).map_or(0, |z| *z as i64)];
        let Some(index) = texel_index(image, 0, 0, position) else { return Ok(()) };
        let format = image.format;
        let components: Vec<u64> = format
            .components()
            .iter()
            .enumerate()
            .map(|(index, scalar)| encode(*scalar, value.get(index).copied().unwrap_or(0)))
            .collect();
        let bytes = format.bytes();
        image.texels[index * bytes..(index + 1) * bytes].copy_from_slice(&format.encode(&components));
        Ok(())
    }
}

/// The bits that a format stores for a `float`, `int` or `uint` component.
pub(super) fn encode(scalar: Scalar, bits: u64) -> u64 {
    let value = f32::from_bits(bits as u32);
    match scalar {
        Scalar::F32 | Scalar::U32 | Scalar::I32 | Scalar::U64 => bits,
        Scalar::F16 => u64::from(f16::from_f32(value).to_bits()),
        Scalar::Unorm8 => (value.clamp(0.0, 1.0) * 255.0).round_ties_even() as u64,
        Scalar::UnsignedFloat11 => small_float(value, 6),
        Scalar::UnsignedFloat10 => small_float(value, 5),
    }
}

/// An unsigned float of five exponent bits, truncated toward zero as Vulkan allows and drivers do; negative values give 0.
fn small_float(value: f32, mantissa: u32) -> u64 {
    if value.is_nan() {
        return (31 << mantissa) | 1;
    }
    if value <= 0.0 {
        return 0;
    }
    let half = f16::from_f32_const(value);
    let half = if half.to_f32() > value && half.is_finite() { f16::from_bits(half.to_bits() - 1) } else { half };
    u64::from(half.to_bits() >> (10 - mantissa))
}

/// Where a texel stands among all texels, if it is inside.
fn texel_index(image: &Image, mip: u32, layer: u32, position: [i64; 3]) -> Option<usize> {
    if mip >= image.mips || layer >= image.layers {
        return None;
    }
    let size = mip_size(image.size, mip);
    let inside = position.iter().zip(size).all(|(at, extent)| (0..i64::from(extent)).contains(at));
    if !inside {
        return None;
    }
    let texels = |mip: u32| mip_size(image.size, mip).iter().map(|extent| *extent as usize).product::<usize>();
    let before: usize = (0..mip).map(|mip| texels(mip) * image.layers as usize).sum();
    let [width, height, _] = size.map(|extent| extent as usize);
    let [x, y, z] = position.map(|at| at as usize);
    Some(before + layer as usize * texels(mip) + (z * height + y) * width + x)
}

/// The components of a texel as bits of the shader's scalar type, missing ones 0, 0, 0, 1; all 0 outside.
fn texel(image: &Image, mip: u32, layer: u32, position: [i64; 3]) -> [u64; 4] {
    let Some(index) = texel_index(image, mip, layer, position) else { return [0; 4] };
    let format = image.format;
    let bytes = format.bytes();
    let components = format.decode(&image.texels[index * bytes..(index + 1) * bytes]);
    let integer = matches!(format.components()[0], Scalar::U32 | Scalar::I32);
    let mut bits = [0, 0, 0, if integer { 1 } else { u64::from(1f32.to_bits()) }];
    for (index, (component, scalar)) in components.iter().zip(format.components()).enumerate() {
        bits[index] = match scalar {
            Scalar::U32 | Scalar::I32 => *component,
            other => u64::from((other.value(*component) as f32).to_bits()),
        };
    }
    bits
}

fn floats(bits: [u64; 4]) -> [f32; 4] {
    bits.map(|bits| f32::from_bits(bits as u32))
}

fn wrap_index(address: Address, index: i64, extent: u32) -> i64 {
    let extent = i64::from(extent);
    match address {
        Address::Clamp => index.clamp(0, extent - 1),
        Address::Repeat => index.rem_euclid(extent),
        Address::Mirror => {
            let at = index.rem_euclid(2 * extent);
            if at < extent { at } else { 2 * extent - 1 - at }
        }
    }
}

/// A coordinate taken apart: where in a layer, and which.
struct Position {
    at: Vec<f32>,
    layer: u32,
}

fn position(image: &Image, coordinate: &[f32]) -> Position {
    let layer = |value: f32, count: u32| (value.round_ties_even().max(0.0) as u32).min(count - 1);
    match image.shape {
        TextureShape::D2 | TextureShape::D3 => Position { at: coordinate.to_vec(), layer: 0 },
        TextureShape::D2Array => Position { at: coordinate[..2].to_vec(), layer: layer(coordinate[2], image.layers) },
        TextureShape::Cube | TextureShape::CubeArray => {
            let (face, at) = cube_face([coordinate[0], coordinate[1], coordinate[2]]);
            let cube = coordinate.get(3).map_or(0, |value| layer(*value, image.layers / 6));
            Position { at: at.to_vec(), layer: cube * 6 + face }
        }
    }
}

fn is_cube(image: &Image) -> bool {
    matches!(image.shape, TextureShape::Cube | TextureShape::CubeArray)
}

/// The footprint of a bilinear (trilinear) sample in one mip: low and high index and weight of the high one for each axis. A cube's goes
/// on beyond the edge of the face, whatever the sampler says.
fn footprint(image: &Image, state: SamplerState, mip: u32, at: &[f32]) -> Vec<(i64, i64, f32)> {
    let size = mip_size(image.size, mip);
    let wrapped =
        |index: i64, extent: u32| if is_cube(image) { index } else { wrap_index(state.address, index, extent) };
    at.iter()
        .zip(size)
        .map(|(coordinate, extent)| {
            let scaled = coordinate * extent as f32 - 0.5;
            let low = scaled.floor();
            let index = low as i64;
            (wrapped(index, extent), wrapped(index + 1, extent), scaled - low)
        })
        .collect()
}

/// A texel of a footprint, or those that stand for it: beyond the edge of a cube's face the neighbour's, beyond a corner, where there is none,
/// the three that meet there.
fn texels_at(image: &Image, mip: u32, layer: u32, index: [i64; 3]) -> Vec<[u64; 4]> {
    let [width, height, _] = mip_size(image.size, mip);
    let [x, y, z] = index;
    let (in_row, in_column) = ((0..i64::from(width)).contains(&x), (0..i64::from(height)).contains(&y));
    if !is_cube(image) || in_row && in_column {
        return vec![texel(image, mip, layer, index)];
    }
    let face = layer % 6;
    let beyond = |at: [i64; 2]| {
        let (other, [x, y]) = across_edge(face, at, width);
        texel(image, mip, layer - face + other, [x, y, z])
    };
    if in_row || in_column {
        return vec![beyond([x, y])];
    }
    let (near_x, near_y) = (x.clamp(0, i64::from(width) - 1), y.clamp(0, i64::from(height) - 1));
    vec![texel(image, mip, layer, [near_x, near_y, z]), beyond([x, near_y]), beyond([near_x, y])]
}

fn nearest(image: &Image, state: SamplerState, mip: u32, at: &[f32]) -> [i64; 3] {
    let size = mip_size(image.size, mip);
    let address = if is_cube(image) { Address::Clamp } else { state.address };
    let mut index = [0; 3];
    for (axis, coordinate) in at.iter().enumerate() {
        index[axis] = wrap_index(address, (coordinate * size[axis] as f32).floor() as i64, size[axis]);
    }
    index
}

/// One mip, filtered; each texel goes through `of` first.
fn filtered(
    image: &Image,
    state: SamplerState,
    mip: u32,
    position: &Position,
    of: &dyn Fn([f32; 4]) -> [f32; 4],
) -> [f32; 4] {
    let fetch = |index: [i64; 3]| {
        let texels = texels_at(image, mip, position.layer, index);
        let share = 1.0 / texels.len() as f32;
        let mut sum = [0.0f32; 4];
        for texel in &texels {
            for (sum, part) in sum.iter_mut().zip(of(floats(*texel))) {
                *sum = if texels.len() == 1 { part } else { *sum + part * share };
            }
        }
        sum
    };
    match state.filter {
        Filter::Point => of(floats(texel(image, mip, position.layer, nearest(image, state, mip, &position.at)))),
        Filter::Linear => {
            let axes = footprint(image, state, mip, &position.at);
            let mut sum = [0.0f32; 4];
            for corner in 0..1usize << axes.len() {
                let mut index = [0; 3];
                let mut weight = 1.0;
                for (axis, (low, high, fraction)) in axes.iter().enumerate() {
                    let is_high = corner >> axis & 1 == 1;
                    index[axis] = if is_high { *high } else { *low };
                    weight *= if is_high { *fraction } else { 1.0 - fraction };
                }
                // A texel of no weight does not count, whatever it holds.
                if weight != 0.0 {
                    for (sum, part) in sum.iter_mut().zip(fetch(index)) {
                        *sum += weight * part;
                    }
                }
            }
            sum
        }
    }
}

fn sample(
    image: &Image,
    state: SamplerState,
    position: &Position,
    level: f32,
    of: &dyn Fn([f32; 4]) -> [f32; 4],
) -> [f32; 4] {
    let most = (image.mips - 1) as f32;
    let level = if level.is_nan() { 0.0 } else { level.clamp(0.0, most) };
    match state.filter {
        Filter::Point => filtered(image, state, (level + 0.5).ceil() as u32 - 1, position, of),
        Filter::Linear => {
            let low = level.floor();
            let fraction = level - low;
            let first = filtered(image, state, low as u32, position, of);
            if fraction == 0.0 {
                return first;
            }
            let second = filtered(image, state, low as u32 + 1, position, of);
            [0, 1, 2, 3].map(|index| first[index] * (1.0 - fraction) + second[index] * fraction)
        }
    }
}

fn compare(function: Compare, reference: f32, texel: f32) -> bool {
    match function {
        Compare::LessEqual => reference <= texel,
        Compare::GreaterEqual => reference >= texel,
        Compare::Less => reference < texel,
        Compare::Greater => reference > texel,
        Compare::Equal => reference == texel,
        Compare::NotEqual => reference != texel,
        Compare::Always => true,
        Compare::Never => false,
    }
}

fn method_on(
    kind: TypeKind,
    image: &Image,
    method: Builtin,
    arguments: &[&Value],
    level_of: &dyn Fn(&[f32]) -> f32,
) -> Result<Value, String> {
    let depth = matches!(kind, TypeKind::Texture(_, TexelKind::Depth));
    let one_or_four = |texel: [f32; 4]| if depth { Value::floats(&texel[..1]) } else { Value::floats(&texel) };
    let state = || match arguments.first() {
        Some(Value::Sampler(state)) => Ok(*state),
        _ => Err("an operand is no sampler".to_owned()),
    };
    let coordinate = || arguments[1].float_components();
    let without_layer = |coordinate: &[f32]| -> Vec<f32> {
        let keep = match image.shape {
            TextureShape::D2 | TextureShape::D2Array => 2,
            TextureShape::D3 | TextureShape::Cube | TextureShape::CubeArray => 3,
        };
        coordinate[..keep].to_vec()
    };
    let plain = |texel: [f32; 4]| texel;
    let compared = |reference: f32, function: Compare| {
        // References are clamped where the format holds 0..1 only (Vulkan 15.3.5); `depth32f` is unclamped.
        move |texel: [f32; 4]| [f32::from(u8::from(compare(function, reference, texel[0]))), 0.0, 0.0, 0.0]
    };
    Ok(match method {
        Builtin::TextureSample => {
            let at = coordinate();
            one_or_four(sample(image, state()?, &position(image, &at), level_of(&without_layer(&at)), &plain))
        }
        Builtin::TextureSampleLevel => {
            let level = arguments[2].float();
            one_or_four(sample(image, state()?, &position(image, &coordinate()), level, &plain))
        }
        Builtin::TextureSampleGrad => {
            let at = coordinate();
            let (dx, dy) = (arguments[2].float_components(), arguments[3].float_components());
            let level = level(image, &without_layer(&at), &dx, &dy);
            one_or_four(sample(image, state()?, &position(image, &at), level, &plain))
        }
        Builtin::TextureSampleCmp | Builtin::TextureSampleCmpLevelZero => {
            let at = coordinate();
            let state = state()?;
            let function = state.compare.ok_or("the sampler does not compare")?;
            let implicit = method == Builtin::TextureSampleCmp;
            let level = if implicit { level_of(&without_layer(&at)) } else { 0.0 };
            let of = compared(arguments[2].float(), function);
            Value::floats(&sample(image, state, &position(image, &at), level, &of)[..1])
        }
        Builtin::TextureGather | Builtin::TextureGatherCmp => {
            let state = state()?;
            let at = position(image, &coordinate());
            let axes = footprint(image, state, 0, &at.at);
            let ((left, right, _), (top, bottom, _)) = (axes[0], axes[1]);
            let corners = [[left, bottom, 0], [right, bottom, 0], [right, top, 0], [left, top, 0]];
            // Vulkan leaves open which of the three texels at a cube's corner is gathered for the one that is missing.
            let texels = corners.map(|corner| texels_at(image, 0, at.layer, corner)[0]);
            if method == Builtin::TextureGatherCmp {
                let function = state.compare.ok_or("the sampler does not compare")?;
                let of = compared(arguments[2].float(), function);
                Value::floats(&texels.map(|texel| of(floats(texel))[0]))
            } else {
                let component = arguments.get(2).map_or(0, |value| value.bits() as usize);
                Value::vector(&texels.map(|texel| texel[component]))
            }
        }
        Builtin::TextureLoad => {
            let at = arguments[0].components();
            let (layer, z) = match image.shape {
                TextureShape::D2Array => (at[2] as u32, 0),
                _ => (0, at.get(2).map_or(0, |z| *z as i64)),
            };
            let mip = arguments.get(1).map_or(0, |value| value.bits() as u32);
            let bits = texel(image, mip, layer, [at[0] as i64, at[1] as i64, z]);
            let channels = match kind {
                TypeKind::StorageTexture(_, StorageFormat::Any) => 4,
                TypeKind::StorageTexture(_, format) => usize::from(format.channels()),
                _ if depth => 1,
                _ => 4,
            };
            Value::vector(&bits[..channels])
        }
        Builtin::TextureDimensions => {
            let mip = arguments.first().map_or(0, |value| value.bits() as u32);
            let [width, height, depth] = mip_size(image.size, mip).map(u64::from);
            match image.shape {
                TextureShape::D2 | TextureShape::Cube => Value::vector(&[width, height]),
                TextureShape::D2Array => Value::vector(&[width, height, u64::from(image.layers)]),
                TextureShape::D3 => Value::vector(&[width, height, depth]),
                TextureShape::CubeArray => Value::vector(&[width, height, u64::from(image.layers / 6)]),
            }
        }
        Builtin::TextureMipLevels => Value::Scalar(u64::from(image.mips)),
        other => return Err(format!("`{}` is no texture method", other.name())),
    })
}
