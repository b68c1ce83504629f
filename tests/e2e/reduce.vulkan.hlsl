groupshared float partial[64];

[[vk::binding(0, 0)]] StructuredBuffer<float> source;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> sums;

precise float total(int count) {
    precise float sum = 0.0f;
    for (int i = 0; i < count; ++i) {
        sum += partial[min(uint(i), 63u)];
    }
    return sum;
}

[numthreads(64, 1, 1)]
void reduce(uint id : SV_DispatchThreadID, uint local : SV_GroupIndex, uint group : SV_GroupID) {
    partial[local] = source[id];
    GroupMemoryBarrierWithGroupSync();
    if (local == 0u) {
        sums[group] = total(64);
    }
}
