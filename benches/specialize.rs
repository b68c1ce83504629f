//! What templates and function values cost: by the number of specializations, by how deep function values are handed on, by how much is
//! passed at compile time, and how little what nobody calls.
//!
//! `cargo bench --bench specialize` writes to `target/criterion`; the figures of record are in `docs/benchmarks.md`.
#![allow(clippy::unwrap_used, reason = "the inputs are sound")]

use std::fmt::Write as _;
use std::hint::black_box;

use akari::driver::{Platform, Request, Wanted, emit};
use akari::frontend::{self, Found};
use akari::source::SourceMap;
use akari_ir::Module;
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A package, and a module that it imports.
struct Input {
    name: String,
    package: String,
    module: String,
    /// How many specializations it needs.
    instances: u64,
}

const ENTRY: &str = "@compute(threads = (64, 1, 1))\nfn main_cs(@bind(scale.data) data: RwBuf<float4>, @dispatch_id id: uint3) {\n    \
                     var v = data[id.x].xyz;\n";
const END: &str = "    data[id.x] = float4(v, 1.0);\n}\n";

/// A template of nine lines that is called with that many values.
fn instances(count: usize) -> Input {
    let mut package = template("work");
    package.insert_str(0, "#shader scale\n\n");
    package += ENTRY;
    for n in 0..count {
        let _ = writeln!(package, "    v = work({n}.25, v, {n}.0);");
    }
    Input { name: format!("{count} instances"), package: package + END, module: String::new(), instances: count as u64 }
}

fn template(name: &str) -> String {
    format!(
        "fn {name}(const k: float, p: float3, t: float) -> float3 {{\n    var a = p * k + float3(t, t, t);\n    if (k > 0.5) {{\n        \
         a = a * k + p;\n    }} else {{\n        a.z = a.z - k * t;\n    }}\n    return a * dot(a, p) + p.zyx;\n}}\n\n"
    )
}

/// A closure that is handed on through that many functions.
fn chain(depth: usize) -> Input {
    let mut package = "#shader scale\n\n".to_owned();
    for n in 0..depth {
        let next = if n + 1 == depth { "f(p)".to_owned() } else { format!("step{}(p * 1.5, f)", n + 1) };
        let _ = write!(
            package,
            "fn step{n}(p: float3, f: fn(float3) -> float3) -> float3 {{\n    return {next} + p;\n}}\n\n"
        );
    }
    let _ = write!(package, "{ENTRY}    let w = v;\n    v = step0(v, |p| p * w);\n{END}");
    Input {
        name: format!("a closure through {depth} functions"),
        package,
        module: String::new(),
        instances: depth as u64,
    }
}

/// That many closures in one function, each of which captures two variables and is passed to a template.
fn closures(count: usize) -> Input {
    let mut package =
        "#shader scale\n\nfn apply(p: float3, f: fn(float3) -> float3) -> float3 {\n    return f(p) * 2.0;\n}\n\n"
            .to_owned();
    let _ = write!(package, "{ENTRY}    let w = v;\n    var sum = w;\n");
    for n in 0..count {
        let _ = writeln!(package, "    v = apply(v, |p| {{ sum = sum + p; return p * w + float3({n}.0); }});");
    }
    package += "    v = v + sum;\n";
    package += END;
    Input { name: format!("{count} closures"), package, module: String::new(), instances: count as u64 }
}

/// A template with that many compile-time parameters, called a hundred times.
fn wide(parameters: usize) -> Input {
    let list: Vec<_> = (0..parameters).map(|n| format!("const k{n}: float")).collect();
    let sum: Vec<_> = (0..parameters).map(|n| format!("k{n}")).collect();
    let mut package = format!(
        "#shader scale\n\nfn work({}, p: float3) -> float3 {{\n    return p * ({});\n}}\n\n{ENTRY}",
        list.join(", "),
        sum.join(" + ")
    );
    for call in 0..100 {
        let values: Vec<_> = (0..parameters).map(|n| format!("{}.5", n * (call + 1))).collect();
        let _ = writeln!(package, "    v = work({}, v);", values.join(", "));
    }
    package += END;
    Input { name: format!("100 calls with {parameters} constants"), package, module: String::new(), instances: 100 }
}

/// One call of a template of a module that has that many more.
fn unused(count: usize) -> Input {
    let mut module = "#module tools\n\n".to_owned();
    module += &template("used");
    for n in 0..count {
        module += &template(&format!("unused{n}"));
    }
    let package = format!("#shader scale\n#import tools\n\n{ENTRY}    v = used(2.0, v, 1.0);\n{END}");
    Input { name: format!("{count} unused templates"), package, module, instances: 1 }
}

fn lowered(input: &Input) -> (Module, SourceMap) {
    let mut sources = SourceMap::new();
    let root = sources.add("bench.akari", input.package.as_bytes().to_vec()).unwrap();
    let compiled = frontend::compile(root, &mut sources, &mut |_, sources| {
        Found::File(sources.add("tools.akari", input.module.as_bytes().to_vec()).unwrap())
    });
    (compiled.module.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)), sources)
}

/// Source to native SPIR-V, in process.
fn compile(input: &Input) -> usize {
    let (module, sources) = lowered(input);
    let wanted = Wanted { hlsl: false, spirv: true };
    let request = Request { platform: Platform::Vulkan, wanted, manifest: None, debug_lines: false };
    let emission = emit(module, &request, &sources, &mut Observer::default());
    assert!(!emission.outputs.is_empty(), "{:#?} {:?}", emission.diagnostics, emission.internal);
    emission.outputs.iter().map(|output| output.bytes.len()).sum()
}

fn after(module: &Module, passes: &str) -> Module {
    let mut module = module.clone();
    let pipeline = Pipeline::parse(passes, IrStage::Source).unwrap();
    run(&pipeline, &mut module, &mut PassContext::default(), &mut Observer::default()).unwrap();
    module
}

fn measure(c: &mut Criterion, group: &str, inputs: &[Input]) {
    let pipeline = Pipeline::parse("specialize", IrStage::Source).unwrap();
    let mut group = c.benchmark_group(group);
    for input in inputs {
        group.sample_size(10);
        group.throughput(Throughput::Elements(input.instances));
        let module = after(&lowered(input).0, "const-fold");
        group.bench_function(BenchmarkId::new("pass", &input.name), |b| {
            b.iter_batched_ref(
                || module.clone(),
                |module| run(&pipeline, module, &mut PassContext::default(), &mut Observer::default()),
                BatchSize::LargeInput,
            );
        });
        group.bench_function(BenchmarkId::new("source to SPIR-V", &input.name), |b| {
            b.iter(|| compile(black_box(input)));
        });
    }
    group.finish();
}

fn benches(c: &mut Criterion) {
    measure(c, "instances", &[1, 10, 100, 1_000, 10_000].map(instances));
    measure(c, "chains", &[1, 10, 100, 1_000, 10_000].map(chain));
    measure(c, "closures", &[1, 10, 100, 1_000].map(closures));
    measure(c, "wide", &[1, 10, 100, 200].map(wide));
    measure(c, "unused", &[0, 100, 1_000, 10_000].map(unused));
}

criterion_group! {
    name = all;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(500)).measurement_time(std::time::Duration::from_secs(2)).without_plots();
    targets = benches
}
criterion_main!(all);
