//! `akari compile`: builds the packages of a specification, each on its own; a broken one does not hold up the others.
//!
//! A [`plan`] says what is to be done, [`package`] builds one package of it into a [`product`], [`reuse`] finds one that was built before,
//! [`publish`] puts all into the output folder, and [`report`] tells what is there. [`workshop`] is what goes on between them.

mod package;
mod plan;
mod product;
mod progress;
mod publish;
mod report;
mod reuse;
mod rows;
mod toolchain;
mod workshop;

use akari_ir::Diagnostic;
use rayon::prelude::*;

use self::plan::{Job, Plan, Published};
use self::progress::Progress;
use self::workshop::{Outcome, Workshop};
use super::flags::Compile;
use super::{Failure, codes, complain, refused, watch};

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
    let progress = Progress::new(plan.jobs.len(), flags.quiet);
    let workshop = Workshop::open(flags, &plan, &progress, observer)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(flags.jobs.unwrap_or(0) as usize).stack_size(STACK).build();
    let pool = pool.map_err(|error| {
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
    let outcomes = pool.install(|| plan.jobs.par_iter().zip(found).map(build).collect());
    let published = workshop.finish(outcomes);
    let failed = published.as_ref().map_or(&[][..], Vec::as_slice);
    let verb = if plan.published == Published::Nothing { "valid" } else { "built" };
    progress.finish(verb, plan.tool.as_ref().map(|(tool, _)| tool.name()), failed);
    if published.is_ok_and(|failed| failed.is_empty()) { Ok(()) } else { Err(Failure::Input) }
}
