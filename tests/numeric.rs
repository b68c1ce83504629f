//! Numeric cases: every `tests/numeric/**/*.akari` (and `.air`, for what no source makes) is compiled and run in every way there
//! is, and each must give the numbers that its header expects. `akari_harness::case` describes the header.
//!
//! A test is called `<area>/<name> <way>`: `cargo test --test numeric -- casts spirv` runs some of them. What was emitted for a
//! case lies in `target/tmp/numeric` afterwards.

#[path = "ways/mod.rs"]
mod ways;

use std::fs;
use std::path::{Path, PathBuf};

use akari_harness::case;
use akari_harness::job::Way;
use akari_harness::vulkan::serve_if_asked;
use libtest_mimic::{Arguments, Trial};

fn main() {
    serve_if_asked();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numeric");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files.into_iter().flat_map(|path| trials(&root, path)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            // What cases import is no case.
            if path.file_name().is_none_or(|name| name != "modules") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "akari" || extension == "air") {
            files.push(path);
        }
    }
}

/// The tests of one case: one for each way. A header that cannot be read is a failed test of its own.
fn trials(root: &Path, path: PathBuf) -> Vec<Trial> {
    let name = path.strip_prefix(root).unwrap_or(&path).with_extension("").display().to_string();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return vec![Trial::test(name, move || Err(error.into()))],
    };
    let case = match case::parse(&text) {
        Ok(case) => case,
        Err(errors) => {
            let errors =
                errors.iter().map(|error| format!("{}: {error}", path.display())).collect::<Vec<_>>().join("\n");
            return vec![Trial::test(name, move || Err(errors.into()))];
        }
    };
    let emitted =
        |suffix: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join("numeric").join(format!("{name} {suffix}"));
    let mut trials = Vec::new();
    for way in Way::ALL {
        let (path, text, case, emitted) = (path.clone(), text.clone(), case.clone(), emitted(way.name()));
        let skipped = case.skips.iter().any(|(skipped, _)| *skipped == way);
        let test = move || {
            ways::run_case(&path, &text, &case, way, &emitted)
                .map_err(|error| format!("{}:\n{error}", path.display()).into())
        };
        trials.push(Trial::test(format!("{name} {way}"), test).with_ignored_flag(skipped));
    }
    trials
}
