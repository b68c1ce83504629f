//! The program `akari`.

use std::process::ExitCode;

fn main() -> ExitCode {
    akari::cli::run(std::env::args_os())
}
