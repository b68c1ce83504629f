//! DXC as a program: a process for each text.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{Identity, Made, Trouble, libraries_of, not_run, private_folder, said};

/// The program.
pub(in crate::cli::compile) struct DxcProgram {
    path: PathBuf,
}

/// The text in the folder of a run: the name that the library gives to a text without one.
const TEXT: &str = "hlsl.hlsl";
/// What is made in the folder of a run.
const OBJECT: &str = "object";

impl DxcProgram {
    pub(super) fn new(path: PathBuf) -> Self {
        // It is run in another folder.
        let path = std::path::absolute(&path).unwrap_or(path);
        Self { path }
    }

    /// Most of the program is in a library beside it.
    pub(super) fn identity(&self) -> Identity {
        let mut files = vec![self.path.clone()];
        files.extend(libraries_of(&self.path).into_iter().filter(|library| library.is_file()));
        Identity { files, text: String::new() }
    }

    pub(super) fn ready(&self) -> Result<(), String> {
        let run = Command::new(&self.path).arg("--version").stdin(Stdio::null()).output();
        match run {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(format!("{} --version ended with {}: {}", self.path.display(), output.status, said(&output).trim())),
            Err(error) => Err(format!("cannot run {}: {error}", self.path.display())),
        }
    }

    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        let folder = private_folder()?;
        let object = folder.path().join(OBJECT);
        fs::write(folder.path().join(TEXT), text)
            .map_err(|error| Trouble::Unusable(format!("cannot write to {}: {error}", folder.path().display())))?;
        // Names without folders: where the text lay for a moment is not to be found in debug information.
        let output = Command::new(&self.path)
            .args(arguments)
            .args(["-Fo", OBJECT, TEXT])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| not_run(&self.path, &error))?;
        let messages = akari_dxc::without_signing_warning(&said(&output));
        match fs::read(object) {
            Ok(mut bytes) if output.status.success() && !bytes.is_empty() => {
                akari_dxc::sign(&mut bytes);
                Ok(Made { bytes, messages })
            }
            _ if messages.is_empty() => {
                Err(Trouble::Unusable(format!("{} ended with {} and said nothing", self.path.display(), output.status)))
            }
            _ => Err(Trouble::Refused(messages)),
        }
    }
}
