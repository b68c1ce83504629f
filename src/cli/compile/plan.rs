//! What a build is to do: all that flags, specification and engine tree say about it, settled before anything is built.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use akari_dialect_gpu_abi::Manifest;
use akari_ir::{Diagnostic, Span};

use super::toolchain::{Conduct, Native, Tool};
use crate::cli::flags::{Compile, Config, VulkanCompiler};
use crate::cli::load::{self, Naming};
use crate::cli::{Failure, codes, refused, report};
use crate::driver::Platform;
use crate::source::SourceMap;
use crate::spec::{self, Package, Shipping};

/// Where an engine tree has its binding manifest.
const SDK_MANIFEST: &str = "src/hikari/shaders/bindings.kaji.json";
/// Where an engine tree has its modules.
const SDK_MODULES: &str = "src/hikari/shaders/akari/modules";

/// A build.
pub(super) struct Plan {
    /// What is built for.
    pub(super) platform: Platform,
    /// What is published of it.
    pub(super) published: Published,
    /// The tool that makes it, and what it makes; none where emitted text or Akari's own SPIR-V is published, or nothing.
    pub(super) tool: Option<(Tool, Native)>,
    /// Whether to print the tool's own words.
    pub(super) verbose: bool,
    /// The packages, in the order of the specification.
    pub(super) jobs: Vec<Job>,
    /// The packages that other shards build: their places in that order, and their names.
    pub(super) elsewhere: Vec<(usize, String)>,
    /// The folders of modules, in the order they are searched.
    pub(super) import_dirs: Vec<PathBuf>,
    /// Those of them that are not there, which was told.
    pub(super) missing_dirs: Vec<PathBuf>,
    /// The binding manifest: what there is of it.
    pub(super) manifest: Option<Arc<Manifest>>,
    /// Where it is, if something is wrong with it, which was told.
    pub(super) faulty_manifest: Option<PathBuf>,
    /// The texts of the specification and the manifest: every package's sources begin with them, so that notes can point there.
    pub(super) sources: SourceMap,
    /// The profile that overrides the packages' own.
    pub(super) config: Option<Config>,
    /// Where to publish.
    pub(super) out: PathBuf,
}

/// What is published of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Published {
    /// Nothing: everything is checked.
    Nothing,
    /// The emitted text.
    Source,
    /// What a GPU or its driver takes.
    Native,
}

/// A package to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Its name, the stem of its files.
    pub(super) name: String,
    /// Its source.
    pub(super) input: PathBuf,
    /// Where the specification names it.
    pub(super) named: Span,
    /// The optimization level, 0 to 3.
    pub(super) optimization: u32,
    /// Whether outputs keep debug information.
    pub(super) debug: bool,
    /// The shader model that is asked for, and where.
    pub(super) shader_model: Option<((u32, u32), Span)>,
    /// When it is kept in a shipped game.
    pub(super) shipping: Option<Shipping>,
}

impl Plan {
    /// Reads the specification and what it needs, and tells which paths those are. Errors are reported. Those of what packages share are no
    /// failure: they are of the packages that depend on it.
    pub(super) fn new(flags: &Compile, path: &Path, out: &Path, shared: &mut Vec<PathBuf>) -> Result<Self, Failure> {
        let mut sources = SourceMap::new();
        shared.push(path.to_owned());
        let spec = load::spec(path, &mut sources)?;
        let base = path.parent().unwrap_or(Path::new(""));
        let named = spec.import_paths.iter().flatten();
        let engine = "`--engine-sdk`, the root of an engine tree with its modules there,";
        let naming = named.clone().map(|named| Naming::Place(named.span)).chain([Naming::Flag(engine)]);
        let mut import_dirs: Vec<PathBuf> = named.map(|named| base.join(&named.path)).collect();
        import_dirs.extend(flags.engine_sdk.iter().map(|sdk| sdk.join(SDK_MODULES)));
        shared.extend(import_dirs.iter().cloned());
        load::require_folders(flags.engine_sdk.iter().map(PathBuf::as_path), "`--engine-sdk`")?;
        let missing_dirs = load::missing_folders(import_dirs.iter().map(PathBuf::as_path).zip(naming), &sources);
        let manifest_path = match (&spec.manifest, &flags.engine_sdk) {
            (Some(named), _) => Some(base.join(&named.path)),
            (None, Some(sdk)) => Some(sdk.join(SDK_MANIFEST)),
            (None, None) => None,
        };
        shared.extend(manifest_path.clone());
        let (manifest, is_faulty) = match &manifest_path {
            Some(path) => {
                let (manifest, is_faulty) =
                    manifest(path, spec.manifest.as_ref().map(|named| named.span), &mut sources);
                (Some(Arc::new(manifest)), is_faulty)
            }
            None => (None, false),
        };
        let published = match (flags.validate_only, flags.source_only) {
            (true, _) => Published::Nothing,
            (false, true) => Published::Source,
            (false, false) => Published::Native,
        };
        let tool = match native(spec.platform, flags.vulkan_compiler).filter(|_| published == Published::Native) {
            Some(native) => Some((tool(native, flags)?, native)),
            None => None,
        };
        let is_here = |(place, _): &(usize, Package)| {
            flags.shard.is_none_or(|shard| place % shard.of as usize + 1 == shard.number as usize)
        };
        let (here, elsewhere): (Vec<_>, Vec<_>) = spec.packages.into_iter().enumerate().partition(is_here);
        Ok(Self {
            platform: spec.platform,
            published,
            tool,
            verbose: flags.verbose,
            jobs: here.into_iter().map(|(_, package)| job(package, base, flags.config)).collect(),
            elsewhere: elsewhere.into_iter().map(|(place, package)| (place, package.name)).collect(),
            import_dirs,
            missing_dirs,
            manifest,
            faulty_manifest: manifest_path.filter(|_| is_faulty),
            sources,
            config: flags.config,
            out: out.to_owned(),
        })
    }

    /// Whether something is wrong with what packages share: then the build fails, whether a package depends on it or not.
    pub(super) fn is_faulty(&self) -> bool {
        self.faulty_manifest.is_some() || !self.missing_dirs.is_empty()
    }

    /// The platform as specifications call it.
    pub(super) fn target(&self) -> &'static str {
        spec::TYPES.iter().find(|(platform, _)| *platform == self.platform).map_or("", |(_, name)| name)
    }
}

/// What there is of a binding manifest, and whether something is wrong with it, which is reported.
fn manifest(path: &Path, named: Option<Span>, sources: &mut SourceMap) -> (Manifest, bool) {
    match load::manifest_with_faults(path, named, sources) {
        Ok((manifest, mut faults)) => (manifest, report(sources, &mut faults)),
        Err(_) => (Manifest::default(), true),
    }
}

/// What a tool makes for a platform; none where no tool is needed.
fn native(platform: Platform, vulkan: VulkanCompiler) -> Option<Native> {
    match (platform, vulkan) {
        (Platform::Metal, _) => Some(Native::MetalLibrary),
        (Platform::D3d12, _) => Some(Native::Dxil),
        (Platform::Vulkan, VulkanCompiler::Dxc) => Some(Native::Spirv),
        (Platform::Vulkan, VulkanCompiler::Native) => None,
    }
}

fn tool(native: Native, flags: &Compile) -> Result<Tool, Failure> {
    let conduct = Conduct { limit: Duration::from_secs(flags.tool_time_limit), quiet: flags.quiet };
    Tool::find(native, flags.dxc.as_deref(), conduct)
        .map_err(|missing| refused(Diagnostic::error(codes::NO_TOOL, None, missing)))
}

fn job(package: Package, base: &Path, config: Option<Config>) -> Job {
    let (optimization, debug) = match config {
        Some(Config::Debug) => (0, true),
        Some(Config::Release) => (3, false),
        None => (package.optimization_level, package.debug_symbols),
    };
    Job {
        input: base.join(&package.working_directory).join(&package.source.path),
        named: package.source.span,
        name: package.name,
        optimization,
        debug,
        shader_model: package.shader_model,
        shipping: package.shipping,
    }
}
