//! The passes there are.

use akari_ir::Module;

use super::pass::{Changed, Failed, Pass, PassContext};

/// A registered pass.
#[derive(Clone, Copy, Debug)]
pub struct PassEntry {
    /// Its name in pipelines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Runs it.
    pub run: fn(&mut Module, &mut PassContext) -> Result<Changed, Failed>,
}

impl PassEntry {
    /// The entry of a pass.
    #[must_use]
    pub const fn of<P: Pass>() -> Self {
        Self { name: P::NAME, summary: P::SUMMARY, run: P::run }
    }
}

/// Every pass, in the order in which `--list-passes` shows them.
pub static PASSES: &[PassEntry] = &[PassEntry::of::<crate::strip::Strip>()];
