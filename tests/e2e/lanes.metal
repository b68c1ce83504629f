#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

constant uint BINS = 16u;

uint akari_compare_exchange(device atomic_uint& target, uint expected, uint desired);
int akari_div(int a, int b);

uint akari_compare_exchange(device atomic_uint& target, uint expected, uint desired) {
    uint previous = expected;
    while (!atomic_compare_exchange_weak_explicit(&target, &previous, desired, memory_order_relaxed,
        memory_order_relaxed) && previous == expected) {
    }
    return previous;
}

int akari_div(int a, int b) {
    return b == -1 ? int(-uint(a)) : a / (uint(b) + 1u < 2u ? 1 : b);
}

[[max_total_threads_per_threadgroup(64)]]
kernel void lanes(
    device const int* values [[buffer(0)]],
    device atomic_uint* counters [[buffer(1)]],
    device uint* list [[buffer(2)]],
    uint index [[thread_position_in_grid]],
    uint lane [[thread_index_in_threadgroup]]) {
    threadgroup atomic_uint bins[16];
    if (lane < BINS) {
        atomic_store_explicit(&bins[lane], 0u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    int value = values[index];
    bool kept = value % 3 != 0;
    atomic_fetch_add_explicit(&bins[uint(value) % BINS], 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint offset = simd_prefix_exclusive_sum(kept ? 1u : 0u);
    uint total = simd_sum(kept ? 1u : 0u);
    uint base = 0u;
    if (simd_is_first() && total > 0u) {
        base = atomic_fetch_add_explicit(&counters[0], total, memory_order_relaxed);
    }
    base = simd_broadcast_first(base);
    if (kept) {
        list[base + offset] = atomic_load_explicit(&bins[lane % BINS], memory_order_relaxed)
            + uint(akari_div(value, int(uint(value) - 1u)));
    }
    uint previous = akari_compare_exchange(counters[1], base, total);
    atomic_fetch_sub_explicit(&counters[2], previous, memory_order_relaxed);
}
