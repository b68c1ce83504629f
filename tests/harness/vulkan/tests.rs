//! The Vulkan runner, tried with shaders that DXC compiles.

use std::cell::RefCell;
use std::time::Duration;

use akari_harness::hlsl;
use akari_harness::job::{
    Address, BoundResource, Compare, Contents, Filter, Image, Job, Outcome, Sampler, SamplerState, Slot, Stage,
    TextureShape, Work,
};
use akari_harness::texel::TexelFormat;
use akari_harness::vulkan::{Module, RunError, VulkanRunner, serve_if_asked};
use libtest_mimic::{Arguments, Failed, Trial};

type Test = Result<(), Failed>;

fn main() {
    serve_if_asked();
    let trials = vec![
        Trial::test("compute", compute),
        Trial::test("wide_and_narrow_numbers", wide_and_narrow_numbers),
        Trial::test("wave_sum", wave_sum),
        Trial::test("groupshared", groupshared),
        Trial::test("sampled_mips", sampled_mips),
        Trial::test("every_texture_shape", every_texture_shape),
        Trial::test("comparison_sampler", comparison_sampler),
        Trial::test("every_texture_format", every_texture_format),
        Trial::test("every_storage_format", every_storage_format),
        Trial::test("draw", draw),
        Trial::test("draw_with_discard_and_stores", draw_with_discard_and_stores),
        Trial::test("clip_distance", clip_distance),
        Trial::test("complaints_are_failures", complaints_are_failures),
        Trial::test("invalid_code_is_a_failure", invalid_code_is_a_failure),
        Trial::test("an_endless_loop_is_stopped", an_endless_loop_is_stopped),
        Trial::test("a_missing_entry", a_missing_entry),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

thread_local!(static RUNNER: RefCell<VulkanRunner> = const { RefCell::new(VulkanRunner::new()) });

fn run(modules: &[Module], job: &Job) -> Result<Outcome, RunError> {
    RUNNER.with_borrow_mut(|runner| runner.run(modules, job))
}

fn compile(stage: Stage, source: &str) -> Result<Module, Failed> {
    let name = match stage {
        Stage::Vertex => "vertex_main",
        Stage::Fragment => "fragment_main",
        Stage::Compute => "main",
    };
    Ok(hlsl::vulkan(hlsl::Entry { source, stage, name, shader_model: "6_2", half: true })?)
}

fn buffer(binding: u32, bytes: Vec<u8>) -> BoundResource {
    BoundResource {
        name: format!("buffer{binding}"),
        slot: Slot::new(0, binding),
        contents: Contents::StorageBuffer(bytes),
    }
}

fn image(format: TexelFormat, shape: TextureShape, size: [u32; 3], mips: u32, layers: u32, texels: Vec<u8>) -> Image {
    Image { format, shape, size, mips, layers, texels }
}

fn sampler(filter: Filter, compare: Option<Compare>) -> Sampler {
    Sampler { slot: Slot::new(2, 0), state: SamplerState { filter, address: Address::Clamp, compare } }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn uints(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn as_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

fn as_uints(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

fn dispatch(groups: u32) -> Work {
    Work::Compute { entry: "main".into(), groups: [groups, 1, 1], threads: [1, 1, 1] }
}

/// Runs a compute shader whose buffer 0 of set 0 is the result.
fn compute_result(
    source: &str,
    groups: u32,
    resources: Vec<BoundResource>,
    samplers: Vec<Sampler>,
) -> Result<Vec<u8>, Failed> {
    let job = Job { work: dispatch(groups), resources, samplers };
    Ok(run(&[compile(Stage::Compute, source)?], &job)?.resources.remove(0))
}

fn expect<T: PartialEq + std::fmt::Debug>(got: T, expected: T) -> Test {
    if got == expected { Ok(()) } else { Err(format!("got {got:?}, expected {expected:?}").into()) }
}

fn compute() -> Test {
    let source = "struct S { float scale; uint offset; };\n\
        [[vk::binding(1, 0)]] ConstantBuffer<S> s;\n\
        [[vk::binding(2, 0)]] StructuredBuffer<float> from;\n\
        [[vk::binding(0, 0)]] RWStructuredBuffer<float> to;\n\
        [numthreads(4,1,1)] void main(uint id : SV_DispatchThreadID) { to[id] = from[id] * s.scale + float(s.offset); }";
    let uniform = [floats(&[2.0]), uints(&[10])].concat();
    let uniform = BoundResource { name: "s".into(), slot: Slot::new(0, 1), contents: Contents::UniformBuffer(uniform) };
    let resources = vec![buffer(0, vec![0; 32]), uniform, buffer(2, floats(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]))];
    let result = compute_result(source, 2, resources, Vec::new())?;
    expect(as_floats(&result), vec![10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0, 24.0])
}

fn wide_and_narrow_numbers() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<uint64_t> to;\n\
        [[vk::binding(1, 0)]] StructuredBuffer<half> from;\n\
        [numthreads(2,1,1)] void main(uint id : SV_DispatchThreadID) { to[id] = (uint64_t(1) << 40) + uint64_t(from[id] * half(2)); }";
    let halves = [0x3c00_u16, 0x4000].iter().flat_map(|half| half.to_le_bytes()).collect();
    let result = compute_result(source, 1, vec![buffer(0, vec![0; 16]), buffer(1, halves)], Vec::new())?;
    expect(as_uints(&result), vec![2, 256, 4, 256])
}

fn wave_sum() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> to;\n\
        [numthreads(64,1,1)] void main(uint id : SV_DispatchThreadID) {\n\
            uint sum = WaveActiveSum(1u); if (WaveIsFirstLane()) { InterlockedAdd(to[0], sum); } }";
    expect(as_uints(&compute_result(source, 2, vec![buffer(0, vec![0; 4])], Vec::new())?), vec![128])
}

fn groupshared() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> to; groupshared uint tile[32];\n\
        [numthreads(32,1,1)] void main(uint i : SV_GroupIndex) { tile[i] = i; GroupMemoryBarrierWithGroupSync(); to[i] = tile[31 - i]; }";
    expect(as_uints(&compute_result(source, 1, vec![buffer(0, vec![0; 128])], Vec::new())?), (0..32).rev().collect())
}

fn sampled_mips() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<float> to;\n\
        [[vk::binding(0, 1)]] Texture2D t; [[vk::binding(0, 2)]] SamplerState s;\n\
        [numthreads(1,1,1)] void main() { uint w, h, m; t.GetDimensions(0, w, h, m);\n\
            to[0] = t.SampleLevel(s, float2(0.5, 0.5), 0).x; to[1] = t.SampleLevel(s, 0.5, 1).x; to[2] = t.SampleLevel(s, 0.5, 0.5).x; to[3] = m; }";
    let texels = floats(&[1.0, 2.0, 3.0, 4.0, 10.0]);
    let texture = image(TexelFormat::R32f, TextureShape::D2, [2, 2, 1], 2, 1, texels);
    for (filter, expected) in
        [(Filter::Linear, vec![2.5, 10.0, 6.25, 2.0]), (Filter::Point, vec![4.0, 10.0, 10.0, 2.0])]
    {
        let texture =
            BoundResource { name: "t".into(), slot: Slot::new(1, 0), contents: Contents::Texture(texture.clone()) };
        let result = compute_result(source, 1, vec![buffer(0, vec![0; 16]), texture], vec![sampler(filter, None)])?;
        // Halfway between two mips, the nearest may be either.
        let mut result = as_floats(&result);
        if filter == Filter::Point && result[2] == 4.0 {
            result[2] = 10.0;
        }
        expect(result, expected)?;
    }
    Ok(())
}

fn every_texture_shape() -> Test {
    let cases = [
        ("Texture2DArray", "float3(0.5, 0.5, 2)", TextureShape::D2Array, [1, 1, 1], 3, 2.0),
        ("Texture3D", "float3(0.5, 0.5, 0.9)", TextureShape::D3, [1, 1, 2], 1, 1.0),
        ("TextureCube", "float3(0, 0, -1)", TextureShape::Cube, [1, 1, 1], 6, 5.0),
        ("TextureCubeArray", "float4(0, -1, 0, 1)", TextureShape::CubeArray, [1, 1, 1], 12, 9.0),
    ];
    for (declared, coordinate, shape, size, layers, expected) in cases {
        let source = format!(
            "[[vk::binding(0, 0)]] RWStructuredBuffer<float> to;\n\
             [[vk::binding(0, 1)]] {declared}<float4> t; [[vk::binding(0, 2)]] SamplerState s;\n\
             [numthreads(1,1,1)] void main() {{ to[0] = t.SampleLevel(s, {coordinate}, 0).x; }}"
        );
        let count = size[2] * layers;
        let texels = (0..count).flat_map(|index| floats(&[index as f32, 0.0, 0.0, 1.0])).collect();
        let contents = Contents::Texture(image(TexelFormat::Rgba32f, shape, size, 1, layers, texels));
        let texture = BoundResource { name: "t".into(), slot: Slot::new(1, 0), contents };
        let result =
            compute_result(&source, 1, vec![buffer(0, vec![0; 4]), texture], vec![sampler(Filter::Point, None)])?;
        expect((declared, as_floats(&result)), (declared, vec![expected]))?;
    }
    Ok(())
}

fn comparison_sampler() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<float> to;\n\
        [[vk::binding(0, 1)]] Texture2D<float> t; [[vk::binding(0, 2)]] SamplerComparisonState s;\n\
        [numthreads(1,1,1)] void main() { to[0] = t.SampleCmpLevelZero(s, 0.5, 0.6); to[1] = t.SampleCmpLevelZero(s, 0.5, 0.4); }";
    let contents = Contents::Texture(image(TexelFormat::Depth32f, TextureShape::D2, [1, 1, 1], 1, 1, floats(&[0.5])));
    let texture = BoundResource { name: "t".into(), slot: Slot::new(1, 0), contents };
    let resources = vec![buffer(0, vec![0; 8]), texture];
    let result = compute_result(source, 1, resources, vec![sampler(Filter::Point, Some(Compare::GreaterEqual))])?;
    expect(as_floats(&result), vec![1.0, 0.0])
}

/// A texel of each format, none of whose components is 0 or 1.
fn sample_texel(format: TexelFormat) -> (Vec<u8>, Vec<f64>) {
    use akari_harness::scalar::Scalar;
    let components = format.components();
    let bits: Vec<u64> = components
        .iter()
        .zip(["0.75", "0.5", "0.25", "0.875"])
        .map(|(scalar, text)| match scalar {
            Scalar::U32 => 4_000_000_000,
            Scalar::I32 => 0xffff_fff0,
            other => other.parse(text).unwrap_or_default(),
        })
        .collect();
    let values = components.iter().zip(&bits).map(|(scalar, bits)| scalar.value(*bits)).collect();
    (format.encode(&bits), values)
}

const fn hlsl_texel(format: TexelFormat) -> &'static str {
    match format {
        TexelFormat::R32u | TexelFormat::Rgba32u => "uint4",
        TexelFormat::R32i | TexelFormat::Rgba32i => "int4",
        _ => "float4",
    }
}

fn every_texture_format() -> Test {
    for format in TexelFormat::ALL {
        let kind = hlsl_texel(format);
        let source = format!(
            "[[vk::binding(0, 0)]] RWStructuredBuffer<{kind}> to; [[vk::binding(0, 1)]] Texture2D<{kind}> t;\n\
             [numthreads(1,1,1)] void main() {{ to[0] = t.Load(int3(1, 0, 0)); }}"
        );
        let (texel, values) = sample_texel(format);
        let texels = [vec![0; texel.len()], texel].concat();
        let contents = Contents::Texture(image(format, TextureShape::D2, [2, 1, 1], 1, 1, texels));
        let texture = BoundResource { name: "t".into(), slot: Slot::new(1, 0), contents };
        let result = compute_result(&source, 1, vec![buffer(0, vec![0; 16]), texture], Vec::new())?;
        let got: Vec<f64> = match kind {
            "uint4" => as_uints(&result).into_iter().map(f64::from).collect(),
            "int4" => as_uints(&result).into_iter().map(|bits| f64::from(bits.cast_signed())).collect(),
            _ => as_floats(&result).into_iter().map(f64::from).collect(),
        };
        let close = got.iter().zip(&values).all(|(got, value)| (got - value).abs() < 1e-7);
        expect((format, close, got.clone()), (format, true, got))?;
    }
    Ok(())
}

fn every_storage_format() -> Test {
    let spirv_name = |format: TexelFormat| match format {
        TexelFormat::R32u => "r32ui",
        TexelFormat::R32i => "r32i",
        TexelFormat::Rgba32u => "rgba32ui",
        TexelFormat::Rgba32i => "rgba32i",
        TexelFormat::Rgba8Unorm => "rgba8",
        TexelFormat::R11g11b10f => "r11g11b10f",
        other => other.name(),
    };
    for (format, with_format) in TexelFormat::ALL
        .into_iter()
        .filter(|&format| format != TexelFormat::Depth32f)
        .flat_map(|format| [(format, true), (format, false)])
    {
        let kind = hlsl_texel(format);
        let attribute = if with_format {
            format!("[[vk::image_format(\"{}\")]]", spirv_name(format))
        } else {
            "[[vk::image_format(\"unknown\")]]".into()
        };
        let source = format!(
            "{attribute} [[vk::binding(0, 1)]] RWTexture2D<{kind}> t;\n\
             [numthreads(1,1,1)] void main() {{ t[uint2(0, 0)] = t[uint2(1, 0)]; }}"
        );
        let (texel, _) = sample_texel(format);
        let texels = [vec![0; texel.len()], texel.clone()].concat();
        let contents = Contents::StorageTexture(image(format, TextureShape::D2, [2, 1, 1], 1, 1, texels));
        let texture = BoundResource { name: "t".into(), slot: Slot::new(1, 0), contents };
        let result = compute_result(&source, 1, vec![texture], Vec::new())?;
        expect((format, result), (format, [texel.clone(), texel].concat()))?;
    }
    Ok(())
}

const VERTEX: &str = "struct V { float4 position : SV_Position; [[vk::location(0)]] float2 uv : UV; [[vk::location(1)]] nointerpolation uint instance : I; };\n";

const FULL_SCREEN: &str = "V vertex_main(uint id : SV_VertexID, uint instance : SV_InstanceID) {\n\
    V v; v.uv = float2((id << 1) & 2, id & 2); v.position = float4(v.uv * float2(2, -2) + float2(-1, 1), 0, 1); v.instance = instance; return v; }";

fn draw_job(size: [u32; 2], instances: u32, targets: Vec<TexelFormat>, resources: Vec<BoundResource>) -> Job {
    let targets = targets.into_iter().map(Some).collect();
    let work = Work::Draw {
        vertex: "vertex_main".into(),
        fragment: "fragment_main".into(),
        vertices: 3,
        instances,
        size,
        targets,
    };
    Job { work, resources, samplers: Vec::new() }
}

fn draw() -> Test {
    let fragment = "struct O { float4 a : SV_Target0; uint b : SV_Target1; };\n\
        O fragment_main(V v, bool front : SV_IsFrontFace) { O o; o.a = float4(v.uv, v.position.xy); o.b = v.instance * 10 + (front ? 1 : 0); return o; }";
    let modules = [
        compile(Stage::Vertex, &format!("{VERTEX}{FULL_SCREEN}"))?,
        compile(Stage::Fragment, &format!("{VERTEX}{fragment}"))?,
    ];
    let outcome = run(&modules, &draw_job([2, 2], 3, vec![TexelFormat::Rgba32f, TexelFormat::R32u], Vec::new()))?;
    let expected =
        [[0.25, 0.25, 0.5, 0.5], [0.75, 0.25, 1.5, 0.5], [0.25, 0.75, 0.5, 1.5], [0.75, 0.75, 1.5, 1.5]].concat();
    expect(as_floats(&outcome.targets[0]), expected)?;
    expect(as_uints(&outcome.targets[1]), vec![21; 4])
}

fn draw_with_discard_and_stores() -> Test {
    let fragment = "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> count;\n\
        float fragment_main(V v) : SV_Target0 { if (v.position.x < 1) { discard; } InterlockedAdd(count[0], 1u); return ddx(v.uv.x); }";
    let modules = [
        compile(Stage::Vertex, &format!("{VERTEX}{FULL_SCREEN}"))?,
        compile(Stage::Fragment, &format!("{VERTEX}{fragment}"))?,
    ];
    let outcome = run(&modules, &draw_job([2, 2], 1, vec![TexelFormat::R32f], vec![buffer(0, vec![0; 4])]))?;
    expect(as_floats(&outcome.targets[0]), vec![0.0, 0.5, 0.0, 0.5])?;
    expect(as_uints(&outcome.resources[0]), vec![2])
}

fn clip_distance() -> Test {
    let vertex = "struct C { V v; float clip : SV_ClipDistance0; };\n\
        C vertex_main(uint id : SV_VertexID) { C c; c.v.uv = float2((id << 1) & 2, id & 2); c.v.position = float4(c.v.uv * float2(2, -2) + float2(-1, 1), 0, 1);\n\
            c.v.instance = 0; c.clip = c.v.position.x; return c; }";
    let modules = [
        compile(Stage::Vertex, &format!("{VERTEX}{vertex}"))?,
        compile(Stage::Fragment, "float fragment_main() : SV_Target0 { return 1; }")?,
    ];
    let outcome = run(&modules, &draw_job([4, 1], 1, vec![TexelFormat::R32f], Vec::new()))?;
    expect(as_floats(&outcome.targets[0]), vec![0.0, 0.0, 1.0, 1.0])
}

/// A job that binds nothing: each of many is to fail, since the layer is told not to fall silent.
fn complaints_are_failures() -> Test {
    let modules = [compile(
        Stage::Compute,
        "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> to; [numthreads(1,1,1)] void main() { to[0] = 1; }",
    )?];
    let job = Job { work: dispatch(1), resources: Vec::new(), samplers: Vec::new() };
    for _ in 0..14 {
        match run(&modules, &job) {
            Err(RunError::Failed(message)) if message.contains("VUID") => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    Ok(())
}

fn invalid_code_is_a_failure() -> Test {
    let mut module = compile(
        Stage::Compute,
        "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> to; [numthreads(1,1,1)] void main() { to[0] = 1; }",
    )?;
    module.words.truncate(module.words.len() - 2);
    match run(&[module], &Job { work: dispatch(1), resources: vec![buffer(0, vec![0; 4])], samplers: Vec::new() }) {
        Err(RunError::Failed(_)) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn an_endless_loop_is_stopped() -> Test {
    let source = "[[vk::binding(0, 0)]] RWStructuredBuffer<uint> to; [numthreads(1,1,1)] void main() { while (to[0] == 0u) { to[1] += 1u; } }";
    let endless = compile(Stage::Compute, source)?;
    let job = |first| Job { work: dispatch(1), resources: vec![buffer(0, uints(&[first, 7]))], samplers: Vec::new() };
    let mut runner = VulkanRunner::with_limit(Duration::from_secs(5));
    match runner.run(std::slice::from_ref(&endless), &job(0)) {
        Err(RunError::TimedOut(_)) => {}
        other => return Err(format!("{other:?}").into()),
    }
    expect(as_uints(&runner.run(&[endless], &job(1))?.resources[0]), vec![1, 7])
}

fn a_missing_entry() -> Test {
    match run(&[], &Job { work: dispatch(1), resources: Vec::new(), samplers: Vec::new() }) {
        Err(RunError::Failed(message)) => expect(message, "no module for the Compute entry `main`".into()),
        other => Err(format!("{other:?}").into()),
    }
}
