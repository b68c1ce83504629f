//! The journal: the changes of a publication, written before the first of them, removed after the last.

use std::fs;
use std::io;
use std::path::Path;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::{STAGING, is_plain};
use crate::cli::compile::report::REPORT;
use crate::cli::json_text::JsonText;
use crate::cli::cache::{Inventory, Key, KeyBuilder, Member, decode, encode, file};

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
    pub(super) fn step(&self, step: Step<'_>, out: &Path, private: &Path) -> Result<(), String> {
        match step {
            Step::Rename(Rename { from, to }) => {
                let path = out.join(&to.name);
                let from = private.join(&self.staging).join(from);
                fs::rename(from, &path).map_err(|error| format!("cannot write {}: {error}", path.display()))
            }
            // What cannot be removed stays; nobody owns it any more.
            Step::Remove(gone) => {
                let _ = fs::remove_file(out.join(&gone.name));
                Ok(())
            }
        }
    }

    /// Makes all changes and removes the journal.
    pub(super) fn perform(&self, out: &Path, private: &Path) -> Result<(), String> {
        self.steps().try_for_each(|step| self.step(step, out, private))?;
        let journal = private.join(JOURNAL);
        fs::remove_file(&journal).map_err(|error| format!("cannot remove {}: {error}", journal.display()))
    }

    /// Finishes what a killed build began, with the lock held: every file that was staged whole goes to its place. If one is lost, the report
    /// and the removals are left to the build that follows.
    pub(super) fn finish_left(out: &Path, private: &Path) -> io::Result<()> {
        let path = private.join(JOURNAL);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // A damaged journal tells nothing, and the hashes of the published files tell the next build all it needs.
        if let Some(journal) = Self::read(&bytes) {
            journal.finish(out, private);
        }
        fs::remove_file(path)
    }

    fn finish(&self, out: &Path, private: &Path) {
        let mut whole = true;
        for step in self.steps() {
            match step {
                Step::Rename(Rename { from, to }) => {
                    if !whole && to.name == REPORT {
                        return;
                    }
                    let staged = private.join(&self.staging).join(from);
                    if file::has_content(&staged, to.size, &to.hash) {
                        whole &= self.step(step, out, private).is_ok();
                    } else {
                        whole &= file::has_content(&out.join(&to.name), to.size, &to.hash);
                    }
                }
                Step::Remove(gone) => {
                    if whole && file::has_content(&out.join(&gone.name), gone.size, &gone.hash) {
                        let _ = self.step(step, out, private);
                    }
                }
            }
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let Inventory { value, members } = decode(&key(), bytes)?;
        let form: Form = value.read()?;
        let renames = form.from.into_iter().zip(members).map(|(from, to)| Rename { from, to }).collect();
        let removals = form.removals.into_iter().map(|(name, size, hash)| Some(Member { name, size, hash: Hash::from_hex(hash).ok()? }));
        let journal = Self { staging: form.staging, renames, removals: removals.collect::<Option<_>>()? };
        let names = journal.renames.iter().flat_map(|rename| [&rename.from, &rename.to.name]);
        let names = names.chain(journal.removals.iter().map(|gone| &gone.name)).chain([&journal.staging]);
        (names.into_iter().all(|name| is_plain(name)) && journal.staging.starts_with(STAGING)).then_some(journal)
    }
}
