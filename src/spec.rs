//! Reads a build specification (version 2): which packages are built, for which platform, from where.

use akari_ir::{Diagnostic, FileId, Span};
use jsonc_parser::ast::{Object, Value};
use rustc_hash::FxHashMap;

use crate::driver::Platform;
use crate::file_name::{folded, is_device};
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
        /// Two packages of one name, or of names that are the same to some file systems.
        DUPLICATE_PACKAGE = "E4207";
        /// A package with other than one source.
        SOURCES = "E4208";
        /// An optimization level out of 0..3, or a shader model that is none.
        BAD_OPTION = "E4209";
        /// A package name that is no file name.
        BAD_NAME = "E4210";
        /// A path that is empty.
        EMPTY_PATH = "E4211";
        /// A package in `requires` that cannot be one, that is the package itself, or that stands there twice.
        BAD_REQUIREMENT = "E4212";
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
pub const TYPES: [(Platform, &str); 3] =
    [(Platform::Metal, "AppleMetal"), (Platform::D3d12, "MicrosoftD3D12"), (Platform::Vulkan, "KhronosVulkan")];

/// When a package is kept in a shipped game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// Kept without being referred to.
    pub root: bool,
    /// Packages that must be kept with it.
    pub requires: Vec<String>,
}

/// A path as it is written, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The path.
    pub path: String,
    /// Where it stands.
    pub span: Span,
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
    pub source: Named,
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
    pub manifest: Option<Named>,
    /// The folders of modules, relative to the specification, in the order they are searched.
    pub import_paths: Option<Vec<Named>>,
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
            manifest.and_then(|value| self.path(value, "`bindingManifest`", "name the file, or leave the key out"));
        let import_paths = imports
            .map(|value| self.paths(value, "`akariImportPaths`", "write `.` for the folder of the specification"));
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

    /// A path that is not empty.
    fn path(&mut self, value: &Value<'_>, what: &str, instead: &str) -> Option<Named> {
        let path = self.reader.string(value, what)?;
        let span = self.reader.place(value);
        if path.is_empty() {
            self.reader.error(codes::EMPTY_PATH, span, format!("{what} is an empty path")).help = Some(instead.into());
            return None;
        }
        Some(Named { path: path.to_owned(), span })
    }

    fn paths(&mut self, value: &Value<'_>, what: &str, instead: &str) -> Vec<Named> {
        let Some(array) = self.reader.array(value, what) else { return Vec::new() };
        array.elements.iter().filter_map(|item| self.path(item, &format!("an item of {what}"), instead)).collect()
    }

    fn packages(&mut self, value: &Value<'_>) -> Vec<Package> {
        let Some(array) = self.reader.array(value, "`compilation`") else { return Vec::new() };
        let packages: Vec<Package> = array.elements.iter().filter_map(|item| self.package(item)).collect();
        let mut first: FxHashMap<String, &Package> = FxHashMap::default();
        for package in &packages {
            let Some(other) = first.insert(folded(&package.name), package) else { continue };
            let (name, other_name) = (&package.name, &other.name);
            let message = if name == other_name {
                format!("two packages are called `{name}`")
            } else {
                format!(
                    "the packages `{other_name}` and `{name}` would have the same files where a file system does not tell such names apart"
                )
            };
            let error = Diagnostic::error(codes::DUPLICATE_PACKAGE, package.span, message);
            self.reader.diagnostics.push(error.note_at(other.span, "the other").help("give one of them another name"));
        }
        packages
    }

    fn package(&mut self, value: &Value<'_>) -> Option<Package> {
        let object = self.reader.object(value, "a package")?;
        let [name, directory, level, symbols, sources, shipping, model] = self.reader.fields(
            object,
            "a package",
            [
                "name", "workingDirectory", "optimizationLevel", "includeDebugSymbols", "sources", "shipping",
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
        let shipping = shipping.and_then(|value| self.shipping(value, name.as_deref()));
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
        let fault = fault_of_name(name);
        if let Some(help) = fault {
            let span = self.reader.place(value);
            let error = self.reader.error(
                codes::BAD_NAME,
                span,
                format!("`{name}` cannot name a package, as its files are called so"),
            );
            error.help = Some(help.into());
        }
        fault.is_none().then(|| name.to_owned())
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

    fn source(&mut self, value: &Value<'_>) -> Option<Named> {
        let array = self.reader.array(value, "`sources`")?;
        if array.elements.len() != 1 {
            let span = self.reader.place(value);
            let message = format!("a package has exactly one source, not {}", array.elements.len());
            self.reader.error(codes::SOURCES, span, message).help =
                Some("what it shares with others is a module, which it imports".into());
        }
        self.paths(value, "`sources`", "name the file that begins with `#shader`").into_iter().next()
    }

    /// `name` is that of the package itself.
    fn shipping(&mut self, value: &Value<'_>, name: Option<&str>) -> Option<Shipping> {
        let object: &Object<'_> = self.reader.object(value, "`shipping`")?;
        let [root, requires] = self.reader.fields(object, "`shipping`", ["root", "requires"]);
        let root = root.and_then(|value| self.reader.boolean(value, "`root`")).unwrap_or(true);
        let requires = requires.map(|value| self.requires(value, name)).unwrap_or_default();
        Some(Shipping { root, requires })
    }

    /// Packages as shaders are referred to: by name, those of the engine behind `_engine/`. They may be of other specifications.
    fn requires(&mut self, value: &Value<'_>, name: Option<&str>) -> Vec<String> {
        let Some(array) = self.reader.array(value, "`requires`") else { return Vec::new() };
        let mut found: Vec<(String, Span)> = Vec::new();
        for item in &array.elements {
            let Some(package) = self.reader.string(item, "an item of `requires`").map(str::to_owned) else { continue };
            let span = self.reader.place(item);
            let first = found.iter().find(|(other, _)| *other == package).map(|(_, span)| *span);
            let (message, help) = if let Some(help) = package.split('/').find_map(fault_of_name) {
                (format!("`{package}` is no package"), help)
            } else if Some(package.as_str()) == name {
                (format!("`{package}` requires itself"), "leave it out")
            } else if first.is_some() {
                (format!("`{package}` is required twice"), "leave one of them out")
            } else {
                found.push((package, span));
                continue;
            };
            let mut error = Diagnostic::error(codes::BAD_REQUIREMENT, span, message).help(help);
            if let Some(first) = first {
                error = error.note_at(first, "first");
            }
            self.reader.diagnostics.push(error);
        }
        found.into_iter().map(|(package, _)| package).collect()
    }

    fn shader_model(&mut self, value: &Value<'_>) -> Option<((u32, u32), Span)> {
        let text = self.reader.string(value, "`shaderModel`")?;
        // As DXC writes them, and in no other way.
        let minor = text.strip_prefix("6_").filter(|minor| minor.len() == 1).and_then(|minor| minor.parse().ok());
        let known = minor.map(|minor: u32| (6, minor));
        let span = self.reader.place(value);
        if known.is_none() {
            let message = format!("`{text}` is no shader model; they are `6_0` to `6_9`");
            self.reader.error(codes::BAD_OPTION, span, message);
        }
        known.map(|known| (known, span))
    }
}

/// What is to be done about a name that no package can have, on some system or other.
fn fault_of_name(name: &str) -> Option<&'static str> {
    if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')) {
        Some("use letters, digits, `_`, `-`, `.`")
    } else if name.starts_with('.') {
        Some("names with a dot in front are hidden: begin with something else")
    } else if name.ends_with('.') {
        Some("Windows drops a dot at the end: end with something else")
    } else if is_device(name) {
        Some("on Windows this names a device, with any ending: use another name")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        read(FileId(0), text).1.into_iter().map(|diagnostic| diagnostic.message).collect()
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
        assert_eq!(
            (spec.platform, spec.manifest.map(|named| named.path)),
            (Platform::Vulkan, Some("b.json".to_owned()))
        );
        let package = &spec.packages[0];
        assert_eq!((package.source.path.as_str(), package.optimization_level), ("p.akari", 3));
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
            "a specification has no key `imports`", "specification version 1 is not known; write `2`",
            "there is no type `Metal`", "a package has exactly one source, not 2",
            "a package has no key `optimisationLevel`", "there is no optimization level 4",
            "`a/b` cannot name a package, as its files are called so", "two packages are called `q`",
        ] {
            assert!(found.iter().any(|message| message.contains(wanted)), "{wanted}: {found:#?}");
        }
    }

    /// The messages for a package with these keys beside a sound name and source, which they may replace.
    fn of_package(keys: &str) -> Vec<String> {
        let name = if keys.contains("\"name\"") { "" } else { "\"name\": \"p\"," };
        let sources = if keys.contains("\"sources\"") { "" } else { "\"sources\": [\"p.akari\"]," };
        messages(&format!(r#"{{"version": 2, "type": "KhronosVulkan", "compilation": [{{{name}{sources}{keys}}}]}}"#))
    }

    #[test]
    fn values_have_one_form() {
        for sound in [
            r#""shaderModel": "6_0""#,
            r#""shaderModel": "6_9""#,
            r#""optimizationLevel": 0"#,
            r#""optimizationLevel": 3"#,
            r#""workingDirectory": "/somewhere/else""#,
            r#""workingDirectory": """#,
            r#""workingDirectory": "../up""#,
            r#""shipping": {}"#,
            r#""shipping": {"requires": ["water_sim", "_engine/gbuffer", "of_another_specification"]}"#,
            r#""name": "größe-1.2_x""#,
        ] {
            assert_eq!(of_package(sound), [""; 0], "{sound}");
        }
        for (faulty, message) in [
            (r#""shaderModel": "06_5""#, "`06_5` is no shader model"),
            (r#""shaderModel": "6_05""#, "`6_05` is no shader model"),
            (r#""shaderModel": "6_5 ""#, "`6_5 ` is no shader model"),
            (r#""shaderModel": "6_+5""#, "`6_+5` is no shader model"),
            (r#""shaderModel": "6_""#, "`6_` is no shader model"),
            (r#""shaderModel": "6.5""#, "`6.5` is no shader model"),
            (r#""shaderModel": "6_10""#, "`6_10` is no shader model; they are `6_0` to `6_9`"),
            (r#""shaderModel": "5_1""#, "`5_1` is no shader model"),
            (r#""shaderModel": """#, "`` is no shader model"),
            (r#""shaderModel": 6.5"#, "`shaderModel` must be a string, not a number"),
            (r#""optimizationLevel": 4"#, "there is no optimization level 4; 0 to 3"),
            (r#""optimizationLevel": -1"#, "`optimizationLevel` must be a whole number, not `-1`"),
            (r#""optimizationLevel": -0"#, "`optimizationLevel` must be a whole number, not `-0`"),
            (r#""optimizationLevel": 1e0"#, "`optimizationLevel` must be a whole number, not `1e0`"),
            (r#""optimizationLevel": 1.0"#, "`optimizationLevel` must be a whole number, not `1.0`"),
            (r#""optimizationLevel": 99999999999999999999"#, "`optimizationLevel` must be a whole number, not `9999"),
            (r#""optimizationLevel": 01"#, "this is not JSON: "),
            (r#""optimizationLevel": "1""#, "`optimizationLevel` must be a number, not a string"),
            (r#""includeDebugSymbols": 1"#, "`includeDebugSymbols` must be `true` or `false`, not a number"),
            (r#""includeDebugSymbols": "true""#, "`includeDebugSymbols` must be `true` or `false`, not a string"),
            (r#""workingDirectory": null"#, "`workingDirectory` must be a string, not `null`"),
            (r#""sources": []"#, "a package has exactly one source, not 0"),
            (r#""sources": ["a", "a"]"#, "a package has exactly one source, not 2"),
            (r#""sources": "a""#, "`sources` must be an array, not a string"),
            (r#""sources": [1]"#, "an item of `sources` must be a string, not a number"),
            (r#""sources": [""]"#, "an item of `sources` is an empty path"),
            (r#""shipping": true"#, "`shipping` must be an object, not a truth value"),
            (r#""shipping": {"roots": true}"#, "`shipping` has no key `roots`"),
            (r#""shipping": {"root": 1}"#, "`root` must be `true` or `false`, not a number"),
            (r#""shipping": {"requires": "q"}"#, "`requires` must be an array, not a string"),
            (r#""shipping": {"requires": [1]}"#, "an item of `requires` must be a string, not a number"),
            (r#""shipping": {"requires": ["p"]}"#, "`p` requires itself"),
            (r#""shipping": {"requires": ["q", "r", "q"]}"#, "`q` is required twice"),
            (r#""shipping": {"requires": [""]}"#, "`` is no package"),
            (r#""shipping": {"requires": ["_engine/"]}"#, "`_engine/` is no package"),
            (r#""shipping": {"requires": ["/q"]}"#, "`/q` is no package"),
            (r#""shipping": {"requires": ["../q"]}"#, "`../q` is no package"),
            (r#""shipping": {"requires": ["q r"]}"#, "`q r` is no package"),
        ] {
            let found = of_package(faulty);
            assert!(matches!(&found[..], [one] if one.starts_with(message)), "{faulty}: {found:?}");
        }
        for (keys, message) in [
            (r#""akariImportPaths": [1], "#, "an item of `akariImportPaths` must be a string, not a number"),
            (r#""akariImportPaths": [""], "#, "an item of `akariImportPaths` is an empty path"),
            (r#""akariImportPaths": "m", "#, "`akariImportPaths` must be an array, not a string"),
            (r#""bindingManifest": "", "#, "`bindingManifest` is an empty path"),
            (r#""bindingManifest": ["b"], "#, "`bindingManifest` must be a string, not an array"),
            (r#""version": 2.0, "#, "`version` must be a whole number, not `2.0`"),
            (r#""version": "2", "#, "`version` must be a number, not a string"),
        ] {
            let version = if keys.contains("version") { "" } else { "\"version\": 2," };
            let found = messages(&format!(r#"{{{version}{keys}"type": "AppleMetal", "compilation": []}}"#));
            assert_eq!(found, [message], "{keys}");
        }
    }

    #[test]
    fn names_must_do_for_every_system() {
        for name in [
            "", ".", "..", ".p", "p.", "p/q", "p\\\\q", "p q", "p ", "a<", "a>", "a:b", "a\\\"", "a|", "a?", "a*",
            "a\\u0000", "con", "NUL", "Aux.x", "com1", "lpt9",
        ] {
            let found = of_package(&format!("\"name\": \"{name}\""));
            assert!(
                matches!(&found[..], [one] if one.ends_with(" cannot name a package, as its files are called so")),
                "{name}: {found:?}"
            );
        }
        for (one, other) in [("B", "b"), ("straße", "STRASSE"), ("\u{e5}", "\u{212b}")] {
            let text = format!(
                r#"{{"version": 2, "type": "AppleMetal", "compilation": [{{"name": "{one}", "sources": ["a"]}}, {{"name": "{other}", "sources": ["a"]}}]}}"#
            );
            let (_, found) = read(FileId(0), &text);
            let [found] = &found[..] else { panic!("{found:?}") };
            assert!(
                found.message.starts_with(&format!("the packages `{one}` and `{other}` would have the same files")),
                "{found:?}"
            );
            let places: Vec<&str> = [found.span, found.notes[0].span]
                .iter()
                .flatten()
                .map(|span| &text[span.start as usize..span.end as usize])
                .collect();
            assert_eq!(places, [format!("\"{other}\""), format!("\"{one}\"")]);
        }
    }
}
