#include <metal_stdlib>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Particle {
    float3 position;
    float age;
    float3 velocity;
    uint kind;
    bool alive;
};

struct Settings {
    packed_float3 gravity;
    float step;
    float4 drag[2];
    uint count;
    uint paused;
};
static_assert(sizeof(Settings) == 64, "the size that the host knows");

struct Particle_storage {
    packed_float3 position;
    float age;
    packed_float3 velocity;
    uint kind;
    uint alive;
};
static_assert(sizeof(Particle_storage) == 36, "the size that the host knows");

constant uint Kind_Smoke = 1u;
constant float LIFETIME = 4.0f;

Particle moved(Particle particle, constant Settings& settings);
Particle load_Particle_storage(device Particle_storage& source);
void store_Particle_storage(device Particle_storage& target, Particle value);

/// Slows a particle down and lets it fall.
Particle moved(Particle particle, constant Settings& settings) {
    Particle next = particle;
    next.velocity = (next.velocity + float3(settings.gravity) * settings.step) * settings.drag[particle.kind].x;
    next.position += next.velocity * settings.step;
    next.age += settings.step;
    next.alive = next.age < LIFETIME;
    return next;
}

Particle load_Particle_storage(device Particle_storage& source) {
    Particle result;
    result.position = float3(source.position);
    result.age = source.age;
    result.velocity = float3(source.velocity);
    result.kind = source.kind;
    result.alive = source.alive != 0u;
    return result;
}

void store_Particle_storage(device Particle_storage& target, Particle value) {
    target.position = value.position;
    target.age = value.age;
    target.velocity = value.velocity;
    target.kind = value.kind;
    target.alive = uint(value.alive);
}

[[max_total_threads_per_threadgroup(64)]]
kernel void particles(
    constant Settings& settings [[buffer(0)]],
    device Particle_storage* items [[buffer(1)]],
    device atomic_uint* alive [[buffer(2)]],
    uint id [[thread_position_in_grid]]) {
    if (id >= settings.count || settings.paused != 0u) {
        return;
    }
    if (items[id].kind == Kind_Smoke) {
        items[id].velocity[1] = items[id].velocity[1] + 0.5f * settings.step;
    }
    Particle next = moved(load_Particle_storage(items[id]), settings);
    store_Particle_storage(items[id], next);
    if (next.alive) {
        atomic_fetch_add_explicit(&alive[next.kind], 1u, memory_order_relaxed);
    }
}
