//! case: kernel that returns a value
kernel float k(device float* p [[buffer(0)]]) { return p[0]; } //~ returns something
//! case: parameter without attribute
kernel void k(device float* p) { p[0] = 1.0; } //~ has 0 attributes
//! case: parameter with two attributes
kernel void k(uint i [[thread_position_in_grid]] [[thread_index_in_threadgroup]], device uint* p [[buffer(0)]]) { p[0] = i; } //~ has 2 attributes
//! case: duplicate buffer index
kernel void k(device float* a [[buffer(0)]], //
              device float* b [[buffer(0)]]) { a[0] = b[0]; } //~ is given to `a` and to `b`
//! case: buffer index out of range
kernel void k(device float* a [[buffer(31)]]) { a[0] = 1.0; } //~ beyond the last
//! case: buffer by value
struct Frame { float t; };
kernel void k(Frame f [[buffer(0)]]) { } //~ has no type that [[buffer]] can have
//! case: buffer in the thread address space
kernel void k(thread float* a [[buffer(0)]]) { a[0] = 1.0; } //~ has no type that [[buffer]] can have
//! case: unknown builtin
kernel void k(uint i [[dispatch_id]]) { } //~ [[dispatch_id]] on parameter
//! case: fragment builtin in a kernel
kernel void k(bool f [[front_facing]]) { } //~ [[front_facing]] on parameter
//! case: builtin of the wrong type
kernel void k(float i [[thread_position_in_grid]]) { } //~ has no type that
//! case: signed vertex id
vertex float4 v(int i [[vertex_id]]) [[position]] { return float4(0.0); } //~ has no type that
//! case: builtin twice
kernel void k(uint a [[thread_index_in_threadgroup]], //
              uint b [[thread_index_in_threadgroup]]) { } //~ given twice
//! case: positions of two widths
kernel void k(uint3 a [[thread_position_in_grid]], //
              uint2 b [[thread_position_in_threadgroup]]) { } //~ different widths
//! case: entry named main
kernel void main() { } //~ cannot be named `main`
//! case: calling an entry
kernel void k() { }
kernel void l() { k(); } //~ is called
//! case: recursion
uint f(uint n) { return n == 0u ? 0u : f(n - 1u); } //~ calls itself
//! case: mutual recursion
uint g(uint n);
uint f(uint n) { return g(n); } //~ calls itself
uint g(uint n) { return f(n); }
//! case: vertex without position
struct V { float4 p; };
vertex V v(uint i [[vertex_id]]) { V o; o.p = float4(0.0); return o; } //~ has 0 [[position]]
//! case: position that is no float4
struct V { float3 p [[position]]; }; //~ no float4
vertex V v(uint i [[vertex_id]]) { V o; o.p = float3(0.0); return o; }
//! case: integer varying without flat
struct V { float4 p [[position]]; uint id [[user(locn0)]]; }; //~ is not [[flat]]
fragment float4 f(V in [[stage_in]]) { return float4(float(in.id)); }
//! case: bool varying
struct V { float4 p [[position]]; bool b [[flat]]; }; //~ neither a scalar nor a vector
vertex V v() { V o; o.p = float4(0.0); o.b = true; return o; }
//! case: matrix varying
struct V { float4 p [[position]]; float3x3 m; }; //~ neither a scalar nor a vector
vertex V v() { V o; o.p = float4(0.0); o.m = float3x3(1.0); return o; }
//! case: array varying
struct V { float4 p [[position]]; float m[2]; }; //~ is an array
vertex V v() { V o; o.p = float4(0.0); o.m[0] = 1.0; return o; }
//! case: two colours at one place
struct O { float4 a [[color(0)]]; float4 b [[color(0)]]; }; //~ where another field goes
fragment O f() { O o; o.a = float4(0.0); o.b = o.a; return o; }
//! case: fragment result without a place
struct O { float4 a [[color(0)]]; float4 b; }; //~ goes nowhere
fragment O f() { O o; o.a = float4(0.0); o.b = o.a; return o; }
//! case: unknown attribute of a field
struct O { float4 a [[location(0)]]; }; //~ no attribute of a field
fragment O f() { O o; o.a = float4(0.0); return o; }
//! case: group size on a fragment
[[max_total_threads_per_threadgroup(64)]] fragment float4 f() { return float4(0.0); } //~ on `f`
//! case: stage_in of no struct
fragment float4 f(float4 in [[stage_in]]) { return in; } //~ is of no struct declared here
//! case: attribute outside an entry
float f(uint i [[vertex_id]]) { return 0.0; } //~ outside an entry
//! case: prelude header of C++
#include <vector> //~ no header of Metal's
void f() { }
//! case: goto
void f() { goto end; end: return; } //~ not in Metal
//! case: clip distance into a fragment
struct V { float4 p [[position]]; float c [[clip_distance]] [2]; }; //~ no fragment takes in
fragment float4 f(V in [[stage_in]]) { return in.p; }
//! case: 64-bit varying
struct V { float4 p [[position]]; ulong m [[flat]]; }; //~ up to 32 bits
vertex V v() { V o; o.p = float4(0.0); o.m = 1ul; return o; }
//! case: 64-bit colour
fragment ulong f() { return 1ul; } //~ returns no colour
//! case: name that is a type
void f() { uint bfloat = 1u; } //~ not in Metal
//! case: threadgroup variable in a block
kernel void k(uint i [[thread_index_in_threadgroup]]) { if (i == 0u) { threadgroup float a[2]; a[0] = 1.0; } } //~ inner block
//! case: struct by value without buffer
struct P { float a; };
kernel void k(P p) { } //~ has 0 attributes
//! case: writing to a stage_in of a const copy
struct V { float4 p [[position]]; };
fragment float4 f(const V in [[stage_in]]) { in.p = float4(0.0); return in.p; } //~ no viable overloaded
//! case: vertex that returns a bare vector without position
vertex float4 v(uint i [[vertex_id]]) { return float4(0.0); } //~ returns no [[position]]
//! case: sampler without a slot
fragment float4 f(texture2d<float> t [[texture(0)]], //
                  sampler s) { return t.sample(s, float2(0.0)); } //~ has 0 attributes
//! case: texture index out of range
kernel void k(texture2d<float, access::write> t [[texture(128)]]) { t.write(float4(0.0), uint2(0)); } //~ beyond the last
//! case: colour index out of range
struct O { float4 a [[color(8)]]; }; //~ has no type that [[color]] can have
fragment O f() { O o; o.a = float4(0.0); return o; }
