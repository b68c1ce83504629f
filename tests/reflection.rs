//! What `--reflect` says of a package is what those say who read its outputs: DXC of the DXIL that it makes of the HLSL for Direct3D 12, rspirv of
//! our SPIR-V and of what DXC makes of the HLSL for Vulkan, and the attributes in the Metal source. It holds for every package of the example
//! tree, the end-to-end cases, those numeric cases that are about interfaces, and the odd programs in `tests/reflection`.
//!
//! Every reflection fits `docs/reference/reflection.schema.json`, and comes out the same twice.
#![allow(clippy::print_stderr, reason = "what is wrong with the whole is told")]

#[path = "leaves/mod.rs"]
mod leaves;
#[path = "ways/mod.rs"]
mod ways;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::{env, fs};

use akari::driver::{self, Output, OutputKind, Platform, Request, Wanted};
use akari::reflect::{self, Package, Reflected};
use akari_dialect_gpu_abi::Manifest;
use akari_harness::job::Stage;
use akari_harness::shown::{Class, Located, Resource, Shown, Threads, of_dxil, of_metal, of_spirv};
use akari_harness::{hlsl, spirv};
use akari_passes::Observer;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use ways::package;

/// The numeric cases that are about what lies between a program and its host.
const AREAS: [&str; 18] = [
    "arrays", "atomics", "bindings", "bindless", "bitfields", "contexts", "enums", "graphics", "half", "imports",
    "instances", "layout", "manifests", "rays", "resource_arrays", "targets", "textures", "uint64",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = package::examples();
    files.extend(package::files(&root.join("tests/e2e"), "akari"));
    files.extend(package::files(&root.join("tests/reflection"), "akari"));
    for area in AREAS {
        files.extend(package::files(&root.join("tests/numeric").join(area), "akari"));
    }
    let trial = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap_or(&path).with_extension("").display().to_string();
        Trial::test(name, move || check(&path).map_err(Failed::from))
    };
    let mut trials: Vec<Trial> = files.into_iter().map(trial).collect();
    trials.push(Trial::test("the schema refuses what is wrong", || schema_refuses().map_err(Failed::from)));
    let arguments = Arguments::from_args();
    let is_whole = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    let compared = OFFSETS.load(Ordering::Relaxed);
    if is_whole && !conclusion.has_failed() && compared < 1500 {
        eprintln!("too little was compared: the offsets of {compared} fields");
        std::process::exit(101);
    }
    conclusion.exit();
}

/// How many offsets of fields were compared by name.
static OFFSETS: AtomicUsize = AtomicUsize::new(0);

/// The schema, compiled once.
static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/reflection.schema.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Widely used validators take the empty pattern for no pattern.
    assert!(!text.contains("\"patternProperties\": { \"\":"), "an empty pattern in the schema");
    let schema: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
});

fn fits_schema(json: &Value) -> Result<(), String> {
    let faults: Vec<String> =
        SCHEMA.iter_errors(json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The reflection of a package, and its outputs on each platform.
struct Reflection {
    json: Value,
    outputs: Vec<(Platform, Vec<Output>)>,
}

fn manifest_of(path: &Path, text: &str) -> Result<Option<Arc<Manifest>>, String> {
    match text.lines().find_map(|line| line.strip_prefix("//! bindings:")) {
        Some(name) => package::read_manifest(&path.with_file_name(name.trim())).map(Some),
        None => package::manifest(path),
    }
}

fn reflection_of(path: &Path) -> Result<Reflection, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut folders: Vec<PathBuf> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! import-dir:"))
        .map(|dir| folder.join(dir.trim()))
        .collect();
    folders.push(folder.join("../modules"));
    let (compiled, sources) = package::compile(path, &text, &folders)?;
    let Some(module) = &compiled.module else { return Err(format!("{:#?}", compiled.diagnostics)) };
    let stem = package::stem(path);
    let of = Package {
        module,
        declarations: &compiled.declarations,
        name: &compiled.name,
        layout: compiled.layout.as_deref(),
        stem: &stem,
    };
    let manifest = manifest_of(path, &text)?;
    let reflect = || -> Result<String, String> {
        let Reflected { reflection, diagnostics, internal } =
            reflect::reflect(of, manifest.as_ref(), &sources).map_err(|error| format!("{error:?}"))?;
        let errors: Vec<_> =
            diagnostics.iter().filter(|(_, found)| found.severity == akari_ir::Severity::Error).collect();
        if !errors.is_empty() || internal.is_some() {
            return Err(format!("{errors:#?} {internal:?}"));
        }
        reflection.map(|reflection| reflection.to_json()).ok_or("no reflection".into())
    };
    let text = reflect()?;
    if text != reflect()? {
        return Err("the reflection comes out otherwise the second time".into());
    }
    let json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let emit = |(platform, _)| {
        let wanted = Wanted { hlsl: true, spirv: true };
        let request = Request { platform, wanted, manifest: manifest.clone(), debug_lines: false };
        (platform, driver::emit(module.clone(), &request, &sources, &mut Observer::default()).outputs)
    };
    Ok(Reflection { json, outputs: Platform::ALL.map(emit).into() })
}

impl Reflection {
    fn output(&self, platform: Platform, kind: OutputKind, entry: &str) -> Result<&Output, String> {
        let outputs = self.outputs.iter().filter(|(other, _)| *other == platform).flat_map(|(_, outputs)| outputs);
        let is_it =
            |output: &&Output| output.kind == kind && output.entry.as_ref().is_none_or(|(_, name, _)| name == entry);
        outputs
            .filter(|output| output.kind == kind)
            .find(is_it)
            .ok_or_else(|| format!("`{entry}` has no output of {kind:?}"))
    }
}

fn check(path: &Path) -> Result<(), String> {
    let reflection = reflection_of(path)?;
    fits_schema(&reflection.json)?;
    for entry in list(&reflection.json["entries"]) {
        check_entry(&reflection, entry)
            .map_err(|error| format!("`{}`, {error}", entry["name"].as_str().unwrap_or_default()))?;
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, said: T, read: T) -> Result<(), String> {
    if said == read {
        Ok(())
    } else {
        Err(format!("{what}: the reflection says\n  {said:?}\nand what was read is\n  {read:?}"))
    }
}

fn check_entry(reflection: &Reflection, entry: &Value) -> Result<(), String> {
    let name = text(&entry["name"]);
    let stage = match text(&entry["stage"]) {
        "vertex" => Stage::Vertex,
        "fragment" => Stage::Fragment,
        _ => Stage::Compute,
    };
    let said = Said { json: &reflection.json, entry };
    said.does_what_types_allow()?;
    let (metal, d3d12, vulkan) = (&entry["targets"]["metal"], &entry["targets"]["d3d12"], &entry["targets"]["vulkan"]);

    let source =
        String::from_utf8_lossy(&reflection.output(Platform::Metal, OutputKind::Metal, name)?.bytes).into_owned();
    let read = of_metal(&source)?;
    let read = read.into_iter().find(|shown| shown.entry == text(&metal["entry"]));
    said.metal(&read.ok_or("Metal has no such entry")?).map_err(|error| format!("Metal, {error}\n{source}"))?;

    let output = reflection.output(Platform::D3d12, OutputKind::Hlsl, name)?;
    let source = String::from_utf8_lossy(&output.bytes);
    let compiled = hlsl::d3d12(hlsl::Entry {
        source: &source,
        stage,
        name: text(&d3d12["entry"]),
        shader_model: text(&d3d12["shader_model"]),
        half: d3d12["native_16_bit"] == true,
    })?;
    said.dxil(&of_dxil(&compiled)?).map_err(|error| format!("DXIL, {error}\n{source}"))?;
    // The shader model is the least: DXC does not take the one before.
    let before = match text(&d3d12["shader_model"]) {
        "6_5" => Some("6_4"),
        "6_2" => Some("6_1"),
        _ => None,
    };
    let half = d3d12["native_16_bit"] == true;
    let lower = |shader_model| {
        hlsl::d3d12(hlsl::Entry { source: &source, stage, name: text(&d3d12["entry"]), shader_model, half })
    };
    if before.is_some_and(|before| lower(before).is_ok()) {
        return Err(format!("DXC takes a lower shader model than {}:\n{source}", d3d12["shader_model"]));
    }

    let words =
        spirv::words(&reflection.output(Platform::Vulkan, OutputKind::Spirv, name)?.bytes).ok_or("half a word")?;
    let listing = || spirv::disassemble(&words).unwrap_or_else(|error| error);
    said.spirv(&of_spirv(&words)?, &words).map_err(|error| format!("SPIR-V, {error}\n{}", listing()))?;

    let output = reflection.output(Platform::Vulkan, OutputKind::Hlsl, name)?;
    let source = String::from_utf8_lossy(&output.bytes);
    let module = hlsl::vulkan(hlsl::Entry {
        source: &source,
        stage,
        name: text(&vulkan["hlsl_entry"]),
        shader_model: text(&d3d12["shader_model"]),
        half: d3d12["native_16_bit"] == true,
    })?;
    said.dxc_spirv(&of_spirv(&module.words)?).map_err(|error| format!("DXC's SPIR-V, {error}\n{source}"))
}

/// What the reflection says of an entry.
struct Said<'j> {
    json: &'j Value,
    entry: &'j Value,
}

/// A form in which resources are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Metal,
    Dxil,
    Spirv,
}

/// A resource as the reflection has it, with whether the entry reaches it.
struct Expected {
    resource: Resource,
    reached: bool,
    /// Whether the emitted SPIR-V declares it: what an entry declares itself stays, but what a bindless table is only its uses say.
    stays: bool,
    name: String,
}

impl Said<'_> {
    /// What an entry does with a resource is within what its type allows: nothing writes a scene that rays search.
    fn does_what_types_allow(&self) -> Result<(), String> {
        for used in list(&self.entry["bindings"]) {
            let binding = &self.json["bindings"][number(&used["binding"]) as usize];
            if binding["access"] == "read" && !matches!(text(&used["access"]), "none" | "read") {
                return Err(format!(
                    "`{}` is a {}, and said to be accessed by {}",
                    text(&binding["variable"]),
                    binding["type"],
                    used["access"]
                ));
            }
        }
        Ok(())
    }

    /// The resources in the interface of the entry, as they are to be read in a form.
    fn resources(&self, form: Form) -> Result<Vec<Expected>, String> {
        let mut found = Vec::new();
        for used in list(&self.entry["bindings"]) {
            let binding = &self.json["bindings"][number(&used["binding"]) as usize];
            let name = format!("{} ({})", binding["name"], text(&binding["variable"]));
            let table = list(&binding["kinds"]);
            if form == Form::Metal || table.is_empty() {
                let slot = match form {
                    Form::Metal => &binding["slots"]["metal"],
                    Form::Dxil => &binding["slots"]["d3d12"],
                    Form::Spirv => &binding["slots"]["vulkan"],
                };
                let resource = self.expected(binding, slot, used, form).ok_or_else(|| format!("{name} has no slot"))?;
                found.push(Expected { resource, reached: used["reached"] == true, stays: true, name });
                continue;
            }
            for kind in table {
                let slot = if form == Form::Dxil { &kind["d3d12"] } else { &kind["vulkan"] };
                let (space, number) = place(slot, form).ok_or_else(|| format!("{name} has no slot"))?;
                let (class, dimension) = match text(&kind["kind"]) {
                    "buffer" => (Class::StorageBuffer, None),
                    "TexCube" => (Class::Texture, Some("cube")),
                    "Tex3D" => (Class::Texture, Some("3d")),
                    _ => (Class::Texture, Some("2d")),
                };
                let texel = dimension.map(|_| "float");
                let resource = Resource {
                    register: register(slot, form),
                    count: None,
                    dimension,
                    texel,
                    ..Resource::new(class, space, number)
                };
                let reached = list(&used["kinds"]).contains(&kind["kind"]);
                found.push(Expected { resource, reached, stays: reached, name: format!("{name}, {}", kind["kind"]) });
            }
        }
        if form == Form::Metal {
            return Ok(found);
        }
        for used in list(&self.entry["static_samplers"]) {
            let sampler = &self.json["static_samplers"][number(&used["sampler"]) as usize];
            let slot = &sampler["slots"][if form == Form::Dxil { "d3d12" } else { "vulkan" }];
            let (space, number) = place(slot, form).ok_or_else(|| format!("{sampler} has no slot"))?;
            let resource = Resource { register: register(slot, form), ..Resource::new(Class::Sampler, space, number) };
            let known = found.iter_mut().find(|other| other.resource == resource);
            match known {
                Some(other) => other.reached |= used["reached"] == true,
                None => found.push(Expected {
                    resource,
                    reached: used["reached"] == true,
                    stays: true,
                    name: text(&sampler["variable"]).to_owned(),
                }),
            }
        }
        Ok(found)
    }

    /// Everything that was read is said, and everything that is to be there was read.
    fn check_resources(&self, form: Form, shown: &Shown, must_be: impl Fn(&Expected) -> bool) -> Result<(), String> {
        let said = self.resources(form)?;
        for read in &shown.resources {
            let Some(expected) = said.iter().find(|expected| expected.resource.place() == read.place()) else {
                let all: Vec<_> = said.iter().map(|expected| &expected.resource).collect();
                return Err(format!("a resource that the reflection has not: {read:?}; it has {all:?}"));
            };
            let other = &expected.resource;
            let what = |what: &str| format!("{what} of {}", expected.name);
            same(&what("the count"), other.count, read.count)?;
            same(&what("the shape"), other.dimension, read.dimension)?;
            // Only Metal tells depths apart from floats.
            let texel = |texel: Option<&'static str>| {
                texel.map(|texel| if texel == "depth" && form != Form::Metal { "float" } else { texel })
            };
            same(&what("the texels"), texel(other.texel), texel(read.texel))?;
            if let (Some(said), Some(read)) = (other.writable, read.writable) {
                same(&what("whether it is written"), said, read)?;
            }
            if let (Some(said), Some(read)) = (other.stride, read.stride) {
                same(&what("the stride"), said, read)?;
            }
            for (name, offset) in &read.fields {
                // Fields that the form pads, splits or renames are not those of the source; what has its name is.
                if let Some((_, said)) = other.fields.iter().find(|(field, _)| field == name) {
                    same(&what(&format!("the offset of `{name}`")), said, offset)?;
                    OFFSETS.fetch_add(1, Ordering::Relaxed);
                }
            }
            if let (Some(said), Some(read)) = (other.size, read.size) {
                // Constant buffers are of whole registers; what is declared may end before the padding.
                same(&what("the size in registers"), said.div_ceil(16), read.div_ceil(16))?;
            }
        }
        for expected in said.iter().filter(|expected| must_be(expected)) {
            let other = &expected.resource;
            if !shown.resources.iter().any(|read| read.place() == other.place()) {
                return Err(format!("{} is not there: {other:?}; there is {:?}", expected.name, shown.resources));
            }
        }
        Ok(())
    }

    /// A binding as it is to be read in a form.
    fn expected(&self, binding: &Value, slot: &Value, used: &Value, form: Form) -> Option<Resource> {
        let (space, at) = place(slot, form)?;
        let class = match text(&binding["class"]) {
            "uniform_buffer" => Class::UniformBuffer,
            "buffer" | "rw_buffer" | "atomic_buffer" => Class::StorageBuffer,
            "texture" => Class::Texture,
            "storage_texture" => Class::StorageTexture,
            "acceleration_structure" => Class::AccelerationStructure,
            _ => Class::Table,
        };
        let one_of = |names: &[&'static str], value: &Value| names.iter().copied().find(|name| *value == **name);
        let writable = match class {
            Class::StorageBuffer => Some(binding["access"] == "read_write"),
            // Metal's access is what is done; the others know no read-only storage texture.
            Class::StorageTexture if form == Form::Metal => {
                Some(matches!(text(&used["access"]), "write" | "read_write"))
            }
            Class::StorageTexture if form == Form::Dxil => Some(true),
            _ => None,
        };
        Some(Resource {
            class,
            register: register(slot, form),
            space,
            number: at,
            count: binding["count"].as_u64().and_then(|count| u32::try_from(count).ok()),
            dimension: one_of(&["2d", "2d_array", "3d", "cube", "cube_array"], &binding["texture"]["dimension"]),
            texel: one_of(&["float", "int", "uint", "depth"], &binding["texture"]["texel"]),
            size: binding.get("buffer").filter(|_| class == Class::UniformBuffer).map(|buffer| number(&buffer["size"])),
            stride: binding["buffer"].get("stride").map(number),
            writable,
            fields: self.fields(&binding["buffer"]),
        })
    }

    /// The names and offsets of the fields of the struct that a buffer holds.
    fn fields(&self, buffer: &Value) -> Vec<(String, u32)> {
        if buffer.get("arrays").is_some() {
            return Vec::new();
        }
        let structure =
            list(&self.json["structs"]).iter().find(|structure| Some(&structure["name"]) == buffer.get("struct"));
        let Some(structure) = structure else { return Vec::new() };
        let packing = if structure["packed"] == true { "storage" } else { text(&buffer["packing"]) };
        let fields = list(&structure["layouts"][packing]["fields"]).iter();
        fields.map(|field| (text(&field["name"]).to_owned(), number(&field["offset"]))).collect()
    }

    fn threads(&self) -> Option<[u32; 3]> {
        let sizes = self.entry.get("thread_group_size")?;
        Some([number(&sizes[0]), number(&sizes[1]), number(&sizes[2])])
    }

    fn located(&self, list_of: &str, target: &str) -> Vec<Located> {
        let of = |item: &Value| {
            let ty = text(&item["type"]);
            let name = ty.trim_end_matches(|last: char| last.is_ascii_digit());
            let scalar = ["float", "half", "int", "uint"].into_iter().find(|scalar| *scalar == name).unwrap_or("?");
            let width = ty[name.len()..].parse().unwrap_or(1);
            let interpolation =
                ["perspective", "noperspective", "flat"].into_iter().find(|kind| item["interpolation"] == **kind);
            let location =
                if list_of == "colour_targets" { number(&item["slots"][target]) } else { number(&item["location"]) };
            Located { location, scalar, width, interpolation }
        };
        let mut all: Vec<Located> = list(&self.entry[list_of]).iter().map(of).collect();
        all.sort();
        all
    }

    fn check_locations(&self, shown: &Shown, target: &str) -> Result<(), String> {
        // Vulkan passes halves as floats, and DXC calls them so.
        let has_half = target == "metal";
        let widened = |mut all: Vec<Located>| {
            all.iter_mut().filter(|one| one.scalar == "half" && !has_half).for_each(|one| one.scalar = "float");
            all
        };
        let said = |list_of| {
            let mut all = widened(self.located(list_of, target));
            if target == "d3d12" {
                // DXC says nothing of interpolation.
                all.iter_mut().for_each(|one| one.interpolation = None);
            }
            all
        };
        let shown =
            &Shown { inputs: widened(shown.inputs.clone()), outputs: widened(shown.outputs.clone()), ..shown.clone() };
        let inputs = said("inputs");
        match target {
            // Varyings before those that a stage takes are there too, so that registers fit.
            "d3d12" => {
                if let Some(input) = inputs.iter().find(|input| !shown.inputs.contains(input)) {
                    return Err(format!("{input:?} does not come in; there is {:?}", shown.inputs));
                }
            }
            // DXC drops what it does not use.
            "dxc" => {
                if let Some(input) = shown.inputs.iter().find(|input| !inputs.contains(input)) {
                    return Err(format!("{input:?} comes in; the reflection has {inputs:?}"));
                }
            }
            _ => same("varyings that come in", inputs, shown.inputs.clone())?,
        }
        if text(&self.entry["stage"]) == "fragment" {
            let without =
                |all: &[Located]| -> Vec<_> { all.iter().map(|one| (one.location, one.scalar, one.width)).collect() };
            let targets = widened(self.located("colour_targets", if target == "dxc" { "vulkan" } else { target }));
            same("colour targets", without(&targets), without(&shown.outputs))?;
        } else if let ("d3d12", Some(output)) =
            (target, said("outputs").iter().find(|output| !shown.outputs.contains(output)))
        {
            return Err(format!("{output:?} does not go out; there is {:?}", shown.outputs));
        } else if target != "d3d12" {
            same("varyings that go out", said("outputs"), shown.outputs.clone())?;
        }
        same("clip distances", number(&self.entry["clip_distances"]), shown.clip_distances)
    }

    fn metal(&self, shown: &Shown) -> Result<(), String> {
        self.check_resources(Form::Metal, shown, |_| true)?;
        self.check_baked(shown)?;
        same("threads a group", self.threads().map(|[x, y, z]| Threads::Total(x * y * z)), shown.threads)?;
        same("the position", self.entry["position"] == true, shown.position)?;
        self.check_locations(shown, "metal")
    }

    /// The samplers that Metal bakes in are those that are said to be in the interface, and all that are reached.
    fn check_baked(&self, shown: &Shown) -> Result<(), String> {
        let mut said = Vec::new();
        for used in list(&self.entry["static_samplers"]) {
            let sampler = &self.json["static_samplers"][number(&used["sampler"]) as usize];
            said.push((
                (text(&sampler["filter"]), text(&sampler["address"]), sampler["compare"].as_str()),
                used["reached"] == true,
            ));
        }
        for state in &shown.baked {
            if !said.iter().any(|(other, _)| other == state) {
                return Err(format!("the sampler {state:?} is baked in; the reflection has {said:?}"));
            }
        }
        match said.iter().find(|(state, reached)| *reached && !shown.baked.contains(state)) {
            Some((state, _)) => Err(format!("the sampler {state:?} is not baked in; there is {:?}", shown.baked)),
            None => Ok(()),
        }
    }

    fn dxil(&self, shown: &Shown) -> Result<(), String> {
        self.check_resources(Form::Dxil, shown, |expected| expected.reached)?;
        let reached = self.resources(Form::Dxil)?;
        for read in &shown.resources {
            if !reached.iter().any(|expected| expected.reached && expected.resource.place() == read.place()) {
                return Err(format!("the entry is said not to reach {read:?}"));
            }
        }
        same("threads a group", self.threads().map(Threads::Axes), shown.threads)?;
        // A fragment stage may take the position for its register alone.
        if self.entry["position"] == true || text(&self.entry["stage"]) == "vertex" {
            same("the position", self.entry["position"] == true, shown.position)?;
        }
        self.check_locations(shown, "d3d12")?;
        let has = |capability: &str| list(&self.entry["capabilities"]).iter().any(|name| *name == *capability);
        for (flag, what, said) in [
            (0x4000, "wave operations", has("wave")),
            (0x10_0000, "ray queries", has("ray_query")),
            (0x4_0000, "16-bit operations", self.entry["targets"]["d3d12"]["native_16_bit"] == true),
        ] {
            if shown.requires & flag != 0 && !said {
                return Err(format!("DXC says that it takes {what}"));
            }
        }
        Ok(())
    }

    fn spirv(&self, shown: &Shown, words: &[u32]) -> Result<(), String> {
        let vulkan = &self.entry["targets"]["vulkan"];
        let names = |value: &Value| -> Vec<String> { list(value).iter().map(|name| text(name).to_owned()).collect() };
        same("the name", text(&vulkan["entry"]), &shown.entry)?;
        same("the capabilities", names(&vulkan["capabilities"]), shown.capabilities.clone())?;
        same("the extensions", names(&vulkan["extensions"]), shown.extensions.clone())?;
        self.check_resources(Form::Spirv, shown, |expected| expected.stays)?;
        same("threads a group", self.threads().map(Threads::Axes), shown.threads)?;
        self.check_locations(shown, "vulkan")?;
        self.check_scalars(words)
    }

    fn dxc_spirv(&self, shown: &Shown) -> Result<(), String> {
        self.check_resources(Form::Spirv, shown, |expected| expected.reached)?;
        same("threads a group", self.threads().map(Threads::Axes), shown.threads)?;
        self.check_locations(shown, "dxc")
    }

    /// Every scalar in every buffer lies where our SPIR-V declares it.
    fn check_scalars(&self, words: &[u32]) -> Result<(), String> {
        let module = rspirv::dr::load_words(words).map_err(|error| error.to_string())?;
        let declared = leaves::of_spirv(&module)?;
        for used in list(&self.entry["bindings"]) {
            let binding = &self.json["bindings"][number(&used["binding"]) as usize];
            let slot = &binding["slots"]["vulkan"];
            let (Some(buffer), 0) = (binding.get("buffer"), number(&slot["set"])) else { continue };
            let mut said = Vec::new();
            self.scalars(buffer, text(&buffer["packing"]), 0, &mut said)?;
            said.sort_unstable();
            let Some((_, read, stride)) = declared.iter().find(|(other, ..)| *other == number(&slot["binding"])) else {
                continue;
            };
            let what = format!("the scalars of {}", binding["variable"]);
            if text(&buffer["packing"]) == "uniform" {
                // There is padding beside the scalars.
                let lost: Vec<_> = said.iter().filter(|offset| !read.contains(offset)).collect();
                if !lost.is_empty() {
                    return Err(format!("{what}: nothing is at {lost:?}; there is something at {read:?}"));
                }
            } else {
                same(&what, &said, read)?;
                same(&format!("the stride of {}", binding["variable"]), Some(number(&buffer["stride"])), *stride)?;
            }
        }
        Ok(())
    }

    /// The scalars of a value at an offset, by the reflection alone.
    fn scalars(&self, value: &Value, packing: &str, at: u32, found: &mut Vec<u32>) -> Result<(), String> {
        let mut starts = vec![at];
        for array in list(&value["arrays"]) {
            let (length, stride) = (number(&array["length"]), number(&array["stride"]));
            starts =
                starts.into_iter().flat_map(|start| (0..length).map(move |index| start + index * stride)).collect();
        }
        for start in starts {
            if let Some(name) = value.get("struct") {
                let structure = list(&self.json["structs"]).iter().find(|structure| structure["name"] == *name);
                let structure = structure.ok_or_else(|| format!("there is no struct {name}"))?;
                let packing = if structure["packed"] == true { "storage" } else { packing };
                for field in list(&structure["layouts"][packing]["fields"]) {
                    self.scalars(field, packing, start + number(&field["offset"]), found)?;
                }
                continue;
            }
            let size = match text(&value["scalar"]) {
                "half" => 2,
                "uint64" => 8,
                _ => 4,
            };
            let width = value.get("width").map_or(1, number);
            let columns = value.get("columns").map_or(1, number);
            let stride = value.get("column_stride").map_or(0, number);
            found.extend(
                (0..columns).flat_map(|column| (0..width).map(move |row| start + column * stride + row * size)),
            );
        }
        Ok(())
    }
}

/// Space and number of a register or descriptor.
fn place(slot: &Value, form: Form) -> Option<(u32, u32)> {
    if slot.is_null() {
        return None;
    }
    Some(match form {
        Form::Metal => (0, number(&slot["index"])),
        Form::Dxil => (number(&slot["space"]), number(&slot["number"])),
        Form::Spirv => (number(&slot["set"]), number(&slot["binding"])),
    })
}

/// The letter of a register.
fn register(slot: &Value, form: Form) -> Option<char> {
    if form == Form::Dxil { text(&slot["register"]).chars().next() } else { None }
}

/// The schema is not one that takes anything.
fn schema_refuses() -> Result<(), String> {
    let example = package::examples().into_iter().next().ok_or("no examples")?;
    let right = reflection_of(&example)?.json;
    fits_schema(&right)?;
    type Fault = fn(&mut Value);
    let faults: [(&str, Fault); 9] = [
        ("a version of the future", |json| json["version"] = 2.into()),
        ("a key that there is not", |json| json["surprise"] = true.into()),
        ("an entry without its targets", |json| {
            drop(json["entries"][0].as_object_mut().and_then(|entry| entry.remove("targets")))
        }),
        ("a stage that there is not", |json| json["entries"][0]["stage"] = "geometry".into()),
        ("a register that there is not", |json| json["bindings"][0]["slots"]["d3d12"]["register"] = "x".into()),
        ("a binding without its class", |json| {
            drop(json["bindings"][0].as_object_mut().and_then(|binding| binding.remove("class")))
        }),
        ("a negative slot", |json| json["bindings"][0]["slots"]["vulkan"]["binding"] = (-1).into()),
        ("a struct without layouts", |json| json["structs"][0]["layouts"] = Value::Object(serde_json::Map::new())),
        ("a field with a key that there is not", |json| {
            json["structs"][0]["layouts"]["uniform"]["fields"][0]["surprise"] = true.into()
        }),
    ];
    for (what, make) in faults {
        let mut wrong = right.clone();
        make(&mut wrong);
        if fits_schema(&wrong).is_ok() {
            return Err(format!("the schema takes {what}"));
        }
    }
    Ok(())
}
