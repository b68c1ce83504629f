//! Files of the cache and of the output: read without following symbolic links, written whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use blake3::{Hash, Hasher};
use tempfile::{Builder, NamedTempFile};

/// Opens a regular file; gives nothing where a symbolic link or anything else is in its place.
pub(in crate::cli) fn open_regular(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_file() { Ok(Some((File::open(path)?, metadata))) } else { Ok(None) }
}

/// The bytes of a regular file; nothing where a symbolic link or anything else is in its place, but for a folder, which cannot be read.
pub(in crate::cli) fn read_regular(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let there = fs::symlink_metadata(path)?;
    if there.is_file() || there.is_dir() { fs::read(path).map(Some) } else { Ok(None) }
}

/// Opens a file that is there to be locked or added to, and makes it if need be. A symbolic link in its place is removed, not followed, and so
/// is what would make us wait.
///
/// # Errors
/// Why it cannot be had, with its path.
pub(in crate::cli) fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let mut open = || {
        if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            fs::remove_file(path)?;
        }
        options.create(true).open(path)
    };
    open().map_err(|error| of(path, &error))
}

/// An error that says which file it is about.
pub(in crate::cli) fn of(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Takes the lock of a file, and waits for it. A file system without locks is used without them.
pub(in crate::cli) fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            outcome => return outcome,
        }
    }
}

/// Whether there is a folder, no matter by what name.
pub(in crate::cli) fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// A new file of a unique name, as readable as any file of the user's. It is removed when dropped.
pub(in crate::cli) fn unique_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Puts bytes in the place of a file by way of a unique one in a folder of the same file system: whoever reads the file sees what was there
/// before or all of the new. A symbolic link in its place is replaced, not followed.
pub(in crate::cli) fn replace(path: &Path, by_way_of: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = unique_in(by_way_of)?;
    file.write_all(bytes)?;
    // By the standard library, not by `tempfile`, whose calls to the system go round the C library: tests let them fail there.
    fs::rename(file.path(), path)?;
    file.disable_cleanup(true);
    Ok(())
}

/// What came of copying bytes that ought to have a length and a hash.
#[derive(Debug)]
pub(in crate::cli) enum Copied {
    /// They had.
    Whole,
    /// They had not.
    Corrupt,
    /// They could not be read.
    Unreadable(io::Error),
    /// They could not be written.
    Unwritable(io::Error),
}

/// Copies bytes while checking them. What was written is good only if the outcome is `Whole`.
pub(in crate::cli) fn copy_checked(from: &mut impl Read, to: &mut impl Write, size: u64, hash: &Hash) -> Copied {
    let mut hasher = Hasher::new();
    let mut buffer = [0; 1 << 14];
    let mut left = size;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Copied::Unreadable(error),
        };
        // A file that is too long is not read to its end.
        let Some(rest) = left.checked_sub(read.len() as u64) else { return Copied::Corrupt };
        left = rest;
        hasher.update(read);
        if let Err(error) = to.write_all(read) {
            return Copied::Unwritable(error);
        }
    }
    if left == 0 && hasher.finalize() == *hash { Copied::Whole } else { Copied::Corrupt }
}

/// Whether a path is a regular file with this content.
///
/// # Errors
/// If there is something that cannot be read, so that nobody knows; with its path.
pub(in crate::cli) fn has_content(path: &Path, size: u64, hash: &Hash) -> io::Result<bool> {
    match open_regular(path) {
        Ok(Some((mut file, metadata))) if metadata.len() == size => {
            match copy_checked(&mut file, &mut io::sink(), size, hash) {
                Copied::Whole => Ok(true),
                Copied::Corrupt => Ok(false),
                Copied::Unreadable(error) | Copied::Unwritable(error) => Err(of(path, &error)),
            }
        }
        Ok(_) => Ok(false),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => Ok(false),
            _ => Err(of(path, &error)),
        },
    }
}
