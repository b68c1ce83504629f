//! Where packages come from: the cache, or [`package::build`]; and where they go: the cache, and the output folder.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use akari_ir::{Code, Diagnostic, Note, Severity};
use akari_passes::Observer;

use super::inputs::PackageInputs;
use super::package;
use super::plan::{Job, Plan, Published};
use super::product::About;
use super::progress::Progress;
use super::publish::{self, Names, Publication, Ready, Uncommitted};
use super::report::{ArtifactReport, PackageReport, Report, Status};
use super::reuse::Reuse;
use super::toolchain::Lost;
use crate::cli::cache::{Fault, Remote, Store};
use crate::cli::flags::Compile;
use crate::cli::{Failure, codes, complaint, load, refused, report};
use crate::render;
use crate::source::SourceMap;

/// A build that is going on.
pub(super) struct Workshop<'p> {
    plan: &'p Plan,
    progress: &'p Progress,
    observer: Observer,
    /// Absent where nothing is kept.
    reuse: Option<Reuse<'p>>,
    /// Whether packages may come from the cache: not where their building is to be seen.
    from_cache: bool,
    /// Absent where nothing is published.
    publication: Option<Publication>,
    /// What brought this process down before it started again, and how long a tool may take.
    lost: Vec<Lost>,
    tool_time_limit: u64,
    /// Why the cache could not be written, the first time.
    unkept: Mutex<Option<String>>,
}

/// What a package came to.
pub(super) struct Outcome {
    about: About,
    status: Status,
    /// Its files, or why there are none: nothing where that was said already.
    files: Result<Vec<Ready>, String>,
    /// What it was made of.
    inputs: PackageInputs,
}

impl Outcome {
    /// What it was made of, and what was made of that.
    pub(super) fn inputs(&self, out: &Path) -> PackageInputs {
        let files = self.files.iter().flatten();
        PackageInputs { outputs: files.map(|ready| out.join(&ready.member.name)).collect(), ..self.inputs.clone() }
    }
}

/// What a build came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tally<'p> {
    /// How many packages are as they ought to be.
    pub(super) good: usize,
    /// How many of those came from the cache.
    pub(super) cached: usize,
    /// The names of the others.
    pub(super) failed: Vec<&'p str>,
    /// Whether the output folder is as it ought to be, if there is to be one.
    pub(super) is_published: bool,
}

/// Tells what cannot be written.
fn unwritable(fault: impl std::fmt::Display) -> Failure {
    refused(Diagnostic::error(codes::UNWRITABLE, None, fault.to_string()))
}

/// Tells what does not work; the build goes on.
fn warn(code: Code, message: String) {
    let warning = Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, None, message) };
    report(&SourceMap::new(), &mut vec![warning]);
}

/// Builds a package so that a bug that one of them brings to light does not take the others along. What a panic says is on standard error by
/// then, with its place; what it said is given too.
fn catch_panic<T>(build: impl FnOnce() -> T) -> Result<T, String> {
    // Packages share the cache and the tool, which take a panic for an abandoned call, and counters.
    catch_unwind(AssertUnwindSafe(build)).map_err(|payload: Box<dyn Any + Send>| match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => {
            payload.downcast_ref::<&str>().map_or_else(|| "unknown".to_owned(), |message| (*message).to_owned())
        }
    })
}

impl<'p> Workshop<'p> {
    /// Opens the output folder and the cache. What is wrong with them is told.
    /// `lost` is not built again.
    pub(super) fn open(
        flags: &Compile,
        lost: Vec<Lost>,
        plan: &'p Plan,
        progress: &'p Progress,
        observer: Observer,
    ) -> Result<Self, Failure> {
        let publishes = plan.published != Published::Nothing;
        let publication =
            publishes.then(|| Publication::open(&plan.out, flags.quiet)).transpose().map_err(unwritable)?;
        // Where nothing is published there is no output folder to have a cache in.
        let folder = flags
            .cache
            .clone()
            .or_else(|| publishes.then(|| plan.out.join(".akari-cache")))
            .filter(|_| !flags.no_cache);
        let reuse = match folder {
            Some(folder) => Self::open_cache(flags, plan, &folder)?,
            None => None,
        };
        let from_cache = !flags.passes.observes();
        let tool_time_limit = flags.tool_time_limit;
        Ok(Self {
            plan,
            progress,
            observer,
            reuse,
            from_cache,
            publication,
            lost,
            tool_time_limit,
            unkept: Mutex::default(),
        })
    }

    /// The cache in a folder; nothing where it does not work.
    fn open_cache(flags: &Compile, plan: &'p Plan, folder: &Path) -> Result<Option<Reuse<'p>>, Failure> {
        let remote = flags.remote_cache.as_deref().map(Remote::open).transpose().map_err(unwritable)?;
        let store = match Store::open(folder, Some(flags.cache_limit), remote) {
            Ok(store) => store,
            Err(fault @ Fault::NoFolder(_)) => return Err(unwritable(fault)),
            Err(fault @ Fault::Unwritable(..)) => {
                warn(codes::CACHE, fault.to_string());
                return Ok(None);
            }
        };
        let reuse = Reuse::new(plan, store).map_err(|error| {
            let message = "nothing is taken from the cache: cannot read this program, or the tool, to tell its version";
            warn(codes::CACHE, format!("{message}: {error}"));
        });
        Ok(reuse.ok())
    }

    /// Takes a package from the cache, and says so: nothing if it or one of its files is not there, or is damaged.
    pub(super) fn find(&self, job: &Job) -> Option<Outcome> {
        let reuse = self.reuse.as_ref().filter(|_| self.from_cache)?;
        let began = Instant::now();
        let (about, members, inputs) = reuse.find(job)?;
        let bring = |publication: &Publication| {
            let files =
                members.iter().map(|member| publication.bring(member, reuse.store())).collect::<Result<Vec<_>, _>>();
            files.map(|files| files.into_iter().collect::<Option<Vec<_>>>()).transpose()
        };
        let files = match &self.publication {
            Some(publication) => bring(publication)?,
            None => Ok(Vec::new()),
        };
        self.progress.begin(&job.name);
        Some(self.end(job, Outcome { about, status: Status::Cached, files, inputs }, began.elapsed(), String::new()))
    }

    /// Builds a package, and says what there is to say of it.
    pub(super) fn build(&self, job: &Job) -> Outcome {
        self.build_for(job, self.publication.as_ref())
    }

    fn build_for(&self, job: &Job, publication: Option<&Publication>) -> Outcome {
        self.progress.begin(&job.name);
        let began = Instant::now();
        if let Some(lost) = self.lost.iter().find(|lost| lost.package == job.name) {
            return self.tell_of_lost(job, lost);
        }
        let build = || package::build(job, self.plan, self.progress, self.reuse.as_ref(), &mut self.observer.clone());
        let built = match catch_panic(build) {
            Ok(built) => built,
            Err(why) => {
                let said = complaint(format!(
                    "package `{}`: internal error: bug in the compiler, not in the source: {why}",
                    job.name
                ));
                // Which modules it had read is lost with it.
                let inputs = PackageInputs {
                    name: job.name.clone(),
                    outputs: Vec::new(),
                    files: vec![job.input.clone()],
                    absent: Vec::new(),
                };
                return self.fail(job, inputs, began.elapsed(), said);
            }
        };
        let Some(mut product) = built.product else {
            let inputs = PackageInputs::new(&job.name, built.reads);
            return self.fail(job, inputs, built.time, built.said);
        };
        if let Some(reuse) = &self.reuse
            && let Err(error) = reuse.keep(job, &built.reads, &built.names, &product)
        {
            self.unkept.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.to_string());
        }
        let files = match publication {
            Some(publication) => product.files.iter().map(|file| publication.stage(&file.name, &file.bytes)).collect(),
            None => Ok(Vec::new()),
        };
        // What was said holds this.
        product.about.said.clear();
        let inputs = PackageInputs::new(&job.name, built.reads);
        self.end(job, Outcome { about: product.about, status: Status::Compiled, files, inputs }, built.time, built.said)
    }

    /// A package that brought this process down before.
    fn tell_of_lost(&self, job: &Job, lost: &Lost) -> Outcome {
        let note = Note { message: Lost::NOTE.to_owned(), span: None };
        let told = Diagnostic {
            notes: vec![note],
            ..Diagnostic::error(codes::TOOL_FAILED, None, lost.message(self.tool_time_limit))
        };
        // What it is made of is still to be told.
        let load = || load::package(&job.input, &self.plan.import_dirs, &mut self.plan.sources.clone());
        let (loaded, time) = self.progress.compiling(load);
        self.fail(job, PackageInputs::new(&job.name, loaded.reads), time, render::report(&SourceMap::new(), &[told]))
    }

    fn fail(&self, job: &Job, inputs: PackageInputs, time: Duration, said: String) -> Outcome {
        let outcome = Outcome { about: About::default(), status: Status::Failed, files: Err(String::new()), inputs };
        self.end(job, outcome, time, said)
    }

    /// Tells how a package went.
    fn end(&self, job: &Job, mut outcome: Outcome, time: Duration, mut said: String) -> Outcome {
        said.push_str(&outcome.about.said);
        if let Err(why) = &mut outcome.files {
            outcome.status = Status::Failed;
            if !why.is_empty() {
                let fault = Diagnostic::error(codes::UNWRITABLE, None, std::mem::take(why));
                said.push_str(&render::report(&SourceMap::new(), &[fault]));
            }
        }
        self.progress.end(&job.name, outcome.status, time, &said);
        outcome
    }

    /// Publishes all packages; gives what they came to.
    pub(super) fn finish(mut self, mut outcomes: Vec<Outcome>) -> Tally<'p> {
        let publication = self.publication.take();
        let is_published =
            publication.is_none_or(|mut publication| self.publish(&mut publication, &mut outcomes).is_ok());
        self.tell_of_cache();
        let good = || outcomes.iter().filter(|outcome| outcome.files.is_ok());
        let packages = self.plan.jobs.iter().zip(&outcomes);
        Tally {
            good: good().count(),
            cached: good().filter(|outcome| outcome.status == Status::Cached).count(),
            failed: packages.filter(|(_, outcome)| outcome.files.is_err()).map(|(job, _)| job.name.as_str()).collect(),
            is_published,
        }
    }

    fn publish(&self, publication: &mut Publication, outcomes: &mut [Outcome]) -> Result<(), Failure> {
        let names = Names {
            here: self.plan.jobs.iter().map(|job| job.name.as_str()).collect(),
            elsewhere: self.plan.elsewhere.iter().map(|(_, name)| name.as_str()).collect(),
            target: self.plan.target(),
        };
        loop {
            let mut files: Vec<_> = outcomes.iter().map(|outcome| outcome.files.clone()).collect();
            let report = |last: &Report, files: &[Result<Vec<Ready>, String>]| self.report(last, outcomes, files);
            let committed = publication.commit(&mut files, &names, self.reuse.as_ref().map(Reuse::store), report);
            for (outcome, files) in outcomes.iter_mut().zip(files) {
                outcome.files = files;
            }
            match committed {
                Ok(published) => {
                    published.left.into_iter().for_each(|left| warn(codes::LEFT, left));
                    break;
                }
                Err(Uncommitted::Unwritable(why)) => return Err(unwritable(why)),
                // What is built is staged, and not to be lost again: this comes to an end.
                Err(Uncommitted::Lost(lost)) => {
                    for (index, job) in self.plan.jobs.iter().enumerate().filter(|(index, _)| lost.contains(index)) {
                        self.progress.again(outcomes[index].status);
                        outcomes[index] = self.build_for(job, Some(publication));
                    }
                }
            }
        }
        for why in outcomes.iter().filter_map(|outcome| outcome.files.as_ref().err()).filter(|why| !why.is_empty()) {
            let _ = unwritable(why);
        }
        Ok(())
    }

    fn report(&self, last: &Report, outcomes: &[Outcome], files: &[Result<Vec<Ready>, String>]) -> Report {
        let plan = self.plan;
        let is_there = |artifact: &ArtifactReport| publish::is_there(artifact, &plan.out);
        let rows = plan.jobs.iter().zip(outcomes).zip(files).map(|((job, outcome), files)| match files {
            Ok(files) => {
                let members: Vec<_> = files.iter().map(|ready| ready.member.clone()).collect();
                PackageReport::done(job, &outcome.about, &members, outcome.status)
            }
            Err(_) => {
                PackageReport::failed(job, last.of_target(plan).and_then(|last| last.package(&job.name)), is_there)
            }
        });
        Report::new(plan, rows.collect(), last)
    }

    /// Trims the cache, and tells what of it did not work.
    fn tell_of_cache(&self) {
        let Some(store) = self.reuse.as_ref().map(Reuse::store) else { return };
        let unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let unkept = unkept.or_else(|| store.keep_limit().err().map(|error| error.to_string()));
        if let Some(why) = unkept {
            warn(codes::CACHE, format!("the cache could not be written: {why}"));
        }
        if let Some(why) = store.remote_failure() {
            warn(codes::CACHE, format!("the remote cache was not used any more after it failed: {why}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::catch_panic;

    #[test]
    fn a_panic_becomes_what_it_says() {
        assert_eq!(catch_panic(|| 1), Ok(1));
        assert_eq!(catch_panic::<()>(|| panic!("at rest")), Err("at rest".to_owned()));
        let number = 3;
        assert_eq!(catch_panic::<()>(|| panic!("after {number}")), Err("after 3".to_owned()));
        let in_a_thread = || rayon::join(|| panic!("elsewhere"), || ());
        assert_eq!(catch_panic(in_a_thread).map(|_: ((), ())| ()), Err("elsewhere".to_owned()));
    }
}
