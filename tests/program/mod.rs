//! The program as its users run it, in a folder of its own.
#![allow(dead_code, unused_imports, reason = "each test target uses a part")]

mod objects;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

pub(crate) use objects::{OBJECTS, build_library, dxc};

/// A folder of its own for one test, with a package in it.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

pub(crate) const PACKAGE: &str = "#shader paint
@compute(threads = (8, 1, 1))
fn fill(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) { values[index] = 1.0; }
@compute(threads = (8, 1, 1))
fn clear(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) { values[index] = 0.0; }
";

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        place.write("paint.akari", PACKAGE);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        if let Some(folder) = self.path(name).parent() {
            fs::create_dir_all(folder).expect("a folder");
        }
        fs::write(self.path(name), text).expect("a file");
    }

    /// Runs the program in this folder.
    pub(crate) fn akari(&self, arguments: &str) -> Run {
        self.akari_with(arguments, &[])
    }

    /// Runs the program in this folder, with these variables of the environment.
    pub(crate) fn akari_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Run {
        Run(self.command(arguments).envs(variables.iter().copied()).output().expect("the program"))
    }

    /// The program in this folder.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_akari"));
        command.args(arguments.split_whitespace()).env_remove("AKARI_DXC").current_dir(self.folder.path());
        command
    }

    /// Writes a file that can be run.
    pub(crate) fn write_program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("a program");
    }

    /// The text of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).expect("a file")).into_owned()
    }

    /// The names in a folder, sorted, those aside that begin with a dot.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(folder))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }
}

/// What the program did.
pub(crate) struct Run(Output);

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self(output)
    }
}

impl Run {
    pub(crate) fn status(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// It ended so, and said this on standard error.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, said: &str) {
        assert_eq!(self.status(), status, "{}", self.err());
        assert!(self.err().contains(said), "no `{said}` in: {}", self.err());
    }
}
