//! The journal: the changes of a publication, written before the first of them, removed after the last.

use std::fs;
use std::io;
use std::path::Path;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::{STAGING, is_plain};
use crate::cli::cache::{Inventory, Key, KeyBuilder, Member, decode, encode};
use crate::cli::compile::report::REPORT;
use crate::cli::file;
use crate::cli::json_text::JsonText;

const JOURNAL: &str = "journal";

/// The changes of a publication, in their order: the report is the last file that is renamed, and files are removed after it.
#[derive(Debug)]
pub(super) struct Journal {
    /// The name of the staging folder.
    pub(super) staging: String,
    /// What goes to its place.
    pub(super) renames: Vec<Rename>,
    /// What goes away.
    pub(super) removals: Vec<Member>,
}

/// A staged file and the published file that it becomes.
#[derive(Debug)]
pub(super) struct Rename {
    pub(super) from: String,
    pub(super) to: Member,
}

/// A change.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'j> {
    Rename(&'j Rename),
    Remove(&'j Member),
}

/// What of a journal is not a file that it puts in place: those are the members of its inventory.
#[derive(Serialize, Deserialize)]
struct Form {
    staging: String,
    from: Vec<String>,
    removals: Vec<(String, u64, String)>,
}

/// Journals have the form of a cache's inventory, with this key: damage shows.
fn key() -> Key {
    KeyBuilder::new("publication").finish()
}

impl Journal {
    /// Writes the journal: from here on the publication happens, if not now then by the next build.
    pub(super) fn write(&self, private: &Path) -> io::Result<()> {
        let removals = self.removals.iter();
        let form = Form {
            staging: self.staging.clone(),
            from: self.renames.iter().map(|rename| rename.from.clone()).collect(),
            removals: removals.map(|gone| (gone.name.clone(), gone.size, gone.hash.to_hex().to_string())).collect(),
        };
        let value = JsonText::of(&form).map_err(io::Error::other)?;
        let inventory = Inventory { value, members: self.renames.iter().map(|rename| rename.to.clone()).collect() };
        file::replace(&private.join(JOURNAL), &private.join(&self.staging), &encode(&key(), &inventory))
    }

    /// The changes, in order.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.renames.iter().map(Step::Rename).chain(self.removals.iter().map(Step::Remove))
    }

    /// Makes one change.
    pub(super) fn step(&self, step: Step<'_>, out: &Path, private: &Path) -> io::Result<()> {
        match step {
            Step::Rename(Rename { from, to }) => fs::rename(private.join(&self.staging).join(from), out.join(&to.name)),
            // Once more, as it may be another one by now.
            Step::Remove(gone) => {
                let path = out.join(&gone.name);
                if file::has_content(&path, gone.size, &gone.hash)? { fs::remove_file(path) } else { Ok(()) }
            }
        }
    }

    /// Makes all changes and removes the journal. It stays if something cannot be removed, so that the next build tries it once more; gives
    /// what that is, and why.
    ///
    /// # Errors
    /// What cannot be put in its place.
    pub(super) fn perform(&self, out: &Path, private: &Path) -> Result<Vec<String>, String> {
        let mut left = Vec::new();
        for step in self.steps() {
            match (step, self.step(step, out, private)) {
                (_, Ok(())) => {}
                (Step::Rename(rename), Err(error)) => {
                    return Err(format!("cannot write {}: {error}", out.join(&rename.to.name).display()));
                }
                (Step::Remove(gone), Err(error)) => {
                    left.push(format!("cannot remove {}: {error}", out.join(&gone.name).display()))
                }
            }
        }
        let journal = private.join(JOURNAL);
        if left.is_empty()
            && let Err(error) = fs::remove_file(&journal)
        {
            left.push(format!("cannot remove {}: {error}", journal.display()));
        }
        Ok(left)
    }

    /// Finishes what a killed build began, with the lock held: every file that was staged whole goes to its place. If one is lost, the report
    /// and the removals are left to the build that follows. Gives what still cannot be removed: the journal stays for that.
    ///
    /// # Errors
    /// If something cannot be read or written, with its path: the journal stays, for a time when it can.
    pub(super) fn finish_left(out: &Path, private: &Path) -> io::Result<Vec<Member>> {
        let path = private.join(JOURNAL);
        let bytes = match file::read_regular(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(file::of(&path, &error)),
        };
        // A damaged journal tells nothing, and the hashes of the published files tell the next build all it needs.
        let left = match bytes.and_then(|bytes| Self::read(&bytes)) {
            Some(journal) => journal.finish(out, private)?,
            None => Vec::new(),
        };
        if left.is_empty() {
            fs::remove_file(&path).map_err(|error| file::of(&path, &error))?;
        }
        Ok(left)
    }

    fn finish(&self, out: &Path, private: &Path) -> io::Result<Vec<Member>> {
        let (mut whole, mut left) = (true, Vec::new());
        for step in self.steps() {
            match step {
                Step::Rename(Rename { from, to }) => {
                    if !whole && to.name == REPORT {
                        return Ok(left);
                    }
                    let (staged, place) = (private.join(&self.staging).join(from), out.join(&to.name));
                    if !file::has_content(&staged, to.size, &to.hash)? {
                        whole &= file::has_content(&place, to.size, &to.hash)?;
                    } else if fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_dir()) {
                        // Somebody's folder has the name by now: this will never get there.
                        whole = false;
                    } else {
                        self.step(step, out, private).map_err(|error| file::of(&place, &error))?;
                    }
                }
                Step::Remove(gone) => {
                    if whole && self.step(step, out, private).is_err() {
                        left.push(gone.clone());
                    }
                }
            }
        }
        Ok(left)
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let Inventory { value, members } = decode(&key(), bytes)?;
        let form: Form = value.read()?;
        let renames = form.from.into_iter().zip(members).map(|(from, to)| Rename { from, to }).collect();
        let removals = form
            .removals
            .into_iter()
            .map(|(name, size, hash)| Some(Member { name, size, hash: Hash::from_hex(hash).ok()? }));
        let journal = Self { staging: form.staging, renames, removals: removals.collect::<Option<_>>()? };
        let names = journal.renames.iter().flat_map(|rename| [&rename.from, &rename.to.name]);
        let names = names.chain(journal.removals.iter().map(|gone| &gone.name)).chain([&journal.staging]);
        (names.into_iter().all(|name| is_plain(name)) && journal.staging.starts_with(STAGING)).then_some(journal)
    }
}
