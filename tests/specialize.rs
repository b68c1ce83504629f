//! Random programs of templates and function values: the interpreter must leave the same behind before and after `specialize`, and some
//! of them are run in every way there is. `akari_harness::fuzz::templates` makes the programs up. And the inputs of the pass's filetests,
//! spoilt: whatever the verifier lets through, the pass must not panic on.
//!
//! `AKARI_FUZZ_SEED` is the first seed and `AKARI_FUZZ_COUNT` how many follow; `AKARI_FUZZ_RUN` of them go all ways, and so many
//! times as `AKARI_FUZZ_SPOILT` says each filetest is spoilt.

#[path = "ways/mod.rs"]
mod ways;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use akari::opt::opt_in;
use akari_harness::fuzz::random::Random;
use akari_harness::fuzz::{Generated, differences, templates};
use akari_harness::job::{Job, Outcome, Way};
use akari_harness::vulkan::serve_if_asked;
use akari_harness::{bind, case};
use akari_passes::{Observer, PassContext};
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
    let spoilt = number("AKARI_FUZZ_SPOILT").unwrap_or(20);
    let tests = filetests().into_iter().map(|(name, text)| {
        Trial::test(format!("spoilt {name}"), move || {
            (first..first + spoilt).try_for_each(|seed| survives(&spoil(&text, seed))).map_err(Into::into)
        })
    });
    let all = trials.chain(tests).collect();
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

/// The modules of the filetests of the pass, without those that go to its limits.
fn filetests() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/specialize");
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut tests: Vec<(String, String)> = paths
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), fs::read_to_string(&path).ok()?)))
        .filter(|(name, _)| !name.starts_with("error-too-many"))
        .map(|(name, text)| (name, text.split("; EXPECT").next().unwrap_or_default().to_owned()))
        .collect();
    tests.sort();
    tests
}

/// A text in which a few words stand where others of it stood.
fn spoil(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut words: Vec<&str> = text.split_inclusive([' ', ',', '\n', '(', ')', '<', '>', '{', '}', ':']).collect();
    for _ in 0..1 + random.below(2) {
        let (to, from) = (random.below(words.len()), random.below(words.len()));
        // Alike words are likely to make a module that the verifier takes.
        let first = |word: &str| word.chars().next();
        let alike: Vec<usize> = (0..words.len()).filter(|index| first(words[*index]) == first(words[to])).collect();
        words[to] = if random.chance(70) { words[random.pick(&alike)] } else { words[from] };
    }
    words.concat()
}

fn survives(text: &str) -> Result<(), String> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        drop(opt_in(text, "specialize", &mut PassContext::default(), &mut Observer::default()));
    }));
    result.map_err(|_| format!("panic:\n{text}"))
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
    let case =
        case::parse(&program.text).map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
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
