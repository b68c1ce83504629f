//! Random programs of templates and function values: the interpreter must leave the same behind before and after `specialize`, and some
//! of them are run in every way there is. `akari_harness::fuzz::templates` makes the programs up.
//!
//! `AKARI_FUZZ_SEED` is the first seed and `AKARI_FUZZ_COUNT` how many follow; `AKARI_FUZZ_RUN` of them go all ways.

#[path = "ways/mod.rs"]
mod ways;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use akari_harness::fuzz::{Generated, differences, templates};
use akari_harness::job::{Job, Outcome, Way};
use akari_harness::vulkan::serve_if_asked;
use akari_harness::{bind, case};
use libtest_mimic::{Arguments, Trial};

fn main() {
    serve_if_asked();
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("AKARI_FUZZ_SEED").unwrap_or(0);
    let count = number("AKARI_FUZZ_COUNT").unwrap_or(200);
    let run = number("AKARI_FUZZ_RUN").unwrap_or(16);
    let trials = (first..first + count).map(|seed| {
        let ways = if seed - first < run { &[Way::Spirv, Way::Dxc, Way::Msl][..] } else { &[] };
        Trial::test(format!("seed {seed}"), move || check(seed, ways).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("specialize")
}

fn check(seed: u64, ways: &[Way]) -> Result<(), String> {
    let program = templates::generate(seed);
    let result = catch_unwind(AssertUnwindSafe(|| compare(seed, &program, ways)));
    result.unwrap_or_else(|_| Err("panic".into())).map_err(|fault| format!("{fault}\n{}", program.text))
}

fn compare(seed: u64, program: &Generated, ways: &[Way]) -> Result<(), String> {
    let source = ways::compile(Path::new("templates.akari"), &program.text, &[])?;
    let emitted = |way: Way| folder().join(format!("{seed} {}", way.name()));
    let (reference, interface) = ways::build(&source, Way::Interp, &emitted(Way::Interp))?;
    let case = case::parse(&program.text).map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    let job = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
    let expected = reference.run(&job)?;
    same(program, (&job, &expected), &job, &ways::specialized(&source)?.run(&job)?, "specialized")?;
    for way in ways {
        let (built, interface) = ways::build(&source, *way, &emitted(*way))?;
        let own = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
        same(program, (&job, &expected), &own, &built.run(&own)?, way.name())?;
    }
    Ok(())
}

fn same(program: &Generated, expected: (&Job, &Outcome), job: &Job, found: &Outcome, how: &str) -> Result<(), String> {
    differences(program, expected, (job, found), false).map_err(|fault| format!("{how}: {fault}"))
}
