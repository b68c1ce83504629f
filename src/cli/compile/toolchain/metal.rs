//! Apple's compiler, through `xcrun`: `metal` makes an object of a text, `metallib` a library of that.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::process::{self, Ran, in_short};
use super::{Conduct, Identity, Made, Order, Trouble, private_folder, read_object, write_text};

/// `xcrun`, which finds the tools of the chosen Xcode.
pub(in crate::cli::compile) struct Metal {
    xcrun: PathBuf,
    version: String,
    conduct: Conduct,
}

const TEXT: &str = "shader.metal";
const OBJECT: &str = "shader.air";
const LIBRARY: &str = "shader.metallib";

const WAYS_ROUND: &str =
    "`--source-only` publishes the emitted Metal source instead, `--validate-only` checks all but that";

impl Metal {
    /// Asks for the version of the compiler, which also tells whether there is one: `xcrun` may be there without it.
    pub(super) fn find(conduct: Conduct) -> Result<Self, String> {
        let folders = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
        let xcrun = folders.iter().map(|folder| folder.join("xcrun")).find(|path| path.is_file()).ok_or_else(|| {
            format!("Metal needs `xcrun metal` of Xcode, and there is no `xcrun` in `PATH`; {WAYS_ROUND}")
        })?;
        match process::run(xcrun_command(&xcrun, "metal").arg("--version"), conduct.version_limit(), None) {
            Ok(ran) if ran.status.success() => Ok(Self { xcrun, version: ran.said, conduct }),
            Ok(ran) => {
                let said = in_short(&ran.said);
                let said = if said.is_empty() { ran.end_of("`xcrun metal --version`") } else { said };
                let install = "`xcodebuild -downloadComponent MetalToolchain` installs it";
                Err(format!("Metal needs `xcrun metal` of Xcode, which is not there: {said}; {install}; {WAYS_ROUND}"))
            }
            Err(fault) => Err(format!("{}; {WAYS_ROUND}", fault.of(&format!("{} metal --version", xcrun.display())))),
        }
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { files: Vec::new(), text: self.version.clone() }
    }

    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        let folder = private_folder()?;
        write_text(&folder.path().join(TEXT), text)?;
        let run = |tool: &str, arguments: &[String], files: &[&str]| -> Result<Ran, Trouble> {
            // Names without folders: where the text lay for a moment is not to be found in debug information.
            let mut command = xcrun_command(&self.xcrun, tool);
            command.args(arguments).args(files).current_dir(folder.path());
            let called = format!("`xcrun {tool}`");
            let ran = process::run(&mut command, self.conduct.limit, Some(folder.path()))
                .map_err(|fault| fault.trouble(&called))?;
            if ran.status.success() { Ok(ran) } else { Err(ran.trouble(&called)) }
        };
        let compiled = run("metal", arguments, &["-c", TEXT, "-o", OBJECT])?;
        let linked = run("metallib", &[], &[OBJECT, "-o", LIBRARY])?;
        let messages = (compiled.said + &linked.said).trim_end().to_owned();
        Ok(Made { bytes: read_object("`xcrun metallib`", &folder.path().join(LIBRARY), &messages)?, messages })
    }
}

fn xcrun_command(xcrun: &Path, tool: &str) -> Command {
    let mut command = Command::new(xcrun);
    command.args(["-sdk", "macosx", tool]);
    command
}

/// The arguments of `metal`. How floats are computed stands in the text itself.
pub(super) fn arguments(order: &Order<'_>) -> Vec<String> {
    let mut arguments =
        vec!["-std=metal4.0".to_owned(), "-mmacosx-version-min=26.0".to_owned(), format!("-O{}", order.optimization)];
    if order.debug {
        arguments.extend(["-gline-tables-only".to_owned(), "-frecord-sources".to_owned()]);
    }
    arguments
}
