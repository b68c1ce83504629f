// Arrays of argument buffers: structures of textures and pointers in device memory, indexed by a number of run time.
#include <metal_stdlib>

using namespace metal;

struct BindlessBuffer {
    device const uint* words;
};

struct BindlessTexture {
    texture2d<float> tex2d;
    texturecube<float> texcube;
    texture3d<float> tex3d;
    depth2d<float> texdepth;
};

float4 look(texture2d<float> t, sampler s, float2 uv) {
    return t.sample(s, uv, level(0.0f));
}

float3 third(device const BindlessBuffer* buffers, uint buffer) {
    return float3(((device const packed_float3*)buffers[buffer].words)[2u]);
}

kernel void all_kinds(
    device const BindlessBuffer* buffers [[buffer(0)]],
    device const BindlessTexture* textures [[buffer(1)]],
    device float4* out [[buffer(2)]],
    uint id [[thread_position_in_grid]]) {
    constexpr sampler s(filter::linear);
    constexpr sampler compare(filter::nearest, compare_func::less);
    float4 sum = look(textures[id].tex2d, s, float2(0.5f));
    sum += textures[buffers[id].words[id]].texcube.sample(s, float3(1.0f), level(0.0f));
    sum += textures[3u].tex3d.read(uint3(0u));
    sum.x += textures[id].texdepth.sample_compare(compare, float2(0.5f), 0.5f, level(0.0f));
    sum.y += as_type<float>(buffers[id].words[id * 3u + 1u]);
    sum.xyz += third(buffers, id % 2u);
    out[id] = sum;
}

fragment float4 per_pixel(device const BindlessTexture* textures [[buffer(0)]], float4 position [[position]]) {
    constexpr sampler s(filter::linear);
    return textures[uint(position.x)].tex2d.sample(s, position.xy);
}
