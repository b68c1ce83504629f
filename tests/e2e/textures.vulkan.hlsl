struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
    [[vk::location(1)]] nointerpolation uint layer : TEXCOORD1;
};

/// A triangle over the whole target.
precise Varying textures_vertex(uint vertex : SV_VertexID) {
    float2 corner = float2(float(vertex >> 1u), float(vertex & 1u)) * 2.0f;
    Varying result;
    result.position = float4(corner * 2.0f - 1.0f, 0.0f, 1.0f);
    result.uv = corner;
    result.layer = vertex;
    return result;
}

struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
    [[vk::location(1)]] nointerpolation uint layer : TEXCOORD1;
};

[[vk::binding(0, 1)]] Texture2D<float4> colour;
[[vk::binding(1, 1)]] Texture2DArray<float4> layers;
[[vk::binding(2, 1)]] TextureCube<float4> sky;
[[vk::binding(3, 1)]] Texture2D<float> shadow;
[[vk::binding(4, 1)]] Texture2D<uint4> words;
[[vk::binding(5, 1)]] [[vk::image_format("rg16f")]] RWTexture2D<float2> image;
[[vk::binding(0, 2)]] SamplerState smooth_s;
[[vk::binding(1, 2)]] SamplerComparisonState compare_s;

[[vk::location(0)]] precise float4 textures_fragment(Varying inn) : SV_Target0 {
    uint2 texel = uint2(inn.position.xy);
    precise float4 sum = colour.Sample(smooth_s, inn.uv);
    sum += layers.SampleLevel(smooth_s, float3(inn.uv, float(inn.layer)), 1.0f);
    sum += sky.SampleGrad(smooth_s, float3(inn.uv, 1.0f), float3(0.1f, 0.1f, 0.1f), float3(0.2f, 0.2f, 0.2f));
    sum *= shadow.SampleCmp(compare_s, inn.uv, 0.5f);
    sum += colour.GatherBlue(smooth_s, inn.uv) + shadow.GatherCmp(compare_s, inn.uv, 0.25f);
    sum.x += float(words.Load(int3(texel, 0u)).y) + shadow.Load(int3(texel, 1u));
    uint width;
    uint height;
    uint levels;
    colour.GetDimensions(1u, width, height, levels);
    uint2 size = uint2(width, height);
    if (all(texel < size)) {
        precise float2 texel_1 = sum.xy + image[texel];
        image[texel] = texel_1;
    }
    uint width_1;
    uint height_1;
    uint levels_1;
    colour.GetDimensions(0u, width_1, height_1, levels_1);
    return sum / float(levels_1);
}
