//! The program: reads flags and files, calls the library, writes files and messages, decides the exit status.

mod cache;
pub(crate) mod codes;
mod compile;
mod file;
mod flags;
mod fmt;
mod json_text;
mod load;
mod opt;
mod output_file;
mod pass_flags;
mod transpile;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use akari_ir::{Diagnostic, Severity};
use clap::Parser;

use crate::render;
use crate::source::SourceMap;
use flags::{Cli, Command};

/// Why a command ended without success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Errors in the input, or files that cannot be read or written: exit status 1.
    Input,
    /// Wrong usage: exit status 2.
    Usage,
}

/// Runs the program with these arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A broken pipe is nothing to complain of.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let outcome = match cli.command {
        Command::Transpile(flags) => transpile::run(&flags),
        Command::Compile(flags) => compile::run(&flags),
        Command::Fmt(flags) => fmt::run(&flags),
        Command::Cache(flags) => cache::run(&flags),
        Command::Opt(flags) => opt::run(&flags),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input) => ExitCode::from(1),
        Err(Failure::Usage) => ExitCode::from(2),
    }
}

/// Prints diagnostics to standard error: the JSON lines, then the human form. Gives whether there was an error.
fn report(sources: &SourceMap, diagnostics: &mut Vec<Diagnostic>) -> bool {
    render::sort(diagnostics);
    to_stderr(&render::report(sources, diagnostics));
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to standard output. A reader that is gone is nothing to complain of.
///
/// # Errors
/// If it does not take the bytes, being a file on a full disk, say. That is told.
fn to_stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(refused(Diagnostic::error(codes::UNWRITABLE, None, format!("cannot write standard output: {error}"))))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reports why nothing can be done.
fn refused(diagnostic: Diagnostic) -> Failure {
    report(&SourceMap::new(), &mut vec![diagnostic]);
    Failure::Input
}

/// Prints an error that has no place in a source.
fn complain(message: impl Display) {
    to_stderr(&complaint(message));
}

/// An error that has no place in a source, as it is printed.
fn complaint(message: impl Display) -> String {
    let message = message.to_string();
    let text = serde_json::Value::from(message.as_str());
    format!(
        "@akari diag {{\"sev\":\"error\",\"msg\":{text},\"file\":null,\"line\":null,\"col\":null,\"notes\":[]}}\nerror: {message}\n"
    )
}
