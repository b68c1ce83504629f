//! `akari compile`: whole builds. DXC is the real one, as a library. There is no `dxc` program and no `xcrun metal` for this system, so that these
//! are stand-ins: scripts that record their arguments, and make or refuse something in the tools' own form.

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use akari_harness::tools;
use program::{OBJECTS, PACKAGE, Place, Run};
use serde_json::Value;

/// A specification of one package, `paint`, with more keys of the specification and of the package.
fn spec(platform: &str, keys: &str, package_keys: &str) -> String {
    format!(
        r#"{{ "version": 2, "type": "{platform}", {keys} "compilation": [{{ "name": "paint", "sources": ["paint.akari"], {package_keys}
            "optimizationLevel": 1 }}] }}"#
    )
}

fn report(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{out}/shaders.akari.json"))).expect("a report")
}

/// The report tells exactly what is in the folder; gives the files.
fn check_report(place: &Place, out: &str) -> Vec<String> {
    let report = report(place, out);
    let mut files = vec!["shaders.akari.json".to_owned()];
    for artifact in report["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .flat_map(|package| package["artifacts"].as_array().expect("artifacts"))
    {
        let file = artifact["file"].as_str().expect("a name");
        let bytes = fs::read(place.path(out).join(file)).expect("a published file");
        assert_eq!(artifact["size"], bytes.len(), "{file}");
        assert_eq!(artifact["hash"], blake3::hash(&bytes).to_hex().as_str(), "{file}");
        files.push(file.to_owned());
    }
    files.sort();
    files.dedup();
    assert_eq!(place.names(out), files);
    files
}

fn dxc() -> String {
    tools::dxc_library().expect("DXC").canonicalize().expect("DXC").display().to_string()
}

fn example(platform: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join(format!("docs/examples/build.akari.{platform}.json"))
        .display()
        .to_string()
}

/// Builds all examples, in both profiles, and once more when nothing changed; checks every file.
fn build_examples(platform: &str, more: &str, check: impl Fn(&str, &[u8])) {
    let place = Place::new();
    let spec: Value = serde_json::from_slice(&fs::read(example(platform)).expect("a file")).expect("a specification");
    let count = spec["compilation"].as_array().expect("packages").len();
    for config in ["debug", "release"] {
        let arguments = format!("compile --spec={} --out={config} --config={config} {more}", example(platform));
        let run = place.akari(&arguments);
        run.expect(0, &format!("{count} packages built in "));
        assert!(!run.err().contains("error: ") && !run.err().contains("warning: DXC: "), "{}", run.err());
        let again = place.akari(&arguments);
        again.expect(0, &format!("{count} packages built, {count} of them from the cache in "));
        assert!(!again.err().contains(" runs"), "no tool runs again: {}", again.err());
        let files = check_report(&place, config);
        assert_eq!(report(&place, config)["config"], config);
        assert!(files.len() > 40, "{files:?}");
        for file in files.iter().filter(|file| !file.ends_with(".json")) {
            check(file, &fs::read(place.path(config).join(file)).expect("a published file"));
        }
    }
}

fn check_spirv(file: &str, bytes: &[u8]) {
    assert!(file.ends_with(".spv") && bytes.starts_with(&0x0723_0203_u32.to_le_bytes()), "{file}");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    akari_harness::spirv::validate(&words).unwrap_or_else(|error| panic!("{file}: {error}"));
}

#[test]
fn the_examples_build_for_vulkan() {
    build_examples("vulkan", "", check_spirv);
}

#[test]
fn the_examples_build_for_vulkan_through_dxc() {
    build_examples("vulkan", &format!("--vulkan-compiler=dxc --dxc={}", dxc()), check_spirv);
}

#[test]
fn the_examples_build_for_direct3d_12() {
    build_examples("d3d12", &format!("--dxc={}", dxc()), |file, bytes| {
        assert!(file.ends_with(".cso") && bytes.starts_with(b"DXBC"), "{file}");
        assert!(bytes[4..20] != [0; 16], "{file} has no hash");
    });
}

#[test]
fn the_entries_of_artifacts_are_those_in_the_report() {
    let place = Place::new();
    place.write("s.json", &spec("KhronosVulkan", "", ""));
    place.akari("compile --spec=s.json --out=o").expect(0, "");
    let report = report(&place, "o");
    let package = &report["packages"][0];
    assert_eq!((&package["shader"], &package["status"]), (&Value::from("paint"), &Value::from("compiled")));
    assert_eq!(package["artifacts"][0]["entry"], "fill");
    assert_eq!(package["artifacts"][0]["stage"], "compute");
    assert_eq!(package["artifacts"][1]["file"], "paint_clear_cs.spv");
    let bindings = package["bindings"].as_array().expect("bindings");
    assert_eq!((bindings.len(), &bindings[0]["name"]), (1, &Value::from("a.values")));
    assert_eq!(bindings[0]["entries"], serde_json::json!(["fill", "clear"]));
    assert_eq!(bindings[0]["slots"]["vulkan"], serde_json::json!({ "set": 0, "binding": 0 }));
}

#[test]
fn a_missing_tool_is_told_before_any_work() {
    let place = Place::new();
    place.write("paint.akari", "#shader paint\nthis is wrong\n");
    place.write("d.json", &spec("MicrosoftD3D12", "", ""));
    place.write("m.json", &spec("AppleMetal", "", ""));
    place.write("v.json", &spec("KhronosVulkan", "", ""));
    let empty = place.path(".").display().to_string();
    let without = |arguments: &str| place.akari_with(arguments, &[("PATH", &empty)]);
    let once = |run: &Run, said: &str| {
        run.expect(1, said);
        assert_eq!(run.err().lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", run.err());
    };
    let run = without("compile --spec=d.json --out=o");
    once(
        &run,
        "error: Direct3D 12 needs DXC, and there is none: name its program `dxc` or its library `libdxcompiler.so` with `--dxc=PATH`",
    );
    run.expect(1, "`--source-only` publishes the emitted HLSL instead, `--validate-only` checks all but that");
    once(
        &without("compile --spec=m.json --out=o"),
        "error: Metal needs `xcrun metal` of Xcode, and there is no `xcrun` in `PATH`; `--source-only`",
    );
    once(&without("compile --spec=v.json --out=o --vulkan-compiler=dxc"), "error: `--vulkan-compiler=dxc` needs DXC");
    once(&without("compile --spec=d.json --out=o --dxc=nowhere"), "`--dxc` names nowhere, where there is neither");
    let run = place.akari_with("compile --spec=d.json --out=o", &[("AKARI_DXC", "nowhere")]);
    once(&run, "`AKARI_DXC` names nowhere, where there is neither");
    place.write("libdxcompiler.so", "no library");
    // That the library cannot be loaded shows when it is needed, which is after the cache was looked at.
    once(&without("compile --spec=d.json --out=u"), "cannot load");
    assert!(place.names("u").is_empty());
    place.write_program("xcrun", "#!/bin/sh\necho 'xcrun: error: unable to find utility \"metal\"' >&2\nexit 72\n");
    let path = format!("{empty}:/bin:/usr/bin");
    let run = place.akari_with("compile --spec=m.json --out=o", &[("PATH", &path)]);
    once(&run, "unable to find utility \"metal\"; `xcodebuild -downloadComponent MetalToolchain` installs it");
    assert!(!place.path("o").exists());
}

/// As DXC refuses a text, where it says 3.25.
fn refusing_dxc() -> String {
    let script = r#"
[ "$1" = --version ] && exit 0
line=$(grep -n '3\.25' hlsl.hlsl | head -n 1 | cut -d: -f1)
[ -n "$line" ] || { container hlsl.hlsl object; exit 0; }
echo "hlsl.hlsl:$line:1: warning: it is odd
hlsl.hlsl:$line:7: error: no matching function for call to 'f'
    float x = f(3.25);
              ^
hlsl.hlsl:$line:7: note: candidate function not viable: requires 2 arguments
hlsl.hlsl:$line:9: error: and so on
2 errors generated." >&2
exit 1
"#;
    format!("#!/bin/bash\n{OBJECTS}{script}")
}

const REFUSED: &str = "#shader paint
@compute(threads = (8, 1, 1))
fn fill(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) {
    values[index] = values[index] * 3.25;
}
";

#[test]
fn dxc_as_a_program_gets_the_flags() {
    let place = Place::new();
    place.write_program("dxc", &program::dxc());
    place.write("d.json", &spec("MicrosoftD3D12", "", r#""shaderModel": "6_6","#));
    place.akari("compile --spec=d.json --out=o --dxc=dxc -j 1").expect(0, "1 package built");
    let log = place.read("dxc.log");
    let line = log.lines().find(|line| line.contains(" fill ")).expect("a run");
    assert_eq!(line, "-T cs_6_6 -E fill -HV 2021 -O1 -Gis -Fo object hlsl.hlsl");
    assert!(!place.read("o/paint_fill_cs.cso").contains("#line"), "the text has no `#line` without debug symbols");
    place.write("dxc.log", "");
    place.write("v.json", &spec("KhronosVulkan", "", ""));
    let path = format!("{}:/bin:/usr/bin", place.path(".").display());
    place
        .akari_with("compile --spec=v.json --out=v --config=debug --vulkan-compiler=dxc", &[("PATH", &path)])
        .expect(0, "");
    let log = place.read("dxc.log");
    let line = log.lines().find(|line| line.contains(" fill ")).expect("a run");
    assert!(line.starts_with("-T cs_6_0 -E fill -HV 2021 -O0 -spirv -fspv-target-env=vulkan1.2 "), "{line}");
    assert!(line.contains(" -fvk-use-dx-layout -fvk-use-dx-position-w -Zi ") && !line.contains("invert-y"), "{line}");
    assert!(place.read("v/paint_fill_cs.spv").contains("#line 3 \"paint.akari\""));
}

#[test]
fn vertex_stages_and_half_get_flags_of_their_own() {
    let place = Place::new();
    place.write_program("dxc", &program::dxc());
    let text = "#shader paint
struct V { @position position: float4; }
@vertex fn corner(@vertex_id id: uint) -> V { let h = id as half; return V { position: float4(h as float, 0.0, 0.0, 1.0) }; }
";
    place.write("paint.akari", text);
    place.write("v.json", &spec("KhronosVulkan", "", ""));
    place.akari("compile --spec=v.json --out=v --config=release --vulkan-compiler=dxc --dxc=dxc").expect(0, "");
    let log = place.read("dxc.log");
    assert!(log.starts_with("--version\n-T vs_6_2 -E corner -HV 2021 -O3 -enable-16bit-types -spirv "), "{log}");
    assert!(log.contains(" -fvk-use-dx-position-w -fvk-invert-y "), "{log}");
}

#[test]
fn what_dxc_refuses_is_told_of_the_source() {
    let place = Place::new();
    place.write("paint.akari", REFUSED);
    place.write_program("dxc", &refusing_dxc());
    place.write("d.json", &spec("MicrosoftD3D12", "", ""));
    let run = place.akari("compile --spec=d.json --out=o --dxc=dxc");
    run.expect(1, "error: paint.akari:4:5: DXC: no matching function for call to 'f'\n  |     values[index] = values[index] * 3.25;\n");
    run.expect(1, r#"@akari diag {"sev":"error","msg":"DXC: no matching function for call to 'f'","file":"paint.akari","line":4,"col":5,"#);
    run.expect(1, "1 of 1 packages failed: paint\n");
    let err = run.err();
    assert!(err.find("no matching") < err.find("and so on"), "{err}");
    assert!(!err.contains("candidate") && !err.contains("errors generated") && !err.contains("hlsl.hlsl"), "{err}");
    assert_eq!(check_report(&place, "o"), ["shaders.akari.json"]);
    assert_eq!(report(&place, "o")["packages"][0]["status"], "failed");
    let run = place.akari("compile --spec=d.json --out=o --dxc=dxc --verbose");
    run.expect(1, "note: candidate function not viable: requires 2 arguments");
    run.expect(1, "DXC: paint_cs: -T cs_6_0 -E fill ");
}

#[test]
fn a_shader_model_that_dxc_does_not_know_is_told_of_the_specification() {
    let place = Place::new();
    place.write_program(
        "dxc",
        "#!/bin/bash\n[ \"$1\" = --version ] && exit 0\necho \"error: invalid profile $2\" >&2\nexit 1\n",
    );
    place.write("d.json", &spec("MicrosoftD3D12", "", "\n\"shaderModel\": \"6_9\","));
    let run = place.akari("compile --spec=d.json --out=o --dxc=dxc");
    run.expect(1, "error: d.json:2:16: this DXC does not know shader model 6_9\n  | \"shaderModel\": \"6_9\",");
    // Once, though the package has two entries.
    assert_eq!(run.err().lines().filter(|line| line.starts_with("error: ")).count(), 1, "{}", run.err());
}

/// As `xcrun` of a Mac: records what it is asked for in `xcrun.log`, and gives objects that hold the text.
const XCRUN: &str = r#"#!/bin/bash
here=$(cd "$(dirname "$0")" && pwd)
echo "$*" >> "$here/xcrun.log"
[ "$4" = --version ] && { echo "Apple metal version 0 (a stand-in)"; exit 0; }
if [ "$3" = metal ] && grep -q '3\.25' shader.metal; then
    line=$(grep -n '3\.25' shader.metal | head -n 1 | cut -d: -f1)
    echo "shader.metal:1:3: warning: unknown attribute 'odd' ignored [-Wunknown-attributes]
shader.metal:$line:7: error: use of undeclared identifier 'f'
1 warning and 1 error generated." >&2
    exit 1
fi
for last; do :; done
case $3 in
    metal) cp shader.metal "$last" ;;
    metallib) { echo MTLB; cat "$4"; } > "$last" ;;
esac
"#;

/// There is no Metal compiler for this system: this tests how one is called, not what it makes.
#[test]
fn a_stand_in_for_xcrun_is_called_as_the_metal_compiler_is() {
    let place = Place::new();
    place.write_program("xcrun", XCRUN);
    place.write("m.json", &spec("AppleMetal", "", ""));
    let path = format!("{}:/bin:/usr/bin", place.path(".").display());
    let akari = |arguments: &str| place.akari_with(arguments, &[("PATH", &path)]);
    akari("compile --spec=m.json --out=o").expect(0, "1 package built");
    assert_eq!(
        place.read("xcrun.log"),
        "-sdk macosx metal --version\n\
         -sdk macosx metal -std=metal4.0 -mmacosx-version-min=26.0 -O1 -c shader.metal -o shader.air\n\
         -sdk macosx metallib shader.air -o shader.metallib\n"
    );
    assert!(place.read("o/paint.metallib").starts_with("MTLB\n#include <metal_stdlib>"));
    assert_eq!(check_report(&place, "o"), ["paint.metallib", "shaders.akari.json"]);
    let artifacts = report(&place, "o")["packages"][0]["artifacts"].clone();
    assert_eq!((&artifacts[0]["entry"], &artifacts[1]["entry"]), (&Value::from("fill"), &Value::from("clear")));
    akari("compile --spec=m.json --out=d --config=debug").expect(0, "1 package built");
    assert!(place.read("xcrun.log").contains(" -O0 -gline-tables-only -frecord-sources -c shader.metal "));
    place.write("paint.akari", REFUSED);
    let run = akari("compile --spec=m.json --out=o");
    run.expect(1, "error: paint.akari:4:5: Metal: use of undeclared identifier 'f'\n");
    assert!(!run.err().contains("unknown attribute"), "{}", run.err());
    assert!(place.read("o/paint.metallib").starts_with("MTLB"), "the last good one is kept");
    assert_eq!(report(&place, "o")["packages"][0]["artifacts"], artifacts);
}

#[test]
fn a_game_builds_against_an_engine_tree() {
    let place = Place::new();
    place.write("sdk/src/hikari/shaders/akari/modules/ink.akari", "#module ink\nfn ink() -> float { return 0.5; }\n");
    place.write(
        "sdk/src/hikari/shaders/bindings.kaji.json",
        r#"{ "version": 1, "bindings": { "HK_BUFFER(a,values)": { "metal": "7", "d3d12": "u3", "spirv": "0:9" } } }"#,
    );
    place.write(
        "game/shaders/paint.akari",
        &PACKAGE.replace("#shader paint\n", "#shader paint\n#import ink\n").replace("1.0", "ink()"),
    );
    place.write("game/s.json", &spec("MicrosoftD3D12", "", r#""workingDirectory": "shaders","#));
    place.akari("compile --spec=game/s.json --out=o --source-only").expect(1, "module");
    place.akari("compile --spec=game/s.json --out=o --source-only --engine-sdk=sdk").expect(0, "1 package built");
    assert!(place.read("o/paint_fill_cs.hlsl").contains(": register(u3"), "the engine's manifest");
    // What the specification names comes before what the engine has.
    place.write(
        "game/b.json",
        r#"{ "version": 1, "bindings": { "HK_BUFFER(a,values)": { "metal": "7", "d3d12": "u4", "spirv": "0:9" } } }"#,
    );
    place.write("game/own/ink.akari", "#module ink\nfn ink() -> float { return 0.25; }\n");
    let keys = r#""bindingManifest": "b.json", "akariImportPaths": ["own"],"#;
    place.write("game/t.json", &spec("MicrosoftD3D12", keys, r#""workingDirectory": "shaders","#));
    place.akari("compile --spec=game/t.json --out=p --source-only --engine-sdk=sdk").expect(0, "1 package built");
    let text = place.read("p/paint_fill_cs.hlsl");
    assert!(text.contains(": register(u4") && text.contains("0.25"), "{text}");
    place
        .akari("compile --spec=game/s.json --out=q --engine-sdk=game")
        .expect(1, "cannot read game/src/hikari/shaders/akari/modules");
}

#[test]
fn a_profile_overrides_what_packages_ask_for() {
    let place = Place::new();
    place.write_program("dxc", &program::dxc());
    place.write("d.json", &spec("MicrosoftD3D12", "", r#""includeDebugSymbols": true,"#));
    for (flag, wanted, unwanted) in
        [("", " -O1 ", " -O3"), ("--config=debug", " -O0 ", " -O1"), ("--config=release", " -O3 ", " -Zi")]
    {
        place.write("dxc.log", "");
        place.akari(&format!("compile --spec=d.json --out=o --dxc=dxc {flag}")).expect(0, "");
        let log = place.read("dxc.log");
        assert!(log.contains(wanted) && !log.contains(unwanted), "{flag}: {log}");
        assert_eq!(log.contains("-Zi -Qembed_debug"), flag != "--config=release", "{log}");
    }
}

#[test]
fn faults_of_a_specification_have_places() {
    let place = Place::new();
    place.write("s.json", &spec("KhronosVulkan", "\"engineSdk\": 1,\n", "\"defines\": [],\n"));
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(1, "error: s.json:1:42: a specification has no key `engineSdk`");
    run.expect(1, "error: s.json:2:65: a package has no key `defines`");
    assert!(!place.path("o").exists());
}

#[test]
fn one_broken_package_does_not_hold_up_the_others() {
    let place = Place::new();
    place.write("wrong.akari", "#shader wrong\n@compute(threads = (1, 1, 1)) fn run() { let x: float = 1u; }\n");
    let both = |wrong: &str| {
        format!(
            r#"{{ "version": 2, "type": "KhronosVulkan", "compilation": [
                {{ "name": "wrong", "sources": ["{wrong}"], "shipping": {{ "root": true, "requires": ["paint"] }} }},
                {{ "name": "paint", "sources": ["paint.akari"] }}, {{ "name": "gone", "sources": ["gone.akari"] }}] }}"#
        )
    };
    place.write("s.json", &both("wrong.akari"));
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(1, "2 of 3 packages failed: wrong, gone\n");
    run.expect(1, "error: wrong.akari:2:");
    run.expect(1, "error: s.json:3:96: cannot read gone.akari");
    run.expect(1, "1 package built in ");
    assert_eq!(check_report(&place, "o"), ["paint_clear_cs.spv", "paint_fill_cs.spv", "shaders.akari.json"]);
    assert_eq!(report(&place, "o")["packages"][0]["shipping"]["requires"][0], "paint");
    place.write("wrong.akari", "#shader wrong\n@compute(threads = (1, 1, 1)) fn run() { }\n");
    place.akari("compile --spec=s.json --out=o").expect(1, "1 of 3 packages failed: gone\n");
    let good = check_report(&place, "o");
    assert!(good.contains(&"wrong_cs.spv".to_owned()), "{good:?}");
    place.write("wrong.akari", "#shader wrong\nfn\n");
    place.akari("compile --spec=s.json --out=o").expect(1, "2 of 3 packages failed: wrong, gone\n");
    assert_eq!(check_report(&place, "o"), good, "the last good files are kept");
}

#[test]
fn progress_is_a_line_for_each_package_or_nothing() {
    let place = Place::new();
    place.write("s.json", &spec("KhronosVulkan", "", ""));
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(0, "[1/1] paint: built in 0.");
    assert_eq!(run.out(), "");
    let run = place.akari("compile --spec=s.json --out=o --quiet");
    assert_eq!((run.status(), run.err().as_str()), (0, ""));
    place.write("paint.akari", "#shader paint\nfn\n");
    let run = place.akari("compile --spec=s.json --out=o --quiet");
    run.expect(1, "1 of 1 packages failed: paint\n");
    assert!(run.err().starts_with("@akari diag {"), "{}", run.err());
    place.akari("compile --spec=s.json --out=o --quiet --verbose").expect(2, "cannot be used with");
}

#[test]
fn others_that_hold_the_lock_are_waited_for_and_that_is_told() {
    let place = Place::new();
    place.write("s.json", &spec("KhronosVulkan", "", ""));
    place.akari("compile --spec=s.json --out=o").expect(0, "1 package built");
    for (quiet, said) in
        [("--verbose", "waiting for another build, or a reader, that holds o/.akari/lock\n"), ("--quiet", "")]
    {
        place.write("paint.akari", &PACKAGE.replace("1.0", if said.is_empty() { "2.0" } else { "3.0" }));
        let lock = fs::File::open(place.path("o/.akari/lock")).expect("a lock");
        lock.lock_shared().expect("the lock");
        let before = published(&place);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_akari"));
        let command = command.args(["compile", "--spec=s.json", "--out=o", quiet]).current_dir(place.path("."));
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("the program");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut err = String::new();
        if said.is_empty() {
            std::thread::sleep(std::time::Duration::from_secs(4));
        }
        while !err.contains(said) {
            assert_ne!(stderr.read_line(&mut err).expect("text"), 0, "{err}");
        }
        assert_eq!(published(&place), before, "nothing is published meanwhile");
        lock.unlock().expect("a lock that was held");
        stderr.read_to_string(&mut err).expect("text");
        assert!(child.wait().expect("the program").success() && said.is_empty() == err.is_empty(), "{err}");
        assert!(published(&place) != before);
    }
}

/// The one file that is published.
fn published(place: &Place) -> String {
    place.read("o/paint_fill_cs.spv")
}

#[test]
fn packages_are_counted_in_the_order_that_they_are_told_of() {
    let place = Place::new();
    let packages: Vec<_> =
        (0..60).map(|number| serde_json::json!({ "name": format!("p{number}"), "sources": ["paint.akari"] })).collect();
    let spec = serde_json::json!({ "version": 2, "type": "KhronosVulkan", "compilation": packages });
    place.write("s.json", &spec.to_string());
    for _ in 0..5 {
        let run = place.akari("compile --spec=s.json --out=o --no-cache -j16");
        run.expect(0, "60 packages built in ");
        let said = run.err();
        let counts: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix('[')?.split_once('/'))
            .map(|(count, _)| count.trim())
            .collect();
        assert_eq!(counts, (1..=60).map(|count| count.to_string()).collect::<Vec<_>>());
    }
}

#[test]
fn debug_symbols_do_not_depend_on_where_a_build_runs() {
    let builds = [Place::new(), Place::new()].map(|place| {
        place.write("d.json", &spec("MicrosoftD3D12", "", ""));
        place
            .akari(&format!("compile --spec=d.json --out=o --config=debug --dxc={}", dxc()))
            .expect(0, "1 package built");
        fs::read(place.path("o/paint_fill_cs.cso")).expect("an object")
    });
    assert!(builds[0] == builds[1]);
}
