//! Programs and the same programs written in another way must do the same: random ones, which have to leave behind what they did, and
//! numeric cases, which still have to give the numbers that they expect. Where the change is one that compilers do not see, what is
//! emitted has to stay the same byte for byte.
//!
//! A numeric case meets two kinds of changes, which depend on its name, and all with `AKARI_METAMORPHIC=all`. `AKARI_FUZZ_SEED` and
//! `AKARI_FUZZ_COUNT` choose the random programs. A changed program that shows a fault lies in `target/tmp/metamorphic`.

#[path = "metamorphic/compile_time.rs"]
mod compile_time;
#[path = "metamorphic/rewrites.rs"]
mod rewrites;
#[path = "metamorphic/source.rs"]
mod source;
#[path = "metamorphic/tokens.rs"]
mod tokens;
#[path = "ways/mod.rs"]
mod ways;

use std::path::{Path, PathBuf};
use std::{env, fs};

use akari_harness::bind;
use akari_harness::case;
use akari_harness::fuzz::random::Random;
use akari_harness::fuzz::{differences, generate};
use akari_harness::job::{Job, Outcome, Way};
use akari_harness::vulkan::serve_if_asked;
use libtest_mimic::{Arguments, Trial};

use rewrites::{ALL, Rewrite, Rewritten};

const WAYS: [Way; 2] = [Way::Interp, Way::Spirv];

fn main() {
    serve_if_asked();
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = (number("AKARI_FUZZ_SEED").unwrap_or(0), number("AKARI_FUZZ_COUNT").unwrap_or(3));
    let mut trials = Vec::new();
    for seed in first..first + count {
        for rewrite in ALL {
            let name = format!("seed {seed} {}", rewrite.name);
            trials.push(Trial::test(name.clone(), move || random_program(seed, rewrite, &name).map_err(Into::into)));
        }
    }
    let all = env::var("AKARI_METAMORPHIC").is_ok_and(|which| which == "all");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numeric");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    for path in files {
        let case = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
        let chosen = case.bytes().fold(0, |sum, byte| sum + usize::from(byte));
        for (index, rewrite) in ALL.iter().enumerate() {
            if all || index == chosen % ALL.len() || index == (chosen / ALL.len()) % ALL.len() {
                let (path, name) = (path.clone(), format!("{case} {}", rewrite.name));
                trials.push(Trial::test(name.clone(), move || numeric_case(&path, rewrite, &name).map_err(Into::into)));
            }
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "modules") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "akari") {
            files.push(path);
        }
    }
}

/// The folder of a changed program.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("metamorphic").join(name.replace([' ', '/'], "_"))
}

/// Writes a changed program and its modules down.
fn kept(rewritten: &Rewritten, name: &str) -> Result<PathBuf, String> {
    let folder = folder(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let own = ("program".to_owned(), rewritten.text.clone());
    for (module, text) in rewritten.modules.iter().chain([&own]) {
        fs::write(folder.join(format!("{module}.akari")), text).map_err(|error| error.to_string())?;
    }
    Ok(folder)
}

fn changed(text: &str, rewrite: &Rewrite, name: &str) -> Option<Rewritten> {
    let seed = name.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    rewrite.of(text, &mut Random::new(seed))
}

/// For a rewrite that compilers do not see: whether they indeed do not.
fn same_texts(text: &str, path: &Path, rewritten: &Rewritten, import_dirs: &[String]) -> Result<(), String> {
    let texts = |text: &str| ways::texts(&ways::compile(path, text, import_dirs)?);
    if texts(text)? == texts(&rewritten.text)? { Ok(()) } else { Err("what is emitted is another text".into()) }
}

fn random_program(seed: u64, rewrite: &Rewrite, name: &str) -> Result<(), String> {
    let program = generate(seed);
    let Some(rewritten) = changed(&program.text, rewrite, name) else { return Ok(()) };
    let folder = kept(&rewritten, name)?;
    let path = folder.join("program.akari");
    let imports = [folder.display().to_string()];
    let outcome = |text: &str, way: Way| -> Result<(Job, Outcome), String> {
        let (built, interface) = ways::build(&ways::compile(&path, text, &imports)?, way, &folder.join(way.name()))?;
        let case = case::parse(text).map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
        let job = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
        let outcome = built.run(&job)?;
        Ok((job, outcome))
    };
    let said = |fault: String| format!("{fault}\nthe changed program: {}", path.display());
    for way in WAYS {
        let (job, expected) = outcome(&program.text, way)?;
        let (own, found) = outcome(&rewritten.text, way).map_err(|fault| said(format!("{way}: {fault}")))?;
        differences(&program, (&job, &expected), (&own, &found), true)
            .map_err(|fault| said(format!("{way}: {fault}")))?;
    }
    if rewrite.keeps_text {
        same_texts(&program.text, &path, &rewritten, &imports).map_err(said)?;
    }
    Ok(())
}

fn numeric_case(path: &Path, rewrite: &Rewrite, name: &str) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let Some(rewritten) = changed(&text, rewrite, name) else { return Ok(()) };
    let folder = kept(&rewritten, name)?;
    let mut case = case::parse(&text).map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    case.import_dirs.push(folder.display().to_string());
    let said = |fault: String| format!("{fault}\nthe changed program: {}", folder.join("program.akari").display());
    for way in WAYS {
        if !case.skips.iter().any(|(skipped, _)| *skipped == way) {
            ways::run_case(path, &rewritten.text, &case, way, &folder.join(way.name()))
                .map_err(|fault| said(format!("{way}: {fault}")))?;
        }
    }
    if rewrite.keeps_text {
        same_texts(&text, path, &rewritten, &case.import_dirs).map_err(said)?;
    }
    Ok(())
}
