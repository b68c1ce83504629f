#pragma pack_matrix(row_major)

struct Light {
    float3 direction;
    float intensity;
};

struct Frame {
    float time;
    uint padding_0;
    float2 size;
    float4x4 view;
    float3x4 turn;
    float exposure;
    Light sun;
    Light lights[2];
    float weights[3];
    uint3 padding_1;
    bool enabled;
    float2x3 lut;
};

struct Pair {
    float a;
    float b;
};

struct Matrix {
    float4x3 columns;
};

[[vk::binding(0, 0)]] ConstantBuffer<Frame> frame;
[[vk::binding(1, 0)]] cbuffer odd_buffer {
    uint4 odd[3];
}
[[vk::binding(2, 0)]] StructuredBuffer<Matrix> transforms;
[[vk::binding(3, 0)]] precise RWStructuredBuffer<float3> result;

Pair load_Pair_from_odd(uint offset) {
    uint byte = offset + 4u;
    Pair result;
    result.a = asfloat(odd[offset >> 4u][(offset >> 2u) & 3u]);
    result.b = asfloat(odd[byte >> 4u][(byte >> 2u) & 3u]);
    return result;
}

[numthreads(8, 8, 1)]
void uniform_layout(uint2 id : SV_DispatchThreadID) {
    Light light = frame.lights[id.x];
    float3 position = mul(float4(float2(id) / frame.size, frame.time, 1.0f), frame.view).xyz;
    position = mul(position, (float3x3)frame.turn) + frame.sun.direction * frame.sun.intensity;
    if (frame.enabled) {
        position += light.direction * frame.weights[id.y] * frame.exposure;
    }
    Pair pair = load_Pair_from_odd(id.y * 16u + 16u);
    position *= asfloat(odd[0].x) + asfloat(odd[0].z) + pair.a;
    position += mul((float3x3)frame.turn, mul(float4(frame.lut[1], 1.0f), transforms[id.x].columns));
    result[id.x] = position;
}
