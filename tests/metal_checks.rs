//! Akari's Metal source of every package of `docs/examples` is what Metal's own compiler would take, with and without `#line`; so is
//! what the file tests of `print-msl` expect.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::source::SourceMap;
use akari::{manifest, render};
use akari_harness::metal;
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/akari/packages");
    let entries = fs::read_dir(packages).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|found| found == "akari")).collect();
    paths.sort();
    let mut trials = Vec::new();
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for debug_lines in [false, true] {
            let (path, lines) = (path.clone(), if debug_lines { " with lines" } else { "" });
            trials.push(Trial::test(format!("example {name}{lines}"), move || example(&path, debug_lines)));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/print-msl");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        trials.push(Trial::test(format!("file test {name}"), move || file_test(&path)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn file_test(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let (_, expected) = text.split_once("; EXPECT\n").ok_or("no `; EXPECT`")?;
    let lines = expected.lines().map(|line| line.strip_prefix("; ").unwrap_or(line.trim_start_matches(';')));
    let source = lines.collect::<Vec<_>>().join("\n");
    Ok(metal::check(&source).map_err(|error| format!("{error}\n{source}"))?)
}

fn example(path: &Path, debug_lines: bool) -> Result<(), Failed> {
    let folder = path.ancestors().nth(3).ok_or("no folder of examples")?;
    let mut sources = SourceMap::new();
    let add = |path: &Path, sources: &mut SourceMap| -> Result<_, String> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        sources.add(path.display().to_string(), bytes).map_err(|diagnostic| diagnostic.message)
    };
    let bindings = add(&folder.join("bindings.kaji.json"), &mut sources)?;
    let (manifest, faults) = manifest::read(bindings, sources.text(bindings));
    if !faults.is_empty() {
        return Err(render::report(&sources, &faults).into());
    }
    let root = add(path, &mut sources)?;
    let mut find = |name: &str, sources: &mut SourceMap| {
        match add(&folder.join("akari/modules").join(format!("{name}.akari")), sources) {
            Ok(file) => Found::File(file),
            Err(_) => Found::Nowhere,
        }
    };
    let compiled = frontend::compile(root, &mut sources, &mut find);
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    let request = Request {
        platform: Platform::Metal,
        wanted: Wanted { hlsl: false, spirv: false },
        manifest: Some(Arc::new(manifest)),
        debug_lines,
    };
    let emission = driver::emit(module, &request, &sources, &mut Observer::default());
    let [output] = emission.outputs.as_slice() else {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal).into());
    };
    let source = str::from_utf8(&output.bytes).map_err(|error| error.to_string())?;
    let checked = metal::check(source).and_then(|()| metal::Program::compile(source).map(drop));
    Ok(checked.map_err(|error| format!("{error}\n{source}"))?)
}
