//! `akari compile`: builds the packages of a specification, each on its own; a broken one does not hold up the others.
//!
//! A [`plan`] says what is to be done, [`package`] builds one package of it into a [`product`], [`publish`] puts that into the output
//! folder, and [`report`] tells what is there.

mod package;
mod plan;
mod product;
mod publish;
mod report;

use rayon::prelude::*;

use self::package::Built;
use self::plan::{Job, Plan, Published};
use self::report::{PackageReport, Report, Status};
use super::flags::Compile;
use super::{Failure, complain, to_stderr, watch};
use crate::driver::Platform;

/// What a package came to.
struct Outcome {
    report: PackageReport,
    failed: bool,
}

pub(super) fn run(flags: &Compile) -> Result<(), Failure> {
    if flags.passes.list_passes {
        watch::list_passes();
        return Ok(());
    }
    let (Some(path), Some(out)) = (&flags.spec, &flags.out) else { return Err(Failure::Usage) };
    let observer = watch::observer(&flags.passes)?;
    let plan = Plan::new(flags, path, out)?;
    if plan.platform != Platform::Vulkan && plan.published == Published::Native {
        let tool = if plan.platform == Platform::Metal { "`xcrun metal`" } else { "DXC" };
        complain(format!(
            "building with {tool} is not part of this version; `--source-only` publishes the emitted source, \
             `--validate-only` checks everything but publishes nothing"
        ));
        return Err(Failure::Input);
    }
    let last = Report::read(&plan.out);
    let one = |job: &Job| {
        let built = package::build(job, &plan, &mut observer.clone());
        finish(job, &plan, &last, built)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(flags.jobs.unwrap_or(0) as usize).build();
    let pool = pool.map_err(|error| {
        complain(format!("cannot start threads: {error}"));
        Failure::Input
    })?;
    let outcomes: Vec<Outcome> = pool.install(|| plan.jobs.par_iter().map(one).collect());
    summary(&plan, outcomes)
}

/// Publishes a package and says how it went.
fn finish(job: &Job, plan: &Plan, last: &Report, built: Built) -> Outcome {
    to_stderr(&built.said);
    let published = built.product.filter(|product| {
        plan.published == Published::Nothing || publish::package(&plan.out, product).is_ok()
    });
    match published {
        Some(product) => Outcome { report: PackageReport::done(job, &product, Status::Compiled), failed: false },
        None => Outcome { report: PackageReport::failed(job, last), failed: true },
    }
}

fn summary(plan: &Plan, outcomes: Vec<Outcome>) -> Result<(), Failure> {
    let count = outcomes.len();
    let failed: Vec<_> =
        outcomes.iter().filter(|outcome| outcome.failed).map(|outcome| outcome.report.name.clone()).collect();
    if plan.published != Published::Nothing {
        let packages = outcomes.into_iter().map(|outcome| outcome.report).collect();
        publish::report(&plan.out, &Report::new(plan, packages))?;
    }
    if failed.is_empty() {
        let done = if plan.published == Published::Nothing { "valid" } else { "built" };
        let packages = if count == 1 { "package" } else { "packages" };
        to_stderr(&format!("{count} {packages} {done}\n"));
        Ok(())
    } else {
        to_stderr(&format!("{} of {count} packages failed: {}\n", failed.len(), failed.join(", ")));
        Err(Failure::Input)
    }
}
