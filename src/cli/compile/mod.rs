//! `akari compile`: builds the packages of a specification, each on its own; a broken one does not hold up the others.
//!
//! A [`plan`] says what is to be done, [`package`] builds one package of it into a [`product`], [`publish`] puts that into the output
//! folder, and [`report`] tells what is there.

mod package;
mod plan;
mod product;
mod progress;
mod publish;
mod report;
mod toolchain;

use akari_ir::Diagnostic;
use rayon::prelude::*;

use self::package::Built;
use self::plan::{Job, Plan, Published};
use self::progress::Progress;
use self::report::{PackageReport, Report, Status};
use super::flags::Compile;
use super::{Failure, codes, complain, refused, watch};
use crate::render;
use crate::source::SourceMap;

/// The memory that a thread has for its calls: DXC nests more deeply than Akari does.
const STACK: usize = 16 << 20;

pub(super) fn run(flags: &Compile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        watch::list_passes();
        return Ok(());
    }
    let (Some(path), Some(out)) = (&flags.spec, &flags.out) else { return Err(Failure::Usage) };
    let observer = watch::observer(&flags.passes)?;
    let plan = Plan::new(flags, path, out)?;
    if let Some((tool, _)) = &plan.tool {
        tool.ready().map_err(|why| refused(Diagnostic::error(codes::NO_TOOL, None, why)))?;
    }
    let last = Report::read(&plan.out);
    let progress = Progress::new(plan.jobs.len(), flags.quiet);
    let one = |job: &Job| {
        progress.begin(&job.name);
        let built = package::build(job, &plan, &progress, &mut observer.clone());
        let time = built.time;
        let (report, said) = publish(job, &plan, &last, built);
        progress.end(&job.name, report.status, time, &said);
        report
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(flags.jobs.unwrap_or(0) as usize).stack_size(STACK).build();
    let pool = pool.map_err(|error| {
        complain(format!("cannot start threads: {error}"));
        Failure::Input
    })?;
    let reports = pool.install(|| plan.jobs.par_iter().map(one).collect());
    finish(&plan, &progress, reports)
}

/// Publishes a package; gives what is to be reported of it, and all that there is to say.
fn publish(job: &Job, plan: &Plan, last: &Report, built: Built) -> (PackageReport, String) {
    let mut said = built.said;
    let published = built.product.filter(|product| {
        let outcome = if plan.published == Published::Nothing { Ok(()) } else { publish::package(&plan.out, product) };
        outcome.map_err(|fault| said.push_str(&render::report(&SourceMap::new(), &[fault]))).is_ok()
    });
    let report = match published {
        Some(product) => PackageReport::done(job, &product, Status::Compiled),
        None => PackageReport::failed(job, last),
    };
    (report, said)
}

/// Writes the report and says how the build went.
fn finish(plan: &Plan, progress: &Progress, packages: Vec<PackageReport>) -> Result<(), Failure> {
    let failed = packages.iter().filter(|package| package.status == Status::Failed);
    let failed: Vec<String> = failed.map(|package| package.name.clone()).collect();
    let mut outcome = if failed.is_empty() { Ok(()) } else { Err(Failure::Input) };
    if plan.published != Published::Nothing
        && let Err(fault) = publish::report(&plan.out, &Report::new(plan, packages))
    {
        outcome = Err(refused(fault));
    }
    let verb = if plan.published == Published::Nothing { "valid" } else { "built" };
    let failed: Vec<&str> = failed.iter().map(String::as_str).collect();
    progress.finish(verb, plan.tool.as_ref().map(|(tool, _)| tool.name()), &failed);
    outcome
}
