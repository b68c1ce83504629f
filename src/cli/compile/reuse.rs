//! Finds packages that were built before, and keeps those that are built now.
//!
//! What a package is made of is known only once it was built. So the cache holds two kinds of entries for it. The *traces* of a package,
//! found by all that is known beforehand (compiler, target, options, tool, names), tell for its last few builds which files were read,
//! where imports were looked for in vain, and which names were looked up in the manifest. With a trace, and what those files and rows
//! hold now, goes the key of the *result*, which holds the artifacts. A result is never found for sources that it was not made of, and a
//! branch that is returned to is found again.
//!
//! Below that, what a tool made of a text is kept by the tool, its arguments and the text: a comment in a source makes another package of
//! it, but no other text, and does not reach the tool.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blake3::Hash;
use serde::{Deserialize, Serialize};

use super::inputs::PackageInputs;
use super::plan::{Job, Plan};
use super::product::{About, Product};
use super::rows;
use super::toolchain::{Identity, Made, Trouble};
use crate::cli::cache::{Key, KeyBuilder, Member, Store, file_hash};
use crate::cli::json_text::JsonText;
use crate::cli::load::Reads;

/// How many traces of a package are kept.
const TRACES: usize = 8;

/// The cache as packages see it.
pub(super) struct Reuse<'p> {
    plan: &'p Plan,
    store: Store,
    /// All that is the same for every package of the build.
    common: KeyBuilder,
    /// Which tool there is, if one is needed.
    tool: Option<Key>,
    /// What files hold, each read once a build; nothing for one that is not there.
    files: Mutex<HashMap<PathBuf, Option<Hash>>>,
}

/// What was looked at for a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Trace {
    files: Vec<String>,
    absent: Vec<String>,
    names: BTreeSet<String>,
}

impl<'p> Reuse<'p> {
    /// The cache for a build.
    ///
    /// # Errors
    /// If this program or the tool cannot be read to tell which it is.
    pub(super) fn new(plan: &'p Plan, store: Store) -> io::Result<Self> {
        let compiler = file_hash(&store, &std::env::current_exe()?)?;
        let common =
            KeyBuilder::new("package").hash(&compiler).text(plan.target()).text(&format!("{:?}", plan.published));
        let (common, tool) = match &plan.tool {
            Some((tool, native)) => {
                let Identity { files, text } = tool.identity();
                let key = KeyBuilder::new("tool").text(&format!("{native:?}")).text(&text);
                let tool = files
                    .iter()
                    .try_fold(key, |key, file| file_hash(&store, file).map(|hash| key.hash(&hash)))?
                    .finish();
                (common.key(&tool), Some(tool))
            }
            None => (common, None),
        };
        let common =
            plan.import_dirs.iter().fold(common.number(plan.import_dirs.len() as u64), |key, dir| key.path(dir));
        Ok(Self { plan, store, common, tool, files: Mutex::default() })
    }

    /// Where it is kept.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// A package as it was built from the very same before: what is known of it, its files, and what they were made of.
    pub(super) fn find(&self, job: &Job) -> Option<(About, Vec<Member>, PackageInputs)> {
        let key = self.key(job);
        let here = self.store.find_local(&key);
        let found = here.and_then(|traces| self.find_by(job, &key, &traces.value));
        // Another machine may have built what this one did not.
        found.or_else(|| self.find_by(job, &key, &self.store.find_remote(&key)?.value))
    }

    fn find_by(&self, job: &Job, key: &Key, traces: &JsonText) -> Option<(About, Vec<Member>, PackageInputs)> {
        let traces: Vec<Trace> = traces.read()?;
        traces.into_iter().filter(|trace| self.is_sound(trace)).find_map(|trace| {
            let result = self.store.find(&self.result(key, &trace)?)?;
            let [files, absent] =
                [trace.files, trace.absent].map(|paths| paths.into_iter().map(PathBuf::from).collect());
            let inputs = PackageInputs { name: job.name.clone(), outputs: Vec::new(), files, absent };
            Some((result.value.read()?, result.members, inputs))
        })
    }

    /// Whether nothing is wrong with what a package shares with others, as far as it was looked at.
    fn is_sound(&self, trace: &Trace) -> bool {
        let Plan { missing_dirs, faulty_manifest, .. } = self.plan;
        let is_missing = |path: &String| missing_dirs.iter().any(|dir| Path::new(path).starts_with(dir));
        (faulty_manifest.is_none() || trace.names.is_empty()) && !trace.absent.iter().any(is_missing)
    }

    /// Keeps a package for the next time.
    ///
    /// # Errors
    /// If the cache cannot be written.
    pub(super) fn keep(&self, job: &Job, reads: &Reads, names: &BTreeSet<String>, product: &Product) -> io::Result<()> {
        let text = |path: &PathBuf| path.to_str().map(str::to_owned);
        let files: Option<Vec<String>> = reads.files.iter().map(|(path, _)| text(path)).collect();
        let absent: Option<Vec<String>> = reads.absent.iter().map(text).collect();
        // A path that is no text is not to be found again by one.
        let (Some(files), Some(absent)) = (files, absent) else { return Ok(()) };
        let trace = Trace { files, absent, names: names.clone() };
        let key = self.key(job);
        // The hashes are those of the bytes that were compiled, whatever is in the files by now.
        let result = self.result_of(&key, &trace, reads.files.iter().map(|(_, hash)| *hash));
        let members: Vec<(&str, &[u8])> =
            product.files.iter().map(|file| (file.name.as_str(), file.bytes.as_slice())).collect();
        self.store.put(&result, &product.about, &members)?;
        let before = self.store.find_local(&key).map(|traces| traces.value);
        let before: Vec<Trace> = before.and_then(|traces| traces.read()).unwrap_or_default();
        if before.first() != Some(&trace) {
            let rest = before.into_iter().filter(|other| *other != trace);
            let traces: Vec<Trace> = [trace.clone()].into_iter().chain(rest).take(TRACES).collect();
            self.store.put(&key, &traces, &[])?;
        }
        Ok(())
    }

    /// What the tool makes of a text, and how long that took: nothing of the sort if it made the same before.
    pub(super) fn make(
        &self,
        text: &str,
        arguments: &[String],
        run: impl FnOnce() -> (Result<Made, Trouble>, Duration),
    ) -> (Result<Made, Trouble>, Duration) {
        let Some(tool) = &self.tool else { return run() };
        let key = arguments
            .iter()
            .fold(KeyBuilder::new("made").key(tool), |key, argument| key.text(argument))
            .text(text)
            .finish();
        if let Some(made) = self.made(&key) {
            return (Ok(made), Duration::ZERO);
        }
        let (outcome, time) = run();
        if let Ok(made) = &outcome {
            // A cache that cannot be written is told of when the package is to be kept.
            let _ = self.store.put(&key, &made.messages, &[("made", made.bytes.as_slice())]);
        }
        (outcome, time)
    }

    fn made(&self, key: &Key) -> Option<Made> {
        let found = self.store.find(key)?;
        let [member] = found.members.as_slice() else { return None };
        let messages = found.value.read()?;
        Some(Made { bytes: self.store.read(member)?, messages })
    }

    /// The key of a package's traces.
    fn key(&self, job: &Job) -> Key {
        let Job { name, input, named: _, optimization, debug, shader_model, shipping: _ } = job;
        let (major, minor) = shader_model.map_or((0, 0), |(model, _)| model);
        let key = self.common.clone().text(name).path(input).number(u64::from(*optimization)).number(u64::from(*debug));
        key.number(u64::from(major)).number(u64::from(minor)).finish()
    }

    /// The key of the result that a trace leads to as things are now; nothing if it leads nowhere.
    fn result(&self, key: &Key, trace: &Trace) -> Option<Key> {
        if trace.absent.iter().any(|path| self.hash(Path::new(path)).is_some()) {
            return None;
        }
        let hashes = trace.files.iter().map(|path| self.hash(Path::new(path)));
        let hashes: Vec<Hash> = hashes.collect::<Option<_>>()?;
        Some(self.result_of(key, trace, hashes))
    }

    fn result_of(&self, key: &Key, trace: &Trace, hashes: impl IntoIterator<Item = Hash>) -> Key {
        let result = KeyBuilder::new("result").key(key).number(trace.files.len() as u64);
        let files = trace.files.iter().zip(hashes);
        let result = files.fold(result, |result, (path, hash)| result.text(path).hash(&hash));
        let result =
            trace.absent.iter().fold(result.number(trace.absent.len() as u64), |result, path| result.text(path));
        rows::add_to(result, self.plan.manifest.as_deref(), &trace.names).finish()
    }

    /// What a file holds: nothing if there is none. One that cannot be read is as good as changed.
    fn hash(&self, path: &Path) -> Option<Hash> {
        if let Some(known) = self.known().get(path) {
            return *known;
        }
        let hash = match fs::read(path) {
            Ok(bytes) => Some(blake3::hash(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => Some(blake3::hash(b"unreadable")),
        };
        self.known().insert(path.to_owned(), hash);
        hash
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Hash>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
