//! Akari's SPIR-V is valid for spirv-val, for rspirv's loader and for naga's reader: every module that
//! `tests/filetests/emit-spirv` makes, and every package of `docs/examples`, with and without debug information.

#[path = "ways/mod.rs"]
mod ways;

use std::fs;
use std::path::Path;
use std::process::Command;

use akari::driver::{Platform, Wanted};
use akari::opt::read;
use akari::spirv_text;
use akari_dialect_gpu_abi::Target;
use akari_harness::{spirv, tools};
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Failed, Trial};
use ways::package;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for path in package::files(&root.join("tests/filetests/emit-spirv"), "air") {
        trials.push(Trial::test(format!("filetest {}", package::stem(&path)), move || filetest(&path)));
    }
    for path in package::examples() {
        for debug in [false, true] {
            let path = path.clone();
            let name = format!("example {}{}", package::stem(&path), if debug { " with lines" } else { "" });
            trials.push(Trial::test(name, move || example(&path, debug)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
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
    for artifact in &context.artifacts {
        check(&artifact.bytes)?;
        assembles(&artifact.bytes)?;
    }
    Ok(())
}

/// The text of a module is a module for `spirv-as`, of as many words and as valid.
fn assembles(bytes: &[u8]) -> Result<(), Failed> {
    let text = spirv_text::disassemble(bytes).ok_or("no text")?;
    let assembler = tools::repository().join(".tools/bin/spirv-as");
    let folder = tempfile::tempdir()?;
    let (source, object) = (folder.path().join("text.spvasm"), folder.path().join("words.spv"));
    fs::write(&source, &text)?;
    let output =
        Command::new(assembler).args(["--target-env", "vulkan1.2"]).arg(&source).arg("-o").arg(&object).output()?;
    if !output.status.success() {
        return Err(format!("spirv-as: {}\n{text}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let assembled = fs::read(&object)?;
    check(&assembled)?;
    let constants = |bytes: &[u8]| -> Vec<Vec<u32>> {
        let words = spirv::words(bytes).unwrap_or_default();
        // `OpConstant`, without its type and its id.
        spirv_instructions(&words).filter(|words| words[0] & 0xffff == 43).map(|words| words[3..].to_vec()).collect()
    };
    if assembled.len() == bytes.len() && constants(&assembled) == constants(bytes) {
        return Ok(());
    }
    Err(format!("the text is another module:\n{text}").into())
}

/// The instructions after the header.
fn spirv_instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = (rest.first()? >> 16) as usize;
        let (instruction, tail) = rest.split_at_checked(length.max(1))?;
        rest = tail;
        Some(instruction)
    })
}

fn example(path: &Path, debug_lines: bool) -> Result<(), Failed> {
    let wanted = Wanted { hlsl: false, spirv: true };
    let emission = package::emit(path, Platform::Vulkan, wanted, debug_lines)?;
    emission.outputs.iter().try_for_each(|output| check(&output.bytes))
}
