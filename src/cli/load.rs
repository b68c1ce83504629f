//! Reading sources, manifests and specifications from files.

use std::fs;
use std::path::{Path, PathBuf};

use akari_dialect_gpu_abi::Manifest;
use akari_ir::{Diagnostic, FileId, Module};

use super::{Failure, complain, report};
use crate::frontend::{self, Found};
use crate::source::SourceMap;
use crate::spec::Spec;

/// A package as lowered.
pub(super) struct Loaded {
    /// The module; absent after errors.
    pub(super) module: Option<Module>,
    /// The name in `#shader` or `#module`.
    pub(super) shader: String,
    /// The name in `#layout`.
    pub(super) layout: Option<String>,
    /// What was found.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reads a file into the source map; complains where it cannot.
fn add(path: &Path, sources: &mut SourceMap) -> Result<FileId, Failure> {
    let bytes = fs::read(path).map_err(|error| {
        complain(format!("cannot read {}: {error}", path.display()));
        Failure::Input
    })?;
    sources.add(path.display().to_string(), bytes).map_err(|diagnostic| {
        report(sources, &mut vec![diagnostic]);
        Failure::Input
    })
}

/// Reads a binding manifest.
pub(super) fn manifest(path: &Path, sources: &mut SourceMap) -> Result<Manifest, Failure> {
    let file = add(path, sources)?;
    let (manifest, mut diagnostics) = crate::manifest::read(file, sources.text(file));
    if report(sources, &mut diagnostics) { Err(Failure::Input) } else { Ok(manifest) }
}

/// Reads a build specification.
pub(super) fn spec(path: &Path, sources: &mut SourceMap) -> Result<Spec, Failure> {
    let file = add(path, sources)?;
    let (spec, mut diagnostics) = crate::spec::read(file, sources.text(file));
    let failed = report(sources, &mut diagnostics);
    spec.filter(|_| !failed).ok_or(Failure::Input)
}

/// Complains of folders that are not there: a misspelled one would look like a missing module.
pub(super) fn require_folders<'p>(folders: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut outcome = Ok(());
    for folder in folders {
        let is_folder = fs::metadata(folder).and_then(|found| {
            if found.is_dir() { Ok(()) } else { Err(std::io::ErrorKind::NotADirectory.into()) }
        });
        if let Err(error) = is_folder {
            complain(format!("cannot read {}: {error}", folder.display()));
            outcome = Err(Failure::Input);
        }
    }
    outcome
}

/// Reads a package with its imports and lowers it.
pub(super) fn package(
    input: &Path,
    import_dirs: &[PathBuf],
    sources: &mut SourceMap,
) -> Result<Loaded, Failure> {
    let root = add(input, sources)?;
    let mut find = |name: &str, sources: &mut SourceMap| -> Found {
        for path in import_dirs.iter().map(|dir| dir.join(format!("{name}.akari"))) {
            match fs::read(&path) {
                Ok(bytes) => {
                    return match sources.add(path.display().to_string(), bytes) {
                        Ok(file) => Found::File(file),
                        Err(diagnostic) => Found::Unreadable(diagnostic),
                    };
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Found::Failed(format!("cannot read {}: {error}", path.display())),
            }
        }
        Found::Nowhere
    };
    let checked = frontend::compile(root, sources, &mut find);
    Ok(Loaded {
        module: checked.module,
        shader: checked.name,
        layout: checked.layout,
        diagnostics: checked.diagnostics,
    })
}
