//! The library that `tests/tools/install.sh` installed, through its interface.

use std::path::Path;

use akari_dxc::{Dxc, DxcOutput};
use akari_harness::dxc::shared;

const COMPUTE: &str = "RWStructuredBuffer<uint> result : register(u0);\n\
    [numthreads(8, 1, 1)] void main(uint id : SV_DispatchThreadID) { result[id] = id * 2u; }";

fn compile(source: &str, arguments: &[&str]) -> DxcOutput {
    shared().expect("DXC").compile(source, arguments).expect("a result")
}

fn spirv_magic(output: &DxcOutput) -> bool {
    output.object.as_ref().is_some_and(|object| object.starts_with(&0x0723_0203_u32.to_le_bytes()))
}

#[test]
fn dxil() {
    let output = compile(COMPUTE, &["-T", "cs_6_0", "-E", "main"]);
    assert_eq!((output.messages.as_str(), output.succeeded), ("", true));
    assert!(output.object.is_some_and(|object| object.starts_with(b"DXBC")));
}

#[test]
fn spirv_compute() {
    let arguments = [
        "-T", "cs_6_0", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.2", "-fvk-use-dx-layout",
        "-fvk-use-dx-position-w", "-HV", "2021",
    ];
    let output = compile(COMPUTE, &arguments);
    assert_eq!((output.messages.as_str(), output.succeeded), ("", true));
    assert!(spirv_magic(&output));
}

#[test]
fn spirv_vertex_with_half() {
    let source = "struct V { float4 position : SV_Position; float2 uv : UV; };\n\
        V main(uint id : SV_VertexID) { V v; half h = half(id); v.position = float4(h, h, 0, 1); v.uv = float2(h, 1); return v; }";
    let arguments = [
        "-T", "vs_6_2", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.2", "-fvk-use-dx-layout",
        "-fvk-use-dx-position-w", "-fvk-invert-y", "-HV", "2021", "-enable-16bit-types",
    ];
    let output = compile(source, &arguments);
    assert_eq!((output.messages.as_str(), output.succeeded), ("", true));
    assert!(spirv_magic(&output));
}

#[test]
fn error_names_the_place() {
    let output = compile("[numthreads(1,1,1)] void main() {\n  int x = nothing;\n}", &["-T", "cs_6_0", "-E", "main"]);
    assert!(!output.succeeded);
    assert_eq!(output.object, None);
    assert!(output.messages.contains(":2:11: error: use of undeclared identifier 'nothing'"), "{}", output.messages);
}

#[test]
fn warnings_are_kept() {
    let output = compile(
        "RWStructuredBuffer<float> r; [numthreads(1,1,1)] void main() { float3 v = 1; float f = v; r[0] = f; }",
        &["-T", "cs_6_0", "-E", "main"],
    );
    assert!(output.succeeded);
    assert!(output.messages.contains("warning: implicit truncation"), "{}", output.messages);
}

#[test]
fn disassembly_shows_the_layout() {
    let source = "struct S { float3 a; float b; float2 c[2]; }; ConstantBuffer<S> s; RWStructuredBuffer<float> r;\n\
        [numthreads(1,1,1)] void main(uint id : SV_DispatchThreadID) { r[id] = s.a.x + s.b + s.c[id].y; }";
    let output = compile(source, &["-T", "cs_6_0", "-E", "main"]);
    let text = shared().expect("DXC").disassemble(&output.object.expect("an object")).expect("text");
    assert!(text.contains("; Offset:   16"), "{text}");
    assert!(shared().expect("DXC").disassemble(b"nothing").is_err());
}

#[test]
fn threads_share_the_library() {
    let dxc = shared().expect("DXC");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..4).for_each(|_| {
                    assert!(
                        dxc.compile(COMPUTE, &["-T", "cs_6_0", "-E", "main", "-spirv"]).expect("a result").succeeded
                    )
                })
            });
        }
    });
}

#[test]
fn a_missing_library_is_an_error() {
    assert!(Dxc::load(Path::new("/nowhere/libdxcompiler.so")).is_err());
}

#[test]
fn reflection_tells_slots_layouts_and_signatures() {
    let source = "struct S { float3 a; float b; float2 c[2]; };\n\
        ConstantBuffer<S> s : register(b2, space1); Texture2D<float> t[3] : register(t4); SamplerState p : register(s1);\n\
        struct E { float3 x; uint y; }; StructuredBuffer<E> e : register(t9);\n\
        float4 main(nointerpolation uint i : TEXCOORD3, float2 uv : TEXCOORD5) : SV_Target2 {\n\
        return s.a.x + s.b + s.c[i].y + t[2].Sample(p, uv) + e[i].x.z; }";
    let output = compile(source, &["-T", "ps_6_0", "-E", "main"]);
    let found = shared().expect("DXC").reflect(&output.object.expect("an object")).expect("a reflection");
    let resources: Vec<_> =
        found.resources.iter().map(|r| (r.name.as_str(), r.kind, r.number, r.count, r.space, r.stride)).collect();
    use akari_dxc::reflection::ResourceKind::{ConstantBuffer, Sampler, Structured, Texture};
    for wanted in
        [("s", ConstantBuffer, 2, 1, 1), ("t", Texture, 4, 3, 0), ("p", Sampler, 1, 1, 0), ("e", Structured, 9, 1, 0)]
    {
        let found = resources.iter().find(|(name, ..)| *name == wanted.0).map(|r| (r.0, r.1, r.2, r.3, r.4));
        assert_eq!(found, Some(wanted), "{resources:?}");
    }
    assert!(resources.iter().any(|r| r.0 == "e" && r.5 == 16), "{resources:?}");
    let uniform = found.buffers.iter().find(|buffer| buffer.name == "s").expect("its layout");
    assert_eq!(uniform.size, 48);
    let members: Vec<_> =
        uniform.variables[0].ty.members.iter().map(|(name, ty)| (name.as_str(), ty.offset, ty.elements)).collect();
    assert_eq!(members, [("a", 0, 0), ("b", 12, 0), ("c", 16, 2)]);
    let signature = |parameters: &[akari_dxc::reflection::Parameter]| -> Vec<_> {
        parameters.iter().map(|p| (p.semantic.clone(), p.index, p.component, p.mask)).collect()
    };
    assert_eq!(signature(&found.inputs), [("TEXCOORD".to_owned(), 3, 1, 1), ("TEXCOORD".to_owned(), 5, 3, 3)]);
    assert_eq!(signature(&found.outputs), [("SV_TARGET".to_owned(), 2, 3, 15)]);
    let output = compile(COMPUTE, &["-T", "cs_6_0", "-E", "main"]);
    assert_eq!(
        shared().expect("DXC").reflect(&output.object.expect("an object")).map(|found| found.threads),
        Ok([8, 1, 1])
    );
    assert!(shared().expect("DXC").reflect(b"nothing").is_err());
    assert!(shared().expect("DXC").reflect(b"DXBC but no more").is_err());
}
