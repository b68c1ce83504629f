//! `shaders.akari.json`: what an output folder holds.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::{Job, Plan};
use super::product::Product;
use crate::cli::flags::Config;

/// The name of the report in the output folder.
pub(super) const REPORT: &str = "shaders.akari.json";

/// The report of a build.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Report {
    version: u32,
    target: String,
    config: Option<String>,
    /// The packages, in the order of the specification.
    pub(super) packages: Vec<PackageReport>,
}

/// What is reported of a package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PackageReport {
    /// Its name.
    pub(super) name: String,
    shader: String,
    layout: Option<String>,
    /// How it went.
    pub(super) status: Status,
    /// Its entries and the files that hold them.
    pub(super) artifacts: Vec<ArtifactReport>,
    shipping: Option<ShippingReport>,
    bindings: Vec<serde_json::Value>,
}

/// How a package went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// Built anew.
    Compiled,
    /// Taken from the cache.
    Cached,
    /// It has errors; the artifacts are those of its last good build.
    Failed,
}

/// An entry and the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArtifactReport {
    /// The file in the output folder.
    pub(super) file: String,
    stage: Option<String>,
    entry: Option<String>,
    /// The length of the file.
    pub(super) size: u64,
    /// The BLAKE3 of the file, in hex.
    pub(super) hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ShippingReport {
    root: bool,
    requires: Vec<String>,
}

impl Report {
    /// The report that stands in an output folder; an empty one where there is none that can be read.
    pub(super) fn read(out: &Path) -> Self {
        let bytes = fs::read(out.join(REPORT)).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// The report of a plan whose packages came to this.
    pub(super) fn new(plan: &Plan, packages: Vec<PackageReport>) -> Self {
        let config = plan.config.map(|config| match config {
            Config::Debug => "debug".to_owned(),
            Config::Release => "release".to_owned(),
        });
        Self { version: 1, target: plan.target().to_owned(), config, packages }
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        // What a report is made of always serializes.
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// What it says of a package.
    pub(super) fn package(&self, name: &str) -> Option<&PackageReport> {
        self.packages.iter().find(|package| package.name == name)
    }
}

impl PackageReport {
    /// A package that was built, or taken from the cache.
    pub(super) fn done(job: &Job, product: &Product, status: Status) -> Self {
        let artifacts = product.about.artifacts.iter().map(|artifact| {
            let bytes = product.files.iter().find(|file| file.name == artifact.file).map_or(&[][..], |file| &file.bytes);
            ArtifactReport {
                file: artifact.file.clone(),
                stage: artifact.stage.clone(),
                entry: artifact.entry.clone(),
                size: bytes.len() as u64,
                hash: blake3::hash(bytes).to_hex().to_string(),
            }
        });
        Self {
            name: job.name.clone(),
            shader: product.about.shader.clone(),
            layout: product.about.layout.clone(),
            status,
            artifacts: artifacts.collect(),
            shipping: shipping(job),
            bindings: product.about.bindings.clone(),
        }
    }

    /// A package that failed: what is known of its last good build, whose files are still there.
    pub(super) fn failed(job: &Job, last: &Report) -> Self {
        let last = last.package(&job.name).cloned();
        let kept = last.unwrap_or_else(|| Self::done(job, &Product::default(), Status::Failed));
        Self { status: Status::Failed, shipping: shipping(job), ..kept }
    }
}

fn shipping(job: &Job) -> Option<ShippingReport> {
    job.shipping.as_ref().map(|shipping| ShippingReport { root: shipping.root, requires: shipping.requires.clone() })
}
