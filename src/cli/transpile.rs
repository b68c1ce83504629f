//! `akari transpile`.

use std::path::Path;
use std::sync::Arc;

use akari_ir::Module;

use super::flags::{EmitKind, TargetName, Transpile};
use super::{Failure, complain, load, publish, report, to_stdout, watch};
use crate::driver::{Emission, Output, OutputKind, Platform, Request, Wanted, emit, file_stem};
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
    let mut sources = SourceMap::new();
    let manifest = match &flags.bindings {
        Some(path) => Some(Arc::new(load::manifest(path, &mut sources)?)),
        None => None,
    };
    let (module, mut diagnostics) = load::package(input, &flags.import_dirs, &mut sources)?;
    let Some(module) = module else {
        report(&sources, &mut diagnostics);
        return Err(Failure::Input);
    };
    if flags.dump_layout {
        dump(&module)?;
    }
    let (Some(target), Some(out)) = (flags.target, &flags.out) else {
        report(&sources, &mut diagnostics);
        return Ok(());
    };
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
            spirv: wants(EmitKind::Spv, true) || wants(EmitKind::Spvasm, false),
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
    write(&emission, &stem, out, wants(EmitKind::Spv, true), wants(EmitKind::Spvasm, false))
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

fn write(emission: &Emission, name: &str, out: &Path, spv: bool, spvasm: bool) -> Result<(), Failure> {
    for output in &emission.outputs {
        let stem = file_stem(name, output, &emission.outputs);
        let mut files: Vec<(&str, Vec<u8>)> = Vec::new();
        match output.kind {
            OutputKind::Metal => files.push(("metal", output.bytes.clone())),
            OutputKind::Hlsl => files.push(("hlsl", output.bytes.clone())),
            OutputKind::Spirv => {
                if spv {
                    files.push(("spv", output.bytes.clone()));
                }
                if spvasm {
                    files.push(("spvasm", disassemble(output)?.into_bytes()));
                }
            }
        }
        for (extension, bytes) in files {
            if out == Path::new("-") {
                to_stdout(&bytes);
            } else {
                publish::write(&out.join(format!("{stem}.{extension}")), &bytes)?;
            }
        }
    }
    Ok(())
}

fn disassemble(output: &Output) -> Result<String, Failure> {
    crate::spirv_text::disassemble(&output.bytes).ok_or_else(|| {
        complain("internal error: rspirv cannot read the SPIR-V that was made");
        Failure::Input
    })
}
