//! How much a cache holds, and how it is trimmed: what was not used for the longest time goes first.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use super::inventory;
use super::store::{Kind, Store};
use crate::cli::file;

/// A temporary file this old was left by a process that is gone.
const LEFT: Duration = Duration::from_secs(3600);

/// Blobs without an entry are kept so long: their entry may be about to be written.
const UNNAMED: Duration = Duration::from_secs(600);

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Stats {
    /// How many entries.
    pub(in crate::cli) entries: u64,
    /// How many blobs.
    pub(in crate::cli) blobs: u64,
    /// How many bytes both take.
    pub(in crate::cli) bytes: u64,
}

/// A file of the cache.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    name: String,
    size: u64,
    used: SystemTime,
}

impl Store {
    /// Measures the cache.
    pub(super) fn stats(&self) -> Stats {
        let [entries, blobs] = Kind::ALL.map(|kind| self.files(kind));
        let bytes = entries.iter().chain(&blobs).map(|file| file.size).sum();
        Stats { entries: entries.len() as u64, blobs: blobs.len() as u64, bytes }
    }

    /// Trims the cache if this process added to it and it is over its limit. To be called at the end of a run.
    ///
    /// # Errors
    /// If files cannot be removed.
    pub(in crate::cli) fn keep_limit(&self) -> io::Result<()> {
        let Some(limit) = self.limit.filter(|_| self.added.load(Ordering::Relaxed) > 0) else { return Ok(()) };
        if self.written().is_none_or(|written| written > limit) {
            // Some room, so that not every run has to trim.
            self.trim(limit - limit / 4)?;
        }
        Ok(())
    }

    /// How much is there, going by the notes; nothing if they cannot be read.
    fn written(&self) -> Option<u64> {
        let notes = fs::read(self.folder.join("written")).ok()?;
        let mut total = 0_u64;
        for line in std::str::from_utf8(&notes).ok()?.lines() {
            total = total.checked_add(line.parse().ok()?)?;
        }
        Some(total)
    }

    /// Removes what was not used for the longest time until no more than `limit` bytes are left, and what nothing refers to. Does nothing while
    /// another process does it.
    ///
    /// # Errors
    /// If files cannot be removed.
    pub(super) fn trim(&self, limit: u64) -> io::Result<()> {
        let lock = file::open_own(&self.folder.join("lock"), File::options().write(true))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let now = SystemTime::now();
        let age = |file: &Found| now.duration_since(file.used).unwrap_or_default();
        let mut entries = self.files(Kind::Entries);
        entries.sort_by(|one, other| other.used.cmp(&one.used).then_with(|| one.name.cmp(&other.name)));
        let blobs: HashMap<String, Found> =
            self.files(Kind::Blobs).into_iter().map(|file| (file.name.clone(), file)).collect();
        let mut kept: HashSet<&str> = HashSet::new();
        let mut total = 0;
        let mut full = false;
        for entry in &entries {
            let read = fs::read(&entry.path).ok().and_then(|bytes| inventory::decode_any(&bytes));
            let members = read.filter(|(key, _)| *key == entry.name).map(|(_, inventory)| inventory.members);
            let blobs_of = |members: &[inventory::Member]| -> Vec<&Found> {
                members.iter().filter_map(|member| blobs.get(member.hash.to_hex().as_str())).collect()
            };
            let own = members.as_deref().map(blobs_of).unwrap_or_default();
            let mut new = HashSet::new();
            let own =
                own.into_iter().filter(|blob| !kept.contains(blob.name.as_str()) && new.insert(blob.name.as_str()));
            let size = entry.size + own.map(|blob| blob.size).sum::<u64>();
            // The first that does not fit ends it: an older small one is not kept in place of a newer large one.
            full = full || total + size > limit;
            if full || members.is_none() {
                remove(&entry.path)?;
            } else {
                total += size;
                kept.extend(new);
            }
        }
        for blob in blobs.values().filter(|blob| !kept.contains(blob.name.as_str())) {
            if full || age(blob) > UNNAMED {
                remove(&blob.path)?;
            } else {
                total += blob.size;
            }
        }
        for left in self.temporary_files().iter().filter(|file| age(file) > LEFT) {
            remove(&left.path)?;
        }
        match file::replace(&self.folder.join("written"), &self.temporary(), format!("{total}\n").as_bytes()) {
            // Others clear the cache.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        }
    }

    /// Removes all entries and blobs, and nothing else that may be in the folder.
    ///
    /// # Errors
    /// If files cannot be removed.
    pub(super) fn clear(&self) -> io::Result<()> {
        for file in Kind::ALL.into_iter().flat_map(|kind| self.files(kind)).chain(self.temporary_files()) {
            remove(&file.path)?;
        }
        for folder in Kind::ALL.into_iter().flat_map(|kind| self.shards(kind)) {
            // One that somebody just wrote into stays.
            let _ = fs::remove_dir(folder);
        }
        remove(&self.folder.join("written"))
    }

    fn shards(&self, kind: Kind) -> Vec<PathBuf> {
        let paths = fs::read_dir(self.kind(kind)).into_iter().flatten().flatten().map(|entry| entry.path());
        paths.filter(|path| file::is_real_folder(path)).collect()
    }

    /// The files of a kind. What has a name that is none of theirs is left alone.
    fn files(&self, kind: Kind) -> Vec<Found> {
        let files = self.shards(kind).into_iter().flat_map(files_in);
        files.filter(|file| file.name.len() == 64 && file.name.bytes().all(|byte| byte.is_ascii_hexdigit())).collect()
    }

    /// The files that are being written, or were by a process that is gone.
    pub(super) fn temporary_files(&self) -> Vec<Found> {
        files_in(self.temporary())
    }
}

fn files_in(folder: PathBuf) -> Vec<Found> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| {
        let metadata = fs::symlink_metadata(entry.path()).ok()?;
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let name = entry.file_name().into_string().ok()?;
        (!metadata.is_dir()).then(|| Found { path: entry.path(), name, size: metadata.len(), used })
    });
    files.collect()
}

/// Removes a file; one that is gone already is no error.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A size as it is written: a number of bytes, or one of `K`, `M`, `G`, `T` behind it (powers of 1024).
///
/// # Errors
/// What is wrong with it.
pub(in crate::cli) fn parse_size(text: &str) -> Result<u64, String> {
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let unit = text.chars().next_back().and_then(|last| units.iter().find(|(name, _)| last.eq_ignore_ascii_case(name)));
    let (digits, shift) = unit.map_or((text, 0), |(_, shift)| (&text[..text.len() - 1], *shift));
    let number: u64 =
        digits.parse().map_err(|_| "a size is a number of bytes, or one followed by K, M, G or T".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "this size is too large".to_owned())
}
