#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Frame {
    float scale;
};

struct V {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
};

struct GBuffer {
    uint material [[color(3)]];
    float4 albedo [[color(0)]];
    half2 raw [[color(1)]];
};

float4 blurred(texture2d<float> source, sampler samp, float2 uv, sampler smooth);

float4 blurred(texture2d<float> source, sampler samp, float2 uv, sampler smooth) {
    return source.sample(samp, uv) + source.sample(smooth, uv);
}

vertex V full_screen(uint id [[vertex_id]], constant Frame& frame [[buffer(1)]]) {
    float2 corner = float2(float(id >> 1u), float(id & 1u)) * 2.0f;
    V result;
    result.position = float4(corner * 2.0f - 1.0f, 0.0f, frame.scale);
    result.uv = corner;
    return result;
}

fragment GBuffer shade(
    V v [[stage_in]],
    texture2d<float> hdr [[texture(3)]],
    depth2d<float> atlas [[texture(5)]],
    device const float* raw [[buffer(6)]],
    device const uint* materials [[buffer(3)]]) {
    constexpr sampler clamped(filter::linear, mip_filter::linear, address::clamp_to_edge);
    constexpr sampler repeated(filter::linear, mip_filter::linear, address::repeat);
    constexpr sampler compared(filter::linear, mip_filter::linear, address::clamp_to_edge, compare_func::greater_equal);
    float lit = atlas.sample_compare(compared, v.uv, 0.5f);
    GBuffer result;
    result.material = materials[0];
    result.albedo = blurred(hdr, clamped, v.uv, clamped) + blurred(hdr, clamped, v.uv, clamped)
        + hdr.sample(repeated, v.uv) * lit;
    result.raw = half2(half(raw[0]));
    return result;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void count(
    device atomic_uint* counters [[buffer(4)]],
    texture2d<float, access::write> image [[texture(4)]],
    uint id [[thread_position_in_grid]],
    constant Frame& frame [[buffer(1)]]) {
    uint place = atomic_fetch_add_explicit(&counters[0], 1u, memory_order_relaxed);
    image.write(float4(frame.scale), uint2(id, place));
}
