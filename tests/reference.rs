//! The reference pages that follow from the tables: `docs/reference/{passes,dialects,builtins,diagnostics}.md`.
//! `AKARI_BLESS=1 cargo test --test reference` writes them.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use akari::codes::FAMILIES;
use akari::opt::DIALECTS;
use akari_dialect::builtins::Ty;
use akari_dialect::{Builtin, Signature};
use akari_ir::op::{OperandDef, ResultRule};
use akari_ir::types::{Scalar, TexelKind, TextureDim};
use akari_passes::PASSES;
use akari_passes::pipelines::NAMED;

const NOTICE: &str = "<!-- Generated from the tables in the code; AKARI_BLESS=1 cargo test --test reference -->\n\n";

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference").join(name);
    if env::var_os("AKARI_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{} is not current: AKARI_BLESS=1 cargo test --test reference", path.display());
}

fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn passes() {
    let mut text = format!(
        "{NOTICE}# Passes\n\n| pass | what it does | runs on a module that is | leaves it |\n| --- | --- | --- | --- |\n"
    );
    for pass in PASSES {
        let gives = pass.gives.map_or("as it is", |stage| stage.name());
        let (needs, until) = (pass.needs.name(), pass.until.name());
        let _ = writeln!(text, "| `{}` | {} | {needs} to {until} | {gives} |", pass.name, pass.summary);
    }
    text.push_str("\n## Pipelines\n\n");
    for (name, passes) in NAMED {
        let passes = passes.split(',').map(str::trim).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "- `@{name}`: {passes}");
    }
    check("passes.md", &text);
}

#[test]
fn dialects() {
    let mut text = format!("{NOTICE}# Dialects\n");
    for dialect in DIALECTS {
        let _ = writeln!(text, "\n## `{}`\n\n{}\n", dialect.name, one_line(dialect.doc));
        for op in dialect.ops {
            let operand = |operand: &OperandDef| {
                format!("{}: {:?}{}", operand.name, operand.rule, if operand.variadic { " …" } else { "" })
            };
            let operands: Vec<String> = op.operands.iter().map(operand).collect();
            let attrs: Vec<&str> = op.attrs.iter().map(|attr| attr.name).collect();
            let _ = write!(text, "- **`{}.{}`** ({})", op.dialect, op.name, operands.join(", "));
            if !attrs.is_empty() {
                let _ = write!(text, " {{{}}}", attrs.join(", "));
            }
            if !op.regions.is_empty() {
                let _ = write!(text, " [{}]", op.regions.join(", "));
            }
            if op.result != ResultRule::None {
                let _ = write!(text, " -> {:?}", op.result);
            }
            let _ = writeln!(text, ". {} *{:?}*", one_line(op.doc), op.traits);
        }
    }
    check("dialects.md", &text);
}

#[test]
fn diagnostics() {
    let mut text = format!(
        "{NOTICE}# Diagnostics\n\n`E…` are errors, `W…` warnings. A code keeps its meaning; the words of a message may change.\n"
    );
    for (about, family) in FAMILIES {
        let _ = writeln!(text, "\n## {about}\n\n| code | meaning |\n| --- | --- |");
        for (code, meaning) in family {
            let _ = writeln!(text, "| `{}` | {} |", code.0, one_line(meaning).replace('|', "\\|"));
        }
    }
    check("diagnostics.md", &text);
}

fn type_name(ty: Ty) -> String {
    let scalar = |scalar: Scalar| match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "uint64",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
    };
    match ty {
        Ty::T => "T".into(),
        Ty::ScalarOfT => "scalar of T".into(),
        Ty::ShapeOfT(of) => format!("{} in the shape of T", scalar(of)),
        Ty::TransposeOfT => "transposed T".into(),
        Ty::Is(of, 1) => scalar(of).into(),
        Ty::Is(of, width) => format!("{}{width}", scalar(of)),
        Ty::ReadBuffer => "Buf".into(),
        Ty::AccelStruct => "AccelStruct".into(),
        Ty::BufferTable => "BufferTable".into(),
        Ty::TextureTable => "TextureTable".into(),
        Ty::Texture(_, TexelKind::Depth) => "TexDepth2D".into(),
        Ty::Texture(dim, _) => match dim {
            TextureDim::D2 => "Tex2D",
            TextureDim::D2Array => "Tex2DArray",
            TextureDim::D3 => "Tex3D",
            TextureDim::Cube => "TexCube",
            TextureDim::CubeArray => "TexCubeArray",
        }
        .into(),
        Ty::TraceHit => "RtTraceHit".into(),
        Ty::Nothing => "nothing".into(),
    }
}

#[test]
fn builtins() {
    let mut text = format!(
        "{NOTICE}# Builtin functions and texture methods\n\n| name | takes | gives | meaning | needs |\n| --- | --- | --- | --- | --- |\n"
    );
    for builtin in Builtin::ALL {
        let def = builtin.def();
        let (name, takes, gives) = match def.signature {
            Signature::Function { class, params, result } => {
                let params: Vec<String> = params.iter().map(|param| type_name(*param)).collect();
                let takes = if params.iter().any(|param| param == "T") {
                    format!("{}; T: {class:?}", params.join(", "))
                } else {
                    params.join(", ")
                };
                (def.name.to_owned(), takes, type_name(result))
            }
            Signature::Atomic { values } => (
                def.name.to_owned(),
                format!("buffer, index, {}", vec!["value"; usize::from(values)].join(", ")),
                "the previous value".into(),
            ),
            Signature::Texture => (
                format!(".{}", def.name.trim_start_matches("texture_")),
                "by texture type".into(),
                "by texture type".into(),
            ),
        };
        let needs = def.capability.map_or("", |capability| capability.name());
        let _ = writeln!(text, "| `{name}` | {takes} | {gives} | {} | {needs} |", one_line(def.doc));
    }
    check("builtins.md", &text);
}
