//! The files that a build depends on: for those who start it anew when one changes, and for Make and Ninja.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::load::Reads;

/// What a build looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inputs {
    /// The specification, and what it names for all packages: files and folders, whether they are there or not.
    pub(super) shared: Vec<PathBuf>,
    /// The packages.
    pub(super) packages: Vec<PackageInputs>,
}

/// What a package was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageInputs {
    /// Its name.
    pub(super) name: String,
    /// The files that were made of it; none where it failed.
    pub(super) outputs: Vec<PathBuf>,
    /// The sources, the root first.
    pub(super) files: Vec<PathBuf>,
    /// Where a file was looked for in vain.
    pub(super) absent: Vec<PathBuf>,
}

impl PackageInputs {
    /// Those of a package that was built.
    pub(super) fn new(name: &str, reads: Reads) -> Self {
        let files = reads.files.into_iter().map(|(path, _)| path).collect();
        Self { name: name.to_owned(), outputs: Vec::new(), files, absent: reads.absent }
    }
}

impl Inputs {
    /// Everything that it depends on, there or not.
    pub(super) fn all(&self) -> BTreeSet<&Path> {
        let of_packages = self.packages.iter().flat_map(|package| package.files.iter().chain(&package.absent));
        self.shared.iter().chain(of_packages).map(PathBuf::as_path).collect()
    }

    /// The file that was read and that a path leads to as well: what is written there would be written over it.
    pub(super) fn overwritten(&self, path: &Path) -> Option<&Path> {
        let name = path.file_name()?;
        let real = path.canonicalize().ok()?;
        let files =
            self.shared.iter().chain(self.packages.iter().flat_map(|package| &package.files)).map(PathBuf::as_path);
        let mut namesakes = files.filter(|file| file.file_name() == Some(name));
        namesakes.find(|file| file.canonicalize().is_ok_and(|file| file == real))
    }

    /// Every file that was read, each once, the specification first.
    fn files(&self) -> Vec<&Path> {
        let shared = self.shared.iter().filter(|path| path.is_file());
        distinct(shared.chain(self.packages.iter().flat_map(|package| &package.files)))
    }

    /// The rule for the whole build: `target` is out of date when any file changes.
    ///
    /// # Errors
    /// A name that no rule can hold.
    pub(super) fn rule(&self, target: &Path) -> Result<String, String> {
        rule(&[target], &self.files())
    }

    /// The rule for each package whose files were made.
    ///
    /// # Errors
    /// A name that no rule can hold.
    pub(super) fn rules(&self) -> Result<Vec<(&str, String)>, String> {
        let good = self.packages.iter().filter(|package| !package.outputs.is_empty());
        let of = |package: &'_ PackageInputs| {
            let outputs = distinct(&package.outputs);
            rule(&outputs, &distinct(self.shared.iter().filter(|path| path.is_file()).chain(&package.files)))
        };
        good.map(|package| Ok((package.name.as_str(), of(package)?))).collect()
    }
}

fn distinct<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<&'p Path> {
    let mut seen = BTreeSet::new();
    paths.into_iter().map(PathBuf::as_path).filter(|path| seen.insert(*path)).collect()
}

/// A rule as Make and Ninja read it. Each file is the target of an empty rule too, so that one that is deleted is no error to Make.
fn rule(targets: &[&Path], files: &[&Path]) -> Result<String, String> {
    let names = |paths: &[&Path]| paths.iter().map(|path| escaped(path)).collect::<Result<Vec<_>, _>>();
    let (targets, files) = (names(targets)?, names(files)?);
    let mut text = format!("{}:", targets.join(" "));
    for file in &files {
        text.push_str(" \\\n  ");
        text.push_str(file);
    }
    text.push('\n');
    for file in files {
        text.push_str(&format!("\n{file}:\n"));
    }
    Ok(text)
}

/// A path as a rule holds it.
fn escaped(path: &Path) -> Result<String, String> {
    // What ends a name, or a rule, and cannot be told that it does not.
    let text = path.to_str().filter(|text| !text.contains(['\n', '\r', '\t', ';', '|']));
    let text = text.ok_or_else(|| {
        let path = path.display().to_string();
        format!("`{}` cannot stand in a dependency file: Make and Ninja have no way to write it", path.escape_debug())
    })?;
    let mut out = String::with_capacity(text.len());
    let mut backslashes = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            // Not that of a drive.
            ':' if !(cfg!(windows) && at == 1) => out.push('\\'),
            // Backslashes before a blank are doubled, and nowhere else.
            ' ' => out.push_str(&"\\".repeat(backslashes + 1)),
            '#' => out.push('\\'),
            '$' => out.push('$'),
            _ => {}
        }
        backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
        out.push(letter);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let escaped = |text: &str| escaped(Path::new(text));
        assert_eq!(escaped("a b#c$d"), Ok("a\\ b\\#c$$d".to_owned()));
        assert_eq!(escaped("dir\\x y"), Ok("dir\\x\\ y".to_owned()));
        assert_eq!(escaped("a\\ b"), Ok("a\\\\\\ b".to_owned()));
        assert_eq!(escaped("a:b/c:"), Ok("a\\:b/c\\:".to_owned()));
        for name in ["a\nb", "a\tb", "a;b", "a|b"] {
            assert!(escaped(name).is_err_and(|why| why.contains(&name.escape_debug().to_string())), "{name}");
        }
    }

    #[test]
    fn a_rule_names_each_file_once() {
        let package = |name: &str, files: &[&str]| PackageInputs {
            name: name.to_owned(),
            outputs: vec![PathBuf::from(format!("{name}.spv"))],
            files: files.iter().map(PathBuf::from).collect(),
            absent: vec![PathBuf::from("nowhere")],
        };
        let packages = vec![package("p", &["p.akari", "m.akari"]), package("q", &["q.akari", "m.akari"])];
        let inputs = Inputs { shared: Vec::new(), packages };
        assert_eq!(
            inputs.rule(Path::new("r.json")).expect("a rule"),
            "r.json: \\\n  p.akari \\\n  m.akari \\\n  q.akari\n\np.akari:\n\nm.akari:\n\nq.akari:\n"
        );
        let rules = inputs.rules().expect("rules");
        assert_eq!(rules[1], ("q", "q.spv: \\\n  q.akari \\\n  m.akari\n\nq.akari:\n\nm.akari:\n".to_owned()));
        assert!(inputs.all().contains(Path::new("nowhere")));
    }
}
