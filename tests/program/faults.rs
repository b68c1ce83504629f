//! Calls to the system that fail, by a library that is preloaded into the program: see `faults.c`.
#![allow(dead_code, reason = "each test target uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What is to happen to the program.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'f> {
    /// Below which folders.
    pub(crate) below: &'f [PathBuf],
    /// The kinds of calls that are counted; all if empty.
    pub(crate) counted: &'f str,
    /// At which of these calls, counted from 1; 0 for none.
    pub(crate) at: usize,
    /// Whether at all calls from that one on.
    pub(crate) on: bool,
    /// The kinds of calls that fail; all if empty.
    pub(crate) failing: &'f str,
    /// What they fail with.
    pub(crate) with: &'f str,
}

impl Fault<'_> {
    /// Has it happen to a program, which notes its calls in a file.
    pub(crate) fn befall(&self, command: &mut Command, log: &Path) {
        let below: Vec<String> = self.below.iter().map(|folder| folder.display().to_string()).collect();
        command.env("LD_PRELOAD", library()).env("FAULTS_BELOW", below.join(":")).env("FAULTS_LOG", log);
        command.env("FAULTS_AT", self.at.to_string()).env("FAULTS_WITH", self.with);
        let lists = [
            ("FAULTS_KINDS", self.counted),
            ("FAULTS_FAIL", self.failing),
            ("FAULTS_ON", if self.on { "1" } else { "" }),
        ];
        command.envs(lists.into_iter().filter(|(_, list)| !list.is_empty()));
    }
}

/// The library, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let made = folder.join(format!("faults-{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/faults.c");
        let output = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&made)
            .arg(source)
            .output();
        let output = output.expect("a C compiler, `cc`");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let library = folder.join("faults.so");
        fs::rename(made, &library).expect("a library");
        library
    })
}
