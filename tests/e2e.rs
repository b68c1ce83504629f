//! What whole programs become: `tests/e2e/<name>.akari` and the output kept beside it. One file a feature of the language or a target;
//! passes are tested in `tests/filetests`. `AKARI_BLESS=1 cargo test --test e2e` writes the outputs.

use std::path::{Path, PathBuf};
use std::{env, fs};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::render;
use akari::source::SourceMap;
use akari_harness::metal;
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};
use similar::TextDiff;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "akari"));
    files.sort();
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            Trial::test(format!("{name} metal"), move || metal(&path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn metal(path: &Path) -> Result<(), Failed> {
    let mut sources = SourceMap::new();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = sources.add(name, fs::read(path)?).map_err(|diagnostic| diagnostic.message)?;
    let compiled = frontend::compile(root, &mut sources, &mut |_, _| Found::Nowhere);
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    let wanted = Wanted { hlsl: false, spirv: false };
    let request = Request { platform: Platform::Metal, wanted, manifest: None, debug_lines: false };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let emission = driver::emit(module, &request, &sources, &mut observer);
    let [output] = emission.outputs.as_slice() else {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal).into());
    };
    let text = str::from_utf8(&output.bytes)?;
    metal::check(text).map_err(|error| format!("{error}\n{text}"))?;
    same(&path.with_extension("metal"), text)
}

/// Compares with what is kept, or keeps it.
fn same(path: &Path, found: &str) -> Result<(), Failed> {
    if env::var_os("AKARI_BLESS").is_some() {
        return Ok(fs::write(path, found)?);
    }
    let kept = fs::read_to_string(path).map_err(|error| format!("{}: {error}; run with AKARI_BLESS=1", path.display()))?;
    if kept == found {
        return Ok(());
    }
    let diff = TextDiff::from_lines(kept.as_str(), found);
    Err(format!("{}", diff.unified_diff().context_radius(3).header("kept", "found")).into())
}
