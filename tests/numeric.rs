//! Numeric cases: every `tests/numeric/**/*.akari` (and `.air`, for what no source makes) is compiled and run in every way there
//! is, and each must give the numbers that its header expects. `akari_harness::case` describes the header.
//!
//! A test is called `<area>/<name> <way>`: `cargo test --test numeric -- casts spirv` runs some of them. What was emitted for a
//! case lies in `target/tmp/numeric` afterwards.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::{fs, thread_local};

use akari::frontend::{self, Found};
use akari::opt::read;
use akari::render;
use akari::source::SourceMap;
use akari_dialect_gpu_abi::Target;
use akari_harness::case::{self, Case};
use akari_harness::job::{Interface, Job, Outcome, Stage, Way};
use akari_harness::vulkan::{Module as VulkanModule, VulkanRunner, serve_if_asked};
use akari_harness::{bind, compare, hlsl, interpreter, metal, spirv};
use akari_ir::{FuncId, Module, Scalar, Severity, TypeKind, verify};
use akari_passes::pipelines::NAMED;
use akari_passes::strip::{entries, extract};
use akari_passes::{Artifact, IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Trial};

fn main() {
    serve_if_asked();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numeric");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().flat_map(|path| trials(&root, path)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "akari" || extension == "air") {
            files.push(path);
        }
    }
}

/// The tests of one case: one for each way. A header that cannot be read is a failed test of its own.
fn trials(root: &Path, path: PathBuf) -> Vec<Trial> {
    let name = path.strip_prefix(root).unwrap_or(&path).with_extension("").display().to_string();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return vec![Trial::test(name, move || Err(error.into()))],
    };
    let case = match case::parse(&text) {
        Ok(case) => case,
        Err(errors) => {
            let errors =
                errors.iter().map(|error| format!("{}: {error}", path.display())).collect::<Vec<_>>().join("\n");
            return vec![Trial::test(name, move || Err(errors.into()))];
        }
    };
    Way::ALL
        .into_iter()
        .filter(|way| is_there(*way))
        .map(|way| {
            let (path, text, case) = (path.clone(), text.clone(), case.clone());
            let skipped = case.skips.iter().any(|(skipped, _)| *skipped == way);
            let emitted = Path::new(env!("CARGO_TARGET_TMPDIR")).join("numeric").join(format!("{name} {way}"));
            Trial::test(format!("{name} {way}"), move || {
                run_case(&path, &text, &case, way, &emitted)
                    .map_err(|error| format!("{}:\n{error}", path.display()).into())
            })
            .with_ignored_flag(skipped)
        })
        .collect()
}

fn run_case(path: &Path, text: &str, case: &Case, way: Way, emitted: &Path) -> Result<(), String> {
    let module = compile(path, text)?;
    let (slotted, interface) = slots(&module, target(way))?;
    let program = match way {
        Way::Interp => Program::Ir(module),
        Way::Spirv => Program::Vulkan(native_modules(&slotted, emitted)?),
        Way::Dxc => Program::Vulkan(dxc_modules(&slotted, emitted)?),
        Way::Msl => Program::Metal(metal_program(&slotted, emitted)?),
    };
    let mut jobs = bind::jobs(case, &interface)?.into_iter();
    let mut job = jobs.next().ok_or("nothing to run")?;
    let mut outcome = program.run(&job)?;
    for next in jobs {
        job = next;
        job.continue_from(&outcome);
        outcome = program.run(&job)?;
    }
    compare::compare(case, &job, &outcome)
        .map_err(|report| format!("{report}\nwhat was emitted: {}*", emitted.display()))
}

/// A compiled case.
enum Program {
    Ir(Module),
    Vulkan(Vec<VulkanModule>),
    Metal(metal::Program),
}

impl Program {
    fn run(&self, job: &Job) -> Result<Outcome, String> {
        thread_local!(static VULKAN: RefCell<VulkanRunner> = const { RefCell::new(VulkanRunner::new()) });
        match self {
            Self::Ir(module) => interpreter::run(module, job),
            Self::Vulkan(modules) => {
                VULKAN.with_borrow_mut(|runner| runner.run(modules, job)).map_err(|error| error.to_string())
            }
            Self::Metal(program) => program.run(job),
        }
    }
}

/// The module of a case, as lowered from source.
fn compile(path: &Path, text: &str) -> Result<Module, String> {
    if path.extension().is_some_and(|extension| extension == "air") {
        return read(text).map_err(|error| format!("{error:?}"));
    }
    let mut sources = SourceMap::new();
    let name = path.display().to_string();
    let root = sources.add(name, text.as_bytes().to_vec()).map_err(|diagnostic| diagnostic.message)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let directories: Vec<PathBuf> =
        text.lines().filter_map(|line| line.strip_prefix("//! import-dir:")).map(|dir| folder.join(dir.trim())).collect();
    let mut find = |name: &str, sources: &mut SourceMap| {
        for directory in &directories {
            let path = directory.join(format!("{name}.akari"));
            if let Ok(bytes) = fs::read(&path) {
                return match sources.add(path.display().to_string(), bytes) {
                    Ok(file) => Found::File(file),
                    Err(diagnostic) => Found::Unreadable(diagnostic),
                };
            }
        }
        Found::Nowhere
    };
    let compiled = frontend::compile(root, &mut sources, &mut find);
    compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))
}

const fn target(way: Way) -> Target {
    match way {
        Way::Interp | Way::Spirv => Target::Spirv,
        Way::Dxc => Target::VulkanHlsl,
        Way::Msl => Target::Metal,
    }
}

/// The module with its slots, and its interface.
fn slots(module: &Module, target: Target) -> Result<(Module, Interface), String> {
    let mut slotted = module.clone();
    passes(&mut slotted, "assign-slots", target)?;
    let interface = Interface::of(&slotted)?;
    Ok((slotted, interface))
}

/// Runs a pipeline on a module; gives what it emitted.
fn passes(module: &mut Module, pipeline: &str, target: Target) -> Result<Vec<Artifact>, String> {
    let start = Pipeline::first_stage(pipeline).map_err(|error| error.to_string())?.unwrap_or(IrStage::Source);
    let pipeline = Pipeline::parse(pipeline, start).map_err(|error| error.to_string())?;
    let mut context = PassContext { target: Some(target), ..PassContext::default() };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let outcome = run(&pipeline, module, &mut context, &mut observer);
    let errors = context.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|diagnostic| diagnostic.message.clone()).collect();
    if let Err(error) = outcome {
        return Err(format!("{error}\n{}", errors.join("\n")));
    }
    if errors.is_empty() { Ok(context.artifacts) } else { Err(errors.join("\n")) }
}

/// What one entry is emitted as, its stage, and whether it touches `half`.
struct Emitted {
    bytes: Vec<u8>,
    entry: String,
    stage: Stage,
    half: bool,
}

/// Emits every entry on its own.
fn emit_entries(slotted: &Module, target: Target) -> Result<Vec<Emitted>, String> {
    entries(slotted).into_iter().map(|entry| emit_entry(slotted, entry, target)).collect()
}

fn emit_entry(slotted: &Module, entry: FuncId, target: Target) -> Result<Emitted, String> {
    let function = &slotted.functions[entry];
    let name = slotted.symbols.text(function.name).to_owned();
    let stage = Interface::of(slotted)?
        .entries
        .iter()
        .find(|candidate| candidate.name == name)
        .map(|candidate| candidate.stage)
        .ok_or("an entry without a stage")?;
    let mut module = extract(slotted, &[entry]);
    verify::verify(&module).map_err(|report| report.render(&module))?;
    let half = (1..=4).any(|width| module.types.find(TypeKind::vector(Scalar::F16, width)).is_some());
    let artifacts = passes(&mut module, &format!("@{}", name_of(target)), target)?;
    let [artifact] = artifacts.as_slice() else { return Err(format!("{} artifacts for one entry", artifacts.len())) };
    Ok(Emitted { bytes: artifact.bytes.clone(), entry: artifact.entry.clone().unwrap_or(name), stage, half })
}

fn name_of(target: Target) -> &'static str {
    Target::ALL.iter().find(|(candidate, _)| *candidate == target).map_or("", |(_, name)| name)
}

/// Whether the compiler has come far enough to emit for that way.
fn is_there(way: Way) -> bool {
    match way {
        Way::Interp => true,
        Way::Spirv | Way::Dxc | Way::Msl => NAMED.iter().any(|(name, _)| *name == name_of(target(way))),
    }
}

/// Akari's own SPIR-V, checked by all that reads SPIR-V.
fn native_modules(slotted: &Module, emitted: &Path) -> Result<Vec<VulkanModule>, String> {
    let mut modules = Vec::new();
    for Emitted { bytes, entry, stage, .. } in emit_entries(slotted, Target::Spirv)? {
        let words = spirv::words(&bytes).ok_or("half a word of SPIR-V")?;
        keep(emitted, &format!("{entry}.spvasm"), spirv::disassemble(&words).unwrap_or_default().as_bytes())?;
        spirv::check(&words)?;
        modules.push(VulkanModule { stage, entry, words });
    }
    Ok(modules)
}

/// Akari's Vulkan HLSL, compiled by DXC.
fn dxc_modules(slotted: &Module, emitted: &Path) -> Result<Vec<VulkanModule>, String> {
    let mut modules = Vec::new();
    for Emitted { bytes, entry, stage, half } in emit_entries(slotted, Target::VulkanHlsl)? {
        let source = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        keep(emitted, &format!("{entry}.hlsl"), source.as_bytes())?;
        let shader_model = if half { "6_2" } else { "6_0" };
        let compiled = hlsl::vulkan(hlsl::Entry { source: &source, stage, name: &entry, shader_model, half });
        modules.push(compiled.map_err(|error| format!("{error}\n{source}"))?);
    }
    Ok(modules)
}

/// Akari's Metal source, checked and compiled for the CPU.
fn metal_program(slotted: &Module, emitted: &Path) -> Result<metal::Program, String> {
    let artifacts = passes(&mut slotted.clone(), "@metal", Target::Metal)?;
    let [artifact] = artifacts.as_slice() else { return Err(format!("{} artifacts for a package", artifacts.len())) };
    let source = String::from_utf8(artifact.bytes.clone()).map_err(|error| error.to_string())?;
    keep(emitted, "metal", source.as_bytes())?;
    let check = metal::check(&source).and_then(|()| metal::Program::compile(&source));
    check.map_err(|error| format!("{error}\n{source}"))
}

/// Writes what was emitted for a case beside its name, for a person to read after a failure.
fn keep(emitted: &Path, suffix: &str, bytes: &[u8]) -> Result<(), String> {
    let mut path = emitted.as_os_str().to_owned();
    path.push(" ");
    path.push(suffix);
    let path = PathBuf::from(path);
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&path, bytes))
        .map_err(|error| format!("{}: {error}", path.display()))
}
