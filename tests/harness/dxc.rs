//! The DirectX shader compiler that `tests/tools/install.sh` installed.

use std::sync::OnceLock;

pub use akari_dxc::{Dxc, DxcOutput};

use crate::tools;

/// The compiler, loaded once for the whole process.
///
/// # Errors
/// When it is missing or cannot be loaded.
pub fn shared() -> Result<&'static Dxc, String> {
    static SHARED: OnceLock<Result<Dxc, String>> = OnceLock::new();
    let load = || {
        let path = tools::dxc_library().map_err(|error| error.to_string())?;
        Dxc::load(&path).map_err(|error| error.to_string())
    };
    SHARED.get_or_init(load).as_ref().map_err(Clone::clone)
}
