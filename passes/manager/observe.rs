//! What may be watched while a pipeline runs: the IR around passes, times and counters, soundness after each pass.

use std::time::Duration;

use super::pipeline::{PipelineError, unknown_pass};
use super::registry;

/// Before or after a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Before it runs.
    Before,
    /// After it has run.
    After,
}

/// A pass to print around: a name or all, and which of several runs of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The pass; any where absent.
    pub pass: Option<&'static str>,
    /// Which run of it, from 1; every one where absent.
    pub occurrence: Option<u32>,
}

impl Request {
    /// Reads `all`, `name` or `name#2`.
    ///
    /// # Errors
    /// For a name that no pass has.
    pub fn parse(text: &str) -> Result<Self, PipelineError> {
        let (name, occurrence) = match text.split_once('#') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| unknown_pass(text))?)),
            None => (text, None),
        };
        if name == "all" {
            return Ok(Self { pass: None, occurrence });
        }
        let pass = registry::find(name).ok_or_else(|| unknown_pass(name))?;
        Ok(Self { pass: Some(pass.name), occurrence })
    }

    fn matches(&self, pass: &str, occurrence: u32) -> bool {
        self.pass.is_none_or(|wanted| wanted == pass) && self.occurrence.is_none_or(|wanted| wanted == occurrence)
    }
}

/// The IR around one run of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// The pass.
    pub pass: &'static str,
    /// Which run of it, from 1.
    pub occurrence: u32,
    /// Before or after.
    pub when: When,
    /// The module's text.
    pub text: String,
}

/// What is wanted, and what was seen.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    /// Print before these.
    pub print_before: Vec<Request>,
    /// Print after these.
    pub print_after: Vec<Request>,
    /// Print after each pass that changed something.
    pub print_changed: bool,
    /// Verify after each pass.
    pub verify_each: bool,
    /// Measure.
    pub time: bool,
    /// What was printed, in order.
    pub dumps: Vec<Dump>,
    /// How long each pass took, in order of runs.
    pub times: Vec<(&'static str, Duration)>,
    /// How often each pass ran, at most, in one pipeline.
    pub runs: Vec<(&'static str, u32)>,
}

impl Observer {
    /// What was asked for of a pass that did not run, or not so often; with how often it ran, at most, in one pipeline.
    pub fn unmet(&self) -> impl Iterator<Item = (&Request, u32)> {
        self.print_before.iter().chain(&self.print_after).filter_map(|request| {
            let of = |(pass, _): &&(&'static str, u32)| request.pass.is_none_or(|wanted| wanted == *pass);
            let ran = self.runs.iter().filter(of).map(|(_, runs)| *runs).max().unwrap_or(0);
            let met = request.occurrence.map_or(ran > 0, |wanted| (1..=ran).contains(&wanted));
            (!met).then_some((request, ran))
        })
    }

    pub(super) fn count(&mut self, pass: &'static str, occurrence: u32) {
        match self.runs.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, runs)) => *runs = occurrence.max(*runs),
            None => self.runs.push((pass, occurrence)),
        }
    }

    pub(super) fn wants(&self, when: When, pass: &str, occurrence: u32) -> bool {
        let requests = match when {
            When::Before => &self.print_before,
            When::After => &self.print_after,
        };
        requests.iter().any(|request| request.matches(pass, occurrence))
    }
}
