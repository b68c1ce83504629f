//! Writing files whole or not at all.

use std::path::{Path, PathBuf};
use std::{fs, io};

use akari_ir::Diagnostic;

use super::cache::file;
use super::codes;

/// Writes a file so that no reader sees half of it. A file that is there keeps its rights, and one behind a symbolic link is the one that is
/// written, as if a program had opened it; what is no file (a pipe, a device) is written to.
///
/// # Errors
/// What stood in the way.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let outcome = match fs::metadata(path) {
        Ok(there) if there.is_file() => fs::canonicalize(path).and_then(|path| replace(&path, bytes, Some(there.permissions()))),
        Ok(_) => fs::write(path, bytes),
        // A link to nothing yet.
        Err(_) if path.is_symlink() => fs::write(path, bytes),
        Err(_) => fs::create_dir_all(folder(path)).and_then(|()| replace(path, bytes, None)),
    };
    outcome.map_err(|error| {
        Diagnostic::error(codes::UNWRITABLE, None, format!("cannot write {}: {error}", path.display()))
    })
}

fn folder(path: &Path) -> PathBuf {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

fn replace(path: &Path, bytes: &[u8], rights: Option<fs::Permissions>) -> io::Result<()> {
    file::replace_with(path, &folder(path), bytes, rights)
}
