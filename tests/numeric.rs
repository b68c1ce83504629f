//! Numeric cases: every `tests/numeric/**/*.akari` (and `.air`, for what no source makes) is compiled and run in every way there
//! is, and each must give the numbers that its header expects. `akari_harness::case` describes the header.
//!
//! A test is called `<area>/<name> <way>`: `cargo test --test numeric -- casts spirv` runs some of them. What was emitted for a
//! case lies in `target/tmp/numeric` afterwards.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::{fs, thread_local};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::opt::read;
use akari::render;
use akari::source::SourceMap;
use akari_harness::case::{self, Case};
use akari_harness::job::{Interface, Job, Outcome, Stage, Way};
use akari_harness::vulkan::{Module as VulkanModule, VulkanRunner, serve_if_asked};
use akari_harness::{bind, compare, hlsl, interpreter, metal, spirv};
use akari_ir::interface::Stage as IrStage;
use akari_ir::{Module, Severity, verify};
use akari_passes::Observer;
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
            // What cases import is no case.
            if path.file_name().is_none_or(|name| name != "modules") {
                collect(&path, files);
            }
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
    let emitted =
        |suffix: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join("numeric").join(format!("{name} {suffix}"));
    let mut trials = Vec::new();
    for way in Way::ALL {
        let (path, text, case, emitted) = (path.clone(), text.clone(), case.clone(), emitted(way.name()));
        let skipped = case.skips.iter().any(|(skipped, _)| *skipped == way);
        let test = move || {
            run_case(&path, &text, &case, way, &emitted).map_err(|error| format!("{}:\n{error}", path.display()).into())
        };
        trials.push(Trial::test(format!("{name} {way}"), test).with_ignored_flag(skipped));
    }
    trials
}

fn run_case(path: &Path, text: &str, case: &Case, way: Way, emitted: &Path) -> Result<(), String> {
    let source = compile(path, text, &case.import_dirs)?;
    let (platform, wanted) = match way {
        Way::Interp => (Platform::Vulkan, Wanted { hlsl: false, spirv: false }),
        Way::Spirv => (Platform::Vulkan, Wanted { hlsl: false, spirv: true }),
        Way::Dxc => (Platform::Vulkan, Wanted { hlsl: true, spirv: false }),
        Way::Msl => (Platform::Metal, Wanted { hlsl: false, spirv: false }),
    };
    let emission = emit(&source, platform, wanted)?;
    let program = match way {
        Way::Interp => Program::Ir(source.module),
        Way::Spirv => Program::Vulkan(native_modules(&emission, emitted)?),
        Way::Dxc => Program::Vulkan(dxc_modules(&emission, emitted)?),
        Way::Msl => Program::Metal(metal_program(&emission, emitted)?),
    };
    let mut jobs = bind::jobs(case, &emission.interface)?.into_iter();
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

/// A case as lowered from source.
struct Source {
    module: Module,
    map: SourceMap,
}

fn compile(path: &Path, text: &str, import_dirs: &[String]) -> Result<Source, String> {
    if path.extension().is_some_and(|extension| extension == "air") {
        let module = read(text).map_err(|error| format!("{error:?}"))?;
        return Ok(Source { module, map: SourceMap::new() });
    }
    let mut sources = SourceMap::new();
    let name = path.display().to_string();
    let root = sources.add(name, text.as_bytes().to_vec()).map_err(|diagnostic| diagnostic.message)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let directories: Vec<_> = import_dirs.iter().map(|directory| folder.join(directory)).collect();
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
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    verify::verify(&module).map_err(|report| report.render(&module))?;
    Ok(Source { module, map: sources })
}

/// What was emitted of a case.
struct Emission {
    outputs: Vec<Emitted>,
    /// With the names that the entries have in the outputs.
    interface: Interface,
}

/// One output; those of a whole package have no entry.
struct Emitted {
    bytes: Vec<u8>,
    entry: String,
    stage: Stage,
    /// Whether the entry touches `half`.
    half: bool,
}

impl Emitted {
    fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.bytes).map_err(|error| error.to_string())
    }

    fn hlsl_entry<'a>(&'a self, source: &'a str) -> hlsl::Entry<'a> {
        let shader_model = if self.half { "6_2" } else { "6_0" };
        hlsl::Entry { source, stage: self.stage, name: &self.entry, shader_model, half: self.half }
    }
}

fn emit(source: &Source, platform: Platform, wanted: Wanted) -> Result<Emission, String> {
    let request = Request { platform, wanted, manifest: None, debug_lines: false };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let emission = driver::emit(source.module.clone(), &request, &source.map, &mut observer);
    if let Some(error) = emission.internal {
        return Err(error.to_string());
    }
    if emission.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(render::report(&source.map, &emission.diagnostics));
    }
    let slotted = driver::with_slots(source.module.clone(), &request, &source.map).ok_or("no module with slots")?;
    let mut interface = Interface::of(&slotted)?;
    for (_, name, emitted) in &emission.entries {
        if let Some(known) = interface.entries.iter_mut().find(|known| known.name == *name) {
            known.emitted.clone_from(emitted);
        }
    }
    let outputs = emission.outputs.into_iter().map(|output| {
        let (stage, _, entry) = output.entry.unwrap_or((IrStage::Compute, String::new(), String::new()));
        Emitted { bytes: output.bytes, entry, stage: stage_of(stage), half: output.half }
    });
    let outputs = outputs.collect();
    Ok(Emission { outputs, interface })
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

/// Akari's Vulkan HLSL, compiled by DXC.
fn dxc_modules(emission: &Emission, emitted: &Path) -> Result<Vec<VulkanModule>, String> {
    let mut modules = Vec::new();
    for output in &emission.outputs {
        let source = output.text()?;
        keep(emitted, &format!("{}.hlsl", output.entry), source.as_bytes())?;
        modules.push(hlsl::vulkan(output.hlsl_entry(source)).map_err(|error| format!("{error}\n{source}"))?);
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
