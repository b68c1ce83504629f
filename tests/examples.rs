//! What the driver makes of every package of `docs/examples`, with `#line` in it, satisfies DXC: the HLSL of Vulkan and of Direct3D 12.
//! `metal_checks` and `spirv_checks` do the same for Metal source and SPIR-V.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use akari::driver::{self, Emission, Output, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::source::SourceMap;
use akari::{manifest, render};
use akari_harness::job::Stage;
use akari_harness::{hlsl, spirv};
use akari_ir::interface::Stage as IrStage;
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/akari/packages");
    let mut packages: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    packages.sort();
    let mut trials = Vec::new();
    for path in packages {
        let package = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (form, check) in FORMS {
            let path = path.clone();
            trials.push(Trial::test(format!("{package} {form}"), move || check(&path)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

type Check = fn(&Path) -> Result<(), Failed>;

const FORMS: [(&str, Check); 2] = [("vulkan-hlsl", check_vulkan_hlsl), ("d3d12", check_d3d12)];

fn check_vulkan_hlsl(path: &Path) -> Result<(), Failed> {
    for output in emit(path, Platform::Vulkan, Wanted { hlsl: true, spirv: false })?.outputs {
        let module = hlsl::vulkan(entry(&output)?).map_err(|error| with_source(&error, &output))?;
        spirv::validate(&module.words)?;
    }
    Ok(())
}

fn check_d3d12(path: &Path) -> Result<(), Failed> {
    for output in emit(path, Platform::D3d12, Wanted { hlsl: true, spirv: false })?.outputs {
        hlsl::d3d12(entry(&output)?).map_err(|error| with_source(&error, &output))?;
    }
    Ok(())
}

fn entry(output: &Output) -> Result<hlsl::Entry<'_>, Failed> {
    let (stage, _, name) = output.entry.as_ref().ok_or("HLSL without an entry")?;
    let stage = match stage {
        IrStage::Vertex => Stage::Vertex,
        IrStage::Fragment => Stage::Fragment,
        IrStage::Compute => Stage::Compute,
    };
    let shader_model = if output.half { "6_2" } else { "6_0" };
    Ok(hlsl::Entry { source: std::str::from_utf8(&output.bytes)?, stage, name, shader_model, half: output.half })
}

fn with_source(error: &str, output: &Output) -> String {
    format!("{error}\n{}", String::from_utf8_lossy(&output.bytes))
}

fn emit(path: &Path, platform: Platform, wanted: Wanted) -> Result<Emission, Failed> {
    let folder = path.ancestors().nth(3).ok_or("no folder of examples")?;
    let mut sources = SourceMap::new();
    let add = |path: &Path, sources: &mut SourceMap| -> Result<_, String> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        sources.add(path.display().to_string(), bytes).map_err(|diagnostic| diagnostic.message)
    };
    let bindings = add(&folder.join("bindings.kaji.json"), &mut sources)?;
    let (manifest, faults) = manifest::read(bindings, sources.text(bindings));
    if !faults.is_empty() {
        return Err(render::report(&sources, &faults).into());
    }
    let root = add(path, &mut sources)?;
    let mut find = |name: &str, sources: &mut SourceMap| match add(
        &folder.join("akari/modules").join(format!("{name}.akari")),
        sources,
    ) {
        Ok(file) => Found::File(file),
        Err(_) => Found::Nowhere,
    };
    let compiled = frontend::compile(root, &mut sources, &mut find);
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    let request = Request { platform, wanted, manifest: Some(Arc::new(manifest)), debug_lines: true };
    let emission = driver::emit(module, &request, &sources, &mut Observer::default());
    if emission.outputs.is_empty() {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal).into());
    }
    Ok(emission)
}
