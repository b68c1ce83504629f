#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Frame {
    float scale;
};

float helper(device const float* list, device const uint* skipped);

float helper(device const float* list, device const uint* skipped) {
    return list[0];
}

[[max_total_threads_per_threadgroup(1)]]
kernel void main_(
    device float* result [[buffer(1)]],
    device const uint* skipped [[buffer(2)]],
    constant Frame& frame [[buffer(3)]],
    constant packed_float3& vector [[buffer(4)]],
    texture2d_array<float> texture [[texture(0)]],
    texture2d<float, access::read> image [[texture(1)]],
    array<texturecube<float>, 3> maps [[texture(2)]],
    device const float* reached [[buffer(0)]]) {
    result[0] = helper(reached, skipped);
}
