//! Each call to the system that a build makes below its output folder and its cache fails in turn, or the build is ended there: what is published
//! is at any time whole, what is said is true, and the next build mends everything.
//!
//! `AKARI_FAULTS=all` has each call fail in every way that it may, instead of in the most telling ones.
#![cfg(target_os = "linux")]

#[path = "program/faults.rs"]
mod faults;
#[path = "program/signals.rs"]
mod signals;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use faults::Fault;
use serde_json::{Value, json};

const REPORT: &str = "shaders.akari.json";
/// The calls that change something: a build that is killed between two others was killed before the next of these.
const CHANGING: &str = "create,write,rename,mkdir,remove,link,lock,truncate,times,mode";

const DEPENDENCIES: &str = "with dependencies";

/// Published files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// A state that builds begin in, and what they come to.
struct Scenario {
    name: &'static str,
    /// The folder that is copied for each build.
    start: tempfile::TempDir,
    /// The specification, and more arguments.
    arguments: Vec<String>,
    status: i32,
    before: Files,
    after: Files,
}

/// What a program did.
struct Run {
    status: ExitStatus,
    said: String,
    /// The calls that were counted, as kind and path.
    calls: Vec<(String, String)>,
}

/// A package of one entry, or of more.
fn package(name: &str, entries: &[(&str, u32)]) -> String {
    let entry = |(entry, value): &(&str, u32)| {
        format!(
            "@compute(threads = (8, 1, 1))\nfn {entry}(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) \
             {{ values[index] = {value}.5; }}\n"
        )
    };
    format!("#shader {name}\n{}", entries.iter().map(entry).collect::<String>())
}

/// Two versions of a specification, `old.json` and `new.json`, between which a package is edited, one goes, one comes, one stays, and one
/// gets an entry more, so that its file gets another name; and `broken.json`, which is the new one with an error in the edited package.
fn write_sources(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write("kept.akari", &package("kept", &[("fill", 1)]));
    write("gone.akari", &package("gone", &[("fill", 2)]));
    write("fresh.akari", &package("fresh", &[("fill", 3)]));
    write("edited-old.akari", &package("edited", &[("fill", 4)]));
    write("edited-new.akari", &package("edited", &[("fill", 5)]));
    write("edited-broken.akari", "#shader edited\nfn\n");
    write("named-old.akari", &package("named", &[("fill", 6)]));
    write("named-new.akari", &package("named", &[("fill", 6), ("more", 7)]));
    let spec = |packages: &[(&str, &str)]| {
        let packages: Vec<Value> = packages
            .iter()
            .map(|(name, source)| json!({ "name": name, "sources": [format!("{source}.akari")] }))
            .collect();
        json!({ "version": 2, "type": "KhronosVulkan", "compilation": packages }).to_string()
    };
    write("old.json", &spec(&[("kept", "kept"), ("edited", "edited-old"), ("gone", "gone"), ("named", "named-old")]));
    let new = |edited| spec(&[("kept", "kept"), ("edited", edited), ("fresh", "fresh"), ("named", "named-new")]);
    write("new.json", &new("edited-new"));
    write("broken.json", &new("edited-broken"));
}

/// Runs a build in a folder.
fn build(folder: &Path, arguments: &[String], fault: Option<&Fault<'_>>) -> Run {
    let (said, log) = (folder.join("said"), folder.join("calls"));
    let _ = fs::remove_file(&log);
    let mut command = signals::akari();
    command.arg("compile").args(arguments).args(["-j", "1"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&said).expect("a file"));
    if let Some(fault) = fault {
        fault.befall(&mut command, &log);
    }
    let mut running = command.spawn().expect("the program");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = running.try_wait().expect("a process") {
            break status;
        }
        if began.elapsed() > Duration::from_secs(120) {
            let _ = running.kill();
            panic!("it hangs at {fault:?}: {}", fs::read_to_string(&said).unwrap_or_default());
        }
        thread::sleep(Duration::from_millis(1));
    };
    let calls = fs::read_to_string(log).unwrap_or_default();
    let calls =
        calls.lines().filter_map(|line| line.split_once(' ')).map(|(kind, path)| (kind.to_owned(), path.to_owned()));
    Run { status, said: fs::read_to_string(said).expect("what it said"), calls: calls.collect() }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to) } else { fs::copy(from, to).map(|_| ()).expect("a file") }
    }
}

/// What builds leave behind that is nobody's.
fn left(folder: &Path) -> BTreeSet<String> {
    let mut left = names(&folder.join("o/.akari"));
    left.remove("lock");
    left.extend(names(&folder.join("c/v1/temporary")));
    left.extend(names(&folder.join("d")).into_iter().filter(|name| name.starts_with('.')));
    left
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// The published files, the report and what hosts do not look at aside.
fn published(folder: &Path) -> Files {
    let out = folder.join("o");
    let names = names(&out).into_iter().filter(|name| name != REPORT && name != ".akari" && name != ".akari-cache");
    names.map(|name| (name.clone(), fs::read(out.join(name)).expect("a file"))).collect()
}

/// The report; nothing if there is none.
fn report(folder: &Path) -> Option<Value> {
    let bytes = fs::read(folder.join("o").join(REPORT)).ok()?;
    Some(serde_json::from_slice(&bytes).expect("a whole report"))
}

/// Whether all files are there that the report names, as it says.
fn is_settled(folder: &Path) -> bool {
    let report = report(folder).unwrap_or_default();
    let packages = report["packages"].as_array().into_iter().flatten();
    let mut artifacts = packages.flat_map(|package| package["artifacts"].as_array().expect("artifacts"));
    artifacts.all(|artifact| {
        let bytes = fs::read(folder.join("o").join(artifact["file"].as_str().expect("a name")));
        bytes.is_ok_and(|bytes| {
            artifact["hash"] == blake3::hash(&bytes).to_hex().as_str() && artifact["size"] == bytes.len()
        })
    })
}

impl Scenario {
    /// `prepare` makes the state that it begins in.
    fn new(name: &'static str, arguments: &str, status: i32, prepare: impl FnOnce(&Path)) -> Self {
        let start = tempfile::tempdir().expect("a folder");
        write_sources(start.path());
        prepare(start.path());
        let arguments: Vec<String> = format!("--out=o {arguments}").split_whitespace().map(str::to_owned).collect();
        let mut scenario =
            Self { name, before: published(start.path()), after: Files::new(), start, arguments, status };
        let end = scenario.fresh();
        let run = build(end.path(), &scenario.arguments, None);
        assert_eq!(run.status.code(), Some(status), "{name}: {}", run.said);
        scenario.after = published(end.path());
        scenario
    }

    /// A folder in the state that it begins in.
    fn fresh(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        copy(self.start.path(), folder.path());
        folder
    }

    /// The folders that are written to.
    fn all(folder: &Path) -> Vec<PathBuf> {
        ["o", "c", "d"].iter().map(|name| folder.join(name)).collect()
    }

    /// The calls of a build that nothing befalls.
    fn calls(&self, below: impl Fn(&Path) -> Vec<PathBuf>, counted: &str) -> Vec<(String, String)> {
        let folder = self.fresh();
        let below = below(folder.path());
        let fault = Fault { below: &below, counted, at: 0, on: false, failing: "", with: "" };
        let run = build(folder.path(), &self.arguments, Some(&fault));
        assert_eq!(run.status.code(), Some(self.status), "{}", run.said);
        assert_eq!(published(folder.path()), self.after);
        assert!(!run.calls.is_empty());
        run.calls
    }

    /// Each published file is all of the old one or all of the new one, and the report tells the truth, or there is a journal that
    /// tells how to get there.
    fn check_whole(&self, folder: &Path, about: &str) {
        let now = published(folder);
        for (name, bytes) in &now {
            let is_known = [&self.before, &self.after].iter().any(|files| files.get(name) == Some(bytes));
            assert!(is_known, "{about}: {name} is neither the old nor the new one: {} bytes", bytes.len());
        }
        for name in self.before.keys().filter(|name| self.after.contains_key(*name)) {
            assert!(now.contains_key(name), "{about}: {name} is gone");
        }
        let has_journal = folder.join("o/.akari/journal").exists();
        assert!(
            is_settled(folder) || has_journal,
            "{about}: the report does not fit, and there is no journal: {:?}",
            report(folder)
        );
    }

    /// A next build, of this or of another specification, makes everything as it ought to be, and leaves nothing lying about.
    fn check_mended(&self, folder: &Path, arguments: &[String], status: i32, expected: &Files, about: &str) {
        let run = build(folder, arguments, None);
        assert_eq!(run.status.code(), Some(status), "{about}: then: {}", run.said);
        assert!(!run.said.contains("warning: "), "{about}: then: {}", run.said);
        let now = published(folder);
        let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&now), names(expected), "{about}: then");
        assert!(now == *expected && is_settled(folder), "{about}: then");
        assert_eq!(left(folder), BTreeSet::new(), "{about}: then");
    }

    /// What a build said when something befell it fits what it did.
    fn check_said(&self, folder: &Path, run: &Run, about: &str) {
        let status = run.status.code();
        assert!(status == Some(0) || status == Some(1), "{about}: {:?}: {}", run.status, run.said);
        assert!(!run.said.contains("panicked"), "{about}: {}", run.said);
        let has_error = run.said.contains("error: ");
        assert_eq!(has_error, status == Some(1), "{about}: {}", run.said);
        if status == Some(0) {
            let mut now = published(folder);
            if run.said.contains("warning: cannot remove ") {
                now.retain(|name, _| self.after.contains_key(name));
            }
            assert!(now == self.after && is_settled(folder), "{about}: all is well, it says: {}", run.said);
        }
        let report = report(folder).unwrap_or_default();
        let packages = report["packages"].as_array().into_iter().flatten();
        let failed = packages.filter(|package| package["status"] == "failed").count();
        let is_new = !run.said.contains("not published") && run.said.contains(" built");
        assert!(failed == 0 || !is_new || status == Some(1), "{about}: {report}: {}", run.said);
        // What failed is a package, or it is told that something else did.
        let told = ["packages failed: ", "cannot write "].iter().any(|what| run.said.contains(what))
            || run.said.contains("cannot read ");
        assert!(status == Some(0) || told, "{about}: {}", run.said);
    }

    /// Has each call fail in turn. `only_warns`: nobody needs what is below these folders.
    fn sweep(&self, below: impl Fn(&Path) -> Vec<PathBuf> + Copy, only_warns: bool) {
        let calls = self.calls(below, "");
        for (at, (kind, _)) in calls.iter().enumerate() {
            for with in ways(kind) {
                self.strike(below, (at + 1, false, "", with), only_warns);
            }
        }
        // The disk is full, can only be read, or does not answer any more, from a call on.
        let lasting = [
            ("create,write,mkdir,rename", "28"),
            ("create,write,mkdir,rename,remove,link,truncate,times,mode,lock", "30"),
            ("", "5"),
        ];
        for (failing, with) in &lasting[..if takes_all() { 3 } else { 2 }] {
            for (at, _) in
                calls.iter().enumerate().filter(|(_, (kind, _))| failing.is_empty() || failing.contains(kind.as_str()))
            {
                self.strike(below, (at + 1, true, failing, with), only_warns);
            }
        }
    }

    fn strike(
        &self,
        below: impl Fn(&Path) -> Vec<PathBuf>,
        (at, on, failing, with): (usize, bool, &str, &str),
        only_warns: bool,
    ) {
        let folder = self.fresh();
        let below = below(folder.path());
        let fault = Fault { below: &below, counted: "", at, on, failing, with };
        let run = build(folder.path(), &self.arguments, Some(&fault));
        let about =
            format!("{}: {with}{} at {at}, {:?}", self.name, if on { " and on" } else { "" }, run.calls.get(at - 1));
        self.check_whole(folder.path(), &about);
        self.check_said(folder.path(), &run, &about);
        if only_warns || with == "short" || with == INTERRUPTED {
            assert_eq!(run.status.code(), Some(self.status), "{about}: {}", run.said);
            assert!(run.said.matches("warning: ").count() <= 1, "{about}: {}", run.said);
            assert!(published(folder.path()) == self.after, "{about}");
        }
        // Where all is as it ought to be the next build has nothing to mend.
        let is_well = run.status.code() == Some(self.status)
            && published(folder.path()) == self.after
            && left(folder.path()).is_empty();
        if !is_well || takes_all() {
            self.check_mended(folder.path(), &self.arguments, self.status, &self.after, &about);
        }
    }

    /// Ends the build at each call that changes something.
    fn kill(&self) {
        for at in 1..=self.calls(Self::all, CHANGING).len() {
            self.kill_at(at, SIGKILL);
        }
    }

    fn kill_at(&self, at: usize, signal: i32) {
        let folder = self.fresh();
        let (reports, below) = (report(folder.path()), Self::all(folder.path()));
        let with = format!("signal {signal}");
        let fault = Fault { below: &below, counted: CHANGING, at, on: false, failing: "", with: &with };
        let run = build(folder.path(), &self.arguments, Some(&fault));
        let about = format!("{}: ended before {at}, {:?}", self.name, run.calls.get(at - 1));
        assert_eq!(run.status.signal(), Some(signal), "{about}: {}", run.said);
        self.check_whole(folder.path(), &about);
        if let Some(was) = &reports {
            // There was a report: there is one now, of the one build or of the other.
            let now = report(folder.path()).unwrap_or_default();
            assert!(now == *was || !names_of(&now).is_empty(), "{about}: {now}");
        }
        // The next build may be of something else.
        if at % 2 == 0 || self.name == DEPENDENCIES {
            self.check_mended(folder.path(), &self.arguments, self.status, &self.after, &about);
        } else {
            self.check_mended(folder.path(), &OLD.map(str::to_owned), 0, old_files(), &about);
        }
    }
}

fn names_of(report: &Value) -> Vec<&str> {
    report["packages"].as_array().into_iter().flatten().filter_map(|package| package["name"].as_str()).collect()
}

fn takes_all() -> bool {
    std::env::var_os("AKARI_FAULTS").is_some_and(|which| which == "all")
}

/// Its number on Linux.
const SIGKILL: i32 = 9;

/// `EINTR`: the call is to be made again.
const INTERRUPTED: &str = "4";

/// The ways in which a kind of call fails, as numbers of `errno` of Linux, the most telling ones first.
fn ways(kind: &str) -> &'static [&'static str] {
    let (few, all): (usize, &[&str]) = match kind {
        // EACCES, EMFILE, EIO
        "open" => (1, &["24", "13", "5", INTERRUPTED]),
        // ENOSPC, EACCES, EROFS, EMFILE, EDQUOT
        "create" => (1, &["28", "13", "30", "24", "122", INTERRUPTED]),
        "read" => (2, &["5", "short", INTERRUPTED]),
        "write" => (2, &["28", "short", "5", "122", INTERRUPTED]),
        "rename" | "link" => (1, &["5", "13", "28", "30"]),
        "mkdir" => (1, &["28", "13", "30", "5"]),
        "remove" => (1, &["13", "5", "30"]),
        // ENOLCK
        "lock" => (1, &["37", INTERRUPTED]),
        "stat" | "list" => (1, &["5", "13", "24"]),
        _ => (1, &["5", "30"]),
    };
    if takes_all() { all } else { &all[..few] }
}

fn output(folder: &Path) -> Vec<PathBuf> {
    vec![folder.join("o")]
}

fn cache(folder: &Path) -> Vec<PathBuf> {
    vec![folder.join("c")]
}

/// The build of the old version.
const OLD: [&str; 3] = ["--spec=old.json", "--out=o", "--cache=c"];

fn run_old(folder: &Path) {
    let run = build(folder, &OLD.map(str::to_owned), None);
    assert!(run.status.success(), "{}", run.said);
}

/// What it publishes.
fn old_files() -> &'static Files {
    static FILES: OnceLock<Files> = OnceLock::new();
    FILES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        write_sources(folder.path());
        run_old(folder.path());
        published(folder.path())
    })
}

fn cold() -> Scenario {
    Scenario::new("cold", "--spec=new.json --cache=c", 0, |_| ())
}

fn changed() -> Scenario {
    Scenario::new("changed", "--spec=new.json --cache=c", 0, run_old)
}

fn broken() -> Scenario {
    Scenario::new("broken", "--spec=broken.json --cache=c", 1, run_old)
}

/// With files for Make, which have a folder of their own.
fn with_dependencies() -> Scenario {
    Scenario::new(DEPENDENCIES, "--spec=new.json --cache=c --depfile=d/all.d --emit-deps=d", 0, run_old)
}

/// All is in the cache and nothing is published.
fn restored() -> Scenario {
    Scenario::new("restored", "--spec=old.json --cache=c", 0, |folder| {
        run_old(folder);
        fs::remove_dir_all(folder.join("o")).expect("a folder");
    })
}

/// A build was killed when half of its files were in place.
fn half_published() -> Scenario {
    Scenario::new("half published", "--spec=new.json --cache=c", 0, |folder| {
        run_old(folder);
        let below = output(folder);
        let fault = Fault { below: &below, counted: "rename", at: 4, on: false, failing: "", with: "signal 9" };
        let run = build(folder, &["--spec=new.json", "--out=o", "--cache=c"].map(str::to_owned), Some(&fault));
        assert!(
            run.status.signal() == Some(SIGKILL) && folder.join("o/.akari/journal").exists(),
            "{:?} {}",
            run.calls,
            run.said
        );
    })
}

#[test]
fn a_first_build_whose_output_fails() {
    cold().sweep(output, false);
}

#[test]
fn a_first_build_whose_cache_fails() {
    cold().sweep(cache, true);
}

#[test]
fn a_change_whose_output_fails() {
    changed().sweep(output, false);
}

#[test]
fn a_change_whose_cache_fails() {
    changed().sweep(cache, true);
}

#[test]
fn a_change_with_an_error_in_it_whose_output_fails() {
    broken().sweep(output, false);
}

#[test]
fn what_the_cache_has_is_published_and_the_output_fails() {
    restored().sweep(output, false);
}

#[test]
fn what_the_cache_has_is_published_and_the_cache_fails() {
    restored().sweep(cache, true);
}

#[test]
fn what_a_killed_build_left_is_finished_and_the_output_fails() {
    half_published().sweep(output, false);
}

#[test]
fn files_for_make_that_cannot_be_written() {
    with_dependencies().sweep(|folder| vec![folder.join("d")], false);
}

#[test]
fn a_cache_that_is_trimmed_and_fails() {
    Scenario::new("trimmed", "--spec=new.json --cache=c --cache-limit=1K", 0, run_old).sweep(cache, true);
}

#[test]
fn builds_that_are_killed_at_each_change() {
    for scenario in [cold(), broken(), restored(), half_published(), with_dependencies()] {
        scenario.kill();
    }
}

#[test]
fn signals_end_a_build_as_they_end_any_program() {
    let scenario = changed();
    let calls = scenario.calls(Scenario::all, CHANGING).len();
    // SIGHUP, SIGINT, SIGTERM.
    for signal in [1, 2, 15] {
        for at in [1, calls / 2, calls - 3] {
            scenario.kill_at(at, signal);
        }
    }
}
