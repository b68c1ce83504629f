struct Particle {
    float3 position;
    float age;
    float3 velocity;
    uint kind;
    bool alive;
};

struct Settings {
    float3 gravity;
    float step;
    float drag[2];
    uint3 padding_0;
    uint count;
    bool paused;
};

static const uint Kind_Smoke = 1u;
static const float LIFETIME = 4.0f;

[[vk::binding(0, 0)]] ConstantBuffer<Settings> settings;
[[vk::binding(1, 0)]] precise RWStructuredBuffer<Particle> items;
[[vk::binding(2, 0)]] RWStructuredBuffer<uint> alive;

/// Slows a particle down and lets it fall.
precise Particle moved(Particle particle) {
    precise Particle next = particle;
    next.velocity = (next.velocity + settings.gravity * settings.step) * settings.drag[particle.kind];
    next.position += next.velocity * settings.step;
    next.age += settings.step;
    next.alive = next.age < LIFETIME;
    return next;
}

[numthreads(64, 1, 1)]
void particles(uint id : SV_DispatchThreadID) {
    if (id >= settings.count || settings.paused) {
        return;
    }
    if (items[id].kind == Kind_Smoke) {
        items[id].velocity.y += 0.5f * settings.step;
    }
    Particle next = moved(items[id]);
    items[id] = next;
    if (next.alive) {
        InterlockedAdd(alive[next.kind], 1u);
    }
}
