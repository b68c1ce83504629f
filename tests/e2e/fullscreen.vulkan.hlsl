/// One triangle that covers the screen.
struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

precise Varying fullscreen_vertex(uint vid : SV_VertexID) {
    float2 corner = float2(float(vid >> 1u), float(vid & 1u)) * 4.0f - 1.0f;
    Varying result;
    result.position = float4(corner, 0.0f, 1.0f);
    result.uv = corner * 0.5f + 0.5f;
    return result;
}

/// One triangle that covers the screen.
struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

[[vk::binding(0, 1)]] Texture2D<float4> hdr;
[[vk::binding(0, 2)]] SamplerState samp;

[[vk::location(0)]] precise float4 fullscreen_fragment(Varying inn) : SV_Target0 {
    float3 colour = hdr.Sample(samp, inn.uv).rgb;
    return float4(colour / (1.0f + colour), 1.0f);
}
