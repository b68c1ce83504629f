//! Every module that `tests/filetests/emit-spirv` makes is valid: for spirv-val, for rspirv's loader and for naga's reader.

use std::path::Path;
use std::{env, fs};

use akari::opt::read;
use akari_dialect_gpu_abi::Target;
use akari_harness::spirv;
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/emit-spirv");
    let mut files: Vec<_> = fs::read_dir(&root).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let trials = files
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "air"))
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn check(path: &Path) -> Result<(), Failed> {
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
    for artifact in &context.artifacts {
        let words = spirv::words(&artifact.bytes).ok_or("not whole words")?;
        spirv::check(&words)?;
    }
    Ok(())
}
