#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

int akari_div(int a, int b);
int akari_rem(int a, int b);
int akari_to_int(float x);
int akari_abs(int x);

int akari_div(int a, int b) {
    return b == -1 ? int(-uint(a)) : a / (uint(b) + 1u < 2u ? 1 : b);
}

int akari_rem(int a, int b) {
    return a % (uint(b) + 1u < 2u ? 1 : b);
}

int akari_to_int(float x) {
    return int(precise::clamp(x, -2147483648.0f, 2147483520.0f));
}

int akari_abs(int x) {
    return max(x, int(-uint(x)));
}

/// Every operation here has a value for all operands.
[[max_total_threads_per_threadgroup(1)]]
kernel void integers(
    device const int* a [[buffer(0)]],
    device const uint* n [[buffer(1)]],
    device const float* x [[buffer(2)]],
    device int* r [[buffer(3)]]) {
    int p = a[0];
    int q = a[1];
    r[0] = int(uint(p) + uint(q) * 3u - 1u);
    r[1] = int(uint(akari_div(p, q)) + uint(akari_rem(p, q)) + uint(p / 7));
    r[2] = int(uint(p) << (n[0] & 31u)) | (p >> 3);
    r[3] = int(uint(akari_to_int(x[0])) + uint(int(precise::saturate(x[1]) * 255.0f)));
    r[4] = int(uint(akari_abs(p)) - -uint(q));
    switch (p) {
        case 0:
        case 1: {
            r[5] = 1;
            break;
        }
        default: {
            r[5] = 31u - clz(n[1]) == 31u ? q : p;
            break;
        }
    }
}
