#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

bool take(thread uint& quota);
uint first_large(device const float* values, uint count);

/// Takes one from the quota, if there is one.
bool take(thread uint& quota) {
    if (quota == 0u) {
        return false;
    }
    --quota;
    return true;
}

uint first_large(device const float* values, uint count) {
    for (uint i = 0u; i < count; ++i) {
        if (values[i] > 10.0f) {
            return i;
        }
    }
    return count;
}

[[max_total_threads_per_threadgroup(64)]]
kernel void control_flow(
    device const float* values [[buffer(0)]],
    device float* result [[buffer(1)]],
    uint index [[thread_position_in_grid]]) {
    uint quota = 3u;
    float total = 0.0f;
    if ((index > 4u && take(quota)) || take(quota)) {
        total += 1.0f;
    } else if (index == 2u) {
        total += 2.0f;
    } else {
        total += 3.0f;
    }
    float old = total;
    total = values[index] > 0.0f ? total * 2.0f : total - values[index + 1u];
    [[unroll]]
    for (uint i = 0u; i < 4u; ++i) {
        total += values[i] * float(i);
    }
    [[dont_unroll]]
    while (total > 100.0f) {
        total *= 0.5f;
        if (total < 0.0f) {
            continue;
        }
        total -= 1.0f;
    }
    switch (index & 3u) {
        case 0u:
        case 1u: {
            total += old;
            break;
        }
        case 2u: {
            total -= old;
            break;
        }
        default: {
            break;
        }
    }
    do {
        total += float(quota);
    } while (take(quota));
    result[index] = total;
    result[first_large(values, index)] += old;
    uint next = index;
    uint previous_next = next;
    next = previous_next + 1u;
    uint previous_next_1 = next;
    uint previous_next_2 = next;
    next = previous_next_2 + 1u;
    result[previous_next] = result[previous_next_1] + float(previous_next_2);
}
