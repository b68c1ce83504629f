//! A build of many packages: the examples, over and over under other names.

use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

/// Copies the examples to a folder, with a specification `s.json` of so many packages for a platform (as in the names of the examples' own
/// specifications).
pub(crate) fn write(folder: &Path, platform: &str, count: usize) -> io::Result<()> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let mut spec: Value =
        serde_json::from_str(&fs::read_to_string(examples.join(format!("build.akari.{platform}.json")))?)?;
    let of: Vec<Value> = spec["compilation"].as_array().cloned().unwrap_or_default();
    let packages = of.iter().cycle().take(count).enumerate().map(|(number, package)| {
        let mut package = package.clone();
        package["name"] = json!(format!("{}_{number}", package["name"].as_str().unwrap_or_default()));
        package
    });
    spec["compilation"] = packages.collect();
    for name in ["akari", "bindings.kaji.json"] {
        copy(&examples.join(name), &folder.join(name))?;
    }
    fs::write(folder.join("s.json"), spec.to_string())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.try_for_each(|entry| entry.and_then(|entry| copy(&entry.path(), &to.join(entry.file_name()))))
}
