//! The same sources give the same bytes: twice, in another directory, and with one thread or several.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Builds one of the example specifications in `folder` and gives every file it published.
fn build(folder: &Path, spec: &str, jobs: &str, out: &str) -> BTreeMap<String, Vec<u8>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akari"));
    command.current_dir(folder).args(["compile", "--spec", spec, "--out", out, "-j", jobs]);
    if !spec.contains("vulkan") {
        command.arg("--source-only");
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let files = fs::read_dir(folder.join(out)).unwrap().flatten().filter(|entry| entry.path().is_file());
    let files: BTreeMap<String, Vec<u8>> = files
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    assert!(files.len() > 20, "{:?}", files.keys());
    files
}

fn check(spec: &str) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let deeper = folders[1].path().join("a/deeper/place");
    copy_tree(&examples, folders[0].path());
    copy_tree(&examples, &deeper);
    let first = build(folders[0].path(), spec, "1", "out");
    let again = build(folders[0].path(), spec, "4", "again");
    let elsewhere = build(&deeper, spec, "2", "out");
    for (name, other) in [("again", again), ("elsewhere", elsewhere)] {
        assert_eq!(first.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{name}");
        for (file, bytes) in &first {
            assert!(bytes == &other[file], "{file} differs {name}");
        }
    }
}

#[test]
fn vulkan_builds_are_deterministic() {
    check("build.akari.vulkan.json");
}

#[test]
fn d3d12_builds_are_deterministic() {
    check("build.akari.d3d12.json");
}

#[test]
fn metal_builds_are_deterministic() {
    check("build.akari.metal.json");
}
