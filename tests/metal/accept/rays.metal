//! case: a query with a question
#include <metal_raytracing>
bool wanted(uint instance, uint primitive, float2 at) { return at.x > 0.25f && instance != primitive; }
float nearest(raytracing::instance_acceleration_structure scene, float3 from, float3 to) {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> query;
    raytracing::intersection_params parameters;
    parameters.assume_geometry_type(raytracing::geometry_type::triangle);
    query.reset(raytracing::ray(from, to, 0.0f, INFINITY), scene, 0xFFu, parameters);
    while (query.next()) {
        if (query.get_candidate_intersection_type() == raytracing::intersection_type::triangle
            && wanted(query.get_candidate_instance_id(), query.get_candidate_primitive_id(), query.get_candidate_triangle_barycentric_coord())) {
            query.commit_triangle_intersection();
        }
    }
    return query.get_committed_intersection_type() == raytracing::intersection_type::none ? -1.0f : query.get_committed_distance();
}
kernel void k(raytracing::instance_acceleration_structure scene [[buffer(0)]], device float* out [[buffer(1)]], uint id [[thread_position_in_grid]]) {
    out[id] = nearest(scene, float3(0.0f), float3(0.0f, 0.0f, 1.0f));
}
