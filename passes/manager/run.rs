//! Running a pipeline.

use std::fmt;
use std::time::Instant;

use akari_ir::{Module, print_module, verify};

use super::observe::{Dump, Observer, When};
use super::pass::{Changed, Failed, PassContext};
use super::pipeline::Pipeline;

/// Why a pipeline did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A pass failed; the context's diagnostics say why.
    Failed(&'static str),
    /// A pass left an unsound module: a bug in it.
    Unsound {
        /// The pass.
        pass: &'static str,
        /// What the verifier found.
        report: String,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(pass) => write!(f, "`{pass}` failed"),
            Self::Unsound { pass, report } => write!(
                f,
                "internal error: bug in pass `{pass}`, not in the source; `--print-before={pass}` shows what it was \
                 given\n{report}"
            ),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs the passes of `pipeline` in order.
///
/// # Errors
/// At the first pass that fails, or that leaves an unsound module where that is watched for.
pub fn run(
    pipeline: &Pipeline,
    module: &mut Module,
    context: &mut PassContext,
    observer: &mut Observer,
) -> Result<(), RunError> {
    let mut runs: Vec<&'static str> = Vec::new();
    for pass in &pipeline.passes {
        let occurrence = 1 + runs.iter().filter(|name| **name == pass.name).count() as u32;
        runs.push(pass.name);
        observer.count(pass.name, occurrence);
        dump(observer, When::Before, pass.name, occurrence, module, false);
        let start = observer.time.then(Instant::now);
        let outcome = (pass.run)(module, context);
        if let Some(start) = start {
            observer.times.push((pass.name, start.elapsed()));
        }
        let changed = outcome.map_err(|Failed| RunError::Failed(pass.name))?;
        let also = observer.print_changed && changed == Changed::Yes;
        dump(observer, When::After, pass.name, occurrence, module, also);
        if observer.verify_each {
            verify::verify(module)
                .map_err(|report| RunError::Unsound { pass: pass.name, report: report.render(module) })?;
        }
    }
    Ok(())
}

fn dump(observer: &mut Observer, when: When, pass: &'static str, occurrence: u32, module: &Module, also: bool) {
    if also || observer.wants(when, pass, occurrence) {
        observer.dumps.push(Dump { pass, occurrence, when, text: print_module(module) });
    }
}
