//! Wrong programs: every `tests/ui/**/*.akari` and the diagnostics it must give.
//!
//! Each expected diagnostic is marked in the source, `//~ error: part of the message` on its line or `//~^ error: …` below it, one
//! line for each `^`. Every mark matches exactly one diagnostic, and every diagnostic has a mark. How the diagnostics look is kept
//! in `<name>.stderr`; `AKARI_BLESS=1 cargo test --test ui` writes it.
//!
//! A file may start with `//! import-dir: modules`, a folder beside it. Files in a folder `modules` are no tests of their own; marks
//! in them count where they are imported. With `//! target: metal` (or `d3d12`, `spirv`) what the passes tell counts too, and with
//! `//! bindings: bindings.json` what they say of a binding manifest beside the file.
//!
//! `tests/ui/manifests/*.json` are faulty binding manifests. JSON has no comments, so that only the snapshot says what is told of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{Found, compile};
use akari::source::SourceMap;
use akari::{manifest, render};
use akari_dialect_gpu_abi::Manifest;
use akari_ir::{Diagnostic, FileId, Severity};
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};
use similar::TextDiff;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
            let root = root.clone();
            Trial::test(name, move || check(&root, &path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "modules") {
                collect(&path, files);
            }
        } else if path
            .extension()
            .is_some_and(|extension| extension == "akari" || (extension == "json" && folder.ends_with("manifests")))
        {
            files.push(path);
        }
    }
}

/// A diagnostic that the source announces.
struct Mark {
    file: FileId,
    line: u32,
    severity: Severity,
    text: String,
}

fn marks(file: FileId, text: &str, marks: &mut Vec<Mark>) -> Result<(), Failed> {
    for (index, line) in text.lines().enumerate() {
        let Some((_, mark)) = line.split_once("//~") else {
            continue;
        };
        let above = mark.chars().take_while(|letter| *letter == '^').count();
        let (severity, message) = mark[above..].trim().split_once(':').ok_or("a mark without `:`")?;
        let severity = match severity {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            other => return Err(format!("line {}: no severity `{other}`", index + 1).into()),
        };
        let line = (index + 1 - above) as u32;
        marks.push(Mark { file, line, severity, text: message.trim().to_owned() });
    }
    Ok(())
}

fn check(root: &Path, path: &Path) -> Result<(), Failed> {
    let bytes = fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let folder = path.parent().unwrap_or(root);
    let directories: Vec<PathBuf> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! import-dir:"))
        .map(|directory| folder.join(directory.trim()))
        .collect();
    let shown = |path: &Path| {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        path.strip_prefix(root.canonicalize().unwrap_or_default()).unwrap_or(&path).display().to_string()
    };
    let mut sources = SourceMap::new();
    let file = match sources.add(shown(path), bytes) {
        Ok(file) => file,
        Err(diagnostic) => return compare(path, &sources, &[diagnostic]),
    };
    if path.extension().is_some_and(|extension| extension == "json") {
        let (_, mut faults) = manifest::read(file, sources.text(file));
        render::sort(&mut faults);
        if faults.is_empty() || faults.iter().any(|fault| fault.span.is_none_or(|span| span.file != file)) {
            return Err("every one of these manifests is faulty, and each fault has its place".into());
        }
        return snapshot(path, &sources, &faults);
    }
    let bindings = text.lines().find_map(|line| line.strip_prefix("//! bindings:"));
    let bindings = bindings.map(|name| sound_manifest(&folder.join(name.trim()), &shown, &mut sources)).transpose()?;
    let mut find = |name: &str, sources: &mut SourceMap| {
        for directory in &directories {
            let path = directory.join(format!("{name}.akari"));
            if let Ok(bytes) = fs::read(&path) {
                return match sources.add(shown(&path), bytes) {
                    Ok(file) => Found::File(file),
                    Err(diagnostic) => Found::Unreadable(diagnostic),
                };
            }
        }
        Found::Nowhere
    };
    let compiled = compile(file, &mut sources, &mut find);
    let mut diagnostics = compiled.check();
    let target = text.lines().find_map(|line| line.strip_prefix("//! target:"));
    if let (Some(target), Some(module)) = (target, compiled.module) {
        let platform = Platform::ALL.iter().find(|(_, name)| *name == target.trim());
        let (platform, _) = platform.ok_or_else(|| format!("no target `{target}`"))?;
        let request = Request {
            platform: *platform,
            wanted: Wanted { hlsl: true, spirv: true },
            manifest: bindings,
            debug_lines: false,
        };
        let emission = driver::emit(module, &request, &sources, &mut Observer::default());
        diagnostics
            .extend(emission.diagnostics.into_iter().filter(|told| !diagnostics.contains(told)).collect::<Vec<_>>());
        render::sort(&mut diagnostics);
    }
    compare(path, &sources, &diagnostics)
}

fn compare(path: &Path, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), Failed> {
    let mut expected = Vec::new();
    for (id, file) in sources.files() {
        marks(id, file.text(), &mut expected)?;
    }
    let mut faults = Vec::new();
    for diagnostic in diagnostics {
        let at = diagnostic.span.map(|span| (span.file, sources.place(span).line));
        let found = expected.iter().position(|mark| {
            at == Some((mark.file, mark.line))
                && mark.severity == diagnostic.severity
                && diagnostic.message.contains(&mark.text)
        });
        match found {
            Some(index) => {
                expected.remove(index);
            }
            None => faults.push(format!("not marked:\n{}", render::human(sources, diagnostic))),
        }
    }
    for mark in expected {
        faults.push(format!("not given: {}:{}: {}", sources.name(mark.file), mark.line, mark.text));
    }
    if !faults.is_empty() {
        return Err(faults.join("\n").into());
    }
    snapshot(path, sources, diagnostics)
}

fn sound_manifest(
    path: &Path,
    shown: &impl Fn(&Path) -> String,
    sources: &mut SourceMap,
) -> Result<Arc<Manifest>, Failed> {
    let file = sources.add(shown(path), fs::read(path)?).map_err(|fault| fault.message)?;
    let (manifest, faults) = manifest::read(file, sources.text(file));
    if faults.is_empty() { Ok(Arc::new(manifest)) } else { Err(render::report(sources, &faults).into()) }
}

/// Compares how the diagnostics look with what is kept.
fn snapshot(path: &Path, sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), Failed> {
    let rendered: String = diagnostics.iter().map(|diagnostic| render::human(sources, diagnostic) + "\n").collect();
    let snapshot = path.with_extension("stderr");
    let kept = fs::read_to_string(&snapshot).unwrap_or_default();
    if kept == rendered {
        return Ok(());
    }
    if env::var_os("AKARI_BLESS").is_some() {
        fs::write(&snapshot, rendered)?;
        return Ok(());
    }
    let diff = TextDiff::from_lines(&kept, &rendered);
    Err(format!("{}\n(AKARI_BLESS=1 accepts it)", diff.unified_diff().header("kept", "given")).into())
}
