//! A program and the processes that it starts, as one: a process group, which is killed whole, and never left behind.
//!
//! What is typed on a terminal reaches the group of this process only, so that a signal that ends this process is passed on to the groups.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What runs now: its process, and a folder that is its own. Who holds this may start and reap: a number in it is nobody else's.
static RUNNING: Mutex<Vec<(u32, Option<PathBuf>)>> = Mutex::new(Vec::new());

/// Starts a program as the first of a group.
pub(super) fn start(command: &mut Command, folder: Option<&Path>) -> io::Result<Child> {
    system::watch_signals();
    system::as_group(command);
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    running.push((child.id(), folder.map(Path::to_owned)));
    Ok(child)
}

/// Whether the program has ended. It is not reaped by that.
pub(super) fn has_ended(child: &mut Child) -> bool {
    system::has_ended(child)
}

/// Kills what is left of the group, and waits for the program to be gone, though not for ever.
pub(super) fn end(child: &mut Child, patience: Duration) -> io::Result<ExitStatus> {
    let until = Instant::now() + patience;
    loop {
        {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            system::kill(child);
            if has_ended(child) || Instant::now() >= until {
                running.retain(|(id, _)| *id != child.id());
                return child.try_wait()?.ok_or_else(|| io::Error::other("it cannot be killed"));
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
mod system {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::{Once, TryLockError, mpsc};
    use std::thread;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::super::signals::is_ignored;

    pub(super) fn as_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(child)), options) {
            Ok(status) => status.is_some(),
            Err(rustix::io::Errno::INTR) => false,
            // Where children are not waited for at all, there is none once it has ended.
            Err(_) => true,
        }
    }

    pub(super) fn kill(child: &mut Child) {
        // One whose processes are all gone is killed already.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    /// What would end this process ends what it runs too. A signal that is ignored, as after `nohup`, stays so.
    pub(super) fn watch_signals() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
            let ending: Vec<_> = ending.collect();
            let (sender, watching) = mpsc::channel::<()>();
            // Where there are no files or threads to be had for it, tools run to their end.
            let _ = thread::Builder::new().spawn(move || {
                let Ok(mut signals) = Signals::new(ending) else { return };
                drop(sender);
                for signal in &mut signals {
                    // Held until the end: nothing is started any more. A start that hangs is not waited for.
                    let mut held = super::RUNNING.try_lock();
                    for _ in 0..100 {
                        if let Err(TryLockError::WouldBlock) = held {
                            thread::sleep(Duration::from_millis(10));
                            held = super::RUNNING.try_lock();
                        }
                    }
                    let running = match &held {
                        Ok(running) => &running[..],
                        Err(TryLockError::Poisoned(running)) => &running.get_ref()[..],
                        Err(TryLockError::WouldBlock) => &[],
                    };
                    for (id, folder) in running {
                        if let Some(group) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
                            let _ = kill_process_group(group, Signal::KILL);
                        }
                        if let Some(folder) = folder {
                            let _ = fs::remove_dir_all(folder);
                        }
                    }
                    let _ = emulate_default_handler(signal);
                }
            });
            // Until it watches, or will not.
            let _ = watching.recv();
        });
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command};

    pub(super) fn as_group(_: &mut Command) {}

    pub(super) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub(super) fn kill(child: &mut Child) {
        let _ = child.kill();
    }

    /// What is typed reaches all processes of a console.
    pub(super) fn watch_signals() {}
}
