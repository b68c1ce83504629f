//! The program as one that signals end, whatever this process ignores: under `nohup`, and in the background of a shell, some are ignored, and
//! programs inherit that.

use std::process::Command;

/// The program; its arguments are to be added.
pub(crate) fn akari() -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_akari")]);
    command
}
