#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

/// One triangle that covers the screen.
struct Varying {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
};

vertex Varying fullscreen_vertex(uint vid [[vertex_id]]) {
    float2 corner = float2(float(vid >> 1u), float(vid & 1u)) * 4.0f - 1.0f;
    Varying result;
    result.position = float4(corner, 0.0f, 1.0f);
    result.uv = corner * 0.5f + 0.5f;
    return result;
}

fragment float4 fullscreen_fragment(Varying inn [[stage_in]], texture2d<float> hdr [[texture(0)]]) {
    constexpr sampler samp(filter::linear, mip_filter::linear, address::clamp_to_edge);
    float3 colour = hdr.sample(samp, inn.uv).rgb;
    return float4(colour / (1.0f + colour), 1.0f);
}
