//! case: buffers and address spaces
struct Frame { float4x4 view; packed_float3 eye; float time; uint flags; };
struct Item { packed_float3 position; float weight; half2 h; };
constant float weights[3] = {0.25, 0.5, 0.25};
constant float3 up = float3(0.0, 1.0, 0.0);
constant uint MASK = 0xffu << 8u;
float total(thread const float3& v, constant Frame& frame, device const Item* items, uint i) {
    Item item = items[i];
    Frame copy = frame;
    float3 p = float3(item.position) * copy.time;
    return dot(v, p) + weights[i % 3u] + up.y + frame.view[3].x;
}
void bump(thread float3& v, thread float& s, thread uint* n) { v.xy += float2(s); v.z = s; s++; *n += MASK; }
kernel void main0(constant Frame& frame [[buffer(0)]], device const Item* items [[buffer(1)]], device Item* out [[buffer(2)]],
                  uint3 id [[thread_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]], uint lix [[thread_index_in_threadgroup]]) {
    threadgroup float tile[64];
    threadgroup uint count;
    threadgroup float4 grid[4][8];
    float3 v = float3(id);
    float s = 1.0;
    uint n = 0u;
    bump(v, s, &n);
    tile[lix] = total(v, frame, items, id.x);
    grid[1][2].xyz = v;
    if (lix == 0u) { count = n; }
    float3x3 m = float3x3(v, v, v);
    bump(m[1], s, &n);
    Item item = {packed_float3(v), tile[lix], half2(v.xy)};
    item.position[0] = 2.0;
    item.position.x += 1.0;
    out[id.x] = item;
    out[id.x].position = frame.eye;
    out[id.x].weight = frame.time > 1.0 ? item.weight : frame.time;
    float3 chosen = id.x > 2u ? v : float3(frame.eye);
    Item other = id.y == 0u ? items[0] : item;
    out[1] = other;
    out[2].position = id.x > 1u ? frame.eye : id.y > 1u ? item.position : packed_float3(chosen);
}
//! case: draw
struct VertexOut {
    float4 position [[position]];
    float2 uv [[user(locn0)]];
    float3 color [[user(locn1)]] [[center_no_perspective]];
    uint id [[user(locn2)]] [[flat]];
    float clip [[clip_distance]] [2];
};
struct FragmentIn {
    float4 position [[position]];
    float2 uv [[user(locn0)]];
    float3 color [[user(locn1), center_no_perspective]];
    uint id [[user(locn2), flat]];
};
struct FragmentOut { float4 color [[color(0)]]; uint id [[color(1)]]; float depth [[depth(any)]]; };
vertex VertexOut vs(uint vid [[vertex_id]], uint iid [[instance_id]], device const packed_float3* points [[buffer(0)]]) {
    VertexOut out = {};
    out.position = float4(points[vid], 1.0);
    out.uv = out.position.xy * 0.5 + 0.5;
    out.id = iid;
    out.clip[0] = 1.0;
    return out;
}
[[early_fragment_tests]] fragment FragmentOut fs(FragmentIn in [[stage_in]], bool front [[front_facing]]) {
    return FragmentOut{float4(in.uv, in.color.x, front ? 1.0 : 0.0), in.id, in.position.z};
}
[[fragment]] half4 plain(FragmentIn in [[stage_in]]) { return half4(half3(in.color), 1.0h); }
vertex float4 only(uint vid [[vertex_id]]) [[position]] { return float4(float(vid)); }
//! case: expressions
float4 f(float4 v, int3 i, uint2 u, half3 h, bool3 b, float4x4 m, float2x3 n, long l, ulong w) {
    v.wzyx = v.xyzw; v.rg = v.ba; v[2] = v[1]; v *= 2.0; v = -v + 1; v = 2.0 / v;
    i = i << 2; i = (i & 7) | ~i; i %= 3; i = int3(v.xyz); i++;
    u = u * 3u + uint2(i.xy); u = min(u, uint2(3u)); u = clamp(u, 1u, 9u); u = select(u, u.yx, u > 1u);
    h = h * 2.0h; h = half3(v.xyz) + h; h = max(h, 0.0h); h = mix(h, h, 0.5h);
    b = b && !b || (v.xyz < 1.0); b = v.xyz == float3(h);
    bool any_of = any(b) || all(isnan(v)) || any(isinf(v.xy));
    v = m * v; v = v * m; float3 c = n * v.xy; float2 d = c * n; m = transpose(m) * m; m[0] = v; m[1][2] = 3.0; m = 2.0 * m - m;
    v.xyz = cross(c, normalize(c)) * length(c) + reflect(c, c) + refract(c, c, 0.5) + faceforward(c, c, c);
    v.x = fma(v.x, v.y, v.z) + atan2(v.x, v.y) + pow(v.x, 2.0) + fmod(v.x, 2.0) + powr(v.x, 2.0) + precise::sqrt(v.x) + fast::exp(v.x);
    v = smoothstep(0.0, 1.0, v) + step(0.5, v) + saturate(v) + sign(v) + fract(v) + rsqrt(v) + trunc(v) + rint(v) + round(v) + median3(v, v, v);
    u.x = popcount(u.x) + clz(u.x) + ctz(u.x) + reverse_bits(u.x) + extract_bits(u.x, 3u, 4u) + insert_bits(u.x, u.y, 1u, 2u) + mulhi(u.x, u.y) + absdiff(u.x, u.y) + addsat(u.x, u.y);
    i = abs(i) + int3(absdiff(i, i)) + subsat(i, i);
    uint bits = as_type<uint>(v.x) ^ as_type<uint>(half2(h.xy)) ^ pack_float_to_unorm4x8(v) ^ pack_float_to_snorm2x16(v.xy);
    v += unpack_unorm4x8_to_float(bits); v.xy += unpack_snorm2x16_to_float(bits);
    float x = INFINITY + numeric_limits<float>::max() + M_PI_F + FLT_MAX + float(l) + float(w >> 3u);
    for (uint k = 0u; k < 4u; ++k) { if (k == 2u) { continue; } v.x += float(k); }
    switch (i.x) { case 0: v.x = 1.0; break; case 1: case 2: { v.y = 2.0; break; } default: break; }
    do { x += 1.0; } while (x < 3.0);
    array<float, 4> a; a[1] = x; float raw[4] = {}; raw[2] = a[1];
    return any_of ? v : v + raw[u.x % 4u] + float4(d, bits > 3u ? 1.0 : 0.0, x);
}
//! case: textures, atomics, lanes
constexpr sampler shared_sampler(filter::linear, address::clamp_to_edge, compare_func::less_equal);
float4 f(texture2d<float> t, texture2d<float, access::write> w, texture2d_array<float> ta, texturecube<half> c, texturecube_array<float> ca, depth2d<float> d,
         texture3d<float> t3, texture2d<uint> ui, texture2d<float, access::read_write> rw, array<texture2d<float>, 4> arr, device atomic_uint* a, device atomic<int>& b) {
    constexpr sampler s(filter::linear, address::repeat, mip_filter::linear);
    float4 v = t.sample(s, float2(0.5)) + t.sample(s, float2(0.5), level(1.0)) + t.sample(s, v.xy, gradient2d(v.xy, v.zw), int2(1)) + t.sample(shared_sampler, v.xy, bias(0.5));
    v += ta.sample(s, v.xy, uint(v.z)) + ta.sample(s, v.xy, 2, level(0)) + float4(c.sample(s, v.xyz)) + ca.sample(s, v.xyz, 1u, gradientcube(v.xyz, v.xyz));
    v += t.gather(s, v.xy) + t.gather(s, v.xy, int2(0), component::y) + ta.gather(s, v.xy, 2u, int2(0), component::z) + d.gather(s, v.xy);
    v += d.gather_compare(shared_sampler, v.xy, 0.5) + t.read(uint2(1)) + t3.sample(s, v.xyz) + t3.read(uint3(1), 0) + ta.read(uint2(1), 3u, 0u) + arr[2].read(uint2(1));
    v.x += d.sample(s, v.xy) + d.sample_compare(shared_sampler, v.xy, 0.5) + d.sample_compare(shared_sampler, v.xy, 0.5, level(0)) + d.read(uint2(v.xy), 1u);
    v += rw.read(uint2(1));
    rw.write(v, uint2(1));
    w.write(v, uint2(1, 2));
    uint4 u = ui.read(uint2(v.xy));
    v.x += float(t.get_width() + t.get_height(1) + t3.get_depth(0) + ta.get_array_size() + t.get_num_mip_levels() + u.x);
    uint old = atomic_fetch_add_explicit(&a[3], 1u, memory_order_relaxed) + atomic_load_explicit(a, memory_order_relaxed);
    atomic_store_explicit(&b, 2, memory_order_relaxed);
    int e = 3;
    bool ok = atomic_compare_exchange_weak_explicit(&b, &e, 4, memory_order_relaxed, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    threadgroup_barrier(mem_flags::mem_device_and_threadgroup);
    v.x += simd_sum(v.x) + float(simd_prefix_exclusive_sum(old) + simd_sum(ok ? 1u : 0u)) + (simd_any(ok) ? 1.0 : 0.0);
    v = dfdx(v) + simd_broadcast_first(v) + fwidth(v.x);
    if (v.x > 2.0) { discard_fragment(); }
    return v;
}
