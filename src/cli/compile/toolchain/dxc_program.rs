//! DXC as a program: a process for each text.

use std::path::PathBuf;
use std::process::Command;

use super::process::{self, Ran};
use super::{Conduct, Identity, Made, Trouble, libraries_of, private_folder, read_object, write_text};

/// The program.
pub(in crate::cli::compile) struct DxcProgram {
    path: PathBuf,
    conduct: Conduct,
}

/// The text in the folder of a run: the name that the library gives to a text without one.
const TEXT: &str = "hlsl.hlsl";
/// What is made in the folder of a run.
const OBJECT: &str = "object";

impl DxcProgram {
    pub(super) fn new(path: PathBuf, conduct: Conduct) -> Self {
        // It is run in another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        Self { path, conduct }
    }

    /// Most of the program is in a library beside it.
    pub(super) fn identity(&self) -> Identity {
        let mut files = vec![self.path.clone()];
        files.extend(libraries_of(&self.path).into_iter().filter(|library| library.is_file()));
        Identity { files, text: String::new() }
    }

    fn called(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn ready(&self) -> Result<(), String> {
        let called = format!("{} --version", self.called());
        match process::run(Command::new(&self.path).arg("--version"), self.conduct.version_limit(), None) {
            Ok(ran) if ran.status.success() => Ok(()),
            Ok(ran) => Err(ran.end_of(&called)),
            Err(fault) => Err(fault.of(&called)),
        }
    }

    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        let folder = private_folder()?;
        write_text(&folder.path().join(TEXT), text)?;
        let mut command = Command::new(&self.path);
        // Names without folders: where the text lay for a moment is not to be found in debug information.
        command.args(arguments).args(["-Fo", OBJECT, TEXT]).current_dir(folder.path());
        let ran = process::run(&mut command, self.conduct.limit, Some(folder.path()))
            .map_err(|fault| fault.trouble(&self.called()))?;
        let ran = Ran { said: akari_dxc::without_signing_warning(&ran.said), ..ran };
        if !ran.status.success() {
            return Err(ran.trouble(&self.called()));
        }
        let (mut bytes, messages) = (read_object(&self.called(), &folder.path().join(OBJECT), &ran.said)?, ran.said);
        akari_dxc::sign(&mut bytes);
        Ok(Made { bytes, messages })
    }
}
