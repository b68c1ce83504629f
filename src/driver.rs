//! From a lowered module to a target's outputs: which pipelines run on what.

use std::sync::Arc;

use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::interface::Stage;
use akari_ir::{Diagnostic, Module, Scalar, Severity, TypeKind};
use akari_passes::emit::text::LineOrigin;
use akari_passes::manager::pass::SourceFile;
use akari_passes::strip::{entries, extract};
use akari_passes::{IrStage, Observer, PassContext, Pipeline, PipelineError, RunError, run};

use crate::source::SourceMap;

/// What a package is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    /// Metal source.
    Metal,
    /// HLSL for Direct3D 12.
    D3d12,
    /// SPIR-V for Vulkan, and HLSL in its Vulkan dialect.
    Vulkan,
}

impl Platform {
    /// Every platform with its name in `--target`.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Metal, "metal"), (Self::D3d12, "d3d12"), (Self::Vulkan, "spirv")];

    /// The target that slots are assigned for.
    fn slots(self) -> Target {
        match self {
            Self::Metal => Target::Metal,
            Self::D3d12 => Target::D3d12,
            Self::Vulkan => Target::Spirv,
        }
    }
}

/// What an output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutputKind {
    /// Metal source of a whole package.
    Metal,
    /// HLSL of one entry.
    Hlsl,
    /// SPIR-V of one entry.
    Spirv,
}

/// Which outputs are wanted of a platform that has several; the others have one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Vulkan's HLSL.
    pub hlsl: bool,
    /// Vulkan's SPIR-V.
    pub spirv: bool,
}

/// What a module is to become.
#[derive(Clone, Debug)]
pub struct Request {
    /// The platform.
    pub platform: Platform,
    /// Which of its outputs.
    pub wanted: Wanted,
    /// Where bindings are found; without one, slots are given automatically.
    pub manifest: Option<Arc<Manifest>>,
    /// Whether text carries `#line` and SPIR-V `OpLine`.
    pub debug_lines: bool,
}

/// An output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What it is.
    pub kind: OutputKind,
    /// The entry it is of: stage, name in the source, name in the output. Absent for a whole package's.
    pub entry: Option<(Stage, String, String)>,
    /// Whether it touches 16-bit types: HLSL then takes `-enable-16bit-types` and shader model 6.2.
    pub half: bool,
    /// Whether it casts rays: HLSL then takes shader model 6.5.
    pub ray_query: bool,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Where the lines of a text came from.
    pub lines: Vec<LineOrigin>,
}

impl Output {
    /// The lowest shader model that DXC takes its HLSL for, as major and minor version.
    #[must_use]
    pub fn least_shader_model(&self) -> (u32, u32) {
        match (self.ray_query, self.half) {
            (true, _) => (6, 5),
            (false, true) => (6, 2),
            (false, false) => (6, 0),
        }
    }

    /// That as DXC writes it in the name of a profile.
    #[must_use]
    pub fn shader_model(&self) -> &'static str {
        match self.least_shader_model() {
            (6, 5) => "6_5",
            (6, 2) => "6_2",
            _ => "6_0",
        }
    }
}

/// What came of a module.
#[derive(Debug, Default)]
pub struct Emission {
    /// The outputs, in order of entries, all of one entry together. Empty after an error.
    pub outputs: Vec<Output>,
    /// All entries: stage, name in the source, name in the outputs. Empty after an error.
    pub entries: Vec<(Stage, String, String)>,
    /// What is to be told to the author.
    pub diagnostics: Vec<Diagnostic>,
    /// A fault of the compiler itself.
    pub internal: Option<RunError>,
    /// The counters of the passes.
    pub counters: Vec<(&'static str, u64)>,
}

/// A run over one module.
struct Run<'a> {
    request: &'a Request,
    sources: Vec<SourceFile>,
    observer: &'a mut Observer,
    emission: Emission,
}

/// Compiles a lowered module.
///
/// # Panics
/// Never: the named pipelines are checked by a test.
pub fn emit(module: Module, request: &Request, sources: &SourceMap, observer: &mut Observer) -> Emission {
    emit_and_look(module, request, sources, observer, |_| ())
}

/// As [`emit`]. `look` is shown the module of [`shared`] that the outputs are made of, which has its slots on the platform by then; nothing
/// after errors.
///
/// # Panics
/// Never: the named pipelines are checked by a test.
pub fn emit_and_look(
    module: Module,
    request: &Request,
    sources: &SourceMap,
    observer: &mut Observer,
    look: impl FnOnce(&Module),
) -> Emission {
    let mut run = Run::new(request, sources, observer);
    if run.all(module, look).is_none() {
        run.emission.outputs.clear();
        run.emission.entries.clear();
    }
    run.emission
}

/// What every platform begins with.
const SHARED: &str = "known-names,@shared,assign-slots";

impl<'a> Run<'a> {
    fn new(request: &'a Request, sources: &SourceMap, observer: &'a mut Observer) -> Self {
        let sources = sources
            .files()
            .map(|(_, file)| SourceFile { name: file.name().to_owned(), line_starts: file.line_starts() })
            .collect();
        Self { request, sources, observer, emission: Emission::default() }
    }

    fn all(&mut self, mut module: Module, look: impl FnOnce(&Module)) -> Option<()> {
        let platform = self.request.platform;
        self.pipeline(SHARED, platform.slots(), IrStage::Source, &mut module)?;
        look(&module);
        let declared = declared(&module);
        match platform {
            Platform::Metal => {
                self.output(OutputKind::Metal, None, "@metal", Target::Metal, &mut module)?;
                // Entries keep their order, and only their names change.
                for ((stage, name), renamed) in declared.into_iter().zip(entries(&module)) {
                    let emitted = module.text(module.functions[renamed].name).to_owned();
                    self.emission.entries.push((stage, name, emitted));
                }
            }
            Platform::D3d12 => self.each_entry(&mut module, &declared, "@d3d12", Target::D3d12)?,
            Platform::Vulkan => {
                if self.request.wanted.hlsl {
                    self.each_entry(&mut module, &declared, "@vulkan-hlsl", Target::VulkanHlsl)?;
                }
                if self.request.wanted.spirv && !declared.is_empty() {
                    // The emitter takes what each entry reaches by itself: no copies of the module.
                    let artifacts = self.pipeline("@spirv", Target::Spirv, IrStage::Slotted, &mut module)?;
                    let (half, ray_query) = (has_half(&module), has_rays(&module));
                    for ((stage, name), artifact) in declared.iter().zip(artifacts) {
                        let emitted = artifact.entry.unwrap_or_else(|| name.clone());
                        let entry = Some(self.add_entry(*stage, name, emitted));
                        let (bytes, lines) = (artifact.bytes, artifact.lines);
                        self.emission.outputs.push(Output {
                            kind: OutputKind::Spirv,
                            entry,
                            half,
                            ray_query,
                            bytes,
                            lines,
                        });
                    }
                }
                let position = |output: &Output| {
                    let of = |(stage, name, _): &(Stage, String, String)| {
                        declared.iter().position(|(other, declared)| other == stage && declared == name)
                    };
                    (output.entry.as_ref().and_then(of), output.kind)
                };
                self.emission.outputs.sort_by_cached_key(position);
            }
        }
        Some(())
    }

    /// One text of each entry; of a module without entries one with all its functions.
    fn each_entry(
        &mut self,
        module: &mut Module,
        declared: &[(Stage, String)],
        pipeline: &str,
        target: Target,
    ) -> Option<()> {
        if declared.is_empty() {
            return self.output(OutputKind::Hlsl, None, pipeline, target, module);
        }
        for (func, entry) in entries(module).into_iter().zip(declared) {
            let mut extracted = extract(module, &[func]);
            self.output(OutputKind::Hlsl, Some(entry), pipeline, target, &mut extracted)?;
        }
        Some(())
    }

    fn add_entry(&mut self, stage: Stage, name: &str, emitted: String) -> (Stage, String, String) {
        let entry = (stage, name.to_owned(), emitted);
        if !self.emission.entries.contains(&entry) {
            self.emission.entries.push(entry.clone());
        }
        entry
    }

    fn output(
        &mut self,
        kind: OutputKind,
        entry: Option<&(Stage, String)>,
        pipeline: &str,
        target: Target,
        module: &mut Module,
    ) -> Option<()> {
        let (half, ray_query) = (has_half(module), has_rays(module));
        for artifact in self.pipeline(pipeline, target, IrStage::Slotted, module)? {
            let entry = entry.map(|(stage, name)| {
                let emitted = artifact.entry.clone().unwrap_or_else(|| name.clone());
                self.add_entry(*stage, name, emitted)
            });
            let (bytes, lines) = (artifact.bytes, artifact.lines);
            self.emission.outputs.push(Output { kind, entry, half, ray_query, bytes, lines });
        }
        Some(())
    }

    /// Runs a pipeline; gives what it emitted, or nothing after an error.
    fn pipeline(
        &mut self,
        text: &str,
        target: Target,
        stage: IrStage,
        module: &mut Module,
    ) -> Option<Vec<akari_passes::Artifact>> {
        let pipeline = named(text, stage).expect("the named pipelines are checked by a test");
        let mut context = PassContext {
            target: Some(target),
            manifest: self.request.manifest.clone(),
            sources: std::mem::take(&mut self.sources),
            line_directives: self.request.debug_lines,
            ..PassContext::default()
        };
        let outcome = run(&pipeline, module, &mut context, self.observer);
        self.sources = context.sources;
        for (name, amount) in context.counters {
            match self.emission.counters.iter_mut().find(|(counter, _)| *counter == name) {
                Some((_, total)) => *total += amount,
                None => self.emission.counters.push((name, amount)),
            }
        }
        let failed = context.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        for diagnostic in context.diagnostics {
            // Passes that run once an entry may say the same of what entries share.
            if !self.emission.diagnostics.contains(&diagnostic) {
                self.emission.diagnostics.push(diagnostic);
            }
        }
        match outcome {
            Ok(()) if failed => None,
            Ok(()) => Some(context.artifacts),
            Err(RunError::Failed(_)) if failed => None,
            Err(error) => {
                self.emission.internal = Some(error);
                None
            }
        }
    }
}

/// What the passes find in a module that every platform begins with. None of what they make of it is kept.
///
/// # Panics
/// Never: the named pipelines are checked by a test.
#[must_use]
pub fn check(module: Module) -> Vec<Diagnostic> {
    shared(module).1
}

/// The module as every platform begins with it: without anything of compile time, and each entry with the resources that it reaches.
/// None after errors. Beside it what there is to tell.
///
/// # Panics
/// Never: the named pipelines are checked by a test.
#[must_use]
pub fn shared(mut module: Module) -> (Option<Module>, Vec<Diagnostic>) {
    let pipeline = named("@shared", IrStage::Source).expect("the named pipelines are checked by a test");
    let mut context = PassContext::default();
    let outcome = run(&pipeline, &mut module, &mut context, &mut Observer::default());
    (outcome.is_ok().then_some(module), context.diagnostics)
}

/// A module of [`shared`] with its slots on a platform. What is wrong with one is told by [`emit`]: it has none, and the others have theirs.
///
/// # Panics
/// Never: the named pipelines are checked by a test.
#[must_use]
pub fn assign_slots(mut module: Module, platform: Platform, manifest: Option<Arc<Manifest>>) -> Module {
    let pipeline = named("assign-slots", IrStage::Source).expect("the named pipelines are checked by a test");
    let mut context = PassContext { target: Some(platform.slots()), manifest, ..PassContext::default() };
    let _ = run(&pipeline, &mut module, &mut context, &mut Observer::default());
    module
}

/// The entries of a module, with their names in the source.
fn declared(module: &Module) -> Vec<(Stage, String)> {
    let functions = module.functions.iter().map(|(_, function)| function);
    functions.filter_map(|function| Some((function.entry?.stage, module.text(function.name).to_owned()))).collect()
}

fn has_half(module: &Module) -> bool {
    (1..=4).any(|width| module.types.find(TypeKind::vector(Scalar::F16, width)).is_some())
}

/// Whether anything in a module asks what a ray meets.
fn has_rays(module: &Module) -> bool {
    module.types.find(TypeKind::AccelStruct).is_some()
}

fn named(text: &str, stage: IrStage) -> Result<Pipeline, PipelineError> {
    Pipeline::parse(text, stage)
}

/// File stems for the outputs of one package: `<package>_<vs|ps|cs>`, with the entry's name between where a stage has several;
/// just the package for a whole package's.
#[must_use]
pub fn file_stem(package: &str, output: &Output, outputs: &[Output]) -> String {
    let Some((stage, name, _)) = &output.entry else { return package.to_owned() };
    let siblings = outputs
        .iter()
        .filter(|other| other.kind == output.kind && other.entry.as_ref().is_some_and(|(other, ..)| other == stage));
    if siblings.count() > 1 {
        format!("{package}_{name}_{}", stage.suffix())
    } else {
        format!("{package}_{}", stage.suffix())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_pipelines_are_in_order() {
        for name in [SHARED, "@shared", "assign-slots"] {
            named(name, IrStage::Source).unwrap_or_else(|error| panic!("{error}"));
        }
        for name in ["@metal", "@d3d12", "@vulkan-hlsl", "@spirv"] {
            named(name, IrStage::Slotted).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
