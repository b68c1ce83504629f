//! case: rays without their header
void f(raytracing::instance_acceleration_structure s) { } //~ undeclared
//! case: a copy of a query
#include <metal_raytracing>
void f() {
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> q;
    raytracing::intersection_query<raytracing::triangle_data, raytracing::instancing> p = q; //~ deleted
}
//! case: a scene in device memory
#include <metal_raytracing>
kernel void k(device raytracing::instance_acceleration_structure* s [[buffer(0)]]) { } //~ buffer
