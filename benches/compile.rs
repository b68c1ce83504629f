//! How long each part of a compile takes, and the whole beside naga (WGSL parse, validate, write SPIR-V) on the same work.
//!
//! `cargo bench --bench compile` writes to `target/criterion`; the figures of record are in `docs/benchmarks.md`.
#![allow(clippy::unwrap_used, reason = "the inputs are sound")]

mod inputs;

use std::hint::black_box;

use akari::driver::{Platform, Request, Wanted, emit};
use akari::frontend::{self, Found};
use akari::lower;
use akari::sema::{self, program::FileInfo};
use akari::source::SourceMap;
use akari::syntax;
use akari::syntax::names::Names;
use akari_dialect_gpu_abi::Target;
use akari_ir::{FileId, Module};
use akari_passes::manager::registry::find;
use akari_passes::strip::{entries, extract};
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use bumpalo::Bump;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use inputs::Pair;

/// As in the program; naga gets it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn pairs() -> Vec<Pair> {
    let mut pairs = vec![inputs::fullscreen_copy(), inputs::lighting()];
    pairs.extend([10, 100, 1_000, 10_000].map(inputs::functions));
    pairs
}

fn lowered(source: &str) -> (Module, SourceMap) {
    let mut sources = SourceMap::new();
    let root = sources.add("bench.akari", source.as_bytes().to_vec()).unwrap();
    let compiled = frontend::compile(root, &mut sources, &mut |_, _| Found::Nowhere);
    (compiled.module.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)), sources)
}

fn native() -> Request {
    Request {
        platform: Platform::Vulkan,
        wanted: Wanted { hlsl: false, spirv: true },
        manifest: None,
        debug_lines: false,
    }
}

/// Source to native SPIR-V, in process.
fn akari(source: &str) -> usize {
    let (module, sources) = lowered(source);
    let emission = emit(module, &native(), &sources, &mut Observer::default());
    assert!(!emission.outputs.is_empty(), "{:#?} {:?}", emission.diagnostics, emission.internal);
    emission.outputs.iter().map(|output| output.bytes.len()).sum()
}

/// The same by naga.
fn naga(source: &str) -> usize {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)));
    let flags = naga::valid::ValidationFlags::all();
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&module).unwrap();
    let options = naga::back::spv::Options { lang_version: (1, 5), ..naga::back::spv::Options::default() };
    let mut size = 0;
    for entry in &module.entry_points {
        let pipeline = naga::back::spv::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone() };
        size += naga::back::spv::write_vec(&module, &info, &options, Some(&pipeline)).unwrap().len() * 4;
    }
    size
}

fn whole(c: &mut Criterion) {
    let mut group = c.benchmark_group("source to SPIR-V");
    for pair in pairs() {
        group.throughput(Throughput::Elements(pair.akari.lines().count() as u64));
        if pair.akari.len() > 1 << 20 {
            group.sample_size(10);
        }
        group.bench_with_input(BenchmarkId::new("akari", &pair.name), &pair.akari, |b, source| {
            b.iter(|| akari(black_box(source)));
        });
        group.bench_with_input(BenchmarkId::new("naga", &pair.name), &pair.wgsl, |b, source| {
            b.iter(|| naga(black_box(source)));
        });
    }
    group.finish();
}

fn front_end(c: &mut Criterion) {
    for pair in [inputs::lighting(), inputs::functions(1_000)] {
        let mut group = c.benchmark_group(format!("front end, {}", pair.name));
        group.sample_size(20);
        group.throughput(Throughput::Bytes(pair.akari.len() as u64));
        group.bench_function("parse", |b| {
            b.iter(|| {
                let arena = Bump::new();
                let mut names = Names::new();
                syntax::parse(&arena, &mut names, FileId(0), black_box(&pair.akari)).1.len()
            });
        });
        let arena = Bump::new();
        let mut names = Names::new();
        let (tree, _) = syntax::parse(&arena, &mut names, FileId(0), &pair.akari);
        let files = || vec![FileInfo { tree, sees: vec![true], incomplete: false }];
        group.bench_function("check", |b| {
            b.iter_batched(files, |files| sema::check(&names, files).1.len(), BatchSize::LargeInput);
        });
        group.bench_function("lower", |b| {
            b.iter_batched(|| sema::check(&names, files()).0, lower::lower, BatchSize::LargeInput);
        });
        group.bench_function("parse, check and lower", |b| b.iter(|| lowered(black_box(&pair.akari)).0.op_count()));
        group.finish();
    }
}

/// Every pass of every target's pipeline alone, on the module as the passes before leave it.
fn passes(c: &mut Criterion) {
    for pair in [inputs::lighting(), inputs::functions(1_000)] {
        for (target, name) in Target::ALL {
            let mut group = c.benchmark_group(format!("passes of {name}, {}", pair.name));
            group.sample_size(10);
            let (mut module, _) = lowered(&pair.akari);
            pass_by_pass(&mut group, "@shared,assign-slots", target, IrStage::Source, &mut module);
            if target != Target::Metal {
                module = extract(&module, &entries(&module));
            }
            pass_by_pass(&mut group, &format!("@{name}"), target, IrStage::Slotted, &mut module);
            group.finish();
        }
    }
}

fn pass_by_pass(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    pipeline: &str,
    target: Target,
    stage: IrStage,
    module: &mut Module,
) {
    let pipeline = Pipeline::parse(pipeline, stage).unwrap();
    for (number, pass) in pipeline.passes.iter().enumerate() {
        let single = Pipeline { passes: vec![find(pass.name).unwrap()] };
        let context = || PassContext { target: Some(target), ..PassContext::default() };
        group.bench_function(format!("{number:02} {}", pass.name), |b| {
            b.iter_batched_ref(
                || (module.clone(), context()),
                |(module, context)| run(&single, module, context, &mut Observer::default()),
                BatchSize::LargeInput,
            );
        });
        run(&single, module, &mut context(), &mut Observer::default()).unwrap();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(500)).measurement_time(std::time::Duration::from_secs(2)).without_plots();
    targets = whole, front_end, passes
}
criterion_main!(benches);
