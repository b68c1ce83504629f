//! Akari's SPIR-V is valid for spirv-val, for rspirv's loader and for naga's reader: every module that
//! `tests/filetests/emit-spirv` makes, and every package of `docs/examples`, with and without debug information.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::opt::read;
use akari::source::SourceMap;
use akari::{manifest, render};
use akari_dialect_gpu_abi::Target;
use akari_harness::spirv;
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for path in files(&root.join("tests/filetests/emit-spirv"), "air") {
        trials.push(Trial::test(format!("filetest {}", stem(&path)), move || filetest(&path)));
    }
    for path in files(&root.join("docs/examples/akari/packages"), "akari") {
        for debug in [false, true] {
            let path = path.clone();
            let name = format!("example {}{}", stem(&path), if debug { " with lines" } else { "" });
            trials.push(Trial::test(name, move || example(&path, debug)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn check(bytes: &[u8]) -> Result<(), Failed> {
    let words = spirv::words(bytes).ok_or("not whole words")?;
    Ok(spirv::check(&words)?)
}

fn filetest(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let input = text.split("; EXPECT\n").next().unwrap_or_default();
    let passes = input
        .lines()
        .find_map(|line| line.strip_prefix("; RUN: opt --passes="))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or("no `; RUN: opt --passes=` line")?;
    let mut module = read(input).map_err(|error| format!("{error:?}"))?;
    let start = Pipeline::first_stage(passes).map_err(|error| error.to_string())?;
    let pipeline = Pipeline::parse(passes, start.unwrap_or(IrStage::Source)).map_err(|error| error.to_string())?;
    let mut context = PassContext { target: Some(Target::Spirv), ..PassContext::default() };
    run(&pipeline, &mut module, &mut context, &mut Observer::default()).map_err(|error| error.to_string())?;
    if context.artifacts.is_empty() {
        return Err("no module was made".into());
    }
    context.artifacts.iter().try_for_each(|artifact| check(&artifact.bytes))
}

fn example(path: &Path, debug_lines: bool) -> Result<(), Failed> {
    let folder = path.ancestors().nth(3).ok_or("no folder of examples")?;
    let mut sources = SourceMap::new();
    let mut add = |path: &Path, sources: &mut SourceMap| -> Result<_, String> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        sources.add(path.display().to_string(), bytes).map_err(|diagnostic| diagnostic.message)
    };
    let bindings = add(&folder.join("bindings.kaji.json"), &mut sources)?;
    let (manifest, faults) = manifest::read(bindings, sources.text(bindings));
    if !faults.is_empty() {
        return Err(render::report(&sources, &faults).into());
    }
    let root = add(path, &mut sources)?;
    let mut find = |name: &str, sources: &mut SourceMap| {
        match add(&folder.join("akari/modules").join(format!("{name}.akari")), sources) {
            Ok(file) => Found::File(file),
            Err(_) => Found::Nowhere,
        }
    };
    let compiled = frontend::compile(root, &mut sources, &mut find);
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    let request = Request {
        platform: Platform::Vulkan,
        wanted: Wanted { hlsl: false, spirv: true },
        manifest: Some(Arc::new(manifest)),
        debug_lines,
    };
    let emission = driver::emit(module, &request, &sources, &mut Observer::default());
    if emission.outputs.is_empty() {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal).into());
    }
    emission.outputs.iter().try_for_each(|output| check(&output.bytes))
}
