//! The tools that make what a GPU or its driver takes out of emitted text, behind one interface.
//!
//! A tool is looked for before any work starts ([`Tool::find`]) and made ready when there is something for it to do ([`Tool::ready`]).

mod dxc_library;
mod dxc_program;
mod messages;
mod metal;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{env, io};

use akari_ir::interface::Stage;

use self::dxc_library::DxcLibrary;
use self::dxc_program::DxcProgram;
pub(super) use self::messages::diagnostics;
use self::metal::Metal;

/// A tool.
pub(super) enum Tool {
    /// The DirectX shader compiler in this process.
    DxcLibrary(DxcLibrary),
    /// The DirectX shader compiler as a program.
    DxcProgram(DxcProgram),
    /// Apple's compiler.
    Metal(Metal),
}

/// What is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Native {
    /// A DXIL container of one entry.
    Dxil,
    /// A SPIR-V module of one entry.
    Spirv,
    /// A Metal library of a whole package.
    MetalLibrary,
}

impl Native {
    /// The extension of its files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Dxil => "cso",
            Self::Spirv => "spv",
            Self::MetalLibrary => "metallib",
        }
    }
}

/// What a tool is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    /// What is to be made.
    pub(super) native: Native,
    /// The entry, where it is of one: its stage, and its name in the text.
    pub(super) entry: Option<(Stage, &'a str)>,
    /// The shader model of Direct3D, as major and minor version.
    pub(super) shader_model: (u32, u32),
    /// Whether the text has 16-bit types.
    pub(super) half: bool,
    /// The optimization level, 0 to 3.
    pub(super) optimization: u32,
    /// Whether to keep debug information.
    pub(super) debug: bool,
}

/// What a tool made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Made {
    /// The artifact.
    pub(super) bytes: Vec<u8>,
    /// What the tool said beside.
    pub(super) messages: String,
}

/// Why a tool made nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It refused the text, with these words.
    Refused(String),
    /// It could not be run.
    Unusable(String),
}

/// What tells one version of a tool from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The files that it consists of: when one changes, the tool is another.
    pub(super) files: Vec<PathBuf>,
    /// What it says of itself.
    pub(super) text: String,
}

impl Tool {
    /// The tool for an artifact. `dxc` is where the command line says that DXC is.
    ///
    /// # Errors
    /// When there is none: which, and the ways round it.
    pub(super) fn find(native: Native, dxc: Option<&Path>) -> Result<Self, String> {
        match native {
            Native::Dxil => find_dxc(dxc, "Direct3D 12 needs DXC"),
            Native::Spirv => find_dxc(dxc, "`--vulkan-compiler=dxc` needs DXC"),
            Native::MetalLibrary => Metal::find().map(Self::Metal),
        }
    }

    /// What people call it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::DxcLibrary(_) | Self::DxcProgram(_) => "DXC",
            Self::Metal(_) => "Metal",
        }
    }

    /// What tells this version of it from another.
    pub(super) fn identity(&self) -> Identity {
        match self {
            Self::DxcLibrary(dxc) => dxc.identity(),
            Self::DxcProgram(dxc) => dxc.identity(),
            Self::Metal(metal) => metal.identity(),
        }
    }

    /// Makes it ready for work.
    ///
    /// # Errors
    /// When it cannot be used, and why.
    pub(super) fn ready(&self) -> Result<(), String> {
        match self {
            Self::DxcLibrary(dxc) => dxc.ready(),
            Self::DxcProgram(dxc) => dxc.ready(),
            Self::Metal(_) => Ok(()),
        }
    }

    /// The arguments for an order: together with the text all that decides what is made of it.
    pub(super) fn arguments(&self, order: &Order<'_>) -> Vec<String> {
        match self {
            Self::DxcLibrary(_) | Self::DxcProgram(_) => dxc_arguments(order),
            Self::Metal(_) => metal::arguments(order),
        }
    }

    /// Runs it on a text.
    ///
    /// # Errors
    /// What it has against the text, or why it could not be run.
    pub(super) fn make(&self, text: &str, arguments: &[String]) -> Result<Made, Trouble> {
        match self {
            Self::DxcLibrary(dxc) => with_gvn_or_without(arguments, |arguments| dxc.make(text, arguments)),
            Self::DxcProgram(dxc) => with_gvn_or_without(arguments, |arguments| dxc.make(text, arguments)),
            Self::Metal(metal) => metal.make(text, arguments),
        }
    }
}

/// DXC: its library, which needs no process for each text, before its program.
fn find_dxc(named: Option<&Path>, needs: &str) -> Result<Tool, String> {
    let from_environment = env::var_os("AKARI_DXC").filter(|path| !path.is_empty()).map(PathBuf::from);
    let named = match (named, &from_environment) {
        (Some(path), _) => Some(("`--dxc`", path)),
        (None, Some(path)) => Some(("`AKARI_DXC`", path.as_path())),
        (None, None) => None,
    };
    if let Some((by, path)) = named {
        return dxc_at(path).ok_or_else(|| {
            format!("{needs}, and {by} names {}, where there is neither its program nor its library", path.display())
        });
    }
    let folders = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    folders.iter().find_map(|folder| dxc_in(folder)).ok_or_else(|| {
        format!(
            "{needs}, and there is none: name its program `dxc` or its library `{}` with `--dxc=PATH` or in `AKARI_DXC`, or have one \
             of them in a folder of `PATH`; `--source-only` publishes the emitted HLSL instead, `--validate-only` checks all but that",
            library_name()
        )
    })
}

/// DXC at a path: a program, a library, or a folder with one of them.
fn dxc_at(path: &Path) -> Option<Tool> {
    if path.is_dir() {
        return dxc_in(path).or_else(|| dxc_in(&path.join("bin"))).or_else(|| dxc_in(&path.join("lib")));
    }
    path.is_file().then(|| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_library = [".so", ".dylib", ".dll"].iter().any(|ending| name.contains(ending));
        if is_library {
            Tool::DxcLibrary(DxcLibrary::new(path.to_owned()))
        } else {
            Tool::DxcProgram(DxcProgram::new(path.to_owned()))
        }
    })
}

/// DXC in a folder: the library beside the program, or the program.
fn dxc_in(folder: &Path) -> Option<Tool> {
    let program = folder.join(format!("dxc{}", env::consts::EXE_SUFFIX));
    let has_program = program.is_file();
    let mut libraries = vec![folder.join(library_name())];
    if has_program {
        libraries.extend(libraries_of(&program));
    }
    match libraries.into_iter().find(|library| library.is_file()) {
        Some(library) => Some(Tool::DxcLibrary(DxcLibrary::new(library))),
        None => has_program.then(|| Tool::DxcProgram(DxcProgram::new(program))),
    }
}

/// Where a release of DXC has the library that its program uses.
fn libraries_of(program: &Path) -> Vec<PathBuf> {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    let Some(folder) = program.parent() else { return Vec::new() };
    vec![folder.join(library_name()), folder.join("../lib").join(library_name())]
}

fn library_name() -> String {
    format!("{}dxcompiler{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX)
}

/// The arguments of DXC.
fn dxc_arguments(order: &Order<'_>) -> Vec<String> {
    use akari_dxc::flags;
    let mut arguments = Vec::new();
    let is_vertex = order.entry.is_some_and(|(stage, _)| stage == Stage::Vertex);
    if let Some((stage, name)) = order.entry {
        let (major, minor) = order.shader_model;
        arguments.extend(["-T".to_owned(), format!("{}_{major}_{minor}", stage.suffix()), "-E".to_owned(), name.to_owned()]);
    }
    arguments.extend(flags::LANGUAGE.iter().map(|flag| (*flag).to_owned()));
    arguments.push(format!("-O{}", order.optimization));
    if order.half {
        arguments.push(flags::HALF.to_owned());
    }
    let (dialect, positions): (_, &[&str]) = match order.native {
        Native::Spirv => (flags::SPIRV, flags::spirv_positions(is_vertex)),
        Native::Dxil | Native::MetalLibrary => (flags::DXIL, &[]),
    };
    arguments.extend([dialect, positions].concat().into_iter().map(str::to_owned));
    if order.debug {
        arguments.push("-Zi".to_owned());
        if order.native == Native::Dxil {
            arguments.push("-Qembed_debug".to_owned());
        }
    }
    arguments
}

/// What has DXC leave out its global value numbering.
const WITHOUT_GVN: [&str; 2] = ["-opt-disable", "gvn"];

/// Runs DXC once more, without global value numbering, where its own validator refuses what it made: that pass may merge two places of
/// memory into one value, which DXIL does not have.
fn with_gvn_or_without(
    arguments: &[String],
    run: impl Fn(&[String]) -> Result<Made, Trouble>,
) -> Result<Made, Trouble> {
    match run(arguments) {
        Err(Trouble::Refused(messages)) if messages.to_ascii_lowercase().contains("validation") => {
            run(&[arguments, &WITHOUT_GVN.map(str::to_owned)].concat()).map_err(|_| Trouble::Refused(messages))
        }
        outcome => outcome,
    }
}

/// The text that a program wrote to its standard streams.
fn said(output: &std::process::Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    texts.concat()
}

/// A program that could not be run.
fn not_run(program: &Path, error: &io::Error) -> Trouble {
    Trouble::Unusable(format!("cannot run {}: {error}", program.display()))
}

/// A folder for the files of one run of a program, and for nobody else.
fn private_folder() -> Result<tempfile::TempDir, Trouble> {
    tempfile::Builder::new()
        .prefix("akari-")
        .tempdir()
        .map_err(|error| Trouble::Unusable(format!("cannot make a temporary folder in {}: {error}", env::temp_dir().display())))
}
