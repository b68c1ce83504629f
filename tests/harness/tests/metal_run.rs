//! Metal programs run on the CPU and give the numbers that Metal's specification says.

use akari_harness::job::{BoundResource, Contents, Image, Job, Outcome, Slot, TextureShape, Work};
use akari_harness::metal;
use akari_harness::texel::TexelFormat;

const PRELUDE: &str = "#include <metal_stdlib>\nusing namespace metal;\n";

fn words<T: Copy>(values: &[T], bits: impl Fn(T) -> u32) -> Vec<u8> {
    values.iter().flat_map(|&value| bits(value).to_le_bytes()).collect()
}

fn buffer(binding: u32, bytes: Vec<u8>) -> BoundResource {
    BoundResource {
        name: format!("buffer{binding}"),
        slot: Slot::new(0, binding),
        contents: Contents::StorageBuffer(bytes),
    }
}

fn uints(binding: u32, values: &[u32]) -> BoundResource {
    buffer(binding, words(values, |value| value))
}

fn floats(binding: u32, values: &[f32]) -> BoundResource {
    buffer(binding, words(values, f32::to_bits))
}

fn image(
    binding: u32,
    format: TexelFormat,
    shape: TextureShape,
    size: [u32; 3],
    mips: u32,
    layers: u32,
    texels: Vec<u8>,
) -> BoundResource {
    let contents = Contents::StorageTexture(Image { format, shape, size, mips, layers, texels });
    BoundResource { name: format!("texture{binding}"), slot: Slot::new(1, binding), contents }
}

fn as_uints(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn as_floats(bytes: &[u8]) -> Vec<f32> {
    as_uints(bytes).into_iter().map(f32::from_bits).collect()
}

fn compute(
    source: &str,
    groups: [u32; 3],
    threads: [u32; 3],
    resources: Vec<BoundResource>,
) -> Result<Outcome, String> {
    let source = format!("{PRELUDE}{source}");
    metal::check(&source)?;
    metal::run_job(
        &source,
        &Job { work: Work::Compute { entry: "k".to_owned(), groups, threads }, resources, samplers: Vec::new() },
    )
}

fn draw(
    source: &str,
    vertices: u32,
    size: [u32; 2],
    targets: &[TexelFormat],
    resources: Vec<BoundResource>,
) -> Result<Outcome, String> {
    let source = format!("{PRELUDE}{source}");
    metal::check(&source)?;
    let work = Work::Draw {
        vertex: "v".to_owned(),
        fragment: "f".to_owned(),
        vertices,
        instances: 1,
        size,
        targets: targets.iter().copied().map(Some).collect(),
    };
    metal::run_job(&source, &Job { work, resources, samplers: Vec::new() })
}

/// The floats that a body of statements writes to `out` as one thread.
#[track_caller]
fn evaluate(body: &str, expected: &[f32]) {
    let source = format!(
        "kernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {{\n{body}\n}}\n"
    );
    let outcome = compute(
        &source,
        [1; 3],
        [1; 3],
        vec![
            floats(0, &vec![0.0; expected.len()]),
            floats(1, &[1.0, 2.0, 3.0, 4.0, -1.5, f32::NAN, f32::INFINITY, -0.0]),
        ],
    );
    let got = as_floats(&outcome.expect("it runs").resources[0]);
    let same = got.iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
    assert!(same, "got {got:?}, not {expected:?}");
}

#[test]
fn vectors() {
    evaluate(
        "float4 v = float4(in[0], in[1], float2(in[2], in[3])); v.xz = v.zx; v.w += v.wzyx.x; float3 w = v.xyz * 2.0 - 1.0;
         out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; out[4] = w.x; out[5] = float(int3(w * 1.5).z); out[6] = (w > float3(2.0)).y ? 1.0 : 0.0;",
        &[3.0, 2.0, 1.0, 8.0, 5.0, 1.0, 1.0],
    );
}

#[test]
fn matrices() {
    evaluate(
        "float2x3 m = float2x3(float3(1, 2, 3), float3(4, 5, 6)); float3 a = m * float2(1, 10); float2 b = float3(1, 10, 100) * m; float3x2 t = transpose(m);
         float2x2 p = t * m; out[0] = a.x; out[1] = a.z; out[2] = b.x; out[3] = b.y; out[4] = p[0][0]; out[5] = p[1][0]; out[6] = determinant(p); out[7] = float3x3(2.0)[1].y;
         out[8] = float2x2(1, 2, 3, 4)[1][0];",
        &[41.0, 63.0, 321.0, 654.0, 14.0, 32.0, 14.0 * 77.0 - 32.0 * 32.0, 2.0, 3.0],
    );
}

#[test]
fn floats_as_specified() {
    evaluate(
        "float n = in[5]; out[0] = precise::min(n, 1.0); out[1] = precise::max(2.0, n); out[2] = precise::saturate(n); out[3] = sign(in[7]); out[4] = round(2.5); out[5] = rint(2.5);
         out[6] = fract(-0.25); out[7] = mix(1.0, 3.0, 0.5); out[8] = step(2.0, 2.0); out[9] = fmod(-5.5, 2.0); out[10] = n != n ? 1.0 : 0.0;
         out[11] = in[6] > FLT_MAX ? 1.0 : 0.0; out[12] = precise::clamp(n, 0.0, 1.0); out[13] = trunc(in[4]); out[14] = select(1.0, 2.0, true); out[15] = n;",
        &[1.0, 2.0, 0.0, -0.0, 3.0, 2.0, 0.75, 2.0, 1.0, -1.5, 1.0, 1.0, 0.0, -1.0, 2.0, f32::NAN],
    );
}

/// Without `precise` Metal's functions are free to lose NaN, and here they do.
#[test]
fn fast_functions_lose_nan() {
    evaluate(
        "float n = in[5]; out[0] = min(n, 1.0); out[1] = fast::max(n, 2.0); out[2] = clamp(n, 0.0, 1.0); out[3] = isnan(n) || isinf(in[6]) ? 1.0 : 0.0; out[4] = float(max(half(n), 2.0h));",
        &[f32::NAN, f32::NAN, f32::NAN, 0.0, 2.0],
    );
}

#[test]
fn halves_round_after_every_operation() {
    evaluate(
        "half a = half(in[0]) + half(0x1p-11f); half3 b = half3(1.0h, 2.0h, 2049.0h); out[0] = float(a); out[1] = float(b.z); out[2] = float(b.y / 3.0h);",
        &[1.0, 2048.0, 0.666_503_9],
    );
}

#[test]
fn integers() {
    let source = "kernel void k(device uint* out [[buffer(0)]], device const uint* in [[buffer(1)]]) {
        uint x = in[0];
        out[0] = clz(x); out[1] = ctz(x); out[2] = popcount(x); out[3] = reverse_bits(x); out[4] = extract_bits(x, 4u, 8u); out[5] = insert_bits(x, 0xfu, 28u, 4u);
        out[6] = clz(0u); out[7] = mulhi(0x80000000u, 6u); out[8] = addsat(0xfffffff0u, 0x20u); out[9] = as_type<uint>(extract_bits(-16, 4u, 8u)); out[10] = absdiff(3u, 5u);
        out[11] = as_type<uint>(mulhi(-5, 0x40000000)); out[12] = uint(abs(int(-7))); out[13] = uint(median3(3, 9, 5)); out[14] = rotate(x, 8u);
        out[15] = pack_float_to_unorm4x8(float4(0.0, 1.0, 0.5, 2.0)); out[16] = pack_float_to_snorm2x16(float2(-1.0, 1.0));
        out[17] = as_type<uint>(unpack_unorm4x8_to_float(0xff00u).y); out[18] = as_type<uint>(half2(1.0h, -2.0h)); out[19] = sizeof(float3) + alignof(packed_float3);
    }";
    let outcome = compute(source, [1; 3], [1; 3], vec![uints(0, &[0; 20]), uints(1, &[0x0012_3450])]).expect("it runs");
    let expected = [
        11,
        4,
        7,
        0x0a2c_4800,
        0x45,
        0xf012_3450,
        32,
        3,
        u32::MAX,
        u32::MAX,
        2,
        0xffff_fffe,
        7,
        5,
        0x1234_5000,
        0xff80_ff00,
        0x7fff_8001,
        1.0_f32.to_bits(),
        0xc000_3c00,
        20,
    ];
    assert_eq!(as_uints(&outcome.resources[0]), expected);
}

#[test]
fn thread_groups_and_barriers() {
    let source =
        "kernel void k(device const float* in [[buffer(0)]], device float* out [[buffer(1)]], device atomic_uint* count [[buffer(2)]],
            uint3 id [[thread_position_in_grid]], uint3 group [[threadgroup_position_in_grid]], uint lix [[thread_index_in_threadgroup]]) {
        threadgroup float tile[64];
        tile[63u - lix] = in[id.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint step = 32u; step > 0u; step >>= 1u) {
            if (lix < step) { tile[lix] += tile[lix + step]; }
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        if (lix == 0u) { out[group.x] = tile[0]; }
        if (in[id.x] > 99.5) { atomic_fetch_add_explicit(count, 1u, memory_order_relaxed); }
    }";
    let values: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let outcome =
        compute(source, [2, 1, 1], [64, 1, 1], vec![floats(0, &values), floats(1, &[0.0; 2]), uints(2, &[0])])
            .expect("it runs");
    assert_eq!(as_floats(&outcome.resources[1]), [2016.0, 6112.0]);
    assert_eq!(as_uints(&outcome.resources[2]), [28]);
}

#[test]
fn lanes_meet_where_control_flow_says() {
    // Lanes 0..4 sum inside the branch, through a helper that the others call later; then all eight meet again. In the loop, lanes that skip an
    // iteration do not take part in it.
    let source = "uint total(uint x) { return simd_sum(x); }
        kernel void k(device uint* out [[buffer(0)]], uint lix [[thread_index_in_threadgroup]]) {
        uint a = 0u;
        if (lix < 4u) { a = total(1u); } else { a = 100u + total(lix); }
        uint b = total(1u);
        uint c = 0u;
        for (uint i = 0u; i < 4u; ++i) {
            if ((lix & 1u) == (i & 1u)) { continue; }
            c = c * 10u + simd_sum(1u);
            if (lix == 7u && i == 0u) { break; }
        }
        uint d = simd_broadcast_first(lix) + (simd_is_first() ? 10u : 0u);
        uint e = simd_prefix_exclusive_sum(lix >= 6u ? 1u : 0u);
        out[lix * 5u] = a; out[lix * 5u + 1u] = b; out[lix * 5u + 2u] = c; out[lix * 5u + 3u] = d; out[lix * 5u + 4u] = e;
    }";
    let outcome = compute(source, [1, 1, 1], [8, 1, 1], vec![uints(0, &[0; 40])]).expect("it runs");
    let expected: Vec<u32> = (0..8)
        .flat_map(|lane| {
            [
                if lane < 4 { 4 } else { 122 },
                8,
                if lane % 2 == 0 {
                    44
                } else if lane == 7 {
                    4
                } else {
                    43
                },
                if lane == 0 { 10 } else { 0 },
                u32::from(lane == 7),
            ]
        })
        .collect();
    assert_eq!(as_uints(&outcome.resources[0]), expected);
}

#[test]
fn textures_read_write_and_filter() {
    let source = "kernel void k(texture2d<float> t [[texture(0)]], texture2d<float, access::write> w [[texture(1)]], texture2d<uint, access::read_write> u [[texture(2)]],
            device float* out [[buffer(0)]]) {
        constexpr sampler linear_clamp(filter::linear, address::clamp_to_edge, mip_filter::linear);
        constexpr sampler point_repeat(filter::nearest, address::repeat, mip_filter::nearest);
        out[0] = t.read(uint2(1, 0)).x; out[1] = t.sample(linear_clamp, float2(0.5)).x; out[2] = t.sample(point_repeat, float2(1.75, 0.25)).x;
        out[3] = t.sample(linear_clamp, float2(0.5), level(0.5)).x; out[4] = t.sample(linear_clamp, float2(-3.0, 0.25)).x;
        float4 g = t.gather(linear_clamp, float2(0.5)); out[5] = g.x; out[6] = g.y; out[7] = g.z; out[8] = g.w;
        out[9] = float(t.get_width(1)) + 10.0 * float(t.get_num_mip_levels()); out[10] = t.read(uint2(0), 1).x; out[11] = t.read(uint2(9)).x;
        w.write(float4(0.5, 2.0, -1.0, 0.25), uint2(1, 1));
        u.write(uint4(u.read(uint2(0)).x + 5u), uint2(0));
    }";
    let texels = words(&[1.0_f32, 2.0, 3.0, 4.0, 10.0], f32::to_bits);
    let outcome = compute(
        source,
        [1; 3],
        [1; 3],
        vec![
            image(0, TexelFormat::R32f, TextureShape::D2, [2, 2, 1], 2, 1, texels),
            image(1, TexelFormat::Rgba8Unorm, TextureShape::D2, [2, 2, 1], 1, 1, vec![0; 16]),
            image(2, TexelFormat::R32u, TextureShape::D2, [1, 1, 1], 1, 1, vec![7, 0, 0, 0]),
            floats(0, &[0.0; 12]),
        ],
    )
    .expect("it runs");
    assert_eq!(as_floats(&outcome.resources[3]), [2.0, 2.5, 2.0, 6.25, 1.0, 3.0, 4.0, 2.0, 1.0, 21.0, 10.0, 0.0]);
    assert_eq!(outcome.resources[1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 255, 0, 64]);
    assert_eq!(as_uints(&outcome.resources[2]), [12]);
}

#[test]
fn cubes_arrays_volumes_and_comparisons() {
    let source = "kernel void k(texturecube<float> c [[texture(0)]], texture2d_array<float> a [[texture(1)]], texture3d<float> v [[texture(2)]], depth2d<float> d [[texture(3)]],
            device float* out [[buffer(0)]]) {
        constexpr sampler s(filter::linear, address::clamp_to_edge);
        constexpr sampler cmp(filter::linear, address::clamp_to_edge, compare_func::less_equal);
        out[0] = c.sample(s, float3(1, 0, 0)).x; out[1] = c.sample(s, float3(0, -2, 0.5)).x; out[2] = c.sample(s, float3(0, 0, -1)).x; out[3] = c.sample(s, float3(1, 0, 1)).x;
        out[4] = a.sample(s, float2(0.5), 1).x; out[5] = a.read(uint2(0), 0u).x; out[6] = float(a.get_array_size()); out[7] = v.sample(s, float3(0.5)).x;
        out[8] = v.read(uint3(0, 0, 1)).x; out[9] = d.sample_compare(cmp, float2(0.5), 0.5); out[10] = d.sample(s, float2(0.5)); out[11] = d.gather_compare(cmp, float2(0.5), 0.25).w;
    }";
    let outcome = compute(
        source,
        [1; 3],
        [1; 3],
        vec![
            image(
                0,
                TexelFormat::R32f,
                TextureShape::Cube,
                [1, 1, 1],
                1,
                6,
                words(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0], f32::to_bits),
            ),
            image(1, TexelFormat::R16f, TextureShape::D2Array, [1, 1, 1], 1, 2, vec![0x00, 0x3c, 0x00, 0x40]),
            image(2, TexelFormat::R32f, TextureShape::D3, [1, 1, 2], 1, 1, words(&[1.0_f32, 2.0], f32::to_bits)),
            image(3, TexelFormat::Depth32f, TextureShape::D2, [2, 1, 1], 1, 1, words(&[0.25_f32, 0.75], f32::to_bits)),
            floats(0, &[0.0; 12]),
        ],
    )
    .expect("it runs");
    assert_eq!(as_floats(&outcome.resources[4]), [0.0, 3.125, 5.0, 2.0, 2.0, 1.0, 2.0, 1.5, 2.0, 0.5, 0.5, 1.0]);
}

const SCREEN: &str = "struct V { float4 position [[position]]; float2 uv [[user(locn0)]]; uint id [[user(locn1)]] [[flat]]; float3 line [[user(locn2)]] [[center_no_perspective]]; };
    vertex V v(uint vid [[vertex_id]]) {
        V o; float2 p = float2(vid == 2u ? 3.0 : -1.0, vid == 1u ? 3.0 : -1.0);
        float w = vid == 1u ? 2.0 : 1.0;
        o.position = float4(p * w, 0.25 * w, w); o.uv = float2(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5); o.id = vid + 7u; o.line = float3(p.y); return o;
    }
";

#[test]
fn draws_interpolate_and_position_is_the_pixel() {
    let source = format!(
        "{SCREEN}struct O {{ float4 a [[color(0)]]; uint b [[color(1)]]; }};
        fragment O f(V in [[stage_in]], bool front [[front_facing]]) {{
            O o; o.a = float4(in.position.xy, in.position.z, in.line.x); o.b = in.id + (front ? 100u : 0u) + (in.position.w == 1.0 ? 0u : 1000u); return o; }}"
    );
    let outcome = draw(&source, 3, [2, 2], &[TexelFormat::Rgba32f, TexelFormat::R32u], vec![]).expect("it runs");
    assert_eq!(
        as_floats(&outcome.targets[0]),
        [0.5, 0.5, 0.25, 0.5, 1.5, 0.5, 0.25, 0.5, 0.5, 1.5, 0.25, -0.5, 1.5, 1.5, 0.25, -0.5]
    );
    assert_eq!(as_uints(&outcome.targets[1]), [1107; 4]);
}

#[test]
fn draws_derive_discard_and_clip() {
    let source = "struct V { float4 position [[position]]; float clip [[clip_distance]] [1]; float2 uv; };
        struct F { float4 position [[position]]; float2 uv; };
        vertex V v(uint vid [[vertex_id]]) {
            V o; float2 p = float2(vid == 2u ? 3.0 : -1.0, vid == 1u ? 3.0 : -1.0);
            o.position = float4(p, 0.0, 1.0); o.uv = float2(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5); o.clip[0] = p.x + 0.5; return o; }
        fragment float4 f(F in [[stage_in]], device uint* log [[buffer(0)]], texture2d<float> t [[texture(0)]]) {
            constexpr sampler s(filter::linear, mip_filter::nearest);
            if (in.position.y > 3.0) { discard_fragment(); }
            float sampled = t.sample(s, in.uv).x;
            uint i = uint(in.position.y) * 4u + uint(in.position.x);
            log[i] = 1u;
            return float4(dfdx(in.uv.x), dfdy(in.position.y), fwidth(in.uv.y), sampled); }";
    let texels = words(
        &[1.0_f32; 64].into_iter().chain([2.0; 16]).chain([3.0; 4]).chain([4.0]).collect::<Vec<_>>(),
        f32::to_bits,
    );
    let resources = vec![uints(0, &[0; 16]), image(0, TexelFormat::R32f, TextureShape::D2, [8, 8, 1], 4, 1, texels)];
    let outcome = draw(source, 3, [4, 4], &[TexelFormat::Rgba32f], resources).expect("it runs");
    let inside = [0.25, 1.0, 0.25, 2.0];
    let row: Vec<f32> = [[0.0; 4], inside, inside, inside].concat();
    assert_eq!(as_floats(&outcome.targets[0]), [row.clone(), row.clone(), row, vec![0.0; 16]].concat());
    // The clipped column ran as helpers at most: nothing of theirs is stored. Metal leaves open what a discarded fragment stores; here it does.
    assert_eq!(as_uints(&outcome.resources[0]), [0, 1, 1, 1].repeat(4));
}

#[test]
fn edges_belong_to_one_triangle() {
    let source = "vertex float4 v(uint vid [[vertex_id]]) [[position]] {
            const float2 p[6] = {float2(-1, -1), float2(-1, 1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(1, -1)};
            return float4(p[vid], 0.5, 1.0); }
        fragment void f(float4 position [[position]], device atomic_uint* count [[buffer(0)]]) {
            atomic_fetch_add_explicit(&count[uint(position.y) * 4u + uint(position.x)], 1u, memory_order_relaxed); }";
    let outcome = draw(source, 6, [4, 4], &[], vec![uints(0, &[0; 16])]).expect("it runs");
    assert_eq!(as_uints(&outcome.resources[0]), [1; 16]);
}

/// Programs that are well typed and wrong: (body of a kernel, part of the message).
#[test]
fn undefined_behaviour_is_an_error() {
    let cases = [
        ("int x = int(in[0]); out[0] = float(x * x);", "signed overflow of *"),
        ("int x = int(in[0]); int3 y = int3(x); y += x; out[0] = float(y.x);", "signed overflow of +"),
        ("int x = int(in[1]); out[0] = float(7 / (x - 3));", "division by zero"),
        ("uint x = uint(in[1]); out[0] = float(1u << (x * 16u));", "shift"),
        ("out[0] = float(int(in[0] * 1000.0));", "out of the integer's range"),
        ("float a[2] = {1.0, 2.0}; out[0] = a[uint(in[1])];", "index out of bounds"),
        ("if (in[1] < 5.0) { threadgroup_barrier(mem_flags::mem_threadgroup); } else { out[0] = 1.0; }", ""),
    ];
    for (body, message) in cases {
        let source = format!(
            "kernel void k(device float* out [[buffer(0)]], device const float* in [[buffer(1)]]) {{\n{body}\n}}\n"
        );
        let outcome = compute(&source, [1; 3], [1; 3], vec![floats(0, &[0.0]), floats(1, &[2e9, 3.0])]);
        match outcome {
            Err(said) => assert!(!message.is_empty() && said.contains(message), "{body}: {said}"),
            Ok(_) => assert!(message.is_empty(), "{body}"),
        }
    }
    let divergent = "kernel void k(device float* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
        if (i < 4u) { threadgroup_barrier(mem_flags::mem_threadgroup); }
        out[i] = 1.0; }";
    let said = compute(divergent, [1; 3], [16, 1, 1], vec![floats(0, &[0.0; 16])]).expect_err("a divergent barrier");
    assert!(said.contains("not reached by all threads"), "{said}");
}
