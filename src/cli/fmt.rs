//! `akari fmt`: sources in the one style.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::flags::Fmt;
use super::{Failure, complain, output_file, refused, report, to_stderr, to_stdout};
use crate::source::SourceMap;

/// Runs the command.
pub(super) fn run(flags: &Fmt) -> Result<(), Failure> {
    if flags.stdin {
        return standard_input(flags.check);
    }
    let mut outcome = Ok(());
    let mut files = Vec::new();
    for path in &flags.paths {
        if let Err(failure) = collect(path, true, &mut files) {
            outcome = Err(failure);
        }
    }
    for file in &files {
        if let Err(failure) = format_file(file, flags.check) {
            outcome = Err(failure);
        }
    }
    outcome
}

/// The sources in a folder and the folders in it, or the one file, in order of their names.
fn collect(path: &Path, named: bool, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| {
        complain(format!("cannot read {}: {error}", path.display()));
        Failure::Input
    };
    if !path.is_dir() {
        // A file that is named is formatted whatever its name is.
        if named || path.extension().is_some_and(|extension| extension == "akari") {
            files.push(path.to_path_buf());
        }
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let mut inside = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        // A link to a folder could lead round in a circle.
        let linked_folder = entry.file_type().map_err(unreadable)?.is_symlink() && entry.path().is_dir();
        if !linked_folder {
            inside.push(entry.path());
        }
    }
    inside.sort();
    inside.iter().try_for_each(|path| collect(path, false, files))
}

/// Formats a file in place; with `check` says that it would change, which is a failure.
fn format_file(path: &Path, check: bool) -> Result<(), Failure> {
    let bytes = fs::read(path).map_err(|error| {
        complain(format!("cannot read {}: {error}", path.display()));
        Failure::Input
    })?;
    let formatted = format(&path.display().to_string(), bytes.clone())?;
    if formatted.as_bytes() == bytes {
        return Ok(());
    }
    if check {
        to_stdout(format!("{}\n", path.display()).as_bytes())?;
        return Err(Failure::Input);
    }
    output_file::write(path, formatted.as_bytes()).map_err(refused)
}

fn standard_input(check: bool) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| {
        complain(format!("cannot read standard input: {error}"));
        Failure::Input
    })?;
    let formatted = format("<stdin>", bytes.clone())?;
    if !check {
        return to_stdout(formatted.as_bytes());
    }
    if formatted.as_bytes() == bytes {
        return Ok(());
    }
    to_stderr("standard input is not in the style of akari fmt\n");
    Err(Failure::Input)
}

/// Formats a text; reports why where it cannot be.
fn format(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, bytes).map_err(|diagnostic| {
        report(&sources, &mut vec![diagnostic]);
        Failure::Input
    })?;
    crate::fmt::format(file, sources.text(file)).map_err(|mut diagnostics| {
        report(&sources, &mut diagnostics);
        Failure::Input
    })
}
