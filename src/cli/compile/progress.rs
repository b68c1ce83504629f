//! What is seen of a build while it runs, and what is said of it at its end, all on standard error.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::report::Status;
use super::workshop::Tally;
use crate::cli::to_stderr;

/// The progress of a build. Threads share it.
pub(super) struct Progress {
    manner: Manner,
    total: usize,
    done: AtomicUsize,
    cached: AtomicUsize,
    failed: AtomicUsize,
    began: Instant,
    /// What is being built, for the terminal.
    current: Mutex<Vec<String>>,
    /// The runs of tools that are going on: since when, which tool, for which package; and how many began.
    running: Mutex<BTreeMap<u64, (Instant, &'static str, String)>>,
    begun: AtomicU64,
    tool: Meter,
    own: Meter,
}

/// How it is shown.
enum Manner {
    /// A bar that moves.
    Bar(ProgressBar),
    /// A line for each package.
    Lines,
    /// Not at all.
    Quiet,
}

/// From when on a bar shows how long a tool has been at a package.
const LONG: Duration = Duration::from_secs(5);
/// How long a tool is at a package before a line tells so, and how long after that another.
const VERY_LONG: u64 = 60;

/// Tells of runs that go on, and keeps how often each was told of.
fn long_runs(
    running: &BTreeMap<u64, (Instant, &'static str, String)>,
    told: &mut BTreeMap<u64, u64>,
    now: Instant,
) -> String {
    let mut lines = String::new();
    for (number, (began, tool, package)) in running {
        let times = now.duration_since(*began).as_secs() / VERY_LONG;
        if told.insert(*number, times).unwrap_or(0) < times {
            lines.push_str(&format!("{package}: {tool} has been at it for {} s\n", times * VERY_LONG));
        }
    }
    told.retain(|number, _| running.contains_key(number));
    lines
}

/// How often something ran, and how long altogether.
#[derive(Default)]
struct Meter {
    runs: AtomicUsize,
    nanoseconds: AtomicU64,
}

impl Meter {
    /// Gives the time of this run too.
    fn measure<T>(&self, run: impl FnOnce() -> T) -> (T, Duration) {
        let began = Instant::now();
        let outcome = run();
        self.runs.fetch_add(1, Ordering::Relaxed);
        let time = began.elapsed();
        self.nanoseconds.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        (outcome, time)
    }

    fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}

impl Progress {
    /// Progress over so many packages.
    pub(super) fn new(total: usize, quiet: bool) -> Self {
        let can_move = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let manner = match (quiet, can_move) {
            (true, _) => Manner::Quiet,
            (false, true) => Manner::Bar(bar(total)),
            (false, false) => Manner::Lines,
        };
        let [done, cached, failed] = [0; 3].map(AtomicUsize::new);
        let (tool, own) = (Meter::default(), Meter::default());
        let (current, running, begun) = (Mutex::default(), Mutex::default(), AtomicU64::new(0));
        Self { manner, total, done, cached, failed, began: Instant::now(), current, running, begun, tool, own }
    }

    /// A package is begun.
    pub(super) fn begin(&self, name: &str) {
        let Manner::Bar(bar) = &self.manner else { return };
        let mut current = lock(&self.current);
        current.push(name.to_owned());
        self.show(bar, &current);
    }

    /// A package is done; `said` is printed whole, never in the middle of another's.
    pub(super) fn end(&self, name: &str, status: Status, time: Duration, said: &str) {
        // Held while it is printed: what is counted first is told first.
        let mut current = lock(&self.current);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let word = match status {
            Status::Compiled => "built",
            Status::Cached => {
                self.cached.fetch_add(1, Ordering::Relaxed);
                "cached"
            }
            Status::Failed => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                "failed"
            }
        };
        match &self.manner {
            Manner::Bar(bar) => {
                current.retain(|other| other != name);
                if !said.is_empty() {
                    bar.suspend(|| to_stderr(said));
                }
                bar.set_position(done as u64);
                self.show(bar, &current);
            }
            Manner::Lines => {
                let total = self.total;
                let width = total.to_string().len();
                to_stderr(&format!("{said}[{done:width$}/{total}] {name}: {word} in {}\n", seconds(time)));
            }
            Manner::Quiet => to_stderr(said),
        }
    }

    /// A package that was done is not after all, and is begun once more.
    pub(super) fn again(&self, status: Status) {
        self.done.fetch_sub(1, Ordering::Relaxed);
        match status {
            Status::Compiled => {}
            Status::Cached => drop(self.cached.fetch_sub(1, Ordering::Relaxed)),
            Status::Failed => drop(self.failed.fetch_sub(1, Ordering::Relaxed)),
        }
    }

    /// Measures what the compiler itself does.
    pub(super) fn compiling<T>(&self, run: impl FnOnce() -> T) -> (T, Duration) {
        self.own.measure(run)
    }

    /// Measures a run of a tool.
    pub(super) fn running_tool<T>(&self, tool: &'static str, package: &str, run: impl FnOnce() -> T) -> (T, Duration) {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        lock(&self.running).insert(number, (Instant::now(), tool, package.to_owned()));
        let outcome = self.tool.measure(run);
        lock(&self.running).remove(&number);
        outcome
    }

    /// Works, and tells meanwhile of runs of tools that take long.
    pub(super) fn patiently<T>(&self, work: impl FnOnce() -> T) -> T {
        let (done, ended) = mpsc::channel::<()>();
        thread::scope(|scope| {
            // Hung up when the work is done, also by a panic.
            let _done = done;
            // Where no thread can be had nothing is told.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                let mut told = BTreeMap::new();
                while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                    self.tell_of_long_runs(&mut told);
                }
            });
            work()
        })
    }

    /// A line for each run that goes on, once a minute; on a terminal the bar tells.
    fn tell_of_long_runs(&self, told: &mut BTreeMap<u64, u64>) {
        let lines = match &self.manner {
            Manner::Bar(bar) => return self.show(bar, &lock(&self.current)),
            Manner::Lines => long_runs(&lock(&self.running), told, Instant::now()),
            Manner::Quiet => return,
        };
        to_stderr(&lines);
    }

    fn show(&self, bar: &ProgressBar, current: &[String]) {
        let (cached, failed) = (self.cached.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed));
        let counts = [(cached, "cached"), (failed, "failed")];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let running = lock(&self.running);
        let name = |name: &String| match running
            .values()
            .find(|(_, _, package)| package == name)
            .map(|(began, ..)| began.elapsed())
        {
            Some(long) if long >= LONG => format!("{name} ({} s)", long.as_secs()),
            _ => name.clone(),
        };
        let current: Vec<String> = current.iter().map(name).collect();
        let parts: Vec<String> = counts.chain([current.join(", ")]).filter(|part| !part.is_empty()).collect();
        bar.set_message(parts.join(" · "));
    }

    /// Says how the build went. `verb` is what happened to the packages that did not fail.
    pub(super) fn finish(&self, verb: &str, tool: Option<&str>, tally: &Tally<'_>) {
        let Tally { good, cached, failed, is_published } = tally;
        if let Manner::Bar(bar) = &self.manner {
            bar.finish_and_clear();
        }
        if !failed.is_empty() {
            to_stderr(&format!("{} of {} packages failed: {}\n", failed.len(), self.total, failed.join(", ")));
        }
        if matches!(self.manner, Manner::Quiet) {
            return;
        }
        let packages = if *good == 1 { "package" } else { "packages" };
        let cached = match cached {
            0 => String::new(),
            cached => format!(", {cached} of them from the cache"),
        };
        let unpublished = if *is_published { "" } else { ", but not published," };
        let mut times = Vec::new();
        if self.own.runs() > 0 {
            times.push(format!("compiling {}", seconds(self.own.time())));
        }
        if let Some(tool) = tool.filter(|_| self.tool.runs() > 0) {
            let runs = self.tool.runs();
            let times_word = if runs == 1 { "run" } else { "runs" };
            times.push(format!("{tool} {} in {runs} {times_word}", seconds(self.tool.time())));
        }
        let times = if times.is_empty() { String::new() } else { format!(" ({}, over all threads)", times.join(", ")) };
        let whole = seconds(self.began.elapsed());
        to_stderr(&format!("{good} {packages} {verb}{cached}{unpublished} in {whole}{times}\n"));
    }
}

fn bar(total: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
    // The template is a constant: it parses.
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
        bar.set_style(style);
    }
    bar
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// A thread that panicked leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_told_of_once_a_minute() {
        let began = Instant::now();
        let run =
            |number, after, package: &str| (number, (began + Duration::from_secs(after), "DXC", package.to_owned()));
        let mut running = BTreeMap::from([run(1, 0, "a"), run(2, 30, "b")]);
        let mut told = BTreeMap::new();
        let mut at = |running: &_, seconds| long_runs(running, &mut told, began + Duration::from_secs(seconds));
        assert_eq!(at(&running, 59), "");
        assert_eq!(at(&running, 61), "a: DXC has been at it for 60 s\n");
        assert_eq!(at(&running, 62), "");
        assert_eq!(at(&running, 125), "a: DXC has been at it for 120 s\nb: DXC has been at it for 60 s\n");
        running.remove(&1);
        assert_eq!(at(&running, 155), "b: DXC has been at it for 120 s\n");
    }
}
