//! A tool that is called in this process, and may end it: what the other packages need not suffer from.
//!
//! Where such a tool crashes, ends the process or takes too long, the process starts itself again with one more argument, `--lost`, which says what
//! was being compiled and what came of it. What was finished by then comes from the cache, what was lost fails with an error, and the rest is built.
//! Each start loses one more package, so that this comes to an end. Systems without `execv` have none of this.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether what was lost before does not matter to the next start.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// What was lost, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Lost {
    /// The package.
    pub(in crate::cli) package: String,
    entry: String,
    cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// By the signal of this number.
    Crash(i32),
    /// It called `exit`.
    Exit,
    /// It took too long.
    TooLong,
}

impl Lost {
    /// Reads the argument that a start was given.
    ///
    /// # Errors
    /// When it is none.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once(':').and_then(|(cause, subject)| Some((cause, subject.rsplit_once('/')?)));
        let (cause, (package, entry)) = parts.ok_or("this argument is for the program itself")?;
        let cause = match cause {
            "end" => Cause::Exit,
            "lim" => Cause::TooLong,
            number => Cause::Crash(number.parse().map_err(|_| "this is no cause")?),
        };
        Ok(Self { package: package.to_owned(), entry: entry.to_owned(), cause })
    }

    /// What is told of it.
    pub(in crate::cli) fn message(&self, limit: u64) -> String {
        let Self { package, entry, cause } = self;
        let what = match cause {
            Cause::Crash(number) => format!("crashed with {}", signal(*number)),
            Cause::Exit => "ended the process".to_owned(),
            Cause::TooLong => {
                return format!(
                    "DXC took longer than {limit} s (`--tool-time-limit`) over entry `{entry}` of package `{package}`, and was ended"
                );
            }
        };
        format!("DXC {what} while it compiled entry `{entry}` of package `{package}`")
    }

    /// Has what was lost so far lost for the build that ends now only: under `--watch` the next may find it mended.
    pub(in crate::cli) fn forget() {
        IS_OVER.store(true, Ordering::Relaxed);
    }

    /// What is told beside.
    pub(in crate::cli) const NOTE: &'static str = "the build started again without that package; it need not where `--dxc` names DXC's program instead of its library";
}

/// A signal by its number and name.
fn signal(number: i32) -> String {
    #[cfg(unix)]
    if let Some((_, name)) = super::signals::CRASHES.iter().find(|(of, _)| *of == number) {
        return format!("signal {number} ({name})");
    }
    format!("signal {number}")
}

#[cfg(unix)]
pub(super) use self::guard::{guarded, loading, watch};

#[cfg(unix)]
mod guard {
    use std::collections::BTreeMap;
    use std::io::{self, IsTerminal};
    use std::path::Path;
    use std::sync::atomic::Ordering;
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};
    use std::thread;
    use std::time::Duration;

    use super::super::signals::{self, LastWords};
    use super::super::{Conduct, Task};
    use super::IS_OVER;
    use crate::cli::complaint;

    /// How often it is looked at how long calls have been going on.
    const LOOK: Duration = Duration::from_millis(100);

    /// A call that is going on.
    struct Call {
        /// How often it was found going on: a process that was stopped for a while was not slow.
        looks: u128,
        what: What,
    }

    /// What a call is made for.
    enum What {
        /// The library, which nothing can be built without.
        Loading(String),
        /// An entry of a package; the build goes on without that.
        Compiling { package: String, entry: String, quiet: bool },
    }

    impl What {
        fn last_words(&self) -> LastWords {
            match self {
                Self::Loading(library) => LastWords::new(complaint(format!(
                    "DXC brought this process down, or took too long, while its library {library} was loaded; `--dxc` may name another, or its program"
                ))),
                Self::Compiling { package, entry, quiet } => {
                    let what = format!(
                        "DXC brought this process down while it compiled entry `{entry}` of package `{package}`"
                    );
                    // Over the bar, where there is one.
                    let line = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
                    let notice = if *quiet {
                        String::new()
                    } else {
                        format!("{line}{what}; the build starts again without that package\n")
                    };
                    let words = format!(
                        "{what}; `--dxc` may name DXC's program instead of its library, which keeps such to one package"
                    );
                    let alone = IS_OVER.load(Ordering::Relaxed);
                    LastWords::again("--lost=", &format!(":{package}/{entry}"), alone, notice, complaint(words))
                }
            }
        }
    }

    /// The calls, in the order in which they began.
    static CALLS: Mutex<BTreeMap<u64, Call>> = Mutex::new(BTreeMap::new());

    fn calls() -> MutexGuard<'static, BTreeMap<u64, Call>> {
        CALLS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call for a task.
    pub(in super::super) fn guarded<T>(task: &Task<'_>, conduct: Conduct, call: impl FnOnce() -> T) -> T {
        let (package, entry) = (task.package.to_owned(), task.entry.unwrap_or_default().to_owned());
        watched(What::Compiling { package, entry, quiet: conduct.quiet }, call)
    }

    /// Loads a library.
    pub(in super::super) fn loading<T>(library: &Path, load: impl FnOnce() -> T) -> T {
        watched(What::Loading(library.display().to_string()), load)
    }

    fn watched<T>(what: What, call: impl FnOnce() -> T) -> T {
        struct Done(u64);
        impl Drop for Done {
            fn drop(&mut self) {
                calls().remove(&self.0);
            }
        }
        let last = what.last_words();
        let _done = {
            let mut calls = calls();
            let number = calls.last_key_value().map_or(0, |(last, _)| last + 1);
            calls.insert(number, Call { looks: 0, what });
            Done(number)
        };
        signals::guarded(last, call)
    }

    /// Has calls watched. What a library does when the process ends is done after what this does, if this is called after it was loaded.
    pub(in super::super) fn watch(conduct: Conduct) {
        signals::watch();
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // Where there is no thread to be had for it, calls take as long as they take.
            let _ = thread::Builder::new().spawn(move || {
                loop {
                    thread::sleep(LOOK);
                    let mut calls = calls();
                    calls.values_mut().for_each(|call| call.looks += 1);
                    let late = calls.values().find(|call| call.looks * LOOK.as_millis() > conduct.limit.as_millis());
                    if let Some(call) = late {
                        signals::start_again(call.what.last_words(), signals::TOO_LONG);
                        signals::end();
                    }
                }
            });
        });
    }
}

/// Where a process cannot start itself again, calls are made as they are.
#[cfg(not(unix))]
mod guard {
    use std::path::Path;

    use super::super::{Conduct, Task};

    pub(in super::super) fn guarded<T>(_: &Task<'_>, _: Conduct, call: impl FnOnce() -> T) -> T {
        call()
    }

    pub(in super::super) fn loading<T>(_: &Path, load: impl FnOnce() -> T) -> T {
        load()
    }

    pub(in super::super) fn watch(_: Conduct) {}
}
#[cfg(not(unix))]
pub(super) use self::guard::{guarded, loading, watch};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_is_told() {
        let told = |text: &str| Lost::parse(text).map(|lost| lost.message(300));
        let of = "while it compiled entry `fill` of package `p:a/int`";
        assert_eq!(told("011:p:a/int/fill"), Ok(format!("DXC crashed with signal 11 (SIGSEGV) {of}")));
        assert_eq!(told("063:p:a/int/fill"), Ok(format!("DXC crashed with signal 63 {of}")));
        assert_eq!(told("end:p:a/int/fill"), Ok(format!("DXC ended the process {of}")));
        let late =
            "DXC took longer than 300 s (`--tool-time-limit`) over entry `fill` of package `paint`, and was ended";
        assert_eq!(told("lim:paint/fill"), Ok(late.to_owned()));
        assert!(told("paint").is_err() && told("end:paint").is_err() && told("no:paint/fill").is_err());
    }
}
