//! Publication on its own: whatever moment a build ends at, nothing is half there.
#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::json;

use super::*;

/// A report of one package with these files.
fn report(target: &str, files: &[Member]) -> Report {
    let artifact = |file: &Member| json!({ "file": file.name, "stage": null, "entry": null, "size": file.size, "hash": file.hash.to_hex().as_str() });
    let artifacts: Vec<_> = files.iter().map(artifact).collect();
    let package = json!({
        "name": "p", "shader": "p", "layout": null, "status": "compiled", "artifacts": artifacts, "shipping": null, "bindings": [],
    });
    serde_json::from_value(json!({ "version": 1, "target": target, "config": null, "packages": [package] })).unwrap()
}

type Files<'a> = &'a [(&'a str, &'a str)];

fn members(files: Files<'_>) -> Vec<Member> {
    files.iter().map(|(name, text)| Member::of(*name, text.as_bytes())).collect()
}

fn names<'n>(target: &'n str, packages: &[&'n str]) -> Names<'n> {
    Names { here: packages.to_vec(), elsewhere: Vec::new(), target }
}

fn publish_for(target: &str, out: &Path, files: Files<'_>) -> Result<Published, String> {
    let mut publication = Publication::open(out, true)?;
    let ready = files.iter().map(|(name, text)| publication.stage(name, text.as_bytes())).collect::<Result<_, _>>();
    let committed = publication.commit(&mut [ready], &names(target, &["p"]), None, |_, packages| {
        let files = packages.iter().flatten().flatten().map(|ready| ready.member.clone()).collect::<Vec<_>>();
        report(target, &files)
    });
    committed.map_err(|why| match why {
        Uncommitted::Unwritable(why) => why,
        Uncommitted::Lost(packages) => format!("lost: {packages:?}"),
    })
}

fn publish(out: &Path, files: Files<'_>) -> Result<Published, String> {
    publish_for("KhronosVulkan", out, files)
}

/// The published files with their text, the report aside.
fn published(out: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_file() && entry.file_name() != REPORT)
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn owned(files: Files<'_>) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Nothing is left of builds that are done.
fn assert_clean(out: &Path) {
    let names: Vec<_> = fs::read_dir(out.join(PRIVATE)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lock"]);
}

const OLD: Files<'_> = &[("a_ps", "old a_ps"), ("a_vs", "old a_vs"), ("gone_cs", "old gone")];
const NEW: Files<'_> = &[("a_ps", "new a_ps"), ("a_vs", "new a_vs, longer"), ("b_cs", "new b")];

#[test]
fn files_are_published_and_stale_ones_go() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/out");
    assert_eq!(publish(&out, OLD).unwrap(), Published { written: 3, removed: 0, left: Vec::new() });
    fs::write(out.join("mine"), "mine").unwrap();
    assert_eq!(publish(&out, NEW).unwrap(), Published { written: 3, removed: 1, left: Vec::new() });
    let mut all = owned(NEW);
    all.push(("mine".to_owned(), "mine".to_owned()));
    assert_eq!(published(&out), all);
    assert_eq!(Report::read(&out).unwrap(), report("KhronosVulkan", &members(NEW)));
    assert_clean(&out);
}

#[test]
fn what_is_there_already_is_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    publish(out, NEW).unwrap();
    let stamps = || -> Vec<Stamp> {
        let names = NEW.iter().map(|(name, _)| *name).chain([REPORT]);
        names.map(|name| Stamp::of(&fs::symlink_metadata(out.join(name)).unwrap())).collect()
    };
    let before = stamps();
    assert_eq!(publish(out, NEW).unwrap(), Published::default());
    assert_eq!(stamps(), before);
    fs::write(out.join("a_vs"), "damaged").unwrap();
    fs::remove_file(out.join("b_cs")).unwrap();
    assert_eq!(publish(out, NEW).unwrap(), Published { written: 2, removed: 0, left: Vec::new() });
    assert_eq!(published(out), owned(NEW));
}

#[cfg(unix)]
#[test]
fn what_has_no_end_in_the_place_of_a_file_is_replaced() {
    let pipe = |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    let device = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let nowhere = |path: &Path| std::os::unix::fs::symlink("nowhere", path).unwrap();
    let ways: [&dyn Fn(&Path); 3] = [&pipe, &device, &nowhere];
    for way in ways {
        for name in [".akari/journal", ".akari/lock", REPORT, "a_vs"] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path();
            publish(out, OLD).unwrap();
            // There is none of itself.
            let _ = fs::remove_file(out.join(name));
            way(&out.join(name));
            publish(out, NEW).unwrap();
            let mut all = owned(NEW);
            if name == REPORT {
                // Nobody owns it any more.
                all.push(("gone_cs".to_owned(), "old gone".to_owned()));
            }
            assert_eq!(published(out), all, "{name}");
            assert_eq!(Report::read(out).unwrap(), report("KhronosVulkan", &members(NEW)), "{name}");
            assert_clean(out);
        }
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_named() {
    for name in [".akari/journal", ".akari/lock"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        publish(out, OLD).unwrap();
        let _ = fs::remove_file(out.join(name));
        fs::create_dir(out.join(name)).unwrap();
        let why = publish(out, NEW).unwrap_err();
        assert!(why.contains(out.join(name).to_str().unwrap()), "{why}");
        assert_eq!(published(out), owned(OLD));
    }
}

#[test]
fn a_report_of_another_version_owns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    publish(out, OLD).unwrap();
    let text = fs::read_to_string(out.join(REPORT)).unwrap();
    let newer = text.replacen("\"version\": 1", "\"version\": 2", 1);
    assert_ne!(newer, text);
    fs::write(out.join(REPORT), newer).unwrap();
    assert_eq!(publish(out, NEW).unwrap().removed, 0);
    assert_eq!(fs::read_to_string(out.join("gone_cs")).unwrap(), "old gone");
    // Nor is what is elsewhere anybody's.
    let text = serde_json::to_string(&report(
        "KhronosVulkan",
        &members(&[("../a", "a"), ("/b", "b"), ("c/d", "d"), ("e", "e"), ("..", "")]),
    ))
    .unwrap();
    fs::write(out.join(REPORT), text).unwrap();
    assert_eq!(Report::read(out).unwrap().files().map(|(name, ..)| name.to_owned()).collect::<Vec<_>>(), ["e"]);
}

#[test]
fn only_what_the_last_report_owned_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    publish(out, OLD).unwrap();
    // Somebody put something else there.
    fs::write(out.join("gone_cs"), "mine").unwrap();
    assert_eq!(publish(out, NEW).unwrap().removed, 0);
    assert_eq!(fs::read_to_string(out.join("gone_cs")).unwrap(), "mine");
    // A report of another target owns other files.
    publish_for("MicrosoftD3D12", out, &[("b.cso", "b")]).unwrap();
    assert!(out.join("b_cs").exists());
    // A report that was tampered with removes nothing elsewhere.
    let elsewhere = folder.path().parent().unwrap().join("akari-publish-test");
    fs::write(&elsewhere, "mine").unwrap();
    let text =
        serde_json::to_string(&report("KhronosVulkan", &[Member::of("../akari-publish-test", b"mine")])).unwrap();
    fs::write(out.join(REPORT), text).unwrap();
    publish(out, NEW).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    fs::remove_file(elsewhere).unwrap();
}

#[test]
fn a_package_that_fails_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    publish(out, OLD).unwrap();
    let mut publication = Publication::open(out, true).unwrap();
    let [first, second] = [&NEW[..2], &NEW[2..]].map(|files| {
        files.iter().map(|(name, text)| publication.stage(name, text.as_bytes()).unwrap()).collect::<Vec<_>>()
    });
    // The second package's file has the name of a folder.
    fs::create_dir(out.join("b_cs")).unwrap();
    let clash = first.clone();
    let outcome = publication.commit(
        &mut [Ok(first), Ok(second), Ok(clash)],
        &names("KhronosVulkan", &["p", "q", "r"]),
        None,
        |_, packages| {
            assert!(packages[0].is_ok());
            assert!(packages[1].as_ref().unwrap_err().contains("it is a folder"));
            assert!(
                packages[2].as_ref().unwrap_err().contains("the packages `p` and `r` both make a file of this name")
            );
            report("KhronosVulkan", &members(NEW))
        },
    );
    assert_eq!(outcome.unwrap(), Published { written: 2, removed: 1, left: Vec::new() });
    assert_eq!(published(out), owned(&NEW[..2]));
}

#[test]
fn a_name_that_no_file_can_have_is_a_fault_of_its_package_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let mut publication = Publication::open(out, true).unwrap();
    let long = "n".repeat(300);
    let [good, bad] = ["a_vs", &long].map(|name| publication.stage(name, b"text").map(|ready| vec![ready]));
    let outcome = publication.commit(&mut [good, bad], &names("KhronosVulkan", &["p", "q"]), None, |_, packages| {
        assert!(packages[0].is_ok());
        assert!(packages[1].as_ref().unwrap_err().starts_with("cannot write "));
        report("KhronosVulkan", &members(&[("a_vs", "text")]))
    });
    assert_eq!(outcome.unwrap(), Published { written: 1, removed: 0, left: Vec::new() });
    assert_eq!(published(out), owned(&[("a_vs", "text")]));
    drop(publication);
    assert_clean(out);
}

/// Ends after this many changes, as a killed build does: nothing is cleared away, locks are let go.
fn killed_after(out: &Path, steps: usize) {
    let publication = Publication::open(out, true).unwrap();
    let ready: Vec<Ready> = NEW.iter().map(|(name, text)| publication.stage(name, text.as_bytes()).unwrap()).collect();
    let new = report("KhronosVulkan", &members(NEW));
    let bytes = new.bytes();
    let from = publication.fill(|file| file.write_all(&bytes)).unwrap().0;
    let journal = Journal {
        staging: publication.staging.path().file_name().unwrap().to_str().unwrap().to_owned(),
        renames: ready
            .iter()
            .filter_map(Ready::rename)
            .chain([Rename { from, to: Member::of(REPORT, &bytes) }])
            .collect(),
        removals: publication.removals(&Report::read(out).unwrap(), &new),
    };
    journal.write(&publication.private).unwrap();
    for step in journal.steps().take(steps) {
        journal.step(step, out, &publication.private).unwrap();
    }
    // What a killed process does not do.
    let Publication { staging, .. } = publication;
    let _ = staging.keep();
}

#[test]
fn a_build_that_is_killed_while_publishing_is_finished_by_the_next() {
    for steps in 0..=5 {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        publish(out, OLD).unwrap();
        killed_after(out, steps);
        for (name, text) in published(out) {
            assert!(OLD.iter().chain(NEW).any(|known| *known == (name.as_str(), text.as_str())), "{name} is whole");
        }
        drop(Publication::open(out, true).unwrap());
        assert_eq!(published(out), owned(NEW), "after {steps} steps");
        assert_eq!(Report::read(out).unwrap(), report("KhronosVulkan", &members(NEW)));
        assert_clean(out);
    }
}

#[test]
fn what_was_lost_of_a_killed_build_is_left_to_the_next() {
    let damages: [fn(&Path); 4] = [
        |private| fs::write(private.join(JOURNAL), "nonsense").unwrap(),
        |private| fs::write(private.join(JOURNAL), "").unwrap(),
        |private| fs::write(staging(private).join("0"), "new a_qs").unwrap(),
        |private| fs::remove_dir_all(staging(private)).unwrap(),
    ];
    for damage in damages {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path();
        publish(out, OLD).unwrap();
        killed_after(out, 0);
        damage(&out.join(PRIVATE));
        drop(Publication::open(out, true).unwrap());
        assert_eq!(
            Report::read(out).unwrap(),
            report("KhronosVulkan", &members(OLD)),
            "the report is not of what is lost"
        );
        assert_eq!(published(out)[0], owned(OLD)[0]);
        assert_clean(out);
        publish(out, NEW).unwrap();
        assert_eq!(published(out), owned(NEW));
    }
}

const JOURNAL: &str = "journal";

fn staging(private: &Path) -> PathBuf {
    let mut entries = fs::read_dir(private).unwrap().map(|entry| entry.unwrap().path());
    entries.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(STAGING)).unwrap()
}

#[test]
fn a_journal_that_was_made_up_changes_nothing_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    publish(&out, OLD).unwrap();
    fs::write(folder.path().join("mine"), "mine").unwrap();
    let private = out.join(PRIVATE);
    fs::create_dir(private.join("staging-x")).unwrap();
    let journal = Journal {
        staging: "staging-x".to_owned(),
        renames: Vec::new(),
        removals: vec![Member::of("../mine", b"mine")],
    };
    journal.write(&private).unwrap();
    drop(Publication::open(&out, true).unwrap());
    assert!(folder.path().join("mine").exists());
    assert_clean(&out);
}

#[test]
fn a_running_build_is_not_cleared_away() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let mut slow = Publication::open(out, true).unwrap();
    let ready = NEW.iter().map(|(name, text)| slow.stage(name, text.as_bytes())).collect::<Result<Vec<_>, _>>();
    publish(out, OLD).unwrap();
    slow.commit(&mut [ready], &names("KhronosVulkan", &["p"]), None, |last, _| {
        assert_eq!(*last, report("KhronosVulkan", &members(OLD)));
        report("KhronosVulkan", &members(NEW))
    })
    .unwrap();
    assert_eq!(published(out), owned(NEW));
}

#[test]
fn what_another_build_changed_in_the_meantime_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let store = Store::open(&folder.path().join("cache"), None, None).unwrap();
    let key = crate::cli::cache::KeyBuilder::new("test").finish();
    let inventory = store.put(&key, &(), &[("a_vs", b"kept")]).unwrap();
    publish(out, &[("a_vs", "kept")]).unwrap();
    for has_cache in [true, false] {
        let mut slow = Publication::open(out, true).unwrap();
        let ready = slow.bring(&inventory.members[0], &store).unwrap().unwrap();
        assert!(ready.rename().is_none());
        publish(out, &[("a_vs", "other")]).unwrap();
        let outcome = slow.commit(
            &mut [Ok(vec![ready])],
            &names("KhronosVulkan", &["p"]),
            has_cache.then_some(&store),
            |_, _| report("KhronosVulkan", &inventory.members),
        );
        let expected = if has_cache {
            Ok(Published { written: 1, removed: 0, left: Vec::new() })
        } else {
            Err(Uncommitted::Lost(vec![0]))
        };
        assert_eq!(outcome, expected);
        assert_eq!(published(out), owned(&[("a_vs", if has_cache { "kept" } else { "other" })]));
        publish(out, &[("a_vs", "kept")]).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_in_the_output_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let (out, mine) = (folder.path().join("out"), folder.path().join("mine"));
    fs::write(&mine, "new a_ps").unwrap();
    fs::create_dir(&out).unwrap();
    symlink(&mine, out.join("a_ps")).unwrap();
    assert_eq!(publish(&out, NEW).unwrap().written, 3);
    assert!(!out.join("a_ps").is_symlink());
    assert_eq!(fs::read_to_string(&mine).unwrap(), "new a_ps");
    fs::remove_dir_all(out.join(PRIVATE)).unwrap();
    symlink(folder.path(), out.join(PRIVATE)).unwrap();
    assert!(publish(&out, NEW).unwrap_err().contains("symbolic link"));
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(publish(&file, NEW).unwrap_err().starts_with(&format!("cannot write {}: ", file.display())));
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}
