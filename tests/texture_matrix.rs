//! The matrix of textures: each texture type with each method and each form of its arguments. What the reference allows is compiled for
//! all targets, and run in every way to numbers that follow from formulas; what it forbids is an error of the right kind at its place.
//!
//! `cargo test --test texture_matrix -- Tex2DArray spirv` runs a part. What was emitted lies in `target/tmp/matrix` afterwards.

mod matrix;
#[path = "ways/mod.rs"]
mod ways;

use std::path::{Path, PathBuf};

use akari::frontend::{Found, compile};
use akari::render;
use akari::source::SourceMap;
use akari_harness::case;
use akari_harness::job::Way;
use akari_harness::vulkan::serve_if_asked;
use akari_ir::Severity;
use libtest_mimic::{Arguments, Failed, Trial};
use matrix::{Texture, program};

fn main() {
    serve_if_asked();
    let mut trials = Vec::new();
    for texture in Texture::all() {
        if let Some(shorter) = texture.shorter() {
            let longer = texture.clone();
            let name = format!("{} is {}", texture.spelled(), shorter.spelled());
            trials.push(Trial::test(name, move || same(&longer, &shorter)));
        } else {
            for way in Way::ALL {
                let texture = texture.clone();
                trials.push(Trial::test(format!("{} {way}", texture.spelled()), move || run(&texture, way)));
            }
            let texture = texture.clone();
            trials.push(Trial::test(format!("{} dxil", texture.spelled()), move || dxil(&texture)));
        }
        trials.push(Trial::test(format!("{} checked", texture.spelled()), move || checked(&texture)));
    }
    trials.push(Trial::test("types that are none", refused_types));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn emitted(texture: &Texture, suffix: &str) -> PathBuf {
    let name = texture.spelled().replace(['<', '>'], " ");
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix").join(format!("{name} {suffix}"))
}

/// All that is allowed, in one way.
fn run(texture: &Texture, way: Way) -> Result<(), Failed> {
    let text = program::case(texture);
    let case = case::parse(&text).map_err(|errors| format!("{errors:?}\n{text}"))?;
    ways::run_case(Path::new("matrix.akari"), &text, &case, way, &emitted(texture, way.name()))
        .map_err(|error| format!("{error}\n{text}").into())
}

fn dxil(texture: &Texture) -> Result<(), Failed> {
    let text = program::case(texture);
    let source = ways::compile(Path::new("matrix.akari"), &text, &[])?;
    Ok(ways::check_d3d12(&source, &emitted(texture, "dxil"))?)
}

/// Both spellings are the same type: every target gets the same text.
fn same(longer: &Texture, shorter: &Texture) -> Result<(), Failed> {
    let texts =
        |texture: &Texture| ways::texts(&ways::compile(Path::new("matrix.akari"), &program::case(texture), &[])?);
    if texts(longer)? == texts(shorter)? { Ok(()) } else { Err("what is emitted differs".into()) }
}

/// The errors of a source: line and message.
fn errors(text: &str) -> Result<Vec<(usize, String)>, Failed> {
    let mut sources = SourceMap::new();
    let file = sources.add("matrix.akari", text.as_bytes().to_vec()).map_err(|diagnostic| diagnostic.message)?;
    let compiled = compile(file, &mut sources, &mut |_, _| Found::Nowhere);
    let errors = compiled.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors
        .map(|diagnostic| {
            let span = diagnostic.span.ok_or_else(|| render::human(&sources, diagnostic))?;
            Ok((sources.place(span).line as usize, diagnostic.message.clone()))
        })
        .collect()
}

/// Each line has the one error that is said of it, or none.
fn compare(text: &str, lines: &[(usize, Option<String>)]) -> Result<(), Failed> {
    let found = errors(text)?;
    let mut faults = Vec::new();
    for (line, message) in lines {
        let here: Vec<&str> =
            found.iter().filter(|(other, _)| other == line).map(|(_, message)| message.as_str()).collect();
        let fits = match (message, here.as_slice()) {
            (None, []) => true,
            (Some(message), [only]) => only.contains(message.as_str()),
            _ => false,
        };
        if !fits {
            let statement = text.lines().nth(line - 1).unwrap_or_default().trim();
            faults.push(format!(
                "{statement}\n    wanted: {}\n    found:  {here:?}",
                message.as_deref().unwrap_or("nothing")
            ));
        }
    }
    for (line, message) in &found {
        if lines.iter().all(|(other, _)| other != line) {
            faults.push(format!("line {line}: {message}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// What the type checker says to every call.
fn checked(texture: &Texture) -> Result<(), Failed> {
    let (text, lines) = program::statements(texture);
    compare(&text, &lines)
}

/// Texels that no texture has, formats that no storage texture has, shapes that are none.
fn refused_types() -> Result<(), Failed> {
    let mut text = String::from("#shader types\n\n");
    let mut lines = Vec::new();
    let mut line = |ty: String, message: String| {
        lines.push((text.lines().count() + 1, Some(message)));
        text += &format!("fn f{}(tex: {ty}) {{}}\n", lines.len());
    };
    for (_, name) in matrix::image::Shape::ALL {
        for texel in ["bool", "half", "uint64", "float4", "uint4", "rgba32f", "r32u", "Tex2D"] {
            line(format!("{name}<{texel}>"), format!("`{name}` holds `float`, `uint` or `int` texels"));
        }
    }
    for name in ["RwTex2D", "RwTex3D"] {
        for format in ["float", "uint", "int", "half4", "uint4", "rgba8", "rgba8unorm", "rg32f", "r16u", "Tex2D"] {
            line(format!("{name}<{format}>"), format!("unknown format `{format}` of a `{name}`"));
        }
    }
    for name in ["Tex1D", "TexDepthCube", "TexDepth2DArray", "RwTex1D", "RwTex2DArray", "RwTexCube", "RwTexDepth2D"] {
        line(name.into(), format!("unknown type `{name}`"));
    }
    for texel in ["float", "uint"] {
        line(format!("TexDepth2D<{texel}>"), "TexDepth2D".into());
    }
    text += "\n@fragment\nfn run() -> float4 {\n    return float4(1.0);\n}\n";
    compare(&text, &lines)
}
