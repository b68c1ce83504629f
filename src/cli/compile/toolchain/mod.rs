//! The tools that make what a GPU or its driver takes out of emitted text, behind one interface.
//!
//! A tool is looked for before any work starts ([`Tool::find`]) and made ready when there is something for it to do ([`Tool::ready`]). Nothing that
//! one does is taken on trust: not that it ends, not that it leaves this process alone, not that it made what it says it did.

mod dxc_library;
mod dxc_program;
mod group;
mod lost;
mod messages;
mod metal;
mod object;
mod process;
#[cfg(unix)]
mod signals;
#[cfg(test)]
mod tests;

use std::env;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use akari_ir::interface::Stage;

use self::dxc_library::DxcLibrary;
use self::dxc_program::DxcProgram;
pub(in crate::cli) use self::lost::Lost;
pub(super) use self::messages::diagnostics;
use self::metal::Metal;
use crate::cli::file;

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

/// A run of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task<'a> {
    /// What is to be made.
    pub(super) native: Native,
    /// Of which package.
    pub(super) package: &'a str,
    /// Of which entry, where it is of one.
    pub(super) entry: Option<&'a str>,
    /// Of which text.
    pub(super) text: &'a str,
}

/// How tools are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conduct {
    /// How long a run may take.
    pub(super) limit: Duration,
    /// Whether nothing but diagnostics may be printed.
    pub(super) quiet: bool,
}

impl Conduct {
    /// How long a tool may take to tell its version.
    fn version_limit(self) -> Duration {
        self.limit.min(Duration::from_secs(30))
    }
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
    /// It ran, and came to no answer: it crashed, took too long, or made something else.
    Failed(String),
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
    pub(super) fn find(native: Native, dxc: Option<&Path>, conduct: Conduct) -> Result<Self, String> {
        match native {
            Native::Dxil => Dxc { conduct, needs: "Direct3D 12 needs DXC" }.find(dxc),
            Native::Spirv => Dxc { conduct, needs: "`--vulkan-compiler=dxc` needs DXC" }.find(dxc),
            Native::MetalLibrary => Metal::find(conduct).map(Self::Metal),
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
    /// What it has against the text, or why nothing came of it.
    pub(super) fn make(&self, task: &Task<'_>, arguments: &[String]) -> Result<Made, Trouble> {
        let made = match self {
            Self::DxcLibrary(dxc) => or_with_less(arguments, |arguments| dxc.make(task, arguments)),
            Self::DxcProgram(dxc) => or_with_less(arguments, |arguments| dxc.make(task.text, arguments)),
            Self::Metal(metal) => metal.make(task.text, arguments),
        }?;
        // Whoever tells an error failed, whatever else it says.
        if messages::tell_an_error(&made.messages) {
            return Err(Trouble::Refused(made.messages));
        }
        match object::fault(task.native, &made.bytes) {
            Some(fault) => Err(Trouble::Failed(format!("{} {fault}{}", self.name(), with_words(&made.messages)))),
            None => Ok(made),
        }
    }
}

/// What is said beside, where something is.
fn with_words(messages: &str) -> String {
    if messages.is_empty() { String::new() } else { format!("; {}", process::in_short(messages)) }
}

/// DXC that is looked for: its library, which needs no process for each text, before its program.
#[derive(Clone, Copy)]
struct Dxc {
    conduct: Conduct,
    /// What for.
    needs: &'static str,
}

impl Dxc {
    fn find(self, named: Option<&Path>) -> Result<Tool, String> {
        let needs = self.needs;
        let from_environment = env::var_os("AKARI_DXC").filter(|path| !path.is_empty()).map(PathBuf::from);
        let named = match (named, &from_environment) {
            (Some(path), _) => Some(("`--dxc`", path)),
            (None, Some(path)) => Some(("`AKARI_DXC`", path.as_path())),
            (None, None) => None,
        };
        if let Some((by, path)) = named {
            return self.at(path).ok_or_else(|| {
                format!(
                    "{needs}, and {by} names {}, where there is neither its program nor its library",
                    path.display()
                )
            });
        }
        let folders = env::var_os("PATH").map(|path| env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
        folders.iter().find_map(|folder| self.in_folder(folder)).ok_or_else(|| {
            format!(
                "{needs}, and there is none: name its program `dxc` or its library `{}` with `--dxc=PATH` or in `AKARI_DXC`, or have one \
                 of them in a folder of `PATH`; `--source-only` publishes the emitted HLSL instead, `--validate-only` checks all but that",
                library_name()
            )
        })
    }

    /// DXC at a path: a program, a library, or a folder with one of them.
    fn at(self, path: &Path) -> Option<Tool> {
        if path.is_dir() {
            return self
                .in_folder(path)
                .or_else(|| self.in_folder(&path.join("bin")))
                .or_else(|| self.in_folder(&path.join("lib")));
        }
        path.is_file().then(|| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_library = [".so", ".dylib", ".dll"].iter().any(|ending| name.contains(ending));
            if is_library { self.library(path.to_owned()) } else { self.program(path.to_owned()) }
        })
    }

    /// DXC in a folder: the library beside the program, or the program.
    fn in_folder(self, folder: &Path) -> Option<Tool> {
        let program = folder.join(format!("dxc{}", env::consts::EXE_SUFFIX));
        let has_program = program.is_file();
        let mut libraries = vec![folder.join(library_name())];
        if has_program {
            libraries.extend(libraries_of(&program));
        }
        match libraries.into_iter().find(|library| library.is_file()) {
            Some(library) => Some(self.library(library)),
            None => has_program.then(|| self.program(program)),
        }
    }

    fn library(self, path: PathBuf) -> Tool {
        Tool::DxcLibrary(DxcLibrary::new(path, self.conduct))
    }

    fn program(self, path: PathBuf) -> Tool {
        Tool::DxcProgram(DxcProgram::new(path, self.conduct))
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
        arguments.extend([
            "-T".to_owned(),
            format!("{}_{major}_{minor}", stage.suffix()),
            "-E".to_owned(),
            name.to_owned(),
        ]);
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

/// Runs DXC once more, with less of what it may break, where its own validator refuses what it made. Who reads all of its words is told.
fn or_with_less(arguments: &[String], run: impl Fn(&[String]) -> Result<Made, Trouble>) -> Result<Made, Trouble> {
    match run(arguments) {
        Err(Trouble::Refused(messages)) => match akari_dxc::flags::with_less(&messages) {
            Some(less) => {
                let made = run(&arguments
                    .iter()
                    .cloned()
                    .chain(less.iter().map(|flag| (*flag).to_owned()))
                    .collect::<Vec<_>>());
                let because = process::in_short(&messages);
                let told = |said: &str| {
                    format!("note: made with `{}` too, because of: {because}\n{said}", less.join(" "))
                        .trim_end()
                        .to_owned()
                };
                made.map(|made| Made { messages: told(&made.messages), ..made }).map_err(|_| Trouble::Refused(messages))
            }
            None => Err(Trouble::Refused(messages)),
        },
        outcome => outcome,
    }
}

/// The most that a tool may make.
const LARGEST: u64 = 1 << 30;

/// Reads what a program made that ended with success. Where it made nothing, an error among its words tells why.
fn read_object(program: &str, path: &Path, said: &str) -> Result<Vec<u8>, Trouble> {
    let read = || {
        let (file, metadata) = file::open_regular(path)?.ok_or_else(|| io::Error::other("it is no file"))?;
        if metadata.len() > LARGEST {
            return Err(io::Error::other(format!("it has {} bytes", metadata.len())));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).map(|_| bytes)
    };
    read().map_err(|error| {
        if messages::tell_an_error(said) {
            return Trouble::Refused(said.to_owned());
        }
        Trouble::Failed(format!(
            "{program} ended with success, and what it made cannot be read: {error}{}",
            with_words(said)
        ))
    })
}

/// A folder for the files of one run of a program, and for nobody else.
fn private_folder() -> Result<tempfile::TempDir, Trouble> {
    tempfile::Builder::new().prefix("akari-").tempdir().map_err(|error| {
        Trouble::Unusable(format!("cannot make a temporary folder in {}: {error}", env::temp_dir().display()))
    })
}

/// Writes the text of one run.
fn write_text(path: &Path, text: &str) -> Result<(), Trouble> {
    std::fs::write(path, text).map_err(|error| Trouble::Unusable(format!("cannot write {}: {error}", path.display())))
}
