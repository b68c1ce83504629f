struct Occluder {
    uint coordinates;
    uint _texture;
    float threshold;
};

struct Varying {
    float4 position : SV_Position;
    float depth : TEXCOORD0;
};

RaytracingAccelerationStructure scene : register(t0, space0);
StructuredBuffer<Occluder> occluders : register(t1, space0);
ByteAddressBuffer buffers[] : register(t0, space1);
Texture2D<float4> textures_2d[] : register(t0, space2);
SamplerState smooth : register(s0, space0);

/// Whether a leaf is there.
bool hikari_rt_candidate_accepts(uint count, uint instance, uint _triangle, float2 at) {
    if (instance >= count) {
        return true;
    }
    Occluder occluder = occluders[instance];
    uint first = 3u * _triangle;
    float2 uv = buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>(first * 8u) * (1.0f - at.x - at.y);
    for (uint i = 0u; i < 2u; ++i) {
        uv += buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>((first + i + 1u) * 8u) * at[i];
    }
    return textures_2d[NonUniformResourceIndex(occluder._texture)].SampleLevel(smooth, uv,
        0.0f).a >= occluder.threshold;
}

float rt_occluder_distance_masked(uint instance_count, float3 origin, float3 direction, float t_min, float t_max,
    uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH, mask, ray_description);
    }
    while (query.Proceed()) {
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE
            && hikari_rt_candidate_accepts(instance_count, query.CandidateInstanceIndex(),
            query.CandidatePrimitiveIndex(), query.CandidateTriangleBarycentrics())) {
            query.CommitNonOpaqueTriangleHit();
        }
    }
    float _distance = -1.0f;
    if (query.CommittedStatus() != COMMITTED_NOTHING) {
        _distance = query.CommittedRayT();
    }
    return _distance;
}

Varying vs(uint id : SV_VertexID) {
    float3 from = float3(float(id), 0.0f, 0.0f);
    float depth = rt_occluder_distance_masked(16u, from, float3(0.0f, 0.0f, 1.0f), 0.0f, 1.0f, 1u);
    Varying result;
    result.position = float4(from.xy, depth, 1.0f);
    result.depth = depth;
    return result;
}

struct Occluder {
    uint coordinates;
    uint _texture;
    float threshold;
};

struct Varying {
    float4 position : SV_Position;
    float depth : TEXCOORD0;
};

/// What a ray has met.
struct RtTraceHit {
    bool hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};

RaytracingAccelerationStructure scene : register(t0, space0);
StructuredBuffer<Occluder> occluders : register(t1, space0);
ByteAddressBuffer buffers[] : register(t0, space1);
Texture2D<float4> textures_2d[] : register(t0, space2);
SamplerState smooth : register(s0, space0);

/// Whether a leaf is there.
bool hikari_rt_candidate_accepts(uint count, uint instance, uint _triangle, float2 at) {
    if (instance >= count) {
        return true;
    }
    Occluder occluder = occluders[instance];
    uint first = 3u * _triangle;
    float2 uv = buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>(first * 8u) * (1.0f - at.x - at.y);
    for (uint i = 0u; i < 2u; ++i) {
        uv += buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>((first + i + 1u) * 8u) * at[i];
    }
    return textures_2d[NonUniformResourceIndex(occluder._texture)].SampleLevel(smooth, uv,
        0.0f).a >= occluder.threshold;
}

RtTraceHit rt_trace_masked(uint instance_count, float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_NONE, mask, ray_description);
    }
    while (query.Proceed()) {
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE
            && hikari_rt_candidate_accepts(instance_count, query.CandidateInstanceIndex(),
            query.CandidatePrimitiveIndex(), query.CandidateTriangleBarycentrics())) {
            query.CommitNonOpaqueTriangleHit();
        }
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

RtTraceHit trace(float3 from, float3 to) {
    return rt_trace_masked(16u, from, to - from, 0.0f, 1.0f, 255u);
}

float4 fs(Varying inn) : SV_Target0 {
    RtTraceHit hit = trace(inn.position.xyz, float3(0.0f, 0.0f, 0.0f));
    return float4(hit.barycentric, hit.distance, inn.depth);
}

struct Occluder {
    uint coordinates;
    uint _texture;
    float threshold;
};

RWStructuredBuffer<float> values : register(u0, space0);
RaytracingAccelerationStructure scene : register(t0, space0);
StructuredBuffer<Occluder> occluders : register(t1, space0);
ByteAddressBuffer buffers[] : register(t0, space1);
Texture2D<float4> textures_2d[] : register(t0, space2);
SamplerState smooth : register(s0, space0);

/// Whether a leaf is there.
bool hikari_rt_candidate_accepts(uint count, uint instance, uint _triangle, float2 at) {
    if (instance >= count) {
        return true;
    }
    Occluder occluder = occluders[instance];
    uint first = 3u * _triangle;
    float2 uv = buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>(first * 8u) * (1.0f - at.x - at.y);
    for (uint i = 0u; i < 2u; ++i) {
        uv += buffers[NonUniformResourceIndex(occluder.coordinates)].Load<float2>((first + i + 1u) * 8u) * at[i];
    }
    return textures_2d[NonUniformResourceIndex(occluder._texture)].SampleLevel(smooth, uv,
        0.0f).a >= occluder.threshold;
}

float rt_visibility_masked(uint instance_count, float3 origin, float3 direction, float t_min, float t_max, uint mask) {
    RayQuery<RAY_FLAG_NONE> query;
    {
        RayDesc ray_description;
        ray_description.Origin = origin;
        ray_description.TMin = t_min;
        ray_description.Direction = direction;
        ray_description.TMax = t_max;
        query.TraceRayInline(scene, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH, mask, ray_description);
    }
    while (query.Proceed()) {
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE
            && hikari_rt_candidate_accepts(instance_count, query.CandidateInstanceIndex(),
            query.CandidatePrimitiveIndex(), query.CandidateTriangleBarycentrics())) {
            query.CommitNonOpaqueTriangleHit();
        }
    }
    return query.CommittedStatus() != COMMITTED_NOTHING ? 0.0f : 1.0f;
}

[numthreads(8, 1, 1)]
void cs(uint3 id : SV_DispatchThreadID) {
    float3 from = float3(id);
    values[id.x] = rt_visibility_masked(16u, from, float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u);
}
