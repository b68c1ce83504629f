//! Which packages cannot have the files that they are to have.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use super::Ready;
use crate::cli::compile::report::{ArtifactReport, Report};
use crate::cli::file;
use crate::file_name::folded;

/// The packages of a build by name, and what the last report for the same target says of them.
#[derive(Clone, Debug)]
pub(in crate::cli::compile) struct Names<'n> {
    /// Those that it builds, in order.
    pub(in crate::cli::compile) here: Vec<&'n str>,
    /// Those that other builds build, for the same folder.
    pub(in crate::cli::compile) elsewhere: Vec<&'n str>,
    /// The target, as reports call it.
    pub(in crate::cli::compile) target: &'n str,
}

/// Whose a file is.
#[derive(Clone, Copy, Debug)]
enum Owner<'o> {
    /// That of a package that does not change it: it failed, or is built elsewhere.
    Kept(&'o str, &'o ArtifactReport),
    /// That of a package that is to be published, by its place, with its name as it is written there.
    New(usize, &'o str),
}

/// Refuses packages until all that are left can have their files, whatever the system: a name that differs by case alone is the same file
/// on some.
pub(super) fn refuse(packages: &mut [Result<Vec<Ready>, String>], names: &Names<'_>, last: &Report, out: &Path) {
    let last = Some(last).filter(|last| last.target() == names.target);
    while let Some((index, why)) = first(packages, names, last, out) {
        packages[index] = Err(why);
    }
}

/// A package that cannot have a file, and why.
fn first(
    packages: &[Result<Vec<Ready>, String>],
    names: &Names<'_>,
    last: Option<&Report>,
    out: &Path,
) -> Option<(usize, String)> {
    let failed = names.here.iter().zip(packages).filter(|(_, package)| package.is_err()).map(|(name, _)| *name);
    let kept = failed.chain(names.elsewhere.iter().copied());
    let kept = kept.flat_map(|name| {
        artifacts(last, name).iter().map(move |artifact| (folded(&artifact.file), Owner::Kept(name, artifact)))
    });
    let mut owners: HashMap<String, Owner<'_>> = kept.collect();
    // What a package has already it has before others.
    for had in [true, false] {
        for (index, package) in packages.iter().enumerate() {
            let name = names.here.get(index).copied().unwrap_or_default();
            for ready in package.iter().flatten() {
                let file = ready.member.name.as_str();
                if artifacts(last, name).iter().any(|artifact| artifact.file == file) != had {
                    continue;
                }
                let path = out.join(file);
                let why = match owners.get(&folded(file)) {
                    Some(Owner::New(other, named)) if (*other, *named) != (index, file) => {
                        Some(both(name, file, names.here.get(*other).copied().unwrap_or_default(), named))
                    }
                    Some(Owner::Kept(other, artifact)) if is_there(artifact, out) => Some(format!(
                        "{} is of the last good build of the package `{other}`, which is not replaced",
                        artifact.file
                    )),
                    _ => no_file(&path),
                };
                if let Some(why) = why {
                    return Some((index, format!("cannot write {}: {why}", path.display())));
                }
                owners.insert(folded(file), Owner::New(index, file));
            }
        }
    }
    None
}

/// What the last report says of a package.
fn artifacts<'r>(last: Option<&'r Report>, name: &str) -> &'r [ArtifactReport] {
    last.and_then(|last| last.package(name)).map_or(&[][..], |row| &row.artifacts)
}

fn both(name: &str, file: &str, other: &str, named: &str) -> String {
    let whose = if name == other {
        format!("the package `{name}` makes")
    } else {
        format!("the packages `{other}` and `{name}` both make")
    };
    let what = if file == named {
        "a file of this name".to_owned()
    } else {
        format!("it, as {named} is the same file on some systems")
    };
    format!("{whose} {what}; give a package or an entry another name")
}

/// Whether a file is as the report says, as far as can be known.
pub(in crate::cli::compile) fn is_there(artifact: &ArtifactReport, out: &Path) -> bool {
    // One that cannot be read just now is not known to be another.
    let is = |hash| file::has_content(&out.join(&artifact.file), artifact.size, &hash).unwrap_or(true);
    blake3::Hash::from_hex(&artifact.hash).is_ok_and(is)
}

/// Why no file can have a path.
pub(super) fn no_file(path: &Path) -> Option<String> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => Some("it is a folder".to_owned()),
        // Too long, say.
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => Some(error.to_string()),
        _ => None,
    }
}
