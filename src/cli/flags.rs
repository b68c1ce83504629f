//! The command line as it is typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::compile::Lost;
use crate::driver::Platform;

/// Akari: one shader source in, Metal, Direct3D 12 and Vulkan out.
#[derive(Debug, Parser)]
#[command(name = "akari", version, about, max_term_width = 100)]
pub(super) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Turn one package or module into source of a target
    Transpile(Transpile),
    /// Build all packages of a specification
    Compile(Compile),
    /// Put sources in the one style
    Fmt(Fmt),
    /// Look at a cache of `compile`, or make it smaller
    Cache(Cache),
    /// Run passes over textual IR (for work on the compiler)
    Opt(Opt),
}

/// Platforms of `transpile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TargetName {
    /// Metal source
    Metal,
    /// HLSL for Direct3D 12
    D3d12,
    /// HLSL in its Vulkan dialect, and SPIR-V
    Spirv,
}

impl TargetName {
    /// It to the library.
    pub(super) fn platform(self) -> Platform {
        match self {
            Self::Metal => Platform::Metal,
            Self::D3d12 => Platform::D3d12,
            Self::Spirv => Platform::Vulkan,
        }
    }
}

/// Outputs of `transpile --target=spirv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum EmitKind {
    /// HLSL in its Vulkan dialect
    Hlsl,
    /// SPIR-V
    Spv,
    /// SPIR-V as text
    Spvasm,
}

/// Languages of `transpile --emit-host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum HostName {
    /// A Rust module
    Rust,
    /// A header for C11 and C++17
    C,
}

/// Build profiles of `compile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Config {
    /// Optimization 0 with debug symbols
    Debug,
    /// Optimization 3 without
    Release,
}

/// What makes SPIR-V in `compile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VulkanCompiler {
    /// Akari itself
    Native,
    /// DXC, from the emitted HLSL
    Dxc,
}

/// `akari transpile`
#[derive(Debug, Args)]
pub(super) struct Transpile {
    /// The source
    #[arg(long, value_name = "FILE", required_unless_present = "list_passes")]
    pub(super) input: Option<PathBuf>,
    /// What to make
    #[arg(long, value_enum, required_unless_present_any = ["dump_layout", "list_passes", "reflect", "emit_host"])]
    pub(super) target: Option<TargetName>,
    /// Where to write; `-` prints
    #[arg(long, value_name = "DIR", required_unless_present_any = ["dump_layout", "list_passes"])]
    pub(super) out: Option<PathBuf>,
    /// A folder of modules; may be given several times, searched in order
    #[arg(long = "import-dir", value_name = "DIR")]
    pub(super) import_dirs: Vec<PathBuf>,
    /// The binding manifest; without one, slots are given in order
    #[arg(long, value_name = "FILE")]
    pub(super) bindings: Option<PathBuf>,
    /// Which outputs of `--target=spirv`
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(super) emit: Vec<EmitKind>,
    /// Print the layouts of all structs as JSON
    #[arg(long)]
    pub(super) dump_layout: bool,
    /// Write what the package shows to its host, as JSON: entries, slots on every target, layouts
    #[arg(long)]
    pub(super) reflect: bool,
    /// Write mirrors of the structs in buffers for the CPU
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LANGUAGE")]
    pub(super) emit_host: Vec<HostName>,
    /// Leave `#line` directives (and SPIR-V line numbers) out
    #[arg(long)]
    pub(super) no_line_directives: bool,
    /// Watching passes
    #[command(flatten)]
    pub(super) passes: PassFlags,
}

/// `akari compile`
#[derive(Debug, Args)]
pub(super) struct Compile {
    /// The build specification
    #[arg(long, value_name = "FILE", required_unless_present = "list_passes")]
    pub(super) spec: Option<PathBuf>,
    /// Where to publish
    #[arg(long, value_name = "DIR", required_unless_present = "list_passes")]
    pub(super) out: Option<PathBuf>,
    /// The cache; `.akari-cache` in the output folder by default
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
    /// Take nothing from a cache, and keep nothing
    #[arg(long, conflicts_with = "cache")]
    pub(super) no_cache: bool,
    /// What the cache is trimmed to after a build that added to it: bytes, or K, M, G, T behind the number
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = super::cache::parse_size)]
    pub(super) cache_limit: u64,
    /// A cache that machines share, such as `s3://bucket/folder` (builds of akari with the feature `remote-cache`)
    #[arg(long, value_name = "URL", env = "AKARI_REMOTE_CACHE", hide_env_values = true)]
    pub(super) remote_cache: Option<String>,
    /// An engine tree whose manifest and modules are used where the specification names none
    #[arg(long = "engine-sdk", value_name = "DIR")]
    pub(super) engine_sdk: Option<PathBuf>,
    /// Overrides every package's own optimization and debug symbols
    #[arg(long, value_enum)]
    pub(super) config: Option<Config>,
    /// Check everything, publish nothing
    #[arg(long, conflicts_with = "source_only")]
    pub(super) validate_only: bool,
    /// Publish emitted source instead of compiled code
    #[arg(long)]
    pub(super) source_only: bool,
    /// What makes SPIR-V for Vulkan
    #[arg(long, value_enum, default_value = "native")]
    pub(super) vulkan_compiler: VulkanCompiler,
    /// DXC: its program, its library, or a folder with one of them; else `AKARI_DXC`, else a folder of `PATH`
    #[arg(long, value_name = "PATH")]
    pub(super) dxc: Option<PathBuf>,
    /// How long one run of a tool may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) tool_time_limit: u64,
    /// Build every n-th package only, beginning with the i-th
    #[arg(long, value_name = "i/n", value_parser = Shard::parse)]
    pub(super) shard: Option<Shard>,
    /// Build again whenever something changes that the build looked at
    #[arg(long)]
    pub(super) watch: bool,
    /// Write what the build depends on, as Make and Ninja read it
    #[arg(long, value_name = "FILE")]
    pub(super) depfile: Option<PathBuf>,
    /// The target in that file; the report in the output folder by default
    #[arg(long, value_name = "NAME", requires = "depfile")]
    pub(super) depfile_target: Option<PathBuf>,
    /// Write what each package depends on to a file of its own in this folder
    #[arg(long, value_name = "DIR")]
    pub(super) emit_deps: Option<PathBuf>,
    /// Print nothing but diagnostics
    #[arg(long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print the commands and the own words of the tools too
    #[arg(long)]
    pub(super) verbose: bool,
    /// What brought this process down before it started itself again
    #[arg(long, hide = true, value_parser = Lost::parse)]
    pub(super) lost: Vec<Lost>,
    /// How many packages to build at a time; the number of processors by default
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) jobs: Option<u32>,
    /// Watching passes
    #[command(flatten)]
    pub(super) passes: PassFlags,
}

/// `akari cache`
#[derive(Debug, Args)]
pub(super) struct Cache {
    /// What to do
    #[command(subcommand)]
    pub(super) action: CacheAction,
}

/// The actions of `akari cache`.
#[derive(Debug, Subcommand)]
pub(super) enum CacheAction {
    /// Tell how much it holds
    Stats {
        /// The cache
        #[arg(long, value_name = "DIR")]
        cache: PathBuf,
    },
    /// Remove all that it holds
    Clear {
        /// The cache
        #[arg(long, value_name = "DIR")]
        cache: PathBuf,
    },
    /// Remove what was not used for the longest time
    Trim {
        /// The cache
        #[arg(long, value_name = "DIR")]
        cache: PathBuf,
        /// How much may be left: bytes, or K, M, G, T behind the number
        #[arg(long, value_name = "SIZE", value_parser = super::cache::parse_size)]
        limit: u64,
    },
}

/// A part of the packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    /// Which, counted from 1.
    pub(super) number: u32,
    /// Of how many.
    pub(super) of: u32,
}

impl Shard {
    fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err("write one such as `1/4`, the first of four".to_owned()),
        }
    }
}

/// `akari fmt`
#[derive(Debug, Args)]
pub(super) struct Fmt {
    /// Sources, and folders that are searched for `*.akari`
    #[arg(value_name = "PATH", required_unless_present = "stdin", conflicts_with = "stdin")]
    pub(super) paths: Vec<PathBuf>,
    /// List what would change, change nothing, and exit with 1 if anything would
    #[arg(long)]
    pub(super) check: bool,
    /// Read standard input, and print it formatted
    #[arg(long)]
    pub(super) stdin: bool,
}

/// `akari opt`
#[derive(Debug, Args)]
pub(super) struct Opt {
    /// Textual IR; `-` reads standard input
    #[arg(required_unless_present = "list_passes")]
    pub(super) file: Option<PathBuf>,
    /// The passes, as `const-fold,strip` or `@name` for a named pipeline
    #[arg(long, value_name = "PIPELINE", default_value = "")]
    pub(super) passes: String,
    /// The target that passes work for: metal, d3d12, vulkan-hlsl, spirv
    #[arg(long, value_name = "TARGET")]
    pub(super) target: Option<String>,
    /// Watching passes
    #[command(flatten)]
    pub(super) pass_flags: PassFlags,
}

/// What to show of the passes while they run, on standard error.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct PassFlags {
    /// Print the IR after a pass: its name, `name#2` for its second run, or `all`
    #[arg(long, value_name = "PASS")]
    pub(super) print_after: Vec<String>,
    /// Print the IR before a pass
    #[arg(long, value_name = "PASS")]
    pub(super) print_before: Vec<String>,
    /// Print the IR after each pass that changed something
    #[arg(long)]
    pub(super) print_changed: bool,
    /// List the passes and the named pipelines
    #[arg(long)]
    pub(super) list_passes: bool,
    /// Print how long each pass took, and what it counted
    #[arg(long)]
    pub(super) time_passes: bool,
    /// Verify the IR after each pass
    #[arg(long)]
    pub(super) verify_each: bool,
}

impl PassFlags {
    /// Whether something of the passes is to be seen.
    pub(super) fn observes(&self) -> bool {
        let Self { print_after, print_before, print_changed, list_passes, time_passes, verify_each } = self;
        !print_after.is_empty()
            || !print_before.is_empty()
            || *print_changed
            || *list_passes
            || *time_passes
            || *verify_each
    }
}
