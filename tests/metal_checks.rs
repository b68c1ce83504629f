//! Akari's Metal source of every package of `docs/examples` is what Metal's own compiler would take, with and without `#line`; so is
//! what the file tests of `print-msl` expect.

#[path = "ways/mod.rs"]
mod ways;

use std::fs;
use std::path::Path;

use akari::driver::{Platform, Wanted};
use akari_harness::metal;
use libtest_mimic::{Arguments, Failed, Trial};
use ways::package;

fn main() {
    let mut trials = Vec::new();
    for path in package::examples() {
        let name = package::stem(&path);
        for debug_lines in [false, true] {
            let (path, lines) = (path.clone(), if debug_lines { " with lines" } else { "" });
            trials.push(Trial::test(format!("example {name}{lines}"), move || example(&path, debug_lines)));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/print-msl");
    for path in package::files(&folder, "air") {
        let name = package::stem(&path);
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
    let wanted = Wanted { hlsl: false, spirv: false };
    let emission = package::emit(path, Platform::Metal, wanted, debug_lines)?;
    let [output] = emission.outputs.as_slice() else { return Err("not one output for a package".into()) };
    let source = str::from_utf8(&output.bytes).map_err(|error| error.to_string())?;
    let checked = metal::check(source).and_then(|()| metal::Program::compile(source).map(drop));
    Ok(checked.map_err(|error| format!("{error}\n{source}"))?)
}
