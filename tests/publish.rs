//! What `akari compile` publishes and says where packages stand in each other's way, where what they share is faulty, and where nobody listens.

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::process::Stdio;

use program::{PACKAGE, Place, Run};
use serde_json::{Value, json};

/// A package with these compute entries.
fn package(name: &str, entries: &[&str]) -> String {
    let entries = entries.iter().map(|entry| format!("@compute(threads = (1, 1, 1)) fn {entry}() {{ }}\n"));
    format!("#shader {name}\n{}", entries.collect::<String>())
}

/// A specification of packages by name and source.
fn spec(platform: &str, keys: &Value, packages: &[(&str, &str)]) -> String {
    let packages: Vec<Value> =
        packages.iter().map(|(name, source)| json!({ "name": name, "sources": [format!("{source}.akari")] })).collect();
    let mut spec = json!({ "version": 2, "type": platform, "compilation": packages });
    for (key, value) in keys.as_object().expect("keys") {
        spec[key] = value.clone();
    }
    spec.to_string()
}

/// Each package of the report with its status and its files. The report tells exactly what is in the folder, and every file once.
fn rows(place: &Place, out: &str) -> Vec<(String, String, Vec<String>)> {
    let report: Value = serde_json::from_str(&place.read(&format!("{out}/shaders.akari.json"))).expect("a report");
    let mut all = vec!["shaders.akari.json".to_owned()];
    let rows = report["packages"].as_array().expect("packages").iter().map(|package| {
        let files = package["artifacts"].as_array().expect("artifacts").iter().map(|artifact| {
            let file = artifact["file"].as_str().expect("a name").to_owned();
            let bytes = fs::read(place.path(out).join(&file)).expect("a published file");
            assert_eq!(artifact["hash"], blake3::hash(&bytes).to_hex().as_str(), "{file}");
            file
        });
        let files: Vec<String> = files.collect();
        all.extend(files.iter().cloned());
        let text = |key: &str| package[key].as_str().expect("a text").to_owned();
        (text("name"), text("status"), files)
    });
    let rows = rows.collect();
    all.sort();
    let there: Vec<String> = place.names(out).into_iter().filter(|name| place.path(out).join(name).is_file()).collect();
    assert_eq!(there, all);
    rows
}

fn row(name: &str, status: &str, files: &[&str]) -> (String, String, Vec<String>) {
    (name.to_owned(), status.to_owned(), files.iter().map(|file| (*file).to_owned()).collect())
}

/// The last line that it printed, without times.
fn summary(run: &Run) -> String {
    let err = run.err();
    let last = err.lines().last().unwrap_or_default();
    last.rsplit_once(" in ").map_or(last, |(said, _)| said).split(" in 0.").next().unwrap_or_default().to_owned()
}

#[test]
fn what_is_counted_is_what_is_there() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.akari"), &package(name, &["run"]));
    }
    place.write("s.json", &spec("KhronosVulkan", &json!({}), &[("a", "a"), ("b", "b")]));
    // A folder has the name of a file: its package fails when all are built.
    fs::create_dir_all(place.path("o/a_cs.spv")).expect("a folder");
    let build = || place.akari("compile --spec=s.json --out=o");
    let run = build();
    run.expect(1, "error: cannot write o/a_cs.spv: it is a folder");
    run.expect(1, "1 of 2 packages failed: a\n");
    assert_eq!(summary(&run), "1 package built", "{}", run.err());
    let run = build();
    run.expect(1, "1 of 2 packages failed: a\n");
    assert_eq!(summary(&run), "1 package built, 1 of them from the cache", "{}", run.err());
    assert_eq!(rows(&place, "o"), [row("a", "failed", &[]), row("b", "cached", &["b_cs.spv"])]);
    fs::remove_dir(place.path("o/a_cs.spv")).expect("a folder");
    assert_eq!(summary(&build()), "2 packages built, 2 of them from the cache");
    // A folder has the name of the report: nothing is published.
    place.write("b.akari", &package("b", &["walk"]));
    fs::remove_file(place.path("o/shaders.akari.json")).expect("a file");
    fs::create_dir(place.path("o/shaders.akari.json")).expect("a folder");
    let before = fs::read(place.path("o/b_cs.spv")).expect("a file");
    let run = build();
    run.expect(1, "error: cannot write o/shaders.akari.json: it is a folder");
    assert_eq!(summary(&run), "2 packages built, 1 of them from the cache, but not published,", "{}", run.err());
    assert!(fs::read(place.path("o/b_cs.spv")).expect("a file") == before);
}

#[test]
fn packages_whose_files_have_one_name_are_told_of_both() {
    let place = Place::new();
    place.write("x.akari", &package("x", &["y", "z"]));
    place.write("x_y.akari", &package("x_y", &["run"]));
    place.write("one.json", &spec("KhronosVulkan", &json!({}), &[("x_y", "x_y")]));
    place.write("both.json", &spec("KhronosVulkan", &json!({}), &[("x", "x"), ("x_y", "x_y")]));
    let run = place.akari("compile --spec=both.json --out=o");
    run.expect(1, "error: cannot write o/x_y_cs.spv: the packages `x` and `x_y` both make a file of this name; give a package or an entry another name");
    run.expect(1, "1 of 2 packages failed: x_y\n");
    let x = ["x_y_cs.spv", "x_z_cs.spv"];
    assert_eq!(rows(&place, "o"), [row("x", "compiled", &x), row("x_y", "failed", &[])]);
    // The one that had the file keeps it.
    place.akari("compile --spec=one.json --out=p").expect(0, "1 package built");
    let had = place.read("p/x_y_cs.spv");
    let run = place.akari("compile --spec=both.json --out=p");
    run.expect(1, "1 of 2 packages failed: x\n");
    assert_eq!(
        rows(&place, "p"),
        [row("x", "failed", &[]), row("x_y", "compiled", &["x_y_cs.spv"])].map(|(name, status, files)| {
            // Its own cache has it already.
            (name, if status == "compiled" { "cached".to_owned() } else { status }, files)
        })
    );
    assert!(place.read("p/x_y_cs.spv") == had);
    // Also where it fails for a reason of its own, and where another part of the packages is built.
    place.write("x_y.akari", "#shader x_y\nfn\n");
    let run = place.akari("compile --spec=both.json --out=p");
    run.expect(1, "error: cannot write p/x_y_cs.spv: x_y_cs.spv is of the last good build of the package `x_y`, which is not replaced");
    run.expect(1, "2 of 2 packages failed: x, x_y\n");
    place.akari("compile --spec=both.json --out=p --shard=1/2").expect(1, "1 of 1 packages failed: x\n");
    assert!(place.read("p/x_y_cs.spv") == had);
    assert_eq!(rows(&place, "p"), [row("x", "failed", &[]), row("x_y", "failed", &["x_y_cs.spv"])]);
}

#[test]
fn names_that_differ_by_case_are_one_name() {
    let place = Place::new();
    place.write("a.akari", &package("a", &["run"]));
    // Packages: before anything is built.
    for (one, other) in [("B", "b"), ("straße", "STRASSE")] {
        place.write("s.json", &spec("KhronosVulkan", &json!({}), &[(one, "a"), (other, "a")]));
        let run = place.akari("compile --spec=s.json --out=o");
        run.expect(1, &format!("the packages `{one}` and `{other}` would have the same files where a file system does not tell such names apart"));
        run.expect(1, "note: the other");
        assert!(!place.path("o").exists());
    }
    // Entries, of one package and of two.
    place.write("m.akari", &package("m", &["Blur", "blur"]));
    place.write("n.akari", &package("n", &["A", "b"]));
    place.write("n_a.akari", &package("n_a", &["run"]));
    place.write("s.json", &spec("KhronosVulkan", &json!({}), &[("m", "m"), ("n", "n"), ("n_a", "n_a")]));
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(1, "error: cannot write o/m_blur_cs.spv: the package `m` makes it, as m_Blur_cs.spv is the same file on some systems; give");
    run.expect(1, "error: cannot write o/n_a_cs.spv: the packages `n` and `n_a` both make it, as n_A_cs.spv is the same file on some systems");
    assert_eq!(
        rows(&place, "o"),
        [row("m", "failed", &[]), row("n", "compiled", &["n_A_cs.spv", "n_b_cs.spv"]), row("n_a", "failed", &[])]
    );
    // A library of Metal is called like its package alone, and clashes with nothing.
    place.write("s.json", &spec("AppleMetal", &json!({}), &[("m", "m"), ("m_vs", "n")]));
    place.akari("compile --spec=s.json --out=l --source-only").expect(0, "2 packages built");
    assert_eq!(place.names("l"), ["m.metal", "m_vs.metal", "shaders.akari.json"]);
}

#[test]
fn names_that_a_system_cannot_have_are_refused() {
    let place = Place::new();
    for name in
        ["con", "nul.x", "LPT1", "a.", "a ", "..", "../a", "a/b", "a\\b", "a<", "a>", "a:", "a\"", "a|", "a?", "a*", ""]
    {
        place.write("s.json", &spec("KhronosVulkan", &json!({}), &[(name, "paint")]));
        place
            .akari("compile --spec=s.json --out=o")
            .expect(1, &format!("error: s.json:1:25: `{name}` cannot name a package"));
        assert!(!place.path("o").exists(), "{name}");
    }
}

/// Two packages: one binds, one does not.
fn two() -> Place {
    let place = Place::new();
    place.write("plain.akari", &package("plain", &["run"]));
    place.write(
        "s.json",
        &spec("KhronosVulkan", &json!({ "bindingManifest": "b.json" }), &[("paint", "paint"), ("plain", "plain")]),
    );
    place.write("b.json", MANIFEST);
    place
}

const MANIFEST: &str =
    r#"{ "version": 1, "bindings": { "HK_BUFFER(a,values)": { "metal": "7", "d3d12": "u3", "spirv": "0:9" } } }"#;

#[test]
fn a_faulty_manifest_fails_what_depends_on_it() {
    let place = two();
    let build = || place.akari("compile --spec=s.json --out=o");
    build().expect(0, "2 packages built");
    let good = place.read("o/paint_fill_cs.spv");
    let files = ["paint_fill_cs.spv", "paint_clear_cs.spv"];
    let faults: [(Option<String>, &str); 4] = [
        (Some(MANIFEST.replace("} }", r#"}, "HK_BUFFER(a,unused)": { "metal": 7 } }"#)), "error: b.json:1:"),
        (Some("{ nonsense".to_owned()), "error: b.json:1:3: this is not JSON"),
        (Some(MANIFEST.replace("1,", "3,")), "manifest version 3 is not known"),
        (None, ": cannot read b.json: No such file"),
    ];
    for (text, said) in &faults {
        match text {
            Some(text) => place.write("b.json", text),
            None => fs::remove_file(place.path("b.json")).expect("a file"),
        }
        place.write("plain.akari", &format!("// {said:?}\n{}", package("plain", &["run"])));
        for status in ["compiled", "cached"] {
            let run = build();
            run.expect(1, said);
            run.expect(1, "error: the package `paint` needs the binding manifest b.json, which has errors\n");
            run.expect(1, "1 of 2 packages failed: paint\n");
            assert!(run.err().contains("1 package built"), "{}", run.err());
            assert_eq!(run.err().matches("error: ").count(), 2, "{}", run.err());
            assert_eq!(rows(&place, "o"), [row("paint", "failed", &files), row("plain", status, &["plain_cs.spv"])]);
            assert!(place.read("o/paint_fill_cs.spv") == good, "the last good file is kept");
        }
        let run = place.akari("compile --spec=s.json --out=v --validate-only");
        run.expect(1, "1 of 2 packages failed: paint\n");
        run.expect(1, "1 package valid");
        // Nobody depends on it: it is an error all the same.
        place.write("t.json", &spec("KhronosVulkan", &json!({ "bindingManifest": "b.json" }), &[("plain", "plain")]));
        let run = place.akari("compile --spec=t.json --out=t --depfile=t.d");
        run.expect(1, said);
        run.expect(1, "1 package built");
        assert!(!place.path("t.d").exists());
        // What is wrong with a package is told beside.
        place.write("paint.akari", "#shader paint\nfn\n");
        build().expect(1, "error: paint.akari:");
        place.write("paint.akari", PACKAGE);
    }
    place.write("b.json", MANIFEST);
    build().expect(0, "2 packages built, 2 of them from the cache");
    assert!(place.read("o/paint_fill_cs.spv") == good);
}

#[test]
fn a_folder_of_modules_that_is_not_there_fails_what_looks_in_it() {
    let place = Place::new();
    place.write("near/ink.akari", "#module ink\nfn ink() -> float { return 0.5; }\n");
    place.write("far/pen.akari", "#module pen\nfn pen() -> float { return 0.5; }\n");
    for (name, module) in [("plain", ""), ("inked", "ink"), ("penned", "pen")] {
        let import = if module.is_empty() { String::new() } else { format!("#import {module}\n") };
        let call = if module.is_empty() { "1.0".to_owned() } else { format!("{module}()") };
        let text = PACKAGE.replace("#shader paint\n", &format!("#shader {name}\n{import}")).replace("1.0", &call);
        place.write(&format!("{name}.akari"), &text);
    }
    let packages = [("plain", "plain"), ("inked", "inked"), ("penned", "penned")];
    place.write("s.json", &spec("KhronosVulkan", &json!({ "akariImportPaths": ["near", "far"] }), &packages));
    let build = || place.akari("compile --spec=s.json --out=o");
    build().expect(0, "3 packages built");
    fs::rename(place.path("far"), place.path("away")).expect("a folder");
    for _ in 0..2 {
        let run = build();
        run.expect(1, "error: s.json:1:");
        run.expect(1, ": cannot read far: No such file");
        run.expect(1, "the module `pen` cannot be read: cannot read far: No such file");
        run.expect(1, "1 of 3 packages failed: penned\n");
        assert_eq!(rows(&place, "o")[2], row("penned", "failed", &["penned_fill_cs.spv", "penned_clear_cs.spv"]));
    }
    // One that would be found there before the one that is found now.
    fs::rename(place.path("away"), place.path("far")).expect("a folder");
    fs::rename(place.path("near"), place.path("away")).expect("a folder");
    build().expect(1, "2 of 3 packages failed: inked, penned\n");
    fs::rename(place.path("away"), place.path("near")).expect("a folder");
    build().expect(0, "3 packages built, 3 of them from the cache");
}

#[cfg(unix)]
#[test]
fn nobody_need_listen() {
    let place = two();
    place.write("paint.akari", "#shader paint\nfn\n");
    // All that is printed goes into a pipe that is closed after the first line, or at once.
    for reader in ["head -n 1", "true"] {
        let _ = fs::remove_dir_all(place.path("o"));
        let script = format!(
            "{{ {} compile --spec=s.json --out=o 2>&1; echo $? > status; }} | {reader}",
            env!("CARGO_BIN_EXE_akari")
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(place.path("."))
            .output()
            .expect("a shell");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(place.read("status"), "1\n");
        assert_eq!(rows(&place, "o")[1], row("plain", "compiled", &["plain_cs.spv"]));
    }
    // None of the three streams is open.
    place.write("paint.akari", PACKAGE);
    let script =
        format!("{} compile --spec=s.json --out=o <&- >&- 2>&-; echo $? > status", env!("CARGO_BIN_EXE_akari"));
    std::process::Command::new("bash").args(["-c", &script]).current_dir(place.path(".")).status().expect("a shell");
    assert_eq!(place.read("status"), "0\n");
    assert_eq!(rows(&place, "o")[0].1, "compiled");
    // What is asked for on standard output and does not get there is an error.
    let mut command = place.command("transpile --input=paint.akari --target=metal --out=-");
    let full = fs::File::options().write(true).open("/dev/full").expect("a device");
    let run = Run::from(command.stdout(Stdio::from(full)).output().expect("the program"));
    run.expect(1, "cannot write standard output: No space left on device");
}

#[cfg(unix)]
#[test]
fn files_have_the_rights_that_a_program_gives_them() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    let place = two();
    let mode = |name: &str| fs::metadata(place.path(name)).expect("a file").mode() & 0o777;
    for (mask, expected) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
        let akari = env!("CARGO_BIN_EXE_akari");
        let script = format!(
            "umask {mask}; rm -rf o t d e c; {akari} compile --spec=s.json --out=o --cache=c --depfile=d --emit-deps=e && \
             {akari} transpile --input=paint.akari --target=metal --out=t"
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(place.path("."))
            .output()
            .expect("a shell");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for name in ["o/paint_fill_cs.spv", "o/shaders.akari.json", "t/paint.metal", "d", "e/paint.d"] {
            assert_eq!(mode(name), expected, "{name} under {mask}");
        }
    }
    // A file that is there keeps its own, a link stays a link, and a device a device.
    fs::set_permissions(place.path("d"), fs::Permissions::from_mode(0o640)).expect("a file");
    symlink("d", place.path("linked")).expect("a link");
    place.akari("compile --spec=s.json --out=o --depfile=linked").expect(0, "");
    assert!(place.path("linked").is_symlink() && mode("d") == 0o640);
    place.akari("compile --spec=s.json --out=o --depfile=/dev/null").expect(0, "");
    assert!(!fs::metadata("/dev/null").expect("a device").is_file());
    symlink("nothing", place.path("hanging")).expect("a link");
    place.akari("compile --spec=s.json --out=o --depfile=hanging").expect(0, "");
    assert!(place.path("nothing").is_file() && place.path("hanging").is_symlink());
}
