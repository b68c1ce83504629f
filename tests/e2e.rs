//! What whole programs become: `tests/e2e/<name>.akari` and the output kept beside it. One file a feature of the language or a target;
//! passes are tested in `tests/filetests`. A line `//! bindings: manifest.json` names a binding manifest beside the file. `AKARI_BLESS=1 cargo test --test e2e` writes the outputs.

#[path = "ways/mod.rs"]
mod ways;

use std::path::{Path, PathBuf};
use std::{env, fs};

use akari::driver::{self, Output, Platform, Request, Wanted};
use akari::frontend::{self, Found};
use akari::render;
use akari::source::SourceMap;
use akari_harness::metal;
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};
use similar::TextDiff;
use ways::package;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e");
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "akari"));
    files.sort();
    let mut trials = Vec::new();
    for path in files {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for (form, check) in FORMS {
            let path = path.clone();
            trials.push(Trial::test(format!("{name} {form}"), move || check(&path)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

type Check = fn(&Path) -> Result<(), Failed>;

const FORMS: [(&str, Check); 3] = [("metal", metal), ("d3d12", d3d12), ("vulkan", vulkan)];

fn metal(path: &Path) -> Result<(), Failed> {
    let outputs = emit(path, Platform::Metal)?;
    let [output] = outputs.as_slice() else { return Err("not one Metal source for a package".into()) };
    let text = str::from_utf8(&output.bytes)?;
    metal::check(text).map_err(|error| format!("{error}\n{text}"))?;
    same(&path.with_extension("metal"), text)
}

/// The texts of all entries, one after the other; `tests/hlsl` has DXC check them.
fn d3d12(path: &Path) -> Result<(), Failed> {
    same(&path.with_extension("d3d12.hlsl"), &joined(&emit(path, Platform::D3d12)?)?)
}

/// As [`d3d12`].
fn vulkan(path: &Path) -> Result<(), Failed> {
    same(&path.with_extension("vulkan.hlsl"), &joined(&emit(path, Platform::Vulkan)?)?)
}

fn joined(outputs: &[Output]) -> Result<String, Failed> {
    let texts: Result<Vec<&str>, _> = outputs.iter().map(|output| str::from_utf8(&output.bytes)).collect();
    Ok(texts?.join("\n"))
}

fn emit(path: &Path, platform: Platform) -> Result<Vec<Output>, Failed> {
    let mut sources = SourceMap::new();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = sources.add(name, fs::read(path)?).map_err(|diagnostic| diagnostic.message)?;
    let compiled = frontend::compile(root, &mut sources, &mut |_, _| Found::Nowhere);
    let module = compiled.module.ok_or_else(|| render::report(&sources, &compiled.diagnostics))?;
    let wanted = Wanted { hlsl: true, spirv: false };
    let request = Request { platform, wanted, manifest: package::manifest(path)?, debug_lines: false };
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let emission = driver::emit(module, &request, &sources, &mut observer);
    if emission.outputs.is_empty() {
        return Err(format!("{}{:?}", render::report(&sources, &emission.diagnostics), emission.internal).into());
    }
    Ok(emission.outputs)
}

/// Compares with what is kept, or keeps it.
fn same(path: &Path, found: &str) -> Result<(), Failed> {
    if env::var_os("AKARI_BLESS").is_some() {
        return Ok(fs::write(path, found)?);
    }
    let kept =
        fs::read_to_string(path).map_err(|error| format!("{}: {error}; run with AKARI_BLESS=1", path.display()))?;
    if kept == found {
        return Ok(());
    }
    let diff = TextDiff::from_lines(kept.as_str(), found);
    Err(format!("{}", diff.unified_diff().context_radius(3).header("kept", "found")).into())
}
