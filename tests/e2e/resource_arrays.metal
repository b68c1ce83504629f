#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Frame {
    uint cascade;
    float _bias;
};

struct V {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
    uint material [[user(loc1), flat]];
};

constant uint CASCADES = 4u;

float lit(depth2d<float> map, sampler compare, float3 at);
float lit_everywhere(array<depth2d<float>, 4> shadows_maps, sampler shadows_compare, float shadows_bias, float3 at);

/// The light in one cascade; the caller chooses it.
float lit(depth2d<float> map, sampler compare, float3 at) {
    return map.sample_compare(compare, at.xy, at.z);
}

float lit_everywhere(array<depth2d<float>, 4> shadows_maps, sampler shadows_compare, float shadows_bias, float3 at) {
    float light = 1.0f;
    for (uint cascade = 0u; cascade < CASCADES; ++cascade) {
        light = precise::min(light, lit(shadows_maps[cascade], shadows_compare, at + float3(0.0f, 0.0f, shadows_bias)));
    }
    return light;
}

vertex V vs(uint id [[vertex_id]], uint instance [[instance_id]]) {
    float2 uv = float2(float(id & 1u), float(id >> 1u));
    V result;
    result.position = float4(uv * 2.0f - 1.0f, 0.0f, 1.0f);
    result.uv = uv;
    result.material = instance;
    return result;
}

fragment float4 fs(
    V v [[stage_in]],
    constant Frame& frame [[buffer(0)]],
    array<texture2d<float>, 16> albedo [[texture(4)]],
    array<depth2d<float>, 4> shadow_maps [[texture(20)]]) {
    constexpr sampler wrap_s(filter::linear, mip_filter::linear, address::repeat);
    constexpr sampler shadow_s(filter::linear, mip_filter::linear, address::clamp_to_edge, compare_func::greater_equal);
    float3 at = float3(v.uv, 0.5f);
    float near = lit(shadow_maps[0], shadow_s, at);
    float chosen = lit(shadow_maps[min(frame.cascade, 3u)], shadow_s, at);
    return albedo[min(v.material, 15u)].sample(wrap_s, v.uv) * near * chosen
        * lit_everywhere(shadow_maps, shadow_s, frame._bias, at);
}

[[max_total_threads_per_threadgroup(64)]]
kernel void swap(
    uint2 id [[thread_position_in_grid]],
    array<texture2d<float, access::read_write>, 2> history [[texture(0)]]) {
    uint which = (id.x ^ id.y) & 1u;
    uint2 size = uint2(history[which].get_width(), history[which].get_height());
    if (all(id < size)) {
        history[1u - which].write(history[which].read(id) * 0.5f, id);
        history[1u - which].fence();
    }
}
