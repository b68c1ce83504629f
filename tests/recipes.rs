//! `docs/recipes`: Make, Ninja, CMake and Bazel build with Akari, do nothing when nothing changed, and the right thing when something did; shards
//! of a build make a whole.

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::Place;

const AKARI: &str = env!("CARGO_BIN_EXE_akari");

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/recipes").join(name)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// Runs another program in the folder; gives what it printed.
#[track_caller]
fn run(place: &Place, program: &str, arguments: &[&str]) -> String {
    let path = format!(
        "{}:{}",
        Path::new(AKARI).parent().expect("a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new(program).args(arguments).current_dir(place.path(".")).env("PATH", path).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}: tests/tools/install.sh installs it"));
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{program} {}: {said}", arguments.join(" "));
    said
}

/// Two packages, `paint` which imports a module, and `plain` which does not.
fn two_packages() -> Place {
    let place = Place::new();
    place.write("modules/ink.akari", "#module ink\nfn ink() -> float { return 0.5; }\n");
    place.write(
        "paint.akari",
        &program::PACKAGE.replace("#shader paint\n", "#shader paint\n#import ink\n").replace("1.0", "ink()"),
    );
    place.write("plain.akari", &program::PACKAGE.replace("paint", "plain"));
    place.write(
        "s.json",
        r#"{ "version": 2, "type": "KhronosVulkan", "akariImportPaths": ["modules"], "compilation": [
            { "name": "paint", "sources": ["paint.akari"] }, { "name": "plain", "sources": ["plain.akari"] }] }"#,
    );
    place
}

/// Some time later a module says something else.
fn change_the_module(place: &Place, value: &str) {
    // Make and Ninja compare times.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    place.write("modules/ink.akari", &format!("#module ink\nfn ink() -> float {{ return {value}; }}\n"));
}

#[test]
fn dependency_files_name_what_was_read() {
    let place = two_packages();
    for _ in 0..2 {
        // The second time all is from the cache.
        place.akari("compile --spec=s.json --out=o --depfile=all.d --emit-deps=deps").expect(0, "2 packages built");
        let all = place.read("all.d");
        let rule = "o/shaders.akari.json: \\\n  s.json \\\n  paint.akari \\\n  modules/ink.akari \\\n  plain.akari\n\n";
        assert!(all.starts_with(rule) && all.contains("\nmodules/ink.akari:\n"), "{all}");
        assert_eq!(place.names("deps"), ["paint.d", "plain.d"]);
        let plain = place.read("deps/plain.d");
        assert!(
            plain.starts_with("o/plain_fill_cs.spv o/plain_clear_cs.spv: \\\n  s.json \\\n  plain.akari\n"),
            "{plain}"
        );
    }
    place.akari("compile --spec=s.json --out=o --depfile=all.d --depfile-target=stamp").expect(0, "");
    assert!(place.read("all.d").starts_with("stamp: "));
    place.akari("compile --spec=s.json --out=o --depfile-target=stamp").expect(2, "--depfile");
    place.write("plain.akari", "#shader plain\nfn\n");
    fs::remove_file(place.path("all.d")).expect("a file");
    place.akari("compile --spec=s.json --out=o --depfile=all.d").expect(1, "1 of 2 packages failed");
    assert!(!place.path("all.d").exists(), "a build that failed is out of date");
}

#[test]
fn what_a_build_reads_is_not_written_over() {
    let place = two_packages();
    let files = ["s.json", "plain.akari", "modules/ink.akari"];
    let before = files.map(|file| place.read(file));
    for file in files {
        let flags = format!("compile --spec=s.json --out=o --depfile=modules/../{file}");
        place.akari(&flags).expect(1, &format!("the build reads it, as {file}"));
    }
    place.write("deps/plain.d", &place.read("plain.akari"));
    place.write("s2.json", &place.read("s.json").replace("\"plain.akari\"", "\"deps/plain.d\""));
    place
        .akari("compile --spec=s2.json --out=o --emit-deps=deps")
        .expect(1, "cannot write deps/plain.d: the build reads it");
    place.write("shaders.akari.json", &place.read("s.json"));
    place.akari("compile --spec=./shaders.akari.json --out=.").expect(1, "would be written over ./shaders.akari.json");
    place.akari("compile --spec=shaders.akari.json --out=. --validate-only").expect(0, "2 packages valid");
    place.akari("compile --spec=shaders.akari.json --out=o --depfile=s.d").expect(0, "2 packages built");
    assert_eq!(files.map(|file| place.read(file)), before);
    assert_eq!(place.read("shaders.akari.json"), before[0]);
}

/// Make and Ninja know each file by its own name, whatever is in it.
#[test]
fn odd_names_are_understood() {
    for folder in ["a:b", "a b", "a#b$", "C:", "x\\ y:", "[a]", "ä~"] {
        let place = two_packages();
        fs::rename(place.path("modules"), place.path(folder)).expect("a folder");
        let name = serde_json::Value::from(folder).to_string();
        place.write("s.json", &place.read("s.json").replace("\"modules\"", &name));
        place.write(
            "Makefile",
            "make.stamp: s.json\n\t@echo building\n\t@akari compile --spec=s.json --out=o --depfile=make.d --depfile-target=$@ --quiet\n\t@touch $@\n\
             -include make.d\n",
        );
        place.write(
            "build.ninja",
            "rule akari\n  command = akari compile --spec=s.json --out=o --depfile=$out.d --depfile-target=$out --quiet && touch $out && echo building\n  \
             depfile = $out.d\n  deps = gcc\nbuild ninja.stamp: akari s.json\n",
        );
        let build = || ["make", "ninja"].map(|tool| run(&place, tool, &[]).contains("building"));
        assert_eq!(build(), [true; 2], "{folder}");
        assert_eq!(build(), [false; 2], "{folder}: built for nothing");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        place.write(&format!("{folder}/ink.akari"), "#module ink\nfn ink() -> float { return 0.25; }\n");
        assert_eq!(build(), [true; 2], "{folder}: the change was not seen");
        assert_eq!(build(), [false; 2], "{folder}: built for nothing");
        // A module that is not needed any more may go.
        place.write("paint.akari", program::PACKAGE);
        fs::remove_file(place.path(folder).join("ink.akari")).expect("a file");
        assert_eq!(build(), [true; 2], "{folder}");
    }
    let place = two_packages();
    fs::rename(place.path("modules"), place.path("a;b")).expect("a folder");
    place.write("s.json", &place.read("s.json").replace("modules", "a;b"));
    place
        .akari("compile --spec=s.json --out=o --depfile=d")
        .expect(1, "`a;b/ink.akari` cannot stand in a dependency file");
}

#[test]
fn make_builds_when_something_changed() {
    let place = two_packages();
    place.write(
        "Makefile",
        "shaders.stamp: s.json\n\t@echo building\n\t@akari compile --spec=s.json --out=o --depfile=shaders.d --depfile-target=$@ --quiet\n\t@touch $@\n\
         -include shaders.d\n",
    );
    assert!(run(&place, "make", &[]).contains("building"));
    assert!(run(&place, "make", &[]).contains("up to date"));
    change_the_module(&place, "0.25");
    assert!(run(&place, "make", &[]).contains("building"));
    // A module that is not needed any more may go.
    place.write("paint.akari", program::PACKAGE);
    fs::remove_file(place.path("modules/ink.akari")).expect("a file");
    assert!(run(&place, "make", &[]).contains("building"));
    assert!(run(&place, "make", &[]).contains("up to date"));
}

#[test]
fn ninja_builds_when_something_changed() {
    let place = two_packages();
    let text = fs::read_to_string(recipe("README.md")).expect("the recipes");
    let rules = text.split("```ninja\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a recipe");
    place.write("build.ninja", &rules.replace("build.akari.vulkan.json", "s.json"));
    assert!(run(&place, "ninja", &[]).contains("akari compile"));
    assert!(run(&place, "ninja", &[]).contains("no work to do"));
    change_the_module(&place, "0.25");
    assert!(run(&place, "ninja", &[]).contains("akari compile"));
    assert!(run(&place, "ninja", &[]).contains("no work to do"));
}

#[test]
fn cmake_builds_when_something_changed() {
    for (generator, idle) in [("Ninja", "no work to do"), ("Unix Makefiles", "Built target vulkan_shaders")] {
        let place = Place::new();
        copy(&recipe("cmake"), &place.path("recipes/cmake"));
        copy(&recipe("../examples"), &place.path("examples"));
        let akari = format!("-DAKARI={AKARI}");
        run(&place, "cmake", &["-S", "recipes/cmake", "-B", "b", "-G", generator, &akari]);
        let build = || run(&place, "cmake", &["--build", "b"]);
        assert!(build().contains("Shaders of vulkan_shaders"), "{generator}");
        assert!(place.names("b/shaders/vulkan").contains(&"sky_vs.spv".to_owned()));
        let said = build();
        assert!(said.contains(idle) && !said.contains("Shaders of"), "{generator}: {said}");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let module = place.path("examples/akari/modules/noise.akari");
        fs::write(&module, fs::read_to_string(&module).expect("a module") + "\n// more\n").expect("a module");
        assert!(build().contains("Shaders of vulkan_shaders"), "{generator}");
        assert!(!build().contains("Shaders of"), "{generator}");
    }
}

#[test]
fn bazel_builds_what_changed() {
    let place = Place::new();
    copy(&recipe("bazel"), &place.path("."));
    fs::copy(AKARI, place.path("tools/akari")).expect("the program");
    let root = format!("--output_user_root={}", place.path("bazel-root").display());
    let build = || run(&place, "bazel", &["--batch", &root, "build", "--noshow_progress", "//:all"]);
    build();
    assert_eq!(place.names("bazel-bin/tint"), ["shaders.akari.json", "tint_cs.spv"]);
    let [tint, clear] = ["tint/tint_cs.spv", "clear/clear_cs.spv"].map(|name| place.path("bazel-bin").join(name));
    let before = fs::read(&tint).expect("an artifact");
    let cleared = fs::metadata(&clear).and_then(|about| about.modified()).expect("an artifact");
    place.write(
        "modules/palette.akari",
        "#module palette\n\nfn warm() -> float3 {\n    return float3(1.0, 0.5, 0.25);\n}\n",
    );
    build();
    assert!(fs::read(&tint).expect("an artifact") != before);
    assert_eq!(
        fs::metadata(&clear).and_then(|about| about.modified()).expect("an artifact"),
        cleared,
        "made again for nothing"
    );
    // What Bazel leaves is read-only.
    run(&place, "chmod", &["-R", "u+w", "bazel-root"]);
}

#[test]
fn shards_make_a_whole() {
    let place = two_packages();
    place.akari("compile --spec=s.json --out=one --cache=c --shard=1/2").expect(0, "1 package built");
    assert_eq!(place.names("one"), ["paint_clear_cs.spv", "paint_fill_cs.spv", "shaders.akari.json"]);
    place.akari("compile --spec=s.json --out=two --cache=c --shard=2/2").expect(0, "1 package built");
    assert_eq!(place.names("two"), ["plain_clear_cs.spv", "plain_fill_cs.spv", "shaders.akari.json"]);
    place.akari("compile --spec=s.json --out=all --cache=c").expect(0, "2 packages built, 2 of them from the cache");
    assert_eq!(place.names("all").len(), 5);
    // In one folder, one after the other: neither takes away what the other made.
    for shard in ["2/2", "1/2"] {
        place
            .akari(&format!("compile --spec=s.json --out=both --cache=c --shard={shard}"))
            .expect(0, "1 package built");
    }
    assert_eq!(place.names("both"), place.names("all"));
    assert_eq!(place.read("both/shaders.akari.json"), place.read("all/shaders.akari.json"));
    for wrong in ["0/2", "3/2", "1", "a/b"] {
        place.akari(&format!("compile --spec=s.json --out=o --shard={wrong}")).expect(2, "write one such as `1/4`");
    }
}
