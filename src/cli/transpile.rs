//! `akari transpile`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use akari_ir::Module;

use super::flags::{EmitKind, TargetName, Transpile};
use super::{Failure, complain, load, publish, report, to_stdout, watch};
use crate::driver::{Emission, Output, OutputKind, Platform, Request, Wanted, check, emit, file_stem};
use crate::dump_layout::dump_layout;
use crate::source::SourceMap;

pub(super) fn run(flags: &Transpile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        watch::list_passes();
        return Ok(());
    }
    let Some(input) = &flags.input else { return Err(Failure::Usage) };
    if !flags.emit.is_empty() && flags.target != Some(TargetName::Spirv) {
        complain("`--emit` is for `--target=spirv`; the other targets have one output each");
        return Err(Failure::Usage);
    }
    let mut observer = watch::observer(&flags.passes)?;
    load::require_folders(flags.import_dirs.iter().map(PathBuf::as_path))?;
    let mut sources = SourceMap::new();
    let manifest = match &flags.bindings {
        Some(path) => Some(Arc::new(load::manifest(path, &mut sources)?)),
        None => None,
    };
    let load::Loaded { module, mut diagnostics, .. } = load::package(input, &flags.import_dirs, &mut sources);
    let Some(module) = module else {
        report(&sources, &mut diagnostics);
        return Err(Failure::Input);
    };
    let wanted = flags.target.zip(flags.out.as_ref());
    if wanted.is_none() {
        diagnostics.extend(check(module.clone()));
        if report(&sources, &mut diagnostics) {
            return Err(Failure::Input);
        }
    }
    if flags.dump_layout {
        dump(&module)?;
    }
    let Some((target, out)) = wanted else { return Ok(()) };
    // Words of SPIR-V are no text: they are printed only where they are asked for.
    let is_printed = out == Path::new("-");
    let wants = |kind: EmitKind, default: bool| {
        if flags.emit.is_empty() { default } else { flags.emit.contains(&kind) }
    };
    let request = Request {
        platform: match target {
            TargetName::Metal => Platform::Metal,
            TargetName::D3d12 => Platform::D3d12,
            TargetName::Spirv => Platform::Vulkan,
        },
        wanted: Wanted {
            hlsl: wants(EmitKind::Hlsl, true),
            spirv: wants(EmitKind::Spv, !is_printed) || wants(EmitKind::Spvasm, false),
        },
        manifest,
        debug_lines: !flags.no_line_directives,
    };
    let emission = emit(module, &request, &sources, &mut observer);
    watch::Shown::take(&mut observer, &emission.counters).print();
    diagnostics.extend(emission.diagnostics.iter().cloned());
    let failed = report(&sources, &mut diagnostics);
    if let Some(internal) = &emission.internal {
        complain(internal);
        return Err(Failure::Input);
    }
    if failed {
        return Err(Failure::Input);
    }
    let stem = input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let files = files(&emission, &stem, wants(EmitKind::Spv, true), wants(EmitKind::Spvasm, false))?;
    if files.is_empty() {
        complain(format!("nothing to write: SPIR-V is made of entries, and {} has none", input.display()));
        return Err(Failure::Input);
    }
    if is_printed {
        return print(&files);
    }
    files.iter().try_for_each(|file| publish::write(&out.join(&file.name), &file.bytes))
}

fn dump(module: &Module) -> Result<(), Failure> {
    match dump_layout(module) {
        Ok(text) => {
            to_stdout(text.as_bytes());
            Ok(())
        }
        Err(error) => {
            complain(format!("a layout does not fit 32 bits or nests too deep: {error:?}"));
            Err(Failure::Input)
        }
    }
}

/// What one file of the output is to hold.
struct File {
    name: String,
    bytes: Vec<u8>,
    /// What begins a comment in it; none in what is not text.
    comment: Option<&'static str>,
}

fn files(emission: &Emission, name: &str, spv: bool, spvasm: bool) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    for output in &emission.outputs {
        let stem = file_stem(name, output, &emission.outputs);
        let mut add = |extension, bytes, comment| {
            files.push(File { name: format!("{stem}.{extension}"), bytes, comment });
        };
        match output.kind {
            OutputKind::Metal => add("metal", output.bytes.clone(), Some("//")),
            OutputKind::Hlsl => add("hlsl", output.bytes.clone(), Some("//")),
            OutputKind::Spirv => {
                if spv {
                    add("spv", output.bytes.clone(), None);
                }
                if spvasm {
                    add("spvasm", disassemble(output)?.into_bytes(), Some(";"));
                }
            }
        }
    }
    Ok(files)
}

/// Prints one file as it is, several with the name of each before it.
fn print(files: &[File]) -> Result<(), Failure> {
    if let [file] = files {
        to_stdout(&file.bytes);
        return Ok(());
    }
    if files.iter().any(|file| file.comment.is_none()) {
        complain("several outputs cannot be printed when one is no text; write them to a folder, or ask for `--emit=spvasm`");
        return Err(Failure::Usage);
    }
    for file in files {
        to_stdout(format!("{} {}\n", file.comment.unwrap_or_default(), file.name).as_bytes());
        to_stdout(&file.bytes);
    }
    Ok(())
}

fn disassemble(output: &Output) -> Result<String, Failure> {
    crate::spirv_text::disassemble(&output.bytes).ok_or_else(|| {
        complain("internal error: rspirv cannot read the SPIR-V that was made");
        Failure::Input
    })
}
