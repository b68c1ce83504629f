//! `akari compile`: builds the packages of a specification, each on its own; a broken one does not hold up the others.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use akari_dialect_gpu_abi::Manifest;
use akari_ir::interface::Stage;
use akari_ir::{Diagnostic, Severity};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::flags::{Compile, Config};
use super::{Failure, complain, load, publish, report, to_stderr, watch};
use crate::driver::{Output, OutputKind, Platform, Request, Wanted, emit, file_stem};
use crate::source::SourceMap;
use crate::spec::{Package, Spec, TYPES};

/// The report of a build, `shaders.akari.json` in the output folder.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Report {
    version: u32,
    target: String,
    config: Option<String>,
    packages: Vec<PackageReport>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PackageReport {
    name: String,
    shader: String,
    layout: Option<String>,
    status: String,
    artifacts: Vec<ArtifactReport>,
    shipping: Option<ShippingReport>,
    bindings: Vec<serde_json::Value>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ArtifactReport {
    file: String,
    stage: Option<String>,
    entry: Option<String>,
    size: u64,
    hash: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ShippingReport {
    root: bool,
    requires: Vec<String>,
}

const REPORT: &str = "shaders.akari.json";

/// What a package came to.
struct Built {
    sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    files: Vec<(String, Option<(Stage, String)>, Vec<u8>)>,
    failed: bool,
    shader: String,
    layout: Option<String>,
    bindings: Vec<serde_json::Value>,
    shown: watch::Shown,
}

pub(super) fn run(flags: &Compile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        watch::list_passes();
        return Ok(());
    }
    let (Some(path), Some(out)) = (&flags.spec, &flags.out) else { return Err(Failure::Usage) };
    let observer = watch::observer(&flags.passes)?;
    let mut sources = SourceMap::new();
    let spec = load::spec(path, &mut sources)?;
    if spec.platform != Platform::Vulkan && !flags.source_only && !flags.validate_only {
        let tool = if spec.platform == Platform::Metal { "`xcrun metal`" } else { "DXC" };
        complain(format!(
            "building with {tool} is not part of this version; `--source-only` publishes the emitted source, \
             `--validate-only` checks everything but publishes nothing"
        ));
        return Err(Failure::Input);
    }
    let base = path.parent().unwrap_or(Path::new("")).to_owned();
    let named = spec.import_paths.iter().flatten().map(|path| base.join(path)).chain(flags.engine_sdk.clone());
    load::require_folders(named.collect::<Vec<_>>().iter().map(PathBuf::as_path))?;
    let manifest = manifest(flags, &spec, &base, &mut sources)?.map(Arc::new);
    let import_dirs = import_dirs(flags, &spec, &base);
    let build = |package: &Package| {
        let mut observer = observer.clone();
        build(package, &spec, flags, &base, &import_dirs, manifest.clone(), &mut observer)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(flags.jobs.unwrap_or(0) as usize).build();
    let built: Vec<Built> = match pool {
        Ok(pool) => pool.install(|| spec.packages.par_iter().map(build).collect()),
        Err(error) => {
            complain(format!("cannot start threads: {error}"));
            return Err(Failure::Input);
        }
    };
    finish(flags, &spec, out, built)
}

fn finish(flags: &Compile, spec: &Spec, out: &Path, built: Vec<Built>) -> Result<(), Failure> {
    let mut failed = Vec::new();
    let last: Report = fs::read(out.join(REPORT))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let mut packages = Vec::new();
    for (package, mut built) in spec.packages.iter().zip(built) {
        built.shown.print();
        report(&built.sources, &mut built.diagnostics);
        let mut artifacts = Vec::new();
        if !built.failed && !flags.validate_only {
            for (file, entry, bytes) in &built.files {
                if publish::write(&out.join(file), bytes).is_err() {
                    built.failed = true;
                    break;
                }
                artifacts.push(ArtifactReport {
                    file: file.clone(),
                    stage: entry.as_ref().map(|(stage, _)| stage_name(*stage).to_owned()),
                    entry: entry.as_ref().map(|(_, name)| name.clone()),
                    size: bytes.len() as u64,
                    hash: blake3::hash(bytes).to_hex().to_string(),
                });
            }
        }
        if built.failed {
            failed.push(package.name.as_str());
            let before = last.packages.iter().find(|before| before.name == package.name);
            artifacts = before.map(|before| before.artifacts.clone()).unwrap_or_default();
        }
        packages.push(PackageReport {
            name: package.name.clone(),
            shader: built.shader,
            layout: built.layout,
            status: if built.failed { "failed" } else { "compiled" }.to_owned(),
            artifacts,
            shipping: package
                .shipping
                .as_ref()
                .map(|shipping| ShippingReport { root: shipping.root, requires: shipping.requires.clone() }),
            bindings: built.bindings,
        });
    }
    let count = packages.len();
    if !flags.validate_only {
        let target = TYPES.iter().find(|(platform, _)| *platform == spec.platform).map_or("", |(_, name)| name);
        let config = flags.config.map(|config| match config {
            Config::Debug => "debug".to_owned(),
            Config::Release => "release".to_owned(),
        });
        let report = Report { version: 1, target: target.to_owned(), config, packages };
        let mut text = serde_json::to_vec_pretty(&report).unwrap_or_default();
        text.push(b'\n');
        publish::write(&out.join(REPORT), &text)?;
    }
    if failed.is_empty() {
        let done = if flags.validate_only { "valid" } else { "built" };
        let packages = if count == 1 { "package" } else { "packages" };
        to_stderr(&format!("{count} {packages} {done}\n"));
        Ok(())
    } else {
        to_stderr(&format!("{} of {count} packages failed: {}\n", failed.len(), failed.join(", ")));
        Err(Failure::Input)
    }
}

fn stage_name(stage: Stage) -> &'static str {
    Stage::ALL.iter().find(|(candidate, _)| *candidate == stage).map_or("", |(_, name)| name)
}

fn manifest(
    flags: &Compile,
    spec: &Spec,
    base: &Path,
    sources: &mut SourceMap,
) -> Result<Option<Manifest>, Failure> {
    let path = match (&spec.manifest, &flags.engine_sdk) {
        (Some(path), _) => base.join(path),
        (None, Some(sdk)) => sdk.join("src/hikari/shaders/bindings.kaji.json"),
        (None, None) => return Ok(None),
    };
    load::manifest(&path, sources).map(Some)
}

fn import_dirs(flags: &Compile, spec: &Spec, base: &Path) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = spec.import_paths.iter().flatten().map(|path| base.join(path)).collect();
    if let Some(sdk) = &flags.engine_sdk {
        dirs.push(sdk.join("src/hikari/shaders/akari/modules"));
    }
    dirs
}

fn build(
    package: &Package,
    spec: &Spec,
    flags: &Compile,
    base: &Path,
    import_dirs: &[PathBuf],
    manifest: Option<Arc<Manifest>>,
    observer: &mut akari_passes::Observer,
) -> Built {
    let mut built = Built {
        sources: SourceMap::new(),
        diagnostics: Vec::new(),
        files: Vec::new(),
        failed: true,
        shader: String::new(),
        layout: None,
        bindings: Vec::new(),
        shown: watch::Shown::default(),
    };
    let input = base.join(&package.working_directory).join(&package.source);
    let Ok(loaded) = load::package(&input, import_dirs, &mut built.sources) else { return built };
    built.shader = loaded.shader;
    built.layout = loaded.layout;
    built.diagnostics = loaded.diagnostics;
    let Some(module) = loaded.module else { return built };
    let debug = match flags.config {
        Some(Config::Debug) => true,
        Some(Config::Release) => false,
        None => package.debug_symbols,
    };
    let request = Request {
        platform: spec.platform,
        wanted: Wanted { hlsl: flags.source_only, spirv: !flags.source_only },
        manifest,
        debug_lines: debug || spec.platform != Platform::Vulkan || flags.source_only,
    };
    let emission = emit(module, &request, &built.sources, observer);
    built.shown = watch::Shown::take(observer, &emission.counters);
    built.diagnostics.extend(emission.diagnostics);
    if let Some(internal) = &emission.internal {
        complain(format!("package `{}`: {internal}", package.name));
        return built;
    }
    built.failed = built.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if let Some(fault) = shader_model_fault(package, &emission.outputs).filter(|_| spec.platform == Platform::D3d12) {
        complain(fault);
        built.failed = true;
    }
    if !built.failed {
        built.files = emission.outputs.iter().map(|output| file(package, output, &emission.outputs)).collect();
    }
    built
}

/// What is wrong with the shader model that a package asks for: nothing that is too low for what it does may be asked for.
fn shader_model_fault(package: &Package, outputs: &[Output]) -> Option<String> {
    let asked = package.shader_model?;
    let output = outputs.iter().find(|output| output.least_shader_model() > asked)?;
    let what = if output.ray_query { "casts rays" } else { "computes with `half`" };
    let entry = output.entry.as_ref().map_or("", |(_, name, _)| name);
    let (major, minor) = asked;
    Some(format!(
        "package `{}`: the entry `{entry}` {what}, which takes shader model {}; `shaderModel` is {major}_{minor}",
        package.name,
        output.shader_model()
    ))
}

fn file(package: &Package, output: &Output, outputs: &[Output]) -> (String, Option<(Stage, String)>, Vec<u8>) {
    let extension = match output.kind {
        OutputKind::Metal => "metal",
        OutputKind::Hlsl => "hlsl",
        OutputKind::Spirv => "spv",
    };
    let name = format!("{}.{extension}", file_stem(&package.name, output, outputs));
    let entry = output.entry.as_ref().map(|(stage, _, emitted)| (*stage, emitted.clone()));
    (name, entry, output.bytes.clone())
}
