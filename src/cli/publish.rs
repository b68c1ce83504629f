//! Writing files whole or not at all.

use std::fs;
use std::io::Write;
use std::path::Path;

use akari_ir::Diagnostic;
use tempfile::NamedTempFile;

use super::codes;

/// Writes a file under a temporary name beside its place and renames it there, so that no reader sees half of it.
///
/// # Errors
/// What stood in the way.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let outcome = fs::create_dir_all(folder).and_then(|()| {
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        // Temporary files are private; what is published is as readable as any file.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    });
    outcome.map_err(|error| {
        Diagnostic::error(codes::UNWRITABLE, None, format!("cannot write {}: {error}", path.display()))
    })
}
