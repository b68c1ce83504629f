//! The flags about passes: what they ask of the observer, and what is printed of what it saw.

use std::fmt::Write;
use std::time::Duration;

use akari_passes::pipelines::NAMED;
use akari_passes::{Dump, Observer, PASSES, Request, When};

use super::flags::PassFlags;
use super::{Failure, complain, to_stderr, to_stdout};

/// The observer that the flags ask for.
pub(super) fn observer(flags: &PassFlags) -> Result<Observer, Failure> {
    let requests = |names: &[String]| -> Result<Vec<Request>, Failure> {
        let requests = names.iter().flat_map(|names| names.split(',')).map(Request::parse);
        requests.collect::<Result<_, _>>().map_err(|error| {
            complain(error);
            Failure::Usage
        })
    };
    Ok(Observer {
        print_before: requests(&flags.print_before)?,
        print_after: requests(&flags.print_after)?,
        print_changed: flags.print_changed,
        verify_each: flags.verify_each || cfg!(debug_assertions),
        time: flags.time_passes,
        ..Observer::default()
    })
}

/// Prints the passes and the pipelines.
pub(super) fn list_passes() -> Result<(), Failure> {
    let width = PASSES.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut text = String::from("passes:\n");
    for pass in PASSES {
        let _ = writeln!(text, "  {:width$}  {}", pass.name, pass.summary);
    }
    text.push_str("pipelines:\n");
    for (name, passes) in NAMED {
        let _ = writeln!(text, "  @{name} = {passes}");
    }
    to_stdout(text.as_bytes())
}

/// What is to be printed of a run.
#[derive(Debug, Default)]
pub(super) struct Shown(String);

impl Shown {
    /// Takes what the observer saw.
    pub(super) fn take(observer: &mut Observer, counters: &[(&'static str, u64)]) -> Self {
        let mut text = String::new();
        for Dump { pass, occurrence, when, text: ir } in observer.dumps.drain(..) {
            let when = match when {
                When::Before => "before",
                When::After => "after",
            };
            let _ = writeln!(text, "; IR {when} {pass}#{occurrence}\n{ir}");
        }
        for (request, ran) in observer.unmet() {
            let pass = request.pass.map_or("any pass".to_owned(), |pass| format!("`{pass}`"));
            let times = if ran == 1 { "once".to_owned() } else { format!("{ran} times") };
            let _ = match request.occurrence {
                Some(wanted) => writeln!(text, "; no IR of run {wanted} of {pass}: it ran {times}"),
                None => writeln!(text, "; no IR of {pass}: it did not run"),
            };
        }
        observer.runs.clear();
        if observer.time {
            text.push_str(&times(&observer.times, counters));
            observer.times.clear();
        }
        Self(text)
    }

    /// Prints it to standard error.
    pub(super) fn print(&self) {
        to_stderr(&self.0);
    }

    /// What would be printed.
    pub(super) fn text(&self) -> String {
        self.0.clone()
    }
}

fn times(times: &[(&'static str, Duration)], counters: &[(&'static str, u64)]) -> String {
    let mut totals: Vec<(&str, Duration, u32)> = Vec::new();
    for (pass, time) in times {
        match totals.iter_mut().find(|(name, ..)| name == pass) {
            Some((_, total, runs)) => {
                *total += *time;
                *runs += 1;
            }
            None => totals.push((pass, *time, 1)),
        }
    }
    let whole: Duration = totals.iter().map(|(_, time, _)| *time).sum();
    let mut text = format!("time in passes: {:.3} ms\n", whole.as_secs_f64() * 1e3);
    for (pass, time, runs) in totals {
        let _ = writeln!(text, "  {:10.3} ms  {runs:4} x  {pass}", time.as_secs_f64() * 1e3);
    }
    for (name, amount) in counters {
        let _ = writeln!(text, "  {amount:10} {name}");
    }
    text
}
