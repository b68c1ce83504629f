//! `shaders.akari.json`: what an output folder holds.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::{Job, Plan};
use super::product::About;
use super::publish::is_plain;
use crate::cli::cache::Member;
use crate::cli::file;
use crate::cli::flags::Config;
use crate::cli::json_text::JsonText;

/// The name of the report in the output folder.
pub(super) const REPORT: &str = "shaders.akari.json";

/// Of what form it is.
const VERSION: u32 = 1;

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
    bindings: JsonText,
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
    /// The report that stands in an output folder; an empty one where there is none, a damaged one, or one of another version. Files elsewhere
    /// that it claims are not in it.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub(super) fn read(out: &Path) -> io::Result<Self> {
        let bytes = match file::read_regular(&out.join(REPORT)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let read = bytes
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|report: &Self| report.version == VERSION);
        let mut report = read.unwrap_or_default();
        report.packages.iter_mut().for_each(|package| package.artifacts.retain(|artifact| is_plain(&artifact.file)));
        Ok(report)
    }

    /// The report of a plan whose packages came to this. Of packages that other shards build, what the last report says is kept.
    pub(super) fn new(plan: &Plan, mut packages: Vec<PackageReport>, last: &Self) -> Self {
        let mut unknown = 0;
        for (place, name) in &plan.elsewhere {
            match last.of_target(plan).and_then(|last| last.package(name)) {
                Some(package) => packages.insert(place - unknown, package.clone()),
                None => unknown += 1,
            }
        }

        let config = plan.config.map(|config| match config {
            Config::Debug => "debug".to_owned(),
            Config::Release => "release".to_owned(),
        });
        Self { version: VERSION, target: plan.target().to_owned(), config, packages }
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Vec<u8> {
        // What a report is made of always serializes.
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// The files that it owns, as name, size and hash. One with several entries stands here several times.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, u64, &str)> {
        let artifacts = self.packages.iter().flat_map(|package| &package.artifacts);
        artifacts.map(|artifact| (artifact.file.as_str(), artifact.size, artifact.hash.as_str()))
    }

    /// What was built for, as specifications call it.
    pub(super) fn target(&self) -> &str {
        &self.target
    }

    /// This report, if it is of a build for the plan's target.
    pub(super) fn of_target(&self, plan: &Plan) -> Option<&Self> {
        (self.target == plan.target()).then_some(self)
    }

    /// What it says of a package.
    pub(super) fn package(&self, name: &str) -> Option<&PackageReport> {
        self.packages.iter().find(|package| package.name == name)
    }
}

impl PackageReport {
    /// A package that was built, or taken from the cache, with what was published of it.
    pub(super) fn done(job: &Job, about: &About, files: &[Member], status: Status) -> Self {
        let artifacts = about.artifacts.iter().filter_map(|artifact| {
            let file = files.iter().find(|file| file.name == artifact.file)?;
            Some(ArtifactReport {
                file: artifact.file.clone(),
                stage: artifact.stage.clone(),
                entry: artifact.entry.clone(),
                size: file.size,
                hash: file.hash.to_hex().to_string(),
            })
        });
        Self {
            name: job.name.clone(),
            shader: about.shader.clone(),
            layout: about.layout.clone(),
            status,
            artifacts: artifacts.collect(),
            shipping: shipping(job),
            bindings: about.bindings.clone(),
        }
    }

    /// A package that failed: what is known of its last good build, with those of its files that are still there.
    pub(super) fn failed(job: &Job, last: Option<&Self>, is_there: impl Fn(&ArtifactReport) -> bool) -> Self {
        let mut kept = last.cloned().unwrap_or_else(|| Self::done(job, &About::default(), &[], Status::Failed));
        kept.artifacts.retain(is_there);
        Self { status: Status::Failed, shipping: shipping(job), ..kept }
    }
}

fn shipping(job: &Job) -> Option<ShippingReport> {
    job.shipping.as_ref().map(|shipping| ShippingReport { root: shipping.root, requires: shipping.requires.clone() })
}
