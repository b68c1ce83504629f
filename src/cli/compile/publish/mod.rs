//! Puts what was built where hosts read it, so that nobody sees half of it.
//!
//! An output folder holds the published files, the report that owns them, and the folder `.akari` that is of no interest to hosts:
//!
//! ```text
//! <name>_vs.spv …            published files
//! shaders.akari.json         the report: which files belong to which package, with size and hash; written last
//! .akari/lock                held by whoever changes the published files
//! .akari/journal             what is being changed; there is none while nothing is
//! .akari/staging-<unique>/   the files of one running build, with a `lock` that it holds
//! ```
//!
//! A build writes all its new files into its own staging folder while it goes, unseen. At the end it takes the lock, writes the journal, renames
//! the files into place one right after the other, then the report, then removes what the last report owned and the new one does not. So:
//!
//! - At any moment a published file is all of an old one or all of a new one.
//! - A package that does not build keeps what was published of it before; so does everything if staging fails, on a full disk say.
//! - The report names the files that belong together by their hashes. Between the first rename and the report a reader can find a file that is
//!   newer than the report: its hash tells, and reading the report again settles it. Who must not meet that moment holds a shared
//!   lock on `.akari/lock` while reading, which publishers wait for.
//! - Whoever is killed before the journal has changed nothing. Whoever is killed after it is finished by the next build, which finds
//!   everything in the journal and in the staging folder that nobody holds.
//!
//! Nothing is flushed to the device: after a loss of power files may be damaged. The next build sees it by their hashes and mends them.

mod clash;
mod journal;
mod lock;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use blake3::Hash;
use tempfile::TempDir;

pub(super) use self::clash::{Names, is_there};
use self::journal::{Journal, Rename};
use self::lock::lock;
use super::report::{REPORT, Report};
use crate::cli::cache::{Member, Store};
use crate::cli::file;

/// The folder of what hosts need not see.
const PRIVATE: &str = ".akari";
const STAGING: &str = "staging-";

/// A build that will publish.
#[derive(Debug)]
pub(super) struct Publication {
    out: PathBuf,
    private: PathBuf,
    quiet: bool,
    staging: TempDir,
    /// The lock of the staging folder: who can take it knows that this build is gone.
    _alive: File,
    staged: AtomicU64,
}

/// A file that a package is to have.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    /// Its name, size and hash.
    pub(super) member: Member,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    /// In the staging folder, under this name.
    Staged(String),
    /// Where it belongs, unchanged since then.
    Published(Stamp),
}

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    size: u64,
    modified: Option<std::time::SystemTime>,
    #[cfg(unix)]
    inode: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Why nothing was published, or not all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Uncommitted {
    /// These packages were published already and taken from the cache, and by now are in neither place: they are to be built.
    Lost(Vec<usize>),
    /// Something cannot be written.
    Unwritable(String),
}

impl From<String> for Uncommitted {
    fn from(why: String) -> Self {
        Self::Unwritable(why)
    }
}

/// What was published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Published {
    /// How many files were put in place.
    pub(super) written: usize,
    /// How many were to be removed.
    pub(super) removed: usize,
    /// What could not be removed, and why.
    pub(super) left: Vec<String>,
}

impl Publication {
    /// Prepares the output folder: makes it if it is not there, finishes what a killed build left half published, and clears away what it
    /// had not published. If `quiet`, nothing is said where others are waited for.
    ///
    /// # Errors
    /// What is wrong with the folder.
    pub(super) fn open(out: &Path, quiet: bool) -> Result<Self, String> {
        let fault = |error: io::Error| format!("cannot write {}: {error}", out.display());
        let private = out.join(PRIVATE);
        fs::create_dir_all(out).map_err(fault)?;
        if let Err(error) = fs::create_dir(&private)
            && !file::is_real_folder(&private)
        {
            let what =
                if private.is_symlink() { "is a symbolic link; remove it".to_owned() } else { error.to_string() };
            return Err(format!("cannot write {}: {what}", private.display()));
        }
        let _lock = lock(&private, quiet).map_err(unwritable)?;
        Journal::finish_left(out, &private).map_err(unwritable)?;
        clear_left(&private);
        let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(&private).map_err(fault)?;
        let alive = File::create_new(staging.path().join("lock")).map_err(fault)?;
        file::lock(&alive).map_err(fault)?;
        Ok(Self { out: out.to_owned(), private, quiet, staging, _alive: alive, staged: AtomicU64::new(0) })
    }

    /// Stages bytes as a file.
    ///
    /// # Errors
    /// What went wrong, with the file's name.
    pub(super) fn stage(&self, name: &str, bytes: &[u8]) -> Result<Ready, String> {
        let member = Member::of(name, bytes);
        let (staged, ()) = self.fill(|file| file.write_all(bytes)).map_err(|error| self.fault(name, &error))?;
        Ok(Ready { member, place: Place::Staged(staged) })
    }

    /// Stages what the cache has, unless the same is published already. Gives nothing if the cache does not have it, or has it damaged.
    ///
    /// # Errors
    /// What went wrong, with the file's name.
    pub(super) fn bring(&self, member: &Member, store: &Store) -> Result<Option<Ready>, String> {
        if let Some(ready) = self.published(member) {
            return Ok(Some(ready));
        }
        let (staged, is_whole) =
            self.fill(|file| store.copy(member, file)).map_err(|error| self.fault(&member.name, &error))?;
        Ok(is_whole.then(|| Ready { member: member.clone(), place: Place::Staged(staged) }))
    }

    /// A published file, if it is as it ought to be.
    fn published(&self, member: &Member) -> Option<Ready> {
        let path = self.out.join(&member.name);
        let stamp = Stamp::of(&fs::symlink_metadata(&path).ok()?);
        let place = Place::Published(stamp);
        matches!(file::has_content(&path, member.size, &member.hash), Ok(true))
            .then(|| Ready { member: member.clone(), place })
    }

    /// Makes a file in the staging folder, and gives its name. One that nobody renames goes with the folder.
    fn fill<T>(&self, fill: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<(String, T)> {
        let name = self.staged.fetch_add(1, Ordering::Relaxed).to_string();
        let path = self.staging.path().join(&name);
        let filled = fill(&mut File::create_new(&path)?);
        if filled.is_err() {
            // What is published next may need the room.
            let _ = fs::remove_file(path);
        }
        filled.map(|made| (name, made))
    }

    fn fault(&self, name: &str, error: &io::Error) -> String {
        format!("cannot write {}: {error}", self.out.join(name).display())
    }

    /// Publishes packages, each with all its files or, where it says why not, with none of them. `report` makes the new report from the last
    /// one and what became of each package.
    ///
    /// # Errors
    /// What went wrong: nothing is published then, or the next build publishes the rest.
    pub(super) fn commit(
        &mut self,
        packages: &mut [Result<Vec<Ready>, String>],
        names: &Names<'_>,
        store: Option<&Store>,
        report: impl FnOnce(&Report, &[Result<Vec<Ready>, String>]) -> Report,
    ) -> Result<Published, Uncommitted> {
        let fault = |error: io::Error| format!("cannot write {}: {error}", self.out.display());
        let _lock = lock(&self.private, self.quiet).map_err(unwritable)?;
        // Another build may have been killed since this one began.
        let left = Journal::finish_left(&self.out, &self.private).map_err(unwritable)?;
        let report_path = self.out.join(REPORT);
        if let Some(why) = clash::no_file(&report_path) {
            return Err(format!("cannot write {}: {why}", report_path.display()).into());
        }
        let last =
            Report::read(&self.out).map_err(|error| format!("cannot read {}: {error}", report_path.display()))?;
        clash::refuse(packages, names, &last, &self.out);
        let mut lost = Vec::new();
        for (index, package) in packages.iter_mut().enumerate() {
            if let Ok(files) = package
                && !self.settle(files, store)?
            {
                lost.push(index);
            }
        }
        if !lost.is_empty() {
            return Err(Uncommitted::Lost(lost));
        }
        let new = report(&last, packages);
        let bytes = new.bytes();
        let renames: Vec<Rename> = packages.iter().flatten().flatten().filter_map(Ready::rename).collect();
        let mut removals = self.removals(&last, &new);
        removals.extend(left.into_iter().filter(|left| new.files().all(|(name, ..)| name != left.name)));
        let mut published = Published { written: renames.len(), removed: removals.len(), left: Vec::new() };
        let same = matches!(file::read_regular(&report_path), Ok(Some(there)) if there == bytes);
        let report = if same { None } else { self.stage(REPORT, &bytes)?.rename() };
        if !renames.is_empty() || !removals.is_empty() || report.is_some() {
            let staging = self.staging.path().file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let journal = Journal { staging, renames: renames.into_iter().chain(report).collect(), removals };
            journal.write(&self.private).map_err(fault)?;
            match journal.perform(&self.out, &self.private) {
                Ok(left) => published.left = left,
                Err(why) => {
                    // The next build finishes it, and clears the folder away.
                    self.staging.disable_cleanup(true);
                    return Err(why.into());
                }
            }
        }
        Ok(published)
    }

    /// Looks at a package's files once more, now that nobody else changes any. Gives whether all of them are there or staged.
    fn settle(&self, files: &mut [Ready], store: Option<&Store>) -> Result<bool, String> {
        for ready in files {
            let now = match &ready.place {
                Place::Staged(_) => self.published(&ready.member),
                Place::Published(stamp) => {
                    let metadata = fs::symlink_metadata(self.out.join(&ready.member.name));
                    if metadata.is_ok_and(|metadata| Stamp::of(&metadata) == *stamp) {
                        continue;
                    }
                    // Another build published something else in the meantime, or somebody took it away.
                    let again = match store {
                        Some(store) => self.bring(&ready.member, store)?,
                        None => self.published(&ready.member),
                    };
                    if again.is_none() {
                        return Ok(false);
                    }
                    again
                }
            };
            if let Some(now) = now {
                *ready = now;
            }
        }
        Ok(true)
    }

    /// What the last report owns and the new one does not, as long as it is what the last report says: whatever else stands there now is not
    /// the compiler's to remove. Reports for other targets keep what is theirs.
    fn removals(&self, last: &Report, new: &Report) -> Vec<Member> {
        if last.target() != new.target() {
            return Vec::new();
        }
        let kept: HashSet<&str> = new.files().map(|(name, ..)| name).collect();
        let mut seen = HashSet::new();
        let stale = last.files().filter(|(name, ..)| !kept.contains(name) && seen.insert(*name));
        let stale = stale.filter_map(|(name, size, hash)| {
            let member = Member { name: name.to_owned(), size, hash: Hash::from_hex(hash).ok()? };
            // One that cannot be read now is looked at once more when it is to be removed.
            file::has_content(&self.out.join(name), size, &member.hash).unwrap_or(true).then_some(member)
        });
        stale.collect()
    }
}

impl Ready {
    fn rename(&self) -> Option<Rename> {
        match &self.place {
            Place::Staged(from) => Some(Rename { from: from.clone(), to: self.member.clone() }),
            Place::Published(_) => None,
        }
    }
}

/// What is told of an error that names its file.
fn unwritable(error: io::Error) -> String {
    format!("cannot write {error}")
}

/// Whether a name in a file is that of a file in the folder itself.
pub(super) fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None)) && name != PRIVATE
}

/// Removes the staging folders of builds that are gone, with the lock of the output folder held.
fn clear_left(private: &Path) {
    let entries = fs::read_dir(private).into_iter().flatten().flatten();
    for path in
        entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(STAGING)).map(|entry| entry.path())
    {
        if !file::is_real_folder(&path) {
            continue;
        }
        let gone = match File::options().write(true).open(path.join("lock")) {
            Ok(alive) => match alive.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(error)) => error.kind() == io::ErrorKind::Unsupported,
            },
            // Killed before it made its lock, which it does with the lock of the output folder held.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if gone {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_dir_all(path);
        }
    }
}
