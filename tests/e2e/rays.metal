#include <metal_stdlib>
#include <metal_raytracing>

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

using namespace metal;

struct Varying {
    float4 position [[position]];
    float2 uv [[user(loc0)]];
};

/// What a ray has met.
struct RtTraceHit {
    bool hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};

/// What a ray has met.
struct RtTraceHit_storage {
    uint hit;
    float distance;
    uint instance_id;
    uint primitive_id;
    float2 barycentric;
};
static_assert(sizeof(RtTraceHit_storage) == 24, "the size that the host knows");

float lit(raytracing::instance_acceleration_structure scene, float3 p);
float lit__scene_none(float3 p);
float rt_visibility(raytracing::instance_acceleration_structure scene, float3 origin, float3 direction, float t_min,
    float t_max, uint mask);
float rt_occluder_distance(raytracing::instance_acceleration_structure scene, float3 origin, float3 direction,
    float t_min, float t_max, uint mask);
RtTraceHit rt_trace(raytracing::instance_acceleration_structure scene, float3 origin, float3 direction, float t_min,
    float t_max, uint mask);
void store_RtTraceHit_storage(device RtTraceHit_storage& target, RtTraceHit value);

float lit(raytracing::instance_acceleration_structure scene, float3 p) {
    return rt_visibility(scene, p, float3(0.0f, 0.0f, 1.0f), 0.0f, 10.0f, 255u);
}

float lit__scene_none(float3 p) {
    return 0.5f;
}

float rt_visibility(
    raytracing::instance_acceleration_structure scene,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        ray_parameters.accept_any_intersection(true);
        ray_parameters.force_opacity(raytracing::forced_opacity::opaque);
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
    }
    return query.get_committed_intersection_type() != raytracing::intersection_type::none ? 0.0f : 1.0f;
}

float rt_occluder_distance(
    raytracing::instance_acceleration_structure scene,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        ray_parameters.accept_any_intersection(true);
        ray_parameters.force_opacity(raytracing::forced_opacity::opaque);
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
    }
    float _distance = -1.0f;
    if (query.get_committed_intersection_type() != raytracing::intersection_type::none) {
        _distance = query.get_committed_distance();
    }
    return _distance;
}

RtTraceHit rt_trace(
    raytracing::instance_acceleration_structure scene,
    float3 origin,
    float3 direction,
    float t_min,
    float t_max,
    uint mask) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    {
        raytracing::intersection_params ray_parameters;
        ray_parameters.force_opacity(raytracing::forced_opacity::opaque);
        query.reset(raytracing::ray(origin, direction, t_min, t_max), scene, mask, ray_parameters);
    }
    while (query.next()) {
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

void store_RtTraceHit_storage(device RtTraceHit_storage& target, RtTraceHit value) {
    target.hit = uint(value.hit);
    target.distance = value.distance;
    target.instance_id = value.instance_id;
    target.primitive_id = value.primitive_id;
    target.barycentric = value.barycentric;
}

vertex Varying vs(uint id [[vertex_id]], raytracing::instance_acceleration_structure scene [[buffer(1)]]) {
    float t = rt_occluder_distance(scene, float3(0.0f), float3(1.0f, 0.0f, 0.0f), 0.0f, 10.0f, 1u);
    Varying result;
    result.position = float4(float(id), t, 0.0f, 1.0f);
    result.uv = float2(t);
    return result;
}

fragment float4 fs(Varying inn [[stage_in]], raytracing::instance_acceleration_structure world [[buffer(0)]]) {
    RtTraceHit hit = rt_trace(world, float3(inn.uv, 0.0f), float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u);
    return float4(hit.distance, hit.barycentric, 0.0f);
}

[[max_total_threads_per_threadgroup(8)]]
kernel void cs(
    uint3 id [[thread_position_in_grid]],
    raytracing::instance_acceleration_structure scene [[buffer(2)]],
    device float* values [[buffer(3)]],
    device RtTraceHit_storage* hits [[buffer(4)]],
    raytracing::instance_acceleration_structure world [[buffer(0)]]) {
    float3 p = float3(float(id.x), 0.0f, 0.0f);
    RtTraceHit hit = rt_trace(scene, p, float3(0.0f, 0.0f, 1.0f), 0.0f, 100.0f, 255u);
    store_RtTraceHit_storage(hits[id.x], hit);
    float sum = 0.0f;
    for (uint i = 0u; i < 3u; ++i) {
        if (hit.hit && hit.instance_id == i) {
            sum += lit(scene, p + hit.distance * float3(0.0f, 0.0f, 1.0f));
        }
    }
    values[id.x] = sum + lit(world, p) + lit__scene_none(p);
}
