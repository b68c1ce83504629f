//! The locks of an output folder.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::cli::file;
use crate::cli::to_stderr;

/// How long others are waited for without a word.
const PATIENCE: Duration = Duration::from_secs(2);

/// Takes the lock of an output folder. Others that hold it, while they publish or read, are waited for: unless `quiet`, that is told when it takes
/// long.
///
/// # Errors
/// If it cannot be had, with its path.
pub(super) fn lock(private: &Path, quiet: bool) -> io::Result<File> {
    let path = private.join("lock");
    let file = file::open_own(&path, File::options().write(true))?;
    let had = if quiet || !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        file::lock(&file)
    } else {
        wait(&file, &path)
    };
    had.map(|()| file).map_err(|error| file::of(&path, &error))
}

/// Takes a lock that another has.
fn wait(file: &File, path: &Path) -> io::Result<()> {
    let (done, had) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Hung up when the lock is had. Where there is no thread nothing is told.
        let _done = done;
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            if had.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                to_stderr(&format!("waiting for another build, or a reader, that holds {}\n", path.display()));
            }
        });
        file::lock(file)
    })
}
