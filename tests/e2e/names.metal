#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct sample {
    float sample;
    float distance;
    float half_way;
};

constant float line = 2.0f;

float mul(float x);
float2 mul_float2(float2 x);
float saturate_all(sample texture, float lerp);

float mul(float x) {
    return x * line;
}

float2 mul_float2(float2 x) {
    return x * line;
}

float saturate_all(sample texture, float lerp) {
    float _step = texture.sample + texture.distance * lerp;
    float result = _step;
    float _step_1 = mul(_step);
    result += _step_1;
    float _step_2 = mul_float2(float2(_step)).x;
    result += _step_2;
    return result + texture.half_way;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void names(device const sample* _matrix [[buffer(0)]], device float* _register [[buffer(1)]]) {
    _register[0] = saturate_all(_matrix[0], 0.5f);
}
