#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

/// A buffer of a table: its address.
struct BindlessBuffer {
    device const uint* words;
};

/// The textures of a table at one index, one of each kind.
struct BindlessTexture {
    texture2d<float> tex2d;
    texturecube<float> texcube;
    texture3d<float> tex3d;
    depth2d<float> texdepth;
};

struct Frame {
    uint material;
    float time;
};

struct V {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
    uint material [[user(loc1), flat]];
};

float4 shade(texture2d<float> material_colour, texturecube<float> material_mirror, sampler material_samp, float2 uv,
    float3 direction);
float taps__of_bindless_fragment_of(uint count, depth2d<float> shadow, thread const V& inn, sampler shadow_s);
float bindless_fragment_of(uint i, depth2d<float> shadow, thread const V& inn, sampler shadow_s);

/// The colour and what is mirrored, at one place.
float4 shade(
    texture2d<float> material_colour,
    texturecube<float> material_mirror,
    sampler material_samp,
    float2 uv,
    float3 direction) {
    return material_colour.sample(material_samp, uv) + material_mirror.sample(material_samp, direction, level(0.0f));
}

float taps__of_bindless_fragment_of(uint count, depth2d<float> shadow, thread const V& inn, sampler shadow_s) {
    float sum = 0.0f;
    for (uint i = 0u; i < count; ++i) {
        sum += bindless_fragment_of(i, shadow, inn, shadow_s);
    }
    return sum;
}

float bindless_fragment_of(uint i, depth2d<float> shadow, thread const V& inn, sampler shadow_s) {
    return shadow.sample_compare(shadow_s, inn.uv + float(i), 0.5f);
}

vertex V bindless_vertex(
    uint vertex_index [[vertex_id]],
    uint _mesh [[instance_id]],
    device const BindlessBuffer* buffers [[buffer(29)]]) {
    uint index = buffers[0u].words[vertex_index];
    V result;
    result.position = float4(float3(((device const packed_float3*)buffers[_mesh].words)[index]), 1.0f);
    result.uv = float2(((device const packed_float2*)buffers[_mesh + 1u].words)[index]);
    result.material = _mesh % 4u;
    return result;
}

fragment float4 bindless_fragment(
    V inn_raw [[stage_in]],
    constant Frame& frame [[buffer(0)]],
    device const BindlessTexture* textures [[buffer(30)]]) {
    constexpr sampler wrap_s(filter::linear, mip_filter::linear, address::repeat);
    constexpr sampler shadow_s(filter::linear, mip_filter::linear, address::clamp_to_edge, compare_func::greater_equal);
    V inn = inn_raw;
    inn.position.w = 1.0f / inn.position.w;
    V inn_1 = inn;
    float lit = taps__of_bindless_fragment_of(4u, textures[inn_1.material + 8u].texdepth, inn_1, shadow_s);
    return shade(textures[inn_1.material].tex2d, textures[frame.material].texcube, wrap_s, inn_1.uv,
        float3(0.0f, 0.0f, 1.0f)) * lit;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void bindless_compute(
    uint id [[thread_position_in_grid]],
    device float4* values [[buffer(1)]],
    device const BindlessBuffer* buffers [[buffer(29)]],
    device const BindlessTexture* textures [[buffer(30)]]) {
    uint fog_index = buffers[2u].words[id];
    uint3 size = uint3(textures[fog_index].tex3d.get_width(), textures[fog_index].tex3d.get_height(),
        textures[fog_index].tex3d.get_depth());
    values[id] = textures[fog_index].tex3d.read(uint3(id % max(size.x, 1u), 0u, 0u))
        * float4(((device const packed_float4*)buffers[id].words)[0u]) * as_type<float>(buffers[3u].words[id]);
}
