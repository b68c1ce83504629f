//! Pipelines as text: `const-fold,strip,@spirv`.

use std::fmt;

use akari_ir::nearest;

use super::registry::{self, PASSES, PassEntry};
use super::stage::IrStage;
use crate::pipelines::NAMED;

/// A checked list of passes.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The passes, in order.
    pub passes: Vec<&'static PassEntry>,
}

/// Why a text is no pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipelineError {
    /// No pass is called this; with the nearest name.
    UnknownPass(String, Option<&'static str>),
    /// Between two commas of this list stands no name.
    EmptyName(String),
    /// No pipeline is called this.
    UnknownPipeline(String),
    /// A pass runs at a stage that the module is not at.
    Order {
        /// The pass.
        pass: &'static str,
        /// The stage the module is at.
        at: IrStage,
        /// The earliest stage the pass runs at.
        needs: IrStage,
        /// The latest stage the pass runs at.
        until: IrStage,
    },
}

impl fmt::Display for PipelineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPass(name, None) => write!(f, "no pass is called `{name}`; `--list-passes` shows them"),
            Self::UnknownPass(name, Some(near)) => write!(f, "no pass is called `{name}`; did you mean `{near}`?"),
            Self::EmptyName(list) => write!(f, "a name is missing in the list of passes `{list}`"),
            Self::UnknownPipeline(name) => {
                let names: Vec<_> = NAMED.iter().map(|(name, _)| format!("`@{name}`")).collect();
                write!(f, "no pipeline is called `@{name}`; there are {}", names.join(", "))
            }
            Self::Order { pass, at, needs, until } => {
                let (at, needs, until) = (at.name(), needs.name(), until.name());
                write!(f, "`{pass}` runs on a module that is {needs} to {until}, and here it is {at}")
            }
        }
    }
}

impl std::error::Error for PipelineError {}

impl Pipeline {
    /// Reads a pipeline that starts on a module at `start`.
    ///
    /// # Errors
    /// For an unknown name, and for passes out of order.
    pub fn parse(text: &str, start: IrStage) -> Result<Self, PipelineError> {
        let mut pipeline = Self::default();
        pipeline.append(text)?;
        pipeline.check(start)?;
        Ok(pipeline)
    }

    /// The stage that the first pass of `text` needs.
    ///
    /// # Errors
    /// For an unknown name.
    pub fn first_stage(text: &str) -> Result<Option<IrStage>, PipelineError> {
        let mut pipeline = Self::default();
        pipeline.append(text)?;
        Ok(pipeline.passes.first().map(|pass| pass.needs))
    }

    /// Appends the passes of `text`. Named pipelines hold names of passes and of pipelines that stand before them in
    /// [`NAMED`], so that this ends.
    fn append(&mut self, text: &str) -> Result<(), PipelineError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        for name in text.split(',').map(str::trim) {
            if name.is_empty() {
                return Err(PipelineError::EmptyName(text.to_owned()));
            }
            match name.strip_prefix('@') {
                Some(name) => {
                    let text = NAMED
                        .iter()
                        .find(|(candidate, _)| *candidate == name)
                        .map(|(_, text)| *text)
                        .ok_or_else(|| PipelineError::UnknownPipeline(name.to_owned()))?;
                    self.append(text)?;
                }
                None => self.passes.push(registry::find(name).ok_or_else(|| unknown_pass(name))?),
            }
        }
        Ok(())
    }

    fn check(&self, start: IrStage) -> Result<(), PipelineError> {
        let mut at = start;
        for pass in &self.passes {
            if at < pass.needs || at > pass.until {
                return Err(PipelineError::Order { pass: pass.name, at, needs: pass.needs, until: pass.until });
            }
            at = at.max(pass.gives.unwrap_or(at));
        }
        Ok(())
    }
}

/// The error for a name that no pass has.
#[must_use]
pub fn unknown_pass(name: &str) -> PipelineError {
    PipelineError::UnknownPass(name.to_owned(), nearest(name, PASSES.iter().map(|pass| pass.name)))
}
