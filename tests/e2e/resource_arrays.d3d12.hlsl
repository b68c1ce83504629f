struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
    nointerpolation uint material : TEXCOORD1;
};

V vs(uint id : SV_VertexID, uint instance : SV_InstanceID) {
    float2 uv = float2(float(id & 1u), float(id >> 1u));
    V result;
    result.position = float4(uv * 2.0f - 1.0f, 0.0f, 1.0f);
    result.uv = uv;
    result.material = instance;
    return result;
}

struct Frame {
    uint cascade;
    float bias;
};

struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
    nointerpolation uint material : TEXCOORD1;
};

static const uint CASCADES = 4u;

ConstantBuffer<Frame> frame : register(b0, space0);
Texture2D<float4> albedo[16] : register(t0, space1);
Texture2D<float> shadow_maps[4] : register(t0, space2);
SamplerState wrap_s : register(s0, space0);
SamplerComparisonState shadow_s : register(s4, space0);

/// The light in one cascade; the caller chooses it.
float lit_shadow_maps_0_shadow_s(float3 at) {
    return shadow_maps[0].SampleCmp(shadow_s, at.xy, at.z);
}

/// The light in one cascade; the caller chooses it.
float lit_shadow_maps_shadow_s(float3 at, uint map_index) {
    return shadow_maps[min(map_index, 3u)].SampleCmp(shadow_s, at.xy, at.z);
}

float lit_everywhere(float shadows_bias, float3 at) {
    float light = 1.0f;
    for (uint cascade = 0u; cascade < CASCADES; ++cascade) {
        light = min(light, lit_shadow_maps_shadow_s(at + float3(0.0f, 0.0f, shadows_bias), cascade));
    }
    return light;
}

float4 fs(V v) : SV_Target0 {
    float3 at = float3(v.uv, 0.5f);
    float near = lit_shadow_maps_0_shadow_s(at);
    float chosen = lit_shadow_maps_shadow_s(at, frame.cascade);
    return albedo[NonUniformResourceIndex(min(v.material, 15u))].Sample(wrap_s, v.uv) * near * chosen
        * lit_everywhere(frame.bias, at);
}

RWTexture2D<float4> history[2] : register(u3, space0);

[numthreads(8, 8, 1)]
void swap(uint2 id : SV_DispatchThreadID) {
    uint which = (id.x ^ id.y) & 1u;
    uint width;
    uint height;
    history[NonUniformResourceIndex(which)].GetDimensions(width, height);
    uint2 size = uint2(width, height);
    if (all(id < size)) {
        history[NonUniformResourceIndex(1u - which)][id] = history[NonUniformResourceIndex(which)][id] * 0.5f;
    }
}
