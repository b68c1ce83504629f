//! Files of the cache and of the output: read without following symbolic links, written whole or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

use blake3::{Hash, Hasher};
use tempfile::{Builder, NamedTempFile};

/// Opens a regular file; a symbolic link or anything else in its place is an error.
pub(in crate::cli) fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((File::open(path)?, metadata))
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
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What came of copying bytes that ought to have a length and a hash.
#[derive(Debug)]
pub(in crate::cli) enum Copied {
    /// They had.
    Whole,
    /// They had not, or could not be read.
    Corrupt,
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
            Err(_) => return Copied::Corrupt,
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
pub(in crate::cli) fn has_content(path: &Path, size: u64, hash: &Hash) -> bool {
    match open_regular(path) {
        Ok((mut file, metadata)) if metadata.len() == size => {
            matches!(copy_checked(&mut file, &mut io::sink(), size, hash), Copied::Whole)
        }
        _ => false,
    }
}
