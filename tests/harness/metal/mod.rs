//! Metal source without Apple's compiler: [`check`] type-checks it, [`Program`] runs it on the CPU.
//!
//! Two parts decide what is well formed. The scanner (`lexer`, `syntax`, `rules`) reads entries, attributes and declarations, which clang's C++
//! knows nothing of. clang then checks every expression against our own Metal headers in `tests/metal/include`. Their check mode is clang's C++
//! for OpenCL, the only dialect of it with real address spaces and copies across them. The aim is that source which Apple's compiler rejects is
//! rejected here; where the Metal specification was unclear the stricter reading holds.

mod clang;
mod lexer;
mod program;
mod rewrite;
mod rules;
mod shown;
mod syntax;

pub use program::{Program, run_job};
pub use shown::of_metal;

/// Type-checks Metal source.
///
/// # Errors
/// All that is wrong, a line each, led by the place in `source`.
pub fn check(source: &str) -> Result<(), String> {
    let unit = syntax::parse(source)?;
    let mut faults = rules::check(&unit);
    faults.extend(clang::check(&rewrite::for_check(&unit))?);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The part of [`check`] that needs no compiler: declarations, entries and attributes.
///
/// # Errors
/// As in [`check`].
pub fn scan(source: &str) -> Result<(), String> {
    let unit = syntax::parse(source)?;
    let faults = rules::check(&unit);
    // The rewritings must hold for whatever was read.
    let _ = (rewrite::for_check(&unit), rewrite::for_run(&unit));
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
