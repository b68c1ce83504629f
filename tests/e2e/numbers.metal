#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

uint pack_unorm4x8(float4 value);
float akari_fmod(float x, float y);
uint akari_to_uint(float x);

uint pack_unorm4x8(float4 value) {
    uint4 parts = uint4(precise::clamp(value, float4(0.0f), float4(1.0f)) * 255.0f + 0.5f);
    return parts.x | (parts.y << 8u) | (parts.z << 16u) | (parts.w << 24u);
}

float akari_fmod(float x, float y) {
    return x - y * trunc(x / y);
}

uint akari_to_uint(float x) {
    return uint(precise::clamp(x, 0.0f, 4294967040.0f));
}

[[max_total_threads_per_threadgroup(32)]]
kernel void numbers(
    device const float* f [[buffer(0)]],
    device const half* h [[buffer(1)]],
    device const ulong* w [[buffer(2)]],
    device float* result [[buffer(3)]],
    device uint* bits [[buffer(4)]],
    uint i [[thread_position_in_grid]]) {
    float x = f[i];
    result[0] = x + (f[1] - x) * 0.25f + (x - floor(x)) + (sign(x) + 0.0f) + step(0.5f, x);
    result[1] = (as_type<uint>(x) & 0x7FFFFFFFu) > 0x7F800000u || (as_type<uint>(x) & 0x7FFFFFFFu) == 0x7F800000u
        ? 0.0f : akari_fmod(rint(x), 3.0f);
    result[2] = float(h[i] * 2.0h + half(x)) + float(w[i] >> 40u);
    result[3] = x + f[2] - x;
    result[4] = precise::max(precise::min(x, f[3]), precise::min(precise::max(x, f[3]), 1e-10f)) * 16777216.0f
        - 3.4028235e38f;
    bits[0] = as_type<uint>(half2(float2(x, f[4]))) ^ pack_unorm4x8(float4(x));
    bits[1] = extract_bits(bits[1], 4u, 8u) + (31u - clz(bits[2])) + popcount(bits[3] << (i & 31u));
    bits[2] = akari_to_uint(x) + uint(w[i] / max(w[0], 1ul)) + as_type<uint>(x != f[5] ? 1.0f : 2.0f);
    bits[3] = uint(int(0x80000000u + i)) & 0xFFFF0000u;
}
