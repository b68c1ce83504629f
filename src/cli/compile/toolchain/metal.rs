//! Apple's compiler, through `xcrun`: `metal` makes an object of a text, `metallib` a library of that.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use super::{Identity, Made, Order, Trouble, not_run, private_folder, said};

/// `xcrun`, which finds the tools of the chosen Xcode.
pub(in crate::cli::compile) struct Metal {
    xcrun: PathBuf,
    version: String,
}

const TEXT: &str = "shader.metal";
const OBJECT: &str = "shader.air";
const LIBRARY: &str = "shader.metallib";

const WAYS_ROUND: &str = "`--source-only` publishes the emitted Metal source instead, `--validate-only` checks all but that";

impl Metal {
    /// Asks for the version of the compiler, which also tells whether there is one: `xcrun` may be there without it.
    pub(super) fn find() -> Result<Self, String> {
        let folders = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
        let xcrun = folders.iter().map(|folder| folder.join("xcrun")).find(|path| path.is_file()).ok_or_else(|| {
            format!("Metal needs `xcrun metal` of Xcode, and there is no `xcrun` in `PATH`; {WAYS_ROUND}")
        })?;
        let output = xcrun_command(&xcrun, "metal").arg("--version").output();
        match output {
            Ok(output) if output.status.success() => Ok(Self { xcrun, version: said(&output) }),
            Ok(output) => Err(format!(
                "Metal needs `xcrun metal` of Xcode, which is not there: {}; `xcodebuild -downloadComponent MetalToolchain` installs it; {WAYS_ROUND}",
                said(&output).trim()
            )),
            Err(error) => Err(format!("cannot run {}: {error}; {WAYS_ROUND}", xcrun.display())),
        }
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { files: Vec::new(), text: self.version.clone() }
    }

    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        let folder = private_folder()?;
        fs::write(folder.path().join(TEXT), text)
            .map_err(|error| Trouble::Unusable(format!("cannot write to {}: {error}", folder.path().display())))?;
        let run = |tool: &str, arguments: &[String], files: &[&str]| -> Result<Output, Trouble> {
            // Names without folders: where the text lay for a moment is not to be found in debug information.
            let mut command = xcrun_command(&self.xcrun, tool);
            command.args(arguments).args(files).current_dir(folder.path());
            command.output().map_err(|error| not_run(&self.xcrun, &error))
        };
        let compiled = run("metal", arguments, &["-c", TEXT, "-o", OBJECT])?;
        let messages = said(&compiled).trim_end().to_owned();
        if !compiled.status.success() {
            return Err(refused("metal", &compiled));
        }
        let linked = run("metallib", &[], &[OBJECT, "-o", LIBRARY])?;
        match fs::read(folder.path().join(LIBRARY)) {
            Ok(bytes) if linked.status.success() => Ok(Made { bytes, messages }),
            _ => Err(refused("metallib", &linked)),
        }
    }
}

fn refused(tool: &str, output: &Output) -> Trouble {
    let messages = said(output).trim_end().to_owned();
    if messages.is_empty() {
        return Trouble::Unusable(format!("`xcrun {tool}` ended with {} and said nothing", output.status));
    }
    Trouble::Refused(messages)
}

fn xcrun_command(xcrun: &Path, tool: &str) -> Command {
    let mut command = Command::new(xcrun);
    command.args(["-sdk", "macosx", tool]).stdin(Stdio::null());
    command
}

/// The arguments of `metal`. How floats are computed stands in the text itself.
pub(super) fn arguments(order: &Order<'_>) -> Vec<String> {
    let mut arguments = vec!["-std=metal4.0".to_owned(), "-mmacosx-version-min=26.0".to_owned(), format!("-O{}", order.optimization)];
    if order.debug {
        arguments.extend(["-gline-tables-only".to_owned(), "-frecord-sources".to_owned()]);
    }
    arguments
}
