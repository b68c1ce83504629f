#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

float total(threadgroup const float (&values)[64], int count);

float total(threadgroup const float (&values)[64], int count) {
    float sum = 0.0f;
    [[unroll]]
    for (int i = 0; i < count; ++i) {
        sum += values[min(uint(i), 63u)];
    }
    return sum;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void reduce(
    device const float* source [[buffer(0)]],
    device float* sums [[buffer(1)]],
    uint id [[thread_position_in_grid]],
    uint local [[thread_index_in_threadgroup]],
    uint group [[threadgroup_position_in_grid]]) {
    threadgroup float partial[64];
    partial[local] = source[id];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (local == 0u) {
        sums[group] = total(partial, 64);
    }
}
