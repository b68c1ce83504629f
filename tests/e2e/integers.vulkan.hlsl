[[vk::binding(0, 0)]] StructuredBuffer<int> a;
[[vk::binding(1, 0)]] StructuredBuffer<uint> n;
[[vk::binding(2, 0)]] StructuredBuffer<float> x;
[[vk::binding(3, 0)]] precise RWStructuredBuffer<int> r;

int divide(int dividend, int divisor) {
    int safe = divisor == 0 ? 1 : divisor;
    return dividend / (dividend == -2147483647 - 1 ? (divisor == -1 ? 1 : safe) : safe);
}

int remainder(int dividend, int divisor) {
    int safe = divisor == 0 ? 1 : divisor;
    int chosen = dividend == -2147483647 - 1 ? (divisor == -1 ? 1 : safe) : safe;
    return dividend - dividend / chosen * chosen;
}

/// Every operation here has a value for all operands.
[numthreads(1, 1, 1)]
void integers() {
    int p = a[0];
    int q = a[1];
    r[0] = p + q * 3 - 1;
    r[1] = divide(p, q) + remainder(p, q) + p / 7;
    r[2] = (p << n[0]) | (p >> 3);
    r[3] = int(clamp(x[0], -2147483648.0f, 2147483520.0f)) + int(min(max(x[1], 0.0f), 1.0f) * 255.0f);
    r[4] = abs(p) - -q;
    switch (p) {
        case 0:
        case 1: {
            r[5] = 1;
            break;
        }
        default: {
            r[5] = firstbithigh(n[1]) == 31u ? q : p;
            break;
        }
    }
}
