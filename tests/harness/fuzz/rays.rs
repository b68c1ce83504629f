//! Random scenes and rays, whose triangles a random function judges. What is told of a hit is told in steps, so that a target may round as it likes.

use std::fmt::Write as _;

use super::random::Random;
use super::{Generated, Output, Scalar};

/// Rays, and words that each leaves behind.
const RAYS: usize = 32;
const WORDS: usize = 8;

/// The program of that seed.
#[must_use]
pub fn rays(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let instances = 2 + random.below(4);
    let scene: String = (0..instances).map(|_| instance(&mut random)).collect();
    let mut numbers = String::new();
    for _ in 0..RAYS {
        // From before the scene to behind it, or only a part of the way.
        let (x, y) = (number(&mut random, 4.0), number(&mut random, 4.0));
        let (across, up) = (number(&mut random, 0.4), number(&mut random, 0.4));
        let (from, to) = if random.chance(70) { (0.0, 100.0) } else { (8.03, 12.07) };
        let _ = write!(numbers, " {x} {y} -10.01 {from} {across} {up} 1.0625 {to}");
    }
    let words: String = (0..instances).map(|_| format!(" 0x{:x}", random.bits() as u32)).collect();
    let masks: String = (0..RAYS).map(|_| format!(" 0x{:x}", random.bits() as u8)).collect();
    let bound = random.pick(&["0.25", "0.5", "0.75"]);
    let count = RAYS * WORDS;
    let text = format!(
        "//! from the reference interpreter
//! run compute {} 1 1
//! scene io.scene ={scene}
//! buffer io.rays : f32 ={numbers}
//! buffer io.instances : u32 ={words}
//! buffer io.masks : u32 ={masks}
//! buffer io.words : u32 = 0 x {count}
//! expect io.words : u32 = _ x {count}
#shader rays

@bind(io.buffers) let buffers: BufferTable;
@bind(io.textures) let textures: TextureTable;

fn hikari_rt_candidate_accepts(instances: Buf<uint>, masks: Buf<uint>, buffers: BufferTable, textures: TextureTable, ray: uint, instance: uint, triangle: uint, at: float2) -> bool {{
    let word = instances[instance];
    if (masks[ray] > 250u) {{
        return true;
    }}
    return ((word >> (triangle & 7u)) & 1u) != 0u || at.x + at.y * 0.5 < {bound} && (word & 0x100u) != 0u;
}}

fn told(hit: RtTraceHit) -> uint4 {{
    let at = uint2(hit.barycentric * 30.0 + 0.4);
    return uint4(hit.hit ? 1u : 0u, uint(hit.distance * 15.0 + 0.4), hit.instance_id << 8u | hit.primitive_id, at.x << 8u | at.y);
}}

@compute(threads = (8, 1, 1))
fn main(
    @dispatch_id id: uint,
    @bind(io.scene) scene: AccelStruct,
    @bind(io.rays) rays: Buf<float4>,
    @bind(io.instances) instances: Buf<uint>,
    @bind(io.masks) masks: Buf<uint>,
    @bind(io.words) words: RwBuf<uint>,
) {{
    let from = rays[2u * id];
    let to = rays[2u * id + 1u];
    let mask = masks[id];
    let nearest = told(rt_trace_masked(scene, instances, masks, buffers, textures, id, from.xyz, to.xyz, from.w, to.w, mask));
    let all = told(rt_trace(scene, from.xyz, to.xyz, from.w, to.w, mask));
    let seen = rt_visibility_masked(scene, instances, masks, buffers, textures, id, from.xyz, to.xyz, from.w, to.w, mask);
    let occluder = rt_occluder_distance_masked(scene, instances, masks, buffers, textures, id, from.xyz, to.xyz, from.w, to.w, mask);
    for (var i = 0u; i < 4u; i++) {{
        words[8u * id + i] = nearest[i];
    }}
    words[8u * id + 4u] = all.y;
    words[8u * id + 5u] = all.z;
    words[8u * id + 6u] = uint(seen) | (occluder >= 0.0 ? 2u : 0u);
    words[8u * id + 7u] = uint(rt_visibility(scene, from.xyz, to.xyz, from.w, to.w, mask));
}}
",
        RAYS / 8,
    );
    Generated { text, outputs: vec![Output::plain("words", Scalar::Uint, 0)] }
}

/// A number on a fine grid around 0.
fn number(random: &mut Random, reach: f64) -> f64 {
    (random.below(2001) as f64 - 1000.0) / 1000.0 * reach
}

fn instance(random: &mut Random) -> String {
    let mut text = format!(" instance mask=0x{:x}", 1 + random.below(255));
    text.push_str(if random.chance(25) { " opaque" } else { "" });
    text.push_str(random.pick(&["", "", "", " force=opaque", " force=non_opaque"]));
    let rows: Vec<String> = (0..12)
        .map(|at| {
            let (row, column) = (at / 4, at % 4);
            let base = if row == column { random.pick(&[1.0, -1.0, 1.5]) } else { 0.0 };
            format!("{}", base + number(random, if column == 3 { 2.0 } else { 0.3 }))
        })
        .collect();
    let _ = write!(text, " rows={}", rows.join(","));
    for geometry in 0..=random.below(3) {
        if geometry > 0 {
            text.push_str(if random.chance(25) { " geometry opaque" } else { " geometry" });
        }
        for triangle in 0..=random.below(4) {
            text.push_str(if triangle == 0 { " :" } else { " |" });
            for _ in 0..3 {
                let corner = [number(random, 6.0), number(random, 6.0), number(random, 3.0)];
                let _ = write!(text, " {},{},{}", corner[0], corner[1], corner[2]);
            }
        }
    }
    text
}
