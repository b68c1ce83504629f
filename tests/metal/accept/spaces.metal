//! case: references to arrays and structs
struct Plane { float4 planes[6]; float3x3 basis; packed_float3 origin; uint ids[2][3]; };
struct Table { uint key; float2 value; };
constant Table rows[2] = {{1u, {0.5, 1.0}}, {2u, float2(1.0)}};
constant float3x3 turn = float3x3(0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
constant uint SIZE = 16u;
constant float2 offsets[4] = {float2(0.0), float2(1.0, 0.0), {0.0, 1.0}, float2(1.0)};
constant half3 tint = half3(1.0h, 0.5h, 0.25h);
constant bool enabled = true;
constant float nothing = -INFINITY;
enum Kind : uint { Kind_None = 0u, Kind_Some = 1u };
float sum(thread const float (&a)[4], threadgroup float (&tile)[SIZE], threadgroup const float* p) { return a[0] + tile[1] + p[2]; }
void fill(threadgroup float* tile, threadgroup atomic_uint* count, threadgroup Table& row) {
    tile[3] = 1.0;
    row.value.y = 2.0;
    row = rows[1];
    atomic_store_explicit(count, 0u, memory_order_relaxed);
    atomic_fetch_max_explicit(count, 3u, memory_order_relaxed);
}
Plane load(constant Plane& plane) { return plane; }
Plane store(device Plane* planes, thread Plane& other, uint i) {
    Plane p = planes[i];
    planes[i] = other;
    planes[i].planes[2] = p.planes[i % 6u];
    planes[i].planes[2].yz = other.planes[0].wx;
    planes[i].basis[1][2] = 4.0;
    planes[i].basis[1].x += 4.0;
    planes[i].origin[1] = 2.0;
    planes[i].origin = float3(1.0) * p.origin + turn * float3(p.origin);
    planes[i].ids[1][2] ^= 5u;
    device Plane& place = planes[i];
    place.basis = transpose(place.basis) * turn;
    device float4* inner = &place.planes[0];
    inner[1] *= 2.0;
    device const float4& view = inner[2];
    p.planes[0] = view;
    return p;
}
struct Counters { atomic_uint total; atomic_int lowest; uint plain; };
uint count(device Counters& c, device Counters* all) {
    atomic_fetch_min_explicit(&c.lowest, -3, memory_order_relaxed);
    all[1].plain = 3u;
    return atomic_exchange_explicit(&all[2].total, c.plain, memory_order_relaxed);
}
inline float twice(float x) { return x * 2.0; }
template <typename T> T thrice(T x) { return x * 3; }
kernel void k(constant Plane& plane [[buffer(0)]], device Plane* planes [[buffer(1)]], device Counters& counters [[buffer(2)]], constant float4* list [[buffer(3)]],
              ushort lane [[thread_index_in_simdgroup]], uint2 id [[thread_position_in_grid]], uint index [[thread_index_in_threadgroup]], sampler s [[sampler(0)]],
              array<texture2d<float>, 8> pages [[texture(0)]], texture2d<half, access::read> last [[texture(8)]]) {
    threadgroup float tile[SIZE];
    threadgroup atomic_uint tally;
    threadgroup Table row;
    fill(tile, &tally, row);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float a[4] = {1.0, 2.0, 3.0, 4.0};
    const float b[2] = {1.0, 2.0};
    float x = sum(a, tile, tile) + twice(row.value.x) + thrice(x) + b[index % 2u] + offsets[index % 4u].x + float(tint.y) + nothing;
    Plane p = load(plane);
    Plane q = store(planes, p, id.x);
    Plane zero = {};
    Plane r = enabled ? q : planes[id.y];
    r.planes[0] = enabled ? list[0] : float4(x, a[0], a[1], float(count(counters, &counters)));
    Kind kind = Kind_Some;
    uint bits = kind | uint(Kind_None);
    constexpr uint LOCAL = SIZE * 2u;
    uint local[LOCAL] = {};
    local[bits % LOCAL] = uint(lane);
    planes[id.x] = id.x == 0u ? zero : r;
    float4 c = pages[index % 8u].sample(s, float2(0.5), level(0.0)) + float4(last.read(uint2(0)));
    planes[0].planes[0] = c;
    float2 m = id.x > 1u ? float2(id) : id.y > 2u ? list[1].xy : offsets[1];
    bool3 mask = select(bool3(false), bool3(true), float3(m, 1.0) > 0.5);
    while (any(mask)) { mask = !mask && mask; if (mask.x) { continue; } break; }
    [[unroll]] for (uint i = 0u; i < 4u; ++i) { a[i] = a[3u - i]; }
    const thread float* pa = &a[1];
    thread float4* pb = &r.planes[1];
    pb->xy = float2(pa[0]);
    ulong address = (ulong(id.x) << 32u) | ulong(id.y);
    uint2 halves = as_type<uint2>(address);
    planes[1].ids[0][0] = halves.x + uint(address >> 32u) + uint(as_type<ushort>(tint.x));
}
//! case: places inside library arrays and matrices
struct Inner { packed_float3 v; array<float, 2> list; };
struct Outer { array<Inner, 2> items; float3x3 m; };
constant array<uint, 4> order = {3u, 0u, 2u, 1u};
constant uint first = order[0];
float load(constant Inner& inner) { return inner.list[1]; }
float load_device(device const Inner& inner) { return inner.list[1]; }
void store(device Inner& inner, device float3& column, float x) { inner.list[0] = x; column.x = x; }
void share(threadgroup Inner& inner, threadgroup float3& column) { inner.v.x = column.y; }
void keep(thread Inner& inner, thread float3& column, thread const float& x) { inner.v = column * x; }
kernel void k(constant Outer& in [[buffer(0)]], device Outer* out [[buffer(1)]], device const array<packed_float3, 3>* rows [[buffer(2)]], device array<uint, 2>* pairs [[buffer(3)]]) {
    threadgroup Outer shared;
    Outer local;
    store(out[1].items[1], out[1].m[2], load(in.items[1]) + load_device(out[0].items[0]) + in.m[1].x + rows[1][2][0]);
    share(shared.items[0], shared.m[0]);
    keep(local.items[order[1] % 2u], local.m[1], local.items[0].list[0]);
    pairs[first][1] += 2u;
    local.items = out[0].items;
    out[0].m = shared.m;
}
