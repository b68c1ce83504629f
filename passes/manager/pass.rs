//! What a pass is.

use std::sync::Arc;

use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::{Diagnostic, Module};

use super::stage::IrStage;
use crate::emit::text::LineOrigin;

/// Whether a pass changed the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Something in it.
    Yes,
    /// Nothing.
    No,
}

/// The pass could not do its work; it has told why in the diagnostics, and the module is of no further use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// What an emitter made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The name of the entry, for targets that make one output an entry.
    pub entry: Option<String>,
    /// The output.
    pub bytes: Vec<u8>,
    /// Where the lines of a text came from, in order; lines that are missing belong to the one before.
    pub lines: Vec<LineOrigin>,
}

/// A source file as `#line` directives need it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name as messages show it.
    pub name: String,
    /// The byte offset at which each line starts, the first included.
    pub line_starts: Arc<[u32]>,
}

/// What a pass works with beside the module.
#[derive(Debug, Default)]
pub struct PassContext {
    /// What the module is compiled for; none in pipelines that stop before a target is chosen.
    pub target: Option<Target>,
    /// Where bindings are found; without one, slots are given automatically.
    pub manifest: Option<Arc<Manifest>>,
    /// The source files by the number of their id, for `#line`; may be empty.
    pub sources: Vec<SourceFile>,
    /// Whether text targets print `#line` directives.
    pub line_directives: bool,
    /// What is to be told to the author of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// What emitters made.
    pub artifacts: Vec<Artifact>,
    /// Named counts for `--time-passes`, in order of first use.
    pub counters: Vec<(&'static str, u64)>,
}

impl PassContext {
    /// Adds to a named count.
    pub fn count(&mut self, name: &'static str, amount: u64) {
        match self.counters.iter_mut().find(|(counter, _)| *counter == name) {
            Some((_, total)) => *total += amount,
            None => self.counters.push((name, amount)),
        }
    }
}

/// A pass. It holds no state between runs.
pub trait Pass {
    /// Its name in pipelines.
    const NAME: &'static str;
    /// One line about it, for `--list-passes`.
    const SUMMARY: &'static str;
    /// The earliest stage it runs at.
    const NEEDS: IrStage = IrStage::Source;
    /// The latest stage it runs at.
    const UNTIL: IrStage = IrStage::Named;
    /// The stage it leaves, if it moves the module on.
    const GIVES: Option<IrStage> = None;

    /// Runs it.
    ///
    /// # Errors
    /// [`Failed`], with the reason in the context's diagnostics.
    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed>;
}
