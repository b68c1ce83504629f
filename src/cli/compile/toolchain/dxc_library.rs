//! DXC in this process.

use std::path::PathBuf;
use std::sync::OnceLock;

use akari_dxc::Dxc;

use super::{Identity, Made, Trouble};

/// The library, loaded when it is first needed.
pub(in crate::cli::compile) struct DxcLibrary {
    path: PathBuf,
    loaded: OnceLock<Result<Dxc, String>>,
}

impl DxcLibrary {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, loaded: OnceLock::new() }
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { files: vec![self.path.clone()], text: String::new() }
    }

    fn loaded(&self) -> Result<&Dxc, String> {
        let load = || {
            // A bare name would be looked for in the system's folders.
            let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
            Dxc::load(&path).map_err(|error| error.to_string())
        };
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    pub(super) fn ready(&self) -> Result<(), String> {
        self.loaded().map(|_| ())
    }

    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = self
            .loaded()
            .and_then(|dxc| dxc.compile(text, &arguments).map_err(|error| error.to_string()))
            .map_err(Trouble::Unusable)?;
        match output.object {
            Some(bytes) => Ok(Made { bytes, messages: output.messages }),
            None => Err(Trouble::Refused(output.messages)),
        }
    }
}
