//! What a package becomes: all that is cached, published and reported of it.

use serde::{Deserialize, Serialize};

use crate::cli::json_text::JsonText;

/// A package as built.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Product {
    /// What the report says of it.
    pub(super) about: About,
    /// Its files.
    pub(super) files: Vec<File>,
}

/// What is known of a package beside its files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct About {
    /// The name in `#shader` or `#module`.
    pub(super) shader: String,
    /// The name in `#layout`.
    pub(super) layout: Option<String>,
    /// The entries with the file that holds each; a file without entries stands here too.
    pub(super) artifacts: Vec<Artifact>,
    /// What its entries bind.
    pub(super) bindings: JsonText,
    /// The warnings, as they are printed.
    pub(super) said: String,
}

/// An entry and the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Artifact {
    /// The name of the file.
    pub(super) file: String,
    /// `vertex`, `fragment` or `compute`; absent for a file without entries.
    pub(super) stage: Option<String>,
    /// The name of the entry in the file.
    pub(super) entry: Option<String>,
}

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// Its name in the output folder.
    pub(super) name: String,
    /// Its contents.
    pub(super) bytes: Vec<u8>,
}

impl Product {
    /// Adds a file with the entries that it holds, as stage and name.
    pub(super) fn add(&mut self, name: String, entries: &[(&str, &str)], bytes: Vec<u8>) {
        let artifact = |entry: Option<&(&str, &str)>| Artifact {
            file: name.clone(),
            stage: entry.map(|(stage, _)| (*stage).to_owned()),
            entry: entry.map(|(_, entry)| (*entry).to_owned()),
        };
        if entries.is_empty() {
            self.about.artifacts.push(artifact(None));
        }
        self.about.artifacts.extend(entries.iter().map(|entry| artifact(Some(entry))));
        self.files.push(File { name, bytes });
    }
}
