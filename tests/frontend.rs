//! Every right program of the repository (numeric cases, example packages and modules) passes the front end without an error, and
//! its module passes the verifier and survives its textual form.
//!
//! `AKARI_SHOW=1 cargo test --test frontend <name>` prints the module.
#![allow(clippy::print_stderr, reason = "what is asked for is shown")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use akari::frontend::{Compiled, Found, compile};
use akari::opt::DIALECTS;
use akari::source::SourceMap;
use akari_ir::{Registry, Severity, parse, print_module};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/numeric", "docs/examples"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "akari") {
            files.push(path);
        }
    }
}

/// Where a file's imports are looked for: what its `//! import-dir:` lines say, and the folder of modules of a tree of examples.
fn import_directories(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! import-dir:"))
        .map(|directory| folder.join(directory.trim()));
    written.chain([folder.join("../modules"), folder.to_path_buf()]).collect()
}

fn load(path: &Path) -> Result<(SourceMap, Compiled), Failed> {
    let text = fs::read(path)?;
    let directories = import_directories(path, &String::from_utf8_lossy(&text));
    let mut sources = SourceMap::new();
    let root = sources.add(path.display().to_string(), text).map_err(|diagnostic| diagnostic.message)?;
    let mut find = |name: &str, sources: &mut SourceMap| {
        for directory in &directories {
            let path = directory.join(format!("{name}.akari"));
            if let Ok(bytes) = fs::read(&path) {
                return match sources.add(path.display().to_string(), bytes) {
                    Ok(file) => Found::File(file),
                    Err(diagnostic) => Found::Unreadable(diagnostic),
                };
            }
        }
        Found::Nowhere
    };
    let compiled = compile(root, &mut sources, &mut find);
    Ok((sources, compiled))
}

fn check(path: &Path) -> Result<(), Failed> {
    let (sources, compiled) = load(path)?;
    let errors: Vec<String> = compiled
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| akari::render::human(&sources, diagnostic))
        .collect();
    if !errors.is_empty() {
        return Err(errors.join("\n").into());
    }
    let module = compiled.module.ok_or("no module, and no error")?;
    let text = print_module(&module);
    if env::var_os("AKARI_SHOW").is_some() {
        eprintln!("{text}");
    }
    akari_ir::verify::verify(&module).map_err(|report| report.render(&module))?;
    let again =
        parse(Registry(DIALECTS), &text).map_err(|error| format!("{} at {}\n{text}", error.message, error.offset))?;
    if print_module(&again) != text {
        return Err("the module's text does not survive parsing".into());
    }
    Ok(())
}
