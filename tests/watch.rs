//! `akari compile --watch`: builds again when something changes, whatever happens to the files.

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use program::{PACKAGE, Place, build_library};

/// A program that watches, and the lines that it prints.
struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(place: &Place, arguments: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_akari"))
            .args(arguments.split_whitespace())
            .current_dir(place.path("."))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        let (sender, lines) = mpsc::channel();
        let said = BufReader::new(child.stderr.take().expect("what it prints"));
        thread::spawn(move || said.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// Reads until it waits; gives what it said.
    #[track_caller]
    fn built(&self) -> String {
        let mut said = String::new();
        loop {
            match self.lines.recv_timeout(Duration::from_secs(60)) {
                Ok(line) if line.starts_with("watching ") => return said,
                Ok(line) => said = said + &line + "\n",
                Err(error) => panic!("{error} after: {said}"),
            }
        }
    }

    /// Reads until it waits after a build that says this.
    #[track_caller]
    fn says(&self, wanted: &str) -> String {
        // A file that is deleted and written, or written in parts, may be seen in between.
        let mut all = String::new();
        for _ in 0..4 {
            let said = self.built();
            if said.contains(wanted) {
                return said;
            }
            all.push_str(&said);
        }
        panic!("never `{wanted}`: {all}");
    }

    #[track_caller]
    fn is_silent(&self) {
        if let Ok(line) = self.lines.recv_timeout(Duration::from_millis(500)) {
            panic!("it said {line}");
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SPEC: &str = r#"{ "version": 2, "type": "KhronosVulkan", "akariImportPaths": ["near", "far"], "compilation": [
    { "name": "paint", "sources": ["paint.akari"] }, { "name": "plain", "sources": ["plain.akari"] }] }"#;

fn ink(value: &str) -> String {
    format!("#module ink\nfn ink() -> float {{ return {value}; }}\n")
}

fn place() -> Place {
    let place = Place::new();
    place.write("far/ink.akari", &ink("0.5"));
    fs::create_dir(place.path("near")).expect("a folder");
    place.write(
        "paint.akari",
        &PACKAGE.replace("#shader paint\n", "#shader paint\n#import ink\n").replace("1.0", "ink()"),
    );
    place.write("plain.akari", &PACKAGE.replace("paint", "plain"));
    place.write("s.json", SPEC);
    place
}

#[test]
fn builds_again_when_something_changes() {
    let place = place();
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --watch");
    let said = watching.built();
    assert!(said.contains("2 packages built in "), "{said}");
    let before = place.read("o/paint_fill_cs.spv");
    watching.is_silent();
    // A module: only the package that imports it is built.
    place.write("far/ink.akari", &ink("0.25"));
    watching.says("2 packages built, 1 of them from the cache");
    assert!(place.read("o/paint_fill_cs.spv") != before);
    // What nobody reads is nothing to build for.
    place.write("far/other.akari", "nonsense");
    place.write("o/note.txt", "mine");
    watching.is_silent();
    // As editors save: another file takes the place.
    place.write("far/new", &ink("0.125"));
    fs::rename(place.path("far/new"), place.path("far/ink.akari")).expect("a file");
    watching.says("1 of them from the cache");
    // A module that comes to be where it is looked for first.
    let before = place.read("o/paint_fill_cs.spv");
    place.write("near/ink.akari", &ink("0.75"));
    watching.says("1 of them from the cache");
    assert!(place.read("o/paint_fill_cs.spv") != before);
    fs::remove_file(place.path("near/ink.akari")).expect("a file");
    watching.says("2 of them from the cache");
    assert!(place.read("o/paint_fill_cs.spv") == before, "the one before is back, out of the cache");
}

#[test]
fn errors_and_deleted_files_do_not_end_it() {
    let place = place();
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --watch");
    watching.built();
    let good = place.read("o/paint_fill_cs.spv");
    place.write("paint.akari", "#shader paint\nfn\n");
    watching.says("1 of 2 packages failed: paint");
    fs::remove_file(place.path("paint.akari")).expect("a file");
    watching.says("cannot read paint.akari");
    assert!(place.read("o/paint_fill_cs.spv") == good, "the last good file is kept");
    place.write("paint.akari", PACKAGE);
    watching.says("2 packages built");
    // The specification.
    place.write("s.json", "{");
    watching.says("error: s.json:1:");
    fs::remove_file(place.path("s.json")).expect("a file");
    watching.says("cannot read s.json");
    place.write("s.json", SPEC);
    watching.says("2 packages built");
    // A whole folder.
    fs::remove_dir_all(place.path("far")).expect("a folder");
    watching.says("cannot read far:");
    place.write("far/ink.akari", &ink("0.5"));
    watching.says("2 packages built");
    place.write(
        "paint.akari",
        &PACKAGE.replace("#shader paint\n", "#shader paint\n#import ink\n").replace("1.0", "ink()"),
    );
    watching.says("2 packages built");
    place.write("far/ink.akari", &ink("0.0625"));
    watching.says("2 packages built, 1 of them from the cache");
}

#[test]
fn a_folder_that_is_gone_is_waited_for() {
    let place = place();
    fs::create_dir_all(place.path("sdk/src/hikari/shaders/akari/modules")).expect("a folder");
    let rows = r#"{ "version": 1, "bindings": { "HK_BUFFER(a,values)": { "metal": "0", "d3d12": "u0" } } }"#;
    place.write("sdk/src/hikari/shaders/bindings.kaji.json", rows);
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --engine-sdk=sdk --watch");
    watching.built();
    // A module that a package was built of is in the first.
    for folder in ["far", "sdk"] {
        fs::rename(place.path(folder), place.path("away")).expect("a folder");
        watching.says(&format!("cannot read {folder}"));
        watching.is_silent();
        fs::rename(place.path("away"), place.path(folder)).expect("a folder");
        watching.says("2 packages built, 2 of them from the cache");
    }
}

#[test]
fn links_are_followed() {
    let place = Place::new();
    place.write("real/ink.akari", &ink("0.5"));
    place.write(
        "elsewhere/paint.akari",
        &PACKAGE.replace("#shader paint\n", "#shader paint\n#import ink\n").replace("1.0", "ink()"),
    );
    let link = |to: &str, from: &str| std::os::unix::fs::symlink(place.path(to), place.path(from)).expect("a link");
    link("real", "linked");
    fs::remove_file(place.path("paint.akari")).expect("a file");
    link("elsewhere/paint.akari", "paint.akari");
    let package = r#"{ "name": "paint", "sources": ["paint.akari"] }"#;
    place.write(
        "s.json",
        &format!(
            r#"{{ "version": 2, "type": "KhronosVulkan", "akariImportPaths": ["linked"], "compilation": [{package}] }}"#
        ),
    );
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --watch");
    watching.says("1 package built in ");
    place.write("real/ink.akari", &ink("0.25"));
    watching.says("1 package built in ");
    place.write("elsewhere/paint.akari", PACKAGE);
    watching.says("1 package built in ");
    // A link to what is not there, by way of another link.
    link("later/there.akari", "next");
    fs::rename(place.path("next"), place.path("elsewhere/paint.akari")).expect("a link");
    watching.says("1 of 1 packages failed");
    place.write("later/there.akari", PACKAGE);
    watching.says("1 package built");
}

#[test]
fn it_ends_when_nobody_listens() {
    let place = place();
    let mut watching = Watching::start(&place, "compile --spec=s.json --out=o --watch");
    let quiet = watching.built();
    assert!(quiet.contains("2 packages built"));
    // The thread that reads ends with the next line after this, and with it the pipe.
    watching.lines = mpsc::channel().1;
    for count in 0..200 {
        place.write("far/ink.akari", &ink(&format!("{count}.5")));
        thread::sleep(Duration::from_millis(100));
        if let Some(status) = watching.child.try_wait().expect("the program") {
            assert!(status.success(), "{status}");
            return;
        }
    }
    panic!("it goes on");
}

#[test]
fn many_changes_are_few_builds() {
    let place = place();
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --watch");
    watching.built();
    for count in 0..20 {
        place.write("far/ink.akari", &ink(&format!("{count}.5")));
        thread::sleep(Duration::from_millis(10));
    }
    // One, unless this machine is so busy that nothing is written for a while.
    watching.built();
    let mut builds = 1;
    while let Ok(line) = watching.lines.recv_timeout(Duration::from_secs(1)) {
        builds += usize::from(line.starts_with("watching "));
    }
    assert!(builds < 10, "{builds} builds");
    let last = place.read("o/paint_fill_cs.spv");
    place.akari("compile --spec=s.json --out=o").expect(0, "2 packages built, 2 of them from the cache");
    assert!(place.read("o/paint_fill_cs.spv") == last, "the last change was built");
}

/// A crash of DXC's library, which the process comes back from, is watched as any other error.
#[test]
fn a_package_that_crashes_dxc_is_built_again_when_it_is_mended() {
    let place = place();
    build_library(&place, &[]);
    place.write("s.json", &SPEC.replace("KhronosVulkan", "MicrosoftD3D12"));
    place.write("far/ink.akari", &ink("101.0"));
    let watching = Watching::start(&place, "compile --spec=s.json --out=o --watch --dxc=libdxcompiler.so");
    watching.says("1 of 2 packages failed: paint\n");
    assert!(!place.path("o/paint_fill_cs.cso").exists() && place.path("o/plain_fill_cs.cso").exists());
    place.write("far/ink.akari", &ink("0.5"));
    watching.says("2 packages built");
    place.write("far/ink.akari", &ink("102.0"));
    watching.says("error: DXC crashed with signal 6 (SIGABRT) while it compiled entry `fill` of package `paint`\n");
    #[cfg(target_os = "linux")]
    {
        let command = fs::read_to_string(format!("/proc/{}/cmdline", watching.child.id())).expect("a process");
        assert_eq!(command.matches("--lost=").count(), 1, "the crash that was mended is forgotten: {command}");
    }
    place.write("far/ink.akari", &ink("0.25"));
    watching.says("2 packages built");
}
