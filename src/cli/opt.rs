//! `akari opt`.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use akari_dialect_gpu_abi::Target;

use super::flags::Opt;
use super::{Failure, complain, pass_flags, to_stdout};
use crate::opt::{OptError, opt};

pub(super) fn run(flags: &Opt) -> Result<(), Failure> {
    if flags.pass_flags.list_passes {
        return pass_flags::list_passes();
    }
    let Some(file) = &flags.file else { return Err(Failure::Usage) };
    let target = match &flags.target {
        Some(name) => Some(target(name)?),
        None => None,
    };
    let text = read(file)?;
    let mut observer = pass_flags::observer(&flags.pass_flags)?;
    let outcome = opt(&text, &flags.passes, target, &mut observer);
    pass_flags::Shown::take(&mut observer, &[]).print();
    match outcome {
        Ok(output) => to_stdout(output.as_bytes()),
        Err(error) => Err(explain(file, &text, error)),
    }
}

fn target(name: &str) -> Result<Target, Failure> {
    let found = Target::ALL.iter().find(|(_, candidate)| *candidate == name).map(|(target, _)| *target);
    found.ok_or_else(|| {
        let names: Vec<_> = Target::ALL.iter().map(|(_, name)| *name).collect();
        complain(format!("no target is called `{name}`; there are {}", names.join(", ")));
        Failure::Usage
    })
}

fn read(file: &Path) -> Result<String, Failure> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        fs::read_to_string(file)
    };
    text.map_err(|error| {
        complain(format!("cannot read {}: {error}", file.display()));
        Failure::Input
    })
}

fn explain(file: &Path, text: &str, error: OptError) -> Failure {
    let place = |offset: usize| {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", file.display())
    };
    match error {
        OptError::Parse(error) => complain(format!("{}: {}", place(error.offset), error.message)),
        OptError::Unsound(faults) => {
            for fault in faults {
                match fault.offset {
                    Some(offset) => complain(format!("{}: {}", place(offset), fault.message)),
                    None => complain(format!("{}: {}", file.display(), fault.message)),
                }
            }
        }
        OptError::Pipeline(error) => {
            complain(error);
            return Failure::Usage;
        }
        OptError::Run(error) => complain(error),
    }
    Failure::Input
}
