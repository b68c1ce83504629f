//! case: store to a sampled texture
void f(texture2d<float> t) { t.write(float4(1.0), uint2(0)); } //~ no matching member function
//! case: store to a read texture
void f(texture2d<float, access::read> t) { t.write(float4(1.0), uint2(0)); } //~ no matching member function
//! case: sample of a storage texture
float4 f(texture2d<float, access::read_write> t, sampler s) { return t.sample(s, float2(0.0)); } //~ no matching member function
//! case: read of a write texture
float4 f(texture2d<float, access::write> t) { return t.read(uint2(0)); } //~ no matching member function
//! case: store of a float3
void f(texture2d<float, access::write> t) { t.write(float3(1.0), uint2(0)); } //~ no matching member function
//! case: store of float to an integer texture
void f(texture2d<uint, access::write> t) { t.write(float4(1.0), uint2(0)); } //~ no matching member function
//! case: signed coordinate
float4 f(texture2d<float> t) { return t.read(int2(0)); } //~ no matching member function
//! case: float coordinate in a read
float4 f(texture2d<float> t) { return t.read(float2(0.0)); } //~ no matching member function
//! case: comparison of a colour texture
float f(texture2d<float> t, sampler s) { return t.sample_compare(s, float2(0.0), 0.5); } //~ no member named 'sample_compare'
//! case: four components of a depth texture
float4 f(depth2d<float> t, sampler s) { float4 v = float4(0.0); v = t.sample(s, float2(0.0)).xyzw; return v; } //~ is not a structure
//! case: depth texture of uint
void f(depth2d<uint> t) { float a = float(t.get_width()); }
//! case: array texture without its layer
float4 f(texture2d_array<float> t, sampler s) { return t.sample(s, float2(0.0)); } //~ no matching member function
//! case: layer packed into the coordinate
float4 f(texture2d_array<float> t, sampler s) { return t.sample(s, float3(0.0), 0); } //~ no matching member function
//! case: gradients of the wrong kind
float4 f(texturecube<float> t, sampler s) { return t.sample(s, float3(0.0), gradient2d(float2(0.0), float2(0.0))); } //~ no matching member function
//! case: offset on a cube
float4 f(texturecube<float> t, sampler s) { return t.sample(s, float3(0.0), int2(1)); } //~ no matching member function
//! case: gather of a volume
float4 f(texture3d<float> t, sampler s) { return t.gather(s, float3(0.0)); } //~ no member named 'gather'
//! case: component of a depth gather
float4 f(depth2d<float> t, sampler s) { return t.gather(s, float2(0.0), int2(0), component::y); } //~ no matching member function
//! case: level as a number
float4 f(texture2d<float> t, sampler s) { return t.sample(s, float2(0.0), 1.0); } //~ deleted
//! case: result of another type
float4 f(texture2d<half> t, sampler s) { return t.sample(s, float2(0.0)); } //~ no viable conversion
//! case: texture of double width
void f(texture2d<ulong> t) { uint a = t.get_width(); }
//! case: texture as a buffer
kernel void k(texture2d<float> t [[buffer(0)]]) { } //~ has no type that [[buffer]] can have
//! case: buffer as a texture
kernel void k(device float* t [[texture(0)]]) { } //~ has no type that [[texture]] can have
//! case: texture arrays that overlap
kernel void k(array<texture2d<float>, 4> a [[texture(0)]], //
              texture2d<float> b [[texture(3)]]) { } //~ is given to `a` and to `b`
//! case: sampler at program scope that is not constexpr
sampler s(filter::linear); //~ is not constexpr
//! case: unknown sampler state
constexpr sampler s(filter::trilinear); //~ no type named 'trilinear'
//! case: atomic on constant
void f(constant atomic_uint* a) { atomic_fetch_add_explicit(a, 1u, memory_order_relaxed); } //~ no matching function
//! case: atomic on a plain integer
void f(device uint* a) { atomic_fetch_add_explicit(a, 1u, memory_order_relaxed); } //~ no matching function
//! case: plain read of an atomic
uint f(device atomic_uint* a) { return a[0]; } //~ no viable conversion
//! case: plain write of an atomic
void f(device atomic_uint* a) { a[0] = 1u; } //~ no viable overloaded '='
//! case: copy of an atomic
void f(device atomic_uint* a) { atomic_uint b = a[0]; } //~ deleted constructor
//! case: another memory order
void f(device atomic_uint* a) { atomic_fetch_add_explicit(a, 1u, memory_order_seq_cst); } //~ undeclared identifier
//! case: atomic without its order
void f(device atomic_uint* a) { atomic_fetch_add_explicit(a, 1u); } //~ no matching function
//! case: strong exchange
void f(device atomic_uint* a) { uint e = 0u; atomic_compare_exchange_strong_explicit(a, &e, 1u, memory_order_relaxed, memory_order_relaxed); } //~ undeclared identifier
//! case: bits of a float atomic
void f(device atomic_float* a) { atomic_fetch_or_explicit(a, 1.0, memory_order_relaxed); } //~ no matching function
//! case: addition to a 64-bit atomic
void f(device atomic_ulong* a) { atomic_fetch_add_explicit(a, 1ul, memory_order_relaxed); } //~ no matching function
//! case: bool through the lanes
uint f(bool b) { return simd_sum(b); } //~ deleted function
//! case: 64 bits through the lanes
ulong f(ulong b) { return simd_broadcast_first(b); } //~ deleted function
//! case: barrier without flags
kernel void k() { threadgroup_barrier(); } //~ no matching function
//! case: barrier in a fragment
fragment float4 f() { threadgroup_barrier(mem_flags::mem_none); return float4(0.0); } //~ whose stage does not have it
//! case: derivative in a kernel
float g(float x) { return dfdx(x); }
kernel void k(device float* p [[buffer(0)]]) { p[0] = g(p[1]); } //~ whose stage does not have it
//! case: discard in a vertex
vertex float4 v() [[position]] { discard_fragment(); return float4(0.0); } //~ whose stage does not have it
//! case: lanes in a vertex
vertex float4 v() [[position]] { return float4(simd_sum(1.0)); } //~ whose stage does not have it
//! case: texture assigned
void f(texture2d<float> a, texture2d<int> b) { a = b; } //~ no viable overloaded '='
//! case: a table of textures without a structure
kernel void k(device const texture2d<float>* t [[buffer(0)]]) { } //~ has no type that [[buffer]] can have
//! case: writing through a table of constant buffers
struct B { device const uint* words; };
kernel void k(device const B* b [[buffer(0)]]) { b[0u].words[0u] = 1u; } //~ read-only
//! case: another kind of texture than the table has
struct T { texture2d<float> flat; texturecube<float> cube; };
float4 of(texture2d<float> t) { return t.read(uint2(0)); }
kernel void k(device const T* t [[buffer(0)]]) { float4 f = of(t[0u].cube); } //~ no matching function
