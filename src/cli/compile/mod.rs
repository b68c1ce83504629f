//! `akari compile`: builds the packages of a specification, each on its own; a broken one does not hold up the others.
//!
//! A [`plan`] says what is to be done, [`package`] builds one package of it into a [`product`], [`reuse`] finds one that was built before,
//! [`publish`] puts all into the output folder, and [`report`] tells what is there. [`workshop`] is what goes on between them.

mod inputs;
mod package;
mod plan;
mod product;
mod progress;
mod publish;
mod report;
mod reuse;
mod rows;
mod toolchain;
mod watch;
mod workshop;

use std::io::{self, Write};
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::Duration;

use akari_ir::Diagnostic;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use self::inputs::Inputs;
use self::plan::{Job, Plan, Published};
use self::progress::Progress;
use self::report::REPORT;
pub(super) use self::toolchain::Lost;
use self::workshop::{Outcome, Workshop};
use super::flags::Compile;
use super::{Failure, codes, complain, output_file, pass_flags, refused};

/// The memory that a thread has for its calls: DXC nests more deeply than Akari does.
const STACK: usize = 16 << 20;

pub(super) fn run(flags: &Compile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        return pass_flags::list_passes();
    }
    let mut lost = flags.lost.clone();
    if !flags.watch {
        return build(flags, lost, &mut Inputs::default());
    }
    let build = || {
        let mut inputs = Inputs::default();
        // What went wrong was told, and may be mended.
        let _ = build(flags, std::mem::take(&mut lost), &mut inputs);
        Lost::forget();
        inputs
    };
    let idle = |files| {
        let word = if files == 1 { "file" } else { "files" };
        // Who was told of builds may be gone, and does not say so otherwise.
        let told = if flags.quiet { Ok(()) } else { writeln!(io::stderr().lock(), "watching {files} {word}") };
        told.map_or_else(|error| error.kind() != io::ErrorKind::BrokenPipe, |()| true)
    };
    watch::run(build, idle)
}

/// Builds once, but for what was lost; tells what was looked at, as far as it came.
fn build(flags: &Compile, lost: Vec<Lost>, inputs: &mut Inputs) -> Result<(), Failure> {
    let (Some(path), Some(out)) = (&flags.spec, &flags.out) else { return Err(Failure::Usage) };
    let observer = pass_flags::observer(&flags.passes)?;
    let plan = Plan::new(flags, path, out, &mut inputs.shared)?;
    if plan.published != Published::Nothing
        && let Some(input) = inputs.overwritten(&out.join(REPORT))
    {
        let message =
            format!("the report of the build is called {REPORT}, and would be written over {}", input.display());
        return Err(refused(Diagnostic::error(codes::UNWRITABLE, None, message)));
    }
    let progress = Progress::new(plan.jobs.len(), flags.quiet);
    let workshop = Workshop::open(flags, lost, &plan, &progress, observer)?;
    let pool = threads(flags.jobs.unwrap_or(0) as usize).map_err(|error| {
        complain(format!("cannot start threads: {error}"));
        Failure::Input
    })?;
    let found: Vec<Option<Outcome>> = pool.install(|| plan.jobs.par_iter().map(|job| workshop.find(job)).collect());
    if let Some((tool, _)) = &plan.tool
        && found.iter().any(Option::is_none)
    {
        tool.ready().map_err(|why| refused(Diagnostic::error(codes::NO_TOOL, None, why)))?;
    }
    let build = |(job, found): (&Job, Option<Outcome>)| found.unwrap_or_else(|| workshop.build(job));
    let outcomes: Vec<Outcome> =
        progress.patiently(|| pool.install(|| plan.jobs.par_iter().zip(found).map(build).collect()));
    inputs.packages = outcomes.iter().map(|outcome| outcome.inputs(&plan.out)).collect();
    let tally = workshop.finish(outcomes);
    let verb = if plan.published == Published::Nothing { "valid" } else { "built" };
    progress.finish(verb, plan.tool.as_ref().map(|(tool, _)| tool.name()), &tally);
    if !tally.is_published {
        return Err(Failure::Input);
    }
    let failed = tally.failed;
    inputs
        .packages
        .iter_mut()
        .filter(|package| failed.contains(&package.name.as_str()))
        .for_each(|package| package.outputs.clear());
    let succeeded = failed.is_empty() && !plan.is_faulty();
    let told = write_dependencies(flags, &plan, inputs, succeeded);
    if succeeded { told } else { Err(Failure::Input) }
}

/// Threads to build with: as many as asked for, 0 being as many as there are processors, or as many as can be had.
fn threads(wanted: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    let mut count = if wanted == 0 { thread::available_parallelism().map_or(1, NonZero::get) } else { wanted };
    loop {
        match ThreadPoolBuilder::new().num_threads(count).stack_size(STACK).build() {
            Err(_) if count > 1 => {
                count /= 2;
                // Those that could be had are about to end.
                thread::sleep(Duration::from_millis(10));
            }
            outcome => return outcome,
        }
    }
}

/// Writes the dependency files that are asked for. That of the whole build is for a build that succeeded.
fn write_dependencies(flags: &Compile, plan: &Plan, inputs: &Inputs, succeeded: bool) -> Result<(), Failure> {
    let refuse = |message: String| refused(Diagnostic::error(codes::UNWRITABLE, None, message));
    let write = |file: &Path, rule: &str| match inputs.overwritten(file) {
        Some(input) => {
            Err(refuse(format!("cannot write {}: the build reads it, as {}", file.display(), input.display())))
        }
        None => output_file::write(file, rule.as_bytes()).map_err(refused),
    };
    if let Some(file) = flags.depfile.as_ref().filter(|_| succeeded) {
        let target = flags.depfile_target.clone().unwrap_or_else(|| plan.out.join(REPORT));
        write(file, &inputs.rule(&target).map_err(refuse)?)?;
    }
    if let Some(folder) = &flags.emit_deps {
        for (package, rule) in inputs.rules().map_err(refuse)? {
            write(&folder.join(format!("{package}.d")), &rule)?;
        }
    }
    Ok(())
}
