#include <metal_stdlib>
#include <metal_raytracing>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

/// A buffer of a table: its address.
struct BindlessBuffer {
    device const uint* words;
};

/// The textures of a table at one index, one of each kind.
struct BindlessTexture {
    texture2d<float> tex2d;
    texturecube<float> texcube;
    texture3d<float> tex3d;
    depth2d<float> texdepth;
};

struct Occluder {
    uint coordinates;
    uint texture;
    float threshold;
};

struct Varying {
    float4 position [[position]];
    float depth [[user(loc0)]];
};

/// What a ray has met.
struct RtTraceHit {
    bool hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};

bool hikari_rt_candidate_accepts(device const Occluder* occluders, device const Occluder* same,
    device const BindlessBuffer* buffers, device const BindlessTexture* textures, uint count, uint instance,
    uint triangle, float2 at, sampler smooth);
RtTraceHit trace(raytracing::instance_acceleration_structure world_scene, device const Occluder* world_occluders,
    device const BindlessBuffer* world_buffers, device const BindlessTexture* world_textures, float3 from, float3 to,
    sampler smooth);
RtTraceHit rt_trace_masked(raytracing::instance_acceleration_structure scene, device const Occluder* instances,
    device const Occluder* materials, device const BindlessBuffer* buffers, device const BindlessTexture* textures,
    uint instance_count, float3 origin, float3 direction, float t_min, float t_max, uint mask, sampler smooth);
float rt_occluder_distance_masked(raytracing::instance_acceleration_structure scene, device const Occluder* instances,
    device const Occluder* materials, device const BindlessBuffer* buffers, device const BindlessTexture* textures,
    uint instance_count, float3 origin, float3 direction, float t_min, float t_max, uint mask, sampler smooth);
float rt_visibility_masked(raytracing::instance_acceleration_structure scene, device const Occluder* instances,
    device const Occluder* materials, device const BindlessBuffer* buffers, device const BindlessTexture* textures,
    uint instance_count, float3 origin, float3 direction, float t_min, float t_max, uint mask, sampler smooth);

/// Whether a leaf is there.
bool hikari_rt_candidate_accepts(
    device const Occluder* occluders,
    device const Occluder* same,
    device const BindlessBuffer* buffers,
    device const BindlessTexture* textures,
    uint count,
    uint instance,
    uint triangle,
    float2 at,
    sampler smooth) {
    if (instance >= count) {
        return true;
    }
    Occluder occluder = occluders[instance];
    uint first = 3u * triangle;
    float2 uv = float2(((device const packed_float2*)buffers[occluder.coordinates].words)[first])
        * (1.0f - at.x - at.y);
    for (uint i = 0u; i < 2u; ++i) {
        uv += float2(((device const packed_float2*)buffers[occluder.coordinates].words)[first + i + 1u]) * at[i];
    }
    return textures[occluder.texture].tex2d.sample(smooth, uv, level(0.0f)).a >= occluder.threshold;
}

RtTraceHit trace(
    raytracing::instance_acceleration_structure world_scene,
    device const Occluder* world_occluders,
    device const BindlessBuffer* world_buffers,
    device const BindlessTexture* world_textures,
    float3 from,
    float3 to,
    sampler smooth) {
    return rt_trace_masked(world_scene, world_occluders, world_occluders, world_buffers, world_textures, 16u, from,
        to - from, 0.0f, 1.0f, 255u, smooth);
}

RtTraceHit rt_trace_masked(
    raytracing::instance_acceleration_structure scene,
    device const Occluder* instances,
    device const Occluder* materials,
    device const BindlessBuffer* buffers,
    device const BindlessTexture* textures,
    uint instance_count,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask,
    sampler smooth) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
        if (query.get_candidate_intersection_type() == raytracing::intersection_type::triangle
            && hikari_rt_candidate_accepts(instances, materials, buffers, textures, instance_count,
            query.get_candidate_instance_id(), query.get_candidate_primitive_id(),
            query.get_candidate_triangle_barycentric_coord(), smooth)) {
            query.commit_triangle_intersection();
        }
    }
    RtTraceHit hit = {};
    if (query.get_committed_intersection_type() != raytracing::intersection_type::none) {
        RtTraceHit result;
        result.hit = true;
        result.distance = query.get_committed_distance();
        result.instance_id = query.get_committed_instance_id();
        result.primitive_id = query.get_committed_primitive_id();
        result.barycentric = query.get_committed_triangle_barycentric_coord();
        hit = result;
    }
    return hit;
}

float rt_occluder_distance_masked(
    raytracing::instance_acceleration_structure scene,
    device const Occluder* instances,
    device const Occluder* materials,
    device const BindlessBuffer* buffers,
    device const BindlessTexture* textures,
    uint instance_count,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask,
    sampler smooth) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        ray_parameters.accept_any_intersection(true);
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
        if (query.get_candidate_intersection_type() == raytracing::intersection_type::triangle
            && hikari_rt_candidate_accepts(instances, materials, buffers, textures, instance_count,
            query.get_candidate_instance_id(), query.get_candidate_primitive_id(),
            query.get_candidate_triangle_barycentric_coord(), smooth)) {
            query.commit_triangle_intersection();
        }
    }
    float _distance = -1.0f;
    if (query.get_committed_intersection_type() != raytracing::intersection_type::none) {
        _distance = query.get_committed_distance();
    }
    return _distance;
}

float rt_visibility_masked(
    raytracing::instance_acceleration_structure scene,
    device const Occluder* instances,
    device const Occluder* materials,
    device const BindlessBuffer* buffers,
    device const BindlessTexture* textures,
    uint instance_count,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask,
    sampler smooth) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        ray_parameters.accept_any_intersection(true);
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
        if (query.get_candidate_intersection_type() == raytracing::intersection_type::triangle
            && hikari_rt_candidate_accepts(instances, materials, buffers, textures, instance_count,
            query.get_candidate_instance_id(), query.get_candidate_primitive_id(),
            query.get_candidate_triangle_barycentric_coord(), smooth)) {
            query.commit_triangle_intersection();
        }
    }
    return query.get_committed_intersection_type() != raytracing::intersection_type::none ? 0.0f : 1.0f;
}

vertex Varying vs(
    uint id [[vertex_id]],
    raytracing::instance_acceleration_structure scene [[buffer(0)]],
    device const Occluder* occluders [[buffer(1)]],
    device const BindlessBuffer* buffers [[buffer(2)]],
    device const BindlessTexture* textures [[buffer(3)]]) {
    constexpr sampler smooth(filter::linear, mip_filter::linear, address::repeat);
    float3 from = float3(float(id), 0.0f, 0.0f);
    float depth = rt_occluder_distance_masked(scene, occluders, occluders, buffers, textures, 16u, from,
        float3(0.0f, 0.0f, 1.0f), 0.0f, 1.0f, 1u, smooth);
    Varying result;
    result.position = float4(from.xy, depth, 1.0f);
    result.depth = depth;
    return result;
}

fragment float4 fs(
    Varying inn [[stage_in]],
    raytracing::instance_acceleration_structure scene [[buffer(0)]],
    device const Occluder* occluders [[buffer(1)]],
    device const BindlessBuffer* buffers [[buffer(2)]],
    device const BindlessTexture* textures [[buffer(3)]]) {
    constexpr sampler smooth(filter::linear, mip_filter::linear, address::repeat);
    RtTraceHit hit = trace(scene, occluders, buffers, textures, inn.position.xyz, float3(0.0f), smooth);
    return float4(hit.barycentric, hit.distance, inn.depth);
}

[[max_total_threads_per_threadgroup(8)]]
kernel void cs(
    uint3 id [[thread_position_in_grid]],
    device float* values [[buffer(4)]],
    raytracing::instance_acceleration_structure scene [[buffer(0)]],
    device const Occluder* occluders [[buffer(1)]],
    device const BindlessBuffer* buffers [[buffer(2)]],
    device const BindlessTexture* textures [[buffer(3)]]) {
    constexpr sampler smooth(filter::linear, mip_filter::linear, address::repeat);
    float3 from = float3(id);
    values[id.x] = rt_visibility_masked(scene, occluders, occluders, buffers, textures, 16u, from,
        float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u, smooth);
}
