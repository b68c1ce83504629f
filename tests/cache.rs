//! The cache and the output folder of `akari compile`: what is built again, what is not, and that nothing damaged is ever used.

#[cfg(target_os = "linux")]
#[path = "program/faults.rs"]
mod faults;
#[path = "program/many.rs"]
mod many;
#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Command;

use program::{Place, Run, dxc};
use serde_json::{Value, json};

/// A specification of packages, each with a source of its name.
fn spec(platform: &str, keys: &Value, packages: &[&str]) -> String {
    let packages: Vec<Value> =
        packages.iter().map(|name| json!({ "name": name, "sources": [format!("{name}.akari")] })).collect();
    let mut spec = json!({ "version": 2, "type": platform, "compilation": packages });
    for (key, value) in keys.as_object().expect("keys") {
        spec[key] = value.clone();
    }
    spec.to_string()
}

/// A package with one entry that writes what `value` gives.
fn package(name: &str, imports: &str, value: &str) -> String {
    format!(
        "#shader {name}\n{imports}\n@compute(threads = (8, 1, 1))\n\
         fn fill(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) {{ values[index] = {value}; }}\n"
    )
}

/// The packages of the last report with their status, sorted.
fn statuses(place: &Place, out: &str) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&place.read(&format!("{out}/shaders.akari.json"))).expect("a report");
    let packages = report["packages"].as_array().expect("packages").iter();
    let mut statuses: Vec<_> = packages
        .map(|package| {
            (
                package["name"].as_str().expect("a name").to_owned(),
                package["status"].as_str().expect("a status").to_owned(),
            )
        })
        .collect();
    statuses.sort();
    statuses
}

/// The packages that the last build compiled; the others came from the cache.
fn compiled(place: &Place, out: &str) -> Vec<String> {
    let statuses = statuses(place, out);
    assert!(statuses.iter().all(|(_, status)| status == "compiled" || status == "cached"), "{statuses:?}");
    statuses.into_iter().filter(|(_, status)| status == "compiled").map(|(name, _)| name).collect()
}

/// Every published file with its contents, the report aside.
fn published(place: &Place, out: &str) -> Vec<(String, Vec<u8>)> {
    let names = place.names(out).into_iter().filter(|name| !name.ends_with(".json"));
    names.map(|name| (name.clone(), fs::read(place.path(out).join(name)).expect("a published file"))).collect()
}

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Four packages: two import `tone`, one imports `grade` that imports `tone`, one nothing.
fn graph() -> Place {
    let place = Place::new();
    place.write("modules/tone.akari", "#module tone\nfn tone(x: float) -> float { return x * 2.0; }\n");
    place.write(
        "modules/grade.akari",
        "#module grade\n#import tone\nfn grade(x: float) -> float { return tone(x) + 1.0; }\n",
    );
    place.write("one.akari", &package("one", "#import tone", "tone(1.0)"));
    place.write("two.akari", &package("two", "#import tone", "tone(2.0)"));
    place.write("three.akari", &package("three", "#import grade", "grade(3.0)"));
    place.write("four.akari", &package("four", "", "4.0"));
    fs::create_dir(place.path("first")).expect("a folder");
    let keys = json!({ "akariImportPaths": ["first", "modules"], "bindingManifest": "bindings.json" });
    place.write("bindings.json", &manifest(3));
    place.write("s.json", &spec("KhronosVulkan", &keys, &["one", "two", "three", "four"]));
    place
}

fn manifest(slot: u32) -> String {
    let row = json!({ "metal": slot.to_string(), "d3d12": format!("u{slot}"), "spirv": format!("0:{slot}") });
    json!({ "version": 1, "bindings": { "HK_BUFFER(a,values)": row } }).to_string()
}

fn build(place: &Place) -> Run {
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(0, "4 packages built");
    run
}

#[test]
fn editing_a_file_rebuilds_exactly_what_depends_on_it() {
    let place = graph();
    build(&place);
    assert_eq!(compiled(&place, "o"), ["four", "one", "three", "two"]);
    let first = published(&place, "o");
    build(&place);
    assert_eq!(compiled(&place, "o"), [""; 0]);
    let text = place.read("modules/tone.akari");
    let edits: [(&str, &str, &[&str]); 6] = [
        (
            "modules/tone.akari",
            "#module tone\nfn tone(x: float) -> float { return x * 3.0; }\n",
            &["one", "three", "two"],
        ),
        (
            "modules/grade.akari",
            "#module grade\n#import tone\nfn grade(x: float) -> float { return tone(x) + 5.0; }\n",
            &["three"],
        ),
        ("four.akari", &package("four", "", "5.0"), &["four"]),
        // A module that would be found before the one that was.
        ("first/grade.akari", "#module grade\nfn grade(x: float) -> float { return x; }\n", &["three"]),
        // One that nobody looks for, and a comment in a package.
        ("first/other.akari", "#module other\n", &[]),
        ("two.akari", &(package("two", "#import tone", "tone(2.0)") + "// the end\n"), &["two"]),
    ];
    for (file, text, expected) in edits {
        place.write(file, text);
        build(&place);
        assert_eq!(compiled(&place, "o"), expected, "after a change of {file}");
        build(&place);
        assert_eq!(compiled(&place, "o"), [""; 0], "nothing changed after {file}");
    }
    // Back to what was: nothing is compiled.
    for file in ["first/grade.akari", "first/other.akari"] {
        fs::remove_file(place.path(file)).expect("a file");
    }
    place.write("modules/tone.akari", &text);
    place.write(
        "modules/grade.akari",
        "#module grade\n#import tone\nfn grade(x: float) -> float { return tone(x) + 1.0; }\n",
    );
    place.write("two.akari", &package("two", "#import tone", "tone(2.0)"));
    place.write("four.akari", &package("four", "", "4.0"));
    build(&place);
    assert_eq!(compiled(&place, "o"), [""; 0]);
    assert_eq!(published(&place, "o"), first);
}

#[test]
fn a_row_of_the_manifest_rebuilds_what_uses_it() {
    let place = graph();
    place.write("four.akari", "#shader four\n@compute(threads = (1, 1, 1)) fn nothing() { }\n");
    build(&place);
    // Another row, another place in the file, another order.
    let more =
        manifest(3).replace("\"bindings\":{", "\n\n\"bindings\": { \"HK_BUFFER(a,other)\": { \"metal\": \"9\" },");
    assert!(more.contains("other"));
    place.write("bindings.json", &more);
    build(&place);
    assert_eq!(compiled(&place, "o"), [""; 0]);
    let before = published(&place, "o");
    place.write("bindings.json", &manifest(4));
    build(&place);
    assert_eq!(compiled(&place, "o"), ["one", "three", "two"]);
    assert_ne!(published(&place, "o"), before);
}

#[test]
fn what_changes_the_output_changes_the_key() {
    let place = graph();
    build(&place);
    for flags in ["--config=debug", "--config=release", "--source-only"] {
        place
            .akari(&format!("compile --spec=s.json --out=other --cache=o/.akari-cache {flags}"))
            .expect(0, "4 packages built");
        // The default profile of a package is that of `release`, so that only the text of SPIR-V differs where there is one.
        let statuses = compiled(&place, "other");
        assert!(statuses.len() == 4 || flags == "--config=release", "{flags}: {statuses:?}");
        place
            .akari(&format!("compile --spec=s.json --out=other --cache=o/.akari-cache {flags}"))
            .expect(0, "4 packages built");
        assert_eq!(compiled(&place, "other"), [""; 0], "{flags}");
    }
    // Another name of the package is another name of its files, and of nothing else.
    place.write("s.json", &place.read("s.json").replace("\"four\"", "\"for\""));
    place.write("for.akari", &place.read("four.akari"));
    fs::write(place.path("s.json"), place.read("s.json").replace("for.akari", "four.akari")).expect("a file");
    build(&place);
    assert_eq!(compiled(&place, "o"), ["for"]);
    assert!(!place.path("o/four_cs.spv").exists() && place.path("o/for_cs.spv").exists());
}

#[test]
fn warnings_are_told_again_where_nothing_is_compiled() {
    let place = graph();
    place.write("four.akari", &(package("four", "", "4.0") + ";\n").replace("#shader four", "#shader four;"));
    let first = build(&place);
    let warning = "warning: ";
    assert!(first.err().contains(warning), "{}", first.err());
    let again = build(&place);
    let told = |run: &Run| -> Vec<String> {
        run.err().lines().filter(|line| line.starts_with(warning) || line.starts_with('@')).map(str::to_owned).collect()
    };
    assert_eq!(compiled(&place, "o"), [""; 0]);
    assert_eq!(told(&again), told(&first));
}

#[test]
fn what_is_to_be_seen_of_passes_is_not_taken_from_the_cache() {
    let place = graph();
    build(&place);
    let run = place.akari("compile --spec=s.json --out=o --print-after=assign-slots -j 1");
    run.expect(0, "; IR after assign-slots#1");
    assert_eq!(compiled(&place, "o").len(), 4);
}

#[test]
fn errors_are_not_kept_and_leave_the_last_good_files() {
    let place = graph();
    build(&place);
    let good = published(&place, "o");
    place.write("modules/grade.akari", "#module grade\nfn grade(x: float) -> float { return nonsense; }\n");
    place.write("two.akari", &package("two", "", "7.0"));
    for _ in 0..2 {
        let run = place.akari("compile --spec=s.json --out=o");
        run.expect(1, "1 of 4 packages failed: three");
        run.expect(1, "nonsense");
    }
    let now = published(&place, "o");
    let same = |name: &str| {
        let of =
            |files: &[(String, Vec<u8>)]| files.iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes.clone());
        of(&good) == of(&now)
    };
    assert!(same("three_cs.spv") && same("one_cs.spv") && !same("two_cs.spv"));
    assert!(statuses(&place, "o").contains(&("three".to_owned(), "failed".to_owned())));
    let report: Value = serde_json::from_str(&place.read("o/shaders.akari.json")).expect("a report");
    let three = report["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .find(|package| package["name"] == "three")
        .expect("a row");
    let bytes = fs::read(place.path("o/three_cs.spv")).expect("a file");
    assert_eq!(three["artifacts"][0]["hash"], blake3::hash(&bytes).to_hex().as_str());
}

#[test]
fn files_of_what_is_gone_go_if_they_were_published() {
    let place = graph();
    build(&place);
    place.write("o/five_cs.spv", "mine");
    place.write("o/four_ps.spv", "mine");
    place.write("s.json", &place.read("s.json").replace("\"four", "\"four2").replace("four2.akari", "four.akari"));
    place.write("one.akari", &package("one", "#import tone", "tone(1.0)").replace("fn fill", "fn fill_it"));
    build(&place);
    let expected = [
        "five_cs.spv", "four2_cs.spv", "four_ps.spv", "one_cs.spv", "shaders.akari.json", "three_cs.spv", "two_cs.spv",
    ];
    assert_eq!(place.names("o"), expected);
    assert_eq!(place.read("o/five_cs.spv"), "mine");
    // A second entry gives the first another name.
    place.write("one.akari", &(place.read("one.akari") + "@compute(threads = (1, 1, 1)) fn more() { }\n"));
    build(&place);
    assert!(
        !place.path("o/one_cs.spv").exists()
            && place.path("o/one_fill_it_cs.spv").exists()
            && place.path("o/one_more_cs.spv").exists()
    );
}

/// The state of every file of a folder that would change if it were written.
#[cfg(unix)]
fn stamps(folder: &Path) -> Vec<(PathBuf, u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let stamp = |path: PathBuf| {
        let metadata = fs::symlink_metadata(&path).expect("a file");
        (path, metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
    };
    files(folder).into_iter().map(stamp).collect()
}

#[cfg(unix)]
#[test]
fn a_run_without_changes_writes_nothing() {
    let place = graph();
    build(&place);
    build(&place);
    let before = stamps(&place.path("o"));
    build(&place);
    assert_eq!(stamps(&place.path("o")), before);
}

/// Damages a file; the second is another one.
type Damage = fn(&Path, &Path);

#[test]
fn every_damaged_file_of_the_cache_is_made_again() {
    let place = graph();
    build(&place);
    let (good, kept) = (published(&place, "o"), place.path("kept"));
    fs::rename(place.path("o/.akari-cache"), &kept).expect("a cache");
    // What is empty is a lock, which nothing can be wrong with.
    let names = files(&kept).into_iter().filter(|path| fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0));
    let names: Vec<PathBuf> = names.map(|path| path.strip_prefix(&kept).expect("below").to_owned()).collect();
    let damages: [(&str, Damage); 4] = [
        ("truncated", |path, _| {
            let bytes = fs::read(path).expect("a file");
            fs::write(path, &bytes[..bytes.len() * 2 / 3]).expect("a file");
        }),
        ("flipped", |path, _| {
            let mut bytes = fs::read(path).expect("a file");
            let at = bytes.len() / 3;
            bytes[at] ^= 0x10;
            fs::write(path, bytes).expect("a file");
        }),
        ("emptied", |path, _| fs::write(path, b"").expect("a file")),
        ("replaced", |path, other| {
            fs::copy(other, path).expect("a file");
        }),
    ];
    let mut rebuilt = 0;
    for (way, damage) in damages {
        for (at, name) in names.iter().enumerate() {
            // A fresh copy of the cache, and nothing published.
            let _ = fs::remove_dir_all(place.path("o"));
            let _ = fs::remove_dir_all(place.path("c"));
            for name in &names {
                let to = place.path("c").join(name);
                fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
                fs::copy(kept.join(name), to).expect("a file");
            }
            let other = &names[(at + 1) % names.len()];
            damage(&place.path("c").join(name), &kept.join(other));
            place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "4 packages built");
            assert_eq!(published(&place, "o"), good, "{way} {}", name.display());
            let again = compiled(&place, "o").len();
            assert!(again <= 1, "{way} {}", name.display());
            rebuilt += again;
            // What was damaged is whole again.
            fs::remove_dir_all(place.path("o")).expect("a folder");
            place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "");
            assert_eq!(compiled(&place, "o"), [""; 0], "{way} {}", name.display());
            assert_eq!(published(&place, "o"), good);
        }
    }
    // Of each package the trace, the result and the artifact.
    assert_eq!(rebuilt, damages.len() * 4 * 3);
}

#[test]
fn damaged_and_removed_published_files_are_mended() {
    let place = graph();
    build(&place);
    let good = published(&place, "o");
    place.write("o/one_cs.spv", "nonsense");
    fs::remove_file(place.path("o/two_cs.spv")).expect("a file");
    place.write("o/shaders.akari.json", "{ nonsense");
    build(&place);
    assert_eq!(published(&place, "o"), good);
    assert_eq!(compiled(&place, "o"), [""; 0]);
    fs::remove_dir_all(place.path("o")).expect("a folder");
    build(&place);
    assert_eq!(published(&place, "o"), good);
}

#[test]
fn the_cache_command() {
    let place = graph();
    place.akari("cache stats --cache=c").expect(1, "c is no cache");
    place.akari("cache stats").expect(2, "--cache");
    assert!(!place.path("c").exists());
    place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "");
    let stats = place.akari("cache stats --cache=c");
    // The traces and the result of four packages, and the hash of this program unless it was built just now.
    assert!(
        stats.out().starts_with("8 entries, 4 blobs, ") || stats.out().starts_with("9 entries, 4 blobs, "),
        "{}",
        stats.out()
    );
    place.akari("cache trim --cache=c --limit=1T").expect(0, "");
    assert_eq!(place.akari("cache stats --cache=c").out(), stats.out());
    place.akari("cache trim --cache=c --limit=lots").expect(2, "a size is a number of bytes");
    let trimmed = place.akari("cache trim --cache=c --limit=2K");
    assert!(trimmed.out().starts_with("removed "), "{}", trimmed.out());
    let bytes: u64 =
        trimmed.out().split(", ").last().and_then(|text| text.split_whitespace().next()?.parse().ok()).expect("a size");
    assert!(bytes <= 2048);
    let cleared = place.akari("cache clear --cache=c");
    assert!(cleared.out().ends_with("; now 0 entries, 0 blobs, 0 bytes\n"), "{}", cleared.out());
    place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "");
    assert_eq!(compiled(&place, "o").len(), 4);
}

#[test]
fn the_limit_is_kept() {
    let place = graph();
    place.akari("compile --spec=s.json --out=o --cache=c --cache-limit=3K").expect(0, "4 packages built");
    let size: u64 = files(&place.path("c/v1")).iter().map(|path| fs::metadata(path).expect("a file").len()).sum();
    assert!(size <= 3 << 10, "{size}");
    place.akari("compile --spec=s.json --out=o --cache=c --cache-limit=lots").expect(2, "a size is a number of bytes");
}

#[test]
fn without_the_feature_a_remote_cache_is_refused() {
    let place = graph();
    let run = place.akari("compile --spec=s.json --out=o --remote-cache=nonsense://");
    run.expect(1, "cannot use the remote cache `nonsense://`");
}

#[cfg(unix)]
#[test]
fn symbolic_links_in_the_cache_lead_nowhere() {
    use std::os::unix::fs::symlink;

    let place = graph();
    build(&place);
    let good = published(&place, "o");
    place.write("mine", "mine");
    // Every file a link: all is built anew, and what the links lead to stays as it is.
    let cache = place.path("o/.akari-cache");
    for path in files(&cache) {
        fs::remove_file(&path).expect("a file");
        symlink(place.path("mine"), path).expect("a link");
    }
    fs::remove_file(place.path("o/one_cs.spv")).expect("a file");
    build(&place);
    assert_eq!(published(&place, "o"), good);
    assert_eq!(compiled(&place, "o").len(), 4);
    assert_eq!(place.read("mine"), "mine");
    // A folder a link: nothing is built, and it is told.
    let elsewhere = place.path("elsewhere");
    fs::rename(cache.join("v1/blobs"), &elsewhere).expect("a folder");
    symlink(&elsewhere, cache.join("v1/blobs")).expect("a link");
    let there = files(&elsewhere);
    let run = place.akari("compile --spec=s.json --out=o");
    run.expect(1, "the cache holds a symbolic link, o/.akari-cache/v1/blobs");
    run.expect(1, "`--cache`");
    assert_eq!((published(&place, "o"), files(&elsewhere)), (good, there));
}

#[test]
fn what_cannot_be_made_a_folder_is_told() {
    let place = graph();
    place.write("file", "mine");
    place.akari("compile --spec=s.json --out=file").expect(1, "cannot write file: ");
    place.akari("compile --spec=s.json --out=file/below").expect(1, "cannot write file/below: ");
    place.akari("compile --spec=s.json --out=o --cache=file").expect(1, "file is not a folder, as it is in a cache");
    place
        .akari("compile --spec=s.json --out=o --cache=file/below")
        .expect(1, "file is not a folder, as it is in a cache");
    assert_eq!(place.read("file"), "mine");
    assert!(place.names("o").is_empty());
}

/// Runs a script as root of a namespace of its own, where it may mount; nothing if that cannot be done here.
#[cfg(target_os = "linux")]
fn with_mounts(place: &Place, script: &str) -> Option<Run> {
    let shell = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
            .current_dir(place.path("."))
            .env("AKARI", env!("CARGO_BIN_EXE_akari"));
        command.output()
    };
    fs::create_dir_all(place.path("mounted")).expect("a folder");
    let can_mount = shell("mount -t tmpfs -o size=64k tmpfs mounted").is_ok_and(|output| output.status.success());
    can_mount.then(|| Run::from(shell(script).expect("a shell")))
}

/// Runs the program while all calls of some kinds fail below a folder.
#[cfg(target_os = "linux")]
fn with_faults(place: &Place, arguments: &str, folder: &str, (failing, with): (&str, &str)) -> Run {
    let below = [place.path(folder)];
    let fault = faults::Fault { below: &below, counted: "", at: 1, on: true, failing, with };
    let mut command = place.command(arguments);
    fault.befall(&mut command, &place.path("calls"));
    Run::from(command.output().expect("the program"))
}

/// What a full disk refuses, and how (`ENOSPC`).
#[cfg(target_os = "linux")]
const FULL: (&str, &str) = ("create,write,mkdir,rename", "28");
/// What a disk refuses that can only be read (`EROFS`).
#[cfg(target_os = "linux")]
const READ_ONLY: (&str, &str) = ("create,write,mkdir,rename,remove,link,truncate,times,mode", "30");

/// Twice: with calls that fail, which can be had everywhere, and with a disk that is full, where the tests may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let place = graph();
    place.akari("compile --spec=s.json --out=good").expect(0, "");
    let good = published(&place, "good");
    let tone = place.read("modules/tone.akari");
    // The output on a disk that is full once something was published: what was stays, and is whole.
    let edit = || place.write("modules/tone.akari", &tone.replace("2.0", "9.0"));
    place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "");
    edit();
    let run = with_faults(&place, "compile --spec=s.json --out=o --cache=c", "o", FULL);
    run.expect(1, "No space left on device");
    assert_eq!(published(&place, "o"), good);
    place.akari("compile --spec=s.json --out=o --cache=c").expect(0, "");
    let healed = published(&place, "o");
    assert!(healed != good && healed.len() == 4);
    // The cache on such a disk: a warning, and everything is built.
    place.write("modules/tone.akari", &tone);
    place.akari("compile --spec=s.json --out=first --cache=d").expect(0, "");
    edit();
    let run = with_faults(&place, "compile --spec=s.json --out=first --cache=d", "d", FULL);
    run.expect(0, "warning: the cache could not be written: ");
    run.expect(0, "/v1/");
    run.expect(0, "No space left on device");
    assert_eq!(run.err().matches("warning: ").count(), 1, "{}", run.err());
    assert_eq!(published(&place, "first"), healed);
    let run = with_faults(&place, "compile --spec=s.json --out=first --cache=new", "new", FULL);
    run.expect(0, "warning: cannot write the cache new: No space left on device");
    assert!(!place.path("new").exists());

    place.write("modules/tone.akari", &tone);
    let script = "mount -t tmpfs -o size=256k,nr_inodes=1k tmpfs mounted && mkdir e && set -x
        $AKARI compile --spec=s.json --out=mounted/o --cache=e || exit 10
        sed -i 's/2\\.0/9.0/' modules/tone.akari
        head -c 300k /dev/zero > mounted/zero
        $AKARI compile --spec=s.json --out=mounted/o --cache=e; echo status $?
        cp -r mounted/o seen
        rm mounted/zero
        $AKARI compile --spec=s.json --out=mounted/o --cache=e || exit 11
        cp -r mounted/o healed";
    let Some(run) = with_mounts(&place, script) else { return };
    run.expect(0, "No space left on device");
    assert!(run.out().contains("status 1"), "{}", run.out());
    assert_eq!(published(&place, "seen"), good);
    assert_eq!(published(&place, "healed"), healed);
    place.write("modules/tone.akari", &tone);
    let script = "mount -t tmpfs -o size=256k,nr_inodes=1k tmpfs mounted
        $AKARI compile --spec=s.json --out=third --cache=mounted/c || exit 10
        sed -i 's/2\\.0/9.0/' modules/tone.akari
        head -c 300k /dev/zero > mounted/zero
        $AKARI compile --spec=s.json --out=second --cache=mounted/c || exit 11
        rm mounted/zero
        $AKARI compile --spec=s.json --out=second --cache=mounted/c || exit 12";
    let run = with_mounts(&place, script).expect("mounts");
    run.expect(0, "warning: the cache could not be written: ");
    run.expect(0, "/v1/");
    run.expect(0, "No space left on device");
    assert_eq!(run.err().matches("warning: ").count(), 1, "{}", run.err());
    assert_eq!(published(&place, "third"), good);
    assert_eq!(published(&place, "second"), healed);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_can_only_be_read_is_told() {
    let place = graph();
    let again = "compile --spec=s.json --out=o --cache=c";
    place.akari(again).expect(0, "");
    let good = published(&place, "o");
    place.write("four.akari", &package("four", "", "5.0"));
    let check_output = |run: &Run| {
        run.expect(1, "error: cannot write o/.akari/lock: Read-only file system");
        assert_eq!(published(&place, "o"), good);
    };
    // A cache that can only be read is used, and what it lacks is built.
    let check_cache = |run: &Run| {
        run.expect(0, "warning: the cache could not be written: ");
        run.expect(0, "c/v1/");
        run.expect(0, "Read-only file system");
        assert_eq!(compiled(&place, "o"), ["four"]);
        assert_ne!(published(&place, "o"), good);
    };
    check_output(&with_faults(&place, again, "o", READ_ONLY));
    check_cache(&with_faults(&place, again, "c", READ_ONLY));

    place.write("four.akari", &package("four", "", "4.0"));
    place.akari(again).expect(0, "");
    assert_eq!(published(&place, "o"), good);
    place.write("four.akari", &package("four", "", "5.0"));
    let read_only =
        |folder: &str| format!("mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && $AKARI {again}");
    let Some(run) = with_mounts(&place, &read_only("o")) else { return };
    check_output(&run);
    check_cache(&with_mounts(&place, &read_only("c")).expect("mounts"));
}

#[test]
fn folders_that_are_removed_while_a_build_runs_are_told_or_made_again() {
    let place = graph();
    place.write("s.json", &place.read("s.json").replace("KhronosVulkan", "MicrosoftD3D12"));
    let build = || place.akari("compile --spec=s.json --out=o --dxc=dxc --cache=c -j 1");
    // The cache is made again.
    place.write_program("dxc", &dxc().replace("$form ", "rm -rf \"$here/c\"; $form "));
    build().expect(0, "4 packages built");
    let good = published(&place, "o");
    // The output is not: somebody did not want it. The next build makes it whole.
    place.write_program("dxc", &dxc().replace("$form ", "rm -rf \"$here/o\"; $form "));
    build().expect(1, "error: cannot write o");
    assert!(place.names("o").is_empty());
    place.write_program("dxc", &dxc());
    build().expect(0, "4 packages built");
    assert_eq!(published(&place, "o"), good);
    // A source folder that is gone is told by its name, and what was published stays.
    fs::remove_dir_all(place.path("modules")).expect("a folder");
    build().expect(1, "cannot read modules: ");
    assert_eq!(published(&place, "o"), good);
}

/// How often the tool compiled since the last time, and whether it was started at all.
fn tool_runs(place: &Place) -> (usize, bool) {
    let log = if place.path("dxc.log").exists() { place.read("dxc.log") } else { String::new() };
    place.write("dxc.log", "");
    (log.lines().filter(|line| *line != "--version").count(), !log.is_empty())
}

#[test]
fn unchanged_text_does_not_reach_the_tool_again() {
    let place = graph();
    place.write_program("dxc", &dxc());
    place.write("bindings.json", &manifest(3));
    place.write("s.json", &place.read("s.json").replace("KhronosVulkan", "MicrosoftD3D12"));
    let build = || {
        place.akari("compile --spec=s.json --out=o --dxc=dxc --cache=c").expect(0, "4 packages built");
        (compiled(&place, "o").len(), tool_runs(&place))
    };
    assert_eq!(build(), (4, (4, true)));
    assert_eq!(build(), (0, (0, false)), "the tool is not even started");
    // A comment in a module; another name in a local; another entry beside.
    place.write("modules/tone.akari", &(place.read("modules/tone.akari") + "// the end\n"));
    assert_eq!(build(), (3, (0, true)));
    place.write("four.akari", &format!("// the beginning\n{}", package("four", "", "4.0")));
    assert_eq!(build(), (1, (0, true)));
    place.write("four.akari", &(package("four", "", "4.0") + "@compute(threads = (1, 1, 1)) fn more() { }\n"));
    assert_eq!(build(), (1, (1, true)));
    // Nothing published and other packages' results gone: the objects are still there.
    fs::remove_dir_all(place.path("o")).expect("a folder");
    assert_eq!(build(), (0, (0, false)));
    // Another tool is another result.
    place.write_program("dxc", &(dxc() + "# another version\n"));
    assert_eq!(build(), (4, (5, true)));
    // Debug symbols make the lines part of the text.
    let run = place.akari("compile --spec=s.json --out=o --dxc=dxc --cache=c --config=debug");
    run.expect(0, "4 packages built");
    assert_eq!(tool_runs(&place).0, 5);
}

#[test]
fn two_hundred_packages_without_changes_start_nothing() {
    let place = Place::new();
    place.write_program("dxc", &dxc());
    fs::create_dir(place.path("examples")).expect("a folder");
    many::write(&place.path("examples"), "d3d12", 200).expect("many packages");
    let build = |said: &str| place.akari("compile --spec=examples/s.json --out=o --dxc=dxc").expect(0, said);
    build("200 packages built in ");
    assert!(tool_runs(&place).1);
    build("200 packages built, 200 of them from the cache in ");
    let before = stamps(&place.path("o"));
    build("200 packages built, 200 of them from the cache in ");
    assert_eq!(tool_runs(&place), (0, false));
    assert_eq!(stamps(&place.path("o")), before);
}
