//! DXC in this process.

use std::path::PathBuf;
use std::sync::OnceLock;

use akari_dxc::Dxc;

use super::{Conduct, Identity, Made, Task, Trouble, lost};

/// The library, loaded when it is first needed.
pub(in crate::cli::compile) struct DxcLibrary {
    path: PathBuf,
    conduct: Conduct,
    loaded: OnceLock<Result<Dxc, String>>,
}

impl DxcLibrary {
    pub(super) fn new(path: PathBuf, conduct: Conduct) -> Self {
        Self { path, conduct, loaded: OnceLock::new() }
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { files: vec![self.path.clone()], text: String::new() }
    }

    fn loaded(&self) -> Result<&Dxc, String> {
        let load = || {
            // A bare name would be looked for in the system's folders.
            let path = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
            lost::watch(self.conduct);
            let loaded = lost::loading(&path, || Dxc::load(&path).map_err(|error| error.to_string()));
            lost::watch(self.conduct);
            loaded
        };
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    pub(super) fn ready(&self) -> Result<(), String> {
        self.loaded().map(|_| ())
    }

    pub(super) fn make(&self, task: &Task<'_>, arguments: &[String]) -> Result<Made, Trouble> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let dxc = self.loaded().map_err(Trouble::Unusable)?;
        let output = lost::guarded(task, self.conduct, || dxc.compile(task.text, &arguments));
        let output = output.map_err(|error| Trouble::Failed(format!("DXC: {error}")))?;
        match output.object {
            Some(bytes) => Ok(Made { bytes, messages: output.messages }),
            None if output.succeeded => Ok(Made { bytes: Vec::new(), messages: output.messages }),
            None => Err(Trouble::Refused(output.messages)),
        }
    }
}
