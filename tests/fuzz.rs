//! Random programs, run in every way there is: all must leave the same behind, and the compilers of the targets must take what is emitted.
//! `akari_harness::fuzz` makes the programs up.
//!
//! `AKARI_FUZZ_FILE=path` runs a program made before. `AKARI_FUZZ_SEED` is the first seed and `AKARI_FUZZ_COUNT` how many follow. `AKARI_FUZZ_WAYS=spirv,d3d12` leaves ways out. A program that shows
//! a fault lies in `target/tmp/fuzz` afterwards, as made and (with `AKARI_FUZZ_REDUCE=1`) made small.

#[path = "ways/mod.rs"]
mod ways;

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{env, fs};

use akari_harness::fuzz::{Generated, Output, PLAIN, Scalar, differences, generate, rays, reduce};
use akari_harness::job::{Job, Outcome, Way};
use akari_harness::vulkan::serve_if_asked;
use akari_harness::{bind, case};
use libtest_mimic::{Arguments, Trial};

fn main() {
    serve_if_asked();
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("AKARI_FUZZ_SEED").unwrap_or(0);
    let count = number("AKARI_FUZZ_COUNT").unwrap_or(24);
    let trials = match env::var("AKARI_FUZZ_FILE") {
        Ok(path) => {
            let program = fs::read_to_string(&path).map(with_plain_outputs).map_err(|error| error.to_string());
            vec![Trial::test(path, move || check("file", &program?).map_err(Into::into))]
        }
        Err(_) => {
            let trial = |name: String, program: fn(u64) -> Generated, seed: u64| {
                Trial::test(name.clone(), move || check(&name, &program(seed)).map_err(Into::into))
            };
            let programs = (first..first + count).map(|seed| trial(format!("seed {seed}"), generate, seed));
            let scenes = (first..first + count / 3).map(|seed| trial(format!("rays {seed}"), rays, seed));
            programs.chain(scenes).collect()
        }
    };
    let lucky = LUCKY
        .iter()
        .map(|(what, body)| Trial::test(format!("refused: {what}"), || refused(what, body).map_err(Into::into)));
    libtest_mimic::run(&Arguments::from_args(), trials.into_iter().chain(lucky).collect()).exit();
}

/// Programs whose result is a matter of luck, and what the judge says of them: without that a program made small could be one.
const LUCKY: [(&str, &str); 4] = [
    ("is read before it is written", "words[id] = tile[lane];"),
    ("without a barrier between", "tile[lane] = 1u; words[id] = tile[(lane + 1u) & 7u];"),
    ("without a barrier between", "tile[0] = lane; barrier();"),
    ("not all threads", "tile[lane] = 1u; if (lane < 3u) { barrier(); }"),
];

fn refused(what: &str, body: &str) -> Result<(), String> {
    let text = format!(
        "//! from nothing\n//! run compute 1 1 1\n//! buffer io.words : u32 = 0 x 8\n//! expect io.words : u32 = _ x 8\n#shader lucky\n\
         @compute(threads = (8, 1, 1))\nfn main(@dispatch_id id: uint, @local_index lane: uint, @bind(io.words) words: RwBuf<uint>) {{\n\
         @groupshared var tile: uint[8];\n{body}\n}}\n"
    );
    match reference(&text) {
        Err(fault) if fault.contains(what) => Ok(()),
        Err(fault) => Err(fault),
        Ok(_) => Err("the program runs".into()),
    }
}

/// What a program is put through beside the reference interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Run(Way),
    D3d12,
}

impl Check {
    const ALL: [Self; 4] = [Self::Run(Way::Spirv), Self::Run(Way::Dxc), Self::D3d12, Self::Run(Way::Msl)];

    const fn name(self) -> &'static str {
        match self {
            Self::Run(way) => way.name(),
            Self::D3d12 => "d3d12",
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

/// A program that was made before, of which only the plain outputs are known.
fn with_plain_outputs(text: String) -> Generated {
    let counts = ("counts", Scalar::Uint, 0);
    let outputs =
        PLAIN.into_iter().chain([counts]).map(|(name, scalar, ulps)| Output::plain(name, scalar, ulps)).collect();
    Generated { text, outputs }
}

fn check(seed: &str, program: &Generated) -> Result<(), String> {
    let wanted = env::var("AKARI_FUZZ_WAYS").ok();
    let wanted = |check: Check| wanted.as_ref().is_none_or(|names| names.split(',').any(|name| name == check.name()));
    let mut report = String::new();
    match reference(&program.text) {
        Err(fault) => {
            let _ = writeln!(report, "front end: {fault}{}", shown(seed, program, None));
        }
        Ok((job, expected)) => {
            for check in Check::ALL.into_iter().filter(|check| wanted(*check)) {
                if let Err(fault) = compare(program, &job, Some(&expected), check, seed) {
                    let _ = writeln!(report, "{}: {fault}{}", check.name(), shown(seed, program, Some(check)));
                }
            }
        }
    }
    if report.is_empty() { Ok(()) } else { Err(report) }
}

/// Keeps the program, small if asked to, and says where.
fn shown(seed: &str, program: &Generated, check: Option<Check>) -> String {
    let name = check.map_or("frontend", Check::name);
    let path = folder().join(format!("{seed} {name}.akari"));
    let _ = fs::create_dir_all(folder()).and_then(|()| fs::write(&path, &program.text));
    let mut said = format!("\nthe program: {}", path.display());
    if env::var("AKARI_FUZZ_REDUCE").is_ok() {
        let kind = fault(program, &program.text, check, true);
        // What does not compile need not be run.
        let runs = kind.as_ref().is_some_and(|kind| kind.starts_with("results"));
        let small = reduce(&program.text, &mut |text| kind.is_some() && fault(program, text, check, runs) == kind);
        let path = folder().join(format!("{seed} {name} small.akari"));
        let _ = fs::write(&path, small);
        let _ = write!(said, "\nmade small: {}", path.display());
    }
    said
}

/// The kind of fault that a text shows: what two programs with the same fault have in common.
fn fault(program: &Generated, text: &str, check: Option<Check>, runs: bool) -> Option<String> {
    let kind = |fault: String| {
        let words = fault.lines().next().unwrap_or_default().to_owned();
        let message = words.rsplit_once("error: ").map_or(words.clone(), |(_, message)| message.to_owned());
        message
            .chars()
            .filter(|letter| !letter.is_ascii_digit())
            .take_while(|letter| *letter != '\'' && *letter != '`')
            .collect::<String>()
    };
    let program = Generated { text: text.to_owned(), ..program.clone() };
    match (reference(text), check) {
        (Err(fault), None) => Some(kind(fault)),
        (Ok((job, expected)), Some(check)) => {
            let expected = runs.then_some(&expected);
            compare(&program, &job, expected, check, "small").err().map(kind)
        }
        _ => None,
    }
}

/// What the interpreter makes of a program.
fn reference(text: &str) -> Result<(Job, Outcome), String> {
    let path = Path::new("fuzz.akari");
    let result = catch_unwind(|| {
        let source = ways::compile(path, text, &[])?;
        let (program, interface) = ways::build(&source, Way::Interp, &folder().join("interp"))?;
        let case = case::parse(text).map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
        let job = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
        let outcome = program.run(&job)?;
        Ok((job, outcome))
    });
    result.unwrap_or_else(|_| Err("panic".into()))
}

fn compare(program: &Generated, job: &Job, expected: Option<&Outcome>, check: Check, name: &str) -> Result<(), String> {
    let emitted = folder().join(format!("{name} {}", check.name()));
    let result = catch_unwind(AssertUnwindSafe(|| {
        let source = ways::compile(Path::new("fuzz.akari"), &program.text, &[])?;
        match check {
            Check::D3d12 => ways::check_d3d12(&source, &emitted),
            Check::Run(way) => {
                let (built, interface) = ways::build(&source, way, &emitted)?;
                let case = case::parse(&program.text)
                    .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
                let own = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
                let Some(expected) = expected else { return Ok(()) };
                let found = built.run(&own)?;
                differences(program, (job, expected), (&own, &found), way == Way::Spirv)
            }
        }
    }));
    result.unwrap_or_else(|_| Err("panic".into()))
}
