//! What is read, and what is told of what cannot be.

use super::*;

const FILE: FileId = FileId(7);

/// The faults of a manifest as `line:column code message`.
fn faults(text: &str) -> Vec<String> {
    let (_, diagnostics) = read(FILE, text);
    diagnostics
        .iter()
        .map(|diagnostic| {
            let start = diagnostic.span.map_or(0, |span| span.start as usize);
            let line = text[..start].matches('\n').count() + 1;
            let column = text[..start].rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("{line}:{column} {} {}", diagnostic.code.0, diagnostic.message)
        })
        .collect()
}

fn fault_of_row(row: &str) -> Vec<String> {
    faults(&format!("{{ \"version\": 1, \"bindings\": {{\n{row} }} }}"))
}

#[test]
fn reads_the_sound_one() {
    let text = r#"{ "version": 1,
      "bindings": {
        "HK_BUFFER(frame,uniforms)": { "metal": "1", "d3d12": "b0", "spirv": "0:1" },
        "HK_TEXTURE(post,hdr)":      { "metal": "0", "d3d12": "t0,space2" },
        "HK_TARGET(gbuffer,albedo)": { "metal": "0", "d3d12": "SV_TARGET0" } },
      "static_samplers": [
        { "filter": "linear", "address": "clamp", "d3d12": "s0", "spirv": "2:0" },
        { "filter": "linear", "address": "clamp", "compare": "greater_equal", "d3d12": "s4" } ] }"#;
    let (manifest, diagnostics) = read(FILE, text);
    assert_eq!(diagnostics, []);
    let frame = manifest.buffers["frame.uniforms"];
    assert_eq!(frame.metal, Some(1));
    assert_eq!(frame.d3d12, Some(Register { class: RegisterClass::ConstantBuffer, number: 0, space: 0 }));
    assert_eq!(frame.vulkan, Some(Descriptor { set: 0, binding: 1 }));
    assert_eq!(manifest.textures["post.hdr"].d3d12.map(|register| register.space), Some(2));
    assert_eq!(manifest.targets["gbuffer.albedo"].d3d12, Some(0));
    let compare =
        SamplerState { filter: Filter::Linear, address: Address::Clamp, compare: Some(Compare::GreaterEqual) };
    let row = manifest.samplers.expect("the set").rows[&compare];
    assert_eq!(row.d3d12.map(|register| register.number), Some(4));
    assert_eq!(row.vulkan, None);
}

#[test]
fn a_byte_order_mark_does_not_shift_places() {
    let text = "\u{feff}{ \"version\": 2 }";
    let (_, diagnostics) = read(FILE, text);
    let span = diagnostics[0].span.expect("a place");
    assert_eq!(&text[span.start as usize..span.end as usize], "2");
}

#[test]
fn what_is_not_json() {
    assert_eq!(faults("{ \"version\": 1,\n }"), ["1:15 E4100 this is not JSON: trailing commas are not allowed"]);
    assert_eq!(faults(""), ["1:1 E4100 the file is empty; it must hold a JSON object"]);
    assert_eq!(faults("[]"), ["1:1 E4101 a manifest must be an object, not an array"]);
    assert_eq!(faults(&"[".repeat(100_000)).len(), 1);
}

#[test]
fn versions() {
    assert_eq!(faults("{}"), ["1:1 E4104 the manifest lacks the key `version`"]);
    assert_eq!(faults("{ \"version\": 2 }"), ["1:14 E4105 manifest version 2 is not known"]);
    assert_eq!(faults("{ \"version\": \"1\" }"), ["1:14 E4101 `version` must be a number, not a string"]);
    assert_eq!(faults("{ \"version\": 1.5 }"), ["1:14 E4101 `version` must be a whole number, not `1.5`"]);
}

#[test]
fn unknown_and_duplicate_keys() {
    assert_eq!(faults("{ \"version\": 1, \"binding\": {} }"), ["1:17 E4102 a manifest has no key `binding`"]);
    assert_eq!(faults("{ \"version\": 1, \"version\": 1 }"), ["1:17 E4103 the key `version` stands twice"]);
    assert_eq!(
        fault_of_row(r#""HK_BUFFER(a,b)": { "metal": "0" }, "HK_BUFFER(a,b)": { "metal": "1" }"#),
        ["2:37 E4103 the key `HK_BUFFER(a,b)` stands twice"]
    );
    assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "vulkan": "0:1" }"#), ["2:21 E4102 a binding has no key `vulkan`"]);
    assert_eq!(
        fault_of_row(r#""HK_TARGET(a,b)": { "spirv": "0:1" }"#),
        ["2:21 E4102 a render target has no key `spirv`"]
    );
}

#[test]
fn tokens() {
    assert_eq!(
        fault_of_row(r#""HK_BUFFER(a,b)": { "metal": 1 }"#),
        ["2:30 E4101 `metal` must be a string, not a number"]
    );
    assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "metal": "+1" }"#), ["2:30 E4107 `+1` is not a Metal index"]);
    assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "c0" }"#), ["2:30 E4107 `c0` is not a register for this"]);
    assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "s0" }"#), ["2:30 E4107 `s0` is not a register for this"]);
    assert_eq!(fault_of_row(r#""HK_TEXTURE(a,b)": { "d3d12": "b0" }"#), ["2:31 E4107 `b0` is not a register for this"]);
    assert_eq!(
        fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "t0,space" }"#),
        ["2:30 E4107 `t0,space` is not a register for this"]
    );
    assert_eq!(
        fault_of_row(r#""HK_BUFFER(a,b)": { "spirv": "t0" }"#),
        ["2:30 E4109 `t0` is a D3D12 register; `spirv` takes a descriptor"]
    );
    assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "spirv": "1" }"#), ["2:30 E4107 `1` is not a Vulkan descriptor"]);
    assert_eq!(
        fault_of_row(r#""HK_TARGET(a,b)": { "d3d12": "SV_TARGET8" }"#),
        ["2:30 E4108 there is no colour target 8; they are 0 to 7"]
    );
    assert_eq!(
        fault_of_row(r#""HK_TARGET(a,b)": { "metal": "8", "d3d12": "o0" }"#),
        ["2:30 E4108 there is no colour target 8; they are 0 to 7", "2:44 E4107 `o0` is not a colour target"]
    );
    for key in
        ["HK_BUFFER(a)", "HK_BUFFER(a,b", "HK_UNIFORM(a,b)", "HK_BUFFER(a,b,c)", "HK_BUFFER(a, b)", "hk_buffer(a,b)"]
    {
        assert_eq!(fault_of_row(&format!("\"{key}\": {{}}")), [format!("2:1 E4106 `{key}` is no binding")]);
    }
}

#[test]
fn static_samplers() {
    let set = |rows: &str| faults(&format!("{{ \"version\": 1, \"static_samplers\": [\n{rows} ] }}"));
    assert_eq!(
        set(
            "{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s0\" },\n{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s1\" }"
        ),
        ["3:1 E4111 this sampler state stands twice"]
    );
    assert_eq!(
        set(
            "{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s0\" },\n{ \"filter\": \"point\", \"address\": \"clamp\", \"d3d12\": \"s0\" }"
        ),
        ["3:1 E4112 two static samplers are at s0"]
    );
    assert_eq!(
        set("{ \"filter\": \"trilinear\", \"address\": \"clamp\", \"d3d12\": \"t0\" }"),
        ["2:13 E4110 `filter` cannot be `trilinear`", "2:55 E4107 `t0` is not a register for this"]
    );
    assert_eq!(set("{ \"filter\": \"linear\" }"), ["2:1 E4104 the static sampler lacks the key `address`"]);
}
