//! Two caches on disk with a remote one between them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use super::*;
use crate::cli::cache::Remote;

/// Two machines that share a remote cache.
struct Machines {
    _folder: TempDir,
    one: PathBuf,
    other: PathBuf,
    shared: PathBuf,
}

impl Machines {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let [one, other, shared] = ["one", "other", "shared"].map(|name| folder.path().join(name));
        Self { _folder: folder, one, other, shared }
    }

    fn place(&self) -> String {
        format!("file://{}", self.shared.display())
    }
}

fn with_remote(folder: &Path, place: &str) -> Store {
    Store::open(folder, None, Some(Remote::open(place).unwrap())).unwrap()
}

const MEMBERS: [(&str, &[u8]); 3] = [("vs", b"one"), ("ps", b"two"), ("empty", b"")];

#[test]
fn what_one_machine_made_another_finds() {
    let machines = Machines::new();
    put(&with_remote(&machines.one, &machines.place()), "a", &MEMBERS);
    let other = with_remote(&machines.other, &machines.place());
    assert_eq!(whole(&other, "b"), None);
    assert_eq!(other.remote_failure(), None, "what is not there is no failure");
    assert_eq!(whole(&other, "a").unwrap().1, MEMBERS.map(|(_, bytes)| bytes));
    // It is here now.
    fs::remove_dir_all(&machines.shared).unwrap();
    assert_eq!(whole(&open(&machines.other), "a").unwrap().1, MEMBERS.map(|(_, bytes)| bytes));
}

#[test]
fn memory_is_a_remote_cache_of_one_process() {
    let machines = Machines::new();
    let store = with_remote(&machines.one, "memory://localhost/");
    put(&store, "a", &MEMBERS);
    store.clear().unwrap();
    assert_eq!(whole(&store, "a").unwrap().1, MEMBERS.map(|(_, bytes)| bytes));
    assert_eq!(store.remote_failure(), None);
}

#[test]
fn damage_in_the_remote_cache_is_a_miss() {
    let members = &MEMBERS[..2];
    for (way, damage) in DAMAGES {
        for at in 0..3 {
            let machines = Machines::new();
            put(&with_remote(&machines.one, &machines.place()), "a", members);
            let paths = files(&machines.shared);
            assert_eq!(paths.len(), 3, "an inventory and two blobs");
            damage(&paths[at], &paths[(at + 1) % 3]);
            let other = with_remote(&machines.other, &machines.place());
            assert_eq!(whole(&other, "a"), None, "{way}");
            put(&other, "a", members);
            assert!(whole(&open(&machines.other), "a").is_some(), "{way}");
        }
    }
}

#[test]
fn a_remote_cache_that_fails_is_done_without() {
    let machines = Machines::new();
    // Nobody listens at a port that was let go.
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let store = with_remote(&machines.one, &format!("http://{nobody}/cache"));
    assert_eq!(whole(&store, "a"), None);
    assert!(store.remote_failure().is_some());
    put(&store, "a", &MEMBERS);
    assert_eq!(whole(&store, "a").unwrap().1, MEMBERS.map(|(_, bytes)| bytes));
    fs::write(&machines.shared, b"in the way").unwrap();
    for place in ["nonsense", "gopher://host/", &format!("{}/below", machines.place())] {
        assert!(Remote::open(place).unwrap_err().contains("cannot use the remote cache"), "{place}");
    }
}

/// Serves files as a web server does, until the second number of connections; gives what was asked for.
fn serve(
    folder: PathBuf,
    connections: usize,
    answer: fn(&Path) -> Option<Vec<u8>>,
) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}/cache", listener.local_addr().unwrap());
    let thread = thread::spawn(move || {
        let mut asked = Vec::new();
        for stream in listener.incoming().take(connections) {
            let mut stream = BufReader::new(stream.unwrap());
            let mut head = String::new();
            while stream.read_line(&mut head).is_ok_and(|read| read > 2) {}
            let mut words = head.split_whitespace();
            let (method, path) = (words.next().unwrap(), words.next().unwrap().to_owned());
            let found = path.strip_prefix("/cache/").and_then(|path| answer(&folder.join(path)));
            let (status, body) = found.map_or(("404 Not Found", Vec::new()), |body| ("200 OK", body));
            let length = body.len();
            let stream = stream.get_mut();
            write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n").unwrap();
            if method != "HEAD" {
                stream.write_all(&body).unwrap();
            }
            asked.push(format!("{method} {path}"));
        }
        asked
    });
    (place, thread)
}

#[test]
fn a_web_server_is_a_remote_cache_to_read_from() {
    let machines = Machines::new();
    put(&with_remote(&machines.one, &machines.place()), "a", &MEMBERS[..2]);
    // Three files, each looked at and read; then one that is not there.
    let (place, server) = serve(machines.shared.clone(), 7, |path| fs::read(path).ok());
    let other = with_remote(&machines.other, &place);
    assert_eq!(whole(&other, "a").unwrap().1, [b"one", b"two"]);
    assert_eq!(whole(&other, "b"), None);
    put(&other, "b", &MEMBERS);
    assert_eq!(other.remote_failure(), None, "writing is not tried");
    let asked = server.join().unwrap();
    assert_eq!(asked.iter().filter(|asked| asked.starts_with("GET /cache/")).count(), 3, "{asked:?}");
    // The server is gone now.
    assert_eq!(whole(&other, "c"), None);
    assert!(other.remote_failure().is_some());
    assert!(whole(&other, "b").is_some());
}

#[test]
fn nothing_from_a_web_server_is_trusted() {
    let machines = Machines::new();
    put(&with_remote(&machines.one, &machines.place()), "a", &MEMBERS[..1]);
    let (place, server) = serve(machines.shared.clone(), 4, |path| {
        let mut bytes = fs::read(path).ok()?;
        if path.to_string_lossy().contains("blobs") {
            bytes[0] ^= 1;
        }
        Some(bytes)
    });
    let other = with_remote(&machines.other, &place);
    assert_eq!(whole(&other, "a"), None);
    server.join().unwrap();
    assert_eq!(other.stats().blobs, 0);
}
