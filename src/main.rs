//! The program `akari`.

use std::process::ExitCode;

/// A compile makes many small allocations and ends; this allocator is made for such.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    akari::cli::run(std::env::args_os())
}
