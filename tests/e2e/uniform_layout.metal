#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Light {
    float3 direction;
    float intensity;
};

struct Pair {
    float a;
    float b;
};

struct Light_uniform {
    packed_float3 direction;
    float intensity;
};
static_assert(sizeof(Light_uniform) == 16, "the size that the host knows");

struct Frame {
    float time;
    float2 size;
    float4x4 view;
    float3x3 turn;
    float exposure;
    char padding[12];
    Light_uniform sun;
    Light_uniform lights[2];
    float4 weights[3];
    uint enabled;
    float2x3 lut;
};
static_assert(sizeof(Frame) == 288, "the size that the host knows");

struct padded_element {
    Pair value;
    char padding[8];
};
static_assert(sizeof(padded_element) == 16, "the size that the host knows");

struct Odd {
    float first;
    Pair pair;
    char padding[4];
    padded_element pairs[2];
};
static_assert(sizeof(Odd) == 48, "the size that the host knows");

Light load_Light_uniform(constant Light_uniform& source);

Light load_Light_uniform(constant Light_uniform& source) {
    Light result;
    result.direction = float3(source.direction);
    result.intensity = source.intensity;
    return result;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void uniform_layout(
    constant Frame& frame [[buffer(0)]],
    constant Odd& odd [[buffer(1)]],
    device const array<packed_float3, 4>* transforms [[buffer(2)]],
    device packed_float3* result [[buffer(3)]],
    uint2 id [[thread_position_in_grid]]) {
    Light light = load_Light_uniform(frame.lights[id.x]);
    float3 position = (frame.view * float4(float2(id) / frame.size, frame.time, 1.0f)).xyz;
    position = frame.turn * position + float3(frame.sun.direction) * frame.sun.intensity;
    if (frame.enabled != 0u) {
        position += light.direction * frame.weights[id.y].x * frame.exposure;
    }
    Pair pair = odd.pairs[id.y].value;
    position *= odd.first + odd.pair.b + pair.a;
    position += float4x3(float3(transforms[id.x][0]), float3(transforms[id.x][1]), float3(transforms[id.x][2]),
        float3(transforms[id.x][3])) * float4(frame.lut[1], 1.0f) * frame.turn;
    result[id.x] = position;
}
