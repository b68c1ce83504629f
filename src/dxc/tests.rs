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
        "-T",
        "cs_6_0",
        "-E",
        "main",
        "-spirv",
        "-fspv-target-env=vulkan1.2",
        "-fvk-use-dx-layout",
        "-fvk-use-dx-position-w",
        "-HV",
        "2021",
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
        "-T",
        "vs_6_2",
        "-E",
        "main",
        "-spirv",
        "-fspv-target-env=vulkan1.2",
        "-fvk-use-dx-layout",
        "-fvk-use-dx-position-w",
        "-fvk-invert-y",
        "-HV",
        "2021",
        "-enable-16bit-types",
    ];
    let output = compile(source, &arguments);
    assert_eq!((output.messages.as_str(), output.succeeded), ("", true));
    assert!(spirv_magic(&output));
}

#[test]
fn error_names_the_place() {
    let output =
        compile("[numthreads(1,1,1)] void main() {\n  int x = nothing;\n}", &["-T", "cs_6_0", "-E", "main"]);
    assert!(!output.succeeded);
    assert_eq!(output.object, None);
    assert!(
        output.messages.contains(":2:11: error: use of undeclared identifier 'nothing'"),
        "{}",
        output.messages
    );
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
                        dxc.compile(COMPUTE, &["-T", "cs_6_0", "-E", "main", "-spirv"])
                            .expect("a result")
                            .succeeded
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
