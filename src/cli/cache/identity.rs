//! What a program or library file contains, without reading it each time.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::key::{Key, KeyBuilder};
use super::store::Store;

/// A file that was changed this shortly before it was looked at may be changed again without its times telling.
const RACY: Duration = Duration::from_secs(2);

/// The BLAKE3 hash of a file. For large files that seldom change, such as tools: what the file system tells of the file (its size,
/// times, inode) stands in for reading it, once it was read at a time when that could be relied on.
///
/// # Errors
/// If the file cannot be read.
pub(in crate::cli) fn file_hash(store: &Store, path: &Path) -> io::Result<blake3::Hash> {
    let path = fs::canonicalize(path)?;
    let before = fs::metadata(&path)?;
    let key = key(&path, &before)?;
    let known =
        store.find_local(&key).and_then(|inventory| blake3::Hash::from_hex(inventory.value.read::<String>()?).ok());
    if let Some(hash) = known {
        return Ok(hash);
    }
    let now = SystemTime::now();
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::File::open(&path)?)?;
    let hash = hasher.finalize();
    let settled = last_change(&before)?.checked_add(RACY).is_some_and(|time| time < now);
    if settled && self::key(&path, &fs::metadata(&path)?)? == key {
        // Without the note it is read again next time.
        let _ = store.put(&key, &hash.to_hex().as_str(), &[]);
    }
    Ok(hash)
}

/// When a file was last changed. On Unix also its times: setting those back is a change.
fn last_change(metadata: &Metadata) -> io::Result<SystemTime> {
    let modified = metadata.modified()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(metadata.ctime()).unwrap_or(0));
        Ok(modified.max(changed + Duration::from_secs(1)))
    }
    #[cfg(not(unix))]
    Ok(modified)
}

fn key(path: &Path, metadata: &Metadata) -> io::Result<Key> {
    let since = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let key = KeyBuilder::new("hash of a file")
        .path(path)
        .number(metadata.len())
        .bytes(&since(metadata.modified()?).to_le_bytes());
    #[cfg(unix)]
    let key = {
        use std::os::unix::fs::MetadataExt;
        // The time of the last change of anything about the file cannot be set back.
        [metadata.dev(), metadata.ino(), metadata.ctime().cast_unsigned(), metadata.ctime_nsec().cast_unsigned()]
            .into_iter()
            .fold(key, KeyBuilder::number)
    };
    Ok(key.finish())
}
