//! What the benchmarks compile: the same work in Akari and in WGSL, side by side.

use std::fmt::Write;

/// One program in both languages.
pub(crate) struct Pair {
    /// Its name in reports.
    pub(crate) name: String,
    /// In Akari.
    pub(crate) akari: String,
    /// In WGSL.
    pub(crate) wgsl: String,
}

const WGSL_NAMES: &str = "alias float = f32;\nalias uint = u32;\nalias float2 = vec2<f32>;\nalias float3 = vec3<f32>;\n\
                          alias float4 = vec4<f32>;\nalias uint3 = vec3<u32>;\nalias float4x4 = mat4x4<f32>;\n";

/// A fullscreen copy: one texture, one sampler, two stages.
pub(crate) fn fullscreen_copy() -> Pair {
    let akari = "#shader copy\n\n\
        struct V {\n    @position position: float4;\n    uv: float2;\n}\n\n\
        @vertex\nfn copy_vertex(@vertex_id vid: uint) -> V {\n    let x = float(vid & 1u) * 4.0 - 1.0;\n    \
        let y = float(vid >> 1u) * 4.0 - 1.0;\n    \
        return V { position: float4(x, y, 0.0, 1.0), uv: float2(x * 0.5 + 0.5, 0.5 - y * 0.5) };\n}\n\n\
        @fragment\nfn copy_fragment(@stage_in inn: V, @bind(post.source) source: Tex2D, @sampler(linear, clamp) samp) -> float4 {\n    \
        return source.sample(samp, inn.uv);\n}\n";
    let wgsl = format!(
        "{WGSL_NAMES}\nstruct V {{\n    @builtin(position) position: float4,\n    @location(0) uv: float2,\n}}\n\n\
        @group(1) @binding(0) var source: texture_2d<f32>;\n@group(2) @binding(0) var samp: sampler;\n\n\
        @vertex\nfn copy_vertex(@builtin(vertex_index) vid: uint) -> V {{\n    let x = float(vid & 1u) * 4.0 - 1.0;\n    \
        let y = float(vid >> 1u) * 4.0 - 1.0;\n    \
        return V(float4(x, y, 0.0, 1.0), float2(x * 0.5 + 0.5, 0.5 - y * 0.5));\n}}\n\n\
        @fragment\nfn copy_fragment(inn: V) -> @location(0) float4 {{\n    return textureSample(source, samp, inn.uv);\n}}\n"
    );
    Pair { name: "fullscreen copy".into(), akari: akari.into(), wgsl }
}

/// A deferred lighting pass of about 330 lines.
pub(crate) fn lighting() -> Pair {
    let template = include_str!("lighting.template");
    let loads = "    let depth = «depth».x;\n    let base = «albedo»;\n    let packed_normal = «normal»;\n    \
                 let material = «material»;\n    \
                 let s = light_pixel(inn.uv, inn.uv * camera.viewport.xy, depth, base, packed_normal, material, \
                 camera.view_projection, camera.inverse_view_projection, camera.position.xyz, \
                 camera.sun_direction.xyz, camera.sun_colour.xyz, camera.fog_colour, camera.cascade_distances, camera.frame, \
                 camera.exposure);\n    \
                 var diffuse = ambient_sh(s.normal) * s.albedo * multi_bounce(s.occlusion, s.albedo) * (1.0 - s.metalness);\n    \
                 let env = environment_brdf(s.roughness, s.n_dot_v);\n    \
                 var specular = (s.f0 * env.x + float3(env.y, env.y, env.y)) * specular_occlusion(s.n_dot_v, s.occlusion, s.roughness);\n    \
                 let sun = evaluate_brdf(s, camera.sun_direction.xyz, camera.sun_colour.xyz);\n    \
                 diffuse = diffuse + sun.diffuse;\n    specular = specular + sun.specular;\n    \
                 let count = min(camera.light_count, MAX_LIGHTS);\n    \
                 for (var i: uint = 0u; i < count; i += 1u) {\n        let lit = evaluate_light(s, lights[i]);\n        \
                 diffuse = diffuse + lit.diffuse;\n        specular = specular + lit.specular;\n    }\n    \
                 var colour = diffuse + specular + s.emissive;\n    \
                 let travelled = length(camera.position.xyz - s.position);\n    \
                 colour = apply_fog(colour, camera.fog_colour.xyz, camera.fog_density, travelled, s.position.y);\n    \
                 colour = tonemap(colour, camera.exposure);\n    \
                 return float4(encode_srgb(colour.x), encode_srgb(colour.y), encode_srgb(colour.z), luminance(colour));\n";
    let textures = ["depth", "albedo", "normal", "material"];
    let mut akari_loads = loads.to_owned();
    let mut wgsl_loads = loads.to_owned();
    let mut akari_bindings = String::new();
    let mut wgsl_bindings = String::from(
        "@group(0) @binding(0) var<uniform> camera: Camera;\n@group(0) @binding(1) var<storage, read> lights: array<Light>;\n\
         @group(2) @binding(0) var samp: sampler;\n",
    );
    for (index, texture) in textures.iter().enumerate() {
        akari_loads = akari_loads.replace(&format!("«{texture}»"), &format!("{texture}_tex.sample(samp, inn.uv)"));
        wgsl_loads =
            wgsl_loads.replace(&format!("«{texture}»"), &format!("textureSample({texture}_tex, samp, inn.uv)"));
        let _ = writeln!(akari_bindings, "    @bind(gbuffer.{texture}) {texture}_tex: Tex2D,");
        let _ = writeln!(wgsl_bindings, "@group(1) @binding({index}) var {texture}_tex: texture_2d<f32>;");
    }
    let akari_entry = format!(
        "struct V {{\n    @position position: float4;\n    uv: float2;\n}}\n\n@fragment\nfn lighting_fragment(\n    @stage_in inn: V,\n    \
         @bind(frame.camera) camera: Uniform<Camera>,\n    @bind(frame.lights) lights: Buf<Light>,\n{akari_bindings}    \
         @sampler(linear, clamp) samp,\n) -> float4 {{\n{akari_loads}}}\n"
    );
    let wgsl_entry = format!(
        "struct V {{\n    @builtin(position) position: float4,\n    @location(0) uv: float2,\n}}\n\n@fragment\nfn lighting_fragment(inn: V) -> \
         @location(0) float4 {{\n{wgsl_loads}}}\n"
    );
    let akari = template.replace("«;»", ";").replace("«bindings»\n", "").replace("«entry»", &akari_entry);
    let wgsl = template.replace("«;»", ",").replace("«bindings»", &wgsl_bindings).replace("«entry»", &wgsl_entry);
    Pair {
        name: "lighting".into(),
        akari: format!("#shader lighting\n\n{akari}"),
        wgsl: format!("{WGSL_NAMES}\n{wgsl}"),
    }
}

/// A compute shader that calls `count` functions of a dozen lines.
pub(crate) fn functions(count: usize) -> Pair {
    let mut body = String::new();
    for n in 0..count {
        let _ = write!(
            body,
            "fn work{n}(p: float3, t: float) -> float3 {{\n    var a = p * {n}.5 + float3(t, t, t);\n    \
             for (var i: uint = 0u; i < 4u; i += 1u) {{\n        let k = sin(a.x) * cos(a.y);\n        \
             if (k > 0.5) {{\n            a = normalize(a + float3(k, k, k));\n        }} else {{\n            \
             a.z = a.z - k * {n}.25;\n        }}\n    }}\n    let d = dot(a, p);\n    return a * d + p.zyx;\n}}\n\n"
        );
    }
    let calls: String = (0..count).map(|n| format!("    v = work{n}(v, {n}.0);\n")).collect();
    let akari = format!(
        "#shader scale\n\n{body}@compute(threads = (64, 1, 1))\nfn main_cs(@bind(scale.data) data: RwBuf<float4>, @dispatch_id id: uint3) {{\n    \
         var v = data[id.x].xyz;\n{calls}    data[id.x] = float4(v, 1.0);\n}}\n"
    );
    let wgsl = format!(
        "{WGSL_NAMES}\n@group(0) @binding(0) var<storage, read_write> data: array<float4>;\n\n{body}@compute @workgroup_size(64, 1, 1)\n\
         fn main_cs(@builtin(global_invocation_id) id: uint3) {{\n    var v = data[id.x].xyz;\n{calls}    data[id.x] = float4(v, 1.0);\n}}\n"
    );
    Pair { name: format!("{count} functions"), akari, wgsl }
}
