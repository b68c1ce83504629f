struct Frame {
    float scale;
};

struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

ConstantBuffer<Frame> frame : register(b0, space0);

V full_screen(uint id : SV_VertexID) {
    float2 corner = float2(float(id >> 1u), float(id & 1u)) * 2.0f;
    V result;
    result.position = float4(corner * 2.0f - 1.0f, 0.0f, frame.scale);
    result.uv = corner;
    return result;
}

struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

struct GBuffer {
    uint material : SV_Target3;
    float4 albedo : SV_Target0;
    half2 raw : SV_Target1;
};

Texture2D<float4> hdr : register(t0, space1);
Texture2D<float> atlas : register(t3, space0);
SamplerState clamped : register(s3, space0);
SamplerState repeated : register(s1, space1);
SamplerComparisonState compared : register(s4, space0);
StructuredBuffer<float> raw : register(t6, space0);
StructuredBuffer<uint> materials : register(t2, space1);

float4 blurred(float2 uv) {
    return hdr.Sample(clamped, uv) + hdr.Sample(clamped, uv);
}

GBuffer shade(V v) {
    float _lit = atlas.SampleCmp(compared, v.uv, 0.5f);
    GBuffer result;
    result.material = materials[0];
    result.albedo = blurred(v.uv) + blurred(v.uv) + hdr.Sample(repeated, v.uv) * _lit;
    result.raw = (half2)half(raw[0]);
    return result;
}

struct Frame {
    float scale;
};

RWStructuredBuffer<uint> counters : register(u0, space2);
RWTexture2D<float4> image : register(u1, space0);
ConstantBuffer<Frame> frame : register(b0, space0);

[numthreads(64, 1, 1)]
void count(uint id : SV_DispatchThreadID) {
    uint place;
    InterlockedAdd(counters[0], 1u, place);
    image[uint2(id, place)] = (float4)frame.scale;
}
