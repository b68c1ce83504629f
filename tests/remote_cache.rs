//! A cache that machines share, on a real Redis server and on a server that speaks S3 and checks signatures: two folders stand for two
//! machines. Run with `--features remote-cache-servers`.

#[path = "program/mod.rs"]
mod program;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use program::{Place, Run};
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use serde_json::json;
use tokio::runtime::Runtime;

const ACCESS: &str = "AKARITESTS";
const SECRET: &str = "a secret / with + odd = signs";

/// Where machines that build share their work.
enum Service {
    Redis(Redis),
    S3(S3),
}

impl Service {
    fn url(&self) -> String {
        match self {
            Self::Redis(redis) => format!("redis://{}/akari?password={}", redis.address, Redis::PASSWORD),
            Self::S3(s3) => format!("s3://shared/akari?region=eu-north-1&endpoint=http://{}", s3.address),
        }
    }

    /// The variables of the environment in which a machine finds its credentials.
    fn credentials(&self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Redis(_) => Vec::new(),
            Self::S3(_) => vec![("AWS_ACCESS_KEY_ID", ACCESS), ("AWS_SECRET_ACCESS_KEY", SECRET)],
        }
    }

    /// Changes a bit of every value; gives how many there were.
    fn damage(&self) -> usize {
        match self {
            Self::Redis(redis) => redis.damage(),
            Self::S3(s3) => s3.damage(),
        }
    }
}

fn services() -> [Service; 2] {
    [Service::Redis(Redis::start()), Service::S3(S3::start())]
}

/// A Redis server of this test.
struct Redis {
    server: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Redis {
    const PASSWORD: &str = "hush";

    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
        let mut server = Command::new("redis-server");
        server.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--requirepass", Self::PASSWORD]);
        server.args(["--port", &address.port().to_string()]).arg("--dir").arg(folder.path());
        let server = server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server, which tests/tools/install.sh installs");
        let redis = Self { server, address, _folder: folder };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(60), "redis-server does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        redis
    }

    fn damage(&self) -> usize {
        let mut connection = Connection::to(self.address);
        connection.ask(&[b"AUTH", Self::PASSWORD.as_bytes()]);
        let keys = connection.ask(&[b"KEYS", b"*"]);
        for key in &keys {
            let mut value = connection.ask(&[b"GET", key]).remove(0);
            if let Some(last) = value.last_mut() {
                *last ^= 1;
            }
            connection.ask(&[b"SET", key, &value]);
        }
        keys.len()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A conversation in Redis' protocol, <https://redis.io/docs/latest/develop/reference/protocol-spec/>.
struct Connection(BufReader<TcpStream>);

impl Connection {
    fn to(address: SocketAddr) -> Self {
        Self(BufReader::new(TcpStream::connect(address).expect("a connection")))
    }

    fn ask(&mut self, words: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut request = format!("*{}\r\n", words.len()).into_bytes();
        for word in words {
            request.extend(format!("${}\r\n", word.len()).into_bytes());
            request.extend([word, &b"\r\n"[..]].concat());
        }
        self.0.get_mut().write_all(&request).expect("a request");
        self.answer()
    }

    fn answer(&mut self) -> Vec<Vec<u8>> {
        let mut head = String::new();
        self.0.read_line(&mut head).expect("an answer");
        let (kind, rest) = head.trim_end().split_at(1);
        match kind {
            "$" => {
                let mut bytes = vec![0; rest.parse::<usize>().expect("a length") + 2];
                self.0.read_exact(&mut bytes).expect("a value");
                bytes.truncate(bytes.len() - 2);
                vec![bytes]
            }
            "*" => (0..rest.parse().expect("a count")).flat_map(|_| self.answer()).collect(),
            "+" | ":" => vec![rest.as_bytes().to_vec()],
            _ => panic!("redis: {head}"),
        }
    }
}

/// A server of this process that speaks S3, over a folder.
struct S3 {
    address: SocketAddr,
    folder: tempfile::TempDir,
    _runtime: Runtime,
}

impl S3 {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("shared")).expect("a bucket");
        let mut service = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder.path()).expect("a file system"));
        service.set_auth(SimpleAuth::from_single(ACCESS, SECRET));
        let service = service.build();
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    // A client that goes is no fault of the server's.
                    let _ =
                        auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, folder, _runtime: runtime }
    }

    fn damage(&self) -> usize {
        let objects = files(&self.folder.path().join("shared"));
        for object in &objects {
            let mut bytes = fs::read(object).expect("an object");
            if let Some(last) = bytes.last_mut() {
                *last ^= 1;
            }
            fs::write(object, bytes).expect("an object");
        }
        objects.len()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Three packages.
fn sources() -> Place {
    let place = Place::new();
    let names = ["one", "two", "three"];
    for (number, name) in names.iter().enumerate() {
        place.write(&format!("{name}.akari"), &program::PACKAGE.replace("1.0", &format!("{number}.5")));
    }
    let packages = names.map(|name| json!({ "name": name, "sources": [format!("{name}.akari")] }));
    place.write("s.json", &json!({ "version": 2, "type": "KhronosVulkan", "compilation": packages }).to_string());
    place
}

/// Builds as a machine of this name, which has a cache and an output of its own.
fn build(place: &Place, machine: &str, url: &str, credentials: &[(&str, &str)]) -> Run {
    // Nothing of the account that runs the tests, and no machine that would give credentials.
    let mut variables = vec![("HOME", "/nonexistent"), ("AWS_EC2_METADATA_DISABLED", "true")];
    variables.extend(credentials);
    place.akari_with(
        &format!("compile --spec=s.json --out=o-{machine} --cache=c-{machine} --remote-cache={url}"),
        &variables,
    )
}

fn published(place: &Place, machine: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("o-{machine}");
    let names = place.names(&folder).into_iter().filter(|name| !name.ends_with(".json"));
    names.map(|name| (name.clone(), fs::read(place.path(&folder).join(name)).expect("a file"))).collect()
}

#[test]
fn what_one_machine_builds_others_find() {
    for service in services() {
        let place = sources();
        let run = |machine: &str| build(&place, machine, &service.url(), &service.credentials());
        run("first").expect(0, "3 packages built in ");
        let second = run("second");
        second.expect(0, "3 packages built, 3 of them from the cache");
        assert!(!second.err().contains("warning"), "{}", second.err());
        assert_eq!(published(&place, "second"), published(&place, "first"));
        assert_eq!(published(&place, "first").len(), 6);
    }
}

#[test]
fn damaged_values_are_not_used() {
    for service in services() {
        let place = sources();
        let run = |machine: &str| build(&place, machine, &service.url(), &service.credentials());
        run("first").expect(0, "3 packages built in ");
        assert!(service.damage() >= 9, "an inventory and two files of each package");
        run("second").expect(0, "3 packages built in ");
        assert_eq!(published(&place, "second"), published(&place, "first"));
        // The second machine put the right ones there.
        run("third").expect(0, "3 packages built, 3 of them from the cache");
    }
}

#[test]
fn who_is_not_let_in_is_told_and_builds() {
    let [redis, s3] = services();
    let place = sources();
    let wrong = redis.url().replace(Redis::PASSWORD, "wrong-word");
    let refused = build(&place, "redis", &wrong, &[]);
    refused.expect(0, "3 packages built in ");
    refused.expect(0, "warning: the remote cache ");
    assert!(!refused.err().contains("wrong-word"), "a secret is not told: {}", refused.err());
    let refused =
        build(&place, "s3", &s3.url(), &[("AWS_ACCESS_KEY_ID", ACCESS), ("AWS_SECRET_ACCESS_KEY", "wrong-word")]);
    refused.expect(0, "3 packages built in ");
    refused.expect(0, "warning: the remote cache ");
    assert_eq!(s3.damage(), 0, "nothing was written");
}

#[test]
fn a_server_that_is_gone_or_silent_holds_nothing_up() {
    for service in services() {
        let place = sources();
        let (url, credentials) = (service.url(), service.credentials());
        drop(service);
        let run = build(&place, "first", &url, &credentials);
        run.expect(0, "3 packages built in ");
        run.expect(0, "warning: the remote cache ");
    }
    // It takes connections, and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let place = sources();
    let run = build(&place, "silent", &format!("http://{}/cache", listener.local_addr().expect("an address")), &[]);
    run.expect(0, "3 packages built in ");
    run.expect(0, "warning: the remote cache ");
}
