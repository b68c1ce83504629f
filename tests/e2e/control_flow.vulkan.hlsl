[[vk::binding(0, 0)]] StructuredBuffer<float> values;
[[vk::binding(1, 0)]] precise RWStructuredBuffer<float> result;

/// Takes one from the quota, if there is one.
bool take(inout uint quota) {
    if (quota == 0u) {
        return false;
    }
    --quota;
    return true;
}

uint first_large(uint count) {
    for (uint i = 0u; i < count; ++i) {
        if (values[i] > 10.0f) {
            return i;
        }
    }
    return count;
}

[numthreads(64, 1, 1)]
void control_flow(uint index : SV_DispatchThreadID) {
    uint quota = 3u;
    precise float total = 0.0f;
    if ((index > 4u && take(quota)) || take(quota)) {
        total += 1.0f;
    } else if (index == 2u) {
        total += 2.0f;
    } else {
        total += 3.0f;
    }
    float old = total;
    total = values[index] > 0.0f ? total * 2.0f : total - values[index + 1u];
    for (uint i = 0u; i < 4u; ++i) {
        total += values[i] * float(i);
    }
    [loop]
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
    result[first_large(index)] += old;
    uint next = index;
    uint previous_next = next;
    next = previous_next + 1u;
    uint previous_next_1 = next;
    uint previous_next_2 = next;
    next = previous_next_2 + 1u;
    result[previous_next] = result[previous_next_1] + float(previous_next_2);
}
