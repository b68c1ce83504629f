//! The programs that the matrix is compiled and run as.

use std::fmt::Write as _;

use super::forms::Scalar;
use super::image::{self, MIPS, Shape, Texel};
use super::storage::{self, DEPTH, HEIGHT, WIDTH};
use super::{Call, Texture, Value, Verdict};

/// Arguments that are constants, in the compute stage, and those that are not, in the compute, vertex and fragment stage.
const ROUNDS: usize = 4;

/// Where a value goes: the buffer, and the type of what it holds.
fn buffer(texture: &Texture, value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Floats(_) => ("values", "float4"),
        Value::Sizes(_) => ("sizes", "uint4"),
        Value::Texels(_) if has_signed_texels(texture) => ("texels", "int4"),
        Value::Texels(_) => ("texels", "uint4"),
    }
}

fn has_signed_texels(texture: &Texture) -> bool {
    match texture {
        Texture::Sampled { texel, .. } => *texel == Texel::Int,
        Texture::Storage { format, .. } => format.scalar() == Scalar::Int,
    }
}

/// Four components as they come of a value of fewer: a scalar fills all, a vector is filled up with zeros.
fn widened(text: &str, ty: &str, width: usize) -> (String, usize) {
    let zero = if ty.starts_with("float") { "0.0" } else { "0" };
    match width {
        1 => (format!("{ty}({text})"), 4),
        2 => (format!("{ty}({text}, {zero}, {zero})"), 2),
        3 => (format!("{ty}({text}, {zero})"), 3),
        _ => (text.into(), 4),
    }
}

fn numbers(value: &Value) -> Vec<String> {
    match value {
        Value::Floats(numbers) => numbers.iter().map(f64::to_string).collect(),
        Value::Texels(numbers) => numbers.iter().map(i64::to_string).collect(),
        Value::Sizes(numbers) => numbers.iter().map(u32::to_string).collect(),
    }
}

/// The same statements with vectors that nothing but running them tells: everything is multiplied by a 1 that is read.
fn not_constant(body: &str) -> String {
    let mut body = body.to_owned();
    for width in 2..=4 {
        for (scalar, one) in [("float", "unit"), ("uint", "one"), ("int", "int(one)")] {
            let vector = format!("{scalar}{width}(");
            body = body
                .replace(&format!("({vector}"), &format!("({one} * {vector}"))
                .replace(&format!(" {vector}"), &format!(" {one} * {vector}"));
        }
    }
    body
}

/// A case that makes every call that the reference allows, in every stage.
pub(crate) fn case(texture: &Texture) -> String {
    let mut body = String::new();
    let mut expected: [(&str, &str, Vec<String>); 3] =
        [("values", "float4", Vec::new()), ("texels", "uint4", Vec::new()), ("sizes", "uint4", Vec::new())];
    let calls = texture.calls();
    let given = calls.iter().filter_map(|call| match &call.verdict {
        Verdict::Gives(value) => Some(buffer(texture, value).0),
        Verdict::Stores | Verdict::Refused(_) => None,
    });
    let mut counts = [0; 3];
    for name in given {
        counts[expected.iter().position(|(other, ..)| *other == name).unwrap_or(0)] += 1;
    }
    for Call { text, verdict } in &calls {
        match verdict {
            Verdict::Refused(_) => {}
            Verdict::Stores => {
                let _ = writeln!(body, "    {text};");
            }
            Verdict::Gives(value) => {
                let (name, ty) = buffer(texture, value);
                let index = expected.iter().position(|(other, ..)| *other == name).unwrap_or(0);
                let (_, element, wanted) = &mut expected[index];
                *element = ty;
                let numbers = numbers(value);
                let (text, _) = widened(text, ty, numbers.len());
                let slot = wanted.len() / 4;
                let _ = writeln!(body, "    {name}[stage * {}u + {slot}u] = {text};", counts[index]);
                let filled = (0..4).map(|component| match numbers.as_slice() {
                    [only] => only.clone(),
                    several => several.get(component).cloned().unwrap_or_else(|| "0".into()),
                });
                wanted.extend(filled);
            }
        }
    }

    let mut text = String::from("//! from the formulas of tests/matrix, by the rules of the reference\n");
    text += "//! run compute 1 1 1\n//! run draw 3 size=2x2 targets=r32f\n//! expect target0 : f32 = 1 1 1 1\n";
    text += &header_of(texture);
    let mut bindings = String::new();
    for (name, ty, wanted) in &expected {
        if wanted.is_empty() {
            continue;
        }
        let (scalar, tolerance) = match *ty {
            "float4" => ("f32", " ~abs 0.01"),
            "int4" => ("i32", ""),
            _ => ("u32", ""),
        };
        let all = vec![wanted.join(" "); ROUNDS].join(" ");
        let _ = writeln!(text, "//! buffer out.{name} : {scalar} = 0 x {}", wanted.len() * ROUNDS);
        let _ = writeln!(text, "//! expect out.{name} : {scalar}{tolerance} = {all}");
        let _ = writeln!(bindings, "@bind(out.{name}) let {name}: RwBuf<{ty}>;");
    }
    text += "//! buffer in.one : u32 = 1\n";
    let tex = if matches!(texture, Texture::Sampled { .. }) { "in.tex" } else { "io.tex" };
    let read = not_constant(&body);
    let _ = write!(
        text,
        "#shader matrix

@bind({tex}) let tex: {};
@bind(in.one) let ones: Buf<uint>;
{bindings}{SAMPLERS}
struct V {{
    @position position: float4;
}}

fn probe(stage: uint) {{
{body}}}

fn probe_read(stage: uint) {{
    let one = ones[0];
    let unit = float(one);
{read}}}

@compute(threads = (1, 1, 1))
fn in_compute() {{
    probe(0u);
    probe_read(1u);
}}

@vertex
fn in_vertex(@vertex_id id: uint) -> V {{
    if (id == 0u) {{
        probe_read(2u);
    }}
    return V {{ position: float4(float2(float(id >> 1u), float(id & 1u)) * 4.0 - 1.0, 0.0, 1.0) }};
}}

@fragment
fn in_fragment() -> float {{
    probe_read(3u);
    return 1.0;
}}
",
        texture.spelled()
    );
    text
}

const SAMPLERS: &str = "@sampler(point, clamp) let nearest;
@sampler(linear, clamp) let smooth;
@sampler(comparison, less_equal, point, clamp) let compare;

const LAST: uint = 3u;
";

/// What the texture holds, and for storage textures what it must hold afterwards.
fn header_of(texture: &Texture) -> String {
    match texture {
        Texture::Sampled { shape, texel, .. } => {
            let [width, height, depth] = image::size(*shape, 0);
            let size =
                if *shape == Shape::D3 { format!("{width}x{height}x{depth}") } else { format!("{width}x{height}") };
            let format = match texel {
                Texel::Float => "rgba32f",
                Texel::Depth => "depth32f",
                Texel::Uint => "rgba32u",
                Texel::Int => "rgba32i",
            };
            let texels: Vec<String> = image::contents(*shape, *texel).iter().map(f64::to_string).collect();
            let layers = image::layers(*shape);
            format!("//! texture in.tex : {format} {size} mips={MIPS} layers={layers} = {}\n", texels.join(" "))
        }
        Texture::Storage { is_volume, format, .. } => {
            let size = if *is_volume { format!("{WIDTH}x{HEIGHT}x{DEPTH}") } else { format!("{WIDTH}x{HEIGHT}") };
            let name = format.of_the_host();
            let untouched = vec!["0"; WIDTH * HEIGHT * (if *is_volume { DEPTH - 1 } else { 0 }) * format.channels()];
            let mut row = Vec::new();
            for store in 0..WIDTH {
                for component in 0..format.channels() {
                    let is_stored = store < storage::stores(*format);
                    let number = if is_stored { storage::number(*format, store, component) } else { 0.0 };
                    row.push(number.to_string());
                }
            }
            let texels =
                untouched.into_iter().map(String::from).chain(vec![row; ROUNDS].concat()).collect::<Vec<_>>().join(" ");
            format!("//! texture io.tex : {name} {size} = zero\n//! expect io.tex : {name} = {texels}\n")
        }
    }
}

/// A program with every call, right or wrong, on a line of its own, and with what is said to it. Values stand twice: where their type is
/// wanted, and where another one is.
pub(crate) fn statements(texture: &Texture) -> (String, Vec<(usize, Option<String>)>) {
    let mut text = format!(
        "#shader statements\n\n@bind(a.tex) let tex: {};\n{SAMPLERS}\nfn probe(stage: uint) {{\n",
        texture.spelled()
    );
    let mut lines = Vec::new();
    let mut line = |statement: String, message: Option<String>| {
        text += &statement;
        text.push('\n');
        lines.push((text.lines().count(), message));
    };
    for (index, Call { text, verdict }) in texture.calls().into_iter().enumerate() {
        match verdict {
            Verdict::Stores => line(format!("    {text};"), None),
            Verdict::Refused(message) => line(format!("    {text};"), Some(message)),
            Verdict::Gives(value) => {
                let (width, scalar) = match &value {
                    Value::Floats(numbers) => (numbers.len(), Scalar::Float),
                    Value::Texels(numbers) if has_signed_texels(texture) => (numbers.len(), Scalar::Int),
                    Value::Texels(numbers) => (numbers.len(), Scalar::Uint),
                    Value::Sizes(numbers) => (numbers.len(), Scalar::Uint),
                };
                let ty = scalar.vector(width);
                line(format!("    let right_{index}: {ty} = {text};"), None);
                let other = if width == 4 { scalar.vector(3) } else { scalar.vector(width + 1) };
                line(
                    format!("    let wrong_{index}: {other} = {text};"),
                    Some(format!("expected `{other}`, found `{ty}`")),
                );
            }
        }
    }
    text += "}\n\n@fragment\nfn run() -> float4 {\n    probe(0u);\n    return float4(1.0);\n}\n";
    (text, lines)
}
