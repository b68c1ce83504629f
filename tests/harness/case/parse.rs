//! Reads the header of a case. Every fault is reported with its line, as many as there are.

use std::str::FromStr;

use super::scene::parse_scene;
use super::{
    Buffer, Case, CaseError, Expectation, Expected, Part, Place, Run, TableElement, TableResource, Texture, Tolerance,
};
use crate::job::{Image, TextureShape, Way, mip_size};
use crate::scalar::Scalar;
use crate::scene::Scene;
use crate::texel::TexelFormat;

/// As many numbers as a buffer or texture of a case may have: enough for any test, too few to fill the memory.
const MOST_NUMBERS: usize = 1 << 22;

/// The largest index of a bindless table.
const MOST_ELEMENTS: u32 = 1023;

/// Parses the header of a case.
///
/// # Errors
/// Everything that is wrong with it, in the order of the lines.
pub fn parse(source: &str) -> Result<Case, Vec<CaseError>> {
    let mut header = Header::default();
    let mut errors = Vec::new();
    match directives(source) {
        Ok(directives) => {
            for (line, text) in directives {
                if let Err(message) = header.directive(line, &text) {
                    errors.push(CaseError { line, message });
                }
            }
        }
        Err(error) => errors.push(error),
    }
    if errors.is_empty() {
        return header.finish();
    }
    Err(errors)
}

/// The directives with the number of their first line, continued lines joined.
fn directives(source: &str) -> Result<Vec<(usize, String)>, CaseError> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut shader_began = false;
    for (line, text) in (1..).zip(source.lines()) {
        let Some(directive) = text.strip_prefix("//!").or_else(|| text.strip_prefix(";!")) else {
            shader_began |= text.starts_with('#') || text.starts_with("module");
            continue;
        };
        if shader_began {
            return Err(CaseError { line, message: "a line of the header after the shader has begun".into() });
        }
        if directive.trim().is_empty() {
            continue;
        }
        match found.last_mut() {
            Some((_, last)) if directive.starts_with("   ") => {
                last.push(' ');
                last.push_str(directive.trim());
            }
            _ => found.push((line, directive.trim().to_owned())),
        }
    }
    Ok(found)
}

#[derive(Default)]
struct Header {
    from: Option<String>,
    runs: Vec<Run>,
    buffers: Vec<Buffer>,
    textures: Vec<Texture>,
    scenes: Vec<(String, Scene)>,
    tables: Vec<TableElement>,
    /// With the type as written, which is checked against the texture or target once all are known.
    expectations: Vec<RawExpectation>,
    import_dirs: Vec<String>,
    bindings: Option<String>,
    skips: Vec<(Way, String)>,
}

struct RawExpectation {
    line: usize,
    name: String,
    kind: String,
    tolerance: Tolerance,
    values: String,
}

impl Header {
    fn directive(&mut self, line: usize, text: &str) -> Result<(), String> {
        let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "from" if rest.is_empty() => Err("`from` says where the expected numbers come from".into()),
            "from" => only_once(&mut self.from, rest.to_owned(), "from"),
            "run" => {
                self.runs.push(parse_run(rest)?);
                Ok(())
            }
            "buffer" => {
                let (name, kind, values) = declaration(rest)?;
                self.must_be_new(name)?;
                self.buffers.push(Buffer { name: name.to_owned(), line, bytes: parse_contents(kind, values)? });
                Ok(())
            }
            "texture" => {
                let (name, kind, values) = declaration(rest)?;
                self.must_be_new(name)?;
                self.textures.push(parse_texture(name, line, kind, values)?);
                Ok(())
            }
            "scene" => {
                let (name, instances) = rest.split_once('=').ok_or("expected `name = instance …`")?;
                let name = name.trim();
                self.must_be_new(name)?;
                self.scenes.push((name.to_owned(), parse_scene(instances)?));
                Ok(())
            }
            "table" => {
                let (name, kind, values) = declaration(rest)?;
                let element = parse_table_element(name, line, kind, values)?;
                if self.is_single(&element.table) {
                    return Err(format!("`{}` is given twice", element.table));
                }
                if self.tables.iter().any(|other| is_same_element(other, &element)) {
                    return Err(format!("`{name}` is given twice"));
                }
                self.tables.push(element);
                Ok(())
            }
            "expect" => {
                let (name, kind, values) = declaration(rest)?;
                if self.expectations.iter().any(|other| other.name == name) {
                    return Err(format!("a second `expect` for `{name}`"));
                }
                let (kind, tolerance) = parse_tolerance(kind)?;
                self.expectations.push(RawExpectation {
                    line,
                    name: name.to_owned(),
                    kind: kind.to_owned(),
                    tolerance,
                    values: values.to_owned(),
                });
                Ok(())
            }
            "import-dir:" if rest.is_empty() => Err("`import-dir:` names a folder".into()),
            "import-dir:" => {
                self.import_dirs.push(rest.to_owned());
                Ok(())
            }
            "bindings:" if rest.is_empty() => Err("`bindings:` names a manifest".into()),
            "bindings:" => only_once(&mut self.bindings, rest.to_owned(), "bindings:"),
            "skip" => {
                let (way, reason) = rest.split_once(':').ok_or("`skip way: reason`")?;
                let way = Way::named(way.trim()).ok_or_else(|| {
                    format!("`{}` is no way to run a case: interp, spirv, dxc, d3d12 or msl", way.trim())
                })?;
                if reason.trim().is_empty() {
                    return Err("a `skip` without a reason".into());
                }
                self.skips.push((way, reason.trim().to_owned()));
                Ok(())
            }
            _ => Err(format!(
                "unknown directive `{word}`: from, run, buffer, texture, scene, table, expect, import-dir:, bindings: or skip"
            )),
        }
    }

    /// Whether a resource that is no table has the name.
    fn is_single(&self, name: &str) -> bool {
        self.buffers.iter().any(|buffer| buffer.name == name)
            || self.textures.iter().any(|texture| texture.name == name)
            || self.scenes.iter().any(|(scene, _)| scene == name)
    }

    fn must_be_new(&self, name: &str) -> Result<(), String> {
        let known = self.is_single(name) || self.tables.iter().any(|element| element.table == name);
        if known { Err(format!("`{name}` is given twice")) } else { Ok(()) }
    }

    fn finish(self) -> Result<Case, Vec<CaseError>> {
        let mut errors = Vec::new();
        let mut lacks = |message: &str| errors.push(CaseError { line: 0, message: message.into() });
        if self.from.is_none() {
            lacks("no `from` line: where do the expected numbers come from?");
        }
        if self.runs.is_empty() {
            lacks("no `run` line");
        }
        if self.expectations.is_empty() {
            lacks("no `expect` line");
        }
        let (Some(from), true) = (self.from, errors.is_empty()) else { return Err(errors) };
        let mut expectations = Vec::new();
        for raw in &self.expectations {
            match resolve(raw, &self.runs, &self.buffers, &self.textures) {
                Ok(expectation) => expectations.push(expectation),
                Err(message) => errors.push(CaseError { line: raw.line, message }),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Case {
            from,
            runs: self.runs,
            buffers: self.buffers,
            textures: self.textures,
            scenes: self.scenes,
            tables: self.tables,
            expectations,
            import_dirs: self.import_dirs,
            bindings: self.bindings,
            skips: self.skips,
        })
    }
}

/// Finds what an `expect` line speaks of, and reads its numbers in the format of that.
fn resolve(
    raw: &RawExpectation,
    runs: &[Run],
    buffers: &[Buffer],
    textures: &[Texture],
) -> Result<Expectation, String> {
    let expectation = |place, expected| Expectation { line: raw.line, place, expected, tolerance: raw.tolerance };
    if let Some(buffer) = buffers.iter().find(|buffer| buffer.name == raw.name) {
        let (parts, expected) = parse_parts(&raw.kind, &raw.values, parse_expected)?;
        let bytes: usize = parts.iter().map(|part| part.bytes()).sum();
        if bytes != buffer.bytes.len() {
            return Err(format!("{bytes} bytes are expected, but the buffer has {}", buffer.bytes.len()));
        }
        return Ok(expectation(Place::Buffer { name: raw.name.clone(), parts }, expected));
    }
    let (place, format, texels) = if let Some(texture) = textures.iter().find(|texture| texture.name == raw.name) {
        if raw.kind != texture.format.name() {
            return Err(format!("the texture is {}, not {}", texture.format, raw.kind));
        }
        (Place::Texture { name: raw.name.clone() }, texture.format, texture.texels.len() / texture.format.bytes())
    } else if let Some(index) = raw.name.strip_prefix("target").and_then(|index| index.parse::<usize>().ok()) {
        let Some(Run::Draw { size: [width, height], targets, .. }) = runs.last() else {
            return Err("a target, but the last `run` is no draw".into());
        };
        let format = targets.get(index).copied().flatten().ok_or_else(|| format!("the draw has no target {index}"))?;
        // A target may be described by its format or by the type of its components.
        if raw.kind != format.name() && format.components().iter().any(|scalar| scalar.to_string() != raw.kind) {
            return Err(format!("the target is {format}, not {}", raw.kind));
        }
        (Place::Target(index), format, *width as usize * *height as usize)
    } else {
        return Err(format!("`{}` is no buffer, texture or target of the case", raw.name));
    };
    let expected = parse_texels(format, texels, &raw.values, parse_expected)?;
    Ok(expectation(place, expected))
}

fn only_once<T>(place: &mut Option<T>, value: T, what: &str) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("a second `{what}`")),
    }
}

/// Splits `name : kind = values`.
fn declaration(text: &str) -> Result<(&str, &str, &str), String> {
    // `mips=…` and `layers=…` have no blank before their `=`.
    let (left, values) = text.split_once(" =").ok_or("expected `name : type = values`")?;
    let (name, kind) = left.split_once(':').ok_or("expected `name : type = values`")?;
    let (name, kind) = (name.trim(), kind.trim());
    if name.is_empty() || kind.is_empty() || name.contains(char::is_whitespace) {
        return Err("expected `name : type = values`".into());
    }
    Ok((name, kind, values.trim()))
}

fn parse_run(text: &str) -> Result<Run, String> {
    let mut words = text.split_whitespace();
    match words.next() {
        Some("compute") => {
            let mut groups = [0; 3];
            for count in &mut groups {
                *count = number(words.next().ok_or("`run compute` takes three group counts")?)?;
            }
            let mut entry = None;
            for word in words {
                match word.split_once('=') {
                    Some(("entry", name)) => only_once(&mut entry, name.to_owned(), "entry=")?,
                    _ => return Err(format!("unknown option `{word}` of `run compute`")),
                }
            }
            Ok(Run::Compute { groups, entry })
        }
        Some("draw") => {
            let vertices = number(words.next().ok_or("`run draw` takes a vertex count")?)?;
            let (mut size, mut targets, mut instances) = (None, None, None);
            let (mut vertex, mut fragment) = (None, None);
            for word in words {
                match word.split_once('=') {
                    Some(("size", value)) => {
                        let (width, height) = value.split_once('x').ok_or("`size=WxH`")?;
                        only_once(&mut size, [positive(width)?, positive(height)?], "size=")?;
                    }
                    Some(("targets", value)) => only_once(
                        &mut targets,
                        value.split(',').map(target_format).collect::<Result<Vec<_>, _>>()?,
                        "targets=",
                    )?,
                    Some(("vertex", name)) => only_once(&mut vertex, name.to_owned(), "vertex=")?,
                    Some(("fragment", name)) => only_once(&mut fragment, name.to_owned(), "fragment=")?,
                    Some(("instances", value)) => only_once(&mut instances, number(value)?, "instances=")?,
                    _ => return Err(format!("unknown option `{word}` of `run draw`")),
                }
            }
            let size = size.ok_or("`run draw` needs `size=WxH`")?;
            let (instances, targets) = (instances.unwrap_or(1), targets.unwrap_or_default());
            Ok(Run::Draw { vertices, instances, size, targets, vertex, fragment })
        }
        _ => Err("`run compute X Y Z` or `run draw N size=WxH [targets=…]`".into()),
    }
}

fn parse_tolerance(kind: &str) -> Result<(&str, Tolerance), String> {
    let (mut steps, mut absolute) = (None, None);
    let mut parts = kind.split('~');
    let kind = parts.next().unwrap_or_default().trim();
    for tolerance in parts.map(str::trim) {
        match tolerance.split_once(char::is_whitespace) {
            Some(("ulp", count)) => only_once(&mut steps, number(count.trim())?, "~ulp")?,
            Some(("abs", limit)) => {
                let limit = limit.trim();
                let limit = limit.parse().ok().filter(|limit: &f64| *limit >= 0.0);
                only_once(&mut absolute, limit.ok_or_else(|| format!("`~{tolerance}` is no tolerance"))?, "~abs")?;
            }
            _ => return Err(format!("unknown tolerance `~{tolerance}`: `~ulp N` or `~abs X`")),
        }
    }
    Ok((kind, Tolerance { steps, absolute }))
}

/// The bytes of a buffer.
fn parse_contents(kind: &str, values: &str) -> Result<Vec<u8>, String> {
    let (parts, numbers) = parse_parts(kind, values, Scalar::parse)?;
    let mut numbers = numbers.into_iter();
    let mut bytes = Vec::new();
    for part in parts {
        let number = match part {
            Part::Number(_) => numbers.next().unwrap_or_default().to_le_bytes().to_vec(),
            Part::Padding(count) => vec![0; count],
        };
        bytes.extend_from_slice(&number[..part.bytes()]);
    }
    Ok(bytes)
}

/// What a buffer is made of, and its numbers as `read` takes them.
fn parse_parts<T: Clone>(
    kind: &str,
    values: &str,
    read: impl Fn(Scalar, &str) -> Result<T, String>,
) -> Result<(Vec<Part>, Vec<T>), String> {
    let scalar = |name: &str| {
        Scalar::of_buffer(name).ok_or_else(|| format!("unknown type `{name}`: f32, f16, u32, i32, u64 or mixed"))
    };
    if kind != "mixed" {
        let scalar = scalar(kind)?;
        let numbers = parse_values(values, |text| read(scalar, text))?;
        return Ok((vec![Part::Number(scalar); numbers.len()], numbers));
    }
    let (mut parts, mut numbers) = (Vec::new(), Vec::new());
    for segment in values.split('|') {
        let segment = segment.trim();
        let (kind, values) = segment
            .split_once(char::is_whitespace)
            .ok_or_else(|| format!("`{segment}` is no typed run such as `f32 1 2`"))?;
        if kind == "pad" {
            let count: u32 = number(values.trim())?;
            if count as usize > MOST_NUMBERS {
                return Err("too much padding".into());
            }
            parts.push(Part::Padding(count as usize));
            continue;
        }
        let scalar = scalar(kind)?;
        let more = parse_values(values, |text| read(scalar, text))?;
        parts.extend(vec![Part::Number(scalar); more.len()]);
        numbers.extend(more);
    }
    Ok((parts, numbers))
}

fn parse_texture(name: &str, line: usize, kind: &str, values: &str) -> Result<Texture, String> {
    let mut words = kind.split_whitespace();
    let format = texel_format(words.next().unwrap_or_default())?;
    let extent = words.next().ok_or("a texture needs its size, such as `4x4`")?;
    let extents = extent.split('x').map(positive).collect::<Result<Vec<_>, _>>()?;
    let size = match extents.as_slice() {
        [width, height] => [*width, *height, 1],
        [width, height, depth] => [*width, *height, *depth],
        _ => return Err(format!("`{extent}` is no size such as `4x4` or `4x4x4`")),
    };
    let (mut mips, mut layers) = (None, None);
    for word in words {
        match word.split_once('=') {
            Some(("mips", count)) => only_once(&mut mips, positive(count)?, "mips=")?,
            Some(("layers", count)) => only_once(&mut layers, positive(count)?, "layers=")?,
            _ => return Err(format!("unknown option `{word}` of a texture")),
        }
    }
    let (mips, layers) = (mips.unwrap_or(1), layers.unwrap_or(1));
    let most_mips = size.into_iter().max().map_or(1, |extent| extent.ilog2() + 1);
    if mips > most_mips {
        return Err(format!("a texture of that size has at most {most_mips} mips"));
    }
    let too_large = || format!("more than {MOST_NUMBERS} texels");
    let texels = (0..mips).try_fold(0_usize, |sum, mip| {
        let count = mip_size(size, mip)
            .into_iter()
            .chain([layers])
            .try_fold(1_usize, |product, extent| product.checked_mul(extent as usize));
        count.and_then(|count| sum.checked_add(count)).filter(|&sum| sum <= MOST_NUMBERS)
    });
    let texels = texels.ok_or_else(too_large)?;
    let numbers = if values == "zero" {
        vec![0; texels * format.components().len()]
    } else {
        parse_texels(format, texels, values, Scalar::parse)?
    };
    let texels = numbers.chunks(format.components().len()).flat_map(|texel| format.encode(texel)).collect();
    Ok(Texture { name: name.to_owned(), line, format, size, mips, layers, texels })
}

fn parse_table_element(name: &str, line: usize, kind: &str, values: &str) -> Result<TableElement, String> {
    let parts = name.strip_suffix(']').and_then(|name| name.split_once('['));
    let (table, index) = parts.ok_or("an element of a table is `name[index]`")?;
    let index: u32 = number(index)?;
    if index > MOST_ELEMENTS {
        return Err(format!("a table has at most {} elements here", MOST_ELEMENTS + 1));
    }
    let words: Vec<&str> = kind.split_whitespace().collect();
    let resource = match words[..] {
        [format, size, ..] if TexelFormat::named(format).is_some() => {
            let Texture { format, size: extents, mips, layers, texels, .. } = parse_texture(table, line, kind, values)?;
            let shape = match layers {
                6 => TextureShape::Cube,
                1 if size.matches('x').count() == 2 => TextureShape::D3,
                1 => TextureShape::D2,
                _ => return Err("a bindless texture has one layer, or six as a cube".into()),
            };
            if format == TexelFormat::Depth32f && shape != TextureShape::D2 {
                return Err("a bindless depth texture is a 2D one".into());
            }
            TableResource::Texture(Image { format, shape, size: extents, mips, layers, texels })
        }
        _ => TableResource::Buffer(parse_contents(kind, values)?),
    };
    Ok(TableElement { table: table.to_owned(), index, resource })
}

/// Whether two lines fill the same place of a table.
fn is_same_element(a: &TableElement, b: &TableElement) -> bool {
    (&a.table, a.index) == (&b.table, b.index)
        && match (&a.resource, &b.resource) {
            (TableResource::Texture(a), TableResource::Texture(b)) => a.bindless_kind() == b.bindless_kind(),
            _ => true,
        }
}

/// The components of so many texels, as `read` takes them.
fn parse_texels<T: Clone>(
    format: TexelFormat,
    texels: usize,
    values: &str,
    read: impl Fn(Scalar, &str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let components = format.components();
    let words = parse_values(values, |text| Ok(text.to_owned()))?;
    if words.len() != texels * components.len() {
        return Err(format!("{} numbers for {texels} texels of {}", words.len(), components.len()));
    }
    components.iter().cycle().zip(&words).map(|(scalar, text)| read(*scalar, text)).collect()
}

fn parse_expected(scalar: Scalar, text: &str) -> Result<Expected, String> {
    match text {
        "_" => Ok(Expected::Anything),
        "nan" => scalar.parse(text).map(|_| Expected::Nan),
        number => scalar.parse(number).map(Expected::Bits),
    }
}

/// Reads values between blanks; `V x N` stands for N times V.
fn parse_values<T: Clone>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let mut values: Vec<T> = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        if word != "x" {
            values.push(read(word)?);
            continue;
        }
        let count: u32 = words.next().ok_or("`x` without a count")?.parse().map_err(|_| "`x` without a count")?;
        let value = values.pop().ok_or("`x` without a value before it")?;
        if values.len() + count as usize > MOST_NUMBERS {
            return Err(format!("more than {MOST_NUMBERS} numbers"));
        }
        values.resize(values.len() + count as usize, value);
    }
    if values.is_empty() {
        return Err("no values".into());
    }
    Ok(values)
}

/// `-` where nothing is attached.
fn target_format(name: &str) -> Result<Option<TexelFormat>, String> {
    if name == "-" { Ok(None) } else { texel_format(name).map(Some) }
}

fn texel_format(name: &str) -> Result<TexelFormat, String> {
    TexelFormat::named(name)
        .ok_or_else(|| format!("unknown format `{name}`: one of {}", TexelFormat::ALL.map(TexelFormat::name).join(" ")))
}

fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is no count"))
}

fn positive(text: &str) -> Result<u32, String> {
    number(text).and_then(|count| if count == 0 { Err("a count of 0".into()) } else { Ok(count) })
}
