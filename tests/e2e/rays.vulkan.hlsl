struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

[[vk::binding(1, 0)]] RaytracingAccelerationStructure scene;

float rt_occluder_distance(float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_FORCE_OPAQUE, mask,
            ray_description);
    }
    while (query.Proceed()) {
    }
    float _distance = -1.0f;
    if (query.CommittedStatus() != COMMITTED_NOTHING) {
        _distance = query.CommittedRayT();
    }
    return _distance;
}

Varying vs(uint id : SV_VertexID) {
    float t = rt_occluder_distance(float3(0.0f, 0.0f, 0.0f), float3(1.0f, 0.0f, 0.0f), 0.0f, 10.0f, 1u);
    Varying result;
    result.position = float4(float(id), t, 0.0f, 1.0f);
    result.uv = (float2)t;
    return result;
}

struct Varying {
    float4 position : SV_Position;
    [[vk::location(0)]] float2 uv : TEXCOORD0;
};

/// What a ray has met.
struct RtTraceHit {
    bool hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};

[[vk::binding(0, 0)]] RaytracingAccelerationStructure world;

RtTraceHit rt_trace(float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(world, RAY_FLAG_FORCE_OPAQUE, mask, ray_description);
    }
    while (query.Proceed()) {
    }
    RtTraceHit hit = (RtTraceHit)0;
    if (query.CommittedStatus() != COMMITTED_NOTHING) {
        RtTraceHit result;
        result.hit = true;
        result.distance = query.CommittedRayT();
        result.instance_id = query.CommittedInstanceIndex();
        result.primitive_id = query.CommittedPrimitiveIndex();
        result.barycentric = query.CommittedTriangleBarycentrics();
        hit = result;
    }
    return hit;
}

[[vk::location(0)]] float4 fs(Varying inn) : SV_Target0 {
    RtTraceHit hit = rt_trace(float3(inn.uv, 0.0f), float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u);
    return float4(hit.distance, hit.barycentric, 0.0f);
}

/// What a ray has met.
struct RtTraceHit {
    bool hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};

[[vk::binding(2, 0)]] RaytracingAccelerationStructure scene;
[[vk::binding(3, 0)]] precise RWStructuredBuffer<float> values;
[[vk::binding(4, 0)]] RWStructuredBuffer<RtTraceHit> hits;
[[vk::binding(0, 0)]] RaytracingAccelerationStructure world;

float rt_visibility_scene(float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_FORCE_OPAQUE, mask,
            ray_description);
    }
    while (query.Proceed()) {
    }
    return query.CommittedStatus() != COMMITTED_NOTHING ? 0.0f : 1.0f;
}

float lit_scene(precise float3 p) {
    return rt_visibility_scene(p, float3(0.0f, 0.0f, 1.0f), 0.0f, 10.0f, 255u);
}

float rt_visibility_world(float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(world, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_FORCE_OPAQUE, mask,
            ray_description);
    }
    while (query.Proceed()) {
    }
    return query.CommittedStatus() != COMMITTED_NOTHING ? 0.0f : 1.0f;
}

float lit_world(float3 p) {
    return rt_visibility_world(p, float3(0.0f, 0.0f, 1.0f), 0.0f, 10.0f, 255u);
}

float lit__scene_none(float3 p) {
    return 0.5f;
}

RtTraceHit rt_trace(float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_FORCE_OPAQUE, mask, ray_description);
    }
    while (query.Proceed()) {
    }
    RtTraceHit hit = (RtTraceHit)0;
    if (query.CommittedStatus() != COMMITTED_NOTHING) {
        RtTraceHit result;
        result.hit = true;
        result.distance = query.CommittedRayT();
        result.instance_id = query.CommittedInstanceIndex();
        result.primitive_id = query.CommittedPrimitiveIndex();
        result.barycentric = query.CommittedTriangleBarycentrics();
        hit = result;
    }
    return hit;
}

[numthreads(8, 1, 1)]
void cs(uint3 id : SV_DispatchThreadID) {
    float3 p = float3(float(id.x), 0.0f, 0.0f);
    RtTraceHit hit = rt_trace(p, float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u);
    hits[id.x] = hit;
    precise float sum = 0.0f;
    for (uint i = 0u; i < 3u; ++i) {
        if (hit.hit && hit.instance_id == i) {
            sum += lit_scene(p + hit.distance * float3(0.0f, 0.0f, 1.0f));
        }
    }
    values[id.x] = sum + lit_world(p) + lit__scene_none(p);
}
