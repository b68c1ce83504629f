//! Reading sources, manifests and specifications from files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use akari_dialect_gpu_abi::Manifest;
use akari_ir::{Diagnostic, FileId, Module, Span};

use super::{Failure, codes, report};
use crate::frontend::{self, Found};
use crate::sema::declarations::Declarations;
use crate::sema::{errors, nearest};
use crate::source::SourceMap;
use crate::spec::Spec;

/// What a package was made of. Whoever finds all of it as it was gets the same package again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// The files that were read, the root first, with the hash of their bytes.
    pub(super) files: Vec<(PathBuf, blake3::Hash)>,
    /// Where a module was looked for and none was found: one that appears there would be taken instead.
    pub(super) absent: Vec<PathBuf>,
}

/// A package as lowered.
pub(super) struct Loaded {
    /// Its source; absent where it cannot be read.
    pub(super) root: Option<FileId>,
    /// The module; absent after errors.
    pub(super) module: Option<Module>,
    /// The name in `#shader` or `#module`.
    pub(super) shader: String,
    /// The name in `#layout`.
    pub(super) layout: Option<String>,
    /// What the program declares beside what is in the module.
    pub(super) declarations: Declarations,
    /// What was found.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What it was made of.
    pub(super) reads: Reads,
}

/// Reads a file into the source map; gives the hash of its bytes too.
fn add(path: &Path, sources: &mut SourceMap) -> Result<(FileId, blake3::Hash), Diagnostic> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let hash = blake3::hash(&bytes);
    Ok((sources.add(path.display().to_string(), bytes)?, hash))
}

fn add_or_refuse(path: &Path, named: Option<Span>, sources: &mut SourceMap) -> Result<FileId, Failure> {
    let added = add(path, sources);
    added.map(|(file, _)| file).map_err(|diagnostic| {
        let span = diagnostic.span.or(named);
        report(sources, &mut vec![Diagnostic { span, ..diagnostic }]);
        Failure::Input
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::UNREADABLE, None, format!("cannot read {}: {error}", path.display()))
}

/// Reads a binding manifest, and gives what is wrong with it. `named` is where its path stands, if that is in a source.
pub(super) fn manifest_with_faults(
    path: &Path,
    named: Option<Span>,
    sources: &mut SourceMap,
) -> Result<(Manifest, Vec<Diagnostic>), Failure> {
    let file = add_or_refuse(path, named, sources)?;
    Ok(crate::manifest::read(file, sources.text(file)))
}

/// Reads a build specification.
pub(super) fn spec(path: &Path, sources: &mut SourceMap) -> Result<Spec, Failure> {
    let file = add_or_refuse(path, None, sources)?;
    let (spec, mut diagnostics) = crate::spec::read(file, sources.text(file));
    let failed = report(sources, &mut diagnostics);
    spec.filter(|_| !failed).ok_or(Failure::Input)
}

/// What names a folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Naming<'n> {
    /// A specification, here.
    Place(Span),
    /// A flag.
    Flag(&'n str),
}

/// Complains of folders that are not there: a misspelled one would look like a missing module. `named_by` is the flag that names them.
pub(super) fn require_folders<'p>(folders: impl IntoIterator<Item = &'p Path>, named_by: &str) -> Result<(), Failure> {
    let folders = folders.into_iter().map(|folder| (folder, Naming::Flag(named_by)));
    if missing_folders(folders, &SourceMap::new()).is_empty() { Ok(()) } else { Err(Failure::Input) }
}

/// Complains of folders that are not there, and gives them.
pub(super) fn missing_folders<'p, 'n>(
    folders: impl IntoIterator<Item = (&'p Path, Naming<'n>)>,
    sources: &SourceMap,
) -> Vec<PathBuf> {
    let mut missing = Vec::new();
    for (folder, naming) in folders {
        if let Err(error) = is_folder(folder) {
            let told = unreadable(folder, &error);
            let told = match naming {
                Naming::Place(span) => Diagnostic { span: Some(span), ..told },
                Naming::Flag(flag) => told.note(format!("{flag} names this folder")),
            };
            report(sources, &mut vec![told]);
            missing.push(folder.to_owned());
        }
    }
    missing
}

fn is_folder(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Reads a package with its imports and lowers it. What is wrong with it is among the diagnostics.
pub(super) fn package(input: &Path, import_dirs: &[PathBuf], sources: &mut SourceMap) -> Loaded {
    let mut reads = Reads::default();
    let root = match add(input, sources) {
        Ok((root, hash)) => {
            reads.files.push((input.to_owned(), hash));
            root
        }
        Err(diagnostic) => {
            reads.absent.push(input.to_owned());
            let (shader, layout, module) = (String::new(), None, None);
            return Loaded {
                root: None,
                module,
                shader,
                layout,
                declarations: Declarations::default(),
                diagnostics: vec![diagnostic],
                reads,
            };
        }
    };
    let mut find = |name: &str, sources: &mut SourceMap| -> Found {
        for (dir, path) in import_dirs.iter().map(|dir| (dir, dir.join(format!("{name}.akari")))) {
            match fs::read(&path) {
                Ok(bytes) => {
                    reads.files.push((path.clone(), blake3::hash(&bytes)));
                    return match sources.add(path.display().to_string(), bytes) {
                        Ok(file) => Found::File(file),
                        Err(diagnostic) => Found::Unreadable(diagnostic),
                    };
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => match is_folder(dir) {
                    Ok(()) => reads.absent.push(path),
                    // Nobody knows what would be found there.
                    Err(error) => return Found::Failed(format!("cannot read {}: {error}", dir.display())),
                },
                Err(error) => return Found::Failed(format!("cannot read {}: {error}", path.display())),
            }
        }
        Found::Nowhere
    };
    let mut checked = frontend::compile(root, sources, &mut find);
    for diagnostic in checked.diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == errors::MISSING_MODULE) {
        explain_missing_module(diagnostic, import_dirs, sources);
    }
    Loaded {
        root: Some(root),
        module: checked.module,
        shader: checked.name,
        layout: checked.layout,
        declarations: checked.declarations,
        diagnostics: checked.diagnostics,
        reads,
    }
}

/// Says where a module was looked for, and what is there of nearly the same name.
fn explain_missing_module(diagnostic: &mut Diagnostic, import_dirs: &[PathBuf], sources: &SourceMap) {
    if import_dirs.is_empty() {
        diagnostic.help =
            Some("name the folders of modules: `--import-dir=DIR`, in a specification `akariImportPaths`".to_owned());
        return;
    }
    let wanted = diagnostic
        .span
        .and_then(|span| sources.text(span.file).get(span.start as usize..span.end as usize))
        .unwrap_or("");
    let mut there: Vec<String> = import_dirs
        .iter()
        .filter_map(|dir| fs::read_dir(dir).ok())
        .flatten()
        .flatten()
        .filter_map(|entry| module_name(&entry.path()))
        .collect();
    there.sort();
    if let Some(near) = nearest(wanted, there.iter().map(String::as_str)) {
        diagnostic.help = Some(format!("did you mean `{near}`?"));
    }
    let folders: Vec<String> = import_dirs.iter().map(|dir| format!("`{}`", dir.display())).collect();
    *diagnostic = diagnostic.clone().note(format!("looked for in {}", folders.join(", ")));
}

/// The name under which a file is imported.
fn module_name(path: &Path) -> Option<String> {
    let is_source = path.extension().is_some_and(|extension| extension == "akari");
    path.file_stem().filter(|_| is_source)?.to_str().map(str::to_owned)
}
