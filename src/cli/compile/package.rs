//! Builds one package: front end, passes, the tool.

use std::collections::BTreeSet;
use std::time::Duration;

use akari_ir::{Code, Diagnostic, FileId, Module, Note, Severity, Span};
use akari_passes::Observer;
use rayon::prelude::*;

use super::plan::{Job, Plan, Published};
use super::product::Product;
use super::progress::Progress;
use super::reuse::Reuse;
use super::rows;
use super::toolchain::{self, Native, Order, Task, Tool, Trouble};
use crate::cli::json_text::JsonText;
use crate::cli::load::{self, Reads};
use crate::cli::{codes, complaint, pass_flags};
use crate::driver::{Emission, Output, OutputKind, Platform, Request, Wanted, emit_and_look, file_stem};
use crate::source::SourceMap;
use crate::{reflect, render, spirv_floats};

/// What came of a package.
pub(super) struct Built {
    /// What it became; none where it failed.
    pub(super) product: Option<Product>,
    /// What is to be printed of it: what passes showed, then diagnostics.
    pub(super) said: String,
    /// What it was made of.
    pub(super) reads: Reads,
    /// The names that it looked up in the manifest.
    pub(super) names: BTreeSet<String>,
    /// How long the compiler and tools worked on it.
    pub(super) time: Duration,
}

/// Builds a package. What a tool made of the same text before is taken from `reuse`.
pub(super) fn build(
    job: &Job,
    plan: &Plan,
    progress: &Progress,
    reuse: Option<&Reuse<'_>>,
    observer: &mut Observer,
) -> Built {
    let mut sources = plan.sources.clone();
    let (mut loaded, time) = progress.compiling(|| load::package(&job.input, &plan.import_dirs, &mut sources));
    if loaded.root.is_none() {
        loaded.diagnostics.iter_mut().for_each(|unreadable| unreadable.span = unreadable.span.or(Some(job.named)));
    }
    let mut package = Package {
        job,
        plan,
        progress,
        reuse,
        root: loaded.root,
        sources,
        diagnostics: loaded.diagnostics,
        shown: String::new(),
        told: String::new(),
        time,
    };
    let mut product = Product::default();
    (product.about.shader, product.about.layout) = (loaded.shader, loaded.layout);
    let names = loaded.module.as_ref().map(rows::names).unwrap_or_default();
    let module = loaded.module.filter(|_| package.can_look_up(&names));
    let lowered = module.clone().filter(|_| plan.published != Published::Nothing);
    let reflect = |shared: &Module| {
        let Some(module) = &lowered else { return };
        let (name, layout) = (product.about.shader.as_str(), product.about.layout.as_deref());
        let reflected = reflect::Package { module, declarations: &loaded.declarations, name, layout, stem: &job.name };
        // What is too large for a layout is an error of the passes too.
        let bindings = reflect::bindings(reflected, shared, plan.manifest.as_ref()).unwrap_or_default();
        product.about.bindings = JsonText::of(&bindings).unwrap_or_default();
    };
    let emission = module.and_then(|module| package.emit(module, observer, reflect));
    let made = emission.and_then(|emission| match (plan.published, &plan.tool) {
        (Published::Nothing, _) => Some(()),
        (_, Some((tool, native))) => package.make_natives(&emission, tool, *native, &mut product),
        (_, None) => {
            package.take_outputs(&emission, &mut product);
            Some(())
        }
    });
    let (shown, diagnostics) = package.said();
    product.about.said = diagnostics.clone();
    Built {
        product: made.map(|()| product),
        said: shown + &diagnostics,
        reads: loaded.reads,
        names,
        time: package.time,
    }
}

/// A package that is being built.
struct Package<'a> {
    job: &'a Job,
    plan: &'a Plan,
    progress: &'a Progress,
    reuse: Option<&'a Reuse<'a>>,
    root: Option<FileId>,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    /// What was asked to be seen: of passes, of tools.
    shown: String,
    /// What is said after the diagnostics of the source: what tools say, in their order, and faults of the compiler.
    told: String,
    time: Duration,
}

impl Package<'_> {
    /// Whether what it looks up in the manifest can be relied on.
    fn can_look_up(&mut self, names: &BTreeSet<String>) -> bool {
        let Some(manifest) = self.plan.faulty_manifest.as_ref().filter(|_| !names.is_empty()) else { return true };
        let message = format!(
            "the package `{}` needs the binding manifest {}, which has errors",
            self.job.name,
            manifest.display()
        );
        self.diagnostics.push(Diagnostic::error(codes::FAULTY_MANIFEST, None, message));
        false
    }

    /// Makes the outputs of the platform; none after errors. `look` is shown what they are made of.
    fn emit(&mut self, module: Module, observer: &mut Observer, look: impl FnOnce(&Module)) -> Option<Emission> {
        let Self { job, plan, .. } = *self;
        let takes_text = plan.published == Published::Source || plan.tool.is_some();
        let request = Request {
            platform: plan.platform,
            wanted: Wanted { hlsl: takes_text, spirv: !takes_text },
            manifest: plan.manifest.clone(),
            debug_lines: job.debug || plan.published == Published::Source,
        };
        let (mut emission, time) =
            self.progress.compiling(|| emit_and_look(module, &request, &self.sources, observer, look));
        self.time += time;
        self.shown = pass_flags::Shown::take(observer, &emission.counters).text();
        self.diagnostics.append(&mut emission.diagnostics);
        if plan.platform == Platform::D3d12 {
            self.diagnostics.extend(shader_model_fault(job, &emission.outputs));
        }
        if let Some(internal) = &emission.internal {
            self.told.push_str(&complaint(format!("package `{}`: {internal}", job.name)));
            return None;
        }
        if let Some(root) = self.root.filter(|_| emission.entries.is_empty() && self.diagnostics.is_empty()) {
            let message = format!("the package `{}` has no entry", job.name);
            let help =
                "a function is an entry with `@vertex`, `@fragment` or `@compute(threads = (x, y, z))` before it";
            self.diagnostics.push(Diagnostic::warning(codes::NO_ENTRY, Span::new(root, 0, 0), message).help(help));
        }
        let is_wrong = self.diagnostics.iter().any(|found| found.severity == Severity::Error);
        (!is_wrong).then_some(emission)
    }

    /// Takes the outputs as they are.
    fn take_outputs(&self, emission: &Emission, product: &mut Product) {
        for output in &emission.outputs {
            let extension = match output.kind {
                OutputKind::Metal => "metal",
                OutputKind::Hlsl => "hlsl",
                OutputKind::Spirv => "spv",
            };
            self.add(emission, output, extension, output.bytes.clone(), product);
        }
    }

    fn add(&self, emission: &Emission, output: &Output, extension: &str, bytes: Vec<u8>, product: &mut Product) {
        let entries = output.entry.as_ref().map_or(&emission.entries[..], std::slice::from_ref);
        let entries: Vec<_> = entries.iter().map(|(stage, _, emitted)| (stage.name(), emitted.as_str())).collect();
        let name = format!("{}.{extension}", file_stem(&self.job.name, output, &emission.outputs));
        product.add(name, &entries, bytes);
    }

    /// Has a tool make the artifacts, all at the same time; none where it refuses one. A text without entries gives none.
    fn make_natives(&mut self, emission: &Emission, tool: &Tool, native: Native, product: &mut Product) -> Option<()> {
        let outputs = if emission.entries.is_empty() { &[][..] } else { &emission.outputs };
        let order = |output: &Output| {
            let asked = self.job.shader_model.map(|(model, _)| model);
            let order = Order {
                native,
                entry: None,
                shader_model: asked.unwrap_or_default().max(output.least_shader_model()),
                half: output.half,
                optimization: self.job.optimization,
                debug: self.job.debug,
            };
            let entry = output.entry.as_ref().map(|(stage, _, emitted)| (*stage, emitted.as_str()));
            tool.arguments(&Order { entry, ..order })
        };
        let make = |output: &Output| {
            let arguments = order(output);
            let text = String::from_utf8_lossy(&output.bytes);
            let task = Task { native, package: &self.job.name, entry: entry_name(output), text: &text };
            let run = || self.progress.running_tool(tool.name(), &self.job.name, || tool.make(&task, &arguments));
            let (outcome, time) = match self.reuse {
                Some(reuse) => reuse.make(&text, &arguments, run),
                None => run(),
            };
            (arguments, outcome, time)
        };
        let made: Vec<_> = outputs.par_iter().map(make).collect();
        let mut is_whole = true;
        for (output, (arguments, outcome, time)) in outputs.iter().zip(made) {
            self.time += time;
            let (bytes, messages) = match outcome {
                Ok(made) => (Some(made.bytes), made.messages),
                Err(Trouble::Refused(messages)) => (None, messages),
                Err(Trouble::Unusable(why)) => {
                    self.tell_without_answer(codes::NO_TOOL, why, output);
                    is_whole = false;
                    continue;
                }
                Err(Trouble::Failed(why)) => {
                    self.tell_without_answer(codes::TOOL_FAILED, why, output);
                    is_whole = false;
                    continue;
                }
            };
            if self.plan.verbose {
                let stem = file_stem(&self.job.name, output, &emission.outputs);
                let line_end = if messages.is_empty() { "" } else { "\n" };
                self.shown.push_str(&format!("{}: {stem}: {}\n{messages}{line_end}", tool.name(), arguments.join(" ")));
            }
            let mut found = toolchain::diagnostics(tool.name(), &messages, bytes.is_none(), output, &self.sources);
            let misfit = self.unknown_shader_model(&mut found);
            let text = render::report(&self.sources, &found);
            // DXC has the same against each entry then.
            if !(misfit && self.told.contains(&text)) {
                self.told.push_str(&text);
            }
            match bytes {
                Some(bytes) => {
                    let bytes = if native == Native::Spirv { floats_as_written(&bytes) } else { bytes };
                    self.add(emission, output, native.extension(), bytes, product);
                }
                None => is_whole = false,
            }
        }
        is_whole.then_some(())
    }

    /// Where DXC does not know the shader model that the specification names: that is the place then.
    fn unknown_shader_model(&self, found: &mut [Diagnostic]) -> bool {
        let Some(((major, minor), span)) = self.job.shader_model else { return false };
        let mut any = false;
        for diagnostic in
            found.iter_mut().filter(|found| found.span.is_none() && found.message.contains("invalid profile"))
        {
            diagnostic.span = Some(span);
            diagnostic.message = format!("this DXC does not know shader model {major}_{minor}");
            diagnostic.help = Some("leave `shaderModel` out for the lowest that does, or have a newer DXC".to_owned());
            any = true;
        }
        any
    }

    /// Tells why a tool gave no answer, and of what it was asked.
    fn tell_without_answer(&mut self, code: Code, why: String, output: &Output) {
        let entry = entry_name(output).map(|name| format!(", entry `{name}`")).unwrap_or_default();
        let note = Note { message: format!("it was asked for package `{}`{entry}", self.job.name), span: None };
        let diagnostic = Diagnostic { notes: vec![note], ..Diagnostic::error(code, None, why) };
        self.told.push_str(&render::report(&self.sources, &[diagnostic]));
    }

    /// What was asked to be seen, and what there is to say, as it is printed.
    fn said(&mut self) -> (String, String) {
        render::sort(&mut self.diagnostics);
        let diagnostics = render::report(&self.sources, &self.diagnostics);
        (std::mem::take(&mut self.shown), diagnostics + &self.told)
    }
}

/// The entry of an output of one, as its source calls it.
fn entry_name(output: &Output) -> Option<&str> {
    output.entry.as_ref().map(|(_, name, _)| name.as_str())
}

/// DXC's SPIR-V with what DXC cannot be asked for.
fn floats_as_written(module: &[u8]) -> Vec<u8> {
    let words: Vec<u32> =
        module.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    spirv_floats::as_written(&words).into_iter().flat_map(u32::to_le_bytes).collect()
}

/// What is wrong with the shader model that a package asks for: nothing that is too low for what it does may be asked for.
fn shader_model_fault(job: &Job, outputs: &[Output]) -> Option<Diagnostic> {
    let ((major, minor), span) = job.shader_model?;
    let output = outputs.iter().find(|output| output.least_shader_model() > (major, minor))?;
    let what = if output.ray_query { "casts rays" } else { "computes with `half`" };
    let entry = entry_name(output).unwrap_or_default();
    let message = format!(
        "the entry `{entry}` of `{}` {what}, which takes shader model {}; `shaderModel` is {major}_{minor}",
        job.name,
        output.shader_model()
    );
    Some(Diagnostic::error(codes::SHADER_MODEL, span, message))
}
