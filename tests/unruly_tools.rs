//! `akari compile` with tools that hang, crash, flood, leave processes behind or make something else than they were asked for: each is an error
//! of its package, and holds up nothing else.
#![cfg(unix)]

#[path = "program/mod.rs"]
mod program;
#[path = "program/signals.rs"]
mod signals;

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use akari_harness::tools;
use program::{Place, Run, build_library, dxc};
use serde_json::json;

/// Packages of these names, each with one entry `fill` that writes its number.
fn place(platform: &str, packages: &[(&str, &str)]) -> Place {
    let place = Place::new();
    let package = |(name, number): &(&str, &str)| {
        place.write(
            &format!("{name}.akari"),
            &format!(
                "#shader {name}\n@compute(threads = (8, 1, 1))\n\
                 fn fill(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) {{ values[index] = {number}; }}\n"
            ),
        );
        json!({ "name": name, "sources": [format!("{name}.akari")] })
    };
    let packages: Vec<_> = packages.iter().map(package).collect();
    place.write("s.json", &json!({ "version": 2, "type": platform, "compilation": packages }).to_string());
    place
}

/// A program in the place of `dxc` that does something of its own over texts with a number, before or instead of an object.
fn dxc_that(number: &str, does: &str) -> String {
    dxc().replace("form=container\n", &format!("form=container\nif grep -q '{number}' hlsl.hlsl; then {does}\nfi\n"))
}

/// Errors among what was said, without those of the summary.
fn errors(run: &Run) -> usize {
    run.err().lines().filter(|line| line.starts_with("error: ")).count()
}

/// Whether a process is gone, given time to be.
fn is_gone(pid: &str) -> bool {
    let lives = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.is_ok_and(|stat| !stat.rsplit(')').next().is_some_and(|state| state.trim_start().starts_with('Z')))
    };
    (0..250).any(|_| {
        !lives() || {
            thread::sleep(Duration::from_millis(20));
            false
        }
    })
}

/// Runs something that may take no longer than this.
fn in_time<T>(run: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let outcome = run();
    assert!(began.elapsed() < Duration::from_secs(60), "it took {:?}", began.elapsed());
    outcome
}

#[test]
fn a_program_that_hangs_is_ended_and_the_other_packages_are_built() {
    let place = place("MicrosoftD3D12", &[("good", "1.0"), ("bad", "77.0")]);
    place.write_program("dxc", &dxc_that("77", "sleep 300 & echo $! $$ > \"$here/pids\"; sleep 300"));
    let run = in_time(|| place.akari("compile --spec=s.json --out=o --dxc=dxc --tool-time-limit=5"));
    run.expect(1, "/dxc took longer than 5 s (`--tool-time-limit`), and was ended\n  = note: it was asked for package `bad`, entry `fill`\n");
    run.expect(1, "1 of 2 packages failed: bad\n");
    assert_eq!(place.names("o"), ["good_cs.cso", "shaders.akari.json"]);
    let pids = place.read("pids");
    assert!(pids.split_whitespace().count() == 2 && pids.split_whitespace().all(is_gone), "{pids}");
    // A limit of another length makes no other objects.
    let run = place.akari("compile --spec=s.json --out=o --dxc=dxc --tool-time-limit=4");
    run.expect(1, "1 package built, 1 of them from the cache");
}

#[test]
fn a_program_that_hangs_at_its_version_is_ended() {
    let place = place("MicrosoftD3D12", &[("good", "1.0")]);
    place.write_program("dxc", "#!/bin/bash\nsleep 300 &\nsleep 300\n");
    let run = in_time(|| place.akari("compile --spec=s.json --out=o --dxc=dxc --tool-time-limit=3"));
    run.expect(1, "dxc --version took longer than 3 s");
    place.write("m.json", &place.read("s.json").replace("MicrosoftD3D12", "AppleMetal"));
    let path = format!("{}:/bin:/usr/bin", place.path(".").display());
    let metal = |script: &str| {
        place.write_program("xcrun", &format!("#!/bin/bash\n{script}\n"));
        in_time(|| place.akari_with("compile --spec=m.json --out=m --tool-time-limit=3", &[("PATH", &path)]))
    };
    let hangs = "{ sleep 300 & sleep 300; }";
    metal(hangs).expect(1, "xcrun metal --version took longer than 3 s");
    metal(&format!("[ $4 = --version ] && exit 0; {hangs}")).expect(1, "`xcrun metal` took longer than 3 s");
    metal(&format!("[ $3 = metal ] && exit 0; {hangs}")).expect(1, "`xcrun metallib` took longer than 3 s");
}

#[test]
fn what_a_program_leaves_behind_does_not_hold_up_the_build() {
    let place = place("MicrosoftD3D12", &[("good", "1.0")]);
    // One in its group, which goes with it, and one in a session of its own, which keeps its streams open.
    place.write_program(
        "dxc",
        &dxc().replace(
            "form=container\n",
            "form=container\nsleep 300 & echo $! > \"$here/pid\"\nsetsid sleep 300 & echo $! > \"$here/own\"\n",
        ),
    );
    in_time(|| place.akari("compile --spec=s.json --out=o --dxc=dxc")).expect(0, "1 package built");
    assert!(is_gone(&place.read("pid")));
    let kill = Command::new("kill").arg(place.read("own").trim()).status().expect("kill");
    assert!(kill.success(), "it is left alone");
}

#[test]
fn a_signal_ends_what_runs_too() {
    for signal in ["INT", "TERM", "HUP", "QUIT"] {
        let place = place("MicrosoftD3D12", &[("bad", "77.0")]);
        place.write_program(
            "dxc",
            &dxc_that(
                "77",
                "sleep 300 & { echo $! $$; pwd; } > \"$here/new\"; mv \"$here/new\" \"$here/pids\"; sleep 300",
            ),
        );
        let mut command = signals::akari();
        let command = command
            .args(["compile", "--spec=s.json", "--out=o", "--dxc=dxc"])
            .current_dir(place.path("."))
            .stderr(Stdio::null());
        let mut akari = command.spawn().expect("the program");
        in_time(|| {
            while !place.path("pids").exists() {
                thread::sleep(Duration::from_millis(10));
            }
        });
        let kill =
            Command::new("sh").args(["-c", &format!("kill -{signal} {}", akari.id())]).status().expect("a shell");
        assert!(kill.success());
        let status = akari.wait().expect("an end");
        assert!(status.to_string().contains(&format!("SIG{signal}")), "{status}");
        let seen = place.read("pids");
        let (pids, folder) = seen.split_once('\n').expect("two lines");
        assert!(pids.split_whitespace().all(is_gone), "SIG{signal}: {pids}");
        assert!(!fs::exists(folder.trim()).expect("a path"), "{folder} is left");
    }
}

/// As `nohup` and the background of a script have it.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let place = place("MicrosoftD3D12", &[("good", "1.0")]);
    place
        .write_program("dxc", &dxc().replace("form=container\n", "form=container\nkill -HUP $PPID; kill -INT $PPID\n"));
    let script =
        format!("trap '' HUP INT; exec {} compile --spec=s.json --out=o --dxc=dxc", env!("CARGO_BIN_EXE_akari"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(place.path(".")).output().expect("a shell");
    Run::from(output).expect(0, "1 package built");
}

#[test]
fn what_is_not_what_was_asked_for_is_not_published() {
    let cases = [
        ("MicrosoftD3D12", "", "echo nothing > object", "DXC wrote 8 bytes that are no DXIL container\n"),
        ("MicrosoftD3D12", "", ": > object", "DXC wrote 0 bytes that are no DXIL container\n"),
        (
            "MicrosoftD3D12", "", "container hlsl.hlsl whole; head -c 90 whole > object",
            "DXC wrote 90 bytes that are no DXIL container\n",
        ),
        ("MicrosoftD3D12", "", "module hlsl.hlsl object", "bytes that are no DXIL container\n"),
        ("KhronosVulkan", "--vulkan-compiler=dxc", "container hlsl.hlsl object", "bytes that are no SPIR-V module\n"),
        (
            "KhronosVulkan", "--vulkan-compiler=dxc", "module hlsl.hlsl whole; head -c 60 whole > object",
            "wrote 60 bytes that are no SPIR-V module\n",
        ),
        ("MicrosoftD3D12", "", "", "ended with success, and what it made cannot be read: No such file"),
        ("MicrosoftD3D12", "", "echo is is odd", "cannot be read: No such file or directory (os error 2); is is odd\n"),
        ("MicrosoftD3D12", "", "mkfifo object", "cannot be read: it is no file"),
        ("MicrosoftD3D12", "", "ln -s /dev/zero object", "cannot be read: it is no file"),
        ("MicrosoftD3D12", "", "truncate -s 5G object", "cannot be read: it has 5368709120 bytes"),
        ("MicrosoftD3D12", "", "kill -SEGV $$", "ended with signal: 11 (SIGSEGV) (core dumped) and said nothing"),
        ("MicrosoftD3D12", "", "echo 'hlsl.hlsl:1:1: warning: odd'; kill -SEGV $$", "hlsl.hlsl:1:1: warning: odd\n"),
        ("MicrosoftD3D12", "", "exit 3", "ended with exit status: 3 and said nothing"),
    ];
    for (platform, flags, does, said) in cases {
        let place = place(platform, &[("good", "1.0"), ("bad", "77.0")]);
        place.write_program("dxc", &dxc_that("77", &format!("{does}\nexit 0")));
        let run = in_time(|| place.akari(&format!("compile --spec=s.json --out=o --dxc=dxc {flags}")));
        let said = if cfg!(target_os = "linux") && run.err().contains("(core dumped)") {
            said.to_owned()
        } else {
            said.replace(" (core dumped)", "")
        };
        run.expect(1, &said);
        run.expect(1, "  = note: it was asked for package `bad`, entry `fill`\n");
        run.expect(1, "1 of 2 packages failed: bad\n");
        assert_eq!(errors(&run), 1, "{}", run.err());
        assert_eq!(place.names("o").len(), 2, "{:?}", place.names("o"));
        // Nor is it in the cache.
        place.akari(&format!("compile --spec=s.json --out=o --dxc=dxc {flags}")).expect(1, &said);
    }
    let place = place("AppleMetal", &[("bad", "77.0")]);
    place.write_program(
        "xcrun",
        "#!/bin/bash\n[ \"$4\" = --version ] && exit 0\nfor last; do :; done\necho nothing > \"$last\"\n",
    );
    let path = format!("{}:/bin:/usr/bin", place.path(".").display());
    let run = place.akari_with("compile --spec=s.json --out=o", &[("PATH", &path)]);
    run.expect(1, "error: Metal wrote 8 bytes that are no Metal library\n  = note: it was asked for package `bad`\n");
}

#[test]
fn who_tells_an_error_failed_whatever_the_status_says() {
    let place = place("MicrosoftD3D12", &[("good", "1.0"), ("bad", "77.0")]);
    place.write_program("dxc", &dxc_that("77", "echo 'hlsl.hlsl:1:1: error: it is wrong' >&2"));
    for _ in 0..2 {
        let run = place.akari("compile --spec=s.json --out=o --dxc=dxc");
        run.expect(1, "DXC: it is wrong\n");
        run.expect(1, "1 of 2 packages failed: bad\n");
        assert_eq!((errors(&run), place.names("o").len()), (1, 2), "{}", run.err());
    }
    // A warning is none.
    place.write_program("dxc", &dxc_that("77", "echo 'hlsl.hlsl:1:1: warning: it is odd: error: no' >&2"));
    place.akari("compile --spec=s.json --out=o --dxc=dxc").expect(0, "DXC: it is odd: error: no\n");
    let place = self::place("AppleMetal", &[("bad", "77.0")]);
    let xcrun = "#!/bin/bash\n[ \"$4\" = --version ] && exit 0\nfor last; do :; done\necho MTLB > \"$last\"\n[ $3 = metallib ] && echo 'error: it is wrong'\nexit 0\n";
    place.write_program("xcrun", xcrun);
    let path = format!("{}:/bin:/usr/bin", place.path(".").display());
    place.akari_with("compile --spec=s.json --out=o", &[("PATH", &path)]).expect(1, "error: Metal: it is wrong\n");
    assert_eq!(place.names("o"), ["shaders.akari.json"]);
}

#[test]
fn a_version_that_cannot_be_told_is_told_in_short() {
    let place = place("MicrosoftD3D12", &[("good", "1.0")]);
    let version = |script: &str| {
        place.write_program("dxc", &format!("#!/bin/bash\n{script}\n"));
        in_time(|| place.akari("compile --spec=s.json --out=o --dxc=dxc"))
    };
    let run = version("seq 100000; exit 4");
    run.expect(1, "dxc --version ended with exit status: 4: 1; 2; 3; 4; and 99996 more lines\n");
    assert!(run.err().len() < 1000, "{}", run.err());
    version("exit 4").expect(1, "dxc --version ended with exit status: 4 and said nothing\n");
    version("head -c 3000000000 /dev/zero; exit 4").expect(1, "dxc --version ended with exit status: 4: ");
}

/// What a library in the place of DXC's does over a number, and what is told of that.
const CRASHES: [(&str, &str); 5] = [
    ("101.0", "DXC crashed with signal 11 (SIGSEGV) while it compiled entry `fill` of package `bad`\n"),
    ("102.0", "DXC crashed with signal 6 (SIGABRT) while it compiled entry `fill` of package `bad`\n"),
    ("103.0", "DXC crashed with signal 11 (SIGSEGV) while it compiled entry `fill` of package `bad`\n"),
    ("104.0", "DXC ended the process while it compiled entry `fill` of package `bad`\n"),
    ("105.0", "DXC took longer than 3 s (`--tool-time-limit`) over entry `fill` of package `bad`, and was ended\n"),
];

#[test]
fn a_crash_of_the_library_costs_one_package() {
    for (number, said) in CRASHES {
        let place = place("MicrosoftD3D12", &[("first", "1.0"), ("bad", "2.0"), ("last", "3.0")]);
        build_library(&place, &[]);
        let compile = "compile --spec=s.json --out=o --dxc=libdxcompiler.so --tool-time-limit=3";
        place.akari(compile).expect(0, "3 packages built");
        let good = fs::read(place.path("o/bad_cs.cso")).expect("a file");
        place.write("bad.akari", &place.read("bad.akari").replace("2.0", number));
        place.write("last.akari", &place.read("last.akari").replace("3.0", "4.0"));
        for more in ["", " --no-cache", " -j 1"] {
            let run = in_time(|| place.akari(&format!("{compile}{more}")));
            run.expect(1, said);
            run.expect(1, "1 of 3 packages failed: bad\n");
            run.expect(1, "@akari diag {\"sev\":\"error\",\"msg\":\"DXC ");
            run.expect(1, "of package `bad`; the build starts again without that package\n");
            assert_eq!(errors(&run), 1, "{}", run.err());
            assert_eq!(place.names("o"), ["bad_cs.cso", "first_cs.cso", "last_cs.cso", "shaders.akari.json"]);
            assert_eq!(fs::read(place.path("o/bad_cs.cso")).expect("a file"), good, "the last good file is kept");
            let private: Vec<_> = fs::read_dir(place.path("o/.akari"))
                .expect("a folder")
                .flatten()
                .map(|entry| entry.file_name())
                .collect();
            assert_eq!(private, ["lock"]);
        }
        let run = place.akari(&format!("{compile} --quiet"));
        assert!(run.err().starts_with("@akari diag "), "{}", run.err());
        // Mended, it is built.
        place.write("bad.akari", &place.read("bad.akari").replace(number, "5.0"));
        place.akari(compile).expect(0, "3 packages built, 2 of them from the cache");
    }
}

#[test]
fn each_package_that_crashes_the_library_is_told() {
    let packages: Vec<(String, &str)> =
        (0..12).map(|index| (format!("p{index}"), if index % 2 == 0 { "106.0" } else { "1.0" })).collect();
    let place =
        place("MicrosoftD3D12", &packages.iter().map(|(name, number)| (name.as_str(), *number)).collect::<Vec<_>>());
    build_library(&place, &[]);
    // Four crash at about the same time.
    let run = in_time(|| place.akari("compile --spec=s.json --out=o --dxc=libdxcompiler.so -j 4"));
    run.expect(1, "6 of 12 packages failed: p0, p2, p4, p6, p8, p10\n");
    run.expect(1, "6 packages built, ");
    assert_eq!(place.names("o").len(), 7);
}

#[test]
fn a_library_that_cannot_be_loaded_says_who_ended_the_build() {
    let place = place("MicrosoftD3D12", &[("good", "1.0")]);
    for (fault, status) in [("-DCRASHES_AT_ONCE", -1), ("-DTRAPS_AT_ONCE", -1), ("-DHANGS_AT_ONCE", 1)] {
        build_library(&place, &[fault]);
        let run = in_time(|| place.akari("compile --spec=s.json --out=o --dxc=libdxcompiler.so --tool-time-limit=1"));
        run.expect(status, "error: DXC brought this process down, or took too long, while its library ");
        run.expect(status, "/libdxcompiler.so was loaded; `--dxc` may name another, or its program\n");
        assert!(place.names("o").is_empty());
    }
}

/// DXC's global value numbering may merge what DXIL cannot hold merged; its own validator says so.
#[test]
fn what_dxcs_validator_refuses_is_made_without_what_breaks_it() {
    let cases = [
        (
            "MicrosoftD3D12",
            "",
            "-O0 -Gis -opt-disable gvn",
            "error: validation errors\nhlsl.hlsl:1:1: error: a phi of handles\nValidation failed.",
        ),
        (
            "KhronosVulkan", "--vulkan-compiler=dxc", "-fvk-use-dx-position-w -O0",
            "fatal error: generated SPIR-V is invalid: a phi of handles",
        ),
    ];
    for (platform, flags, less, words) in cases {
        let place = place(platform, &[("paint", "1.0")]);
        let akari = || place.akari(&format!("compile --spec=s.json --out=o --dxc=dxc {flags}"));
        let program = dxc().replace(
            "form=container\n",
            &format!("form=container\ncase \"$*\" in *'{less} -Fo'*) ;; *) echo '{words}' >&2; exit 1;; esac\n"),
        );
        place.write_program("dxc", &program);
        akari().expect(0, "1 package built");
        place.write_program("dxc", &program.replace(less, "nothing"));
        place.write("paint.akari", &place.read("paint.akari").replace("1.0", "2.0"));
        let run = akari();
        run.expect(1, "a phi of handles\n");
        assert!(!run.err().contains("alidation"), "{}", run.err());
    }
}

/// DXC's optimizer makes invalid SPIR-V of this; without optimization it is as it ought to be.
#[test]
fn a_loop_that_dxcs_optimizer_breaks_is_built_for_vulkan() {
    let place = place("KhronosVulkan", &[("paint", "1.0")]);
    let case = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/numeric/loops/two_ends_in_an_unrolled_loop.akari");
    fs::copy(case, place.path("paint.akari")).expect("a case");
    let library = tools::dxc_library().expect("DXC").canonicalize().expect("DXC");
    let compile =
        format!("compile --spec=s.json --out=o --config=release --vulkan-compiler=dxc --dxc={}", library.display());
    let run = place.akari(&compile);
    run.expect(0, "1 package built");
    assert!(!run.err().contains("invalid"), "{}", run.err());
    place
        .akari(&format!("{compile} --no-cache --verbose"))
        .expect(0, "note: made with `-O0` too, because of: fatal error: generated SPIR-V is invalid: ");
    let bytes = fs::read(place.path("o/paint_cs.spv")).expect("a module");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    akari_harness::spirv::validate(&words).expect("valid SPIR-V");
}
