StructuredBuffer<float> f : register(t0, space0);
StructuredBuffer<half> h : register(t1, space0);
StructuredBuffer<uint64_t> w : register(t2, space0);
RWStructuredBuffer<float> result : register(u0, space0);
RWStructuredBuffer<uint> bits : register(u1, space0);

float remainder(float x, float y) {
    return x - y * trunc(x / y);
}

uint pack_half2x16(float2 value) {
    uint2 bits = asuint(value);
    uint2 magnitude = bits & 0x7FFFFFFFu;
    uint2 normal = min((magnitude - 939520001u + ((magnitude >> 13u) & 1u)) >> 13u, 31744u);
    uint2 subnormal = uint2(round(min(asfloat(magnitude) * 16777216.0f, 1024.0f)));
    uint2 halves = select(magnitude > 0x7F800000u, uint2(32256u, 32256u),
        select(magnitude < 0x38800000u, subnormal, normal)) | ((bits >> 16u) & 0x8000u);
    return halves.x | (halves.y << 16u);
}

uint pack_unorm4x8(float4 value) {
    uint4 parts = uint4(clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
    return parts.x | (parts.y << 8u) | (parts.z << 16u) | (parts.w << 24u);
}

uint extract_bits(uint value, uint offset, uint count) {
    uint start = min(offset, 32u);
    uint bits = min(count, 32u - start);
    uint half_of_bits = bits >> 1u;
    return (value >> (start & 31u)) & ((1u << half_of_bits << (bits - half_of_bits)) - 1u);
}

uint64_t divide(uint64_t dividend, uint64_t divisor) {
    return dividend / (divisor == 0ull ? 1ull : divisor);
}

[numthreads(32, 1, 1)]
void numbers(uint i : SV_DispatchThreadID) {
    float x = f[i];
    result[0] = x + (f[1] - x) * 0.25f + (x - floor(x)) + float(sign(x)) + (x < 0.5f ? 0.0f : 1.0f);
    result[1] = (asuint(x) & 0x7FFFFFFFu) > 0x7F800000u || (asuint(x) & 0x7FFFFFFFu) == 0x7F800000u ? 0.0f
        : remainder(round(x), 3.0f);
    result[2] = float(h[i] * 2.0h + half(x)) + float(w[i] >> 40u);
    result[3] = x + f[2] - x;
    float value = f[3];
    result[4] = max(min(x, value), min(max(x, value), 1e-10f)) * 16777216.0f - 3.4028235e38f;
    bits[0] = pack_half2x16(float2(x, f[4])) ^ pack_unorm4x8((float4)x);
    bits[1] = extract_bits(bits[1], 4u, 8u) + firstbithigh(bits[2]) + countbits(bits[3] << i);
    bits[2] = uint(clamp(x, 0.0f, 4294967040.0f)) + uint(divide(w[i], w[0])) + asuint(x != f[5] ? 1.0f : 2.0f);
    bits[3] = uint(-2147483647 - 1 + int(i)) & 0xFFFF0000u;
}
