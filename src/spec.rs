//! Reads a build specification (version 2): which packages are built, for which platform, from where.

use akari_ir::{Diagnostic, FileId, Span};
use jsonc_parser::ast::{Object, Value};
use rustc_hash::FxHashMap;

use crate::driver::Platform;
use crate::json::{Faults, Reader};

/// The codes of the faults of a specification: `E42xx`.
pub mod codes {
    akari_ir::codes! {
        /// The file is not JSON.
        SYNTAX = "E4200";
        /// A value of the wrong JSON type.
        WRONG_TYPE = "E4201";
        /// A key that specifications do not have.
        UNKNOWN_KEY = "E4202";
        /// A key twice in one object.
        DUPLICATE_KEY = "E4203";
        /// A key that must be there is not.
        MISSING_KEY = "E4204";
        /// A version other than 2.
        VERSION = "E4205";
        /// A type that is none of the platforms.
        BAD_TYPE = "E4206";
        /// Two packages of one name.
        DUPLICATE_PACKAGE = "E4207";
        /// A package with other than one source.
        SOURCES = "E4208";
        /// An optimization level out of 0..3, or a shader model that is none.
        BAD_OPTION = "E4209";
        /// A package name that is no file name.
        BAD_NAME = "E4210";
    }
}

const FAULTS: Faults = Faults {
    syntax: codes::SYNTAX,
    wrong_type: codes::WRONG_TYPE,
    unknown_key: codes::UNKNOWN_KEY,
    duplicate_key: codes::DUPLICATE_KEY,
    missing_key: codes::MISSING_KEY,
};

/// The platforms by their `type`.
pub const TYPES: [(Platform, &str); 3] = [
    (Platform::Metal, "AppleMetal"),
    (Platform::D3d12, "MicrosoftD3D12"),
    (Platform::Vulkan, "KhronosVulkan"),
];

/// When a package is kept in a shipped game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// Kept without being referred to.
    pub root: bool,
    /// Packages that must be kept with it.
    pub requires: Vec<String>,
}

/// A package to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name: the stem of its files.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The folder of the source, relative to the specification; empty for that of the specification.
    pub working_directory: String,
    /// The source, relative to the working directory.
    pub source: String,
    /// 0..=3.
    pub optimization_level: u32,
    /// Whether outputs keep debug information.
    pub debug_symbols: bool,
    /// The shader model, as major and minor version, and where it stands.
    pub shader_model: Option<((u32, u32), Span)>,
    /// When it is kept.
    pub shipping: Option<Shipping>,
}

/// A specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// What is built for.
    pub platform: Platform,
    /// The binding manifest, relative to the specification.
    pub manifest: Option<String>,
    /// The folders of modules, relative to the specification, in the order they are searched.
    pub import_paths: Option<Vec<String>>,
    /// The packages in order.
    pub packages: Vec<Package>,
}

/// Reads a specification. Without errors among the diagnostics there is one.
#[must_use]
pub fn read(file: FileId, text: &str) -> (Option<Spec>, Vec<Diagnostic>) {
    let (reader, value) = Reader::parse(file, text, FAULTS);
    let mut reader = SpecReader { reader };
    let spec = value.and_then(|value| reader.spec(&value));
    (spec, reader.reader.diagnostics)
}

struct SpecReader {
    reader: Reader,
}

impl SpecReader {
    fn spec(&mut self, value: &Value<'_>) -> Option<Spec> {
        let object = self.reader.object(value, "a specification")?;
        let [version, platform, manifest, imports, compilation] = self.reader.fields(
            object,
            "a specification",
            ["version", "type", "bindingManifest", "akariImportPaths", "compilation"],
        );
        if let Some(version) = self.reader.required(version, object, "the specification", "version")
            && let Some(number) = self.reader.number(version, "`version`")
            && number != 2
        {
            let span = self.reader.place(version);
            self.reader.error(codes::VERSION, span, format!("specification version {number} is not known; write `2`"));
        }
        let platform = self.reader.required(platform, object, "the specification", "type");
        let platform = platform.and_then(|value| self.platform(value));
        let manifest =
            manifest.and_then(|value| self.reader.string(value, "`bindingManifest`")).map(str::to_owned);
        let import_paths = imports.map(|value| self.strings(value, "`akariImportPaths`"));
        let compilation = self.reader.required(compilation, object, "the specification", "compilation");
        let packages = compilation.map(|value| self.packages(value)).unwrap_or_default();
        Some(Spec { platform: platform?, manifest, import_paths, packages })
    }

    fn platform(&mut self, value: &Value<'_>) -> Option<Platform> {
        let name = self.reader.string(value, "`type`")?;
        let found = TYPES.iter().find(|(_, candidate)| *candidate == name).map(|(platform, _)| *platform);
        if found.is_none() {
            let span = self.reader.place(value);
            let names: Vec<_> = TYPES.iter().map(|(_, name)| format!("`{name}`")).collect();
            let message = format!("there is no type `{name}`; there are {}", names.join(", "));
            self.reader.error(codes::BAD_TYPE, span, message);
        }
        found
    }

    fn strings(&mut self, value: &Value<'_>, what: &str) -> Vec<String> {
        let Some(array) = self.reader.array(value, what) else { return Vec::new() };
        let items = array.elements.iter();
        items.filter_map(|item| self.reader.string(item, &format!("an item of {what}")).map(str::to_owned)).collect()
    }

    fn packages(&mut self, value: &Value<'_>) -> Vec<Package> {
        let Some(array) = self.reader.array(value, "`compilation`") else { return Vec::new() };
        let packages: Vec<Package> = array.elements.iter().filter_map(|item| self.package(item)).collect();
        let mut first: FxHashMap<&str, Span> = FxHashMap::default();
        for package in &packages {
            if let Some(other) = first.insert(&package.name, package.span) {
                let message = format!("two packages are called `{}`", package.name);
                let error = Diagnostic::error(codes::DUPLICATE_PACKAGE, package.span, message);
                self.reader.diagnostics.push(error.note_at(other, "the other"));
            }
        }
        packages
    }

    fn package(&mut self, value: &Value<'_>) -> Option<Package> {
        let object = self.reader.object(value, "a package")?;
        let [name, directory, level, symbols, sources, shipping, model] = self.reader.fields(
            object,
            "a package",
            [
                "name",
                "workingDirectory",
                "optimizationLevel",
                "includeDebugSymbols",
                "sources",
                "shipping",
                "shaderModel",
            ],
        );
        let name_value = self.reader.required(name, object, "the package", "name");
        let name = name_value.and_then(|value| self.name(value));
        let directory = directory.and_then(|value| self.reader.string(value, "`workingDirectory`"));
        let optimization_level = level.map_or(Some(0), |value| self.level(value));
        let debug_symbols = symbols.and_then(|value| self.reader.boolean(value, "`includeDebugSymbols`"));
        let sources = self.reader.required(sources, object, "the package", "sources");
        let source = sources.and_then(|value| self.source(value));
        let shipping = shipping.and_then(|value| self.shipping(value));
        let shader_model = model.and_then(|value| self.shader_model(value));
        Some(Package {
            name: name?,
            span: name_value.map(|value| self.reader.place(value))?,
            working_directory: directory.unwrap_or_default().to_owned(),
            source: source?,
            optimization_level: optimization_level?,
            debug_symbols: debug_symbols.unwrap_or(false),
            shader_model,
            shipping,
        })
    }

    fn name(&mut self, value: &Value<'_>) -> Option<String> {
        let name = self.reader.string(value, "`name`")?;
        let plain = !name.is_empty()
            && !name.starts_with('.')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if !plain {
            let span = self.reader.place(value);
            let message = format!("`{name}` cannot name a package: its files are called so; use letters, digits, `_`, `-`, `.`");
            self.reader.error(codes::BAD_NAME, span, message);
        }
        plain.then(|| name.to_owned())
    }

    fn level(&mut self, value: &Value<'_>) -> Option<u32> {
        let level = self.reader.number(value, "`optimizationLevel`")?;
        if level > 3 {
            let span = self.reader.place(value);
            self.reader.error(codes::BAD_OPTION, span, format!("there is no optimization level {level}; 0 to 3"));
            return None;
        }
        Some(level)
    }

    fn source(&mut self, value: &Value<'_>) -> Option<String> {
        let count = self.reader.array(value, "`sources`")?.elements.len();
        if count != 1 {
            let span = self.reader.place(value);
            self.reader.error(codes::SOURCES, span, format!("a package has exactly one source, not {count}"));
        }
        self.strings(value, "`sources`").into_iter().next()
    }

    fn shipping(&mut self, value: &Value<'_>) -> Option<Shipping> {
        let object: &Object<'_> = self.reader.object(value, "`shipping`")?;
        let [root, requires] = self.reader.fields(object, "`shipping`", ["root", "requires"]);
        let root = root.and_then(|value| self.reader.boolean(value, "`root`")).unwrap_or(true);
        let requires = requires.map(|value| self.strings(value, "`requires`")).unwrap_or_default();
        Some(Shipping { root, requires })
    }

    fn shader_model(&mut self, value: &Value<'_>) -> Option<((u32, u32), Span)> {
        let text = self.reader.string(value, "`shaderModel`")?;
        let version = text.split_once('_').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let known = version.filter(|(major, minor): &(u32, u32)| *major == 6 && *minor <= 9 && format!("{major}_{minor}") == text);
        let span = self.reader.place(value);
        if known.is_none() {
            let message = format!("`{text}` is no shader model; write one such as `6_5`");
            self.reader.error(codes::BAD_OPTION, span, message);
        }
        known.map(|known| (known, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        read(FileId(0), text).1.into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    #[test]
    fn sources_and_shader_models_have_one_form() {
        let of = |package: &str| {
            messages(&format!(r#"{{"version": 2, "type": "KhronosVulkan", "compilation": [{{"name": "p", {package}}}]}}"#))
        };
        assert_eq!(of(r#""sources": "p.akari""#), ["`sources` must be an array, not a string"]);
        assert_eq!(of(r#""sources": [1]"#), ["an item of `sources` must be a string, not a number"]);
        assert_eq!(of(r#""sources": []"#), ["a package has exactly one source, not 0"]);
        assert_eq!(of(r#""sources": ["p.akari"], "shaderModel": "6_05""#), ["`6_05` is no shader model; write one such as `6_5`"]);
        assert_eq!(of(r#""sources": ["p.akari"], "shaderModel": "6_0""#), [""; 0]);
    }

    #[test]
    fn reads_all_keys() {
        let (spec, faults) = read(
            FileId(0),
            r#"{"version": 2, "type": "KhronosVulkan", "bindingManifest": "b.json", "akariImportPaths": ["m/"],
                "compilation": [{"name": "p", "workingDirectory": "w/", "optimizationLevel": 3,
                "includeDebugSymbols": true, "sources": ["p.akari"], "shaderModel": "6_5",
                "shipping": {"root": false, "requires": ["q"]}}]}"#,
        );
        assert_eq!(faults, []);
        let spec = spec.expect("a sound specification");
        assert_eq!((spec.platform, spec.manifest.as_deref()), (Platform::Vulkan, Some("b.json")));
        let package = &spec.packages[0];
        assert_eq!((package.source.as_str(), package.optimization_level), ("p.akari", 3));
        assert_eq!((package.shader_model.map(|(model, _)| model), package.debug_symbols), (Some((6, 5)), true));
        assert_eq!(package.shipping, Some(Shipping { root: false, requires: vec!["q".into()] }));
    }

    #[test]
    fn reports_every_fault() {
        let found = messages(
            r#"{"version": 1, "type": "Metal", "imports": [],
                "compilation": [{"name": "p", "sources": ["a", "b"], "optimisationLevel": 1, "optimizationLevel": 4},
                {"name": "a/b", "sources": ["a"]}, {"name": "q", "sources": ["a"]}, {"name": "q", "sources": ["a"]}]}"#,
        );
        for wanted in [
            "a specification has no key `imports`",
            "specification version 1 is not known; write `2`",
            "there is no type `Metal`",
            "a package has exactly one source, not 2",
            "a package has no key `optimisationLevel`",
            "there is no optimization level 4",
            "`a/b` cannot name a package",
            "two packages are called `q`",
        ] {
            assert!(found.iter().any(|message| message.contains(wanted)), "{wanted}: {found:#?}");
        }
    }
}
