//! `--watch`: builds again when something changes that the last build looked at.
//!
//! Folders are watched, not files: editors put a new file in the place of the old one, and a module that is not there may come to be. What
//! changes while a build runs is seen after it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use akari_ir::Diagnostic;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::inputs::Inputs;
use crate::cli::{Failure, codes, refused};

/// How long nothing must change before a build starts: a program that saves many files is waited for.
const QUIET: Duration = Duration::from_millis(60);
/// How long a build is put off at most.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much earlier than the clock says a file may seem to have changed.
const CLOCK: Duration = Duration::from_millis(20);

/// Builds until the process is ended, or `idle` says that nobody wants to know any more. `build` gives what it looked at, as far as it came; `idle`
/// is told of how many files are watched.
///
/// # Errors
/// When nothing can be watched.
pub(super) fn run(mut build: impl FnMut() -> Inputs, idle: impl Fn(usize) -> bool) -> Result<(), Failure> {
    let (sender, events) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |event| {
        // Nobody listens only when this ends.
        let _ = sender.send(event);
    });
    let mut watched = Watched { watcher: watcher.map_err(|error| unwatchable(&error))?, folders: BTreeSet::new() };
    let mut before = Inputs::default();
    loop {
        let began = SystemTime::now() - CLOCK;
        let there: Vec<(PathBuf, bool)> =
            before.all().into_iter().map(|path| (path.to_owned(), path.exists())).collect();
        let mut inputs = build();
        if inputs.packages.is_empty() {
            // The specification is broken: what the packages need is as before, and may be what is wrong. Nothing was made of it.
            inputs.packages = before.packages;
            inputs.packages.iter_mut().for_each(|package| package.outputs.clear());
        }
        let files: BTreeSet<PathBuf> = inputs.all().into_iter().flat_map(real_paths).collect();
        watched.watch(&files)?;
        let came_or_went = there.iter().any(|(path, was_there)| path.exists() != *was_there);
        if !came_or_went && !changed_since(&inputs, began) {
            if !idle(inputs.all().len()) {
                return Ok(());
            }
            wait(&events, &files);
        }
        before = inputs;
    }
}

/// The folders that are watched.
struct Watched {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    /// Watches the folders of these files, or what is there of the way to them. One that was deleted and made anew is another folder, so that
    /// none is taken for watched that was before.
    fn watch(&mut self, files: &BTreeSet<PathBuf>) -> Result<(), Failure> {
        for folder in std::mem::take(&mut self.folders) {
            // It may be gone.
            let _ = self.watcher.unwatch(&folder);
        }
        for folder in files.iter().filter_map(|file| file.ancestors().skip(1).find(|folder| folder.is_dir())) {
            if self.folders.contains(folder) {
                continue;
            }
            match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder.to_owned());
                }
                // Gone since: its parent tells when it is there again.
                Err(_) if !folder.is_dir() => {}
                Err(error) => return Err(unwatchable(&error)),
            }
        }
        Ok(())
    }
}

/// Waits until one of these files changes, and then until nothing does.
fn wait(events: &Receiver<notify::Result<Event>>, files: &BTreeSet<PathBuf>) {
    while let Ok(event) = events.recv() {
        if !matters(&event, files) {
            continue;
        }
        let until = Instant::now() + PATIENCE;
        loop {
            match events.recv_timeout(QUIET) {
                Ok(_) if Instant::now() < until => {}
                Ok(_) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// Whether an event is about one of the files, or about a folder on the way to one.
fn matters(event: &notify::Result<Event>, files: &BTreeSet<PathBuf>) -> bool {
    match event {
        // Something was missed.
        Err(_) => true,
        Ok(event) if event.need_rescan() => true,
        Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
        Ok(event) => {
            event.paths.iter().any(|path| files.contains(path) || files.iter().any(|file| file.starts_with(path)))
        }
    }
}

/// Whether a file changed after a build began to look at it: then the folder may not have been watched yet.
fn changed_since(inputs: &Inputs, began: SystemTime) -> bool {
    let is_new = |path: &&Path| {
        let changed = path
            .metadata()
            .and_then(|found| if found.is_file() { found.modified() } else { Ok(SystemTime::UNIX_EPOCH) });
        // A time that is yet to come tells nothing.
        changed.is_ok_and(|changed| changed >= began && changed <= SystemTime::now())
    };
    let gone = |path: &PathBuf| !path.exists();
    let packages = || inputs.packages.iter().filter(|package| !package.outputs.is_empty());
    inputs.all().iter().any(is_new)
        || packages().any(|package| package.files.iter().any(gone) || package.absent.iter().any(|path| path.exists()))
}

/// A file as events name it, whose folder is free of links; and, where it is a link, what that leads to, whether it is there or not.
fn real_paths(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut next = Some(path.to_owned());
    while let Some(path) = next {
        let absolute = std::path::absolute(&path).unwrap_or(path);
        let in_folder = |folder: &Path| Some(folder.canonicalize().ok()?.join(absolute.strip_prefix(folder).ok()?));
        let real = absolute.ancestors().skip(1).find_map(in_folder).unwrap_or(absolute);
        // A link that leads to itself ends here.
        let is_new = !found.contains(&real);
        next = fs::read_link(&real).ok().filter(|_| is_new).map(|target| real.parent().unwrap_or(&real).join(target));
        found.extend(is_new.then_some(real));
    }
    found
}

fn unwatchable(error: &notify::Error) -> Failure {
    refused(Diagnostic::error(codes::UNREADABLE, None, format!("cannot watch for changes: {error}")))
}
