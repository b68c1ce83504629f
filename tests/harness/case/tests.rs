use super::*;

fn sound(header: &str) -> Case {
    parse(header).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_compute_case() {
    let case = sound(
        "//! from written out by hand,\n\
         //!     over two lines\n\
         //! run compute 2 1 1 entry=second\n\
         //! buffer in.values : f32 = 1 -0 x 3\n\
         //!    nan\n\
         //! buffer in.frame : mixed = f32 1 2 | u32 3 | pad 4 | i32 -1 | f16 1.5 | u64 7\n\
         //! buffer out.result : u32 = 0 x 3\n\
         //! expect out.result : u32 = 1 _ bits:0x3\n\
         //! skip msl: no half here\n\
         \n\
         // a comment\n\
         #shader name\n",
    );
    assert_eq!(case.from, "written out by hand, over two lines");
    assert_eq!(case.runs, [Run::Compute { groups: [2, 1, 1], entry: Some("second".into()) }]);
    assert_eq!(case.buffers[0].bytes, floats(&[1.0, -0.0, -0.0, -0.0, f32::NAN]));
    let frame =
        [&floats(&[1.0, 2.0])[..], &[3, 0, 0, 0, 0, 0, 0, 0], &[0xff; 4], &[0, 0x3e], &[7, 0, 0, 0, 0, 0, 0, 0]]
            .concat();
    assert_eq!(case.buffers[1].bytes, frame);
    assert_eq!(case.expectations[0].expected, [Expected::Bits(1), Expected::Anything, Expected::Bits(3)]);
    assert_eq!(case.skips, [(Way::Msl, "no half here".into())]);
}

#[test]
fn a_draw_case() {
    let case = sound(
        "//! from the pixel centres\n\
         //! run draw 3 size=2x1 targets=rgba32f,-,r32u fragment=shade\n\
         //! texture in.tex : rg16f 2x2 mips=2 = 1 2 x 7 3 4\n\
         //! texture in.cube : r32u 1x1 layers=6 = 0 1 2 3 4 5\n\
         //! texture in.volume : rgba8unorm 1x1x2 = zero\n\
         //! expect target0 : f32 ~ulp 2 = nan 1 x 7\n\
         //! expect target2 : r32u ~ulp 1 ~abs 1e-5 = 1 2\n",
    );
    let targets = vec![Some(TexelFormat::Rgba32f), None, Some(TexelFormat::R32u)];
    assert_eq!(
        case.runs,
        [Run::Draw { vertices: 3, instances: 1, size: [2, 1], targets, vertex: None, fragment: Some("shade".into()) }]
    );
    assert_eq!(case.textures[0].texels.len(), 5 * 4);
    assert_eq!(case.textures[2].size, [1, 1, 2]);
    assert_eq!(case.textures[2].texels, [0; 8]);
    assert_eq!(case.expectations[0].tolerance, Tolerance { steps: Some(2), absolute: None });
    assert_eq!(case.expectations[0].expected[0], Expected::Nan);
    assert_eq!(case.expectations[1].tolerance, Tolerance { steps: Some(1), absolute: Some(1e-5) });
}

/// The sound header around a line that is wrong, and what is said about it.
#[test]
fn what_is_wrong_and_where() {
    let cases = [
        (
            "buffers in.x : f32 = 1",
            "unknown directive `buffers`: from, run, buffer, texture, scene, table, expect, import-dir:, bindings: or skip",
        ),
        ("buffer in.x : f33 = 1", "unknown type `f33`: f32, f16, u32, i32, u64 or mixed"),
        ("buffer in.x : u32 = 1 -2", "`-2` is no u32 number"),
        ("buffer in.x : u32 =", "no values"),
        ("buffer in.x u32 1", "expected `name : type = values`"),
        ("buffer in.x : u32 = x 3", "`x` without a value before it"),
        ("buffer in.x : u32 = 1 x 99999999", "more than 4194304 numbers"),
        ("buffer in.x : mixed = f32 1 | 2", "`2` is no typed run such as `f32 1 2`"),
        ("buffer out.r : u32 = 1", "`out.r` is given twice"),
        ("texture in.t : rgba32f 2x2 = 1 2", "2 numbers for 4 texels of 4"),
        ("texture in.t : rgba32f 2x2 mips=3 = zero", "a texture of that size has at most 2 mips"),
        ("texture in.t : rgba32f 65536x65536x65536 = zero", "more than 4194304 texels"),
        ("texture in.t : r32f 0x1 = zero", "a count of 0"),
        ("texture in.t : r32f 1x1 mip=1 = zero", "unknown option `mip=1` of a texture"),
        ("table in.t : f32 = 1", "an element of a table is `name[index]`"),
        ("table in.t[x] : f32 = 1", "`x` is no count"),
        ("table in.t[1024] : f32 = 1", "a table has at most 1024 elements here"),
        ("table out.r[0] : f32 = 1", "`out.r` is given twice"),
        ("table in.t[0] : r32f 1x1 layers=2 = 1 2", "a bindless texture has one layer, or six as a cube"),
        ("table in.t[0] : depth32f 1x1x1 = 1", "a bindless depth texture is a 2D one"),
        ("from y", "a second `from`"),
        ("expect in.y : f32 = 1", "`in.y` is no buffer, texture or target of the case"),
        ("expect out.r : u32 = 1", "a second `expect` for `out.r`"),
        ("expect out.s : u32 = 1", "4 bytes are expected, but the buffer has 8"),
        ("expect out.s : u32 ~rel 3 = 1 2", "unknown tolerance `~rel 3`: `~ulp N` or `~abs X`"),
        ("expect target0 : f32 = 1", "a target, but the last `run` is no draw"),
        ("skip metal: reason", "`metal` is no way to run a case: interp, spirv, dxc, d3d12 or msl"),
        ("skip msl:", "a `skip` without a reason"),
    ];
    for (line, message) in cases {
        let header = format!(
            "//! from x\n//! run compute 1 1 1\n//! buffer out.r : u32 = 0\n//! buffer out.s : u32 = 0 0\n//! expect out.r : u32 = 1\n//! {line}\n#shader x\n"
        );
        assert_eq!(parse(&header), Err(vec![CaseError { line: 6, message: message.into() }]), "{line}");
    }
}

#[test]
fn elements_of_tables() {
    let case = sound(
        "//! from written out by hand\n\
         //! run compute 1 1 1\n\
         //! table in.buffers[2] : f32 = 1 -0\n\
         //! table in.textures[5] : r32f 2x1 = 1 2\n\
         //! table in.textures[5] : r32f 1x1 layers=6 = 1 2 3 4 5 6\n\
         //! table in.textures[5] : r32f 1x1x1 = 7\n\
         //! table in.textures[5] : depth32f 1x1 = 0.5\n\
         //! buffer out.result : u32 = 0\n\
         //! expect out.result : u32 = 0\n",
    );
    assert_eq!(case.tables[0].table, "in.buffers");
    assert_eq!(case.tables[0].index, 2);
    assert_eq!(case.tables[0].resource, TableResource::Buffer(floats(&[1.0, -0.0])));
    let kinds: Vec<_> = case.tables[1..]
        .iter()
        .map(|element| match &element.resource {
            TableResource::Texture(image) => Some(image.bindless_kind()),
            TableResource::Buffer(_) => None,
        })
        .collect();
    use crate::job::BindlessKind::{Tex2D, Tex3D, TexCube, TexDepth2D};
    assert_eq!(kinds, [Some(Tex2D), Some(TexCube), Some(Tex3D), Some(TexDepth2D)]);
}

#[test]
fn what_is_missing() {
    let messages = |header: &str| {
        parse(header).map_err(|errors| errors.into_iter().map(|error| error.to_string()).collect::<Vec<_>>())
    };
    let all = ["no `from` line: where do the expected numbers come from?", "no `run` line", "no `expect` line"]
        .map(String::from)
        .to_vec();
    assert_eq!(messages("#shader x\n"), Err(all));
    let late = "line 2: a line of the header after the shader has begun".to_owned();
    assert_eq!(messages("#shader x\n//! from y\n"), Err(vec![late]));
}
