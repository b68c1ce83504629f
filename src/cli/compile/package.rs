//! Builds one package: front end, passes, the tool.

use akari_ir::interface::Stage;
use akari_ir::{Diagnostic, Severity};
use akari_passes::Observer;

use super::plan::{Job, Plan, Published};
use super::product::Product;
use crate::cli::load::{self, Reads};
use crate::cli::{codes, watch};
use crate::driver::{Output, OutputKind, Platform, Request, Wanted, emit, file_stem};
use crate::render;
use crate::source::SourceMap;

/// What came of a package.
pub(super) struct Built {
    /// What it became; none where it failed.
    pub(super) product: Option<Product>,
    /// What is to be printed of it: what passes showed, then diagnostics.
    pub(super) said: String,
    /// What it was made of.
    pub(super) reads: Reads,
}

/// Builds a package.
pub(super) fn build(job: &Job, plan: &Plan, observer: &mut Observer) -> Built {
    let mut sources = plan.sources.clone();
    let loaded = load::package(&job.input, &plan.import_dirs, &mut sources);
    let mut package = Package { job, plan, sources, diagnostics: loaded.diagnostics, shown: watch::Shown::default(), internal: None };
    let mut product = Product::default();
    (product.about.shader, product.about.layout) = (loaded.shader, loaded.layout);
    let made = loaded.module.and_then(|module| package.make(module, &mut product, observer));
    let diagnostics = package.diagnostics();
    let said = package.shown.text() + &diagnostics;
    product.about.said = diagnostics;
    Built { product: made.map(|()| product), said, reads: loaded.reads }
}

/// A package that is being built.
struct Package<'a> {
    job: &'a Job,
    plan: &'a Plan,
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    shown: watch::Shown,
    internal: Option<String>,
}

impl Package<'_> {
    /// Makes the files; none after errors.
    fn make(&mut self, module: akari_ir::Module, product: &mut Product, observer: &mut Observer) -> Option<()> {
        let Self { job, plan, .. } = *self;
        let as_source = plan.published == Published::Source;
        let request = Request {
            platform: plan.platform,
            wanted: Wanted { hlsl: as_source, spirv: !as_source },
            manifest: plan.manifest.clone(),
            debug_lines: job.debug || as_source,
        };
        let emission = emit(module, &request, &self.sources, observer);
        self.shown = watch::Shown::take(observer, &emission.counters);
        self.diagnostics.extend(emission.diagnostics);
        self.internal = emission.internal.map(|internal| format!("package `{}`: {internal}", job.name));
        if plan.platform == Platform::D3d12 {
            self.diagnostics.extend(shader_model_fault(job, &emission.outputs));
        }
        if self.internal.is_some() || self.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            return None;
        }
        if plan.published == Published::Nothing {
            return Some(());
        }
        for output in &emission.outputs {
            let extension = match output.kind {
                OutputKind::Metal => "metal",
                OutputKind::Hlsl => "hlsl",
                OutputKind::Spirv => "spv",
            };
            let entries: Vec<(&str, &str)> = match &output.entry {
                Some((stage, _, emitted)) => vec![(stage_name(*stage), emitted)],
                None => emission.entries.iter().map(|(stage, _, emitted)| (stage_name(*stage), emitted.as_str())).collect(),
            };
            let name = format!("{}.{extension}", file_stem(&job.name, output, &emission.outputs));
            product.add(name, &entries, output.bytes.clone());
        }
        Some(())
    }

    /// The diagnostics as they are printed.
    fn diagnostics(&mut self) -> String {
        render::sort(&mut self.diagnostics);
        let mut said = render::report(&self.sources, &self.diagnostics);
        said.extend(self.internal.iter().map(|internal| crate::cli::complaint(internal)));
        said
    }
}

/// What is wrong with the shader model that a package asks for: nothing that is too low for what it does may be asked for.
fn shader_model_fault(job: &Job, outputs: &[Output]) -> Option<Diagnostic> {
    let ((major, minor), span) = job.shader_model?;
    let output = outputs.iter().find(|output| output.least_shader_model() > (major, minor))?;
    let what = if output.ray_query { "casts rays" } else { "computes with `half`" };
    let entry = output.entry.as_ref().map_or("", |(_, name, _)| name);
    let message = format!(
        "the entry `{entry}` of `{}` {what}, which takes shader model {}; `shaderModel` is {major}_{minor}",
        job.name,
        output.shader_model()
    );
    Some(Diagnostic::error(codes::SHADER_MODEL, span, message))
}

fn stage_name(stage: Stage) -> &'static str {
    Stage::ALL.iter().find(|(candidate, _)| *candidate == stage).map_or("", |(_, name)| name)
}
