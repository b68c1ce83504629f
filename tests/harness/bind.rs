//! Joins a case, which names its resources, with the interface of the compiled shader, which says where they are bound.

use crate::case::{Case, Run, TableElement, TableResource, Texture};
use crate::job::{
    Binding, BindingKind, BoundResource, Contents, EntryPoint, Image, Interface, Job, Slot, Stage, TextureShape, Work,
};

/// The jobs that run `case` with a shader of that interface, one after the other: see [`Job::continue_from`].
///
/// # Errors
/// When the two do not fit: a binding without contents, contents without a binding, a texture of another kind, no entry or several.
pub fn jobs(case: &Case, interface: &Interface) -> Result<Vec<Job>, String> {
    let named = case.buffers.iter().map(|buffer| &buffer.name).chain(case.textures.iter().map(|texture| &texture.name));
    let named =
        named.chain(case.scenes.iter().map(|(name, _)| name)).chain(case.tables.iter().map(|element| &element.table));
    let is_unbound = |name: &&String| !interface.bindings.iter().flat_map(elements).any(|(bound, _)| bound == **name);
    let unbound: Vec<_> = named.filter(is_unbound).map(|name| format!("`{name}`")).collect();
    if !unbound.is_empty() {
        return Err(format!("the shader has no binding {}", unbound.join(", ")));
    }
    let resources = interface
        .bindings
        .iter()
        .flat_map(|binding| elements(binding).map(|(name, slot)| resource(case, binding.kind, name, slot)));
    let resources = resources.collect::<Result<Vec<_>, _>>()?;
    let job = |run| {
        Ok(Job { work: work(run, interface)?, resources: resources.clone(), samplers: interface.samplers.clone() })
    };
    case.runs.iter().map(job).collect()
}

fn work(run: &Run, interface: &Interface) -> Result<Work, String> {
    Ok(match run {
        Run::Compute { groups, entry } => {
            let entry = pick(interface, Stage::Compute, entry.as_deref())?;
            Work::Compute { entry: entry.emitted.clone(), groups: *groups, threads: entry.threads }
        }
        Run::Draw { vertices, instances, size, targets, vertex, fragment } => Work::Draw {
            vertex: pick(interface, Stage::Vertex, vertex.as_deref())?.emitted.clone(),
            fragment: pick(interface, Stage::Fragment, fragment.as_deref())?.emitted.clone(),
            vertices: *vertices,
            instances: *instances,
            size: *size,
            targets: targets.clone(),
        },
    })
}

fn pick<'i>(interface: &'i Interface, stage: Stage, name: Option<&str>) -> Result<&'i EntryPoint, String> {
    let fits = |entry: &&EntryPoint| entry.stage == stage && name.is_none_or(|name| entry.name == name);
    let candidates: Vec<_> = interface.entries.iter().filter(fits).collect();
    match candidates.as_slice() {
        [entry] => Ok(entry),
        [] => Err(name.map_or_else(
            || format!("the shader has no {stage:?} entry"),
            |name| format!("the shader has no {stage:?} entry `{name}`"),
        )),
        several => Err(format!("the shader has {} {stage:?} entries", several.len())),
    }
}

/// The resources of a binding: itself, or the elements of an array with their numbers.
fn elements(binding: &Binding) -> impl Iterator<Item = (String, Slot)> {
    (0..binding.length.unwrap_or(1)).map(|element| {
        let name = match binding.length {
            None => binding.name.clone(),
            Some(_) => format!("{}[{element}]", binding.name),
        };
        (name, Slot { element, ..binding.slot })
    })
}

fn resource(case: &Case, kind: BindingKind, name: String, slot: Slot) -> Result<BoundResource, String> {
    let contents = match kind {
        BindingKind::UniformBuffer => Contents::UniformBuffer(buffer(case, &name)?),
        BindingKind::StorageBuffer => Contents::StorageBuffer(buffer(case, &name)?),
        BindingKind::Texture(shape) => Contents::Texture(image(case, &name, shape)?),
        BindingKind::StorageTexture(shape) => Contents::StorageTexture(image(case, &name, shape)?),
        BindingKind::Scene => {
            let scene = case.scenes.iter().find(|(scene, _)| *scene == name);
            let scene = scene.ok_or_else(|| format!("no `scene` line for the binding `{name}`"))?;
            Contents::Scene(scene.1.clone())
        }
        BindingKind::BufferTable => Contents::BufferTable(table(case, &name, |resource| match resource {
            TableResource::Buffer(bytes) => Ok(bytes.clone()),
            TableResource::Texture(_) => Err("a `BufferTable` has buffers"),
        })?),
        BindingKind::TextureTable => Contents::TextureTable(table(case, &name, |resource| match resource {
            TableResource::Texture(image) => Ok(image.clone()),
            TableResource::Buffer(_) => Err("a `TextureTable` has textures"),
        })?),
    };
    Ok(BoundResource { name, slot, contents })
}

/// The elements of a bindless table, in the order of their indices.
fn table<T>(
    case: &Case,
    name: &str,
    of: impl Fn(&TableResource) -> Result<T, &'static str>,
) -> Result<Vec<(u32, T)>, String> {
    let mut elements: Vec<&TableElement> = case.tables.iter().filter(|element| element.table == name).collect();
    if elements.is_empty() {
        return Err(format!("no `table` line for the binding `{name}`"));
    }
    elements.sort_by_key(|element| element.index);
    let fit = |element: &&TableElement| {
        let fitted = of(&element.resource).map_err(|error| format!("`{name}[{}]`: {error}", element.index))?;
        Ok((element.index, fitted))
    };
    elements.iter().map(fit).collect()
}

fn buffer(case: &Case, name: &str) -> Result<Vec<u8>, String> {
    let buffer = case.buffers.iter().find(|buffer| buffer.name == name);
    buffer.map(|buffer| buffer.bytes.clone()).ok_or_else(|| format!("no `buffer` line for the binding `{name}`"))
}

fn image(case: &Case, name: &str, shape: TextureShape) -> Result<Image, String> {
    let texture = case.textures.iter().find(|texture| texture.name == name);
    let texture = texture.ok_or_else(|| format!("no `texture` line for the binding `{name}`"))?;
    must_have_shape(texture, shape).map_err(|error| format!("line {}: {error}", texture.line))?;
    let Texture { format, size, mips, layers, ref texels, .. } = *texture;
    Ok(Image { format, shape, size, mips, layers, texels: texels.clone() })
}

fn must_have_shape(texture: &Texture, shape: TextureShape) -> Result<(), String> {
    let [width, height, depth] = texture.size;
    let fits = match shape {
        TextureShape::D2 => depth == 1 && texture.layers == 1,
        TextureShape::D2Array => depth == 1,
        TextureShape::D3 => texture.layers == 1,
        TextureShape::Cube => depth == 1 && width == height && texture.layers == 6,
        TextureShape::CubeArray => depth == 1 && width == height && texture.layers.is_multiple_of(6),
    };
    if fits {
        return Ok(());
    }
    Err(match shape {
        TextureShape::D2 => "a 2D texture has one layer and no depth",
        TextureShape::D2Array => "an array texture has no depth",
        TextureShape::D3 => "a 3D texture has one layer",
        TextureShape::Cube => "a cube is square and has `layers=6`",
        TextureShape::CubeArray => "a cube array is square and has a multiple of six layers",
    }
    .into())
}
