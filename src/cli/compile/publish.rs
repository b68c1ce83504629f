//! Puts what was built where the host reads it.

use std::path::Path;

use akari_ir::Diagnostic;

use super::product::Product;
use super::report::{REPORT, Report};
use crate::cli::publish;

/// Publishes the files of a package.
///
/// # Errors
/// What stands in the way of a file.
pub(super) fn package(out: &Path, product: &Product) -> Result<(), Diagnostic> {
    product.files.iter().try_for_each(|file| publish::write(&out.join(&file.name), &file.bytes))
}

/// Publishes the report, after everything else.
///
/// # Errors
/// What stands in the way.
pub(super) fn report(out: &Path, report: &Report) -> Result<(), Diagnostic> {
    publish::write(&out.join(REPORT), &report.bytes())
}
