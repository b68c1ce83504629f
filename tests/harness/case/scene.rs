//! The `scene` directive.

use crate::scene::{Geometry, Instance, Scene, Vector};

/// Reads `instance [mask=0xFF] [id=0] [opaque] [force=opaque|non_opaque] [translate=x,y,z] [scale=x,y,z] [rows=<twelve numbers>] : v v v | v v v …`,
/// several times; `geometry [opaque] : v v v …` after that begins one more geometry of the instance.
pub(super) fn parse_scene(text: &str) -> Result<Scene, String> {
    let mut words = text.split_whitespace().peekable();
    let mut instances = Vec::new();
    while let Some(word) = words.next() {
        if word != "instance" {
            return Err(format!("`{word}` where an `instance` begins"));
        }
        instances.push(instance(&mut words)?);
    }
    if instances.is_empty() { Err("a scene has an instance".into()) } else { Ok(Scene { instances }) }
}

fn instance<'t>(words: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>) -> Result<Instance, String> {
    let mut instance = Instance { mask: 0xff, id: 0, forced: None, transform: [[0.0; 4]; 3], geometries: Vec::new() };
    let mut opaque = false;
    let (mut scale, mut translate, mut rows) = ([1.0; 3], [0.0; 3], None);
    loop {
        let word = words.next().ok_or("an instance has `:` and its vertices")?;
        match word.split_once('=') {
            None if word == ":" => break,
            None if word == "opaque" => opaque = true,
            Some(("force", "opaque")) => instance.forced = Some(true),
            Some(("force", "non_opaque")) => instance.forced = Some(false),
            Some(("mask", value)) => instance.mask = integer(value)?,
            Some(("id", value)) => instance.id = integer(value)?,
            Some(("translate", value)) => translate = vector(value)?,
            Some(("scale", value)) => scale = vector(value)?,
            Some(("rows", value)) => rows = Some(numbers::<12>(value)?),
            _ => {
                return Err(format!(
                    "unknown option `{word}` of an instance: mask, id, opaque, force, translate, scale or rows"
                ));
            }
        }
    }
    for axis in 0..3 {
        instance.transform[axis][axis] = scale[axis];
        instance.transform[axis][3] = translate[axis];
    }
    if let Some(rows) = rows {
        let (rows, _) = rows.as_chunks::<4>();
        instance.transform.copy_from_slice(rows);
    }
    instance.geometries.push(Geometry { opaque, triangles: triangles(words)? });
    while words.next_if_eq(&"geometry").is_some() {
        let opaque = words.next_if_eq(&"opaque").is_some();
        words.next_if_eq(&":").ok_or("a geometry has `:` and its vertices")?;
        instance.geometries.push(Geometry { opaque, triangles: triangles(words)? });
    }
    Ok(instance)
}

fn triangles<'t>(words: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>) -> Result<Vec<[Vector; 3]>, String> {
    let mut vertices = Vec::new();
    while let Some(word) = words.next_if(|word| !matches!(*word, "instance" | "geometry")) {
        if word != "|" {
            vertices.push(vector(word)?);
        } else if vertices.len() % 3 != 0 {
            return Err("a triangle has three vertices".into());
        }
    }
    let (triangles, rest) = vertices.as_chunks::<3>();
    if triangles.is_empty() || !rest.is_empty() {
        return Err("a triangle has three vertices".into());
    }
    Ok(triangles.to_vec())
}

fn integer(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is no number"))
}

fn vector(text: &str) -> Result<Vector, String> {
    numbers(text)
}

fn numbers<const COUNT: usize>(text: &str) -> Result<[f32; COUNT], String> {
    let parts: Result<Vec<f32>, _> = text.split(',').map(str::parse).collect();
    let parts = parts.ok().and_then(|parts| <[f32; COUNT]>::try_from(parts).ok());
    parts.ok_or_else(|| format!("`{text}` is not {COUNT} numbers between commas"))
}
