//! `akari transpile`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use akari_dialect_gpu_abi::Manifest;
use akari_dialect_gpu_abi::layout::LayoutError;
use akari_ir::{Diagnostic, Module, Severity};

use super::flags::{EmitKind, HostName, TargetName, Transpile};
use super::{Failure, complain, load, output_file, pass_flags, refused, report, to_stdout};
use crate::driver::{Emission, Output, OutputKind, Platform, Request, Wanted, check, emit, file_stem};
use crate::dump_layout::dump_layout;
use crate::reflect;
use crate::reflect::host::{self, Language};
use crate::source::SourceMap;

pub(super) fn run(flags: &Transpile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        return pass_flags::list_passes();
    }
    let Some(input) = &flags.input else { return Err(Failure::Usage) };
    check_flags(flags)?;
    let mut observer = pass_flags::observer(&flags.passes)?;
    load::require_folders(flags.import_dirs.iter().map(PathBuf::as_path), "`--import-dir`")?;
    let mut sources = SourceMap::new();
    let (manifest, faults) = match &flags.bindings {
        Some(path) => {
            let (manifest, faults) = load::manifest_with_faults(path, None, &mut sources)?;
            (Some(Arc::new(manifest)), faults)
        }
        None => (None, Vec::new()),
    };
    let load::Loaded { module, shader, layout, declarations, mut diagnostics, .. } =
        load::package(input, &flags.import_dirs, &mut sources);
    let is_sound = faults.is_empty();
    diagnostics.extend(faults);
    let Some(module) = module else {
        report(&sources, &mut diagnostics);
        return Err(Failure::Input);
    };
    if !is_sound {
        // What the package itself has to be told of is told in the same run; where its bindings are nobody knows.
        add_new(&mut diagnostics, check(module));
        report(&sources, &mut diagnostics);
        return Err(Failure::Input);
    }
    let stem = input.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let package = reflect::Package {
        module: &module,
        declarations: &declarations,
        name: &shader,
        layout: layout.as_deref(),
        stem: &stem,
    };
    let for_host = for_host(flags, package, manifest.as_ref(), &sources, &mut diagnostics)?;
    let wanted = flags.target.zip(flags.out.as_ref());
    if wanted.is_none() {
        add_new(&mut diagnostics, check(module.clone()));
        if report(&sources, &mut diagnostics) {
            return Err(Failure::Input);
        }
    }
    if flags.dump_layout {
        dump(&module)?;
    }
    let Some((target, out)) = wanted else {
        return flags.out.as_ref().map_or(Ok(()), |out| write(out, &for_host));
    };
    // Words of SPIR-V are no text: they are printed only where they are asked for.
    let is_printed = out == Path::new("-");
    let wants = |kind: EmitKind, default: bool| {
        if flags.emit.is_empty() { default } else { flags.emit.contains(&kind) }
    };
    let request = Request {
        platform: target.platform(),
        wanted: Wanted {
            hlsl: wants(EmitKind::Hlsl, true),
            spirv: wants(EmitKind::Spv, !is_printed) || wants(EmitKind::Spvasm, false),
        },
        manifest,
        debug_lines: !flags.no_line_directives,
    };
    let emission = emit(module.clone(), &request, &sources, &mut observer);
    pass_flags::Shown::take(&mut observer, &emission.counters).print();
    add_new(&mut diagnostics, emission.diagnostics.iter().cloned());
    let failed = report(&sources, &mut diagnostics);
    if let Some(internal) = &emission.internal {
        complain(internal);
        return Err(Failure::Input);
    }
    if failed {
        return Err(Failure::Input);
    }
    let mut files = files(&emission, &stem, wants(EmitKind::Spv, true), wants(EmitKind::Spvasm, false))?;
    if files.is_empty() {
        complain(format!("nothing to write: SPIR-V is made of entries, and {} has none", input.display()));
        return Err(Failure::Input);
    }
    files.extend(for_host);
    write(out, &files)
}

/// Refuses flags that do not go together.
fn check_flags(flags: &Transpile) -> Result<(), Failure> {
    let refuse = |message: &str| {
        complain(message);
        Err(Failure::Usage)
    };
    if !flags.emit.is_empty() && flags.target != Some(TargetName::Spirv) {
        return refuse("`--emit` is for `--target=spirv`; the other targets have one output each");
    }
    let is_printed = flags.out.as_deref() == Some(Path::new("-"));
    let for_host = usize::from(flags.reflect) + usize::from(!flags.emit_host.is_empty());
    if for_host > 0 && flags.out.is_none() {
        return refuse(
            "`--reflect` and `--emit-host` write files: say where with `--out=DIR`, or print with `--out=-`",
        );
    }
    if is_printed && for_host + usize::from(flags.dump_layout) + usize::from(flags.target.is_some()) > 1 && for_host > 0
    {
        return refuse(
            "`--out=-` prints one thing: leave `--target`, `--dump-layout` and all but one of `--reflect` and `--emit-host` out, or write to a folder",
        );
    }
    Ok(())
}

/// What is written for the host: the reflection, and mirrors of structs. What is wrong on a platform that is not the target of this run is a
/// warning.
fn for_host(
    flags: &Transpile,
    package: reflect::Package<'_>,
    manifest: Option<&Arc<Manifest>>,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<File>, Failure> {
    let mut files = Vec::new();
    let too_large = |error: LayoutError| {
        complain(format!("a layout does not fit 32 bits or nests too deep: {error:?}"));
        Failure::Input
    };
    if flags.reflect {
        let reflected = reflect::reflect(package, manifest, sources).map_err(too_large)?;
        for (platform, mut found) in reflected.diagnostics {
            let is_target = flags.target.is_none_or(|target| target.platform() == platform);
            // What is wrong on every target has been told of the target.
            let is_told = |other: &Diagnostic| {
                (other.severity, other.code, other.span, &other.message)
                    == (found.severity, found.code, found.span, &found.message)
            };
            if diagnostics.iter().any(is_told) {
                continue;
            }
            if !is_target && found.severity == Severity::Error {
                found.severity = Severity::Warning;
                let name = Platform::ALL.iter().find(|(other, _)| *other == platform).map_or("", |(_, name)| name);
                found = found.note(format!("so for `--target={name}`: `--reflect` is about every target"));
            }
            add_new(diagnostics, [found]);
        }
        if let Some(internal) = &reflected.internal {
            complain(internal);
            return Err(Failure::Input);
        }
        let text = reflected.reflection.map(|reflection| reflection.to_json()).unwrap_or_default();
        files.push(File { name: format!("{}.reflect.json", package.stem), bytes: text.into_bytes(), comment: None });
    }
    for language in &flags.emit_host {
        let language = match language {
            HostName::Rust => Language::Rust,
            HostName::C => Language::C,
        };
        let text = host::emit(package, language).map_err(too_large)?.unwrap_or_default();
        let name = format!("{}.{}", package.stem, language.extension());
        if files.iter().all(|file| file.name != name) {
            files.push(File { name, bytes: text.into_bytes(), comment: Some("//") });
        }
    }
    Ok(files)
}

/// Adds what has not been said yet.
fn add_new(diagnostics: &mut Vec<Diagnostic>, found: impl IntoIterator<Item = Diagnostic>) {
    for diagnostic in found {
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
}

/// Writes files to a folder, or prints them.
fn write(out: &Path, files: &[File]) -> Result<(), Failure> {
    if out == Path::new("-") {
        return print(files);
    }
    files.iter().try_for_each(|file| output_file::write(&out.join(&file.name), &file.bytes)).map_err(refused)
}

fn dump(module: &Module) -> Result<(), Failure> {
    match dump_layout(module) {
        Ok(text) => to_stdout(text.as_bytes()),
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
        return to_stdout(&file.bytes);
    }
    if files.iter().any(|file| file.comment.is_none()) {
        complain(
            "several outputs cannot be printed when one is no text; write them to a folder, or ask for `--emit=spvasm`",
        );
        return Err(Failure::Usage);
    }
    for file in files {
        to_stdout(format!("{} {}\n", file.comment.unwrap_or_default(), file.name).as_bytes())?;
        to_stdout(&file.bytes)?;
    }
    Ok(())
}

fn disassemble(output: &Output) -> Result<String, Failure> {
    crate::spirv_text::disassemble(&output.bytes).ok_or_else(|| {
        complain("internal error: rspirv cannot read the SPIR-V that was made");
        Failure::Input
    })
}
