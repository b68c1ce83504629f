struct Frame {
    float scale;
};

struct V {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

[[vk::binding(1, 4)]] ConstantBuffer<Frame> frame;

precise V full_screen(uint id : SV_VertexID) {
    float2 corner = float2(float(id >> 1u), float(id & 1u)) * 2.0f;
    V result;
    result.position = float4(corner * 2.0f - 1.0f, 0.0f, frame.scale);
    result.uv = corner;
    return result;
}

struct V {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

struct GBuffer {
    [[vk::location(3)]] uint material : SV_Target3;
    [[vk::location(0)]] float4 albedo : SV_Target0;
    [[vk::location(1)]] float2 raw : SV_Target1;
};

[[vk::binding(7, 1)]] Texture2D<float4> hdr;
[[vk::binding(5, 1)]] Texture2D<float> atlas;
[[vk::binding(9, 2)]] SamplerState clamped;
[[vk::binding(1, 2)]] SamplerState repeated;
[[vk::binding(4, 2)]] SamplerComparisonState compared;
[[vk::binding(6, 0)]] StructuredBuffer<float> raw;
[[vk::binding(3, 0)]] StructuredBuffer<uint> materials;

precise float4 blurred(float2 uv) {
    return hdr.Sample(clamped, uv) + hdr.Sample(clamped, uv);
}

precise GBuffer shade(V v) {
    float _lit = atlas.SampleCmp(compared, v.uv, 0.5f);
    GBuffer result;
    result.material = materials[0];
    result.albedo = blurred(v.uv) + blurred(v.uv) + hdr.Sample(repeated, v.uv) * _lit;
    result.raw = float2((half2)half(raw[0]));
    return result;
}

struct Frame {
    float scale;
};

[[vk::binding(4, 0)]] RWStructuredBuffer<uint> counters;
[[vk::binding(4, 1)]] [[vk::image_format("rgba16f")]] RWTexture2D<float4> image;
[[vk::binding(1, 4)]] ConstantBuffer<Frame> frame;

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID) {
    uint place;
    InterlockedAdd(counters[0], 1u, place);
    image[uint2(id, place)] = (float4)frame.scale;
}
