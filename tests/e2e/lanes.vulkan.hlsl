static const uint BINS = 16u;

groupshared uint bins[16];

[[vk::binding(0, 0)]] StructuredBuffer<int> values;
[[vk::binding(1, 0)]] RWStructuredBuffer<uint> counters;
[[vk::binding(2, 0)]] RWStructuredBuffer<uint> list;

int remainder(int dividend, int divisor) {
    return dividend - dividend / divisor * divisor;
}

int divide(int dividend, int divisor) {
    int safe = divisor == 0 ? 1 : divisor;
    return dividend / (dividend == -2147483647 - 1 ? (divisor == -1 ? 1 : safe) : safe);
}

[numthreads(64, 1, 1)]
void lanes(uint index : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    if (lane < BINS) {
        bins[lane] = 0u;
    }
    GroupMemoryBarrierWithGroupSync();
    int value = values[index];
    bool kept = remainder(value, 3) != 0;
    InterlockedAdd(bins[uint(value) % BINS], 1u);
    GroupMemoryBarrierWithGroupSync();
    uint offset = WavePrefixCountBits(kept);
    uint total = WaveActiveCountBits(kept);
    uint base = 0u;
    if (WaveIsFirstLane() && total > 0u) {
        uint previous;
        InterlockedAdd(counters[0], total, previous);
        base = previous;
    }
    base = WaveReadLaneFirst(base);
    if (kept) {
        list[base + offset] = bins[lane % BINS] + uint(divide(value, value - 1));
    }
    uint previous;
    InterlockedCompareExchange(counters[1], base, total, previous);
    InterlockedAdd(counters[2], -previous);
}
