//! The store: finds, reads and writes entries.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::inventory::{self, Inventory, Member};
use super::key::Key;
use super::remote::Remote;
use crate::cli::file::{self, Copied};
use crate::cli::json_text::JsonText;

/// A file that was used is marked so at most this often.
const USED: Duration = Duration::from_secs(3600);

/// How often a file is tried to be written while others clear the cache.
const TRIES: usize = 20;

/// An inventory longer than this is none of ours.
const LONGEST_INVENTORY: u64 = 1 << 26;

/// A cache. Any number of threads and processes may use one folder.
#[derive(Debug)]
pub(in crate::cli) struct Store {
    pub(super) folder: PathBuf,
    /// The size that it is trimmed to.
    pub(super) limit: Option<u64>,
    remote: Option<Remote>,
    /// How many bytes this process added.
    pub(super) added: AtomicU64,
    /// The lock of those that use the cache, shared.
    _in_use: Option<File>,
}

/// Why a cache cannot be used.
#[derive(Debug)]
pub(in crate::cli) enum Fault {
    /// A symbolic link, or a file, stands in the place of a folder: somebody means another one.
    NoFolder(PathBuf),
    /// A folder cannot be made: one can do without.
    Unwritable(PathBuf, io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFolder(path) if path.is_symlink() => {
                let path = path.display();
                write!(
                    f,
                    "the cache holds a symbolic link, {path}, which may lead anywhere; remove it, or name another folder with `--cache`"
                )
            }
            Self::NoFolder(path) => {
                let path = path.display();
                write!(
                    f,
                    "{path} is not a folder, as it is in a cache; remove it, or name another folder with `--cache`"
                )
            }
            Self::Unwritable(path, error) => {
                write!(f, "cannot write the cache {}: {error}; name another folder with `--cache`", path.display())
            }
        }
    }
}

/// What a member's bytes came to.
enum Fetched {
    Whole,
    /// Not there, or damaged.
    Missing,
    /// The place that they were to go to does not take them.
    Unwritable(io::Error),
}

/// The two kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Entries,
    Blobs,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Entries, Self::Blobs];

    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Blobs => "blobs",
        }
    }

    /// The path of a file below the cache, by the hash in its name.
    pub(super) fn path(self, hex: &str) -> String {
        format!("{}/{}/{hex}", self.folder(), hex.get(..2).unwrap_or("00"))
    }
}

impl Store {
    /// Opens a cache, and makes it if it is not there.
    ///
    /// # Errors
    /// If the folder cannot be made, or symbolic links stand in it. A cache that can only be read can be used.
    pub(in crate::cli) fn open(folder: &Path, limit: Option<u64>, remote: Option<Remote>) -> Result<Self, Fault> {
        let mut store = Self { folder: folder.join("v1"), limit, remote, added: AtomicU64::new(0), _in_use: None };
        let folders = [store.folder.clone(), store.kind(Kind::Entries), store.kind(Kind::Blobs), store.temporary()];
        let fresh = !store.folder.exists();
        if let Err(error) = fs::create_dir_all(folder) {
            let in_the_way = folder.ancestors().find(|path| path.exists()).filter(|path| !path.is_dir());
            return Err(in_the_way
                .map_or_else(|| Fault::Unwritable(folder.to_owned(), error), |path| Fault::NoFolder(path.to_owned())));
        }
        for path in folders {
            let Err(error) = fs::create_dir(&path) else { continue };
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(Fault::NoFolder(path)),
                Err(_) => return Err(Fault::Unwritable(path, error)),
            }
        }
        store._in_use = store.use_it();
        if fresh {
            // What backup programs look for: https://bford.info/cachedir/. A cache without it is as good.
            let tag = b"Signature: 8a477f597d28d172789f06886806bc55\n# This folder holds what akari can make again.\n";
            let _ = file::replace(&folder.join("CACHEDIR.TAG"), &store.temporary(), tag);
        }
        Ok(store)
    }

    /// Takes the lock of those that use the cache, and clears away what killed processes left, if there are no others just now. Whoever cannot have
    /// the lock does without: at worst a file is removed under its hands, and written again.
    fn use_it(&self) -> Option<File> {
        let lock = file::open_own(&self.folder.join("users"), File::options().write(true)).ok()?;
        if lock.try_lock().is_ok() {
            self.temporary_files().iter().for_each(|left| drop(fs::remove_file(&left.path)));
        }
        lock.try_lock_shared().ok()?;
        Some(lock)
    }

    pub(super) fn kind(&self, kind: Kind) -> PathBuf {
        self.folder.join(kind.folder())
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.folder.join("temporary")
    }

    /// What failed of the remote cache in this run, if anything.
    pub(in crate::cli) fn remote_failure(&self) -> Option<String> {
        self.remote.as_ref().and_then(Remote::failure)
    }

    /// Finds an entry. One that is missing or damaged here is looked for in the remote cache.
    pub(in crate::cli) fn find(&self, key: &Key) -> Option<Inventory> {
        self.find_local(key).or_else(|| self.find_remote(key))
    }

    /// Finds an entry in this folder.
    pub(in crate::cli) fn find_local(&self, key: &Key) -> Option<Inventory> {
        let path = self.folder.join(Kind::Entries.path(&key.to_string()));
        let metadata = fs::symlink_metadata(&path).ok()?;
        let bytes =
            if metadata.is_file() && metadata.len() <= LONGEST_INVENTORY { fs::read(&path) } else { Ok(Vec::new()) };
        let found = inventory::decode(key, &bytes.ok()?);
        if found.is_none() {
            self.drop_file(&path);
        } else {
            mark_used(&path, metadata.modified().ok());
        }
        found
    }

    /// Finds an entry in the remote cache.
    pub(in crate::cli) fn find_remote(&self, key: &Key) -> Option<Inventory> {
        let path = Kind::Entries.path(&key.to_string());
        let bytes = self.remote.as_ref()?.read(&path, LONGEST_INVENTORY)?;
        let found = inventory::decode(key, &bytes)?;
        // What cannot be kept here can be used.
        let _ = self.write(&path, &bytes);
        Some(found)
    }

    /// The bytes of a member; nothing if they are missing or damaged.
    pub(in crate::cli) fn read(&self, member: &Member) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.fetch(member, &mut bytes) {
            Fetched::Whole => Some(bytes),
            Fetched::Missing | Fetched::Unwritable(_) => None,
        }
    }

    /// Copies a member while checking it. Gives whether all of it was written; what was written otherwise is not to be used.
    ///
    /// # Errors
    /// If the copy cannot be written.
    pub(in crate::cli) fn copy(&self, member: &Member, to: &mut impl Write) -> io::Result<bool> {
        match self.fetch(member, to) {
            Fetched::Whole => Ok(true),
            Fetched::Missing => Ok(false),
            Fetched::Unwritable(error) => Err(error),
        }
    }

    fn fetch(&self, member: &Member, to: &mut impl Write) -> Fetched {
        let name = Kind::Blobs.path(&member.hash.to_hex());
        let path = self.folder.join(&name);
        match file::open_regular(&path) {
            Ok(Some((mut from, metadata))) if metadata.len() == member.size => {
                match file::copy_checked(&mut from, to, member.size, &member.hash) {
                    Copied::Whole => return Fetched::Whole,
                    Copied::Unwritable(error) => return Fetched::Unwritable(error),
                    // Part of the bytes may have been written: the copy is lost, whatever the remote cache has.
                    Copied::Unreadable(_) => return Fetched::Missing,
                    Copied::Corrupt => {
                        self.drop_file(&path);
                        return Fetched::Missing;
                    }
                }
            }
            Ok(_) => self.drop_file(&path),
            // Not there, or not to be read just now.
            Err(_) => {}
        }
        let Some(bytes) = self.remote.as_ref().and_then(|remote| remote.read(&name, member.size)) else {
            return Fetched::Missing;
        };
        if bytes.len() as u64 != member.size || blake3::hash(&bytes) != member.hash {
            return Fetched::Missing;
        }
        let _ = self.write(&name, &bytes);
        match to.write_all(&bytes) {
            Ok(()) => Fetched::Whole,
            Err(error) => Fetched::Unwritable(error),
        }
    }

    /// Writes an entry, in the place of an older one of its key.
    ///
    /// # Errors
    /// If a file cannot be written: the entry is then not there, or as it was before.
    pub(in crate::cli) fn put(
        &self,
        key: &Key,
        value: &impl Serialize,
        members: &[(&str, &[u8])],
    ) -> io::Result<Inventory> {
        let value = JsonText::of(value).map_err(io::Error::other)?;
        let inventory =
            Inventory { value, members: members.iter().map(|(name, bytes)| Member::of(*name, bytes)).collect() };
        let blobs = inventory.members.iter().zip(members);
        let blobs =
            blobs.map(|(member, (_, bytes))| (Kind::Blobs.path(&member.hash.to_hex()), *bytes)).collect::<Vec<_>>();
        let entry = (Kind::Entries.path(&key.to_string()), inventory::encode(key, &inventory));
        for (path, bytes) in &blobs {
            // A blob that is there is looked at, not trusted.
            let there = self.folder.join(path);
            let is_like = |about: Metadata| about.is_file() && about.len() == bytes.len() as u64;
            if fs::symlink_metadata(&there).is_ok_and(is_like) && fs::read(&there).is_ok_and(|there| there == *bytes) {
                mark_used(&there, None);
            } else {
                self.write(path, bytes)?;
            }
        }
        self.write(&entry.0, &entry.1)?;
        if let Some(remote) = &self.remote {
            // The inventory goes last there too.
            let blobs = blobs.iter().map(|(path, bytes)| (path.as_str(), *bytes));
            remote.write(blobs.chain([(entry.0.as_str(), entry.1.as_slice())]));
        }
        Ok(inventory)
    }

    /// Writes a file of the cache.
    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.folder.join(path);
        for _ in 0..TRIES {
            match self.write_once(&path, bytes) {
                // Others clear the cache just now, or somebody removed it: it can be made anew.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // A folder in the place of the file.
                Err(error) if error.kind() == io::ErrorKind::IsADirectory && fs::remove_dir(&path).is_ok() => {}
                outcome => return self.written_to(&path, bytes, outcome),
            }
        }
        self.written_to(&path, bytes, self.write_once(&path, bytes))
    }

    fn written_to(&self, path: &Path, bytes: &[u8], outcome: io::Result<()>) -> io::Result<()> {
        outcome.map_err(|error| file::of(path, &error))?;
        self.account(bytes.len() as u64);
        Ok(())
    }

    fn write_once(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        for folder in [folder, &self.temporary()] {
            if file::is_real_folder(folder) {
                continue;
            }
            let made = fs::create_dir_all(folder);
            match fs::symlink_metadata(folder) {
                Ok(there) if there.is_dir() => {}
                Ok(_) => return Err(io::Error::other("its folder is none, or a symbolic link")),
                // Others removed what was there when it was to be made.
                Err(gone) => {
                    return Err(made
                        .err()
                        .filter(|error| error.kind() != io::ErrorKind::AlreadyExists)
                        .unwrap_or(gone));
                }
            }
        }
        file::replace(path, &self.temporary(), bytes)
    }

    /// Notes that so much was written. The note is lost where it cannot be written: it only tells when to measure.
    fn account(&self, bytes: u64) {
        self.added.fetch_add(bytes, Ordering::Relaxed);
        let note = file::open_own(&self.folder.join("written"), File::options().append(true));
        // One short write to a file opened for appending is not torn by others.
        let _ = note.and_then(|mut note| note.write_all(format!("{bytes}\n").as_bytes()));
    }

    /// Removes a file that is not what it ought to be. Nothing behind a symbolic link is touched.
    fn drop_file(&self, path: &Path) {
        if path.parent().is_some_and(file::is_real_folder) && fs::remove_file(path).is_err() {
            // An empty folder in the place of a file.
            let _ = fs::remove_dir(path);
        }
    }
}

/// Marks a file as used now, unless it is marked so already.
fn mark_used(path: &Path, marked: Option<SystemTime>) {
    let now = SystemTime::now();
    if marked.is_none_or(|marked| now.duration_since(marked).is_ok_and(|age| age > USED)) {
        // A cache that can only be read has no marks.
        let _ = File::options().write(true).open(path).and_then(|file| file.set_modified(now));
    }
}
