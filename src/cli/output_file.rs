//! Writing files whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use akari_ir::Diagnostic;

use super::codes;
use super::file;

/// Writes a file so that no reader sees half of it. A file that is there keeps its rights, and one behind a symbolic link is the one that is
/// written, as if a program had opened it; what is no file (a pipe, a device) is written to.
///
/// # Errors
/// What stood in the way.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let outcome = match fs::metadata(path) {
        Ok(there) if there.is_file() => {
            fs::canonicalize(path).and_then(|path| replace(&path, bytes, Some(there.permissions())))
        }
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

/// Puts bytes in the place of a file, by way of one beside it.
fn replace(path: &Path, bytes: &[u8], rights: Option<Permissions>) -> io::Result<()> {
    let Some((beside, mut file)) = beside(path)? else {
        file::replace(path, &folder(path), bytes)?;
        return rights.map_or(Ok(()), |rights| fs::set_permissions(path, rights));
    };
    let outcome = file.write_all(bytes).and_then(|()| rights.map_or(Ok(()), |rights| file.set_permissions(rights)));
    let outcome = outcome.and_then(|()| fs::rename(&beside, path));
    if outcome.is_err() {
        let _ = fs::remove_file(beside);
    }
    outcome
}

/// A new file beside another, with its lock. Its name follows from the other's, so that what a killed process leaves is found by the next that writes
/// that file; while a process that is alive writes it, the next waits. Nothing where that cannot be done.
#[cfg(unix)]
fn beside(path: &Path) -> io::Result<Option<(PathBuf, File)>> {
    use std::os::unix::fs::MetadataExt;

    let Some(name) = path.file_name() else { return Ok(None) };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(".akari");
    let beside = folder(path).join(hidden);
    let is_in_place = |file: &File| -> io::Result<bool> {
        let (of, at) = (file.metadata()?, fs::symlink_metadata(&beside));
        Ok(at.is_ok_and(|at| (at.dev(), at.ino()) == (of.dev(), of.ino())))
    };
    // As often as others may come in between.
    for _ in 0..100 {
        match File::create_new(&beside) {
            Ok(file) => {
                file::lock(&file)?;
                if is_in_place(&file)? {
                    return Ok(Some((beside, file)));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !fs::symlink_metadata(&beside).is_ok_and(|there| there.is_file()) {
                    return Ok(None);
                }
                let Ok(file) = File::options().write(true).open(&beside) else { continue };
                file::lock(&file)?;
                // Whoever wrote it is gone, and did not put it in its place.
                if is_in_place(&file)? {
                    fs::remove_file(&beside)?;
                }
            }
            // The name is too long, say.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
fn beside(_: &Path) -> io::Result<Option<(PathBuf, File)>> {
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_a_killed_process_left_is_in_nobodys_way() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.d");
        let left = folder.path().join(".a.d.akari");
        fs::write(&left, "half").expect("a file");
        write(&path, b"whole").expect("it is written");
        assert!(fs::read(&path).expect("a file") == b"whole" && !left.exists());
        // Nor what is no file of ours.
        fs::create_dir(&left).expect("a folder");
        write(&path, b"again").expect("it is written");
        assert!(fs::read(&path).expect("a file") == b"again" && left.is_dir());
        let long = folder.path().join("n".repeat(250));
        write(&long, b"short").expect("it is written");
        fs::set_permissions(&long, Permissions::from_mode(0o600)).expect("rights");
        write(&long, b"long").expect("it is written");
        let mode = fs::metadata(&long).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it keeps its rights");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
        assert!(write(&folder.path().join("n".repeat(300)), b"too long").is_err());
    }

    #[test]
    fn many_write_one_file_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let path = &path;
                scope.spawn(move || (0..50).for_each(|_| write(path, &[writer; 1000]).expect("it is written")));
            }
        });
        let bytes = fs::read(&path).expect("a file");
        assert!(bytes.len() == 1000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
