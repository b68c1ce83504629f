//! Packages as they stand in a tree of an engine: `akari/packages`, `akari/modules` and a binding manifest beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use akari::driver::{self, Emission, Platform, Request, Wanted};
use akari::frontend::{self, Compiled, Found};
use akari::source::SourceMap;
use akari::{manifest, render};
use akari_dialect_gpu_abi::Manifest;
use akari_ir::Module;
use akari_passes::Observer;

/// The packages of `docs/examples`, sorted.
pub(crate) fn examples() -> Vec<PathBuf> {
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/akari/packages"), "akari")
}

/// The files of a folder with this extension, sorted.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

/// The name of a file without its extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What is lowered of a source, whose imports are looked for in the folders.
pub(crate) fn lower(path: &Path, text: &str, folders: &[PathBuf]) -> Result<(Module, SourceMap), String> {
    let (compiled, sources) = compile(path, text, folders)?;
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    Ok((module, sources))
}

/// What the front half of the compiler makes of a source, whose imports are looked for in the folders.
pub(crate) fn compile(path: &Path, text: &str, folders: &[PathBuf]) -> Result<(Compiled, SourceMap), String> {
    let mut sources = SourceMap::new();
    let root =
        sources.add(path.display().to_string(), text.as_bytes().to_vec()).map_err(|diagnostic| diagnostic.message)?;
    let mut find = |name: &str, sources: &mut SourceMap| {
        for folder in folders {
            let path = folder.join(format!("{name}.akari"));
            if let Ok(bytes) = fs::read(&path) {
                return match sources.add(path.display().to_string(), bytes) {
                    Ok(file) => Found::File(file),
                    Err(diagnostic) => Found::Unreadable(diagnostic),
                };
            }
        }
        Found::Nowhere
    };
    let compiled = frontend::compile(root, &mut sources, &mut find);
    Ok((compiled, sources))
}

/// The binding manifest that a line `//! bindings:` of a case names, or that of the tree that a package stands in, if there is one.
pub(crate) fn manifest(package: &Path) -> Result<Option<Arc<Manifest>>, String> {
    let text = fs::read_to_string(package).map_err(|error| format!("{}: {error}", package.display()))?;
    let named = text.lines().find_map(|line| line.strip_prefix("//! bindings:"));
    let path = match named {
        Some(name) => Some(package.with_file_name(name.trim())),
        None => package.ancestors().nth(3).map(|tree| tree.join("bindings.kaji.json")).filter(|path| path.exists()),
    };
    path.map(|path| read_manifest(&path)).transpose()
}

/// A binding manifest, which must be sound.
pub(crate) fn read_manifest(path: &Path) -> Result<Arc<Manifest>, String> {
    let mut sources = SourceMap::new();
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let file = sources.add(path.display().to_string(), bytes).map_err(|fault| fault.message)?;
    let (manifest, faults) = manifest::read(file, sources.text(file));
    if faults.is_empty() { Ok(Arc::new(manifest)) } else { Err(render::report(&sources, &faults)) }
}

/// What the driver makes of a package, with its manifest; an error where that is nothing.
pub(crate) fn emit(path: &Path, platform: Platform, wanted: Wanted, debug_lines: bool) -> Result<Emission, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let modules = path.parent().unwrap_or(Path::new(".")).join("../modules");
    let (module, sources) = lower(path, &text, &[modules])?;
    let request = Request { platform, wanted, manifest: manifest(path)?, debug_lines };
    let emission = driver::emit(module, &request, &sources, &mut Observer::default());
    if emission.outputs.is_empty() {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal));
    }
    Ok(emission)
}
