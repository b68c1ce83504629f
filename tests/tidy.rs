//! The rules of docs/ARCHITECTURE.md that a program can check.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use akari_passes::PASSES;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, extension, files);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join(folder), extension, &mut found);
    found.sort();
    found
}

/// The dependencies of a crate, as its manifest's `[dependencies]` names them.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside) {
            names.insert(name.trim().to_owned());
        }
    }
    names
}

#[test]
fn dependencies_run_one_way() {
    let own = |folder: &str| -> Vec<String> {
        dependencies(folder).into_iter().filter(|name| name.starts_with("akari")).collect()
    };
    assert_eq!(own("dialects/ir"), Vec::<String>::new());
    for dialect in ["akari", "gpu-abi", "msl", "hlsl", "spirv"] {
        assert_eq!(own(&format!("dialects/{dialect}")), ["akari-ir"], "dialects/{dialect}");
    }
    let passes = own("passes");
    assert!(passes.iter().all(|name| name != "akari" && name != "akari-harness"), "passes: {passes:?}");
}

#[test]
fn emitters_do_not_use_what_checks_them() {
    for name in ["rspirv", "spirv", "naga"] {
        assert!(!dependencies("passes").contains(name), "passes depends on {name}");
    }
}

#[test]
fn every_pass_has_file_tests() {
    for pass in PASSES {
        let folder = format!("tests/filetests/{}", pass.name);
        assert!(!files(&folder, "air").is_empty(), "no test in {folder}");
    }
}

#[test]
fn files_are_of_one_idea() {
    // Tables and type declarations may be long: they are one idea.
    let tables = ["dialects/akari/builtins.rs", "src/syntax/ast.rs"];
    let mut long = Vec::new();
    for folder in ["dialects", "passes", "src", "tests/harness"] {
        for path in files(folder, "rs") {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > 800 && !tables.contains(&name.as_str()) {
                long.push(format!("{name}: {lines} lines"));
            }
        }
    }
    assert!(long.is_empty(), "split by idea:\n{}", long.join("\n"));
}

#[test]
fn the_top_level_is_as_agreed() {
    let allowed = [
        "Cargo.lock", "Cargo.toml", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "benches",
        "dialects", "docs", "passes", "src", "target", "tests",
    ];
    let surplus: Vec<_> = fs::read_dir(root())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !allowed.contains(&name.as_str()))
        .collect();
    assert!(surplus.is_empty(), "at the top level: {surplus:?}");
}
