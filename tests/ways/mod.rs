//! How a source is compiled and run in each way that there is. A module of the test targets that need it.
#![allow(dead_code, reason = "not every target uses all of it")]

pub(crate) mod package;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, thread_local};

use akari::driver::{self, Platform, Request, Wanted};
use akari::opt::read;
use akari::render;
use akari::source::SourceMap;
use akari::spirv_floats;
use akari_dialect_gpu_abi::Manifest;
use akari_harness::case::Case;
use akari_harness::job::{Interface, Job, Outcome, Stage, Way};
use akari_harness::vulkan::{Module as VulkanModule, VulkanRunner};
use akari_harness::{bind, compare, direct3d, hlsl, interpreter, metal, spirv};
use akari_ir::interface::Stage as IrStage;
use akari_ir::module::Struct;
use akari_ir::{Module, Severity, Span, verify};
use akari_passes::{IrStage as Stages, Observer, PassContext, Pipeline, run};

/// Compiles a source for a way; what was emitted is kept at `emitted`.
pub(crate) fn build(source: &Source, way: Way, emitted: &Path) -> Result<(Program, Interface), String> {
    let (platform, wanted) = match way {
        Way::Interp => (Platform::Vulkan, Wanted { hlsl: false, spirv: false }),
        Way::Spirv => (Platform::Vulkan, Wanted { hlsl: false, spirv: true }),
        Way::Dxc | Way::D3d12 => (Platform::Vulkan, Wanted { hlsl: true, spirv: false }),
        Way::Msl => (Platform::Metal, Wanted { hlsl: false, spirv: false }),
    };
    let emission = emit(source, platform, wanted)?;
    let program = match way {
        Way::Interp => {
            let mut module = source.module.clone();
            emission.targets.give(&mut module);
            Program::Ir(Box::new(module))
        }
        Way::Spirv => Program::Vulkan(native_modules(&emission, emitted)?),
        Way::Dxc => Program::Vulkan(dxc_modules(&emission.outputs, emitted)?),
        Way::D3d12 => Program::Vulkan(dxc_modules(&direct3d_outputs(source, &emission)?, emitted)?),
        Way::Msl => Program::Metal(metal_program(&emission, emitted)?),
    };
    Ok((program, emission.interface))
}

/// The program after specialization, for the interpreter: nothing in it exists at compile time only.
pub(crate) fn specialized(source: &Source) -> Result<Program, String> {
    let mut module = source.module.clone();
    let pipeline = Pipeline::parse("const-fold,specialize", Stages::Source).map_err(|error| error.to_string())?;
    let mut context = PassContext::default();
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let outcome = run(&pipeline, &mut module, &mut context, &mut observer);
    outcome.map_err(|error| format!("{error}\n{}", render::report(&source.map, &context.diagnostics)))?;
    let leftover = module.functions.ids().find(|id| module.is_template(*id) || module.functions[*id].is_closure);
    match leftover {
        Some(id) => Err(format!("`{}` is left", module.text(module.functions[id].name))),
        None => Ok(Program::Ir(Box::new(module))),
    }
}

/// Direct3D 12 has no device here: its HLSL is compiled to DXIL, which is not run.
pub(crate) fn check_d3d12(source: &Source, emitted: &Path) -> Result<(), String> {
    let emission = emit(source, Platform::D3d12, Wanted { hlsl: true, spirv: false })?;
    for output in &emission.outputs {
        let source = output.text()?;
        keep(emitted, &format!("{}.hlsl", output.entry), source.as_bytes())?;
        hlsl::d3d12(output.hlsl_entry(source)).map_err(|error| format!("{error}\n{source}"))?;
    }
    Ok(())
}

/// A compiled case.
pub(crate) enum Program {
    Ir(Box<Module>),
    Vulkan(Vec<VulkanModule>),
    Metal(metal::Program),
}

impl Program {
    pub(crate) fn run(&self, job: &Job) -> Result<Outcome, String> {
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

/// Runs a numeric case one way, and compares what it leaves with what its header expects.
pub(crate) fn run_case(path: &Path, text: &str, case: &Case, way: Way, emitted: &Path) -> Result<(), String> {
    let mut source = compile(path, text, &case.import_dirs)?;
    if let Some(file) = &case.bindings {
        source.manifest = Some(package::read_manifest(&path.with_file_name(file))?);
    }
    let (program, interface) = build(&source, way, emitted)?;
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

/// The text of all outputs for other compilers, one target after the other.
pub(crate) fn texts(source: &Source) -> Result<String, String> {
    let mut all = String::new();
    for (platform, hlsl) in [(Platform::Metal, false), (Platform::D3d12, true), (Platform::Vulkan, true)] {
        for output in emit(source, platform, Wanted { hlsl, spirv: false })?.outputs {
            all += output.text()?;
        }
    }
    Ok(all)
}

/// A case as lowered from source.
pub(crate) struct Source {
    module: Module,
    map: SourceMap,
    /// Where its bindings are found; without one, slots are given automatically.
    manifest: Option<Arc<Manifest>>,
}

pub(crate) fn compile(path: &Path, text: &str, import_dirs: &[String]) -> Result<Source, String> {
    if path.extension().is_some_and(|extension| extension == "air") {
        let module = read(text).map_err(|error| format!("{error:?}"))?;
        return Ok(Source { module, map: SourceMap::new(), manifest: None });
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let folders: Vec<_> = import_dirs.iter().map(|directory| folder.join(directory)).collect();
    let (module, map) = package::lower(path, text, &folders)?;
    verify::verify(&module).map_err(|report| report.render(&module))?;
    Ok(Source { module, map, manifest: None })
}

/// What was emitted of a case.
struct Emission {
    outputs: Vec<Emitted>,
    /// With the names that the entries have in the outputs.
    interface: Interface,
    targets: Targets,
}

/// The numbers of colour targets that the source gives names: of each structure with its place, what `assign-slots` gave its fields.
#[derive(Default)]
struct Targets(Vec<(String, Option<Span>, Vec<Option<u32>>)>);

impl Targets {
    fn of(module: &Module) -> Self {
        let numbers = |structure: &Struct| structure.fields.iter().map(|field| field.location).collect();
        let structs = module.structs.iter();
        Self(structs.map(|(_, known)| (module.text(known.name).to_owned(), known.loc, numbers(known))).collect())
    }

    fn give(&self, module: &mut Module) {
        for id in module.structs.ids().collect::<Vec<_>>() {
            let (name, loc) = (module.text(module.structs[id].name).to_owned(), module.structs[id].loc);
            let known = self.0.iter().find(|(other, place, _)| *other == name && *place == loc);
            for (field, number) in
                module.structs[id].fields.iter_mut().zip(known.into_iter().flat_map(|(.., numbers)| numbers))
            {
                field.location = *number;
            }
        }
    }
}

/// One output; those of a whole package have no entry.
struct Emitted {
    bytes: Vec<u8>,
    entry: String,
    stage: Stage,
    /// Whether the entry touches `half`.
    half: bool,
    /// What DXC takes its HLSL for.
    shader_model: &'static str,
}

impl Emitted {
    fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.bytes).map_err(|error| error.to_string())
    }

    fn hlsl_entry<'a>(&'a self, source: &'a str) -> hlsl::Entry<'a> {
        hlsl::Entry { source, stage: self.stage, name: &self.entry, shader_model: self.shader_model, half: self.half }
    }
}

fn emit(source: &Source, platform: Platform, wanted: Wanted) -> Result<Emission, String> {
    let request = Request { platform, wanted, manifest: source.manifest.clone(), debug_lines: false };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let emission = driver::emit(source.module.clone(), &request, &source.map, &mut observer);
    if let Some(error) = emission.internal {
        return Err(error.to_string());
    }
    if emission.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(render::report(&source.map, &emission.diagnostics));
    }
    // D3D12 is never run: its registers are no slots of a job.
    let (mut interface, targets) = if platform == Platform::D3d12 {
        (Interface::default(), Targets::default())
    } else {
        let shared = driver::shared(source.module.clone()).0.ok_or("no module to give slots to")?;
        let slotted = driver::assign_slots(shared, platform, source.manifest.clone());
        (Interface::of(&slotted)?, Targets::of(&slotted))
    };
    for (_, name, emitted) in &emission.entries {
        if let Some(known) = interface.entries.iter_mut().find(|known| known.name == *name) {
            known.emitted.clone_from(emitted);
        }
    }
    let outputs = emission.outputs.into_iter().map(|output| {
        let shader_model = output.shader_model();
        let (stage, _, entry) = output.entry.unwrap_or((IrStage::Compute, String::new(), String::new()));
        Emitted { bytes: output.bytes, entry, stage: stage_of(stage), half: output.half, shader_model }
    });
    let outputs = outputs.collect();
    Ok(Emission { outputs, interface, targets })
}

const fn stage_of(stage: IrStage) -> Stage {
    match stage {
        IrStage::Vertex => Stage::Vertex,
        IrStage::Fragment => Stage::Fragment,
        IrStage::Compute => Stage::Compute,
    }
}

/// Akari's own SPIR-V, checked by all that reads SPIR-V.
fn native_modules(emission: &Emission, emitted: &Path) -> Result<Vec<VulkanModule>, String> {
    let mut modules = Vec::new();
    for Emitted { bytes, entry, stage, .. } in &emission.outputs {
        let words = spirv::words(bytes).ok_or("half a word of SPIR-V")?;
        keep(emitted, &format!("{entry}.spvasm"), spirv::disassemble(&words).unwrap_or_default().as_bytes())?;
        spirv::check(&words)?;
        modules.push(VulkanModule { stage: *stage, entry: entry.clone(), words });
    }
    Ok(modules)
}

/// Akari's Direct3D 12 HLSL, with the bindings of the Vulkan HLSL.
fn direct3d_outputs(source: &Source, vulkan: &Emission) -> Result<Vec<Emitted>, String> {
    let mut outputs = emit(source, Platform::D3d12, Wanted { hlsl: true, spirv: false })?.outputs;
    for (output, twin) in outputs.iter_mut().zip(&vulkan.outputs) {
        output.bytes = direct3d::with_vulkan_bindings(output.text()?, twin.text()?).into_bytes();
    }
    Ok(outputs)
}

/// HLSL with Vulkan's bindings, compiled by DXC.
fn dxc_modules(outputs: &[Emitted], emitted: &Path) -> Result<Vec<VulkanModule>, String> {
    let mut modules = Vec::new();
    for output in outputs {
        let source = output.text()?;
        keep(emitted, &format!("{}.hlsl", output.entry), source.as_bytes())?;
        let mut module = hlsl::vulkan(output.hlsl_entry(source)).map_err(|error| format!("{error}\n{source}"))?;
        module.words = spirv_floats::as_written(&module.words);
        let assembly = spirv::disassemble(&module.words).unwrap_or_default();
        keep(emitted, &format!("{}.spvasm", output.entry), assembly.as_bytes())?;
        modules.push(module);
    }
    Ok(modules)
}

/// Akari's Metal source, checked and compiled for the CPU.
fn metal_program(emission: &Emission, emitted: &Path) -> Result<metal::Program, String> {
    let [output] = emission.outputs.as_slice() else {
        return Err(format!("{} outputs for a package", emission.outputs.len()));
    };
    let source = output.text()?;
    keep(emitted, "metal", source.as_bytes())?;
    let check = metal::check(source).and_then(|()| metal::Program::compile(source));
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
