//! Every numeric case, end-to-end case and package of the example tree compiles in DXC without a warning, in both HLSL dialects, with the
//! example's binding manifest where it has one, for Direct3D 12 without optimization too, and to code that asks for every float operation as it is written.
//!
//! What was emitted lies in `target/tmp/hlsl` afterwards.

#[path = "ways/mod.rs"]
mod ways;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use akari_dialect_gpu_abi::{Manifest, Target};
use akari_harness::dxc;
use akari_harness::job::Stage;
use akari_harness::{hlsl, spirv};
use akari_ir::interface::Stage as IrStageKind;
use akari_ir::{Module, Scalar, Severity, TypeKind};
use akari_passes::strip::{entries, extract};
use akari_passes::{Artifact, IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Failed, Trial};
use ways::package;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("tests/numeric"), &mut files);
    collect(&root.join("tests/e2e"), &mut files);
    collect(&root.join("docs/examples/akari/packages"), &mut files);
    files.sort();
    let mut trials = Vec::new();
    for path in files {
        for target in [Target::D3d12, Target::VulkanHlsl] {
            let name = path.strip_prefix(root).unwrap_or(&path).with_extension("").display().to_string();
            let path = path.clone();
            let name = format!("{name} {}", name_of(target));
            let emitted = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hlsl").join(&name);
            trials.push(Trial::test(name, move || check(&path, target, &emitted)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn name_of(target: Target) -> &'static str {
    Target::ALL.iter().find(|(candidate, _)| *candidate == target).map_or("", |(_, name)| name)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            // Modules that cases import are no cases.
            if path.file_name().is_none_or(|name| name != "modules") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "akari") {
            files.push(path);
        }
    }
}

fn check(path: &Path, target: Target, emitted: &Path) -> Result<(), Failed> {
    let mut module = compile(path)?;
    passes(&mut module, "@shared,assign-slots", target, package::manifest(path)?)?;
    let mut signatures = Vec::new();
    for entry in entries(&module) {
        let mut single = extract(&module, &[entry]);
        let half = (1..=4).any(|width| single.types.find(TypeKind::vector(Scalar::F16, width)).is_some());
        let stage = match single.functions.iter().find_map(|(_, function)| function.entry).map(|entry| entry.stage) {
            Some(IrStageKind::Vertex) => Stage::Vertex,
            Some(IrStageKind::Fragment) => Stage::Fragment,
            Some(IrStageKind::Compute) | None => Stage::Compute,
        };
        let artifacts = passes(&mut single, &format!("@{}", name_of(target)), target, None)?;
        let [artifact] = artifacts.as_slice() else { return Err("not one artifact for one entry".into()) };
        let source = String::from_utf8_lossy(&artifact.bytes).into_owned();
        let name = artifact.entry.clone().unwrap_or_default();
        keep(emitted, &name, &source)?;
        let rays = single.types.find(TypeKind::AccelStruct).is_some();
        let shader_model = if rays {
            "6_5"
        } else if half {
            "6_2"
        } else {
            "6_0"
        };
        let entry = hlsl::Entry { source: &source, stage, name: &name, shader_model, half };
        let outcome = match target {
            Target::D3d12 => hlsl::d3d12_unoptimized(entry)
                .and_then(|_| hlsl::d3d12(entry))
                .and_then(|container| as_written(&container))
                .map(|container| signatures.push((stage, name.clone(), signature(&container, stage)))),
            _ => hlsl::vulkan(entry).and_then(|_| hlsl::vulkan_as_written(entry)).and_then(|module| {
                let loose = spirv::contractible(&module.words)?;
                if loose.is_empty() {
                    Ok(())
                } else {
                    Err(format!("may be contracted or folded:\n{}", loose.join("\n")))
                }
            }),
        };
        outcome.map_err(|error| format!("{error}\n{source}"))?;
    }
    stages_fit(&signatures)
}

/// That no operation of DXIL may be rounded or folded in another way than it says.
fn as_written(container: &[u8]) -> Result<Vec<u8>, String> {
    let text = dxc::shared()?.disassemble(container).map_err(|error| error.to_string())?;
    match text.lines().find(|line| line.contains(" fast ")) {
        Some(line) => Err(format!("may be contracted or folded: {line}")),
        None => Ok(container.to_vec()),
    }
}

/// The rows of a vertex stage's output signature or a fragment stage's input signature: name, index, mask, register.
fn signature(container: &[u8], stage: Stage) -> Vec<String> {
    let heading = if stage == Stage::Vertex { "; Output signature:" } else { "; Input signature:" };
    let text = dxc::shared().ok().and_then(|dxc| dxc.disassemble(container).ok()).unwrap_or_default();
    let rows = text.lines().skip_while(|line| *line != heading).skip(4).take_while(|line| line.len() > 1);
    rows.map(|row| row.split_whitespace().skip(1).take(4).collect::<Vec<_>>().join(" ")).collect()
}

/// Direct3D 12 refuses a pipeline whose stages have a varying in different registers.
fn stages_fit(signatures: &[(Stage, String, Vec<String>)]) -> Result<(), Failed> {
    for (_, vertex, outputs) in signatures.iter().filter(|(stage, ..)| *stage == Stage::Vertex) {
        if !outputs.iter().any(|row| row.starts_with("SV_Position")) {
            return Err(format!("`{vertex}` gives no position: {outputs:?}").into());
        }
        for (_, fragment, inputs) in signatures.iter().filter(|(stage, ..)| *stage == Stage::Fragment) {
            let varyings = inputs.iter().filter(|row| row.starts_with("TEXCOORD") || row.starts_with("SV_Position"));
            if let Some(row) = varyings.into_iter().find(|row| !outputs.contains(row)) {
                return Err(format!("`{fragment}` takes {row}; `{vertex}` gives {outputs:?}").into());
            }
        }
    }
    Ok(())
}

fn compile(path: &Path) -> Result<Module, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut folders: Vec<PathBuf> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! import-dir:"))
        .map(|dir| folder.join(dir.trim()))
        .collect();
    folders.push(folder.join("../modules"));
    Ok(package::lower(path, &text, &folders)?.0)
}

fn passes(
    module: &mut Module,
    pipeline: &str,
    target: Target,
    manifest: Option<Arc<Manifest>>,
) -> Result<Vec<Artifact>, String> {
    let start = Pipeline::first_stage(pipeline).map_err(|error| error.to_string())?.unwrap_or(IrStage::Source);
    let pipeline = Pipeline::parse(pipeline, start).map_err(|error| error.to_string())?;
    let mut context = PassContext { target: Some(target), manifest, ..PassContext::default() };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let outcome = run(&pipeline, module, &mut context, &mut observer);
    let errors = context.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|diagnostic| diagnostic.message.clone()).collect();
    match outcome {
        Ok(()) if errors.is_empty() => Ok(context.artifacts),
        Ok(()) => Err(errors.join("\n")),
        Err(error) => Err(format!("{error}\n{}", errors.join("\n"))),
    }
}

fn keep(emitted: &Path, entry: &str, source: &str) -> Result<(), String> {
    let path = PathBuf::from(format!("{} {entry}.hlsl", emitted.display()));
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(&path, source))
        .map_err(|error| error.to_string())
}
