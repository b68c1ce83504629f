//! The program as its users run it: exit status, files, standard output and standard error.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::path::Path;

use program::{Place, Run};

#[test]
fn wrong_usage_is_2() {
    let place = Place::new();
    for arguments in [
        "",
        "bogus",
        "transpile",
        "transpile --input=paint.akari --target=metal",
        "transpile --input=paint.akari --target=vulkan --out=o",
        "transpile --input=paint.akari --target=metal --out=o --emit=spv",
        "transpile --input=paint.akari --target=metal --out=o --print-after=bogus",
        "compile --out=o",
        "compile --spec=s.json --out=o -j 0",
        "compile --spec=s.json --out=o --config=fast",
    ] {
        let run = place.akari(arguments);
        assert_eq!(run.status(), 2, "`{arguments}`: {}", run.err());
        assert!(!run.err().is_empty() && run.out().is_empty(), "`{arguments}`");
    }
    assert!(!place.path("o").exists());
}

#[test]
fn files_that_are_not_there_are_1_and_named() {
    let place = Place::new();
    place.akari("transpile --input=nope.akari --target=metal --out=o").expect(1, "cannot read nope.akari");
    place.akari("transpile --input=. --target=metal --out=o").expect(1, "cannot read .");
    let flags = "transpile --input=paint.akari --target=metal --out=o";
    place.akari(&format!("{flags} --bindings=nope.json")).expect(1, "cannot read nope.json");
    place.akari(&format!("{flags} --import-dir=nope")).expect(1, "cannot read nope:");
    place.akari(&format!("{flags} --import-dir=paint.akari")).expect(1, "cannot read paint.akari:");
    place.akari("transpile --input=paint.akari --target=metal --out=paint.akari").expect(1, "cannot write");
    place.akari("compile --spec=nope.json --out=o").expect(1, "cannot read nope.json");
    assert!(!place.path("o").exists());
}

#[test]
fn faults_of_a_manifest_and_of_the_package_are_told_in_one_run() {
    let place = Place::new();
    place.write("b.json", r#"{ "version": 1, "bindings": { "HK_BUFER(a,b)": {}, "HK_BUFFER(a,c)": { "metal": 1 } } }"#);
    place.write(
        "p.akari",
        "#shader p\n@compute(threads = (1, 1, 1))\nfn run(@bind(a.b) list: RwBuf<float>) { list[0] = ddx(1.0); }\n",
    );
    let run = place.akari("transpile --input=p.akari --target=metal --out=o --bindings=b.json");
    run.expect(1, "error: b.json:1:31: `HK_BUFER(a,b)` is no binding\n  | { \"version\": 1,");
    run.expect(1, "error: b.json:1:81: `metal` must be a string, not a number");
    run.expect(1, "error: p.akari:3:51: ");
    place.write("p.akari", "#shader p\nfn run() -> float { return nothing; }\n");
    let run = place.akari("transpile --input=p.akari --target=metal --out=o --bindings=b.json");
    run.expect(1, "`HK_BUFER(a,b)` is no binding");
    run.expect(1, "nothing");
    assert!(!place.path("o").exists());
}

#[test]
fn folders_that_a_specification_names_must_be_there() {
    let place = Place::new();
    let spec = |more: &str| {
        let package = r#"{ "name": "paint", "sources": ["paint.akari"] }"#;
        format!(r#"{{ "version": 2, "type": "KhronosVulkan", {more} "compilation": [{package}] }}"#)
    };
    place.write("s.json", &spec(r#""akariImportPaths": ["nope"],"#));
    // The package imports nothing, and is built all the same.
    place.akari("compile --spec=s.json --out=nope-o").expect(1, "error: s.json:1:63: cannot read nope:");
    place.write("s.json", &spec(r#""bindingManifest": "none.json","#));
    place.akari("compile --spec=s.json --out=nope-o").expect(1, "error: s.json:1:61: cannot read none.json:");
    place.write("s.json", &spec("").replace("paint.akari", "none.akari"));
    place.akari("compile --spec=s.json --out=nope-o").expect(1, "error: s.json:1:90: cannot read none.akari:");
    place.write("s.json", &spec(""));
    place.akari("compile --spec=s.json --out=o --engine-sdk=sdk").expect(1, "cannot read sdk:");
    assert!(!place.path("o").exists());
    place.akari("compile --spec=s.json --out=o --validate-only").expect(0, "1 package valid in ");
    assert!(!place.path("o").exists());
    place.akari("compile --spec=s.json --out=o").expect(0, "1 package built in ");
    assert_eq!(place.names("o"), ["paint_clear_cs.spv", "paint_fill_cs.spv", "shaders.akari.json"]);
}

#[test]
fn errors_leave_no_files() {
    let place = Place::new();
    place.write("wrong.akari", "#shader wrong\n@compute(threads = (1, 1, 1)) fn run() { let x: float = 1u; }\n");
    for target in ["metal", "d3d12", "spirv"] {
        let run = place.akari(&format!("transpile --input=wrong.akari --target={target} --out=o"));
        run.expect(1, "error: wrong.akari:2:");
        assert!(run.err().starts_with("@akari diag {\"sev\":\"error\",\"msg\":"), "{}", run.err());
    }
    assert!(!place.path("o").exists());
}

#[test]
fn a_shader_model_that_is_too_low_is_told() {
    let place = Place::new();
    let masked = include_str!("e2e/masked_rays.akari");
    let plain = "#shader rays
@compute(threads = (1, 1, 1)) fn cs(@bind(a.scene) scene: AccelStruct, @bind(a.seen) seen: RwBuf<float>) {
    seen[0] = rt_visibility(scene, float3(0.0), float3(1.0), 0.0, 1.0, 255u);
}
";
    let spec = |model: &str| {
        format!(
            r#"{{ "version": 2, "type": "MicrosoftD3D12", "compilation": [{{ "name": "rays", "workingDirectory": "", "optimizationLevel": 3,
                "includeDebugSymbols": false, "sources": ["rays.akari"], "shaderModel": "{model}" }}] }}"#
        )
    };
    place.write("low.json", &spec("6_4"));
    place.write("right.json", &spec("6_5"));
    for (source, entry) in [(plain, "cs"), (masked, "vs")] {
        // What casts no rays takes any model, and is not the one that is named.
        let idle = "@compute(threads = (1, 1, 1)) fn idle(@bind(a.idle) values: RwBuf<float>) { values[0] = 1.0; }\n";
        place.write("rays.akari", &format!("{source}{idle}"));
        let message =
            format!("the entry `{entry}` of `rays` casts rays, which takes shader model 6_5; `shaderModel` is 6_4");
        let run = place.akari("compile --spec=low.json --out=out --source-only");
        run.expect(1, &message);
        assert!(run.err().contains("error: low.json:2:"), "{}", run.err());
        place.akari("compile --spec=right.json --out=out --source-only").expect(0, "1 package built");
    }
}

#[test]
fn an_error_without_a_place_reads_like_the_others() {
    let run = Place::new().akari("transpile --input=nope.akari --target=metal --out=o");
    assert!(run.err().starts_with("@akari diag {\"sev\":\"error\",\"msg\":\"cannot read"), "{}", run.err());
    // The keys are the same, whoever tells it.
    let place = Place::new();
    for wrong in [
        "transpile --input=nope.akari --target=metal --out=o",
        "transpile --input=paint.akari --target=metal --emit=spv --out=o",
        "fmt nope.akari",
        "opt nope.air",
    ] {
        let run = place.akari(wrong);
        assert!(
            run.err().contains(",\"file\":null,\"line\":null,\"col\":null,\"notes\":["),
            "`{wrong}`: {}",
            run.err()
        );
    }
}

#[test]
fn what_is_printed_is_text_and_says_which_file_it_is() {
    let place = Place::new();
    let run = place.akari("transpile --input=paint.akari --target=spirv --out=-");
    run.expect(0, "");
    assert!(run.out().starts_with("// paint_fill_cs.hlsl\n") && run.out().contains("// paint_clear_cs.hlsl\n"));
    assert!(!run.out().contains('\0'));
    let run = place.akari("transpile --input=paint.akari --target=spirv --out=- --emit=spvasm");
    assert!(run.out().starts_with("; paint_fill_cs.spvasm\n; SPIR-V\n"), "{}", run.out());
    place.akari("transpile --input=paint.akari --target=spirv --out=- --emit=spv").expect(2, "is no text");
    let run = place.akari("transpile --input=paint.akari --target=metal --out=-");
    assert!(run.out().starts_with("#include <metal_stdlib>"), "{}", run.out());
    assert!(place.names(".").iter().all(|name| name == "paint.akari"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_standard_output_does_not_take_is_an_error() {
    let place = Place::new();
    place.akari("compile --spec=none.json --out=o --list-passes").expect(0, "");
    fs::create_dir_all(place.path("cache/v1")).expect("a folder");
    for arguments in [
        "transpile --input=paint.akari --target=metal --out=-",
        "transpile --input=paint.akari --target=spirv --emit=hlsl,spvasm --out=-",
        "transpile --input=paint.akari --dump-layout",
        "transpile --list-passes",
        "opt --list-passes",
        "fmt --stdin",
        "fmt --check paint.akari",
        "cache stats --cache=cache",
        "cache clear --cache=cache",
    ] {
        let input = fs::File::open(place.path("paint.akari")).expect("a file");
        let full = fs::File::options().write(true).open("/dev/full").expect("a device");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_akari"));
        let run =
            command.args(arguments.split_whitespace()).current_dir(place.path(".")).stdin(input).stdout(full).output();
        Run::from(run.expect("the program")).expect(1, "error: cannot write standard output: ");
    }
}

#[test]
fn emit_picks_the_files() {
    let place = Place::new();
    place.akari("transpile --input=paint.akari --target=spirv --out=o").expect(0, "");
    assert_eq!(
        place.names("o"),
        ["paint_clear_cs.hlsl", "paint_clear_cs.spv", "paint_fill_cs.hlsl", "paint_fill_cs.spv"]
    );
    place.akari("transpile --input=paint.akari --target=spirv --out=p --emit=spvasm").expect(0, "");
    assert_eq!(place.names("p"), ["paint_clear_cs.spvasm", "paint_fill_cs.spvasm"]);
}

#[test]
fn the_same_input_gives_the_same_bytes_elsewhere() {
    let places = [Place::new(), Place::new()];
    for place in &places {
        for target in ["metal", "d3d12", "spirv"] {
            place.akari(&format!("transpile --input=paint.akari --target={target} --out={target}")).expect(0, "");
        }
    }
    for target in ["metal", "d3d12", "spirv"] {
        for name in places[0].names(target) {
            let read = |place: &Place| fs::read(place.path(target).join(&name)).expect("an output");
            assert!(read(&places[0]) == read(&places[1]), "{}", Path::new(target).join(&name).display());
        }
    }
}

#[test]
fn the_examples_are_in_the_one_style() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    Place::new().akari(&format!("fmt --check {}", examples.display())).expect(0, "");
}

#[test]
fn a_module_on_its_own_is_emitted_whole() {
    let place = Place::new();
    place.write(
        "tools.akari",
        "#module tools
fn fetch(values: Buf<float>, index: uint) -> float { return values[index]; }
fn twice(values: Buf<float>, index: uint) -> float { return fetch(values, index) * 2.0; }
fn tint(image: Tex2D, filter: Sampler, settings: Uniform<float3x2>) -> float4 {
    return image.sample_level(filter, settings[0], 0.0);
}
",
    );
    for target in ["metal", "d3d12", "spirv"] {
        let run = place.akari(&format!("transpile --input=tools.akari --target={target} --out=-"));
        run.expect(0, "");
        for name in ["fetch", "twice", "tint"] {
            assert!(run.out().contains(&format!("{name}(")), "{target}: no `{name}` in {}", run.out());
        }
    }
    place.akari("transpile --input=tools.akari --target=spirv --out=o --emit=spv").expect(1, "nothing to write");
    assert!(!place.path("o").exists());
}

#[test]
fn what_is_asked_of_a_pass_that_did_not_run_is_told() {
    let place = Place::new();
    let flags = "transpile --input=paint.akari --target=metal --out=o --print-after=strip#7,emit-spirv";
    let run = place.akari(flags);
    run.expect(0, "; no IR of run 7 of `strip`: it ran 2 times\n");
    run.expect(0, "; no IR of `emit-spirv`: it did not run\n");
}

#[test]
fn a_list_of_passes_has_no_empty_names() {
    let place = Place::new();
    place.write("m.air", "module \"m\"\n");
    place.akari("opt --passes=strip,,strip m.air").expect(2, "a name is missing in the list of passes `strip,,strip`");
    place.akari("opt --passes=strip, m.air").expect(2, "a name is missing");
}

#[test]
fn reflection_stands_beside_outputs_or_alone() {
    let place = Place::new();
    place.akari("transpile --input=paint.akari --reflect --out=o").expect(0, "");
    assert_eq!(place.names("o"), ["paint.reflect.json"]);
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.path("o/paint.reflect.json")).unwrap()).unwrap();
    assert_eq!(
        place.akari("transpile --input=paint.akari --reflect --out=-").out(),
        fs::read_to_string(place.path("o/paint.reflect.json")).unwrap()
    );
    // The files that it names are those that are written.
    let mut named = vec!["paint.reflect.json".to_owned()];
    for (target, key) in [("metal", "metal"), ("d3d12", "d3d12"), ("spirv", "vulkan")] {
        place
            .akari(&format!(
                "transpile --input=paint.akari --target={target} --emit-host=rust,c --reflect --out={target}"
            ))
            .expect(0, "");
        let written = place.names(target);
        for entry in json["entries"].as_array().unwrap() {
            let file = entry["targets"][key]["file"].as_str().unwrap().to_owned();
            assert!(written.contains(&file), "{file} is not among {written:?}");
            named.push(file);
        }
        for more in ["paint.reflect.json", "paint.rs", "paint.h"] {
            assert!(written.iter().any(|name| name == more), "{more} is not among {written:?}");
        }
    }
    assert!(named.len() > 6);
}

/// An error that has nothing to do with the target, such as of a stage, is not said again of the targets beside it.
#[test]
fn reflection_repeats_nothing_of_the_target() {
    let place = Place::new();
    place.write("count.akari", "#shader count\n@fragment\nfn main_fs(@bind(c.n) n: AtomicBuf<uint>) -> float {\n    return float(atomic_add(n, 0u, 1u));\n}\n");
    for flags in ["--target=metal ", ""] {
        let run = place.akari(&format!("transpile --input=count.akari {flags}--reflect --out=o"));
        run.expect(1, "for compute entries only");
        assert_eq!(run.err().matches("\"sev\"").count(), 1, "{}", run.err());
    }
}

#[test]
fn flags_for_hosts_that_do_not_go_together() {
    let place = Place::new();
    for flags in ["--reflect", "--emit-host=c", "--target=metal --reflect"] {
        place.akari(&format!("transpile --input=paint.akari {flags}")).expect(2, "--out <DIR>");
    }
    let flags = "--dump-layout --reflect";
    place
        .akari(&format!("transpile --input=paint.akari {flags}"))
        .expect(2, "say where with `--out=DIR`, or print with `--out=-`");
    for flags in [
        "--reflect --target=metal", "--reflect --emit-host=rust", "--emit-host=c --target=d3d12",
        "--reflect --dump-layout", "--emit-host=c --dump-layout",
    ] {
        let run = place.akari(&format!("transpile --input=paint.akari {flags} --out=-"));
        run.expect(2, "`--out=-` prints one thing");
        assert!(run.out().is_empty(), "{}", run.out());
    }
    place.akari("transpile --input=paint.akari --emit-host=zig --out=-").expect(2, "[possible values: rust, c]");
    place
        .akari("transpile --input=paint.akari --reflect --emit=spv --out=o")
        .expect(2, "`--emit` is for `--target=spirv`");
    let both = place.akari("transpile --input=paint.akari --emit-host=rust,c,c --out=-");
    both.expect(0, "");
    assert!(
        both.out().starts_with("// paint.rs\n") && both.out().matches("// paint.h\n").count() == 1,
        "{}",
        both.out()
    );
    assert!(place.names(".").iter().all(|name| name == "paint.akari"));
}

#[test]
fn a_fault_on_one_target_is_a_warning_for_the_others() {
    let place = Place::new();
    // 31 is beyond Metal's last buffer.
    let source = "#shader far\n@compute(threads = (1, 1, 1)) fn run(@bind(a.b) b: RwBuf<uint>) { b[0] = 1u; }\n";
    place.write("far.akari", source);
    let manifest = |row: &str| format!(r#"{{ "version": 1, "bindings": {{ "HK_BUFFER(a,b)": {row} }} }}"#);
    place.write("far.json", &manifest(r#"{ "metal": "31", "d3d12": "u3", "spirv": "0:9" }"#));
    place.write("one.json", &manifest(r#"{ "d3d12": "u3" }"#));
    place.akari("transpile --input=far.akari --bindings=far.json --reflect --out=-").expect(1, "beyond Metal's last");
    place
        .akari("transpile --input=far.akari --bindings=far.json --target=metal --reflect --out=o")
        .expect(1, "error: far.akari:2:");
    assert!(!place.path("o").exists());
    let run = place.akari("transpile --input=far.akari --bindings=far.json --target=d3d12 --reflect --out=o");
    run.expect(0, "warning: far.akari:2:");
    assert!(run.err().contains("so for `--target=metal`"), "{}", run.err());
    let read = |file: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(place.path(file)).unwrap()).unwrap()
    };
    let json = read("o/far.reflect.json");
    assert!(
        json["bindings"][0]["slots"]["metal"].is_null() && json["entries"][0]["targets"]["metal"].is_null(),
        "{json}"
    );
    assert_eq!(json["bindings"][0]["slots"]["d3d12"]["number"], 3);
    assert_eq!(json["bindings"][0]["slots"]["vulkan"]["binding"], 9);
    // A manifest without a column is no fault.
    let run = place.akari("transpile --input=far.akari --bindings=one.json --reflect --out=p");
    run.expect(0, "");
    assert!(run.err().is_empty(), "{}", run.err());
    let json = read("p/far.reflect.json");
    assert!(
        json["bindings"][0]["slots"]["vulkan"].is_null() && json["entries"][0]["targets"]["vulkan"].is_null(),
        "{json}"
    );
    assert_eq!(json["entries"][0]["targets"]["d3d12"]["file"], "far_cs.hlsl");
}

#[test]
fn what_no_entry_reaches_has_the_slots_of_its_row() {
    let place = Place::new();
    place.write(
        "some.akari",
        "#shader some\n\
         @bind(a.never) let never: Tex2D;\n\
         @bind(a.table) let table: TextureTable;\n\
         @slot(6) let raw: Buf<uint>;\n\
         @sampler(point, repeat) let point_s;\n\
         @compute(threads = (1, 1, 1)) fn run(@bind(a.out) out: RwBuf<uint>) { out[0] = 1u; }\n",
    );
    place.write(
        "b.json",
        r#"{ "version": 1, "bindings": {
            "HK_TEXTURE(a,never)": { "metal": "4", "d3d12": "t7,space2", "spirv": "5:6" },
            "HK_TEXTURE(a,table)": { "metal": "9", "d3d12": "t0,space3" },
            "HK_BUFFER(a,out)": { "metal": "1", "d3d12": "u2" } },
            "static_samplers": [{ "filter": "point", "address": "repeat", "d3d12": "s8" }] }"#,
    );
    let reflect = |flags: &str| -> serde_json::Value {
        let run = place.akari(&format!("transpile --input=some.akari --reflect --out=- {flags}"));
        run.expect(0, "");
        serde_json::from_str(&run.out()).unwrap()
    };
    let of = |json: &serde_json::Value, variable: &str| -> serde_json::Value {
        let all = json["bindings"].as_array().unwrap().iter().chain(json["static_samplers"].as_array().unwrap());
        all.clone()
            .find(|one| one["variable"] == *variable)
            .unwrap_or_else(|| panic!("no {variable} in {json}"))
            .clone()
    };
    let json = reflect("--bindings=b.json");
    let never = of(&json, "never");
    assert_eq!((&never["in_interface"], &never["declared"]), (&false.into(), &"package".into()));
    assert_eq!(
        never["slots"],
        serde_json::json!({
            "metal": { "argument": "texture", "index": 4 },
            "d3d12": { "register": "t", "number": 7, "space": 2 },
            "vulkan": { "set": 5, "binding": 6 }
        })
    );
    let kinds = of(&json, "table")["kinds"].clone();
    assert_eq!(
        kinds[2],
        serde_json::json!({
            "kind": "Tex3D", "reached": false, "d3d12": { "register": "t", "number": 0, "space": 5 }, "vulkan": { "set": 3, "binding": 3 }
        })
    );
    assert_eq!(of(&json, "raw")["slots"]["vulkan"], serde_json::json!({ "set": 0, "binding": 6 }));
    assert_eq!(
        of(&json, "point_s")["slots"],
        serde_json::json!({
            "d3d12": { "register": "s", "number": 8, "space": 0 }, "vulkan": { "set": 2, "binding": 8 }
        })
    );
    // Without a manifest only what is in an interface is given a number.
    let json = reflect("");
    assert!(
        of(&json, "never")["slots"]["metal"].is_null() && of(&json, "point_s")["slots"]["d3d12"].is_null(),
        "{json}"
    );
    assert_eq!(of(&json, "raw")["slots"]["metal"]["index"], 6);
    assert_eq!(of(&json, "out")["slots"]["d3d12"]["number"], 0);
}

#[test]
fn a_missing_module_is_told_with_the_folders_and_what_is_there() {
    let place = Place::new();
    place.write("p.akari", "#shader p\n#import palete\n@compute(threads = (1, 1, 1))\nfn run(@bind(a.b) list: RwBuf<float>) { list[0] = warm(1.0); }\n");
    let run = place.akari("transpile --input=p.akari --target=metal --out=o");
    run.expect(1, "error: p.akari:2:9: there is no module `palete` in the import directories\n");
    run.expect(1, "  = help: name the folders of modules: `--import-dir=DIR`, in a specification `akariImportPaths`\n");
    place.write("m/palette.akari", "#module palette\nfn warm(x: float) -> float { return x; }\n");
    let run = place.akari("transpile --input=p.akari --target=metal --out=o --import-dir=m");
    run.expect(1, "  = note: looked for in `m`\n  = help: did you mean `palette`?\n");
    assert_eq!(run.err().lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", run.err());
}

#[test]
fn resources_have_the_lines_of_their_declarations() {
    let place = Place::new();
    place.write("m/triangle.akari", "#module triangle\nstruct V { @position p: float4; }\n@vertex\nfn triangle(@vertex_id id: uint) -> V {\n    return V { p: float4(float(id)) };\n}\n");
    place.write(
        "p.akari",
        "#shader p\n#import triangle\n@fragment\nfn paint(\n    @stage_in v: V,\n    @bind(a.t) image: Tex2D,\n    @sampler(linear, clamp) smooth,\n) -> float4 {\n    return image.sample(smooth, v.p.xy);\n}\n",
    );
    place.akari("transpile --input=p.akari --target=metal --out=o --import-dir=m").expect(0, "");
    let text = place.read("o/p.metal");
    assert!(text.contains("#line 7 \"p.akari\"\n    constexpr sampler "), "{text}");
    // In HLSL they are globals, each with the line of its parameter.
    place.akari("transpile --input=p.akari --target=d3d12 --out=o --import-dir=m").expect(0, "");
    let text = place.read("o/p_ps.hlsl");
    assert!(
        text.contains("#line 6 \"p.akari\"\nTexture2D<float4> image : register(t0, space0);\nSamplerState "),
        "{text}"
    );
}

#[test]
fn a_package_without_an_entry_is_a_warning_of_a_build() {
    let place = Place::new();
    place.write("idle.akari", "#shader idle\nfn run() { }\n");
    for platform in ["KhronosVulkan", "MicrosoftD3D12", "AppleMetal"] {
        place.write("s.json", &format!(r#"{{ "version": 2, "type": "{platform}", "compilation": [{{ "name": "idle", "sources": ["idle.akari"] }}] }}"#));
        // Told again with what the cache has.
        for _ in 0..2 {
            let run = place.akari("compile --spec=s.json --out=o --source-only");
            run.expect(0, "warning: idle.akari:1:1: the package `idle` has no entry\n");
            run.expect(0, "  = help: a function is an entry with `@vertex`");
        }
    }
    // A module is often looked at alone.
    let run = place.akari("transpile --input=idle.akari --target=metal --out=-");
    assert!(!run.err().contains("warning"), "{}", run.err());
}
