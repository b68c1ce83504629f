groupshared float partial[64];

StructuredBuffer<float> source : register(t0, space0);
RWStructuredBuffer<float> sums : register(u0, space0);

float total(int count) {
    float sum = 0.0f;
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
