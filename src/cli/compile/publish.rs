//! Puts what was built where the host reads it.

use std::path::Path;

use super::product::Product;
use super::report::{REPORT, Report};
use crate::cli::{Failure, publish};

/// Publishes the files of a package.
pub(super) fn package(out: &Path, product: &Product) -> Result<(), Failure> {
    product.files.iter().try_for_each(|file| publish::write(&out.join(&file.name), &file.bytes))
}

/// Publishes the report, after everything else.
pub(super) fn report(out: &Path, report: &Report) -> Result<(), Failure> {
    publish::write(&out.join(REPORT), &report.bytes())
}
