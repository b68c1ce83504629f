//! Metal source as a program for the CPU that runs jobs, each in a process of its own.

use super::clang::{clang, metal_folder, prepare, prepare_once, run};
use super::syntax::{Declaration, EntryStage, Function, Unit};
use super::{rewrite, syntax};
use crate::job::{Address, BindlessKind, Compare, Contents, Filter, Image, Job, Outcome, Sampler, TextureShape, Work};
use crate::texel::TexelFormat;
use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The language of the run mode: C++17 without optimisation (the order of the code must be that of the source) and without excess precision,
/// with checks of what C++ leaves undefined.
const LANGUAGE: [&str; 17] = [
    "-x", "c++", "-std=c++17", "-O0", "-w", "-Wno-reserved-user-defined-literal", "-fdeclspec", "-fno-exceptions",
    "-fno-rtti", "-fno-fast-math", "-ffp-contract=off", "-fno-omit-frame-pointer", "-fno-stack-protector", "-Xclang",
    "-cl-single-precision-constant", "-Xclang", "-ffloat16-excess-precision=none",
];

/// What the source gets and the runtime does not.
const SOURCE: [&str; 3] = [
    "-ftrivial-auto-var-init=pattern",
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,float-cast-overflow,bounds,return,unreachable,alignment",
    "-fno-sanitize-recover=all",
];

/// All flags that what is made depends on.
pub(super) fn flags() -> impl Hash {
    (LANGUAGE, SOURCE)
}

/// How long a job may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A compiled source.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// Compiles `source`, which should have passed [`super::check`]. The same source is compiled once.
    ///
    /// # Errors
    /// What the compiler says, or what the harness cannot run.
    pub fn compile(source: &str) -> Result<Self, String> {
        let unit = syntax::parse(source)?;
        let text = format!("{}\n{}", rewrite::for_run(&unit), driver(&unit)?);
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let path = prepare(&format!("program-{:016x}", hasher.finish()), |path| build(&text, path))?;
        Ok(Self { path })
    }

    /// Runs a job. Buffers and textures are bound by their slot's number, within their class.
    ///
    /// # Errors
    /// A job that does not fit the source, one that takes too long, and all undefined behaviour that was noticed.
    pub fn run(&self, job: &Job) -> Result<Outcome, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (input, output) = (folder.path().join("job"), folder.path().join("outcome"));
        std::fs::write(&input, encode(job)?).map_err(|error| error.to_string())?;
        let mut child = Command::new(&self.path)
            .args([&input, &output])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let start = Instant::now();
        while child.try_wait().map_err(|error| error.to_string())?.is_none() {
            if start.elapsed() > LIMIT {
                child.kill().map_err(|error| error.to_string())?;
                child.wait().map_err(|error| error.to_string())?;
                return Err(format!("the job did not end within {LIMIT:?}"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let ended = child.wait_with_output().map_err(|error| error.to_string())?;
        if !ended.status.success() {
            return Err(format!("{}{}", String::from_utf8_lossy(&ended.stderr), ended.status));
        }
        decode(job, &std::fs::read(&output).map_err(|error| error.to_string())?)
    }
}

/// Compiles `source` and runs one job.
///
/// # Errors
/// See [`Program`].
pub fn run_job(source: &str, job: &Job) -> Result<Outcome, String> {
    Program::compile(source)?.run(job)
}

fn compiler() -> Command {
    let mut command = clang();
    command.args(LANGUAGE).arg("-I").arg(metal_folder().join("include"));
    command
}

fn build(text: &str, path: &Path) -> Result<(), String> {
    let header = prepare_once("run.pch", |path| {
        let mut command = compiler();
        command.args(SOURCE).args(["-x", "c++-header", "-fpch-instantiate-templates", "-o"]).arg(path).arg("-");
        succeed(command, "#include <akari_driver.h>\n", "the Metal headers")
    })?;
    let runtime = prepare_once("runtime.o", |path| {
        let mut command = compiler();
        command.arg("-O1").arg("-I").arg(metal_folder().join("runtime")).args(["-c", "-o"]).arg(path).arg("-");
        succeed(
            command,
            "#include \"lanes.cpp\"\n#include \"texture.cpp\"\n#include \"raster.cpp\"\n#include \"main.cpp\"\n",
            "the runtime",
        )
    })?;
    let object = path.with_extension("o");
    let mut command = compiler();
    command
        .args(SOURCE)
        .args(["-Xclang", "-fno-validate-pch", "-Xclang", "-include-pch", "-Xclang"])
        .arg(header)
        .args(["-c", "-o"])
        .arg(&object)
        .arg("-");
    succeed(command, text, "the source")?;
    let mut link = clang();
    link.arg("-no-pie").arg(&object).arg(runtime).args(["-lm", "-o"]).arg(path);
    let linked = succeed(link, "", "linking");
    std::fs::remove_file(&object).map_err(|error| error.to_string())?;
    linked
}

fn succeed(command: Command, input: &str, what: &str) -> Result<(), String> {
    match run(command, input)? {
        (true, _) => Ok(()),
        (false, said) => Err(format!("{what}: {said}")),
    }
}

/// The functions that call the entries with their arguments, and the table of them.
fn driver(unit: &Unit) -> Result<String, String> {
    let mut text = String::from("namespace {\nusing namespace metal;\n");
    let mut table = String::new();
    let mut slots = Vec::new();
    for (number, entry) in
        unit.functions.iter().filter(|function| function.stage.is_some() && function.body.is_some()).enumerate()
    {
        let Some(stage) = entry.stage else { continue };
        let arguments =
            entry.parameters.iter().map(|parameter| argument(unit, stage, parameter)).collect::<Result<Vec<_>, _>>()?;
        let mut varyings = String::new();
        let mut before = String::new();
        if let Some(input) = entry.parameters.iter().find(|parameter| parameter.attribute("stage_in").is_some()) {
            let item = unit.struct_named(&input.ty).ok_or_else(|| format!("`{}` is declared nowhere", input.ty))?;
            let _ = write!(before, "::{} in = {{}}; ", item.name);
            for field in &item.fields {
                if field.attribute("position").is_some() {
                    let _ = write!(before, "in.{} = io.position; ", field.name);
                    continue;
                }
                let slot = slot(&mut slots, field)?;
                let _ = write!(before, "akari::get_words(io.varyings[{slot}], in.{}); ", field.name);
                let _ = write!(varyings, "{{{slot}, {}, akari::{}}}, ", width(&field.ty), interpolation(field));
            }
        }
        let call = format!("::{}({})", entry.name, arguments.join(", "));
        let body = match stage {
            EntryStage::Kernel => format!("{call};"),
            EntryStage::Vertex => vertex_result(unit, entry, &call, &mut slots)?,
            EntryStage::Fragment => fragment_result(unit, entry, &call)?,
        };
        let _ = writeln!(text, "void akari_call_{number}(akari::io &io) {{ {before}{body} }}");
        let count = varyings.matches('{').count();
        let listed = if count == 0 {
            "nullptr".to_owned()
        } else {
            let _ = writeln!(text, "const akari::varying akari_varyings_{number}[] = {{{varyings}}};");
            format!("akari_varyings_{number}")
        };
        let stage = match stage {
            EntryStage::Kernel => "kernel",
            EntryStage::Vertex => "vertex",
            EntryStage::Fragment => "fragment",
        };
        let _ = writeln!(
            table,
            "    {{\"{}\", metal::akari::stage_{stage}, &akari_call_{number}, {listed}, {count}}},",
            entry.name
        );
    }
    let _ = write!(text, "}}\nconst metal::akari::entry akari_entries[] = {{\n{table}    {{}}\n}};\n");
    let _ =
        writeln!(text, "const metal::uint akari_entry_count = sizeof(akari_entries) / sizeof(akari_entries[0]) - 1;");
    Ok(text)
}

/// Components of a scalar or vector type.
fn width(ty: &str) -> u32 {
    match ty.as_bytes().last() {
        Some(digit @ b'2'..=b'4') => u32::from(digit - b'0'),
        _ => 1,
    }
}

fn interpolation(field: &Declaration) -> &'static str {
    let integer = !(field.ty.contains("float") || field.ty.contains("half"));
    if integer || field.attribute("flat").is_some() {
        "flat"
    } else if field.attributes.iter().any(|attribute| attribute.name.ends_with("no_perspective")) {
        "no_perspective"
    } else {
        "perspective"
    }
}

/// The number of a varying, which is known by its `[[user]]` name, else its own.
fn slot(slots: &mut Vec<String>, field: &Declaration) -> Result<usize, String> {
    let name = field
        .attribute("user")
        .and_then(|attribute| attribute.argument.as_ref())
        .map_or_else(|| field.name.clone(), |user| format!("user({user})"));
    let at = slots.iter().position(|known| *known == name).unwrap_or_else(|| {
        slots.push(name);
        slots.len() - 1
    });
    if at < 32 { Ok(at) } else { Err("more than 32 varyings".to_owned()) }
}

fn argument(unit: &Unit, stage: EntryStage, parameter: &Declaration) -> Result<String, String> {
    let attribute = parameter.attributes.first().ok_or_else(|| format!("`{}` has no attribute", parameter.name))?;
    let index = attribute.index().unwrap_or_default();
    let ty = &parameter.ty;
    let pointed = format!("({ty} *)akari::akari_buffer(&io, {index})");
    let position = |name: &str| format!("akari::builtin<{ty}>(io.{name})");
    let text = match (attribute.name.as_str(), stage) {
        ("buffer", _) => match parameter.indirection {
            syntax::Indirection::Reference => format!("*{pointed}"),
            syntax::Indirection::Pointer => pointed,
            syntax::Indirection::Value if ty.ends_with("acceleration_structure") => {
                format!("{ty}(akari::akari_buffer(&io, {index}))")
            }
            syntax::Indirection::Value => return Err(format!("buffer `{}` is a value", parameter.name)),
        },
        ("texture", _) => format!("akari::texture_argument<{ty}>::at(io, {index})"),
        ("sampler", _) => format!("*akari::akari_sampler(&io, {index})"),
        ("stage_in", EntryStage::Fragment) if unit.struct_named(ty).is_some() => "in".to_owned(),
        (
            name @ ("thread_position_in_grid"
            | "threadgroup_position_in_grid"
            | "thread_position_in_threadgroup"
            | "threads_per_threadgroup"
            | "threads_per_grid"
            | "threadgroups_per_grid"),
            EntryStage::Kernel,
        ) => position(name),
        ("dispatch_threads_per_threadgroup", EntryStage::Kernel) => position("threads_per_threadgroup"),
        ("thread_index_in_threadgroup", EntryStage::Kernel) => format!("{ty}(io.thread_index_in_threadgroup)"),
        ("thread_index_in_simdgroup", EntryStage::Kernel) => format!("{ty}(io.thread_index_in_threadgroup % 8)"),
        ("simdgroup_index_in_threadgroup", EntryStage::Kernel) => format!("{ty}(io.thread_index_in_threadgroup / 8)"),
        ("thread_index_in_quadgroup", EntryStage::Kernel) => format!("{ty}(io.thread_index_in_threadgroup % 4)"),
        ("threads_per_simdgroup" | "thread_execution_width", EntryStage::Kernel | EntryStage::Fragment) => {
            format!("{ty}(8)")
        }
        ("vertex_id", EntryStage::Vertex) => format!("{ty}(io.vertex_id)"),
        ("instance_id", EntryStage::Vertex) => format!("{ty}(io.instance_id)"),
        ("base_vertex" | "base_instance", EntryStage::Vertex) => format!("{ty}(0)"),
        ("position", EntryStage::Fragment) => "io.position".to_owned(),
        ("front_facing", EntryStage::Fragment) => "io.front_facing".to_owned(),
        (name, _) => return Err(format!("[[{name}]] of `{}` cannot be run here", parameter.name)),
    };
    Ok(text)
}

fn vertex_result(unit: &Unit, entry: &Function, call: &str, slots: &mut Vec<String>) -> Result<String, String> {
    if entry.result.ty == "float4" {
        return Ok(format!("io.position = {call};"));
    }
    let item =
        unit.struct_named(&entry.result.ty).ok_or_else(|| format!("`{}` is declared nowhere", entry.result.ty))?;
    let mut text = format!("auto out = {call}; ");
    for field in &item.fields {
        let name = &field.name;
        if field.attribute("position").is_some() {
            let _ = write!(text, "io.position = out.{name}; ");
        } else if field.attribute("clip_distance").is_some() {
            let _ = write!(text, "akari::put_clip(io, out.{name}); ");
        } else if field.attribute("point_size").is_none() {
            let slot = slot(slots, field)?;
            let _ = write!(text, "akari::put_words(io.varyings[{slot}], out.{name}); ");
        }
    }
    Ok(text)
}

fn fragment_result(unit: &Unit, entry: &Function, call: &str) -> Result<String, String> {
    if entry.result.ty == "void" {
        return Ok(format!("{call};"));
    }
    let Some(item) = unit.struct_named(&entry.result.ty) else {
        let index = entry
            .attributes
            .iter()
            .find(|attribute| attribute.name == "color")
            .and_then(syntax::Attribute::index)
            .unwrap_or_default();
        return Ok(format!("akari::put_color(io, {index}, {call});"));
    };
    let mut text = format!("auto out = {call}; ");
    for field in &item.fields {
        if let Some(index) = field.attribute("color").and_then(syntax::Attribute::index) {
            let _ = write!(text, "akari::put_color(io, {index}, out.{}); ", field.name);
        }
    }
    Ok(text)
}

/// A job as the runtime's `main.cpp` reads it: little-endian 32-bit numbers and counted bytes.
fn encode(job: &Job) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let number = |out: &mut Vec<u8>, value: u32| out.extend(value.to_le_bytes());
    let text = |out: &mut Vec<u8>, value: &str| {
        number(out, value.len() as u32);
        out.extend(value.as_bytes());
    };
    match &job.work {
        Work::Compute { entry, groups, threads } => {
            number(&mut out, 0);
            text(&mut out, entry);
            groups.iter().chain(threads).for_each(|&value| number(&mut out, value));
        }
        Work::Draw { vertex, fragment, vertices, instances, size, targets } => {
            number(&mut out, 1);
            text(&mut out, vertex);
            text(&mut out, fragment);
            [*vertices, *instances, size[0], size[1], targets.len() as u32]
                .iter()
                .for_each(|&value| number(&mut out, value));
            targets.iter().for_each(|&format| number(&mut out, format_number(format.unwrap_or(UNATTACHED))));
        }
    }
    number(&mut out, job.resources.len() as u32);
    for resource in &job.resources {
        let kind = match &resource.contents {
            Contents::UniformBuffer(_) | Contents::StorageBuffer(_) | Contents::Scene(_) => 0,
            Contents::Texture(_) | Contents::StorageTexture(_) => 1,
            Contents::BufferTable(_) => 2,
            Contents::TextureTable(_) => 3,
        };
        number(&mut out, kind);
        number(&mut out, resource.slot.binding + resource.slot.element);
        match &resource.contents {
            Contents::BufferTable(buffers) => {
                number(&mut out, buffers.len() as u32);
                for (index, contents) in buffers {
                    number(&mut out, *index);
                    counted(&mut out, &resource.name, contents)?;
                }
            }
            Contents::TextureTable(textures) => {
                number(&mut out, textures.len() as u32);
                for (index, image) in textures {
                    // The place in `BindlessTexture`.
                    let kind = match image.bindless_kind() {
                        BindlessKind::Tex2D => 0,
                        BindlessKind::TexCube => 1,
                        BindlessKind::Tex3D => 2,
                        BindlessKind::TexDepth2D => 3,
                    };
                    [*index, kind].iter().for_each(|&value| number(&mut out, value));
                    encode_image(&mut out, &resource.name, image)?;
                    counted(&mut out, &resource.name, &image.texels)?;
                }
            }
            Contents::Texture(image) | Contents::StorageTexture(image) => {
                encode_image(&mut out, &resource.name, image)?;
                counted(&mut out, &resource.name, &image.texels)?;
            }
            Contents::UniformBuffer(_) | Contents::StorageBuffer(_) | Contents::Scene(_) => {
                counted(&mut out, &resource.name, &bytes(&resource.contents))?;
            }
        }
    }
    number(&mut out, job.samplers.len() as u32);
    for Sampler { slot, state } in &job.samplers {
        let filter = match state.filter {
            Filter::Point => 0,
            Filter::Linear => 1,
        };
        let address = match state.address {
            Address::Clamp => 0,
            Address::Repeat => 1,
            Address::Mirror => 2,
        };
        let compare = match state.compare {
            None | Some(Compare::Never) => 0,
            Some(Compare::Less) => 1,
            Some(Compare::Equal) => 2,
            Some(Compare::LessEqual) => 3,
            Some(Compare::Greater) => 4,
            Some(Compare::NotEqual) => 5,
            Some(Compare::GreaterEqual) => 6,
            Some(Compare::Always) => 7,
        };
        [slot.binding, filter, address, compare].iter().for_each(|&value| number(&mut out, value));
    }
    Ok(out)
}

/// Bytes led by their number.
fn counted(out: &mut Vec<u8>, name: &str, bytes: &[u8]) -> Result<(), String> {
    out.extend(u32::try_from(bytes.len()).map_err(|_| format!("`{name}` is too large"))?.to_le_bytes());
    out.extend(bytes);
    Ok(())
}

/// What is said of a texture before its texels.
fn encode_image(out: &mut Vec<u8>, name: &str, image: &Image) -> Result<(), String> {
    let Image { format, shape, size, mips, layers, texels } = image;
    let texel_count: u64 = (0..*mips)
        .map(|mip| {
            crate::job::mip_size(*size, mip).iter().map(|&extent| u64::from(extent)).product::<u64>()
                * u64::from(*layers)
        })
        .sum();
    if texel_count * format.bytes() as u64 != texels.len() as u64 {
        return Err(format!(
            "`{name}` has {} bytes of texels, not {}",
            texels.len(),
            texel_count * format.bytes() as u64
        ));
    }
    let shape = match shape {
        TextureShape::D2 => 0,
        TextureShape::D2Array => 1,
        TextureShape::D3 => 2,
        TextureShape::Cube => 3,
        TextureShape::CubeArray => 4,
    };
    let numbers = [format_number(*format), shape, size[0], size[1], size[2], *mips, *layers];
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    Ok(())
}

/// What a resource is in memory; a scene as `metal_raytracing` reads it.
fn bytes(contents: &Contents) -> Cow<'_, [u8]> {
    let Contents::Scene(scene) = contents else { return Cow::Borrowed(contents.bytes()) };
    let mut words = vec![scene.instances.len() as u32];
    for instance in &scene.instances {
        words.extend([instance.mask, instance.id]);
        words.extend(instance.transform.as_flattened().iter().map(|number| number.to_bits()));
        words.push(instance.triangles().count() as u32);
        for (opaque, number, triangle) in instance.triangles() {
            words.extend([u32::from(opaque), number]);
            words.extend(triangle.as_flattened().iter().map(|number| number.to_bits()));
        }
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The place of the format in the runtime's list.
/// What stands in for a target where nothing is attached: nothing writes it.
const UNATTACHED: TexelFormat = TexelFormat::R32f;

fn format_number(format: TexelFormat) -> u32 {
    match format {
        TexelFormat::Rgba32f => 0,
        TexelFormat::Rgba16f => 1,
        TexelFormat::Rgba8Unorm => 2,
        TexelFormat::R32f => 3,
        TexelFormat::R16f => 4,
        TexelFormat::Rg16f => 5,
        TexelFormat::Rg32f => 6,
        TexelFormat::R11g11b10f => 7,
        TexelFormat::R32u => 8,
        TexelFormat::R32i => 9,
        TexelFormat::Rgba32u => 10,
        TexelFormat::Rgba32i => 11,
        TexelFormat::Depth32f => 12,
    }
}

fn decode(job: &Job, mut outcome: &[u8]) -> Result<Outcome, String> {
    let mut take = |size: usize| {
        let (taken, rest) = outcome.split_at_checked(size).ok_or("the outcome is too short")?;
        outcome = rest;
        Ok::<_, String>(taken.to_vec())
    };
    let mut left = |contents: &Contents| {
        let taken = take(bytes(contents).len())?;
        // Nothing writes a scene.
        Ok::<_, String>(if matches!(contents, Contents::Scene(_)) { Vec::new() } else { taken })
    };
    let resources = job.resources.iter().map(|resource| left(&resource.contents)).collect::<Result<_, _>>()?;
    let targets = match &job.work {
        Work::Compute { .. } => Vec::new(),
        Work::Draw { size, targets, .. } => {
            let left = |format: &Option<TexelFormat>| {
                let texels = take(size[0] as usize * size[1] as usize * format.unwrap_or(UNATTACHED).bytes())?;
                Ok::<_, String>(if format.is_some() { texels } else { Vec::new() })
            };
            targets.iter().map(left).collect::<Result<_, _>>()?
        }
    };
    Ok(Outcome { resources, targets })
}
