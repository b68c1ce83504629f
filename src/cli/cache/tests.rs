//! The store on its own.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;

use super::evict::{Stats, parse_size};
use super::store::{Fault, Kind};
use super::{Inventory, Key, KeyBuilder, Store, file_hash};

fn key(name: &str) -> Key {
    KeyBuilder::new("test").text(name).finish()
}

fn open(folder: &Path) -> Store {
    Store::open(folder, None, None).unwrap()
}

/// The inventory and the members' bytes, if all are there.
fn whole(store: &Store, name: &str) -> Option<(Inventory, Vec<Vec<u8>>)> {
    let inventory = store.find(&key(name))?;
    let members = inventory.members.iter().map(|member| store.read(member)).collect::<Option<_>>()?;
    Some((inventory, members))
}

fn put(store: &Store, name: &str, members: &[(&str, &[u8])]) {
    store.put(&key(name), &json!({ "of": name }), members).unwrap();
}

/// All regular files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Those that hold something: with the others, which are locks, nothing can be wrong.
fn full_files(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|path| fs::metadata(path).unwrap().len() > 0).collect()
}

/// Says that a file was used so long ago.
fn age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

fn entry_path(store: &Store, name: &str) -> PathBuf {
    store.folder.join(Kind::Entries.path(&key(name).to_string()))
}

#[test]
fn what_was_put_is_found() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    assert_eq!(whole(&store, "a"), None);
    put(&store, "a", &[("vs", b"one"), ("ps", b""), ("twin", b"one")]);
    let (inventory, members) = whole(&open(folder.path()), "a").unwrap();
    assert_eq!(inventory.value.read(), Some(json!({ "of": "a" })));
    assert_eq!(inventory.members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>(), ["vs", "ps", "twin"]);
    assert_eq!(members, [&b"one"[..], b"", b"one"]);
    assert_eq!(store.stats().blobs, 2, "equal bytes are kept once");
    put(&store, "a", &[("vs", b"two")]);
    assert_eq!(whole(&store, "a").unwrap().1, [b"two"]);
    assert_eq!(whole(&store, "b"), None);
}

#[test]
fn keys_tell_parts_apart() {
    let keys = [
        KeyBuilder::new("test").text("ab").text("c").finish(),
        KeyBuilder::new("test").text("a").text("bc").finish(),
        KeyBuilder::new("test").text("abc").finish(),
        KeyBuilder::new("testabc").finish(),
        KeyBuilder::new("test").text("abc").text("").finish(),
        KeyBuilder::new("test").text("abc").number(0).finish(),
    ];
    for (at, one) in keys.iter().enumerate() {
        assert!(!keys[at + 1..].contains(one));
    }
}

/// A way to damage a file. The second path is another file of the cache.
type Damage = fn(&Path, &Path);

const DAMAGES: [(&str, Damage); 8] = [
    ("truncated", |path, _| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }),
    ("flipped", |path, _| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path, bytes).unwrap();
    }),
    ("emptied", |path, _| fs::write(path, b"").unwrap()),
    ("lengthened", |path, _| {
        let mut bytes = fs::read(path).unwrap();
        bytes.push(b' ');
        fs::write(path, bytes).unwrap();
    }),
    ("replaced", |path, other| {
        fs::copy(other, path).unwrap();
    }),
    ("removed", |path, _| fs::remove_file(path).unwrap()),
    ("a folder", |path, _| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    #[cfg(unix)]
    ("a symbolic link", |path, other| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink(other, path).unwrap();
    }),
    #[cfg(not(unix))]
    ("removed again", |path, _| fs::remove_file(path).unwrap()),
];

#[test]
fn damage_is_a_miss_and_is_mended() {
    let members_of_a: [(&str, &[u8]); 2] = [("vs", b"the one"), ("ps", b"the other")];
    let members_of_b: [(&str, &[u8]); 2] = [("vs", b"more of"), ("ps", b"the same.")];
    let count = {
        let folder = TempDir::new().unwrap();
        let store = open(folder.path());
        put(&store, "a", &members_of_a);
        put(&store, "b", &members_of_b);
        full_files(folder.path()).len()
    };
    assert_eq!(count, 2 + 4 + 2, "entries, blobs, the tag and the notes");
    let mut misses = 0;
    for (way, damage) in DAMAGES {
        for at in 0..count {
            let folder = TempDir::new().unwrap();
            let store = open(folder.path());
            put(&store, "a", &members_of_a);
            put(&store, "b", &members_of_b);
            let paths = full_files(folder.path());
            damage(&paths[at], &paths[(at + 1) % count]);
            for (name, members) in [("a", members_of_a), ("b", members_of_b)] {
                let of = format!("{name} of {way} {}", paths[at].display());
                match whole(&store, name) {
                    Some((inventory, bytes)) => {
                        assert_eq!(inventory.value.read(), Some(json!({ "of": name })), "{of}");
                        assert_eq!(bytes, members.map(|(_, bytes)| bytes), "{of}");
                    }
                    None => misses += 1,
                }
                put(&store, name, &members);
                assert!(whole(&store, name).is_some_and(|(_, bytes)| bytes == members.map(|(_, bytes)| bytes)), "{of}");
            }
            assert!(store.keep_limit().is_ok());
        }
    }
    assert_eq!(misses, 6 * DAMAGES.len(), "every entry and every blob");
}

#[test]
fn a_damaged_copy_is_not_called_whole() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    put(&store, "a", &[("vs", b"the one")]);
    let member = store.find(&key("a")).unwrap().members.remove(0);
    let mut copy = Vec::new();
    assert!(store.copy(&member, &mut copy).unwrap());
    assert_eq!(copy, b"the one");
    fs::write(store.folder.join(Kind::Blobs.path(&member.hash.to_hex())), b"the 0ne").unwrap();
    assert!(!store.copy(&member, &mut Vec::new()).unwrap());
}

#[test]
fn many_write_and_read_at_once() {
    let folder = TempDir::new().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8_u32 {
            let path = folder.path();
            scope.spawn(move || {
                let store = open(path);
                for round in 0..100_u32 {
                    let name = format!("{}", (round + thread) % 5);
                    let bytes = name.repeat(1000);
                    put(&store, &name, &[("all", bytes.as_bytes())]);
                    let (_, members) = whole(&store, &name).unwrap();
                    assert_eq!(members, [bytes.as_bytes()]);
                }
            });
        }
    });
    let store = open(folder.path());
    assert_eq!((store.stats().entries, store.stats().blobs), (5, 5));
    assert_eq!(files(&store.temporary()), Vec::<PathBuf>::new());
}

/// Clearing and trimming beside builds costs them what was kept, and nothing else.
#[test]
fn many_write_while_others_clear_and_trim() {
    let folder = TempDir::new().unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4_u32)
            .map(|thread| {
                let path = folder.path();
                scope.spawn(move || {
                    let store = open(path);
                    for round in 0..60_u32 {
                        put(&store, &format!("{thread} {round}"), &[("all", round.to_string().as_bytes())]);
                        if let Some((_, members)) = whole(&store, &format!("{thread} {round}")) {
                            assert_eq!(members, [round.to_string().as_bytes()]);
                        }
                    }
                })
            })
            .collect();
        let others = [|store: &Store| store.clear(), |store: &Store| store.trim(0), |store: &Store| store.trim(1000)];
        for other in others {
            let (path, done) = (folder.path(), &done);
            scope.spawn(move || {
                let store = open(path);
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    other(&store).unwrap();
                }
            });
        }
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    open(folder.path()).clear().unwrap();
    put(&open(folder.path()), "a", &[("vs", b"one")]);
    assert!(whole(&open(folder.path()), "a").is_some());
}

#[test]
fn folders_and_devices_in_the_place_of_files_are_replaced() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    put(&store, "a", &[("vs", b"one")]);
    for file in Kind::ALL.into_iter().flat_map(|kind| files(&store.kind(kind))) {
        // Found by nobody before it is written.
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        put(&store, "a", &[("vs", b"one")]);
        assert!(whole(&store, "a").is_some(), "{}", file.display());
        #[cfg(unix)]
        {
            // It has no end.
            fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
            put(&store, "a", &[("vs", b"one")]);
            assert!(whole(&store, "a").is_some(), "{}", file.display());
        }
        // What somebody keeps there is not the cache's to remove.
        fs::remove_file(&file).unwrap();
        fs::create_dir_all(file.join("mine")).unwrap();
        let error = store.put(&key("a"), &1, &[("vs", b"one")]).unwrap_err().to_string();
        assert!(error.contains(file.to_str().unwrap()), "{error}");
        fs::remove_dir_all(&file).unwrap();
    }
}

#[test]
fn what_was_not_used_for_the_longest_time_goes_first() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    for (at, name) in ["a", "b", "c", "d"].iter().enumerate() {
        put(&store, name, &[("own", name.repeat(1000).as_bytes()), ("shared", b"shared")]);
        age(&entry_path(&store, name), 10_000 * (10 - at as u64));
    }
    assert!(whole(&store, "a").is_some(), "which is a use");
    let one = store.stats().bytes / 4;
    store.trim(one * 5 / 2).unwrap();
    let left: Vec<&str> = ["a", "b", "c", "d"].into_iter().filter(|name| whole(&store, name).is_some()).collect();
    assert_eq!(left, ["a", "d"]);
    assert!(store.stats().bytes <= one * 5 / 2);
    store.trim(0).unwrap();
    assert_eq!(store.stats(), Stats::default());
}

#[test]
fn a_run_that_adds_keeps_the_limit() {
    let folder = TempDir::new().unwrap();
    let limited = || Store::open(folder.path(), Some(40_000), None).unwrap();
    for round in 0..30_u32 {
        let store = limited();
        put(&store, &format!("{round}"), &[("all", format!("{round:04}").repeat(1000).as_bytes())]);
        age(&entry_path(&store, &format!("{round}")), 100 - u64::from(round));
        store.keep_limit().unwrap();
        assert!(store.stats().bytes <= 40_000, "{:?} after round {round}", store.stats());
        assert!(whole(&store, &format!("{round}")).is_some(), "the newest stays");
    }
    assert!(limited().stats().bytes > 20_000);
    // Notes that are lost or damaged are made again.
    for notes in [&b"nonsense"[..], b"\xff\n", b"99999999999999999999999\n", b""] {
        let store = limited();
        fs::write(store.folder.join("written"), notes).unwrap();
        put(&store, "last", &[("all", &[7; 9000])]);
        store.keep_limit().unwrap();
        assert!(store.stats().bytes <= 40_000 + 10_000);
    }
}

#[test]
fn unnamed_blobs_and_old_temporary_files_go() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    put(&store, "a", &[("vs", b"one")]);
    put(&store, "a", &[("vs", b"two")]);
    let temporary = store.temporary().join("left");
    fs::write(&temporary, b"half").unwrap();
    store.trim(u64::MAX).unwrap();
    assert_eq!(store.stats().blobs, 2, "one may be about to be named");
    assert!(temporary.exists());
    for file in files(&store.kind(Kind::Blobs)).iter().chain([&temporary]) {
        age(file, 100_000);
    }
    store.trim(u64::MAX).unwrap();
    assert_eq!(store.stats().blobs, 1);
    assert!(!temporary.exists());
    assert_eq!(whole(&store, "a").unwrap().1, [b"two"]);
}

#[test]
fn clearing_leaves_what_is_not_ours() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    put(&store, "a", &[("vs", b"one")]);
    let own = [folder.path().join("mine.txt"), store.kind(Kind::Blobs).join("note"), store.folder.join("note")];
    for path in &own {
        fs::write(path, b"mine").unwrap();
    }
    store.clear().unwrap();
    assert_eq!(store.stats(), Stats::default());
    assert!(own.iter().all(|path| path.exists()));
    put(&store, "a", &[("vs", b"one")]);
    assert!(whole(&store, "a").is_some());
}

#[test]
fn a_removed_folder_comes_back() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/cache");
    let store = open(&path);
    put(&store, "a", &[("vs", b"one")]);
    fs::remove_dir_all(folder.path().join("deep")).unwrap();
    assert_eq!(whole(&store, "a"), None);
    put(&store, "a", &[("vs", b"one")]);
    assert!(whole(&store, "a").is_some());
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = TempDir::new().unwrap();
    let elsewhere = TempDir::new().unwrap();
    let (cache, other) = (folder.path().join("cache"), elsewhere.path().join("file"));
    let store = open(&cache);
    put(&store, "a", &[("vs", b"one")]);
    // In the place of a file: replaced, and what it led to is as it was, also where that would have been right.
    for file in files(&store.folder) {
        fs::rename(&file, &other).unwrap();
        let before = fs::read(&other).unwrap();
        symlink(&other, &file).unwrap();
        let is_lock = file.ends_with("users");
        assert!(whole(&store, "a").is_none() || file.ends_with("written") || is_lock);
        if is_lock {
            drop(open(&cache));
        }
        put(&store, "a", &[("vs", b"one")]);
        assert!(whole(&store, "a").is_some() && !file.is_symlink(), "{}", file.display());
        assert_eq!(fs::read(&other).unwrap(), before);
    }
    // In the place of a folder of hashes: nothing is written, removed or trimmed behind it.
    let blobs = fs::read_dir(store.kind(Kind::Blobs)).unwrap().next().unwrap().unwrap().path();
    let moved = elsewhere.path().join("blobs");
    fs::rename(&blobs, &moved).unwrap();
    symlink(&moved, &blobs).unwrap();
    fs::write(&files(&moved)[0], b"0ne").unwrap();
    assert!(whole(&store, "a").is_none());
    assert!(store.put(&key("a"), &1, &[("vs", b"one")]).is_err());
    store.trim(0).unwrap();
    store.clear().unwrap();
    assert_eq!(fs::read(&files(&moved)[0]).unwrap(), b"0ne");
    // In the place of a folder of the cache: refused.
    fs::remove_dir_all(cache.join("v1/blobs")).unwrap();
    symlink(&moved, cache.join("v1/blobs")).unwrap();
    let fault = Store::open(&cache, None, None).unwrap_err();
    assert!(matches!(&fault, Fault::NoFolder(path) if path.ends_with("v1/blobs")));
    assert!(fault.to_string().contains("symbolic link"));
    // The folder itself may be one.
    let link = folder.path().join("link");
    symlink(elsewhere.path(), &link).unwrap();
    put(&open(&link), "a", &[("vs", b"one")]);
    assert!(elsewhere.path().join("v1").is_dir());
}

#[test]
fn a_file_in_the_place_of_the_cache_is_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, b"mine").unwrap();
    for path in [path.clone(), path.join("below")] {
        let fault = Store::open(&path, None, None).unwrap_err();
        assert!(matches!(&fault, Fault::NoFolder(file) if file.ends_with("file")), "{fault}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn hashes_of_files_are_kept_only_when_they_can_be_relied_on() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder.path().join("cache"));
    let tool = folder.path().join("tool");
    fs::write(&tool, b"one").unwrap();
    assert_eq!(file_hash(&store, &tool).unwrap(), blake3::hash(b"one"));
    assert_eq!(store.stats().entries, 0, "it was changed just now");
    age(&tool, 100);
    assert_eq!(file_hash(&store, &tool).unwrap(), blake3::hash(b"one"));
    if cfg!(unix) {
        assert_eq!(store.stats().entries, 0, "its times were changed just now");
        std::thread::sleep(Duration::from_millis(4100));
    }
    assert_eq!(file_hash(&store, &tool).unwrap(), blake3::hash(b"one"));
    assert_eq!(store.stats().entries, 1);
    assert_eq!(file_hash(&store, &tool).unwrap(), blake3::hash(b"one"));
    // The same length and the same time again.
    let time = fs::metadata(&tool).unwrap().modified().unwrap();
    fs::write(&tool, b"two").unwrap();
    fs::File::options().write(true).open(&tool).unwrap().set_modified(time).unwrap();
    if cfg!(unix) {
        assert_eq!(file_hash(&store, &tool).unwrap(), blake3::hash(b"two"));
    }
    assert!(file_hash(&store, &folder.path().join("none")).is_err());
}

#[test]
fn sizes() {
    for (text, size) in [("0", 0), ("123", 123), ("4K", 4096), ("2m", 2 << 20), ("5G", 5 << 30), ("1T", 1 << 40)] {
        assert_eq!(parse_size(text), Ok(size), "{text}");
    }
    for text in ["", "K", "-1", "1.5G", "1KB", "99999999T", "é"] {
        assert!(parse_size(text).is_err(), "{text}");
    }
}

#[cfg(not(feature = "remote-cache"))]
#[test]
fn a_build_without_remote_caches_says_so() {
    assert!(super::Remote::open("memory://").unwrap_err().contains("without the feature `remote-cache`"));
}

#[cfg(feature = "remote-cache")]
mod remote;

#[test]
fn what_a_killed_process_was_writing_goes_when_nobody_else_is_there() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path());
    let left = store.temporary().join("left");
    fs::write(&left, b"half").unwrap();
    // It may be of the one that is there.
    drop(open(folder.path()));
    assert!(left.exists());
    drop(store);
    drop(open(folder.path()));
    assert!(!left.exists());
}
