#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Varying {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
    uint layer [[user(loc1), flat]];
};

/// A triangle over the whole target.
vertex Varying textures_vertex(uint _vertex [[vertex_id]]) {
    float2 corner = float2(float(_vertex >> 1u), float(_vertex & 1u)) * 2.0f;
    Varying result;
    result.position = float4(corner * 2.0f - 1.0f, 0.0f, 1.0f);
    result.uv = corner;
    result.layer = _vertex;
    return result;
}

fragment float4 textures_fragment(
    Varying inn [[stage_in]],
    texture2d<float> colour [[texture(0)]],
    texture2d_array<float> layers [[texture(1)]],
    texturecube<float> sky [[texture(2)]],
    depth2d<float> shadow [[texture(3)]],
    texture2d<uint> words [[texture(4)]],
    texture2d<float, access::read_write> image [[texture(5)]]) {
    constexpr sampler smooth_s(filter::linear, mip_filter::linear, address::clamp_to_edge);
    constexpr sampler compare_s(filter::linear, mip_filter::linear, address::clamp_to_edge,
        compare_func::greater_equal);
    uint2 texel = uint2(inn.position.xy);
    float4 sum = colour.sample(smooth_s, inn.uv);
    sum += layers.sample(smooth_s, inn.uv, inn.layer, level(1.0f));
    sum += sky.sample(smooth_s, float3(inn.uv, 1.0f), gradientcube(float3(0.1f), float3(0.2f)));
    sum *= shadow.sample_compare(compare_s, inn.uv, 0.5f);
    sum += colour.gather(smooth_s, inn.uv, int2(0), component::z) + shadow.gather_compare(compare_s, inn.uv, 0.25f);
    sum.x += float(words.read(texel).y) + shadow.read(texel, 1u);
    uint2 size = uint2(colour.get_width(1u), colour.get_height(1u));
    if (all(texel < size)) {
        image.write(float4(sum.xy + image.read(texel).xy, 0.0f, 0.0f), texel);
        image.fence();
    }
    return sum / float(colour.get_num_mip_levels());
}
