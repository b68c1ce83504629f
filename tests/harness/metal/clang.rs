//! clang with our Metal headers, whose precompiled form is made once per state of the headers.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The compiler; Debian's package of the same name.
const CLANG: &str = "clang-19";

/// The check mode's language: C++ for OpenCL, with half and without double.
const CHECK: [&str; 11] = [
    "-cc1", "-x", "clcpp", "-cl-std=clc++2021", "-triple", "spir64", "-fdeclspec",
    "-cl-ext=-cl_khr_fp64,-__opencl_c_fp64,+cl_khr_fp16", "-DAKARI_METAL_CHECK", "-w", "-fno-validate-pch",
];

/// The folder of `tests/metal`.
pub(super) fn metal_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../metal")
}

/// A command that runs the compiler.
pub(super) fn clang() -> Command {
    Command::new(CLANG)
}

fn missing(error: &std::io::Error) -> String {
    format!("{CLANG}: {error} (tests/tools/install.sh installs it)")
}

/// Runs a command with `input` on its standard input. Gives whether it succeeded, and what it said on standard error.
pub(super) fn run(mut command: Command, input: &str) -> Result<(bool, String), String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| missing(&error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A compiler that gave up early closes its end; its status tells the rest.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// The folder of what is made from the headers as they are now, with this compiler and these flags; another state gets another folder.
pub(super) fn prepared() -> Result<&'static Path, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = FOLDER.get_or_init(|| {
        let mut files = Vec::new();
        for folder in ["include", "runtime"] {
            if let Ok(entries) = std::fs::read_dir(metal_folder().join(folder)) {
                files.extend(entries.flatten().map(|entry| entry.path()));
            }
        }
        files.sort();
        let mut hasher = DefaultHasher::new();
        (CHECK, super::program::flags()).hash(&mut hasher);
        clang().arg("--version").output().map_err(|error| missing(&error))?.stdout.hash(&mut hasher);
        for file in files {
            file.hash(&mut hasher);
            std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?.hash(&mut hasher);
        }
        let folder = std::env::temp_dir().join(format!("akari-metal-{:016x}", hasher.finish()));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    });
    made.as_deref().map_err(Clone::clone)
}

/// The path of `name` in the prepared folder, made by `make` (which gets the path to write) where it is missing. Other processes may do the
/// same at the same time: whoever is last wins with the same contents.
pub(super) fn prepare(name: &str, make: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let path = prepared()?.join(name);
    if !path.exists() {
        let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
        let draft = prepared()?.join(format!("{}-{unique}-{name}", std::process::id()));
        make(&draft)?;
        std::fs::rename(&draft, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(path)
}

/// As [`prepare`], for what many threads need at once and only one should make.
pub(super) fn prepare_once(name: &str, make: impl FnOnce(&Path) -> Result<(), String>) -> Result<PathBuf, String> {
    static ONE: Mutex<()> = Mutex::new(());
    let _guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    prepare(name, make)
}

fn checker() -> Command {
    let mut command = clang();
    command.args(CHECK).arg("-I").arg(metal_folder().join("include"));
    command
}

/// Type-checks rewritten source and gives the errors, a line each.
pub(super) fn check(source: &str) -> Result<Vec<String>, String> {
    let header = prepare_once("check.pch", |path| {
        let mut command = checker();
        command.args(["-emit-pch", "-fpch-instantiate-templates", "-o"]).arg(path).arg("-");
        match run(command, "#include <metal_stdlib>\n")? {
            (true, _) => Ok(()),
            (false, said) => Err(format!("the Metal headers do not compile:\n{said}")),
        }
    })?;
    let mut command = checker();
    command
        .args(["-fsyntax-only", "-fno-caret-diagnostics", "-ferror-limit", "20", "-include-pch"])
        .arg(header)
        .arg("-");
    let (succeeded, said) = run(command, source)?;
    let errors: Vec<String> = said
        .lines()
        .filter_map(|line| {
            let rest = line.strip_prefix("<stdin>:")?;
            let (place, message) = rest.split_once(": ")?;
            let (number, _) = place.split_once(':')?;
            message
                .strip_prefix("error: ")
                .or(message.strip_prefix("fatal error: "))
                .map(|message| format!("line {number}: {message}"))
        })
        .collect();
    if succeeded == errors.is_empty() { Ok(errors) } else { Ok(vec![said]) }
}
